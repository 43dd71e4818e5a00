/* What a statement does to the variables and to the guesses.
 *
 * A statement is bound and inferred (stmt_bind, emit_call over MetaEmit) before it is appended. A
 * hook on the Emit records which tensors alias which, also inside compositions, so that every
 * variable knows its storage and its autograd base. */
#include "fuzz/generate/tensors.h"

#include <math.h>

static GenVar *find_tensor(Gen *g, const Tensor *t) {
    for (int i = g->nvars - 1; i >= 0; i--) {
        if (g->var[i].t == t) {
            return &g->var[i];
        }
    }
    return NULL;
}

/* Where an output came from: walks aliases back to a variable. */
typedef struct StateOrigin {
    GenVar *var; /* NULL: fresh */
    bool view, multi, detached;
} StateOrigin;

static StateOrigin origin_of(Gen *g, const Tensor *out) {
    StateOrigin o = {NULL, false, false, false};
    const Tensor *at = out;
    for (int i = g->nmade - 1; i >= 0; i--) {
        const Made *made = &g->made[i];
        if (made->out != at) {
            continue;
        }
        if (made->parent == NULL) {
            return o;
        }
        o.view = o.view || made->view;
        o.detached = o.detached || !made->view;
        o.multi = o.multi || made->multi;
        at = made->parent;
        if (at == out) {
            break;
        }
    }
    o.var = find_tensor(g, at);
    return o;
}

/* Nothing is known of the values any more. */
static void range_forget(Data *data) {
    data->lo = -INFINITY;
    data->hi = INFINITY;
    data->bits = BITS_INEXACT;
    data->trues = -1;
    data->unique = data->uniform = false;
}

/* Visits the variables that the statement reads; true if one of the floating ones requires grad. */
static bool note_reads(Gen *g, const Stmt *s) {
    bool requires_grad = false;
    g->reads = 0;
    for (int k = 0; k < s->op->nparam; k++) {
        const PArg *a = &s->arg[k];
        if (!a->given || a->is_none) {
            continue;
        }
        ArgType type = s->op->param[k].type;
        GenVar *v = arg_var(g, s, k);
        if (v != NULL) {
            v->spent = true;
            g->reads |= g->base[v->base].from;
            requires_grad = requires_grad || gen_var_requires_grad(g, v);
        } else if (type == ARG_TENSORS || type == ARG_TENSORS_OPT) {
            for (int i = 0; i < a->tensors.n; i++) {
                v = a->tensors.v[i] == NAME_NONE ? NULL : gen_find(g, a->tensors.v[i]);
                if (v != NULL) {
                    v->spent = true;
                    g->reads |= g->base[v->base].from;
                    requires_grad = requires_grad || gen_var_requires_grad(g, v);
                }
            }
        } else if (type == ARG_INDEX) {
            for (int i = 0; i < a->index.n; i++) {
                v = a->index.v[i].kind == INDEX_TENSOR ? gen_find(g, a->index.v[i].tensor) : NULL;
                if (v != NULL) {
                    v->spent = true;
                }
            }
        }
    }
    return requires_grad;
}

/* Marks the data whose versions a backward will check. */
static void note_saved(Gen *g, const Stmt *s, const Call *call) {
    Call form = *call;
    if (form.op->kind == KIND_INPLACE) {
        form.op = op_info(form.op->twin); /* the same parameters */
    }
    const OpInfo *op = form.op;
    if (op->out_dtype != OUT_NOT) { /* never recorded */
        return;
    }
    if (op->kind != KIND_POINTWISE && op->kind != KIND_FUNC && op->kind != KIND_COMPOSITE) {
        return;
    }
    Tensor *slot[MAX_SLOTS];
    int n = call_slots(&form, slot);
    bool needs[MAX_SLOTS];
    GenVar *var[MAX_SLOTS];
    for (int i = 0; i < n; i++) {
        var[i] = slot[i] == NULL ? NULL : find_tensor(g, slot[i]);
        needs[i] = var[i] != NULL && gen_var_requires_grad(g, var[i]);
    }
    for (int i = 0; i < n; i++) {
        if (var[i] == NULL) {
            continue;
        }
        bool saved;
        if (op->kind == KIND_COMPOSITE) {
            saved = op->nparam == 2 && op->param[1].type == ARG_TENSOR; /* matmul: both factors */
        } else {
            saved = call_saves_slot(&form, i, needs);
        }
        if (saved && !(s->op->kind == KIND_INPLACE && i == 0)) {
            g->data[var[i]->data].saved = true;
        }
    }
}

