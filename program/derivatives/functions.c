/* Derivatives of mathematical functions and of activations (derivatives.yaml, FunctionsManual.cpp
 * and the backward kernels of PyTorch 1.13), one formula for each rule. */
#include "program/infer/infer.h"
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

#include <math.h>

enum { SELF = 0, OTHER = 1 };

static Tensor *self_of(const Grad *g) { return tensor_arg(g, SELF); }
static Tensor *scaled_by(const Grad *g, Tensor *a, double s) {
    return emit_scalar(g->e, OP_mul_Scalar, a, scalar_float(s));
}
static Tensor *plus(const Grad *g, Tensor *a, double s) {
    return emit_scalar(g->e, OP_add_Scalar, a, scalar_float(s));
}
static Tensor *one_minus(const Grad *g, Tensor *a) {
    return emit_scalar(g->e, OP_rsub_Scalar, a, scalar_int(1));
}
static Tensor *squared(const Grad *g, Tensor *a) { return emit_mul(g->e, a, a); }
static Tensor *grad_functions_apply(const Grad *g, OpId function, Tensor *a) {
    return emit_unary(g->e, function, a);
}
static Tensor *test(const Grad *g, OpId comparison, Tensor *a, double s) {
    return emit_scalar(g->e, comparison, a, scalar_float(s));
}
/* self: grad * slope */
static void give_slope(const Grad *g, Tensor *slope) {
    give(g, SELF, emit_mul(g->e, grad_of(g), slope));
}
static double scalar_arg(const Grad *g, int param) {
    return scalar_to_double(g->call->arg[param].scalar);
}

/* The rule of a function of one tensor; the expression `answer` sets the gradient of self. */
#define SELF_RULE(name, answer)                                                                    \
    void grad_##name(Grad *g) {                                                                    \
        if (wanted(g, SELF)) {                                                                     \
            answer;                                                                                \
        }                                                                                          \
    }

/* ---- mathematical functions ---- */

/* self: grad * (result + 1) */
SELF_RULE(expm1, give_slope(g, emit_scalar(g->e, OP_add_Scalar, result_of(g), scalar_int(1))))
/* self: grad / (self + 1) */
SELF_RULE(log1p, give(g, SELF,
                      emit_div(g->e, grad_of(g),
                               emit_scalar(g->e, OP_add_Scalar, self_of(g), scalar_int(1)))))
/* self: grad / (self * log 2); log10: with log 10 */
SELF_RULE(log2,
          give(g, SELF, emit_div(g->e, grad_of(g), scaled_by(g, self_of(g), 0.6931471805599453))))
SELF_RULE(log10,
          give(g, SELF, emit_div(g->e, grad_of(g), scaled_by(g, self_of(g), 2.3025850929940456))))
/* self: grad * result * log 2 */
SELF_RULE(exp2, give(g, SELF, scaled_by(g, emit_mul(g->e, grad_of(g), result_of(g)), M_LN2)))
/* self: 2/sqrt(pi) * exp(-self^2) * grad; erfc: its negative */
static Tensor *gaussian_slope(const Grad *g, double factor) {
    Tensor *square = emit_scalar(g->e, OP_pow_Tensor_Scalar, self_of(g), scalar_int(2));
    return scaled_by(g, grad_functions_apply(g, OP_exp, emit_neg(g->e, square)), factor);
}
SELF_RULE(erf, give(g, SELF, emit_mul(g->e, gaussian_slope(g, M_2_SQRTPI), grad_of(g))))
SELF_RULE(erfc, give(g, SELF, emit_mul(g->e, gaussian_slope(g, -M_2_SQRTPI), grad_of(g))))
/* self: grad * (1 + result^2) */
SELF_RULE(tan,
          give_slope(g, emit_scalar(g->e, OP_add_Scalar, squared(g, result_of(g)), scalar_int(1))))
/* self: grad * rsqrt(1 - self^2); acos: its negative */
SELF_RULE(asin,
          give_slope(g, grad_functions_apply(g, OP_rsqrt, one_minus(g, squared(g, self_of(g))))))
