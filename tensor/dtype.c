/* The dtype table, type promotion, element access. A new dtype needs a row in dtypes.def, and its
 * limits and its two conversions here. Conversions that are undefined in C give PyTorch's result on
 * x86, or a fixed value. */
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const dtype_names[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) #name,
#include "tensor/dtypes.def"
#undef DTYPE
};

const uint8_t dtype_categories[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) CAT_##category,
#include "tensor/dtypes.def"
#undef DTYPE
};

const uint8_t dtype_sizes[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) bytes,
#include "tensor/dtypes.def"
#undef DTYPE
};

const char *dtype_name(DType dtype) {
    CHECK((unsigned)dtype < DT_COUNT);
    return dtype_names[dtype];
}

bool dtype_parse(const char *name, DType *dtype) {
    for (int d = 0; d < DT_COUNT; d++) {
        if (strcmp(name, dtype_names[d]) == 0) {
            *dtype = (DType)d;
            return true;
        }
    }
    return false;
}

int64_t dtype_min(DType dtype) {
    switch (dtype) {
    case DT_int8:
        return INT8_MIN;
    case DT_int16:
        return INT16_MIN;
    case DT_int32:
        return INT32_MIN;
    case DT_int64:
        return INT64_MIN;
    default:
        return 0;
    }
}

int64_t dtype_max(DType dtype) {
    switch (dtype) {
    case DT_bool:
        return 1;
    case DT_uint8:
        return UINT8_MAX;
    case DT_int8:
        return INT8_MAX;
    case DT_int16:
        return INT16_MAX;
    case DT_int32:
        return INT32_MAX;
    case DT_int64:
        return INT64_MAX;
    default:
        return 0;
    }
}

double dtype_unit(DType dtype) {
    switch (dtype) {
    case DT_float64:
        return 0x1p-53;
    case DT_float32:
        return 0x1p-24;
    case DT_float16:
        return 0x1p-11;
    case DT_bfloat16:
        return 0x1p-8;
    default:
        return 0;
    }
}

double dtype_largest(DType dtype) {
    switch (dtype) {
    case DT_float64:
        return DBL_MAX;
    case DT_float32:
        return (double)FLT_MAX;
    case DT_float16:
        return 65504;
    case DT_bfloat16:
        return 0x1.fep127;
    default:
        return 0;
    }
}

double dtype_smallest_normal(DType dtype) {
    switch (dtype) {
    case DT_float64:
        return DBL_MIN;
    case DT_float32:
    case DT_bfloat16:
        return 0x1p-126;
    case DT_float16:
        return 0x1p-14;
    default:
        return 0;
    }
}

double dtype_smallest_subnormal(DType dtype) {
    return dtype_smallest_normal(dtype) * 2 * dtype_unit(dtype);
}

int64_t scalar_to_int(Scalar s) {
    if (s.kind != CAT_FLOAT) {
        return s.i;
    }
    return cast_in_range(s.f, DT_int64) ? (int64_t)s.f : 0;
}

/* ---- promotion (c10/core/ScalarType.h, promoteTypes) ---- */

DType dtype_promote(DType a, DType b) {
    if (a == b) {
        return a;
    }
    Category ca = dtype_category(a), cb = dtype_category(b);
    if (ca != cb) {
        return ca > cb ? a : b;
    }
    if (ca == CAT_FLOAT) {
        bool halves =
            (a == DT_float16 && b == DT_bfloat16) || (a == DT_bfloat16 && b == DT_float16);
        return halves ? DT_float32 : a > b ? a : b;
    }
    if (a == DT_uint8 || b == DT_uint8) {
        DType other = a == DT_uint8 ? b : a;
        return other == DT_int8 ? DT_int16 : other;
    }
    return a > b ? a : b;
}

DType dtype_default(Category category) {
    return category == CAT_BOOL ? DT_bool : category == CAT_INT ? DT_int64 : DT_float32;
}

bool dtype_can_cast(DType from, DType to) { return dtype_category(from) <= dtype_category(to); }

static int promote_into(int current, DType dtype) {
    return current < 0 ? (int)dtype : (int)dtype_promote((DType)current, dtype);
}

void promotion_tensor(Promotion *p, DType dtype, int ndim) {
    if (ndim > 0) {
        p->dim = promote_into(p->dim, dtype);
    } else {
        p->zero = promote_into(p->zero, dtype);
    }
}

