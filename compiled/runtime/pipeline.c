/* The pipeline: one loop over passes.def that gates, runs, verifies and dumps every pass. */
#include "compiled/runtime/pipeline.h"
#include "compiled/loops/lower.h"
#include "compiled/native/native.h"
#include "compiled/passes/passes.h"
#include "compiled/runtime/stages.h"
#include "compiled/runtime/symbols.h"

#include <stdio.h>
#include <string.h>

enum {
#define PASS(name, need, text) PASS_##name,
#include "compiled/passes/passes.def"
#undef PASS
};

typedef bool (*PassFn)(Compile *c);
static const PassFn pass_function[] = {
#define PASS(name, need, text) pass_##name,
#include "compiled/passes/passes.def"
#undef PASS
};

static void compile_verify(const Compile *c, const char *stage, bool functional) {
    char message[256];
    if (compile_checks_itself(c) && !graph_verify(c->graph, functional, message, sizeof message)) {
        fprintf(stderr, "after %s: %s\n", stage, message);
        graph_dump(c->graph);
        CHECK(!"the graph is broken");
    }
}

void compile_dump(const Compile *c, const char *stage) {
    if (c->options->on_dump) {
        Text text = {.arena = c->arena};
        (c->options->dump_dot ? graph_print_dot : graph_print)(&text, c->graph, c->program);
        c->options->on_dump(c->options->dump_user, stage, text.n > 0 ? text.v : "");
    }
}

static void count_plan(const Compile *c, const Plan *plan) {
    CompileCounters *counters = c->counters;
    counters->graphs++;
    counters->buffers += plan->nbuffer - plan->ninput - plan->ntangent;
    counters->bytes += plan->bytes;
    counters->flops += c->options->measure ? plan_flops(plan) : 0;
}

/* Passes number `from` to `to` - 1. */
static void compile_passes(Compile *c, int from, int to) {
    CompileCounters *counters = c->counters;
    double before = compile_seconds(c);
    for (int i = from; i < to; i++) {
        c->pass = i;
        counters->nodes[i] += c->graph->n;
        if (pass_info(i)->optional &&
            ((c->options->disabled.pass & pass_bit(i)) || !gate(c, STEP_PASS))) {
            continue;
        }
        if (i == PASS_lower) {
            feature_graph(c);
        }
        if (pass_function[i](c)) {
            counters->pass_changed[i]++;
            c->changed |= pass_bit(i);
        }
        double after = compile_seconds(c);
        counters->seconds[i] += after - before;
        if (i == PASS_lower) { /* leaves loops, and the graph as it is */
            counters->nodes[MAX_PASSES] += c->graph->n;
            stages_check(c, pass_info(i)->name, STAGE_JOINT);
            return;
        }
        compile_verify(c, pass_info(i)->name, i >= PASS_functionalize);
        compile_dump(c, pass_info(i)->name);
        stages_check(c, pass_info(i)->name, i < PASS_joint ? STAGE_FUNCTIONAL : STAGE_JOINT);
        if (c->sample && i == PASS_joint) {
            walk_observed(&c->sample->observed, c);
        }
        before = compile_seconds(c);
    }
}

void compile_front(Compile *c) {
    memset(c->taken, 0, sizeof c->taken);
    c->changed = 0;
    compile_verify(c, "capture", false);
    compile_dump(c, "capture");
    stages_check(c, "capture", STAGE_CAPTURED);
    if (c->sample) {
        walk_observed(&c->sample->observed, c);
        walk_graph_numbers(&c->sample->captured, c->graph);
        if (c->sample->keeps_graph) {
            c->sample->graph = graph_clone(c->graph, c->arena);
            graph_clear_map(c->graph);
            c->sample->graph->nret = c->sample->graph->ninp =
                0; /* walk_artifact collects their numbers */
        }
    }
    compile_passes(c, 0, PASS_fuse);
    if (c->sample) {
        walk_observed(&c->sample->observed, c);
        walk_artifact(&c->sample->artifact, c, c->sample->exit);
    }
}

Plan *compile_back(Compile *c) {
    c->live = NULL;
    compile_passes(c, PASS_fuse, pass_count());
    Plan *plan = c->plan;
    count_plan(c, plan);
    if (c->options->on_dump && !c->options->dump_dot) {
        Text text = {.arena = c->arena};
        plan_print(&text, plan, c->program);
        c->options->on_dump(c->options->dump_user, "lower", text.n > 0 ? text.v : "");
    }
    if (c->options->on_dump && c->options->dump_c) {
        Text text = {.arena = c->arena}, functions = {.arena = c->arena};
        NativeNeeds needs = {0};
        native_print(&functions, plan, "", &needs);
        native_prelude(&text, &needs);
        text_addn(&text, functions.v, functions.n);
        c->options->on_dump(c->options->dump_user, "c", text.v);
    }
    if (c->options->native) {
        plan->native = native_functions(c->options->native, plan, c->options->native_collect);
    }
    return plan;
}

Plan *compile_graph(Compile *c) {
    compile_front(c);
    return compile_back(c);
}
