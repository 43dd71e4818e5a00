/* Distances and similarities, and losses of them (aten/src/ATen/native/Distance.cpp,
 * Loss.cpp). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

#include <math.h>
#include <string.h>

static Tensor *reduced_pairs(Emit *e, Tensor *loss, int64_t reduction) {
    return reduction == 1   ? emit_unary(e, OP_mean, loss)
           : reduction == 2 ? emit_unary(e, OP_sum, loss)
                            : loss;
}

/* norm(a - b + eps, p) over the last dim */
static Tensor *distance(Emit *e, Tensor *a, Tensor *b, double p, double eps, bool keepdim) {
    int64_t dim = (a->ndim > b->ndim ? a->ndim : b->ndim) - 1;
    Tensor *apart = emit_scalar(e, OP_add_Scalar, emit_sub(e, a, b), scalar_float(eps));
    return emit_op(e, OP_norm_dim, 4, apart, scalar_float(p), &dim, 1, (int)keepdim);
}

ErrCode decompose_pairwise_distance(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    return node_answer(e, distance(e, arg[0].tensor, arg[1].tensor, arg[2].f, arg[3].f, arg[4].b),
                       out, nout);
}

/* triplet_margin_loss: max(0, margin + |anchor - positive| - |anchor - negative|); swap: the nearer
 * of anchor and positive counts */
ErrCode decompose_triplet_margin_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *anchor = arg[0].tensor, *positive = arg[1].tensor, *negative = arg[2].tensor;
    double margin = arg[3].f, p = arg[4].f, eps = arg[5].f;
    if (anchor->ndim != positive->ndim || positive->ndim != negative->ndim) {
        return error_set(e->err, ERR_invalid,
                         "The anchor, positive, and negative tensors are expected to have the same "
                         "number of dimensions, but got: anchor %dD, positive %dD, negative %dD",
                         anchor->ndim, positive->ndim, negative->ndim);
    }
    Tensor *near = distance(e, anchor, positive, p, eps, false);
    Tensor *far = distance(e, anchor, negative, p, eps, false);
    if (arg[6].b) {
        Tensor *swapped = distance(e, positive, negative, p, eps, false);
        far = emit_binary(e, OP_min_other, far, swapped);
    }
    Tensor *raised = emit_scalar(e, OP_add_Scalar, near, scalar_float(margin));
    Tensor *loss = emit_scalar(e, OP_clamp_min, emit_sub(e, raised, far), scalar_int(0));
    return node_answer(e, reduced_pairs(e, loss, arg[7].i), out, nout);
}

/* cosine_embedding_loss: with the cosine c of both, 1 - c where target is 1, max(0, c - margin)
 * where it is -1 */
ErrCode decompose_cosine_embedding_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *a = arg[0].tensor, *b = arg[1].tensor, *target = arg[2].tensor;
    Scalar eps = scalar_float(1e-12F);
    if (target->ndim > 1) {
        return error_set(e->err, ERR_invalid,
                         "0D or 1D target tensor expected, multi-target not supported");
    }
    if (a->ndim != target->ndim + 1 || b->ndim != a->ndim) {
        return error_set(e->err, ERR_invalid,
                         "%dD target tensor expects %dD input tensors, but found inputs of %d dims",
                         target->ndim, target->ndim + 1, a->ndim);
    }
    int64_t dim = target->ndim;
    Tensor *product = emit_sum_dims(e, emit_mul(e, a, b), &dim, 1, false);
    Tensor *square_a = emit_sum_dims(e, emit_mul(e, a, a), &dim, 1, false);
    square_a = emit_scalar(e, OP_add_Scalar, square_a, eps);
    Tensor *square_b = emit_sum_dims(e, emit_mul(e, b, b), &dim, 1, false);
    square_b = emit_scalar(e, OP_add_Scalar, square_b, eps);
    Tensor *length = emit_op(e, OP_sqrt_, 1, emit_mul(e, square_a, square_b));
    Tensor *cosine = emit_div(e, product, length);
    Tensor *zeros = cosine ? emit_zeros_like(e, cosine) : NULL;
    Tensor *like = emit_scalar(e, OP_rsub_Scalar, cosine, scalar_int(1));
    Tensor *unlike = emit_scalar(e, OP_sub_Scalar, cosine, scalar_float(arg[3].f));
    unlike = emit_op(e, OP_clamp_min_, 2, unlike, scalar_int(0));
    like = emit_where(e, emit_scalar(e, OP_eq_Scalar, target, scalar_int(1)), like, zeros);
    unlike = emit_where(e, emit_scalar(e, OP_eq_Scalar, target, scalar_int(-1)), unlike, zeros);
    return node_answer(e, reduced_pairs(e, emit_add(e, like, unlike), arg[4].i), out, nout);
}

