/* gradients: None, zeros and values are three different results; zeros of which some are NaN (zero
 * times an infinite derivative) are a fourth. After a backward that raises, gradients are not
 * compared: which of them were accumulated before the error is unspecified. */
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
    }
    return verdict;
}
