/* What the Python exporter and the stand-alone script share. */
#ifndef PROGRAM_PRINT_PYTHON_H
#define PROGRAM_PRINT_PYTHON_H

#include "program/print/args.h"

/* The program's names as Python identifiers: keywords and what the exported text uses get trailing
 * underscores, made unique. */
const char *const *python_names(Arena *arena, const Program *p);

/* The names passed to the function, in order (args, or the inputs). */
const NameId *program_arguments(const Program *p, Arena *arena, int *n);

/* How an argument reaches the function. A role the program cannot have without changing its meaning
 * (a constant that is written to, say) becomes BINDING_closure. */
BindingKind python_binding(const Program *p, NameId name);

/* Is the function made by `make(<held arguments>)`, since some argument is held elsewhere or the
 * wrap is not a function? */
bool python_is_made(const Program *p, Arena *arena);

/* The statements of a block, one a line, each with its path, indented by `depth` steps; "pass" for
 * none. */
void python_block(const Printer *pr, const Block *block, int depth);
void python_indent(const Printer *pr, int depth);
/* "(a, b, _t)" */
void python_parameters(const Printer *pr, const NameId *v, int n, bool trace);

#endif
