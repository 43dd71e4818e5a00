/* The executors of this process are a table of (name, run); every other name is a target. Options
 * and results are those of program/lang/result.h. */
#include "harness/targets/executor.h"

#include "reference/eager.h"

#include <stdio.h>
#include <string.h>

/* The memory limit of a run is checked against the arena, which already holds the program and the
 * runs before: their bytes are added to the limit. The shadow keeps two doubles for each element
 * beside the value, and must not exceed the limit where the run that it explains did not. */
static RunOptions within(const RunOptions *options, const Arena *arena) {
    enum { SHADOW_SHARE = 17 };
    RunOptions o = *options;
    o.limits.max_bytes = min_i64(o.limits.max_bytes, INT64_MAX / 64);
    o.limits.max_bytes += arena->bytes + (o.shadow ? SHADOW_SHARE * o.limits.max_bytes : 0);
    return o;
}

static Result *run_reference(Executor *self, const Program *p, const RunOptions *options,
                             Arena *arena) {
    (void)self;
    RunOptions o = within(options, arena);
    return reference_run(p, &o, arena);
}

static Result *run_compiled(Executor *self, const Program *p, const RunOptions *options,
                            Arena *arena) {
    RunOptions o = within(options, arena);
    return compiled_run(p, &self->compile, &o, &self->counters, arena);
}

static Result *run_native(Executor *self, const Program *p, const RunOptions *options,
                          Arena *arena) {
    CompileOptions compile = self->compile;
    compile.native = self->native;
    RunOptions o = within(options, arena);
    return compiled_run(p, &compile, &o, &self->counters, arena);
}

static Result *run_target(Executor *self, const Program *p, const RunOptions *options,
                          Arena *arena) {
    return target_run(self->target, p, options, arena);
}

static const struct {
    const char *name;
    Result *(*run)(Executor *, const Program *, const RunOptions *, Arena *);
    bool has_shadow, is_native;
} EXECUTORS[] = {
    {"reference", run_reference, true, false},
    {"compiled", run_compiled, false, false},
    {"compiled:native", run_native, false, true},
};

static void unknown_executor(const char *name, char *message, size_t message_size) {
    int n = snprintf(message, message_size, "there is no executor '%.60s'; known:", name);
    for (int i = 0; i < COUNT_OF(EXECUTORS) && n > 0 && (size_t)n < message_size; i++) {
        n += snprintf(message + n, message_size - (size_t)n, "%s %s", i ? "," : "",
                      EXECUTORS[i].name);
    }
    if (n > 0 && (size_t)n < message_size) {
        snprintf(message + n, message_size - (size_t)n, ", TARGET:MODE");
    }
}

int executor_open_with(const char *name, const Executor *other, const TargetSettings *settings,
                       Executor *out, char *message, size_t message_size) {
    for (int i = 0; i < COUNT_OF(EXECUTORS); i++) {
        if (strcmp(EXECUTORS[i].name, name) == 0) {
            *out = (Executor){.name = EXECUTORS[i].name,
                              .run = EXECUTORS[i].run,
                              .has_shadow = EXECUTORS[i].has_shadow};
            out->compile = COMPILE_DEFAULT;
            if (EXECUTORS[i].is_native) {
                NativeSettings native = {settings ? settings->native_cache : NULL};
                out->native = native_open(&native, message, message_size);
            }
            return EXECUTORS[i].is_native && !out->native ? 3 : 0;
        }
    }
    if (!strchr(name, ':')) {
        unknown_executor(name, message, message_size);
        return 2;
    }
    *out = (Executor){.run = run_target, .compile = COMPILE_DEFAULT};
    int code = target_open(name, other ? other->target : NULL, settings, &out->target, message,
                           message_size);
    if (code == 0) {
        out->name = target_name(out->target);
    }
    return code;
}

bool compiles_here(const Executor *e) {
    return !e->target && strncmp(e->name, "compiled", strlen("compiled")) == 0;
}

ModeKeeps executor_keeps(const Executor *e) {
    if (!executor_is_external_compiler(e)) {
        return KEEPS_VERSIONS;
    }
    const char *mode = strrchr(e->name, ':');
    const ModeRow *row = mode ? mode_row(mode + 1) : NULL;
    return row ? row->keeps : KEEPS_NOTHING;
}

void executor_collect(Executor *e, const Program *p, const RunOptions *options, Arena *arena) {
    CompileOptions compile = e->compile;
    compile.native = e->native;
    compile.native_collect = true;
    if (e->native) {
        compiled_run(p, &compile, options, NULL, arena);
    }
}

void executor_close(Executor *e) {
    target_close(e->target);
    native_close(e->native);
    e->target = NULL;
    e->native = NULL;
}
