/* OUT rows: op(.., out=o), the value of the functional form, written to a tensor that is given
 * (aten/src/ATen/native/Resize.cpp, resize_output; TensorIterator.cpp; the structured kernels'
 * set_output).
 *
 * Nothing is recorded: an operand that requires grad is refused where it would be. The write goes
 * through a detached alias, so that it also reaches an `out` that requires grad where the op has no
 * derivative. An `out` of another size than the result's gets the result's size and strides. */
#include "program/ops/functions.h"

#include <string.h>

static const char GREW[] = "a refused op that has given its out another size before";

static void out_undefined(Emit *e, bool is, const char *why) {
    if (is && e->undefined) {
        e->undefined(e, why);
    }
}

/* Is `out` one of the operands, as the same tensor? */
static bool is_operand(const Tensor *out, Tensor *const *slot, int n) {
    bool met = false;
    for (int i = 0; i < n; i++) {
        met |= slot[i] == out;
    }
    return met;
}

/* Is there something to differentiate: `out`, or an operand that is no index and no mask? */
static ErrCode refuse_recorded(Emit *e, const Call *form, const Tensor *out) {
    if (!form->op->grad || !e->records) {
        return ERR_none;
    }
    Tensor *slot[MAX_SLOTS];
    int n = call_slots(form, slot);
    bool records = e->records(e, out);
    for (int i = 0; i < n && !records; i++) {
        records = slot[i] && !(form->op->non_differentiable >> i & 1) && e->records(e, slot[i]);
    }
    return records ? error_set(e->err, ERR_invalid,
                               "%s(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.",
                               form->op->name)
                   : ERR_none;
}

/* cat of vectors without elements only: no memory is looked at. */
static bool joins_nothing(const OpInfo *op, Tensor *const *slot, int n) {
    bool nothing = op->id == OP_cat_out;
    for (int i = 0; i < n && nothing; i++) {
        nothing = slot[i]->ndim == 1 && slot[i]->size[0] == 0;
    }
    return nothing;
}

/* The memory of `out`, which may not be that of an operand, in part or at all. */
static ErrCode refuse_memory(Emit *e, const OpInfo *op, const Tensor *out, Tensor *const *slot,
                             int n) {
    if (joins_nothing(op, slot, n)) {
        return ERR_none;
    }
    bool checked = op->out_memory != OUT_UNCHECKED;
    bool nothing = op->out_memory == OUT_APART && tensor_numel(out) == 0;
    if (checked && !nothing && tensor_internal_overlap(out) == OVERLAP_YES) {
        return error_set(e->err, ERR_overlap,
                         "more than one element of the written-to tensor refers to a single "
                         "memory location");
    }
    bool shares = tensor_overlaps_itself(out);
    for (int i = 0; i < n; i++) {
        if (!slot[i]) {
            continue;
        }
        Overlap status = tensor_overlap_status(out, slot[i]);
        bool whole = op->out_memory == OUT_APART || (op->out_memory == OUT_APART_FIRST && i == 0);
        if (checked && (status == OVERLAP_PARTIAL || (status == OVERLAP_FULL && whole))) {
            return error_set(e->err, ERR_overlap,
                             "some elements of the input tensor and the written-to tensor refer to "
                             "a single memory location");
        }
        shares |= status != OVERLAP_NO && out->storage && tensor_numel(out) > 0 &&
                  storage_same(out->storage, slot[i]->storage) &&
                  !(status == OVERLAP_FULL && op->out_memory == OUT_ITERATOR);
    }
    out_undefined(e, shares, "an out that shares memory with an operand, unrefused");
    return ERR_none;
}

static ErrCode refuse_out_dtype(Emit *e, const OpInfo *op, DType result, DType out) {
    if (op->out_dtype == OUT_CAST ? dtype_can_cast(result, out) : result == out) {
        return ERR_none;
    }
    return error_set(e->err, ERR_dtype,
                     op->out_dtype == OUT_CAST
                         ? "result type %s can't be cast to the desired output type %s"
                         : "Expected out tensor to have dtype %s, but got %s instead",
                     dtype_name(result), dtype_name(out));
}

/* Do the operands broadcast to another size than that of `out`? */
static bool broadcasts_away(const Tensor *out, Tensor *const *slot, int n) {
    Tensor size = {.ndim = 0};
    Error ignored;
    error_begin(&ignored, true);
    for (int i = 0; i < n; i++) {
        if (slot[i] && broadcast_into(size.size, &size.ndim, slot[i]->size, slot[i]->ndim,
                                      &ignored) != ERR_none) {
            return false;
        }
    }
    return !tensor_same_size(&size, out);
}

/* Whether a sum of products has a number that its dtype cannot hold comes after the dtype of
 * `out`. */
static Call without_numbers(const Call *form) {
    Call call;
    call_copy(&call, form);
    for (int k = 0; k < form->op->nparam; k++) {
        if (form->op->propagation == PROPAGATION_MATMUL && form->op->param[k].type == ARG_SCALAR) {
            call.arg[k].scalar = scalar_int(0);
        }
    }
    return call;
}

