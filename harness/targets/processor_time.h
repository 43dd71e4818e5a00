/* The processor time of a tree of processes. */
#ifndef HARNESS_TARGET_PROCESSOR_TIME_H
#define HARNESS_TARGET_PROCESSOR_TIME_H

#include <sys/types.h>

/* Seconds that `pid` and its descendants have used, with those that have ended and were waited for;
 * below 0 if the system does not tell. Without /proc/PID/task/TID/children (proc(5)) descendants
 * that live are not counted. */
double processor_time(pid_t pid);

#endif
