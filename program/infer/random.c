/* Inference of random ops: sizes, dtype and layout as of the ops that fill with one value, then what
 * each distribution asks of its numbers and of the dtype, in PyTorch's order
 * (aten/src/ATen/native/DistributionTemplates.h). */
#include "program/infer/infer.h"

#include <math.h>

static ErrCode no_kernel(const char *name, DType dtype, Error *err) {
    return error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'", name, dtype_name(dtype));
}

static ErrCode refuse_integers(DType dtype, Error *err) {
    return dtype_is_float(dtype) ? ERR_none : no_kernel("check_uniform_bounds", dtype, err);
}

/* normal_ leaves a tensor of no elements alone, whatever its dtype. */
static ErrCode refuse_some_integers(const Tensor *t, Error *err) {
    return dtype_is_float(t->dtype) || tensor_numel(t) == 0
               ? ERR_none
               : no_kernel("normal_kernel_cpu", t->dtype, err);
}

/* ---- factories ---- */

static ErrCode infer_drawn(const Call *call, Infer *r) {
    return infer_contiguous(r, call_dtype(call, "dtype", DT_float32), call->arg[0].ints.v,
                            call->arg[0].ints.n);
}

static ErrCode infer_drawn_like(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_cloned(r, self, call_dtype(call, "dtype", self->dtype));
}

ErrCode infer_rand(const Call *call, Infer *r) {
    TRY(infer_drawn(call, r));
    return refuse_integers(r->out[0].dtype, r->err);
}

ErrCode infer_randn(const Call *call, Infer *r) {
    TRY(infer_drawn(call, r));
    return refuse_some_integers(&r->out[0], r->err);
}

ErrCode infer_rand_like(const Call *call, Infer *r) {
    TRY(infer_drawn_like(call, r));
    return refuse_integers(r->out[0].dtype, r->err);
}

ErrCode infer_randn_like(const Call *call, Infer *r) {
    TRY(infer_drawn_like(call, r));
    return refuse_some_integers(&r->out[0], r->err);
}

static ErrCode in_dtype(int64_t bound, const char *what, DType dtype, Error *err) {
    bool fits = dtype_is_float(dtype)
                    ? fabs((double)bound) <= dtype_largest(dtype)
                    : bound >= dtype_min(dtype) && bound <= dtype_max(dtype);
    return fits ? ERR_none
                : error_set(err, ERR_invalid, "%s is out of bounds for %s", what,
                            dtype_name(dtype));
}

/* randint_like: numbers from `low`, which is 0 if it is not given, to `high` - 1. */
ErrCode infer_randint_like(const Call *call, Infer *r) {
    const Arg *low = call_arg(call, "low");
    int64_t from = low ? low->i : 0, to = call_arg(call, "high")->i;
    TRY(infer_drawn_like(call, r));
    if (from >= to) {
        return error_set(r->err, ERR_invalid,
                         "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
                         (long long)from, (long long)to);
    }
    TRY(in_dtype(from, "from", r->out[0].dtype, r->err));
    return in_dtype(to - 1, "to - 1", r->out[0].dtype, r->err);
}

/* ---- functions of a tensor ---- */

/* The result of bernoulli is contiguous, whatever self is (LEGACY_CONTIGUOUS_MEMORY_FORMAT). Whether
 * the elements are probabilities is seen by the kernel. */
ErrCode infer_bernoulli(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    TRY(infer_contiguous(r, self->dtype, self->size, self->ndim));
    if (call->op->nparam > 1) {
        double p = call->arg[1].f;
        return p >= 0 && p <= 1 ? ERR_none
                                : error_set(r->err, ERR_invalid,
                                            "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    }
    return dtype_is_float(self->dtype) || tensor_numel(self) == 0
               ? ERR_none
               : no_kernel("bernoulli_tensor_cpu_p_", self->dtype, r->err);
}

static ErrCode uniform_bound(double bound, const char *what, DType dtype, Error *err) {
    return fabs(bound) <= dtype_largest(dtype)
               ? ERR_none
               : error_set(err, ERR_invalid, "%s is out of bounds for %s", what,
                           dtype_name(dtype));
}

ErrCode infer_uniform(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    double from = call->arg[1].f, to = call->arg[2].f;
    TRY(refuse_integers(self->dtype, r->err));
    TRY(uniform_bound(from, "from", self->dtype, r->err));
    TRY(uniform_bound(to, "to", self->dtype, r->err));
    if (from > to) {
        return error_set(r->err, ERR_invalid,
                         "uniform_ expects to return a [from, to) range, but found from=%g > to=%g",
                         from, to);
    }
    if (!(to - from <= dtype_largest(self->dtype))) {
        return error_set(r->err, ERR_invalid, "uniform_ expects to-from to be a number of %s",
                         dtype_name(self->dtype));
    }
    return infer_cloned(r, self, self->dtype);
}

ErrCode infer_normal(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (!(call->arg[2].f >= 0)) {
        return error_set(r->err, ERR_invalid, "normal expects std >= 0.0, but found std %g",
                         call->arg[2].f);
    }
    TRY(refuse_some_integers(self, r->err));
    return infer_cloned(r, self, self->dtype);
}

/* The dtype is seen by the kernel, after self was found to overlap itself. */
ErrCode infer_exponential(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    if (!(call->arg[1].f > 0)) {
        return error_set(r->err, ERR_invalid, "exponential_ expects lambda > 0.0, but found lambda=%g",
                         call->arg[1].f);
    }
    bool refused = !dtype_is_float(self->dtype) && tensor_numel(self) > 0 &&
                   tensor_internal_overlap(self) != OVERLAP_YES;
    return refused ? error_set(r->err, ERR_invalid,
                               "Exponential distribution is a continuous probability distribution. "
                               "dtype must be a floating point but you specified %s",
                               dtype_name(self->dtype))
                   : infer_cloned(r, self, self->dtype);
}
