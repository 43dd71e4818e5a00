/* A pool of processes and a table of tickets. A ticket is one program: queued, sent to a process,
 * done. Whoever waits for a ticket runs the event loop for all of them: it sends queued tickets to
 * idle processes, reads and writes without blocking, and stops what exceeds its deadline.
 *
 *     process:  off -> starting (hello) -> idle -> busy -> idle ...
 *               it dies, writes malformed output or is late: killed, off, its ticket is done
 *
 * A failure is attributed to a program only if it was sent; a process that dies while idle is
 * started again silently. If processes do not start, the others go on; without any the target is
 * gone. */
#include "harness/targets/pool.h"

#include "harness/util/clock.h"
#include "harness/util/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START_SECONDS = 120, START_TRIES = 3 };

bool target_compiles(const Target *t) {
    return strcmp(t->mode, "eager") != 0 && strncmp(t->mode, "eager_", strlen("eager_")) != 0;
}
const char *target_name(const Target *t) { return t->name; }
const char *target_mode(const Target *t) { return t->mode; }
const char *target_version(const Target *t) { return t->version; }
const char *target_file(const Target *t) { return t->settings.file; }
const char *target_modes(const Target *t) { return t->modes; }
const char *target_program(const Target *t) { return t->declared.command[0]; }
CompileSettings *target_draw_settings(const Target *t, const Program *p, Arena *arena,
                                      uint64_t seed, uint64_t index) {
    return target_compiles(t) ? settings_draw(&t->table, p, arena, seed, index) : NULL;
}

char *const *target_environment(const Target *t) { return t->declared.environment; }
void target_until(Target *t, double until) { t->settings.until = until; }
const char *target_gone(const Target *t) {
    const Target *pool = t->host ? t->host : t;
    return pool->gone ? pool->start_message : NULL;
}
TargetCounters target_counters(const Target *t) { return t->counters; }

/* ---- the end of a ticket ---- */

void pool_stop(TargetWorker *w) {
    process_stop(&w->process);
    w->state = WORKER_OFF;
    w->ticket = NULL;
}

/* The request has its answer: done, unless another mode is still to be asked for alone. */
static void end_request(Target *t, Ticket *ticket) {
    if (ticket->forgotten) {
        ticket->state = TICKET_FREE;
        return;
    }
    if (ticket->part < 0 || ticket->part + 1 == ticket->nmodes) {
        bool again = false; /* what ended the process of all modes */
        for (int i = 0; i < ticket->nmodes; i++) {
            again |= ticket->result[i]->failure != FAILURE_NONE;
        }
        t->counters.not_again += ticket->died && !again;
        ticket->state = TICKET_DONE;
        return;
    }
    ticket->part++;
    ticket->state = TICKET_QUEUED;
    exchange_request(t, ticket);
}

/* The program that a worker ran ended its process. If it ran in several modes, each of them is run
 * again in a process of its own, to learn which one does that. */
static void fail_worker(Target *t, TargetWorker *w, Failure failure, const char *what) {
    Ticket *ticket = w->ticket;
    bool died = w->process.ended;
    pool_stop(w);
    if (!ticket) {
        return;
    }
    if (ticket->nmodes > 1 && ticket->part < 0 && !ticket->forgotten) {
        ticket->died = true;
        ticket->part = 0;
        ticket->state = TICKET_QUEUED;
        exchange_request(t, ticket);
        return;
    }
    int mode = ticket->part < 0 ? 0 : ticket->part;
    Target *by = ticket->by[mode];
    char text[400];
    snprintf(text, sizeof text, "%s%s%s", what, died ? ": the target " : "",
             died ? w->process.end : "");
    ticket->result[mode] = exchange_failed(by, &ticket->arena, failure, text, &w->process);
    by->counters.crashes += failure == FAILURE_CRASH;
    by->counters.timeouts += failure == FAILURE_TIMEOUT;
    end_request(t, ticket);
}

/* Is the process to be replaced: it is old, has grown large, or was to run one program only? */
static bool worn_out(const Target *t, const TargetWorker *w) {
    enum { WORKER_PROGRAMS = 2000, LOOK_EVERY = 64, WORKER_MEMORY = 3 << 10 };
    return w->programs >= WORKER_PROGRAMS || (t->settings.alone && !t->takes_alone) ||
           (w->programs % LOOK_EVERY == 0 && process_memory(&w->process) >= WORKER_MEMORY);
}

