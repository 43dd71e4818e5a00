/* Inference of the copies of views (transpose_copy, ..): the sizes of the view, in a tensor of its
 * own. */
#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

static OpId copied_view(OpId id) {
    static const struct {
        OpId copy, view;
    } pairs[] = {
        {OP_alias_copy, OP_alias},
        {OP_diagonal_copy, OP_diagonal},
        {OP_expand_copy, OP_expand},
        {OP_permute_copy, OP_permute},
        {OP_select_copy, OP_select},
        {OP_slice_copy, OP_slice},
        {OP_squeeze_copy, OP_squeeze},
        {OP_squeeze_copy_dim, OP_squeeze_dim},
        {OP_t_copy, OP_t},
        {OP_transpose_copy, OP_transpose},
        {OP_unfold_copy, OP_unfold},
        {OP_unsqueeze_copy, OP_unsqueeze},
        {OP_view_copy, OP_view},
    };
    for (int i = 0; i < COUNT_OF(pairs); i++) {
        if (pairs[i].copy == id) {
            return pairs[i].view;
        }
    }
    CHECK(!"a copy of no view");
    return OP_NONE;
}

Call copied_view_call(const Call *call, Arena *arena) {
    Call view;
    call_copy(&view, call);
    view.op = op_info(copied_view(call->op->id));
    const Tensor *self = call->arg[0].tensor;
    Error refused;
    error_begin(&refused, true);
    bool is_view =
        view.op->id != OP_view ||
        view.op->infer(&view, &(Infer){.arena = arena, .err = &refused}) != ERR_view_stride;
    if (!is_view && !tensor_is_contiguous(self)) {
        /* reshape where no view exists: any layout has the sizes of a row-major one */
        Tensor *dense = arena_copy(arena, call->arg[0].tensor, (int64_t)sizeof *dense);
        contiguous_strides(dense->size, dense->ndim, dense->stride);
        view.arg[0].tensor = dense;
    }
    return view;
}

ErrCode infer_view_copy(const Call *call, Infer *r) {
    Call view = copied_view_call(call, r->arena);
    TRY(view.op->infer(&view, r));
    Tensor found = r->out[0];
    return since(view_copy_row_major) ? infer_contiguous(r, found.dtype, found.size, found.ndim)
                                      : infer_cloned(r, &found, found.dtype);
}

/* pixel_shuffle and pixel_unshuffle: r * r channels, or a block of r by r elements, become one
 * (aten/src/ATen/native/PixelShuffle.h). A channels-last self keeps its layout. */
ErrCode infer_pixel_shuffle(const Call *call, Infer *r) {
    const Tensor *self = call->arg[0].tensor;
    bool back = call->op->id == OP_pixel_unshuffle;
    int64_t factor = call->arg[1].i, size[MAX_DIMS], block;
    int n = self->ndim;
    if (n < 3) {
        return error_set(r->err, ERR_invalid,
                         "%s expects input to have at least 3 dimensions, but got input with %d "
                         "dimension(s)",
                         call->op->name, n);
    }
    if (factor <= 0) {
        return error_set(r->err, ERR_invalid, "%s expects a positive factor, but got %lld",
                         call->op->name, (long long)factor);
    }
    if (!checked_mul(factor, factor, &block)) {
        return error_set(r->err, ERR_invalid, "%s: the factor is too large, got %lld",
                         call->op->name, (long long)factor);
    }
    bool fits = back ? self->size[n - 2] % factor == 0 && self->size[n - 1] % factor == 0
                     : self->size[n - 3] % block == 0;
    if (!fits) {
        return error_set(r->err, ERR_invalid, "%s: a size is not divisible by the factor %lld",
                         call->op->name, (long long)factor);
    }
    if (back && tensor_numel(self) == 0) { /* a clone of self, whose size is not changed */
        return infer_cloned(r, self, self->dtype);
    }
    dims_copy(size, self->size, n);
    size[n - 3] = back ? size[n - 3] * block : size[n - 3] / block;
    for (int d = n - 2; d < n; d++) {
        size[d] = back ? size[d] / factor : size[d] * factor;
    }
    TRY(infer_contiguous(r, self->dtype, size, n));
    if ((n == 4 || n == 5) && is_channels_last(self)) {
        if (n == 5 && tensor_numel(&r->out[0]) > 0) {
            return error_set(r->err, ERR_invalid,
                             "Unsupported memory format. Supports only ChannelsLast, Contiguous");
        }
        channels_last_strides(&r->out[0]);
    }
    return ERR_none;
}
