/* Geometry of views: sizes, strides and offset in self's storage (aten/src/ATen/native/TensorShape.cpp, TensorShape.h).
 *
 * The geometry_* functions serve the *_scatter rows as well, which write through the view of a copy. Strides that only dims of
 * size 0 or 1 have address nothing and may wrap; all others were checked when self was made, and no view reaches further than
 * self, except as_strided, which checks for itself. */
#include "program/infer.h"

#include <string.h>

/* A product of strides that matters only where it fits (see above). */
static int64_t stride_mul(int64_t a, int64_t b) {
    int64_t product;
    return checked_mul(a, b, &product) ? product : 1;
}

/* `steps` along a dim from `offset`; an overflow means that nothing is addressed there. */
static int64_t offset_at(int64_t offset, int64_t steps, int64_t stride) {
    int64_t distance, at;
    return checked_mul(steps, stride, &distance) && checked_add(offset, distance, &at) ? at : offset;
}

static void set_like(Tensor *t, const Tensor *self) {
    size_t bytes = (size_t)self->ndim * sizeof *self->size;
    t->dtype = self->dtype;
    t->ndim = self->ndim;
    t->offset = self->offset;
    t->storage = NULL;
    memcpy(t->size, self->size, bytes);
    memcpy(t->stride, self->stride, bytes);
}

/* The output of a view op, starting as self itself. */
static Tensor *view_of(Infer *r, const Tensor *self) {
    Tensor *t = infer_one(r, self->dtype, self->ndim);
    set_like(t, self);
    return t;
}

static void remove_dim(Tensor *t, int dim) {
    for (int d = dim; d + 1 < t->ndim; d++) {
        t->size[d] = t->size[d + 1];
        t->stride[d] = t->stride[d + 1];
    }
    t->ndim--;
}

static ErrCode more_dims(int ndim, Error *err) {
    if (ndim > MAX_DIMS) {
        return error_set(err, ERR_limit, "a tensor of %d dims is over the limit of %d", ndim, MAX_DIMS);
    }
    return ERR_none;
}

static ErrCode no_dims(const char *what, Error *err) {
    return error_set(err, ERR_index_range, "%s() cannot be applied to a 0-dim tensor.", what);
}

/* ---- view ---- */

/* Fills in the -1 of a requested size (at::infer_size). */
static ErrCode infer_minus_one(const int64_t *asked, int n, int64_t numel, int64_t *size, Error *err) {
    int64_t product = 1;
    int open = -1;
    for (int d = 0; d < n; d++) {
        size[d] = asked[d];
        if (asked[d] == -1) {
            if (open >= 0) {
                return error_set(err, ERR_invalid, "only one dimension can be inferred");
            }
            open = d;
        } else if (asked[d] < 0) {
            return error_set(err, ERR_invalid, "invalid shape dimension %lld", (long long)asked[d]);
        } else if (!checked_mul(product, asked[d], &product)) {
            product = -1;
            break;
        }
    }
    bool fits = product == numel || (open >= 0 && product > 0 && numel % product == 0);
    if (!fits) {
        return error_set(err, ERR_shape, "the shape is invalid for input of size %lld", (long long)numel);
    }
    if (open >= 0) {
        if (product == 0) {
            return error_set(err, ERR_invalid, "cannot reshape tensor of 0 elements: the unspecified dimension can be any value");
        }
        size[open] = numel / product;
    }
    return ERR_none;
}

/* Walks runs of old dims that step evenly, from the last; each must be used up exactly by new dims. */
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
    for (; d >= 0; d--) { /* a 0-dim self: every new dim has one element */
        stride[d] = 1;
    }
    return true;
}

static ErrCode viewed(Infer *r, const Tensor *self, const int64_t *asked, int n) {
    TRY(more_dims(n, r->err));
    int64_t numel = tensor_numel(self);
    Tensor *t = infer_one(r, self->dtype, n);
    t->offset = self->offset;
    TRY(infer_minus_one(asked, n, numel, t->size, r->err));
    TRY(sizes_fit(t->size, n, r->err));
    if (!view_strides(self, numel, t->size, n, t->stride)) {
        return error_set(r->err, ERR_view_stride, "view size is not compatible with input tensor's size and stride");
    }
    return ERR_none;
}

