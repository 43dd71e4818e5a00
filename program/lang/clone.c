/* Deep copies of programs and results. Every pointer is followed except those into the op table,
 * which are shared. The parameter's type determines what a statement's argument holds. */
#include "program/lang/result.h"

#define CLONE(arena, from, n)                                                                      \
    ((from) ? arena_copy((arena), (from), (int64_t)sizeof *(from) * (int64_t)(n)) : NULL)

static const char *clone_text(Arena *arena, const char *text) {
    return text ? arena_strdup(arena, text) : NULL;
}

static Predicate clone_predicate(Arena *arena, const Predicate *from) {
    Predicate to = *from;
    if (from->kind == PRED_not) {
        to.inner = arena_new(arena, Predicate);
        *to.inner = clone_predicate(arena, from->inner);
    }
    return to;
}

static void clone_arg(Arena *arena, ArgType type, PArg *a, DType literal) {
    if (!a->given || a->is_none) {
        return;
    }
    switch (type) {
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        a->tensors.v = CLONE(arena, a->tensors.v, a->tensors.n);
        break;
    case ARG_INTS:
    case ARG_INTS_OPT:
        a->ints.v = CLONE(arena, a->ints.v, a->ints.single ? 1 : a->ints.n);
        break;
    case ARG_STR:
    case ARG_STR_OPT:
        a->str = clone_text(arena, a->str);
        break;
    case ARG_DATA:
        a->data.data = arena_copy(arena, a->data.data, a->data.n * dtype_bytes(literal));
        break;
    case ARG_INDEX:
        a->index.v = CLONE(arena, a->index.v, a->index.n);
        for (int i = 0; i < a->index.n; i++) {
            PIndexItem *item = &a->index.v[i];
            item->list = item->kind == INDEX_LIST ? CLONE(arena, item->list, item->count) : NULL;
        }
        break;
    default:
        break; /* stored inline */
    }
}

/* The dtype of a tensor literal's data. */
static DType clone_literal_dtype(const Stmt *s) {
    int at = op_param(s->op, "dtype");
    return at >= 0 && s->arg[at].given && !s->arg[at].is_none ? s->arg[at].dtype : DT_bool;
}

static Block clone_block(Arena *arena, const Block *from);

static Stmt *clone_stmt(Arena *arena, const Stmt *from) {
    Stmt *to = CLONE(arena, from, 1);
    to->next = NULL;
    if (from->kind == STMT_OP) {
        to->arg = CLONE(arena, from->arg, from->op->nparam);
        for (int i = 0; i < from->op->nparam; i++) {
            clone_arg(arena, from->op->param[i].type, &to->arg[i], clone_literal_dtype(from));
        }
    }
    to->out = CLONE(arena, from->out, from->nout);
    to->body = clone_block(arena, &from->body);
    to->orelse = clone_block(arena, &from->orelse);
    if (from->kind == STMT_IF || from->kind == STMT_ASSERT) {
        to->predicate = clone_predicate(arena, &from->predicate);
    }
    if (from->grad) {
        GradStmt *g = CLONE(arena, from->grad, 1);
        g->outputs = CLONE(arena, g->outputs, g->noutputs);
        g->inputs = CLONE(arena, g->inputs, g->ninputs);
        g->grad_outputs =
            g->ngrad_outputs >= 0 ? CLONE(arena, g->grad_outputs, g->ngrad_outputs) : NULL;
        to->grad = g;
    }
    to->hook = CLONE(arena, from->hook, 1);
    to->dot_grad = CLONE(arena, from->dot_grad, 1);
    if (from->apply) {
        to->apply = CLONE(arena, from->apply, 1);
        to->apply->operands = CLONE(arena, from->apply->operands, from->apply->noperands);
    }
    to->extra = clone_text(arena, from->extra);
    return to;
}

