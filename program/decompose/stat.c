/* var and std with `unbiased`: a correction of 1 or 0. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"

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

static bool is_std_mean(OpId id) {
    return id == OP_std_mean || id == OP_std_mean_dim || id == OP_std_mean_correction;
}

/* var_mean, std_mean: var (std) and mean, of one node, which saves self (and the std) */
ErrCode decompose_variance_mean(Emit *e, const Call *call, Tensor **out, int *nout) {
    const OpInfo *op = call->op;
    bool is_std = is_std_mean(op->id);
    Call c = call_new(is_std ? OP_std_correction : OP_var_correction);
    int dim = op_param(op, "dim"), keepdim = op_param(op, "keepdim"),
        unbiased = op_param(op, "unbiased");
    c.arg[0] = call->arg[0];
    c.arg[1] = dim >= 0 ? call->arg[dim] : (Arg){.none = true};
    if (unbiased >= 0) {
        c.arg[2].none = false;
        c.arg[2].i = call->arg[unbiased].b ? 1 : 0;
    } else {
        c.arg[2] = call->arg[op_param(op, "correction")];
    }
    c.arg[3].b = keepdim >= 0 && call->arg[keepdim].b;
    *nout = 0;
    Call m = call_new(OP__welford_mean);
    m.arg[0] = call->arg[0];
    m.arg[1] = c.arg[1];
    m.arg[2].b = c.arg[3].b;
    Tensor *mean[MAX_OUTPUTS],
        *spread[MAX_OUTPUTS]; /* the gradient is that of spread, plus mean's */
    int n;
    TRY(emit_call(e, &m, mean, &n));
    TRY(emit_call(e, &c, spread, &n));
    if (is_std) {
        emit_also_saves(e, mean[0], spread[0], false);
    }
    emit_one_node(e, mean[0], spread[0]);
    emit_one_node(e, spread[0], mean[0]);
    out[0] = spread[0];
    out[1] = mean[0];
    *nout = e->err->code == ERR_none ? 2 : 0;
    return e->err->code;
}

/* nanmean: nansum(self) / the number of elements that are not nan */
ErrCode decompose_nanmean(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    if (!dtype_is_float(self->dtype)) {
        return error_set(e->err, ERR_dtype,
                         "nanmean(): expected input to have floating point or complex dtype but "
                         "got %s",
                         dtype_name(self->dtype));
    }
    if (!call->arg[3].none && !dtype_is_float(call->arg[3].dtype) &&
        since(nansum_to_integers)) { /* before, nansum refuses it, after the dims */
        return error_set(e->err, ERR_dtype,
                         "nanmean(): could not infer output dtype. Optional dtype must be either a "
                         "floating point or complex dtype. Got: %s",
                         dtype_name(call->arg[3].dtype));
    }
    Tensor *number =
        emit_unary(e, OP_logical_not, emit_unary(e, OP_isnan, emit_unary(e, OP_detach, self)));
    Call count = call_new(OP_sum_dim);
    count.arg[0].tensor = number;
    count.arg[1] = call->arg[1];
    count.arg[2] = call->arg[2];
    Tensor *factor[MAX_OUTPUTS], *sum[MAX_OUTPUTS];
    int n;
    TRY(e->err->code);
    TRY(emit_call(e, &count, factor, &n));
    Call c = call_new(OP_nansum);
    for (int k = 0; k < 4; k++) {
        c.arg[k] = call->arg[k];
    }
    TRY(emit_call(e, &c, sum, &n));
    out[0] = emit_div(e, sum[0], factor[0]);
    *nout = out[0] != NULL;
    return e->err->code;
}

/* linalg_vector_norm: the norm over dims, all of them if there are none */
ErrCode decompose_vector_norm(Emit *e, const Call *call, Tensor **out, int *nout) {
    Tensor *self = call->arg[0].tensor;
    const Arg *dim = &call->arg[2], *dtype = &call->arg[4];
    int64_t all[MAX_DIMS];
    int n = 0;
    *nout = 0;
    if (!dtype_is_float(self->dtype)) {
        return error_set(e->err, ERR_dtype,
                         "linalg.vector_norm: Expected a floating point or complex tensor as "
                         "input. Got %s",
                         dtype_name(self->dtype));
    }
    if (!dtype->none && dtype->dtype != self->dtype) {
        return error_set(e->err, ERR_unsupported, "linalg_vector_norm in another dtype");
    }
    if (semantics_now < SEMANTICS_2_8) {
        return error_set(e->err, ERR_unsupported, "linalg_vector_norm before 2.8");
    }
    Call c = call_new(OP_norm_dim);
    c.arg[0] = call->arg[0];
    c.arg[1] = call->arg[1];
    c.arg[2] = *dim;
    if (dim->none || dim->ints.n == 0) {
        for (; n < self->ndim; n++) {
            all[n] = n;
        }
        c.arg[2] = (Arg){.ints = {arena_copy(e->arena, all, (int64_t)sizeof all), n}};
    }
    c.arg[3] = call->arg[3];
    return emit_call(e, &c, out, nout);
}
