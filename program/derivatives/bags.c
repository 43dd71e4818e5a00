/* The derivative of embedding_bag (_embedding_bag_backward and
 * _embedding_bag_per_sample_weights_backward in aten/src/ATen/native/EmbeddingBag.cpp), which has
 * no derivative of its own. */
#include "program/derivatives/derivatives.h"

enum { WEIGHT, INDICES, OFFSETS, FACTORS, VALUE, BAG_OF, SIZES, LARGEST, HOW };

/* The bag of each index, which the op may not have returned. */
static Tensor *bags_found(const Grad *g) {
    Tensor *bag_of = tensor_arg(g, BAG_OF), *indices = tensor_arg(g, INDICES);
    return tensor_numel(bag_of) == 0 && tensor_numel(indices) > 0
               ? emit_op(g->e, OP__bag_of, 4, indices, tensor_arg(g, OFFSETS),
                         tensor_arg(g, WEIGHT)->size[0], 0)
               : bag_of;
}

/* The gradient of each index's bag, as a row for each index. */
static Tensor *bag_gradients(const Grad *g) {
    return emit_op(g->e, OP_index_select, 3, without_history(g, grad_of(g)), (int64_t)0,
                   bags_found(g));
}

/* Each gradient is added to the element that was the largest. */
static Tensor *largest_gradient(const Grad *g) {
    Emit *e = g->e;
    Tensor *weight = tensor_arg(g, WEIGHT), *grad = without_history(g, grad_of(g));
    Tensor *zeros = emit_full(e, weight->size, 2, scalar_int(0), grad_of(g)->dtype);
    if (weight->size[0] == 0) {
        return zeros;
    }
    Tensor *empty = emit_scalar(e, OP_eq_Scalar, tensor_arg(g, SIZES), scalar_int(0));
    grad = emit_masked_fill(e, grad, emit_unsqueeze(e, empty, 1), scalar_int(0));
    Tensor *rows = emit_cast(e, tensor_arg(g, LARGEST), DT_int64);
    return zeros && rows && grad ? emit_op(e, OP_scatter_add, 4, zeros, (int64_t)0, rows, grad)
                                 : NULL;
}

static Tensor *added_gradient(const Grad *g, const int64_t *how, Tensor *factors) {
    Emit *e = g->e;
    Tensor *rows = bag_gradients(g), *indices = tensor_arg(g, INDICES);
    if (factors) {
        rows = emit_mul(e, rows, emit_unsqueeze(e, without_history(g, factors), 1));
    }
    if (how[0] == 1) { /* a mean */
        Tensor *n = emit_scalar(e, OP_clamp_min, tensor_arg(g, SIZES), scalar_int(1));
        n = emit_cast(e, n, grad_of(g)->dtype);
        n = n ? emit_op(e, OP_index_select, 3, n, (int64_t)0, tensor_arg(g, BAG_OF)) : NULL;
        rows = n ? emit_div(e, rows, emit_unsqueeze(e, n, 1)) : NULL;
    }
    return rows ? emit_op(e, OP__embedding_grad, 5, rows, indices, tensor_arg(g, WEIGHT)->size[0],
                          how[1], (int)how[2])
                : NULL;
}

/* weight: the gradients of the bags at their rows; per_sample_weights: their products with the
 * rows, 0 for a row that is left out */
void grad_embedding_bag(Grad *g) {
    Emit *e = g->e;
    const Arg *arg = g->call->arg;
    const int64_t *how = arg[HOW].ints.v;
    Tensor *factors = arg[FACTORS].none ? NULL : arg[FACTORS].tensor;
    if (wanted(g, WEIGHT)) {
        Tensor *answer = how[0] == 2 ? largest_gradient(g) : added_gradient(g, how, factors);
        answer = not_again(g, answer, grad_of(g));
        give(g, WEIGHT, factors ? not_again(g, answer, factors) : answer);
    }
    if (wanted(g, FACTORS)) {
        Tensor *weight = tensor_arg(g, WEIGHT);
        Tensor *rows = emit_op(e, OP_index_select, 3, without_history(g, weight), (int64_t)0,
                               emit_cast(e, tensor_arg(g, INDICES), DT_int64));
        int64_t last = 1;
        Tensor *answer = emit_sum_dims(e, emit_mul(e, rows, bag_gradients(g)), &last, 1, false);
        if (how[1] >= 0) {
            Tensor *out = emit_scalar(e, OP_eq_Scalar, tensor_arg(g, INDICES), scalar_int(how[1]));
            answer = emit_masked_fill(e, answer, out, scalar_int(0));
        }
        answer = not_again(g, answer, grad_of(g));
        give(g, FACTORS, not_again(g, answer, weight));
    }
}
