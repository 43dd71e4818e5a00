/* The compiler, from outside in: a region is looked up in the cache or compiled.
 *
 * compile_graph is the pipeline: one loop over passes.def that gates, runs, verifies and dumps. A region whose CHECK fires at run
 * time is captured again up to the statement of the CHECK, and that prefix, with its own epilogue, is what the call reports. */
#include "compiled/lower.h"
#include "compiled/native.h"
#include "compiled/stages.h"
#include "compiled/symbol.h"
#include "compiled/world.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- tables ---- */

static const FaultInfo fault_table[] = {
#define FAULT(family, number, name, stage, oracle, issue, text) {#family "-" #number, #name, #stage, #oracle, issue, text},
#include "compiled/faults.def"
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
        n += (size_t)snprintf(text + n, size - n, "%s%s", k > 0 ? ", " : "", fault_table[faults_seeded(options, k)].name);
    }
    return text;
}

void faults_clear(CompileOptions *options) {
    options->fault = FAULT_NONE;
    options->nalso = 0;
}

static const char *const miss_names[] = {
#define MISS(name, text) #name,
#include "compiled/misses.def"
#undef MISS
};
const char *miss_name(int reason) { return miss_names[reason]; }

static const char *const specialization_names[] = {
#define SPECIALIZATION(name, text) #name,
#include "compiled/specializations.def"
#undef SPECIALIZATION
};
const char *specialization_name(int reason) { return specialization_names[reason]; }

enum { REQUIRED = false, OPTIONAL = true };

static const PassInfo pass_table[] = {
#define PASS(name, need, text) {#name, need, text},
#include "compiled/passes.def"
#undef PASS
};

int pass_count(void) { return COUNT_OF(pass_table); }
const PassInfo *pass_info(int number) {
    CHECK(number >= 0 && number < COUNT_OF(pass_table));
    return &pass_table[number];
}

enum {
#define PASS(name, need, text) PASS_##name,
#include "compiled/passes.def"
#undef PASS
};

