/* Algebraic rules (rules.def), each tried at every node, in order, to a fixed point.
 *
 * A rule only looks: it answers with a Rewrite, which is applied when the gate lets it through. Rewrites are of three forms: use
 * another node instead; be another call; read another buffer. A node that is a returned storage is not replaced: its buffer is the
 * caller's. Where a use reads by address and the replacement lies differently in memory, the old node stays for that use
 * (graph_apply_map).
 *
 * Needs and keeps SSA; replaced nodes are left to DCE. */
#include "compiled/lower.h"

#include <math.h>
#include <string.h>

typedef struct Rewrite {
    Node *by;       /* use this one instead */
    const Call *be; /* be this call (of n's sizes and dtype) */
    Node *base;     /* VIEW, STORE: read this buffer instead */
} Rewrite;

enum { ANY = -1, MAX_ROUNDS = 4 };

/* ---- looking ---- */

static OpId op_of(const Node *n) { return n->op; }
static bool same_type(const Node *a, const Node *b) { return a->t.dtype == b->t.dtype && tensor_same_size(&a->t, &b->t); }
static bool is_float(const Node *n) { return dtype_is_float(n->t.dtype); }

static bool use(Rewrite *w, Node *by) {
    w->by = by;
    return true;
}

/* Is the tensor or Scalar operand p of the call the constant with these bits, once converted to n's dtype? */
static bool operand_value(const Node *n, int p, Scalar *value) {
    const Param *param = &n->call->op->param[p];
    const Arg *arg = &n->call->arg[p];
    if (arg->none) {
        return false;
    }
    if (param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT) {
        if (!node_splat((const Node *)arg->tensor, value)) {
            return false;
        }
    } else {
        *value = arg->scalar;
    }
    *value = lower_scalar(*value, n->t.dtype);
    return true;
}

static bool operand_is_one(const Node *n, int p) {
    Scalar v;
    return operand_value(n, p, &v) && (v.kind == CAT_FLOAT ? v.f == 1 : v.i == 1);
}

/* Operand p as a node, if it is a tensor. */
static Node *operand_node(const Node *n, int p) {
    const Param *param = &n->call->op->param[p];
    return param->type == ARG_TENSOR && !n->call->arg[p].none ? (Node *)n->call->arg[p].tensor : NULL;
}

/* other * alpha of add and sub, as the op computes it, if it is a constant. */
static bool added_constant(const Node *n, Scalar *value) {
    Scalar other, alpha;
    if (!operand_value(n, 1, &other) || !operand_value(n, 2, &alpha)) {
        return false;
    }
    *value = is_float(n) ? scalar_float(alpha.f * other.f) : scalar_int((int64_t)((uint64_t)alpha.i * (uint64_t)other.i));
    return true;
}

static bool is_zero(Scalar v, bool negative) {
    return v.kind == CAT_FLOAT ? v.f == 0 && (signbit(v.f) != 0) == negative : v.i == 0;
}

/* Does every value of `narrow` come back from `wide`? */
static bool widens(DType narrow, DType wide) {
    if (narrow == wide || narrow == DT_bool) {
        return true;
    }
    if (wide == DT_bool || (dtype_is_float(narrow) && !dtype_is_float(wide))) {
        return false;
    }
    if (dtype_is_float(narrow)) {
        return dtype_promote(narrow, wide) == wide;
    }
    if (dtype_is_float(wide)) {
        return dtype_bytes(narrow) < dtype_bytes(wide); /* int8 in a half, int16 in float32, int32 in float64 */
    }
    return dtype_min(wide) <= dtype_min(narrow) && dtype_max(narrow) <= dtype_max(wide);
}

/* n's call with another op and other operands, same remaining arguments. */
static bool be(Compile *c, Rewrite *w, const Node *n, OpId id, Node *a, Node *b) {
    Call *call = arena_copy(c->arena, n->call, (int64_t)sizeof *n->call);
    call->op = op_info(id);
    call->arg[0].tensor = &a->t;
    if (b) {
        call->arg[1].tensor = &b->t;
    }
    w->be = call;
    return true;
}

/* ---- the rules ---- */

#define RULE_FUNCTION(name) static bool rule_##name(Compile *c, Node *n, Rewrite *w)
#define UNUSED (void)c

RULE_FUNCTION(copy_of_same) {
    UNUSED;
    if (n->kind != NODE_OP || lower_class(n) != LOWER_COPY) {
        return false;
    }
    Node *x = n->in[n->nin - 1];
    return same_type(n, x) && use(w, x);
}

RULE_FUNCTION(cast_and_back) {
    UNUSED;
    Node *wide = n->in[0];
    return op_of(wide) == OP__to_copy && same_type(n, wide->in[0]) && widens(n->t.dtype, wide->t.dtype) && use(w, wide->in[0]);
}

RULE_FUNCTION(neg_neg) {
    UNUSED;
    return op_of(n->in[0]) == OP_neg && use(w, n->in[0]->in[0]);
}