static void take_answer(Target *t, TargetWorker *w) {
    char message[300], what[400];
    Ticket *ticket = w->ticket;
    if (!ticket->forgotten && /* its program may be gone */
        !exchange_answer(ticket, w->process.line, (size_t)process_line(&w->process), message,
                         sizeof message)) {
        snprintf(what, sizeof what, "its answer is not a result (%s)", message);
        fail_worker(t, w, FAILURE_CRASH, what);
        return;
    }
    for (int i = 0; i < ticket->nmodes; i++) {
        Result *r = ticket->result[i];
        for (int k = 0; r && k < r->ncalls && t->settings.no_probes; k++) {
            r->calls[k].no_trace = true;
        }
    }
    process_drop_line(&w->process);
    bool alone = ticket->part >= 0; /* the next mode gets another process */
    end_request(t, ticket);
    w->state = WORKER_IDLE;
    w->ticket = NULL;
    w->programs++;
    if ((alone || worn_out(t, w)) && w->process.used == 0) {
        pool_stop(w);
    }
}

/* ---- starting ---- */

/* What to do where the Python of the target `torch` is not there. */
static const char *remedy_for(const Target *t, const char *words) {
    bool torch = strncmp(t->name, "torch:", strlen("torch:")) == 0 && !t->settings.python;
    return torch && strncmp(words, "cannot run ", strlen("cannot run ")) == 0
               ? " ('make torch' installs it; --python PATH uses another)"
               : "";
}

static void start_failed(Target *t, TargetWorker *w, const char *why) {
    bool ended = w->process.ended;
    process_stop(&w->process);
    char words[300];
    process_last_words(&w->process, words, sizeof words);
    snprintf(t->start_message, sizeof t->start_message, "the target %s does not start: %s%s%s%s",
             t->name, words[0] ? words : why, ended && !words[0] ? ": it " : "",
             ended && !words[0] ? w->process.end : "", remedy_for(t, words));
    w->state = WORKER_OFF;
    t->failed_starts++;
}

static void start_worker(Target *t, TargetWorker *w) {
    const char *hello =
        t->settings.configs ? "{\"hello\": 1, \"settings\": true}\n" : "{\"hello\": 1}\n";
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
    w->programs = 0;
    w->process.send = hello;
    w->process.left = strlen(hello);
    deadline_set(&w->deadline, START_SECONDS);
}

