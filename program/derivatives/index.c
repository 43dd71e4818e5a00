/* Derivatives of copies, fills and ops that move elements by index. An element that was read gets
 * its gradient scattered back, an element that was written gets it gathered, and an overwritten
 * element gets zeros. */
#include "program/derivatives/derivatives.h"

enum { SELF = 0 };

static Tensor *zero_scalar(const Grad *g) {
    return emit_full(g->e, NULL, 0, scalar_int(0), grad_of(g)->dtype);
}

static Tensor *emit_one(Emit *e, const Call *call) {
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(e, call, out, &n) == ERR_none ? out[0] : NULL;
}

/* self: grad */
void grad_clone(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
}

/* self: zeros; grad: grad, linked again with create_graph */
void grad_linked(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, zero_grad(g));
    }
    if (wanted(g, 1)) {
        give(g, 1, linked(g, grad_of(g), tensor_arg(g, SELF)));
    }
}

/* self: grad; others: none */
void grad_joined(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
}

/* self: grad (grad_finish casts it to self's dtype) */
void grad_to_copy(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
}

/* self: row-major zeros; src: grad */
void grad_copy(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_zeros_like(g->e, g->grad[0]));
    }
    if (wanted(g, 1)) { /* cast before it is summed to src's size */
        give(g, 1, emit_cast(g->e, grad_of(g), tensor_arg(g, 1)->dtype));
    }
}

/* self: zeros; value: sum(grad) */
void grad_fill(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, zero_grad(g));
    }
    if (g->call->op->nparam > 1 && wanted(g, 1)) {
        give(g, 1, emit_unary(g->e, OP_sum, grad_of(g)));
    }
}

static Tensor *derivatives_index_put_in(const Grad *g, Tensor *self, Tensor *values,
                                        bool accumulate) {
    Call call;
    call_init(&call, OP__index_put);
    call.arg[0].tensor = self;
    call.arg[1] = g->call->arg[1];
    call.arg[2].tensor = values;
    call.arg[3].b = accumulate;
    return self && values ? emit_one(g->e, &call) : NULL;
}

/* self: index_put(zeros(self.size), indices, grad, accumulate) */
void grad_index(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF,
             derivatives_index_put_in(g, zeros_of_size(g, tensor_arg(g, SELF)), grad_of(g), true));
    }
}

/* self: accumulate ? grad : index_put(grad, indices, 0); values: index(grad, indices) */
void grad_index_put(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF,
             g->call->arg[3].b ? grad_of(g)
                               : derivatives_index_put_in(g, grad_of(g), zero_scalar(g), false));
    }
    if (wanted(g, 2)) {
        Call call;
        call_init(&call, OP_index);
        call.arg[0].tensor = grad_of(g);
        call.arg[1] = g->call->arg[1];
        give(g, 2, emit_one(g->e, &call));
    }
}

/* self: scatter_add(zeros(self.size), dim, index, grad) */
void grad_gather(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *arg = g->call->arg;
        give(g, SELF,
             emit_op(g->e, OP_scatter_add, 4, zeros_of_size(g, arg[0].tensor), arg[1].i,
                     arg[2].tensor, grad_of(g)));
    }
}

/* self: scatter(grad, dim, index, 0); src: gather(grad, dim, index) */
void grad_scatter(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, SELF)) {
        give(
            g, SELF,
            emit_op(g->e, OP_scatter_value, 4, grad_of(g), arg[1].i, arg[2].tensor, scalar_int(0)));
    }
    if (wanted(g, 3)) {
        give(g, 3, emit_op(g->e, OP_gather, 3, grad_of(g), arg[1].i, arg[2].tensor));
    }
}

/* self: grad; src: gather(grad, dim, index) */
void grad_scatter_add(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
    if (wanted(g, 3)) {
        give(g, 3, emit_op(g->e, OP_gather, 3, grad_of(g), arg[1].i, arg[2].tensor));
    }
}

/* self: index_add(zeros(self.size), dim, index, grad) */
void grad_index_select(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *arg = g->call->arg;
        give(g, SELF,
             emit_op(g->e, OP_index_add, 4, zeros_of_size(g, arg[0].tensor), arg[1].i,
                     arg[2].tensor, grad_of(g)));
    }
}

/* self: grad; source: index_select(grad, dim, index), expanded to source, * alpha */
void grad_index_add(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
    if (wanted(g, 3)) {
        const Tensor *source = arg[3].tensor;
        Tensor *rows = emit_op(g->e, OP_index_select, 3, grad_of(g), arg[1].i, arg[2].tensor);
        rows =
            source->ndim > 0 ? emit_op(g->e, OP_expand, 2, rows, source->size, source->ndim) : rows;
        give(g, 3, emit_scale(g->e, rows, arg[4].scalar));
    }
}

