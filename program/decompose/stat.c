/* var and std with `unbiased`: a correction of 1 or 0. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"

/* var.correction(self, dim, correction = unbiased, keepdim), and the same for std */
ErrCode decompose_variance(Emit *e, const Call *call, Tensor **out, int *nout) {
    const OpInfo *op = call->op;
    Call c;
    call_init(&c, op->id == OP_var || op->id == OP_var_dim ? OP_var_correction : OP_std_correction);
    int dim = op_param(op, "dim"), keepdim = op_param(op, "keepdim");
    c.arg[0] = call->arg[0];
    c.arg[1] = dim >= 0 ? call->arg[dim] : (Arg){.none = true};
    c.arg[2].i = call->arg[op_param(op, "unbiased")].b ? 1 : 0;
    c.arg[3].b = keepdim >= 0 && call->arg[keepdim].b;
    return emit_call(e, &c, out, nout);
}
