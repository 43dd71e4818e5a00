/* Between registers and buffers: a tile of a nest's points, from coordinates `at` on, through an access. */
#ifndef COMPILED_TILE_MEMORY_H
#define COMPILED_TILE_MEMORY_H

#include "compiled/lower.h"

/* Registers of integer dtypes hold int64; bool and uint8 are one byte. `base` is the buffer. */
void tile_load(const TileNest *nest, const Access *access, const int64_t *at, int m, void *dst, const void *base);
void tile_store(const TileNest *nest, const Access *access, const int64_t *at, int m, void *base, const void *src);
/* The addresses (elements) that a load would read. */
void tile_iota(const TileNest *nest, const Access *access, const int64_t *at, int m, int64_t *dst);
/* Through addresses; a negative one is poisoned: it reads 0 and writes nothing. */
void tile_load_indirect(DType dtype, int m, void *dst, const void *base, const int64_t *address);
void tile_store_indirect(DType dtype, int m, void *base, const int64_t *address, const void *src);
/* base[address] += src, one after the other; integers wrap, bools or. */
void tile_add_indirect(DType dtype, int m, void *base, const int64_t *address, const void *src);

#endif
