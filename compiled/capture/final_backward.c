/* The backward of the harness for a program with functions of its own or hooks: walked before the
 * graph is functional, so that their blocks can write in place and see views, like the statements
 * of the program. Derivative rules run through the capture's own Emit, as in capture/grad.c; what
 * they record has the place AT_BACKWARD. The pass joint has nothing left to do then.
 *
 * Roots are the tangents of the returns, or the edges that the backward of a later region has
 * reached (ResumedBackward). */
#include "compiled/capture/capture.h"

#include <string.h>

typedef struct FinalBackward {
    BackwardEngine engine; /* first: BackwardEngine * is FinalBackward * */
    Capture *cap;
    Tensor **handed;  /* by entry: the gradient that its external grad_fn received, or NULL */
    Tensor **tangent; /* by root */
    int ntangent;
} FinalBackward;

/* ---- nodes ---- */

/* Does the backward continue in a region before this one? */
static bool final_has_earlier_region(const FinalBackward *x) {
    const Capture *cap = x->cap;
    bool earlier = cap->in.resumed && cap->in.resumed->earlier_roots;
    for (int i = 0; i < cap->in.n; i++) {
        earlier |= cap->external[i] && cap->external[i]->visit == x->engine.visit;
    }
    return earlier;
}

static ErrCode final_accumulate(Capture *cap, Var *v, Tensor *grad) {
    if (v->program_grad && v->grad_written != ERR_none) {
        return error_set(cap->emit.err, v->grad_written,
                         "the .grad of a leaf is no memory of its own");
    }
    v->program_grad =
        (Var *)(v->program_grad ? emit_add(&cap->emit, &v->program_grad->tensor, grad) : grad);
    return cap->emit.err->code;
}

/* As joint_run_moved_leaf: the refusal may have to wait for an earlier region. */
static ErrCode final_refuse_moved_leaf(const FinalBackward *x, Var *leaf, Tensor *grad) {
    Capture *cap = x->cap;
    if (leaf->entry < 0 || !final_has_earlier_region(x)) {
        return error_set(cap->emit.err, ERR_invalid, LEAF_MOVED);
    }
    if (!cap->moved_leaves) {
        cap->moved_leaves = arena_array(cap->arena, int, cap->in.n);
    }
    cap->moved_leaves[cap->nmoved_leaves++] = leaf->entry;
    return grad ? final_accumulate(cap, leaf, grad) : ERR_none;
}

/* Must the hooks of the leaf wait for what an earlier region adds to its gradient? */
static bool final_hooks_wait(const FinalBackward *x, const Var *leaf) {
    const CaptureInput *in = &x->cap->in;
    return (leaf->entry >= 0 && in->resumed && in->resumed->waits[leaf->entry]) ||
           backward_leaf_waits(x->cap, x->engine.visit, leaf);
}

static ErrCode final_run_accumulate_grad(const FinalBackward *x, GradNode *node) {
    Capture *cap = x->cap;
    Var *leaf = node->leaf;
    bool hooked = leaf->hooks || leaf->post_hooks, waits = hooked && final_hooks_wait(x, leaf);
    leaf->hooks_ran = hooked && !waits;
    if (!waits) {
        TRY(capture_before_node(cap, node));
    }
    Tensor *grad = node->grad[0];
    if (!grad && !since(moved_leaf_first)) {
        return ERR_none;
    }
    TRY(cap_grad_fn(cap, leaf));
    if (leaf->grad_fn.node) {
        return final_refuse_moved_leaf(x, leaf, grad);
    }
    if (grad && leaf->retains_grad && !since(retain_detached)) { /* before detach_ made it a leaf */
        TRY(final_accumulate(cap, leaf, grad));
    }
    if (grad && cap_requires_grad(leaf)) {
        TRY(final_accumulate(cap, leaf, grad));
    }
    if (waits) {
        return ERR_none;
    }
    if (leaf->post_hooks && cap->sees_grads) {
        return error_set(cap->emit.err, ERR_unsupported, "a hook of a .grad that the program sees");
    }
    return capture_call_post_hooks(cap, leaf);
}