typedef bool (*PassFn)(Compile *c);
static const PassFn pass_function[] = {
#define PASS(name, need, text) pass_##name,
#include "compiled/passes.def"
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

static void verify(const Compile *c, const char *stage, bool functional) {
    char message[256];
    if (compile_checks_itself(c) && !graph_verify(c->graph, functional, message, sizeof message)) {
        fprintf(stderr, "after %s: %s\n", stage, message);
        graph_dump(c->graph);
        CHECK(!"the graph is broken");
    }
}

static void dump_graph(const Compile *c, const char *stage) {
    if (c->options->on_dump) {
        Text text = {.arena = c->arena};
        (c->options->dump_dot ? graph_print_dot : graph_print)(&text, c->graph, c->program);
        c->options->on_dump(c->options->dump_user, stage, text.n > 0 ? text.v : "");
    }
}

static double seconds(const Compile *c) {
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
    double before = seconds(c);
    for (int i = from; i < to; i++) {
        c->pass = i;
        counters->nodes[i] += c->graph->n;
        if (pass_table[i].optional && ((c->options->disabled.pass >> i & 1) || !gate(c, STEP_PASS))) {
            continue;
        }
        if (pass_function[i](c)) {
            counters->pass_changed[i]++;
            c->changed |= 1u << i;
        }
        double after = seconds(c);
        counters->seconds[i] += after - before;
        if (i == PASS_lower) { /* loops are no graph: those who dump and interpret one have seen it */
            counters->nodes[MAX_PASSES] += c->graph->n;
            return;
        }
        verify(c, pass_table[i].name, i >= PASS_functionalize);
        dump_graph(c, pass_table[i].name);
        stages_check(c, pass_table[i].name, i < PASS_joint ? STAGE_FUNCTIONAL : STAGE_JOINT);
        if (c->specimen && i == PASS_joint) {
            walk_facts(&c->specimen->facts, c);
        }
        before = seconds(c);
    }
}

/* The passes on graphs. */
static void compile_front(Compile *c) {
    memset(c->taken, 0, sizeof c->taken);
    c->changed = 0;
    verify(c, "capture", false);
    dump_graph(c, "capture");
    stages_check(c, "capture", STAGE_CAPTURED);
    if (c->specimen) {
        walk_facts(&c->specimen->facts, c);
        walk_nodes(&c->specimen->captured, c->graph);
        if (c->specimen->keeps) {
            c->specimen->graph = graph_clone(c->graph, c->arena);
            graph_clear_map(c->graph);
            c->specimen->graph->nret = c->specimen->graph->ninp = 0; /* of which other numbers tell */
        }
    }
    compile_passes(c, 0, PASS_fuse);
    if (c->specimen) {
        walk_facts(&c->specimen->facts, c);
        walk_places(&c->specimen->places, c, c->specimen->exit);
    }
}

/* The passes towards loops, and the loops. */
static Plan *compile_back(Compile *c) {
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

/* ---- regions ---- */

static bool has_checks(const Graph *g) {
    for (int i = 0; i < g->n; i++) {
        if (g->node[i]->kind == NODE_CHECK) {
            return true;
        }
    }
    return false;
}

int region_writes(const Graph *g, int sid) {
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        if (n->kind == NODE_CHECK && n->sid == sid && n->number >= 0) {
            return n->number;
        }
    }
    return -1;
}

Artifact *region_compile_prefix(Runner *r, const CaptureInput *in, int sid, ErrCode code, const char *message, int unsettled) {
    CaptureInput prefix = *in;
    prefix.stop_before = sid;
    Artifact *a = region_compile(r, &prefix, NULL, NULL);
    CHECK(a->capture->end == END_STOPPED || r->compile->fault != FAULT_NONE);
    a->error_at = sid;
    a->error = code;
    a->message = arena_strdup(r->arena, message);
    a->unsettled = unsettled;
    return a;
}

/* Stages are interpreted on the data of the call. */
static void look_at(Compile *c, const CaptureInput *in) {
    if (c->options->stages) {
        int n;
        Storage **storage = arena_array(c->arena, Storage *, in->n + 1);
        storages_of(in->tensors, in->n, storage, &n);
        c->input_data = storage;
    }
}

static Specimen specimen_new(const Runner *r) {
    return (Specimen){.facts = {.arena = r->arena}, .captured = {.arena = r->arena}, .places = {.arena = r->arena}, .first_step = r->counters->gate_steps};
}

static void dump_symbols(const Compile *c, const Symbols *symbols, Exit *exit) {
    if (symbols && c->options->on_dump && !c->options->dump_dot) {
        Text text = {.arena = c->arena};
        symbols_print(&text, symbols, c, exit);
        c->options->on_dump(c->options->dump_user, "symbolic", text.v);
    }
}

static Compile *compile_new(Runner *r, const CaptureInput *in) {
    Compile *c = arena_new(r->arena, Compile);
    *c = (Compile){.arena = r->arena,
                   .err = &r->err,
                   .options = r->compile,
                   .counters = r->counters,
                   .first_step = r->first_step,
                   .program = r->p,
                   .limits = r->options->limits};
    look_at(c, in);
    return c;
}

/* With `symbols` the code is for all their sizes, if that can be. */
static Artifact *compile_region(Runner *r, const CaptureInput *in, Symbols *symbols, void (*captured)(void *user, Capture *cap), void *user) {
    Compile *c = compile_new(r, in);
    Specimen *own = NULL;
    if (symbols) {
        own = c->specimen = arena_new(r->arena, Specimen);
        *own = specimen_new(r);
        own->keeps = true;
    }
    double before = seconds(c);
    capture_program(c, in);
    r->counters->seconds[MAX_PASSES] += seconds(c) - before;
    Capture *cap = c->capture;
    if (cap->end == END_CHECK && !in->later) {
        Artifact *a = region_compile_prefix(r, in, cap->at, cap->err.code, cap->err.text, region_writes(c->graph, cap->at));
        a->questions = cap->questions;
        return a;
    }
    Artifact *a = arena_new(r->arena, Artifact);
    a->unsettled = -1;
    if (cap->end == END_ERROR) {
        a->error_at = cap->at;
        a->error = cap->err.code;
        a->message = cap->err.text;
        a->unsettled = cap->unsettled ? cap->writing : -1;
    }
    Exit *exit = capture_exit(cap);
    if (captured) {
        captured(user, cap);
    }
    if (symbols) {
        own->exit = exit;
    }
    compile_front(c);
    if (symbols) {
        a->symbols = symbols_begin(r, c, symbols, own);
        c->specimen = NULL;
        if (a->symbols && r->compile->on_dump && symbols_settle(r, a, in)) { /* else when a call of another size comes */
            dump_symbols(c, a->symbols, exit);
        }
        c->reused = a->symbols != NULL;
    }
    a->plan = compile_back(c);
    capture_exit_remade(cap, exit);
    a->exit = exit;
    a->capture = cap;
    a->graph = c->graph;
    a->questions = cap->questions;
    a->has_checks = has_checks(c->graph);
    return a;
}

Artifact *region_compile(Runner *r, const CaptureInput *in, void (*captured)(void *user, Capture *cap), void *user) {
    return compile_region(r, in, NULL, captured, user);
}

void specimen_compile(Runner *r, const CaptureInput *in, int64_t first_step, Specimen *out) {
    *out = specimen_new(r);
    Compile *c = compile_new(r, in);
    Error err = {0};
    CompileOptions *options = arena_copy(r->arena, r->compile, (int64_t)sizeof *options);
    options->on_dump = NULL;
    options->stages = NULL;
    c->err = &err;
    c->options = options;
    c->input_data = NULL;
    c->counters = arena_new(r->arena, CompileCounters);
    c->counters->gate_steps = first_step;
    c->specimen = out;
    capture_program(c, in);
    if (c->capture->end == END_OK || c->capture->end == END_BREAK) {
        out->exit = capture_exit(c->capture);
        compile_front(c);
    }
}

static bool lies_in(const Tensor *layout, int64_t numel) {
    int64_t elements, extent;
    for (int d = 0; d < layout->ndim; d++) {
        if (layout->stride[d] < 0) {
            return false;
        }
    }
    return layout->offset >= 0 && sizes_numel(layout->size, layout->ndim, &elements) && tensor_extent(layout, &extent) && extent <= numel;
}

/* Does all that the instance hands out lie in the storages of the call? */
static bool instance_fits(const Artifact *a, const CaptureInput *in) {
    const Graph *g = a->graph;
    for (int i = 0; i < in->n; i++) {
        const Node *input = g->input[class_of(&a->capture->input[i].t)->input];
        if (input->t.size[0] != in->tensors[i].storage->numel || !lies_in(&a->exit[i].layout, input->t.size[0])) {
            return false;
        }
    }
    for (int k = 0; k < g->nret; k++) {
        if (g->ret[k].aliases_input && !lies_in(&g->ret[k].layout, g->input[g->ret[k].storage]->t.size[0])) {
            return false;
        }
    }
    return true;
}

/* Is every node within the limits, and all that the ops of the graph make together with the inputs? As capture asks of one size. */
static bool within_limits(const Limits *limits, const Graph *g, bool together) {
    int64_t bytes = 0;
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        int64_t numel;
        if (!sizes_numel(n->t.size, n->t.ndim, &numel) || numel > limits->max_elements) {
            return false;
        }
        bytes += together && (n->kind == NODE_OP || n->kind == NODE_INPUT) ? numel * dtype_bytes(n->t.dtype) : 0;
        if (bytes > limits->max_bytes) {
            return false;
        }
    }
    return true;
}

