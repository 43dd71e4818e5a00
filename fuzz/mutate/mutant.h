/* What the mutators share: the copy that is changed, and choices of statements, sites and
 * names. */
#ifndef FUZZ_MUTANT_H
#define FUZZ_MUTANT_H

#include "fuzz/mutate/mutate.h"
#include "tensor/rng.h"

typedef struct Site { /* a statement and its position */
    Stmt *stmt;
    Block *block;
    Stmt *before; /* in the block, or NULL */
    int depth;
} Site;

typedef struct Mutant {
    Arena *arena;
    Rng rng;
    Program *p;           /* the copy; Input and name arrays have room for more */
    const Program *other; /* or NULL */
    Names names;
    Site *site; /* of the body, in preorder */
    int nsite;
} Mutant;

/* Below n, n >= 1. */
static inline int mutant_below(Mutant *m, int n) { return n > 1 ? (int)rng_below(&m->rng, n) : 0; }
static inline bool mutant_chance(Mutant *m, int percent) { return mutant_below(m, 100) < percent; }

/* A site that `accept` takes (NULL: any), or NULL. */
Site *mutant_pick(Mutant *m, bool (*accept)(const Stmt *s));
/* A name bound before this site (inputs, setup, `out`s of statements before it in preorder), or
 * NAME_NONE. */
NameId mutant_bound(Mutant *m, const Site *site);
/* A name that the program does not have. */
NameId mutant_fresh(Mutant *m);
/* Puts `s` right before the site's statement; at the body's end where `site` is NULL. */
void mutant_insert(Mutant *m, const Site *site, Stmt *s);
void mutant_remove(const Site *site);
/* Does the statement write to its self? */
bool stmt_writes(const Stmt *s);
/* Drops statements that inference refuses (generate/resume.c), since nothing runs after an error.
 * True if there were any. */
bool mutant_drop_refused(Mutant *m);
/* Visits every name that the statement reads (not those that its blocks read). */
void stmt_reads(Stmt *s, void (*visit)(void *user, NameId *name), void *user);

/* functions.c: the functions of `other` (a clone), whose names `rename` changes, become the
 * program's; the statements, which are other's, apply them there. False: too many. */
bool mutant_bring_functions(Mutant *m, Program *other, Block *statements,
                            void (*rename)(void *user, NameId *name), void *user);
/* Changes an option of a function, or what it saves or returns; false where there is none. */
bool mutant_change_function(Mutant *m);

#define MUTATOR(name, weight, text) bool mutator_##name(Mutant *m);
#include "fuzz/mutate/mutators.def"
#undef MUTATOR

#endif
