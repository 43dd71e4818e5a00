/* The map of features, and the errors of a run as features. */
#include "compiled/core/feature.h"

#include "program/lang/program.h"
#include "program/lang/result.h"

void features_clear(Features *f) {
    for (int i = 0; i < f->n; i++) {
        f->counter[f->touched[i]] = 0;
    }
    f->n = 0;
}

void feature_add(Features *f, unsigned feature) {
    uint8_t *count = &f->counter[feature];
    if (*count == 0) {
        if (f->n == MAX_TOUCHED) {
            return;
        }
        f->touched[f->n++] = (uint16_t)feature;
    }
    *count = 1;
}

unsigned feature_hash(uint64_t value, unsigned part) {
    value += (value >> 32) * 0xC2B2AE35u; /* the multiplication below moves the upper half out */
    return (unsigned)((value * UINT64_C(0x9E3779B97F4A7C15) >> 32) % part);
}

void feature_errors(Features *f, const Program *p, const Result *r) {
    for (int k = 0; f && k < r->ncalls; k++) {
        const CallResult *call = &r->calls[k];
        if (!call->ok) {
            const Stmt *s = call->error_at >= 0 ? program_stmt(p, call->error_at) : NULL;
            unsigned at =
                s ? (s->kind == STMT_OP ? (unsigned)s->op->id : OP_COUNT + (unsigned)s->kind)
                  : 2 * OP_COUNT + (unsigned)-call->error_at;
            feature_add(f,
                        FEATURES - ERROR_FEATURES +
                            feature_hash(at * ERR_COUNT + (unsigned)call->error, ERROR_FEATURES));
        }
    }
}
