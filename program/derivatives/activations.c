/* Derivatives of activations, as in derivatives.yaml. Where the program can observe strides or
 * takes a second derivative, a rule is one internal op, like PyTorch's X_backward. */
#include "program/infer/infer.h"
#include "program/derivatives/functions.h"
#include "program/semantics/semantics.h"

#include <math.h>

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

/* pdf(x) of the normal distribution, by x^2 */
static Tensor *normal_pdf(const Grad *g, Tensor *square) {
    return scaled_by(g, grad_functions_apply(g, OP_exp, scaled_by(g, square, -0.5)),
                     M_2_SQRTPI * M_SQRT1_2 * 0.5);
}

/* cdf(x) + x pdf(x) of the normal distribution */
static Tensor *gelu_slope(const Grad *g, Tensor *x) {
    if (g->e->create_graph) {
        return emit_unary(g->e, OP__gelu_slope, x);
    }
    Tensor *cdf =
        scaled_by(g, plus(g, grad_functions_apply(g, OP_erf, scaled_by(g, x, M_SQRT1_2)), 1), 0.5);
    return emit_add(g->e, cdf, emit_mul(g->e, x, normal_pdf(g, squared(g, x))));
}

/* self: grad * (2 pdf - self^2 pdf), nan where self^2 overflows (gelu_double_backward in
 * FunctionsManual.cpp) */
void grad_gelu_slope(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *square = squared(g, self_of(g)), *pdf = normal_pdf(g, square);
        Tensor *slope = emit_sub(g->e, scaled_by(g, pdf, 2), emit_mul(g->e, square, pdf));
        give(g, SELF, emit_mul(g->e, grad_of(g), slope));
    }
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
static Tensor *leaky(const Grad *g, Tensor *x, Scalar slope) {
    return g->e->in_program ? emit_op(g->e, OP__leaky_relu_backward, 3, grad_of(g), x, slope)
                            : emit_where(g->e, test(g, OP_gt_Scalar, x, 0), grad_of(g),
                                         emit_scalar(g->e, OP_mul_Scalar, grad_of(g), slope));
}
SELF_RULE(leaky_relu, give(g, SELF, leaky(g, self_of(g), g->call->arg[1].scalar)))

/* rrelu without training */
SELF_RULE(rrelu, give(g, SELF, leaky(g, self_of(g), g->call->arg[2].scalar)))

/* self: noise * grad, whose own derivative with respect to self is zeros */
SELF_RULE(rrelu_train,
          give(g, SELF, linked(g, emit_mul(g->e, tensor_arg(g, 2), grad_of(g)), self_of(g))))

/* grad: as the op; self: zeros */
void grad_leaky_relu_backward(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, leaky(g, tensor_arg(g, 1), g->call->arg[2].scalar));
    }
    if (wanted(g, 1)) {
        give(g, 1, zero_grad(g));
    }
}

void grad_leaky_relu_result(Grad *g) {
    if (!(scalar_arg(g, 1) >= 0)) {
        error_set(g->e->err, ERR_invalid,
                  "In-place leakyReLu backward calculation is triggered with a negative slope "
                  "which is not supported.");
    } else if (wanted(g, SELF)) {
        give(g, SELF, leaky(g, result_of(g), g->call->arg[1].scalar));
    }
}

/* The gradient of a kernel that rounds its products one by one, and whose derivative PyTorch takes
 * as that of grad * slope: `value` was computed from operands without a history. */
static Tensor *by_slope(const Grad *g, Tensor *slope, Tensor *value) {
    return emit_op(g->e, OP__by_slope, 3, grad_of(g), slope, value);
}

/* grad * (1 - output * output); grad * (1 - output) * output: nodes of their own, whose derivative
 * is not that of these products. */
