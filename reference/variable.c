/* The autograd record of a tensor: the rules of torch/csrc/autograd/variable.cpp and
 * VariableTypeUtils.h of PyTorch 1.13.
 *
 * The three that matter:
 *   - requires_grad looks through a view to its base;
 *   - grad_fn is materialized, not read: a stale view's is regenerated (VariableHooks::grad_fn);
 *   - a recorded write to a view is a write to its base (rebase_history). */
#include "reference/tape.h"

#include <string.h>

static void meta_copy(Tensor *to, const Tensor *from) {
    to->dtype = from->dtype;
    to->ndim = from->ndim;
    to->offset = from->offset;
    dims_copy(to->size, from->size, from->ndim);
    dims_copy(to->stride, from->stride, from->ndim);
}

Tensor *tensor_meta(Session *s, const Tensor *t) {
    Tensor *meta = arena_alloc_raw(s->arena, (int64_t)sizeof *meta);
    meta_copy(meta, t);
    meta->storage = NULL;
    return meta;
}

Var *var_new(Session *s, const Tensor *meta) {
    Var *v = arena_alloc_raw(s->arena, (int64_t)sizeof *v);
    meta_copy(&v->tensor, meta);
    v->tensor.storage = meta->storage;
    v->base = NULL;
    v->creation_meta = CREATION_DEFAULT;
    v->requires_grad = false;
    v->output_nr = 0;
    v->grad_fn = NULL;
    v->attr_version = 0;
    v->accumulator = NULL;
    v->grad = NULL;
    v->retains_grad = v->returned = v->second_output = false;
    v->retained_at = NULL;
    v->hooks = v->post_hooks = NULL;
    v->mask = NULL;
    v->mask_version = 0;
    return v;
}

Var *var_new_view(Session *s, Var *of, const Tensor *meta, bool multi) {
    Var *v = var_new(s, meta);
    v->tensor.storage = of->tensor.storage;
    v->base = of->base ? of->base : of;
    v->attr_version = *storage_version(of->tensor.storage);
    v->creation_meta = !s->grad_mode ? CREATION_NO_GRAD
                       : multi       ? CREATION_MULTI_OUTPUT
                       : of->base    ? of->creation_meta
                                     : CREATION_DEFAULT;
    return v;
}

/* handle_view_on_rebase: a view of some kinds, and its base, may not be written where that would be
 * recorded. */
static ErrCode refuse_creation(Session *s, const Var *v, const char *modified) {
    switch (v->creation_meta) {
    case CREATION_DEFAULT:
        return ERR_none;
    case CREATION_NO_GRAD:
        return error_set(
            s->err, ERR_no_grad_view_inplace,
            "a view was created in no_grad mode and %s modified inplace with grad mode enabled",
            modified);
    case CREATION_MULTI_OUTPUT:
        return error_set(s->err, ERR_multi_view_inplace,
                         "a view is the output of a function that returns multiple views, and %s "
                         "modified inplace",
                         modified);
    case CREATION_FUNCTION:
        return error_set(s->err, ERR_invalid,
                         "a view was created inside a custom Function, and %s modified inplace",
                         modified);
    }
    return ERR_none;
}

/* What retain_grad registered on `v` follows it to its new grad_fn
 * (update_tensor_hooks_on_new_gradfn); in-place views leave it where it is. */
static void var_move_retains_grad(Session *s, Var *v, GradNode *to) {
    v->hooks = NULL; /* they stay where they are */
    if (!v->retains_grad) {
        return;
    }
    bool lost = v->grad_fn != v->retained_at || v->second_output;
    for (RetainGrad **at = &v->retained_at->retains_grad; *at; at = &(*at)->next) {
        if ((*at)->var == v) {
            lost |= (*at)->nr != 0; /* PyTorch looks up the new output_nr */
            *at = (*at)->next;
            break;
        }
    }
    RetainGrad *hook = arena_new(s->arena, RetainGrad);
    *hook = (RetainGrad){v, 0, !since(hook_before_retain), to->retains_grad};
    to->retains_grad = hook;
    v->retained_at = to;
    session_undefined(s, since(retain_in_place_view) && lost,
                      "the hook of retain_grad is not at the old grad_fn: PyTorch fails an "
                      "internal assertion");
}

/* grad_fn becomes AsStrided of the base, made at this version. */
static ErrCode var_regenerate_grad_fn(Session *s, Var *v) {
    TRY(refuse_creation(s, v, "its base or another view of its base has been"));
    GradNode *node = node_new(s, GRAD_NODE_AS_STRIDED, 1, 1);
    node->base = tensor_meta(s, &v->base->tensor);
    node->view = tensor_meta(s, &v->tensor);
    node->next_edges[0] = var_gradient_edge(s, v->base);
    var_move_retains_grad(s, v, node);
    v->grad_fn = node;
    v->output_nr = 0;
    v->attr_version = *storage_version(v->tensor.storage);
    return ERR_none;
}

