/* The float64 shadow of pointwise ops: the scalar function in double on the operands' values, and
 * on the values moved by their bounds one at a time.
 *
 *   bound = sum over operands of max |f(x +- b) - f(x)|  +  k u |f(x)|      (the last term 0 where
 *   the arithmetic was exact)
 *
 * That is the first order. For anything but sums the corners of the box count as well: near 0 the
 * product of two bounds is the only term.
 *
 * A function with jumps is inconclusive (NaN) where moving the operands within their bounds changes
 * the chosen piece: the result of a comparison, a floor, the integer quotient of a remainder. */
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"
#include "reference/shadow.h"
#include "tensor/exact.h"

#include <math.h>

typedef struct Point {
    Pw pw;
    int n; /* operands */
    double x[PW_MAX_OPERANDS];
    double b[PW_MAX_OPERANDS];
} Point;

static bool is_product_exact(double a, double b) { return product_is_exact(a * b, a, b); }

/* Was f(x) = y computed in double without rounding? */
static bool is_exact(const Point *p, double y) {
    const double *x = p->x;
    switch (p->pw) {
    case PW_add:
    case PW_sub:
        return is_product_exact(x[2], x[1]) &&
               sum_is_exact(x[0], p->pw == PW_add ? x[2] * x[1] : -(x[2] * x[1]));
    case PW_rsub:
        return is_product_exact(x[2], x[0]) && sum_is_exact(x[1], -(x[2] * x[0]));
    case PW_mul:
        return is_product_exact(x[0], x[1]);
    case PW_square:
        return is_product_exact(x[0], x[0]);
    case PW_div:
        return quotient_is_exact(y, x[0], x[1]);
    case PW_reciprocal:
        return fma(y, x[0], -1) == 0;
    case PW_sqrt:
        return root_is_exact(y, x[0]);
    case PW_fmod:
    case PW_remainder:
        return true;
    case PW_addcmul:
        return is_product_exact(x[1], x[2]) && is_product_exact(x[3], x[1] * x[2]) &&
               sum_is_exact(x[0], x[3] * (x[1] * x[2]));
    default:
        return pw_info(p->pw)->k == 0;
    }
}

/* Which piece of a function with jumps applies: it must be the same within the bounds. */
static double piece(Pw pw, const double *x, double y) {
    switch (pw) {
    case PW_remainder:
        return floor(x[0] / x[1]);
    case PW_fmod:
        return trunc(x[0] / x[1]);
    case PW_frac:
        return trunc(x[0]);
    default:
        return y;
    }
}

static bool has_jumps(Pw pw) {
    switch (pw) {
    case PW_sign:
    case PW_floor:
    case PW_ceil:
    case PW_trunc:
    case PW_frac:
    case PW_round:
    case PW_logical_not:
    case PW_isnan:
    case PW_isinf:
    case PW_isfinite:
    case PW_isposinf:
    case PW_isneginf:
    case PW_signbit:
    case PW_angle:
    case PW_heaviside:
        return true;
    default:
        return pw_is_logic(pw) || pw_is_quotient(pw);
    }
}

static bool asks_truth(Pw pw) {
    return pw == PW_logical_not || pw == PW_heaviside ||
           (pw >= PW_logical_and && pw <= PW_logical_xor);
}

static bool rounds(Pw pw) { return pw == PW_ceil || pw == PW_trunc || pw == PW_round; }

/* Is any corner of the box x +- b on another piece? A choice at a single number may fall between
 * corners that agree: two operands may be equal where their intervals meet, and 0 (which is false)
 * is tested wherever the box contains it. */
static bool piece_moves(const Point *p, double y) {
    if (p->pw == PW_eq || p->pw == PW_ne) {
        return fabs(p->x[0] - p->x[1]) <= p->b[0] + p->b[1];
    }
    PwDouble f = pw_info(p->pw)->f;
    double here = piece(p->pw, p->x, y);
    int corners = 1;
    for (int i = 0; i < p->n; i++) {
        corners *= 3;
    }
    for (int c = 0; c < corners; c++) {
        double x[PW_MAX_OPERANDS];
        for (int i = 0, rest = c; i < p->n; i++, rest /= 3) {
            bool zero = rest % 3 == 1 && asks_truth(p->pw) && fabs(p->x[i]) <= p->b[i];
            x[i] = zero ? 0 : p->x[i] + (rest % 3 - 1) * p->b[i];
        }
        double there = piece(p->pw, x, f(x));
        bool rounds_to_other_zero = rounds(p->pw) && signbit(there) != signbit(here);
        if ((there != here && !(isnan(there) && isnan(here))) || rounds_to_other_zero) {
            return true;
        }
    }
    return false;
}

