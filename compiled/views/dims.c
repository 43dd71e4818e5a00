/* Views that reorder dims, and those that add or remove dims of size 1. */
#include "compiled/views/layout.h"

bool view_of_alias(ViewCall *v) {
    layout_keep(layout_only(v), v->self, 0, v->self->ndim);
    return true;
}

/* ---- permutations: dim d of the result is dim order[d] of self ---- */

static void add_in_order(ViewCall *v, const int *order) {
    Tensor *t = layout_only(v);
    for (int d = 0; d < v->self->ndim; d++) {
        layout_add(t, v->self->size[order[d]], v->self->stride[order[d]]);
    }
}

static void exchange(ViewCall *v, int a, int b) {
    int order[MAX_DIMS];
    for (int d = 0; d < v->self->ndim; d++) {
        order[d] = d == a ? b : d == b ? a : d;
    }
    add_in_order(v, order);
}

bool view_of_transpose(ViewCall *v) {
    int a, b;
    if (!dim_normal(v->call->arg[1].i, v->self->ndim, &a) ||
        !dim_normal(v->call->arg[2].i, v->self->ndim, &b)) {
        return false;
    }
    exchange(v, a, b);
    return true;
}

bool view_of_t(ViewCall *v) {
    if (v->self->ndim > 2) {
        return false;
    }
    exchange(v, 0, v->self->ndim - 1);
    return true;
}

bool view_of_permute(ViewCall *v) {
    const Arg *dims = &v->call->arg[1];
    int order[MAX_DIMS];
    if (dims->ints.n != v->self->ndim || !dims_normal(dims, v->self->ndim, order)) {
        return false;
    }
    add_in_order(v, order);
    return true;
}

bool view_of_movedim(ViewCall *v) {
    const Arg *from = &v->call->arg[1], *to = &v->call->arg[2];
    int ndim = v->self->ndim, source[MAX_DIMS], target[MAX_DIMS], order[MAX_DIMS];
    if (from->ints.n != to->ints.n || !dims_normal(from, ndim, source) ||
        !dims_normal(to, ndim, target)) {
        return false;
    }
    unsigned moved = 0;
    for (int d = 0; d < ndim; d++) {
        order[d] = -1;
    }
    for (int k = 0; k < from->ints.n; k++) {
        order[target[k]] = source[k]; /* of a 0-dim self: not read */
        moved |= 1u << source[k];
    }
    for (int d = 0, rest = 0; d < ndim; d++) { /* the others fill the gaps in their own order */
        if (order[d] < 0) {
            while (moved >> rest & 1) {
                rest++;
            }
            order[d] = rest++;
        }
    }
    add_in_order(v, order);
    return true;
}

/* ---- dims of size 1 ---- */

bool view_of_unsqueeze(ViewCall *v) {
    const Tensor *self = v->self;
    int at;
    if (!dim_normal(v->call->arg[1].i, self->ndim + 1, &at) || self->ndim == MAX_DIMS) {
        return false;
    }
    Tensor *t = layout_only(v);
    layout_keep(t, self, 0, at);
    layout_add(t, 1, at == self->ndim ? 1 : stride_times(self->stride[at], self->size[at]));
    layout_keep(t, self, at, self->ndim);
    return true;
}

/* Seeded fault ER-17a: a 0-dim tensor has no dim to name. */
static bool has_no_dim(const ViewCall *v) {
    return fault(v->c, FAULT_ER_17a) && v->self->ndim == 0 && fault_triggered(v->c, FAULT_ER_17a);
}

bool view_of_squeeze(ViewCall *v) {
    const Tensor *self = v->self;
    unsigned may_go = ~0u;
    int only;
    if (v->call->op->id == OP_squeeze_dim) {
        if (!dim_normal(v->call->arg[1].i, self->ndim, &only) || has_no_dim(v)) {
            return false;
        }
        may_go = 1u << only;
    }
    Tensor *t = layout_only(v);
    for (int d = 0; d < self->ndim; d++) {
        if (self->size[d] != 1 || !(may_go >> d & 1)) {
            layout_keep(t, self, d, d + 1);
        }
    }
    return true;
}
