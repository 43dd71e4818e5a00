/* The float64 shadow of functional ops, by their error propagation (ops.def).
 *
 * Every rule is made of *passes*: the op's own kernel run in float64 on arrays derived from the
 * operands' shadow (their values, their bounds, magnitudes, ones). The value pass gives value64.
 * The bound is what the operands' bounds propagate to, plus what rounding in the program's dtype
 * may add, which is nothing where the data proves every partial result exact:
 *
 *   MOVE         bounds move as values do
 *   SCATTER_ADD  bounds add; (terms - 1) u sum|x|
 *   SUM          sum of bounds; (n + 1) u sum|x|
 *   PROD         prod(|x| + b) - prod|x|; n u prod(|x| + b)
 *   EXTREME      the largest bound of the reduced set
 *   POLYNOMIAL   p(|x| + b) - p(|x|); (n + 4) u p(|x| + b)
 *   MATMUL       (|A| + bA)(|B| + bB) - |A||B|; (n + 2) u |A||B|
 *   SOFTMAX      y (exp(2 max b) - 1 + (n + 8) u)
 *
 * Pointwise ops are in shadow_pointwise.c, sums of products and statistics in shadow_sums.c. */
#include "reference/shadow_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An integer or bool result: exact, or all of it inconclusive. */
static void shadow_load_result(const Tensor *out, bool inconclusive) {
    shadow_lose(out);
    for (int64_t i = 0; i < out->storage->numel && !inconclusive; i++) {
        out->storage->bound[i] = 0;
    }
}

/* ---- rules ---- */

static double factor_of(const Call *call, const char *name) {
    int i = op_param(call->op, name);
    return i < 0 ? 1 : scalar_to_double(call->arg[i].scalar);
}

static void rule_move(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    double *value = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double *bound = shadow_pass(s, call, call->op->kernel, out, PASS_BOUND);
    for (int64_t i = 0; i < out->storage->numel; i++) {
        if (o->converts || !dtype_is_float(out->dtype)) {
            shadow_settle(&value[i], &bound[i], out->dtype, o->from_float);
            value[i] = dtype_is_float(out->dtype)
                           ? value[i]
                           : element_double(out->storage->data, out->dtype, i);
        } else {
            value[i] = bound[i] == 0 ? shadow_round(value[i], out->dtype)
                                     : value[i]; /* a Scalar that was filled in */
        }
    }
    out->storage->value64 = value;
    out->storage->bound = bound;
}

static void rule_scatter_add(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    to->bound = shadow_pass(s, call, call->op->kernel, out, PASS_BOUND);
    double *magnitude = shadow_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *terms = shadow_pass(s, call, call->op->kernel, out, PASS_ONES);
    double alpha = factor_of(call, "alpha"), u = dtype_unit(out->dtype);
    bool scaled = call->op->id == OP__embedding_grad && call->arg[4].b; /* by 1 / n */
    alpha = scaled ? 0.5 : alpha;
    for (int64_t i = 0; i < to->numel; i++) {
        bool exact =
            o->exact && alpha == 1 && shadow_sums_exact(magnitude[i], o->exponent, out->dtype);
        double roundings = scaled ? (double)tensor_numel(call->arg[1].tensor) + 2
                                  : fmax(terms[i] - 1, 0) + (alpha != 1);
        if (roundings > 0 && shadow_may_overflow(o, 1, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!exact && roundings > 0 && !(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] += roundings * u * magnitude[i] +
                            (alpha != 1 ? shadow_grain(out->dtype) * terms[i] : 0);
        }
        shadow_overflow(&to->value64[i], &to->bound[i], magnitude[i], out->dtype);
    }
}

/* Elements that one output element sums or multiplies. */
static double shadow_reduced_count(const Call *call, const Tensor *out) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->id == OP_cumsum || call->op->id == OP_cumprod ||
        call->op->propagation == PROPAGATION_SOFTMAX) {
        int dim = self->ndim > 0
                      ? (int)(call->arg[1].i < 0 ? call->arg[1].i + self->ndim : call->arg[1].i)
                      : 0;
        return self->ndim > 0 ? (double)self->size[dim] : 1;
    }
    return (double)tensor_numel(self) / fmax((double)tensor_numel(out), 1);
}

