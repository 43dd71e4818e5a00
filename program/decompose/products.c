/* Products in other ops: kron, tensordot, cross, vander, cov and corrcoef
 * (aten/src/ATen/native/LinearAlgebra.cpp, Linear.cpp, Cross.cpp, TensorFactories.cpp,
 * Correlation.cpp). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

#include <string.h>

static ErrCode products_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

static ErrCode products_refuse(Emit *e, const char *text) {
    return error_set(e->err, ERR_invalid, "%s", text);
}

/* A view that is not recorded as one (_unsafe_view); ERR_view_stride where there is none. */
static Tensor *products_viewed(Emit *e, Tensor *t, const int64_t *size, int n) {
    int64_t strides[MAX_DIMS];
    if (t && n <= MAX_DIMS && !view_strides(t, tensor_numel(t), size, n, strides)) {
        error_set(e->err, ERR_view_stride,
                  "view size is not compatible with input tensor's size and stride");
    }
    return t && e->err->code == ERR_none ? emit_op(e, OP__unsafe_view, 2, t, size, n) : NULL;
}

/* Each dim of self is followed by one of other: a product of all pairs. */
ErrCode decompose_kron(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *other = call->arg[1].tensor;
    int n = self->ndim > other->ndim ? self->ndim : other->ndim;
    int64_t a[MAX_DIMS], b[MAX_DIMS], size[MAX_DIMS];
    *nout = 0;
    TRY(dims_fit(2 * n, e->err));
    for (int d = 0; d < n; d++) {
        int own = d - (n - self->ndim), second = d - (n - other->ndim);
        a[2 * d] = own < 0 ? 1 : self->size[own];
        b[2 * d + 1] = second < 0 ? 1 : other->size[second];
        a[2 * d + 1] = b[2 * d] = 1;
        if (!checked_mul(a[2 * d], b[2 * d + 1], &size[d])) {
            return error_set(e->err, ERR_limit, "a tensor's size overflows");
        }
    }
    Tensor *x = products_viewed(e, self, a, 2 * n);
    Tensor *y = products_viewed(e, other, b, 2 * n);
    Tensor *product = x && y ? emit_mul(e, x, y) : NULL;
    return products_answer(e, products_viewed(e, product, size, n), out, nout);
}

/* ---- tensordot ---- */

/* Wraps the dims and notes them as a set; duplicates are refused. */
static ErrCode contracted(const Tensor *t, const Arg *dims, int *wrapped, unsigned *set,
                          Error *err) {
    *set = 0;
    for (int k = 0; k < dims->ints.n; k++) {
        TRY(dim_wrap(dims->ints.v[k], t->ndim, &wrapped[k], err));
    }
    for (int k = 0; k < dims->ints.n; k++) {
        if (*set >> wrapped[k] & 1) {
            return error_set(err, ERR_invalid, "dim %d appears multiple times in the list of dims",
                             wrapped[k]);
        }
        *set |= 1u << wrapped[k];
    }
    return ERR_none;
}

/* `t` as a matrix: the dims that are left, and those in `dims` (first, if `before`). */
static Tensor *as_matrix(Emit *e, Tensor *t, const int *dims, int n, unsigned set, bool before,
                         const int64_t *size, int nsize) {
    int64_t order[MAX_DIMS];
    int k = 0;
    for (int i = 0; i < n && before; i++) {
        order[k++] = dims[i];
    }
    for (int d = 0; d < t->ndim; d++) {
        if (!(set >> d & 1)) {
            order[k++] = d;
        }
    }
    for (int i = 0; i < n && !before; i++) {
        order[k++] = dims[i];
    }
    Tensor *turned = emit_op(e, OP_permute, 2, t, order, k);
    return turned ? emit_reshape(e, turned, size, nsize) : NULL;
}

