/* The tile machine: runs a nest's bytecode over its points, up to TILE at a time.
 *
 * Tiles are runs of the row-major order and span rows, so that a nest of many short rows costs as many dispatches as one long row.
 * A register is a row of up to TILE elements; a load of consecutive elements only points it into the buffer. Reductions
 * accumulate over segments of `reduced` consecutive points, which a tile may begin or end in the middle of. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/tile_isa.h"
#include "compiled/tile_memory.h"

#include <math.h>

enum { WIDE = 32 /* elements below which wide vectors have nothing to do */ };

typedef struct Accumulator {
    double f;
    int64_t i;
    int64_t seen;    /* points of the segment so far */
    int64_t segment; /* segments finished */
} Accumulator;

/* Doubles can overflow, and then the order decides between inf and nan: one after the other. */
static double sum_f64(const double *x, int n, double acc) {
    for (int i = 0; i < n; i++) {
        acc += x[i];
    }
    return acc;
}

#define EXTREME_FUNCTIONS(suffix, type)                                                                                            \
    static double max_##suffix(const type *x, int n, double acc) {                                                                 \
        for (int i = 0; i < n; i++) {                                                                                              \
            acc = isnan(acc) ? acc : !((double)x[i] <= acc) ? (double)x[i] : acc;                                                  \
        }                                                                                                                          \
        return acc;                                                                                                                \
    }                                                                                                                              \
    static double min_##suffix(const type *x, int n, double acc) {                                                                 \
        for (int i = 0; i < n; i++) {                                                                                              \
            acc = isnan(acc) ? acc : !((double)x[i] >= acc) ? (double)x[i] : acc;                                                  \
        }                                                                                                                          \
        return acc;                                                                                                                \
    }                                                                                                                              \
    static double prod_##suffix(const type *x, int n, double acc) {                                                                \
        for (int i = 0; i < n; i++) {                                                                                              \
            acc *= (double)x[i];                                                                                                   \
        }                                                                                                                          \
        return acc;                                                                                                                \
    }
EXTREME_FUNCTIONS(f32, float)
EXTREME_FUNCTIONS(f64, double)

static void accumulate_float(Accumulator *a, const TileIsa *isa, ReduceKind kind, bool single, const void *x, int n) {
    const float *s = x;
    const double *d = x;
    switch (kind) {
    case REDUCE_SUM:
    case REDUCE_MEAN:
        a->f = single ? isa->sum_f32(s, n, a->f) : sum_f64(d, n, a->f);
        break;
    case REDUCE_PROD:
        a->f = single ? prod_f32(s, n, a->f) : prod_f64(d, n, a->f);
        break;
    case REDUCE_MAX:
        a->f = single ? max_f32(s, n, a->f) : max_f64(d, n, a->f);
        break;
    case REDUCE_MIN:
        a->f = single ? min_f32(s, n, a->f) : min_f64(d, n, a->f);
        break;
    }
}

static void accumulate_int(Accumulator *a, ReduceKind kind, const int64_t *x, int n) {
    uint64_t sum = (uint64_t)a->i;
    for (int i = 0; i < n; i++) {
        switch (kind) {
        case REDUCE_SUM:
        case REDUCE_MEAN:
            sum += (uint64_t)x[i];
            break;
        case REDUCE_PROD:
            sum *= (uint64_t)x[i];
            break;
        case REDUCE_MAX:
            sum = x[i] > (int64_t)sum ? (uint64_t)x[i] : sum;
            break;
        case REDUCE_MIN:
            sum = x[i] < (int64_t)sum ? (uint64_t)x[i] : sum;
            break;
        }
    }
    a->i = (int64_t)sum;
}

static void accumulator_start(Accumulator *a, ReduceKind kind) {
    a->seen = 0;
    a->f = kind == REDUCE_PROD ? 1 : kind == REDUCE_MAX ? (double)-INFINITY : kind == REDUCE_MIN ? (double)INFINITY : 0;
    a->i = kind == REDUCE_PROD ? 1 : kind == REDUCE_MAX ? INT64_MIN : kind == REDUCE_MIN ? INT64_MAX : 0;
}

/* Writes the finished segment and starts the next. */
static void accumulator_finish(Accumulator *a, const TileNest *nest, const TileInst *inst, const Access *access, void *base) {
    int64_t position = access->offset, rest = a->segment++;
    for (int d = nest->kept - 1; d > 0; d--) {
        position += rest % nest->size[d] * access->stride[d];
        rest /= nest->size[d];
    }
    position += nest->kept > 0 ? rest * access->stride[0] : 0;
    if (dtype_is_float(access->dtype)) {
        double value = inst->reduce == REDUCE_MEAN ? dtype_round(a->f, access->dtype) / (double)nest->reduced : a->f;
        element_store_double(base, access->dtype, position, value);
    } else {
        element_store_int(base, access->dtype, position, a->i);
    }
    accumulator_start(a, inst->reduce);
}

