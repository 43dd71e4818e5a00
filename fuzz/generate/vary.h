/* Further calls: what they change, and sequences of them. */
#ifndef FUZZ_VARY_H
#define FUZZ_VARY_H

#include "fuzz/generate/draw.h"

/* What a further call changes, in the order of the group `change` of weights.def. */
typedef enum Variation {
    VARY_FLAGS,
    VARY_LAYOUT,
    VARY_DTYPE,
    VARY_SIZE,
    VARY_SHARING,
    VARY_DATA,
    VARY_VALUES,  /* integers given by value: one nearer to 0 */
    VARY_WINDOW,  /* the offsets: a window that moves over a storage */
    VARY_OVERLAP, /* the offset of one input on a shared storage */
    VARY_COUNT
} Variation;
_Static_assert(W_change_overlap - W_change_flags + 1 == VARY_COUNT, "a weight a variation");

/* Changes the inputs of one call in place; where the variation does not apply, nothing (vary.c). */
void vary(Gen *g, Variation what, Input *in, int n);
/* Up to 64 calls that cycle through a few variants and return to an early one (cycle.c). */
void draw_cycle(Gen *g);

#endif
