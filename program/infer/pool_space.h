/* Pooling over 1 to 3 dims: windows of a size, with a stride, and windows that divide a dim into a
 * number of parts (adaptive). */
#ifndef PROGRAM_POOL_SPACE_H
#define PROGRAM_POOL_SPACE_H

#include "program/infer/pool.h"

typedef struct PoolDim {
    int64_t in, out;
    bool adaptive; /* then the rest has no meaning */
    int64_t kernel, stride, padding, dilation;
} PoolDim;

typedef struct PoolSpace {
    int n;
    PoolDim dim[3];
} PoolSpace;

/* Reads and checks the arguments of a pooling op over `self`: adaptive if it has an output_size. */
ErrCode pool_space_read(const Call *call, const Tensor *self, PoolSpace *p, Error *err);
/* The elements of window `o` that are in the dim: the first one, how many, and the step between
 * them. `*all` counts the padding, too, without dilation. */
int64_t pool_dim_window(const PoolDim *d, int64_t o, int64_t *count, int64_t *all);

/* ---- the sliding blocks of im2col and col2im ---- */

typedef struct Columns {
    int64_t kernel[2], dilation[2], padding[2], stride[2];
    int64_t plane[2], blocks[2]; /* rows and columns of the plane, and of blocks */
} Columns;

/* Reads and checks the four lists of `call`; leaves plane and blocks out. */
ErrCode columns_read(const Call *call, Columns *c, Error *err);
/* Sets plane, and counts the blocks; ERR_invalid if there are none. */
ErrCode columns_count(Columns *c, const int64_t *plane, Error *err);

#endif
