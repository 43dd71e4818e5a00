/* The float64 shadow of functional ops, by their nature (ops.def).
 *
 * Every rule is made of *passes*: the op's own kernel run in float64 on arrays derived from the operands' shadow (their values,
 * their bounds, magnitudes, ones). The value pass gives value64. The bound is what the operands' bounds propagate to, plus what
 * rounding in the program's dtype may add, which is nothing where the data proves every partial result exact:
 *
 *   MOVE         bounds move as values do
 *   SCATTER_ADD  bounds add; (terms - 1) u sum|x|
 *   SUM          sum of bounds; (n + 1) u sum|x|
 *   PROD         prod(|x| + b) - prod|x|; n u prod(|x| + b)
 *   EXTREME      the largest bound of the reduced set
 *   POLYNOMIAL   p(|x| + b) - p(|x|); (n + 4) u p(|x| + b)
 *   MATMUL       (|A| + bA)(|B| + bB) - |A||B|; (n + 2) u |A||B|
 *   SOFTMAX      y (2 max b + (n + 8) u)
 *
 * Pointwise ops are in shadow_pointwise.c. */
#include "reference/shadow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything in `out` is in doubt; the values are those computed. */
static void lose(const Tensor *out) {
    Storage *s = out->storage;
    for (int64_t i = 0; i < s->numel; i++) {
        s->value64[i] = element_double(s->data, s->dtype, i);
        s->bound[i] = NAN;
    }
}

/* An integer or bool result: exact, or all of it in doubt. */
static void shadow_load_result(const Tensor *out, bool doubt) {
    lose(out);
    for (int64_t i = 0; i < out->storage->numel && !doubt; i++) {
        out->storage->bound[i] = 0;
    }
}

/* ---- passes ---- */

typedef enum Pass { PASS_VALUE, PASS_BOUND, PASS_MAGNITUDE, PASS_WORST /* |x| + b */, PASS_ONES } Pass;

/* Indices and masks choose; everything else is data. */
static bool is_index(const Call *call, const Param *param) {
    if (call->op->id == OP__nll_loss || call->op->id == OP__nll_loss_grad) {
        return strcmp(param->name, "target") == 0;
    }
    return strcmp(param->name, "index") == 0 || strcmp(param->name, "indices") == 0 || strcmp(param->name, "mask") == 0;
}

static double *pass_array(Session *s, const Storage *from, Pass pass) {
    double *v = arena_array(s->arena, double, from->numel);
    for (int64_t i = 0; i < from->numel; i++) {
        switch (pass) {
        case PASS_VALUE: v[i] = from->value64[i]; break;
        case PASS_BOUND: v[i] = from->bound[i]; break;
        case PASS_MAGNITUDE: v[i] = fabs(from->value64[i]); break;
        case PASS_WORST: v[i] = fabs(from->value64[i]) + from->bound[i]; break;
        case PASS_ONES: v[i] = 1; break;
        }
    }
    return v;
}

static Tensor *pass_tensor(Session *s, const Tensor *t, Pass pass) {
    Tensor *copy = arena_new(s->arena, Tensor);
    *copy = shadow_float64(t, pass_array(s, t->storage, pass), arena_new(s->arena, Storage));
    return copy;
}

static Scalar pass_scalar(Scalar value, const Param *param, Pass pass) {
    bool factor = strcmp(param->name, "alpha") == 0 || strcmp(param->name, "beta") == 0;
    double x = scalar_to_double(value);
    switch (pass) {
    case PASS_VALUE: break;
    case PASS_BOUND: x = factor ? fabs(x) : 0; break;
    case PASS_ONES: x = 1; break;
    default: x = fabs(x); break;
    }
    return scalar_float(x);
}

/* Of a POLYNOMIAL row: an operand that is subtracted, so that its magnitude must go in with a minus. */
static bool is_subtracted(const Call *call, const Param *param) {
    return call->op->nature == NATURE_POLYNOMIAL && strcmp(param->name, "target") == 0;
}

static Tensor *pass_operand(Session *s, const Call *call, int i, Pass pass) {
    Tensor *t = pass_tensor(s, call->arg[i].tensor, pass);
    if (pass != PASS_VALUE && is_subtracted(call, &call->op->param[i])) {
        double *v = t->storage->data;
        for (int64_t k = 0; k < t->storage->numel; k++) {
            v[k] = -v[k];
        }
    }
    return t;
}

