/* Statements are lists in blocks; every edit walks the tree of blocks and relinks the list of the
 * one it changes. */
#include "harness/reduce/edit.h"

#include "program/lang/uses.h"

static void reduce_edit_collect(const Block *block, Stmt **out) {
    for (Stmt *s = block->first; s; s = s->next) {
        out[s->sid] = s;
        reduce_edit_collect(&s->body, out);
        reduce_edit_collect(&s->orelse, out);
    }
}

Stmt **edit_statements(Arena *arena, Program *p) {
    Stmt **out = arena_array(arena, Stmt *, p->nstmts + 1);
    reduce_edit_collect(&p->setup, out);
    reduce_edit_collect(&p->body, out);
    reduce_edit_collect(&p->after, out);
    return out;
}

/* ---- names outside of the function ---- */

static void note_bound(void *user, NameId *name, Use use) {
    bool *bound = user;
    bound[*name] |= use == USE_BIND;
}

static void note_block(const Block *block, bool *bound) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_uses(s, note_bound, bound);
        note_block(&s->body, bound);
        note_block(&s->orelse, bound);
    }
}

void edit_forget(Program *p) {
    if (!p->args_given && p->nrecalls == 0) {
        return;
    }
    bool *bound = arena_array(p->arena, bool, p->nnames),
         *passed = arena_array(p->arena, bool, p->nnames);
    for (int i = 0; i < p->ninputs; i++) {
        bound[p->inputs[i].name] = true;
    }
    note_block(&p->setup, bound);
    int kept = 0;
    for (int i = 0; i < p->nargs; i++) {
        NameId name = p->args[i];
        if (bound[name] && !passed[name]) {
            p->args[kept++] = name;
        }
        passed[name] = true;
    }
    p->nargs = kept;
    for (int k = 0; k < p->nrecalls; k++) {
        Recall *r = &p->recalls[k];
        kept = 0;
        for (int i = 0; i < r->nset; i++) {
            if (bound[r->set[i].name]) {
                r->set[kept++] = r->set[i];
            }
        }
        r->nset = kept;
        r->set = kept > 0 ? r->set : NULL;
    }
}

/* ---- call styles name statements by path: they follow the statements that stay ---- */

typedef struct StyledStatements {
    Stmt **styled, **formed; /* by index in the choices of the surface; NULL: none */
} StyledStatements;

static Stmt **chosen_before(Program *p, const PathChoices *choices) {
    Stmt **stmt = arena_array(p->arena, Stmt *, choices->n + 1);
    for (int i = 0; i < choices->n; i++) {
        int sid = program_find(p, choices->v[i].path);
        stmt[i] = sid >= 0 ? program_stmt(p, sid) : NULL;
    }
    return stmt;
}

static StyledStatements styled_before(Program *p) {
    StyledStatements s = {NULL, NULL};
    if (p->surface) {
        s.styled = chosen_before(p, &p->surface->call_styles);
        s.formed = chosen_before(p, &p->surface->forms);
    }
    return s;
}

static void choices_follow(Program *p, PathChoices *choices, Stmt *const *before) {
    int kept = 0;
    for (int i = 0; i < choices->n; i++) {
        const Stmt *s = before[i];
        if (s && s->sid < p->nstmts && program_stmt(p, s->sid) == s) {
            choices->v[kept] = choices->v[i];
            choices->v[kept++].path = program_path(p->arena, p, s->sid);
        }
    }
    choices->n = kept;
    choices->given = kept > 0;
}

/* After the edit: renumbers, gives call styles their new paths, drops those of dropped statements,
 * and the outline, whose numbers now mean other statements. */
static void reduce_edit_settle(Program *p, const StyledStatements *before) {
    program_number(p);
    edit_forget(p);
    if (!p->surface) {
        return;
    }
    p->surface->noutline = 0;
    p->surface->outline_given = false;
    choices_follow(p, &p->surface->call_styles, before->styled);
    choices_follow(p, &p->surface->forms, before->formed);
}

