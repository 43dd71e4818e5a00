/* Inference of ops that copy and move elements: clone, casts, copy, fill, cat, flip, triangles. */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

#include <string.h>

ErrCode infer_clone(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_cloned(r, self, self->dtype);
}

/* The gradient, unchanged. */
ErrCode infer_linked(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[1].tensor;
    return infer_cloned(r, grad, grad->dtype);
}

ErrCode infer_joined(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_cloned(r, self, self->dtype);
}

ErrCode infer_to_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_cloned(r, self, call_dtype(call, "dtype", self->dtype));
}

ErrCode infer_contiguous_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

/* copy: src must be expandable to self. */
ErrCode infer_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    Tensor expanded;
    TRY(tensor_expand(call->arg[1].tensor, self->size, self->ndim, &expanded, r->err));
    return infer_cloned(r, self, self->dtype);
}

/* fill.Scalar and zero. */
ErrCode infer_self_like(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->id == OP_fill_Scalar) {
        TRY(filled_check(call->arg[1].scalar, self->dtype, tensor_numel(self), r->err));
    }
    return infer_cloned(r, self, self->dtype);
}

ErrCode infer_fill_tensor(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *value = call->arg[1].tensor;
    if (value->ndim != 0) {
        return error_set(
            r->err, ERR_invalid,
            "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
            value->ndim);
    }
    return infer_cloned(r, self, self->dtype);
}

/* ---- cat (aten/src/ATen/native/TensorShape.cpp) ---- */

/* 1-d empty tensors are skipped, whatever the sizes of the other tensors (PyTorch keeps this for
 * old code that concatenates to torch.Tensor()). */
static bool cat_skips(const Tensor *t) { return t->ndim == 1 && t->size[0] == 0; }

bool is_channels_last(const Tensor *t) {
    static const int orders[2][5] = {{1, 3, 2, 0, 0}, {1, 4, 3, 2, 0}};
    if ((t->ndim != 4 && t->ndim != 5) || t->stride[1] == 0) {
        return false;
    }
    int64_t least = 0;
    for (int k = 0; k < t->ndim; k++) {
        int d = orders[t->ndim - 4][k];
        if (t->size[d] == 0 || t->stride[d] < least || (d == 0 && least == t->stride[1])) {
            return false;
        }
        least = t->stride[d];
        if (t->size[d] > 1 && !checked_mul(least, t->size[d], &least)) {
            return false;
        }
    }
    return true;
}

void channels_last_strides(Tensor *t) {
    int64_t step = t->size[1];
    t->stride[1] = 1;
    for (int d = t->ndim - 1; d >= 2; d--) {
        t->stride[d] = step;
        step *= max_i64(t->size[d], 1);
    }
    t->stride[0] = step;
}

static ErrCode cat_sizes_agree(const Tensor *first, const Tensor *t, int dim, int index,
                               Error *err) {
    if (first->ndim != t->ndim) {
        return error_set(err, ERR_shape,
                         "Tensors must have same number of dimensions: got %d and %d", first->ndim,
                         t->ndim);
    }
    for (int d = 0; d < t->ndim; d++) {
        if (d != dim && first->size[d] != t->size[d]) {
            return error_set(err, ERR_shape,
                             "Sizes of tensors must match except in dimension %d. Expected size "
                             "%lld but got size %lld for tensor number %d in the list.",
                             dim, (long long)first->size[d], (long long)t->size[d], index);
        }
    }
    return ERR_none;
}