/* Runs `kernel` with call's arguments derived by `pass`; the result, as long as out's storage. */
static double *run_pass(Session *s, const Call *call, KernelFn kernel, const Tensor *out, Pass pass) {
    Call derived = *call;
    for (int i = 0; i < call->op->nparam; i++) {
        const Param *param = &call->op->param[i];
        Arg *arg = &derived.arg[i];
        if (arg->none || is_index(call, param)) {
            continue;
        }
        switch (param->type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT: arg->tensor = pass_operand(s, call, i, pass); break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            arg->tensors.v = arena_array(s->arena, Tensor *, arg->tensors.n);
            for (int k = 0; k < arg->tensors.n; k++) {
                arg->tensors.v[k] = call->arg[i].tensors.v[k] ? pass_tensor(s, call->arg[i].tensors.v[k], pass) : NULL;
            }
            break;
        case ARG_SCALAR:
        case ARG_SCALAR_OPT: arg->scalar = pass_scalar(arg->scalar, param, pass); break;
        case ARG_DTYPE:
        case ARG_DTYPE_OPT: arg->dtype = DT_float64; break;
        default: break;
        }
    }
    Tensor *result = arena_new(s->arena, Tensor);
    double *data = arena_array(s->arena, double, out->storage->numel);
    *result = shadow_float64(out, data, arena_new(s->arena, Storage));
    Error err = {0};
    KernelCtx k = {s->arena, &err, NULL};
    (void)kernel(&derived, &result, &k); /* values were checked when the op itself ran */
    return data;
}

/* ---- what the operands are like ---- */

typedef struct Operands {
    bool exact;       /* every bound is 0 */
    bool index_doubt; /* an index or mask is in doubt */
    bool converts;    /* some data operand has another dtype than the result */
    bool from_float;  /* some data operand is floating */
    bool finite;
    int exponent;     /* every data element is a multiple of 2^exponent */
    int bits;         /* significant bits of the widest element */
    int highest;      /* largest |exponent| of an element's magnitude */
    int top;          /* largest exponent */
} Operands;

/* Exponent of the lowest set bit of x (finite, not 0), and the number of bits from there up. */
static int lowest_bit(double x, int *bits) {
    int e;
    int64_t m = (int64_t)ldexp(fabs(frexp(x, &e)), 53);
    int low = __builtin_ctzll((unsigned long long)m);
    *bits = 53 - low;
    return e - 53 + low;
}

static void operands_add(Operands *o, const Tensor *t, bool index, DType result) {
    if (index) {
        o->index_doubt |= shadow_in_doubt(t);
        return;
    }
    o->converts |= t->dtype != result;
    o->from_float |= dtype_is_float(t->dtype);
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double v = t->storage->value64[w.at[0]];
        o->exact &= t->storage->bound[w.at[0]] == 0;
        if (!isfinite(v)) {
            o->finite = false;
        } else if (v != 0) {
            int bits, e = lowest_bit(v, &bits);
            o->exponent = e < o->exponent ? e : o->exponent;
            o->bits = bits > o->bits ? bits : o->bits;
            o->highest = abs(e + bits) > o->highest ? abs(e + bits) : o->highest;
            o->top = e + bits > o->top ? e + bits : o->top;
        }
    }
}

enum { NO_EXPONENT = 4096 };

static Operands operands_of(const Call *call, DType result) {
    Operands o = {.exact = true, .finite = true, .exponent = NO_EXPONENT};
    for (int i = 0; i < call->op->nparam; i++) {
        const Param *param = &call->op->param[i];
        const Arg *arg = &call->arg[i];
        if (arg->none) {
            continue;
        }
        if (param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT) {
            operands_add(&o, arg->tensor, is_index(call, param), result);
        } else if (param->type == ARG_TENSORS || param->type == ARG_TENSORS_OPT) {
            for (int k = 0; k < arg->tensors.n; k++) {
                if (arg->tensors.v[k]) {
                    operands_add(&o, arg->tensors.v[k], is_index(call, param), result);
                }
            }
        }
    }
    return o;
}

static int precision(DType dtype) { return -ilogb(dtype_unit(dtype)); }

/* Are sums of multiples of 2^exponent, of total magnitude up to `magnitude`, exact in the dtype, in any order? */
static bool sums_exact(double magnitude, int exponent, DType dtype) {
    return exponent == NO_EXPONENT || ldexp(magnitude, -exponent) <= ldexp(1, precision(dtype));
}

