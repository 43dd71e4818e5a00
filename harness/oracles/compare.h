/* The rules by which two buffers of numbers are equal (docs/internals/comparison.md, "Numbers").
 * All buffers are dense; callers check the shape first (values_same_shape). */
#ifndef HARNESS_COMPARE_H
#define HARNESS_COMPARE_H

#include "program/lang/result.h"

typedef enum Match { MATCH_SAME, MATCH_DIFFERENT, MATCH_INCONCLUSIVE } Match;

/* The same dtype, dimensions and number of elements: the condition for all comparisons below. */
bool values_same_shape(const Values *a, const Values *b);

/* Bit for bit, except that every NaN equals every NaN. False if an element differs; `first` is the
 * first of them. */
bool compare_bits(const Values *a, const Values *b, int64_t *first);

/* By the error bound of the reference's float64 shadow, element by element:
 *   finite bound    |A - B| <= 4 * bound + the smallest subnormal
 *   bound 0         bits, also the sign of zero
 *   NaN, infinite   inconclusive
 * MATCH_DIFFERENT if any element differs, else MATCH_INCONCLUSIVE if any is inconclusive; `first`
 * is the first such element. Without a shadow of this shape that has bounds, floats are
 * inconclusive and other dtypes are compared by bits. */
Match compare_bounded(const Values *a, const Values *b, const Values *shadow, int64_t *first);

/* The same, but floats within PyTorch's tolerances of `expected` are the same: an element differs
 * by both rules. */
Match compare_intolerable(const Values *a, const Values *expected, const Values *shadow,
                          int64_t *first);

/* For what compare_bounded calls inconclusive, where `base` is right: PyTorch's rule for accuracy
 * with a float64 baseline (torch/_dynamo/utils.py, `same`). MATCH_DIFFERENT if `base` is within the
 * default tolerances of the shadow's float64 values everywhere, and the root mean square distance
 * of `other` from them is more than twice that of `base` plus BASELINE_SLACK; `first` is then the
 * element that is farthest away. Else MATCH_INCONCLUSIVE, also where any of these is not finite. */
Match compare_baseline(const Values *base, const Values *other, const Values *shadow,
                       int64_t *first);

/* PyTorch's default tolerances (torch.testing.assert_close): |A - E| <= atol + rtol * |E|; integers
 * exactly; infinities by sign. */
bool compare_tolerant(const Values *a, const Values *expected, int64_t *first);
/* The same with the tolerances of `arithmetic`, the dtype of the computation, whatever dtype the
 * values were cast to. */
bool compare_tolerant_in(DType arithmetic, const Values *a, const Values *expected, int64_t *first);
/* Where nothing bounds the rounding of a program of several steps: four times rtol, of |E| and of
 * the root mean square of the finite E. An element that the shadow's bound explains is the same, if
 * the shadow's value is E within it (else it depends on numbers that are drawn); one whose bound is
 * infinite, since rounding decides a step on its way, is inconclusive, and one that four times the
 * largest finite bound explains: a cosine of large numbers, say. `shadow` may be NULL. */
Match compare_coarse(const Values *a, const Values *expected, const Values *shadow, int64_t *first);

/* Bit for bit against a recording; with `zero_sign` false, -0.0 equals 0.0. */
bool compare_recorded(const Values *a, const Values *expected, bool zero_sign, int64_t *first);

/* Is every element zero, or, if `or_nan`, zero or NaN? */
bool values_all_zero(const Values *v, bool or_nan);

/* After the write-through check: each element has the same bits on both sides, or is unchanged on
 * both (a->data, b->data), so that rounding from before the writes is not compared again. False if
 * not; `first` is the first element that differs. */
bool compare_write_through(const void *a_poked, const Values *a, const void *b_poked,
                           const Values *b, int64_t *first);

#endif
