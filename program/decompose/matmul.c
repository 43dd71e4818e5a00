/* matmul, with the same case distinction as at::matmul . The case determines which
 * operands are saved and whether a copy is made, so the cases are part of the semantics.
 *
 *     1-d 1-d: dot    2-d 1-d: mv    1-d 2-d: mm of a row, squeeze_    2-d 2-d: mm
 *     n-d with 1-d or 2-d (either side): the n-d operand folded into a matrix, mm or mv, unfolded;
 *         a smaller left operand goes through transposes. Not folded: a 3-d operand whose last two
 *         dims are transposed in memory, times a matrix
 *     otherwise: batches broadcast by expand + reshape, one bmm, reshaped back
 *
 * The results are never views (PyTorch: _unsafe_view); the result of 1-d 2-d has version 1. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

static Tensor *unsafe_view(Emit *e, Tensor *a, const int64_t *size, int ndim) {
    if (!a || sizes_equal(a->size, a->ndim, size, ndim)) {
        return a;
    }
    return emit_op(e, OP__reshape_copy, 2, a, size, ndim);
}

static bool should_fold(const Tensor *big, int other_ndim) {
    if (big->ndim < 3 || (other_ndim != 1 && other_ndim != 2)) {
        return false;
    }
    bool transposed = big->stride[2] != 1 && big->stride[0] == big->size[1] * big->size[2];
    return !(big->ndim == 3 && other_ndim == 2 && transposed);
}

/* big (n-d) @ other (1-d or 2-d), with the batch dims folded into rows. */
static Tensor *fold(Emit *e, Tensor *big, Tensor *other) {
    int64_t size[MAX_DIMS], rows = 1, inner = big->size[big->ndim - 1];
    int n = big->ndim - 1;
    for (int d = 0; d < n; d++) {
        size[d] = big->size[d];
        rows *= size[d];
    }
    Tensor *folded = emit_reshape(e, big, (int64_t[]){rows, inner}, 2);
    if (other->ndim == 1) {
        return unsafe_view(e, emit_binary(e, OP_mv, folded, other), size, n);
    }
    size[n] = other->size[1];
    return unsafe_view(e, emit_mm(e, folded, other), size, n + 1);
}

/* `t` (2-d or more) with its batch dims expanded to `batch` and folded into one dim of size
 * `product`. */
static Tensor *batched(Emit *e, Tensor *t, const int64_t *batch, int nbatch, int64_t product) {
    int64_t size[MAX_DIMS];
    int n = nbatch;
    for (int d = 0; d < nbatch; d++) {
        size[d] = batch[d];
    }
    int64_t rows = size[n++] = t->size[t->ndim - 2];
    int64_t columns = size[n++] = t->size[t->ndim - 1];
    Tensor *wide = emit_op(e, OP_expand, 2, t, size, n);
    return emit_op(e, OP_reshape, 2, wide, (int64_t[]){product, rows, columns}, 3);
}

/* One bmm over the broadcast batch dims of two operands with 2 or more dims (vectors are always
 * folded). */
static Tensor *batch_product(Emit *e, Tensor *a, Tensor *b) {
    int64_t size[MAX_DIMS], product;
    int n = a->ndim - 2;
    for (int d = 0; d < n; d++) {
        size[d] = a->size[d];
    }
    if (broadcast_into(size, &n, b->size, b->ndim - 2, e->err) != ERR_none) {
        return NULL;
    }
    if (!sizes_numel(size, n, &product)) {
        error_set(e->err, ERR_limit, "a batch size overflows");
        return NULL;
    }
    Tensor *left = batched(e, a, size, n, product);
    Tensor *right = batched(e, b, size, n, product);
    Tensor *c = emit_binary(e, OP_bmm, left, right);
    size[n++] = a->size[a->ndim - 2];
    size[n++] = b->size[b->ndim - 1];
    return unsafe_view(e, c, size, n);
}

static Tensor *matmul(Emit *e, Tensor *a, Tensor *b) {
    if (a->ndim == 1 && b->ndim == 1) {
        return emit_binary(e, OP_dot, a, b);
    }
    if (a->ndim == 2 && b->ndim == 1) {
        return emit_binary(e, OP_mv, a, b);
    }
    if (a->ndim == 1 && b->ndim == 2) {
        return emit_op(e, OP_squeeze__dim, 2, emit_mm(e, emit_unsqueeze(e, a, 0), b), (int64_t)0);
    }
    if (a->ndim == 2 && b->ndim == 2) {
        return emit_mm(e, a, b);
    }
    if (should_fold(a, b->ndim)) {
        return fold(e, a, b);
    }
    if (should_fold(b, a->ndim)) {
        Tensor *c = emit_transpose(e, b, -2, -1);
        if (a->ndim == 1) {
            return c ? fold(e, c, a) : NULL;
        }
        Tensor *at = emit_unary(e, OP_t, a);
        c = c && at ? emit_transpose(e, fold(e, c, at), -2, -1) : NULL;
        return emit_unary(e, OP_contiguous, c);
    }
    return batch_product(e, a, b);
}

/* matmul: the cases above */
ErrCode decompose_matmul(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor;
    if (a->ndim == 0 || b->ndim == 0) {
        return error_set(e->err, ERR_shape, "both arguments to matmul need to be at least 1D");
    }
    out[0] = matmul(e, a, b);
    *nout = out[0] != NULL;
    return e->err->code;
}

/* Is addmm used for an input that is not a matrix (linear in aten/src/ATen/native/Linear.cpp)? */
static bool folds_into_addmm(const Tensor *input, const Tensor *bias) {
    if (!bias || input->ndim == 2 || !tensor_is_contiguous(input)) {
        return false;
    }
    int wide = 0; /* dims that squeeze would keep */
    for (int d = 0; d < bias->ndim; d++) {
        wide += bias->size[d] != 1;
    }
    bool vector = bias->ndim == 1 || (since(linear_squeezes_bias) && wide == 1);
    return since(linear_folds) ? vector || (input->ndim == 3 && !since(linear_squeezes_bias))
                               : input->ndim == 3;
}

/* linear: addmm(bias, input, t(weight)) for a matrix, or a contiguous input folded into one, else
 * matmul(input, t(weight)), then add_(bias) */
ErrCode decompose_linear(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *weight = call->arg[1].tensor,
           *bias = call->arg[2].none ? NULL : call->arg[2].tensor;
    if (input->ndim == 0 || weight->ndim == 0) {
        return error_set(e->err, ERR_shape, "both arguments to linear need to be at least 1D");
    }
    Tensor *turned = emit_unary(e, OP_t, weight), *result;
    if (bias && input->ndim == 2) {
        result = emit_op(e, OP_addmm, 3, bias, input, turned);
    } else if (folds_into_addmm(input, bias)) {
        int64_t size[MAX_DIMS], rows = 1;
        int last = input->ndim - 1;
        for (int d = 0; d < last; d++) {
            size[d] = input->size[d];
            rows *= size[d];
        }
        Tensor *folded = emit_view(e, input, (int64_t[]){rows, input->size[last]}, 2);
        result = emit_op(e, OP_addmm, 3, bias, folded, turned);
        size[last] = result ? result->size[1] : 0;
        result = since(linear_is_no_view) ? unsafe_view(e, result, size, last + 1)
                                          : emit_view(e, result, size, last + 1);
    } else {
        result = emit_binary(e, OP_matmul, input, turned);
        result = bias ? emit_op(e, OP_add__Tensor, 2, result, bias) : result;
    }
    out[0] = result;
    *nout = result != NULL;
    return e->err->code;
}
