/* What the text printer and the Python printer share: names, scalars, arguments and index items, in
 * Python's syntax. */
#ifndef PROGRAM_PRINT_ARGS_H
#define PROGRAM_PRINT_ARGS_H

#include "program/print/print.h"

typedef struct Printer {
    Text *t;
    const Program *p;
    const char *const *names; /* by NameId, as they are to be written */
    bool python; /* dtypes as torch.float32, non-finite floats as calls; else for people */
} Printer;

const char *print_name(const Printer *pr, NameId name);
void print_dtype(const Printer *pr, DType dtype);
void print_scalar(const Printer *pr, Scalar s);
void print_int(const Printer *pr, const PInt *i);
/* "[1.0, -0.5]": a dense buffer, flat; every number reads back bit for bit. */
void print_elements(const Printer *pr, const void *data, int64_t n, DType dtype);
/* An argument that is given. */
void print_arg(const Printer *pr, const PArg *arg, ArgType type);
/* The text between the brackets of x[...]; "()" for no item. */
void print_index(const Printer *pr, const PArg *arg);
/* A predicate as a Python expression. */
void print_predicate(const Printer *pr, const Predicate *predicate);
/* A probe as a Python expression: "x.requires_grad". */
void print_probe(const Printer *pr, ProbeKind probe, NameId of);
/* "(x, 1, dim=0)": arguments from `first` on, required ones by position, others by keyword; all by
 * keyword if `keywords`. */
void print_arguments(const Printer *pr, const Stmt *s, int first, bool keywords);
/* The names of `out`: "a", "a, b", "(a,)". */
void print_out(const Printer *pr, const Stmt *s);
/* "torch.autograd.grad" style arguments of a GRAD statement. */
void print_grad_arguments(const Printer *pr, const GradStmt *g);

#endif
