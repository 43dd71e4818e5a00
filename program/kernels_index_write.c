/* Kernels of take, put, index_fill, index_copy, masked_select and masked_scatter. */
#include "program/kernels.h"

#include <string.h>

ErrCode kernel_take(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[1].tensor, *to = out[0], *walked[2] = {to, index}, *whole[1] = {self};
    int64_t n = tensor_numel(self), *place = arena_alloc_raw(k->arena, n * (int64_t)sizeof *place), count = 0;
    for (Walk w = walk_start(self->size, self->ndim, whole, 1); walk_more(&w); walk_next(&w)) {
        place[count++] = w.at[0];
    }
    for (Walk w = walk_start(index->size, index->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(index->storage->data, index->dtype, w.at[1]);
        if (i < -n || i >= n) {
            return index_out_of_range(i, n, k->err);
        }
        element_cast(to->storage->data, to->dtype, w.at[0], self->storage->data, self->dtype, place[i < 0 ? i + n : i]);
    }
    return ERR_none;
}

ErrCode kernel_put(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[1].tensor, *source = call->arg[2].tensor, *to = out[0];
    bool accumulate = call->arg[3].b;
    kernel_start_from(to, call->arg[0].tensor, k);
    int64_t n = tensor_numel(to), *place = arena_alloc_raw(k->arena, n * (int64_t)sizeof *place), count = 0;
    const Tensor *whole[1] = {to}, *numbers[1] = {index}, *values[1] = {source};
    for (Walk w = walk_start(to->size, to->ndim, whole, 1); walk_more(&w); walk_next(&w)) {
        place[count++] = w.at[0];
    }
    Adder adder = {0};
    Writer writer = {0};
    if (accumulate) {
        adder = adder_start(to, k->arena);
    } else {
        writer = writer_start(to, k->arena);
    }
    Walk v = walk_start(source->size, source->ndim, values, 1);
    for (Walk w = walk_start(index->size, index->ndim, numbers, 1); walk_more(&w); walk_next(&w), walk_next(&v)) {
        int64_t i = element_int(index->storage->data, index->dtype, w.at[0]);
        if (i < -n || i >= n) {
            return index_out_of_range(i, n, k->err);
        }
        int64_t at = place[i < 0 ? i + n : i];
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

/* Element j of a vector of indices, or of a 0-dim one. */
static int64_t vector_at(const Tensor *index, int64_t j) {
    return element_int(index->storage->data, index->dtype, index->offset + (index->ndim > 0 ? j * index->stride[0] : 0));
}

ErrCode kernel_index_fill(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *to = out[0];
    Scalar value;
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    if (call->op->param[3].type == ARG_TENSOR) {
        value = tensor_item(call->arg[3].tensor);
        TRY(scalar_check(value, to->dtype, k->err));
    } else {
        value = call->arg[3].scalar;
    }
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    int64_t size = to->ndim > 0 ? to->size[dim] : 1, n = tensor_numel(to) > 0 ? tensor_numel(index) : 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t i = vector_at(index, j);
        if (i < -size || i >= size) {
            return index_out_of_range(i, size, k->err);
        }
        if (i < 0 && call->op->param[3].type == ARG_TENSOR) { /* the value's gradient is read by index_select */
            k->undefined = "a negative index of index_fill by a tensor: taken forward, refused by PyTorch's own derivative";
        }
        Tensor slice = *to;
        if (to->ndim > 0) {
            slice.size[dim] = 1;
            slice.offset += (i < 0 ? i + size : i) * to->stride[dim];
        }
        tensor_fill(&slice, value);
    }
    return ERR_none;
}

ErrCode kernel_index_copy(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *source = call->arg[3].tensor, *to = out[0];
    int dim;
    kernel_start_from(to, call->arg[0].tensor, k);
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    int64_t size = to->ndim > 0 ? to->size[dim] : 1, n = tensor_numel(to) > 0 ? tensor_numel(index) : 0;
    Writer writer = writer_start(to, k->arena);
    Tensor target = *to, part = *source; /* one slice of each, dim having size 1 */
    int64_t step = source->ndim > 0 ? source->stride[dim] : 0;
    part.ndim = to->ndim;
    for (int d = 0; d < to->ndim; d++) {
        part.size[d] = target.size[d] = d == dim ? 1 : to->size[d];
        part.stride[d] = source->ndim > 0 ? source->stride[d] : 0;
    }
    const Tensor *walked[2] = {&target, &part};
    for (int64_t j = 0; j < n; j++) {
        int64_t i = vector_at(index, j);
        if (i < 0 || i >= size) {
            return index_out_of_range(i, size, k->err);
        }
        target.offset = to->offset + (to->ndim > 0 ? i * to->stride[dim] : 0);
        part.offset = source->offset + j * step;
        for (Walk w = walk_start(target.size, target.ndim, walked, 2); walk_more(&w); walk_next(&w)) {
            writer_put(&writer, w.at[0], source, w.at[1]);
        }
    }
    if (writer.conflict) {
        k->undefined = "duplicate indices are given different values";
    }
    return ERR_none;
}

/* ---- masks ---- */

/* `t` broadcast to the size. */
static Tensor broadcast(const Tensor *t, const int64_t *size, int ndim) {
    int64_t strides[MAX_DIMS];
    broadcast_strides(t, size, ndim, strides);
    return tensor_seen_as(t, ndim, size, strides);
}

static ErrCode read_mask(const Tensor *mask, int64_t at, bool *set, Error *err) {
    int64_t v = element_int(mask->storage->data, mask->dtype, at);
    *set = v != 0;
    return v > 1 ? error_set(err, ERR_invalid, "Mask tensor can take 0 and 1 values only") : ERR_none;
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
            CHECK(n < to->size[0]);
            element_cast(to->storage->data, to->dtype, to->offset + n++, self->storage->data, self->dtype, w.at[0]);
        }
    }
    return ERR_none;
}

/* Elements of source, in order, go where the mask is set. */
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
            return error_set(k->err, ERR_invalid, "Number of elements of source < number of ones in mask");
        }
        element_cast(to->storage->data, to->dtype, w.at[0], source->storage->data, source->dtype, next.at[0]);
        walk_next(&next);
    }
    return ERR_none;
}

/* Elements of grad where the mask is set, in order; zeros after them. */
ErrCode kernel_masked_scatter_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *grad = call->arg[0].tensor, *mask = call->arg[1].tensor, *to = out[0];
    tensor_fill(to, scalar_int(0));
    Tensor which = broadcast(mask, grad->size, grad->ndim);
    const Tensor *walked[2] = {grad, &which};
    int64_t n = 0, length = tensor_numel(to);
    for (Walk w = walk_start(grad->size, grad->ndim, walked, 2); walk_more(&w) && n < length; walk_next(&w)) {
        if (element_int(mask->storage->data, mask->dtype, w.at[1]) != 0) {
            element_cast(to->storage->data, to->dtype, to->offset + n++, grad->storage->data, grad->dtype, w.at[0]);
        }
    }
    return ERR_none;
}
