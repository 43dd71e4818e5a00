/* The float64 shadow of sums of products, of normalized rows, of statistics and of linspace:
 * bounds from what the operands' bounds and the roundings of each step do to the result, to
 * first order. */
#include "reference/shadow_passes.h"

#include <math.h>

/* Terms that one element of a POLYNOMIAL row sums. */
static double polynomial_terms(const Call *call, const Tensor *out) {
    switch (call->op->id) {
    case OP_mse_loss:
        return out->ndim > 0 ? 1
                             : (double)max_i64(tensor_numel(call->arg[0].tensor),
                                               tensor_numel(call->arg[1].tensor)) +
                                   2;
    case OP_avg_pool2d:
    case OP__avg_pool2d_grad: {
        const Arg *kernel = &call->arg[op_param(call->op, "kernel_size")];
        return (double)(kernel->ints.v[0] * kernel->ints.v[kernel->ints.n - 1]) + 2;
    }
    case OP_avg_pool3d:
    case OP__avg_pool3d_grad: /* no more than there are elements */
    case OP__adaptive_avg_pool:
    case OP__adaptive_avg_grad:
        return (double)max_i64(tensor_numel(call->arg[0].tensor), tensor_numel(out)) + 2;
    case OP__nll_loss:
        return out->ndim > 0 ? 1 : 2 * (double)tensor_numel(call->arg[1].tensor) + 2;
    case OP__nll_loss_grad:
        return (double)tensor_numel(call->arg[2].tensor) + 2;
    case OP__convolution:
    case OP__conv_grad_input:
    case OP__conv_grad_weight: /* elements of weight, or of grad, bound them all */
        return (double)tensor_numel(
                   call->arg[call->op->id == OP__conv_grad_weight ? 0 : 1].tensor) +
               1;
    default:
        return 1;
    }
}

/* Is the result a sum of products and not divided, so that dyadic numbers stay exact? */
static bool divides_sum(const Call *call) {
    int reduction = op_param(call->op, "reduction");
    if (op_param(call->op, "divisor_override") >= 0 || op_param(call->op, "output_size") >= 0) {
        return true;
    }
    return reduction >= 0 && call->arg[reduction].i == 1;
}

/* Is the sum divided by a sum of weights? */
static bool weighs(const Call *call) {
    bool nll = call->op->id == OP__nll_loss || call->op->id == OP__nll_loss_grad;
    return nll && divides_sum(call) && !call->arg[op_param(call->op, "weight")].none;
}

static double shadow_sums_lowest_of(const Tensor *t) {
    double least = 0;
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        least = fmin(least, t->storage->value64[w.at[0]]);
    }
    return least;
}

/* What bounds are made of where one number for all of self will do. */
typedef struct Extent {
    double worst; /* largest bound */
    double most;  /* largest magnitude of a finite element */
    double low, high;
} Extent;

static Extent shadow_sums_extent_of(const Tensor *t) {
    Extent x = {0, 0, INFINITY, -INFINITY};
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double v = t->storage->value64[w.at[0]], b = t->storage->bound[w.at[0]];
        x.worst = isnan(b) || b > x.worst ? (isnan(x.worst) ? x.worst : b) : x.worst;
        if (isfinite(v)) {
            x.most = fmax(x.most, fabs(v));
            x.low = fmin(x.low, v);
            x.high = fmax(x.high, v);
        }
    }
    return x;
}

static double shadow_sums_count(const Arg *sizes, int first) {
    double n = 1;
    for (int d = first; d < sizes->ints.n; d++) {
        n *= (double)sizes->ints.v[d];
    }
    return n;
}

/* Interpolation: the weights of an element sum to less than 4 in magnitude, some have a minus, and
 * each is as wrong as the position that it is computed from. A gradient sums up to as many terms as
 * there are elements in the plane. */
static bool shadow_interpolated(const Call *call, const Tensor *out) {
    int to = op_param(call->op, "output_size"), from = op_param(call->op, "input_size");
    if (to < 0 || call->op->propagation != PROPAGATION_POLYNOMIAL ||
        op_param(call->op, "align_corners") < 0) {
        return false;
    }
    const Tensor *self = call->arg[0].tensor;
    Extent x = shadow_sums_extent_of(self);
    double terms = from >= 0 ? shadow_sums_count(&call->arg[to], 0) : 1, longest = 1,
           u = dtype_unit(out->dtype);
    for (int d = 2; d < self->ndim; d++) {
        longest = fmax(longest, (double)max_i64(self->size[d], out->size[d]));
    }
    for (int64_t i = 0; i < out->storage->numel; i++) {
        double *bound = &out->storage->bound[i];
        *bound = 4 * terms * (x.worst + (64 + 4 * longest + terms) * u * x.most) +
                 terms * shadow_grain(out->dtype);
        shadow_overflow(&out->storage->value64[i], bound, 4 * terms * x.most, out->dtype);
    }
    return true;
}

