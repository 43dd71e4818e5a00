/* Kernels of convolution. One loop over all (n, k, p, q, c, r, s) serves the three ops: the output
 * sums input * weight, the gradient of the input sums grad * weight, the gradient of the weight
 * sums grad * input. Sums are in double (int64 for integers) and rounded once. */
#include "program/infer/conv.h"
#include "program/kernels/kernels.h"

#include <math.h>

enum { INPUT, WEIGHT, OUTPUT };

/* Strides of a tensor; 0 along the dim that a 1-d convolution lacks. */
typedef struct Steps {
    const Tensor *t;
    int64_t step[4];
} Steps;

static Steps steps_of(const Tensor *t) {
    bool line = t->ndim == 3;
    return (Steps){t,
                   {t->stride[0], t->stride[1], line ? 0 : t->stride[2], t->stride[line ? 2 : 3]}};
}

typedef struct Product {
    Steps part[3];
    int target;  /* INPUT, WEIGHT or OUTPUT: the sum of the products of the other two */
    double *sum; /* by offset in target's storage */
    int64_t *int_sum;
} Product;

static void kernel_conv_add_term(Product *p, const int64_t *at) {
    int a = p->target == INPUT ? WEIGHT : INPUT, b = p->target == OUTPUT ? WEIGHT : OUTPUT;
    const Tensor *x = p->part[a].t, *y = p->part[b].t;
    if (p->sum) {
        p->sum[at[p->target]] += element_double(x->storage->data, x->dtype, at[a]) *
                                 element_double(y->storage->data, y->dtype, at[b]);
    } else {
        int64_t term = wrapping_mul(element_int(x->storage->data, x->dtype, at[a]),
                                    element_int(y->storage->data, y->dtype, at[b]));
        p->int_sum[at[p->target]] = wrapping_add(p->int_sum[at[p->target]], term);
    }
}

/* Adds one window: output element `at[OUTPUT]`, all channels of its group. */
static void add_window(const Conv *c, Product *p, int64_t first_channel, int64_t y, int64_t x,
                       const int64_t *base) {
    const int64_t *in = p->part[INPUT].step, *weight = p->part[WEIGHT].step;
    for (int64_t channel = 0; channel < c->channels; channel++) {
        for (int64_t r = 0; r < c->kernel[0]; r++) {
            int64_t i = y * c->stride[0] - c->padding[0] + r * c->dilation[0];
            for (int64_t s = 0; s < c->kernel[1] && i >= 0 && i < c->in[0]; s++) {
                int64_t j = x * c->stride[1] - c->padding[1] + s * c->dilation[1];
                if (j >= 0 && j < c->in[1]) {
                    int64_t at[3] = {
                        base[INPUT] + (first_channel + channel) * in[1] + i * in[2] + j * in[3],
                        base[WEIGHT] + channel * weight[1] + r * weight[2] + s * weight[3],
                        base[OUTPUT]};
                    kernel_conv_add_term(p, at);
                }
            }
        }
    }
}

static void kernel_conv_multiply(const Conv *c, Product *p) {
    const int64_t *in = p->part[INPUT].step, *weight = p->part[WEIGHT].step,
                  *out = p->part[OUTPUT].step;
    for (int64_t n = 0; n < c->batch; n++) {
        for (int64_t k = 0; k < c->groups * c->filters; k++) {
            for (int64_t y = 0; y < c->out[0]; y++) {
                for (int64_t x = 0; x < c->out[1]; x++) {
                    int64_t base[3] = {p->part[INPUT].t->offset + n * in[0],
                                       p->part[WEIGHT].t->offset + k * weight[0],
                                       p->part[OUTPUT].t->offset + n * out[0] + k * out[1] +
                                           y * out[2] + x * out[3]};
                    add_window(c, p, k / c->filters * c->channels, y, x, base);
                }
            }
        }
    }
}

/* Multiplying padding zeros (or zeros between grad elements) by inf or nan gives nan in some of
 * PyTorch's algorithms; others skip these products. The result is then undefined. */
