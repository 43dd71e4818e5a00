/* Interpretation of a graph at any stage: its nodes run one by one by the shared kernels. */
#ifndef COMPILED_RUNTIME_INTERPRET_H
#define COMPILED_RUNTIME_INTERPRET_H

#include "compiled/runtime/artifact.h"
#include "compiled/runtime/stages.h"

/* A value in logical order. */
typedef struct Answer {
    const char *what;
    int number;
    DType dtype;
    int64_t numel;
    const void *data;
} Answer;

struct Answers {
    bool unknown;   /* a kernel left something undefined: not comparable */
    int failed_sid; /* of the CHECK or kernel that refused, or -1 */
    int n;
    Answer *answer;
};

/* Interprets `g` on the data of `input` (by number; copied first). tangent[k] is the data of
 * TANGENT k; NULL: they are filled by rule. */
Answers *graph_interpret(Compile *c, const Graph *g, StageForm form, Storage *const *input,
                         void *const *tangent);
/* The same values as the artifact's plan computed them when it last ran. */
Answers *plan_answers(const Artifact *a, Storage *const *input);

#endif
