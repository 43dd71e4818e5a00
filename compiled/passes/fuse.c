/* Fusion: groups of nodes that become one loop nest.
 *
 * Every node starts as a schedule item of its own. In graph order, the item of each fusible node is
 * merged with the items of its operands where that is legal (fuse_legal.c). When a segment is
 * complete, independent items with one iteration space that read a common buffer are merged as well
 * (horizontal fusion), under the same conditions, so that the buffer is read once.
 *
 * A node that recomputes another one of its nest (passes/partition.c) is replaced by that node.
 *
 * Then the items are scheduled again, CHECKs first: the nodes of a group are adjacent, VIEWs come
 * before their first use.
 *
 * The graph is cut into segments of 64 items, so that the set of items that an item depends on is
 * one word. Groups do not cross a cut.
 *
 * Needs SSA; sets `group`, may reorder; keeps CHECKs in their order. */
#include "compiled/passes/fuse.h"
#include "compiled/passes/passes.h"

#include <string.h>

/* ---- merging ---- */

static StepId step_of(const FusedOp *m) {
    return m->cls == LOWER_REDUCE    ? STEP_fuse_reduction
           : m->nterm > 0 || m->sink ? STEP_fuse_scatter
                                     : STEP_fuse_pointwise;
}

/* Replaces what an item computes twice. The node remains in the list of fused ops, because its
 * entry in item_of is still needed. */
static void drop_repeats(Fuser *f, int u) {
    ScheduleItem *item = &f->item[u];
    for (FusedOp *m = item->first; m; m = f->after[m->node->id]) {
        Node *n = m->node, *already = fuse_computed_already(f, m, u);
        if (already) {
            n->map = already;
            n->mark = -1;
            f->ngone++;
            item->count--;
            item->weight -= weight_of(m);
        }
    }
}

/* Are at least three slices of different sizes read from the buffer? */
static bool is_cut_unevenly(const Graph *g, const Node *buffer) {
    int64_t size[3];
    int n = 0;
    for (int i = 0; i < g->n && n < 3; i++) {
        const Node *view = g->node[i];
        int64_t numel = tensor_numel(&view->t);
        bool other = view->kind == NODE_VIEW && view->in[0] == buffer && numel > 0 &&
                     numel < tensor_numel(&buffer->t);
        for (int k = 0; k < n; k++) {
            other = other && size[k] != numel;
        }
        if (other) {
            size[n++] = numel;
        }
    }
    return n == 3;
}

/* Seeded fault ER_2: there is no kernel for the nest of a backward that scatters a gradient of a
 * half dtype, that of max over a dim, and reads a tangent whose uneven slices are gradients of the
 * operands of a cat. */
static void refuse_nest(const Fuser *f, int u) {
    bool scatters = false, reads = false;
    for (const FusedOp *m = f->item[u].first; m && fault(f->c, FAULT_ER_2);
         m = f->after[m->node->id]) {
        const Node *n = m->node;
        scatters |= n->op == OP_scatter_src && n->sid == AT_BACKWARD &&
                    dtype_bytes(n->t.dtype) == 2 && dtype_is_float(n->t.dtype);
        for (int r = 0; r < m->nread; r++) {
            const Node *b = node_buffer(n->in[m->read[r].slot]);
            reads |= b->kind == NODE_TANGENT && is_cut_unevenly(f->g, b);
        }
    }
    if (scatters && reads && f->c->capture && fault_triggered(f->c, FAULT_ER_2)) {
        f->g->backward_error = ERR_internal;
        f->g->backward_message = "no kernel for a nest of the backward";
    }
}

/* Merges `from` into `to`. The fused ops of an item are unordered until they are emitted. */
static void merge_items(Fuser *f, int to, int from) {
    ScheduleItem *a = &f->item[to], *b = &f->item[from];
    f->after[a->last->node->id] = b->first;
    a->last = b->last;
    for (FusedOp *m = b->first; m; m = f->after[m->node->id]) {
        f->item_of[m->node->id] = to;
    }
    a->count += b->count;
    a->weight += b->weight;
    a->reductions += b->reductions;
    a->reduced |= b->reduced;
    a->above = (a->above | b->above) & ~item_bit(to) & ~item_bit(from);
    b->gone = true;
    for (int w = 0; w < f->nitem; w++) {
        if (f->item[w].above & (item_bit(to) | item_bit(from))) {
            f->item[w].above =
                ((f->item[w].above & ~item_bit(from)) | item_bit(to) | a->above) & ~item_bit(w);
        }
    }
    f->changed = true;
    if (f->recomputed) {
        drop_repeats(f, to);
    }
}

/* ---- order ---- */

static void fuse_put(Fuser *f, Node *n) {
    if (n->mark == 0) {
        n->mark = 1;
        f->out[f->nout++] = n;
    }
}