/* index_select along a dim without elements, which is refused when memory has been looked at. */
static bool selects_of_nothing(const Call *form) {
    const Tensor *self = form->arg[0].tensor, *index = form->arg[2].tensor;
    int64_t dim = form->arg[1].i;
    return form->op->id == OP_index_select && self->ndim > 0 && dim >= -self->ndim &&
           dim < self->ndim && self->size[dim < 0 ? dim + self->ndim : dim] == 0 &&
           index->ndim <= 1 && (index->dtype == DT_int64 || index->dtype == DT_int32);
}

/* Everything that is refused, and the metadata of the result. */
static ErrCode out_check(Emit *e, const OpInfo *op, const Call *form, const Tensor *out, Infer *r) {
    Tensor *slot[MAX_SLOTS];
    int n = call_slots(form, slot);
    bool iterator = form->op->kind == KIND_POINTWISE;
    if (iterator) {
        DType result;
        TRY(form->op->types_first ? pointwise_typed_first(form, &result, e->err) : ERR_none);
        TRY(pointwise_refused_first(form, e->err));
    }
    if (op->out_dtype == OUT_SAME_FIRST) {
        TRY(refuse_out_dtype(e, op, slot[0]->dtype, out->dtype));
    }
    if (op->out_memory == OUT_APART_FIRST) { /* gather: `dim`, and then sizes, which out gets */
        int dim;
        TRY(dim_wrap(form->arg[1].i, slot[0]->ndim, &dim, e->err));
    }
    if (iterator || op->out_memory == OUT_APART_FIRST) {
        TRY(refuse_memory(e, op, out, slot, n));
    }
    if (selects_of_nothing(form)) {
        TRY(refuse_out_dtype(e, op, slot[0]->dtype, out->dtype));
        TRY(refuse_memory(e, op, out, slot, n));
    }
    Call sizes = without_numbers(form);
    ErrCode code = form->op->infer(&sizes, r);
    /* a kernel that lacks the dtype is missed when out has been resized, or even written; some
     * kernels convert a number then (lerp) */
    out_undefined(e,
                  (code == ERR_dtype && (!iterator || broadcasts_away(out, slot, n))) ||
                      (code == ERR_invalid && iterator && broadcasts_away(out, slot, n)) ||
                      (code != ERR_none && op->out_memory == OUT_APART_FIRST) ||
                      (code == ERR_shape && op_param(form->op, "beta") >= 0),
                  GREW);
    TRY(code);
    TRY(e->err->code);
    bool fits = tensor_same_size(out, &r->out[0]);
    if (iterator && !fits && is_operand(out, slot, n)) {
        return error_set(e->err, ERR_shape,
                         "output with shape of self doesn't match the broadcast shape");
    }
    TRY(refuse_out_dtype(e, op, r->out[0].dtype, out->dtype));
    if (!iterator && (fits || op->out_memory == OUT_APART)) {
        code = refuse_memory(e, op, out, slot, n);
        out_undefined(e, code != ERR_none && !fits, GREW);
        TRY(code);
    }
    r->n = 0;
    code = form->op->infer(form, r);
    out_undefined(e, code != ERR_none, GREW);
    return code;
}

ErrCode decompose_out(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call form = call_functional(call);
    Tensor *into = call->arg[0].tensor;
    int dtype = op_param(form.op, "dtype");
    if (call->op->out_dtype == OUT_CHOOSES && form.arg[dtype].none) {
        form.arg[dtype].none = false;
        form.arg[dtype].dtype = into->dtype;
    }
    TRY(refuse_recorded(e, &form, into));
    Infer r = {.arena = e->arena, .err = e->err};
    TRY(out_check(e, call->op, &form, into, &r));
    CHECK(r.n == 1);
    bool resizes = !tensor_same_size(into, &r.out[0]);
    if (resizes) {
        const Tensor *result = &r.out[0];
        into = emit_op(e, OP__resize_out, 3, into, result->size, result->ndim, result->stride,
                       result->ndim);
        TRY(e->err->code);
        Tensor *slot[MAX_SLOTS];
        int n = call_slots(&form, slot);
        if (form.op->kind == KIND_POINTWISE) { /* memory was checked before it grew */
            for (int i = 0; i < n; i++) {
                out_undefined(
                    e, slot[i] && into->storage && storage_same(into->storage, slot[i]->storage),
                    "an out that grows into an operand");
            }
        } else {
            ErrCode code = refuse_memory(e, call->op, into, slot, n);
            out_undefined(e, code != ERR_none, GREW);
            TRY(code);
        }
    }
    Tensor *value[MAX_OUTPUTS];
    int n;
    e->written = into;
    ErrCode code = emit_call(e, &form, value, &n);
    e->written = NULL;
    out_undefined(e, resizes && code != ERR_none, GREW);
    out_undefined(e,
                  code != ERR_none && form.op->id == OP_index_select && !tensor_is_contiguous(into),
                  "index_select to an out that is not contiguous: the class of its error");
    TRY(code);
    emit_op(e, OP_copy_, 2, emit_unary(e, OP_detach, into), value[0]);
    out[0] = into;
    *nout = 1;
    return e->err->code;
}
