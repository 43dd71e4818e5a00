/* Var: a tensor with its autograd record, as PyTorch keeps it (torch/csrc/autograd/variable.h).
 *
 *     base Var   grad_fn, output_nr: its history (NULL: a leaf, or plain)
 *       ^
 *       | base                       one Storage, and with it one version counter, under all of
 *                                    them
 *     view Var   creation, attr_version: how the view was made, and the version its own grad_fn
 *                stands for
 *
 * A view's grad_fn is stale once the storage's version is another than attr_version; var_grad_fn,
 * which *asks*, then remakes it as a strided read of the base's current history, or refuses if the
 * view was made under no_grad or by an op of several views. Whatever looks at a history goes
 * through var_grad_fn; the few places that PyTorch lets peek (is_leaf inside checks, requires_grad)
 * read the field.
 *
 * Ownership: the call's arena. A Var's geometry never changes after it is made. */
#ifndef REFERENCE_VARIABLE_H
#define REFERENCE_VARIABLE_H

#include "tensor/tensor.h"

typedef struct GradNode GradNode;
typedef struct Session Session;

/* How a view came to be; a plain view of a view inherits (propagate_creation_meta). */
typedef enum CreationMeta {
    CREATION_DEFAULT,
    CREATION_NO_GRAD,
    CREATION_MULTI_OUTPUT
} CreationMeta;

/* Where a gradient goes: input `nr` of a node; `node` NULL: nowhere. */
typedef struct Edge {
    GradNode *node;
    int nr;
} Edge;

typedef struct Var {
    Tensor tensor;              /* first member: a Tensor * of the forward program is a Var * */
    struct Var *base;           /* the root of a differentiable view; NULL: not a view */
    CreationMeta creation_meta; /* of a view */
    bool requires_grad;         /* the flag that requires_grad_ and factories set */
    int output_nr;              /* which output of grad_fn this is */
    GradNode *grad_fn;
    int64_t attr_version;  /* of a view: the version at which grad_fn was made */
    GradNode *accumulator; /* the AccumulateGrad of a leaf, made when first asked for */
    Tensor *grad;          /* what backward accumulated; NULL: None */
    bool retains_grad;     /* retain_grad was asked for while it was no leaf */
    GradNode *retained_at; /* ... and this node does it */
    bool returned;         /* the function returned it: it outlives the call */
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

/* True if the flag is set, there is a history, or the base of a view requires grad. Never asks. */
static inline bool var_requires_grad(const Var *v) {
    return v->requires_grad || v->grad_fn ||
           (v->base && (v->base->requires_grad || v->base->grad_fn));
}
/* The history, remade if it is stale. On refusal (no_grad_view_inplace, multi_view_inplace) sets
 * the session's error and returns NULL. */
GradNode *var_grad_fn(Session *s, Var *v);
/* impl::gradient_edge: grad_fn, else the accumulator of a leaf whose flag is set, else nowhere.
 * Asks. */
Edge var_gradient_edge(Session *s, Var *v);
/* What PyTorch's check_inplace refuses when a write to `self` is to be recorded: creation first,
 * then leaves. */
ErrCode var_check_inplace(Session *s, Var *self);
/* After a recorded in-place view (the version is already bumped): `node` becomes self's history,
 * for a view as well. */
void var_set_history(Var *self, GradNode *node);
/* After a recorded write (the version is already bumped): `node` becomes self's history, or for a
 * view, CopySlices of the base's. */
void var_rebase_history(Session *s, Var *self, GradNode *node);

#endif
