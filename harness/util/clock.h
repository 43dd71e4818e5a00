/* The monotonic clock, and the CPU time of the process. */
#ifndef HARNESS_CLOCK_H
#define HARNESS_CLOCK_H

/* Seconds since an unspecified start. */
double now_seconds(void);
/* CPU seconds that this process has used, in all its threads. */
double cpu_seconds(void);

#endif
