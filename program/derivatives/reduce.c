/* Derivatives of reductions, scans and softmax. The gradient of a reduction is broadcast back after
 * its reduced dims are restored with size 1. */
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

enum { SELF = 0 };

/* Is `d` among the dims of a reduction (none given = all)? */
static bool in_dims(const int64_t *dims, int n, int d, int ndim) {
    for (int k = 0; k < n; k++) {
        if (dims[k] == d || dims[k] + ndim == d) {
            return true;
        }
    }
    return n == 0;
}

/* The dims argument of a reduction; an int is a list of one. */
static int reduction_dims(const Grad *g, const int64_t **dims) {
    const OpInfo *op = g->call->op;
    *dims = NULL;
    if (op->nparam < 2) {
        return 0;
    }
    const Arg *arg = &g->call->arg[1];
    switch (op->param[1].type) {
    case ARG_INT:
        *dims = &arg->i;
        return 1;
    case ARG_INT_OPT:
        *dims = &arg->i;
        return arg->none ? 0 : 1;
    case ARG_INTS:
        *dims = arg->ints.v;
        return arg->ints.n;
    case ARG_INTS_OPT:
        *dims = arg->ints.v;
        return arg->none ? 0 : arg->ints.n;
    default:
        return 0;
    }
}

/* `t`, which has the size of the reduction's result, with the reduced dims of self restored as
 * 1. */
static Tensor *keep_dims(const Grad *g, Tensor *t, const int64_t *dims, int n) {
    const Tensor *self = tensor_arg(g, SELF);
    int64_t size[MAX_DIMS];
    for (int d = 0; d < self->ndim; d++) {
        size[d] = in_dims(dims, n, d, self->ndim) ? 1 : self->size[d];
    }
    return t && !sizes_equal(t->size, t->ndim, size, self->ndim)
               ? emit_view(g->e, t, size, self->ndim)
               : t;
}

/* Number of elements of self that reduce to one element of the result. */
static int64_t grad_reduce_reduced_count(const Grad *g, const int64_t *dims, int n) {
    const Tensor *self = tensor_arg(g, SELF);
    int64_t count = 1;
    for (int d = 0; d < self->ndim; d++) {
        count *= in_dims(dims, n, d, self->ndim) ? self->size[d] : 1;
    }
    return count;
}

/* self: expand(grad, self.size) after the reduced dims are restored (sum_backward) */
void grad_sum(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        const int64_t *dims;
        int n = reduction_dims(g, &dims);
        Tensor *grad = grad_of(g);
        for (int d = 0;
             grad && d < self->ndim && n > 0 && g->e->in_program && grad->ndim < self->ndim;
             d++) { /* one unsqueeze for each dim, because it affects strides */
            grad = in_dims(dims, n, d, self->ndim) ? emit_unsqueeze(g->e, grad, d) : grad;
        }
        grad = g->e->in_program ? grad : keep_dims(g, grad, dims, n);
        give(g, SELF,
             emit_op(g->e, OP_expand, 2, grad, self->size,
                     self->ndim)); /* a view, even of the same size */
    }
}

/* self: expand(grad, self.size) / count */
void grad_mean(Grad *g) {
    if (wanted(g, SELF)) {
        const Tensor *self = tensor_arg(g, SELF);
        const int64_t *dims;
        int n = reduction_dims(g, &dims);
        Tensor *wide = emit_expand(g->e, keep_dims(g, grad_of(g), dims, n), self->size, self->ndim);
        give(g, SELF,
             emit_scalar(g->e, OP_div_Scalar, wide,
                         scalar_int(grad_reduce_reduced_count(g, dims, n))));
    }
}

/* self: (grad / sum(mask)) * mask, mask = (self == result): ties share the gradient evenly */
void grad_extreme(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    const int64_t *dims;
    int n = reduction_dims(g, &dims);
    Tensor *mask =
        emit_binary(e, OP_eq_Tensor, tensor_arg(g, SELF), keep_dims(g, result_of(g), dims, n));
    Tensor *ties = emit_sum_dims(e, mask, dims, n, true);
    give(g, SELF, emit_mul(e, emit_div(e, keep_dims(g, grad_of(g), dims, n), ties), mask));
}

/* The product of all other elements along `dim`: exclusive prefix product times exclusive suffix
 * product. */
