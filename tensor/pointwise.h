/* The scalar functions of pointwise ops: a pair (double, int64_t) for each row of pointwise.def. */
#ifndef TENSOR_POINTWISE_H
#define TENSOR_POINTWISE_H

#include "tensor/tensor.h"

typedef enum Pw {
#define PW(name, arity, k, f, i) PW_##name,
#include "tensor/pointwise.def"
#undef PW
    PW_COUNT
} Pw;

/* PW_name_IN_TILES: does the compiled executor have instructions for it (compiled/tile/ops.def)? */
enum {
#define PW(name, arity, k, f, i) PW_##name##_IN_TILES = 1,
#define PW_SHARED(name, arity, k, f, i) PW_##name##_IN_TILES = 0,
#include "tensor/pointwise.def"
#undef PW
};

enum { PW_MAX_OPERANDS = 4 };

/* Sums, differences, products, quotients: neighbours in the table. */
static inline bool pw_is_arithmetic(Pw pw) { return pw >= PW_add && pw <= PW_div; }
/* The result is an operand, chosen by how they compare or by a mask. */
static inline bool pw_is_choice(Pw pw) {
    return (pw >= PW_maximum && pw <= PW_clamp) || pw == PW_where || pw == PW_masked_fill;
}

/* Comparisons and connectives of two operands, neighbours in the table: the result is true or
 * false. */
static inline bool pw_is_logic(Pw pw) { return pw >= PW_eq && pw <= PW_logical_xor; }
/* Rounded quotients and remainders, neighbours in the table: for integers the op refuses a zero
 * divisor. */
static inline bool pw_is_quotient(Pw pw) { return pw >= PW_div_floor && pw <= PW_fmod; }

/* What an integer function reports about its operands. */
typedef struct PwStatus {
    bool zero_divisor;      /* integer division or remainder by 0: the op raises `invalid` */
    bool odd_shift;         /* a shift by less than 0 or by all the bits: undefined */
    int bits;               /* of the computation's dtype; set by pw_apply */
    bool negative_exponent; /* integer pow by a negative exponent: `invalid` when the exponent is a
                               Scalar */
} PwStatus;

typedef double (*PwDouble)(const double *x);
typedef int64_t (*PwInt)(const int64_t *x, PwStatus *status);

/* The function over a walk through tensors of one dtype: data[0][..] = f(data[1][..], data[2][..],
 * ..). */
typedef void (*PwLoop)(void *const *data, Walk *w, PwStatus *status);

typedef struct PwInfo {
    const char *name;
    int arity;
    double k;
    PwDouble f;
    PwInt i;
    PwLoop loop_float32, loop_float64, loop_int64;
} PwInfo;

const PwInfo *pw_info(Pw pw);
/* A quotient that is truncated, whatever it is rounded to before. */
static inline bool pw_is_div_trunc(Pw pw) {
    return pw >= PW_div_trunc && pw <= PW_div_trunc_float16;
}

/* An operand of a pointwise kernel: a tensor, or a scalar that stands for one. */
typedef struct PwOperand {
    const Tensor *tensor; /* NULL: the scalar */
    Scalar scalar;
} PwOperand;

/* out[...] = pw(operands...): every operand is converted to `compute` (a dtype), the function
 * applied in double (floating `compute`) or int64_t, rounded or wrapped into `compute`, then
 * converted to out's dtype. `out` has data and the broadcast size of the operands. */
void pw_apply(Pw pw, DType compute, const Tensor *out, const PwOperand *operands, int count,
              PwStatus *status);

#endif
