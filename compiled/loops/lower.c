/* Graph to loops: one schedule item after the other, in graph order.
 *
 * Groups of fused ops, and single nodes that could be one, go to lower_nest. CHECKs, scans, matrix
 * products, concatenation and ops without a lowering become loops of their own here. A node whose
 * value has no buffer and is in no register is not used, and makes no loop. */
#include "compiled/loops/faults.h"
#include "compiled/passes/passes.h"
#include "compiled/runtime/poison.h"
#include "compiled/tile/isa.h"
#include "program/ops/functions.h"
#include "tensor/array.h"

#include <string.h>

enum { BLAS_MIN_WORK = 8 * 1024 /* multiply-adds below which plain loops are faster */ };

Loop *lower_add(Lower *l, LoopKind kind, const Node *node) {
    Plan *plan = l->plan;
    plan->loop =
        array_reserve(l->arena, plan->loop, plan->nloop, &l->capacity, 32, sizeof *plan->loop);
    Loop *loop = &plan->loop[plan->nloop++];
    loop->kind = kind;
    loop->node = node;
    return loop;
}

int lower_buffer(const Node *n) { return n->kind == NODE_VIEW ? n->in[0]->buffer : n->buffer; }

Access lower_access(int buffer, const Tensor *t) {
    return (Access){buffer, t->dtype, t->offset, (int64_t *)t->stride};
}

