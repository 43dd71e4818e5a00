/* Writes through views, for lists of known issues: many bugs of functionalization are those of one
 * view's inverse (aten/src/ATen/FunctionalInverses.cpp), whatever op writes. */
#ifndef HARNESS_THROUGH_H
#define HARNESS_THROUGH_H

#include "program/lang/program.h"

/* Does a statement write to what an op returned whose name matches the pattern (* and ?), or to a
 * view of that? */
bool program_writes_through(const Program *p, const char *pattern);

#endif
