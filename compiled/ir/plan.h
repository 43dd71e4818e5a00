/* Plan: a graph after lowering, as its users see it: loops over buffers that can be executed. What
 * is inside is the loop IR (loops/). */
#ifndef COMPILED_IR_PLAN_H
#define COMPILED_IR_PLAN_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

typedef struct Plan Plan;
/* Loop nests over planned buffers for c->graph. */
Plan *graph_lower(Compile *c);
void plan_print(Text *text, const Plan *plan, const Program *p);
/* What one execution made of a plan: storages of buffers by node. */
typedef struct Execution {
    int failed_sid; /* sid of the CHECK that fired, or -1 */
    ErrCode code;
    const char *message; /* of that CHECK; without one ERR_none, or `internal`: a kernel of the
                            backward refused a value */
} Execution;
/* Runs the plan. `input[k]` is the data of input storage k (read, and written only where reinplace
 * allowed it; the epilogue copies write-backs afterwards), `tangent[k]` the data of TANGENT k (NULL
 * where there is none). Outputs are reached by plan_data. Buffers live in `arena`. */
void plan_execute(const Plan *plan, void *const *input, void *const *tangent, Arena *arena,
                  Execution *out);
/* The data of a node's buffer after the last execution (the INPUT's own data for an INPUT; for a
 * VIEW its buffer's, to be read through the VIEW's t). The value of a write-back that was made in
 * place is the input's own data: do not copy it onto itself. */
void *plan_data(const Plan *plan, const Node *node);

#endif
