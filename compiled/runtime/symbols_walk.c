/* The numbers of a compiled region beside those of its graph (symbolic/walk.c): tape, returns,
 * inputs, exits and trace. */
#include "compiled/runtime/symbols.h"
#include "compiled/symbolic/walk.h"

static void walk_tape(WalkVisit *w, const Capture *cap) {
    for (const GradNode *t = cap->tape; t; t = t->older) {
        walk_fixed(w, t->kind);
        walk_fixed(w, t->sequence_nr);
        walk_fixed(w, t->number);
        walk_fixed(w, t->nslot);
        walk_fixed(w, t->nsaved);
        walk_fixed(w, t->freed);
    }
}

void walk_observed(Numbers *out, const Compile *c) {
    WalkVisit w = {.out = out, .arena = out->arena, .observed = true};
    walk_graph(&w, c->graph);
    walk_tape(&w, c->capture);
}

/* ---- the epilogue ---- */

static void walk_returns(WalkVisit *w, const Graph *g) {
    walk_fixed(w, g->nret);
    for (int k = 0; k < g->nret; k++) {
        ReturnPlan *r = &g->ret[k];
        walk_fixed(w, r->aliases_input);
        walk_fixed(w, r->storage);
        walk_fixed(w, r->cls);
        walk_fixed(w, r->requires_grad);
        walk_fixed(w, r->is_leaf);
        walk_reference(w, r->aliases_input ? NULL : r->value);
        walk_reference(w, r->grad);
        walk_reference(w, r->before);
        walk_layout(w, &r->layout);
    }
}

static void walk_inputs(WalkVisit *w, const Graph *g, const Capture *cap) {
    walk_fixed(w, g->ninputs);
    for (int k = 0; k < g->ninputs; k++) {
        walk_reference(w, g->input[k]);
        walk_reference(w, g->written ? g->written[k] : NULL);
    }
    for (int k = 0; k < cap->ncounters; k++) {
        walk_fixed(w, g->version[k]);
    }
    walk_fixed(w, g->ninp);
    for (int k = 0; k < g->ninp; k++) {
        walk_fixed(w, g->inp[k].external);
        walk_fixed(w, g->inp[k].grad_state);
        walk_reference(w, g->inp[k].grad);
    }
    walk_fixed(w, g->backward_runs);
    walk_fixed(w, g->backward_error);
}

static void walk_exits(WalkVisit *w, const Capture *cap, ExitTensor *exit) {
    for (int i = 0; i < cap->nlive; i++) {
        ExitTensor *e = &exit[i];
        walk_layout(w, &e->layout);
        walk_fixed(w, e->record.requires_grad);
        walk_fixed(w, e->grad_fn);
        walk_fixed(w, e->number);
        walk_fixed(w, e->nr);
        walk_fixed(w, e->base);
        walk_fixed(w, e->record.creation_meta);
        walk_fixed(w, e->record.attr_version);
        walk_fixed(w, e->record.topological_nr);
        walk_fixed(w, e->version);
        e->record.grad_fn_meta = walk_copied_layout(w, e->record.grad_fn_meta);
        e->record.accumulator_meta = walk_copied_layout(w, e->record.accumulator_meta);
    }
}

static void walk_trace(WalkVisit *w, Capture *cap) {
    walk_fixed(w, cap->ntrace);
    if (!w->out) {
        cap->trace = arena_copy(w->arena, cap->trace, (int64_t)sizeof *cap->trace * cap->ntrace);
    }
    for (int i = 0; i < cap->ntrace; i++) {
        TraceEntry *e = &cap->trace[i];
        bool numbers =
            e->probe == PROBE_size || e->probe == PROBE_stride || e->probe == PROBE_storage_offset;
        walk_fixed(w, e->sid);
        walk_fixed(w, e->probe);
        walk_fixed(w, e->n);
        for (int k = 0; k < e->n; k++) {
            e->v[k] = numbers ? walk_number(w, e->v[k]) : e->v[k];
            walk_fixed(w, numbers ? 0 : e->v[k]);
        }
    }
}

static void walk_artifact_numbers(WalkVisit *w, const Compile *c, ExitTensor *exit) {
    Capture *cap = c->capture;
    walk_graph(w, c->graph);
    walk_returns(w, c->graph);
    walk_inputs(w, c->graph, c->capture);
    walk_fixed(w, cap->end);
    walk_fixed(w, cap->at);
    walk_fixed(w, cap->tape_size);
    walk_fixed(w, cap->nlive);
    walk_fixed(w, cap->nexported);
    for (int k = 0; k < cap->nexported; k++) {
        walk_fixed(w, cap->exported[k]);
        walk_fixed(w, cap->exported_as[k]);
    }
    walk_tape(w, cap);
    walk_exits(w, cap, exit);
    walk_trace(w, cap);
}

void walk_artifact(Numbers *out, const Compile *c, ExitTensor *exit) {
    WalkVisit w = {.out = out, .arena = out->arena};
    walk_artifact_numbers(&w, c, exit);
}

void write_artifact_numbers(const SymbolicNumber *number, const Compile *c, ExitTensor *exit,
                            Arena *arena) {
    WalkVisit w = {
        .next = number, .arena = arena, .stale_strides = fault(c, FAULT_GU_10) ? c : NULL};
    walk_artifact_numbers(&w, c, exit);
}
