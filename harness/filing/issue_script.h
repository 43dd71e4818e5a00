/* Parts of the script of a report, shared by its forms (issue.c). */
#ifndef HARNESS_ISSUE_SCRIPT_H
#define HARNESS_ISSUE_SCRIPT_H

#include "harness/filing/issue.h"
#include "program/print/python.h"

/* The functions `f` and `run(f)`, indented by `indent` steps. */
void script_print_definitions(Text *text, const Issue *issue, int indent);
/* The function `outcome(f)`: the name of the exception of run(f), or None; if two errors differ in
 * their place only (place_*), with the line of run that raised it. */
void script_print_outcome(Text *text, const Issue *issue, int indent);
/* What runs `f` in the mode, in `arena`: "torch.compile(f, backend=..)". */
const char *script_configuration(Arena *arena, const Issue *issue);
/* The function `compiled`, which runs `f` in the mode. */
void script_print_compiled(Text *text, const Issue *issue, int indent);
/* The first lines: PyTorch, and the GPU as the default device where the mode says so. */
void script_print_import(Text *text, const Issue *issue);

/* ---- issue_values.c ---- */
/* "[2, 3]" */
void issue_print_sizes(const Printer *pr, const int64_t *v, int n);
/* A new tensor of these sizes with the elements that the input's data says. */
void issue_print_values(const Printer *pr, const Input *in, const int64_t *size, int ndim);

#endif
