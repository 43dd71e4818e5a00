/* Features: what compiling a program exercised, besides code edges, for engines that keep inputs
 * which show something new.
 *
 * A feature is a counter in a fixed map: a step that the gate allowed, with the aliasing of the
 * graph's inputs and the use of autograd; two steps taken in one graph; the set of passes that
 * changed a graph; an error code at an op. */
#ifndef COMPILED_FEATURE_H
#define COMPILED_FEATURE_H

#include "compiled/core/steps.h"

/* The map has four parts: pairs of steps, steps, sets of passes, errors at ops. Each step has a
 * counter of its own for every state; the other features are hashed into their part. */
enum {
    FEATURES = 1 << 14,
    MAX_TOUCHED = 1 << 11,
    ALIAS_STATES = 4,
    GRAD_STATES = 4,
    PAIR_FEATURES = 10 << 10,
    STEP_FEATURES = MAX_STEPS * ALIAS_STATES * GRAD_STATES,
    PASS_FEATURES = 1 << 10,
    ERROR_FEATURES = 1 << 11
};
_Static_assert(PAIR_FEATURES + STEP_FEATURES + PASS_FEATURES + ERROR_FEATURES == FEATURES,
               "four parts");

typedef struct Features {
    uint8_t counter[FEATURES];     /* 1: met */
    uint16_t touched[MAX_TOUCHED]; /* the counters above 0, in order of first use; the rest is not
                                      counted */
    int n;
} Features;

/* Zeroes the touched counters. */
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

/* Marks a feature as met. */
void feature_add(Features *f, unsigned feature);
/* A place for `value` in a part of `part` features. */
unsigned feature_hash(uint64_t value, unsigned part);

struct Program;
struct Result;
/* Adds the errors of a run; nothing if `f` is NULL. */
void feature_errors(Features *f, const struct Program *p, const struct Result *r);

#endif