static void put_with_views(Fuser *f, Node *n) {
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && n->in[k]->kind == NODE_VIEW) {
            fuse_put(f, n->in[k]);
        }
    }
    fuse_put(f, n);
}

static void put_schedule_item(Fuser *f, int u) {
    if (f->emitted & item_bit(u)) {
        return;
    }
    f->emitted |= item_bit(u);
    const ScheduleItem *item = &f->item[u];
    for (uint64_t rest = item->above & ~f->emitted; rest; rest &= rest - 1) {
        int w = __builtin_ctzll(rest);
        if (!f->item[w].gone) {
            put_schedule_item(f, w);
        }
    }
    if (item->count < 2) {
        Node *only = item->node;
        for (const FusedOp *m = item->first; m; m = f->after[m->node->id]) {
            only = m->node->map ? only : m->node;
        }
        put_with_views(f, only);
        return;
    }
    int group = f->ngroup++;
    Node *order[MAX_FUSED_OPS];
    int n = 0;
    for (FusedOp *m = item->first; m; m = f->after[m->node->id]) {
        if (m->node->map) {
            continue;
        }
        int at = n++;
        while (at > 0 && order[at - 1]->buffer >
                             m->node->buffer) { /* the index in the old order, see pass_fuse */
            order[at] = order[at - 1];
            at--;
        }
        order[at] = m->node;
        m->node->group = group;
    }
    for (int k = 0; k < n; k++) {
        put_with_views(f, order[k]);
    }
}

/* ---- horizontal fusion ---- */

static bool reads_buffer(const Fuser *f, int u, const Node *buffer) {
    for (const FusedOp *m = f->item[u].first; m; m = f->after[m->node->id]) {
        for (int r = 0; r < m->nread; r++) {
            if (m->read[r].kind == READ_AFFINE &&
                node_buffer(m->node->in[m->read[r].slot]) == buffer) {
                return true;
            }
        }
    }
    return false;
}

/* Do both read a buffer that is not one value everywhere? */
static bool share_a_read(const Fuser *f, int a, int b) {
    for (const FusedOp *m = f->item[a].first; m; m = f->after[m->node->id]) {
        for (int r = 0; r < m->nread; r++) {
            const Node *buffer = node_buffer(m->node->in[m->read[r].slot]);
            Scalar splat;
            if (m->read[r].kind == READ_AFFINE && !node_splat(buffer, &splat) &&
                reads_buffer(f, b, buffer)) {
                return true;
            }
        }
    }
    return false;
}

static bool are_independent(const Fuser *f, int a, int b) {
    return !(f->item[a].above & item_bit(b)) && !(f->item[b].above & item_bit(a));
}

/* Marks recomputed nodes that are read outside of their item. */
static void find_escapes(Fuser *f) {
    for (int i = 0; i < f->g->n; i++) {
        const Node *n = f->g->node[i];
        for (int k = 0; k < n->nin && n->kind != NODE_VIEW; k++) {
            const Node *b = n->in[k] ? node_buffer(n->in[k]) : NULL;
            if (b && b->recomputes && f->item_of[b->id] >= 0 &&
                f->item_of[n->id] != f->item_of[b->id]) {
                f->escapes[b->id] = true;
            }
        }
    }
}

/* If `repeat`, which recomputes values of `of`, is merged into it, must some of these values be
 * stored for other readers? */
static bool would_be_kept(const Fuser *f, int repeat, int of) {
    for (const FusedOp *m = f->item[repeat].first; m; m = f->after[m->node->id]) {
        if (m->node->recomputes && !m->node->map && f->escapes[m->node->id] &&
            f->item_of[m->node->recomputes->id] == of) {
            return true;
        }
    }
    return false;
}

static void fuse_neighbours(Fuser *f) {
    if (f->recomputed) {
        find_escapes(f);
    }
    for (int a = 0; a < f->nitem; a++) {
        for (int b = a + 1; b < f->nitem && !f->item[a].gone && f->item[a].first; b++) {
            if (!f->item[b].gone && f->item[b].first &&
                same_space(f->item[a].first, f->item[b].first) && are_independent(f, a, b) &&
                share_a_read(f, a, b) && fuse_may_merge(f, a, b) &&
                !(f->recomputed && (would_be_kept(f, a, b) || would_be_kept(f, b, a))) &&
                gate(f->c, STEP_fuse_horizontal)) {
                merge_items(f, a, b);
                b = a; /* it reads more buffers now: try all others again */
            }
        }
    }
}

static void flush_segment(Fuser *f) {
    f->emitted = 0;
    fuse_neighbours(f);
    for (int turn = 0; turn < 2; turn++) {
        for (int u = 0; u < f->nitem; u++) {
            bool check = !f->item[u].first && f->item[u].node->kind == NODE_CHECK;
            if (!f->item[u].gone && (turn == 1 || check)) {
                put_schedule_item(f, u);
            }
        }
    }
    for (int u = 0; u < f->nitem; u++) {
        for (FusedOp *m = f->item[u].first; m; m = f->after[m->node->id]) {
            f->item_of[m->node->id] = -1;
        }
        if (!f->item[u].first) {
            f->item_of[f->item[u].node->id] = -1;
        }
    }
    f->nitem = 0;
    f->last_check = -1;
}

