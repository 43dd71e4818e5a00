/* The autograd record of the captured tensors: semantics.md, sections 1 to 4, on metadata.
 *
 * A view's history is remade lazily: a view remembers the version at which its history was made,
 * and when somebody asks for it at another version it becomes a strided read of its base's present
 * history. A write through a view gives the *base* a REGION node, "the old gradient with the view's
 * region replaced by what the op makes of it", which bumps the version and so makes every other
 * view of that base stale. Nothing here looks at data: versions are counted as the program is
 * walked, so what a backward would find modified is known when the capture ends.
 *
 * Sequence numbers are given where PyTorch makes its nodes, since they order the backward. */
#include "compiled/capture/capture.h"

bool cap_requires_grad(const Var *v) {
    return v->requires_grad || v->history.to || (v->base && cap_requires_grad(v->base));
}

static int64_t cap_version(const Var *v) { return v->t.storage->version; }

bool cap_is_stale(const Var *v) {
    return v->base && cap_version(v) != v->attr_version &&
           (v->history.to || cap_requires_grad(v->base));
}

bool cap_has_grad_fn(const Var *v) { return v->history.to || cap_is_stale(v); }

GradNode *tape_new(Capture *cap, GradNodeKind kind, int nslot, int nout) {
    GradNode *node = arena_new(cap->arena, GradNode);
    node->kind = kind;
    node->sequence_nr = node->number = cap->sequence_nr++;
    node->older = cap->tape;
    cap->tape = node;
    node->sid = cap->sid;
    node->nslot = nslot;
    node->nout = nout;
    node->next = arena_array(cap->arena, Edge, nslot);
    return node;
}

static void freeze_call(Call *call, const Tensor *t, Tensor *before) {
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &call->arg[p];
        ArgType type = call->op->param[p].type;
        if ((type == ARG_TENSOR || type == ARG_TENSOR_OPT) && !arg->none && arg->tensor == t) {
            arg->tensor = before;
        }
        for (int k = 0;
             (type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !arg->none && k < arg->tensors.n;
             k++) {
            arg->tensors.v[k] = arg->tensors.v[k] == t ? before : arg->tensors.v[k];
        }
    }
}

void cap_freeze(Capture *cap, const Var *v) {
    const Tensor *t = &v->t;
    Tensor *before = arena_copy(cap->arena, t, sizeof *t);
    for (GradNode *node = cap->tape; node; node = node->older) {
        for (int i = 0; node->input && i < node->nslot; i++) {
            node->input[i] = node->input[i] == t ? before : node->input[i];
        }
        for (int i = 0; node->out && i < node->nout; i++) {
            node->out[i] = node->out[i] == t ? before : node->out[i];
        }
        if (node->call &&
            node->call->arg[0].tensor == t) { /* of a view: its only differentiable operand */
            node->call->arg[0].tensor = before;
        }
        if (node->tensors) {
            freeze_call(node->tensors, t, before);
        }
        node->base = node->base == t || (node->leaf == v && !node->base) ? before : node->base;
        node->view = node->view == t ? before : node->view;
    }
}

const Tensor *cap_edge_meta(Edge edge) {
    const GradNode *node = edge.to;
    switch (node->kind) {
    case GRAD_NODE_OP:
    case GRAD_NODE_ZERO:
        return node->out[edge.nr];
    case GRAD_NODE_COPY_SLICES:
        return node->base;
    case GRAD_NODE_AS_STRIDED:
        return node->view;
    case GRAD_NODE_EXTERNAL:
        return node->base;
    case GRAD_NODE_ACCUMULATE:
        break;
    }
    return node->base ? node->base : &node->leaf->t;
}

