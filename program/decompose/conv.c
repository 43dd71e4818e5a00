/* Convolutions and transposed ones: an unbatched input gets a batch dim of size 1, which is
 * squeezed from the result (Convolution.cpp, batchify). */
#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <string.h>

/* The spatial dims of the op. */
static int conv_dims(const OpInfo *op) {
    switch (op->id) {
    case OP_conv1d:
    case OP_conv_transpose1d:
        return 1;
    case OP_conv2d:
    case OP_conv_transpose2d:
        return 2;
    default:
        return 3;
    }
}

/* A bias of another dtype is refused; by transposed convolutions, which PyTorch's kernels check,
 * and by conv1d only since conv_bias_dtype. */
static bool checks_bias(const OpInfo *op) {
    return op_param(op, "output_padding") < 0 && (op->id != OP_conv1d || since(conv_bias_dtype));
}

ErrCode decompose_conv(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor;
    int dims = conv_dims(call->op), extra = op_param(call->op, "output_padding");
    bool alone = input->ndim == dims + 1;
    *nout = 0;
    const Tensor *bias = call->arg[2].none ? NULL : call->arg[2].tensor;
    if (checks_bias(call->op) && bias && bias->dtype != input->dtype) {
        return error_set(e->err, ERR_invalid,
                         "Input type (%s) and bias type (%s) should be the same",
                         dtype_name(input->dtype), dtype_name(bias->dtype));
    }
    if (!alone && input->ndim != dims + 2) {
        return error_set(
            e->err, ERR_invalid,
            "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of %d dims",
            dims + 1, dims + 2, call->op->name, input->ndim);
    }
    Call c;
    call_init(&c, OP__convolution);
    memcpy(c.arg, call->arg, 5 * sizeof *c.arg);
    c.arg[5] = call->arg[op_param(call->op, "dilation")];
    c.arg[6] = call->arg[op_param(call->op, "groups")];
    if (extra >= 0) {
        c.arg[7] = call->arg[extra];
    }
    if (alone) {
        c.arg[0].tensor = emit_unsqueeze(e, input, 0);
    }
    Tensor *result[MAX_OUTPUTS];
    int n;
    TRY(emit_call(e, &c, result, &n));
    out[0] = alone ? emit_op(e, OP_squeeze_dim, 2, result[0], (int64_t)0) : result[0];
    *nout = out[0] != NULL;
    return e->err->code;
}
