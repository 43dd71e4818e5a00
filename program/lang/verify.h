/* What the files of the program verifier (verify.c, verify_stmt.c) share. */
#ifndef PROGRAM_VERIFY_H
#define PROGRAM_VERIFY_H

#include "program/lang/program.h"

typedef struct ProgramVerifier {
    const Program *p;
    const Limits *limits;
    char *message;
    size_t message_size;
    int sid;           /* of the statement looked at */
    int stmts;         /* seen so far */
    int recall, input; /* looked at; -1: none, the program's own inputs */
} ProgramVerifier;

/* Writes the first complaint and returns false. */
bool verify_fail(ProgramVerifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same about the current statement, whose path goes first. */
bool verify_fail_stmt(ProgramVerifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Is the name a number of the program's table? */
static inline bool verify_name(const ProgramVerifier *v, NameId name) {
    return name >= 0 && name < v->p->nnames;
}
/* Are all n names? With `nulls`, NAME_NONE is allowed. */
bool verify_names(const ProgramVerifier *v, const NameId *names, int n, bool nulls);
/* The statements of a block at `depth` nested blocks, numbered in preorder. */
bool verify_block(ProgramVerifier *v, const Block *block, int depth);

#endif
