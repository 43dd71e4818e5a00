/* The order of dims in which intermediate results are computed, and copies that only change it.
 *
 * permute_producer: an elementwise node that is read through one permutation of its dims is
 * computed in the reader's order of dims. Its operands are permuted instead, which costs nothing,
 * since an operand's VIEW is only addressing. The buffer holds the same at every address; but
 * producer and reader now have one iteration space and can share a loop nest, whose order follows
 * the layout of its result. Not done where the node could otherwise share a nest with another
 * reader of its operand. The pass goes from readers to operands, so whole chains are permuted.
 *
 * hand_out_copied: a returned copy of an intermediate buffer is replaced by that buffer, if the
 * copy has the same layout and the caller receives the buffer in no other way. Returns keep eager's
 * strides, because the layouts are equal.
 *
 * Needs SSA without dead nodes; keeps SSA. */
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

#include <string.h>

typedef struct Uses {
    Node *view; /* the only reader, if that is a VIEW; else NULL */
    int count;  /* readers of the buffer */
    bool base;  /* a STORE writes over it */
    bool out;   /* a VIEW of it is returned as a gradient */
    bool joins; /* an elementwise node or a reduction of its size reads it */
} Uses;

static bool is_elementwise(const Node *n) {
    LowerClass cls = lower_class(n);
    return cls == LOWER_POINTWISE || n->op == OP_clone || n->op == OP__to_copy;
}

static void count_uses(const Graph *g, Uses *uses) {
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        bool joins =
            is_elementwise(n) || n->op == OP__contiguous_copy || lower_class(n) == LOWER_REDUCE;
        for (int k = 0; k < n->nin; k++) {
            if (n->in[k]) {
                Uses *u = &uses[n->in[k]->id];
                u->view = u->count++ == 0 && n->kind == NODE_VIEW ? n : NULL;
                u->base |= n->kind == NODE_STORE && k == 0;
                u->out |= n->kind == NODE_VIEW && n->mark != 0;
                u->joins |= joins && (lower_class(n) == LOWER_REDUCE ||
                                      tensor_same_size(&n->t, &n->in[k]->t));
            }
        }
    }
}

/* ---- permuted producers ---- */

/* Does `view` read all of the dense `t`, dim by dim in another order? from[d]: the dim of t that d
 * is. */
static bool layout_is_permutation(const Tensor *view, const Tensor *t, int *from) {
    unsigned taken = 0;
    if (view->ndim != t->ndim || view->offset != 0) {
        return false;
    }
    bool moved = false;
    for (int d = 0; d < view->ndim; d++) {
        from[d] = -1;
        for (int k = 0; k < t->ndim && from[d] < 0; k++) {
            if (!(taken >> k & 1) && t->size[k] == view->size[d] &&
                (t->size[k] == 1 || t->stride[k] == view->stride[d])) {
                from[d] = k;
            }
        }
        if (from[d] < 0) {
            return false;
        }
        taken |= 1u << from[d];
        moved |= from[d] != d;
    }
    return moved;
}

/* The operand, with its dims permuted as the result's are. */
static Tensor passes_layout_permuted(const Tensor *t, const Tensor *result, const int *from) {
    Tensor out = *t;
    int missing = result->ndim - t->ndim;
    out.storage = NULL;
    out.ndim = result->ndim;
    for (int d = 0; d < result->ndim; d++) {
        int k = from[d] - missing;
        out.size[d] = k < 0 ? 1 : t->size[k];
        out.stride[d] = k < 0 ? 0 : t->stride[k];
    }
    return out;
}

/* Is everything that `n` could share a nest with permuted along with it? */
static bool alone_with_operands(const Node *n, const Uses *uses) {
    for (int k = 0; k < n->nin; k++) {
        const Node *b = n->in[k] ? node_buffer(n->in[k]) : NULL;
        Scalar splat;
        if (b && b->kind == NODE_OP && is_elementwise(b) && !node_splat(b, &splat) &&
            tensor_same_size(&b->t, &n->t) && (b->mark != 0 || uses[b->id].count != 1)) {
            return false;
        }
    }
    return true;
}

static bool may_turn(const Node *n, const Uses *uses, int *from) {
    const Node *view = uses[n->id].view;
    return n->kind == NODE_OP && is_elementwise(n) && n->mark == 0 && view && view->mark == 0 &&
           uses[view->id].joins && tensor_numel(&n->t) > 0 &&
           layout_is_permutation(&view->t, &n->t, from) && alone_with_operands(n, uses);
}

/* Makes `n` compute in the order of dims of its only reader, a VIEW, which `n` then replaces. New
 * VIEWs are appended. */