SELF_RULE(acos,
          give_slope(g, emit_neg(g->e, grad_functions_apply(g, OP_rsqrt,
                                                            one_minus(g, squared(g, self_of(g)))))))
/* self: grad / (self^2 + 1) */
SELF_RULE(atan,
          give(g, SELF,
               emit_div(g->e, grad_of(g),
                        emit_scalar(g->e, OP_add_Scalar, squared(g, self_of(g)), scalar_int(1)))))
/* self: grad * cosh(self); cosh: grad * sinh(self) */
SELF_RULE(sinh, give_slope(g, grad_functions_apply(g, OP_cosh, self_of(g))))
SELF_RULE(cosh, give_slope(g, grad_functions_apply(g, OP_sinh, self_of(g))))
/* self: grad */
SELF_RULE(frac, give(g, SELF, grad_of(g)))
/* self: grad * isfinite(self) */
SELF_RULE(nan_to_num, give_slope(g, grad_functions_apply(g, OP_isfinite, self_of(g))))

/* self: grad * other / (self^2 + other^2); other: grad * -self / (self^2 + other^2); since
 * atan2_at_origin 0 where the divisor is 0 */
void grad_atan2(Grad *g) {
    Emit *e = g->e;
    Tensor *self = self_of(g), *other = tensor_arg(g, OTHER);
    Tensor *square = emit_add(e, squared(g, self), squared(g, other)),
           *inverse = grad_functions_apply(g, OP_reciprocal, square);
    if (since(atan2_at_origin)) {
        inverse = emit_masked_fill(e, inverse, test(g, OP_eq_Scalar, square, 0), scalar_int(0));
    }
    if (wanted(g, SELF)) {
        give(g, SELF, emit_mul(e, emit_mul(e, grad_of(g), other), inverse));
    }
    if (wanted(g, OTHER)) {
        give(g, OTHER, emit_mul(e, emit_mul(e, grad_of(g), emit_neg(e, self)), inverse));
    }
}

/* self: grad * (self / result); other: grad * (other / result) */
void grad_hypot(Grad *g) {
    for (int p = SELF; p <= OTHER; p++) {
        if (wanted(g, p)) {
            give(g, p, emit_div(g->e, emit_mul(g->e, grad_of(g), tensor_arg(g, p)), result_of(g)));
        }
    }
}

/* self: grad * (result / self), 0 where self is 0; other: zeros */
void grad_copysign(Grad *g) {
    Emit *e = g->e;
    if (wanted(g, SELF)) {
        Tensor *ratio = emit_div(e, result_of(g), self_of(g));
        give_slope(g,
                   emit_masked_fill(e, ratio, test(g, OP_eq_Scalar, self_of(g), 0), scalar_int(0)));
    }
    if (wanted(g, OTHER)) { /* row-major: only its size and dtype were saved */
        give(g, OTHER, emit_zeros_like(e, tensor_arg(g, OTHER)));
    }
}

/* self: xlogy(grad, other), 0 where self = 0 and other <= 0; other: grad * self / other */
void grad_xlogy(Grad *g) {
    Emit *e = g->e;
    bool self_scalar = g->call->op->id == OP_xlogy_Scalar_Self,
         other_scalar = g->call->op->id == OP_xlogy_Scalar_Other;
    if (wanted(g, SELF)) {
        Tensor *zero = test(g, OP_eq_Scalar, self_of(g), 0), *answer;
        if (other_scalar) {
            Scalar other = g->call->arg[OTHER].scalar;
            answer = emit_scalar(e, OP_xlogy_Scalar_Other, grad_of(g), other);
            answer = scalar_to_double(other) > 0 ? answer
                                                 : emit_masked_fill(e, answer, zero, scalar_int(0));
        } else {
            Tensor *other = tensor_arg(g, OTHER);
            zero = emit_binary(e, OP_logical_and, zero, test(g, OP_le_Scalar, other, 0));
            answer = emit_masked_fill(e, emit_binary(e, OP_xlogy_Tensor, grad_of(g), other), zero,
                                      scalar_int(0));
        }
        give(g, SELF, answer);
    }
    if (wanted(g, OTHER)) {
        Tensor *product = self_scalar
                              ? emit_scalar(e, OP_mul_Scalar, grad_of(g), g->call->arg[SELF].scalar)
                              : emit_mul(e, grad_of(g), self_of(g));
        give(g, OTHER, emit_div(e, product, tensor_arg(g, OTHER)));
    }
}

