/* alias: returns share storage with the same inputs and earlier returns. The reported aliasing is
 * compared first, then the result of the write-through check (format.md, "poke"): a write to each
 * return shows aliasing that no executor reports. */
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

static void oracle_alias_describe(char *out, size_t size, const ReturnRecord *r,
                                  const CallResult *c, const Program *p) {
    if (r->alias == ALIAS_INPUT) {
        snprintf(out, size, "input:%s",
                 r->alias_index < c->ninputs ? p->names[c->inputs[r->alias_index].name] : "?");
    } else if (r->alias == ALIAS_RETURN) {
        snprintf(out, size, "return:%d", r->alias_index);
    } else {
        snprintf(out, size, "a storage of its own");
    }
}

static Verdict compare_after_writes(Finding *out, const void *x, const Values *a, const void *y,
                                    const Values *b, int call, Subject subject, int i) {
    int64_t first;
    if (!x || !y || !a->data || !b->data || !values_same_shape(a, b) ||
        compare_write_through(x, a, y, b, &first)) {
        return AGREE;
    }
    finding_start(out, ORACLE_alias, "poke", call, subject, i, AT_UNKNOWN);
    out->element = first;
    char text[80];
    element_text(text, sizeof text, x, a->dtype, first);
    snprintf(out->a, sizeof out->a, "%s after return[k].fill_(k + 1)", text);
    element_text(text, sizeof text, y, b->dtype, first);
    snprintf(out->b, sizeof out->b, "%s after return[k].fill_(k + 1)", text);
    return FINDING;
}

Verdict oracle_alias(Comparison *cmp, Finding *out) {
    for (int k = 0; k < cmp->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        int n = comparison_returns(a, b);
        for (int i = 0; i < n; i++) {
            const ReturnRecord *x = &a->returns[i], *y = &b->returns[i];
            if (x->has_alias && y->has_alias &&
                (x->alias != y->alias ||
                 (x->alias != ALIAS_NONE && x->alias_index != y->alias_index))) {
                finding_start(out, ORACLE_alias, "storage", k, SUBJECT_RETURN, i, AT_UNKNOWN);
                oracle_alias_describe(out->a, sizeof out->a, x, a, cmp->program);
                oracle_alias_describe(out->b, sizeof out->b, y, b, cmp->program);
                return FINDING;
            }
        }
        if (!comparison_wrote_alike(cmp, a, b)) {
            continue;
        }
        for (int i = 0; i < n; i++) {
            const ReturnRecord *x = &a->returns[i], *y = &b->returns[i];
            if (compare_after_writes(out, x->poked, &x->values, y->poked, &y->values, k,
                                     SUBJECT_RETURN, i) == FINDING) {
                return FINDING;
            }
        }
        for (int i = 0; i < comparison_inputs(cmp, a, b); i++) {
            const InputRecord *x = &a->inputs[i], *y = &b->inputs[i];
            if (!x->unsettled && !y->unsettled &&
                compare_after_writes(out, x->poked, &x->data, y->poked, &y->data, k, SUBJECT_INPUT,
                                     i) == FINDING) {
                return FINDING;
            }
        }
    }
    return AGREE;
}
