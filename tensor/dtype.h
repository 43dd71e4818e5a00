/* Dtypes: one row for each in dtypes.def; promotion, casts, and access to single elements.
 *
 * The shared kernels compute in one of two types: double for floating dtypes, int64_t for the
 * others. The half types are rounded from float32, as c10::Half and c10::BFloat16 are, even if the
 * value is a double or an int64; for + - * / sqrt of half types the two roundings equal one (24 >=
 * 2*11+2). A float32 result is computed in double and rounded once: for + - * / sqrt this equals
 * the float32 result (Figueroa 1995: 53 >= 2*24+2 digits), and for the transcendental functions it
 * is the same on every machine. */
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

/* One element of float16 (1 sign bit, 5 exponent bits, 10 fraction bits) or bfloat16 (the upper
 * half of a float32). */
typedef struct Half {
    uint16_t bits;
} Half;
typedef struct Bfloat {
    uint16_t bits;
} Bfloat;
float half_to_float(Half h);
float bfloat_to_float(Bfloat h);
/* Rounds to nearest, ties to even; overflow gives infinity, subnormals are kept, nan is the quiet
 * nan. */
Half half_from_float(float f);
Bfloat bfloat_from_float(float f);

typedef enum Category { CAT_BOOL, CAT_INT, CAT_FLOAT } Category;

/* A Python scalar. Type promotion distinguishes 1, 1.0 and True. */
typedef struct Scalar {
    Category kind;
    int64_t i; /* BOOL (0 or 1) and INT */
    double f;  /* FLOAT */
} Scalar;

static inline Scalar scalar_int(int64_t i) { return (Scalar){CAT_INT, i, 0}; }
static inline Scalar scalar_float(double f) { return (Scalar){CAT_FLOAT, 0, f}; }
static inline Scalar scalar_bool(bool b) { return (Scalar){CAT_BOOL, b, 0}; }
static inline double scalar_to_double(Scalar s) { return s.kind == CAT_FLOAT ? s.f : (double)s.i; }
/* Truncates a float toward zero; 0 if it is nan or out of range, which the caller must check. */
int64_t scalar_to_int(Scalar s);

/* The name of a dtype in the format, and its inverse (false if there is no such dtype). */
const char *dtype_name(DType dtype);
bool dtype_parse(const char *name, DType *dtype);
extern const uint8_t dtype_sizes[DT_COUNT], dtype_categories[DT_COUNT];
static inline int dtype_bytes(DType dtype) { return dtype_sizes[dtype]; }
static inline Category dtype_category(DType dtype) { return (Category)dtype_categories[dtype]; }
static inline bool dtype_is_float(DType dtype) { return dtype_category(dtype) == CAT_FLOAT; }
static inline bool dtype_is_half(DType dtype) {
    return dtype == DT_float16 || dtype == DT_bfloat16;
}
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
/* Rounds to float32 once; overflow gives infinity (C11 F.4; the sanitizers agree). */
static inline float float_round(double value) { return (float)value; }
/* Rounds `value` to a floating dtype, as element_store_double does. */
double dtype_round(double value, DType dtype);

/* torch.promote_types. */
DType dtype_promote(DType a, DType b);
/* The default dtype of a Python scalar of this category: bool, int64, float32. */
DType dtype_default(Category category);
/* Can a result of dtype `from` be written in place to `to` (torch.can_cast)? True unless its
 * category is higher. */
bool dtype_can_cast(DType from, DType to);

/* Promotion over the operands of one op (ATen/native/TypeProperties.cpp, update_result_type_state):
 * dimensioned tensors first, then 0-dim tensors and Python scalars if their category is higher. The
 * initial state is PROMOTION_START. */
typedef struct Promotion {
    int dim, zero, wrapped; /* a DType, or -1 */
} Promotion;
#define PROMOTION_START ((Promotion){-1, -1, -1})
/* Add a tensor operand or a Python scalar; then the promoted dtype. */
void promotion_tensor(Promotion *p, DType dtype, int ndim);
void promotion_scalar(Promotion *p, Category category);
DType promotion_result(const Promotion *p);

/* Reads one element of a buffer in a computation type. `i` counts elements. */
double element_double(const void *data, DType dtype, int64_t i);
int64_t element_int(const void *data, DType dtype, int64_t i);
/* Stores with conversion: double to integer truncates (out of range: see cast_in_range), to bool is
 * != 0; integers wrap. */
void element_store_double(void *data, DType dtype, int64_t i, double value);
void element_store_int(void *data, DType dtype, int64_t i, int64_t value);
/* The same for n elements of the buffer, `step` apart, starting at `i`; the array of the
 * computation type is dense. */
void elements_double(double *to, const void *data, DType dtype, int64_t i, int64_t step, int64_t n);
void elements_int(int64_t *to, const void *data, DType dtype, int64_t i, int64_t step, int64_t n);
void elements_store_double(void *data, DType dtype, int64_t i, int64_t step, const double *from,
                           int64_t n);
void elements_store_int(void *data, DType dtype, int64_t i, int64_t step, const int64_t *from,
                        int64_t n);
/* Copies element i of one buffer to element j of another, with torch's cast semantics. */
void element_cast(void *to, DType to_dtype, int64_t j, const void *from, DType from_dtype,
                  int64_t i);
/* The same for two buffers of one dtype. */
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
/* Are two elements equal bit for bit? */
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
/* False if the cast of `value` to the integer `dtype` is undefined (out of range, nan); true for
 * bool and floating dtypes. */
bool cast_in_range(double value, DType dtype);
/* Wraps (two's complement) to the dtype's range. */
int64_t dtype_wrap(DType dtype, int64_t value);

#endif
