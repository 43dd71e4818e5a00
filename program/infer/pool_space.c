/* Inference of adaptive pooling, of pooling over three dims, and of im2col and col2im
 * (aten/src/ATen/native/AdaptiveAveragePooling.cpp, AdaptiveMaxPooling2d.cpp, AveragePool3d.cpp,
 * DilatedMaxPool3d.cpp, im2col_shape_check.h). */
#include "program/infer/pool.h"

#include <string.h>

static ErrCode pool_space_refuse(Error *err, const char *text) {
    return error_set(err, ERR_invalid, "%s", text);
}

static ErrCode pool_space_no_kernel(const Call *call, DType dtype, Error *err) {
    return error_set(err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                     dtype_name(dtype));
}

/* Element d of a list that holds one value or three, `otherwise` if it is empty. */
static int64_t pool_space_along(const Arg *a, int d, int64_t otherwise) {
    return a->ints.n == 0 ? otherwise : a->ints.v[a->ints.n == 1 ? 0 : d];
}

static ErrCode read_windows(const Call *call, const Tensor *self, PoolSpace *p, Error *err) {
    static const char *const names[] = {"kernel_size", "stride", "padding", "dilation"};
    const Arg *a[4], *divisor = call_arg(call, "divisor_override"), one = {.ints = {NULL, 0}};
    for (int k = 0; k < 4; k++) {
        a[k] = call_arg(call, names[k]);
        a[k] = a[k] ? a[k] : &one;
        bool may_lack = a[k] == &one || k == 1;
        if (a[k]->ints.n != 1 && a[k]->ints.n != 3 && !(a[k]->ints.n == 0 && may_lack)) {
            return pool_space_refuse(err, "must be a single int, or a tuple of three ints");
        }
    }
    if (self->ndim != 4 && self->ndim != 5) {
        return pool_space_refuse(err, "non-empty 4D or 5D (batch mode) tensor expected for input");
    }
    if (divisor && !divisor->none && divisor->i == 0) {
        return pool_space_refuse(err, "divisor must be not zero");
    }
    bool ceil_mode = call_arg(call, "ceil_mode")->b;
    p->n = 3;
    for (int d = 0; d < 3; d++) {
        PoolDim *x = &p->dim[d];
        *x = (PoolDim){.in = self->size[self->ndim - 3 + d],
                       .kernel = pool_space_along(a[0], d, 1),
                       .padding = pool_space_along(a[2], d, 0),
                       .dilation = pool_space_along(a[3], d, 1)};
        x->stride = pool_space_along(a[1], d, x->kernel);
        const int64_t v[] = {x->kernel, x->stride, x->padding, x->dilation};
        for (int k = 0; k < 4; k++) {
            if (v[k] != (int32_t)v[k]) {
                return error_set(err, ERR_limit, "%s: a number of over 32 bits", call->op->name);
            }
        }
        if (x->kernel <= 0 || x->stride <= 0 || x->dilation <= 0) {
            return pool_space_refuse(err, "kernel size, stride and dilation should be greater than "
                                          "zero");
        }
        TRY(pool_output(x->in, x->kernel, x->padding, x->stride, x->dilation, ceil_mode, &x->out,
                        err));
        if (x->out < 1) {
            return pool_space_refuse(err, "Output size is too small");
        }
        if (a[3] == &one && x->in < x->kernel) {
            return pool_space_refuse(err, "input image smaller than kernel size");
        }
    }
    return ERR_none;
}

/* The spatial dims of an adaptive op: 2, or as many as the list is long. */
static ErrCode read_parts(const Call *call, const Tensor *self, PoolSpace *p, Error *err) {
    const Arg *size = call_arg(call, "output_size");
    p->n = size->ints.n;
    if (self->ndim != p->n + 1 && self->ndim != p->n + 2) {
        return error_set(err, ERR_invalid, "Expected %dD or %dD tensor, but got %dD", p->n + 1,
                         p->n + 2, self->ndim);
    }
    for (int d = 0; d < p->n; d++) {
        int64_t out = size->ints.v[d];
        if (out < 0) {
            return pool_space_refuse(err, "elements of output_size must be greater than or equal "
                                          "to 0");
        }
        p->dim[d] =
            (PoolDim){.adaptive = true, .in = self->size[self->ndim - p->n + d], .out = out};
        int64_t product;
        if (!checked_mul(out + 1, p->dim[d].in, &product)) {
            return error_set(err, ERR_limit, "a tensor's size overflows");
        }
    }
    return ERR_none;
}

