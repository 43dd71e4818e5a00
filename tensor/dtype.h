/* Dtypes: one row each in dtypes.def; promotion, casts, and access to one element.
 *
 * All scalar arithmetic of the shared kernels happens in one of two computation types: double for
 * floating dtypes, int64_t for the others. The half types are rounded from float32, as c10::Half
 * and c10::BFloat16 are, also where the value comes from a double or an int64; for + - * / sqrt of
 * halves the two roundings are one (24 >= 2*11+2). A float32 result is computed in double and
 * rounded once: for + - * / sqrt that *is* the float32 result (Figueroa 1995: 53 >= 2*24+2 digits),
 * and for the transcendentals it is the same on every machine. */
#ifndef TENSOR_DTYPE_H
#define TENSOR_DTYPE_H

#include "tensor/base.h"

#include <math.h>

typedef enum DType {
#define DTYPE(name, ctype, category, bytes) DT_##name,
#include "tensor/dtypes.def"
#undef DTYPE
    DT_COUNT
} DType;

/* One element of float16 (1 sign bit, 5 of exponent, 10 of fraction) and of bfloat16 (the upper
 * half of a float32). */
typedef struct Half {
    uint16_t bits;
} Half;
typedef struct Bfloat {
    uint16_t bits;
} Bfloat;
float half_to_float(Half h);
float bfloat_to_float(Bfloat h);
/* To nearest, ties to even; overflow to infinity, subnormals kept, one quiet nan. */
Half half_from_float(float f);
Bfloat bfloat_from_float(float f);

typedef enum Category { CAT_BOOL, CAT_INT, CAT_FLOAT } Category;

/* A Python scalar: 1, 1.0 and True are three different things to promotion. */
typedef struct Scalar {
    Category kind;
    int64_t i; /* BOOL (0, 1) and INT */
    double f;  /* FLOAT */
} Scalar;

static inline Scalar scalar_int(int64_t i) { return (Scalar){CAT_INT, i, 0}; }
static inline Scalar scalar_float(double f) { return (Scalar){CAT_FLOAT, 0, f}; }
static inline Scalar scalar_bool(bool b) { return (Scalar){CAT_BOOL, b, 0}; }
static inline double scalar_to_double(Scalar s) { return s.kind == CAT_FLOAT ? s.f : (double)s.i; }
/* Truncates a float toward zero; out of range or nan gives 0 and is for the caller to refuse. */
int64_t scalar_to_int(Scalar s);

const char *dtype_name(DType dtype);
bool dtype_parse(const char *name, DType *dtype);
extern const uint8_t dtype_sizes[DT_COUNT], dtype_categories[DT_COUNT];
static inline int dtype_bytes(DType dtype) { return dtype_sizes[dtype]; }
static inline Category dtype_category(DType dtype) { return (Category)dtype_categories[dtype]; }
static inline bool dtype_is_float(DType dtype) { return dtype_category(dtype) == CAT_FLOAT; }
/* Smallest and largest value of an integer dtype. */
int64_t dtype_min(DType dtype);
int64_t dtype_max(DType dtype);
/* Unit roundoff u (half an ulp at 1) of a floating dtype; 0 for the others. */
double dtype_unit(DType dtype);
/* Largest finite value, smallest normal one and smallest subnormal one of a floating dtype; 0 for
 * the others. */
double dtype_largest(DType dtype);
double dtype_smallest_normal(DType dtype);
double dtype_smallest_subnormal(DType dtype);
/* To float32 in one rounding; overflow is infinity (C11 F.4; the sanitizers agree). */
static inline float float_round(double value) { return (float)value; }
/* `value` as element_store_double would leave it in a floating dtype. */
double dtype_round(double value, DType dtype);

/* The wider of two dtypes as torch.promote_types. */
DType dtype_promote(DType a, DType b);
/* The dtype a Python scalar of this category has by default: bool, int64, float32. */
DType dtype_default(Category category);
/* True if a result of dtype `from` may be written in place to `to`: its category is not higher
 * (torch.can_cast). */
bool dtype_can_cast(DType from, DType to);

/* Promotion over the operands of one op (ATen/native/TypeProperties.cpp, update_result_type_state):
 * dimensioned tensors first, then 0-dim tensors and Python scalars where their category is higher.
 * Start from a zeroed state with PROMOTION_START. */
typedef struct Promotion {
    int dim, zero, wrapped; /* a DType, or -1 */
} Promotion;
#define PROMOTION_START ((Promotion){-1, -1, -1})
void promotion_tensor(Promotion *p, DType dtype, int ndim);
void promotion_scalar(Promotion *p, Category category);
DType promotion_result(const Promotion *p);

/* One element of a buffer, in a computation type. `i` counts elements. */
double element_double(const void *data, DType dtype, int64_t i);
int64_t element_int(const void *data, DType dtype, int64_t i);
/* Store with conversion: double -> integer truncates (out of range: see cast_in_range), -> bool is
 * != 0; integers wrap. */
void element_store_double(void *data, DType dtype, int64_t i, double value);
void element_store_int(void *data, DType dtype, int64_t i, int64_t value);
/* The same for n elements, `step` apart from `i` on; on the computation type's side they are
 * dense. */
void elements_double(double *to, const void *data, DType dtype, int64_t i, int64_t step, int64_t n);
void elements_int(int64_t *to, const void *data, DType dtype, int64_t i, int64_t step, int64_t n);
void elements_store_double(void *data, DType dtype, int64_t i, int64_t step, const double *from,
                           int64_t n);
void elements_store_int(void *data, DType dtype, int64_t i, int64_t step, const int64_t *from,
                        int64_t n);
/* Copies element i of one buffer to element j of another with torch's cast semantics. */
void element_cast(void *to, DType to_dtype, int64_t j, const void *from, DType from_dtype,
                  int64_t i);
/* The same where both have one dtype. */
static inline void element_copy(DType dtype, void *to, int64_t j, const void *from, int64_t i) {
    switch (dtype_bytes(dtype)) {
    case 1:
        ((uint8_t *)to)[j] = ((const uint8_t *)from)[i];
        break;
    case 2:
        ((uint16_t *)to)[j] = ((const uint16_t *)from)[i];
        break;
    case 4:
        ((uint32_t *)to)[j] = ((const uint32_t *)from)[i];
        break;
    default:
        ((uint64_t *)to)[j] = ((const uint64_t *)from)[i];
        break;
    }
}
/* Have two elements the same bytes? */
static inline bool element_same(DType dtype, const void *a, int64_t i, const void *b, int64_t j) {
    switch (dtype_bytes(dtype)) {
    case 1:
        return ((const uint8_t *)a)[i] == ((const uint8_t *)b)[j];
    case 2:
        return ((const uint16_t *)a)[i] == ((const uint16_t *)b)[j];
    case 4:
        return ((const uint32_t *)a)[i] == ((const uint32_t *)b)[j];
    default:
        return ((const uint64_t *)a)[i] == ((const uint64_t *)b)[j];
    }
}
/* False where the cast of `value` to the integer `dtype` is undefined (out of range, nan); true for
 * bool and floats. */
bool cast_in_range(double value, DType dtype);
/* Wraps (two's complement) into the dtype's range. */
int64_t dtype_wrap(DType dtype, int64_t value);

#endif
