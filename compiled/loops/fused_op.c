/* Fused ops: what a node does at one point of its iteration space.
 *
 * The space of most nodes has the sizes of their result; that of a reduction the sizes of its
 * operand; that of a write to a slice or a scatter the sizes of the values written. Dims of size 1
 * are left out, so that [3, 1] and [3] are one space. A broadcast operand has stride 0. Index
 * tensors are ordinary affine reads; the read of the tensor they index is indirect, and index *
 * stride is added to its address.
 *
 * Index tensors are analysed by inference (program/infer/infer.h): the description of how they
 * apply is shared with the reference executor, the code that runs it is not. */
#include "compiled/loops/fused_op.h"
#include "compiled/views/views.h"
#include "program/infer/infer.h"

#include <string.h>

/* ---- spaces ---- */

typedef struct Describe {
    FusedOp *m;
    Arena *arena;
    int ndim;           /* of the whole space, with dims of size 1 */
    int keep[MAX_DIMS]; /* by dim of the fused op: dim of the whole space */
} Describe;

static void set_space(Describe *d, const int64_t *size, int ndim) {
    FusedOp *m = d->m;
    d->ndim = ndim;
    m->ndim = 0;
    for (int k = 0; k < ndim; k++) {
        if (size[k] != 1) {
            d->keep[m->ndim] = k;
            m->size[m->ndim++] = size[k];
        }
    }
}

static Read *add_read(Describe *d, ReadKind kind, int slot) {
    CHECK(d->m->nread < MAX_READS);
    Read *r = &d->m->read[d->m->nread++];
    r->kind = kind;
    r->slot = slot;
    return r;
}

/* Strides by dim of the whole space -> by dim of the fused op's. */
static void keep_strides(const Describe *d, const int64_t *whole, int64_t *out) {
    for (int k = 0; k < d->m->ndim; k++) {
        out[k] = whole[d->keep[k]];
    }
}

/* Strides of `t` broadcast to the space. */
static void expanded_strides(const Describe *d, const Tensor *t, int64_t *out) {
    int shift = d->ndim - t->ndim;
    for (int k = 0; k < d->m->ndim; k++) {
        int own = d->keep[k] - shift;
        out[k] = own < 0 || t->size[own] == 1 ? 0 : t->stride[own];
    }
}

static Read *read_expanded(Describe *d, int slot) {
    Read *r = add_read(d, READ_AFFINE, slot);
    Tensor room;
    const Tensor *t = node_memory(d->m->node->in[slot], &room);
    r->offset = t->offset;
    expanded_strides(d, t, r->stride);
    return r;
}

static void write_result(Describe *d) {
    Tensor room;
    const Tensor *t = node_memory(d->m->node, &room);
    d->m->out_offset = t->offset;
    expanded_strides(d, t, d->m->out_stride);
}

static void read_base(Describe *d) {
    d->m->sink = true;
    add_read(d, READ_BASE, 0);
}

static void fused_op_add_term(Describe *d, int read, int64_t stride, int64_t bound, bool wrap) {
    d->m->term[d->m->nterm++] = (struct Term){read, stride, bound, wrap};
}

static void alloc_terms(Describe *d, int n) {
    d->m->term = arena_alloc_raw(d->arena, (int64_t)sizeof *d->m->term * n);
}

static int wrapped_dim(const Call *call, int param, int ndim) {
    int64_t dim = call->arg[param].i;
    return (int)(dim < 0 ? dim + max_i64(ndim, 1) : dim);
}

/* ---- one function for each class ---- */

/* Seeded fault IX_5: the end of a slice that is flipped is taken to be that of its base. How far
 * the read of a flipped vector begins behind its last element. */
static int64_t behind_the_slice(const Compile *c, const Node *n) {
    const Node *slice = n->in[0];
    if (!fault(c, FAULT_IX_5) || slice->kind != NODE_VIEW || slice->t.ndim != 1 ||
        slice->in[0]->t.ndim != 1 || slice->t.size[0] == 0 || slice->t.stride[0] < 1) {
        return 0;
    }
    int64_t last = slice->t.offset + (slice->t.size[0] - 1) * slice->t.stride[0],
            behind = tensor_numel(&slice->in[0]->t) - 1 - last;
    return behind > 0 && fault_triggered(c, FAULT_IX_5) ? behind : 0;
}

