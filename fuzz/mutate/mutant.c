/* A mutation: copy the program, let one mutator change it, bind what became unbound, number the
 * statements, verify.
 *
 * A mutator may find nothing to change, or make something that the verifier refuses (a limit): then
 * another is drawn, and after a few the seed of a fill is changed, which always works where there
 * is an input; the empty program gets a statement. */
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutant.h"

#include <string.h>

static const struct {
    const char *name;
    int weight;
    bool (*change)(Mutant *m);
} mutators[] = {
#define MUTATOR(name, weight, text) {#name, weight, mutator_##name},
#include "fuzz/mutate/mutators.def"
#undef MUTATOR
};
enum {
    DROP_PERCENT = 80 /* the rest may err */,
    DROP_ROUNDS = 3,
    TRIES = 12,
    RECALLS_ROOM = 2,
    INPUTS_ROOM = MAX_INPUTS
};

const char *mutator_name(int mutator) {
    return mutator >= 0 && mutator < COUNT_OF(mutators) ? mutators[mutator].name : NULL;
}

/* ---- statements and names ---- */

static void add_sites(Mutant *m, Block *block, int depth) {
    Stmt *before = NULL;
    for (Stmt *s = block->first; s; s = s->next) {
        m->site[m->nsite++] = (Site){s, block, before, depth};
        add_sites(m, &s->body, depth + 1);
        add_sites(m, &s->orelse, depth + 1);
        before = s;
    }
}

/* Recomputes the sites of the body; call it after every change of blocks. */
static void mutant_sites(Mutant *m) {
    program_number(m->p);
    m->site = arena_array(m->arena, Site, m->p->nstmts + 1);
    m->nsite = 0;
    add_sites(m, &m->p->body, 0);
    add_sites(m, &m->p->after, 0);
}

Site *mutant_pick(Mutant *m, bool (*accept)(const Stmt *s)) {
    Site *chosen = NULL;
    int n = 0;
    for (int i = 0; i < m->nsite; i++) {
        if ((!accept || accept(m->site[i].stmt)) && mutant_below(m, ++n) == 0) {
            chosen = &m->site[i];
        }
    }
    return chosen;
}

typedef struct NameList {
    NameId *v;
    int n;
} NameList;

static void add_outs(NameList *list, const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        for (int i = 0; i < s->nout; i++) {
            list->v[list->n++] = s->out[i];
        }
        add_outs(list, &s->body);
        add_outs(list, &s->orelse);
    }
}

static int count_outs(const Block *block) {
    int n = 0;
    for (const Stmt *s = block->first; s; s = s->next) {
        n += s->nout + count_outs(&s->body) + count_outs(&s->orelse);
    }
    return n;
}

NameId mutant_bound(Mutant *m, const Site *site) {
    const Program *p = m->p;
    NameList list = {arena_array(m->arena, NameId,
                                 p->ninputs + count_outs(&p->setup) + count_outs(&p->body) +
                                     count_outs(&p->after) + 1),
                     0};
    for (int i = 0; i < p->ninputs; i++) {
        list.v[list.n++] = p->inputs[i].name;
    }
    add_outs(&list, &p->setup);
    for (int i = 0; i < m->nsite && (!site || m->site[i].stmt != site->stmt); i++) {
        const Stmt *s = m->site[i].stmt;
        for (int k = 0; k < s->nout; k++) {
            list.v[list.n++] = s->out[k];
        }
    }
    if (list.n == 0) {
        return NAME_NONE;
    }
    int recent = list.n < 4 ? list.n : 4;
    bool late = mutant_chance(m, 50);
    return list.v[late ? list.n - 1 - mutant_below(m, recent) : mutant_below(m, list.n)];
}

NameId mutant_fresh(Mutant *m) {
    for (int number = m->names.n;; number++) {
        int before = m->names.n;
        NameId id = names_intern(&m->names, arena_printf(m->arena, "m%d", number));
        if (id == NAME_NONE || id == before) {
            m->p->names = m->names.v;
            m->p->nnames = m->names.n;
            return id == NAME_NONE ? 0 : id;
        }
    }
}

void mutant_insert(Mutant *m, const Site *site, Stmt *s) {
    Block *block = site ? site->block : &m->p->body;
    Stmt **at = &block->first;
    while (*at && (!site || *at != site->stmt)) {
        at = &(*at)->next;
    }
    s->next = *at;
    *at = s;
    block->count++;
}

void mutant_remove(const Site *site) {
    Stmt **at = &site->block->first;
    while (*at != site->stmt) {
        at = &(*at)->next;
    }
    *at = site->stmt->next;
    site->block->count--;
}

bool stmt_writes(const Stmt *s) {
    return s->kind == STMT_OP && s->op->nparam > 0 && s->op->param[0].writes;
}

/* ---- the fixup ---- */

