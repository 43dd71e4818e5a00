/* Cause: which stage of the compiler, and which of its steps, makes two executors of this process
 * differ on a program (`twingrad bisect`). */
#ifndef HARNESS_CAUSE_H
#define HARNESS_CAUSE_H

#include "harness/triage/locate.h"
#include "program/json/json.h"

/* Bisects the finding of `p`, whose root is known, and fills finding->cause: empty where no
 * executor of the pair compiles in this process. Deterministic; the counters of `c` stay. */
void cause_find(const Checker *c, const Program *p, Finding *finding);

/* May the cause that the finding names be the cause of this program's finding? One check, cheaper
 * than cause_find: does the finding disappear without the step? True if the step cannot be
 * disabled. */
bool cause_stands(const Checker *c, const Program *p, const Finding *finding);

/* What the stage does, or what a difference that comes from there is about. */
const char *cause_about(const Cause *cause);

/* ---- cause_graphs.c ---- */
/* Prints the stage, the step with its claim, the limit and the node, one line each. */
void cause_print(Text *text, const Checker *c, const Program *p, const Cause *cause);
/* The graph before and after the step (or stage) of the cause as a diff (- and +) with `context`
 * common lines around each change. False if no graph differs. */
bool cause_print_graphs(Text *text, const Checker *c, const Program *p, const Cause *cause,
                        int context);
const char *cause_graphs_title(const Cause *cause);
/* The first line that the step changes: the node at which it was taken. NULL if there is none. */
const char *cause_node(Text *text, const Checker *c, const Program *p, const Cause *cause);

#endif
