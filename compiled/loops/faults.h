/* Seeded faults of the lowering (core/faults.def): wrong instructions, loops and bindings. All do
 * nothing unless their fault is seeded. */
#ifndef COMPILED_LOOPS_FAULTS_H
#define COMPILED_LOOPS_FAULTS_H

#include "compiled/loops/nest.h"

/* ---- instructions (loops/faults.c) ---- */
/* The register with what a seeded fault computes instead of `pw`; -1: none does. */
int faulty_pointwise(NestBuilder *b, const Node *n, Pw pw, DType compute, const int *src);
/* A Scalar operand of `dtype` as it arrives in the code. */
Scalar emitted_scalar(const NestBuilder *b, Scalar value, DType dtype);
/* Is the narrow integer result of `n` left unwrapped? */
bool keeps_carry(const NestBuilder *b, const Node *n, DType compute);

/* ---- loops (loops/fault_loops.c) ---- */
/* Is the sum of no elements not divided, where it should become a mean? */
bool skips_division(const Compile *c, const Node *n);
/* Makes an indirect write ignore its index along an expanded dim of its base. Returns that dim, for
 * spread_row; -1: it does not. */
int keep_expanded_stride(const Compile *c, FusedOp *m);
/* Binds wrong arguments to a shared kernel. */
void faulty_opaque(const Compile *c, const Node *n, Opaque *o);

/* ---- loops/lower.c ---- */
/* Copies row 0 of the result along `dim` to the others. */
void spread_row(Lower *l, const Node *n, int dim);
/* Writes the values of a stepped slice to the elements between its own. */
void fill_stepped_gaps(Lower *l, const FusedOp *m);

#endif
