/* A pool of processes and a table of tickets. A ticket is one program: queued, sent to a process,
 * done. Whoever waits for a ticket runs the event loop for all of them: it sends queued tickets to
 * idle processes, reads and writes without blocking, and stops what exceeds its deadline.
 *
 *     process:  off -> starting (hello) -> idle -> busy -> idle ...
 *               it dies, writes malformed output or is late: killed, off, its ticket is done
 *
 * A failure is attributed to a program only if it was sent; a process that dies while idle is
 * started again silently. */
#include "harness/targets/target.h"

#include "harness/targets/declare.h"
#include "harness/targets/process.h"
#include "harness/util/clock.h"
#include "harness/util/status.h"
#include "program/json/tree.h"
#include "program/print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TICKETS = 4 * TARGET_MAX_WORKERS, START_SECONDS = 120, START_TRIES = 3 };

typedef enum TicketState { TICKET_FREE, TICKET_QUEUED, TICKET_SENT, TICKET_DONE } TicketState;
typedef struct Ticket {
    TicketState state;
    int64_t id; /* grows: also the order */
    const Program *program;
    Text request;
    Result *result; /* DONE */
    Arena arena;
} Ticket;

typedef enum WorkerState { WORKER_OFF, WORKER_STARTING, WORKER_IDLE, WORKER_BUSY } WorkerState;
typedef struct TargetWorker {
    WorkerState state;
    Process process;
    Ticket *ticket;
    double deadline;
} TargetWorker;

struct Target {
    Arena arena;
    char *name; /* "torch:aot" */
    char *mode;
    char version[80]; /* what it reports to be: "torch 2.13.0" */
    char modes[200];  /* and its modes: "eager aot" */
    TargetSettings settings;
    Declaration declared;
    TargetWorker worker[TARGET_MAX_WORKERS];
    Ticket ticket[MAX_TICKETS];
    int64_t next_id;
    int failed_starts;       /* in a row */
    char start_message[512]; /* why the last start failed */
    TargetCounters counters;
};

bool target_compiles(const Target *t) { return strcmp(t->mode, "eager") != 0; }
const char *target_name(const Target *t) { return t->name; }
const char *target_mode(const Target *t) { return t->mode; }
const char *target_version(const Target *t) { return t->version; }
const char *target_file(const Target *t) { return t->settings.file; }
const char *target_modes(const Target *t) { return t->modes; }
const char *target_program(const Target *t) { return t->declared.command[0]; }
TargetCounters target_counters(const Target *t) { return t->counters; }

/* ---- requests ---- */

static void write_request(const Target *t, Ticket *ticket, const RunOptions *options) {
    Program plain = *ticket->program;
    plain.expect = NULL;
    Text python = {.arena = &ticket->arena};
    Semantics s = options->semantics != SEMANTICS_NONE ? options->semantics
                                                       : semantics_nearest(target_version(t));
    Semantics before = semantics_enter(s);
    program_print_target(&python, &plain);
    semantics_enter(before);
    Text *r = &ticket->request;
    *r = (Text){.arena = &ticket->arena};
    text_printf(r, "{\"id\": %lld, \"mode\": ", (long long)ticket->id);
    text_json_string(r, t->mode);
    text_add(r, options->poke ? ", \"poke\": true, \"program\": " : ", \"program\": ");
    Text program = {.arena = &ticket->arena};
    program_print(&program, &plain, true);
    text_addn(r, program.v, program.n - (program.n > 0 && program.v[program.n - 1] == '\n'));
    text_add(r, ", \"python\": ");
    text_json_string(r, t->settings.no_probes ? print_without_probes(&ticket->arena, python.v)
                                              : python.v);
    text_add(r, "}\n");
}

/* ---- answers ---- */

/* The result of a program that the target did not answer. */
static Result *failed_result(const Target *t, Arena *arena, Failure failure, const char *what,
                             const Process *process) {
    char words[300] = "";
    if (process) {
        process_last_words(process, words, sizeof words);
    }
    Result *r = arena_new(arena, Result);
    r->target = arena_strdup(arena, t->name);
    r->failure = failure;
    r->ncalls = 1;
    r->calls = arena_array(arena, CallResult, 1);
    r->calls[0].error = ERR_internal;
    r->calls[0].error_at = AT_UNKNOWN;
    r->calls[0].no_trace = true;
    r->calls[0].message =
        arena_printf(arena, "%s: %s%s%s", failure == FAILURE_TIMEOUT ? "timeout" : "crash", what,
                     words[0] ? "; its standard error ends: " : "", words);
    return r;
}

