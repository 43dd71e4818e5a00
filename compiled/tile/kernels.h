/* The kernels of the tile machine: for every compute opcode of tile/ops.def one loop over the
 * elements of a tile, and the inner loops of sums and softmax. Not a header of declarations: each
 * tile/isa_*.c includes it once, for one instruction set, and gets a table TILE_ISA of functions of
 * its own. All tables compute the same bits: nothing is contracted, and the order of every sum is
 * written out. (Polynomials in double use fused multiply-add where HAS_FMA is set, which changes
 * one float in 10^8.)
 *
 * Registers never overlap, but two sources may be one buffer: only the destination is restrict. */
#include "compiled/tile/isa.h"

#include <math.h>
#include <string.h>

/* ---- scalar code of this tier ---- */

/* an overflowing conversion to float is infinity, as IEEE says */
#define SCALAR(name, ...) __attribute__((unused, no_sanitize("float-cast-overflow"))) __VA_ARGS__
#include "compiled/tile/scalar.def"
#undef SCALAR

/* ---- the loops ---- */

#define TILE_OP(name, in, out, arity, expression)                                                  \
    static void run_##name(int m, void *dst, const void *const *src) {                             \
        out *restrict y = dst;                                                                     \
        const in *x0 = src[0], *x1 = src[(arity) > 1 ? 1 : 0], *x2 = src[(arity) > 2 ? 2 : 0],     \
                 *x3 = src[(arity) > 3 ? 3 : 0];                                                   \
        for (int i = 0; i < m; i++) {                                                              \
            in a = x0[i], b = x1[i], c = x2[i], d = x3[i];                                         \
            (void)a, (void)b, (void)c, (void)d;                                                    \
            y[i] = (out)(expression);                                                              \
        }                                                                                          \
    }
#define TILE_OP_SELECT(name, type)                                                                 \
    static void run_##name(int m, void *dst, const void *const *src) {                             \
        type *restrict y = dst;                                                                    \
        const int64_t *x0 = src[0];                                                                \
        const type *x1 = src[1], *x2 = src[2];                                                     \
        for (int i = 0; i < m; i++) {                                                              \
            type b = x1[i], c = x2[i]; /* both are loaded, so that the loop has no branch */       \
            y[i] = x0[i] != 0 ? b : c;                                                             \
        }                                                                                          \
    }
#define TILE_OP_MASK(name, type)                                                                   \
    static void run_##name(int m, void *dst, const void *const *src) {                             \
        type *restrict y = dst;                                                                    \
        const type *x0 = src[0], *x2 = src[2];                                                     \
        const int64_t *x1 = src[1];                                                                \
        for (int i = 0; i < m; i++) {                                                              \
            type a = x0[i], c = x2[i];                                                             \
            y[i] = x1[i] != 0 ? c : a;                                                             \
        }                                                                                          \
    }
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK

/* The float versions (tile/float32_math.def). */
#define FLOAT32_MATH(name, expression, ulp)                                                        \
    static void float32_math_##name(int m, void *dst, const void *const *src) {                    \
        float *restrict y = dst;                                                                   \
        const float *x = src[0];                                                                   \
        for (int i = 0; i < m; i++) {                                                              \
            float a = x[i];                                                                        \
            y[i] = expression;                                                                     \
        }                                                                                          \
    }
#include "compiled/tile/float32_math.def"
#undef FLOAT32_MATH

#include "compiled/tile/memory.h"

/* ---- sums ---- */

/* Thirty-two partial sums. The order of the additions is free, since a sum of floats cannot
 * overflow a double. */
#define LANE_SUM(name, type)                                                                       \
    static double name(const type *x, int n, double acc) {                                         \
        enum { LANES = 32 };                                                                       \
        double lane[LANES] = {0};                                                                  \
        int i = 0;                                                                                 \
        for (; i + LANES <= n; i += LANES) {                                                       \
            for (int k = 0; k < LANES; k++) {                                                      \
                lane[k] += (double)x[i + k];                                                       \
            }                                                                                      \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            acc += (double)x[i];                                                                   \
        }                                                                                          \
        for (int k = LANES / 2; k > 0; k /= 2) {                                                   \
            for (int j = 0; j < k; j++) {                                                          \
                lane[j] += lane[j + k];                                                            \
            }                                                                                      \
        }                                                                                          \
        return acc + lane[0];                                                                      \
    }
