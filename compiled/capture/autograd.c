/* The autograd record of the captured tensors: semantics.md, sections 1 to 4, on metadata.
 *
 * A view's grad_fn is regenerated lazily: the view remembers the storage's version at which it was
 * made, and when it is needed at another version it becomes AsStrided of the base's current
 * grad_fn. A write through a view gives the *base* a CopySlices node ("the old gradient with the
 * view's slice replaced by what the op computes for it") and bumps the version, so that every other
 * view of the base becomes stale. Nothing here reads data: versions are counted as the program is
 * walked, so what a backward would find modified is known when the capture ends.
 *
 * Sequence numbers are assigned where PyTorch creates its nodes, since they order the backward. */
#include "compiled/capture/capture.h"

#include <limits.h>

bool cap_requires_grad(const Var *v) {
    return v->requires_grad || v->grad_fn.node || (v->base && cap_requires_grad(v->base));
}

static int64_t cap_version(const Var *v) { return *storage_version(v->tensor.storage); }

/* The view's grad_fn belongs to another version of its storage and has to be regenerated before it
 * is used. */
static bool cap_is_stale(const Var *v) {
    return v->base && cap_version(v) != v->attr_version &&
           (v->grad_fn.node || cap_requires_grad(v->base));
}

bool cap_has_grad_fn(const Var *v) { return v->grad_fn.node || cap_is_stale(v); }

GradNode *cap_node_new(Capture *cap, GradNodeKind kind, int nslot, int nout) {
    GradNode *node = arena_new(cap->arena, GradNode);
    node->kind = kind;
    node->sequence_nr = node->number = cap->sequence_nr++;
    node->older = cap->tape;
    cap->tape = node;
    node->sid = cap->sid;
    node->nslot = nslot;
    node->nout = nout;
    node->in_formula = cap->emit.in_formula;
    node->next_edges = arena_array(cap->arena, Edge, nslot);
    return node;
}

void cap_call_replace(Call *call, const Tensor *t, Tensor *by) {
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &call->arg[p];
        ArgType type = call->op->param[p].type;
        if ((type == ARG_TENSOR || type == ARG_TENSOR_OPT) && !arg->none && arg->tensor == t) {
            arg->tensor = by;
        }
        for (int k = 0;
             (type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !arg->none && k < arg->tensors.n;
             k++) {
            arg->tensors.v[k] = arg->tensors.v[k] == t ? by : arg->tensors.v[k];
        }
    }
}

void cap_freeze_geometry(Capture *cap, const Var *v) {
    const Tensor *t = &v->tensor;
    Var *copy = arena_copy(cap->arena, v, sizeof *v); /* a checkpoint reads saved ones as values */
    Tensor *before = &copy->tensor;
    for (GradNode *node = cap->tape; node; node = node->older) {
        for (int i = 0; node->operand && i < node->nslot; i++) {
            node->operand[i] = node->operand[i] == t ? before : node->operand[i];
        }
        for (int i = 0; node->result && i < node->nout; i++) {
            node->result[i] = node->result[i] == t ? before : node->result[i];
        }
        if (node->call &&
            node->call->arg[0].tensor == t) { /* of a view: its only differentiable operand */
            node->call->arg[0].tensor = before;
        }
        if (node->saved_call) {
            cap_call_replace(node->saved_call, t, before);
        }
        node->saved_result = node->saved_result == v ? copy : node->saved_result;
        node->base = node->base == t || (node->leaf == v && !node->base) ? before : node->base;
        node->view = node->view == t ? before : node->view;
    }
}

const Tensor *cap_edge_meta(Edge edge) {
    const GradNode *node = edge.node;
    switch (node->kind) {
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
    case GRAD_NODE_FUNCTION:
    case GRAD_NODE_CHECKPOINT:
    case GRAD_NODE_ERROR:
        return node->result[edge.nr];
    case GRAD_NODE_COPY_SLICES:
        return node->base;
    case GRAD_NODE_AS_STRIDED:
        return node->view;
    case GRAD_NODE_EXTERNAL:
        return node->base;
    case GRAD_NODE_ACCUMULATE_GRAD:
        break;
    }
    return node->base ? node->base : &node->leaf->tensor;
}

