/* What the native tier hoists out of the innermost loop of a nest, and which nests it cache-blocks.
 *
 * An address is an affine part plus terms of indices. Where no index moves along the last dim, the
 * terms are computed once a row:
 *
 *     for i0:  a = indexed(0, b2[i0], 256, 4096)
 *       for i1:  b3[a + i1] = ..
 *
 * instead of
 *
 *     for i0, i1:  a = indexed(i1, b2[i0], 256, 4096)
 *                  b3[a] = ..
 *
 * and the innermost loop can be vectorized. GCC cannot hoist them: `a` is -1 where the index is out
 * of bounds, whatever i1 is.
 *
 * A nest with a read that is contiguous along another dim than its writes is blocked in both dims,
 * as a transpose is. */
#include "compiled/loops/nest.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CHAIN = -1 };

static bool writes(const TileNest *n, int buffer) {
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op >= TILE_STORE && n->access[n->inst[k].access].buffer == buffer) {
            return true;
        }
    }
    return false;
}

static bool moves_along(const TileNest *n, const TileInst *inst, int d) {
    return n->size[d] > 1 && n->access[inst->access].stride[d] != 0;
}

static int nest_rows_sources(const TileNest *n, const TileInst *inst) {
    (void)n;
    return inst->op == TILE_LOAD || inst->op == TILE_IOTA                                ? 0
           : inst->op == TILE_LOADX || inst->op == TILE_STORE || inst->op == TILE_REDUCE ? 1
           : inst->op < TILE_OP_COUNT                                                    ? 4
                                                                                         : 2;
}

/* Fills `row`; true if something is hoisted. */
static bool hoist_addresses(const TileNest *n, NestRow *row) {
    int last = n->ndim - 1, made[MAX_REGISTERS], from[MAX_INSTS][4];
    bool still[MAX_INSTS]; /* constant along a row */
    memset(made, -1, sizeof made);
    for (int k = 0; k < n->ninst; k++) {
        row[k] = (NestRow){false, NO_CHAIN};
    }
    if (n->size[last] == 1 || n->ninst > MAX_INSTS) {
        return false;
    }
    for (int k = 0; k < n->ninst; k++) {
        const TileInst *inst = &n->inst[k];
        if (inst->op == TILE_REDUCE) {
            return false;
        }
        bool all = true;
        for (int s = 0; s < 4; s++) {
            from[k][s] = s < nest_rows_sources(n, inst) ? made[inst->src[s]]
                                                        : -1; /* -1: a constant, or none */
            all = all && (from[k][s] < 0 || still[from[k][s]]);
        }
        still[k] = inst->op == TILE_LOAD
                       ? !moves_along(n, inst, last) && !writes(n, n->access[inst->access].buffer)
                       : inst->op < TILE_OP_COUNT && all;
        if (inst->op == TILE_IOTA) {
            row[k].chain = inst->access;
        } else if (inst->op == TILE_TERM && row[from[k][0]].chain != NO_CHAIN &&
                   (from[k][1] < 0 || still[from[k][1]])) {
            row[k].chain = row[from[k][0]].chain;
        }
        if (inst->op < TILE_STORE) {
            made[inst->dst] = k;
        }
    }
    /* backwards: what such addresses depend on; an affine part alone is not hoisted */
    for (int k = n->ninst - 1; k >= 0; k--) {
        const TileInst *inst = &n->inst[k];
        bool uses = inst->op == TILE_LOADX || inst->op == TILE_STOREX || inst->op == TILE_ADDX;
        int at = uses ? from[k][0] : -1;
        if (uses && row[at].chain != NO_CHAIN && n->inst[at].op == TILE_TERM) {
            row[at].once = true;
        }
        for (int s = 0; s < 4 && row[k].once; s++) {
            if (from[k][s] >= 0) {
                row[from[k][s]].once = true;
            }
        }
    }
    /* an address that is also used as a value cannot be split */
    for (int k = 0; k < n->ninst; k++) {
        for (int s = 0; s < 4; s++) {
            int f = from[k][s];
            bool as_address =
                s == 0 && (row[k].once || n->inst[k].op == TILE_LOADX ||
                           n->inst[k].op == TILE_STOREX || n->inst[k].op == TILE_ADDX);
            if (f >= 0 && row[f].once && row[f].chain != NO_CHAIN && !as_address) {
                for (int j = 0; j < n->ninst; j++) {
                    row[j] = (NestRow){false, NO_CHAIN};
                }
                return false;
            }
        }
    }
    bool any = false;
    for (int k = 0; k < n->ninst; k++) {
        any = any || row[k].once;
    }
    return any;
}

void nest_rows(Compile *c, TileNest *n) {
    bool indirect = false;
    for (int k = 0; k < n->ninst; k++) {
        indirect = indirect || n->inst[k].op == TILE_TERM;
    }
    n->row = NULL;
    if (!indirect || n->ninst > MAX_INSTS) {
        return;
    }
    NestRow *row = arena_array(c->arena, NestRow, n->ninst);
    if (hoist_addresses(n, row) && gate(c, STEP_address_a_row)) {
        n->row = row;
    }
}

int nest_blocked_dim(const TileNest *n) {
    int last = n->ndim - 1;
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op >= TILE_TERM && n->inst[k].op != TILE_STORE) {
            return -1;
        }
    }
    for (int k = 0; k < n->ninst; k++) {
        if (n->inst[k].op != TILE_LOAD || n->size[last] < 8 ||
            llabs(n->access[n->inst[k].access].stride[last]) <= 1) {
            continue;
        }
        for (int d = 0; d < last; d++) {
            if (n->access[n->inst[k].access].stride[d] == 1 && n->size[d] >= 8) {
                return d;
            }
        }
    }
    return -1;
}
