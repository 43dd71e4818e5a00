/* Capture: walks a region of the program on metadata and records a graph, a static tape
 * (grad_node.h) and all that was decided on the way: probes, branches, errors. Start reading at
 * capture.c. */
#ifndef COMPILED_CAPTURE_H
#define COMPILED_CAPTURE_H

#include "compiled/core/compilation.h"
#include "compiled/ir/plan.h"
#include "compiled/capture/backward.h"
#include "compiled/capture/grad_node.h"
#include "compiled/capture/region_io.h"
#include "program/lang/uses.h"

/* What a name binding caches when it is made, as Dynamo's TensorVariable does. */
typedef struct BindingFlags {
    bool requires_grad, has_grad_fn;
} BindingFlags;
struct Binding {
    Var *var;                  /* NULL: the name is not bound */
    BindingFlags flags;        /* answer probes and asserts */
    bool branch_requires_grad; /* the copy that decides branches */
    Binding *next, *prev;      /* bindings on one storage */
};

/* A size or index that depends on values: found by running the graph so far; part of the guard. */
typedef enum DataDependentKind { DATA_COUNT_NONZERO, DATA_ITEM } DataDependentKind;
typedef struct DataDependent {
    DataDependentKind kind;
    Plan *plan; /* computes `value` from the input storages */
    const Node *value;
    Tensor layout;  /* of the tensor that is counted or read, in value's buffer */
    int64_t result; /* the count, or the item */
    int failed_sid; /* sid of the CHECK that fires before the value is known, or -1 */
    struct DataDependent *next;
} DataDependent;

/* Why a capture ended before the last statement. */
typedef enum CaptureEnd {
    END_OK,      /* it did not */
    END_ERROR,   /* the statement raises */
    END_STOPPED, /* stop_before was reached */
    END_BREAK,   /* a graph_break: another region continues from there */
    END_CHECK    /* a CHECK before a data-dependent value fired: err, at */
} CaptureEnd;

/* Did an operand of a function require grad, and had another function made it? */
enum { NEEDS_NOTHING, NEEDS_GRAD, NEEDS_GRAD_OF_FUNCTION };

/* The block of a function of the program's own, or of a hook, that is being run. */
typedef struct CaptureFrame {
    bool open;
    const uint8_t *needs_input_grad; /* by operand: NEEDS_NOTHING, .. */
    const bool *none; /* in a backward, by NameId: a gradient that is None; or NULL */
    int sid;          /* the running statement, if it has a number: of a block that is recomputed */
} CaptureFrame;

/* A block under checkpoint, one time that it was captured (checkpoint.c). */
struct Checkpoint {
    BlockFunction names;
    const Stmt *stmt;
    Var **arg;
    SavedVariable *saved; /* not reentrant: the arguments, and whether they required grad */
    bool *required;
    int64_t *version; /* reentrant: theirs when the block began */
    int64_t randoms;  /* random ops before the block */
    int64_t *number;  /* sizes and numbers that depended on values, in order */
    int nnumber, number_capacity;
    int nnodes;       /* nodes of ops that were recorded */
    int last;         /* the place of the one that saved last, or -1 ... */
    bool last_result; /* ... and whether that was its result */
    /* when it is captured again */
    int64_t walk; /* for the last walk that did so */
    bool again, done;
    int begun, numbers; /* nodes begun, numbers used */
    GradNode **copy;    /* by place */
};