RULE_FUNCTION(idempotent) {
    UNUSED;
    switch (op_of(n)) {
    case OP_abs:
    case OP_relu:
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_round:
    case OP_sign:
        return op_of(n->in[0]) == op_of(n) && use(w, n->in[0]);
    case OP_tril:
    case OP_triu:
        return op_of(n->in[0]) == op_of(n) && n->in[0]->call->arg[1].i == n->call->arg[1].i && use(w, n->in[0]);
    default:
        return false;
    }
}

RULE_FUNCTION(abs_neg) { return op_of(n->in[0]) == OP_neg && n->t.dtype != DT_uint8 && be(c, w, n, OP_abs, n->in[0]->in[0], NULL); }

RULE_FUNCTION(square_sign) {
    OpId inner = op_of(n->in[0]);
    return (inner == OP_neg || inner == OP_abs) && be(c, w, n, OP_square, n->in[0]->in[0], NULL);
}

RULE_FUNCTION(mul_one) {
    UNUSED;
    if (op_of(n) != OP_mul_Tensor && op_of(n) != OP_mul_Scalar) {
        return false;
    }
    for (int p = 0; p < 2; p++) {
        Node *x = operand_node(n, 1 - p);
        if (x && same_type(n, x) && operand_is_one(n, p)) {
            return use(w, x);
        }
    }
    return false;
}

RULE_FUNCTION(div_one) {
    UNUSED;
    bool plain = op_of(n) == OP_div_Tensor || op_of(n) == OP_div_Scalar;
    return plain && is_float(n) && same_type(n, n->in[0]) && operand_is_one(n, 1) && use(w, n->in[0]);
}

RULE_FUNCTION(add_nothing) {
    UNUSED;
    Scalar v;
    bool add = op_of(n) == OP_add_Tensor || op_of(n) == OP_add_Scalar;
    return add && same_type(n, n->in[0]) && added_constant(n, &v) && is_zero(v, true) && use(w, n->in[0]);
}

RULE_FUNCTION(sub_nothing) {
    UNUSED;
    Scalar v;
    bool sub = op_of(n) == OP_sub_Tensor || op_of(n) == OP_sub_Scalar;
    return sub && same_type(n, n->in[0]) && added_constant(n, &v) && is_zero(v, false) && use(w, n->in[0]);
}

RULE_FUNCTION(pow_one) {
    UNUSED;
    return same_type(n, n->in[0]) && operand_is_one(n, 1) && use(w, n->in[0]);
}

RULE_FUNCTION(where_same) {
    UNUSED;
    return n->in[1] == n->in[2] && same_type(n, n->in[1]) && use(w, n->in[1]);
}

RULE_FUNCTION(where_known) {
    UNUSED;
    Scalar condition;
    if (!node_splat(n->in[0], &condition)) {
        return false;
    }
    Node *chosen = n->in[condition.i != 0 ? 1 : 2];
    return same_type(n, chosen) && use(w, chosen);
}

RULE_FUNCTION(masked_fill_none) {
    UNUSED;
    Scalar mask;
    bool fill = op_of(n) == OP_masked_fill_Scalar || op_of(n) == OP_masked_fill_Tensor;
    return fill && same_type(n, n->in[0]) && node_splat(n->in[1], &mask) && mask.i == 0 && use(w, n->in[0]);
}

RULE_FUNCTION(extreme_same) {
    UNUSED;
    OpId id = op_of(n);
    bool extreme = id == OP_maximum || id == OP_minimum || id == OP_fmax || id == OP_fmin;
    return extreme && n->in[0] == n->in[1] && same_type(n, n->in[0]) && use(w, n->in[0]);
}

static bool negated_float(const Node *n, const Node *operand) {
    return op_of(operand) == OP_neg && operand->t.dtype == n->t.dtype && is_float(n);
}

RULE_FUNCTION(add_neg) {
    return negated_float(n, n->in[1]) && n->in[0]->t.dtype == n->t.dtype && be(c, w, n, OP_sub_Tensor, n->in[0], n->in[1]->in[0]);
}

RULE_FUNCTION(sub_neg) {
    return negated_float(n, n->in[1]) && n->in[0]->t.dtype == n->t.dtype && be(c, w, n, OP_add_Tensor, n->in[0], n->in[1]->in[0]);
}

RULE_FUNCTION(mul_neg_neg) {
    OpId id = op_of(n);
    if ((id != OP_mul_Tensor && id != OP_div_Tensor) || op_of(n->in[0]) != OP_neg || op_of(n->in[1]) != OP_neg) {
        return false;
    }
    bool one_dtype = n->in[0]->t.dtype == n->t.dtype && n->in[1]->t.dtype == n->t.dtype;
    return one_dtype && (id == OP_mul_Tensor || is_float(n)) && be(c, w, n, id, n->in[0]->in[0], n->in[1]->in[0]);
}

RULE_FUNCTION(not_not) {
    UNUSED;
    return op_of(n->in[0]) == OP_logical_not && n->in[0]->in[0]->t.dtype == DT_bool && use(w, n->in[0]->in[0]);
}