ErrCode decompose_tensordot(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *t[2] = {call->arg[0].tensor, call->arg[1].tensor};
    const Arg *dims[2] = {&call->arg[2], &call->arg[3]};
    int wrapped[2][MAX_DIMS], n = dims[0]->ints.n;
    unsigned set[2];
    *nout = 0;
    if (n != dims[1]->ints.n) {
        return products_refuse(e, "both dimension lists should have same length");
    }
    if (t[0]->dtype != t[1]->dtype) {
        return error_set(e->err, ERR_dtype, "both inputs should have same dtype");
    }
    if (n > MAX_DIMS) {
        return error_set(e->err, ERR_limit, "too many dims");
    }
    int64_t common = 1, rest[2] = {1, 1}, size[2 * MAX_DIMS];
    const Tensor *given[2] = {t[0], t[1]};
    for (int k = 0; k < n; k++) {
        int d[2];
        for (int side = 0; side < 2; side++) {
            if (given[side]->ndim == 0) { /* Tensor::size wraps no dim of a scalar */
                return error_set(e->err, ERR_index_range,
                                 "Dimension specified as %lld but tensor has no dimensions",
                                 (long long)dims[side]->ints.v[k]);
            }
            TRY(dim_wrap(dims[side]->ints.v[k], given[side]->ndim, &d[side], e->err));
        }
        int64_t a = given[0]->size[d[0]], b = given[1]->size[d[1]];
        int side = b == 1 ? 0 : 1;
        if (a != 1 && b != 1 && a != b) {
            return products_refuse(e, "contracted dimensions need to match");
        }
        if (a == 1 || b == 1) { /* what is broadcast is summed */
            int64_t dim = d[side];
            t[side] = emit_op(e, OP_sum_dim, 4, t[side], &dim, 1, 1, (int)t[side]->dtype);
            TRY(e->err->code);
        } else {
            common *= a;
        }
    }
    int nsize = 0;
    for (int side = 0; side < 2; side++) {
        TRY(contracted(given[side], dims[side], wrapped[side], &set[side], e->err));
        for (int d = 0; d < t[side]->ndim; d++) {
            if (!(set[side] >> d & 1)) {
                rest[side] *= t[side]->size[d];
                size[nsize++] = t[side]->size[d];
            }
        }
    }
    TRY(dims_fit(nsize, e->err));
    if (nsize == 0) {
        Tensor *x = as_matrix(e, t[0], wrapped[0], n, set[0], false, &common, 1);
        Tensor *y = as_matrix(e, t[1], wrapped[1], n, set[1], true, &common, 1);
        Tensor *sum = emit_binary(e, OP_dot, x, y);
        return products_answer(e, sum ? emit_view(e, sum, size, 0) : NULL, out, nout);
    }
    int64_t left[2] = {rest[0], common}, right[2] = {common, rest[1]};
    Tensor *x = as_matrix(e, t[0], wrapped[0], n, set[0], false, left, 2);
    Tensor *y = as_matrix(e, t[1], wrapped[1], n, set[1], true, right, 2);
    Tensor *product = x && y ? emit_mm(e, x, y) : NULL;
    return products_answer(e, product ? emit_reshape(e, product, size, nsize) : NULL, out, nout);
}

/* ---- cross, vander ---- */

/* Without a dim: the first of size 3. */
ErrCode decompose_cross(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t dim = call->arg[2].none ? -1 : call->arg[2].i;
    *nout = 0;
    if (call->arg[2].none) {
        for (dim = 0; dim < self->ndim && self->size[dim] != 3; dim++) {
        }
        if (dim == self->ndim) {
            return products_refuse(e, "no dimension of size 3 in input");
        }
    }
    return products_answer(e, emit_op(e, OP_linalg_cross, 3, self, call->arg[1].tensor, dim), out,
                           nout);
}