GradNode *var_grad_fn(Session *s, Var *v) {
    return var_is_stale(v) && var_regenerate_grad_fn(s, v) != ERR_none ? NULL : v->grad_fn;
}

/* The AccumulateGrad of a leaf. */
static GradNode *var_grad_accumulator(Session *s, Var *v) {
    if (!v->accumulator) {
        v->accumulator = node_new(s, GRAD_NODE_ACCUMULATE_GRAD, 0, 1);
        v->accumulator->sequence_nr = INT64_MAX; /* runs before anything else */
        v->accumulator->leaf = v;
    }
    return v->accumulator;
}

Edge var_gradient_edge(Session *s, Var *v) {
    GradNode *fn = var_grad_fn(s, v);
    if (fn) {
        return (Edge){fn, v->output_nr};
    }
    if (!v->requires_grad || s->err->code != ERR_none) {
        return (Edge){NULL, 0};
    }
    return (Edge){var_grad_accumulator(s, v), 0};
}

ErrCode var_check_inplace(Session *s, Var *self) {
    bool requires = var_requires_grad(self);
    if (self->base) {
        TRY(refuse_creation(s, self, "is being"));
        if (requires && !self->base->grad_fn) {
            return error_set(s->err, ERR_leaf_view_inplace,
                             "a view of a leaf Variable that requires grad is being used in an "
                             "in-place operation");
        }
    }
    if (requires && !self->grad_fn) {
        return error_set(
            s->err, ERR_leaf_inplace,
            "a leaf Variable that requires grad is being used in an in-place operation");
    }
    return ERR_none;
}

void var_set_history(Var *self, GradNode *node) {
    self->grad_fn = node;
    self->output_nr = 0;
    self->attr_version = *storage_version(self->tensor.storage);
}

void var_rebase_history(Session *s, Var *self, GradNode *node) {
    if (!self->base) {
        var_move_retains_grad(s, self, node);
        self->second_output = false;
        self->grad_fn = node;
        self->output_nr = 0;
        return;
    }
    GradNode *copy_slices = node_new(s, GRAD_NODE_COPY_SLICES, node->nslot, 1);
    copy_slices->base = tensor_meta(s, &self->base->tensor);
    copy_slices->view = tensor_meta(s, &self->tensor);
    copy_slices->fn = node;
    copy_slices->next_edges[0] = var_gradient_edge(s, self->base);
    /* NotImplemented has edges for the operands that require grad only: if self does not, the first
     * is taken for self's, and lost (autogradNotImplementedFallbackImpl, CopySlices) */
    bool lost = node->kind != GRAD_NODE_FUNCTION && op_refuses_backward(node->call.op) &&
                !node->next_edges[0].node;
    for (int i = 1; i < node->nslot; i++) {
        copy_slices->next_edges[i] = lost ? (Edge){NULL, 0} : node->next_edges[i];
        lost = lost && !node->next_edges[i].node;
    }
    if (since(retain_follows_base) && var_requires_grad(self)) {
        var_move_retains_grad(s, self->base, copy_slices);
    }
    self->base->grad_fn = copy_slices;
    self->base->output_nr = 0;
    self->output_nr = 0;
    (void)var_grad_fn(s, self);
}

ErrCode var_retain_grad(Session *s, Var *self) {
    if (!var_requires_grad(self)) {
        return error_set(s->err, ERR_invalid,
                         "can't retain_grad on Tensor that has requires_grad=False");
    }
    session_undefined(
        s,
        self->base && self->attr_version != *storage_version(self->tensor.storage) &&
            !since(retain_stale_view),
        "retain_grad of a view whose history is out of date: PyTorch 1.13 dies of it");
    if (since(retain_stale_view) && (!self->grad_fn || self->retains_grad)) {
        return ERR_none; /* a leaf, as far as it knows, or nothing new */
    }
    GradNode *fn = var_grad_fn(s, self);
    TRY(s->err->code);
    if (fn && !self->retains_grad) {
        self->retains_grad = true;
        RetainGrad *hook = arena_new(s->arena, RetainGrad);
        bool early = !since(hook_before_retain) && !self->hooks;
        *hook = (RetainGrad){self, self->output_nr, early, fn->retains_grad};
        fn->retains_grad = hook;
        self->retained_at = fn;
    }
    return ERR_none;
}
