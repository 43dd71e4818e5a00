/* Edits of a program's statements, for prefixes and reducers. They change the program in place
 * (clone it first) and renumber it. */
#ifndef HARNESS_EDIT_H
#define HARNESS_EDIT_H

#include "program/lang/program.h"

/* All statements by sid, in `arena`. */
Stmt **edit_statements(Arena *arena, Program *p);
/* Keeps the body's statements up to and including sid `last`, at every depth; the setup stays. Sids
 * stay as they were. */
void edit_cut(Program *p, int last);
/* Drops the statements whose mark is set (by old sid), with all that is inside them. */
void edit_drop(Program *p, const bool *drop);
/* Does any statement of the body probe? And drops those that do. */
bool edit_has_probes(const Program *p);
void edit_drop_probes(Program *p);
/* Puts `s` right after the statement `after`, or right before `before`, in its block. */
void edit_insert_after(Program *p, const Stmt *after, Stmt *s);
void edit_insert_before(Program *p, const Stmt *before, Stmt *s);
/* Replaces a WITH or IF statement by the statements of one of its blocks. */
void edit_inline(Program *p, Stmt *s, const Block *by);

/* Drops from `args` and from what recalls set the names that no input and no statement of the setup
 * makes, and repeated names. */
void edit_forget(Program *p);

#endif
