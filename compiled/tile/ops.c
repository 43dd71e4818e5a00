/* The compute opcodes of the tile machine by name, and the table of kernels for this machine. */
#include "compiled/tile/isa.h"
#include "compiled/tile/run.h"

const TileIsa *tile_isa(int number) {
    const TileIsa *has[4];
    int n = 0;
#ifdef TILE_ISA_X86
    bool fma = __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        has[n++] = &tile_isa_avx512;
    }
    if (fma && __builtin_cpu_supports("avx2")) {
        has[n++] = &tile_isa_avx2;
    }
#endif
    has[n++] = &tile_isa_base;
    return number < n ? has[number] : NULL;
}

const char *tile_op_name(TileOp op) {
    static const char *const names[] = {
#define TILE_OP(name, in, out, arity, expression) #name,
#define TILE_OP_SELECT(name, type) #name,
#define TILE_OP_MASK(name, type) #name,
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
        "load", "iota", "term", "loadx", "store", "storex", "addx", "reduce"};
    return (unsigned)op < COUNT_OF(names) ? names[op] : "?";
}

TileOp tile_op_of(Pw pw, RegisterKind kind) {
    static const short table[PW_COUNT][3] = {
#define PW(name, arity, k, f, i) {TILE_##name##_f32, TILE_##name##_f64, TILE_##name##_i64},
#define PW_SHARED(name, arity, k, f, i) {TILE_OP_COUNT, TILE_OP_COUNT, TILE_OP_COUNT},
#include "tensor/pointwise.def"
#undef PW
    };
    CHECK(table[pw][kind] < TILE_OP_COUNT);
    return (TileOp)table[pw][kind];
}

bool tile_has_float32_math(TileOp op) {
    static const bool table[TILE_OP_COUNT] = {
#define FLOAT32_MATH(name, expression, ulp) [TILE_##name] = true,
#include "compiled/tile/float32_math.def"
#undef FLOAT32_MATH
    };
    return op < TILE_OP_COUNT && table[op];
}
