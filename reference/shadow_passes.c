/* Passes: the op's own kernel run in float64 on arrays derived from the operands' shadow, and what
 * makes a sum exact. */
#include "reference/shadow_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything in `out` is in doubt; the values are those computed. */
void shadow_lose(const Tensor *out) {
    Storage *s = out->storage;
    for (int64_t i = 0; i < s->numel; i++) {
        s->value64[i] = element_double(s->data, s->dtype, i);
        s->bound[i] = NAN;
    }
}

/* Indices and masks choose; everything else is data. */
static bool is_index(const Call *call, const Param *param) {
    if (call->op->id == OP__nll_loss || call->op->id == OP__nll_loss_grad) {
        return param_is(param, "target");
    }
    return param_is(param, "index") || param_is(param, "indices") || param_is(param, "mask");
}

static double *pass_array(Session *s, const Storage *from, Pass pass) {
    double *v = arena_array(s->arena, double, from->numel);
    for (int64_t i = 0; i < from->numel; i++) {
        switch (pass) {
        case PASS_VALUE:
            v[i] = from->value64[i];
            break;
        case PASS_BOUND:
            v[i] = from->bound[i];
            break;
        case PASS_MAGNITUDE:
            v[i] = fabs(from->value64[i]);
            break;
        case PASS_WORST:
            v[i] = fabs(from->value64[i]) + from->bound[i];
            break;
        case PASS_ONES:
            v[i] = 1;
            break;
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
    bool factor = param_is(param, "alpha") || param_is(param, "beta");
    double x = scalar_to_double(value);
    switch (pass) {
    case PASS_VALUE:
        break;
    case PASS_BOUND:
        x = factor ? fabs(x) : 0;
        break;
    case PASS_ONES:
        x = 1;
        break;
    default:
        x = fabs(x);
        break;
    }
    return scalar_float(x);
}

/* Of a POLYNOMIAL row: an operand that is subtracted, so that its magnitude must go in with a
 * minus. */
static bool is_subtracted(const Call *call, const Param *param) {
    return call->op->propagation == PROPAGATION_POLYNOMIAL && param_is(param, "target");
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
double *shadow_pass(Session *s, const Call *call, KernelFn kernel, const Tensor *out, Pass pass) {
    Call derived = *call;
    for (int i = 0; i < call->op->nparam; i++) {
        const Param *param = &call->op->param[i];
        Arg *arg = &derived.arg[i];
        if (arg->none || is_index(call, param)) {
            continue;
        }
        switch (param->type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            arg->tensor = pass_operand(s, call, i, pass);
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            arg->tensors.v = arena_array(s->arena, Tensor *, arg->tensors.n);
            for (int k = 0; k < arg->tensors.n; k++) {
                arg->tensors.v[k] = call->arg[i].tensors.v[k]
                                        ? pass_tensor(s, call->arg[i].tensors.v[k], pass)
                                        : NULL;
            }
            break;
        case ARG_SCALAR:
        case ARG_SCALAR_OPT:
            arg->scalar = pass_scalar(arg->scalar, param, pass);
            break;
        case ARG_DTYPE:
        case ARG_DTYPE_OPT:
            arg->dtype = DT_float64;
            break;
        default:
            break;
        }
    }
    Tensor *result = arena_new(s->arena, Tensor);
    double *data = arena_array(s->arena, double, out->storage->numel);
    *result = shadow_float64(out, data, arena_new(s->arena, Storage));
    Error err = {0};
    KernelCtx k = {.arena = s->arena, .err = &err};
    (void)kernel(&derived, &result, &k); /* values were checked when the op itself ran */
    return data;
}

/* ---- what the operands are like ---- */

/* Exponent of the lowest set bit of x (finite, not 0), and the number of bits from there up. */
static int lowest_bit(double x, int *bits) {
    int e;
    int64_t m = (int64_t)ldexp(fabs(frexp(x, &e)), 53);
    int low = __builtin_ctzll((unsigned long long)m);
    *bits = 53 - low;
    return e - 53 + low;
}

void shadow_operands_add(Operands *o, const Tensor *t, bool index, DType result) {
    if (index) {
        o->index_inconclusive |= shadow_is_inconclusive(t);
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

Operands shadow_operands(const Call *call, DType result) {
    Operands o = {.exact = true, .finite = true, .exponent = NO_EXPONENT};
    for (int i = 0; i < call->op->nparam; i++) {
        const Param *param = &call->op->param[i];
        const Arg *arg = &call->arg[i];
        if (arg->none) {
            continue;
        }
        if (param->type == ARG_TENSOR || param->type == ARG_TENSOR_OPT) {
            shadow_operands_add(&o, arg->tensor, is_index(call, param), result);
        } else if (param->type == ARG_TENSORS || param->type == ARG_TENSORS_OPT) {
            for (int k = 0; k < arg->tensors.n; k++) {
                if (arg->tensors.v[k]) {
                    shadow_operands_add(&o, arg->tensors.v[k], is_index(call, param), result);
                }
            }
        }
    }
    return o;
}

int shadow_precision(DType dtype) { return -ilogb(dtype_unit(dtype)); }

/* Are sums of multiples of 2^exponent, of total magnitude up to `magnitude`, exact in the dtype, in
 * any order? */
bool shadow_sums_exact(double magnitude, int exponent, DType dtype) {
    return exponent == NO_EXPONENT ||
           ldexp(magnitude, -exponent) <= ldexp(1, shadow_precision(dtype));
}

/* Powers of two up to this are well inside the dtype, also where a few of them are added. */
double shadow_safe_exponent(DType dtype) {
    return dtype == DT_float64 ? 1000 : dtype == DT_float16 ? 12 : 100;
}

/* May a partial result of `factors` factors overflow the dtype, so that the order of the terms
 * decides? */
bool shadow_may_overflow(const Operands *o, double factors, DType dtype) {
    return factors * o->top > shadow_safe_exponent(dtype);
}
