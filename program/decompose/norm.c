/* Normalizations over a batch, over instances, over groups of channels, and by the root mean square
 * (aten/src/ATen/native/Normalization.cpp, group_norm.cpp, layer_norm.cpp). batch_norm and
 * group_norm are one node each. */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

/* The dims of `t` but dim 1. */
static int all_but_channels(const Tensor *t, int64_t *dims) {
    int n = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (d != 1) {
            dims[n++] = d;
        }
    }
    return n;
}

/* As a statistic that is kept: rounded to the parameters' dtype, or the input's if there are none.
 */
static Tensor *kept_statistic(Emit *e, Tensor *t, const Tensor *input, Tensor *const *given,
                              int n) {
    DType dtype = input->dtype;
    for (int k = n - 1; k >= 0; k--) {
        dtype = given[k] ? given[k]->dtype : dtype;
    }
    return t && dtype_bytes(dtype) < 4 ? emit_cast(e, emit_cast(e, t, dtype), t->dtype) : t;
}

/* In the dtype that the kernels of a half type compute in. */
static Tensor *widened(Emit *e, Tensor *t) {
    return t && dtype_bytes(t->dtype) < 4 ? emit_cast(e, t, DT_float32) : t;
}

/* A vector over the channels, as it broadcasts with `like`. */
static Tensor *over_channels(Emit *e, Tensor *vector, const Tensor *like) {
    int64_t size[MAX_DIMS];
    if (!vector) {
        return NULL;
    }
    for (int d = 1; d < like->ndim; d++) {
        size[d - 1] = d == 1 ? tensor_numel(vector) : 1;
    }
    return emit_reshape(e, vector, size, like->ndim - 1);
}

/* value in empty_like(input, suggest_memory_format) */
static Tensor *suggested(Emit *e, Tensor *value, Tensor *input) {
    if (!value) {
        return NULL;
    }
    Tensor like = *value;
    bool last = is_channels_last(input), same = true;
    contiguous_strides(like.size, like.ndim, like.stride);
    if (last) {
        channels_last_strides(&like);
    }
    for (int d = 0; d < like.ndim; d++) {
        same = same && (like.stride[d] == value->stride[d] || (last && like.size[d] == 1));
    }
    return same   ? value
           : last ? emit_binary(e, OP_copy, emit_unary(e, OP_zeros_like, input), value)
                  : emit_unary(e, OP__contiguous_copy, value);
}

/* check_mixed_data_type: the dtypes of the given parameters and the input's. */
static ErrCode check_norm_dtypes(Emit *e, const char *kernel, const Tensor *input,
                                 Tensor *const *given, int n) {
    const Tensor *first = NULL;
    bool half = dtype_is_float(input->dtype) && dtype_bytes(input->dtype) < 4;
    for (int k = n - 1; k >= 0; k--) {
        first = given[k] ? given[k] : first;
    }
    bool mixed = first && first->dtype != input->dtype;
    bool runs = kernel[0] == 'b' || (!mixed && tensor_numel(input) > 0);
    if (!dtype_is_float(input->dtype) && runs) {
        return error_set(e->err, ERR_dtype, "\"%s\" not implemented for '%s'", kernel,
                         dtype_name(input->dtype));
    }
    for (int k = 0; k < n; k++) {
        if (given[k] && mixed && given[k]->dtype != DT_float32) {
            return error_set(e->err, ERR_dtype,
                             "mixed dtype (CPU): expect parameter to have scalar type of Float");
        }
        if (given[k] && !mixed && given[k]->dtype != input->dtype) {
            return error_set(e->err, ERR_dtype, "expected scalar type %s but found %s",
                             dtype_name(input->dtype), dtype_name(given[k]->dtype));
        }
    }
    return mixed && !half ? error_set(e->err, ERR_invalid,
                                      "mixed dtype (CPU): all inputs must share same datatype.")
                          : ERR_none;
}

