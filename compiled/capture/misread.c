/* Seeded faults that misread a call before it is recorded (faults.def, stage capture): its scalars,
 * its indices, or what the view that it is applied to was made of. The call that is recorded in its
 * stead is valid, and its derivative is that of the wrong call. */
#include "compiled/capture/capture.h"
#include "compiled/views/index.h"
#include "program/infer/infer.h"

#include <math.h>

/* ---- values ---- */

/* The dtype in which a bound of clamp must fit; typing says it before it refuses one. */
static DType bound_dtype(const Call *call) {
    Error ignored;
    DType compute = DT_float64, result;
    error_begin(&ignored, true);
    (void)call->op->typing(call, &compute, &result, &ignored);
    return compute;
}

/* Seeded faults ER-16, ER-16a: a bound is converted to the dtype without a test of its range; to a
 * floating one it becomes infinite, in an integer one it wraps. */
static bool convert_bounds(Capture *cap, Call *call) {
    DType dtype = bound_dtype(call);
    FaultId id = dtype_is_float(dtype) ? FAULT_ER_16 : FAULT_ER_16a;
    bool changed = false;
    for (int p = 1; p <= 2 && fault(cap->c, id); p++) {
        Arg *bound = &call->arg[p];
        if (bound->none || !scalar_overflows(bound->scalar, dtype)) {
            continue;
        }
        bound->scalar =
            dtype_is_float(dtype)
                ? scalar_float(scalar_to_double(bound->scalar) < 0 ? -INFINITY : INFINITY)
                : scalar_int(dtype_wrap(dtype, bound->scalar.i));
        changed = true;
    }
    return changed && fault_triggered(cap->c, id);
}

/* Seeded fault ER-22: the mean of one element is that element. */
static bool mean_of_one(Capture *cap, Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const Arg *dtype = call_arg(call, "dtype");
    if (!fault(cap->c, FAULT_ER_22) || self->ndim > 0 || dtype_is_float(self->dtype) ||
        !dtype->none || !fault_triggered(cap->c, FAULT_ER_22)) {
        return false;
    }
    *call = call_new(OP_clone);
    call->arg[0].tensor = (Tensor *)self;
    return true;
}

/* Element i of an index whose values are known here: a literal, or an argument that the region has
 * not written. */
static bool known_indices(const Capture *cap, const Var *v, const Tensor **layout,
                          const void **data) {
    *layout = &v->tensor;
    if (v->node->op == OP_tensor && tensor_is_contiguous(&v->tensor)) {
        *data = v->node->call->arg[0].data.data;
        return *storage_version(v->tensor.storage) == 0;
    }
    if (v->entry < 0 || cap->in.sample || *storage_version(v->tensor.storage) != 0) {
        return false;
    }
    *data = cap->in.tensors[v->entry].storage->data;
    return true;
}

/* Are all indices in range once they are counted from the end, and some only then? */
static bool some_wrap(const Capture *cap, const Var *index, int64_t size) {
    const Tensor *layout;
    const void *data;
    bool in_range = known_indices(cap, index, &layout, &data), some = false;
    if (!in_range || dtype_is_float(layout->dtype)) {
        return false;
    }
    for (Walk w = walk_start(layout->size, layout->ndim, &layout, 1); walk_more(&w);
         walk_next(&w)) {
        int64_t i = element_int(data, layout->dtype, w.at[0]), at;
        in_range &= index_normal(i, size, &at);
        some |= i < 0;
    }
    return in_range && some;
}

/* Seeded faults ER-5, ER-5a: one way of wrapping indices for all ops, also for those that refuse
 * negative ones. */
static bool wrap_indices(Capture *cap, Call *call, FaultId id) {
    const Tensor *self = call->arg[0].tensor, *index = call->arg[2].tensor;
    int dim;
    if (!fault(cap->c, id) || !dim_normal(call->arg[1].i, self->ndim, &dim)) {
        return false;
    }
    int64_t size = self->ndim > 0 ? self->size[dim] : 1;
    if (!some_wrap(cap, (const Var *)index, size) || !fault_triggered(cap->c, id)) {
        return false;
    }
    call->arg[2].tensor =
        emit_scalar(&cap->emit, OP_remainder_Scalar, (Tensor *)index, scalar_int(size));
    return call->arg[2].tensor != NULL;
}

/* ---- views ---- */

/* self = of.permute(order)? */
static bool is_permutation_of(const Tensor *self, const Tensor *of, int *order) {
    unsigned taken = 0;
    for (int d = 0; d < self->ndim; d++) {
        order[d] = 0;
        while (order[d] < of->ndim &&
               (taken >> order[d] & 1 || of->size[order[d]] != self->size[d] ||
                of->stride[order[d]] != self->stride[d])) {
            order[d]++;
        }
        taken |= 1u << order[d];
    }
    return self->ndim == of->ndim && self->offset == of->offset && taken == (1u << of->ndim) - 1;
}

/* Seeded fault SH-8: permute(q) of permute(p) of the base is its permute by q[p[d]] instead of
 * p[q[d]]. On self that is a permute by the inverse of p, at q[p[d]]. */
