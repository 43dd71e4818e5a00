/* Decompositions that only move elements: reshape and its variants, contiguous, to, tensor_split.
 *
 * reshape is a view if the strides allow it (semantics.md 7.5), otherwise a copy that is not a
 * view. The decision uses metadata only: it walks the runs of dims that are contiguous in memory.
 * semantics.md 1.5 says which ops return self itself and which return a view. */
#include "program/infer/infer.h"
#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <string.h>

static ErrCode decompose_shape_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

/* Resolves one -1 in `shape` for `numel` elements; false if at::infer_size rejects the shape. */
static bool resolve_shape(const int64_t *shape, int ndim, int64_t numel, int64_t *size) {
    int64_t product = 1;
    int hole = -1;
    for (int d = 0; d < ndim; d++) {
        size[d] = shape[d];
        if (shape[d] == -1 && hole < 0) {
            hole = d;
        } else if (shape[d] < 0 || !checked_mul(product, shape[d], &product)) {
            return false;
        }
    }
    if (hole >= 0) {
        if (product == 0 || numel % product != 0) {
            return false;
        }
        size[hole] = numel / product;
        return true;
    }
    return product == numel;
}

static Tensor *reshape_copy(Emit *e, Tensor *self, const int64_t *size, int ndim) {
    return emit_op(e, OP__reshape_copy, 2, self, size, ndim);
}

/* The error of a view, without what `view` itself would refuse before it: a stale self. */
static Tensor *refuse_shape(Emit *e, Tensor *self, const int64_t *shape, int ndim) {
    Call call = call_new(OP_view);
    call.arg[0].tensor = self;
    call.arg[1].ints.v = shape;
    call.arg[1].ints.n = ndim;
    (void)call.op->infer(&call, &(Infer){.arena = e->arena, .err = e->err});
    return NULL;
}

/* The view if one exists, else the copy. An invalid shape is refused here, or, since
 * reshape_views_first where self is contiguous, by `view`. */
static Tensor *reshape(Emit *e, Tensor *self, const int64_t *shape, int ndim) {
    int64_t numel = tensor_numel(self), size[MAX_DIMS], stride[MAX_DIMS];
    bool valid = ndim <= MAX_DIMS && resolve_shape(shape, ndim, numel, size);
    if (!valid && !(since(reshape_views_first) && tensor_is_contiguous(self))) {
        return refuse_shape(e, self, shape, ndim);
    }
    if (!valid || view_strides(self, numel, size, ndim, stride)) {
        return emit_view(e, self, shape, ndim);
    }
    return reshape_copy(e, self, size, ndim);
}

/* reshape: view(self, shape), or a copy that is not a view */
ErrCode decompose_reshape(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *shape = &call->arg[1];
    return decompose_shape_answer(e, reshape(e, call->arg[0].tensor, shape->ints.v, shape->ints.n),
                                  out, nout);
}

static Tensor *contiguous(Emit *e, Tensor *self) {
    return tensor_is_contiguous(self) ? self : emit_unary(e, OP__contiguous_copy, self);
}

/* contiguous: self itself, or a row-major copy */
ErrCode decompose_contiguous(Emit *e, const Call *call, Tensor **out, int *nout) {
    return decompose_shape_answer(e, contiguous(e, call->arg[0].tensor), out, nout);
}

/* ravel: view(contiguous(self), [-1]) */
ErrCode decompose_ravel(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *dense = contiguous(e, call->arg[0].tensor);
    int64_t numel = dense ? tensor_numel(dense) : 0;
    return decompose_shape_answer(e, emit_view(e, dense, &numel, 1), out, nout);
}

