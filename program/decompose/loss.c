/* nll_loss: the weight must not require grad while gradients are recorded (check_no_requires_grad
 * of nll_loss_forward). */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

#include <string.h>

ErrCode decompose_nll_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    if (!call->arg[2].none && e->records && e->records(e, call->arg[2].tensor)) {
        return error_set(e->err, ERR_invalid,
                         "The function 'nll_loss_forward' is not differentiable with respect to "
                         "argument 'weight'");
    }
    if (call->arg[0].tensor->ndim == 4) { /* that is nll_loss2d */
        TRY(emit_read_history(e, call->arg[0].tensor));
        return error_set(e->err, ERR_invalid, "input tensor should be 1D or 2D");
    }
    Call c;
    call_init(&c, OP__nll_loss);
    memcpy(c.arg, call->arg, 5 * sizeof *c.arg);
    return emit_call(e, &c, out, nout);
}

/* `loss` reduced as the parameter `reduction` says: 1 mean, 2 sum, else not at all. */
static ErrCode reduced_loss(Emit *e, const Call *call, Tensor *loss, Tensor **out, int *nout) {
    int64_t reduction = call->arg[op_param(call->op, "reduction")].i;
    out[0] = reduction == 1   ? emit_unary(e, OP_mean, loss)
             : reduction == 2 ? emit_unary(e, OP_sum, loss)
                              : loss;
    *nout = out[0] != NULL;
    return e->err->code;
}

/* l1_loss: abs(self - target) */
ErrCode decompose_l1_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *apart = emit_sub(e, call->arg[0].tensor, call->arg[1].tensor);
    return reduced_loss(e, call, emit_unary(e, OP_abs, apart), out, nout);
}

/* kl_div: xlogy(target, target) - target * self; log_target: exp(target) * (target - self) */
ErrCode decompose_kl_div(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor, *loss;
    if (!dtype_is_float(self->dtype) || !dtype_is_float(target->dtype)) {
        return error_set(e->err, ERR_invalid, "kl_div: Integral inputs not supported.");
    }
    if (call->arg[3].b) {
        Tensor *apart = emit_sub(e, target, self);
        loss = emit_mul(e, emit_unary(e, OP_exp, target), apart);
    } else {
        Tensor *product = emit_mul(e, target, self);
        loss = emit_sub(e, emit_binary(e, OP_xlogy_Tensor, target, target), product);
    }
    return reduced_loss(e, call, loss, out, nout);
}

/* hinge_embedding_loss: where(target != 1, max(0, margin - self), 0) + where(target != -1, self, 0)
 */
ErrCode decompose_hinge_embedding_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *target = call->arg[1].tensor;
    Tensor *zeros = emit_zeros_like(e, self);
    Tensor *start = emit_op(e, OP_full_like, 2, self, scalar_float(call->arg[2].f));
    Tensor *apart = emit_op(e, OP_sub__Tensor, 2, start, self);
    Tensor *clamped = emit_op(e, OP_clamp_min_, 2, apart, scalar_int(0));
    Tensor *left =
        emit_where(e, emit_scalar(e, OP_ne_Scalar, target, scalar_int(1)), clamped, zeros);
    Tensor *right =
        emit_where(e, emit_scalar(e, OP_ne_Scalar, target, scalar_int(-1)), self, zeros);
    return reduced_loss(e, call, emit_add(e, left, right), out, nout);
}

/* margin_ranking_loss: max(0, -target * (input1 - input2) + margin) */
ErrCode decompose_margin_ranking_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *a = call->arg[0].tensor, *b = call->arg[1].tensor, *target = call->arg[2].tensor;
    Tensor *apart = emit_sub(e, a, b);
    Tensor *product = emit_mul(e, emit_neg(e, target), apart);
    Tensor *raised = emit_scalar(e, OP_add_Scalar, product, scalar_float(call->arg[3].f));
    return reduced_loss(e, call, emit_op(e, OP_clamp_min_, 2, raised, scalar_int(0)), out, nout);
}

/* poisson_nll_loss: exp(input) - target * input, or input - target * log(input + eps); full: plus
 * Stirling's term where target > 1 */
