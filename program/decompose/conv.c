/* conv1d and conv2d: an unbatched input gets a batch dim of size 1, which is squeezed from the
 * result (Convolution.cpp, batchify). */
#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <string.h>

ErrCode decompose_conv(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor;
    int dims = call->op->id == OP_conv1d ? 1 : 2;
    bool alone = input->ndim == dims + 1;
    *nout = 0;
    const Tensor *bias = call->arg[2].none ? NULL : call->arg[2].tensor;
    if ((dims == 2 || since(conv_bias_dtype)) && bias && bias->dtype != input->dtype) {
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
    memcpy(c.arg, call->arg, 7 * sizeof *c.arg);
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
