/* A region: found in the cache, compiled, or brought to the sizes of a call.
 *
 * A region whose CHECK fires at run time is captured again up to the statement of the CHECK. That
 * prefix, with its own epilogue, is what the call reports. */
#include "compiled/loops/lower.h"
#include "compiled/runtime/pipeline.h"
#include "compiled/runtime/stages.h"
#include "compiled/runtime/runtime.h"
#include "compiled/runtime/symbols.h"

#include <string.h>

/* ---- compiled ---- */

/* Ops whose result has as many elements as were counted during the capture check that, too
 * (kernel_counted). */
static bool has_checks(const Graph *g) {
    for (int i = 0; i < g->n; i++) {
        const Node *n = g->node[i];
        if (n->kind == NODE_CHECK ||
            (n->kind == NODE_OP && (n->op == OP_nonzero || n->op == OP__masked_select))) {
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

Artifact *region_compile_prefix(RuntimeSession *r, const CaptureInput *in, int sid, ErrCode code,
                                const char *message, int unsettled) {
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

static void dump_symbols(const Compile *c, const Symbols *symbols, ExitTensor *exit) {
    if (symbols && c->options->on_dump && !c->options->dump_dot) {
        Text text = {.arena = c->arena};
        symbols_print(&text, symbols, c, exit);
        c->options->on_dump(c->options->dump_user, "symbolic", text.v);
    }
}

/* With `symbols` the code is for all their sizes, if that can be. */
static Artifact *compile_region(RuntimeSession *r, const CaptureInput *in, Symbols *symbols,
                                void (*captured)(void *user, Capture *cap), void *user) {
    Compile *c = compile_new(r, in);
    SampleCompilation *own = NULL;
    if (symbols) {
        own = c->sample = arena_new(r->arena, SampleCompilation);
        *own = sample_new(r);
        own->keeps_graph = true;
    }
    double before = compile_seconds(c);
    capture_program(c, in);
    r->counters->seconds[MAX_PASSES] += compile_seconds(c) - before;
    Capture *cap = c->capture;
    if (cap->end == END_CHECK && !in->resumed) {
        Artifact *a = region_compile_prefix(r, in, cap->at, cap->err.code, cap->err.text,
                                            region_writes(c->graph, cap->at));
        a->data_dependents = cap->data_dependents;
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
    ExitTensor *exit = capture_exit(cap);
    if (captured) {
        captured(user, cap);
    }
    capture_final_backward(c);
    if (symbols) {
        own->exit = exit;
    }
    compile_front(c);
    if (symbols) {
        a->symbols = symbols_start(r, c, symbols, own);
        c->sample = NULL;
        if (a->symbols && r->compile->on_dump &&
            symbols_generalize(r, a, in)) { /* otherwise when a call of another size comes */
            dump_symbols(c, a->symbols, exit);
        }
        c->reused = a->symbols != NULL;
    }
    a->plan = compile_back(c);
    capture_exit_regenerated(cap, exit);
    a->exit = exit;
    a->capture = cap;
    a->graph = c->graph;
    a->data_dependents = cap->data_dependents;
    a->has_checks = has_checks(c->graph);
    return a;
}

Artifact *region_compile(RuntimeSession *r, const CaptureInput *in,
                         void (*captured)(void *user, Capture *cap), void *user) {
    return compile_region(r, in, NULL, captured, user);
}

/* ---- looked up ---- */

const Artifact *region_find(RuntimeSession *r, const CaptureInput *in, bool *compiled) {
    const Compile c = {.options = r->compile, .counters = r->counters};
    int64_t bytes;
    const void *key = guard_key(&c, in, r->arena, &bytes);
    Artifact *a = r->compile->no_reuse ? NULL : cache_find(r, in, key, bytes);
    *compiled = !a;
    if (a) {
        return a;
    }
    MissReason why = cache_miss(r, in, key, bytes);
    if (why != MISS_COUNT) {
        r->counters->miss[why]++;
    }
    a = compile_region(r, in,
                       r->last_call || r->compile->no_reuse || r->compile->no_symbols ||
                               r->walks_inside
                           ? NULL
                           : symbols_find(r, in),
                       NULL, NULL);
    a->key = key;
    a->key_bytes = bytes;
    a->made_for = *in;
    a->stream = r->stream;
    a->miss = why;
    cache_insert(r, a);
    return a;
}
