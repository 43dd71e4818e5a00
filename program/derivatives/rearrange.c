/* Derivatives of channel_shuffle, renorm and ldexp. */
#include "program/derivatives/derivatives.h"

/* self: the channels back in their order */
void grad_channel_shuffle(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0,
             emit_op(g->e, OP_channel_shuffle, 2, grad_of(g),
                     tensor_arg(g, 0)->size[1] / g->call->arg[1].i));
    }
}

/* self: grad * 2^other; other: grad * result * ln 2 */
void grad_ldexp(Grad *g) {
    Emit *e = g->e;
    if (wanted(g, 1)) {
        Tensor *product = emit_mul(e, grad_of(g), result_of(g));
        give(g, 1, emit_scalar(e, OP_mul_Scalar, product, scalar_float(0.6931471805599453)));
    }
    if (wanted(g, 0)) {
        Call power = call_new(OP_pow_Scalar);
        Tensor *made[MAX_OUTPUTS];
        int n;
        power.arg[0].scalar = scalar_float(2);
        power.arg[1].tensor = tensor_arg(g, 1);
        if (emit_call(e, &power, made, &n) == ERR_none) {
            give(g, 0, emit_mul(e, grad_of(g), made[0]));
        }
    }
}

/* self: where norm > maxnorm: maxnorm / n * (grad - D / n), with n = norm + 1e-7 and D the norm's
 * derivative for sum(self * grad); else grad. In float64 (renorm_backward). */
void grad_renorm(Grad *g) {
    Emit *e = g->e;
    if (!wanted(g, 0)) {
        return;
    }
    const Arg *arg = g->call->arg;
    Tensor *self = tensor_arg(g, 0), *grad = grad_of(g);
    double most = scalar_to_double(arg[4].scalar);
    int64_t dims[MAX_DIMS];
    int n = 0;
    for (int d = 0; d < self->ndim; d++) {
        if (d != arg[3].i) {
            dims[n++] = d;
        }
    }
    DType wide = dtype_bytes(self->dtype) < 4 ? DT_float32 : DT_float64;
    Tensor *x = emit_cast(e, self, wide);
    Call measured = call_new(OP_norm_dim);
    measured.arg[0].tensor = x;
    measured.arg[1].none = false;
    measured.arg[1].scalar = arg[2].scalar;
    measured.arg[2].ints.v = arena_copy(e->arena, dims, (int64_t)sizeof *dims * n);
    measured.arg[2].ints.n = n;
    measured.arg[3].b = true;
    Tensor *norm[MAX_OUTPUTS], *slope = NULL;
    int nnorm;
    if (!x || emit_call(e, &measured, norm, &nnorm) != ERR_none) {
        return;
    }
    Tensor *fed = emit_cast(e, emit_mul(e, self, grad), wide);
    fed = emit_sum_dims(e, fed, dims, n, true);
    if (!fed) {
        return;
    }
    bool need = true;
    measured.arg[0].tensor = self; /* whose powers are of its own dtype */
    Grad inner = {.e = e,
                  .call = &measured,
                  .result = norm,
                  .nresult = 1,
                  .grad = &fed,
                  .need = &need,
                  .out = &slope,
                  .nslot = 1};
    grad_run_rule(&inner, true);
    Tensor *inverse =
        emit_unary(e, OP_reciprocal, emit_scalar(e, OP_add_Scalar, norm[0], scalar_float(1e-7)));
    slope = emit_mul(e, inverse, slope);
    Tensor *apart = emit_sub(e, emit_cast(e, grad, wide), slope);
    inverse = emit_scalar(e, OP_mul_Scalar, inverse, scalar_float(most));
    Tensor *shortened = emit_cast(e, emit_mul(e, inverse, apart), grad->dtype);
    Tensor *above = emit_scalar(e, OP_gt_Scalar, norm[0], scalar_float(most));
    give(g, 0, emit_where(e, above, shortened, grad));
}
