/* Hooks: Tensor.register_hook and register_post_accumulate_grad_hook (torch/_tensor.py,
 * torch/csrc/autograd/python_hook.cpp, functions/accumulate_grad.cpp).
 *
 * The hooks of a tensor are a list that it shares with the node that was its grad_fn when the first
 * of them was registered; those of a leaf are looked up when its AccumulateGrad runs. Once a write
 * gives the tensor another grad_fn, it starts a new list, and the old one stays where it is. */
#include "reference/run.h"
#include "reference/shadow.h"

/* What register_hook returned: a variable of the function, named after the tensor and the hook. */
typedef struct HookHandle {
    NameId self;
    int function;
    TensorHook *hook;
    struct HookHandle *next;
} HookHandle;

static ErrCode remove_hook(const Run *r, const HookStmt *h) {
    for (const HookHandle *handle = r->handles; handle; handle = handle->next) {
        if (handle->self == h->self && handle->function == h->function) {
            handle->hook->removed = true;
            return ERR_none;
        }
    }
    return error_set(r->s.err, ERR_invalid, "no hook was registered under these names");
}

/* The list of the tensor's hooks; a new one is hung on its grad_fn. */
static HookList *hooks_of(Session *s, Var *v) {
    if (!since(hook_of_stale_view) && v->hooks) {
        return v->hooks; /* perhaps at a grad_fn that is out of date */
    }
    session_undefined(s,
                      !since(hook_of_stale_view) && since(hook_before_capture) && var_is_stale(v),
                      "the first hook of a view whose history is out of date: PyTorch dies of it");
    GradNode *fn = var_grad_fn(s, v); /* a stale one is regenerated, and has no hooks then */
    if (!v->hooks && s->err->code == ERR_none) {
        v->hooks = arena_new(s->arena, HookList);
        if (fn) {
            NodeHooks **last = &fn->hooks;
            while (*last) {
                last = &(*last)->next;
            }
            *last = arena_new(s->arena, NodeHooks);
            **last = (NodeHooks){v->hooks, v->output_nr, NULL};
        }
    }
    return v->hooks;
}

/* ... and of those that are called after the accumulation: only a leaf has them. */
static HookList *post_hooks_of(Session *s, Var *v) {
    if (var_grad_fn(s, v)) {
        error_set(s->err, ERR_invalid,
                  "post accumulate grad hooks cannot be registered on non-leaf tensors");
    } else if (!v->post_hooks) {
        v->post_hooks = arena_new(s->arena, HookList);
    }
    return v->post_hooks;
}

static ErrCode register_hook(Run *r, const HookStmt *h) {
    Session *s = &r->s;
    const Function *f = &r->p->functions[h->function];
    Var *v;
    TRY(run_look_up(r, h->self, &v));
    if (f->nparams == 2 && !since(hook_after_accumulation)) {
        return error_set(s->err, ERR_invalid,
                         "there is no register_post_accumulate_grad_hook in this version");
    }
    if (!var_requires_grad(v)) {
        return error_set(s->err, ERR_invalid,
                         "cannot register a hook on a tensor that doesn't require gradient");
    }
    HookList *list = f->nparams == 1 ? hooks_of(s, v) : post_hooks_of(s, v);
    TRY(s->err->code);
    TensorHook **last = &list->first;
    while (*last) {
        last = &(*last)->next;
    }
    *last = arena_new(s->arena, TensorHook);
    (*last)->function = f;
    HookHandle *handle = arena_new(s->arena, HookHandle);
    *handle = (HookHandle){h->self, h->function, *last, r->handles};
    r->handles = handle;
    return ERR_none;
}

ErrCode run_hook(Run *r, const HookStmt *h) {
    return h->remove ? remove_hook(r, h) : register_hook(r, h);
}

void gradient_may_be_written(Session *s, const Tensor *grad, int64_t version) {
    if (*storage_version(grad->storage) == version || !s->running_backward) {
        return;
    }
    session_undefined(s, tensor_numel(grad) == 0,
                      "a gradient without elements, which may be an operand, is written in place");
    /* PyTorch copies a gradient for a leaf only if somebody else refers to the very tensor */
    for (const GradNode *node = s->nodes; node; node = node->older) {
        session_undefined(s,
                          node->kind == GRAD_NODE_ACCUMULATE_GRAD && node->leaf->grad &&
                              node->leaf->grad->storage == grad->storage,
                          "a gradient that a leaf may hold already is written in place");
    }
}

