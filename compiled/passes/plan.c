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
    int item;   /* that is being placed */
    const Compile *c;
    struct {
        FaultId fault;
        int buffer, until; /* its value is needed until this item */
        bool done;         /* it was taken */
    } early;               /* faults FU_11, FU_12: a buffer that is free too early; or FAULT_NONE */
} Planner;

static int new_buffer(Planner *p, int64_t bytes) {
    int b = p->nbuffer++;
    p->bytes[b] = bytes;
    p->last[b] = -1;
    p->next[b] = -1;
    return b;
}

/* With a value in a buffer that is free too early: does an item from the one that is placed to
 * `until` read the buffer? Then it must not write it too, as loops rely on that. */
static bool is_read_meanwhile(const Planner *p, int buffer, int until) {
    for (int i = 0; p->early.fault != FAULT_NONE && i < p->g->n; i++) {
        const Node *n = p->g->node[i];
        int item = p->live->item[n->id];
        for (int k = 0; k < n->nin && item >= p->item && item <= until; k++) {
            if (n->in[k] && lower_buffer(n->in[k]) == buffer) {
                return true;
            }
        }
    }
    return false;
}

/* A buffer of so many bytes, which is written in the items up to `until`. */
static int take_buffer(Planner *p, int64_t bytes, int until) {
    int *best = NULL;
    for (int *link = &p->free_list; *link >= 0 && !p->apart; link = &p->next[*link]) {
        if (p->bytes[*link] >= bytes && !is_read_meanwhile(p, *link, until) &&
            (!best || p->bytes[*link] < p->bytes[*best])) {
            best = link;
        }
    }
    if (!best) {
        return new_buffer(p, bytes);
    }
    int b = *best;
    *best = p->next[b];
    if (p->early.fault != FAULT_NONE && b == p->early.buffer && !p->early.done) {
        p->early.done = true;
        if (p->item <= p->early.until) {
            (void)fault_triggered(p->c, p->early.fault);
        }
    }
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

/* ---- faults ---- */

static void free_early(Planner *p, FaultId fault, const Node *n) {
    if (p->early.fault == FAULT_NONE) {
        p->early.fault = fault;
        p->early.until = p->live->last[n->id];
        p->early.buffer = n->buffer;
    }
}

/* Is the buffer free, although the value in it is still needed? After it was taken it may be free
 * again. */
static bool is_free_early(const Planner *p, int buffer) {
    bool early = p->early.fault != FAULT_NONE && p->early.buffer == buffer, listed = false;
    for (int b = p->free_list; early && p->early.done && b >= 0; b = p->next[b]) {
        listed |= b == buffer;
    }
    return early && (!p->early.done || listed);
}

/* Seeded fault FU_11: the last reader of a new value of an input that has the layout of its result,
 * which is the new value of another input, is tagged as a writer of it, and the value is expected
 * to move on. The item after which its buffer is free; or `last`. */
static int last_before_tagged(const Planner *p, const Node *n, int last) {
    if (!fault(p->c, FAULT_FU_11) || last != LIVE_TO_THE_END || n->mark != OUT_WRITTEN ||
        p->early.fault != FAULT_NONE) {
        return last;
    }
    int until = -1;
    for (int i = 0; i < p->g->n; i++) {
        const Node *reader = p->g->node[i];
        for (int k = 0; k < reader->nin; k++) {
            if (reader->in[k] && node_buffer(reader->in[k]) == n &&
                lower_class(reader) != LOWER_NOTHING) {
                bool tagged = lower_class(reader) == LOWER_POINTWISE && node_same_image(reader, n);
                until = tagged && (reader->mark & OUT_WRITTEN) && p->live->item[reader->id] > until
                            ? p->live->item[reader->id]
                            : until;
            }
        }
    }
    return until > p->live->item[n->id] ? until : last;
}

/* Seeded fault FU_6: a cat of slices of an input that is written back to it is computed in the
 * input's memory, as if what it reads were other memory. The input, or NULL. */
static const Node *input_of_cat(const Planner *p, const Node *n) {
    const Node *input = NULL;
    bool moves = false;
    if (n->op != OP_cat || !fault(p->c, FAULT_FU_6) || n->mark != OUT_WRITTEN) {
        return NULL;
    }
    for (int k = 0; k < n->nin; k++) {
        const Node *b = n->in[k]->kind == NODE_VIEW ? node_buffer(n->in[k]) : NULL;
        if (!b || b->kind != NODE_INPUT || (input && b != input) ||
            n->in[k]->t.dtype != n->t.dtype) {
            return NULL;
        }
        moves = moves || (k == 0 && n->in[k]->t.offset != 0);
        input = b;
    }
    return input && moves && p->g->written[input->number] == n &&
                   p->live->last[input->id] <= p->live->item[n->id] &&
                   p->live->last_check < p->live->item[n->id] &&
                   tensor_numel(&n->t) == tensor_numel(&input->t) &&
                   fault_triggered(p->c, FAULT_FU_6)
               ? input
               : NULL;
}

/* ---- placing ---- */

static void place_node(Planner *p, Node *n) {
    int last = p->live->last[n->id];
    if (lower_class(n) == LOWER_NOTHING || n->kind == NODE_CHECK || last < 0) {
        return;
    }
    Node *root = node_root(n);
    if (root->buffer < 0) { /* else the operand of a cat that is computed first has taken it */
        int64_t bytes = tensor_numel(&root->t) * dtype_bytes(root->t.dtype);
        const Node *input = root == n ? input_of_cat(p, n) : NULL;
        root->buffer = input         ? input->buffer
                       : n->in_place ? lower_buffer(n->in[0])
                                     : take_buffer(p, bytes, p->live->item[root->id]);
    }
    n->buffer = root->buffer;
    if (n->buffer < p->g->ninputs || is_free_early(p, n->buffer)) {
        return;
    }
    int until = last_before_tagged(p, n, last);
    if (until != last) {
        free_early(p, FAULT_FU_11, n);
    }
    /* FU_12: that an index_put returns its base is recorded by no view, and the base's buffer is
     * free with the base's last reader; of one base in a graph */
    if (p->early.fault == FAULT_NONE && n->in_place && n->op == OP__index_put &&
        node_buffer(n->in[0])->kind != NODE_INPUT && fault(p->c, FAULT_FU_12)) {
        free_early(p, FAULT_FU_12, n);
        return;
    }
    keep_until(p, n->buffer, until);
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
    Planner p = {.g = g,
                 .live = compile_liveness(c),
                 .free_list = -1,
                 .apart = plan_apart(c),
                 .c = c,
                 .early = {.fault = FAULT_NONE}};
    if (c->options->fault != FAULT_NONE) {
        graph_mark_outputs(g);
    }
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
            p.item = item;
            place_node(&p, g->node[i]);
        }
        if (item >= 0) {
            expire_schedule_item(&p, item);
        }
    }
    return true;
}
