/* What the oracles share: which calls, returns and inputs are compared, and by which rule. */
#include "harness/oracles/oracle.h"

/* Do both calls end alike: success, or the same error code at the same statement (AT_UNKNOWN
 * matches any)? */
static bool status_same(const CallResult *a, const CallResult *b) {
    if (a->ok || b->ok) {
        return a->ok == b->ok;
    }
    bool same_location =
        a->error_at == b->error_at || a->error_at == AT_UNKNOWN || b->error_at == AT_UNKNOWN;
    return same_location && a->error == b->error && a->error != ERR_internal;
}

/* Does call k begin with the tensors of a call that ended in an error? */
static bool keeps_after_error(const Comparison *cmp, int k) {
    const Program *p = cmp->program;
    return k > 0 && k <= p->nrecalls && p->recalls[k - 1].keep && !cmp->a->calls[k - 1].ok;
}

void comparison_count_calls(Comparison *cmp) {
    int n = cmp->a->ncalls < cmp->b->ncalls ? cmp->a->ncalls : cmp->b->ncalls;
    cmp->ncalls = 0;
    cmp->after_error = false;
    while (cmp->ncalls < n && !cmp->after_error &&
           status_same(&cmp->a->calls[cmp->ncalls], &cmp->b->calls[cmp->ncalls])) {
        cmp->ncalls++;
        cmp->after_error = cmp->lenient && keeps_after_error(cmp, cmp->ncalls);
    }
}

int comparison_returns(const CallResult *a, const CallResult *b) {
    return a->nreturns < b->nreturns ? a->nreturns : b->nreturns;
}

int comparison_inputs(const Comparison *cmp, const CallResult *a, const CallResult *b) {
    return cmp->lenient && !a->ok ? 0 : a->ninputs < b->ninputs ? a->ninputs : b->ninputs;
}

const Result *comparison_shadow(Comparison *cmp) {
    if (!cmp->shadow && cmp->reference &&
        (cmp->rule == RULE_SHADOW || cmp->rule == RULE_EXTERNAL || cmp->rule == RULE_COARSE)) {
        RunOptions options = {.shadow = true,
                              .fused = cmp->base != BASE_NONE,
                              .detect_unspecified = cmp->run->detect_unspecified,
                              .limits = cmp->run->limits};
        cmp->shadow = cmp->reference->run(cmp->reference, cmp->program, &options, cmp->arena);
        cmp->shadow_runs++;
    }
    return cmp->shadow;
}

static Match compare_external(const Comparison *cmp, const Values *a, const Values *b,
                              const Values *shadow, int64_t *first) {
    if (compare_tolerant(a, b, first)) {
        return MATCH_SAME;
    }
    Match match = compare_bounded(a, b, shadow, first);
    return match != MATCH_INCONCLUSIVE || cmp->base == BASE_NONE ? match
           : cmp->base == BASE_A ? compare_baseline(a, b, shadow, first)
                                 : compare_baseline(b, a, shadow, first);
}

Match comparison_match(const Comparison *cmp, const Values *a, const Values *b,
                       const Values *shadow, bool is_gradient, int64_t *first) {
    switch (cmp->rule) {
    case RULE_SHADOW:
        return compare_bounded(a, b, shadow, first);
    case RULE_EXTERNAL:
        return compare_external(cmp, a, b, shadow, first);
    case RULE_TOLERANT_SINGLE:
        return compare_tolerant_in(DT_float32, a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_COARSE:
        return compare_coarse(b, a, first) ? MATCH_SAME
               : dtype_is_float(a->dtype)  ? MATCH_DIFFERENT
                                           : compare_bounded(a, b, shadow, first);
    case RULE_TOLERANT:
        return compare_tolerant(a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED:
        return compare_recorded(a, b, false, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED_ZERO_SIGN:
        return compare_recorded(a, b, !is_gradient, first) ? MATCH_SAME : MATCH_DIFFERENT;
    }
    return MATCH_DIFFERENT;
}