/* Ops that have a derivative in PyTorch only to raise an error. */
void grad_not_implemented(Grad *g) {
    error_set(g->e->err, ERR_invalid, "derivative for aten::%s is not implemented",
              g->call->op->name);
}

/* self: grad * (1 - weight); end: grad * weight; weight: grad * (end - self) */
void grad_lerp(Grad *g) {
    enum { END = 1, WEIGHT = 2 };
    Emit *e = g->e;
    bool scalar = g->call->op->id == OP_lerp_Scalar;
    double w = scalar ? scalar_arg(g, WEIGHT) : 0;
    if (wanted(g, SELF)) {
        give(g, SELF,
             scalar ? scaled_by(g, grad_of(g), 1 - w)
                    : emit_mul(e, grad_of(g), one_minus(g, tensor_arg(g, WEIGHT))));
    }
    if (wanted(g, END)) {
        give(g, END,
             scalar ? scaled_by(g, grad_of(g), w) : emit_mul(e, grad_of(g), tensor_arg(g, WEIGHT)));
    }
    if (wanted(g, WEIGHT)) {
        give(g, WEIGHT, emit_mul(e, grad_of(g), emit_sub(e, tensor_arg(g, END), self_of(g))));
    }
}

/* self: grad; tensor1: grad * (value / tensor2); tensor2: -grad * (value * tensor1 / tensor2^2) */
void grad_addcdiv(Grad *g) {
    Emit *e = g->e;
    Scalar value = g->call->arg[3].scalar;
    Tensor *divisor = tensor_arg(g, 2);
    if (wanted(g, 0)) {
        give(g, 0, grad_of(g));
    }
    if (wanted(g, 1)) {
        if (!dtype_is_float(divisor->dtype)) { /* PyTorch fills a tensor like tensor2 with value and
                                                  divides it in place */
            (void)scalar_check(value, divisor->dtype, e->err);
            error_set(e->err, ERR_dtype,
                      "result type Float can't be cast to the desired output type %s",
                      dtype_name(divisor->dtype));
            return;
        }
        Tensor *quotient =
            emit_div(e, emit_full(e, divisor->size, divisor->ndim, value, divisor->dtype), divisor);
        give(g, 1, emit_mul(e, grad_of(g), quotient));
    }
    if (wanted(g, 2)) {
        Tensor *ratio = emit_div(e, emit_scalar(e, OP_mul_Scalar, tensor_arg(g, 1), value),
                                 squared(g, divisor));
        give(g, 2, emit_mul(e, emit_neg(e, grad_of(g)), ratio));
    }
}

/* ---- activations ---- */

/* self: grad * s * (1 + self * (1 - s)), s = sigmoid(self) */
void grad_silu(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *s = grad_functions_apply(g, OP_sigmoid, self_of(g));
        Tensor *rest = plus(g, emit_mul(g->e, self_of(g), one_minus(g, s)), 1);
        give(g, SELF, emit_mul(g->e, emit_mul(g->e, grad_of(g), s), rest));
    }
}

/* self: grad * (t + self * s * (1 - t^2)), t = tanh(log1p(exp(self))), s = sigmoid(self) */
void grad_mish(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *s = grad_functions_apply(g, OP_sigmoid, self_of(g));
        Tensor *t = grad_functions_apply(
            g, OP_tanh,
            grad_functions_apply(g, OP_log1p, grad_functions_apply(g, OP_exp, self_of(g))));
        Tensor *slope = emit_mul(e, emit_mul(e, self_of(g), s), one_minus(g, squared(g, t)));
        give_slope(g, emit_add(e, t, slope));
    }
}

