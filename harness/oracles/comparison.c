/* What oracles share: which calls and returns can be compared, and by which rule numbers are. */
#include "harness/oracles/oracle.h"

bool status_same(const CallResult *a, const CallResult *b) {
    if (a->ok || b->ok) {
        return a->ok == b->ok;
    }
    bool same_location =
        a->error_at == b->error_at || a->error_at == AT_UNKNOWN || b->error_at == AT_UNKNOWN;
    return same_location && a->error == b->error && a->error != ERR_internal;
}

void comparison_count_calls(Comparison *t) {
    int n = t->a->ncalls < t->b->ncalls ? t->a->ncalls : t->b->ncalls;
    t->ncalls = 0;
    while (t->ncalls < n && status_same(&t->a->calls[t->ncalls], &t->b->calls[t->ncalls])) {
        t->ncalls++;
    }
}

int comparison_returns(const CallResult *a, const CallResult *b) {
    return a->nreturns < b->nreturns ? a->nreturns : b->nreturns;
}

int comparison_inputs(const Comparison *t, const CallResult *a, const CallResult *b) {
    return t->lenient && !a->ok ? 0 : a->ninputs < b->ninputs ? a->ninputs : b->ninputs;
}

const Result *comparison_shadow(Comparison *t) {
    if (!t->shadow && t->reference && (t->rule == RULE_SHADOW || t->rule == RULE_EXTERNAL)) {
        RunOptions options = {.shadow = true,
                              .detect_unspecified = t->run->detect_unspecified,
                              .limits = t->run->limits};
        t->shadow = t->reference->run(t->reference, t->program, &options, t->arena);
        t->shadow_runs++;
    }
    return t->shadow;
}

Match comparison_match(const Comparison *t, const Values *a, const Values *b, const Values *shadow,
                       bool is_gradient, int64_t *first) {
    switch (t->rule) {
    case RULE_SHADOW:
        return compare_bounded(a, b, shadow, first);
    case RULE_EXTERNAL:
        return compare_tolerant(a, b, first) ? MATCH_SAME : compare_bounded(a, b, shadow, first);
    case RULE_TOLERANT_SINGLE:
        return compare_tolerant_in(DT_float32, a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_TOLERANT:
        return compare_tolerant(a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED:
        return compare_recorded(a, b, false, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED_ZERO_SIGN:
        return compare_recorded(a, b, !is_gradient, first) ? MATCH_SAME : MATCH_DIFFERENT;
    }
    return MATCH_DIFFERENT;
}