static unsigned flipped(const Node *n) {
    unsigned set = 0;
    for (int k = 0; k < n->call->arg[1].ints.n; k++) {
        int64_t dim = n->call->arg[1].ints.v[k];
        set |= 1u << (dim < 0 ? dim + n->t.ndim : dim);
    }
    return set;
}

RULE_FUNCTION(flip_flip) {
    UNUSED;
    return op_of(n->in[0]) == OP_flip && flipped(n) == flipped(n->in[0]) && use(w, n->in[0]->in[0]);
}

RULE_FUNCTION(store_forward) {
    UNUSED;
    if (n->kind != NODE_VIEW || n->in[0]->kind != NODE_STORE) {
        return false;
    }
    const Node *store = n->in[0];
    return tensor_same_layout(&n->t, &store->region) && same_type(n, store->in[1]) && use(w, store->in[1]);
}

static bool disjoint(const Tensor *a, const Tensor *b) {
    int64_t a_end, b_end;
    if (!tensor_extent(a, &a_end) || !tensor_extent(b, &b_end)) {
        return false;
    }
    return a_end <= b->offset || b_end <= a->offset;
}

RULE_FUNCTION(store_past) {
    UNUSED;
    if (n->kind != NODE_VIEW || n->in[0]->kind != NODE_STORE || !disjoint(&n->t, &n->in[0]->region)) {
        return false;
    }
    w->base = n->in[0]->in[0];
    return true;
}

RULE_FUNCTION(store_dead) {
    UNUSED;
    if (n->kind != NODE_STORE || n->in[0]->kind != NODE_STORE || !tensor_same_layout(&n->region, &n->in[0]->region)) {
        return false;
    }
    w->base = n->in[0]->in[0];
    return true;
}

RULE_FUNCTION(store_same) {
    UNUSED;
    if (n->kind != NODE_STORE) {
        return false;
    }
    const Node *value = n->in[1];
    return node_buffer((Node *)value) == n->in[0] && tensor_same_layout(&value->t, &n->region) && use(w, n->in[0]);
}

typedef struct Rule {
    const char *name;
    int root;
    bool (*match)(Compile *c, Node *n, Rewrite *w);
} Rule;

static const Rule rules[] = {
#define RULE(name, root, text, why) {#name, root, rule_##name},
#include "compiled/rules.def"
#undef RULE
};

/* ---- applying ---- */

static void apply(Graph *g, Node *n, const Rewrite *w) {
    if (w->by) {
        n->map = w->by;
    } else if (w->base) {
        n->in[0] = w->base;
    } else {
        Tensor *slot[MAX_SLOTS];
        n->call = w->be;
        n->op = w->be->op->id;
        n->nin = call_slots(w->be, slot);
        n->in = arena_alloc_raw(g->arena, (int64_t)sizeof *n->in * n->nin);
        for (int k = 0; k < n->nin; k++) {
            n->in[k] = (Node *)slot[k];
        }
    }
}

/* Operands that read values, by the maps made so far in this round. */
static void follow_maps(Node *n) {
    bool changed = false;
    for (int k = 0; k < n->nin; k++) {
        bool by_address = n->kind == NODE_VIEW || (n->kind == NODE_STORE && k == 0);
        while (n->in[k] && n->in[k]->map && !by_address) {
            n->in[k] = n->in[k]->map;
            changed = true;
        }
    }
    if (changed && n->kind == NODE_OP) {
        node_sync_call(n);
    }
}

static bool try_rules(Compile *c, Node *n) {
    OpId id = op_of(n);
    bool changed = false;
    for (int r = 0; r < COUNT_OF(rules) && !n->map; r++) {
        Rewrite w = {NULL, NULL, NULL};
        if (rules[r].root != ANY && rules[r].root != (int)id) {
            continue;
        }
        if (!rules[r].match(c, n, &w) || (w.by && n->mark & OUT_RETURN) || !gate(c, rules[r].name)) {
            continue;
        }
        apply(c->graph, n, &w);
        changed = true;
        id = op_of(n);
    }
    return changed;
}

bool pass_rules(Compile *c) {
    Graph *g = c->graph;
    bool any = false, *replaced = arena_array(c->arena, bool, g->next_id);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool changed = false;
        graph_mark_outputs(g);
        for (int i = 0; i < g->n; i++) {
            g->node[i]->map = NULL;
        }
        for (int i = 0; i < g->n; i++) {
            Node *n = g->node[i];
            if (n->kind == NODE_INPUT || n->kind == NODE_TANGENT || n->kind == NODE_WRITE) {
                continue;
            }
            follow_maps(n);
            if (n->kind != NODE_CHECK && !replaced[n->id] && try_rules(c, n)) {
                changed = true;
                replaced[n->id] = n->map != NULL;
            }
        }
        if (!changed) {
            break;
        }
        graph_apply_map(g);
        any = true;
    }
    for (int i = 0; i < g->n; i++) {
        g->node[i]->map = NULL;
    }
    return any;
}