/* Does the box x +- b contain a pole, or an end of the domain? Then values at the corners say
 * nothing about those inside. */
static bool crosses_pole(const Point *p) {
    const double half_turn = 3.141592653589793;
    switch (p->pw) {
    case PW_tan:
        return floor((p->x[0] - p->b[0]) / half_turn + 0.5) !=
               floor((p->x[0] + p->b[0]) / half_turn + 0.5);
    case PW_reciprocal:
    case PW_rsqrt:
    case PW_log:
    case PW_log2:
    case PW_log10:
    case PW_entr:
        return p->b[0] > 0 && fabs(p->x[0]) <= p->b[0];
    case PW_atanh:
    case PW_erfinv:
        return p->b[0] > 0 && fabs(fabs(p->x[0]) - 1) <= p->b[0];
    case PW_logit_backward:
        return p->b[1] > 0 && (fabs(p->x[1]) <= p->b[1] || fabs(p->x[1] - 1) <= p->b[1]);
    case PW_logit:
        return p->b[0] > 0 && (fabs(p->x[0]) <= p->b[0] || fabs(p->x[0] - 1) <= p->b[0]);
    case PW_div:
        return p->b[1] > 0 && fabs(p->x[1]) <= p->b[1];
    case PW_addcdiv:
        return p->b[2] > 0 && fabs(p->x[2]) <= p->b[2];
    default:
        return false;
    }
}

/* The largest distance from y at a corner of the box x +- b. NaN where there is no number. */
static double at_corners(const Point *p, double y) {
    PwDouble f = pw_info(p->pw)->f;
    double most = 0;
    for (int c = 0; c < 1 << p->n; c++) {
        double x[PW_MAX_OPERANDS];
        for (int i = 0; i < p->n; i++) {
            x[i] = c >> i & 1 ? p->x[i] + p->b[i] : p->x[i] - p->b[i];
        }
        double d = fabs(f(x) - y);
        most = isnan(d) || d > most ? d : most;
        if (isnan(most)) {
            return NAN;
        }
    }
    return most;
}

static bool shadow_pointwise_is_sum(Pw pw) { return pw == PW_add || pw == PW_sub || pw == PW_rsub; }

static double moved(const Point *p, double y) {
    if (p->pw == PW_sin || p->pw == PW_cos) {
        return fmin(p->b[0], 2); /* Lipschitz 1; a box of a full turn or more may reach any value */
    }
    PwDouble f = pw_info(p->pw)->f;
    double sum = 0;
    int inexact = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->b[i] == 0) {
            continue;
        }
        inexact++;
        double x[PW_MAX_OPERANDS], most = 0;
        for (int j = 0; j < p->n; j++) {
            x[j] = p->x[j];
        }
        for (int sign = -1; sign <= 1; sign += 2) {
            x[i] = p->x[i] + sign * p->b[i];
            double d = fabs(f(x) - y);
            most = isnan(d) || d > most ? d : most;
            if (isnan(most)) {
                return NAN;
            }
        }
        sum += most;
    }
    if (inexact < 2 || shadow_pointwise_is_sum(p->pw)) {
        return sum;
    }
    if (p->pw == PW_mul) {
        return sum + p->b[0] * p->b[1];
    }
    double far = at_corners(p, y);
    return isnan(far) || far > sum ? far : sum;
}

/* Functions that pick one of their operands: at a tie within the bounds another operand may be the
 * one picked, so its bound and its distance count too (one operand moved at a time does not show
 * that: clamp(x, min=x, max=y) with y next to x). */
static double picked(const Point *p, double y) {
    double reach = 0, most = 0;
    for (int i = 0; i < p->n; i++) {
        reach = fmax(reach, p->b[i]);
    }
    for (int i = 0; i < p->n; i++) {
        double distance = fabs(p->x[i] - y);
        if (distance <= 2 * reach) {
            most = fmax(most, p->b[i] + distance);
        }
    }
    return most;
}

static bool picks(Pw pw) {
    return pw == PW_maximum || pw == PW_minimum || pw == PW_fmax || pw == PW_fmin || pw == PW_clamp;
}

/* The magnitude that the roundings of one application are relative to: the result's, or a partial
 * result's where a sum may cancel. */