typedef struct Fixup {
    Mutant *m;
    bool *bound;
    NameList list;
} Fixup;

static void mutant_bind(Fixup *f, NameId name) {
    if (!f->bound[name]) {
        f->bound[name] = true;
        f->list.v[f->list.n++] = name;
    }
}

static void repair(void *user, NameId *name) {
    Fixup *f = user;
    if (!f->bound[*name] && f->list.n > 0) {
        *name = f->list.v[mutant_below(f->m, f->list.n)];
    }
}

static void fix_block(Fixup *f, Block *block) {
    for (Stmt *s = block->first; s; s = s->next) {
        stmt_reads(s, repair, f);
        fix_block(f, &s->body);
        fix_block(f, &s->orelse);
        for (int i = 0; i < s->nout; i++) {
            mutant_bind(f, s->out[i]);
        }
    }
}

/* Behind the function there are its arguments and what it returned. */
static void fix_after(Mutant *m) {
    Program *p = m->p;
    p->after_given &= p->after.first != NULL;
    Fixup f = {
        m, arena_array(m->arena, bool, m->names.n), {arena_array(m->arena, NameId, m->names.n), 0}};
    for (int i = 0; i < program_nargs(p); i++) {
        mutant_bind(&f, program_arg(p, i));
    }
    for (int i = 0; i < p->nreturns; i++) {
        mutant_bind(&f, p->returns[i]);
    }
    fix_block(&f, &p->after);
}

/* Reads of names that are not bound are given a bound one; args and sets name what there is. */
static void fix(Mutant *m) {
    Program *p = m->p;
    Fixup f = {
        m, arena_array(m->arena, bool, m->names.n), {arena_array(m->arena, NameId, m->names.n), 0}};
    for (int i = 0; i < p->ninputs; i++) {
        mutant_bind(&f, p->inputs[i].name);
    }
    fix_block(&f, &p->setup);
    int kept = 0;
    for (int i = 0; i < p->nargs; i++) {
        if (f.bound[p->args[i]]) {
            p->args[kept++] = p->args[i];
        }
    }
    p->nargs = kept;
    for (int k = 0; k < p->nrecalls; k++) {
        Recall *r = &p->recalls[k];
        int n = 0;
        for (int i = 0; i < r->nset; i++) {
            if (f.bound[r->set[i].name]) {
                r->set[n++] = r->set[i];
            }
        }
        r->nset = n;
    }
    fix_block(&f, &p->body);
    for (int i = 0; i < p->nreturns; i++) {
        repair(&f, &p->returns[i]);
    }
    if (f.list.n == 0) {
        p->nreturns = 0;
    }
    fix_after(m);
    int of = 0;
    for (int i = 0; i < p->backward.nof; i++) {
        if (p->backward.of[i] < p->nreturns) {
            p->backward.of[of++] = p->backward.of[i];
        }
    }
    p->backward.nof = p->backward.nof < 0 ? -1 : of;
}

/* ---- one mutation ---- */

static Mutant mutant_of(Arena *arena, const Program *p, const Program *other, uint64_t seed) {
    Mutant m = {.arena = arena,
                .rng = {seed},
                .p = program_clone(arena, p),
                .other = other,
                .names = {.arena = arena}};
    for (int i = 0; i < p->nnames; i++) {
        NameId id = names_intern(&m.names, p->names[i]);
        CHECK(id == i);
    }
    m.p->names = m.names.v;
    Input *inputs = arena_array(arena, Input, INPUTS_ROOM);
    if (p->ninputs > 0) {
        memcpy(inputs, m.p->inputs, sizeof *inputs * (size_t)p->ninputs);
    }
    m.p->inputs = inputs;
    Recall *recalls = arena_array(arena, Recall, p->nrecalls + RECALLS_ROOM);
    if (p->nrecalls > 0) {
        memcpy(recalls, m.p->recalls, sizeof *recalls * (size_t)p->nrecalls);
    }
    m.p->recalls = recalls;
    m.p->expect = NULL; /* another program has another result */
    mutant_sites(&m);
    return m;
}

/* `drops_refused`: statements that inference refuses may be dropped. NULL if the mutator does not
 * apply. */
static Program *mutate_once(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                            const Limits *limits, int mutator, bool drops_refused) {
    Mutant m = mutant_of(arena, p, other, seed);
    if (!mutators[mutator].change(&m)) {
        return NULL;
    }
    if (!mutant_chance(&m, 4)) { /* an unbound name is a program too */
        fix(&m);
        drops_refused = drops_refused && mutant_chance(&m, DROP_PERCENT);
        for (int round = 0; drops_refused && round < DROP_ROUNDS && mutant_drop_refused(&m);
             round++) {
            fix(&m); /* what was dropped may have been read */
        }
    }
    program_number(m.p);
    char message[256];
    return program_verify_within(m.p, limits, message, sizeof message) ? m.p : NULL;
}

