/* Dtypes of POINTWISE ops: in which dtype an op computes and which it returns, or the refusal.
 *
 * Operands are promoted as in c10 (dtype.h, Promotion). A Scalar parameter with a default (alpha of
 * add, value of addcmul) is a coefficient: it does not promote, is converted to the computation
 * dtype, and must fit there. Bounds of clamp, an exponent and where's and masked_fill's scalars
 * must fit as well (c10::Scalar::to), while the scalar of add, mul, eq, .. wraps silently:
 * torch.add(uint8, 300) is fine, torch.clamp(uint8, 300) raises. */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

#include <math.h>
#include <string.h>

/* c10::overflows: a negative integer may wrap into an unsigned dtype as long as its magnitude fits;
 * infinities go to floats. */
bool scalar_overflows(Scalar s, DType dtype) {
    if (dtype == DT_bool ||
        (s.kind != CAT_FLOAT && s.i == (s.i != 0))) { /* 0 and 1 fit everywhere */
        return false;
    }
    if (dtype_is_float(dtype)) {
        double v = scalar_to_double(s);
        return isfinite(v) && fabs(v) > dtype_largest(dtype);
    }
    if (s.kind == CAT_FLOAT) {
        if (dtype == DT_int64) {
            return !(s.f >= -0x1p63 && s.f < 0x1p63);
        }
        double most = (double)dtype_max(dtype);
        return !(s.f >= (double)dtype_min(dtype) &&
                 (since(overflow_of_fraction) ? s.f < most + 1 : s.f <= most));
    }
    if (dtype == DT_uint8 && s.i < 0) {
        return s.i < -255;
    }
    return s.i < dtype_min(dtype) || s.i > dtype_max(dtype);
}

ErrCode scalar_check(Scalar s, DType dtype, Error *err) {
    if (scalar_overflows(s, dtype)) {
        return error_set(err, ERR_invalid, "value cannot be converted to type %s without overflow",
                         dtype_name(dtype));
    }
    return ERR_none;
}

ErrCode filled_check(Scalar s, DType dtype, int64_t numel, Error *err) {
    return numel == 1 && half_overflows(dtype) ? ERR_none : scalar_check(s, dtype, err);
}

/* ---- promotion over a call's operands ---- */

static bool is_scalar(const Param *p) { return p->type == ARG_SCALAR || p->type == ARG_SCALAR_OPT; }
static bool is_coefficient(const Param *p) { return p->type == ARG_SCALAR && p->has_default; }

/* Operand `k` if it takes part in promotion (`*scalar`: as a number), else NULL. */
static inline const Arg *promoting(const Call *call, int k, bool *scalar) {
    const Param *param = &call->op->param[call->op->operand[k]];
    const Arg *a = &call->arg[call->op->operand[k]];
    *scalar = is_scalar(param);
    return a->none || is_coefficient(param) ? NULL : a;
}

/* Have all operands that promote one dtype, and are they tensors? Then that is what they promote
 * to. */
static bool typing_one_dtype(const Call *call, int first, DType *dtype) {
    bool some = false, scalar;
    for (int k = first; k < call->op->noperand; k++) {
        const Arg *a = promoting(call, k, &scalar);
        if (!a) {
            continue;
        }
        if (scalar || (some && a->tensor->dtype != *dtype)) {
            return false;
        }
        *dtype = a->tensor->dtype;
        some = true;
    }
    return some;
}

/* Promotes the operands from `first` on. */
static DType promote_operands(const Call *call, int first) {
    DType dtype;
    if (typing_one_dtype(call, first, &dtype)) {
        return dtype;
    }
    Promotion p = PROMOTION_START;
    for (int k = first; k < call->op->noperand; k++) {
        bool scalar;
        const Arg *a = promoting(call, k, &scalar);
        if (a && scalar) {
            promotion_scalar(&p, a->scalar.kind);
        } else if (a) {
            promotion_tensor(&p, a->tensor->dtype, a->tensor->ndim);
        }
    }
    return promotion_result(&p);
}

