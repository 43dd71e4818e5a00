/* status: both executors succeed, or raise the same error code at the same statement. After the
 * first call that ends differently later results mean nothing, so the other oracles compare only
 * the calls before it (Comparison.ncalls). */
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

static const char *oracle_status_code_of(const CallResult *c) {
    return c->ok ? "ok" : errcode_name(c->error);
}

/* The order of error locations: statements, then "return", then "backward". */
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
                     : c->error_at == AT_UNKNOWN  ? "an unknown statement"
                                                  : program_path(arena, p, c->error_at);
    snprintf(out, size, "%s at %s: %s", errcode_name(c->error), at, c->message ? c->message : "");
}

/* The target's "x-frame" of a call. */
static void frame_of(char *out, size_t size, const CallResult *c) {
    static const char KEY[] = "\"x-frame\":";
    const char *at = c->extra ? strstr(c->extra, KEY) : NULL;
    at = at ? strchr(at + sizeof KEY - 1, '"') : NULL;
    snprintf(out, size, "%.*s", at ? (int)strcspn(at + 1, "\"") : 0, at ? at + 1 : "");
}

Verdict oracle_status(Comparison *cmp, Finding *out) {
    if (cmp->ncalls >= cmp->a->ncalls || cmp->ncalls >= cmp->b->ncalls) {
        return AGREE;
    }
    const CallResult *a = &cmp->a->calls[cmp->ncalls], *b = &cmp->b->calls[cmp->ncalls];
    char kind[sizeof out->kind];
    Failure failure = cmp->a->failure ? cmp->a->failure : cmp->b->failure;
    if (cmp->after_error && !failure) {
        return AGREE;
    }
    if (failure) {
        snprintf(kind, sizeof kind, "%s", failure == FAILURE_TIMEOUT ? "timeout" : "crash");
    } else if (!a->ok && !b->ok && a->error == b->error) {
        snprintf(kind, sizeof kind, "%s%s", a->error == ERR_internal ? "" : "place_",
                 errcode_name(a->error));
    } else {
        snprintf(kind, sizeof kind, "%s_vs_%s", oracle_status_code_of(a), oracle_status_code_of(b));
    }
    const CallResult *first = order_of(a) <= order_of(b) ? a : b;
    finding_start(out, ORACLE_status, kind, cmp->ncalls, SUBJECT_CALL, -1,
                  first->ok || failure ? AT_UNKNOWN : first->error_at);
    oracle_status_describe(out->a, sizeof out->a, a, cmp->program, cmp->arena);
    oracle_status_describe(out->b, sizeof out->b, b, cmp->program, cmp->arena);
    const CallResult *failed = b->ok ? a : b;
    if (failed->error != ERR_assertion) { /* the program's own, not the compiler's */
        frame_of(out->frame, sizeof out->frame, failed);
    }
    return FINDING;
}
