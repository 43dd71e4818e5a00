/* Interpolation over the last 1 to 3 dims of [batch, channels, ..]: which elements of the input an
 * element of the output is made of (aten/src/ATen/native/UpSample.h). */
#ifndef PROGRAM_INTERPOLATE_H
#define PROGRAM_INTERPOLATE_H

#include "program/infer/infer.h"

/* One dim: `in` elements become `out`, each from `taps` elements: 1 nearest, 2 linear, 4 cubic. */
typedef struct Interpolation {
    int taps;
    bool align_corners;
    double scale; /* out / in as the program states it; 0: not stated */
    int64_t in, out;
} Interpolation;

/* How many taps the op has along each dim. */
int upsample_taps(const Call *call);
/* Reads the dims of `call`, an op or the gradient of one. Returns how many they are. */
int upsample_read(const Call *call, Interpolation dims[3]);
/* The indices and the weights of output element `o`, computed in float unless `dtype` is float64.
 * False: PyTorch's kernels for the nearest element do not agree on it: it is another one in double
 * than in float, or the stated scale is not that of the sizes, which some of them prefer. */
bool interpolation_taps(const Interpolation *dim, int64_t o, DType dtype, int64_t at[4],
                        double weight[4]);

#endif
