/* What the files of the generator share: the state of one program being drawn.
 *
 *     Gen ── Program so far
 *         ── Var[]   what a name is bound to: metadata (inferred), its Data and its Base
 *         ── Data[]  guesses about the values in one storage: range, exactness, uniqueness (an
 *                    index must fit its dim)
 *         ── Base[]  guesses about one autograd base: requires_grad, leaf (an in-place op must be
 *                    allowed)
 *
 * Guesses make most programs run to their end; a wrong guess costs nothing but a program that ends
 * in an error, which is a result like any other. What is never wrong is the form: every statement
 * that is appended is well-formed JSON.
 *
 * Drawing: a draw_* function appends statements to the current block, or answers false/NULL and
 * appends nothing (inputs that it made stay). Var pointers are valid until the program is
 * finished. */
#ifndef FUZZ_DRAW_H
#define FUZZ_DRAW_H

#include "fuzz/generate/generate.h"
#include "program/ops/meta.h"
#include "tensor/rng.h"

enum {
    GEN_VARS = 112,
    GEN_FACTS = 144,
    GEN_NAMES = 160,
    GEN_INPUTS = 9,
    GEN_MADE = 160,
    GEN_ELEMENTS = 288 /* and of lists of values */,
    GEN_RETURNS = 8
};
/* Binary digits after the point that mean: no longer exact in the program's floats. */
enum { BITS_INEXACT = 64 };

typedef struct Data {
    double lo, hi; /* every element lies in [lo, hi]; infinite: unknown, nan and infinities too */
    int bits; /* binary digits after the point, or BITS_INEXACT: dyadic numbers stay exact for a
                 while */
    int64_t numel; /* length of the storage */
    int64_t trues; /* bool: how many are true (of a dense tensor), or -1 */
    bool unique;   /* all elements differ */
    bool uniform;  /* all elements are equal */
    bool saved;    /* a backward needs the values: an in-place op would raise saved_modified */
    bool gradient; /* an answer of torch.autograd.grad: its version is PyTorch's own affair */
} Data;

typedef struct Base {
    bool requires_grad;
    bool leaf; /* without grad_fn */
    bool input;
    uint64_t from; /* bases whose gradient a backward from here reaches: bit (place mod 64) */
} Base;

typedef struct GenVar {
    NameId name;
    Tensor *t;      /* metadata */
    int data, base; /* places in Gen */
    bool view;      /* a differentiable view of its base */
    bool multi;     /* output of a multi-output view op, or a view of one */
    bool no_grad;   /* a view made under no_grad */
    bool fuzzy;     /* its size depends on values: nothing is built on it */
    bool dead;      /* its name was bound again */
    bool spent;     /* used by a later statement */
} GenVar;

typedef struct Made { /* one output of one op applied inside a statement */
    const Tensor *out;
    const Tensor *parent; /* aliased tensor, or NULL: fresh */
    bool view, multi;
} Made;

