/* Derivatives of linalg_cross and block_diag. */
#include "program/derivatives/derivatives.h"

/* self: linalg_cross(other, grad); other: linalg_cross(grad, self) */
void grad_linalg_cross(Grad *g) {
    int64_t dim = g->call->arg[2].i;
    if (wanted(g, 0)) {
        give(g, 0, emit_op(g->e, OP_linalg_cross, 3, tensor_arg(g, 1), grad_of(g), dim));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_op(g->e, OP_linalg_cross, 3, grad_of(g), tensor_arg(g, 0), dim));
    }
}

/* tensors[k]: its block of grad */
void grad_block_diag(Grad *g) {
    const Arg *list = &g->call->arg[0];
    int64_t row = 0, column = 0;
    for (int k = 0; k < list->tensors.n; k++) {
        const Tensor *t = list->tensors.v[k];
        int64_t rows = t->ndim == 2 ? t->size[0] : 1,
                columns = t->ndim == 0 ? 1 : t->size[t->ndim - 1];
        if (t->ndim == 1 && columns == 0) { /* its row is not counted in PyTorch: those of the
                                               tensors behind it are wrong by one */
            g->out[k] = g->need[k] ? zeros_of_size(g, t) : NULL;
            continue;
        }
        if (g->need[k]) {
            Tensor *part =
                emit_op(g->e, OP_slice, 5, grad_of(g), (int64_t)0, row, row + rows, (int64_t)1);
            part = part ? emit_op(g->e, OP_slice, 5, part, (int64_t)1, column, column + columns,
                                  (int64_t)1)
                        : NULL;
            if (part && t->ndim < 2) { /* a row keeps its first dim, which the engine sums away */
                part = emit_op(g->e, OP_squeeze_dim, 2, part, (int64_t)-1);
            }
            if (part && t->ndim == 0) {
                part = emit_op(g->e, OP_squeeze_dim, 2, part, (int64_t)-1);
            }
            g->out[k] = part;
        }
        row += rows;
        column += columns;
    }
}

enum { BILINEAR_INPUT1, BILINEAR_WEIGHT, BILINEAR_INPUT2 };

/* input1: sum over o and j of grad[n, o] weight[o, i, j] input2[n, j], and so on */
void grad_bilinear(Grad *g) {
    Emit *e = g->e;
    Tensor *x1 = tensor_arg(g, BILINEAR_INPUT1), *weight = tensor_arg(g, BILINEAR_WEIGHT),
           *x2 = tensor_arg(g, BILINEAR_INPUT2), *grad = grad_of(g);
    int64_t first = 0;
    Tensor *by_output = emit_unsqueeze(e, emit_transpose(e, grad, 0, 1), 2); /* [o, n, 1] */
    if (wanted(g, BILINEAR_INPUT1)) {
        Tensor *turned = emit_transpose(e, weight, 1, 2);
        Tensor *part = emit_mul(e, emit_binary(e, OP_matmul, x2, turned), by_output);
        give(g, BILINEAR_INPUT1, row_major(g, emit_sum_dims(e, part, &first, 1, false)));
    }
    if (wanted(g, BILINEAR_INPUT2)) {
        Tensor *part = emit_mul(e, emit_binary(e, OP_matmul, x1, weight), by_output);
        give(g, BILINEAR_INPUT2, row_major(g, emit_sum_dims(e, part, &first, 1, false)));
    }
    if (wanted(g, BILINEAR_WEIGHT)) {
        Tensor *rows = emit_mul(e, emit_unsqueeze(e, x1, 0), by_output); /* [o, n, i] */
        rows = rows ? emit_transpose(e, rows, 1, 2) : NULL;
        give(g, BILINEAR_WEIGHT, row_major(g, emit_binary(e, OP_matmul, rows, x2)));
    }
}