/* Powers of two up to this are well inside the dtype, also where a few of them are added. */
static double safe_exponent(DType dtype) { return dtype == DT_float64 ? 1000 : dtype == DT_float16 ? 12 : 100; }

/* May a partial result of `factors` factors overflow the dtype, so that the order of the terms decides? */
static bool may_overflow(const Operands *o, double factors, DType dtype) { return factors * o->top > safe_exponent(dtype); }

/* ---- rules ---- */

static double factor_of(const Call *call, const char *name) {
    int i = op_param(call->op, name);
    return i < 0 ? 1 : scalar_to_double(call->arg[i].scalar);
}

static void rule_move(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    double *value = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double *bound = run_pass(s, call, call->op->kernel, out, PASS_BOUND);
    for (int64_t i = 0; i < out->storage->numel; i++) {
        if (o->converts || !dtype_is_float(out->dtype)) {
            shadow_settle(&value[i], &bound[i], out->dtype, o->from_float);
            value[i] = dtype_is_float(out->dtype) ? value[i] : element_double(out->storage->data, out->dtype, i);
        } else {
            value[i] = bound[i] == 0 ? shadow_round(value[i], out->dtype) : value[i]; /* a Scalar that was filled in */
        }
    }
    out->storage->value64 = value;
    out->storage->bound = bound;
}

static void rule_scatter_add(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    to->bound = run_pass(s, call, call->op->kernel, out, PASS_BOUND);
    double *magnitude = run_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *terms = run_pass(s, call, call->op->kernel, out, PASS_ONES);
    double alpha = factor_of(call, "alpha"), u = dtype_unit(out->dtype);
    bool scaled = call->op->id == OP__embedding_grad && call->arg[4].b; /* by 1 / n */
    alpha = scaled ? 0.5 : alpha;
    for (int64_t i = 0; i < to->numel; i++) {
        bool exact = o->exact && alpha == 1 && sums_exact(magnitude[i], o->exponent, out->dtype);
        double roundings = scaled ? (double)tensor_numel(call->arg[1].tensor) + 2 : fmax(terms[i] - 1, 0) + (alpha != 1);
        if (roundings > 0 && may_overflow(o, 1, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!exact && roundings > 0 && !(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] += roundings * u * magnitude[i] + (alpha != 1 ? shadow_grain(out->dtype) * terms[i] : 0);
        }
        shadow_overflow(&to->value64[i], &to->bound[i], magnitude[i], out->dtype);
    }
}

/* Elements that one output element sums or multiplies. */
static double reduced_count(const Call *call, const Tensor *out) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->id == OP_cumsum || call->op->id == OP_cumprod || call->op->nature == NATURE_SOFTMAX) {
        int dim = self->ndim > 0 ? (int)(call->arg[1].i < 0 ? call->arg[1].i + self->ndim : call->arg[1].i) : 0;
        return self->ndim > 0 ? (double)self->size[dim] : 1;
    }
    return (double)tensor_numel(self) / fmax((double)tensor_numel(out), 1);
}

static void rule_sum(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    to->bound = run_pass(s, call, call->op->id == OP_nansum ? op_info(OP_sum_dim)->kernel : call->op->kernel, out, PASS_BOUND);
    double *magnitude = run_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double n = reduced_count(call, out), u = dtype_unit(out->dtype);
    bool mean = call->op->id == OP_mean || call->op->id == OP_mean_dim;
    for (int64_t i = 0; i < to->numel; i++) {
        double y = to->value64[i], total = mean ? magnitude[i] * n : magnitude[i];
        if (n > 1 && may_overflow(o, 1, out->dtype)) {
            to->bound[i] = NAN;
            continue;
        }
        if (o->exact && !isfinite(y)) {
            continue;
        }
        if (o->exact && sums_exact(total, o->exponent, out->dtype) && (!mean || (fma(y, n, -(y * n)) == 0 && shadow_round(y, out->dtype) == y))) {
            continue;
        }
        to->bound[i] += (n + 1) * u * magnitude[i] + (mean ? shadow_grain(out->dtype) : 0);
        shadow_overflow(&to->value64[i], &to->bound[i], total, out->dtype);
    }
}

