/* Building and rewriting the graph.
 *
 * Nodes are appended in execution order. A rewrite has two steps: a pass sets `map` on the nodes to
 * be replaced, then graph_apply_map updates all uses at once. A use that reads by address (a VIEW's
 * or STORE's buffer, a returned storage, a write-back) follows the map only to a buffer with the
 * same image, that is, with the same element at every address; an op whose result depends on the
 * order of its operand's elements in memory, only to one of the same strides. The other uses read
 * values and always follow. */
#include "compiled/ir/graph.h"
#include "compiled/views/views.h"
#include "tensor/array.h"

#include <string.h>

Graph *graph_new(Arena *arena) {
    Graph *g = arena_new(arena, Graph);
    g->arena = arena;
    return g;
}

static Node *node_add(Graph *g, NodeKind kind, int nin, int sid) {
    /* All but the sizes and strides of `t`, which the caller sets as far as there are dims. */
    Node *n = arena_alloc_raw(g->arena, (int64_t)sizeof *n);
    memset(n, 0, offsetof(Tensor, size));
    memset(&n->kind, 0, sizeof *n - offsetof(Node, kind));
    n->kind = kind;
    n->id = g->next_id++;
    n->sid = sid;
    n->nin = nin;
    n->in = nin > 0 ? arena_array(g->arena, Node *, nin) : NULL;
    n->cls = n->group = n->buffer = -1;
    n->op = OP_NONE;
    g->node = array_reserve(g->arena, g->node, g->n, &g->capacity, 64, sizeof *g->node);
    g->node[g->n++] = n;
    return n;
}

Node *graph_input(Graph *g, int number, DType dtype, int64_t numel) {
    Node *n = node_add(g, NODE_INPUT, 0, AT_RETURN);
    tensor_set_contiguous(&n->t, dtype, &numel, 1);
    n->number = number;
    return n;
}

Node *graph_tangent(Graph *g, int number, const Tensor *like) {
    Node *n = node_add(g, NODE_TANGENT, 0, AT_BACKWARD);
    tensor_set_contiguous(&n->t, like->dtype, like->size, like->ndim);
    n->number = number;
    return n;
}

Node *graph_op(Graph *g, const Call *call, const Tensor *meta, int sid) {
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(call, slot);
    Node *n = node_add(g, NODE_OP, nslot, sid);
    layout_copy(&n->t, meta);
    n->t.offset = 0;
    for (int k = 0; k < nslot; k++) {
        n->in[k] = (Node *)slot[k];
    }
    Call *own = arena_alloc_raw(g->arena, (int64_t)sizeof *own);
    call_copy(own, call);
    for (int p = 0; p < own->op->nparam; p++) {
        ArgType type = own->op->param[p].type;
        if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !own->arg[p].none) {
            own->arg[p].tensors.v = arena_copy(g->arena, own->arg[p].tensors.v,
                                               (int64_t)sizeof(Tensor *) * own->arg[p].tensors.n);
        }
    }
    n->call = own;
    n->op = own->op->id;
    return n;
}

Node *graph_view(Graph *g, Node *of, const Tensor *layout, int sid) {
    if (tensor_same_layout(&of->t, layout)) {
        return of;
    }
    Node *buffer = node_buffer(of);
    if (tensor_same_layout(&buffer->t, layout)) {
        return buffer;
    }
    Node *n = node_add(g, NODE_VIEW, 1, sid);
    layout_copy(&n->t, layout);
    n->t.dtype = buffer->t.dtype;
    n->in[0] = buffer;
    return n;
}

Node *graph_write(Graph *g, Node *target, Node *value, int sid) {
    Node *n = node_add(g, NODE_WRITE, 2, sid);
    layout_copy(&n->t, &target->t);
    n->in[0] = target;
    n->in[1] = value;
    return n;
}

Node *graph_store(Graph *g, Node *base, Node *value, const Tensor *slice, int sid) {
    Node *n = node_add(g, NODE_STORE, 2, sid);
    base = node_buffer(base);
    layout_copy(&n->t, &base->t);
    layout_copy(&n->slice, slice);
    n->slice.dtype = base->t.dtype;
    n->in[0] = base;
    n->in[1] = value;
    return n;
}

