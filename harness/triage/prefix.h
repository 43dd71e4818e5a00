/* Prefixes: a program cut after one of its statements, to look at what stands there by what the
 * language itself can say (returns, probes, branches, a backward). So it works for every executor,
 * those in other processes too. */
#ifndef HARNESS_PREFIX_H
#define HARNESS_PREFIX_H

#include "program/lang/program.h"

enum { PREFIX_NAMES = 48 };

typedef struct NameSet {
    NameId name[PREFIX_NAMES]; /* more are left out */
    int n;
} NameSet;
void names_add(NameSet *set, NameId name);
bool names_has(const NameSet *set, NameId name);

/* A clone of `p` in `arena` whose body ends with statement `sid` (AT_INPUTS: empty); no `expect`,
 * and returns and backward as they were. */
Program *prefix_cut(Arena *arena, const Program *p, int sid);
/* What the function of the prefix is passed, then the names that are bound for sure where it ends:
 * of an IF, only the branch in which the prefix ends counts. */
void prefix_names(const Program *prefix, NameSet *out);
/* What the statement binds or writes. */
void prefix_made(Stmt *s, NameSet *out);
/* The prefix returns these. */
void prefix_return(Program *prefix, const NameSet *names);

/* Puts probes of `kind` of all names behind `last` (NULL: at the start of the empty body); returns
 * the last of them. */
Stmt *prefix_probe(Program *prefix, Stmt *last, ProbeKind kind, const NameSet *names);
/* ... and a branch on each name's requires_grad, with a probe inside: a branch may be decided on
 * another copy of the flag. Nothing behind NULL. */
Stmt *prefix_branch(Program *prefix, Stmt *last, const NameSet *names);

#endif
