/* Inference of convolution and of its two backward ops (aten/src/ATen/native/Convolution.cpp,
 * check_shape_forward). */
#include "program/infer/conv.h"

#include <string.h>

/* Element d of a list that may hold one value for all dims. */
static int64_t along(const Arg *list, int d) { return list->ints.v[list->ints.n == 1 ? 0 : d]; }

void conv_read(const Call *call, int dims, const int64_t *wide, const int64_t *weight,
               const int64_t *narrow, Conv *c) {
    const Arg *stride = call_arg(call, "stride"), *padding = call_arg(call, "padding"),
              *dilation = call_arg(call, "dilation"), *extra = call_arg(call, "output_padding");
    *c = (Conv){.batch = wide ? wide[0] : narrow[0],
                .groups = call_arg(call, "groups")->i,
                .channels = weight[1]};
    c->filters = weight[0] / c->groups;
    for (int d = 0; d < CONV_DIMS; d++) {
        int own = d - (CONV_DIMS - dims); /* below 0: a dim that the convolution lacks */
        c->kernel[d] = own < 0 ? 1 : weight[2 + own];
        c->stride[d] = own < 0 ? 1 : along(stride, own);
        c->padding[d] = own < 0 ? 0 : along(padding, own);
        c->dilation[d] = own < 0 ? 1 : along(dilation, own);
        int64_t span = c->dilation[d] * (c->kernel[d] - 1) + 1 - 2 * c->padding[d];
        c->wide[d] = own < 0 ? 1
                     : wide  ? wide[2 + own]
                             : (narrow[2 + own] - 1) * c->stride[d] + span + along(extra, own);
        c->narrow[d] = own < 0  ? 1
                       : narrow ? narrow[2 + own]
                                : (c->wide[d] - span) / c->stride[d] + 1;
    }
}

static ErrCode infer_conv_refuse(Error *err, const char *text) {
    return error_set(err, ERR_invalid, "%s", text);
}

static ErrCode check_lists(const Call *call, int dims, Error *err) {
    static const char *const names[] = {"stride", "padding", "dilation", "output_padding"};
    for (int k = 0; k < 3 + conv_is_transposed(call); k++) {
        int n = call_arg(call, names[k])->ints.n;
        if (n != 1 && n != dims) {
            return error_set(err, ERR_invalid,
                             "expected %s to be a single integer value or a list of %d values to "
                             "match the convolution dimensions",
                             names[k], dims);
        }
    }
    return ERR_none;
}

static bool any_below(const Arg *list, int64_t least) {
    for (int d = 0; d < list->ints.n; d++) {
        if (list->ints.v[d] < least) {
            return true;
        }
    }
    return false;
}

/* Does the kernel fit into the padded input? */
static ErrCode check_room(const Call *call, const Tensor *input, const Tensor *weight, Error *err) {
    for (int d = 0; d < weight->ndim - 2; d++) {
        int64_t room, span;
        bool fits =
            checked_mul(along(call_arg(call, "padding"), d), 2, &room) &&
            checked_add(room, input->size[2 + d], &room) &&
            checked_mul(along(call_arg(call, "dilation"), d), weight->size[2 + d] - 1, &span) &&
            span < INT64_MAX;
        if (!fits || room < span + 1) {
            return infer_conv_refuse(err,
                                     "Calculated padded input size per channel is less than the "
                                     "kernel: Kernel size can't be greater than actual input size");
        }
    }
    return ERR_none;
}

/* Can the size of a transposed convolution's result be computed? */
static ErrCode check_product(const Call *call, const Tensor *input, const Tensor *weight,
                             Error *err) {
    for (int d = 0; d < weight->ndim - 2; d++) {
        const int64_t factor[][2] = {
            {along(call_arg(call, "padding"), d), 2},
            {along(call_arg(call, "stride"), d), max_i64(input->size[2 + d], 1)},
            {along(call_arg(call, "dilation"), d), max_i64(weight->size[2 + d], 1)},
            {along(call_arg(call, "output_padding"), d), 1}};
        int64_t sum = 0, product;
        for (int k = 0; k < COUNT_OF(factor); k++) {
            if (!checked_mul(factor[k][0], factor[k][1], &product) ||
                !checked_add(sum, product, &sum)) {
                return error_set(err, ERR_limit, "a tensor's size overflows");
            }
        }
    }
    return ERR_none;
}

