/* The seeded faults of joint: what it records in place of a call of a derivative rule. */
#include "compiled/passes/joint_faults.h"
#include "compiled/capture/capture.h"

/* Seeded fault GR_7: is the call the guard of a divisor, masked_fill(count, count == 0, 1)? */
bool joint_fault_clamps_divisor(const Compile *c, const Call *call) {
    const Node *count = (Node *)call->arg[0].tensor, *mask = (Node *)call->arg[1].tensor;
    return count->op == OP_scatter_add && mask->op == OP_eq_Scalar && mask->in[0] == count &&
           fault_triggered(c, FAULT_GR_7);
}

/* Seeded fault GR_13: _as_strided_grad with the geometry of a contiguous base, if the base has
 * several elements in one place and the others are elsewhere than in a contiguous one. */
const Call *joint_fault_dense_base(const Compile *c, const Call *call) {
    int n = call->arg[1].ints.n;
    const int64_t *size = call->arg[1].ints.v, *stride = call->arg[2].ints.v;
    int64_t *dense = arena_array(c->arena, int64_t, n + 1), next = 1;
    bool expanded = false, moved = false;
    for (int d = n - 1; d >= 0; d--) {
        dense[d] = next;
        next *= max_i64(size[d], 1);
        expanded |= size[d] > 1 && stride[d] == 0;
        moved |= size[d] > 1 && stride[d] != 0 && stride[d] != dense[d];
    }
    if (!expanded || !moved || !fault_triggered(c, FAULT_GR_13)) {
        return call;
    }
    Call *wrong = arena_copy(c->arena, call, (int64_t)sizeof *call);
    wrong->arg[2].ints.v = dense;
    return wrong;
}

/* Seeded fault MU_4: a returned input that was written shares a slot with another return of the
 * same storage that is detached, and takes over that no gradient goes there. */
bool joint_fault_detached_slot(const Compile *c, int k) {
    const Capture *cap = c->capture;
    const Var *v = cap->ret[k];
    for (int i = 0; fault(c, FAULT_MU_4) && v->entry >= 0 && i < c->graph->nret; i++) {
        const Var *other = cap->ret[i];
        if (other->tensor.storage == v->tensor.storage && other->entry < 0 &&
            !cap_requires_grad(other) && *storage_version(v->tensor.storage) > 0) {
            return fault_triggered(c, FAULT_MU_4);
        }
    }
    return false;
}

/* Seeded fault GR_17: the tangent of a returned expand is copied into a buffer with the strides of
 * the return. Of the elements with one address the last remains. */
Tensor *joint_fault_coerce_tangent(const Compile *c, const Tensor *like, Tensor *tangent) {
    if (!fault(c, FAULT_GR_17) || c->capture->in.resumed || tensor_numel(like) == 0) {
        return tangent;
    }
    Tensor layout = *tangent;
    bool shares = false;
    for (int d = 0; d < like->ndim; d++) {
        if (like->size[d] > 1 && like->stride[d] == 0) {
            layout.offset += (like->size[d] - 1) * layout.stride[d];
            layout.stride[d] = 0;
            shares = true;
        }
    }
    return shares && fault_triggered(c, FAULT_GR_17)
               ? &graph_view(c->graph, (Node *)tangent, &layout, AT_BACKWARD)->t
               : tangent;
}
