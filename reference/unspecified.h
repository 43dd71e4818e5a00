/* Where PyTorch 1.13's CPU answers one thing or another by accident: uninitialised memory, the
 * order of an unstable sort, a loop whose vectorized part and whose tail disagree, so that the
 * answer hangs on how many elements stand around one. The reference has a meaning for these, but
 * nothing can be learned from comparing it with PyTorch: such a program is a counted SKIP there
 * (docs/guide/fidelity.md). */
#ifndef REFERENCE_UNSPECIFIED_H
#define REFERENCE_UNSPECIFIED_H

#include "program/ops/emit.h"

/* Why the outcome of `call` (of a statement, operands as they are before it) is an accident in
 * PyTorch 1.13, or NULL. The text is static. */
const char *unspecified(const Call *call);
/* The same of a derivative rule that is about to be applied: of what it answers. */
const char *unspecified_gradient(const Grad *g);

#endif