/* How many operands are bool, counting Python's too. */
static int bool_operands(const Call *call, int *operands) {
    const OpInfo *op = call->op;
    int bools = 0;
    *operands = 0;
    for (int k = 0; k < op->noperand; k++) {
        const Param *param = &op->param[op->operand[k]];
        const Arg *a = &call->arg[op->operand[k]];
        if (!is_coefficient(param)) {
            ++*operands;
            bools += is_scalar(param) ? a->scalar.kind == CAT_BOOL : a->tensor->dtype == DT_bool;
        }
    }
    return bools;
}

bool half_missing(const Call *call, DType dtype) {
    int missing = call->op->no_kernel;
    return semantics_now < call->op->kernel_since &&
           ((dtype == DT_float16 && missing & NO_KERNEL_FLOAT16) ||
            (dtype == DT_bfloat16 && missing & NO_KERNEL_BFLOAT16));
}

ErrCode half_check(const Call *call, DType dtype, Error *err) {
    return half_missing(call, dtype) ? error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'",
                                                 call->op->name, dtype_name(dtype))
                                     : ERR_none;
}

static ErrCode typing_no_kernel(const Call *call, DType dtype, Error *err) {
    return error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                     dtype_name(dtype));
}

/* Between two bounds (clamp_min, clamp_max: one) of which one is nan PyTorch fills the result, by
 * no kernel of the op's. */
static bool fills_nan(const Call *call) {
    bool some = false;
    for (int k = 1; k < call->op->noperand; k++) {
        const Arg *bound = &call->arg[call->op->operand[k]];
        if (bound->none) {
            return false;
        }
        some |= is_scalar(&call->op->param[call->op->operand[k]]) &&
                bound->scalar.kind == CAT_FLOAT && isnan(bound->scalar.f);
    }
    return some;
}

static ErrCode refuse_missing(const Call *call, DType dtype, Error *err) {
    return dtype == DT_bool ? typing_no_kernel(call, dtype, err) : half_check(call, dtype, err);
}

/* ---- one function a typing rule ---- */

ErrCode typing_same(const Call *call, DType *compute, DType *result, Error *err) {
    (void)err;
    *compute = *result = promote_operands(call, 0);
    return ERR_none;
}

ErrCode typing_no_bool(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    return refuse_missing(call, *compute, err);
}

/* Integers and bools compute in the default floating dtype. */
ErrCode typing_float(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = promote_operands(call, 0);
    *compute = *result = dtype_is_float(dtype) ? dtype : DT_float32;
    return half_check(call, *compute, err);
}

/* square is pow(self, 2): bool becomes int64. */
ErrCode typing_square(const Call *call, DType *compute, DType *result, Error *err) {
    (void)err;
    DType dtype = call->arg[0].tensor->dtype;
    *compute = *result = dtype == DT_bool ? DT_int64 : dtype;
    return ERR_none;
}

ErrCode typing_logical(const Call *call, DType *compute, DType *result, Error *err) {
    (void)err;
    *compute = promote_operands(call, 0);
    *result = DT_bool;
    return ERR_none;
}

ErrCode typing_compare(const Call *call, DType *compute, DType *result, Error *err) {
    return typing_logical(call, compute, result, err);
}

/* at::native::alpha_check, and that the coefficient fits; sub negates it first. */
static ErrCode check_alpha(const Call *call, DType dtype, bool negated, Error *err) {
    Scalar alpha = call->arg[2].scalar;
    if (alpha.kind == CAT_BOOL && dtype != DT_bool) {
        return error_set(err, ERR_invalid, "Boolean alpha only supported for Boolean results.");
    }
    if (alpha.kind == CAT_FLOAT && !dtype_is_float(dtype)) {
        return error_set(
            err, ERR_invalid,
            "For integral input tensors, argument alpha must not be a floating point number.");
    }
    if (negated && alpha.kind != CAT_FLOAT && alpha.i != INT64_MIN) {
        alpha = scalar_int(-alpha.i);
    }
    return scalar_check(alpha, dtype, err);
}

