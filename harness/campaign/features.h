/* Traits: what running a program showed of the system, as small numbers: which steps of the
 * compiler were taken in which state, which passes changed a graph, which ops ran on which dtype,
 * which errors were raised where, which oracles fired, which edges of instrumented code were
 * reached. distill keeps programs by them. */
#ifndef HARNESS_FEATURES_H
#define HARNESS_FEATURES_H

#include "harness/check/check.h"

typedef uint64_t CoverageFeature; /* kind, then what */

typedef struct CoverageList {
    CoverageFeature *v;
    int n, capacity;
} CoverageList;

/* The table of signatures that were met: a trait holds a place in it. */
typedef struct Signatures {
    Arena *arena;
    const char **v;
    int n, capacity;
} Signatures;

/* Checks `p` and fills `out` (its memory is kept from call to call; coverage_free returns it).
 * Every trait stands there once. `arena` is scratch and holds the outcome. */
void coverage_of(Checker *c, const Program *p, Arena *arena, Signatures *signatures,
                 CoverageList *out, CheckResult *outcome);
void coverage_free(CoverageList *list);

/* "step:neg_neg/aliased/backward", "op:add_Tensor/float32", "error:shape/mm", "edge:17"; in
 * `arena`. */
const char *coverage_name(Arena *arena, CoverageFeature feature, const Signatures *signatures);
/* The part before the colon, of the kind number `kind`; NULL past the last. */
const char *coverage_kind_name(int kind);
int coverage_kind(CoverageFeature feature);

/* Edges of compiled/ that the binary counts (make EDGES=1); 0 in others. */
int64_t coverage_edges(void);

#endif
