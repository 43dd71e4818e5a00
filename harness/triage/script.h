/* Does a person see the finding? The repro script of a report needs nothing but PyTorch; it is run
 * by the target's own interpreter before the finding is reported. */
#ifndef HARNESS_SCRIPT_H
#define HARNESS_SCRIPT_H

#include "harness/check/check.h"

typedef enum ScriptAnswer {
    SCRIPT_UNKNOWN, /* no target compiles, the script did not run to its end, or the time was up */
    SCRIPT_SHOWS,   /* a difference; or its process died, as the target's did */
    SCRIPT_NOTHING  /* it says that there is no difference */
} ScriptAnswer;

/* Runs the script of `p` in the mode of the pair's compiling target, until `end` (now_seconds(); 0:
 * 120 seconds at most). */
ScriptAnswer script_run(const Checker *c, const Program *p, double end);

#endif