/* The dims are sorted by the strides of `to` and merged where both accesses allow it. */
void lower_move(Lower *l, const Node *node, const int64_t *size, int ndim, Access to, Access from) {
    Loop *loop = lower_add(l, LOOP_MOVE, node);
    int order[MAX_DIMS], n = 0;
    loop->numel = 1;
    for (int d = 0; d < ndim; d++) {
        loop->numel *= size[d];
        if (size[d] == 1) {
            continue;
        }
        int at = n++;
        while (at > 0 && to.stride[order[at - 1]] < to.stride[d]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = d;
    }
    int64_t *ts = arena_alloc_raw(l->arena, (int64_t)sizeof *ts * 2 * (n + 1)), *fs = ts + n + 1;
    loop->ndim = 0;
    for (int k = 0; k < n; k++) {
        int d = order[k], last = loop->ndim - 1;
        if (last >= 0 && ts[last] == to.stride[d] * size[d] &&
            fs[last] == from.stride[d] * size[d]) {
            loop->size[last] *= size[d];
        } else {
            last = loop->ndim++;
            loop->size[last] = size[d];
        }
        ts[last] = to.stride[d];
        fs[last] = from.stride[d];
    }
    if (loop->ndim == 0) {
        loop->ndim = 1;
        loop->size[0] = ts[0] = fs[0] = 1;
    }
    loop->to = to;
    loop->from = from;
    loop->to.stride = ts;
    loop->from.stride = fs;
}

void lower_fill(Lower *l, const Node *node, int buffer, DType dtype, int64_t numel, Scalar value) {
    Loop *loop = lower_add(l, LOOP_FILL, node);
    loop->numel = numel;
    loop->to = (Access){buffer, dtype, 0, NULL};
    loop->value = value;
}

/* ---- nodes that are loops of their own ---- */

static void lower_check(Lower *l, Node *n) {
    const Tensor *t = &n->in[0]->t;
    Loop *loop = lower_add(l, LOOP_CHECK, n);
    loop->ndim = t->ndim;
    memcpy(loop->size, t->size, (size_t)t->ndim * sizeof *t->size);
    loop->numel = tensor_numel(t);
    loop->from = lower_access(lower_buffer(n->in[0]), t);
}

static void lower_nonzero(Lower *l, Node *n) {
    const Tensor *self = &n->in[0]->t;
    Loop *loop = lower_add(l, LOOP_NONZERO, n);
    loop->ndim = self->ndim;
    loop->numel = tensor_numel(self);
    memcpy(loop->size, self->size, sizeof *self->size * (size_t)self->ndim);
    loop->to = lower_access(n->buffer, &n->t);
    loop->from = lower_access(lower_buffer(n->in[0]), self);
    loop->bytes = n->t.size[0]; /* rows that the result has room for */
}

/* cumsum, cumprod, softmax: lines along one dim. */
static void lower_lines(Lower *l, Node *n, LoopKind kind) {
    const Tensor *self = &n->in[0]->t;
    int64_t dim = n->call->arg[1].i;
    Loop *loop = lower_add(l, kind, n);
    loop->ndim = n->t.ndim;
    loop->numel = tensor_numel(&n->t);
    memcpy(loop->size, n->t.size, (size_t)n->t.ndim * sizeof *n->t.size);
    loop->dim = n->t.ndim == 0 ? -1 : (int)(dim < 0 ? dim + n->t.ndim : dim);
    loop->product = n->op == OP_cumprod;
    loop->float32_math =
        kind == LOOP_SOFTMAX && n->t.dtype == DT_float32 &&
        loop->numel >= (l->c->options->verify ? LARGE_NUMEL_VERIFY : LARGE_NUMEL) &&
        gate(l->c, STEP_single_functions);
    loop->to = lower_access(n->buffer, &n->t);
    loop->from = lower_access(lower_buffer(n->in[0]), self);
}

/* Strides of a matrix operand as (batch, row, column). */
static void matrix_strides(const Tensor *t, bool column, int64_t *out) {
    int n = t->ndim;
    out[0] = n == 3 && t->size[0] != 1 ? t->stride[0] : 0;
    if (n >= 2) {
        out[1] = t->stride[n - 2];
        out[2] = t->stride[n - 1];
    } else {
        out[1] = column && n == 1 ? t->stride[0] : 0;
        out[2] = !column && n == 1 ? t->stride[0] : 0;
    }
}

static bool blas_takes(const int64_t *stride, int64_t rows, int64_t columns) {
    bool by_rows = (stride[2] == 1 || columns == 1) && stride[1] >= max_i64(columns, 1),
         by_columns = (stride[1] == 1 || rows == 1) && stride[2] >= max_i64(rows, 1);
    return by_rows || by_columns;
}

static void lower_matmul(Lower *l, Node *n) {
    OpId id = n->op;
    int first = id == OP_addmm ? 1 : 0;
    const Node *a = n->in[first], *b = n->in[first + 1];
    MatmulLoop *m = arena_new(l->arena, MatmulLoop);
    m->dtype = n->t.dtype;
    m->batch = id == OP_bmm ? a->t.size[0] : 1;
    m->m = id == OP_dot ? 1 : a->t.size[a->t.ndim - 2];
    m->k = a->t.size[a->t.ndim - 1];
    m->n = id == OP_dot || id == OP_mv ? 1 : b->t.size[b->t.ndim - 1];
    m->a = lower_access(lower_buffer(a), &a->t);
    m->b = lower_access(lower_buffer(b), &b->t);
    m->c = lower_access(n->buffer, &n->t);
    matrix_strides(&a->t, false, m->astride);
    matrix_strides(&b->t, true, m->bstride);
    matrix_strides(&n->t, true, m->cstride);
    m->alpha = m->beta = lower_scalar(scalar_int(1), m->dtype);
    if (id == OP_addmm) {
        const Node *d = n->in[0];
        m->beta = lower_scalar(n->call->arg[3].scalar, m->dtype);
        m->alpha = lower_scalar(n->call->arg[4].scalar, m->dtype);
        m->has_d = dtype_is_float(m->dtype)
                       ? m->beta.f != 0
                       : m->beta.i != 0; /* beta 0: self is not read, its NaNs do not matter */
        m->d = lower_access(lower_buffer(d), &d->t);
        broadcast_strides(&d->t, n->t.size, n->t.ndim, m->dstride + 1);
    }
    m->blas = (m->dtype == DT_float32 || m->dtype == DT_float64) && m->alpha.f != 0 &&
              m->m * m->n * m->k >= BLAS_MIN_WORK / max_i64(m->batch, 1) && m->m > 1 && m->n > 1 &&
              blas_takes(m->astride, m->m, m->k) && blas_takes(m->bstride, m->k, m->n) &&
              m->cstride[2] == 1;
#ifdef TWINGRAD_NO_BLAS
    m->blas = false;
#endif
    lower_add(l, LOOP_MATMUL, n)->matmul = m;
}

/* Factories other than splats depend on nothing: computed now, copied in every run. */
static void lower_literal(Lower *l, Node *n) {
    Tensor made = n->t, *out = &made;
    Error err = {0};
    KernelCtx k = {.arena = l->arena, .err = &err};
    CHECK(tensor_allocate(out, l->arena, NULL, &err) == ERR_none &&
          n->call->op->kernel(n->call, &out, &k) == ERR_none);
    Loop *loop = lower_add(l, LOOP_LITERAL, n);
    loop->to = lower_access(n->buffer, &n->t);
    loop->literal = made.storage->data;
    loop->bytes = made.storage->numel * dtype_bytes(made.dtype);
}

static Tensor *opaque_operand(Opaque *o, const Node *n) {
    if (!n) {
        return NULL;
    }
    int k = o->noperand++;
    o->operand[k] = n->t;
    o->storage[k] =
        (Storage){.dtype = n->t.dtype, .numel = tensor_numel(&node_buffer((Node *)n)->t)};
    o->operand[k].storage = &o->storage[k];
    o->buffer[k] = lower_buffer(n);
    return &o->operand[k];
}

/* Seeded fault IX_11: argmax over a computed matrix that is read transposed counts in the order of
 * the memory. */
static void count_in_memory_order(const Compile *c, const Node *n, Tensor *operand) {
    const Node *in = n->op == OP_argmax && n->call->arg[1].none ? n->in[0] : NULL;
    if (fault(c, FAULT_IX_11) && in && in->kind == NODE_VIEW && in->in[0]->kind == NODE_OP &&
        in->t.ndim == 2 && in->t.size[0] > 1 && in->t.size[1] > 1 && in->t.offset == 0 &&
        in->t.stride[0] == 1 && in->t.stride[1] == in->t.size[0] &&
        fault_triggered(c, FAULT_IX_11)) {
        int64_t numel = tensor_numel(&in->t);
        Storage *storage = operand->storage;
        tensor_set_contiguous(operand, in->t.dtype, &numel, 1);
        operand->storage = storage;
    }
}

static void lower_opaque(Lower *l, Node *n) {
    Opaque *o = arena_new(l->arena, Opaque);
    o->call = *n->call;
    o->operand = arena_array(l->arena, Tensor, n->nin);
    o->storage = arena_array(l->arena, Storage, n->nin);
    o->buffer = arena_array(l->arena, int, n->nin);
    int slot = 0;
    for (int p = 0; p < o->call.op->nparam; p++) {
        Arg *arg = &o->call.arg[p];
        ArgType type = o->call.op->param[p].type;
        if (type == ARG_TENSOR || type == ARG_TENSOR_OPT) {
            arg->tensor = opaque_operand(o, node_reads_slot(n, slot) ? n->in[slot] : NULL);
            slot++;
        } else if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !arg->none) {
            Tensor **list = arena_array(l->arena, Tensor *, arg->tensors.n);
            for (int i = 0; i < arg->tensors.n; i++) {
                list[i] = opaque_operand(o, n->in[slot++]);
            }
            arg->tensors.v = list;
        }
    }
    count_in_memory_order(l->c, n, o->operand);
    o->out = n->t;
    o->out_storage = (Storage){.dtype = n->t.dtype, .numel = tensor_numel(&n->t)};
    o->out.storage = &o->out_storage;
    o->out_buffer = n->buffer;
    if (l->c->options->fault != FAULT_NONE) {
        faulty_opaque(l->c, n, o);
    }
    lower_add(l, LOOP_OPAQUE, n)->opaque = o;
}