/* An in-place op refuses operands that share memory with self, except (pointwise) self as it is. */
static bool operands_overlap(Gen *g, const Stmt *s) {
    const GenVar *self = arg_var(g, s, 0);
    const OpInfo *twin = op_form(s->op);
    for (int k = 1; k < s->op->nparam && self != NULL; k++) {
        const GenVar *v = arg_var(g, s, k);
        if (v != NULL && v->data == self->data &&
            !(twin->kind == KIND_POINTWISE && tensor_same_layout(v->t, self->t))) {
            return true;
        }
    }
    return false;
}

static bool any_tensor_given(const Stmt *s) {
    for (int k = 0; k < s->op->nparam; k++) {
        if (s->arg[k].given && s->arg[k].is_tensor) {
            return true;
        }
    }
    return false;
}

/* The geometry that an in-place view gives its tensor; NULL: refused. */
static Tensor *new_geometry(Gen *g, const Call *call) {
    Call view = *call;
    view.op = op_info(call->op->twin);
    Infer r = {.arena = g->arena, .err = &g->err};
    return view.op->infer(&view, &r) == ERR_none ? r.out : NULL;
}

/* An in-place view: other sizes under all names of the tensor. The untaken arm of a branch changes
 * nothing. */
static void apply_geometry(Gen *g, const Tensor *old, Tensor *t) {
    t = g->untaken ? NULL : t;
    for (int i = 0; i < g->nvars && t != NULL; i++) {
        GenVar *v = &g->var[i];
        if (v->t == old) {
            v->t = t;
            if (!v->dead) {
                g->env[v->name] = v->t;
            }
        }
    }
}

/* set_: all names of the tensor are now on the memory that holds `data`. */
static void apply_memory(Gen *g, const Tensor *t, int data) {
    for (int i = 0; i < g->nvars && !g->untaken; i++) {
        g->var[i].data = g->var[i].t == t ? data : g->var[i].data;
    }
}

static GenVar *apply_write(Gen *g, const Stmt *s, const Call *call, Tensor *result,
                           bool requires_grad, NameId out) {
    GenVar *self = gen_find(g, s->arg[0].tensor);
    requires_grad &= s->op->out_dtype == OUT_NOT;
    bool resizes = s->op->kind == KIND_STORAGE ||
                   (s->op->out_dtype != OUT_NOT && !tensor_same_size(self->t, result));
    if (resizes) {
        apply_geometry(g, call->arg[0].tensor, result);
        self = gen_find(g, s->arg[0].tensor);
        if (op_sets_storage(s->op)) {
            apply_memory(g, self->t, gen_find(g, s->arg[1].tensor)->data);
        }
        Data *data = &g->data[self->data];
        if (s->op->id != OP_set__source_Tensor) {
            range_forget(data);
        }
        data->numel = data->numel > tensor_numel(self->t) ? data->numel : tensor_numel(self->t);
    }
    Base *base = &g->base[self->base];
    if (s->op->kind == KIND_META) {
        if (s->op->id == OP_detach_) {
            base->requires_grad = false;
            base->leaf = true;
        } else if (s->op->id == OP_requires_grad_) {
            base->requires_grad = call->arg[1].b;
        }
    } else if (s->op->kind == KIND_STORAGE) {
        /* all that is known is forgotten */
        if (op_sets_storage(s->op) && g->grad && requires_grad) { /* without a derivative */
            base->requires_grad = true;
            base->leaf = false;
            base->from |= g->reads;
        }
    } else if (s->op->kind == KIND_INPLACE_VIEW) {
        apply_geometry(g, call->arg[0].tensor, new_geometry(g, call));
    } else {
        Data held = range_result(g, s, call, self->t);
        Data *data = &g->data[self->data];
        data->lo = fmin(data->lo, held.lo);
        data->hi = fmax(data->hi, held.hi);
        data->bits = data->bits > held.bits ? data->bits : held.bits;
        data->uniform = data->uniform && held.uniform && tensor_numel(self->t) == data->numel;
        data->unique = false;
        data->trues = -1;
        if (g->grad && requires_grad && dtype_is_float(self->t->dtype)) {
            base->requires_grad = true;
            base->leaf = false;
            base->from |= g->reads;
        }
    }
    if (out != NAME_NONE) {
        GenVar copy = *self;
        GenVar *v = gen_var(g, out, self->t, copy.data, copy.base);
        v->view = copy.view;
        v->multi = copy.multi;
        v->no_grad = copy.no_grad;
        return v;
    }
    return self;
}

