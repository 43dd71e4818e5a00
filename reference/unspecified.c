/* The list of unspecified behaviours, op by op: each checks for the operand values that trigger
 * one. Found by running every function of PyTorch 1.13.1 (and 2.15) on special values, once in the
 * vectorized part of its loop and once in the tail. */
#include "reference/overflows.h"
#include "reference/unspecified.h"

#include "program/infer/infer.h"
#include "program/semantics/semantics.h"
#include "program/ops/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool any_element(const Tensor *t, ElementTest test) {
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        if (test(element_double(t->storage->data, t->dtype, w.at[0]), t->dtype)) {
            return true;
        }
    }
    return false;
}

bool unspecified_any(const Tensor *t, ElementTest test) {
    return dtype_is_float(t->dtype) && any_element(t, test);
}

/* ---- values ---- */

bool unspecified_is_nan(double x, DType dtype) {
    (void)dtype;
    return isnan(x);
}

static bool is_corner(double x, DType dtype) {
    (void)dtype;
    return isnan(x) || (x == 3 && !since(hardswish_at_3));
}

/* MKL-DNN's gelu computes x (1 + erf(x / sqrt(2))) / 2 in another order and, in bfloat16, without
 * denormal numbers. */
static bool is_at_gelus_ends(double x, DType dtype) {
    return x > dtype_largest(dtype) / 2 ||
           (dtype == DT_bfloat16 && x != 0 && fabs(x) <= 2 * (double)FLT_MIN);
}

static bool is_plus_zero(double x, DType dtype) {
    (void)dtype;
    return x == 0 && !signbit(x);
}

static bool is_minus_zero(double x, DType dtype) {
    (void)dtype;
    return x == 0 && signbit(x);
}

/* Sleef_log1p returns inf from here on; fixed in 2.8. */
static bool is_huge(double x, DType dtype) {
    return isfinite(x) && x > (dtype == DT_float64 ? 1e307 : 1e38);
}

/* x * 6 overflows. */
static bool is_a_sixth(double x, DType dtype) {
    return isfinite(x) && x > dtype_largest(dtype) / 6;
}

/* e^x overflows, e^x / 2 does not; in 2.15 float32 is right, bfloat16 is not. */
static bool is_steep(double x, DType dtype) {
    if (dtype == DT_float32 && semantics_now >= SEMANTICS_2_15) {
        return false;
    }
    double most = log(dtype == DT_float64 ? 0x1.fffffffffffffp+1023 : 0x1.fffffep+127);
    return fabs(x) >= most && fabs(x) <= most + 0.7;
}

/* Zero in float32 only: the tail of pow's loop computes in double. */
static bool vanishes(Scalar exponent) {
    double x = scalar_to_double(exponent);
    return x != 0 && (float)x == 0;
}

/* Sleef_pow near the largest number. */
static bool is_largest(double x, DType dtype) {
    return dtype == DT_float64 && isfinite(x) && fabs(x) > 1e300;
}

/* Can a loop of the call have a vectorized part? It processes two vectors at once (vectorized_loop
 * in aten/src/ATen/native/cpu/Loops.h; reductions four), of 32 bytes or more; a shorter one is all
 * tail, which the reference follows. */
static bool has_vectors(const Call *call) {
    for (int i = 0; i < call->op->nparam; i++) {
        const Arg *arg = &call->arg[i];
        ArgType type = call->op->param[i].type;
        if ((type == ARG_TENSOR || type == ARG_TENSOR_OPT) && !arg->none &&
            tensor_numel(arg->tensor) >= (arg->tensor->dtype == DT_float64 ? 8 : 16)) {
            return true;
        }
    }
    return false;
}

/* ---- pairs ---- */

/* Zeros of both signs may be compared, and which one is kept depends on the order of a comparison.
 * An integer zero becomes 0.0. */
static bool zeros_meet(const Tensor *a, const Tensor *b) {
    return (any_element(a, is_plus_zero) && unspecified_any(b, is_minus_zero)) ||
           (unspecified_any(a, is_minus_zero) && any_element(b, is_plus_zero));
}

