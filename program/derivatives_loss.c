/* Derivatives of losses and of embedding, as derivatives.yaml has them. */
#include "program/infer.h"
#include "program/rules.h"

/* weight: the rows of grad added where the indices say */
void grad_embedding(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, 0)) {
        give(g, 0, emit_op(g->e, OP__embedding_grad, 5, grad_of(g), arg[1].tensor, arg[0].tensor->size[0], arg[2].i, (int)arg[3].b));
    }
}

/* grad: embedding(grad, indices), zeros at padding_idx; PyTorch does not scale again (embedding_dense_double_backward) */
void grad_embedding_grad(Grad *g) {
    if (!wanted(g, 0)) {
        return;
    }
    const Arg *arg = g->call->arg;
    Tensor *rows = emit_op(g->e, OP_embedding, 2, grad_of(g), arg[1].tensor);
    if (arg[3].i >= 0) {
        Tensor *padding = emit_scalar(g->e, OP_eq_Scalar, arg[1].tensor, scalar_int(arg[3].i));
        rows = emit_masked_fill(g->e, rows, emit_unsqueeze(g->e, padding, -1), scalar_int(0));
    }
    give(g, 0, rows);
}

/* self: 2 (self - target) * grad, divided by the number of elements for a mean; target: the same with a minus (mse_loss_backward,
 * whose kernel knows one dtype and no halves) */
void grad_mse_loss(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = grad_of(g), *self = tensor_arg(g, 0), *target = tensor_arg(g, 1);
    if (self->dtype != target->dtype || grad->dtype != self->dtype || dtype_bytes(grad->dtype) < 4) {
        error_set(e->err, ERR_dtype, "Found dtype %s but expected %s", dtype_name(target->dtype), dtype_name(self->dtype));
        return;
    }
    Tensor *apart = emit_sub(e, self, target);
    for (int k = 0; k < 2; k++) {
        if (wanted(g, k)) { /* where one was broadcast PyTorch divides by its own elements all the same */
            double norm = g->call->arg[2].i == 1 ? 2 / (double)tensor_numel(tensor_arg(g, k)) : 2;
            give(g, k, emit_mul(e, emit_scalar(e, OP_mul_Scalar, apart, scalar_float(k == 0 ? norm : -norm)), grad));
        }
    }
}