ErrCode typing_add(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    return check_alpha(call, *compute, false, err);
}

/* sub, rsub: no operand may be bool. */
ErrCode typing_no_bool_pair(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    int operands, bools = bool_operands(call, &operands);
    if (bools > 0) {
        return error_set(err, ERR_dtype, "Subtraction, the `-` operator, with %s is not supported.",
                         bools == operands ? "two bool tensors" : "a bool tensor");
    }
    return check_alpha(call, *compute, true, err);
}

/* `value` of addcmul and addcdiv: the half types compute in float32, `value` included. */
static ErrCode value_check(const Call *call, DType compute, Error *err) {
    DType held = dtype_is_float(compute) ? dtype_promote(compute, DT_float32) : compute;
    return scalar_check(call->arg[3].scalar, held, err);
}

ErrCode typing_addcmul(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    TRY(refuse_missing(call, *compute, err));
    return value_check(call, *compute, err);
}

ErrCode typing_remainder(const Call *call, DType *compute, DType *result, Error *err) {
    return typing_no_bool(call, compute, result, err);
}

ErrCode typing_div_mode(const Call *call, DType *compute, DType *result, Error *err) {
    const Arg *mode = &call->arg[2];
    if (mode->none) {
        return typing_float(call, compute, result, err);
    }
    if (strcmp(mode->str, "trunc") != 0 && strcmp(mode->str, "floor") != 0) {
        return error_set(
            err, ERR_invalid,
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'",
            mode->str);
    }
    return typing_no_bool(call, compute, result, err);
}

ErrCode typing_pow(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = promote_operands(call, 0);
    *compute = *result = dtype;
    if (call->op->id == OP_pow_Tensor_Scalar) {
        Scalar exponent = call->arg[1].scalar;
        if (!dtype_is_float(call->arg[0].tensor->dtype) && exponent.kind != CAT_FLOAT &&
            exponent.i < 0) {
            return error_set(err, ERR_invalid,
                             "Integers to negative integer powers are not allowed.");
        }
        if (!dtype_is_float(dtype) || dtype_bytes(dtype) < 4) {
            TRY(scalar_check(exponent, dtype, err));
        }
        if (dtype == DT_bool && since(pow_bool_number)) { /* ones, or a copy */
            return ERR_none;
        }
    }
    return refuse_missing(call, dtype, err);
}

/* A bound of clamp or hardtanh. Since clamp_saturates a bound that no element of an integral dtype
 * reaches bounds nothing, and one beyond its other end is refused. */
static ErrCode check_bound(Scalar bound, bool is_max, DType dtype, Error *err) {
    if (dtype_is_float(dtype) || dtype == DT_bool || !since(clamp_saturates)) {
        return scalar_check(bound, dtype, err);
    }
    TRY(scalar_check(bound, DT_int64, err));
    int64_t v = scalar_to_int(bound);
    bool outside = is_max ? v < dtype_min(dtype) : v > dtype_max(dtype);
    return outside ? error_set(err, ERR_invalid,
                               "Clamp %s value %lld is outside the representable range of %s",
                               is_max ? "max" : "min", (long long)v, dtype_name(dtype))
                   : ERR_none;
}

/* clamp, clamp.Tensor, clamp_min, clamp_max. */
ErrCode typing_clamp(const Call *call, DType *compute, DType *result, Error *err) {
    const OpInfo *op = call->op;
    DType dtype = promote_operands(call, 0);
    *compute = *result = dtype;
    int bounds = 0;
    for (int k = 1; k < op->noperand; k++) {
        bounds += !call->arg[op->operand[k]].none;
    }
    if (bounds == 0) {
        return error_set(err, ERR_invalid,
                         "torch.clamp: At least one of 'min' or 'max' must not be None");
    }
    if (!is_scalar(&op->param[op->operand[1]])) {
        return bounds == 2 ? refuse_missing(call, dtype, err)
                           : ERR_none; /* one tensor bound is maximum or minimum, which take bool */
    }
    TRY(fills_nan(call) ? ERR_none : refuse_missing(call, dtype, err));
    for (int k = 1; k < op->noperand; k++) {
        const Param *p = &op->param[op->operand[k]];
        if (!call->arg[op->operand[k]].none) {
            TRY(check_bound(call->arg[op->operand[k]].scalar, strcmp(p->name, "max") == 0, dtype,
                            err));
        }
    }
    return ERR_none;
}

