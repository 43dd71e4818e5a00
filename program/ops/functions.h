/* The functions that rows of ops.def name, declared by expanding the table.
 *
 * A function that several rows name is declared several times, which C allows; one that no row
 * names is not declared, so that its definition draws -Wmissing-prototypes, and one that a row
 * names and nobody defines does not link. */
#ifndef PROGRAM_OP_FUNCTIONS_H
#define PROGRAM_OP_FUNCTIONS_H

#include "program/ops/emit.h"

#define DECLARE_INFER(name) ErrCode infer_##name(const Call *call, Infer *r);
#define DECLARE_KERNEL(name)                                                                       \
    ErrCode kernel_##name(const Call *call, Tensor *const *out, KernelCtx *k);
#define DECLARE_TYPING(name)                                                                       \
    ErrCode typing_##name(const Call *call, DType *compute, DType *result, Error *err);
#define DECLARE_DECOMPOSE(name)                                                                    \
    ErrCode decompose_##name(Emit *e, const Call *call, Tensor **out, int *nout);

#define FACTORY(id, schema, infer, kernel, ...) DECLARE_INFER(infer) DECLARE_KERNEL(kernel)
#define VIEW(id, schema, infer, grad, ...) DECLARE_INFER(infer)
#define MULTI_VIEW(id, schema, infer, grad, ...) DECLARE_INFER(infer)
#define POINTWISE(id, schema, pw, operands, typing, grad, saves, ...) DECLARE_TYPING(typing)
#define FUNC(id, schema, infer, kernel, propagation, grad, saves, ...)                             \
    DECLARE_INFER(infer) DECLARE_KERNEL(kernel)
#define COMPOSITE(id, schema, decompose, ...) DECLARE_DECOMPOSE(decompose)
#define STORAGE(id, schema, infer, ...) DECLARE_INFER(infer)
#include "program/ops/ops.def"
DECLARE_DECOMPOSE(out) /* all OUT rows */
DECLARE_DECOMPOSE(foreach)

/* Derivative rules. A row without one says `nondiff`: the macro after the declarations makes its
 * name NULL. */
#define VIEW(id, schema, infer, grad, ...) void grad_##grad(Grad *g);
#define MULTI_VIEW(id, schema, infer, grad, ...) void grad_##grad(Grad *g);
#define POINTWISE(id, schema, pw, operands, typing, grad, saves, ...) void grad_##grad(Grad *g);
#define FUNC(id, schema, infer, kernel, propagation, grad, saves, ...) void grad_##grad(Grad *g);
#include "program/ops/ops.def"
#define grad_nondiff NULL

#undef DECLARE_INFER
#undef DECLARE_KERNEL
#undef DECLARE_TYPING
#undef DECLARE_DECOMPOSE

/* bitwise_and, bitwise_left_shift, ...: not differentiable, but recorded by autograd as ops that
 * are not implemented (derivatives.yaml has no row for them), so they materialize their operands'
 * grad_fn before the dtype is checked. */
static inline bool op_is_bitwise(const OpInfo *op) {
    return op->kind == KIND_POINTWISE &&
           (op->typing == typing_bitwise || op->typing == typing_shift ||
            op->typing == typing_integral);
}
/* eq, lt, ... */
static inline bool op_is_comparison(const OpInfo *op) {
    return op->kind == KIND_POINTWISE && op->pw >= PW_eq && op->pw <= PW_ge;
}

/* Inference and kernel common to all POINTWISE rows. */
ErrCode infer_pointwise(const Call *call, Infer *r);
ErrCode kernel_pointwise(const Call *call, Tensor *const *out, KernelCtx *k);

/* The scalar function of a POINTWISE call: the row's, but div with a rounding mode is div_floor or
 * div_trunc, and pow by the Scalar 0.5 or -0.5 is sqrt or rsqrt, gelu has two forms, and
 * bitwise_not of a bool is logical_not. */
Pw call_pw(const Call *call);
/* May the kernel refuse operands for their values (index_range, invalid)? See ValueChecks. */
bool call_checks_values(const Call *call);
/* The number that is argument `param`, as the kernel takes it: sub and rsub add with -alpha, which
 * is +0.0 for an integer 0 (sub_out in aten/src/ATen/native/BinaryOps.cpp), so their alpha is -0.0
 * then. */
Scalar call_scalar(const Call *call, int param, DType compute);
/* The operands of a POINTWISE call in the order of call_pw's function, for pw_apply to convert
 * to `compute`: a missing bound becomes the lowest or highest value of `compute`. Returns their
 * count. */
int call_operands(const Call *call, DType compute, PwOperand operands[PW_MAX_OPERANDS]);
/* The code with which this call refuses an index out of range: index_range, but index_select has a
 * case of its own. */
ErrCode call_index_error(const Call *call);

/* vec1 as addr broadcasts it against self: a column. */
Tensor outer_column(const Tensor *vec1);
/* The dtype of addr's result. */
DType addr_dtype(const Tensor *self, const Tensor *vec1, const Tensor *vec2);

/* Elements of `mask` that are true: what nonzero needs to know before its output can be
 * allocated. */
int64_t kernel_count_nonzero(const Tensor *mask);

/* What a POINTWISE op refuses by its dtypes before it checks memory or sizes; ERR_none if
 * nothing. */
ErrCode pointwise_refused_first(const Call *call, Error *err);
/* The typing of an in-place op that checks dtypes before memory; that a half dtype has no kernel is
 * found later, when the kernel is looked for. */
ErrCode pointwise_typed_first(const Call *call, DType *result, Error *err);
/* addmm_: self must have the product's size (`invalid`), which is checked after the operands'
 * sizes and before what the kernel refuses. `call`: the twin. ERR_none for other ops, and where
 * inference refuses the operands. */
/* Must the result of an in-place op have self's dtype? */
static inline bool op_writes_uncast(const OpInfo *inplace) {
    bool casts = inplace->twin == OP_addcdiv ? since(addcdiv_mixed) : since(addcmul_mixed);
    return inplace->writes_uncast && !casts;
}
/* Do full and setitem write infinity for a number that overflows the dtype? */
static inline bool half_overflows(DType dtype) {
    return dtype_is_float(dtype) && dtype_bytes(dtype) < 4 && since(half_overflow);
}
/* Is this the dtype of a mask? Bytes are one up to 1.13. */
static inline bool mask_dtype_valid(DType dtype) {
    return dtype == DT_bool || (dtype == DT_uint8 && !since(mask_bytes));
}
/* addmv, baddbmm: does inference refuse the three dtypes because they differ? In-place forms do so
 * before they compare self with the result. */
bool added_product_mixed(const Call *call);
/* layer_norm: has the first of its parameters that is given another dtype than the input? */
bool layer_norm_mixed(const Call *call);
ErrCode sum_in_place_check(const Call *call, Error *err);
/* masked_scatter_ compares the dtypes of self and source before it expands the mask. */
ErrCode masked_scatter_in_place_check(const Call *call, Error *err);
/* Does tril_ / triu_ work on a copy of `self`, which it writes back by copy_
 * (checkTrilTriuBatchContiguous of LinearAlgebraUtils.h)? */
bool triangle_copies(const Tensor *self);
/* Does isin sort its operands (isin_Tensor_Tensor_out in
 * aten/src/ATen/native/TensorCompare.cpp)? */
bool isin_sorts(const Call *call);

#endif
