/* Lowering: from the graph to a plan of loops. What the parts of the lowering share. */
#ifndef COMPILED_LOWER_H
#define COMPILED_LOWER_H

#include "compiled/loops/fused_op.h"
#include "compiled/loops/liveness.h"
#include "compiled/loops/loop_ir.h"

typedef struct Lower {
    Compile *c;
    Arena *arena;
    Plan *plan;
    int capacity; /* of plan->loop */
    Node *late; /* faults FU_7, FU_8: a cat whose operands from `late_from` on are copied too late;
                   or NULL */
    int late_from;
} Lower;

/* Appends a loop to the plan. */
Loop *lower_add(Lower *l, LoopKind kind, const Node *node);
/* The buffer that `n` (or the node it views) lives in. */
int lower_buffer(const Node *n);
/* The loops of one group of fused ops. */
void lower_nest(Lower *l, Node *const *node, int count);
/* The copies of a cat's or stack's operands (loops/lower_cat.c). */
void lower_cat(Lower *l, Node *n);
void lower_late_operands(Lower *l);
/* Seeded fault SH_1. */
void forget_strides(const Compile *c);
/* A layout as an access: its strides point into `t`. */
Access lower_access(int buffer, const Tensor *t);
/* to = from; both accesses have the dims of the space and one dtype. */
void lower_move(Lower *l, const Node *node, const int64_t *size, int ndim, Access to, Access from);
/* to = from with conversion; where `from` is NULL, to = value. */
void lower_convert(Lower *l, const Node *node, const int64_t *size, int ndim, Access to,
                   const Access *from, Scalar value);
/* The first `numel` elements of a buffer = value (of its dtype). */
void lower_fill(Lower *l, const Node *node, int buffer, DType dtype, int64_t numel, Scalar value);
/* `value` converted to `dtype`, as an operand of a computation in that dtype. */
Scalar lower_scalar(Scalar value, DType dtype);

/* True if every value has a buffer of its own. Memory is then reused by offset, otherwise by buffer
 * (passes/plan.c). */
bool plan_apart(const Compile *c);
/* Finds the loops that run part by part, before temporaries have offsets; with as many parts as
 * possible when the graph is verified. loops_after[i]: loops of the plan up to and including
 * schedule item i. */
void loop_tiling_find(Compile *c, Plan *plan, const int *loops_after);

#endif
