/* Unspecified behaviour of shrink functions, logit and special functions. */
#include "reference/unspecified.h"

#include "program/semantics/semantics.h"

#include <math.h>

/* Does some element of a floating tensor lie where its kernels differ? */
typedef bool (*SpecialTest)(double x, double number, DType dtype);

static bool unspecified_special_any(const Tensor *t, SpecialTest test, double number) {
    const Tensor *one[1] = {t};
    bool found = false;
    for (Walk w = walk_start(t->size, t->ndim, one, 1);
         dtype_is_float(t->dtype) && walk_more(&w) && !found; walk_next(&w)) {
        found = test(element_double(t->storage->data, t->dtype, w.at[0]), number, t->dtype);
    }
    return found;
}

/* x times pi overflows. */
static bool overflows_turned(double x, double number, DType dtype) {
    (void)number;
    return isfinite(x) && fabs(x) > dtype_largest(dtype) / 4;
}

/* x times pi is a denormal number, which Sleef takes for 0. */
static bool vanishes_turned(double x, double number, DType dtype) {
    (void)number;
    return x != 0 && fabs(x) < (dtype == DT_float64 ? 0x1p-1020 : 0x1p-124);
}

static bool is_turned_edge(double x, double number, DType dtype) {
    return overflows_turned(x, number, dtype) || vanishes_turned(x, number, dtype);
}

/* A small negative number or -0.0, which softshrink multiplies by 0, or replaces by it. */
static bool is_shrunk_negative(double x, double lambda, DType dtype) {
    (void)dtype;
    return signbit(x) && x >= -lambda;
}

static bool is_special_minus_zero(double x, double number, DType dtype) {
    (void)number;
    (void)dtype;
    return x == 0 && signbit(x);
}

static bool is_special_nan(double x, double number, DType dtype) {
    (void)number;
    (void)dtype;
    return isnan(x);
}

static bool is_not_finite(double x, double number, DType dtype) {
    (void)number;
    return !isfinite(x) || fabs(x) > sqrt(dtype_largest(dtype));
}

/* isin that sorts relies on assume_unique; in 1.13 it had few half kernels. */
static const char *isin_unspecified(const Call *call) {
    bool half = false;
    for (int k = 0; k < 2; k++) {
        bool tensor = call->op->param[k].type == ARG_TENSOR;
        half = half || (tensor && dtype_is_float(call->arg[k].tensor->dtype) &&
                        dtype_bytes(call->arg[k].tensor->dtype) < 4);
    }
    if (half && semantics_now < SEMANTICS_2_8) {
        return "isin of half types in 1.13";
    }
    return call->arg[2].b ? "isin of elements that are not unique" : NULL;
}

/* lcm divides by the greatest common divisor, which Euclid's remainders make -1 for the least
 * integer and 7: the processor refuses the quotient, and PyTorch dies of SIGFPE. */
static bool holds_least(const Tensor *t) {
    const Tensor *one[1] = {t};
    bool wide = t->dtype == DT_int32 || t->dtype == DT_int64, found = false;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); wide && walk_more(&w) && !found;
         walk_next(&w)) {
        found = element_int(t->storage->data, t->dtype, w.at[0]) == dtype_min(t->dtype);
    }
    return found;
}

const char *unspecified_special(const Call *call, bool vectors) {
    const Tensor *self = call->arg[0].tensor;
    switch (call->op->id) {
    case OP_sinc:
        return unspecified_special_any(self, is_turned_edge, 0)
                   ? "sinc of a number whose product with pi overflows or vanishes"
                   : NULL;
    case OP_lcm:
        return holds_least(self) || holds_least(call->arg[1].tensor)
                   ? "lcm of the least integer: SIGFPE"
                   : NULL;
    case OP_softshrink:
        return vectors && unspecified_special_any(self, is_shrunk_negative,
                                                  scalar_to_double(call->arg[1].scalar))
                   ? "softshrink of small negative numbers: the sign of a zero"
                   : NULL;
    case OP_isin_Tensor_Tensor:
    case OP_isin_Tensor_Scalar:
    case OP_isin_Scalar_Tensor:
        return isin_unspecified(call);
    case OP_var_mean:
    case OP_var_mean_dim:
    case OP_var_mean_correction:
    case OP_std_mean:
    case OP_std_mean_dim:
    case OP_std_mean_correction:
        return unspecified_special_any(self, is_not_finite, 0)
                   ? "var_mean, std_mean: a mean of moments that are not finite"
                   : NULL;
    default:
        return NULL;
    }
}

const char *unspecified_special_gradient(const Grad *g) {
    const Tensor *self = g->call->arg[0].tensor;
    switch (g->call->op->id) {
    case OP_sinc:
        return unspecified_special_any(self, is_turned_edge, 0)
                   ? "sinc: products that overflow or vanish"
                   : NULL;
    case OP_hardshrink:
    case OP_softshrink:
    case OP__shrink_backward: /* the vectorized loop's is 0, the tail's the one that comes in */
        return unspecified_special_any(
                   g->call->op->id == OP__shrink_backward ? g->call->arg[1].tensor : self,
                   is_special_nan, 0)
                   ? "hardshrink, softshrink: the gradient at nan"
                   : NULL;
    case OP_logit:
        return unspecified_special_any(self, is_special_minus_zero, 0)
                   ? "logit: the sign of the infinite gradient at -0.0"
                   : NULL;
    default:
        return NULL;
    }
}