/* cdf(x) + x pdf(x) of the normal distribution */
static Tensor *gelu_slope(const Grad *g, Tensor *x) {
    Tensor *cdf =
        scaled_by(g, plus(g, grad_functions_apply(g, OP_erf, scaled_by(g, x, M_SQRT1_2)), 1), 0.5);
    Tensor *pdf = scaled_by(g, grad_functions_apply(g, OP_exp, scaled_by(g, squared(g, x), -0.5)),
                            M_2_SQRTPI * M_SQRT1_2 * 0.5);
    return emit_add(g->e, cdf, emit_mul(g->e, x, pdf));
}

/* The slope of x/2 (1 + tanh(b (x + c x^3))). */
static Tensor *gelu_tanh_slope(const Grad *g, Tensor *x) {
    Emit *e = g->e;
    const double b = M_SQRT2 * M_2_SQRTPI * 0.5, c = 0.044715;
    Tensor *square = squared(g, x);
    Tensor *inner = scaled_by(g, emit_add(e, x, scaled_by(g, emit_mul(e, square, x), c)), b);
    Tensor *t = grad_functions_apply(g, OP_tanh, inner);
    Tensor *left = scaled_by(g, plus(g, t, 1), 0.5);
    Tensor *right = emit_mul(e, emit_mul(e, scaled_by(g, x, 0.5), one_minus(g, squared(g, t))),
                             scaled_by(g, plus(g, scaled_by(g, square, 3 * c), 1), b));
    return emit_add(e, left, right);
}

SELF_RULE(gelu, give_slope(g, call_pw(g->call) == PW_gelu ? gelu_slope(g, self_of(g))
                                                          : gelu_tanh_slope(g, self_of(g))))

/* self: where(x > 0, grad, grad * slope); x is self, or the result for leaky_relu_ */
static void leaky(const Grad *g, Tensor *x) {
    Tensor *answer = emit_where(g->e, test(g, OP_gt_Scalar, x, 0), grad_of(g),
                                scaled_by(g, grad_of(g), scalar_arg(g, 1)));
    give(g, SELF, linked(g, answer, x));
}
SELF_RULE(leaky_relu, leaky(g, self_of(g)))

void grad_leaky_relu_result(Grad *g) {
    if (!(scalar_arg(g, 1) >= 0)) {
        error_set(g->e->err, ERR_invalid,
                  "In-place leakyReLu backward calculation is triggered with a negative slope "
                  "which is not supported.");
    } else if (wanted(g, SELF)) {
        leaky(g, result_of(g));
    }
}

/* The slope of elu at x, its operand or its result, as an op of its own. */
static Tensor *elu_slope_at(const Grad *g, OpId id, Tensor *x) {
    const Arg *number = g->call->arg;
    return emit_op(g->e, id, 4, x, number[1].scalar, number[2].scalar, number[3].scalar);
}

/* self: where(x <= 0, grad * slope, grad * scale); slope = input_scale * alpha * scale *
 * exp(input_scale * self), or, from the result of elu_, input_scale * (result + alpha * scale) */
static void elu(const Grad *g, Tensor *x, Tensor *slope) {
    Emit *e = g->e;
    Tensor *low = emit_mul(e, grad_of(g), slope),
           *high = scaled_by(g, grad_of(g), scalar_arg(g, 2));
    give(g, SELF, grad_first(g, emit_where(e, test(g, OP_le_Scalar, x, 0), low, high), x));
}

void grad_elu(Grad *g) {
    if (wanted(g, SELF) && g->e->create_graph) {
        give_slope(g, elu_slope_at(g, OP__elu_slope, self_of(g)));
    } else if (wanted(g, SELF)) {
        double low = scalar_arg(g, 1) * scalar_arg(g, 2), input = scalar_arg(g, 3);
        elu(g, self_of(g),
            scaled_by(g, grad_functions_apply(g, OP_exp, scaled_by(g, self_of(g), input)),
                      input * low));
    }
}

