/* Program: one JSON file of docs/reference/format.md as a tree, in an arena.
 *
 *     Program ── inputs[] , body ── Stmt ── Stmt ── ...
 *         names are interned: a NameId indexes program->names
 *
 * Every statement has a number (`sid`, preorder over setup then body) by which traces, errors and
 * graphs refer to it; program_path turns it into "body[4].then[0]". A program is immutable once
 * built, except by fuzz/ and the minimizer, which copy first (program_clone). */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "program/ops/op.h"

typedef int32_t NameId;
enum { NAME_NONE = -1, MAX_NAMES = 8192, MAX_INPUTS = 64, MAX_RECALLS = 64, MAX_NESTING = 64 };

/* An int, or the size of a dim of a variable at that moment: {"size_of": [NAME, DIM]}. */
typedef struct PInt {
    NameId size_of; /* NAME_NONE: `value` is the int; else `value` is the dim */
    int64_t value;
} PInt;

typedef struct PIndexItem {
    IndexKind kind;
    bool has_start, has_stop, has_step;
    PInt start, stop, step; /* INT: start; BOOL: start.value */
    NameId tensor;
    const int64_t *list; /* LIST */
    int count;
} PIndexItem;

/* An argument as written. `given` false: the schema's default. */
typedef struct PArg {
    bool given;
    bool is_none;   /* null was written for an optional */
    bool is_tensor; /* ARG_VALUE, ARG_TENSOR*: a name */
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
        } ints; /* single: written as one int, not a list */
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
        } data; /* tensor literal, in the dtype argument's dtype */
    };
} PArg;

typedef enum PredicateKind {
    PRED_requires_grad,
    PRED_is_leaf,
    PRED_has_grad_fn,
    PRED_is_contiguous,
    PRED_is_grad_enabled,
    PRED_dtype,
    PRED_dim,
    PRED_not
} PredicateKind;
typedef struct Predicate {
    PredicateKind kind;
    NameId of;
    DType dtype;
    int64_t dim;
    struct Predicate *inner; /* not */
} Predicate;

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
const char *probe_name(ProbeKind kind);
bool probe_parse(const char *name, ProbeKind *kind);

typedef enum StmtKind {
    STMT_OP,
    STMT_WITH,
    STMT_IF,
    STMT_ASSERT,
    STMT_PROBE,
    STMT_GRAD,
    STMT_GRAPH_BREAK
} StmtKind;
typedef struct Stmt Stmt;
typedef struct Block {
    Stmt *first;
    int count;
} Block;
/* The torch.autograd.grad statement. */
typedef struct GradStmt {
    NameId *outputs;
    int noutputs;
    NameId *inputs;
    int ninputs;
    NameId *grad_outputs;
    int ngrad_outputs; /* NAME_NONE = null; ngrad_outputs -1: not given */
    bool create_graph, retain_graph, retain_given, allow_unused;
} GradStmt;

struct Stmt {
    Stmt *next; /* in its block */
    StmtKind kind;
    int sid;
    /* STMT_OP */
    const OpInfo *op;
    PArg *arg;          /* op->nparam of them */
    bool requires_grad; /* FACTORY: "requires_grad": true */
    bool requires_grad_given;
    int nout;      /* names in out; 0: no `out` */
    bool out_list; /* out was an array: unpack */
    NameId *out;
    /* STMT_WITH */
    bool grad_enabled; /* enable_grad (true) or no_grad */
    Block body;        /* WITH; IF: then */
    /* STMT_IF, STMT_ASSERT */
    Predicate predicate;
    Block orelse; /* IF */
    bool has_else;
    /* STMT_PROBE */
    ProbeKind probe;
    NameId of;
    /* STMT_GRAD */
    GradStmt *grad;
    const char
        *extra; /* `x-` keys of the statement, as canonical JSON members ("\"x-a\":1"), or NULL */
};

/* Where an input's data comes from. */
typedef struct InputData {
    bool given;
    bool is_fill;
    FillKind fill;
    uint64_t seed;
    void *data; /* else: `numel` elements of the dtype */
    int64_t numel;
    const char *extra; /* `x-` keys of the fill */
} InputData;

typedef struct Input {
    NameId name;
    DType dtype;
    int ndim;
    int64_t size[MAX_DIMS];
    bool stride_given, offset_given;
    int64_t stride[MAX_DIMS]; /* filled in (contiguous) when not given */
    int64_t offset;
    NameId storage; /* NAME_NONE: a storage of its own */
    bool requires_grad, requires_grad_given;
    InputData data;
    const char *extra;
} Input;

typedef struct Backward {
    bool given;
    FillKind fill;
    uint64_t seed;
    int *of;
    int nof; /* nof -1: all */
    const char *extra;
} Backward;

typedef struct Recall {
    bool keep; /* {"keep": true, ...}: the same tensor objects as in the call before; `set` changes
                  their flags first */
    Input *inputs;
    int ninputs;
    bool object_form; /* written as an object */
    bool grad_mode, grad_mode_given;
    struct {
        NameId name;
        bool requires_grad;
    } * set;
    int nset;
    const char *extra;
} Recall;

typedef struct Result Result;

/* How the Python shell spells a statement or holds an input; kept for the exporter (and one seeded
 * fault). */
