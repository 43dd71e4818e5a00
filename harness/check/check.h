/* Check: one program through a pair of executors and all oracles. The inner loop of fuzzing; when
 * all agree it formats nothing. */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/oracles/oracle.h"

/* A pair of executors, ready to check programs one after the other, with counters over its life.
 * Not shared by threads. */
typedef struct Checker Checker;
struct Checker {
    const char *pair; /* "reference,compiled" */
    Executor a, b;
    Executor reference; /* for the float64 shadow, whatever the pair is */
    bool strict;        /* --strict */
    bool stages;        /* ask oracle_stages */
    RunOptions run;     /* poke (on by default) and limits */
    int64_t programs, calls;
    int64_t verdicts[3]; /* by Verdict */
    int64_t skips[SKIP_COUNT];
    int64_t fired[ORACLE_COUNT];
    int64_t shadow_runs;
};

typedef struct CheckResult {
    Verdict verdict;
    SkipReason skip;                   /* SKIP */
    uint32_t fired;                    /* bit by OracleId: all oracles that fired */
    Finding finding;                   /* FINDING: the first; no signature yet (check_locate) */
    const Finding *first_inconclusive; /* what would be the first but for a value in doubt
                                          somewhere, or NULL */
    const Result *a, *b;               /* in the arena given */
} CheckResult;

/* Opens the pair "A,B" with `compile` for the compiled executors in it. False and a sentence if
 * there is no such executor. */
bool checker_open(Checker *c, const char *pair, const CompileOptions *compile, char *message,
                  size_t message_size);

/* The same with targets ("reference,torch:eager"): 0, or an exit code and a sentence. checker_close
 * ends their processes. */
int checker_open_with(Checker *c, const char *pair, const CompileOptions *compile,
                      const TargetSettings *settings, char *message, size_t message_size);
void checker_close(Checker *c);
/* Is an executor of the pair in other processes? */
bool checker_is_external(const Checker *c);
/* Begins to run `p`, which must live until check_program is asked for it, where that can be done
 * meanwhile. */
void check_submit(Checker *c, const Program *p);
/* Does an executor of the pair gain from knowing programs ahead (check_collect)? */
bool checker_collects(const Checker *c);
/* Tells the executors of a program that will be checked soon; `arena` is scratch. */
void check_collect(Checker *c, const Program *p, Arena *arena);

/* Runs `p` on both executors and judges. Results and scratch live in `arena`; the caller resets
 * it. */
void check_program(Checker *c, const Program *p, Arena *arena, CheckResult *out);

/* Judges results that are already there (one may be an `expect`), numbers by `rule`. */
void check_results(Checker *c, const Program *p, const Result *a, const Result *b, NumberRule rule,
                   Arena *arena, CheckResult *out);

#endif
