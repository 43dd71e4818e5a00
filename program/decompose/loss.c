/* nll_loss: the weight must not require grad while gradients are recorded (check_no_requires_grad
 * of nll_loss_forward). */
#include "program/ops/emit.h"
#include "program/ops/functions.h"

#include <string.h>

ErrCode decompose_nll_loss(Emit *e, const Call *call, Tensor **out, int *nout) {
    if (!call->arg[2].none && e->records && e->records(e, call->arg[2].tensor)) {
        return error_set(e->err, ERR_invalid,
                         "The function 'nll_loss_forward' is not differentiable with respect to "
                         "argument 'weight'");
    }
    Call c;
    call_init(&c, OP__nll_loss);
    memcpy(c.arg, call->arg, 5 * sizeof *c.arg);
    return emit_call(e, &c, out, nout);
}
