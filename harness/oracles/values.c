/* values: returns and input storages hold the same elements. Equal bits are the common case. Only a
 * mismatch of floats runs the float64 shadow, which tells whether rounding explains the difference,
 * or whether a discrete choice within the rounding error makes it inconclusive. */
#include "harness/oracles/oracle.h"

/* Compares one pair of buffers; `shadow` is NULL if the shadow run has no counterpart. */
static Verdict compare_values(Comparison *cmp, Finding *out, const Values *a, const Values *b,
                              const Values *shadow, const char *kind, int call, Subject subject,
                              int index) {
    int64_t first = 0;
    Match match = comparison_match(cmp, a, b, shadow, false, &first);
    if (match == MATCH_SAME) {
        return AGREE;
    }
    if (match == MATCH_INCONCLUSIVE) {
        cmp->skip = SKIP_INCONCLUSIVE;
        return SKIP;
    }
    bool zero_sign = dtype_is_float(a->dtype) && element_double(a->data, a->dtype, first) == 0 &&
                     element_double(b->data, a->dtype, first) == 0;
    finding_start(out, ORACLE_values, zero_sign ? "zero_sign" : kind, call, subject, index,
                  AT_UNKNOWN);
    out->element = first;
    element_text(out->a, sizeof out->a, a->data, a->dtype, first);
    element_text(out->b, sizeof out->b, b->data, b->dtype, first);
    return FINDING;
}

static bool comparable(const Values *a, const Values *b) {
    return a->data && b->data && values_same_shape(a, b);
}

Verdict oracle_values(Comparison *cmp, Finding *out) {
    Verdict verdict = AGREE;
    for (int k = 0; k < cmp->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        int64_t first;
        for (int i = 0; i < comparison_returns(a, b); i++) {
            const Values *x = &a->returns[i].values, *y = &b->returns[i].values;
            if (comparable(x, y) && !compare_bits(x, y, &first)) {
                const Result *s = comparison_shadow(cmp);
                const Values *shadow = s && k < s->ncalls && i < s->calls[k].nreturns
                                           ? &s->calls[k].returns[i].values
                                           : NULL;
                Verdict v = compare_values(cmp, out, x, y, shadow, "data", k, SUBJECT_RETURN, i);
                if (v == FINDING) {
                    return v;
                }
                verdict = v == SKIP ? SKIP : verdict;
            }
        }
        for (int i = 0; i < comparison_inputs(cmp, a, b); i++) {
            const InputRecord *x = &a->inputs[i], *y = &b->inputs[i];
            if (x->unsettled || y->unsettled || !comparable(&x->data, &y->data) ||
                compare_bits(&x->data, &y->data, &first)) {
                continue;
            }
            const Result *s = comparison_shadow(cmp);
            const Values *shadow =
                s && k < s->ncalls && i < s->calls[k].ninputs ? &s->calls[k].inputs[i].data : NULL;
            Verdict v =
                compare_values(cmp, out, &x->data, &y->data, shadow, "input", k, SUBJECT_INPUT, i);
            if (v == FINDING) {
                return v;
            }
            verdict = v == SKIP ? SKIP : verdict;
        }
    }
    return verdict;
}