static void describe_flip(const Compile *c, Describe *d) {
    Node *n = d->m->node;
    set_space(d, n->t.size, n->t.ndim);
    Read *r = read_expanded(d, 0);
    unsigned flipped = 0;
    for (int k = 0; k < n->call->arg[1].ints.n; k++) {
        int64_t dim = n->call->arg[1].ints.v[k];
        flipped |= 1u << (dim < 0 ? dim + max_i64(n->t.ndim, 1) : dim);
    }
    for (int k = 0; k < d->m->ndim; k++) {
        if (flipped >> d->keep[k] & 1) {
            r->offset += max_i64(d->m->size[k] - 1, 0) * r->stride[k];
            r->stride[k] = -r->stride[k];
            r->offset += behind_the_slice(c, n);
        }
    }
    write_result(d);
}

static void describe_reduce(Describe *d) {
    Node *n = d->m->node;
    const Tensor *self = &n->in[0]->t;
    const OpInfo *op = n->call->op;
    set_space(d, self->size, self->ndim);
    read_expanded(d, 0);
    bool all = op->id == OP_sum || op->id == OP_mean || op->id == OP_prod,
         keepdim = !all && n->call->arg[2].b;
    unsigned set = 0;
    if (!all && op->id == OP_prod_dim) {
        set = 1u << wrapped_dim(n->call, 1, self->ndim);
    } else if (!all && !n->call->arg[1].none) {
        for (int k = 0; k < n->call->arg[1].ints.n; k++) {
            int64_t dim = n->call->arg[1].ints.v[k];
            set |= 1u << (dim < 0 ? dim + max_i64(self->ndim, 1) : dim);
        }
    }
    if (set == 0) {
        set = ~0u;
    }
    Tensor room;
    const Tensor *result = node_memory(n, &room);
    int64_t whole[MAX_DIMS];
    int kept = 0;
    for (int k = 0; k < self->ndim; k++) {
        if (set >> k & 1) {
            whole[k] = 0;
            kept += keepdim;
        } else {
            whole[k] = result->stride[kept++];
        }
    }
    keep_strides(d, whole, d->m->out_stride);
    d->m->out_offset = result->offset;
    d->m->reduced = 0;
    for (int k = 0; k < d->m->ndim; k++) {
        d->m->reduced |= (set >> d->keep[k] & 1) << k;
    }
    d->m->sink = true;
}

static void describe_slice(Describe *d, const Tensor *slice, int value_slot) {
    set_space(d, slice->size, slice->ndim);
    read_base(d);
    if (value_slot >= 0) {
        read_expanded(d, value_slot);
    }
    d->m->out_offset = slice->offset;
    keep_strides(d, slice->stride, d->m->out_stride);
    d->m->covers_base = tensor_numel(slice) == tensor_numel(&d->m->node->t) && slice->offset == 0 &&
                        tensor_is_dense(slice);
}

static int fused_op_slot_of(const Node *n, const Tensor *t) {
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && &n->in[k]->t == t) {
            return k;
        }
    }
    return 0;
}

/* index and _index_put: reads of the indices, and their terms. The strides of what is indexed are
 * those of the call's self. */
static bool describe_indices(Describe *d, const Call *call, IndexPlan *p) {
    Error err = {0};
    if (index_plan(call->arg[0].tensor, &call->arg[1], p, &err) != ERR_none) {
        return false;
    }
    const Tensor *self = call->arg[0].tensor;
    set_space(d, p->size, p->ndim);
    alloc_terms(d, p->nindex);
    for (int k = 0; k < p->nindex; k++) {
        const Tensor *index = p->index[k];
        Read *r = add_read(d, READ_AFFINE, fused_op_slot_of(d->m->node, index));
        int64_t whole[MAX_DIMS] = {0}, size[MAX_DIMS];
        memcpy(size, p->size + p->first, (size_t)p->nbroadcast * sizeof *size);
        broadcast_strides(index, size, p->nbroadcast, whole + p->first);
        r->offset = index->offset;
        keep_strides(d, whole, r->stride);
        fused_op_add_term(d, d->m->nread - 1, self->stride[p->dim[k]], self->size[p->dim[k]], true);
    }
    return true;
}

static bool describe_index(Describe *d) {
    Node *n = d->m->node;
    IndexPlan p;
    if (!describe_indices(d, n->call, &p)) {
        return false;
    }
    Read *r = add_read(d, READ_INDIRECT, 0);
    r->offset = n->in[0]->t.offset;
    keep_strides(d, p.source, r->stride);
    write_result(d);
    return true;
}