void grad_elu_result(Grad *g) {
    if (!(scalar_arg(g, 1) >= 0)) {
        error_set(g->e->err, ERR_invalid,
                  "In-place elu backward calculation is triggered with a negative slope which is "
                  "not supported.");
    } else if (wanted(g, SELF) && g->e->create_graph) {
        give_slope(g, elu_slope_at(g, OP__elu_result_slope, result_of(g)));
    } else if (wanted(g, SELF)) {
        double low = scalar_arg(g, 1) * scalar_arg(g, 2);
        elu(g, result_of(g), scaled_by(g, plus(g, result_of(g), low), scalar_arg(g, 3)));
    }
}

/* self: grad * input_scale, times the slope unless self is elu's result, times self < 0: at 0 the
 * slope of the slope is 0 (elu_double_backward in FunctionsManual.cpp). */
void grad_elu_slope(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *answer = scaled_by(g, grad_of(g), scalar_arg(g, 3));
        if (g->call->op->id == OP__elu_slope) {
            answer = emit_mul(e, answer, elu_slope_at(g, OP__elu_slope, self_of(g)));
        }
        Tensor *below = emit_cast(e, test(g, OP_lt_Scalar, self_of(g), 0), grad_of(g)->dtype);
        give(g, SELF, emit_mul(e, answer, below));
    }
}

/* self: where(self * beta > threshold, grad, grad * z / (z + 1)), z = exp(self * beta) */
void grad_softplus(Grad *g) {
    if (wanted(g, SELF) && g->e->create_graph) {
        give_slope(g, emit_op(g->e, OP__softplus_slope, 3, self_of(g), g->call->arg[1].scalar,
                              g->call->arg[2].scalar));
    } else if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *scaled = scaled_by(g, self_of(g), scalar_arg(g, 1));
        Tensor *z = grad_functions_apply(g, OP_exp, scaled);
        Tensor *slope = emit_div(e, emit_mul(e, grad_of(g), z), plus(g, z, 1));
        Tensor *answer =
            emit_where(e, test(g, OP_gt_Scalar, scaled, scalar_arg(g, 2)), grad_of(g), slope);
        give(g, SELF, grad_first(g, answer, self_of(g)));
    }
}

/* self: grad * (1 - s) * s * beta, s = sigmoid(self * beta), times self * beta < threshold: at the
 * threshold itself the slope of the slope is 0 (softplus_double_backward in FunctionsManual.cpp).
 */
void grad_softplus_slope(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        double beta = scalar_arg(g, 1);
        Tensor *scaled = scaled_by(g, self_of(g), beta);
        Tensor *s = grad_functions_apply(g, OP_sigmoid, scaled);
        Tensor *answer = emit_mul(e, emit_mul(e, grad_of(g), one_minus(g, s)), s);
        Tensor *below =
            emit_cast(e, test(g, OP_lt_Scalar, scaled, scalar_arg(g, 2)), grad_of(g)->dtype);
        give(g, SELF, scaled_by(g, emit_mul(e, answer, below), beta));
    }
}

/* self: where(self < 0, 1 - r, r) * grad, r = z / (1 + z), z = exp(-|self|). That form has no
 * derivative at 0, so with create_graph the rule uses sigmoid(-self), which has the same value. The
 * layout is that of an empty_like(grad) (log_sigmoid_backward_cpu in
 * aten/src/ATen/native/Activation.cpp). */
void grad_log_sigmoid(Grad *g) {
    if (wanted(g, SELF) && g->e->create_graph) {
        Tensor *slope = grad_functions_apply(g, OP_sigmoid, emit_neg(g->e, self_of(g)));
        Tensor *answer = emit_mul(g->e, grad_of(g), row_major(g, slope));
        give(g, SELF, saving(g, answer, self_of(g)));
    } else if (wanted(g, SELF)) {
        Tensor *z = grad_functions_apply(
            g, OP_exp, emit_neg(g->e, grad_functions_apply(g, OP_abs, self_of(g))));
        Tensor *r = emit_div(g->e, z, plus(g, z, 1));
        Tensor *slope = emit_where(g->e, test(g, OP_lt_Scalar, self_of(g), 0), one_minus(g, r), r);
        give(g, SELF, emit_mul(g->e, grad_of(g), row_major(g, slope)));
    }
}

