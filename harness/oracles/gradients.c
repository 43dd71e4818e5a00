/* gradients: None, zeros and values are three different results, and no gradient lies in memory in
 * which eager mode has none; zeros of which some are NaN (zero times an infinite derivative) are a
 * fourth. After a backward that raises, gradients are not compared: which of them were accumulated
 * before the error is unspecified. */
#include "harness/oracles/oracle.h"

#include <stdio.h>

static const char *state_of(GradState state, const Values *v) {
    if (state == GRAD_NULL) {
        return "none";
    }
    return values_all_zero(v, false) ? "zeros" : values_all_zero(v, true) ? "nan" : "value";
}

static Verdict compare_gradient(Comparison *cmp, Finding *out, GradState xs, const Values *x,
                                GradState ys, const Values *y, const Values *shadow, int call,
                                Subject subject, int index) {
    char kind[40];
    if (xs != ys) {
        snprintf(kind, sizeof kind, "%s_vs_%s", state_of(xs, x), state_of(ys, y));
        finding_start(out, ORACLE_gradients, kind, call, subject, index, AT_BACKWARD);
        snprintf(out->a, sizeof out->a, "%s", state_of(xs, x));
        snprintf(out->b, sizeof out->b, "%s", state_of(ys, y));
        return FINDING;
    }
    if (!values_same_shape(x, y)) {
        finding_start(out, ORACLE_gradients, x->dtype != y->dtype ? "dtype" : "size", call, subject,
                      index, AT_BACKWARD);
        char size[120];
        ints_text(size, sizeof size, x->size, x->ndim);
        snprintf(out->a, sizeof out->a, "%s %s", dtype_name(x->dtype), size);
        ints_text(size, sizeof size, y->size, y->ndim);
        snprintf(out->b, sizeof out->b, "%s %s", dtype_name(y->dtype), size);
        return FINDING;
    }
    int64_t first = 0;
    Match match = comparison_match(cmp, x, y, shadow, true, &first);
    if (match == MATCH_SAME) {
        return AGREE;
    }
    if (match == MATCH_INCONCLUSIVE) {
        cmp->skip = SKIP_INCONCLUSIVE;
        return SKIP;
    }
    bool zero_x = values_all_zero(x, false), zero_y = values_all_zero(y, false);
    snprintf(kind, sizeof kind, "%s_vs_%s", state_of(xs, x), state_of(ys, y));
    finding_start(out, ORACLE_gradients,
                  zero_x && zero_y   ? "zero_sign"
                  : zero_x || zero_y ? kind
                                     : "data",
                  call, subject, index, AT_BACKWARD);
    out->element = first;
    element_text(out->a, sizeof out->a, x->data, x->dtype, first);
    element_text(out->b, sizeof out->b, y->data, y->dtype, first);
    return FINDING;
}

/* Where a write to the gradient would be seen, and whether it requires grad itself. Eager mode
 * shares the memory of gradients where it can (AccumulateGrad keeps what it gets); that a compiler
 * does not is harmless. */
static Verdict compare_grad_facts(const Comparison *cmp, Finding *out, const GradFacts *x,
                                  const GradFacts *y, int call, Subject subject, int index) {
    if (x->has_requires_grad && y->has_requires_grad && x->requires_grad != y->requires_grad) {
        finding_start(out, ORACLE_gradients, "grad_requires_grad", call, subject, index,
                      AT_BACKWARD);
        snprintf(out->a, sizeof out->a, "requires_grad %s", x->requires_grad ? "true" : "false");
        snprintf(out->b, sizeof out->b, "requires_grad %s", y->requires_grad ? "true" : "false");
        return FINDING;
    }
    bool x_more = x->alias && !y->alias && (cmp->base == BASE_B || !cmp->lenient),
         y_more = y->alias && !x->alias && (cmp->base == BASE_A || !cmp->lenient);
    if (x->has_alias && y->has_alias && (x_more || y_more)) {
        static const char own[] = "memory of its own";
        finding_start(out, ORACLE_gradients, "grad_alias", call, subject, index, AT_BACKWARD);
        snprintf(out->a, sizeof out->a, "%s%s", x->alias ? "the memory of " : own,
                 x->alias ? x->alias : "");
        snprintf(out->b, sizeof out->b, "%s%s", y->alias ? "the memory of " : own,
                 y->alias ? y->alias : "");
        return FINDING;
    }
    return AGREE;
}

