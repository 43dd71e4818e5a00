/* One walk over all statements; where in the program a name is bound does not matter. */
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

int names_unbound(const Program *p) {
    Arena arena = ARENA_EMPTY;
    BoundNames names = {arena_array(&arena, bool, p->nnames + 1),
                        arena_array(&arena, bool, p->nnames + 1)};
    for (int i = 0; i < p->ninputs; i++) {
        names.bound[p->inputs[i].name] = true;
    }
    note_block_names(&p->setup, &names);
    note_block_names(&p->body, &names);
    note_block_names(&p->after, &names);
    for (int i = 0; i < program_nargs(p); i++) {
        names.read[program_arg(p, i)] = true;
    }
    for (int i = 0; i < p->nreturns; i++) {
        names.read[p->returns[i]] = true;
    }
    int unbound = 0;
    for (int i = 0; i < p->nnames; i++) {
        unbound += names.read[i] && !names.bound[i];
    }
    arena_destroy(&arena);
    return unbound;
}
