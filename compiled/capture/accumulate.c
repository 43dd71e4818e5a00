/* .grad while the program runs: what AccumulateGrad makes of it in a backward statement
 * (torch/csrc/autograd/functions/accumulate_grad.h), get_grad, set_grad, and what is left of it at
 * the end of the region. */
#include "compiled/capture/capture.h"

/* ---- AccumulateGrad ---- */

/* May the gradient become .grad as it is laid out? (obeys_layout_contract) */
static bool keeps_layout(const Tensor *grad, const Tensor *leaf) {
    bool dense = tensor_is_dense(leaf), same = true;
    for (int d = 0; dense && d < grad->ndim && same; d++) {
        same = grad->size[d] == 1 ? grad->stride[d] != 0 : grad->stride[d] == leaf->stride[d];
    }
    return dense ? same : tensor_is_contiguous(grad);
}

/* Seeded fault AL_10: whether the caller holds the gradient is asked of the tensors that the trace
 * runs on, of which the caller has none. */
static bool counts_traced_holders(const Capture *cap) {
    return fault(cap->c, FAULT_AL_10) && fault_triggered(cap->c, FAULT_AL_10);
}

/* Does no other holder of the very tensor exist: a tangent of the caller, a node that saved it or
 * one that will still run? */
static bool is_sole_owner(const Capture *cap, const BackwardEngine *x, const Tensor *grad) {
    bool sole = true;
    for (const GradNode *node = x->visited; node && sole; node = node->prev_visited) {
        for (int i = 0; i < node->nsaved; i++) {
            sole &= (const Tensor *)node->saved[i].operand != grad;
        }
        for (int i = 0; i < node->nout; i++) {
            sole &= node->ran == x->visit || node->grad[i] != grad;
        }
    }
    for (int k = 0; k < x->ntangents && sole; k++) {
        sole = x->tangents[k] != grad || counts_traced_holders(cap);
    }
    return sole;
}

/* Seeded fault GR_26: the buffer of the gradient that became .grad is used again by a later
 * backward through the retained graph: it holds the new gradient by the time that is added to it.
 */
static void overwrite_before_sum(Capture *cap, Var *sum, Tensor *grad) {
    const Node *made = node_buffer(sum->node);
    const Stmt *by = made->kind == NODE_OP && made->sid >= 0 && fault(cap->c, FAULT_GR_26)
                         ? program_stmt(cap->program, made->sid)
                         : NULL;
    if (!by || by->kind != STMT_GRAD || !by->grad->accumulates || !by->grad->retain_given ||
        !by->grad->retain_graph || made->op == OP__contiguous_copy || made->op == OP_full ||
        tensor_overlaps_itself(&sum->tensor) || !fault_triggered(cap->c, FAULT_GR_26)) {
        return;
    }
    (void)emit_op(&cap->emit, OP_copy_, 2, &sum->tensor, grad);
    storage_count_write(sum->tensor.storage, -1);
}

ErrCode capture_accumulate(Capture *cap, const BackwardEngine *x, Var *leaf, Tensor *grad) {
    Emit *e = &cap->emit;
    if (!leaf->program_grad) {
        if (!cap->grad_mode && keeps_layout(grad, &leaf->tensor) && is_sole_owner(cap, x, grad)) {
            leaf->program_grad = capture_without_history(cap, (Var *)grad);
            return ERR_none;
        }
        return capture_copy_for_leaf(cap, leaf, grad, &leaf->program_grad);
    }
    Tensor *sum = &leaf->program_grad->tensor;
    if (cap->grad_mode) {
        leaf->program_grad = (Var *)emit_add(e, sum, grad);
        return e->err->code;
    }
    overwrite_before_sum(cap, leaf->program_grad, grad);
    (void)emit_op(e, OP_add__Tensor, 2, sum, grad);
    if (e->err->code == ERR_none) {
        binding_renew(cap, leaf->program_grad);
    }
    return e->err->code;
}

/* ---- statements ---- */

/* Seeded fault GR_27: the .grad of an argument that does not require grad is taken to be None,
 * although it was set. */
static bool grad_is_unseen(const Capture *cap, const Var *self) {
    return fault(cap->c, FAULT_GR_27) && self->entry >= 0 && !cap_requires_grad(self) &&
           fault_triggered(cap->c, FAULT_GR_27);
}

