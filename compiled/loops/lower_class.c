/* What a node is to the lowering (lower_class.h). */
#include "compiled/loops/lower_class.h"

/* Factories other than splats are computed once, at compile time (LITERAL), since they depend on
 * nothing. */
const unsigned char lower_op_class[OP_COUNT] = {
#define POINTWISE(id, schema, pw, operands, typing, grad, saves, ...)                              \
    [OP_##id] = PW_##pw##_IN_TILES ? LOWER_POINTWISE : LOWER_OPAQUE,
#include "program/ops/ops.def"
#define LOWERING(id, cls) [OP_##id] = LOWER_##cls,
#include "compiled/loops/lowering.def"
#undef LOWERING
};

bool strided_grad_is_slice(const Node *n) {
    const Call *call = n->call;
    Tensor view = {.dtype = n->t.dtype,
                   .ndim = call->arg[4].ints.n,
                   .offset = call->arg[6].i - call->arg[3].i};
    int64_t extent, numel = tensor_numel(&n->t), step = 1;
    for (int d = n->t.ndim - 1; d >= 0; d--) {
        if (n->t.size[d] != 1 && call->arg[2].ints.v[d] != step) {
            return false;
        }
        step *= n->t.size[d];
    }
    for (int d = 0; d < view.ndim; d++) {
        view.size[d] = call->arg[4].ints.v[d];
        view.stride[d] = call->arg[5].ints.v[d];
        if (view.stride[d] < 0) {
            return false;
        }
    }
    return view.offset >= 0 && tensor_extent(&view, &extent) && extent <= numel &&
           tensor_same_size(&view, &n->in[0]->t);
}

bool lower_is_native(const OpInfo *op) {
    return op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW || op->kind == KIND_FACTORY ||
           lower_op_class[op->id] != LOWER_OPAQUE;
}

/* ---- splats ---- */

bool node_splat(const Node *n, Scalar *value) {
    if (n->kind == NODE_VIEW) {
        n = n->in[0];
    }
    if (n->kind != NODE_OP || lower_op_class[n->op] != LOWER_SPLAT) {
        return false;
    }
    Scalar given;
    switch (n->op) {
    case OP_full:
    case OP_full_like:
    case OP_fill_Scalar:
        given = n->call->arg[1].scalar;
        break;
    case OP_new_full:
        given = n->call->arg[2].scalar;
        break;
    case OP_ones:
    case OP_ones_like:
    case OP_new_ones:
        given = scalar_int(1);
        break;
    default:
        given = scalar_int(0);
        break;
    }
    int64_t cell = 0;
    if (given.kind == CAT_FLOAT) {
        element_store_double(&cell, n->t.dtype, 0, given.f);
    } else {
        element_store_int(&cell, n->t.dtype, 0, given.i);
    }
    *value = dtype_is_float(n->t.dtype) ? scalar_float(element_double(&cell, n->t.dtype, 0))
                                        : scalar_int(element_int(&cell, n->t.dtype, 0));
    return true;
}

/* True for a STORE that overwrites its whole base. */
static bool store_covers_base(const Node *n) {
    return n->kind == NODE_STORE && n->slice.offset == 0 &&
           tensor_numel(&n->slice) == tensor_numel(&n->t) && tensor_is_dense(&n->slice);
}

bool node_reads_slot(const Node *n, int slot) {
    if (n->kind != NODE_OP) {
        return n->kind != NODE_STORE || slot == 1 || !store_covers_base(n);
    }
    switch (n->op) {
    case OP_copy:
    case OP_fill_Tensor:
    case OP__linked:
    case OP__not_again:
        return slot == 1;
    case OP_bernoulli:
    case OP__rrelu_noise:
        return true;
    default:
        return lower_op_class[n->op] != LOWER_SPLAT && !n->call->op->random;
    }
}

bool node_inlines_splat(const Node *n, int slot) {
    LowerClass cls = lower_class(n);
    switch (cls) {
    case LOWER_INDEX:
    case LOWER_GATHER:
    case LOWER_INDEX_SELECT:
        return slot > 0;
    case LOWER_POINTWISE:
    case LOWER_COPY:
    case LOWER_FLIP:
    case LOWER_TRIANGLE:
    case LOWER_REDUCE:
    case LOWER_STORE:
    case LOWER_VIEW_SCATTER:
    case LOWER_INDEX_PUT:
    case LOWER_SCATTER:
    case LOWER_INDEX_ADD:
    case LOWER_ADD_SLICE:
    case LOWER_CAT:
        return true;
    default:
        return false;
    }
}
