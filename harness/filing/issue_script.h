/* Parts of the script of a report, shared by its forms (issue.c). */
#ifndef HARNESS_ISSUE_SCRIPT_H
#define HARNESS_ISSUE_SCRIPT_H

#include "harness/filing/issue.h"
#include "program/print/python.h"

/* The functions `f` and `run(f)`, indented by `indent` steps. */
void script_print_definitions(Text *text, const Issue *issue, int indent);
/* The function `outcome(f)`: the name of the exception of run(f), or None; if both sides raise one,
 * with the beginning of its text, and, if only the place differs (place_*), the line of run. */
void script_print_outcome(Text *text, const Issue *issue, int indent);
/* What runs `f` in the mode, in `arena`: "torch.compile(f, backend=..)". */
const char *script_configuration(Arena *arena, const Issue *issue);
/* The function `compiled`, which runs `f` in the mode. */
void script_print_compiled(Text *text, const Issue *issue, int indent);
/* The first lines: PyTorch, the GPU as the default device where the mode says so, and the random
 * numbers of eager mode. */
void script_print_import(Text *text, const Issue *issue);

/* ---- issue_observed.c ---- */
/* The tensor that the finding is about: "r[0]", "x". With probes, r[0] is what they saw. */
const char *script_subject(const Issue *issue, const Printer *pr, bool probes);
/* The expression that differs, without the write-through check: where only the sign of a zero
 * does, which zeros are negative, since comparing values accepts it. */
const char *script_observed(const Issue *issue, const Printer *pr, bool probes);

/* ---- issue_values.c ---- */
/* "[2, 3]" */
void issue_print_sizes(const Printer *pr, const int64_t *v, int n);
/* A new tensor of these sizes with the elements that the input's data says. */
void issue_print_values(const Printer *pr, const Input *in, const int64_t *size, int ndim);

#endif
