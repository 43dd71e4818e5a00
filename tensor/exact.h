/* Was double arithmetic exact? The residual of a rounding, which fma computes, says so, unless it
 * is smaller than the smallest double: small results are compared by their fractions. */
#ifndef TENSOR_EXACT_H
#define TENSOR_EXACT_H

#include <math.h>
#include <stdbool.h>

/* A residual of a number from here on is a double: 2^-1022 times 2^53. */
#define EXACT_SMALL 0x1p-969

/* Is y = a b? */
static inline bool product_is_exact(double y, double a, double b) {
    if (a == 0 || b == 0 || !(fabs(y) < EXACT_SMALL)) {
        return fma(a, b, -y) == 0;
    }
    int i, k;
    double u = frexp(a, &i), v = frexp(b, &k);
    return fma(u, v, -(u * v)) == 0 && ldexp(y, -(i + k)) == u * v;
}

/* Is y = a / b? */
static inline bool quotient_is_exact(double y, double a, double b) {
    if (a == 0 || b == 0 || !(fabs(a) < EXACT_SMALL)) {
        return fma(y, b, -a) == 0;
    }
    int i, k;
    double u = frexp(a, &i), v = frexp(b, &k);
    return fma(u / v, v, -u) == 0 && ldexp(y, k - i) == u / v;
}

/* Is y the root of a? */
static inline bool root_is_exact(double y, double a) {
    enum { UP = 200 };
    bool small = a < EXACT_SMALL;
    double root = small ? ldexp(y, UP) : y;
    return fma(root, root, small ? -ldexp(a, 2 * UP) : -a) == 0;
}

/* Is the sum of a and b one double? */
static inline bool sum_is_exact(double a, double b) {
    double sum = a + b, part = sum - a;
    return (a - (sum - part)) + (b - part) == 0;
}

#endif
