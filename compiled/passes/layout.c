/* In which order intermediate results lie and are walked, and copies that only change that.
 *
 * permute_producer: an elementwise node that is read through one permutation of its dims is
 * computed in the readers' order of dims: its operands are permuted instead, which costs nothing,
 * since an operand's VIEW is an address. The buffer stays what it was, address by address; but
 * producer and reader have one space now and can share a nest, whose order the memory of its result
 * decides. Not where the node would leave a nest that it can share with another reader of its
 * operand. Going from readers to what they read, whole chains turn.
 *
 * hand_out_copied: a returned copy of a buffer which nobody else is to own is that buffer itself,
 * if the copy would lie there as the original does. Returns keep eager's strides: it is the same
 * image.
 *
 * Needs SSA, and that nothing is dead; keeps SSA. */
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

#include <string.h>

typedef struct Uses {
    Node *view; /* the one reader, a VIEW; else NULL */
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

/* The operand with the dims that it has in the result's, permuted. */
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

/* Would all that `n` could share a nest with turn with it? */
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

/* Makes `n` compute in the order of dims of its one reader, a VIEW, which is then n itself. New
 * VIEWs are appended. */
static void turn_producer(Graph *g, Node *n, Uses *uses, const int *from) {
    Node *view = uses[n->id].view;
    for (int k = 0; k < n->nin; k++) {
        Node *in = n->in[k];
        if (!in || in->t.ndim == 0) {
            continue; /* a 0-dim operand stays one: promotion asks */
        }
        Tensor layout = passes_layout_permuted(&in->t, &n->t, from);
        int next_id = g->next_id;
        Node *now = graph_view(g, in, &layout, n->sid), *buffer = node_buffer(in);
        if (now == in) {
            continue; /* its dims are all alike */
        }
        n->in[k] = now;
        if (now->id >= next_id) {
            uses[now->id] = (Uses){.count = 1, .joins = tensor_same_size(&layout, &view->t)};
        }
        bool only = uses[in->id].count == 1 && uses[buffer->id].count == 1 &&
                    (in->kind != NODE_VIEW || in->mark == 0);
        uses[buffer->id].view = only && now->kind == NODE_VIEW ? now : NULL;
        if (only && in->kind == NODE_VIEW) {
            in->mark = -1; /* nobody reads it any more */
        }
    }
    node_sync_call(n);
    n->t = view->t;
    view->map = n;
    view->mark = -1;
}

/* Puts the nodes appended since `before` in front of the node at place `at`; how many. */
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

/* ---- copies handed out ---- */

/* The buffer that `n`, a copy, could be: it holds the same at every address, and it is free to be
 * given away. */
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

/* `n` becomes a VIEW of the buffer, which takes its place among what is returned and written
 * back. */
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
