/* Functional writes that may be done in place.
 *
 * A STORE or scatter may write into its base's buffer if no later node reads that buffer, and no
 * read in the same nest addresses an element that an earlier iteration wrote. That holds if the
 * read addresses, at each iteration, what is written there (every load of a tile precedes its
 * stores); or if it addresses other elements; or if it is the gather of an indirect write that
 * fusion put into one nest (fuse_legal.c has proven its indices unique).
 *
 * An INPUT's buffer is the caller's. It is written only by the node whose value the epilogue would
 * write back to it, and only after the last CHECK, because a failed CHECK must leave the inputs
 * unchanged.
 *
 * Needs fused groups and the final order; sets `in_place`; keeps everything else. */
#include "compiled/capture/capture.h"
#include "compiled/loops/lower.h"
#include "compiled/passes/fuse.h"
#include "compiled/passes/passes.h"

#include <string.h>

static bool writes_over_base(LowerClass cls) {
    return cls == LOWER_STORE || cls == LOWER_VIEW_SCATTER || cls == LOWER_INDEX_PUT ||
           cls == LOWER_SCATTER || cls == LOWER_INDEX_ADD;
}

/* Is the base, read through its own layout, the whole of its buffer with the result's layout? */
static bool same_memory(const Node *n) {
    const Node *base = n->in[0];
    Node image = {.t = n->in[0]->t, .kind = NODE_OP};
    return node_same_image(n, &image) &&
           tensor_numel(&n->t) == tensor_numel(&node_buffer((Node *)base)->t);
}

/* Are the addresses of a read and of the written slice in disjoint intervals? */
static bool apart(const Tensor *read, const FusedOp *writer) {
    int64_t end, begin = read->offset, written_begin = writer->out_offset,
                 written_end = writer->out_offset + 1;
    if (!tensor_extent(read, &end) || end == 0 || writer->nterm > 0) {
        return end == 0;
    }
    for (int d = 0; d < writer->ndim; d++) {
        written_end += (writer->size[d] - 1) * writer->out_stride[d];
    }
    return end <= written_begin || written_end <= begin;
}

/* Seeded fault FU_1: two places in one buffer are taken to be apart unless they begin at one
 * address, so that a copy between overlapping slices needs no clone. (From a later to an earlier
 * address a loop is right by chance.) */
static bool begins_elsewhere(const Compile *c, const Node *u, int slot, const Read *read,
                             const FusedOp *writer) {
    return fault(c, FAULT_FU_1) && u == writer->node && u->kind == NODE_STORE && slot == 1 &&
           read->offset < writer->out_offset && writer->ndim > 0 &&
           sizes_equal(read->stride, writer->ndim, writer->out_stride, writer->ndim) &&
           fault_triggered(c, FAULT_FU_1);
}

/* What fusion has put into one nest is not tested again: seeded faults FU_2, FU_3 and FU_4. */
static bool fusion_overlooked(const Compile *c, const FusedOp *m, const Read *read,
                              const FusedOp *writer) {
    bool by_chance = read->kind == READ_AFFINE && read->offset > writer->out_offset &&
                     sizes_equal(read->stride, m->ndim, writer->out_stride, writer->ndim);
    return !by_chance && m->node != writer->node && writer->node->group >= 0 &&
           (fault(c, FAULT_FU_4) || fuse_overlooks_read(c, m, read, writer)) &&
           fault_triggered(c, c->options->fault);
}

/* Has fusion proven that `m` reads only what the writer overwrites in the same iteration? */
static bool proven_by_fusion(const Compile *c, const FusedOp *m, const Read *read,
                             const FusedOp *writer) {
    bool proven = read->kind == READ_INDIRECT && writer->nterm > 0 && m->node != writer->node;
    if (proven && fault(c, FAULT_FU_4) && !fuse_gathers_what_is_scattered(m, writer)) {
        (void)fault_triggered(c, FAULT_FU_4);
    }
    return proven;
}

/* May `u` (a node of the writer's schedule item, perhaps the writer) read `buffer` while the writer
 * overwrites it? */