static void tile_reduce(Accumulator *a, const TileIsa *isa, const TileNest *nest, const TileInst *inst, const Access *access, void *base,
                        const void *src, int m) {
    bool is_float = dtype_is_float(access->dtype), single = dtype_kind(access->dtype) == KIND_F32;
    const char *x = src;
    int bytes = single ? 4 : 8;
    for (int done = 0; done < m;) {
        int64_t left = nest->reduced - a->seen;
        int k = left < m - done ? (int)left : m - done;
        if (is_float) {
            accumulate_float(a, isa, inst->reduce, single, x + done * bytes, k);
        } else {
            accumulate_int(a, inst->reduce, (const int64_t *)(const void *)x + done, k);
        }
        done += k;
        a->seen += k;
        if (a->seen == nest->reduced) {
            accumulator_finish(a, nest, inst, access, base);
        }
    }
}

static void tile_term(const TileInst *inst, int m, int64_t *dst, const int64_t *address, const int64_t *index) {
    for (int i = 0; i < m; i++) {
        int64_t at = index[i];
        if (inst->wrap && at < 0) {
            at = (int64_t)((uint64_t)at + (uint64_t)inst->bound);
        }
        bool inside = at >= 0 && at < inst->bound && address[i] >= 0;
        dst[i] = inside ? address[i] + at * inst->stride : -1;
    }
}

static void fill_constant(const TileConst *c, void *reg, int m) {
    for (int i = 0; i < m; i++) {
        if (c->kind == KIND_F32) {
            ((float *)reg)[i] = (float)c->value.f;
        } else if (c->kind == KIND_F64) {
            ((double *)reg)[i] = c->value.f;
        } else {
            ((int64_t *)reg)[i] = c->value.i;
        }
    }
}

static void advance(const TileNest *nest, int64_t *at, int m) {
    int d = nest->ndim - 1;
    at[d] += m;
    for (; d > 0 && at[d] >= nest->size[d]; d--) {
        at[d - 1] += at[d] / nest->size[d];
        at[d] %= nest->size[d];
    }
}

/* One tile. own[k] is the memory of register k; reg[k] where it is now. */
static void run_tile(const TileNest *nest, const TileIsa *isa, void *const *data, const int64_t *at, int m, void *const *own, void **reg,
                     Accumulator *acc) {
    for (int k = 0; k < nest->ninst; k++) {
        const TileInst *inst = &nest->inst[k];
        if (inst->op < TILE_OP_COUNT) {
            const void *src[4] = {reg[inst->src[0]], reg[inst->src[1]], reg[inst->src[2]], reg[inst->src[3]]};
            isa->function[inst->op](m, own[inst->dst], src);
            reg[inst->dst] = own[inst->dst];
            continue;
        }
        const Access *access = &nest->access[inst->access];
        void *base = inst->op == TILE_TERM || inst->op == TILE_IOTA ? NULL : data[access->buffer];
        switch ((int)inst->op) {
        case TILE_LOAD:
            if (inst->direct) {
                reg[inst->dst] = (char *)base + (access->offset + at[0]) * dtype_bytes(access->dtype);
            } else {
                reg[inst->dst] = own[inst->dst];
                tile_load(nest, access, at, m, own[inst->dst], base);
            }
            break;
        case TILE_IOTA:
            reg[inst->dst] = own[inst->dst];
            tile_iota(nest, access, at, m, own[inst->dst]);
            break;
        case TILE_TERM:
            tile_term(inst, m, own[inst->dst], reg[inst->src[0]], reg[inst->src[1]]);
            reg[inst->dst] = own[inst->dst];
            break;
        case TILE_LOADX:
            tile_load_indirect(access->dtype, m, own[inst->dst], base, reg[inst->src[0]]);
            reg[inst->dst] = own[inst->dst];
            break;
        case TILE_STORE:
            tile_store(nest, access, at, m, base, reg[inst->src[0]]);
            break;
        case TILE_STOREX:
            tile_store_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_ADDX:
            tile_add_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_REDUCE:
            tile_reduce(&acc[inst->dst], isa, nest, inst, access, base, reg[inst->src[0]], m);
            break;
        default:
            break;
        }
    }
}

void tile_run(const TileNest *nest, const TileIsa *isa, void *const *data, void *registers) {
    if (nest->numel == 0) {
        return;
    }
    if (nest->numel < WIDE) {
        isa = &tile_isa_base;
    }
    void *own[MAX_REGISTERS], *reg[MAX_REGISTERS];
    Accumulator acc[MAX_REDUCTIONS];
    int64_t at[MAX_DIMS];
    int tile = nest->numel < nest->trip ? (int)nest->numel : nest->trip;
    int64_t bytes = ((int64_t)tile * 8 + 63) / 64 * 64;
    for (int k = 0; k < nest->nreg; k++) {
        own[k] = reg[k] = (char *)registers + k * bytes;
    }
    for (int k = 0; k < nest->nconst; k++) {
        fill_constant(&nest->constant[k], own[nest->constant[k].reg], tile);
    }
    for (int k = 0; k < nest->ninst; k++) {
        if (nest->inst[k].op == TILE_REDUCE) {
            Accumulator *a = &acc[nest->inst[k].dst];
            accumulator_start(a, nest->inst[k].reduce);
            a->segment = 0;
        }
    }
    for (int d = 0; d < nest->ndim; d++) {
        at[d] = 0;
    }
    for (int64_t done = 0; done < nest->numel;) {
        int m = nest->numel - done < tile ? (int)(nest->numel - done) : tile;
        run_tile(nest, isa, data, at, m, own, reg, acc);
        done += m;
        advance(nest, at, m);
    }
}
