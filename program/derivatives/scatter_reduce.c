/* The derivative of scatter_reduce (scatter_reduce_backward of
 * torch/csrc/autograd/FunctionsManual.cpp). Both gradients are computed even if only one is needed,
 * because PyTorch then also raises their errors (a src larger than index). Sums pass the gradient
 * on, means divide it, products divide the result by each factor and treat zeros separately,
 * extremes divide it evenly among ties. */
#include "program/derivatives/derivatives.h"

#include <string.h>

enum { SELF = 0, DIM = 1, INDEX = 2, SRC = 3, REDUCE = 4, INCLUDE_SELF = 5 };

/* index_reduce: its index is a vector, and picks slices. */
static bool picks_slices(const Grad *g) { return g->call->op->id == OP_index_reduce; }

static Tensor *grad_scatter_reduce_gather(const Grad *g, Tensor *t) {
    if (picks_slices(g)) {
        return emit_op(g->e, OP_index_select, 3, t, g->call->arg[DIM].i, tensor_arg(g, INDEX));
    }
    return emit_op(g->e, OP_gather, 3, t, g->call->arg[DIM].i, tensor_arg(g, INDEX));
}
static Tensor *scatter_add(const Grad *g, Tensor *t, Tensor *src) {
    if (picks_slices(g)) {
        return emit_op(g->e, OP_index_add, 4, t, g->call->arg[DIM].i, tensor_arg(g, INDEX), src);
    }
    return emit_op(g->e, OP_scatter_add, 4, t, g->call->arg[DIM].i, tensor_arg(g, INDEX), src);
}

static Tensor *equal_scalar(const Grad *g, Tensor *t, int64_t v) {
    return emit_scalar(g->e, OP_eq_Scalar, t, scalar_int(v));
}
static Tensor *filled(const Grad *g, const Tensor *like, int64_t v) {
    return emit_full(g->e, like->size, like->ndim, scalar_int(v), like->dtype);
}

/* The recorded op with another self or src. */
static Tensor *reapply(const Grad *g, Tensor *self, Tensor *src) {
    const Arg *arg = g->call->arg;
    return self && src ? emit_op(g->e, g->call->op->id, 6, self, arg[DIM].i, arg[INDEX].tensor, src,
                                 arg[REDUCE].str, (int)arg[INCLUDE_SELF].b)
                       : NULL;
}

static void product_rule(Grad *g, Tensor **own, Tensor **others) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *src = tensor_arg(g, SRC), *grad = grad_of(g);
    Tensor *masked = emit_masked_fill(e, self, equal_scalar(g, self, 0), scalar_int(1));
    *own = emit_div(e, emit_mul(e, grad, reapply(g, masked, src)), masked);
    Tensor *zero = equal_scalar(g, src, 0);
    Tensor *zeros = grad_scatter_reduce_gather(
        g, scatter_add(g, filled(g, self, 0), emit_cast(e, zero, self->dtype)));
    Tensor *single = emit_binary(e, OP_logical_and, zero, zeros ? equal_scalar(g, zeros, 1) : NULL);
    Tensor *around =
        single ? reapply(g, self, emit_masked_fill(e, src, single, scalar_int(1))) : NULL;
    Tensor *divisor = emit_masked_fill(e, src, zero, scalar_int(1));
    Tensor *quotient =
        emit_div(e, grad_scatter_reduce_gather(g, emit_mul(e, grad, result_of(g))), divisor);
    *others =
        emit_where(e, single, grad_scatter_reduce_gather(g, emit_mul(e, grad, around)), quotient);
}

static void mean_rule(Grad *g, Tensor **own, Tensor **others) {
    Emit *e = g->e;
    Tensor *grad = grad_of(g), *ones = filled(g, tensor_arg(g, SRC), 1);
    Tensor *count = scatter_add(g, filled(g, grad, g->call->arg[INCLUDE_SELF].b), ones);
    count = count ? emit_masked_fill(e, count, equal_scalar(g, count, 0), scalar_int(1)) : NULL;
    *own = emit_div(e, grad, count);
    count = grad_scatter_reduce_gather(g, count);
    *others = emit_div(e, grad_scatter_reduce_gather(g, grad), count);
}

static void extreme_rule(Grad *g, Tensor **own, Tensor **others) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *src = tensor_arg(g, SRC), *result = result_of(g);
    Tensor *self_is = emit_binary(e, OP_eq_Tensor, self, result),
           *src_is = emit_binary(e, OP_eq_Tensor, src, grad_scatter_reduce_gather(g, result));
    Tensor *src_ties = emit_cast(e, src_is, self->dtype);
    Tensor *ties = scatter_add(g, emit_cast(e, self_is, self->dtype), src_ties);
    Tensor *share = emit_div(e, grad_of(g), ties);
    *own = emit_mul(e, self_is, share);
    *others = wanted(g, SRC) ? emit_mul(e, src_is, grad_scatter_reduce_gather(g, share)) : NULL;
}

/* index_reduce: the same (index_reduce_backward). */
void grad_index_reduce(Grad *g) { grad_scatter_reduce(g); }

void grad_scatter_reduce(Grad *g) {
    const char *reduce = g->call->arg[REDUCE].str;
    Tensor *own = NULL, *others = NULL;
    if (strcmp(reduce, "sum") == 0) {
        own = grad_of(g);
        others = wanted(g, SRC) ? grad_scatter_reduce_gather(g, grad_of(g)) : NULL;
    } else if (strcmp(reduce, "prod") == 0) {
        product_rule(g, &own, &others);
    } else if (strcmp(reduce, "mean") == 0) {
        mean_rule(g, &own, &others);
    } else {
        extreme_rule(g, &own, &others);
    }
    if (wanted(g, SELF)) {
        bool whole = g->call->arg[INCLUDE_SELF].b || !own;
        give(g, SELF,
             whole ? own
                   : emit_op(g->e, picks_slices(g) ? OP_index_fill_int_Scalar : OP_scatter_value, 4,
                             own, g->call->arg[DIM].i, tensor_arg(g, INDEX), scalar_int(0)));
    }
    if (wanted(g, SRC)) {
        give(g, SRC, others);
    }
}
