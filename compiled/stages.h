/* Interpretation of the graph after every stage (oracle `stages`): what a pass must not change. */
#ifndef COMPILED_STAGES_H
#define COMPILED_STAGES_H

#include "compiled/graph.h"

/* What one interpretation answers. */
typedef struct Answers Answers;

/* Interprets c->graph as it stands after `stage` on the data of the call being compiled and compares with the stage before; the first
 * difference of a run goes to c->options->stages. Call after every stage, in order, from "capture" on. */
typedef enum StageForm { STAGE_CAPTURED, STAGE_FUNCTIONAL, STAGE_JOINT /* gradients are there */ } StageForm;
void stages_check(Compile *c, const char *stage, StageForm form);

#endif
