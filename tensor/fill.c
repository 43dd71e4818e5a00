/* The exact fills of docs/format.md: element i is drawn from z_i, output i of SplitMix64 started at the seed. */
#include "tensor/rng.h"
#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

static const char *const names[FILL_COUNT] = {"zeros", "ones", "arange", "dyadic", "uniform", "special"};

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
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return 1;
    case 3: return -1;
    case 4: return 0.5;
    case 5: return -2;
    case 6: return INFINITY;
    case 7: return -INFINITY;
    case 8: return NAN;
    case 9: return dtype_smallest_normal(dtype);
    case 10: return dtype_largest(dtype);
    default: return 2 * dtype_unit(dtype);
    }
}

static int64_t special_int(uint64_t z, DType dtype) {
    static const int64_t small[12] = {0, 1, -1, 2, -2, 3, 7, -7, 100, 0, 0, 5};
    int k = (int)(z % 12);
    return dtype_wrap(dtype, k == 9 ? dtype_min(dtype) : k == 10 ? dtype_max(dtype) : small[k]);
}

static double fill_double(FillKind kind, DType dtype, int64_t i, uint64_t z) {
    switch (kind) {
    case FILL_ones: return 1;
    case FILL_arange: return (double)i;
    case FILL_dyadic: return ((double)(z % 33) - 16) / 8;
    case FILL_uniform: return (double)(z >> 11) * 0x1p-53 * 4 - 2;
    case FILL_special: return special_double(z, dtype);
    default: return 0;
    }
}

static int64_t fill_int(FillKind kind, DType dtype, int64_t i, uint64_t z) {
    switch (kind) {
    case FILL_ones: return 1;
    case FILL_arange: return dtype_wrap(dtype, i);
    case FILL_dyadic:
    case FILL_uniform: return dyadic_int(z, dtype);
    case FILL_special: return dtype == DT_bool ? dyadic_int(z, dtype) : special_int(z, dtype);
    default: return 0;
    }
}

void fill_buffer(void *data, DType dtype, int64_t numel, FillKind kind, uint64_t seed) {
    Rng rng = {seed};
    for (int64_t i = 0; i < numel; i++) {
        uint64_t z = rng_next(&rng);
        if (dtype_is_float(dtype)) {
            element_store_double(data, dtype, i, fill_double(kind, dtype, i, z));
        } else {
            element_store_int(data, dtype, i, fill_int(kind, dtype, i, z));
        }
    }
}
