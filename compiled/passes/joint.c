/* joint: the backward, walked over the static tape (capture/backward.c) and recorded into the graph
 * of the forward.
 *
 * Before a node runs it checks the versions of what it saved. The backward follows the last
 * statement, so these are the versions at the end of the capture. Derivative rules emit into the
 * graph through an Emit whose values are nodes.
 *
 * Programs with functions of their own or hooks are not for this pass: their backward is walked
 * while the region is captured (capture/final_backward.c).
 *
 * A gradient for the grad_fn of an argument that is not a leaf leaves the graph there (an external
 * node). When the backward of a later region reaches this region (a call on tensors that a setup
 * made, a further call on the same tensors), the region is captured again and the walk starts from
 * the edges that were reached (ResumedBackward). */
#include "compiled/capture/capture.h"
#include "compiled/passes/joint_faults.h"
#include "compiled/passes/joint_roots.h"
#include "compiled/passes/joint_scatter.h"
#include "compiled/passes/passes.h"
#include "compiled/symbolic/observed.h"
#include "compiled/views/views.h"

#include <string.h>

typedef struct Joint {
    Emit emit;             /* first: Emit * is Joint * */
    BackwardEngine engine; /* its e is emit */
    Compile *c;
    Graph *g;
    Error err;
} Joint;

static Joint *joint_of(BackwardEngine *x) { return (Joint *)x->emit; }

/* ---- the Emit that records ---- */

static ErrCode joint_within_limits(Joint *j, const Tensor *t) {
    int64_t numel;
    if (!sizes_numel(t->size, t->ndim, &numel) || numel > j->c->limits.max_elements) {
        return error_set(&j->err, ERR_limit, "a gradient passes the limit of %lld elements",
                         (long long)j->c->limits.max_elements);
    }
    return ERR_none;
}

static ErrCode joint_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    Joint *j = (Joint *)e;
    const OpInfo *op = call->op;
    if (op->id == OP_masked_fill_Scalar && fault(j->c, FAULT_GR_7) &&
        joint_fault_clamps_divisor(j->c, call)) {
        out[0] = call->arg[0].tensor;
        *nout = 1;
        return ERR_none;
    }
    if (op->id == OP__as_strided_grad && fault(j->c, FAULT_GR_13)) {
        call = joint_fault_dense_base(j->c, call);
    }
    observed_call(j->c, call);
    switch (op->kind) {
    case KIND_FACTORY:
    case KIND_POINTWISE:
    case KIND_FUNC:
    case KIND_VIEW:
    case KIND_MULTI_VIEW:
        break;
    case KIND_STORAGE: /* not captured */
    case KIND_META:
        if (op->id == OP_detach) {
            out[0] = call->arg[0].tensor;
            *nout = 1;
            return ERR_none;
        }
        return error_set(e->err, ERR_internal, "a derivative rule uses %s", op->name);
    case KIND_INPLACE:
    case KIND_INPLACE_VIEW:
    case KIND_COMPOSITE:
        return error_set(e->err, ERR_internal, "a derivative rule uses %s", op->name);
    }
    TRY(capture_check_layout(j->c->capture, call, e->err));
    Infer r = {.arena = e->arena, .err = e->err};
    bool view = op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW;
    TRY(view ? view_infer(j->c, call, &r) : op->infer(call, &r));
    if (joint_scatters_into_overlap(call)) {
        *nout = 1;
        return joint_scatter_into_overlap(e, j->g, call, &out[0]);
    }
    for (int i = 0; i < r.n; i++) {
        if (view) {
            out[i] = &graph_view(j->g, (Node *)call->arg[0].tensor, &r.out[i], AT_BACKWARD)->t;
            continue;
        }
        TRY(joint_within_limits(j, &r.out[i]));
        out[i] = &graph_op(j->g, call, &r.out[i], AT_BACKWARD)->t;
    }
    *nout = r.n;
    return ERR_none;
}