Node *graph_check(Graph *g, CheckKind kind, Node *value, int64_t bound, ErrCode code,
                  const char *message, int sid) {
    Node *n = node_add(g, NODE_CHECK, 1, sid);
    n->t.dtype = DT_bool;
    n->in[0] = value;
    n->check = kind;
    n->bound = bound;
    n->check_code = code;
    n->check_message = message;
    return n;
}

bool node_same_image(const Node *a, const Node *b) {
    if (b->kind == NODE_VIEW || b->kind == NODE_CHECK || a->t.dtype != b->t.dtype ||
        !tensor_same_size(&a->t, &b->t) || a->t.offset != b->t.offset) {
        return false;
    }
    for (int d = 0; d < a->t.ndim; d++) {
        if (a->t.size[d] != 1 && a->t.stride[d] != b->t.stride[d]) {
            return false;
        }
    }
    return true;
}

void node_sync_call(Node *n) {
    Call *call = (Call *)n->call; /* our own copy (graph_op) */
    int k = 0;
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &call->arg[p];
        switch (call->op->param[p].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            arg->tensor = n->in[k] ? &n->in[k]->t : NULL;
            k++;
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            for (int i = 0; !arg->none && i < arg->tensors.n; i++, k++) {
                arg->tensors.v[i] = n->in[k] ? &n->in[k]->t : NULL;
            }
            break;
        default:
            break;
        }
    }
}

static Node *resolve(Node *n) {
    while (n->map) {
        n = n->map;
    }
    return n;
}

/* ---- operands of cat that live in its result ---- */

bool node_joins_in_place(const Node *cat, int slot) {
    const Node *n = cat->in[slot];
    if (!n || n->into != cat) {
        return false;
    }
    for (int k = 0; k < slot; k++) {
        if (cat->in[k] == n) {
            return false;
        }
    }
    return true;
}

const Tensor *node_memory(const Node *n, Tensor *room) {
    const Node *b = n->kind == NODE_VIEW ? n->in[0] : n, *cat = b->into;
    if (!cat) {
        return &n->t;
    }
    Tensor outer;
    const Tensor *whole = node_memory(cat, &outer);
    int64_t at = 0;
    for (int k = 0; k < cat->nin; k++) {
        if (view_joined(cat->call, whole, &cat->in[k]->t, &at, room) && cat->in[k] == b) {
            break;
        }
    }
    if (n != b) {
        int64_t start = room->offset;
        layout_copy(room, &n->t);
        room->offset += start;
    }
    room->storage = NULL;
    return room;
}

/* ---- replacing ---- */

/* in[0] of a VIEW: the map is followed if the new buffer holds the old one's elements at the old
 * addresses, or at addresses that differ by a constant offset. */
static void remap_view(Node *view) {
    Node *old = view->in[0], *by = resolve(old);
    if (by->kind != NODE_VIEW) {
        if (node_same_image(old, by)) {
            view->in[0] = by;
        }
        return;
    }
    Tensor shifted = by->t;
    shifted.offset = old->t.offset;
    Node image = {.t = shifted, .kind = NODE_OP};
    if (node_same_image(old, &image)) {
        view->in[0] = by->in[0];
        view->t.offset += by->t.offset - old->t.offset;
    }
}

static void remap_image(Node **use) {
    if (*use && (*use)->map) {
        Node *by = resolve(*use);
        if (node_same_image(*use, by)) {
            *use = by;
        }
    }
}

static void remap_value(Node **use) {
    if (*use && (*use)->map) {
        *use = resolve(*use);
    }
}

/* An operand whose order in memory decides the result: not by one that lies in another order. */
static bool remap_ordered(Node **use) {
    const Node *by = resolve(*use);
    bool same = sizes_equal((*use)->t.stride, (*use)->t.ndim, by->t.stride, by->t.ndim);
    *use = same ? resolve(*use) : *use;
    return same;
}

