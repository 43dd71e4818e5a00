/* Var: a tensor with its autograd record, as PyTorch keeps it (torch/csrc/autograd/variable.h).
 *
 *     base Var   grad_fn, output_nr: its history (grad_fn NULL: a leaf, or no history)
 *       ^
 *       | base                       all of them share one Storage and its version counter
 *       |
 *     view Var   creation_meta: how the view was made
 *                attr_version: the storage's version when its grad_fn was made
 *
 * The grad_fn of a view is stale once the storage's version differs from attr_version. var_grad_fn
 * then regenerates it as AsStrided of the base's current grad_fn, or refuses if the view was made
 * under no_grad or is one output of a multi-output view op. Code that needs a history calls
 * var_grad_fn; the few places where PyTorch reads the field without materializing it (is_leaf
 * inside checks, requires_grad) read the field.
 *
 * Ownership: the call's arena. A Var's geometry changes only by an in-place view op (t_, squeeze_,
 * ..), which first copies the old geometry into every node that refers to the Var
 * (var_freeze_geometry). */
#ifndef REFERENCE_VARIABLE_H
#define REFERENCE_VARIABLE_H

#include "tensor/tensor.h"

typedef struct GradNode GradNode;
typedef struct Session Session;

/* How a differentiable view was made; a plain view of a view inherits it
 * (propagate_creation_meta). */
typedef enum CreationMeta {
    CREATION_DEFAULT,
    CREATION_NO_GRAD,
    CREATION_MULTI_OUTPUT,
    CREATION_FUNCTION /* returned by a program's own function */
} CreationMeta;

/* Where a gradient goes: output `nr` of the op of a node; `node` NULL: nowhere. */
typedef struct Edge {
    GradNode *node;
    int nr;
} Edge;

/* register_hook: what is called with the gradient of a tensor. The hooks of one tensor are a list
 * that it shares with the node that was its grad_fn when the first one was registered. */
typedef struct TensorHook {
    const struct Function *function;
    bool removed;
    struct TensorHook *next;
} TensorHook;
typedef struct HookList {
    TensorHook *first;
} HookList;

typedef struct Var {
    Tensor tensor;              /* first member: a Tensor * of the forward program is a Var * */
    struct Var *base;           /* of a differentiable view: its root; else NULL */
    CreationMeta creation_meta; /* of a view */
    bool requires_grad;         /* the flag that requires_grad_ and factories set */
    int output_nr;              /* which output of grad_fn this is */
    GradNode *grad_fn;
    int64_t attr_version;  /* of a view: the storage's version when grad_fn was made */
    GradNode *accumulator; /* the AccumulateGrad of a leaf, made when first needed */
    Tensor *grad;          /* what backward accumulated; NULL: None */
    bool retains_grad;     /* retain_grad was called while it was not a leaf */
    GradNode *retained_at; /* ... and this node holds the hook */
    HookList *hooks;       /* NULL: none were registered since it got its grad_fn */
    HookList *post_hooks;  /* of a leaf, after its gradient was accumulated; NULL: none */
    bool returned;         /* the function returned it: it outlives the call */
    bool second_output;    /* of two that are outputs of one node in PyTorch */
    struct Var *mask; /* coordinates that an index expression made out of a mask: the mask, which
                         PyTorch saves in their stead */
    int64_t mask_version; /* its version then */
} Var;

static inline Var *var_of(Tensor *t) { return (Var *)(void *)t; }

/* A Var over `meta` (with storage); no history. */
Var *var_new(Session *s, const Tensor *meta);
/* A differentiable view of `of`, with meta's geometry on of's storage. `multi`: one of several
 * outputs. */
Var *var_new_view(Session *s, Var *of, const Tensor *meta, bool multi);

/* True if the flag is set, there is a grad_fn, or the base of a view requires grad. Does not
 * materialize grad_fn. */
static inline bool var_requires_grad(const Var *v) {
    return v->requires_grad || v->grad_fn ||
           (v->base && (v->base->requires_grad || v->base->grad_fn));
}
/* Is the grad_fn of a view from another version of its storage, so that it has to be regenerated?
 */
static inline bool var_is_stale(const Var *v) {
    return v->base && v->attr_version != *storage_version(v->tensor.storage) &&
           (v->grad_fn || var_requires_grad(v->base));
}
/* Materializes grad_fn: regenerates a stale one. On refusal (no_grad_view_inplace,
 * multi_view_inplace) sets the session's error and returns NULL. */
GradNode *var_grad_fn(Session *s, Var *v);
/* impl::gradient_edge: grad_fn (materialized), else the AccumulateGrad of a leaf whose flag is set,
 * else nowhere. */
Edge var_gradient_edge(Session *s, Var *v);
/* What PyTorch's check_inplace refuses when a write to `self` is to be recorded: creation_meta
 * first, then leaves. */
ErrCode var_check_inplace(Session *s, Var *self);
/* After a recorded in-place view (the version is already bumped): `node` becomes self's grad_fn,
 * for a view as well. */
void var_set_history(Var *self, GradNode *node);
/* After a recorded write (the version is already bumped): `node` becomes self's grad_fn, or for a
 * view, the fn of a CopySlices that becomes the base's. */
void var_rebase_history(Session *s, Var *self, GradNode *node);
/* `v` is about to get other sizes and strides: what nodes hold of it keeps the old ones. */
void var_freeze_geometry(Session *s, const Var *v);
ErrCode var_retain_grad(Session *s, Var *self);

#endif