static bool compose_backwards(Capture *cap, Call *call) {
    const Var *self = (const Var *)call->arg[0].tensor;
    const Arg *dims = &call->arg[1];
    int p[MAX_DIMS], q[MAX_DIMS], inverse[MAX_DIMS], n = self->tensor.ndim;
    if (!fault(cap->c, FAULT_SH_8) || !self->base || dims->ints.n != n ||
        !dims_normal(dims, n, q) || !is_permutation_of(&self->tensor, &self->base->tensor, p)) {
        return false;
    }
    int64_t *wrong = arena_array(cap->arena, int64_t, MAX_DIMS);
    bool differs = false;
    for (int d = 0; d < n; d++) {
        inverse[p[d]] = d;
    }
    for (int d = 0; d < n; d++) {
        wrong[d] = inverse[q[p[d]]];
        differs |=
            wrong[d] != q[d] && (self->tensor.size[wrong[d]] > 1 || self->tensor.size[q[d]] > 1);
    }
    call->arg[1].ints.v = wrong;
    return differs && fault_triggered(cap->c, FAULT_SH_8);
}

/* Seeded fault SH-13: of an intermediate only the slice self is kept, so that as_strided counts its
 * offset from there. */
static bool address_slice(Capture *cap, Call *call) {
    const Tensor *self = call->arg[0].tensor;
    const AliasClass *cls = alias_class_of(self);
    if (!fault(cap->c, FAULT_SH_13) || cls->input >= 0 || call->arg[3].none || call->arg[3].i < 0 ||
        self->offset == 0 || tensor_numel(self) >= cls->storage.numel) {
        return false;
    }
    call->arg[3].i += self->offset;
    return fault_triggered(cap->c, FAULT_SH_13);
}

/* Seeded fault IX-9: the end of a slice of cat(a, ..) counts in a, and is clamped to it. */
static bool slice_first_operand(Capture *cap, Call *call) {
    const Var *self = (const Var *)call->arg[0].tensor;
    const Node *cat = self->node;
    Arg *arg = call->arg;
    int dim, joined;
    if (!fault(cap->c, FAULT_IX_9) || cat->op != OP_cat || arg[3].none || arg[4].i <= 0 ||
        !dim_normal(arg[1].i, self->tensor.ndim, &dim) ||
        !dim_normal(cat->call->arg[1].i, cat->t.ndim, &joined) || dim != joined ||
        cat->in[0]->t.ndim != cat->t.ndim) {
        return false;
    }
    int64_t first = cat->in[0]->t.size[dim], whole = cat->t.size[dim];
    IndexRange right = slice_normal(&arg[2], &arg[3], arg[4].i, whole),
               wrong = slice_normal(&arg[2], &arg[3], arg[4].i, first);
    if (right.start >= first || right.count == wrong.count) {
        return false; /* it begins in another operand, or ends where it should */
    }
    arg[2] = (Arg){.i = wrong.start};
    arg[3] = (Arg){.i = wrong.start + max_i64((wrong.count - 1) * arg[4].i + 1, 0)};
    arg[3].i = wrong.count == 0 ? wrong.start : arg[3].i;
    return fault_triggered(cap->c, FAULT_IX_9);
}

/* ---- products ---- */

/* Seeded faults SH-7, SH-7a: an operand made by a permute is the transposed operand of the product,
 * whatever the permutation: none at all, or (1, 0, 2) for the exchange of the last two dims. */
static bool transpose_operand(Capture *cap, Call *call, FaultId id) {
    Var *v = cap->permuted;
    if (!fault(cap->c, id) || !v || !v->base || v->base->tensor.ndim != v->tensor.ndim) {
        return false;
    }
    static const int batch[] = {1, 0, 2}, none[] = {0, 1};
    const int *order = id == FAULT_SH_7 ? none : batch;
    const Tensor *base = &v->base->tensor;
    int rank = id == FAULT_SH_7 ? 2 : 3, k = call->arg[0].tensor == &v->tensor ? 0 : 1;
    bool same = call->arg[k].tensor == &v->tensor && v->tensor.ndim == rank;
    for (int d = 0; d < rank && same; d++) {
        same = v->tensor.size[d] == base->size[order[d]] &&
               v->tensor.stride[d] == base->stride[order[d]];
    }
    if (!same || tensor_numel(base) < 2 || !fault_triggered(cap->c, id)) {
        return false;
    }
    call->arg[k].tensor = emit_transpose(&cap->emit, &v->base->tensor, rank - 2, rank - 1);
    return call->arg[k].tensor != NULL;
}

bool capture_misread(Capture *cap, const Call *call, Call *wrong) {
    call_copy(wrong, call);
    switch (call->op->id) {
    case OP_clamp:
        return convert_bounds(cap, wrong);
    case OP_mean:
    case OP_mean_dim:
        return mean_of_one(cap, wrong);
    case OP_index_add:
        return wrap_indices(cap, wrong, FAULT_ER_5);
    case OP_index_select:
        return wrap_indices(cap, wrong, FAULT_ER_5a);
    case OP_permute:
        return compose_backwards(cap, wrong);
    case OP_as_strided:
        return address_slice(cap, wrong);
    case OP_slice:
        return slice_first_operand(cap, wrong);
    case OP_mm:
        return transpose_operand(cap, wrong, FAULT_SH_7);
    case OP_bmm:
        return transpose_operand(cap, wrong, FAULT_SH_7a);
    default:
        return false;
    }
}
