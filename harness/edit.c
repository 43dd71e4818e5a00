/* Statements are lists in blocks; every edit walks the tree of blocks and relinks the list of the one it changes. */
#include "harness/edit.h"

static void collect(const Block *block, Stmt **out) {
    for (Stmt *s = block->first; s; s = s->next) {
        out[s->sid] = s;
        collect(&s->body, out);
        collect(&s->orelse, out);
    }
}

Stmt **edit_statements(Arena *arena, Program *p) {
    Stmt **out = arena_array(arena, Stmt *, p->nstmts + 1);
    collect(&p->setup, out);
    collect(&p->body, out);
    return out;
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
    program_number(p);
}

void edit_drop(Program *p, const bool *drop) {
    Filter f = {drop, INT32_MAX};
    filter_block(&p->setup, &f);
    filter_block(&p->body, &f);
    program_number(p);
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

void edit_inline(Program *p, Stmt *s, const Block *by) {
    Block *in;
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
    program_number(p);
}
