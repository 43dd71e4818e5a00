/* Unspecified behaviour of PyTorch 1.13's CPU kernels: uninitialised memory, the order of an
 * unstable sort, a loop whose vectorized part and whose tail disagree, so that the result of an
 * element depends on how many elements surround it. The reference has a meaning for these, but
 * nothing can be learned from comparing it with PyTorch: such a program is a counted SKIP there
 * (docs/guide/fidelity.md). */
#ifndef REFERENCE_UNSPECIFIED_H
#define REFERENCE_UNSPECIFIED_H

#include "reference/tape.h"

/* Why the result of `call` (operands as they are before it) is unspecified in PyTorch 1.13, or
 * NULL. The text is static. */
const char *unspecified(const Call *call);
/* The same for the result of a derivative rule that is about to be applied. */
const char *unspecified_gradient(const Grad *g);
/* The parts of both that concern shrink functions, logit, special functions and scatter_reduce
 * (unspecified_special.c); `vectors`: a loop of the call may have a vectorized part. */
const char *unspecified_special(const Call *call, bool vectors);
const char *unspecified_special_gradient(const Grad *g, bool vectors);
/* The same for the gradient of `base`, read through `view`: it is uninitialized memory between the
 * elements of a base with gaps (CopySlices::apply, new_empty_strided). */
const char *unspecified_slice(const Tensor *base, const Tensor *view);

/* Does some element of a tensor, of a floating dtype, pass the test? */
typedef bool (*ElementTest)(double x, DType dtype);
bool unspecified_any(const Tensor *t, ElementTest test);
bool unspecified_is_nan(double x, DType dtype);

/* ---- unspecified_special.c: zero tensors ---- */

/* After a derivative rule: is what it found made of a zero tensor, and is it zero? */
void zero_tensors_follow(Session *s, const Grad *g);
/* Before a node runs: does a zero tensor get to where a program can write to it? */
void zero_tensors_arrive(Session *s, const GradNode *node);

#endif
