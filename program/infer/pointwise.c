/* Inference of POINTWISE ops, and the order of dims of every op that uses PyTorch's TensorIterator.
 *
 * Sizes broadcast. Strides (aten/src/ATen/TensorIterator.cpp, 1.13): if all operands have the
 * result's size and are contiguous, or all have the same dense strides, the result has those
 * strides. Otherwise the dims are sorted, fastest first, by an insertion sort that starts with the
 * last dim as the fastest. It compares two dims by the strides of the operands in turn; an operand
 * with stride 0 in either dim (broadcast) is skipped. */
#include "program/infer/infer.h"
#include "program/infer/pointwise.h"
#include "program/semantics/semantics.h"
#include "program/ops/functions.h"

#include <math.h>
#include <string.h>

/* Should dim a go after (be slower than) dim b? 1 yes, -1 no, 0 if no operand determines it. */
static int slower(int a, int b, const int64_t *size, const int64_t *const *strides, int n) {
    for (int k = 0; k < n; k++) {
        int64_t sa = strides[k][a], sb = strides[k][b];
        if (sa == 0 || sb == 0) {
            continue;
        }
        if (sa != sb) {
            return sa < sb ? -1 : 1;
        }
        if (size[a] > size[b]) {
            return 1;
        }
    }
    return 0;
}

void ordered_strides(const int64_t *size, int ndim, const int64_t *const *strides, int n,
                     int64_t *out) {
    int order[MAX_DIMS]; /* fastest dim first */
    for (int d = 0; d < ndim; d++) {
        order[d] = ndim - 1 - d;
    }
    for (int i = 1; i < ndim; i++) {
        int at = i;
        for (int j = i - 1; j >= 0; j--) {
            int answer = slower(order[j], order[at], size, strides, n);
            if (answer < 0) {
                break;
            }
            if (answer > 0) {
                int swapped = order[j];
                order[j] = order[at];
                order[at] = swapped;
                at = j;
            }
        }
    }
    bool row_major = true;
    for (int d = 0; d < ndim; d++) {
        row_major = row_major && order[d] == ndim - 1 - d;
    }
    int64_t step = 1;
    for (int d = 0; d < ndim; d++) {
        out[order[d]] = step;
        step *= row_major
                    ? max_i64(size[order[d]], 1)
                    : size[order[d]]; /* TensorIterator's compatible_stride accepts a size of 0 */
    }
}

ErrCode dims_fit(int ndim, Error *err) {
    if (ndim > MAX_DIMS) {
        return error_set(err, ERR_limit, "a tensor of %d dims is over the limit of %d", ndim,
                         MAX_DIMS);
    }
    return ERR_none;
}

ErrCode sizes_fit(const int64_t *size, int ndim, Error *err) {
    TRY(dims_fit(ndim, err));
    int64_t product = 1;
    for (int d = 0; d < ndim; d++) {
        if (!checked_mul(product, max_i64(size[d], 1), &product)) {
            return error_set(err, ERR_limit, "a tensor's size overflows");
        }
    }
    return ERR_none;
}

/* Sets sizes and row-major strides; false where infer_contiguous reports an error. */
static bool set_sizes(Tensor *t, const int64_t *size, int ndim) {
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        t->size[d] = size[d];
        t->stride[d] = step;
        if (size[d] < 0 || !checked_mul(step, max_i64(size[d], 1), &step)) {
            return false;
        }
    }
    return true;
}

ErrCode infer_contiguous(Infer *r, DType dtype, const int64_t *size, int ndim) {
    if (ndim <= MAX_DIMS && set_sizes(infer_one(r, dtype, ndim), size, ndim)) {
        return ERR_none;
    }
    for (int d = 0; d < ndim; d++) {
        if (size[d] < 0) {
            return error_set(r->err, ERR_invalid,
                             "Trying to create tensor with negative dimension %lld",
                             (long long)size[d]);
        }
    }
    return sizes_fit(size, ndim, r->err);
}

ErrCode infer_cloned(Infer *r, const Tensor *self, DType dtype) {
    TRY(sizes_fit(self->size, self->ndim, r->err));
    Tensor *t = infer_one(r, dtype, self->ndim);
    dims_copy(t->size, self->size, self->ndim);
    if (tensor_is_dense(self)) {
        dims_copy(t->stride, self->stride, self->ndim);
    } else {
        const int64_t *strides[1] = {self->stride};
        ordered_strides(self->size, self->ndim, strides, 1, t->stride);
    }
    return ERR_none;
}