static Block clone_block(Arena *arena, const Block *from) {
    Block to = {0};
    Stmt *tail = NULL;
    for (const Stmt *s = from->first; s; s = s->next) {
        block_append(&to, clone_stmt(arena, s), &tail);
    }
    return to;
}

static Input *clone_inputs(Arena *arena, const Input *from, int n) {
    Input *to = CLONE(arena, from, n);
    for (int i = 0; i < n; i++) {
        InputData *data = &to[i].data;
        if (data->given && !data->is_fill) {
            data->data = arena_copy(arena, data->data, data->numel * dtype_bytes(to[i].dtype));
        }
        data->extra = clone_text(arena, data->extra);
        to[i].extra = clone_text(arena, to[i].extra);
    }
    return to;
}

static void clone_choices(Arena *arena, PathChoices *choices) {
    choices->v = CLONE(arena, choices->v, choices->n);
    for (int i = 0; i < choices->n; i++) {
        choices->v[i].path = clone_text(arena, choices->v[i].path);
    }
}

static PythonSurface *clone_surface(Arena *arena, const PythonSurface *from) {
    PythonSurface *to = CLONE(arena, from, 1);
    to->bindings = CLONE(arena, from->bindings, from->nbindings);
    clone_choices(arena, &to->call_styles);
    clone_choices(arena, &to->forms);
    to->outline = CLONE(arena, from->outline, from->noutline);
    to->extra = clone_text(arena, from->extra);
    return to;
}

static CompileSettings *clone_compile(Arena *arena, const CompileSettings *from) {
    CompileSettings *to = CLONE(arena, from, 1);
    to->config = CLONE(arena, from->config, from->nconfig);
    to->marks = CLONE(arena, from->marks, from->nmarks);
    for (int i = 0; i < from->nmarks; i++) {
        to->marks[i].name = clone_text(arena, from->marks[i].name);
    }
    for (int i = 0; i < from->nconfig; i++) {
        to->config[i].name = clone_text(arena, from->config[i].name);
        to->config[i].value = clone_text(arena, from->config[i].value);
    }
    to->extra = clone_text(arena, from->extra);
    return to;
}

static Function *clone_functions(Arena *arena, const Function *from, int n) {
    Function *to = CLONE(arena, from, n);
    for (int i = 0; i < n; i++) {
        Function *f = &to[i];
        f->params = CLONE(arena, f->params, f->nparams);
        f->forward = clone_block(arena, &f->forward);
        f->returns = CLONE(arena, f->returns, f->nreturns);
        f->save = CLONE(arena, f->save, f->nsave);
        f->dirty = CLONE(arena, f->dirty, f->ndirty);
        f->non_differentiable = CLONE(arena, f->non_differentiable, f->nnon_differentiable);
        f->grad_outputs = f->plain ? NULL : CLONE(arena, f->grad_outputs, f->nreturns);
        f->backward = clone_block(arena, &f->backward);
        f->grad_inputs = f->plain ? NULL : CLONE(arena, f->grad_inputs, f->nparams);
        f->extra = clone_text(arena, f->extra);
    }
    return to;
}

