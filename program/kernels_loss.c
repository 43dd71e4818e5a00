/* Kernels of losses and of embedding; sums run in row-major order, in double, and are rounded once. */
#include "program/kernels.h"

#include <string.h>

/* ---- embedding ---- */

ErrCode kernel_embedding(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor, *to = out[0];
    int64_t rows = weight->size[0], columns = weight->size[1], at = to->offset;
    const Tensor *walked[1] = {indices};
    for (Walk w = walk_start(indices->size, indices->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        if (i < 0 || i >= rows) {
            return error_set(k->err, call_index_error(call), "index out of range in self");
        }
        for (int64_t j = 0; j < columns; j++, at++) {
            element_cast(to->storage->data, to->dtype, at, weight->storage->data, weight->dtype, weight->offset + i * weight->stride[0] + j * weight->stride[1]);
        }
    }
    return ERR_none;
}

/* Zeros with the rows of grad added where the indices say, those of padding_idx left out; a row that comes n times divided by n if asked. */
ErrCode kernel_embedding_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *indices = call->arg[1].tensor, *to = out[0];
    int64_t rows = to->size[0], columns = to->size[1], padding = call->arg[3].i;
    int64_t *count = arena_array(k->arena, int64_t, rows);
    const Tensor *one[1] = {indices};
    for (Walk w = walk_start(indices->size, indices->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        if (i < 0 || i >= rows) {
            return index_out_of_range(i, rows, k->err);
        }
        count[i]++;
    }
    tensor_fill(to, scalar_int(0));
    Adder adder = adder_start(to, k->arena);
    Tensor places = *grad; /* the first element of every row */
    places.ndim--;
    const Tensor *walked[2] = {indices, &places};
    for (Walk w = walk_start(indices->size, indices->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        double scale = call->arg[4].b ? 1 / (double)count[i] : 1;
        for (int64_t j = 0; j < columns && i != padding; j++) {
            adder_add(&adder, to->offset + i * columns + j, grad, w.at[1] + j * grad->stride[grad->ndim - 1], scale, 1);
        }
    }
    adder_finish(&adder);
    return ERR_none;
}

/* ---- mse_loss ---- */

ErrCode kernel_mse_loss(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor, *to = out[0];
    int64_t reduction = call->arg[2].i, size[MAX_DIMS], numel = 0;
    int ndim = self->ndim;
    memcpy(size, self->size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, target->size, target->ndim, k->err));
    double sum = 0;
    const Tensor *walked[3] = {self, target, to};
    for (Walk w = walk_start(size, ndim, walked, reduction == 0 ? 3 : 2); walk_more(&w); walk_next(&w), numel++) {
        double x = cast_double(self, w.at[0], to->dtype) - cast_double(target, w.at[1], to->dtype);
        if (reduction == 0) {
            element_store_double(to->storage->data, to->dtype, w.at[2], x * x);
        }
        sum += x * x;
    }
    if (reduction != 0) {
        element_store_double(to->storage->data, to->dtype, to->offset, reduction == 1 ? sum / (double)numel : sum);
    }
    return ERR_none;
}
