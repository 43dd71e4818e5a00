/* Exit codes of the program. Functions that can fail for the user's sake return one of them beside
 * a sentence that says why; the worst of several is the highest. */
#ifndef HARNESS_STATUS_H
#define HARNESS_STATUS_H

enum { EXIT_AGREE = 0, EXIT_FINDINGS = 1, EXIT_BAD_INPUT = 2, EXIT_ENVIRONMENT = 3 };

static inline int worst(int a, int b) { return a > b ? a : b; }

#endif