static void rule_prod(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double n = reduced_count(call, out), u = dtype_unit(out->dtype);
    if (o->exact && (n * o->bits <= precision(out->dtype) && n * o->highest < (out->dtype == DT_float16 ? 12 : 120))) {
        return; /* bounds are zero */
    }
    double *worst = run_pass(s, call, call->op->kernel, out, PASS_WORST);
    double *magnitude = run_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    for (int64_t i = 0; i < to->numel; i++) {
        if (n > 1 && out->dtype != DT_float64 && n * o->highest > safe_exponent(out->dtype)) { /* partial products may overflow or vanish */
            to->bound[i] = NAN;
        } else if (!(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] = (o->exact ? 0 : worst[i] - magnitude[i]) + n * u * worst[i] + n * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[i], &to->bound[i], 0, out->dtype);
        }
    }
}

static void rule_extreme(Session *s, const Call *call, const Tensor *out) {
    out->storage->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    out->storage->bound = run_pass(s, call, op_info(OP_amax)->kernel, out, PASS_BOUND);
}

/* Exponents of both factors add; addmm's third operand must be a multiple of no less than the products' grain. */
static bool products_exact(const Call *call, double magnitude, DType dtype) {
    bool addmm = op_param(call->op, "beta") >= 0;
    Operands a = {.exact = true, .finite = true, .exponent = NO_EXPONENT}, b = a, c = a;
    operands_add(&a, call->arg[addmm].tensor, false, dtype);
    operands_add(&b, call->arg[1 + addmm].tensor, false, dtype);
    int exponent = a.exponent == NO_EXPONENT || b.exponent == NO_EXPONENT ? NO_EXPONENT : a.exponent + b.exponent;
    if (addmm) {
        operands_add(&c, call->arg[0].tensor, false, dtype);
        exponent = c.exponent < exponent ? c.exponent : exponent;
        if (factor_of(call, "alpha") != 1 || factor_of(call, "beta") != 1) {
            return false;
        }
    }
    return sums_exact(magnitude, exponent, dtype);
}

static void rule_matmul(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double *magnitude = run_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *worst = o->exact ? magnitude : run_pass(s, call, call->op->kernel, out, PASS_WORST);
    const Tensor *left = call->arg[op_param(call->op, "beta") >= 0].tensor;
    double n = (double)(left->ndim > 0 ? left->size[left->ndim - 1] * (call->op->id == OP_addbmm ? left->size[0] : 1) : 1), u = dtype_unit(out->dtype), most = 0;
    for (int64_t i = 0; i < to->numel; i++) {
        most = fmax(most, magnitude[i]);
    }
    if (o->exact && o->finite && products_exact(call, most, out->dtype)) {
        return;
    }
    for (int64_t i = 0; i < to->numel; i++) {
        if (may_overflow(o, 2, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!(o->exact && !isfinite(to->value64[i]))) {
            to->bound[i] = worst[i] - magnitude[i] + (n + 2) * u * worst[i] + n * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[i], &to->bound[i], worst[i], out->dtype);
        }
    }
}

/* Terms that one element of a POLYNOMIAL row sums. */
static double polynomial_terms(const Call *call, const Tensor *out) {
    switch (call->op->id) {
    case OP_mse_loss: return out->ndim > 0 ? 1 : (double)max_i64(tensor_numel(call->arg[0].tensor), tensor_numel(call->arg[1].tensor)) + 2;
    case OP_avg_pool2d:
    case OP__avg_pool2d_grad: {
        const Arg *kernel = &call->arg[op_param(call->op, "kernel_size")];
        return (double)(kernel->ints.v[0] * kernel->ints.v[kernel->ints.n - 1]) + 2;
    }
    case OP__nll_loss: return out->ndim > 0 ? 1 : 2 * (double)tensor_numel(call->arg[1].tensor) + 2;
    case OP__nll_loss_grad: return (double)tensor_numel(call->arg[2].tensor) + 2;
    case OP__convolution:
    case OP__conv_grad_input:
    case OP__conv_grad_weight: /* elements of weight, or of grad, bound them all */
        return (double)tensor_numel(call->arg[call->op->id == OP__conv_grad_weight ? 0 : 1].tensor) + 1;
    default: return 1;
    }
}

/* Is the result a sum of products and not divided, so that dyadic numbers stay exact? */
static bool divides_sum(const Call *call) {
    int reduction = op_param(call->op, "reduction");
    if (op_param(call->op, "divisor_override") >= 0) {
        return true;
    }
    return reduction >= 0 && call->arg[reduction].i == 1;
}

