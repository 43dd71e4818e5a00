/* CLOCK_MONOTONIC: a campaign's limits hold while the system's time of day is set. */
#include "harness/util/clock.h"

#include <time.h>

static double clock_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now_seconds(void) { return clock_seconds(CLOCK_MONOTONIC); }

double cpu_seconds(void) { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }
