/* The generator inside an existing program: the mutators that draw something at a position.
 *
 * Inference runs over the statements before the position, so that the generator knows the metadata
 * of every name and has guesses about values and histories. It draws into a separate block, which
 * is then spliced in. New inputs are added to every recall as well. */
#include "fuzz/generate/draw.h"
#include "fuzz/mutate/mutant.h"

#include <stdlib.h>
#include <string.h>

/* The largest number behind `prefix` among the names, plus 1. */
static int next_number(const Program *p, char prefix) {
    int next = 0;
    for (int i = 0; i < p->nnames; i++) {
        const char *name = p->names[i];
        if (name[0] == prefix && name[1] >= '0' && name[1] <= '9') {
            int number = (int)min_i64(strtol(name + 1, NULL, 10), 1000);
            next = number >= next ? number + 1 : next;
        }
    }
    return next;
}

/* Replays the statements of the body up to `position`; true if it was reached. */
static bool replay(Gen *g, Block *block, const Stmt *position, Stmt **before, Block **at) {
    Stmt *previous = NULL;
    for (Stmt *s = block->first; s; s = s->next) {
        if (s == position) {
            *before = previous;
            *at = block;
            return true;
        }
        bool grad = g->grad;
        if (s->kind == STMT_OP) {
            gen_replay(g, s);
        } else if (s->kind == STMT_WITH) {
            g->grad = s->context == CONTEXT_grad_mode ? s->grad_enabled : g->grad;
            if (replay(g, &s->body, position, before, at)) {
                return true;
            }
        } else if (s->kind == STMT_IF) {
            bool taken = predicate_guess(g, &s->predicate);
            if (replay(g, taken ? &s->body : &s->orelse, position, before, at)) {
                return true;
            }
        }
        g->grad = grad;
        previous = s;
    }
    return false;
}

/* Drops the statements of the block, up to `*left` of them, that inference refuses. */
static void mend_block(Gen *g, Block *block, int *left) {
    for (Stmt **at = &block->first; *at;) {
        Stmt *s = *at;
        bool grad = g->grad;
        g->err.code = ERR_none;
        if (s->kind == STMT_OP) {
            gen_replay(g, s);
        } else if (s->kind == STMT_WITH) {
            g->grad = s->context == CONTEXT_grad_mode ? s->grad_enabled : g->grad;
            mend_block(g, &s->body, left);
            g->err.code = ERR_none;
        } else if (s->kind == STMT_IF) {
            bool taken = predicate_guess(g, &s->predicate);
            mend_block(g, taken ? &s->body : &s->orelse, left);
            g->err.code = ERR_none;
        }
        g->grad = grad;
        ErrCode why = g->err.code;
        bool refused = why == ERR_shape || why == ERR_dtype || why == ERR_index_range ||
                       why == ERR_index_dtype || why == ERR_view_stride;
        if (refused && *left > 0) {
            *at = s->next;
            block->count--;
            --*left;
        } else {
            at = &s->next;
        }
    }
}

bool mutant_drop_refused(Mutant *m) {
    enum { MOST = 6 };
    Program *p = m->p;
    if (p->setup_given || p->nnames + 40 > GEN_NAMES || p->ninputs > GEN_INPUTS) {
        return false;
    }
    Gen gen;
    gen_begin(&gen, m->arena, &GENERATE_DEFAULTS, p, 0);
    for (int i = 0; i < p->ninputs; i++) {
        gen_input(&gen, &p->inputs[i]);
    }
    int left = MOST;
    mend_block(&gen, &p->body, &left);
    return left < MOST;
}

static void splice_drawn(Block *into, Stmt *before, const Block *drawn) {
    Stmt *tail = drawn->first;
    while (tail->next) {
        tail = tail->next;
    }
    Stmt **at = before ? &before->next : &into->first;
    tail->next = *at;
    *at = drawn->first;
    into->count += drawn->count;
}

/* What a mutator draws behind the statement `before` (NULL: at the beginning of a block). */
typedef void (*DrawHere)(Gen *g, const Stmt *before);