typedef struct PythonSurface PythonSurface;
typedef enum CallStyle {
    STYLE_method,
    STYLE_function,
    STYLE_operator,
    STYLE_kwargs,
    STYLE_torch_ops,
    STYLE_COUNT
} CallStyle;
typedef enum BindingKind {
    BINDING_arg,
    BINDING_closure,
    BINDING_global,
    BINDING_attr,
    BINDING_buffer,
    BINDING_parameter,
    BINDING_constant,
    BINDING_COUNT
} BindingKind;
typedef enum Wrap { WRAP_function, WRAP_method, WRAP_module, WRAP_COUNT } Wrap;
struct PythonSurface {
    bool wrap_given;
    Wrap wrap;
    struct {
        NameId name;
        BindingKind binding;
    } * bindings;
    int nbindings;
    bool bindings_given;
    struct {
        const char *path;
        CallStyle call_styles;
    } * call_styles;
    int ncall_styles;
    bool call_styles_given;
    struct {
        int64_t from, to;
    } * outline;
    int noutline;
    bool outline_given;
    bool instances_given;
    int64_t instances;
    const char *extra;
};

typedef struct Program {
    Arena *arena;
    const char *name, *note;  /* NULL: not given */
    const char *const *names; /* by NameId */
    int nnames;
    Input *inputs;
    int ninputs;
    bool inputs_given;
    Block body;
    NameId *returns;
    int nreturns;
    Backward backward;
    Block setup;
    bool setup_given;
    NameId *args;
    int nargs;
    bool args_given;
    bool grad_mode, grad_mode_given; /* true by default */
    Recall *recalls;
    int nrecalls;
    bool recalls_given;
    PythonSurface *surface; /* NULL: absent */
    Result *expect;         /* NULL: absent */
    const char *extra;      /* `x-` keys, canonical JSON members */
    int nstmts;             /* sids run over 0..nstmts-1 */
} Program;

/* ---- building (parser, generator, minimizer) ---- */
typedef struct Names {
    Arena *arena;
    const char **v;
    int n, capacity;
    int32_t *slot; /* open addressing over v: id + 1, or 0; nslot is a power of two */
    int nslot;
} Names;
/* The id of `name`, interned (copied into names->arena, the only field a fresh Names needs);
 * NAME_NONE when MAX_NAMES is reached. */
NameId names_intern(Names *names, const char *name);
/* [A-Za-z_][A-Za-z0-9_]{0,63} */
bool name_valid(const char *name);
/* A deep copy in `arena` (op table pointers shared). */
Program *program_clone(Arena *arena, const Program *p);
/* Numbers statements in preorder (setup, then body) and counts them: after every edit. */
void program_number(Program *p);
void block_append(Block *block, Stmt *stmt, Stmt **tail);
/* A statement of the kind, reading nothing; an op statement with no argument given. Both in
 * `arena`. */
Stmt *stmt_make(Arena *arena, StmtKind kind);
Stmt *stmt_make_op(Arena *arena, const OpInfo *op);
/* "body[4].then[0]" of a sid, in `arena`; "return" and "backward" are not statements. */
const char *program_path(Arena *arena, const Program *p, int sid);
/* The grammar of statement paths: (body|setup)[N] followed by any of .body[N] .then[N] .else[N]. */
bool path_valid(const char *path);
/* sid of a path, or -1. */
int program_find(const Program *p, const char *path);
Stmt *program_stmt(const Program *p, int sid);
/* Statements of the body at any depth (what a report calls the size of a program). */
int program_size(const Program *p);

/* ---- binding arguments to values (bind.c) ---- */
/* Makes the Call of an op statement from an environment `env[NameId]` (NULL: unbound). Errors:
 * invalid (unbound name, size_of of a missing dim is index_range). Lists are allocated in
 * `arena`. */
ErrCode stmt_bind(const Stmt *stmt, const Program *p, Tensor *const *env, Arena *arena, Call *call,
                  Error *err);

/* ---- inputs (inputs.c) ---- */
/* What the function is passed: `args`, or else the inputs. */
int program_nargs(const Program *p);
NameId program_arg(const Program *p, int index);
/* Are returns written to after call `number` is recorded (the write-through check)? Not where the
 * next call keeps its tensors. */
bool program_pokes(const Program *p, int number);
/* Builds the tensors of one call, storages shared as written: out[i] for inputs[i], data filled.
 * ERR_limit. */
ErrCode inputs_build(const Program *p, const Input *inputs, int ninputs, Arena *arena,
                     const Limits *limits, Tensor *out, Error *err);
/* The inputs and grad mode of call k (0 = the first, k = recalls[k-1]). */
const Input *program_call_inputs(const Program *p, int call, int *ninputs, bool *grad_mode);
/* Fills `t` (contiguous, allocated) with the tangent of the return at `index`: fill seed +
 * index. */
void backward_fill(const Backward *b, int index, const Tensor *t);
/* True if the return at `index` is a root of the backward, flags aside. */
bool backward_includes(const Backward *b, int index);

/* ---- verify.c ---- */
/* Every invariant of a well-formed Program that does not need running (ranges of ids, argument
 * kinds, limits); false and the first broken one, with its path, in `message`. */
bool program_verify(const Program *p, char *message, size_t message_size);
/* As program_verify, with other limits than LIMITS_DEFAULT. */
bool program_verify_within(const Program *p, const Limits *limits, char *message,
                           size_t message_size);

#endif
