/* The invariants of a graph, one sentence each, checked node by node in list order.
 *
 * Everything is bounds-checked before it is used, because a broken pass may have made the graph.
 * Metadata is inferred again from the operands. Before functionalization all of it must be equal;
 * later an operand may have been replaced by an equal value in another layout, so that only dtype
 * and sizes must be equal. */
#include "compiled/ir/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct GraphVerifier {
    const Graph *g;
    bool functional;
    Arena scratch;
    int *position; /* by node id: index in the graph + 1, or 0 */
    char *message;
    size_t message_size;
} GraphVerifier;

__attribute__((format(printf, 3, 4))) static bool broken(GraphVerifier *v, const Node *n,
                                                         const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n) {
        snprintf(v->message, v->message_size, "%%%d: %s", n->id, text);
    } else {
        snprintf(v->message, v->message_size, "%s", text);
    }
    return false;
}

static bool known(const GraphVerifier *v, const Node *n) {
    return n && n->id >= 0 && n->id < v->g->next_id && v->position[n->id] > 0 &&
           v->g->node[v->position[n->id] - 1] == n;
}

static bool layout_ok(const Tensor *t, int64_t *extent) {
    if (t->ndim < 0 || t->ndim > MAX_DIMS || (unsigned)t->dtype >= DT_COUNT || t->offset < 0) {
        return false;
    }
    int64_t numel;
    if (!sizes_numel(t->size, t->ndim, &numel)) {
        return false;
    }
    for (int d = 0; d < t->ndim; d++) {
        if (t->stride[d] < 0) {
            return false;
        }
    }
    return tensor_extent(t, extent);
}

/* Can `t` be read as if it had the sizes of `like`? */
static bool verify_expandable(const Tensor *t, const Tensor *like) {
    int shift = like->ndim - t->ndim;
    if (shift < 0) {
        return false;
    }
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] != 1 && t->size[d] != like->size[d + shift]) {
            return false;
        }
    }
    return true;
}

static bool verify_view(GraphVerifier *v, const Node *n) {
    const Node *of = n->in[0];
    int64_t extent, have;
    if (of->kind == NODE_VIEW && v->functional) {
        return broken(v, n, "a VIEW of a VIEW");
    }
    if (n->t.dtype != of->t.dtype) {
        return broken(v, n, "a VIEW of another dtype than its buffer");
    }
    if (!layout_ok(&n->t, &extent) || !tensor_extent(&of->t, &have) || extent > have) {
        return broken(v, n, "a VIEW outside its buffer");
    }
    return true;
}

static bool verify_store(GraphVerifier *v, const Node *n) {
    const Node *base = n->in[0], *value = n->in[1];
    int64_t extent, have;
    if (base->kind == NODE_VIEW) {
        return broken(v, n, "STORE into a VIEW");
    }
    if (!node_same_image(base, n)) {
        return broken(v, n, "STORE with another layout than its base");
    }
    if (!layout_ok(&n->slice, &extent) || !tensor_extent(&n->t, &have) || extent > have) {
        return broken(v, n, "STORE slice outside its base");
    }
    if (n->slice.dtype != n->t.dtype) {
        return broken(v, n, "STORE slice of another dtype than its base");
    }
    if (!verify_expandable(&value->t, &n->slice)) {
        return broken(v, n, "STORE value does not fit its slice");
    }
    return true;
}

static bool verify_ir_op(GraphVerifier *v, const Node *n) {
    Tensor *slot[MAX_SLOTS];
    if (!n->call || !n->call->op) {
        return broken(v, n, "OP without a call");
    }
    const OpInfo *op = n->call->op;
    if (op->id != n->op) {
        return broken(v, n, "op is not the call's");
    }
    if (op->kind != KIND_FACTORY && op->kind != KIND_POINTWISE && op->kind != KIND_FUNC) {
        return broken(v, n, "%s is not a functional op", op->name);
    }
    if (call_slots(n->call, slot) != n->nin) {
        return broken(v, n, "operand count differs from the call's");
    }
    for (int k = 0; k < n->nin; k++) {
        if (slot[k] != (n->in[k] ? &n->in[k]->t : NULL)) {
            return broken(v, n, "operand %d differs from the call's", k);
        }
    }
    if (op->id == OP_nonzero) {
        return n->t.ndim == 2 ||
               broken(v, n, "nonzero with %d dims", n->t.ndim); /* its size is a value */
    }
    Error err = {0};
    Infer r = {.arena = &v->scratch, .err = &err, .in_place = true}; /* perhaps it once was */
    if (op->infer(n->call, &r) != ERR_none) {
        return broken(v, n, "inference refuses it: %s", err.text);
    }
    if (r.n != 1 || r.out[0].dtype != n->t.dtype || !tensor_same_size(&r.out[0], &n->t)) {
        return broken(v, n, "inference gives another dtype or size");
    }
    for (int d = 0; !v->functional && d < n->t.ndim && tensor_numel(&n->t) > 0; d++) {
        if (n->t.size[d] != 1 && r.out[0].stride[d] != n->t.stride[d]) {
            return broken(v, n, "inference gives another stride of dim %d", d);
        }
    }
    return true;
}

