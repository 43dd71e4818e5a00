/* Inference of factory ops: size and dtype come from scalars (zeros, full, arange, ..) or from the
 * metadata of another tensor (*_like, new_*). The default dtype is float32; full and arange infer
 * theirs from their scalars. Then of random ops, which make a tensor or fill one. */
#include "program/infer/infer.h"

#include <math.h>

/* zeros, ones. */
ErrCode infer_size(const Call *call, Infer *r) {
    return infer_contiguous(r, call_dtype(call, "dtype", DT_float32), call->arg[0].ints.v,
                            call->arg[0].ints.n);
}

ErrCode infer_full(const Call *call, Infer *r) {
    Scalar value = call->arg[1].scalar;
    DType dtype = call_dtype(call, "dtype", dtype_default(value.kind));
    TRY(infer_contiguous(r, dtype, call->arg[0].ints.v, call->arg[0].ints.n));
    return filled_check(value, dtype, tensor_numel(&r->out[0]), r->err);
}

/* new_zeros, new_ones, new_full. */
ErrCode infer_new_size(const Call *call, Infer *r) {
    DType dtype = call_dtype(call, "dtype", call->arg[0].tensor->dtype);
    TRY(infer_contiguous(r, dtype, call->arg[1].ints.v, call->arg[1].ints.n));
    return call->op->id == OP_new_full
               ? filled_check(call->arg[2].scalar, dtype, tensor_numel(&r->out[0]), r->err)
               : ERR_none;
}

/* zeros_like, ones_like, full_like. */
ErrCode infer_like(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    DType dtype = call_dtype(call, "dtype", self->dtype);
    TRY(infer_cloned(r, self, dtype));
    return call->op->id == OP_full_like
               ? filled_check(call->arg[1].scalar, dtype, tensor_numel(self), r->err)
               : ERR_none;
}

/* ---- arange (compute_arange_size in aten/src/ATen/native/RangeUtils.h) ---- */

/* Until 2.8 the bounds that are compared are those of an integer result, truncated. */
static ErrCode arange_check_bounds(Scalar start, Scalar end, Scalar step, bool truncated,
                                   Error *err) {
    double from = truncated ? (double)scalar_to_int(start) : scalar_to_double(start),
           to = truncated ? (double)scalar_to_int(end) : scalar_to_double(end),
           by = truncated ? (double)scalar_to_int(step) : scalar_to_double(step);
    if (since(arange_finite_step) && !isfinite(by)) {
        return error_set(err, ERR_invalid, "step must be finite but got %g", by);
    }
    if (!(by > 0 || by < 0)) {
        return error_set(err, ERR_invalid, "step must be nonzero");
    }
    if (!isfinite(from) || !isfinite(to)) {
        return error_set(err, ERR_invalid, "unsupported range: %g -> %g", from, to);
    }
    if (by > 0 ? to < from : to > from) {
        return error_set(err, ERR_invalid,
                         "upper bound and lower bound inconsistent with step sign");
    }
    return ERR_none;
}

/* Number of elements from integers, or from numbers truncated to them. (2.8 dies of SIGFPE where a
 * step is truncated to zero.) */
static ErrCode arange_count_int(Scalar start, Scalar end, Scalar step, double *count, Error *err) {
    TRY(scalar_check(start, DT_int64, err));
    TRY(scalar_check(end, DT_int64, err));
    TRY(scalar_check(step, DT_int64, err));
    int64_t by = scalar_to_int(step);
    if (by == 0) {
        return error_set(err, ERR_invalid, "step must be nonzero");
    }
    __int128 distance = (__int128)scalar_to_int(end) - scalar_to_int(start);
    if (!since(arange_bounds) && (by > 0 ? distance < 0 : distance > 0)) {
        return error_set(err, ERR_invalid,
                         "upper bound and larger bound inconsistent with step sign");
    }
    int64_t wrapped = (int64_t)(uint64_t)(distance + by - (by > 0 ? 1 : -1)); /* as in PyTorch */
    *count = (double)((__int128)wrapped / by);
    return ERR_none;
}

/* Number of elements from the numbers as they are. The kernel then counts from start by step in the
 * dtype's accumulate type: int64 for integers, float32 for half types. */
static ErrCode arange_count_double(Scalar start, Scalar end, Scalar step, DType dtype,
                                   double *count, Error *err) {
    double from = scalar_to_double(start), to = scalar_to_double(end), by = scalar_to_double(step);
    *count = ceil((to - from) / by);
    bool half = dtype_is_float(dtype) && dtype_bytes(dtype) == 2;
    DType counted = half ? DT_float32 : dtype_is_float(dtype) ? DT_float64 : DT_int64;
    TRY(scalar_check(start, counted, err));
    TRY(scalar_check(step, counted, err));
    return half && !since(arange_bounds) ? scalar_check(end, counted, err) : ERR_none;
}

