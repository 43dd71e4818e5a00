/* MetaEmit: the outputs of an op are the result of inference. Views have no storage, an in-place op
 * returns self after checking that the result of its twin fits, and the caller supplies what
 * depends on data. */
#include "program/ops/meta.h"

static ErrCode meta_infer(Emit *e, const Call *call, Tensor **out, int *nout) {
    Infer r = {.arena = e->arena, .err = e->err};
    TRY(call->op->infer(call, &r));
    CHECK(r.n <= MAX_OUTPUTS);
    for (int i = 0; i < r.n; i++) {
        out[i] = &r.out[i];
    }
    *nout = r.n;
    return ERR_none;
}

/* The twin's value must have self's size and a dtype that self can take. */
static ErrCode meta_inplace(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    Tensor *value[MAX_OUTPUTS];
    int n;
    TRY(meta_infer(e, &twin, value, &n));
    if (!tensor_same_size(value[0], self)) {
        return error_set(e->err, ERR_shape, "the result of %s does not have self's size",
                         call->op->name);
    }
    if (!dtype_can_cast(value[0]->dtype, self->dtype)) {
        return error_set(e->err, ERR_dtype, "result type %s can't be cast to %s",
                         dtype_name(value[0]->dtype), dtype_name(self->dtype));
    }
    out[0] = self;
    *nout = 1;
    return ERR_none;
}

/* Answers self as it will be: what self is now is for the caller to change. */
static ErrCode meta_inplace_view(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    return meta_infer(e, &twin, out, nout);
}

static ErrCode meta_nonzero(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Tensor *mask = call->arg[0].tensor;
    int64_t count;
    TRY(e->count_nonzero(e, mask, &count));
    Tensor *t = arena_new(e->arena, Tensor);
    tensor_set_contiguous(t, DT_int64, (int64_t[]){count, mask->ndim}, 2);
    t->stride[0] = 1; /* semantics.md 7.2 */
    t->stride[1] = max_i64(count, 1);
    out[0] = t;
    *nout = 1;
    return ERR_none;
}

static ErrCode meta_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    switch (call->op->kind) {
    case KIND_INPLACE_VIEW:
        return meta_inplace_view(e, call, out, nout);
    case KIND_INPLACE:
        return meta_inplace(e, call, out, nout);
    case KIND_META:
        out[0] = call->arg[0].tensor;
        if (call->op->id == OP_detach) {
            out[0] = arena_copy(e->arena, call->arg[0].tensor, (int64_t)sizeof(Tensor));
        }
        *nout = call->op->nreturn;
        return ERR_none;
    case KIND_STORAGE: /* self as it will be */
        return meta_infer(e, call, out, nout);
    case KIND_COMPOSITE:
        return emit_call(e, call, out, nout);
    default:
        return call->op->id == OP_nonzero ? meta_nonzero(e, call, out, nout)
                                          : meta_infer(e, call, out, nout);
    }
}

static ErrCode meta_count_nonzero(Emit *e, const Tensor *mask, int64_t *count) {
    *count = min_i64(max_i64(((MetaEmit *)e)->assumed_count, 0), tensor_numel(mask));
    return ERR_none;
}

static ErrCode meta_item_int(Emit *e, const Tensor *t, int64_t *value) {
    (void)t;
    *value = ((MetaEmit *)e)->assumed_item;
    return ERR_none;
}

MetaEmit meta_emit(Arena *arena, Error *err) {
    return (MetaEmit){.emit = {.arena = arena,
                               .err = err,
                               .apply = meta_apply,
                               .count_nonzero = meta_count_nonzero,
                               .item_int = meta_item_int}};
}