static ErrCode check_channels(Emit *e, const Call *call, const Tensor *const *vector) {
    static const int order[] = {3, 4, 1, 2};
    int64_t channels = call->arg[0].tensor->size[1];
    for (int k = 0; k < 4; k++) {
        const Tensor *t = vector[order[k]];
        if (t && tensor_numel(t) != channels) {
            return error_set(e->err, ERR_invalid, "%s should contain %lld elements not %lld",
                             call->op->param[order[k]].name, (long long)channels,
                             (long long)tensor_numel(t));
        }
        if (!t && order[k] > 2 && !call->arg[5].b) {
            return error_set(e->err, ERR_invalid, "%s must be defined in evaluation mode",
                             call->op->param[order[k]].name);
        }
    }
    return ERR_none;
}

/* momentum * statistic + (1 - momentum) * old, in old's dtype */
static Tensor *moved_average(Emit *e, Tensor *statistic, Tensor *old, double momentum) {
    Tensor *kept = emit_scalar(e, OP_mul_Scalar, widened(e, old), scalar_float(1 - momentum));
    Tensor *fresh = emit_scalar(e, OP_mul_Scalar, statistic, scalar_float(momentum));
    return old ? emit_cast(e, emit_add(e, fresh, kept), old->dtype) : NULL;
}

/* Does PyTorch take the loop over contiguous tensors? The other one computes in the input's dtype
 * if that is the parameters' too. */
static bool takes_fast_loop(Tensor *const *t) {
    bool fast = tensor_is_contiguous(t[0]) || (is_channels_last(t[0]) && tensor_is_dense(t[0]));
    for (int k = 1; k < 5; k++) {
        fast = fast && (!t[k] || tensor_is_contiguous(t[k]));
    }
    return fast;
}

/* native_batch_norm of a call whose tensors are `t` (by parameter). `moved`: the running statistics
 * afterwards, written to `t` unless `apart`. */
