/* Inference of take, put, index_fill, index_copy, masked_select and masked_scatter
 * (aten/src/ATen/native/TensorAdvancedIndexing.cpp). */
#include "program/infer/infer.h"

#include <string.h>

/* ---- take ---- */

/* Indices into self's elements in row-major order; negative ones count from the end. */
ErrCode infer_take(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[1].tensor;
    if (index->dtype != DT_int64) {
        return error_set(r->err, ERR_index_dtype,
                         "take(): Expected a long tensor for index, but got %s",
                         dtype_name(index->dtype));
    }
    if (tensor_numel(self) == 0 && tensor_numel(index) > 0) {
        return error_set(r->err, ERR_invalid, "take(): tried to take from an empty tensor");
    }
    return infer_contiguous(r, self->dtype, index->size, index->ndim);
}

/* Elements of source are written to the indices in self. */
ErrCode infer_put(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[1].tensor,
                 *source = call->arg[2].tensor;
    if (index->dtype != DT_int64) {
        return error_set(r->err, ERR_index_dtype,
                         "put_(): Expected a long tensor for index, but got %s",
                         dtype_name(index->dtype));
    }
    if (self->dtype != source->dtype) {
        return error_set(r->err, ERR_dtype,
                         "put_(): self and source expected to have the same dtype");
    }
    if (tensor_numel(source) != tensor_numel(index)) {
        return error_set(r->err, ERR_shape,
                         "put_(): Expected source and index to have the same number of elements");
    }
    if (tensor_numel(self) == 0 && tensor_numel(index) > 0) {
        return error_set(r->err, ERR_invalid, "put_(): Tried to put elements into an empty tensor");
    }
    return infer_cloned(r, self, self->dtype);
}

/* ---- along one dim ---- */

ErrCode infer_refuse_empty_dim(const Infer *r, const Tensor *self, int dim, int64_t n) {
    if (self->ndim == 0 || self->size[dim] != 0 || n == 0) {
        return ERR_none;
    }
    Tensor view = *self;
    view.size[dim] = n;
    view.stride[dim] = 0;
    int64_t extent, room = !r->in_place ? 0 : self->storage ? self->storage->numel : INT64_MAX;
    if (tensor_numel(&view) > 0 && (!tensor_extent(&view, &extent) || extent > room)) {
        return error_set(r->err, ERR_invalid,
                         "setStorage: sizes are out of bounds for storage of size %lld",
                         (long long)room);
    }
    return ERR_none;
}

ErrCode infer_index_fill(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    bool by_tensor = call->op->param[3].type == ARG_TENSOR;
    int dim;
    if (by_tensor && call->arg[3].tensor->ndim > 0) {
        return error_set(r->err, ERR_invalid,
                         "index_fill_ only supports a 0-dimensional value tensor, but got tensor "
                         "with %d dimension(s).",
                         call->arg[3].tensor->ndim);
    }
    if (index->dtype != DT_int64) {
        return error_set(r->err, ERR_index_dtype, "index_fill_(): Expected dtype int64 for index.");
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    if (index->ndim > 1) {
        return error_set(r->err, ERR_invalid, "Index has to be a vector/scalar");
    }
    TRY(infer_refuse_empty_dim(r, self, dim, tensor_numel(index)));
    if (!by_tensor) {
        TRY(scalar_check(call->arg[3].scalar, self->dtype, r->err));
    }
    return infer_cloned(r, self, self->dtype);
}

/* Are the sizes of the two tensors equal except in `dim`? */
static bool same_slices(const Tensor *self, const Tensor *source, int dim) {
    int n = self->ndim > 0 ? self->ndim - 1 : 0, m = source->ndim > 0 ? source->ndim - 1 : 0;
    bool same = n == m;
    for (int d = 0; d < n && same; d++) {
        same = self->size[d + (d >= dim)] == source->size[d + (d >= dim)];
    }
    return same;
}

ErrCode infer_index_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor,
                 *source = call->arg[3].tensor;
    int dim;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
    if (index->ndim > 1) {
        return error_set(r->err, ERR_invalid,
                         "index_copy_(): Index should have dimension 1 or 0 (got %d)", index->ndim);
    }
    int64_t n = tensor_numel(index);
    if (source->ndim == 0 && n != 1) {
        return error_set(
            r->err, ERR_invalid,
            "index_copy_(): When source is scalar, index should have one element (got %lld)",
            (long long)n);
    }
    if (source->ndim != self->ndim && source->ndim != 0 && self->ndim != 0) {
        return error_set(r->err, ERR_invalid,
                         "index_copy_(): When source and destination are not scalars, their "
                         "dimensionality must match.");
    }
    if (index->dtype != DT_int64) {
        return error_set(r->err, ERR_index_dtype,
                         "index_copy_(): Expected a long tensor for index, but got %s",
                         dtype_name(index->dtype));
    }
    if (self->dtype != source->dtype) {
        return error_set(r->err, ERR_dtype,
                         "index_copy_(): self and source expected to have the same dtype");
    }
    if (!same_slices(self, source, dim)) {
        return error_set(r->err, ERR_shape,
                         "index_copy_(): Source/destination tensor must have same slice shapes.");
    }
    if (source->ndim > 0 && n != source->size[dim]) {
        return error_set(
            r->err, ERR_shape,
            "index_copy_(): Number of indices (%lld) should be equal to source.size(dim) (%lld)",
            (long long)n, (long long)source->size[dim]);
    }
    TRY(infer_refuse_empty_dim(r, self, dim, n));
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

/* ---- masks ---- */

/* masked_select, given the number of selected elements (decompose_masked_select). */
ErrCode infer_masked_select(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_contiguous(r, self->dtype, &call->arg[2].i, 1);
}

/* PyTorch reads the bytes of a source of another dtype as if it had self's dtype; this is an error
 * here. */
ErrCode masked_scatter_in_place_check(const Call *call, Error *err) {
    return call->arg[0].tensor->dtype == call->arg[2].tensor->dtype
               ? ERR_none
               : error_set(err, ERR_dtype,
                           "masked_scatter: expected self and source to have same dtypes");
}

ErrCode infer_masked_scatter(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *mask = call->arg[1].tensor;
    int64_t size[MAX_DIMS];
    int ndim = self->ndim;
    memcpy(size, self->size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, mask->size, mask->ndim, r->err));
    TRY(masked_scatter_in_place_check(call, r->err));
    /* masked_scatter_ expands the mask before it looks at its dtype */
    bool grown = r->in_place &&
                 (ndim != self->ndim || memcmp(size, self->size, (size_t)ndim * sizeof *size) != 0);
    if (!grown && !mask_dtype_valid(mask->dtype)) {
        return error_set(r->err, ERR_dtype,
                         "masked_scatter: expected a mask of bool or uint8, not %s",
                         dtype_name(mask->dtype));
    }
    return infer_contiguous(r, self->dtype, size, ndim);
}

ErrCode infer_masked_scatter_grad(const Call *call, Infer *r) {
    return infer_contiguous(r, call->arg[0].tensor->dtype, call->arg[2].ints.v,
                            call->arg[2].ints.n);
}
