/* Derivatives of pointwise ops (derivatives.yaml, FunctionsManual.cpp of PyTorch 1.13), one formula
 * for each rule. Gradients have the broadcast size and the computation dtype; grad_finish sums and
 * casts them back. */
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

#include <math.h>

enum { SELF = 0, OTHER = 1, ALPHA = 2 };

/* ---- one operand ---- */

/* self: zeros (a step function) */
void grad_zero(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, zero_grad(g));
    }
}

/* self: -grad */
void grad_neg(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_neg(g->e, grad_of(g)));
    }
}

/* self: grad * sign(self) */
void grad_abs(Grad *g) {
    if (wanted(g, SELF)) {
        OpId sign = g->e->create_graph ? OP__sgn : OP_sign; /* which saves more */
        give(g, SELF, emit_mul(g->e, grad_of(g), emit_unary(g->e, sign, tensor_arg(g, SELF))));
    }
}

/* self: grad * result */
void grad_exp(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_mul(g->e, grad_of(g), result_of(g)));
    }
}

/* self: grad / self */
void grad_log(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_div(g->e, grad_of(g), tensor_arg(g, SELF)));
    }
}

/* self: grad / (2 * result) */
void grad_sqrt(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_div(g->e, grad_of(g), emit_scale(g->e, result_of(g), scalar_int(2))));
    }
}

/* self: -0.5 * grad * result^3 */
void grad_rsqrt(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *cube = emit_scalar(g->e, OP_pow_Tensor_Scalar, result_of(g), scalar_int(3));
        give(g, SELF, emit_mul(g->e, emit_scale(g->e, grad_of(g), scalar_float(-0.5)), cube));
    }
}

/* self: -grad * (result * result) */
void grad_reciprocal(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *square = emit_mul(g->e, result_of(g), result_of(g));
        give(g, SELF, emit_mul(g->e, emit_neg(g->e, grad_of(g)), square));
    }
}

/* self: grad * cos(self) */
void grad_sin(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_mul(g->e, grad_of(g), emit_unary(g->e, OP_cos, tensor_arg(g, SELF))));
    }
}

/* self: grad * -sin(self) */
void grad_cos(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *slope = emit_neg(g->e, emit_unary(g->e, OP_sin, tensor_arg(g, SELF)));
        give(g, SELF, emit_mul(g->e, grad_of(g), slope));
    }
}

/* self: 0 where result <= 0, else grad (nan passes it) */
void grad_relu(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, gradient_above(g, result_of(g), scalar_int(0)));
    }
}

/* self: grad * (2 * self) */
void grad_square(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *self = tensor_arg(g, SELF);
        if (g->e->create_graph) { /* as pow(self, 2), whose derivative contains pow(self, 1), which
                                     saves self */
            self = emit_scalar(g->e, OP_pow_Tensor_Scalar, self, scalar_float(1));
        }
        give(g, SELF, emit_mul(g->e, grad_of(g), emit_scale(g->e, self, scalar_float(2))));
    }
}

/* ---- arithmetic ---- */

/* self: grad; other: grad * alpha */
void grad_add(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, emit_scale(g->e, grad_of(g), g->call->arg[ALPHA].scalar));
    }
}

/* self: grad; other: -grad * alpha */
void grad_sub(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, emit_scale(g->e, emit_neg(g->e, grad_of(g)), g->call->arg[ALPHA].scalar));
    }
}

/* self: -grad * alpha; other: grad */
void grad_rsub(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, emit_scale(g->e, emit_neg(g->e, grad_of(g)), g->call->arg[ALPHA].scalar));
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, grad_of(g));
    }
}

/* self: grad * other; other: grad * self */
void grad_mul(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *grad = grad_of(g);
        const Arg *other = &g->call->arg[OTHER];
        give(g, SELF,
             is_scalar_param(g, OTHER) ? emit_scalar(g->e, OP_mul_Scalar, grad, other->scalar)
                                       : emit_mul(g->e, grad, other->tensor));
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, emit_mul(g->e, grad_of(g), tensor_arg(g, SELF)));
    }
}

/* self: grad / other; other: -grad * ((self / other) / other) */
void grad_div(Grad *g) {
    const Arg *other = &g->call->arg[OTHER];
    if (wanted(g, SELF)) {
        Tensor *grad = grad_of(g);
        give(g, SELF,
             is_scalar_param(g, OTHER) ? emit_scalar(g->e, OP_div_Scalar, grad, other->scalar)
                                       : emit_div(g->e, grad, other->tensor));
    }
    if (wanted(g, OTHER)) {
        Tensor *ratio =
            emit_div(g->e, emit_div(g->e, tensor_arg(g, SELF), other->tensor), other->tensor);
        give(g, OTHER, emit_mul(g->e, emit_neg(g->e, grad_of(g)), ratio));
    }
}

