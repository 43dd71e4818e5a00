/* What compiling did, for people (`show --stats`, `passes --runs`). */
#ifndef HARNESS_COMPILE_STATS_H
#define HARNESS_COMPILE_STATS_H

#include "compiled/core/compile.h"
#include "program/json/json.h"

/* A table of stages (times only if compiled with `measure`), the steps that fired, and the sums of
 * the plans. */
void compile_stats_text(Text *t, const CompileCounters *c);
/* Calls compiled, hits, and why code that was there was not reused. */
void compile_calls_text(Text *t, const CompileCounters *c);

#endif
