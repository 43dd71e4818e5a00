/* Inference of the pads that copy elements of self (aten/src/ATen/native/Padding.h,
 * ReflectionPad.cpp, ReplicationPadding.cpp). */
#include "program/infer/pad.h"

#include <string.h>

bool pad_reflects(const OpInfo *op) {
    return op->id == OP_reflection_pad1d || op->id == OP_reflection_pad2d ||
           op->id == OP_reflection_pad3d;
}

/* How many dims the op pads. */
static int padded_dims(const OpInfo *op) {
    switch (op->id) {
    case OP_reflection_pad1d:
    case OP_replication_pad1d:
        return 1;
    case OP_reflection_pad2d:
    case OP_replication_pad2d:
        return 2;
    default:
        return 3;
    }
}

static ErrCode pad_check_self(const Tensor *self, int dims, Error *err) {
    bool batched = self->ndim == dims + 2, fits = batched || self->ndim == dims + 1;
    for (int d = batched; d < self->ndim; d++) {
        fits = fits && self->size[d] != 0;
    }
    return fits ? ERR_none
                : error_set(err, ERR_invalid,
                            "Expected %dD or %dD (batch mode) tensor with possibly 0 batch size "
                            "and other non-zero dimensions for input",
                            dims + 1, dims + 2);
}

/* Pads are listed from the last dim to the first. The result has self's memory format. */
ErrCode infer_pad_copies(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *pad = &call->arg[1];
    int dims = padded_dims(call->op);
    if (pad->ints.n != 2 * dims) {
        return error_set(r->err, ERR_invalid, "padding size is expected to be %d, but got: %d",
                         2 * dims, pad->ints.n);
    }
    TRY(pad_check_self(self, dims, r->err));
    int64_t size[MAX_DIMS];
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    for (int k = 0; k < dims; k++) {
        int d = self->ndim - 1 - k;
        const int64_t *at = &pad->ints.v[2 * k];
        if (pad_reflects(call->op) && (at[0] >= size[d] || at[1] >= size[d])) {
            return error_set(r->err, ERR_invalid,
                             "Padding size should be less than the corresponding input dimension, "
                             "but got: padding (%lld, %lld) at dimension %d",
                             (long long)at[0], (long long)at[1], d);
        }
    }
    for (int k = 0; k < dims; k++) {
        int d = self->ndim - 1 - k;
        const int64_t *at = &pad->ints.v[2 * k];
        if (!checked_add(size[d], at[0], &size[d]) || !checked_add(size[d], at[1], &size[d])) {
            return error_set(r->err, ERR_limit, "a tensor's size overflows");
        }
        if (size[d] < 1) {
            return error_set(r->err, ERR_invalid,
                             "Calculated output size %lld of dimension %d must be >= 1",
                             (long long)size[d], d);
        }
    }
    if (self->dtype == DT_bool || half_missing(call, self->dtype)) {
        return error_set(r->err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                         dtype_name(self->dtype));
    }
    TRY(infer_contiguous(r, self->dtype, size, self->ndim));
    if (is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* The gradient of self, in self's memory format. */
ErrCode infer_pad_copies_grad(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor, *self = call->arg[1].tensor;
    TRY(infer_contiguous(r, grad->dtype, self->size, self->ndim));
    if (is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}
