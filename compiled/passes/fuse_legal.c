/* May two schedule items become one loop nest? They may if
 *   - both have one iteration space (and reduce the same dims of it, where both reduce);
 *   - every read between the two is a register: at each iteration it addresses what the other fused
 *     op writes, and that op is not a sink;
 *   - no third item lies on a path between them (it would have to run inside the nest);
 *   - no indirect write joins a gather from the buffer that it overwrites, unless the indices are
 *     proven unique: in place, a later iteration would read what an earlier one wrote. */
#include "compiled/passes/fuse.h"

/* Seeded fault FU_19: an index_add into a table with one row, and a gather from that table. All
 * indices are 0, so both seem to walk the table in the same way, as a writer and a reader of one
 * element an iteration do. */
static bool gathers_one_row(const Compile *c, const FusedOp *reader, const Read *read,
                            const FusedOp *writer) {
    return fault(c, FAULT_FU_19) && writer->cls == LOWER_INDEX_ADD && read->kind == READ_INDIRECT &&
           reader->nterm == 1 && writer->nterm == 1 && reader->term[0].bound == 1 &&
           writer->term[0].bound == 1;
}

/* Are all reads of `from`'s values by `reader` registers? */
static bool reads_registers(const Fuser *f, const FusedOp *reader, int from) {
    for (int r = 0; r < reader->nread; r++) {
        const Read *read = &reader->read[r];
        const Node *b = node_buffer(reader->node->in[read->slot]);
        if (f->item_of[b->id] != from) {
            continue;
        }
        const FusedOp *writer = f->fused_op_of[b->id];
        if (!writer || ((writer->sink || !read_follows_write(reader, read, writer)) &&
                        !gathers_one_row(f->c, reader, read, writer))) {
            return false;
        }
    }
    return true;
}

/* Notes that FU_19 merges a gather of item `reader` with what it must wait for. */
static void note_early_gather(const Fuser *f, int reader, int from) {
    for (const FusedOp *m = f->item[reader].first; m; m = f->after[m->node->id]) {
        for (int r = 0; r < m->nread; r++) {
            const Node *b = node_buffer(m->node->in[m->read[r].slot]);
            if (f->item_of[b->id] == from &&
                gathers_one_row(f->c, m, &m->read[r], f->fused_op_of[b->id])) {
                (void)fault_triggered(f->c, FAULT_FU_19);
            }
        }
    }
}

static bool all_read_registers(const Fuser *f, int reader, int from) {
    for (const FusedOp *m = f->item[reader].first; m; m = f->after[m->node->id]) {
        if (!reads_registers(f, m, from)) {
            return false;
        }
    }
    return true;
}

static bool third_between(const Fuser *f, int a, int b) {
    for (uint64_t rest = f->item[a].above & ~item_bit(b); rest; rest &= rest - 1) {
        int w = __builtin_ctzll(rest);
        if (!f->item[w].gone && f->item[w].above & item_bit(b)) {
            return true;
        }
    }
    return false;
}

/* Do all points of the space address different elements through the op's index terms? Proven for
 * arange(n) along one dim, and for a single index. */
static bool indices_unique(const FusedOp *m) {
    if (m->nterm != 1) {
        return false;
    }
    const Read *index = &m->read[m->term[0].read];
    const Node *n = m->node->in[index->slot];
    bool counted = node_buffer((Node *)n)->kind == NODE_OP &&
                   node_buffer((Node *)n)->op == OP_arange && !dtype_is_float(n->t.dtype);
    const int64_t *straight =
        m->nread > 0 && !m->sink ? m->read[m->nread - 1].stride : m->out_stride;
    int walked = 0;
    for (int d = 0; d < m->ndim; d++) {
        if (index->stride[d] != 0) {
            walked++;
        } else if (straight[d] == 0) {
            return false; /* every point of this dim goes to one element */
        }
    }
    return walked == 0 || (walked == 1 && counted);
}

