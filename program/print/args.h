/* Shared by the text printer and the Python printer: names, scalars, arguments and index items in
 * Python syntax. */
#ifndef PROGRAM_PRINT_ARGS_H
#define PROGRAM_PRINT_ARGS_H

#include "program/print/print.h"

typedef struct Printer {
    Text *t;
    const Program *p;
    const char *const *names; /* by NameId, as printed */
    bool python; /* dtypes as torch.float32 and non-finite floats as calls; otherwise a readable
                    form */
    const char *within; /* the path that statements have, rather than their own; NULL: none */
} Printer;

/* The name as printed; then printers of a dtype, a scalar, and an int or "x.size(0)". */
const char *print_name(const Printer *pr, NameId name);
void print_dtype(const Printer *pr, DType dtype);
/* Prints a dense buffer flat, as "[1.0, -0.5]"; every number reads back bit for bit. */
void print_elements(const Printer *pr, const void *data, int64_t n, DType dtype);
/* Prints an argument that is given. */
void print_arg(const Printer *pr, const PArg *arg, ArgType type);
/* Prints the text between the brackets of x[...]; "()" without items. */
void print_index(const Printer *pr, const PArg *arg);
/* Prints a predicate as a Python expression. */
void print_predicate(const Printer *pr, const Predicate *predicate);
/* Prints a probe as a Python expression, such as "x.requires_grad". */
void print_probe(const Printer *pr, ProbeKind probe, NameId of);
/* Prints "(x, 1, dim=0)": arguments from `first` on, required ones by position and others by
 * keyword; with `keywords` all by keyword. */
void print_arguments(const Printer *pr, const Stmt *s, int first, bool keywords);
/* Prints the names of `out`: "a", "a, b", "(a,)". */
void print_out(const Printer *pr, const Stmt *s);
/* Prints "(a, b, None)": NAME_NONE is None. */
void print_names(const Printer *pr, const NameId *v, int n);
/* Prints the arguments of a GRAD statement, as of torch.autograd.grad. */
/* `x.grad = g`, or `g = x.grad`. */
void print_dot_grad(const Printer *pr, const Stmt *s);
void print_grad_arguments(const Printer *pr, const GradStmt *g);

#endif
