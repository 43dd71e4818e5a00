/* Sub-findings: a program that shows two bugs at once may seem to have a third cause, which neither
 * bug has. Such a finding is replaced by one that an isolated smaller program shows. */
#ifndef HARNESS_SUB_FINDING_H
#define HARNESS_SUB_FINDING_H

#include "harness/check/check.h"

/* `finding` was found on `p` by `c` and located. If it is a mixture, *finding becomes the located
 * sub-finding, and the result is the program in `arena` that shows it alone; otherwise *finding and
 * `p` are returned unchanged. The counters of `c` stay as they were. It costs two minimizations, so
 * it is meant for findings that would make a new group. */
const Program *sub_finding(Arena *arena, const Program *p, const Checker *c, Finding *finding);

#endif
