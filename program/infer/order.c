/* Inference of ops that select elements: argmax and argmin, max and min with indices, sort, cummax;
 * also any, all, count_nonzero. */
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <string.h>

/* argmax, argmin: int64 indices along a dim, or into the flattened tensor, in which case no dim is
 * kept. */
ErrCode infer_argmax(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dim = &call->arg[1];
    bool whole = dim->none;
    int d = 0, n = 0;
    int64_t size[MAX_DIMS];
    bool public_bool = self->dtype == DT_bool && call->op->name[0] != '_';
    if (public_bool && since(argmax_bool)) {
        return error_set(r->err, ERR_dtype, "%s(): does not support bool input", call->op->name);
    }
    if (whole && tensor_numel(self) == 0) {
        return error_set(r->err, ERR_invalid,
                         "%s(): Expected reduction dim to be specified for input.numel() == 0.",
                         call->op->name);
    }
    if (!whole) {
        TRY(dim_wrap(dim->i, self->ndim, &d, r->err));
        if (self->ndim > 0 && self->size[d] == 0) {
            return error_set(r->err, ERR_invalid,
                             "%s(): Expected reduction dim %d to have non-zero size.",
                             call->op->name, d);
        }
    }
    for (int k = 0; k < self->ndim; k++) {
        if (!whole && k != d) {
            size[n++] = self->size[k];
        } else if (call->arg[2].b) {
            size[n++] = 1;
        }
    }
    if (public_bool && tensor_numel(self) > 0 && (whole || self->ndim == 0 || self->size[d] != 1)) {
        return error_set(r->err, ERR_dtype, "\"%s_cpu\" not implemented for 'Bool'",
                         call->op->name);
    }
    return infer_contiguous(r, DT_int64, size, n);
}

/* max, min of all elements. */
ErrCode infer_extreme_all(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (tensor_numel(self) == 0) {
        return error_set(r->err, ERR_invalid,
                         "%s(): Expected reduction dim to be specified for input.numel() == 0.",
                         call->op->name);
    }
    return infer_contiguous(r, self->dtype, NULL, 0);
}

/* The minimum and the maximum along a dim, or of all elements; with keepdim a 0-dim tensor gains a
 * dim (ReduceOps.cpp, aminmax). */
ErrCode infer_aminmax(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dim = &call->arg[1];
    int d;
    if (dim->none) {
        if (tensor_numel(self) == 0) {
            return error_set(r->err, ERR_invalid,
                             "aminmax(): cannot compute aminmax over an empty dimension as the "
                             "operation has no identity.");
        }
    } else {
        TRY(dim_wrap(dim->i, self->ndim, &d, r->err));
        if (self->ndim > 0 && self->size[d] == 0) {
            return error_set(r->err, ERR_invalid,
                             "aminmax: Expected reduction dim %d to have non-zero size.", d);
        }
    }
    if (self->dtype == DT_bfloat16 && !dim->none && !since(half_kernels)) {
        return error_set(r->err, ERR_dtype, "\"aminmax_cpu\" not implemented for 'BFloat16'");
    }
    TRY(half_check(call, self->dtype, r->err));
    if (self->ndim == 0 && !dim->none && call->arg[2].b && !since(aminmax_scalar)) {
        int64_t one = 1;
        return infer_contiguous(r, self->dtype, &one, 1);
    }
    return infer_reduced(call, r, self->dtype);
}

/* The median of all elements; of none it is nan, as the dtype has it. */
ErrCode infer_median_all(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (tensor_numel(self) > 0) {
        if (self->dtype == DT_bool) {
            return error_set(r->err, ERR_dtype, "\"median_cpu\" not implemented for 'Bool'");
        }
        TRY(half_check(call, self->dtype, r->err));
    }
    return infer_contiguous(r, self->dtype, NULL, 0);
}

/* Indices along a dim, one for each line; `name` is for messages. */
static ErrCode infer_chosen(const Call *call, Infer *r, const char *name) {
    const Tensor *self = call->arg[0].tensor;
    int64_t size[MAX_DIMS];
    int dim, n = 0;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    if (self->ndim > 0 && self->size[dim] == 0) {
        return error_set(r->err, ERR_invalid,
                         "%s(): Expected reduction dim %d to have non-zero size.", name, dim);
    }
    for (int d = 0; d < self->ndim; d++) {
        if (d != dim || call->arg[2].b) {
            size[n++] = d == dim ? 1 : self->size[d];
        }
    }
    return infer_contiguous(r, DT_int64, size, n);
}

ErrCode infer_median(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    TRY(infer_chosen(call, r, "median"));
    if (self->dtype == DT_bool) {
        return error_set(r->err, ERR_dtype, "\"median_out\" not implemented for 'Bool'");
    }
    return half_check(call, self->dtype, r->err);
}

ErrCode infer_mode(const Call *call, Infer *r) { return infer_chosen(call, r, "mode"); }

/* The indices of a sort, in the layout of self. */
ErrCode infer_sort(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    return infer_cloned(r, self, DT_int64);
}

/* The indices of topk: k along dim; a 0-dim tensor stays 0-dim. */
ErrCode infer_topk(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t count = call->arg[1].i, size[MAX_DIMS];
    int d;
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    if (count < 0 || count > (self->ndim > 0 ? self->size[d] : 1)) {
        return error_set(r->err, ERR_index_range, "selected index k out of range");
    }
    if (self->ndim > 0 || since(topk_bool)) {
        if (self->dtype == DT_bool) {
            return error_set(r->err, ERR_dtype, "\"topk_cpu\" not implemented for 'Bool'");
        }
        TRY(half_check(call, self->dtype, r->err));
    }
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    if (self->ndim > 0) {
        size[d] = count;
    }
    return infer_contiguous(r, DT_int64, size, self->ndim);
}

/* The indices of a cumulative maximum or minimum. */
ErrCode infer_cummax(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t dim = call->arg[1].i;
    int d;
    if (self->ndim == 0 && dim != 0 && dim != -1 && since(cummax_scalar_dim)) {
        return error_set(r->err, ERR_invalid,
                         "%s(): Expected reduction dim -1 or 0 for scalar but got %lld",
                         call->op->name, (long long)dim);
    }
    if (self->ndim > 0) { /* 1.13 accepts any dim of a 0-dim tensor until backward */
        TRY(dim_wrap(dim, self->ndim, &d, r->err));
        if (tensor_numel(self) > 0) {
            TRY(half_check(call, self->dtype, r->err));
        }
    }
    return infer_contiguous(r, DT_int64, self->size, self->ndim);
}

/* Gathers elements of self at `indices` along a dim, in the layout of the indices. */
ErrCode infer_take_dim(const Call *call, Infer *r) {
    const Tensor *indices = call->arg[2].tensor;
    Tensor *t = infer_one(r, call->arg[0].tensor->dtype, indices->ndim);
    memcpy(t->size, indices->size, (size_t)indices->ndim * sizeof *t->size);
    memcpy(t->stride, indices->stride, (size_t)indices->ndim * sizeof *t->stride);
    return ERR_none;
}

/* any, all: bool, but uint8 for uint8. */
ErrCode infer_any(const Call *call, Infer *r) {
    return infer_reduced(call, r, call->arg[0].tensor->dtype == DT_uint8 ? DT_uint8 : DT_bool);
}

ErrCode infer_count_nonzero(const Call *call, Infer *r) { return infer_reduced(call, r, DT_int64); }