ErrCode typing_where(const Call *call, DType *compute, DType *result, Error *err) {
    const OpInfo *op = call->op;
    DType dtype = promote_operands(call, 1);
    *compute = *result = dtype;
    for (int k = 1; k < op->noperand; k++) {
        if (is_scalar(&op->param[op->operand[k]]) && !half_overflows(dtype)) {
            TRY(scalar_check(call->arg[op->operand[k]].scalar, dtype, err));
        }
    }
    DType condition = call->arg[0].tensor->dtype;
    if (condition != DT_bool && condition != DT_uint8) {
        return error_set(
            err, ERR_dtype,
            "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
            dtype_name(condition));
    }
    return ERR_none;
}

/* The result keeps self's dtype. PyTorch 1.13 reads one byte of any mask's elements; only bool and
 * uint8 masks have a meaning. */
ErrCode typing_masked_fill(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = call->arg[0].tensor->dtype, mask = call->arg[1].tensor->dtype;
    *compute = *result = dtype;
    if (call->op->param[2].type == ARG_TENSOR && call->arg[2].tensor->ndim != 0) {
        return error_set(err, ERR_invalid,
                         "masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
                         "with %d dimension(s).",
                         call->arg[2].tensor->ndim);
    }
    if (!mask_dtype_valid(mask)) {
        return error_set(err, ERR_dtype, "expected mask dtype to be Bool but got %s",
                         dtype_name(mask));
    }
    return call->op->param[2].type == ARG_SCALAR ? scalar_check(call->arg[2].scalar, dtype, err)
                                                 : ERR_none;
}

/* ---- activations and other functions of floats ---- */

/* Scalar operands must fit the dtype that they are converted to. */
static ErrCode check_scalars(const Call *call, DType dtype, Error *err) {
    const OpInfo *op = call->op;
    for (int k = 0; k < op->noperand; k++) {
        if (is_scalar(&op->param[op->operand[k]])) {
            TRY(scalar_check(call->arg[op->operand[k]].scalar, dtype, err));
        }
    }
    return ERR_none;
}

/* The dtype in which ATen computes activations: at::opmath_type. */
static DType opmath_type(DType dtype) {
    return dtype_is_float(dtype) && dtype_bytes(dtype) < 4 ? DT_float32 : dtype;
}

/* Floats only: there is no kernel for integers. */
ErrCode typing_floating(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    if (!dtype_is_float(*compute)) {
        return typing_no_kernel(call, *compute, err);
    }
    TRY(half_check(call, *compute, err));
    return check_scalars(call, opmath_type(*compute), err);
}

/* lambd is a number of self's dtype (shrink kernels in aten/src/ATen/native/cpu/Activation.cpp). */
ErrCode typing_hardshrink(const Call *call, DType *compute, DType *result, Error *err) {
    TRY(typing_floating(call, compute, result, err));
    return scalar_check(call->arg[1].scalar, *compute, err);
}

/* The dtype of the parameter `value`, whatever the operands' are. */
ErrCode typing_of_value(const Call *call, DType *compute, DType *result, Error *err) {
    (void)err;
    *compute = *result = call->arg[op_param(call->op, "value")].tensor->dtype;
    return ERR_none;
}

ErrCode typing_gelu(const Call *call, DType *compute, DType *result, Error *err) {
    const char *approximate = call->arg[1].str;
    if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0) {
        *compute = *result = call->arg[0].tensor->dtype;
        return error_set(err, ERR_invalid, "approximate argument must be either none or tanh.");
    }
    return typing_floating(call, compute, result, err);
}