/* The norm along `dim`, raised to eps without a record of that. */
static Tensor *raised_norm(Emit *e, Tensor *t, int64_t dim) {
    Tensor *norm = emit_op(e, OP_norm_dim, 4, t, scalar_float(2), &dim, 1, 1);
    return emit_unary(e, OP_clone, norm);
}

static void raise_norm(Emit *e, Tensor *norm, double eps) {
    Tensor *data = norm ? emit_unary(e, OP_detach, norm) : NULL;
    if (data) {
        (void)emit_op(e, OP_clamp_min_, 2, data, scalar_float(eps));
    }
}

/* cosine_similarity: sum(x1 / |x1| * (x2 / |x2|)) along dim */
ErrCode decompose_cosine_similarity(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *x[2] = {arg[0].tensor, arg[1].tensor}, *norm[2];
    int64_t dim = arg[2].i, size[MAX_DIMS];
    if (!(arg[3].f >= 0)) {
        return error_set(e->err, ERR_invalid, "eps must be non-negative, got: %g", arg[3].f);
    }
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, x[0]->dtype, x[0]->ndim);
    promotion_tensor(&p, x[1]->dtype, x[1]->ndim);
    DType common = promotion_result(&p);
    if (!dtype_is_float(common)) {
        return error_set(e->err, ERR_dtype,
                         "expected common dtype to be floating point, yet common dtype is %s",
                         dtype_name(common));
    }
    int ndim = x[0]->ndim;
    for (int d = 0; d < ndim; d++) {
        size[d] = x[0]->size[d];
    }
    TRY(broadcast_into(size, &ndim, x[1]->size, x[1]->ndim, e->err));
    for (int k = 0; k < 2; k++) {
        x[k] = dtype_is_float(x[k]->dtype) ? x[k] : emit_cast(e, x[k], common);
    }
    for (int k = 0; k < 2; k++) {
        x[k] = emit_expand(e, x[k], size, ndim);
    }
    for (int k = 0; k < 2; k++) {
        norm[k] = raised_norm(e, x[k], dim);
    }
    for (int k = 0; k < 2; k++) {
        raise_norm(e, norm[k], arg[3].f);
    }
    Tensor *right = emit_div(e, x[1], norm[1]);
    Tensor *left = emit_div(e, x[0], norm[0]);
    return node_answer(e, emit_sum_dims(e, emit_mul(e, left, right), &dim, 1, false), out, nout);
}

/* ---- cdist and pdist: the norms of the differences of rows (aten/src/ATen/native/Distance.cpp).
 * Each is one node in PyTorch, but for Euclidean distances of many rows, which are products of
 * matrices.
 * ---- */

/* The norm of each row of `apart`, over the last dim. A nan is ignored by the largest element if
 * `skips_nan`. */
static Tensor *row_norms(Emit *e, Tensor *apart, double p, bool skips_nan) {
    int64_t dim = apart ? apart->ndim - 1 : 0;
    if (p == 0) { /* how many differ, unless one of them is nan */
        Tensor *differs = emit_unary(e, OP_ceil, emit_unary(e, OP_abs, apart));
        return emit_sum_dims(e, emit_scalar(e, OP_clamp_max, differs, scalar_int(1)), &dim, 1,
                             false);
    }
    if (isinf(p) && skips_nan) {
        Tensor *nans = emit_unary(e, OP_isnan, apart);
        apart = nans ? emit_masked_fill(e, apart, nans, scalar_int(0)) : NULL;
    }
    return apart ? emit_op(e, OP_norm_dim, 4, apart, scalar_float(p), &dim, 1, 0) : NULL;
}

static ErrCode refuse_halves(const Tensor *t, const char *name, Error *err) {
    return dtype_bytes(t->dtype) < 4 ? error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'",
                                                 name, dtype_name(t->dtype))
                                     : ERR_none;
}

/* ---- cdist ---- */

