/* Distances and similarities of pairs, and losses of them (aten/src/ATen/native/Distance.cpp,
 * Loss.cpp). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

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
