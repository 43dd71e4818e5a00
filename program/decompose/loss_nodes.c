/* Losses that are one node in PyTorch, whose value is written in other ops: the value is computed
 * from operands without their histories, and an op of its own (_NAME, which copies it) has the
 * loss's derivative (aten/src/ATen/native/Loss.cpp, tools/autograd/derivatives.yaml). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

/* A known reduction? PyTorch asserts it. */
static ErrCode check_reduction(Emit *e, int64_t reduction) {
    return reduction >= 0 && reduction <= 2
               ? ERR_none
               : error_set(e->err, ERR_invalid, "reduction %lld is none of 0, 1, 2",
                           (long long)reduction);
}

static Tensor *loss_nodes_reduced(Emit *e, Tensor *loss, int64_t reduction) {
    return reduction == 1   ? emit_unary(e, OP_mean, loss)
           : reduction == 2 ? emit_unary(e, OP_sum, loss)
                            : loss;
}

/* `t` in the layout of empty_like(like), unless it is larger. */
static Tensor *laid_out_as(Emit *e, Tensor *t, Tensor *like) {
    bool same = t && tensor_same_size(t, like);
    Tensor *empty = same ? emit_unary(e, OP_zeros_like, like) : NULL;
    return !empty || sizes_equal(empty->stride, empty->ndim, t->stride, t->ndim)
               ? t
               : emit_binary(e, OP_copy, empty, t);
}

ErrCode decompose_smooth_l1_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    int64_t reduction = call->arg[2].i;
    double beta = call->arg[3].f;
    TRY(node_read_histories(e, call, 2));
    if (!(beta >= 0)) {
        return error_set(e->err, ERR_invalid,
                         "smooth_l1_loss does not support negative values for beta.");
    }
    TRY(check_reduction(e, reduction));
    Tensor *x = node_operand(e, self), *y = node_operand(e, target);
    Tensor *loss = emit_op(e, OP__smooth_l1, 3, x, y, scalar_float(beta));
    return node_answer(e,
                       emit_op(e, OP__smooth_l1_loss, 5, self, target,
                               loss_nodes_reduced(e, loss, reduction), reduction, beta),
                       out, nout);
}

ErrCode decompose_huber_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    int64_t reduction = call->arg[2].i;
    double delta = call->arg[3].f;
    TRY(node_read_histories(e, call, 2));
    if (!(delta > 0)) {
        return error_set(e->err, ERR_invalid,
                         "huber_loss does not support non-positive values for delta.");
    }
    Tensor *x = node_operand(e, self), *y = node_operand(e, target);
    Tensor *loss = emit_op(e, OP__huber, 3, x, y, scalar_float(delta));
    if (!dtype_is_float(self->dtype)) {
        return error_set(e->err, ERR_dtype,
                         "result type %s can't be cast to the desired output type %s",
                         loss ? dtype_name(loss->dtype) : "", dtype_name(self->dtype));
    }
    loss = laid_out_as(e, emit_cast(e, loss, self->dtype), x);
    return node_answer(e,
                       emit_op(e, OP__huber_loss, 5, self, target,
                               loss_nodes_reduced(e, loss, reduction), reduction, delta),
                       out, nout);
}

/* soft_margin_loss: log(1 + exp(-self * target)), in self's layout, size and dtype */
ErrCode decompose_soft_margin_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    int64_t reduction = call->arg[2].i;
    TRY(node_refuse_history(e, call, 1, call->op->name));
    TRY(node_read_histories(e, call, 1));
    Tensor *loss = emit_neg(e, node_operand(e, self));
    loss = emit_op(e, OP_mul__Tensor, 2, loss, target);
    loss = emit_op(e, OP_exp_, 1, loss);
    loss = emit_op(e, OP_log1p_, 1, loss);
    return node_answer(e,
                       emit_op(e, OP__soft_margin_loss, 4, self, target,
                               loss_nodes_reduced(e, loss, reduction), reduction),
                       out, nout);
}

/* binary_cross_entropy's loop runs over both operands without their dims of size 1. */
static ErrCode check_squeezed(const Tensor *self, const Tensor *target, Error *err) {
    const Tensor *t[2] = {self, target};
    int64_t size[2][MAX_DIMS];
    int ndim[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < t[k]->ndim; d++) {
            if (t[k]->size[d] != 1) {
                size[k][ndim[k]++] = t[k]->size[d];
            }
        }
    }
    TRY(broadcast_into(size[0], &ndim[0], size[1], ndim[1], err));
    return tensor_same_size(self, target)
               ? ERR_none
               : error_set(err, ERR_unsupported,
                           "binary_cross_entropy of operands of two sizes, which PyTorch resizes");
}

ErrCode decompose_binary_cross_entropy(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
           *weight = node_optional(&call->arg[2]);
    int64_t reduction = call->arg[3].i;
    TRY(node_refuse_history(e, call, 2, call->op->name));
    TRY(node_read_histories(e, call, 2));
    TRY(check_squeezed(self, target, e->err));
    if (self->dtype != target->dtype) {
        return error_set(e->err, ERR_dtype, "Found dtype %s but expected %s",
                         dtype_name(target->dtype), dtype_name(self->dtype));
    }
    Tensor *x = node_operand(e, self), *y = node_operand(e, target);
    Tensor *loss = laid_out_as(e, emit_binary(e, OP__bce, x, y), x);
    loss = weight ? emit_op(e, OP_mul__Tensor, 2, loss, weight) : loss;
    return node_answer(e,
                       emit_op(e, OP__binary_cross_entropy, 5, self, target, weight,
                               loss_nodes_reduced(e, loss, reduction), reduction),
                       out, nout);
}

/* binary_cross_entropy_with_logits: (1 - target) * self - log_sigmoid(self) * (1 + (pos_weight - 1)
 * * target), each product in place */
ErrCode decompose_binary_cross_entropy_with_logits(Emit *e, const Call *call, Tensor **out,
                                                   int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
           *weight = node_optional(&call->arg[2]), *positive = node_optional(&call->arg[3]);
    int64_t reduction = call->arg[4].i;
    TRY(node_refuse_history(e, call, 2, call->op->name));
    TRY(node_refuse_history(e, call, 3, call->op->name));
    TRY(node_read_histories(e, call, 2));
    Tensor *x = node_operand(e, self), *y = node_operand(e, target);
    Tensor *likely = emit_unary(e, OP_log_sigmoid, x);
    if (positive) {
        Tensor *factor = emit_mul(e, emit_scalar(e, OP_sub_Scalar, positive, scalar_int(1)), y);
        factor = emit_op(e, OP_add__Scalar, 2, factor, scalar_int(1));
        likely = emit_op(e, OP_mul__Tensor, 2, likely, factor);
    }
    Tensor *loss = emit_scalar(e, OP_rsub_Scalar, y, scalar_int(1));
    loss = emit_op(e, OP_mul__Tensor, 2, loss, x);
    loss = emit_op(e, OP_sub__Tensor, 2, loss, likely);
    loss = weight ? emit_op(e, OP_mul__Tensor, 2, loss, weight) : loss;
    return node_answer(e,
                       emit_op(e, OP__binary_cross_entropy_with_logits, 6, self, target, weight,
                               positive, loss_nodes_reduced(e, loss, reduction), reduction),
                       out, nout);
}
