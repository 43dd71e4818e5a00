/* Emit: calls built by hand, by variadic list or by typed shorthand, all going through emit_call,
 * which expands composites and masks and hands the rest to the Emit at hand. Int and tensor lists
 * given to emit_op are copied into the arena, since a recorded call keeps its arguments. */
#include "program/ops/emit.h"
#include "program/semantics/semantics.h"

#include "program/ops/functions.h"

#include <stdarg.h>
#include <string.h>

/* ---- calls ---- */

static const int64_t no_ints[1] = {0};

static void emit_set_ints(Emit *e, Arg *arg, const int64_t *v, int n) {
    arg->none = false;
    arg->ints.v = n > 0 ? arena_copy(e->arena, v, (int64_t)sizeof *v * n) : no_ints;
    arg->ints.n = n;
}

/* index.Tensor takes masks in PyTorch; here they are expanded first, so that sizes depend on data
 * in `nonzero` alone. */
static bool index_has_mask(const Call *call) {
    const Arg *indices = &call->arg[1];
    for (int i = 0; i < indices->tensors.n; i++) {
        const Tensor *t = indices->tensors.v[i];
        if (t && (t->dtype == DT_bool || t->dtype == DT_uint8)) {
            return true;
        }
    }
    return false;
}

/* Autograd keeps the rows of embedding's weight, which it counts before the op checks its operands
 * (embedding in tools/autograd/derivatives.yaml). */
static ErrCode check_recorded(Emit *e, const Call *call) {
    const Tensor *weight = call->arg[0].tensor;
    if (call->op->id == OP_embedding && since(embedding_saves) && weight->ndim == 0 && e->records &&
        e->records(e, weight)) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as 0 but tensor has no dimensions");
    }
    return ERR_none;
}

ErrCode emit_read_history(Emit *e, Tensor *t) {
    bool reads = e->err->code == ERR_none && t && e->read_history && e->records(e, t);
    return reads ? e->read_history(e, t) : e->err->code;
}

/* A composite that is one node in PyTorch reads the history of its operands first. */
static ErrCode emit_decomposed(Emit *e, const Call *call, Tensor **out, int *nout) {
    if (call->op->one_node) {
        for (int k = 0; k < call->op->nparam; k++) {
            if (call->op->param[k].type == ARG_TENSOR) {
                TRY(emit_read_history(e, call->arg[k].tensor));
            }
        }
    }
    return call->op->decompose(e, call, out, nout);
}

ErrCode emit_call(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    if (__builtin_expect(e->err->code != ERR_none, 0)) {
        return e->err->code;
    }
    const OpInfo *op = call->op;
    ErrCode code;
    if (op->kind == KIND_COMPOSITE) {
        code = emit_decomposed(e, call, out, nout);
    } else if (op->id == OP_index && index_has_mask(call)) {
        Call plain;
        call_copy(&plain, call);
        TRY(emit_read_history(e, call->arg[0].tensor));
        code = emit_expand_masks(e, call->arg[0].tensor, &call->arg[1], &plain.arg[1]);
        if (code == ERR_none) {
            code = e->apply(e, &plain, out, nout);
        }
    } else if (op->random) {
        Call numbered;
        call_copy(&numbered, call);
        numbered.number = e->randoms++;
        code = e->apply(e, &numbered, out, nout);
    } else {
        code = check_recorded(e, call);
        code = code == ERR_none ? e->apply(e, call, out, nout) : code;
    }
    if (code != ERR_none && e->err->code == ERR_none) {
        error_set(e->err, code, "%s failed", op->name);
    }
    return e->err->code;
}

/* Emits the call; its first output, or NULL. */
static Tensor *emit_first(Emit *e, const Call *call) {
    Tensor *out[MAX_OUTPUTS];
    int n;
    return emit_call(e, call, out, &n) == ERR_none && n > 0 ? out[0] : NULL;
}

