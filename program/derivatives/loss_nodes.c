/* Derivatives of losses that are one node each (derivatives.yaml, FunctionsManual.cpp): the first
 * is computed from values and is a node of its own, the second is written in other ops. */
#include "program/derivatives/derivatives.h"
#include "program/infer/infer.h"

static double elements(const Tensor *t) { return (double)tensor_numel(t); }

static Tensor *divided(const Grad *g, Tensor *t, double by) {
    return emit_scalar(g->e, OP_div_Scalar, t, scalar_float(by));
}

/* a, multiplied by b (or with b subtracted) in place: it keeps its size and dtype. */
static Tensor *in_place(const Grad *g, OpId id, Tensor *a, Tensor *b) {
    Tensor *answer = emit_binary(g->e, id, a, b);
    if (answer && !tensor_same_size(answer, a)) {
        error_set(g->e->err, ERR_shape, "output with shape doesn't match the broadcast shape");
        return NULL;
    }
    return answer ? emit_cast(g->e, answer, a->dtype) : NULL;
}

/* ---- smooth_l1_loss, huber_loss ---- */

/* grad * slope(self - target), row-major and of self's dtype; for a mean divided by the number of
 * elements of self, even where the operands are broadcast. `node`: the op that is its node. */
static Tensor *slope_backward(const Grad *g, OpId node, OpId slope, Tensor *grad, Tensor *self,
                              Tensor *target, int64_t reduction, double size) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *x = without_history(g, self),
           *y = without_history(g, target);
    if (!factor || !x || !y) {
        return NULL;
    }
    DType wide = dtype_promote(dtype_promote(grad->dtype, self->dtype), target->dtype);
    y = emit_cast(e, y, wide);
    x = emit_cast(e, x, wide);
    Tensor *value = emit_op(e, slope, 3, x, y, scalar_float(size));
    if (reduction == 1) {
        value = emit_scalar(e, OP_mul_Scalar, value, scalar_float(1 / elements(self)));
    }
    value = emit_unary(e, OP_contiguous, emit_mul(e, value, emit_cast(e, factor, wide)));
    value = emit_cast(e, value, self->dtype);
    return e->create_graph ? emit_op(e, node, 6, grad, self, target, value, reduction, size)
                           : value;
}

/* tangent, where |self - target| < size */
static Tensor *within_parabola(const Grad *g, Tensor *tangent, double size, bool cast) {
    Emit *e = g->e;
    Tensor *apart = emit_unary(e, OP_abs, emit_sub(e, tensor_arg(g, 1), tensor_arg(g, 2)));
    Tensor *near = emit_scalar(e, OP_lt_Scalar, apart, scalar_float(size));
    return tangent ? emit_mul(e, tangent, cast ? emit_cast(e, near, tangent->dtype) : near) : NULL;
}

void grad_smooth_l1_loss(Grad *g) {
    const Arg *arg = g->call->arg;
    for (int k = 0; k < 2; k++) {
        if (wanted(g, k)) {
            give(g, k,
                 slope_backward(g, OP__smooth_l1_loss_backward, OP__smooth_l1_slope, grad_of(g),
                                tensor_arg(g, k), tensor_arg(g, 1 - k), arg[3].i, arg[4].f));
        }
    }
}

/* grad: as the op; self: T * grad / beta where the parabola is, T being the tangent; target: the
 * negative */
void grad_smooth_l1_loss_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *tangent = grad_of(g), *self = tensor_arg(g, 1);
    int64_t reduction = g->call->arg[4].i;
    double beta = g->call->arg[5].f;
    if (wanted(g, 0)) {
        give(g, 0,
             slope_backward(g, OP__smooth_l1_loss_backward, OP__smooth_l1_slope, tangent, self,
                            tensor_arg(g, 2), reduction, beta));
    }
    for (int k = 1; k <= 2; k++) {
        if (wanted(g, k)) {
            Tensor *answer = emit_mul(e, tangent, tensor_arg(g, 0));
            if (beta == 0) {
                answer = answer ? emit_zeros_like(e, answer) : NULL;
            } else {
                answer = divided(g, within_parabola(g, answer, beta, true), beta);
                answer = reduction == 1 ? divided(g, answer, elements(self)) : answer;
            }
            give(g, k, k == 1 ? answer : emit_neg(e, answer));
        }
    }
}

