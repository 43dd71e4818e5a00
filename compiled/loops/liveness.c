/* Liveness: the last schedule item that reads the memory of each buffer.
 *
 * Time is counted in schedule items. A read counts if it accesses memory: not if the operand is a
 * splat that the reader inlines, nor if it is a register of the same nest. What the epilogue reads
 * lives to the end. */
#include "compiled/loops/liveness.h"
#include "compiled/loops/lower_class.h"

#include <string.h>

int schedule_item_end(const Graph *g, int at) {
    int end = at + 1, group = g->node[at]->group;
    if (group < 0) {
        return end;
    }
    while (end < g->n && (g->node[end]->group == group || g->node[end]->kind == NODE_VIEW)) {
        end++;
    }
    while (g->node[end - 1]->group != group) {
        end--;
    }
    return end;
}

static void live_to_end(Liveness *live, const Node *n) {
    if (n) {
        live->last[n->kind == NODE_VIEW ? n->in[0]->id : n->id] = LIVE_TO_THE_END;
    }
}

static void reads_of(Liveness *live, const Node *n) {
    int item = live->item[n->id];
    for (int k = 0; k < n->nin; k++) {
        Scalar splat;
        if (!n->in[k] || !node_reads_slot(n, k)) {
            continue;
        }
        const Node *b = node_buffer(n->in[k]);
        bool same_nest = n->group >= 0 && b->group == n->group &&
                         lower_class(b) != LOWER_INDEX_ADD; /* in memory (only with FU_19) */
        if (same_nest || (node_splat(b, &splat) && node_inlines_splat(n, k))) {
            continue;
        }
        if (live->last[b->id] < item) {
            live->last[b->id] = item;
        }
    }
}

Liveness liveness_analyse(const Graph *g, Arena *arena) {
    Liveness live = {.last_check = -1};
    live.item = arena_alloc_raw(arena, (int64_t)sizeof(int) * 2 * max_i64(g->next_id, 1));
    live.last = live.item + g->next_id;
    memset(live.item, -1, sizeof(int) * 2 * (size_t)g->next_id);
    for (int i = 0; i < g->n;) {
        int end = schedule_item_end(g, i);
        bool any = false;
        for (; i < end; i++) {
            const Node *n = g->node[i];
            if (lower_class(n) != LOWER_NOTHING) {
                live.item[n->id] = live.nitem;
                any = true;
                reads_of(&live, n);
                live.last_check = n->kind == NODE_CHECK ? live.nitem : live.last_check;
            }
        }
        live.nitem += any;
    }
    for (int i = 0; i < g->nret; i++) {
        if (!g->ret[i].aliases_input) {
            live_to_end(&live, g->ret[i].value);
        }
        live_to_end(&live, g->ret[i].grad);
        live_to_end(&live, g->ret[i].before);
    }
    for (int i = 0; i < g->ninp; i++) {
        live_to_end(&live, g->inp[i].grad);
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        live_to_end(&live, g->written[k]);
    }
    for (int i = 0; i < g->n; i++) { /* the result of a cat lives as long as its operands in it */
        const Node *n = g->node[i];
        if (n->into && live.last[n->into->id] < live.last[n->id]) {
            live.last[n->into->id] = live.last[n->id];
        }
    }
    return live;
}

const Liveness *compile_liveness(Compile *c) {
    if (!c->live) {
        Liveness live = liveness_analyse(c->graph, c->arena);
        c->live = arena_copy(c->arena, &live, (int64_t)sizeof live);
    }
    return c->live;
}
