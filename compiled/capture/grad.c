/* torch.autograd.grad inside the program: a backward over the static tape while it is being
 * written.
 *
 * The gradients are tensors of the program like any other: rules run through the capture's own
 * Emit, on the tensors that the nodes saved (their versions are checked, so their values are
 * unchanged). The results are recorded in the graph, alias what they alias in PyTorch, and, with
 * create_graph, are recorded on the tape and can be differentiated again. */
#include "compiled/capture/capture.h"

#include <string.h>

typedef struct ProgramGrad {
    BackwardEngine engine; /* first: Engine * is Inner * */
    Capture *cap;
    bool retain_graph;
} ProgramGrad;

/* ---- nodes ---- */

/* The results that a rule reads: metadata only; a saved one is a new tensor whose grad_fn is the
 * node, or that of the view that was written. `values`: the node that holds it, which may be a
 * recomputed one. */
static ErrCode grad_unpack_results(Capture *cap, GradNode *node, const GradNode *values,
                                   Tensor **out) {
    for (int i = 0; i < node->nout; i++) {
        out[i] = node->result[i];
    }
    if (!node->saved_result) {
        return ERR_none;
    }
    Var *v = node->saved_result, *copy = capture_without_history(cap, values->saved_result);
    copy->grad_fn = (Edge){node->result_node ? node->result_node : node, 0};
    if (v->base) {
        TRY(cap_gradient_edge(cap, v, &copy->grad_fn));
    }
    out[0] = &copy->tensor;
    return ERR_none;
}

/* out[slot]: the gradients as the rule computes them, not yet reduced to the operands' sizes. */
ErrCode capture_differentiate(Capture *cap, GradNode *node, const bool *need, Tensor *const *grad,
                              Tensor **out) {
    Emit *e = &cap->emit;
    bool any = false;
    if (node->kind == GRAD_NODE_FUNCTION) {
        return capture_function_backward(cap, node, grad, out);
    }
    TRY(backward_check_saved(cap, node, e->err));
    GradNode *values = node;
    if (node->checkpoint && capture_checkpoint_packs(node)) {
        TRY(capture_recomputed(cap, node, &values));
        values = values ? values : node;
        TRY(backward_check_recomputed(cap, node, values, e->err));
    }
    for (int i = 0; i < node->nout; i++) {
        any |= grad[i] != NULL;
    }
    if (!any && !(node->kind == GRAD_NODE_OP && op_refuses_backward(node->saved_call->op))) {
        return ERR_none;
    }
    if (node->kind == GRAD_NODE_ZERO) {
        for (int i = 0; i < node->nslot; i++) {
            out[i] = need[i] ? emit_zeros_like(e, node->operand[i]) : NULL;
        }
        return e->err->code;
    }
    Tensor **result = arena_array(cap->arena, Tensor *, node->nout);
    TRY(grad_unpack_results(cap, node, values, result));
    Grad g = {e, values->saved_call, result, node->nout, grad, need, out, node->nslot};
    grad_run_rule(&g, node->in_formula);
    return e->err->code;
}

