/* Reducers of functions. */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"

static void drop_at(NameId *names, int *n, int k) {
    for (int i = k; i + 1 < *n; i++) {
        names[i] = names[i + 1];
    }
    --*n;
}

/* The function that the statement names, or NULL. */
static int *function_of(Stmt *s) {
    return s->kind == STMT_APPLY  ? &s->apply->function
           : s->kind == STMT_HOOK ? &s->hook->function
                                  : NULL;
}

/* Drops function `at`, unless a statement applies it. */
static Step drop_function(Program *p, int at) {
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        if (function_of(s) && *function_of(s) == at) {
            return STEP_NOTHING;
        }
    }
    for (int sid = 0; sid < p->nstmts; sid++) {
        int *function = function_of(stmts[sid]);
        if (function && *function > at) {
            --*function;
        }
    }
    for (int i = at; i + 1 < p->nfunctions; i++) {
        p->functions[i] = p->functions[i + 1];
    }
    p->nfunctions--;
    return STEP_MADE;
}

static Step turn_off(bool *flag) {
    bool on = *flag;
    *flag = false;
    return on ? STEP_MADE : STEP_NOTHING;
}

/* Of each function: itself, its two flags, then the entries of its lists. */
Step reduce_function(Program *p, int k) {
    enum { OWN = 3 };
    for (int at = 0; at < p->nfunctions; at++) {
        Function *f = &p->functions[at];
        int n = OWN + f->nsave + f->ndirty + f->nnon_differentiable;
        if (k >= n) {
            k -= n;
            continue;
        }
        if (k < OWN) {
            return k == 0   ? drop_function(p, at)
                   : k == 1 ? turn_off(&f->undefined_grads)
                            : turn_off(&f->once_differentiable);
        }
        k -= OWN;
        if (k < f->nsave) {
            drop_at(f->save, &f->nsave, k);
        } else if (k - f->nsave < f->ndirty) {
            drop_at(f->dirty, &f->ndirty, k - f->nsave);
        } else {
            drop_at(f->non_differentiable, &f->nnon_differentiable, k - f->nsave - f->ndirty);
        }
        return STEP_MADE;
    }
    return STEP_END;
}

/* Drops statement *k of the block, counted in preorder, or takes as many from *k. */
static bool drop_nth(Block *block, int *k) {
    for (Stmt **at = &block->first; *at; at = &(*at)->next) {
        if (*k == 0) {
            *at = (*at)->next;
            block->count--;
            return true;
        }
        --*k;
        if (drop_nth(&(*at)->body, k) || drop_nth(&(*at)->orelse, k)) {
            (*at)->has_else = (*at)->has_else && (*at)->orelse.count > 0;
            return true;
        }
    }
    return false;
}

Step reduce_function_statement(Program *p, int k) {
    for (int at = 0; at < p->nfunctions; at++) {
        if (drop_nth(&p->functions[at].forward, &k) || drop_nth(&p->functions[at].backward, &k)) {
            return STEP_MADE;
        }
    }
    return STEP_END;
}

/* How many parameters and returns `f` may lose: a hook, its return. */
static int droppable(const Function *f) { return (f->plain ? 0 : f->nparams) + f->nreturns; }

/* A parameter less, with its operand, or a return less, with the name that it is bound to. */
Step reduce_function_operand(Program *p, int k) {
    int at = 0;
    while (at < p->nfunctions && k >= droppable(&p->functions[at])) {
        k -= droppable(&p->functions[at++]);
    }
    if (at == p->nfunctions) {
        return STEP_END;
    }
    Function *f = &p->functions[at];
    if (f->plain) {
        f->nreturns = 0;
        return STEP_MADE;
    }
    bool param = k < f->nparams;
    k -= param ? 0 : f->nparams;
    if ((param ? f->nparams : f->nreturns) == 1) {
        return STEP_NOTHING;
    }
    Stmt **stmts = edit_statements(p->arena, p);
    for (int sid = 0; sid < p->nstmts; sid++) {
        Stmt *s = stmts[sid];
        if (s->kind == STMT_APPLY && s->apply->function == at) {
            if (param) {
                drop_at(s->apply->operands, &s->apply->noperands, k);
            } else {
                drop_at(s->out, &s->nout, k);
            }
        }
    }
    int n = param ? f->nparams : f->nreturns;
    drop_at(param ? f->grad_inputs : f->grad_outputs, &n, k);
    drop_at(param ? f->params : f->returns, param ? &f->nparams : &f->nreturns, k);
    edit_forget(p);
    return STEP_MADE;
}
