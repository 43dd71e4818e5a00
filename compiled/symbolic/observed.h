/* Observed values: numbers that a compilation decides on beside those of its graph
 * (symbolic/observed.c). Recorded in a sample compilation (numbers.h), ignored otherwise; how they
 * compare in all samples becomes guards, as for the numbers of the graph. */
#ifndef COMPILED_SYMBOLIC_OBSERVED_H
#define COMPILED_SYMBOLIC_OBSERVED_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

/* A number that something was compared with. */
void observed_number(const Compile *c, int64_t v);
/* A layout that no node has: sizes, strides, first and last offset. */
void observed_layout(const Compile *c, const Tensor *t);
/* What inference of an op reads: its integers, the indices that they select along their dim, the
 * products of neighbouring sizes. */
void observed_call(const Compile *c, const Call *call);
/* A rewrite that was applied to `n`, and the nodes from index `from` on that it added. */
void observed_rewrite(const Compile *c, const Node *n, int from);
/* A pointwise op on constants is computed, or another op on a constant: `value` is one of the
 * operands' values, in `dtype`, or the result. */
void observed_constant(const Compile *c, const OpInfo *op, Scalar value, DType dtype);
/* A literal is computed from this one: code for more than one size needs the same literal at all
 * sizes. */
void observed_literal(const Compile *c, const Tensor *t);
/* The Scalar arguments of a call on constants, which may be computed from sizes: with one value
 * (`dtype`: its dtype) as observed_constant, with many (`literal`) as observed_literal. */
void observed_scalars(const Compile *c, const Call *call, DType dtype, bool literal);

#endif
