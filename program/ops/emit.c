/* Emit: calls built by hand, by variadic list or by typed shorthand, all going through emit_call,
 * which expands composites and masks and hands the rest to the Emit at hand. Int and tensor lists
 * given to emit_op are copied into the arena, since whoever records a call keeps its arguments.
 *
 * Behind the shorthands: the arithmetic of slots (tensor arguments in schema order) and what the
 * engine does to every gradient. */
#include "program/ops/emit.h"

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

ErrCode emit_call(Emit *e, const Call *call, Tensor **out, int *nout) {
    *nout = 0;
    if (__builtin_expect(e->err->code != ERR_none, 0)) {
        return e->err->code;
    }
    const OpInfo *op = call->op;
    ErrCode code;
    if (op->kind == KIND_COMPOSITE) {
        code = op->decompose(e, call, out, nout);
    } else if (op->id == OP_index && index_has_mask(call)) {
        Call plain;
        call_copy(&plain, call);
        code = emit_expand_masks(e, call->arg[0].tensor, &call->arg[1], &plain.arg[1]);
        if (code == ERR_none) {
            code = e->apply(e, &plain, out, nout);
        }
    } else {
        code = e->apply(e, call, out, nout);
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
Tensor *emit_sub(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_sub_Tensor, a, b); }
Tensor *emit_mul(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_mul_Tensor, a, b); }
Tensor *emit_div(Emit *e, Tensor *a, Tensor *b) { return emit_binary(e, OP_div_Tensor, a, b); }
Tensor *emit_neg(Emit *e, Tensor *a) { return emit_unary(e, OP_neg, a); }
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

/* ---- slots ---- */

/* Slots that parameter `i` takes. */
static int param_slots(const Call *call, int i) {
    switch (call->op->param[i].type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return 1;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return call->arg[i].none ? 0 : call->arg[i].tensors.n;
    case ARG_VALUE:
        return call->arg[i].is_tensor;
    default:
        return 0;
    }
}

int call_slots(const Call *call, Tensor **slot) {
    const OpInfo *op = call->op;
    if (!op->slots_vary) {
        for (int i = 0; i < op->ntensor; i++) {
            const Arg *arg = &call->arg[op->tensor[i]];
            slot[i] = arg->none ? NULL : arg->tensor;
        }
        return op->ntensor;
    }
    int n = 0;
    for (int i = 0; i < op->nparam; i++) {
        const Arg *arg = &call->arg[i];
        if (op->slot[i] >= 0) {
            CHECK(n < MAX_SLOTS);
            slot[n++] = arg->none ? NULL : arg->tensor;
            continue;
        }
        int count = param_slots(call, i);
        Tensor *const *v = op->param[i].type == ARG_VALUE ? &arg->tensor : arg->tensors.v;
        CHECK(n + count <= MAX_SLOTS);
        for (int k = 0; k < count; k++) {
            slot[n++] = v[k];
        }
    }
    return n;
}

int call_slot_of(const Call *call, int param) {
    if (!call->op->slots_vary) {
        return param < 0 ? -1 : call->op->slot[param];
    }
    if (param < 0 || param_slots(call, param) == 0) {
        return -1;
    }
    int n = 0;
    for (int i = 0; i < param; i++) {
        n += param_slots(call, i);
    }
    return n;
}

/* Does one of the parameters in the set `when` require grad? Of a list its first tensor is
 * asked. */
static bool holds(const Call *call, unsigned when, const bool *requires_grad) {
    if (when & SAVED_ALWAYS) {
        return true;
    }
    for (int i = 0; when >> i; i++) {
        int slot = when >> i & 1 ? call_slot_of(call, i) : -1;
        if (slot >= 0 && requires_grad[slot]) {
            return true;
        }
    }
    return false;
}

bool call_saves_slot(const Call *call, int slot, const bool *requires_grad) {
    if (!call->op->saves_any) {
        return false;
    }
    if (!call->op->slots_vary) {
        return holds(call, call->op->saved[call->op->tensor[slot]], requires_grad);
    }
    int n = 0;
    for (int i = 0; i < call->op->nparam; i++) {
        n += param_slots(call, i);
        if (slot < n) {
            return holds(call, call->op->saved[i], requires_grad);
        }
    }
    return false;
}

bool op_saves_number(const OpInfo *op) { return op->saves && strncmp(op->saves, "number", 6) == 0; }

bool op_saves_result(const Call *call, const bool *requires_grad) {
    return holds(call, call->op->saves_result, requires_grad);
}
bool op_saves_anything(const Call *call, const bool *requires_grad) {
    return holds(call, call->op->saves_any, requires_grad);
}

/* ---- gradients ---- */

/* May a tensor of size `from` be expanded to the size of `to`? */
static bool emit_expandable(const Tensor *from, const Tensor *to) {
    if (from->ndim > to->ndim) {
        return false;
    }
    for (int d = 1; d <= from->ndim; d++) {
        int64_t size = from->size[from->ndim - d];
        if (size != 1 && size != to->size[to->ndim - d]) {
            return false;
        }
    }
    return true;
}

