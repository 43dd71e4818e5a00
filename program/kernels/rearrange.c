/* Kernels of index_reduce, channel_shuffle and one_hot. */
#include "program/kernels/kernels.h"

#include <string.h>

/* scatter_reduce with the index repeated along the other dims, but each step rounds to the dtype
 * (cpu_index_reduce in aten/src/ATen/native/TensorAdvancedIndexing.cpp). Every index is checked,
 * also where nothing is written. */
ErrCode kernel_index_reduce(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *index = call->arg[2].tensor, *source = call->arg[3].tensor, *to = out[0];
    int dim;
    TRY(dim_wrap(call->arg[1].i, to->ndim, &dim, k->err));
    int64_t rows = to->ndim > 0 ? to->size[dim] : 1;
    const Tensor *walked[1] = {index};
    for (Walk w = walk_start(index->size, index->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(index->storage->data, index->dtype, w.at[0]);
        if (i < 0 || i >= rows) {
            return error_set(k->err, ERR_index_range, "index out of range in self");
        }
    }
    Tensor wide = *index;
    wide.ndim = source->ndim;
    for (int d = 0; d < source->ndim; d++) {
        wide.size[d] = source->size[d];
        wide.stride[d] = d == dim && index->ndim > 0 ? index->stride[0] : 0;
    }
    Call scattered = call_new(OP_scatter_reduce_two);
    memcpy(scattered.arg, call->arg, 6 * sizeof *scattered.arg);
    scattered.arg[2].tensor = &wide;
    return kernel_reduce_into(&scattered, out, k, false);
}

/* Channel g * each + k of self goes to channel k * groups + g. */
ErrCode kernel_channel_shuffle(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    Tensor from = *call->arg[0].tensor, to = *out[0];
    int64_t groups = call->arg[1].i, channels = from.size[1], each = channels / groups,
            from_start = from.offset, to_start = to.offset;
    from.size[1] = to.size[1] = 1;
    for (int64_t c = 0; c < channels; c++) {
        from.offset = from_start + c * from.stride[1];
        to.offset = to_start + (c % each * groups + c / each) * to.stride[1];
        tensor_copy_data(&to, &from, NULL);
    }
    return ERR_none;
}

ErrCode kernel_one_hot(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *walked[1] = {self};
    int64_t classes = call->arg[1].i, at = out[0]->offset;
    tensor_fill(out[0], scalar_int(0));
    for (Walk w = walk_start(self->size, self->ndim, walked, 1); walk_more(&w);
         walk_next(&w), at += classes) {
        int64_t i = element_int(self->storage->data, self->dtype, w.at[0]);
        if (i < 0 || i >= classes) {
            return error_set(k->err, ERR_invalid,
                             i < 0 ? "Class values must be non-negative."
                                   : "Class values must be smaller than num_classes.");
        }
        element_store_int(out[0]->storage->data, DT_int64, at + i, 1);
    }
    return ERR_none;
}
