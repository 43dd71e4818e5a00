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
 * `argument`: only an argument of the function counts. */
bool program_overwrites_operand(const Program *p, const char *pattern, bool argument);
/* Do two arguments share memory in one call and not in another, or at another distance? A compiler
 * without a guard on it goes on with the graph of the first call. */
bool program_changes_sharing(const Program *p);
/* Do two arguments share memory in one of the calls? */
bool program_shares_memory(const Program *p);
/* Does the program ask torch.autograd.grad for the gradient of something that the function itself
 * has made or written? If both it and what is differentiated leave one compiled graph, there is no
 * history between them (pytorch#132929); a gradient of an argument is another matter. */
bool program_differentiates_results(const Program *p);
/* Does a statement write to a tensor: in place, or as its out argument? */
bool program_writes(const Program *p);
/* Is there a statement of an op whose name matches the pattern? */
bool program_uses(const Program *p, const char *pattern);
/* Does an op whose name matches the pattern compute into its out argument? */
bool program_computes_into(const Program *p, const char *pattern);
/* Is a hook registered, of either kind? */
bool program_has_hook(const Program *p);
/* Is a hook registered on something that is returned, or of which a view is? */
bool program_returns_hooked(const Program *p);
/* What Dynamo traces of a torch.autograd.Function in another way than the function runs:
 *   saves_result     a return is saved for the backward
 *   saves_operand    an operand is
 *   enables_grad     a block of the forward runs under enable_grad
 *   non_differentiable  a return is marked so
 *   returns_operand  an operand is returned
 *   second_gradient  the program differentiates with create_graph
 * Is it one of these names? Does the program apply a function, and has it that? */
bool is_function_feature(const char *name);
bool program_function_has(const Program *p, const char *feature);
/* May `input` reach something that leaves a compiled graph and that the backward does not
 * differentiate: another return, an argument that is written? Where there may be several graphs
 * (a graph break, an op whose result has a size that depends on values, a probe, other Python
 * code), anything may be. */
bool program_reaches_undifferentiated(const Program *p, NameId input);

#endif
