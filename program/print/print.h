/* Programs as text for people and for PyTorch: the printers know only programs. */
#ifndef PROGRAM_PRINT_H
#define PROGRAM_PRINT_H

#include "program/json/json.h"

/* PyTorch-like lines: "skew = sub(matrix, t)", one statement a line, with inputs and returns
 * (print/text.c). */
void program_print_text(Text *text, const Program *p);
/* One statement as such a line, without indentation and newline; blocks show only their head. */
void stmt_print_text(Text *text, const Program *p, const Stmt *s);
/* Graphviz: statements as nodes, names as edges, writes in red (print/dot.c). */
void program_print_dot(Text *text, const Program *p);
/* The function `program(<args>, _t)` in Python with every statement on a line that ends in its path
 * (format.md, "Out-of-process targets") (print/python.c). */
void program_print_python(Text *text, const Program *p);
/* The same and two helpers as in the stand-alone script: _setup(<inputs>) answers the arguments,
 * _target(<args>) the function and the arguments that are still to be given (print/torch.c). What a
 * target receives. */
void program_print_target(Text *text, const Program *p);
/* A stand-alone script that builds the inputs bit for bit, runs the function eagerly and compiled,
 * and compares (print/torch.c). */
void program_print_torch(Text *text, const Program *p);
/* The same for a program that differs in `mode` ("aot", "inductor", ..: the modes of
 * targets/torch_target.py), which the script then runs by default. NULL: as
 * program_print_torch, the script uses whatever the installed PyTorch has. */
void program_print_repro(Text *text, const Program *p, const char *mode);

#endif