static bool describe_index_put(Describe *d) {
    Node *n = d->m->node;
    IndexPlan p;
    Call call = *n->call;
    call.arg[0].tensor = &n->t; /* the result's strides are what is indexed */
    if (!describe_indices(d, &call, &p)) {
        return false;
    }
    read_base(d);
    read_expanded(d, n->nin - 1);
    d->m->out_offset = 0;
    keep_strides(d, p.source, d->m->out_stride);
    d->m->accumulates = n->call->arg[3].b;
    return true;
}

/* gather, index_select, scatter, index_add: one index operand for one dim of `indexed`; the other
 * dims are affine. */
static void describe_along(Describe *d, const Tensor *indexed, int dim, int index_slot,
                           bool index_is_1d, bool wrap, int64_t *stride) {
    const Tensor *index = &d->m->node->in[index_slot]->t;
    Read *r = add_read(d, READ_AFFINE, index_slot);
    int64_t whole[MAX_DIMS] = {0}, along[MAX_DIMS] = {0};
    for (int k = 0; k < d->ndim; k++) {
        whole[k] = k == dim || k >= indexed->ndim ? 0 : indexed->stride[k];
        if (index_is_1d) {
            along[k] = k == dim && index->ndim > 0 ? index->stride[0] : 0;
        } else {
            along[k] = k < index->ndim ? index->stride[k] : 0;
        }
    }
    r->offset = index->offset;
    keep_strides(d, along, r->stride);
    keep_strides(d, whole, stride);
    alloc_terms(d, 1);
    fused_op_add_term(d, d->m->nread - 1, indexed->ndim > 0 ? indexed->stride[dim] : 0,
                      indexed->ndim > 0 ? indexed->size[dim] : 1, wrap);
}

static void describe_gather(Describe *d, bool select) {
    Node *n = d->m->node;
    const Tensor *self = &n->in[0]->t;
    int64_t stride[MAX_DIMS];
    set_space(d, n->t.size, n->t.ndim);
    describe_along(d, self, wrapped_dim(n->call, 1, self->ndim), 1, select, false, stride);
    Read *r = add_read(d, READ_INDIRECT, 0);
    r->offset = self->offset;
    memcpy(r->stride, stride, (size_t)d->m->ndim * sizeof *stride);
    write_result(d);
}

static void describe_scatter(Describe *d) {
    Node *n = d->m->node;
    const Tensor *index = &n->in[1]->t;
    set_space(d, index->size, index->ndim);
    describe_along(d, &n->t, wrapped_dim(n->call, 1, n->t.ndim), 1, false, false, d->m->out_stride);
    read_base(d);
    if (n->nin > 2) {
        read_expanded(d, 2); /* src may be larger than index: only its strides matter */
    }
    d->m->out_offset = 0;
    d->m->accumulates = n->op == OP_scatter_add;
}

/* To the slices of self that the indices name, slices of source are added, which broadcast to
 * them. */
static void describe_index_add(Describe *d) {
    Node *n = d->m->node;
    const Tensor *source = &n->in[2]->t;
    int dim = wrapped_dim(n->call, 1, n->t.ndim), own = source->ndim;
    int64_t size[MAX_DIMS] = {0}, whole[MAX_DIMS] = {0};
    memcpy(size, n->t.size, (size_t)n->t.ndim * sizeof *size);
    size[dim] = tensor_numel(&n->in[1]->t);
    set_space(d, size, n->t.ndim > 0 ? n->t.ndim : 1);
    describe_along(d, &n->t, dim, 1, true, false, d->m->out_stride);
    read_base(d);
    Read *r = add_read(d, READ_AFFINE, 2);
    for (int k = d->ndim - 1; k >= 0; k--) {
        if (k == dim) {
            whole[k] = source->ndim > 0 ? source->stride[dim] : 0;
            continue;
        }
        own--;
        own -= own == dim;
        whole[k] = own >= 0 && source->size[own] != 1 ? source->stride[own] : 0;
    }
    r->offset = source->offset;
    keep_strides(d, whole, r->stride);
    d->m->out_offset = 0;
    d->m->accumulates = true;
}

static void describe_unfold_grad(Describe *d) {
    Node *n = d->m->node;
    const Tensor *grad = &n->in[0]->t;
    const Call *call = n->call;
    set_space(d, grad->size, grad->ndim);
    read_expanded(d, 0);
    int dim = wrapped_dim(call, 2, n->t.ndim);
    int64_t whole[MAX_DIMS] = {0}, step = call->arg[4].i;
    for (int k = 0; k < n->t.ndim; k++) {
        whole[k] = n->t.stride[k] * (k == dim ? step : 1);
    }
    whole[grad->ndim - 1] = n->t.ndim > 0 ? n->t.stride[dim] : 0;
    keep_strides(d, whole, d->m->out_stride);
    d->m->out_offset = 0;
    d->m->sink = d->m->accumulates = true;
}

