/* Capture: what the compiler knows about a program beside its graph: tensor objects, their
 * histories, and what was decided.
 *
 *     name ── Handle (cached flags) ── Var ── Class (storage: one version)
 *         what programs see
 *                                       │ └── Node (a place to read, in the graph)
 *                                       └──── history ── GradNode ── GradNode ── leaf
 *         the static tape
 *
 * A Var is one tensor object of the program, metadata only: a layout in its Class, and the autograd
 * record of semantics.md 1-4. Before functionalize an operand that is a VIEW or the node of a Class
 * reads what the Class holds at that place in the graph; afterwards nodes are values, and the tape,
 * which points to OP nodes, finds in their operands what the op saw: the saved values.
 *
 * Everything lives in the compilation's arena. */
#ifndef COMPILED_CAPTURE_H
#define COMPILED_CAPTURE_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"
#include "compiled/ir/plan.h"

typedef struct Var Var;
typedef struct GradNode GradNode;
typedef struct Binding Binding;

/* A storage of the program. `storage` has no data; its address is the identity that overlap tests
 * compare. */
typedef struct AliasClass {
    Storage storage; /* first: a Storage * of a Var is a Class * */
    int number;
    int input;         /* input storage number, or -1 */
    Node *buffer;      /* the node that made it: layouts are places in its buffer */
    Binding *bindings; /* names bound to tensors on this storage */
} AliasClass;
static inline AliasClass *alias_class_of(const Tensor *t) { return (AliasClass *)t->storage; }

/* What a region (the function, or the setup before it) knows of a tensor that was there before:
 * metadata, never data. Who receives the gradients of one that is no leaf is not known here: its
 * history is opaque. */
typedef struct EntryTensor {
    bool requires_grad; /* the tensor's own bit */
    bool has_history;
    bool stale;         /* of a view: its history is of another version than its storage */
    int base;           /* of a view: place of its base among the entries; else -1 */
    int creation_meta;  /* of a view: a Creation */
    int topological_nr; /* edges from its history to the end of the longest way, if the function
                           takes gradients; or 0 */
    const Tensor *history_meta; /* what a gradient for its history must look like, if another size
                                   or dtype than its own; or NULL */
    const Tensor *leaf_meta; /* the same of its accumulator, if it has one and the program changes
                                geometries; or NULL */
} EntryTensor;
/* Must gradients for both look alike? (NULL: nothing is said) */
static inline bool same_meta(const Tensor *a, const Tensor *b) {
    return a && b ? a->dtype == b->dtype && tensor_same_size(a, b) : a == b;
}

/* Where a backward that comes later takes the tape up. */
typedef enum RootKind {
    ROOT_TAPE,    /* output `nr` of tape node `number` */
    ROOT_LEAF,    /* the accumulator of object `number` */
    ROOT_EXTERNAL /* the history that object `number` came with */
} RootKind;
typedef struct ResumedRoot {
    RootKind kind;
    int64_t number;
    int nr;
    const Tensor *grad; /* contiguous; NULL: undefined */
} ResumedRoot;
typedef struct ResumedBackward {
    ResumedRoot *root;
    int nroot;
    bool goes_on; /* other roots wait in regions before this one */
} ResumedBackward;

typedef struct CaptureInput {
    const Tensor *tensors; /* by entry: geometry, and which storage */
    const EntryTensor *entry;
    int n;
    const NameId *name; /* what names mean: name[k] is entry[named[k]] */
    const int *named;
    int nname;
    bool setup; /* the setup instead of the body */
    bool split; /* a graph_break ends the region */
    int resume; /* the graph_break behind which the body is taken up; -1: from its start */
    bool grad_mode;
    int stop_before;
    bool sample;                  /* metadata only: of its graph nothing will run (symbol.h) */
    const ResumedBackward *later; /* no call: the backward of one that was; or NULL */
} CaptureInput;

/* Where a gradient goes: output `nr` of a tape node; `to` NULL: to nobody. */
typedef struct Edge {
    GradNode *to;
    int nr;
} Edge;

/* How a differentiable view was made (torch's CreationMeta). */
typedef enum CreationMeta {
    CREATION_DEFAULT,
    CREATION_NO_GRAD,
    CREATION_MULTI_OUTPUT
} CreationMeta;

