/* Derivatives of variances, norms and log-sum-exp ops, following
 * torch/csrc/autograd/FunctionsManual.cpp. Its masks determine the results at 0, at infinity and
 * for a single element. */
#include "program/infer/infer.h"
#include "program/derivatives/derivatives.h"
#include "program/semantics/semantics.h"

#include <math.h>

enum { SELF = 0 };

/* The dims that the call reduces, as a bit set over the dims of self. */
static unsigned grad_stat_dims_of(const Grad *g) {
    unsigned set = 0;
    (void)reduced_dims(g->call, tensor_arg(g, SELF)->ndim, &set, g->e->err);
    return set;
}

/* `t`, which has the size of the result, with the reduced dims restored as 1. */
static Tensor *with_dims(const Grad *g, Tensor *t) {
    const Tensor *self = tensor_arg(g, SELF);
    unsigned set = grad_stat_dims_of(g);
    int64_t size[MAX_DIMS];
    for (int d = 0; d < self->ndim; d++) {
        size[d] = set >> d & 1 ? 1 : self->size[d];
    }
    return t && !sizes_equal(t->size, t->ndim, size, self->ndim)
               ? emit_view(g->e, t, size, self->ndim)
               : t;
}

/* The number of elements that reduce to one, and the reduced dims as a list. */
static int64_t set_count(const Grad *g, int64_t *dims, int *n) {
    const Tensor *self = tensor_arg(g, SELF);
    unsigned set = grad_stat_dims_of(g);
    int64_t count = 1;
    *n = 0;
    for (int d = 0; d < self->ndim; d++) {
        if (set >> d & 1) {
            count *= self->size[d];
            dims[(*n)++] = d;
        }
    }
    return count;
}

/* The slope of a variance without a degree of freedom: where(self == mean, nan, inf) */
static Tensor *no_freedom(const Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF),
           *flat = emit_binary(e, OP_eq_Tensor, self, emit_unary(e, OP_mean, self));
    Tensor *inf = emit_full(e, NULL, 0, scalar_float(INFINITY), self->dtype);
    return emit_where(e, flat, emit_full(e, NULL, 0, scalar_float(NAN), self->dtype), inf);
}

/* var_backward: grad * 2 / (count - correction) * (self - mean) */
static void give_variance(Grad *g, Tensor *grad) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF);
    const Arg *dim = &g->call->arg[1];
    double correction = g->call->arg[2].none ? 1 : (double)g->call->arg[2].i;
    int64_t dims[MAX_DIMS];
    int n;
    double count = (double)set_count(g, dims, &n);
    if (!dim->none && dim->ints.n == 0) {
        count = 1; /* PyTorch multiplies the sizes of the listed dims: an empty product */
    }
    if (self->ndim == 0 || dim->none) {
        if (count == correction ? since(var_of_one) : count < correction && since(var_of_few)) {
            give(g, SELF, emit_mul(e, grad, no_freedom(g)));
            return;
        }
        if (count == correction) {
            give(g, SELF, emit_scalar(e, OP_mul_Scalar, grad, scalar_float(INFINITY)));
            return;
        }
        Tensor *apart = emit_sub(e, self, emit_unary(e, OP_mean, self));
        give(g, SELF,
             emit_mul(e,
                      emit_scalar(e, OP_mul_Scalar, grad, scalar_float(2 / (count - correction))),
                      apart));
        return;
    }
    Tensor *apart = emit_sub(e, self, emit_op(e, OP_mean_dim, 3, self, dims, n, 1));
    give(g, SELF,
         emit_mul(e,
                  emit_scalar(e, OP_mul_Scalar, with_dims(g, grad),
                              scalar_float(2 / (count - correction))),
                  apart));
}

/* self: var_backward(grad) */
void grad_var(Grad *g) {
    if (wanted(g, SELF)) {
        give_variance(g, grad_of(g));
    }
}

/* self: var_backward(grad / (2 result), 0 where the result is 0) */
void grad_std(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *ratio =
            emit_div(e, grad_of(g), emit_scalar(e, OP_mul_Scalar, result_of(g), scalar_int(2)));
        give_variance(g, emit_masked_fill(e, ratio,
                                          emit_scalar(e, OP_eq_Scalar, result_of(g), scalar_int(0)),
                                          scalar_int(0)));
    }
}

