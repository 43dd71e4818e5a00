/* Reductions of the tile machine: along the tiles (a segment of consecutive points is one result),
 * or across them (a tile holds one point of each of up to TILE neighbouring results). */
#ifndef COMPILED_TILE_REDUCE_H
#define COMPILED_TILE_REDUCE_H

#include "compiled/tile/isa.h"

typedef struct Accumulator {
    double f;
    int64_t i;
    int64_t seen;    /* points of the segment so far */
    int64_t segment; /* segments finished */
} Accumulator;

void accumulator_start(Accumulator *a, ReduceKind kind);
/* Accumulates the next m points; writes the segments that end among them. */
void tile_reduce(Accumulator *a, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                 const Access *access, void *base, const void *src, int m);

/* Accumulators of up to TILE neighbouring results. */
typedef struct ColumnSums {
    double f[TILE];   /* by result; floats */
    int64_t i[TILE];  /* integers */
    float part[TILE]; /* float sums of the last `held` rows, with partial sums of four */
    int held;
} ColumnSums;

void columns_start(ColumnSums *s, ReduceKind kind, int m);
/* Accumulates one more point of each of m results; `dtype` is the result's. */
void columns_reduce(ColumnSums *s, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                    DType dtype, const void *src, int m);
/* Writes m results from coordinates `at` on. */
void columns_finish(ColumnSums *s, const TileNest *nest, const TileInst *inst, const Access *access,
                    const int64_t *at, int m, void *base);

#endif