/* Calls a hook; `leaf`: the tensor that is its first parameter, or NULL. *out: what it returns;
 * NULL: None. */
static ErrCode call_hook(Run *r, const Function *f, Var *leaf, Tensor *grad, Tensor **out) {
    Session *s = &r->s;
    NameId gradient = f->params[f->nparams - 1];
    bool bare = s->running_backward;
    bool *none = arena_array(s->arena, bool, r->p->nnames);
    int64_t version = grad ? *storage_version(grad->storage) : 0;
    Frame outer = frame_open(r, NULL, !bare && s->grad_mode);
    r->none = none;
    none[gradient] = !grad;
    r->env[gradient] = grad && bare ? &var_new(s, grad)->tensor : grad;
    if (leaf) {
        r->env[f->params[0]] = &leaf->tensor;
    }
    ErrCode code = run_block(r, &f->forward);
    *out = NULL;
    if (code == ERR_none && f->nreturns > 0 && (r->env[f->returns[0]] || !none[f->returns[0]])) {
        Var *v = NULL;
        code = run_look_up(r, f->returns[0], &v);
        *out = v ? &v->tensor : NULL;
    }
    frame_close(r, &outer);
    if (grad && !leaf) {
        gradient_may_be_written(s, grad, version);
    }
    return code;
}

static ErrCode check_gradient(Session *s, const Tensor *out, const Tensor *like) {
    if (out->dtype != like->dtype || !tensor_same_size(out, like)) {
        return error_set(s->err, ERR_invalid, "a hook has changed the %s of value",
                         out->dtype != like->dtype ? "type" : "size");
    }
    return ERR_none;
}

ErrCode hooks_run(Session *s, const HookList *list, Tensor **grad) {
    for (const TensorHook *hook = list->first; hook; hook = hook->next) {
        Tensor *out = NULL;
        if (!hook->removed) {
            TRY(call_hook(run_of(s), hook->function, NULL, *grad, &out));
        }
        if (out && !*grad) {
            return error_set(s->err, ERR_invalid,
                             "can't replace a None gradient with a non-None value");
        }
        if (out) {
            TRY(check_gradient(s, out, *grad));
            *grad = out;
        }
    }
    return ERR_none;
}

/* A copy of .grad that nobody else holds, with the leaf's layout, if that is dense, as PyTorch
 * keeps it. */
static ErrCode own_gradient(Session *s, Var *leaf) {
    Tensor *own = tensor_meta(s, &leaf->tensor), *grad = leaf->grad;
    own->offset = 0;
    if (!tensor_is_dense(own) || !tensor_same_size(own, grad)) {
        tensor_set_contiguous(own, grad->dtype, grad->size, grad->ndim);
    }
    TRY(tensor_allocate(own, s->arena, s->limits, s->err));
    tensor_copy_data(own, grad, NULL);
    if (s->shadow) {
        shadow_allocate(s, own);
        shadow_copy(own, grad);
    }
    leaf->grad = &var_new(s, own)->tensor;
    return ERR_none;
}

ErrCode set_grad(Session *s, Var *self, Var *value) {
    if (value == self) {
        return error_set(s->err, ERR_invalid, "can't assign Variable as its own grad");
    }
    if (value && value->tensor.dtype != self->tensor.dtype) {
        return error_set(s->err, ERR_dtype, "attempting to assign a gradient of another dtype");
    }
    if (value && !tensor_same_size(&value->tensor, &self->tensor)) {
        return error_set(s->err, ERR_shape, "attempting to assign a gradient of another size");
    }
    self->grad = value ? &value->tensor : NULL;
    return ERR_none;
}

ErrCode hooks_run_after(Session *s, Var *leaf) {
    TRY(leaf->grad && !s->dot_grads ? own_gradient(s, leaf) : ERR_none);
    for (const TensorHook *hook = leaf->post_hooks->first; hook; hook = hook->next) {
        Tensor *out = NULL;
        if (!hook->removed) {
            TRY(call_hook(run_of(s), hook->function, leaf, leaf->grad, &out));
        }
        TRY(out ? set_grad(s, leaf, var_of(out)) : ERR_none);
    }
    return ERR_none;
}
