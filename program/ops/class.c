/* The family of an op, told from its row: kind first, then what is special of that kind. */
#include "program/ops/op.h"

OpClass op_class_of(const OpInfo *op, const OpInfo *twin) {
    if (op_name_is_internal(op->name)) {
        return CLASS_NEVER;
    }
    if (op->random) {
        return CLASS_RANDOM;
    }
    switch (op->kind) {
    case KIND_FACTORY:
        return CLASS_FACTORY;
    case KIND_VIEW:
        return CLASS_VIEW;
    case KIND_MULTI_VIEW:
        return CLASS_MULTI_VIEW;
    case KIND_INPLACE_VIEW:
        return CLASS_RELAYOUT;
    case KIND_META:
        return CLASS_META;
    case KIND_STORAGE:
        return CLASS_STORAGE;
    case KIND_COMPOSITE:
        if (op->nparam > 1 && op->param[1].type == ARG_INDEX) {
            return op->param[0].writes ? CLASS_SETITEM : CLASS_GETITEM;
        }
        return op->foreach                ? CLASS_FOREACH
               : op->out_dtype != OUT_NOT ? CLASS_WRITE_OUT
               : op->param[0].writes      ? CLASS_WRITE_MOVE
                                          : CLASS_COMPOSITE;
    case KIND_POINTWISE:
        return pw_is_logic(op->pw) ? CLASS_LOGIC : op->noperand == 1 ? CLASS_UNARY : CLASS_BINARY;
    case KIND_FUNC:
        switch (op->propagation) {
        case PROPAGATION_MATMUL:
            return CLASS_MATMUL;
        case PROPAGATION_SUM:
        case PROPAGATION_PROD:
        case PROPAGATION_EXTREME:
        case PROPAGATION_ORDER:
        case PROPAGATION_VARIANCE:
        case PROPAGATION_NORM:
        case PROPAGATION_LOGSUMEXP:
        case PROPAGATION_TRUTH:
        case PROPAGATION_SOFTMAX:
            return CLASS_REDUCE;
        default:
            return CLASS_MOVE;
        }
    case KIND_INPLACE:
        if (twin->kind != KIND_POINTWISE || twin->pw == PW_masked_fill) {
            return CLASS_WRITE_MOVE;
        }
        return pw_is_logic(twin->pw) ? CLASS_WRITE_LOGIC
               : twin->noperand == 1 ? CLASS_WRITE_UNARY
                                     : CLASS_WRITE_BINARY;
    }
    return CLASS_NEVER;
}
