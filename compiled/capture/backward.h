/* The order in which a backward runs over the static tape (torch/csrc/autograd/engine.cpp). What a
 * node computes is the caller's: passes/joint.c for the backward of the graph, capture/grad.c for
 * torch.autograd.grad inside the program. */
#ifndef COMPILED_CAPTURE_BACKWARD_H
#define COMPILED_CAPTURE_BACKWARD_H

#include "compiled/capture/grad_node.h"

typedef struct BackwardEngine BackwardEngine;
struct BackwardEngine {
    Emit *emit;              /* adds gradients up; its error ends the walk */
    int64_t visit;           /* number of the walk: never the same twice in a capture */
    const Edge *inputs;      /* edges whose gradients are wanted; `to` NULL: never reached */
    int ninputs;             /* 0: everything that can be reached is run */
    Tensor **captured;       /* by input: what arrived there */
    Tensor *const *tangents; /* of the roots, as the caller holds them: see accumulate.c */
    int ntangents;
    void (*run)(BackwardEngine *engine, GradNode *node); /* runs a node and delivers its results */
    /* with inputs: a node that is not run, before its gradients are captured and once they are */
    void (*before_capture)(BackwardEngine *engine, GradNode *node);
    void (*capture)(BackwardEngine *engine, GradNode *node);
    GradNode **ready; /* a heap, highest sequence number first */
    int nready, capacity;
    int waiting;                        /* nodes that have received something, and not yet all */
    GradNode *visited;                  /* all nodes that can be reached */
    const GradNode *missing_dependency; /* the node of "dependency not found", or NULL */
};
/* Runs backward from `root` with `tangent`s (NULL: undefined). */
void backward_run(BackwardEngine *engine, const Edge *root, Tensor *const *tangent, int nroots);
/* ERR_unsupported if a resumed backward receives a gradient (NULL: undefined) of another size than
 * the edge has: a later region has changed the size of a leaf (set_), and what this region refuses
 * may come first. */
ErrCode backward_check_resumed(Edge edge, const Tensor *grad, Error *err);
/* Does the rule compute a gradient where, for some values or sizes, that of eager PyTorch is the
 * one that came in, so that two .grad that the program sees would share memory? */
bool backward_hides_pass(const Capture *cap, const GradNode *node);
/* The entry whose external grad_fn the walk has reached; its error, if that has no derivative and
 * need not wait for the history of others. */
ErrCode backward_external(const Capture *cap, const GradNode *node, int *entry, Error *err);
/* After a walk that has raised an error: unsupported if a grad_fn from before the region may have
 * raised its own first, because it has no derivative and its turn is not known. */
void backward_settle_error(const Capture *cap, int64_t visit, Error *err);
/* Where a resumed backward starts: the edge that its root stands for; to NULL if there is none. */
Edge backward_resumed_edge(const Capture *cap, const ResumedRoot *root);
/* The error of a root without an edge: what the region, captured again, does not support before it;
 * else, with a seeded fault, reused code may have recorded another tape. */
ErrCode backward_refuse_root(const Capture *cap, Error *err);
/* Edges on the longest path from `node` (topological_nr in torch/csrc/autograd/function.h). */
int backward_topological_nr(Capture *cap, GradNode *node);
/* Is a gradient along the edge needed? */
bool backward_wants(const BackwardEngine *engine, Edge edge);
/* Delivers a gradient to the end of an edge; NULL: undefined. `owned`: nobody else holds it. */
void backward_deliver(BackwardEngine *engine, Edge edge, Tensor *grad, bool owned);
#define UNCOUNTED                                                                                  \
    "a saved value that was written without its version counter (set_), or again under checkpoint"
/* Was a value that the node saved written by a tensor that set_ has put on its memory? The write
 * counts elsewhere: a backward of eager PyTorch does not refuse it, and reads what was written. */
bool backward_reads_uncounted(const GradNode *node);
/* The same for what a block under checkpoint has saved again: nothing counts what the rest of the
 * block writes to it, and no forward has checked indices that are written there. */
ErrCode backward_check_recomputed(Capture *cap, const GradNode *node, const GradNode *copy,
                                  Error *err);
/* Does an argument whose history the walk `visit` has reached lead to the leaf as well? Then the
 * leaf's gradient is not complete yet: .grad and its hooks wait. Known in programs with hooks, or
 * that see .grad. */
bool backward_leaf_waits(const Capture *cap, int64_t visit, const Var *leaf);
/* Refuses a node before it runs: freed, the grad_fn of a saved operand, a saved version. The error
 * goes to `err`. */
ErrCode backward_check_saved(Capture *cap, const GradNode *node, Error *err);
/* The same of one value; `node`: what saved it. */
ErrCode backward_check_value(Capture *cap, const GradNode *node, const SavedVariable *saved,
                             Error *err);
/* Materializes the grad_fn of a tensor that a backward visits (a saved operand, a leaf); a refusal
 * goes to `err`. */
ErrCode backward_grad_fn(Capture *cap, Var *v, Error *err);

/* The error of an AccumulateGrad whose leaf has a grad_fn by then. */
#define LEAF_MOVED "leaf variable has been moved into the graph interior"

#endif