static Tensor *product_of_others(Emit *e, Tensor *x, int64_t dim) {
    if (!x) {
        return NULL;
    }
    int64_t n = x->size[dim], size[MAX_DIMS];
    if (n == 1) {
        return emit_full(e, x->size, x->ndim, scalar_int(1), x->dtype);
    }
    for (int d = 0; d < x->ndim; d++) {
        size[d] = d == dim ? 1 : x->size[d];
    }
    Tensor *one = emit_full(e, size, x->ndim, scalar_int(1), x->dtype);
    Tensor *before[2] = {one, emit_narrow(e, x, dim, 0, n - 1)};
    Tensor *prefix = emit_op(e, OP_cumprod, 2, emit_op(e, OP_cat, 2, before, 2, dim), dim);
    Tensor *after[2] = {one, emit_op(e, OP_flip, 2, emit_narrow(e, x, dim, 1, n - 1), &dim, 1)};
    Tensor *suffix = emit_op(e, OP_cumprod, 2, emit_op(e, OP_cat, 2, after, 2, dim), dim);
    return emit_mul(e, prefix, emit_op(e, OP_flip, 2, suffix, &dim, 1));
}

/* The number of zeros of `self`, a data-dependent value: prod uses another formula if there are
 * none. PyTorch always counts. Here only a rule whose result the program can observe, and possibly
 * differentiate again, counts. Elsewhere both formulas are computed and a `where` selects. */
static int64_t count_zeros(Emit *e, Tensor *zero) {
    int64_t count = 0;
    return zero && e->count_nonzero(e, zero, &count) == ERR_none ? count : 0;
}

/* The gradient of prod inside the program where self has zeros (prod_safe_zeros_backward): one
 * element takes grad itself, or a view of it; the gradient of prod() is a view of a vector. */
static Tensor *safe_prod_gradient(Emit *e, Tensor *grad, Tensor *self, int64_t dim, bool whole) {
    int64_t numel = tensor_numel(self);
    Tensor *x = whole ? emit_reshape(e, self, &numel, 1) : self;
    Tensor *t = !x || x->size[dim] == 1 ? grad : emit_mul(e, grad, product_of_others(e, x, dim));
    return whole ? emit_view(e, t, self->size, self->ndim) : t;
}

/* self: grad * product of the other elements. If self has no zero at all, PyTorch divides (result /
 * self), which differs from the product at inf, nan and underflow. For prod() with several zeros it
 * returns zeros, whatever the other elements are. */
void grad_prod(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    Tensor *grad = grad_of(g), *self = emit_cast(e, tensor_arg(g, SELF), grad->dtype);
    if (!self || self->ndim == 0 || (tensor_numel(self) == 0 && !e->in_program)) {
        give(g, SELF, self && self->ndim > 0 ? emit_zeros_like(e, self) : grad);
        return;
    }
    const int64_t *dims;
    int n = reduction_dims(g, &dims);
    bool whole = n == 0;
    Tensor *others, *zero = emit_scalar(e, OP_eq_Scalar, self, scalar_int(0));
    int64_t nzero = e->in_program ? count_zeros(e, zero) : -1;
    if (nzero == 0) {
        give(g, SELF,
             emit_mul(e, keep_dims(g, grad, dims, n),
                      emit_div(e, keep_dims(g, result_of(g), dims, n), self)));
        return;
    }
    if (whole && nzero > 1 && !(e->create_graph && since(prod_of_zeros_twice))) {
        give(g, SELF, emit_zeros_like(e, self));
        return;
    }
    int64_t dim = whole ? 0 : dims[0] < 0 ? dims[0] + self->ndim : dims[0];
    if (nzero > 0) {
        give(g, SELF, safe_prod_gradient(e, keep_dims(g, grad, dims, n), self, dim, whole));
        return;
    }
    if (whole) {
        int64_t numel = tensor_numel(self);
        others = emit_reshape(e, product_of_others(e, emit_reshape(e, self, &numel, 1), 0),
                              self->size, self->ndim);
    } else {
        others = product_of_others(e, self, dim);
    }
    Tensor *zeros = emit_unary(e, OP_sum, zero);
    Tensor *some = emit_scalar(e, OP_gt_Scalar, zeros, scalar_int(0));
    Tensor *divisor = emit_masked_fill(e, self, zero, scalar_int(1));
    Tensor *ratio = emit_div(e, keep_dims(g, result_of(g), dims, n), divisor);
    Tensor *answer = emit_mul(e, keep_dims(g, grad, dims, n), emit_where(e, some, others, ratio));
    if (whole) {
        answer = emit_masked_fill(e, answer, emit_scalar(e, OP_gt_Scalar, zeros, scalar_int(1)),
                                  scalar_int(0));
    }
    give(g, SELF, answer);
}

