/* Mutators of statements: more, fewer, elsewhere, in blocks, from another program. */
#include "fuzz/mutate/mutant.h"

#include <string.h>

static bool is_block(const Stmt *s) { return s->kind == STMT_WITH || s->kind == STMT_IF; }
static bool is_plain(const Stmt *s) { return !is_block(s); }
static bool statements_has_operand(const Stmt *s) {
    return s->kind == STMT_OP && s->op->nparam > 0 && s->op->param[0].type == ARG_TENSOR &&
           s->arg[0].given;
}

bool mutator_delete_statement(Mutant *m) {
    Site *site = mutant_pick(m, NULL);
    if (!site) {
        return false;
    }
    mutant_remove(site);
    return true;
}

/* A copy of one statement, in the program's own names. */
static Stmt *copy_stmt(Mutant *m, const Stmt *s) {
    Program one = *m->p;
    Stmt alone = *s;
    alone.next = NULL;
    one.body = (Block){&alone, 1};
    one.setup = (Block){NULL, 0};
    return program_clone(m->arena, &one)->body.first;
}

bool mutator_duplicate_statement(Mutant *m) {
    Site *site = mutant_pick(m, is_plain);
    if (!site) {
        return false;
    }
    Stmt *twin = copy_stmt(m, site->stmt);
    bool fresh = mutant_chance(m, 60);
    for (int i = 0; i < twin->nout && fresh; i++) {
        twin->out[i] = mutant_fresh(m);
    }
    twin->next = site->stmt->next;
    site->stmt->next = twin;
    site->block->count++;
    return true;
}

bool mutator_move_statement(Mutant *m) {
    Site *from = mutant_pick(m, NULL), *to = mutant_pick(m, NULL);
    if (!from || from->stmt == to->stmt || from->block != to->block) {
        return false;
    }
    mutant_remove(from);
    mutant_insert(m, to, from->stmt);
    return true;
}

bool mutator_swap_neighbours(Mutant *m) {
    Site *site = mutant_pick(m, NULL);
    if (!site || !site->before ||
        (!stmt_writes(site->stmt) && !stmt_writes(site->before) && mutant_chance(m, 70))) {
        return false;
    }
    Stmt *before = site->before;
    mutant_remove(site);
    for (Stmt **at = &site->block->first;; at = &(*at)->next) {
        if (*at == before) {
            site->stmt->next = before;
            *at = site->stmt;
            site->block->count++;
            return true;
        }
    }
}

/* Moves the statement and up to two that follow it into `into`, which takes their place. */
static bool wrap(Mutant *m, Site *site, Stmt *wrapper) {
    if (site->depth >= MAX_NESTING - 1) {
        return false;
    }
    mutant_insert(m, site, wrapper);
    Stmt *tail = NULL;
    for (int n = 1 + mutant_below(m, 3); n > 0 && wrapper->next; n--) {
        Stmt *s = wrapper->next;
        wrapper->next = s->next;
        site->block->count--;
        block_append(&wrapper->body, s, &tail);
    }
    return true;
}

static bool wrap_mode(Mutant *m, bool enabled) {
    Site *site = mutant_pick(m, NULL);
    if (!site) {
        return false;
    }
    Stmt *with = stmt_make(m->arena, STMT_WITH);
    with->grad_enabled = enabled;
    return wrap(m, site, with);
}

bool mutator_wrap_no_grad(Mutant *m) { return wrap_mode(m, false); }
bool mutator_wrap_enable_grad(Mutant *m) { return wrap_mode(m, true); }

/* A check of a flag of a bound name. */
static bool mutate_flag_check(Mutant *m, const Site *site, Predicate *out) {
    static const PredicateKind kinds[] = {PRED_requires_grad, PRED_is_leaf, PRED_has_grad_fn,
                                          PRED_is_contiguous};
    NameId of = mutant_bound(m, site);
    PredicateKind kind = kinds[mutant_below(m, COUNT_OF(kinds))];
    *out = (Predicate){.kind = kind, .of = of};
    if (mutant_chance(m, 40)) {
        Predicate *inner = arena_new(m->arena, Predicate);
        *inner = *out;
        *out = (Predicate){.kind = PRED_not, .of = NAME_NONE, .inner = inner};
    }
    return of != NAME_NONE;
}

bool mutator_wrap_branch(Mutant *m) {
    Site *site = mutant_pick(m, NULL);
    Stmt *branch = stmt_make(m->arena, STMT_IF);
    return site && mutate_flag_check(m, site, &branch->predicate) && wrap(m, site, branch);
}

