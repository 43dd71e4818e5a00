/* CompileCounters as text: time and nodes of each pass, rules fired, buffers, bytes, arithmetic. */
#include "harness/report/compile_stats.h"

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
    if (c->evictions > 0) {
        text_printf(t, "  evicted: %lld\n", (long long)c->evictions);
    }
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