/* The gradient's value, in memory of its own. */
static Node *final_value(Capture *cap, Tensor *grad) {
    const Var *copy = (const Var *)emit_unary(&cap->emit, OP__contiguous_copy, grad);
    return copy ? copy->node : NULL;
}

/* The region before receives the gradient, also if it is undefined. */
static ErrCode final_run_external(const FinalBackward *x, const GradNode *node) {
    Capture *cap = x->cap;
    int i;
    TRY(backward_external(cap, node, &i, cap->emit.err));
    InputPlan *plan = &cap->graph->inp[cap->nlive + i];
    x->handed[i] = node->grad[0];
    plan->grad = node->grad[0] ? final_value(cap, node->grad[0]) : NULL;
    plan->grad_state = plan->grad ? GRAD_VALUE : GRAD_NULL;
    return cap->emit.err->code;
}

/* CopySlices. What it makes of the gradient is a copy, unless the view is all of its base: then the
 * gradient itself is handed to the op, if it is contiguous. */
static ErrCode final_run_copy_slices(Capture *cap, GradNode *node, bool *need, Tensor **out) {
    Emit *e = &cap->emit;
    Tensor *grad = node->grad[0], *window, *slice = grad;
    Var *whole;
    if (!grad) {
        return ERR_none;
    }
    if (node->freed) {
        return error_set(e->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    TRY(capture_empty_like(cap, node->base, &whole));
    if (!tensor_overlaps_itself(node->base) && tensor_same_layout(node->view, node->base)) {
        window = &whole->tensor;
    } else {
        TRY(capture_window(cap, node, whole, grad, &window));
        slice = window;
    }
    if (slice == window || !tensor_is_contiguous(slice)) {
        slice = emit_unary(e, OP__contiguous_copy, slice);
        TRY(e->err->code);
    }
    TRY(capture_differentiate(cap, node->fn, need, &slice, out));
    if (out[0] && need[0]) {
        (void)emit_op(e, OP_copy_, 2, window, out[0]);
        out[0] = &whole->tensor;
    }
    return e->err->code;
}

static ErrCode final_run_kind(const FinalBackward *x, GradNode *node, bool *need, Tensor **out) {
    Capture *cap = x->cap;
    if (node->kind == GRAD_NODE_ACCUMULATE_GRAD) {
        return final_run_accumulate_grad(x, node);
    }
    if (node->kind == GRAD_NODE_EXTERNAL) { /* its hooks are called in its region */
        return final_run_external(x, node);
    }
    TRY(capture_before_node(cap, node));
    switch (node->kind) {
    case GRAD_NODE_ACCUMULATE_GRAD:
    case GRAD_NODE_EXTERNAL:
        break;
    case GRAD_NODE_OP:
        if (backward_hides_pass(cap, node)) {
            return error_set(cap->emit.err, ERR_unsupported, "a .grad in the memory of another");
        }
        return capture_differentiate(cap, node, need, node->grad, out);
    case GRAD_NODE_ZERO:
    case GRAD_NODE_FUNCTION:
        return capture_differentiate(cap, node, need, node->grad, out);
    case GRAD_NODE_COPY_SLICES:
        return final_run_copy_slices(cap, node, need, out);
    case GRAD_NODE_AS_STRIDED:
        out[0] = node->grad[0]
                     ? emit_as_strided_grad(&cap->emit, node->grad[0], node->base, node->view)
                     : NULL;
        return cap->emit.err->code;
    case GRAD_NODE_CHECKPOINT:
        return capture_checkpoint_backward(cap, node, true, out);
    case GRAD_NODE_ERROR:
        return error_set(cap->emit.err, ERR_invalid,
                         "a function that is once differentiable is differentiated twice");
    }
    return ERR_none;
}

/* Writes so far to what .grad of the region's tensors holds, without that of the leaf of `node`. */
static int64_t final_writes_of_grads(const Capture *cap, const GradNode *node) {
    int64_t writes = 0;
    for (int i = 0; cap->sees_grads && i < cap->nlive; i++) {
        const Var *v = cap->live[i];
        if (v->program_grad && v != node->leaf) {
            writes += storage_whole(v->program_grad->tensor.storage)->writes;
        }
    }
    return writes;
}

static void final_run_node(BackwardEngine *engine, GradNode *node) {
    FinalBackward *x = (FinalBackward *)engine;
    Emit *e = engine->emit;
    bool need[MAX_SLOTS];
    Tensor *out[MAX_SLOTS];
    for (int i = 0; i < node->nslot; i++) {
        need[i] = node->next_edges[i].node != NULL;
        out[i] = NULL;
    }
    int64_t writes = final_writes_of_grads(x->cap, node);
    if (final_run_kind(x, node, need, out) != ERR_none) {
        return;
    }
    if (final_writes_of_grads(x->cap, node) != writes) {
        error_set(e->err, ERR_unsupported, "a gradient that is written after a .grad holds it");
        return;
    }
    for (int i = 0; i < node->nslot; i++) {
        out[i] =
            need[i] && out[i] ? grad_finish(e, out[i], cap_edge_meta(node->next_edges[i])) : NULL;
    }
    if (e->err->code == ERR_none && !node->freed) { /* a node that raises is not released */
        cap_free_node(node);
        node->moved_before = x->cap->nmoved_leaves;
    }
    for (int i = 0; i < node->nslot && e->err->code == ERR_none; i++) {
        backward_deliver(engine, node->next_edges[i], out[i], false);
    }
}

/* ---- roots ---- */

static Tensor *final_tangent(Capture *cap, int number, const Tensor *like) {
    Node *node = graph_tangent(cap->graph, number, like);
    AliasClass *cls = capture_class(cap, like->dtype, tensor_numel(like), node, -1);
    return &capture_var(cap, cls, &node->t, node)->tensor;
}

static int final_return_roots(Capture *cap, Edge *edge, Tensor **tangent) {
    const Backward *backward = &cap->program->backward;
    int n = 0;
    for (int k = 0; k < cap->graph->nret; k++) {
        Var *v = cap->ret[k];
        if (!backward_includes(backward, k) || !dtype_is_float(v->tensor.dtype) ||
            !cap_requires_grad(v)) {
            continue;
        }
        if (cap_gradient_edge(cap, v, &edge[n]) == ERR_none && !edge[n].node) {
            error_set(cap->emit.err, ERR_invalid,
                      "element %d of tensors does not require grad and does not have a grad_fn", k);
        }
        if (cap->emit.err->code != ERR_none) {
            return n;
        }
        tangent[n++] = final_tangent(cap, k, &cap->graph->ret[k].layout);
    }
    return n;
}

static int final_resumed_roots(Capture *cap, Edge *edge, Tensor **tangent) {
    const ResumedBackward *resumed = cap->in.resumed;
    for (int i = 0; i < resumed->nroot; i++) {
        const Tensor *grad = resumed->root[i].grad;
        edge[i] = backward_resumed_edge(cap, &resumed->root[i]);
        bool there =
            edge[i].node && edge[i].nr < max_i64(edge[i].node->nout, 1) && cap_edge_meta(edge[i]);
        if (!there) {
            (void)backward_refuse_root(cap, cap->emit.err);
            return i;
        }
        if (backward_check_resumed(edge[i], grad, cap->emit.err) != ERR_none) {
            return i;
        }
        tangent[i] = grad ? final_tangent(cap, i, grad) : NULL;
        cap->odd_tangents |= resumed->root[i].passed != PASSED_NOT;
    }
    return resumed->nroot;
}

/* ---- the walk ---- */

/* What a block has written outlives the backward: new versions of inputs. False if the region is
 * resumed: what it works on are copies. */
static bool final_keep_writes(const Capture *cap, const int64_t *before) {
    for (int k = 0; k < cap->ncounters; k++) {
        if (cap->counter[k]->version != before[k]) {
            if (cap->in.resumed) {
                return false;
            }
            cap->graph->version[k] = cap->counter[k]->version;
        }
    }
    return true;
}

/* Returns are recorded before the backward: of one that it writes to, a copy from then, which is
 * moved to where the backward begins, `at`. */
static void final_copy_returns(Capture *cap, const int64_t *before, int at) {
    Graph *g = cap->graph;
    int end = g->n;
    for (int k = 0; k < g->nret && !cap->in.resumed; k++) {
        Var *v = cap->ret[k];
        const AliasClass *cls = alias_class_of(&v->tensor);
        if (alias_class_whole(cls)->storage.version != before[cls->number] || cap->sets) {
            Call copy = call_new(OP__contiguous_copy);
            copy.arg[0].tensor = &v->node->t;
            if (capture_node(cap, &copy, &g->ret[k].before) != ERR_none) {
                return;
            }
        }
    }
    int n = g->n - end;
    Node **copies = arena_copy(cap->arena, g->node + end, (int64_t)sizeof *copies * n);
    memmove(g->node + at + n, g->node + at, sizeof *copies * (size_t)(end - at));
    memcpy(g->node + at, copies, sizeof *copies * (size_t)n);
}

/* May .grad of two tensors be views of one gradient, which a later backward would add to twice? */
static bool final_grads_share(const Capture *cap) {
    for (int i = 0; i < cap->nlive; i++) {
        for (int k = 0; k < i && cap->live[i]->program_grad; k++) {
            const Var *other = cap->live[k]->program_grad;
            if (other &&
                storage_same(other->tensor.storage, cap->live[i]->program_grad->tensor.storage)) {
                return true;
            }
        }
    }
    return false;
}

static bool final_grads_left(const Capture *cap) {
    bool left = false;
    for (int i = 0; i < cap->nlive; i++) {
        left |= cap->live[i]->program_grad != NULL;
    }
    return left;
}

static ErrCode final_walk(FinalBackward *x) {
    Capture *cap = x->cap;
    int most = cap->in.resumed ? cap->in.resumed->nroot : cap->graph->nret, ncls = cap->ncls;
    Edge *edge = arena_array(cap->arena, Edge, most);
    Tensor **tangent = arena_array(cap->arena, Tensor *, most);
    int n = (cap->in.resumed ? final_resumed_roots : final_return_roots)(cap, edge, tangent);
    x->tangent = tangent;
    x->ntangent = n;
    cap->graph->backward_runs = n > 0 || cap->emit.err->code != ERR_none;
    TRY(cap->emit.err->code);
    bool left = final_grads_left(cap);
    int begin = cap->graph->n;
    int64_t *version = arena_array(cap->arena, int64_t, ncls);
    int64_t *counted = arena_array(cap->arena, int64_t, cap->ncounters);
    for (int k = 0; k < cap->ncounters; k++) {
        counted[k] = cap->counter[k]->version;
    }
    for (int i = 0; i < ncls; i++) {
        version[i] = alias_class_whole(cap->cls[i])->storage.version;
    }
    for (int i = 0; i < n; i++) {
        tangent[i] =
            tangent[i] ? grad_finish(&cap->emit, tangent[i], cap_edge_meta(edge[i])) : NULL;
    }
    TRY(cap->emit.err->code);
    backward_run(&x->engine, edge, tangent, n);
    backward_settle_error(cap, x->engine.visit, &cap->err);
    if (!final_keep_writes(cap, counted)) {
        cap->err = (Error){0}; /* whatever the walk has met */
        return error_set(&cap->err, ERR_unsupported,
                         "a write to an argument by the backward of an earlier region");
    }
    if (cap->sees_grads && cap->err.code == ERR_none &&
        ((left && !cap->in.resumed && final_has_earlier_region(x)) || final_grads_share(cap))) {
        return error_set(&cap->err, ERR_unsupported,
                         "a .grad that earlier regions add to, or in memory of another");
    }
    if (cap->err.code == ERR_unsupported) { /* nothing of it is compared */
        cap->graph->n = begin;
        return ERR_unsupported;
    }
    Error err = cap->err; /* what was recorded before an error is compared, too */
    cap->err = (Error){0};
    final_copy_returns(cap, version, begin);
    cap->err = cap->err.code == ERR_none ? err : cap->err;
    return cap->err.code;
}

/* ---- the results ---- */

/* Has the gradient come from a later region, where that was noted of it? */
static bool final_is_odd_tangent(const FinalBackward *x, const Tensor *grad) {
    const ResumedBackward *resumed = x->cap->in.resumed;
    bool odd = false;
    for (int i = 0; i < x->ntangent && resumed; i++) {
        odd |= resumed->root[i].passed != PASSED_NOT && x->tangent[i] &&
               x->tangent[i]->storage == grad->storage;
    }
    return odd;
}

/* A gradient arrives in the region before as a contiguous copy of its own. Notes those that are
 * laid out otherwise, or in the memory of another. */
static void final_note_odd(const FinalBackward *x) {
    const Capture *cap = x->cap;
    for (int i = 0; i < cap->in.n; i++) {
        const Tensor *grad = x->handed[i];
        bool odd = grad && (!tensor_is_contiguous(grad) || final_is_odd_tangent(x, grad));
        for (int k = 0; k < cap->in.n && grad; k++) {
            odd |= k != i && x->handed[k] && x->handed[k]->storage == grad->storage;
        }
        for (int k = 0; k < cap->nlive && grad; k++) {
            const Var *other = cap->live[k]->program_grad;
            odd |= other && other->tensor.storage == grad->storage;
        }
        if (odd) {
            cap->graph->inp[cap->nlive + i].passed = PASSED_VIEW;
        }
    }
}

static void final_outputs(Capture *cap) {
    Graph *g = cap->graph;
    for (int i = 0; i < cap->nlive; i++) {
        Var *v = cap->live[i];
        if (v->program_grad) {
            g->inp[i].grad = final_value(cap, &v->program_grad->tensor);
            g->inp[i].grad_state = GRAD_VALUE;
        }
    }
    for (int k = 0; k < g->nret; k++) {
        Var *v = cap->ret[k];
        if (v->program_grad && (g->ret[k].is_leaf ? v->requires_grad : v->retains_grad)) {
            g->ret[k].grad = final_value(cap, &v->program_grad->tensor);
        }
    }
}

static void final_refuse(Capture *cap) {
    Graph *g = cap->graph;
    for (int i = cap->nlive; i < g->ninp; i++) {
        g->inp[i].grad = NULL;
        g->inp[i].grad_state = GRAD_ABSENT;
    }
    g->backward_error = cap->err.code;
    g->backward_message = arena_strdup(cap->arena, cap->err.text);
}

void capture_final_backward(Compile *c) {
    Capture *cap = c->capture;
    if (!cap->walks_inside ||
        (!cap->in.resumed && (cap->end != END_OK || cap->in.setup ||
                              !cap->program->backward.given || cap->graph->nret == 0))) {
        return;
    }
    FinalBackward x = {
        .engine = {.emit = &cap->emit, .visit = ++cap->visits, .run = final_run_node},
        .cap = cap,
        .handed = arena_array(cap->arena, Tensor *, cap->in.n)};
    bool mode = cap->grad_mode;
    int sid = cap->sid;
    Error err = cap->err; /* a region that raised may be resumed */
    cap->err = (Error){0};
    cap->sid = AT_BACKWARD;
    cap->walk = x.engine.visit;
    cap->grad_mode = false;
    cap->in_final = cap->bare = true;
    if (final_walk(&x) == ERR_none) {
        final_note_odd(&x);
        final_outputs(cap);
    }
    if (cap->emit.err->code != ERR_none) {
        final_refuse(cap);
    }
    cap->in_final = cap->bare = false;
    cap->grad_mode = mode;
    cap->sid = sid;
    cap->err = err;
}
