/* Symbolic sizes: one compilation that serves calls of many sizes.
 *
 * When a region is compiled and a size differs from that of an earlier compilation, the size
 * becomes a symbol (Dynamo's automatic dynamic shapes); equal sizes share a symbol (duck shaping),
 * and 0 and 1 are never symbols. The compiler does not compute with expressions: it captures and
 * optimizes the region at a few other sizes as well. These sample compilations never run. If their
 * graphs are the same but for numbers, each number that differs is a polynomial of the symbols,
 * fitted to the samples (symbolic/expr.c), and each comparison between numbers that has the same
 * outcome in all samples is a possible decision of the compiler: these comparisons are the guards
 * (symbols_guard.c). So every op, rule and derivative works symbolically without extra code; one
 * that does not produces a graph of another shape, and the region stays compiled for one size.
 *
 * A call that passes the guards brings the graph to its sizes: the numbers are written, inference
 * checks every op again, and only the passes from fuse on run again. Capture, functionalize, joint
 * and the rules do not. */
#ifndef COMPILED_RUNTIME_SYMBOLS_H
#define COMPILED_RUNTIME_SYMBOLS_H

#include "compiled/runtime/runtime.h"
#include "compiled/symbolic/numbers.h"

/* ---- symbols_walk.c ---- */
/* The observed values of graph and tape as they stand now, for the guards: sizes, strides, lengths,
 * arguments. */
void walk_observed(Numbers *out, const Compile *c);
/* The numbers of an instance: graph, epilogue, exits, trace. */
void walk_artifact(Numbers *out, const Compile *c, ExitTensor *exit);
/* Writes the values that the expressions have now; what may be read after this call is copied into
 * `arena` first. */
void write_artifact_numbers(const SymbolicNumber *number, const Compile *c, ExitTensor *exit,
                            Arena *arena);

/* ---- symbols_guard.c ---- */
typedef struct Guard {
    const Expr *a, *b;
    int allowed; /* COMPARES */
} Guard;

typedef struct Symbols {
    const SampleCompilation *first_sample; /* the sample at the call's sizes, until another size
                                              requires the other samples; then NULL */
    bool *call_symbolic; /* in the result of that call: served by code for many sizes */
    int n;
    int64_t hint[MAX_SYMBOLS];
    signed char (*dim)[MAX_DIMS]; /* by entry: its symbol, or -1 */
    Expr *(*stride)[MAX_DIMS];    /* by entry; NULL: the same number as at compilation */
    Expr **expr;
    int nexpr;
    Guard *guard;
    int nguard;
    int64_t least[MAX_SYMBOLS],
        most[MAX_SYMBOLS]; /* sizes for which the samples allow a conclusion */
    int64_t period; /* every symbol must have the same remainder modulo this as at compilation */
    SymbolicNumber *numbers, *captured_numbers;
    Graph *captured; /* as it was captured: an instance is inferred again in full */
    Graph *graph;    /* before fuse: instances are copies */
    const Compile *compile;
    bool skips_zero_one, skips_equal, skips_strides; /* faults GU-5a, GU-11, SH-4 */
    int64_t size[MAX_SYMBOLS];                       /* the sizes of the call */
    int64_t lowered_for[MAX_SYMBOLS]; /* the sizes that the loops are lowered for; -1: none */
} Symbols;

/* Does the metadata of a call match that of `was`? Symbols take their values from it; NULL: every
 * size must be the same. */
bool guard_match(const CaptureInput *was, Symbols *symbols, const CaptureInput *in,
                 MissReason *why);
/* Do the guards hold at these values? Evaluates all expressions. */
bool guards_hold(const Compile *c, const Symbols *symbols, MissReason *why);
/* Elements of the storage of entry `i` beyond the last one that any entry reads. */
int64_t storage_spare(const CaptureInput *in, int i);
/* Makes guards from distinct expressions and constants, each with its values in the samples; those
 * that are not `equated` were only compared for order. */
void guards_make(Symbols *symbols, Arena *arena, Expr *const *observed, int64_t *const *value,
                 const bool *equated, int nfact, int nsample);
void guard_print(Text *text, const Guard *g);

/* ---- symbols_fit.c ---- */
/* Finds the expressions of all numbers of the samples, and the guards. False: some number that an
 * instance needs has none. */
bool symbols_fit(const RuntimeSession *r, Symbols *symbols, const SamplePoints *points,
                 const SampleCompilation *sample);

/* ---- symbols.c ---- */
/* Symbols for the sizes that differ from those of earlier compilations of the region; NULL:
 * none. */
Symbols *symbols_find(RuntimeSession *r, const CaptureInput *in);
/* After the passes on graphs of a region that is compiled as a sample: keeps what instances at
 * other sizes start from. NULL: it stays compiled for its size; the reason is counted. */
Symbols *symbols_start(RuntimeSession *r, const Compile *c, Symbols *symbols,
                       const SampleCompilation *own);
/* Compiles the other samples and generalizes from them. False: a->symbols is NULL, it stays
 * compiled for its size `in`. */
bool symbols_generalize(RuntimeSession *r, Artifact *a, const CaptureInput *in);
/* Brings a symbolic artifact to the sizes of a call, and generalizes it at its first call of
 * another size. False: it does not fit. */
bool symbols_serve(RuntimeSession *r, Artifact *a, const CaptureInput *in);
/* Symbols, guards, and the graph with expressions for numbers. */
void symbols_print(Text *text, const Symbols *symbols, const Compile *c, ExitTensor *exit);

/* ---- instance.c ---- */
/* A compilation of the region, not started. */
Compile *compile_new(RuntimeSession *r, const CaptureInput *in);
SampleCompilation sample_new(const RuntimeSession *r);
/* Captures the region and runs the passes on graphs, for its numbers only. */
void sample_compile(RuntimeSession *r, const CaptureInput *in, int64_t first_step,
                    SampleCompilation *out);
/* Runs the passes from fuse on once more, for what the graph of `a` is now. False if inference
 * refuses it or infers something else, or if it passes a limit. */
bool instance_compile(Artifact *a, const CaptureInput *in);

#endif
