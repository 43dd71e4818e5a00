/* The kernels of the tile machine: one loop over the elements of a tile for every compute opcode, generated from tile_ops.def, and the
 * inner loops of sums and softmax. Not a header of declarations: each tile_isa_*.c includes it once, under the instruction set that it
 * asks the compiler for, and gets the table TILE_ISA of functions of its own. All tables answer the same bits: nothing is contracted, and the
 * order of every sum is written out. (Polynomials in double take fused steps where HAS_FMA: that changes a float once in 10^8.)
 *
 * Registers never overlap each other, but a source may be a buffer that another source is too: only the destination is restrict. */
#include "compiled/tile_isa.h"

#include <math.h>
#include <string.h>

/* ---- scalar code of this tier ---- */

/* float-cast-overflow is what IEEE arithmetic is for */
#define SCALAR(name, ...) __attribute__((unused, no_sanitize("float-cast-overflow"))) __VA_ARGS__
#include "compiled/tile_scalar.def"
#undef SCALAR

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

/* ---- sums ---- */

/* Sixteen partial sums: another order than the plain one, which is as good, since floats cannot overflow a double. */
static double sum_f32(const float *x, int n, double acc) {
    double lane[16] = {0};
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        for (int k = 0; k < 16; k++) {
            lane[k] += (double)x[i + k];
        }
    }
    for (; i < n; i++) {
        acc += (double)x[i];
    }
    for (int k = 8; k > 0; k /= 2) {
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

/* ---- softmax ---- */

/* `n` rows of `w` elements side by side, one line a column. A nan makes its line's sum one, so the maximum need not see it. */
static void softmax_columns(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t n, int w) {
    double top[SOFTMAX_STRIP], sum[SOFTMAX_STRIP];
    for (int k = 0; k < w; k++) {
        top[k] = (double)-INFINITY;
        sum[k] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < w; k++) {
            double v = (double)from[i * from_step + k];
            top[k] = v > top[k] ? v : top[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < w; k++) {
            sum[k] += exp_low((double)from[i * from_step + k] - top[k]);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < w; k++) {
            to[i * to_step + k] = (float)(exp_low((double)from[i * from_step + k] - top[k]) / sum[k]);
        }
    }
}

/* One contiguous line. */
static void softmax_row(float *to, const float *from, int64_t n) {
    enum { LANES = 16 };
    double top[LANES], sum[LANES], e[LANES], largest = (double)-INFINITY, total = 0;
    for (int k = 0; k < LANES; k++) {
        top[k] = (double)-INFINITY;
        sum[k] = 0;
    }
    int64_t whole = n / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            double v = (double)from[i + k];
            top[k] = v > top[k] ? v : top[k];
        }
    }
    for (int k = 0; k < LANES; k++) {
        largest = top[k] > largest ? top[k] : largest;
    }
    for (int64_t i = whole; i < n; i++) {
        largest = (double)from[i] > largest ? (double)from[i] : largest;
    }
    for (int64_t i = 0; i < whole; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            sum[k] += exp_low((double)from[i + k] - largest);
        }
    }
    for (int64_t i = whole; i < n; i++) {
        total += exp_low((double)from[i] - largest);
    }
    for (int k = 0; k < LANES; k++) {
        total += sum[k];
    }
    for (int64_t i = 0; i < whole; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            e[k] = exp_low((double)from[i + k] - largest) / total;
        }
        for (int k = 0; k < LANES; k++) {
            to[i + k] = (float)e[k];
        }
    }
    for (int64_t i = whole; i < n; i++) {
        to[i] = (float)(exp_low((double)from[i] - largest) / total);
    }
}

/* ---- the table ---- */

const TileIsa TILE_ISA = {
    .name = TILE_ISA_NAME,
    .sum_f32 = sum_f32,
    .add_f32 = add_f32,
    .softmax_row = softmax_row,
    .softmax_columns = softmax_columns,
    .function = {
#define TILE_OP(name, in, out, arity, expression) run_##name,
#define TILE_OP_SELECT(name, type) run_##name,
#define TILE_OP_MASK(name, type) run_##name,
#include "compiled/tile_ops.def"
#undef TILE_OP
#undef TILE_OP_SELECT
#undef TILE_OP_MASK
    }};