GradNode *cap_grad_accumulator(Capture *cap, Var *v) {
    if (!v->accumulator) {
        v->accumulator = cap_node_new(cap, GRAD_NODE_ACCUMULATE_GRAD, 0, 1);
        v->accumulator->sequence_nr =
            INT64_MAX; /* gradients are accumulated before anything else is run */
        v->accumulator->leaf = v;
    }
    return v->accumulator;
}

static ErrCode creation_error(Capture *cap, const Var *v) {
    if (v->creation_meta == CREATION_MULTI_OUTPUT) {
        return error_set(cap->emit.err, ERR_multi_view_inplace,
                         "the view is the output of a function that returns multiple views");
    }
    if (v->creation_meta == CREATION_FUNCTION) {
        return error_set(cap->emit.err, ERR_invalid, "the view was returned by a function");
    }
    return error_set(cap->emit.err, ERR_no_grad_view_inplace,
                     "the view was created in no_grad mode");
}

/* What retain_grad registered on `v` follows it to its new grad_fn
 * (update_tensor_hooks_on_new_gradfn in torch/csrc/autograd/variable.cpp); in-place views leave it
 * where it is. */
static void cap_move_retains_grad(Capture *cap, Var *v, GradNode *to) {
    v->hooks = NULL; /* they stay where they are */
    if (!v->retains_grad) {
        return;
    }
    for (RetainGrad **at = &v->retained_at->retains_grad; *at; at = &(*at)->next) {
        if ((*at)->var == v) {
            *at = (*at)->next;
            break;
        }
    }
    RetainGrad *hook = arena_new(cap->arena, RetainGrad);
    *hook = (RetainGrad){v, 0, !since(hook_before_retain), to->retains_grad};
    to->retains_grad = hook;
    v->retained_at = to;
}

/* grad_fn becomes as_strided of the base, made at this version. */
static ErrCode cap_regenerate_grad_fn(Capture *cap, Var *v) {
    if (v->creation_meta != CREATION_DEFAULT) {
        return creation_error(cap, v);
    }
    GradNode *node = cap_node_new(cap, GRAD_NODE_AS_STRIDED, 1, 1);
    node->base = &v->base->tensor;
    node->view = &v->tensor;
    node->operand = arena_copy(cap->arena, &node->base, sizeof node->base);
    cap_move_retains_grad(cap, v, node);
    v->grad_fn = (Edge){node, 0};
    v->attr_version = cap_version(v);
    return cap_gradient_edge(cap, v->base, &node->next_edges[0]);
}

ErrCode cap_grad_fn(Capture *cap, Var *v) {
    return cap_is_stale(v) ? cap_regenerate_grad_fn(cap, v) : ERR_none;
}

ErrCode cap_gradient_edge(Capture *cap, Var *v, Edge *edge) {
    TRY(cap_grad_fn(cap, v));
    *edge = v->grad_fn.node    ? v->grad_fn
            : v->requires_grad ? (Edge){cap_grad_accumulator(cap, v), 0}
                               : (Edge){NULL, 0};
    return ERR_none;
}

Var *cap_new_view(Capture *cap, Var *of, const Tensor *meta, bool multi) {
    AliasClass *cls = alias_class_of(&of->tensor);
    Var *v = capture_var(cap, cls, meta, graph_view(cap->graph, cls->buffer, meta, cap->sid));
    v->tensor.storage = capture_recounted(cap, cls, of->tensor.storage);
    v->base = of->base ? of->base : of;
    v->attr_version = cap_version(v);
    v->creation_meta = !cap->grad_mode ? CREATION_NO_GRAD
                       : multi         ? CREATION_MULTI_OUTPUT
                                       : of->creation_meta;
    if (fault(cap->c, FAULT_AL_8) && v->creation_meta == CREATION_MULTI_OUTPUT && !multi &&
        fault_triggered(cap->c, FAULT_AL_8)) {
        v->creation_meta = CREATION_DEFAULT;
    }
    return v;
}