Tensor *emit_op(Emit *e, OpId id, int nargs, ...) {
    if (e->err->code != ERR_none) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    CHECK(nargs <= call.op->nparam);
    bool undefined = false;
    va_list list;
    va_start(list, nargs);
    for (int i = 0; i < nargs; i++) {
        Arg *arg = &call.arg[i];
        arg->none = false;
        switch (call.op->param[i].type) {
        case ARG_TENSOR:
            arg->tensor = va_arg(list, Tensor *);
            undefined |= arg->tensor == NULL;
            break;
        case ARG_TENSOR_OPT:
            arg->tensor = va_arg(list, Tensor *);
            arg->none = arg->tensor == NULL;
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT: {
            Tensor **v = va_arg(list, Tensor **);
            arg->tensors.n = va_arg(list, int);
            arg->tensors.v = arena_copy(e->arena, v, (int64_t)sizeof *v * arg->tensors.n);
            break;
        }
        case ARG_SCALAR:
        case ARG_SCALAR_OPT:
            arg->scalar = va_arg(list, Scalar);
            break;
        case ARG_INT:
        case ARG_INT_OPT:
            arg->i = va_arg(list, int64_t);
            break;
        case ARG_INTS:
        case ARG_INTS_OPT: {
            const int64_t *v = va_arg(list, const int64_t *);
            int n = va_arg(list, int);
            emit_set_ints(e, arg, v, n);
            break;
        }
        case ARG_BOOL:
            arg->b = va_arg(list, int) != 0;
            break;
        case ARG_DTYPE:
        case ARG_DTYPE_OPT:
            arg->dtype = (DType)va_arg(list, int);
            break;
        case ARG_FLOAT:
        case ARG_FLOAT_OPT:
            arg->f = va_arg(list, double);
            break;
        case ARG_STR:
        case ARG_STR_OPT:
            arg->str = va_arg(list, const char *);
            break;
        case ARG_INDEX:
        case ARG_VALUE:
        case ARG_DATA:
            CHECK(!"these arguments are built by hand");
            break;
        }
    }
    va_end(list);
    return undefined ? NULL : emit_first(e, &call);
}

/* ---- shorthands ---- */

Tensor *emit_unary(Emit *e, OpId id, Tensor *a) {
    if (!a) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    call.arg[0].tensor = a;
    return emit_first(e, &call);
}

Tensor *emit_binary(Emit *e, OpId id, Tensor *a, Tensor *b) {
    if (!a || !b) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    call.arg[0].tensor = a;
    call.arg[1].tensor = b;
    return emit_first(e, &call);
}

Tensor *emit_scalar(Emit *e, OpId id, Tensor *a, Scalar s) {
    if (!a) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    call.arg[0].tensor = a;
    call.arg[1].scalar = s;
    return emit_first(e, &call);
}

Tensor *emit_add(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_add_Tensor, a, b); }
Tensor *emit_accumulate(Emit *e, Tensor *sum, Tensor *grad, bool owned) {
    bool in_place = owned && e->in_program && !e->create_graph && tensor_is_dense(sum);
    return in_place ? emit_op(e, OP_add__Tensor, 2, sum, grad) : emit_add(e, sum, grad);
}
Tensor *emit_sub(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_sub_Tensor, a, b); }
Tensor *emit_mul(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_mul_Tensor, a, b); }
Tensor *emit_div(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_div_Tensor, a, b); }
Tensor *emit_neg(Emit *e, Tensor *a) { return emit_unary(e, OP_neg, a); }
/* `checked`: the node of `answer` checks the version of `other`. */
static void emit_tie(Emit *e, Tensor *answer, Tensor *other, bool one_node, bool checked) {
    Call call;
    call_init(&call, OP__also_saves);
    call.arg[0].tensor = answer;
    call.arg[1].tensor = other;
    call.arg[2].b = one_node;
    call.arg[3].b = checked;
    Tensor *none[MAX_OUTPUTS];
    int n;
    if (answer && other) {
        (void)emit_call(e, &call, none, &n);
    }
}
void emit_also_saves(Emit *e, Tensor *answer, Tensor *saved, bool one_node) {
    emit_tie(e, answer, saved, one_node, true);
}
void emit_result_is(Emit *e, Tensor *value, Tensor *result) {
    Call call = call_new(OP__result_is);
    call.arg[0].tensor = value;
    call.arg[1].tensor = result;
    Tensor *none[MAX_OUTPUTS];
    int n;
    (void)emit_call(e, &call, none, &n);
}
void emit_one_node(Emit *e, Tensor *answer, Tensor *other) {
    emit_tie(e, answer, other, true, false);
}

Tensor *emit_mm(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_mm, a, b); }

Tensor *emit_scale(Emit *e, Tensor *a, Scalar s) {
    return scalar_to_double(s) == 1 ? a : emit_scalar(e, OP_mul_Scalar, a, s);
}

Tensor *emit_where(Emit *e, Tensor *condition, Tensor *a, Tensor *b) {
    if (!condition || !a || !b) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_where);
    call.arg[0].tensor = condition;
    call.arg[1].tensor = a;
    call.arg[2].tensor = b;
    return emit_first(e, &call);
}

Tensor *emit_where_zero(Emit *e, Tensor *condition, Tensor *a) {
    if (!condition || !a) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_where_ScalarOther);
    call.arg[0].tensor = condition;
    call.arg[1].tensor = a;
    call.arg[2].scalar = scalar_float(0);
    return emit_first(e, &call);
}

Tensor *emit_masked_fill(Emit *e, Tensor *a, Tensor *mask, Scalar s) {
    if (!a || !mask) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_masked_fill_Scalar);
    call.arg[0].tensor = a;
    call.arg[1].tensor = mask;
    call.arg[2].scalar = s;
    return emit_first(e, &call);
}

