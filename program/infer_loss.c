/* Inference of losses and of embedding (aten/src/ATen/native/Loss.cpp, Embedding.cpp). */
#include "program/infer.h"

#include <string.h>

/* ---- embedding: rows of a matrix ---- */

ErrCode infer_embedding(const Call *call, Infer *r) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor;
    if (weight->ndim != 2) {
        return error_set(r->err, ERR_invalid, "'weight' must be 2-D");
    }
    if (indices->dtype != DT_int64 && indices->dtype != DT_int32) {
        return error_set(r->err, ERR_dtype, "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int");
    }
    if (call->arg[4].b) {
        return error_set(r->err, ERR_unsupported, "embedding: a sparse gradient is another type of tensor");
    }
    if (weight->size[0] == 0 && tensor_numel(indices) > 0) {
        return error_set(r->err, ERR_invalid, "index_select(): self indexing axis dim should be positive");
    }
    TRY(dims_fit(indices->ndim + 1, r->err));
    int64_t size[MAX_DIMS];
    memcpy(size, indices->size, (size_t)indices->ndim * sizeof *size);
    size[indices->ndim] = weight->size[1];
    return infer_contiguous(r, weight->dtype, size, indices->ndim + 1);
}

ErrCode infer_embedding_grad(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor;
    int64_t size[2] = {call->arg[2].i, grad->size[grad->ndim - 1]};
    return infer_contiguous(r, grad->dtype, size, 2);
}

/* ---- mse_loss ---- */

ErrCode infer_mse_loss(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    int64_t reduction = call->arg[2].i;
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, self->dtype, self->ndim);
    promotion_tensor(&p, target->dtype, target->ndim);
    DType dtype = promotion_result(&p);
    Call difference = call_new(OP_sub_Tensor); /* the sizes and strides of an elementwise op of both */
    Tensor floats[2] = {*self, *target};
    floats[0].dtype = floats[1].dtype = DT_float32;
    difference.arg[0].tensor = &floats[0];
    difference.arg[1].tensor = &floats[1];
    TRY(infer_pointwise(&difference, r));
    if (!dtype_is_float(dtype)) {
        return error_set(r->err, ERR_dtype, "\"mse_cpu\" not implemented for '%s'", dtype_name(dtype));
    }
    TRY(half_check(call, dtype, r->err));
    if (reduction < 0 || reduction > 2) {
        return error_set(r->err, ERR_invalid, "mse_loss: reduction %lld is none of 0, 1, 2", (long long)reduction);
    }
    r->out[0].dtype = dtype;
    return reduction == 0 ? ERR_none : infer_contiguous(r, dtype, NULL, 0);
}
