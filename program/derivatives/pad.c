/* Derivatives of reflection_pad and replication_pad. PyTorch's backward functions are rows of the
 * op table with their own derivatives. */
#include "program/derivatives/derivatives.h"
#include "program/infer/pad.h"

enum { SELF = 0 };

/* self: reflection_pad1d_backward(grad, self, padding), and its kin */
void grad_pad_copies(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *pad = &g->call->arg[1];
        give(g, SELF,
             emit_op(g->e, OP__pad_copies_grad, 4, grad_of(g), tensor_arg(g, SELF), pad->ints.v,
                     pad->ints.n, (int)pad_reflects(g->call->op)));
    }
}

/* grad: the pad of the gradient; self: zeros, contiguous */
void grad_pad_copies_grad(Grad *g) {
    static const OpId forward[2][3] = {
        {OP_replication_pad1d, OP_replication_pad2d, OP_replication_pad3d},
        {OP_reflection_pad1d, OP_reflection_pad2d, OP_reflection_pad3d}};
    const Arg *pad = &g->call->arg[2];
    if (wanted(g, 0)) {
        OpId id = forward[g->call->arg[3].b][pad->ints.n / 2 - 1];
        give(g, 0, emit_op(g->e, id, 2, grad_of(g), pad->ints.v, pad->ints.n));
    }
    if (wanted(g, 1)) {
        give(g, 1, zeros_of_size(g, tensor_arg(g, 1)));
    }
}
