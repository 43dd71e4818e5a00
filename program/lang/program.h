/* Program: one JSON file of docs/reference/format.md as a tree, in an arena.
 *
 *     Program ── inputs[] , body ── Stmt ── Stmt ── ...
 *         names are interned: a NameId indexes program->names
 *
 * Every statement has a number (`sid`: preorder over setup, body, after) by which traces, errors
 * and graphs refer to it; program_path converts it to "body[4].then[0]". A program is immutable
 * once built. fuzz/ and the minimizer copy it before changing it (program_clone). */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "program/lang/surface.h"
#include "program/semantics/semantics.h"
#include "program/ops/op.h"

enum {
    NAME_NONE = -1,
    MAX_NAMES = 8192,
    MAX_INPUTS = 64,
    MAX_RETURNS = 1024,
    MAX_RECALLS = 64,
    MAX_SETTINGS = 32,
    MAX_NESTING = 64,
    MAX_FUNCTIONS = 64,
    MAX_FUNCTION_NAMES = 8 /* parameters of a function, and what it returns */
};

/* An int, or the size of a dim of a variable at run time: {"size_of": [NAME, DIM]}. */
typedef struct PInt {
    NameId size_of; /* NAME_NONE: `value` is the int; otherwise `value` is the dim */
    int64_t value;
} PInt;

typedef struct PIndexItem {
    IndexKind kind;
    bool has_start, has_stop, has_step;
    PInt start, stop, step; /* INT: start; BOOL: start.value; SLICE: all three */
    NameId tensor;
    const int64_t *list; /* LIST */
    int count;
} PIndexItem;

/* An argument of a statement. `given` false: the schema's default applies. */
typedef struct PArg {
    bool given;
    bool is_none;   /* an optional argument was given as null */
    bool is_tensor; /* ARG_VALUE, ARG_TENSOR*: given as a name */
    union {
        NameId tensor;
        struct {
            NameId *v;
            int n;
        } tensors; /* NAME_NONE = null */
        Scalar scalar;
        PInt i;
        struct {
            PInt *v;
            int n;
            bool single;
        } ints; /* single: given as one int instead of a list */
        double f;
        bool b;
        DType dtype;
        const char *str;
        struct {
            PIndexItem *v;
            int n;
        } index;
        struct {
            void *data;
            int64_t n;
        } data; /* tensor literal: elements in the dtype of the dtype argument */
    };
} PArg;
/* Is a given bool or int what the schema's default is? */
bool argument_is_default(const Param *param, const PArg *arg);

typedef enum PredicateKind {
    PRED_requires_grad,
    PRED_is_leaf,
    PRED_has_grad_fn,
    PRED_is_contiguous,
    PRED_is_grad_enabled,
    PRED_dtype,
    PRED_dim,
    PRED_not,
    PRED_needs_input_grad, /* from here on: in the blocks of a function only */
    PRED_is_none,
    PRED_COUNT
} PredicateKind;
typedef struct Predicate {
    PredicateKind kind;
    NameId of;
    DType dtype;
    int64_t dim;             /* needs_input_grad: the operand's number */
    struct Predicate *inner; /* not */
} Predicate;
/* Does a predicate of this kind name a tensor? */
static inline bool predicate_names(PredicateKind kind) {
    return kind != PRED_is_grad_enabled && kind != PRED_not && kind != PRED_needs_input_grad;
}

typedef enum ProbeKind {
    PROBE_requires_grad,
    PROBE_is_leaf,
    PROBE_has_grad_fn,
    PROBE_is_contiguous,
    PROBE_size,
    PROBE_stride,
    PROBE_storage_offset,
    PROBE_dtype,
    PROBE_version,
    PROBE_is_grad_enabled,
    PROBE_COUNT
} ProbeKind;
/* The name of a probe in the format, and its inverse (false if there is no such probe). */
const char *probe_name(ProbeKind kind);
bool probe_parse(const char *name, ProbeKind *kind);

/* What a block runs in. All but grad_mode and checkpoint are for targets: our own executors answer
 * `unsupported`. */
