/* The tile machine: runs a nest's bytecode over its points, up to TILE at a time.
 *
 * Tiles are runs of the row-major order and span rows, so that a nest of many short rows costs as many dispatches as one long row.
 * A register is a row of up to TILE elements; a load of consecutive elements only points it into the buffer. Reductions
 * accumulate over segments of `reduced` consecutive points, which a tile may begin or end in the middle of. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/tile_isa.h"
#include "compiled/tile_reduce.h"

enum { WIDE = 32 /* elements below which wide vectors have nothing to do */ };

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
                     Accumulator *acc, ColumnSums *columns) {
    int last = nest->ndim - 1;
    for (int k = 0; k < nest->ninst; k++) {
        const TileInst *inst = &nest->inst[k];
        if (inst->op < TILE_OP_COUNT) {
            const void *src[4] = {reg[inst->src[0]], reg[inst->src[1]], reg[inst->src[2]], reg[inst->src[3]]};
            (nest->many && isa->single[inst->op] ? isa->single : isa->function)[inst->op](m, own[inst->dst], src);
            reg[inst->dst] = own[inst->dst];
            continue;
        }
        const Access *access = &nest->access[inst->access];
        void *base = inst->op == TILE_TERM || inst->op == TILE_IOTA ? NULL : data[access->buffer];
        switch ((int)inst->op) {
        case TILE_LOAD:
            if (inst->direct && access->stride[last] == 1 && at[last] + m <= nest->size[last]) {
                int64_t position = access->offset;
                for (int d = 0; d <= last; d++) {
                    position += at[d] * access->stride[d];
                }
                reg[inst->dst] = (char *)base + position * dtype_bytes(access->dtype);
            } else {
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
            isa->store(nest, access, at, m, base, reg[inst->src[0]]);
            break;
        case TILE_STOREX:
            isa->store_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_ADDX:
            isa->add_indirect(access->dtype, m, base, reg[inst->src[0]], reg[inst->src[1]]);
            break;
        case TILE_REDUCE:
            if (columns) {
                columns_reduce(&columns[inst->dst], isa, nest, inst, access->dtype, reg[inst->src[0]], m);
            } else {
                tile_reduce(&acc[inst->dst], isa, nest, inst, access, base, reg[inst->src[0]], m);
            }
            break;
        default:
            break;
        }
    }
}

/* Moves on among dims [first, end); false after the last point. */
static bool next_point(const TileNest *nest, int64_t *at, int first, int end) {
    for (int d = end - 1; d >= first; d--) {
        if (++at[d] < nest->size[d]) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

/* `nest` has the reduced dims before its last one, along which the results lie side by side: strips of a tile of results at once. Where it
 * runs by parts, `kept` has the sums of all strips: `first` part, `last` part. */
static void run_columns(const TileNest *nest, const TileIsa *isa, void *const *data, void *const *own, void **reg, ColumnSums *kept, bool first,
                        bool last_part) {
    ColumnSums local[MAX_REDUCTIONS], *columns = kept ? kept : local;
    int64_t at[MAX_DIMS] = {0};
    int last = nest->ndim - 1, outer = nest->kept - 1, sums = 0;
    do {
        for (int64_t j = 0; j < nest->size[last]; j += nest->trip, columns += kept ? sums : 0) {
            int m = (int)min_i64(nest->trip, nest->size[last] - j);
            at[last] = j;
            sums = 0;
            for (int k = 0; k < nest->ninst; k++) {
                if (nest->inst[k].op == TILE_REDUCE) {
                    sums++;
                    if (first) {
                        columns_start(&columns[nest->inst[k].dst], nest->inst[k].reduce, m);
                    }
                }
            }
            do {
                run_tile(nest, isa, data, at, m, own, reg, NULL, columns);
            } while (next_point(nest, at, outer, last));
            for (int k = 0; k < nest->ninst && last_part; k++) {
                if (nest->inst[k].op == TILE_REDUCE) {
                    const Access *access = &nest->access[nest->inst[k].access];
                    columns_finish(&columns[nest->inst[k].dst], nest, &nest->inst[k], access, at, m, data[access->buffer]);
                }
            }
        }
    } while (next_point(nest, at, 0, outer));
}

/* Trips [from, to) of dim `outer` as a nest; `access` has room for all accesses. */
static TileNest part_of(const TileNest *nest, int outer, int64_t from, int64_t to, Access *access) {
    TileNest part = *nest;
    part.numel = nest->numel / nest->size[outer] * (to - from);
    part.size[outer] = to - from;
    part.access = access;
    for (int k = 0; k < nest->naccess; k++) {
        access[k] = nest->access[k];
        access[k].offset += from * nest->access[k].stride[outer];
    }
    return part;
}

void tile_run(const TileNest *whole, const TileIsa *isa, void *const *data, void *registers, int64_t from, int64_t to) {
    if (whole->numel == 0) {
        return;
    }
    const TileNest *nest = whole, *columns = whole->columns;
    TileNest part, column_part;
    Access access[MAX_ACCESSES];
    bool first = from == 0, last = to == (whole->trip > 1 ? whole->size[whole->outer] : 1);
    if (!first || !last) {
        part = part_of(whole, whole->outer, from, to, access);
        nest = &part;
        if (columns) { /* the column went behind the reduced dims */
            column_part = part_of(columns, 0, from, to, access);
            columns = &column_part;
        }
    }
    if (nest->numel < WIDE) {
        isa = &tile_isa_base;
    }
    void *own[MAX_REGISTERS], *reg[MAX_REGISTERS];
    int64_t at[MAX_DIMS];
    int tile = nest->numel < nest->trip ? (int)nest->numel : nest->trip;
    int64_t bytes = tile_register_bytes(whole);
    for (int k = 0; k < nest->nreg; k++) {
        own[k] = reg[k] = (char *)registers + k * bytes;
    }
    for (int k = 0; k < nest->nconst; k++) {
        fill_constant(&nest->constant[k], own[nest->constant[k].reg], tile);
    }
    void *sums = whole->scratch >= 0 ? data[whole->scratch] : NULL;
    if (columns) {
        run_columns(columns, isa, data, own, reg, sums, first || !sums, last || !sums);
        return;
    }
    Accumulator local[MAX_REDUCTIONS], *acc = sums ? sums : local;
    for (int k = 0; k < nest->ninst; k++) {
        if (nest->inst[k].op == TILE_REDUCE && (first || !sums)) {
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
        run_tile(nest, isa, data, at, m, own, reg, acc, NULL);
        done += m;
        advance(nest, at, m);
    }
}
