/* Derivatives of convolution. Output, gradient of the input and gradient of the weight are each linear in the other two, so their
 * derivatives are one another. */
#include "program/rules.h"

/* `id` of two tensors with the sizes of a third and the geometry of the recorded call, whose stride is parameter `from`. */
static Tensor *product(const Grad *g, OpId id, Tensor *a, Tensor *b, const Tensor *like, int from) {
    Call c = call_new(id);
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    if (like) {
        c.arg[2].ints.v = arena_copy(g->e->arena, like->size, (int64_t)sizeof *like->size * like->ndim);
        c.arg[2].ints.n = like->ndim;
    } else {
        c.arg[2].none = true;
    }
    for (int k = 0; k < 4; k++) {
        c.arg[3 + k] = g->call->arg[from + k];
    }
    Tensor *out[MAX_OUTPUTS];
    int n;
    return a && b && emit_call(g->e, &c, out, &n) == ERR_none ? out[0] : NULL;
}

/* input, weight: the products of grad with the other; bias: the sum of grad over all dims but its own */
void grad_convolution(Grad *g) {
    Tensor *grad = grad_of(g), *input = tensor_arg(g, 0), *weight = tensor_arg(g, 1);
    if (wanted(g, 0)) {
        give(g, 0, product(g, OP__conv_grad_input, grad, weight, input, 3));
    }
    if (wanted(g, 1)) {
        give(g, 1, product(g, OP__conv_grad_weight, grad, input, weight, 3));
    }
    if (wanted(g, 2)) {
        static const int64_t dims[3] = {0, 2, 3};
        give(g, 2, emit_sum_dims(g->e, grad, dims, grad->ndim - 1, false));
    }
}

/* grad: convolution(T, weight); weight: the product of grad and T */
void grad_conv_grad_input(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, product(g, OP__convolution, grad_of(g), tensor_arg(g, 1), NULL, 3));
    }
    if (wanted(g, 1)) {
        give(g, 1, product(g, OP__conv_grad_weight, tensor_arg(g, 0), grad_of(g), tensor_arg(g, 1), 3));
    }
}

/* grad: convolution(input, T); input: the product of grad and T */
void grad_conv_grad_weight(Grad *g) {
    if (wanted(g, 0)) {
        give(g, 0, product(g, OP__convolution, tensor_arg(g, 1), grad_of(g), NULL, 3));
    }
    if (wanted(g, 1)) {
        give(g, 1, product(g, OP__conv_grad_input, tensor_arg(g, 0), grad_of(g), tensor_arg(g, 1), 3));
    }
}
