/* The tape: nodes of recorded ops, and the engine that walks them.
 *
 *     leaf x ── AccumulateGrad <── mul <── CopySlices(exp) <── sum
 *         edges point from a node to where its gradients go
 *
 * A node remembers the call with its saved values and, for each, the version of its storage when it
 * was saved. An operand that is not saved is kept as metadata only (no storage), so that a rule
 * cannot read what it did not declare.
 *
 * Session is the state of one call of the program: both Emits, the grad mode, the sequence
 * numbers. */
#ifndef REFERENCE_TAPE_H
#define REFERENCE_TAPE_H

#include "program/ops/emit.h"
#include "program/lang/result.h"
#include "program/lang/uses.h"
#include "reference/variable.h"

struct Session {
    Emit emit; /* first member: an Emit * is a Session * */
    Error *err;
    Arena *arena;
    const Limits *limits;
    bool grad_mode;
    RandomStream stream;   /* of the call; Emit.randoms counts */
    bool running_backward; /* results are bare Tensors: nothing is recorded */
    bool shadow;           /* storages carry value64 and bound */
    bool fused;            /* beside an executor that fuses (RunOptions) */
    bool shadow_refusal;   /* an op checked inconclusive values, and may refuse them */
    bool long_memory;      /* an op ran whose result has more memory in PyTorch than it needs */
    bool shadow_lost;      /* a size or a Python index was read from an inconclusive value: all that
                              follows is inconclusive */
    bool expanding_masks;  /* the statement is not `nonzero`: a nonzero in it expands a mask of an
                              index */
    int64_t sequence_nr;   /* next node's number */
    GradNode *nodes;       /* the node made last */
    int64_t storages;      /* next storage's id */
    bool detect_unspecified; /* detect unspecified behaviour of PyTorch 1.13 (unspecified.h) */
    const char *unspecified; /* the last one that was found, or NULL */
    const struct ZeroTensor *zero_tensors; /* gradients of PyTorch that have no memory */
    const char *undefined; /* why the current statement is undefined in PyTorch, or NULL */
    Storage *unsettled; /* the storage that an in-place op was writing when it refused a value, or
                           NULL */
    int64_t visits;     /* number of the walk of the engine */
    GradNode *visited;  /* the nodes that the last one can reach */
    int64_t walks;      /* ... also those that ran inside of others */
    struct Checkpoint *checkpoint; /* the block under checkpoint that is being run, or NULL */
    bool dot_grads; /* the program reads, sets or keeps .grad: which tensor it is can be seen */
};

/* Notes, if `is`, why the current statement is undefined in PyTorch; the first reason counts. */
static inline void session_undefined(Session *s, bool is, const char *why) {
    s->undefined = is && !s->undefined ? why : s->undefined;
}

/* Notes why the result of the run is unspecified in PyTorch, unless `why` is NULL. */
static inline void session_unspecified(Session *s, const char *why) {
    s->unspecified = why ? why : s->unspecified;
}

static inline Session *session_of(Emit *e) { return (Session *)(void *)e; }

typedef enum GradNodeKind {
    GRAD_NODE_OP,              /* the derivative rule of `call` */
    GRAD_NODE_ZERO,            /* zeros for every operand: in-place comparisons */
    GRAD_NODE_COPY_SLICES,     /* CopySlices: a write through a view, as grad_fn of the base */
    GRAD_NODE_AS_STRIDED,      /* AsStrided: a view's regenerated grad_fn */
    GRAD_NODE_ACCUMULATE_GRAD, /* AccumulateGrad: adds to a leaf's grad */
    GRAD_NODE_FUNCTION,        /* the backward of a program's own function */
    GRAD_NODE_CHECKPOINT,      /* a block under reentrant checkpoint */
    GRAD_NODE_ERROR /* the second derivative of one that is once differentiable: it raises */
} GradNodeKind;

/* A value that the derivative needs. */
typedef struct SavedVariable {
    Tensor *value;
    int64_t version;          /* of its storage when saved */
    bool unpack_materializes; /* unpacking materializes its grad_fn (a saved operand, not a result):
                                 it is a Var */
    bool was_leaf; /* it had no grad_fn then; one that had must still have one (detach_ removes it)
                    */
    int rank;      /* call_saved_rank: the node unpacks the lowest first. FUNCTION: output_nr */
} SavedVariable;

/* retain_grad: what arrives at output `nr` of the node is added to the grad of `var`. */
typedef struct RetainGrad {
    Var *var;
    int nr;
    bool early; /* before what hooks do to it (1.13) */
    struct RetainGrad *next;
} RetainGrad;

