/* Dead code: nodes that neither the epilogue nor a CHECK needs, directly or through others, leave
 * the list.
 *
 * One walk backwards: a node that nobody has marked by then is dead. Inputs stay (the epilogue
 * knows them by number). A refused step keeps its node, and with it what the node reads. Keeps SSA
 * and the order. */
#include "compiled/ir/graph.h"
#include "compiled/passes/passes.h"

/* Seeded fault NU_31: a random op takes its number from the live ones before it. Returns how many
 * were dead. */
static int64_t close_up_draws(const Compile *c, Node *n, int64_t dead) {
    bool random = n->kind == NODE_OP && n->call->op->random;
    if (random && n->mark >= 0 && dead > 0 && fault_triggered(c, FAULT_NU_31)) {
        ((Call *)n->call)->number -= dead;
    }
    return dead + (random && n->mark < 0 && fault(c, FAULT_NU_31));
}

bool pass_dce(Compile *c) {
    Graph *g = c->graph;
    graph_mark_outputs(g);
    int removed = 0;
    for (int i = g->n - 1; i >= 0; i--) {
        Node *n = g->node[i];
        bool needed =
            n->mark != 0 || n->kind == NODE_CHECK || n->kind == NODE_INPUT || n->kind == NODE_WRITE;
        if (!needed && gate(c, STEP_dead)) {
            n->mark = -1;
            removed++;
            continue;
        }
        n->mark = 1;
        for (int k = 0; k < n->nin; k++) {
            if (n->in[k]) {
                n->in[k]->mark = 1;
            }
        }
    }
    int kept = 0;
    int64_t dead_draws = 0;
    for (int i = 0; i < g->n; i++) {
        Node *n = g->node[i];
        dead_draws = close_up_draws(c, n, dead_draws);
        if (n->mark >= 0) {
            g->node[kept++] = n;
        }
    }
    g->n = kept;
    return removed > 0;
}