typedef struct Gen {
    MetaEmit meta; /* first member: the apply hook finds the Gen */
    ErrCode (*infer)(Emit *e, const Call *call, Tensor **out, int *nout); /* the Emit's own apply */
    Arena *arena;
    Error err;
    const GenerateOptions *options;
    const int *w; /* its weights, by Weight */
    int64_t room; /* statements that may still be appended */
    Rng rng;
    Program *p;
    const char **names;
    int nnames;
    Tensor **env; /* by NameId */
    int nvars, ndata, nbases, nmade;
    int next_input, next_var, next_storage;
    Block *block;
    Stmt *tail;
    int depth;
    int nstmts;
    bool grad;          /* grad mode at this point */
    bool untaken;       /* in the arm of a branch that is not taken */
    uint64_t reads;     /* union of `from` over what the statement reads */
    bool fuzzy;         /* the statement being inferred asked for a size that depends on values */
    bool no_more;       /* a mistake was made: nothing after it runs */
    int64_t palette[4]; /* the program's favourite sizes */
    int64_t most;       /* elements of its largest tensors */
    DType main;         /* the program's float dtype */
    bool specials;      /* inputs may hold special floats */
    int weight[CLASS_COUNT + 1]; /* of the classes of ops in this program; CLASS_NEVER: 0 */
    uint64_t op_salt;
    int op_off;                  /* percent of ops switched off */
    GenVar *wanted[GEN_RETURNS]; /* what a motif wants returned */
    int nwanted;
    bool want_partial; /* backward from some returns only */
    bool want_backward;
    bool want_recall; /* flags vary over recalls */
    bool want_sizes;  /* sizes vary over recalls, and are written as size_of where they can be */
    bool want_call_style; /* in-place statements are written as functions or with keywords */
    Stmt *last_write;     /* the last setitem of a motif */
    GenerateInfo info;
    Made made[GEN_MADE];
    Data data[GEN_FACTS];
    Base base[GEN_FACTS];
    GenVar var[GEN_VARS];
} Gen;

/* ---- chance: an empty choice gives its first ---- */
static inline int draw_below(Gen *g, int n) { return n > 1 ? (int)rng_below(&g->rng, n) : 0; }
static inline bool draw_chance(Gen *g, int percent) { return draw_below(g, 100) < percent; }
static inline int64_t draw_between(Gen *g, int64_t lo, int64_t hi) {
    return hi > lo ? lo + rng_below(&g->rng, hi - lo + 1) : lo;
}
/* An index into `weight`, drawn by weight (at least one is positive). */
int draw_weighted(Gen *g, const int *weight, int n);
/* Which of the weights from `first` to `last` (weights.def), counted from the first. */
static inline int draw_share(Gen *g, int first, int last) {
    return draw_weighted(g, g->w + first, last - first + 1);
}

/* ---- generate.c, for generate/resume.c ---- */
/* A Gen for a program that is there already: it knows the names and nothing else. */
void gen_begin(Gen *g, Arena *arena, const GenerateOptions *options, Program *p, uint64_t state);

/* ---- generate/state.c: names, variables, statements ---- */
NameId gen_name(Gen *g, char prefix, int number);
NameId gen_fresh_name(Gen *g);
int gen_data(Gen *g, double lo, double hi, int bits, int64_t numel);
int gen_base(Gen *g, bool requires_grad, bool leaf);
GenVar *gen_var(Gen *g, NameId name, Tensor *t, int data, int base);
GenVar *gen_find(Gen *g, NameId name);
static inline Data *var_data(Gen *g, const GenVar *v) { return &g->data[v->data]; }
static inline bool var_requires_grad(const Gen *g, const GenVar *v) {
    return g->base[v->base].requires_grad && dtype_is_float(v->t->dtype);
}
/* May it be written in place now, as far as history goes? `value_requires_grad`: another operand
 * requires grad. */
bool var_writable(const Gen *g, const GenVar *v, bool value_requires_grad);
/* May statements name the op (--ops)? */
static inline bool gen_allows(const Gen *g, OpId id) { return !g->options->off[id]; }
/* Room for another statement that makes a few variables? */
bool gen_room(const Gen *g);

Stmt *stmt_new(Gen *g, StmtKind kind);
Stmt *stmt_op(Gen *g, OpId id);
/* The variable that argument k names, if it is a single tensor that is bound; else NULL. */
GenVar *arg_var(Gen *g, const Stmt *s, int k);
void set_tensor(Stmt *s, int k, const GenVar *v);
void set_int(Stmt *s, int k, int64_t value);
void set_ints(Gen *g, Stmt *s, int k, const int64_t *v, int n);
void set_scalar(Stmt *s, int k, Scalar value);
void set_bool(Stmt *s, int k, bool value);
void set_dtype(Stmt *s, int k, DType dtype);
void set_index(Stmt *s, int k, PIndexItem *v, int n);
/* Appends a statement that is not an op; where there is no room for one, it does not. */
void stmt_append(Gen *g, Stmt *s);
/* Infers the op statement, appends it, binds fresh names and updates the guesses; the (first)
 * output, or self where the op writes to it. NULL: refused, nothing appended. `out` NAME_NONE: a
 * fresh name, or none for an in-place op. */