/* Hooks that are called with what arrives at output `nr` of the node. */
typedef struct NodeHooks {
    const HookList *list;
    int nr;
    struct NodeHooks *next;
} NodeHooks;

/* A block under checkpoint, one time that it was run (checkpoint.c). */
typedef struct Checkpoint {
    BlockFunction names;
    const Block *block;
    SavedVariable *saved; /* the arguments. Not reentrant; of others the node saves them */
    bool *required;       /* ... did they require grad? */
    RandomStream stream;  /* where the random numbers were when it began */
    int64_t randoms;
    int n;                     /* nodes of ops recorded */
    int last_place;            /* the one that saved last, or -1 ... */
    bool last_is_result;       /* ... and whether that was a result */
    int64_t walk;              /* the last one that recomputed it */
    bool recomputing, has_all; /* is it running again; were the values of that save reached? */
    int at;                    /* ... nodes begun since */
    GradNode **again;          /* ... by place */
} Checkpoint;

struct GradNode {
    GradNodeKind kind;
    int64_t sequence_nr; /* order of creation; the engine runs the highest first */
    GradNode *older;     /* the node made before */
    Edge *next_edges;    /* by slot */
    int nslot;
    int nout; /* outputs of the op = gradients that come in */
    /* OP, ZERO */
    Tensor **operand; /* operands by slot: for sizes and dtypes */
    Tensor **result;  /* outputs: saved or metadata only */
    SavedVariable *saved;
    int nsaved;
    bool saves_clone; /* slot 0 is a copy of its own (in-place ops): saved, but no version to check
                       */
    bool in_formula;  /* recorded with Emit.in_formula */
    bool freed;       /* an engine ran it and did not retain the graph */
    GradNode *other_half;     /* another output's node, where PyTorch has one node for both */
    GradNode *result_node;    /* the node whose output its result is, if that is another one */
    int64_t other_half_freed; /* the walk that freed that one, or 0 */
    RetainGrad *retains_grad;
    NodeHooks *hooks;
    /* COPY_SLICES: base, view, fn. AS_STRIDED: base, view. Metadata only. ACCUMULATE_GRAD: base, if
     * the leaf's own geometry has changed. */
    Tensor *base, *view;
    GradNode *fn;
    /* ACCUMULATE_GRAD */
    Var *leaf;
    /* FUNCTION */
    const struct Function *function;
    const bool *needs_input_grad; /* by operand: did it require grad? */
    /* CHECKPOINT: the block. OP, ZERO: the block (not reentrant) that recorded it, or NULL, and how
     * many nodes of ops the block had recorded before */
    Checkpoint *checkpoint;
    int place;
    /* engine */
    Tensor **grad; /* gradients that have arrived, by output of the op; NULL: none yet */
    bool in_list;  /* of one tensor of a list: PyTorch has one node for all of them */
    Tensor *owned; /* the one among them that nobody else holds, or NULL */
    int64_t visit; /* number of the walk that counted it last (Session.visits) */
    int64_t ran;   /* number of the walk that ran it last */
    int64_t
        captured;   /* number of the last walk in which a gradient that arrives here is an output */
    bool needed;    /* in this walk: its results lead to a gradient that is an output */
    bool receiving; /* in this walk: something was delivered and kept */
    int topological_nr;            /* ... edges on the longest path from here */
    struct GradNode *prev_visited; /* ... the node visited before */
    int dependencies;
    /* OP, ZERO; last, since most of its room is seldom used */
    Call call; /* operands saved or metadata only */
};

/* The node of the other output, where PyTorch has one node for both and this walk brings no
 * gradient to it; or NULL. */
static inline const GradNode *node_silent_half(const GradNode *node) {
    const GradNode *half = node->other_half;
    return half && half->visit != node->visit ? half : NULL;
}

/* The operands of a call (call_slots), where they are needed more than once. */
typedef struct Slots {
    int n;
    Tensor *v[MAX_SLOTS];
} Slots;

GradNode *node_new(Session *s, GradNodeKind kind, int nslot, int nout);
/* The node of `call`; materializes grad_fn of its operands (`slots`) now. NULL with the session's
 * error when one refuses. Operands are not saved yet. */
GradNode *node_begin(Session *s, const Call *call, const Slots *slots);
/* Saves operands that the rule needs, as they are now. With `self_clone`, slot 0 is saved as that
 * copy (in-place ops). */
