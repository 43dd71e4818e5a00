/* Kernels of reductions, scans and softmax.
 *
 * One pass over self in row-major order with an array of accumulators, one for each element of the
 * result. A Walk steps through self and the array together, with stride 0 in the array along the
 * reduced dims. Each result is thus accumulated in row-major order of its elements, in double or
 * int64, and rounded once. Elements are cast to the result's dtype first, as in PyTorch. */
#include "program/kernels/kernels.h"

#include <math.h>

typedef enum Reduction { REDUCE_SUM, REDUCE_NANSUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN } Reduction;

static double start_double(Reduction how) {
    return how == REDUCE_SUM || how == REDUCE_NANSUM ? 0
           : how == REDUCE_PROD                      ? 1
           : how == REDUCE_MAX                       ? -INFINITY
                                                     : INFINITY;
}

static int64_t start_int(Reduction how) {
    return how == REDUCE_SUM || how == REDUCE_NANSUM ? 0
           : how == REDUCE_PROD                      ? 1
           : how == REDUCE_MAX                       ? INT64_MIN
                                                     : INT64_MAX;
}

/* nan wins in max and min; of two zeros the first is kept. */
static double step_double(Reduction how, double acc, double x) {
    switch (how) {
    case REDUCE_SUM:
        return acc + x;
    case REDUCE_NANSUM:
        return isnan(x) ? acc : acc + x;
    case REDUCE_PROD:
        return acc * x;
    case REDUCE_MAX:
        return isnan(acc) || x <= acc ? acc : x;
    case REDUCE_MIN:
        return isnan(acc) || x >= acc ? acc : x;
    }
    return acc;
}

static int64_t step_int(Reduction how, int64_t acc, int64_t x) {
    switch (how) {
    case REDUCE_SUM:
    case REDUCE_NANSUM:
        return wrapping_add(acc, x);
    case REDUCE_PROD:
        return wrapping_mul(acc, x);
    case REDUCE_MAX:
        return max_i64(acc, x);
    case REDUCE_MIN:
        return min_i64(acc, x);
    }
    return acc;
}

/* Reduces self over `set` into out, whose kept dims are row-major. With `mean` the sum is rounded,
 * then divided by `count` (sum_out, div_). */
static void reduce_double(const Tensor *self, unsigned set, Reduction how, bool mean, double count,
                          const Tensor *out, KernelCtx *k) {
    int64_t length;
    Tensor slots = tensor_over_array(self->size, self->ndim, set, &length);
    double *acc = arena_alloc_raw(k->arena, length * (int64_t)sizeof *acc);
    for (int64_t i = 0; i < length; i++) {
        acc[i] = start_double(how);
    }
    const Tensor *walked[2] = {self, &slots};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        acc[w.at[1]] = step_double(how, acc[w.at[1]], cast_double(self, w.at[0], out->dtype));
    }
    const Tensor *outs[1] = {out};
    int64_t i = 0;
    for (Walk w = walk_start(out->size, out->ndim, outs, 1); walk_more(&w); walk_next(&w), i++) {
        element_store_double(out->storage->data, out->dtype, w.at[0],
                             mean ? dtype_round(acc[i], out->dtype) / count : acc[i]);
    }
}

static void reduce_int(const Tensor *self, unsigned set, Reduction how, const Tensor *out,
                       KernelCtx *k) {
    int64_t length;
    Tensor slots = tensor_over_array(self->size, self->ndim, set, &length);
    int64_t *acc = arena_alloc_raw(k->arena, length * (int64_t)sizeof *acc);
    for (int64_t i = 0; i < length; i++) {
        acc[i] = start_int(how);
    }
    const Tensor *walked[2] = {self, &slots};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        bool left_out = how == REDUCE_NANSUM && dtype_is_float(self->dtype) &&
                        isnan(element_double(self->storage->data, self->dtype, w.at[0]));
        if (!left_out) {
            acc[w.at[1]] = step_int(how, acc[w.at[1]], cast_int(self, w.at[0], out->dtype, k));
        }
    }
    const Tensor *outs[1] = {out};
    int64_t i = 0;
    for (Walk w = walk_start(out->size, out->ndim, outs, 1); walk_more(&w); walk_next(&w), i++) {
        element_store_int(out->storage->data, out->dtype, w.at[0], acc[i]);
    }
}