struct Var {
    Tensor t;                   /* first; storage is the Class */
    Node *node;                 /* reads the tensor */
    bool requires_grad;         /* the tensor's own bit */
    Edge history;               /* grad_fn; to NULL: none */
    GradNode *accumulator;      /* the leaf's own tape node, once somebody asked for it */
    Var *base;                  /* differentiable view: the root it is a view of; else NULL */
    CreationMeta creation_meta; /* of a view */
    int64_t attr_version;       /* version at which a view's history was made */
    int input;                  /* place among the entries, or -1 */
    const Var *mask;            /* of an expanded mask: the mask, which is what PyTorch saves */
    int64_t mask_version;
    Var *gathered; /* what gradients inside the program have added to .grad, a tensor of its own; or
                      NULL */
    Node *grad;    /* the same with what the backward added, after joint; or NULL */
    bool retains_grad;     /* retain_grad was asked for while it was no leaf */
    GradNode *retained_at; /* ... and this node does it */
};

/* All but the metadata. */
static inline void var_clear(Var *v) { memset(&v->node, 0, sizeof *v - offsetof(Var, node)); }

/* What a name binding caches when it is made, as Dynamo's TensorVariable does. */
typedef struct Flags {
    bool requires_grad, has_grad_fn;
} Flags;
struct Binding {
    Var *var;                  /* NULL: the name is not bound */
    Flags flags;               /* answer probes and asserts */
    bool branch_requires_grad; /* the copy that branches ask */
    Binding *next, *prev;      /* handles on one storage */
};

typedef enum GradNodeKind {
    GRAD_NODE_ACCUMULATE, /* accumulates into `leaf` */
    GRAD_NODE_EXTERNAL,   /* the history that an entry came with: an opaque consumer of what arrives
                           */
    GRAD_NODE_OP,         /* the op's derivative rule */
    GRAD_NODE_ZERO,       /* zeros to every operand: an in-place comparison */
    GRAD_NODE_COPY_SLICES, /* CopySlices: base's gradient, with the region `view` replaced by what
                              `inner` makes of it */
    GRAD_NODE_AS_STRIDED   /* a view's history remade: a strided read of the base */
} GradNodeKind;

/* retain_grad: what arrives at output `nr` of a tape node is added to the grad of `var`. */
typedef struct RetainGrad {
    Var *var;
    int nr;
    struct RetainGrad *next;
} RetainGrad;

/* A saved value: its storage and the version it had. Unpacking an operand asks its history; a
 * result's is known. */
typedef struct SavedVariable {
    const AliasClass *cls;
    int64_t version;
    Var *operand; /* or NULL */
    bool
        leaf; /* it had no history then; one that had must have one still (detach_ takes it away) */
} SavedVariable;

struct GradNode {
    GradNodeKind kind;
    int64_t sequence_nr; /* the engine runs ready nodes by descending sequence number */
    GradNode *older;     /* the one made before */
    int64_t number;      /* of nodes made before; the same in every capture of the same region */
    int sid;
    Call *call;   /* OP: a view's own call (metadata); else NULL: node->call */
    Node *node;   /* OP on values: the node */
    Tensor **out; /* OP: its outputs (of an in-place op: the value written, in self's dtype) */
    int nslot, nout;
    Edge *next;           /* by slot */
    const Tensor **input; /* by slot: metadata of the operand */
    SavedVariable *saved;
    int nsaved;
    bool saves_clone; /* slot 0 is a copy of its own (an in-place op): saved, but no version to
                         check */
    bool freed;       /* a backward was run through it, and the graph not retained */
    int after; /* moved leaves (Capture.moved) that the joint's walk had met before it ran the node
                */
    Call *tensors; /* OP, in a program that takes gradients: the call on tensors of the program,
                      saved ones as they were */
    Var *result;   /* ... and its result, if that is saved */
    RetainGrad *retains_grad;
    Var *leaf;
    const Tensor *base, *view; /* REGION, STRIDED: places in one storage. LEAF: base, if the leaf's
                                  own geometry has changed */
    GradNode *inner;           /* REGION */
    /* scratch of the engine */
    int64_t walk;     /* the engine's, when it met the node */
    int64_t captured; /* the walk in which some gradient that arrives is asked for */
    bool needed;      /* what it answers leads to one that is asked for */
    bool receiving;   /* something was delivered and kept */
    int beyond; /* OUTER: edges from the history to the end of the longest way (Entry.height) */
    int topological_nr; /* edges from here to the end of the longest way */
    GradNode *met;      /* the node that the walk met before */
    int waits;          /* edges that have not delivered yet */
    Tensor **grad;      /* by output: what has arrived */
};

