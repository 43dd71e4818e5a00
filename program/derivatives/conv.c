/* Derivatives of convolution. The output, the gradient of the input and the gradient of the weight
 * are each bilinear in the other two operands, so the derivative of each is expressed by the
 * others. The third operand of a gradient op provides only its size and its requires_grad flag; it
 * receives no gradient. */
#include "program/derivatives/derivatives.h"
#include "program/infer/conv.h"

/* Applies `id` to three tensors (the third may be NULL) with the geometry of the recorded call. */
static Tensor *grad_conv_product(const Grad *g, OpId id, Tensor *a, Tensor *b, Tensor *third) {
    Call c;
    call_init(&c, id);
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    c.arg[2].tensor = third;
    c.arg[2].none = third == NULL;
    for (int k = 3; k < c.op->nparam; k++) {
        c.arg[k] = g->call->arg[k];
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return a && b && emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL;
}

/* input, weight: the product of grad with the other operand; bias: grad summed over all dims but
 * the channels */
void grad_convolution(Grad *g) {
    Tensor *grad = grad_of(g), *input = tensor_arg(g, 0), *weight = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, grad_conv_product(g, OP__conv_grad_input, grad, weight, input));
    }
    if (wanted(g, 1)) {
        give(g, 1, grad_conv_product(g, OP__conv_grad_weight, grad, input, weight));
    }
    if (wanted(g, 2)) {
        give(g, 2, grad_conv_product(g, OP__conv_grad_bias, grad, input, weight));
    }
}

/* The second derivatives of an empty input are undefined, but for bias
 * (_convolution_double_backward in aten/src/ATen/native/Convolution.cpp). */
static bool grad_conv_wants(const Grad *g, int p, int input) {
    return wanted(g, p) && tensor_numel(tensor_arg(g, input)) > 0;
}

/* `weight`, computed by _convolution_double_backward, as the program observes it: turned from
 * channels first, and cut from what a convolution with stride and dilation exchanged returns. */
static Tensor *grad_conv_turned(const Grad *g, Tensor *weight, const Tensor *wide,
                                const Tensor *narrow) {
    if (!g->e->in_program || !weight) {
        return weight;
    }
    Conv c;
    int dims = weight->ndim - 2;
    conv_read(g->call, dims, wide->size, weight->size, narrow->size, &c);
    int64_t pad[2 * CONV_DIMS] = {0};
    bool wider = false;
    for (int d = CONV_DIMS - dims; d < CONV_DIMS; d++) {
        int64_t reach = c.wide[d] + 2 * c.padding[d] - c.stride[d] * (c.narrow[d] - 1) - 1;
        int64_t *rest = &pad[2 * (CONV_DIMS - 1 - d) + 1];
        *rest = reach / c.dilation[d] + 1 - c.kernel[d];
        wider = wider || *rest > 0;
    }
    Tensor *turned = emit_transpose(g->e, weight, 0, 1);
    turned = wider ? emit_op(g->e, OP_constant_pad_nd, 2, turned, pad, 2 * dims)
                   : emit_unary(g->e, OP_contiguous, turned);
    turned = emit_transpose(g->e, turned, 0, 1);
    for (int d = 2; d < weight->ndim && wider; d++) {
        turned = emit_narrow(g->e, turned, d, 0, weight->size[d]);
    }
    return turned;
}

/* PyTorch's formula convolves the incoming gradient of a transposed convolution, which refuses one
 * without elements. */
static bool grad_conv_refuses(const Grad *g) {
    const Tensor *grad = tensor_arg(g, 0);
    if (!conv_is_transposed(g->call) || tensor_numel(grad) > 0 || grad->size[0] == 0) {
        return false;
    }
    error_set(g->e->err, ERR_invalid, "Only zero batch or zero channel inputs are supported");
    return true;
}

/* grad: convolution(T, weight); weight: conv_grad_weight of grad and T */
void grad_conv_grad_input(Grad *g) {
    if (grad_conv_refuses(g)) {
        return;
    }
    if (grad_conv_wants(g, 0, 2)) {
        give(g, 0, grad_conv_product(g, OP__convolution, grad_of(g), tensor_arg(g, 1), NULL));
    }
    if (grad_conv_wants(g, 1, 2)) {
        Tensor *weight = grad_conv_product(g, OP__conv_grad_weight, tensor_arg(g, 0), grad_of(g),
                                           tensor_arg(g, 1));
        bool transposed = conv_is_transposed(g->call);
        give(g, 1,
             grad_conv_turned(g, weight, tensor_arg(g, transposed ? 0 : 2),
                              tensor_arg(g, transposed ? 2 : 0)));
    }
}

/* The gradient of the input of a transposed convolution, by the weight T: a convolution of grad,
 * cut to the size of the input. */
static Tensor *grad_conv_untransposed(const Grad *g) {
    const Arg *arg = g->call->arg;
    const Tensor *input = tensor_arg(g, 1);
    Call c;
    call_init(&c, OP__convolution);
    memcpy(c.arg, arg, 7 * sizeof *arg);
    c.arg[1].tensor = grad_of(g);
    c.arg[2].none = true;
    Tensor *out[MAX_OUTPUTS];
    int n;
    Tensor *t = emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL;
    for (int d = 2; t && d < input->ndim; d++) {
        t = t->size[d] > input->size[d] ? emit_narrow(g->e, t, d, 0, input->size[d]) : t;
    }
    return t;
}

/* grad: convolution(input, T); input: conv_grad_input of grad and T */
void grad_conv_grad_weight(Grad *g) {
    if (grad_conv_wants(g, 0, 1)) {
        give(g, 0, grad_conv_product(g, OP__convolution, tensor_arg(g, 1), grad_of(g), NULL));
    }
    if (grad_conv_wants(g, 1, 1)) {
        give(g, 1,
             conv_is_transposed(g->call)
                 ? grad_conv_untransposed(g)
                 : grad_conv_product(g, OP__conv_grad_input, tensor_arg(g, 0), grad_of(g),
                                     tensor_arg(g, 1)));
    }
}

/* grad: T broadcast over each channel */
void grad_conv_grad_bias(Grad *g) {
    if (wanted(g, 0)) {
        const Tensor *grad = tensor_arg(g, 0);
        int64_t size[4] = {grad->size[1], 1, 1, 1};
        give(g, 0,
             emit_expand(g->e, emit_view(g->e, grad_of(g), size, grad->ndim - 1), grad->size,
                         grad->ndim));
    }
}
