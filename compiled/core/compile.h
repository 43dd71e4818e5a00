/* The public interface of the compiled executor: options in, a Result and counters out.
 *
 * A run keeps no state of its own between calls of compiled_run. What outlives a program belongs to
 * the caller: CompileOptions, CompileCounters, and the Native handle. None of them is shared by
 * threads. docs/internals/architecture.md describes the stages. */
#ifndef COMPILED_COMPILE_H
#define COMPILED_COMPILE_H

#include "compiled/core/counters.h"
#include "compiled/core/native_tier.h"
#include "compiled/core/options.h"
#include "program/lang/result.h"

/* Runs all calls of `p`. `counters` may be NULL; the result lives in `arena`. */
Result *compiled_run(const Program *p, const CompileOptions *compile, const RunOptions *options,
                     CompileCounters *counters, Arena *arena);

#endif
