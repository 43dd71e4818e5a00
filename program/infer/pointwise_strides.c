/* The strides of what POINTWISE ops return (semantics.md 7.1). */
#include "program/infer/pointwise.h"
#include "program/infer/infer.h"

/* An operand as TensorIterator sees it: an operand of another dtype than the common one is cast
 * first, which makes it dense. */
static const Tensor *after_cast(const Tensor *t, DType common, Tensor *cast) {
    if (t->dtype == common || t->ndim == 0 || tensor_is_dense(t)) {
        return t;
    }
    *cast = *t;
    const int64_t *strides[1] = {t->stride};
    ordered_strides(t->size, t->ndim, strides, 1, cast->stride);
    return cast;
}

/* Strides of `out`, whose size is set, if the operands do not all agree. */
static void strides_by_operands(Tensor *out, const Tensor *const *t, int n) {
    int64_t buffer[PW_MAX_OPERANDS][MAX_DIMS];
    const int64_t *strides[PW_MAX_OPERANDS];
    for (int k = 0; k < n; k++) {
        strides[k] = t[k]->stride;
        if (!tensor_same_size(t[k], out)) {
            broadcast_strides(t[k], out->size, out->ndim, buffer[k]);
            strides[k] = buffer[k];
        }
    }
    ordered_strides(out->size, out->ndim, strides, n, out->stride);
}

/* Does the op copy a contiguous clone or fill a new tensor, instead of taking TensorIterator's
 * output? */
static bool always_contiguous(const OpInfo *op) {
    return (op->typing == typing_masked_fill && op->id != OP__masked_fill_kept) ||
           op->id == OP_pow_Scalar || op->id == OP_log_sigmoid;
}

/* Is t, of 4 dims, contiguous in channels-last order? Strides of dims of size 1 do not matter. */
static bool is_dense_channels_last(const Tensor *t) {
    static const int order[4] = {1, 3, 2, 0};
    int64_t step = 1;
    for (int k = 0; k < 4; k++) {
        int d = order[k];
        if (t->size[d] != 1 && t->stride[d] != step) {
            return false;
        }
        step *= t->size[d];
    }
    return true;
}

/* Of a TensorIterator that makes its output: in the layout of its operands (compute_fast_setup_type
 * and allocate_or_resize_outputs in aten/src/ATen/TensorIterator.cpp). Leaves `t` unreadable. */
static void iterator_strides(const OpInfo *op, Tensor *out, const Tensor **t, int n, DType common,
                             bool same_size) {
    bool contiguous = same_size, same_strides = same_size;
    Tensor cast[PW_MAX_OPERANDS];
    for (int k = 0; k < n; k++) {
        bool condition = k == 0 && op->pw == PW_where && t[0]->dtype == DT_bool;
        t[k] = condition ? t[k] : after_cast(t[k], common, &cast[k]);
        contiguous = contiguous && tensor_is_contiguous(t[k]);
    }
    if (contiguous) {
        contiguous_strides(out->size, out->ndim, out->stride);
        return;
    }
    bool channels_last = same_size && out->ndim == 4;
    for (int k = 0; k < n && channels_last; k++) {
        channels_last = is_dense_channels_last(t[k]);
    }
    if (channels_last) {
        channels_last_strides(out);
        return;
    }
    for (int k = 1; k < n && same_strides; k++) {
        same_strides = sizes_equal(t[k]->stride, t[k]->ndim, t[0]->stride, t[0]->ndim);
    }
    if (same_strides && tensor_is_dense(t[0])) {
        dims_copy(out->stride, t[0]->stride, out->ndim);
        return;
    }
    strides_by_operands(out, t, n);
}

/* isinf is abs(self) == inf, isfinite (self == self) * (abs(self) != inf)
 * (aten/src/ATen/native/TensorCompare.cpp) */
static void strides_of_limit_test(const OpInfo *op, Tensor *out, const Tensor *self) {
    Tensor size = *self, beside = *out, equal = *out;
    const Tensor *t[2] = {self, NULL};
    iterator_strides(op, &size, t, 1, self->dtype, true);
    t[0] = &size;
    Tensor *tested = op->pw == PW_isinf ? out : &beside;
    iterator_strides(op, tested, t, 1, self->dtype, self->ndim == 0);
    if (op->pw == PW_isfinite) {
        t[0] = t[1] = self;
        iterator_strides(op, &equal, t, 2, self->dtype, true);
        t[0] = &equal;
        t[1] = &beside;
        iterator_strides(op, out, t, 2, DT_bool, true);
    }
}

void pointwise_strides(const OpInfo *op, Tensor *out, const Tensor **t, int n, DType common,
                       bool same_size) {
    if (always_contiguous(op)) {
        contiguous_strides(out->size, out->ndim, out->stride);
        return;
    }
    bool known = (op->pw == PW_isinf || op->pw == PW_isfinite) && !dtype_is_float(t[0]->dtype);
    bool kept = op->id == OP__masked_fill_kept && tensor_same_size(t[0], out);
    if ((op->id == OP_hardtanh || op->pw == PW_nan_to_num || op->pw == PW_rad2deg ||
         op->pw == PW_deg2rad || known || kept) &&
        tensor_is_dense(t[0])) { /* empty_like also keeps the strides of an empty tensor */
        dims_copy(out->stride, t[0]->stride, out->ndim);
        return;
    }
    if (!known && (op->pw == PW_isinf || op->pw == PW_isfinite)) {
        strides_of_limit_test(op, out, t[0]);
        return;
    }
    iterator_strides(op, out, t, n, common, same_size && (out->ndim == 0 || !op->wraps_scalar));
}
