/* The static tape: tensors of the program during capture, and the autograd graph of their
 * histories (docs/reference/semantics.md, sections 1 to 4, on metadata).
 *
 *     name ── Binding (cached flags) ── Var ── AliasClass (storage: one version)
 *                                        │ └── Node (where to read it in the graph)
 *                                        └──── grad_fn ── GradNode ── GradNode ── AccumulateGrad
 *
 * A Var is one tensor of the program, metadata only: a layout in its AliasClass, and the autograd
 * record. Before functionalize an operand that is a VIEW or the node of an AliasClass reads what
 * the class holds at that point of the graph; afterwards nodes are values, and the tape, which
 * points to OP nodes, finds in their operands what the op saw: the saved values.
 *
 * Everything lives in the compilation's arena. */
#ifndef COMPILED_CAPTURE_GRAD_NODE_H
#define COMPILED_CAPTURE_GRAD_NODE_H

#include "compiled/capture/region_io.h"

typedef struct Capture Capture;
typedef struct Var Var;
typedef struct GradNode GradNode;
typedef struct Binding Binding;
typedef struct HookList HookList;
typedef struct Checkpoint Checkpoint;

/* A storage of the program. `storage` has no data; its address is the identity that overlap tests
 * compare. A reading of its memory as another dtype (view.dtype) is a class of its own, with nodes
 * of that dtype; storage.whole leads to the class of the memory, which has the version and the
 * bindings (record.c). */
typedef struct AliasClass {
    Storage storage; /* first: the Storage * of a Var is an AliasClass * */
    int number;
    int input;         /* input storage number, or -1 */
    Node *buffer;      /* the node that made it: layouts are offsets and strides in its buffer */
    Binding *bindings; /* names bound to tensors on this memory */
    struct AliasClass *same; /* this is only the storage, with another version counter (set_), of
                                tensors of that class; else NULL */
    struct AliasClass *recounted; /* of a class: such storages, .. */
    struct AliasClass *next;      /* .. a list */
} AliasClass;
static inline AliasClass *alias_class_of(const Tensor *t) {
    AliasClass *cls = (AliasClass *)t->storage;
    return cls->same ? cls->same : cls;
}
/* The class of the memory of which `cls` may be a reading. */
static inline AliasClass *alias_class_whole(const AliasClass *cls) {
    return (AliasClass *)storage_whole(&cls->storage);
}
static inline AliasClass *memory_of(const Tensor *t) {
    return alias_class_whole(alias_class_of(t));
}

/* `n` writes through tensors on the storage: for its version counter, and for the memory. */
static inline void storage_count_write(const Storage *s, int n) {
    *storage_version(s) += n;
    storage_whole(s)->writes += n;
}

/* Where a gradient goes: output `nr` of a tape node; `to` NULL: nowhere. */
typedef struct Edge {
    GradNode *node;
    int nr;
} Edge;

struct Var {
    Tensor tensor;              /* first; its storage is the AliasClass */
    Node *node;                 /* reads the tensor */
    bool requires_grad;         /* the tensor's own bit */
    Edge grad_fn;               /* its grad_fn and which output of it; to NULL: none */
    GradNode *accumulator;      /* the AccumulateGrad of a leaf, made when first needed */
    bool resets_accumulator;    /* set_ took that of the entry away */
    Var *base;                  /* of a differentiable view: its root; else NULL */
    CreationMeta creation_meta; /* of a view */
    int64_t attr_version;       /* of a view: the storage's version when its grad_fn was made */
    int entry;                  /* index among the entries, or -1 */
    const Var *mask; /* coordinates that an index expression made out of a mask: the mask, which
                        PyTorch saves in their stead */
    int64_t mask_version;
    Var *program_grad;     /* what gradients inside the program have added to .grad, a tensor of its
                          own; or     NULL */
    bool grad_is_settled;  /* at the end of the region it became a value of its own */
    ErrCode grad_written;  /* ... what a backward of the harness raises that accumulates into it */
    Node *grad;            /* the same with what the backward added, after joint; or NULL */
    bool retains_grad;     /* retain_grad was called while it was not a leaf */
    GradNode *retained_at; /* ... and this node holds the hook */
    HookList *hooks;       /* NULL: none were registered since it got its grad_fn (hook.c) */
    HookList *post_hooks;  /* of a leaf, after its gradient was accumulated; or NULL */
    bool hooks_ran;        /* in the backward of the harness: its gradient is complete */
};

/* All but the metadata. */
static inline void var_clear(Var *v) { memset(&v->node, 0, sizeof *v - offsetof(Var, node)); }