Program *program_clone(Arena *arena, const Program *p) {
    Program *to = CLONE(arena, p, 1);
    to->arena = arena;
    to->name = clone_text(arena, p->name);
    to->note = clone_text(arena, p->note);
    const char **names = arena_array(arena, const char *, p->nnames);
    for (int i = 0; i < p->nnames; i++) {
        names[i] = clone_text(arena, p->names[i]);
    }
    to->names = names;
    to->inputs = clone_inputs(arena, p->inputs, p->ninputs);
    to->functions = clone_functions(arena, p->functions, p->nfunctions);
    to->body = clone_block(arena, &p->body);
    to->returns = CLONE(arena, p->returns, p->nreturns);
    to->backward.of = p->backward.nof > 0 ? CLONE(arena, p->backward.of, p->backward.nof) : NULL;
    to->backward.extra = clone_text(arena, p->backward.extra);
    to->setup = clone_block(arena, &p->setup);
    to->after = clone_block(arena, &p->after);
    to->args = CLONE(arena, p->args, p->nargs);
    to->recalls = CLONE(arena, p->recalls, p->nrecalls);
    for (int i = 0; i < p->nrecalls; i++) {
        Recall *r = &to->recalls[i];
        r->inputs = clone_inputs(arena, r->inputs, r->ninputs);
        r->set = CLONE(arena, r->set, r->nset);
        r->extra = clone_text(arena, r->extra);
    }
    to->surface = p->surface ? clone_surface(arena, p->surface) : NULL;
    to->compile = p->compile ? clone_compile(arena, p->compile) : NULL;
    to->expect = p->expect ? result_clone(arena, p->expect) : NULL;
    to->extra = clone_text(arena, p->extra);
    return to;
}

/* ---- results ---- */

static void clone_values(Arena *arena, Values *v) {
    v->data = v->data ? arena_copy(arena, v->data, v->numel * dtype_bytes(v->dtype)) : NULL;
    v->value64 = CLONE(arena, v->value64, v->numel);
    v->bound = CLONE(arena, v->bound, v->numel);
}

static GradFacts *clone_grads(Arena *arena, const GradFacts *facts, int n) {
    GradFacts *to = CLONE(arena, facts, n);
    for (int i = 0; to && i < n; i++) {
        to[i].alias = clone_text(arena, to[i].alias);
    }
    return to;
}

static InputRecord *clone_input_records(Arena *arena, const InputRecord *records, int n) {
    InputRecord *to = CLONE(arena, records, n);
    for (int i = 0; i < n; i++) {
        InputRecord *r = &to[i];
        r->poked = r->poked
                       ? arena_copy(arena, r->poked, r->data.numel * dtype_bytes(r->data.dtype))
                       : NULL;
        clone_values(arena, &r->data);
        clone_values(arena, &r->grad);
    }
    return to;
}

static void clone_call(Arena *arena, CallResult *call) {
    call->message = clone_text(arena, call->message);
    call->trace = CLONE(arena, call->trace, call->ntrace);
    call->returns = CLONE(arena, call->returns, call->nreturns);
    for (int i = 0; i < call->nreturns; i++) {
        ReturnRecord *r = &call->returns[i];
        r->poked = r->poked
                       ? arena_copy(arena, r->poked, r->values.numel * dtype_bytes(r->values.dtype))
                       : NULL;
        clone_values(arena, &r->values);
        clone_values(arena, &r->grad);
    }
    call->inputs = clone_input_records(arena, call->inputs, call->ninputs);
    call->args = clone_input_records(arena, call->args, call->nargs);
    call->arg_grads = clone_grads(arena, call->arg_grads, call->nargs);
    call->return_grads = clone_grads(arena, call->return_grads, call->nreturns);
    call->input_grads = clone_grads(arena, call->input_grads, call->ninputs);
    call->changed_state = CLONE(arena, call->changed_state, call->nchanged_state);
    for (int i = 0; i < call->nchanged_state; i++) {
        call->changed_state[i] = arena_strdup(arena, call->changed_state[i]);
    }
    call->extra = clone_text(arena, call->extra);
}

Result *result_clone(Arena *arena, const Result *r) {
    Result *to = CLONE(arena, r, 1);
    to->target = clone_text(arena, r->target);
    to->calls = CLONE(arena, r->calls, r->ncalls);
    for (int i = 0; i < r->ncalls; i++) {
        clone_call(arena, &to->calls[i]);
    }
    to->undefined = CLONE(arena, r->undefined, r->nundefined);
    for (int i = 0; i < r->nundefined; i++) {
        to->undefined[i].why = clone_text(arena, r->undefined[i].why);
    }
    to->extra = clone_text(arena, r->extra);
    return to;
}
