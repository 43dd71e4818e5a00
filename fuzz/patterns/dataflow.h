/* What patterns of dataflow are made of: ops of a class, not a particular op. Each returns NULL
 * where nothing fits. */
#ifndef FUZZ_DATAFLOW_H
#define FUZZ_DATAFLOW_H

#include "fuzz/generate/tensors.h"
#include "fuzz/patterns/pattern.h"

/* A random op of the class on `x`, in a few tries. */
GenVar *draw_of_class(Gen *g, OpClass class, GenVar *x);
/* A unary or binary op on `x`. */
GenVar *draw_pointwise(Gen *g, GenVar *x);
/* A variable or a new input of at least `least` (1 to 3) dims; few have no elements. */
GenVar *draw_with_dims(Gen *g, int least);
/* cat or stack of the list along `dim`. */
GenVar *draw_join(Gen *g, OpId id, GenVar *const *v, int n, int64_t dim);
/* A write to a part of `x`: a slice assignment or an in-place op on a view; false: none fits. */
bool draw_partial_write(Gen *g, GenVar *x);

#endif
