/* The geometry of a convolution, read from the sizes of its three tensors: the wide one [N, C, D,
 * H, W], weight [K, C / groups, Q, R, S], the narrow one [N, K, ..]. A convolution reads the wide
 * one and writes the narrow one, a transposed one the reverse. The dims that a 1-d or 2-d
 * convolution lacks come first and have size 1. */
#ifndef PROGRAM_CONV_H
#define PROGRAM_CONV_H

#include "program/infer/infer.h"

enum { CONV_DIMS = 3 };

typedef struct Conv {
    int64_t batch, groups;
    int64_t channels, filters; /* of one group: of the wide tensor, of the narrow one */
    int64_t wide[CONV_DIMS], kernel[CONV_DIMS], narrow[CONV_DIMS];
    int64_t stride[CONV_DIMS], padding[CONV_DIMS], dilation[CONV_DIMS];
} Conv;

/* Is the convolution of `call` (_convolution, or a gradient of one) transposed? */
static inline bool conv_is_transposed(const Call *call) {
    const Arg *padding = call_arg(call, "output_padding");
    return padding && !padding->none;
}
/* Reads stride, padding, dilation and groups of `call`, a convolution over `dims` spatial dims, and
 * the sizes of its tensors, of which `wide` or `narrow` may be NULL: that is what the convolution
 * returns, and its size is computed. */
void conv_read(const Call *call, int dims, const int64_t *wide, const int64_t *weight,
               const int64_t *narrow, Conv *c);

#endif
