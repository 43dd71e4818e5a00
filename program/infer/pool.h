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

#endif
