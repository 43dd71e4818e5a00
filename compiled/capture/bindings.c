/* Bindings: what a name caches about its tensor.
 *
 * As a tracing compiler does, capture answers probes, assertions and branches from flags cached
 * when a name is bound, and so has to refresh them after everything that changes flags: a recorded
 * write, a bump of the version, requires_grad_, detach_. Such a change reaches every tensor on the
 * storage: the receiver under all its names, its base, older and sibling views. Only the decisions
 * of the capture depend on these copies; the autograd record (capture/autograd.c) is authoritative.
 */
#include "compiled/capture/capture.h"

#include <string.h>

static BindingFlags bindings_truth(const Var *v) {
    return (BindingFlags){cap_requires_grad(v), cap_has_grad_fn(v)};
}

/* Seeded fault RG_13: under no_grad nothing requires grad, so a view has the flag of a computed
 * value instead of its base's. */
bool capture_flag_by_mode(const Compile *c, const Var *v) {
    return v->base && v->creation_meta == CREATION_NO_GRAD && !v->requires_grad &&
           !v->grad_fn.node && cap_requires_grad(v->base) && fault_triggered(c, FAULT_RG_13);
}

static void remove_binding(Binding *h) {
    AliasClass *old = memory_of(&h->var->tensor);
    *(h->prev ? &h->prev->next : &old->bindings) = h->next;
    if (h->next) {
        h->next->prev = h->prev;
    }
}

void binding_clear(Capture *cap, NameId name) {
    Binding *h = &cap->binding[name];
    if (h->var) {
        remove_binding(h);
    }
    h->var = NULL;
    cap->env[name] = NULL;
}

static void insert_binding(Binding *h, AliasClass *cls) {
    h->prev = NULL;
    h->next = cls->bindings;
    if (h->next) {
        h->next->prev = h;
    }
    cls->bindings = h;
}

void binding_unlink(Capture *cap, const Var *v) {
    for (NameId id = 0; id < cap->program->nnames; id++) {
        if (cap->binding[id].var == v) {
            remove_binding(&cap->binding[id]);
        }
    }
}

void binding_link(Capture *cap, const Var *v) {
    for (NameId id = 0; id < cap->program->nnames; id++) {
        if (cap->binding[id].var == v) {
            insert_binding(&cap->binding[id], memory_of(&v->tensor));
        }
    }
}

void binding_set(Capture *cap, NameId name, Var *v) {
    binding_clear(cap, name);
    Binding *h = &cap->binding[name];
    h->var = v;
    h->flags = bindings_truth(v);
    if (fault(cap->c, FAULT_RG_13) && capture_flag_by_mode(cap->c, v)) {
        h->flags.requires_grad = false;
    }
    h->branch_requires_grad = h->flags.requires_grad;
    insert_binding(h, memory_of(&v->tensor));
    cap->env[name] = &v->tensor;
}

static void binding_bring_up_to_date(Binding *h) {
    h->flags = bindings_truth(h->var);
    h->branch_requires_grad = h->flags.requires_grad;
}

/* After set_ a base may be on other memory than its view. */
static void binding_renew_elsewhere(Capture *cap, const Var *receiver) {
    for (NameId id = 0; cap->sets && id < cap->program->nnames; id++) {
        Binding *h = &cap->binding[id];
        if (h->var && memory_of(&h->var->tensor) != memory_of(&receiver->tensor)) {
            binding_bring_up_to_date(h);
        }
    }
}

void binding_renew(Capture *cap, const Var *receiver) {
    for (Binding *h = memory_of(&receiver->tensor)->bindings; h; h = h->next) {
        binding_bring_up_to_date(h);
    }
    binding_renew_elsewhere(cap, receiver);
}

bool binding_is_fresh(const Binding *h) {
    BindingFlags now = bindings_truth(h->var);
    return h->flags.requires_grad == now.requires_grad && h->flags.has_grad_fn == now.has_grad_fn &&
           h->branch_requires_grad == now.requires_grad;
}

/* ---- seeded faults ---- */

/* Is the statement written as a function call or with keywords in the program's shell? */
static bool spelled_as_function(const Capture *cap, const Stmt *stmt) {
    const PythonSurface *surface = cap->program->surface;
    const char *path = surface ? program_path(cap->arena, cap->program, stmt->sid) : NULL;
    int style = surface ? choice_at(&surface->call_styles, path) : -1;
    return style == STYLE_function || style == STYLE_kwargs;
}

/* setitem by a basic index with a slice in it, or copy_ through a view. */
static bool assigns_slice(const Stmt *stmt, const Var *receiver) {
    if (stmt->op->id == OP_copy_) {
        return receiver->base != NULL;
    }
    if (stmt->op->id != OP_setitem) {
        return false;
    }
    bool slice = false;
    const PArg *index = &stmt->arg[1];
    for (int i = 0; i < index->index.n; i++) {
        IndexKind kind = index->index.v[i].kind;
        if (kind == INDEX_TENSOR || kind == INDEX_LIST || kind == INDEX_BOOL) {
            return false;
        }
        slice |= kind == INDEX_SLICE;
    }
    return slice;
}

/* The seeded fault that leaves this binding stale, or FAULT_NONE. */
static FaultId forgotten(const Capture *cap, const Stmt *stmt, const Var *receiver,
                         const Binding *h) {
    const Compile *c = cap->c;
    if (fault(c, FAULT_RG_1) && stmt->op->id == OP_setitem) {
        return FAULT_RG_1;
    }
    if (fault(c, FAULT_RG_1a) && receiver->base && h->var == receiver->base) {
        return FAULT_RG_1a;
    }
    if (fault(c, FAULT_RG_1b) && h->var != receiver && h->var->base &&
        (h->var->base == receiver || h->var->base == receiver->base)) {
        return FAULT_RG_1b;
    }
    if (fault(c, FAULT_RG_1c) && h->var == receiver && h != &cap->binding[stmt->arg[0].tensor]) {
        return FAULT_RG_1c;
    }
    if (fault(c, FAULT_RG_1d) && h->var == receiver && stmt->op->kind != KIND_META &&
        spelled_as_function(cap, stmt)) {
        return FAULT_RG_1d;
    }
    return FAULT_NONE;
}

void binding_refresh(Capture *cap, const Stmt *stmt, const Var *receiver) {
    const Compile *c = cap->c;
    bool branches_too = !(fault(c, FAULT_RG_2) && assigns_slice(stmt, receiver));
    bool faulty = c->options->fault != FAULT_NONE;
    for (Binding *h = memory_of(&receiver->tensor)->bindings; h; h = h->next) {
        BindingFlags now = bindings_truth(h->var);
        FaultId by = faulty ? forgotten(cap, stmt, receiver, h) : FAULT_NONE;
        if (by != FAULT_NONE) {
            if (h->flags.requires_grad != now.requires_grad ||
                h->flags.has_grad_fn != now.has_grad_fn) {
                (void)fault_triggered(c, by);
            }
            continue;
        }
        h->flags = now;
        if (branches_too) {
            h->branch_requires_grad = now.requires_grad;
        } else if (h->branch_requires_grad != now.requires_grad) {
            (void)fault_triggered(c, FAULT_RG_2);
        }
    }
    binding_renew_elsewhere(cap, receiver);
}
