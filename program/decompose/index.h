/* Index items applied to a tensor: what getitem and setitem share. */
#ifndef PROGRAM_INDEX_H
#define PROGRAM_INDEX_H

#include "program/ops/emit.h"

enum { MAX_INDICES = 4 * MAX_DIMS };

/* The state after applying some of the index items. */
typedef struct Slicing {
    Tensor *view;               /* self, or a view of it */
    Tensor *index[MAX_INDICES]; /* index tensors by dim of `view`; NULL: the whole dim */
    int nindex;
    int dim;     /* dim of `view` that the next item acts on */
    bool slices; /* a lone slice in getitem: makes a view even if it changes nothing */
} Slicing;

/* Applies all items to self (applySlicing). `reads`: the caller is getitem. */
ErrCode slicing_apply(Emit *e, Tensor *self, const IndexItem *items, int n, bool reads, Slicing *s);

/* The collected index tensors as a Tensor?[] argument. */
Arg slicing_indices(Emit *e, const Slicing *s);

/* Checks what at::index checks from metadata alone, in its order: number of indices, dtypes, mask
 * sizes. Returns the error code without recording an error. */
ErrCode decompose_index_check_indices(const Tensor *self, const Arg *indices);
/* index_put_ with a tensor value, or with the Scalar if `values` is NULL. */
ErrCode slicing_put_(Emit *e, Tensor *self, const Arg *indices, Tensor *values, Scalar value,
                     bool accumulate, Tensor **out, int *nout);

#endif
