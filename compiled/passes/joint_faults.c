/* The seeded faults of joint: what it records in place of a call of a derivative rule. */
#include "compiled/passes/joint_faults.h"
#include "compiled/ir/graph.h"

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
