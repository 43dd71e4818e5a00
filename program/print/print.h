/* Programs as text for people and for PyTorch. The printers depend only on program/lang,
 * program/ops and program/json. */
#ifndef PROGRAM_PRINT_H
#define PROGRAM_PRINT_H

#include "program/json/json.h"

/* PyTorch-like lines such as "skew = sub(matrix, t)", one for each statement, with inputs and
 * returns (print/text.c). */
void program_print_text(Text *text, const Program *p);
/* One statement as such a line, without indentation and newline; for a block only its head. */
void stmt_print_text(Text *text, const Program *p, const Stmt *s);
/* Graphviz: statements are nodes, names are edges, writes are red (print/dot.c). */
void program_print_dot(Text *text, const Program *p);
/* The Python function `program(<args>, _t)`, with every statement on a line that ends in its path
 * (format.md, "Out-of-process targets") (print/python.c). */
void program_print_python(Text *text, const Program *p);
/* The function and two helpers of the stand-alone script: _setup(<inputs>) returns the arguments,
 * _target(<args>) returns the function and the arguments still to be passed (print/torch.c). This
 * is what a target receives. */
void program_print_target(Text *text, const Program *p);
/* A stand-alone script that builds the inputs bit for bit, runs the function eagerly and compiled,
 * and compares (print/torch.c). */
void program_print_torch(Text *text, const Program *p);
/* The stand-alone script for a program that differs in `mode` ("aot", "inductor", ..: the modes of
 * targets/torch_target.py), which the script then runs by default. With NULL the script uses the
 * best mode that the installed PyTorch has, as program_print_torch. */
void program_print_repro(Text *text, const Program *p, const char *mode);

/* The source that program_print_target wrote without its probes: "_t.append(...)  # body[3]"
 * becomes "pass  # body[3]". */
const char *print_without_probes(Arena *arena, const char *source);

#endif
