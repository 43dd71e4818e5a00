/* Dropout: the product with a noise of zeros and 1 / (1 - p) (_dropout_impl in
 * aten/src/ATen/native/Dropout.cpp). The noise has no history. */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

/* One number for each channel, or for each element. */
static Tensor *emit_noise(Emit *e, Tensor *input, double p, bool by_feature) {
    Tensor *like = input;
    if (by_feature) {
        int64_t size[MAX_DIMS];
        for (int d = 0; d < input->ndim; d++) {
            size[d] = d < 2 ? input->size[d] : 1;
        }
        like = emit_full(e, size, input->ndim, scalar_int(0), input->dtype);
    }
    Tensor *kept = like ? emit_op(e, OP__bernoulli_like, 2, like, 1 - p) : NULL;
    return emit_scalar(e, OP_div_Scalar, kept, scalar_float(1 - p));
}

/* dropout, feature_dropout and their in-place forms. Where nothing is dropped the result is the
 * operand itself. */
ErrCode decompose_dropout(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *noise;
    double p = call->arg[1].f;
    bool by_feature = call->op->id == OP_feature_dropout || call->op->id == OP_feature_dropout_;
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
    }
    bool writes = call->op->param[0].writes;
    out[0] = emit_binary(e, writes ? OP_mul__Tensor : OP_mul_Tensor, input, noise);
    return e->err->code;
}
