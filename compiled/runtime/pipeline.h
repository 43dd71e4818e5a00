/* The pipeline: from a captured graph to a plan. */
#ifndef COMPILED_PIPELINE_H
#define COMPILED_PIPELINE_H

#include "compiled/core/compilation.h"
#include "compiled/ir/plan.h"

/* Runs all passes on c->graph and lowers it. The graph is verified and dumped after every pass if
 * the options say so. */
Plan *compile_graph(Compile *c);
/* Its two halves. The front half: the passes on graphs, up to fuse. */
void compile_front(Compile *c);
/* The back half: fuse and what follows, and the loops. */
Plan *compile_back(Compile *c);
/* Hands the graph as text to CompileOptions.on_dump, if that is set. */
void compile_dump(const Compile *c, const char *stage);

/* Adds to CompileOptions.features, if set, what the passes on graphs did to this one. Called once,
 * before the graph is lowered. */
void feature_graph(const Compile *c);

#endif
