/* The compiler: its tables, the gate, and the pipeline, one loop over passes.def that gates, runs,
 * verifies and dumps. What it is run on: region.c. */
#include "compiled/loops/lower.h"
#include "compiled/native/native.h"
#include "compiled/runtime/stages.h"
#include "compiled/runtime/symbols.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- tables ---- */

static const FaultInfo fault_table[] = {
#define FAULT(family, number, name, stage, oracle, issue, text)                                    \
    {#family "-" #number, #name, #stage, #oracle, issue, text},
#include "compiled/core/faults.def"
#undef FAULT
};

const FaultInfo *fault_info(FaultId id) {
    CHECK(id >= 0 && id < FAULT_COUNT);
    return &fault_table[id];
}

bool fault_parse(const char *text, FaultId *id) {
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(text, fault_table[i].id) == 0 || strcmp(text, fault_table[i].name) == 0) {
            *id = (FaultId)i;
            return true;
        }
    }
    return false;
}

FaultId faults_seeded(const CompileOptions *options, int k) {
    return k == 0 ? options->fault : k <= options->nalso ? options->also[k - 1] : FAULT_NONE;
}

bool faults_add(CompileOptions *options, FaultId id) {
    for (int k = 0; faults_seeded(options, k) != FAULT_NONE; k++) {
        if (faults_seeded(options, k) == id) {
            return true;
        }
    }
    if (options->fault == FAULT_NONE) {
        options->fault = id;
        return true;
    }
    if (options->nalso == COUNT_OF(options->also)) {
        return false;
    }
    options->also[options->nalso++] = id;
    return true;
}

const char *faults_text(const CompileOptions *options, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; faults_seeded(options, k) != FAULT_NONE && n < size; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? ", " : "",
                              fault_table[faults_seeded(options, k)].name);
    }
    return text;
}

void faults_clear(CompileOptions *options) {
    options->fault = FAULT_NONE;
    options->nalso = 0;
}

static const char *const miss_names[] = {
#define MISS(name, text) #name,
#include "compiled/core/misses.def"
#undef MISS
};
const char *miss_name(int reason) { return miss_names[reason]; }

static const char *const specialization_names[] = {
#define SPECIALIZATION(name, text) #name,
#include "compiled/core/specializations.def"
#undef SPECIALIZATION
};
const char *specialization_name(int reason) { return specialization_names[reason]; }

enum { REQUIRED = false, OPTIONAL = true };

static const PassInfo pass_table[] = {
#define PASS(name, need, text) {#name, need, text},
#include "compiled/passes/passes.def"
#undef PASS
};

int pass_count(void) { return COUNT_OF(pass_table); }
const PassInfo *pass_info(int number) {
    CHECK(number >= 0 && number < COUNT_OF(pass_table));
    return &pass_table[number];
}

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

/* ---- the gate ---- */

__attribute__((noinline)) void rewrite_breakpoint(int64_t step) {
    (void)step;
    __asm__ volatile(""); /* keeps the call, for a debugger to stop at */
}

bool gate(Compile *c, StepId step) {
    if (step >= 0 && c->options->disabled.step[step >> 6] >> (step & 63) & 1) {
        return false;
    }
    int64_t number = c->counters->gate_steps++ - c->first_step, limit = c->options->opt_limit;
    if (limit >= 0 && number >= limit) {
        return false;
    }
    rewrite_breakpoint(number);
    c->counters->last_pass = c->pass;
    c->counters->last_step = step;
    if (step >= 0) {
        c->counters->fired[step]++;
        c->taken[step >> 6] |= UINT64_C(1) << (step & 63);
    }
    return true;
}

/* ---- the pipeline ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERIFY_ALWAYS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define VERIFY_ALWAYS true
#endif
#endif
#ifndef VERIFY_ALWAYS
#define VERIFY_ALWAYS false
#endif

bool compile_checks_itself(const Compile *c) { return c->options->verify || VERIFY_ALWAYS; }

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

double compile_seconds(const Compile *c) {
    struct timespec t = {0};
    if (c->options->measure) {
        clock_gettime(CLOCK_MONOTONIC, &t);
    }
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
        if (pass_table[i].optional &&
            ((c->options->disabled.pass >> i & 1) || !gate(c, STEP_PASS))) {
            continue;
        }
        if (pass_function[i](c)) {
            counters->pass_changed[i]++;
            c->changed |= 1u << i;
        }
        double after = compile_seconds(c);
        counters->seconds[i] += after - before;
        if (i ==
            PASS_lower) { /* loops are no graph: those who dump and interpret one have seen it */
            counters->nodes[MAX_PASSES] += c->graph->n;
            return;
        }
        compile_verify(c, pass_table[i].name, i >= PASS_functionalize);
        compile_dump(c, pass_table[i].name);
        stages_check(c, pass_table[i].name, i < PASS_joint ? STAGE_FUNCTIONAL : STAGE_JOINT);
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
            c->sample->graph->nret = c->sample->graph->ninp = 0; /* of which other numbers tell */
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

/* ---- a run ---- */

/* Does some statement change the geometry of a tensor in place? */
static bool reshapes(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->kind == STMT_OP && s->op->kind == KIND_INPLACE_VIEW) || reshapes(&s->body) ||
            reshapes(&s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Does some statement walk the tape, or hang something on it for a later walk? */
static bool looks_back(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD || (s->kind == STMT_OP && s->op->id == OP_retain_grad) ||
            looks_back(&s->body) || looks_back(&s->orelse)) {
            return true;
        }
    }
    return false;
}

static bool breaks(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAPH_BREAK || breaks(&s->body) || breaks(&s->orelse)) {
            return true;
        }
    }
    return false;
}

Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options,
                     CompileCounters *counters, Arena *arena) {
    if (!counters) {
        counters = arena_new(arena, CompileCounters);
    }
    RuntimeSession r = {.p = p,
                        .compile = compile,
                        .options = options,
                        .counters = counters,
                        .first_step = counters->gate_steps,
                        .arena = arena};
    r.breaks = breaks(&p->body) && !looks_back(&p->body);
    r.takes_gradients = capture_takes_gradients(p);
    r.reshapes = reshapes(&p->setup) || reshapes(&p->body);
    if (compile->native) {
        native_trim(compile->native);
    }
    Result *result = arena_new(arena, Result);
    result->target = "twingrad compiled";
    result->ncalls = 1 + p->nrecalls;
    result->calls = arena_array(arena, CallResult, result->ncalls);
    for (int k = 0; k < result->ncalls; k++) {
        run_call(&r, k, &result->calls[k]);
    }
    feature_errors(compile->features, p, result);
    return result;
}
