/* CLOCK_MONOTONIC: a campaign's limits hold while the system's time of day is set. */
#include "harness/util/clock.h"

#include <time.h>

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