/* A kernel for operands and gradient of one dtype. */
static bool one_dtype(const Grad *g, const Tensor *grad, const Tensor *self, const Tensor *target) {
    const Tensor *other = target->dtype != self->dtype ? target : grad;
    if (other->dtype != self->dtype) {
        error_set(g->e->err, ERR_dtype, "Found dtype %s but expected %s", dtype_name(other->dtype),
                  dtype_name(self->dtype));
    }
    return other->dtype == self->dtype;
}

void grad_huber_loss(Grad *g) {
    const Arg *arg = g->call->arg;
    if ((wanted(g, 0) || wanted(g, 1)) &&
        !one_dtype(g, grad_of(g), tensor_arg(g, 0), tensor_arg(g, 1))) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (wanted(g, k)) {
            give(g, k,
                 slope_backward(g, OP__huber_loss_backward, OP__huber_slope, grad_of(g),
                                tensor_arg(g, k), tensor_arg(g, 1 - k), arg[3].i, arg[4].f));
        }
    }
}

/* grad: as the op, or the sum of T times the op of ones; self: T * grad where the parabola is */
void grad_huber_loss_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *tangent = grad_of(g), *self = tensor_arg(g, 1), *grad = tensor_arg(g, 0);
    int64_t reduction = g->call->arg[4].i;
    double delta = g->call->arg[5].f;
    if (wanted(g, 0)) {
        Tensor *fed = reduction == 0 ? tangent : emit_unary(e, OP_ones_like, grad);
        Tensor *answer = slope_backward(g, OP__huber_loss_backward, OP__huber_slope, fed, self,
                                        tensor_arg(g, 2), reduction, delta);
        give(g, 0, reduction == 0 ? answer : emit_unary(e, OP_sum, emit_mul(e, answer, tangent)));
    }
    for (int k = 1; k <= 2; k++) {
        if (wanted(g, k)) {
            Tensor *answer = within_parabola(g, emit_mul(e, tangent, grad), delta, false);
            answer = reduction == 1 ? divided(g, answer, elements(self)) : answer;
            give(g, k, k == 1 ? answer : emit_neg(e, answer));
        }
    }
}

/* ---- soft_margin_loss ---- */

/* With z = exp(-target * self): -target * z / (1 + z) * grad, for a mean divided by the number of
 * elements; of self's dtype */
static Tensor *soft_margin_backward(const Grad *g, Tensor *grad, Tensor *self, Tensor *target,
                                    int64_t reduction) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *x = without_history(g, self),
           *y = without_history(g, target);
    Tensor *z = emit_unary(e, OP_exp, emit_mul(e, emit_neg(e, y), x));
    Tensor *value = emit_mul(e, y, z);
    if (!value || !factor) {
        return NULL;
    }
    value = emit_cast(e, value, self->dtype);
    double norm = reduction == 1 ? 1 / elements(self) : 1;
    value = emit_scalar(e, OP_mul_Scalar, value, scalar_float(-norm));
    value = emit_div(e, value, emit_scalar(e, OP_add_Scalar, z, scalar_int(1)));
    value = emit_cast(e, emit_mul(e, value, factor), self->dtype);
    return e->create_graph
               ? emit_op(e, OP__soft_margin_loss_backward, 5, grad, self, target, value, reduction)
               : value;
}

void grad_soft_margin_loss(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0,
             soft_margin_backward(g, grad_of(g), tensor_arg(g, 0), tensor_arg(g, 1),
                                  g->call->arg[3].i));
    }
}

/* grad: as huber_loss; self: T * grad * target^2 * z / (1 + z)^2 */
void grad_soft_margin_loss_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, 0), *self = tensor_arg(g, 1), *target = tensor_arg(g, 2),
           *tangent = grad_of(g);
    int64_t reduction = g->call->arg[4].i;
    if (wanted(g, 0)) {
        Tensor *fed = reduction == 0 ? tangent : emit_unary(e, OP_ones_like, grad);
        Tensor *answer = soft_margin_backward(g, fed, self, target, reduction);
        give(g, 0, reduction == 0 ? answer : emit_unary(e, OP_sum, emit_mul(e, answer, tangent)));
    }
    if (wanted(g, 1)) {
        Tensor *answer = emit_mul(e, tangent, grad);
        Tensor *z = emit_unary(e, OP_exp, emit_mul(e, self, emit_neg(e, target)));
        Tensor *above = emit_scalar(e, OP_add_Scalar, z, scalar_int(1));
        Tensor *square = emit_mul(e, above, above);
        answer = emit_mul(e, emit_mul(e, answer, emit_mul(e, target, target)), z);
        answer = emit_div(e, answer, square);
        give(g, 1, reduction == 1 ? divided(g, answer, elements(self)) : answer);
    }
}

/* ---- binary_cross_entropy ---- */

static Tensor *weighed(const Grad *g, Tensor *t, int weight) {
    const Arg *arg = &g->call->arg[weight];
    return arg->none ? t : in_place(g, OP_mul_Tensor, t, arg->tensor);
}

/* (self - target) / max((1 - self) * self, 1e-12) * grad * weight, in self's layout */
static Tensor *bce_backward(const Grad *g, Tensor *grad, Tensor *self, Tensor *target, int weight,
                            int64_t reduction) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *x = without_history(g, self),
           *y = without_history(g, target);
    Tensor *value = emit_mul(e, emit_op(e, OP__bce_slope, 3, x, y, scalar_float(1e-12)), factor);
    value = in_order(g, weighed(g, value, weight), self, self);
    value = reduction == 1 && value ? divided(g, value, elements(self)) : value;
    const Arg *given = &g->call->arg[weight];
    return e->create_graph ? emit_op(e, OP__binary_cross_entropy_backward, 6, grad, self, target,
                                     given->none ? NULL : given->tensor, value, reduction)
                           : value;
}

/* target: -logit(self) * grad * weight */
void grad_binary_cross_entropy(Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, 0), *target = tensor_arg(g, 1);
    int64_t reduction = g->call->arg[4].i;
    if (wanted(g, 0)) {
        give(g, 0, bce_backward(g, grad_of(g), self, target, 2, reduction));
    }
    if (wanted(g, 1)) {
        Tensor *answer = emit_neg(e, emit_unary(e, OP_logit, self));
        answer = weighed(g, in_place(g, OP_mul_Tensor, answer, grad_of(g)), 2);
        give(g, 1, reduction == 1 ? divided(g, answer, elements(target)) : answer);
    }
}

/* With p = self + eps, q = 1 - self + eps, T the tangent: grad: (self - target) / (p * q) * T;
 * self: (self^2 - 2 * self * target + target) / (p^2 * q^2) * grad * T; target: -T * grad / max((1
 * - self)
 * * self, eps); all times weight, and for a mean divided by the number of elements */
