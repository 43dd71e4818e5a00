/* From a builder to a nest that runs: the order of the dims (reduced ones last, the others by the
 * strides of the first store), neighbouring dims merged where all accesses allow it, stores after
 * everything else, and machine registers assigned by last use. */
#include "compiled/loops/nest.h"
#include "compiled/tile/run.h"

#include <stdlib.h>
#include <string.h>

/* Order of the dims: outermost first. */
static void order_dims(const NestBuilder *b, int *order) {
    const int64_t *by = NULL;
    for (int k = 0; k < b->ntail && !b->ordered && !b->reduced; k++) {
        if (b->tail[k].op == TILE_STORE) {
            by = b->stride[b->tail[k].access];
            break;
        }
    }
    bool turned = false;
    for (int d = 1; by && d < b->ndim; d++) {
        turned = turned || by[d - 1] < by[d];
    }
    by = turned && gate(b->l->c, STEP_order_dims) ? by : NULL;
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < b->ndim; d++) {
            if ((int)(b->reduced >> d & 1) != pass) {
                continue;
            }
            int at = n++;
            while (by && at > 0 && by[order[at - 1]] < by[d]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = d;
        }
    }
}

static bool dims_merge(const NestBuilder *b, int outer, int inner) {
    if ((b->reduced >> outer & 1) != (b->reduced >> inner & 1)) {
        return false;
    }
    for (int k = 0; k < b->naccess; k++) {
        int64_t within;
        if (!checked_mul(b->stride[k][inner], b->size[inner], &within) ||
            b->stride[k][outer] != within) {
            return false;
        }
    }
    return gate(b->l->c, STEP_merge_dims);
}

static void shape_nest(NestBuilder *b, TileNest *nest) {
    int order[MAX_DIMS], groups[MAX_DIMS] = {0};
    order_dims(b, order);
    nest->numel = nest->reduced = 1;
    nest->ndim = nest->kept = 0;
    for (int k = 0; k < b->ndim; k++) {
        int d = order[k];
        nest->numel *= b->size[d];
        nest->reduced *= b->reduced >> d & 1 ? b->size[d] : 1;
        if (nest->ndim > 0 && dims_merge(b, groups[nest->ndim - 1], d)) {
            nest->size[nest->ndim - 1] *= b->size[d];
        } else {
            nest->kept += !(b->reduced >> d & 1);
            nest->size[nest->ndim++] = b->size[d];
        }
        groups[nest->ndim - 1] = d; /* strides of a merged dim are those of its innermost */
    }
    int64_t *strides = arena_alloc_raw(b->l->arena, (int64_t)sizeof *strides * b->naccess *
                                                        max_i64(nest->ndim, 1));
    if (nest->ndim == 0) {
        nest->ndim = 1;
        nest->size[0] = 1;
        groups[0] = -1;
    }
    nest->naccess = b->naccess;
    nest->access = arena_copy(b->l->arena, b->access, (int64_t)sizeof *b->access * b->naccess);
    for (int k = 0; k < b->naccess; k++) {
        nest->access[k].stride = strides + k * nest->ndim;
        for (int d = 0; d < nest->ndim; d++) {
            nest->access[k].stride[d] = groups[d] < 0 ? 0 : b->stride[k][groups[d]];
        }
    }
}

static bool writes_buffer(const TileNest *nest, int buffer) {
    for (int k = nest->ninst - 1; k >= 0 && nest->inst[k].op >= TILE_STORE; k--) {
        if (nest->access[nest->inst[k].access].buffer == buffer) {
            return true;
        }
    }
    return false;
}

/* With a seeded fault: does a load address other elements of a buffer that the nest writes? Its
 * iterations then run one by one, so that the wrong result does not depend on the size of a
 * tile. */
static bool reads_what_it_writes(const TileNest *nest) {
    for (int k = 0; k < nest->ninst; k++) {
        for (int j = 0; j < nest->ninst && nest->inst[k].op == TILE_LOAD; j++) {
            const Access *a = &nest->access[nest->inst[k].access],
                         *b = &nest->access[nest->inst[j].op == TILE_STORE ? nest->inst[j].access
                                                                           : nest->inst[k].access];
            if (a->buffer == b->buffer &&
                (a->offset != b->offset ||
                 !sizes_equal(a->stride, nest->ndim, b->stride, nest->ndim))) {
                return true;
            }
        }
    }
    return false;
}

