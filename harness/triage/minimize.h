/* Minimize: a smaller program with the same signature. A table of named reducers (reducers.def),
 * applied greedily to a fixed point; a step is kept only if the same symptom shows, from the same
 * cause, and, where a fault is seeded and the program agrees without it, still agrees without it.
 *
 * What else the candidates show on the way is kept: a finding of its own for each other symptom.
 * The same program is not asked twice. With `jobs`, candidates are asked ahead in parallel, and the
 * answer is the same. */
#ifndef HARNESS_MINIMIZE_H
#define HARNESS_MINIMIZE_H

#include "harness/triage/locate.h"

enum { MINIMIZE_MAX_JOBS = 64, MINIMIZE_MAX_OTHERS = 16, MINIMIZE_RETRIES = 4 };

/* A finding with another symptom that some candidate showed. */
typedef struct Other {
    const Program *program;
    Finding finding; /* not located */
} Other;

typedef struct MinimizeStats {
    int64_t checks; /* candidates asked; in: the limit, 0 = 20,000 */
    int64_t kept;   /* steps kept */
    int64_t rounds;
    double seconds; /* out: time taken; in: the limit, 0 = 60 */
    Checker *more;  /* in: checkers like the first, for candidates asked at the same time */
    int nmore;
    bool anything;    /* in: any finding will do, not only the one that is given */
    int64_t repeated; /* candidates whose answer was known */
    int64_t invalid;  /* of a target's: candidates that the reference refuses though it ran the
                         program, or that PyTorch gives no meaning */
    bool flaky;       /* the finding does not show every time: each candidate was asked up to
                         MINIMIZE_RETRIES times */
    bool complete;    /* a fixed point: no reducer can do more */
    Other
        other[MINIMIZE_MAX_OTHERS]; /* in the order in which they were met, programs in the arena */
    int nother;
} MinimizeStats;

/* Told of every kept step. */
typedef void MinimizeStep(void *user, const char *reducer, const Program *now,
                          const MinimizeStats *so_far);

/* `finding` was found on `p` by `c` and located (check_locate). The answer is a copy in `arena`, at
 * worst equal to `p`. `stats` may be NULL; its fields `checks`, `seconds`, `more`, `nmore` and
 * `anything` are read on entry. Counters of `c` stay as they were. `on_step` may be NULL. */
Program *minimize_program(Arena *arena, const Program *p, Checker *c, const Finding *finding,
                          MinimizeStats *stats, MinimizeStep *on_step, void *user);

/* Elements of the inputs of the first call, and of the tensors written in statements: with
 * program_size, how large a program is. */
int64_t program_elements(const Program *p);

#endif
