/* Each rule is one loop over two dense buffers. The common case, equal bits, is one memcmp. */
#include "harness/oracles/compare.h"

#include <math.h>
#include <string.h>

bool values_same_shape(const Values *a, const Values *b) {
    return a->dtype == b->dtype && sizes_equal(a->size, a->ndim, b->size, b->ndim) &&
           a->numel == b->numel;
}

static bool same_element_bits(const void *a, const void *b, DType dtype, int64_t i) {
    size_t bytes = (size_t)dtype_bytes(dtype);
    if (memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes, bytes) ==
        0) {
        return true;
    }
    return dtype_is_float(dtype) && isnan(element_double(a, dtype, i)) &&
           isnan(element_double(b, dtype, i));
}

bool compare_bits(const Values *a, const Values *b, int64_t *first) {
    if (memcmp(a->data, b->data, (size_t)a->numel * (size_t)dtype_bytes(a->dtype)) == 0) {
        return true;
    }
    for (int64_t i = 0; i < a->numel; i++) {
        if (!same_element_bits(a->data, b->data, a->dtype, i)) {
            *first = i;
            return false;
        }
    }
    return true;
}

/* One pair of floats under the bound; their bits differ. */
static Match compare_under(double x, double y, double value, double bound, DType dtype) {
    if (!isfinite(bound)) {
        return MATCH_INCONCLUSIVE;
    }
    if (bound == 0) {
        return MATCH_DIFFERENT;
    }
    if (x == y) {
        return MATCH_SAME; /* zeros of either sign */
    }
    if (isnan(x) || isnan(y)) {
        return MATCH_DIFFERENT;
    }
    double slack = 4 * bound + dtype_smallest_subnormal(dtype);
    if (isinf(x) || isinf(y)) { /* the exact value may lie at the overflow threshold, where
                                   both roundings are right */
        double finite = isinf(x) ? y : x;
        bool same_side = !isinf(finite) && (isinf(x) ? x > 0 : y > 0) == (finite > 0);
        return same_side && fabs(value) + slack >= dtype_largest(dtype) ? MATCH_SAME
                                                                        : MATCH_DIFFERENT;
    }
    return fabs(x - y) <= slack ? MATCH_SAME : MATCH_DIFFERENT;
}

/* The rtol of torch.testing.assert_close. */
static double relative_tolerance(DType dtype) {
    switch (dtype) {
    case DT_float64:
        return 1e-7;
    case DT_float16:
        return 1e-3;
    case DT_bfloat16:
        return 1.6e-2;
    default:
        return 1.3e-6;
    }
}

/* Equal floats, zeros of either sign among them, or finite ones no farther apart than this. */
static bool element_within(double x, double expected, double atol, double rtol, double scale) {
    return x == expected || (isfinite(x) && isfinite(expected) &&
                             fabs(x - expected) <= atol + rtol * (fabs(expected) + scale));
}

static double absolute_tolerance(DType dtype) { return dtype == DT_float64 ? 1e-7 : 1e-5; }

/* `tolerant`: floats within PyTorch's tolerances of `b` are the same. */
static Match match_bounded(const Values *a, const Values *b, const Values *shadow, bool tolerant,
                           int64_t *first) {
    bool bounded = shadow && shadow->bound && shadow->value64 && values_same_shape(a, shadow);
    bool is_float = dtype_is_float(a->dtype);
    int64_t inconclusive = -1;
    for (int64_t i = 0; i < a->numel; i++) {
        if (same_element_bits(a->data, b->data, a->dtype, i)) {
            continue;
        }
        Match match;
        if (is_float) {
            double x = element_double(a->data, a->dtype, i),
                   y = element_double(b->data, a->dtype, i);
            if (tolerant && element_within(x, y, absolute_tolerance(a->dtype),
                                           relative_tolerance(a->dtype), 0)) {
                continue;
            }
            match = bounded ? compare_under(x, y, shadow->value64[i], shadow->bound[i], a->dtype)
                            : MATCH_INCONCLUSIVE;
        } else {
            match = bounded && shadow->bound[i] != 0 ? MATCH_INCONCLUSIVE
                                                     : MATCH_DIFFERENT; /* NaN != 0 */
        }
        if (match == MATCH_DIFFERENT) {
            *first = i;
            return MATCH_DIFFERENT;
        }
        if (match == MATCH_INCONCLUSIVE && inconclusive < 0) {
            inconclusive = i;
        }
    }
    if (inconclusive >= 0) {
        *first = inconclusive;
        return MATCH_INCONCLUSIVE;
    }
    return MATCH_SAME;
}

Match compare_bounded(const Values *a, const Values *b, const Values *shadow, int64_t *first) {
    return match_bounded(a, b, shadow, false, first);
}

Match compare_intolerable(const Values *a, const Values *expected, const Values *shadow,
                          int64_t *first) {
    return match_bounded(a, expected, shadow, true, first);
}

bool compare_tolerant(const Values *a, const Values *expected, int64_t *first) {
    return compare_tolerant_in(a->dtype, a, expected, first);
}

/* Rounding that the shadow bounds, if it has computed the same number as `expected`: in a program
 * that draws numbers it has others, and what depends on them is another number. */
static bool within_bound(double x, double expected, double value, double bound, DType dtype) {
    double slack = 4 * bound + dtype_smallest_subnormal(dtype);
    return isfinite(slack) && fabs(value - expected) <= slack && fabs(x - expected) <= slack;
}

