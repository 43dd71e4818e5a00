/* Geometry of strided tensors: sizes, strides, broadcasting. This file accesses no data. Every
 * product and sum of a program's numbers is checked for overflow, so later loops cannot
 * overflow. */
#include "tensor/tensor.h"

#include <string.h>

bool sizes_numel(const int64_t *size, int ndim, int64_t *numel) {
    int64_t product = 1;
    bool empty = false;
    for (int d = 0; d < ndim; d++) {
        if (size[d] < 0) {
            return false;
        }
        if (size[d] == 0) {
            empty = true;
        } else if (!checked_mul(product, size[d], &product)) {
            return false;
        }
    }
    *numel = empty ? 0 : product;
    return true;
}

void contiguous_strides(const int64_t *size, int ndim, int64_t *stride) {
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        stride[d] = step;
        if (!checked_mul(step, max_i64(size[d], 1), &step)) {
            step = INT64_MAX; /* sizes_numel rejects such sizes before a stride is used */
        }
    }
}

void tensor_set_contiguous(Tensor *t, DType dtype, const int64_t *size, int ndim) {
    t->dtype = dtype;
    t->ndim = ndim;
    t->offset = 0;
    t->storage = NULL;
    if (t->size != size && ndim > 0) {
        memmove(t->size, size, (size_t)ndim * sizeof *size);
    }
    contiguous_strides(t->size, ndim, t->stride);
}

bool tensor_is_contiguous(const Tensor *t) {
    int64_t expected = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->stride[d] != expected && t->size[d] != 1) {
            return tensor_numel(t) == 0;
        }
        expected *= t->size[d];
    }
    return true;
}

/* Dims with more than one element, by ascending stride (stable). Returns their number. */
static int dims_by_stride(const Tensor *t, int *order) {
    int n = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] == 1) {
            continue;
        }
        int at = n++;
        while (at > 0 && t->stride[order[at - 1]] > t->stride[d]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = d;
    }
    return n;
}

bool tensor_is_dense(const Tensor *t) {
    if (tensor_is_contiguous(t)) {
        return true;
    }
    int order[MAX_DIMS];
    int n = dims_by_stride(t, order);
    int64_t expected = 1;
    for (int k = 0; k < n; k++) {
        if (t->stride[order[k]] != expected) {
            return false;
        }
        expected *= t->size[order[k]];
    }
    return true;
}

bool tensor_same_layout(const Tensor *a, const Tensor *b) {
    return a->offset == b->offset && tensor_same_size(a, b) &&
           sizes_equal(a->stride, a->ndim, b->stride, b->ndim);
}

bool tensor_extent(const Tensor *t, int64_t *extent) {
    int64_t last = t->offset;
    bool fits = true;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] == 0) { /* whatever the strides of the other dims are */
            *extent = 0;
            return true;
        }
        int64_t reach;
        fits = fits && checked_mul(t->size[d] - 1, t->stride[d], &reach) &&
               checked_add(last, reach, &last);
    }
    return fits && checked_add(last, 1, extent);
}

ErrCode dim_wrap(int64_t dim, int ndim, int *wrapped, Error *err) {
    int64_t n = max_i64(ndim, 1);
    if (dim < -n || dim >= n) {
        return error_set(
            err, ERR_index_range,
            "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
            (long long)-n, (long long)n - 1, (long long)dim);
    }
    *wrapped = (int)(dim < 0 ? dim + n : dim);
    return ERR_none;
}

ErrCode broadcast_into(int64_t *size, int *ndim, const int64_t *other, int other_ndim, Error *err) {
    if (other_ndim > *ndim) {
        int grow = other_ndim - *ndim;
        for (int d = *ndim - 1; d >= 0; d--) {
            size[d + grow] = size[d];
        }
        for (int d = 0; d < grow; d++) {
            size[d] = 1;
        }
        *ndim = other_ndim;
    }
    int shift = *ndim - other_ndim;
    for (int d = other_ndim - 1; d >= 0; d--) {
        int64_t a = size[d + shift], b = other[d];
        if (a != b && a != 1 && b != 1) {
            return error_set(err, ERR_shape,
                             "The size of tensor a (%lld) must match the size of tensor b (%lld) "
                             "at non-singleton dimension %d",
                             (long long)a, (long long)b, d + shift);
        }
        size[d + shift] = a == 1 ? b : a;
    }
    return ERR_none;
}

void broadcast_strides(const Tensor *t, const int64_t *size, int ndim, int64_t *stride) {
    int shift = ndim - t->ndim;
    for (int d = 0; d < ndim; d++) {
        stride[d] =
            d < shift || (t->size[d - shift] == 1 && size[d] != 1) ? 0 : t->stride[d - shift];
    }
}

ErrCode tensor_expand(const Tensor *t, const int64_t *size, int ndim, Tensor *out, Error *err) {
    int shift = ndim - t->ndim;
    if (shift < 0) {
        return error_set(err, ERR_shape,
                         "the number of sizes provided (%d) must be greater or equal to the number "
                         "of dimensions in the tensor (%d)",
                         ndim, t->ndim);
    }
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] != size[d + shift] && t->size[d] != 1) {
            return error_set(err, ERR_shape,
                             "The expanded size of the tensor (%lld) must match the existing size "
                             "(%lld) at dimension %d",
                             (long long)size[d + shift], (long long)t->size[d], d + shift);
        }
    }
    int64_t stride[MAX_DIMS];
    broadcast_strides(t, size, ndim, stride);
    out->dtype = t->dtype;
    out->offset = t->offset;
    out->storage = t->storage;
    out->ndim = ndim;
    memcpy(out->size, size, (size_t)ndim * sizeof *size);
    memcpy(out->stride, stride, (size_t)ndim * sizeof *stride);
    return ERR_none;
}