typedef enum BlockContext {
    CONTEXT_grad_mode,
    CONTEXT_autocast,
    CONTEXT_checkpoint,
#define CONTEXT(name, group, kind, values, code) CONTEXT_##name,
#include "program/lang/contexts.def"
    CONTEXT_COUNT
} BlockContext;
/* The name of a context in the format ("grad_mode", which the format calls no_grad or enable_grad,
 * "autocast", ..), and its inverse (false: none of this name). */
const char *context_name(BlockContext context);
bool context_parse(const char *name, BlockContext *context);
/* Is the block a function of what it reads (FUNCTION in contexts.def)? `code` may be NULL. */
bool context_is_function(BlockContext context, const char **code);

typedef enum StmtKind {
    STMT_OP,
    STMT_WITH,
    STMT_IF,
    STMT_ASSERT,
    STMT_PROBE,
    STMT_GRAD,
    STMT_GRAPH_BREAK,
    STMT_APPLY,
    STMT_HOOK,
    STMT_DOT_GRAD,
    STMT_COUNT
} StmtKind;
typedef struct Stmt Stmt;
typedef struct Block {
    Stmt *first;
    int count;
} Block;
/* A torch.autograd.grad statement; with `accumulates` torch.autograd.backward, which has no inputs
 * and binds nothing. */
typedef struct GradStmt {
    bool accumulates;
    NameId *outputs;
    int noutputs;
    NameId *inputs;
    int ninputs;
    NameId *grad_outputs;
    int ngrad_outputs; /* NAME_NONE = null; ngrad_outputs -1: not given */
    bool create_graph, retain_graph, retain_given, allow_unused;
} GradStmt;

/* Function.apply: as many operands as the function has parameters, as many names in `out` as it
 * returns. */
typedef struct ApplyStmt {
    int function; /* index in program->functions */
    NameId *operands;
    int noperands;
} ApplyStmt;

/* A hook of a tensor: registered, or removed again. One parameter of the function: of its gradient;
 * two, the tensor and its .grad: called after the gradient was accumulated there. */
typedef struct HookStmt {
    NameId self;
    int function; /* index in program->functions: a plain one */
    bool remove;
} HookStmt;

/* The .grad of a tensor: read (into `out`; unbound if it is None), or set. */
typedef struct DotGradStmt {
    NameId self;
    bool set;
    NameId value; /* set: NAME_NONE = None */
} DotGradStmt;

struct Stmt {
    Stmt *next; /* next statement of the same block */
    StmtKind kind;
    int sid;
    /* STMT_OP */
    const OpInfo *op;
    PArg *arg;          /* op->nparam of them */
    bool requires_grad; /* FACTORY: "requires_grad": true */
    bool requires_grad_given;
    int nout;      /* number of names in out; 0: no `out` */
    bool out_list; /* out was an array: unpack the results */
    NameId *out;
    /* STMT_WITH */
    BlockContext context;
    bool grad_enabled; /* CONTEXT_grad_mode: enable_grad (true) or no_grad */
    DType autocast;    /* CONTEXT_autocast: bfloat16 or float16 */
    bool reentrant;    /* CONTEXT_checkpoint */
    Block body;        /* WITH: body; IF: then branch */
    /* STMT_IF, STMT_ASSERT */
    Predicate predicate;
    Block orelse; /* IF: else branch */
    bool has_else;
    /* STMT_PROBE */
    ProbeKind probe;
    NameId of;
    /* STMT_GRAD, STMT_APPLY, STMT_HOOK, STMT_DOT_GRAD */
    GradStmt *grad;
    ApplyStmt *apply;
    HookStmt *hook;
    DotGradStmt *dot_grad;
    const char
        *extra; /* `x-` keys of the statement, as canonical JSON members ("\"x-a\":1"), or NULL */
};

/* The source of an input's data. */
typedef struct InputData {
    bool given;
    bool is_fill;
    FillKind fill;
    uint64_t seed;
    void *data; /* otherwise `numel` elements of the dtype */
    int64_t numel;
    const char *extra; /* `x-` keys of the fill */
} InputData;

typedef struct Input {
    NameId name;
    DType dtype;
    int ndim;
    int64_t size[MAX_DIMS];
    bool stride_given, offset_given;
    int64_t stride[MAX_DIMS]; /* contiguous if not given */
    int64_t offset;
    NameId storage; /* NAME_NONE: its own storage */
    bool requires_grad, requires_grad_given;
    InputData data;
    const char *extra;
} Input;

