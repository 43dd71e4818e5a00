/* Parts of the inference of POINTWISE ops. */
#ifndef PROGRAM_INFER_POINTWISE_H
#define PROGRAM_INFER_POINTWISE_H

#include "program/ops/functions.h"

/* Sets the strides of `out`, whose sizes are set, from the n tensor operands in TensorIterator's
 * order; `common` is the dtype that they are computed in, `same_size`: all have the sizes of `out`.
 * What is in `t` afterwards is not
 * to be read. */
void pointwise_strides(const OpInfo *op, Tensor *out, const Tensor **t, int n, DType common,
                       bool same_size);

#endif
