/* Reductions of the tile machine. Floats accumulate in double, which a sum of floats cannot
 * overflow, so that their order is free; integers in int64, wrapping. Doubles are added in order,
 * since there the order decides between inf and NaN. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/tile/reduce.h"

#include <math.h>

/* ---- along the tiles ---- */

/* In order: doubles can overflow, and then the order decides between inf and NaN. */
static double sum_in_order_f64(const double *x, int n, double acc) {
    for (int i = 0; i < n; i++) {
        acc += x[i];
    }
    return acc;
}

#define EXTREME_FUNCTIONS(suffix, type)                                                            \
    static double max_##suffix(const type *x, int n, double acc) {                                 \
        for (int i = 0; i < n; i++) {                                                              \
            acc = isnan(acc) ? acc : !((double)x[i] <= acc) ? (double)x[i] : acc;                  \
        }                                                                                          \
        return acc;                                                                                \
    }                                                                                              \
    static double min_##suffix(const type *x, int n, double acc) {                                 \
        for (int i = 0; i < n; i++) {                                                              \
            acc = isnan(acc) ? acc : !((double)x[i] >= acc) ? (double)x[i] : acc;                  \
        }                                                                                          \
        return acc;                                                                                \
    }                                                                                              \
    static double prod_##suffix(const type *x, int n, double acc) {                                \
        for (int i = 0; i < n; i++) {                                                              \
            acc *= (double)x[i];                                                                   \
        }                                                                                          \
        return acc;                                                                                \
    }
EXTREME_FUNCTIONS(f32, float)
EXTREME_FUNCTIONS(f64, double)

static void accumulate_float(Accumulator *a, const TileIsa *isa, ReduceKind kind, bool is_f32,
                             bool partial4, const void *x, int n) {
    const float *s = x;
    const double *d = x;
    switch (kind) {
    case REDUCE_SUM:
    case REDUCE_MEAN:
        a->f = partial4 ? isa->sum_partial4(s, n, a->f)
               : is_f32 ? isa->sum_f32(s, n, a->f)
                        : sum_in_order_f64(d, n, a->f);
        break;
    case REDUCE_PROD:
        a->f = is_f32 ? prod_f32(s, n, a->f) : prod_f64(d, n, a->f);
        break;
    case REDUCE_MAX:
        a->f = is_f32 ? max_f32(s, n, a->f) : max_f64(d, n, a->f);
        break;
    case REDUCE_MIN:
        a->f = is_f32 ? min_f32(s, n, a->f) : min_f64(d, n, a->f);
        break;
    }
}

static void accumulate_int(Accumulator *a, ReduceKind kind, const int64_t *x, int n) {
    uint64_t sum = (uint64_t)a->i;
    for (int i = 0; i < n; i++) {
        switch (kind) {
        case REDUCE_SUM:
        case REDUCE_MEAN:
            sum += (uint64_t)x[i];
            break;
        case REDUCE_PROD:
            sum *= (uint64_t)x[i];
            break;
        case REDUCE_MAX:
            sum = x[i] > (int64_t)sum ? (uint64_t)x[i] : sum;
            break;
        case REDUCE_MIN:
            sum = x[i] < (int64_t)sum ? (uint64_t)x[i] : sum;
            break;
        }
    }
    a->i = (int64_t)sum;
}

static double float_start(ReduceKind kind) {
    return kind == REDUCE_PROD  ? 1
           : kind == REDUCE_MAX ? (double)-INFINITY
           : kind == REDUCE_MIN ? (double)INFINITY
                                : 0;
}

static int64_t int_start(ReduceKind kind) {
    return kind == REDUCE_PROD  ? 1
           : kind == REDUCE_MAX ? INT64_MIN
           : kind == REDUCE_MIN ? INT64_MAX
                                : 0;
}

void accumulator_start(Accumulator *a, ReduceKind kind) {
    a->seen = 0;
    a->f = float_start(kind);
    a->i = int_start(kind);
}

/* A mean is the rounded sum divided, as in PyTorch. */
static double reduced_value(double sum, const TileNest *nest, const TileInst *inst, DType dtype) {
    return inst->reduce == REDUCE_MEAN ? dtype_round(sum, dtype) / (double)nest->reduced : sum;
}