/* An autograd.Function: what it computes, and its own derivative. Its blocks have names of their
 * own, and the statements in them no numbers (sid -1). */
typedef struct Function {
    NameId name;
    bool plain; /* a hook: one parameter or two, a return or none, and no backward */
    NameId *params;
    int nparams;
    Block forward; /* run under no_grad */
    NameId *returns;
    int nreturns;
    NameId *save; /* save_for_backward */
    int nsave;
    NameId *dirty; /* mark_dirty */
    int ndirty;
    NameId *non_differentiable; /* mark_non_differentiable */
    int nnon_differentiable;
    bool undefined_grads; /* set_materialize_grads(False): an undefined gradient is None, not zeros
                           */
    bool once_differentiable;
    NameId *grad_outputs; /* the parameters of the backward: one for each return */
    Block backward;
    NameId *grad_inputs; /* what the backward returns, one for each parameter; NAME_NONE: None */
    const char *extra;
} Function;

typedef struct Backward {
    bool given;
    FillKind fill;
    uint64_t seed;
    int *of;
    int nof; /* nof -1: all inputs */
    const char *extra;
} Backward;

typedef struct Recall {
    bool keep; /* {"keep": true, ...}: the same tensor objects as in the previous call, after `set`
                  has changed their flags */
    bool keep_grads; /* with keep: .grad stays as it is (format version 2) */
    Input *inputs;
    int ninputs;
    bool object_form; /* given as an object */
    bool grad_mode, grad_mode_given;
    struct {
        NameId name;
        bool requires_grad;
    } * set;
    int nset;
    const char *extra;
} Recall;

typedef struct Result Result;

typedef struct Program {
    Arena *arena;
    const char *name, *note;  /* NULL: not given */
    Semantics semantics;      /* of the PyTorch release that it is a program of, or NONE */
    const char *const *names; /* by NameId */
    int nnames;
    Input *inputs;
    int ninputs;
    bool inputs_given;
    Function *functions; /* format version 2 */
    int nfunctions;
    Block body;
    NameId *returns;
    int nreturns;
    Backward backward;
    uint64_t
        seed; /* of the random numbers of the first call (format version 2); call k has seed + k */
    bool seed_given;
    Block setup;
    bool setup_given;
    Block after; /* caller code after the function (format version 2) */
    bool after_given;
    NameId *args;
    int nargs;
    bool args_given;
    bool grad_mode, grad_mode_given; /* true by default */
    Recall *recalls;
    int nrecalls;
    bool recalls_given;
    PythonSurface *surface;   /* NULL: absent */
    CompileSettings *compile; /* NULL: absent */
    Result *expect;           /* NULL: absent */
    const char *extra;        /* `x-` keys, canonical JSON members */
    int nstmts;               /* sids are 0..nstmts-1 */
} Program;

/* ---- building (parser, generator, minimizer) ---- */
typedef struct Names {
    Arena *arena;
    const char **v;
    int n, capacity;
    int32_t *slot; /* open addressing over v: id + 1, or 0 if free; nslot is a power of two */
    int nslot;
} Names;
/* Interns `name` and returns its id; NAME_NONE if there are MAX_NAMES already. The name is copied
 * into names->arena, the only field that must be set in a new Names. */
NameId names_intern(Names *names, const char *name);
/* Does `name` match [A-Za-z_][A-Za-z0-9_]{0,63}? */
bool name_valid(const char *name);
/* A deep copy in `arena` (op table pointers shared). */
Program *program_clone(Arena *arena, const Program *p);
/* Numbers statements in preorder (setup, body, after) and counts them. Must be called after every
 * edit. */
void program_number(Program *p);
/* Appends a statement to a block. *tail is the last statement, or NULL before the first call;
 * it is updated. */
void block_append(Block *block, Stmt *stmt, Stmt **tail);
/* A statement of the kind that reads no names, and an op statement with no argument given. Both are
 * allocated in `arena`. */
Stmt *stmt_make(Arena *arena, StmtKind kind);
Stmt *stmt_make_op(Arena *arena, const OpInfo *op);
/* May an op stand in a function? Not those that change a tensor's sizes or autograd record in
 * place. */
