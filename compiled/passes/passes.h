/* The passes, one function per row of passes.def. The pipeline (runtime/pipeline.c) calls them in
 * that order; a unit test may call one by itself. */
#ifndef COMPILED_PASSES_H
#define COMPILED_PASSES_H

#include "compiled/core/compilation.h"

/* True if the graph changed. */
#define PASS(name, kind, text) bool pass_##name(Compile *c);
#include "compiled/passes/passes.def"
#undef PASS

#endif
