/* passes: the table of passes and rules; with --runs, also how often each fired in random
 * programs. */
#include "harness/cli/command.h"
#include "harness/report/compile_stats.h"

#include <stdio.h>
#include <string.h>

enum { VERIFY_EVERY = 16 /* programs; under verification, rules for many elements apply to few */ };

static int passes_run_programs(const Options *o, CompileCounters *counters) {
    GenerateOptions generate;
    int code = generate_options(o, &generate);
    Arena arena = ARENA_EMPTY;
    RunOptions run = {.limits = LIMITS_DEFAULT};
    for (int64_t i = 0; i < o->runs && code == 0; i++) {
        arena_reset(&arena);
        CompileOptions compile = o->compile;
        compile.verify = compile.verify || i % VERIFY_EVERY == 0;
        compiled_run(generate_program_info(&arena, &generate, o->seed, (uint64_t)i, NULL), &compile,
                     &run, counters, &arena);
    }
    arena_destroy(&arena);
    return code;
}

static void passes_print_row(const Options *o, Arena *arena, const char *kind, const char *name,
                             const char *pass, const char *text, const char *why, int64_t count) {
    Text t = {.arena = arena};
    if (!o->json) {
        text_printf(&t, "%-8s %-24s", kind, name);
        if (o->runs > 0 && count >= 0) {
            text_printf(&t, " %10lld", (long long)count);
        }
        text_printf(&t, " %s", text);
    } else {
        const char *const member[][2] = {
            {"name", name}, {"pass", pass}, {"text", text}, {"why", why}};
        text_printf(&t, "{\"kind\":\"%s\"", kind);
        for (int k = 0; k < COUNT_OF(member); k++) {
            if (member[k][1]) {
                text_printf(&t, ",\"%s\":", member[k][0]);
                text_json_string(&t, member[k][1]);
            }
        }
        if (o->runs > 0 && count >= 0) {
            text_printf(&t, ",\"fired\":%lld", (long long)count);
        }
        text_add(&t, "}");
    }
    puts(t.v);
    arena_reset(arena);
}

int cmd_passes(const Options *o) {
    Arena arena = ARENA_EMPTY;
    CompileCounters *counters = arena_new(&arena, CompileCounters), count;
    int code = passes_run_programs(o, counters);
    count = *counters;
    for (int k = 0; k < pass_count() && code == 0; k++) {
        const PassInfo *pass = pass_info(k);
        passes_print_row(o, &arena, pass->optional ? "optional" : "required", pass->name, NULL,
                         pass->text, NULL, count.pass_changed[k]);
        for (int s = 0; s < STEP_COUNT; s++) {
            const StepInfo *step = step_info(s);
            if (strcmp(step->pass, pass->name) == 0) {
                passes_print_row(o, &arena, "rule", step->name, step->pass, step->text, step->why,
                                 count.fired[s]);
            }
        }
    }
    if (o->runs > 0 && !o->json && code == 0) {
        Text t = {.arena = &arena};
        compile_calls_text(&t, &count);
        fputs(t.v, stdout);
    }
    arena_destroy(&arena);
    return code;
}
