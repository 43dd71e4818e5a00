/* The kernel of all POINTWISE ops: operands as the row lists them, one call of pw_apply, and the
 * data-dependent errors. */
#include "program/kernels/kernels.h"

#include <math.h>

/* masked_fill converts its value to a number that must fit the dtype, and a uint8 mask may contain
 * only 0 and 1 (PyTorch 1.13). */
static ErrCode kernel_pointwise_check_masked_fill(const Call *call, const Tensor *out,
                                                  DType compute, Error *err) {
    const Tensor *mask = call->arg[1].tensor;
    if (call->op->id == OP_masked_fill_Tensor) {
        TRY(scalar_check(tensor_item(call->arg[2].tensor), compute, err));
    }
    if (mask->dtype == DT_uint8 && tensor_numel(out) > 0) {
        const Tensor *walked[1] = {mask};
        for (Walk w = walk_start(mask->size, mask->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
            if (element_int(mask->storage->data, mask->dtype, w.at[0]) > 1) {
                return error_set(err, ERR_invalid, "Mask tensor can take 0 and 1 values only");
            }
        }
    }
    return ERR_none;
}

/* Does t contain a nan? The sign of a nan depends on how it was computed. */
static bool has_nan(const Tensor *t) {
    const Tensor *walked[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        if (isnan(element_double(t->storage->data, t->dtype, w.at[0]))) {
            return true;
        }
    }
    return false;
}

ErrCode kernel_pointwise(const Call *call, Tensor *const *out, KernelCtx *k) {
    DType compute, result;
    if (k->inferred) {
        compute = k->inferred->compute;
    } else {
        TRY(call->op->typing(call, &compute, &result, k->err));
    }
    if (call->op->pw == PW_masked_fill) {
        TRY(kernel_pointwise_check_masked_fill(call, out[0], compute, k->err));
    }
    PwOperand operands[PW_MAX_OPERANDS];
    int n = call_operands(call, compute, operands);
    PwStatus status = {0};
    pw_apply(call_pw(call), compute, out[0], operands, n, &status);
    if (status.zero_divisor) {
        return error_set(k->err, ERR_invalid, "ZeroDivisionError");
    }
    if (call->op->pw == PW_copysign && operands[1].tensor && has_nan(operands[1].tensor)) {
        k->undefined = "the sign of a nan";
    }
    if (call->op->pw == PW_signbit && has_nan(operands[0].tensor)) {
        k->undefined = "the sign of a nan";
    }
    if (status.odd_shift) {
        k->undefined = "a shift by less than 0 or by all the bits";
    }
    return ERR_none;
}
