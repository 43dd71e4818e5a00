/* Operand values with which ATen's kernels overflow, or keep the sign of a zero, in one order of
 * computing and not in another, and numbers as operands of half dtypes (float16, bfloat16), which
 * ATen takes in float32 in some ops. */
#ifndef REFERENCE_OVERFLOWS_H
#define REFERENCE_OVERFLOWS_H

#include "program/ops/op.h"

/* fmod, remainder, floor_divide. */
bool quotient_overflows(const Call *call);
/* add, sub, rsub with an alpha. */
bool alpha_overflows(const Call *call);
/* addcmul; `divides`: addcdiv. */
bool steps_overflow(const Call *call, bool divides);
bool elu_overflows(const Call *call);
bool softplus_overflows(const Call *call);
/* norm */
bool powers_overflow(const Call *call);
/* The same of the operands of a distance or a similarity. */
bool pair_powers_overflow(const Call *call);
/* var, std */
bool moments_overflow(const Call *call);
bool moments_overflow_of(const Tensor *self);
/* float_power: a result near the largest float64. */
bool power_is_largest(const Call *call);
/* prod */
bool products_overflow(const Call *call);
/* bilinear with this gradient of the result: partial sums of products of three. */
bool triple_products_overflow(const Call *call, const Tensor *grad);
/* maximum, minimum, ...: two zeros of different sign are compared. The tensors broadcast. */
bool zeros_compared(const Tensor *a, const Tensor *b);
/* mm of a column and a row: a product is -0. */
bool product_is_minus_zero(const Tensor *a, const Tensor *b);

/* ---- numbers as operands of half dtypes ---- */

static const char half_number[] = "a half dtype with a number that it does not hold";

/* mul, div or floor_divide by a number or by a tensor of one element: does its rounding to the half
 * dtype of self show in the result? */
bool half_number_is_rounded(const Call *call);
/* Is a Scalar argument beyond the range of self, which is of a half dtype? */
bool half_number_overflows(const Call *call);

#endif
