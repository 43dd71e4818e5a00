/* Inference of the matmul family: results are row-major. mm, bmm and mv check dtypes only if there
 * is something to multiply, because in PyTorch the kernels check them
 * (aten/src/ATen/native/LinearAlgebra.cpp, Blas.cpp). */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

static ErrCode same_dtype(DType a, DType b, Error *err) {
    if (a != b) {
        return error_set(err, ERR_dtype, "expected scalar type %s but found %s", dtype_name(a),
                         dtype_name(b));
    }
    return ERR_none;
}

static ErrCode has_kernel(const Call *call, DType dtype, Error *err) {
    if (dtype == DT_bool) {
        return error_set(err, ERR_dtype, "\"%s\" not implemented for 'Bool'", call->op->name);
    }
    return half_check(call, dtype, err);
}

/* [m, k] x [k, n]. */
static ErrCode matrices_fit(const Tensor *a, const Tensor *b, Error *err) {
    if (a->ndim != 2 || b->ndim != 2) {
        return error_set(err, ERR_shape, "%s must be a matrix, got %d-D tensor",
                         a->ndim != 2 ? "mat1" : "mat2", a->ndim != 2 ? a->ndim : b->ndim);
    }
    if (a->size[1] != b->size[0]) {
        return error_set(err, ERR_shape,
                         "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                         (long long)a->size[0], (long long)a->size[1], (long long)b->size[0],
                         (long long)b->size[1]);
    }
    return ERR_none;
}

ErrCode infer_mm(const Call *call, Infer *r) {
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    TRY(matrices_fit(a, b, r->err));
    int64_t size[2] = {a->size[0], b->size[1]};
    bool some = size[0] != 0 && size[1] != 0 && a->size[1] != 0;
    if (some || since(mm_of_nothing_mixed)) {
        TRY(same_dtype(a->dtype, b->dtype, r->err));
    }
    if (some) {
        TRY(has_kernel(call, a->dtype, r->err));
    }
    return infer_contiguous(r, a->dtype, size, 2);
}

ErrCode infer_bmm(const Call *call, Infer *r) {
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    if (a->ndim != 3 || b->ndim != 3) {
        return error_set(r->err, ERR_shape, "%s must be a 3D tensor",
                         a->ndim != 3 ? "batch1" : "batch2");
    }
    if (b->size[0] != a->size[0] || b->size[1] != a->size[2]) {
        return error_set(r->err, ERR_shape,
                         "Expected size for first two dimensions of batch2 tensor to be: [%lld, "
                         "%lld] but got: [%lld, %lld].",
                         (long long)a->size[0], (long long)a->size[2], (long long)b->size[0],
                         (long long)b->size[1]);
    }
    int64_t size[3] = {a->size[0], a->size[1], b->size[2]};
    if (size[0] != 0 && size[1] != 0 && size[2] != 0 && a->size[2] != 0) {
        TRY(same_dtype(a->dtype, b->dtype, r->err));
        TRY(has_kernel(call, a->dtype, r->err));
    }
    return infer_contiguous(r, b->dtype, size, 3);
}