ErrCode cap_check_inplace(Capture *cap, Var *self) {
    if (self->base) {
        if (self->creation_meta != CREATION_DEFAULT) {
            return creation_error(cap, self);
        }
        if (cap_requires_grad(self) && !self->base->grad_fn.node) {
            return error_set(
                cap->emit.err, ERR_leaf_view_inplace,
                "a view of a leaf that requires grad is used in an in-place operation");
        }
    }
    if (cap_requires_grad(self) && !self->grad_fn.node) { /* does not regenerate a stale grad_fn */
        return error_set(cap->emit.err, ERR_leaf_inplace,
                         "a leaf that requires grad is used in an in-place operation");
    }
    return ERR_none;
}

ErrCode cap_rebase_history(Capture *cap, Var *self, GradNode *fn, const OpInfo *op) {
    Var *base = self->base;
    if (!base) {
        cap_move_retains_grad(cap, self, fn);
        self->grad_fn = (Edge){fn, 0};
        return ERR_none;
    }
    GradNode *copy_slices = cap_node_new(cap, GRAD_NODE_COPY_SLICES, fn->nslot, 1);
    copy_slices->base = &base->tensor;
    copy_slices->view = &self->tensor;
    copy_slices->fn = fn;
    const Tensor **input = arena_copy(cap->arena, fn->operand, fn->nslot * (int64_t)sizeof *input);
    input[0] = &base->tensor;
    copy_slices->operand = input;
    /* NotImplemented has edges for the operands that require grad only: if self does not, the first
     * is taken for self's, and lost (autogradNotImplementedFallbackImpl, CopySlices) */
    bool lost = op && op_refuses_backward(op) && !fn->next_edges[0].node;
    for (int i = 1; i < fn->nslot; i++) {
        copy_slices->next_edges[i] = lost ? (Edge){NULL, 0} : fn->next_edges[i];
        lost = lost && !fn->next_edges[i].node;
    }
    TRY(cap_gradient_edge(cap, base, &copy_slices->next_edges[0]));
    if (since(retain_follows_base) && cap_requires_grad(self)) {
        cap_move_retains_grad(cap, base, copy_slices);
    }
    base->grad_fn = (Edge){copy_slices, 0};
    return cap_grad_fn(cap, self);
}

void cap_set_history(Var *self, GradNode *fn) {
    self->grad_fn = (Edge){fn, 0};
    self->attr_version = cap_version(self);
}

ErrCode cap_collect_next_edges(Capture *cap, GradNode *node, const OpInfo *op,
                               Tensor *const *slot) {
    node->operand = arena_copy(cap->arena, slot, node->nslot * (int64_t)sizeof *slot);
    if (since(no_derivative_first) && op_refuses_backward(op)) {
        node->sequence_nr = INT64_MAX; /* NotImplemented runs as soon as it can */
    }
    for (int i = 0; i < node->nslot; i++) {
        if (slot[i] && !(op->non_differentiable >> i & 1)) {
            TRY(cap_gradient_edge(cap, (Var *)slot[i], &node->next_edges[i]));
        }
    }
    if (cap->checkpoint) {
        capture_checkpoint_begins(cap, node);
    }
    return ERR_none;
}

/* Room for two entries a slot (an index and the mask behind it), the result, and two more
 * (cap_also_saves). */
static void add_saved(Capture *cap, GradNode *node, SavedVariable saved) {
    int room = 2 * node->nslot + 3, at = node->nsaved++;
    if (!node->saved) {
        node->saved = arena_array(cap->arena, SavedVariable, room);
    }
    CHECK(at < room);
    saved.writes = storage_whole(saved.storage)->writes;
    for (; at > 0 && node->saved[at - 1].rank > saved.rank; at--) {
        node->saved[at] = node->saved[at - 1];
    }
    node->saved[at] = saved;
}

const bool *cap_edges_needed(const GradNode *node, bool *need) {
    for (int i = 0; i < node->nslot; i++) {
        need[i] = node->next_edges[i].node != NULL;
    }
    return need;
}

/* Seeded fault ER_11: for the mean of a view of an argument, of which the backward needs the sizes
 * only, the argument is saved. */
static void save_for_sizes(Capture *cap, GradNode *node, const Call *call, const Var *v) {
    if (fault(cap->c, FAULT_ER_11) && call->op->id == OP_mean_dim && v->base &&
        v->base->entry >= 0) {
        add_saved(cap, node, (SavedVariable){v->tensor.storage, cap_version(v), NULL, true, 0, 0});
    }
}