static void stop_worker(TargetWorker *w) {
    process_stop(&w->process);
    w->state = WORKER_OFF;
    w->ticket = NULL;
}

static void fail_worker(Target *t, TargetWorker *w, Failure failure, const char *what) {
    Ticket *ticket = w->ticket;
    bool died = w->process.ended;
    stop_worker(w);
    if (ticket) {
        char text[400];
        snprintf(text, sizeof text, "%s%s%s", what, died ? ": the target " : "",
                 died ? w->process.end : "");
        ticket->result = failed_result(t, &ticket->arena, failure, text, &w->process);
        ticket->state = TICKET_DONE;
        t->counters.crashes += failure == FAILURE_CRASH;
        t->counters.timeouts += failure == FAILURE_TIMEOUT;
    }
}

/* The result in an answer to `ticket`, or NULL and why not. */
static Result *read_answer(Ticket *ticket, const char *line, size_t length, char *message,
                           size_t message_size) {
    static const char *const keys[] = {"id", "result", NULL};
    Reader r = {.arena = &ticket->arena,
                .names = {.arena = &ticket->arena},
                .fold = true,
                .message = message,
                .message_size = message_size};
    message[0] = '\0';
    const Json *root = json_parse(&r, line, length);
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object") ||
        !json_keys(&r, root, keys, NULL)) {
        return NULL;
    }
    const Json *id = json_need(&r, root, "id"), *result = id ? json_need(&r, root, "result") : NULL;
    int64_t number;
    if (!result || !json_read_int(&r, id, &number) ||
        !json_want(&r, result, JSON_OBJECT, "a result")) {
        return NULL;
    }
    if (number != ticket->id) {
        json_bad(&r, id, "an answer to another request");
        return NULL;
    }
    return json_read_result(&r, result, ticket->program);
}

/* A hello that names our mode? */
static bool read_hello(Target *t, Arena *scratch, const char *line, size_t length, char *message,
                       size_t message_size) {
    Reader r = {.arena = scratch,
                .names = {.arena = scratch},
                .message = message,
                .message_size = message_size};
    message[0] = '\0';
    const Json *root = json_parse(&r, line, length);
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object")) {
        return false;
    }
    const Json *hello = json_need(&r, root, "hello"),
               *modes = hello ? json_need(&r, root, "modes") : NULL;
    if (!modes || !json_want(&r, modes, JSON_ARRAY, "an array of modes")) {
        return false;
    }
    const Json *target = json_get(root, "target");
    snprintf(t->version, sizeof t->version, "%.79s",
             target && target->kind == JSON_STRING ? target->text : "it");
    bool has_mode = false;
    t->modes[0] = '\0';
    for (const Json *e = modes->child; e; e = e->next) {
        if (e->kind == JSON_STRING) {
            size_t n = strlen(t->modes);
            snprintf(t->modes + n, sizeof t->modes - n, "%s%s", n ? " " : "", e->text);
            has_mode |= strcmp(e->text, t->mode) == 0;
        }
    }
    if (has_mode) {
        return true;
    }
    snprintf(message, message_size, "%s has no mode '%.60s' here", t->version, t->mode);
    return false;
}

static void take_answer(Target *t, TargetWorker *w) {
    char message[300], what[400];
    Ticket *ticket = w->ticket;
    Result *r = read_answer(ticket, w->process.line, (size_t)process_line(&w->process), message,
                            sizeof message);
    if (!r) {
        snprintf(what, sizeof what, "its answer is not a result (%s)", message);
        fail_worker(t, w, FAILURE_CRASH, what);
        return;
    }
    for (int k = 0; k < r->ncalls && t->settings.no_probes; k++) {
        r->calls[k].no_trace = true;
    }
    process_drop_line(&w->process);
    ticket->result = r;
    ticket->state = TICKET_DONE;
    w->state = WORKER_IDLE;
    w->ticket = NULL;
}

/* ---- starting ---- */

static void start_failed(Target *t, TargetWorker *w, const char *why) {
    bool ended = w->process.ended;
    process_stop(&w->process);
    char words[300];
    process_last_words(&w->process, words, sizeof words);
    snprintf(t->start_message, sizeof t->start_message, "the target %s does not start: %s%s%s",
             t->name, words[0] ? words : why, ended && !words[0] ? ": it " : "",
             ended && !words[0] ? w->process.end : "");
    w->state = WORKER_OFF;
    t->failed_starts++;
}