static ErrCode joint_count(Emit *e, const Tensor *mask, int64_t *count) {
    (void)mask;
    *count = 0;
    return error_set(e->err, ERR_internal,
                     "a derivative rule asks for a size that depends on data");
}

static ErrCode joint_item(Emit *e, const Tensor *t, int64_t *value) {
    (void)t;
    *value = 0;
    return error_set(e->err, ERR_internal, "a derivative rule asks for a value");
}

/* ---- nodes ---- */

static void joint_deliver(Joint *j, Edge edge, Tensor *grad) {
    backward_deliver(&j->engine, edge, grad, false);
}

/* Gradients of the operands of an OP or ZERO node: out[slot], NULL where none is needed or defined.
 */
static ErrCode joint_differentiate(Joint *j, const GradNode *node, Tensor *const *grad,
                                   Tensor **out) {
    bool need[MAX_SLOTS], any = false;
    TRY(backward_check_saved(j->c->capture, node, &j->err));
    if (backward_reads_uncounted(node)) { /* what joint reads is the value as it was saved */
        return error_set(&j->err, ERR_unsupported, UNCOUNTED);
    }
    for (int i = 0; i < node->nslot; i++) {
        out[i] = NULL;
        need[i] = node->next_edges[i].node != NULL;
    }
    for (int i = 0; i < node->nout; i++) {
        any |= grad[i] != NULL;
    }
    const Call *call = node->kind != GRAD_NODE_OP || node->call ? node->call : node->node->call;
    if (!any && !(node->kind == GRAD_NODE_OP && op_refuses_backward(call->op))) {
        return ERR_none;
    }
    if (node->kind == GRAD_NODE_ZERO) {
        for (int i = 0; i < node->nslot; i++) {
            out[i] = need[i] ? emit_zeros_like(&j->emit, node->operand[i]) : NULL;
        }
        return j->err.code;
    }
    Grad g = {&j->emit, call, node->result, node->nout, grad, need, out, node->nslot};
    call->op->grad(&g);
    return j->err.code;
}

/* The gradient, reduced and cast to the size and dtype that the edge requires. */
static Tensor *joint_finish(Joint *j, Tensor *grad, Edge edge) {
    return edge.node ? grad_finish(&j->emit, grad, cap_edge_meta(edge)) : NULL;
}

static void joint_run_function(Joint *j, const GradNode *node) {
    Tensor *out[MAX_SLOTS];
    if (joint_differentiate(j, node, node->grad, out) != ERR_none) {
        return;
    }
    if (joint_hides_view(j->c->capture, node, (Node *)out[0])) {
        error_set(&j->err, ERR_unsupported, "a view of the caller's tensor, by values");
        return;
    }
    for (int i = 0; i < node->nslot; i++) {
        joint_note_view(j->c->capture, node, (Node *)out[i]);
        if (node->next_edges[i].node) {
            joint_deliver(j, node->next_edges[i], joint_finish(j, out[i], node->next_edges[i]));
        }
    }
}

/* Is `node` a buffer with this layout from offset 0? */
static bool joint_has_layout(const Node *node, const Tensor *layout) {
    if (node->kind == NODE_VIEW || node->t.offset != 0 || !tensor_same_size(&node->t, layout)) {
        return false;
    }
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->size[d] != 1 && node->t.stride[d] != layout->stride[d]) {
            return false;
        }
    }
    return true;
}

/* The gradient laid out in memory as the base is. */
static Node *joint_lay_out(Joint *j, Tensor *grad, const Tensor *layout) {
    if (joint_has_layout((Node *)grad, layout)) {
        return (Node *)grad;
    }
    if (tensor_is_contiguous(layout)) {
        return (Node *)emit_unary(&j->emit, OP__contiguous_copy, grad);
    }
    int64_t extent = 0;
    CHECK(tensor_extent(layout, &extent));
    Tensor *flat = emit_full(&j->emit, &extent, 1, scalar_float(0), layout->dtype);
    return flat ? graph_store(j->g, (Node *)flat, (Node *)grad, layout, AT_BACKWARD) : NULL;
}

