/* Feedback: the compiler's features (compiled/feature.h), told to whatever engine this process was linked with: libFuzzer's extra counters,
 * AFL++'s map. Without an engine nothing happens. */
#ifndef HARNESS_FEEDBACK_H
#define HARNESS_FEEDBACK_H

#include "compiled/feature.h"

void feedback_tell(const Features *f);

#endif
