/* Features: what compiling a program exercised beyond edges of code, for engines that keep the
 * inputs which show something new.
 *
 * A feature is a counter in a fixed map: a step that the gate let through, by how the graph's
 * inputs alias and by how far autograd is involved; two steps taken in one graph; the set of passes
 * that changed a graph; an error code at an op. */
#ifndef COMPILED_FEATURE_H
#define COMPILED_FEATURE_H

#include "tensor/base.h"

enum {
    FEATURES = 1 << 14,
    MAX_TOUCHED = 1 << 11,
    PAIR_FEATURES = 10 << 10 /* the first are pairs of steps */
};

typedef struct Features {
    uint8_t counter[FEATURES];     /* 1: met */
    uint16_t touched[MAX_TOUCHED]; /* the counters above 0, in the order in which they came; what
                                      does not fit is not counted */
    int n;
} Features;

/* Zeroes what was touched. */
void features_clear(Features *f);

/* Counter value -> one bit of eight, as coverage-guided engines bucket hits: 1, 2, 3, 4-7, 8-15,
 * 16-31, 32-127, more. */
static inline uint8_t feature_bucket(uint8_t count) {
    return count <= 2    ? count
           : count == 3  ? 4
           : count < 8   ? 8
           : count < 16  ? 16
           : count < 32  ? 32
           : count < 128 ? 64
                         : 128;
}

struct Compile;
struct Program;
struct Result;
/* Adds what was done to a graph, after its last pass. Nothing without CompileOptions.features; so
 * the next. */
void feature_graph(const struct Compile *c);
/* Adds the errors of a run. */
void feature_errors(Features *f, const struct Program *p, const struct Result *r);

#endif
