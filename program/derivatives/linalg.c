/* Derivatives of matrix products. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0, MAT2 = 1 };

static Tensor *t(const Grad *g, Tensor *a) { return emit_unary(g->e, OP_t, a); }

/* For a column-major factor PyTorch computes the transposed product, so that the gradient has the
 * layout of the factor (mm_mat1_grad, mm_mat2_grad in torch/csrc/autograd/FunctionsManual.cpp). */
static bool column_major(const Grad *g, const Tensor *factor) {
    return g->e->in_program && factor->stride[0] == 1 && factor->stride[1] == factor->size[0];
}

/* The gradient of the left factor: mm(grad, t(right)), or t(mm(right, t(grad))). */
static Tensor *left_grad(const Grad *g, const Tensor *left, Tensor *right) {
    return column_major(g, left) ? t(g, emit_mm(g->e, right, t(g, grad_of(g))))
                                 : emit_mm(g->e, grad_of(g), t(g, right));
}

/* The gradient of the right factor: mm(t(left), grad), or t(mm(t(grad), left)). */
static Tensor *right_grad(const Grad *g, Tensor *left, const Tensor *right) {
    return column_major(g, right) ? t(g, emit_mm(g->e, t(g, grad_of(g)), left))
                                  : emit_mm(g->e, t(g, left), grad_of(g));
}

/* self: mm(grad, t(mat2)); mat2: mm(t(self), grad) */
void grad_mm(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, left_grad(g, tensor_arg(g, SELF), tensor_arg(g, MAT2)));
    }
    if (wanted(g, MAT2)) {
        give(g, MAT2, right_grad(g, tensor_arg(g, SELF), tensor_arg(g, MAT2)));
    }
}

/* self: bmm(grad, transpose(mat2)); mat2: bmm(transpose(self), grad) */
void grad_bmm(Grad *g) {
    if (wanted(g, SELF)) {
        give(
            g, SELF,
            emit_binary(g->e, OP_bmm, grad_of(g), emit_transpose(g->e, tensor_arg(g, MAT2), 1, 2)));
    }
    if (wanted(g, MAT2)) {
        give(
            g, MAT2,
            emit_binary(g->e, OP_bmm, emit_transpose(g->e, tensor_arg(g, SELF), 1, 2), grad_of(g)));
    }
}

/* self: outer(grad, vec); vec: mv(t(self), grad) */
void grad_mv(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *column = emit_unsqueeze(g->e, grad_of(g), 1);
        give(g, SELF, emit_mul(g->e, column, tensor_arg(g, 1)));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_binary(g->e, OP_mv, t(g, tensor_arg(g, SELF)), grad_of(g)));
    }
}

/* self: grad * tensor; tensor: grad * self */
void grad_dot(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_mul(g->e, grad_of(g), tensor_arg(g, 1)));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_mul(g->e, grad_of(g), tensor_arg(g, SELF)));
    }
}

/* self: grad * beta; mat1: mm(grad, t(mat2)) * alpha; mat2: mm(t(mat1), grad) * alpha */
void grad_addmm(Grad *g) {
    Scalar beta = g->call->arg[3].scalar, alpha = g->call->arg[4].scalar;
    if (wanted(g, 0)) {
        give(g, 0, emit_scale(g->e, grad_of(g), beta));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_scale(g->e, left_grad(g, tensor_arg(g, 1), tensor_arg(g, 2)), alpha));
    }
    if (wanted(g, 2)) {
        give(g, 2, emit_scale(g->e, right_grad(g, tensor_arg(g, 1), tensor_arg(g, 2)), alpha));
    }
}

/* self: grad * beta; mat: outer(grad, vec) * alpha; vec: mv(t(mat), grad) * alpha */
void grad_addmv(Grad *g) {
    Scalar beta = g->call->arg[3].scalar, alpha = g->call->arg[4].scalar;
    if (wanted(g, 0)) {
        give(g, 0, emit_scale(g->e, grad_of(g), beta));
    }
    if (wanted(g, 1)) {
        give(g, 1,
             emit_scale(g->e, emit_binary(g->e, OP_outer, grad_of(g), tensor_arg(g, 2)), alpha));
    }
    if (wanted(g, 2)) {
        give(g, 2,
             emit_scale(g->e, emit_binary(g->e, OP_mv, t(g, tensor_arg(g, 1)), grad_of(g)), alpha));
    }
}

/* self: grad * beta; batch1: bmm(grad, transpose(batch2)) * alpha; batch2: bmm(transpose(batch1),
 * grad) * alpha */
void grad_baddbmm(Grad *g) {
    Scalar beta = g->call->arg[3].scalar, alpha = g->call->arg[4].scalar;
    if (wanted(g, 0)) {
        give(g, 0, emit_scale(g->e, grad_of(g), beta));
    }
    if (wanted(g, 1)) {
        Tensor *turned = emit_transpose(g->e, tensor_arg(g, 2), 1, 2);
        give(g, 1, emit_scale(g->e, emit_binary(g->e, OP_bmm, grad_of(g), turned), alpha));
    }
    if (wanted(g, 2)) {
        Tensor *turned = emit_transpose(g->e, tensor_arg(g, 1), 1, 2);
        give(g, 2, emit_scale(g->e, emit_binary(g->e, OP_bmm, turned, grad_of(g)), alpha));
    }
}

/* self: grad * beta; batch1: bmm(expand(grad), transpose(batch2)) * alpha; batch2:
 * bmm(transpose(batch1), expand(grad)) * alpha */
void grad_addbmm(Grad *g) {
    Scalar beta = g->call->arg[3].scalar, alpha = g->call->arg[4].scalar;
    const Tensor *a = tensor_arg(g, 1), *b = tensor_arg(g, 2);
    int64_t size[3] = {a->size[0], a->size[1], b->size[2]};
    if (wanted(g, 0)) {
        give(g, 0, emit_scale(g->e, grad_of(g), beta));
    }
    if (!wanted(g, 1) && !wanted(g, 2)) {
        return;
    }
    Tensor *wide = emit_expand(g->e, emit_unsqueeze(g->e, grad_of(g), 0), size, 3);
    if (wanted(g, 1)) {
        Tensor *turned = emit_transpose(g->e, tensor_arg(g, 2), 1, 2);
        give(g, 1, emit_scale(g->e, emit_binary(g->e, OP_bmm, wide, turned), alpha));
    }
    if (wanted(g, 2)) {
        Tensor *turned = emit_transpose(g->e, tensor_arg(g, 1), 1, 2);
        give(g, 2, emit_scale(g->e, emit_binary(g->e, OP_bmm, turned, wide), alpha));
    }
}

/* self: grad * beta; vec1: mv(grad, vec2) * alpha; vec2: mv(t(grad), vec1) * alpha */
void grad_addr(Grad *g) {
    Scalar beta = g->call->arg[3].scalar, alpha = g->call->arg[4].scalar;
    if (wanted(g, 0)) {
        give(g, 0, emit_scale(g->e, grad_of(g), beta));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_scale(g->e, emit_binary(g->e, OP_mv, grad_of(g), tensor_arg(g, 2)), alpha));
    }
    if (wanted(g, 2)) {
        give(g, 2,
             emit_scale(g->e, emit_binary(g->e, OP_mv, t(g, grad_of(g)), tensor_arg(g, 1)), alpha));
    }
}