static ErrCode kernel_reduce_all(const Call *call, const Tensor *out, Reduction how, bool mean,
                                 KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    unsigned set;
    TRY(reduced_dims(call, self->ndim, &set, k->err));
    double count = 1;
    for (int d = 0; d < self->ndim && mean; d++) {
        count *= set >> d & 1 ? (double)self->size[d] : 1;
    }
    if (dtype_is_float(out->dtype)) {
        reduce_double(self, set, how, mean, count, out, k);
    } else {
        reduce_int(self, set, how, out, k);
    }
    return ERR_none;
}

ErrCode kernel_sum(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_SUM, false, k);
}
ErrCode kernel_nansum(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_NANSUM, false, k);
}
ErrCode kernel_mean(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_SUM, true, k);
}
ErrCode kernel_prod(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_PROD, false, k);
}
ErrCode kernel_amax(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_MAX, false, k);
}
ErrCode kernel_amin(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_all(call, out[0], REDUCE_MIN, false, k);
}

/* ---- scans ---- */

static ErrCode kernel_reduce_scan(const Call *call, const Tensor *out, Reduction how,
                                  KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    if (tensor_numel(out) == 0) {
        return ERR_none; /* empty: the other dims may be too large to allocate */
    }
    bool floating = dtype_is_float(out->dtype);
    int64_t length;
    Tensor slots = tensor_over_array(self->size, self->ndim, 1u << dim, &length);
    double *acc = floating ? arena_alloc_raw(k->arena, length * (int64_t)sizeof *acc) : NULL;
    int64_t *int_acc =
        floating ? NULL : arena_alloc_raw(k->arena, length * (int64_t)sizeof *int_acc);
    for (int64_t i = 0; i < length; i++) {
        if (floating) {
            acc[i] = start_double(how);
        } else {
            int_acc[i] = start_int(how);
        }
    }
    const Tensor *walked[3] = {self, &slots, out};
    for (Walk w = walk_start(self->size, self->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i = w.at[1];
        if (floating) {
            acc[i] = step_double(how, acc[i], cast_double(self, w.at[0], out->dtype));
            element_store_double(out->storage->data, out->dtype, w.at[2], acc[i]);
        } else {
            int_acc[i] = step_int(how, int_acc[i], cast_int(self, w.at[0], out->dtype, k));
            element_store_int(out->storage->data, out->dtype, w.at[2], int_acc[i]);
        }
    }
    return ERR_none;
}

ErrCode kernel_cumsum(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_scan(call, out[0], REDUCE_SUM, k);
}
ErrCode kernel_cumprod(const Call *call, Tensor *const *out, KernelCtx *k) {
    return kernel_reduce_scan(call, out[0], REDUCE_PROD, k);
}

/* ---- softmax: exp(x - max) / sum of exp(x - max), in double ---- */

ErrCode kernel_softmax(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, k->err));
    if (tensor_numel(self) == 0) {
        return ERR_none;
    }
    int64_t length;
    Tensor slots = tensor_over_array(self->size, self->ndim, 1u << dim, &length);
    double *most = arena_alloc_raw(k->arena, 2 * length * (int64_t)sizeof *most),
           *sum = most + length;
    for (int64_t i = 0; i < length; i++) {
        most[i] = -INFINITY;
        sum[i] = 0;
    }
    const Tensor *walked[3] = {self, &slots, to};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        most[w.at[1]] =
            step_double(REDUCE_MAX, most[w.at[1]], cast_double(self, w.at[0], to->dtype));
    }
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        sum[w.at[1]] += exp(cast_double(self, w.at[0], to->dtype) - most[w.at[1]]);
    }
    for (Walk w = walk_start(self->size, self->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        double value = exp(cast_double(self, w.at[0], to->dtype) - most[w.at[1]]) / sum[w.at[1]];
        if (call->op->id == OP__safe_softmax && most[w.at[1]] == -INFINITY) {
            value = 0; /* where nothing is attended to */
        }
        element_store_double(to->storage->data, to->dtype, w.at[2], value);
    }
    return ERR_none;
}