static Tensor *reversed_cumsum(Emit *e, Tensor *a, int64_t dim) {
    Tensor *sum = emit_op(e, OP_cumsum, 2, emit_op(e, OP_flip, 2, a, &dim, 1), dim);
    return emit_op(e, OP_flip, 2, sum, &dim, 1);
}

/* Is there at most one element along `dim`, so that the scan adds nothing? */
static bool trivial_scan(const Tensor *t, int64_t dim) {
    return t->ndim == 0 || tensor_numel(t) <= 1 || t->size[dim < 0 ? dim + t->ndim : dim] == 1;
}

/* self: flip(cumsum(flip(grad))); the gradient itself where dim has one element */
void grad_cumsum(Grad *g) {
    if (wanted(g, SELF)) {
        int64_t dim = g->call->arg[1].i;
        Tensor *grad = emit_cast(g->e, grad_of(g), tensor_arg(g, SELF)->dtype);
        give(g, SELF, !grad || trivial_scan(grad, dim) ? grad : reversed_cumsum(g->e, grad, dim));
    }
}

/* cat of any number of pieces, in several calls: one call takes at most MAX_SLOTS. */
static Tensor *grad_reduce_join(Emit *e, Tensor **piece, int64_t n, int64_t dim) {
    enum { GROUP = 32 };
    while (n > 1) {
        int64_t joined = 0;
        for (int64_t k = 0; k < n; k += GROUP) {
            piece[joined++] = emit_op(e, OP_cat, 2, &piece[k], (int)min_i64(GROUP, n - k), dim);
        }
        n = joined;
        for (int64_t k = 0; k < n; k++) {
            if (!piece[k]) {
                return NULL;
            }
        }
    }
    return piece[0];
}

/* The derivative of cumprod with create_graph, as PyTorch computes it: a quotient if self has no
 * zero at all, else in O(n^2): dL/dx_k = sum over j >= k of grad_j * product of x_0..x_j without
 * x_k. */
static Tensor *cumprod_again(const Grad *g, Tensor *self, Tensor *grad, int64_t dim) {
    Emit *e = g->e;
    dim += dim < 0 ? self->ndim : 0;
    if (count_zeros(e, emit_scalar(e, OP_eq_Scalar, self, scalar_int(0))) == 0) {
        return emit_div(e, reversed_cumsum(e, emit_mul(e, result_of(g), grad), dim), self);
    }
    int64_t n = self->size[dim], size[MAX_DIMS];
    for (int d = 0; d < self->ndim; d++) {
        size[d] = d == dim ? 1 : self->size[d];
    }
    Tensor *one = emit_full(e, size, self->ndim, scalar_int(1), grad->dtype),
           **slice = arena_array(e->arena, Tensor *, n);
    for (int64_t k = 0; k < n; k++) {
        Tensor *before = k == 0
                             ? one
                             : emit_op(e, OP_prod_dim, 3, emit_narrow(e, self, dim, 0, k), dim, 1),
               *omitted = before;
        if (k < n - 1) {
            Tensor *after =
                emit_op(e, OP_cumprod, 2, emit_narrow(e, self, dim, k + 1, n - k - 1), dim);
            Tensor *pair[2] = {before, k == 0 ? after : emit_mul(e, before, after)};
            omitted = pair[0] && pair[1] ? emit_op(e, OP_cat, 2, pair, 2, dim) : NULL;
        }
        slice[k] = emit_sum_dims(e, emit_mul(e, emit_narrow(e, grad, dim, k, n - k), omitted), &dim,
                                 1, true);
        if (!slice[k]) {
            return NULL;
        }
    }
    return grad_reduce_join(e, slice, n, dim);
}

