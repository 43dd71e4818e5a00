/* Evaluation of single nodes with the shared kernels. */
#ifndef COMPILED_EVALUATE_H
#define COMPILED_EVALUATE_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

/* Runs an OP node's kernel: `operand` by slot (NULL for None), `out` is metadata and gets a storage
 * in k->arena. False if the kernel refuses the values; k->undefined says if PyTorch leaves the
 * result undefined. */
bool evaluate_node(const Node *n, Tensor *const *operand, Tensor *out, KernelCtx *k);
/* Does `value` (integers) pass the CHECK? */
bool evaluate_check(const Node *check, const Tensor *value);

/* The literal that a small OP node of constant operands always computes; NULL for other nodes. */
const Call *evaluate_constant(Compile *c, const Node *n);
/* Is it a CHECK of a constant value that passes? */
bool evaluate_known_check(Compile *c, const Node *check);

#endif