static void start_worker(Target *t, TargetWorker *w) {
    static const char HELLO[] = "{\"hello\": 1}\n";
    t->counters.starts++;
    char message[200];
    if (!process_start(&w->process, t->declared.command, t->declared.environment,
                       min_i64(t->settings.memory, INT64_MAX >> 20) << 20, message,
                       sizeof message)) {
        snprintf(t->start_message, sizeof t->start_message, "the target %s does not start: %s",
                 t->name, message);
        t->failed_starts++;
        return;
    }
    w->state = WORKER_STARTING;
    w->process.send = HELLO;
    w->process.left = sizeof HELLO - 1;
    w->deadline = now_seconds() + START_SECONDS;
}

static void finish_start(Target *t, TargetWorker *w) {
    char message[300];
    Arena scratch = ARENA_EMPTY;
    bool fine = read_hello(t, &scratch, w->process.line, (size_t)process_line(&w->process), message,
                           sizeof message);
    arena_destroy(&scratch);
    if (!fine) {
        start_failed(t, w, message);
        return;
    }
    process_drop_line(&w->process);
    w->state = WORKER_IDLE;
    t->failed_starts = 0;
}

/* ---- event loop ---- */

static Ticket *next_queued(Target *t) {
    Ticket *first = NULL;
    for (int i = 0; i < MAX_TICKETS; i++) {
        Ticket *k = &t->ticket[i];
        if (k->state == TICKET_QUEUED && (!first || k->id < first->id)) {
            first = k;
        }
    }
    return first;
}

/* Sends queued tickets to idle processes; starts processes for the rest. */
static void send_queued(Target *t) {
    int starting = 0, queued = 0;
    for (int i = 0; i < MAX_TICKETS; i++) {
        queued += t->ticket[i].state == TICKET_QUEUED;
    }
    for (int i = 0; i < t->settings.workers && queued > 0; i++) {
        TargetWorker *w = &t->worker[i];
        if (w->state == WORKER_IDLE) {
            process_pump(&w->process);
            if (w->process.ended ||
                w->process.used > 0) { /* it died, or wrote output without a request */
                stop_worker(w);
            } else {
                Ticket *ticket = next_queued(t);
                w->ticket = ticket;
                w->process.send = ticket->request.v;
                w->process.left = (size_t)ticket->request.n;
                w->process.ntail = 0;
                w->deadline = now_seconds() + t->settings.timeout;
                w->state = WORKER_BUSY;
                ticket->state = TICKET_SENT;
                queued--;
            }
        }
        starting += w->state == WORKER_STARTING;
    }
    for (int i = 0; i < t->settings.workers && starting < queued && t->failed_starts < START_TRIES;
         i++) {
        if (t->worker[i].state == WORKER_OFF) {
            start_worker(t, &t->worker[i]);
            starting++;
        }
    }
    for (int i = 0; i < MAX_TICKETS && t->failed_starts >= START_TRIES && starting == 0; i++) {
        Ticket *k = &t->ticket[i];
        if (k->state == TICKET_QUEUED) {
            k->result = failed_result(t, &k->arena, FAILURE_CRASH, t->start_message, NULL);
            k->state = TICKET_DONE;
            t->counters.crashes++;
        }
    }
}

static void update_worker(Target *t, TargetWorker *w) {
    if (w->state != WORKER_STARTING && w->state != WORKER_BUSY) {
        return;
    }
    process_pump(&w->process);
    bool starting = w->state == WORKER_STARTING, late = now_seconds() > w->deadline;
    if (process_line(&w->process) >= 0) {
        (starting ? finish_start : take_answer)(t, w);
    } else if (w->process.ended || process_floods(&w->process) || late) {
        char what[100];
        snprintf(what, sizeof what,
                 late               ? "no answer within %.3g seconds"
                 : w->process.ended ? "no answer"
                                    : "an answer without an end",
                 starting ? (double)START_SECONDS : t->settings.timeout);
        if (starting) {
            start_failed(t, w, what);
        } else {
            fail_worker(t, w, late ? FAILURE_TIMEOUT : FAILURE_CRASH, what);
        }
    }
}