ErrCode infer_view(const Call *call, Infer *r) { return viewed(r, call->arg[0].tensor, call->arg[1].ints.v, call->arg[1].ints.n); }
ErrCode infer_view_as(const Call *call, Infer *r) { return viewed(r, call->arg[0].tensor, call->arg[1].tensor->size, call->arg[1].tensor->ndim); }

ErrCode infer_alias(const Call *call, Infer *r) {
    (void)view_of(r, call->arg[0].tensor);
    return ERR_none;
}

/* ---- orders of dims ---- */

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
        return error_set(r->err, ERR_invalid, "t() expects a tensor with <= 2 dimensions, but self is %dD", self->ndim);
    }
    Tensor *t = view_of(r, self);
    if (t->ndim == 2) {
        swap_dims(t, 0, 1);
    }
    return ERR_none;
}

static void permuted(Infer *r, const Tensor *self, const int *order) {
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
        return error_set(r->err, ERR_invalid, "permute: number of dimensions %d does not match the length of the ordering %d", self->ndim, n);
    }
    unsigned seen = 0;
    for (int k = 0; k < n; k++) {
        TRY(dim_wrap(dims[k], n, &order[k], r->err));
        if (seen >> order[k] & 1) {
            return error_set(r->err, ERR_invalid, "permute(): duplicate dims are not allowed.");
        }
        seen |= 1u << order[k];
    }
    permuted(r, self, order);
    return ERR_none;
}

/* Wraps a dim list of movedim into `dims`. */
static ErrCode wrap_all(const Arg *list, int ndim, int *dims, Error *err) {
    for (int k = 0; k < list->ints.n && k < MAX_DIMS; k++) {
        TRY(dim_wrap(list->ints.v[k], ndim, &dims[k], err));
    }
    return ERR_none;
}