ErrCode capture_set_grad(Capture *cap, Var *self, Var *value) {
    if (value == self) {
        return error_set(&cap->err, ERR_invalid, "a tensor cannot be its own gradient");
    }
    if (value && value->tensor.dtype != self->tensor.dtype) {
        return error_set(&cap->err, ERR_dtype, "the gradient has another dtype than the tensor");
    }
    if (value && !tensor_same_size(&value->tensor, &self->tensor)) {
        return error_set(&cap->err, ERR_shape, "the gradient has another size than the tensor");
    }
    self->program_grad = value;
    return ERR_none;
}

ErrCode capture_dot_grad(Capture *cap, const Stmt *stmt) {
    const DotGradStmt *d = stmt->dot_grad;
    Var *self, *value = NULL;
    if (cap->in.setup) {
        return error_set(&cap->err, ERR_unsupported, ".grad inside the setup");
    }
    if (d->value != NAME_NONE) {
        TRY(capture_look_up(cap, d->value, &value));
    }
    TRY(capture_look_up(cap, d->self, &self));
    if (!d->set) {
        if (self->program_grad && !grad_is_unseen(cap, self)) {
            binding_set(cap, stmt->out[0], self->program_grad);
        } else {
            binding_clear(cap, stmt->out[0]);
        }
        return ERR_none;
    }
    return capture_set_grad(cap, self, value);
}

/* ---- the end of the region ---- */

/* Is the memory of v's .grad also that of an input, of something that is returned or saved, or of
 * another .grad? */
static bool grad_is_shared(const Capture *cap, const Var *v) {
    const AliasClass *cls = memory_of(&v->program_grad->tensor);
    bool shared = cls->input >= 0;
    for (int k = 0; cap->ret && k < cap->program->nreturns && cap->ret[k]; k++) {
        const Var *other = cap->ret[k];
        shared |= memory_of(&other->tensor) == cls;
        shared |=
            other != v && other->program_grad && memory_of(&other->program_grad->tensor) == cls;
    }
    for (int i = 0; i < cap->in.n; i++) {
        const Var *other = &cap->entry[i];
        shared |= memory_of(&other->tensor) == cls; /* set_ */
        shared |=
            other != v && other->program_grad && memory_of(&other->program_grad->tensor) == cls;
    }
    for (const GradNode *node = cap->tape; node && !shared; node = node->older) {
        for (int i = 0; i < node->nsaved; i++) {
            shared |= storage_whole(node->saved[i].storage) == &cls->storage;
        }
    }
    return shared;
}

static void classify_grad(const Capture *cap, Var *v) {
    if (v->program_grad) {
        bool fits = tensor_same_size(&v->program_grad->tensor, &v->tensor);
        v->grad_written = !fits || grad_is_shared(cap, v) ? ERR_unsupported
                          : tensor_internal_overlap(&v->program_grad->tensor) == OVERLAP_YES
                              ? ERR_overlap
                              : ERR_none;
    }
}

/* The value that .grad has now, in memory of its own. */
static void settle_grad(Capture *cap, Var *v) {
    if (v->program_grad && !v->grad_is_settled) {
        Tensor *copy = emit_unary(&cap->emit, OP__contiguous_copy, &v->program_grad->tensor);
        v->program_grad = (Var *)copy;
        v->grad_is_settled = true;
    }
}

void capture_settle_grads(Capture *cap) {
    if (!cap->sees_grads) {
        return;
    }
    Error err = *cap->emit.err;
    bool mode = cap->grad_mode;
    cap->emit.err->code = ERR_none;
    cap->grad_mode = false;
    int nret = cap->ret ? cap->program->nreturns : 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < cap->in.n; i++) {
            pass == 0 ? classify_grad(cap, &cap->entry[i]) : settle_grad(cap, &cap->entry[i]);
        }
        for (const GradNode *node = cap->tape; node; node = node->older) { /* made inside */
            if (node->kind == GRAD_NODE_ACCUMULATE_GRAD) {
                pass == 0 ? classify_grad(cap, node->leaf) : settle_grad(cap, node->leaf);
            }
        }
        for (int k = 0; k < nret && cap->ret[k]; k++) {
            pass == 0 ? classify_grad(cap, cap->ret[k]) : settle_grad(cap, cap->ret[k]);
        }
    }
    cap->grad_mode = mode;
    *cap->emit.err = err;
}
