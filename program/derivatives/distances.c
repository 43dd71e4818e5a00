/* Derivatives of distances (aten/src/ATen/native/cpu/DistanceOpsKernel.cpp;
 * _euclidean_dist_backward in torch/csrc/autograd/FunctionsManual.cpp). */
#include "program/derivatives/derivatives.h"

#include <math.h>
#include <string.h>

/* The sign, but nan of nan. */
static Tensor *signs(Emit *e, Tensor *x) {
    Tensor *nans = emit_unary(e, OP_isnan, x);
    return nans ? emit_where(e, nans, x, emit_unary(e, OP_sign, x)) : NULL;
}

/* |x|^p, of 1 where x is 0. */
static Tensor *power_of_size(Emit *e, Tensor *x, Tensor *zero, double p) {
    Tensor *size = emit_unary(e, OP_abs, emit_masked_fill(e, x, zero, scalar_int(1)));
    return size ? emit_op(e, OP_pow_Tensor_Scalar, 2, size, scalar_float(p)) : NULL;
}

/* d norm / d apart, times grad: `apart` are differences along the last dim, of which `norm` are the
 * norms, with a last dim of size 1. Where the norm is 0 it is 0. */
static Tensor *through_norm(const Grad *g, Tensor *grad, Tensor *apart, Tensor *norm, double p) {
    Emit *e = g->e;
    if (!grad || !apart || !norm) {
        return NULL;
    }
    if (p == 1) {
        return emit_mul(e, grad, signs(e, apart));
    }
    if (isinf(p)) { /* where the difference is the largest one */
        Tensor *less = emit_unary(e, OP_abs, emit_sub(e, emit_unary(e, OP_abs, apart), norm));
        less = emit_scalar(e, OP_clamp_max, emit_unary(e, OP_ceil, less), scalar_int(1));
        less = emit_scalar(e, OP_rsub_Scalar, less, scalar_int(1));
        Tensor *whole = emit_mul(e, grad, signs(e, apart));
        return emit_mul(e, whole, less);
    }
    Tensor *none = emit_scalar(e, OP_eq_Scalar, norm, scalar_int(0)), *answer;
    Tensor *by = none ? emit_masked_fill(e, norm, none, scalar_int(1)) : NULL;
    if (p == 2) {
        answer = emit_div(e, emit_mul(e, grad, apart), by);
    } else {
        Tensor *same = emit_scalar(e, OP_eq_Scalar, apart, scalar_int(0));
        Tensor *power = power_of_size(e, apart, same, p < 2 ? p - 1 : p - 2);
        by = by ? emit_op(e, OP_pow_Tensor_Scalar, 2, by, scalar_float(p - 1)) : NULL;
        if (p > 2) {
            power = power && same ? emit_masked_fill(e, power, same, scalar_int(0)) : NULL;
        }
        answer = emit_mul(e, p < 2 ? signs(e, apart) : apart, power);
        answer = emit_div(e, emit_mul(e, answer, grad), by);
        if (p < 1) {
            answer = answer && same ? emit_masked_fill(e, answer, same, scalar_int(0)) : NULL;
        }
    }
    return answer && none ? emit_masked_fill(e, answer, none, scalar_int(0)) : NULL;
}

/* Before cdist_twice it has no derivative. */
static Tensor *distances_again(const Grad *g, Tensor *answer, Tensor *const *operand, int n) {
    for (int k = 0; k < n && !since(cdist_twice); k++) {
        answer = not_again(g, answer, operand[k]);
    }
    return answer;
}

static Tensor *distance_operand(const Grad *g, Tensor *t) {
    return since(cdist_twice) ? t : without_history(g, t);
}

/* Zeros with the size and the layout of x, whose derivatives with respect to the operands are
 * zeros. */
static Tensor *no_distance(const Grad *g, Tensor *x, Tensor *const *operand, int n) {
    Emit *e = g->e;
    Tensor *zeros = zeros_like(g, x);
    if (!e->create_graph || !since(cdist_twice)) {
        return zeros;
    }
    Tensor *sum = NULL, *never = emit_op(e, OP_zeros_like, 2, x, (int)DT_bool);
    for (int k = 0; k < n; k++) {
        Tensor *one = emit_unary(e, OP_sum, operand[k]);
        sum = sum ? emit_add(e, sum, one) : one;
    }
    return emit_where(e, never, sum, zeros);
}

enum { X1, X2, CDIST_VALUE, CDIST_P };

/* x [.., rows, c] as [batches, rows, c] of as many batches as the result has. */
static Tensor *with_batches(const Grad *g, Tensor *x, int64_t batches) {
    const Tensor *result = result_of(g);
    int n = result->ndim;
    int64_t size[MAX_DIMS], rows = x->size[x->ndim - 2], c = x->size[x->ndim - 1],
                            flat[3] = {batches, rows, c};
    memcpy(size, result->size, sizeof size);
    size[n - 2] = rows;
    size[n - 1] = c;
    x = emit_expand(g->e, distance_operand(g, x), size, n);
    return x ? emit_reshape(g->e, x, flat, 3) : NULL;
}

/* The gradient of all batches; the engine sums those that were expanded. */
static Tensor *unbatched(const Grad *g, Tensor *t, const Tensor *x) {
    const Tensor *result = result_of(g);
    int64_t size[MAX_DIMS];
    memcpy(size, result->size, sizeof size);
    size[result->ndim - 2] = x->size[x->ndim - 2];
    size[result->ndim - 1] = x->size[x->ndim - 1];
    return t ? emit_reshape(g->e, t, size, result->ndim) : NULL;
}