static ErrCode check_cdist(const Call *call, int64_t mode, Error *err) {
    for (int k = 0; k < 2; k++) {
        if (call->arg[k].tensor->ndim < 2) {
            return error_set(err, ERR_invalid,
                             "cdist only supports at least 2D tensors, X%d got: %dD", k + 1,
                             call->arg[k].tensor->ndim);
        }
    }
    const Tensor *x1 = call->arg[0].tensor, *x2 = call->arg[1].tensor;
    if (x1->size[x1->ndim - 1] != x2->size[x2->ndim - 1]) {
        return error_set(err, ERR_invalid,
                         "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
                         (long long)x1->size[x1->ndim - 1], (long long)x2->size[x2->ndim - 1]);
    }
    for (int k = 0; k < 2; k++) {
        if (!dtype_is_float(call->arg[k].tensor->dtype)) {
            return error_set(err, ERR_invalid,
                             "cdist only supports floating-point dtypes, X%d got: %s", k + 1,
                             dtype_name(call->arg[k].tensor->dtype));
        }
    }
    if (!(call->arg[2].f >= 0)) {
        return error_set(err, ERR_invalid, "cdist only supports non-negative p values");
    }
    return mode < 0 || mode > 2
               ? error_set(err, ERR_invalid, "possible modes: 0, 1, 2, but was: %lld",
                           (long long)mode)
               : ERR_none;
}

/* Matrices x1 [.., r1, c] and x2 [.., r2, c], with as many batches as both have together. */
typedef struct Sets {
    int ndim;               /* of the result */
    int64_t size[MAX_DIMS]; /* of the result: [.., r1, r2] */
    int64_t batches, r1, r2, c;
} Sets;

static ErrCode cdist_sets(const Tensor *x1, const Tensor *x2, Sets *s, Error *err) {
    int n = x1->ndim - 2;
    memcpy(s->size, x1->size, (size_t)n * sizeof *s->size);
    TRY(broadcast_into(s->size, &n, x2->size, x2->ndim - 2, err));
    s->r1 = x1->size[x1->ndim - 2];
    s->r2 = x2->size[x2->ndim - 2];
    s->c = x1->size[x1->ndim - 1];
    s->batches = 1;
    for (int d = 0; d < n; d++) {
        s->batches *= s->size[d];
    }
    s->ndim = n + 2;
    s->size[n] = s->r1;
    s->size[n + 1] = s->r2;
    return ERR_none;
}

/* One batch dim, in row-major memory. */
static Tensor *cdist_flat(Emit *e, Tensor *x, const Sets *s, int64_t rows) {
    int64_t size[MAX_DIMS], flat[3] = {s->batches, rows, s->c};
    memcpy(size, s->size, sizeof size);
    size[s->ndim - 2] = rows;
    size[s->ndim - 1] = s->c;
    x = emit_unary(e, OP_contiguous, emit_expand(e, x, size, s->ndim));
    return x ? emit_view(e, x, flat, 3) : NULL;
}

/* sqrt(|x1|^2 - 2 x1 x2 + |x2|^2), as one product */
static Tensor *euclidean(Emit *e, Tensor *x1, Tensor *x2) {
    int64_t last = -1;
    Tensor *x[2] = {node_operand(e, x1), node_operand(e, x2)}, *square[2], *one[2];
    for (int k = 0; k < 2; k++) {
        Tensor *power = x[k] ? emit_op(e, OP_pow_Tensor_Scalar, 2, x[k], scalar_int(2)) : NULL;
        square[k] = emit_sum_dims(e, power, &last, 1, true);
        one[k] = square[k] ? emit_full(e, square[k]->size, square[k]->ndim, scalar_int(1),
                                       square[k]->dtype)
                           : NULL;
    }
    if (e->err->code != ERR_none) {
        return NULL;
    }
    Tensor *left[3] = {emit_scalar(e, OP_mul_Scalar, x[0], scalar_int(-2)), square[0], one[0]};
    Tensor *right[3] = {x[1], one[1], square[1]};
    Tensor *a = emit_op(e, OP_cat, 2, left, 3, (int64_t)-1);
    Tensor *b = emit_op(e, OP_cat, 2, right, 3, (int64_t)-1);
    b = b ? emit_transpose(e, b, -2, -1) : NULL;
    Tensor *result = emit_scalar(e, OP_clamp_min, emit_binary(e, OP_matmul, a, b), scalar_int(0));
    result = emit_unary(e, OP_sqrt, result);
    return result ? emit_op(e, OP__euclidean_dist, 3, x1, x2, result) : NULL;
}

