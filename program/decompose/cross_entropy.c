/* cross_entropy_loss and nll_loss of more than two dims (aten/src/ATen/native/LossNLL.cpp). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

static Tensor *log_probabilities(Emit *e, Tensor *self) {
    Call c = call_new(OP_log_softmax);
    c.arg[0].tensor = self;
    c.arg[1].i = self->ndim == 1 ? 0 : 1;
    c.arg[2].none = false;
    c.arg[2].dtype = self->dtype;
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(e, &c, out, &n) == ERR_none ? out[0] : NULL;
}

/* nll_loss2d: one node; [batch, classes, height, width] and [batch, height, width] */
static Tensor *planes_loss(Emit *e, Tensor *self, Tensor *target, Tensor *weight, int64_t reduction,
                           int64_t ignored) {
    if (!self || !target) {
        return NULL;
    }
    if (weight && e->records && e->records(e, weight)) {
        error_set(
            e->err, ERR_invalid,
            "The function 'nll_loss2d_forward' is not differentiable with respect to argument "
            "'weight'");
        return NULL;
    }
    if (emit_read_history(e, self) != ERR_none) {
        return NULL;
    }
    if (target->ndim != 3 || self->ndim != 4) {
        error_set(
            e->err, ERR_invalid,
            "only batches of spatial targets (3D) and inputs (4D) supported, but got %dD and %dD",
            target->ndim, self->ndim);
        return NULL;
    }
    return emit_op(e, OP__nll_loss, 5, self, target, weight, reduction, ignored);
}

ErrCode decompose_nll_loss2d(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *loss =
        planes_loss(e, arg[0].tensor, arg[1].tensor, node_optional(&arg[2]), arg[3].i, arg[4].i);
    return node_answer(e, loss, out, nout);
}

/* nll_loss_nd: of any dims but two as nll_loss2d of [batch, classes, 1, rest] */
static Tensor *negative_likelihood(Emit *e, Tensor *self, Tensor *target, Tensor *weight,
                                   int64_t reduction, int64_t ignored) {
    if (!self) {
        return NULL;
    }
    if (self->ndim < 1) {
        error_set(e->err, ERR_invalid, "Expected 1 or more dimensions (got 0)");
        return NULL;
    }
    int64_t batch = target->ndim > 0 ? target->size[0] : 0;
    if (self->ndim != 1 && self->size[0] != batch) {
        error_set(e->err, ERR_invalid,
                  "Expected input batch_size (%lld) to match target batch_size (%lld).",
                  (long long)self->size[0], (long long)batch);
        return NULL;
    }
    if (self->ndim <= 2) {
        return emit_op(e, OP_nll_loss, 5, self, target, weight, reduction, ignored);
    }
    if (self->ndim == 4) {
        return planes_loss(e, self, target, weight, reduction, ignored);
    }
    if (target->ndim < 1 ||
        !sizes_equal(target->size + 1, target->ndim - 1, self->size + 2, self->ndim - 2)) {
        error_set(e->err, ERR_invalid, "Expected target size of the input's sizes without classes");
        return NULL;
    }
    int64_t n = self->size[0], plane[4] = {n, self->size[1], 1, -1}, line[3] = {n, 1, -1};
    if (tensor_numel(self) == 0) {
        plane[2] = plane[3] = 0;
    }
    if (tensor_numel(target) == 0) {
        line[1] = line[2] = 0;
    }
    Tensor *wide = emit_view(e, emit_unary(e, OP_contiguous, self), plane, 4);
    Tensor *flat = emit_view(e, emit_unary(e, OP_contiguous, target), line, 3);
    Tensor *loss = wide && flat ? planes_loss(e, wide, flat, weight, reduction, ignored) : NULL;
    return reduction != 0 ? loss : emit_view(e, loss, target->size, target->ndim);
}

ErrCode decompose_nll_loss_nd(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *loss = negative_likelihood(e, arg[0].tensor, arg[1].tensor, node_optional(&arg[2]),
                                       arg[3].i, arg[4].i);
    return node_answer(e, loss, out, nout);
}

/* weight along the classes of `like` */
static Tensor *along_classes(Emit *e, Tensor *weight, const Tensor *like) {
    int64_t size[MAX_DIMS];
    if (like->ndim <= 1) {
        return weight;
    }
    for (int d = 0; d < like->ndim; d++) {
        size[d] = d == 1 ? weight->size[0] : 1;
    }
    return emit_view(e, weight, size, like->ndim);
}

static Tensor *sum_classes(Emit *e, Tensor *t) {
    int64_t dim = t && t->ndim > 1 ? 1 : 0;
    return emit_sum_dims(e, t, &dim, 1, false);
}

static ErrCode check_class_reduction(Emit *e, int64_t reduction) {
    return reduction >= 0 && reduction <= 2
               ? ERR_none
               : error_set(e->err, ERR_invalid,
                           "Invalid reduction type encountered in cross_entropy: %lld",
                           (long long)reduction);
}

static ErrCode check_smoothing(Emit *e, double smoothing) {
    return smoothing <= 1
               ? ERR_none
               : error_set(e->err, ERR_invalid,
                           "label_smoothing must be between 0.0 and 1.0. Got: %g", smoothing);
}

/* Class probabilities: -sum(log_softmax(self) * target * weight), for a mean divided by the number
 * of samples */
