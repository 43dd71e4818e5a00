/* What the oracles share: which calls, returns and inputs are compared, and by which rule. */
#include "harness/oracles/oracle.h"

#include <string.h>

/* May `other` be the place of the error that is reported at `at`? A graph break raises nothing: a
 * tracer that fails behind one is in a frame of its own, which the program does not know, and the
 * last line that it does know is the break's. */
static bool may_be_behind(const Comparison *cmp, int at, int other) {
    return cmp->lenient && at >= 0 && at < cmp->program->nstmts &&
           program_stmt(cmp->program, at)->kind == STMT_GRAPH_BREAK &&
           (other > at || other == AT_RETURN);
}

/* Do both calls end alike: success, or the same error code at the same statement (AT_UNKNOWN
 * matches any)? */
static bool status_same(const Comparison *cmp, int k) {
    const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
    if (a->ok || b->ok) {
        return a->ok == b->ok;
    }
    bool same_location = a->error_at == b->error_at || a->error_at == AT_UNKNOWN ||
                         b->error_at == AT_UNKNOWN ||
                         may_be_behind(cmp, a->error_at, b->error_at) ||
                         may_be_behind(cmp, b->error_at, a->error_at);
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
    while (cmp->ncalls < n && !cmp->after_error && status_same(cmp, cmp->ncalls)) {
        cmp->ncalls++;
        cmp->after_error = cmp->lenient && keeps_after_error(cmp, cmp->ncalls);
    }
}

int comparison_returns(const CallResult *a, const CallResult *b) {
    return a->nreturns < b->nreturns ? a->nreturns : b->nreturns;
}

/* Had the function finished? A tracer's error has no place, or one in the function. */
static bool function_finished(const Comparison *cmp, const CallResult *c) {
    return c->ok || c->error_at == AT_BACKWARD ||
           (c->error_at >= 0 && program_is_after(cmp->program, c->error_at));
}

int comparison_inputs(const Comparison *cmp, const CallResult *a, const CallResult *b) {
    bool finished = function_finished(cmp, a) && function_finished(cmp, b);
    return cmp->lenient && !finished ? 0 : a->ninputs < b->ninputs ? a->ninputs : b->ninputs;
}

int comparison_args(const Comparison *cmp, const CallResult *a, const CallResult *b) {
    int n = a->nargs < b->nargs ? a->nargs : b->nargs, same = 0;
    while (same < n && a->args[same].name == b->args[same].name) {
        same++;
    }
    return cmp->lenient && !(function_finished(cmp, a) && function_finished(cmp, b)) ? 0 : same;
}

Comparison comparison_without_shadow(const Comparison *cmp) {
    Comparison without = *cmp;
    if (cmp->rule == RULE_SHADOW || cmp->rule == RULE_EXTERNAL) {
        without.rule = RULE_COARSE;
    }
    return without;
}

/* False for strides that reach further than the memory of a run: of a target that is broken. */
static bool return_overlaps_itself(const ReturnRecord *r) {
    Tensor t = {.ndim = r->values.ndim};
    int64_t extent;
    memcpy(t.size, r->values.size, sizeof t.size);
    memcpy(t.stride, r->stride, sizeof t.stride);
    return r->has_stride && tensor_extent(&t, &extent) && extent <= LIMITS_DEFAULT.max_elements &&
           tensor_overlaps_itself(&t);
}

bool comparison_wrote_alike(const Comparison *cmp, const CallResult *a, const CallResult *b) {
    bool alike = true;
    for (int i = 0; cmp->lenient && i < comparison_returns(a, b); i++) {
        alike &= return_overlaps_itself(&a->returns[i]) == return_overlaps_itself(&b->returns[i]);
    }
    return alike;
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

/* Could the reference not run the program, so that there is no shadow? Then nothing tells whether
 * rounding decides an integer or a bool, if the program has floats. */
static bool rounding_is_unknown(const Comparison *cmp) {
    const Result *s = cmp->shadow;
    const CallResult *last = s && s->ncalls > 0 ? &s->calls[s->ncalls - 1] : NULL;
    bool floats = false;
    for (int i = 0; last && i < cmp->program->ninputs; i++) {
        floats |= dtype_is_float(cmp->program->inputs[i].dtype);
    }
    return floats && !last->ok && last->error == ERR_unsupported;
}

/* Integers and bools: by bits, unless rounding may decide them. */
static Match compare_discrete(const Comparison *cmp, const Values *a, const Values *b,
                              const Values *shadow, int64_t *first) {
    Match match = compare_bounded(a, b, shadow, first);
    return match == MATCH_DIFFERENT && rounding_is_unknown(cmp) ? MATCH_INCONCLUSIVE : match;
}

static Match compare_external(const Comparison *cmp, const Values *a, const Values *b,
                              const Values *shadow, int64_t *first) {
    if (compare_tolerant(a, b, first)) {
        return MATCH_SAME;
    }
    if (!dtype_is_float(a->dtype)) {
        return compare_discrete(cmp, a, b, shadow, first);
    }
    Match match = compare_intolerable(a, b, shadow, first);
    return match != MATCH_INCONCLUSIVE || cmp->base == BASE_NONE ? match
           : cmp->base == BASE_A ? compare_baseline(a, b, shadow, first)
                                 : compare_baseline(b, a, shadow, first);
}

Match comparison_match(const Comparison *cmp, const Values *a, const Values *b,
                       const Values *shadow, bool is_gradient, int64_t *first) {
    bool whole = !shadow || !cmp->program || program_contexts_keep_values(cmp->program);
    if (!whole && (is_gradient || (cmp->rule == RULE_COARSE && dtype_is_float(a->dtype)))) {
        shadow = NULL; /* it has run the blocks without their contexts */
    }
    switch (cmp->rule) {
    case RULE_SHADOW:
        return compare_bounded(a, b, shadow, first);
    case RULE_EXTERNAL:
        return compare_external(cmp, a, b, shadow, first);
    case RULE_TOLERANT_SINGLE:
        return compare_tolerant_in(DT_float32, a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_COARSE:
        return dtype_is_float(a->dtype) ? compare_coarse(b, a, shadow, first)
                                        : compare_discrete(cmp, a, b, shadow, first);
    case RULE_TOLERANT:
        return compare_tolerant(a, b, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED:
        return compare_recorded(a, b, false, first) ? MATCH_SAME : MATCH_DIFFERENT;
    case RULE_RECORDED_ZERO_SIGN:
        return compare_recorded(a, b, !is_gradient, first) ? MATCH_SAME : MATCH_DIFFERENT;
    }
    return MATCH_DIFFERENT;
}
