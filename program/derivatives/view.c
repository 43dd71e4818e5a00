/* Derivatives of views: the gradient is mapped back by the inverse. A view that omits elements gets
 * zeros there. The multi-output views join the gradients of their outputs, with zeros for outputs
 * that have none. */
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

enum { SELF = 0 };

/* self: reshape(grad, self.size) */
void grad_reshape_to_self(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        give(g, SELF,
             emit_op(g->e, OP_reshape, 2, grad_of(g), self->size,
                     self->ndim)); /* a view, even of the same size */
    }
}

/* self: grad with the dims of size 1 restored one at a time, because this affects strides
 * (unsqueeze_to); the gradient itself if there were none */
void grad_squeeze(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        bool all = g->call->op->id == OP_squeeze;
        Tensor *grad = grad_of(g);
        for (int d = 0; d < self->ndim && grad && grad->ndim < self->ndim; d++) {
            bool back =
                all ? self->size[d] == 1
                    : d == (int)(g->call->arg[1].i + (g->call->arg[1].i < 0 ? self->ndim : 0));
            grad = back ? emit_unsqueeze(g->e, grad, d) : grad;
        }
        give(g, SELF, grad);
    }
}

/* self: squeeze(grad, dim) */
void grad_unsqueeze(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_op(g->e, OP_squeeze_dim, 2, grad_of(g), g->call->arg[1].i));
    }
}

/* self: transpose(grad, dim0, dim1) */
void grad_transpose(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_transpose(g->e, grad_of(g), g->call->arg[1].i, g->call->arg[2].i));
    }
}

/* self: t(grad) */
void grad_t(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_unary(g->e, OP_t, grad_of(g)));
    }
}

/* self: permute(grad, inverse permutation) */
void grad_permute(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Arg *dims = &g->call->arg[1];
    int64_t inverse[MAX_DIMS];
    int n = dims->ints.n;
    for (int d = 0; d < n; d++) {
        int64_t from = dims->ints.v[d];
        inverse[from < 0 ? from + n : from] = d;
    }
    give(g, SELF, emit_op(g->e, OP_permute, 2, grad_of(g), inverse, n));
}

/* self: movedim(grad, destination, source); without dims it is an alias, whose gradient is grad
 * itself */
void grad_permute_back(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *source = &g->call->arg[1], *destination = &g->call->arg[2];
        Tensor *grad = grad_of(g);
        bool alias = grad && grad->ndim == 0;
        give(g, SELF,
             alias ? grad
                   : emit_op(g->e, OP_movedim, 3, grad, destination->ints.v, destination->ints.n,
                             source->ints.v, source->ints.n));
    }
}

/* self: sum_to(grad, self.size) */
void grad_expand(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        give(g, SELF,
             self->ndim == 0 ? emit_unary(g->e, OP_sum, grad_of(g))
                             : emit_sum_to(g->e, grad_of(g), self->size, self->ndim));
    }
}

/* self: grad */
void grad_alias(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
}

/* Zeros of self's size in the gradient's dtype. */
static Tensor *zero_self(const Grad *g) {
    const Tensor *self = tensor_arg(g, SELF);
    return emit_full(g->e, self->size, self->ndim, scalar_int(0), g->grad[0]->dtype);
}

/* Applies a *_scatter op to (zeros, grad) and the view's own arguments. */
static Tensor *scatter_back(const Grad *g, OpId scatter) {
    Call call;
    call_init(&call, scatter);
    call.arg[0].tensor = zero_self(g);
    call.arg[1].tensor = grad_of(g);
    for (int p = 1; p < g->call->op->nparam; p++) {
        call.arg[p + 1] = g->call->arg[p];
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(g->e, &call, out, &n) == ERR_none ? out[0] : NULL;
}

/* self: slice_scatter(zeros, grad, dim, start, end, step) */
void grad_slice(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, scatter_back(g, OP_slice_scatter));
    }
}

/* self: select_scatter(zeros, grad, dim, index) */
void grad_select(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, scatter_back(g, OP_select_scatter));
    }
}

