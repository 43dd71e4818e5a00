/* An Emit that executes: inference, then the kernel (or the view's geometry), nothing else; no
 * autograd, no shadow. For tests of derivative rules and decompositions. */
#ifndef TESTS_EXEC_EMIT_H
#define TESTS_EXEC_EMIT_H

#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <stdlib.h>
#include <string.h>

typedef struct ExecEmit {
    Emit emit;           /* first member */
    int calls;           /* ops applied */
    OpId last;           /* the last of them */
    int count[OP_COUNT]; /* by op */
} ExecEmit;

static inline ErrCode exec_infer(Emit *e, const Call *call, Infer *r) {
    *r = (Infer){.arena = e->arena, .err = e->err};
    TRY(call->op->infer(call, r));
    CHECK(r->n <= MAX_OUTPUTS);
    return ERR_none;
}

static inline ErrCode exec_compute(Emit *e, const Call *call, Tensor **out, int *nout) {
    Infer r;
    e->randoms = 0; /* a function is called again and again: with the same random numbers */
    TRY(exec_infer(e, call, &r));
    for (int i = 0; i < r.n; i++) {
        out[i] = &r.out[i];
        if (call->op->id == OP_nonzero) {
            int64_t n = kernel_count_nonzero(call->arg[0].tensor);
            tensor_set_contiguous(out[i], DT_int64, (int64_t[]){n, call->arg[0].tensor->ndim}, 2);
            out[i]->stride[0] = 1;
            out[i]->stride[1] = n > 1 ? n : 1;
        }
        TRY(tensor_allocate(out[i], e->arena, NULL, e->err));
    }
    KernelCtx k = {.arena = e->arena, .err = e->err};
    TRY(call->op->kernel(call, out, &k));
    *nout = r.n;
    return ERR_none;
}

static inline ErrCode exec_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    ExecEmit *x = (ExecEmit *)e;
    x->calls++;
    x->last = call->op->id;
    x->count[call->op->id]++;
    Tensor *self = call->op->nparam > 0 ? call->arg[0].tensor : NULL;
    *nout = 0;
    switch (call->op->kind) {
    case KIND_VIEW:
    case KIND_MULTI_VIEW: {
        Infer r;
        TRY(exec_infer(e, call, &r));
        for (int i = 0; i < r.n; i++) {
            out[i] = &r.out[i];
            out[i]->storage = self->storage;
        }
        *nout = r.n;
        return ERR_none;
    }
    case KIND_INPLACE: {
        Call twin = *call;
        twin.op = op_info(call->op->twin);
        Tensor *value[MAX_OUTPUTS];
        int n;
        TRY(exec_compute(e, &twin, value, &n));
        if (!tensor_same_size(value[0], self)) {
            return error_set(e->err, ERR_shape, "in place: another size");
        }
        if (!dtype_can_cast(value[0]->dtype, self->dtype)) {
            return error_set(e->err, ERR_dtype, "in place: another dtype");
        }
        tensor_copy_data(self, value[0], NULL);
        self->storage->version++;
        out[0] = self;
        *nout = 1;
        return ERR_none;
    }
    case KIND_INPLACE_VIEW: {
        Call twin = *call;
        twin.op = op_info(call->op->twin);
        Infer r;
        TRY(exec_infer(e, &twin, &r));
        Storage *storage = self->storage;
        *self = r.out[0];
        self->storage = storage;
        out[0] = self;
        *nout = 1;
        return ERR_none;
    }
    case KIND_META:
        out[0] =
            call->op->id == OP_detach ? arena_copy(e->arena, self, (int64_t)sizeof *self) : self;
        *nout = 1;
        return ERR_none;
    default:
        return exec_compute(e, call, out, nout);
    }
}

static inline ErrCode exec_count_nonzero(Emit *e, const Tensor *mask, int64_t *count) {
    (void)e;
    *count = kernel_count_nonzero(mask);
    return ERR_none;
}

static inline ErrCode exec_item_int(Emit *e, const Tensor *t, int64_t *value) {
    (void)e;
    *value = tensor_item_int(t);
    return ERR_none;
}

static inline ExecEmit exec_emit(Arena *arena, Error *err) {
    return (ExecEmit){.emit = {.arena = arena,
                               .err = err,
                               .apply = exec_apply,
                               .count_nonzero = exec_count_nonzero,
                               .item_int = exec_item_int},
                      .last = OP_NONE};
}

/* Reads "2,-3,4" from *at on, as far as it goes; the count. */
static inline int read_ints(const char **at, int64_t *v, int max) {
    int n = 0;
    while (**at == '-' || (**at >= '0' && **at <= '9')) {
        char *end;
        CHECK(n < max);
        v[n++] = strtol(*at, &end, 10);
        *at = *end == ',' ? end + 1 : end;
    }
    return n;
}

#endif
