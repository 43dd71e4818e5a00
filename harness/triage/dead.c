/* By names, in groups that may share memory. What is live is read by a statement with an effect,
 * returned, or read by something live; a write has an effect if its group holds an input or
 * something live, unless the next use of the group in its block writes all of it again. A name that
 * is bound twice is live if either binding could be. */
#include "harness/triage/dead.h"

#include "program/lang/uses.h"
#include "program/print/print.h"

#include <string.h>

typedef struct DeadNames {
    int nnames;
    bool *live;    /* by name */
    NameId *group; /* by name: one that may share its memory, or itself */
    bool *shown;   /* by group: it holds an input or something live */
    bool found;    /* new ones, in the last walk */
    bool bound;    /* a live name, by the statement that is visited */
    NameId own;    /* a written name ... */
    int uses;      /* ... and how often the statement that is visited names its group */
} DeadNames;

static NameId group_of_name(const DeadNames *d, NameId name) {
    while (d->group[name] != name) {
        name = d->group[name];
    }
    return name;
}

static void dead_join(DeadNames *d, NameId a, NameId b) {
    d->group[group_of_name(d, a)] = group_of_name(d, b);
}

static bool dead_writes(const Stmt *s) {
    return s->kind == STMT_OP && s->op->nparam > 0 && s->op->param[0].writes &&
           s->op->kind != KIND_META && s->arg[0].given && s->arg[0].is_tensor;
}

static bool only_computes(const Stmt *s) {
    return s->kind == STMT_OP && s->nout > 0 && s->op->kind != KIND_META && !dead_writes(s);
}

static void dead_note_bound(void *user, NameId *name, Use use) {
    DeadNames *d = user;
    d->bound |= use == USE_BIND && *name != NAME_NONE && d->live[*name];
}

static void dead_note_read(void *user, NameId *name, Use use) {
    DeadNames *d = user;
    if (use != USE_BIND && *name != NAME_NONE && !d->live[*name]) {
        d->live[*name] = d->found = true;
    }
}

static bool probe_needs_value(ProbeKind kind) {
    return kind == PROBE_size || kind == PROBE_stride || kind == PROBE_storage_offset ||
           kind == PROBE_is_contiguous;
}

static bool predicate_needs_value(const Predicate *p) {
    while (p->kind == PRED_not) {
        p = p->inner;
    }
    return p->kind == PRED_is_contiguous;
}

/* Sizes and strides may depend on values; the dtype and the flags of autograd do not: a compiler
 * knows them without computing anything. */
static bool reads_values(const Stmt *s) {
    return s->kind == STMT_PROBE                          ? probe_needs_value(s->probe)
           : s->kind == STMT_IF || s->kind == STMT_ASSERT ? predicate_needs_value(&s->predicate)
                                                          : true;
}

static void dead_count_use(void *user, NameId *name, Use use) {
    DeadNames *d = user;
    (void)use;
    d->uses += *name != NAME_NONE && group_of_name(d, *name) == group_of_name(d, d->own);
}

/* Is it the only name of its memory? What it shared would keep what an `into` of another size does
 * not reach. */
static bool is_alone(const DeadNames *d, NameId name) {
    int same = 0;
    for (int i = 0; i < d->nnames; i++) {
        same += group_of_name(d, (NameId)i) == group_of_name(d, name);
    }
    return same == 1;
}

/* Is what the statement writes written again before anything could read it? */
static bool is_written_again(DeadNames *d, const Stmt *s) {
    d->own = s->arg[0].tensor;
    for (const Stmt *next = s->next; next && next->kind == STMT_OP; next = next->next) {
        d->uses = 0;
        stmt_uses((Stmt *)next, dead_count_use, d);
        if (d->uses > 0) {
            bool all = next->op->out_dtype != OUT_NOT ? is_alone(d, d->own)
                                                      : next->op->writes == WRITES_ALL;
            return d->uses == 1 && all && dead_writes(next) && next->arg[0].tensor == d->own;
        }
    }
    return false;
}

/* Has the statement an effect, or does something live need what it binds or writes? */
static bool is_needed(DeadNames *d, Stmt *s) {
    if (!dead_writes(s) && !only_computes(s)) {
        return true;
    }
    d->bound =
        dead_writes(s) && d->shown[group_of_name(d, s->arg[0].tensor)] && !is_written_again(d, s);
    stmt_uses(s, dead_note_bound, d);
    return d->bound;
}

/* Is what the op returns a tensor of its own? An op that is composed of others may return its
 * operand although its schema does not say so (dropout that does not train), but then only that. */
static bool returns_its_own(const OpInfo *op, int nout) {
    return op->nparam == 0 || op->kind == KIND_FACTORY || op->kind == KIND_POINTWISE ||
           op->kind == KIND_FUNC || op->param[0].type != ARG_TENSOR ||
           (op->kind == KIND_COMPOSITE && !op->returns_alias && nout > 1);
}

