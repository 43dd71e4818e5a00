/* Dropout: the product with a noise of zeros and 1 / (1 - p) (_dropout_impl in
 * aten/src/ATen/native/Dropout.cpp). rrelu: with a noise of slopes (Activation.cpp). The noise has
 * no history. */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <math.h>

/* Zeros and ones: one number for each channel, or for each element. */
static Tensor *emit_noise(Emit *e, Tensor *input, double p, bool by_feature) {
    Tensor *like = input;
    if (by_feature) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < input->ndim; d++) {
            size[d] = d < 2 ? input->size[d] : 1;
        }
        like = emit_full(e, size, input->ndim, scalar_int(0), input->dtype);
    }
    return like ? emit_op(e, OP__bernoulli_like, 2, like, 1 - p) : NULL;
}

static bool drops_alpha(OpId id) {
    return id == OP_alpha_dropout || id == OP_alpha_dropout_ || id == OP_feature_alpha_dropout ||
           id == OP_feature_alpha_dropout_;
}

static bool drops_features(OpId id) {
    return id == OP_feature_dropout || id == OP_feature_dropout_ ||
           id == OP_feature_alpha_dropout || id == OP_feature_alpha_dropout_;
}

/* a * kept, and what is added for alpha_dropout: with a noise of 0 the result is -a * alpha plus
 * a * alpha * p. */
static Tensor *alpha_noise(Emit *e, Tensor *kept, double p, Tensor **added) {
    const double alpha = 1.7580993408473766, a = 1. / sqrt((alpha * alpha * p + 1) * (1 - p));
    Tensor *b = emit_scalar(e, OP_add_Scalar, kept, scalar_int(-1));
    b = emit_scalar(e, OP_mul_Scalar, b, scalar_float(alpha * a));
    *added = emit_scalar(e, OP_add_Scalar, b, scalar_float(alpha * a * p));
    return emit_scalar(e, OP_mul_Scalar, kept, scalar_float(a));
}

/* dropout, feature_dropout, alpha_dropout, feature_alpha_dropout and their in-place forms. Where
 * nothing is dropped the result is the operand itself. */
ErrCode decompose_dropout(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *noise, *added = NULL;
    double p = call->arg[1].f;
    bool by_feature = drops_features(call->op->id);
    if (!(p >= 0 && p <= 1)) {
        return error_set(e->err, ERR_invalid,
                         "dropout probability has to be between 0 and 1, but got %g", p);
    }
    *nout = 1;
    if (p == 0 || !call->arg[2].b || tensor_numel(input) == 0) {
        out[0] = input;
        return ERR_none;
    }
    if (p == 1) {
        noise = emit_full(e, NULL, 0, scalar_int(0), input->dtype);
    } else if (by_feature && input->ndim < 2) {
        return error_set(e->err, ERR_invalid,
                         "Feature dropout requires at least 2 dimensions in the input");
    } else if (!dtype_is_float(input->dtype)) {
        return error_set(e->err, ERR_dtype,
                         "result type Float can't be cast to the desired output type %s",
                         dtype_name(input->dtype));
    } else {
        noise = emit_noise(e, input, p, by_feature);
        noise = drops_alpha(call->op->id)
                    ? alpha_noise(e, noise, p, &added)
                    : emit_scalar(e, OP_div_Scalar, noise, scalar_float(1 - p));
    }
    bool writes = call->op->param[0].writes;
    out[0] = emit_binary(e, writes ? OP_mul__Tensor : OP_mul_Tensor, input, noise);
    if (added) {
        out[0] = emit_binary(e, OP_add__Tensor, out[0], added);
    }
    return e->err->code;
}

