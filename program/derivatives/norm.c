/* Derivatives of normalizations by statistics of the input. With xhat = (input - mean) * rstd and
 * G = grad * weight: input: (G - mean(G) - xhat * mean(G * xhat)) * rstd; weight: sum(grad * xhat);
 * bias: sum(grad). */
#include "program/derivatives/derivatives.h"
#include "program/infer/infer.h"

static Tensor *norm_widened(Emit *e, Tensor *t) {
    return t && dtype_bytes(t->dtype) < 4 ? emit_cast(e, t, DT_float32) : t;
}

/* As the forward has kept it: rounded to the first given parameter's dtype, or the input's. */
static Tensor *norm_kept(const Grad *g, Tensor *t, int last) {
    const Arg *arg = g->call->arg;
    DType dtype = arg[0].tensor->dtype;
    for (int k = last; k >= 1; k--) {
        dtype = arg[k].none ? dtype : arg[k].tensor->dtype;
    }
    return t && dtype_bytes(dtype) < 4 ? emit_cast(g->e, emit_cast(g->e, t, dtype), t->dtype) : t;
}

/* The layout of empty_like(input, suggest_memory_format). */
static Tensor *norm_suggested(const Grad *g, Tensor *t, Tensor *input) {
    if (!t || !is_channels_last(input)) {
        return t && !tensor_is_contiguous(t) ? emit_unary(g->e, OP__contiguous_copy, t) : t;
    }
    return is_channels_last(t) || !g->e->in_program
               ? t
               : emit_binary(g->e, OP_copy, emit_unary(g->e, OP_zeros_like, input), t);
}

/* G, less what the statistics take up, over `dims`; times rstd. */
static Tensor *through_statistics(Emit *e, Tensor *G, Tensor *xhat, Tensor *rstd,
                                  const int64_t *dims, int n) {
    Tensor *level = emit_op(e, OP_mean_dim, 3, G, dims, n, 1);
    Tensor *slope = emit_op(e, OP_mean_dim, 3, emit_mul(e, G, xhat), dims, n, 1);
    Tensor *sloped = emit_mul(e, xhat, slope);
    return emit_mul(e, emit_sub(e, emit_sub(e, G, level), sloped), rstd);
}

void grad_batch_norm(Grad *g) {
    Emit *e = g->e;
    const Arg *arg = g->call->arg;
    Tensor *input = tensor_arg(g, 0), *weight = arg[1].none ? NULL : arg[1].tensor;
    bool training = arg[6].b;
    double eps = arg[7].f;
    int64_t dims[MAX_DIMS], size[MAX_DIMS];
    int n = 0, row = input->ndim - 1;
    for (int d = 0; d < input->ndim; d++) {
        if (d != 1) {
            dims[n++] = d;
        }
        if (d > 0) {
            size[d - 1] = d == 1 ? input->size[1] : 1;
        }
    }
    if (weight && weight->ndim != 1 && (wanted(g, 0) || wanted(g, 1) || wanted(g, 2))) {
        error_set(e->err, ERR_invalid, "TensorAccessor expected 1 dims but tensor has %d",
                  weight->ndim);
        return;
    }
    Tensor *grad = norm_widened(e, grad_of(g)), *x = norm_widened(e, input), *mean, *variance;
    if (training) {
        mean = emit_op(e, OP_mean_dim, 3, x, dims, n, 1);
        variance = emit_op(e, OP_var_correction, 4, x, dims, n, (int64_t)0, 1);
    } else {
        mean = emit_reshape(e, norm_widened(e, arg[3].tensor), size, row);
        variance = emit_reshape(e, norm_widened(e, arg[4].tensor), size, row);
    }
    Tensor *rstd =
        emit_unary(e, OP_rsqrt, emit_scalar(e, OP_add_Scalar, variance, scalar_float(eps)));
    if (training && eps == 0) {
        Tensor *flat = emit_scalar(e, OP_eq_Scalar, variance, scalar_int(0));
        rstd = emit_masked_fill(e, rstd, flat, scalar_int(0));
    }
    if (training) {
        mean = norm_kept(g, mean, 4);
        rstd = norm_kept(g, rstd, 4);
    }
    Tensor *xhat = emit_mul(e, emit_sub(e, x, mean), rstd);
    if (wanted(g, 0)) {
        Tensor *G = grad;
        if (weight) {
            G = emit_mul(e, grad, emit_reshape(e, norm_widened(e, weight), size, row));
        }
        Tensor *answer =
            training ? through_statistics(e, G, xhat, rstd, dims, n) : emit_mul(e, G, rstd);
        give(g, 0, norm_suggested(g, emit_cast(e, answer, input->dtype), input));
    }
    if (wanted(g, 1)) {
        Tensor *each = emit_sum_dims(e, emit_mul(e, grad, xhat), dims, n, false);
        give(g, 1, emit_reshape(e, emit_cast(e, each, weight->dtype), weight->size, weight->ndim));
    }
    if (wanted(g, 2)) {
        Tensor *bias = arg[2].tensor, *each = emit_sum_dims(e, grad, dims, n, false);
        give(g, 2, emit_reshape(e, emit_cast(e, each, bias->dtype), bias->size, bias->ndim));
    }
}

