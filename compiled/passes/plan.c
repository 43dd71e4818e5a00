/* Assignment of buffers by liveness.
 *
 * Needs the final order; sets `buffer`. Inputs have the first numbers, then tangents. In the order
 * of schedule items, a node whose memory is read takes the smallest free buffer that is large
 * enough, or a new one; an in-place node takes its base's. A buffer is free again after the item
 * that reads it last, so an item never writes into a buffer that it reads.
 *
 * Where a graph uses much memory, adjacent loops are tiled together (loops/loop_tiling.c), which
 * does not allow two values in one buffer. Then each value has a buffer of its own, and lowering
 * reuses addresses instead (assign_offsets in loops/lower.c). */
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

#include <string.h>

enum { MUCH = 512 * 1024 };

typedef struct Planner {
    const Graph *g;
    const Liveness *live;
    int nbuffer, capacity;
    int64_t *bytes; /* by buffer */
    int *last;      /* by buffer: item after which it is free */
    int *next;      /* by buffer: next in the list of its item, or in the free list */
    int *expire;    /* by item: first buffer whose last reader it is, or -1 */
    int free_list;
    bool apart; /* a buffer for every value */
} Planner;

static int new_buffer(Planner *p, int64_t bytes) {
    int b = p->nbuffer++;
    p->bytes[b] = bytes;
    p->last[b] = -1;
    p->next[b] = -1;
    return b;
}

static int take_buffer(Planner *p, int64_t bytes) {
    int *best = NULL;
    for (int *link = &p->free_list; *link >= 0 && !p->apart; link = &p->next[*link]) {
        if (p->bytes[*link] >= bytes && (!best || p->bytes[*link] < p->bytes[*best])) {
            best = link;
        }
    }
    if (!best) {
        return new_buffer(p, bytes);
    }
    int b = *best;
    *best = p->next[b];
    return b;
}

/* The buffer lives at least until `item`. It is in one list only, that of its last item so far. */
static void keep_until(Planner *p, int b, int item) {
    if (item <= p->last[b]) {
        return;
    }
    int listed = p->last[b];
    p->last[b] = item;
    if (listed < 0 &&
        item !=
            LIVE_TO_THE_END) { /* otherwise it moves to this list when its earlier item expires */
        p->next[b] = p->expire[item];
        p->expire[item] = b;
    }
}

static void expire_schedule_item(Planner *p, int item) {
    for (int b = p->expire[item], next; b >= 0; b = next) {
        next = p->next[b];
        if (p->last[b] == item) {
            p->next[b] = p->free_list;
            p->free_list = b;
            p->last[b] = -1;
        } else if (p->last[b] != LIVE_TO_THE_END) {
            p->next[b] = p->expire[p->last[b]];
            p->expire[p->last[b]] = b;
        }
    }
}

static void place_node(Planner *p, Node *n) {
    int last = p->live->last[n->id];
    if (lower_class(n) == LOWER_NOTHING || n->kind == NODE_CHECK || last < 0) {
        return;
    }
    int64_t bytes = tensor_numel(&n->t) * dtype_bytes(n->t.dtype);
    n->buffer = n->in_place ? lower_buffer(n->in[0]) : take_buffer(p, bytes);
    if (n->buffer >= p->g->ninputs) {
        keep_until(p, n->buffer, last);
    }
}

bool plan_apart(const Compile *c) {
    int64_t bytes = 0;
    for (int i = 0; i < c->graph->n; i++) {
        const Node *n = c->graph->node[i];
        bytes += n->kind == NODE_VIEW ? 0 : tensor_numel(&n->t) * dtype_bytes(n->t.dtype);
    }
    return bytes >= MUCH ||
           (compile_checks_itself(c) && c->graph->n % 4 == 0); /* --verify covers both ways */
}

bool pass_plan(Compile *c) {
    Graph *g = c->graph;
    Planner p = {.g = g, .live = compile_liveness(c), .free_list = -1, .apart = plan_apart(c)};
    int most = g->ninputs + g->n;
    p.bytes = arena_alloc_raw(c->arena, (int64_t)sizeof *p.bytes * most);
    p.last = arena_alloc_raw(c->arena, (int64_t)sizeof *p.last * 2 * most);
    p.next = p.last + most;
    p.expire = arena_alloc_raw(c->arena, (int64_t)sizeof *p.expire * (p.live->nitem + 1));
    memset(p.expire, -1, sizeof *p.expire * (size_t)(p.live->nitem + 1));
    for (int k = 0; k < g->ninputs; k++) {
        g->input[k]->buffer = new_buffer(&p, 0);
    }
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        if (n->kind != NODE_INPUT) {
            n->buffer = n->kind == NODE_TANGENT ? new_buffer(&p, 0) : -1;
        }
    }
    for (int i = 0; i < g->n;) {
        int end = schedule_item_end(g, i), item = -1;
        for (; i < end; i++) {
            item = p.live->item[g->node[i]->id] >= 0 ? p.live->item[g->node[i]->id] : item;
            place_node(&p, g->node[i]);
        }
        if (item >= 0) {
            expire_schedule_item(&p, item);
        }
    }
    return true;
}