/* Is the sum divided by a sum of weights? */
static bool weighs(const Call *call) {
    bool nll = call->op->id == OP__nll_loss || call->op->id == OP__nll_loss_grad;
    return nll && divides_sum(call) && !call->arg[op_param(call->op, "weight")].none;
}

static double lowest_of(const Tensor *t) {
    double least = 0;
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        least = fmin(least, t->storage->value64[w.at[0]]);
    }
    return least;
}

static void rule_polynomial(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double *magnitude = run_pass(s, call, call->op->kernel, out, PASS_MAGNITUDE);
    double *worst = o->exact ? magnitude : run_pass(s, call, call->op->kernel, out, PASS_WORST);
    double n = polynomial_terms(call, out), u = dtype_unit(out->dtype);
    int exponent = o->exponent == NO_EXPONENT ? NO_EXPONENT : o->exponent < 0 ? 2 * o->exponent : o->exponent; /* of products of two */
    bool exact = o->exact && o->finite && !o->converts && !divides_sum(call);
    if (weighs(call) && (!o->exact || lowest_of(call->arg[op_param(call->op, "weight")].tensor) < 0)) { /* the weights may nearly cancel */
        lose(out);
        return;
    }
    for (int64_t i = 0; i < to->numel; i++) {
        if (may_overflow(o, 2, out->dtype)) {
            to->bound[i] = NAN;
        } else if (!(exact && sums_exact(magnitude[i], exponent, out->dtype)) && !(o->exact && !isfinite(to->value64[i]))) {
            double most = fabs(worst[i]);
            to->bound[i] = most - fabs(magnitude[i]) + (n + 4) * u * most + n * shadow_grain(out->dtype);
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
    Elements e = {tensor_numel(t), arena_array(s->arena, double, tensor_numel(t)), arena_array(s->arena, double, tensor_numel(t))};
    const Tensor *walked[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, walked, 1); walk_more(&w); walk_next(&w), i++) {
        e.value[i] = t->storage->value64[w.at[0]];
        e.bound[i] = t->storage->bound[w.at[0]];
    }
    return e;
}

/* layer_norm, a row at a time: what the elements' bounds and roundings do to the mean, to the deviation and to the quotient. */
static void rule_normalized(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    if (may_overflow(o, 2, out->dtype)) {
        lose(out);
        return;
    }
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    const Tensor *given[2] = {call->arg[2].none ? NULL : call->arg[2].tensor, call->arg[3].none ? NULL : call->arg[3].tensor};
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
            worst = isnan(x.bound[i]) ? NAN : fmax(worst, x.bound[i]);
            most = fmax(most, fabs(x.value[i]));
            mean += x.value[i] / n;
        }
        for (int64_t i = row; i < row + length; i++) {
            variance += (x.value[i] - mean) * (x.value[i] - mean) / n;
            apart = fmax(apart, fabs(x.value[i] - mean));
        }
        double deviation = sqrt(variance + call->arg[4].f), moved = worst + (n + 4) * u * most;
        double relative = (4 * apart * moved + 4 * moved * moved + (n + 10) * u * variance) / (2 * deviation * deviation) + 4 * u;
        bool lost = !(deviation > 0) || !isfinite(deviation) || relative > 0.25;
        for (int64_t i = 0; i < length; i++) {
            double quotient = fabs(x.value[row + i] - mean) / deviation, error = 4 * moved / deviation + quotient * relative;
            double factor = given[0] ? fabs(w.value[i]) + w.bound[i] : 1, added = given[1] ? fabs(b.value[i]) : 0;
            double bound = error * factor + (given[0] ? quotient * w.bound[i] : 0) + (given[1] ? b.bound[i] : 0) + 4 * u * (quotient * factor + added);
            to->bound[row + i] = lost ? NAN : bound + 2 * shadow_grain(out->dtype);
            shadow_overflow(&to->value64[row + i], &to->bound[row + i], 0, out->dtype);
        }
    }
}

