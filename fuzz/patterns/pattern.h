/* What the pattern files share: shorthands that append a statement. Each returns NULL if an operand
 * is NULL or the op is refused. */
#ifndef FUZZ_PATTERN_H
#define FUZZ_PATTERN_H

#include "fuzz/generate/draw.h"

#define PATTERN(name, weight, text) bool pattern_##name(Gen *g);
#include "fuzz/patterns/patterns.def"
#undef PATTERN

GenVar *say(Gen *g, OpId id, GenVar *a);                  /* op(a), the rest by default */
GenVar *say2(Gen *g, OpId id, GenVar *a, GenVar *b);      /* op(a, b) */
GenVar *say_scalar(Gen *g, OpId id, GenVar *a, Scalar b); /* op(a, scalar) */
GenVar *say_int(Gen *g, OpId id, GenVar *a, int64_t i);   /* op(a, int) */
GenVar *say_ints(Gen *g, OpId id, GenVar *a, int64_t i, int64_t j);
GenVar *say_getitem(Gen *g, GenVar *a, PIndexItem *items, int n);
bool say_setitem(Gen *g, GenVar *a, PIndexItem *items, int n, GenVar *value);

/* A fresh tensor that requires no grad: zeros, full, ones, new_zeros, or a plain input's clone. */
GenVar *pattern_buffer(Gen *g, DType dtype, const int64_t *size, int ndim);
/* Something of this size that requires grad: a leaf input, or an op on one. */
GenVar *pattern_source(Gen *g, DType dtype, const int64_t *size, int ndim);
/* A new float input of 1 to 3 dims, none of them 0, of at least `least` dims. */
GenVar *pattern_input(Gen *g, int least, bool requires_grad);
/* Zero to two random statements. */
void pattern_noise(Gen *g);
/* Sizes between 1 and 5 for a pattern; of vectors in a program of those. */
int pattern_size(Gen *g, int least, int most, int64_t *size);

#endif
