/* What outlives a captured region: the entries, the tensors whose names the next region needs, and
 * the bases of those that are views; which of them may receive a gradient; and what the region
 * leaves of each. */
#include "compiled/capture/capture.h"
#include "program/lang/uses.h"

#include <string.h>

void capture_return_plan(ReturnPlan *ret, const Var *v) {
    const AliasClass *cls = memory_of(&v->tensor);
    ret->aliases_input = cls->input >= 0;
    ret->storage = cls->input;
    ret->cls = cls->number;
    ret->value = cls->buffer;
    layout_copy(&ret->layout, &v->tensor);
    ret->layout.storage = NULL;
    ret->requires_grad = cap_requires_grad(v);
    ret->is_leaf = !v->grad_fn.node;
    ret->grad = v->program_grad && (ret->is_leaf || v->retains_grad) ? v->program_grad->node : NULL;
}

/* ---- seeded faults in what is returned ---- */

/* Seeded fault MU_1: what no_grad wrote to a leaf is copied back in the grad mode of the call, and
 * is refused there. */
ErrCode capture_write_back_mode(Capture *cap) {
    if (!fault(cap->c, FAULT_MU_1) || !cap->grad_mode) {
        return ERR_none;
    }
    for (int i = 0; i < cap->graph->n; i++) {
        const Node *n = cap->graph->node[i];
        for (int k = 0; n->kind == NODE_WRITE && k < cap->in.n; k++) {
            const Var *v = &cap->entry[k];
            if (alias_class_of(&v->tensor)->number == n->cls && v->requires_grad &&
                !v->grad_fn.node && fault_triggered(cap->c, FAULT_MU_1)) {
                return error_set(&cap->err, ERR_leaf_inplace,
                                 "a leaf that requires grad is used in an in-place operation");
            }
        }
    }
    return ERR_none;
}

static void forget_history(Var *v, ReturnPlan *ret) {
    v->requires_grad = false;
    v->grad_fn = (Edge){NULL, 0};
    v->base = NULL;
    capture_return_plan(ret, v);
}

static bool entries_require_grad(const Capture *cap) {
    for (int i = 0; i < cap->in.n; i++) {
        if (cap->in.entry[i].record.requires_grad || cap->in.entry[i].has_grad_fn) {
            return true;
        }
    }
    return false;
}

/* Seeded faults: the graph is taken for one that needs no backward, so that what it computes comes
 * back without a history. RG_5: the grad mode of the call decides, enable_grad inside is not
 * looked for. RG_7a: the inputs decide, a leaf made inside does not count. */
static FaultId forward_only(const Capture *cap) {
    const Compile *c = cap->c;
    if (fault(c, FAULT_RG_5) && !cap->in.grad_mode) {
        return FAULT_RG_5;
    }
    return fault(c, FAULT_RG_7a) && !entries_require_grad(cap) ? FAULT_RG_7a : FAULT_NONE;
}

/* Seeded fault RG_8: returns of one buffer and layout share one wrapper. True if another return
 * shares that of return k, and is detached: its flag wins. */
static bool shares_detached_wrapper(const Capture *cap, const ReturnPlan *ret, int k) {
    for (int j = 0; j < cap->program->nreturns; j++) {
        if (cap->ret[j] != cap->ret[k] && ret[j].cls == ret[k].cls && !ret[j].requires_grad &&
            ret[j].layout.dtype == ret[k].layout.dtype &&
            tensor_same_layout(&ret[j].layout, &ret[k].layout)) {
            return true;
        }
    }
    return false;
}

/* Seeded fault AL_12: the view is made again of the input as it is in the end, which set_ has put
 * on other memory. */
static void replay_on_base(const Capture *cap, ReturnPlan *ret, const Var *v) {
    int64_t extent;
    const Var *base = v->base;
    if (!fault(cap->c, FAULT_AL_12) || !base || base->entry < 0 ||
        memory_of(&base->tensor) == memory_of(&v->tensor) || tensor_numel(&v->tensor) == 0 ||
        base->tensor.dtype != v->tensor.dtype || !tensor_extent(&v->tensor, &extent)) {
        return;
    }
    const AliasClass *cls = memory_of(&base->tensor);
    if (cls->storage.dtype == v->tensor.dtype && extent <= cls->storage.numel &&
        fault_triggered(cap->c, FAULT_AL_12)) {
        ret->aliases_input = true;
        ret->storage = cls->input;
        ret->cls = cls->number;
        ret->value = cls->buffer;
    }
}