static void some_statements(Gen *g, const Stmt *before) {
    (void)before;
    for (int n = 1 + draw_below(g, 2); n > 0 && gen_room(g); n--) {
        draw_statement(g);
    }
}

static void some_pattern(Gen *g, const Stmt *before) {
    (void)before;
    pattern_draw(g);
}

/* What was made is looked at. */
static void return_also(Mutant *m, NameId name) {
    Program *p = m->p;
    NameId *more = arena_array(m->arena, NameId, p->nreturns + 1);
    if (p->nreturns > 0) {
        memcpy(more, p->returns, sizeof *more * (size_t)p->nreturns);
    }
    more[p->nreturns++] = name;
    p->returns = more;
}

static bool draw_into(Mutant *m, Site *position, DrawHere draw) {
    Program *p = m->p;
    int next_input = next_number(p, 'x'), next_var = next_number(p, 'v'), inputs = p->ninputs;
    if (p->nnames + 40 > GEN_NAMES || next_input > 900 || next_var > 900 || inputs > GEN_INPUTS ||
        p->setup_given) {
        return false;
    }
    Gen gen;
    Gen *g = &gen;
    if (p->args_given) { /* a new input is an argument too */
        NameId *args = arena_array(m->arena, NameId, p->nargs + GEN_INPUTS);
        if (p->nargs > 0) {
            memcpy(args, p->args, sizeof *args * (size_t)p->nargs);
        }
        p->args = args;
    }
    gen_begin(g, m->arena, &GENERATE_DEFAULTS, p, rng_next(&m->rng));
    g->next_input = next_input;
    g->next_var = next_var;
    g->next_storage = next_number(p, 's');
    for (int i = 0; i < inputs; i++) {
        gen_input(g, &p->inputs[i]);
    }
    Stmt *before = NULL;
    Block *at = &p->body, drawn = {NULL, 0};
    if (!replay(g, &p->body, position ? position->stmt : NULL, &before, &at)) {
        at = &p->body;
        for (before = p->body.first; before && before->next;) {
            before = before->next;
        }
    }
    g->block = &drawn;
    g->tail = NULL;
    draw(g, before);
    for (int i = m->names.n; i < g->nnames; i++) {
        NameId id = names_intern(&m->names, g->names[i]);
        CHECK(id == i);
    }
    p->names = m->names.v;
    p->nnames = m->names.n;
    for (int k = 0; k < p->nrecalls; k++) {
        Recall *r = &p->recalls[k];
        if (!r->keep && p->ninputs > inputs) {
            Input *more = arena_array(m->arena, Input, p->ninputs);
            if (inputs > 0) {
                memcpy(more, r->inputs, sizeof *more * (size_t)inputs);
            }
            memcpy(more + inputs, p->inputs + inputs, sizeof *more * (size_t)(p->ninputs - inputs));
            r->inputs = more;
            r->ninputs = p->ninputs;
        }
    }
    if (drawn.count == 0) {
        return p->ninputs > inputs;
    }
    splice_drawn(at, before, &drawn);
    for (int i = 0; i < g->nwanted && p->nreturns < GEN_RETURNS; i++) {
        return_also(m, g->wanted[i]->name);
    }
    const GenVar *last = g->nvars > 0 ? &g->var[g->nvars - 1] : NULL;
    if (last && g->nwanted == 0 && p->nreturns < GEN_RETURNS && mutant_chance(m, 50)) {
        return_also(m, last->name);
    }
    return true;
}

static Site *some_position(Mutant *m) { return mutant_chance(m, 70) ? mutant_pick(m, NULL) : NULL; }

bool mutator_draw_statement(Mutant *m) { return draw_into(m, some_position(m), some_statements); }
bool mutator_draw_pattern(Mutant *m) { return draw_into(m, some_position(m), some_pattern); }
bool mutator_repeat_related(Mutant *m) {
    Site *position = mutant_chance(m, 80) ? mutant_pick(m, NULL) : NULL;
    return draw_into(m, position, draw_related);
}
