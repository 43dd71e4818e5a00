/* one_hot, bincount, renorm and ldexp (aten/src/ATen/native/Onehot.cpp, SummaryOps.cpp,
 * Normalization.cpp, BinaryOps.cpp). */
#include "program/decompose/nodes.h"
#include "program/infer/infer.h"

/* one_hot: with -1 there are as many classes as the greatest one says */
ErrCode decompose_one_hot(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t classes = call->arg[1].i, greatest;
    if (self->dtype != DT_int64) {
        return error_set(e->err, ERR_invalid,
                         "one_hot is only applicable to index tensor of type LongTensor.");
    }
    if (tensor_numel(self) == 0) {
        if (classes <= 0) {
            return error_set(e->err, ERR_invalid,
                             "Can not infer total number of classes from empty tensor.");
        }
        return node_answer(e, emit_op(e, OP__one_hot, 2, self, classes), out, nout);
    }
    if (classes == -1) {
        Tensor *most = emit_unary(e, OP_max, self);
        TRY(e->err->code);
        TRY(e->item_int(e, most, &greatest));
        classes = greatest < 0 ? 1 : (int64_t)((uint64_t)greatest + 1); /* wraps, as PyTorch's */
    }
    Tensor *hot = emit_op(e, OP__one_hot, 2, self, classes);
    Tensor *written = hot ? emit_zeros_like(e, hot) : NULL; /* zero_ and scatter_: version 2 */
    written = emit_op(e, OP_zero_, 1, written);
    return node_answer(e, emit_op(e, OP_copy_, 2, written, hot), out, nout);
}

/* bincount: how often each number from 0 on occurs, or the sums of the weights that it has */
ErrCode decompose_bincount(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *weights = node_optional(&call->arg[1]);
    int64_t length = call->arg[2].i, least, most;
    *nout = 0;
    if (dtype_is_float(self->dtype) || self->dtype == DT_bool) {
        return error_set(e->err, ERR_dtype, "\"bincount_cpu\" not implemented for '%s'",
                         dtype_name(self->dtype));
    }
    if (length < 0) {
        return error_set(e->err, ERR_invalid, "minlength should be >= 0");
    }
    if (self->ndim == 1 && tensor_numel(self) == 0) {
        return node_answer(e, emit_full(e, &length, 1, scalar_int(0), DT_int64), out, nout);
    }
    if (self->ndim == 1) {
        Tensor *ends[2] = {emit_unary(e, OP_min, self), emit_unary(e, OP_max, self)};
        TRY(e->err->code);
        TRY(e->item_int(e, ends[0], &least));
        TRY(e->item_int(e, ends[1], &most));
    }
    if (self->ndim != 1 || least < 0) {
        return error_set(e->err, ERR_invalid,
                         "bincount only supports 1-d non-negative integral inputs.");
    }
    if (weights && (weights->ndim != 1 || weights->size[0] != self->size[0])) {
        return error_set(e->err, ERR_invalid,
                         "weights should be 1-d and have the same length as input");
    }
    if (most >= (int64_t)1 << 40) {
        return error_set(e->err, ERR_limit, "bincount of %lld", (long long)most);
    }
    DType dtype = !weights ? DT_int64 : weights->dtype == DT_float32 ? DT_float32 : DT_float64;
    length = max_i64(length, most + 1);
    Tensor *counted = weights ? emit_cast(e, node_operand(e, weights), dtype)
                              : emit_full(e, self->size, 1, scalar_int(1), dtype);
    Tensor *zeros = emit_full(e, &length, 1, scalar_int(0), dtype),
           *index = emit_cast(e, self, DT_int64);
    Tensor *sums = zeros && index && counted
                       ? emit_op(e, OP_index_add, 4, zeros, (int64_t)0, index, counted)
                       : NULL;
    if (sums && weights && e->records && e->records(e, weights)) {
        sums = emit_binary(e, OP__not_again, weights, sums);
    }
    return node_answer(e, sums, out, nout);
}

