/* The numbers of a compilation: what a sample compilation collects, and what an instance of a
 * symbolic graph writes. */
#ifndef COMPILED_SYMBOLIC_NUMBERS_H
#define COMPILED_SYMBOLIC_NUMBERS_H

#include "compiled/ir/graph.h"
#include "compiled/symbolic/expr.h"

/* Numbers in a fixed order, and a hash over all that is not a number. */
typedef struct Numbers {
    Arena *arena;
    uint64_t shape;
    int64_t *v; /* reals as their bits */
    unsigned char *kind;
    int n, capacity;
} Numbers;
enum {
    NUMBER_INT, /* it needs an expression */
    NUMBER_REAL,
    NUMBER_OBSERVED, /* an observed value: it needs no expression */
    NUMBER_ORDER     /* an observed value that nothing is compared with for equality */
};

/* A number of an instance; expr NULL: it is the same at every size. A real is numerator / expr, or,
 * with numerator 0, expr. */
typedef struct SymbolicNumber {
    const Expr *expr;
    double numerator;
} SymbolicNumber;

/* One compilation of a region for its numbers, at the sizes of a call or at other sizes. */
typedef struct SampleCompilation {
    Numbers observed, captured, artifact; /* observed values; the graph as captured; the artifact */
    bool keeps_graph;
    Graph *graph; /* a copy of the captured one, if `keeps` */
    struct ExitTensor *exit;
    int64_t first_step; /* of the gate: all samples take the same steps */
} SampleCompilation;

/* Adds an observed value of a kind. */
void numbers_observed(Numbers *out, int64_t v, int kind);
/* Adds a word to the hash. */
void numbers_mix(Numbers *out, uint64_t x);

/* ---- symbolic/walk.c ---- */
/* The observed values of one node, or of a layout. */
void walk_observed_node(Numbers *out, const Node *n);
void walk_observed_layout(Numbers *out, const Tensor *t);
/* The numbers of the graph's nodes. */
void walk_graph_numbers(Numbers *out, const Graph *g);
/* Writes the values that the expressions have now into the graph's nodes. */
void write_graph_numbers(const SymbolicNumber *number, const Graph *g, Arena *arena);

#endif
