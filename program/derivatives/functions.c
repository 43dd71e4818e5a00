/* Derivatives of mathematical functions (derivatives.yaml and FunctionsManual.cpp), one formula for
 * each rule. */
#include "program/infer/infer.h"
#include "program/derivatives/functions.h"
#include "program/ops/missing.h"
#include "program/semantics/semantics.h"

#include <math.h>

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
        give_slope(g, filled_with_zero(g, test(g, OP_eq_Scalar, self_of(g), 0), ratio));
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
void grad_not_implemented(Grad *g) { derivative_missing(g->call->op, g->e->err); }

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

/* grad * mask * scale (native_dropout_backward in aten/src/ATen/native/Dropout.cpp, and
 * infinitely_differentiable_native_dropout_backward) */
void grad_native_dropout(Grad *g) {
    Emit *e = g->e;
    Tensor *mask = tensor_arg(g, 2);
    Scalar scale = scalar_float(g->call->arg[3].f);
    if (wanted(g, SELF)) {
        give(g, SELF,
             e->create_graph ? emit_mul(e, grad_of(g), emit_scalar(e, OP_mul_Scalar, mask, scale))
                             : emit_scalar(e, OP_mul_Scalar, emit_mul(e, grad_of(g), mask), scale));
    }
}
