/* values: returns and input storages hold the same elements, and later calls change the same
 * returns. Equal bits are the common case. Only a mismatch of floats runs the float64 shadow, which
 * tells whether rounding explains the difference, or whether a discrete choice within the rounding
 * error makes it inconclusive. */
#include "harness/oracles/oracle.h"

#include <stdio.h>

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

/* Did both sides do the same behind call k? What a call wrote before its error is not compared. */
static bool later_calls_compare(const Comparison *cmp, int k) {
    bool same = cmp->ncalls == cmp->a->ncalls && cmp->ncalls == cmp->b->ncalls;
    for (int later = k; same && later < cmp->ncalls; later++) {
        const CallResult *a = &cmp->a->calls[later], *b = &cmp->b->calls[later];
        same = a->ok && b->ok && comparison_wrote_alike(cmp, a, b);
    }
    return same;
}

/* A return keeps its elements behind its call, unless it shares memory with what is written then:
 * on both sides, or on neither. */
static Verdict compare_later(const Comparison *cmp, int k, Finding *out) {
    const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
    if (!a->has_changed_later || !b->has_changed_later || !later_calls_compare(cmp, k)) {
        return AGREE;
    }
    for (int i = 0; i < comparison_returns(a, b); i++) {
        const ReturnRecord *x = &a->returns[i], *y = &b->returns[i];
        const bool shared_alike = !x->has_alias || !y->has_alias || x->alias == y->alias;
        if (x->changed_later != y->changed_later && shared_alike) { /* else: oracle_alias */
            static const char *const texts[] = {"as it was returned",
                                                "changed since it was returned"};
            finding_start(out, ORACLE_values, "later", k, SUBJECT_RETURN, i, AT_UNKNOWN);
            snprintf(out->a, sizeof out->a, "%s", texts[x->changed_later]);
            snprintf(out->b, sizeof out->b, "%s", texts[y->changed_later]);
            return FINDING;
        }
    }
    return AGREE;
}

static bool input_data_same(const InputRecord *x, const InputRecord *y) {
    int64_t first;
    return x->unsettled || y->unsettled || !comparable(&x->data, &y->data) ||
           compare_bits(&x->data, &y->data, &first);
}

static Verdict compare_input_data(Comparison *cmp, int k, Finding *out) {
    const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
    Verdict verdict = AGREE;
    for (int i = 0; i < comparison_inputs(cmp, a, b) && verdict != FINDING; i++) {
        const InputRecord *x = &a->inputs[i], *y = &b->inputs[i];
        if (input_data_same(x, y)) {
            continue;
        }
        const Result *s = comparison_shadow(cmp);
        const Values *shadow =
            s && k < s->ncalls && i < s->calls[k].ninputs ? &s->calls[k].inputs[i].data : NULL;
        Verdict v =
            compare_values(cmp, out, &x->data, &y->data, shadow, "input", k, SUBJECT_INPUT, i);
        verdict = v == AGREE ? verdict : v;
    }
    return verdict;
}

/* Of arguments that the setup made; those that share their memory with an input have no data. */
static Verdict compare_argument_data(Comparison *cmp, int k, Finding *out) {
    const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
    Comparison without = comparison_without_shadow(cmp);
    Verdict verdict = AGREE;
    for (int i = 0; i < comparison_args(cmp, a, b) && verdict != FINDING; i++) {
        const InputRecord *x = &a->args[i], *y = &b->args[i];
        if (!input_data_same(x, y)) {
            Verdict v = compare_values(&without, out, &x->data, &y->data, NULL, "argument", k,
                                       SUBJECT_ARG, i);
            verdict = v == AGREE ? verdict : v;
        }
    }
    cmp->skip = verdict == SKIP ? SKIP_INCONCLUSIVE : cmp->skip;
    return verdict;
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
        Verdict inputs = compare_input_data(cmp, k, out),
                args = inputs == FINDING ? inputs : compare_argument_data(cmp, k, out);
        if (args == FINDING) {
            return FINDING;
        }
        verdict = inputs == SKIP || args == SKIP ? SKIP : verdict;
        if (compare_later(cmp, k, out) == FINDING) {
            return FINDING;
        }
    }
    return verdict;
}
