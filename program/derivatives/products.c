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
