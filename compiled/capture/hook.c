/* Hooks in the capture: Tensor.register_hook and register_post_accumulate_grad_hook
 * (torch/_tensor.py, torch/csrc/autograd/python_hook.cpp, functions/accumulate_grad.cpp). Their
 * statements are captured where a walk calls them, so that they are part of the graph.
 *
 * The hooks of a tensor are a list that it shares with the node that was its grad_fn when the first
 * of them was registered; those of a leaf are looked up when its AccumulateGrad runs. A write that
 * gives the tensor another grad_fn starts a new list. */
#include "compiled/capture/capture.h"

typedef struct TensorHook {
    int function; /* index in program->functions */
    bool removed;
    bool inherited; /* an earlier region registered it */
    struct TensorHook *next;
} TensorHook;
struct HookList {
    TensorHook *first;
};

/* What register_hook returned: a variable of the function, named after the tensor and the hook. */
typedef struct HookHandle {
    NameId self;
    int function;
    TensorHook *hook;
    struct HookHandle *next;
} HookHandle;

/* ---- registering ---- */

static void hook_hang(Capture *cap, GradNode *fn, int nr, const HookList *list) {
    NodeHooks **last = &fn->hooks;
    while (*last) {
        last = &(*last)->next;
    }
    *last = arena_new(cap->arena, NodeHooks);
    **last = (NodeHooks){list, nr, NULL};
}

static TensorHook *hook_append(Capture *cap, HookList *list, int function) {
    TensorHook **last = &list->first;
    while (*last) {
        last = &(*last)->next;
    }
    *last = arena_new(cap->arena, TensorHook);
    (*last)->function = function;
    return *last;
}

/* The list of the tensor's hooks; a new one is hung on its grad_fn. */
static ErrCode hook_list(Capture *cap, Var *v, HookList **out) {
    *out = v->hooks;
    if (!since(hook_of_stale_view) && v->hooks) {
        return ERR_none; /* perhaps at a grad_fn that is out of date */
    }
    TRY(cap_grad_fn(cap, v)); /* a stale one is regenerated, and has no hooks then */
    GradNode *fn = v->grad_fn.node;
    if (!v->hooks) {
        v->hooks = arena_new(cap->arena, HookList);
        if (fn) {
            hook_hang(cap, fn, v->grad_fn.nr, v->hooks);
        }
    }
    *out = v->hooks;
    return ERR_none;
}

/* ... and of those that are called after the accumulation: only a leaf has them. */
static ErrCode post_hook_list(Capture *cap, Var *v, HookList **out) {
    TRY(cap_grad_fn(cap, v));
    if (v->grad_fn.node) {
        return error_set(&cap->err, ERR_invalid,
                         "post accumulate grad hooks cannot be registered on non-leaf tensors");
    }
    if (!v->post_hooks) {
        v->post_hooks = arena_new(cap->arena, HookList);
    }
    *out = v->post_hooks;
    return ERR_none;
}

static ErrCode hook_register(Capture *cap, const HookStmt *h) {
    const Function *f = &cap->program->functions[h->function];
    Var *v;
    HookList *list;
    TRY(capture_look_up(cap, h->self, &v));
    if (f->nparams == 2 && !since(hook_after_accumulation)) {
        return error_set(&cap->err, ERR_invalid,
                         "there is no register_post_accumulate_grad_hook in this version");
    }
    if (!cap_requires_grad(v)) {
        return error_set(&cap->err, ERR_invalid,
                         "cannot register a hook on a tensor that does not require grad");
    }
    TRY(f->nparams == 1 ? hook_list(cap, v, &list) : post_hook_list(cap, v, &list));
    binding_renew(cap, v);
    if (cap->in.n > REACHED_BY_MOST) {
        return error_set(&cap->err, ERR_unsupported, "a hook among so many arguments");
    }
    TensorHook *hook = hook_append(cap, list, h->function);
    hook->removed = cap->in.drops_hooks && v->entry >= 0; /* GU-15 */
    HookHandle *handle = arena_new(cap->arena, HookHandle);
    *handle = (HookHandle){h->self, h->function, hook, cap->handles};
    cap->handles = handle;
    return ERR_none;
}

