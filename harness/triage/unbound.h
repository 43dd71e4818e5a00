/* Names that a program reads or returns, but that nothing in it binds. Python finds them when they
 * are read; no compiler is to blame for what happens before. */
#ifndef HARNESS_UNBOUND_H
#define HARNESS_UNBOUND_H

#include "program/lang/program.h"

/* The number of such names. A name that only one branch binds is none of them. */
int names_unbound(const Program *p);

#endif
