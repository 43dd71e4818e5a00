/* Derivatives of clamp, clamp_min and clamp_max. Before clamp_at_bounds a bound belongs to the
 * range where self passes the gradient; since then a number as a bound does not, and a tensor that
 * equals self shares the gradient with it, as maximum and minimum do. */
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

enum { SELF = 0, MIN = 1, MAX = 2 };

/* Compares a tensor with parameter `param`, which may be a tensor or a Scalar. */
static Tensor *grad_clamp_compare(const Grad *g, OpId with_tensor, OpId with_scalar, Tensor *a,
                                  int param) {
    const Arg *arg = &g->call->arg[param];
    return is_scalar_param(g, param) ? emit_scalar(g->e, with_scalar, a, arg->scalar)
                                     : emit_binary(g->e, with_tensor, a, arg->tensor);
}

/* a op b, written to a as in clamp's backward: b must not broadcast a to a larger size. */
static Tensor *grad_clamp_combine(const Grad *g, OpId op, Tensor *a, Tensor *b) {
    if (!a || !b) {
        return NULL;
    }
    int64_t size[MAX_DIMS];
    int n = a->ndim;
    for (int d = 0; d < n; d++) {
        size[d] = a->size[d];
    }
    if (broadcast_into(size, &n, b->size, b->ndim, g->e->err) != ERR_none) {
        return NULL;
    }
    if (!sizes_equal(size, n, a->size, a->ndim)) {
        error_set(g->e->err, ERR_shape,
                  "clamp's backward: a mask doesn't match the broadcast shape");
        return NULL;
    }
    return emit_binary(g->e, op, a, b);
}

/* self: grad where self is above min, or equal to it before clamp_at_bounds */
static Tensor *above_min(const Grad *g) {
    return since(clamp_at_bounds)
               ? grad_clamp_compare(g, OP_gt_Tensor, OP_gt_Scalar, tensor_arg(g, SELF), MIN)
               : grad_clamp_compare(g, OP_ge_Tensor, OP_ge_Scalar, tensor_arg(g, SELF), MIN);
}

static Tensor *below_max(const Grad *g, int max) {
    return since(clamp_at_bounds)
               ? grad_clamp_compare(g, OP_lt_Tensor, OP_lt_Scalar, tensor_arg(g, SELF), max)
               : grad_clamp_compare(g, OP_le_Tensor, OP_le_Scalar, tensor_arg(g, SELF), max);
}

static Tensor *grad_clamp_test(const Grad *g, OpId comparison, int a, int b) {
    return emit_binary(g->e, comparison, tensor_arg(g, a), tensor_arg(g, b));
}

/* Two tensors as bounds, since clamp_at_bounds. Where min < max and self is equal to one of them,
 * both get grad / 2. Otherwise self: grad where not self < min nor self > max, else 0
 *
 * min: grad where self < min and min <= max; max: grad where self > max and min <= max, or min >
 * max */
static void clamp_between(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = grad_of(g), *half = emit_scalar(e, OP_div_Scalar, grad, scalar_int(2));
    Tensor *apart = grad_clamp_test(g, OP_lt_Tensor, MIN, MAX),
           *ordered = grad_clamp_test(g, OP_le_Tensor, MIN, MAX),
           *at_min =
               emit_binary(e, OP_logical_and, grad_clamp_test(g, OP_eq_Tensor, SELF, MIN), apart),
           *at_max =
               emit_binary(e, OP_logical_and, grad_clamp_test(g, OP_eq_Tensor, SELF, MAX), apart),
           *under = grad_clamp_test(g, OP_lt_Tensor, SELF, MIN),
           *over = grad_clamp_test(g, OP_gt_Tensor, SELF, MAX);
    if (wanted(g, SELF)) {
        Tensor *shared = emit_where(e, emit_binary(e, OP_logical_or, at_min, at_max), half, grad);
        Tensor *outside = emit_binary(e, OP_logical_or, under, over);
        give(g, SELF, emit_where_zero(e, emit_unary(e, OP_logical_not, outside), shared));
    }
    if (wanted(g, MIN)) {
        Tensor *taken = emit_binary(e, OP_logical_and, under, ordered);
        give(g, MIN, emit_where(e, at_min, half, emit_where_zero(e, taken, grad)));
    }
    if (wanted(g, MAX)) {
        Tensor *taken = emit_binary(e, OP_logical_or, emit_binary(e, OP_logical_and, over, ordered),
                                    grad_clamp_test(g, OP_gt_Tensor, MIN, MAX));
        give(g, MAX, emit_where(e, at_max, half, emit_where_zero(e, taken, grad)));
    }
}

/* self: grad where min <= self <= max, else 0
 *
 * min: grad where self < min and min < max; max: grad where self > max or max < min */
void grad_clamp(Grad *g) {
    Emit *e = g->e;
    bool low = !g->call->arg[MIN].none, high = !g->call->arg[MAX].none;
    Tensor *self = tensor_arg(g, SELF), *grad = grad_of(g);
    if (since(clamp_at_bounds) && (low || high) && !is_scalar_param(g, MIN)) {
        if (low && high) {
            clamp_between(g);
        } else {
            give_selected(g, low ? MIN : MAX, low);
        }
        return;
    }
    if (wanted(g, SELF)) {
        Tensor *above = low ? above_min(g) : NULL, *below = high ? below_max(g, MAX) : NULL;
        Tensor *inside = low && high ? grad_clamp_combine(g, OP_logical_and, above, below)
                         : low       ? above
                                     : below;
        give(g, SELF, low || high ? emit_where_zero(e, inside, grad) : grad);
    }
    if (low && wanted(g, MIN)) {
        Tensor *taken = emit_binary(e, OP_lt_Tensor, self, tensor_arg(g, MIN));
        if (high) {
            taken = grad_clamp_combine(
                g, OP_logical_and, taken,
                emit_binary(e, OP_lt_Tensor, tensor_arg(g, MIN), tensor_arg(g, MAX)));
        }
        give(g, MIN, emit_where_zero(e, taken, grad));
    }
    if (high && wanted(g, MAX)) {
        Tensor *taken = emit_binary(e, OP_gt_Tensor, self, tensor_arg(g, MAX));
        if (low) {
            taken = grad_clamp_combine(
                g, OP_logical_or, taken,
                emit_binary(e, OP_lt_Tensor, tensor_arg(g, MAX), tensor_arg(g, MIN)));
        }
        give(g, MAX, emit_where_zero(e, taken, grad));
    }
}

/* The bound is operand 1. self: grad where it is inside, or at the bound; bound: grad elsewhere */
static void grad_clamp_one_side(Grad *g, bool lower) {
    if (since(clamp_at_bounds) && !is_scalar_param(g, 1)) {
        give_selected(g, 1, lower);
        return;
    }
    if (wanted(g, SELF)) {
        give(g, SELF, emit_where_zero(g->e, lower ? above_min(g) : below_max(g, 1), grad_of(g)));
    }
    if (wanted(g, 1)) {
        OpId outside = lower ? OP_lt_Tensor : OP_gt_Tensor;
        give(g, 1, emit_where_zero(g->e, grad_clamp_test(g, outside, SELF, 1), grad_of(g)));
    }
}

/* self: grad where self >= min, else 0; min: grad where self < min, else 0 */
void grad_clamp_min(Grad *g) { grad_clamp_one_side(g, true); }

/* self: grad where self <= max, else 0; max: grad where self > max, else 0 */
void grad_clamp_max(Grad *g) { grad_clamp_one_side(g, false); }
