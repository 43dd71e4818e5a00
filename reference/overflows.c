/* Operand values with which a kernel of ATen overflows, or not, by the order in which it computes:
 * one the vectorized part of its loop, another the tail. Numbers as operands of half dtypes: where
 * the width in which they are taken shows. */
#include "reference/overflows.h"

#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <math.h>

static double magnitude(const Tensor *t, bool least) {
    double found = least ? INFINITY : 0;
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double x = fabs(element_double(t->storage->data, t->dtype, w.at[0]));
        if (isfinite(x) && x > 0) {
            found = least ? fmin(found, x) : fmax(found, x);
        }
    }
    return found;
}

/* A quotient that Sleef_fmod cannot represent: it returns nan. */
bool quotient_overflows(const Call *call) {
    const Tensor *a = call->arg[0].tensor;
    bool scalar = call->op->param[1].type == ARG_SCALAR;
    const Tensor *b = scalar ? NULL : call->arg[1].tensor;
    if (!dtype_is_float(a->dtype) && (scalar || !dtype_is_float(b->dtype))) {
        return false;
    }
    bool wide = a->dtype == DT_float64 && (a->ndim > 0 || !b || b->ndim == 0);
    wide = wide || (b && b->dtype == DT_float64 && (b->ndim > 0 || a->ndim == 0));
    double least = scalar ? fabs(scalar_to_double(call->arg[1].scalar)) : magnitude(b, true);
    return least > 0 && magnitude(a, false) / least > (wide ? 1e300 : 1e37);
}

/* self + alpha * other: the vectorized part of the loop rounds once, the tail twice. */
bool alpha_overflows(const Call *call) {
    bool turned = call->op->pw == PW_rsub, number = call->op->param[1].type == ARG_SCALAR;
    const Tensor *other = call->arg[turned ? 0 : 1].tensor,
                 *self = call->arg[turned && !number ? 1 : 0].tensor;
    DType dtype = dtype_is_float(other->dtype) ? other->dtype : self->dtype;
    double alpha = fabs(scalar_to_double(call->arg[2].scalar));
    return alpha > 1 && dtype_is_float(dtype) &&
           alpha * magnitude(other, false) > dtype_largest(dtype);
}

/* self + value * tensor1 * tensor2 (or / tensor2), from left to right: a partial product overflows
 * that the whole need not. */
bool steps_overflow(const Call *call, bool divides) {
    const Tensor *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (!dtype_is_float(a->dtype) && !dtype_is_float(b->dtype)) {
        return false;
    }
    double first = fabs(scalar_to_double(call->arg[3].scalar)) * magnitude(a, false);
    double factor = divides ? 1 / magnitude(b, true) : magnitude(b, false);
    return first * fmax(factor, 1) > dtype_largest(dtype_is_float(a->dtype) ? a->dtype : b->dtype);
}

/* elu and softplus of a float32 take an exponential that a double can hold. */
static bool exponential_overflows(const Call *call, double scale) {
    const Tensor *self = call->arg[0].tensor;
    return dtype_is_float(self->dtype) && self->dtype != DT_float64 &&
           magnitude(self, false) * fabs(scale) > log(dtype_largest(DT_float32));
}

bool elu_overflows(const Call *call) {
    double input_scale = scalar_to_double(call->arg[3].scalar);
    return input_scale < 0 && exponential_overflows(call, input_scale);
}

bool softplus_overflows(const Call *call) {
    double threshold = scalar_to_double(call->arg[2].scalar);
    return !(threshold <= log(dtype_largest(DT_float32))) && /* also nan */
           exponential_overflows(call, scalar_to_double(call->arg[1].scalar));
}

/* A power of a float64 that norm sums is none: since 2.8 the norm of one element is its magnitude,
 * for some shapes. In 1.13 the powers of a float16 are float16. */
bool powers_overflow(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    double p = call->arg[1].none ? 2 : fabs(scalar_to_double(call->arg[1].scalar));
    if (!isfinite(p)) {
        return false;
    }
    double largest = pow(magnitude(self, false), p), least = pow(magnitude(self, true), p);
    if (self->dtype == DT_float16 && !since(half_kernels)) {
        return largest * (double)tensor_numel(self) > dtype_largest(DT_float16) || least < 0x1p-14;
    }
    return self->dtype == DT_float64 && (isinf(largest) || least == 0);
}

bool triple_products_overflow(const Call *call, const Tensor *grad) {
    double most = 1, terms = 1;
    for (int k = 0; k < 3; k++) {
        const Tensor *t = call->arg[k].tensor;
        bool saved = t->storage && t->storage->data; /* no gradient that is needed reads others */
        most = saved ? fmax(most, magnitude(t, false)) : most;
        terms = fmax(terms, (double)tensor_numel(t));
    }
    return magnitude(grad, false) * most * most * terms > dtype_largest(grad->dtype);
}

bool pair_powers_overflow(const Call *call) {
    int k = op_param(call->op, "p");
    double p = k < 0 ? 2 : fabs(call->arg[k].f);
    for (int i = 0; i < call->op->nparam && isfinite(p); i++) {
        const Tensor *t = call->op->param[i].type == ARG_TENSOR ? call->arg[i].tensor : NULL;
        if (t && t->dtype == DT_float64 &&
            (isinf(pow(2 * magnitude(t, false), p)) || pow(magnitude(t, true), p) == 0)) {
            return true;
        }
    }
    return false;
}