Tensor *grad_finish(Emit *e, Tensor *grad, const Tensor *input) {
    if (!grad || e->err->code != ERR_none) {
        return NULL;
    }
    if (!tensor_same_size(grad, input)) {
        if (!emit_expandable(input, grad)) {
            error_set(e->err, ERR_invalid, "a gradient's size does not expand from its input's");
            return NULL;
        }
        grad = emit_sum_to(e, grad, input->size, input->ndim);
    }
    return emit_cast(e, grad, input->dtype);
}

/* at::as_strided_backward, step by step, as its answer is seen by the program: a view, with the
 * base's geometry, of a vector that stands for the storage. What a location of an overlapping view
 * got is added up; a location that the base has several times gets a share each. */
static Tensor *strided_grad_steps(Emit *e, Tensor *grad, const Tensor *base, const Tensor *view) {
    if (!grad || tensor_numel(base) == 0 || tensor_numel(view) == 0) {
        return grad ? emit_full(e, base->size, base->ndim, scalar_int(0), grad->dtype) : NULL;
    }
    int64_t shared = base->offset < view->offset ? base->offset : view->offset, size = -1, end,
            base_end;
    Tensor from = *view, to = *base;
    from.offset -= shared;
    to.offset -= shared;
    if (!tensor_extent(&from, &end) || !tensor_extent(&to, &base_end)) {
        error_set(e->err, ERR_limit, "a view's extent overflows");
        return NULL;
    }
    int64_t length = end > base_end ? end : base_end;
    Tensor *storage = emit_full(e, &length, 1, scalar_int(0), grad->dtype);
    bool overlaps = tensor_overlaps_itself(&from), shares = tensor_overlaps_itself(&to);
    Tensor *places =
        overlaps || shares ? emit_op(e, OP_arange, 2, scalar_int(length), (int)DT_int64) : NULL;
    if (overlaps) {
        Tensor *at = emit_op(e, OP_as_strided, 4, places, from.size, from.ndim, from.stride,
                             from.ndim, from.offset);
        at = emit_op(e, OP_reshape, 2, at, &size, 1);
        storage = emit_op(e, OP_index_add, 4, storage, (int64_t)0, at,
                          emit_op(e, OP_reshape, 2, grad, &size, 1));
    } else if (e->create_graph) { /* a write through a view, which is what a further derivative
                                     meets */
        emit_op(e, OP_copy_, 2,
                emit_op(e, OP_as_strided, 4, storage, from.size, from.ndim, from.stride, from.ndim,
                        from.offset),
                grad);
    } else {
        storage = emit_op(e, OP_as_strided_scatter, 5, storage, grad, from.size, from.ndim,
                          from.stride, from.ndim, from.offset);
    }
    if (shares) {
        Tensor *at =
            emit_op(e, OP_as_strided, 4, places, to.size, to.ndim, to.stride, to.ndim, to.offset);
        at = emit_op(e, OP_reshape, 2, at, &size, 1);
        Tensor *one = emit_full(e, at ? at->size : NULL, at ? 1 : 0, scalar_int(1), grad->dtype);
        Tensor *count = emit_full(e, &length, 1, scalar_int(0), grad->dtype);
        storage = emit_div(e, storage, emit_op(e, OP_index_add, 4, count, (int64_t)0, at, one));
    }
    return emit_op(e, OP_as_strided, 4, storage, to.size, to.ndim, to.stride, to.ndim, to.offset);
}

Tensor *emit_as_strided_grad(Emit *e, Tensor *grad, const Tensor *base, const Tensor *view) {
    if (e->in_program) {
        return strided_grad_steps(e, grad, base, view);
    }
    return emit_op(e, OP__as_strided_grad, 7, grad, base->size, base->ndim, base->stride,
                   base->ndim, base->offset, view->size, view->ndim, view->stride, view->ndim,
                   view->offset);
}

bool op_refuses_backward(const OpInfo *op) { return op->grad == grad_not_implemented; }

/* list.index(list[k]): not identical with an earlier one, it is compared, and the answer taken for
 * a bool, which one element can be. */
static ErrCode index_by_equality(Tensor *const *list, int k, Error *err) {
    for (int i = 0; i < k && list[i] != list[k]; i++) {
        int64_t size[MAX_DIMS];
        int ndim = list[k]->ndim;
        if (!list[i]) {
            continue;
        }
        memcpy(size, list[k]->size, sizeof size);
        TRY(broadcast_into(size, &ndim, list[i]->size, list[i]->ndim, err));
        int64_t numel = 1;
        for (int d = 0; d < ndim; d++) {
            numel *= size[d];
        }
        if (numel > 1) {
            return error_set(err, ERR_invalid,
                             "Boolean value of Tensor with more than one value is ambiguous");
        }
    }
    return ERR_none;
}

ErrCode grad_output_mismatch(Tensor *const *outputs, Tensor *const *grads, int k, Error *err) {
    TRY(index_by_equality(grads, k, err));
    TRY(index_by_equality(outputs, k, err));
    return error_set(err, ERR_invalid,
                     "Mismatch in shape: grad_output[%d] and output[%d] have different shapes", k,
                     k);
}