/* The distances as they are defined. */
static Tensor *plain_distances(Emit *e, Tensor *x1, Tensor *x2, const Sets *s, double p) {
    if (refuse_halves(x1, "cdist", e->err) != ERR_none) {
        return NULL;
    }
    if (x1->dtype != x2->dtype) {
        error_set(e->err, ERR_dtype, "expected scalar type %s but found %s", dtype_name(x1->dtype),
                  dtype_name(x2->dtype));
        return NULL;
    }
    Tensor *a = cdist_flat(e, node_operand(e, x1), s, s->r1),
           *b = cdist_flat(e, node_operand(e, x2), s, s->r2);
    a = emit_unsqueeze(e, a, 2);
    b = emit_unsqueeze(e, b, 1);
    Tensor *norms = row_norms(e, emit_sub(e, a, b), p, true);
    return norms ? emit_reshape(e, norms, s->size, s->ndim) : NULL;
}

ErrCode decompose_cdist(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *x1 = call->arg[0].tensor, *x2 = call->arg[1].tensor, *value;
    double p = call->arg[2].f;
    int64_t mode = call->arg[3].none ? 0 : call->arg[3].i;
    Sets s;
    *nout = 0;
    bool shaped =
        x1->ndim >= 2 && x2->ndim >= 2 && x1->size[x1->ndim - 1] == x2->size[x2->ndim - 1];
    int64_t r1 = shaped ? x1->size[x1->ndim - 2] : 0, r2 = shaped ? x2->size[x2->ndim - 2] : 0;
    bool product = p == 2 && (mode == 1 || (mode == 0 && (r1 > 25 || r2 > 25))) &&
                   tensor_numel(x1) > 0 && tensor_numel(x2) > 0;
    e->size_decisions += p == 2 && mode == 0;
    if (shaped && !product) { /* one node */
        TRY(node_read_histories(e, call, 2));
    }
    TRY(check_cdist(call, mode, e->err));
    TRY(cdist_sets(x1, x2, &s, e->err));
    TRY(sizes_fit(s.size, s.ndim, e->err));
    if (product) {
        Tensor *a = cdist_flat(e, x1, &s, s.r1);
        Tensor *b = cdist_flat(e, x2, &s, s.r2);
        value = s.batches == 1 ? euclidean(e, x1, x2) : a && b ? euclidean(e, a, b) : NULL;
        return node_answer(e, value ? emit_view(e, value, s.size, s.ndim) : NULL, out, nout);
    }
    value = s.r1 == 0 || s.r2 == 0 || s.batches == 0 || s.c == 0
                ? emit_full(e, s.size, s.ndim, scalar_int(0), x1->dtype)
                : plain_distances(e, x1, x2, &s, p);
    return node_answer(e, value ? emit_op(e, OP__cdist, 4, x1, x2, value, p) : NULL, out, nout);
}

/* ---- pdist ---- */

ErrCode decompose_pdist(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *value = NULL;
    double p = call->arg[1].f;
    *nout = 0;
    if (self->ndim != 2) {
        return error_set(e->err, ERR_invalid, "pdist only supports 2D tensors, got: %dD",
                         self->ndim);
    }
    if (!dtype_is_float(self->dtype)) {
        return error_set(e->err, ERR_invalid, "pdist only supports floating-point dtypes");
    }
    if (!(p >= 0)) {
        return error_set(e->err, ERR_invalid, "pdist only supports non-negative p values");
    }
    if (self->size[0] == 0 && e->records && e->records(e, self)) {
        return error_set(e->err, ERR_unsupported, "the backward of pdist of no rows");
    }
    self = emit_unary(e, OP_contiguous, self);
    TRY(emit_read_history(e, self));
    TRY(e->err->code);
    int64_t n = self->size[0], most = (int64_t)1 << 31;
    if (n >= most) {
        return error_set(e->err, ERR_limit, "pdist of %lld rows", (long long)n);
    }
    int64_t pairs = n > 1 ? n * (n - 1) / 2 : 0;
    if (pairs == 0 || self->size[1] == 0) {
        value = emit_full(e, &pairs, 1, scalar_int(0), self->dtype);
    } else {
        TRY(refuse_halves(self, "pdist", e->err));
        Tensor *x = node_operand(e, self), *row = emit_op(e, OP_triu_indices, 3, n, n, (int64_t)1);
        Tensor *first =
            row ? emit_op(e, OP_index_select, 3, x, (int64_t)0, emit_select(e, row, 0, 0)) : NULL;
        Tensor *second =
            row ? emit_op(e, OP_index_select, 3, x, (int64_t)0, emit_select(e, row, 0, 1)) : NULL;
        value = row_norms(e, emit_sub(e, first, second), p, false);
    }
    return node_answer(e, value ? emit_op(e, OP__pdist, 3, self, value, p) : NULL, out, nout);
}
