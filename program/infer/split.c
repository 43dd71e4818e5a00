/* Ops that return several views of self: unbind, split, split_with_sizes, chunk. */
#include "program/infer/infer.h"

/* Adds `n` outputs, each self with one dim narrowed to `length` elements from `start`. The caller
 * sets both. */
static ErrCode add_parts(Infer *r, const Tensor *self, int64_t n) {
    TRY(infer_many(r, n));
    for (int k = 0; k < r->n; k++) {
        geometry_copy(&r->out[k], self);
    }
    return ERR_none;
}

static void set_part(Tensor *part, const Tensor *self, int d, int64_t start, int64_t length) {
    part->offset = geometry_offset(self->offset, start, self->stride[d]);
    part->size[d] = length;
}

ErrCode infer_unbind(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int d;
    if (self->ndim == 0) {
        return error_set(r->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)call->arg[1].i);
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, &d, r->err));
    TRY(add_parts(r, self, self->size[d]));
    for (int k = 0; k < r->n; k++) {
        r->out[k].offset = geometry_offset(self->offset, k, self->stride[d]);
        geometry_remove_dim(&r->out[k], d);
    }
    return ERR_none;
}

static ErrCode refuse_scalar(const Call *call, const Tensor *self, Error *err) {
    if (self->ndim == 0) {
        return error_set(err, ERR_invalid, "%s expects at least a 1-dimensional tensor",
                         call->op->name);
    }
    return ERR_none;
}

/* Pieces of `each` elements along d, the last one shorter. Either each > 0, or the dim is empty and
 * there is one piece. */
static ErrCode split_evenly(Infer *r, const Tensor *self, int d, int64_t each) {
    int64_t size = self->size[d];
    int64_t n = each > 0 && size > 0 ? (size - 1) / each + 1 : 1;
    TRY(add_parts(r, self, n));
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
        return error_set(r->err, ERR_invalid,
                         "split expects split_size be non-negative, but got split_size=%lld",
                         (long long)each);
    }
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    if (each == 0 && self->size[d] != 0) {
        return error_set(
            r->err, ERR_invalid,
            "split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
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
            return error_set(r->err, ERR_invalid,
                             "split_with_sizes expects split_sizes have only non-negative entries");
        }
        sum = checked_add(sum, sizes[k], &sum) ? sum : INT64_MAX;
    }
    if (sum != self->size[d]) {
        return error_set(r->err, ERR_shape,
                         "split_with_sizes expects split_sizes to sum exactly to %lld (input "
                         "tensor's size at dimension %d)",
                         (long long)self->size[d], d);
    }
    TRY(add_parts(r, self, n));
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
        return error_set(r->err, ERR_invalid,
                         "chunk expects `chunks` to be greater than 0, got: %lld",
                         (long long)chunks);
    }
    TRY(dim_wrap(call->arg[2].i, self->ndim, &d, r->err));
    int64_t size = self->size[d];
    if (size == 0) {
        return add_parts(r, self, chunks); /* PyTorch returns this many empty pieces */
    }
    return split_evenly(r, self, d, (size - 1) / chunks + 1);
}
