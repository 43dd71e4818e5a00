/* What decompositions share that stand for one node of PyTorch: its value is computed from operands
 * without their histories, and an op of its own has the derivative. */
#ifndef PROGRAM_DECOMPOSE_NODES_H
#define PROGRAM_DECOMPOSE_NODES_H

#include "program/ops/functions.h"

/* The operand as a value: without its history. NULL stays NULL. */
static inline Tensor *node_operand(Emit *e, Tensor *t) {
    return e->records && t && e->records(e, t) ? emit_unary(e, OP_detach, t) : t;
}

/* The tensor of an optional argument, or NULL. */
static inline Tensor *node_optional(const Arg *arg) { return arg->none ? NULL : arg->tensor; }

/* check_no_requires_grad: parameter `param`, which has no derivative, may not require grad.
 * `function` is PyTorch's name of the node. */
static inline ErrCode node_refuse_history(Emit *e, const Call *call, int param,
                                          const char *function) {
    const Arg *arg = &call->arg[param];
    if (!arg->none && e->records && e->records(e, arg->tensor)) {
        return error_set(e->err, ERR_invalid,
                         "The function '%s' is not differentiable with respect to argument '%s'. "
                         "This input cannot have requires_grad True.",
                         function, call->op->param[param].name);
    }
    return ERR_none;
}

/* Reads the histories of the first n parameters. */
static inline ErrCode node_read_histories(Emit *e, const Call *call, int n) {
    for (int k = 0; k < n; k++) {
        TRY(emit_read_history(e, node_optional(&call->arg[k])));
    }
    return ERR_none;
}

/* `t` as the only result of a decomposition; NULL after an error. */
static inline ErrCode node_answer(Emit *e, Tensor *t, Tensor **out, int *nout) {
    out[0] = t;
    *nout = t != NULL;
    return e->err->code;
}

#endif