static bool read_is_safe(Compile *c, Node *u, const Node *buffer, const FusedOp *writer) {
    FusedOp m;
    bool described = false;
    for (int k = 0; k < u->nin; k++) {
        if (!u->in[k] || node_buffer(u->in[k]) != buffer || !node_reads_slot(u, k) ||
            (u == writer->node && k == 0)) {
            continue;
        }
        if (apart(&u->in[k]->t, writer)) {
            continue;
        }
        if (!described && !fused_op_describe(c, u, c->arena, &m)) {
            return false;
        }
        described = true;
        for (int r = 0; r < m.nread; r++) {
            const Read *read = &m.read[r];
            if (read->slot != k) {
                continue;
            }
            bool follows = writer->nterm == 0 && read_follows_write(&m, read, writer);
            if (!follows && !proven_by_fusion(c, &m, read, writer) &&
                !begins_elsewhere(c, u, k, read, writer) &&
                !fusion_overlooked(c, &m, read, writer)) {
                return false;
            }
        }
    }
    return true;
}

/* Seeded fault AL_4: a value that is written back may be made in the input's buffer, even if it is
 * also returned; the epilogue then returns that buffer. */
static bool returned_too(const Compile *c, const Node *n) {
    return fault(c, FAULT_AL_4) && c->capture && c->capture->ret && !(n->mark & OUT_GRAD);
}

static bool input_may_be_written(const Compile *c, const Liveness *live, const Node *n,
                                 const Node *input) {
    const Node *written = c->graph->written ? c->graph->written[input->number] : NULL;
    bool alone =
        !(n->mark & (OUT_RETURN | OUT_GRAD)); /* a returned storage belongs to the caller alone */
    bool only_written = written == n && (alone || returned_too(c, n));
    bool mine = only_written || (fault(c, FAULT_FU_16) && written != NULL && written != input &&
                                 fault_triggered(c, FAULT_FU_16));
    return mine && live->last_check < live->item[n->id];
}

/* Seeded fault FU_10: uses are counted by the name of a view. Is `n` the last that reads its base
 * under this name? Later nodes may read the buffer under another one. */
static bool last_of_name(const Compile *c, const Liveness *live, const Node *n) {
    const Node *name = n->in[0];
    if (!fault(c, FAULT_FU_10) || name->kind != NODE_VIEW || name->mark != 0 ||
        (name->in[0]->kind != NODE_OP && name->in[0]->kind != NODE_STORE)) {
        return false;
    }
    for (int i = 0; i < c->graph->n; i++) {
        const Node *u = c->graph->node[i];
        for (int k = 0; k < u->nin; k++) {
            if (u->in[k] == name && live->item[u->id] > live->item[n->id]) {
                return false;
            }
        }
    }
    return true;
}

static bool may_write_in_place(Compile *c, const Liveness *live, int begin, int end, Node *n) {
    Scalar splat;
    if (!writes_over_base(lower_class(n)) || live->last[n->id] < 0 ||
        node_splat(n->in[0], &splat)) {
        return false;
    }
    const Node *buffer = node_buffer(n->in[0]);
    bool dead = live->last[buffer->id] <= live->item[n->id];
    if (buffer->kind == NODE_TANGENT || !(dead || last_of_name(c, live, n)) || !same_memory(n)) {
        return false;
    }
    if (buffer->kind != NODE_INPUT && !node_reads_slot(n, 0)) {
        return false; /* it overwrites the whole base: no copy to avoid */
    }
    if (buffer->kind == NODE_INPUT && !input_may_be_written(c, live, n, buffer)) {
        return false;
    }
    FusedOp writer;
    if (!fused_op_describe(c, n, c->arena, &writer)) {
        return false;
    }
    for (int i = begin; i < end; i++) {
        Node *u = c->graph->node[i];
        if (u->kind != NODE_VIEW && !read_is_safe(c, u, buffer, &writer)) {
            return false;
        }
    }
    return dead || fault_triggered(c, FAULT_FU_10);
}

