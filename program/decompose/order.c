/* Ops that return values and indices. The indices are computed first and have no derivative. The
 * values are then gathered at the indices, and their derivative saves the indices. The history is
 * therefore PyTorch's: one node that saves the `indices` output. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

#include <math.h>
#include <string.h>

static ErrCode answer_pair(Emit *e, Tensor *values, Tensor *indices, Tensor **out, int *nout) {
    *nout = 0;
    if (values && indices) {
        out[(*nout)++] = values;
        out[(*nout)++] = indices;
    }
    return e->err->code;
}

/* The indices that `where` finds along the dim, and the elements there. */
static ErrCode chosen_along(Emit *e, const Call *call, OpId where, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t dim = call->arg[1].i;
    Tensor *indices = emit_op(e, where, 3, self, dim, (int)call->arg[2].b);
    return answer_pair(e, emit_op(e, OP__take_dim, 3, self, dim, indices), indices, out, nout);
}

/* max.dim, min.dim: the first extreme along dim and its index */
ErrCode decompose_extreme_dim(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId where = call->op->id == OP_max_dim ? OP__max_indices : OP__min_indices;
    return chosen_along(e, call, where, out, nout);
}

/* aminmax: the minimum and the maximum, computed separately; since aminmax_backward by ops that
 * have a derivative */
ErrCode decompose_aminmax(Emit *e, const Call *call, Tensor **out, int *nout) {
    static const OpId refuses[2] = {OP__aminmax_min, OP__aminmax_max},
                      derived[2] = {OP__aminmax_amin, OP__aminmax_amax};
    const OpId *part = since(aminmax_backward) ? derived : refuses;
    Tensor *found[2];
    for (int k = 0; k < 2; k++) {
        Call c;
        call_init(&c, part[k]);
        memcpy(c.arg, call->arg, 3 * sizeof *c.arg);
        Tensor *one[MAX_OUTPUTS];
        int n;
        TRY(emit_call(e, &c, one, &n));
        found[k] = one[0];
    }
    for (int k = 0; k < 2; k++) { /* one node, which saves both if it has a derivative */
        if (since(aminmax_backward)) {
            emit_also_saves(e, found[k], found[1 - k], true);
        } else {
            emit_one_node(e, found[k], found[1 - k]);
        }
    }
    return answer_pair(e, found[0], found[1], out, nout);
}

/* cummax, cummin */
ErrCode decompose_cummax(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    bool checked = tensor_numel(self) > 0 || since(cummax_dim);
    int64_t dim = checked ? call->arg[1].i : 0;
    Tensor *indices = emit_op(
        e, call->op->id == OP_cummax ? OP__cummax_indices : OP__cummin_indices, 2, self, dim);
    return answer_pair(e, emit_op(e, OP__take_scan, 3, self, dim, indices), indices, out, nout);
}

static Tensor *sorted_indices(Emit *e, const Call *call, int64_t *dim) {
    *dim = call->arg[op_param(call->op, "dim")].i;
    const Tensor *self = call->arg[0].tensor;
    int param = op_param(call->op, "stable"), d = (int)(*dim < 0 ? *dim + self->ndim : *dim);
    bool stable = param >= 0 && !call->arg[param].none && call->arg[param].b;
    if (since(sort_expanded) && d >= 0 && d < self->ndim && self->stride[d] == 0) {
        stable = true;
    }
    return emit_op(e, OP__sort_indices, 4, call->arg[0].tensor, *dim,
                   (int)call->arg[op_param(call->op, "descending")].b, (int)stable);
}

/* sort: the indices, then the values gathered at them */
ErrCode decompose_sort(Emit *e, const Call *call, Tensor **out, int *nout) {
    int64_t dim;
    Tensor *indices = sorted_indices(e, call, &dim);
    return answer_pair(e, emit_op(e, OP__take_dim, 3, call->arg[0].tensor, dim, indices), indices,
                       out, nout);
}

/* argsort: the indices of a sort. The values are computed too, because recording them materializes
 * the grad_fn of self. */
ErrCode decompose_argsort(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call sort;
    call_copy(&sort, call);
    if (call->op->id == OP_argsort_stable && !since(argsort_stable_records)) {
        sort.arg[0].tensor = emit_unary(e, OP_detach, call->arg[0].tensor);
    }
    TRY(emit_read_history(e, sort.arg[0].tensor));
    TRY(decompose_sort(e, &sort, out, nout));
    out[0] = out[1];
    *nout = 1;
    return ERR_none;
}

/* topk: the indices by partial sorting, then the values gathered at them */
ErrCode decompose_topk(Emit *e, const Call *call, Tensor **out, int *nout) {
    const Arg *arg = call->arg;
    Tensor *indices = emit_op(e, OP__topk_indices, 5, arg[0].tensor, arg[1].i, arg[2].i,
                              (int)arg[3].b, (int)arg[4].b);
    return answer_pair(e, emit_op(e, OP__take_dim, 3, arg[0].tensor, arg[2].i, indices), indices,
                       out, nout);
}

/* median.dim, nanmedian.dim: the lower median along dim and its first index */
ErrCode decompose_median(Emit *e, const Call *call, Tensor **out, int *nout) {
    OpId where = call->op->id == OP_median_dim ? OP__median_indices : OP__nanmedian_indices;
    return chosen_along(e, call, where, out, nout);
}

/* mode: the least of the most frequent elements along dim, and the index that a sort leaves last */
ErrCode decompose_mode(Emit *e, const Call *call, Tensor **out, int *nout) {
    return chosen_along(e, call, OP__mode_indices, out, nout);
}

/* histc: how many elements are in each of `bins` equal parts of a range; from min to max, or, if
 * they are equal, from the least element to the greatest, which must be finite */
ErrCode decompose_histc(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    int64_t bins = call->arg[1].i, infinite = 0;
    double least = scalar_to_double(call->arg[2].scalar),
           most = scalar_to_double(call->arg[3].scalar);
    *nout = 0;
    if (bins <= 0) {
        return error_set(e->err, ERR_invalid, "torch.histogram(): bins must be > 0, but got %lld",
                         (long long)bins);
    }
    if (least == most && dtype_is_float(self->dtype) && tensor_numel(self) > 0) {
        Tensor *some = emit_unary(e, OP_isfinite, self);
        some = emit_unary(e, OP_any, emit_unary(e, OP_logical_not, some));
        some = emit_cast(e, some, DT_int64);
        TRY(e->err->code);
        TRY(e->item_int(e, some, &infinite));
    }
    if (infinite || !isfinite(least) || !isfinite(most)) {
        return error_set(e->err, ERR_invalid, "torch.histc: range of [%g, %g] is not finite", least,
                         most);
    }
    if (least > most) {
        return error_set(e->err, ERR_invalid, "torch.histc: max must be larger than min");
    }
    out[0] = emit_op(e, OP__histc, 4, self, bins, call->arg[2].scalar, call->arg[3].scalar);
    *nout = out[0] != NULL;
    return e->err->code;
}

/* outer: reshape(self, [n, 1]) * vec2 */
ErrCode decompose_outer(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor, *vec2 = call->arg[1].tensor;
    if (self->ndim != 1 || vec2->ndim != 1) {
        return error_set(e->err, ERR_shape, "outer: Expected 1-D argument %s, but got %d-D",
                         self->ndim != 1 ? "self" : "vec2",
                         self->ndim != 1 ? self->ndim : vec2->ndim);
    }
    int64_t column[2] = {self->size[0], 1};
    out[0] = emit_mul(e, emit_op(e, OP_reshape, 2, self, column, 2), vec2);
    *nout = out[0] != NULL;
    return e->err->code;
}