static ErrCode check_sizes(const Call *call, const Tensor *input, const Tensor *weight,
                           const Tensor *bias, Error *err) {
    bool transposed = conv_is_transposed(call);
    int64_t groups = call_arg(call, "groups")->i;
    if (any_below(call_arg(call, "padding"), 0)) {
        return infer_conv_refuse(err, "negative padding is not supported");
    }
    if (transposed && any_below(call_arg(call, "output_padding"), 0)) {
        return infer_conv_refuse(err, "negative output_padding is not supported");
    }
    if (any_below(call_arg(call, "stride"), 1)) {
        return infer_conv_refuse(err, "non-positive stride is not supported");
    }
    if (input->ndim != weight->ndim) {
        return error_set(err, ERR_invalid,
                         "Expected %d-dimensional input for %d-dimensional weight, but got "
                         "%d-dimensional input instead",
                         weight->ndim, weight->ndim, input->ndim);
    }
    if (weight->size[0] < groups || weight->size[0] % groups != 0) {
        return error_set(err, ERR_invalid,
                         "Given groups=%lld, expected weight to be at least that, and divisible by "
                         "it, at dimension 0",
                         (long long)groups);
    }
    int64_t grouped;
    bool fits = checked_mul(weight->size[1], groups, &grouped);
    if (!fits || input->size[1] != (transposed ? weight->size[0] : grouped)) {
        return error_set(
            err, ERR_invalid,
            "Given groups=%lld, expected input to have another number of channels than %lld",
            (long long)groups, (long long)input->size[1]);
    }
    int64_t results = transposed ? grouped : weight->size[0];
    if (bias && (bias->ndim != 1 || bias->size[0] != results)) {
        return error_set(err, ERR_invalid, "expected bias to be 1-dimensional with %lld elements",
                         (long long)results);
    }
    return transposed ? check_product(call, input, weight, err)
                      : check_room(call, input, weight, err);
}

static bool any_beyond(const int64_t *v, int64_t one) {
    return v[0] != one || v[1] != one || v[2] != one;
}

/* Does PyTorch use MKL-DNN here (use_mkldnn, with one thread)? MKL-DNN reports dtype mismatches
 * with another message and supports groups natively. */
static bool uses_mkldnn(const Call *call, const Conv *c, int dims, DType dtype) {
    bool transposed = conv_is_transposed(call);
    for (int d = 0; transposed && d < dims; d++) {
        if (along(call_arg(call, "output_padding"), d) >= c->stride[CONV_DIMS - dims + d]) {
            return false;
        }
    }
    const int64_t *input = transposed ? c->narrow : c->wide;
    bool worth = any_beyond(c->stride, 1) || any_beyond(c->dilation, 1) || c->batch >= 16 ||
                 c->kernel[1] != 1 || c->kernel[2] != 1;
    int64_t numel = c->batch * (transposed ? c->filters : c->channels) * c->groups *
                    (dims == 3 ? input[0] * input[1] : input[1] * input[2]);
    bool large =
        c->groups > 1 || (c->kernel[1] > 3 && c->kernel[2] > 3) || c->batch > 1 || numel > 20480;
    return dtype == DT_bfloat16 || (dtype == DT_float32 && worth && large);
}

/* What the kernels of a transposed convolution refuse by its numbers. */
static ErrCode check_transposed(const Call *call, const Conv *c, int dims, bool mkldnn,
                                const Tensor *weight, Error *err) {
    if (tensor_numel(weight) == 0) {
        return infer_conv_refuse(err, "non-empty weight tensor expected");
    }
    for (int d = 0; d < CONV_DIMS; d++) {
        int own = d - (CONV_DIMS - dims);
        int64_t extra = own < 0 ? 0 : along(call_arg(call, "output_padding"), own);
        if (!mkldnn && extra >= c->stride[d] && extra >= c->dilation[d]) {
            return infer_conv_refuse(err, "output padding must be smaller than either stride or "
                                          "dilation");
        }
        if (c->wide[d] < (mkldnn ? 0 : 1)) {
            return infer_conv_refuse(err, "Output size is too small");
        }
    }
    return ERR_none;
}

/* Among the other algorithms, the dilated and the transposed ones support floats and int64, the
 * others all integers too. A bias of another dtype is converted, if not by the transposed one of 3
 * dims. */
