/* The compute opcodes: one loop over the elements of a tile each, generated from tile_ops.def.
 *
 * Registers never overlap each other, but a source may be a buffer that another source is too: only the destination is restrict.
 * gcc vectorizes loops of unknown length at -O3 only; the pragma asks for that here and nowhere else. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/lower.h"

#include <math.h>

/* ---- scalar code of this tier ---- */

static inline int64_t add_int(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t sub_int(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t mul_int(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t neg_int(int64_t a) { return sub_int(0, a); }

/* Rounds to float; C leaves the conversion of what lies beyond the largest float undefined, IEEE says infinity. */
static inline float f32(double v) {
    double magnitude = fabs(v);
    return magnitude >= 0x1.ffffffp127 && magnitude <= 0x1.fffffffffffffp1023 ? (float)copysign(INFINITY, v) : (float)v;
}

static inline int64_t truncated(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN; }

/* Integer division by zero answers 0: a CHECK has raised before anyone looks. INT64_MIN / -1 wraps. */
static inline int64_t quotient(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? neg_int(a) : a / b; }
static inline int64_t c_mod_int(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline int64_t floor_quotient_int(int64_t a, int64_t b) {
    int64_t r = c_mod_int(a, b);
    return quotient(a, b) - (r != 0 && (r ^ b) < 0);
}
static inline int64_t python_mod_int(int64_t a, int64_t b) {
    int64_t r = c_mod_int(a, b);
    return r != 0 && (r ^ b) < 0 ? r + b : r;
}

static inline int64_t power_int(int64_t base, int64_t exponent) {
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    }
    uint64_t result = 1, square = (uint64_t)base;
    for (; exponent; exponent >>= 1, square *= square) {
        result = exponent & 1 ? result * square : result;
    }
    return (int64_t)result;
}

static inline double python_mod(double a, double b) {
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* Python's // on floats: the quotient of what the remainder leaves, brought to an integer. */
static inline double floor_quotient(double a, double b) {
    if (b == 0) {
        return a / b;
    }
    double r = fmod(a, b), q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q -= 1;
    }
    if (q == 0) {
        return copysign(0.0, a / b);
    }
    double whole = floor(q);
    return q - whole > 0.5 ? whole + 1 : whole;
}

static inline double times_log(double a, double b) { return isnan(b) ? b : a == 0 ? 0 : a * log(b); }

/* Computed from the nearer end, so that weight 1 gives exactly b. */
static inline double between(double a, double b, double w) { return w < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w); }

static inline double soft_plus(double v, double beta, double limit) {
    double z = v * beta;
    return z > limit ? v : log1p(exp(z)) / beta;
}

static inline double gelu_exact(double v) { return 0.5 * v * (1 + erf(v * M_SQRT1_2)); }
static inline double gelu_by_tanh(double v) {
    double cube = v * v * v;
    return 0.5 * v * (1 + tanh(M_SQRT2 * M_2_SQRTPI * 0.5 * (v + 0.044715 * cube)));
}
static inline double exp_linear(double v, double alpha, double scale, double input_scale) {
    return v < 0 ? (exp(v * input_scale) - 1) * (alpha * scale) : v * scale;
}
static inline double up_to_six(double v) { return v < 0 ? 0 : v > 6 ? 6 : v; }
static inline double log_of_sigmoid(double v) { return (v > 0 ? 0 : v) - log1p(exp(-fabs(v))); }

#define raise_then_lower(a, b, c) (((a) < (b) ? (b) : (a)) > (c) ? (c) : ((a) < (b) ? (b) : (a)))

/* ---- the loops ---- */

#define TILE_OP(name, in, out, arity, expression)                                                                                  \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        out *restrict y = dst;                                                                                                     \
        const in *x0 = src[0], *x1 = src[(arity) > 1 ? 1 : 0], *x2 = src[(arity) > 2 ? 2 : 0], *x3 = src[(arity) > 3 ? 3 : 0];     \
        for (int i = 0; i < m; i++) {                                                                                              \
            in a = x0[i], b = x1[i], c = x2[i], d = x3[i];                                                                         \
            (void)a, (void)b, (void)c, (void)d;                                                                                    \
            y[i] = (out)(expression);                                                                                              \
        }                                                                                                                          \
    }
#define TILE_OP_SELECT(name, type)                                                                                                 \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        type *restrict y = dst;                                                                                                    \
        const int64_t *x0 = src[0];                                                                                                \
        const type *x1 = src[1], *x2 = src[2];                                                                                     \
        for (int i = 0; i < m; i++) {                                                                                              \
            y[i] = x0[i] != 0 ? x1[i] : x2[i];                                                                                     \
        }                                                                                                                          \
    }
#define TILE_OP_MASK(name, type)                                                                                                   \
    static void run_##name(int m, void *dst, const void *const *src) {                                                             \
        type *restrict y = dst;                                                                                                    \
        const type *x0 = src[0], *x2 = src[2];                                                                                     \
        const int64_t *x1 = src[1];                                                                                                \
        for (int i = 0; i < m; i++) {                                                                                              \
            y[i] = x1[i] != 0 ? x2[i] : x0[i];                                                                                     \
        }                                                                                                                          \
    }
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK

const TileFn tile_functions[TILE_OP_COUNT] = {
#define TILE_OP(name, in, out, arity, expression) run_##name,
#define TILE_OP_SELECT(name, type) run_##name,
#define TILE_OP_MASK(name, type) run_##name,
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
};

const char *tile_op_name(TileOp op) {
    static const char *const names[] = {
#define TILE_OP(name, in, out, arity, expression) #name,
#define TILE_OP_SELECT(name, type) #name,
#define TILE_OP_MASK(name, type) #name,
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
        "load", "iota", "term", "loadx", "store", "storex", "addx", "reduce"};
    return (unsigned)op < COUNT_OF(names) ? names[op] : "?";
}

TileOp tile_op_of(Pw pw, Kind kind) {
    static const short table[PW_COUNT][3] = {
#define PW(name, arity, k) {TILE_##name##_f32, TILE_##name##_f64, TILE_##name##_i64},
#include "tensor/pointwise.def"
#undef PW
    };
    return (TileOp)table[pw][kind];
}
