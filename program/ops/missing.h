/* The error of an op without a derivative that a backward reaches (NotImplemented in
 * torch/csrc/autograd/FunctionsManual.cpp). */
#ifndef PROGRAM_OPS_MISSING_H
#define PROGRAM_OPS_MISSING_H

#include "program/ops/op.h"

/* Sets the error, and returns its code. */
ErrCode derivative_missing(const OpInfo *op, Error *err);
/* Is it the text of such an error? */
bool says_derivative_missing(const char *message);

#endif
