/* The geometry of a convolution, read from the sizes of its three tensors: input [N, C, H, W],
 * weight [K, C / groups, R, S], output [N, K, P, Q]; a 1-d convolution has H = R = P = 1. */
#ifndef PROGRAM_CONV_H
#define PROGRAM_CONV_H

#include "program/infer/infer.h"

typedef struct Conv {
    int64_t batch, groups;
    int64_t channels, filters; /* of one group */
    int64_t in[2], kernel[2], out[2];
    int64_t stride[2], padding[2], dilation[2];
} Conv;

/* Reads stride, padding, dilation and groups of `call`, a convolution over `dims` spatial dims, and
 * the sizes of input and weight. The output size is computed from these. */
void conv_read(const Call *call, int dims, const int64_t *input, const int64_t *weight, Conv *c);

#endif
