/* Scalar functions, a pair a row of pointwise.def, and the loop that applies one over broadcast
 * operands.
 *
 * Each operand element is converted to the computation dtype first (rounding there, as
 * TensorIterator's common dtype does), the function applied in double or int64_t, the result
 * rounded once into the computation dtype and converted to the result's. Where all dtypes are one
 * of float32, float64 and int64 a function's loop runs over the tensors' own memory, else over
 * converted pieces. */
#include "tensor/pointwise.h"

#include "tensor/walk.h"

#include <math.h>
#include <string.h>

/* ---- integers: two's complement, no undefined behaviour ---- */

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* Truncating quotient; the one overflow, INT64_MIN / -1, wraps. Division by zero is reported and
 * answers 0. */
static int64_t pointwise_divide(int64_t a, int64_t b, PwStatus *status) {
    if (b == 0) {
        status->zero_divisor = true;
        return 0;
    }
    return b == -1 ? wrap_sub(0, a) : a / b;
}

static int64_t pointwise_modulo(int64_t a, int64_t b, PwStatus *status) {
    if (b == 0) {
        status->zero_divisor = true;
        return 0;
    }
    return b == -1 ? 0 : a % b;
}

static int64_t pointwise_power(int64_t base, int64_t exponent, PwStatus *status) {
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

/* A shift by less than 0 or by at least the dtype's bits is undefined; here it is one of 64 bits, 0
 * outside of these. */
static bool can_shift(int64_t by, PwStatus *status) {
    status->odd_shift |= by < 0 || by >= status->bits;
    return by >= 0 && by < 64;
}
static int64_t shift_left(int64_t a, int64_t by, PwStatus *status) {
    return can_shift(by, status) ? (int64_t)((uint64_t)a << by) : 0;
}
static int64_t shift_right(int64_t a, int64_t by, PwStatus *status) {
    return can_shift(by, status) ? a >> by : 0;
}

/* ---- the pairs: helpers of the expressions in pointwise.def ---- */

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
    int64_t q = pointwise_divide(a, b, status), r = pointwise_modulo(a, b, status);
    return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
static int64_t python_remainder_int(int64_t a, int64_t b, PwStatus *status) {
    int64_t r = pointwise_modulo(a, b, status);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double xlogy_of(double a, double b) { return isnan(b) ? b : a == 0 ? 0 : a * log(b); }
static double nan_to_num_of(double v, double nan, double high, double low) {
    return isnan(v) ? nan : !isinf(v) ? v : v > 0 ? high : low;
}
/* at::native::lerp: from the nearer end */
static double lerp_of(double a, double b, double w) {
    return w < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w);
}
/* ... for which a weight of -0.5 or less is near the end too; rounded once (lerp_vec in
 * aten/src/ATen/native/Lerp.h), which keeps a partial product from overflowing */
static double lerp_symmetric_of(double a, double b, double w) {
    return fabs(w) < 0.5 ? fma(w, b - a, a) : fma(w - 1, b - a, b);
}
static double softplus_of(double v, double beta, double threshold) {
    return v * beta > threshold ? v : log1p(exp(v * beta)) / beta;
}
static double softplus_slope_of(double v, double beta, double threshold) {
    double z = exp(v * beta);
    return v * beta > threshold ? 1 : z / (z + 1);
}
static double gelu_slope_of(double v) {
    double pdf = exp(-0.5 * v * v) * (M_2_SQRTPI * M_SQRT1_2 * 0.5);
    return 0.5 * (1 + erf(v * M_SQRT1_2)) + v * pdf;
}
static double gelu_tanh_of(double v) {
    return 0.5 * v * (1 + tanh(M_SQRT2 * M_2_SQRTPI * 0.5 * (v + 0.044715 * v * v * v)));
}
static double elu_of(double v, double alpha, double scale, double input_scale) {
    return v <= 0 ? (exp(v * input_scale) - 1) * (alpha * scale) : v * scale;
}
/* As elu, but of a zero it keeps the sign. */
static double elu_signed_of(double v, double alpha, double scale, double input_scale) {
    return v < 0 ? expm1(v * input_scale) * (alpha * scale) : v * scale;
}
static double elu_slope_of(double v, double alpha, double scale, double input_scale) {
    return v <= 0 ? exp(v * input_scale) * (input_scale * alpha * scale) : scale;
}
static double sinc_of(double v) {
    double turned = v * M_PI;
    return v == 0 ? 1 : sin(turned) / turned;
}
/* Two steps of Halley's method from an elementary guess (Winitzki), on the side where erf does not
 * cancel. */
static double erfinv_of(double v) {
    double rest = 1 - fabs(v);
    if (!(rest > 0)) {
        return rest == 0 ? copysign(INFINITY, v) : NAN;
    }
    double a = 0.147, log_rest = log(rest) + log1p(fabs(v));
    double half = M_2_SQRTPI * M_2_SQRTPI / (2 * a) + log_rest / 2;
    double x = sqrt(sqrt(half * half - log_rest / a) - half);
    for (int i = 0; i < 3 && v != 0; i++) {
        double miss = rest < 0.5 ? rest - erfc(x) : erf(x) - fabs(v);
        double step = miss / (M_2_SQRTPI * exp(-x * x));
        x -= step / (1 + x * step);
    }
    return copysign(x, v);
}
static double logaddexp_of(double a, double b) {
    if (isinf(a) && a == b) {
        return a;
    }
    return (a > b ? a : b) + log1p(exp(-fabs(a - b)));
}
static double logaddexp2_of(double a, double b) {
    if (isinf(a) && a == b) {
        return a;
    }
    return (a > b ? a : b) + log1p(exp2(-fabs(a - b))) * M_LOG2E;
}
/* `low` is nan where there is no eps. */
static double logit_of(double v, double low, double high) {
    double z = isnan(low) ? v : v < low ? low : v > high ? high : v;
    return log(z / (1 - z));
}
static double logit_backward_of(double grad, double v, double low, double high) {
    bool bounded = !isnan(low);
    if (v < (bounded ? low : 0) || v > (bounded ? high : 1)) {
        return bounded ? 0 : NAN;
    }
    return v == 0 || v == 1 ? grad * INFINITY : grad / (v * (1 - v));
}
static double softshrink_of(double v, double lambda) {
    return v > lambda ? v - lambda : v < -lambda ? v + lambda : v * 0;
}
static double entr_of(double v) {
    return isnan(v) ? v : v > 0 ? -v * log(v) : v == 0 ? 0 : -INFINITY;
}
/* Losses of a difference `d`, and of a probability `p`; `size`: where the parabola ends. */
static double smooth_l1_of(double d, double size) {
    return fabs(d) < size ? 0.5 * d * d / size : fabs(d) - 0.5 * size;
}
static double smooth_l1_slope_of(double d, double size) {
    return d <= -size ? -1 : d >= size ? 1 : d / size;
}
static double huber_of(double d, double size) {
    return fabs(d) <= size ? 0.5 * d * d : size * (fabs(d) - 0.5 * size);
}
static double huber_slope_of(double d, double size) {
    return d <= -size ? -size : d >= size ? size : d;
}
static double larger_of(double a, double b) { return a < b ? b : a; }
static double bce_of(double p, double target) {
    return (target - 1) * larger_of(log(1 - p), -100) - target * larger_of(log(p), -100);
}
/* In the two's complement of the dtype: the magnitude of its least number is that number. */
static int64_t magnitude_in(int64_t v, const PwStatus *status) {
    if (v >= 0) {
        return v;
    }
    return status->bits < 64 && v == -(INT64_C(1) << (status->bits - 1)) ? v : wrap_sub(0, v);
}
static int64_t gcd_of(int64_t a, int64_t b, const PwStatus *status) {
    a = magnitude_in(a, status);
    b = magnitude_in(b, status);
    while (a != 0) {
        int64_t rest = a == -1 ? 0 : b % a;
        b = a;
        a = rest;
    }
    return b;
}
static int64_t lcm_of(int64_t a, int64_t b, const PwStatus *status) {
    int64_t g = gcd_of(a, b, status);
    if (g == 0) {
        return 0;
    }
    int64_t product = wrap_mul(g == -1 ? wrap_sub(0, a) : a / g, b);
    product = status->bits == 32 ? (int32_t)product : product;
    return product < 0 ? wrap_sub(0, product) : product;
}
static double relu6_of(double v) { return v < 0 ? 0 : v > 6 ? 6 : v; }

#define PW(name, arity, k, f_expression, i_expression)                                             \
    static double pwf_##name(const double *x) { return f_expression; }                             \
    static int64_t pwi_##name(const int64_t *x, PwStatus *status) {                                \
        (void)x;                                                                                   \
        (void)status;                                                                              \
        return i_expression;                                                                       \
    }
