/* Kernels of the matmul family: each element is the sum over k ascending of a[i,k] * b[k,j], from
 * +0.0 in double (int64 for integers, wrapped to the dtype), rounded once. */
#include "program/kernels/kernels.h"

#include <math.h>

/* A strided matrix in a storage. */
typedef struct Matrix {
    const Tensor *t;
    int64_t at, rows, cols, row_stride, col_stride;
} Matrix;

static Matrix matrix_of(const Tensor *t) {
    return (Matrix){t, t->offset, t->size[0], t->size[1], t->stride[0], t->stride[1]};
}
static Matrix kernel_linalg_column_of(const Tensor *t) {
    return (Matrix){t, t->offset, t->size[0], 1, t->stride[0], 0};
}
static Matrix row_of(const Tensor *t) {
    return (Matrix){t, t->offset, 1, t->size[0], 0, t->stride[0]};
}

static double dot_double(const Matrix *a, const Matrix *b, int64_t i, int64_t j) {
    int64_t at = a->at + i * a->row_stride, bt = b->at + j * b->col_stride;
    double sum = 0;
    for (int64_t k = 0; k < a->cols; k++, at += a->col_stride, bt += b->row_stride) {
        sum += element_double(a->t->storage->data, a->t->dtype, at) *
               element_double(b->t->storage->data, b->t->dtype, bt);
    }
    return sum;
}

static int64_t dot_int(const Matrix *a, const Matrix *b, int64_t i, int64_t j) {
    int64_t at = a->at + i * a->row_stride, bt = b->at + j * b->col_stride, sum = 0;
    for (int64_t k = 0; k < a->cols; k++, at += a->col_stride, bt += b->row_stride) {
        sum = wrapping_add(sum, wrapping_mul(element_int(a->t->storage->data, a->t->dtype, at),
                                             element_int(b->t->storage->data, b->t->dtype, bt)));
    }
    return sum;
}

/* out = a b. */
static void kernel_linalg_multiply(const Matrix *a, const Matrix *b, const Matrix *out) {
    DType dtype = out->t->dtype;
    void *data = out->t->storage->data;
    for (int64_t i = 0; i < out->rows; i++) {
        for (int64_t j = 0; j < out->cols; j++) {
            int64_t at = out->at + i * out->row_stride + j * out->col_stride;
            if (dtype_is_float(dtype)) {
                element_store_double(data, dtype, at, dot_double(a, b, i, j));
            } else {
                element_store_int(data, dtype, at, dot_int(a, b, i, j));
            }
        }
    }
}

/* mm, mv, dot: a vector is a matrix with one row or one column. */
ErrCode kernel_mm(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *x = call->arg[0].tensor, *y = call->arg[1].tensor;
    Matrix a = x->ndim == 2 ? matrix_of(x) : row_of(x);
    Matrix b = y->ndim == 2 ? matrix_of(y) : kernel_linalg_column_of(y);
    Matrix o =
        out[0]->ndim == 2
            ? matrix_of(out[0])
            : (Matrix){out[0], out[0]->offset, a.rows, 1, out[0]->ndim == 1 ? out[0]->stride[0] : 0,
                       0};
    kernel_linalg_multiply(&a, &b, &o);
    return ERR_none;
}

static Matrix batch_of(const Tensor *t, int64_t n) {
    return (Matrix){t,           t->offset + n * t->stride[0], t->size[1], t->size[2], t->stride[1],
                    t->stride[2]};
}

ErrCode kernel_bmm(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    for (int64_t n = 0; n < out[0]->size[0]; n++) {
        Matrix a = batch_of(call->arg[0].tensor, n), b = batch_of(call->arg[1].tensor, n),
               o = batch_of(out[0], n);
        kernel_linalg_multiply(&a, &b, &o);
    }
    return ERR_none;
}

/* out = beta * self + alpha * (a b). With beta = 0 self is ignored even where it is nan; with
 * nothing to multiply the result is beta * self. */