static int nest_finish_sources(const TileInst *inst) {
    switch ((int)inst->op) {
    case TILE_LOAD:
    case TILE_IOTA:
        return 0;
    case TILE_LOADX:
    case TILE_STORE:
    case TILE_REDUCE:
        return 1;
    default:
        return inst->op < TILE_OP_COUNT ? 4 : 2;
    }
}

/* Virtual registers -> machine registers, each free again after its last use. Constants keep their
 * registers. */
static void assign_registers(NestBuilder *b, TileNest *nest) {
    int *last = arena_alloc_raw(b->l->arena, (int64_t)sizeof *last * (b->nreg + 1) * 2),
        *machine = last + b->nreg + 1;
    short free_list[MAX_REGISTERS];
    int nfree = 0;
    for (int v = 0; v < b->nreg; v++) {
        last[v] = machine[v] = -1;
    }
    for (int k = 0; k < nest->ninst; k++) {
        for (int s = 0; s < nest_finish_sources(&nest->inst[k]); s++) {
            last[nest->inst[k].src[s]] = k;
        }
    }
    nest->nreg = 0;
    for (int k = 0; k < nest->nconst; k++) {
        machine[nest->constant[k].reg] = nest->nreg;
        last[nest->constant[k].reg] = nest->ninst;
        nest->constant[k].reg = (short)nest->nreg++;
    }
    for (int k = 0; k < nest->ninst; k++) {
        TileInst *inst = &nest->inst[k];
        int dst = inst->dst, n = nest_finish_sources(inst), used[4];
        if (inst->op < TILE_STORE) {
            CHECK(nfree > 0 || nest->nreg < MAX_REGISTERS);
            machine[dst] = nfree > 0 ? free_list[--nfree] : nest->nreg++;
            inst->dst = (short)machine[dst];
            if (last[dst] < 0) {
                free_list[nfree++] = (short)machine[dst];
            }
        }
        for (int s = 0; s < n; s++) {
            used[s] = inst->src[s];
            inst->src[s] = (short)machine[used[s]];
        }
        for (int s = n; s < 4; s++) {
            inst->src[s] = 0;
        }
        for (int s = 0; s < n; s++) {
            if (last[used[s]] == k) {
                last[used[s]] = -1;
                free_list[nfree++] = (short)machine[used[s]];
            }
        }
    }
}

/* In nests of LARGE_NUMEL elements a value that is stored is computed directly into the buffer, if
 * the nest has no other access to that buffer: sets `into` of the instruction that computes it. */
static void make_in_place(TileNest *nest) {
    for (int k = 0; k < nest->ninst; k++) {
        nest->inst[k].into = -1;
    }
    for (int k = nest->ninst - 1;
         k >= 0 && nest->inst[k].op >= TILE_STORE && nest->numel >= LARGE_NUMEL; k--) {
        const TileInst *store = &nest->inst[k];
        const Access *a = &nest->access[store->access];
        bool alone = store->op == TILE_STORE &&
                     (a->dtype == DT_float32 || a->dtype == DT_float64 || a->dtype == DT_int64);
        for (int j = 0; j < nest->naccess && alone; j++) {
            alone = j == store->access || nest->access[j].buffer != a->buffer;
        }
        for (int j = k - 1; j >= 0 && alone; j--) {
            if (nest->inst[j].op < TILE_STORE && nest->inst[j].dst == store->src[0]) {
                nest->inst[j].into = nest->inst[j].op < TILE_OP_COUNT ? store->access : -1;
                break;
            }
        }
    }
}

/* Drops instructions whose value is not used. A nest may recompute a value (passes/partition.c)
 * whose reader is in another nest after all. */