/* linalg_cross: a difference of two products. */
static bool shadow_crossed(const Call *call, const Tensor *out) {
    if (call->op->id != OP_linalg_cross) {
        return false;
    }
    Extent a = shadow_sums_extent_of(call->arg[0].tensor),
           b = shadow_sums_extent_of(call->arg[1].tensor);
    double most = a.most * b.most, u = dtype_unit(out->dtype),
           worst = a.worst * b.most + b.worst * a.most + a.worst * b.worst;
    for (int64_t i = 0; i < out->storage->numel; i++) {
        double *bound = &out->storage->bound[i];
        *bound = 2 * worst + 8 * u * most + 2 * shadow_grain(out->dtype);
        shadow_overflow(&out->storage->value64[i], bound, 2 * most, out->dtype);
    }
    return true;
}

void shadow_polynomial(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    if (shadow_interpolated(call, out) || shadow_crossed(call, out)) {
        return;
    }
    double *magnitude = shadow_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *worst = o->exact ? magnitude : shadow_pass(s, call, call->op->kernel, out, PASS_WORST);
    double n = polynomial_terms(call, out), u = dtype_unit(out->dtype);
    int exponent = o->exponent == NO_EXPONENT ? NO_EXPONENT
                   : o->exponent < 0          ? 2 * o->exponent
                                              : o->exponent; /* of products of two */
    bool exact = o->exact && o->finite && !o->converts && !divides_sum(call);
    if (weighs(call) &&
        (!o->exact || shadow_sums_lowest_of(call->arg[op_param(call->op, "weight")].tensor) <
                          0)) { /* the weights may nearly cancel */
        shadow_lose(out);
        return;
    }
    for (int64_t i = 0; i < to->numel; i++) {
        if (shadow_may_overflow(o, 2, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!(exact && shadow_sums_exact(fabs(magnitude[i]), exponent, out->dtype)) &&
                   !(o->exact && !isfinite(to->value64[i]))) {
            double most = fabs(worst[i]);
            to->bound[i] =
                most - fabs(magnitude[i]) + (n + 4) * u * most + n * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[i], &to->bound[i], most, out->dtype);
        }
    }
}

/* The elements of `t`, its values and its bounds, in logical order. */
typedef struct Elements {
    int64_t n;
    double *value, *bound;
} Elements;

static Elements elements_of(Session *s, const Tensor *t) {
    Elements e = {tensor_numel(t), arena_array(s->arena, double, tensor_numel(t)),
                  arena_array(s->arena, double, tensor_numel(t))};
    const Tensor *walked[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, walked, 1); walk_more(&w); walk_next(&w), i++) {
        e.value[i] = t->storage->value64[w.at[0]];
        e.bound[i] = t->storage->bound[w.at[0]];
    }
    return e;
}

/* layer_norm, a row at a time: what the elements' bounds and roundings do to the mean, to the
 * deviation and to the quotient. */
