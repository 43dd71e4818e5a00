/* Reads one call of a result: how it ended, what was recorded of it, and what was observed behind
 * it. */
#include "program/json/result_reader.h"

#include <string.h>

enum { STATE_NAME = 40 }; /* it fits into the kind of a finding */

/* An array member of a call; NULL and an empty array if it is absent. */
static bool call_array(ResultReader *c, const Json *object, const char *key, const Json **first,
                       int *n) {
    const Json *j = json_get(object, key);
    *first = NULL;
    *n = 0;
    if (j && !json_want(c->r, j, JSON_ARRAY, "an array")) {
        return false;
    }
    if (j) {
        *first = json_items(c->r, j);
        *n = j->count;
    }
    return true;
}

static bool read_error(ResultReader *c, const Json *j, CallResult *out) {
    static const char *const keys[] = {"at", "code", "message", NULL};
    if (!json_keys(c->r, j, keys, NULL)) {
        return false;
    }
    const Json *at = json_need(c->r, j, "at");
    const Json *code = at ? json_need(c->r, j, "code") : NULL;
    const Json *message = json_get(j, "message");
    if (!code || !result_read_at(c, at, &out->error_at) ||
        !json_want(c->r, code, JSON_STRING, "an error code")) {
        return false;
    }
    if (!errcode_parse(code->text, &out->error) || out->error == ERR_none) {
        return json_bad(c->r, code, "unknown error code");
    }
    if (message && !json_want(c->r, message, JSON_STRING, "a string")) {
        return false;
    }
    out->message = message ? message->text : NULL;
    return true;
}

static bool read_status(ResultReader *c, const Json *j, CallResult *out) {
    const Json *status = json_need(c->r, j, "status"), *error = json_get(j, "error");
    if (!status || !json_want(c->r, status, JSON_STRING, "\"ok\" or \"error\"")) {
        return false;
    }
    out->ok = strcmp(status->text, "ok") == 0;
    if (!out->ok && strcmp(status->text, "error") != 0) {
        return json_bad(c->r, status, "expected \"ok\" or \"error\"");
    }
    if (out->ok) {
        return !error || error->kind == JSON_NULL ||
               json_bad(c->r, error, "an error of a call that is ok");
    }
    error = json_need(c->r, j, "error");
    return error && read_error(c, error, out);
}

/* One list of "poked": data for each recorded value, null where there is none. */
static bool read_poked_list(ResultReader *c, const Json *object, const char *key, int count,
                            const Json **first) {
    const Json *j = json_get(object, key);
    *first = NULL;
    if (!j) {
        return true;
    }
    if (!json_want(c->r, j, JSON_ARRAY, "an array")) {
        return false;
    }
    *first = json_items(c->r, j);
    return j->count == count || json_bad(c->r, j, "%d entries for %d recorded", j->count, count);
}

static bool read_poked_data(ResultReader *c, const Json *j, const Values *like, const void **out) {
    void *data = NULL;
    int64_t n;
    if (j->kind == JSON_NULL) {
        return true;
    }
    if (!json_read_data(c->r, j, like->dtype, true, &data, &n)) {
        return false;
    }
    *out = data;
    return n == like->numel || json_bad(c->r, j, "%lld elements, %lld were recorded", (long long)n,
                                        (long long)like->numel);
}

static bool read_poked(ResultReader *c, const Json *j, CallResult *out) {
    static const char *const keys[] = {"returns", "inputs", NULL};
    const Json *e;
    if (!json_keys(c->r, j, keys, NULL) || !read_poked_list(c, j, "returns", out->nreturns, &e)) {
        return false;
    }
    for (; e; e = e->next) {
        if (!read_poked_data(c, e, &out->returns[e->index].values, &out->returns[e->index].poked)) {
            return false;
        }
    }
    if (!read_poked_list(c, j, "inputs", out->ninputs, &e)) {
        return false;
    }
    for (; e; e = e->next) {
        if (!read_poked_data(c, e, &out->inputs[e->index].data, &out->inputs[e->index].poked)) {
            return false;
        }
    }
    return true;
}