bool zeros_compared(const Tensor *a, const Tensor *b) {
    const Tensor *walked[2] = {a, b};
    int64_t size[MAX_DIMS] = {0};
    int ndim = 0;
    Error ignored = {0};
    for (int k = 0; k < 2; k++) {
        if (broadcast_into(size, &ndim, walked[k]->size, walked[k]->ndim, &ignored) != ERR_none) {
            return false; /* refused */
        }
    }
    for (Walk w = walk_start(size, ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        double x = element_double(a->storage->data, a->dtype, w.at[0]),
               y = element_double(b->storage->data, b->dtype, w.at[1]);
        if (x == 0 && y == 0 && !signbit(x) != !signbit(y)) {
            return true;
        }
    }
    return false;
}

/* Which signs of zeros [0, 1] and of other elements [2, 3] occur? */
static void signs_of(const Tensor *t, bool *found) {
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double x = element_double(t->storage->data, t->dtype, w.at[0]);
        found[(x == 0 ? 0 : 2) + (signbit(x) != 0)] = true;
    }
}

bool product_is_minus_zero(const Tensor *a, const Tensor *b) {
    bool of[2][4] = {{false}, {false}};
    signs_of(a, of[0]);
    signs_of(b, of[1]);
    for (int k = 0; k < 2; k++) {
        const bool *x = of[k], *y = of[1 - k];
        if ((x[0] && (y[1] || y[3])) || (x[1] && (y[0] || y[2]))) {
            return true;
        }
    }
    return false;
}

/* Sleef_powd4 rounds a result near the largest float64 to inf. */
bool power_is_largest(const Call *call) {
    Scalar number[2] = {{0}, {0}};
    const Tensor *operand[2] = {NULL, NULL}, *walked[2];
    int64_t size[MAX_DIMS] = {0};
    int ndim = 0, n = 0, at[2] = {-1, -1};
    Error ignored = {0};
    for (int k = 0; k < 2; k++) {
        if (call->op->param[k].type == ARG_SCALAR) {
            number[k] = call->arg[k].scalar;
        } else {
            operand[k] = walked[n] = call->arg[k].tensor;
            at[k] = n++;
            if (broadcast_into(size, &ndim, operand[k]->size, operand[k]->ndim, &ignored) !=
                ERR_none) {
                return false; /* refused */
            }
        }
    }
    for (Walk w = walk_start(size, ndim, walked, n); walk_more(&w); walk_next(&w)) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            x[k] = operand[k]
                       ? element_double(operand[k]->storage->data, operand[k]->dtype, w.at[at[k]])
                       : scalar_to_double(number[k]);
        }
        double y = fabs(pow(x[0], x[1]));
        if (isfinite(y) && y > 1e300) {
            return true;
        }
    }
    return false;
}

/* The sum of the elements overflows: PyTorch takes the variance in two passes
 * or in one, by the shape of the reduction. */
bool moments_overflow_of(const Tensor *t) {
    return dtype_is_float(t->dtype) &&
           magnitude(t, false) > dtype_largest(t->dtype) / (double)tensor_numel(t);
}
bool moments_overflow(const Call *call) { return moments_overflow_of(call->arg[0].tensor); }

/* The order in which PyTorch multiplies the elements is that of its vectors: partial products may
 * overflow, or vanish, that the whole, in another order, does not. */
bool products_overflow(const Call *call) {
    const Tensor *self = call->arg[0].tensor, *one[1] = {self};
    const Arg *dtype = &call->arg[op_param(call->op, "dtype")];
    DType in = dtype->none ? self->dtype : dtype->dtype;
    if (!dtype_is_float(in)) {
        return false;
    }
    double large = 0, small = 0;
    bool zero = false;
    for (Walk w = walk_start(self->size, self->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double x = fabs(element_double(self->storage->data, self->dtype, w.at[0]));
        zero |= x == 0;
        if (isfinite(x) && x != 0) {
            *(x > 1 ? &large : &small) += fabs(log2(x));
        }
    }
    double most = log2(dtype_largest(in == DT_float64 ? DT_float64 : DT_float32)) - 1;
    return (large > most && (zero || small > 0)) || (small > most && large > 0);
}

/* Since 2.8 mul and div of a half dtype take a number or a 0-dim tensor in float32; here it is
 * rounded to the half dtype, which shows where it overflows or vanishes, and in whole quotients. */
bool half_number_is_rounded(const Call *call) {
    OpId id = call->op->id;
    bool sums = id == OP_trapezoid_dx || id == OP_cumulative_trapezoid_dx; /* multiplied by dx */
    const Tensor *self = call->arg[0].tensor;
    bool scalar = call->op->param[1].type == ARG_SCALAR;
    const Tensor *other = scalar ? NULL : call->arg[1].tensor;
    if (semantics_now < SEMANTICS_2_8 || !dtype_is_float(self->dtype) ||
        dtype_bytes(self->dtype) >= 4 || (other && tensor_numel(other) != 1)) {
        return false;
    }
    double v = scalar ? scalar_to_double(call->arg[1].scalar) : tensor_item_double(other);
    double rounded = dtype_round(v, self->dtype);
    bool whole = !sums && pw_is_quotient(call_pw(call));
    if (id == OP_cumulative_trapezoid_dx) {
        v /= 2;
        rounded = dtype_round(v, self->dtype);
    }
    return isfinite(v) && (whole ? rounded != v : !isfinite(rounded) || (v != 0 && rounded == 0));
}

/* leaky_relu, elu, softplus, lerp and the gradient of xlogy of a half dtype compute in float32,
 * numbers included. */
bool half_number_overflows(const Call *call) {
    bool number_first = call->op->param[0].type == ARG_SCALAR;
    DType dtype = call->arg[number_first].tensor->dtype;
    for (int k = 0; k < call->op->nparam && dtype_is_float(dtype) && dtype_bytes(dtype) < 4; k++) {
        if (call->op->param[k].type == ARG_SCALAR && scalar_overflows(call->arg[k].scalar, dtype)) {
            return true;
        }
    }
    return false;
}
