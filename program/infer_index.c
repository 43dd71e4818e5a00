/* Inference of indexing by tensors: index, index_put, gather, scatter, index_select, index_add, nonzero, and the scatters into views.
 * Which indices are in range is the kernels' business; everything else is decided here. */
#include "program/infer.h"

#include <string.h>

/* ---- index and _index_put (aten/src/ATen/native/TensorAdvancedIndexing.cpp) ---- */

/* Are the dims that tensors index neighbours? */
static bool indices_adjacent(const IndexPlan *p) { return p->nindex == 0 || p->dim[p->nindex - 1] - p->dim[0] == p->nindex - 1; }

/* Broadcasts the index tensors; their common size. */
static ErrCode broadcast_indices(const IndexPlan *p, int64_t *size, int *ndim, Error *err) {
    *ndim = 0;
    for (int k = 0; k < p->nindex; k++) {
        Error shape;
        shape.code = ERR_none;
        if (broadcast_into(size, ndim, p->index[k]->size, p->index[k]->ndim, &shape) != ERR_none) {
            return error_set(err, ERR_shape, "shape mismatch: indexing tensors could not be broadcast together");
        }
    }
    return ERR_none;
}

/* Collects the index tensors and the dims they index. */
static ErrCode collect_indices(const Call *call, IndexPlan *p, Error *err) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *list = &call->arg[1];
    if (list->tensors.n > self->ndim) {
        return error_set(err, ERR_index_range, "too many indices for tensor of dimension %d (got %d)", self->ndim, list->tensors.n);
    }
    p->nindex = 0;
    for (int d = 0; d < list->tensors.n; d++) {
        const Tensor *t = list->tensors.v[d];
        if (!t) {
            continue;
        }
        if (t->dtype != DT_int64) {
            return error_set(err, ERR_index_dtype, "tensors used as indices must be long, byte or bool tensors");
        }
        p->dim[p->nindex] = d;
        p->index[p->nindex++] = t;
    }
    return ERR_none;
}

static void add_dim(IndexPlan *p, int64_t size, int64_t stride) {
    p->size[p->ndim] = size;
    p->source[p->ndim++] = stride;
}

ErrCode index_plan(const Call *call, IndexPlan *p, Error *err) {
    const Tensor *self = call->arg[0].tensor;
    TRY(collect_indices(call, p, err));
    int64_t size[MAX_DIMS];
    TRY(broadcast_indices(p, size, &p->nbroadcast, err));
    if (self->ndim - p->nindex + p->nbroadcast > MAX_DIMS) {
        return error_set(err, ERR_limit, "a tensor of %d dims is over the limit of %d", self->ndim - p->nindex + p->nbroadcast, MAX_DIMS);
    }
    bool hit = p->nindex > 0; /* does some index tuple exist? */
    for (int d = 0; d < p->nbroadcast; d++) {
        hit = hit && size[d] != 0;
    }
    p->first = indices_adjacent(p) && p->nindex > 0 ? p->dim[0] : 0;
    p->ndim = 0;
    int next = 0;
    for (int d = 0; d <= self->ndim; d++) {
        if (p->ndim == p->first && (d == self->ndim || next == 0 || p->first > 0)) {
            int start = p->ndim;
            if (next == 0 || p->first == 0) {
                for (int k = 0; k < p->nbroadcast && start == p->first && next >= 0; k++) {
                    add_dim(p, size[k], 0);
                }
                next = -1;
            }
        }
        if (d == self->ndim) {
            break;
        }
        bool indexed = false;
        for (int k = 0; k < p->nindex; k++) {
            indexed = indexed || p->dim[k] == d;
        }
        if (!indexed) {
            add_dim(p, self->size[d], self->stride[d]);
        } else if (hit && self->size[d] == 0) {
            return error_set(err, ERR_index_range, "index is out of bounds for dimension with size 0");
        }
    }
    return sizes_fit(p->size, p->ndim, err);
}
