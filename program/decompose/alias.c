/* Ops that are another name of an op, with the same parameters (native_functions.yaml: aliases are
 * CompositeImplicitAutograd). */
#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <string.h>

static OpId op_behind(OpId id) {
    static const struct {
        OpId alias, op;
    } names[] = {
        {OP_concat, OP_cat},
        {OP_concatenate, OP_cat},
        {OP_moveaxis_int, OP_movedim_int},
        {OP_moveaxis, OP_movedim},
        {OP_row_stack, OP_vstack},
        {OP_ger, OP_outer},
        {OP_argwhere, OP_nonzero},
        {OP_clip, OP_clamp},
        {OP_clip_Tensor, OP_clamp_Tensor},
        {OP_clip_, OP_clamp_},
        {OP_clip__Tensor, OP_clamp__Tensor},
        {OP_fix, OP_trunc},
        {OP_fix_, OP_trunc_},
        {OP_arctan2, OP_atan2},
        {OP_arctan2_, OP_atan2_},
        {OP_absolute, OP_abs},
        {OP_absolute_, OP_abs_},
        {OP_negative, OP_neg},
        {OP_negative_, OP_neg_},
    };
    for (int i = 0; i < COUNT_OF(names); i++) {
        if (names[i].alias == id) {
            return names[i].op;
        }
    }
    CHECK(!"an alias that stands for no op");
    return OP_NONE;
}

ErrCode decompose_alias(Emit *e, const Call *call, Tensor **out, int *nout) {
    Call c = call_new(op_behind(call->op->id));
    memcpy(c.arg, call->arg, (size_t)call->op->nparam * sizeof *c.arg);
    return emit_call(e, &c, out, nout);
}
