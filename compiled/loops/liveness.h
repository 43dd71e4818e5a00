/* Schedule items and liveness. A schedule item is a fused group or a single node; the schedule is
 * their order in the graph. */
#ifndef COMPILED_LIVENESS_H
#define COMPILED_LIVENESS_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

enum { LIVE_TO_THE_END = INT32_MAX };

typedef struct Liveness {
    int nitem;
    int *item; /* by node id: index of its schedule item; -1 for INPUT, TANGENT, VIEW */
    int *last; /* by node id of a buffer node: the last item that reads its memory; LIVE_TO_THE_END
                  for outputs; -1 if none does */
    int last_check; /* item of the last CHECK, or -1 */
} Liveness;

/* End of the schedule item that begins at node `at` of the graph: one past its last node. */
int schedule_item_end(const Graph *g, int at);
Liveness liveness_analyse(const Graph *g, Arena *arena);
/* The same for c->graph, computed once. For passes after `fuse`, which change neither the nodes nor
 * their order. */
const Liveness *compile_liveness(Compile *c);

#endif
