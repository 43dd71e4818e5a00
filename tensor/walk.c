/* Initialization of an N-d walk, dim by dim from the last: the strides of every tensor are expanded
 * to the walked size, dims of size 1 are dropped, and a dim is merged with the inner dim where all
 * tensors allow it (stride == inner size * inner stride). */
#include "tensor/walk.h"

#include <string.h>

/* For the dims beyond the row and the next: a step along one starts from the end of the inner dims,
 * except the row. */
__attribute__((always_inline)) static inline void subtract_inner_steps(Walk *w, int count) {
    uint64_t back[WALK_MAX] = {0}; /* it overflows only if there are no elements */
    for (int d = 1; d < w->ndim; d++) {
        for (int k = 0; k < count; k++) {
            uint64_t stride = (uint64_t)w->stride[d][k];
            w->stride[d][k] = (int64_t)(stride - back[k]);
            back[k] += stride * (uint64_t)(w->size[d] - 1);
        }
    }
}

/* The source of a walk's strides. */
typedef enum WalkSource {
    OF_TENSORS,
    OF_WHOLE_TENSORS /* tensors that have all dims of the walk */,
    OF_ARRAYS
} WalkSource;

/* Initializes a walk. Inlined, so that the compiler knows the count and the source of strides.
 * Either tensors or strides are given. */
__attribute__((always_inline)) static inline void walk_begin(Walk *w, const int64_t *size, int ndim,
                                                             const Tensor *const *tensors,
                                                             const int64_t *const *strides,
                                                             int count, WalkSource source) {
    int64_t stride[WALK_MAX] = {0};  /* along the current dim */
    uint64_t merged[WALK_MAX] = {0}; /* the stride with which it would merge with the inner dims; it
                                        overflows only if there are no elements */
    int64_t left = 1;
    int n = 0;
    w->count = count;
    for (int d = ndim - 1; d >= 0; d--) {
        int64_t length = size[d];
        if (length == 1) {
            continue;
        }
        uint64_t apart = n == 0;
        for (int k = 0; k < count; k++) {
            if (source == OF_ARRAYS) {
                stride[k] = strides[k][d];
            } else {
                const Tensor *t = tensors[k];
                int own = source == OF_WHOLE_TENSORS ? d : d - ndim + t->ndim;
                stride[k] = own >= 0 && t->size[own] != 1 ? t->stride[own] : 0;
            }
            apart |= (uint64_t)stride[k] ^ merged[k];
            merged[k] = (uint64_t)stride[k] * (uint64_t)length;
        }
        left *= length;
        if (apart) {
            for (int k = 0; k < WALK_MAX; k++) {
                w->stride[n][k] = k < count ? stride[k] : 0;
            }
            w->index[n] = 0;
            w->size[n++] = length;
        } else {
            w->size[n - 1] *= length;
        }
    }
    if (n == 0) { /* one index tuple: a row of one element */
        memset(w->stride[0], 0, sizeof w->stride[0]);
        w->index[0] = 0;
        w->size[n++] = 1;
    }
    w->left = left;
    w->ndim = n;
    if (n > 2) {
        subtract_inner_steps(w, count);
    }
}

#define START(count)                                                                               \
    whole ? walk_begin(w, size, ndim, tensors, NULL, count, OF_WHOLE_TENSORS)                      \
          : walk_begin(w, size, ndim, tensors, NULL, count, OF_TENSORS)
void walk_init(Walk *w, const int64_t *size, int ndim, const Tensor *const *tensors, int count) {
    CHECK(count >= 1 && count <= WALK_MAX);
    bool whole = true;
    memset(w->at, 0, sizeof w->at);
    for (int k = 0; k < count; k++) {
        w->at[k] = tensors[k]->offset;
        whole &= tensors[k]->ndim == ndim;
    }
    switch (count) {
    case 1:
        START(1);
        break;
    case 2:
        START(2);
        break;
    case 3:
        START(3);
        break;
    default:
        walk_begin(w, size, ndim, tensors, NULL, count, OF_TENSORS);
        break;
    }
}

void walk_init_strided(Walk *w, const int64_t *size, int ndim, const int64_t *const *strides,
                       const int64_t *offset, int count) {
    CHECK(count >= 1 && count <= WALK_MAX);
    memset(w->at, 0, sizeof w->at);
    memcpy(w->at, offset, (size_t)count * sizeof *offset);
    if (count == 3) {
        walk_begin(w, size, ndim, NULL, strides, 3, OF_ARRAYS);
    } else {
        walk_begin(w, size, ndim, NULL, strides, count, OF_ARRAYS);
    }
}
