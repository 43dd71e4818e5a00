/* Scalar functions, a pair a row of pointwise.def, and the loop that applies one over broadcast operands.
 *
 * Each operand element is converted to the computation dtype first (rounding there, as TensorIterator's common dtype does), the
 * function applied in double or int64_t, the result rounded once into the computation dtype and converted to the result's. Functions
 * are applied a row at a time: where all dtypes are one of float32, float64 and int64 to the tensors' own memory, else to pieces. */
#include "tensor/pointwise.h"

#include <math.h>

/* ---- integers: two's complement, no undefined behaviour ---- */

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* Truncating quotient; the one overflow, INT64_MIN / -1, wraps. Division by zero is reported and answers 0. */
static int64_t divide(int64_t a, int64_t b, PwStatus *status) {
    if (b == 0) {
        status->zero_divisor = true;
        return 0;
    }
    return b == -1 ? wrap_sub(0, a) : a / b;
}

static int64_t modulo(int64_t a, int64_t b, PwStatus *status) {
    if (b == 0) {
        status->zero_divisor = true;
        return 0;
    }
    return b == -1 ? 0 : a % b;
}

static int64_t power(int64_t base, int64_t exponent, PwStatus *status) {
    if (exponent < 0) {
        status->negative_exponent = true;
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    }
    uint64_t result = 1, b = (uint64_t)base;
    for (uint64_t e = (uint64_t)exponent; e; e >>= 1, b *= b) {
        if (e & 1) {
            result *= b;
        }
    }
    return (int64_t)result;
}

/* A shift by less than 0 or by at least the dtype's bits is undefined; here it is one of 64 bits, 0 outside of these. */
static bool can_shift(int64_t by, PwStatus *status) {
    status->odd_shift |= by < 0 || by >= status->bits;
    return by >= 0 && by < 64;
}
static int64_t shift_left(int64_t a, int64_t by, PwStatus *status) {
    return can_shift(by, status) ? (int64_t)((uint64_t)a << by) : 0;
}
static int64_t shift_right(int64_t a, int64_t by, PwStatus *status) { return can_shift(by, status) ? a >> by : 0; }

/* ---- the pairs ---- */

#define UNUSED (void)x, (void)status
#define BOTH(name, f_expression, i_expression)                     \
    static double pwf_##name(const double *x) { return f_expression; } \
    static int64_t pwi_##name(const int64_t *x, PwStatus *status) { UNUSED; return i_expression; }
/* Functions that integers never reach: the op's typing makes them floating first. */
#define FLOAT_ONLY(name, f_expression) BOTH(name, f_expression, 0)

