/* Poison: temporaries that hold no value are filled with a pattern that shows in results, so that a
 * loop which reads memory too early or too late does not find a stale value. */
#ifndef COMPILED_POISON_H
#define COMPILED_POISON_H

#include "compiled/loops/loop_ir.h"

/* Where a buffer dies. */
typedef struct Death {
    int loops; /* loops that have run when its value is no longer read */
    int buffer;
} Death;

typedef struct Poison {
    int n;
    Death *death;
} Poison;

/* Makes runs of the plan poison memory. loops_after[i]: loops of the plan up to and including
 * schedule item i. */
void poison_plan(Plan *plan, const Graph *g, const int *loops_after, Arena *arena);
/* Fills the block of temporaries. Does nothing where the plan has no poison. */
void poison_begin(const Plan *plan, void *block);
/* After loop number `loop`: fills the buffers that are dead then. */
void poison_dead(const Plan *plan, int loop, void *const *data);

#endif