/* Does as_strided stay in the elements of its row-major operand? Self's storage may be larger. */
static bool strided_within(const Grad *g, const Tensor *t, const Call *view) {
    Tensor window = {.ndim = view->arg[1].ints.n,
                     .offset = view->arg[3].none ? t->offset : view->arg[3].i};
    int64_t extent;
    for (int d = 0; d < window.ndim; d++) {
        window.size[d] = view->arg[1].ints.v[d];
        window.stride[d] = view->arg[2].ints.v[d];
    }
    if (tensor_extent(&window, &extent) && extent <= t->offset + tensor_numel(t)) {
        return true;
    }
    error_set(g->e->err, ERR_invalid,
              "setStorage: sizes, strides and storage offset are out of bounds for the gradient");
    return false;
}

/* The view that a *_scatter op writes to, taken of `t` (row-major). */
static Tensor *scattered_view(const Grad *g, Tensor *t) {
    static const struct {
        OpId scatter, view;
    } pairs[] = {{OP_slice_scatter, OP_slice},
                 {OP_select_scatter, OP_select},
                 {OP_diagonal_scatter, OP_diagonal},
                 {OP_as_strided_scatter, OP_as_strided}};
    for (int k = 0; k < COUNT_OF(pairs) && t; k++) {
        if (pairs[k].scatter != g->call->op->id) {
            continue;
        }
        Call call;
        call_init(&call, pairs[k].view);
        call.arg[0].tensor = t;
        for (int p = 2; p < g->call->op->nparam; p++) {
            call.arg[p - 1] = g->call->arg[p];
        }
        if (pairs[k].view == OP_as_strided && !call.arg[3].none) {
            call.arg[3].i +=
                t->offset; /* the argument is relative to the copy that as_strided_scatter makes */
        }
        if (pairs[k].view == OP_as_strided && !strided_within(g, t, &call)) {
            return NULL;
        }
        return emit_one(g->e, &call);
    }
    return NULL;
}

/* self: X_scatter(grad, zeros(src.size), ...); src: X(grad, ...) */
void grad_view_scatter(Grad *g) {
    Tensor *grad = g->call->op->id == OP_as_strided_scatter
                       ? emit_unary(g->e, OP_contiguous, grad_of(g))
                       : grad_of(g);
    if (wanted(g, SELF)) {
        Call call = *g->call;
        bool part = g->call->op->id == OP_as_strided_scatter && grad && grad->offset != 0;
        call.arg[0].tensor = part ? emit_unary(g->e, OP_clone, grad) : grad; /* from its start */
        call.arg[1].tensor = zeros_of_size(g, tensor_arg(g, 1));
        give(g, SELF, call.arg[0].tensor && call.arg[1].tensor ? emit_one(g->e, &call) : NULL);
    }
    if (wanted(g, 1)) {
        give(g, 1, scattered_view(g, grad));
    }
}

/* tensors[k]: narrow(grad, dim, sum of the sizes before, size[k]); zeros for an empty 1-d tensor
 * that cat skips */
void grad_cat(Grad *g) {
    Tensor *grad = grad_of(g);
    const Arg *list = &g->call->arg[0];
    int64_t dim = g->call->arg[1].i, start = 0;
    dim += dim < 0 ? grad->ndim : 0;
    for (int k = 0; k < list->tensors.n; k++) {
        const Tensor *t = list->tensors.v[k];
        if (t->ndim == 1 && t->size[0] == 0) {
            g->out[k] = g->need[k] ? zeros_of_size(g, t) : NULL;
            continue;
        }
        if (g->need[k]) {
            g->out[k] = emit_narrow(g->e, grad, dim, start, t->size[dim]);
        }
        start += t->size[dim];
    }
}

/* tensors[k]: select(grad, dim, k) */
void grad_stack(Grad *g) {
    for (int k = 0; k < g->call->arg[0].tensors.n; k++) {
        if (g->need[k]) {
            g->out[k] = emit_select(g->e, grad_of(g), g->call->arg[1].i, k);
        }
    }
}

/* self: flip(grad, dims) */
void grad_flip(Grad *g) {
    if (wanted(g, SELF)) {
        const Arg *dims = &g->call->arg[1];
        give(g, SELF, emit_op(g->e, OP_flip, 2, grad_of(g), dims->ints.v, dims->ints.n));
    }
}

/* self: tril(grad, diagonal) */
void grad_tril(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_op(g->e, OP_tril, 2, grad_of(g), g->call->arg[1].i));
    }
}

/* self: triu(grad, diagonal) */
void grad_triu(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_op(g->e, OP_triu, 2, grad_of(g), g->call->arg[1].i));
    }
}