ErrCode capture_hook(Capture *cap, const Stmt *stmt) {
    const HookStmt *h = stmt->hook;
    if (!h->remove) {
        return hook_register(cap, h);
    }
    for (const HookHandle *handle = cap->handles; handle; handle = handle->next) {
        if (handle->self == h->self && handle->function == h->function) {
            handle->hook->removed = true;
            return ERR_none;
        }
    }
    return error_set(&cap->err, ERR_invalid, "no hook was registered under these names");
}

bool capture_hooks_registered(const Var *v) {
    const HookList *list[2] = {v->hooks, v->post_hooks};
    for (int k = 0; k < 2; k++) {
        for (const TensorHook *hook = list[k] ? list[k]->first : NULL; hook; hook = hook->next) {
            if (!hook->removed && !hook->inherited) {
                return true;
            }
        }
    }
    return false;
}

/* ---- between regions ---- */

static HookList *inherited_list(Capture *cap, const HookNames *names) {
    HookList *list = arena_new(cap->arena, HookList);
    for (int i = 0; i < names->n; i++) {
        hook_append(cap, list, names->function[i])->inherited = true;
    }
    return list;
}

void capture_set_hooks(Capture *cap, Var *v, const TensorRecord *record) {
    v->hooks = record->hooks ? inherited_list(cap, record->hooks) : NULL;
    v->post_hooks = record->post_hooks ? inherited_list(cap, record->post_hooks) : NULL;
}

void capture_inherit_hooks(Capture *cap, Var *v, const TensorRecord *record) {
    capture_set_hooks(cap, v, record);
    if (v->hooks && v->grad_fn.node && v->grad_fn.node->kind == GRAD_NODE_EXTERNAL) {
        hook_hang(cap, v->grad_fn.node, 0, v->hooks);
    }
}

const HookNames *capture_hook_names(const Capture *cap, const HookList *list, bool added) {
    int n = 0;
    for (const TensorHook *hook = list ? list->first : NULL; hook; hook = hook->next) {
        n++;
    }
    HookNames *names = arena_new(cap->arena, HookNames);
    int *function = arena_array(cap->arena, int, n);
    for (const TensorHook *hook = list ? list->first : NULL; hook; hook = hook->next) {
        if (!hook->removed && !(added && hook->inherited)) {
            function[names->n++] = hook->function;
        }
    }
    names->function = function;
    return list ? names : NULL;
}

const HookNames *capture_external_hooks(const Capture *cap, int entry) {
    const GradNode *node = cap->external[entry];
    for (const NodeHooks *h = node ? node->hooks : NULL; h; h = h->next) {
        const HookNames *names = capture_hook_names(cap, h->list, true);
        if (names->n > 0) {
            return names; /* at most one list: that of the entry */
        }
    }
    return NULL;
}

void capture_add_hook(Capture *cap, GradNode *node, int nr, int function) {
    HookList *list = arena_new(cap->arena, HookList);
    hook_append(cap, list, function);
    hook_hang(cap, node, nr, list);
}

/* ---- calling ---- */

/* `leaf`: the tensor that is its first parameter, or NULL. *out: what the hook returns; NULL: None.
 */
static ErrCode hook_call(Capture *cap, const Function *f, Var *leaf, Tensor *grad, Var **out) {
    NameId gradient = f->params[f->nparams - 1];
    bool bare = cap->bare;
    bool *none = arena_array(cap->arena, bool, cap->program->nnames);
    OuterFrame outer = capture_frame_of_gradient(cap, NULL, !bare && cap->grad_mode);
    cap->frame.none = none;
    none[gradient] = !grad;
    if (grad) {
        binding_set(cap, gradient, bare ? capture_without_history(cap, (Var *)grad) : (Var *)grad);
    }
    if (leaf) {
        binding_set(cap, f->params[0], leaf);
    }
    ErrCode code = cap->run_block(cap, &f->forward);
    *out = NULL;
    if (code == ERR_none && f->nreturns > 0 && (cap->env[f->returns[0]] || !none[f->returns[0]])) {
        code = capture_look_up(cap, f->returns[0], out);
    }
    capture_frame_close(cap, &outer);
    return code;
}