ErrCode pool_space_read(const Call *call, const Tensor *self, PoolSpace *p, Error *err) {
    bool adaptive = call_arg(call, "output_size") != NULL;
    TRY(adaptive ? read_parts(call, self, p, err) : read_windows(call, self, p, err));
    bool average = call->op->id == OP__adaptive_avg_pool || call->op->id == OP__adaptive_avg_grad;
    int first = average && p->n == 2 ? self->ndim - 2 : self->ndim == p->n + 2 || adaptive ? 1 : 0;
    for (int d = first; d < self->ndim; d++) {
        if (self->size[d] == 0) {
            return pool_space_refuse(err, "Expected input to have non-zero size for non-batch "
                                          "dimensions");
        }
    }
    return ERR_none;
}

int64_t pool_dim_window(const PoolDim *d, int64_t o, int64_t *count, int64_t *all) {
    if (d->adaptive) {
        int64_t from = o / d->out * d->in + o % d->out * d->in / d->out,
                to = 1 + ((o + 1) * d->in - 1) / d->out;
        *count = *all = to - from;
        return from;
    }
    int64_t from = o * d->stride - d->padding,
            whole = min_i64(from + d->kernel, d->in + d->padding),
            to = min_i64(from + (d->kernel - 1) * d->dilation + 1, d->in);
    *all = whole - from;
    if (from < 0) {
        from += (d->dilation - 1 - from) / d->dilation * d->dilation;
    }
    *count = to > from ? (to - from + d->dilation - 1) / d->dilation : 0;
    return from;
}

/* Adds an output with self's size, its last dims replaced by the windows. */
static ErrCode pool_space_infer(const Tensor *self, const PoolSpace *p, DType dtype,
                                bool channels_last, Infer *r) {
    int64_t size[MAX_DIMS];
    memcpy(size, self->size, (size_t)self->ndim * sizeof *size);
    for (int d = 0; d < p->n; d++) {
        size[self->ndim - p->n + d] = p->dim[d].out;
    }
    TRY(infer_contiguous(r, dtype, size, self->ndim));
    if (channels_last && is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* Floating dtypes. Two dims keep self's memory format, three are row-major. */
ErrCode infer_adaptive_avg_pool(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, r->err));
    TRY(pool_space_infer(self, &p, self->dtype, p.n == 2, r));
    bool missing = !dtype_is_float(self->dtype) || half_missing(call, self->dtype);
    return missing && (p.n == 3 || tensor_numel(r->out) > 0)
               ? pool_space_no_kernel(call, self->dtype, r->err)
               : ERR_none;
}

ErrCode infer_adaptive_max_indices(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, r->err));
    if (!dtype_is_float(self->dtype) || half_missing(call, self->dtype)) {
        return pool_space_no_kernel(call, self->dtype, r->err);
    }
    return pool_space_infer(self, &p, DT_int64, p.n == 2, r);
}

/* float32, float64 and int64; row-major. */
ErrCode infer_avg_pool3d(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, r->err));
    if (self->dtype != DT_float32 && self->dtype != DT_float64 && self->dtype != DT_int64) {
        return pool_space_no_kernel(call, self->dtype, r->err);
    }
    return pool_space_infer(self, &p, self->dtype, false, r);
}

/* Are these the strides of a dense channels-last tensor, with a batch dim before an unbatched one?
 * (is_contiguous(ChannelsLast3d), which does not read the strides of dims of size 1.) */
