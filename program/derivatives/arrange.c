/* Derivatives of roll, rot90, repeat, diag, diag_embed and constant_pad_nd: the inverse
 * rearrangement, summed where elements were repeated. */
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

enum { SELF = 0 };

/* self: roll(grad, -shifts reversed, dims reversed) */
void grad_roll(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Arg *shifts = &g->call->arg[1], *dims = &g->call->arg[2];
    int n = shifts->ints.n, ndims = dims->ints.n;
    int64_t *back = arena_array(g->e->arena, int64_t, n),
            *along = arena_array(g->e->arena, int64_t, ndims);
    for (int k = 0; k < n; k++) {
        back[k] = (int64_t)(0 - (uint64_t)shifts->ints.v[n - 1 - k]);
    }
    for (int k = 0; k < ndims; k++) {
        along[k] = dims->ints.v[ndims - 1 - k];
    }
    give(g, SELF, emit_op(g->e, OP_roll, 3, grad_of(g), back, n, along, ndims));
}

/* self: rot90(grad, -k, dims) */
void grad_rot90(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *dims = &g->call->arg[2];
        give(g, SELF,
             emit_op(g->e, OP_rot90, 3, grad_of(g), -(g->call->arg[1].i % 4), dims->ints.v,
                     dims->ints.n));
    }
}

/* self: grad with an extra dim for each repeat, summed over these; zeros if a repeat count is 0 */
void grad_repeat(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Tensor *self = tensor_arg(g, SELF);
    const Arg *repeats = &g->call->arg[1];
    int64_t size[2 * MAX_DIMS], summed[2 * MAX_DIMS], first = 0;
    int n = 0, nsummed = 0, added = repeats->ints.n - self->ndim;
    for (int d = 0; d < repeats->ints.n; d++) {
        if (repeats->ints.v[d] == 0) {
            give(g, SELF,
                 emit_full(g->e, self->size, self->ndim, scalar_int(0), grad_of(g)->dtype));
            return;
        }
    }
    Tensor *grad = grad_of(g);
    for (int d = 0; d < added; d++) {
        grad = emit_sum_dims(g->e, grad, &first, 1, false);
    }
    for (int d = 0; d < self->ndim; d++) {
        if (repeats->ints.v[added + d] != 1) { /* negative ones, too, which no reshape takes */
            summed[nsummed++] = n;
            size[n++] = repeats->ints.v[added + d];
        }
        size[n++] = self->size[d];
    }
    if (nsummed > 0) {
        grad = emit_reshape(g->e, grad, size, n);
        grad = emit_sum_dims(g->e, grad, summed, nsummed, false);
    }
    give(g, SELF, grad);
}

/* self: diag(grad, diagonal) for a vector and for a square matrix; for any other matrix
 * diagonal_scatter(zeros(self.size), grad, diagonal) (diag_backward) */
void grad_diag(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Tensor *self = tensor_arg(g, SELF);
    int64_t offset = g->call->arg[1].i;
    if (since(diag_is_composed) && self->ndim == 1) {
        give(g, SELF, emit_op(g->e, OP_diagonal, 4, grad_of(g), offset, (int64_t)0, (int64_t)1));
        return;
    }
    if (self->ndim == 1 ||
        (!since(diag_is_composed) && g->e->in_program && self->size[0] == self->size[1])) {
        give(g, SELF, emit_op(g->e, OP_diag, 2, grad_of(g), offset));
        return;
    }
    Tensor *zeros = emit_full(g->e, self->size, self->ndim, scalar_int(0), grad_of(g)->dtype);
    give(g, SELF,
         emit_op(g->e, OP_diagonal_scatter, 5, zeros, grad_of(g), offset, (int64_t)0, (int64_t)1));
}

/* self: diagonal(grad, offset, dim1, dim2) */
void grad_diag_embed(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *arg = g->call->arg;
        give(g, SELF, emit_op(g->e, OP_diagonal, 4, grad_of(g), arg[1].i, arg[2].i, arg[3].i));
    }
}

/* self: constant_pad_nd(grad, -pad, 0) */
void grad_constant_pad_nd(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Arg *pad = &g->call->arg[1];
    int64_t *back = arena_array(g->e->arena, int64_t, pad->ints.n);
    for (int k = 0; k < pad->ints.n; k++) {
        back[k] = -pad->ints.v[k];
    }
    give(g, SELF,
         emit_op(g->e, OP_constant_pad_nd, 3, grad_of(g), back, pad->ints.n, scalar_int(0)));
}
