/* What oracles share: which calls and returns can be compared, and by which rule numbers are. */
#include "harness/check/check.h"

bool status_same(const CallResult *a, const CallResult *b) {
    if (a->ok || b->ok) {
        return a->ok == b->ok;
    }
    bool same_place = a->error_at == b->error_at || a->error_at == AT_UNKNOWN || b->error_at == AT_UNKNOWN;
    return same_place && a->error == b->error && a->error != ERR_internal;
}

void trial_count_calls(Trial *t) {
    int n = t->a->ncalls < t->b->ncalls ? t->a->ncalls : t->b->ncalls;
    t->ncalls = 0;
    while (t->ncalls < n && status_same(&t->a->calls[t->ncalls], &t->b->calls[t->ncalls])) {
        t->ncalls++;
    }
}

int trial_returns(const CallResult *a, const CallResult *b) { return a->nreturns < b->nreturns ? a->nreturns : b->nreturns; }

int trial_inputs(const Trial *t, const CallResult *a, const CallResult *b) {
    return t->lenient && !a->ok ? 0 : a->ninputs < b->ninputs ? a->ninputs : b->ninputs;
}

const Result *trial_shadow(Trial *t) {
    if (!t->shadow && t->checker && (t->rule == RULE_SHADOW || t->rule == RULE_EXTERNAL)) {
        Checker *c = t->checker;
        RunOptions options = {.shadow = true, .accidents = c->run.accidents, .limits = c->run.limits};
        t->shadow = c->reference.run(&c->reference, t->program, &options, t->arena);
        c->shadow_runs++;
    }
    return t->shadow;
}

Match trial_match(const Trial *t, const Values *a, const Values *b, const Values *shadow, bool is_gradient, int64_t *first) {
    switch (t->rule) {
    case RULE_SHADOW: return compare_bounded(a, b, shadow, first);
    case RULE_EXTERNAL: return compare_tolerant(a, b, first) ? MATCH_SAME : compare_bounded(a, b, shadow, first);
    case RULE_TOLERANT_SINGLE: return compare_tolerant_in(DT_float32, a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_TOLERANT: return compare_tolerant(a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED: return compare_recorded(a, b, false, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED_ZERO_SIGN: return compare_recorded(a, b, !is_gradient, first) ? MATCH_SAME : MATCH_DIFFERENT;
    }
    return MATCH_DIFFERENT;
}