static double rounding_scale(const Point *p, double y) {
    const double *x = p->x;
    switch (p->pw) {
    case PW_remainder:
        return fmax(fabs(y), fabs(x[1]));
    case PW_addcdiv:
        return fmax(fabs(y), fabs(x[0]));
    case PW_lerp:
    case PW_lerp_symmetric:
        return fabs(x[0]) + fabs(x[1]) + fabs(x[2] * (x[1] - x[0]));
    case PW_gelu:
    case PW_gelu_tanh:
    case PW_hardswish:
        return fmax(fabs(y), fabs(x[0]));
    case PW_elu:
        return fabs(y) + fabs(x[1] * x[2]);
    case PW_hardsigmoid:
        return 1;
    case PW_gelu_slope: /* cdf + x pdf cancels near -0.75; a vectorized erf is absolute to 1.5e-7 */
    case PW_sinc:
    case PW_logit:
        return fmax(fabs(y), 1);
    case PW_logaddexp:
    case PW_logaddexp2:
        return fmax(fmax(fabs(y), 1), fabs(fmax(x[0], x[1])));
    case PW_erfinv:
        return fabs(y) + exp(fmin(y * y, 700));
    case PW_entr:
    case PW_softshrink:
    case PW_softshrink_number:
        return fmax(fabs(y), fabs(x[0]));
    case PW_smooth_l1:
    case PW_huber_slope:
        return fabs(y) + fabs(x[0]) + fabs(x[1]);
    case PW_smooth_l1_slope:
        return x[2] == 0 ? 1 : fabs(y) + (fabs(x[0]) + fabs(x[1])) / x[2];
    case PW_huber:
        return fabs(y) + x[2] * (fabs(x[0]) + fabs(x[1]) + x[2]);
    case PW_bce:
        return fabs(x[1] - 1) * (1 - fmax(log(1 - x[0]), -100)) +
               fabs(x[1]) * (1 - fmax(log(x[0]), -100));
    case PW_bce_slope:
        return (fabs(x[0]) + fabs(x[1])) / fmax((1 - x[0]) * x[0], x[2]);
    default:
        return fabs(y);
    }
}

/* Vector math libraries may flush a result near the least normal number to 0 (Sleef: expf, erff).
 */
static double flushed(const Point *p, double y, DType dtype) {
    double least = dtype == DT_float64 ? 0x1p-1020 : 0x1p-124;
    bool flushes = pw_info(p->pw)->k >= 2 && fabs(y) < least * fmax(1, fabs(p->x[0]));
    return flushes ? fabs(y) : 0;
}

/* Bound of f(x) = y, rounded in `dtype`. */
static double point_bound(const Point *p, double y, DType dtype, bool discrete) {
    bool exact = true;
    for (int i = 0; i < p->n; i++) {
        if (isnan(p->b[i])) {
            return NAN;
        }
        exact &= p->b[i] == 0;
    }
    if (exact && (discrete || !isfinite(y) || (shadow_round(y, dtype) == y && is_exact(p, y)))) {
        return 0;
    }
    if (!exact && (crosses_pole(p) || (has_jumps(p->pw) && piece_moves(p, y)))) {
        return NAN;
    }
    if (discrete) {
        return 0;
    }
    if (picks(p->pw)) {
        return exact ? 0 : fmax(moved(p, y), picked(p, y));
    }
    double scale = rounding_scale(p, y);
    double k = fmax(pw_info(p->pw)->k, 1);
    return (exact ? 0 : moved(p, y)) +
           (pw_info(p->pw)->k == 0 && !exact
                ? 0
                : k * dtype_unit(dtype) * scale + shadow_grain(dtype) + flushed(p, y, dtype));
}

/* where and masked_fill: the index of the operand that is selected, or -1 if the choice is
 * inconclusive. */
static int chosen(const Point *p) {
    int condition = p->pw == PW_where ? 0 : 1;
    if (isnan(p->b[condition]) ||
        (p->b[condition] > 0 && fabs(p->x[condition]) <= p->b[condition])) {
        return -1;
    }
    if (p->pw == PW_where) {
        return p->x[0] != 0 ? 1 : 2;
    }
    return p->x[1] != 0 ? 2 : 0;
}

/* How far the number that a kernel reads may be from `rounded`: since 2.8 mul and div of a half
 * dtype read it in float32 (BinaryOpsKernel.cpp, opmath_t). */
