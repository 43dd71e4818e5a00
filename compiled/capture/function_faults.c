/* Seeded faults in functions of the program's own and in hooks (faults.def, stages capture and
 * guard). */
#include "compiled/capture/capture.h"

/* Seeded fault GR_19: the operands of a function are known by tensor, so that of one that is passed
 * twice only the first gradient counts. */
void capture_fault_counts_once(const Capture *cap, const GradNode *node, Tensor **out) {
    for (int i = 1; i < node->nslot; i++) {
        for (int k = 0; k < i && out[i] && node->next_edges[i].node; k++) {
            if (node->operand[k] == node->operand[i] && fault_triggered(cap->c, FAULT_GR_19)) {
                out[i] = NULL;
            }
        }
    }
}

/* Seeded fault GR_20: what a function returns for a dirty operand is a tensor of its own; the
 * operand keeps the history that it had. */
Var *capture_fault_returns_apart(Capture *cap, Var *v, Edge before) {
    Var *apart = capture_without_history(cap, v);
    apart->grad_fn = v->grad_fn;
    v->grad_fn = before;
    return apart;
}

/* Seeded fault GU_15: does the reused code run hooks of an argument? */
bool capture_fault_has_hooks(const Capture *cap) {
    for (int i = 0; i < cap->in.n; i++) {
        if (capture_hooks_registered(&cap->entry[i])) {
            return true;
        }
    }
    return false;
}