/* Do the gather and the scatter address the same element at each iteration? */
static bool same_elements(const FusedOp *gather, const FusedOp *scatter) {
    const Read *self = &gather->read[gather->nread - 1];
    if (gather->nterm != scatter->nterm || self->offset != scatter->out_offset ||
        !sizes_equal(self->stride, gather->ndim, scatter->out_stride, scatter->ndim)) {
        return false;
    }
    for (int k = 0; k < gather->nterm; k++) {
        const Read *a = &gather->read[gather->term[k].read],
                   *b = &scatter->read[scatter->term[k].read];
        if (node_buffer(gather->node->in[a->slot]) != node_buffer(scatter->node->in[b->slot]) ||
            a->offset != b->offset ||
            !sizes_equal(a->stride, gather->ndim, b->stride, scatter->ndim) ||
            gather->term[k].stride != scatter->term[k].stride) {
            return false;
        }
    }
    return true;
}

static bool writes_over(const FusedOp *m) {
    return m->sink && m->cls != LOWER_REDUCE && m->cls != LOWER_ADD_SLICE;
}

/* Do several points of the space write one element? Then a later iteration would read what an
 * earlier one wrote. */
static bool writes_meet(const FusedOp *m) {
    Tensor written = {.ndim = m->ndim};
    for (int d = 0; d < m->ndim; d++) {
        written.size[d] = m->size[d];
        written.stride[d] = m->out_stride[d] < 0
                                ? -m->out_stride[d]
                                : m->out_stride[d]; /* the direction does not matter */
    }
    return tensor_overlaps_itself(&written);
}

/* Seeded fault IX_2: indices that the region computes need not be unique; constants and inputs are
 * looked at. */
static bool trusts_computed_indices(const Compile *c, const FusedOp *gather,
                                    const FusedOp *scatter) {
    if (!fault(c, FAULT_IX_2) || scatter->nterm == 0 || !same_elements(gather, scatter)) {
        return false;
    }
    for (int k = 0; k < scatter->nterm; k++) {
        const Node *index =
            node_buffer(scatter->node->in[scatter->read[scatter->term[k].read].slot]);
        if (index->kind != NODE_OP || lower_class(index) == LOWER_LITERAL) {
            return false;
        }
    }
    return fault_triggered(c, FAULT_IX_2);
}

/* Seeded fault FU_2: a second in-place update looks for readers of the value before under the name
 * that the buffer had before the first one, and so finds none that reads it mirrored. */
static bool misses_reader(const Compile *c, const FusedOp *m, const Read *read,
                          const FusedOp *writer) {
    const Node *base = node_buffer(writer->node->in[0]);
    return fault(c, FAULT_FU_2) && base->kind == NODE_OP && base->op == OP__index_put &&
           m->cls == LOWER_FLIP && read->kind == READ_AFFINE && writer->nterm == 0;
}

/* Seeded fault FU_3: whether the read follows the write is asked before the reader's dims are
 * interchanged: a transposed read looks like one at the same index. */
static bool follows_before_interchange(const Compile *c, const FusedOp *m, const Read *read,
                                       const FusedOp *writer) {
    int last = m->ndim - 1;
    if (read->kind != READ_AFFINE || writer->nterm > 0 || last < 1 ||
        read->offset != writer->out_offset || m->size[last] != m->size[last - 1] ||
        read->stride[last] != writer->out_stride[last - 1] ||
        read->stride[last - 1] != writer->out_stride[last] ||
        read->stride[last] == read->stride[last - 1] ||
        !sizes_equal(read->stride, last - 1, writer->out_stride, last - 1)) {
        return false;
    }
    return fault(c, FAULT_FU_3);
}

bool fuse_overlooks_read(const Compile *c, const FusedOp *m, const Read *read,
                         const FusedOp *writer) {
    return c->options->fault != FAULT_NONE &&
           (misses_reader(c, m, read, writer) || follows_before_interchange(c, m, read, writer));
}

bool fuse_gathers_what_is_scattered(const FusedOp *m, const FusedOp *writer) {
    return same_elements(m, writer) && indices_unique(writer) && indices_unique(m);
}

/* May the writer share a nest with `m`, which reads the writer's base? */
static bool base_read_allowed(const Compile *c, const FusedOp *m, const Read *read,
                              const FusedOp *writer) {
    if (read->kind == READ_INDIRECT && writer->nterm > 0) {
        return fuse_gathers_what_is_scattered(m, writer) ||
               (fault(c, FAULT_IX_1) && fault_triggered(c, FAULT_IX_1)) ||
               trusts_computed_indices(c, m, writer);
    }
    /* otherwise the write could not be in place: keep the items separate */
    return (read->kind == READ_AFFINE && writer->nterm == 0 &&
            read_follows_write(m, read, writer) && !writes_meet(writer)) ||
           fuse_overlooks_read(c, m, read, writer);
}