static double number_bound(Pw pw, double v, double rounded, DType compute) {
    bool wide = semantics_now >= SEMANTICS_2_8 && (pw == PW_mul || pw == PW_div) &&
                dtype_bytes(compute) == 2 && isfinite(rounded);
    return wide ? fabs(v - rounded) : 0;
}

/* An operand as the kernel reads it: converted to the computation's dtype. */
static void load_operand(Point *p, int i, const PwOperand *operand, int64_t at, DType compute) {
    if (!operand->tensor) {
        double v = scalar_to_double(operand->scalar);
        p->x[i] = shadow_round(v, compute);
        p->b[i] = number_bound(p->pw, v, p->x[i], compute);
        return;
    }
    double v = operand->tensor->storage->value64[at], b = operand->tensor->storage->bound[at];
    double rounded = shadow_round(v, compute);
    p->x[i] = b == 0 ? rounded : v;
    p->b[i] = b != 0 && operand->tensor->dtype != compute && rounded != v
                  ? b + dtype_unit(compute) * fabs(v)
                  : b;
}

/* Are the operands that are tensors finite at one element of the result? */
static bool reads_finite(const PwOperand *operands, int n, const int *slot, const Walk *w) {
    bool finite = true;
    for (int i = 0; i < n; i++) {
        const Tensor *t = operands[i].tensor;
        finite &= !t || isfinite(t->storage->value64[w->at[slot[i]]]);
    }
    return finite;
}

/* Is the result one of two zeros of different signs? They are equal, so either may be picked:
 * vector code takes another one than scalar code (maxps; std::max). */
static bool picks_a_zero(const Point *p, double y) {
    bool negative = false, positive = false;
    for (int i = 0; i < p->n; i++) {
        negative |= p->x[i] == 0 && signbit(p->x[i]);
        positive |= p->x[i] == 0 && !signbit(p->x[i]);
    }
    return picks(p->pw) && y == 0 && negative && positive;
}

void shadow_pointwise(const Call *call, const Tensor *out, bool fused) {
    DType compute, result;
    Error err = {0};
    CHECK(call->op->typing(call, &compute, &result, &err) == ERR_none);
    PwOperand operands[PW_MAX_OPERANDS];
    Point p = {.pw = call_pw(call)};
    p.n = call_operands(call, compute, operands);
    const Tensor *walked[WALK_MAX] = {out};
    int slot[PW_MAX_OPERANDS], count = 1;
    for (int i = 0; i < p.n; i++) {
        slot[i] = operands[i].tensor ? count : 0;
        if (operands[i].tensor) {
            walked[count++] = operands[i].tensor;
        }
    }
    Storage *to = out->storage;
    bool computes_float = dtype_is_float(compute), discrete = !dtype_is_float(result);
    PwDouble f = pw_info(p.pw)->f;
    DType coarse =
        dtype_is_float(result) && dtype_unit(result) > dtype_unit(compute) ? result : compute;
    for (Walk w = walk_start(out->size, out->ndim, walked, count); walk_more(&w); walk_next(&w)) {
        for (int i = 0; i < p.n; i++) {
            load_operand(&p, i, &operands[i], w.at[slot[i]], computes_float ? compute : DT_float64);
        }
        double *value = &to->value64[w.at[0]], *bound = &to->bound[w.at[0]];
        bool pole = false;
        *value = element_double(to->data, to->dtype, w.at[0]);
        if (p.pw == PW_where || p.pw == PW_masked_fill) {
            int taken = chosen(&p);
            *bound = taken < 0 ? NAN : p.b[taken];
            *value = taken >= 0 && computes_float && !discrete ? p.x[taken] : *value;
        } else if (!computes_float) {
            *bound = 0;
            for (int i = 0; i < p.n; i++) {
                *bound = isnan(p.b[i]) ? NAN : *bound;
            }
        } else {
            double y = f(p.x);
            *bound = point_bound(&p, y, coarse, discrete);
            *value = discrete ? *value : y;
            if (!discrete) {
                pole = isinf(y);
                shadow_overflow(value, bound, 0, coarse);
            }
        }
        if (fused && to->dtype == DT_float16 && isinf(*value) && !pole &&
            reads_finite(operands, p.n, slot, &w)) {
            *bound = NAN; /* an overflow; float32 may hold the number, but not that of a pole */
        }
        if (fused && *bound == 0 && computes_float && picks_a_zero(&p, *value)) {
            *bound = shadow_grain(coarse); /* zeros of either sign are the same */
        }
    }
}