ErrCode infer_mv(const Call *call, Infer *r) {
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    if (a->ndim == 0) { /* the result has self.size(0) elements */
        return error_set(r->err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    if (a->ndim != 2 || b->ndim != 1) {
        return error_set(r->err, ERR_shape, "vector + matrix @ vector expected, got 1, %d, %d",
                         a->ndim, b->ndim);
    }
    if (a->size[1] != b->size[0]) {
        return error_set(r->err, ERR_shape, "size mismatch, got %lld, %lldx%lld,%lld",
                         (long long)a->size[0], (long long)a->size[0], (long long)a->size[1],
                         (long long)b->size[0]);
    }
    bool some = a->size[0] != 0 && a->size[1] != 0;
    if (some || since(addmv_mixed)) {
        TRY(same_dtype(a->dtype, b->dtype, r->err));
    }
    if (some) {
        TRY(has_kernel(call, a->dtype, r->err));
    }
    return infer_contiguous(r, b->dtype, a->size, 1);
}

ErrCode infer_dot(const Call *call, Infer *r) {
    const Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    if (a->ndim != 1 || b->ndim != 1) {
        return error_set(r->err, ERR_shape, "1D tensors expected, but got %dD and %dD tensors",
                         a->ndim, b->ndim);
    }
    if (a->dtype != b->dtype) {
        return error_set(r->err, ERR_dtype,
                         "dot : expected both vectors to have same dtype, but found %s and %s",
                         dtype_name(a->dtype), dtype_name(b->dtype));
    }
    if (a->size[0] != b->size[0]) {
        return error_set(r->err, ERR_shape,
                         "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have "
                         "the same number of elements",
                         (long long)a->size[0], (long long)b->size[0]);
    }
    TRY(has_kernel(call, a->dtype, r->err));
    return infer_contiguous(r, a->dtype, NULL, 0);
}

/* With nothing to multiply, addmm computes beta * self, whose promoted dtype must be castable to
 * self's. */
static ErrCode check_scaled_self(DType dtype, Scalar beta, Error *err) {
    if (scalar_to_double(beta) != 0 && beta.kind > dtype_category(dtype)) {
        return error_set(err, ERR_dtype,
                         "result type %s can't be cast to the desired output type %s",
                         dtype_name(dtype_default(beta.kind)), dtype_name(dtype));
    }
    return ERR_none;
}

/* beta and alpha fit the type that the kernel multiplies in: float32 for half types (opmath_t),
 * except for addmv. */
static ErrCode check_factors(const Call *call, DType dtype, Error *err) {
    bool half = dtype_is_float(dtype) && dtype_bytes(dtype) == 2;
    DType factor = half && call->op->id != OP_addmv ? DT_float32 : dtype;
    TRY(scalar_check(call->arg[3].scalar, factor, err));
    return scalar_check(call->arg[4].scalar, factor, err);
}

ErrCode infer_addmm(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    DType dtype = self->dtype;
    if (dtype != b->dtype || a->dtype != b->dtype) {
        return error_set(r->err, ERR_dtype, "%s and mat2 must have the same dtype",
                         dtype != b->dtype ? "self" : "mat1");
    }
    TRY(matrices_fit(a, b, r->err));
    int64_t size[2] = {a->size[0], b->size[1]};
    Tensor expanded;
    TRY(tensor_expand(self, size, 2, &expanded, r->err));
    if (size[0] != 0 && size[1] != 0) {
        if (a->size[1] == 0) {
            TRY(check_scaled_self(dtype, call->arg[3].scalar, r->err));
        } else {
            TRY(has_kernel(call, dtype, r->err));
            TRY(check_factors(call, dtype, r->err));
        }
    }
    return infer_contiguous(r, dtype, size, 2);
}

bool added_product_mixed(const Call *call) {
    bool vector = call->op->id == OP_addmv;
    bool checks = vector ? since(addmv_mixed) : since(baddbmm_mixed);
    DType dtype = call->arg[0].tensor->dtype;
    return checks &&
           (call->arg[1].tensor->dtype != dtype || (vector && call->arg[2].tensor->dtype != dtype));
}

/* addmv: all three dtypes are equal, also where there is nothing to multiply. baddbmm: those of
 * self and batch1 are; the kernel checks that of batch2. */
static ErrCode refuse_mixed(const Call *call, ErrCode code, Error *err) {
    return added_product_mixed(call)
               ? error_set(err, code, "%s: input dtypes must be the same", call->op->name)
               : ERR_none;
}

/* Checks dtypes and scalars of beta * self + alpha * (a b), only if there is something to
 * compute. */
static ErrCode check_added_product(const Call *call, const Tensor *a, const Tensor *b, bool empty,
                                   bool nothing, Error *err) {
    if (empty) {
        return ERR_none;
    }
    if (nothing) { /* self is cast to the result's dtype first */
        return check_scaled_self(b->dtype, call->arg[3].scalar, err);
    }
    TRY(has_kernel(call, a->dtype, err));
    TRY(same_dtype(a->dtype, b->dtype, err));
    return check_factors(call, a->dtype, err);
}

ErrCode infer_addmv(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (a->ndim != 2 || b->ndim != 1 || self->ndim > 1) {
        return error_set(r->err, ERR_shape, "vector + matrix @ vector expected, got %d, %d, %d",
                         self->ndim, a->ndim, b->ndim);
    }
    bool fits =
        a->size[1] == b->size[0] && (a->size[0] == tensor_numel(self) || tensor_numel(self) == 1);
    if (!fits && self->ndim == 0) {
        return error_set(r->err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    if (!fits) {
        return error_set(r->err, ERR_shape,
                         "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
                         (long long)tensor_numel(self), (long long)a->size[0],
                         (long long)a->size[1], (long long)b->size[0]);
    }
    TRY(refuse_mixed(call, ERR_dtype, r->err));
    if (tensor_numel(a) == 0 &&
        scalar_to_double(call->arg[3].scalar) != 0) { /* beta * self, not expanded */
        if (dtype_category(self->dtype) > dtype_category(b->dtype)) {
            return error_set(r->err, ERR_dtype,
                             "result type %s can't be cast to the desired output type %s",
                             dtype_name(self->dtype), dtype_name(b->dtype));
        }
        TRY(scalar_check(call->arg[3].scalar, self->dtype, r->err));
        return infer_contiguous(r, b->dtype, self->size, self->ndim);
    }
    TRY(check_added_product(call, a, b, tensor_numel(a) == 0, false, r->err));
    return infer_contiguous(r, b->dtype, a->size, 1);
}

ErrCode infer_baddbmm(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (a->ndim < 2 || b->ndim < 3) {
        return error_set(r->err, ERR_index_range, "Dimension out of range");
    }
    int64_t size[3] = {a->size[0], a->size[1], b->size[2]};
    Tensor expanded;
    TRY(tensor_expand(self, size, 3, &expanded, r->err));
    TRY(refuse_mixed(call, ERR_invalid, r->err));
    if (a->ndim != 3 || b->ndim != 3) {
        return error_set(r->err, ERR_shape, "%s must be a 3D tensor",
                         a->ndim != 3 ? "batch1" : "batch2");
    }
    if (b->size[0] != a->size[0] || b->size[1] != a->size[2]) {
        return error_set(r->err, ERR_shape,
                         "Expected size for first two dimensions of batch2 tensor to be: [%lld, "
                         "%lld] but got: [%lld, %lld].",
                         (long long)a->size[0], (long long)a->size[2], (long long)b->size[0],
                         (long long)b->size[1]);
    }
    TRY(check_added_product(call, a, b, size[0] == 0 || size[1] == 0 || size[2] == 0,
                            a->size[2] == 0, r->err));
    return infer_contiguous(r, b->dtype, size, 3);
}

ErrCode infer_addbmm(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (a->ndim < 2 ||
        b->ndim < 3) { /* self is first expanded to {batch1.size(1), batch2.size(2)} */
        return error_set(r->err, ERR_index_range, "Dimension out of range");
    }
    int64_t size[2] = {a->size[1], b->size[2]};
    Tensor expanded;
    TRY(tensor_expand(self, size, 2, &expanded, r->err));
    if (a->ndim != 3 || b->ndim != 3) {
        return error_set(r->err, ERR_shape, "%s must be a 3D tensor",
                         a->ndim != 3 ? "batch1" : "batch2");
    }
    if (b->size[0] != a->size[0]) {
        return error_set(r->err, ERR_invalid,
                         "batch1 and batch2 must have same number of batches, got %lld and %lld",
                         (long long)a->size[0], (long long)b->size[0]);
    }
    if (a->size[2] != b->size[1]) {
        return error_set(r->err, ERR_invalid,
                         "Incompatible matrix sizes for bmm (%lldx%lld and %lldx%lld)",
                         (long long)a->size[1], (long long)a->size[2], (long long)b->size[1],
                         (long long)b->size[2]);
    }
    if (a->size[0] > 0 && (self->dtype != a->dtype || self->dtype != b->dtype)) {
        return error_set(r->err, ERR_dtype,
                         "Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s",
                         dtype_name(self->dtype), dtype_name(a->dtype), dtype_name(b->dtype));
    }
    bool empty = size[0] == 0 || size[1] == 0;
    if (a->size[0] == 0) { /* PyTorch calls one mul_ and no addmm_ */
        TRY(check_scaled_self(self->dtype, call->arg[3].scalar, r->err));
    } else {
        TRY(check_added_product(call, a, b, empty, a->size[2] == 0, r->err));
    }
    if (!empty && a->size[0] > 1 &&
        a->size[2] == 0) { /* all batches but the first are added with beta = 1 */
        TRY(check_scaled_self(self->dtype, scalar_int(1), r->err));
    }
    return infer_contiguous(r, self->dtype, size, 2);
}

Tensor outer_column(const Tensor *vec1) {
    Tensor t = *vec1;
    t.ndim = 2;
    t.size[1] = 1;
    t.stride[1] = t.stride[0];
    return t;
}

DType addr_dtype(const Tensor *self, const Tensor *vec1, const Tensor *vec2) {
    Promotion p = PROMOTION_START; /* self is expanded and vec1 is a column: no operand is 0-dim */
    promotion_tensor(&p, self->dtype, 2);
    promotion_tensor(&p, vec1->dtype, 2);
    promotion_tensor(&p, vec2->dtype, 1);
    return promotion_result(&p);
}

/* A vector of n rows and one of m columns give [n, m], to which self is expanded; dtypes are
 * promoted (LinearAlgebra.cpp, addr). */
ErrCode infer_addr(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (a->ndim != 1 || b->ndim != 1) {
        return error_set(r->err, ERR_shape, "addr: Expected 1-D argument %s, but got %d-D",
                         a->ndim != 1 ? "vec1" : "vec2", a->ndim != 1 ? a->ndim : b->ndim);
    }
    int64_t size[2] = {a->size[0], b->size[0]};
    Tensor expanded;
    TRY(tensor_expand(self, size, 2, &expanded, r->err));
    DType dtype = addr_dtype(self, a, b);
    for (int k = 3; k <= 4; k++) {
        Category kind = call->arg[k].scalar.kind;
        if (kind == CAT_BOOL && dtype != DT_bool) {
            return error_set(r->err, ERR_invalid, "Boolean %s only supported for Boolean results.",
                             call->op->param[k].name);
        }
        if (kind == CAT_FLOAT && !dtype_is_float(dtype)) {
            return error_set(
                r->err, ERR_invalid,
                "For integral input tensors, argument %s must not be a floating point number.",
                call->op->param[k].name);
        }
    }
    TRY(sizes_fit(size, 2, r->err));
    for (int k = 3; k <= 4; k++) {
        TRY(scalar_check(call->arg[k].scalar, dtype, r->err));
    }
    int64_t column[2] = {size[0] == 0 ? 1 : a->stride[0], size[1] == 1}, row[2] = {0, b->stride[0]};
    const int64_t *strides[3] = {expanded.stride, column, row};
    Tensor *t = infer_one(r, dtype, 2);
    t->size[0] = size[0];
    t->size[1] = size[1];
    ordered_strides(size, 2, strides, 3, t->stride);
    return ERR_none;
}

ErrCode sum_in_place_check(const Call *call, Error *err) {
    if (call->op->id != OP_addmm) {
        return ERR_none;
    }
    const Tensor *self = call->arg[0].tensor, *a = call->arg[1].tensor, *b = call->arg[2].tensor;
    if (self->dtype != b->dtype || a->dtype != b->dtype || a->ndim != 2 || b->ndim != 2 ||
        a->size[1] != b->size[0]) {
        return ERR_none;
    }
    int64_t size[2] = {a->size[0], b->size[1]};
    return sizes_equal(self->size, self->ndim, size, 2)
               ? ERR_none
               : error_set(
                     err, ERR_invalid,
                     "Bad in-place call: input tensor size and output tensor size should match");
}