void shadow_normalized(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    if (shadow_may_overflow(o, 2, out->dtype)) {
        shadow_lose(out);
        return;
    }
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    const Tensor *given[2] = {call->arg[2].none ? NULL : call->arg[2].tensor,
                              call->arg[3].none ? NULL : call->arg[3].tensor};
    Elements x = elements_of(s, call->arg[0].tensor), w = {0}, b = {0};
    w = given[0] ? elements_of(s, given[0]) : w;
    b = given[1] ? elements_of(s, given[1]) : b;
    int64_t length = 1;
    for (int k = 0; k < call->arg[1].ints.n; k++) {
        length *= call->arg[1].ints.v[k];
    }
    double u = dtype_unit(out->dtype), n = (double)length;
    for (int64_t row = 0; length > 0 && row + length <= x.n; row += length) {
        double worst = 0, most = 0, mean = 0, variance = 0, apart = 0;
        for (int64_t i = row; i < row + length; i++) {
            worst = isnan(worst) || isnan(x.bound[i]) ? NAN : fmax(worst, x.bound[i]);
            most = fmax(most, fabs(x.value[i]));
            mean += x.value[i] / n;
        }
        for (int64_t i = row; i < row + length; i++) {
            variance += (x.value[i] - mean) * (x.value[i] - mean) / n;
            apart = fmax(apart, fabs(x.value[i] - mean));
        }
        double deviation = sqrt(variance + call->arg[4].f), moved = worst + (n + 4) * u * most;
        double relative = (4 * apart * moved + 4 * moved * moved + (n + 10) * u * variance) /
                              (2 * deviation * deviation) +
                          4 * u;
        bool lost = !(deviation > 0) || !isfinite(deviation) || relative > 0.25;
        for (int64_t i = 0; i < length; i++) {
            double quotient = fabs(x.value[row + i] - mean) / deviation,
                   error = 4 * moved / deviation + quotient * relative;
            double factor = given[0] ? fabs(w.value[i]) + w.bound[i] : 1,
                   added = given[1] ? fabs(b.value[i]) : 0;
            double bound = error * factor + (given[0] ? quotient * w.bound[i] : 0) +
                           (given[1] ? b.bound[i] : 0) + 4 * u * (quotient * factor + added);
            to->bound[row + i] = lost ? NAN : bound + 2 * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[row + i], &to->bound[row + i], 0, out->dtype);
        }
    }
}

static double norm_bound(const Call *call, double y, double n, double u, const Extent *x,
                         const Operands *o, DType dtype) {
    double p = call->arg[1].none ? 2 : scalar_to_double(call->arg[1].scalar);
    if (p == 0 || p == -INFINITY) {
        return o->exact ? 0 : p == 0 ? NAN : x->worst;
    }
    if (p == INFINITY) {
        return x->worst;
    }
    bool extreme = shadow_may_overflow(o, fmax(p, 1), dtype) || (y > 0 && p * log2(y) < -100);
    return extreme || (p < 1 && !o->exact) ? NAN : n * x->worst + (n + 8) * fmax(1, 1 / p) * u * y;
}

static double variance_bound(const Call *call, double y, double n, double u, const Extent *x) {
    double divisor = n - (call->arg[2].none ? 1 : (double)call->arg[2].i),
           apart = fmax(x->high - x->low, 0), b = x->worst + (n + 2) * u * x->most;
    if (divisor <= 0) {
        return NAN;
    }
    bool root = call->op->id == OP_std_correction;
    double v = root ? y * y : y,
           bound = n / divisor * (4 * apart * b + 4 * b * b) + (n + 10) * u * v;
    return !root ? bound : (y > 0 ? fmin(bound / y, sqrt(bound)) : sqrt(bound)) + u * y;
}

void shadow_statistic(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    const Tensor *self = call->arg[0].tensor;
    Extent x = shadow_sums_extent_of(self);
    double u = dtype_unit(out->dtype), all = (double)tensor_numel(self);
    double n = call->op->propagation == PROPAGATION_LOGSUMEXP
                   ? all
                   : all / fmax((double)tensor_numel(out), 1);
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    for (int64_t i = 0; i < to->numel; i++) {
        double y = to->value64[i];
        if (!isfinite(y)) {
            to->bound[i] = o->exact ? 0 : NAN;
            continue;
        }
        switch (call->op->propagation) {
        case PROPAGATION_NORM:
            to->bound[i] = norm_bound(call, y, n, u, &x, o, out->dtype);
            break;
        case PROPAGATION_VARIANCE:
            to->bound[i] =
                shadow_may_overflow(o, 2, out->dtype) ? NAN : variance_bound(call, y, n, u, &x);
            break;
        default:
            to->bound[i] = 2 * x.worst + (n + 8) * u * (1 + fabs(y) + x.most);
            break;
        }
        shadow_overflow(&to->value64[i], &to->bound[i], 0, out->dtype);
    }
}

/* Two roundings of numbers up to the larger end; nothing where every number is a short dyadic
 * one. */
void shadow_linspace(const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    double start = scalar_to_double(call->arg[0].scalar),
           end = scalar_to_double(call->arg[1].scalar), n = (double)out->size[0];
    double step = (end - start) / (n - 1), most = fmax(fabs(start), fabs(end)),
           small = ldexp(1, -6);
    bool exact =
        n < 2 || !isfinite(step) ||
        (fmod(step, small) == 0 && fmod(start, small) == 0 && fmod(end, small) == 0 && most < 16);
    for (int64_t i = 0; i < to->numel && !exact && dtype_is_float(out->dtype); i++) {
        to->bound[i] = 3 * dtype_unit(out->dtype) * most;
    }
}