static void drop_unused(const NestBuilder *b, TileNest *nest) {
    bool *used = arena_array(b->l->arena, bool, b->nreg + 1);
    int kept = nest->ninst;
    for (int k = nest->ninst - 1; k >= 0; k--) {
        const TileInst *inst = &nest->inst[k];
        if (inst->op >= TILE_STORE || used[inst->dst] || !gate(b->l->c, STEP_drop_unused)) {
            for (int s = 0; s < nest_finish_sources(inst); s++) {
                used[inst->src[s]] = true;
            }
            nest->inst[--kept] = *inst;
        }
    }
    nest->ninst -= kept;
    nest->inst += kept;
}

/* ---- how a reduction is traversed ---- */

enum { MIN_COLUMNS = 8, MIN_PARTIAL4 = 256, MIN_PARTIAL4_VERIFY = 8 };

/* The last kept dim, if more accesses are contiguous along it than along the last reduced one;
 * otherwise -1. */
static int nest_finish_column_of(Compile *compile, const TileNest *n) {
    int c = n->kept - 1, last = n->ndim - 1, better = 0;
    if (c < 0 || c == last || n->size[c] < MIN_COLUMNS || n->numel == 0) {
        return -1;
    }
    for (int k = 0; k < n->ninst; k++) {
        const TileInst *inst = &n->inst[k];
        if (inst->op == TILE_STOREX || inst->op == TILE_ADDX) {
            return -1;
        }
        if (inst->op == TILE_LOAD || inst->op == TILE_STORE) {
            const int64_t *stride = n->access[inst->access].stride;
            better += (llabs(stride[c]) <= 1) - (llabs(stride[last]) <= 1);
        }
    }
    return better > 0 && n->tile_size > 1 && gate(compile, STEP_reduce_columns) ? c : -1;
}

/* True if the sums are of floats and long enough for partial sums of four in float. The rounding of
 * three float additions is within the error that the order of a float sum leaves open. */
static bool takes_partial4(Compile *c, const TileNest *n, bool small) {
    int last = n->ndim - 1;
    bool sums = false;
    if (n->kept == n->ndim || n->tile_size == 1 ||
        n->size[last] < (small ? MIN_PARTIAL4_VERIFY : MIN_PARTIAL4) || n->numel == 0 ||
        (n->column < 0 && (n->size[last] % 4 != 0 || n->outer == last))) {
        return false;
    }
    for (int k = 0; k < n->ninst; k++) {
        const TileInst *inst = &n->inst[k];
        if (inst->op == TILE_STOREX || inst->op == TILE_ADDX) {
            return false;
        }
        if (inst->op == TILE_REDUCE) {
            if (n->access[inst->access].dtype != DT_float32 ||
                (inst->reduce != REDUCE_SUM && inst->reduce != REDUCE_MEAN)) {
                return false;
            }
            sums = true;
        }
    }
    return sums && gate(c, STEP_add_by_fours);
}

/* Native tier: true if the innermost loop may be vectorized. It may not if iterations read what
 * others write, if they write through indices, or if their order matters: a sum of doubles can
 * overflow, a maximum or minimum keeps the first of equal values. */
static bool takes_vectors(Compile *c, const TileNest *n) {
    bool own =
        n->column >= 0 || n->kept == n->ndim; /* sums that no other iteration of the loop adds to */
    if (n->tile_size == 1 || n->numel < 2) {
        return false;
    }
    for (int k = 0; k < n->ninst; k++) {
        const TileInst *inst = &n->inst[k];
        bool sum = inst->reduce == REDUCE_SUM || inst->reduce == REDUCE_MEAN;
        if (inst->op == TILE_STOREX || inst->op == TILE_ADDX ||
            (inst->op == TILE_REDUCE && !own &&
             (!sum || n->access[inst->access].dtype == DT_float64))) {
            return false;
        }
    }
    return gate(c, STEP_vector_row);
}

/* True if the nest calls a function of tile/float32_math.def and has enough elements. */
static bool takes_float32_math(Compile *c, const TileNest *n) {
    bool has = false;
    for (int k = 0; k < n->ninst && !has; k++) {
        has = tile_has_float32_math(n->inst[k].op);
    }
    return has && n->numel >= (c->options->verify ? LARGE_NUMEL_VERIFY : LARGE_NUMEL) &&
           gate(c, STEP_single_functions);
}

