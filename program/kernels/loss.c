/* Kernels of losses and of embedding. Sums run in row-major order, in double, and are rounded
 * once. */
#include "program/kernels/kernels.h"

#include <math.h>
#include <string.h>

/* ---- embedding ---- */

ErrCode kernel_embedding(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor, *to = out[0];
    int64_t rows = weight->size[0], columns = weight->size[1], at = to->offset;
    const Tensor *walked[1] = {indices};
    for (Walk w = walk_start(indices->size, indices->ndim, walked, 1); walk_more(&w);
         walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        if (i < 0 || i >= rows) {
            return error_set(k->err, call_index_error(call), "index out of range in self");
        }
        for (int64_t j = 0; j < columns; j++, at++) {
            element_cast(to->storage->data, to->dtype, at, weight->storage->data, weight->dtype,
                         weight->offset + i * weight->stride[0] + j * weight->stride[1]);
        }
    }
    return ERR_none;
}

/* Zeros with the rows of grad added at the rows that the indices select, except padding_idx. With
 * scale_grad_by_freq, a row that occurs n times is divided by n. */
ErrCode kernel_embedding_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *indices = call->arg[1].tensor, *to = out[0];
    int64_t rows = to->size[0], columns = to->size[1], padding = call->arg[3].i;
    bool by_count = call->arg[4].b && columns > 0; /* rows of nothing may be too many to count */
    int64_t *count = by_count ? arena_array(k->arena, int64_t, rows) : NULL;
    const Tensor *one[1] = {indices};
    for (Walk w = walk_start(indices->size, indices->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        if (i < 0 || i >= rows) {
            return index_out_of_range(i, rows, k->err);
        }
        if (by_count) {
            count[i]++;
        }
    }
    tensor_fill(to, scalar_int(0));
    Adder adder = adder_start(to, k->arena);
    Tensor slots = *grad; /* the first element of every row */
    slots.ndim--;
    const Tensor *walked[2] = {indices, &slots};
    for (Walk w = walk_start(indices->size, indices->ndim, walked, 2); walk_more(&w);
         walk_next(&w)) {
        int64_t i = element_int(indices->storage->data, indices->dtype, w.at[0]);
        double scale = by_count ? 1 / (double)count[i] : 1;
        for (int64_t j = 0; j < columns && i != padding; j++) {
            adder_add(&adder, to->offset + i * columns + j, grad,
                      w.at[1] + j * grad->stride[grad->ndim - 1], scale, 1);
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
    for (Walk w = walk_start(size, ndim, walked, reduction == 0 ? 3 : 2); walk_more(&w);
         walk_next(&w), numel++) {
        double x = cast_double(self, w.at[0], to->dtype) - cast_double(target, w.at[1], to->dtype);
        if (reduction == 0) {
            element_store_double(to->storage->data, to->dtype, w.at[2], x * x);
        }
        sum += x * x;
    }
    if (reduction != 0) {
        element_store_double(to->storage->data, to->dtype, to->offset,
                             reduction == 1 ? sum / (double)numel : sum);
    }
    return ERR_none;
}

/* ---- losses that are computed from other ops ---- */

ErrCode kernel_of_value(const Call *call, Tensor *const *out, KernelCtx *k) {
    kernel_start_from(out[0], call->arg[op_param(call->op, "value")].tensor, k);
    return ERR_none;
}

ErrCode kernel_binary_cross_entropy(const Call *call, Tensor *const *out, KernelCtx *k) {
    bool some = tensor_numel(call->arg[0].tensor) > 0 && tensor_numel(call->arg[1].tensor) > 0;
    for (int i = 0; i < 2 && some; i++) {
        const Tensor *t = call->arg[i].tensor, *walked[1] = {t};
        for (Walk w = walk_start(t->size, t->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
            double x = element_double(t->storage->data, t->dtype, w.at[0]);
            if (!(x >= 0 && x <= 1)) {
                return error_set(k->err, ERR_invalid,
                                 "all elements of %s should be between 0 and 1",
                                 i == 0 ? "input" : "target");
            }
        }
    }
    return kernel_of_value(call, out, k);
}

/* ---- nll_loss ---- */

/* Offset of the n-th element in logical order, with dims from `first` on. */
static int64_t element_at(const Tensor *t, int first, int64_t n) {
    int64_t at = 0;
    for (int d = t->ndim - 1; d >= first && n > 0; d--) {
        at += n % t->size[d] * t->stride[d];
        n /= t->size[d];
    }
    return at;
}

/* Reads the class of sample n and its weight; *skip: the sample is ignored. */
static ErrCode read_class(const Tensor *target, const Tensor *weight, int64_t n, int64_t classes,
                          int64_t ignore, int64_t *class, double *factor, bool *skip, Error *err) {
    int64_t at = target->offset + element_at(target, 0, n);
    *class = element_int(target->storage->data, target->dtype, at);
    *skip = *class == ignore;
    if (!*skip && (*class < 0 || *class >= classes)) {
        return error_set(err, ERR_index_range, "Target %lld is out of bounds.", (long long)*class);
    }
    *factor = *skip    ? 0
              : weight ? element_double(weight->storage->data, weight->dtype,
                                        weight->offset + element_at(weight, 0, *class))
                       : 1;
    return ERR_none;
}

/* The dim of the classes. */
static int class_dim(const Tensor *of) { return of->ndim == 1 ? 0 : 1; }

/* Number of samples: 0 for an empty target, 1 if `of` has no batch dim. */
static int64_t sample_count(const Tensor *of, const Tensor *target) {
    int64_t numel = tensor_numel(target);
    return numel == 0 || of->ndim == 4 ? numel : of->ndim == 2 ? of->size[0] : 1;
}

/* Offset of sample n of `t`: [classes], [batch, classes] or [batch, classes, height, width]. */
static int64_t sample_at(const Tensor *t, int64_t n) {
    if (t->ndim < 4) {
        return t->offset + (t->ndim == 2 ? n * t->stride[0] : 0);
    }
    int64_t plane = t->size[2] * t->size[3];
    return t->offset + n / plane * t->stride[0] + element_at(t, 2, n % plane);
}

ErrCode kernel_nll_loss(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
                 *weight = call->arg[2].none ? NULL : call->arg[2].tensor, *to = out[0];
    int64_t samples = sample_count(self, target), classes = self->size[class_dim(self)];
    double sum = 0, total = 0;
    for (int64_t n = 0; n < samples; n++) {
        int64_t class;
        double factor;
        bool skip;
        TRY(read_class(target, weight, n, classes, call->arg[4].i, &class, &factor, &skip, k->err));
        double loss =
            skip ? 0
                 : -element_double(self->storage->data, self->dtype,
                                   sample_at(self, n) + class * self->stride[class_dim(self)]) *
                       factor;
        if (to->ndim > 0) {
            element_store_double(to->storage->data, to->dtype, to->offset + n, loss);
        }
        sum += loss;
        total += factor;
    }
    if (to->ndim == 0) {
        element_store_double(to->storage->data, to->dtype, to->offset,
                             call->arg[3].i == 1 ? sum / total : sum);
    }
    return ERR_none;
}

/* Zeros with -weight * grad at the classes; for a mean it is divided by the sum of the weights. */
ErrCode kernel_nll_loss_grad(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *target = call->arg[2].tensor,
                 *weight = call->arg[3].none ? NULL : call->arg[3].tensor, *to = out[0];
    int64_t samples = sample_count(to, target), classes = to->size[class_dim(to)], class;
    double factor, total = 0;
    bool skip;
    tensor_fill(to, scalar_int(0));
    if (samples == 0 && to->ndim == 1) {
        k->undefined = "the gradient of nll_loss of one dim without elements: PyTorch 1.13 reads a "
                       "target that is not there";
    }
    for (int64_t n = 0; n < samples; n++) {
        TRY(read_class(target, weight, n, classes, call->arg[5].i, &class, &factor, &skip, k->err));
        total += factor;
    }
    for (int64_t n = 0; n < samples; n++) {
        TRY(read_class(target, weight, n, classes, call->arg[5].i, &class, &factor, &skip, k->err));
        double g =
            element_double(grad->storage->data, grad->dtype, grad->offset + element_at(grad, 0, n));
        if (!skip) {
            element_store_double(to->storage->data, to->dtype,
                                 sample_at(to, n) + class * to->stride[class_dim(to)],
                                 -(call->arg[4].i == 1 ? g / total : g) * factor);
        }
    }
    return ERR_none;
}

/* ---- layer_norm: (x - mean) / sqrt(variance + eps) * weight + bias, over the last dims ---- */

ErrCode kernel_layer_norm(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *input = call->arg[0].tensor, *to = out[0];
    const Tensor *weight = call->arg[2].none ? NULL : call->arg[2].tensor,
                 *bias = call->arg[3].none ? NULL : call->arg[3].tensor;
    int first = input->ndim - call->arg[1].ints.n;
    Tensor rows = *input, row = *input;
    rows.ndim = first;
    row.ndim = input->ndim - first;
    memcpy(row.size, input->size + first, (size_t)row.ndim * sizeof *row.size);
    memcpy(row.stride, input->stride + first, (size_t)row.ndim * sizeof *row.stride);
    int64_t length = tensor_numel(&row), at = to->offset;
    const Tensor *starts[1] = {&rows}, *one[1] = {&row},
                 *parts[3] = {&row, weight ? weight : &row, bias ? bias : &row};
    for (Walk w = walk_start(rows.size, rows.ndim, starts, 1); walk_more(&w) && length > 0;
         walk_next(&w)) {
        double mean = 0, variance = 0;
        row.offset = w.at[0];
        for (Walk v = walk_start(row.size, row.ndim, one, 1); walk_more(&v); walk_next(&v)) {
            mean += element_double(input->storage->data, input->dtype, v.at[0]);
        }
        mean /= (double)length;
        for (Walk v = walk_start(row.size, row.ndim, one, 1); walk_more(&v); walk_next(&v)) {
            double x = element_double(input->storage->data, input->dtype, v.at[0]) - mean;
            variance += x * x;
        }
        double scale = 1 / sqrt(variance / (double)length + call->arg[4].f);
        for (Walk v = walk_start(row.size, row.ndim, parts, 3); walk_more(&v);
             walk_next(&v), at++) {
            double x = (element_double(input->storage->data, input->dtype, v.at[0]) - mean) * scale;
            x = weight ? x * element_double(weight->storage->data, weight->dtype, v.at[1]) : x;
            x = bias ? x + element_double(bias->storage->data, bias->dtype, v.at[2]) : x;
            element_store_double(to->storage->data, to->dtype, at, x);
        }
    }
    (void)k;
    return ERR_none;
}