static ErrCode check_dtypes(const Call *call, const Conv *c, bool mkldnn, const Tensor *input,
                            const Tensor *weight, const Tensor *bias, Error *err) {
    DType dtype = input->dtype;
    if (mkldnn) {
        return weight->dtype != dtype || (bias && bias->dtype != dtype)
                   ? infer_conv_refuse(err, "Input type and weight type should be the same or "
                                            "input should be a MKLDNN tensor")
                   : ERR_none;
    }
    bool transposed = conv_is_transposed(call), few = transposed || any_beyond(c->dilation, 1);
    if (half_missing(call, dtype) || dtype == DT_bool ||
        (few && !dtype_is_float(dtype) && dtype != DT_int64)) {
        return error_set(err, ERR_dtype, "\"slow_conv2d_cpu\" not implemented for '%s'",
                         dtype_name(dtype));
    }
    bool strict = transposed && bias && input->ndim == 5;
    const Tensor *other = weight->dtype != dtype ? weight : strict ? bias : weight;
    if (other->dtype != dtype) {
        return error_set(err, ERR_dtype, "expected scalar type %s but found %s", dtype_name(dtype),
                         dtype_name(other->dtype));
    }
    if (transposed && bias && dtype_is_float(bias->dtype) && !dtype_is_float(dtype)) {
        return error_set(err, ERR_dtype,
                         "result type %s can't be cast to the desired output type %s",
                         dtype_name(bias->dtype), dtype_name(dtype));
    }
    return ERR_none;
}

/* `t` as a 2-d convolution reads it: a 3-d tensor gets a dim of size 1 before its last. */
static Tensor as_plane(const Tensor *t, bool contiguous) {
    Tensor p = *t;
    if (t->ndim == 3) {
        if (contiguous && !tensor_is_contiguous(t)) {
            contiguous_strides(t->size, 3, p.stride);
        }
        p.ndim = 4;
        p.size[3] = t->size[2];
        p.stride[3] = p.stride[2];
        p.size[2] = 1;
        p.stride[2] = geometry_stride(p.size[3], p.stride[3]);
    }
    return p;
}

/* Is one group's slice of a tensor, with dim `d` divided by `groups`, recognized as channels-last
 * after conversion to that layout? (The conversion returns a slice that already has these strides
 * unchanged.) */
static bool part_channels_last(const Tensor *t, int d, int64_t groups) {
    Tensor part = *t, dense = *t;
    part.size[d] = dense.size[d] = t->size[d] / groups;
    channels_last_strides(&dense);
    for (int k = 0; k < t->ndim; k++) {
        if (part.size[k] != 1 && part.stride[k] != dense.stride[k]) {
            return is_channels_last(&dense);
        }
    }
    return is_channels_last(&part);
}

/* The result is channels-last if the input or the weight is. Where groups are computed separately,
 * what the slices of the groups are decides: those of a row-major input can be channels-last
 * although the input is not. Without MKL-DNN, the result of 3 dims is row-major. */
static bool gives_channels_last(bool mkldnn, int64_t groups, const Tensor *input,
                                const Tensor *weight) {
    Tensor x = as_plane(input, true), w = as_plane(weight, false);
    bool whole = is_channels_last(&x) || is_channels_last(&w);
    if (x.ndim == 5 && !mkldnn) {
        return false;
    }
    if (groups == 1 || mkldnn) {
        return whole;
    }
    if (!whole) {
        Tensor part = x;
        part.size[1] = x.size[1] / groups;
        return tensor_is_contiguous(&x) && is_channels_last(&part);
    }
    return part_channels_last(&x, 1, groups) || part_channels_last(&w, 0, groups);
}

/* Adds an output of the batch, the channels and the spatial sizes in `size`. */
static ErrCode infer_conv_result(Infer *r, DType dtype, const int64_t *size, int dims,
                                 bool channels_last) {
    TRY(infer_contiguous(r, dtype, size, 2 + max_i64(dims, 2)));
    Tensor *t = &r->out[0];
    if (channels_last) {
        channels_last_strides(t);
    }
    if (dims == 1) { /* the first dim of the plane is missing */
        t->size[2] = t->size[3];
        t->stride[2] = t->stride[3];
        t->ndim = 3;
    }
    return ERR_none;
}