static Tensor *grad_stat_power(Emit *e, Tensor *a, double p) {
    return emit_scalar(e, OP_pow_Tensor_Scalar, a, scalar_float(p));
}

/* norm_backward; p = 0 has no gradient */
void grad_norm(Grad *g) {
    double p = g->call->arg[1].none ? 2 : scalar_to_double(g->call->arg[1].scalar);
    if (!wanted(g, SELF) || p == 0) {
        return;
    }
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, SELF), *grad = with_dims(g, grad_of(g)),
           *norm = with_dims(g, result_of(g));
    Tensor *sign = emit_unary(e, e->create_graph ? OP__sgn : OP_sign, self),
           *size = emit_unary(e, OP_abs, self);
    if (p == 1) {
        give(g, SELF, emit_mul(e, sign, grad));
        return;
    }
    Tensor *flat = emit_scalar(e, OP_eq_Scalar, norm, scalar_int(0));
    if (p == 2) {
        give(g, SELF, emit_mul(e, grad, filled_with_zero(g, flat, emit_div(e, self, norm))));
        return;
    }
    if (isinf(p)) {
        int64_t dims[MAX_DIMS];
        int n;
        (void)set_count(g, dims, &n);
        Tensor *nans = emit_unary(e, OP_isnan, size);
        Tensor *mask =
            emit_binary(e, OP_logical_or, emit_binary(e, OP_eq_Tensor, size, norm), nans);
        Tensor *ties =
            self->ndim > 0 ? emit_sum_dims(e, mask, dims, n, true) : emit_unary(e, OP_sum, mask);
        give(g, SELF, emit_mul(e, sign, emit_mul(e, emit_div(e, grad, ties), mask)));
        return;
    }
    if (p < 1) {
        Tensor *zero = emit_scalar(e, OP_eq_Scalar, self, scalar_int(0));
        Tensor *scaled =
            emit_mul(e, sign, filled_with_zero(g, zero, grad_stat_power(e, size, p - 1)));
        give(g, SELF, emit_mul(e, emit_mul(e, scaled, grad), grad_stat_power(e, norm, 1 - p)));
        return;
    }
    Tensor *scaled = p < 2 ? emit_mul(e, sign, grad_stat_power(e, size, p - 1))
                           : emit_mul(e, self, grad_stat_power(e, size, p - 2));
    Tensor *scale = filled_with_zero(g, flat, emit_div(e, grad, grad_stat_power(e, norm, p - 1)));
    give(g, SELF, emit_mul(e, scaled, scale));
}

/* self: grad * exp(self - result) */
void grad_logsumexp(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *apart = emit_sub(e, tensor_arg(g, SELF), with_dims(g, result_of(g)));
        give(g, SELF, emit_mul(e, with_dims(g, grad_of(g)), emit_unary(e, OP_exp, apart)));
    }
}

/* grad - exp(output) * sum(grad, dim, keepdim), row-major: a node of its own. Of nothing PyTorch
 * calls no kernel; exp has none for float16. */
static Tensor *log_softmax_backward(const Grad *g, Tensor *grad, Tensor *output, int64_t dim) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *value;
    if (factor && tensor_numel(factor) == 0) {
        value = e->in_program ? emit_unary(e, OP__contiguous_copy, factor) : factor;
    } else {
        Tensor *sum = emit_sum_dims(e, factor, &dim, 1, true);
        Tensor *slope = emit_unary(e, OP_exp, without_history(g, output));
        value = row_major(g, emit_sub(e, factor, emit_mul(e, slope, sum)));
    }
    return e->create_graph ? emit_op(e, OP__log_softmax_backward, 4, grad, output, value, dim)
                           : value;
}

void grad_log_softmax(Grad *g) {
    if (wanted(g, SELF)) {
        give(g, SELF, log_softmax_backward(g, grad_of(g), result_of(g), g->call->arg[1].i));
    }
}

/* grad: T - sum(T * exp(output)), where T is its gradient; output: -sum(grad) * exp(output) * T
 * (derivatives.yaml) */
