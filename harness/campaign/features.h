/* Traits: what running a program showed of the system, as small numbers: which steps of the compiler were taken in which state, which passes changed a graph, which ops ran
 * on which dtype, which errors were raised where, which oracles fired, which edges of instrumented code were reached. distill keeps programs by them. */
#ifndef HARNESS_TRAITS_H
#define HARNESS_TRAITS_H

#include "harness/check/check.h"

typedef uint64_t Trait; /* kind, then what */

typedef struct TraitList {
    Trait *v;
    int n, capacity;
} TraitList;

/* The table of signatures that were met: a trait holds a place in it. */
typedef struct Signatures {
    Arena *arena;
    const char **v;
    int n, capacity;
} Signatures;

/* Checks `p` and fills `out` (its memory is kept from call to call; traits_free returns it). Every trait stands there once. `arena` is scratch and holds the outcome. */
void traits_of(Checker *c, const Program *p, Arena *arena, Signatures *signatures, TraitList *out, Outcome *outcome);
void traits_free(TraitList *list);

/* "step:neg_neg/aliased/backward", "op:add_Tensor/float32", "error:shape/mm", "edge:17"; in `arena`. */
const char *trait_name(Arena *arena, Trait trait, const Signatures *signatures);
/* The part before the colon, of the kind number `kind`; NULL past the last. */
const char *trait_kind_name(int kind);
int trait_kind(Trait trait);

/* Edges of compiled/ that the binary counts (make EDGES=1); 0 in others. */
int64_t traits_edges(void);

#endif
