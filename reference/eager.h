/* The reference executor: an eager interpreter with a tape; it *is* the meaning of a program
 * (docs/reference/semantics.md). */
#ifndef REFERENCE_EAGER_H
#define REFERENCE_EAGER_H

#include "program/lang/result.h"

/* Runs all calls of `p`. The result lives in `arena`. Never fails: errors are part of the
 * result. */
Result *reference_run(const Program *p, const RunOptions *options, Arena *arena);

/* For measuring: the function and its backward alone, `times` times over on the same inputs and
 * tangents (in `home`), with nothing recorded; `scratch` is reset before each. The program's first
 * call; it has no setup (`unsupported`). Returns its error. */
ErrCode reference_repeat(const Program *p, const RunOptions *options, int64_t times, Arena *home,
                         Arena *scratch);

#endif