static Tensor *tanh_backward(const Grad *g, Tensor *grad, Tensor *output) {
    Tensor *factor = without_history(g, grad), *y = without_history(g, output);
    Tensor *value = emit_mul(g->e, factor, one_minus(g, emit_mul(g->e, y, y)));
    return g->e->create_graph ? emit_op(g->e, OP__tanh_backward, 3, grad, output, value) : value;
}
static Tensor *sigmoid_backward(const Grad *g, Tensor *grad, Tensor *output) {
    Tensor *factor = without_history(g, grad), *y = without_history(g, output);
    Tensor *value = emit_mul(g->e, emit_mul(g->e, factor, one_minus(g, y)), y);
    return g->e->create_graph ? emit_op(g->e, OP__sigmoid_backward, 3, grad, output, value) : value;
}
SELF_RULE(tanh, give(g, SELF, tanh_backward(g, grad_of(g), result_of(g))))
SELF_RULE(sigmoid, give(g, SELF, sigmoid_backward(g, grad_of(g), result_of(g))))

/* grad: as the op; output: its gradient * (-2 * output * grad) (derivatives.yaml) */
void grad_tanh_backward(Grad *g) {
    Tensor *grad = tensor_arg(g, 0), *output = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, tanh_backward(g, grad_of(g), output));
    }
    if (wanted(g, 1)) {
        Tensor *slope = emit_mul(g->e, scaled_by(g, output, -2), grad);
        give(g, 1, emit_mul(g->e, grad_of(g), slope));
    }
}

/* grad: as the op; output: its gradient * grad * (-2 * output + 1) (derivatives.yaml) */
void grad_sigmoid_backward(Grad *g) {
    Tensor *grad = tensor_arg(g, 0), *output = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, sigmoid_backward(g, grad_of(g), output));
    }
    if (wanted(g, 1)) {
        Tensor *slope = plus(g, scaled_by(g, output, -2), 1);
        give(g, 1, emit_mul(g->e, emit_mul(g->e, grad_of(g), grad), slope));
    }
}

/* The slope of elu at x, its operand or its result, as an op of its own. */
static Tensor *elu_slope_at(const Grad *g, OpId id, Tensor *x) {
    const Arg *number = g->call->arg;
    return emit_op(g->e, id, 4, x, number[1].scalar, number[2].scalar, number[3].scalar);
}

/* where(x <= 0, low, grad * scale); low = grad * input_scale * (alpha * scale) * exp(input_scale *
 * x), or, if x is the result of elu_, grad * input_scale * (x + alpha * scale), multiplied from
 * left to right; half types in float32 (elu_backward_kernel in Activation.cpp) */
static Tensor *elu(const Grad *g, Tensor *grad, Tensor *x, bool is_result) {
    DType dtype = x->dtype, wide = dtype_bytes(dtype) < 4 ? DT_float32 : dtype;
    Tensor *narrow[2] = {grad, x};
    grad = emit_cast(g->e, grad, wide);
    x = emit_cast(g->e, x, wide);
    double input = scalar_arg(g, 3), factor = scalar_arg(g, 1) * scalar_arg(g, 2);
    Tensor *low = scaled_by(g, grad, input);
    low = is_result ? emit_mul(g->e, low, plus(g, x, factor))
                    : emit_mul(g->e, scaled_by(g, low, factor),
                               grad_functions_apply(g, OP_exp, scaled_by(g, x, input)));
    Tensor *high = scaled_by(g, grad, scalar_arg(g, 2));
    Tensor *value = emit_where(g->e, test(g, OP_le_Scalar, x, 0), low, high);
    return in_order(g, emit_cast(g->e, value, dtype), narrow[0], narrow[1]);
}

static void give_elu(const Grad *g, Tensor *x, OpId slope, bool is_result) {
    Tensor *value = elu(g, without_history(g, grad_of(g)), without_history(g, x), is_result);
    give(g, SELF, g->e->create_graph ? by_slope(g, elu_slope_at(g, slope, x), value) : value);
}
SELF_RULE(elu, give_elu(g, self_of(g), OP__elu_slope, false))

