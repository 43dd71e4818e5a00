/* The state of one program while it is drawn.
 *
 *     Gen ── Program so far
 *         ── GenVar[]  what a name is bound to: metadata (inferred), its Data and its Base
 *         ── Data[]    guesses about the values in one storage: range, exactness, uniqueness (an
 *                      index must fit its dim)
 *         ── Base[]    guesses about one autograd base: requires_grad, leaf (an in-place op must be
 *                      allowed)
 *
 * With the guesses most programs run to their end; a wrong guess only costs a program that ends in
 * an error, which is a result like any other. The form is never wrong: every statement that is
 * appended is well-formed JSON.
 *
 * A draw_* function appends statements to the current block; or it returns false or NULL and
 * appends nothing (inputs that it made remain). GenVar pointers are valid until the program is
 * finished. */
#ifndef FUZZ_GENERATE_GEN_H
#define FUZZ_GENERATE_GEN_H

#include "fuzz/generate/generate.h"
#include "program/ops/meta.h"
#include "tensor/rng.h"

enum {
    GEN_VARS = 112,
    GEN_GUESSES = 144,
    GEN_NAMES = 160,
    GEN_INPUTS = 9,
    GEN_MADE = 160,
    GEN_ELEMENTS = 288 /* and of lists of values */,
    GEN_RETURNS = 8,
    GEN_LATE = 6,
    GEN_FEW = 8
};
/* Binary digits after the point that mean: no longer exact in the program's floats. */
enum { BITS_INEXACT = 64 };

typedef struct Data {
    double lo, hi; /* every element lies in [lo, hi]; infinite: unknown, perhaps nan or infinity */
    int bits;      /* binary digits after the point, or BITS_INEXACT */
    int64_t numel; /* length of the storage */
    int64_t trues; /* bool: how many are true (of a dense tensor), or -1 */
    bool unique;   /* all elements differ */
    bool uniform;  /* all elements are equal */
    bool saved;    /* a backward needs the values: an in-place op would raise saved_modified */
    bool gradient; /* a result of torch.autograd.grad: PyTorch does not specify its version */
} Data;

typedef struct Base {
    bool requires_grad;
    bool leaf; /* without grad_fn */
    bool input;
    uint64_t from; /* bases whose gradient a backward from here reaches: bit (index mod 64) */
} Base;

typedef struct GenVar {
    NameId name;
    Tensor *t;      /* metadata */
    int data, base; /* indices into Gen.data and Gen.base */
    bool view;      /* a differentiable view of its base */
    bool multi;     /* output of a multi-output view op, or a view of one */
    bool no_grad;   /* a view made under no_grad */
    bool fuzzy;     /* its size depends on values: no further statement uses it */
    bool dead;      /* its name was bound again */
    bool spent;     /* used by a later statement */
} GenVar;

typedef struct Made { /* one output of one op applied inside a statement */
    const Tensor *out;
    const Tensor *parent; /* aliased tensor, or NULL: fresh */
    bool view, multi;
} Made;

/* Features of the whole program, drawn once (situations/situations.c). All off: random statements.
 */
typedef struct Situations {
    OpId few[GEN_FEW]; /* the ops that most statements are drawn from */
    int nfew;          /* 0: all */
    int chain;         /* percent of main operands that are the last result */
    bool related;      /* ops are drawn again on the same operands */
    bool overwrite;    /* operands are written after they were read */
    bool extremes;     /* arguments beyond the ends */
    bool limits;       /* values near the limits of their dtype */
    bool whole_limits; /* the same for integers */
    bool neutral;      /* numbers are mostly 0, 1 and -1 */
    bool breaks;       /* graph breaks between statements */
    bool mixed;        /* operands of other dtypes, of one element */
    bool long_lists;   /* lists of up to 8 tensors */
    bool vector;       /* sizes of weight scale.vector */
    bool late_probes;  /* probes stand at the end */
    int nlayout;       /* layouts that inputs are drawn from; 0: by weight */
    int layout[2];
} Situations;

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
    bool fuzzy;         /* the statement being inferred has a size that depends on values */
    bool no_more;       /* a deliberate error was drawn: nothing after it runs */
    int64_t palette[4]; /* the sizes that the program prefers */
    int64_t most;       /* elements of its largest tensors */
    DType main;         /* the program's float dtype */
    bool specials;      /* inputs may hold special floats */
    int weight[CLASS_COUNT + 1]; /* of the classes of ops in this program; CLASS_NEVER: 0 */
    uint64_t op_salt;
    int op_off;                  /* percent of ops switched off */
    int nop;                     /* of options->op, what is drawn from */
    Situations situation;        /* what the program repeats on purpose */
    GenVar *wanted[GEN_RETURNS]; /* what a pattern wants returned */
    int nwanted;
    bool want_partial; /* backward from some returns only */
    bool want_backward;
    bool pure, complex; /* in a block that writes nothing, and of complex numbers */
    bool want_recall;   /* flags vary over recalls */
    bool want_values;   /* values vary over many calls: an index that is an argument */
    bool want_sizes;    /* sizes vary over recalls, and are written as size_of where they can be */
    bool want_call_style; /* in-place statements are written as functions or with keywords */
    Stmt *last_write;     /* the last setitem of a pattern */
    struct {
        ProbeKind kind;
        const GenVar *of;
    } late[GEN_LATE]; /* probes that wait for the end */
    int nlate;
    uint64_t accumulated; /* bases that a backward of the caller has reached: as Base.from */
    GenerateInfo info;
    Made made[GEN_MADE];
    Data data[GEN_GUESSES];
    Base base[GEN_GUESSES];
    GenVar var[GEN_VARS];
} Gen;

/* ---- chance: an empty choice gives its first ---- */
static inline int draw_below(Gen *g, int n) { return n > 1 ? (int)rng_below(&g->rng, n) : 0; }
static inline bool draw_chance(Gen *g, int percent) { return draw_below(g, 100) < percent; }
/* A chance that leaves the stream as it is where it is 0. */
static inline bool draw_feature(Gen *g, int percent) {
    return percent > 0 && draw_chance(g, percent);
}
static inline int64_t draw_between(Gen *g, int64_t lo, int64_t hi) {
    return hi > lo ? lo + rng_below(&g->rng, hi - lo + 1) : lo;
}
/* An index into `weight`, drawn by weight (at least one is positive). */
int draw_weighted(Gen *g, const int *weight, int n);
/* Which of the weights from `first` to `last` (weights.def), counted from the first. */
static inline int draw_share(Gen *g, int first, int last) {
    return draw_weighted(g, g->w + first, last - first + 1);
}

/* A Gen for an existing program: it knows the names and nothing else (generate.c). */
void gen_begin(Gen *g, Arena *arena, const GenerateOptions *options, Program *p, uint64_t state);

#endif
