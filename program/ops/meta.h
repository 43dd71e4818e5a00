/* The Emit that only infers: every value is metadata. For the generator, the verifier and
 * documentation. Data-dependent sizes are answered by the caller's guess. */
#ifndef PROGRAM_META_H
#define PROGRAM_META_H

#include "program/ops/emit.h"

typedef struct MetaEmit {
    Emit emit;             /* first member: an Emit * is a MetaEmit * */
    int64_t assumed_count; /* what count_nonzero answers (clamped to the mask's numel) */
    int64_t assumed_item;  /* what item_int answers */
} MetaEmit;

MetaEmit meta_emit(Arena *arena, Error *err);

#endif