static void join_aliases(DeadNames *d, const Stmt *s) {
    bool alone = s->kind != STMT_OP || returns_its_own(s->op, s->nout);
    for (int i = 0; i < s->nout && !alone && s->arg[0].given && s->arg[0].is_tensor; i++) {
        dead_join(d, s->out[i], s->arg[0].tensor);
    }
}

static void join_inputs(DeadNames *d, const Input *input, int n) {
    for (int i = 0; i < n; i++) {
        if (input[i].storage != NAME_NONE) {
            dead_join(d, input[i].name, input[i].storage);
        }
    }
}

static void show_groups(DeadNames *d, const Program *p) {
    for (int i = 0; i < p->nnames; i++) {
        d->shown[group_of_name(d, (NameId)i)] |= d->live[i];
    }
}

static DeadNames dead_names(Arena *arena, const Program *p) {
    DeadNames d = {.nnames = p->nnames,
                   .live = arena_array(arena, bool, p->nnames + 1),
                   .group = arena_array(arena, NameId, p->nnames + 1),
                   .shown = arena_array(arena, bool, p->nnames + 1)};
    for (int i = 0; i < p->nnames; i++) {
        d.group[i] = (NameId)i;
    }
    for (int i = 0; i < p->nstmts; i++) {
        join_aliases(&d, program_stmt(p, i));
    }
    join_inputs(&d, p->inputs, p->ninputs);
    for (int i = 0; i < p->nrecalls; i++) {
        join_inputs(&d, p->recalls[i].inputs, p->recalls[i].ninputs);
    }
    for (int i = 0; i < p->ninputs; i++) {
        d.live[p->inputs[i].name] = true;
    }
    for (int i = 0; i < program_nargs(p); i++) {
        d.live[program_arg(p, i)] = true;
    }
    for (int i = 0; i < p->nreturns; i++) {
        d.live[p->returns[i]] = true;
    }
    return d;
}

/* A block is dead if it holds statements, and all of them are. */
static bool is_dead(DeadNames *d, Stmt *s) {
    bool dead = s->kind == STMT_WITH ? s->body.first != NULL : !is_needed(d, s);
    for (Stmt *inner = s->kind == STMT_WITH ? s->body.first : NULL; inner && dead;
         inner = inner->next) {
        dead = is_dead(d, inner);
    }
    return dead;
}

bool statement_is_dead(const Program *p, int sid) {
    if (sid < 0 || sid >= p->nstmts) {
        return false;
    }
    Arena arena = ARENA_EMPTY;
    DeadNames d = dead_names(&arena, p);
    do {
        d.found = false;
        show_groups(&d, p);
        for (int i = 0; i < p->nstmts; i++) {
            Stmt *s = (Stmt *)program_stmt(p, i);
            if (reads_values(s) && is_needed(&d, s)) {
                stmt_uses(s, dead_note_read, &d);
            }
        }
    } while (d.found);
    bool dead = is_dead(&d, (Stmt *)program_stmt(p, sid));
    arena_destroy(&arena);
    return dead;
}

/* The same of a given number: is it what the schema's default is? */
static bool is_default(const Param *param, const PArg *arg) {
    const bool number = param->type == ARG_SCALAR && arg->given && !arg->is_none &&
                        param->has_default && !param->def.none;
    return argument_is_default(param, arg) ||
           (number && arg->scalar.kind == param->def.scalar.kind &&
            scalar_to_double(arg->scalar) == scalar_to_double(param->def.scalar));
}

/* "op(arguments)" of an op statement that binds something, without arguments at their defaults; or
 * NULL. */
static const char *right_hand_side(Arena *arena, const Program *p, const Stmt *s) {
    if (!only_computes(s)) {
        return NULL;
    }
    Stmt plain = *s;
    plain.arg = arena_array(arena, PArg, s->op->nparam);
    for (int k = 0; k < s->op->nparam; k++) {
        plain.arg[k] =
            is_default(&s->op->param[k], &s->arg[k]) ? (PArg){.given = false} : s->arg[k];
    }
    Text text = {.arena = arena};
    stmt_print_text(&text, p, &plain);
    const char *equals = strstr(text.v, " = ");
    return equals ? equals + 3 : NULL;
}

/* Is it the same call as another one of the first `n` statements? */
static bool equals_another(const Program *p, int sid, int n) {
    Arena arena = ARENA_EMPTY;
    const char *own =
        sid >= 0 && sid < p->nstmts ? right_hand_side(&arena, p, program_stmt(p, sid)) : NULL;
    bool found = false;
    for (int i = 0; i < n && own && !found; i++) {
        const char *other = i == sid ? NULL : right_hand_side(&arena, p, program_stmt(p, i));
        found = other && strcmp(own, other) == 0;
    }
    arena_destroy(&arena);
    return found;
}

bool statement_is_repeated(const Program *p, int sid) { return equals_another(p, sid, sid); }

bool statement_has_equal(const Program *p, int sid) { return equals_another(p, sid, p->nstmts); }