GradNode *tape_leaf(Capture *cap, Var *v) {
    if (!v->accumulator) {
        v->accumulator = tape_new(cap, GRAD_NODE_ACCUMULATE, 0, 1);
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
    return error_set(cap->emit.err, ERR_no_grad_view_inplace,
                     "the view was created in no_grad mode");
}

/* What retain_grad registered on `v` follows it to its new grad_fn
 * (update_tensor_hooks_on_new_gradfn in torch/csrc/autograd/variable.cpp); in-place views leave it
 * where it is. */
static void cap_move_retain(Capture *cap, Var *v, GradNode *to) {
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
    *hook = (RetainGrad){v, 0, to->retains_grad};
    to->retains_grad = hook;
    v->retained_at = to;
}

/* grad_fn becomes as_strided of the base, made at this version. */
static ErrCode cap_remake(Capture *cap, Var *v) {
    if (v->creation_meta != CREATION_DEFAULT) {
        return creation_error(cap, v);
    }
    GradNode *node = tape_new(cap, GRAD_NODE_AS_STRIDED, 1, 1);
    node->base = &v->base->t;
    node->view = &v->t;
    node->input = arena_copy(cap->arena, &node->base, sizeof node->base);
    cap_move_retain(cap, v, node);
    v->history = (Edge){node, 0};
    v->attr_version = cap_version(v);
    return cap_ask(cap, v->base, &node->next[0]);
}

ErrCode cap_ask(Capture *cap, Var *v, Edge *edge) {
    if (cap_is_stale(v)) {
        TRY(cap_remake(cap, v));
    }
    if (!edge) {
        return ERR_none;
    }
    if (v->history.to) {
        *edge = v->history;
    } else if (v->requires_grad) {
        *edge = (Edge){tape_leaf(cap, v), 0};
    } else {
        *edge = (Edge){NULL, 0};
    }
    return ERR_none;
}

void cap_make_view(Capture *cap, Var *out, Var *self, bool multi) {
    out->base = self->base ? self->base : self;
    out->attr_version = cap_version(out);
    if (!cap->grad_mode) {
        out->creation_meta = CREATION_NO_GRAD;
    } else if (multi) {
        out->creation_meta = CREATION_MULTI_OUTPUT;
    } else {
        out->creation_meta =
            self->creation_meta; /* a view of a restricted view is restricted alike */
    }
}

ErrCode cap_check_write(Capture *cap, Var *self) {
    if (self->base) {
        if (self->creation_meta != CREATION_DEFAULT) {
            return creation_error(cap, self);
        }
        if (cap_requires_grad(self) && !self->base->history.to) {
            return error_set(
                cap->emit.err, ERR_leaf_view_inplace,
                "a view of a leaf that requires grad is used in an in-place operation");
        }
    }
    if (cap_requires_grad(self) &&
        !self->history.to) { /* a stale history is not remade to answer this */
        return error_set(cap->emit.err, ERR_leaf_inplace,
                         "a leaf that requires grad is used in an in-place operation");
    }
    return ERR_none;
}

ErrCode cap_rebase(Capture *cap, Var *self, GradNode *fn) {
    Var *base = self->base;
    if (!base) {
        cap_move_retain(cap, self, fn);
        self->history = (Edge){fn, 0};
        return ERR_none;
    }
    GradNode *region = tape_new(cap, GRAD_NODE_COPY_SLICES, fn->nslot, 1);
    region->base = &base->t;
    region->view = &self->t;
    region->inner = fn;
    const Tensor **input = arena_copy(cap->arena, fn->input, fn->nslot * (int64_t)sizeof *input);
    input[0] = &base->t;
    region->input = input;
    for (int i = 1; i < fn->nslot; i++) {
        region->next[i] = fn->next[i];
    }
    TRY(cap_ask(cap, base, &region->next[0]));
    base->history = (Edge){region, 0};
    return cap_ask(cap, self, NULL);
}

void cap_set_history(Var *self, GradNode *fn) {
    self->history = (Edge){fn, 0};
    self->attr_version = cap_version(self);
}

ErrCode tape_connect(Capture *cap, GradNode *node, const OpInfo *op, Tensor *const *slot) {
    node->input = arena_copy(cap->arena, slot, node->nslot * (int64_t)sizeof *slot);
    for (int i = 0; i < node->nslot; i++) {
        if (slot[i] && !(op->non_differentiable >> i & 1)) {
            TRY(cap_ask(cap, (Var *)slot[i], &node->next[i]));
        }
    }
    return ERR_none;
}

/* Room for two entries a slot (an index and the mask behind it) and the result. */
static void add_saved(Capture *cap, GradNode *node, SavedVariable saved) {
    if (!node->saved) {
        node->saved = arena_array(cap->arena, SavedVariable, 2 * node->nslot + 1);
    }
    node->saved[node->nsaved++] = saved;
}

const bool *tape_needs(const GradNode *node, bool *need) {
    for (int i = 0; i < node->nslot; i++) {
        need[i] = node->next[i].to != NULL;
    }
    return need;
}

void tape_save(Capture *cap, GradNode *node, const Call *call, Tensor *const *slot, int skip) {
    bool need[MAX_SLOTS];
    tape_needs(node, need);
    for (int i = 0; i < node->nslot; i++) {
        if (i != skip && slot[i] && call_saves_slot(call, i, need)) {
            Var *v = (Var *)slot[i];
            const Var *root = v->base ? v->base : v;
            if (root->mask) {
                add_saved(cap, node,
                          (SavedVariable){alias_class_of(&root->mask->t), root->mask_version, NULL,
                                          true});
            }
            add_saved(cap, node,
                      (SavedVariable){alias_class_of(&v->t), cap_version(v), v, !v->history.to});
        }
    }
}

void tape_save_result(Capture *cap, GradNode *node, const Call *call, const Var *result) {
    bool need[MAX_SLOTS];
    if (op_saves_result(call, tape_needs(node, need))) {
        add_saved(cap, node,
                  (SavedVariable){alias_class_of(&result->t), cap_version(result), NULL, true});
    }
}

ErrCode cap_detach_in_place(Capture *cap, Var *self) {
    if (self->base) {
        return error_set(cap->emit.err, ERR_invalid,
                         "can't detach views in-place; use detach() instead");
    }
    self->requires_grad = false;
    self->history = (Edge){NULL, 0};
    return ERR_none;
}

ErrCode cap_set_requires_grad(Capture *cap, Var *self, bool requires_grad) {
    if (self->history.to && !requires_grad) { /* a stale history is not remade to answer this */
        return error_set(cap->emit.err, ERR_grad_non_leaf,
                         "you can only change requires_grad flags of leaf variables");
    }
    if (requires_grad && !dtype_is_float(self->t.dtype)) {
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
    TRY(cap_ask(cap, self, NULL));
    GradNode *fn = self->history.to;
    if (fn && (fn->kind == GRAD_NODE_EXTERNAL || cap->in.setup ||
               (self->input >= 0 && cap->program->nrecalls > 0))) {
        return error_set(cap->emit.err, ERR_unsupported,
                         "retain_grad on a tensor that outlives the call");
    }
    if (fn && !self->retains_grad) {
        self->retains_grad = true;
        RetainGrad *hook = arena_new(cap->arena, RetainGrad);
        *hook = (RetainGrad){self, self->history.nr, fn->retains_grad};
        fn->retains_grad = hook;
        self->retained_at = fn;
    }
    return ERR_none;
}
