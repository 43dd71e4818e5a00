/* Inference of searchsorted (aten/src/ATen/native/BucketizationUtils.h). */
#include "program/infer/infer.h"

#include <string.h>

enum { SEQUENCE, VALUES, OUT_INT32, RIGHT, SIDE, SORTER };

static ErrCode check_side(const Call *call, Error *err) {
    const Arg *side = &call->arg[SIDE];
    if (side->none) {
        return ERR_none;
    }
    if (strcmp(side->str, "left") != 0 && strcmp(side->str, "right") != 0) {
        return error_set(err, ERR_invalid,
                         "torch.searchsorted(): side can only be 'left' or 'right' but got %s",
                         side->str);
    }
    if (call->arg[RIGHT].b && side->str[0] == 'l') {
        return error_set(err, ERR_invalid,
                         "torch.searchsorted(): side and right can't be set to opposites");
    }
    return ERR_none;
}

static ErrCode check_sorter(const Call *call, Error *err) {
    const Tensor *sequence = call->arg[SEQUENCE].tensor;
    if (call->arg[SORTER].none) {
        return ERR_none;
    }
    const Tensor *sorter = call->arg[SORTER].tensor;
    if (!tensor_same_size(sorter, sequence)) {
        return error_set(err, ERR_invalid,
                         "torch.searchsorted(): boundary and sorter must have the same size");
    }
    return sorter->dtype == DT_int64
               ? ERR_none
               : error_set(
                     err, ERR_invalid,
                     "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype %s",
                     dtype_name(sorter->dtype));
}

/* A 1-d sequence is used for all values; otherwise all dims but the last must equal those of the
 * values. */
static ErrCode check_dims(const Tensor *sequence, const int64_t *size, int ndim, Error *err) {
    if (ndim == 0 && sequence->ndim != 1 && sequence->ndim != 0) {
        return error_set(err, ERR_invalid,
                         "torch.searchsorted(): input value can be a scalar only when boundaries "
                         "tensor dimension is 1");
    }
    if (sequence->ndim == 0) {
        return error_set(err, ERR_invalid,
                         "torch.searchsorted(): boundaries tensor should have positive dimension, "
                         "but got 0 dimension");
    }
    if (sequence->ndim == 1 ||
        (sequence->ndim == ndim && sizes_equal(sequence->size, ndim - 1, size, ndim - 1))) {
        return ERR_none;
    }
    return error_set(err, ERR_invalid,
                     "torch.searchsorted(): boundaries tensor should be 1 dimension or the first "
                     "N-1 dimensions of boundaries tensor and "
                     "input value tensor must match");
}

ErrCode search_has_kernel(const Call *call, Error *err) {
    bool some =
        call->op->param[VALUES].type == ARG_SCALAR || tensor_numel(call->arg[VALUES].tensor) > 0;
    return some && search_dtype(call) == DT_bool
               ? error_set(err, ERR_dtype, "\"searchsorted_out_cpu\" not implemented for 'Bool'")
               : ERR_none;
}

ErrCode infer_searchsorted(const Call *call, Infer *r) {
    const Tensor *sequence = call->arg[SEQUENCE].tensor;
    bool scalar = call->op->param[VALUES].type == ARG_SCALAR;
    const Tensor *values = scalar ? NULL : call->arg[VALUES].tensor;
    int ndim = scalar ? 0 : values->ndim;
    TRY(check_side(call, r->err));
    TRY(check_sorter(call, r->err));
    TRY(check_dims(sequence, scalar ? NULL : values->size, ndim, r->err));
    bool by_kernel = !call->arg[SORTER].none && since(sorter_range); /* after the sorter's values */
    TRY(by_kernel ? ERR_none : search_has_kernel(call, r->err));
    return infer_contiguous(r, call->arg[OUT_INT32].b ? DT_int32 : DT_int64,
                            scalar ? NULL : values->size, ndim);
}

DType search_dtype(const Call *call) {
    const Tensor *sequence = call->arg[SEQUENCE].tensor;
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, sequence->dtype, sequence->ndim);
    if (call->op->param[VALUES].type == ARG_SCALAR) {
        promotion_scalar(&p, call->arg[VALUES].scalar.kind);
    } else {
        promotion_tensor(&p, call->arg[VALUES].tensor->dtype, call->arg[VALUES].tensor->ndim);
    }
    return promotion_result(&p);
}

/* histc: counts in self's dtype, which is floating; its edges are made by linspace. */
ErrCode infer_histc(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (self->dtype == DT_bool) {
        return error_set(r->err, ERR_dtype, "\"linspace_cpu\" not implemented for 'Bool'");
    }
    for (int k = 2; k <= 3; k++) { /* linspace gets doubles */
        Scalar end = scalar_float(scalar_to_double(call->arg[k].scalar));
        TRY(scalar_check(end, self->dtype, r->err));
    }
    if (!dtype_is_float(self->dtype) || (self->dtype == DT_float16 && !since(half_kernels))) {
        return error_set(r->err, ERR_dtype, "\"histogram_cpu\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    return infer_contiguous(r, self->dtype, &call->arg[1].i, 1);
}
