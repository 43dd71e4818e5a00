/* Derivatives of take, put, index_fill, index_copy, masked_select and masked_scatter. An element
 * that was read gets its gradient scattered back, an element that was written gets it gathered, and
 * an overwritten element gets zeros. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0 };

static Tensor *zeros_of(const Grad *g, const int64_t *size, int ndim) {
    return emit_full(g->e, size, ndim, scalar_int(0), grad_of(g)->dtype);
}

/* self: put(zeros_like(self), index, grad, accumulate), which saves grad (take_backward) */
void grad_take(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *zeros = zeros_like(g, tensor_arg(g, SELF));
        give(g, SELF, emit_op(g->e, OP_put, 4, zeros, tensor_arg(g, 1), grad_of(g), 1));
    }
}

/* self: grad if accumulate, else put(grad, index, zeros); source: reshape(take(grad, index),
 * source.size) */
void grad_put(Grad *g) {
    const Arg *arg = g->call->arg;
    const Tensor *source = arg[2].tensor;
    if (wanted(g, SELF)) {
        Tensor *zeros = zeros_of(g, source->size, source->ndim);
        give(g, SELF,
             arg[3].b ? grad_of(g) : emit_op(g->e, OP_put, 3, grad_of(g), arg[1].tensor, zeros));
    }
    if (wanted(g, 2)) {
        give(g, 2,
             emit_op(g->e, OP_reshape, 2, emit_binary(g->e, OP_take, grad_of(g), arg[1].tensor),
                     source->size, source->ndim)); /* a view */
    }
}

/* self: index_fill(grad, dim, index, 0); value: grad summed over the filled elements */
void grad_index_fill(Grad *g) {
    const Arg *arg = g->call->arg;
    Tensor *grad = grad_of(g);
    if (wanted(g, SELF)) {
        give(g, SELF,
             emit_op(g->e, OP_index_fill_int_Scalar, 4, grad, arg[1].i, arg[2].tensor,
                     scalar_int(0)));
    }
    if (wanted(g, 3)) {
        int64_t dim = grad->ndim > 0 && arg[1].i < 0 ? arg[1].i + grad->ndim : arg[1].i;
        if (grad->ndim > 1 && grad->size[dim] == 0 &&
            tensor_numel(arg[2].tensor) > 0) { /* index_fill does not check this case */
            error_set(g->e->err, ERR_invalid,
                      "index_select(): self indexing axis dim should be positive");
            return;
        }
        if (grad->ndim == 0 && tensor_numel(arg[2].tensor) == 0) {
            error_set(g->e->err, ERR_invalid,
                      "index_select(): Index to scalar can have only 1 value, got 0 value(s)");
            return;
        }
        Tensor *none = emit_full(g->e, grad->size, grad->ndim, scalar_bool(false), DT_bool);
        Tensor *filled = emit_op(g->e, OP_index_fill_int_Scalar, 4, none, arg[1].i, arg[2].tensor,
                                 scalar_bool(true));
        give(g, 3, emit_unary(g->e, OP_sum, emit_where_zero(g->e, filled, grad)));
    }
}

/* self: index_fill(grad, dim, index, 0); source: index_select(grad, dim, index), expanded to
 * source */
void grad_index_copy(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, SELF)) {
        give(g, SELF,
             emit_op(g->e, OP_index_fill_int_Scalar, 4, grad_of(g), arg[1].i, arg[2].tensor,
                     scalar_int(0)));
    }
    if (wanted(g, 3)) {
        const Tensor *source = arg[3].tensor;
        Tensor *rows = emit_op(g->e, OP_index_select, 3, grad_of(g), arg[1].i, arg[2].tensor);
        give(g, 3,
             source->ndim > 0 ? emit_op(g->e, OP_expand, 2, rows, source->size, source->ndim)
                              : rows);
    }
}

/* self: masked_scatter(zeros_like(self, broadcast), mask, grad); summed to self's size, it is
 * row-major (masked_select_backward in aten/src/ATen/native/TensorAdvancedIndexing.cpp) */
void grad_masked_select(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Tensor *self = tensor_arg(g, SELF);
    const Tensor *mask = tensor_arg(g, 1);
    int64_t size[MAX_DIMS];
    int ndim = self->ndim;
    for (int d = 0; d < ndim; d++) {
        size[d] = self->size[d];
    }
    if (broadcast_into(size, &ndim, mask->size, mask->ndim, g->e->err) == ERR_none) {
        Tensor *zeros = sizes_equal(size, ndim, self->size, self->ndim) ? zeros_like(g, self)
                                                                        : zeros_of(g, size, ndim);
        OpId write = g->e->in_program ? OP_masked_scatter_ : OP_masked_scatter;
        give(g, SELF, emit_op(g->e, write, 3, zeros, tensor_arg(g, 1), grad_of(g)));
    }
}

/* self: masked_fill(grad, mask, 0); source: masked_select(grad, mask), padded with zeros */
void grad_masked_scatter(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_masked_fill(g->e, grad_of(g), tensor_arg(g, 1), scalar_int(0)));
    }
    if (wanted(g, 2)) {
        const Tensor *source = tensor_arg(g, 2);
        Tensor *selected = emit_op(g->e, OP__masked_scatter_grad, 3, grad_of(g), tensor_arg(g, 1),
                                   source->size, source->ndim);
        bool view = g->e->in_program && !since(masked_scatter_saves); /* no op of its own then */
        give(g, 2, view ? emit_view(g->e, selected, source->size, source->ndim) : selected);
    }
}

/* grad: masked_scatter(zeros(grad.size), mask, grad), the inverse */
void grad_masked_scatter_grad(Grad *g) {
    if (wanted(g, 0)) {
        const Tensor *grad = tensor_arg(g, 0);
        Tensor *zeros = emit_full(g->e, grad->size, grad->ndim, scalar_int(0), grad_of(g)->dtype);
        give(g, 0, emit_op(g->e, OP_masked_scatter, 3, zeros, tensor_arg(g, 1), grad_of(g)));
    }
}