GenVar *stmt_commit(Gen *g, Stmt *s, NameId out);
/* Is it of a size that the generator would make? Others are left alone. */
bool gen_takes(const Tensor *t);
/* Takes note of an op statement that stands already: binds its `out` and updates the guesses, where
 * inference takes it. */
void gen_replay(Gen *g, const Stmt *s);
/* Appends the op statement whatever inference says, with a fresh `out`: a deliberate mistake. */
void stmt_force(Gen *g, Stmt *s);
/* Opens a nested block: statements go to `block` until block_close. */
typedef struct OpenBlock {
    Block *block;
    Stmt *tail;
    bool grad;
} OpenBlock;
OpenBlock block_open(Gen *g, Block *block);
void block_close(Gen *g, OpenBlock outer);

/* ---- generate/range.c: guesses about values ---- */
/* What the results of `call` hold, from what its tensor arguments hold. */
Data range_result(Gen *g, const Stmt *s, const Call *call, const Tensor *out);
/* False if a float to integer conversion in the statement may leave the integer's range. */
bool range_cast_fits(Gen *g, const Stmt *s, DType to);

/* ---- generate/inputs.c: inputs, layouts, fills ---- */
int draw_size(Gen *g, int64_t *size);
int64_t draw_extent(Gen *g);
DType draw_dtype(Gen *g);
/* A new input; `explicit` data may be given later by the caller. NULL: too many inputs. */
GenVar *draw_input(Gen *g, DType dtype, const int64_t *size, int ndim, bool plain,
                   int requires_grad_percent);
/* An input that holds exactly the given integers, contiguous. */
GenVar *draw_input_values(Gen *g, DType dtype, const int64_t *size, int ndim,
                          const int64_t *values);
/* A second input on the storage of `of`; a part of it, shifted or transposed. */
GenVar *draw_input_shared(Gen *g, GenVar *of);
Input *var_input(Gen *g, const GenVar *v);
/* Takes note of an input that is there already. */
void gen_input(Gen *g, Input *in);

/* ---- generate/tensors.c: variables as arguments ---- */
/* What a tensor is wanted for. */
typedef struct Need {
    DType dtype;
    int ndim;
    const int64_t *size;
    bool broadcast; /* anything that expands to the size will do */
    bool nonzero;   /* integers that divide */
    bool uniform;   /* all elements equal */
    bool plain;     /* an input made for it is contiguous */
} Need;
/* A variable that meets the need: mostly an existing one, else a new input or a factory's output.
 * NULL if there is no room. */
GenVar *draw_need(Gen *g, Need need);
/* A variable that `accept` takes, recent ones more often; NULL if none is met in a few tries. */
GenVar *draw_var(Gen *g, bool (*accept)(const Gen *g, const GenVar *v));
/* Something to combine with a tensor of this dtype and size; other dtypes up to its category now
 * and then. */
GenVar *draw_operand(Gen *g, DType dtype, const int64_t *size, int ndim);
/* An integer tensor with values in [lo, hi], new or existing. `distinct_dim` >= 0: along that dim
 * no value repeats; -1: may repeat. */
GenVar *draw_index_tensor(Gen *g, DType dtype, const int64_t *size, int ndim, int64_t lo,
                          int64_t hi, int distinct_dim);
/* A tensor literal statement that holds exactly these integers. */
GenVar *draw_literal(Gen *g, DType dtype, const int64_t *size, int ndim, const int64_t *values);
bool tensor_expands(const Tensor *t, const int64_t *size, int ndim);

