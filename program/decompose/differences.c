/* Decompositions of differences and trapezoidal sums along a dim
 * (aten/src/ATen/native/ReduceOps.cpp, diff; Integration.cpp). */
#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

static ErrCode decompose_differences_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

/* self with prepend in front and append behind, along dim */
static Tensor *extended(Emit *e, const Call *call, Tensor *self, int64_t dim) {
    const Arg *front = &call->arg[3], *behind = &call->arg[4];
    Tensor *v[3];
    int n = 0;
    if (!front->none) {
        v[n++] = front->tensor;
    }
    v[n++] = self;
    if (!behind->none) {
        v[n++] = behind->tensor;
    }
    return n == 1 ? self : emit_op(e, OP_cat, 2, v, n, dim);
}

static ErrCode check_extension(const Call *call, int param, int dim, Error *err) {
    const Tensor *self = call->arg[0].tensor,
                 *other = call->arg[param].none ? NULL : call->arg[param].tensor;
    if (other && other->ndim != self->ndim) {
        return error_set(err, ERR_invalid,
                         "diff expects prepend or append to be the same dimension as input");
    }
    for (int d = 0; other && d < self->ndim; d++) {
        if (d != dim && other->size[d] != self->size[d]) {
            return error_set(err, ERR_invalid,
                             "diff expects the shape of tensor to prepend or append to match that "
                             "of input except along the differencing dimension");
        }
    }
    return ERR_none;
}

/* diff: n times narrow(self, dim, 1, length - 1) - narrow(self, dim, 0, length - 1) */
ErrCode decompose_diff(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t n = call->arg[1].i;
    int dim = 0;
    if (self->ndim == 0) {
        return error_set(e->err, ERR_invalid, "diff expects input to be at least one-dimensional");
    }
    if (n < 0 && since(diff_negative)) {
        return error_set(e->err, ERR_invalid, "order must be non-negative but got %lld",
                         (long long)n);
    }
    if (n != 0 || !call->arg[3].none || !call->arg[4].none) { /* else no one reads dim */
        TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, e->err));
        TRY(check_extension(call, 3, dim, e->err));
        TRY(check_extension(call, 4, dim, e->err));
    }
    if (n == 0) {
        Tensor *zeros = emit_unary(e, OP_zeros_like, self);
        return decompose_differences_answer(e, emit_op(e, OP_copy_, 2, zeros, self), out, nout);
    }
    if (n < 0) { /* no difference is taken */
        return decompose_differences_answer(e, extended(e, call, self, dim), out, nout);
    }
    Tensor *t = extended(e, call, self, dim);
    TRY(e->err->code);
    int64_t length = t->size[dim];
    n = n < length ? n : length;
    for (int64_t i = 0; i < n && t; i++) {
        int64_t rest = t->size[dim] - 1;
        Tensor *left = emit_narrow(e, t, dim, 0, rest), *right = emit_narrow(e, t, dim, 1, rest);
        t = t->dtype == DT_bool ? emit_binary(e, OP_logical_xor, right, left)
                                : emit_sub(e, right, left);
        if (rest == 0) {
            break;
        }
    }
    return decompose_differences_answer(e, t, out, nout);
}

static Tensor *sliced(Emit *e, Tensor *t, int64_t dim, int64_t start, int64_t end) {
    return emit_op(e, OP_slice, 5, t, dim, start, end, (int64_t)1);
}

static ErrCode refuse_bool_spacing(Emit *e, const Call *call) {
    if (call->arg[0].tensor->dtype == DT_bool) {
        return error_set(e->err, ERR_dtype,
                         "%s: received a bool input for `y`, but bool is not supported",
                         call->op->name);
    }
    if (call->arg[1].scalar.kind == CAT_BOOL) {
        return error_set(e->err, ERR_invalid, "%s: Currently, we only support dx as a real number.",
                         call->op->name);
    }
    return ERR_none;
}

static ErrCode check_trapezoid(Emit *e, const Call *call, int *dim) {
    const Tensor *y = call->arg[0].tensor;
    TRY(dim_wrap(call->arg[2].i, y->ndim, dim, e->err));
    return ERR_none;
}

/* Zeros of the sizes of y without dim; at::zeros inside an op writes them in place. */
static Tensor *trapezoid_of_nothing(Emit *e, const Tensor *y, int dim) {
    int64_t size[MAX_DIMS];
    int n = 0;
    for (int d = 0; d < y->ndim; d++) {
        if (d != dim) {
            size[n++] = y->size[d];
        }
    }
    return emit_unary(e, OP_zero_, emit_full(e, size, n, scalar_int(0), y->dtype));
}

/* t * number in C++, which is mul.Scalar: it saves nothing, unlike a number from Python. */
static Tensor *times_number(Emit *e, Tensor *t, Scalar number) {
    bool outer = e->in_formula;
    e->in_formula = true;
    Tensor *product = emit_scalar(e, OP_mul_Scalar, t, number);
    e->in_formula = outer;
    return product;
}

/* trapezoid.dx: (sum(y, dim) - (first + last) * 0.5) * dx */
ErrCode decompose_trapezoid(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *y = call->arg[0].tensor;
    Scalar dx = scalar_float(scalar_to_double(call->arg[1].scalar));
    int dim;
    if (y->ndim > 0 && call->arg[2].i >= -y->ndim && call->arg[2].i < y->ndim &&
        y->size[call->arg[2].i < 0 ? call->arg[2].i + y->ndim : call->arg[2].i] == 0) {
        TRY(check_trapezoid(e, call, &dim));
        return decompose_differences_answer(e, trapezoid_of_nothing(e, y, dim), out, nout);
    }
    if (y->ndim == 0) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)call->arg[2].i);
    }
    TRY(check_trapezoid(e, call, &dim));
    TRY(refuse_bool_spacing(e, call));
    int64_t along = call->arg[2].i;
    Tensor *last = emit_select(e, y, along, -1), *first = emit_select(e, y, along, 0);
    Tensor *half = times_number(e, emit_add(e, first, last), scalar_float(0.5));
    Tensor *less = emit_sub(e, emit_sum_dims(e, y, &along, 1, false), half);
    return decompose_differences_answer(e, times_number(e, less, dx), out, nout);
}

/* cumulative_trapezoid.dx: cumsum((left + right) * (dx / 2), dim) */
ErrCode decompose_cumulative_trapezoid(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *y = call->arg[0].tensor;
    double dx = scalar_to_double(call->arg[1].scalar);
    TRY(refuse_bool_spacing(e, call));
    int64_t dim = call->arg[2].i;
    Tensor *left = sliced(e, y, dim, 0, -1);
    Call c = call_new(OP_slice);
    c.arg[0].tensor = y;
    c.arg[1].i = dim;
    c.arg[2].none = false;
    c.arg[2].i = 1;
    Tensor *right[MAX_OUTPUTS];
    int n;
    TRY(e->err->code);
    TRY(emit_call(e, &c, right, &n));
    Tensor *area = times_number(e, emit_add(e, left, right[0]), scalar_float(dx / 2));
    return decompose_differences_answer(e, emit_op(e, OP_cumsum, 2, area, dim), out, nout);
}