static double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : isnan(v) ? 0 : v == 0 ? 0 : v; }
static double floor_divide(double a, double b) {
    /* c10::div_floor_floating: the remainder decides, so that 1 // 0.1 is 9 */
    if (b == 0) {
        return a / b;
    }
    double mod = fmod(a, b);
    double div = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) {
        div -= 1;
    }
    if (div == 0) {
        return copysign(0, a / b);
    }
    double floored = floor(div);
    return div - floored > 0.5 ? floored + 1 : floored;
}
static double python_remainder(double a, double b) {
    double mod = fmod(a, b);
    return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
}
static double maximum_of(double a, double b) { return isnan(a) ? a : isnan(b) ? b : a < b ? b : a; }
static double minimum_of(double a, double b) { return isnan(a) ? a : isnan(b) ? b : b < a ? b : a; }
static double clamp_of(double v, double lo, double hi) {
    if (isnan(v)) {
        return v;
    }
    if (isnan(lo) || isnan(hi)) {
        return NAN;
    }
    double raised = v < lo ? lo : v;
    return raised > hi ? hi : raised;
}
static int64_t floor_divide_int(int64_t a, int64_t b, PwStatus *status) {
    int64_t q = divide(a, b, status), r = modulo(a, b, status);
    return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
static int64_t python_remainder_int(int64_t a, int64_t b, PwStatus *status) {
    int64_t r = modulo(a, b, status);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double xlogy_of(double a, double b) { return isnan(b) ? b : a == 0 ? 0 : a * log(b); }
static double nan_to_num_of(double v, double nan, double high, double low) {
    return isnan(v) ? nan : !isinf(v) ? v : v > 0 ? high : low;
}
/* at::native::lerp: from the nearer end */
static double lerp_of(double a, double b, double w) { return w < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w); }
static double softplus_of(double v, double beta, double threshold) {
    return v * beta > threshold ? v : log1p(exp(v * beta)) / beta;
}
static double gelu_tanh_of(double v) { return 0.5 * v * (1 + tanh(M_SQRT2 * M_2_SQRTPI * 0.5 * (v + 0.044715 * v * v * v))); }
static double elu_of(double v, double alpha, double scale, double input_scale) {
    return v <= 0 ? (exp(v * input_scale) - 1) * (alpha * scale) : v * scale;
}
static double relu6_of(double v) { return v < 0 ? 0 : v > 6 ? 6 : v; }

BOTH(neg, -x[0], wrap_sub(0, x[0]))
BOTH(abs, fabs(x[0]), x[0] < 0 ? wrap_sub(0, x[0]) : x[0])
BOTH(sign, sign_of(x[0]), (x[0] > 0) - (x[0] < 0))
FLOAT_ONLY(exp, exp(x[0]))
FLOAT_ONLY(log, log(x[0]))
FLOAT_ONLY(sqrt, sqrt(x[0]))
FLOAT_ONLY(rsqrt, 1 / sqrt(x[0]))
FLOAT_ONLY(reciprocal, 1 / x[0])
FLOAT_ONLY(sin, sin(x[0]))
FLOAT_ONLY(cos, cos(x[0]))
FLOAT_ONLY(tanh, tanh(x[0]))
FLOAT_ONLY(sigmoid, 1 / (1 + exp(-x[0])))
BOTH(relu, x[0] < 0 ? 0 : x[0], x[0] < 0 ? 0 : x[0])
BOTH(square, x[0] * x[0], wrap_mul(x[0], x[0]))
BOTH(floor, floor(x[0]), x[0])
BOTH(ceil, ceil(x[0]), x[0])
BOTH(trunc, trunc(x[0]), x[0])
BOTH(round, nearbyint(x[0]), x[0])
BOTH(logical_not, x[0] == 0, x[0] == 0)
BOTH(isnan, isnan(x[0]) != 0, 0)
BOTH(isinf, isinf(x[0]) != 0, 0)
BOTH(isfinite, isfinite(x[0]) != 0, 1)
BOTH(copy, x[0], x[0])
BOTH(add, x[0] + x[2] * x[1], wrap_add(x[0], wrap_mul(x[2], x[1])))
BOTH(sub, x[0] - x[2] * x[1], wrap_sub(x[0], wrap_mul(x[2], x[1])))
BOTH(rsub, x[1] - x[2] * x[0], wrap_sub(x[1], wrap_mul(x[2], x[0])))
BOTH(mul, x[0] * x[1], wrap_mul(x[0], x[1]))
BOTH(div, x[0] / x[1], divide(x[0], x[1], status))
BOTH(div_floor, floor_divide(x[0], x[1]), floor_divide_int(x[0], x[1], status))
BOTH(div_trunc, trunc(x[0] / x[1]), divide(x[0], x[1], status))
BOTH(remainder, python_remainder(x[0], x[1]), python_remainder_int(x[0], x[1], status))
BOTH(fmod, fmod(x[0], x[1]), modulo(x[0], x[1], status))
BOTH(pow, pow(x[0], x[1]), power(x[0], x[1], status))
BOTH(maximum, maximum_of(x[0], x[1]), max_i64(x[0], x[1]))
BOTH(minimum, minimum_of(x[0], x[1]), min_i64(x[0], x[1]))
BOTH(fmax, isnan(x[0]) ? x[1] : isnan(x[1]) ? x[0] : maximum_of(x[0], x[1]), max_i64(x[0], x[1]))
BOTH(fmin, isnan(x[0]) ? x[1] : isnan(x[1]) ? x[0] : minimum_of(x[0], x[1]), min_i64(x[0], x[1]))
BOTH(clamp, clamp_of(x[0], x[1], x[2]), min_i64(max_i64(x[0], x[1]), x[2]))
BOTH(eq, x[0] == x[1], x[0] == x[1])
BOTH(ne, x[0] != x[1], x[0] != x[1])
BOTH(lt, x[0] < x[1], x[0] < x[1])
BOTH(le, x[0] <= x[1], x[0] <= x[1])
BOTH(gt, x[0] > x[1], x[0] > x[1])
BOTH(ge, x[0] >= x[1], x[0] >= x[1])
BOTH(logical_and, x[0] != 0 && x[1] != 0, x[0] != 0 && x[1] != 0)
BOTH(logical_or, x[0] != 0 || x[1] != 0, x[0] != 0 || x[1] != 0)
BOTH(logical_xor, (x[0] != 0) != (x[1] != 0), (x[0] != 0) != (x[1] != 0))
BOTH(where, x[0] != 0 ? x[1] : x[2], x[0] != 0 ? x[1] : x[2])
BOTH(masked_fill, x[1] != 0 ? x[2] : x[0], x[1] != 0 ? x[2] : x[0])
BOTH(addcmul, x[0] + x[3] * x[1] * x[2], wrap_add(x[0], wrap_mul(wrap_mul(x[3], x[1]), x[2])))
FLOAT_ONLY(addcdiv, x[0] + x[3] * x[1] / x[2])
BOTH(bitwise_and, 0 * x[0], x[0] & x[1])
BOTH(bitwise_or, 0 * x[0], x[0] | x[1])
BOTH(bitwise_xor, 0 * x[0], x[0] ^ x[1])
BOTH(bitwise_not, 0 * x[0], ~x[0])
BOTH(bitwise_left_shift, 0 * x[0], shift_left(x[0], x[1], status))
BOTH(bitwise_right_shift, 0 * x[0], shift_right(x[0], x[1], status))
FLOAT_ONLY(expm1, expm1(x[0]))
FLOAT_ONLY(log1p, log1p(x[0]))
FLOAT_ONLY(log2, log2(x[0]))
FLOAT_ONLY(log10, log10(x[0]))
FLOAT_ONLY(exp2, exp2(x[0]))
FLOAT_ONLY(erf, erf(x[0]))
FLOAT_ONLY(erfc, erfc(x[0]))
FLOAT_ONLY(tan, tan(x[0]))
FLOAT_ONLY(asin, asin(x[0]))
FLOAT_ONLY(acos, acos(x[0]))
FLOAT_ONLY(atan, atan(x[0]))
FLOAT_ONLY(sinh, sinh(x[0]))
FLOAT_ONLY(cosh, cosh(x[0]))
FLOAT_ONLY(frac, x[0] - trunc(x[0]))
BOTH(nan_to_num, nan_to_num_of(x[0], x[1], x[2], x[3]), x[0])
FLOAT_ONLY(atan2, atan2(x[0], x[1]))
FLOAT_ONLY(hypot, hypot(x[0], x[1]))
FLOAT_ONLY(copysign, isnan(x[1]) ? fabs(x[0]) : copysign(x[0], x[1])) /* a nan has no sign to speak of */
FLOAT_ONLY(xlogy, xlogy_of(x[0], x[1]))
FLOAT_ONLY(lerp, lerp_of(x[0], x[1], x[2]))
FLOAT_ONLY(softplus, softplus_of(x[0], x[1], x[2]))
FLOAT_ONLY(silu, x[0] / (1 + exp(-x[0])))
FLOAT_ONLY(gelu, 0.5 * x[0] * (1 + erf(x[0] * M_SQRT1_2)))
FLOAT_ONLY(gelu_tanh, gelu_tanh_of(x[0]))
FLOAT_ONLY(leaky_relu, x[0] > 0 ? x[0] : x[0] * x[1])
FLOAT_ONLY(elu, elu_of(x[0], x[1], x[2], x[3]))
FLOAT_ONLY(hardsigmoid, relu6_of(x[0] + 3) / 6)
FLOAT_ONLY(hardswish, x[0] * relu6_of(x[0] + 3) / 6)
FLOAT_ONLY(mish, x[0] * tanh(log1p(exp(x[0]))))
FLOAT_ONLY(log_sigmoid, (x[0] < 0 ? x[0] : isnan(x[0]) ? x[0] : 0) - log1p(exp(-fabs(x[0]))))
BOTH(threshold, x[0] <= x[1] ? x[2] : x[0], x[0] <= x[1] ? x[2] : x[0])

/* ---- rows ---- */

#define ROW(prefix, type, number, arity, value)                                                                                       \
    static void prefix(void *to, const void *const *from, const int64_t *step, int64_t n, PwStatus *status) {                         \
        type *out = to;                                                                                                               \
        const type *a = from[0], *b = arity > 1 ? from[1] : a, *c = arity > 2 ? from[2] : a, *d = arity > 3 ? from[3] : a;            \
        int64_t to_step = step[0], sa = step[1], sb = arity > 1 ? step[2] : 0, sc = arity > 2 ? step[3] : 0, sd = arity > 3 ? step[4] : 0; \
        (void)status;                                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                                             \
            const number x[PW_MAX_OPERANDS] = {a[i * sa], arity > 1 ? b[i * sb] : 0, arity > 2 ? c[i * sc] : 0, arity > 3 ? d[i * sd] : 0}; \
            out[i * to_step] = (type)value;                                                                                           \
        }                                                                                                                             \
    }