LANE_SUM(sum_f32, float)
LANE_SUM(sum_f64, double)

static double sum_partial4(const float *x, int n, double acc) {
    enum { LANES = 16 };
    double lane[LANES] = {0};
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        for (int k = 0; k < LANES; k++) {
            lane[k] += (double)((x[i + k] + x[i + LANES + k]) +
                                (x[i + 2 * LANES + k] + x[i + 3 * LANES + k]));
        }
    }
    for (; i < n; i++) {
        acc += (double)x[i];
    }
    for (int k = LANES / 2; k > 0; k /= 2) {
        for (int j = 0; j < k; j++) {
            lane[j] += lane[j + k];
        }
    }
    return acc + lane[0];
}

static void add_f32(double *restrict acc, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        acc[i] += (double)x[i];
    }
}

static void add_partial4(double *restrict acc, float *restrict part, const float *x, int row,
                         int n) {
    if (row == 0) {
        memcpy(part, x, sizeof *part * (size_t)n);
    } else if (row < 3) {
        for (int i = 0; i < n; i++) {
            part[i] += x[i];
        }
    } else {
        for (int i = 0; i < n; i++) {
            acc[i] += (double)(part[i] + x[i]);
        }
    }
}

/* ---- softmax ---- */

/* A product with 1 / sum replaces the quotient: it is cheaper, with an error far below a float's
 * rounding. Exponentials are kept if there is room. */

/* Starts w neighbouring lines, each a column of n rows: their maxima, and sums of 0. */
static inline void columns_begin(float *restrict top, double *restrict sum,
                                 const float *restrict from, int64_t from_step, int64_t n, int w) {
    for (int k = 0; k < w; k++) {
        top[k] = -INFINITY;
        sum[k] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < w; k++) {
            float v = from[i * from_step + k];
            top[k] = v > top[k] ? v : top[k];
        }
    }
}

/* w neighbouring lines, each a column of n rows. A NaN makes the sum of its line NaN, so the
 * maximum may ignore it. */
static void softmax_columns(float *to, int64_t to_step, const float *from, int64_t from_step,
                            int64_t n, int w) {
    float top[SOFTMAX_COLUMNS];
    double sum[SOFTMAX_COLUMNS], e[SOFTMAX_KEPT];
    bool kept = n * w <= SOFTMAX_KEPT;
    columns_begin(top, sum, from, from_step, n, w);
    for (int64_t i = 0; i < n; i++) {
        double *row = kept ? e + i * w : e;
        for (int k = 0; k < w; k++) {
            row[k] = exp_low((double)from[i * from_step + k] - (double)top[k]);
            sum[k] += row[k];
        }
    }
    for (int k = 0; k < w; k++) {
        sum[k] = 1 / sum[k];
    }
    for (int64_t i = 0; i < n; i++) {
        const double *row = kept ? e + i * w : e;
        for (int k = 0; k < w && !kept; k++) {
            e[k] = exp_low((double)from[i * from_step + k] - (double)top[k]);
        }
        for (int k = 0; k < w; k++) {
            to[i * to_step + k] = (float)(row[k] * sum[k]);
        }
    }
}

static float largest_of(const float *x, int64_t n) {
    enum { LANES = 64 };
    float top[LANES], largest = -INFINITY;
    int64_t i = 0;
    for (int k = 0; k < LANES; k++) {
        top[k] = -INFINITY;
    }
    for (; i + LANES <= n; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            top[k] = x[i + k] > top[k] ? x[i + k] : top[k];
        }
    }
    for (; i < n; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int k = 0; k < LANES; k++) {
        largest = top[k] > largest ? top[k] : largest;
    }
    return largest;
}

