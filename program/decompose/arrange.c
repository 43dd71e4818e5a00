/* Decompositions of ops that rearrange elements: joins of several tensors, repetitions, flips,
 * aliases of other views, and take_along_dim (aten/src/ATen/native/TensorShape.cpp, Repeat.cpp,
 * TensorTransformations.cpp, TensorAdvancedIndexing.cpp). */
#include "program/infer/infer.h"
#include "program/semantics/semantics.h"

#include <string.h>

static ErrCode decompose_arrange_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

/* ---- joins ---- */

/* Concatenates the n tensors of `v`, each with at least one dim: along dim 0 if the first is 1-d,
 * else along dim 1. */
static ErrCode decompose_arrange_join(Emit *e, Tensor **v, int n, Tensor **out, int *nout) {
    for (int k = 0; k < n; k++) {
        v[k] = v[k] && v[k]->ndim == 0 ? emit_reshape(e, v[k], (int64_t[]){1}, 1) : v[k];
        if (!v[k]) {
            return e->err->code;
        }
    }
    return decompose_arrange_answer(e, emit_op(e, OP_cat, 2, v, n, (int64_t)(v[0]->ndim > 1)), out,
                                    nout);
}

static ErrCode refuse_no_tensors(Emit *e, const Call *call) {
    return call->arg[0].tensors.n > 0
               ? ERR_none
               : error_set(e->err, ERR_invalid, "%s expects a non-empty TensorList",
                           call->op->name);
}

/* hstack: cat(atleast_1d(tensors), dim), where dim is 0 for vectors and 1 otherwise */
ErrCode decompose_hstack(Emit *e, const Call *call, Tensor **out, int *nout) {
    TRY(refuse_no_tensors(e, call));
    int n = call->arg[0].tensors.n;
    return decompose_arrange_join(
        e, arena_copy(e->arena, call->arg[0].tensors.v, (int64_t)sizeof(Tensor *) * n), n, out,
        nout);
}

/* column_stack: hstack, with vectors and scalars reshaped to columns */
ErrCode decompose_column_stack(Emit *e, const Call *call, Tensor **out, int *nout) {
    TRY(refuse_no_tensors(e, call));
    int n = call->arg[0].tensors.n;
    Tensor **v = arena_copy(e->arena, call->arg[0].tensors.v, (int64_t)sizeof *v * n);
    for (int k = 0; k < n; k++) {
        v[k] =
            v[k]->ndim <= 1 ? emit_reshape(e, v[k], (int64_t[]){tensor_numel(v[k]), 1}, 2) : v[k];
    }
    return decompose_arrange_join(e, v, n, out, nout);
}

/* ---- repetitions ---- */

/* tile: repeat, with leading ones if there are fewer repeats than dims */
ErrCode decompose_tile(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *dims = &call->arg[1];
    int missing = dims->ints.n < self->ndim ? self->ndim - dims->ints.n : 0,
        n = missing + dims->ints.n;
    int64_t *repeats = arena_array(e->arena, int64_t, n);
    for (int d = 0; d < n; d++) {
        repeats[d] = d < missing ? 1 : dims->ints.v[d - missing];
    }
    return decompose_arrange_answer(e, emit_op(e, OP_repeat, 2, self, repeats, n), out, nout);
}

/* 0, 0, .., 1, 1, ..: each of the n numbers, repeated `times` times. */
static Tensor *repeated_numbers(Emit *e, int64_t n, int64_t times) {
    Tensor *column = emit_unsqueeze(e, emit_op(e, OP_arange, 1, scalar_int(n)), 1);
    int64_t total;
    if (!checked_mul(n, times, &total)) {
        error_set(e->err, ERR_limit, "a tensor's size overflows");
        return NULL;
    }
    return emit_reshape(e, emit_expand(e, column, (int64_t[]){n, times}, 2), &total, 1);
}

/* flatten(clone(expand(unsqueeze(self, dim + 1))), dim, dim + 1) */
static ErrCode repeat_by_view(Emit *e, Tensor *self, int64_t dim, const Call *call, Tensor **out,
                              int *nout) {
    const Arg *output_size = &call->arg[3];
    int64_t times = call->arg[1].i, size[MAX_DIMS + 1], total;
    if (times < 0) {
        return error_set(e->err, ERR_invalid, "Repeats must be non-negative");
    }
    Tensor *column = emit_unsqueeze(e, self, (int)dim + 1);
    TRY(e->err->code);
    memcpy(size, column->size, (size_t)column->ndim * sizeof *size);
    size[dim + 1] = times;
    Tensor *repeated = emit_expand(e, column, size, column->ndim);
    if (!output_size->none && !(checked_mul(size[dim], times, &total) && total == output_size->i)) {
        return error_set(e->err, ERR_invalid, "repeat_interleave: Invalid output_size");
    }
    repeated = emit_unary(e, OP__contiguous_copy, repeated);
    return decompose_arrange_answer(e, emit_op(e, OP_flatten, 3, repeated, dim, dim + 1), out,
                                    nout);
}

