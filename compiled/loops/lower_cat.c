/* cat and stack: every operand is copied to its slice of the result, but for those that were
 * computed there (passes/concat.c). */
#include "compiled/loops/lower.h"
#include "compiled/views/views.h"

/* ---- faults ---- */

/* Does the schedule item after the cat read its result by this op? */
static bool is_read_next_by(const Graph *g, const Node *cat, OpId op) {
    int at = 0;
    while (g->node[at] != cat) {
        at++;
    }
    for (at++; at < g->n && lower_class(g->node[at]) == LOWER_NOTHING; at++) {
    }
    for (int end = at < g->n ? schedule_item_end(g, at) : at; at < end; at++) {
        const Node *n = g->node[at];
        for (int k = 0; k < n->nin && n->op == op; k++) {
            if (n->in[k] == cat) {
                return true;
            }
        }
    }
    return false;
}

/* Can operand `slot` be copied later? It must keep its memory: an input, or part of the result. */
static bool keeps_memory(const Node *cat, int slot) {
    const Node *b = node_buffer(cat->in[slot]);
    return b->kind == NODE_INPUT || b->into == cat;
}

/* Seeded faults FU_7, FU_8: the loop of a reader runs before those of the cat's operands: for a
 * reciprocal of a stack of one tensor, before all but the first; for a product with a cat, before
 * the last, if it is the operand before it again. What the reader finds there is zeros. */
static bool comes_late(const Lower *l, const Node *n, int slot) {
    const Compile *c = l->c;
    if (c->options->fault == FAULT_NONE || slot == 0 || n->into || !keeps_memory(n, slot) ||
        n->in[slot] != n->in[slot - 1] || tensor_numel(&n->in[slot]->t) == 0) {
        return false;
    }
    return (n->op == OP_stack && fault(c, FAULT_FU_7) &&
            is_read_next_by(c->graph, n, OP_reciprocal) && fault_triggered(c, FAULT_FU_7)) ||
           (n->op == OP_cat && slot == n->nin - 1 && fault(c, FAULT_FU_8) &&
            is_read_next_by(c->graph, n, OP_mul_Tensor) && fault_triggered(c, FAULT_FU_8));
}

/* Seeded fault IX_13: in a cat that is computed into another one, the load of an operand is indexed
 * from the start of the inner cat and not of the operand. Loads outside of the buffer are masked,
 * and give zeros: then true. */
static bool loads_past_operand(const Lower *l, const Node *n, const Node *in, const Tensor *part,
                               Tensor *from) {
    int64_t start = 0, extent = 0;
    Tensor room;
    const Tensor *whole = node_memory(n, &room);
    if (!n->into || in->kind != NODE_VIEW || n->op != OP_cat || !fault(l->c, FAULT_IX_13)) {
        return false;
    }
    int dim = (int)(n->call->arg[1].i < 0 ? n->call->arg[1].i + n->t.ndim : n->call->arg[1].i);
    if (part->offset == whole->offset || whole->stride[dim] == 0 ||
        !fault_triggered(l->c, FAULT_IX_13)) {
        return false;
    }
    start = (part->offset - whole->offset) / whole->stride[dim];
    from->offset += start * from->stride[dim];
    return !tensor_extent(from, &extent) || from->offset < 0 ||
           extent > tensor_numel(&in->in[0]->t);
}

/* ---- copies ---- */

static void copy_operand(Lower *l, Node *n, const Node *in, const Tensor *part) {
    Scalar splat;
    bool is_splat = node_splat(in, &splat);
    if (tensor_numel(&in->t) == 0) {
        return;
    }
    Tensor room, read;
    layout_copy(&read, node_memory(in, &room));
    if (!is_splat && loads_past_operand(l, n, in, part, &read)) {
        is_splat = true;
        splat = scalar_int(0);
    }
    Access to = lower_access(n->buffer, part),
           from = lower_access(is_splat ? -1 : lower_buffer(in), &read);
    bool overlaps = to.buffer == from.buffer && to.buffer < l->plan->ninput; /* fault FU_6 */
    if (!is_splat && in->t.dtype == n->t.dtype && !overlaps) {
        lower_move(l, n, in->t.size, in->t.ndim, to, from);
    } else {
        lower_convert(l, n, in->t.size, in->t.ndim, to, is_splat ? NULL : &from, splat);
    }
}

static void copy_operands(Lower *l, Node *n, int first) {
    Tensor room;
    const Tensor *whole = node_memory(n, &room);
    int64_t at = 0;
    for (int k = 0; k < n->nin; k++) {
        const Node *in = n->in[k];
        Tensor part;
        if (!view_joined(n->call, whole, &in->t, &at, &part) || node_joins_in_place(n, k) ||
            k < first) {
            continue;
        }
        if (first == 0 && comes_late(l, n, k)) {
            l->late_from = l->late == n ? l->late_from : k;
            l->late = n;
            lower_convert(l, n, in->t.size, in->t.ndim, lower_access(n->buffer, &part), NULL,
                          scalar_int(0));
        } else {
            copy_operand(l, n, in, &part);
        }
    }
}

void lower_cat(Lower *l, Node *n) { copy_operands(l, n, 0); }

void lower_late_operands(Lower *l) {
    Node *n = l->late;
    l->late = NULL;
    copy_operands(l, n, l->late_from);
}