/* flatten: reshape with dims start..end merged into one; self itself if they are one dim already */
ErrCode decompose_flatten(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int start, end;
    TRY(dim_wrap(call->arg[1].i, self->ndim, &start, e->err));
    TRY(dim_wrap(call->arg[2].i, self->ndim, &end, e->err));
    if (start > end) {
        return error_set(e->err, ERR_invalid, "flatten: start_dim cannot come after end_dim");
    }
    if (self->ndim > 0 && start == end) {
        return decompose_shape_answer(e, self, out, nout);
    }
    int64_t size[MAX_DIMS] = {1};
    int n = 0;
    for (int d = 0; d < self->ndim; d++) {
        if (d <= start || d > end) {
            size[n++] = self->size[d];
        } else {
            size[n - 1] *= self->size[d];
        }
    }
    return decompose_shape_answer(e, reshape(e, self, size, self->ndim ? n : 1), out, nout);
}

/* to: self itself if it has the dtype and no copy is requested, else _to_copy */
ErrCode decompose_to(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    DType dtype = call->arg[1].dtype;
    bool copy = call->arg[3].b;
    if (self->dtype == dtype && !copy) {
        return decompose_shape_answer(e, self, out, nout);
    }
    Call c;
    call_init(&c, OP__to_copy);
    c.arg[0].tensor = self;
    c.arg[1].none = false;
    c.arg[1].dtype = dtype;
    return emit_call(e, &c, out, nout);
}

/* as_strided_copy: a copy of as_strided(self), which reads self's storage as it is laid out (and is
 * therefore no function of values) */
ErrCode decompose_as_strided_copy(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c = call_new(OP_as_strided);
    for (int k = 0; k < 4; k++) {
        c.arg[k] = call->arg[k];
    }
    Tensor *view[MAX_OUTPUTS];
    int n;
    *nout = 0;
    TRY(emit_call(e, &c, view, &n));
    OpId copy = since(view_copy_row_major) ? OP__contiguous_copy : OP_clone;
    return decompose_shape_answer(e, emit_unary(e, copy, view[0]), out, nout);
}

/* Emits self[start:end] along dim as output number *nout. */
static ErrCode split_piece(Emit *e, Tensor *self, int dim, int64_t start, int64_t end, Tensor **out,
                           int *nout) {
    if (*nout == MAX_OUTPUTS) {
        return error_set(e->err, ERR_limit, "more than %d outputs", MAX_OUTPUTS);
    }
    Tensor *piece = emit_op(e, OP_slice, 5, self, (int64_t)dim, start, end, (int64_t)1);
    if (piece) {
        out[(*nout)++] = piece;
    }
    return e->err->code;
}

/* tensor_split: slices of `sections` nearly equal lengths (the first ones are longer by one), or
 * cut at `indices` */
ErrCode decompose_tensor_split(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    *nout = 0;
    if (self->ndim == 0) {
        return error_set(e->err, ERR_invalid,
                         "tensor_split: expected at least a 1-dimensional tensor");
    }
    int dim;
    TRY(dim_wrap(call->arg[2].i, self->ndim, &dim, e->err));
    int64_t length = self->size[dim], start = 0;
    if (call->op->id == OP_tensor_split_indices) {
        const Arg *indices = &call->arg[1];
        for (int k = 0; k < indices->ints.n; k++) {
            TRY(split_piece(e, self, dim, start, indices->ints.v[k], out, nout));
            start = indices->ints.v[k];
        }
        return split_piece(e, self, dim, start, length, out, nout);
    }
    int64_t sections = call->arg[1].i;
    if (sections <= 0) {
        return error_set(e->err, ERR_invalid,
                         "tensor_split: number of sections must be larger than 0, got %lld",
                         (long long)sections);
    }
    for (int64_t k = 0; k < sections; k++) {
        int64_t end = start + length / sections + (k < length % sections);
        TRY(split_piece(e, self, dim, start, end, out, nout));
        start = end;
    }
    return ERR_none;
}

/* meshgrid: tensor k varies along dim k of the grid; with "xy" the first varies along dim 1 and the
 * second along dim 0 */