/* repeat_interleave: index_select(self or flatten(self), dim, 0, 0, .., 1, 1, ..) */
ErrCode decompose_repeat_interleave(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *dim_arg = &call->arg[2], *output_size = &call->arg[3];
    int64_t times = call->arg[1].i, dim = dim_arg->none ? 0 : dim_arg->i, total;
    if (dim_arg->none) {
        self = emit_op(e, OP_flatten, 1, self);
        TRY(e->err->code);
    }
    int d;
    if (self->ndim == 0 && since(repeat_interleave_is_a_view) && (dim == 0 || dim == -1)) {
        if (times < 0) {
            return error_set(e->err, ERR_invalid, "Repeats must be non-negative");
        }
        TRY(emit_read_history(e, self)); /* unsqueeze reads it */
    }
    if (self->ndim == 0) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)dim);
    }
    TRY(dim_wrap(dim, self->ndim, &d, e->err));
    if (since(repeat_interleave_is_a_view)) {
        return repeat_by_view(e, self, d, call, out, nout);
    }
    int64_t n = self->size[d];
    if (times < 0 && n > 0) {
        return error_set(e->err, ERR_invalid, "repeats can not be negative");
    }
    times = max_i64(times, 0);
    if (!output_size->none && !(checked_mul(n, times, &total) && total == output_size->i)) {
        return error_set(e->err, ERR_invalid, "allocated size does not match required size");
    }
    return decompose_arrange_answer(
        e, emit_op(e, OP_index_select, 3, self, dim, repeated_numbers(e, n, times)), out, nout);
}

/* Reads a one-element integer tensor: a data-dependent value. */
static ErrCode decompose_arrange_read_int(Emit *e, Tensor *answer_tensor, int64_t *value) {
    return answer_tensor ? e->item_int(e, answer_tensor, value) : e->err->code;
}

/* repeat_interleave.Tensor: _repeat_numbers(repeats, sum(repeats)); the sum is data-dependent */
ErrCode decompose_repeat_interleave_Tensor(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *repeats = call->arg[0].tensor;
    const Arg *output_size = &call->arg[1];
    int64_t negative = 0, total = 0;
    bool narrow = dtype_category(repeats->dtype) == CAT_INT && since(repeat_interleave_narrow);
    if (repeats->dtype != DT_int64 && repeats->dtype != DT_int32 && !narrow) {
        return error_set(e->err, ERR_dtype, "\"repeat_interleave_cpu\" not implemented for '%s'",
                         dtype_name(repeats->dtype));
    }
    if (repeats->ndim != 1) {
        return error_set(e->err, ERR_invalid, "repeat_interleave only accept 1D vector as repeat");
    }
    if (repeats->size[0] > 0) {
        TRY(decompose_arrange_read_int(
            e, emit_unary(e, OP_any, emit_scalar(e, OP_lt_Scalar, repeats, scalar_int(0))),
            &negative));
        Tensor *summed = repeats->dtype == DT_int64 /* beyond any limit, but not beyond int64 */
                             ? emit_scalar(e, OP_clamp_max, repeats, scalar_int(INT64_C(1) << 40))
                             : repeats;
        TRY(decompose_arrange_read_int(e, emit_unary(e, OP_sum, summed), &total));
        if (negative) {
            return error_set(e->err, ERR_invalid, "repeats can not be negative");
        }
        if (!output_size->none && output_size->i != total) {
            return error_set(e->err, ERR_invalid, "allocated size does not match required size");
        }
    }
    return decompose_arrange_answer(e, emit_op(e, OP__repeat_numbers, 2, repeats, total), out,
                                    nout);
}

/* repeat_interleave.self_Tensor: index_select(self or flatten(self), dim,
 * repeat_interleave(repeats)); a single repeat applies to every element */
