/* By names: what is live is read by a statement with an effect, returned, or read by something
 * live. A name that is bound twice is live if either binding could be. */
#include "harness/triage/dead.h"

#include "program/lang/uses.h"

typedef struct DeadNames {
    bool *live; /* by name */
    bool found; /* new ones, in the last walk */
    bool effect;
    bool bound; /* a live name, by the statement that is visited */
} DeadNames;

static bool only_computes(const Stmt *s) {
    return s->kind == STMT_OP && s->nout > 0 && s->op->kind != KIND_META &&
           !(s->op->nparam > 0 && s->op->param[0].writes);
}

static void note_bound(void *user, NameId *name, Use use) {
    DeadNames *d = user;
    d->bound |= use == USE_BIND && *name != NAME_NONE && d->live[*name];
}

static void note_read(void *user, NameId *name, Use use) {
    DeadNames *d = user;
    if (use != USE_BIND && *name != NAME_NONE && !d->live[*name]) {
        d->live[*name] = d->found = true;
    }
}

static bool binds_live(DeadNames *d, Stmt *s) {
    d->bound = false;
    stmt_uses(s, note_bound, d);
    return d->bound;
}

bool statement_is_dead(const Program *p, int sid) {
    if (sid < 0 || sid >= p->nstmts || !only_computes(program_stmt(p, sid))) {
        return false;
    }
    Arena arena = ARENA_EMPTY;
    DeadNames d = {.live = arena_array(&arena, bool, p->nnames + 1)};
    for (int i = 0; i < p->nreturns; i++) {
        d.live[p->returns[i]] = true;
    }
    for (int i = 0; i < program_nargs(p); i++) {
        d.live[program_arg(p, i)] = true;
    }
    do {
        d.found = false;
        for (int i = 0; i < p->nstmts; i++) {
            Stmt *s = (Stmt *)program_stmt(p, i);
            if (!only_computes(s) || binds_live(&d, s)) {
                stmt_uses(s, note_read, &d);
            }
        }
    } while (d.found);
    bool dead = !binds_live(&d, (Stmt *)program_stmt(p, sid));
    arena_destroy(&arena);
    return dead;
}