static Tensor *normalized_batch(Emit *e, const Call *call, Tensor *const *t, bool apart,
                                Tensor **moved) {
    bool training = call->arg[5].b;
    double momentum = call->arg[6].f, eps = call->arg[7].f;
    int64_t dims[MAX_DIMS];
    int n = all_but_channels(t[0], dims);
    Call native = *call;
    for (int k = 0; k < 5; k++) {
        native.arg[k].none = t[k] == NULL;
        native.arg[k].tensor = t[k];
    }
    for (int k = 3; k <= 4; k++) {
        if (node_refuse_history(e, &native, k, "native_batch_norm") != ERR_none) {
            return NULL;
        }
    }
    if (!t[3] != !t[4]) {
        error_set(e->err, ERR_invalid,
                  "running_mean and running_var must either both be None or neither be None");
        return NULL;
    }
    /* A bias of another dtype than the weight is met when the statistics have moved. */
    bool late =
        training && t[1] && t[2] && t[1]->dtype == t[0]->dtype && t[2]->dtype != t[0]->dtype;
    Tensor *first[4] = {t[1], late ? NULL : t[2], t[3], t[4]};
    if (node_read_histories(e, &native, 3) != ERR_none ||
        check_norm_dtypes(e, "batch_norm", t[0], first, 4) != ERR_none) {
        return NULL;
    }
    if (t[3] && (t[3]->ndim != 1 || t[4]->ndim != 1)) {
        error_set(e->err, ERR_invalid, "TensorAccessor expected 1 dims but tensor has others");
        return NULL;
    }
    Tensor *x = widened(e, node_operand(e, t[0])), *w = widened(e, node_operand(e, t[1])),
           *b = widened(e, node_operand(e, t[2])), *mean, *variance;
    bool mixed = false;
    for (int k = 4; k >= 1; k--) {
        mixed = t[k] ? t[k]->dtype != t[0]->dtype : mixed;
    }
    bool narrow = !mixed && dtype_bytes(t[0]->dtype) < 4 && !takes_fast_loop(t);
    if (training) {
        mean = emit_op(e, OP_mean_dim, 3, x, dims, n, 0);
        variance = emit_op(e, OP_var_correction, 4, x, dims, n, (int64_t)0, 0);
        if (t[3]) {
            moved[0] = moved_average(e, mean, t[3], momentum);
            Tensor *unbiased = emit_op(e, OP_var_correction, 4, x, dims, n, (int64_t)1, 0);
            moved[1] = moved_average(e, unbiased, t[4], momentum);
        }
        for (int k = 0; k < 2 && t[3] && !apart && e->err->code == ERR_none; k++) {
            (void)emit_op(e, OP__set_data_, 2, node_operand(e, t[3 + k]), moved[k]);
        }
        if (late && e->err->code == ERR_none) {
            (void)check_norm_dtypes(e, "batch_norm", t[0], t + 1, 4);
        }
    } else {
        mean = emit_reshape(e, widened(e, t[3]), &t[0]->size[1], 1);
        variance = emit_reshape(e, widened(e, t[4]), &t[0]->size[1], 1);
    }
    Tensor *scale =
        emit_unary(e, OP_rsqrt, emit_scalar(e, OP_add_Scalar, variance, scalar_float(eps)));
    if (training && eps == 0) { /* InvStd: 0 where the variance is */
        Tensor *flat = emit_scalar(e, OP_eq_Scalar, variance, scalar_int(0));
        scale = emit_masked_fill(e, scale, flat, scalar_int(0));
    }
    if (training || narrow) {
        mean = kept_statistic(e, mean, t[0], t + 1, 4);
        scale = kept_statistic(e, scale, t[0], t + 1, 4);
    }
    if (narrow) {
        DType own = t[0]->dtype;
        mean = over_channels(e, emit_cast(e, mean, own), t[0]);
        Tensor *y = emit_sub(e, emit_cast(e, x, own), mean);
        y = emit_mul(e, y, over_channels(e, emit_cast(e, scale, own), t[0]));
        y = w ? emit_mul(e, y, over_channels(e, emit_cast(e, w, own), t[0])) : y;
        y = b ? emit_add(e, y, over_channels(e, emit_cast(e, b, own), t[0])) : y;
        y = suggested(e, y, t[0]);
        return emit_op(e, OP__batch_norm, 8, t[0], t[1], t[2], t[3], t[4], y, (int)training, eps);
    }
    scale = w ? emit_mul(e, scale, emit_reshape(e, w, &t[0]->size[1], 1)) : scale;
    Tensor *shift = emit_neg(e, emit_mul(e, mean, scale));
    shift = b ? emit_add(e, shift, emit_reshape(e, b, &t[0]->size[1], 1)) : shift;
    Tensor *value = emit_mul(e, x, over_channels(e, scale, t[0]));
    value = emit_add(e, value, over_channels(e, shift, t[0]));
    value = suggested(e, emit_cast(e, value, t[0]->dtype), t[0]);
    return emit_op(e, OP__batch_norm, 8, t[0], t[1], t[2], t[3], t[4], value, (int)training, eps);
}

/* Of nothing: a copy, which keeps the parameters' histories. */
static Tensor *normalized_nothing(Emit *e, Tensor *const *t) {
    Tensor *out = emit_unary(e, OP_clone, t[0]);
    out = t[1] ? emit_mul(e, out, emit_select(e, t[1], 0, 0)) : out;
    return t[2] ? emit_add(e, out, emit_select(e, t[2], 0, 0)) : out;
}

static Tensor *batch_norm_of(Emit *e, const Call *call, Tensor *const *t, bool apart,
                             Tensor **moved) {
    if (tensor_numel(t[0]) == 0) {
        return normalized_nothing(e, t);
    }
    if (t[0]->ndim < 2) {
        error_set(e->err, ERR_invalid, "batch_norm of a tensor without channels");
        return NULL;
    }
    Call shaped = *call;
    shaped.arg[0].tensor = t[0];
    return check_channels(e, &shaped, (const Tensor *const *)t) == ERR_none
               ? normalized_batch(e, call, t, apart, moved)
               : NULL;
}

