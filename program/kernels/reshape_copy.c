/* _reshape_copy: a new row-major tensor of another size with self's elements in logical order. This
 * is the copying case of reshape, and what PyTorch's _unsafe_view does after a matrix product: in
 * both cases the result is not a view. */
#include "program/ops/functions.h"

ErrCode infer_reshape_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *size = &call->arg[1];
    int64_t numel;
    if (size->ints.n > MAX_DIMS) {
        return error_set(r->err, ERR_limit, "more than %d dims", MAX_DIMS);
    }
    if (!sizes_numel(size->ints.v, size->ints.n, &numel) || numel != tensor_numel(self)) {
        return error_set(r->err, ERR_shape, "the size is invalid for input of size %lld",
                         (long long)tensor_numel(self));
    }
    r->out = arena_new(r->arena, Tensor);
    r->n = 1;
    tensor_set_contiguous(r->out, self->dtype, size->ints.v, size->ints.n);
    return ERR_none;
}

ErrCode kernel_reshape_copy(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *self = call->arg[0].tensor;
    CHECK(out[0]->offset == 0);
    tensor_gather(self, out[0]->storage->data);
    return ERR_none;
}
