/* Geometry of views: sizes, strides and offset in self's storage
 * (aten/src/ATen/native/TensorShape.cpp, TensorShape.h).
 *
 * The geometry_* functions also serve the *_scatter ops, which write through a view of a copy.
 * Strides of dims of size 0 or 1 address nothing and may have any value. All other strides were
 * checked when self was made, and no view reaches further than self except as_strided, which checks
 * its own extent. */
#include "program/infer/infer.h"

#include <string.h>

int64_t geometry_stride(int64_t a, int64_t b) {
    int64_t product;
    return checked_mul(a, b, &product) ? product : 1;
}

int64_t geometry_offset(int64_t offset, int64_t steps, int64_t stride) {
    int64_t distance, at;
    return checked_mul(steps, stride, &distance) && checked_add(offset, distance, &at) ? at
                                                                                       : offset;
}

void geometry_copy(Tensor *t, const Tensor *self) {
    t->dtype = self->dtype;
    t->ndim = self->ndim;
    t->offset = self->offset;
    t->storage = NULL;
    dims_copy(t->size, self->size, self->ndim);
    dims_copy(t->stride, self->stride, self->ndim);
}

void geometry_remove_dim(Tensor *t, int dim) {
    for (int d = dim; d + 1 < t->ndim; d++) {
        t->size[d] = t->size[d + 1];
        t->stride[d] = t->stride[d + 1];
    }
    t->ndim--;
}

/* Adds the output of a view op, initialized with self's geometry. */
static Tensor *view_of(Infer *r, const Tensor *self) {
    Tensor *t = infer_one(r, self->dtype, self->ndim);
    geometry_copy(t, self);
    return t;
}

static ErrCode no_dims(const char *what, Error *err) {
    return error_set(err, ERR_index_range, "%s() cannot be applied to a 0-dim tensor.", what);
}

ErrCode infer_alias(const Call *call, Infer *r) {
    (void)view_of(r, call->arg[0].tensor);
    return ERR_none;
}

/* ---- permutations of dims ---- */

static void swap_dims(Tensor *t, int a, int b) {
    int64_t size = t->size[a], stride = t->stride[a];
    t->size[a] = t->size[b];
    t->stride[a] = t->stride[b];
    t->size[b] = size;
    t->stride[b] = stride;
}

ErrCode infer_transpose(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int a, b;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &a, r->err));
    TRY(dim_wrap(call->arg[2].i, self->ndim, &b, r->err));
    Tensor *t = view_of(r, self);
    if (a != b) {
        swap_dims(t, a, b);
    }
    return ERR_none;
}

ErrCode infer_t(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (self->ndim > 2) {
        return error_set(r->err, ERR_invalid,
                         "t() expects a tensor with <= 2 dimensions, but self is %dD", self->ndim);
    }
    Tensor *t = view_of(r, self);
    if (t->ndim == 2) {
        swap_dims(t, 0, 1);
    }
    return ERR_none;
}

static void infer_view_permuted(Infer *r, const Tensor *self, const int *order) {
    Tensor *t = infer_one(r, self->dtype, self->ndim);
    t->offset = self->offset;
    for (int d = 0; d < self->ndim; d++) {
        t->size[d] = self->size[order[d]];
        t->stride[d] = self->stride[order[d]];
    }
}

ErrCode infer_permute(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const int64_t *dims = call->arg[1].ints.v;
    int n = call->arg[1].ints.n, order[MAX_DIMS];
    if (n != self->ndim) {
        return error_set(
            r->err, ERR_invalid,
            "permute: number of dimensions %d does not match the length of the ordering %d",
            self->ndim, n);
    }
    unsigned seen = 0;
    for (int k = 0; k < n; k++) {
        TRY(dim_wrap(dims[k], n, &order[k], r->err));
        if (seen >> order[k] & 1) {
            return error_set(r->err, ERR_invalid, "permute(): duplicate dims are not allowed.");
        }
        seen |= 1u << order[k];
    }
    infer_view_permuted(r, self, order);
    return ERR_none;
}

/* Wraps the dims of a movedim list into `dims`. */
static ErrCode wrap_all(const Arg *list, int ndim, int *dims, Error *err) {
    for (int k = 0; k < list->ints.n && k < MAX_DIMS; k++) {
        TRY(dim_wrap(list->ints.v[k], ndim, &dims[k], err));
    }
    return ERR_none;
}

