/* What the motif files share: short ways to say a statement. Each answers NULL if an operand is NULL or the op is refused. */
#ifndef FUZZ_DRAW_MOTIF_H
#define FUZZ_DRAW_MOTIF_H

#include "fuzz/generate/draw.h"

#define MOTIF(name, weight, text) bool motif_##name(Gen *g);
#include "fuzz/patterns/motifs.def"
#undef MOTIF

Var *say(Gen *g, OpId id, Var *a);                    /* op(a), the rest by default */
Var *say2(Gen *g, OpId id, Var *a, Var *b);           /* op(a, b) */
Var *say_scalar(Gen *g, OpId id, Var *a, Scalar b);   /* op(a, scalar) */
Var *say_int(Gen *g, OpId id, Var *a, int64_t i);     /* op(a, int) */
Var *say_ints(Gen *g, OpId id, Var *a, int64_t i, int64_t j);
Var *say_getitem(Gen *g, Var *a, PIndexItem *items, int n);
bool say_setitem(Gen *g, Var *a, PIndexItem *items, int n, Var *value);

/* A fresh tensor that requires no grad: zeros, full, ones, new_zeros, or a plain input's clone. */
Var *motif_buffer(Gen *g, DType dtype, const int64_t *size, int ndim);
/* Something of this size that requires grad: a leaf input, or an op on one. */
Var *motif_source(Gen *g, DType dtype, const int64_t *size, int ndim);
/* A new float input of 1 to 3 dims, none of them 0, of at least `least` dims. */
Var *motif_input(Gen *g, int least, bool requires_grad);
/* Zero to two random statements. */
void motif_noise(Gen *g);
/* Sizes between 1 and 5 for a motif. */
int motif_size(Gen *g, int least, int most, int64_t *size);

#endif
