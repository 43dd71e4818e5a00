/* A run of a program by the reference: the state that its calls (eager.c) and the statement walker
 * (run_block.c) share. */
#ifndef REFERENCE_RUN_H
#define REFERENCE_RUN_H

#include "reference/tape.h"

typedef struct Run {
    Session s;
    const Program *p;
    const RunOptions *options;
    Result *result;
    CallResult *call;
    Tensor **env;       /* by NameId; NULL: unbound */
    Tensor **setup_env; /* the same outside of the function: inputs, and the names that the setup
                           bound */
    bool prepared;      /* the setup ran to its end: there are arguments */
    Var **inputs;
    int ninputs;
    int error_at;
    struct HookHandle *handles;   /* of the hooks that this call has registered, the last first */
    bool in_function;             /* statements of a function: they have no location */
    const bool *needs_input_grad; /* ... by operand */
    const bool *none;             /* ... in its backward, by NameId: a gradient that is None */
    int trace_capacity;
} Run;

/* Executes the statements, up to the first error, whose statement is r->error_at. */
ErrCode run_block(Run *r, const Block *block);
/* An apply statement (function.c). */
ErrCode run_apply(Run *r, const Stmt *stmt);
/* The function applied to what `operands` name; binds `out`. `checkpoint`: it is the block of a
 * reentrant checkpoint, whose operands are saved; else NULL. */
ErrCode run_application(Run *r, const Function *f, const NameId *operands, const NameId *out,
                        Checkpoint *checkpoint);
/* A value that a FUNCTION or CHECKPOINT node saved: the tensor itself, or a new one with the node's
 * history where the node made it. */
ErrCode function_unpack(Session *s, GradNode *node, const SavedVariable *saved, Tensor **out);
/* A block under checkpoint (checkpoint.c). */
ErrCode run_checkpoint(Run *r, const Stmt *stmt);
/* A hook that is registered, or removed (hook.c). */
ErrCode run_hook(Run *r, const HookStmt *h);
/* The Var that a name is bound to; `invalid` if there is none. */
ErrCode run_look_up(Run *r, NameId name, Var **out);
/* Python's is_leaf: grad_fn, materialized, is None. */
ErrCode run_is_leaf(Run *r, Var *v, bool *leaf);
/* If the session has noted that PyTorch leaves something undefined, records that for location `at`
 * (a statement, AT_..). */
void run_note_undefined(Run *r, int at);

/* The state that a block of a function, or of a hook, replaces. */
typedef struct Frame {
    Tensor **env;
    const bool *needs_input_grad, *none;
    bool in_function, running_backward, grad_mode, in_program, create_graph, in_formula;
} Frame;

static inline Run *run_of(Session *s) { return (Run *)(void *)s; }

/* Opens a frame in which no name is bound; returns what frame_close restores. */
Frame frame_open(Run *r, const bool *needs_input_grad, bool grad_mode);
void frame_close(Run *r, const Frame *outer);
/* A block was called with the gradient; its storage had this version before (hook.c). */
void gradient_may_be_written(Session *s, const Tensor *grad, int64_t version);

#endif
