/* Helpers that the derivative rules share: reading a Grad by parameter, and setting its output
 * slots.
 *
 * A rule refers to its parameters by position in the schema. wanted() is false for a parameter that
 * is a Scalar in this overload, so one rule serves all overloads of an op. */
#ifndef PROGRAM_DERIVATIVES_H
#define PROGRAM_DERIVATIVES_H

#include "program/ops/emit.h"
#include "program/ops/functions.h"

/* Is the gradient of tensor parameter `param` needed? */
static inline bool wanted(const Grad *g, int param) {
    int slot = call_slot_of(g->call, param);
    return slot >= 0 && g->need[slot];
}
/* Sets the gradient of tensor parameter `param`; NULL is an undefined gradient. */
static inline void give(const Grad *g, int param, Tensor *grad) {
    g->out[call_slot_of(g->call, param)] = grad;
}

static inline Tensor *tensor_arg(const Grad *g, int param) { return g->call->arg[param].tensor; }
/* The gradient of output 0, and output 0 itself. */
static inline Tensor *grad_of(const Grad *g) { return g->grad[0]; }
static inline Tensor *result_of(const Grad *g) { return g->result[0]; }
static inline bool is_scalar_param(const Grad *g, int param) {
    ArgType type = g->call->op->param[param].type;
    return type == ARG_SCALAR || type == ARG_SCALAR_OPT;
}
/* Zeros with the size of t, and with its strides where the program can observe them. */
static inline Tensor *zeros_like(const Grad *g, Tensor *t) {
    return g->e->in_program ? emit_unary(g->e, OP_zeros_like, t) : emit_zeros_like(g->e, t);
}
/* Zeros like the gradient, for an input that has no influence on the output. */
static inline Tensor *zero_grad(const Grad *g) { return zeros_like(g, g->grad[0]); }
/* Contiguous zeros of the gradient's dtype and the size of `t`. */
static inline Tensor *zeros_of_size(const Grad *g, const Tensor *t) {
    return emit_full(g->e, t->size, t->ndim, scalar_int(0), g->grad[0]->dtype);
}
/* The gradient where `off` is false, else 0. Where the program can observe strides, the layout is
 * that of a TensorIterator over (off, gradient). */
static inline Tensor *zero_where(const Grad *g, Tensor *off, Tensor *grad) {
    return g->e->in_program ? emit_op(g->e, OP_where_ScalarSelf, 3, off, scalar_int(0), grad)
                            : emit_masked_fill(g->e, grad, off, scalar_int(0));
}

/* 0 where `mask` is true, else t: masked_fill_ of a fresh t, which keeps its layout. */
static inline Tensor *filled_with_zero(const Grad *g, Tensor *mask, Tensor *t) {
    return g->e->in_program ? emit_op(g->e, OP__masked_fill_kept, 3, t, mask, scalar_int(0))
                            : emit_masked_fill(g->e, t, mask, scalar_int(0));
}

/* The result of a PyTorch kernel that always returns a row-major tensor. */
static inline Tensor *row_major(const Grad *g, Tensor *answer) {
    return g->e->in_program && answer && !tensor_is_contiguous(answer)
               ? emit_unary(g->e, OP__contiguous_copy, answer)
               : answer;
}

/* The result of a PyTorch kernel that iterates over (a, b), in that order. Where the program can
 * observe strides, the layout is that of such a TensorIterator. */
static inline Tensor *in_order(const Grad *g, Tensor *answer, Tensor *a, Tensor *b) {
    Tensor *like = g->e->in_program && answer ? emit_mul(g->e, a, b) : NULL;
    if (!like || sizes_equal(like->stride, like->ndim, answer->stride, answer->ndim)) {
        return answer;
    }
    return emit_binary(g->e, OP_copy, emit_unary(g->e, OP_zeros_like, like), answer);
}

static inline Tensor *grad_first(const Grad *g, Tensor *answer, Tensor *x) {
    return in_order(g, answer, grad_of(g), x);
}

/* The gradient, with `like` as an additional input whose own derivative is zeros. Models PyTorch's
 * X_backward functions of piecewise constant derivatives. */
static inline Tensor *linked(const Grad *g, Tensor *answer, Tensor *like) {
    return g->e->create_graph ? emit_binary(g->e, OP__linked, like, answer) : answer;
}
/* A gradient for which PyTorch has one node, which saves `saved`. */
static inline Tensor *saving(const Grad *g, Tensor *answer, Tensor *saved) {
    if (g->e->create_graph) {
        emit_also_saves(g->e, answer, saved, false);
    }
    return answer;
}
/* An operand of a node that PyTorch computes as a whole: `t` as a value. */
static inline Tensor *without_history(const Grad *g, Tensor *t) {
    return g->e->create_graph ? emit_unary(g->e, OP_detach, t) : t;
}
/* A gradient whose own derivative PyTorch does not implement. */
static inline Tensor *not_again(const Grad *g, Tensor *answer, Tensor *like) {
    return g->e->create_graph ? emit_binary(g->e, OP__not_again, like, answer) : answer;
}

/* The gradients of self and of tensor parameter `param` of a maximum or minimum of both
 * (pointwise.c). */
void give_selected(const Grad *g, int param, bool maximum);
/* 0 where x <= threshold, else the gradient (activations.c). */
Tensor *gradient_above(const Grad *g, Tensor *x, Scalar threshold);

#endif
