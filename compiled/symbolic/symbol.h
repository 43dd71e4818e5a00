/* Symbolic sizes: one compilation that serves calls of many sizes.
 *
 * When a region is compiled and a size differs from that of an earlier compilation, the size
 * becomes a symbol (Dynamo's automatic dynamic shapes); equal ones share a symbol (duck shaping), 0
 * and 1 never are one. The graph is not computed with expressions: the region is captured and
 * optimized at a few other sizes as well, specimens, of which nothing runs. If their graphs are one
 * but for numbers, each number that differs is a polynomial of the symbols, found from the
 * specimens (symbolic/expr.c), and how the numbers that the compiler met compare to each other, in
 * all specimens, is what it may have decided on: these comparisons are the guards
 * (symbolic/guard.c). So every op, rule and derivative is symbolic without knowing of it, and what
 * is not answers by a graph of another shape: it stays compiled for one size.
 *
 * A call that passes the guards brings the graph to its sizes: numbers are written, inference is
 * asked about every op once more, and only the passes from fuse on run again. Capture,
 * functionalize, joint and the rules do not. */
#ifndef COMPILED_SYMBOL_H
#define COMPILED_SYMBOL_H

#include "compiled/capture/capture.h"
#include "compiled/symbolic/expr.h"

struct RuntimeSession;

/* ---- symbolic/walk.c ---- */
/* The numbers of a compilation in a fixed order, and a hash over all that is no number. */
typedef struct Numbers {
    Arena *arena;
    uint64_t shape;
    int64_t *v; /* reals as their bits */
    unsigned char *kind;
    int n, capacity;
} Numbers;
enum {
    NUMBER_INT,
    NUMBER_REAL,
    NUMBER_FACT /* of which no expression is needed */,
    NUMBER_ORDER /* a fact that nothing was asked to be equal to */
};
/* One more fact, of a kind; one more word of the hash. */
void numbers_fact(Numbers *out, int64_t v, int kind);
void numbers_mix(Numbers *out, uint64_t x);
/* The facts of one node, or of a layout. */
void walk_node_facts(Numbers *out, const Node *n);
void walk_layout_facts(Numbers *out, const Tensor *t);
/* What the graph is made of now, for the guards: sizes, strides, lengths, arguments. */
void walk_facts(Numbers *out, const Compile *c);
/* What its nodes alone need. */
void walk_nodes(Numbers *out, const Graph *g);
/* What an instance needs: graph, epilogue, exits, trace. */
void walk_places(Numbers *out, const Compile *c, ExitTensor *exit);
/* A number of an instance; expr NULL: it stays. A real is numerator / expr, or, with numerator 0,
 * expr. */
typedef struct Place {
    const Expr *expr;
    double numerator;
} Place;
void walk_write_nodes(const Place *place, const Graph *g, Arena *arena);
/* Writes the values that the expressions have now; what may be read beyond this call is made anew
 * in `arena`. */
void walk_write(const Place *place, const Compile *c, ExitTensor *exit, Arena *arena);

/* One specimen, while it is compiled. */
typedef struct SampleCompilation {
    Numbers facts, captured, places;
    bool keeps;
    Graph *graph; /* a copy of the captured one, if it keeps one */
    ExitTensor *exit;
    int64_t first_step; /* of the gate: all specimens take the same steps */
} SampleCompilation;

/* ---- symbolic/guard.c ---- */
typedef struct Guard {
    const Expr *a, *b;
    int allowed; /* COMPARES */
} Guard;

typedef struct Symbols {
    const SampleCompilation *own; /* the call's, until another size is met for which the others are
                                     compiled; then NULL */
    bool *tell; /* of the result of that call: it was served by code for many sizes */
    int n;
    int64_t hint[MAX_SYMBOLS];
    signed char (*dim)[MAX_DIMS]; /* by entry: its symbol, or -1 */
    Expr *(*stride)[MAX_DIMS];    /* by entry: NULL: as it was */
    Expr **expr;
    int nexpr;
    Guard *guard;
    int nguard;
    int64_t least[MAX_SYMBOLS], most[MAX_SYMBOLS]; /* nothing is known of other sizes */
    int64_t period; /* what remains of every symbol modulo this must be what it was */
    Place *place, *captured_place;
    Graph *captured; /* as it was captured: inference is asked about all of it */
    Graph *graph;    /* before fuse: instances are copies */
    bool skips_zero_one, skips_equal, skips_strides; /* faults GU-5a, GU-11, SH-4 */
    int64_t now[MAX_SYMBOLS];                        /* what the call has */
    int64_t loops[MAX_SYMBOLS];                      /* what the loops are for; 0: nothing */
} Symbols;

/* Do the metadata of a call fit what was compiled for `was`? Symbols (or NULL: every size is
 * itself) take their values. */
bool guard_match(const CaptureInput *was, Symbols *symbols, const CaptureInput *in,
                 MissReason *why);
/* Do the guards hold at these values? Evaluates all expressions. */
bool guards_hold(const Compile *c, const Symbols *symbols, MissReason *why);
/* Elements of the storage of entry `i` behind the last one that an entry has. */
int64_t storage_spare(const CaptureInput *in, int i);
/* From distinct expressions and constants, each with its values in the specimens; those that are
 * not `equated` were only asked to be less or more. */
void guards_make(Symbols *symbols, Arena *arena, Expr *const *fact, int64_t *const *value,
                 const bool *equated, int nfact, int nspecimen);
void guard_print(Text *text, const Guard *g);

/* ---- symbolic/fit.c ---- */
/* Finds the expressions of all numbers of the specimens, and the guards. False: some number that an
 * instance needs has none. */
bool symbols_fit(const struct RuntimeSession *r, Symbols *symbols, const SamplePoints *points,
                 const SampleCompilation *sample);

/* ---- symbol.c ---- */
/* Symbols for the sizes that differ from those of earlier compilations of the region; NULL:
 * none. */
Symbols *symbols_find(struct RuntimeSession *r, const CaptureInput *in);
/* When the region, a specimen, is through the passes on graphs: keeps what other sizes would start
 * from. NULL: it stays compiled for its size, for the reason that is counted. */
Symbols *symbols_begin(struct RuntimeSession *r, const Compile *c, Symbols *symbols,
                       const SampleCompilation *own);
/* The other specimens, and what they have in common. False: a->symbols is NULL, it stays compiled
 * for its size `in`. */
bool symbols_settle(struct RuntimeSession *r, Artifact *a, const CaptureInput *in);
/* Brings a symbolic artifact to the sizes of a call, and settles it if they are the first others
 * that it meets. False: it does not fit. */
bool symbols_serve(struct RuntimeSession *r, Artifact *a, const CaptureInput *in);
/* Symbols, guards, and the graph with expressions for numbers. */
void symbols_print(Text *text, const Symbols *symbols, const Compile *c, ExitTensor *exit);

/* ---- region.c ---- */
/* Captures the region and runs the passes on graphs, for its numbers only. */
void sample_compile(struct RuntimeSession *r, const CaptureInput *in, int64_t first_step,
                    SampleCompilation *out);
/* Runs the passes from fuse on once more, for what the graph of `a` is now. False if inference
 * refuses it, or answers otherwise, or if it passes a limit. */
bool compile_again(Artifact *a, const CaptureInput *in);

#endif
