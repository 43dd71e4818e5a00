/* The monotonic clock. */
#ifndef HARNESS_CLOCK_H
#define HARNESS_CLOCK_H

/* Seconds since an unspecified start. */
double now_seconds(void);

#endif
