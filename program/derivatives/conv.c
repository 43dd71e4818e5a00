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
static Tensor *grad_conv_turned(const Grad *g, Tensor *weight, const Tensor *input) {
    if (!g->e->in_program || !weight) {
        return weight;
    }
    Conv c;
    conv_read(g->call, weight->ndim - 2, input->size, weight->size, &c);
    int64_t pad[4] = {0};
    int missing = 4 - weight->ndim;
    bool wider = false;
    for (int d = missing; d < 2; d++) {
        int64_t reach = c.in[d] + 2 * c.padding[d] - c.stride[d] * (c.out[d] - 1) - 1;
        int64_t *rest = &pad[2 * (1 - d) + 1];
        *rest = reach / c.dilation[d] + 1 - c.kernel[d];
        wider = wider || *rest > 0;
    }
    Tensor *turned = emit_transpose(g->e, weight, 0, 1);
    turned = wider ? emit_op(g->e, OP_constant_pad_nd, 2, turned, pad, 4 - 2 * missing)
                   : emit_unary(g->e, OP_contiguous, turned);
    turned = emit_transpose(g->e, turned, 0, 1);
    for (int d = 2; d < weight->ndim && wider; d++) {
        turned = emit_narrow(g->e, turned, d, 0, weight->size[d]);
    }
    return turned;
}

/* grad: convolution(T, weight); weight: conv_grad_weight of grad and T */
void grad_conv_grad_input(Grad *g) {
    if (grad_conv_wants(g, 0, 2)) {
        give(g, 0, grad_conv_product(g, OP__convolution, grad_of(g), tensor_arg(g, 1), NULL));
    }
    if (grad_conv_wants(g, 1, 2)) {
        Tensor *weight = grad_conv_product(g, OP__conv_grad_weight, tensor_arg(g, 0), grad_of(g),
                                           tensor_arg(g, 1));
        give(g, 1, grad_conv_turned(g, weight, tensor_arg(g, 2)));
    }
}

/* grad: convolution(input, T); input: conv_grad_input of grad and T */
void grad_conv_grad_weight(Grad *g) {
    if (grad_conv_wants(g, 0, 1)) {
        give(g, 0, grad_conv_product(g, OP__convolution, tensor_arg(g, 1), grad_of(g), NULL));
    }
    if (grad_conv_wants(g, 1, 1)) {
        give(g, 1,
             grad_conv_product(g, OP__conv_grad_input, tensor_arg(g, 0), grad_of(g),
                               tensor_arg(g, 1)));
    }
}

/* grad: T broadcast over each channel */
void grad_conv_grad_bias(Grad *g) {
    if (wanted(g, 0)) {
        const Tensor *grad = tensor_arg(g, 0);
        int64_t size[3] = {grad->size[1], 1, 1};
        give(g, 0,
             emit_expand(g->e, emit_view(g->e, grad_of(g), size, grad->ndim - 1), grad->size,
                         grad->ndim));
    }
}