/* The seeded faults that return a computed tensor without its history. */
void capture_returns_forget(Capture *cap, ReturnPlan *ret) {
    const Compile *c = cap->c;
    FaultId by = forward_only(cap);
    for (int k = 0; k < cap->program->nreturns; k++) {
        Var *v = cap->ret[k];
        replay_on_base(cap, &ret[k], v);
        if (fault(c, FAULT_RG_13) && ret[k].requires_grad && capture_flag_by_mode(c, v)) {
            ret[k].requires_grad = false;
        }
        if (ret[k].aliases_input || !ret[k].requires_grad) {
            continue;
        }
        if (by != FAULT_NONE && v->grad_fn.node && fault_triggered(c, by)) {
            forget_history(v, &ret[k]);
        } else if (fault(c, FAULT_RG_8) && shares_detached_wrapper(cap, ret, k) &&
                   fault_triggered(c, FAULT_RG_8)) {
            forget_history(v, &ret[k]);
        }
    }
}

/* ---- exports ---- */

static int live_index(Capture *cap, Var *v) {
    for (int i = 0; i < cap->nlive; i++) {
        if (cap->live[i] == v) {
            return i;
        }
    }
    cap->live[cap->nlive] = v;
    return cap->nlive++;
}

static void export_name(Capture *cap, NameId name) {
    for (int k = 0; k < cap->nexported; k++) {
        if (cap->exported[k] == name) {
            return;
        }
    }
    Var *v = (Var *)cap->env[name];
    cap->exported[cap->nexported] = name;
    cap->exported_as[cap->nexported++] = v ? live_index(cap, v) : -1;
}

typedef struct Needed {
    bool *name; /* by NameId */
} Needed;

static void needs_name(void *user, NameId *name, Use use) {
    if (use != USE_BIND) {
        ((Needed *)user)->name[*name] = true;
    }
}

/* Names that statements behind `sid` mention. */
static void needed_behind(const Block *block, int sid, Needed *needed) {
    for (Stmt *s = block->first; s; s = s->next) {
        if (s->sid > sid) {
            stmt_uses(s, needs_name, needed);
        }
        needed_behind(&s->body, sid, needed);
        needed_behind(&s->orelse, sid, needed);
    }
}

/* What the body needs behind the graph_break. */
static void export_names_needed(Capture *cap) {
    const Program *p = cap->program;
    Needed needed = {arena_array(cap->arena, bool, p->nnames)};
    cap->exported = arena_array(cap->arena, NameId, p->nnames + 1);
    cap->exported_as = arena_array(cap->arena, int, p->nnames + 1);
    if (cap->in.after) {
        needed_behind(&p->after, cap->at - 1, &needed); /* with the backward statement */
    } else if (cap->at != AFTER) {
        needed_behind(&p->body, cap->at, &needed);
    }
    for (int k = 0; k < p->nreturns; k++) {
        needed.name[p->returns[k]] = true;
    }
    for (NameId id = 0; id < p->nnames; id++) {
        if (needed.name[id] && cap->env[id]) {
            export_name(cap, id);
        }
    }
}

/* What is passed to the function, and whatever flags will be set of. */
static void export_arguments(Capture *cap) {
    const Program *p = cap->program;
    int most = program_nargs(p);
    for (int k = 0; k < p->nrecalls; k++) {
        most += p->recalls[k].nset;
    }
    cap->exported = arena_array(cap->arena, NameId, most + 1);
    cap->exported_as = arena_array(cap->arena, int, most + 1);
    for (int i = 0; i < program_nargs(p); i++) {
        export_name(cap, program_arg(p, i));
    }
    for (int k = 0; k < p->nrecalls; k++) {
        for (int i = 0; i < p->recalls[k].nset; i++) {
            export_name(cap, p->recalls[k].set[i].name);
        }
    }
}

/* A region that is followed by another exports the tensors whose names it needs, and the bases of
 * those that are views; no grad_fn is materialized. */
static void capture_exports(Capture *cap) {
    (cap->in.setup ? export_arguments : export_names_needed)(cap);
    for (int i = 0; i < cap->nlive; i++) {
        if (cap->live[i]->base) {
            (void)live_index(cap, cap->live[i]->base);
        }
    }
    Graph *g = cap->graph;
    capture_adopt(cap);
    g->nret = cap->nlive - cap->in.n;
    g->ret = arena_array(cap->arena, ReturnPlan, g->nret);
    for (int k = 0; k < g->nret; k++) {
        capture_return_plan(&g->ret[k], cap->live[cap->in.n + k]);
    }
}

