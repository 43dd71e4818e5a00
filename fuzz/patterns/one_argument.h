/* The deliberate errors of one wrong argument. */
#ifndef FUZZ_ONE_ARGUMENT_H
#define FUZZ_ONE_ARGUMENT_H

#include "fuzz/patterns/pattern.h"

/* Appends an op one of whose arguments does not fit; false: none was found. */
bool draw_wrong_argument(Gen *g);
/* Appends a product (mm, matmul, addmm, ...) one of whose operands has another float dtype, which
 * no product promotes; false: none was found. */
bool draw_two_float_dtypes(Gen *g);

#endif