/* As elu, with 1 / alpha computed in float32 numbers (derivatives.yaml: 1.0/alpha.toFloat()). */
static void grad_activations_celu(Grad *g, void (*rule)(Grad *g)) {
    Call call;
    call_copy(&call, g->call);
    call.arg[3].scalar = scalar_float(1.0 / (double)(float)scalar_to_double(call.arg[1].scalar));
    Grad inner = *g;
    inner.call = &call;
    rule(&inner);
}
void grad_celu(Grad *g) { grad_activations_celu(g, grad_elu); }
void grad_celu_result(Grad *g) { grad_activations_celu(g, grad_elu_result); }

void grad_elu_result(Grad *g) {
    if (!(scalar_arg(g, 1) >= 0)) {
        error_set(g->e->err, ERR_invalid,
                  "In-place elu backward calculation is triggered with a negative slope which is "
                  "not supported.");
    } else if (wanted(g, SELF)) {
        give_elu(g, result_of(g), OP__elu_result_slope, true);
    }
}

/* self: grad * input_scale, or elu's gradient for that unless self is elu's result, times self < 0:
 * at 0 the slope of the slope is 0 (elu_double_backward in FunctionsManual.cpp). */
void grad_elu_slope(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *answer = scaled_by(g, grad_of(g), scalar_arg(g, 3));
        if (g->call->op->id == OP__elu_slope) {
            answer = elu(g, answer, self_of(g), false);
        }
        Tensor *below = emit_cast(e, test(g, OP_lt_Scalar, self_of(g), 0), grad_of(g)->dtype);
        give(g, SELF, emit_mul(e, answer, below));
    }
}

/* self: where(self * beta > threshold, grad, grad * z / (z + 1)), z = exp(self * beta); half types
 * in float32, where z does not overflow */
void grad_softplus(Grad *g) {
    if (!wanted(g, SELF)) {
        return;
    }
    Emit *e = g->e;
    const Arg *number = g->call->arg;
    Tensor *self = self_of(g);
    DType dtype = self->dtype, wide = dtype_bytes(dtype) < 4 ? DT_float32 : dtype;
    Tensor *grad = emit_cast(e, without_history(g, grad_of(g)), wide);
    Tensor *x = emit_cast(e, without_history(g, self), wide);
    Tensor *scaled = scaled_by(g, x, scalar_arg(g, 1));
    Tensor *z = grad_functions_apply(g, OP_exp, scaled);
    Tensor *value = emit_where(e, test(g, OP_gt_Scalar, scaled, scalar_arg(g, 2)), grad,
                               emit_div(e, emit_mul(e, grad, z), plus(g, z, 1)));
    value = emit_cast(e, value, dtype);
    give(g, SELF,
         e->create_graph
             ? by_slope(g,
                        emit_op(e, OP__softplus_slope, 3, self, number[1].scalar, number[2].scalar),
                        value)
             : grad_first(g, value, self));
}

/* grad: grad * slope; slope: grad * grad */
void grad_by_slope(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, emit_mul(g->e, grad_of(g), tensor_arg(g, 1)));
    }
    if (wanted(g, 1)) {
        give(g, 1, emit_mul(g->e, grad_of(g), tensor_arg(g, 0)));
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

/* where(x < 0, 1 - r, r) * grad, r = z / (1 + z), z = exp(-|x|); a node of its own, with the layout
 * of an empty_like(grad) (log_sigmoid_backward_cpu in aten/src/ATen/native/Activation.cpp). */
static Tensor *log_sigmoid_backward(const Grad *g, Tensor *grad, Tensor *x) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *at = without_history(g, x);
    Tensor *z = grad_functions_apply(g, OP_exp, emit_neg(e, grad_functions_apply(g, OP_abs, at)));
    Tensor *r = emit_div(e, z, plus(g, z, 1));
    Tensor *slope = emit_where(e, test(g, OP_lt_Scalar, at, 0), one_minus(g, r), r);
    Tensor *value = emit_mul(e, factor, row_major(g, slope));
    return e->in_program ? emit_op(e, OP__log_sigmoid_backward, 3, grad, x, value) : value;
}
SELF_RULE(log_sigmoid, give(g, SELF, log_sigmoid_backward(g, grad_of(g), self_of(g))))

/* grad: as the op; self: grad * grad_output * (s - 1) * s, s = sigmoid(self)
 * (log_sigmoid_double_backward in FunctionsManual.cpp) */
