/* joint: the backward, walked over the static tape (backward.c) and recorded into the graph of the
 * forward.
 *
 * A node that runs first looks at the versions of what it saved: the backward follows the last
 * statement, so the versions are those at the end of the capture. Derivative rules emit into the
 * graph through an Emit whose values are nodes.
 *
 * What flows to the history of an argument that is no leaf leaves the graph there. When a later
 * backward (of the function that a setup made the arguments of, or of a further call on the same
 * tensors) comes to this region, the region is captured again and the walk begins at the edges that
 * were reached (Later). */
#include "compiled/capture/capture.h"
#include "compiled/passes/passes.h"
#include "compiled/symbolic/observed.h"

#include <string.h>

typedef struct Joint {
    Emit emit;             /* first: Emit * is Joint * */
    BackwardEngine engine; /* its e is emit */
    Compile *c;
    Graph *g;
    Error err;
} Joint;

static Joint *joint_of(BackwardEngine *x) { return (Joint *)x->e; }

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
    facts_call(j->c, call);
    switch (op->kind) {
    case KIND_FACTORY:
    case KIND_POINTWISE:
    case KIND_FUNC:
    case KIND_VIEW:
    case KIND_MULTI_VIEW:
        break;
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
    Infer r = {.arena = e->arena, .err = e->err};
    TRY(op->infer(call, &r));
    bool view = op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW;
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

static void deliver(Joint *j, Edge edge, Tensor *grad) { tape_deliver(&j->engine, edge, grad); }

/* Gradients of the operands of an OP or ZERO node: out[slot], NULL where nobody asks or none is
 * defined. */
static ErrCode joint_differentiate(Joint *j, const GradNode *node, Tensor *const *grad,
                                   Tensor **out) {
    bool need[MAX_SLOTS], any = false;
    TRY(tape_check(j->c->capture, node, &j->err));
    for (int i = 0; i < node->nslot; i++) {
        out[i] = NULL;
        need[i] = node->next[i].to != NULL;
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
            out[i] = need[i] ? emit_zeros_like(&j->emit, node->input[i]) : NULL;
        }
        return j->err.code;
    }
    Grad g = {&j->emit, call, node->out, node->nout, grad, need, out, node->nslot};
    call->op->grad(&g);
    return j->err.code;
}

/* A gradient as the node at its edge wants it. */
static Tensor *joint_finish(Joint *j, Tensor *grad, Edge edge) {
    return edge.to ? grad_finish(&j->emit, grad, cap_edge_meta(edge)) : NULL;
}

static void joint_run_function(Joint *j, const GradNode *node) {
    Tensor *out[MAX_SLOTS];
    if (joint_differentiate(j, node, node->grad, out) != ERR_none) {
        return;
    }
    for (int i = 0; i < node->nslot; i++) {
        if (node->next[i].to) {
            deliver(j, node->next[i], joint_finish(j, out[i], node->next[i]));
        }
    }
}

