/* Inference of pooling (aten/src/ATen/native/Pool.h, AveragePool2d.cpp, DilatedMaxPool2d.cpp,
 * MaxPooling.cpp). */
#include "program/infer/pool.h"

#include <string.h>

static ErrCode infer_pool_read_pair(const Call *call, const char *name, const int64_t *otherwise,
                                    int64_t *v, Error *err) {
    const Arg *a = call_arg(call, name);
    int n = a ? a->ints.n : 0;
    if (n > 2 || (n == 0 && !otherwise)) {
        return error_set(err, ERR_invalid,
                         "%s: %s must either be a single int, or a tuple of two ints",
                         call->op->name, name);
    }
    for (int d = 0; d < 2; d++) {
        v[d] = n == 0 ? otherwise[d] : a->ints.v[n == 2 ? d : 0];
    }
    return ERR_none;
}

ErrCode pool_output(int64_t in, int64_t kernel, int64_t pad, int64_t stride, int64_t dilation,
                    bool ceil_mode, int64_t *out, Error *err) {
    if (stride == 0) {
        return error_set(err, ERR_invalid, "stride should not be zero");
    }
    if (pad < 0 || pad > kernel / 2) {
        return error_set(err, ERR_invalid,
                         pad < 0 ? "pad must be non-negative"
                                 : "pad should be at most half of kernel size");
    }
    if (stride < 0 || dilation <= 0) { /* pool_check reports an error for these */
        *out = 0;
        return ERR_none;
    }
    int64_t span, room;
    if (!checked_mul(dilation, kernel - 1, &span) || !checked_add(in, 2 * pad, &room) ||
        !checked_add(room, -span - 1, &room) ||
        !checked_add(room, ceil_mode ? stride - 1 : 0, &room)) {
        return error_set(err, ERR_invalid, "a pooling window that overflows");
    }
    int64_t steps = room / stride;
    steps -= room % stride < 0;
    *out = steps + 1;
    if (ceil_mode &&
        (*out - 1) * stride >= in + pad) { /* the last window starts inside the plane */
        --*out;
    }
    return ERR_none;
}

static bool is_int32(int64_t v) { return v == (int32_t)v; }

ErrCode pool_read(const Call *call, const Tensor *self, Pool *p, Error *err) {
    static const int64_t one[2] = {1, 1};
    const Arg *ceil_mode = call_arg(call, "ceil_mode"),
              *divisor = call_arg(call, "divisor_override");
    memset(p, 0, sizeof *p);
    TRY(infer_pool_read_pair(call, "kernel_size", NULL, p->kernel, err));
    TRY(infer_pool_read_pair(call, "stride", p->kernel, p->stride, err));
    TRY(infer_pool_read_pair(call, "padding", NULL, p->padding, err));
    if (call_arg(call, "dilation")) {
        TRY(infer_pool_read_pair(call, "dilation", NULL, p->dilation, err));
        if (self->ndim != 3 && self->ndim != 4) {
            return error_set(err, ERR_invalid,
                             "non-empty 3D or 4D (batch mode) tensor expected for input");
        }
    } else {
        memcpy(p->dilation, one, sizeof one);
    }
    p->ceil_mode = ceil_mode->b;
    if (divisor && !divisor->none && divisor->i == 0) {
        return error_set(err, ERR_invalid, "divisor must be not zero");
    }
    if (self->ndim < 3) {
        return error_set(err, ERR_index_range,
                         "Dimension out of range (expected to be in range of [%d, %d], but got -3)",
                         -self->ndim, self->ndim - 1);
    }
    for (int d = 0; d < 2; d++) {
        if (!is_int32(p->kernel[d]) || !is_int32(p->stride[d]) || !is_int32(p->padding[d]) ||
            !is_int32(p->dilation[d])) {
            return error_set(err, ERR_limit, "%s: a number of over 32 bits",
                             call->op->name); /* PyTorch ignores it */
        }
        p->in[d] = self->size[self->ndim - 2 + d];
        TRY(pool_output(p->in[d], p->kernel[d], p->padding[d], p->stride[d], p->dilation[d],
                        p->ceil_mode, &p->out[d], err));
    }
    return ERR_none;
}