static double largest_bound(const Values *shadow) {
    double largest = 0;
    for (int64_t i = 0; i < shadow->numel; i++) {
        largest = isfinite(shadow->bound[i]) ? fmax(largest, shadow->bound[i]) : largest;
    }
    return largest;
}

/* Is every element equal, or no farther from `expected` than atol + rtol * (|expected| + scale), or
 * than rounding explains? Where the bound of the shadow is infinite, or another element's explains
 * it (the shadow has other numbers, but the same steps), that is inconclusive. */
static Match within_tolerance(const Values *a, const Values *expected, double rtol, double atol,
                              double scale, const Values *shadow, int64_t *first) {
    bool bounded = shadow && shadow->bound && shadow->value64 && values_same_shape(a, shadow);
    double largest = bounded ? largest_bound(shadow) : 0;
    Match match = MATCH_SAME;
    for (int64_t i = 0; i < a->numel; i++) {
        if (same_element_bits(a->data, expected->data, a->dtype, i)) {
            continue;
        }
        bool near = false;
        if (dtype_is_float(a->dtype)) {
            double x = element_double(a->data, a->dtype, i),
                   e = element_double(expected->data, a->dtype, i);
            if (element_within(x, e, atol, rtol, scale) ||
                (bounded && within_bound(x, e, shadow->value64[i], shadow->bound[i], a->dtype))) {
                continue;
            }
            near = isfinite(x) && isfinite(e) && fabs(x - e) <= 4 * largest;
        }
        bool open = near || (bounded && !isfinite(shadow->bound[i]));
        *first = !open || match == MATCH_SAME ? i : *first;
        if (!open) {
            return MATCH_DIFFERENT;
        }
        match = MATCH_INCONCLUSIVE;
    }
    return match;
}

bool compare_tolerant_in(DType arithmetic, const Values *a, const Values *expected,
                         int64_t *first) {
    return within_tolerance(a, expected, relative_tolerance(arithmetic),
                            absolute_tolerance(arithmetic), 0, NULL, first) == MATCH_SAME;
}

Match compare_coarse(const Values *a, const Values *expected, const Values *shadow,
                     int64_t *first) {
    enum { STEPS = 4 }; /* of the program, each with an error that the tolerance allows */
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; dtype_is_float(a->dtype) && i < a->numel; i++) {
        double e = element_double(expected->data, a->dtype, i);
        sum += isfinite(e) ? e * e : 0;
        n += isfinite(e);
    }
    return within_tolerance(a, expected, STEPS * relative_tolerance(a->dtype), 1e-5,
                            n > 0 ? sqrt(sum / (double)n) : 0, shadow, first);
}

Match compare_baseline(const Values *base, const Values *other, const Values *shadow,
                       int64_t *first) {
    static const double BASELINE_SLACK = 1e-3, TIMES = 2;
    if (!shadow || !shadow->value64 || !values_same_shape(base, shadow) ||
        !dtype_is_float(base->dtype)) {
        return MATCH_INCONCLUSIVE;
    }
    double rtol = relative_tolerance(base->dtype), atol = base->dtype == DT_float64 ? 1e-7 : 1e-5,
           of_base = 0, of_other = 0, farthest = 0;
    for (int64_t i = 0; i < base->numel; i++) {
        double exact = shadow->value64[i],
               near = element_double(base->data, base->dtype, i) - exact,
               far = element_double(other->data, other->dtype, i) - exact;
        if (!isfinite(far) || !(fabs(near) <= atol + rtol * fabs(exact))) {
            return MATCH_INCONCLUSIVE;
        }
        of_base += near * near;
        of_other += far * far;
        if (fabs(far) > farthest) {
            farthest = fabs(far);
            *first = i;
        }
    }
    double n = base->numel > 0 ? (double)base->numel : 1;
    return sqrt(of_other / n) > TIMES * sqrt(of_base / n) + BASELINE_SLACK ? MATCH_DIFFERENT
                                                                           : MATCH_INCONCLUSIVE;
}

bool compare_recorded(const Values *a, const Values *expected, bool zero_sign, int64_t *first) {
    for (int64_t i = 0; i < a->numel; i++) {
        if (same_element_bits(a->data, expected->data, a->dtype, i)) {
            continue;
        }
        if (!zero_sign && dtype_is_float(a->dtype) && element_double(a->data, a->dtype, i) == 0 &&
            element_double(expected->data, a->dtype, i) == 0) {
            continue;
        }
        *first = i;
        return false;
    }
    return true;
}

bool values_all_zero(const Values *v, bool or_nan) {
    for (int64_t i = 0; i < v->numel; i++) {
        double x = element_double(v->data, v->dtype, i);
        if (x != 0 && !(or_nan && isnan(x))) {
            return false;
        }
    }
    return true;
}

bool compare_write_through(const void *a_poked, const Values *a, const void *b_poked,
                           const Values *b, int64_t *first) {
    if (memcmp(a_poked, b_poked, (size_t)a->numel * (size_t)dtype_bytes(a->dtype)) == 0) {
        return true;
    }
    for (int64_t i = 0; i < a->numel; i++) {
        if (!same_element_bits(a_poked, b_poked, a->dtype, i) &&
            !(same_element_bits(a_poked, a->data, a->dtype, i) &&
              same_element_bits(b_poked, b->data, a->dtype, i))) {
            *first = i;
            return false;
        }
    }
    return true;
}
