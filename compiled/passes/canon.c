/* Canonical forms: operands of commutative ops in the order of their creation, constants last, and
 * a > b as b < a.
 *
 * IEEE addition and multiplication, the comparisons and the bitwise and logical ops give the same
 * bits for swapped operands (any NaN stands for any other); maximum and similar ops do not (0.0 and
 * -0.0). The node keeps its layout. CSE then merges b + a with a + b. Needs and keeps SSA. */
#include "compiled/loops/lower.h"
#include "compiled/passes/passes.h"

static bool commutes(const Node *n) {
    switch (n->op) {
    case OP_add_Tensor:
        return n->call->arg[2].none ||
               (n->call->arg[2].scalar.kind == CAT_FLOAT ? n->call->arg[2].scalar.f == 1
                                                         : n->call->arg[2].scalar.i == 1);
    case OP_mul_Tensor:
    case OP_eq_Tensor:
    case OP_ne_Tensor:
    case OP_logical_and:
    case OP_logical_or:
    case OP_logical_xor:
    case OP_bitwise_and_Tensor:
    case OP_bitwise_or_Tensor:
    case OP_bitwise_xor_Tensor:
        return true;
    default:
        return false;
    }
}

/* The op with the same result for swapped operands; OP_NONE if the form is canonical already. */
static OpId mirrored(OpId id) {
    return id == OP_gt_Tensor ? OP_lt_Tensor : id == OP_ge_Tensor ? OP_le_Tensor : OP_NONE;
}

static void canon_swap(Node *n, OpId id) {
    Node *first = n->in[0];
    n->in[0] = n->in[1];
    n->in[1] = first;
    ((Call *)n->call)->op = op_info(id); /* the node's own copy (graph_op) */
    n->op = id;
    node_sync_call(n);
}

static bool out_of_order(const Node *a, const Node *b) {
    Scalar v;
    bool a_constant = node_splat(a, &v), b_constant = node_splat(b, &v);
    return a_constant != b_constant ? a_constant : a->id > b->id;
}

bool pass_canon(Compile *c) {
    Graph *g = c->graph;
    bool changed = false;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        if (n->kind != NODE_OP || n->nin != 2 || !n->in[0] || !n->in[1]) {
            continue;
        }
        if (commutes(n) && out_of_order(n->in[0], n->in[1]) && gate(c, STEP_order_operands)) {
            canon_swap(n, n->op);
            changed = true;
        } else if (mirrored(n->op) != OP_NONE && gate(c, STEP_turn_compare)) {
            canon_swap(n, mirrored(n->op));
            changed = true;
        }
    }
    return changed;
}