Program *mutate_by(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                   const Limits *limits, int mutator) {
    return mutate_once(arena, p, other, seed, limits, mutator, true);
}

/* `times` >= 1 mutators, one after the other; statements that inference refuses are dropped
 * after the last one. *mutator: the last one. */
static Program *mutate_times(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                             const Limits *limits, int times, int *mutator);

Program *mutate_program(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                        const Limits *limits, int *mutator) {
    return mutate_times(arena, p, other, seed, limits, 1, mutator);
}

static Program *mutate_times(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                             const Limits *limits, int times, int *mutator) {
    Rng rng = {seed};
    int total = 0, last = -1;
    for (int i = 0; i < COUNT_OF(mutators); i++) {
        total += mutators[i].weight;
    }
    Program *made = NULL;
    for (int done = 0, try = 0; done < times && try < TRIES + times; try++) {
        int at = (int)rng_below(&rng, total), k = 0;
        while (at >= mutators[k].weight) {
            at -= mutators[k++].weight;
        }
        uint64_t own = rng_next(&rng);
        Program *q = mutate_once(arena, made ? made : p, other, own, limits, k, done == times - 1);
        if (q) {
            made = q;
            last = k;
            done++;
        }
    }
    if (mutator) {
        *mutator = last;
    }
    if (!made) {
        made = program_clone(arena, p);
        for (int i = 0; i < made->ninputs; i++) {
            made->inputs[i].data.seed += made->inputs[i].data.is_fill;
        }
    }
    return made;
}

/* ---- bytes ---- */

/* What engines are given, by what bench/growth measured. One change seldom brings anything new;
 * five to ten at once do, for the time they take, about as often as a program of the generator, and
 * other things. */
enum {
    FRESH_PERCENT = 50,
    CROSS_PERCENT = 15,
    WILD_PERCENT = 10 /* of crosses: with a program of the generator */,
    MOST_TIMES = 10
};

static const Program *program_of_bytes(Arena *arena, const uint8_t *v, int64_t n,
                                       const Limits *limits) {
    char message[256];
    Program *p = codec_decode(arena, v, n, limits, message, sizeof message);
    return p ? p : codec_decode(arena, NULL, 0, limits, message, sizeof message);
}

static int64_t mutant_give(Arena *arena, Program *p, uint8_t *out, int64_t most) {
    Bytes bytes = codec_encode_last(arena, p);
    int64_t n = min_i64(bytes.n, most); /* cut bytes are a program too */
    memcpy(out, bytes.v, (size_t)n);
    return n;
}

int64_t mutate_bytes(Arena *arena, const uint8_t *v, int64_t n, uint8_t *out, int64_t most,
                     uint64_t seed, const Limits *limits) {
    const Program *p = program_of_bytes(arena, v, n, limits);
    return mutant_give(arena, mutate_program(arena, p, NULL, seed, limits, NULL), out, most);
}

static Program *mutant_splice(Arena *arena, const Program *p, const Program *other, uint64_t seed,
                              const Limits *limits) {
    int mutant_splice = 0;
    while (strcmp(mutators[mutant_splice].name, "splice") != 0) {
        mutant_splice++;
    }
    return mutate_by(arena, p, other, seed, limits, mutant_splice);
}

static Program *fresh(Arena *arena, uint64_t seed) {
    Program *p = generate_program(arena, seed, 0);
    p->name = NULL; /* bytes would carry it */
    return p;
}

int64_t breed_bytes(Arena *arena, const uint8_t *v, int64_t n, const uint8_t *other, int64_t nother,
                    uint8_t *out, int64_t most, uint64_t seed) {
    const Limits *limits = &MUTATE_LIMITS;
    char message[256];
    Rng rng = {seed};
    uint64_t new_seed = rng_next(&rng), cross_seed = rng_next(&rng), change_seed = rng_next(&rng);
    int times = 1 + (int)rng_below(&rng, MOST_TIMES);
    if (rng_chance(&rng, FRESH_PERCENT)) {
        Program *p = fresh(arena, new_seed);
        if (program_verify_within(p, limits, message, sizeof message)) {
            return mutant_give(arena, p, out, most);
        }
    }
    const Program *p = program_of_bytes(arena, v, n, limits);
    if (rng_chance(&rng, CROSS_PERCENT)) {
        bool wild = nother <= 0 || rng_chance(&rng, WILD_PERCENT);
        const Program *q = mutant_splice(arena, p,
                                         wild ? fresh(arena, new_seed)
                                              : program_of_bytes(arena, other, nother, limits),
                                         cross_seed, limits);
        p = q ? q : p;
    }
    return mutant_give(arena, mutate_times(arena, p, NULL, change_seed, limits, times, NULL), out,
                       most);
}