/* CopySlices: the base's gradient, in which the op's own gradient replaces the view's slice. */
static void joint_run_copy_slices(Joint *j, const GradNode *node) {
    Tensor *grad = node->grad[0], *out[MAX_SLOTS];
    memset(out, 0, sizeof *out * (size_t)node->nslot);
    Tensor *to_base = NULL;
    if (grad && node->freed) {
        error_set(&j->err, ERR_graph_freed, "trying to backward through the graph a second time");
        return;
    }
    if (grad) {
        Tensor base = *node->base, view = *node->view;
        base.storage = view.storage = NULL;
        view.offset -= base.offset;
        base.offset = 0;
        int64_t have = 0, need = 0;
        CHECK(tensor_extent(&base, &have));
        if (tensor_internal_overlap(&base) == OVERLAP_YES) {
            error_set(&j->err, ERR_overlap,
                      "more than one element of the written-to tensor refers to a single memory "
                      "location");
            return;
        }
        if (view.offset < 0 || !tensor_extent(&view, &need) || need > have) {
            error_set(&j->err, ERR_invalid, "the written view lies outside its base's geometry");
            return;
        }
        Node *buffer = joint_lay_out(j, grad, &base);
        if (!buffer) {
            return;
        }
        Tensor *slice = &graph_view(j->g, buffer, &view, AT_BACKWARD)->t;
        if (joint_differentiate(j, node->fn, &slice, out) != ERR_none) {
            return;
        }
        if (node->next_edges[0].node && out[0]) {
            if (tensor_internal_overlap(&view) == OVERLAP_YES) {
                error_set(&j->err, ERR_overlap,
                          "more than one element of the written-to tensor refers to a single "
                          "memory location");
                return;
            }
            Tensor *inside = grad_finish(&j->emit, out[0], &view);
            if (!inside) {
                return;
            }
            Node *replaced = tensor_numel(&view) > 0
                                 ? graph_store(j->g, buffer, (Node *)inside, &view, AT_BACKWARD)
                                 : buffer;
            to_base = &graph_view(j->g, replaced, &base, AT_BACKWARD)->t;
        }
    }
    joint_deliver(j, node->next_edges[0], joint_finish(j, to_base, node->next_edges[0]));
    for (int i = 1; i < node->nslot; i++) {
        if (node->next_edges[i].node) {
            joint_deliver(j, node->next_edges[i], joint_finish(j, out[i], node->next_edges[i]));
        }
    }
}

/* The gradient, and what is in .grad already. */
static void joint_accumulate(Joint *j, Var *v, Tensor *grad) {
    if (v->program_grad && v->grad_written != ERR_none) {
        error_set(&j->err, v->grad_written, "the .grad of a leaf is no memory of its own");
        return;
    }
    Tensor *before = v->grad ? &v->grad->t : v->program_grad ? &v->program_grad->node->t : NULL;
    v->grad = (Node *)(before ? emit_add(&j->emit, before, grad) : grad);
}

/* Does the backward continue in a region before this one? */
static bool joint_has_earlier_region(const Joint *j) {
    const Capture *cap = j->c->capture;
    if (cap->in.resumed && cap->in.resumed->earlier_roots) {
        return true;
    }
    for (int i = 0; i < cap->in.n; i++) {
        if (cap->external[i] && cap->external[i]->visit == j->engine.visit) {
            return true;
        }
    }
    return false;
}

/* AccumulateGrad refuses a leaf that has a grad_fn by now. If an earlier region leads to the leaf
 * as well, the refusal has to wait for that region: until then its gradient is accumulated like any
 * other (runtime/history_errors.c). */
