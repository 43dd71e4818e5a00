/* Kernels that copy and move elements: clone, casts, copy, fill, cat, stack, flip, triangles,
 * nonzero, and writes to a view of a copy. */
#include "program/kernels/kernels.h"

#include <string.h>

/* clone, _to_copy, _contiguous_copy. */
ErrCode kernel_copy_self(const Call *call, Tensor *const *out, KernelCtx *k) {
    kernel_start_from(out[0], call->arg[0].tensor, k);
    return ERR_none;
}

/* The bytes of self, in order, as elements of another dtype; what is left over is left out. */
ErrCode kernel_bitcast(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int64_t bytes = tensor_numel(out[0]) * dtype_bytes(out[0]->dtype);
    void *dense = arena_alloc_raw(k->arena, tensor_numel(self) * dtype_bytes(self->dtype));
    tensor_gather(self, dense);
    memcpy((char *)out[0]->storage->data + out[0]->offset * dtype_bytes(out[0]->dtype), dense,
           (size_t)bytes);
    return ERR_none;
}

ErrCode kernel_copy_src(const Call *call, Tensor *const *out, KernelCtx *k) {
    kernel_start_from(out[0], call->arg[1].tensor, k);
    return ERR_none;
}

/* fill.Scalar, fill.Tensor (whose value is converted to a number and must fit) and zero. */
ErrCode kernel_fill(const Call *call, Tensor *const *out, KernelCtx *k) {
    Scalar value = scalar_int(0);
    if (call->op->id == OP_fill_Scalar) {
        value = call->arg[1].scalar;
    } else if (call->op->id == OP_fill_Tensor) {
        value = tensor_item(call->arg[1].tensor);
        if (since(fill_overlap)) { /* ends in copy_ */
            Tensor expanded = *call->arg[1].tensor;
            bool out_of_range = false;
            TRY(tensor_expand(call->arg[1].tensor, out[0]->size, out[0]->ndim, &expanded, k->err));
            tensor_copy_data(out[0], &expanded, &out_of_range);
            if (out_of_range) {
                k->undefined = "a cast to an integer out of its range";
            }
            return ERR_none;
        }
        TRY(scalar_check(value, out[0]->dtype, k->err));
    }
    tensor_fill(out[0], value);
    return ERR_none;
}

/* cat and stack. */
ErrCode kernel_joined(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    int64_t at = 0;
    for (int j = 0; j < call->arg[0].tensors.n; j++) {
        const Tensor *t = call->arg[0].tensors.v[j];
        Tensor part;
        if (geometry_joined(call, out[0], t, &at, &part)) {
            tensor_copy_data(&part, t, NULL);
        }
    }
    return ERR_none;
}

/* Reads self in reverse along the dims, with a walk that has negative strides. */
ErrCode kernel_flip(const Call *call, Tensor *const *out, KernelCtx *k) {
    Tensor flipped = *call->arg[0].tensor;
    if (tensor_numel(&flipped) == 0) {
        return ERR_none;
    }
    for (int j = 0; j < call->arg[1].ints.n && flipped.ndim > 0; j++) {
        int d = 0;
        TRY(dim_wrap(call->arg[1].ints.v[j], flipped.ndim, &d, k->err));
        flipped.offset += (flipped.size[d] - 1) * flipped.stride[d];
        flipped.stride[d] = -flipped.stride[d];
    }
    tensor_copy_data(out[0], &flipped, NULL);
    return ERR_none;
}

/* Copies one side of a diagonal; the rest is 0. */
static void copy_triangle(const Call *call, const Tensor *out, bool upper) {
    const Tensor *self = call->arg[0].tensor, *walked[2] = {out, self};
    if (tensor_numel(self) == 0) {
        return; /* may have fewer than 2 dims */
    }
    int64_t rows = self->size[self->ndim - 2], cols = self->size[self->ndim - 1],
            diagonal = call->arg[1].i;
    int64_t row = 0, col = 0;
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        bool kept = upper ? col - row >= diagonal : col - row <= diagonal;
        if (kept) {
            element_cast(out->storage->data, out->dtype, w.at[0], self->storage->data, self->dtype,
                         w.at[1]);
        } else {
            element_store_int(out->storage->data, out->dtype, w.at[0], 0);
        }
        if (++col == cols) {
            col = 0;
            row = row + 1 == rows ? 0 : row + 1;
        }
    }
}

ErrCode kernel_tril(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    copy_triangle(call, out[0], false);
    return ERR_none;
}

ErrCode kernel_triu(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    copy_triangle(call, out[0], true);
    return ERR_none;
}

/* Is `t` placed in a storage as `of` is in one of the same length? */
static bool same_place(const Tensor *t, const Tensor *of) {
    return t->offset == of->offset && t->storage->numel == of->storage->numel &&
           sizes_equal(t->stride, t->ndim, of->stride, of->ndim);
}

/* slice_scatter and similar ops: copies self, since scatter_keeps_layout with all of its storage,
 * then writes src to the view of the copy. */
ErrCode kernel_view_scatter(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *src = call->arg[1].tensor;
    bool whole = scatter_keeps_layout(call) && same_place(out[0], self);
    Tensor like = *out[0], view;
    if (whole) {
        memcpy(out[0]->storage->data, self->storage->data,
               (size_t)(self->storage->numel * dtype_bytes(self->dtype)));
    } else {
        kernel_start_from(out[0], self, k);
        like.offset = 0; /* as_strided counts from the start of the copy */
    }
    TRY(geometry_scattered(call, &like, &view, k->err));
    view.offset += whole ? 0 : out[0]->offset;
    view.storage = out[0]->storage;
    if (tensor_overlaps_itself(&view)) {
        k->undefined = "several elements of src go to one location";
    }
    kernel_start_from(&view, src, k);
    return ERR_none;
}

/* ---- nonzero ---- */

static bool kernel_move_is_true(const Tensor *t, int64_t at) {
    return dtype_is_float(t->dtype) ? element_double(t->storage->data, t->dtype, at) != 0
                                    : element_int(t->storage->data, t->dtype, at) != 0;
}

int64_t kernel_count_nonzero(const Tensor *mask) {
    const Tensor *walked[1] = {mask};
    int64_t count = 0;
    for (Walk w = walk_start(mask->size, mask->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        count += kernel_move_is_true(mask, w.at[0]);
    }
    return count;
}

ErrCode kernel_counted(const Tensor *out, int64_t n, Error *err) {
    return n < out->size[0] ? ERR_none
                            : error_set(err, ERR_internal,
                                        "there are more elements than the result was made for");
}

/* out is [n, ndim], with n as counted by kernel_count_nonzero: the coordinates of the nonzero
 * elements in row-major order. */
ErrCode kernel_nonzero(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *walked[1] = {self};
    int64_t position = 0, n = 0;
    for (Walk w = walk_start(self->size, self->ndim, walked, 1); walk_more(&w);
         walk_next(&w), position++) {
        if (!kernel_move_is_true(self, w.at[0])) {
            continue;
        }
        TRY(kernel_counted(out[0], n, k->err));
        int64_t rest = position;
        for (int d = self->ndim - 1; d >= 0; d--) {
            int64_t at = out[0]->offset + n * out[0]->stride[0] + d * out[0]->stride[1];
            element_store_int(out[0]->storage->data, out[0]->dtype, at, rest % self->size[d]);
            rest /= self->size[d];
        }
        n++;
    }
    return ERR_none;
}
