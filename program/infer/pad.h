/* Pads that copy elements of self: reflection_pad and replication_pad of 1 to 3 dims. */
#ifndef PROGRAM_PAD_H
#define PROGRAM_PAD_H

#include "program/infer/infer.h"

/* Does the op reflect (reflection_pad1d, ..), and not replicate the element at the edge? */
bool pad_reflects(const OpInfo *op);
/* The index in a dim of `size` elements from which element `i` of the padded dim is copied. `left`
 * is the pad before the dim. */
static inline int64_t pad_source(int64_t i, int64_t size, int64_t left, bool reflects) {
    int64_t at = i - left;
    if (reflects) {
        return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
    }
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

#endif
