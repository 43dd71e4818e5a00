/* Derivative rules and the calls they belong to: tensor arguments as slots, what a node saves, and
 * how the gradients that a rule computes are brought to the inputs' sizes and dtypes. */
#include "program/semantics/semantics.h"
#include "program/ops/functions.h"

#include <limits.h>
#include <string.h>

/* ---- slots ---- */

/* Slots that parameter `i` takes. */
static int param_slots(const Call *call, int i) {
    switch (call->op->param[i].type) {
    case ARG_TENSOR:
    case ARG_TENSOR_OPT:
        return 1;
    case ARG_TENSORS:
    case ARG_TENSORS_OPT:
        return call->arg[i].none ? 0 : call->arg[i].tensors.n;
    case ARG_VALUE:
        return call->arg[i].is_tensor;
    default:
        return 0;
    }
}

int call_slots(const Call *call, Tensor **slot) {
    const OpInfo *op = call->op;
    if (!op->slots_vary) {
        for (int i = 0; i < op->ntensor; i++) {
            const Arg *arg = &call->arg[op->tensor[i]];
            slot[i] = arg->none ? NULL : arg->tensor;
        }
        return op->ntensor;
    }
    int n = 0;
    for (int i = 0; i < op->nparam; i++) {
        const Arg *arg = &call->arg[i];
        if (op->slot[i] >= 0) {
            CHECK(n < MAX_SLOTS);
            slot[n++] = arg->none ? NULL : arg->tensor;
            continue;
        }
        int count = param_slots(call, i);
        Tensor *const *v = op->param[i].type == ARG_VALUE ? &arg->tensor : arg->tensors.v;
        CHECK(n + count <= MAX_SLOTS);
        for (int k = 0; k < count; k++) {
            slot[n++] = v[k];
        }
    }
    return n;
}

int call_slot_of(const Call *call, int param) {
    if (!call->op->slots_vary) {
        return param < 0 ? -1 : call->op->slot[param];
    }
    if (param < 0 || param_slots(call, param) == 0) {
        return -1;
    }
    int n = 0;
    for (int i = 0; i < param; i++) {
        n += param_slots(call, i);
    }
    return n;
}

/* Does one of the parameters in the set `when` require grad? A list counts by its first tensor. */
static bool holds(const Call *call, unsigned when, const bool *requires_grad) {
    if (when & SAVED_ALWAYS) {
        return true;
    }
    for (int i = 0; when >> i; i++) {
        int slot = when >> i & 1 ? call_slot_of(call, i) : -1;
        if (slot >= 0 && requires_grad[slot]) {
            return true;
        }
    }
    return false;
}

/* A value of which only the size is kept. */
static bool keeps_size_only(const OpInfo *op, int slot) {
    return slot == 0 && ((op->id == OP_embedding && since(embedding_saves)) ||
                         (op->id == OP__masked_scatter_grad && since(masked_scatter_saves)) ||
                         (op->id == OP_mean_dim && since(mean_saves)));
}

bool call_saves_slot(const Call *call, int slot, const bool *requires_grad) {
    if (!call->op->saves_any || keeps_size_only(call->op, slot)) {
        return false;
    }
    if (!call->op->slots_vary) {
        return holds(call, call->op->saved[call->op->tensor[slot]], requires_grad);
    }
    int n = 0;
    for (int i = 0; i < call->op->nparam; i++) {
        n += param_slots(call, i);
        if (slot < n) {
            return holds(call, call->op->saved[i], requires_grad);
        }
    }
    return false;
}

int call_saved_rank(const Call *call, int slot) {
    const OpInfo *op = call->op;
    int param = 0;
    if (slot < 0) {
        return INT_MAX;
    }
    if (!op->slots_vary) {
        param = op->tensor[slot];
    } else {
        for (int n = param_slots(call, 0); slot >= n; n += param_slots(call, ++param)) {
        }
    }
    if (param > 0 &&
        (op->id == OP__take_scan || op->id == OP__take_plane || op->id == OP__take_space)) {
        return INT_MAX - 1; /* the indices, a result of cummax and max_pool2d_with_indices */
    }
    int rank = op->name_rank[param];
    return since(saved_by_name) || op->id == OP_hypot || op->id == OP_mse_loss ? rank : -rank;
}