struct Capture {
    Emit emit; /* first: Emit * is Capture * */
    Compile *c;
    Arena *arena;
    const Program *program;
    Graph *graph;
    CaptureInput in;
    ErrCode (*run_block)(Capture *cap,
                         const Block *block); /* the statements of a function's block */
    Error err;                                /* the program's error */
    bool grad_mode;
    bool takes_gradients; /* a backward walks the tape while it is recorded */
    bool walks_inside;    /* ... also that of the harness (final_backward.c) */
    bool sees_grads;      /* it reads or sets .grad, or has a backward statement */
    int64_t visits;       /* of the engine so far */
    int64_t walk;         /* the number of the one that is running */
    int sid;              /* the running statement */
    OpId stmt_op;         /* of the running op statement */
    int64_t sequence_nr, bytes;
    GradNode *tape; /* the node made last */
    AliasClass **cls;
    int ncls, cls_capacity;
    Var *entry;         /* by entry */
    int *entry_storage; /* by entry: the input storage that it enters with */
    Storage **counter;  /* the version counters of the entries, in order of first mention */
    int ncounters;
    GradNode **external; /* by entry: its external grad_fn, or NULL */
    Var **live;          /* tensors that outlive the region: entries, then what it exports */
    int nlive;
    NameId *exported; /* names that the region exports to the next one */
    int *exported_as; /* ... and the index of the tensor each means; -1: not bound */
    int nexported;
    Tensor **env;         /* by NameId: the Var, or NULL */
    Binding *binding;     /* by NameId */
    Var **argument;       /* what the setup passes to the body, if both are one region */
    Var **ret;            /* returned variables */
    Edge *root;           /* of a backward statement that is a region: where it starts */
    Tensor **tangent;     /* ... with what */
    bool *tangent_passed; /* ... which is a tensor of the caller */
    Node **viewed;        /* gradients of which a derivative rule has made views */
    int nviewed, viewed_capacity;
    int nroots;
    TraceEntry *trace;
    int *trace_counter; /* by trace entry: the counter of entries that it records, or -1 */
    int ntrace, trace_capacity;
    int64_t tape_size; /* tape nodes when the walk had ended */
    int *moved_leaves; /* leaves (index of the tensor) that have a grad_fn by now and whose
                   AccumulateGrad joint ran, in that order. Each raises, unless an earlier region
                   leads to it */
    int nmoved_leaves;
    DataDependent *data_dependents, *last_data_dependent;
    int writing; /* input storage that is left unsettled if this statement finds a bad value; or -1
                  */
    CaptureEnd end;
    int at;                 /* where the error, or the graph_break, is */
    int resume;             /* statements up to this one are skipped; -1 once it is reached */
    CaptureFrame frame;     /* of the block of a function that is being run */
    Checkpoint *checkpoint; /* the block under checkpoint that is being run, or NULL */
    bool omits_checks;      /* ... again, and its values have passed */
    bool odd_tangents;      /* gradients of a later region have lost their layout */
    bool in_final;          /* the backward of the harness is being walked */
    bool bare;              /* ... outside of any block: gradients are no tensors of the program */
    struct HookHandle *handles; /* of the hooks registered so far, the last first */
    int64_t input_versions;     /* versions of all inputs, summed, when the statement began */
    Var *permuted;  /* the view that the last permute made; kept for seeded faults only */
    bool unsettled; /* the error was found in a value while writing to input storage `writing` */
    bool recasts;   /* memory is read as another dtype, or grows */
    bool sets;      /* a tensor is on other memory than before (set_), or entered so */
    bool reads_uncounted; /* the derivative rule that runs: backward_reads_uncounted */
};

/* ---- decompose_faults.c ---- */
/* What a seeded fault makes of a statement's call. */
ErrCode capture_faulty_call(Capture *cap, Call *call);
/* Is the CHECK of this index or divisor left out? */
bool capture_omits_check(const Capture *cap, const Call *call, const Node *checked);

/* ---- call_faults.c: seeded faults of out= and of lists ---- */
/* What becomes of a call with out=, or of one on lists. */
ErrCode capture_faulty_out(Capture *cap, Call *call);
ErrCode capture_faulty_list(Capture *cap, Call *call);
/* MU_16: is the write to `self`, an argument that is the out of a kernel called from outside, not
 * counted as a version? */
bool capture_out_uncounted(const Capture *cap, const Var *self);
/* DT_9: a scan whose out has an integer dtype adds up in the dtype of self, and casts the sums. */
ErrCode capture_cast_after_scan(Capture *cap, const Call *call, Var **v);

/* ---- capture.c ---- */
/* Does some statement of the function take gradients? */
bool capture_takes_gradients(const Program *p);
/* Walks the program; fills c->graph and c->capture. Never fails: see Capture.end. */
void capture_program(Compile *c, const CaptureInput *in);

/* ---- capture/questions.c ---- */
ErrCode capture_unbound(Capture *cap, NameId name);
/* Does the predicate hold? `branch`: it decides a branch. */
ErrCode capture_decide(Capture *cap, const Predicate *q, bool branch, bool *value);
ErrCode capture_run_probe(Capture *cap, const Stmt *stmt);

/* ---- capture/exit.c ---- */
void capture_return_plan(ReturnPlan *ret, const Var *v);
/* Seeded faults: refuses a write-back; takes histories from what is returned. */
ErrCode capture_write_back_mode(Capture *cap);
void capture_returns_forget(Capture *cap, ReturnPlan *ret);
/* The tensors that outlive the region and, for each, who may receive a gradient. */
void capture_live_tensors(Capture *cap);
/* What each of them is when the capture (before the passes) has ended. */
ExitTensor *capture_exit(Capture *cap);
/* Marks what the passes (the backward) regenerated. */
void capture_exit_regenerated(const Capture *cap, ExitTensor *exit);

