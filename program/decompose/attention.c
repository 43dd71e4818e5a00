/* scaled_dot_product_attention by products and a softmax (_scaled_dot_product_attention_math in
 * aten/src/ATen/native/transformers/attention.cpp), or by the fused kernel of the CPU. */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

#include <math.h>
#include <string.h>

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

/* Operands that the fused kernel may be for are asked for the last two sizes of the mask. */
static bool attention_mask_is_short(Emit *e, const Call *call) {
    const Tensor *query = call->arg[0].tensor, *mask = attention_arg(call, 3);
    bool fits = mask && mask->ndim < 2 &&
                (mask->dtype == DT_bool || !e->requires_grad || !e->requires_grad(e, mask));
    for (int k = 0; k < 3 && fits; k++) {
        const Tensor *t = call->arg[k].tensor;
        fits = t->ndim == 4 && t->size[0] == query->size[0] && t->size[1] == query->size[1] &&
               tensor_numel(t) > 0;
    }
    return fits;
}

/* How PyTorch computes it (sdp_utils_cpp.cpp). */
typedef enum Backend { BACKEND_MATH, BACKEND_FUSED, BACKEND_OTHER } Backend;

static Backend attention_backend(Emit *e, const Call *call) {
    const Tensor *query = call->arg[0].tensor, *mask = attention_arg(call, 3),
                 *key = call->arg[1].tensor;
    int n = query->ndim;
    int64_t width = query->size[n - 1], size[4] = {1, 1, 1, 1};
    for (int k = 0; k < 3; k++) {
        if (tensor_numel(call->arg[k].tensor) == 0) {
            return BACKEND_OTHER;
        }
    }
    bool apart = false, heads = true; /* other rows, or heads in groups */
    for (int k = 0; k < 3; k++) {
        const Tensor *t = call->arg[k].tensor;
        if (t->ndim != n || (n != 3 && n != 4)) {
            return BACKEND_MATH;
        }
        if (t->size[n - 1] != width || (n == 4 && t->size[0] != query->size[0]) ||
            (t->stride[n - 1] != 1 && width != 1)) {
            return BACKEND_MATH;
        }
        apart = apart || t->stride[n - 1] != 1 || (k == 2 && t->size[n - 2] != key->size[n - 2]);
        heads = heads && t->size[n - 3] == query->size[n - 3];
    }
    if (mask && e->requires_grad && e->requires_grad(e, mask) && mask->dtype != DT_bool) {
        return BACKEND_MATH;
    }
    if (apart || !heads || !dtype_is_float(query->dtype)) {
        return BACKEND_OTHER;
    }
    memcpy(size + 4 - n, query->size, sizeof *size * (size_t)n);
    size[3] = key->size[n - 2];
    for (int d = 0; mask && d < mask->ndim; d++) {
        if (mask->size[d] != 1 && mask->size[d] != size[4 - mask->ndim + d]) {
            return BACKEND_OTHER;
        }
    }
    if (mask && mask->ndim != 2 && mask->ndim != n) {
        return mask->ndim == 3 ? BACKEND_MATH : BACKEND_OTHER;
    }
    return dtype_bytes(query->dtype) < 4 ? BACKEND_OTHER : BACKEND_FUSED;
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

/* The kernel is one node; what it saves of a mask of bools is the mask as numbers. */
static ErrCode attention_fused(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *t[3], *mask = attention_arg(call, 3);
    bool line = call->arg[0].tensor->ndim == 3, causal = call->arg[5].b;
    for (int k = 0; k < 3; k++) {
        t[k] = call->arg[k].tensor;
        t[k] = line ? emit_unsqueeze(e, t[k], 0) : t[k];
    }
    mask = mask && line ? attention_batched(e, mask, 4) : mask;
    TRY(e->err->code);
    DType dtype = t[0]->dtype;
    mask = mask && mask->dtype == DT_bool ? attention_bias(e, mask, dtype) : mask;
    double scale = call->arg[6].none ? 1 / sqrt((double)t[0]->size[3]) : call->arg[6].f;
    Tensor *x[3], *over = node_operand(e, mask);
    for (int k = 0; k < 3; k++) {
        TRY(emit_read_history(e, t[k]));
        x[k] = node_operand(e, t[k]);
    }
    if (causal) {
        int64_t size[2] = {t[0]->size[2], t[1]->size[2]};
        over = emit_unary(e, OP_tril, emit_op(e, OP_ones, 2, size, 2, (int)DT_bool));
        over = attention_bias(e, over, dtype);
    }
    Tensor *key = x[1] ? emit_transpose(e, x[1], -2, -1) : NULL;
    Tensor *weights =
        emit_scalar(e, OP_mul_Scalar, emit_binary(e, OP_matmul, x[0], key), scalar_float(scale));
    weights = over ? emit_add(e, weights, over) : weights;
    weights = weights ? emit_op(e, OP__safe_softmax, 2, weights, (int64_t)-1) : NULL;
    if (weights && weights->dtype != dtype) {
        weights = emit_cast(e, weights, dtype);
    }
    Tensor *value = emit_binary(e, OP_matmul, weights, x[2]);
    value = emit_binary(e, OP_copy, emit_unary(e, OP_zeros_like, x[0]), value);
    Tensor *result = value ? emit_op(e, OP__fused_attention, 7, t[0], t[1], t[2], mask, value,
                                     scale, (int)causal)
                           : NULL;
    result = result && line ? emit_op(e, OP_squeeze_dim, 2, result, (int64_t)0) : result;
    return node_answer(e, result, out, nout);
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
    if (attention_mask_is_short(e, call)) {
        return error_set(e->err, ERR_index_range, "Dimension out of range");
    }
    Backend backend = attention_backend(e, call);
    if (backend == BACKEND_OTHER) {
        return error_set(e->err, ERR_unsupported, "attention in another kernel");
    }
    if (backend == BACKEND_FUSED) {
        return attention_fused(e, call, out, nout);
    }
    DType dtype = t[0]->dtype;
    if (!dtype_is_float(dtype) || dtype_bytes(dtype) < 4) {
        return error_set(e->err, ERR_unsupported, "attention of integers or of a half dtype");
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
