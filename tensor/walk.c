/* The start of an N-d walk: strides of every tensor brought to the walked size, size-1 dims dropped, and neighbouring dims merged
 * where every tensor steps through the pair as through one (stride[outer] == size[inner] * stride[inner]). */
#include "tensor/tensor.h"

Walk walk_start(const int64_t *size, int ndim, const Tensor *const *tensors, int count) {
    CHECK(count >= 1 && count <= WALK_MAX);
    Walk w;
    w.count = count;
    w.ndim = 0;
    w.left = 1;
    for (int k = 0; k < count; k++) {
        w.at[k] = tensors[k]->offset;
    }
    for (int d = 0; d < ndim; d++) {
        int64_t length = size[d], *stride = w.stride[w.ndim];
        w.left *= length;
        if (length == 1) {
            continue;
        }
        bool merges = w.ndim > 0;
        for (int k = 0; k < count; k++) {
            const Tensor *t = tensors[k];
            int own = d - (ndim - t->ndim);
            stride[k] = own < 0 || t->size[own] == 1 ? 0 : t->stride[own];
            merges = merges && stride[k - WALK_MAX] == length * stride[k];
        }
        if (merges) {
            w.size[w.ndim - 1] *= length;
            for (int k = 0; k < count; k++) {
                stride[k - WALK_MAX] = stride[k];
            }
        } else {
            w.size[w.ndim] = length;
            w.index[w.ndim++] = 0;
        }
    }
    if (w.ndim == 0) { /* one tuple */
        w.size[0] = 1;
        w.index[0] = 0;
        for (int k = 0; k < count; k++) {
            w.stride[0][k] = 0;
        }
        w.ndim = 1;
    }
    return w;
}
