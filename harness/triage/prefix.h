/* Prefixes: a program cut after one of its statements, to observe the values there by means of the
 * language itself (returns, probes, branches, a backward). So it works for every executor, also in
 * other processes. */
#ifndef HARNESS_PREFIX_H
#define HARNESS_PREFIX_H

#include "program/lang/program.h"

enum { PREFIX_NAMES = 48 };

typedef struct NameSet {
    NameId name[PREFIX_NAMES]; /* further names are ignored */
    int n;
} NameSet;
void names_add(NameSet *set, NameId name);
bool names_has(const NameSet *set, NameId name);

/* A clone of `p` in `arena` whose body ends with statement `sid` (AT_INPUTS: it is empty). It has
 * no `expect`; returns and backward are those of `p`. */
Program *prefix_cut(Arena *arena, const Program *p, int sid);
/* The arguments of the function, then the names that are surely bound at the end of the prefix: of
 * an IF, only the branch in which the prefix ends counts. */
void prefix_names(const Program *prefix, NameSet *out);
/* Can a difference begin at the statement? Blocks begin none of their own, assertions and probes
 * only report one. */
bool prefix_is_step(const Stmt *s);
/* The names that the statement binds or writes. */
void prefix_made(Stmt *s, NameSet *out);
/* Makes the prefix return these names. */
void prefix_return(Program *prefix, const NameSet *names);

/* Inserts probes of `kind` for all names after `last` (NULL: into the empty body); returns the last
 * probe. */
Stmt *prefix_probe(Program *prefix, Stmt *last, ProbeKind kind, const NameSet *names);
/* Inserts a branch on each name's requires_grad, with a probe inside, after `last` (NULL: none): an
 * executor may decide branches by another copy of the flag. Returns the last statement. */
Stmt *prefix_branch(Program *prefix, Stmt *last, const NameSet *names);

#endif