/* with rounding self, other: zeros; otherwise as div */
void grad_div_mode(Grad *g) {
    if (g->call->arg[2].none) {
        grad_div(g);
        return;
    }
    for (int p = SELF; p <= OTHER; p++) {
        if (wanted(g, p)) {
            give(g, p, zero_grad(g));
        }
    }
}

/* self: grad; other: -grad * div(self, other, mode) */
static void grad_pointwise_modulo(Grad *g, const char *mode) {
    if (wanted(g, SELF)) {
        give(g, SELF, grad_of(g));
    }
    if (wanted(g, OTHER)) {
        Tensor *quotient =
            emit_op(g->e, OP_div_Tensor_mode, 3, tensor_arg(g, SELF), tensor_arg(g, OTHER), mode);
        give(g, OTHER, emit_mul(g->e, emit_neg(g->e, grad_of(g)), quotient));
    }
}

/* self: grad; other: -grad * div(self, other, floor) */
void grad_remainder(Grad *g) { grad_pointwise_modulo(g, "floor"); }

/* self: grad; other: -grad * div(self, other, trunc) */
void grad_fmod(Grad *g) { grad_pointwise_modulo(g, "trunc"); }

/* tensor * value, a new tensor also where value is 1: its version is checked, not tensor's. */
static Tensor *addcmul_factor(const Grad *g, int param, Scalar value) {
    return g->e->create_graph ? emit_scalar(g->e, OP_mul_Scalar, tensor_arg(g, param), value)
                              : emit_scale(g->e, tensor_arg(g, param), value);
}

/* self: grad; tensor1: grad * (tensor2 * value); tensor2: grad * (tensor1 * value) */
void grad_addcmul(Grad *g) {
    Scalar value = g->call->arg[3].scalar;
    if (wanted(g, 0)) {
        give(g, 0, grad_of(g));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_mul(g->e, grad_of(g), addcmul_factor(g, 2, value)));
    }
    if (wanted(g, 2)) {
        give(g, 2, emit_mul(g->e, grad_of(g), addcmul_factor(g, 1, value)));
    }
}

/* ---- powers ---- */

/* self, Scalar e: grad * (e * self^(e - 1)), 0 for e = 0, but not for False, which is not equal to
 * 0 (c10::Scalar::equal) */
static Tensor *pow_scalar_base(const Grad *g) {
    Tensor *self = tensor_arg(g, SELF);
    double exponent = scalar_to_double(g->call->arg[1].scalar);
    if (exponent == 0 && g->call->arg[1].scalar.kind != CAT_BOOL) {
        return emit_zeros_like(g->e, self);
    }
    Tensor *power = emit_scalar(g->e, OP_pow_Tensor_Scalar, self, scalar_float(exponent - 1));
    return emit_mul(g->e, grad_of(g),
                    emit_scalar(g->e, OP_mul_Scalar, power, scalar_float(exponent)));
}

/* self, tensor e: where(e == 0, 0, grad * (e * self^(e - 1))) */
static Tensor *pow_base(const Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *exponent = tensor_arg(g, 1);
    Tensor *power = emit_binary(e, OP_pow_Tensor_Tensor, self,
                                emit_scalar(e, OP_sub_Scalar, exponent, scalar_int(1)));
    Tensor *slope = emit_mul(e, grad_of(g), emit_mul(e, exponent, power));
    return zero_where(g, emit_scalar(e, OP_eq_Scalar, exponent, scalar_int(0)), slope);
}

/* exponent: grad * where(self == 0 and exponent >= 0, 0, result * log(self)) */
static Tensor *pow_exponent(const Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *exponent = tensor_arg(g, 1), *result = result_of(g);
    Tensor *zero = emit_scalar(e, OP_eq_Scalar, self, scalar_int(0));
    Tensor *off =
        emit_binary(e, OP_logical_and, zero, emit_scalar(e, OP_ge_Scalar, exponent, scalar_int(0)));
    Tensor *slope = emit_mul(e, result, emit_unary(e, OP_log, self));
    return emit_mul(e, grad_of(g), zero_where(g, off, slope));
}

/* exponent, Scalar base b: grad * (result * log(b)); for b = 0, 0 where exponent >= 0 */
static Tensor *pow_exponent_of_scalar(const Grad *g) {
    Emit *e = g->e;
    if (g->call->arg[SELF].scalar.kind == CAT_BOOL && !since(pow_of_true_backward)) {
        /* no logarithm of a bool Scalar */
        error_set(e->err, ERR_invalid, "pow: the backward of a bool base");
        return NULL;
    }
    double base = scalar_to_double(g->call->arg[SELF].scalar);
    Tensor *slope = emit_scalar(e, OP_mul_Scalar, result_of(g), scalar_float(log(base)));
    if (base == 0 && g->call->arg[SELF].scalar.kind != CAT_BOOL) { /* False is not equal to 0 */
        Tensor *off = emit_scalar(e, OP_ge_Scalar, tensor_arg(g, 1), scalar_int(0));
        slope = zero_where(g, off, slope);
    }
    return emit_mul(e, grad_of(g), slope);
}