typedef enum GradNodeKind {
    GRAD_NODE_ACCUMULATE_GRAD, /* AccumulateGrad: adds to the grad of `leaf` */
    GRAD_NODE_EXTERNAL,    /* the grad_fn that an entry came with: takes its gradient and passes it
                              to the region before */
    GRAD_NODE_OP,          /* the op's derivative rule */
    GRAD_NODE_ZERO,        /* zeros for every operand: an in-place comparison */
    GRAD_NODE_COPY_SLICES, /* CopySlices: the base's gradient, in which the slice `view` is replaced
                              by what `inner` makes of it */
    GRAD_NODE_AS_STRIDED,  /* AsStrided: a view's regenerated grad_fn, a strided read of the base */
    GRAD_NODE_FUNCTION,    /* the backward of a function of the program's own */
    GRAD_NODE_CHECKPOINT,  /* a block under reentrant checkpoint */
    GRAD_NODE_ERROR        /* the second derivative of one that is once differentiable: it raises */
} GradNodeKind;

/* retain_grad: what arrives at output `nr` of a tape node is added to the grad of `var`. */
typedef struct RetainGrad {
    Var *var;
    int nr;
    bool early; /* before what hooks do to it (1.13) */
    struct RetainGrad *next;
} RetainGrad;

/* Hooks that are called with what arrives at output `nr` of a tape node. */
typedef struct NodeHooks {
    const HookList *list;
    int nr;
    struct NodeHooks *next;
} NodeHooks;

/* A value that a function of the program's own saved. */
typedef struct FunctionSaved {
    Var *var;
    int64_t version; /* of its storage then */
    int64_t writes;  /* to its storage until then */
    bool own; /* the node made it, as output `nr`: unpacked as a new tensor with its history */
    int nr;
} FunctionSaved;

/* A saved value: its storage and the version it had. Unpacking an operand materializes its grad_fn;
 * that of a result is known. */
typedef struct SavedVariable {
    const Storage *storage;
    int64_t version;
    Var *operand;   /* or NULL */
    bool was_leaf;  /* it had no grad_fn then; one that had must still have one (detach_ removes it)
                     */
    int rank;       /* call_saved_rank: the node unpacks the lowest first */
    int64_t writes; /* to its memory until then, whatever counts them (Storage.writes) */
} SavedVariable;

struct GradNode {
    GradNodeKind kind;
    int64_t sequence_nr; /* the engine runs ready nodes by descending sequence number */
    GradNode *older;     /* the node made before */
    int64_t number; /* how many were made before; the same in every capture of the same region */
    int sid;
    Call *call;      /* OP: a view's own call (metadata); else NULL: node->call */
    Node *node;      /* OP on values: the node */
    Tensor **result; /* OP: its outputs (of an in-place op: the value written, in self's dtype) */
    int nslot, nout;
    Edge *next_edges;       /* by slot */
    const Tensor **operand; /* by slot: metadata of the operand */
    SavedVariable *saved;
    int nsaved;
    bool saves_clone; /* slot 0 is a copy of its own (in-place ops): saved, but no version to check
                       */
    bool in_formula;  /* recorded with Emit.in_formula */
    bool freed;       /* a backward ran it and did not retain the graph */
    GradNode *other_half;     /* another output's node, where PyTorch has one node for both */
    GradNode *result_node;    /* the node whose output its result is, if that is another one */
    int64_t other_half_freed; /* the walk that freed that one, or 0 */
    int moved_before; /* how many leaves of Capture.moved_leaves joint had visited before it ran the
                         node */
    Call *saved_call; /* OP, in a program that takes gradients: the call on tensors of the program,
                      saved ones as they were */
    Var *saved_result; /* ... and its result, if that is saved */
    RetainGrad *retains_grad;
    NodeHooks *hooks;
    const struct Function *function; /* FUNCTION */
    const uint8_t *needs_input_grad; /* ... by operand: did it require grad? */
    const FunctionSaved *kept;       /* ... what it saved, by place in `save` */
    Checkpoint *checkpoint;    /* CHECKPOINT: the block. OP, ZERO: the block (not reentrant) that
                                  recorded it, or NULL ... */
    int place;                 /* ... and how many nodes of ops that had recorded before */
    Var *leaf;                 /* ACCUMULATE_GRAD */
    const Tensor *base, *view; /* COPY_SLICES, AS_STRIDED: layouts in one storage. EXTERNAL: base,
                                  the metadata of a gradient. ACCUMULATE_GRAD: base, if the leaf's
                                  own geometry has changed */
    GradNode *fn;              /* COPY_SLICES: the node of the op that wrote */
    /* scratch of the engine */
    int64_t visit;    /* the engine's, when it visited the node */
    int64_t ran;      /* the walk that ran it last */
    int64_t captured; /* the walk in which a gradient that arrives here is an output */
    bool needed;      /* in this walk: its results lead to a gradient that is an output */
    bool receiving;   /* in this walk: something was delivered and kept */
    int external_topological_nr; /* EXTERNAL: topological_nr of the grad_fn it stands for
                                    (TensorRecord) */
    int topological_nr;          /* edges on the longest path from here */
    GradNode *prev_visited;      /* the node visited before */
    int dependencies;            /* edges that have not delivered yet */
    Tensor **grad;               /* by output: the gradient that has arrived */
    Tensor *owned;               /* the one among them that nobody else holds, or NULL */
};

