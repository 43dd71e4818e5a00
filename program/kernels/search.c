/* The kernels of searchsorted and histc. searchsorted is PyTorch's binary search
 * (aten/src/ATen/native/Bucketization.cpp), step by step, so that the result is the same even if
 * the sequence is not sorted. */
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

/* ---- histc (aten/src/ATen/native/cpu/HistogramKernel.cpp) ---- */

static double histogram_rounded(double x, DType dtype) {
    double cell; /* room for one element of any dtype */
    element_store_double(&cell, dtype, 0, x);
    return element_double(&cell, dtype, 0);
}

/* The ends of the range, as the dtype holds them: the arguments, or those of the data. */
static void histogram_ends(const Call *call, double *least, double *most) {
    const Tensor *self = call->arg[0].tensor, *one[1] = {self};
    *least = scalar_to_double(call->arg[2].scalar);
    *most = scalar_to_double(call->arg[3].scalar);
    if (*least == *most) {
        bool first = true;
        for (Walk w = walk_start(self->size, self->ndim, one, 1); walk_more(&w); walk_next(&w)) {
            double x = element_double(self->storage->data, self->dtype, w.at[0]);
            *least = first || x < *least ? x : *least;
            *most = first || x > *most ? x : *most;
            first = false;
        }
    }
    if (*least == *most) {
        *least -= 1;
        *most += 1;
    }
    *least = histogram_rounded(*least, self->dtype);
    *most = histogram_rounded(*most, self->dtype);
}

/* Every step is rounded to the dtype, also the counts. */
ErrCode kernel_histc(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0], *one[1] = {self};
    DType dtype = self->dtype;
    double least, most;
    int64_t bins = call->arg[1].i;
    histogram_ends(call, &least, &most);
    double length = histogram_rounded(most - least, dtype),
           count = histogram_rounded((double)bins, dtype);
    for (Walk w = walk_start(self->size, self->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double x = element_double(self->storage->data, dtype, w.at[0]);
        if (!(x >= least && x <= most)) {
            continue;
        }
        double part = histogram_rounded(
            histogram_rounded(histogram_rounded(x - least, dtype) * count, dtype) / length, dtype);
        if (!(part >= 0 && part < (double)bins + 1)) {
            k->undefined = "histc: a part of the range that overflows";
            continue;
        }
        int64_t at = to->offset + min_i64((int64_t)part, bins - 1);
        double before = element_double(to->storage->data, dtype, at);
        element_store_double(to->storage->data, dtype, at, before + 1);
    }
    return ERR_none;
}