/* ---- capture/record.c: tensors, nodes of the graph, and what the tape keeps of a call ---- */
AliasClass *capture_class(Capture *cap, DType dtype, int64_t numel, Node *buffer, int input);
/* The memory of `cls` read as elements of `dtype`: always the same class for a memory and a dtype.
 */
AliasClass *capture_reading(Capture *cap, AliasClass *cls, DType dtype, int sid);
/* Writes `value` to `target`, which reads `cls`, and so to the other readings of its memory. */
void capture_write(Capture *cap, AliasClass *cls, Node *target, Node *value);
/* The storage of tensors on `cls` that have the version counter of tensors on `counts`. */
Storage *capture_recounted(Capture *cap, AliasClass *cls, const Storage *counts);
/* The number of the version counter of tensors on `s` among those of the entries, or -1. */
int capture_counter(const Capture *cap, const Storage *s);
/* The writes of the region to input storage `number` (Storage.writes). */
int64_t capture_writes(const Capture *cap, int number);
/* At the end of the region: the memory of an entry that set_ has put on memory of the region's own
 * becomes an input storage without elements, which grows. */
void capture_adopt(Capture *cap);
/* Room for `numel` elements of `cls` in its memory; new ones are zero. */
ErrCode capture_grow(Capture *cap, AliasClass *cls, int64_t numel);
/* A new tensor on `cls` with `layout`. */
Var *capture_var(Capture *cap, AliasClass *cls, const Tensor *layout, Node *node);
/* The call with each operand replaced by the node that reads it. */
void capture_call(const Capture *cap, Call *out, const Call *call);
/* The value of a call on nodes, inferred and counted against the limits; not a tensor of the
 * program. */
ErrCode capture_node(Capture *cap, const Call *call, Node **out);
ErrCode capture_cast(Capture *cap, Node *value, DType dtype, Node **out);
/* Counts a buffer against the limits. */
ErrCode capture_memory(Capture *cap, const Tensor *t);
/* Is the result of the op on these operands recorded? */
bool capture_requires_grad(const Capture *cap, const OpInfo *op, Tensor *const *slot, int n);
void cap_node_set_value(Capture *cap, GradNode *tape, Node *node, Node *value);
/* What a gradient inside the program finds on the node: the call on tensors, and the result. */
void cap_node_set_call(Capture *cap, GradNode *tape, const Call *call, Var *result);

/* ---- capture/record.c: blocks under checkpoint ---- */
/* Does the node save a tensor? Numbers are saved as they are. */
static inline bool capture_checkpoint_packs(const GradNode *node) {
    return node->nsaved > 0 || node->saves_clone;
}
/* A node of an op begins; it has saved operands (false) or its result (true). Inside of a block
 * under checkpoint that is recorded or recomputed. */
void capture_checkpoint_begins(Capture *cap, GradNode *node);
void capture_checkpoint_saves(Capture *cap, const GradNode *node, bool result);
/* Is everything recomputed? Then the block ends here. */
bool capture_checkpoint_is_done(const Capture *cap);
/* A size or number that depends on values: as it was the first time, if the block is recomputed;
 * else it is noted. */
bool capture_checkpoint_number(const Capture *cap, int64_t *value);
void capture_checkpoint_note(Capture *cap, int64_t value);

/* ---- capture/apply.c: the Emit ---- */
ErrCode capture_apply(Emit *e, const Call *call, Tensor **out, int *nout);

/* ERR_unsupported for an op of the backward that would decide by the strides of a gradient, where
 * gradients come from a later region: they have lost their strides. */
ErrCode capture_check_layout(const Capture *cap, const Call *call, Error *err);

/* ---- capture/inplace.c ---- */
/* INPLACE rows. */
ErrCode capture_in_place(Capture *cap, const Call *call, Tensor **out, int *nout);

/* ---- capture/misread.c ---- */
/* Does a seeded fault misread the call? Then *wrong is what it takes the call for. */
bool capture_misread(Capture *cap, const Call *call, Call *wrong);
/* The call to record: `call`, or `room` with what a seeded fault takes it for. */
static inline const Call *capture_read(Capture *cap, const Call *call, Call *room) {
    return cap->c->options->fault != FAULT_NONE && capture_misread(cap, call, room) ? room : call;
}

