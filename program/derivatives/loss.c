/* Derivatives of losses and of embedding, as in derivatives.yaml. */
#include "program/infer/infer.h"
#include "program/derivatives/derivatives.h"

/* weight: rows of grad added at the rows that the indices select */
void grad_embedding(Grad *g) {
    const Arg *arg = g->call->arg;
    if (wanted(g, 0)) {
        give(g, 0,
             emit_op(g->e, OP__embedding_grad, 5, grad_of(g), arg[1].tensor, arg[0].tensor->size[0],
                     arg[2].i, (int)arg[3].b));
    }
}

/* grad: its rows at the indices, with zeros at padding_idx; PyTorch does not scale by frequency
 * again, and views the rows as [indices.., -1], which is ambiguous where there is no index,
 * whatever the rows (embedding_dense_double_backward) */
void grad_embedding_grad(Grad *g) {
    if (!wanted(g, 0)) {
        return;
    }
    const Arg *arg = g->call->arg;
    Tensor *indices = arg[1].tensor;
    if (tensor_numel(indices) == 0) {
        error_set(g->e->err, ERR_invalid,
                  "cannot reshape tensor of 0 elements because the unspecified dimension size -1 "
                  "can be any value");
        return;
    }
    int64_t flat = -1, size[MAX_DIMS];
    Tensor *rows = emit_op(g->e, OP_index_select, 3, grad_of(g), (int64_t)0,
                           emit_reshape(g->e, indices, &flat, 1));
    if (!rows) {
        return;
    }
    for (int d = 0; d < indices->ndim; d++) {
        size[d] = indices->size[d];
    }
    size[indices->ndim] = rows->size[1];
    rows = emit_view(g->e, rows, size, indices->ndim + 1);
    if (arg[3].i >= 0) {
        Tensor *padding = emit_scalar(g->e, OP_eq_Scalar, indices, scalar_int(arg[3].i));
        rows = emit_masked_fill(g->e, rows, emit_unsqueeze(g->e, padding, -1), scalar_int(0));
    }
    give(g, 0, rows);
}

/* 2 (self - target) * grad, row-major and of self's dtype; for a mean divided by the number of
 * elements of self, even where the operands are broadcast. A node of its own. */
static Tensor *mse_loss_backward(const Grad *g, Tensor *grad, Tensor *self, Tensor *target,
                                 int64_t reduction) {
    Emit *e = g->e;
    Tensor *factor = without_history(g, grad), *x = without_history(g, self),
           *y = without_history(g, target);
    if (!factor || !x || !y) {
        return NULL;
    }
    DType wide = dtype_promote(dtype_promote(grad->dtype, self->dtype), target->dtype);
    y = emit_cast(e, y, wide);
    Tensor *apart = emit_sub(e, emit_cast(e, x, wide), y);
    Scalar norm = scalar_float(reduction == 1 ? 2 / (double)tensor_numel(self) : 2);
    Tensor *slope = emit_scalar(e, OP_mul_Scalar, apart, norm);
    Tensor *value = emit_unary(e, OP_contiguous, emit_mul(e, slope, emit_cast(e, factor, wide)));
    value = emit_cast(e, value, self->dtype); /* zeros_like(self) */
    return e->create_graph
               ? emit_op(e, OP__mse_loss_backward, 5, grad, self, target, value, reduction)
               : value;
}

/* grad: as the op; self: 2 * T * grad, divided by its number of elements for a mean, where T is its
 * gradient; target: the negative (mse_loss_double_backward in FunctionsManual.cpp) */
void grad_mse_loss_backward(Grad *g) {
    Emit *e = g->e;
    Tensor *grad = tensor_arg(g, 0), *tangent = grad_of(g);
    int64_t reduction = g->call->arg[4].i;
    if (wanted(g, 0)) {
        give(g, 0, mse_loss_backward(g, tangent, tensor_arg(g, 1), tensor_arg(g, 2), reduction));
    }
    for (int k = 1; k <= 2; k++) {
        if (wanted(g, k)) {
            Tensor *answer =
                emit_scalar(e, OP_mul_Scalar, emit_mul(e, tangent, grad), scalar_float(2));
            if (reduction == 1) {
                double numel = (double)tensor_numel(tensor_arg(g, k));
                answer = emit_scalar(e, OP_div_Scalar, answer, scalar_float(numel));
            }
            give(g, k, k == 1 ? answer : emit_neg(e, answer));
        }
    }
}

/* self: mse_loss_backward of self; target: of target (whose kernel requires equal dtypes up to 2.8,
 * and has no half types in 1.13) */
