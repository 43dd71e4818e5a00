/* Geometry of view and expand (aten/src/ATen/TensorUtils.cpp, ExpandUtils.cpp): other sizes over
 * the same elements. */
#include "program/infer/infer.h"

#include <string.h>

/* ---- view ---- */

/* Resolves the -1 of a requested size (at::infer_size). */
static ErrCode infer_minus_one(const int64_t *given, int n, int64_t numel, int64_t *size,
                               Error *err) {
    int64_t product = 1;
    int open = -1;
    for (int d = 0; d < n; d++) {
        size[d] = given[d];
        if (given[d] == -1) {
            if (open >= 0) {
                return error_set(err, ERR_invalid, "only one dimension can be inferred");
            }
            open = d;
        } else if (given[d] < 0) {
            return error_set(err, ERR_invalid, "invalid shape dimension %lld", (long long)given[d]);
        } else if (!checked_mul(product, given[d], &product)) {
            product = -1;
            break;
        }
    }
    bool fits = product == numel || (open >= 0 && product > 0 && numel % product == 0);
    if (!fits) {
        return error_set(err, ERR_shape, "the shape is invalid for input of size %lld",
                         (long long)numel);
    }
    if (open >= 0) {
        if (product == 0) {
            return error_set(
                err, ERR_invalid,
                "cannot reshape tensor of 0 elements: the unspecified dimension can be any value");
        }
        size[open] = numel / product;
    }
    return ERR_none;
}

/* Walks the runs of old dims that are contiguous with each other, from the last; the new dims must
 * split each run exactly. */
bool view_strides(const Tensor *self, int64_t numel, const int64_t *size, int n, int64_t *stride) {
    if (numel == 0) {
        if (sizes_equal(self->size, self->ndim, size, n)) {
            memcpy(stride, self->stride, (size_t)n * sizeof *stride);
        } else {
            contiguous_strides(size, n, stride);
        }
        return true;
    }
    int d = n - 1;
    int64_t base = self->ndim > 0 ? self->stride[self->ndim - 1] : 1;
    int64_t run = 1, used = 1;
    for (int k = self->ndim - 1; k >= 0; k--) {
        run *= self->size[k];
        if (k > 0 && (self->size[k - 1] == 1 || self->stride[k - 1] == run * base)) {
            continue;
        }
        while (d >= 0 && (used < run || size[d] == 1)) {
            stride[d] = used * base;
            used *= size[d];
            d--;
        }
        if (used != run) {
            return false;
        }
        if (k > 0) {
            base = self->stride[k - 1];
            run = used = 1;
        }
    }
    for (; d >= 0; d--) { /* a 0-dim self: every new dim has size 1 */
        stride[d] = 1;
    }
    return true;
}

static ErrCode viewed(Infer *r, const Tensor *self, const int64_t *given, int n) {
    TRY(dims_fit(n, r->err));
    int64_t numel = tensor_numel(self);
    Tensor *t = infer_one(r, self->dtype, n);
    t->offset = self->offset;
    TRY(infer_minus_one(given, n, numel, t->size, r->err));
    TRY(sizes_fit(t->size, n, r->err));
    if (!view_strides(self, numel, t->size, n, t->stride)) {
        return error_set(r->err, ERR_view_stride,
                         "view size is not compatible with input tensor's size and stride");
    }
    return ERR_none;
}

ErrCode infer_view(const Call *call, Infer *r) {
    return viewed(r, call->arg[0].tensor, call->arg[1].ints.v, call->arg[1].ints.n);
}
ErrCode infer_view_as(const Call *call, Infer *r) {
    return viewed(r, call->arg[0].tensor, call->arg[1].tensor->size, call->arg[1].tensor->ndim);
}

/* ---- expand ---- */

/* -1 keeps self's size. */
static ErrCode expanded(Infer *r, const Tensor *self, const int64_t *given, int n) {
    if (n < self->ndim) {
        return error_set(r->err, ERR_shape,
                         "expand: the number of sizes provided (%d) must be greater or equal to "
                         "the number of dimensions in the tensor (%d)",
                         n, self->ndim);
    }
    TRY(dims_fit(n, r->err));
    Tensor *t = infer_one(r, self->dtype, n);
    t->offset = self->offset;
    int shift = n - self->ndim;
    bool negative = false;
    for (int d = n - 1; d >= 0; d--) {
        int64_t size = given[d];
        if (self->ndim == 0) { /* no size to keep: -1 is a negative size */
            t->stride[d] = 0;
        } else if (d < shift) {
            if (size == -1) {
                return error_set(r->err, ERR_shape,
                                 "The expanded size of the tensor (-1) isn't allowed in a leading, "
                                 "non-existing dimension %d",
                                 d);
            }
            t->stride[d] = d + 1 < n ? geometry_stride(t->size[d + 1], t->stride[d + 1]) : 1;
            if (size != 1) {
                t->stride[d] = 0;
            }
        } else {
            int64_t own = self->size[d - shift];
            size = size == -1 ? own : size;
            if (size != own && own != 1) {
                return error_set(r->err, ERR_shape,
                                 "The expanded size of the tensor (%lld) must match the existing "
                                 "size (%lld) at non-singleton dimension %d",
                                 (long long)size, (long long)own, d);
            }
            t->stride[d] = size == own ? self->stride[d - shift] : 0;
        }
        t->size[d] = size;
        negative |= size < 0;
    }
    if (negative) {
        return error_set(r->err, ERR_invalid, "numel: integer multiplication overflow");
    }
    return sizes_fit(t->size, n, r->err);
}

ErrCode infer_expand(const Call *call, Infer *r) {
    return expanded(r, call->arg[0].tensor, call->arg[1].ints.v, call->arg[1].ints.n);
}
ErrCode infer_expand_as(const Call *call, Infer *r) {
    return expanded(r, call->arg[0].tensor, call->arg[1].tensor->size, call->arg[1].tensor->ndim);
}
