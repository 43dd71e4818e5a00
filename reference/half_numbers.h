/* Numbers as operands of half dtypes (float16, bfloat16), which ATen takes in float32 in some ops.
 */
#ifndef REFERENCE_HALF_NUMBERS_H
#define REFERENCE_HALF_NUMBERS_H

#include "program/ops/op.h"

static const char half_number[] = "a half dtype with a number that it does not hold";

/* mul, div or floor_divide by a number or by a tensor of one element: does its rounding to the half
 * dtype of self show in the result? */
bool half_number_is_rounded(const Call *call);
/* Is a Scalar argument beyond the range of self, which is of a half dtype? */
bool half_number_overflows(const Call *call);

#endif
