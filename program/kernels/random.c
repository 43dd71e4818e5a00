/* Kernels of random ops. Element i, in row-major order, of the call's op number n is a function of
 * the 128 bits of (seed, n, i) alone (tensor/philox.h): it depends neither on the layout nor on the
 * order in which elements or ops are computed. docs/reference/format.md, "Random numbers", has the
 * functions. */
#include "program/kernels/kernels.h"

#include <math.h>

typedef double (*Draw)(RandomBits bits, const double *numbers);

static RandomStream stream_of(const KernelCtx *k) {
    return k->stream ? *k->stream : (RandomStream){0, 0};
}

/* out[i] = draw(bits of i, numbers), rounded once; integers are exact. */
static void draw_all(const Call *call, const Tensor *out, const KernelCtx *k, Draw draw,
                     const double *numbers) {
    RandomStream stream = stream_of(k);
    const Tensor *list[1] = {out};
    int64_t i = 0;
    for (Walk w = walk_start(out->size, out->ndim, list, 1); walk_more(&w); walk_next(&w), i++) {
        double value = draw(random_bits(&stream, call->number, i), numbers);
        if (dtype_is_float(out->dtype)) {
            element_store_double(out->storage->data, out->dtype, w.at[0], value);
        } else {
            element_store_int(out->storage->data, out->dtype, w.at[0], (int64_t)value);
        }
    }
}

/* ---- uniform ---- */

/* As many digits as the dtype has, so that nothing is rounded up to 1. */
static int random_digits(DType dtype) {
    switch (dtype) {
    case DT_float16:
        return 11;
    case DT_bfloat16:
        return 8;
    case DT_float32:
        return 24;
    default:
        return 53;
    }
}

static double draw_uniform(RandomBits bits, const double *numbers) {
    double unit = random_unit(bits.a, (int)numbers[0]);
    return numbers[1] + (numbers[2] - numbers[1]) * unit;
}

ErrCode kernel_rand(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_uniform, (double[]){random_digits(out[0]->dtype), 0, 1});
    return ERR_none;
}

ErrCode kernel_uniform(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_uniform,
             (double[]){random_digits(out[0]->dtype), call->arg[1].f, call->arg[2].f});
    return ERR_none;
}

/* 1 where self is positive or nan, else a number from lower to upper. */
ErrCode kernel_rrelu_noise(const Call *call, Tensor *const *out, KernelCtx *k) {
    RandomStream stream = stream_of(k);
    const Tensor *to = out[0], *self = call->arg[0].tensor, *list[2] = {to, self};
    double lower = scalar_as_double(scalar_float(call->arg[1].f), to->dtype),
           upper = scalar_as_double(scalar_float(call->arg[2].f), to->dtype);
    int64_t i = 0;
    for (Walk w = walk_start(to->size, to->ndim, list, 2); walk_more(&w); walk_next(&w), i++) {
        double unit = random_unit(random_bits(&stream, call->number, i).a, 53);
        bool negative = element_double(self->storage->data, self->dtype, w.at[1]) <= 0;
        element_store_double(to->storage->data, to->dtype, w.at[0],
                             negative ? lower + (upper - lower) * unit : 1);
    }
    return ERR_none;
}

/* ---- normal (Box and Muller, 1958) and exponential ---- */

static double draw_normal(RandomBits bits, const double *numbers) {
    double radius = sqrt(-2 * log(random_positive(bits.a))),
           angle = 2 * 3.14159265358979323846 * random_unit(bits.b, 53);
    return numbers[0] + numbers[1] * (radius * cos(angle));
}

ErrCode kernel_randn(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_normal, (double[]){0, 1});
    return ERR_none;
}

ErrCode kernel_normal(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_normal, (double[]){call->arg[1].f, call->arg[2].f});
    return ERR_none;
}

static double draw_exponential(RandomBits bits, const double *numbers) {
    return fabs(log(random_positive(bits.a))) / numbers[0];
}

ErrCode kernel_exponential(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_exponential, &call->arg[1].f);
    return ERR_none;
}

/* ---- bernoulli ---- */

static double draw_bernoulli(RandomBits bits, const double *numbers) {
    return random_unit(bits.a, 53) < numbers[0];
}

ErrCode kernel_bernoulli_p(const Call *call, Tensor *const *out, KernelCtx *k) {
    draw_all(call, out[0], k, draw_bernoulli, &call->arg[1].f);
    return ERR_none;
}

/* Element i is 1 with the probability that element i of self is. */
ErrCode kernel_bernoulli(const Call *call, Tensor *const *out, KernelCtx *k) {
    RandomStream stream = stream_of(k);
    const Tensor *to = out[0], *self = call->arg[0].tensor, *list[2] = {to, self};
    int64_t i = 0;
    for (Walk w = walk_start(to->size, to->ndim, list, 2); walk_more(&w); walk_next(&w), i++) {
        double p = element_double(self->storage->data, self->dtype, w.at[1]);
        if (!(p >= 0 && p <= 1)) {
            return error_set(k->err, ERR_invalid, "Expected p_in >= 0 && p_in <= 1 to be true");
        }
        element_store_double(to->storage->data, to->dtype, w.at[0],
                             draw_bernoulli(random_bits(&stream, call->number, i), &p));
    }
    return ERR_none;
}

/* ---- integers ---- */

/* low + bits mod (high - low). */
ErrCode kernel_randint(const Call *call, Tensor *const *out, KernelCtx *k) {
    RandomStream stream = stream_of(k);
    const Arg *low = call_arg(call, "low");
    int64_t from = low ? low->i : 0;
    uint64_t range = (uint64_t)call_arg(call, "high")->i - (uint64_t)from;
    const Tensor *to = out[0], *list[1] = {to};
    int64_t i = 0;
    for (Walk w = walk_start(to->size, to->ndim, list, 1); walk_more(&w); walk_next(&w), i++) {
        RandomBits bits = random_bits(&stream, call->number, i);
        int64_t value = (int64_t)((uint64_t)from + bits.a % range);
        if (dtype_is_float(to->dtype)) {
            element_store_double(to->storage->data, to->dtype, w.at[0], (double)value);
        } else {
            element_store_int(to->storage->data, to->dtype, w.at[0], value);
        }
    }
    return ERR_none;
}