static void add_product(const Matrix *self, const Matrix *a, const Matrix *b, Scalar beta,
                        Scalar alpha, const Matrix *out, KernelCtx *k) {
    bool with_self = scalar_to_double(beta) != 0, with_product = a->cols > 0;
    DType dtype = out->t->dtype;
    for (int64_t i = 0; i < out->rows; i++) {
        for (int64_t j = 0; j < out->cols; j++) {
            int64_t at = out->at + i * out->row_stride + j * out->col_stride;
            int64_t from = self->at + i * self->row_stride + j * self->col_stride;
            if (dtype_is_float(dtype)) {
                double product = with_product ? dot_double(a, b, i, j) : 0,
                       factor = scalar_as_double(alpha, dtype), value = factor * product;
                if (factor == 0 && !isfinite(product)) {
                    k->undefined = "0 times a product that is not finite: BLAS leaves it out, "
                                   "other kernels of PyTorch's do not";
                }
                double own = with_self
                                 ? scalar_as_double(beta, dtype) * cast_double(self->t, from, dtype)
                                 : 0;
                element_store_double(out->t->storage->data, dtype, at,
                                     !with_product ? own
                                     : with_self   ? own + value
                                                   : value);
            } else {
                int64_t value = with_product
                                    ? wrapping_mul(scalar_as_int(alpha, dtype), dot_int(a, b, i, j))
                                    : 0;
                int64_t own = with_self ? wrapping_mul(scalar_as_int(beta, dtype),
                                                       cast_int(self->t, from, dtype, k))
                                        : 0;
                element_store_int(out->t->storage->data, dtype, at, wrapping_add(own, value));
            }
        }
    }
}

ErrCode kernel_addmm(const Call *call, Tensor *const *out, KernelCtx *k) {
    Tensor self;
    TRY(tensor_expand(call->arg[0].tensor, out[0]->size, 2, &self, k->err));
    Matrix c = matrix_of(&self), a = matrix_of(call->arg[1].tensor),
           b = matrix_of(call->arg[2].tensor), o = matrix_of(out[0]);
    add_product(&c, &a, &b, call->arg[3].scalar, call->arg[4].scalar, &o, k);
    return ERR_none;
}

/* out = beta * self, computed in self's dtype. */
static void scale_into(const Tensor *self, Scalar beta, const Tensor *out) {
    const Tensor *walked[2] = {self, out};
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        int64_t cell = 0;
        if (dtype_is_float(self->dtype)) {
            double x = element_double(self->storage->data, self->dtype, w.at[0]);
            element_store_double(&cell, self->dtype, 0, scalar_as_double(beta, self->dtype) * x);
        } else {
            int64_t x = element_int(self->storage->data, self->dtype, w.at[0]);
            element_store_int(&cell, self->dtype, 0,
                              wrapping_mul(scalar_as_int(beta, self->dtype), x));
        }
        element_cast(out->storage->data, out->dtype, w.at[1], &cell, self->dtype, 0);
    }
}

/* As addmm, but with nothing to multiply PyTorch's result is beta * self, not expanded. */
ErrCode kernel_addmv(const Call *call, Tensor *const *out, KernelCtx *k) {
    if (tensor_numel(call->arg[1].tensor) == 0 && scalar_to_double(call->arg[3].scalar) != 0) {
        scale_into(call->arg[0].tensor, call->arg[3].scalar, out[0]);
        return ERR_none;
    }
    Tensor self;
    TRY(tensor_expand(call->arg[0].tensor, out[0]->size, 1, &self, k->err));
    Matrix c = kernel_linalg_column_of(&self), a = matrix_of(call->arg[1].tensor),
           b = kernel_linalg_column_of(call->arg[2].tensor), o = kernel_linalg_column_of(out[0]);
    add_product(&c, &a, &b, call->arg[3].scalar, call->arg[4].scalar, &o, k);
    return ERR_none;
}

static bool batch_is_finite(const Tensor *t, int64_t batch) {
    for (int64_t i = 0; i < t->size[1]; i++) {
        for (int64_t j = 0; j < t->size[2]; j++) {
            int64_t at = t->offset + batch * t->stride[0] + i * t->stride[1] + j * t->stride[2];
            if (!isfinite(element_double(t->storage->data, t->dtype, at))) {
                return false;
            }
        }
    }
    return true;
}

