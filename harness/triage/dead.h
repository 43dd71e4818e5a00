/* Dead code: statements whose results nothing needs. A compiler may leave them out, and with them
 * the errors that they would raise when they run. */
#ifndef HARNESS_DEAD_H
#define HARNESS_DEAD_H

#include "program/lang/program.h"

/* Is the statement an op whose results are neither returned nor read by anything but other dead
 * statements, and that writes no memory which an input or something live may share? False for a
 * `sid` that is no statement. */
bool statement_is_dead(const Program *p, int sid);

#endif