static GenVar *bind_output(Gen *g, const Stmt *s, const Call *call, Tensor *t, NameId name,
                           bool requires_grad, bool fuzzy) {
    StateOrigin o = origin_of(g, t);
    GenVar *v;
    if (o.var != NULL) {
        GenVar from = *o.var;
        if (s->op->kind == KIND_STORAGE) {
            range_forget(&g->data[from.data]);
        }
        int base = o.detached ? gen_base(g, false, true) : from.base;
        v = gen_var(g, name, t, from.data, base);
        if (!o.detached) {
            v->view = from.view || o.view;
            v->multi = from.multi || (o.multi && g->grad);
            v->no_grad = from.no_grad || (o.view && !g->grad);
        }
        v->fuzzy = from.fuzzy || fuzzy;
        return v;
    }
    bool recorded =
        g->grad && requires_grad && s->op->kind != KIND_FACTORY && dtype_is_float(t->dtype);
    bool leaf_grad = s->op->kind == KIND_FACTORY && s->requires_grad;
    Data held = range_result(g, s, call, t);
    int data = gen_data(g, held.lo, held.hi, held.bits, tensor_numel(t));
    g->data[data].unique = held.unique;
    g->data[data].uniform = held.uniform || tensor_numel(t) <= 1;
    if (recorded && (s->op->kind == KIND_POINTWISE || s->op->kind == KIND_FUNC)) {
        g->data[data].saved = op_saves_result(call, (bool[MAX_SLOTS]){true, true, true, true});
    }
    v = gen_var(g, name, t, data, gen_base(g, recorded || leaf_grad, !recorded));
    g->base[v->base].from |= recorded ? g->reads : 0;
    v->fuzzy = fuzzy;
    return v;
}

/* Does an operand of an op that is refused where something is recorded require grad? */
static bool forbids_grad(Gen *g, const Stmt *s) {
    bool met = false;
    for (int k = 0; k < s->op->nparam && s->op->out_dtype != OUT_NOT && op_form(s->op)->grad; k++) {
        const GenVar *v = arg_var(g, s, k);
        met |= v != NULL && gen_var_requires_grad(g, v);
        ArgType type = s->op->param[k].type;
        for (int i = 0; type == ARG_TENSORS && i < s->arg[k].tensors.n; i++) {
            v = gen_find(g, s->arg[k].tensors.v[i]);
            met |= v != NULL && gen_var_requires_grad(g, v);
        }
    }
    return met;
}

