/* How long a process may take for one answer. */
#ifndef HARNESS_TARGET_DEADLINE_H
#define HARNESS_TARGET_DEADLINE_H

#include "harness/targets/process.h"

/* All times are seconds of the clock of now_seconds(); `used` ones are of processor time. */
typedef struct Deadline {
    double seconds; /* of processor time that it may use */
    double begun, at;
    double used_at_first; /* what it had used when it was first looked at; below 0: unknown */
    double looked, used;  /* when it was looked at last (`begun`: never), and what it had used */
} Deadline;

void deadline_set(Deadline *d, double seconds);
/* Has it been passed? Puts it off if the process is only slow. */
bool deadline_passed(Deadline *d, const Process *p);
/* Seconds until deadline_passed must be called again; 0 or less: now. */
double deadline_left(const Deadline *d);

#endif