/* ---- capture/view.c ---- */
/* VIEW and MULTI_VIEW rows. */
ErrCode capture_apply_view(Capture *cap, const Call *call, Tensor **out, int *nout);
/* INPLACE_VIEW rows: grad_fn is set, not rebased: of a view, the base does not learn of it. */
ErrCode capture_in_place_view(Capture *cap, const Call *call, Tensor **out, int *nout);
/* STORAGE rows. */
ErrCode capture_storage(Capture *cap, const Call *call, Tensor **out, int *nout);

/* ---- capture/checks.c ---- */
/* Records the CHECKs of a functional call whose result looks like `out`; raises what is known to be
 * wrong already. */
ErrCode capture_check_values(Capture *cap, const Call *call, const Tensor *out);

/* ---- capture/inplace_part.c ---- */
/* Does the in-place form of `twin` leave part of self alone? */
bool capture_writes_part(const Call *twin);
/* The write of such a form to a self that overlaps itself. */
ErrCode capture_write_part(Capture *cap, Var *self, const Call *twin);

/* ---- capture/data_dependent.c ---- */
ErrCode capture_count_nonzero(Emit *e, const Tensor *mask, int64_t *count);
ErrCode capture_item_int(Emit *e, const Tensor *t, int64_t *value);

/* ---- capture/grad.c ---- */
/* The roots of a backward statement of the caller, which is a region of its own. */
ErrCode capture_backward_roots(Capture *cap, const Stmt *stmt);
/* torch.autograd.grad: records the gradients as tensors of the program and binds their names. */
ErrCode capture_grad(Capture *cap, const Stmt *stmt);

/* What the node makes of the gradients that have arrived: out[slot], as its rule, or its own
 * backward, computes it. `need`: by slot. */
ErrCode capture_differentiate(Capture *cap, GradNode *node, const bool *need, Tensor *const *grad,
                              Tensor **out);
/* A backward from `output`s, given `tangent`s, which accumulates into leaves that nobody else has.
 */
ErrCode capture_walk_apart(Capture *cap, Tensor *const *output, Tensor **tangent, int n);
/* What happens before a node runs: hooks, and retain_grad. */
ErrCode capture_before_node(Capture *cap, GradNode *node);

/* ---- capture/copy_slices.c ---- */
/* Copies the gradient of a base to `whole`, a tensor like the base; *window becomes the written
 * view of it (CopySlices). ERR_invalid for a view outside of its base. */
ErrCode capture_window(Capture *cap, const GradNode *node, Var *whole, const Tensor *grad,
                       Tensor **window);

/* ---- capture/record.c: new tensors ---- */
/* The same tensor as a new one, without a history. */
Var *capture_without_history(Capture *cap, const Var *v);
/* A fresh tensor with the geometry of `like`, from offset 0. */
ErrCode capture_empty_like(Capture *cap, const Tensor *like, Var **out);
/* self.grad = value, also as a post-accumulate hook does it; value NULL: None. */
ErrCode capture_set_grad(Capture *cap, Var *self, Var *value);
/* A copy in the leaf's layout, if that is dense. */
ErrCode capture_copy_for_leaf(Capture *cap, const Var *leaf, Tensor *grad, Var **out);

/* ---- capture/frame.c ---- */
/* What a block of a function replaces. */
typedef struct OuterFrame {
    Tensor **env;
    Binding *binding;
    CaptureFrame frame;
    bool bare, grad_mode, in_program, create_graph, in_formula;
} OuterFrame;
/* Opens a frame in which no name is bound; returns what capture_frame_close restores. */
OuterFrame capture_frame_open(Capture *cap, const uint8_t *needs_input_grad, bool grad_mode);
/* The same for a block that is given gradients. */
OuterFrame capture_frame_of_gradient(Capture *cap, const uint8_t *needs_input_grad, bool grad_mode);
void capture_frame_close(Capture *cap, const OuterFrame *outer);
/* The tensor that the name means; `invalid` if there is none. */
ErrCode capture_look_up(Capture *cap, NameId name, Var **out);
/* Has the program functions or hooks, whose blocks the backward of the harness runs? */
bool capture_walks_inside(const Program *p);
/* The versions of all inputs, summed: has one been written since? */
int64_t capture_input_versions(const Capture *cap);

/* ---- capture/function.c ---- */
/* An apply statement: the forward is run here and recorded as one node. */
ErrCode capture_function(Capture *cap, const Stmt *stmt);

