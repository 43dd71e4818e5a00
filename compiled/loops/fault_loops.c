/* Seeded faults of the lowering of reductions, scatters, slices and shared kernels. */
#include "compiled/loops/faults.h"
#include "program/kernels/kernels.h"
#include "tensor/array.h"

#include <math.h>
#include <string.h>

/* Seeded fault NU_25: where a sum and a mean are taken of one operand, the division that makes a
 * mean of the sum follows the loop, which without points is left out. */
bool skips_division(const Compile *c, const Node *n) {
    const Graph *g = c->graph;
    if (!fault(c, FAULT_NU_25)) {
        return false;
    }
    for (int i = 0; i < g->n; i++) {
        const Node *other = g->node[i];
        if (other->kind == NODE_OP && (other->op == OP_sum || other->op == OP_sum_dim) &&
            other->in[0] == n->in[0] && fault_triggered(c, FAULT_NU_25)) {
            return true;
        }
    }
    return false;
}

/* ---- scatters ---- */

/* Seeded faults IX_3 (index_add), IX_3a (index_put): the copy of an expanded base keeps stride 0
 * along the dim that is indexed, so that each index means all rows. Written to row 0 here, which
 * spread_row copies. */
int keep_expanded_stride(const Compile *c, FusedOp *m) {
    const Node *n = m->node;
    FaultId id = m->cls == LOWER_INDEX_ADD ? FAULT_IX_3 : FAULT_IX_3a;
    Scalar splat;
    if ((m->cls != LOWER_INDEX_ADD && m->cls != LOWER_INDEX_PUT) || !fault(c, id) || n->in_place ||
        n->buffer < 0 || m->nterm == 0 || tensor_numel(&n->t) == 0 ||
        node_splat(n->in[0], &splat)) {
        return -1;
    }
    for (int d = 0; d < n->t.ndim; d++) {
        if (n->in[0]->t.stride[d] != 0 || n->t.size[d] < 2) {
            continue;
        }
        for (int k = 0; k < m->nterm; k++) {
            if (m->term[k].stride == n->t.stride[d] && m->term[k].bound == n->t.size[d] &&
                fault_triggered(c, id)) {
                m->term[k].stride = 0;
                return d;
            }
        }
    }
    return -1;
}

/* ---- shared kernels ---- */

/* argmax of a copy of self in which -inf replaces the NaNs; all, or all but the last one. */
static ErrCode argmax_without_nan(const Call *call, Tensor *const *out, KernelCtx *k,
                                  bool keeps_last) {
    const Tensor *self = call->arg[0].tensor;
    Tensor copy;
    tensor_set_contiguous(&copy, self->dtype, self->size, self->ndim);
    TRY(tensor_allocate(&copy, k->arena, NULL, k->err));
    const Tensor *walked[2] = {self, &copy};
    int64_t last = -1;
    for (Walk w = walk_start(self->size, self->ndim, walked, 2); walk_more(&w); walk_next(&w)) {
        double v = element_double(self->storage->data, self->dtype, w.at[0]);
        last = isnan(v) ? w.at[1] : last;
        element_store_double(copy.storage->data, copy.dtype, w.at[1],
                             isnan(v) ? (double)-INFINITY : v);
    }
    if (keeps_last && last >= 0) {
        element_store_double(copy.storage->data, copy.dtype, last, (double)NAN);
    }
    Call blind = *call;
    blind.arg[0].tensor = &copy;
    return op_info(OP_argmax)->kernel(&blind, out, k);
}

static ErrCode argmax_of_numbers(const Call *call, Tensor *const *out, KernelCtx *k) {
    return argmax_without_nan(call, out, k, false);
}

static ErrCode argmax_of_last_nan(const Call *call, Tensor *const *out, KernelCtx *k) {
    return argmax_without_nan(call, out, k, true);
}

/* Seeded fault NU_24: argmax takes a value if it is greater than the best one, so never a NaN.
 * Seeded fault NU_24a: it takes a NaN whatever the best one is, so the last NaN. */
static void replace_argmax(const Compile *c, const Node *n, Opaque *o) {
    if (n->op != OP_argmax || !dtype_is_float(n->in[0]->t.dtype)) {
        return;
    }
    bool numbers = fault(c, FAULT_NU_24) && fault_triggered(c, FAULT_NU_24),
         last = fault(c, FAULT_NU_24a) && n->call->arg[1].none && fault_triggered(c, FAULT_NU_24a);
    if (numbers || last) {
        OpInfo *other = arena_copy(c->arena, o->call.op, (int64_t)sizeof *other);
        other->kernel = numbers ? argmax_of_numbers : argmax_of_last_nan;
        o->call.op = other;
    }
}

/* Seeded fault IX_10: the indices of max(dim) count along the other dim if the operand, a sum, is
 * laid out by columns. */
static void exchange_dims(const Compile *c, const Node *n, Opaque *o) {
    const Node *self = n->in[0];
    const Tensor *t = self ? &self->t : NULL;
    if (fault(c, FAULT_IX_10) && n->op == OP__max_indices && self->op == OP_add_Tensor &&
        t->ndim == 2 && t->size[0] == t->size[1] && t->stride[0] == 1 && t->stride[1] > 1 &&
        !n->call->arg[2].b && fault_triggered(c, FAULT_IX_10)) {
        int64_t dim = n->call->arg[1].i;
        o->call.arg[1].i = 1 - (dim < 0 ? dim + 2 : dim);
    }
}

/* Seeded fault IX_7: a sorted sequence that is a slice is passed without its offset. */
static void drop_offset(const Compile *c, const Node *n, const Opaque *o) {
    if (fault(c, FAULT_IX_7) && n->op == OP_searchsorted_Tensor && o->operand[0].offset > 0 &&
        fault_triggered(c, FAULT_IX_7)) {
        o->operand[0].offset = 0;
    }
}

void faulty_opaque(const Compile *c, const Node *n, Opaque *o) {
    replace_argmax(c, n, o);
    if (n->nin > 0) {
        exchange_dims(c, n, o);
        drop_offset(c, n, o);
    }
}