/* renorm: self, whose slices along dim are shortened to the norm maxnorm */
ErrCode decompose_renorm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    double p = scalar_to_double(call->arg[1].scalar), most = scalar_to_double(call->arg[3].scalar);
    int64_t dims[MAX_DIMS];
    int dim, n = 0;
    TRY(emit_read_history(e, self));
    if (!(p > 0)) {
        return error_set(e->err, ERR_invalid, "renorm: non-positive-norm not supported");
    }
    if (!(most >= 0)) {
        return error_set(e->err, ERR_invalid, "renorm: expected maxnorm to be >= 0 but got %g",
                         most);
    }
    if (self->ndim < 2) {
        return error_set(e->err, ERR_invalid,
                         "renorm: input needs at least 2 dimensions, got %d dimensions",
                         self->ndim);
    }
    TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, e->err));
    if (!dtype_is_float(self->dtype)) {
        return error_set(
            e->err, ERR_dtype,
            "linalg.vector_norm: Expected a floating point or complex tensor as input");
    }
    for (int d = 0; d < self->ndim; d++) {
        if (d != dim) {
            dims[n++] = d;
        }
    }
    Tensor *x = node_operand(e, self);
    Tensor *wide = dtype_bytes(self->dtype) < 4 ? emit_cast(e, x, DT_float32) : x;
    Tensor *norm = emit_op(e, OP_norm_dim, 4, wide, scalar_float(p), dims, n, 1);
    Tensor *above = emit_scalar(e, OP_gt_Scalar, norm, scalar_float(most));
    Tensor *raised = emit_scalar(e, OP_add_Scalar, norm, scalar_float(1e-7));
    Tensor *factor =
        emit_scalar(e, OP_mul_Scalar, emit_unary(e, OP_reciprocal, raised), scalar_float(most));
    factor = above && factor ? emit_op(e, OP_where_ScalarOther, 3, above, factor, scalar_float(1))
                             : NULL;
    Tensor *value = emit_mul(e, x, emit_cast(e, factor, self->dtype));
    value = emit_unary(e, OP__contiguous_copy, value); /* also of one that counts as row-major */
    return node_answer(e,
                       emit_op(e, OP__renorm, 5, self, value, call->arg[1].scalar, (int64_t)dim,
                               call->arg[3].scalar),
                       out, nout);
}

/* 2^other. If self has a floating dtype other than the default one, the 2 is a tensor of that
 * dtype, and the power of a tensor to a tensor has other's layout. */
static Tensor *power_of_two(Emit *e, const Tensor *self, Tensor *other) {
    bool tensor = dtype_is_float(self->dtype) && self->dtype != DT_float32 && since(ldexp_base);
    Call power = call_new(tensor ? OP_pow_Tensor_Tensor : OP_pow_Scalar);
    if (tensor) {
        power.arg[0].tensor = emit_full(e, NULL, 0, scalar_int(2), self->dtype);
    } else {
        power.arg[0].scalar = scalar_float(2);
    }
    power.arg[1].tensor = other;
    Tensor *made[MAX_OUTPUTS];
    int n;
    return e->err->code == ERR_none && emit_call(e, &power, made, &n) == ERR_none ? made[0] : NULL;
}

/* ldexp: self * 2^other */
ErrCode decompose_ldexp(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *other = call->arg[1].tensor;
    TRY(node_read_histories(e, call, 2));
    Tensor *x = node_operand(e, self), *y = node_operand(e, other), *value;
    if (dtype_is_float(self->dtype) && !dtype_is_float(other->dtype)) {
        if (other->dtype == DT_bool) {
            return error_set(e->err, ERR_dtype, "\"ldexp_cpu_exp\" not implemented for 'Bool'");
        }
        value = emit_binary(e, OP__ldexp_whole, x, y);
    } else {
        value = emit_mul(e, x, power_of_two(e, self, y));
    }
    return node_answer(e, emit_op(e, OP__ldexp, 3, self, other, value), out, nout);
}

/* ---- ops that are another name of an op, with the same parameters (native_functions.yaml: aliases
 * are CompositeImplicitAutograd) ---- */

static OpId op_behind(OpId id) {
    static const struct {
        OpId alias, op;
    } names[] = {
        {OP_concat, OP_cat},
        {OP_concatenate, OP_cat},
        {OP_moveaxis_int, OP_movedim_int},
        {OP_moveaxis, OP_movedim},
        {OP_row_stack, OP_vstack},
        {OP_ger, OP_outer},
        {OP_argwhere, OP_nonzero},
        {OP_clip, OP_clamp},
        {OP_clip_Tensor, OP_clamp_Tensor},
        {OP_clip_, OP_clamp_},
        {OP_clip__Tensor, OP_clamp__Tensor},
        {OP_fix, OP_trunc},
        {OP_fix_, OP_trunc_},
        {OP_arctan2, OP_atan2},
        {OP_arctan2_, OP_atan2_},
        {OP_absolute, OP_abs},
        {OP_absolute_, OP_abs_},
        {OP_negative, OP_neg},
        {OP_negative_, OP_neg_},
    };
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (names[i].alias == id) {
            return names[i].op;
        }
    }
    CHECK(!"an alias that stands for no op");
    return OP_NONE;
}

ErrCode decompose_alias(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c = call_new(op_behind(call->op->id));
    memcpy(c.arg, call->arg, (size_t)call->op->nparam * sizeof *c.arg);
    return emit_call(e, &c, out, nout);
}
