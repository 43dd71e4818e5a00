/* The engine of the algebraic rules (rules.def): tries the rules of a node's family on it, in
 * order, to a fixed point.
 *
 * A rule changes nothing: it returns a Rewrite, which is applied if the gate allows the step. A
 * rewrite uses another node instead, or replaces the call, or reads another buffer. A node that is
 * a returned storage is not replaced: its buffer is the caller's. Where a use reads by address and
 * the replacement has another layout, the old node stays for that use (graph_apply_map), and rules
 * are not tried on it again. Nodes that a rule made are inserted before the node that it
 * matched.
 *
 * Needs and keeps SSA; replaced nodes are left to DCE. */
#include "compiled/passes/passes.h"
#include "compiled/rules/rules.h"
#include "compiled/symbolic/observed.h"

#include <string.h>

enum { ANY = -1, MAX_ROUNDS = 4, MAX_TURNS = 4 /* rules applied to a node in a round */ };

/* ---- families ---- */

typedef enum Family {
    FAMILY_NONE,
#define FAMILY(name) FAMILY_##name,
#define RULE(name, root, text, why)
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE
} Family;

static Family family_of_pointwise(const OpInfo *op) {
    switch (op->pw) {
    case PW_pow:
        return FAMILY_ARITHMETIC;
    case PW_bitwise_and:
    case PW_bitwise_or:
    case PW_bitwise_xor:
    case PW_bitwise_left_shift:
    case PW_bitwise_right_shift:
        return FAMILY_LOGIC;
    default:
        return pw_is_arithmetic(op->pw) ? FAMILY_ARITHMETIC
               : pw_is_choice(op->pw)   ? FAMILY_CHOICE
               : pw_is_logic(op->pw)    ? FAMILY_LOGIC
               : op->noperand == 1      ? FAMILY_UNARY
                                        : FAMILY_NONE;
    }
}

static Family family_of(const Node *n) {
    switch (n->kind) {
    case NODE_VIEW:
        return FAMILY_VIEW;
    case NODE_STORE:
        return FAMILY_STORE;
    case NODE_OP:
        break;
    default:
        return FAMILY_NONE;
    }
    if (n->call->op->kind == KIND_POINTWISE) {
        return family_of_pointwise(n->call->op);
    }
    switch (lower_class(n)) {
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_CAT:
        return FAMILY_MOVE;
    case LOWER_OPAQUE: /* a random op may have no operand */
        return n->call->op->random ? FAMILY_NONE : FAMILY_MOVE;
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
    case LOWER_VIEW_SCATTER:
    case LOWER_INDEX_PUT:
    case LOWER_SCATTER:
    case LOWER_INDEX_ADD:
    case LOWER_ADD_SLICE:
        return FAMILY_INDEX;
    case LOWER_REDUCE:
    case LOWER_SCAN:
        return FAMILY_REDUCE;
    case LOWER_MATMUL:
        return FAMILY_PRODUCT;
    default:
        return FAMILY_NONE;
    }
}

/* ---- applying ---- */

static void rules_apply(Graph *g, Node *n, const Rewrite *w) {
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

/* Applies the maps made so far in this round to operands that read values. */
static void follow_maps(Node *n) {
    bool changed = false;
    for (int k = 0; k < n->nin; k++) {
        while (n->in[k] && n->in[k]->map && !node_reads_layout(n, k)) {
            n->in[k] = n->in[k]->map;
            changed = true;
        }
    }
    if (changed && n->kind == NODE_OP) {
        node_sync_call(n);
    }
}

/* Moves nodes [from, g->n) to index `at`. Returns their number. */
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

/* Applies the rewrite of a rule that matched, unless the caller owns the buffer or the gate
 * refuses. *at follows the node. */
static bool rules_accept(Compile *c, Node *n, StepId rule, Rewrite *w, int before, int *at) {
    if ((w->by && n->mark & OUT_RETURN) || !gate(c, rule)) {
        *w = (Rewrite){NULL, NULL, NULL};
        return false;
    }
    observed_rewrite(c, n, before);
    *at += move_new_nodes(c->graph, before, *at);
    rules_apply(c->graph, n, w);
    observed_rewrite(c, n, c->graph->n);
    return true; /* its family may have changed */
}

/* Tries the rules of a family on the node at *at, in order, until one is applied. The calls are
 * written out, so that a rule whose root is another op costs one comparison. Nodes that a rule made
 * are removed if its rewrite is not applied. */
static bool try_family(Compile *c, Node *n, Family family, int *at) {
    Graph *g = c->graph;
    Rewrite w = {NULL, NULL, NULL};
    int before = g->n, next_id = g->next_id;
    switch (family) {
    case FAMILY_NONE:
#define FAMILY(name)                                                                               \
    break;                                                                                         \
    case FAMILY_##name:
#define RULE(name, root, text, why)                                                                \
    if ((int)(root) == ANY || (root) == (int)n->op) {                                              \
        if (rule_##name(c, n, &w) && rules_accept(c, n, STEP_##name, &w, before, at)) {            \
            return true;                                                                           \
        }                                                                                          \
        g->n = before;                                                                             \
        g->next_id = next_id;                                                                      \
    }
#include "compiled/rules/rules.def"
#undef FAMILY
#undef RULE
        break;
    }
    return false;
}

static bool try_rules(Compile *c, Node *n, int *at) {
    bool changed = false, here = true;
    for (int turn = 0; turn < MAX_TURNS && here && !n->map; turn++) {
        here = try_family(c, n, family_of(n), at);
        if (!here && n->kind == NODE_OP && n->call->op->kind == KIND_POINTWISE) {
            here = try_family(c, n, FAMILY_ELEMENTWISE, at);
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
            if (changed) {
                follow_maps(n);
            }
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