static void rule_sum(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    to->bound = shadow_pass(
        s, call, call->op->id == OP_nansum ? op_info(OP_sum_dim)->kernel : call->op->kernel, out,
        PASS_BOUND);
    double *magnitude = shadow_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double n = shadow_reduced_count(call, out), u = dtype_unit(out->dtype);
    bool updated = call->op->id == OP__welford_mean,
         mean = call->op->id == OP_mean || call->op->id == OP_mean_dim || updated;
    for (int64_t i = 0; i < to->numel; i++) {
        double y = to->value64[i], total = mean ? magnitude[i] * n : magnitude[i];
        if (n == 0) { /* nothing is rounded; a mean's bound would be 0 / 0 too */
            to->bound[i] = 0;
            continue;
        }
        if (n > 1 && shadow_may_overflow(o, 1, out->dtype)) {
            to->bound[i] = NAN;
            continue;
        }
        if (o->exact && !isfinite(y)) {
            continue;
        }
        if (o->exact && !updated && shadow_sums_exact(total, o->exponent, out->dtype) &&
            (!mean || (fma(y, n, -(y * n)) == 0 && shadow_round(y, out->dtype) == y))) {
            continue;
        }
        to->bound[i] +=
            (updated ? 4 : 1) * (n + 1) * u * magnitude[i] + (mean ? shadow_grain(out->dtype) : 0);
        shadow_overflow(&to->value64[i], &to->bound[i], total, out->dtype);
    }
}

static void rule_prod(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double n = shadow_reduced_count(call, out), u = dtype_unit(out->dtype);
    if (o->exact && (n * o->bits <= shadow_precision(out->dtype) &&
                     n * o->highest < (out->dtype == DT_float16 ? 12 : 120))) {
        return; /* bounds are zero */
    }
    double *worst = shadow_pass(s, call, call->op->kernel, out, PASS_WORST);
    double *magnitude = shadow_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    for (int64_t i = 0; i < to->numel; i++) {
        if (n > 1 && out->dtype != DT_float64 &&
            n * o->highest >
                shadow_safe_exponent(out->dtype)) { /* partial products may overflow or vanish */
            to->bound[i] = NAN;
        } else if (!(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] = (o->exact ? 0 : worst[i] - magnitude[i]) + n * u * worst[i] +
                           n * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[i], &to->bound[i], 0, out->dtype);
        }
    }
}

static void rule_extreme(Session *s, const Call *call, const Tensor *out) {
    out->storage->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    out->storage->bound = shadow_pass(s, call, op_info(OP_amax)->kernel, out, PASS_BOUND);
}

/* Exponents of both factors add; addmm's third operand must be a multiple of no less than the
 * products' grain. */
static bool products_exact(const Call *call, double magnitude, DType dtype) {
    bool addmm = op_param(call->op, "beta") >= 0;
    Operands a = {.exact = true, .finite = true, .exponent = NO_EXPONENT}, b = a, c = a;
    shadow_operands_add(&a, call->arg[addmm].tensor, false, dtype);
    shadow_operands_add(&b, call->arg[1 + addmm].tensor, false, dtype);
    int exponent = a.exponent == NO_EXPONENT || b.exponent == NO_EXPONENT ? NO_EXPONENT
                                                                          : a.exponent + b.exponent;
    if (addmm) {
        shadow_operands_add(&c, call->arg[0].tensor, false, dtype);
        exponent = c.exponent < exponent ? c.exponent : exponent;
        if (factor_of(call, "alpha") != 1 || factor_of(call, "beta") != 1) {
            return false;
        }
    }
    return shadow_sums_exact(magnitude, exponent, dtype);
}

static void rule_matmul(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double *magnitude = shadow_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *worst = o->exact ? magnitude : shadow_pass(s, call, call->op->kernel, out, PASS_WORST);
    const Tensor *left = call->arg[op_param(call->op, "beta") >= 0].tensor;
    double n = (double)(left->ndim > 0 ? left->size[left->ndim - 1] *
                                             (call->op->id == OP_addbmm ? left->size[0] : 1)
                                       : 1),
           u = dtype_unit(out->dtype), most = 0;
    for (int64_t i = 0; i < to->numel; i++) {
        most = fmax(most, magnitude[i]);
    }
    if (o->exact && o->finite && products_exact(call, most, out->dtype)) {
        return;
    }
    for (int64_t i = 0; i < to->numel; i++) {
        if (shadow_may_overflow(o, 2, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] =
                worst[i] - magnitude[i] + (n + 2) * u * worst[i] + n * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[i], &to->bound[i], worst[i], out->dtype);
        }
    }
}