ErrCode decompose_batch_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *t[5] = {call->arg[0].tensor}, *moved[2];
    for (int k = 1; k < 5; k++) {
        t[k] = node_optional(&call->arg[k]);
    }
    return node_answer(e, batch_norm_of(e, call, t, false, moved), out, nout);
}

/* instance_norm: batch_norm of [1, batch * channels, ..] */
ErrCode decompose_instance_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *t[5], *moved[2] = {NULL, NULL};
    bool own = call->arg[5].b;
    if (!own && (call->arg[3].none || call->arg[4].none)) {
        return error_set(e->err, ERR_invalid,
                         "Expected running_mean and running_var to be defined when use_input_stats "
                         "is false");
    }
    if (input->ndim < 2) {
        return error_set(e->err, ERR_index_range, "Dimension out of range");
    }
    int64_t batch = input->size[0], size[MAX_DIMS], pair[2] = {batch, input->size[1]}, first = 0;
    for (int d = 0; d < input->ndim; d++) {
        size[d] = d == 0 ? 1 : d == 1 ? batch * input->size[1] : input->size[d];
    }
    const Tensor *parameter = call->arg[1].none ? input : call->arg[1].tensor;
    for (int k = 1; k < 5; k++) {
        t[k] = node_optional(&call->arg[k]);
        t[k] = t[k] && k > 2 ? emit_cast(e, t[k], parameter->dtype) : t[k];
        t[k] = t[k] ? emit_op(e, OP_repeat, 2, t[k], &batch, 1) : NULL;
    }
    t[0] = emit_view(e, emit_unary(e, OP_contiguous, input), size, input->ndim);
    Tensor *answer = t[0] ? batch_norm_of(e, call, t, true, moved) : NULL;
    for (int k = 0; k < 2 && own && answer; k++) {
        if (t[3 + k]) {
            Tensor *after = emit_view(e, moved[k] ? moved[k] : t[3 + k], pair, 2);
            Tensor *alias = emit_unary(e, OP_alias, call->arg[3 + k].tensor);
            if (!alias) {
                return e->err->code;
            }
            after = emit_op(e, OP_mean_dim, 3, after, &first, 1, 0);
            (void)emit_op(e, OP_copy_, 2, alias, emit_cast(e, after, alias->dtype));
        }
    }
    return node_answer(e, answer ? emit_view(e, answer, input->size, input->ndim) : NULL, out,
                       nout);
}

/* ---- group_norm ---- */

/* contiguous, or contiguous with the channels last */
static Tensor *contiguous_as_suggested(Emit *e, Tensor *t) {
    return !is_channels_last(t) ? emit_unary(e, OP_contiguous, t)
           : tensor_is_dense(t) ? t
                                : emit_unary(e, OP_clone, t);
}

static ErrCode check_groups(Emit *e, const Call *call) {
    const Tensor *input = call->arg[0].tensor;
    int64_t groups = call->arg[1].i;
    if (input->ndim < 2) {
        return error_set(e->err, ERR_index_range, "Dimension out of range");
    }
    if (groups <= 0 || input->size[1] % groups != 0) {
        return error_set(
            e->err, ERR_invalid,
            "Expected number of channels in input to be divisible by num_groups, which "
            "is %lld and must be positive",
            (long long)groups);
    }
    int64_t inner = 1;
    for (int d = 2; d < input->ndim; d++) {
        inner *= input->size[d];
    }
    if (input->size[1] == 0 || inner == 0) {
        return error_set(e->err, ERR_invalid,
                         "Expected number of channels and HxW to be greater than 0");
    }
    for (int k = 2; k <= 3; k++) {
        const Tensor *t = node_optional(&call->arg[k]);
        if (t && (t->ndim != 1 || t->size[0] != input->size[1])) {
            return error_set(
                e->err, ERR_invalid,
                "Expected %s to be a vector of size equal to the number of channels in "
                "input",
                call->op->param[k].name);
        }
    }
    return ERR_none;
}