bool op_saves_number(const OpInfo *op) { return op->saves && strncmp(op->saves, "number", 6) == 0; }

bool op_saves_result(const Call *call, const bool *requires_grad) {
    return holds(call, call->op->saves_result, requires_grad);
}
bool op_saves_anything(const Call *call, const bool *requires_grad, bool in_formula) {
    return !(in_formula && op_saves_number(call->op)) &&
           holds(call, call->op->saves_any, requires_grad) &&
           !(call->op->id == OP_mean_dim && since(mean_saves));
}

/* ---- gradients ---- */

/* The rule for one operand after the other, by name: the order in which their nodes are recorded is
 * that in which a gradient of the gradients runs through them. */
static void run_rule_by_name(Grad *g) {
    const OpInfo *op = g->call->op;
    const bool *need = g->need;
    for (int rank = 0; rank < op->nparam; rank++) {
        for (int slot = 0; slot < g->nslot; slot++) {
            if (need[slot] && op->name_rank[op->tensor[slot]] == rank) {
                bool only[MAX_SLOTS] = {false};
                only[slot] = true;
                g->need = only;
                op->grad(g);
            }
        }
    }
    g->need = need;
}

void grad_run_rule(Grad *g, bool in_formula) {
    const OpInfo *op = g->call->op;
    bool number = op_saves_number(op) && !(in_formula && since(number_stays_a_number));
    g->e->in_formula = g->e->create_graph && !number;
    if (g->e->create_graph && since(saved_by_name) && !op->slots_vary && !op->one_formula) {
        run_rule_by_name(g);
    } else {
        op->grad(g);
    }
    g->e->in_formula = false;
}

/* May a tensor of size `from` be expanded to the size of `to`? */
static bool emit_expandable(const Tensor *from, const Tensor *to) {
    if (from->ndim > to->ndim) {
        return false;
    }
    for (int d = 1; d <= from->ndim; d++) {
        int64_t size = from->size[from->ndim - d];
        if (size != 1 && size != to->size[to->ndim - d]) {
            return false;
        }
    }
    return true;
}

Tensor *grad_finish(Emit *e, Tensor *grad, const Tensor *input) {
    if (!grad || e->err->code != ERR_none) {
        return NULL;
    }
    if (!tensor_same_size(grad, input)) {
        if (!emit_expandable(input, grad)) {
            error_set(e->err, ERR_invalid, "a gradient's size does not expand from its input's");
            return NULL;
        }
        grad = emit_sum_to(e, grad, input->size, input->ndim);
    }
    return emit_cast(e, grad, input->dtype);
}

/* `grad` without the dims that have one location in `view`: summed where they are expanded, and
 * removed from the geometry too. */
static Tensor *sum_expanded(Emit *e, Tensor *grad, Tensor *view) {
    for (int d = view->ndim - 1; d >= 0; d--) {
        if (view->size[d] != 1 && view->stride[d] != 0) {
            continue;
        }
        int64_t dim = d;
        grad = view->size[d] == 1 ? emit_op(e, OP_squeeze_dim, 2, grad, dim)
                                  : emit_sum_dims(e, grad, &dim, 1, false);
        view->ndim--;
        for (int k = d; k < view->ndim; k++) {
            view->size[k] = view->size[k + 1];
            view->stride[k] = view->stride[k + 1];
        }
    }
    return grad;
}

/* at::as_strided_backward, step by step, since the program sees its result: a view, with the
 * base's geometry, of a vector that stands for the storage. What a location of an overlapping view
 * got is added up; a location that the base has several times gets a share each. */
