/* Feedback: pairs of steps among the compiler's features (compiled/core/feature.h), told to
 * whatever engine this process was linked with: libFuzzer's extra counters, AFL++'s map. Without an
 * engine nothing happens. */
#ifndef HARNESS_FEEDBACK_H
#define HARNESS_FEEDBACK_H

#include "compiled/core/feature.h"

void feedback_tell(const Features *f);

/* The same for campaigns, whose libFuzzer only asks of an input whether it shows something new
 * (-entropic=0 -use_counters=0 -reduce_inputs=0): what was told before is not told again, and edges
 * of compiled/ that were met before are hidden, since looking through thousands of them took
 * libFuzzer a tenth of all time. */
void feedback_tell_new(const Features *f);
/* Zeroes the counters of the edges that were not 0 at an earlier call. */
void feedback_hide_edges(void);

#endif