ErrCode infer_many(Infer *r, int64_t n) {
    if (n > MAX_OUTPUTS) {
        return error_set(r->err, ERR_limit,
                         "an op that returns %lld tensors is over the limit of %d", (long long)n,
                         MAX_OUTPUTS);
    }
    r->n = (int)n;
    r->out = arena_alloc_raw(r->arena, n * (int64_t)sizeof *r->out);
    return ERR_none;
}

/* ---- POINTWISE ---- */

/* The quotient is rounded to its dtype before it is truncated; since opmath_div_trunc a half's by
 * one element to float32 (div_trunc_kernel in aten/src/ATen/native/cpu/BinaryOpsKernel.cpp). */
static Pw truncated_quotient(const Call *call) {
    DType dtype = DT_float64, result;
    Error ignored;
    error_begin(&ignored, true);
    (void)call->op->typing(call, &dtype, &result, &ignored);
    const Arg *other = &call->arg[1];
    bool one = call->op->param[1].type == ARG_SCALAR || tensor_numel(other->tensor) == 1;
    if (dtype == DT_float32 ||
        (dtype_is_float(dtype) && dtype_bytes(dtype) < 4 && one && since(opmath_div_trunc))) {
        return PW_div_trunc_single;
    }
    return dtype == DT_bfloat16  ? PW_div_trunc_bfloat16
           : dtype == DT_float16 ? PW_div_trunc_float16
                                 : PW_div_trunc;
}

Pw call_pw(const Call *call) {
    const OpInfo *op = call->op;
    if ((op->id == OP_div_Tensor_mode || op->id == OP_div_Scalar_mode) && !call->arg[2].none) {
        const char *mode = call->arg[2].str;
        return strcmp(mode, "floor") == 0   ? PW_div_floor
               : strcmp(mode, "trunc") == 0 ? truncated_quotient(call)
                                            : PW_div;
    }
    if (op->id == OP_pow_Tensor_Scalar && call->arg[1].scalar.kind == CAT_FLOAT &&
        call->arg[0].tensor->dtype != DT_float16) { /* pow_tensor_scalar_kernel in PowKernel.cpp */
        double exponent = call->arg[1].scalar.f;
        return exponent == 0.5 ? PW_sqrt : exponent == -0.5 ? PW_rsqrt : PW_pow;
    }
    if (op->pw == PW_bitwise_not && call->arg[0].tensor->dtype == DT_bool) {
        return PW_logical_not;
    }
    if (op->pw == PW_gelu && strcmp(call->arg[1].str, "tanh") == 0) {
        return PW_gelu_tanh;
    }
    if (op->pw == PW_softshrink && !since(softshrink_nan)) {
        return PW_softshrink_number;
    }
    if (op->pw == PW_elu && since(elu_of_zero)) {
        return PW_elu_signed;
    }
    if (op->pw == PW_lerp && since(lerp_from_the_end)) {
        return PW_lerp_symmetric;
    }
    return op->pw;
}

bool call_checks_values(const Call *call) {
    return call->op->value_checks != VALUE_CHECK_NONE ||
           (call->op->kind == KIND_POINTWISE &&
            (call->op->pw == PW_masked_fill || pw_is_quotient(call_pw(call))));
}

/* The value that nan_to_num uses for its parameter k; by default the largest or lowest finite
 * value. */
static Scalar replacement(const Call *call, int k, DType compute) {
    if (!call->arg[k].none) {
        return scalar_float(call->arg[k].f);
    }
    double largest = compute == DT_float32    ? 0x1.fffffep127
                     : compute == DT_float16  ? 65504
                     : compute == DT_bfloat16 ? 0x1.fep127
                                              : 0x1.fffffffffffffp1023;
    return scalar_float(k == 1 ? 0 : k == 2 ? largest : -largest);
}

/* Does torch.clamp ignore the bound? Before clamp_nan_bound a single nan bound compares with
 * everything as false and changes nothing; with two bounds a nan makes every element nan. */
