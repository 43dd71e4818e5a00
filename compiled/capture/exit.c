/* What outlives a captured region: its objects (the entries, then the tensors that names of the
 * next region need, and the bases of those that are views), who among them may receive a gradient,
 * and what the region leaves of each. */
#include "compiled/capture/capture.h"
#include "program/lang/uses.h"

#include <string.h>

void capture_return_plan(ReturnPlan *ret, const Var *v) {
    const AliasClass *cls = alias_class_of(&v->t);
    ret->aliases_input = cls->input >= 0;
    ret->storage = cls->input;
    ret->cls = cls->number;
    ret->value = cls->buffer;
    layout_copy(&ret->layout, &v->t);
    ret->layout.storage = NULL;
    ret->requires_grad = cap_requires_grad(v);
    ret->is_leaf = !v->history.to;
    ret->grad = v->gathered && (ret->is_leaf || v->retains_grad) ? v->gathered->node : NULL;
}

/* ---- what the next region takes up ---- */

static int object_place(Capture *cap, Var *v) {
    for (int i = 0; i < cap->nobject; i++) {
        if (cap->object[i] == v) {
            return i;
        }
    }
    cap->object[cap->nobject] = v;
    return cap->nobject++;
}

static void export_name(Capture *cap, NameId name) {
    for (int k = 0; k < cap->nexported; k++) {
        if (cap->exported[k] == name) {
            return;
        }
    }
    Var *v = (Var *)cap->env[name];
    cap->exported[cap->nexported] = name;
    cap->exported_as[cap->nexported++] = v ? object_place(cap, v) : -1;
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
    needed_behind(&p->body, cap->at, &needed);
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

/* A region that others follow leaves the tensors whose names they need, and the bases of those that
 * are views; their histories are not asked. */
static void capture_exports(Capture *cap) {
    (cap->in.setup ? export_arguments : export_names_needed)(cap);
    for (int i = 0; i < cap->nobject; i++) {
        if (cap->object[i]->base) {
            (void)object_place(cap, cap->object[i]->base);
        }
    }
    Graph *g = cap->graph;
    g->nret = cap->nobject - cap->in.n;
    g->ret = arena_array(cap->arena, ReturnPlan, g->nret);
    for (int k = 0; k < g->nret; k++) {
        capture_return_plan(&g->ret[k], cap->object[cap->in.n + k]);
    }
}

void capture_objects(Capture *cap) {
    const CaptureInput *in = &cap->in;
    int most = in->n;
    if (in->setup || cap->end == END_BREAK) {
        most += 2 * cap->program->nnames;
    }
    cap->object = arena_array(cap->arena, Var *, most);
    for (int i = 0; i < in->n; i++) {
        cap->object[cap->nobject++] = &cap->input[i];
    }
    if ((in->setup && cap->end == END_OK) || cap->end == END_BREAK) {
        capture_exports(cap);
    }
    Graph *g = cap->graph;
    bool outer = false;
    for (int i = 0; i < in->n; i++) {
        outer |= in->entry[i].has_history;
        g->version[alias_class_of(&cap->input[i].t)->input] = cap->input[i].t.storage->version;
    }
    g->ninp = cap->nobject + (outer ? in->n : 0);
    g->inp = arena_array(cap->arena, InputPlan, g->ninp);
    for (int i = 0; i < g->ninp; i++) {
        bool second = i >= cap->nobject;
        g->inp[i] = (InputPlan){
            .name = NAME_NONE, .outer = second, .grad_state = second ? GRAD_ABSENT : GRAD_NULL};
        if (!second && cap->object[i]->gathered &&
            !in->later) { /* by a gradient inside the program */
            g->inp[i].grad = cap->object[i]->gathered->node;
            g->inp[i].grad_state = GRAD_VALUE;
        }
    }
    for (int k = 0; k < in->nname; k++) {
        g->inp[in->named[k]].name = in->name[k];
        if (outer) {
            g->inp[cap->nobject + in->named[k]].name = in->name[k];
        }
    }
}

/* ---- as the region leaves them ---- */

ExitTensor *capture_exit(Capture *cap) {
    ExitTensor *exit = arena_alloc_raw(cap->arena, (int64_t)sizeof *exit * cap->nobject);
    for (int i = 0; i < cap->nobject; i++) {
        const Var *v = cap->object[i];
        const GradNode *to = v->history.to;
        ExitTensor *e = &exit[i];
        memset(&e->record, 0, sizeof *e - offsetof(ExitTensor, record));
        layout_copy(&e->layout, &v->t);
        e->layout.storage = NULL;
        e->record = (TensorRecord){.requires_grad = v->requires_grad,
                                   .creation_meta = v->creation_meta,
                                   .attr_version = v->attr_version};
        e->history = !to                              ? HISTORY_NONE
                     : to->kind == GRAD_NODE_EXTERNAL ? HISTORY_AS_BEFORE
                                                      : HISTORY_OF_REGION;
        e->number = to ? to->number : 0;
        e->nr = v->history.nr;
        if (e->history == HISTORY_OF_REGION) {
            e->record.topological_nr =
                cap->takes_gradients ? topological_nr_of(cap, v->history.to) : 0;
            e->record.history_meta =
                arena_copy(cap->arena, cap_edge_meta(v->history), (int64_t)sizeof(Tensor));
        }
        if (v->accumulator) {
            e->record.leaf_meta = arena_copy(cap->arena, cap_edge_meta((Edge){v->accumulator, 0}),
                                             (int64_t)sizeof(Tensor));
        }
        e->base = v->base ? object_place(cap, v->base) : -1;
        e->version = v->t.storage->version;
    }
    return exit;
}

void capture_exit_remade(const Capture *cap, ExitTensor *exit) {
    for (int i = 0; i < cap->nobject; i++) {
        const GradNode *to = cap->object[i]->history.to;
        exit[i].remade = to && (exit[i].history == HISTORY_NONE || to->number != exit[i].number);
    }
}