ErrCode decompose_meshgrid(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *tensors = &call->arg[0];
    int n = tensors->tensors.n;
    const char *indexing = call->op->id == OP_meshgrid_indexing ? call->arg[1].str : "ij";
    bool swapped = strcmp(indexing, "xy") == 0 && n >= 2;
    *nout = 0;
    if (n == 0) {
        return error_set(e->err, ERR_invalid, "meshgrid expects a non-empty TensorList");
    }
    if (n > MAX_DIMS) {
        return error_set(e->err, ERR_limit, "a meshgrid of %d tensors is over the limit of %d dims",
                         n, MAX_DIMS);
    }
    for (int k = 0; k + 1 < n; k++) {
        if (tensors->tensors.v[k]->dtype != tensors->tensors.v[k + 1]->dtype) {
            return error_set(e->err, ERR_dtype,
                             "meshgrid expects all tensors to have the same dtype");
        }
    }
    if (strcmp(indexing, "xy") != 0 && strcmp(indexing, "ij") != 0) {
        return error_set(
            e->err, ERR_invalid,
            "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s", indexing);
    }
    int64_t size[MAX_DIMS], line[MAX_DIMS];
    for (int d = 0; d < n; d++) {
        const Tensor *t = tensors->tensors.v[swapped && d < 2 ? 1 - d : d];
        if (t->ndim > 1) {
            return error_set(e->err, ERR_invalid,
                             "torch.meshgrid: Expected 0D or 1D tensor in the tensor list");
        }
        size[d] = tensor_numel(t);
        line[d] = 1;
    }
    for (int d = 0; d < n; d++) {
        int k = swapped && d < 2 ? 1 - d : d;
        line[d] = -1;
        out[k] = emit_expand(e, emit_view(e, tensors->tensors.v[k], line, n), size, n);
        line[d] = 1;
    }
    *nout = e->err->code == ERR_none ? n : 0;
    return e->err->code;
}

/* numpy_T: permute(self, dims reversed) */
ErrCode decompose_numpy_T(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t dims[MAX_DIMS];
    for (int d = 0; d < self->ndim; d++) {
        dims[d] = self->ndim - 1 - d;
    }
    return decompose_shape_answer(e, emit_op(e, OP_permute, 2, self, dims, self->ndim), out, nout);
}

/* mT, mH, matrix_H, adjoint: transpose(self, -2, -1); self itself for a 0-dim tensor */
ErrCode decompose_matrix_transpose(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    if (self->ndim == 1 || (self->ndim > 2 && call->op->id == OP_matrix_H)) {
        return error_set(e->err, ERR_invalid, "%s is only supported on %s. Got %d-D tensor.",
                         call->op->name,
                         call->op->id == OP_matrix_H ? "matrices (2-D tensors)"
                                                     : "matrices or batches of matrices",
                         self->ndim);
    }
    return decompose_shape_answer(e, self->ndim == 0 ? self : emit_transpose(e, self, -2, -1), out,
                                  nout);
}

/* unflatten: view(self, size with dim replaced by `sizes`) */
ErrCode decompose_unflatten(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *sizes = &call->arg[2];
    int64_t size[2 * MAX_DIMS];
    int dim, n = sizes->ints.n;
    if (n == 0) {
        return error_set(e->err, ERR_invalid, "unflatten: sizes must be non-empty");
    }
    TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, e->err));
    if (self->ndim == 0) {
        return error_set(e->err, ERR_index_range,
                         "Dimension specified as %lld but tensor has no dimensions",
                         (long long)call->arg[1].i);
    }
    if (n > MAX_DIMS) {
        return error_set(e->err, ERR_limit, "more than %d dims", MAX_DIMS);
    }
    for (int d = 0; d < dim; d++) {
        size[d] = self->size[d];
    }
    if (!resolve_shape(sizes->ints.v, n, self->size[dim], size + dim)) {
        return error_set(e->err, ERR_invalid,
                         "unflatten: Provided sizes don't multiply up to the size of dim %d (%lld)",
                         dim, (long long)self->size[dim]);
    }
    for (int d = dim + 1; d < self->ndim; d++) {
        size[d - 1 + n] = self->size[d];
    }
    return decompose_shape_answer(e, emit_view(e, self, size, self->ndim - 1 + n), out, nout);
}