static ErrCode refuse_repeated(const int *dims, int n, const char *what, Error *err) {
    unsigned seen = 0;
    for (int k = 0; k < n; k++) {
        if (k >= MAX_DIMS || (seen >> dims[k] & 1)) { /* more than MAX_DIMS dims must repeat one */
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
        return error_set(r->err, ERR_invalid, "movedim: source (%d dims) should contain the same number of dims as destination (%d dims)", n,
                         destination->ints.n);
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
    permuted(r, self, order);
    return ERR_none;
}

/* ---- expand ---- */

/* -1 stands for self's own size. */
static ErrCode expanded(Infer *r, const Tensor *self, const int64_t *asked, int n) {
    if (n < self->ndim) {
        return error_set(r->err, ERR_shape, "expand: the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
                         n, self->ndim);
    }
    TRY(more_dims(n, r->err));
    Tensor *t = infer_one(r, self->dtype, n);
    t->offset = self->offset;
    int shift = n - self->ndim;
    bool negative = false;
    for (int d = n - 1; d >= 0; d--) {
        int64_t size = asked[d];
        if (self->ndim == 0) { /* no sizes to take over: -1 is just negative */
            t->stride[d] = 0;
        } else if (d < shift) {
            if (size == -1) {
                return error_set(r->err, ERR_shape, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %d", d);
            }
            t->stride[d] = d + 1 < n ? stride_mul(t->size[d + 1], t->stride[d + 1]) : 1;
            if (size != 1) {
                t->stride[d] = 0;
            }
        } else {
            int64_t own = self->size[d - shift];
            size = size == -1 ? own : size;
            if (size != own && own != 1) {
                return error_set(r->err, ERR_shape, "The expanded size of the tensor (%lld) must match the existing size (%lld) at non-singleton dimension %d",
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

ErrCode infer_expand(const Call *call, Infer *r) { return expanded(r, call->arg[0].tensor, call->arg[1].ints.v, call->arg[1].ints.n); }
ErrCode infer_expand_as(const Call *call, Infer *r) { return expanded(r, call->arg[0].tensor, call->arg[1].tensor->size, call->arg[1].tensor->ndim); }

/* ---- parts of one dim ---- */

ErrCode geometry_slice(const Tensor *self, int64_t dim, const Arg *start, const Arg *end, int64_t step, Tensor *out, Error *err) {
    if (self->ndim == 0) {
        return no_dims("slice", err);
    }
    int d;
    TRY(dim_wrap(dim, self->ndim, &d, err));
    if (step <= 0) {
        return error_set(err, ERR_invalid, "slice step must be positive");
    }
    int64_t size = self->size[d];
    int64_t from = start->none || start->i == INT64_MAX ? 0 : start->i, to = end->none ? INT64_MAX : end->i;
    from += from < 0 ? size : 0;
    to += to < 0 ? size : 0;
    from = from < 0 ? 0 : min_i64(from, size);
    to = to < from ? from : min_i64(to, size);
    int64_t length = to - from;
    set_like(out, self);
    out->offset = offset_at(self->offset, from, self->stride[d]);
    out->size[d] = length == 0 ? 0 : (length - 1) / step + 1;
    out->stride[d] = stride_mul(self->stride[d], step);
    return ERR_none;
}

ErrCode infer_slice(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_slice(self, call->arg[1].i, &call->arg[2], &call->arg[3], call->arg[4].i, infer_one(r, self->dtype, self->ndim), r->err);
}

ErrCode geometry_select(const Tensor *self, int64_t dim, int64_t index, Tensor *out, Error *err) {
    if (self->ndim == 0) {
        return no_dims("select", err);
    }
    int d;
    TRY(dim_wrap(dim, self->ndim, &d, err));
    int64_t size = self->size[d];
    if (index < -size || index >= size) {
        return error_set(err, ERR_index_range, "select(): index %lld out of range for tensor of size %lld at dimension %d", (long long)index,
                         (long long)size, d);
    }
    set_like(out, self);
    out->offset += (index < 0 ? index + size : index) * self->stride[d];
    remove_dim(out, d);
    return ERR_none;
}

ErrCode infer_select(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_select(self, call->arg[1].i, call->arg[2].i, infer_one(r, self->dtype, self->ndim), r->err);
}

ErrCode infer_narrow(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t start = call->arg[2].i, length = call->arg[3].i;
    if (self->ndim == 0) {
        return no_dims("narrow", r->err);
    }
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    int64_t size = self->size[d];
    if (start != size) {
        int64_t n = max_i64(size, 1);
        if (start < -n || start >= n) {
            return error_set(r->err, ERR_index_range, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                             (long long)-n, (long long)n - 1, (long long)start);
        }
        start += start < 0 ? n : 0;
    }
    if (length < 0 || start > size - length) {
        return error_set(r->err, ERR_index_range, "start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start,
                         (long long)length, (long long)size);
    }
    Tensor *t = view_of(r, self);
    t->offset = offset_at(self->offset, start, self->stride[d]);
    t->size[d] = length;
    return ERR_none;
}

/* ---- dims of size 1 ---- */

ErrCode infer_unsqueeze(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim + 1, &d, r->err));
    TRY(more_dims(self->ndim + 1, r->err));
    Tensor *t = infer_one(r, self->dtype, self->ndim + 1);
    t->offset = self->offset;
    for (int k = 0; k < t->ndim; k++) {
        int own = k < d ? k : k - 1;
        t->size[k] = k == d ? 1 : self->size[own];
        t->stride[k] = k == d ? (d < self->ndim ? stride_mul(self->size[d], self->stride[d]) : 1) : self->stride[own];
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

ErrCode geometry_diagonal(const Tensor *self, int64_t offset, int64_t dim1, int64_t dim2, Tensor *out, Error *err) {
    int a, b;
    TRY(dim_wrap(dim1, self->ndim, &a, err));
    TRY(dim_wrap(dim2, self->ndim, &b, err));
    if (a == b) {
        return error_set(err, ERR_invalid, "diagonal dimensions cannot be identical %lld, %lld", (long long)dim1, (long long)dim2);
    }
    offset = max_i64(min_i64(offset, self->size[b]), -self->size[a]); /* farther out the diagonal is empty just as well */
    int64_t length = offset >= 0 ? min_i64(self->size[a], self->size[b] - offset) : min_i64(self->size[a] + offset, self->size[b]);
    length = max_i64(length, 0);
    int64_t stride;
    if (!checked_add(self->stride[a], self->stride[b], &stride)) {
        stride = 1;
    }
    set_like(out, self);
    if (length > 0) {
        out->offset += offset >= 0 ? offset * self->stride[b] : -offset * self->stride[a];
    }
    remove_dim(out, a > b ? a : b);
    remove_dim(out, a > b ? b : a);
    out->size[out->ndim] = length;
    out->stride[out->ndim++] = stride;
    return ERR_none;
}

ErrCode infer_diagonal(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return geometry_diagonal(self, call->arg[1].i, call->arg[2].i, call->arg[3].i, infer_one(r, self->dtype, self->ndim), r->err);
}

ErrCode infer_unfold(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t size = call->arg[2].i, step = call->arg[3].i;
    int d;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    int64_t whole = self->ndim == 0 ? 1 : self->size[d];
    if (size > whole) {
        return error_set(r->err, ERR_invalid, "maximum size for tensor at dimension %d is %lld but size is %lld", d, (long long)whole, (long long)size);
    }
    if (step <= 0) {
        return error_set(r->err, ERR_invalid, "step is %lld but must be > 0", (long long)step);
    }
    if (size < 0) {
        return error_set(r->err, ERR_invalid, "Storage size calculation overflowed with a negative size");
    }
    TRY(more_dims(self->ndim + 1, r->err));
    Tensor *t = view_of(r, self);
    t->size[t->ndim] = size;
    t->stride[t->ndim] = self->ndim == 0 ? 1 : self->stride[d];
    if (self->ndim > 0) {
        t->size[d] = (whole - size) / step + 1;
        t->stride[d] = stride_mul(self->stride[d], step);
    }
    t->ndim++;
    return sizes_fit(t->size, t->ndim, r->err);
}

ErrCode geometry_as_strided(const Tensor *self, int64_t numel, const Arg *size, const Arg *stride, int64_t offset, Tensor *out, Error *err) {
    int n = size->ints.n;
    if (n != stride->ints.n) {
        return error_set(err, ERR_invalid, "mismatch in length of strides and shape");
    }
    TRY(more_dims(n, err));
    out->dtype = self->dtype;
    out->ndim = n;
    out->offset = offset;
    out->storage = NULL;
    for (int d = 0; d < n; d++) {
        out->size[d] = size->ints.v[d];
        out->stride[d] = stride->ints.v[d];
        if (out->stride[d] < 0) {
            return error_set(err, ERR_invalid, "as_strided: Negative strides are not supported at the moment");
        }
    }
    for (int d = 0; d < n; d++) {
        if (out->size[d] < 0) {
            return error_set(err, ERR_invalid, "Storage size calculation overflowed with a negative size");
        }
    }
    if (offset < 0) {
        return error_set(err, ERR_invalid, "Tensor: invalid storage offset %lld", (long long)offset);
    }
    TRY(sizes_fit(out->size, n, err));
    int64_t extent;
    if (!tensor_extent(out, &extent) || (numel >= 0 && extent > numel)) {
        return error_set(err, ERR_invalid, "setStorage: sizes, strides and storage offset %lld are out of bounds for storage of %lld elements",
                         (long long)offset, (long long)numel);
    }
    return ERR_none;
}

ErrCode infer_as_strided(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t offset = call->arg[3].none ? self->offset : call->arg[3].i;
    int64_t numel = self->storage ? self->storage->numel : -1;
    return geometry_as_strided(self, numel, &call->arg[1], &call->arg[2], offset, infer_one(r, self->dtype, 0), r->err);
}

ErrCode geometry_scattered(const Call *call, const Tensor *like, Tensor *out, Error *err) {
    const Arg *a = call->arg;
    int64_t numel;
    switch (call->op->id) {
    case OP_slice_scatter: return geometry_slice(like, a[2].i, &a[3], &a[4], a[5].i, out, err);
    case OP_select_scatter: return geometry_select(like, a[2].i, a[3].i, out, err);
    case OP_diagonal_scatter: return geometry_diagonal(like, a[2].i, a[3].i, a[4].i, out, err);
    case OP_as_strided_scatter:
        numel = tensor_numel(like); /* a clone is dense */
        return geometry_as_strided(like, numel, &a[2], &a[3], a[4].none ? 0 : a[4].i, out, err);
    default: CHECK(!"a *_scatter row"); return ERR_internal;
    }
}

/* ---- several views ---- */

/* `n` outputs, each self with dim d narrowed to `length` elements from `start` (the caller sets both). */
static ErrCode parts_of(Infer *r, const Tensor *self, int64_t n) {
    TRY(infer_many(r, n));
    for (int k = 0; k < r->n; k++) {
        set_like(&r->out[k], self);
    }
    return ERR_none;
}

static void set_part(Tensor *part, const Tensor *self, int d, int64_t start, int64_t length) {
    part->offset = offset_at(self->offset, start, self->stride[d]);
    part->size[d] = length;
}

ErrCode infer_unbind(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    if (self->ndim == 0) {
        return error_set(r->err, ERR_index_range, "Dimension specified as %lld but tensor has no dimensions", (long long)call->arg[1].i);
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    TRY(parts_of(r, self, self->size[d]));
    for (int k = 0; k < r->n; k++) {
        r->out[k].offset += k * self->stride[d];
        remove_dim(&r->out[k], d);
    }
    return ERR_none;
}

static ErrCode refuse_scalar(const Call *call, const Tensor *self, Error *err) {
    if (self->ndim == 0) {
        return error_set(err, ERR_invalid, "%s expects at least a 1-dimensional tensor", call->op->name);
    }
    return ERR_none;
}

/* Parts of `each` elements along d, the last one shorter; each > 0, or the dim is empty and there is one part. */
static ErrCode split_evenly(Infer *r, const Tensor *self, int d, int64_t each) {
    int64_t size = self->size[d];
    int64_t n = each > 0 && size > 0 ? (size - 1) / each + 1 : 1;
    TRY(parts_of(r, self, n));
    for (int k = 0; k < r->n; k++) {
        set_part(&r->out[k], self, d, k * each, k + 1 < n ? each : size - k * each);
    }
    return ERR_none;
}

ErrCode infer_split(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t each = call->arg[1].i;
    int d;
    TRY(refuse_scalar(call, self, r->err));
    if (each < 0) {
        return error_set(r->err, ERR_invalid, "split expects split_size be non-negative, but got split_size=%lld", (long long)each);
    }
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    if (each == 0 && self->size[d] != 0) {
        return error_set(r->err, ERR_invalid, "split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
                         (long long)self->size[d]);
    }
    return split_evenly(r, self, d, each);
}

ErrCode infer_split_with_sizes(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const int64_t *sizes = call->arg[1].ints.v;
    int n = call->arg[1].ints.n, d;
    TRY(refuse_scalar(call, self, r->err));
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    int64_t sum = 0;
    for (int k = 0; k < n; k++) {
        if (sizes[k] < 0) {
            return error_set(r->err, ERR_invalid, "split_with_sizes expects split_sizes have only non-negative entries");
        }
        sum = checked_add(sum, sizes[k], &sum) ? sum : INT64_MAX;
    }
    if (sum != self->size[d]) {
        return error_set(r->err, ERR_shape, "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's size at dimension %d)",
                         (long long)self->size[d], d);
    }
    TRY(parts_of(r, self, n));
    int64_t start = 0;
    for (int k = 0; k < n; k++) {
        set_part(&r->out[k], self, d, start, sizes[k]);
        start += sizes[k];
    }
    return ERR_none;
}

ErrCode infer_chunk(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t chunks = call->arg[1].i;
    int d;
    TRY(refuse_scalar(call, self, r->err));
    if (chunks <= 0) {
        return error_set(r->err, ERR_invalid, "chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
    }
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    int64_t size = self->size[d];
    if (size == 0) {
        return parts_of(r, self, chunks); /* so many empty parts */
    }
    return split_evenly(r, self, d, (size - 1) / chunks + 1);
}
