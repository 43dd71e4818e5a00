/* Kernels of variances, norms and log-sum-exp ops: passes over self in row-major order with one
 * accumulator for each element of the result, in double, rounded once (see kernels/reduce.c). */
#include "program/kernels/kernels.h"

#include <math.h>

/* A pass over the reduced sets: one accumulator for each element of the result, and a walk over
 * self and the accumulators. */
typedef struct Sets {
    const Tensor *self;
    Tensor slots;
    int64_t length;
    double count; /* elements in a set */
} Sets;

static ErrCode sets_of(const Call *call, const Tensor *self, Sets *s, Error *err) {
    unsigned set;
    TRY(reduced_dims(call, self->ndim, &set, err));
    s->self = self;
    s->slots = tensor_over_array(self->size, self->ndim, set, &s->length);
    s->count = 1;
    for (int d = 0; d < self->ndim; d++) {
        s->count *= set >> d & 1 ? (double)self->size[d] : 1;
    }
    return ERR_none;
}

static Walk sets_walk(const Sets *s) {
    const Tensor *walked[2] = {s->self, &s->slots};
    return walk_start(s->self->size, s->self->ndim, walked, 2);
}

static double *accumulators(const Sets *s, double start, KernelCtx *k) {
    double *v = arena_alloc_raw(k->arena, max_i64(s->length, 1) * (int64_t)sizeof *v);
    for (int64_t i = 0; i < s->length; i++) {
        v[i] = start;
    }
    return v;
}

static void kernel_stat_answer(const Tensor *out, int64_t i, double value) {
    element_store_double(out->storage->data, out->dtype, out->offset + i, value);
}

/* ---- var, std: two passes; the divisor is max(0, count - correction) ---- */

static ErrCode variance(const Call *call, const Tensor *out, bool root, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    Sets s;
    TRY(sets_of(call, self, &s, k->err));
    double *mean = accumulators(&s, 0, k), *sum = accumulators(&s, 0, k);
    for (Walk w = sets_walk(&s); walk_more(&w); walk_next(&w)) {
        mean[w.at[1]] += element_double(self->storage->data, self->dtype, w.at[0]);
    }
    for (int64_t i = 0; i < s.length; i++) {
        mean[i] /= s.count;
    }
    for (Walk w = sets_walk(&s); walk_more(&w); walk_next(&w)) {
        double x = element_double(self->storage->data, self->dtype, w.at[0]) - mean[w.at[1]];
        sum[w.at[1]] += x * x;
    }
    double divisor = fmax(s.count - (call->arg[2].none ? 1 : (double)call->arg[2].i), 0);
    for (int64_t i = 0; i < s.length; i++) {
        kernel_stat_answer(out, i, root ? sqrt(sum[i] / divisor) : sum[i] / divisor);
    }
    return ERR_none;
}

ErrCode kernel_var(const Call *call, Tensor *const *out, KernelCtx *k) {
    return variance(call, out[0], false, k);
}
ErrCode kernel_std(const Call *call, Tensor *const *out, KernelCtx *k) {
    return variance(call, out[0], true, k);
}

/* The mean as var_mean updates it, element by element (WelfordOps in
 * aten/src/ATen/native/SharedReduceOps.h): an infinite element followed by another one makes it
 * nan. */
ErrCode kernel_welford_mean(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    Sets s;
    TRY(sets_of(call, self, &s, k->err));
    double *mean = accumulators(&s, 0, k), *seen = accumulators(&s, 0, k);
    for (Walk w = sets_walk(&s); walk_more(&w); walk_next(&w)) {
        double x = element_double(self->storage->data, self->dtype, w.at[0]);
        int64_t i = w.at[1];
        mean[i] += (x - mean[i]) / ++seen[i];
    }
    for (int64_t i = 0; i < s.length; i++) {
        kernel_stat_answer(out[0], i, s.count > 0 ? mean[i] : NAN);
    }
    return ERR_none;
}

/* ---- norm ---- */

/* One step of the accumulator from which the p-norm is computed: a sum, maximum, minimum or
 * count. */
static double norm_step(double acc, double x, double p) {
    x = fabs(x);
    if (isinf(p)) {
        return isnan(acc) || isnan(x) ? NAN : p > 0 ? fmax(acc, x) : fmin(acc, x);
    }
    return acc + (p == 0 ? x != 0 : p == 1 ? x : p == 2 ? x * x : pow(x, p));
}