GenVar *stmt_commit(Gen *g, Stmt *s, NameId out) {
    Call call;
    Tensor *result[MAX_OUTPUTS];
    int n = 0;
    if (!gen_room(g) || !gen_allows(g, s->op->id)) {
        return NULL;
    }
    g->err.code = ERR_none;
    g->nmade = 0;
    g->fuzzy = false;
    if (stmt_bind(s, g->p, g->env, g->arena, &call, &g->err) != ERR_none ||
        emit_call(&g->meta.emit, &call, result, &n) != ERR_none) {
        return NULL;
    }
    const OpInfo *op = s->op;
    bool writes = op->nparam > 0 && op->param[0].writes;
    DType to = writes ? g->env[s->arg[0].tensor]->dtype : n > 0 ? result[0]->dtype : DT_bool;
    Stmt form = stmt_form(s);
    if (dtype_category(to) == CAT_INT && any_tensor_given(s) && !range_cast_fits(g, &form, to)) {
        return NULL;
    }
    if (writes && operands_overlap(g, s) && !draw_chance(g, 5)) {
        return NULL;
    }
    if (op->kind == KIND_INPLACE_VIEW) {
        const Tensor *t = new_geometry(g, &call);
        if (t != NULL && tensor_numel(t) > g->most) {
            return NULL;
        }
    } else if (op->kind == KIND_STORAGE || op->out_dtype != OUT_NOT) {
        if (n < 1 || tensor_numel(result[0]) > g->most ||
            (g->grad && forbids_grad(g, s) && !draw_chance(g, 5))) {
            return NULL;
        }
    } else if (!writes) {
        if (n < 1 || n > 9) {
            return NULL;
        }
        for (int i = 0; i < n; i++) {
            if (tensor_numel(result[i]) > g->most) {
                return NULL;
            }
        }
    }
    if (op->summed_size && g->options->max_elements > 0) {
        return NULL;
    }
    stmt_append(g, s);
    bool requires_grad = note_reads(g, s);
    if (g->grad && requires_grad) {
        note_saved(g, s, &call);
    }
    if (writes) {
        if (out != NAME_NONE && op->nreturn != 0) {
            s->nout = s->op->nreturn > 1 ? s->op->nreturn : 1;
            s->out = arena_array(g->arena, NameId, 1);
            s->out[0] = out;
        } else {
            out = NAME_NONE;
        }
        return apply_write(g, s, &call, n > 0 ? result[0] : NULL, requires_grad, out);
    }
    s->nout = n;
    s->out_list = op->nreturn != 1;
    s->out = arena_array(g->arena, NameId, n);
    bool fuzzy = g->fuzzy || op->summed_size;
    GenVar *first = NULL;
    for (int i = 0; i < n; i++) {
        s->out[i] = i == 0 && out != NAME_NONE ? out : gen_fresh_name(g);
        GenVar *v = bind_output(g, s, &call, result[i], s->out[i], requires_grad, fuzzy);
        first = i == 0 ? v : first;
    }
    return first;
}

bool gen_takes(const Tensor *t) {
    int64_t numel;
    bool takes = sizes_numel(t->size, t->ndim, &numel) && numel <= 1 << 16;
    for (int d = 0; d < t->ndim; d++) {
        takes = takes && t->size[d] <= 1 << 16;
    }
    return takes;
}

void gen_replay(Gen *g, const Stmt *s) {
    Call call;
    Tensor *result[MAX_OUTPUTS];
    int n = 0;
    g->err.code = ERR_none;
    g->nmade = 0;
    g->fuzzy = false;
    if (!gen_room(g) || stmt_bind(s, g->p, g->env, g->arena, &call, &g->err) != ERR_none ||
        emit_call(&g->meta.emit, &call, result, &n) != ERR_none) {
        return;
    }
    bool requires_grad = note_reads(g, s);
    if (g->grad && requires_grad) {
        note_saved(g, s, &call);
    }
    if (s->op->nparam > 0 && s->op->param[0].writes) {
        if (gen_find(g, s->arg[0].tensor) != NULL) {
            apply_write(g, s, &call, n > 0 ? result[0] : NULL, requires_grad,
                        s->nout > 0 ? s->out[0] : NAME_NONE);
        }
        return;
    }
    bool fuzzy = g->fuzzy;
    for (int i = 0; i < n && i < s->nout && gen_room(g); i++) {
        if (gen_takes(result[i])) {
            bind_output(g, s, &call, result[i], s->out[i], requires_grad, fuzzy);
        }
    }
}

void stmt_force(Gen *g, Stmt *s) {
    if (!gen_allows(g, s->op->id)) {
        return;
    }
    if (s->op->nreturn != 0 && !(s->op->nparam > 0 && s->op->param[0].writes)) {
        s->nout = 1;
        s->out_list = s->op->nreturn != 1;
        s->out = arena_array(g->arena, NameId, s->nout);
        for (int i = 0; i < s->nout; i++) {
            s->out[i] = gen_fresh_name(g);
        }
    }
    stmt_append(g, s);
}