void promotion_scalar(Promotion *p, Category category) {
    p->wrapped = promote_into(p->wrapped, dtype_default(category));
}

/* combine_categories: the dtype of lower priority counts only if its category is higher. */
static int dtype_combine(int higher, int lower) {
    if (higher < 0) {
        return lower;
    }
    if (lower >= 0 && dtype_category((DType)lower) > dtype_category((DType)higher)) {
        return (int)dtype_promote((DType)higher, (DType)lower);
    }
    return higher;
}

DType promotion_result(const Promotion *p) {
    int result = dtype_combine(p->dim, dtype_combine(p->zero, p->wrapped));
    CHECK(result >= 0);
    return (DType)result;
}

/* ---- elements ---- */

bool cast_in_range(double value, DType dtype) {
    if (dtype == DT_bool || dtype_is_float(dtype)) {
        return true;
    }
    double truncated = trunc(value);
    if (dtype == DT_int64) {
        return truncated >= -0x1p63 && truncated < 0x1p63;
    }
    return truncated >= (double)dtype_min(dtype) && truncated <= (double)dtype_max(dtype);
}

int64_t dtype_wrap(DType dtype, int64_t value) {
    switch (dtype) {
    case DT_bool:
        return value != 0;
    case DT_uint8:
        return (uint8_t)value;
    case DT_int8:
        return (int8_t)(uint8_t)value;
    case DT_int16:
        return (int16_t)(uint16_t)value;
    case DT_int32:
        return (int32_t)(uint32_t)value;
    default:
        return value;
    }
}

/* ---- the half types ---- */

static uint32_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* With the exponent shifted to float32's position the value is 2^112 too small. One multiplication
 * corrects this and normalizes subnormals. */
float half_to_float(Half h) {
    uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16, rest = (uint32_t)(h.bits & 0x7FFF) << 13;
    uint32_t magnitude = (h.bits & 0x7C00) == 0x7C00 ? rest | 0x7F800000
                                                     : float_bits(float_of_bits(rest) * 0x1p112f);
    return float_of_bits(sign | magnitude);
}

Half half_from_float(float f) {
    uint32_t bits = float_bits(f), sign = bits >> 16 & 0x8000, v = bits & 0x7FFFFFFF;
    if (v > 0x7F800000) {
        return (Half){(uint16_t)(sign | 0x7E00)};
    }
    if (v >= 0x477FF000) { /* 65520 and above: overflow */
        return (Half){(uint16_t)(sign | 0x7C00)};
    }
    if (v < 0x38800000) { /* below 2^-14: adding 0.5 rounds to a multiple of 2^-24 */
        return (Half){(uint16_t)(sign | (float_bits(float_of_bits(v) + 0.5f) - 0x3F000000))};
    }
    v -= 112u << 23;
    return (Half){(uint16_t)(sign | (v + 0xFFF + (v >> 13 & 1)) >> 13)};
}

float bfloat_to_float(Bfloat h) { return float_of_bits((uint32_t)h.bits << 16); }

