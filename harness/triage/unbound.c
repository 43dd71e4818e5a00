/* One walk over all statements; where in the program, or the function, a name is bound does not
 * matter. */
#include "harness/triage/unbound.h"

#include "program/lang/uses.h"

typedef struct BoundNames {
    bool *bound, *read; /* by name */
} BoundNames;

static void note_name(void *user, NameId *name, Use use) {
    BoundNames *names = user;
    if (*name != NAME_NONE) {
        (use == USE_BIND ? names->bound : names->read)[*name] = true;
    }
}

static void note_block_names(const Block *block, BoundNames *names) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_uses(s, note_name, names);
        note_block_names(&s->body, names);
        note_block_names(&s->orelse, names);
    }
}

static void note_names_read(BoundNames *names, const NameId *v, int n) {
    for (int i = 0; i < n; i++) {
        if (v[i] != NAME_NONE) {
            names->read[v[i]] = true;
        }
    }
}

static void note_names_bound(BoundNames *names, const NameId *v, int n) {
    for (int i = 0; i < n; i++) {
        names->bound[v[i]] = true;
    }
}

/* Names that are read and not bound; none is either afterwards. */
static int count_unbound(const Program *p, BoundNames *names) {
    int unbound = 0;
    for (int i = 0; i < p->nnames; i++) {
        unbound += names->read[i] && !names->bound[i];
        names->read[i] = names->bound[i] = false;
    }
    return unbound;
}

/* Of the names of a function, which are its own: those of its backward are others, but for what is
 * saved. A compiler traces the backward even if nothing is differentiated. */
static int function_unbound(const Program *p, const Function *f, BoundNames *names) {
    note_names_bound(names, f->params, f->nparams);
    note_block_names(&f->forward, names);
    note_names_read(names, f->returns, f->nreturns);
    note_names_read(names, f->save, f->nsave);
    note_names_read(names, f->dirty, f->ndirty);
    note_names_read(names, f->non_differentiable, f->nnon_differentiable);
    int unbound = count_unbound(p, names);
    if (!f->plain) {
        note_names_bound(names, f->grad_outputs, f->nreturns);
        note_names_bound(names, f->save, f->nsave);
        note_block_names(&f->backward, names);
        note_names_read(names, f->grad_inputs, f->nparams);
        unbound += count_unbound(p, names);
    }
    return unbound;
}

int names_unbound(const Program *p) {
    Arena arena = ARENA_EMPTY;
    BoundNames names = {arena_array(&arena, bool, p->nnames + 1),
                        arena_array(&arena, bool, p->nnames + 1)};
    int unbound = 0;
    for (int i = 0; i < p->nfunctions; i++) {
        unbound += function_unbound(p, &p->functions[i], &names);
    }
    for (int i = 0; i < p->ninputs; i++) {
        names.bound[p->inputs[i].name] = true;
    }
    note_block_names(&p->setup, &names);
    note_block_names(&p->body, &names);
    note_block_names(&p->after, &names);
    for (int i = 0; i < program_nargs(p); i++) {
        names.read[program_arg(p, i)] = true;
    }
    note_names_read(&names, p->returns, p->nreturns);
    unbound += count_unbound(p, &names);
    arena_destroy(&arena);
    return unbound;
}
