/* Feedback: reports pairs of steps among the compiler's features (compiled/core/feature.h) to the
 * engine that this process is linked with: libFuzzer's extra counters, AFL++'s map. Does nothing
 * without an engine. */
#ifndef HARNESS_FEEDBACK_H
#define HARNESS_FEEDBACK_H

#include "compiled/core/feature.h"

void feedback_tell(const Features *f);

/* The same for campaigns, whose libFuzzer only decides whether an input shows a new feature
 * (-entropic=0 -use_counters=0 -reduce_inputs=0): features are reported once, and edges of
 * compiled/ that were reached before are hidden, since scanning thousands of them takes libFuzzer a
 * tenth of its time. */
void feedback_tell_new(const Features *f);
/* Zeroes the counters of the edges that were not 0 at an earlier call. */
void feedback_hide_edges(void);

#endif
