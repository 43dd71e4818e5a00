/* Interpretation of the graph after every stage (oracle `stages`): what a pass must not change. */
#ifndef COMPILED_RUNTIME_STAGES_H
#define COMPILED_RUNTIME_STAGES_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

/* The result of one interpretation. */
typedef struct Answers Answers;

/* Interprets c->graph as it stands after `stage` on the data of the call being compiled and
 * compares with the stage before; the first difference of a run goes to c->options->stages. Call
 * after every stage, in order, from "capture" on. */
typedef enum StageForm {
    STAGE_CAPTURED,
    STAGE_FUNCTIONAL,
    STAGE_JOINT /* with gradients */
} StageForm;
void stages_check(Compile *c, const char *stage, StageForm form);

struct Artifact;
/* The expected result of running the artifact's plan on these inputs (storages by number) and
 * tangents; NULL unless the options require it. Call before it runs. */
Answers *stages_expect(const struct Artifact *a, Storage *const *input, void *const *tangent);
/* Compares what the plan has computed, up to rounding. */
void stages_check_run(const struct Artifact *a, const Answers *expected, Storage *const *input);

#endif