void grad_binary_cross_entropy_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, 0), *self = tensor_arg(g, 1), *target = tensor_arg(g, 2),
           *tangent = grad_of(g);
    int64_t reduction = g->call->arg[5].i;
    Scalar eps = scalar_float(1e-12);
    if (wanted(g, 0)) {
        Tensor *q = emit_scalar(e, OP_rsub_Scalar, self, scalar_int(1));
        q = emit_scalar(e, OP_add_Scalar, q, eps);
        Tensor *pq = emit_mul(e, emit_scalar(e, OP_add_Scalar, self, eps), q);
        Tensor *answer = emit_mul(e, emit_div(e, emit_sub(e, self, target), pq), tangent);
        answer = weighed(g, answer, 3);
        give(g, 0, reduction == 1 ? divided(g, answer, elements(self)) : answer);
    }
    if (wanted(g, 1)) {
        Tensor *p = emit_scalar(e, OP_add_Scalar, self, eps);
        Tensor *q = emit_scalar(e, OP_rsub_Scalar, self, scalar_int(1));
        q = emit_scalar(e, OP_add_Scalar, q, eps);
        Tensor *q2 = emit_scalar(e, OP_pow_Tensor_Scalar, q, scalar_int(2));
        Tensor *p2 = emit_scalar(e, OP_pow_Tensor_Scalar, p, scalar_int(2));
        Tensor *below = emit_mul(e, p2, q2);
        Tensor *twice = emit_mul(e, emit_scalar(e, OP_mul_Scalar, self, scalar_int(2)), target);
        Tensor *above = emit_add(e, emit_sub(e, emit_mul(e, self, self), twice), target);
        Tensor *answer = emit_div(e, above, below);
        answer = weighed(g, emit_mul(e, answer, emit_mul(e, tangent, grad)), 3);
        give(g, 1, reduction == 1 ? divided(g, answer, elements(self)) : answer);
    }
    if (wanted(g, 2)) {
        Tensor *answer = weighed(g, emit_mul(e, emit_neg(e, tangent), grad), 3);
        Tensor *below = emit_mul(e, emit_scalar(e, OP_rsub_Scalar, self, scalar_int(1)), self);
        below = emit_scalar(e, OP_clamp_min, below, eps);
        answer = emit_div(e, answer, below);
        give(g, 2, reduction == 1 ? divided(g, answer, elements(target)) : answer);
    }
}

/* ---- binary_cross_entropy_with_logits ---- */

/* An op of the formula for self: in place unless it is recorded. */
static Tensor *logits_step(const Grad *g, OpId id, Tensor *a, Tensor *b) {
    return g->e->create_graph ? emit_binary(g->e, id, a, b) : in_place(g, id, a, b);
}

/* With t = pos_weight * target: self: ((t + 1 - target) * sigmoid(self) - t) * grad; target:
 * (log_sigmoid(-self) - log_sigmoid(self) * pos_weight) * grad; without pos_weight: (sigmoid(self)
 * - target) * grad, and -self * grad; all times weight */
void grad_binary_cross_entropy_with_logits(Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, 0), *target = tensor_arg(g, 1), *grad = grad_of(g);
    const Arg *weight = &g->call->arg[2], *positive = &g->call->arg[3];
    int64_t reduction = g->call->arg[5].i;
    if (wanted(g, 0)) {
        Tensor *answer;
        if (positive->none) {
            answer = logits_step(g, OP_sub_Tensor, emit_unary(e, OP_sigmoid, self), target);
        } else {
            Tensor *t = emit_mul(e, positive->tensor, target);
            answer = emit_scalar(e, OP_add_Scalar, t, scalar_int(1));
            answer = logits_step(g, OP_sub_Tensor, answer, target);
            answer = logits_step(g, OP_mul_Tensor, answer, emit_unary(e, OP_sigmoid, self));
            answer = logits_step(g, OP_sub_Tensor, answer, t);
        }
        answer = logits_step(g, OP_mul_Tensor, answer, grad);
        answer = weight->none ? answer : logits_step(g, OP_mul_Tensor, answer, weight->tensor);
        give(g, 0, reduction == 1 ? divided(g, answer, elements(self)) : answer);
    }
    if (wanted(g, 1)) {
        Tensor *answer = emit_neg(e, self);
        if (positive->none) {
            answer = emit_mul(e, answer, grad);
        } else {
            Tensor *unlikely = emit_unary(e, OP_log_sigmoid, answer);
            Tensor *likely = emit_unary(e, OP_log_sigmoid, self);
            likely = in_place(g, OP_mul_Tensor, likely, positive->tensor);
            answer = in_place(g, OP_sub_Tensor, unlikely, likely);
            answer = in_place(g, OP_mul_Tensor, answer, grad);
        }
        answer = weighed(g, answer, 2);
        give(g, 1, reduction == 1 ? divided(g, answer, elements(target)) : answer);
    }
}