/* Powers 0, 1, 2, .. of x by cumulative products, written column by column. */
ErrCode decompose_vander(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *x = call->arg[0].tensor;
    *nout = 0;
    if (x->ndim != 1) {
        return products_refuse(e, "x must be a one-dimensional tensor.");
    }
    int64_t n = call->arg[1].none ? x->size[0] : call->arg[1].i;
    if (n < 0) {
        return products_refuse(e, "N must be non-negative.");
    }
    int64_t size[2] = {x->size[0], n}, first = 0, end = INT64_MAX;
    DType dtype = dtype_is_float(x->dtype) ? x->dtype : DT_int64;
    const int64_t last = 1;
    Tensor *result = emit_op(e, OP_zeros, 2, size, 2, (int)dtype);
    if (n > 0 && result) {
        Tensor *column = emit_op(e, OP_select, 3, result, (int64_t)1, first);
        emit_scalar(e, OP_fill__Scalar, column, scalar_int(1));
    }
    if (n > 1 && e->err->code == ERR_none) {
        Tensor *rest = emit_op(e, OP_slice, 5, result, (int64_t)1, last, end, (int64_t)1);
        Tensor *wide = emit_unsqueeze(e, x, 1);
        emit_binary(e, OP_copy_, rest, wide);
        Tensor *to = emit_op(e, OP_slice, 5, result, (int64_t)1, last, end, (int64_t)1);
        Tensor *from = emit_op(e, OP_slice, 5, result, (int64_t)1, last, end, (int64_t)1);
        Tensor *products = from ? emit_op(e, OP_cumprod, 2, from, (int64_t)1) : NULL;
        emit_binary(e, OP_copy_, to, products);
    }
    if (e->err->code != ERR_none) {
        return e->err->code;
    }
    return products_answer(e, call->arg[2].b ? result : emit_op(e, OP_flip, 2, result, &last, 1),
                           out, nout);
}

/* ---- cov, corrcoef ---- */

/* What is left of self when each row's mean is subtracted, times itself, over the count less the
 * correction (0 if that is negative). */
static Tensor *covariance(Emit *e, Tensor *self, int64_t correction) {
    if (self->ndim > 2 || self->dtype == DT_bool) {
        error_set(e->err, self->ndim > 2 ? ERR_invalid : ERR_dtype,
                  self->ndim > 2 ? "expected input to have two or fewer dimensions"
                                 : "cov(): bool dtype is not supported for input");
        return NULL;
    }
    const int64_t row[2] = {1, -1}, along = 1;
    Tensor *in = self->ndim < 2 ? emit_view(e, self, row, 2) : self;
    if (!in) {
        return NULL;
    }
    int64_t count = in->size[1], divisor = count - correction > 0 ? count - correction : 0;
    Tensor *sum = emit_sum_dims(e, in, &along, 1, false);
    Tensor *n = emit_op(e, OP_scalar_tensor, 2, scalar_int(count), (int)DT_int64);
    Tensor *mean = sum && n ? emit_div(e, sum, n) : NULL;
    Tensor *norm = emit_op(e, OP_scalar_tensor, 2, scalar_int(divisor), (int)DT_int64);
    Tensor *apart = mean ? emit_unsqueeze(e, mean, 1) : NULL;
    apart = apart ? emit_sub(e, in, apart) : NULL;
    Tensor *turned = apart ? emit_unary(e, OP_t, apart) : NULL;
    Tensor *product = turned ? emit_mm(e, apart, turned) : NULL;
    Tensor *answer = product && norm ? emit_div(e, product, norm) : NULL;
    return emit_unary(e, OP_squeeze, answer);
}

ErrCode decompose_cov(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    if (!call->arg[2].none || !call->arg[3].none) {
        return error_set(e->err, ERR_unsupported, "cov with weights");
    }
    return products_answer(e, covariance(e, call->arg[0].tensor, call->arg[1].i), out, nout);
}

ErrCode decompose_corrcoef(Emit *e, const Call *call, Tensor **out, int *nout) {
    const int64_t column[2] = {-1, 1}, row[2] = {1, -1};
    *nout = 0;
    Tensor *c = covariance(e, call->arg[0].tensor, 1);
    if (c && c->ndim == 0) {
        return products_answer(e, emit_div(e, c, c), out, nout);
    }
    Tensor *diagonal = c ? emit_op(e, OP_diagonal, 1, c) : NULL;
    Tensor *deviation = emit_unary(e, OP_sqrt, diagonal);
    Tensor *by = deviation ? emit_view(e, deviation, column, 2) : NULL;
    c = by ? emit_div(e, c, by) : NULL;
    by = c ? emit_view(e, deviation, row, 2) : NULL;
    c = by ? emit_div(e, c, by) : NULL;
    return products_answer(e, c ? emit_op(e, OP_clamp, 3, c, scalar_int(-1), scalar_int(1)) : NULL,
                           out, nout);
}