/* self: grad where lowest < self < highest or self is nan, else 0 */
static Tensor *inside(const Grad *g, double lowest, double highest) {
    Tensor *off = emit_binary(g->e, OP_logical_or, test(g, OP_le_Scalar, self_of(g), lowest),
                              test(g, OP_ge_Scalar, self_of(g), highest));
    return grad_first(g, zero_where(g, off, grad_of(g)), self_of(g));
}
/* In 1.13 hardtanh_backward has no kernel for the half types ("hardshrink_backward_cpu"). */
static Tensor *hardtanh_self(Grad *g) {
    if (dtype_bytes(tensor_arg(g, SELF)->dtype) < 4 && !since(hardtanh_bfloat16_backward)) {
        error_set(g->e->err, ERR_dtype, "\"hardtanh_backward\" not implemented for the half types");
        return NULL;
    }
    return linked(g, inside(g, scalar_arg(g, 1), scalar_arg(g, 2)), self_of(g));
}
SELF_RULE(hardtanh, give(g, SELF, hardtanh_self(g)))

/* self: where(-3 < self < 3, grad / 6, 0) */
void grad_hardsigmoid(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *on = emit_binary(g->e, OP_logical_and, test(g, OP_gt_Scalar, self_of(g), -3),
                                 test(g, OP_lt_Scalar, self_of(g), 3));
        Tensor *answer = emit_where_zero(g->e, on, scaled_by(g, grad_of(g), 1.0 / 6));
        give(g, SELF, not_again(g, grad_first(g, answer, self_of(g)), self_of(g)));
    }
}

/* self: 0 below -3, grad * (self / 3 + 0.5) up to 3, grad above; since hardswish_at_3 the ends
 * belong to the constant parts. The second derivative is where(-3 < self < 3, grad * grad_output /
 * 3, 0), and no self that is not finite reaches it (derivatives.yaml, hardswish_backward). */
void grad_hardswish(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    bool ends = since(hardswish_at_3);
    Tensor *self = self_of(g), *low = test(g, ends ? OP_le_Scalar : OP_lt_Scalar, self, -3),
           *below = test(g, ends ? OP_lt_Scalar : OP_le_Scalar, self, 3), *answer;
    if (e->create_graph) {
        Tensor *inside = emit_binary(e, OP_logical_and, test(g, OP_gt_Scalar, self, -3),
                                     test(g, OP_lt_Scalar, self, 3));
        Tensor *x = emit_where(e, inside, self, emit_unary(e, OP_detach, self));
        Tensor *ramp = plus(g, emit_scalar(e, OP_div_Scalar, x, scalar_int(3)), 0.5);
        Tensor *middle = emit_binary(e, OP_logical_and, below, emit_unary(e, OP_logical_not, low));
        Tensor *slope = emit_op(e, OP_where_ScalarOther, 3, middle, ramp, scalar_int(1));
        answer = emit_mul(e, grad_of(g), slope);
    } else {
        Tensor *ramp = plus(g, emit_scalar(e, OP_div_Scalar, self, scalar_int(3)), 0.5);
        answer = emit_where(e, below, emit_mul(e, grad_of(g), ramp), grad_of(g));
    }
    give(g, SELF, saving(g, grad_first(g, zero_where(g, low, answer), self), self));
}

/* self: 0 where self <= threshold, else grad */
SELF_RULE(
    threshold,
    give(g, SELF,
         linked(g,
                zero_where(g, emit_scalar(g->e, OP_le_Scalar, self_of(g), g->call->arg[1].scalar),
                           grad_of(g)),
                self_of(g))))