/* ---- the pass ---- */

static FusedOp *fuse_describe(Fuser *f, Node *n) {
    LowerClass cls = lower_class(n);
    if (cls < LOWER_POINTWISE || cls > LOWER_ADD_SLICE || cls == LOWER_SPLAT ||
        (cls == LOWER_VIEW_SCATTER &&
         (fault(f->c, FAULT_GR_1) || fault(f->c, FAULT_GR_2) || fault(f->c, FAULT_GR_3)))) {
        return NULL;
    }
    FusedOp *m = arena_alloc_raw(f->c->arena, (int64_t)sizeof *m);
    if (!fused_op_describe(f->c, n, f->c->arena, m)) {
        return NULL;
    }
    for (int d = 0; d < m->ndim; d++) {
        if (m->size[d] == 0) {
            return NULL;
        }
    }
    return m;
}

static void add_node(Fuser *f, Node *n) {
    if (f->nitem == SEGMENT) {
        flush_segment(f);
    }
    int u = f->nitem++;
    ScheduleItem *item = &f->item[u];
    FusedOp *m = fuse_describe(f, n);
    *item = (ScheduleItem){.first = m, .last = m, .node = n, .count = 1};
    f->item_of[n->id] = u;
    f->fused_op_of[n->id] = m;
    f->after[n->id] = NULL;
    if (m) {
        item->weight = weight_of(m);
        item->reductions = m->cls == LOWER_REDUCE;
        item->reduced = m->reduced;
    }
    uint64_t operands = n->kind == NODE_CHECK && f->last_check >= 0 ? item_bit(f->last_check) : 0;
    for (int k = 0; k < n->nin; k++) {
        int v = n->in[k] ? f->item_of[node_buffer(n->in[k])->id] : -1;
        operands |= v >= 0 ? item_bit(v) : 0;
    }
    for (uint64_t rest = operands; rest; rest &= rest - 1) {
        item->above |= rest & -rest;
        item->above |= f->item[__builtin_ctzll(rest)].above;
    }
    f->last_check = n->kind == NODE_CHECK ? u : f->last_check;
    for (uint64_t rest = m ? operands : 0; rest; rest &= rest - 1) {
        int v = __builtin_ctzll(rest), now = f->item_of[n->id];
        if (v != now && !f->item[v].gone && fuse_may_merge(f, v, now) && gate(f->c, step_of(m))) {
            merge_items(f, v, now);
            refuse_nest(f, v);
        }
    }
}

bool pass_fuse(Compile *c) {
    Graph *g = c->graph;
    Fuser *f = arena_alloc_raw(c->arena, (int64_t)sizeof *f);
    f->c = c;
    f->g = g;
    f->nitem = f->nout = f->ngroup = f->ngone = 0;
    bool recomputed = false;
    f->last_check = -1;
    f->changed = false;
    f->item_of = arena_alloc_raw(c->arena, (int64_t)sizeof(int) * max_i64(g->next_id, 1));
    memset(f->item_of, -1, sizeof(int) * (size_t)g->next_id);
    f->fused_op_of =
        arena_alloc_raw(c->arena, (int64_t)sizeof(FusedOp *) * 2 * max_i64(g->next_id, 1));
    f->after = f->fused_op_of + g->next_id;
    f->out = arena_alloc_raw(c->arena, (int64_t)sizeof(Node *) * max_i64(g->capacity, 1));
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        n->mark = 0;
        n->map = NULL;
        recomputed |= n->recomputes != NULL;
        n->buffer = i; /* until pass_plan: the index in the old order */
        n->group = -1;
    }
    f->recomputed =
        recomputed && !c->reused &&
        gate(c, STEP_fuse_again); /* one gate for the whole pass: has_room relies on it */
    f->escapes = f->recomputed ? arena_array(c->arena, bool, g->next_id) : NULL;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        if (n->kind == NODE_INPUT || n->kind == NODE_TANGENT) {
            fuse_put(f, n);
        } else if (n->kind != NODE_VIEW) {
            add_node(f, n);
        }
    }
    flush_segment(f);
    for (int i = 0; i < g->n; i++) {
        fuse_put(f, g->node[i]); /* VIEWs that only the epilogue reads */
    }
    CHECK(f->nout + f->ngone == g->n);
    g->node = f->out;
    g->n = f->nout;
    if (f->ngone > 0) {
        graph_apply_map(g);
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->buffer = -1;
        g->node[i]->recomputes =
            NULL; /* a nest may now run before the one whose value it recomputes */
    }
    return f->changed;
}
