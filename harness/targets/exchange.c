/* Requests and answers of a target: one JSON object a line (docs/reference/format.md,
 * "Out-of-process targets"). */
#include "harness/targets/pool.h"

#include "program/json/tree.h"
#include "program/print/print.h"

#include <stdio.h>
#include <string.h>

/* ---- requests ---- */

/* "mode": "eager", or "modes": ["eager", "aot"]. */
static void add_modes(Text *r, const Ticket *ticket) {
    int only = ticket->nmodes == 1 ? 0 : ticket->part;
    text_add(r, only >= 0 ? "\"mode\": " : "\"modes\": [");
    for (int i = 0; i < ticket->nmodes; i++) {
        if (only < 0 || i == only) {
            text_add(r, only < 0 && i > 0 ? ", " : "");
            text_json_string(r, ticket->by[i]->mode);
        }
    }
    text_add(r, only >= 0 ? "" : "]");
}

void exchange_request(const Target *t, Ticket *ticket) {
    const RunOptions *options = &ticket->options;
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
    text_printf(r, "{\"id\": %lld, ", (long long)ticket->id);
    add_modes(r, ticket);
    text_add(r, t->settings.alone && t->takes_alone ? ", \"alone\": true" : "");
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

Result *exchange_cut(const Target *t, Arena *arena, const char *why) {
    Result *r = arena_new(arena, Result);
    r->target = arena_strdup(arena, t->name);
    r->ncalls = 1;
    r->calls = arena_array(arena, CallResult, 1);
    r->calls[0].error = ERR_limit;
    r->calls[0].error_at = AT_UNKNOWN;
    r->calls[0].no_trace = true;
    r->calls[0].message = arena_strdup(arena, why);
    return r;
}

Result *exchange_failed(const Target *t, Arena *arena, Failure failure, const char *what,
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
    r->calls[0].error = failure == FAILURE_NONE ? ERR_limit : ERR_internal;
    r->calls[0].error_at = AT_UNKNOWN;
    r->calls[0].no_trace = true;
    r->calls[0].message = arena_printf(arena, "%s: %s%s%s",
                                       failure == FAILURE_NONE      ? "limit"
                                       : failure == FAILURE_TIMEOUT ? "timeout"
                                                                    : "crash",
                                       what, words[0] ? "; its standard error ends: " : "", words);
    return r;
}

static bool read_result(Reader *r, const Json *j, Ticket *ticket, int mode) {
    ticket->result[mode] =
        json_want(r, j, JSON_OBJECT, "a result") ? json_read_result(r, j, ticket->program) : NULL;
    return ticket->result[mode] != NULL;
}

/* One result for each mode, in their order. */
static bool read_each_result(Reader *r, const Json *root, Ticket *ticket) {
    const Json *results = json_need(r, root, "results");
    if (!results || !json_want(r, results, JSON_ARRAY, "an array of results")) {
        return false;
    }
    int n = 0;
    for (const Json *e = results->child; e; e = e->next, n++) {
        if (n < ticket->nmodes && !read_result(r, e, ticket, n)) {
            return false;
        }
    }
    return n == ticket->nmodes || json_bad(r, results, "expected one result for each mode");
}

/* An answer that nobody reads: its tensors have too many elements. */
static void answer_is_long(Ticket *ticket, bool all, size_t length) {
    char text[100];
    snprintf(text, sizeof text, "an answer of %zu bytes: the limit is %d", length, JSON_MAX_BYTES);
    int first = ticket->part < 0 ? 0 : ticket->part, end = all ? ticket->nmodes : first + 1;
    for (int m = first; m < end; m++) {
        ticket->result[m] =
            exchange_failed(ticket->by[m], &ticket->arena, FAILURE_NONE, text, NULL);
    }
}

bool exchange_answer(Ticket *ticket, const char *line, size_t length, char *message,
                     size_t message_size) {
    static const char *const keys[] = {"id", "result", NULL}, *const keys_of_modes[] = {
                                                                  "id", "results", NULL};
    Reader r = {.arena = &ticket->arena,
                .names = {.arena = &ticket->arena},
                .fold = true,
                .message = message,
                .message_size = message_size};
    message[0] = '\0';
    bool all = ticket->nmodes > 1 && ticket->part < 0;
    if (length > JSON_MAX_BYTES) {
        answer_is_long(ticket, all, length);
        return true;
    }
    const Json *root = json_parse(&r, line, length);
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object") ||
        !json_keys(&r, root, all ? keys_of_modes : keys, NULL)) {
        return false;
    }
    const Json *id = json_need(&r, root, "id"), *result = NULL;
    int64_t number;
    if (!id || !json_read_int(&r, id, &number) ||
        (!all && !(result = json_need(&r, root, "result")))) {
        return false;
    }
    if (number != ticket->id) {
        return json_bad(&r, id, "an answer to another request");
    }
    return all ? read_each_result(&r, root, ticket)
               : read_result(&r, result, ticket, ticket->part < 0 ? 0 : ticket->part);
}

/* "accepts": what requests may hold beside a mode. */
static void read_accepts(Target *t, const Json *accepts) {
    t->takes_modes = t->takes_alone = false;
    for (const Json *e = accepts && accepts->kind == JSON_ARRAY ? accepts->child : NULL; e;
         e = e->next) {
        t->takes_modes |= e->kind == JSON_STRING && strcmp(e->text, "modes") == 0;
        t->takes_alone |= e->kind == JSON_STRING && strcmp(e->text, "alone") == 0;
    }
}

bool exchange_hello(Target *t, Arena *scratch, const char *line, size_t length, char *message,
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
    read_accepts(t, json_get(root, "accepts"));
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
        t->table =
            t->table.n ? t->table : settings_read(&t->arena, json_get(root, "settings"), t->mode);
        return true;
    }
    const char *why = absence_read(root, t->mode);
    snprintf(message, message_size, "%s has no mode '%.60s' here%s%.200s", t->version, t->mode,
             why ? ": " : "", why ? why : "");
    return false;
}