Tensor *emit_full(Emit *e, const int64_t *size, int ndim, Scalar value, DType dtype) {
    if (e->err->code != ERR_none) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_full);
    emit_set_ints(e, &call.arg[0], size, ndim);
    call.arg[1].scalar = value;
    call.arg[2].none = false;
    call.arg[2].dtype = dtype;
    return emit_first(e, &call);
}

Tensor *emit_zeros_like(Emit *e, const Tensor *like) {
    if (!like || e->err->code != ERR_none) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_zeros);
    emit_set_ints(e, &call.arg[0], like->size, like->ndim);
    call.arg[1].none = false;
    call.arg[1].dtype = like->dtype;
    return emit_first(e, &call);
}

Tensor *emit_cast(Emit *e, Tensor *a, DType dtype) {
    if (!a || a->dtype == dtype) {
        return a;
    }
    Call call;
    call_init(&call, OP__to_copy);
    call.arg[0].tensor = a;
    call.arg[1].none = false;
    call.arg[1].dtype = dtype;
    return emit_first(e, &call);
}

/* A call whose arguments are a tensor and a list of ints. */
static Tensor *emit_ints(Emit *e, OpId id, Tensor *a, const int64_t *v, int n) {
    if (!a || e->err->code != ERR_none) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    call.arg[0].tensor = a;
    emit_set_ints(e, &call.arg[1], v, n);
    return emit_first(e, &call);
}

Tensor *emit_view(Emit *e, Tensor *a, const int64_t *size, int ndim) {
    return emit_ints(e, OP_view, a, size, ndim);
}

Tensor *emit_reshape(Emit *e, Tensor *a, const int64_t *size, int ndim) {
    if (a && sizes_equal(a->size, a->ndim, size, ndim)) {
        return a;
    }
    return emit_ints(e, OP_reshape, a, size, ndim);
}

Tensor *emit_expand(Emit *e, Tensor *a, const int64_t *size, int ndim) {
    if (a && sizes_equal(a->size, a->ndim, size, ndim)) {
        return a;
    }
    return emit_ints(e, OP_expand, a, size, ndim);
}

/* A call whose arguments are a tensor and up to three ints. */
static Tensor *emit_with_ints(Emit *e, OpId id, Tensor *a, int n, int64_t i, int64_t j, int64_t k) {
    if (!a) {
        return NULL;
    }
    Call call;
    call_init(&call, id);
    call.arg[0].tensor = a;
    int64_t v[3] = {i, j, k};
    for (int p = 0; p < n; p++) {
        call.arg[1 + p].none = false;
        call.arg[1 + p].i = v[p];
    }
    return emit_first(e, &call);
}

Tensor *emit_transpose(Emit *e, Tensor *a, int64_t dim0, int64_t dim1) {
    return emit_with_ints(e, OP_transpose, a, 2, dim0, dim1, 0);
}
Tensor *emit_unsqueeze(Emit *e, Tensor *a, int64_t dim) {
    return emit_with_ints(e, OP_unsqueeze, a, 1, dim, 0, 0);
}
Tensor *emit_select(Emit *e, Tensor *a, int64_t dim, int64_t index) {
    return emit_with_ints(e, OP_select, a, 2, dim, index, 0);
}
Tensor *emit_narrow(Emit *e, Tensor *a, int64_t dim, int64_t start, int64_t length) {
    return emit_with_ints(e, OP_narrow, a, 3, dim, start, length);
}

Tensor *emit_sum_dims(Emit *e, Tensor *a, const int64_t *dims, int ndims, bool keepdim) {
    if (!a || e->err->code != ERR_none) {
        return NULL;
    }
    Call call;
    call_init(&call, OP_sum_dim);
    call.arg[0].tensor = a;
    emit_set_ints(e, &call.arg[1], dims, ndims);
    call.arg[2].b = keepdim;
    return emit_first(e, &call);
}

Tensor *emit_sum_to(Emit *e, Tensor *a, const int64_t *size, int ndim) {
    if (!a || sizes_equal(a->size, a->ndim, size, ndim)) {
        return a;
    }
    if (ndim == 0) {
        return emit_unary(e, OP_sum, a);
    }
    int64_t dims[MAX_DIMS];
    int n = 0, leading = a->ndim - ndim;
    for (int d = 0; d < a->ndim; d++) {
        if (d < leading || (size[d - leading] == 1 && a->size[d] != 1)) {
            dims[n++] = d;
        }
    }
    if (n > 0) {
        a = emit_sum_dims(e, a, dims, n, true);
    }
    return leading > 0 ? emit_view(e, a, size, ndim) : a;
}
