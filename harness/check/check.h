/* Check: runs one program on a pair of executors and compares the results by all oracles. This is
 * the inner loop of fuzzing: it formats text only if an oracle fires.
 *
 * Start reading here. Below are the oracles (harness/oracles) and the executors (harness/targets);
 * above are triage, campaigns and the command line. */
#ifndef HARNESS_CHECK_H
#define HARNESS_CHECK_H

#include "harness/oracles/oracle.h"

/* A pair of executors and counters over all its checks. Not shared by threads. */
typedef struct Checker Checker;
struct Checker {
    const char *pair; /* "reference,compiled" */
    Executor a, b;
    Executor reference; /* for the float64 shadow, whatever the pair is */
    bool strict;        /* --strict: no difference is minor */
    bool no_probes;     /* --no-probes: targets run programs without their probes */
    Semantics given;    /* --semantics, or NONE: run.semantics may be that of a target */
    bool stages;        /* run oracle_stages */
    uint32_t off;       /* bit by OracleId: oracles that are not asked */
    RunOptions run;     /* the write-through check (poke, on by default) and limits */
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
    const Finding *first_inconclusive; /* the first difference that an inconclusive value may
                                          explain, or NULL */
    const Result *a, *b;               /* in the given arena */
} CheckResult;

/* Opens the pair "A,B"; `compile` holds the options of its compiled executors. False and a message
 * if there is no such executor. */
bool checker_open(Checker *c, const char *pair, const CompileOptions *compile, char *message,
                  size_t message_size);

/* The same with targets ("reference,torch:eager"). 0, or an exit code and a message. checker_close
 * ends their processes. */
int checker_open_with(Checker *c, const char *pair, const CompileOptions *compile,
                      const TargetSettings *settings, char *message, size_t message_size);
void checker_close(Checker *c);
/* Does an executor of the pair run in other processes? */
bool checker_is_external(const Checker *c);
/* Sets TargetSettings.until of its targets. */
void checker_until(Checker *c, double until);
/* Why a target of the pair is gone (target_gone), or NULL: what was skipped meanwhile was not run.
 */
const char *checker_gone(const Checker *c);
/* Starts `p` on the executors that run in other processes; `p` must live until check_program is
 * called for it. */
void check_submit(Checker *c, const Program *p);
/* Lets the processes go on with what was submitted; does not wait for them. */
void check_turn(Checker *c);
/* Takes back all programs that were submitted and not checked (target_forget). */
void check_forget(Checker *c);
/* Would check_program not wait for a process that runs `p`, which was submitted? */
bool check_is_ready(Checker *c, const Program *p);
/* Does an executor of the pair compile several programs at once (check_collect)? */
bool checker_collects(const Checker *c);
/* Announces a program that will be checked soon; `arena` is scratch. */
void check_collect(Checker *c, const Program *p, Arena *arena);

/* Sets up what is not checked in every program: the graph of each 64th is verified after every
 * pass, with `verify` that of all; with `stages` the graph of all is interpreted after every pass.
 * `number` is that of the program that is checked next. */
void check_schedule(Checker *c, bool verify, bool stages, int64_t number);

/* Runs `p` on both executors and compares the results. They and all scratch live in `arena`, which
 * the caller resets. */
void check_program(Checker *c, const Program *p, Arena *arena, CheckResult *out);

/* Compares given results (one may be an `expect`), numbers by `rule`. */
void check_results(Checker *c, const Program *p, const Result *a, const Result *b, NumberRule rule,
                   Arena *arena, CheckResult *out);

#endif
