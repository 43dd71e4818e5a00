/* matmul, with the same case distinction as at::matmul . The case determines which
 * operands are saved and whether a copy is made, so the cases are part of the semantics.
 *
 *     1-d 1-d: dot    2-d 1-d: mv    1-d 2-d: mm of a row, squeeze_    2-d 2-d: mm
 *     n-d with 1-d or 2-d (either side): the n-d operand folded into a matrix, mm or mv, unfolded;
 *         a smaller left operand goes through transposes. Not folded since 2.8: an operand that
 *         would be copied, if the smaller one is not recorded; in 1.13 a 3-d operand whose last two
 *         dims are transposed in memory, times a matrix
 *     two 3-d operands, one of a single matrix that is recorded: as with that matrix
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

/* Do the dims before the last one lie in memory as one dim? Since 2.15 those of size 1 do not
 * count. */
static bool rows_are_even(const Tensor *t) {
    int64_t next = -1;
    for (int d = t->ndim - 2; d >= 0; d--) {
        if (t->size[d] == 1 && semantics_now >= SEMANTICS_2_15) {
            continue;
        }
        if (next >= 0 && t->stride[d] != next) {
            return false;
        }
        next = t->stride[d] * t->size[d];
    }
    return true;
}

static bool matmul_records(Emit *e, const Tensor *t) { return e->records && e->records(e, t); }

/* Is `big` folded into a matrix, if it is the right operand after a transpose (should_fold in
 * aten/src/ATen/native/LinearAlgebra.cpp)? */
static bool should_fold(Emit *e, const Tensor *big, const Tensor *other, bool big_is_left) {
    if (big->ndim < 3 || other->ndim > 2) {
        return false;
    }
    if (!since(matmul_folds)) {
        bool transposed = big->stride[2] != 1 && big->stride[0] == big->size[1] * big->size[2];
        return !(big->ndim == 3 && other->ndim == 2 && transposed);
    }
    if (matmul_records(e, other)) {
        return true; /* or its gradient would be as large as the batch */
    }
    if (!big_is_left && other->ndim == 2) {
        return false; /* turning the result back would copy it */
    }
    Tensor t = *big;
    if (!big_is_left) {
        int last = t.ndim - 1;
        t.size[last] = big->size[last - 1];
        t.size[last - 1] = big->size[last];
        t.stride[last] = big->stride[last - 1];
        t.stride[last - 1] = big->stride[last];
    }
    return tensor_numel(big) == 0 || rows_are_even(&t);
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

/* `t` with its batch dims expanded to `batch` and folded into one dim of size `product`; a vector,
 * which is a row on the left and a column on the right, is expanded to it. */
static Tensor *batched(Emit *e, Tensor *t, const int64_t *batch, int nbatch, int64_t product,
                       bool left) {
    int64_t size[MAX_DIMS];
    int n = nbatch;
    for (int d = 0; d < nbatch; d++) {
        size[d] = batch[d];
    }
    int64_t columns = t->size[t->ndim - 1];
    if (t->ndim == 1 && !left) {
        size[n++] = columns;
        Tensor *wide = emit_op(e, OP_expand, 2, t, size, n);
        wide = emit_op(e, OP_reshape, 2, wide, (int64_t[]){product, columns}, 2);
        return emit_unsqueeze(e, wide, 2);
    }
    int64_t rows = size[n++] = t->ndim == 1 ? 1 : t->size[t->ndim - 2];
    size[n++] = columns;
    Tensor *wide = emit_op(e, OP_expand, 2, t, size, n);
    return emit_op(e, OP_reshape, 2, wide, (int64_t[]){product, rows, columns}, 3);
}

/* One bmm over the broadcast batch dims of two operands. */
static Tensor *batch_product(Emit *e, Tensor *a, Tensor *b) {
    int64_t size[MAX_DIMS], product;
    int n = a->ndim > 2 ? a->ndim - 2 : 0, nb = b->ndim > 2 ? b->ndim - 2 : 0;
    for (int d = 0; d < n; d++) {
        size[d] = a->size[d];
    }
    if (broadcast_into(size, &n, b->size, nb, e->err) != ERR_none) {
        return NULL;
    }
    if (!sizes_numel(size, n, &product)) {
        error_set(e->err, ERR_limit, "a batch size overflows");
        return NULL;
    }
    Tensor *left = batched(e, a, size, n, product, true);
    Tensor *right = batched(e, b, size, n, product, false);
    Tensor *c = emit_binary(e, OP_bmm, left, right);
    if (a->ndim > 1) {
        size[n++] = a->size[a->ndim - 2];
    }
    if (b->ndim > 1) {
        size[n++] = b->size[b->ndim - 1];
    } else {
        c = emit_op(e, OP_squeeze_dim, 2, c, (int64_t)-1); /* a view, which the result is not */
        return c ? emit_op(e, OP__reshape_copy, 2, c, size, n) : NULL;
    }
    return unsafe_view(e, c, size, n);
}

static Tensor *matmul(Emit *e, Tensor *a, Tensor *b) {
    if (!a || !b) {
        return NULL;
    }
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
    if (should_fold(e, a, b, true)) {
        return fold(e, a, b);
    }
    if (should_fold(e, b, a, false)) {
        Tensor *c = emit_transpose(e, b, -2, -1);
        if (a->ndim == 1) {
            return c ? fold(e, c, a) : NULL;
        }
        Tensor *at = emit_unary(e, OP_t, a);
        c = c && at ? emit_transpose(e, fold(e, c, at), -2, -1) : NULL;
        return emit_unary(e, OP_contiguous, c);
    }
    if (since(matmul_folds) && a->ndim == 3 && b->ndim == 3 && a->size[0] != b->size[0]) {
        if (a->size[0] == 1 && matmul_records(e, a)) {
            return matmul(e, emit_op(e, OP_squeeze_dim, 2, a, (int64_t)0), b);
        }
        if (b->size[0] == 1 && matmul_records(e, b)) {
            return matmul(e, a, emit_op(e, OP_squeeze_dim, 2, b, (int64_t)0));
        }
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
    if (!bias || input->ndim == 2 || !tensor_is_contiguous(input) ||
        (since(linear_squeezes_bias) && !tensor_is_contiguous(bias))) {
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