ErrCode decompose_poisson_nll_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *target = call->arg[1].tensor, *loss;
    if (call->arg[2].b) {
        Tensor *product = emit_mul(e, target, input);
        loss = emit_sub(e, emit_unary(e, OP_exp, input), product);
    } else {
        Tensor *raised = emit_scalar(e, OP_add_Scalar, input, scalar_float(call->arg[4].f));
        loss = emit_sub(e, input, emit_mul(e, target, emit_unary(e, OP_log, raised)));
    }
    if (call->arg[3].b) {
        Tensor *turned = emit_scalar(e, OP_mul_Scalar, target, scalar_float(2 * 3.141592653589793));
        Tensor *half =
            emit_scalar(e, OP_mul_Scalar, emit_unary(e, OP_log, turned), scalar_float(0.5));
        Tensor *first = emit_sub(e, emit_mul(e, target, emit_unary(e, OP_log, target)), target);
        Tensor *small = emit_scalar(e, OP_le_Scalar, target, scalar_int(1));
        Tensor *term = emit_masked_fill(e, emit_add(e, first, half), small, scalar_int(0));
        loss = emit_op(e, OP_add__Tensor, 2, loss, term);
    }
    return reduced_loss(e, call, loss, out, nout);
}

/* ---- gaussian_nll_loss (torch/nn/functional.py) ---- */

/* Do the sizes of var differ from those of input in dims that are 1 in var, whose sizes add to 1
 * (before 2.13: in the last dim alone)? */
static bool variance_broadcasts(const Tensor *input, const Tensor *var) {
    int n = input->ndim;
    if (semantics_now < SEMANTICS_2_13) {
        return n > 0 && var->ndim == n && sizes_equal(input->size, n - 1, var->size, n - 1) &&
               var->size[n - 1] == 1;
    }
    int64_t sum = 0;
    for (int d = 0; d < n && var->ndim == n; d++) {
        sum += input->size[d] != var->size[d] ? var->size[d] : 0;
    }
    return sum == 1;
}

/* The variances as a tensor, none of which is negative. */
static Tensor *variances_of(Emit *e, const Call *call) {
    const Arg *var = &call->arg[2];
    Tensor *t = var->tensor;
    int64_t negative;
    if (call->op->param[2].type == ARG_TENSOR) {
        Tensor *some = emit_unary(e, OP_any, emit_scalar(e, OP_lt_Scalar, t, scalar_int(0)));
        some = emit_cast(e, some, DT_int64);
        if (!some || e->item_int(e, some, &negative) != ERR_none) {
            return NULL;
        }
    } else {
        negative = var->f < 0;
        t = negative ? NULL : emit_unary(e, OP_ones_like, call->arg[0].tensor);
        t = emit_scalar(e, OP_mul_Scalar, t, scalar_float(var->f));
    }
    if (negative) {
        error_set(e->err, ERR_invalid, "var has negative entry/entries");
        return NULL;
    }
    return t;
}

/* gaussian_nll_loss: (log(var) + (input - target)^2 / var) / 2, with a constant if `full` */
ErrCode decompose_gaussian_nll_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *target = call->arg[1].tensor;
    const char *reduction = call->arg[5].str;
    bool mean = strcmp(reduction, "mean") == 0, sum = strcmp(reduction, "sum") == 0;
    *nout = 0;
    if (call->op->param[2].type == ARG_FLOAT && semantics_now < SEMANTICS_2_8) {
        return error_set(e->err, ERR_unsupported, "gaussian_nll_loss of a number before 2.8");
    }
    Tensor *var = variances_of(e, call);
    TRY(e->err->code);
    if (!sizes_equal(input->size, input->ndim, var->size, var->ndim)) {
        if (input->ndim > 0 && sizes_equal(input->size, input->ndim - 1, var->size, var->ndim)) {
            var = emit_unsqueeze(e, var, -1);
        } else if (!variance_broadcasts(input, var)) {
            return error_set(e->err, ERR_invalid, "var is of incorrect size");
        }
    }
    if (!mean && !sum && strcmp(reduction, "none") != 0) {
        return error_set(e->err, ERR_invalid, "%s is not valid", reduction);
    }
    var = emit_unary(e, OP_clone, var);
    emit_op(e, OP_clamp_, 2, emit_unary(e, OP_detach, var), scalar_float(call->arg[4].f));
    Tensor *first = emit_unary(e, OP_log, var), *apart = emit_sub(e, input, target);
    Tensor *square = apart ? emit_op(e, OP_pow_Tensor_Scalar, 2, apart, scalar_int(2)) : NULL;
    Tensor *loss = emit_add(e, first, emit_div(e, square, var));
    loss = emit_scalar(e, OP_mul_Scalar, loss, scalar_float(0.5));
    if (call->arg[3].b) {
        loss = emit_scalar(e, OP_add__Scalar, loss, scalar_float(0.9189385332046727));
    }
    loss = mean ? emit_unary(e, OP_mean, loss) : sum ? emit_unary(e, OP_sum, loss) : loss;
    out[0] = loss;
    *nout = loss != NULL;
    return e->err->code;
}
