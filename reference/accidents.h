/* Where PyTorch 1.13's CPU answers one thing or another by accident: uninitialised memory, the order of an unstable sort, a loop whose
 * vectorized part and whose tail disagree, so that the answer hangs on how many elements stand around one. The reference has a meaning
 * for these, but nothing can be learned from comparing it with PyTorch: such a program is a counted SKIP there (docs/fidelity.md). */
#ifndef REFERENCE_ACCIDENTS_H
#define REFERENCE_ACCIDENTS_H

#include "program/program.h"

/* Why the outcome of `call` (of a statement, operands as they are before it) is an accident in PyTorch 1.13, or NULL. `self_gradient`: a
 * gradient of its first operand is recorded; `second`: the program takes a gradient with create_graph. The text is static. */
const char *accident(const Call *call, bool self_gradient, bool second);
/* Is there such a gradient among the block's statements? */
bool accidents_second(const Block *block);

#endif
