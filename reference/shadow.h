/* The float64 shadow: beside every element its value in double precision and a first-order bound on
 * how far a computation in the program's own dtype may deviate from it.
 *
 *     value64[i]   the element, computed in float64 from the operands' value64
 *     bound[i]     |any correctly written float32 result - value64| <= bound, to first order
 *                  0:    the computation is exact
 *                  NaN:  inconclusive: the element depends on a discrete choice (a comparison, a
 *                        floor, an index) that may change within its operand's bound
 *
 * Integer and bool storages carry both arrays too, so that inconclusive elements propagate through
 * indices and masks. */
#ifndef REFERENCE_SHADOW_H
#define REFERENCE_SHADOW_H

#include "reference/tape.h"

/* Gives t's storage its arrays, zeroed, if the session shadows. */
void shadow_allocate(Session *s, const Tensor *t);
/* The storage's elements are exactly what they are: inputs, literals, tangents. Allocates. */
void shadow_load(Session *s, Storage *storage);
/* After `call` was computed into `out`: its shadow. */
void shadow_compute(Session *s, const Call *call, Tensor *const *out, int nout);
/* The part of shadow_compute for POINTWISE rows. `fused`: beside an executor that fuses, an
 * infinity in float16 that comes of finite numbers is inconclusive, and so is the sign of a zero
 * that is picked from zeros of both signs. */
void shadow_pointwise(const Call *call, const Tensor *out, bool fused);
/* `x` rounded to a floating dtype. */
double shadow_round(double x, DType dtype);
/* The smallest subnormal: what an operation that may underflow loses at most. */
double shadow_grain(DType dtype);
/* A value beyond the dtype's range becomes an infinity; one that may or may not be beyond it, or
 * whose partial results (up to `magnitude`) may, is inconclusive. */
void shadow_overflow(double *value, double *bound, double magnitude, DType dtype);
/* to[...] = from[...], values and bounds as they are; `from` broadcasts. */
void shadow_copy(const Tensor *to, const Tensor *from);
/* As shadow_copy after a write that converted: a narrower dtype rounds, an integer truncates. */
void shadow_cast(const Tensor *to, const Tensor *from);
/* One element of these after a conversion to `dtype` (from a floating dtype, or from an integer
 * one). */
void shadow_settle(double *value, double *bound, DType dtype, bool from_float);
/* `t` read as float64 from `data`, an array as long as its storage; `storage` becomes its
 * storage. */
Tensor shadow_float64(const Tensor *t, double *data, Storage *storage);
/* `term` has been added to `sum`, in another order than PyTorch adds: partial sums that are exact
 * here may be rounded there. */
void shadow_any_order(const Tensor *sum, const Tensor *term);
/* Is any element inconclusive (bound NaN), or, where a float is read for a discrete choice,
 * inexact? */
bool shadow_is_inconclusive(const Tensor *t);

/* Before the kernel of `call` runs: does it check values that rounding decides, so that it may
 * refuse them elsewhere, or not? Notes it in Session.shadow_refusal. */
void shadow_note_refusal(Session *s, const Call *call);

#endif
