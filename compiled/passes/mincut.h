/* The minimum cut of a small directed network (mincut.c). */
#ifndef COMPILED_MINCUT_H
#define COMPILED_MINCUT_H

#include "tensor/arena.h"

/* More than any sum of finite capacities; never cut. */
#define CUT_NEVER ((int64_t)1 << 60)

typedef struct Cut Cut;
/* A network of `nvertex` vertices, in `arena`. */
Cut *cut_new(Arena *arena, int nvertex);
/* An edge; capacities are not negative. */
void cut_edge(Cut *cut, int from, int to, int64_t capacity);
/* The capacity of the minimum cut. Then `far[v]` is true for the vertices on the sink's side, in
 * the minimum cut that lies nearest to the sink. */
int64_t cut_run(Cut *cut, int source, int sink, bool *far);

#endif
