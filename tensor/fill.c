/* The exact fills of docs/reference/format.md: element i is derived from z_i, output i of
 * SplitMix64 started at the seed. */
#include "tensor/rng.h"
#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

static const char *const names[FILL_COUNT] = {"zeros",   "ones",    "arange", "dyadic",
                                              "uniform", "special", "decimal"};

const char *fill_name(FillKind kind) {
    CHECK((unsigned)kind < FILL_COUNT);
    return names[kind];
}

bool fill_parse(const char *name, FillKind *kind) {
    for (int k = 0; k < FILL_COUNT; k++) {
        if (strcmp(name, names[k]) == 0) {
            *kind = (FillKind)k;
            return true;
        }
    }
    return false;
}

static int64_t dyadic_int(uint64_t z, DType dtype) {
    if (dtype == DT_bool) {
        return (int64_t)(z % 2);
    }
    return dtype == DT_uint8 ? (int64_t)(z % 33) : (int64_t)(z % 33) - 16;
}

static double special_double(uint64_t z, DType dtype) {
    switch (z % 12) {
    case 0:
        return 0.0;
    case 1:
        return -0.0;
    case 2:
        return 1;
    case 3:
        return -1;
    case 4:
        return 0.5;
    case 5:
        return -2;
    case 6:
        return INFINITY;
    case 7:
        return -INFINITY;
    case 8:
        return NAN;
    case 9:
        return dtype_smallest_normal(dtype);
    case 10:
        return dtype_largest(dtype);
    default:
        return 2 * dtype_unit(dtype);
    }
}

static int64_t special_int(uint64_t z, DType dtype) {
    static const int64_t small[12] = {0, 1, -1, 2, -2, 3, 7, -7, 100, 0, 0, 5};
    int k = (int)(z % 12);
    return dtype_wrap(dtype, k == 9 ? dtype_min(dtype) : k == 10 ? dtype_max(dtype) : small[k]);
}

/* Loops over elements start .. start + n - 1 of a fill. */
#define EACH(value)                                                                                \
    for (int64_t k = 0; k < n; k++) {                                                              \
        to[k] = value;                                                                             \
    }                                                                                              \
    return

static void fill_doubles(double *to, FillKind kind, DType dtype, int64_t start, int64_t n,
                         Rng *rng) {
    switch (kind) {
    case FILL_ones:
        EACH(1);
    case FILL_arange:
        EACH((double)(start + k));
    case FILL_dyadic:
        EACH(((double)(int)(rng_next(rng) % 33) - 16) / 8);
    case FILL_uniform:
        EACH((double)(int64_t)(rng_next(rng) >> 11) * 0x1p-53 * 4 - 2);
    case FILL_decimal:
        EACH(((double)(int)(rng_next(rng) % 33) - 16) / 10);
    case FILL_special:
        EACH(special_double(rng_next(rng), dtype));
    default:
        EACH(0);
    }
}

static void fill_ints(int64_t *to, FillKind kind, DType dtype, int64_t start, int64_t n, Rng *rng) {
    switch (kind) {
    case FILL_ones:
        EACH(1);
    case FILL_arange:
        EACH(dtype_wrap(dtype, start + k));
    case FILL_dyadic:
    case FILL_uniform:
    case FILL_decimal:
        EACH(dyadic_int(rng_next(rng), dtype));
    case FILL_special:
        EACH(dtype == DT_bool ? dyadic_int(rng_next(rng), dtype)
                              : special_int(rng_next(rng), dtype));
    default:
        EACH(0);
    }
}

void fill_buffer(void *data, DType dtype, int64_t numel, FillKind kind, uint64_t seed) {
    enum { PIECE = 64 };
    Rng rng = {seed};
    union {
        double f[PIECE];
        int64_t i[PIECE];
    } cells;
    for (int64_t start = 0; start < numel; start += PIECE) {
        int64_t n = min_i64(numel - start, PIECE);
        if (dtype_is_float(dtype)) {
            fill_doubles(cells.f, kind, dtype, start, n, &rng);
            elements_store_double(data, dtype, start, 1, cells.f, n);
        } else {
            fill_ints(cells.i, kind, dtype, start, n, &rng);
            elements_store_int(data, dtype, start, 1, cells.i, n);
        }
    }
}