/* A size or index that depends on values: found by running the graph so far; part of the guard. */
typedef enum DataDependentKind { ASK_COUNT_NONZERO, ASK_ITEM } DataDependentKind;
typedef struct DataDependent {
    DataDependentKind kind;
    Plan *plan;
    const Node *value;
    Tensor layout; /* of the tensor asked about, in value's buffer */
    int64_t answer;
    int failed_sid; /* sid of the CHECK that fires before there is an answer, or -1 */
    struct DataDependent *next;
} DataDependent;

/* Why a capture ended before the last statement. */
typedef enum CaptureEnd {
    END_OK,      /* it did not */
    END_ERROR,   /* the statement raises */
    END_STOPPED, /* stop_before was reached */
    END_BREAK,   /* a graph_break: another region goes on from there */
    END_CHECK    /* a CHECK before a question fired: err, at */
} CaptureEnd;

typedef struct Capture {
    Emit emit; /* first: Emit * is Capture * */
    Compile *c;
    Arena *arena;
    const Program *program;
    Graph *graph;
    CaptureInput in;
    Error err; /* the program's error */
    bool grad_mode;
    bool takes_gradients; /* the program has a grad statement */
    int64_t walks;        /* of the engine so far */
    int sid;              /* the running statement */
    OpId stmt_op;         /* of the running op statement */
    int64_t sequence_nr, bytes;
    GradNode *tape; /* the node made last */
    AliasClass **cls;
    int ncls, cls_capacity;
    Var *input;       /* by entry */
    GradNode **outer; /* by entry: its history, or NULL */
    Var *
        *object; /* tensors that outlive the region: the entries, then what it leaves to the next */
    int nobject;
    NameId *
        exported; /* names a region leaves to the next, and the objects they mean (-1: not bound) */
    int *exported_as;
    int nexported;
    Tensor **env;     /* by NameId: the Var, or NULL */
    Binding *binding; /* by NameId */
    Var **ret;        /* returned variables */
    TraceEntry *trace;
    int *trace_storage; /* by entry of the trace: the input storage whose version it tells, or -1 */
    int ntrace, trace_capacity;
    int64_t made; /* tape nodes when the walk had ended */
    int *moved;   /* objects: leaves with a history by now, whose accumulators the backward met, in
                     that order. Each raises, unless it waits outside */
    int nmoved;
    DataDependent *data_dependents, *last_data_dependent;
    int writing; /* input storage that a value error found in this statement leaves unsettled, or -1
                  */
    CaptureEnd end;
    int at;         /* where the error, or the graph_break, is */
    int resume;     /* statements up to this one are passed over; -1 once it is reached */
    bool unsettled; /* the error was found in a value while writing to input storage `writing` */
} Capture;

/* ---- capture.c ---- */
/* Does some statement of the function take gradients? */
bool capture_takes_gradients(const Program *p);
/* Walks the program; fills c->graph and c->capture. Never fails: see Capture.end. */
void capture_program(Compile *c, const CaptureInput *in);

/* ---- capture/exit.c ---- */
void capture_return_plan(ReturnPlan *ret, const Var *v);
/* The objects and, for each, who may receive a gradient. */
void capture_objects(Capture *cap);

/* ---- capture/apply.c: the Emit ---- */
ErrCode capture_apply(Emit *e, const Call *call, Tensor **out, int *nout);
AliasClass *capture_class(Capture *cap, DType dtype, int64_t numel, Node *buffer, int input);
/* A new tensor on `cls` with `layout`. */
Var *capture_var(Capture *cap, AliasClass *cls, const Tensor *layout, Node *node);

/* The call with the nodes that read its operands in their places. */
void capture_call(const Capture *cap, Call *out, const Call *call);
/* The value of a call on nodes, inferred and counted against the limits; not a tensor of the
 * program. */
ErrCode capture_node(Capture *cap, const Call *call, Node **out);
ErrCode capture_cast(Capture *cap, Node *value, DType dtype, Node **out);
/* Counts a buffer against the limits. */
ErrCode capture_memory(Capture *cap, const Tensor *t);
/* Is what comes out of these operands recorded? */
bool capture_needs_tape(const Capture *cap, Tensor *const *slot, int n);
void tape_result(Capture *cap, GradNode *tape, Node *node, Node *value);
/* What a gradient inside the program finds on the node: the call on tensors, and the result. */
void tape_tensors(Capture *cap, GradNode *tape, const Call *call, Var *result);

/* ---- capture/inplace.c ---- */
/* INPLACE rows. */
ErrCode capture_in_place(Capture *cap, const Call *call, Tensor **out, int *nout);

