/* Does the result of a program depend on its random numbers? */
#ifndef HARNESS_STREAM_H
#define HARNESS_STREAM_H

#include "harness/check/check.h"

/* Runs the program on the reference with other seeds: true if one of the results is another one. */
bool depends_on_stream(Checker *c, const Comparison *cmp);

#endif