static void check_zeros(const Conv *c, const Tensor *factor, bool around, KernelCtx *k) {
    bool padded = c->padding[0] != 0 || c->padding[1] != 0,
         wide = c->kernel[0] > 1 || c->kernel[1] > 1 || c->stride[0] > 1 || c->stride[1] > 1;
    if (!dtype_is_float(factor->dtype) || !(padded || (around && wide))) {
        return;
    }
    const Tensor *walked[1] = {factor};
    for (Walk w = walk_start(factor->size, factor->ndim, walked, 1); walk_more(&w); walk_next(&w)) {
        if (!isfinite(element_double(factor->storage->data, factor->dtype, w.at[0]))) {
            k->undefined = "a convolution's padding times what is not finite";
        }
    }
}

static void kernel_conv_run(const Conv *c, const Tensor *input, const Tensor *weight,
                            const Tensor *output, int target, const Tensor *bias, KernelCtx *k) {
    const Tensor *to = target == INPUT ? input : target == WEIGHT ? weight : output;
    int64_t length = to->offset + tensor_numel(to);
    bool floating = dtype_is_float(to->dtype);
    Product p = {{steps_of(input), steps_of(weight), steps_of(output)},
                 target,
                 floating ? arena_array(k->arena, double, length) : NULL,
                 floating ? NULL : arena_array(k->arena, int64_t, length)};
    kernel_conv_multiply(c, &p);
    const Tensor *walked[1] = {to};
    Tensor channel = *to;
    int64_t per = bias ? bias->stride[0] : 0;
    for (int64_t n = 0; n < to->size[1]; n++) { /* dim 1 outside of the walk, for the bias */
        channel.size[1] = 1;
        channel.offset = to->offset + n * to->stride[1];
        walked[0] = &channel;
        for (Walk w = walk_start(channel.size, channel.ndim, walked, 1); walk_more(&w);
             walk_next(&w)) {
            int64_t at = w.at[0];
            if (floating) {
                double own = bias ? cast_double(bias, bias->offset + n * per, to->dtype) : 0;
                element_store_double(to->storage->data, to->dtype, at,
                                     bias ? p.sum[at] + own : p.sum[at]);
            } else {
                int64_t own = bias ? cast_int(bias, bias->offset + n * per, to->dtype, k) : 0;
                element_store_int(to->storage->data, to->dtype, at,
                                  wrapping_add(p.int_sum[at], own));
            }
        }
    }
}

ErrCode kernel_convolution(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *input = call->arg[0].tensor, *weight = call->arg[1].tensor,
                 *bias = call->arg[2].none ? NULL : call->arg[2].tensor;
    Conv c;
    conv_read(call, weight->ndim - 2, input->size, weight->size, &c);
    check_zeros(&c, weight, false, k);
    kernel_conv_run(&c, input, weight, out[0], OUTPUT, bias, k);
    return ERR_none;
}

ErrCode kernel_conv_grad_input(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *weight = call->arg[1].tensor;
    Conv c;
    conv_read(call, weight->ndim - 2, out[0]->size, weight->size, &c);
    check_zeros(&c, weight, true, k);
    kernel_conv_run(&c, out[0], weight, grad, INPUT, NULL, k);
    return ERR_none;
}

ErrCode kernel_conv_grad_weight(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *input = call->arg[1].tensor;
    Conv c;
    conv_read(call, input->ndim - 2, input->size, out[0]->size, &c);
    check_zeros(&c, grad, false, k);
    if (c.groups > 1 && is_channels_last(out[0])) {
        k->undefined = "the gradient of a channels-last weight of several groups: slow_conv2d "
                       "refuses to write its own";
    }
    kernel_conv_run(&c, input, out[0], grad, WEIGHT, NULL, k);
    return ERR_none;
}

/* grad summed over all dims except the channels. */
ErrCode kernel_conv_grad_bias(const Call *call, Tensor *const *out, KernelCtx *k) {
    (void)k;
    const Tensor *grad = call->arg[0].tensor, *to = out[0];
    for (int64_t n = 0; n < to->size[0]; n++) {
        Tensor channel = *grad;
        channel.size[1] = 1;
        channel.offset += n * grad->stride[1];
        const Tensor *walked[1] = {&channel};
        double sum = 0;
        for (Walk w = walk_start(channel.size, channel.ndim, walked, 1); walk_more(&w);
             walk_next(&w)) {
            sum += element_double(grad->storage->data, grad->dtype, w.at[0]);
        }
        element_store_double(to->storage->data, to->dtype, to->offset + n, sum);
    }
    return ERR_none;
}
