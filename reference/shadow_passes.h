/* Parts of the shadow rules (shadow.c, shadow_sums.c): passes of an op's own kernel over arrays
 * derived from the operands' shadow, and properties of the operands. */
#ifndef REFERENCE_SHADOW_PASSES_H
#define REFERENCE_SHADOW_PASSES_H

#include "reference/shadow.h"

typedef enum Pass {
    PASS_VALUE,
    PASS_BOUND,
    PASS_MAGNITUDE,
    PASS_WORST /* |x| + b */,
    PASS_ONES
} Pass;

typedef struct Operands {
    bool exact;              /* every bound is 0 */
    bool index_inconclusive; /* an index or mask is inconclusive */
    bool converts;           /* some data operand has another dtype than the result */
    bool from_float;         /* some data operand is floating */
    bool finite;
    int exponent; /* every data element is a multiple of 2^exponent */
    int bits;     /* significant bits of the widest element */
    int highest;  /* largest |exponent| of an element's magnitude */
    int top;      /* largest exponent */
} Operands;

enum { NO_EXPONENT = 4096 };

/* Everything in `out` is inconclusive; the values are those computed. */
void shadow_lose(const Tensor *out);
/* Runs `kernel` with call's arguments derived by `pass`; the result, as long as out's storage. */
double *shadow_pass(Session *s, const Call *call, KernelFn kernel, const Tensor *out, Pass pass);
/* Takes tensor `t` into account; `result` is the dtype of what is computed. */
void shadow_operands_add(Operands *o, const Tensor *t, bool index, DType result);
/* All tensor operands of the call. */
Operands shadow_operands(const Call *call, DType result);
/* Significant bits of a floating dtype. */
int shadow_precision(DType dtype);
/* Are sums of multiples of 2^exponent, of total magnitude up to `magnitude`, exact in the dtype, in
 * any order? */
bool shadow_sums_exact(double magnitude, int exponent, DType dtype);
/* Powers of two up to this are well inside the dtype, also where a few of them are added. */
double shadow_safe_exponent(DType dtype);
/* May a partial result of `factors` factors overflow the dtype, so that the order of the terms
 * decides? */
bool shadow_may_overflow(const Operands *o, double factors, DType dtype);

/* ---- shadow_sums.c ---- */

/* POLYNOMIAL, NORMALIZED, and VARIANCE, NORM, LOGSUMEXP: value and bound of out[...]. */
void shadow_polynomial(Session *s, const Call *call, const Tensor *out, const Operands *o);
void shadow_normalized(Session *s, const Call *call, const Tensor *out, const Operands *o);
void shadow_statistic(Session *s, const Call *call, const Tensor *out, const Operands *o);
/* Bounds of a linspace. */
void shadow_linspace(const Call *call, const Tensor *out);

#endif
