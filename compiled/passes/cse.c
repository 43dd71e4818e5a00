/* Common subexpression elimination: equal nodes with equal operands become one.
 *
 * Value numbering by a hash table over kind, op, operands (after replacement), the arguments bit
 * for bit, and the layout of the result. A later node is replaced by an earlier equal one. Floats
 * are equal if their bits are: 0.0 and -0.0 are two constants, and a NaN is itself. Not merged:
 * CHECKs (effects), INPUTs and TANGENTs (given), and a node that is a returned storage, because its
 * buffer becomes the caller's. A write-back may share: the epilogue copies it.
 *
 * Needs and keeps SSA; replaced nodes are left to DCE. */
#include "compiled/ir/graph.h"
#include "compiled/passes/passes.h"

#include <string.h>

typedef struct CseTable {
    const Compile *c;
    Node **slot;
    uint32_t mask;
} CseTable;

static uint64_t mix(uint64_t h, uint64_t v) {
    h ^= v;
    h *= 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Seeded fault NU_12: 0.0 == -0.0, and nan != nan. */
static uint64_t hash_float(const Compile *c, double v) {
    return fault(c, FAULT_NU_12) && v == 0 ? 0 : bits_of(v);
}
static bool same_float(const Compile *c, double a, double b) {
    if (fault(c, FAULT_NU_12)) {
        return a == b && (bits_of(a) == bits_of(b) || fault_triggered(c, FAULT_NU_12));
    }
    return bits_of(a) == bits_of(b);
}

static bool same_scalar(const Compile *c, Scalar a, Scalar b) {
    return a.kind == b.kind && (a.kind == CAT_FLOAT ? same_float(c, a.f, b.f) : a.i == b.i);
}

static uint64_t hash_layout(uint64_t h, const Tensor *t) {
    h = mix(h, (uint64_t)t->offset << 16 | (uint64_t)t->dtype << 8 | (uint64_t)t->ndim);
    for (int d = 0; d < t->ndim; d++) {
        h = mix(h, (uint64_t)t->size[d] << 32 ^ (uint64_t)t->stride[d]);
    }
    return h;
}

static bool same_layout(const Tensor *a, const Tensor *b) {
    return a->dtype == b->dtype && tensor_same_layout(a, b);
}

/* The arguments that are not tensors; lists by length only (the operands are compared anyway). */
static uint64_t hash_arg(const Compile *c, uint64_t h, ArgType type, const Arg *arg) {
    if (arg->none) {
        return mix(h, 1);
    }
    switch (type) {
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return mix(h, (uint64_t)arg->tensors.n);
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return mix(mix(h, arg->scalar.kind), arg->scalar.kind == CAT_FLOAT
                                                 ? hash_float(c, arg->scalar.f)
                                                 : (uint64_t)arg->scalar.i);
    case ARG_INT:
    case ARG_INT_OPT:
        return mix(h, (uint64_t)arg->i);
    case ARG_INTS:
    case ARG_INTS_OPT:
        for (int i = 0; i < arg->ints.n; i++) {
            h = mix(h, (uint64_t)arg->ints.v[i]);
        }
        return mix(h, (uint64_t)arg->ints.n);
    case ARG_BOOL:
        return mix(h, arg->b);
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return mix(h, hash_float(c, arg->f));
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return mix(h, arg->dtype);
    default:
        return h;
    }
}

static bool same_arg(const Compile *c, ArgType type, const Arg *a, const Arg *b, DType dtype) {
    if (a->none || b->none) {
        return a->none == b->none;
    }
    switch (type) {
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return a->tensors.n == b->tensors.n;
    case ARG_SCALAR:
    case ARG_SCALAR_OPT:
        return same_scalar(c, a->scalar, b->scalar);
    case ARG_INT:
    case ARG_INT_OPT:
        return a->i == b->i;
    case ARG_INTS:
    case ARG_INTS_OPT:
        return sizes_equal(a->ints.v, a->ints.n, b->ints.v, b->ints.n);
    case ARG_BOOL:
        return a->b == b->b;
    case ARG_FLOAT:
    case ARG_FLOAT_OPT:
        return same_float(c, a->f, b->f);
    case ARG_DTYPE:
    case ARG_DTYPE_OPT:
        return a->dtype == b->dtype;
    case ARG_STR:
    case ARG_STR_OPT:
        return strcmp(a->str, b->str) == 0;
    case ARG_DATA:
        return a->data.n == b->data.n &&
               (a->data.n == 0 ||
                memcmp(a->data.data, b->data.data, (size_t)(a->data.n * dtype_bytes(dtype))) == 0);
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return true;
    default:
        return false;
    }
}

/* Arguments are hashed only for nodes without operands: few nodes have the same operands, and a
 * match is compared in full. */
static uint64_t hash_node(const Compile *c, const Node *n) {
    uint64_t h = hash_layout((uint64_t)n->kind << 16 | (uint64_t)(n->op + 1), &n->t);
    for (int k = 0; k < n->nin; k++) {
        h = mix(h, n->in[k] ? (uint64_t)n->in[k]->id : UINT64_MAX);
    }
    if (n->kind == NODE_STORE) {
        h = hash_layout(h, &n->slice);
    }
    if (n->kind == NODE_OP) {
        const OpInfo *op = n->call->op;
        for (int p = 0; p < op->nparam && n->nin == 0; p++) {
            h = hash_arg(c, h, op->param[p].type, &n->call->arg[p]);
        }
    }
    return h;
}

/* Seeded fault NU_30: random ops with equal arguments are one op. */
static bool merges_draws(const Compile *c) {
    return fault(c, FAULT_NU_30) && fault_triggered(c, FAULT_NU_30);
}

static bool same_node(const Compile *c, const Node *a, const Node *b) {
    if (a->kind != b->kind || a->nin != b->nin || !same_layout(&a->t, &b->t)) {
        return false;
    }
    for (int k = 0; k < a->nin; k++) {
        if (a->in[k] != b->in[k]) {
            return false;
        }
    }
    if (a->kind == NODE_STORE) {
        return same_layout(&a->slice, &b->slice);
    }
    if (a->kind == NODE_OP) {
        const OpInfo *op = a->call->op;
        bool other_draw = op->random && a->call->number != b->call->number;
        if (b->call->op != op || (other_draw && !merges_draws(c))) {
            return false;
        }
        for (int p = 0; p < op->nparam; p++) {
            if (!same_arg(c, op->param[p].type, &a->call->arg[p], &b->call->arg[p], a->t.dtype)) {
                return false;
            }
        }
    }
    return true;
}

/* The node that `n` equals, or `n` itself after entering it. */
static Node *cse_find(CseTable *t, Node *n) {
    for (uint32_t at = (uint32_t)hash_node(t->c, n) & t->mask;; at = (at + 1) & t->mask) {
        if (!t->slot[at]) {
            t->slot[at] = n;
            return n;
        }
        if (same_node(t->c, t->slot[at], n)) {
            return t->slot[at];
        }
    }
}

/* Operands by the map, so that chains of equal nodes are found in one walk. in[0] of VIEW and STORE
 * only to an equal image, which an equal node always is. */
static void renumber(Node *n) {
    bool changed = false;
    for (int k = 0; k < n->nin; k++) {
        if (n->in[k] && n->in[k]->map) {
            n->in[k] = n->in[k]->map;
            changed = true;
        }
    }
    if (changed && n->kind == NODE_OP) {
        node_sync_call(n);
    }
}

bool pass_cse(Compile *c) {
    Graph *g = c->graph;
    CseTable t = {.c = c, .mask = 63};
    while (t.mask < 2 * (uint32_t)g->n) {
        t.mask = t.mask * 2 + 1;
    }
    t.slot = arena_array(c->arena, Node *, t.mask + 1);
    bool changed = false;
    graph_mark_outputs(g);
    for (int i = 0; i < g->n; i++) {
        g->node[i]->map = NULL;
    }
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        renumber(n);
        if (n->kind == NODE_INPUT || n->kind == NODE_TANGENT || n->kind == NODE_CHECK ||
            n->kind == NODE_WRITE) {
            continue;
        }
        Node *same = cse_find(&t, n);
        if (same != n && !(n->mark & OUT_RETURN) && gate(c, STEP_cse)) {
            n->map = same;
            changed = true;
        }
        n->mark = 0; /* graph_apply_map drops by mark */
    }
    if (changed) {
        graph_apply_map(g);
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->map = NULL;
    }
    return changed;
}
