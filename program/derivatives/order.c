/* Derivatives of ops that select elements: the selected elements receive the gradient. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0, INDICES = 2 };

/* self: zeros, filled with grad / (number of ties) at each element equal to the result (nan equals
 * nan) (evenly_distribute_backward) */
void grad_extreme_all(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *result = result_of(g);
    Tensor *nan_result = emit_unary(e, OP_isnan, result);
    Tensor *nans = emit_binary(e, OP_logical_and, emit_unary(e, OP_isnan, self), nan_result);
    Tensor *mask = emit_binary(e, OP_logical_or, emit_binary(e, OP_eq_Tensor, self, result), nans);
    Tensor *share = emit_div(e, grad_of(g), emit_unary(e, OP_sum, mask));
    Tensor *zeros = emit_full(e, self->size, self->ndim, scalar_int(0), self->dtype);
    OpId write = e->in_program ? OP_masked_fill__Tensor : OP_masked_fill_Tensor;
    give(g, SELF, row_major(g, emit_op(e, write, 3, zeros, mask, share)));
}

/* `t` with the reduced dim restored as size 1. */
static Tensor *grad_order_with_dim(Grad *g, Tensor *t) {
    return t && t->ndim < tensor_arg(g, SELF)->ndim ? emit_unsqueeze(g->e, t, g->call->arg[1].i)
                                                    : t;
}

/* self: zeros with the gradient scattered to the indices (value_selecting_reduction_backward) */
void grad_take_dim(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *zeros = emit_zeros_like(g->e, tensor_arg(g, SELF));
        Tensor *indices = grad_order_with_dim(g, tensor_arg(g, INDICES)),
               *grad = grad_order_with_dim(g, grad_of(g));
        give(g, SELF, emit_op(g->e, OP_scatter_src, 4, zeros, g->call->arg[1].i, indices, grad));
    }
}

/* self: zeros with the gradient scatter-added to the indices, which may repeat
 * (cummaxmin_backward) */
void grad_take_scan(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *self = tensor_arg(g, SELF);
        if (g->e->in_program && tensor_numel(self) == 0) { /* PyTorch returns self itself */
            give(g, SELF, self);
            return;
        }
        Tensor *zeros = emit_zeros_like(g->e, self);
        give(g, SELF,
             emit_op(g->e, OP_scatter_add, 4, zeros, g->call->arg[1].i, tensor_arg(g, INDICES),
                     grad_of(g)));
    }
}