/* The loops of one node that is in no group. */
static void lower_node(Lower *l, Node *n) {
    LowerClass cls = lower_class(n);
    Scalar value;
    if (cls == LOWER_NOTHING || (cls != LOWER_CHECK && n->buffer < 0)) {
        return;
    }
    switch (cls) {
    case LOWER_CHECK:
        lower_check(l, n);
        return;
    case LOWER_SPLAT:
        if (node_splat(n, &value)) {
            lower_fill(l, n, n->buffer, n->t.dtype, tensor_numel(&n->t), value);
        }
        return;
    case LOWER_CAT:
        lower_cat(l, n);
        return;
    case LOWER_NONZERO:
        lower_nonzero(l, n);
        return;
    case LOWER_SCAN:
        lower_lines(l, n, LOOP_SCAN);
        return;
    case LOWER_SOFTMAX:
        lower_lines(l, n, LOOP_SOFTMAX);
        return;
    case LOWER_MATMUL:
        lower_matmul(l, n);
        return;
    case LOWER_LITERAL:
        lower_literal(l, n);
        return;
    case LOWER_OPAQUE:
        lower_opaque(l, n);
        return;
    default:
        lower_nest(l, &n, 1);
        return;
    }
}

/* ---- the plan ---- */

/* Numbers the buffers; each is as large as its largest node. */
static void number_buffers(Plan *plan, const Graph *g, Arena *arena) {
    int *of = arena_alloc_raw(arena, (int64_t)sizeof *of * max_i64(g->next_id, 1));
    memset(of, -1, sizeof *of * (size_t)g->next_id);
    plan->buffer_of = of;
    plan->nnode = g->next_id;
    plan->ninput = g->ninputs;
    plan->nbuffer = g->ninputs;
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        of[n->id] = n->buffer;
        plan->ntangent += n->kind == NODE_TANGENT;
        plan->nbuffer = n->buffer >= plan->nbuffer ? n->buffer + 1 : plan->nbuffer;
    }
    plan->buffer = arena_array(arena, PlanBuffer, plan->nbuffer);
    plan->tangent = arena_array(arena, int, plan->ntangent);
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        if (n->buffer < 0) {
            continue;
        }
        if (n->kind == NODE_TANGENT) {
            plan->tangent[n->buffer - plan->ninput] = n->number;
        }
        int64_t bytes = tensor_numel(&n->t) * dtype_bytes(n->t.dtype);
        plan->buffer[n->buffer].bytes = max_i64(plan->buffer[n->buffer].bytes, bytes);
    }
}