/* With beta = 0, 1.13 multiplies self by it where matrices are small, and 2.x leaves self out. */
ErrCode kernel_baddbmm(const Call *call, Tensor *const *out, KernelCtx *k) {
    Tensor self;
    TRY(tensor_expand(call->arg[0].tensor, out[0]->size, 3, &self, k->err));
    for (int64_t n = 0; n < out[0]->size[0]; n++) {
        Matrix c = batch_of(&self, n), a = batch_of(call->arg[1].tensor, n),
               b = batch_of(call->arg[2].tensor, n), o = batch_of(out[0], n);
        if (semantics_now < SEMANTICS_2_8 && scalar_to_double(call->arg[3].scalar) == 0 &&
            dtype_is_float(self.dtype) && !batch_is_finite(&self, n)) {
            k->undefined = "baddbmm in 1.13: 0 times a self that is not finite";
        }
        add_product(&c, &a, &b, call->arg[3].scalar, call->arg[4].scalar, &o, k);
    }
    return ERR_none;
}

/* beta * self + alpha * (the sum over n of a[n] b[n]). */
ErrCode kernel_addbmm(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *x = call->arg[1].tensor, *y = call->arg[2].tensor, *to = out[0];
    Tensor self;
    TRY(tensor_expand(call->arg[0].tensor, to->size, 2, &self, k->err));
    Scalar beta = call->arg[3].scalar, alpha = call->arg[4].scalar;
    bool with_self = scalar_to_double(beta) != 0;
    for (int64_t i = 0; i < to->size[0]; i++) {
        for (int64_t j = 0; j < to->size[1]; j++) {
            int64_t at = to->offset + i * to->stride[0] + j * to->stride[1],
                    from = self.offset + i * self.stride[0] + j * self.stride[1];
            double sum = 0;
            int64_t int_sum = 0;
            for (int64_t n = 0; n < x->size[0]; n++) {
                Matrix a = batch_of(x, n), b = batch_of(y, n);
                if (dtype_is_float(to->dtype)) {
                    sum += dot_double(&a, &b, i, j);
                } else {
                    int_sum = wrapping_add(int_sum, dot_int(&a, &b, i, j));
                }
            }
            if (dtype_is_float(to->dtype)) {
                double own = with_self ? scalar_as_double(beta, to->dtype) *
                                             cast_double(&self, from, to->dtype)
                                       : 0;
                if (scalar_to_double(alpha) == 0 && !isfinite(sum)) {
                    k->undefined = "0 times a product that is not finite";
                }
                element_store_double(to->storage->data, to->dtype, at,
                                     own + scalar_as_double(alpha, to->dtype) * sum);
            } else {
                int64_t own = with_self ? wrapping_mul(scalar_as_int(beta, to->dtype),
                                                       cast_int(&self, from, to->dtype, k))
                                        : 0;
                element_store_int(
                    to->storage->data, to->dtype, at,
                    wrapping_add(own, wrapping_mul(scalar_as_int(alpha, to->dtype), int_sum)));
            }
        }
    }
    return ERR_none;
}

/* beta * self + alpha * vec1[i] * vec2[j]; for bools: and, or. */
ErrCode kernel_addr(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *a = call->arg[1].tensor, *b = call->arg[2].tensor, *to = out[0];
    Tensor self;
    TRY(tensor_expand(call->arg[0].tensor, to->size, 2, &self, k->err));
    Scalar beta = call->arg[3].scalar, alpha = call->arg[4].scalar;
    bool with_self = scalar_to_double(beta) != 0;
    DType dtype = to->dtype;
    for (int64_t i = 0; i < to->size[0]; i++) {
        for (int64_t j = 0; j < to->size[1]; j++) {
            int64_t at = to->offset + i * to->stride[0] + j * to->stride[1],
                    from = self.offset + i * self.stride[0] + j * self.stride[1];
            int64_t ai = a->offset + i * a->stride[0], bj = b->offset + j * b->stride[0];
            if (dtype_is_float(dtype)) {
                double value = scalar_as_double(alpha, dtype) * cast_double(a, ai, dtype) *
                               cast_double(b, bj, dtype);
                element_store_double(
                    to->storage->data, dtype, at,
                    with_self
                        ? scalar_as_double(beta, dtype) * cast_double(&self, from, dtype) + value
                        : value);
            } else {
                int64_t value = wrapping_mul(
                    wrapping_mul(scalar_as_int(alpha, dtype), cast_int(a, ai, dtype, k)),
                    cast_int(b, bj, dtype, k));
                int64_t own = with_self ? wrapping_mul(scalar_as_int(beta, dtype),
                                                       cast_int(&self, from, dtype, k))
                                        : 0;
                element_store_int(to->storage->data, dtype, at,
                                  dtype == DT_bool ? own != 0 || value != 0
                                                   : wrapping_add(own, value));
            }
        }
    }
    return ERR_none;
}