/* With ds = sum(G * input) and db = sum(G) of a group of n elements: grad * weight * rstd + c2 *
 * input
 * + c3, where c2 = (db * mean - ds) * rstd^3 / n and c3 = -c2 * mean - db * rstd / n
 * (native_group_norm_backward) */
void grad_group_norm(Grad *g) {
    Emit *e = g->e;
    const Arg *arg = g->call->arg;
    Tensor *input = tensor_arg(g, 0), *weight = arg[1].none ? NULL : arg[1].tensor;
    if (tensor_numel(input) == 0) {
        for (int k = 0; k < 3; k++) {
            if (wanted(g, k)) {
                give(g, k, emit_zeros_like(e, arg[k].tensor));
            }
        }
        return;
    }
    if (!weight && wanted(g, 2) && arg[2].tensor->dtype != input->dtype && !e->create_graph) {
        /* GroupNormBackwardKernelImpl, too, looks at the weight only
         * (aten/src/ATen/native/cpu/group_norm_kernel.cpp) */
        error_set(e->err, ERR_dtype, "expected scalar type %s but found %s",
                  dtype_name(arg[2].tensor->dtype), dtype_name(input->dtype));
        return;
    }
    int64_t groups = arg[4].i, channels = input->size[1], each = channels / groups,
            dims[2] = {2, 3};
    int64_t size[4] = {input->size[0], groups, each,
                       tensor_numel(input) / input->size[0] / channels};
    int64_t row[3] = {groups, each, 1};
    Tensor *grad = emit_reshape(e, norm_widened(e, grad_of(g)), size, 4);
    Tensor *x = emit_reshape(e, norm_widened(e, input), size, 4);
    Tensor *mean = emit_op(e, OP_mean_dim, 3, x, dims, 2, 1);
    Tensor *rstd = emit_op(e, OP_var_correction, 4, x, dims, 2, (int64_t)0, 1);
    rstd = emit_unary(e, OP_rsqrt, emit_scalar(e, OP_add_Scalar, rstd, scalar_float(arg[5].f)));
    mean = norm_kept(g, mean, 2);
    rstd = norm_kept(g, rstd, 2);
    Tensor *w = weight ? emit_reshape(e, norm_widened(e, weight), row, 3) : NULL;
    int64_t within = 3, channel = 2, first = 0;
    Tensor *products = emit_sum_dims(e, emit_mul(e, grad, x), &within, 1, true);
    Tensor *sums = emit_sum_dims(e, grad, &within, 1, true);
    if (wanted(g, 0)) {
        double norm = 1 / ((double)each * (double)size[3]);
        Tensor *cube = emit_mul(e, emit_mul(e, rstd, rstd), rstd);
        Tensor *c1 = w ? emit_mul(e, rstd, w) : rstd;
        Tensor *ds = emit_sum_dims(e, w ? emit_mul(e, products, w) : products, &channel, 1, true);
        Tensor *db = emit_sum_dims(e, w ? emit_mul(e, sums, w) : sums, &channel, 1, true);
        Tensor *c2 = emit_mul(e, emit_sub(e, emit_mul(e, db, mean), ds), cube);
        c2 = emit_scalar(e, OP_mul_Scalar, c2, scalar_float(norm));
        Tensor *c3 = emit_scalar(e, OP_mul_Scalar, emit_mul(e, db, rstd), scalar_float(norm));
        c3 = emit_sub(e, emit_mul(e, emit_neg(e, c2), mean), c3);
        Tensor *linear = emit_mul(e, c2, x);
        Tensor *answer = emit_add(e, emit_add(e, emit_mul(e, c1, grad), linear), c3);
        answer = emit_reshape(e, emit_cast(e, answer, input->dtype), input->size, input->ndim);
        give(g, 0, norm_suggested(g, answer, input));
    }
    for (int k = 1; k <= 2; k++) {
        if (wanted(g, k)) {
            Tensor *t = arg[k].tensor, *sum = sums;
            if (k == 1) {
                sum = emit_mul(e, emit_sub(e, products, emit_mul(e, sums, mean)), rstd);
            }
            sum = emit_sum_dims(e, sum, &first, 1, false);
            give(g, k, emit_reshape(e, emit_cast(e, sum, t->dtype), t->size, t->ndim));
        }
    }
}
