/* Derivatives of inverse hyperbolic functions, shrink functions, logit and special functions
 * (derivatives.yaml and FunctionsManual.cpp), one formula for each rule. */
#include "program/derivatives/functions.h"
#include "program/semantics/semantics.h"

#include <math.h>

static Tensor *special_square(const Grad *g) {
    return emit_scalar(g->e, OP_pow_Tensor_Scalar, self_of(g), scalar_int(2));
}

/* self: grad * rsqrt(self^2 + 1); acosh: grad * rsqrt(self * self - 1) */
SELF_RULE(asinh, give_slope(g, grad_functions_apply(g, OP_rsqrt, plus(g, special_square(g), 1))))
SELF_RULE(acosh,
          give_slope(g, grad_functions_apply(g, OP_rsqrt, plus(g, squared(g, self_of(g)), -1))))
/* self: grad * 1 / (1 - self^2) */
SELF_RULE(atanh, give(g, SELF,
                      emit_div(g->e, emit_scalar(g->e, OP_mul_Scalar, grad_of(g), scalar_int(1)),
                               one_minus(g, special_square(g)))))

/* asinh_, acosh_, atanh_ */
void grad_refused_in_place(Grad *g) {
    if (wanted(g, SELF)) {
        error_set(g->e->err, ERR_invalid, "the derivative for '%s' is not implemented.",
                  g->call->op->name);
    }
}

/* self: where(self^2 pi == 0, 0, grad * (self pi cos(self pi) - sin(self pi)) / (self^2 pi)) */
SELF_RULE(sinc, {
    Emit *e = g->e;
    Tensor *turned = scaled_by(g, self_of(g), M_PI);
    Tensor *square = scaled_by(g, squared(g, self_of(g)), M_PI);
    Tensor *sine = emit_unary(e, OP_sin, turned);
    Tensor *slope = emit_sub(e, emit_mul(e, turned, emit_unary(e, OP_cos, turned)), sine);
    Tensor *answer = emit_mul(e, grad_of(g), emit_div(e, slope, square));
    Tensor *zero = emit_full(e, NULL, 0, scalar_int(0), grad_of(g)->dtype);
    give(g, SELF, emit_where(e, test(g, OP_eq_Scalar, square, 0), zero, answer));
})

/* self: sqrt(pi) / 2 * exp(erfinv(self)^2) * grad */
SELF_RULE(erfinv, {
    Tensor *square = emit_scalar(g->e, OP_pow_Tensor_Scalar,
                                 emit_unary(g->e, OP_erfinv, self_of(g)), scalar_int(2));
    Tensor *slope = scaled_by(g, emit_unary(g->e, OP_exp, square), M_PI_4 * M_2_SQRTPI);
    give(g, SELF, emit_mul(g->e, slope, grad_of(g)));
})

/* grad * wrapped_scalar_tensor(factor): a tensor for mul, which 1.13 saves as one
 * (rad2deg_backward in torch/csrc/autograd/FunctionsManual.cpp). */
static Tensor *scaled_by_tensor(const Grad *g, Tensor *grad, double factor) {
    bool outer = g->e->in_formula;
    g->e->in_formula = outer && since(number_stays_a_number);
    Tensor *product = scaled_by(g, grad, factor);
    g->e->in_formula = outer;
    return product;
}

/* self: grad times the factor */
SELF_RULE(rad2deg, give(g, SELF, scaled_by_tensor(g, grad_of(g), 57.29577951308232)))
SELF_RULE(deg2rad, give(g, SELF, scaled_by_tensor(g, grad_of(g), 0.017453292519943295)))

/* self: zeros like self */
SELF_RULE(angle, give(g, SELF, zeros_like(g, self_of(g))))

/* self: grad / (1 + exp(other - self)), and the other way round; logaddexp2: with 2 as base */
static void give_share(const Grad *g, bool base_2) {
    Emit *e = g->e;
    for (int p = SELF; p <= OTHER; p++) {
        if (wanted(g, p)) {
            Tensor *apart = emit_sub(e, tensor_arg(g, OTHER - p), tensor_arg(g, p));
            Tensor *power = base_2 ? emit_op(e, OP_pow_Scalar, 2, scalar_int(2), apart)
                                   : emit_unary(e, OP_exp, apart);
            give(g, p,
                 emit_div(e, grad_of(g), emit_scalar(e, OP_add_Scalar, power, scalar_int(1))));
        }
    }
}
void grad_logaddexp(Grad *g) { give_share(g, false); }
void grad_logaddexp2(Grad *g) { give_share(g, true); }

