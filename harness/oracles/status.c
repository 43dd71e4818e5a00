/* status: both executors succeed, or raise the same error code at the same statement. Judged call
 * by call; at the first call that ends differently the rest has no meaning, so the other oracles
 * look only at the calls before it (Trial.ncalls). */
#include "harness/oracles/oracle.h"

#include <stdio.h>

static const char *oracle_status_code_of(const CallResult *c) {
    return c->ok ? "ok" : errcode_name(c->error);
}

/* Which of two error places comes first: a statement before "return" before "backward". */
static int order_of(const CallResult *c) {
    if (c->ok || c->error_at == AT_UNKNOWN) {
        return INT32_MAX;
    }
    return c->error_at == AT_RETURN     ? INT32_MAX - 2
           : c->error_at == AT_BACKWARD ? INT32_MAX - 1
                                        : c->error_at;
}

static void oracle_status_describe(char *out, size_t size, const CallResult *c, const Program *p,
                                   Arena *arena) {
    if (c->ok) {
        snprintf(out, size, "ok");
        return;
    }
    const char *at = c->error_at == AT_RETURN     ? "return"
                     : c->error_at == AT_BACKWARD ? "backward"
                     : c->error_at == AT_UNKNOWN  ? "an unknown place"
                                                  : program_path(arena, p, c->error_at);
    snprintf(out, size, "%s at %s: %s", errcode_name(c->error), at, c->message ? c->message : "");
}

Verdict oracle_status(Comparison *t, Finding *out) {
    if (t->ncalls >= t->a->ncalls || t->ncalls >= t->b->ncalls) {
        return AGREE;
    }
    const CallResult *a = &t->a->calls[t->ncalls], *b = &t->b->calls[t->ncalls];
    char kind[sizeof out->kind];
    Failure failure = t->a->failure ? t->a->failure : t->b->failure;
    if (failure) {
        snprintf(kind, sizeof kind, "%s", failure == FAILURE_TIMEOUT ? "timeout" : "crash");
    } else if (!a->ok && !b->ok && a->error == b->error) {
        snprintf(kind, sizeof kind, "%s%s", a->error == ERR_internal ? "" : "place_",
                 errcode_name(a->error));
    } else {
        snprintf(kind, sizeof kind, "%s_vs_%s", oracle_status_code_of(a), oracle_status_code_of(b));
    }
    const CallResult *first = order_of(a) <= order_of(b) ? a : b;
    finding_start(out, ORACLE_status, kind, t->ncalls, SUBJECT_CALL, -1,
                  first->ok || failure ? AT_UNKNOWN : first->error_at);
    oracle_status_describe(out->a, sizeof out->a, a, t->program, t->arena);
    oracle_status_describe(out->b, sizeof out->b, b, t->program, t->arena);
    return FINDING;
}