static bool is_dense_in_space(const Tensor *t, Tensor *dense) {
    int missing = 5 - t->ndim;
    *dense = (Tensor){.ndim = 5, .size = {1}};
    memcpy(dense->size + missing, t->size, (size_t)t->ndim * sizeof *t->size);
    channels_last_strides(dense);
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] != 1 && t->stride[d] != dense->stride[d + missing]) {
            return false;
        }
    }
    return true;
}

/* All dtypes but bool, in self's memory format. */
ErrCode infer_max_space_indices(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    PoolSpace p;
    TRY(pool_space_read(call, self, &p, r->err));
    if (self->ndim == 4 && is_channels_last(self)) {
        return pool_space_refuse(r->err, "Unsupported memory format. Supports only ChannelsLast3d, "
                                         "Contiguous");
    }
    if (self->dtype == DT_bool || half_missing(call, self->dtype)) {
        return pool_space_no_kernel(call, self->dtype, r->err);
    }
    TRY(pool_space_infer(self, &p, DT_int64, true, r));
    Tensor dense;
    if (self->ndim == 4 && !tensor_is_contiguous(self) && is_dense_in_space(self, &dense)) {
        Tensor *t = r->out;
        memcpy(dense.size + 1, t->size, 4 * sizeof *t->size);
        channels_last_strides(&dense);
        memcpy(t->stride, dense.stride + 1, 4 * sizeof *t->stride);
    }
    return ERR_none;
}

