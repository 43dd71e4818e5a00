/* The derivative of scaled_dot_product_attention in the fused kernel of the CPU
 * (aten/src/ATen/native/cpu/FlashAttentionKernel.cpp). */
#include "program/derivatives/derivatives.h"

#include <math.h>

enum { QUERY, KEY, VALUES, MASK, ANSWER, SCALE, CAUSAL };

/* The weights of the values, again. */
static Tensor *attention_weights(Emit *e, const Call *call, Tensor *query, Tensor *key,
                                 Tensor *mask) {
    Tensor *turned = key ? emit_transpose(e, key, -2, -1) : NULL;
    Tensor *scores = emit_scalar(e, OP_mul_Scalar, emit_binary(e, OP_matmul, query, turned),
                                 scalar_float(call->arg[SCALE].f));
    scores = scores && mask ? emit_add(e, scores, mask) : scores;
    if (scores && call->arg[CAUSAL].b) {
        int64_t size[2] = {scores->size[2], scores->size[3]};
        Tensor *past = emit_op(e, OP_tril, 1, emit_op(e, OP_ones, 2, size, 2, (int)DT_bool));
        Tensor *later = emit_unary(e, OP_logical_not, past);
        scores = later ? emit_masked_fill(e, scores, later, scalar_float(-(double)INFINITY)) : NULL;
    }
    return scores ? emit_op(e, OP__safe_softmax, 2, scores, (int64_t)-1) : NULL;
}

/* Gradients lie in memory as [batch, rows, heads, depth]. */
static Tensor *heads_inside(const Grad *g, Tensor *answer) {
    Emit *e = g->e;
    if (!answer || !e->in_program) {
        return answer;
    }
    int64_t size[4] = {answer->size[0], answer->size[2], answer->size[1], answer->size[3]};
    Tensor *zeros = emit_full(e, size, 4, scalar_int(0), answer->dtype);
    return emit_binary(e, OP_copy, zeros ? emit_transpose(e, zeros, 1, 2) : NULL, answer);
}

/* scores: weights * (grad values^T - sum(grad * result)) * scale; query: scores key; key: scores^T
 * query; values: weights^T grad. It has no derivative. */
void grad_fused_attention(Grad *g) {
    Emit *e = g->e;
    const Call *call = g->call;
    bool none = call->arg[MASK].none;
    Tensor *operand[5] = {grad_of(g), tensor_arg(g, QUERY), tensor_arg(g, KEY),
                          tensor_arg(g, VALUES), result_of(g)},
           *x[5], *answer[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 5; k++) {
        x[k] = without_history(g, operand[k]);
    }
    int64_t last = -1;
    Tensor *grad = x[0],
           *weights = attention_weights(e, call, x[1], x[2], none ? NULL : tensor_arg(g, MASK));
    Tensor *turned = weights ? emit_transpose(e, weights, -2, -1) : NULL;
    answer[VALUES] = emit_binary(e, OP_matmul, turned, grad);
    if (!answer[VALUES]) {
        return;
    }
    Tensor *scores = emit_binary(e, OP_matmul, grad, emit_transpose(e, x[3], -2, -1));
    Tensor *share = emit_sum_dims(e, emit_mul(e, grad, x[4]), &last, 1, true);
    scores = emit_mul(e, weights, emit_sub(e, scores, share));
    scores = emit_scalar(e, OP_mul_Scalar, scores, scalar_float(call->arg[SCALE].f));
    answer[QUERY] = emit_binary(e, OP_matmul, scores, x[2]);
    turned = scores ? emit_transpose(e, scores, -2, -1) : NULL;
    answer[KEY] = emit_binary(e, OP_matmul, turned, x[1]);
    for (int k = 0; k < 3; k++) {
        if (wanted(g, k)) {
            Tensor *one = heads_inside(g, answer[k]);
            for (int i = 0; i < 5 && one; i++) {
                one = not_again(g, one, operand[i]);
            }
            give(g, k, one);
        }
    }
}