/* Writes the finished segment and starts the next one. */
static void accumulator_finish(Accumulator *a, const TileNest *nest, const TileInst *inst,
                               const Access *access, void *base) {
    int64_t position = access->offset, rest = a->segment++;
    for (int d = nest->kept - 1; d > 0; d--) {
        position += rest % nest->size[d] * access->stride[d];
        rest /= nest->size[d];
    }
    position += nest->kept > 0 ? rest * access->stride[0] : 0;
    if (dtype_is_float(access->dtype)) {
        element_store_double(base, access->dtype, position,
                             reduced_value(a->f, nest, inst, access->dtype));
    } else {
        element_store_int(base, access->dtype, position, a->i);
    }
    accumulator_start(a, inst->reduce);
}

void tile_reduce(Accumulator *a, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                 const Access *access, void *base, const void *src, int m) {
    bool is_float = dtype_is_float(access->dtype),
         is_f32 = register_kind(access->dtype) == REGISTER_F32;
    const char *x = src;
    int bytes = is_f32 ? 4 : 8;
    for (int done = 0; done < m;) {
        int64_t left = nest->reduced - a->seen;
        int k = left < m - done ? (int)left : m - done;
        if (is_float) {
            accumulate_float(a, isa, inst->reduce, is_f32, nest->tile_partial4, x + done * bytes,
                             k);
        } else {
            accumulate_int(a, inst->reduce, (const int64_t *)(const void *)x + done, k);
        }
        done += k;
        a->seen += k;
        if (a->seen == nest->reduced) {
            accumulator_finish(a, nest, inst, access, base);
        }
    }
}

/* ---- across the tiles ---- */

void columns_start(ColumnSums *s, ReduceKind kind, int m) {
    for (int k = 0; k < m; k++) {
        s->f[k] = float_start(kind);
        s->i[k] = int_start(kind);
    }
    s->held = 0;
}

static void columns_float(ColumnSums *s, ReduceKind kind, bool is_f32, const void *src, int m) {
    for (int k = 0; k < m; k++) {
        double v = is_f32 ? (double)((const float *)src)[k] : ((const double *)src)[k];
        switch (kind) {
        case REDUCE_SUM:
        case REDUCE_MEAN:
            s->f[k] += v;
            break;
        case REDUCE_PROD:
            s->f[k] *= v;
            break;
        case REDUCE_MAX:
            s->f[k] = max_f64(&v, 1, s->f[k]);
            break;
        case REDUCE_MIN:
            s->f[k] = min_f64(&v, 1, s->f[k]);
            break;
        }
    }
}

void columns_reduce(ColumnSums *s, const TileIsa *isa, const TileNest *nest, const TileInst *inst,
                    DType dtype, const void *src, int m) {
    bool is_sum = inst->reduce == REDUCE_SUM || inst->reduce == REDUCE_MEAN;
    if (!dtype_is_float(dtype)) {
        for (int k = 0; k < m; k++) {
            Accumulator one = {.i = s->i[k]};
            accumulate_int(&one, inst->reduce, (const int64_t *)src + k, 1);
            s->i[k] = one.i;
        }
    } else if (nest->tile_partial4) {
        isa->add_partial4(s->f, s->part, src, s->held, m);
        s->held = (s->held + 1) % 4;
    } else if (is_sum && register_kind(dtype) == REGISTER_F32) {
        isa->add_f32(s->f, src, m);
    } else {
        columns_float(s, inst->reduce, register_kind(dtype) == REGISTER_F32, src, m);
    }
}

void columns_finish(ColumnSums *s, const TileNest *nest, const TileInst *inst, const Access *access,
                    const int64_t *at, int m, void *base) {
    int last = nest->ndim - 1;
    int64_t position = access->offset;
    for (int d = 0; d < nest->ndim; d++) {
        position += at[d] * access->stride[d]; /* 0 along the reduced dims */
    }
    for (int k = 0; k < m && s->held > 0; k++) {
        s->f[k] += (double)s->part[k];
    }
    for (int k = 0; k < m; k++, position += access->stride[last]) {
        if (dtype_is_float(access->dtype)) {
            element_store_double(base, access->dtype, position,
                                 reduced_value(s->f[k], nest, inst, access->dtype));
        } else {
            element_store_int(base, access->dtype, position, s->i[k]);
        }
    }
}