ErrCode kernel_norm(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor;
    double p = call->arg[1].none ? 2 : scalar_to_double(call->arg[1].scalar);
    Sets s;
    TRY(sets_of(call, self, &s, k->err));
    double *acc = accumulators(&s, p == -INFINITY && s.count > 0 ? INFINITY : 0, k);
    for (Walk w = sets_walk(&s); walk_more(&w); walk_next(&w)) {
        acc[w.at[1]] =
            norm_step(acc[w.at[1]], element_double(self->storage->data, self->dtype, w.at[0]), p);
    }
    for (int64_t i = 0; i < s.length; i++) {
        kernel_stat_answer(out[0], i,
                           isinf(p) || p == 0 || p == 1 ? acc[i]
                           : p == 2                     ? sqrt(acc[i])
                                                        : pow(acc[i], 1 / p));
    }
    return ERR_none;
}

/* ---- log-sum-exp ---- */

/* nan wins. */
static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

/* The maximum of every set, and log of the sum of exp(x - maximum). With `finite`, an infinite
 * maximum counts as 0. */
static void log_sums(const Sets *s, DType dtype, bool finite, double *most, double *sum) {
    for (Walk w = sets_walk(s); walk_more(&w); walk_next(&w)) {
        most[w.at[1]] = larger(most[w.at[1]], cast_double(s->self, w.at[0], dtype));
    }
    for (int64_t i = 0; i < s->length && finite; i++) {
        most[i] = isinf(most[i]) ? 0 : most[i];
    }
    for (Walk w = sets_walk(s); walk_more(&w); walk_next(&w)) {
        sum[w.at[1]] += exp(cast_double(s->self, w.at[0], dtype) - most[w.at[1]]);
    }
    for (int64_t i = 0; i < s->length; i++) {
        sum[i] = log(sum[i]);
    }
}

ErrCode kernel_logsumexp(const Call *call, Tensor *const *out, KernelCtx *k) {
    Sets s;
    TRY(sets_of(call, call->arg[0].tensor, &s, k->err));
    double *most = accumulators(&s, -INFINITY, k), *sum = accumulators(&s, 0, k);
    log_sums(&s, out[0]->dtype, true, most, sum);
    for (int64_t i = 0; i < s.length; i++) {
        kernel_stat_answer(out[0], i, most[i] + sum[i]);
    }
    return ERR_none;
}

ErrCode kernel_log_softmax(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    if (tensor_numel(self) == 0) {
        return ERR_none; /* empty: the other dims may be too large to allocate */
    }
    Sets s;
    TRY(sets_of(call, self, &s, k->err));
    double *most = accumulators(&s, -INFINITY, k), *sum = accumulators(&s, 0, k);
    log_sums(&s, to->dtype, false, most, sum);
    const Tensor *walked[3] = {self, &s.slots, to};
    for (Walk w = walk_start(self->size, self->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        double x = cast_double(self, w.at[0], to->dtype);
        element_store_double(to->storage->data, to->dtype, w.at[2],
                             x - most[w.at[1]] - sum[w.at[1]]);
    }
    return ERR_none;
}

/* log(exp(a) + exp(b)) */
static double log_add_exp(double a, double b) {
    double low = isnan(b) || b < a ? b : a, high = isnan(b) || b > a ? b : a;
    return low != high || isfinite(low) ? log1p(exp(low - high)) + high : a;
}

ErrCode kernel_logcumsumexp(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    if (tensor_numel(self) == 0) {
        return ERR_none; /* empty: the other dims may be too large to allocate */
    }
    Sets s;
    TRY(sets_of(call, self, &s, k->err));
    double *acc = accumulators(&s, -INFINITY, k);
    const Tensor *walked[3] = {self, &s.slots, to};
    for (Walk w = walk_start(self->size, self->ndim, walked, 3); walk_more(&w); walk_next(&w)) {
        int64_t i = w.at[1];
        acc[i] = log_add_exp(element_double(self->storage->data, self->dtype, w.at[0]), acc[i]);
        element_store_double(to->storage->data, to->dtype, w.at[2], acc[i]);
    }
    return ERR_none;
}

/* ---- trace ---- */

ErrCode kernel_trace(const Call *call, Tensor *const *out, KernelCtx *k) {
    const Tensor *self = call->arg[0].tensor, *to = out[0];
    double sum = 0;
    int64_t int_sum = 0;
    for (int64_t i = 0; i < min_i64(self->size[0], self->size[1]); i++) {
        int64_t at = self->offset + i * (self->stride[0] + self->stride[1]);
        if (dtype_is_float(to->dtype)) {
            sum += element_double(self->storage->data, self->dtype, at);
        } else {
            int_sum = wrapping_add(int_sum, cast_int(self, at, to->dtype, k));
        }
    }
    if (dtype_is_float(to->dtype)) {
        kernel_stat_answer(to, 0, sum);
    } else {
        element_store_int(to->storage->data, to->dtype, to->offset, int_sum);
    }
    return ERR_none;
}