void grad_log_sigmoid_backward(Grad *g) {
    Tensor *grad = tensor_arg(g, 0), *x = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, log_sigmoid_backward(g, grad_of(g), x));
    }
    if (wanted(g, 1)) {
        Tensor *s = grad_functions_apply(g, OP_sigmoid, x);
        Tensor *product = emit_mul(g->e, emit_mul(g->e, grad_of(g), grad), plus(g, s, -1));
        give(g, 1, emit_mul(g->e, product, s));
    }
}

/* The gradient where not lowest >= x and not x >= highest, else 0 (nan passes it) */
static Tensor *inside(const Grad *g, Tensor *x, Scalar lowest, Scalar highest) {
    Emit *e = g->e;
    if (e->in_program) {
        return emit_op(e, OP__hardtanh_backward, 4, grad_of(g), x, lowest, highest);
    }
    Tensor *above = emit_scalar(e, OP_ge_Scalar, x, highest),
           *below = emit_scalar(e, OP_le_Scalar, x, lowest);
    Tensor *off = emit_binary(e, OP_logical_or, below, above);
    return emit_masked_fill(e, grad_of(g), off, scalar_int(0));
}
/* In 1.13 hardtanh_backward has no kernel for the half types ("hardshrink_backward_cpu"). */
static Tensor *hardtanh_self(Grad *g) {
    if (dtype_bytes(tensor_arg(g, SELF)->dtype) < 4 && !since(hardtanh_bfloat16_backward)) {
        error_set(g->e->err, ERR_dtype, "\"hardtanh_backward\" not implemented for the half types");
        return NULL;
    }
    return inside(g, self_of(g), g->call->arg[1].scalar, g->call->arg[2].scalar);
}
SELF_RULE(hardtanh, give(g, SELF, hardtanh_self(g)))

/* grad: as the op; self: zeros */
void grad_hardtanh_backward(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, 0)) {
        give(g, 0, inside(g, tensor_arg(g, 1), arg[2].scalar, arg[3].scalar));
    }
    if (wanted(g, 1)) {
        give(g, 1, zero_grad(g));
    }
}

/* self: where(-3 < self < 3, grad * (1 / 6 as a float32), 0) (hardsigmoid_backward_kernel in
 * aten/src/ATen/native/cpu/Activation.cpp: `const scalar_t one_sixth(1.0f / 6.0f)`) */
void grad_hardsigmoid(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *on = emit_binary(g->e, OP_logical_and, test(g, OP_gt_Scalar, self_of(g), -3),
                                 test(g, OP_lt_Scalar, self_of(g), 3));
        Tensor *answer = emit_where_zero(g->e, on, scaled_by(g, grad_of(g), (double)(1.0F / 6.0F)));
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
        answer = filled_with_zero(g, low, emit_mul(e, grad_of(g), slope));
    } else {
        Tensor *ramp = plus(g, emit_scalar(e, OP_div_Scalar, self, scalar_int(3)), 0.5);
        answer = emit_where(e, below, emit_mul(e, grad_of(g), ramp), grad_of(g));
        answer = grad_first(g, zero_where(g, low, answer), self);
    }
    give(g, SELF, saving(g, answer, self));
}

/* 0 where x <= threshold, else the gradient (nan passes it) */
Tensor *gradient_above(const Grad *g, Tensor *x, Scalar threshold) {
    Emit *e = g->e;
    return e->in_program
               ? emit_op(e, OP__threshold_backward, 3, grad_of(g), x, threshold)
               : emit_masked_fill(e, grad_of(g), emit_scalar(e, OP_le_Scalar, x, threshold),
                                  scalar_int(0));
}
SELF_RULE(threshold, give(g, SELF, gradient_above(g, self_of(g), g->call->arg[1].scalar)))

/* grad: as the op; self: zeros */
void grad_threshold_backward(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, gradient_above(g, tensor_arg(g, 1), g->call->arg[2].scalar));
    }
    if (wanted(g, 1)) {
        give(g, 1, zero_grad(g));
    }
}
