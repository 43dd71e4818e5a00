/* Operand values with which ATen's kernels overflow in one order of computing and not in another.
 */
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
/* var, std */
bool moments_overflow(const Call *call);
bool moments_overflow_of(const Tensor *self);
/* float_power: a result near the largest float64. */
bool power_is_largest(const Call *call);
/* prod */
bool products_overflow(const Call *call);

#endif
