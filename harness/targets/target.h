/* Target: an executor in other processes, which exchange one JSON object a line
 * (docs/reference/format.md, "Out-of-process targets").
 *
 * A target is an entry of targets.json (a command, its modes, its environment) and one mode. It has
 * up to `workers` processes, each of which runs one program at a time. A process that dies, writes
 * malformed output or exceeds the time limit is killed with its children and started again; the
 * result of its program says so (Result.failure), other results are not affected. If none is left
 * and none starts any more, the target is gone: no program is blamed for that. */
#ifndef HARNESS_TARGET_H
#define HARNESS_TARGET_H

#include "program/lang/result.h"

/* How targets are run; zeros are the defaults. */
typedef struct TargetSettings {
    const char *file;   /* targets.json; NULL: the default file */
    const char *python; /* what the target `torch` runs instead of its declared interpreter, or
                           NULL */
    int workers;        /* processes of each target (1) */
    double timeout;     /* seconds a program may take (60) */
    int64_t memory;     /* megabytes of data of each process (8192); 0: no limit */
    bool configs;       /* have targets list the settings of their compilers */
    bool no_probes;     /* leave probes out of the Python source; no trace is compared */
    const char *native_cache; /* compiled:native: its folder, "none" or NULL (NativeSettings) */
    bool strict;  /* also compare what is minor by default: versions, strides and offsets of a
                     compiling target */
    double until; /* now_seconds() from which on no program is waited for: its result is then a
                     `limit` error; 0: never */
    bool alone;   /* run each program in a process in which no other ran */
    bool shares_compiler; /* compile kernels of several programs together, and by clang
                             (targets/kernels.py): for a search, which confirms what it finds
                             without it */
    int variation; /* N > 0: with PYTHONHASHSEED=N and OMP_NUM_THREADS 2, 1, 2, .., to see whether a
                      result depends on them */
} TargetSettings;

enum { TARGET_MAX_WORKERS = 64 };

typedef struct Target Target;
typedef struct TargetCounters {
    int64_t programs, crashes, timeouts, starts;
    int64_t not_again; /* a process died that ran a program in both modes of a pair; in processes of
                          their own, neither of them did */
} TargetCounters;

/* Finds `name` ("torch:aot") in the file of targets, starts a first process and reads its modes.
 * 0 and *out, which target_close frees; or a message and 2 (no such target or mode) or 3
 * (the file cannot be read, the target does not start).
 *
 * `other`: NULL, or an open target with the same settings. If both are modes of one target, and it
 * takes requests for several modes, no process is started: `other`'s run the programs of both, and
 * may become as many as both would have (with settings->alone no more). A program that
 * target_submit_pair submits is then run in
 * both modes by one process. `other` is closed after it. */
int target_open(const char *name, Target *other, const TargetSettings *settings, Target **out,
                char *message, size_t message_size);
void target_close(Target *t);

/* Why none of its processes is left and none starts any more, one sentence; NULL: that is not so.
 * The results of its programs are then `limit` errors. */
const char *target_gone(const Target *t);
/* Sets settings.until of a target that is open. */
void target_until(Target *t, double until);
/* Does it compile, so that its results may differ in minor ways? Every mode but "eager" and those
 * that begin with "eager_". */
bool target_compiles(const Target *t);
/* "torch:aot". */
const char *target_name(const Target *t);
/* "aot". */
const char *target_mode(const Target *t);
/* What it reports to be: "torch 2.13.0". */
const char *target_version(const Target *t);
/* The modes that it reports to have: "eager aot". */
const char *target_modes(const Target *t);
/* Is the mode of `n` characters one of these? */
bool target_modes_have(const char *modes, const char *mode, size_t n);
/* The file that declares it, as in TargetSettings. */
const char *target_file(const Target *t);
/* The executable that its declaration names. */
const char *target_program(const Target *t);
/* "NAME=VALUE" words that its processes run with, besides what twingrad itself was given; NULL ends
 * them. */
char *const *target_environment(const Target *t);
TargetCounters target_counters(const Target *t);

/* Settings of its compiler for `p`, program `index` of the stream `seed` (TargetSettings.configs);
 * NULL: none. They live as long as `arena` and the target. */
CompileSettings *target_draw_settings(const Target *t, const Program *p, Arena *arena,
                                      uint64_t seed, uint64_t index);

/* Queues `p`, which must live until target_run is called for it; false if too many programs are
 * queued. */
bool target_submit(Target *t, const Program *p, const RunOptions *options);
/* The same for both; of targets that share processes, with one request. */
bool target_submit_pair(Target *a, Target *b, const Program *p, const RunOptions *options);
/* Takes back all programs that were submitted: those that run are answered to nobody. They must
 * live until the next call of target_forget, or until the target is closed. */
void target_forget(Target *t);
/* Lets the processes go on with what is queued; does not wait for them. */
void target_turn(Target *t);
/* Would target_run give the result of `p`, which was submitted, without waiting? */
bool target_is_done(Target *t, const Program *p);
/* The result of `p`, submitted or not, in `arena`; a failure of the target is a result, too. */
Result *target_run(Target *t, const Program *p, const RunOptions *options, Arena *arena);

#endif
