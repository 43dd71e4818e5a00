/* Decompositions of joins and splits along a fixed dim, and of ops that add dims
 * (aten/src/ATen/native/TensorTransformations.cpp, TensorShape.cpp, Itertools.cpp). */
#include "program/infer/infer.h"
#include "program/ops/functions.h"

static ErrCode decompose_stack_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

/* `self` with at least n dims, at most 3: ones are put in front, and behind for the third. */
static Tensor *at_least(Emit *e, Tensor *self, int n) {
    if (self->ndim >= n) {
        return self;
    }
    if (self->ndim == 0) {
        return emit_reshape(e, self, (int64_t[]){1, 1, 1}, n);
    }
    Tensor *row = self->ndim == 1 ? emit_unsqueeze(e, self, 0) : self;
    return n == 3 ? emit_unsqueeze(e, row, -1) : row;
}

static int dims_named(const Call *call) {
    OpId id = call->op->id;
    return id == OP_atleast_1d || id == OP_atleast_1d_Sequence   ? 1
           : id == OP_atleast_2d || id == OP_atleast_2d_Sequence ? 2
                                                                 : 3;
}

/* atleast_1d, atleast_2d, atleast_3d: self itself if it has that many dims */
ErrCode decompose_atleast(Emit *e, const Call *call, Tensor **out, int *nout) {
    return decompose_stack_answer(e, at_least(e, call->arg[0].tensor, dims_named(call)), out, nout);
}

ErrCode decompose_atleast_each(Emit *e, const Call *call, Tensor **out, int *nout) {
    int n = call->arg[0].tensors.n;
    *nout = 0;
    for (int k = 0; k < n && k < MAX_OUTPUTS; k++) {
        out[k] = at_least(e, call->arg[0].tensors.v[k], dims_named(call));
        TRY(e->err->code);
    }
    *nout = n;
    return ERR_none;
}

/* vstack: cat(atleast_2d(tensors), 0); dstack: cat(atleast_3d(tensors), 2) */
ErrCode decompose_stack_along(Emit *e, const Call *call, Tensor **out, int *nout) {
    int n = call->arg[0].tensors.n, dims = call->op->id == OP_vstack ? 2 : 3;
    if (n == 0) {
        return error_set(e->err, ERR_invalid, "%s expects a non-empty TensorList", call->op->name);
    }
    Tensor **v = arena_array(e->arena, Tensor *, n);
    for (int k = 0; k < n; k++) {
        v[k] = at_least(e, call->arg[0].tensors.v[k], dims);
        TRY(e->err->code);
    }
    return decompose_stack_answer(e, emit_op(e, OP_cat, 2, v, n, (int64_t)(dims == 2 ? 0 : 2)), out,
                                  nout);
}

/* hsplit, vsplit, dsplit: tensor_split along dim 1 (0 of a vector), 0 or 2 */
ErrCode decompose_split_along(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId id = call->op->id;
    Tensor *self = call->arg[0].tensor;
    bool by_number = call->op->param[1].type == ARG_INT;
    int fewest = id == OP_hsplit || id == OP_hsplit_array   ? 1
                 : id == OP_vsplit || id == OP_vsplit_array ? 2
                                                            : 3;
    int dim = fewest == 1 ? self->ndim > 1 : fewest == 2 ? 0 : 2;
    *nout = 0;
    if (self->ndim < fewest) {
        return error_set(e->err, ERR_invalid,
                         "torch.%s requires a tensor with at least %d dimension, but got a tensor "
                         "with %d dimensions!",
                         call->op->name, fewest, self->ndim);
    }
    if (by_number && (call->arg[1].i == 0 || self->size[dim] % call->arg[1].i != 0)) {
        return error_set(e->err, ERR_invalid,
                         "torch.%s attempted to split along dimension %d, but the size of the "
                         "dimension %lld is not divisible by the split_size %lld!",
                         call->op->name, dim, (long long)self->size[dim],
                         (long long)call->arg[1].i);
    }
    Call c = call_new(by_number ? OP_tensor_split : OP_tensor_split_indices);
    c.arg[0] = call->arg[0];
    c.arg[1] = call->arg[1];
    c.arg[2].i = dim;
    return emit_call(e, &c, out, nout);
}

/* cartesian_prod: stack(flatten(meshgrid(tensors)), 1); of one tensor that tensor */
ErrCode decompose_cartesian_prod(Emit *e, const Call *call, Tensor **out, int *nout) {
    int n = call->arg[0].tensors.n;
    for (int k = 0; k < n; k++) {
        if (call->arg[0].tensors.v[k]->ndim != 1) {
            return error_set(e->err, ERR_invalid, "Expect a 1D vector");
        }
    }
    if (n == 1) {
        return decompose_stack_answer(e, call->arg[0].tensors.v[0], out, nout);
    }
    Call c = call_new(OP_meshgrid);
    c.arg[0] = call->arg[0];
    Tensor *grid[MAX_OUTPUTS];
    int count;
    TRY(emit_call(e, &c, grid, &count));
    Tensor **v = arena_array(e->arena, Tensor *, n);
    for (int k = 0; k < count; k++) {
        v[k] = emit_op(e, OP_flatten, 1, grid[k]);
    }
    return decompose_stack_answer(e, emit_op(e, OP_stack, 2, v, n, (int64_t)1), out, nout);
}

/* diagflat: diag(view(contiguous(self), [-1]), offset) */
ErrCode decompose_diagflat(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *dense = emit_op(e, OP_contiguous, 1, call->arg[0].tensor);
    int64_t numel = dense ? tensor_numel(dense) : 0;
    Tensor *flat = emit_view(e, dense, &numel, 1);
    return decompose_stack_answer(e, emit_op(e, OP_diag, 2, flat, call->arg[1].i), out, nout);
}

/* linalg_diagonal: diagonal, of the last dims by default */
ErrCode decompose_linalg_diagonal(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c = call_new(OP_diagonal);
    for (int k = 0; k < 4; k++) {
        c.arg[k] = call->arg[k];
    }
    return emit_call(e, &c, out, nout);
}

/* msort: the values of sort(self, 0) */
ErrCode decompose_msort(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c = call_new(OP_sort);
    c.arg[0] = call->arg[0];
    c.arg[1].i = 0;
    TRY(emit_call(e, &c, out, nout));
    *nout = 1;
    return ERR_none;
}
