/* Seeded faults of ops that write to a tensor they are given (out=), of ops on lists of tensors
 * (_foreach), and of functions of the program's own and hooks (faults.def, stages capture and
 * guard). Most of the first two change a statement's call before it is expanded, as
 * decompose_faults.c does. */
#include "compiled/capture/capture.h"
#include "program/ops/functions.h"

/* ---- out= ---- */

/* Seeded fault ER_23: a product is a kernel that is called with out=, and whether one of its
 * operands requires grad is asked without regard to no_grad. */
static ErrCode refuse_product(Capture *cap, const Call *call) {
    Tensor *slot[MAX_SLOTS];
    int n = call_slots(call, slot);
    bool requires_grad = false;
    for (int i = 0; i < n; i++) {
        requires_grad |= slot[i] && cap_requires_grad((const Var *)slot[i]);
    }
    if (cap->grad_mode || !fault(cap->c, FAULT_ER_23) || !requires_grad ||
        op_info(call->op->twin)->propagation != PROPAGATION_MATMUL ||
        !fault_triggered(cap->c, FAULT_ER_23)) {
        return ERR_none;
    }
    return error_set(cap->emit.err, ERR_invalid,
                     "functions with out=... arguments don't support automatic differentiation, "
                     "but one of the arguments requires grad.");
}

/* Does another tensor with a name share the memory of `v`? */
static bool has_named_alias(const Var *v) {
    for (const Binding *h = memory_of(&v->tensor)->bindings; h; h = h->next) {
        if (h->var != v) {
            return true;
        }
    }
    return false;
}

/* Seeded fault AL_9: out is not written: the names that mean it in the frame are bound to the
 * result, and a view of it keeps the old values. Not of an argument, whose write is seen. */
static ErrCode rebind_out(Capture *cap, Call *call) {
    Var *into = (Var *)call->arg[0].tensor;
    if (!fault(cap->c, FAULT_AL_9) || alias_class_of(&into->tensor)->input >= 0 ||
        cap_requires_grad(into) || tensor_numel(&into->tensor) == 0 || !has_named_alias(into) ||
        !fault_triggered(cap->c, FAULT_AL_9)) {
        return ERR_none;
    }
    Var *result;
    TRY(capture_empty_like(cap, &into->tensor, &result));
    call->arg[0].tensor = &result->tensor;
    for (NameId name = 0; name < cap->program->nnames; name++) {
        if (cap->binding[name].var == into) {
            binding_set(cap, name, result);
        }
    }
    return ERR_none;
}

bool capture_out_uncounted(const Capture *cap, const Var *self) {
    return fault(cap->c, FAULT_MU_16) && cap->stmt_op != OP_NONE &&
           op_info(cap->stmt_op)->out_dtype != OUT_NOT &&
           op_info(op_info(cap->stmt_op)->twin)->kind == KIND_FUNC &&
           alias_class_of(&self->tensor)->input >= 0 && fault_triggered(cap->c, FAULT_MU_16);
}

ErrCode capture_cast_after_scan(Capture *cap, const Call *call, Var **v) {
    OpId id = call->op->id;
    const Tensor *self = call->arg[0].tensor;
    if (!fault(cap->c, FAULT_DT_9) || (id != OP_cumsum && id != OP_cumprod) ||
        !dtype_is_float(self->dtype) || dtype_is_float((*v)->tensor.dtype) ||
        tensor_numel(self) == 0 || !fault_triggered(cap->c, FAULT_DT_9)) {
        return ERR_none;
    }
    Call nodes;
    Node *scan, *cast;
    capture_call(cap, &nodes, call);
    nodes.arg[op_param(call->op, "dtype")].none = true;
    TRY(capture_node(cap, &nodes, &scan));
    TRY(capture_cast(cap, scan, (*v)->tensor.dtype, &cast));
    AliasClass *cls = capture_class(cap, cast->t.dtype, tensor_numel(&cast->t), cast, -1);
    *v = capture_var(cap, cls, &cast->t, cast);
    return ERR_none;
}

ErrCode capture_faulty_out(Capture *cap, Call *call) {
    TRY(refuse_product(cap, call));
    return rebind_out(cap, call);
}

/* ---- lists ---- */

/* Seeded fault DT_10: the kernel for a whole list is chosen by the dtype of its first tensor. */
static void cast_to_first(Capture *cap, Call *call, Tensor **list, int n) {
    for (int i = 1; i < n && fault(cap->c, FAULT_DT_10); i++) {
        if (call->op->nparam == 2 && call->op->param[1].type == ARG_SCALAR &&
            list[i]->dtype != list[0]->dtype && !cap_requires_grad((const Var *)list[i]) &&
            fault_triggered(cap->c, FAULT_DT_10)) {
            list[i] = emit_cast(&cap->emit, list[i], list[0]->dtype);
        }
    }
}

/* Seeded fault GR_24: of a tensor that is in a list twice, the gradient of its last place
 * overwrites that of the one before instead of being added to it. */
static void keep_last_place(Capture *cap, Tensor **list, int n) {
    for (int i = 0; i < n && fault(cap->c, FAULT_GR_24); i++) {
        bool again = false;
        for (int j = i + 1; j < n; j++) {
            again |= list[j] == list[i];
        }
        if (again && cap->grad_mode && cap_requires_grad((const Var *)list[i]) &&
            fault_triggered(cap->c, FAULT_GR_24)) {
            list[i] = emit_unary(&cap->emit, OP_detach, list[i]);
        }
    }
}

ErrCode capture_faulty_list(Capture *cap, Call *call) {
    int n = call->arg[0].tensors.n;
    Tensor **list = arena_copy(cap->arena, call->arg[0].tensors.v, (int64_t)sizeof *list * n);
    call->arg[0].tensors.v = list;
    cast_to_first(cap, call, list, n);
    keep_last_place(cap, list, n);
    return cap->emit.err->code;
}

/* ---- functions and hooks ---- */

/* Seeded fault GR_19: the operands of a function are known by tensor, so that of one that is passed
 * twice only the first gradient counts. */
void capture_fault_counts_once(const Capture *cap, const GradNode *node, Tensor **out) {
    for (int i = 1; i < node->nslot; i++) {
        for (int k = 0; k < i && out[i] && node->next_edges[i].node; k++) {
            if (node->operand[k] == node->operand[i] && fault_triggered(cap->c, FAULT_GR_19)) {
                out[i] = NULL;
            }
        }
    }
}

/* Seeded fault GR_20: what a function returns for a dirty operand is a tensor of its own; the
 * operand keeps the history that it had. */
Var *capture_fault_returns_apart(Capture *cap, Var *v, Edge before) {
    Var *apart = capture_without_history(cap, v);
    apart->grad_fn = v->grad_fn;
    v->grad_fn = before;
    return apart;
}

/* Seeded fault GU_15: does the reused code run hooks of an argument? */
bool capture_fault_has_hooks(const Capture *cap) {
    for (int i = 0; i < cap->in.n; i++) {
        if (capture_hooks_registered(&cap->entry[i])) {
            return true;
        }
    }
    return false;
}
