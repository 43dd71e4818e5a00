/* Minimize: a smaller program with the same signature. A table of named reducers, applied greedily to a fixed point; a step is kept
 * only if the same signature still fires and, where a fault is seeded and the program agrees without it, still agrees without it. */
#ifndef HARNESS_MINIMIZE_H
#define HARNESS_MINIMIZE_H

#include "harness/check.h"

typedef struct MinimizeStats {
    int64_t checks;     /* candidates tried; in: the limit, 0 = 20,000 */
    int64_t kept;       /* steps kept */
    int64_t rounds;
    double seconds;     /* out: time taken; in: the limit, 0 = 60 */
} MinimizeStats;

/* `finding` was found on `p` by `c` and located (check_locate). The answer is a copy in `arena`, at worst equal to `p`. `stats` may be
 * NULL; its fields `checks` and `seconds` hold limits on entry. Counters of `c` stay as they were. Progress, one line a kept step, is
 * told to `on_step` (may be NULL). */
Program *minimize_program(Arena *arena, const Program *p, Checker *c, const Finding *finding, MinimizeStats *stats,
                          void (*on_step)(void *user, const char *reducer, const Program *now), void *user);

#endif