void node_save_operands(Session *s, GradNode *node, Tensor *self_clone);
/* Attaches the outputs, saving the result if the rule needs it. `results` are Vars. */
void node_save_results(Session *s, GradNode *node, Tensor *const *results, int nresult);
/* The arguments of the node's call are its operands. */
void node_set_args(GradNode *node);
/* Another result of the same call in PyTorch, which the node saves as well. */
void node_also_saves(Session *s, GradNode *node, Tensor *other);
/* needed[slot] (room for MAX_SLOTS): does a gradient go there? Returns `needed`. */
const bool *edges_needed(const GradNode *node, bool *needed);
/* Would slot 0 be saved? Known after node_begin. */
bool node_saves_self(const GradNode *node);
/* The size and dtype that a gradient at this edge must have: those of the op's output (PyTorch's
 * InputMetadata). */
const Tensor *edge_meta(Edge edge);
/* Metadata of `t` in the arena: no storage. */
Tensor *tensor_meta(Session *s, const Tensor *t);

/* Does the node save a tensor? Numbers are saved as they are. */
static inline bool checkpoint_packs(const GradNode *node) {
    return node->nsaved > 0 || node->saves_clone;
}
/* The node of the recomputed block that stands for `node`, with the values that it saves; NULL: it
 * is behind the last of them, and saves what others save. */
ErrCode checkpoint_recomputed(Session *s, const GradNode *node, GradNode **out);
/* What unpacking a saved value refuses: a stale view that may not be regenerated, an operand that
 * detach_ cut off, another version. */
ErrCode saved_check(Session *s, const SavedVariable *saved, const char *needed_by);

/* The backward of a FUNCTION node (function.c), in the session's grad mode; grad[i] NULL:
 * undefined. The session must be that of a Run. */
ErrCode function_run_backward(Session *s, GradNode *node, Tensor *const *grad, Tensor **out);

/* Calls the hooks with the gradient, which they may replace; *grad NULL: undefined (hook.c). */
ErrCode hooks_run(Session *s, const HookList *list, Tensor **grad);
/* self.grad = value, also as a post-accumulate hook does it; value NULL: None (THPVariable_set_grad
 * in torch/csrc/autograd/python_variable.cpp). */
ErrCode set_grad(Session *s, Var *self, Var *value);
/* Calls the post-accumulate hooks of a leaf, also where its gradient is undefined. */
ErrCode hooks_run_after(Session *s, Var *leaf);

/* One run of the engine. */
typedef struct EngineTask {
    const Edge *roots;       /* with nodes */
    Tensor *const *tangents; /* of each root; NULL: undefined */
    int nroots;
    const Edge *inputs; /* edges whose gradients are wanted (torch.autograd.grad); a NULL node is
                           never reached */
    int ninputs;        /* 0: run all that can be reached (backward) */
    Tensor **captured;  /* by input: its gradient; NULL: None */
    bool retain_graph;
} EngineTask;
/* Runs backward from the roots, in PyTorch's order. The first error stops it. With inputs, only
 * nodes that lie between are run. */
ErrCode engine_run(Session *s, const EngineTask *task);

/* The backward of a CHECKPOINT node in that run. */
ErrCode checkpoint_run_backward(Session *s, const EngineTask *task, GradNode *node, Tensor **out);

/* What has arrived at a node's slot, and one more gradient (InputBuffer::accumulate in
 * torch/csrc/autograd/input_buffer.cpp); `owned`: nothing else holds the sum. PyTorch adds in place
 * where it holds the last reference, so the sum keeps its strides, which an add may choose anew.
 * Who else holds it is known for some ops only: elsewhere such strides are unspecified. */
Tensor *input_buffer_add(Session *s, Tensor *sum, Tensor *grad, bool owned);
/* AccumulateGrad: adds a gradient to the leaf's .grad, in the walk of `task` (grad.c). */
ErrCode accumulate(Session *s, const EngineTask *task, Var *leaf, Tensor *grad);
/* The same for a tensor that retains its gradient; `grad` NULL: undefined. */
ErrCode accumulate_retained(Session *s, Var *v, Tensor *grad);

/* torch.autograd.grad, in the session's grad mode. */
typedef struct GradRequest {
    Tensor *const *outputs, *const *inputs; /* Vars */
    int noutputs, ninputs;
    Tensor *const *grad_outputs; /* entries may be NULL */
    int ngrad_outputs;           /* -1: not given */
    bool create_graph, retain_graph, allow_unused;
    bool accumulates; /* torch.autograd.backward instead: no inputs */
} GradRequest;
/* out[i]: the gradient of inputs[i], a Var; NULL: None. */
ErrCode grad_run(Session *s, const GradRequest *request, Tensor **out);

#endif