/* A copy with dim `c` after the reduced ones. */
static TileNest *column_nest(Arena *arena, const TileNest *n, int c) {
    TileNest *copy = arena_copy(arena, n, (int64_t)sizeof *n);
    int64_t *strides = arena_alloc_raw(arena, (int64_t)sizeof *strides * n->naccess * n->ndim);
    copy->access = arena_copy(arena, n->access, (int64_t)sizeof *n->access * n->naccess);
    memmove(copy->size + c, copy->size + c + 1, sizeof *copy->size * (size_t)(n->ndim - 1 - c));
    copy->size[n->ndim - 1] = n->size[c];
    for (int k = 0; k < n->naccess; k++) {
        int64_t *to = strides + k * n->ndim;
        const int64_t *from = n->access[k].stride;
        memcpy(to, from, sizeof *to * (size_t)c);
        memcpy(to + c, from + c + 1, sizeof *to * (size_t)(n->ndim - 1 - c));
        to[n->ndim - 1] = from[c];
        copy->access[k].stride = to;
    }
    return copy;
}

void nest_finish(NestBuilder *b, const Node *node) {
    if (b->ntail == 0) {
        return;
    }
    Arena *arena = b->l->arena;
    Loop *loop = lower_add(b->l, LOOP_TILE, node);
    TileNest *nest = arena_alloc_raw(arena, (int64_t)sizeof *nest);
    loop->tile = nest;
    shape_nest(b, nest);
    nest->ninst = b->ninst + b->ntail;
    nest->inst = arena_alloc_raw(arena, (int64_t)sizeof *nest->inst * nest->ninst);
    memcpy(nest->inst, b->inst, sizeof *nest->inst * (size_t)b->ninst);
    memcpy(nest->inst + b->ninst, b->tail, sizeof *nest->inst * (size_t)b->ntail);
    nest->nconst = b->nconst;
    nest->constant = arena_copy(arena, b->constant, (int64_t)sizeof *b->constant * b->nconst);
    nest->tile_size = b->l->c->options->verify ? VERIFY_TILE : TILE;
    for (int k = 0; k < b->ninst; k++) {
        TileInst *inst = &nest->inst[k];
        if (inst->op == TILE_LOAD) {
            const Access *a = &nest->access[inst->access];
            bool whole = a->dtype == DT_float32 || a->dtype == DT_float64 || a->dtype == DT_int64;
            inst->direct = whole && !writes_buffer(nest, a->buffer);
        } else if (inst->op == TILE_LOADX &&
                   writes_buffer(nest, nest->access[inst->access].buffer)) {
            /* in place: one iteration reads and writes an element (passes/fuse.c) */
            nest->tile_size = 1;
        }
    }
    drop_unused(b, nest);
    if (b->l->c->options->fault != FAULT_NONE && reads_what_it_writes(nest)) {
        nest->tile_size = 1;
    }
    assign_registers(b, nest);
    make_in_place(nest);
    nest->column = nest_finish_column_of(b->l->c, nest);
    nest->outer = nest->column == 0 || nest->kept == 0 ? nest->kept % nest->ndim
                                                       : 0; /* not the dim of the column blocks */
    nest->vectors = takes_vectors(b->l->c, nest);
    nest->partial4 = nest->vectors && takes_partial4(b->l->c, nest, b->l->c->options->verify);
    nest->tile_partial4 = nest->partial4 && nest->numel >= LARGE_NUMEL;
    nest->float32_math = takes_float32_math(b->l->c, nest);
    nest->tile_float32_math = nest->float32_math && nest->numel >= LARGE_NUMEL;
    nest->blocked_dim = nest_blocked_dim(nest);
    nest->blocked_dim =
        nest->blocked_dim >= 0 && gate(b->l->c, STEP_walk_squares) ? nest->blocked_dim : -1;
    nest_rows(b->l->c, nest);
    nest->scratch = -1;
    nest->columns = nest->column >= 0 ? column_nest(arena, nest, nest->column) : NULL;
    Plan *plan = b->l->plan;
    plan->nregister = nest->nreg > plan->nregister ? nest->nreg : plan->nregister;
    plan->register_bytes = max_i64(plan->register_bytes, nest->nreg * tile_register_bytes(nest));
}
