/* The roots of joint: returns with the tangents of the harness, the outputs of a backward statement
 * of the caller with the tensors that it gives, or the edges of this tape that the backward of a
 * later region has reached. */
#include "compiled/passes/joint_roots.h"
#include "compiled/passes/joint_faults.h"
#include "tensor/array.h"

static int find_return_roots(Compile *c, Error *err, JointRoot *root) {
    Capture *cap = c->capture;
    const Graph *g = c->graph;
    const Backward *backward = &cap->program->backward;
    int n = 0;
    for (int k = 0; k < g->nret; k++) {
        Var *v = cap->ret[k];
        if (!dtype_is_float(v->tensor.dtype) || !cap_requires_grad(v)) {
            continue;
        }
        Edge edge;
        if (cap_gradient_edge(cap, v, &edge) != ERR_none) {
            continue; /* its grad_fn was materialized when it was returned */
        }
        if (backward_includes(backward, k)) {
            root[n++] = (JointRoot){edge, k, &g->ret[k].layout,
                                    edge.node && joint_fault_detached_slot(c, k)};
            if (!edge.node) {
                error_set(err, ERR_invalid,
                          "element %d of tensors does not require grad and does not have a grad_fn",
                          k);
            }
        } else if (fault(c, FAULT_GR_10) && edge.node && fault_triggered(c, FAULT_GR_10)) {
            root[n++] = (JointRoot){edge, k, &g->ret[k].layout, true};
        }
    }
    return n;
}

static int find_statement_roots(const Capture *cap, JointRoot *root) {
    for (int i = 0; i < cap->nroots; i++) {
        root[i] = (JointRoot){cap->root[i], i, cap->tangent[i], false};
    }
    return cap->nroots;
}

static int find_resumed_roots(Capture *cap, Error *err, JointRoot *root) {
    const ResumedBackward *resumed = cap->in.resumed;
    int n = 0;
    for (int i = 0; i < resumed->nroot; i++) {
        Edge edge = backward_resumed_edge(cap, &resumed->root[i]);
        bool there = edge.node && edge.nr < max_i64(edge.node->nout, 1) && cap_edge_meta(edge);
        if (!there) {
            (void)backward_refuse_root(cap, err);
        }
        root[n++] = (JointRoot){edge, i, resumed->root[i].grad, false};
    }
    return n;
}

int joint_most_roots(const Compile *c) {
    const Capture *cap = c->capture;
    return cap->in.resumed    ? cap->in.resumed->nroot
           : cap->in.gradient ? cap->nroots
                              : c->graph->nret;
}

int joint_find_roots(Compile *c, Error *err, JointRoot *root) {
    const CaptureInput *in = &c->capture->in;
    return in->resumed    ? find_resumed_roots(c->capture, err, root)
           : in->gradient ? find_statement_roots(c->capture, root)
                          : find_return_roots(c, err, root);
}

/* The root whose tangent, or a view of it, the gradient is; or NULL. */
static ResumedRoot *passed_root(const ResumedBackward *resumed, const Node *grad) {
    const Node *buffer = node_buffer((Node *)grad);
    return resumed && buffer->kind == NODE_TANGENT ? &resumed->root[buffer->number] : NULL;
}

Passed joint_passed(const Capture *cap, const Node *grad) {
    const ResumedBackward *resumed = cap->in.resumed;
    for (int i = 0; i < cap->nroots && !resumed; i++) {
        if (cap->tangent_passed[i] && cap->tangent[i] == &grad->t) {
            return PASSED_ITSELF;
        }
    }
    const ResumedRoot *root = grad ? passed_root(resumed, grad) : NULL;
    return !root                                                      ? PASSED_NOT
           : root->passed == PASSED_ITSELF && grad->kind == NODE_VIEW ? PASSED_VIEW
                                                                      : root->passed;
}

/* Is the gradient in the memory of one that came in to the node? */
static bool is_passed_on(const GradNode *node, const Node *grad) {
    for (int i = 0; i < node->nout; i++) {
        if (node->grad[i] && node_buffer((Node *)node->grad[i]) == node_buffer((Node *)grad)) {
            return true;
        }
    }
    return false;
}

void joint_note_view(Capture *cap, const GradNode *node, const Node *grad) {
    const Call *call = node->call ? node->call : node->node ? node->node->call : NULL;
    OpId id = call ? call->op->id : OP_NONE; /* those whose rules pass on the very tensor */
    bool itself = id == OP_add_Tensor || id == OP_add_Scalar || id == OP_sub_Tensor ||
                  id == OP_sub_Scalar || id == OP_clone;
    if (!grad || itself || !is_passed_on(node, grad)) {
        return;
    }
    ResumedRoot *root = passed_root(cap->in.resumed, grad);
    if (root && root->passed == PASSED_ITSELF) {
        root->passed = PASSED_VIEW;
    }
    cap->viewed = array_reserve(cap->arena, cap->viewed, cap->nviewed, &cap->viewed_capacity, 8,
                                sizeof *cap->viewed);
    cap->viewed[cap->nviewed++] = node_buffer((Node *)grad);
}

bool joint_hides_view(const Capture *cap, const GradNode *node, const Node *out) {
    const Call *call = node->call ? node->call : node->node ? node->node->call : NULL;
    const ResumedRoot *root =
        node->grad[0] ? passed_root(cap->in.resumed, (const Node *)node->grad[0]) : NULL;
    if (backward_hides_pass(cap, node)) {
        return true;
    }
    if (call && call->op->id == OP_as_strided_scatter && root && root->passed != PASSED_NOT) {
        return true; /* eager PyTorch passes on a view, if the gradient is contiguous there */
    }
    bool moves = call && (call->op->kind == KIND_VIEW || call->op->kind == KIND_MULTI_VIEW ||
                          call->op->propagation == PROPAGATION_MOVE); /* view_copy, too */
    if (moves && out && root && root->passed != PASSED_NOT && !is_passed_on(node, out) &&
        tensor_numel(&out->t) == tensor_numel(node->grad[0])) {
        return true; /* a copy here, where tangents are contiguous */
    }
    return call && (call->op->id == OP_prod_dim || call->op->id == OP_prod) && root &&
           root->passed != PASSED_NOT &&
           tensor_numel(call->arg[0].tensor) == tensor_numel(node->grad[0]);
}

bool joint_grads_share(const Capture *cap, const Graph *g) {
    for (int k = 0; k < cap->nviewed; k++) {
        int n = 0;
        for (int i = 0; i < g->ninp; i++) {
            n += g->inp[i].grad && node_buffer(g->inp[i].grad) == cap->viewed[k];
        }
        if (n > 1) {
            return true;
        }
    }
    return false;
}
