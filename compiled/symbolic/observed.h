/* Facts: numbers that a compilation looks at beside those that stand in its graph
 * (symbolic/observed.c). Noted where it is a specimen (symbol.h), nothing otherwise; how they
 * compare in all specimens becomes guards, as for the numbers of the graph. */
#ifndef COMPILED_SYMBOL_FACTS_H
#define COMPILED_SYMBOL_FACTS_H

#include "compiled/core/compilation.h"
#include "compiled/ir/graph.h"

/* A number that something was compared with. */
void facts_number(const Compile *c, int64_t v);
/* A layout that no node has: sizes, strides, where it starts and ends. */
void facts_layout(const Compile *c, const Tensor *t);
/* What inference of an op looks at: its integers, where they lead along the dim that they are of,
 * the products of neighbouring sizes. */
void facts_call(const Compile *c, const Call *call);
/* A rewrite that was applied to `n`, and the nodes from place `from` on that came with it. */
void facts_rewrite(const Compile *c, const Node *n, int from);
/* A pointwise op on constants is computed, or another op on a constant: `value` is one of the
 * operands' values, in `dtype`, or the result. */
void facts_constant(const Compile *c, const OpInfo *op, Scalar value, DType dtype);
/* A literal is computed from this one: code that is for more than one size must have the same. */
void facts_literal(const Compile *c, const Tensor *t);
/* The Scalars that a call on constants is given, which may be made of sizes: beside one value
 * (`dtype`: its dtype) as facts_constant, beside many (`literal`) as facts_literal. */
void facts_scalars(const Compile *c, const Call *call, DType dtype, bool literal);

#endif