void grad_cdist(Grad *g) {
    Emit *e = g->e;
    Tensor *x[2] = {tensor_arg(g, X1), tensor_arg(g, X2)}, *grad = grad_of(g),
           *result = result_of(g), *operand[4] = {grad, x[0], x[1], result}, *term = NULL;
    double p = g->call->arg[CDIST_P].f;
    int n = result->ndim;
    int64_t r1 = result->size[n - 2], r2 = result->size[n - 1], batches = 1;
    for (int d = 0; d < n - 2; d++) {
        batches *= result->size[d];
    }
    bool none = p == 0 || r1 == 0 || r2 == 0 || batches == 0 || x[0]->size[x[0]->ndim - 1] == 0;
    if (!none) {
        int64_t flat[4] = {batches, r1, r2, 1};
        Tensor *a = emit_unsqueeze(e, with_batches(g, x[0], batches), 2),
               *b = emit_unsqueeze(e, with_batches(g, x[1], batches), 1),
               *norm = emit_reshape(e, distance_operand(g, result), flat, 4),
               *fed = emit_reshape(e, distance_operand(g, grad), flat, 4);
        term = through_norm(g, fed, emit_sub(e, a, b), norm, p);
    }
    for (int k = 0; k < 2; k++) {
        if (!wanted(g, k)) {
            continue;
        }
        Tensor *answer;
        if (none) {
            answer = no_distance(g, x[k], operand, 4);
            answer = p == 0 && answer ? emit_unary(e, OP_contiguous, answer) : answer;
        } else {
            int64_t dim = 2 - k;
            answer = emit_sum_dims(e, k == 0 ? term : emit_neg(e, term), &dim, 1, false);
            answer = unbatched(g, answer, x[k]);
        }
        give(g, k, distances_again(g, answer, operand, 4));
    }
}

/* ratio = grad / result, 0 where the result is; x1: x1 * sum(ratio) - ratio x2; x2 likewise */
void grad_euclidean_dist(Grad *g) {
    Emit *e = g->e;
    Tensor *x1 = tensor_arg(g, X1), *x2 = tensor_arg(g, X2), *result = result_of(g);
    Tensor *ratio = emit_div(e, grad_of(g), result);
    ratio = filled_with_zero(g, emit_scalar(e, OP_eq_Scalar, result, scalar_int(0)), ratio);
    int64_t last = -1, rows = -2;
    if (!ratio) {
        return;
    }
    if (wanted(g, X1)) {
        Tensor *own = emit_mul(e, x1, emit_sum_dims(e, ratio, &last, 1, true));
        give(g, X1, emit_sub(e, own, emit_binary(e, OP_matmul, ratio, x2)));
    }
    if (wanted(g, X2)) {
        Tensor *own = emit_unsqueeze(e, emit_sum_dims(e, ratio, &rows, 1, false), -1);
        own = emit_mul(e, x2, own);
        Tensor *turned = emit_transpose(e, ratio, -2, -1);
        give(g, X2, emit_sub(e, own, emit_binary(e, OP_matmul, turned, x1)));
    }
}

/* Each pair of rows gets the gradient of its distance, the second one with a minus. */
void grad_pdist(Grad *g) {
    Emit *e = g->e;
    Tensor *self = tensor_arg(g, 0), *grad = grad_of(g), *result = result_of(g),
           *operand[3] = {grad, self, result}, *answer;
    double p = g->call->arg[2].f;
    if (!wanted(g, 0)) {
        return;
    }
    if (dtype_bytes(self->dtype) < 4) {
        error_set(e->err, ERR_dtype, "\"pdist_backward\" not implemented for '%s'",
                  dtype_name(self->dtype));
        return;
    }
    int64_t n = self->size[0], pairs = tensor_numel(result);
    if (p == 0 || pairs == 0 || self->size[1] == 0) {
        answer = no_distance(g, self, operand, 3);
    } else {
        Tensor *row = emit_op(e, OP_triu_indices, 3, n, n, (int64_t)1);
        if (!row) {
            return;
        }
        Tensor *first = emit_select(e, row, 0, 0), *second = emit_select(e, row, 0, 1),
               *x = distance_operand(g, self);
        Tensor *a = emit_op(e, OP_index_select, 3, x, (int64_t)0, first);
        Tensor *b = emit_op(e, OP_index_select, 3, x, (int64_t)0, second);
        Tensor *apart = emit_sub(e, a, b);
        Tensor *norm = emit_unsqueeze(e, distance_operand(g, result), 1);
        Tensor *fed = emit_unsqueeze(e, distance_operand(g, grad), 1);
        Tensor *term = through_norm(g, fed, apart, norm, p);
        if (!term) {
            return;
        }
        answer = emit_full(e, self->size, 2, scalar_int(0), grad->dtype);
        answer = answer ? emit_op(e, OP_index_add, 4, answer, (int64_t)0, first, term) : NULL;
        answer = answer ? emit_op(e, OP_index_add, 4, answer, (int64_t)0, second, emit_neg(e, term))
                        : NULL;
    }
    give(g, 0, distances_again(g, answer, operand, 3));
}