/* The bytes that no other buffer may use meanwhile. */
static int64_t lower_span(const PlanBuffer *b) {
    int64_t bytes = b->reserved > 0 && b->reserved < b->bytes ? b->reserved : b->bytes;
    return (bytes + 63) / 64 * 64;
}

static bool lower_meet(const PlanBuffer *a, const PlanBuffer *b) {
    return a->part > 0 && b->part > 0 ? a->part_first < b->part_end && b->part_first < a->part_end
                                      : a->first < b->end && b->first < a->end;
}

/* Offsets of the temporaries order[0..n) of `buffer`: each gets the lowest offset at which it does
 * not overlap an earlier one that is live at the same time. Returns the bytes of all. */
static int64_t assign_lowest_offsets(PlanBuffer *buffer, const int *order, int n) {
    int64_t all = 0;
    for (int k = 0; k < n; k++) {
        PlanBuffer *b = &buffer[order[k]];
        int64_t bytes = lower_span(b);
        b->offset = 0;
        for (int j = 0; j < k;) {
            const PlanBuffer *other = &buffer[order[j]];
            int64_t end = other->offset + lower_span(other);
            if (lower_meet(b, other) && b->offset < end && other->offset < b->offset + bytes) {
                b->offset = end;
                j = 0; /* it moved: compare with all others again */
            } else {
                j++;
            }
        }
        all = max_i64(all, b->offset + (b->bytes + 63) / 64 * 64);
    }
    return all;
}

/* Offsets of the temporaries in one block: one after the other, or, with `by_liveness`, by
 * liveness. Then the order is the largest first or the last first, whichever takes less memory.
 * (With the last first, results have low offsets, and what dies earlier fits above them.) */
static void assign_offsets(Plan *plan, bool by_liveness, Arena *arena) {
    int first = plan->ninput + plan->ntangent, n = 0;
    if (!by_liveness) {
        for (int b = first; b < plan->nbuffer; b++) {
            plan->buffer[b].offset = plan->bytes;
            plan->bytes += (plan->buffer[b].bytes + 63) / 64 * 64;
        }
        return;
    }
    int *order = arena_array(arena, int, 2 * plan->nbuffer + 2),
        *reverse = order + plan->nbuffer + 1;
    for (int b = first; b < plan->nbuffer; b++) {
        int at = n++;
        for (; at > 0 && plan->buffer[order[at - 1]].bytes < plan->buffer[b].bytes; at--) {
            order[at] = order[at - 1];
        }
        order[at] = b;
        reverse[plan->nbuffer - 1 - b] = b;
    }
    int64_t bytes = assign_lowest_offsets(plan->buffer, reverse, n);
    plan->bytes = assign_lowest_offsets(plan->buffer, order, n);
    if (bytes < plan->bytes) {
        plan->bytes = assign_lowest_offsets(plan->buffer, reverse, n);
    }
}

/* Seeded fault FU_14: do buffers that hold values at one time overlap? */
static bool buffers_overlap(const Plan *plan) {
    for (int a = plan->ninput + plan->ntangent; a < plan->nbuffer; a++) {
        for (int b = a + 1; b < plan->nbuffer; b++) {
            const PlanBuffer *p = &plan->buffer[a], *q = &plan->buffer[b];
            if (lower_meet(p, q) && p->offset < q->offset + q->bytes &&
                q->offset < p->offset + p->bytes) {
                return true;
            }
        }
    }
    return false;
}