/* The scalars of any arange overload; start and step default to 0 and 1. */
static void arange_scalars(const Call *call, Scalar *start, Scalar *end, Scalar *step) {
    const Arg *s = call_arg(call, "start"), *t = call_arg(call, "step");
    *start = s ? s->scalar : scalar_int(0);
    *step = t ? t->scalar : scalar_int(1);
    *end = call_arg(call, "end")->scalar;
}

ErrCode infer_arange(const Call *call, Infer *r) {
    Scalar start, end, step;
    arange_scalars(call, &start, &end, &step);
    bool floating = start.kind == CAT_FLOAT || end.kind == CAT_FLOAT || step.kind == CAT_FLOAT;
    DType dtype = call_dtype(call, "dtype", floating ? DT_float32 : DT_int64);
    if (dtype == DT_bool) {
        return error_set(r->err, ERR_dtype, "\"arange_cpu\" not implemented for 'Bool'");
    }
    bool integers = start.kind == CAT_INT && end.kind == CAT_INT && step.kind == CAT_INT,
         by_integers = dtype == DT_int64 && (integers || !since(arange_of_fractions));
    bool truncated = !dtype_is_float(dtype) && !since(arange_bounds);
    double count = 0;
    if (truncated) {
        TRY(scalar_check(start, DT_int64, r->err));
        TRY(scalar_check(end, DT_int64, r->err));
        TRY(scalar_check(step, DT_int64, r->err));
    }
    if (!(truncated && by_integers)) {
        TRY(arange_check_bounds(start, end, step, truncated, r->err));
    }
    if (by_integers) {
        TRY(arange_count_int(start, end, step, &count, r->err));
    } else {
        TRY(arange_count_double(start, end, step, dtype, &count, r->err));
    }
    if (!(count >= 0 && count < 0x1p63)) {
        return error_set(r->err, ERR_invalid, "invalid size, possible overflow?");
    }
    int64_t size[1] = {(int64_t)count};
    return infer_contiguous(r, dtype, size, 1);
}

/* Checks the number of steps, then what the fill or the kernel checks
 * (aten/src/ATen/native/RangeFactories.cpp). */
ErrCode infer_linspace(const Call *call, Infer *r) {
    int64_t steps = call->arg[2].i;
    DType dtype = call_dtype(call, "dtype", DT_float32);
    if (steps < 0) {
        return error_set(r->err, ERR_invalid, "number of steps must be non-negative");
    }
    TRY(infer_contiguous(r, dtype, &steps, 1));
    if (steps > 1 && dtype == DT_bool) {
        return error_set(r->err, ERR_dtype, "\"linspace_cpu\" not implemented for 'Bool'");
    }
    if (steps > 0) {
        TRY(scalar_check(call->arg[0].scalar, dtype, r->err));
    }
    return steps > 1 ? scalar_check(call->arg[1].scalar, dtype, r->err) : ERR_none;
}

ErrCode infer_eye(const Call *call, Infer *r) {
    const Arg *m = call_arg(call, "m");
    int64_t size[2] = {call->arg[0].i, m ? m->i : call->arg[0].i};
    for (int d = 0; d < 2; d++) {
        if (size[d] < 0) {
            return error_set(r->err, ERR_shape, "%s must be greater or equal to 0, got %lld",
                             d ? "m" : "n", (long long)size[d]);
        }
    }
    DType dtype = call_dtype(call, "dtype", DT_float32);
    TRY(half_check(call, dtype, r->err));
    return infer_contiguous(r, dtype, size, 2);
}

/* ---- tril_indices, triu_indices ---- */

/* Number of elements on and below the diagonal `offset` of a row x col matrix; false on
 * overflow. */
static bool tril_count(int64_t row, int64_t col, int64_t offset, int64_t *count) {
    /* Row i holds clamp(i + offset + 1, 0, col) of them: none before `first`, all from `full` on,
     * an arithmetic series between. */
    __int128 at = offset, zero = 0;
    __int128 first = at < 0 ? -at : zero, full = (__int128)col - 1 - at;
    first = first > row ? row : first;
    full = full < first ? first : full > row ? row : full;
    __int128 sum =
        (full - first) * ((first + at + 1) + (full + at)) / 2 + ((__int128)row - full) * col;
    if (sum > INT64_MAX / 2) {
        return false;
    }
    *count = col == 0 ? 0 : (int64_t)sum;
    return true;
}

