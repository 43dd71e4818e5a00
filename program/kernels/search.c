/* The kernel of searchsorted: PyTorch's binary search (aten/src/ATen/native/Bucketization.cpp),
 * step by step, so that the result is the same even if the sequence is not sorted. */
#include "program/kernels/kernels.h"

enum { SEQUENCE, VALUES, OUT_INT32, RIGHT, SIDE, SORTER };

/* One row of the sequence, in which a value is searched. */
typedef struct SearchRow {
    const Tensor *sequence, *sorter; /* sorter or NULL */
    int64_t at, sorter_at, length;
    DType dtype; /* of the comparison */
} SearchRow;

/* Is element `i` of the row >= the value (with `above`: > the value)? Always false if either is
 * nan. */
static bool reaches(const SearchRow *row, int64_t i, double value, int64_t int_value, bool above,
                    KernelCtx *k) {
    if (row->sorter) {
        i = element_int(row->sorter->storage->data, DT_int64,
                        row->sorter_at + i * row->sorter->stride[row->sorter->ndim - 1]);
        if (i < 0 || i >= row->length) {
            k->undefined = "a sorter's index out of range: read out of bounds";
            return false;
        }
    }
    int64_t at = row->at + i * row->sequence->stride[row->sequence->ndim - 1];
    if (dtype_is_float(row->dtype)) {
        double own = cast_double(row->sequence, at, row->dtype);
        return above ? own > value : own >= value;
    }
    int64_t own = cast_int(row->sequence, at, row->dtype, k);
    return above ? own > int_value : own >= int_value;
}

static int64_t kernel_search_row(const SearchRow *row, double value, int64_t int_value, bool right,
                                 KernelCtx *k) {
    int64_t start = 0, end = row->length;
    while (start < end) {
        int64_t middle = start + (end - start) / 2;
        if (reaches(row, middle, value, int_value, right, k)) {
            end = middle;
        } else {
            start = middle + 1;
        }
    }
    return start;
}

static ErrCode sorter_range(const Tensor *sorter, int64_t length, Error *err) {
    const Tensor *one[1] = {sorter};
    for (Walk w = walk_start(sorter->size, sorter->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        int64_t i = element_int(sorter->storage->data, DT_int64, w.at[0]);
        if (i < 0 || i >= length) {
            return error_set(err, ERR_index_range,
                             "torch.searchsorted(): sorter index out of range");
        }
    }
    return ERR_none;
}

ErrCode kernel_searchsorted(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *sequence = call->arg[SEQUENCE].tensor, *to = out[0];
    bool scalar = call->op->param[VALUES].type == ARG_SCALAR;
    bool right = call->arg[RIGHT].b || (!call->arg[SIDE].none && call->arg[SIDE].str[0] == 'r');
    const Tensor *values = scalar ? to : call->arg[VALUES].tensor,
                 *sorter = call->arg[SORTER].none ? NULL : call->arg[SORTER].tensor;
    SearchRow row = {sequence,
                     sorter,
                     sequence->offset,
                     sorter ? sorter->offset : 0,
                     sequence->size[sequence->ndim - 1],
                     search_dtype(call)};
    if (sorter && since(sorter_range)) {
        TRY(sorter_range(sorter, row.length, k->err));
        TRY(search_has_kernel(call, k->err));
    }
    Tensor rows = *sequence,
           sorter_rows =
               sorter
                   ? *sorter
                   : rows; /* expanded to the values' size: the first element of each value's row */
    for (int d = 0; d < to->ndim; d++) {
        bool shared = sequence->ndim == 1 || d + 1 == to->ndim;
        rows.size[d] = sorter_rows.size[d] = to->size[d];
        rows.stride[d] = shared ? 0 : sequence->stride[d];
        sorter_rows.stride[d] = shared ? 0 : sorter_rows.stride[d];
    }
    rows.ndim = sorter_rows.ndim = to->ndim;
    const Tensor *walked[4] = {to, values, &rows, &sorter_rows};
    bool is_float = dtype_is_float(row.dtype);
    for (Walk w = walk_start(to->size, to->ndim, walked, 4); walk_more(&w); walk_next(&w)) {
        double value = 0;
        int64_t int_value = 0;
        if (scalar) {
            value = is_float ? scalar_as_double(call->arg[VALUES].scalar, row.dtype) : 0;
            int_value = is_float ? 0 : scalar_as_int(call->arg[VALUES].scalar, row.dtype);
        } else if (is_float) {
            value = cast_double(values, w.at[1], row.dtype);
        } else {
            int_value = cast_int(values, w.at[1], row.dtype, k);
        }
        row.at = w.at[2];
        row.sorter_at = w.at[3];
        element_store_int(to->storage->data, to->dtype, w.at[0],
                          kernel_search_row(&row, value, int_value, right, k));
    }
    return ERR_none;
}
