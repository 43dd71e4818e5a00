/* Inference of linalg_cross, block_diag and of a view that is not recorded as one
 * (aten/src/ATen/native/Cross.cpp, TensorShape.cpp). */
#include "program/infer/infer.h"

#include <string.h>

/* A product over a dim of size 3 of operands that broadcast; row-major. */
ErrCode infer_linalg_cross(const Call *call, Infer *r) {
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    int dim, n = a->ndim;
    int64_t size[MAX_DIMS];
    if (n != b->ndim) {
        return error_set(r->err, ERR_shape,
                         "linalg.cross: inputs must have the same number of dimensions.");
    }
    TRY(dim_wrap(call->arg[2].i, n, &dim, r->err));
    if (n == 0 || a->size[dim] != 3 || b->size[dim] != 3) {
        return error_set(r->err, ERR_invalid,
                         "linalg.cross: inputs dimension %d must have length 3", dim);
    }
    for (int d = 0; d < n; d++) {
        if (a->size[d] != b->size[d] && a->size[d] != 1 && b->size[d] != 1) {
            return error_set(
                r->err, ERR_shape,
                "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                "non-singleton dimension %d",
                (long long)a->size[d], (long long)b->size[d], d);
        }
        size[d] = a->size[d] == 1 ? b->size[d] : a->size[d];
    }
    if (a->dtype == DT_bool || b->dtype != a->dtype) {
        return error_set(r->err, ERR_dtype,
                         a->dtype == DT_bool ? "\"cross\" not implemented for 'Bool'"
                                             : "expected another scalar type");
    }
    return infer_contiguous(r, a->dtype, size, n);
}

/* Blocks along the diagonal of a matrix: a vector is a row, a number 1 by 1. */
ErrCode infer_block_diag(const Call *call, Infer *r) {
    const Arg *list = &call->arg[0];
    Promotion p = PROMOTION_START;
    int64_t size[2] = {0, 0};
    for (int k = 0; k < list->tensors.n; k++) {
        const Tensor *t = list->tensors.v[k];
        if (t->ndim > 2) {
            return error_set(r->err, ERR_invalid,
                             "torch.block_diag: Input tensors must have 2 or fewer dimensions.");
        }
        promotion_tensor(&p, t->dtype, t->ndim);
        size[0] += t->ndim == 2 ? t->size[0] : 1;
        size[1] += t->ndim == 0 ? 1 : t->size[t->ndim - 1];
    }
    if (list->tensors.n == 0) {
        size[0] = 1;
        return infer_contiguous(r, DT_float32, size, 2);
    }
    return infer_contiguous(r, promotion_result(&p), size, 2);
}

/* The sizes of a view in new memory: the strides are those that the view has. */
ErrCode infer_unsafe_view(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *size = &call->arg[1];
    TRY(infer_contiguous(r, self->dtype, size->ints.v, size->ints.n));
    Tensor *t = r->out;
    int64_t strides[MAX_DIMS];
    if (view_strides(self, tensor_numel(self), size->ints.v, size->ints.n, strides)) {
        Tensor seen = *t;
        memcpy(seen.stride, strides, (size_t)size->ints.n * sizeof *strides);
        r->n = 0;
        return infer_cloned(r, &seen, self->dtype);
    }
    return ERR_none;
}