void grad_log_softmax_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, 0), *output = tensor_arg(g, 1), *tangent = grad_of(g);
    int64_t dim = g->call->arg[3].i;
    if (wanted(g, 0)) {
        Tensor *product = emit_mul(e, tangent, emit_unary(e, OP_exp, output));
        give(g, 0, emit_sub(e, tangent, emit_sum_dims(e, product, &dim, 1, true)));
    }
    if (wanted(g, 1)) {
        Tensor *sum = emit_neg(e, emit_sum_dims(e, grad, &dim, 1, true));
        give(g, 1, emit_mul(e, emit_mul(e, sum, emit_unary(e, OP_exp, output)), tangent));
    }
}

static double grad_stat_lowest_of(DType dtype) { return -dtype_largest(dtype); }

/* exp(self + log of the suffix sum of exp(log(part) - result)), over elements with part > 0. */
static Tensor *one_sign(Grad *g, Tensor *part) {
    Emit *e = g->e;
    int64_t dim = g->call->arg[1].i;
    if (!part) {
        return NULL;
    }
    Tensor *lowest = emit_full(e, part->size, part->ndim,
                               scalar_float(grad_stat_lowest_of(part->dtype)), part->dtype);
    Tensor *log = emit_unary(e, OP_log, part);
    log = emit_where(e, emit_scalar(e, OP_gt_Scalar, part, scalar_int(0)), log, lowest);
    Tensor *turned = emit_op(e, OP_flip, 2, emit_sub(e, log, result_of(g)), &dim, 1);
    Tensor *sum = emit_op(e, OP_flip, 2, emit_op(e, OP_logcumsumexp, 2, turned, dim), &dim, 1);
    return emit_unary(e, OP_exp, emit_add(e, sum, tensor_arg(g, SELF)));
}

/* self: logcumsumexp_backward: positive and negative gradients separately, as logarithms */
void grad_logcumsumexp(Grad *g) {
    if (wanted(g, SELF)) {
        Tensor *grad = grad_of(g);
        bool direct = grad->ndim == 0 || tensor_numel(grad) == 0;
        if (!direct && grad->dtype == DT_float16 && !since(half_logcumsumexp_backward)) {
            error_set(g->e->err, ERR_dtype, "\"logcumsumexp_backward\" not implemented for 'Half'");
            return;
        }
        give(g, SELF,
             direct ? grad : emit_sub(g->e, one_sign(g, grad), one_sign(g, emit_neg(g->e, grad))));
    }
}

/* self: grad where self is not nan, grad * 0 where it is */
void grad_nansum(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        Tensor *number =
            emit_unary(e, OP_logical_not, emit_unary(e, OP_isnan, tensor_arg(g, SELF)));
        Tensor *self = tensor_arg(g, SELF);
        Tensor *grad = with_dims(g, emit_cast(e, grad_of(g), self->dtype));
        if (e->in_program) { /* whose layout takes part in that of the product */
            grad = emit_expand(e, grad, self->size, self->ndim);
        }
        give(g, SELF, emit_mul(e, grad, number));
    }
}

/* self: zeros with grad on the diagonal. PyTorch steps by columns + 1, before trace_gradient to the
 * end of the storage: there the diagonal of a matrix with more rows than columns wraps around. */
void grad_trace(Grad *g) {
    if (wanted(g, SELF)) {
        Emit *e = g->e;
        const Tensor *self = tensor_arg(g, SELF);
        int64_t numel = tensor_numel(self), step = self->size[1] + 1,
                end = since(trace_gradient) && self->size[0] > self->size[1]
                          ? self->size[1] * self->size[1]
                          : numel,
                length = (end + step - 1) / step;
        Tensor *flat = emit_full(e, &numel, 1, scalar_int(0), grad_of(g)->dtype);
        if (e->create_graph) { /* as PyTorch records it: index_fill_ saves its indices */
            Tensor *at = emit_op(e, OP_arange_start_step, 4, scalar_int(0), scalar_int(end),
                                 scalar_int(step), (int)DT_int64);
            flat = emit_op(e, OP_index_fill__int_Tensor, 4, flat, (int64_t)0, at, grad_of(g));
        } else {
            Tensor *values = emit_expand(e, grad_of(g), &length, 1);
            flat = emit_op(e, OP_slice_scatter, 6, flat, values, (int64_t)0, (int64_t)0, end, step);
        }
        give(g, SELF, emit_view(e, flat, self->size, 2));
    }
}