static void finish_start(Target *t, TargetWorker *w) {
    char message[300];
    Arena scratch = ARENA_EMPTY;
    bool fine = exchange_hello(t, &scratch, w->process.line, (size_t)process_line(&w->process),
                               message, sizeof message);
    arena_destroy(&scratch);
    if (!fine) {
        start_failed(t, w, message);
        return;
    }
    t->hello =
        t->hello ? t->hello
                 : arena_printf(&t->arena, "%.*s", (int)process_line(&w->process), w->process.line);
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

static int modes_asked(const Ticket *ticket) { return ticket->part < 0 ? ticket->nmodes : 1; }

void pool_send(Target *t) {
    int starting = 0, queued = 0, alive = 0;
    for (int i = 0; i < MAX_TICKETS; i++) {
        queued += t->ticket[i].state == TICKET_QUEUED;
    }
    for (int i = 0; i < t->settings.workers && queued > 0; i++) {
        TargetWorker *w = &t->worker[i];
        if (w->state == WORKER_IDLE) {
            process_pump(&w->process);
            if (w->process.ended ||
                w->process.used > 0) { /* it died, or wrote output without a request */
                pool_stop(w);
            } else {
                Ticket *ticket = next_queued(t);
                w->ticket = ticket;
                w->process.send = ticket->request.v;
                w->process.left = (size_t)ticket->request.n;
                w->process.ntail = 0;
                deadline_set(&w->deadline, t->settings.timeout * modes_asked(ticket));
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
    for (int i = 0; i < t->settings.workers; i++) {
        alive += t->worker[i].state != WORKER_OFF;
    }
    t->gone |= queued > 0 && alive == 0 && t->failed_starts >= START_TRIES;
    for (int i = 0; i < MAX_TICKETS && t->gone; i++) {
        if (t->ticket[i].state == TICKET_QUEUED) {
            ticket_cut(&t->ticket[i], t->start_message);
        }
    }
}

static void update_worker(Target *t, TargetWorker *w) {
    if (w->state != WORKER_STARTING && w->state != WORKER_BUSY) {
        return;
    }
    process_pump(&w->process);
    bool starting = w->state == WORKER_STARTING;
    if (process_line(&w->process) >= 0) {
        (starting ? finish_start : take_answer)(t, w);
        return;
    }
    bool late = deadline_passed(&w->deadline, &w->process);
    if (w->process.ended || process_floods(&w->process) || late) {
        char what[100];
        snprintf(what, sizeof what,
                 late               ? "no answer within %.3g seconds"
                 : w->process.ended ? "no answer"
                                    : "an answer without an end",
                 w->deadline.seconds);
        if (starting) {
            start_failed(t, w, what);
        } else {
            fail_worker(t, w, late ? FAILURE_TIMEOUT : FAILURE_CRASH, what);
        }
    }
}

void pool_turn(Target *t, double wait) {
    pool_send(t);
    struct pollfd fds[3 * TARGET_MAX_WORKERS];
    int n = 0;
    for (int i = 0; i < t->settings.workers; i++) {
        const TargetWorker *w = &t->worker[i];
        if (w->state == WORKER_STARTING || w->state == WORKER_BUSY) {
            n += process_poll(&w->process, fds + n);
            double left =
                process_line(&w->process) >= 0
                    ? 0
                    : deadline_left(&w->deadline); /* the answer may have been read already */
            wait = left < wait ? left : wait;
        }
    }
    if (n > 0) {
        poll(fds, (nfds_t)n, wait > 0 ? (int)(wait * 1000) + 1 : 0);
    }
    for (int i = 0; i < t->settings.workers; i++) {
        update_worker(t, &t->worker[i]);
    }
    pool_send(t); /* idle processes go on while the caller uses the result */
    for (int i = 0; i < t->settings.workers; i++) {
        process_pump(&t->worker[i].process);
    }
}

/* ---- open and close ---- */

/* Starts a first process, which says which modes there are. */
static int start_first(Target *t, char *message, size_t message_size) {
    start_worker(t, &t->worker[0]);
    while (t->worker[0].state == WORKER_STARTING && !pool_is_late(t)) {
        pool_turn(t, POOL_WAIT);
    }
    if (t->worker[0].state == WORKER_IDLE) {
        return EXIT_AGREE;
    }
    snprintf(message, message_size, "%s",
             t->worker[0].state == WORKER_STARTING ? "the time of the run was up"
                                                   : t->start_message);
    return EXIT_ENVIRONMENT;
}

/* Is it another mode of the same target, whose processes take requests for several modes? */
static bool can_host(const Target *host, const char *name) {
    size_t n = strcspn(name, ":");
    return host && host->takes_modes && !host->host && strcspn(host->name, ":") == n &&
           strncmp(host->name, name, n) == 0;
}

/* Has the processes of `host` run the programs of `t`, too. */
static int join(Target *t, Target *host, char *message, size_t message_size) {
    char why[300];
    Arena scratch = ARENA_EMPTY;
    bool fine = exchange_hello(t, &scratch, host->hello, strlen(host->hello), why, sizeof why);
    arena_destroy(&scratch);
    if (!fine) {
        snprintf(message, message_size, "the target %s does not start: %s", t->name, why);
        return EXIT_ENVIRONMENT;
    }
    t->host = host;
    if (!t->settings.alone) { /* a process for programs alone is started for few of them */
        host->settings.workers =
            (int)min_i64(host->settings.workers + t->settings.workers, TARGET_MAX_WORKERS);
    }
    return EXIT_AGREE;
}

int target_open(const char *name, Target *other, const TargetSettings *settings, Target **out,
                char *message, size_t message_size) {
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
        declaration_vary(&t->arena, &t->declared, t->settings.variation,
                         t->settings.shares_compiler && !t->settings.alone);
        code = can_host(other, name) ? join(t, other, message, message_size)
                                     : start_first(t, message, message_size);
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