#include "tensor/pointwise.def"
#undef PW

/* ---- loops ---- */

#define OPERAND(k, type, arity)                                                                    \
    const type *in##k =                                                                            \
        (const type *)data[(k) < (arity) ? (k) + 1 : 1] + w->at[(k) < (arity) ? (k) + 1 : 1]
#define ELEMENT(k, arity) ((k) < (arity) ? in##k[i * step[(k) + 1]] : 0)
#define LOOP(function, type, number, arity, value)                                                 \
    static void function(void *const *data, Walk *w, PwStatus *status) {                           \
        int64_t n = walk_row(w), step[1 + PW_MAX_OPERANDS];                                        \
        memcpy(step, walk_steps(w), sizeof step);                                                  \
        (void)status;                                                                              \
        for (; walk_more(w); walk_next_row(w)) {                                                   \
            type *out = (type *)data[0] + w->at[0];                                                \
            OPERAND(0, type, arity);                                                               \
            OPERAND(1, type, arity);                                                               \
            OPERAND(2, type, arity);                                                               \
            OPERAND(3, type, arity);                                                               \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const number x[PW_MAX_OPERANDS] = {ELEMENT(0, arity), ELEMENT(1, arity),           \
                                                   ELEMENT(2, arity), ELEMENT(3, arity)};          \
                out[i * step[0]] = (type)value;                                                    \
            }                                                                                      \
        }                                                                                          \
    }
