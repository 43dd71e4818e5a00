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
        w.left *= size[d];
        if (size[d] == 1) {
            continue;
        }
        int64_t stride[WALK_MAX];
        for (int k = 0; k < count; k++) {
            const Tensor *t = tensors[k];
            int own = d - (ndim - t->ndim);
            stride[k] = own < 0 || t->size[own] == 1 ? 0 : t->stride[own];
        }
        bool merges = w.ndim > 0;
        for (int k = 0; k < count && merges; k++) {
            merges = w.stride[k][w.ndim - 1] == size[d] * stride[k];
        }
        if (merges) {
            w.size[w.ndim - 1] *= size[d];
        } else {
            w.size[w.ndim] = size[d];
            w.index[w.ndim] = 0;
            w.ndim++;
        }
        for (int k = 0; k < count; k++) {
            w.stride[k][w.ndim - 1] = stride[k];
        }
    }
    return w;
}