static bool is_scatter(const Node *n) {
    if (n->kind == NODE_STORE) {
        return true;
    }
    return n->kind == NODE_OP && n->call->op->kind == KIND_FUNC && n->nin > 0 && n->in[0] &&
           n->in[0]->t.dtype == n->t.dtype;
}

static bool verify_node(GraphVerifier *v, const Node *n, int at) {
    int64_t extent;
    if (!layout_ok(&n->t, &extent)) {
        return broken(v, n, "sizes, strides or offset are out of range");
    }
    if (n->nin < 0 || n->nin > MAX_SLOTS || (n->nin > 0 && !n->in)) {
        return broken(v, n, "%d operands", n->nin);
    }
    for (int k = 0; k < n->nin; k++) {
        if (!n->in[k] && n->kind == NODE_OP) {
            continue;
        }
        if (!known(v, n->in[k])) {
            return broken(v, n, "operand %d is not in the graph", k);
        }
        if (v->position[n->in[k]->id] > at) {
            return broken(v, n, "operand %d (%%%d) comes later", k, n->in[k]->id);
        }
        if (n->in[k]->kind == NODE_CHECK) {
            return broken(v, n, "operand %d is a CHECK", k);
        }
    }
    static const signed char operands[] = {
        [NODE_INPUT] = 0, [NODE_TANGENT] = 0, [NODE_OP] = -1,  [NODE_VIEW] = 1,
        [NODE_WRITE] = 2, [NODE_STORE] = 2,   [NODE_CHECK] = 1};
    if ((unsigned)n->kind >= sizeof operands ||
        (operands[n->kind] >= 0 && n->nin != operands[n->kind])) {
        return broken(v, n, "a node of kind %d with %d operands", (int)n->kind, n->nin);
    }
    if (n->kind != NODE_VIEW && n->kind != NODE_WRITE && n->kind != NODE_CHECK &&
        (n->t.offset != 0 || !tensor_is_dense(&n->t))) {
        return broken(v, n, "a buffer that is not dense from 0");
    }
    switch (n->kind) {
    case NODE_INPUT:
        if (n->number < 0 || n->number >= v->g->ninputs || v->g->input[n->number] != n ||
            n->t.ndim != 1) {
            return broken(v, n, "INPUT %d is not the graph's", n->number);
        }
        return true;
    case NODE_TANGENT:
        return (n->number >= 0 && tensor_is_contiguous(&n->t)) ||
               broken(v, n, "TANGENT %d is not contiguous", n->number);
    case NODE_OP:
        return verify_ir_op(v, n);
    case NODE_VIEW:
        return verify_view(v, n);
    case NODE_WRITE:
        return !v->functional || broken(v, n, "WRITE in a functional graph");
    case NODE_STORE:
        return verify_store(v, n);
    case NODE_CHECK:
        if (dtype_is_float(n->in[0]->t.dtype) || n->check < CHECK_INDEX_WRAP ||
            n->check > CHECK_NONZERO || n->check_code <= ERR_none || n->check_code >= ERR_COUNT) {
            return broken(v, n, "a CHECK of nothing that can be checked");
        }
        return true;
    }
    return true;
}

/* Statement order, with the backward last. */
static int statement_rank(int sid) { return sid >= 0 ? sid : INT32_MAX; }

