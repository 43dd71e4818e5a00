/* Numbers as operands of half dtypes: where the width in which they are taken shows. */
#include "reference/overflows.h"

#include "program/infer/infer.h"

#include <math.h>

/* Since 2.8 mul and div of a half dtype take a number or a 0-dim tensor in float32; here it is
 * rounded to the half dtype, which shows where it overflows or vanishes, and in whole quotients. */
bool half_number_is_rounded(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    bool scalar = call->op->param[1].type == ARG_SCALAR;
    const Tensor *other = scalar ? NULL : call->arg[1].tensor;
    if (semantics_now < SEMANTICS_2_8 || !dtype_is_float(self->dtype) ||
        dtype_bytes(self->dtype) >= 4 || (other && tensor_numel(other) != 1)) {
        return false;
    }
    double v = scalar ? scalar_to_double(call->arg[1].scalar) : tensor_item_double(other);
    double rounded = dtype_round(v, self->dtype);
    bool whole = pw_is_quotient(call_pw(call));
    return isfinite(v) && (whole ? rounded != v : !isfinite(rounded) || (v != 0 && rounded == 0));
}

/* leaky_relu, elu, softplus, lerp and the gradient of xlogy of a half dtype compute in float32,
 * numbers included. */
bool half_number_overflows(const Call *call) {
    bool number_first = call->op->param[0].type == ARG_SCALAR;
    DType dtype = call->arg[number_first].tensor->dtype;
    for (int k = 0; k < call->op->nparam && dtype_is_float(dtype) && dtype_bytes(dtype) < 4; k++) {
        if (call->op->param[k].type == ARG_SCALAR && scalar_overflows(call->arg[k].scalar, dtype)) {
            return true;
        }
    }
    return false;
}
