/* What fuse.c and fuse_legal.c share: schedule items while they are merged into loop nests. */
#ifndef COMPILED_FUSE_H
#define COMPILED_FUSE_H

#include "compiled/loops/lower.h"

enum { SEGMENT = 64, MAX_WEIGHT = 64 };

typedef struct ScheduleItem {
    FusedOp *first,
        *last;      /* the fused ops, linked by Fuser.after; NULL: a node that is not fusible */
    Node *node;     /* of an item that is not a loop nest */
    uint64_t above; /* items that it depends on, directly or not */
    int count, weight, reductions;
    unsigned reduced;
    bool gone; /* merged into another */
} ScheduleItem;

typedef struct Fuser {
    Compile *c;
    Graph *g;
    int *item_of;          /* by node id: its item in this segment, or -1 */
    FusedOp **fused_op_of; /* by node id */
    FusedOp **after;       /* by node id: the next fused op of its item */
    ScheduleItem item[SEGMENT];
    int nitem;
    int last_check; /* item of the segment's last CHECK, or -1 */
    uint64_t emitted;
    Node **out;
    int nout, ngroup;
    bool recomputed; /* some node recomputes another one (Node.recomputes) */
    bool *escapes;   /* by node id: a recomputed node that is read outside of its item */
    int ngone;       /* recomputed nodes that were removed */
    bool changed;
} Fuser;

static inline uint64_t item_bit(int u) { return (uint64_t)1 << u; }
static inline bool same_space(const FusedOp *a, const FusedOp *b) {
    return sizes_equal(a->size, a->ndim, b->size, b->ndim);
}
static inline int weight_of(const FusedOp *m) { return 1 + m->nread + m->nterm; }

/* The node of item u, other than `m` and before it in the graph, that has m's value because one
 * recomputes the other; or NULL. */
Node *fuse_computed_already(const Fuser *f, const FusedOp *m, int u);
/* Seeded faults FU_2, FU_3: a read of the buffer that the writer overwrites is not seen. */
bool fuse_overlooks_read(const Compile *c, const FusedOp *m, const Read *read,
                         const FusedOp *writer);
/* Does `m` read through indices, at each iteration, the element alone that the writer scatters to?
 */
bool fuse_gathers_what_is_scattered(const FusedOp *m, const FusedOp *writer);
/* May items a and b become one loop nest? */
bool fuse_may_merge(const Fuser *f, int a, int b);

#endif
