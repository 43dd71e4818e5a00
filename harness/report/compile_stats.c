/* passes: the table of passes and rules, with --runs also how often each fired in random programs;
 * and what `show --stats` prints of one program: time and nodes of each pass, rules fired, buffers,
 * bytes, arithmetic. Both read CompileCounters. */
#include "harness/report/compile_stats.h"

#include "fuzz/generate/generate.h"

#include <stdio.h>
#include <string.h>

/* ---- the counters as text ---- */

static int64_t nodes_after(const CompileCounters *c, int pass) {
    return c->nodes[pass + 1 < pass_count() ? pass + 1 : MAX_PASSES];
}

static void compile_stats_add_counts(Text *t, const char *title, const char *(*name)(int),
                                     const int64_t *count, int n) {
    for (int k = 0; k < n; k++) {
        if (count[k] > 0) {
            text_printf(t, "%s %-16s %lld\n", title, name(k), (long long)count[k]);
        }
    }
}

void compile_calls_text(Text *t, const CompileCounters *c) {
    text_printf(t,
                "calls compiled %lld times, %lld hits; for many sizes %lld times, brought to other "
                "sizes %lld times\n",
                (long long)c->compiles, (long long)c->hits, (long long)c->symbolic,
                (long long)c->instances);
    compile_stats_add_counts(t, "  not reused:", miss_name, c->miss, MISS_COUNT);
    compile_stats_add_counts(t, "  for one size only:", specialization_name, c->specialized,
                             SPECIALIZED_COUNT);
}

void compile_stats_text(Text *t, const CompileCounters *c) {
    text_printf(t, "%-14s %8s %8s %8s %10s\n", "stage", "changed", "nodes", "after", "us");
    text_printf(t, "%-14s %8s %8s %8s %10.1f\n", "capture", "", "", "",
                c->seconds[MAX_PASSES] * 1e6);
    for (int k = 0; k < pass_count(); k++) {
        text_printf(t, "%-14s %8lld %8lld %8lld %10.1f\n", pass_info(k)->name,
                    (long long)c->pass_changed[k], (long long)c->nodes[k],
                    (long long)nodes_after(c, k), c->seconds[k] * 1e6);
    }
    text_printf(t, "steps: %lld asked about\n", (long long)c->gate_steps);
    for (int k = 0; k < STEP_COUNT; k++) {
        if (c->fired[k] > 0) {
            text_printf(t, "  %-24s %lld\n", step_info(k)->name, (long long)c->fired[k]);
        }
    }
    text_printf(t,
                "partition: %lld values saved, %lld bytes (%lld if nothing were computed again), "
                "%lld nodes computed again, %lld by the forward for the backward\n",
                (long long)c->saved, (long long)c->saved_bytes, (long long)c->unsaved_bytes,
                (long long)c->fired[STEP_recompute], (long long)c->fired[STEP_save_early]);
    compile_calls_text(t, c);
    text_printf(t, "%lld graphs; %lld buffers, %lld bytes, %lld flops\n", (long long)c->graphs,
                (long long)c->buffers, (long long)c->bytes, (long long)c->flops);
}

/* ---- passes ---- */

enum { VERIFY_EVERY = 16 /* programs: there, what many elements need is met by few */ };

static int run_programs(const Options *o, CompileCounters *counters) {
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

static void print_row(const Options *o, Arena *arena, const char *kind, const char *name,
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
    int code = run_programs(o, counters);
    count = *counters;
    for (int k = 0; k < pass_count() && code == 0; k++) {
        const PassInfo *pass = pass_info(k);
        print_row(o, &arena, pass->optional ? "optional" : "required", pass->name, NULL, pass->text,
                  NULL, count.pass_changed[k]);
        for (int s = 0; s < STEP_COUNT; s++) {
            const StepInfo *step = step_info(s);
            if (strcmp(step->pass, pass->name) == 0) {
                print_row(o, &arena, "rule", step->name, step->pass, step->text, step->why,
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
