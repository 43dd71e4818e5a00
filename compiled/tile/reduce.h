/* Reductions of the tile machine: along the tiles (a segment of consecutive points is one result),
 * or across them (a tile is a strip of results, one point of each). */
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
/* The next m points; writes the segments that end with them. */
void tile_reduce(Accumulator *a, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                 const Access *access, void *base, const void *src, int m);

typedef struct ColumnSums {
    double f[TILE];
    int64_t i[TILE];
    float part[TILE]; /* the sums of the last `held` rows, where four are added up first */
    int held;
} ColumnSums;

void columns_start(ColumnSums *s, ReduceKind kind, int m);
/* One more point of m results; `dtype` is the result's. */
void columns_reduce(ColumnSums *s, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                    DType dtype, const void *src, int m);
/* Writes m results from coordinates `at` on. */
void columns_finish(ColumnSums *s, const TileNest *nest, const TileInst *inst, const Access *access,
                    const int64_t *at, int m, void *base);

#endif
