/* What mutators do to functions: those of another program come along with the statements that apply
 * them, and the options of one are changed. */
#include "fuzz/mutate/mutant.h"

#include <string.h>

/* ---- of another program ---- */

typedef struct FunctionRenaming {
    const Program *from;
    void (*rename)(void *user, NameId *name);
    void *user;
} FunctionRenaming;

static void rename_each(const FunctionRenaming *r, NameId *names, int n) {
    for (int i = 0; i < n; i++) {
        if (names[i] != NAME_NONE) {
            r->rename(r->user, &names[i]);
        }
    }
}

static void rename_inside(const FunctionRenaming *r, Block *block) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_reads(s, r->rename, r->user);
        rename_each(r, s->out, s->nout);
        rename_inside(r, &s->body);
        rename_inside(r, &s->orelse);
    }
}

static void rename_function(const FunctionRenaming *r, Function *f) {
    rename_each(r, f->params, f->nparams);
    rename_each(r, f->returns, f->nreturns);
    rename_each(r, f->save, f->nsave);
    rename_each(r, f->dirty, f->ndirty);
    rename_each(r, f->non_differentiable, f->nnon_differentiable);
    rename_each(r, f->grad_outputs, f->plain ? 0 : f->nreturns);
    rename_each(r, f->grad_inputs, f->plain ? 0 : f->nparams);
    rename_inside(r, &f->forward);
    rename_inside(r, &f->backward);
}

static void shift_applied(Block *block, int by) {
    for (Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_APPLY) {
            s->apply->function += by;
        } else if (s->kind == STMT_HOOK) {
            s->hook->function += by;
        }
        shift_applied(&s->body, by);
        shift_applied(&s->orelse, by);
    }
}

bool mutant_bring_functions(Mutant *m, Program *other, Block *statements,
                            void (*rename)(void *user, NameId *name), void *user) {
    Program *p = m->p;
    int n = p->nfunctions, more = other->nfunctions;
    if (more == 0) {
        return true;
    }
    if (n + more > MAX_FUNCTIONS) {
        return false;
    }
    Function *all = arena_array(m->arena, Function, n + more);
    if (n > 0) {
        memcpy(all, p->functions, sizeof *all * (size_t)n);
    }
    memcpy(all + n, other->functions, sizeof *all * (size_t)more);
    FunctionRenaming r = {other, rename, user};
    for (int i = n; i < n + more; i++) {
        rename_function(&r, &all[i]);
        all[i].name = mutant_fresh(m);
    }
    p->functions = all;
    p->nfunctions = n + more;
    shift_applied(statements, n);
    return true;
}

/* ---- options ---- */

static void change_save(Mutant *m, Function *f) {
    if (f->nsave > 0 && mutant_chance(m, 40)) {
        f->nsave--;
        return;
    }
    int at = mutant_below(m, f->nparams + f->nreturns);
    NameId name = at < f->nparams ? f->params[at] : f->returns[at - f->nparams];
    if (f->nsave > 0) {
        f->save[mutant_below(m, f->nsave)] = name;
    } else {
        f->save = arena_array(m->arena, NameId, 1);
        f->save[f->nsave++] = name;
    }
}

/* A list of one name, or none. */
static void turn_list(Mutant *m, NameId **names, int *n, NameId name) {
    if (*n == 0) {
        *names = arena_array(m->arena, NameId, 1);
        (*names)[0] = name;
    }
    *n = *n == 0;
}

bool mutant_change_function(Mutant *m) {
    if (m->p->nfunctions == 0) {
        return false;
    }
    Function *f = &m->p->functions[mutant_below(m, m->p->nfunctions)];
    if (f->plain) { /* returns nothing, or the gradient */
        turn_list(m, &f->returns, &f->nreturns, f->params[f->nparams - 1]);
        return true;
    }
    switch (mutant_below(m, 6)) {
    case 0:
        f->undefined_grads = !f->undefined_grads;
        break;
    case 1:
        f->once_differentiable = !f->once_differentiable;
        break;
    case 2:
        turn_list(m, &f->dirty, &f->ndirty, f->params[mutant_below(m, f->nparams)]);
        break;
    case 3:
        turn_list(m, &f->non_differentiable, &f->nnon_differentiable,
                  f->returns[mutant_below(m, f->nreturns)]);
        break;
    case 4:
        change_save(m, f);
        break;
    default: {
        NameId name =
            mutant_chance(m, 30) ? NAME_NONE : f->grad_outputs[mutant_below(m, f->nreturns)];
        f->grad_inputs[mutant_below(m, f->nparams)] = name;
        break;
    }
    }
    return true;
}
