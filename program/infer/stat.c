/* Inference of variances, norms, log-sum-exp ops and trace. */
#include "program/infer/infer.h"

#include <math.h>

ErrCode infer_variance(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (!dtype_is_float(self->dtype)) {
        return error_set(r->err, ERR_invalid,
                         "std and var only support floating point and complex dtypes");
    }
    return infer_reduced(call, r, self->dtype);
}

/* Does the call reduce an empty dim of self, or all of an empty self? */
static bool reduces_nothing(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    unsigned set;
    Error ignored = {0};
    if (tensor_numel(self) > 0 || reduced_dims(call, self->ndim, &set, &ignored) != ERR_none) {
        return false;
    }
    for (int d = 0; d < self->ndim; d++) {
        if (set >> d & 1 && self->size[d] == 0) {
            return true;
        }
    }
    return false;
}

ErrCode infer_norm(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (!dtype_is_float(self->dtype)) {
        return error_set(
            r->err, ERR_dtype,
            "norm(): input dtype should be either floating point or complex. Got %s instead.",
            dtype_name(self->dtype));
    }
    TRY(infer_reduced(call, r, self->dtype));
    const Arg *p = call_arg(call, "p");
    double order = p->none ? 2 : scalar_to_double(p->scalar);
    if (since(norm_of_nothing) && (isinf(order) || order < 0) && reduces_nothing(call)) {
        return error_set(r->err, ERR_invalid,
                         "linalg.vector_norm cannot compute the %g norm on an empty dimension",
                         order);
    }
    return ERR_none;
}

/* Integers are computed in float32. */
ErrCode infer_logsumexp(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType own = self->dtype;
    if (call->arg[1].ints.n == 0 && !call->arg[2].b && self->ndim > 0 && tensor_numel(self) > 0) {
        TRY(half_check(call, own, r->err));
        return error_set(r->err, ERR_shape,
                         "output with shape [] doesn't match the broadcast shape");
    }
    TRY(infer_reduced(call, r, dtype_is_float(own) ? own : DT_float32));
    return half_check(call, own, r->err);
}

ErrCode infer_log_softmax(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType dtype = call_dtype(call, "dtype", self->dtype);
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    if (!dtype_is_float(dtype) && tensor_numel(self) > 0) {
        return error_set(r->err, ERR_dtype,
                         "\"log_softmax_lastdim_kernel_impl\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    if (tensor_numel(self) > 0) {
        TRY(half_check(call, dtype, r->err));
    }
    return infer_contiguous(r, dtype, self->size, self->ndim);
}

ErrCode infer_logcumsumexp(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    if (!dtype_is_float(self->dtype) || half_missing(call, self->dtype)) {
        return error_set(r->err, ERR_dtype, "\"logcumsumexp_out_cpu\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

ErrCode infer_trace(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (self->dtype == DT_bool || (!since(half_trace) && dtype_is_half(self->dtype))) {
        return error_set(r->err, ERR_dtype, "\"trace\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    if (self->ndim != 2) {
        return error_set(r->err, ERR_invalid,
                         "trace: expected a matrix, but got tensor with dim %d", self->ndim);
    }
    TRY(half_check(call, self->dtype, r->err));
    return infer_contiguous(r, dtype_is_float(self->dtype) ? self->dtype : DT_int64, NULL, 0);
}

/* As sum, but until nansum_to_integers a non-empty floating self requires a floating result dtype:
 * no other kernel exists. */
ErrCode infer_nansum(const Call *call, Infer *r) {
    DType own = call->arg[0].tensor->dtype,
          dtype = call_dtype(call, "dtype", dtype_is_float(own) ? own : DT_int64);
    TRY(infer_reduced(call, r, dtype));
    if (dtype_is_float(own) && !dtype_is_float(dtype) && !since(nansum_to_integers) &&
        tensor_numel(call->arg[0].tensor) > 0) {
        return error_set(r->err, ERR_dtype, "\"nansum_cpu\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    return ERR_none;
}