/* self: grad * exponent * self^(exponent - 1); exponent: grad * result * log(self); 0 at the edge
 * cases named above */
void grad_pow(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, is_scalar_param(g, 1) ? pow_scalar_base(g) : pow_base(g));
    }
    if (wanted(g, 1)) {
        give(g, 1, is_scalar_param(g, SELF) ? pow_exponent_of_scalar(g) : pow_exponent(g));
    }
}

/* ---- selection ---- */

/* grad / 2 at a tie, else grad */
static Tensor *tied_share(const Grad *g, Tensor *tie) {
    Tensor *half = emit_scalar(g->e, OP_div_Scalar, grad_of(g), scalar_int(2));
    return emit_where(g->e, tie, half, grad_of(g));
}

/* `share`, with 0 where `lost`, by masked_fill_, which keeps the layout. */
static Tensor *without(const Grad *g, Tensor *share, Tensor *lost) {
    return g->e->in_program ? filled_with_zero(g, lost, share)
                            : emit_where_zero(g->e, emit_unary(g->e, OP_logical_not, lost), share);
}

/* the selected operand: grad; both at a tie: grad / 2; the other: 0. PyTorch has a formula for each
 * operand: a gradient of the gradients adds what was halved. */
void give_selected(const Grad *g, int param, bool maximum) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *other = tensor_arg(g, param);
    Tensor *tie = emit_binary(e, OP_eq_Tensor, self, other), *share = tied_share(g, tie);
    if (wanted(g, SELF)) {
        Tensor *lost = emit_binary(e, maximum ? OP_lt_Tensor : OP_gt_Tensor, self, other);
        give(g, SELF, without(g, share, lost));
        share = e->create_graph && wanted(g, param) ? tied_share(g, tie) : share;
    }
    if (wanted(g, param)) {
        Tensor *lost = emit_binary(e, maximum ? OP_gt_Tensor : OP_lt_Tensor, self, other);
        give(g, param, without(g, share, lost));
    }
}

void grad_maximum(Grad *g) { give_selected(g, OTHER, g->call->op->pw == PW_maximum); }

/* Since fmax_tie by masked_fill_ (fmax in tools/autograd/derivatives.yaml). */
static Tensor *without_loser(const Grad *g, Tensor *share, Tensor *lost) {
    return since(fmax_tie) ? without(g, share, lost)
                           : emit_masked_fill(g->e, share, lost, scalar_int(0));
}

/* self: grad where self >= other (fmin: <=) or other is nan, else 0; other: the remaining
 * gradient; since fmax_tie both get grad / 2 where they are equal */
void grad_fmax(Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *other = tensor_arg(g, OTHER);
    Tensor *wins =
        emit_binary(e, g->call->op->id == OP_fmax ? OP_ge_Tensor : OP_le_Tensor, self, other);
    wins = emit_binary(e, OP_logical_or, wins, emit_unary(e, OP_isnan, other));
    Tensor *share = grad_of(g), *loses = emit_unary(e, OP_logical_not, wins), *tie = NULL;
    if (since(fmax_tie)) {
        tie = emit_binary(e, OP_eq_Tensor, self, other);
        share = tied_share(g, tie);
        wins = emit_binary(e, OP_logical_and, wins, emit_unary(e, OP_logical_not, tie));
    }
    if (wanted(g, SELF)) {
        give(g, SELF, without_loser(g, share, loses));
        share = tie && e->create_graph && wanted(g, OTHER) ? tied_share(g, tie) : share;
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, without_loser(g, share, wins));
    }
}

/* self: where(condition, grad, 0); other: where(condition, 0, grad) */
void grad_where(Grad *g) {
    Tensor *condition = tensor_arg(g, 0);
    if (wanted(g, 1)) {
        give(g, 1, emit_where_zero(g->e, condition, grad_of(g)));
    }
    if (wanted(g, 2)) {
        Tensor *grad = grad_of(g);
        give(g, 2, emit_op(g->e, OP_where_ScalarSelf, 3, condition, scalar_float(0), grad));
    }
}

/* self: masked_fill(grad, mask, 0); value: sum(where(mask, grad, 0)) */
void grad_masked_fill(Grad *g) {
    Tensor *mask = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, emit_masked_fill(g->e, grad_of(g), mask, scalar_int(0)));
    }
    if (wanted(g, 2)) {
        Tensor *filled = g->e->create_graph ? emit_binary(g->e, OP_masked_select, grad_of(g), mask)
                                            : emit_where_zero(g->e, mask, grad_of(g));
        give(
            g, 2,
            emit_unary(g->e, OP_sum,
                       filled)); /* with create_graph in PyTorch's form, which saves the gradient */
    }
}