static void rule_softmax(Session *s, const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    const Tensor *self = call->arg[0].tensor;
    to->value64 = shadow_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double n = shadow_reduced_count(call, out), u = dtype_unit(out->dtype);
    int dim = self->ndim > 0
                  ? (int)(call->arg[1].i < 0 ? call->arg[1].i + self->ndim : call->arg[1].i)
                  : 0;
    int64_t length = self->ndim > 0 ? self->size[dim] : 1;
    const Tensor *pair[2] = {out, self};
    for (Walk w = walk_start(out->size, out->ndim, pair, 2); walk_more(&w); walk_next(&w)) {
        to->bound[w.at[0]] = self->storage->bound[w.at[1]];
    }
    /* the largest bound along dim, for every line of `out` (contiguous): lines start where the
     * index along dim is 0 */
    int64_t step = self->ndim > 0 ? out->stride[dim] : 1;
    for (int64_t i = 0; i < to->numel; i++) {
        if (length > 0 && (i / step) % length == 0) {
            double worst = 0;
            for (int64_t j = 0; j < length; j++) {
                double b = to->bound[i + j * step];
                worst = isnan(b) || b > worst ? b : worst;
                if (isnan(b)) {
                    break;
                }
            }
            for (int64_t j = 0; j < length; j++) {
                double y = fabs(to->value64[i + j * step]);
                to->bound[i + j * step] =
                    isnan(to->value64[i + j * step]) && worst == 0
                        ? 0
                        : y * (expm1(2 * worst) + (n + 8) * u) + shadow_grain(out->dtype);
            }
        }
    }
}

/* Is some element of `from`, which is cast to the integer dtype, another integer within its bound?
 */
