/* The tile machine: its opcodes by name, and how it runs a nest. */
#ifndef COMPILED_TILE_RUN_H
#define COMPILED_TILE_RUN_H

#include "compiled/loops/loop_ir.h"
#include "tensor/pointwise.h"

const char *tile_op_name(TileOp op);
/* The op that computes `pw` on registers of this kind. */
TileOp tile_op_of(Pw pw, RegisterKind kind);
/* True if tile/float32_math.def has a float version of the op. */
bool tile_has_float32_math(TileOp op);

/* Bytes between two registers of a nest. Never a multiple of a page: a load whose address has the
 * page offset of an earlier store seems to the processor to depend on it. */
static inline int64_t tile_register_bytes(const TileNest *nest) {
    return (min_i64(nest->numel, nest->tile_size) * 8 + 63) / 64 * 64 + 5 * 64;
}

/* Runs iterations [from, to) of the nest's outer dim. `registers` has room for nest->nreg registers
 * of tile_register_bytes each; `data` by buffer. */
void tile_run(const TileNest *nest, const struct TileIsa *isa, void *const *data, void *registers,
              int64_t from, int64_t to);

#endif
