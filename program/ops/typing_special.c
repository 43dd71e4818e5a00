/* Dtypes of POINTWISE ops that check something before one of the common rules applies
 * (typing.c). */
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

/* No promotion (TORCH_META_FUNC(heaviside) in aten/src/ATen/native/BinaryOps.cpp). */
ErrCode typing_heaviside(const Call *call, DType *compute, DType *result, Error *err) {
    *compute = *result = call->arg[0].tensor->dtype;
    if (call->arg[1].tensor->dtype != *compute) {
        return error_set(err, ERR_invalid,
                         "heaviside is not yet implemented for tensors with different dtypes.");
    }
    return ERR_none;
}

/* Since softshrink_range lambd must be finite in self's dtype. */
ErrCode typing_softshrink(const Call *call, DType *compute, DType *result, Error *err) {
    double lambda = scalar_to_double(call->arg[1].scalar);
    DType dtype = call->arg[0].tensor->dtype;
    bool ranged = since(softshrink_range);
    if (ranged && !dtype_is_float(dtype)) {
        return typing_floating(call, compute, result, err);
    }
    if (!(lambda >= 0) || (ranged && lambda > dtype_largest(dtype))) {
        *compute = *result = dtype;
        return ranged
                   ? error_set(err, ERR_invalid,
                               "lambda must be in range [0, %g] for input dtype %s, but found %g",
                               dtype_largest(dtype), dtype_name(dtype), lambda)
                   : error_set(err, ERR_shape,
                               "lambda must be greater or equal to 0, but found to be %g.", lambda);
    }
    return typing_floating(call, compute, result, err);
}

/* Integers only: there is no kernel for floats and bools. */
ErrCode typing_integral(const Call *call, DType *compute, DType *result, Error *err) {
    TRY(typing_same(call, compute, result, err));
    return dtype_is_float(*compute) || *compute == DT_bool
               ? error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                           dtype_name(*compute))
               : ERR_none;
}