#define PW(name, arity, k, f, i)                                                                   \
    LOOP(loop_float32_##name, float, double, arity, pwf_##name(x))                                 \
    LOOP(loop_float64_##name, double, double, arity, pwf_##name(x))                                \
    LOOP(loop_int64_##name, int64_t, int64_t, arity, pwi_##name(x, status))
#include "tensor/pointwise.def"
#undef PW

/* Sums and differences with a coefficient of 1, nearly all there are, need no product; of float32
 * they are computed as such, which is what rounding once from double gives (dtype.h). They go by
 * blocks of rows. */
#define BLOCKS(function, type, value)                                                              \
    static void function(void *const *data, Walk *w, PwStatus *status) {                           \
        const int64_t n = walk_row(w), rows = walk_rows(w), *step = walk_steps(w),                 \
                      *down = walk_down(w);                                                        \
        const int64_t step0 = step[0], step1 = step[1], step2 = step[2];                           \
        const int64_t down0 = down[0], down1 = down[1], down2 = down[2];                           \
        (void)status;                                                                              \
        for (; walk_more(w); walk_next_block(w)) {                                                 \
            type *out = (type *)data[0] + w->at[0];                                                \
            const type *a = (const type *)data[1] + w->at[1],                                      \
                       *b = (const type *)data[2] + w->at[2];                                      \
            for (int64_t row = rows;; out += down0, a += down1, b += down2) {                      \
                for (int64_t i = 0; i < n; i++) {                                                  \
                    const type x[2] = {a[i * step1], b[i * step2]};                                \
                    out[i * step0] = value;                                                        \
                }                                                                                  \
                if (--row == 0) {                                                                  \
                    break;                                                                         \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define PLAIN(name, f_expression, i_expression)                                                    \
    BLOCKS(loop_float32_##name, float, f_expression)                                               \
    BLOCKS(loop_float64_##name, double, f_expression)                                              \
    BLOCKS(loop_int64_##name, int64_t, i_expression)
PLAIN(plain_add, x[0] + x[1], wrap_add(x[0], x[1]))
PLAIN(plain_sub, x[0] - x[1], wrap_sub(x[0], x[1]))

static const PwInfo plain_add = {
    "add", 2, 1, NULL, NULL, loop_float32_plain_add, loop_float64_plain_add, loop_int64_plain_add};
static const PwInfo plain_sub = {
    "sub", 2, 1, NULL, NULL, loop_float32_plain_sub, loop_float64_plain_sub, loop_int64_plain_sub};

static const PwInfo infos[PW_COUNT] = {
#define PW(name, arity, k, f, i)                                                                   \
    {#name,                                                                                        \
     arity,                                                                                        \
     k,                                                                                            \
     pwf_##name,                                                                                   \
     pwi_##name,                                                                                   \
     loop_float32_##name,                                                                          \
     loop_float64_##name,                                                                          \
     loop_int64_##name},
#include "tensor/pointwise.def"
#undef PW
};

const PwInfo *pw_info(Pw pw) {
    CHECK((unsigned)pw < PW_COUNT);
    return &infos[pw];
}

/* ---- application ---- */

/* n elements of an operand, from index `at` on, as doubles that `compute` (floating) holds. An
 * int64 goes to float32 in one rounding. */
static void load_doubles(double *to, const Tensor *t, int64_t at, int64_t step, int64_t n,
                         DType compute) {
    const void *data = t->storage->data;
    if (t->dtype == compute || compute == DT_float64) {
        elements_double(to, data, t->dtype, at, step, n);
        return;
    }
    double cell; /* room for one element of any dtype */
    for (int64_t i = 0; i < n; i++) {
        element_cast(&cell, compute, 0, data, t->dtype, at + i * step);
        to[i] = element_double(&cell, compute, 0);
    }
}

/* The same as integers that `compute` (not floating) holds. */
static void load_ints(int64_t *to, const Tensor *t, int64_t at, int64_t step, int64_t n,
                      DType compute) {
    const void *data = t->storage->data;
    if (t->dtype == compute) {
        elements_int(to, data, t->dtype, at, step, n);
        return;
    }
    bool truth = compute == DT_bool && dtype_is_float(t->dtype);
    for (int64_t i = 0; i < n; i++, at += step) {
        int64_t cast = 0;
        element_cast(&cast, DT_int64, 0, data, t->dtype, at);
        to[i] = truth ? element_double(data, t->dtype, at) != 0 : dtype_wrap(compute, cast);
    }
}

static void store_doubles(const Tensor *out, int64_t at, int64_t step, double *from, int64_t n,
                          DType compute) {
    for (int64_t i = 0; i < n && out->dtype != compute; i++) {
        from[i] = dtype_round(from[i], compute);
    }
    elements_store_double(out->storage->data, out->dtype, at, step, from, n);
}

static void store_ints(const Tensor *out, int64_t at, int64_t step, int64_t *from, int64_t n,
                       DType compute) {
    for (int64_t i = 0; i < n && out->dtype != compute; i++) {
        from[i] = dtype_wrap(compute, from[i]);
    }
    elements_store_int(out->storage->data, out->dtype, at, step, from, n);
}

/* A scalar as an element of `compute`. */
static void store_scalar(void *cell, DType compute, Scalar s) {
    if (dtype_is_float(compute)) {
        element_store_double(cell, compute, 0, scalar_to_double(s));
    } else {
        element_store_int(cell, compute, 0, scalar_to_int(s));
    }
}

/* Not all tensors (the output, `n` operands) have one dtype that there is a loop for: operands are
 * brought into pieces of double or int64_t, and results out of them. */
static void apply_converted(const PwInfo *info, DType compute, const Tensor *const *tensors, int n,
                            Walk *w, PwStatus *status) {
    enum { PIECE = 64 };
    bool floating = dtype_is_float(compute);
    union Cells {
        double f[PIECE];
        int64_t i[PIECE];
    } cells[1 + PW_MAX_OPERANDS];
    void *data[1 + PW_MAX_OPERANDS];
    Walk piece;
    piece.count = 1 + n;
    piece.ndim = 1;
    for (int k = 0; k <= n; k++) {
        data[k] = &cells[k];
        piece.at[k] = 0;
        piece.stride[0][k] = 1;
    }
    for (; walk_more(w); walk_next_row(w)) {
        const int64_t *step = walk_steps(w);
        for (int64_t start = 0; start < walk_row(w); start += PIECE) {
            int64_t length = piece.left = piece.size[0] = min_i64(walk_row(w) - start, PIECE);
            for (int k = 1; k <= n; k++) {
                int64_t at = w->at[k] + start * step[k];
                if (floating) {
                    load_doubles(cells[k].f, tensors[k], at, step[k], length, compute);
                } else {
                    load_ints(cells[k].i, tensors[k], at, step[k], length, compute);
                }
            }
            (floating ? info->loop_float64 : info->loop_int64)(data, &piece, status);
            int64_t at = w->at[0] + start * step[0];
            if (floating) {
                store_doubles(tensors[0], at, step[0], cells[0].f, length, compute);
            } else {
                store_ints(tensors[0], at, step[0], cells[0].i, length, compute);
            }
        }
    }
}

/* The loops for these operands: of a sum or difference whose coefficient is 1, plain ones of two
 * operands. */
static const PwInfo *loops_for(Pw pw, const PwOperand *operands, int *count) {
    const PwInfo *info = pw_info(pw);
    CHECK(*count == info->arity);
    if ((pw != PW_add && pw != PW_sub) || operands[2].tensor ||
        scalar_to_double(operands[2].scalar) != 1) {
        return info;
    }
    *count = 2;
    return pw == PW_add ? &plain_add : &plain_sub;
}

void pw_apply(Pw pw, DType compute, const Tensor *out, const PwOperand *operands, int count,
              PwStatus *status) {
    const PwInfo *info = loops_for(pw, operands, &count);
    const Tensor *tensors[1 + PW_MAX_OPERANDS] = {out};
    void *data[1 + PW_MAX_OPERANDS] = {out->storage->data};
    Tensor scalar[PW_MAX_OPERANDS]; /* 0-dim, of the dtype `compute` */
    Storage storage[PW_MAX_OPERANDS];
    uint64_t cell[PW_MAX_OPERANDS];
    bool one_dtype = out->dtype == compute;
    for (int k = 0; k < count; k++) {
        if (!operands[k].tensor) {
            store_scalar(&cell[k], compute, operands[k].scalar);
            storage[k].data = &cell[k];
            scalar[k].dtype = compute;
            scalar[k].ndim = 0;
            scalar[k].offset = 0;
            scalar[k].storage = &storage[k];
        }
        const Tensor *t = tensors[1 + k] = operands[k].tensor ? operands[k].tensor : &scalar[k];
        data[1 + k] = t->storage->data;
        one_dtype = one_dtype && t->dtype == compute;
    }
    status->bits = 8 * dtype_bytes(compute);
    Walk w;
    walk_init(&w, out->size, out->ndim, tensors, 1 + count);
    PwLoop loop = compute == DT_float32   ? info->loop_float32
                  : compute == DT_float64 ? info->loop_float64
                  : compute == DT_int64   ? info->loop_int64
                                          : NULL;
    if (one_dtype && loop) {
        loop(data, &w, status);
    } else {
        apply_converted(info, compute, tensors, count, &w, status);
    }
}