/* ---- bilinear: result o is input1 weight[o] input2, row by row ---- */

static ErrCode check_bilinear(const Call *call, Error *err) {
    const Tensor *x1 = call->arg[0].tensor, *x2 = call->arg[1].tensor,
                 *weight = call->arg[2].tensor,
                 *bias = call->arg[3].none ? NULL : call->arg[3].tensor;
    for (int k = 1; k < (bias ? 4 : 3); k++) {
        if (call->arg[k].tensor->dtype != x1->dtype) {
            return error_set(err, ERR_dtype, "All tensors must have the same dtype");
        }
    }
    if (x1->ndim != x2->ndim) {
        return error_set(err, ERR_invalid,
                         "bilinear(): input dimensions do not match: got %d and %d", x1->ndim,
                         x2->ndim);
    }
    for (int d = 0; d < x1->ndim - 1; d++) {
        if (x1->size[d] != x2->size[d]) {
            return error_set(err, ERR_invalid,
                             "bilinear(): input batch dimensions do not match at dim %d", d);
        }
    }
    for (int k = 0; k < 2; k++) {
        const Tensor *x = call->arg[k].tensor;
        if (x->ndim == 0 || weight->ndim < k + 2) {
            return error_set(err, ERR_index_range, "Dimension out of range");
        }
        if (x->size[x->ndim - 1] != weight->size[k + 1]) {
            return error_set(err, ERR_invalid,
                             "bilinear(): input%d size does not match weight size: got %lld but "
                             "expected %lld",
                             k + 1, (long long)x->size[x->ndim - 1],
                             (long long)weight->size[k + 1]);
        }
    }
    if (bias && bias->ndim == 0) {
        return error_set(err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    if (bias && bias->size[0] != weight->size[0]) {
        return error_set(err, ERR_invalid,
                         "bilinear(): bias size does not match weight size: got %lld but expected "
                         "%lld",
                         (long long)bias->size[0], (long long)weight->size[0]);
    }
    return ERR_none;
}

ErrCode decompose_bilinear(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *x[2], *weight = call->arg[2].tensor, *plain[3];
    *nout = 0;
    TRY(check_bilinear(call, e->err));
    const Tensor *first = call->arg[0].tensor;
    int64_t size[MAX_DIMS], last = -1;
    memcpy(size, first->size, sizeof *size * (size_t)first->ndim);
    size[first->ndim - 1] = weight->size[0];
    for (int k = 0; k < 2; k++) {
        Tensor *t = call->arg[k].tensor;
        x[k] = emit_op(e, OP_reshape, 2, t, (int64_t[]){-1, t->size[t->ndim - 1]}, 2);
        TRY(e->err->code);
    }
    if (weight->ndim != 3) {
        return error_set(e->err, ERR_unsupported, "bilinear with a weight of %d dims",
                         weight->ndim);
    }
    plain[0] = node_operand(e, x[0]);
    plain[1] = node_operand(e, weight);
    plain[2] = node_operand(e, x[1]);
    Tensor *value = emit_mul(e, emit_binary(e, OP_matmul, plain[0], plain[1]), plain[2]);
    value = emit_sum_dims(e, value, &last, 1, false);
    value = value && value->dtype != x[0]->dtype ? emit_cast(e, value, x[0]->dtype) : value;
    value = emit_unary(e, OP__contiguous_copy, value ? emit_transpose(e, value, 0, 1) : NULL);
    Tensor *answer = value ? emit_op(e, OP__bilinear, 4, x[0], weight, x[1], value) : NULL;
    answer = answer ? emit_op(e, OP_reshape, 2, answer, size, first->ndim) : NULL;
    return products_answer(
        e, answer && !call->arg[3].none ? emit_add(e, answer, call->arg[3].tensor) : answer, out,
        nout);
}
