/* Minimize: a smaller program with the same signature. The reducers of reduce/reducers.def are
 * applied greedily to a fixed point. A step is kept only if the same symptom shows, from the same
 * cause; and if a fault is seeded and the program agrees without it, the smaller one must agree
 * without it, too.
 *
 * Other findings of candidates are reported, one for each other symptom. No program is checked
 * twice. With several checkers (`more`), candidates are checked in parallel, with the same result.
 */
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
    int64_t checks; /* candidates checked; in: the limit, 0 = 20,000 */
    int64_t kept;   /* steps kept */
    int64_t rounds;
    double seconds; /* out: time taken; in: the limit, 0 = 60 */
    Checker *more;  /* in: further checkers of the same pair, for parallel checks */
    int nmore;
    Checker *base;    /* in, not with `more`: every kept step agrees on it; or NULL */
    bool anything;    /* in: any finding is accepted, not only the given one */
    int64_t repeated; /* candidates that were checked before */
    int64_t invalid;  /* with targets: candidates that the reference refuses although it ran the
                         program, or whose meaning PyTorch leaves undefined */
    bool flaky;       /* the finding does not show every time: each candidate was checked up to
                         MINIMIZE_RETRIES times */
    bool complete;    /* the result is a fixed point: no reducer changes it */
    Other
        other[MINIMIZE_MAX_OTHERS]; /* in the order in which they were met, programs in the arena */
    int nother;
} MinimizeStats;

/* Called after every kept step. */
typedef void MinimizeStep(void *user, const char *reducer, const Program *now,
                          const MinimizeStats *so_far);

/* Minimizes `p`, on which `c` found `finding` (located: check_locate). The result is a new program
 * in `arena`, at worst equal to `p`. `stats` may be NULL; its fields `checks`, `seconds`, `more`,
 * `nmore`, `base` and `anything` are read on entry. Counters of `c` stay as they were. `on_step`
 * may be NULL. */
Program *minimize_program(Arena *arena, const Program *p, Checker *c, const Finding *finding,
                          MinimizeStats *stats, MinimizeStep *on_step, void *user);

/* Elements of the inputs of the first call, and of the tensors written in statements: with
 * program_size, how large a program is. */
int64_t program_elements(const Program *p);

#endif