/* The function applied to what `operands` name; binds `out`. `checkpoint`: it is the block of a
 * reentrant checkpoint, whose operands are saved; else NULL. */
ErrCode capture_application(Capture *cap, const Function *f, const Stmt *stmt,
                            const NameId *operands, const NameId *out, Checkpoint *checkpoint);

/* ---- capture/checkpoint.c ---- */
/* A block under checkpoint. */
ErrCode capture_checkpoint(Capture *cap, const Stmt *stmt);
/* The node of the recomputed block that stands for `node`, with the values that it saves; NULL: it
 * is behind the last of them. */
ErrCode capture_recomputed(Capture *cap, const GradNode *node, GradNode **out);
/* The backward of a CHECKPOINT node, in a walk without inputs (`whole`), or with. */
ErrCode capture_checkpoint_backward(Capture *cap, GradNode *node, bool whole, Tensor **out);

/* ---- capture/function_backward.c ---- */
/* A value that the node saved, as it is given to its backward. */
ErrCode capture_unpack_kept(Capture *cap, GradNode *node, const FunctionSaved *kept, Var **out);
/* The node's own backward. */
ErrCode capture_function_backward(Capture *cap, GradNode *node, Tensor *const *grad, Tensor **out);

/* ---- capture/hook.c ---- */
/* A hook that is registered, or removed. */
ErrCode capture_hook(Capture *cap, const Stmt *stmt);
/* The hooks that are called before the node runs, or its gradient becomes a result. */
ErrCode capture_call_hooks(Capture *cap, GradNode *node);
/* ... and those that are called after the leaf's gradient was accumulated. */
ErrCode capture_call_post_hooks(Capture *cap, Var *leaf);

/* Did this region register a hook on the tensor? */
bool capture_hooks_registered(const Var *v);
/* The hooks that the tensor came with. */
void capture_inherit_hooks(Capture *cap, Var *v, const TensorRecord *record);
/* The hooks of a leaf, as they are when an earlier region is resumed. */
void capture_set_hooks(Capture *cap, Var *v, const TensorRecord *record);
/* What is registered in a list: all that is left of it, or what this region has added. */
const HookNames *capture_hook_names(const Capture *cap, const HookList *list, bool added);
/* What this region has registered on the external grad_fn of an entry; NULL: nothing. */
const HookNames *capture_external_hooks(const Capture *cap, int entry);
/* A later region has registered the hook on output `nr` of the node. */
void capture_add_hook(Capture *cap, GradNode *node, int nr, int function);

/* ---- capture/call_faults.c: of functions and hooks ---- */
void capture_fault_counts_once(const Capture *cap, const GradNode *node, Tensor **out);
Var *capture_fault_returns_apart(Capture *cap, Var *v, Edge before);
bool capture_fault_has_hooks(const Capture *cap);

/* ---- capture/final_backward.c ---- */
/* The backward of the harness, or its part in this region, for such a program. */
void capture_final_backward(Compile *c);

/* ---- capture/accumulate.c ---- */
/* AccumulateGrad, where the program can see which tensor .grad is. */
ErrCode capture_accumulate(Capture *cap, const BackwardEngine *x, Var *leaf, Tensor *grad);
/* .grad, read or set. */
ErrCode capture_dot_grad(Capture *cap, const Stmt *stmt);
/* At the end of the region: .grad of what outlives it becomes a value of its own. */
void capture_settle_grads(Capture *cap);

/* ---- capture/bindings.c ---- */
/* The name is not bound any more. */
void binding_clear(Capture *cap, NameId name);
/* `name` now means `v`; its flags are cached. */
void binding_set(Capture *cap, NameId name, Var *v);
/* After a statement that may have changed flags on the storage of its receiver: brings the caches
 * concerned up to date. */
void binding_refresh(Capture *cap, const Stmt *stmt, const Var *receiver);
/* The same after another statement has written to a tensor on that storage. */
void binding_renew(Capture *cap, const Var *receiver);
/* `v` is about to get other memory, or has got it: takes out, or puts back, the bindings to it. */
void binding_unlink(Capture *cap, const Var *v);
void binding_link(Capture *cap, const Var *v);
/* Seeded fault RG_13. */
bool capture_flag_by_mode(const Compile *c, const Var *v);
/* True if the cache is up to date (always, unless a seeded fault keeps it stale). */
bool binding_is_fresh(const Binding *h);

#endif