/* The least int32 or int64 divided by -1: the processor refuses, and PyTorch dies of SIGFPE.
 * In 2.13 only div that rounds to 0 still does. */
static bool traps(const Call *call) {
    const Tensor *a = call->arg[0].tensor;
    if (semantics_now >= SEMANTICS_2_13 && !pw_is_div_trunc(call_pw(call))) {
        return false;
    }
    bool scalar = call->op->param[1].type == ARG_SCALAR;
    if (a->dtype != DT_int32 && a->dtype != DT_int64) {
        return false;
    }
    bool least = false, minus = scalar && scalar_to_double(call->arg[1].scalar) == -1;
    const Tensor *one[1] = {a};
    for (Walk w = walk_start(a->size, a->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        least = least || element_int(a->storage->data, a->dtype, w.at[0]) == dtype_min(a->dtype);
    }
    const Tensor *b = scalar ? a : call->arg[1].tensor;
    one[0] = b;
    for (Walk w = walk_start(b->size, b->ndim, one, 1); walk_more(&w) && !scalar; walk_next(&w)) {
        minus = minus || element_double(b->storage->data, b->dtype, w.at[0]) == -1;
    }
    return least && minus;
}

/* ---- rows ---- */

/* Is some row that layer_norm normalizes flat, next to its own size? What is left of it then is
 * rounding. */
static bool flat_row(const Call *call) {
    const Tensor *input = call->arg[0].tensor;
    int first = input->ndim - call->arg[1].ints.n;
    if (first < 0 || first >= input->ndim || !dtype_is_float(input->dtype)) {
        return false; /* refused */
    }
    Tensor rows = *input, row = *input;
    rows.ndim = first;
    row.ndim = input->ndim - first;
    for (int d = 0; d < row.ndim; d++) {
        row.size[d] = input->size[first + d];
        row.stride[d] = input->stride[first + d];
    }
    const Tensor *starts[1] = {&rows}, *one[1] = {&row};
    for (Walk w = walk_start(rows.size, rows.ndim, starts, 1); walk_more(&w); walk_next(&w)) {
        double least = INFINITY, most = -INFINITY;
        row.offset = w.at[0];
        for (Walk v = walk_start(row.size, row.ndim, one, 1); walk_more(&v); walk_next(&v)) {
            double x = element_double(input->storage->data, input->dtype, v.at[0]);
            least = fmin(least, x);
            most = fmax(most, x);
        }
        if (most - least <= 0.01 * fmax(fabs(most), fabs(least))) {
            return true;
        }
    }
    return false;
}

/* log_softmax of bfloat16 along another dim than the last, with a vector of elements behind it. */
static bool confuses_columns(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dtype = &call->arg[2];
    int64_t dim = call->arg[1].i, inner = 1;
    if (semantics_now >= SEMANTICS_2_8 ||
        (dtype->none ? self->dtype : dtype->dtype) != DT_bfloat16) {
        return false;
    }
    for (int64_t d = dim + (dim < 0 ? self->ndim : 0) + 1; d > 0 && d < self->ndim; d++) {
        inner *= self->size[d];
    }
    return inner >= 16;
}

/* ---- the lists ---- */

static const char partial_product[] =
    "addcmul, addcdiv, hardswish: a partial product that overflows";
static const char two_zeros[] = "maximum, minimum: which of two zeros stays",
                  nan_bounds[] = "elu, hardtanh: the gradient at nan";

/* fmod, remainder, floor_divide, and div, whatever its rounding mode. */
static bool is_modulo(OpId id) {
    const OpInfo *op = op_info(id);
    return op->kind == KIND_POINTWISE &&
           (pw_is_quotient(op->pw) || op_param(op, "rounding_mode") >= 0);
}

/* Where a vectorized loop and its tail disagree. */
static const char *loop_unspecified(const Call *call, OpId id) {
    switch (id) {
    case OP_sinh:
    case OP_cosh:
        return any_element(call->arg[0].tensor, is_steep)
                   ? "sinh, cosh where exp overflows and they do not"
                   : NULL;
    case OP_pow_Tensor_Tensor:
        return unspecified_any(call->arg[0].tensor, is_largest) ? "pow near the largest number"
                                                                : NULL;
    case OP_maximum:
    case OP_minimum:
    case OP_max_other:
    case OP_min_other:
    case OP_clamp_max_Tensor:
    case OP_clamp_min_Tensor:
    case OP_fmax:
    case OP_fmin:
        return zeros_compared(call->arg[0].tensor, call->arg[1].tensor) ? two_zeros : NULL;
    case OP_clamp_Tensor:
        for (int k = 1; k <= 2; k++) {
            if (!call->arg[k].none && zeros_compared(call->arg[0].tensor, call->arg[k].tensor)) {
                return two_zeros;
            }
        }
        return NULL;
    case OP_amax:
    case OP_amin:
    case OP_aminmax:
        return zeros_meet(call->arg[0].tensor, call->arg[0].tensor) ? two_zeros : NULL;
    default:
        return is_modulo(id) && quotient_overflows(call)
                   ? "fmod, remainder, floor_divide whose quotient overflows"
                   : NULL;
    }
}

/* A product of one term, of which an element is -0: some kernels of MKL add it to 0. */
static bool term_is_minus_zero(const Tensor *a, const Tensor *b) {
    return dtype_bytes(a->dtype) >= 4 && semantics_now >= SEMANTICS_2_8 &&
           product_is_minus_zero(a, b);
}

static bool outer_has_minus_zero(const Call *call) {
    int at = call->op->id == OP_addmm;
    const Tensor *a = call->arg[at].tensor, *b = call->arg[at + 1].tensor;
    bool outer = a->ndim >= 2 && b->ndim == 2 && a->size[a->ndim - 1] == 1 && b->size[0] == 1;
    return outer && term_is_minus_zero(a, b);
}

static const char *convolution(const Call *call) {
    const Tensor *input = call->arg[0].tensor, *weight = call->arg[1].tensor;
    if (input->dtype == DT_bfloat16) {
        return "convolution of bfloat16: MKL-DNN's, where the processor has it";
    }
    bool transposed = op_param(call->op, "output_padding") >= 0;
    int64_t terms = transposed ? call->arg[op_param(call->op, "groups")].i : tensor_numel(weight);
    return weight->ndim > 0 && weight->size[0] == terms && term_is_minus_zero(input, weight)
               ? "convolution of one term: the sign of a zero"
               : NULL;
}

/* The vectorized loop of 1.13 over bytes of truth, of four vectors or more. */
static bool multiplies_truth(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dtype = &call->arg[op_param(call->op, "dtype")];
    return semantics_now < SEMANTICS_2_8 && tensor_numel(self) >= 128 && !dtype->none &&
           dtype->dtype == DT_bool;
}

/* cumsum and cumprod of a 0-dim tensor fill the result with it as a number, which must fit, in
 * 1.13. */
static bool fills_another_dtype(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dtype = &call->arg[2];
    if (semantics_now >= SEMANTICS_2_8 || self->ndim != 0 || dtype->none) {
        return false;
    }
    Scalar s = dtype_is_float(self->dtype)
                   ? scalar_float(element_double(self->storage->data, self->dtype, self->offset))
                   : scalar_int(element_int(self->storage->data, self->dtype, self->offset));
    return scalar_overflows(s, dtype->dtype);
}

/* x[0:0] = value of a 0-dim x: 1.13 reads the size of a dim that is not there. */
static bool slices_no_dim(const Call *call) {
    const IndexItem *only = call->arg[1].index.n == 1 ? &call->arg[1].index.v[0] : NULL;
    return semantics_now < SEMANTICS_2_8 && call->arg[0].tensor->ndim == 0 && only &&
           only->kind == INDEX_SLICE && only->has_stop && only->start == 0 && only->stop == 0 &&
           (!only->has_step || only->step == 1);
}

/* -1 in expand means the size that is there. */
static bool names_negative_size(const Call *call) {
    const Arg *size = &call->arg[1];
    bool strided = op_param(call->op, "stride") >= 0;
    for (int d = 0; d < size->ints.n; d++) {
        if (size->ints.v[d] < (strided ? 0 : -1)) {
            return true;
        }
    }
    return false;
}

const char *unspecified(const Call *call) {
    bool in_place = call->op->kind == KIND_INPLACE;
    Call form = *call;
    form.op = in_place ? op_info(call->op->twin) : call->op; /* the same parameters */
    call = &form;
    OpId id = form.op->id;
    switch (id) {
    case OP_masked_scatter:
        return semantics_now < SEMANTICS_2_8 && in_place &&
                       !tensor_is_contiguous(call->arg[0].tensor)
                   ? "masked_scatter_ of a self that is not row-major"
                   : NULL;
    case OP_leaky_relu:
    case OP__leaky_relu_result:
    case OP_lerp_Scalar:
        return half_number_overflows(call) ? half_number : NULL;
    case OP_add_Tensor:
    case OP_sub_Tensor:
    case OP_rsub_Tensor:
    case OP_rsub_Scalar:
        return alpha_overflows(call)
                   ? "add with an alpha that overflows when it is multiplied first"
                   : NULL;
    case OP_mul_Scalar:
    case OP_mul_Tensor:
    case OP_div_Scalar:
    case OP_div_Tensor:
    case OP_div_Scalar_mode:
    case OP_div_Tensor_mode:
    case OP_floor_divide_Scalar:
    case OP_floor_divide:
    case OP_trapezoid_dx:
    case OP_cumulative_trapezoid_dx:
        if (half_number_is_rounded(call)) {
            return half_number;
        }
        break;
    case OP_addcmul:
    case OP_addcdiv:
        return half_number_overflows(call)              ? half_number
               : steps_overflow(call, id == OP_addcdiv) ? partial_product
                                                        : NULL;
    case OP_max: /* the last one that a lane sees; lanes begin at 5 elements of a float64 */
    case OP_min:
        return zeros_meet(call->arg[0].tensor, call->arg[0].tensor) ? two_zeros : NULL;
    case OP_log_softmax:
        return confuses_columns(call)
                   ? "log_softmax of bfloat16 in 1.13: columns are scaled by one another's maximum"
                   : NULL;
    case OP_pow_Tensor_Scalar:
        return call->arg[0].tensor->dtype == DT_float32 && vanishes(call->arg[1].scalar)
                   ? "pow of float32 by an exponent that it does not hold"
                   : NULL;
    case OP_cumsum:
    case OP_cumprod:
        return fills_another_dtype(call) ? "cumsum, cumprod of a 0-dim tensor that dtype lacks"
                                         : NULL;
    case OP_setitem:
        return slices_no_dim(call) ? "a slice of a 0-dim tensor, written" : NULL;
    case OP_prod:
    case OP_prod_dim:
        return multiplies_truth(call)    ? "prod of 128 elements or more as bool"
               : products_overflow(call) ? "prod: partial products that overflow or vanish"
                                         : NULL;
    case OP_mm:
    case OP_addmm:
    case OP_matmul:
        return outer_has_minus_zero(call) ? "mm of a column and a row: the sign of a zero" : NULL;
    case OP_hardswish:
        return unspecified_any(call->arg[0].tensor, is_a_sixth) ? partial_product : NULL;
    case OP_gelu:
        return semantics_now >= SEMANTICS_2_8 && call_pw(call) == PW_gelu &&
                       unspecified_any(call->arg[0].tensor, is_at_gelus_ends)
                   ? "gelu near the ends of the range: MKL-DNN's"
                   : NULL;
    case OP_norm_Scalar:
    case OP_norm_dim:
    case OP_linalg_vector_norm:
        return powers_overflow(call) ? "norm: powers that overflow or vanish" : NULL;
    case OP_expand:
    case OP_broadcast_to:
    case OP_as_strided:
    case OP_as_strided_:
        return names_negative_size(call)
                   ? "a negative size, which expand and as_strided take where nothing is addressed"
                   : NULL;
    case OP_elu:
    case OP__elu_result:
    case OP__celu:
    case OP__celu_result:
        return half_number_overflows(call) ? half_number
               : elu_overflows(call)       ? "elu: an exponential that overflows in float32"
                                           : NULL;
    case OP_softplus:
        return half_number_overflows(call) ? half_number
               : softplus_overflows(call)  ? "softplus: an exponential that overflows in float32"
                                           : NULL;
    case OP_var:
    case OP_var_dim:
    case OP_var_correction:
    case OP_std:
    case OP_std_dim:
    case OP_std_correction:
        return moments_overflow(call) ? "var, std: the sum of the elements overflows" : NULL;
    case OP_log1p:
        return semantics_now < SEMANTICS_2_8 && unspecified_any(call->arg[0].tensor, is_huge)
                   ? "log1p near the largest number"
                   : NULL;
    default:
        break;
    }
    const char *special = call->op->decompose == decompose_conv
                              ? convolution(call)
                              : unspecified_special(call, has_vectors(call));
    if (special) {
        return special;
    }
    if (is_modulo(id) && traps(call)) {
        return "fmod, remainder, floor_divide of the least integer by -1: SIGFPE";
    }
    return has_vectors(call) ? loop_unspecified(call, id) : NULL;
}

const char *unspecified_gradient(const Grad *g) {
    const Call *call = g->call;
    const Tensor *self = call->arg[0].tensor;
    bool again = g->e->create_graph, vectors = has_vectors(call);
    switch (call->op->id) {
    case OP_as_strided_scatter:
        if (g->need[0]) {
            return "as_strided_scatter: self's gradient is uninitialised memory";
        }
        return g->grad[0]->offset != 0 && tensor_is_contiguous(g->grad[0])
                   ? "as_strided_scatter: src's gradient is read from a storage's start"
                   : NULL;
    case OP__masked_scatter_grad: /* which is one, of the gradient */
    case OP__masked_select:
        return semantics_now < SEMANTICS_2_8 && g->need[0] && !tensor_is_contiguous(self)
                   ? "masked_select: the gradient of a self that is not row-major"
                   : NULL;
    case OP_gelu:
        return semantics_now < SEMANTICS_2_8 && self->dtype == DT_float32 && self->ndim > 1 &&
                       call_pw(call) == PW_gelu
                   ? "gelu: the gradient is uninitialised memory where the one that comes in is "
                     "not row-major"
                   : NULL;
    case OP_hardswish:
        return vectors && unspecified_any(self, is_corner)
                   ? "hardswish: the gradient at 3 (before 2.8) and at nan"
                   : NULL;
    case OP_hardtanh:
        return vectors && (isnan(scalar_to_double(call->arg[1].scalar) +
                                 scalar_to_double(call->arg[2].scalar)) ||
                           unspecified_any(self, unspecified_is_nan))
                   ? nan_bounds
                   : NULL;
    case OP_elu:
    case OP__celu:
        return vectors && unspecified_any(self, unspecified_is_nan) ? nan_bounds : NULL;
    case OP__elu_result:
    case OP__celu_result:
        return vectors && unspecified_any(g->result[0], unspecified_is_nan) ? nan_bounds : NULL;
    case OP_xlogy_Scalar_Self:
    case OP_special_xlog1py_self_scalar:
        return half_number_overflows(call) ? half_number : NULL;
    case OP_layer_norm:
        if (again) {
            return "layer_norm: the second derivative";
        }
        return flat_row(call) ? "layer_norm of a flat row: what cancels in its gradient" : NULL;
    default:
        return unspecified_special_gradient(g, vectors);
    }
}

const char *unspecified_slice(const Tensor *base, const Tensor *view) {
    return tensor_covers(base, view) ? NULL
                                     : "CopySlices: the gradient of a view that reads what lies "
                                       "between its base's elements";
}