ErrCode infer_convolution(const Call *call, Infer *r) {
    const Tensor *input = call->arg[0].tensor, *weight = call->arg[1].tensor,
                 *bias = call->arg[2].none ? NULL : call->arg[2].tensor;
    int dims = weight->ndim - 2;
    bool transposed = conv_is_transposed(call), empty = input->ndim > 0 && input->size[0] == 0;
    if (dims <= 0) {
        return infer_conv_refuse(r->err, "weight should have at least three dimensions");
    }
    if (call_arg(call, "groups")->i <= 0) {
        return infer_conv_refuse(r->err, "non-positive groups is not supported");
    }
    TRY(check_lists(call, dims, r->err));
    TRY(check_sizes(call, input, weight, bias, r->err));
    if (dims > 3 || input->size[1] == 0) {
        return error_set(r->err, ERR_unsupported,
                         dims > 3 ? "a convolution of %d dims" : "a convolution without channels",
                         dims);
    }
    if (any_below(call_arg(call, "dilation"), transposed && empty ? 0 : 1)) {
        bool zero = !any_below(call_arg(call, "dilation"), 0);
        return transposed && zero && input->size[0] > 1
                   ? error_set(r->err, ERR_unsupported,
                               "a transposed convolution of dilation 0: MKL-DNN takes some")
                   : infer_conv_refuse(r->err, "dilation should be greater than zero");
    }
    Conv c;
    conv_read(call, dims, transposed ? NULL : input->size, weight->size,
              transposed ? input->size : NULL, &c);
    if (!empty && tensor_numel(input) == 0) {
        return infer_conv_refuse(r->err, "Only zero batch or zero channel inputs are supported");
    }
    if (!empty && (c.kernel[0] <= 0 || c.kernel[1] <= 0 || c.kernel[2] <= 0)) {
        return infer_conv_refuse(r->err, "kernel size should be greater than zero");
    }
    DType dtype = input->dtype;
    bool mkldnn = uses_mkldnn(call, &c, dims, dtype);
    int64_t numel = tensor_numel(weight), flat;
    if (!empty) {
        if (transposed) {
            TRY(check_transposed(call, &c, dims, mkldnn, weight, r->err));
        }
        TRY(check_dtypes(call, &c, mkldnn, input, weight, bias, r->err));
    } else { /* input * weight.view(-1)[0], in the layout of the result */
        Promotion p = PROMOTION_START;
        promotion_tensor(&p, input->dtype, input->ndim);
        promotion_tensor(&p, weight->dtype, 0);
        dtype = promotion_result(&p);
        if (!since(conv_of_nothing_copies) && !view_strides(weight, numel, &numel, 1, &flat)) {
            return error_set(r->err, ERR_view_stride,
                             "view size is not compatible with input tensor's size and stride");
        }
        if (numel == 0) {
            return error_set(
                r->err, ERR_index_range,
                "select(): index 0 out of range for tensor of size [0] at dimension 0");
        }
    }
    const int64_t *out = transposed ? c.wide : c.narrow;
    int64_t size[5] = {c.batch, c.groups * (transposed ? c.channels : c.filters)};
    memcpy(size + 2, dims == 3 ? out : out + 1, (dims == 3 ? 3 : 2) * sizeof *size);
    return infer_conv_result(r, dtype, size, dims,
                             gives_channels_last(mkldnn, c.groups, input, weight));
}

/* The gradient of input or weight, in the memory format of the output. All three tensors are
 * operands, as in PyTorch's single convolution_backward op: its results require grad if any of them
 * does. */
ErrCode infer_conv_grad(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor, *like = call->arg[2].tensor;
    bool of_input = call->op->id == OP__conv_grad_input, transposed = conv_is_transposed(call);
    const Tensor *input = of_input ? like : call->arg[1].tensor,
                 *weight = of_input ? call->arg[1].tensor : like;
    int dims = weight->ndim - 2;
    Conv c;
    conv_read(call, dims, (transposed ? grad : input)->size, weight->size,
              (transposed ? input : grad)->size, &c);
    Tensor plane = as_plane(like, true);
    bool mkldnn = uses_mkldnn(call, &c, dims, input->dtype);
    return infer_conv_result(r, grad->dtype, plane.size, dims,
                             gives_channels_last(mkldnn, c.groups, input, weight));
}

ErrCode infer_conv_grad_bias(const Call *call, Infer *r) {
    const Tensor *grad = call->arg[0].tensor;
    return infer_contiguous(r, grad->dtype, &grad->size[1], 1);
}