static void rule_softmax(Session *s, const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    const Tensor *self = call->arg[0].tensor;
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    double n = reduced_count(call, out), u = dtype_unit(out->dtype);
    int dim = self->ndim > 0 ? (int)(call->arg[1].i < 0 ? call->arg[1].i + self->ndim : call->arg[1].i) : 0;
    int64_t length = self->ndim > 0 ? self->size[dim] : 1;
    const Tensor *pair[2] = {out, self};
    for (Walk w = walk_start(out->size, out->ndim, pair, 2); walk_more(&w); walk_next(&w)) {
        to->bound[w.at[0]] = self->storage->bound[w.at[1]];
    }
    /* the largest bound along dim, for every line of `out` (contiguous): lines start where the index along dim is 0 */
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
                to->bound[i + j * step] = isnan(to->value64[i + j * step]) && worst == 0 ? 0 : y * (2 * worst + (n + 8) * u) + shadow_grain(out->dtype);
            }
        }
    }
}

/* Results of integer or bool dtype: the values are exact; doubt travels. */
static void rule_integer(Session *s, const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    to->bound = run_pass(s, call, call->op->nature == NATURE_EXTREME ? op_info(OP_amax)->kernel : call->op->kernel, out, PASS_BOUND);
    for (int64_t i = 0; i < to->numel; i++) {
        to->value64[i] = element_double(to->data, to->dtype, i);
        to->bound[i] = isnan(to->bound[i]) ? NAN : 0;
    }
}

/* What bounds are made of where one number for all of self will do. */
typedef struct Extent {
    double worst; /* largest bound */
    double most;  /* largest magnitude of a finite element */
    double low, high;
} Extent;