static Tensor *strided_grad_steps(Emit *e, Tensor *grad, const Tensor *base, const Tensor *view) {
    if (!grad || tensor_numel(base) == 0 || tensor_numel(view) == 0) {
        return grad ? emit_full(e, base->size, base->ndim, scalar_int(0), grad->dtype) : NULL;
    }
    int64_t shared = base->offset < view->offset ? base->offset : view->offset, size = -1, end,
            base_end;
    Tensor from = *view, to = *base;
    from.offset -= shared;
    to.offset -= shared;
    if (!tensor_extent(&from, &end) || !tensor_extent(&to, &base_end)) {
        error_set(e->err, ERR_limit, "a view's extent overflows");
        return NULL;
    }
    int64_t length = end > base_end ? end : base_end;
    grad = sum_expanded(e, grad, &from);
    if (!grad) { /* refused: a stale gradient, for example */
        return NULL;
    }
    Tensor *storage = emit_full(e, &length, 1, scalar_int(0), grad->dtype);
    bool overlaps = tensor_overlaps_itself(&from), shares = tensor_overlaps_itself(&to);
    Tensor *offsets =
        overlaps || shares ? emit_op(e, OP_arange, 2, scalar_int(length), (int)DT_int64) : NULL;
    if (overlaps) {
        Tensor *at = emit_op(e, OP_as_strided, 4, offsets, from.size, from.ndim, from.stride,
                             from.ndim, from.offset);
        at = emit_op(e, OP_reshape, 2, at, &size, 1);
        storage = emit_op(e, OP_index_add, 4, storage, (int64_t)0, at,
                          emit_op(e, OP_reshape, 2, grad, &size, 1));
    } else if (e->create_graph) { /* a write through a view, which is what a further derivative
                                     meets */
        emit_op(e, OP_copy_, 2,
                emit_op(e, OP_as_strided, 4, storage, from.size, from.ndim, from.stride, from.ndim,
                        from.offset),
                grad);
    } else {
        storage = emit_op(e, OP_as_strided_scatter, 5, storage, grad, from.size, from.ndim,
                          from.stride, from.ndim, from.offset);
    }
    if (shares) {
        Tensor *at =
            emit_op(e, OP_as_strided, 4, offsets, to.size, to.ndim, to.stride, to.ndim, to.offset);
        at = emit_op(e, OP_reshape, 2, at, &size, 1);
        Tensor *one = emit_full(e, at ? at->size : NULL, at ? 1 : 0, scalar_int(1), grad->dtype);
        Tensor *count = emit_full(e, &length, 1, scalar_int(0), grad->dtype);
        storage = emit_div(e, storage, emit_op(e, OP_index_add, 4, count, (int64_t)0, at, one));
    }
    return emit_op(e, OP_as_strided, 4, storage, to.size, to.ndim, to.stride, to.ndim, to.offset);
}

Tensor *emit_as_strided_grad(Emit *e, Tensor *grad, const Tensor *base, const Tensor *view) {
    if (e->in_program) {
        return strided_grad_steps(e, grad, base, view);
    }
    return emit_op(e, OP__as_strided_grad, 7, grad, base->size, base->ndim, base->stride,
                   base->ndim, base->offset, view->size, view->ndim, view->stride, view->ndim,
                   view->offset);
}

bool op_clones_gradient(const OpInfo *op, int slot) {
    return slot == 0 && (op->id == OP_slice_scatter || op->id == OP_select_scatter ||
                         op->id == OP_diagonal_scatter);
}

bool op_refuses_backward(const OpInfo *op) {
    return op->grad == grad_not_implemented ||
           (op->grad == grad_narrow_copy && !since(narrow_copy_backward));
}

/* list.index(list[k]): not identical with an earlier one, it is compared, and the answer taken for
 * a bool, which one element can be. */
static ErrCode index_by_equality(Tensor *const *list, int k, Error *err) {
    for (int i = 0; i < k && list[i] != list[k]; i++) {
        int64_t size[MAX_DIMS];
        int ndim = list[k]->ndim;
        if (!list[i]) {
            continue;
        }
        memcpy(size, list[k]->size, sizeof size);
        TRY(broadcast_into(size, &ndim, list[i]->size, list[i]->ndim, err));
        int64_t numel = 1;
        for (int d = 0; d < ndim; d++) {
            numel *= size[d];
        }
        if (numel > 1) {
            return error_set(err, ERR_invalid,
                             "Boolean value of Tensor with more than one value is ambiguous");
        }
    }
    return ERR_none;
}

ErrCode grad_output_mismatch(Tensor *const *outputs, Tensor *const *grads, int k, Error *err) {
    TRY(index_by_equality(grads, k, err));
    TRY(index_by_equality(outputs, k, err));
    return error_set(err, ERR_invalid,
                     "Mismatch in shape: grad_output[%d] and output[%d] have different shapes", k,
                     k);
}
