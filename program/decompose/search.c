/* Decompositions of searches: bucketize and isin (aten/src/ATen/native/Bucketization.cpp,
 * TensorCompare.cpp). */
#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

#include <math.h>

/* bucketize: searchsorted(boundaries, self), of one row of boundaries */
ErrCode decompose_bucketize(Emit *e, const Call *call, Tensor **out, int *nout) {
    bool scalar = call->op->param[0].type == ARG_SCALAR;
    const Tensor *boundaries = call->arg[1].tensor;
    if (boundaries->ndim != 1) {
        return error_set(e->err, ERR_invalid,
                         "bucketize(): boundaries tensor must be 1 dimension, but got dim(%d)",
                         boundaries->ndim);
    }
    Call c = call_new(scalar ? OP_searchsorted_Scalar : OP_searchsorted_Tensor);
    c.arg[0] = call->arg[1];
    c.arg[1] = call->arg[0];
    c.arg[2] = call->arg[2];
    c.arg[3] = call->arg[3];
    return emit_call(e, &c, out, nout);
}

static ErrCode refuse_bool(Emit *e, const Call *call) {
    for (int k = 0; k < 2; k++) {
        bool number = call->op->param[k].type == ARG_SCALAR;
        bool truth =
            number ? call->arg[k].scalar.kind == CAT_BOOL : call->arg[k].tensor->dtype == DT_bool;
        if (truth) {
            return error_set(e->err, ERR_dtype,
                             "Unsupported input type encountered for isin(): Bool");
        }
    }
    return ERR_none;
}

/* So few elements that each is compared with each; otherwise they are sorted
 * (isin_Tensor_Tensor_out). */
static bool are_few(const Tensor *tests, int64_t elements) {
    return (double)tensor_numel(tests) < floor(10 * pow((double)elements, 0.145));
}

bool isin_sorts(const Call *call) {
    if (call->op->param[1].type == ARG_SCALAR) {
        return false;
    }
    int64_t elements =
        call->op->param[0].type == ARG_SCALAR ? 1 : tensor_numel(call->arg[0].tensor);
    return elements > 0 && !are_few(call->arg[1].tensor, elements);
}

/* 1.13 has no bfloat16, and float16 where it compares each with each or where _unique sorts. */
static ErrCode refuse_half(Emit *e, const Call *call) {
    if (since(half_kernels)) {
        return ERR_none;
    }
    DType dtype[2], common;
    Promotion p = PROMOTION_START;
    int tensors = 0;
    bool half = false;
    for (int k = 0; k < 2; k++) {
        if (call->op->param[k].type == ARG_TENSOR) {
            const Tensor *t = call->arg[k].tensor;
            dtype[tensors++] = t->dtype;
            promotion_tensor(&p, t->dtype, t->ndim);
            half = half || t->dtype == DT_float16;
        }
    }
    common = promotion_result(&p);
    for (int k = 0; k < tensors; k++) {
        if (dtype[k] == DT_bfloat16) {
            return error_set(e->err, ERR_dtype,
                             "Unsupported input type encountered for isin(): BFloat16");
        }
    }
    bool sorts = isin_sorts(call),
         nothing = call->op->param[0].type == ARG_TENSOR && tensor_numel(call->arg[0].tensor) == 0;
    if (sorts ? half && !call->arg[2].b
              : common == DT_float16 && !nothing && call->op->param[1].type == ARG_TENSOR) {
        return error_set(e->err, ERR_dtype, "\"%s\" not implemented for 'Half'",
                         sorts ? "unique" : "isin_default_cpu");
    }
    return ERR_none;
}

/* The dtype in which elements are compared. Sorting concatenates them: a 0-dim tensor or a number
 * (float64, int64) promotes like any other tensor then. */
static DType joined_dtype(const Call *call, bool sorts) {
    Promotion p = PROMOTION_START;
    for (int k = 0; k < 2; k++) {
        if (call->op->param[k].type == ARG_SCALAR) {
            promotion_tensor(&p, call->arg[k].scalar.kind == CAT_FLOAT ? DT_float64 : DT_int64, 1);
        } else {
            const Tensor *t = call->arg[k].tensor;
            promotion_tensor(&p, t->dtype, sorts ? 1 : t->ndim);
        }
    }
    return promotion_result(&p);
}

/* isin: any(unsqueeze(elements, -1) == view(test_elements, [-1]), -1), or not; many test_elements
 * need not be a view */
ErrCode decompose_isin(Emit *e, const Call *call, Tensor **out, int *nout) {
    TRY(refuse_bool(e, call));
    TRY(refuse_half(e, call));
    bool element_is_number = call->op->param[0].type == ARG_SCALAR,
         test_is_number = call->op->param[1].type == ARG_SCALAR;
    Tensor *answer;
    if (test_is_number) {
        answer = emit_scalar(e, OP_eq_Scalar, emit_unary(e, OP_detach, call->arg[0].tensor),
                             call->arg[1].scalar);
        answer = answer ? emit_unary(e, OP__contiguous_copy, answer) : NULL;
    } else {
        Tensor *tests = emit_unary(e, OP_detach, call->arg[1].tensor), *elements = NULL;
        bool sorts = isin_sorts(call);
        e->size_decisions++;
        if (!element_is_number || sorts) {
            DType common = joined_dtype(call, sorts);
            tests = emit_cast(e, tests, common);
            elements = element_is_number
                           ? NULL
                           : emit_cast(e, emit_unary(e, OP_detach, call->arg[0].tensor), common);
        }
        TRY(e->err->code);
        int64_t numel = tensor_numel(tests), count = elements ? tensor_numel(elements) : 1;
        bool views = count > 0 && !sorts;
        Tensor *flat = views ? emit_view(e, tests, &numel, 1) : emit_reshape(e, tests, &numel, 1);
        Tensor *equal = element_is_number
                            ? emit_scalar(e, OP_eq_Scalar, flat, call->arg[0].scalar)
                            : emit_binary(e, OP_eq_Tensor, emit_unsqueeze(e, elements, -1), flat);
        answer = emit_op(e, OP_any_dim, 2, equal, (int64_t)-1);
    }
    if (call->arg[3].b) {
        answer = emit_unary(e, OP_logical_not, answer);
    }
    out[0] = answer;
    *nout = answer != NULL;
    return e->err->code;
}