static bool is_idle_bound(const Call *call, int k) {
    const Arg *a = &call->arg[k];
    return !since(clamp_nan_bound) && call->op->id == OP_clamp && k > 0 && call->arg[3 - k].none &&
           a->scalar.kind == CAT_FLOAT && isnan(a->scalar.f);
}

static Scalar extreme_value(DType compute, bool highest) {
    if (dtype_is_float(compute)) {
        return scalar_float(highest ? INFINITY : -INFINITY);
    }
    return scalar_int(highest ? dtype_max(compute) : dtype_min(compute));
}

/* A Scalar of clamp or hardtanh as a number of an integral dtype. */
static Scalar saturated(Scalar s, DType dtype) {
    int64_t v = scalar_to_int(s);
    return scalar_int(v < dtype_min(dtype)   ? dtype_min(dtype)
                      : v > dtype_max(dtype) ? dtype_max(dtype)
                                             : v);
}

/* eps or 1 - eps, rounded as ATen does; nan where logit has no bounds. */
static Scalar end_of_logit(const Arg *eps, bool high, DType compute) {
    if (eps->none || !(eps->f >= 0)) {
        return scalar_float(NAN);
    }
    double low = dtype_round(eps->f, compute);
    return scalar_float(high ? dtype_round(1 - low, compute) : low);
}

Scalar call_scalar(const Call *call, int param, DType compute) {
    Scalar s = call->arg[param].scalar;
    bool subtracts = call->op->pw == PW_sub || call->op->pw == PW_rsub;
    if (!subtracts || param != 2 || !dtype_is_float(compute) || s.kind == CAT_FLOAT) {
        return s;
    }
    int64_t negated =
        (int64_t)(0 - (uint64_t)s.i); /* sub is add with -alpha, an int64 that wraps */
    return scalar_float(-(double)negated);
}

int call_operands(const Call *call, DType compute, PwOperand operands[PW_MAX_OPERANDS]) {
    const OpInfo *op = call->op;
    int n = op->pw == PW_pow && call_pw(call) != PW_pow
                ? 1
                : op->noperand; /* sqrt and rsqrt have no use for the exponent */
    for (int k = 0; k < n; k++) {
        const Arg *a = &call->arg[op->operand[k]];
        ArgType type = op->param[op->operand[k]].type;
        operands[k] = (PwOperand){0};
        if (type == ARG_FLOAT_OPT && (op->pw == PW_logit || op->pw == PW_logit_backward)) {
            operands[k].scalar = end_of_logit(a, k == n - 1, compute);
        } else if (type == ARG_FLOAT_OPT) {
            operands[k].scalar = dtype_is_float(compute)
                                     ? replacement(call, op->operand[k], compute)
                                     : scalar_int(0);
        } else if (a->none || is_idle_bound(call, op->operand[k])) {
            operands[k].scalar = extreme_value(compute, op->operand_missing[k] > 0);
        } else if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            operands[k].tensor = a->tensor;
        } else {
            bool truth =
                compute == DT_bool &&
                a->scalar.kind == CAT_FLOAT; /* masked_fill of a bool tensor: 0.5 is true */
            operands[k].scalar =
                truth ? scalar_bool(a->scalar.f != 0) : call_scalar(call, op->operand[k], compute);
            if (k > 0 && since(clamp_saturates) &&
                (op->typing == typing_clamp || op->typing == typing_hardtanh) &&
                !dtype_is_float(compute) && compute != DT_bool) {
                operands[k].scalar = saturated(a->scalar, compute);
            }
        }
    }
    return n;
}

/* The tensor operands in the order in which TensorIterator gets them: rsub is sub with its operands
 * exchanged. */
static int tensor_operands(const Call *call, const Tensor **t) {
    const OpInfo *op = call->op;
    int n = 0;
    for (int k = 0; k < op->noperand; k++) {
        const Arg *a = &call->arg[op->operand[k]];
        ArgType type = op->param[op->operand[k]].type;
        if (!a->none && (type == ARG_TENSOR || type == ARG_TENSOR_OPT)) {
            t[n++] = a->tensor;
        }
    }
    if (n == 2 && op->pw == PW_rsub) {
        const Tensor *first = t[0];
        t[0] = t[1];
        t[1] = first;
    }
    return n;
}

