/* Executor: what takes a program and answers a result. Everything above works on a pair of these
 * and knows them only so. */
#ifndef HARNESS_EXECUTOR_H
#define HARNESS_EXECUTOR_H

#include "compiled/core/compile.h"
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
    Target *target; /* an executor in other processes, or NULL; of executor_close */
    Native *native; /* compiled:native: its compiler, or NULL; of executor_close */
};

/* Fills `out` by name; a name with a colon that is not compiled:native is TARGET:MODE of
 * targets.json. 0, or an exit code and a sentence. */
int executor_open_with(const char *name, const TargetSettings *settings, Executor *out,
                       char *message, size_t message_size);
/* Has compiled:native compile the program's loops with its next batch, since one run of the C
 * compiler over many costs far less than many over one. `arena` is scratch. Nothing, with other
 * executors. */
void executor_collect(Executor *e, const Program *p, const RunOptions *options, Arena *arena);
/* Ends a target's processes, unloads native code. */
void executor_close(Executor *e);

/* Does the executor's compiler run in this process? */
bool compiles_here(const Executor *e);

/* Two results of such an executor need not agree in what format.md calls minor. */
static inline bool executor_is_external_compiler(const Executor *e) {
    return e->target && target_compiles(e->target);
}

#endif
