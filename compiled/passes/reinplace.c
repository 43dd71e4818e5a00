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
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

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
            bool proven = read->kind == READ_INDIRECT && writer->nterm > 0 && u != writer->node;
            if (!follows && !proven) {
                return false;
            }
        }
    }
    return true;
}

static bool input_may_be_written(const Compile *c, const Liveness *live, const Node *n,
                                 const Node *input) {
    const Node *written = c->graph->written ? c->graph->written[input->number] : NULL;
    bool only_written =
        written == n &&
        !(n->mark & (OUT_RETURN | OUT_GRAD)); /* a returned storage belongs to the caller alone */
    bool mine = only_written || (fault(c, FAULT_FU_16) && written != NULL && written != input &&
                                 fault_triggered(c, FAULT_FU_16));
    return mine && live->last_check < live->item[n->id];
}

static bool may_write_in_place(Compile *c, const Liveness *live, int begin, int end, Node *n) {
    Scalar splat;
    if (!writes_over_base(lower_class(n)) || live->last[n->id] < 0 ||
        node_splat(n->in[0], &splat)) {
        return false;
    }
    const Node *buffer = node_buffer(n->in[0]);
    if (buffer->kind == NODE_TANGENT || live->last[buffer->id] > live->item[n->id] ||
        !same_memory(n)) {
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
    return true;
}

bool pass_reinplace(Compile *c) {
    Graph *g = c->graph;
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
            }
        }
    }
    return changed;
}