static void exponentials(double *restrict e, const float *from, double top, int n) {
    for (int i = 0; i < n; i++) {
        e[i] = exp_low((double)from[i] - top);
    }
}

/* One contiguous line, SOFTMAX_KEPT elements at a time. */
static void softmax_row(float *to, const float *from, int64_t n) {
    double e[SOFTMAX_KEPT], top = (double)largest_of(from, n), sum = 0;
    for (int64_t at = 0; at < n; at += SOFTMAX_KEPT) {
        int m = (int)min_i64(n - at, SOFTMAX_KEPT);
        exponentials(e, from + at, top, m);
        sum = sum_f64(e, m, sum);
    }
    sum = 1 / sum;
    for (int64_t at = 0; at < n; at += SOFTMAX_KEPT) {
        int m = (int)min_i64(n - at, SOFTMAX_KEPT);
        if (n > SOFTMAX_KEPT) {
            exponentials(e, from + at, top, m);
        }
        for (int i = 0; i < m; i++) {
            to[at + i] = (float)(e[i] * sum);
        }
    }
}

/* In float, for large nests: the exponentials are kept where the result goes, and four of them are
 * added in float before the double sum takes them. */
static void softmax_row_float32(float *restrict to, const float *from, int64_t n) {
    float top = largest_of(from, n);
    double sum = 0;
    for (int64_t at = 0; at < n; at += TILE) {
        int m = (int)min_i64(n - at, TILE);
        for (int i = 0; i < m; i++) {
            to[at + i] = exp_single(from[at + i] - top);
        }
        sum = sum_partial4(to + at, m, sum);
    }
    float scale = (float)(1 / sum);
    for (int64_t i = 0; i < n; i++) {
        to[i] *= scale;
    }
}

static void softmax_columns_float32(float *restrict to, int64_t to_step, const float *from,
                                    int64_t from_step, int64_t n, int w) {
    float top[SOFTMAX_COLUMNS_FLOAT32], part[SOFTMAX_COLUMNS_FLOAT32];
    double sum[SOFTMAX_COLUMNS_FLOAT32];
    columns_begin(top, sum, from, from_step, n, w);
    for (int64_t i = 0; i < n; i++) {
        float *row = to + i * to_step;
        for (int k = 0; k < w; k++) {
            row[k] = exp_single(from[i * from_step + k] - top[k]);
        }
        add_partial4(sum, part, row, (int)(i % 4), w);
    }
    for (int k = 0; k < w; k++) {
        top[k] = (float)(1 / (n % 4 == 0 ? sum[k] : sum[k] + (double)part[k]));
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < w; k++) {
            to[i * to_step + k] *= top[k];
        }
    }
}

/* ---- the table ---- */

const TileIsa TILE_ISA = {.name = TILE_ISA_NAME,
                          .load = tile_load,
                          .store = tile_store,
                          .iota = tile_iota,
                          .term = tile_term,
                          .load_indirect = tile_load_indirect,
                          .store_indirect = tile_store_indirect,
                          .add_indirect = tile_add_indirect,
                          .sum_f32 = sum_f32,
                          .sum_partial4 = sum_partial4,
                          .add_f32 = add_f32,
                          .add_partial4 = add_partial4,
                          .softmax_row = softmax_row,
                          .softmax_columns = softmax_columns,
                          .softmax_row_float32 = softmax_row_float32,
                          .softmax_columns_float32 = softmax_columns_float32,
                          .function =
                              {
#define TILE_OP(name, in, out, arity, expression) run_##name,
#define TILE_OP_SELECT(name, type) run_##name,
#define TILE_OP_MASK(name, type) run_##name,
#include "compiled/tile/ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
                              },
                          .float32_math = {
#define FLOAT32_MATH(name, expression, ulp) [TILE_##name] = float32_math_##name,
#include "compiled/tile/float32_math.def"
#undef FLOAT32_MATH
                          }};
