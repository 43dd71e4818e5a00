/* The compute opcodes: one loop over the elements of a tile each, generated from tile_ops.def.
 *
 * Registers never overlap each other, but a source may be a buffer that another source is too: only the destination is restrict.
 * gcc vectorizes loops of unknown length at -O3 only; the pragma asks for that here and nowhere else. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/lower.h"

#include <math.h>
#include <string.h>

/* ---- scalar code of this tier ---- */

/* float-cast-overflow is what IEEE arithmetic is for */
#define SCALAR(name, ...) __attribute__((unused, no_sanitize("float-cast-overflow"))) __VA_ARGS__
#include "compiled/tile_scalar.def"
#undef SCALAR

/* ---- the loops ---- */

#define TILE_OP(name, in, out, arity, expression)                                                                                  \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        out *restrict y = dst;                                                                                                     \
        const in *x0 = src[0], *x1 = src[(arity) > 1 ? 1 : 0], *x2 = src[(arity) > 2 ? 2 : 0], *x3 = src[(arity) > 3 ? 3 : 0];     \
        for (int i = 0; i < m; i++) {                                                                                              \
            in a = x0[i], b = x1[i], c = x2[i], d = x3[i];                                                                         \
            (void)a, (void)b, (void)c, (void)d;                                                                                    \
            y[i] = (out)(expression);                                                                                              \
        }                                                                                                                          \
    }
#define TILE_OP_SELECT(name, type)                                                                                                 \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        type *restrict y = dst;                                                                                                    \
        const int64_t *x0 = src[0];                                                                                                \
        const type *x1 = src[1], *x2 = src[2];                                                                                     \
        for (int i = 0; i < m; i++) {                                                                                              \
            y[i] = x0[i] != 0 ? x1[i] : x2[i];                                                                                     \
        }                                                                                                                          \
    }
#define TILE_OP_MASK(name, type)                                                                                                   \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        type *restrict y = dst;                                                                                                    \
        const type *x0 = src[0], *x2 = src[2];                                                                                     \
        const int64_t *x1 = src[1];                                                                                                \
        for (int i = 0; i < m; i++) {                                                                                              \
            y[i] = x1[i] != 0 ? x2[i] : x0[i];                                                                                     \
        }                                                                                                                          \
    }
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK

const TileFn tile_functions[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression) run_##name,
#define TILE_OP_SELECT(name, type) run_##name,
#define TILE_OP_MASK(name, type) run_##name,
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

const char *tile_op_name(TileOp op) {
    static const char *const names[] = {
#define TILE_OP(name, in, out, arity, expression) #name,
#define TILE_OP_SELECT(name, type) #name,
#define TILE_OP_MASK(name, type) #name,
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
        "load", "iota", "term", "loadx", "store", "storex", "addx", "reduce"};
    return (unsigned)op < COUNT_OF(names) ? names[op] : "?";
}

TileOp tile_op_of(Pw pw, Kind kind) {
    static const short table[PW_COUNT][3] = {
#define PW(name, arity, k) {TILE_##name##_f32, TILE_##name##_f64, TILE_##name##_i64},
#include "tensor/pointwise.def"
#undef PW
    };
    return (TileOp)table[pw][kind];
}