void grad_mse_loss(Grad *g) {
    Tensor *grad = grad_of(g), *operand[2] = {tensor_arg(g, 0), tensor_arg(g, 1)};
    if (!wanted(g, 0) && !wanted(g, 1)) {
        return;
    }
    bool mixed = operand[0]->dtype != operand[1]->dtype || grad->dtype != operand[0]->dtype;
    if ((mixed && !since(mse_loss_mixed)) ||
        (dtype_bytes(grad->dtype) < 4 && !since(half_kernels))) {
        error_set(g->e->err, ERR_dtype, "Found dtype %s but expected %s",
                  dtype_name(operand[1]->dtype), dtype_name(operand[0]->dtype));
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (wanted(g, k)) {
            give(g, k, mse_loss_backward(g, grad, operand[k], operand[1 - k], g->call->arg[2].i));
        }
    }
}

/* Applies internal op `id` to `first` and the recorded call's arguments from `from` on. */
static Tensor *apply_after(const Grad *g, OpId id, Tensor *first, int from) {
    Call c;
    call_init(&c, id);
    c.arg[0].tensor = first;
    for (int k = from; k < g->call->op->nparam; k++) {
        c.arg[1 + k - from] = g->call->arg[k];
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return first && emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL;
}

/* self: nll_loss_backward(grad, self, ...) */
void grad_nll_loss(Grad *g) {
    if (wanted(g, 0)) {
        Tensor *self = tensor_arg(g, 0);
        Tensor *made = self->ndim == 4 ? emit_unary(g->e, OP_zeros_like, self) : NULL;
        if (made && !tensor_is_contiguous(made)) { /* nll_loss2d_backward_out_frame */
            error_set(g->e->err, ERR_invalid, "grad_input must be contiguous");
            return;
        }
        give(g, 0, apply_after(g, OP__nll_loss_grad, grad_of(g), 0));
    }
}

/* grad: nll_loss(T, ...); self: zeros */
void grad_nll_loss_grad(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, apply_after(g, OP__nll_loss, grad_of(g), 2));
    }
    if (wanted(g, 1)) {
        give(g, 1, zero_grad(g));
    }
}

/* With xhat = (input - mean) * rstd and G = grad * weight: input: (G - mean(G) - xhat mean(G xhat))
 * * rstd; weight: sum(grad * xhat); bias: sum(grad). The sums run over the leading dims. */
void grad_layer_norm(Grad *g) {
    Emit *e = g->e;
    const Arg *arg = g->call->arg;
    Tensor *input = tensor_arg(g, 0), *grad = grad_of(g),
           *weight = arg[2].none ? NULL : arg[2].tensor;
    bool some = wanted(g, 0) || wanted(g, 2) || wanted(g, 3);
    if (some && !weight && tensor_numel(input) > 0 && layer_norm_mixed(g->call)) {
        /* layer_norm_backward_kernel_mixed_type, which knows float32 parameters, looks at the
         * weight only (aten/src/ATen/native/cpu/layer_norm_kernel.cpp) */
        error_set(e->err, ERR_dtype, "expected scalar type %s but found %s",
                  dtype_name(input->dtype), dtype_name(arg[3].tensor->dtype));
        return;
    }
    int n = arg[1].ints.n, first = input->ndim - n;
    int64_t dims[MAX_DIMS];
    for (int d = 0; d < n; d++) {
        dims[d] = first + d;
    }
    Tensor *mean = emit_op(e, OP_mean_dim, 3, input, dims, n, 1),
           *variance = emit_op(e, OP_var_correction, 4, input, dims, n, (int64_t)0, 1);
    Tensor *rstd =
        emit_unary(e, OP_rsqrt, emit_scalar(e, OP_add_Scalar, variance, scalar_float(arg[4].f)));
    Tensor *xhat = emit_mul(e, emit_sub(e, input, mean), rstd);
    if (wanted(g, 0)) {
        Tensor *G = weight ? emit_mul(e, grad, emit_cast(e, weight, grad->dtype)) : grad;
        Tensor *level = emit_op(e, OP_mean_dim, 3, G, dims, n, 1),
               *slope = emit_op(e, OP_mean_dim, 3, emit_mul(e, G, xhat), dims, n, 1);
        Tensor *sloped = emit_mul(e, xhat, slope);
        Tensor *answer = emit_mul(e, emit_sub(e, emit_sub(e, G, level), sloped), rstd);
        bool laid_out = answer && tensor_numel(answer) > 0 && !tensor_is_contiguous(answer);
        give(g, 0, laid_out ? emit_op(e, OP__contiguous_copy, 1, answer) : answer);
    }
    for (int d = 0; d < first; d++) {
        dims[d] = d;
    }
    if (wanted(g, 2)) {
        Tensor *each = emit_mul(e, grad, xhat);
        each = first > 0 ? emit_sum_dims(e, each, dims, first, false) : each;
        give(g, 2, emit_cast(e, each, weight->dtype));
    }
    if (wanted(g, 3)) {
        grad = first > 0 ? emit_sum_dims(e, grad, dims, first, false)
                         : emit_op(e, OP__contiguous_copy, 1, grad);
        give(g, 3, emit_cast(e, grad, arg[3].tensor->dtype));
    }
}