/* Rebuilds `block` from the statements that `keep` says, recursively. */
typedef struct Filter {
    const bool *drop; /* by sid, or NULL */
    int last;         /* drop sids above it */
} Filter;

static void filter_block(Block *block, const Filter *f) {
    Stmt **link = &block->first;
    block->count = 0;
    for (Stmt *s = block->first; s; s = s->next) {
        if (s->sid > f->last || (f->drop && f->drop[s->sid])) {
            continue;
        }
        filter_block(&s->body, f);
        filter_block(&s->orelse, f);
        s->has_else = s->has_else && s->orelse.count > 0;
        *link = s;
        link = &s->next;
        block->count++;
    }
    *link = NULL;
}

void edit_cut(Program *p, int last) {
    Filter f = {NULL, last};
    filter_block(&p->body, &f);
    p->after = (Block){NULL, 0}; /* it is behind all of the body */
    p->after_given = false;
    program_number(p);
}

void edit_drop(Program *p, const bool *drop) {
    Filter f = {drop, INT32_MAX};
    StyledStatements styled = styled_before(p);
    filter_block(&p->setup, &f);
    filter_block(&p->body, &f);
    filter_block(&p->after, &f);
    reduce_edit_settle(p, &styled);
}

/* Marks the probes of a block in `drop` (by sid; may be NULL); are there any? */
static bool mark_probes(const Block *block, bool *drop) {
    bool any = false;
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_PROBE) {
            any = true;
            if (drop) {
                drop[s->sid] = true;
            }
        }
        any |= mark_probes(&s->body, drop);
        any |= mark_probes(&s->orelse, drop);
    }
    return any;
}

bool edit_has_probes(const Program *p) {
    return mark_probes(&p->body, NULL) || mark_probes(&p->after, NULL);
}

void edit_drop_probes(Program *p) {
    bool *drop = arena_array(p->arena, bool, p->nstmts + 1);
    bool any = mark_probes(&p->body, drop);
    if (mark_probes(&p->after, drop) || any) {
        edit_drop(p, drop);
    }
}

/* The link that points to `s`, and its block. */
static Stmt **find_link(Block *block, const Stmt *s, Block **in) {
    for (Stmt **link = &block->first; *link; link = &(*link)->next) {
        if (*link == s) {
            *in = block;
            return link;
        }
        Stmt **found = find_link(&(*link)->body, s, in);
        if (!found) {
            found = find_link(&(*link)->orelse, s, in);
        }
        if (found) {
            return found;
        }
    }
    return NULL;
}

static Stmt **link_of(Program *p, const Stmt *s, Block **in) {
    Stmt **link = find_link(&p->body, s, in);
    link = link ? link : find_link(&p->setup, s, in);
    link = link ? link : find_link(&p->after, s, in);
    CHECK(link);
    return link;
}

void edit_insert_after(Program *p, const Stmt *after, Stmt *s) {
    Block *in;
    Stmt **link = link_of(p, after, &in);
    s->next = (*link)->next;
    (*link)->next = s;
    in->count++;
    program_number(p);
}

void edit_insert_before(Program *p, const Stmt *before, Stmt *s) {
    Block *in;
    Stmt **link = link_of(p, before, &in);
    s->next = *link;
    *link = s;
    in->count++;
    program_number(p);
}

void edit_inline(Program *p, Stmt *s, const Block *by) {
    Block *in;
    StyledStatements styled = styled_before(p);
    Stmt **link = link_of(p, s, &in);
    Stmt *rest = s->next;
    *link = by->first ? by->first : rest;
    if (by->first) {
        Stmt *tail = by->first;
        while (tail->next) {
            tail = tail->next;
        }
        tail->next = rest;
    }
    in->count += by->count - 1;
    reduce_edit_settle(p, &styled);
}