bool function_takes(const OpInfo *op);
/* The format version that the program needs: 2 if it has a part that version 1 lacks. */
int program_format(const Program *p);
/* Has the program an op that draws random numbers? */
bool program_is_random(const Program *p);
/* What the random ops of call `number` draw from. */
static inline RandomStream program_stream(const Program *p, int number) {
    return (RandomStream){p->seed + (uint64_t)number, 0};
}
/* Does the block of a WITH compute what it would compute without its context? */
bool context_keeps_values(const Stmt *with);
/* Of a context that does not: are only the results of the block others, no tensor that it reads and
 * no gradient that the program itself asks for? (Gradients of a backward after the calls may be.)
 */
bool context_changes_results_only(const Program *p, const Stmt *with);
/* context_keeps_values of all blocks. */
bool program_contexts_keep_values(const Program *p);
/* Has the program a block in this context? */
bool program_has_context(const Program *p, BlockContext context);
/* Has it a block in one other than a grad mode? (Format version 2.) */
bool program_has_context_block(const Program *p);
/* Has it a block under reentrant checkpoint? */
bool program_is_reentrant(const Program *p);
/* The path of statement `sid`, such as "body[4].then[0]", in `arena`. `sid` must be a statement
 * number: AT_RETURN and AT_BACKWARD have no path. */
const char *program_path(Arena *arena, const Program *p, int sid);
/* The grammar of statement paths: (body|setup|after)[N] followed by any of .body[N] .then[N]
 * .else[N]. */
bool path_valid(const char *path);
/* The sid of a path, or -1. */
int program_find(const Program *p, const char *path);
/* The statement with number `sid`, or NULL if there is none. */
Stmt *program_stmt(const Program *p, int sid);
/* What a hook statement is called: "register_hook", "register_post_accumulate_grad_hook" or
 * "remove_hook". */
const char *program_hook_name(const Program *p, const HookStmt *h);
/* Does a statement accumulate into .grad, read it or set it? */
bool program_touches_grads(const Program *p);
/* The same, or does .grad stay from one call to the next? */
bool program_sees_grads(const Program *p);
/* Is the statement in the `after` block? */
bool program_is_after(const Program *p, int sid);
/* Number of statements in the body at any depth: the size of a program in reports. */
int program_size(const Program *p);

/* ---- binding arguments to values (program/ops/bind.c) ---- */
/* Makes the Call of an op statement from an environment `env[NameId]` (NULL: unbound). Lists are
 * allocated in `arena`. Errors: ERR_invalid for an unbound name, ERR_index_range for size_of of a
 * dim that does not exist. */
ErrCode stmt_bind(const Stmt *stmt, const Program *p, Tensor *const *env, Arena *arena, Call *call,
                  Error *err);

/* ---- inputs (inputs.c) ---- */
/* Number of arguments of the function: those in `args`, otherwise all inputs. */
int program_nargs(const Program *p);
/* The name of argument `index` of the function. */
NameId program_arg(const Program *p, int index);
/* Does call `number` run the write-through check, which writes to returns after recording them? Not
 * if the next call keeps its tensors. */
bool program_pokes(const Program *p, int number);
/* Builds the tensors of one call, with storages shared as in the program and filled with data:
 * out[i] for inputs[i]. ERR_limit if they exceed the limits. */
ErrCode inputs_build(const Program *p, const Input *inputs, int ninputs, Arena *arena,
                     const Limits *limits, Tensor *out, Error *err);
/* The inputs and grad mode of call k (0 is the first call, k is recalls[k-1]). */
const Input *program_call_inputs(const Program *p, int call, int *ninputs, bool *grad_mode);
/* Fills `t` (contiguous, allocated) with the tangent of the return at `index`; the fill seed is
 * seed + index. */
void backward_fill(const Backward *b, int index, const Tensor *t);
/* Is the return at `index` a root of the backward, ignoring requires_grad? */
bool backward_includes(const Backward *b, int index);

/* ---- verify.c ---- */
/* Checks every invariant of a well-formed Program that does not require running it (ranges of ids,
 * argument kinds, limits). False after the first violation, which `message` describes with its
 * path. */
bool program_verify(const Program *p, char *message, size_t message_size);
/* As program_verify, with `limits` instead of LIMITS_DEFAULT. */
bool program_verify_within(const Program *p, const Limits *limits, char *message,
                           size_t message_size);

#endif
