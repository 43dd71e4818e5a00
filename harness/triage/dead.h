/* Statements that a compiler may leave out. Dead code: nothing needs the results; with it go the
 * errors that it would raise when it runs. Common subexpressions: an op called twice on the same.
 */
#ifndef HARNESS_DEAD_H
#define HARNESS_DEAD_H

#include "program/lang/program.h"

/* Is the statement an op whose results are neither returned nor read by anything but other dead
 * statements, and that writes no memory which an input or something live may share; or a `with`
 * block of such ops? False for a `sid` that is no statement. */
bool statement_is_dead(const Program *p, int sid);
/* Is the statement an op that has been called before with the same arguments? False for a `sid`
 * that is no statement. */
bool statement_is_repeated(const Program *p, int sid);
/* The same, where it may be called before or afterwards. */
bool statement_has_equal(const Program *p, int sid);

#endif
