/* Executor: runs a program and returns a result. The reference, the compiled executor and targets
 * (target.h) all have this interface; everything above works on a pair of executors.
 *
 * Start reading here. The folder includes harness/util, and nothing above it. */
#ifndef HARNESS_EXECUTOR_H
#define HARNESS_EXECUTOR_H

#include "compiled/core/compile.h"
#include "harness/targets/mode.h"
#include "harness/targets/target.h"
#include "program/lang/result.h"

typedef struct Executor Executor;
struct Executor {
    const char *name; /* "reference", "compiled", "compiled:native", "torch:aot" */
    /* Never fails: errors are part of the result, which lives in `arena`. */
    Result *(*run)(Executor *self, const Program *p, const RunOptions *options, Arena *arena);
    bool has_shadow;        /* can run with the float64 shadow */
    CompileOptions compile; /* compiled: fault, disabled passes, limit */
    CompileCounters counters;
    Target *target; /* its processes, or NULL; executor_close frees it */
    Native *native; /* compiled:native: its compiler, or NULL; executor_close frees it */
};

/* Fills `out` by name; a name with a colon that is not compiled:native is TARGET:MODE of
 * targets.json. 0, or an exit code and a message. `other`: NULL, or the first executor of the pair;
 * two modes of one target share its processes (target_open), and `other` is closed last. */
int executor_open_with(const char *name, const Executor *other, const TargetSettings *settings,
                       Executor *out, char *message, size_t message_size);
/* compiled:native: compiles the program's loops with its next batch, since one run of the C
 * compiler for many programs costs far less than one run for each. `arena` is scratch. Other
 * executors do nothing. */
void executor_collect(Executor *e, const Program *p, const RunOptions *options, Arena *arena);
/* Ends a target's processes, unloads native code. */
void executor_close(Executor *e);

/* Does the executor's compiler run in this process? */
bool compiles_here(const Executor *e);

/* A compiling target: its results may differ in what format.md calls minor. */
static inline bool executor_is_external_compiler(const Executor *e) {
    return e->target && target_compiles(e->target);
}

/* What it keeps of eager mode. */
ModeKeeps executor_keeps(const Executor *e);

#endif