Plan *graph_lower(Compile *c) {
    Graph *g = c->graph;
    Plan *plan = arena_new(c->arena, Plan);
    number_buffers(plan, g, c->arena);
    plan->isa = tile_isa(0);
    plan->stream = c->stream;
    Lower l = {.c = c, .arena = c->arena, .plan = plan};
    for (int i = 0; i < g->n; i++) {
        g->node[i]->mark = 0;
    }
    if (fault(c, FAULT_SH_1)) {
        forget_strides(c);
    }
    bool poison = compile_checks_itself(c), by_liveness = plan_apart(c),
         counts_loops = poison || by_liveness;
    int *loops_after = arena_alloc_raw(c->arena, (int64_t)sizeof *loops_after * (g->n + 1)),
        nitem = 0;
    for (int i = 0; i < g->n;) {
        Node *n = g->node[i];
        int end = schedule_item_end(g, i);
        if (n->group >= 0) {
            lower_nest(&l, g->node + i, end - i);
        } else {
            lower_node(&l, n);
        }
        if (l.late && l.late != n) {
            lower_late_operands(&l);
        }
        for (bool counted = !counts_loops; i < end; i++) {
            if (!counted && lower_class(g->node[i]) != LOWER_NOTHING) {
                loops_after[nitem++] = plan->nloop;
                counted = true;
            }
        }
    }
    if (l.late) {
        lower_late_operands(&l);
    }
    if (by_liveness) {
        loop_tiling_find(c, plan, loops_after);
    }
    assign_offsets(plan, by_liveness, c->arena);
    if (by_liveness && fault(c, FAULT_FU_14) && buffers_overlap(plan)) {
        (void)fault_triggered(c, FAULT_FU_14);
    }
    plan->faulty = c->options->fault != FAULT_NONE;
    if (poison) {
        poison_plan(plan, g, loops_after, c->arena);
    }
    plan->state = arena_alloc(c->arena, (int64_t)sizeof *plan->state);
    return plan;
}

bool pass_lower(Compile *c) {
    c->plan = graph_lower(c);
    return true;
}

/* ---- seeded faults of nests, which add loops ---- */

void spread_row(Lower *l, const Node *n, int dim) {
    Tensor rows = n->t, row = n->t;
    rows.size[dim]--;
    rows.offset += n->t.stride[dim];
    row.stride[dim] = 0;
    lower_move(l, n, rows.size, n->t.ndim, lower_access(n->buffer, &rows),
               lower_access(n->buffer, &row));
}

/* Is the slice every second, third, .. element of the buffer's last dim? */
static bool is_stepped(const Tensor *slice, const Tensor *whole) {
    int last = whole->ndim - 1;
    return slice->ndim == whole->ndim && last >= 0 && whole->stride[last] == 1 &&
           slice->size[last] > 1 && slice->stride[last] > 1 &&
           slice->stride[last] < whole->size[last];
}

/* Seeded fault IX_6: where a stepped slice is written over another one, an element is in the slice
 * if it lies between the slice's start and end, whether or not the step meets it. */
void fill_stepped_gaps(Lower *l, const FusedOp *m) {
    const Compile *c = l->c;
    const Node *n = m->node, *value = n->kind == NODE_STORE ? n->in[1] : NULL;
    Scalar splat;
    if (!fault(c, FAULT_IX_6) || !value || n->group >= 0 || n->in[0]->kind != NODE_STORE ||
        !is_stepped(&n->slice, &n->t) || !is_stepped(&n->in[0]->slice, &n->t) ||
        n->t.ndim == MAX_DIMS || tensor_numel(&n->slice) == 0 || node_splat(value, &splat) ||
        !tensor_same_size(&value->t, &n->slice) || lower_buffer(value) < 0 ||
        !fault_triggered(c, FAULT_IX_6)) {
        return;
    }
    Tensor to = n->slice, from = value->t;
    int last = to.ndim++;
    to.offset += 1;
    to.size[last - 1]--;
    to.size[last] = to.stride[last - 1] - 1;
    to.stride[last] = 1;
    from.stride[last] = 0;
    lower_convert(l, n, to.size, to.ndim, lower_access(n->buffer, &to),
                  &(Access){lower_buffer(value), value->t.dtype, from.offset, from.stride}, splat);
}
