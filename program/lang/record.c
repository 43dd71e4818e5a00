/* Records values from tensors into a result, in the same way for both executors.
 *
 * Elements are copied in logical order (returns, gradients) or storage order (inputs), with the
 * float64 shadow where the storage has one. The write-through check then writes k + 1 to return k
 * through its own view and records everything again: two results agree only if writes are visible
 * in the same tensors. */
#include "program/lang/result.h"

#include <string.h>

static void shadow_gather(const Tensor *t, const double *from, double *to) {
    const Tensor *list[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, list, 1); walk_more(&w); walk_next(&w)) {
        to[i++] = from[w.at[0]];
    }
}

void values_record(Values *out, const Tensor *t, Arena *arena) {
    out->dtype = t->dtype;
    out->ndim = t->ndim;
    memcpy(out->size, t->size, sizeof t->size[0] * (size_t)t->ndim);
    out->numel = tensor_numel(t);
    out->data = arena_alloc_raw(arena, out->numel * dtype_bytes(t->dtype));
    tensor_gather(t, out->data);
    out->value64 = out->bound = NULL;
    if (t->storage->value64 && t->storage->bound) {
        double *value64 = arena_alloc_raw(arena, out->numel * (int64_t)sizeof(double));
        double *bound = arena_alloc_raw(arena, out->numel * (int64_t)sizeof(double));
        shadow_gather(t, t->storage->value64, value64);
        shadow_gather(t, t->storage->bound, bound);
        out->value64 = value64;
        out->bound = bound;
    }
}

void values_record_storage(Values *out, const Storage *s, Arena *arena) {
    out->dtype = s->dtype;
    out->ndim = 1;
    out->size[0] = out->numel = s->numel;
    out->data = arena_copy(arena, s->data, s->numel * dtype_bytes(s->dtype));
    out->value64 = out->bound = NULL;
    if (s->value64 && s->bound) {
        out->value64 = arena_copy(arena, s->value64, s->numel * (int64_t)sizeof(double));
        out->bound = arena_copy(arena, s->bound, s->numel * (int64_t)sizeof(double));
    }
}

void poke_record(CallResult *call, Tensor *const *returns, int nreturns, Tensor *const *inputs,
                 int ninputs, Arena *arena) {
    CHECK(call->nreturns == nreturns && call->ninputs == ninputs);
    for (int k = 0; k < nreturns; k++) {
        if (!tensor_overlaps_itself(returns[k])) {
            tensor_fill(returns[k], scalar_int(k + 1));
        }
    }
    for (int k = 0; k < nreturns; k++) {
        void *data =
            arena_alloc_raw(arena, tensor_numel(returns[k]) * dtype_bytes(returns[k]->dtype));
        tensor_gather(returns[k], data);
        call->returns[k].poked = data;
    }
    for (int k = 0; k < ninputs; k++) {
        const Storage *s = inputs[k]->storage;
        call->inputs[k].poked = arena_copy(arena, s->data, s->numel * dtype_bytes(s->dtype));
    }
}

void alias_record(CallResult *call, Tensor *const *returns, int nreturns, Tensor *const *inputs,
                  int ninputs) {
    CHECK(call->nreturns == nreturns);
    for (int k = 0; k < nreturns; k++) {
        ReturnRecord *r = &call->returns[k];
        const Storage *s = returns[k]->storage;
        r->has_alias = true;
        r->alias = ALIAS_NONE;
        r->alias_index = 0;
        for (int i = 0; i < ninputs && r->alias == ALIAS_NONE && storage_whole(s)->numel > 0; i++) {
            if (storage_same(inputs[i]->storage, s)) {
                r->alias = ALIAS_INPUT;
                r->alias_index = i;
            }
        }
        for (int j = 0; j < k && r->alias == ALIAS_NONE && storage_whole(s)->numel > 0; j++) {
            if (storage_same(returns[j]->storage, s)) {
                r->alias = ALIAS_RETURN;
                r->alias_index = j;
            }
        }
    }
}

/* ---- semantics ---- */

static Semantics result_semantics(const Result *r) {
    Semantics s = r->semantics;
    s = s == SEMANTICS_NONE && r->target && strncmp(r->target, "torch ", 6) == 0
            ? semantics_nearest(r->target)
            : s;
    return s == SEMANTICS_NONE ? SEMANTICS_OLDEST : s;
}

Semantics run_semantics(const Program *p, const RunOptions *options) {
    return options->semantics != SEMANTICS_NONE ? options->semantics
           : p->semantics != SEMANTICS_NONE     ? p->semantics
           : p->expect                          ? result_semantics(p->expect)
                                                : SEMANTICS_DEFAULT;
}