static ErrCode refuse_repeated(const int *dims, int n, const char *what, Error *err) {
    unsigned seen = 0;
    for (int k = 0; k < n; k++) {
        if (k >= MAX_DIMS ||
            (seen >> dims[k] & 1)) { /* more than MAX_DIMS dims: one occurs twice */
            return error_set(err, ERR_invalid, "movedim: repeated dim in `%s`", what);
        }
        seen |= 1u << dims[k];
    }
    return ERR_none;
}

ErrCode infer_movedim(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *source = &call->arg[1], *destination = &call->arg[2];
    int n = source->ints.n, from[MAX_DIMS], to[MAX_DIMS], order[MAX_DIMS];
    if (n != destination->ints.n) {
        return error_set(r->err, ERR_invalid,
                         "movedim: source (%d dims) should contain the same number of dims as "
                         "destination (%d dims)",
                         n, destination->ints.n);
    }
    TRY(wrap_all(source, self->ndim, from, r->err));
    TRY(wrap_all(destination, self->ndim, to, r->err));
    TRY(refuse_repeated(from, n, "source", r->err));
    TRY(refuse_repeated(to, n, "destination", r->err));
    if (self->ndim == 0) {
        return infer_alias(call, r);
    }
    unsigned placed = 0, moved = 0;
    for (int k = 0; k < n; k++) {
        order[to[k]] = from[k];
        placed |= 1u << to[k];
        moved |= 1u << from[k];
    }
    for (int d = 0, next = 0; d < self->ndim; d++) {
        if (placed >> d & 1) {
            continue;
        }
        while (moved >> next & 1) {
            next++;
        }
        order[d] = next++;
    }
    infer_view_permuted(r, self, order);
    return ERR_none;
}

/* ---- slices of one dim ---- */

static ErrCode geometry_slice(const Tensor *self, int64_t dim, const Arg *start, const Arg *end,
                              int64_t step, Tensor *out, Error *err) {
    if (self->ndim == 0) {
        return no_dims("slice", err);
    }
    int d;
    TRY(dim_wrap(dim, self->ndim, &d, err));
    if (step <= 0) {
        return error_set(err, ERR_invalid, "slice step must be positive");
    }
    int64_t size = self->size[d];
    int64_t from = start->none || start->i == INT64_MAX ? 0 : start->i,
            to = end->none ? INT64_MAX : end->i;
    from += from < 0 ? size : 0;
    to += to < 0 ? size : 0;
    from = from < 0 ? 0 : min_i64(from, size);
    to = to < from ? from : min_i64(to, size);
    int64_t length = to - from;
    geometry_copy(out, self);
    out->offset = geometry_offset(self->offset, from, self->stride[d]);
    out->size[d] = length == 0 ? 0 : (length - 1) / step + 1;
    out->stride[d] = geometry_stride(self->stride[d], step);
    return ERR_none;
}

ErrCode infer_slice(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_slice(self, call->arg[1].i, &call->arg[2], &call->arg[3], call->arg[4].i,
                          infer_one(r, self->dtype, self->ndim), r->err);
}

ErrCode geometry_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out, Error *err) {
    if (self->ndim == 0) {
        return no_dims("select", err);
    }
    int d;
    TRY(dim_wrap(dim, self->ndim, &d, err));
    int64_t size = self->size[d];
    if (index < -size || index >= size) {
        return error_set(
            err, ERR_index_range,
            "select(): index %lld out of range for tensor of size %lld at dimension %d",
            (long long)index, (long long)size, d);
    }
    geometry_copy(out, self);
    out->offset = geometry_offset(self->offset, index < 0 ? index + size : index, self->stride[d]);
    geometry_remove_dim(out, d);
    return ERR_none;
}

ErrCode infer_select(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_select(self, call->arg[1].i, call->arg[2].i,
                           infer_one(r, self->dtype, self->ndim), r->err);
}

