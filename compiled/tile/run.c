/* The tile machine: runs a nest's bytecode over its points, up to TILE at a time.
 *
 * A tile is a run of points in row-major order that may span rows, so that a nest of many short
 * rows needs as few dispatches as one long row. A register is an array of up to TILE elements; a
 * load of contiguous elements only points the register into the buffer. Reductions accumulate over
 * segments of `reduced` consecutive points, which may begin and end inside a tile. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/tile/run.h"
#include "compiled/tile/isa.h"
#include "compiled/tile/reduce.h"

#include <string.h>

enum { WIDE = 32 /* elements below which wide vectors gain nothing */ };

static void fill_constant(const TileConst *c, void *reg, int m) {
    for (int i = 0; i < m; i++) {
        if (c->kind == REGISTER_F32) {
            ((float *)reg)[i] = (float)c->value.f;
        } else if (c->kind == REGISTER_F64) {
            ((double *)reg)[i] = c->value.f;
        } else {
            ((int64_t *)reg)[i] = c->value.i;
        }
    }
}

static void run_advance(const TileNest *nest, int64_t *at, int m) {
    int d = nest->ndim - 1;
    at[d] += m;
    for (; d > 0 && at[d] >= nest->size[d]; d--) {
        at[d - 1] += at[d] / nest->size[d];
        at[d] %= nest->size[d];
    }
}

/* The address of the m points from coordinates `at` on, if they are contiguous; otherwise NULL. */
static void *contiguous_at(const TileNest *nest, const Access *access, const int64_t *at, int m,
                           void *base) {
    int last = nest->ndim - 1;
    if (access->stride[last] != 1 || at[last] + m > nest->size[last]) {
        return NULL;
    }
    int64_t position = access->offset;
    for (int d = 0; d <= last; d++) {
        position += at[d] * access->stride[d];
    }
    return (char *)base + position * dtype_bytes(access->dtype);
}

/* Runs one tile. own[k] is the memory of register k, reg[k] its value: there or in a buffer. */
static void run_tile(const TileNest *nest, const TileIsa *isa, void *const *data, const int64_t *at,
                     int m, void *const *own, void **reg, Accumulator *acc, ColumnSums *columns) {
    for (int k = 0; k < nest->ninst; k++) {
        const TileInst *inst = &nest->inst[k];
        if (inst->op < TILE_OP_COUNT) {
            const void *src[4] = {reg[inst->src[0]], reg[inst->src[1]], reg[inst->src[2]],
                                  reg[inst->src[3]]};
            void *dst = inst->into < 0 ? NULL
                                       : contiguous_at(nest, &nest->access[inst->into], at, m,
                                                       data[nest->access[inst->into].buffer]);
            dst = dst ? dst : own[inst->dst];
            (nest->tile_float32_math && isa->float32_math[inst->op]
                 ? isa->float32_math
                 : isa->function)[inst->op](m, dst, src);
            reg[inst->dst] = dst;
            continue;
        }
        const Access *access = &nest->access[inst->access];
        void *base = inst->op == TILE_TERM || inst->op == TILE_IOTA ? NULL : data[access->buffer];
        switch ((int)inst->op) {
        case TILE_LOAD:
            reg[inst->dst] = inst->direct ? contiguous_at(nest, access, at, m, base) : NULL;
            if (!reg[inst->dst]) {
                reg[inst->dst] = own[inst->dst];
                isa->load(nest, access, at, m, own[inst->dst], base);
            }
            break;
        case TILE_IOTA:
            reg[inst->dst] = own[inst->dst];
            isa->iota(nest, access, at, m, own[inst->dst]);
            break;
        case TILE_TERM:
            isa->term(inst, m, own[inst->dst], reg[inst->src[0]], reg[inst->src[1]]);
            reg[inst->dst] = own[inst->dst];
            break;
        case TILE_LOADX:
            isa->load_indirect(access->dtype, m, own[inst->dst], base, reg[inst->src[0]]);
            reg[inst->dst] = own[inst->dst];
            break;
        case TILE_STORE:
            if (reg[inst->src[0]] == own[inst->src[0]] ||
                reg[inst->src[0]] != contiguous_at(nest, access, at, m, base)) {
                isa->store(nest, access, at, m, base, reg[inst->src[0]]);
            }
            break;
        case TILE_STOREX:
            isa->store_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_ADDX:
            isa->add_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_REDUCE:
            if (columns) {
                columns_reduce(&columns[inst->dst], isa, nest, inst, access->dtype,
                               reg[inst->src[0]], m);
            } else {
                tile_reduce(&acc[inst->dst], isa, nest, inst, access, base, reg[inst->src[0]], m);
            }
            break;
        default:
            break;
        }
    }
}

/* Iterations [from, to) of the outer dim of a nest, which is its first dim. */
typedef struct RunPart {
    int64_t from, to;
    bool begins, ends; /* the first part, which starts the sums; the last, which writes results */
} RunPart;

