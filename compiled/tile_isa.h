/* The kernels of the tile machine, once for every instruction set that is worth it; which one runs is found out at run time. */
#ifndef COMPILED_TILE_ISA_H
#define COMPILED_TILE_ISA_H

#include "compiled/lower.h"

enum { SOFTMAX_STRIP = 64 /* columns at a time, at most */, SOFTMAX_KEPT = 8192 /* exponentials between two walks: 64 KB of stack */ };

/* Applies a compute op to m elements. */
typedef void (*TileFn)(int m, void *dst, const void *const *src);

typedef struct TileIsa {
    const char *name;
    /* acc plus the sum of n floats */
    double (*sum_f32)(const float *x, int n, double acc);
    /* acc[k] += x[k] */
    void (*add_f32)(double *acc, const float *x, int n);
    /* softmax of n elements that lie side by side; of w such lines, w <= SOFTMAX_STRIP, that lie side by side */
    void (*softmax_row)(float *to, const float *from, int64_t n);
    void (*softmax_columns)(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t n, int w);
    TileFn function[TILE_OP_COUNT];
} TileIsa;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TILE_ISA_X86 1
extern const TileIsa tile_isa_avx512, tile_isa_avx2;
#endif
extern const TileIsa tile_isa_base; /* what the compiler was told to make */

/* By number, best first, those that this machine has; NULL after the last. */
const TileIsa *tile_isa(int number);

#endif