/* Do all tensors among the operands have one dtype? */
static bool dtypes_equal(const Call *call) {
    const Tensor *t[PW_MAX_OPERANDS];
    int n = tensor_operands(call, t);
    for (int k = 1; k < n; k++) {
        if (t[k]->dtype != t[0]->dtype) {
            return false;
        }
    }
    return true;
}

/* Does PyTorch report this dtype error before it checks the sizes? */
static bool refused_before_sizes(const Call *call, ErrCode code) {
    TypingFn typing = call->op->typing;
    return typing == typing_where || typing == typing_heaviside ||
           (typing == typing_no_bool_pair && code == ERR_dtype) ||
           (typing == typing_div_mode && code == ERR_invalid) ||
           (typing == typing_hardtanh && code == ERR_invalid && !since(clamp_saturates)) ||
           (typing == typing_addcdiv && code == ERR_dtype && divides_integers(call)) ||
           (typing == typing_lerp && code == ERR_dtype && !dtypes_equal(call));
}

/* A number that the dtype does not allow, which is found later: a bound of clamp (by the kernel),
 * or the alpha of sub. */
static bool refuses_number(const Call *call, ErrCode code) {
    bool given = op_param(call->op, "alpha") >= 0;
    for (int k = 1; call->op->typing == typing_clamp && k < call->op->noperand; k++) {
        given = given || !call->arg[call->op->operand[k]].none;
    }
    return code == ERR_invalid && given;
}

ErrCode pointwise_typed_first(const Call *call, DType *result, Error *err) {
    Error typing = {0};
    DType compute = DT_bool;
    ErrCode code = call->op->typing(call, &compute, result, &typing);
    if (code != ERR_none && half_missing(call, compute)) {
        *result = compute;
    } else if (refuses_number(call, code)) {
        return ERR_none;
    } else if (code != ERR_none) {
        *err = typing;
    }
    return err->code;
}

ErrCode pointwise_refused_first(const Call *call, Error *err) {
    Error typing = {0};
    DType compute, result;
    ErrCode code = call->op->typing(call, &compute, &result, &typing);
    if (code != ERR_none && refused_before_sizes(call, code)) {
        *err = typing;
    }
    return err->code;
}

/* The operands do not broadcast: that is the error, unless a dtype error comes first. */
static ErrCode sizes_refused(const Call *call, const Error *shape, Error *err) {
    return pointwise_refused_first(call, err) != ERR_none
               ? err->code
               : error_set(err, shape->code, "%s", shape->text);
}

ErrCode infer_pointwise(const Call *call, Infer *r) {
    const OpInfo *op = call->op;
    const Tensor *t[PW_MAX_OPERANDS] = {NULL};
    int n = tensor_operands(call, t);
    CHECK(n >= 1);
    Tensor *out = infer_one(r, DT_float32, t[0]->ndim);
    dims_copy(out->size, t[0]->size, t[0]->ndim);
    bool same_size = true;
    for (int k = 1; k < n; k++) {
        if (same_size && tensor_same_size(t[k], out)) {
            continue;
        }
        same_size = false;
        if (k == 2 && op->typing == typing_masked_fill) { /* which refuses all but 0-dim values */
            continue;
        }
        Error shape;
        error_begin(&shape, false);
        if (broadcast_into(out->size, &out->ndim, t[k]->size, t[k]->ndim, &shape) != ERR_none) {
            return sizes_refused(call, &shape, r->err);
        }
    }
    TRY(op->typing(call, &r->compute, &out->dtype, r->err));
    if (!same_size) { /* otherwise they are those of an existing tensor */
        TRY(sizes_fit(out->size, out->ndim, r->err));
    }
    if (op->pw == PW_nan_to_num || op->pw == PW_rad2deg || op->pw == PW_deg2rad ||
        op->id == OP__log_sigmoid_backward) { /* into an empty_like */
        return infer_cloned(r, t[0], out->dtype);
    }
    if (op->id == OP__mse_loss_backward || op->id == OP__softmax_backward ||
        op->id == OP__log_softmax_backward) {
        return infer_cloned(r, t[2], out->dtype); /* its value */
    }
    pointwise_strides(op, out, t, n, r->compute, same_size);
    return ERR_none;
}