bool mutator_unwrap_block(Mutant *m) {
    Site *site = mutant_pick(m, is_block);
    if (!site) {
        return false;
    }
    Block *from =
        site->stmt->has_else && mutant_chance(m, 50) ? &site->stmt->orelse : &site->stmt->body;
    Stmt *s = from->first;
    while (s) {
        Stmt *next = s->next;
        mutant_insert(m, site, s);
        s = next;
    }
    mutant_remove(site);
    return true;
}

/* Right behind the site's statement. */
static void insert_after(Site *site, Stmt *s) {
    s->next = site->stmt->next;
    site->stmt->next = s;
    site->block->count++;
}

bool mutator_probe_after_write(Mutant *m) {
    Site *write = mutant_pick(m, stmt_writes), *site = write ? write : mutant_pick(m, NULL);
    if (!site) {
        return false;
    }
    bool self = write && write->stmt->arg[0].given && mutant_chance(m, 70);
    Stmt *probe = stmt_make(m->arena, STMT_PROBE);
    probe->probe = (ProbeKind)mutant_below(m, PROBE_is_grad_enabled);
    probe->of = self ? write->stmt->arg[0].tensor : mutant_bound(m, site);
    if (probe->of == NAME_NONE) {
        return false;
    }
    insert_after(site, probe);
    return true;
}

bool mutator_assert_flag(Mutant *m) {
    Site *site = mutant_pick(m, NULL);
    Stmt *assertion = stmt_make(m->arena, STMT_ASSERT);
    if (!site || !mutate_flag_check(m, site, &assertion->predicate)) {
        return false;
    }
    mutant_insert(m, site, assertion);
    return true;
}

bool mutator_break_graph(Mutant *m) {
    Site *site = mutant_pick(m, NULL);
    if (!site) {
        return false;
    }
    mutant_insert(m, site, stmt_make(m->arena, STMT_GRAPH_BREAK));
    return true;
}

bool mutator_operand_through_view(Mutant *m) {
    static const OpId forms[] = {OP_alias, OP_detach, OP_clone,   OP_contiguous,
                                 OP_t,     OP_ravel,  OP_squeeze, OP_neg};
    Site *site = mutant_pick(m, statements_has_operand);
    if (!site) {
        return false;
    }
    Stmt *form = stmt_make_op(m->arena, op_info(forms[mutant_below(m, COUNT_OF(forms))]));
    PArg *operand = &site->stmt->arg[0];
    form->arg[0] = *operand;
    form->out = arena_array(m->arena, NameId, 1);
    form->out[0] = mutant_fresh(m);
    form->nout = 1;
    operand->tensor = form->out[0];
    mutant_insert(m, site, form);
    return true;
}

/* ---- splice ---- */

typedef struct StatementsRenaming {
    Mutant *m;
    const Program *from;
} StatementsRenaming;

/* A name of the other program, in this one. */
static void rename_read(void *user, NameId *name) {
    StatementsRenaming *r = user;
    NameId id = names_intern(&r->m->names, r->from->names[*name]);
    *name = id == NAME_NONE ? 0 : id;
}

static void rename_block(StatementsRenaming *r, Block *block) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_reads(s, rename_read, r);
        for (int i = 0; i < s->nout; i++) {
            rename_read(r, &s->out[i]);
        }
        rename_block(r, &s->body);
        rename_block(r, &s->orelse);
    }
}

bool mutator_splice(Mutant *m) {
    if (!m->other || m->other->body.count == 0) {
        return false;
    }
    const Program *other = m->other;
    Program *copy = program_clone(m->arena, other);
    Block tail = copy->body;
    for (int skip = mutant_below(m, tail.count); skip > 0; skip--) {
        tail.first = tail.first->next;
        tail.count--;
    }
    StatementsRenaming r = {m, other};
    rename_block(&r, &tail);
    if (!mutant_bring_functions(m, copy, &tail, rename_read, &r)) {
        return false;
    }
    Block *body = &m->p->body;
    int keep = mutant_below(m, body->count + 1);
    Stmt **at = &body->first;
    for (int i = 0; i < keep; i++) {
        at = &(*at)->next;
    }
    bool behind = mutant_chance(m, 50); /* what stood there follows, or is gone */
    Stmt *rest = behind ? *at : NULL;
    *at = tail.first;
    while (*at) {
        at = &(*at)->next;
    }
    *at = rest;
    for (int i = 0; i < other->nreturns && m->p->nreturns < 8; i++) {
        NameId *more = arena_array(m->arena, NameId, m->p->nreturns + 1);
        if (m->p->nreturns > 0) {
            memcpy(more, m->p->returns, sizeof *more * (size_t)m->p->nreturns);
        }
        more[m->p->nreturns] = other->returns[i];
        rename_read(&r, &more[m->p->nreturns++]);
        m->p->returns = more;
    }
    m->p->names = m->names.v;
    m->p->nnames = m->names.n;
    return true;
}
