/* Two more kinds of walks (tensor.h has the usual ones): over blocks of rows, and over strides
 * without a Tensor. */
#ifndef TENSOR_WALK_H
#define TENSOR_WALK_H

#include "tensor/tensor.h"

/* walk_init without Tensors: tensor k starts at `offset[k]` and has strides[k], which are already
 * expanded to `size` (0 in broadcast dims). */
void walk_init_strided(Walk *w, const int64_t *size, int ndim, const int64_t *const *strides,
                       const int64_t *offset, int count);

/* A walk over blocks of walk_rows(&w) rows. The first row of a block is at w.at[k], and each
 * further row is walk_down(&w)[k] after the one before:
 *     for (walk_init(&w, ..); walk_more(&w); walk_next_block(&w)) use_block(walk_row(&w),
 *     walk_rows(&w), ..); */
static inline int64_t walk_rows(const Walk *w) { return w->ndim > 1 ? w->size[1] : 1; }
static inline const int64_t *walk_down(const Walk *w) { return w->stride[w->ndim > 1]; }
/* Advances from the start of a block to the start of the next. */
static inline void walk_next_block(Walk *w) {
    w->left -= walk_row(w) * walk_rows(w);
    int d = 2;
    while (d < w->ndim && ++w->index[d] == w->size[d]) {
        w->index[d++] = 0;
    }
    if (d < w->ndim) {
        walk_add(w, 1, w->size[1] - 1);
        walk_add(w, d, 1);
    }
}

#endif