/* Gradients of self: row-major, or in the memory format of self. */
static ErrCode pool_space_like(const Tensor *self, DType dtype, bool channels_last, Infer *r) {
    TRY(infer_contiguous(r, dtype, self->size, self->ndim));
    if (channels_last && is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* The gradient of adaptive pooling must have elements in each sample. */
static ErrCode check_pooled_grad(const Tensor *grad, Error *err) {
    for (int d = 1; d < grad->ndim; d++) {
        if (grad->size[d] == 0) {
            return pool_space_refuse(err,
                                     "Expected grad_output to have non-zero size for non-batch "
                                     "dimensions");
        }
    }
    return ERR_none;
}

ErrCode infer_adaptive_avg_grad(const Call *call, Infer *r) {
    TRY(check_pooled_grad(call->arg[0].tensor, r->err));
    return pool_space_like(call->arg[1].tensor, call->arg[0].tensor->dtype,
                           call_arg(call, "output_size")->ints.n == 2, r);
}

ErrCode infer_avg_pool3d_grad(const Call *call, Infer *r) {
    return pool_space_like(call->arg[1].tensor, call->arg[0].tensor->dtype, false, r);
}

bool take_space_grad_reads_layout(const Call *call) {
    return call_arg(call, "kept")->b && call_arg(call, "dims")->i == 3 &&
           call->arg[0].tensor->ndim == 4;
}

/* `kept`: in self's memory format; an unbatched gradient of max_pool3d that looks channels-last is
 * refused. */
ErrCode infer_take_space_grad(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor;
    TRY(check_pooled_grad(grad, r->err));
    if (take_space_grad_reads_layout(call) && is_channels_last(grad)) {
        return pool_space_refuse(r->err, "Unsupported memory format. Supports only ChannelsLast3d, "
                                         "Contiguous");
    }
    return pool_space_like(call->arg[1].tensor, call->arg[0].tensor->dtype,
                           call_arg(call, "kept")->b, r);
}

/* ---- im2col, col2im ---- */

ErrCode columns_read(const Call *call, Columns *c, Error *err) {
    static const char *const names[] = {"kernel_size", "dilation", "padding", "stride"};
    const int64_t *v[4];
    for (int k = 0; k < 4; k++) {
        const Arg *a = call_arg(call, names[k]);
        if (a->ints.n != 2) {
            return error_set(err, ERR_invalid, "It is expected %s equals to 2, but got size %d",
                             names[k], a->ints.n);
        }
        v[k] = a->ints.v;
        for (int d = 0; d < 2; d++) {
            if (v[k][d] < (k == 2 ? 0 : 1)) {
                return error_set(err, ERR_invalid, "%s should be greater than zero", names[k]);
            }
        }
    }
    for (int d = 0; d < 2; d++) {
        c->kernel[d] = v[0][d];
        c->dilation[d] = v[1][d];
        c->padding[d] = v[2][d];
        c->stride[d] = v[3][d];
    }
    return ERR_none;
}

ErrCode columns_count(Columns *c, const int64_t *plane, Error *err) {
    for (int d = 0; d < 2; d++) {
        int64_t span, room;
        c->plane[d] = plane[d];
        bool fits = checked_mul(c->dilation[d], c->kernel[d] - 1, &span) &&
                    checked_mul(c->padding[d], 2, &room) && checked_add(room, plane[d], &room) &&
                    checked_add(room, -span - 1, &room);
        c->blocks[d] = fits && room >= 0 ? room / c->stride[d] + 1 : 0;
        if (c->blocks[d] < 1) {
            return pool_space_refuse(err,
                                     "the array of sliding blocks is too small (non-positive)");
        }
    }
    return ERR_none;
}

/* [N, C, H, W] -> [N, C * kernel, blocks]; floating dtypes and bool. */
ErrCode infer_im2col(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    Columns c;
    TRY(columns_read(call, &c, r->err));
    if (self->ndim < 3) {
        return error_set(r->err, ERR_index_range, "Dimension out of range (got 2)");
    }
    bool filled = self->ndim <= 4;
    for (int d = self->ndim == 4; d < self->ndim; d++) {
        filled = filled && self->size[d] != 0;
    }
    if (!filled) {
        return pool_space_refuse(r->err, "Expected 3D or 4D (batch mode) tensor with possibly 0 "
                                         "batch size and other non-zero dimensions for input");
    }
    TRY(columns_count(&c, &self->size[self->ndim - 2], r->err));
    if (!dtype_is_float(self->dtype) && self->dtype != DT_bool) {
        return pool_space_no_kernel(call, self->dtype, r->err);
    }
    int64_t size[3] = {self->size[0], self->size[self->ndim - 3] * c.kernel[0] * c.kernel[1],
                       c.blocks[0] * c.blocks[1]};
    bool batched = self->ndim == 4;
    return infer_contiguous(r, self->dtype, size + !batched, 2 + batched);
}

/* The reverse: [N, C * kernel, blocks] -> [N, C, H, W], of the same dtypes. */
ErrCode infer_col2im(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *plane = &call->arg[1];
    Columns c;
    if (plane->ints.n != 2) {
        return error_set(r->err, ERR_invalid,
                         "It is expected output_size equals to 2, but got size %d", plane->ints.n);
    }
    TRY(columns_read(call, &c, r->err));
    int n = self->ndim;
    if ((n != 2 && n != 3) || self->size[n - 1] == 0 || self->size[n - 2] == 0) {
        return pool_space_refuse(r->err, "Expected 2D or 3D (batch mode) tensor for input with "
                                         "possibly 0 batch size and non-zero dimensions for input");
    }
    int64_t area, flat = self->size[n - 2];
    if (!checked_mul(c.kernel[0], c.kernel[1], &area) || flat % area != 0) {
        return error_set(r->err, ERR_shape,
                         "Expected size of input's dimension 1 to be divisible by the product of "
                         "kernel_size");
    }
    TRY(columns_count(&c, plane->ints.v, r->err));
    if (self->size[n - 1] / c.blocks[0] != c.blocks[1] || self->size[n - 1] % c.blocks[0] != 0 ||
        plane->ints.v[0] < 1 || plane->ints.v[1] < 1) {
        return pool_space_refuse(r->err, "expected size of input's dimension 2 to match the "
                                         "calculated number of sliding blocks");
    }
    if (!dtype_is_float(self->dtype) && self->dtype != DT_bool) {
        return pool_space_no_kernel(call, self->dtype, r->err);
    }
    int64_t size[4] = {self->size[0], flat / area, plane->ints.v[0], plane->ints.v[1]};
    return infer_contiguous(r, self->dtype, size + (n == 2), n + 1);
}