static bool casts_inconclusively(const Tensor *from, DType dtype) {
    const Tensor *one[1] = {from};
    for (Walk w = walk_start(from->size, from->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double value = from->storage->value64[w.at[0]], bound = from->storage->bound[w.at[0]];
        shadow_settle(&value, &bound, dtype, true);
        if (isnan(bound)) {
            return true;
        }
    }
    return false;
}

/* Results of integer or bool dtype: the values are exact; inconclusive elements propagate. */
static void rule_integer(Session *s, const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    const Tensor *self = call->arg[0].tensor;
    ErrorPropagation rule = call->op->propagation;
    if ((rule == PROPAGATION_SUM || rule == PROPAGATION_PROD) && dtype_is_float(self->dtype) &&
        casts_inconclusively(self, out->dtype)) { /* sum(x, dtype=int64) casts first */
        shadow_lose(out);
        return;
    }
    to->bound = shadow_pass(s, call,
                            call->op->propagation == PROPAGATION_EXTREME ? op_info(OP_amax)->kernel
                                                                         : call->op->kernel,
                            out, PASS_BOUND);
    for (int64_t i = 0; i < to->numel; i++) {
        to->value64[i] = element_double(to->data, to->dtype, i);
        to->bound[i] = isnan(to->bound[i]) ? NAN : 0;
    }
}

/* May the order of the elements, or which of them is zero, change within their bounds? Then the
 * whole result is inconclusive. */
static void rule_choice(const Call *call, const Tensor *out, const Operands *o) {
    const Tensor *self = call->arg[0].tensor;
    const Storage *from = self->storage;
    bool inconclusive = false;
    const Tensor *one[1] = {self};
    for (Walk w = walk_start(self->size, self->ndim, one, 1);
         walk_more(&w) && !o->exact && !inconclusive; walk_next(&w)) {
        double v = from->value64[w.at[0]], b = from->bound[w.at[0]];
        if (isnan(b)) {
            inconclusive = true;
        } else if (b > 0 && call->op->propagation == PROPAGATION_TRUTH) {
            inconclusive = fabs(v) <= 4 * b;
        } else if (b > 0) {
            for (Walk other = walk_start(self->size, self->ndim, one, 1);
                 walk_more(&other) && !inconclusive; walk_next(&other)) {
                double gap = fabs(from->value64[other.at[0]] - v);
                inconclusive = other.at[0] != w.at[0] && gap <= 4 * (b + from->bound[other.at[0]]);
            }
        }
    }
    shadow_load_result(out, inconclusive);
}

static void reference_shadow_compute(Session *s, const Call *call, Tensor *const *out, int nout) {
    const OpInfo *op = call->op;
    if (s->shadow_lost) {
        for (int i = 0; i < nout; i++) {
            shadow_lose(out[i]);
        }
        return;
    }
    if (op->kind == KIND_FACTORY) {
        for (int i = 0; i < nout; i++) {
            shadow_load(s, out[i]->storage);
            if (op->id == OP_linspace) {
                shadow_linspace(call, out[i]);
            }
        }
        return;
    }
    if (op->kind == KIND_POINTWISE) {
        shadow_pointwise(call, out[0], s->fused);
        return;
    }
    CHECK(nout == 1);
    Operands o = shadow_operands(call, out[0]->dtype);
    if (op->propagation == PROPAGATION_NONE) {
        s->shadow_lost |= shadow_is_inconclusive(call->arg[0].tensor);
        shadow_load(s, out[0]->storage);
    } else if (op->propagation == PROPAGATION_ORDER || op->propagation == PROPAGATION_TRUTH) {
        rule_choice(call, out[0], &o);
    } else if (op->propagation == PROPAGATION_SEARCH || op->propagation == PROPAGATION_STEPS) {
        shadow_load_result(out[0],
                           !o.exact || o.index_inconclusive); /* the same operands produce the same
                                                                 bits; nothing is known of others */
    } else if (o.index_inconclusive) {
        shadow_lose(out[0]);
    } else if (op->propagation == PROPAGATION_MOVE) {
        rule_move(s, call, out[0], &o);
    } else if (!dtype_is_float(out[0]->dtype)) {
        rule_integer(s, call, out[0]);
    } else {
        switch (op->propagation) {
        case PROPAGATION_SUM:
            rule_sum(s, call, out[0], &o);
            break;
        case PROPAGATION_PROD:
            rule_prod(s, call, out[0], &o);
            break;
        case PROPAGATION_EXTREME:
            rule_extreme(s, call, out[0]);
            break;
        case PROPAGATION_MATMUL:
            rule_matmul(s, call, out[0], &o);
            break;
        case PROPAGATION_SOFTMAX:
            rule_softmax(s, call, out[0]);
            break;
        case PROPAGATION_POLYNOMIAL:
            shadow_polynomial(s, call, out[0], &o);
            break;
        case PROPAGATION_NORMALIZED:
            shadow_normalized(s, call, out[0], &o);
            break;
        case PROPAGATION_SCATTER_ADD:
            rule_scatter_add(s, call, out[0], &o);
            break;
        case PROPAGATION_MOVE:
        case PROPAGATION_ORDER:
        case PROPAGATION_TRUTH:
        case PROPAGATION_NONE:
        case PROPAGATION_SEARCH:
        case PROPAGATION_STEPS:
            break;
        case PROPAGATION_VARIANCE:
        case PROPAGATION_NORM:
        case PROPAGATION_LOGSUMEXP:
            shadow_statistic(s, call, out[0], &o);
            break;
        }
    }
}

/* A float16 result that is infinite, of finite operands: in float32 it may be a number. (Those of a
 * pointwise op: shadow_pointwise, element by element.) */
static void shadow_open_overflow(const Call *call, const Tensor *out) {
    Storage *s = out->storage;
    bool overflows = out->dtype == DT_float16 && call->op->kind != KIND_FACTORY &&
                     call->op->kind != KIND_POINTWISE && shadow_operands(call, out->dtype).finite;
    for (int64_t i = 0; overflows && i < s->numel; i++) {
        s->bound[i] = isinf(s->value64[i]) ? NAN : s->bound[i];
    }
}

void shadow_compute(Session *s, const Call *call, Tensor *const *out, int nout) {
    reference_shadow_compute(s, call, out, nout);
    for (int k = 0; k < nout && s->fused; k++) {
        shadow_open_overflow(call, out[k]);
    }
}

void shadow_any_order(const Tensor *sum, const Tensor *term) {
    double u = dtype_unit(sum->dtype);
    const Tensor *both[2] = {sum, term};
    for (Walk w = walk_start(sum->size, sum->ndim, both, 2); walk_more(&w); walk_next(&w)) {
        double after = fabs(sum->storage->value64[w.at[0]]),
               added = fabs(term->storage->value64[w.at[1]]);
        sum->storage->bound[w.at[0]] += 2 * u * (after + 2 * added);
    }
}
