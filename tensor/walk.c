/* The start of an N-d walk: strides of every tensor brought to the walked size, size-1 dims dropped, and neighbouring dims merged
 * where every tensor steps through the pair as through one (stride[outer] == size[inner] * stride[inner]). */
#include "tensor/tensor.h"

#include <string.h>

/* The usual walk: every tensor is one element or row-major of this very size, so all is one row. */
static bool is_one_row(Walk *w, const int64_t *size, int ndim, const Tensor *const *tensors, int count) {
    memset(w->at, 0, sizeof w->at);
    memset(w->stride[0], 0, sizeof w->stride[0]);
    for (int k = 0; k < count; k++) {
        const Tensor *t = tensors[k];
        int64_t expected = 1;
        for (int d = t->ndim - 1; d >= 0; d--) {
            if (t->ndim != ndim || t->size[d] != size[d] || (t->stride[d] != expected && size[d] != 1)) {
                return false;
            }
            expected *= size[d];
        }
        w->at[k] = t->offset;
        w->stride[0][k] = t->ndim > 0;
    }
    w->left = 1;
    for (int d = 0; d < ndim; d++) {
        w->left *= size[d];
    }
    w->size[0] = w->left;
    w->index[0] = 0;
    w->ndim = 1;
    return true;
}

void walk_init(Walk *w, const int64_t *size, int ndim, const Tensor *const *tensors, int count) {
    CHECK(count >= 1 && count <= WALK_MAX);
    w->count = count;
    if (is_one_row(w, size, ndim, tensors, count)) {
        return;
    }
    int dim[MAX_DIMS], n = 0; /* those with more than one place */
    w->left = 1;
    for (int d = 0; d < ndim; d++) {
        w->left *= size[d];
        if (size[d] != 1) {
            w->size[n] = size[d];
            dim[n++] = d;
        }
    }
    if (n == 0) { /* one tuple: a row of one */
        w->size[0] = 1;
    }
    for (int j = 0; j < n || j == 0; j++) {
        memset(w->stride[j], 0, sizeof w->stride[j]);
    }
    for (int k = 0; k < count; k++) {
        const Tensor *t = tensors[k];
        int missing = ndim - t->ndim;
        w->at[k] = t->offset;
        for (int j = 0; j < n; j++) {
            int own = dim[j] - missing;
            if (own >= 0 && t->size[own] != 1) {
                w->stride[j][k] = t->stride[own];
            }
        }
    }
    int last = 0;
    w->index[0] = 0;
    for (int j = 1; j < n; j++) {
        bool merges = true;
        for (int k = 0; k < count && merges; k++) {
            merges = w->stride[last][k] == w->size[j] * w->stride[j][k];
        }
        w->size[j] *= merges ? w->size[last] : 1;
        last += !merges;
        w->size[last] = w->size[j];
        w->index[last] = 0;
        if (last < j) {
            memcpy(w->stride[last], w->stride[j], sizeof w->stride[j]);
        }
    }
    w->ndim = last + 1;
    if (last < 2) {
        return;
    }
    int64_t back[WALK_MAX] = {0}; /* from the last row to the first, of the dims within d */
    for (int d = last - 1; d >= 0; d--) {
        for (int k = 0; k < count; k++) {
            int64_t stride = w->stride[d][k];
            w->stride[d][k] -= back[k];
            back[k] += stride * (w->size[d] - 1);
        }
    }
}