/* ---- generate/args.c: all arguments of an op ---- */
Scalar draw_scalar(Gen *g, DType dtype);
/* Draws every argument of the statement; `self` is the main tensor, or NULL: draw it too. False:
 * nothing fits. */
bool draw_arguments(Gen *g, Stmt *s, GenVar *self);

/* ---- generate/index.c: Python indices ---- */
enum { GEN_ITEMS = 8 };
/* A Python index for `t`; the count of items. *repeats: some element may be named twice. `tensors`:
 * lists and tensors allowed. */
int draw_index(Gen *g, const Tensor *t, bool tensors, PIndexItem *items, bool *repeats);
/* bounds: INT64_MIN stands for None */
PIndexItem index_slice(int64_t start, int64_t stop, int64_t step);
PIndexItem index_int(int64_t i);
PIndexItem index_var(const GenVar *v);
PIndexItem index_list(Gen *g, const int64_t *v, int n);
PIndexItem index_simple(IndexKind kind);
/* The value argument of a setitem that has its index: something that fits, `uniform` where an
 * element is named twice. */
bool draw_setitem_value(Gen *g, Stmt *s, bool repeats);
/* Metadata of self.index(indices) or self[index] for the statement's arguments, or NULL. */
const Tensor *indexed_tensor(Gen *g, const Stmt *s);

/* ---- generate/op.c ---- */
/* One random op statement, in a few tries; the commited variable or NULL. */
GenVar *draw_op(Gen *g);
/* The given op in a few tries; `self` may be NULL. */
GenVar *draw_this_op(Gen *g, OpId id, GenVar *self);

/* ---- generate/statement.c: statement kinds ---- */
void draw_statement(Gen *g);
void draw_probe(Gen *g, ProbeKind kind, const GenVar *v);
/* Asserts, probes or branches on a flag of `v`: requires_grad, is_leaf or has_grad_fn. */
void draw_flag_question(Gen *g, GenVar *v);
/* A branch on the predicate. With `self`, both arms bind one name to something made of it: that
 * variable. Else NULL. */
GenVar *draw_branch(Gen *g, const Predicate *predicate, GenVar *self);
Predicate flag_predicate(Gen *g, PredicateKind kind, const GenVar *v);
/* What the predicate says, as far as the guesses go. */
bool predicate_guess(const Gen *g, const Predicate *predicate);
/* Asserts that the predicate is what the guess says (or, `wrong`, the contrary). */
void draw_assert(Gen *g, Predicate predicate, bool wrong);

/* ---- generate/grad.c: gradients inside the program ---- */
/* How torch.autograd.grad is called: `output` differentiated by `input`; either may be NULL:
 * something that fits. */
typedef struct GradForm {
    GenVar *output, *input;
    int create_percent, retain_percent;
} GradForm;
/* Appends a grad statement; the first gradient, or NULL. */
GenVar *draw_grad(Gen *g, GradForm form);

/* ---- draw_motif*.c, patterns/deliberate_errors.c, generate/calls.c, generate/python_surface.c
 * ---- */
/* Draws one motif by weight: its number, or -1 if it did not come about. */
int pattern_draw(Gen *g);
/* Appends one statement that should raise: the kind drawn, or -1. */
int deliberate_error_draw(Gen *g);
/* A motif's wish: this variable should be returned. NULL is ignored. */
void want_return(Gen *g, GenVar *v);
/* What is returned, and the backward. */
void draw_returns(Gen *g);
/* Further calls, each with a fact of the inputs changed. */
void draw_recalls(Gen *g);
/* Statements before the function and what it is passed (generate/setup.c). */
void draw_setup(Gen *g);
/* A write to something that the setup made, or a view of it: what a further call on the same
 * tensors finds changed. */
void draw_setup_write(Gen *g);
/* What a recall that keeps the tensors changes first. */
void draw_set(Gen *g, Recall *r);
/* How the program is written in Python; after program_number. */
void draw_surface(Gen *g);

#endif
