/* calls: both executors answer every call, and a call that repeats an earlier one exactly (inputs,
 * values, grad mode) reuses the code compiled then, if that is among the latest that the cache
 * keeps. Reuse of the wrong code shows in the other oracles. */
#include "harness/oracles/oracle.h"

#include <stdio.h>
#include <string.h>

static bool same_data(const InputData *a, const InputData *b, DType dtype) {
    if (a->given != b->given || a->is_fill != b->is_fill) {
        return false;
    }
    if (!a->given) {
        return true;
    }
    if (a->is_fill) {
        return a->fill == b->fill && a->seed == b->seed;
    }
    return a->numel == b->numel &&
           (a->numel == 0 ||
            memcmp(a->data, b->data, (size_t)a->numel * (size_t)dtype_bytes(dtype)) == 0);
}

static bool same_input(const Input *a, const Input *b) {
    return a->name == b->name && a->dtype == b->dtype &&
           sizes_equal(a->size, a->ndim, b->size, b->ndim) &&
           sizes_equal(a->stride, a->ndim, b->stride, b->ndim) && a->offset == b->offset &&
           a->storage == b->storage && a->requires_grad == b->requires_grad &&
           same_data(&a->data, &b->data, a->dtype);
}

static bool same_call(const Program *p, int j, int k) {
    int nj, nk;
    bool grad_j, grad_k;
    const Input *in_j = program_call_inputs(p, j, &nj, &grad_j),
                *in_k = program_call_inputs(p, k, &nk, &grad_k);
    if (nj != nk || grad_j != grad_k || program_is_random(p)) { /* each call has its own numbers */
        return false;
    }
    for (int i = 0; i < nj; i++) {
        if (!same_input(&in_j[i], &in_k[i])) {
            return false;
        }
    }
    return true;
}

Verdict oracle_calls(Comparison *cmp, Finding *out) {
    if (cmp->a->ncalls != cmp->b->ncalls) {
        finding_start(out, ORACLE_calls, "count", cmp->ncalls, SUBJECT_CALL, -1, AT_UNKNOWN);
        snprintf(out->a, sizeof out->a, "%d calls", cmp->a->ncalls);
        snprintf(out->b, sizeof out->b, "%d calls", cmp->b->ncalls);
        return FINDING;
    }
    const Program *p = cmp->program;
    for (int k = 1; k < cmp->ncalls && k <= p->nrecalls; k++) {
        const CallResult *a = &cmp->a->calls[k], *b = &cmp->b->calls[k];
        if ((!a->compiled && !b->compiled) || !a->ok || p->recalls[k - 1].keep) {
            continue;
        }
        for (int j = k > CODE_CACHE_LIMIT ? k - CODE_CACHE_LIMIT : 0; j < k; j++) {
            if (cmp->a->calls[j].ok && !(j > 0 && p->recalls[j - 1].keep) && same_call(p, j, k)) {
                finding_start(out, ORACLE_calls, "recompile", k, SUBJECT_CALL, -1, AT_UNKNOWN);
                const char *again = "compiled again, though an earlier call is the same",
                           *not_again = "not compiled again";
                snprintf(out->a, sizeof out->a, "%s (call %d)", a->compiled ? again : not_again, j);
                snprintf(out->b, sizeof out->b, "%s (call %d)", b->compiled ? again : not_again, j);
                return FINDING;
            }
        }
    }
    return AGREE;
}
