/* Fusion while it looks for groups (passes/fuse.c, fuse_legal.c). */
#ifndef COMPILED_FUSE_H
#define COMPILED_FUSE_H

#include "compiled/loops/lower.h"

enum { SEGMENT = 64, MAX_WEIGHT = 64 };

typedef struct ScheduleItem {
    FusedOp *first, *last; /* members of a nest, by `after`; NULL: a node that is no member */
    Node *node;            /* of a unit that is no nest */
    uint64_t above;        /* units it depends on, directly or not */
    int count, weight, reductions;
    unsigned reduced;
    bool gone; /* merged into another */
} ScheduleItem;

typedef struct Fuser {
    Compile *c;
    Graph *g;
    int *schedule_item_of; /* by node id: unit of this segment, or -1 */
    FusedOp **fused_op_of; /* by node id */
    FusedOp **after;       /* by node id: the next member of the unit */
    ScheduleItem unit[SEGMENT];
    int nunit;
    int last_check; /* unit of the segment's last CHECK, or -1 */
    uint64_t emitted;
    Node **out;
    int nout, ngroup;
    bool recomputed; /* some node is another one again */
    bool *escapes;   /* by node id: of those, the ones read outside of their unit */
    int ngone;       /* of those, the ones that left */
    bool changed;
} Fuser;

static inline uint64_t bit(int u) { return (uint64_t)1 << u; }
static inline bool same_space(const FusedOp *a, const FusedOp *b) {
    return sizes_equal(a->size, a->ndim, b->size, b->ndim);
}
static inline int weight_of(const FusedOp *m) { return 1 + m->nread + m->nterm; }

/* The member of unit u, other than `m` and before it in the graph, that has m's value since one
 * computes the other again; or NULL. */
Node *fuse_computed_already(const Fuser *f, const FusedOp *m, int u);
/* May units a and b become one nest? */
bool fuse_may_merge(const Fuser *f, int a, int b);

#endif
