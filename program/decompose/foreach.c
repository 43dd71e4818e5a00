/* FOREACH rows: one op applied to each tensor of a list, which is what PyTorch does on CPUs
 * (aten/src/ATen/native/ForeachOpsKernels.cpp, the slow path).
 *
 * It is recorded as one node if any tensor of the lists requires grad. Then every result requires
 * grad, every saved tensor of all lists is checked by whatever backward reaches one of the results,
 * and all are freed together. Here each result has a node of its own, behind which there is another
 * one that leads to all operands, and brings a gradient to its own ones. */
#include "program/ops/functions.h"

static ErrCode foreach_count(const Call *call, int *n, Error *err) {
    *n = call->arg[0].tensors.n;
    if (*n == 0) {
        return error_set(err, ERR_invalid, "Tensor list must have at least one tensor.");
    }
    for (int k = 1; k < call->op->nparam; k++) {
        if (call->op->param[k].type == ARG_TENSORS && call->arg[k].tensors.n != *n) {
            return error_set(err, ERR_invalid,
                             "Tensor lists must have the same number of tensors, got %d and %d", *n,
                             call->arg[k].tensors.n);
        }
    }
    return *n > MAX_OUTPUTS ? error_set(err, ERR_limit, "a list of %d tensors", *n) : ERR_none;
}

/* Is the op recorded? Then the history of all tensors is read. */
static bool foreach_recorded(Emit *e, const Call *call) {
    Tensor *slot[MAX_SLOTS];
    int n = call_slots(call, slot);
    bool recorded = false;
    for (int i = 0; i < n && e->records; i++) {
        if (e->records(e, slot[i])) {
            recorded = true;
            emit_read_history(e, slot[i]);
        }
    }
    return recorded;
}

/* The results as outputs of one node, which saves all lists, all results, or nothing. */
static ErrCode foreach_join(Emit *e, const Call *call, Tensor **out, int n) {
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(call, slot);
    bool saves = call->op->saves_any && !call->op->saves_result;
    for (int i = 0; i < n; i++) {
        if (!dtype_is_float(out[i]->dtype)) {
            return error_set(e->err, ERR_invalid, "Autograd not support dtype: %s",
                             dtype_name(out[i]->dtype));
        }
        Tensor *value = out[i];
        out[i] = emit_op(e, saves ? OP__joined_saving : OP__joined, 2, out[i], slot, nslot);
        TRY(e->err->code);
        if (call->op->saves_result && e->records(e, value)) {
            emit_result_is(e, value, out[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && call->op->saves_result; j++) {
            emit_also_saves(e, out[i], out[j], false);
        }
        if (n > 1) {
            emit_one_node(e, out[i], out[(i + 1) % n]);
        }
    }
    return e->err->code;
}

ErrCode decompose_foreach(Emit *e, const Call *call, Tensor **out, int *nout) {
    int n, one;
    TRY(foreach_count(call, &n, e->err));
    bool recorded = foreach_recorded(e, call);
    TRY(e->err->code);
    for (int i = 0; i < n; i++) {
        Call each = call_of_each(call, i);
        Tensor *result[MAX_OUTPUTS];
        e->in_list = true;
        ErrCode code = emit_call(e, &each, result, &one);
        e->in_list = false;
        TRY(code);
        out[i] = result[0];
    }
    *nout = n;
    return recorded ? foreach_join(e, call, out, n) : ERR_none;
}