static Tensor *probability_loss(Emit *e, const Call *call) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
           *weight = node_optional(&call->arg[2]);
    double smoothing = call->arg[5].f;
    int64_t reduction = call->arg[3].i;
    if (self->ndim == 0) {
        error_set(e->err, ERR_index_range, "Dimension specified as 1 but tensor has no dimensions");
        return NULL;
    }
    int64_t classes = self->size[self->ndim == 1 ? 0 : 1];
    if (weight && (weight->ndim != 1 || weight->size[0] != classes)) {
        error_set(
            e->err, ERR_invalid,
            "cross_entropy: weight tensor should be defined either for all %lld classes or no "
            "classes",
            (long long)classes);
        return NULL;
    }
    Tensor *input = log_probabilities(e, self);
    if (smoothing > 0) {
        if (check_smoothing(e, smoothing) != ERR_none) {
            return NULL;
        }
        target = emit_scalar(e, OP_mul_Scalar, target, scalar_float(1 - smoothing));
        target = emit_scalar(e, OP_add_Scalar, target, scalar_float(smoothing / (double)classes));
    }
    Tensor *spread = weight ? along_classes(e, weight, self) : NULL;
    Tensor *product = emit_mul(e, input, target);
    product = spread ? emit_mul(e, product, spread) : product;
    if (check_class_reduction(e, reduction) != ERR_none) {
        return NULL;
    }
    if (reduction == 0) {
        return emit_neg(e, sum_classes(e, product));
    }
    Tensor *loss = emit_neg(e, emit_unary(e, OP_sum, product));
    if (reduction != 1 || !loss) {
        return loss;
    }
    if (tensor_numel(self) == 0) {
        return emit_op(e, OP_fill__Scalar, 2, loss, scalar_float(NAN));
    }
    return emit_scalar(e, OP_div_Scalar, loss, scalar_int(tensor_numel(self) / classes));
}

/* Classes, with label_smoothing: (1 - smoothing) * nll_loss + smoothing / classes * the mean over
 * all classes */
static Tensor *smoothed_loss(Emit *e, const Call *call) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor,
           *weight = node_optional(&call->arg[2]);
    int64_t reduction = call->arg[3].i, ignored = call->arg[4].i;
    double smoothing = call->arg[5].f;
    Tensor *input = log_probabilities(e, self);
    Tensor *likelihood = negative_likelihood(e, input, target, weight, reduction, ignored);
    if (!likelihood) {
        return NULL;
    }
    Tensor *smooth = input;
    if (weight && weight->ndim == 0) { /* nll_loss2d takes it for one class */
        error_set(e->err, ERR_index_range, "Dimension specified as 0 but tensor has no dimensions");
        return NULL;
    }
    if (weight) {
        smooth = emit_mul(e, input, along_classes(e, weight, input));
    }
    smooth = emit_neg(e, sum_classes(e, smooth));
    Tensor *mask = emit_scalar(e, OP_eq_Scalar, target, scalar_int(ignored));
    smooth = emit_op(e, OP_masked_fill__Scalar, 3, smooth, mask, scalar_float(0));
    Tensor *answer = smooth;
    if (reduction == 1 && weight) {
        Tensor *known = emit_masked_fill(e, target, mask, scalar_int(0));
        Tensor *each =
            emit_op(e, OP_gather, 3, weight, (int64_t)0, emit_unary(e, OP_flatten, known));
        each = emit_op(e, OP_masked_fill__Scalar, 3, each, emit_unary(e, OP_flatten, mask),
                       scalar_int(0));
        Tensor *total = emit_unary(e, OP_sum, each);
        answer = emit_div(e, emit_unary(e, OP_sum, smooth), total);
    } else if (reduction == 1) {
        Tensor *total = emit_unary(e, OP_sum, emit_unary(e, OP_bitwise_not, mask));
        answer = emit_div(e, emit_unary(e, OP_sum, smooth), total);
    } else if (reduction == 2) {
        answer = emit_unary(e, OP_sum, smooth);
    }
    if (check_class_reduction(e, reduction) != ERR_none) {
        return NULL;
    }
    double classes = (double)input->size[input->ndim == 1 ? 0 : 1];
    answer = emit_scalar(e, OP_mul_Scalar, answer, scalar_float(smoothing / classes));
    likelihood = emit_scalar(e, OP_mul_Scalar, likelihood, scalar_float(1 - smoothing));
    return emit_add(e, likelihood, answer);
}

ErrCode decompose_cross_entropy_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    double smoothing = call->arg[5].f;
    Tensor *loss;
    if (tensor_same_size(self, target)) {
        if (!dtype_is_float(target->dtype)) {
            return error_set(e->err, ERR_invalid,
                             "Expected floating point type for target with class probabilities");
        }
        if (call->arg[4].i >= 0) {
            return error_set(e->err, ERR_invalid,
                             "ignore_index is not supported for floating point target");
        }
        loss = probability_loss(e, call);
    } else if (smoothing > 0) {
        TRY(check_smoothing(e, smoothing));
        loss = smoothed_loss(e, call);
    } else {
        Tensor *input = log_probabilities(e, call->arg[0].tensor);
        loss = negative_likelihood(e, input, call->arg[1].tensor, node_optional(&call->arg[2]),
                                   call->arg[3].i, call->arg[4].i);
    }
    return node_answer(e, loss, out, nout);
}
