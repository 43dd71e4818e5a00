/* Inference of losses and of embedding (aten/src/ATen/native/Loss.cpp, Embedding.cpp). */
#include "program/infer/infer.h"

#include <string.h>

/* ---- embedding: rows of a matrix ---- */

ErrCode infer_embedding(const Call *call, Infer *r) {
    const Tensor *weight = call->arg[0].tensor, *indices = call->arg[1].tensor;
    if (weight->ndim != 2) {
        return error_set(r->err, ERR_invalid, "'weight' must be 2-D");
    }
    if (indices->dtype != DT_int64 && indices->dtype != DT_int32) {
        return error_set(r->err, ERR_dtype,
                         "Expected tensor for argument #1 'indices' to have one of the following "
                         "scalar types: Long, Int");
    }
    if (call->arg[4].b) {
        return error_set(r->err, ERR_unsupported,
                         "embedding: a sparse gradient is another type of tensor");
    }
    if (weight->size[0] == 0 && tensor_numel(indices) > 0) {
        return error_set(r->err, ERR_invalid,
                         "index_select(): self indexing axis dim should be positive");
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

/* ---- embedding_bag: sums, means or maxima of rows ---- */

/* The bag of each index. */
ErrCode infer_bag_of(const Call *call, Infer *r) {
    const Tensor *indices = call->arg[0].tensor;
    return infer_contiguous(r, indices->dtype, indices->size, 1);
}

/* For each bag and column the row with the largest element. */
ErrCode infer_bag_max(const Call *call, Infer *r) {
    int64_t size[2] = {call->arg[3].i, call->arg[0].tensor->size[1]};
    return infer_contiguous(r, call->arg[1].tensor->dtype, size, 2);
}

/* ---- mse_loss ---- */

ErrCode infer_mse_loss(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    int64_t reduction = call->arg[2].i;
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, self->dtype, self->ndim);
    promotion_tensor(&p, target->dtype, target->ndim);
    DType dtype = promotion_result(&p);
    Call difference =
        call_new(OP_sub_Tensor); /* the sizes and strides of an elementwise op of both */
    Tensor floats[2] = {*self, *target};
    floats[0].dtype = floats[1].dtype = DT_float32;
    difference.arg[0].tensor = &floats[0];
    difference.arg[1].tensor = &floats[1];
    TRY(infer_pointwise(&difference, r));
    if (reduction < 0 || reduction > 2) {
        return error_set(r->err, ERR_invalid, "mse_loss: reduction %lld is none of 0, 1, 2",
                         (long long)reduction);
    }
    if (!dtype_is_float(dtype)) {
        return error_set(r->err, ERR_dtype, "\"mse_cpu\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    TRY(half_check(call, dtype, r->err));
    r->out[0].dtype = dtype;
    return reduction == 0 ? ERR_none : infer_contiguous(r, dtype, NULL, 0);
}

/* ---- losses that are computed from other ops: their value ---- */

ErrCode infer_of_value(const Call *call, Infer *r) {
    const Tensor *value = call->arg[op_param(call->op, "value")].tensor;
    return infer_cloned(r, value, value->dtype);
}

/* ---- nll_loss ---- */

static ErrCode check_target(const Tensor *target, Error *err) {
    return target->dtype == DT_int64 || target->dtype == DT_uint8
               ? ERR_none
               : error_set(err, ERR_dtype, "expected scalar type Long but found %s",
                           dtype_name(target->dtype));
}

/* Since nll_loss_target_first the target's dtype comes before its size, and one sample may have a
 * target of one element. */
static ErrCode check_target_first(const Tensor *self, const Tensor *target, Error *err) {
    TRY(check_target(target, err));
    return self->ndim == 1 && target->ndim == 1 && target->size[0] != 1
               ? error_set(err, ERR_invalid,
                           "For 1D input, 1D target must have size 1, but got target size: %lld",
                           (long long)target->size[0])
               : ERR_none;
}

/* nll_loss2d: input [batch, classes, height, width], target [batch, height, width]. */
static ErrCode infer_planes(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
                 *weight = call->arg[2].none ? NULL : call->arg[2].tensor;
    if (weight && tensor_numel(weight) != self->size[1]) {
        return error_set(r->err, ERR_invalid,
                         "weight tensor should be defined either for all or no classes");
    }
    if (self->size[0] != target->size[0] || self->size[2] != target->size[1] ||
        self->size[3] != target->size[2]) {
        return error_set(r->err, ERR_shape, "size mismatch (got input and target)");
    }
    if (!dtype_is_float(self->dtype) || half_missing(call, self->dtype)) {
        return error_set(r->err, ERR_dtype,
                         "\"nll_loss2d_forward_out_frame\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    if (target->dtype != DT_int64) {
        return error_set(r->err, ERR_dtype, "expected scalar type Long but found %s",
                         dtype_name(target->dtype));
    }
    if (weight && weight->dtype != self->dtype) {
        return error_set(r->err, ERR_dtype, "expected scalar type %s but found %s",
                         dtype_name(self->dtype), dtype_name(weight->dtype));
    }
    return infer_contiguous(r, self->dtype, target->size, call->arg[3].i == 0 ? 3 : 0);
}

/* Input [batch, classes] and target [batch], or input [classes] and a 0-dim target. The result is
 * one loss for each sample, or a single one. */
ErrCode infer_nll_loss(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
                 *weight = call->arg[2].none ? NULL : call->arg[2].tensor;
    if (self->ndim == 4) {
        return infer_planes(call, r);
    }
    if (self->ndim < 1 || self->ndim > 2 || target->ndim > 1) {
        return error_set(r->err, ERR_invalid,
                         target->ndim > 1 && self->ndim >= 1 && self->ndim <= 2
                             ? "0D or 1D target tensor expected, multi-target not supported"
                             : "input tensor should be 1D or 2D");
    }
    if (since(nll_loss_target_first)) {
        TRY(check_target_first(self, target, r->err));
    }
    if (!(self->ndim == 1 && (target->ndim == 0 || since(nll_loss_target_first)))) {
        if (target->ndim == 0) {
            return error_set(r->err, ERR_index_range,
                             "Dimension specified as 0 but tensor has no dimensions");
        }
        if (self->size[0] != target->size[0]) {
            return error_set(r->err, ERR_shape,
                             "size mismatch (got input: [%lld..], target: [%lld])",
                             (long long)self->size[0], (long long)target->size[0]);
        }
    }
    int64_t classes = self->size[self->ndim - 1];
    if (weight && (weight->ndim != 1 || weight->size[0] != classes)) {
        return error_set(
            r->err, ERR_invalid,
            "weight tensor should be defined either for all %lld classes or no classes",
            (long long)classes);
    }
    DType dtype = self->dtype;
    if (!dtype_is_float(dtype) || half_missing(call, dtype)) {
        return error_set(r->err, ERR_dtype, "\"nll_loss_out_frame\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    bool each = call->arg[3].i == 0 && self->ndim == 2;
    if (weight && weight->dtype != dtype) {
        return error_set(r->err, ERR_dtype, "expected scalar type %s but found %s",
                         dtype_name(dtype), dtype_name(weight->dtype));
    }
    if (each || tensor_numel(target) > 0) {
        TRY(check_target(target, r->err));
    }
    return infer_contiguous(r, dtype, self->size, each ? 1 : 0);
}

ErrCode infer_nll_loss_grad(const Call *call, Infer *r) {
    const Tensor *self = call->arg[1].tensor;
    TRY(check_target(call->arg[2].tensor, r->err));
    return infer_contiguous(r, self->dtype, self->size, self->ndim);
}

/* ---- layer_norm ---- */

bool layer_norm_mixed(const Call *call) {
    const Arg *first = &call->arg[call->arg[2].none ? 3 : 2];
    return !first->none && first->tensor->dtype != call->arg[0].tensor->dtype;
}

/* check_mixed_data_type in aten/src/ATen/native/cpu/mixed_data_type.h: weight and bias may be
 * float32 where the input is of a half dtype. */
static ErrCode check_parameters(const Call *call, Error *err) {
    DType dtype = call->arg[0].tensor->dtype;
    for (int k = 2; k <= 3; k++) {
        if (!call->arg[k].none && call->arg[k].tensor->dtype != DT_float32) {
            return error_set(err, ERR_dtype,
                             "mixed dtype (CPU): expect parameter to have scalar type of Float");
        }
    }
    return dtype_is_float(dtype) && dtype_bytes(dtype) < 4
               ? ERR_none
               : error_set(err, ERR_invalid,
                           "mixed dtype (CPU): all inputs must share same datatype.");
}

ErrCode infer_layer_norm(const Call *call, Infer *r) {
    const Tensor *input = call->arg[0].tensor;
    const Arg *shape = &call->arg[1];
    int n = shape->ints.n, first = input->ndim - n;
    bool mixed = since(layer_norm_mixed) && layer_norm_mixed(call);
    if (mixed) {
        TRY(check_parameters(call, r->err));
    }
    if (n < 1) {
        return error_set(r->err, ERR_invalid,
                         "Expected normalized_shape to be at least 1-dimensional, i.e., containing "
                         "at least one element");
    }
    for (int k = 2; k <= 3; k++) {
        const Tensor *t = call->arg[k].none ? NULL : call->arg[k].tensor;
        if (t && !sizes_equal(t->size, t->ndim, shape->ints.v, n)) {
            return error_set(r->err, ERR_invalid,
                             "Expected %s to be of same shape as normalized_shape",
                             call->op->param[k].name);
        }
    }
    if (first < 0 || !sizes_equal(input->size + first, n, shape->ints.v, n)) {
        return error_set(r->err, ERR_invalid,
                         "Given normalized_shape, expected input with shape [*, normalized_shape]");
    }
    DType dtype = input->dtype;
    if (!dtype_is_float(dtype) || half_missing(call, dtype)) {
        return error_set(r->err, ERR_dtype, "\"LayerNormKernelImpl\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    for (int k = 2; k <= 3; k++) {
        if (!mixed && !call->arg[k].none && call->arg[k].tensor->dtype != dtype) {
            return error_set(r->err, ERR_dtype, "expected scalar type %s but found %s",
                             dtype_name(dtype), dtype_name(call->arg[k].tensor->dtype));
        }
    }
    return infer_contiguous(r, dtype, input->size, input->ndim);
}
