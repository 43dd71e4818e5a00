/* Cause: which stage of the compiler, and which of its steps, makes two executors of this process
 * differ on a program (`twingrad bisect`). */
#ifndef HARNESS_CAUSE_H
#define HARNESS_CAUSE_H

#include "harness/triage/locate.h"
#include "program/json/json.h"

/* Bisects the finding of `p`, whose root is known, and fills finding->cause: empty where no
 * executor of the pair compiles in this process. Deterministic; the counters of `c` stay. */
void cause_find(const Checker *c, const Program *p, Finding *finding);

/* Is the cause that a finding names still one of this program's finding? Cheaper than to find it:
 * only whether the finding goes away without the step. */
bool cause_stands(const Checker *c, const Program *p, const Finding *finding);

/* One sentence about the stage: what a difference that comes from there is about. */
const char *cause_about(const Cause *cause);

/* ---- cause_graphs.c ---- */
/* The stage, the step with its claim, the limit and the node, one line each. */
void cause_print(Text *text, const Checker *c, const Program *p, const Cause *cause);
/* The graph before and after the step (or stage) of the cause, line by line, marked - and +; of the
 * lines that are in both those within `context` lines of a change. False where no graph can be
 * blamed. */
bool cause_print_graphs(Text *text, const Checker *c, const Program *p, const Cause *cause,
                        int context);
const char *cause_graphs_title(const Cause *cause);
/* The first line that the step changes: the node that it was taken at. NULL if there is none. */
const char *cause_node(Text *text, const Checker *c, const Program *p, const Cause *cause);

#endif
