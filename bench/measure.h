/* Seconds on a monotonic clock, or of processor time, and the median of some (which it sorts). */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

static inline double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline double now(void) { return seconds_of(CLOCK_MONOTONIC); }
/* Of this process: what else the machine does is not in it. Costs some 0.2 us. */
static inline double cpu_now(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

static inline int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *v, int n) {
    qsort(v, (size_t)n, sizeof v[0], by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

#endif
