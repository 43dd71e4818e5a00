/* A walk over numbers: collects them, or writes them. The parts from which walks are made
 * (runtime/symbols_walk.c). */
#ifndef COMPILED_SYMBOLIC_WALK_H
#define COMPILED_SYMBOLIC_WALK_H

#include "compiled/core/compilation.h"
#include "compiled/symbolic/numbers.h"

typedef struct WalkVisit {
    Numbers *out;               /* NULL: numbers are written */
    const SymbolicNumber *next; /* the next one */
    Arena *arena;
    bool observed;                /* collects observed values, too */
    const Compile *stale_strides; /* GU-10: the compilation, if seeded */
} WalkVisit;

/* Something that is not a number: hashed. */
void walk_fixed(WalkVisit *w, int64_t x);
/* A number: returns what it is now. */
int64_t walk_number(WalkVisit *w, int64_t v);
void walk_layout(WalkVisit *w, Tensor *t);
/* Metadata that others hold as well: written as a copy. NULL stays NULL. */
const Tensor *walk_copied_layout(WalkVisit *w, const Tensor *t);
/* Which node it is. */
void walk_reference(WalkVisit *w, const Node *n);
void walk_graph(WalkVisit *w, const Graph *g);

#endif
