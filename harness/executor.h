/* Executor: what takes a program and answers a result. Everything above works on a pair of these and knows them only so. */
#ifndef HARNESS_EXECUTOR_H
#define HARNESS_EXECUTOR_H

#include "compiled/compile.h"
#include "program/result.h"

typedef struct Executor Executor;
struct Executor {
    const char *name;  /* "reference", "compiled" */
    /* Never fails: errors are part of the result, which lives in `arena`. */
    Result *(*run)(Executor *self, const Program *p, const RunOptions *options, Arena *arena);
    bool has_shadow;   /* can run with the float64 shadow */
    CompileOptions compile;     /* compiled: fault, disabled passes, limit */
    CompileCounters counters;
};

/* Fills `out` by name; false and a sentence naming the known ones if there is no such executor. */
bool executor_open(const char *name, Executor *out, char *message, size_t message_size);

#endif
