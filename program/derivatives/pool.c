/* Derivatives of pooling. PyTorch's backward functions are rows of the op table with their own
 * derivatives. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0 };

/* self: avg_pool2d_backward(grad, self, ...) */
void grad_avg_pool2d(Grad *g) {
    if (wanted(g, SELF)) {
        Call c;
        call_init(&c, OP__avg_pool2d_grad);
        c.arg[0].tensor = grad_of(g);
        for (int k = 0; k < g->call->op->nparam; k++) {
            c.arg[k + 1] = g->call->arg[k];
        }
        Tensor *out[MAX_OUTPUTS];
        int n;
        give(g, SELF, emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL);
    }
}

/* grad: avg_pool2d(grad, ...); self: zeros, contiguous whatever the layout of self */
void grad_avg_pool2d_grad(Grad *g) {
    if (wanted(g, 0)) {
        Call c;
        call_init(&c, OP_avg_pool2d);
        c.arg[0].tensor = grad_of(g);
        for (int k = 1; k < c.op->nparam; k++) {
            c.arg[k] = g->call->arg[k + 1];
        }
        Tensor *out[MAX_OUTPUTS];
        int n;
        give(g, 0, emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL);
    }
    if (wanted(g, 1)) {
        give(g, 1, zeros_of_size(g, tensor_arg(g, 1)));
    }
}

/* self: grad added at the indices */
void grad_take_plane(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF,
             emit_op(g->e, OP__max_pool2d_grad, 3, grad_of(g), tensor_arg(g, SELF),
                     tensor_arg(g, 1)));
    }
}

/* grad: the gradient gathered at the indices; self: zeros, contiguous */
void grad_max_pool2d_grad(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, row_major(g, emit_op(g->e, OP__take_plane, 2, grad_of(g), tensor_arg(g, 2))));
    }
    if (wanted(g, 1)) {
        give(g, 1, zeros_of_size(g, tensor_arg(g, 1)));
    }
}