/* An operand that is computed into a cat is one of its operands, of its dtype, and before it. */
static bool verify_joined(GraphVerifier *v, const Node *n) {
    const Node *cat = n->into;
    bool operand = false;
    for (int k = 0; cat && cat->kind == NODE_OP && k < cat->nin; k++) {
        operand = operand || cat->in[k] == n;
    }
    return !cat ||
           (n->kind == NODE_OP && operand && n->t.dtype == cat->t.dtype && !n->in_place &&
            (cat->op == OP_cat || cat->op == OP_stack)) ||
           broken(v, n, "computed into a node that is no cat of it");
}

static bool verify_order(GraphVerifier *v) {
    int last = -1, group = -1;
    for (int i = 0; i < v->g->n; i++) {
        const Node *n = v->g->node[i];
        if (n->kind == NODE_CHECK) {
            if (statement_rank(n->sid) < last) {
                return broken(v, n, "CHECKs out of statement order");
            }
            last = statement_rank(n->sid);
        }
        if (n->group >= 0 && n->group != group) {
            for (int k = 0; k < i; k++) {
                if (v->g->node[k]->group == n->group) {
                    return broken(v, n, "group %d is not contiguous", n->group);
                }
            }
            group = n->group;
        } else if (n->group < 0 && n->kind != NODE_VIEW) {
            group = -1;
        }
        if (!verify_joined(v, n)) {
            return false;
        }
        if (n->in_place && (!is_scatter(n) || n->in[0]->kind == NODE_TANGENT)) {
            return broken(v, n, "in place without a base of its own");
        }
    }
    return true;
}

static bool verify_outputs(GraphVerifier *v) {
    const Graph *g = v->g;
    int64_t extent, have;
    for (int i = 0; i < g->nret; i++) {
        const ReturnPlan *r = &g->ret[i];
        if (r->grad && !known(v, r->grad)) {
            return broken(v, NULL, "the gradient of return %d is not in the graph", i);
        }
        if (r->before && !known(v, r->before)) {
            return broken(v, NULL, "what return %d was is not in the graph", i);
        }
        if (r->aliases_input) {
            if (r->storage < 0 || r->storage >= g->ninputs) {
                return broken(v, NULL, "return %d aliases input storage %d", i, r->storage);
            }
            continue;
        }
        if (!known(v, r->value) || r->value->kind == NODE_VIEW || r->value->kind == NODE_CHECK) {
            return broken(v, NULL, "return %d has no buffer in the graph", i);
        }
        if (!layout_ok(&r->layout, &extent) || !tensor_extent(&r->value->t, &have) ||
            extent * dtype_bytes(r->layout.dtype) > have * dtype_bytes(r->value->t.dtype)) {
            return broken(v, NULL, "return %d lies outside its buffer", i);
        }
    }
    for (int i = 0; i < g->ninp; i++) {
        if (g->inp[i].grad && !known(v, g->inp[i].grad)) {
            return broken(v, NULL, "the gradient of input %d is not in the graph", i);
        }
    }
    for (int k = 0; k < g->ninputs; k++) {
        const Node *w = g->written ? g->written[k] : NULL;
        if (!known(v, g->input[k])) {
            return broken(v, NULL, "input storage %d is not in the graph", k);
        }
        if (w && (!known(v, w) || w->kind == NODE_VIEW || w->t.dtype != g->input[k]->t.dtype ||
                  tensor_numel(&w->t) < tensor_numel(&g->input[k]->t))) {
            return broken(v, NULL, "the value written to input storage %d does not fit it", k);
        }
    }
    return true;
}

static bool ir_verify(GraphVerifier *v) {
    const Graph *g = v->g;
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        if (!n || n->id < 0 || n->id >= g->next_id) {
            return broken(v, n, "no node at place %d, or one with a bad id", i);
        }
        if (v->position[n->id]) {
            return broken(v, n, "the id is taken twice");
        }
        v->position[n->id] = i + 1;
    }
    for (int i = 0; i < g->n; i++) {
        if (!verify_node(v, g->node[i], i)) {
            return false;
        }
    }
    return verify_order(v) && verify_outputs(v);
}

bool graph_verify(const Graph *g, bool functional, char *message, size_t message_size) {
    GraphVerifier v = {
        .g = g, .functional = functional, .message = message, .message_size = message_size};
    v.position = arena_array(&v.scratch, int, max_i64(g->next_id, 1));
    bool ok = ir_verify(&v);
    arena_destroy(&v.scratch);
    return ok;
}
