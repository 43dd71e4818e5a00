/* Shared by the files of the program verifier (verify.c, verify_stmt.c). */
#ifndef PROGRAM_VERIFY_H
#define PROGRAM_VERIFY_H

#include "program/lang/program.h"

typedef struct ProgramVerifier {
    const Program *p;
    const Limits *limits;
    char *message;
    size_t message_size;
    int sid;                  /* of the current statement */
    int stmts;                /* number of statements visited */
    const Function *function; /* the one whose statements are visited, or NULL */
    int inside;               /* number of those */
    int recall, input;        /* current ones; -1: none, or the program's own inputs */
} ProgramVerifier;

/* Records the first error and returns false. */
bool verify_fail(ProgramVerifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As verify_fail, with the path of the current statement in front. */
bool verify_fail_stmt(ProgramVerifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Is the name a valid index into the program's names? */
static inline bool verify_name(const ProgramVerifier *v, NameId name) {
    return name >= 0 && name < v->p->nnames;
}
/* Are all n names valid? With `nulls`, NAME_NONE is allowed. */
bool verify_names(const ProgramVerifier *v, const NameId *names, int n, bool nulls);
/* Checks the statements of a block at nesting `depth`, which must be numbered in preorder. */
bool verify_block(ProgramVerifier *v, const Block *block, int depth);
/* Checks the functions of the program. */
bool verify_functions(ProgramVerifier *v);

#endif
