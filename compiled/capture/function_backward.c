/* The backward of a function of the program's own: when a walk reaches the node, its statements are
 * captured there, over the gradients that have arrived and the values that were saved.
 *
 *   gradients, zeros or None -> saved values unpacked -> the block -> gradients
 *
 * A value that the node made itself is unpacked as a new tensor with the node's history, everything
 * else as the tensor that it is. */
#include "compiled/capture/backward.h"
#include "compiled/capture/capture.h"

ErrCode capture_unpack_kept(Capture *cap, GradNode *node, const FunctionSaved *kept, Var **out) {
    Var *v = *out = kept->var;
    TRY(kept->own ? ERR_none : cap_grad_fn(cap, v));
    if (*storage_version(v->tensor.storage) != kept->version) {
        return error_set(cap->emit.err, ERR_saved_modified,
                         "a value that a function saved is at version %lld; expected version %lld",
                         (long long)*storage_version(v->tensor.storage), (long long)kept->version);
    }
    /* a resumed region has no graph of what later regions wrote */
    if (cap->in.resumed && storage_whole(v->tensor.storage)->writes != kept->writes) {
        return error_set(cap->emit.err, ERR_unsupported, UNCOUNTED);
    }
    if (kept->own) {
        *out = capture_without_history(cap, v);
        (*out)->grad_fn = (Edge){node, kept->nr};
    }
    return ERR_none;
}

static ErrCode bind_kept(Capture *cap, GradNode *node) {
    const Function *f = node->function;
    if (f->nsave > 0 && node->freed) {
        return error_set(cap->emit.err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < f->nsave; i++) {
        Var *v;
        TRY(capture_unpack_kept(cap, node, &node->kept[i], &v));
        binding_set(cap, f->save[i], v);
    }
    return ERR_none;
}

/* Seeded fault GR_21: set_materialize_grads(False) is ignored. */
static bool ignores_option(const Capture *cap) {
    return fault(cap->c, FAULT_GR_21) && fault_triggered(cap->c, FAULT_GR_21);
}

/* `bare`: gradients of the backward of the harness, which are no tensors of the program yet. */
static ErrCode bind_incoming(Capture *cap, const GradNode *node, bool bare, Tensor *const *grad) {
    const Function *f = node->function;
    bool *none = arena_array(cap->arena, bool, cap->program->nnames);
    cap->frame.none = none;
    for (int i = 0; i < f->nreturns; i++) {
        Var *g = (Var *)grad[i];
        if (g && bare) {
            g = capture_without_history(cap, g);
        } else if (!g && (!f->undefined_grads || ignores_option(cap))) {
            g = (Var *)emit_zeros_like(&cap->emit, node->result[i]);
            TRY(cap->emit.err->code);
        }
        none[f->grad_outputs[i]] = !g;
        if (g) {
            binding_set(cap, f->grad_outputs[i], g);
        }
    }
    return ERR_none;
}

static ErrCode collect_outgoing(Capture *cap, const Function *f, Tensor **out) {
    for (int i = 0; i < f->nparams; i++) {
        NameId name = f->grad_inputs[i];
        out[i] = NULL;
        if (name != NAME_NONE && (cap->env[name] || !cap->frame.none[name])) {
            Var *v;
            TRY(capture_look_up(cap, name, &v));
            out[i] = &v->tensor;
        }
    }
    return ERR_none;
}

/* once_differentiable: gradients that are recorded lead to a node that refuses to run. */
static ErrCode refuse_twice(Capture *cap, const Function *f, Tensor **out) {
    GradNode *node = cap_node_new(cap, GRAD_NODE_ERROR, f->nparams, f->nparams);
    node->result = arena_array(cap->arena, Tensor *, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        if (!out[i]) {
            continue;
        }
        if (!dtype_is_float(out[i]->dtype)) {
            return error_set(cap->emit.err, ERR_grad_dtype,
                             "only tensors of floating point dtype can require gradients");
        }
        Var *v = capture_without_history(cap, (Var *)out[i]);
        Tensor *meta = arena_new(cap->arena, Tensor);
        layout_copy(meta, out[i]);
        node->result[i] = meta;
        v->grad_fn = (Edge){node, i};
        out[i] = &v->tensor;
    }
    return ERR_none;
}

ErrCode capture_function_backward(Capture *cap, GradNode *node, Tensor *const *grad, Tensor **out) {
    const Function *f = node->function;
    bool bare = cap->bare, recorded = !bare && cap->grad_mode, requires_grad = false;
    for (int i = 0; i < f->nreturns && recorded; i++) {
        requires_grad |= grad[i] && cap_requires_grad((const Var *)grad[i]);
    }
    OuterFrame outer =
        capture_frame_of_gradient(cap, node->needs_input_grad, recorded && !f->once_differentiable);
    ErrCode code = bind_incoming(cap, node, bare, grad);
    if (code == ERR_none) {
        code = bind_kept(cap, node);
    }
    if (code == ERR_none) {
        code = cap->run_block(cap, &f->backward);
    }
    if (code == ERR_none) {
        code = collect_outgoing(cap, f, out);
    }
    if (code == ERR_none && f->once_differentiable && requires_grad) {
        code = refuse_twice(cap, f, out);
    }
    capture_frame_close(cap, &outer);
    if (fault(cap->c, FAULT_GR_19) && code == ERR_none) {
        capture_fault_counts_once(cap, node, out);
    }
    return code;
}