#define PW(name, arity, k)                                        \
    ROW(row_float32_##name, float, double, arity, pwf_##name(x))  \
    ROW(row_float64_##name, double, double, arity, pwf_##name(x)) \
    ROW(row_int64_##name, int64_t, int64_t, arity, pwi_##name(x, status))
#include "tensor/pointwise.def"
#undef PW

static const PwInfo infos[PW_COUNT] = {
#define PW(name, arity, k) {#name, arity, k, pwf_##name, pwi_##name, row_float32_##name, row_float64_##name, row_int64_##name},
#include "tensor/pointwise.def"
#undef PW
};

const PwInfo *pw_info(Pw pw) {
    CHECK((unsigned)pw < PW_COUNT);
    return &infos[pw];
}

/* ---- the loop ---- */

/* One application: operand k is operand[k], or cell[k] with step 0. */
typedef struct Apply {
    const PwInfo *info;
    DType compute;
    const Tensor *out;
    const PwOperand *operands;
    int place[PW_MAX_OPERANDS]; /* of a tensor in the walk; 0: a scalar */
    uint64_t cell[PW_MAX_OPERANDS];
    PwStatus *status;
} Apply;

/* An operand element as a double that `compute` (floating) holds. An int64 goes to float32 in one rounding. */
static double load_double(const void *data, DType dtype, int64_t i, DType compute) {
    if (dtype == compute || compute == DT_float64) {
        return element_double(data, dtype, i);
    }
    double cell; /* room for one element of any dtype */
    element_cast(&cell, compute, 0, data, dtype, i);
    return element_double(&cell, compute, 0);
}

/* An operand element as an int64_t that `compute` (not floating) holds. */
static int64_t load_int(const void *data, DType dtype, int64_t i, DType compute) {
    if (dtype == compute) {
        return element_int(data, dtype, i);
    }
    if (compute == DT_bool && dtype_is_float(dtype)) {
        return element_double(data, dtype, i) != 0;
    }
    int64_t cast = 0;
    element_cast(&cast, DT_int64, 0, data, dtype, i);
    return dtype_wrap(compute, cast);
}

/* Scalars as elements of `dtype`. */
static void store_scalars(Apply *a, DType dtype) {
    for (int k = 0; k < a->info->arity; k++) {
        Scalar s = a->operands[k].scalar;
        if (a->place[k] == 0 && dtype_is_float(a->compute)) {
            element_store_double(&a->cell[k], dtype, 0, dtype_round(scalar_to_double(s), a->compute));
        } else if (a->place[k] == 0) {
            element_store_int(&a->cell[k], dtype, 0, dtype_wrap(a->compute, scalar_to_int(s)));
        }
    }
}

/* Everything has the dtype that `row` takes. */
static void apply_rows(Apply *a, Walk w, PwRow row) {
    int bytes = dtype_bytes(a->compute);
    const void *from[PW_MAX_OPERANDS];
    int64_t step[1 + PW_MAX_OPERANDS] = {walk_steps(&w)[0]};
    store_scalars(a, a->compute);
    for (int k = 0; k < a->info->arity; k++) {
        from[k] = &a->cell[k];
        step[1 + k] = a->place[k] ? walk_steps(&w)[a->place[k]] : 0;
    }
    for (; walk_more(&w); walk_next_row(&w)) {
        for (int k = 0; k < a->info->arity; k++) {
            if (a->place[k]) {
                from[k] = (const char *)a->operands[k].tensor->storage->data + w.at[a->place[k]] * bytes;
            }
        }
        row((char *)a->out->storage->data + w.at[0] * bytes, from, step, walk_row(&w), a->status);
    }
}

/* Anything else: operands are brought into pieces of double or int64_t, and results out of them. */
static void apply_converted(Apply *a, Walk w) {
    enum { PIECE = 64 };
    bool floating = dtype_is_float(a->compute);
    union Cells { double f[PIECE]; int64_t i[PIECE]; } in[PW_MAX_OPERANDS], out;
    const void *from[PW_MAX_OPERANDS];
    int64_t step[1 + PW_MAX_OPERANDS] = {1};
    store_scalars(a, floating ? DT_float64 : DT_int64);
    for (int k = 0; k < a->info->arity; k++) {
        from[k] = a->place[k] ? (const void *)&in[k] : &a->cell[k];
        step[1 + k] = a->place[k] != 0;
    }
    for (; walk_more(&w); walk_next_row(&w)) {
        const int64_t *steps = walk_steps(&w);
        for (int64_t start = 0; start < walk_row(&w); start += PIECE) {
            int64_t n = min_i64(walk_row(&w) - start, PIECE);
            for (int k = 0; k < a->info->arity; k++) {
                const Tensor *t = a->operands[k].tensor;
                int64_t stride = steps[a->place[k]], at = w.at[a->place[k]] + start * stride;
                for (int64_t i = 0; t && i < n; i++) {
                    if (floating) {
                        in[k].f[i] = load_double(t->storage->data, t->dtype, at + i * stride, a->compute);
                    } else {
                        in[k].i[i] = load_int(t->storage->data, t->dtype, at + i * stride, a->compute);
                    }
                }
            }
            (floating ? a->info->row_float64 : a->info->row_int64)(&out, from, step, n, a->status);
            for (int64_t i = 0, at = w.at[0] + start * steps[0]; i < n; i++, at += steps[0]) {
                if (floating) {
                    element_store_double(a->out->storage->data, a->out->dtype, at, dtype_round(out.f[i], a->compute));
                } else {
                    element_store_int(a->out->storage->data, a->out->dtype, at, dtype_wrap(a->compute, out.i[i]));
                }
            }
        }
    }
}

void pw_apply(Pw pw, DType compute, const Tensor *out, const PwOperand *operands, int count, PwStatus *status) {
    Apply a = {.info = pw_info(pw), .compute = compute, .out = out, .operands = operands, .status = status};
    CHECK(count == a.info->arity);
    const Tensor *walked[1 + PW_MAX_OPERANDS] = {out};
    int n = 1;
    bool one_dtype = out->dtype == compute;
    for (int k = 0; k < count; k++) {
        if (operands[k].tensor) {
            a.place[k] = n;
            walked[n++] = operands[k].tensor;
            one_dtype = one_dtype && operands[k].tensor->dtype == compute;
        }
    }
    status->bits = 8 * dtype_bytes(compute);
    Walk w = walk_start(out->size, out->ndim, walked, n);
    PwRow row = compute == DT_float32 ? a.info->row_float32 : compute == DT_float64 ? a.info->row_float64 : compute == DT_int64 ? a.info->row_int64 : NULL;
    if (one_dtype && row) {
        apply_rows(&a, w, row);
    } else {
        apply_converted(&a, w);
    }
}
