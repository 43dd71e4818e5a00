/* Coverage features: what running a program exercised, as small numbers: which steps of the
 * compiler were taken in which state, which passes changed a graph, which ops ran on which dtype,
 * which errors were raised where, which oracles fired, which edges of instrumented code were
 * reached. distill selects programs by them. */
#ifndef HARNESS_COVERAGE_H
#define HARNESS_COVERAGE_H

#include "harness/check/check.h"

typedef uint64_t CoverageFeature; /* the kind in the highest byte, then its operands */

typedef struct CoverageList {
    CoverageFeature *v;
    int n, capacity;
} CoverageList;

/* The signatures found so far: a feature holds an index of this table. */
typedef struct Signatures {
    Arena *arena;
    const char **v;
    int n, capacity;
} Signatures;

/* Checks `p` and fills `out` with its features, each once (the list is reused from call to call;
 * coverage_free frees it). `arena` is scratch and holds the outcome. */
void coverage_of(Checker *c, const Program *p, Arena *arena, Signatures *signatures,
                 CoverageList *out, CheckResult *outcome);
void coverage_free(CoverageList *list);

/* "step:neg_neg/aliased/backward", "op:add_Tensor/float32", "error:shape/mm", "edge:17"; in
 * `arena`. */
const char *coverage_name(Arena *arena, CoverageFeature feature, const Signatures *signatures);
/* The part before the colon, for kind number `kind`; NULL past the last. */
const char *coverage_kind_name(int kind);
int coverage_kind(CoverageFeature feature);

#endif
