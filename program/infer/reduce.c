/* Inference of reductions, scans and softmax: results are row-major. Sums and products of integers
 * and bools are int64 unless a dtype is given; mean and softmax take floating dtypes only. */
#include "program/infer/infer.h"

ErrCode reduced_dims(const Call *call, int ndim, unsigned *set, Error *err) {
    const Arg *dim = call_arg(call, "dim");
    unsigned all = ndim == 0 ? 0 : (1u << ndim) - 1;
    if (!dim || dim->none) {
        *set = all;
        return ERR_none;
    }
    int k = op_param(call->op, "dim");
    bool one = call->op->param[k].type == ARG_INT || call->op->param[k].type == ARG_INT_OPT;
    const int64_t *v = one ? &dim->i : dim->ints.v;
    int n = one ? 1 : dim->ints.n;
    unsigned seen = 0;
    for (int j = 0; j < n; j++) {
        int d;
        TRY(dim_wrap(v[j], ndim, &d, err));
        if (seen >> d & 1) {
            return error_set(err, ERR_invalid, "dim %d appears multiple times in the list of dims",
                             d);
        }
        seen |= 1u << d;
    }
    *set = n == 0 ? all : seen & all; /* the dim of a 0-dim tensor is ignored */
    return ERR_none;
}

ErrCode infer_reduced(const Call *call, Infer *r, DType dtype) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *keepdim = call_arg(call, "keepdim");
    unsigned set;
    TRY(reduced_dims(call, self->ndim, &set, r->err));
    int64_t size[MAX_DIMS];
    int n = 0;
    for (int d = 0; d < self->ndim; d++) {
        if (!(set >> d & 1)) {
            size[n++] = self->size[d];
        } else if (keepdim && keepdim->b) {
            size[n++] = 1;
        }
    }
    return infer_contiguous(r, dtype, size, n);
}

/* The dtype of a sum: the dtype argument, else self's, with integers and bools widened to int64. */
static DType sum_dtype(const Call *call) {
    DType own = call->arg[0].tensor->dtype;
    return call_dtype(call, "dtype", dtype_is_float(own) ? own : DT_int64);
}

ErrCode infer_sum(const Call *call, Infer *r) { return infer_reduced(call, r, sum_dtype(call)); }
ErrCode infer_prod(const Call *call, Infer *r) {
    TRY(infer_reduced(call, r, sum_dtype(call)));
    return tensor_numel(call->arg[0].tensor) > 0 ? half_check(call, r->out->dtype, r->err)
                                                 : ERR_none;
}

ErrCode infer_mean(const Call *call, Infer *r) {
    DType dtype = call_dtype(call, "dtype", call->arg[0].tensor->dtype);
    if (!dtype_is_float(dtype)) {
        return error_set(
            r->err, ERR_dtype,
            "mean(): could not infer output dtype. It must be a floating point dtype. Got: %s",
            dtype_name(dtype));
    }
    return infer_reduced(call, r, dtype);
}

/* amax, amin: the reduced dims must not be empty. */
ErrCode infer_extreme(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dim = &call->arg[1];
    if (tensor_numel(self) == 0) {
        if (dim->ints.n == 0) {
            return error_set(r->err, ERR_invalid,
                             "%s(): Expected reduction dim to be specified for input.numel() == 0.",
                             call->op->name);
        }
        for (int k = 0; k < dim->ints.n; k++) {
            int d;
            TRY(dim_wrap(dim->ints.v[k], self->ndim, &d, r->err));
            if (self->size[d] == 0) {
                return error_set(r->err, ERR_invalid,
                                 "%s(): Expected reduction dim %d to have non-zero size.",
                                 call->op->name, d);
            }
        }
    }
    return infer_reduced(call, r, self->dtype);
}

/* cumsum, cumprod. */
ErrCode infer_cumulative(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType dtype = sum_dtype(call);
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    bool refused_later = r->in_place && dtype != self->dtype; /* as an in-place call */
    if (self->ndim > 0 && tensor_numel(self) > 0 && !refused_later) {
        if (dtype == DT_bool) {
            return error_set(r->err, ERR_dtype, "\"%s_out_cpu\" not implemented for 'Bool'",
                             call->op->name);
        }
        TRY(half_check(call, dtype, r->err));
    }
    return infer_contiguous(r, dtype, self->size, self->ndim);
}

/* Only the kernel rejects an integer dtype, so an empty tensor is accepted. */
ErrCode infer_softmax(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType dtype = call_dtype(call, "dtype", self->dtype);
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    if (!dtype_is_float(dtype) && tensor_numel(self) > 0) {
        return error_set(r->err, ERR_dtype, "\"softmax_kernel_impl\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    if (tensor_numel(self) > 0) {
        TRY(half_check(call, dtype, r->err));
    }
    return infer_contiguous(r, dtype, self->size, self->ndim);
}