/* Checks narrow's arguments and computes the dim and the start of the view. */
static ErrCode narrowed(const Call *call, Error *err, int *dim, int64_t *first) {
    const Tensor *self = call->arg[0].tensor;
    int64_t start = call->arg[2].i, length = call->arg[3].i;
    if (self->ndim == 0) {
        return error_certain(no_dims("narrow", err));
    }
    if (length < 0 && call->op->id == OP_narrow && since(narrow_negative)) {
        return error_set(err, ERR_invalid, "narrow(): length must be non-negative.");
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, dim, err));
    int64_t size = self->size[*dim];
    if (start != size) {
        int64_t n = since(narrow_negative) ? size : max_i64(size, 1);
        if (start < -n || start >= n) {
            return error_set(
                err, ERR_index_range,
                "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                (long long)-n, (long long)n - 1, (long long)start);
        }
        start += start < 0 ? n : 0;
    }
    if (length < 0 || start > size - length) {
        return error_set(err, ERR_index_range,
                         "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                         (long long)start, (long long)length, (long long)size);
    }
    *first = start;
    return ERR_none;
}

ErrCode infer_narrow(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    int64_t first;
    TRY(narrowed(call, r->err, &d, &first));
    Tensor *t = view_of(r, self);
    t->offset = geometry_offset(self->offset, first, self->stride[d]);
    t->size[d] = call->arg[3].i;
    return ERR_none;
}

/* narrow_copy makes different checks for a dim out of range. */
ErrCode infer_narrow_copy(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    int64_t first, size[MAX_DIMS];
    if (self->ndim > 0 && call->arg[1].i >= self->ndim) {
        return error_set(
            r->err, ERR_invalid,
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.");
    }
    TRY(narrowed(call, r->err, &d, &first));
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    size[d] = call->arg[3].i;
    return infer_contiguous(r, self->dtype, size, self->ndim);
}

/* ---- dims of size 1 ---- */

ErrCode infer_unsqueeze(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim + 1, &d, r->err));
    TRY(dims_fit(self->ndim + 1, r->err));
    Tensor *t = infer_one(r, self->dtype, self->ndim + 1);
    t->offset = self->offset;
    for (int k = 0; k < t->ndim; k++) {
        int own = k < d ? k : k - 1;
        t->size[k] = k == d ? 1 : self->size[own];
        t->stride[k] = k == d
                           ? (d < self->ndim ? geometry_stride(self->size[d], self->stride[d]) : 1)
                           : self->stride[own];
    }
    return ERR_none;
}

ErrCode infer_squeeze(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int only = -1;
    if (call->op->id == OP_squeeze_dim) {
        TRY(dim_wrap(call->arg[1].i, self->ndim, &only, r->err));
    }
    Tensor *t = infer_one(r, self->dtype, 0);
    t->offset = self->offset;
    for (int d = 0; d < self->ndim; d++) {
        if (self->size[d] == 1 && (only < 0 || only == d)) {
            continue;
        }
        t->size[t->ndim] = self->size[d];
        t->stride[t->ndim++] = self->stride[d];
    }
    return ERR_none;
}

/* ---- diagonal, unfold, as_strided ---- */

ErrCode geometry_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2,
                          Tensor *out, Error *err) {
    int a, b;
    TRY(dim_wrap(dim1, self->ndim, &a, err));
    TRY(dim_wrap(dim2, self->ndim, &b, err));
    if (a == b) {
        return error_set(err, ERR_invalid, "diagonal dimensions cannot be identical %lld, %lld",
                         (long long)dim1, (long long)dim2);
    }
    offset = max_i64(min_i64(offset, self->size[b]),
                     -self->size[a]); /* any offset further out is also empty */
    int64_t length = offset >= 0 ? min_i64(self->size[a], self->size[b] - offset)
                                 : min_i64(self->size[a] + offset, self->size[b]);
    length = max_i64(length, 0);
    int64_t stride;
    if (!checked_add(self->stride[a], self->stride[b], &stride)) {
        stride = 1;
    }
    geometry_copy(out, self);
    if (length > 0) {
        out->offset = offset >= 0 ? geometry_offset(self->offset, offset, self->stride[b])
                                  : geometry_offset(self->offset, -offset, self->stride[a]);
    }
    geometry_remove_dim(out, a > b ? a : b);
    geometry_remove_dim(out, a > b ? b : a);
    out->size[out->ndim] = length;
    out->stride[out->ndim++] = stride;
    return ERR_none;
}

