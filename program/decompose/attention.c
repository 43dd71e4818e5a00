/* scaled_dot_product_attention by products and a softmax (_scaled_dot_product_attention_math in
 * aten/src/ATen/native/transformers/attention.cpp). What PyTorch gives to a fused kernel is
 * ERR_unsupported. */
#include "program/infer/infer.h"

#include <math.h>

static Tensor *attention_arg(const Call *call, int k) {
    return call->arg[k].none ? NULL : call->arg[k].tensor;
}

static ErrCode attention_check(const Call *call, Error *err) {
    const Tensor *query = call->arg[0].tensor, *mask = attention_arg(call, 3);
    bool causal = call->arg[5].b;
    for (int k = 1; k < 3; k++) {
        if (call->arg[k].tensor->dtype != query->dtype) {
            return error_set(err, ERR_dtype,
                             "Expected query, key, and value to have the same dtype");
        }
    }
    for (int k = 0; k < 3; k++) {
        if (call->arg[k].tensor->ndim < 2) {
            return error_set(err, ERR_invalid,
                             "Expected query, key, and value to all be  at least 2 dimensional");
        }
    }
    if (mask && mask->dtype != DT_bool && mask->dtype != DT_float32 &&
        mask->dtype != query->dtype) {
        return error_set(err, ERR_dtype,
                         "Expected attn_mask dtype to be bool or float or to match query dtype");
    }
    if (mask && causal) {
        return error_set(err, ERR_invalid,
                         "Explicit attn_mask should not be set when is_causal=True");
    }
    return call->arg[4].f != 0 || call->arg[7].b
               ? error_set(err, ERR_unsupported, "attention with dropout or groups of heads")
               : ERR_none;
}

/* May PyTorch compute it with a fused kernel, or as if there were nothing to compute? */
static bool attention_fuses(Emit *e, const Call *call) {
    const Tensor *query = call->arg[0].tensor, *mask = attention_arg(call, 3);
    int64_t width = query->size[query->ndim - 1];
    for (int k = 0; k < 3; k++) {
        const Tensor *t = call->arg[k].tensor;
        if (tensor_numel(t) == 0) {
            return true;
        }
    }
    for (int k = 0; k < 3; k++) {
        const Tensor *t = call->arg[k].tensor;
        int n = t->ndim;
        if (n != query->ndim || (n != 3 && n != 4)) {
            return false;
        }
        if (t->size[n - 1] != width || width == 0 || (n == 4 && t->size[0] != query->size[0]) ||
            (t->stride[n - 1] != 1 && width != 1)) {
            return false;
        }
    }
    return !(mask && e->records && e->records(e, mask) && mask->dtype != DT_bool);
}

/* Dims of size 1 before the tensor, up to `n`. */
static Tensor *attention_batched(Emit *e, Tensor *t, int n) {
    while (t && t->ndim < n) {
        t = emit_unsqueeze(e, t, 0);
    }
    return t;
}

/* 0 where the mask is true, else -inf. */
static Tensor *attention_bias(Emit *e, Tensor *mask, DType dtype) {
    Tensor *least = emit_op(e, OP_scalar_tensor, 2, scalar_float(-INFINITY), (int)dtype);
    return least && mask ? emit_op(e, OP_where_ScalarSelf, 3, mask, scalar_float(0), least) : NULL;
}

ErrCode decompose_attention(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    TRY(attention_check(call, e->err));
    Tensor *t[3], *mask = attention_arg(call, 3);
    bool line = true;
    for (int k = 0; k < 3; k++) {
        t[k] = call->arg[k].tensor;
        line = line && t[k]->ndim == 3;
    }
    if (attention_fuses(e, call)) {
        return error_set(e->err, ERR_unsupported, "attention in a fused kernel");
    }
    DType dtype = t[0]->dtype;
    if (dtype_is_float(dtype) && dtype_bytes(dtype) < 4) {
        return error_set(e->err, ERR_unsupported, "attention of a half dtype");
    }
    for (int k = 0; k < 3 && line; k++) {
        t[k] = emit_unsqueeze(e, t[k], 0);
    }
    mask = mask && line ? attention_batched(e, mask, 4) : mask;
    mask = mask && mask->dtype == DT_bool ? attention_bias(e, mask, dtype) : mask;
    if (e->err->code != ERR_none) {
        return e->err->code;
    }
    int n = t[0]->ndim;
    double width = (double)t[0]->size[n - 1],
           scale = call->arg[6].none ? 1 / sqrt(width) : call->arg[6].f, root = sqrt(fabs(scale));
    int64_t rows = t[0]->size[n - 2], size[2] = {rows, t[1]->size[t[1]->ndim - 2]};
    Tensor *query = emit_scalar(e, OP_mul_Scalar, t[0],
                                scalar_float(!call->arg[6].none && scale < 0 ? -root : root));
    if (call->arg[5].b) {
        Tensor *ones = emit_op(e, OP_ones, 2, size, 2, (int)DT_bool);
        mask = attention_bias(e, emit_unary(e, OP_tril, ones), dtype);
    }
    Tensor *key = query ? emit_transpose(e, t[1], -2, -1) : NULL;
    key = emit_scalar(e, OP_mul_Scalar, key, scalar_float(root));
    Tensor *scores = emit_binary(e, OP_matmul, query, key);
    scores = scores && mask ? emit_binary(e, OP_add__Tensor, scores, mask) : scores;
    Tensor *weights = scores ? emit_op(e, OP__safe_softmax, 2, scores, (int64_t)-1) : NULL;
    Tensor *result = emit_binary(e, OP_matmul, weights, t[2]);
    out[0] = result && line ? emit_op(e, OP_squeeze_dim, 2, result, (int64_t)0) : result;
    *nout = out[0] != NULL;
    return e->err->code;
}
