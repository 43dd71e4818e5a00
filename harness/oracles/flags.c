/* flags: requires_grad and is_leaf of returns, inputs and made arguments, after the call. */
#include "harness/oracles/oracle.h"

#include <stdio.h>

static Verdict oracle_flags_fire(Finding *out, const char *kind, int call, Subject subject,
                                 int index, bool a, bool b) {
    finding_start(out, ORACLE_flags, kind, call, subject, index, AT_UNKNOWN);
    snprintf(out->a, sizeof out->a, "%s %s", kind, a ? "true" : "false");
    snprintf(out->b, sizeof out->b, "%s %s", kind, b ? "true" : "false");
    return FINDING;
}

static Verdict compare_input_flags(Finding *out, const InputRecord *xs, const InputRecord *ys,
                                   int n, int call, Subject subject) {
    for (int i = 0; i < n; i++) {
        const InputRecord *x = &xs[i], *y = &ys[i];
        if (x->has_requires_grad && y->has_requires_grad && x->requires_grad != y->requires_grad) {
            return oracle_flags_fire(out, "requires_grad", call, subject, i, x->requires_grad,
                                     y->requires_grad);
        }
        if (x->has_is_leaf && y->has_is_leaf && x->is_leaf != y->is_leaf) {
            return oracle_flags_fire(out, "is_leaf", call, subject, i, x->is_leaf, y->is_leaf);
        }
    }
    return AGREE;
}

Verdict oracle_flags(Comparison *cmp, Finding *out) {
    for (int k = 0; k < cmp->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        for (int i = 0; i < comparison_returns(a, b); i++) {
            const ReturnRecord *x = &a->returns[i], *y = &b->returns[i];
            if (x->has_requires_grad && y->has_requires_grad &&
                x->requires_grad != y->requires_grad) {
                return oracle_flags_fire(out, "requires_grad", k, SUBJECT_RETURN, i,
                                         x->requires_grad, y->requires_grad);
            }
            if (x->has_is_leaf && y->has_is_leaf && x->is_leaf != y->is_leaf) {
                return oracle_flags_fire(out, "is_leaf", k, SUBJECT_RETURN, i, x->is_leaf,
                                         y->is_leaf);
            }
        }
        if (compare_input_flags(out, a->inputs, b->inputs, comparison_inputs(cmp, a, b), k,
                                SUBJECT_INPUT) == FINDING ||
            compare_input_flags(out, a->args, b->args, comparison_args(cmp, a, b), k,
                                SUBJECT_ARG) == FINDING) {
            return FINDING;
        }
    }
    return AGREE;
}
