/* The engine: backward over the tape in PyTorch's order (torch/csrc/autograd/engine.cpp).
 *
 *   1. From the roots, count for each reachable node how many edges lead to it; with inputs, find
 *      which lead to one of them.
 *   2. Of the nodes with no edge left, run the one made last (highest sequence number; accumulators
 *      before all); its results are added up at its edges' ends, in order of arrival, and those
 *      nodes lose an edge each.
 * Terminates: the tape has no cycles, and every node runs once.
 *
 * A node checks the versions of what it saved even when no gradient arrived. In a backward results
 * are bare Tensors; in the program (grad.c) they are Vars, recorded if grad mode is on. */
#include "reference/queue.h"
#include "reference/unspecified.h"
#include "reference/shadow.h"

#include <limits.h>

/* ---- one node ---- */

/* PyTorch does not check versions where hooks have packed the values (checkpoint). */
static ErrCode engine_check_saved(Session *s, const GradNode *node) {
    bool needed[MAX_SLOTS];
    bool half = node->other_half_freed && node->other_half_freed != node->visit;
    if ((node->freed || half) &&
        (node->nsaved > 0 ||
         op_saves_anything(&node->call, edges_needed(node, needed), node->in_formula))) {
        return error_set(s->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < node->nsaved && !node->checkpoint; i++) {
        TRY(saved_check(s, &node->saved[i], node->call.op->name));
    }
    return ERR_none;
}

/* A recomputed operand has the history of the one that was saved. */
static void engine_take_history(Session *s, const GradNode *node, GradNode *again) {
    for (int i = 0; i < node->nslot && s->grad_mode && !s->running_backward; i++) {
        Tensor *t = again->operand[i];
        if (t && t->storage) {
            Var *copy = var_new(s, t);
            Edge edge = node->next_edges[i];
            if (i == 0 && node->saves_clone) {
                const Var *clone = var_of(node->operand[0]);
                edge = (Edge){clone->grad_fn, clone->output_nr};
            }
            bool leaf = edge.node && edge.node->kind == GRAD_NODE_ACCUMULATE_GRAD;
            copy->requires_grad = leaf;
            copy->accumulator = leaf ? edge.node : NULL;
            copy->grad_fn = leaf ? NULL : edge.node;
            copy->output_nr = edge.nr;
            again->operand[i] = &copy->tensor;
        }
    }
    node_set_args(again);
}

/* The results that a rule reads, as SavedVariable::unpack returns them: new tensors whose grad_fn
 * is the node, or, for one that was written through a view, the view's. `values`: the node that
 * holds them, which may be a recomputed one. */
static Tensor *const *engine_unpack_results(Session *s, GradNode *node, const GradNode *values) {
    Tensor *const *result = values->result ? values->result : node->result; /* none: not saved */
    if (!s->grad_mode || s->running_backward) {
        return result;
    }
    Tensor **out = arena_array(s->arena, Tensor *, node->nout);
    for (int i = 0; i < node->nout; i++) {
        out[i] = result[i];
        if (out[i]->storage) {
            Var *v = var_of(node->result[i]), *copy = var_new(s, out[i]);
            Edge edge = v->base ? var_gradient_edge(s, v)
                                : (Edge){node->result_node ? node->result_node : node, i};
            copy->grad_fn = edge.node;
            copy->output_nr = edge.nr;
            out[i] = &copy->tensor;
        }
    }
    return out;
}

/* Does this walk run the node at the end of the edge, or capture its gradient? */
static inline bool engine_wants(const Session *s, const EngineTask *task, Edge edge) {
    const GradNode *node = edge.node;
    return node && (task->ninputs == 0 ||
                    (node->visit == s->visits && (node->needed || node->captured == s->visits)));
}

/* Derivative rules of ops: out[slot] as the rule computes it, not yet reduced to the operand's
 * size. `need`: by slot, is a gradient needed? */
static ErrCode engine_run_op(Session *s, GradNode *node, const bool *need, Tensor *const *grad,
                             Tensor **out) {
    TRY(engine_check_saved(s, node));
    GradNode *values = node;
    if (node->checkpoint && checkpoint_packs(node)) {
        TRY(checkpoint_recomputed(s, node, &values));
        if (values) {
            engine_take_history(s, node, values);
        }
        values = values ? values : node;
    }
    bool defined = node->kind == GRAD_NODE_OP && op_refuses_backward(node->call.op);
    for (int i = 0; i < node->nout; i++) {
        defined |= grad[i] != NULL;
    }
    if (!defined) {
        return ERR_none;
    }
    if (node->kind == GRAD_NODE_ZERO) {
        for (int i = 0; i < node->nslot; i++) {
            out[i] = need[i] ? emit_zeros_like(&s->emit, node->operand[i]) : NULL;
        }
        return s->err->code;
    }
    Grad g = {.e = &s->emit,
              .call = &values->call,
              .result = engine_unpack_results(s, node, values),
              .nresult = node->nout,
              .grad = grad,
              .need = need,
              .out = out,
              .nslot = node->nslot};
    if (s->detect_unspecified) {
        session_unspecified(s, unspecified_gradient(&g));
    }
    grad_run_rule(&g, node->in_formula);
    zero_tensors_follow(s, &g);
    return s->err->code;
}

/* A fresh tensor with the base's geometry, from offset 0. */
static ErrCode engine_empty_like_base(Session *s, const GradNode *node, Tensor **out) {
    Tensor *t = tensor_meta(s, node->base);
    t->offset = 0;
    TRY(tensor_allocate(t, s->arena, s->limits, s->err));
    shadow_allocate(s, t);
    *out = s->running_backward ? t : &var_new(s, t)->tensor;
    return ERR_none;
}

/* A write of CopySlices: a bare one in a backward, else an op like any other. */
static ErrCode engine_copy_into(Session *s, Tensor *to, Tensor *from) {
    if (!s->running_backward) {
        (void)emit_op(&s->emit, OP_copy_, 2, to, from);
        return s->err->code;
    }
    if (tensor_internal_overlap(to) == OVERLAP_YES) {
        return error_set(
            s->err, ERR_overlap,
            "more than one element of the written-to tensor refers to a single memory location");
    }
    from = emit_expand(&s->emit, from, to->size, to->ndim); /* of a Function: of any size */
    from = emit_cast(&s->emit, from, to->dtype);
    TRY(s->err->code);
    tensor_copy_data(to, from, NULL);
    if (s->shadow) {
        shadow_copy(to, from);
    }
    return ERR_none;
}

/* The view's slice of a fresh copy of the base's gradient. */
static ErrCode engine_copy_slice(Session *s, const GradNode *node, Tensor *grad, Tensor *copy,
                                 Tensor **window) {
    const Tensor *view = node->view;
    TRY(engine_copy_into(s, copy, grad));
    int64_t extent, offset = view->offset - node->base->offset;
    Tensor slice = *view;
    slice.offset = offset;
    if (offset < 0 || !tensor_extent(&slice, &extent) || extent > copy->storage->numel) {
        return error_set(s->err, ERR_invalid,
                         "the written view lies outside of its base's storage");
    }
    *window = emit_op(&s->emit, OP_as_strided, 4, copy, view->size, view->ndim, view->stride,
                      view->ndim, offset);
    return s->err->code;
}

/* CopySlices: the base's gradient, in which the op's own gradient replaces the view's slice. In a
 * backward nothing is copied beforehand if the view is the whole base (x[:, i] = v), since the
 * slice covers everything. */
static ErrCode engine_run_copy_slices(Session *s, const EngineTask *task, const GradNode *node,
                                      bool *need, Tensor *grad, Tensor **out) {
    if (!grad) {
        return ERR_none;
    }
    if (node->freed) {
        return error_set(s->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    /* PyTorch 1.13 then runs whatever the written op leads to, leaves included */
    for (int i = 0; i < node->nslot; i++) {
        if (task->ninputs > 0 && node->fn->next_edges[i].node && !since(grad_runs_no_other_leaf)) {
            node->fn->next_edges[i].node->needed = true;
        }
        need[i] = engine_wants(s, task, node->next_edges[i]);
    }
    if (s->detect_unspecified) {
        session_unspecified(s, unspecified_slice(node->base, node->view));
    }
    Tensor *result, *window, *slice = grad;
    bool overlaps = tensor_overlaps_itself(node->base);
    session_undefined(s, overlaps,
                      "the gradient of a base that overlaps itself, written through a view: which "
                      "element comes last depends on PyTorch's loop");
    TRY(engine_empty_like_base(s, node, &result));
    if (s->running_backward && !overlaps && tensor_same_layout(node->view, node->base)) {
        window = result;
    } else {
        TRY(engine_copy_slice(s, node, grad, result, &window));
        slice = window;
    }
    if (slice == window || !tensor_is_contiguous(slice)) {
        slice = emit_unary(&s->emit, OP__contiguous_copy, slice);
        TRY(s->err->code);
    }
    TRY(node->fn->kind == GRAD_NODE_FUNCTION ? function_run_backward(s, node->fn, &slice, out)
                                             : engine_run_op(s, node->fn, need, &slice, out));
    if (out[0] && need[0]) {
        TRY(engine_copy_into(s, window, out[0]));
        out[0] = result;
    }
    return ERR_none;
}

static ErrCode engine_retain_grads(Session *s, const GradNode *node, bool early) {
    const GradNode *half = node_silent_half(node);
    for (const RetainGrad *hook = node->retains_grad; hook; hook = hook->next) {
        TRY(hook->early == early ? accumulate_retained(s, hook->var, node->grad[hook->nr])
                                 : ERR_none);
    }
    for (const RetainGrad *hook = half ? half->retains_grad : NULL; hook; hook = hook->next) {
        TRY(hook->early == early ? accumulate_retained(s, hook->var, NULL) : ERR_none);
    }
    return ERR_none;
}

/* Hooks, which may replace what has arrived, before the node runs or gradients are captured. */
static ErrCode engine_call_hooks(Session *s, const GradNode *node) {
    const GradNode *half = node_silent_half(node);
    for (const NodeHooks *h = node->hooks; h; h = h->next) {
        TRY(hooks_run(s, h->list, &node->grad[h->nr]));
    }
    for (const NodeHooks *h = half ? half->hooks : NULL; h; h = h->next) {
        Tensor *undefined = NULL;
        TRY(hooks_run(s, h->list, &undefined));
    }
    bool called = node->leaf && node->leaf->hooks &&
                  (since(hook_of_nothing) || (node->grad[0] && var_requires_grad(node->leaf)));
    return called ? hooks_run(s, node->leaf->hooks, &node->grad[0]) : ERR_none;
}

static ErrCode engine_run_accumulate_grad(Session *s, const EngineTask *task, GradNode *node,
                                          Tensor *grad) {
    Var *leaf = node->leaf;
    if (!grad && !since(moved_leaf_first)) {
        return ERR_none;
    }
    if (var_grad_fn(s, leaf)) {
        return error_set(s->err, ERR_invalid,
                         "leaf variable has been moved into the graph interior");
    }
    TRY(s->err->code);
    if (grad && leaf->retains_grad && !since(retain_detached)) { /* retained before detach_ made it
                                                            a leaf: the hook is still there */
        TRY(accumulate_retained(s, leaf, grad));
    }
    if (grad && var_requires_grad(leaf)) {
        TRY(accumulate(s, task, leaf, grad));
    }
    TRY(s->err->code);
    return leaf->post_hooks ? hooks_run_after(s, leaf) : ERR_none;
}

/* The gradient as the edge requires it. For a leaf whose sizes changed after it was used, PyTorch
 * requires the old or the new ones, depending on whether its accumulator is still alive. */
static Tensor *engine_finish(Session *s, Tensor *grad, Edge edge) {
    const GradNode *node = edge.node;
    if (!node || !grad) {
        return NULL;
    }
    session_undefined(
        s, node->leaf && node->base && !tensor_same_size(node->base, &node->leaf->tensor),
        "the gradient of a leaf whose sizes changed after it was used");
    const Tensor *meta = edge_meta(edge);
    session_undefined(s, !dtype_is_float(meta->dtype),
                      "a gradient of an integer that a comparison in place gave a history: PyTorch "
                      "fails an internal assertion");
    return grad_finish(&s->emit, grad, meta);
}

/* Runs `node`; out[i] = gradient for edge i, as the edge requires it, NULL where undefined. */
static ErrCode engine_run_node(Session *s, const EngineTask *task, GradNode *node, Tensor **out) {
    bool need[MAX_SLOTS];
    for (int i = 0; i < node->nslot; i++) {
        need[i] = engine_wants(s, task, node->next_edges[i]);
    }
    TRY(engine_retain_grads(s, node, true));
    TRY(engine_call_hooks(s, node));
    TRY(engine_retain_grads(s, node, false));
    switch (node->kind) {
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
        TRY(engine_run_op(s, node, need, node->grad, out));
        break;
    case GRAD_NODE_COPY_SLICES:
        TRY(engine_run_copy_slices(s, task, node, need, node->grad[0], out));
        break;
    case GRAD_NODE_AS_STRIDED:
        if (node->grad[0]) {
            out[0] = emit_as_strided_grad(&s->emit, node->grad[0], node->base, node->view);
        }
        break;
    case GRAD_NODE_ACCUMULATE_GRAD:
        TRY(engine_run_accumulate_grad(s, task, node, node->grad[0]));
        break;
    case GRAD_NODE_FUNCTION:
        TRY(function_run_backward(s, node, node->grad, out));
        break;
    case GRAD_NODE_CHECKPOINT:
        TRY(checkpoint_run_backward(s, task, node, out));
        break;
    case GRAD_NODE_ERROR:
        return error_set(s->err, ERR_invalid,
                         "trying to differentiate twice a function that was marked with "
                         "@once_differentiable");
    }
    for (int i = 0; i < node->nslot; i++) {
        out[i] = need[i] ? engine_finish(s, out[i], node->next_edges[i]) : NULL;
    }
    if (!task->retain_graph && s->err->code == ERR_none) { /* a node that raises is not released */
        node->freed = true;
        for (GradNode *half = node->other_half; half && half != node; half = half->other_half) {
            half->other_half_freed = half->other_half_freed ? half->other_half_freed : node->visit;
        }
    }
    return s->err->code;
}

/* ---- the walk ---- */

/* A step of the survey's path from a root. */
typedef struct EnginePath {
    GradNode *node;
    int next; /* the edge to follow */
} EnginePath;

static void engine_visit(Session *s, GradNode *node, EnginePath *path, int *depth,
                         GradNode **visited) {
    if (node->visit != s->visits) {
        node->topological_nr = 0;
        node->prev_visited = *visited;
        *visited = node;
        node->visit = s->visits;
        node->dependencies = 0;
        node->needed = node->receiving = false;
        node->owned = NULL;
        node->grad = arena_alloc_raw(s->arena, (int64_t)sizeof(Tensor *) * node->nout);
        for (int i = 0; i < node->nout; i++) {
            node->grad[i] = NULL;
        }
        path[(*depth)++] = (EnginePath){node, 0};
    }
    node->dependencies++;
}

/* Counts edges from `root` on, depth first, and on the way back computes `needed` and
 * topological_nr. */
static void engine_survey(Session *s, const EngineTask *task, GradNode *root, EnginePath *path,
                          GradNode **visited) {
    int depth = 0;
    engine_visit(s, root, path, &depth, visited);
    while (depth > 0) {
        EnginePath *frame = &path[depth - 1];
        int at = frame->next, nnext = frame->node->nslot;
        const Edge *next = frame->node->next_edges;
        while (at < nnext && !next[at].node) {
            at++;
        }
        if (at < nnext) {
            frame->next = at + 1;
            engine_visit(s, next[at].node, path, &depth, visited);
            continue;
        }
        GradNode *node = frame->node;
        for (int i = 0; i < nnext && task->ninputs > 0; i++) {
            node->needed |= engine_wants(s, task, next[i]);
            node->topological_nr =
                next[i].node && next[i].node->topological_nr >= node->topological_nr
                    ? next[i].node->topological_nr + 1
                    : node->topological_nr;
        }
        depth--;
    }
}

/* Edges of nodes topologically below all inputs do not count (topological_nr in engine.cpp). */
static void engine_exclude_nodes_below_inputs(const EngineTask *task, GradNode *visited) {
    int least = INT_MAX;
    for (int k = 0; k < task->ninputs; k++) {
        const GradNode *input = task->inputs[k].node;
        int topological_nr = input && input->visit == visited->visit ? input->topological_nr : 0;
        least = topological_nr < least ? topological_nr : least;
    }
    for (GradNode *node = visited; node; node = node->prev_visited) {
        for (int i = 0; i < node->nslot && node->topological_nr < least; i++) {
            if (node->next_edges[i].node) {
                node->next_edges[i].node->dependencies--;
            }
        }
    }
}

/* `only_root`: the node is the only root, which the walk starts at, wanted or not. `from`: the node
 * whose `slot` the gradient is of; NULL: it is of the caller. */
static inline ErrCode engine_deliver(Session *s, const EngineTask *task, Edge edge, Tensor *grad,
                                     bool only_root, const GradNode *from, int slot, Queue *ready) {
    GradNode *node = edge.node;
    if (node->dependencies == 0) { /* from a node whose edges were not counted */
        return error_set(s->err, ERR_invalid, "dependency not found");
    }
    bool last = --node->dependencies == 0;
    if (!node->receiving && !only_root && !engine_wants(s, task, edge)) {
        return ERR_none;
    }
    ready->waiting += node->receiving ? -last : !last;
    node->receiving = true;
    if (grad) {
        Tensor **at = &node->grad[edge.nr];
        bool owned = from && from->kind == GRAD_NODE_OP && op_clones_gradient(from->call.op, slot);
        node->owned = owned && !*at ? grad : node->owned;
        bool any_order = *at && from && from->in_list && s->shadow;
        *at = *at ? input_buffer_add(s, *at, grad, *at == node->owned) : grad;
        if (any_order && *at) {
            shadow_any_order(*at, grad);
        }
    }
    if (last) {
        queue_push(ready, node);
    }
    return s->err->code;
}

static void engine_capture(const EngineTask *task, const GradNode *node) {
    for (int k = 0; k < task->ninputs; k++) {
        if (task->inputs[k].node == node) {
            task->captured[k] = node->grad[task->inputs[k].nr];
        }
    }
}

ErrCode engine_run(Session *s, const EngineTask *task) {
    s->visits = ++s->walks;
    int capacity = (int)s->sequence_nr + 1; /* every node has taken a number */
    EnginePath *path = arena_alloc_raw(s->arena, (int64_t)sizeof *path * capacity);
    Queue ready = {arena_alloc_raw(s->arena, (int64_t)sizeof *ready.v * capacity), 0, 0};
    for (int k = 0; k < task->ninputs; k++) {
        GradNode *node = task->inputs[k].node;
        for (GradNode *half = node; half;
             half = half->other_half == node ? NULL : half->other_half) {
            half->captured = s->visits; /* the walk looks for the node, not for its output */
        }
    }
    GradNode *visited = NULL;
    for (int k = 0; k < task->nroots; k++) {
        engine_survey(s, task, task->roots[k].node, path, &visited);
    }
    s->visited = visited;
    if (task->ninputs > 0 && visited) {
        engine_exclude_nodes_below_inputs(task, visited);
    }
    for (int k = 0; k < task->nroots; k++) {
        TRY(engine_deliver(s, task, task->roots[k],
                           engine_finish(s, task->tangents[k], task->roots[k]), task->nroots == 1,
                           NULL, 0, &ready));
    }
    while (ready.n > 0) {
        GradNode *node = queue_pop(&ready);
        node->ran = s->visits;
        zero_tensors_arrive(s, node);
        bool runs = task->ninputs == 0 || node->needed;
        TRY(!runs && since(hook_before_capture) ? engine_call_hooks(s, node) : ERR_none);
        engine_capture(task, node);
        if (!runs) {
            TRY(since(grad_retains) ? engine_retain_grads(s, node, false) : ERR_none);
            continue;
        }
        Tensor *out[MAX_SLOTS];
        memset(out, 0, sizeof *out * (size_t)node->nslot);
        TRY(engine_run_node(s, task, node, out));
        for (int i = 0; i < node->nslot; i++) {
            if (node->next_edges[i].node) {
                TRY(engine_deliver(s, task, node->next_edges[i], out[i], false, node, i, &ready));
            }
        }
    }
    /* a node that only a CopySlices needs may depend on nodes that do not run */
    return ready.waiting == 0
               ? ERR_none
               : error_set(s->err, ERR_invalid, "could not compute gradients for some functions");
}