void capture_live_tensors(Capture *cap) {
    const CaptureInput *in = &cap->in;
    int most = in->n;
    if (in->setup || cap->end == END_BREAK) {
        most += 2 * cap->program->nnames;
    }
    cap->live = arena_array(cap->arena, Var *, most);
    for (int i = 0; i < in->n; i++) {
        cap->live[cap->nlive++] = &cap->entry[i];
    }
    if ((in->setup && cap->end == END_OK) || cap->end == END_BREAK) {
        capture_exports(cap);
    }
    Graph *g = cap->graph;
    bool outer = false;
    capture_adopt(cap);
    for (int i = 0; i < in->n; i++) {
        outer |= in->entry[i].has_grad_fn;
    }
    for (int k = 0; k < cap->ncounters; k++) {
        g->version[k] = cap->counter[k]->version;
    }
    g->ninp = cap->nlive + (outer ? in->n : 0);
    g->inp = arena_array(cap->arena, InputPlan, g->ninp);
    for (int i = 0; i < g->ninp; i++) {
        bool second = i >= cap->nlive;
        g->inp[i] = (InputPlan){
            .name = NAME_NONE, .external = second, .grad_state = second ? GRAD_ABSENT : GRAD_NULL};
        if (!second && cap->live[i]->program_grad &&
            !in->resumed) { /* by a gradient inside the program */
            g->inp[i].grad = cap->live[i]->program_grad->node;
            g->inp[i].grad_state = GRAD_VALUE;
        }
    }
    for (int k = 0; k < in->nname; k++) {
        g->inp[in->named[k]].name = in->name[k];
        if (outer) {
            g->inp[cap->nlive + in->named[k]].name = in->name[k];
        }
    }
}

/* ---- exit records ---- */

/* Seeded fault MU_3: no result of the region requires grad, so it is compiled for inference: its
 * kernel writes inputs that require grad itself, and autograd does not learn of the writes. Only of
 * storages all of whose tensors have a grad_fn of an earlier region. */
static bool write_is_unrecorded(const Capture *cap, const AliasClass *cls) {
    bool rebased = false;
    if (!fault(cap->c, FAULT_MU_3) || cap->in.setup || cap->in.resumed || cls->input < 0 ||
        alias_class_whole(cls)->storage.version == 0 || cap->sets ||
        (cap->end != END_OK && cap->end != END_BREAK)) {
        return false;
    }
    for (int k = 0; k < cap->graph->nret; k++) {
        if (cap->graph->ret[k].requires_grad) {
            return false;
        }
    }
    for (int i = 0; i < cap->in.n; i++) {
        if (alias_class_of(&cap->entry[i].tensor) == cls) {
            const GradNode *to = cap->entry[i].grad_fn.node;
            if (!cap->external[i] || !to) {
                return false;
            }
            rebased |= to->kind != GRAD_NODE_EXTERNAL;
        }
    }
    return rebased;
}

static void forget_write(const Capture *cap, int i, ExitTensor *e) {
    const AliasClass *cls = alias_class_of(&cap->live[i]->tensor);
    if (i < cap->in.n && write_is_unrecorded(cap, cls) && fault_triggered(cap->c, FAULT_MU_3)) {
        e->grad_fn = EXIT_GRAD_FN_UNCHANGED;
        e->record = cap->in.entry[i].record;
        cap->graph->version[capture_counter(cap, &cls->storage)] = 0;
    }
}

ExitTensor *capture_exit(Capture *cap) {
    ExitTensor *exit = arena_alloc_raw(cap->arena, (int64_t)sizeof *exit * cap->nlive);
    for (int i = 0; i < cap->nlive; i++) {
        const Var *v = cap->live[i];
        const GradNode *to = v->grad_fn.node;
        ExitTensor *e = &exit[i];
        memset(&e->record, 0, sizeof *e - offsetof(ExitTensor, record));
        layout_copy(&e->layout, &v->tensor);
        e->layout.storage = NULL;
        e->record = (TensorRecord){.requires_grad = v->requires_grad,
                                   .creation_meta = v->creation_meta,
                                   .attr_version = v->attr_version,
                                   .hooks = capture_hook_names(cap, v->hooks, false),
                                   .post_hooks = capture_hook_names(cap, v->post_hooks, false)};
        e->grad_fn = !to                              ? EXIT_GRAD_FN_NONE
                     : to->kind == GRAD_NODE_EXTERNAL ? EXIT_GRAD_FN_UNCHANGED
                                                      : EXIT_GRAD_FN_NEW;
        e->number = to ? to->number : 0;
        e->nr = v->grad_fn.nr;
        if (e->grad_fn == EXIT_GRAD_FN_NEW) {
            e->record.topological_nr =
                cap->takes_gradients ? backward_topological_nr(cap, v->grad_fn.node) : 0;
            e->record.grad_fn_meta =
                arena_copy(cap->arena, cap_edge_meta(v->grad_fn), (int64_t)sizeof(Tensor));
        }
        if (v->accumulator) {
            e->record.accumulator_meta = arena_copy(
                cap->arena, cap_edge_meta((Edge){v->accumulator, 0}), (int64_t)sizeof(Tensor));
        }
        e->base = v->base ? live_index(cap, v->base) : -1;
        e->version = *storage_version(v->tensor.storage);
        e->resets_accumulator = v->resets_accumulator;
        forget_write(cap, i, e);
    }
    return exit;
}

void capture_exit_regenerated(const Capture *cap, ExitTensor *exit) {
    for (int i = 0; i < cap->nlive; i++) {
        const GradNode *to = cap->live[i]->grad_fn.node;
        exit[i].regenerated =
            to && (exit[i].grad_fn == EXIT_GRAD_FN_NONE || to->number != exit[i].number);
    }
}