static Extent extent_of(const Tensor *t) {
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

static double norm_bound(const Call *call, double y, double n, double u, const Extent *x, const Operands *o, DType dtype) {
    double p = call->arg[1].none ? 2 : scalar_to_double(call->arg[1].scalar);
    if (p == 0 || p == -INFINITY) {
        return o->exact ? 0 : p == 0 ? NAN : x->worst;
    }
    if (p == INFINITY) {
        return x->worst;
    }
    bool extreme = may_overflow(o, fmax(p, 1), dtype) || (y > 0 && p * log2(y) < -100);
    return extreme || (p < 1 && !o->exact) ? NAN : n * x->worst + (n + 8) * fmax(1, 1 / p) * u * y;
}

static double variance_bound(const Call *call, double y, double n, double u, const Extent *x) {
    double divisor = n - (call->arg[2].none ? 1 : (double)call->arg[2].i), apart = fmax(x->high - x->low, 0), b = x->worst + (n + 2) * u * x->most;
    if (divisor <= 0) {
        return NAN;
    }
    bool root = call->op->id == OP_std_correction;
    double v = root ? y * y : y, bound = n / divisor * (4 * apart * b + 4 * b * b) + (n + 10) * u * v;
    return !root ? bound : (y > 0 ? fmin(bound / y, sqrt(bound)) : sqrt(bound)) + u * y;
}

static void rule_statistic(Session *s, const Call *call, const Tensor *out, const Operands *o) {
    Storage *to = out->storage;
    const Tensor *self = call->arg[0].tensor;
    Extent x = extent_of(self);
    double u = dtype_unit(out->dtype), all = (double)tensor_numel(self);
    double n = call->op->nature == NATURE_LOGSUMEXP ? all : all / fmax((double)tensor_numel(out), 1);
    to->value64 = run_pass(s, call, call->op->kernel, out, PASS_VALUE);
    for (int64_t i = 0; i < to->numel; i++) {
        double y = to->value64[i];
        if (!isfinite(y)) {
            to->bound[i] = o->exact ? 0 : NAN;
            continue;
        }
        switch (call->op->nature) {
        case NATURE_NORM: to->bound[i] = norm_bound(call, y, n, u, &x, o, out->dtype); break;
        case NATURE_VARIANCE: to->bound[i] = may_overflow(o, 2, out->dtype) ? NAN : variance_bound(call, y, n, u, &x); break;
        default: to->bound[i] = 2 * x.worst + (n + 8) * u * (1 + fabs(y) + x.most); break;
        }
        shadow_overflow(&to->value64[i], &to->bound[i], 0, out->dtype);
    }
}

/* May the order of the elements, or which of them is zero, be another one within their bounds? Then the whole result is in doubt. */
static void rule_choice(const Call *call, const Tensor *out, const Operands *o) {
    const Tensor *self = call->arg[0].tensor;
    const Storage *from = self->storage;
    bool doubt = false;
    const Tensor *one[1] = {self};
    for (Walk w = walk_start(self->size, self->ndim, one, 1); walk_more(&w) && !o->exact && !doubt; walk_next(&w)) {
        double v = from->value64[w.at[0]], b = from->bound[w.at[0]];
        if (isnan(b)) {
            doubt = true;
        } else if (b > 0 && call->op->nature == NATURE_TRUTH) {
            doubt = fabs(v) <= 4 * b;
        } else if (b > 0) {
            for (Walk other = walk_start(self->size, self->ndim, one, 1); walk_more(&other) && !doubt; walk_next(&other)) {
                double gap = fabs(from->value64[other.at[0]] - v);
                doubt = other.at[0] != w.at[0] && gap <= 4 * (b + from->bound[other.at[0]]);
            }
        }
    }
    shadow_load_result(out, doubt);
}

/* Two roundings of numbers up to the larger end; nothing where every number is a short dyadic one. */
static void rule_linspace(const Call *call, const Tensor *out) {
    Storage *to = out->storage;
    double start = scalar_to_double(call->arg[0].scalar), end = scalar_to_double(call->arg[1].scalar), n = (double)out->size[0];
    double step = (end - start) / (n - 1), most = fmax(fabs(start), fabs(end)), small = ldexp(1, -6);
    bool exact = n < 2 || !isfinite(step) || (fmod(step, small) == 0 && fmod(start, small) == 0 && fmod(end, small) == 0 && most < 16);
    for (int64_t i = 0; i < to->numel && !exact && dtype_is_float(out->dtype); i++) {
        to->bound[i] = 3 * dtype_unit(out->dtype) * most;
    }
}

static void compute(Session *s, const Call *call, Tensor *const *out, int nout) {
    const OpInfo *op = call->op;
    if (s->shadow_lost) {
        for (int i = 0; i < nout; i++) {
            lose(out[i]);
        }
        return;
    }
    if (op->kind == KIND_FACTORY) {
        for (int i = 0; i < nout; i++) {
            shadow_load(s, out[i]->storage);
            if (op->id == OP_linspace) {
                rule_linspace(call, out[i]);
            }
        }
        return;
    }
    if (op->kind == KIND_POINTWISE) {
        shadow_pointwise(call, out[0]);
        return;
    }
    CHECK(nout == 1);
    Operands o = operands_of(call, out[0]->dtype);
    if (op->nature == NATURE_NONE) {
        s->shadow_lost |= shadow_in_doubt(call->arg[0].tensor);
        shadow_load(s, out[0]->storage);
    } else if (op->nature == NATURE_ORDER || op->nature == NATURE_TRUTH) {
        rule_choice(call, out[0], &o);
    } else if (op->nature == NATURE_SEARCH || op->nature == NATURE_STEPS) {
        shadow_load_result(out[0], !o.exact || o.index_doubt); /* the same operands give the same bits; of others nothing is known */
    } else if (o.index_doubt) {
        lose(out[0]);
    } else if (op->nature == NATURE_MOVE) {
        rule_move(s, call, out[0], &o);
    } else if (!dtype_is_float(out[0]->dtype)) {
        rule_integer(s, call, out[0]);
    } else {
        switch (op->nature) {
        case NATURE_SUM: rule_sum(s, call, out[0], &o); break;
        case NATURE_PROD: rule_prod(s, call, out[0], &o); break;
        case NATURE_EXTREME: rule_extreme(s, call, out[0]); break;
        case NATURE_MATMUL: rule_matmul(s, call, out[0], &o); break;
        case NATURE_SOFTMAX: rule_softmax(s, call, out[0]); break;
        case NATURE_POLYNOMIAL: rule_polynomial(s, call, out[0], &o); break;
        case NATURE_NORMALIZED: rule_normalized(s, call, out[0], &o); break;
        case NATURE_SCATTER_ADD: rule_scatter_add(s, call, out[0], &o); break;
        case NATURE_MOVE:
        case NATURE_ORDER:
        case NATURE_TRUTH:
        case NATURE_NONE:
        case NATURE_SEARCH:
        case NATURE_STEPS: break;
        case NATURE_VARIANCE:
        case NATURE_NORM:
        case NATURE_LOGSUMEXP: rule_statistic(s, call, out[0], &o); break;
        }
    }
}

void shadow_compute(Session *s, const Call *call, Tensor *const *out, int nout) {
    compute(s, call, out, nout);
    for (int k = 0; k < nout && !s->shadow_doubt; k++) {
        const Storage *storage = out[k]->storage;
        for (int64_t i = 0; i < storage->numel; i++) {
            s->shadow_doubt |= isnan(storage->bound[i]);
        }
    }
}