static ErrCode hook_check_result(Capture *cap, const Tensor *out, const Tensor *like) {
    if (out->dtype != like->dtype || !tensor_same_size(out, like)) {
        return error_set(cap->emit.err, ERR_invalid, "a hook has changed the %s of value",
                         out->dtype != like->dtype ? "type" : "size");
    }
    return ERR_none;
}

static ErrCode hooks_call(Capture *cap, const HookList *list, Tensor **grad) {
    for (const TensorHook *hook = list->first; hook; hook = hook->next) {
        Var *out = NULL;
        const Function *f = &cap->program->functions[hook->function];
        TRY(hook->removed ? ERR_none : hook_call(cap, f, NULL, *grad, &out));
        if (out && !*grad) {
            return error_set(cap->emit.err, ERR_invalid,
                             "a hook cannot replace None with a gradient");
        }
        if (out) {
            TRY(hook_check_result(cap, &out->tensor, *grad));
            *grad = &out->tensor;
        }
    }
    return ERR_none;
}

/* Is there a hook on another result of the op that has made the entry of an external node? Eager
 * PyTorch has one node for both, and calls it with None. */
static bool hooks_on_other_result(const Capture *cap, const GradNode *node) {
    int own = 0;
    while (own < cap->in.n && cap->external[own] != node) {
        own++;
    }
    bool hooked = false;
    for (int i = 0; i < cap->in.n && own < cap->in.n; i++) {
        hooked |= i != own && cap->in.entry[i].node == cap->in.entry[own].node &&
                  cap->external[i] && cap->external[i]->hooks;
    }
    return hooked;
}

ErrCode capture_call_hooks(Capture *cap, GradNode *node) {
    const GradNode *half = cap_silent_half(node);
    if (node->kind == GRAD_NODE_EXTERNAL && hooks_on_other_result(cap, node)) {
        return error_set(cap->emit.err, ERR_unsupported,
                         "a hook on another result of the op of an argument");
    }
    for (const NodeHooks *h = node->hooks; h; h = h->next) {
        TRY(hooks_call(cap, h->list, &node->grad[h->nr]));
    }
    for (const NodeHooks *h = half ? half->hooks : NULL; h; h = h->next) {
        Tensor *undefined = NULL;
        TRY(hooks_call(cap, h->list, &undefined));
    }
    const Var *leaf = node->kind == GRAD_NODE_ACCUMULATE_GRAD ? node->leaf : NULL;
    bool called = leaf && leaf->hooks &&
                  (since(hook_of_nothing) || (node->grad[0] && cap_requires_grad(leaf)));
    return called ? hooks_call(cap, leaf->hooks, &node->grad[0]) : ERR_none;
}

ErrCode capture_call_post_hooks(Capture *cap, Var *leaf) {
    if (!leaf->post_hooks) {
        return ERR_none;
    }
    if (leaf->program_grad && !cap->sees_grads) { /* a copy that nobody else holds */
        TRY(capture_copy_for_leaf(cap, leaf, &leaf->program_grad->tensor, &leaf->program_grad));
    }
    for (const TensorHook *hook = leaf->post_hooks->first; hook; hook = hook->next) {
        Var *out = NULL;
        Tensor *grad = leaf->program_grad ? &leaf->program_grad->tensor : NULL;
        const Function *f = &cap->program->functions[hook->function];
        TRY(hook->removed ? ERR_none : hook_call(cap, f, leaf, grad, &out));
        TRY(out ? capture_set_grad(cap, leaf, out) : ERR_none);
    }
    return ERR_none;
}
