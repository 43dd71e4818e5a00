/* Inference of index_reduce, channel_shuffle and one_hot. */
#include "program/infer/infer.h"

#include <string.h>

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