bool compile_again(Artifact *a, const CaptureInput *in) {
    Compile *c = a->capture->c;
    Graph *g = c->graph;
    char message[256];
    a->graph = g;
    if (!within_limits(&c->limits, a->symbols->captured, true) || !within_limits(&c->limits, g, false) ||
        !graph_verify(a->symbols->captured, false, message, sizeof message) || !graph_verify(g, true, message, sizeof message) ||
        !instance_fits(a, in)) {
        return false;
    }
    look_at(c, in);
    c->stage_before = NULL;
    dump_graph(c, "instance");
    stages_check(c, "instance", STAGE_JOINT);
    a->plan = compile_back(c);
    return true;
}

static bool questions_same(const Artifact *a, const CaptureInput *in, Arena *arena) {
    if (!a->questions) {
        return true;
    }
    Storage **storage = arena_array(arena, Storage *, in->n);
    void **input = arena_array(arena, void *, in->n);
    int n;
    storages_of(in->tensors, in->n, storage, &n);
    for (int k = 0; k < n; k++) {
        input[k] = storage[k]->data;
    }
    for (const Question *q = a->questions; q; q = q->next) {
        if (!question_same(q, input, arena)) {
            return false;
        }
    }
    return true;
}

/* Why did the newest code of the region not serve the call? MISS_COUNT: there is none. */
static MissReason miss_reason(const Runner *r, const CaptureInput *in) {
    for (const Artifact *a = r->cache; a; a = a->next) {
        MissReason why;
        if (a->made_for.setup == in->setup && a->made_for.resume == in->resume) {
            bool served = guard_match(&a->made_for, a->symbols, in, &why) && guards_hold(a->capture->c, a->symbols, &why);
            return served ? MISS_inference : why;
        }
    }
    return MISS_COUNT;
}

const Artifact *region_find(Runner *r, const CaptureInput *in, bool *compiled) {
    const Compile c = {.options = r->compile};
    int64_t bytes;
    const void *key = guard_key(&c, in, r->arena, &bytes);
    *compiled = false;
    for (Artifact *a = r->compile->no_reuse ? NULL : r->cache; a; a = a->next) {
        if (a->symbols ? symbols_serve(r, a, in) : a->key_bytes == bytes && memcmp(a->key, key, (size_t)bytes) == 0 && questions_same(a, in, r->arena)) {
            return a;
        }
    }
    MissReason why = miss_reason(r, in);
    if (why != MISS_COUNT) {
        r->counters->miss[why]++;
    }
    Artifact *a = compile_region(r, in, r->last_call || r->compile->no_reuse || r->compile->no_symbols ? NULL : symbols_find(r, in), NULL, NULL);
    a->key = key;
    a->key_bytes = bytes;
    a->made_for = *in;
    a->miss = why;
    a->next = r->cache;
    r->cache = a;
    *compiled = true;
    return a;
}

/* Does some statement change the geometry of a tensor in place? */
static bool reshapes(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->kind == STMT_OP && s->op->kind == KIND_INPLACE_VIEW) || reshapes(&s->body) || reshapes(&s->orelse)) {
            return true;
        }
    }
    return false;
}

/* Does some statement walk the tape, or hang something on it for a later walk? */
static bool looks_back(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_GRAD || (s->kind == STMT_OP && s->op->id == OP_retain_grad) || looks_back(&s->body) || looks_back(&s->orelse)) {
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

Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options, CompileCounters *counters,
                     Arena *arena) {
    if (!counters) {
        counters = arena_new(arena, CompileCounters);
    }
    Runner r = {.p = p, .compile = compile, .options = options, .counters = counters, .first_step = counters->gate_steps, .arena = arena};
    r.breaks = breaks(&p->body) && !looks_back(&p->body);
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
