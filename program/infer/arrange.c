/* Inference of ops that rearrange the elements of a tensor: roll, rot90, repeat, diag, diag_embed,
 * constant_pad_nd, channel_shuffle, one_hot, index_reduce
 * (aten/src/ATen/native/TensorTransformations.cpp, TensorShape.cpp, ConstantPadNd.cpp). */
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <string.h>

/* ---- roll ---- */

int64_t roll_start(int64_t size, int64_t shift) {
    int64_t start = (int64_t)((uint64_t)size - (uint64_t)shift) % size;
    return start < 0 ? start + size : start;
}

/* Is a part of that length along `dim` laid out with the channels last? (cat asks all parts.) */
static bool part_is_channels_last(const Tensor *t, int dim, int64_t length) {
    Tensor part = *t;
    part.size[dim] = length;
    return is_channels_last(&part);
}

/* roll over several dims rolls one dim at a time, and each result is made by cat; without dims it
 * rolls the flattened tensor. For an empty tensor the length of the list is checked, but not the
 * dims. */
ErrCode infer_roll(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *shifts = &call->arg[1], *dims = &call->arg[2];
    if (shifts->ints.n == 0) {
        return error_set(r->err, ERR_invalid, "`shifts` required");
    }
    if (dims->ints.n == 0 && shifts->ints.n == 1 && tensor_numel(self) == 0 && self->ndim == 1) {
        return infer_cloned(r, self, self->dtype); /* flattened: roll along its only dim */
    }
    if (dims->ints.n == 0 && shifts->ints.n == 1) {
        return infer_contiguous(r, self->dtype, self->size, self->ndim);
    }
    if (shifts->ints.n != dims->ints.n) {
        return error_set(r->err, ERR_invalid,
                         "shifts and dimensions must align. shifts: %d, dims:%d", shifts->ints.n,
                         dims->ints.n);
    }
    if (tensor_numel(self) == 0) {
        return infer_cloned(r, self, self->dtype);
    }
    Tensor rolled = *self;
    bool channels_last = true;
    for (int k = 0; k < dims->ints.n; k++) {
        int d;
        if (self->ndim == 0) {
            return error_set(r->err, ERR_index_range,
                             "Dimension specified as %lld but tensor has no dimensions",
                             (long long)dims->ints.v[k]);
        }
        TRY(dim_wrap(dims->ints.v[k], self->ndim, &d, r->err));
        int64_t start = roll_start(self->size[d], shifts->ints.v[k]);
        channels_last = start != 0 && part_is_channels_last(&rolled, d, start) &&
                        part_is_channels_last(&rolled, d, self->size[d] - start);
        contiguous_strides(rolled.size, rolled.ndim, rolled.stride);
        if (channels_last) {
            channels_last_strides(&rolled);
        }
    }
    TRY(infer_contiguous(r, self->dtype, self->size, self->ndim));
    if (channels_last) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* ---- rot90 ---- */

int rot90_turns(int64_t k) { return (int)((4 + k % 4) % 4); }

static void flip_dim(Tensor *t, int d) {
    t->offset += (t->size[d] - 1) * t->stride[d];
    t->stride[d] = -t->stride[d];
}

static void infer_arrange_swap(int64_t *v, int a, int b) {
    int64_t x = v[a];
    v[a] = v[b];
    v[b] = x;
}

void geometry_rotated(const Tensor *self, int turns, const int64_t *dims, Tensor *out) {
    int a = (int)(dims[0] < 0 ? dims[0] + self->ndim : dims[0]),
        b = (int)(dims[1] < 0 ? dims[1] + self->ndim : dims[1]);
    *out = *self;
    if (turns == 1 || turns == 2) {
        flip_dim(out, b);
    }
    if (turns == 3 || turns == 2) {
        flip_dim(out, a);
    }
    if (turns % 2 == 1) {
        infer_arrange_swap(out->size, a, b);
        infer_arrange_swap(out->stride, a, b);
    }
}

/* A half turn flips, a quarter turn flips and transposes, no turn makes a row-major copy. */
ErrCode infer_rot90(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const int64_t *dims = call->arg[2].ints.v;
    int n = call->arg[2].ints.n;
    if (n != 2) {
        return error_set(r->err, ERR_invalid,
                         "expected total rotation dims == 2, but got dims = %d", n);
    }
    if (self->ndim < 2) {
        return error_set(r->err, ERR_invalid, "expected total dims >= 2, but got total dims = %d",
                         self->ndim);
    }
    for (int k = 0; k < 2 && since(rot90_dims_first); k++) {
        if (dims[k] < -self->ndim || dims[k] >= self->ndim) {
            return error_set(r->err, ERR_index_range,
                             "Dimension out of range (expected to be in range of [%d, %d], but got "
                             "%lld)",
                             -self->ndim, self->ndim - 1, (long long)dims[k]);
        }
    }
    __int128 apart = (__int128)dims[0] - dims[1];
    if (apart == 0 || apart == self->ndim || apart == -self->ndim) {
        return error_set(
            r->err, ERR_invalid,
            "expected rotation dims to be different, but got dim0 = %lld and dim1 = %lld",
            (long long)dims[0], (long long)dims[1]);
    }
    for (int k = 0; k < 2; k++) {
        if (dims[k] < -self->ndim || dims[k] >= self->ndim) {
            return error_set(r->err, ERR_index_range, "Rotation dim%d out of range, dim%d = %lld",
                             k, k, (long long)dims[k]);
        }
    }
    int turns = rot90_turns(call->arg[1].i);
    if (turns == 0) {
        return infer_contiguous(r, self->dtype, self->size, self->ndim);
    }
    TRY(infer_cloned(r, self, self->dtype));
    if (turns != 2) {
        int a = (int)(dims[0] < 0 ? dims[0] + self->ndim : dims[0]),
            b = (int)(dims[1] < 0 ? dims[1] + self->ndim : dims[1]);
        infer_arrange_swap(r->out->size, a, b);
        infer_arrange_swap(r->out->stride, a, b);
    }
    return ERR_none;
}

/* ---- repeat ---- */

/* Repeats each dim; extra repeats add leading dims. */
ErrCode infer_repeat(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *repeats = &call->arg[1];
    int n = repeats->ints.n;
    if (n < self->ndim) {
        return error_set(r->err, ERR_invalid,
                         "Number of dimensions of repeat dims can not be smaller than number of "
                         "dimensions of tensor");
    }
    TRY(dims_fit(n, r->err));
    int64_t size[MAX_DIMS];
    for (int d = 0; d < n; d++) {
        int64_t own = d < n - self->ndim ? 1 : self->size[d - (n - self->ndim)];
        if (!checked_mul(repeats->ints.v[d], own, &size[d])) {
            return error_set(r->err, ERR_limit, "a tensor's size overflows");
        }
    }
    return infer_contiguous(r, self->dtype, size, n);
}

/* ---- diagonals ---- */

/* The side length of the square matrix that has `n` elements on its diagonal `offset`. */
static ErrCode side_length(int64_t n, int64_t offset, int64_t *side, Error *err) {
    bool fits = offset != INT64_MIN && checked_add(n, offset < 0 ? -offset : offset, side);
    return fits ? ERR_none : error_set(err, ERR_limit, "a tensor's size overflows");
}

/* diag: a vector becomes a matrix, a matrix returns its diagonal. An offset beyond the corner is an
 * error. */
ErrCode infer_diag(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t offset = call->arg[1].i, size[2];
    if (!since(diag_is_composed)) {
        TRY(half_check(call, self->dtype, r->err));
    }
    if (self->ndim == 1) {
        TRY(side_length(self->size[0], offset, &size[0], r->err));
        size[1] = size[0];
        return infer_contiguous(r, self->dtype, size, 2);
    }
    if (self->ndim != 2) {
        return error_set(r->err, ERR_invalid, "matrix or a vector expected");
    }
    size[0] = offset >= 0 ? min_i64(self->size[0], self->size[1] - offset)
                          : min_i64(self->size[0] + offset, self->size[1]);
    if (since(diag_is_composed)) {
        size[0] = max_i64(size[0], 0);
    }
    return infer_contiguous(r, self->dtype, size, 1);
}

ErrCode infer_diag_embed(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int n = self->ndim + 1, a, b;
    TRY(dim_wrap(call->arg[2].i, n, &a, r->err));
    TRY(dim_wrap(call->arg[3].i, n, &b, r->err));
    if (a == b) {
        return error_set(r->err, ERR_invalid, "diagonal dimensions cannot be identical %lld, %lld",
                         (long long)call->arg[2].i, (long long)call->arg[3].i);
    }
    TRY(dims_fit(n, r->err));
    int64_t side, size[MAX_DIMS];
    TRY(side_length(self->size[self->ndim - 1], call->arg[1].i, &side,
                    r->err)); /* has at least one dim, otherwise a == b */
    for (int d = 0, own = 0; d < n; d++) {
        size[d] = d == a || d == b ? side : self->size[own++];
    }
    return infer_contiguous(r, self->dtype, size, n);
}

/* ---- constant_pad_nd ---- */

/* A narrow, whose length may be negative. */
static ErrCode crop(Tensor *t, int d, int64_t start, int64_t cut, Error *err) {
    int64_t size = t->size[d];
    if (cut > size || start > size) {
        return error_set(err, since(narrow_negative) ? ERR_invalid : ERR_index_range,
                         "a negative padding of %lld exceeds dimension size (%lld).",
                         (long long)cut, (long long)size);
    }
    t->size[d] -= cut;
    t->offset = geometry_offset(t->offset, start, t->stride[d]);
    return ERR_none;
}

ErrCode geometry_cropped(const Tensor *self, const Arg *pad, Tensor *out, bool *grows, Error *err) {
    *out = *self;
    *grows = false;
    for (int d = self->ndim - pad->ints.n / 2; d < self->ndim; d++) {
        const int64_t *at = &pad->ints.v[2 * (self->ndim - d - 1)];
        for (int side = 0; side < 2; side++) {
            *grows = *grows || at[side] > 0;
            if (at[side] < 0) {
                int64_t cut = at[side] == INT64_MIN ? INT64_MAX : -at[side];
                TRY(crop(out, d, side == 0 ? cut : 0, cut, err));
            }
        }
    }
    return ERR_none;
}

/* Pads are listed from the last dim to the first. If none is positive, the result is a clone of the
 * cropped view. */
ErrCode infer_constant_pad_nd(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *pad = &call->arg[1];
    if (pad->ints.n % 2 != 0) {
        return error_set(r->err, ERR_invalid, "Length of pad must be even but instead it equals %d",
                         pad->ints.n);
    }
    if (pad->ints.n / 2 > self->ndim) {
        return error_set(
            r->err, ERR_invalid,
            "Length of pad should be no more than twice the number of dimensions of the input.");
    }
    Tensor inner;
    bool grows;
    TRY(geometry_cropped(self, pad, &inner, &grows, r->err));
    if (!grows) {
        return infer_cloned(r, &inner, self->dtype);
    }
    int64_t size[MAX_DIMS];
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    for (int d = self->ndim - pad->ints.n / 2; d < self->ndim; d++) {
        const int64_t *at = &pad->ints.v[2 * (self->ndim - d - 1)];
        if (!checked_add(size[d], at[0], &size[d]) || !checked_add(size[d], at[1], &size[d])) {
            return error_set(r->err, ERR_limit, "a tensor's size overflows");
        }
        if (size[d] < (since(pad_to_nothing) ? 0 : 1)) {
            return error_set(r->err, ERR_invalid,
                             "negative padding resulted in a negative output size in dimension %d",
                             d);
        }
    }
    TRY(infer_contiguous(r, self->dtype, size, self->ndim));
    if (is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return scalar_check(call->arg[2].scalar, self->dtype, r->err);
}

/* _repeat_numbers: 0, 0, .., 1, 1, ..: `total` numbers of repeats' dtype. */
ErrCode infer_repeat_numbers(const Call *call, Infer *r) {
    return infer_contiguous(r, call->arg[0].tensor->dtype, &call->arg[1].i, 1);
}

ErrCode infer_index_reduce(const Call *call, Infer *r) {
    const char *reduce = call->arg[4].str;
    const Tensor *self = call->arg[0].tensor;
    if (strcmp(reduce, "prod") != 0 && strcmp(reduce, "mean") != 0 && strcmp(reduce, "amax") != 0 &&
        strcmp(reduce, "amin") != 0) {
        return error_set(
            r->err, ERR_invalid,
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but "
            "got %s.",
            reduce);
    }
    Call added = call_new(OP_index_add);
    memcpy(added.arg, call->arg, 4 * sizeof *added.arg);
    TRY(infer_index_add(&added, r));
    if (!call->arg[5].b) { /* index_fill_ has the first look */
        int dim;
        TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, r->err));
        TRY(infer_refuse_empty_dim(r, self, dim, tensor_numel(call->arg[2].tensor)));
    }
    bool refused = self->ndim <= 1 || !call->arg[5].b || strcmp(reduce, "mean") == 0;
    return self->dtype == DT_bool && refused
               ? error_set(r->err, ERR_dtype, "\"index_func_\" not implemented for 'Bool'")
               : ERR_none;
}

ErrCode infer_channel_shuffle(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t groups = call->arg[1].i;
    if (self->ndim <= 2) {
        return error_set(r->err, ERR_invalid, "channel_shuffle expects input with > 2 dims");
    }
    if (groups <= 0 || self->size[1] % groups != 0) {
        return error_set(r->err, ERR_invalid,
                         "Number of channels must be divisible by groups, which must be positive. "
                         "Got %lld channels and %lld groups.",
                         (long long)self->size[1], (long long)groups);
    }
    TRY(infer_contiguous(r, self->dtype, self->size, self->ndim));
    if (self->ndim == 4 && is_channels_last(self)) {
        channels_last_strides(&r->out[0]);
    }
    return ERR_none;
}

ErrCode infer_one_hot(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t size[MAX_DIMS], classes = call->arg[1].i;
    TRY(dims_fit(self->ndim + 1, r->err));
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    size[self->ndim] = classes;
    return classes < 1
               ? error_set(r->err, ERR_invalid, "Class values must be smaller than num_classes.")
               : infer_contiguous(r, DT_int64, size, self->ndim + 1);
}
