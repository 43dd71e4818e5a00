/* What a minimized program has, and so needs to show its finding, for lists of known issues. */
#ifndef HARNESS_NEEDS_H
#define HARNESS_NEEDS_H

#include "program/lang/program.h"

/* Does a statement write to what an op returned whose name matches the pattern (* and ?), or to a
 * view of that? Many bugs of functionalization are those of one view's inverse
 * (aten/src/ATen/FunctionalInverses.cpp), whatever op writes. */
bool program_writes_through(const Program *p, const char *pattern);
/* Is a tensor written, itself or through a view, after an op has read it that makes a new one and
 * whose name matches the pattern? A compiler may compute that op later, or in the operand's memory.
 */
bool program_overwrites_operand(const Program *p, const char *pattern);
/* Do two arguments share memory in one call and not in another, or at another distance? A compiler
 * without a guard on it goes on with the graph of the first call. */
bool program_changes_sharing(const Program *p);
/* Does the program ask torch.autograd.grad for the gradient of something that the function itself
 * has made or written? If both it and what is differentiated leave one compiled graph, there is no
 * history between them (pytorch#132929); a gradient of an argument is another matter. */
bool program_differentiates_results(const Program *p);

#endif
