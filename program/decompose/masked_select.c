/* masked_select: the output size depends on the mask's data. The decomposition counts the mask
 * first and passes the count to _masked_select. */
#include "program/infer/infer.h"

#include <string.h>

/* masked_select: _masked_select(self, mask, number of true elements of the broadcast mask) */
ErrCode decompose_masked_select(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *mask = call->arg[1].tensor;
    if (!mask_dtype_valid(mask->dtype)) {
        return error_set(e->err, ERR_invalid,
                         "masked_select: expected BoolTensor or ByteTensor for mask");
    }
    int64_t size[MAX_DIMS], whole, set, own = tensor_numel(mask), count;
    int ndim = self->ndim;
    memcpy(size, self->size, (size_t)ndim * sizeof *size);
    TRY(broadcast_into(size, &ndim, mask->size, mask->ndim, e->err));
    TRY(e->count_nonzero(e, mask, &set));
    if (!sizes_numel(size, ndim, &whole) || !checked_mul(set, own > 0 ? whole / own : 0, &count)) {
        return error_set(e->err, ERR_limit, "a tensor's size overflows");
    }
    out[0] = emit_op(e, OP__masked_select, 3, self, mask, count);
    *nout = out[0] != NULL;
    return e->err->code;
}