/* native_dropout: the result and the mask of what is kept. It is one node, which saves the mask. */
ErrCode decompose_native_dropout(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *x = node_operand(e, input), *value;
    double p = call->arg[1].f, left = 1 - p, scale = left == 0 ? 0 : 1 / left;
    bool train = call->arg[2].none || call->arg[2].b;
    *nout = 0;
    TRY(emit_read_history(e, input));
    if (tensor_numel(input) == 0) {
        return error_set(e->err, ERR_unsupported, "native_dropout of nothing returns its operand");
    }
    if (!train) {
        out[1] = emit_op(e, OP_ones_like, 2, input, (int)DT_bool);
        value = emit_unary(e, OP_clone, x);
    } else {
        if (!(left >= 0 && left <= 1)) {
            return error_set(e->err, ERR_invalid,
                             "bernoulli_ expects p to be in [0, 1], but got p=%g", left);
        }
        out[1] = emit_op(e, OP_zeros_like, 2, input, (int)DT_bool);
        out[1] = out[1] ? emit_op(e, OP__bernoulli_like, 2, out[1], left) : NULL;
        if (!dtype_is_float(input->dtype)) {
            return error_set(e->err, ERR_dtype,
                             "result type Float can't be cast to the desired output type %s",
                             dtype_name(input->dtype));
        }
        value = emit_scalar(e, OP_mul_Scalar, emit_mul(e, x, out[1]), scalar_float(scale));
    }
    if (e->err->code == ERR_none) {
        out[0] = emit_op(e, OP__native_dropout, 4, input, value, out[1], train ? scale : 1.0);
    }
    *nout = 2;
    return e->err->code;
}

/* ---- rrelu ---- */

/* Before 2.13 a bound that is not finite is refused in training once an element needs a slope. */
static ErrCode check_slopes(double lower, double upper, bool training, Error *err) {
    bool finite = isfinite(lower) && isfinite(upper);
    if (!finite && training && semantics_now < SEMANTICS_2_13) {
        return error_set(err, ERR_unsupported, "rrelu with a bound that is not finite");
    }
    if (!finite && semantics_now >= SEMANTICS_2_13) {
        return error_set(err, ERR_invalid, "rrelu: %s bound must be finite, got %g",
                         isfinite(lower) ? "upper" : "lower", isfinite(lower) ? upper : lower);
    }
    return lower <= upper
               ? ERR_none
               : error_set(err, ERR_invalid,
                           "Lower bound should be less than or equal to the upper bound");
}

/* In training: a product with a noise of 1, or of a slope for what is not positive. In place the
 * node saves the result. */
static Tensor *emit_noisy(Emit *e, Tensor *self, double lower, double upper, bool writes) {
    DType wide = dtype_bytes(self->dtype) < 4 ? DT_float32 : self->dtype;
    Tensor *x = node_operand(e, self);
    Tensor *noise = emit_op(e, OP__rrelu_noise, 3, x, lower, upper);
    Tensor *kept = emit_cast(e, noise, self->dtype);
    if (writes) {
        Tensor *answer = kept ? emit_binary(e, OP_mul__Tensor, self, kept) : NULL;
        if (answer && e->records && e->records(e, answer)) {
            emit_also_saves(e, answer, answer, false);
        }
        return answer;
    }
    Tensor *value = emit_cast(e, emit_mul(e, emit_cast(e, x, wide), noise), self->dtype);
    value = emit_unary(e, OP_contiguous, value);
    return value ? emit_op(e, OP__rrelu_train, 3, self, value, kept) : NULL;
}

/* rrelu, rrelu_: a leaky_relu whose slopes are random in training, and their mean otherwise. The
 * result is row-major. */
ErrCode decompose_rrelu(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    double lower = scalar_to_double(call->arg[1].scalar),
           upper = scalar_to_double(call->arg[2].scalar);
    bool training = call->arg[3].b, writes = call->op->param[0].writes;
    *nout = 0;
    TRY(check_slopes(lower, upper, training, e->err));
    TRY(emit_read_history(e, self));
    if (training && (!dtype_is_float(self->dtype) || self->dtype == DT_float16)) {
        if (writes && e->records && e->records(e, self)) { /* a leaf is refused before */
            emit_scalar(e, OP_mul__Scalar, self, scalar_int(1));
            TRY(e->err->code);
        }
        return error_set(e->err, ERR_dtype, "\"rrelu_with_noise_out_cpu\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    Scalar slope = scalar_float((lower + upper) / 2);
    if (training) {
        return node_answer(e, emit_noisy(e, self, lower, upper, writes), out, nout);
    }
    if (writes) {
        return node_answer(e, emit_scalar(e, OP_leaky_relu_, self, slope), out, nout);
    }
    Tensor *value = emit_scalar(e, OP_leaky_relu, node_operand(e, self), slope);
    value = emit_unary(e, OP_contiguous, value);
    return node_answer(e, value ? emit_op(e, OP__rrelu, 3, self, value, slope) : NULL, out, nout);
}
