/* The kernels of the tile machine, compiled once for every instruction set that is worth it. Which
 * table is used is decided at run time. */
#ifndef COMPILED_TILE_ISA_H
#define COMPILED_TILE_ISA_H

#include "compiled/loops/loop_ir.h"

enum {
    SOFTMAX_COLUMNS = 64 /* most lines that are processed together */,
    SOFTMAX_COLUMNS_FLOAT32 = 1024 /* the same in float */,
    SOFTMAX_KEPT = 8192 /* exponentials that are kept between two passes: 64 KB of stack */
};

/* Applies a compute op to m elements. */
typedef void (*TileFn)(int m, void *dst, const void *const *src);

typedef struct TileIsa {
    const char *name;
    /* m points from coordinates `at` on: load to a register, store from one, and their addresses in
     * elements */
    void (*load)(const TileNest *nest, const Access *access, const int64_t *at, int m, void *dst,
                 const void *base);
    void (*store)(const TileNest *nest, const Access *access, const int64_t *at, int m, void *base,
                  const void *src);
    void (*iota)(const TileNest *nest, const Access *access, const int64_t *at, int m,
                 int64_t *dst);
    void (*term)(const TileInst *inst, int m, int64_t *dst, const int64_t *address,
                 const int64_t *index);
    /* through addresses; add_indirect adds one element after the other: integers wrap, bools are
     * or-ed */
    void (*load_indirect)(DType dtype, int m, void *dst, const void *base, const int64_t *address);
    void (*store_indirect)(DType dtype, int m, void *base, const int64_t *address, const void *src);
    void (*add_indirect)(DType dtype, int m, void *base, const int64_t *address, const void *src);
    /* acc plus the sum of n floats; sum_partial4 adds four of them in float first */
    double (*sum_f32)(const float *x, int n, double acc);
    double (*sum_partial4)(const float *x, int n, double acc);
    /* acc[k] += x[k]; add_partial4 does so for four rows at a time: `row` is 0 to 3, part[k] the
     * float sum of the rows before it */
    void (*add_f32)(double *acc, const float *x, int n);
    void (*add_partial4)(double *acc, float *part, const float *x, int row, int n);
    /* softmax of one contiguous line of n elements; of w neighbouring strided lines, w <=
     * SOFTMAX_COLUMNS */
    void (*softmax_row)(float *to, const float *from, int64_t n);
    void (*softmax_columns)(float *to, int64_t to_step, const float *from, int64_t from_step,
                            int64_t n, int w);
    /* the same in float, w <= SOFTMAX_COLUMNS_FLOAT32 */
    void (*softmax_row_float32)(float *to, const float *from, int64_t n);
    void (*softmax_columns_float32)(float *to, int64_t to_step, const float *from,
                                    int64_t from_step, int64_t n, int w);
    TileFn function[TILE_OP_COUNT];
    TileFn float32_math[TILE_OP_COUNT]; /* float versions (tile/float32_math.def), or NULL */
} TileIsa;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TILE_ISA_X86 1
extern const TileIsa tile_isa_avx512, tile_isa_avx2;
#endif
extern const TileIsa tile_isa_base; /* the instruction set of the build */

/* The tables that this machine can run, best first, by number; NULL after the last. */
const TileIsa *tile_isa(int number);

#endif
