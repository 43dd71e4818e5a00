/* The engine of the algebraic rules (rules.def): each node is shown to the rules of its family, in order, to a fixed point.
 *
 * A rule only looks: it answers with a Rewrite, which is applied when the gate lets it through. Rewrites are of three forms: use
 * another node instead; be another call; read another buffer. A node that is a returned storage is not replaced: its buffer is the
 * caller's. Where a use reads by address and the replacement lies differently in memory, the old node stays for that use
 * (graph_apply_map), and is not shown to rules again. Nodes that a rule made are put before the node it was shown.
 *
 * Needs and keeps SSA; replaced nodes are left to DCE. */
#include "compiled/rules.h"
#include "compiled/symbol_facts.h"

#include <string.h>

enum { ANY = -1, MAX_ROUNDS = 4, MAX_TURNS = 4 /* rules applied to a node in a round */ };

typedef struct Rule {
    int root; /* an op, or ANY of the family */
    bool (*match)(Compile *c, Node *n, Rewrite *w);
} Rule;

static const Rule rules[] = {
#define FAMILY(name)
#define RULE(name, root, text, why) {root, rule_##name},
#include "compiled/rules.def"
#undef FAMILY
#undef RULE
};
enum { FIRST_RULE = STEP_COUNT - COUNT_OF(rules) };

/* ---- families ---- */

typedef struct Range {
    short begin, end; /* StepIds */
} Range;

static const Range none = {0, 0};
static const Range unary = {FIRST_UNARY, FIRST_ARITHMETIC}, arithmetic = {FIRST_ARITHMETIC, FIRST_LOGIC},
                   logic = {FIRST_LOGIC, FIRST_CHOICE}, choice = {FIRST_CHOICE, FIRST_ELEMENTWISE},
                   elementwise = {FIRST_ELEMENTWISE, FIRST_MOVE}, move = {FIRST_MOVE, FIRST_INDEX}, indexed = {FIRST_INDEX, FIRST_REDUCE},
                   reduce = {FIRST_REDUCE, FIRST_PRODUCT}, product = {FIRST_PRODUCT, FIRST_VIEW}, view = {FIRST_VIEW, FIRST_STORE},
                   store = {FIRST_STORE, STEP_COUNT};

static Range family_of_pointwise(const OpInfo *op) {
    switch (op->pw) {
    case PW_add:
    case PW_sub:
    case PW_rsub:
    case PW_mul:
    case PW_div:
    case PW_pow:
        return arithmetic;
    case PW_eq:
    case PW_ne:
    case PW_lt:
    case PW_le:
    case PW_gt:
    case PW_ge:
    case PW_logical_and:
    case PW_logical_or:
    case PW_logical_xor:
    case PW_bitwise_and:
    case PW_bitwise_or:
    case PW_bitwise_xor:
    case PW_bitwise_left_shift:
    case PW_bitwise_right_shift:
        return logic;
    case PW_where:
    case PW_masked_fill:
    case PW_maximum:
    case PW_minimum:
    case PW_fmax:
    case PW_fmin:
    case PW_clamp:
        return choice;
    default:
        return op->noperand == 1 ? unary : none;
    }
}

static Range family_of(const Node *n) {
    switch (n->kind) {
    case NODE_VIEW:
        return view;
    case NODE_STORE:
        return store;
    case NODE_OP:
        break;
    default:
        return none;
    }
    if (n->call->op->kind == KIND_POINTWISE) {
        return family_of_pointwise(n->call->op);
    }
    switch (lower_class(n)) {
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_CAT:
    case LOWER_OPAQUE:
        return move;
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
    case LOWER_VIEW_SCATTER:
    case LOWER_INDEX_PUT:
    case LOWER_SCATTER:
    case LOWER_INDEX_ADD:
    case LOWER_ADD_REGION:
        return indexed;
    case LOWER_REDUCE:
    case LOWER_SCAN:
        return reduce;
    case LOWER_MATMUL:
        return product;
    default:
        return none;
    }
}

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
        n->in = arena_alloc_raw(g->arena, (int64_t)sizeof *n->in * max_i64(n->nin, 1));
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

/* Nodes [from, g->n) to place `at`. Returns how many. */
static int move_new_nodes(Graph *g, int from, int at) {
    Node *made[8];
    int count = g->n - from;
    CHECK(count <= COUNT_OF(made));
    if (count > 0) {
        memcpy(made, g->node + from, sizeof *made * (size_t)count);
        memmove(g->node + at + count, g->node + at, sizeof *made * (size_t)(from - at));
        memcpy(g->node + at, made, sizeof *made * (size_t)count);
    }
    return count;
}

/* Shows the node at *at to the rules of a range until one is applied; *at moves with it. */
static bool try_range(Compile *c, Node *n, Range range, int *at) {
    Graph *g = c->graph;
    for (int r = range.begin; r < range.end && !n->map; r++) {
        const Rule *rule = &rules[r - FIRST_RULE];
        if (rule->root != ANY && rule->root != (int)n->op) {
            continue;
        }
        Rewrite w = {NULL, NULL, NULL};
        int before = g->n, next_id = g->next_id;
        if (!rule->match(c, n, &w) || (w.by && n->mark & OUT_RETURN) || !gate(c, (StepId)r)) {
            g->n = before;
            g->next_id = next_id;
            continue;
        }
        facts_rewrite(c, n, before);
        *at += move_new_nodes(g, before, *at);
        apply(g, n, &w);
        facts_rewrite(c, n, g->n);
        return true; /* it may be of another family now */
    }
    return false;
}

static bool try_rules(Compile *c, Node *n, int *at) {
    bool changed = false, here = true;
    for (int turn = 0; turn < MAX_TURNS && here && !n->map; turn++) {
        here = try_range(c, n, family_of(n), at);
        if (!here && n->kind == NODE_OP && n->call->op->kind == KIND_POINTWISE) {
            here = try_range(c, n, elementwise, at);
        }
        changed |= here;
    }
    return changed;
}

static void mark_uses(Graph *g) {
    graph_mark_outputs(g);
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        n->map = NULL;
        if (n->kind == NODE_VIEW || n->kind == NODE_STORE) {
            n->in[0]->mark |= n->kind == NODE_VIEW ? BY_VIEW : BY_STORE;
        }
    }
}

bool pass_rules(Compile *c) {
    Graph *g = c->graph;
    bool any = false;
    for (int i = 0; i < g->n; i++) {
        g->node[i]->replaced = false;
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        bool changed = false;
        mark_uses(g);
        for (int i = 0; i < g->n; i++) {
            Node *n = g->node[i];
            follow_maps(n);
            if (!n->replaced) {
                changed |= try_rules(c, n, &i);
                n->replaced = n->map != NULL;
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