/* Advances `at` in dims [first, end); false after the last point. */
static bool next_point(const TileNest *nest, const RunPart *part, int64_t *at, int first, int end) {
    for (int d = end - 1; d >= first; d--) {
        if (++at[d] < (d == 0 ? part->to : nest->size[d])) {
            return true;
        }
        at[d] = d == 0 ? part->from : 0;
    }
    return false;
}

/* Runs a nest whose last dim, after the reduced ones, is the one along which results are
 * neighbours. Results are accumulated a tile at a time, and as many tiles together as there are
 * accumulators, so that memory is read in order. If the nest runs in parts, `kept` has the sums of
 * all tiles. */
static void run_columns(const TileNest *nest, const TileIsa *isa, void *const *data,
                        void *const *own, void **reg, ColumnSums *kept, const RunPart *part) {
    ColumnSums local[MAX_REDUCTIONS], *columns = kept ? kept : local;
    int64_t at[MAX_DIMS] = {part->from};
    int last = nest->ndim - 1, outer = nest->kept - 1, sums = 0;
    for (int k = 0; k < nest->ninst; k++) {
        sums += nest->inst[k].op == TILE_REDUCE;
    }
    int64_t size = nest->size[last], block = nest->tile_size * (MAX_REDUCTIONS / sums);
    do {
        for (int64_t begin = 0, end; begin < size; begin = end) {
            end = min_i64(begin + block, size);
            for (int64_t j = begin; j < end && part->begins; j += nest->tile_size) {
                for (int k = 0; k < nest->ninst; k++) {
                    const TileInst *inst = &nest->inst[k];
                    if (inst->op == TILE_REDUCE) {
                        columns_start(&columns[(j - begin) / nest->tile_size * sums + inst->dst],
                                      inst->reduce, (int)min_i64(nest->tile_size, end - j));
                    }
                }
            }
            do {
                for (at[last] = begin; at[last] < end; at[last] += nest->tile_size) {
                    int m = (int)min_i64(nest->tile_size, end - at[last]);
                    run_tile(nest, isa, data, at, m, own, reg, NULL,
                             columns + (at[last] - begin) / nest->tile_size * sums);
                }
            } while (next_point(nest, part, at, outer, last));
            for (at[last] = begin; at[last] < end && part->ends; at[last] += nest->tile_size) {
                for (int k = 0; k < nest->ninst; k++) {
                    const TileInst *inst = &nest->inst[k];
                    if (inst->op == TILE_REDUCE) {
                        const Access *access = &nest->access[inst->access];
                        columns_finish(
                            &columns[(at[last] - begin) / nest->tile_size * sums + inst->dst], nest,
                            inst, access, at, (int)min_i64(nest->tile_size, end - at[last]),
                            data[access->buffer]);
                    }
                }
            }
            columns += kept ? (end - begin + nest->tile_size - 1) / nest->tile_size * sums : 0;
        }
    } while (next_point(nest, part, at, 0, outer));
}

void tile_run(const TileNest *nest, const TileIsa *isa, void *const *data, void *registers,
              int64_t from, int64_t to) {
    if (nest->numel == 0) {
        return;
    }
    int64_t trips = nest->tile_size > 1 ? nest->size[nest->outer] : 1,
            numel = nest->numel / trips * (to - from);
    void *sums = nest->scratch >= 0 ? data[nest->scratch] : NULL;
    RunPart part = {from, nest->tile_size > 1 ? to : nest->size[0], from == 0 || !sums,
                    to == trips || !sums};
    if (numel < WIDE) {
        isa = &tile_isa_base;
    }
    void *own[MAX_REGISTERS], *reg[MAX_REGISTERS];
    int64_t at[MAX_DIMS];
    int tile = numel < nest->tile_size ? (int)numel : nest->tile_size;
    int64_t bytes = tile_register_bytes(nest);
    for (int k = 0; k < nest->nreg; k++) {
        own[k] = reg[k] = (char *)registers + k * bytes;
    }
    for (int k = 0; k < nest->nconst; k++) {
        fill_constant(&nest->constant[k], own[nest->constant[k].reg], tile);
    }
    if (nest->columns) { /* the outer dim is the first one there, too */
        run_columns(nest->columns, isa, data, own, reg, sums, &part);
        return;
    }
    Accumulator local[MAX_REDUCTIONS], *acc = sums ? sums : local;
    for (int k = 0; k < nest->ninst; k++) {
        if (nest->inst[k].op == TILE_REDUCE && part.begins) {
            Accumulator *a = &acc[nest->inst[k].dst];
            accumulator_start(a, nest->inst[k].reduce);
            a->segment = from * (nest->numel / nest->reduced / trips);
        }
    }
    memset(at, 0, sizeof *at * (size_t)nest->ndim);
    at[0] = from;
    for (int64_t done = 0; done < numel;) {
        int m = numel - done < tile ? (int)(numel - done) : tile;
        run_tile(nest, isa, data, at, m, own, reg, acc, NULL);
        done += m;
        run_advance(nest, at, m);
    }
}