/* self: dL/dx_k = sum over j >= k of grad_j * product of x_0..x_j without x_k. With z the first
 * zero along the dim:
 *   k < z: reversed_cumsum(grad * result)_k / x_k   (result is 0 from z on)
 *   k = z: (product of x before z) * sum over j in [z, next zero) of grad_j * product of x_z+1..x_j
 *   k > z: 0 */
void grad_cumprod(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF);
    int64_t dim = g->call->arg[1].i;
    Tensor *grad = emit_cast(e, grad_of(g), self->dtype);
    if (!grad || trivial_scan(self, dim)) {
        give(g, SELF, grad);
        return;
    }
    dim += dim < 0 ? self->ndim : 0;
    if (e->create_graph) {
        give(g, SELF, cumprod_again(g, self, grad, dim));
        return;
    }
    Tensor *zero = emit_scalar(e, OP_eq_Scalar, self, scalar_int(0));
    Tensor *seen = emit_op(e, OP_cumsum, 2, zero, dim); /* number of zeros up to each element */
    Tensor *head = emit_scalar(e, OP_eq_Scalar, seen, scalar_int(0));
    Tensor *one = emit_scalar(e, OP_eq_Scalar, seen, scalar_int(1));
    Tensor *first = emit_binary(e, OP_logical_and, one, zero);
    Tensor *between = emit_binary(e, OP_logical_and, one, emit_unary(e, OP_logical_not, zero));

    Tensor *weighted = emit_where_zero(e, head, emit_mul(e, result_of(g), grad));
    Tensor *divisor = emit_masked_fill(e, self, zero, scalar_int(1));
    Tensor *at_head =
        emit_where_zero(e, head, emit_div(e, reversed_cumsum(e, weighted, dim), divisor));

    Tensor *ones = emit_full(e, self->size, self->ndim, scalar_int(1), self->dtype);
    DType wide = dtype_promote(
        self->dtype, DT_float32); /* the half types have no kernel for all of these products */
    Tensor *run = emit_cast(
        e, emit_op(e, OP_cumprod, 2, emit_cast(e, emit_where(e, between, self, ones), wide), dim),
        self->dtype);
    Tensor *sum = emit_sum_dims(e, emit_mul(e, run, emit_where_zero(e, one, grad)), &dim, 1, true);
    /* the product of x before z is the result there, as it was rounded */
    Tensor *result = emit_cast(e, result_of(g), self->dtype),
           *pair[2] = {emit_narrow(e, ones, dim, 0, 1),
                       result ? emit_narrow(e, result, dim, 0, self->size[dim] - 1) : NULL};
    Tensor *front = pair[0] && pair[1] ? emit_op(e, OP_cat, 2, pair, 2, dim) : NULL;
    give(g, SELF, emit_where(e, first, emit_mul(e, sum, front), at_head)); /* keeps -0.0 */
}

/* (grad - sum(grad * output, dim, keepdim)) * output, row-major: a node of its own */
static Tensor *softmax_backward(const Grad *g, Tensor *grad, Tensor *output, int64_t dim) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *y = without_history(g, output);
    Tensor *sum = emit_sum_dims(e, emit_mul(e, factor, y), &dim, 1, true);
    Tensor *value = row_major(g, emit_mul(e, emit_sub(e, factor, sum), y));
    return e->create_graph ? emit_op(e, OP__softmax_backward, 4, grad, output, value, dim) : value;
}

void grad_softmax(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, softmax_backward(g, grad_of(g), result_of(g), g->call->arg[1].i));
    }
}

/* grad: as the op; output: G * T - sum(y * G) * T - G * sum(y * T), where T is its gradient and G
 * is grad (softmax_double_backward in FunctionsManual.cpp) */
void grad_softmax_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, 0), *output = tensor_arg(g, 1), *tangent = grad_of(g);
    int64_t dim = g->call->arg[3].i;
    if (wanted(g, 0)) {
        give(g, 0, softmax_backward(g, tangent, output, dim));
    }
    if (wanted(g, 1)) {
        Tensor *product = emit_mul(e, grad, tangent);
        Tensor *along = emit_sum_dims(e, emit_mul(e, output, grad), &dim, 1, true);
        Tensor *across = emit_sum_dims(e, emit_mul(e, output, tangent), &dim, 1, true);
        Tensor *left = emit_sub(e, product, emit_mul(e, along, tangent));
        give(g, 1, emit_sub(e, left, emit_mul(e, grad, across)));
    }
}
