/* Dtype table, promotion, element access. Every switch over storage types is generated from dtypes.def, so a new dtype is a row
 * plus (for a half type) its two conversions. Conversions that C leaves undefined are given PyTorch's answer on x86 or a fixed one. */
#include "tensor/dtype.h"

#include <math.h>
#include <string.h>

/* The half types are rows whose storage type is the word `unsupported`; arithmetic on them is refused before it starts. */
typedef uint16_t unsupported;

static const char *const ctype_names[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) #ctype,
#include "tensor/dtypes.def"
#undef DTYPE
};

static const char *const dtype_names[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) #name,
#include "tensor/dtypes.def"
#undef DTYPE
};

static const Category dtype_categories[DT_COUNT] = {
#define DTYPE(name, ctype, category, bytes) CAT_##category,
#include "tensor/dtypes.def"
#undef DTYPE
};

static const int dtype_sizes[DT_COUNT] = {
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

bool dtype_supported(DType dtype) { return strcmp(ctype_names[dtype], "unsupported") != 0; }
int dtype_bytes(DType dtype) { return dtype_sizes[dtype]; }
Category dtype_category(DType dtype) { return dtype_categories[dtype]; }

int64_t dtype_min(DType dtype) {
    switch (dtype) {
    case DT_int8: return INT8_MIN;
    case DT_int16: return INT16_MIN;
    case DT_int32: return INT32_MIN;
    case DT_int64: return INT64_MIN;
    default: return 0;
    }
}

int64_t dtype_max(DType dtype) {
    switch (dtype) {
    case DT_bool: return 1;
    case DT_uint8: return UINT8_MAX;
    case DT_int8: return INT8_MAX;
    case DT_int16: return INT16_MAX;
    case DT_int32: return INT32_MAX;
    case DT_int64: return INT64_MAX;
    default: return 0;
    }
}

double dtype_unit(DType dtype) {
    switch (dtype) {
    case DT_float64: return 0x1p-53;
    case DT_float32: return 0x1p-24;
    case DT_float16: return 0x1p-11;
    case DT_bfloat16: return 0x1p-8;
    default: return 0;
    }
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
        bool halves = (a == DT_float16 && b == DT_bfloat16) || (a == DT_bfloat16 && b == DT_float16);
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

static int promote_into(int current, DType dtype) { return current < 0 ? (int)dtype : (int)dtype_promote((DType)current, dtype); }

void promotion_tensor(Promotion *p, DType dtype, int ndim) {
    if (ndim > 0) {
        p->dim = promote_into(p->dim, dtype);
    } else {
        p->zero = promote_into(p->zero, dtype);
    }
}

void promotion_scalar(Promotion *p, Category category) { p->wrapped = promote_into(p->wrapped, dtype_default(category)); }

/* combine_categories: the lower-priority dtype counts only if its category is higher. */
static int combine(int higher, int lower) {
    if (higher < 0) {
        return lower;
    }
    if (lower >= 0 && dtype_category((DType)lower) > dtype_category((DType)higher)) {
        return (int)dtype_promote((DType)higher, (DType)lower);
    }
    return higher;
}

DType promotion_result(const Promotion *p) {
    int result = combine(p->dim, combine(p->zero, p->wrapped));
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
    case DT_bool: return value != 0;
    case DT_uint8: return (uint8_t)value;
    case DT_int8: return (int8_t)(uint8_t)value;
    case DT_int16: return (int16_t)(uint16_t)value;
    case DT_int32: return (int32_t)(uint32_t)value;
    default: return value;
    }
}

double element_double(const void *data, DType dtype, int64_t i) {
    switch (dtype) {
#define DTYPE(name, ctype, category, bytes) \
    case DT_##name: return (double)((const ctype *)data)[i];
#include "tensor/dtypes.def"
#undef DTYPE
    case DT_COUNT: break;
    }
    return 0;
}

/* A double as int64_t, truncated; what does not fit becomes INT64_MIN, as cvttsd2si does. */
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
    case DT_bool: ((uint8_t *)data)[i] = value != 0; return;
    case DT_uint8: ((uint8_t *)data)[i] = (uint8_t)value; return;
    case DT_int8: ((int8_t *)data)[i] = (int8_t)(uint8_t)value; return;
    case DT_int16: ((int16_t *)data)[i] = (int16_t)(uint16_t)value; return;
    case DT_int32: ((int32_t *)data)[i] = (int32_t)(uint32_t)value; return;
    case DT_int64: ((int64_t *)data)[i] = value; return;
    case DT_float32: ((float *)data)[i] = (float)value; return;
    case DT_float64: ((double *)data)[i] = (double)value; return;
    default: CHECK(!"a dtype with kernels");
    }
}

/* To float32 and back nothing is lost for values that came from float32; overflow rounds to infinity. */
static float double_to_float(double value) {
    if (isfinite(value) && fabs(value) >= 0x1.ffffffp127) {
        return value > 0 ? INFINITY : -INFINITY;
    }
    return (float)value;
}

void element_store_double(void *data, DType dtype, int64_t i, double value) {
    if (dtype == DT_float32) {
        ((float *)data)[i] = double_to_float(value);
    } else if (dtype == DT_float64) {
        ((double *)data)[i] = value;
    } else if (dtype == DT_bool) {
        ((uint8_t *)data)[i] = value != 0; /* nan != 0 */
    } else {
        element_store_int(data, dtype, i, double_to_int(value));
    }
}

void element_cast(void *to, DType to_dtype, int64_t j, const void *from, DType from_dtype, int64_t i) {
    if (dtype_is_float(from_dtype)) {
        element_store_double(to, to_dtype, j, element_double(from, from_dtype, i));
    } else {
        element_store_int(to, to_dtype, j, element_int(from, from_dtype, i));
    }
}
