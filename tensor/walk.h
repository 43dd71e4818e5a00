/* Two more ways to walk (tensor.h has the usual ones): by blocks of rows, and over what is no
 * Tensor. */
#ifndef TENSOR_WALK_H
#define TENSOR_WALK_H

#include "tensor/tensor.h"

/* walk_init without a Tensor: positions start at `offset[k]` and step by strides[k], which are
 * already brought to `size` (0 on broadcast dims). */
void walk_init_strided(Walk *w, const int64_t *size, int ndim, const int64_t *const *strides,
                       const int64_t *offset, int count);

/* A walk goes a block of walk_rows(&w) rows at a time, the first at w.at[k] and each
 * walk_down(&w)[k] from the one before:
 *     for (walk_init(&w, ..); walk_more(&w); walk_next_block(&w)) use_block(walk_row(&w),
 *     walk_rows(&w), ..); */
static inline int64_t walk_rows(const Walk *w) { return w->ndim > 1 ? w->size[1] : 1; }
static inline const int64_t *walk_down(const Walk *w) { return w->stride[w->ndim > 1]; }
/* From the start of a block to that of the next. */
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