/* self: diagonal_scatter(zeros, grad, offset, dim1, dim2) */
void grad_diagonal(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, scatter_back(g, OP_diagonal_scatter));
    }
}

/* self: slice_scatter(zeros, grad, dim, start, start + length) */
void grad_narrow(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Tensor *self = tensor_arg(g, SELF);
    int64_t dim = g->call->arg[1].i, start = g->call->arg[2].i, length = g->call->arg[3].i;
    if (start < 0) {
        start += self->size[dim < 0 ? dim + self->ndim : dim];
    }
    give(g, SELF,
         emit_op(g->e, OP_slice_scatter, 6, zero_self(g), grad_of(g), dim, start, start + length,
                 (int64_t)1));
}

/* self: as narrow, but a negative start is taken as slice takes it: an end of 0 is the start of the
 * dim, and nothing is written */
void grad_narrow_copy(Grad *g) {
    if (!since(narrow_copy_backward)) {
        grad_not_implemented(g);
        return;
    }
    if (!wanted(g, SELF)) {
        return;
    }
    int64_t dim = g->call->arg[1].i, start = g->call->arg[2].i, length = g->call->arg[3].i;
    if (start < 0 && start + length == 0) {
        if (length != 1) {
            error_set(g->e->err, ERR_shape,
                      "The size of tensor a (0) must match the size of tensor b");
        }
        give(g, SELF, zero_self(g));
        return;
    }
    give(g, SELF,
         emit_op(g->e, OP_slice_scatter, 6, zero_self(g), grad_of(g), dim, start, start + length,
                 (int64_t)1));
}

/* self: _unfold_grad(grad, self.size, dimension, size, step) */
void grad_unfold(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        const Arg *arg = g->call->arg;
        give(g, SELF,
             emit_op(g->e, OP__unfold_grad, 5, grad_of(g), self->size, self->ndim, arg[1].i,
                     arg[2].i, arg[3].i));
    }
}

/* grad: unfold(grad, dimension, size, step) */
void grad_unfold_grad(Grad *g) {
    if (wanted(g, 0)) {
        const Arg *arg = g->call->arg;
        give(g, 0, emit_op(g->e, OP_unfold, 4, grad_of(g), arg[2].i, arg[3].i, arg[4].i));
    }
}

/* self: _as_strided_grad(grad, self's geometry, size, stride, storage_offset) */
void grad_as_strided(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    const Tensor *self = tensor_arg(g, SELF);
    const Arg *size = &g->call->arg[1], *stride = &g->call->arg[2], *offset = &g->call->arg[3];
    Tensor view = {.dtype = self->dtype,
                   .ndim = size->ints.n,
                   .offset = offset->none ? self->offset : offset->i};
    for (int d = 0; d < view.ndim; d++) {
        view.size[d] = size->ints.v[d];
        view.stride[d] = stride->ints.v[d];
    }
    give(g, SELF, emit_as_strided_grad(g->e, grad_of(g), self, &view));
}

/* Joins the gradients of the outputs, with zeros for undefined ones, by `join` (a Tensor[], dim
 * op). */
static Tensor *join_pieces(const Grad *g, OpId join, int64_t dim) {
    DType dtype = tensor_arg(g, SELF)->dtype;
    Call call;
    call_init(&call, join);
    call.arg[0].tensors.v = arena_array(g->e->arena, Tensor *, g->nresult);
    call.arg[0].tensors.n = g->nresult;
    call.arg[1].i = dim;
    for (int k = 0; k < g->nresult; k++) {
        Tensor *piece = g->grad[k];
        if (!piece) {
            piece = emit_full(g->e, g->result[k]->size, g->result[k]->ndim, scalar_int(0), dtype);
        }
        call.arg[0].tensors.v[k] = piece;
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(g->e, &call, out, &n) == ERR_none ? out[0] : NULL;
}

/* self: stack(grads, dim) */
void grad_unbind(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, join_pieces(g, OP_stack, g->call->arg[1].i));
    }
}

/* self: cat(grads, dim) */
void grad_split(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, join_pieces(g, OP_cat, g->call->arg[2].i));
    }
}