/* Integers have nothing to replace. */
ErrCode typing_nan_to_num(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = call->arg[0].tensor->dtype;
    return half_check(call, *compute, err);
}

/* The bounds do not promote; for integers they are truncated. */
ErrCode typing_hardtanh(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = call->arg[0].tensor->dtype;
    *compute = *result = dtype;
    if (dtype == DT_bool) {
        return error_set(err, ERR_invalid, "Bool inputs not supported for hardtanh");
    }
    TRY(fills_nan(call) ? ERR_none : half_check(call, dtype, err));
    for (int k = 1; k <= 2; k++) {
        Scalar bound = call->arg[k].scalar;
        if (!dtype_is_float(dtype)) {
            TRY(scalar_check(bound, DT_int64, err));
            bound = scalar_int(scalar_to_int(bound));
            if (dtype == DT_uint8 && bound.i < 0 && !since(clamp_saturates)) {
                return error_set(err, ERR_invalid,
                                 "cannot do hardtanh on an unsigned type with negative limits");
            }
        }
        TRY(check_bound(bound, k == 2, dtype, err));
    }
    return ERR_none;
}

ErrCode typing_threshold(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = call->arg[0].tensor->dtype;
    *compute = *result = dtype;
    TRY(refuse_missing(call, dtype, err));
    DType compared = since(threshold_opmath) ? opmath_type(dtype) : dtype;
    TRY(scalar_check(call->arg[1].scalar, compared, err));
    return scalar_check(call->arg[2].scalar, dtype, err);
}

/* Integers and bools. In 1.13 a Scalar is an integer even if it is a bool, as the overloads .Scalar
 * have it when they are called by name. */
ErrCode typing_bitwise(const Call *call, DType *compute, DType *result, Error *err) {
    const OpInfo *op = call->op;
    *compute = promote_operands(call, 0);
    bool widens = !since(bitwise_bool_number);
    for (int k = 0; k < op->noperand && *compute == DT_bool && widens; k++) {
        *compute = is_scalar(&op->param[op->operand[k]]) ? DT_int64 : *compute;
    }
    *result = *compute;
    return dtype_is_float(*compute) ? typing_no_kernel(call, *compute, err) : ERR_none;
}

ErrCode typing_shift(const Call *call, DType *compute, DType *result, Error *err) {
    TRY(typing_bitwise(call, compute, result, err));
    return refuse_missing(call, *compute, err);
}

/* No promotion: one dtype, a floating one. */
ErrCode typing_lerp(const Call *call, DType *compute, DType *result, Error *err) {
    DType dtype = call->arg[0].tensor->dtype;
    *compute = *result = dtype;
    for (int k = 1; k <= 2; k++) {
        bool number = is_scalar(&call->op->param[k]) ||
                      (k == 2 && call->arg[k].tensor->ndim == 0 && since(lerp_number_weight));
        if (!number && call->arg[k].tensor->dtype != dtype) {
            return error_set(err, ERR_dtype, "expected dtype %s for `%s` but got dtype %s",
                             dtype_name(dtype), call->op->param[k].name,
                             dtype_name(call->arg[k].tensor->dtype));
        }
    }
    if (!dtype_is_float(dtype)) {
        return typing_no_kernel(call, dtype, err);
    }
    TRY(half_check(call, dtype, err));
    return check_scalars(call, opmath_type(dtype), err);
}

bool divides_integers(const Call *call) {
    return !dtype_is_float(call->arg[1].tensor->dtype) &&
           !dtype_is_float(call->arg[2].tensor->dtype);
}

ErrCode typing_addcdiv(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = promote_operands(call, 0);
    if (divides_integers(call)) {
        return error_set(err, ERR_dtype, "Integer division with addcdiv is no longer supported");
    }
    TRY(half_check(call, *compute, err));
    return value_check(call, *compute, err);
}