/* Is `node` a buffer with this layout from offset 0? */
static bool has_layout(const Node *node, const Tensor *layout) {
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
static Node *lay_out(Joint *j, Tensor *grad, const Tensor *layout) {
    if (has_layout((Node *)grad, layout)) {
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

/* CopySlices: the base's gradient, in whose region the op's own gradient takes the place of what
 * arrived. */
static void joint_run_region(Joint *j, const GradNode *node) {
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
        Node *buffer = lay_out(j, grad, &base);
        if (!buffer) {
            return;
        }
        Tensor *slice = &graph_view(j->g, buffer, &view, AT_BACKWARD)->t;
        if (joint_differentiate(j, node->inner, &slice, out) != ERR_none) {
            return;
        }
        if (node->next[0].to && out[0]) {
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
    deliver(j, node->next[0], joint_finish(j, to_base, node->next[0]));
    for (int i = 1; i < node->nslot; i++) {
        if (node->next[i].to) {
            deliver(j, node->next[i], joint_finish(j, out[i], node->next[i]));
        }
    }
}

/* The gradient, and what is in .grad already. */
static void joint_gather(Joint *j, Var *v, Tensor *grad) {
    Tensor *before = v->grad ? &v->grad->t : v->gathered ? &v->gathered->node->t : NULL;
    v->grad = (Node *)(before ? emit_add(&j->emit, before, grad) : grad);
}

/* Is there more to walk before this region? */
static bool goes_on_outside(const Joint *j) {
    const Capture *cap = j->c->capture;
    if (cap->in.later && cap->in.later->goes_on) {
        return true;
    }
    for (int i = 0; i < cap->in.n; i++) {
        if (cap->outer[i] && cap->outer[i]->walk == j->engine.walk) {
            return true;
        }
    }
    return false;
}

/* The accumulator of a leaf that has a history by now refuses. If an earlier region leads there as
 * well it has to wait for that one: what it holds goes there as any gradient does
 * (runtime/cross_region_backward.c). */
static void run_moved(Joint *j, Var *leaf, Tensor *grad) {
    Capture *cap = j->c->capture;
    if (leaf->input < 0 || !goes_on_outside(j)) {
        error_set(&j->err, ERR_invalid, LEAF_MOVED);
        return;
    }
    if (!cap->moved) {
        cap->moved = arena_array(cap->arena, int, cap->in.n);
    }
    cap->moved[cap->nmoved++] = leaf->input;
    joint_gather(j, leaf, grad);
}

static void joint_run_leaf(Joint *j, const GradNode *node) {
    Var *leaf = node->leaf;
    if (!node->grad[0] || tape_ask(j->c->capture, leaf, &j->err) != ERR_none) {
        return;
    }
    if (leaf->history.to) {
        run_moved(j, leaf, node->grad[0]);
        return;
    }
    if (leaf->retains_grad) { /* before detach_ made it a leaf */
        joint_gather(j, leaf, node->grad[0]);
    }
    if (cap_requires_grad(leaf)) {
        joint_gather(j, leaf, node->grad[0]);
    }
}

/* Outside of the graph somebody waits for this; that it is undefined is to be told too. */
static void run_external(Joint *j, const GradNode *node) {
    const Capture *cap = j->c->capture;
    int i = 0;
    while (cap->outer[i] != node) {
        i++;
    }
    InputPlan *plan = &j->g->inp[cap->nobject + i];
    plan->grad = (Node *)node->grad[0];
    plan->grad_state = plan->grad ? GRAD_VALUE : GRAD_NULL;
}

static void joint_run_node(BackwardEngine *x, GradNode *node) {
    Joint *j = joint_of(x);
    for (const RetainGrad *hook = node->retains_grad; hook; hook = hook->next) {
        if (!node->grad[hook->nr]) { /* PyTorch clones it before it looks */
            error_set(&j->err, ERR_invalid, "Expected a proper Tensor but got None");
            return;
        }
        joint_gather(j, hook->var, node->grad[hook->nr]);
    }
    switch (node->kind) {
    case GRAD_NODE_ACCUMULATE:
        joint_run_leaf(j, node);
        break;
    case GRAD_NODE_EXTERNAL:
        run_external(j, node);
        break;
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
        joint_run_function(j, node);
        break;
    case GRAD_NODE_COPY_SLICES:
        joint_run_region(j, node);
        break;
    case GRAD_NODE_AS_STRIDED: {
        Tensor *grad = node->grad[0]
                           ? emit_as_strided_grad(&j->emit, node->grad[0], node->base, node->view)
                           : NULL;
        deliver(j, node->next[0], joint_finish(j, grad, node->next[0]));
        break;
    }
    }
    if (j->err.code == ERR_none && !node->freed) { /* a refused answer leaves it as it was */
        node->freed = true;
        node->after = j->c->capture->nmoved;
    }
}

/* ---- roots ---- */

typedef struct Root {
    Edge edge;
    int place;          /* of the return, or among the later roots */
    const Tensor *like; /* the tangent's size and dtype; NULL: it is undefined */
    bool zeros;         /* GR-10 */
} Root;

static int joint_find_roots(Joint *j, Root *root) {
    const Capture *cap = j->c->capture;
    const Backward *backward = &cap->program->backward;
    int n = 0;
    for (int k = 0; k < j->g->nret; k++) {
        Var *v = cap->ret[k];
        if (!dtype_is_float(v->t.dtype) || !cap_requires_grad(v)) {
            continue;
        }
        Edge edge;
        if (cap_ask(j->c->capture, v, &edge) != ERR_none) {
            continue; /* it was asked when it was returned */
        }
        if (backward_includes(backward, k)) {
            root[n++] = (Root){edge, k, &j->g->ret[k].layout, false};
            if (!edge.to) {
                error_set(&j->err, ERR_invalid,
                          "element %d of tensors does not require grad and does not have a grad_fn",
                          k);
            }
        } else if (fault(j->c, FAULT_GR_10) && edge.to) {
            root[n++] = (Root){edge, k, &j->g->ret[k].layout, true};
        }
    }
    return n;
}

static Edge resumed_edge(Capture *cap, const ResumedRoot *root) {
    switch (root->kind) {
    case ROOT_LEAF:
        return (Edge){cap->object[root->number]->accumulator, 0};
    case ROOT_EXTERNAL:
        return (Edge){cap->outer[root->number], 0};
    case ROOT_TAPE:
        break;
    }
    GradNode *node = cap->tape;
    while (node && node->number != root->number) {
        node = node->older;
    }
    return (Edge){node, root->nr};
}

static int find_resumed_roots(Joint *j, Root *root) {
    const ResumedBackward *later = j->c->capture->in.later;
    int n = 0;
    for (int i = 0; i < later->nroot; i++) {
        Edge edge = resumed_edge(j->c->capture, &later->root[i]);
        if (!edge.to) { /* a seeded fault may have reused code that made another tape */
            error_set(&j->err, ERR_internal, "the region captured again has another tape");
        }
        root[n++] = (Root){edge, i, later->root[i].grad, false};
    }
    return n;
}

static void run_engine(Joint *j, const Root *root, int nroots) {
    Edge *edge = arena_array(j->emit.arena, Edge, nroots);
    Tensor **tangent = arena_array(j->emit.arena, Tensor *, nroots);
    for (int i = 0; i < nroots; i++) {
        const Tensor *like = root[i].like;
        edge[i] = root[i].edge;
        tangent[i] = !like           ? NULL
                     : root[i].zeros ? emit_zeros_like(&j->emit, like)
                                     : &graph_tangent(j->g, root[i].place, like)->t;
        tangent[i] = joint_finish(j, tangent[i], edge[i]);
    }
    tape_backward(&j->engine, edge, tangent, nroots);
}

bool pass_joint(Compile *c) {
    Capture *cap = c->capture;
    Graph *g = c->graph;
    if (!cap) {
        return false;
    }
    const ResumedBackward *later = cap->in.later;
    if (!later &&
        (cap->end != END_OK || cap->in.setup || !cap->program->backward.given || g->nret == 0)) {
        return false;
    }
    Joint j = {.c = c, .g = g};
    j.emit = (Emit){.arena = c->arena,
                    .err = &j.err,
                    .apply = joint_apply,
                    .count_nonzero = joint_count,
                    .item_int = joint_item};
    j.engine = (BackwardEngine){.e = &j.emit, .walk = ++cap->walks, .run = joint_run_node};
    Root *root = arena_array(c->arena, Root, later ? later->nroot : g->nret);
    int nroots = later ? find_resumed_roots(&j, root) : joint_find_roots(&j, root);
    if (nroots == 0) {
        return false;
    }
    g->backward_runs = true;
    if (j.err.code == ERR_none) {
        run_engine(&j, root, nroots);
    }
    if (j.err.code != ERR_none) {
        for (int i = cap->nobject; i < g->ninp; i++) {
            g->inp[i].grad = NULL;
            g->inp[i].grad_state = GRAD_ABSENT;
        }
        g->backward_error = j.err.code;
        g->backward_message = arena_strdup(c->arena, j.err.text);
        return true;
    }
    for (int i = 0; i < cap->nobject; i++) {
        if (cap->object[i]->grad) {
            g->inp[i].grad = cap->object[i]->grad;
            g->inp[i].grad_state = GRAD_VALUE;
        }
    }
    for (int k = 0; k < g->nret;
         k++) { /* a returned leaf carries its gradient too, and what retains it */
        const Var *v = cap->ret[k];
        if (v->grad && (g->ret[k].is_leaf ? v->requires_grad : v->retains_grad)) {
            g->ret[k].grad = v->grad;
        }
    }
    return true;
}