/* CopySlices: the base's gradient, in which the op's own gradient replaces the view's slice. */
static ErrCode grad_run_copy_slices(ProgramGrad *in, const GradNode *node, bool *need,
                                    Tensor **out) {
    Capture *cap = in->cap;
    Emit *e = &cap->emit;
    Tensor *grad = node->grad[0];
    if (!grad) {
        return ERR_none;
    }
    if (node->freed) {
        return error_set(e->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < node->nslot;
         i++) { /* PyTorch 1.13 then runs whatever the written op leads to, leaves included */
        if (node->fn->next_edges[i].node && !since(grad_runs_no_other_leaf)) {
            node->fn->next_edges[i].node->needed = true;
        }
        need[i] = backward_wants(&in->engine, node->next_edges[i]);
    }
    Var *whole;
    TRY(capture_empty_like(cap, node->base, &whole));
    Tensor *window;
    TRY(capture_window(cap, node, whole, grad, &window));
    Tensor *slice = emit_unary(e, OP__contiguous_copy, window);
    TRY(e->err->code);
    TRY(capture_differentiate(cap, node->fn, need, &slice, out));
    if (out[0] && need[0]) {
        (void)emit_op(e, OP_copy_, 2, window, out[0]);
        out[0] = &whole->tensor;
    }
    return e->err->code;
}

/* Adds to .grad. */
static ErrCode grad_accumulate(Capture *cap, Var *v, Tensor *grad) {
    if (!grad && since(retain_of_nothing)) {
        return ERR_none;
    }
    if (!grad) { /* PyTorch clones it before it checks */
        return error_set(cap->emit.err, ERR_invalid, "Expected a proper Tensor but got None");
    }
    Tensor *sum = v->program_grad   ? emit_add(&cap->emit, &v->program_grad->tensor, grad)
                  : cap->sees_grads ? emit_unary(&cap->emit, OP_clone, grad)
                                    : emit_unary(&cap->emit, OP__contiguous_copy, grad);
    v->program_grad = (Var *)sum;
    return cap->emit.err->code;
}

static ErrCode grad_run_accumulate_grad(const ProgramGrad *in, const GradNode *node) {
    Capture *cap = in->cap;
    Var *leaf = node->leaf;
    if (!node->grad[0] && !since(moved_leaf_first)) {
        return ERR_none;
    }
    TRY(cap_grad_fn(cap, leaf));
    if (leaf->grad_fn.node) {
        return error_set(cap->emit.err, ERR_invalid, LEAF_MOVED);
    }
    if (node->grad[0] && leaf->retains_grad && !since(retain_detached)) {
        TRY(grad_accumulate(cap, leaf, node->grad[0]));
    }
    if (node->grad[0] && cap_requires_grad(leaf)) {
        TRY(cap->sees_grads ? capture_accumulate(cap, &in->engine, leaf, node->grad[0])
                            : grad_accumulate(cap, leaf, node->grad[0]));
    }
    return capture_call_post_hooks(cap, leaf);
}

static ErrCode grad_refuse_external(Capture *cap) {
    return error_set(cap->emit.err, ERR_unsupported,
                     "a gradient that goes on through the history of an argument");
}

/* May a requested gradient also flow through the external grad_fn of an argument? Only that of a
 * tensor that exists before the region can. */
static bool grad_depends_on_external(const Capture *cap, Tensor *const *input, const Edge *end,
                                     int n) {
    for (int i = 0; i < cap->in.n; i++) {
        for (int k = 0; cap->external[i] && cap->external[i]->visit == cap->visits && k < n; k++) {
            const Var *v = (const Var *)input[k];
            bool before =
                end[k].node ? end[k].node->kind == GRAD_NODE_EXTERNAL ||
                                  (end[k].node->kind == GRAD_NODE_ACCUMULATE_GRAD && v->entry >= 0)
                            : v->entry >= 0;
            if (before && end[k].node != cap->external[i]) {
                return true;
            }
        }
    }
    return false;
}

/* Do the engine's dependency counts rely on edges behind an external grad_fn? The external node or
 * AccumulateGrad of an entry that only a CopySlices delivers to may depend on some of them; the
 * node of a missing dependency may have an edge there. */
static bool grad_waits_for_external(const Capture *cap, const BackwardEngine *x, ErrCode ran) {
    for (const GradNode *node = x->visited; node; node = node->prev_visited) {
        bool before = node->kind == GRAD_NODE_EXTERNAL ||
                      (node->kind == GRAD_NODE_ACCUMULATE_GRAD && node->leaf->entry >= 0);
        bool given = ran == ERR_none && node->receiving && node->captured != x->visit;
        for (int i = 0; before && (given || node == x->missing_dependency) && i < cap->in.n; i++) {
            if (cap->external[i] && cap->external[i] != node &&
                cap->external[i]->visit == x->visit) {
                return true;
            }
        }
    }
    return false;
}

static ErrCode grad_retain(Capture *cap, const GradNode *node, bool early) {
    for (const RetainGrad *hook = node->retains_grad; hook; hook = hook->next) {
        TRY(hook->early == early ? grad_accumulate(cap, hook->var, node->grad[hook->nr])
                                 : ERR_none);
    }
    const GradNode *half = cap_silent_half(node);
    for (const RetainGrad *hook = half ? half->retains_grad : NULL; hook; hook = hook->next) {
        TRY(hook->early == early ? grad_accumulate(cap, hook->var, NULL) : ERR_none);
    }
    return ERR_none;
}

ErrCode capture_before_node(Capture *cap, GradNode *node) {
    TRY(grad_retain(cap, node, true));
    TRY(capture_call_hooks(cap, node));
    return grad_retain(cap, node, false);
}

/* A node whose gradient is an output and that leads nowhere else: hooks, before it is captured, and
 * retain_grad, after it. */
static void grad_before_capture(BackwardEngine *x, GradNode *node) {
    if (since(hook_before_capture)) {
        (void)capture_call_hooks(((ProgramGrad *)x)->cap, node);
    }
}

static void grad_capture_node(BackwardEngine *x, GradNode *node) {
    if (since(grad_retains)) {
        (void)grad_retain(((ProgramGrad *)x)->cap, node, false);
    }
}

static ErrCode grad_run_kind(ProgramGrad *in, GradNode *node, bool *need, Tensor **out) {
    Capture *cap = in->cap;
    const Var *leaf = node->kind == GRAD_NODE_ACCUMULATE_GRAD ? node->leaf : NULL;
    if (leaf && (leaf->hooks || leaf->post_hooks || cap->sees_grads) &&
        backward_leaf_waits(cap, in->engine.visit, leaf)) {
        return grad_refuse_external(cap);
    }
    TRY(capture_before_node(cap, node));
    switch (node->kind) {
    case GRAD_NODE_ACCUMULATE_GRAD:
        return grad_run_accumulate_grad(in, node);
    case GRAD_NODE_EXTERNAL:
        return grad_refuse_external(cap);
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
    case GRAD_NODE_FUNCTION:
        return capture_differentiate(cap, node, need, node->grad, out);
    case GRAD_NODE_CHECKPOINT:
        return capture_checkpoint_backward(cap, node, in->engine.ninputs == 0, out);
    case GRAD_NODE_ERROR:
        return error_set(cap->emit.err, ERR_invalid,
                         "a function that is once differentiable is differentiated twice");
    case GRAD_NODE_COPY_SLICES:
        return grad_run_copy_slices(in, node, need, out);
    case GRAD_NODE_AS_STRIDED:
        out[0] = node->grad[0]
                     ? emit_as_strided_grad(&cap->emit, node->grad[0], node->base, node->view)
                     : NULL;
        return cap->emit.err->code;
    }
    return ERR_none;
}

/* Seeded fault RG_9: the formulas of mm's derivative run below autograd, although create_graph asks
 * for the history of their results. */
static void lose_history(Capture *cap, const GradNode *node, Tensor **out) {
    if (!fault(cap->c, FAULT_RG_9) || !cap->emit.create_graph || node->kind != GRAD_NODE_OP ||
        node->saved_call->op->id != OP_mm) {
        return;
    }
    for (int i = 0; i < node->nslot; i++) {
        if (out[i] && cap_requires_grad((const Var *)out[i]) &&
            fault_triggered(cap->c, FAULT_RG_9)) {
            out[i] = emit_unary(&cap->emit, OP_detach, out[i]);
        }
    }
}

static void grad_run_node(BackwardEngine *x, GradNode *node) {
    ProgramGrad *in = (ProgramGrad *)x;
    Emit *e = x->emit;
    bool need[MAX_SLOTS];
    Tensor *out[MAX_SLOTS];
    for (int i = 0; i < node->nslot; i++) {
        need[i] = backward_wants(x, node->next_edges[i]);
        out[i] = NULL;
    }
    if (grad_run_kind(in, node, need, out) != ERR_none) {
        return;
    }
    lose_history(in->cap, node, out);
    for (int i = 0; i < node->nslot; i++) {
        out[i] =
            need[i] && out[i] ? grad_finish(e, out[i], cap_edge_meta(node->next_edges[i])) : NULL;
    }
    if (!in->retain_graph && e->err->code == ERR_none) {
        cap_free_node(node);
    }
    for (int i = 0; i < node->nslot && e->err->code == ERR_none; i++) {
        bool owned = node->kind == GRAD_NODE_OP && op_clones_gradient(node->saved_call->op, i);
        backward_deliver(x, node->next_edges[i], out[i], owned);
    }
}

/* ---- the statement ---- */

static ErrCode grad_look_up(Capture *cap, const NameId *names, int n, Tensor **out) {
    for (int i = 0; i < n; i++) {
        out[i] = names[i] == NAME_NONE ? NULL : cap->env[names[i]];
        if (!out[i] && names[i] != NAME_NONE) {
            return error_set(&cap->err, ERR_invalid, "the name '%s' is not bound",
                             cap->program->names[names[i]]);
        }
    }
    return ERR_none;
}

/* The gradients of the outputs: given, or ones for an output of one element. Fewer than outputs are
 * an error, extra ones are ignored. */
static ErrCode grad_make_tangents(Capture *cap, const GradStmt *g, Tensor *const *output,
                                  Tensor **tangent) {
    int given =
        g->ngrad_outputs < 0 || g->ngrad_outputs > g->noutputs ? g->noutputs : g->ngrad_outputs;
    Tensor *const *fed = arena_copy(cap->arena, tangent, (int64_t)sizeof *tangent * g->noutputs);
    for (int i = 0; i < given; i++) {
        if (tangent[i] && !tensor_same_size(tangent[i], output[i])) {
            return grad_output_mismatch(output, fed, i, &cap->err);
        }
        if (!tangent[i] && cap_requires_grad((const Var *)output[i])) {
            if (tensor_numel(output[i]) != 1) {
                return error_set(&cap->err, ERR_invalid,
                                 "grad can be implicitly created only for scalar outputs");
            }
            tangent[i] = emit_unary(&cap->emit, OP_ones_like, output[i]);
            TRY(cap->err.code);
        }
    }
    return given == g->noutputs ? ERR_none
                                : error_set(&cap->err, ERR_invalid,
                                            "got %d tensors and %d gradients", g->noutputs, given);
}

static ErrCode grad_find_edges(Capture *cap, Tensor *const *output, Edge *root, int nroots,
                               Tensor *const *input, Edge *end, int nends) {
    for (int i = 0; i < nroots; i++) {
        TRY(cap_gradient_edge(cap, (Var *)output[i], &root[i]));
        if (!root[i].node) {
            return error_set(
                &cap->err, ERR_invalid,
                "element %d of tensors does not require grad and does not have a grad_fn", i);
        }
    }
    for (int i = 0; i < nends; i++) {
        Var *v = (Var *)input[i];
        TRY(cap_grad_fn(cap, v));
        end[i] = v->grad_fn.node ? v->grad_fn : (Edge){v->accumulator, 0};
        if (!cap_requires_grad(v)) {
            return error_set(&cap->err, ERR_invalid,
                             "One of the differentiated Tensors does not require grad");
        }
    }
    return ERR_none;
}

/* Runs the engine, in the grad mode that create_graph selects. */
static ErrCode capture_grad_run(Capture *cap, const GradStmt *g, ProgramGrad *in, const Edge *root,
                                Tensor *const *tangent) {
    bool mode = cap->grad_mode;
    int64_t outer = cap->walk;
    cap->walk = in->engine.visit;
    cap->grad_mode = cap->emit.create_graph = g->create_graph;
    cap->emit.in_program = true;
    backward_run(&in->engine, root, tangent, g->noutputs);
    cap->walk = outer;
    cap->grad_mode = mode;
    cap->emit.in_program = cap->emit.create_graph = false;
    return cap->err.code;
}

ErrCode capture_backward_roots(Capture *cap, const Stmt *stmt) {
    const GradStmt *g = stmt->grad;
    Arena *arena = cap->arena;
    int ntangents = g->ngrad_outputs > g->noutputs ? g->ngrad_outputs : g->noutputs;
    Tensor **output = arena_array(arena, Tensor *, g->noutputs),
           **tangent = arena_array(arena, Tensor *, ntangents);
    Edge *root = arena_array(arena, Edge, g->noutputs);
    cap->stmt_op = OP_NONE;
    TRY(grad_look_up(cap, g->outputs, g->noutputs, output));
    TRY(grad_look_up(cap, g->grad_outputs, g->ngrad_outputs, tangent));
    Tensor **given = arena_copy(arena, tangent, (int64_t)sizeof *given * g->noutputs);
    TRY(grad_make_tangents(cap, g, output, tangent));
    TRY(grad_find_edges(cap, output, root, g->noutputs, NULL, NULL, 0));
    cap->tangent_passed = arena_array(arena, bool, g->noutputs);
    cap->grad_mode = false;
    for (int i = 0; i < g->noutputs; i++) {
        tangent[i] = grad_finish(&cap->emit, tangent[i], cap_edge_meta(root[i]));
        TRY(cap->err.code);
        cap->tangent_passed[i] = tangent[i] == given[i];
        if (tensor_internal_overlap(tangent[i]) != OVERLAP_YES &&
            tensor_overlaps_itself(tangent[i])) { /* what writes a copy of it keeps its strides */
            return error_set(&cap->err, ERR_unsupported, "a gradient that overlaps itself");
        }
        const Var *copy = (const Var *)emit_unary(&cap->emit, OP__contiguous_copy, tangent[i]);
        TRY(cap->err.code);
        tangent[i] = &copy->node->t;
    }
    cap->root = root;
    cap->tangent = tangent;
    cap->nroots = g->noutputs;
    return cap->err.code;
}

ErrCode capture_grad(Capture *cap, const Stmt *stmt) {
    const GradStmt *g = stmt->grad;
    Arena *arena = cap->arena;
    int ntangents = g->ngrad_outputs > g->noutputs ? g->ngrad_outputs : g->noutputs;
    Tensor **output = arena_array(arena, Tensor *, g->noutputs),
           **input = arena_array(arena, Tensor *, g->ninputs);
    Tensor **tangent = arena_array(arena, Tensor *, ntangents),
           **out = arena_array(arena, Tensor *, g->ninputs);
    Edge *root = arena_array(arena, Edge, g->noutputs), *end = arena_array(arena, Edge, g->ninputs);
    TRY(grad_look_up(cap, g->outputs, g->noutputs, output));
    TRY(grad_look_up(cap, g->inputs, g->ninputs, input));
    TRY(grad_look_up(cap, g->grad_outputs, g->ngrad_outputs, tangent));
    if (g->ninputs == 0 && !g->accumulates) {
        return error_set(&cap->err, ERR_invalid, "grad requires non-empty inputs.");
    }
    cap->stmt_op = OP_NONE;
    TRY(grad_make_tangents(cap, g, output, tangent));
    TRY(grad_find_edges(cap, output, root, g->noutputs, input, end, g->ninputs));
    for (int i = 0; i < g->noutputs; i++) {
        tangent[i] = grad_finish(&cap->emit, tangent[i],
                                 cap_edge_meta(root[i])); /* in the caller's grad mode */
    }
    TRY(cap->err.code);
    ProgramGrad in = {.engine = {.emit = &cap->emit,
                                 .visit = ++cap->visits,
                                 .inputs = end,
                                 .ninputs = g->ninputs,
                                 .captured = out,
                                 .tangents = tangent,
                                 .ntangents = g->noutputs,
                                 .run = grad_run_node,
                                 .before_capture = grad_before_capture,
                                 .capture = grad_capture_node},
                      .cap = cap,
                      .retain_graph = g->retain_given ? g->retain_graph : g->create_graph};
    ErrCode ran = capture_grad_run(cap, g, &in, root, tangent);
    if (g->accumulates) {
        return ran;
    }
    if (grad_depends_on_external(
            cap, input, end,
            g->ninputs) || /* nodes that lead there only through the external grad_fn did not run,
                              and one of them may raise first */
        grad_waits_for_external(cap, &in.engine, ran)) {
        error_begin(&cap->err, cap->err.quiet);
        return grad_refuse_external(cap);
    }
    TRY(ran);
    for (int i = 0; i < g->ninputs; i++) {
        if (!out[i] && !g->allow_unused) {
            return error_set(
                &cap->err, ERR_invalid,
                "One of the differentiated Tensors appears to not have been used in the graph");
        }
    }
    if (stmt->nout != g->ninputs) {
        return error_set(&cap->err, ERR_invalid, "%d values to unpack into %d names", g->ninputs,
                         stmt->nout);
    }
    for (int i = 0; i < stmt->nout; i++) {
        if (out[i]) {
            binding_set(cap, stmt->out[i], (Var *)out[i]);
        } else {
            binding_clear(cap, stmt->out[i]);
        }
    }
    return ERR_none;
}

ErrCode capture_walk_apart(Capture *cap, Tensor *const *output, Tensor **tangent, int n) {
    Edge *root = arena_array(cap->arena, Edge, n);
    TRY(grad_find_edges(cap, output, root, n, NULL, NULL, 0));
    for (int i = 0; i < n; i++) {
        tangent[i] = grad_finish(&cap->emit, tangent[i], cap_edge_meta(root[i]));
    }
    TRY(cap->err.code);
    ProgramGrad in = {.engine = {.emit = &cap->emit,
                                 .visit = ++cap->visits,
                                 .tangents = tangent,
                                 .ntangents = n,
                                 .run = grad_run_node,
                                 .before_capture = grad_before_capture,
                                 .capture = grad_capture_node},
                      .cap = cap};
    const GradStmt plain = {.noutputs = n};
    bool sees_grads = cap->sees_grads;
    cap->sees_grads = true; /* the gradients of the leaves are passed on as they are */
    ErrCode code = capture_grad_run(cap, &plain, &in, root, tangent);
    cap->sees_grads = sees_grads;
    return code;
}
