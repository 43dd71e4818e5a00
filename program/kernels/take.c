/* Kernels of take and put, whose indices count all elements in row-major order, and of
 * masked_select and masked_scatter. */
#include "program/kernels/kernels.h"

#include <string.h>

ErrCode kernel_take(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[1].tensor, *to = out[0],
                 *walked[2] = {to, index}, *whole[1] = {self};
    int64_t n = tensor_numel(self),
            *offsets = arena_alloc_raw(k->arena, n * (int64_t)sizeof *offsets), count = 0;
    for (Walk w = walk_start(self->size, self->ndim, whole, 1); walk_more(&w); walk_next(&w)) {
        offsets[count++] = w.at[0];
    }
    for (Walk w = walk_start(index->size, index->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(index->storage->data, index->dtype, w.at[1]);
        if (i < -n || i >= n) {
            return index_out_of_range(i, n, k->err);
        }
        element_cast(to->storage->data, to->dtype, w.at[0], self->storage->data, self->dtype,
                     offsets[i < 0 ? i + n : i]);
    }
    return ERR_none;
}

ErrCode kernel_put(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[1].tensor, *source = call->arg[2].tensor, *to = out[0];
    bool accumulate = call->arg[3].b;
    kernel_start_from(to, call->arg[0].tensor, k);
    int64_t n = tensor_numel(to),
            *offsets = arena_alloc_raw(k->arena, n * (int64_t)sizeof *offsets), count = 0;
    const Tensor *whole[1] = {to}, *numbers[1] = {index}, *values[1] = {source};
    for (Walk w = walk_start(to->size, to->ndim, whole, 1); walk_more(&w); walk_next(&w)) {
        offsets[count++] = w.at[0];
    }
    Adder adder = {0};
    Writer writer = {0};
    if (accumulate) {
        adder = adder_start(to, k->arena);
    } else {
        writer = writer_start(to, k->arena);
    }
    Walk v = walk_start(source->size, source->ndim, values, 1);
    for (Walk w = walk_start(index->size, index->ndim, numbers, 1); walk_more(&w);
         walk_next(&w), walk_next(&v)) {
        int64_t i = element_int(index->storage->data, index->dtype, w.at[0]);
        if (i < -n || i >= n) {
            return index_out_of_range(i, n, k->err);
        }
        int64_t at = offsets[i < 0 ? i + n : i];
        if (accumulate) {
            adder_add(&adder, at, source, v.at[0], 1, 1);
        } else {
            writer_put(&writer, at, source, v.at[0]);
        }
    }
    if (accumulate) {
        adder_finish(&adder);
    } else if (writer.conflict) {
        k->undefined = "duplicate indices are given different values";
    }
    return ERR_none;
}

/* ---- masks ---- */

/* `t` broadcast to the size. */
static Tensor broadcast(const Tensor *t, const int64_t *size, int ndim) {
    int64_t strides[MAX_DIMS];
    broadcast_strides(t, size, ndim, strides);
    return tensor_viewed_as(t, ndim, size, strides);
}

static ErrCode read_mask(const Tensor *mask, int64_t at, bool *set, Error *err) {
    int64_t v = element_int(mask->storage->data, mask->dtype, at);
    *set = v != 0;
    return v > 1 ? error_set(err, ERR_invalid, "Mask tensor can take 0 and 1 values only")
                 : ERR_none;
}

ErrCode kernel_masked_select(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *mask = call->arg[1].tensor, *to = out[0];
    int64_t size[MAX_DIMS], n = 0;
    int ndim = self->ndim;
    memcpy(size, self->size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, mask->size, mask->ndim, k->err));
    Tensor from = broadcast(self, size, ndim), which = broadcast(mask, size, ndim);
    const Tensor *walked[2] = {&from, &which};
    for (Walk w = walk_start(size, ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        bool set;
        TRY(read_mask(mask, w.at[1], &set, k->err));
        if (set) {
            TRY(kernel_counted(to, n, k->err));
            element_cast(to->storage->data, to->dtype, to->offset + n++, self->storage->data,
                         self->dtype, w.at[0]);
        }
    }
    return ERR_none;
}

/* Elements of source, in order, are written where the mask is set. */
ErrCode kernel_masked_scatter(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *mask = call->arg[1].tensor, *source = call->arg[2].tensor, *to = out[0];
    kernel_start_from(to, call->arg[0].tensor, k);
    Tensor which = broadcast(mask, to->size, to->ndim);
    const Tensor *walked[2] = {to, &which}, *given[1] = {source};
    Walk next = walk_start(source->size, source->ndim, given, 1);
    for (Walk w = walk_start(to->size, to->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        bool set;
        TRY(read_mask(mask, w.at[1], &set, k->err));
        if (!set) {
            continue;
        }
        if (!walk_more(&next)) {
            return error_set(k->err, ERR_invalid,
                             "Number of elements of source < number of ones in mask");
        }
        element_cast(to->storage->data, to->dtype, w.at[0], source->storage->data, source->dtype,
                     next.at[0]);
        walk_next(&next);
    }
    return ERR_none;
}

/* Elements of grad where the mask is set, in order; the rest is zeros. */
ErrCode kernel_masked_scatter_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *grad = call->arg[0].tensor, *mask = call->arg[1].tensor, *to = out[0];
    tensor_fill(to, scalar_int(0));
    Tensor which = broadcast(mask, grad->size, grad->ndim);
    const Tensor *walked[2] = {grad, &which};
    int64_t n = 0, length = tensor_numel(to);
    for (Walk w = walk_start(grad->size, grad->ndim, walked, 2); walk_more(&w) && n < length;
         walk_next(&w)) {
        if (element_int(mask->storage->data, mask->dtype, w.at[1]) != 0) {
            element_cast(to->storage->data, to->dtype, to->offset + n++, grad->storage->data,
                         grad->dtype, w.at[0]);
        }
    }
    return ERR_none;
}