ErrCode infer_diagonal(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_diagonal(self, call->arg[1].i, call->arg[2].i, call->arg[3].i,
                             infer_one(r, self->dtype, self->ndim), r->err);
}

ErrCode infer_unfold(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t size = call->arg[2].i, step = call->arg[3].i;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    int64_t whole = self->ndim == 0 ? 1 : self->size[d];
    if (size > whole) {
        return error_set(r->err, ERR_invalid,
                         "maximum size for tensor at dimension %d is %lld but size is %lld", d,
                         (long long)whole, (long long)size);
    }
    if (step <= 0) {
        return error_set(r->err, ERR_invalid, "step is %lld but must be > 0", (long long)step);
    }
    if (size < 0) {
        return error_set(r->err, ERR_invalid,
                         "Storage size calculation overflowed with a negative size");
    }
    TRY(dims_fit(self->ndim + 1, r->err));
    Tensor *t = view_of(r, self);
    t->size[t->ndim] = size;
    t->stride[t->ndim] = self->ndim == 0 ? 1 : self->stride[d];
    if (self->ndim > 0) {
        t->size[d] = (whole - size) / step + 1;
        t->stride[d] = geometry_stride(self->stride[d], step);
    }
    t->ndim++;
    return sizes_fit(t->size, t->ndim, r->err);
}

/* `numel` is the length of the storage, or -1 if it is unknown (then the extent is not checked). */
static ErrCode geometry_as_strided(const Tensor *self, int64_t numel, const Arg *size,
                                   const Arg *stride, int64_t offset, Tensor *out, Error *err) {
    int n = size->ints.n;
    if (n != stride->ints.n) {
        return error_set(err, ERR_invalid, "mismatch in length of strides and shape");
    }
    TRY(dims_fit(n, err));
    out->dtype = self->dtype;
    out->ndim = n;
    out->offset = offset;
    out->storage = NULL;
    for (int d = 0; d < n; d++) {
        out->size[d] = size->ints.v[d];
        out->stride[d] = stride->ints.v[d];
        if (out->stride[d] < 0) {
            return error_set(err, ERR_invalid,
                             "as_strided: Negative strides are not supported at the moment");
        }
    }
    for (int d = 0; d < n; d++) {
        if (out->size[d] < 0) {
            return error_set(err, ERR_invalid,
                             "Storage size calculation overflowed with a negative size");
        }
    }
    if (offset < 0) {
        return error_set(err, ERR_invalid, "Tensor: invalid storage offset %lld",
                         (long long)offset);
    }
    TRY(sizes_fit(out->size, n, err));
    int64_t extent;
    if (!tensor_extent(out, &extent) || (numel >= 0 && extent > numel)) {
        return error_set(err, ERR_invalid,
                         "setStorage: sizes, strides and storage offset %lld are out of bounds for "
                         "storage of %lld elements",
                         (long long)offset, (long long)numel);
    }
    return ERR_none;
}

ErrCode infer_as_strided(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t offset = call->arg[3].none ? self->offset : call->arg[3].i;
    int64_t numel = self->storage ? self->storage->numel : -1;
    return geometry_as_strided(self, numel, &call->arg[1], &call->arg[2], offset,
                               infer_one(r, self->dtype, 0), r->err);
}

ErrCode geometry_scattered(const Call *call, const Tensor *like, Tensor *out, Error *err) {
    const Arg *a = call->arg;
    int64_t numel;
    switch (call->op->id) {
    case OP_slice_scatter:
        return geometry_slice(like, a[2].i, &a[3], &a[4], a[5].i, out, err);
    case OP_select_scatter:
        return geometry_select(like, a[2].i, a[3].i, out, err);
    case OP_diagonal_scatter:
        return geometry_diagonal(like, a[2].i, a[3].i, a[4].i, out, err);
    case OP_as_strided_scatter:
        numel = like->storage ? like->storage->numel : tensor_numel(like); /* a clone is dense */
        return geometry_as_strided(like, numel, &a[2], &a[3], a[4].none ? like->offset : a[4].i,
                                   out, err);
    default:
        CHECK(!"a *_scatter row");
        return ERR_internal;
    }
}
