/* The seeded faults of scatters through a view: the predicate that says whether a point lies in the
 * written region is evaluated at index 0 of a dim, and is a constant. */
#include "compiled/loops/scatter_faults.h"

/* Seeded fault GR_3: the diagonal starts at index 0 and covers everything, or nothing. */
static bool collapse_diagonal(const Compile *c, FusedOp *m) {
    const Node *n = m->node;
    const Tensor *self = &n->in[0]->t, *t = &n->t;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] > 1 && self->stride[d] != 0) {
            return true;
        }
    }
    if (tensor_numel(t) == 1 || !fault_triggered(c, FAULT_GR_3)) {
        return true;
    }
    if (n->call->arg[2].i != 0) {
        return false;
    }
    m->ndim = 0;
    m->out_offset = 0;
    for (int d = 0; d < t->ndim; d++) {
        if (t->size[d] > 1) {
            m->size[m->ndim] = t->size[d];
            m->out_stride[m->ndim] = t->stride[d];
            for (int r = 0; r < m->nread; r++) {
                m->read[r].stride[m->ndim] = 0;
            }
            m->ndim++;
        }
    }
    return true;
}

/* The seeded fault that makes one point of dim d of the scatter `n`, or FAULT_NONE. GR_2: the slice
 * itself has stride 0 there. */
static FaultId collapsed_by(const Compile *c, const Node *n, int d) {
    if (fault(c, FAULT_GR_1)) {
        return n->in[0]->t.stride[d] == 0 ? FAULT_GR_1 : FAULT_NONE;
    }
    const Tensor *src = &n->in[1]->t;
    int64_t dim = n->op == OP_slice_scatter ? n->call->arg[2].i : 0;
    dim += dim < 0 ? n->t.ndim : 0;
    return n->op == OP_slice_scatter && n->sid == AT_BACKWARD && dim == d && src->size[d] > 1 &&
                   src->stride[d] == 0 && src->size[d] < n->t.size[d]
               ? FAULT_GR_2
               : FAULT_NONE;
}

/* Seeded fault GR_1: the scatter's metadata claims that a dim along which self is expanded has
 * stride 0 in the result as well. The loop over it is then one point, and whether that point lies
 * in the slice is decided at index 0: the slice covers the whole dim, or nothing (the function
 * returns false, and nothing is stored). Only for slices that are boxes, so that all addresses are
 * in bounds. */
static bool collapse_dims(const Compile *c, FusedOp *m) {
    const Node *n = m->node;
    const Tensor *t = &n->t;
    int64_t rest = m->out_offset;
    unsigned left = 0;
    for (int d = 0; d < t->ndim; d++) {
        left |= (unsigned)(t->size[d] > 1) << d;
    }
    while (left) {
        int d = -1; /* the largest stride first, as the offset is a sum of start * stride */
        for (int k = 0; k < t->ndim; k++) {
            d = left >> k & 1 && (d < 0 || t->stride[k] > t->stride[d]) ? k : d;
        }
        left &= ~(1u << d);
        int64_t start = rest / t->stride[d], stride = t->stride[d];
        rest %= stride;
        FaultId id = collapsed_by(c, n, d);
        if (id == FAULT_NONE) {
            continue;
        }
        (void)fault_triggered(c, id);
        if (start != 0) {
            return false;
        }
        int own = 0; /* the slice's dim that runs along d; none if it selects one index */
        while (own < m->ndim &&
               !(m->out_stride[own] % stride == 0 && m->out_stride[own] < stride * t->size[d])) {
            own++;
        }
        m->ndim += own == m->ndim;
        m->size[own] = t->size[d];
        m->out_stride[own] = stride;
        for (int r = 0; r < m->nread; r++) {
            m->read[r].stride[own] = 0;
        }
    }
    return true;
}

bool scatter_fault_collapse(const Compile *c, FusedOp *m) {
    const Node *n = m->node;
    if (m->cls != LOWER_VIEW_SCATTER || tensor_numel(&n->t) == 0 ||
        tensor_numel(&n->in[1]->t) == 0) {
        return true;
    }
    if (n->op == OP_diagonal_scatter) {
        return !fault(c, FAULT_GR_3) || collapse_diagonal(c, m);
    }
    bool box = n->op == OP_slice_scatter || n->op == OP_select_scatter;
    return !box || !(fault(c, FAULT_GR_1) || fault(c, FAULT_GR_2)) || collapse_dims(c, m);
}