static void joint_run_moved_leaf(Joint *j, Var *leaf, Tensor *grad) {
    Capture *cap = j->c->capture;
    if (leaf->entry < 0 || !joint_has_earlier_region(j)) {
        error_set(&j->err, ERR_invalid, LEAF_MOVED);
        return;
    }
    if (!cap->moved_leaves) {
        cap->moved_leaves = arena_array(cap->arena, int, cap->in.n);
    }
    cap->moved_leaves[cap->nmoved_leaves++] = leaf->entry;
    if (grad) {
        joint_accumulate(j, leaf, grad);
    }
}

static void joint_run_accumulate_grad(Joint *j, const GradNode *node) {
    Var *leaf = node->leaf;
    Tensor *grad = node->grad[0];
    if ((!grad && !since(moved_leaf_first)) ||
        backward_grad_fn(j->c->capture, leaf, &j->err) != ERR_none) {
        return;
    }
    if (leaf->grad_fn.node) {
        joint_run_moved_leaf(j, leaf, grad);
        return;
    }
    if (!grad) {
        return;
    }
    if (leaf->retains_grad && !since(retain_detached)) { /* before detach_ made it a leaf */
        joint_accumulate(j, leaf, grad);
    }
    bool shares = joint_passed(j->c->capture, (Node *)grad) == PASSED_VIEW;
    if (shares && cap_requires_grad(leaf)) { /* it would be .grad itself (capture/accumulate.c) */
        error_set(&j->err, ERR_unsupported, "a .grad that shares memory with the caller's tensor");
    } else if (cap_requires_grad(leaf)) {
        joint_accumulate(j, leaf, grad);
    }
}

/* The region before receives the gradient, also if it is undefined. One that has no derivative
 * raises now, before what this region has still to run may raise. */
static void joint_run_external(Joint *j, const GradNode *node) {
    const Capture *cap = j->c->capture;
    int i;
    if (backward_external(cap, node, &i, &j->err) != ERR_none) {
        return;
    }
    InputPlan *plan = &j->g->inp[cap->nlive + i];
    plan->grad = (Node *)node->grad[0];
    plan->grad_state = plan->grad ? GRAD_VALUE : GRAD_NULL;
    plan->passed = plan->grad ? joint_passed(cap, plan->grad) : PASSED_NOT;
}

static void joint_run_node(BackwardEngine *x, GradNode *node) {
    Joint *j = joint_of(x);
    const GradNode *half = cap_silent_half(node);
    bool undefined = half && half->retains_grad;
    for (const RetainGrad *hook = node->retains_grad; hook; hook = hook->next) {
        undefined |= !node->grad[hook->nr];
        if (node->grad[hook->nr]) {
            joint_accumulate(j, hook->var, node->grad[hook->nr]);
        }
    }
    if (undefined && !since(retain_of_nothing)) { /* PyTorch clones it before it checks */
        error_set(&j->err, ERR_invalid, "Expected a proper Tensor but got None");
        return;
    }
    switch (node->kind) {
    case GRAD_NODE_ACCUMULATE_GRAD:
        joint_run_accumulate_grad(j, node);
        break;
    case GRAD_NODE_EXTERNAL:
        joint_run_external(j, node);
        break;
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
        joint_run_function(j, node);
        break;
    case GRAD_NODE_FUNCTION: /* in programs that joint leaves alone */
    case GRAD_NODE_CHECKPOINT:
    case GRAD_NODE_ERROR:
        error_set(&j->err, ERR_internal, "a function in the joint pass");
        break;
    case GRAD_NODE_COPY_SLICES:
        joint_run_copy_slices(j, node);
        break;
    case GRAD_NODE_AS_STRIDED: {
        Tensor *grad = node->grad[0]
                           ? emit_as_strided_grad(&j->emit, node->grad[0], node->base, node->view)
                           : NULL;
        joint_deliver(j, node->next_edges[0], joint_finish(j, grad, node->next_edges[0]));
        break;
    }
    }
    if (j->err.code == ERR_none && !node->freed) { /* a node that raises is not released */
        cap_free_node(node);
        node->moved_before = j->c->capture->nmoved_leaves;
    }
}

/* ---- the pass ---- */

