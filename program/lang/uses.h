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

/* A block as a function: of the names that it reads before it binds them, which returns those that
 * it binds; both in the order of NameId. */
typedef struct BlockFunction {
    NameId *reads, *binds;
    int nreads, nbinds;
} BlockFunction;
/* False if the block has anything but ops: then it is no function, and is run in place. */
bool block_function(const Program *p, const Block *block, Arena *arena, BlockFunction *out);

#endif
