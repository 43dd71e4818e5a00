/* Parts: a program that shows two bugs at once may seem to have a third cause, which neither has.
 * Such a finding is sorted by one of its parts. */
#ifndef HARNESS_SUB_FINDING_H
#define HARNESS_SUB_FINDING_H

#include "harness/check/check.h"

/* `finding` was found on `p` by `c` and located. If it is a mixture, *finding becomes the located
 * finding of a part, and the answer the program that shows the part alone, in `arena`; else both
 * stay as they are. Counters of `c` stay as they were. It costs what two minimizations do, so it is
 * for findings of a group that is new. */
const Program *sub_finding(Arena *arena, const Program *p, const Checker *c, Finding *finding);

#endif