ErrCode decompose_group_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor;
    int64_t groups = call->arg[1].i;
    double eps = call->arg[4].f;
    TRY(check_groups(e, call));
    Call native = call_new(OP__group_norm);
    bool as_given = since(group_norm_as_given);
    native.arg[0].tensor = as_given ? input : contiguous_as_suggested(e, input);
    Tensor *given[2];
    for (int k = 0; k < 2; k++) {
        Tensor *t = node_optional(&call->arg[2 + k]);
        given[k] = t && !as_given ? emit_unary(e, OP_contiguous, t) : t;
        native.arg[1 + k].none = t == NULL;
        native.arg[1 + k].tensor = given[k];
    }
    TRY(e->err->code);
    TRY(node_read_histories(e, &native, 3));
    TRY(check_norm_dtypes(e, "GroupNormKernelImpl", input, given, 2));
    Tensor *own = native.arg[0].tensor, *value;
    if (tensor_numel(input) == 0) {
        value = emit_unary(e, OP_zeros_like, contiguous_as_suggested(e, node_operand(e, own)));
    } else {
        int64_t channels = input->size[1], each = channels / groups, dims[2] = {2, 3};
        int64_t size[4] = {input->size[0], groups, each,
                           tensor_numel(input) / input->size[0] / channels};
        int64_t row[3] = {groups, each, 1};
        Tensor *x = emit_unary(e, OP_contiguous, widened(e, node_operand(e, own)));
        x = emit_view(e, x, size, 4);
        Tensor *mean = emit_op(e, OP_mean_dim, 3, x, dims, 2, 1);
        Tensor *scale = emit_op(e, OP_var_correction, 4, x, dims, 2, (int64_t)0, 1);
        scale = emit_unary(e, OP_rsqrt, emit_scalar(e, OP_add_Scalar, scale, scalar_float(eps)));
        if (given[0]) {
            Tensor *w = widened(e, node_operand(e, given[0]));
            scale = emit_mul(e, scale, emit_reshape(e, w, row, 3));
        }
        Tensor *shift = emit_neg(e, emit_mul(e, mean, scale));
        if (given[1]) {
            Tensor *b = widened(e, node_operand(e, given[1]));
            shift = emit_add(e, shift, emit_reshape(e, b, row, 3));
        }
        value = emit_add(e, emit_mul(e, x, scale), shift);
        value = emit_cast(e, emit_view(e, value, input->size, input->ndim), input->dtype);
        if (value && is_channels_last(own)) {
            value = emit_binary(e, OP_copy, emit_unary(e, OP_zeros_like, own), value);
        }
    }
    return node_answer(
        e, emit_op(e, OP__group_norm, 6, own, given[0], given[1], value, groups, eps), out, nout);
}

/* ---- rms_norm: self / sqrt(mean(self^2) + eps) * weight ---- */