/* ---- a seeded fault ---- */

/* Is `n` the last reader of its base, which is one row expanded, and has it a value for each row?
 */
static bool adds_to_expanded_rows(const Graph *g, int i) {
    const Node *n = g->node[i];
    if (n->kind != NODE_OP || n->op != OP__index_put || !n->call->arg[3].b || n->nin != 4 ||
        n->in[1] || !n->in[2] || n->in[2]->t.ndim != 1 || !dtype_is_float(n->t.dtype)) {
        return false;
    }
    const Node *base = n->in[0], *values = n->in[3], *buffer = node_buffer(n->in[0]);
    if (base->t.ndim != 2 || base->t.size[0] < 2 || base->t.stride[0] != 0 || values->t.ndim != 2 ||
        values->t.size[0] != base->t.size[0] || values->t.size[1] == 0 || buffer->kind != NODE_OP ||
        buffer->mark || n->group >= 0) {
        return false;
    }
    for (int k = i + 1; k < g->n; k++) {
        for (int j = 0; j < g->node[k]->nin; j++) {
            const Node *in = g->node[k]->in[j];
            if (in && node_buffer((Node *)in) == buffer) {
                return false;
            }
        }
    }
    return true;
}

/* Seeded fault GR_4: the donor of an in-place scatter may overlap itself. All rows of an expanded
 * base are then one row, and each of them ends with what was added to any. The scatter gets the sum
 * of its values over the rows, so that nothing is written outside of a buffer. */
static void add_to_one_row(Compile *c, int i) {
    Graph *g = c->graph;
    Node *n = g->node[i], *values = n->in[3];
    static const int64_t rows = 0;
    Call call = call_new(OP_sum_dim);
    call.arg[0].tensor = &values->t;
    call.arg[1].none = false;
    call.arg[1].ints.v = arena_copy(c->arena, &rows, sizeof rows);
    call.arg[1].ints.n = 1;
    call.arg[2].b = true;
    Error err = {0};
    Infer r = {.arena = c->arena, .err = &err};
    if (call.op->infer(&call, &r) != ERR_none || !fault_triggered(c, FAULT_GR_4)) {
        return;
    }
    Node *sum = graph_op(g, &call, &r.out[0], n->sid);
    Tensor wide = sum->t;
    wide.size[0] = values->t.size[0];
    wide.stride[0] = 0;
    Node *view = graph_view(g, sum, &wide, n->sid);
    sum->group = view->group = -1;
    memmove(&g->node[i + 2], &g->node[i], sizeof *g->node * (size_t)(g->n - 2 - i));
    g->node[i] = sum;
    g->node[i + 1] = view;
    n->in[3] = view;
    node_sync_call(n);
}

static void add_to_one_row_everywhere(Compile *c) {
    graph_mark_outputs(c->graph);
    for (int i = 0; i < c->graph->n; i++) {
        if (adds_to_expanded_rows(c->graph, i) && fault(c, FAULT_GR_4)) {
            add_to_one_row(c, i);
            i += 2;
        }
    }
}

/* ---- the pass ---- */

bool pass_reinplace(Compile *c) {
    Graph *g = c->graph;
    if (c->options->fault != FAULT_NONE) {
        add_to_one_row_everywhere(c);
    }
    const Liveness *live = compile_liveness(c);
    bool changed = false;
    graph_mark_outputs(g);
    for (int i = 0; i < g->n;) {
        int begin = i, end = schedule_item_end(g, i);
        for (; i < end; i++) {
            Node *n = g->node[i];
            if (may_write_in_place(c, live, begin, end, n) &&
                gate(c, n->kind == NODE_STORE ? STEP_store_in_place : STEP_scatter_in_place)) {
                n->in_place = true;
                changed = true;
                if (fault(c, FAULT_AL_4) && n->mark & OUT_RETURN &&
                    node_buffer(n->in[0])->kind == NODE_INPUT) {
                    (void)fault_triggered(c, FAULT_AL_4);
                }
            }
        }
    }
    return changed;
}