/* ---- capture/view.c ---- */
/* VIEW and MULTI_VIEW rows. */
ErrCode capture_apply_view(Capture *cap, const Call *call, Tensor **out, int *nout);
/* INPLACE_VIEW rows: the history is set, not rebased: of a view, the base knows nothing of it. */
ErrCode capture_in_place_view(Capture *cap, const Call *call, Tensor **out, int *nout);

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
/* Asks again, on other inputs: true if what comes out is the same. */
bool data_dependent_same(const DataDependent *q, void *const *input, Arena *arena);

/* ---- capture/autograd.c: semantics.md 1-4 on metadata ---- */
bool cap_requires_grad(const Var *v);
/* The view's history is of another version and has to be remade before anyone looks at it. */
bool cap_is_stale(const Var *v);
/* grad_fn as it would be answered now; true also where asking raises. Changes nothing. */
bool cap_has_grad_fn(const Var *v);
/* Asks for the history: remakes a stale one, or raises. *edge (may be NULL) is where a gradient of
 * `v` goes. */
ErrCode cap_ask(Capture *cap, Var *v, Edge *edge);
/* `out` is a differentiable view of `self` made by the running op. */
void cap_make_view(Capture *cap, Var *out, Var *self, bool multi);
/* May a write to `self` be recorded? */
ErrCode cap_check_write(Capture *cap, Var *self);
/* self's value was written by `fn` (nr 0); the version has been bumped. */
ErrCode cap_rebase(Capture *cap, Var *self, GradNode *fn);
/* `fn` (nr 0) is self's history from now on, for a view as well; the version has been bumped. */
void cap_set_history(Var *self, GradNode *fn);
/* The leaf's own tape node. */
GradNode *tape_leaf(Capture *cap, Var *v);
GradNode *tape_new(Capture *cap, GradNodeKind kind, int nslot, int nout);
/* `v` is about to get other sizes and strides: whatever the tape keeps of it stays as it was. */
void cap_freeze(Capture *cap, const Var *v);
/* What came out of the op: the size and dtype that a gradient at this edge must have. */
const Tensor *cap_edge_meta(Edge edge);
/* Asks every operand; edges in slot order (nothing for operands that take no gradient). */
ErrCode tape_connect(Capture *cap, GradNode *node, const OpInfo *op, Tensor *const *slot);
/* Remembers the versions of the operands that `call` saves (slot `skip` was copied: -1 for none),
 * before the op runs. */
void tape_save(Capture *cap, GradNode *node, const Call *call, Tensor *const *slot, int skip);
/* The same for its result, after the op ran. */
void tape_save_result(Capture *cap, GradNode *node, const Call *call, const Var *result);
ErrCode cap_detach_in_place(Capture *cap, Var *self);
ErrCode cap_set_requires_grad(Capture *cap, Var *self, bool requires_grad);

/* What retain_grad asked for on `v` follows it to a new history (in-place views leave it where it
 * is). */
void cap_move_retain(Capture *cap, Var *v, GradNode *to);

/* ---- backward.c: the order of a backward, over the static tape ---- */
typedef struct BackwardEngine BackwardEngine;
struct BackwardEngine {
    Emit *e;            /* where gradients are added up; its error ends the walk */
    int64_t walk;       /* number of the walk: never the same twice in a capture */
    const Edge *inputs; /* edges whose gradients are wanted; `to` NULL: never reached */
    int ninputs;        /* 0: everything that can be reached is run */
    Tensor **captured;  /* by input: what arrived there */
    void (*run)(BackwardEngine *engine,
                GradNode *node); /* runs a node and delivers what it answers */
    GradNode **ready;            /* a heap, the highest sequence number first */
    int nready, capacity;
    int waiting;          /* nodes that have received something, and not yet all */
    GradNode *met;        /* all nodes that can be reached */
    const GradNode *lost; /* the node of "dependency not found", or NULL */
};
/* Runs backward from `root` with `tangent`s (NULL: undefined). */
void tape_backward(BackwardEngine *engine, const Edge *root, Tensor *const *tangent, int nroots);
/* Edges from `node` to the end of the longest way (topological_nr in
 * torch/csrc/autograd/function.h). */
int topological_nr_of(Capture *cap, GradNode *node);
/* Is a gradient that goes along the edge waited for? */
bool tape_wants(const BackwardEngine *engine, Edge edge);
/* Gives an answer to the end of a node's edge; NULL: undefined. */
void tape_deliver(BackwardEngine *engine, Edge edge, Tensor *grad);
/* What refuses a node before it is run: freed, a saved operand's history, a saved version. The
 * error goes to `err`. */