ErrCode decompose_rms_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *input = call->arg[0].tensor, *weight = node_optional(&call->arg[2]);
    const Arg *shape = &call->arg[1];
    int n = shape->ints.n, first = input->ndim - n;
    int64_t dims[MAX_DIMS];
    if (n < 1) {
        return error_set(e->err, ERR_invalid,
                         "Expected normalized_shape to be at least 1-dimensional");
    }
    if (weight && !sizes_equal(weight->size, weight->ndim, shape->ints.v, n)) {
        return error_set(e->err, ERR_invalid,
                         "Expected weight to be of same shape as normalized_shape");
    }
    if (first < 0 || !sizes_equal(input->size + first, n, shape->ints.v, n)) {
        return error_set(e->err, ERR_invalid,
                         "Given normalized_shape, expected input with shape [*, normalized_shape]");
    }
    if (!dtype_is_float(input->dtype)) {
        return error_set(e->err, ERR_dtype, "\"rms_norm\" not implemented for '%s'",
                         dtype_name(input->dtype));
    }
    for (int d = 0; d < n; d++) {
        dims[d] = input->ndim - d - 1;
    }
    DType wide = input->dtype == DT_float64 ? DT_float64 : DT_float32;
    double eps = !call->arg[3].none ? call->arg[3].f : wide == DT_float64 ? 0x1p-52 : 0x1p-23;
    Tensor *x = emit_cast(e, input, wide);
    Tensor *square = emit_scalar(e, OP_pow_Tensor_Scalar, x, scalar_int(2));
    Tensor *scale = emit_op(e, OP_mean_dim, 3, square, dims, n, 1);
    scale = emit_unary(e, OP_rsqrt, emit_op(e, OP_add__Scalar, 2, scale, scalar_float(eps)));
    Tensor *answer = emit_mul(e, x, scale);
    answer = weight ? emit_mul(e, answer, weight) : answer;
    if (answer && !(is_channels_last(input) && is_channels_last(answer))) {
        answer = emit_unary(e, OP_contiguous, answer);
    }
    return node_answer(e, emit_cast(e, answer, input->dtype), out, nout);
}

/* ---- local_response_norm (torch/nn/functional.py) ---- */

static int64_t half_below(int64_t n) { return n >= 0 ? n / 2 : -((1 - n) / 2); }

/* The mean of `size` channels, each times itself, by a pool over dim 1. */
static Tensor *mean_of_channels(Emit *e, Tensor *x, int64_t size) {
    int64_t n = x->ndim, before = half_below(size), after = half_below(size - 1),
            line[4] = {0, 0, before, after}, plane[6] = {0, 0, 0, 0, before, after}, one = 1,
            flat[5] = {x->size[0], 1, x->size[1], n > 3 ? x->size[2] : 0, -1};
    Tensor *mean = emit_mul(e, x, x);
    if (n == 3) {
        mean = emit_unsqueeze(e, mean, 1);
        mean = mean ? emit_op(e, OP_pad, 2, mean, line, 4) : NULL;
        mean = mean ? emit_op(e, OP_avg_pool2d, 3, mean, (int64_t[]){size, 1}, 2, &one, 1) : NULL;
    } else {
        mean = mean ? emit_op(e, OP_view, 2, mean, flat, 5) : NULL;
        mean = mean ? emit_op(e, OP_pad, 2, mean, plane, 6) : NULL;
        mean =
            mean ? emit_op(e, OP_avg_pool3d, 3, mean, (int64_t[]){size, 1, 1}, 3, &one, 1) : NULL;
    }
    mean = mean ? emit_op(e, OP_squeeze_dim, 2, mean, (int64_t)1) : NULL;
    return mean && n > 3 ? emit_op(e, OP_view, 2, mean, x->size, x->ndim) : mean;
}

ErrCode decompose_local_response_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *x = call->arg[0].tensor;
    *nout = 0;
    if (x->ndim < 3) {
        return error_set(e->err, ERR_invalid,
                         "Expected 3D or higher dimensionality input (got %d dimensions)", x->ndim);
    }
    if (tensor_numel(x) == 0) {
        return node_answer(e, x, out, nout);
    }
    Tensor *by = mean_of_channels(e, x, call->arg[1].i);
    by = emit_scalar(e, OP_mul_Scalar, by, scalar_float(call->arg[2].f));
    by = emit_scalar(e, OP_add_Scalar, by, scalar_float(call->arg[4].f));
    by = by ? emit_op(e, OP_pow_Tensor_Scalar, 2, by, scalar_float(call->arg[3].f)) : NULL;
    return node_answer(e, emit_div(e, x, by), out, nout);
}