ErrCode pool_check(const Tensor *self, const Pool *p, Error *err) {
    const char *wrong = NULL;
    for (int d = 0; d < 2; d++) {
        wrong = p->kernel[d] <= 0     ? "kernel size should be greater than zero"
                : p->stride[d] <= 0   ? "stride should be greater than zero"
                : p->dilation[d] <= 0 ? "dilation should be greater than zero"
                                      : wrong;
    }
    bool filled = self->ndim == 3 || self->ndim == 4;
    for (int d = self->ndim == 4; d < self->ndim; d++) {
        filled &= self->size[d] != 0 || (self->ndim == 3 && d == 3);
    }
    wrong = wrong ? wrong
            : !filled
                ? "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input"
                : NULL;
    for (int d = 0; d < 2 && !wrong; d++) {
        wrong = p->kernel[d] / 2 < p->padding[d]
                    ? "pad should be smaller than or equal to half of kernel size"
                    : NULL;
    }
    wrong = wrong ? wrong : p->out[0] < 1 || p->out[1] < 1 ? "Output size is too small" : NULL;
    return wrong ? error_set(err, ERR_invalid, "%s", wrong) : ERR_none;
}

/* Adds an output with self's size, its plane replaced by p->out, in self's memory format. */
static ErrCode pool_infer(const Tensor *self, const Pool *p, DType dtype, Infer *r) {
    int64_t size[MAX_DIMS];
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    size[self->ndim - 2] = p->out[0];
    size[self->ndim - 1] = p->out[1];
    TRY(infer_contiguous(r, dtype, size, self->ndim));
    if (is_channels_last(self)) {
        channels_last_strides(&r->out[0]);
    }
    return ERR_none;
}

static ErrCode infer_pool_no_kernel(const Call *call, DType dtype, Error *err) {
    return error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                     dtype_name(dtype));
}

/* Floating dtypes and int64. */
ErrCode infer_avg_pool2d(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    Pool p;
    TRY(pool_read(call, self, &p, r->err));
    TRY(pool_check(self, &p, r->err));
    if (self->dtype != DT_int64 &&
        (!dtype_is_float(self->dtype) || half_missing(call, self->dtype))) {
        return infer_pool_no_kernel(call, self->dtype, r->err);
    }
    return pool_infer(self, &p, self->dtype, r);
}

/* Zeros like self, in its memory format. */
static ErrCode infer_plane_grad(const Tensor *self, DType dtype, Infer *r) {
    TRY(infer_contiguous(r, dtype, self->size, self->ndim));
    if (is_channels_last(self)) {
        channels_last_strides(&r->out[0]);
    }
    return ERR_none;
}

ErrCode infer_avg_pool2d_grad(const Call *call, Infer *r) {
    return infer_plane_grad(call->arg[1].tensor, call->arg[0].tensor->dtype, r);
}
ErrCode infer_max_pool2d_grad(const Call *call, Infer *r) {
    return infer_plane_grad(call->arg[1].tensor, call->arg[0].tensor->dtype, r);
}

/* The index of the maximum of every window within its plane; floating dtypes, since 2.8 integers
 * too. */
ErrCode infer_max_pool2d_indices(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    Pool p;
    TRY(pool_read(call, self, &p, r->err));
    TRY(pool_check(self, &p, r->err));
    bool integers = since(max_pool_integers) && self->dtype != DT_bool;
    if ((!dtype_is_float(self->dtype) && !integers) || half_missing(call, self->dtype)) {
        return infer_pool_no_kernel(call, self->dtype, r->err);
    }
    return pool_infer(self, &p, DT_int64, r);
}

/* Gathers elements of planes at the indices, in the layout of the indices. */
ErrCode infer_take_plane(const Call *call, Infer *r) {
    const Tensor *indices = call->arg[1].tensor;
    Tensor *t = infer_one(r, call->arg[0].tensor->dtype, indices->ndim);
    memcpy(t->size, indices->size, (size_t)indices->ndim * sizeof *t->size);
    memcpy(t->stride, indices->stride, (size_t)indices->ndim * sizeof *t->stride);
    return ERR_none;
}

/* max_pool1d where it is not recorded: [batch,] channels, length; the result has a batch dim of
 * size 1 if self has none. */
ErrCode infer_max_pool1d(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int64_t length = self->size[self->ndim - 1], out;
    TRY(pool_output(length, call->arg[1].i, call->arg[3].i, call->arg[2].i, call->arg[4].i,
                    call->arg[5].b, &out, r->err));
    if (!dtype_is_float(self->dtype) || half_missing(call, self->dtype)) {
        return infer_pool_no_kernel(call, self->dtype, r->err);
    }
    int64_t size[3] = {self->ndim == 3 ? self->size[0] : 1, self->size[self->ndim - 2], out};
    return infer_contiguous(r, self->dtype, size, 3);
}