ErrCode tape_check(Capture *cap, const GradNode *node, Error *err);
/* Asks the history of a tensor that a backward meets (a saved operand, a leaf), which may refuse:
 * into `err`. */
ErrCode tape_ask(Capture *cap, Var *v, Error *err);

/* What an accumulator says whose leaf has a history by then. */
#define LEAF_MOVED "leaf variable has been moved into the graph interior"

/* ---- capture/grad.c ---- */
/* torch.autograd.grad: records the gradients as tensors of the program and binds their names. */
ErrCode capture_grad(Capture *cap, const Stmt *stmt);
ErrCode cap_retain_grad(Capture *cap, Var *self);

/* ---- capture/bindings.c ---- */
/* The name is not bound any more. */
void binding_clear(Capture *cap, NameId name);
/* `name` now means `v`; its flags are cached. */
void binding_set(Capture *cap, NameId name, Var *v);
/* After a statement that may have changed flags on the storage of its receiver: brings the caches
 * concerned up to date. */
void binding_refresh(Capture *cap, const Stmt *stmt, const Var *receiver);
/* True if the cache says what is so (always, unless a fault keeps it stale). */
bool binding_is_fresh(const Binding *h);

/* ---- epilogue.c ---- */
/* What a region leaves of an object. */
typedef enum ExitHistory { HISTORY_NONE, HISTORY_AS_BEFORE, HISTORY_OF_REGION } ExitHistory;
typedef struct ExitTensor {
    Tensor layout;
    bool requires_grad;
    ExitHistory history;
    int64_t number; /* HISTORY_OF_REGION: tape node, output */
    int nr;
    bool remade; /* asked again while the backward ran: its history is made anew when it is next
                    needed */
    int topological_nr;         /* HISTORY_OF_REGION: as Entry.height */
    const Tensor *history_meta; /* HISTORY_OF_REGION: what a gradient for it must look like */
    const Tensor *leaf_meta;    /* the same of its accumulator; NULL: nobody has asked for one */
    int base;                   /* place among the objects, or -1 */
    CreationMeta creation_meta;
    int64_t attr_version; /* of a view: relative to its storage's version at the start */
    int64_t version;      /* its storage's, likewise */
} ExitTensor;
/* One compiled region: what a cache entry holds. */
typedef struct Artifact {
    struct Artifact *next;
    const void *key; /* guard_key; NULL: not to be reused */
    int64_t key_bytes;
    CaptureInput made_for; /* as it was called then: metadata */
    MissReason miss; /* why it was made, if the region had been compiled before; else MISS_COUNT */
    struct Symbols *symbols; /* it serves other sizes too (symbol.h); or NULL */
    const Capture *capture;
    const Graph *graph;
    const Plan *plan;
    const DataDependent
        *data_dependents;   /* what else must be as it was: answers that depend on values */
    const ExitTensor *exit; /* by object */
    bool has_checks;
    /* the error that the region ends with */
    int error_at;
    ErrCode error; /* ERR_none: the function returns (its backward may raise) */
    const char *message;
    int unsettled; /* input storage that a refused write leaves unsettled, or -1 */
} Artifact;
/* What every object is when the capture (before the passes) has ended. */
ExitTensor *capture_exit(Capture *cap);
/* Marks what the passes (the backward) changed. */
void capture_exit_remade(const Capture *cap, ExitTensor *exit);

/* What a run of an artifact left, beside its inputs' data. */
typedef struct ArtifactResult {
    Storage **storage; /* of the inputs, by number */
    int nstorage;
    Tensor *returns;      /* by return, or export */
    Tensor **grad;        /* by Graph.inp: a contiguous copy, or NULL */
    Tensor **return_grad; /* by return */
} ArtifactResult;
/* Runs the artifact on `tensors` (with data). False if a CHECK fired (`exec` says which): then
 * everything is as it was. */
bool artifact_run(const Artifact *a, const Program *p, const CaptureInput *in, Arena *arena,
                  ArtifactResult *out, Execution *exec);
/* The data of the input storages, in the order of their INPUT nodes. */
void storages_of(const Tensor *inputs, int ninputs, Storage **out, int *nout);

/* ---- guard.c ---- */
/* What a compilation may assume of its entries, as bytes: equal bytes, same code. */
const void *guard_key(const Compile *c, const CaptureInput *in, Arena *arena, int64_t *bytes);

#endif
