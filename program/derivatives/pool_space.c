/* Derivatives of adaptive pooling, of pooling over three dims, of im2col and of col2im. PyTorch's
 * backward functions are rows of the op table with their own derivatives. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0 };

static Tensor *pool_space_emitted(const Grad *g, const Call *c) {
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(g->e, c, out, &n) == ERR_none ? out[0] : NULL;
}

/* `id` of grad and self with the arguments of the call. */
static void give_backward(const Grad *g, OpId id) {
    if (wanted(g, SELF)) {
        Call c;
        call_init(&c, id);
        c.arg[0].tensor = grad_of(g);
        for (int k = 0; k + 1 < c.op->nparam; k++) {
            c.arg[k + 1] = g->call->arg[k];
        }
        give(g, SELF, pool_space_emitted(g, &c));
    }
}

/* grad: the op `id` of the gradient; self: zeros, contiguous */
static void give_forward(const Grad *g, OpId id) {
    if (wanted(g, 0)) {
        Call c;
        call_init(&c, id);
        c.arg[0].tensor = grad_of(g);
        for (int k = 1; k < c.op->nparam; k++) {
            c.arg[k] = g->call->arg[k + 1];
        }
        give(g, 0, pool_space_emitted(g, &c));
    }
    if (wanted(g, 1)) {
        give(g, 1, zeros_of_size(g, tensor_arg(g, 1)));
    }
}

void grad_avg_pool3d(Grad *g) { give_backward(g, OP__avg_pool3d_grad); }
void grad_avg_pool3d_grad(Grad *g) { give_forward(g, OP_avg_pool3d); }
void grad_adaptive_avg_pool(Grad *g) { give_backward(g, OP__adaptive_avg_grad); }
void grad_adaptive_avg_grad(Grad *g) { give_forward(g, OP__adaptive_avg_pool); }

/* self: grad added at the indices */
void grad_take_space(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *arg = g->call->arg;
        give(g, SELF,
             emit_op(g->e, OP__take_space_grad, 5, grad_of(g), tensor_arg(g, SELF),
                     tensor_arg(g, 1), arg[2].i, (int)arg[3].b));
    }
}

/* grad: the gradient gathered at the indices; self: zeros, contiguous */
void grad_take_space_grad(Grad *g) {
    if (wanted(g, 0)) {
        const Arg *arg = g->call->arg;
        give(g, 0,
             row_major(g, emit_op(g->e, OP__take_space, 4, grad_of(g), tensor_arg(g, 2), arg[3].i,
                                  (int)arg[4].b)));
    }
    if (wanted(g, 1)) {
        give(g, 1, zeros_of_size(g, tensor_arg(g, 1)));
    }
}

/* self: col2im(grad, the last two sizes of self, ..) */
void grad_im2col(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        Call c;
        call_init(&c, OP_col2im);
        c.arg[0].tensor = grad_of(g);
        c.arg[1].ints.v =
            arena_copy(g->e->arena, &self->size[self->ndim - 2], 2 * (int64_t)sizeof *self->size);
        c.arg[1].ints.n = 2;
        for (int k = 1; k < g->call->op->nparam; k++) {
            c.arg[k + 1] = g->call->arg[k];
        }
        give(g, SELF, pool_space_emitted(g, &c));
    }
}

/* self: im2col(grad, ..) */
void grad_col2im(Grad *g) {
    if (wanted(g, SELF)) {
        Call c;
        call_init(&c, OP_im2col);
        c.arg[0].tensor = grad_of(g);
        for (int k = 1; k < c.op->nparam; k++) {
            c.arg[k] = g->call->arg[k + 1];
        }
        give(g, SELF, pool_space_emitted(g, &c));
    }
}
