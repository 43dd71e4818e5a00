/* Cuts a program, and finds the names that can be observed at the cut. */
#include "harness/triage/prefix.h"

#include "harness/reduce/edit.h"
#include "program/lang/uses.h"

void names_add(NameSet *set, NameId name) {
    if (!names_has(set, name) && set->n < PREFIX_NAMES) {
        set->name[set->n++] = name;
    }
}

bool names_has(const NameSet *set, NameId name) {
    for (int i = 0; i < set->n; i++) {
        if (set->name[i] == name) {
            return true;
        }
    }
    return false;
}

static void add_bound(void *user, NameId *name, Use use) {
    if (use == USE_BIND) {
        names_add(user, *name);
    }
}

static void add_made(void *user, NameId *name, Use use) {
    if (use != USE_READ) {
        names_add(user, *name);
    }
}

/* Does the statement bind its names whatever happens? (A gradient that may be unused may be None.)
 */
static bool surely_binds(const Stmt *s) {
    return s->kind == STMT_OP || s->kind == STMT_APPLY ||
           (s->kind == STMT_GRAD && !s->grad->allow_unused);
}

static void bound_in(const Block *block, bool on_path, NameSet *set) {
    for (Stmt *s = block->first; s; s = s->next) {
        bool last = on_path && !s->next;
        if (surely_binds(s)) {
            stmt_uses(s, add_bound, set);
        } else if (s->kind == STMT_WITH) {
            bound_in(&s->body, last, set);
        } else if (s->kind == STMT_IF && last) {
            bound_in(s->orelse.first ? &s->orelse : &s->body, true, set);
        }
    }
}

Program *prefix_cut(Arena *arena, const Program *p, int sid) {
    Program *prefix = program_clone(arena, p);
    prefix->expect = NULL;
    edit_cut(prefix, sid);
    return prefix;
}

void prefix_names(const Program *prefix, NameSet *out) {
    for (int i = 0; i < program_nargs(prefix); i++) {
        names_add(out, program_arg(prefix, i));
    }
    bound_in(&prefix->body, true, out);
}

bool prefix_is_step(const Stmt *s) {
    switch (s->kind) {
    case STMT_OP:
    case STMT_GRAPH_BREAK:
    case STMT_APPLY:
    case STMT_HOOK:
    case STMT_GRAD:
    case STMT_DOT_GRAD:
        return true;
    case STMT_WITH:
    case STMT_IF:
    case STMT_ASSERT:
    case STMT_PROBE:
    case STMT_COUNT:
        break;
    }
    return false;
}

void prefix_made(Stmt *s, NameSet *out) { stmt_uses(s, add_made, out); }

void prefix_return(Program *prefix, const NameSet *names) {
    prefix->returns = arena_copy(prefix->arena, names->name, (int64_t)sizeof(NameId) * names->n);
    prefix->nreturns = names->n;
}

Stmt *prefix_probe(Program *prefix, Stmt *last, ProbeKind kind, const NameSet *names) {
    for (int i = 0; i < names->n; i++) {
        Stmt *probe = stmt_make(prefix->arena, STMT_PROBE);
        probe->probe = kind;
        probe->of = names->name[i];
        if (last) {
            edit_insert_after(prefix, last, probe);
        } else {
            prefix->body = (Block){probe, 1};
            program_number(prefix);
        }
        last = probe;
    }
    return last;
}

Stmt *prefix_branch(Program *prefix, Stmt *last, const NameSet *names) {
    for (int i = 0; i < names->n && last; i++) {
        Stmt *probe = stmt_make(prefix->arena, STMT_PROBE),
             *branch = stmt_make(prefix->arena, STMT_IF);
        probe->probe = PROBE_is_grad_enabled;
        probe->of = NAME_NONE;
        branch->predicate = (Predicate){.kind = PRED_requires_grad, .of = names->name[i]};
        branch->body = (Block){probe, 1};
        edit_insert_after(prefix, last, branch);
        last = branch;
    }
    return last;
}
