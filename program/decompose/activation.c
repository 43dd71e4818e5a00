/* Decompositions of activations and powers into the op that they are another name or another
 * parametrization of (aten/src/ATen/native/Activation.cpp, Pow.cpp). */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

static ErrCode decompose_activation_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

/* celu: elu(self, alpha, 1, 1 / alpha), whose derivative divides by alpha as a float32 */
ErrCode decompose_celu(Emit *e, const Call *call, Tensor **out, int *nout) {
    double alpha = scalar_to_double(call->arg[1].scalar);
    if (alpha == 0) {
        return error_set(e->err, ERR_invalid, "ZeroDivisionError: alpha cannot be 0 for CELU");
    }
    OpId id = call->op->param[0].writes ? OP__celu_ : OP__celu;
    return decompose_activation_answer(e,
                                       emit_op(e, id, 4, call->arg[0].tensor, call->arg[1].scalar,
                                               scalar_float(1), scalar_float(1 / alpha)),
                                       out, nout);
}

/* selu: elu with the two constants of the paper */
ErrCode decompose_selu(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId id = call->op->param[0].writes ? OP_elu_ : OP_elu;
    return decompose_activation_answer(e,
                                       emit_op(e, id, 3, call->arg[0].tensor,
                                               scalar_float(1.6732632423543772848170429916717),
                                               scalar_float(1.0507009873554804934193349852946)),
                                       out, nout);
}

/* relu6: hardtanh(self, 0, 6) */
ErrCode decompose_relu6(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId id = call->op->param[0].writes ? OP_hardtanh_ : OP_hardtanh;
    return decompose_activation_answer(
        e, emit_op(e, id, 3, call->arg[0].tensor, scalar_int(0), scalar_int(6)), out, nout);
}

static Tensor *to_double(Emit *e, Tensor *t) {
    Call c = call_new(OP_to);
    c.arg[0].tensor = t;
    c.arg[1].dtype = DT_float64;
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(e, &c, out, &n) == ERR_none ? out[0] : NULL;
}

/* float_power: pow in float64. The exponent is cast first: a C++ compiler evaluates the arguments
 * from the right (float_power in aten/src/ATen/native/Pow.cpp). */
ErrCode decompose_float_power(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId id = call->op->id;
    Call c = call_new(id == OP_float_power_Scalar          ? OP_pow_Scalar
                      : id == OP_float_power_Tensor_Scalar ? OP_pow_Tensor_Scalar
                                                           : OP_pow_Tensor_Tensor);
    for (int k = 1; k >= 0; k--) {
        c.arg[k] = call->arg[k];
        if (call->op->param[k].type == ARG_TENSOR) {
            c.arg[k].tensor = to_double(e, call->arg[k].tensor);
        } else {
            c.arg[k].scalar = scalar_float(scalar_to_double(call->arg[k].scalar));
        }
    }
    return e->err->code != ERR_none ? e->err->code : emit_call(e, &c, out, nout);
}

/* float_power_: pow_, of a float64 self only */
ErrCode decompose_float_power_(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    bool scalar = call->op->id == OP_float_power__Scalar;
    if (self->dtype != DT_float64) {
        return error_set(e->err, ERR_invalid,
                         "the base given to float_power_ has dtype %s but the operation's result "
                         "requires dtype Double",
                         dtype_name(self->dtype));
    }
    Call c = call_new(scalar ? OP_pow__Scalar : OP_pow__Tensor);
    c.arg[0].tensor = self;
    if (scalar) {
        c.arg[1].scalar = scalar_float(scalar_to_double(call->arg[1].scalar));
    } else {
        c.arg[1].tensor = to_double(e, call->arg[1].tensor);
    }
    return e->err->code != ERR_none ? e->err->code : emit_call(e, &c, out, nout);
}

/* glu: the first half along dim times sigmoid of the second */
ErrCode decompose_glu(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int dim;
    if (self->ndim == 0) {
        return error_set(e->err, ERR_invalid, "glu does not support 0-dimensional tensors");
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, e->err));
    int64_t half = self->size[dim] / 2;
    if (self->size[dim] % 2 != 0) {
        return error_set(e->err, ERR_invalid,
                         "Halving dimension must be even, but dimension %d is size %lld", dim,
                         (long long)self->size[dim]);
    }
    Tensor *a = emit_narrow(e, self, dim, 0, half), *b = emit_narrow(e, self, dim, half, half);
    return decompose_activation_answer(e, emit_binary(e, OP__glu, a, b), out, nout);
}
