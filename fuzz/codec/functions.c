/* Functions: only in the bytes of a program of format version 2, behind its names. What must agree
 * (as many gradients as returns, no parameter twice) is corrected while it is read. */
#include "fuzz/codec/coder.h"

/* Names that differ from each other, at least one. */
static NameId *code_distinct(Coder *c, NameId *names, int *n) {
    int count = 1 + code_choice(c, c->encoding ? *n - 1 : 0, MAX_FUNCTION_NAMES), kept = 0;
    NameId *out = c->encoding ? names : arena_array(c->arena, NameId, count);
    for (int i = 0; i < count; i++) {
        NameId name = code_name(c, out[i]);
        bool twice = false;
        for (int k = 0; k < kept; k++) {
            twice |= out[k] == name;
        }
        if (!twice) {
            out[kept++] = name;
        }
    }
    *n = kept;
    return out;
}

static NameId *code_each(Coder *c, NameId *names, int n, bool nulls) {
    NameId *out = c->encoding ? names : arena_array(c->arena, NameId, n);
    for (int i = 0; i < n; i++) {
        bool null = nulls && code_rare(c, c->encoding && names[i] == NAME_NONE);
        out[i] = null ? NAME_NONE : code_name(c, out[i]);
    }
    return out;
}

static NameId *code_some(Coder *c, NameId *names, int *n) {
    if (!code_flag(c, *n > 0)) {
        *n = 0;
        return NULL;
    }
    return code_name_list(c, names, n, false);
}

static void code_function(Coder *c, Function *f) {
    f->name = code_name(c, f->name);
    f->plain = code_flag(c, f->plain);
    if (f->plain) {
        f->params = code_distinct(c, f->params, &f->nparams);
        f->nparams = f->nparams < 2 ? f->nparams : 2;
        f->nreturns = code_flag(c, f->nreturns > 0);
        f->returns = code_each(c, f->returns, f->nreturns, false);
        c->function = f;
        code_block(c, &f->forward, 1);
        c->function = NULL;
        f->extra = code_extra(c, f->extra);
        return;
    }
    f->params = code_distinct(c, f->params, &f->nparams);
    f->grad_outputs = code_distinct(c, f->grad_outputs, &f->nreturns);
    f->returns = code_each(c, f->returns, f->nreturns, false);
    f->save = code_some(c, f->save, &f->nsave);
    f->dirty = code_some(c, f->dirty, &f->ndirty);
    f->non_differentiable = code_some(c, f->non_differentiable, &f->nnon_differentiable);
    f->undefined_grads = code_flag(c, f->undefined_grads);
    f->once_differentiable = code_flag(c, f->once_differentiable);
    f->grad_inputs = code_each(c, f->grad_inputs, f->nparams, true);
    c->function = f;
    code_block(c, &f->forward, 1);
    code_block(c, &f->backward, 1);
    c->function = NULL;
    f->extra = code_extra(c, f->extra);
}

void code_functions(Coder *c) {
    Program *p = c->p;
    int n = (int)code_count(c, p->nfunctions, MAX_FUNCTIONS), kept = 0;
    p->functions = c->encoding ? p->functions : arena_array(c->arena, Function, n);
    for (int i = 0; i < n; i++) {
        Function *f = &p->functions[kept];
        code_function(c, f);
        bool twice = false;
        for (int k = 0; k < kept; k++) {
            twice |= p->functions[k].name == f->name;
        }
        if (twice) {
            *f = (Function){0};
        } else {
            kept++;
        }
    }
    p->nfunctions = kept;
}

bool codec_has_function(const Coder *c, bool plain) {
    for (int i = 0; i < c->p->nfunctions; i++) {
        if (c->p->functions[i].plain == plain) {
            return true;
        }
    }
    return false;
}

/* One of the kind; there is one. */
static int code_function_index(Coder *c, int index, bool plain) {
    index = code_choice(c, index, c->p->nfunctions);
    while (c->p->functions[index].plain != plain) {
        index = (index + 1) % c->p->nfunctions;
    }
    return index;
}

void code_hook(Coder *c, Stmt *s) {
    if (!c->encoding) {
        s->hook = arena_new(c->arena, HookStmt);
    }
    s->hook->remove = code_flag(c, s->hook->remove);
    s->hook->self = code_name(c, s->hook->self);
    s->hook->function = code_function_index(c, s->hook->function, true);
}

void code_apply(Coder *c, Stmt *s) {
    if (!c->encoding) {
        s->apply = arena_new(c->arena, ApplyStmt);
    }
    ApplyStmt *a = s->apply;
    a->function = code_function_index(c, a->function, false);
    const Function *f = &c->p->functions[a->function];
    a->noperands = f->nparams;
    a->operands = code_each(c, a->operands, f->nparams, false);
    s->out_list = true;
    s->nout = f->nreturns;
    s->out = code_each(c, s->out, f->nreturns, false);
}