ErrCode decompose_repeat_interleave_self_Tensor(Emit *e, const Call *call, Tensor **out,
                                                int *nout) {
    Tensor *self = call->arg[0].tensor, *repeats = call->arg[1].tensor;
    int64_t dim = call->arg[2].none ? 0 : call->arg[2].i;
    if (call->arg[2].none) {
        self = emit_op(e, OP_flatten, 1, self);
        TRY(e->err->code);
    }
    if (self->ndim == 0 && repeats->ndim < 2) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)dim);
    }
    if (repeats->ndim > 1) {
        return error_set(e->err, ERR_invalid, "repeats must be 0-dim or 1-dim tensor");
    }
    int d;
    TRY(dim_wrap(dim, self->ndim, &d, e->err));
    if (tensor_numel(repeats) == 1) {
        const int64_t one = 1;
        repeats = emit_expand(e, emit_reshape(e, repeats, &one, 1), &self->size[d], 1);
    } else if (repeats->size[0] != self->size[d]) {
        return error_set(e->err, ERR_invalid, "repeats must have the same size as input along dim");
    }
    Call numbers;
    call_init(&numbers, OP_repeat_interleave_Tensor);
    numbers.arg[0].tensor = repeats;
    numbers.arg[1] = call->arg[3];
    Tensor *indices[MAX_OUTPUTS];
    int n;
    TRY(e->err->code);
    TRY(emit_call(e, &numbers, indices, &n));
    if (indices[0]->dtype != DT_int32) { /* narrower ones are no indices */
        indices[0] = emit_cast(e, indices[0], DT_int64);
        TRY(e->err->code);
    }
    return decompose_arrange_answer(e, emit_op(e, OP_index_select, 3, self, dim, indices[0]), out,
                                    nout);
}

/* ---- flips ---- */

/* fliplr: flip(self, 1) */
ErrCode decompose_fliplr(Emit *e, const Call *call, Tensor **out, int *nout) {
    if (call->arg[0].tensor->ndim < 2) {
        return error_set(e->err, ERR_invalid, "Input must be >= 2-d.");
    }
    return decompose_arrange_answer(
        e, emit_op(e, OP_flip, 2, call->arg[0].tensor, (int64_t[]){1}, 1), out, nout);
}

/* flipud: flip(self, 0) */
ErrCode decompose_flipud(Emit *e, const Call *call, Tensor **out, int *nout) {
    if (call->arg[0].tensor->ndim < 1) {
        return error_set(e->err, ERR_invalid, "Input must be >= 1-d.");
    }
    return decompose_arrange_answer(
        e, emit_op(e, OP_flip, 2, call->arg[0].tensor, (int64_t[]){0}, 1), out, nout);
}

/* ---- aliases of view ops ---- */

/* swapdims: transpose */
ErrCode decompose_swapdims(Emit *e, const Call *call, Tensor **out, int *nout) {
    return decompose_arrange_answer(
        e, emit_transpose(e, call->arg[0].tensor, call->arg[1].i, call->arg[2].i), out, nout);
}

/* broadcast_to: expand */
ErrCode decompose_broadcast_to(Emit *e, const Call *call, Tensor **out, int *nout) {
    return decompose_arrange_answer(
        e, emit_op(e, OP_expand, 2, call->arg[0].tensor, call->arg[1].ints.v, call->arg[1].ints.n),
        out, nout);
}

/* movedim.int: movedim with one-element lists */
ErrCode decompose_movedim_int(Emit *e, const Call *call, Tensor **out, int *nout) {
    const int64_t source = call->arg[1].i, destination = call->arg[2].i;
    return decompose_arrange_answer(
        e, emit_op(e, OP_movedim, 3, call->arg[0].tensor, &source, 1, &destination, 1), out, nout);
}

/* ---- take_along_dim ---- */

/* `t` broadcast to the size of `other` in every dim except `dim`. */
static Tensor *broadcast_but(Emit *e, Tensor *t, const Tensor *other, int dim) {
    int64_t size[MAX_DIMS];
    int ndim = other->ndim;
    memcpy(size, other->size, (size_t)ndim * sizeof *size);
    size[dim] = t->size[dim];
    return broadcast_into(size, &ndim, t->size, t->ndim, e->err) == ERR_none
               ? emit_expand(e, t, size, ndim)
               : NULL;
}

/* take_along_dim: gather with both tensors broadcast; without dim both are flattened first */
ErrCode decompose_take_along_dim(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *indices = call->arg[1].tensor;
    if (call->arg[2].none) {
        const int64_t all = -1;
        Tensor *flat = emit_view(e, self, &all, 1);
        return decompose_arrange_answer(
            e, emit_op(e, OP_gather, 3, flat, (int64_t)0, emit_view(e, indices, &all, 1)), out,
            nout);
    }
    if (self->ndim != indices->ndim) {
        return error_set(
            e->err, ERR_invalid,
            "torch.take_along_dim(): input and indices should have the same number of dimensions");
    }
    if (indices->dtype != DT_int64) {
        return error_set(e->err, ERR_invalid,
                         "torch.take_along_dim(): dtype of indices should be Long but got %s",
                         dtype_name(indices->dtype));
    }
    if (self->ndim == 0) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)call->arg[2].i);
    }
    int dim;
    TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, e->err));
    Tensor *at = broadcast_but(e, indices, self, dim), *from = broadcast_but(e, self, indices, dim);
    if (since(take_along_dim_saves)) {
        at = emit_scalar(e, OP_remainder_Scalar, at, scalar_int(self->size[dim]));
    }
    return decompose_arrange_answer(e, emit_op(e, OP_gather, 3, from, (int64_t)dim, at), out, nout);
}