/* The node of the other output, where PyTorch has one node for both and this walk brings no
 * gradient to it; or NULL. */
static inline const GradNode *cap_silent_half(const GradNode *node) {
    const GradNode *half = node->other_half;
    return half && half->visit != node->visit ? half : NULL;
}

/* A walk that does not retain the graph has run the node: it is freed, and so are the nodes of the
 * other outputs, where PyTorch has one node for all. */
static inline void cap_free_node(GradNode *node) {
    node->freed = true;
    for (GradNode *half = node->other_half; half && half != node; half = half->other_half) {
        half->other_half_freed = half->other_half_freed ? half->other_half_freed : node->visit;
    }
}

/* ---- capture/autograd.c ---- */
bool cap_requires_grad(const Var *v);
/* Would grad_fn be there now? True also where materializing it raises. Changes nothing. */
bool cap_has_grad_fn(const Var *v);
/* Materializes grad_fn: regenerates a stale one, or raises. */
ErrCode cap_grad_fn(Capture *cap, Var *v);
/* The same, and where a gradient of `v` goes (impl::gradient_edge): grad_fn, else the
 * AccumulateGrad of a leaf that requires grad, else nowhere. */
ErrCode cap_gradient_edge(Capture *cap, Var *v, Edge *edge);
/* A differentiable view of `of`, with meta's geometry on of's storage. `multi`: one of several
 * outputs. */
Var *cap_new_view(Capture *cap, Var *of, const Tensor *meta, bool multi);
/* May a write to `self` be recorded? */
ErrCode cap_check_inplace(Capture *cap, Var *self);
/* self's value was written by `fn` (nr 0; op NULL: a function); the version has been bumped. */
ErrCode cap_rebase_history(Capture *cap, Var *self, GradNode *fn, const OpInfo *op);
/* `fn` (nr 0) is self's grad_fn from now on, for a view as well; the version has been bumped. */
void cap_set_history(Var *self, GradNode *fn);
/* The AccumulateGrad of a leaf. */
GradNode *cap_grad_accumulator(Capture *cap, Var *v);
GradNode *cap_node_new(Capture *cap, GradNodeKind kind, int nslot, int nout);
/* The tensor `by` instead of `t` in the call, whose lists are its own. */
void cap_call_replace(Call *call, const Tensor *t, Tensor *by);
/* `v` is about to get other sizes and strides: what the tape holds of it keeps the old ones. */
void cap_freeze_geometry(Capture *cap, const Var *v);
/* The size and dtype that a gradient at this edge must have: those of the op's output (PyTorch's
 * InputMetadata). */
const Tensor *cap_edge_meta(Edge edge);
/* need[slot] (room for MAX_SLOTS): does a gradient go there? What is saved depends on that, not on
 * requires_grad (a view made under no_grad has none). Returns `need`. */
const bool *cap_edges_needed(const GradNode *node, bool *need);
/* Materializes the grad_fn of every operand; edges in slot order (nowhere for operands that take no
 * gradient). */
ErrCode cap_collect_next_edges(Capture *cap, GradNode *node, const OpInfo *op, Tensor *const *slot);
/* Remembers the versions of the operands that `call` saves, before the op runs; slot `skip` was
 * copied (-1: none). */
void cap_save_operands(Capture *cap, GradNode *node, const Call *call, Tensor *const *slot,
                       int skip);
/* The same for its result, after the op ran. */
void cap_save_result(Capture *cap, GradNode *node, const Call *call, const Var *result);
/* Another result of the same call in PyTorch, which the node saves as well. */
void cap_also_saves(Capture *cap, GradNode *node, const Var *other);
ErrCode cap_detach_in_place(Capture *cap, Var *self);
ErrCode cap_set_requires_grad(Capture *cap, Var *self, bool requires_grad);
ErrCode cap_retain_grad(Capture *cap, Var *self);

#endif