static bool bases_allow(const Fuser *f, int writers, int readers) {
    for (const FusedOp *w = f->item[writers].first; w; w = f->after[w->node->id]) {
        Scalar splat;
        if (!writes_over(w) || node_splat(w->node->in[0], &splat)) {
            continue;
        }
        const Node *base = node_buffer(w->node->in[0]);
        for (const FusedOp *m = f->item[readers].first; m; m = f->after[m->node->id]) {
            for (int r = 0; r < m->nread; r++) {
                if (node_buffer(m->node->in[m->read[r].slot]) == base &&
                    !base_read_allowed(f->c, m, &m->read[r], w)) {
                    return false;
                }
            }
        }
    }
    return true;
}

Node *fuse_computed_already(const Fuser *f, const FusedOp *m, int u) {
    Node *original = m->node->recomputes;
    if (!original || m->node->map) {
        return NULL;
    }
    if (f->item_of[original->id] == u) {
        return original;
    }
    for (const FusedOp *k = f->item[u].first; k; k = f->after[k->node->id]) {
        if (k->node->recomputes == original && !k->node->map &&
            k->node->buffer < m->node->buffer) { /* the place in the old order, see pass_fuse */
            return k->node;
        }
    }
    return NULL;
}

/* The number of nodes of `repeat` that recompute values of `of`, and their weight. */
static int fuse_legal_repeats(const Fuser *f, int repeat, int of, int *weight) {
    int count = 0;
    *weight = 0;
    for (const FusedOp *m = f->item[repeat].first; m; m = f->after[m->node->id]) {
        if (fuse_computed_already(f, m, of)) {
            count++;
            *weight += weight_of(m);
        }
    }
    return count;
}

static bool has_room(const Fuser *f, int a, int b) {
    const ScheduleItem *ia = &f->item[a], *ib = &f->item[b];
    int count = ia->count + ib->count, weight = ia->weight + ib->weight, lighter;
    if (f->recomputed && (count > MAX_FUSED_OPS || weight > MAX_WEIGHT)) {
        count -= fuse_legal_repeats(f, a, b, &lighter);
        weight -= lighter;
        count -= fuse_legal_repeats(f, b, a, &lighter);
        weight -= lighter;
    }
    return count <= MAX_FUSED_OPS && weight <= MAX_WEIGHT;
}

static bool updates(const Fuser *f, int u) {
    for (const FusedOp *m = f->item[u].first; m; m = f->after[m->node->id]) {
        if (writes_over(m)) {
            return true;
        }
    }
    return false;
}

/* Seeded fault FU_4: the loops of two independent updates are combined without the test whether one
 * reads, at other positions, what the other writes in place. */
static bool combines_unchecked(const Fuser *f, int a, int b) {
    return fault(f->c, FAULT_FU_4) && !(f->item[a].above & item_bit(b)) &&
           !(f->item[b].above & item_bit(a)) && updates(f, a) && updates(f, b);
}

bool fuse_may_merge(const Fuser *f, int a, int b) {
    const ScheduleItem *ia = &f->item[a], *ib = &f->item[b];
    if (!ia->first || !ib->first || !has_room(f, a, b) ||
        ia->reductions + ib->reductions > MAX_REDUCTIONS || !same_space(ia->first, ib->first)) {
        return false;
    }
    if (ia->reductions > 0 && ib->reductions > 0 && ia->reduced != ib->reduced) {
        return false;
    }
    bool legal = !third_between(f, a, b) && !third_between(f, b, a) &&
                 all_read_registers(f, a, b) && all_read_registers(f, b, a) &&
                 ((bases_allow(f, a, b) && bases_allow(f, b, a)) || combines_unchecked(f, a, b));
    if (legal && fault(f->c, FAULT_FU_19)) {
        note_early_gather(f, a, b);
        note_early_gather(f, b, a);
    }
    return legal;
}
