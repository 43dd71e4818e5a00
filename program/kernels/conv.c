/* Kernels of convolution. One loop over all (n, k, c), all elements of the narrow tensor and of the
 * kernel serves them: the narrow one sums wide * weight, the wide one sums narrow * weight, the
 * gradient of the weight sums narrow * wide. Sums are in double (int64 for integers) and rounded
 * once. */
#include "program/infer/conv.h"
#include "program/kernels/kernels.h"

#include <math.h>

enum { WIDE, WEIGHT, NARROW };

/* Strides of a tensor; 0 along the dims that a 1-d or 2-d convolution lacks. */
typedef struct Steps {
    const Tensor *t;
    int64_t step[2 + CONV_DIMS];
} Steps;

static Steps steps_of(const Tensor *t) {
    Steps s = {t, {t->stride[0], t->stride[1]}};
    for (int d = 2; d < t->ndim; d++) {
        s.step[2 + CONV_DIMS - t->ndim + d] = t->stride[d];
    }
    return s;
}

typedef struct Product {
    Steps part[3];
    int target;  /* WIDE, WEIGHT or NARROW: the sum of the products of the other two */
    double *sum; /* by offset in target's storage */
    int64_t *int_sum;
} Product;

static void kernel_conv_add_term(Product *p, const int64_t *at) {
    int a = p->target == WIDE ? WEIGHT : WIDE, b = p->target == NARROW ? WEIGHT : NARROW;
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

/* Adds all elements of the kernel from dim `d` on, for the element `y` of the narrow tensor. `at`:
 * the offsets so far. */
static void add_window(const Conv *c, Product *p, int d, const int64_t *y, const int64_t *at) {
    if (d == CONV_DIMS) {
        kernel_conv_add_term(p, at);
        return;
    }
    for (int64_t r = 0; r < c->kernel[d]; r++) {
        int64_t i = y[d] * c->stride[d] - c->padding[d] + r * c->dilation[d];
        if (i >= 0 && i < c->wide[d]) {
            int64_t next[3] = {at[WIDE] + i * p->part[WIDE].step[2 + d],
                               at[WEIGHT] + r * p->part[WEIGHT].step[2 + d], at[NARROW]};
            add_window(c, p, d + 1, y, next);
        }
    }
}

/* One element of the narrow tensor, of filter `k`: all channels of its group. */
static void add_windows(const Conv *c, Product *p, const int64_t *y, const int64_t *base,
                        int64_t k) {
    int64_t first = k / c->filters * c->channels;
    for (int64_t channel = 0; channel < c->channels; channel++) {
        int64_t at[3] = {base[WIDE] + (first + channel) * p->part[WIDE].step[1],
                         base[WEIGHT] + channel * p->part[WEIGHT].step[1], base[NARROW]};
        for (int d = 0; d < CONV_DIMS; d++) {
            at[NARROW] += y[d] * p->part[NARROW].step[2 + d];
        }
        add_window(c, p, 0, y, at);
    }
}

static void kernel_conv_multiply(const Conv *c, Product *p) {
    for (int64_t n = 0; n < c->batch; n++) {
        for (int64_t k = 0; k < c->groups * c->filters; k++) {
            int64_t base[3] = {p->part[WIDE].t->offset + n * p->part[WIDE].step[0],
                               p->part[WEIGHT].t->offset + k * p->part[WEIGHT].step[0],
                               p->part[NARROW].t->offset + n * p->part[NARROW].step[0] +
                                   k * p->part[NARROW].step[1]};
            int64_t y[CONV_DIMS];
            for (y[0] = 0; y[0] < c->narrow[0]; y[0]++) {
                for (y[1] = 0; y[1] < c->narrow[1]; y[1]++) {
                    for (y[2] = 0; y[2] < c->narrow[2]; y[2]++) {
                        add_windows(c, p, y, base, k);
                    }
                }
            }
        }
    }
}

/* Multiplying padding zeros (or zeros between grad elements) by inf or nan gives nan in some of
 * PyTorch's algorithms; others skip these products. The result is then undefined. */
static void check_zeros(const Conv *c, const Tensor *factor, bool around, KernelCtx *k) {
    bool padded = false, wide = false;
    for (int d = 0; d < CONV_DIMS; d++) {
        padded = padded || c->padding[d] != 0;
        wide = wide || c->kernel[d] > 1 || c->stride[d] > 1;
    }
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

static void kernel_conv_run(const Conv *c, const Tensor *wide, const Tensor *weight,
                            const Tensor *narrow, int target, const Tensor *bias, KernelCtx *k) {
    const Tensor *to = target == WIDE ? wide : target == WEIGHT ? weight : narrow;
    int64_t length = to->offset + tensor_numel(to);
    bool floating = dtype_is_float(to->dtype);
    Product p = {{steps_of(wide), steps_of(weight), steps_of(narrow)},
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
    bool transposed = conv_is_transposed(call);
    const Tensor *wide = transposed ? out[0] : input, *narrow = transposed ? input : out[0];
    Conv c;
    conv_read(call, weight->ndim - 2, wide->size, weight->size, narrow->size, &c);
    check_zeros(&c, weight, transposed, k);
    kernel_conv_run(&c, wide, weight, narrow, transposed ? WIDE : NARROW, bias, k);
    return ERR_none;
}

ErrCode kernel_conv_grad_input(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *weight = call->arg[1].tensor;
    bool transposed = conv_is_transposed(call);
    const Tensor *wide = transposed ? grad : out[0], *narrow = transposed ? out[0] : grad;
    Conv c;
    conv_read(call, weight->ndim - 2, wide->size, weight->size, narrow->size, &c);
    check_zeros(&c, weight, true, k);
    kernel_conv_run(&c, wide, weight, narrow, transposed ? NARROW : WIDE, NULL, k);
    return ERR_none;
}

ErrCode kernel_conv_grad_weight(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *grad = call->arg[0].tensor, *input = call->arg[1].tensor;
    bool transposed = conv_is_transposed(call);
    const Tensor *wide = transposed ? grad : input, *narrow = transposed ? input : grad;
    Conv c;
    conv_read(call, input->ndim - 2, wide->size, out[0]->size, narrow->size, &c);
    check_zeros(&c, narrow, false, k);
    if (c.groups > 1 && is_channels_last(out[0])) {
        k->undefined = "the gradient of a channels-last weight of several groups: slow_conv2d "
                       "refuses to write its own";
    }
    kernel_conv_run(&c, wide, out[0], narrow, WEIGHT, NULL, k);
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