static void turn_producer(Graph *g, Node *n, Uses *uses, const int *from) {
    Node *view = uses[n->id].view;
    for (int k = 0; k < n->nin; k++) {
        Node *in = n->in[k];
        if (!in || in->t.ndim == 0) {
            continue; /* a 0-dim operand stays 0-dim: promotion depends on that */
        }
        Tensor layout = passes_layout_permuted(&in->t, &n->t, from);
        int next_id = g->next_id;
        Node *now = graph_view(g, in, &layout, n->sid), *buffer = node_buffer(in);
        if (now == in) {
            continue; /* it is constant along all dims */
        }
        n->in[k] = now;
        if (now->id >= next_id) {
            uses[now->id] = (Uses){.count = 1, .joins = tensor_same_size(&layout, &view->t)};
        }
        bool only = uses[in->id].count == 1 && uses[buffer->id].count == 1 &&
                    (in->kind != NODE_VIEW || in->mark == 0);
        uses[buffer->id].view = only && now->kind == NODE_VIEW ? now : NULL;
        if (only && in->kind == NODE_VIEW) {
            in->mark = -1; /* unused now */
        }
    }
    node_sync_call(n);
    n->t = view->t;
    view->map = n;
    view->mark = -1;
}

/* Moves the nodes appended since `before` in front of the node at index `at`; returns their
 * number. */
static int move_before(Graph *g, int before, int at) {
    int count = g->n - before;
    Node *made[MAX_SLOTS];
    if (count > 0) {
        memcpy(made, g->node + before, sizeof *made * (size_t)count);
        memmove(g->node + at + count, g->node + at, sizeof *made * (size_t)(before - at));
        memcpy(g->node + at, made, sizeof *made * (size_t)count);
    }
    return count;
}

/* ---- returned copies ---- */

/* The buffer that can replace `n`, a copy: it holds the same at every address, and it may be given
 * to the caller. */
static Node *copied_buffer(const Node *n, const Uses *uses) {
    if (n->kind != NODE_OP || (n->op != OP_clone && n->op != OP__contiguous_copy) ||
        !(n->mark & OUT_RETURN) || uses[n->id].base) {
        return NULL;
    }
    Node *of = n->in[0], *buffer = node_buffer(of);
    bool own = buffer->kind == NODE_OP || buffer->kind == NODE_STORE;
    Scalar splat;
    if (!own || buffer->mark != 0 || node_splat(buffer, &splat) || uses[buffer->id].base ||
        uses[buffer->id].out || of->t.offset != 0 || tensor_numel(&n->t) == 0 ||
        tensor_numel(&n->t) != tensor_numel(&buffer->t)) {
        return NULL;
    }
    Node image = {.t = of->t, .kind = NODE_OP};
    return node_same_image(n, &image) ? buffer : NULL;
}

/* `n` becomes a VIEW of the buffer, which replaces it in returns and write-backs. */
static void be_view(Graph *g, Node *n, Node *buffer) {
    for (int i = 0; i < g->nret; i++) {
        g->ret[i].value = g->ret[i].value == n ? buffer : g->ret[i].value;
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        g->written[k] = g->written[k] == n ? buffer : g->written[k];
    }
    for (int i = 0; i < g->n; i++) {
        Node *user = g->node[i];
        if (user->kind == NODE_VIEW && user->in[0] == n) {
            user->in[0] = buffer;
        }
    }
    buffer->mark |= n->mark;
    n->mark = 0;
    n->kind = NODE_VIEW;
    n->call = NULL;
    n->op = OP_NONE;
    n->nin = 1;
    n->in[0] = buffer;
}

bool pass_layout(Compile *c) {
    Graph *g = c->graph;
    bool changed = false, turned = false;
    int old = g->next_id;
    Uses *uses = arena_array(
        c->arena, Uses, old + PW_MAX_OPERANDS * g->n); /* a node's operands may get a VIEW each */
    graph_mark_outputs(g);
    count_uses(g, uses);
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i], *buffer = copied_buffer(n, uses);
        n->map = NULL;
        if (buffer && gate(c, STEP_hand_out_copied)) {
            be_view(g, n, buffer);
            uses[buffer->id].view = NULL;
            changed = true;
        }
    }
    for (int i = g->n - 1; i >= 0; i--) {
        Node *n = g->node[i];
        int from[MAX_DIMS], before = g->n;
        if (n->id < old && may_turn(n, uses, from) && gate(c, STEP_permute_producer)) {
            turn_producer(g, n, uses, from);
            i += move_before(g, before, i);
            turned = true;
        }
    }
    if (turned) {
        graph_apply_map(g);
    }
    for (int i = 0; i < g->n && turned; i++) {
        g->node[i]->map = NULL;
    }
    return changed || turned;
}