/* self: grad / (self (1 - self)) between the bounds; beyond eps 0, beyond 0 and 1 nan */
SELF_RULE(logit, {
    Emit *e = g->e;
    const Arg *eps = &g->call->arg[1];
    Tensor *self = self_of(g);
    if (!e->create_graph) {
        Call c = call_new(OP__logit_backward);
        c.arg[0].tensor = grad_of(g);
        c.arg[1].tensor = self;
        c.arg[2] = *eps;
        Tensor *out[MAX_OUTPUTS];
        int n;
        give(g, SELF, emit_call(e, &c, out, &n) == ERR_none ? out[0] : NULL);
        return;
    }
    double low = eps->none ? 0 : eps->f;
    double high = eps->none ? 1 : 1 - eps->f;
    Tensor *inside = emit_binary(e, OP_logical_and, test(g, OP_ge_Scalar, self, low),
                                 test(g, OP_le_Scalar, self, high));
    Tensor *slope = emit_div(e, grad_of(g), emit_mul(e, self, one_minus(g, self)));
    Scalar beyond = eps->none ? scalar_float(NAN) : scalar_int(0);
    give(g, SELF, emit_where(e, inside, slope, emit_full(e, NULL, 0, beyond, self->dtype)));
})

/* self: 0 where -lambd <= self <= lambd, else grad */
static Tensor *shrink(const Grad *g, Tensor *x, Scalar lambda) {
    return emit_op(g->e, OP__shrink_backward, 3, grad_of(g), x, lambda);
}
SELF_RULE(shrink, give(g, SELF, shrink(g, self_of(g), g->call->arg[1].scalar)))

/* grad: as the op; self: zeros */
void grad_shrink_backward(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, shrink(g, tensor_arg(g, 1), g->call->arg[2].scalar));
    }
    if (wanted(g, 1)) {
        give(g, 1, zero_grad(g));
    }
}

/* self: grad * -(1 + log(self)) */
SELF_RULE(entr, give_slope(g, emit_neg(g->e, emit_scalar(g->e, OP_add_Scalar,
                                                         emit_unary(g->e, OP_log, self_of(g)),
                                                         scalar_int(1)))))

/* self: xlog1py(grad, other), 0 where self = 0 and other <= -1; other: grad * self / (other + 1) */
void grad_xlog1py(Grad *g) {
    Emit *e = g->e;
    bool self_scalar = g->call->op->id == OP_special_xlog1py_self_scalar;
    bool other_scalar = g->call->op->id == OP_special_xlog1py_other_scalar;
    if (wanted(g, SELF)) {
        Tensor *zero = test(g, OP_eq_Scalar, self_of(g), 0), *answer;
        if (other_scalar) {
            Scalar other = g->call->arg[OTHER].scalar;
            answer = emit_scalar(e, OP_special_xlog1py_other_scalar, grad_of(g), other);
            answer = scalar_to_double(other) > -1
                         ? answer
                         : emit_masked_fill(e, answer, zero, scalar_int(0));
        } else {
            Tensor *other = tensor_arg(g, OTHER);
            zero = emit_binary(e, OP_logical_and, zero, test(g, OP_le_Scalar, other, -1));
            answer = emit_masked_fill(e, emit_binary(e, OP_special_xlog1py, grad_of(g), other),
                                      zero, scalar_int(0));
        }
        give(g, SELF, answer);
    }
    if (wanted(g, OTHER)) {
        Tensor *product = self_scalar
                              ? emit_scalar(e, OP_mul_Scalar, grad_of(g), g->call->arg[SELF].scalar)
                              : emit_mul(e, grad_of(g), self_of(g));
        Tensor *divisor = emit_scalar(e, OP_add_Scalar, tensor_arg(g, OTHER), scalar_int(1));
        give(g, OTHER, emit_div(e, product, divisor));
    }
}

/* self: grad * sigmoid(other); other: grad * self * sigmoid(other) * (1 - sigmoid(other)) */
void grad_glu(Grad *g) {
    Emit *e = g->e;
    Tensor *gate = emit_unary(e, OP_sigmoid, tensor_arg(g, OTHER));
    if (wanted(g, SELF)) {
        give(g, SELF, emit_mul(e, gate, grad_of(g)));
    }
    if (wanted(g, OTHER)) {
        Tensor *slope = emit_mul(e, one_minus(g, gate), gate);
        give(g, OTHER, emit_mul(e, emit_mul(e, slope, grad_of(g)), self_of(g)));
    }
}