static void run_event_loop_once(Target *t) {
    send_queued(t);
    struct pollfd fds[3 * TARGET_MAX_WORKERS];
    int n = 0;
    double wait = 1;
    for (int i = 0; i < t->settings.workers; i++) {
        const TargetWorker *w = &t->worker[i];
        if (w->state == WORKER_STARTING || w->state == WORKER_BUSY) {
            n += process_poll(&w->process, fds + n);
            double left =
                process_line(&w->process) >= 0
                    ? 0
                    : w->deadline - now_seconds(); /* the answer may have been read already */
            wait = left < wait ? left : wait;
        }
    }
    if (n > 0) {
        poll(fds, (nfds_t)n, wait > 0 ? (int)(wait * 1000) + 1 : 0);
    }
    for (int i = 0; i < t->settings.workers; i++) {
        update_worker(t, &t->worker[i]);
    }
    send_queued(t); /* idle processes go on while the caller uses the result */
    for (int i = 0; i < t->settings.workers; i++) {
        process_pump(&t->worker[i].process);
    }
}

/* ---- tickets ---- */

static Ticket *find_ticket(Target *t, const Program *p) {
    for (int i = 0; i < MAX_TICKETS; i++) {
        if (t->ticket[i].state != TICKET_FREE && t->ticket[i].program == p) {
            return &t->ticket[i];
        }
    }
    return NULL;
}

static Ticket *new_ticket(Target *t, const Program *p, const RunOptions *options) {
    for (int i = 0; i < MAX_TICKETS; i++) {
        Ticket *k = &t->ticket[i];
        if (k->state == TICKET_FREE) {
            arena_reset(&k->arena);
            k->state = TICKET_QUEUED;
            k->id = t->next_id++;
            k->program = p;
            k->result = NULL;
            write_request(t, k, options);
            t->counters.programs++;
            return k;
        }
    }
    return NULL;
}

bool target_submit(Target *t, const Program *p, const RunOptions *options) {
    if (find_ticket(t, p)) {
        return true;
    }
    int open = 0;
    for (int i = 0; i < MAX_TICKETS; i++) {
        open += t->ticket[i].state != TICKET_FREE;
    }
    if (open >= MAX_TICKETS - 1 || !new_ticket(t, p, options)) { /* one is kept for target_run */
        return false;
    }
    send_queued(t);
    for (int i = 0; i < t->settings.workers; i++) {
        process_pump(&t->worker[i].process);
    }
    return true;
}

Result *target_run(Target *t, const Program *p, const RunOptions *options, Arena *arena) {
    Ticket *ticket = find_ticket(t, p);
    if (!ticket) {
        ticket = new_ticket(t, p, options);
    }
    CHECK(ticket);
    while (ticket->state != TICKET_DONE) {
        run_event_loop_once(t);
    }
    Result *r = result_clone(arena, ticket->result);
    ticket->state = TICKET_FREE;
    return r;
}

/* ---- open and close ---- */

int target_open(const char *name, const TargetSettings *settings, Target **out, char *message,
                size_t message_size) {
    const char *colon = strchr(name, ':');
    Target *t = calloc(1, sizeof *t);
    if (!t) {
        die("out of memory: %zu bytes for a target", sizeof *t);
    }
    t->settings = settings ? *settings : (TargetSettings){0};
    t->settings.workers = (int)max_i64(1, min_i64(t->settings.workers, TARGET_MAX_WORKERS));
    t->settings.timeout = t->settings.timeout > 0 ? t->settings.timeout : 60;
    t->name = arena_strdup(&t->arena, name);
    t->mode = arena_strdup(&t->arena, colon + 1);
    t->next_id = 1;
    char *key = arena_printf(&t->arena, "%.*s", (int)(colon - name), name);
    int code = target_declaration(&t->arena, t->settings.file, key, t->mode, &t->declared, message,
                                  message_size);
    if (code == EXIT_AGREE) {
        if (t->settings.python && strcmp(key, "torch") == 0) {
            t->declared.command[0] = arena_strdup(&t->arena, t->settings.python);
        }
        start_worker(t, &t->worker[0]);
        while (t->worker[0].state == WORKER_STARTING) {
            run_event_loop_once(t);
        }
        if (t->worker[0].state != WORKER_IDLE) {
            snprintf(message, message_size, "%s", t->start_message);
            code = EXIT_ENVIRONMENT;
        }
    }
    if (code != EXIT_AGREE) {
        target_close(t);
        return code;
    }
    *out = t;
    return EXIT_AGREE;
}

void target_close(Target *t) {
    if (!t) {
        return;
    }
    for (int i = 0; i < TARGET_MAX_WORKERS; i++) {
        process_stop(&t->worker[i].process);
    }
    for (int i = 0; i < MAX_TICKETS; i++) {
        arena_destroy(&t->ticket[i].arena);
    }
    arena_destroy(&t->arena);
    free(t);
}
