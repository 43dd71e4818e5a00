/* Minimum cut by maximum flow (Dinic).
 *
 * A breadth-first search from the source numbers the vertices by distance along edges with capacity
 * left; then paths along which the distance grows by one at each step are saturated until none is
 * left, each vertex resuming at the edge where its last path left it. Each round makes the shortest
 * path longer, so there are at most as many rounds as vertices. When the sink is unreachable, the
 * vertices from which it can still be reached are its side. Edges are stored in pairs: edge e ^ 1
 * is e reversed. */
#include "compiled/passes/mincut.h"
#include "tensor/array.h"

#include <string.h>

typedef struct Arc {
    int to, next; /* next arc that leaves the same vertex, or -1 */
    int64_t left; /* capacity not used yet */
} Arc;

struct Cut {
    Arena *arena;
    int nvertex, narc, capacity;
    Arc *arc;
    int *first; /* by vertex: the last arc added, or -1 */
    int *level, *resume, *queue;
};

Cut *cut_new(Arena *arena, int nvertex) {
    Cut *cut = arena_new(arena, Cut);
    cut->arena = arena;
    cut->nvertex = nvertex;
    cut->first = arena_alloc_raw(arena, (int64_t)sizeof(int) * 4 * nvertex);
    cut->level = cut->first + nvertex;
    cut->resume = cut->level + nvertex;
    cut->queue = cut->resume + nvertex;
    memset(cut->first, -1, sizeof(int) * (size_t)nvertex);
    return cut;
}

static void add_arc(Cut *cut, int from, int to, int64_t left) {
    cut->arc = array_reserve(cut->arena, cut->arc, cut->narc, &cut->capacity, 64, sizeof *cut->arc);
    cut->arc[cut->narc] = (Arc){to, cut->first[from], left};
    cut->first[from] = cut->narc++;
}

void cut_edge(Cut *cut, int from, int to, int64_t capacity) {
    add_arc(cut, from, to, capacity);
    add_arc(cut, to, from, 0);
}

/* Distances from `root`, along arcs with capacity left; with `backwards` those to it. -1: no
 * path. */
static void number_levels(Cut *cut, int root, bool backwards) {
    memset(cut->level, -1, sizeof(int) * (size_t)cut->nvertex);
    int begin = 0, end = 0;
    cut->queue[end++] = root;
    cut->level[root] = 0;
    while (begin < end) {
        int v = cut->queue[begin++];
        for (int e = cut->first[v]; e >= 0; e = cut->arc[e].next) {
            if (cut->level[cut->arc[e].to] < 0 && cut->arc[backwards ? e ^ 1 : e].left > 0) {
                cut->level[cut->arc[e].to] = cut->level[v] + 1;
                cut->queue[end++] = cut->arc[e].to;
            }
        }
    }
}

/* Saturates one path of increasing distances. Returns the flow added; 0 if there is no path. The
 * queue holds the arcs of the path. */
static int64_t fill_path(Cut *cut, int source, int sink) {
    int *path = cut->queue, n = 0, v = source;
    while (v != sink) {
        int *e = &cut->resume[v];
        while (*e >= 0 &&
               (cut->arc[*e].left == 0 || cut->level[cut->arc[*e].to] != cut->level[v] + 1)) {
            *e = cut->arc[*e].next;
        }
        if (*e >= 0) {
            path[n++] = *e;
            v = cut->arc[*e].to;
        } else if (n == 0) {
            return 0;
        } else {
            v = cut->arc[path[--n] ^ 1].to; /* a dead end: back, and past the arc that led here */
            cut->resume[v] = cut->arc[path[n]].next;
        }
    }
    int64_t amount = CUT_NEVER;
    for (int k = 0; k < n; k++) {
        amount = min_i64(amount, cut->arc[path[k]].left);
    }
    for (int k = 0; k < n; k++) {
        cut->arc[path[k]].left -= amount;
        cut->arc[path[k] ^ 1].left += amount;
    }
    return amount;
}

int64_t cut_run(Cut *cut, int source, int sink, bool *far) {
    int64_t total = 0;
    for (;;) {
        number_levels(cut, source, false);
        if (cut->level[sink] < 0) {
            break;
        }
        memcpy(cut->resume, cut->first, sizeof(int) * (size_t)cut->nvertex);
        for (int64_t amount; (amount = fill_path(cut, source, sink)) > 0;) {
            total = amount > CUT_NEVER - total ? CUT_NEVER : total + amount;
        }
    }
    number_levels(cut, sink, true);
    for (int v = 0; v < cut->nvertex; v++) {
        far[v] = cut->level[v] >= 0;
    }
    return total;
}