/* "changed_later": indices of returns. */
static bool read_changed_later(ResultReader *c, const Json *object, CallResult *out) {
    const Json *e;
    int n;
    int64_t index;
    out->has_changed_later = json_get(object, "changed_later") != NULL;
    if (!call_array(c, object, "changed_later", &e, &n)) {
        return false;
    }
    for (; e; e = e->next) {
        if (!json_read_int(c->r, e, &index)) {
            return false;
        }
        if (index < 0 || index >= out->nreturns) {
            return json_bad(c->r, e, "the call has no such return");
        }
        out->returns[index].changed_later = true;
    }
    return true;
}

/* "changed_state": names, of which a finding has one in its signature. */
static bool read_changed_state(ResultReader *c, const Json *object, CallResult *out) {
    const Json *e;
    out->has_changed_state = json_get(object, "changed_state") != NULL;
    if (!call_array(c, object, "changed_state", &e, &out->nchanged_state)) {
        return false;
    }
    out->changed_state = arena_array(c->r->arena, char *, out->nchanged_state);
    for (; e; e = e->next) {
        if (!json_want(c->r, e, JSON_STRING, "a string")) {
            return false;
        }
        size_t n = strspn(e->text, "abcdefghijklmnopqrstuvwxyz_");
        if (n == 0 || n > STATE_NAME || e->text[n]) {
            return json_bad(c->r, e, "a name has at most %d lower-case letters and _", STATE_NAME);
        }
        out->changed_state[e->index] = arena_strdup(c->r->arena, e->text);
    }
    return true;
}

/* "inputs" or "args". */
static bool read_call_inputs(ResultReader *c, const Json *first, InputRecord *records,
                             GradFacts *grads) {
    for (const Json *e = first; e; e = e->next) {
        if (!result_read_input(c, e, &records[e->index], &grads[e->index])) {
            return false;
        }
    }
    return true;
}

bool result_read_call(ResultReader *c, const Json *j, CallResult *out) {
    static const char *const keys[] = {"status",        "error",         "trace",   "returns",
                                       "inputs",        "args",          "vacuous", "poked",
                                       "changed_later", "changed_state", NULL};
    const Json *e;
    if (!json_keys(c->r, j, keys, NULL) || !read_status(c, j, out) ||
        !call_array(c, j, "inputs", &e, &out->ninputs)) {
        return false;
    }
    out->inputs = arena_array(c->r->arena, InputRecord, out->ninputs);
    out->input_grads = arena_array(c->r->arena, GradFacts, out->ninputs);
    if (!read_call_inputs(c, e, out->inputs, out->input_grads) ||
        !call_array(c, j, "args", &e, &out->nargs)) {
        return false;
    }
    out->args = arena_array(c->r->arena, InputRecord, out->nargs);
    out->arg_grads = arena_array(c->r->arena, GradFacts, out->nargs);
    if (!read_call_inputs(c, e, out->args, out->arg_grads)) {
        return false;
    }
    if (!call_array(c, j, "returns", &e, &out->nreturns)) {
        return false;
    }
    out->returns = arena_array(c->r->arena, ReturnRecord, out->nreturns);
    out->return_grads = arena_array(c->r->arena, GradFacts, out->nreturns);
    for (; e; e = e->next) {
        if (!result_read_return(c, e, out, &out->returns[e->index], &out->return_grads[e->index])) {
            return false;
        }
    }
    if (!call_array(c, j, "trace", &e, &out->ntrace)) {
        return false;
    }
    out->trace = arena_array(c->r->arena, TraceEntry, out->ntrace);
    for (; e; e = e->next) {
        if (!result_read_trace(c, e, &out->trace[e->index])) {
            return false;
        }
    }
    out->no_trace = json_get(j, "trace") == NULL;
    const Json *vacuous = json_get(j, "vacuous"), *poked = json_get(j, "poked"),
               *compiled = json_get(j, "x-compiled");
    out->extra = json_extra(c->r, j, "x-compiled");
    return (!vacuous || json_read_bool(c->r, vacuous, &out->vacuous)) &&
           (!compiled || json_read_bool(c->r, compiled, &out->compiled)) &&
           (!poked || read_poked(c, poked, out)) && read_changed_later(c, j, out) &&
           read_changed_state(c, j, out);
}