static void joint_run_engine(Joint *j, const JointRoot *root, int nroots) {
    Edge *edge = arena_array(j->emit.arena, Edge, nroots);
    Tensor **tangent = arena_array(j->emit.arena, Tensor *, nroots);
    const Capture *cap = j->c->capture;
    Tensor *const *given = cap->in.resumed ? NULL : cap->tangent;
    for (int i = 0; i < nroots; i++) {
        const Tensor *like = root[i].like;
        edge[i] = root[i].edge;
        tangent[i] = !like   ? NULL
                     : given ? given[i]
                     : root[i].zeros
                         ? emit_zeros_like(&j->emit, like)
                         : joint_fault_coerce_tangent(j->c, like,
                                                      &graph_tangent(j->g, root[i].index, like)->t);
        if (cap->in.resumed && backward_check_resumed(edge[i], like, &j->err) != ERR_none) {
            return;
        }
        tangent[i] = joint_finish(j, tangent[i], edge[i]);
    }
    backward_run(&j->engine, edge, tangent, nroots);
    backward_settle_error(cap, j->engine.visit, &j->err);
}

/* Is what is added to .grad what eager PyTorch adds? A .grad that statements have left is added to
 * once, after all regions; two in one memory are added to twice. */
static bool joint_adds_as_eager(const Joint *j) {
    const Capture *cap = j->c->capture;
    bool left = false;
    for (int i = 0; i < cap->nlive; i++) {
        left |= cap->live[i]->program_grad != NULL;
    }
    return !(left && !cap->in.resumed && joint_has_earlier_region(j)) &&
           !joint_grads_share(cap, j->g);
}

bool pass_joint(Compile *c) {
    Capture *cap = c->capture;
    Graph *g = c->graph;
    if (!cap || cap->walks_inside) { /* capture/final_backward.c has walked the tape */
        return false;
    }
    const ResumedBackward *resumed = cap->in.resumed;
    bool statement = !resumed && cap->in.gradient;
    if (!resumed && !statement &&
        (cap->end != END_OK || cap->in.setup || !cap->program->backward.given || g->nret == 0)) {
        return false;
    }
    Joint j = {.c = c, .g = g};
    j.emit = (Emit){.arena = c->arena,
                    .err = &j.err,
                    .apply = joint_apply,
                    .count_nonzero = joint_count,
                    .item_int = joint_item};
    j.engine = (BackwardEngine){.emit = &j.emit, .visit = ++cap->visits, .run = joint_run_node};
    JointRoot *root = arena_array(c->arena, JointRoot, joint_most_roots(c));
    int nroots = joint_find_roots(c, &j.err, root);
    if (nroots == 0) {
        return false;
    }
    g->backward_runs = true;
    if (j.err.code == ERR_none) {
        joint_run_engine(&j, root, nroots);
    }
    if (j.err.code != ERR_none) {
        for (int i = cap->nlive; i < g->ninp; i++) {
            g->inp[i].grad = NULL;
            g->inp[i].grad_state = GRAD_ABSENT;
        }
        g->backward_error = j.err.code;
        g->backward_message = arena_strdup(c->arena, j.err.text);
        return true;
    }
    for (int i = 0; i < cap->nlive; i++) {
        if (cap->live[i]->grad) {
            g->inp[i].grad = cap->live[i]->grad;
            g->inp[i].grad_state = GRAD_VALUE;
        }
    }
    if (cap->sees_grads && !joint_adds_as_eager(&j)) {
        g->backward_error = ERR_unsupported;
        g->backward_message = "a .grad that earlier regions add to, or in memory of another";
        return true;
    }
    for (int k = 0; k < g->nret;
         k++) { /* the gradient of a returned leaf, or of one that retains it, is an output too */
        const Var *v = cap->ret[k];
        if (v->grad && (g->ret[k].is_leaf ? v->requires_grad : v->retains_grad)) {
            g->ret[k].grad = v->grad;
        }
    }
    return true;
}