static ErrCode infer_indices(const Call *call, Infer *r, bool upper) {
    int64_t row = call->arg[0].i, col = call->arg[1].i, offset = call->arg[2].i;
    if (row < 0 || col < 0) {
        return error_set(r->err, ERR_invalid, "%s must be non-negative, got %lld",
                         row < 0 ? "row" : "col", (long long)(row < 0 ? row : col));
    }
    DType dtype = call_dtype(call, "dtype", DT_int64);
    if (dtype != DT_int64 && dtype != DT_int32) {
        return error_set(r->err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                         dtype_name(dtype));
    }
    int64_t count, all;
    bool fits = checked_mul(row, col, &all);
    if (fits && upper) {
        fits = offset == INT64_MIN ? (count = 0, true) : tril_count(row, col, offset - 1, &count);
        count = fits ? all - count : 0;
    } else if (fits) {
        fits = tril_count(row, col, offset, &count);
    }
    if (!fits) {
        return error_set(r->err, ERR_limit, "a tensor's size overflows");
    }
    int64_t size[2] = {2, count};
    return infer_contiguous(r, dtype, size, 2);
}

ErrCode infer_tril_indices(const Call *call, Infer *r) { return infer_indices(call, r, false); }
ErrCode infer_triu_indices(const Call *call, Infer *r) { return infer_indices(call, r, true); }

/* torch.tensor(data).reshape(size): `data` must have as many elements as `size`. */
ErrCode infer_literal(const Call *call, Infer *r) {
    TRY(infer_contiguous(r, call->arg[2].dtype, call->arg[1].ints.v, call->arg[1].ints.n));
    int64_t numel = tensor_numel(r->out);
    if (numel != call->arg[0].data.n) {
        return error_set(r->err, ERR_shape,
                         "a shape of %lld elements is invalid for input of size %lld",
                         (long long)numel, (long long)call->arg[0].data.n);
    }
    return ERR_none;
}

/* float32 for every scalar type, unless a dtype is given. */
ErrCode infer_scalar_tensor(const Call *call, Infer *r) {
    DType dtype = call_dtype(call, "dtype", DT_float32);
    TRY(infer_contiguous(r, dtype, NULL, 0));
    return filled_check(call->arg[0].scalar, dtype, 1, r->err);
}

/* ---- random numbers ----
 * Sizes, dtype and layout, and what each distribution asks of its numbers and of the dtype, in the
 * order of aten/src/ATen/native/DistributionTemplates.h. */

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
    bool fits = dtype_is_float(dtype) ? fabs((double)bound) <= dtype_largest(dtype)
                                      : bound >= dtype_min(dtype) && bound <= dtype_max(dtype);
    return fits
               ? ERR_none
               : error_set(err, ERR_invalid, "%s is out of bounds for %s", what, dtype_name(dtype));
}

/* randint_like: numbers from `low`, which is 0 if it is not given, to `high` - 1. */
ErrCode infer_randint_like(const Call *call, Infer *r) {
    const Arg *low = call_arg(call, "low");
    int64_t from = low ? low->i : 0, to = call_arg(call, "high")->i;
    TRY(infer_drawn_like(call, r));
    if (from >= to) {
        return error_set(
            r->err, ERR_invalid,
            "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
            (long long)from, (long long)to);
    }
    TRY(in_dtype(from, "from", r->out[0].dtype, r->err));
    return in_dtype(to - 1, "to - 1", r->out[0].dtype, r->err);
}

/* The result of bernoulli is contiguous, whatever self is (LEGACY_CONTIGUOUS_MEMORY_FORMAT).
 * Whether the elements are probabilities is seen by the kernel. */
ErrCode infer_bernoulli(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    TRY(infer_contiguous(r, self->dtype, self->size, self->ndim));
    if (call->op->nparam > 1) {
        double p = call->arg[1].f;
        return p >= 0 && p <= 1
                   ? ERR_none
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
               : error_set(err, ERR_invalid, "%s is out of bounds for %s", what, dtype_name(dtype));
}

/* Slopes of rrelu, in the dtype that it computes in. */
ErrCode infer_rrelu_noise(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    return infer_contiguous(r, dtype_bytes(self->dtype) < 4 ? DT_float32 : self->dtype, self->size,
                            self->ndim);
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
        return error_set(r->err, ERR_invalid,
                         "exponential_ expects lambda > 0.0, but found lambda=%g", call->arg[1].f);
    }
    bool refused = !dtype_is_float(self->dtype) && tensor_numel(self) > 0 &&
                   tensor_internal_overlap(self) != OVERLAP_YES;
    return refused ? error_set(r->err, ERR_invalid,
                               "Exponential distribution is a continuous probability distribution. "
                               "dtype must be a floating point but you specified %s",
                               dtype_name(self->dtype))
                   : infer_cloned(r, self, self->dtype);
}