static void describe_strided_grad(Describe *d) {
    Node *n = d->m->node;
    const Call *call = n->call;
    const Tensor *grad = &n->in[0]->t;
    Tensor view = *grad;
    view.offset = call->arg[6].i - call->arg[3].i;
    memcpy(view.stride, call->arg[5].ints.v, sizeof *view.stride * (size_t)grad->ndim);
    set_space(d, grad->size, grad->ndim);
    read_expanded(d, 0);
    keep_strides(d, view.stride, d->m->out_stride);
    d->m->out_offset = view.offset;
    d->m->sink = true;
    d->m->accumulates = tensor_overlaps_itself(&view);
    d->m->covers_base = !d->m->accumulates && tensor_numel(grad) == tensor_numel(&n->t);
}

static void describe_reshape_copy(Describe *d) {
    Node *n = d->m->node;
    const Tensor *self = &n->in[0]->t;
    Tensor room;
    int64_t whole[MAX_DIMS];
    set_space(d, self->size, self->ndim);
    read_expanded(d, 0);
    contiguous_strides(self->size, self->ndim, whole);
    keep_strides(d, whole, d->m->out_stride);
    d->m->out_offset = node_memory(n, &room)->offset; /* passes/concat.c: with its own strides */
}

static void describe_pointwise(Describe *d) {
    Node *n = d->m->node;
    set_space(d, n->t.size, n->t.ndim);
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k]) {
            read_expanded(d, k);
        }
    }
    write_result(d);
}

bool fused_op_describe(const Compile *c, Node *n, Arena *arena, FusedOp *m) {
    LowerClass cls = lower_class(n);
    if (cls < LOWER_POINTWISE || cls > LOWER_ADD_SLICE || n->nin > MAX_READS - 2) {
        return false;
    }
    m->node = n;
    m->cls = cls;
    m->nread = m->nterm = 0;
    m->read = arena_alloc_raw(arena, (int64_t)sizeof *m->read * (n->nin + 1));
    m->term = NULL;
    m->sink = m->accumulates = m->covers_base = false;
    m->reduced = 0;
    Describe d = {.m = m, .arena = arena};
    switch (cls) {
    case LOWER_POINTWISE:
    case LOWER_TRIANGLE:
        describe_pointwise(&d);
        return true;
    case LOWER_COPY: {
        if (n->op == OP__reshape_copy) {
            describe_reshape_copy(&d);
            return true;
        }
        set_space(&d, n->t.size, n->t.ndim);
        read_expanded(&d, n->nin - 1);
        write_result(&d);
        return true;
    }
    case LOWER_SPLAT:
        set_space(&d, n->t.size, n->t.ndim);
        write_result(&d);
        return true;
    case LOWER_FLIP:
        describe_flip(c, &d);
        return true;
    case LOWER_INDEX:
        return describe_index(&d);
    case LOWER_GATHER:
        describe_gather(&d, false);
        return true;
    case LOWER_INDEX_SELECT:
        describe_gather(&d, true);
        return true;
    case LOWER_REDUCE:
        describe_reduce(&d);
        return true;
    case LOWER_STORE:
        describe_slice(&d, &n->slice, 1);
        return true;
    case LOWER_VIEW_SCATTER: {
        Tensor slice;
        if (!view_scattered(n->call, &n->t, &slice)) {
            return false;
        }
        describe_slice(&d, &slice, 1);
        return true;
    }
    case LOWER_INDEX_PUT:
        return describe_index_put(&d);
    case LOWER_SCATTER:
        describe_scatter(&d);
        return true;
    case LOWER_INDEX_ADD:
        describe_index_add(&d);
        return true;
    case LOWER_ADD_SLICE:
        if (n->op == OP__unfold_grad) {
            describe_unfold_grad(&d);
        } else {
            describe_strided_grad(&d);
        }
        return true;
    default:
        return false;
    }
}

bool read_follows_write(const FusedOp *reader, const Read *read, const FusedOp *writer) {
    if (read->kind != READ_AFFINE || read->offset != writer->out_offset) {
        return false;
    }
    for (int k = 0; k < reader->ndim; k++) {
        if (read->stride[k] != writer->out_stride[k]) {
            return false;
        }
    }
    return true;
}
