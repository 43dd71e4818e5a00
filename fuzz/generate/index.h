/* Python indices: what stands between the brackets of x[..]. */
#ifndef FUZZ_GENERATE_INDEX_H
#define FUZZ_GENERATE_INDEX_H

#include "fuzz/generate/tensors.h"

enum { GEN_ITEMS = 8 };
/* A Python index for `t`; the count of items. *repeats: some element may be selected twice.
 * `tensors`: lists and tensors allowed. */
int draw_index(Gen *g, const Tensor *t, bool tensors, PIndexItem *items, bool *repeats);
/* bounds: INT64_MIN means None */
PIndexItem index_slice(int64_t start, int64_t stop, int64_t step);
PIndexItem index_int(int64_t i);
PIndexItem index_var(const GenVar *v);
PIndexItem index_list(Gen *g, const int64_t *v, int n);
/* The value argument of a setitem that has its index: something that fits, `uniform` where an
 * element is selected twice. */
bool draw_setitem_value(Gen *g, Stmt *s, bool repeats);
/* Metadata of self.index(indices) or self[index] for the statement's arguments, or NULL. */
const Tensor *indexed_tensor(Gen *g, const Stmt *s);

#endif