void graph_apply_map(Graph *g) {
    int kept = 0;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        if (n->mark < 0) {
            continue;
        }
        g->node[kept++] = n;
        bool changed = false;
        for (int k = 0; k < n->nin; k++) {
            if (!n->in[k] || !n->in[k]->map) {
                continue;
            }
            if (n->kind == NODE_VIEW) {
                remap_view(n);
            } else if (n->kind == NODE_STORE && k == 0) {
                remap_image(&n->in[k]);
            } else if (node_reads_layout(n, k)) {
                changed |= remap_ordered(&n->in[k]);
            } else {
                n->in[k] = resolve(n->in[k]);
                changed = true;
            }
        }
        if (changed && n->kind == NODE_OP) {
            node_sync_call(n);
        }
    }
    g->n = kept;
    for (int i = 0; i < g->nret; i++) {
        remap_image(&g->ret[i].value);
        remap_value(&g->ret[i].grad);
        remap_value(&g->ret[i].before);
    }
    for (int i = 0; i < g->ninp; i++) {
        remap_value(&g->inp[i].grad);
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        remap_image(&g->written[k]);
    }
}

static void graph_mark(Node *n, int bit) {
    if (n) {
        n->mark |= bit;
    }
}

void graph_mark_outputs(Graph *g) {
    for (int i = 0; i < g->n; i++) {
        g->node[i]->mark = 0;
    }
    for (int i = 0; i < g->nret; i++) {
        if (!g->ret[i].aliases_input) {
            graph_mark(g->ret[i].value, OUT_RETURN);
        }
        graph_mark(g->ret[i].grad, OUT_GRAD);
        graph_mark(g->ret[i].before, OUT_GRAD);
    }
    for (int i = 0; i < g->ninp; i++) {
        graph_mark(g->inp[i].grad, OUT_GRAD);
    }
    for (int k = 0; g->written && k < g->ninputs; k++) {
        graph_mark(g->written[k], OUT_WRITTEN);
    }
}

/* ---- copies ---- */

static Node *copy_of(Node *n) { return n ? n->map : NULL; }

static Node **copies_of(Node *const *node, int n, Arena *arena) {
    Node **copy = arena_array(arena, Node *, n);
    for (int i = 0; i < n && node; i++) {
        copy[i] = copy_of(node[i]);
    }
    return copy;
}

static Node *node_clone(Node *from, Arena *arena) {
    Node *to = arena_copy(arena, from, (int64_t)sizeof *from);
    to->in = copies_of(from->in, from->nin, arena);
    to->recomputes = copy_of(from->recomputes);
    if (to->kind != NODE_OP) {
        return to;
    }
    Call *call = arena_copy(arena, from->call, (int64_t)sizeof *call);
    for (int p = 0; p < call->op->nparam; p++) {
        ArgType type = call->op->param[p].type;
        if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !call->arg[p].none) {
            call->arg[p].tensors.v = arena_array(arena, Tensor *, call->arg[p].tensors.n);
        }
    }
    to->call = call;
    node_sync_call(to);
    return to;
}

Graph *graph_clone(Graph *g, Arena *arena) {
    Graph *copy = arena_copy(arena, g, (int64_t)sizeof *g);
    copy->arena = arena;
    copy->capacity = g->n;
    copy->node = arena_array(arena, Node *, g->n);
    for (int i = 0; i < g->n; i++) {
        copy->node[i] = g->node[i]->map = node_clone(g->node[i], arena);
        copy->node[i]->map = NULL;
    }
    for (int i = 0; i < g->n; i++) {
        copy->node[i]->into = copy_of(g->node[i]->into);
    }
    copy->input = copies_of(g->input, g->ninputs, arena);
    copy->written = copies_of(g->written, g->ninputs, arena);
    copy->ret = arena_copy(arena, g->ret, (int64_t)sizeof *g->ret * g->nret);
    copy->inp = arena_copy(arena, g->inp, (int64_t)sizeof *g->inp * g->ninp);
    for (int k = 0; k < g->nret; k++) {
        copy->ret[k].value = copy_of(g->ret[k].value);
        copy->ret[k].grad = copy_of(g->ret[k].grad);
        copy->ret[k].before = copy_of(g->ret[k].before);
    }
    for (int k = 0; k < g->ninp; k++) {
        copy->inp[k].grad = copy_of(g->inp[k].grad);
    }
    return copy;
}

void graph_clear_map(Graph *g) {
    for (int i = 0; i < g->n; i++) {
        g->node[i]->map = NULL;
    }
}
