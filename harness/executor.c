/* The executors of this process, by name: a table of (name, run). What they take and answer is program/result.h. */
#include "harness/executor.h"

#include "reference/eager.h"

#include <stdio.h>
#include <string.h>

static Result *run_reference(Executor *self, const Program *p, const RunOptions *options, Arena *arena) {
    (void)self;
    return reference_run(p, options, arena);
}

static Result *run_compiled(Executor *self, const Program *p, const RunOptions *options, Arena *arena) {
    return compiled_run(p, &self->compile, options, &self->counters, arena);
}

static const struct {
    const char *name;
    Result *(*run)(Executor *, const Program *, const RunOptions *, Arena *);
    bool has_shadow;
} EXECUTORS[] = {
    {"reference", run_reference, true},
    {"compiled", run_compiled, false},
};

bool executor_open(const char *name, Executor *out, char *message, size_t message_size) {
    for (int i = 0; i < COUNT_OF(EXECUTORS); i++) {
        if (strcmp(EXECUTORS[i].name, name) == 0) {
            *out = (Executor){.name = EXECUTORS[i].name, .run = EXECUTORS[i].run, .has_shadow = EXECUTORS[i].has_shadow};
            out->compile = COMPILE_DEFAULT;
            return true;
        }
    }
    int n = snprintf(message, message_size, "there is no executor '%.60s'; known:", name);
    for (int i = 0; i < COUNT_OF(EXECUTORS) && n > 0 && (size_t)n < message_size; i++) {
        n += snprintf(message + n, message_size - (size_t)n, "%s %s", i ? "," : "", EXECUTORS[i].name);
    }
    return false;
}
