/* Which names a statement reads, writes through and binds: one visitor over all kinds of
 * arguments. */
#ifndef PROGRAM_USES_H
#define PROGRAM_USES_H

#include "program/lang/program.h"

typedef enum Use {
    USE_READ,  /* an operand, an index, a size_of, a predicate, a probe */
    USE_WRITE, /* an operand that the op writes in place: Tensor(a!) */
    USE_BIND   /* a name in `out` */
} Use;

/* Calls `visit` for each name of the statement itself (not of statements inside its blocks): reads
 * and writes first, in argument order, then the names it binds. The visitor may change the name. */
typedef void (*UseFn)(void *user, NameId *name, Use use);
void stmt_uses(Stmt *s, UseFn visit, void *user);

#endif