ErrCode infer_cat(const Call *call, Infer *r) {
    Tensor *const *list = call->arg[0].tensors.v;
    int n = call->arg[0].tensors.n;
    if (n == 0) {
        return error_set(r->err, ERR_invalid, "torch.cat(): expected a non-empty list of Tensors");
    }
    const Tensor *first = NULL;
    Promotion promotion = PROMOTION_START;
    bool channels_last = true;
    for (int k = 0; k < n; k++) {
        if (list[k]->ndim == 0) {
            return error_set(r->err, ERR_invalid,
                             "zero-dimensional tensor (at position %d) cannot be concatenated", k);
        }
        promotion_tensor(&promotion, list[k]->dtype, list[k]->ndim);
        first = first || cat_skips(list[k]) ? first : list[k];
        channels_last =
            channels_last && is_channels_last(list[k]) && list[k]->ndim == list[0]->ndim;
    }
    DType dtype = promotion_result(&promotion);
    int64_t size[MAX_DIMS] = {0};
    if (!first) {
        return infer_contiguous(r, dtype, size, 1);
    }
    int dim;
    TRY(dim_wrap(call->arg[1].i, first->ndim, &dim, r->err));
    memcpy(size, first->size, (size_t)first->ndim * sizeof *size);
    size[dim] = 0;
    for (int k = 0; k < n; k++) {
        if (!cat_skips(list[k])) {
            TRY(cat_sizes_agree(first, list[k], dim, k, r->err));
            if (!checked_add(size[dim], list[k]->size[dim], &size[dim])) {
                return error_set(r->err, ERR_limit, "a tensor's size overflows");
            }
        }
    }
    TRY(infer_contiguous(r, dtype, size, first->ndim));
    if (channels_last) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* If dim exists in the operands, PyTorch computes cat(tensors, dim) and views it with dim split in
 * two, so the layout is that of the cat. */
ErrCode infer_stack(const Call *call, Infer *r) {
    Tensor *const *list = call->arg[0].tensors.v;
    int n = call->arg[0].tensors.n, dim;
    if (n == 0) {
        return error_set(r->err, ERR_invalid, "stack expects a non-empty list of tensors");
    }
    const Tensor *first = list[0];
    TRY(dims_fit(first->ndim + 1, r->err));
    TRY(dim_wrap(call->arg[1].i, first->ndim + 1, &dim, r->err));
    Promotion promotion = PROMOTION_START;
    bool channels_last = dim < first->ndim;
    for (int k = 0; k < n; k++) {
        if (!tensor_same_size(list[k], first)) {
            return error_set(r->err, ERR_shape,
                             "stack expects each tensor to be equal size, but tensor %d is not of "
                             "the size of the first",
                             k);
        }
        promotion_tensor(&promotion, list[k]->dtype, list[k]->ndim + 1);
        channels_last = channels_last && is_channels_last(list[k]);
    }
    int64_t size[MAX_DIMS] = {0};
    memcpy(size, first->size, (size_t)first->ndim * sizeof *size);
    memmove(size + dim + 1, size + dim, (size_t)(first->ndim - dim) * sizeof *size);
    size[dim] = n;
    TRY(infer_contiguous(r, promotion_result(&promotion), size, first->ndim + 1));
    if (channels_last) {
        Tensor joined = *first;
        joined.size[dim] *= n;
        channels_last_strides(&joined);
        CHECK(view_strides(&joined, tensor_numel(&joined), size, first->ndim + 1, r->out->stride));
    }
    return ERR_none;
}

bool geometry_joined(const Call *call, const Tensor *result, const Tensor *operand, int64_t *at,
                     Tensor *part) {
    if (call->op->id == OP_cat && cat_skips(operand)) {
        return false;
    }
    int dim = (int)(call->arg[1].i < 0 ? call->arg[1].i + result->ndim : call->arg[1].i);
    *part = *result;
    part->offset = geometry_offset(part->offset, *at, result->stride[dim]);
    if (call->op->id == OP_stack) {
        geometry_remove_dim(part, dim);
        *at += 1;
    } else {
        part->size[dim] = operand->size[dim];
        *at += operand->size[dim];
    }
    return true;
}

/* ---- flip, tril, triu ---- */

ErrCode infer_flip(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    unsigned seen = 0;
    for (int k = 0; k < call->arg[1].ints.n; k++) {
        int d;
        TRY(dim_wrap(call->arg[1].ints.v[k], self->ndim, &d, r->err));
        if (seen >> d & 1) {
            return error_set(r->err, ERR_invalid,
                             "dim %d appears multiple times in the list of dims", d);
        }
        seen |= 1u << d;
    }
    return infer_cloned(r, self, self->dtype);
}

bool triangle_copies(const Tensor *self) {
    if (self->ndim < 4 || tensor_numel(self) == 0 || tensor_is_contiguous(self)) {
        return false;
    }
    int64_t expected = self->size[self->ndim - 2] * self->size[self->ndim - 1];
    for (int d = self->ndim - 3; d >= 0; d--) {
        bool trivial = d == 0 && (self->stride[0] == 0 || self->size[0] == 1);
        if (!trivial && self->stride[d] != expected) {
            return true;
        }
        expected *= self->size[d];
    }
    return false;
}

ErrCode infer_triangle(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (self->ndim < 2 && since(triangle_of_vector)) {
        return error_set(r->err, ERR_invalid, "%s: input tensor must have at least 2 dimensions",
                         call->op->name);
    }
    if (self->ndim < 2 &&
        tensor_numel(self) > 0) { /* an empty vector: PyTorch returns before checking it */
        return error_set(r->err, ERR_index_range,
                         "Dimension out of range: %s needs at least 2 dimensions, got %d",
                         call->op->name, self->ndim);
    }
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}
