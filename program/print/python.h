/* Shared by the Python exporter and the stand-alone script. */
#ifndef PROGRAM_PRINT_PYTHON_H
#define PROGRAM_PRINT_PYTHON_H

#include "program/print/args.h"

/* The program's names as Python identifiers: keywords and names that the exported code uses get
 * trailing underscores and are made unique. */
const char *const *python_names(Arena *arena, const Program *p);

/* The names passed to the function, in order: `args`, otherwise the inputs. */
const NameId *program_arguments(const Program *p, Arena *arena, int *n);

/* The binding kind of an argument. BINDING_closure if the stated kind would change the meaning of
 * the program (a constant that is written to, for example). */
BindingKind python_binding(const Program *p, NameId name);

/* Is the function made by `make(<held arguments>)`, because some argument is held or the wrap is
 * not a function? */
bool python_is_made(const Program *p, Arena *arena);

/* Prints the statements of a block, one on each line with its path, indented by `depth` steps;
 * "pass" if there are none. */
void python_block(const Printer *pr, const Block *block, int depth);
/* Prints a function as a class. */
void python_function(const Printer *pr, const Function *f);
void python_indent(const Printer *pr, int depth);
/* Prints "(a, b, _t)". */
void python_parameters(const Printer *pr, const NameId *v, int n, bool trace);

/* ---- python_ops.c ---- */
/* Does Python expose the op only as torch.ops.aten? */
bool python_is_aten_only(const OpInfo *op);
bool python_is_method(const OpInfo *op);
/* Is the op a function of torch.nn.functional? */
bool python_is_functional(const OpInfo *op);
/* The attribute that a view is in Python, and the sign of an operator; NULL: none. */
const char *python_attribute(const OpInfo *op);
const char *python_operator(const OpInfo *op);

/* ---- python_definitions.c ---- */
/* Marks what the lines, and what they need, name: in needed[PYTHON_DEFINITIONS]. */
enum { PYTHON_DEFINITIONS = 64 };
void python_need_definitions(const char *lines, bool *needed);
/* Prints them; -> is there one? */
bool python_print_definitions(const Printer *pr, const bool *needed, int depth);

/* ---- python_forms.c ---- */
/* The classes, functions and imports that the forms of the program name, and `_results(returned)`,
 * the list of results by what the call returned, if the function does not return that list. */
void python_definitions(const Printer *pr, int depth);
/* Can the form stand around this statement? */
bool python_form_fits(PythonForm form, const Stmt *s);
/* `out` = `call` in this form. The first line is not indented, and the last one not ended. */
void python_form(const Printer *pr, PythonForm form, const char *out, const char *call,
                 const char *path, int depth);
/* The end of the function. */
void python_return(const Printer *pr, int depth);

/* ---- python_function_block.c ---- */
/* What the contexts of the program need of python_definitions.c. */
void python_need_contexts(const Program *p, bool *needed);
/* The block of a context that is a function, as one that the code of the context is called with; in
 * place where it holds other statements than ops. */
void python_function_block(const Printer *pr, const Stmt *s, const char *path, int depth);

/* ---- torch_runner.c ---- */
/* The end of every script. */
extern const char torch_runner[];

/* ---- torch_fill.c ---- */
/* The definition of _fill(kind, seed, count, dtype), a tensor, and of what it needs. */
void torch_print_fill(Text *t, int indent);

/* ---- torch_calls.c ---- */
/* _CALLS, _NAMES and _BACKWARD of the script. */
void torch_print_calls(const Printer *pr);
/* _COMPILE of the script: settings as a Python dict; `c` may be NULL. */
void torch_print_settings(Text *t, const CompileSettings *c);

#endif
