/* Operands of cat and stack that are computed directly in their slices of its result (as
 * ConcatKernel in torch/_inductor/ir.py), so that the cat need not copy them.
 *
 * An operand may be if it is a fused op or a reduction of the result's dtype, or another cat, and
 * everything that reads its memory can read the slice: fused ops by affine reads, and cats. The
 * slice may have other strides than the operand, unless the operand is read through a VIEW. Of an
 * operand that is used twice the first slice is computed, and copied to the second.
 *
 * The result's buffer is then in use from its first operand on, until the last reader of an operand
 * (loops/liveness.c). So no operand may be read after the cat if something is written over the
 * result in place.
 *
 * Needs the final order and in-place writes; sets `into`; keeps everything else. */
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

/* By node id: what the readers of its memory need. */
typedef struct Readers {
    bool fixed;       /* it must live in a buffer of its own */
    bool viewed;      /* its strides must stay */
    bool overwritten; /* a node writes over it in place */
} Readers;

static bool may_read_slice(const Node *reader, int slot) {
    switch (lower_class(reader)) {
    case LOWER_POINTWISE:
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_REDUCE:
    case LOWER_CAT:
        return true;
    case LOWER_STORE:
    case LOWER_VIEW_SCATTER:
        return slot == 1;
    default:
        return false;
    }
}

static void find_readers(const Graph *g, Readers *readers) {
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        for (int k = 0; k < n->nin && n->kind != NODE_VIEW; k++) {
            const Node *b = n->in[k] ? node_buffer(n->in[k]) : NULL;
            if (!b || (n->group >= 0 && b->group == n->group)) {
                continue; /* a register */
            }
            Readers *r = &readers[b->id];
            r->fixed |= !may_read_slice(n, k);
            r->viewed |= n->in[k] != b;
            r->overwritten |= n->in_place && k == 0;
        }
    }
}

/* Can it be computed in any memory? */
static bool may_be_placed(const Node *n) {
    Scalar splat;
    if (n->kind != NODE_OP || tensor_numel(&n->t) == 0 || node_splat(n, &splat)) {
        return false;
    }
    switch (lower_class(n)) {
    case LOWER_POINTWISE:
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
    case LOWER_CAT:
        return true;
    case LOWER_REDUCE:
        return tensor_numel(&n->in[0]->t) > 0; /* else a fill writes it */
    default:
        return false;
    }
}

static bool same_strides(const Tensor *a, const Tensor *b) {
    for (int d = 0; d < a->ndim; d++) {
        if (a->size[d] != 1 && a->stride[d] != b->stride[d]) {
            return false;
        }
    }
    return true;
}

static bool any_overwritten(const Readers *readers, const Node *cat) {
    for (; cat; cat = cat->into) {
        if (readers[cat->id].overwritten) {
            return true;
        }
    }
    return false;
}

static bool may_live_in(const Liveness *live, const Readers *readers, Node *n, Node *cat) {
    const Readers *r = &readers[n->id];
    if (n->into || !may_be_placed(n) || n->t.dtype != cat->t.dtype || r->fixed || r->overwritten ||
        live->last[n->id] == LIVE_TO_THE_END ||
        (live->last[n->id] > live->item[cat->id] && any_overwritten(readers, cat))) {
        return false;
    }
    Tensor slice;
    n->into = cat; /* for node_memory */
    bool stays = same_strides(&n->t, node_memory(n, &slice));
    n->into = NULL;
    return stays || !(r->viewed || n->op == OP__reshape_copy);
}

bool pass_concat(Compile *c) {
    Graph *g = c->graph;
    Readers *readers = NULL;
    const Liveness *live = NULL;
    bool changed = false;
    for (int i = g->n - 1; i >= 0; i--) { /* outer cats first: an inner one's slice is known then */
        Node *cat = g->node[i];
        if (lower_class(cat) != LOWER_CAT) {
            continue;
        }
        if (!readers) {
            live = compile_liveness(c);
            readers = arena_array(c->arena, Readers, g->next_id);
            find_readers(g, readers);
        }
        for (int k = 0; k < cat->nin && live->last[cat->id] >= 0; k++) {
            if (may_live_in(live, readers, cat->in[k], cat) && gate(c, STEP_compute_in_slice)) {
                cat->in[k]->into = cat;
                changed = true;
            }
        }
    }
    if (changed) {
        c->live = NULL;
    }
    return changed;
}
