/* Kernels of ops that rearrange elements: roll, rot90, repeat, diag, diag_embed, constant_pad_nd.
 * Most of them copy strided blocks. */
#include "program/kernels/kernels.h"

/* ---- roll ---- */

/* Copies self into out with the two parts of each dim from `d` on swapped: `start[d]` is the index
 * in self of the first element of out. */
static void roll_blocks(const Tensor *out, const Tensor *self, int d, const int64_t *start) {
    while (d < out->ndim && start[d] == 0) {
        d++;
    }
    if (d == out->ndim) {
        tensor_copy_data(out, self, NULL);
        return;
    }
    int64_t head = self->size[d] - start[d];
    Tensor to = *out, from = *self;
    to.size[d] = from.size[d] = head;
    from.offset += start[d] * self->stride[d];
    roll_blocks(&to, &from, d + 1, start);
    to = *out;
    from = *self;
    to.size[d] = from.size[d] = start[d];
    to.offset += head * out->stride[d];
    roll_blocks(&to, &from, d + 1, start);
}

/* roll without dims: rolls the elements in row-major order. `out` is row-major. */
static void roll_flat(const Tensor *out, const Tensor *self, int64_t shift) {
    int64_t n = tensor_numel(self), at = (n - roll_start(n, shift)) % n;
    const Tensor *walked[1] = {self};
    for (Walk w = walk_start(self->size, self->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        element_cast(out->storage->data, out->dtype, out->offset + at, self->storage->data,
                     self->dtype, w.at[0]);
        at = at + 1 == n ? 0 : at + 1;
    }
}

ErrCode kernel_roll(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *shifts = &call->arg[1], *dims = &call->arg[2];
    if (tensor_numel(self) == 0) {
        return ERR_none;
    }
    if (dims->ints.n == 0) {
        roll_flat(out[0], self, shifts->ints.v[0]);
        return ERR_none;
    }
    int64_t start[MAX_DIMS] = {0};
    for (int j = 0; j < dims->ints.n; j++) {
        int d = 0;
        TRY(dim_wrap(dims->ints.v[j], self->ndim, &d, k->err));
        start[d] = (start[d] + roll_start(self->size[d], shifts->ints.v[j])) % self->size[d];
    }
    roll_blocks(out[0], self, 0, start);
    return ERR_none;
}

ErrCode kernel_rot90(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *self = call->arg[0].tensor;
    if (tensor_numel(self) == 0) {
        return ERR_none;
    }
    Tensor rotated;
    geometry_rotated(self, rot90_turns(call->arg[1].i), call->arg[2].ints.v, &rotated);
    tensor_copy_data(out[0], &rotated, NULL);
    return ERR_none;
}

/* Copies self to every block of out, dim by dim. */
static void repeat_blocks(const Tensor *out, const Tensor *self, int d, const int64_t *repeats) {
    if (d == out->ndim) {
        tensor_copy_data(out, self, NULL);
        return;
    }
    int own = d - (out->ndim - self->ndim);
    Tensor to = *out;
    to.size[d] = own < 0 ? 1 : self->size[own];
    for (int64_t i = 0; i < repeats[d]; i++) {
        repeat_blocks(&to, self, d + 1, repeats);
        to.offset += to.size[d] * to.stride[d];
    }
}

ErrCode kernel_repeat(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    if (tensor_numel(out[0]) > 0) {
        repeat_blocks(out[0], call->arg[0].tensor, 0, call->arg[1].ints.v);
    }
    return ERR_none;
}

/* ---- diagonals ---- */

/* out = zeros with self on a diagonal. */
static ErrCode embed(const Tensor *out, const Tensor *self, int64_t offset, int64_t dim1,
                     int64_t dim2, KernelCtx *k) {
    Tensor diagonal;
    tensor_fill(out, scalar_int(0));
    TRY(geometry_diagonal(out, offset, dim1, dim2, &diagonal, k->err));
    diagonal.storage = out->storage;
    tensor_copy_data(&diagonal, self, NULL);
    return ERR_none;
}

ErrCode kernel_diag(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int64_t offset = call->arg[1].i;
    if (self->ndim == 1) {
        return embed(out[0], self, offset, 0, 1, k);
    }
    Tensor diagonal;
    TRY(geometry_diagonal(self, offset, 0, 1, &diagonal, k->err));
    diagonal.storage = self->storage;
    tensor_copy_data(out[0], &diagonal, NULL);
    return ERR_none;
}

ErrCode kernel_diag_embed(const Call *call, Tensor *const *out, KernelCtx *k) {
    return embed(out[0], call->arg[0].tensor, call->arg[1].i, call->arg[2].i, call->arg[3].i, k);
}

/* ---- padding ---- */

ErrCode kernel_constant_pad_nd(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *pad = &call->arg[1];
    Tensor inner, target = *out[0];
    bool grows;
    TRY(geometry_cropped(self, pad, &inner, &grows, k->err));
    if (grows) {
        tensor_fill(out[0], call->arg[2].scalar);
    }
    for (int d = self->ndim - pad->ints.n / 2; d < self->ndim; d++) {
        target.offset += max_i64(pad->ints.v[2 * (self->ndim - d - 1)], 0) * target.stride[d];
        target.size[d] = inner.size[d];
    }
    tensor_copy_data(&target, &inner, NULL);
    return ERR_none;
}

/* ---- narrow_copy, repeat_interleave ---- */

ErrCode kernel_narrow_copy(const Call *call, Tensor *const *out, KernelCtx *k) {
    Tensor part = *call->arg[0].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, part.ndim, &dim, k->err));
    int64_t start = call->arg[2].i;
    part.offset += (start < 0 ? start + part.size[dim] : start) * part.stride[dim];
    part.size[dim] = out[0]->size[dim];
    if (tensor_numel(out[0]) > 0) {
        tensor_copy_data(out[0], &part, NULL);
    }
    return ERR_none;
}

ErrCode kernel_repeat_numbers(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *repeats = call->arg[0].tensor, *to = out[0];
    int64_t n = 0;
    for (int64_t i = 0; i < tensor_numel(repeats); i++) {
        int64_t times = element_int(repeats->storage->data, repeats->dtype,
                                    repeats->offset + i * repeats->stride[0]);
        for (int64_t j = 0; j < times && n < to->size[0]; j++) {
            element_store_int(to->storage->data, to->dtype, to->offset + n++, i);
        }
    }
    return ERR_none;
}