Bfloat bfloat_from_float(float f) {
    uint32_t bits = float_bits(f);
    return (Bfloat){isnan(f) ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

double element_double(const void *data, DType dtype, int64_t i) {
    switch (dtype) {
    case DT_bool:
    case DT_uint8:
        return ((const uint8_t *)data)[i];
    case DT_int8:
        return ((const int8_t *)data)[i];
    case DT_int16:
        return ((const int16_t *)data)[i];
    case DT_int32:
        return ((const int32_t *)data)[i];
    case DT_int64:
        return (double)((const int64_t *)data)[i];
    case DT_float16:
        return (double)half_to_float(((const Half *)data)[i]);
    case DT_bfloat16:
        return (double)bfloat_to_float(((const Bfloat *)data)[i]);
    case DT_float32:
        return (double)((const float *)data)[i];
    case DT_float64:
        return ((const double *)data)[i];
    case DT_COUNT:
        break;
    }
    return 0;
}

/* A double as int64_t, truncated; values out of range give INT64_MIN, as cvttsd2si does. */
static int64_t double_to_int(double value) {
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

int64_t element_int(const void *data, DType dtype, int64_t i) {
    if (dtype == DT_int64) {
        return ((const int64_t *)data)[i];
    }
    return double_to_int(element_double(data, dtype, i));
}

void element_store_int(void *data, DType dtype, int64_t i, int64_t value) {
    switch (dtype) {
    case DT_bool:
        ((uint8_t *)data)[i] = value != 0;
        return;
    case DT_uint8:
        ((uint8_t *)data)[i] = (uint8_t)value;
        return;
    case DT_int8:
        ((int8_t *)data)[i] = (int8_t)(uint8_t)value;
        return;
    case DT_int16:
        ((int16_t *)data)[i] = (int16_t)(uint16_t)value;
        return;
    case DT_int32:
        ((int32_t *)data)[i] = (int32_t)(uint32_t)value;
        return;
    case DT_int64:
        ((int64_t *)data)[i] = value;
        return;
    case DT_float32:
        ((float *)data)[i] = (float)value;
        return;
    case DT_float64:
        ((double *)data)[i] = (double)value;
        return;
    case DT_float16:
        ((Half *)data)[i] = half_from_float((float)value);
        return;
    case DT_bfloat16:
        ((Bfloat *)data)[i] = bfloat_from_float((float)value);
        return;
    case DT_COUNT:
        break;
    }
}

void element_store_double(void *data, DType dtype, int64_t i, double value) {
    if (dtype == DT_float32) {
        ((float *)data)[i] = float_round(value);
    } else if (dtype == DT_float64) {
        ((double *)data)[i] = value;
    } else if (dtype == DT_float16) {
        ((Half *)data)[i] = half_from_float(float_round(value));
    } else if (dtype == DT_bfloat16) {
        ((Bfloat *)data)[i] = bfloat_from_float(float_round(value));
    } else if (dtype == DT_bool) {
        ((uint8_t *)data)[i] = value != 0; /* nan != 0 is true */
    } else {
        element_store_int(data, dtype, i, double_to_int(value));
    }
}

/* Loops over many elements: one switch on the dtype for the whole loop. */
#define EACH(statement)                                                                            \
    for (int64_t k = 0; k < n; k++, i += step) {                                                   \
        statement;                                                                                 \
    }                                                                                              \
    return

void elements_double(double *to, const void *data, DType dtype, int64_t i, int64_t step,
                     int64_t n) {
    switch (dtype) {
    case DT_float32:
        EACH(to[k] = (double)((const float *)data)[i]);
    case DT_float64:
        EACH(to[k] = ((const double *)data)[i]);
    default:
        EACH(to[k] = element_double(data, dtype, i));
    }
}

void elements_int(int64_t *to, const void *data, DType dtype, int64_t i, int64_t step, int64_t n) {
    switch (dtype) {
    case DT_int64:
        EACH(to[k] = ((const int64_t *)data)[i]);
    case DT_bool:
        EACH(to[k] = ((const uint8_t *)data)[i]);
    default:
        EACH(to[k] = element_int(data, dtype, i));
    }
}

void elements_store_double(void *data, DType dtype, int64_t i, int64_t step, const double *from,
                           int64_t n) {
    switch (dtype) {
    case DT_float32:
        EACH(((float *)data)[i] = float_round(from[k]));
    case DT_float64:
        EACH(((double *)data)[i] = from[k]);
    case DT_bool:
        EACH(((uint8_t *)data)[i] = from[k] != 0);
    default:
        EACH(element_store_double(data, dtype, i, from[k]));
    }
}

void elements_store_int(void *data, DType dtype, int64_t i, int64_t step, const int64_t *from,
                        int64_t n) {
    switch (dtype) {
    case DT_int64:
        EACH(((int64_t *)data)[i] = from[k]);
    case DT_bool:
        EACH(((uint8_t *)data)[i] = from[k] != 0);
    default:
        EACH(element_store_int(data, dtype, i, from[k]));
    }
}

double dtype_round(double value, DType dtype) {
    double cell; /* room for one element of any dtype */
    if (dtype == DT_float64 || !dtype_is_float(dtype)) {
        return value;
    }
    element_store_double(&cell, dtype, 0, value);
    return element_double(&cell, dtype, 0);
}

void element_cast(void *to, DType to_dtype, int64_t j, const void *from, DType from_dtype,
                  int64_t i) {
    if (dtype_is_float(from_dtype)) {
        element_store_double(to, to_dtype, j, element_double(from, from_dtype, i));
    } else {
        element_store_int(to, to_dtype, j, element_int(from, from_dtype, i));
    }
}
