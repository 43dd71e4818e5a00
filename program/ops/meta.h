/* The Emit that only infers: every value is metadata. For the generator, the verifier and
 * documentation. The caller guesses data-dependent sizes. */
#ifndef PROGRAM_META_H
#define PROGRAM_META_H

#include "program/ops/emit.h"

typedef struct MetaEmit {
    Emit emit;             /* first member: an Emit * is a MetaEmit * */
    int64_t assumed_count; /* the result of count_nonzero (clamped to the mask's numel) */
    int64_t assumed_item;  /* the result of item_int */
} MetaEmit;

MetaEmit meta_emit(Arena *arena, Error *err);

#endif
