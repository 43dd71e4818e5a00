/* Inference of interpolation (aten/src/ATen/native/UpSample.h, UpSampleNearest2d.cpp and its kin),
 * and the elements that each output element is made of. */
#include "program/infer/interpolate.h"

#include <math.h>
#include <string.h>

int upsample_taps(const Call *call) {
    const Arg *taps = call_arg(call, "taps");
    switch (call->op->id) {
    case OP_upsample_nearest1d:
    case OP_upsample_nearest2d:
    case OP_upsample_nearest3d:
        return 1;
    case OP_upsample_bicubic2d:
        return 4;
    default:
        return taps ? (int)taps->i : 2;
    }
}

int upsample_read(const Call *call, Interpolation dims[3]) {
    static const char *const names[] = {"scales_d", "scales_h", "scales_w"};
    const Arg *size = call_arg(call, "output_size"), *from = call_arg(call, "input_size"),
              *align = call_arg(call, "align_corners");
    int n = size->ints.n;
    for (int d = 0; d < n; d++) {
        const Arg *scale = call_arg(call, names[3 - n + d]);
        scale = scale ? scale : call_arg(call, "scales");
        dims[d] =
            (Interpolation){.taps = upsample_taps(call),
                            .align_corners = align && align->b,
                            .scale = scale && !scale->none ? scale->f : 0,
                            .in = from ? from->ints.v[2 + d] : call->arg[0].tensor->size[2 + d],
                            .out = size->ints.v[d]};
    }
    return n;
}

/* The step in the input for a step in the output (area_pixel_compute_scale). */
static double interpolation_step(const Interpolation *d, bool wide) {
    double step = d->scale > 0 ? 1 / d->scale
                  : wide       ? (double)d->in / (double)d->out
                               : (double)((float)d->in / (float)d->out);
    if (d->align_corners) {
        step = d->out <= 1 ? 0
               : wide      ? (double)(d->in - 1) / (double)(d->out - 1)
                           : (double)((float)(d->in - 1) / (float)(d->out - 1));
    }
    return wide ? step : (double)(float)step;
}

/* Where output element `o` lies in the input (area_pixel_compute_source_index). */
static double interpolation_source(const Interpolation *d, int64_t o, bool wide) {
    double step = interpolation_step(d, wide), at = (double)o;
    if (d->align_corners) {
        at *= step;
        return wide ? at : (double)(float)at;
    }
    at = wide ? step * (at + 0.5) - 0.5 : (double)(float)((double)(float)(step * (at + 0.5)) - 0.5);
    return d->taps < 4 && at < 0 ? 0 : at;
}

/* The weights of four neighbours, `t` after the second (get_cubic_upsample_coefficients). */
static void cubic_weights(double t, double weight[4]) {
    const double a = -0.75;
    for (int k = 0; k < 4; k++) {
        double x = fabs(t + 1 - k);
        weight[k] = k == 1 || k == 2 ? ((a + 2) * x - (a + 3)) * x * x + 1
                                     : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    }
}

bool interpolation_taps(const Interpolation *d, int64_t o, DType dtype, int64_t at[4],
                        double weight[4]) {
    bool wide = dtype == DT_float64;
    if (d->taps == 1) {
        double narrow = floor((double)(float)((double)o * interpolation_step(d, false))),
               full = floor((double)o * interpolation_step(d, true));
        at[0] = min_i64((int64_t)narrow, d->in - 1);
        weight[0] = 1;
        int64_t plain = d->in == d->out ? o : d->out == 2 * d->in ? o / 2 : at[0];
        return at[0] == plain && (narrow == full || !wide);
    }
    double source = interpolation_source(d, o, wide);
    int64_t first = min_i64((int64_t)floor(source), d->in - 1);
    double t = fmin(fmax(source - (double)first, 0), 1);
    if (d->taps == 4) {
        cubic_weights(t, weight);
        for (int k = 0; k < 4; k++) {
            at[k] = min_i64(max_i64(first - 1 + k, 0), d->in - 1);
        }
        return true;
    }
    if (d->in == d->out) {
        first = o;
        t = 0;
    }
    at[0] = first;
    at[1] = min_i64(first + 1, d->in - 1);
    weight[0] = 1 - t;
    weight[1] = t;
    return true;
}

static ErrCode upsample_check_self(const Call *call, int n, Error *err) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *size = &call->arg[1];
    if (size->ints.n != n) {
        return error_set(err, ERR_invalid,
                         "It is expected output_size equals to %d, but got size %d", n,
                         size->ints.n);
    }
    if (self->ndim != n + 2) {
        return error_set(err, ERR_invalid,
                         "It is expected input_size equals to %d, but got size %d", n + 2,
                         self->ndim);
    }
    bool filled = self->size[1] != 0;
    for (int d = 0; d < n; d++) {
        if (self->size[2 + d] <= 0 || size->ints.v[d] <= 0) {
            return error_set(err, ERR_invalid,
                             "Input and output sizes should be greater than 0, but got input %lld "
                             "and output %lld",
                             (long long)self->size[2 + d], (long long)size->ints.v[d]);
        }
    }
    return filled ? ERR_none
                  : error_set(err, ERR_invalid, "Non-empty %dD data tensor expected", n + 2);
}

/* The spatial dims that the op's name states. */
static int upsample_dims(const OpInfo *op) { return op->dims[0] - 2; }

/* Floating dtypes, nearest also uint8. The result has self's memory format. */
ErrCode infer_upsample(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    int n = upsample_dims(call->op);
    TRY(upsample_check_self(call, n, r->err));
    bool bytes = self->dtype == DT_uint8;
    if (bytes && n == 2 && upsample_taps(call) > 1) {
        return error_set(r->err, ERR_unsupported, "%s of uint8, in integers", call->op->name);
    }
    if ((!dtype_is_float(self->dtype) && !(bytes && upsample_taps(call) == 1)) ||
        half_missing(call, self->dtype)) {
        return error_set(r->err, ERR_dtype, "\"%s\" not implemented for '%s'", call->op->name,
                         dtype_name(self->dtype));
    }
    int64_t size[5] = {self->size[0], self->size[1]};
    memcpy(size + 2, call->arg[1].ints.v, (size_t)n * sizeof *size);
    TRY(infer_contiguous(r, self->dtype, size, n + 2));
    if (is_channels_last(self)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}

/* The gradient of self: in the memory format of grad where the kernel has one. */
ErrCode infer_upsample_grad(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor;
    const Arg *size = call_arg(call, "input_size");
    int taps = upsample_taps(call);
    TRY(infer_contiguous(r, grad->dtype, size->ints.v, size->ints.n));
    if (is_channels_last(grad) && taps < 4 && !(taps == 1 && grad->ndim == 5)) {
        channels_last_strides(r->out);
    }
    return ERR_none;
}
