/* Kernels of factory ops. Their output is newly allocated: row-major, or with the strides of the
 * source of a *_like op. */
#include "program/kernels/kernels.h"

#include <math.h>
#include <string.h>

/* New storage is already zeroed. */
ErrCode kernel_zeros(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)call;
    (void)out;
    (void)k;
    return ERR_none;
}

ErrCode kernel_ones(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)call;
    (void)k;
    tensor_fill(out[0], scalar_int(1));
    return ERR_none;
}

/* full, full_like, new_full. */
ErrCode kernel_full(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    tensor_fill(out[0], call_arg(call, "fill_value")->scalar);
    return ERR_none;
}

/* Element i = start + step * i, in double for floating dtypes; for integers start and step are
 * truncated first. */
ErrCode kernel_arange(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Arg *s = call_arg(call, "start"), *t = call_arg(call, "step");
    Scalar start = s ? s->scalar : scalar_int(0), step = t ? t->scalar : scalar_int(1);
    void *data = out[0]->storage->data;
    bool floating = dtype_is_float(out[0]->dtype);
    for (int64_t i = 0; i < out[0]->size[0]; i++) {
        int64_t at = out[0]->offset + i * out[0]->stride[0];
        if (floating) {
            element_store_double(data, out[0]->dtype, at,
                                 scalar_to_double(start) + scalar_to_double(step) * (double)i);
        } else {
            element_store_int(
                data, out[0]->dtype, at,
                wrapping_add(scalar_to_int(start), wrapping_mul(scalar_to_int(step), i)));
        }
    }
    return ERR_none;
}

/* Element i = start + step * i in the first half, end - step * (steps - 1 - i) in the second; for
 * integers the step is a double. PyTorch computes integers in blocks of its vector width and
 * truncates the first number of each block. If the step is not whole, this is visible from the
 * second element on. */
ErrCode kernel_linspace(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *to = out[0];
    int64_t n = to->size[0];
    bool floating = dtype_is_float(to->dtype);
    double start = floating ? scalar_as_double(call->arg[0].scalar, to->dtype)
                            : (double)scalar_as_int(call->arg[0].scalar, to->dtype);
    if (n == 1) {
        tensor_fill(to, call->arg[0].scalar);
        return ERR_none;
    }
    double end = floating ? scalar_as_double(call->arg[1].scalar, to->dtype)
                          : (double)scalar_as_int(call->arg[1].scalar, to->dtype);
    double step = (end - start) / (double)(n - 1);
    for (int64_t i = 0; i < n; i++) {
        double value = i < n / 2 ? start + step * (double)i : end - step * (double)(n - 1 - i);
        int64_t at = to->offset + i * to->stride[0];
        if (floating) {
            element_store_double(to->storage->data, to->dtype, at, value);
        } else {
            bool fits =
                value >= -0x1p63 && value < 0x1p63; /* the largest int64 is 2^63 as a double */
            element_store_int(to->storage->data, to->dtype, at, fits ? (int64_t)value : INT64_MIN);
        }
    }
    if (!floating && step != floor(step)) {
        k->undefined = "integers of linspace between which the step is not whole: PyTorch's depend "
                       "on its vector width";
    }
    return ERR_none;
}

ErrCode kernel_eye(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)call;
    (void)k;
    tensor_fill(out[0], scalar_int(0));
    for (int64_t i = 0; i < min_i64(out[0]->size[0], out[0]->size[1]); i++) {
        element_store_int(out[0]->storage->data, out[0]->dtype,
                          out[0]->offset + i * (out[0]->stride[0] + out[0]->stride[1]), 1);
    }
    return ERR_none;
}

/* Writes the row of every kept element to row 0 of out and its column to row 1, in row-major
 * order. */
static void write_indices(const Call *call, const Tensor *out, bool upper) {
    int64_t rows = call->arg[0].i, cols = call->arg[1].i, count = out->size[1], n = 0;
    int64_t offset = max_i64(min_i64(call->arg[2].i, cols), -rows);
    int64_t step = out->stride[1], apart = out->stride[0];
    for (int64_t i = 0; i < rows && n < count; i++) {
        int64_t diagonal = i + offset; /* column of the diagonal in this row */
        int64_t first = upper ? max_i64(diagonal, 0) : 0,
                last = upper ? cols - 1 : min_i64(diagonal, cols - 1);
#define WRITE(type)                                                                                \
    for (int64_t j = first; j <= last; j++, n++) {                                                 \
        type *at = (type *)out->storage->data + out->offset + n * step;                            \
        at[0] = (type)i;                                                                           \
        at[apart] = (type)j;                                                                       \
    }
        if (out->dtype == DT_int64) {
            WRITE(int64_t)
        } else {
            WRITE(int32_t)
        }
#undef WRITE
    }
}

ErrCode kernel_tril_indices(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    write_indices(call, out[0], false);
    return ERR_none;
}

ErrCode kernel_triu_indices(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    write_indices(call, out[0], true);
    return ERR_none;
}

ErrCode kernel_literal(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    int64_t bytes = dtype_bytes(out[0]->dtype), numel = call->arg[0].data.n;
    if (numel > 0) {
        memcpy((char *)out[0]->storage->data + out[0]->offset * bytes, call->arg[0].data.data,
               (size_t)(numel * bytes));
    }
    return ERR_none;
}

ErrCode kernel_scalar_tensor(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    tensor_fill(out[0], call->arg[0].scalar);
    return ERR_none;
}
