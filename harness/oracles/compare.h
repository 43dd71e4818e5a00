/* What "equal" means for numbers (docs/internals/architecture.md, "What is compared"). */
#ifndef HARNESS_COMPARE_H
#define HARNESS_COMPARE_H

#include "program/lang/result.h"

typedef enum Match { MATCH_SAME, MATCH_DIFFERENT, MATCH_INCONCLUSIVE } Match;

/* Same dtype and size: then the element-wise comparisons below make sense. Dimensions are compared
 * exactly. */
bool values_same_shape(const Values *a, const Values *b);

/* Bit for bit, except that any NaN equals any NaN. On a difference, false and the first element in
 * `first`. */
bool compare_bits(const Values *a, const Values *b, int64_t *first);

/* With the float64 shadow of the reference: |A - B| <= 4 * bound + the smallest subnormal; bound 0:
 * bits (the sign of zero too); bound NaN or infinite: in doubt. A difference anywhere beats a doubt
 * anywhere; `first` is the first element of what is answered. A shadow that does not fit, or has no
 * bounds, leaves floats in doubt and the others to their bits. */
Match compare_bounded(const Values *a, const Values *b, const Values *shadow, int64_t *first);

/* PyTorch's default tolerances (torch.testing.assert_close): |A - E| <= atol + rtol * |E|; integers
 * exactly; infinities by sign. */
bool compare_tolerant(const Values *a, const Values *expected, int64_t *first);
/* The same with the tolerances of the dtype in which was computed, whatever dtype the values were
 * cast to at last. */
bool compare_tolerant_in(DType arithmetic, const Values *a, const Values *expected, int64_t *first);

/* Bit for bit against a recording; `zero_sign` false: -0.0 equals 0.0. */
bool compare_recorded(const Values *a, const Values *expected, bool zero_sign, int64_t *first);

bool values_all_zero(const Values *v);

/* After a poke: every element was changed on both sides to the same bits, or is what it was on both
 * (a->data, b->data). */
bool compare_poked(const void *a_poked, const Values *a, const void *b_poked, const Values *b,
                   int64_t *first);

#endif