void cap_save_operands(Capture *cap, GradNode *node, const Call *call, Tensor *const *slot,
                       int skip) {
    bool need[MAX_SLOTS];
    cap_edges_needed(node, need);
    save_for_sizes(cap, node, call, (const Var *)slot[0]);
    for (int i = 0; i < node->nslot; i++) {
        if (i != skip && slot[i] && call_saves_slot(call, i, need)) {
            Var *v = (Var *)slot[i];
            const Var *root = v->base ? v->base : v;
            int rank = call_saved_rank(call, i);
            if (root->mask) {
                add_saved(cap, node,
                          (SavedVariable){root->mask->tensor.storage, root->mask_version, NULL,
                                          true, rank, 0});
            }
            add_saved(
                cap, node,
                (SavedVariable){v->tensor.storage, cap_version(v), v, !v->grad_fn.node, rank, 0});
        }
    }
    if (cap->checkpoint && capture_checkpoint_packs(node)) {
        capture_checkpoint_saves(cap, node, false);
    }
}

void cap_save_result(Capture *cap, GradNode *node, const Call *call, const Var *result) {
    bool need[MAX_SLOTS];
    if (op_saves_result(call, cap_edges_needed(node, need))) {
        add_saved(cap, node,
                  (SavedVariable){result->tensor.storage, cap_version(result), NULL, true,
                                  call_saved_rank(call, -1), 0});
        if (cap->checkpoint) {
            capture_checkpoint_saves(cap, node, true);
        }
    }
}

void cap_also_saves(Capture *cap, GradNode *node, const Var *other) {
    add_saved(cap, node,
              (SavedVariable){other->tensor.storage, cap_version(other), NULL, true, INT_MAX, 0});
}

ErrCode cap_detach_in_place(Capture *cap, Var *self) {
    if (self->base) {
        return error_set(cap->emit.err, ERR_invalid,
                         "can't detach views in-place; use detach() instead");
    }
    if (fault(cap->c, FAULT_RG_3) && cap_requires_grad(self) &&
        fault_triggered(cap->c, FAULT_RG_3)) {
        return ERR_none; /* the identity on values */
    }
    self->requires_grad = false;
    self->grad_fn = (Edge){NULL, 0};
    return ERR_none;
}

ErrCode cap_set_requires_grad(Capture *cap, Var *self, bool requires_grad) {
    if (self->grad_fn.node && !requires_grad) { /* does not regenerate a stale grad_fn */
        return error_set(cap->emit.err, ERR_grad_non_leaf,
                         "you can only change requires_grad flags of leaf variables");
    }
    if (requires_grad && !dtype_is_float(self->tensor.dtype)) {
        return error_set(cap->emit.err, ERR_grad_dtype,
                         "only tensors of floating point dtype can require gradients");
    }
    self->requires_grad = requires_grad;
    return ERR_none;
}

ErrCode cap_retain_grad(Capture *cap, Var *self) {
    if (!cap_requires_grad(self)) {
        return error_set(cap->emit.err, ERR_invalid,
                         "can't retain_grad on Tensor that has requires_grad=False");
    }
    if (since(retain_stale_view) && (!self->grad_fn.node || self->retains_grad)) {
        return ERR_none; /* a leaf, as far as it knows, or nothing new */
    }
    TRY(cap_grad_fn(cap, self));
    GradNode *fn = self->grad_fn.node;
    if (fn && (fn->kind == GRAD_NODE_EXTERNAL || cap->in.setup ||
               (self->entry >= 0 && cap->program->nrecalls > 0))) {
        return error_set(cap->emit.err, ERR_unsupported,
                         "retain_grad on a tensor that outlives the call");
    }
    if (fn && !self->retains_grad) {
        self->retains_grad = true;
        if (fault(cap->c, FAULT_RG_11) && self->base && self->base->entry >= 0 &&
            fault_triggered(cap->c, FAULT_RG_11)) { /* the effect is not recorded */
            self->retained_at = fn;
            return ERR_none;
        }
        RetainGrad *hook = arena_new(cap->arena, RetainGrad);
        bool early = !since(hook_before_retain) && !self->hooks;
        *hook = (RetainGrad){self, self->grad_fn.nr, early, fn->retains_grad};
        fn->retains_grad = hook;
        self->retained_at = fn;
    }
    return ERR_none;
}
