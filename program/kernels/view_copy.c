/* Kernels that copy a view of self: the copies of views, pixel_shuffle and pixel_unshuffle. */
#include "program/kernels/kernels.h"
#include "program/ops/functions.h"

/* The elements of the view, in row-major order. */
ErrCode kernel_view_copy(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->id == OP_view_copy && tensor_is_contiguous(out[0])) {
        Tensor same = *out[0];
        dims_copy(same.size, self->size, self->ndim);
        same.ndim = self->ndim;
        contiguous_strides(same.size, same.ndim, same.stride);
        tensor_copy_data(&same, self, NULL);
        return ERR_none;
    }
    Call view = copied_view_call(call, k->arena);
    Infer r = {.arena = k->arena, .err = k->err};
    TRY(view.op->infer(&view, &r));
    Tensor part = r.out[0];
    part.storage = self->storage;
    if (tensor_numel(out[0]) > 0) {
        tensor_copy_data(out[0], &part, NULL);
    }
    return ERR_none;
}

/* pixel_shuffle and pixel_unshuffle: both are a permutation of dims of one view of the larger
 * plane. */
ErrCode kernel_pixel_shuffle(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    bool back = call->op->id == OP_pixel_unshuffle;
    const Tensor *self = call->arg[0].tensor, *wide = back ? self : out[0],
                 *deep = back ? out[0] : self;
    int64_t r = call->arg[1].i;
    int n = wide->ndim, lead = n - 3;
    /* [.., C, r, r, H, W]: of the deep tensor dim C is split, of the wide one H and W */
    Tensor a = *deep, b = *wide;
    if (tensor_numel(wide) == 0 || n + 2 > MAX_DIMS) {
        return ERR_none;
    }
    a.ndim = b.ndim = n + 2;
    int64_t H = deep->size[n - 2], W = deep->size[n - 1], C = wide->size[lead];
    int64_t size[5] = {C, r, r, H, W};
    int64_t deep_stride[5] = {deep->stride[lead] * r * r, deep->stride[lead] * r,
                              deep->stride[lead], deep->stride[n - 2], deep->stride[n - 1]};
    int64_t wide_stride[5] = {wide->stride[lead], wide->stride[n - 2], wide->stride[n - 1],
                              wide->stride[n - 2] * r, wide->stride[n - 1] * r};
    for (int d = 0; d < 5; d++) {
        a.size[lead + d] = b.size[lead + d] = size[d];
        a.stride[lead + d] = deep_stride[d];
        b.stride[lead + d] = wide_stride[d];
    }
    tensor_copy_data(back ? &a : &b, back ? &b : &a, NULL);
    return ERR_none;
}