/* The facts of gradients that both sides have. */
static Verdict compare_all_facts(const Comparison *cmp, int k, Finding *out) {
    const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
    Verdict verdict = AGREE;
    int n = a->input_grads && b->input_grads ? comparison_inputs(cmp, a, b) : 0;
    for (int i = 0; i < n && verdict == AGREE; i++) {
        verdict = compare_grad_facts(cmp, out, &a->input_grads[i], &b->input_grads[i], k,
                                     SUBJECT_INPUT, i);
    }
    n = a->arg_grads && b->arg_grads ? comparison_args(cmp, a, b) : 0;
    for (int i = 0; i < n && verdict == AGREE; i++) {
        verdict =
            compare_grad_facts(cmp, out, &a->arg_grads[i], &b->arg_grads[i], k, SUBJECT_ARG, i);
    }
    n = a->return_grads && b->return_grads ? comparison_returns(a, b) : 0;
    for (int i = 0; i < n && verdict == AGREE; i++) {
        verdict = compare_grad_facts(cmp, out, &a->return_grads[i], &b->return_grads[i], k,
                                     SUBJECT_RETURN, i);
    }
    return verdict;
}

/* The common case: absent on one side, None on both, or equal bits. */
static bool oracle_gradients_same(GradState xs, const Values *x, GradState ys, const Values *y) {
    int64_t first;
    if (xs == GRAD_ABSENT || ys == GRAD_ABSENT) {
        return true;
    }
    return xs == ys && (xs == GRAD_NULL || !x->data || !y->data ||
                        (values_same_shape(x, y) && compare_bits(x, y, &first)));
}

Verdict oracle_gradients(Comparison *cmp, Finding *out) {
    Verdict verdict = AGREE;
    for (int k = 0; k < cmp->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        if (!a->ok) {
            continue;
        }
        for (int i = 0; i < comparison_inputs(cmp, a, b); i++) {
            const InputRecord *x = &a->inputs[i], *y = &b->inputs[i];
            if (oracle_gradients_same(x->grad_state, &x->grad, y->grad_state, &y->grad)) {
                continue;
            }
            const Result *s = comparison_shadow(cmp);
            bool has = s && k < s->ncalls && i < s->calls[k].ninputs &&
                       s->calls[k].inputs[i].grad_state == GRAD_VALUE;
            Verdict v =
                compare_gradient(cmp, out, x->grad_state, &x->grad, y->grad_state, &y->grad,
                                 has ? &s->calls[k].inputs[i].grad : NULL, k, SUBJECT_INPUT, i);
            if (v == FINDING) {
                return v;
            }
            verdict = v == SKIP ? SKIP : verdict;
        }
        Comparison without = comparison_without_shadow(cmp);
        for (int i = 0; i < comparison_args(cmp, a, b); i++) {
            const InputRecord *x = &a->args[i], *y = &b->args[i];
            if (oracle_gradients_same(x->grad_state, &x->grad, y->grad_state, &y->grad)) {
                continue;
            }
            Verdict v = compare_gradient(&without, out, x->grad_state, &x->grad, y->grad_state,
                                         &y->grad, NULL, k, SUBJECT_ARG, i);
            if (v == FINDING) {
                return v;
            }
            cmp->skip = v == SKIP ? without.skip : cmp->skip;
            verdict = v == SKIP ? SKIP : verdict;
        }
        for (int i = 0; i < comparison_returns(a, b); i++) {
            const ReturnRecord *x = &a->returns[i], *y = &b->returns[i];
            if (oracle_gradients_same(x->grad_state, &x->grad, y->grad_state, &y->grad)) {
                continue;
            }
            const Result *s = comparison_shadow(cmp);
            bool has = s && k < s->ncalls && i < s->calls[k].nreturns &&
                       s->calls[k].returns[i].grad_state == GRAD_VALUE;
            Verdict v =
                compare_gradient(cmp, out, x->grad_state, &x->grad, y->grad_state, &y->grad,
                                 has ? &s->calls[k].returns[i].grad : NULL, k, SUBJECT_RETURN, i);
            if (v == FINDING) {
                return v;
            }
            verdict = v == SKIP ? SKIP : verdict;
        }
        if (compare_all_facts(cmp, k, out) == FINDING) {
            return FINDING;
        }
    }
    return verdict;
}
