/* Pooling windows: the arguments of a pooling op, read and checked as in
 * aten/src/ATen/native/Pool.h. */
#ifndef PROGRAM_POOL_H
#define PROGRAM_POOL_H

#include "program/infer/infer.h"

/* A plane of in[0] rows and in[1] columns, and its windows of `kernel` elements, `stride` apart,
 * with `dilation` between neighbouring elements. */
typedef struct Pool {
    int64_t kernel[2], stride[2], padding[2], dilation[2];
    int64_t in[2], out[2];
    bool ceil_mode;
} Pool;

/* Reads kernel_size, stride, padding, dilation, ceil_mode of `call` and the plane of `self` (3 or 4
 * dims, else ERR_index_range), in the order of PyTorch's checks; ERR_limit for numbers over 32
 * bits. */
ErrCode pool_read(const Call *call, const Tensor *self, Pool *p, Error *err);
/* pool2d_shape_check: the remaining checks (all ERR_invalid). */
ErrCode pool_check(const Tensor *self, const Pool *p, Error *err);
/* The size of a pooled dim (pooling_output_shape); ERR_invalid for a stride of 0 or a pad of more
 * than half the kernel. */
ErrCode pool_output(int64_t in, int64_t kernel, int64_t pad, int64_t stride, int64_t dilation,
                    bool ceil_mode, int64_t *out, Error *err);

/* ---- pooling over 1 to 3 dims: windows of a size, or, adaptive, so many parts of a dim ---- */

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
