/* state: what a call leaves changed of the modes that every later op of the thread runs under. A
 * compiler enters contexts while it traces, and must leave them, also where the trace ends in an
 * error. Only targets record it. */
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

static bool has_changed(const CallResult *call, const char *name) {
    bool found = false;
    for (int i = 0; i < call->nchanged_state; i++) {
        found |= strcmp(call->changed_state[i], name) == 0;
    }
    return found;
}

/* A name that is in the list of one call only; NULL: there is none. */
static const char *changed_by_one(const CallResult *one, const CallResult *other) {
    const char *name = NULL;
    for (int i = 0; i < one->nchanged_state && !name; i++) {
        name = has_changed(other, one->changed_state[i]) ? NULL : one->changed_state[i];
    }
    return name;
}

Verdict oracle_state(Comparison *cmp, Finding *out) {
    /* also the first call that only one side ends well */
    for (int k = 0; k <= cmp->ncalls && k < cmp->a->ncalls && k < cmp->b->ncalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        if (!a->has_changed_state || !b->has_changed_state) {
            continue;
        }
        const char *by_b = changed_by_one(b, a), *name = by_b ? by_b : changed_by_one(a, b);
        if (name) {
            static const char *const texts[] = {"as it was before the call", "left changed"};
            finding_start(out, ORACLE_state, name, k, SUBJECT_CALL, -1, AT_UNKNOWN);
            snprintf(out->a, sizeof out->a, "%s", texts[!by_b]);
            snprintf(out->b, sizeof out->b, "%s", texts[by_b != NULL]);
            return FINDING;
        }
    }
    return AGREE;
}
