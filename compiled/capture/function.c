/* autograd.Function in the capture: the forward's statements are captured at the place of the
 * application, under no_grad, and one node of the static tape stands for them
 * (torch/csrc/autograd/python_function.cpp, custom_function.cpp). Its backward:
 * capture/function_backward.c.
 *
 * An output that is an operand is returned as a view of it, unless it is dirty. Values are saved
 * once the outputs have their histories. */
#include "compiled/capture/capture.h"

static ErrCode look_up_list(Capture *cap, const NameId *names, int n, Var ***out) {
    *out = arena_array(cap->arena, Var *, n);
    for (int i = 0; i < n; i++) {
        TRY(capture_look_up(cap, names[i], &(*out)[i]));
    }
    return ERR_none;
}

static bool is_one_of(const Var *v, Var *const *vars, int n) {
    bool found = false;
    for (int i = 0; i < n; i++) {
        found |= vars[i] == v;
    }
    return found;
}

/* ---- one application ---- */

typedef struct Application {
    const Function *f;
    const Stmt *stmt;
    Checkpoint *checkpoint; /* the function is a block under checkpoint, or NULL */
    Var **operand;
    uint8_t *needs_input_grad;
    Var **returned, **saved, **dirty, **non_differentiable;
    GradNode *node; /* NULL: nothing is recorded */
} Application;

static ErrCode apply_forward(Capture *cap, Application *a) {
    const Function *f = a->f;
    OuterFrame outer = capture_frame_open(cap, a->needs_input_grad, false);
    cap->frame = a->checkpoint ? outer.frame : cap->frame; /* statements of a block have a place */
    for (int i = 0; i < f->nparams; i++) {
        binding_set(cap, f->params[i], a->operand[i]);
    }
    ErrCode code = cap->run_block(cap, &f->forward);
    if (code == ERR_none) {
        code = look_up_list(cap, f->dirty, f->ndirty, &a->dirty);
    }
    if (code == ERR_none) {
        code = look_up_list(cap, f->non_differentiable, f->nnon_differentiable,
                            &a->non_differentiable);
    }
    if (code == ERR_none) {
        code = look_up_list(cap, f->save, f->nsave, &a->saved);
    }
    if (code == ERR_none) {
        code = look_up_list(cap, f->returns, f->nreturns, &a->returned);
    }
    capture_frame_close(cap, &outer);
    return code;
}

/* The operand as a view of itself, made under no_grad. */
static ErrCode view_of_itself(Capture *cap, Var *v, Var **out) {
    bool mode = cap->grad_mode;
    cap->grad_mode = false;
    *out = (Var *)emit_op(&cap->emit, OP_view_as, 2, &v->tensor, &v->tensor);
    cap->grad_mode = mode;
    return cap->emit.err->code;
}

/* An output without history: no grad_fn of its own, and no requires_grad unless it is a view of
 * something that does. */
static ErrCode return_plain(Capture *cap, Var *v, bool is_operand, bool is_dirty, Var **out) {
    *out = v;
    if (!cap_requires_grad(v)) {
        return is_operand && !is_dirty ? view_of_itself(cap, v, out) : ERR_none;
    }
    if (is_operand) {
        *out = capture_without_history(cap, v);
    } else if (!v->base) {
        v->requires_grad = false;
        v->grad_fn = (Edge){NULL, 0};
    }
    return ERR_none;
}

/* Does an operand keep its name, which is not that of the return? */
static bool keeps_name(const Application *a, const Var *v, int nr) {
    bool keeps = false;
    for (int i = 0; i < a->f->nparams; i++) {
        keeps |= a->operand[i] == v && a->stmt->apply->operands[i] != a->stmt->out[nr];
    }
    return keeps;
}

/* An operand that was written in place gets the node as its history. */
static ErrCode return_dirty(Capture *cap, const Application *a, int nr, Var **out) {
    Var *v = *out = a->returned[nr];
    GradNode *node = a->node;
    Edge before = v->grad_fn;
    if (!v->grad_fn.node && cap_requires_grad(v)) {
        return error_set(
            cap->emit.err, ERR_leaf_inplace,
            "a leaf Variable that requires grad has been used in an in-place operation");
    }
    if (v->base && node->nout > 1) {
        return error_set(cap->emit.err, ERR_invalid,
                         "a function that modifies a view in place returns more than one tensor");
    }
    TRY(v->base ? cap_check_inplace(cap, v) : ERR_none);
    v->program_grad = NULL;
    TRY(cap_rebase_history(cap, v, node, NULL));
    v->grad_fn.nr = v->base ? v->grad_fn.nr : nr;
    if (fault(cap->c, FAULT_GR_20) && !v->base && keeps_name(a, v, nr) &&
        fault_triggered(cap->c, FAULT_GR_20)) {
        *out = capture_fault_returns_apart(cap, v, before);
    }
    return ERR_none;
}

/* Seeded fault RG_14: mark_non_differentiable is not recorded. */
static bool is_differentiable(const Capture *cap, const Application *a, int nr,
                              const Var *returned) {
    const Function *f = a->f;
    if (!a->node || !dtype_is_float(returned->tensor.dtype)) {
        return false;
    }
    return !is_one_of(a->returned[nr], a->non_differentiable, f->nnon_differentiable) ||
           (fault(cap->c, FAULT_RG_14) && fault_triggered(cap->c, FAULT_RG_14));
}

static ErrCode return_output(Capture *cap, const Application *a, int nr, Var **out) {
    Var *v = a->returned[nr];
    bool is_operand = is_one_of(v, a->operand, a->f->nparams);
    bool is_dirty = is_one_of(v, a->dirty, a->f->ndirty);
    if (a->node) {
        Tensor *meta = arena_new(cap->arena, Tensor);
        layout_copy(meta, &v->tensor);
        a->node->result[nr] = meta;
    }
    if (!is_differentiable(cap, a, nr, v)) {
        TRY(return_plain(cap, v, is_operand, is_dirty, out));
    } else if (is_dirty) {
        TRY(return_dirty(cap, a, nr, out));
    } else {
        *out = v;
        TRY(is_operand ? view_of_itself(cap, v, out) : ERR_none);
        cap_set_history(*out, a->node);
        (*out)->grad_fn.nr = nr;
    }
    if (!(is_operand && is_dirty) && (*out)->base) {
        (*out)->creation_meta = CREATION_FUNCTION;
    }
    return ERR_none;
}

/* What the outputs are, and their histories. */
static ErrCode return_outputs(Capture *cap, const Application *a, Var **out) {
    const Function *f = a->f;
    int differentiable = 0;
    for (int i = 0; i < f->ndirty; i++) {
        (*storage_version(a->dirty[i]->tensor.storage))++;
    }
    for (int i = 0; i < f->nreturns; i++) {
        TRY(return_output(cap, a, i, &out[i]));
        differentiable += is_differentiable(cap, a, i, out[i]);
    }
    for (int i = 0; i < f->nreturns && differentiable > 1; i++) {
        if (out[i]->base) {
            out[i]->creation_meta = CREATION_MULTI_OUTPUT;
        }
    }
    for (int i = 0; i < f->ndirty; i++) {
        if (!is_one_of(a->dirty[i], a->returned, f->nreturns)) {
            return error_set(&cap->err, ERR_invalid,
                             "an operand that the function marks as dirty is not returned");
        }
    }
    return ERR_none;
}

/* No grad_fn is materialized. */
static void keep_saved(Capture *cap, const Application *a) {
    int n = a->f->nsave;
    FunctionSaved *kept = arena_array(cap->arena, FunctionSaved, n);
    for (int i = 0; i < n; i++) {
        Var *v = a->saved[i];
        kept[i] = (FunctionSaved){v, *storage_version(v->tensor.storage),
                                  storage_whole(v->tensor.storage)->writes,
                                  v->grad_fn.node == a->node, v->grad_fn.nr};
    }
    a->node->kept = kept;
}

/* The node, if the application is recorded: grad_fn of every operand is materialized. */
static ErrCode record_function(Capture *cap, Application *a) {
    const Function *f = a->f;
    Edge *edge = arena_array(cap->arena, Edge, f->nparams);
    const Tensor **operand = arena_array(cap->arena, const Tensor *, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        TRY(cap_gradient_edge(cap, a->operand[i], &edge[i]));
        operand[i] = &a->operand[i]->tensor;
    }
    GradNode *node = a->node = cap_node_new(
        cap, a->checkpoint ? GRAD_NODE_CHECKPOINT : GRAD_NODE_FUNCTION, f->nparams, f->nreturns);
    node->function = f;
    node->checkpoint = a->checkpoint;
    node->needs_input_grad = a->needs_input_grad;
    node->operand = operand;
    node->result = arena_array(cap->arena, Tensor *, f->nreturns);
    for (int i = 0; i < f->nparams; i++) {
        node->next_edges[i] = edge[i];
    }
    return ERR_none;
}

ErrCode capture_application(Capture *cap, const Function *f, const Stmt *stmt,
                            const NameId *operands, const NameId *out, Checkpoint *checkpoint) {
    Application a = {.f = f,
                     .stmt = stmt,
                     .checkpoint = checkpoint,
                     .operand = arena_array(cap->arena, Var *, f->nparams)};
    bool requires_grad = false;
    cap->stmt_op = OP_NONE;
    a.needs_input_grad = arena_array(cap->arena, uint8_t, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        TRY(capture_look_up(cap, operands[i], &a.operand[i]));
        const GradNode *fn = a.operand[i]->grad_fn.node;
        a.needs_input_grad[i] = !cap_requires_grad(a.operand[i])       ? NEEDS_NOTHING
                                : fn && fn->kind == GRAD_NODE_FUNCTION ? NEEDS_GRAD_OF_FUNCTION
                                                                       : NEEDS_GRAD;
        requires_grad |= a.needs_input_grad[i] != NEEDS_NOTHING;
    }
    TRY(cap->grad_mode && requires_grad ? record_function(cap, &a) : ERR_none);
    TRY(apply_forward(cap, &a));
    Var **made = arena_array(cap->arena, Var *, f->nreturns);
    TRY(return_outputs(cap, &a, made));
    if (a.node) {
        a.saved = checkpoint ? a.operand : a.saved;
        keep_saved(cap, &a);
    }
    for (int i = 0; i < f->nreturns; i++) {
        binding_set(cap, out[i], made[i]);
    }
    for (int i = 0; i < f->nparams; i++) {
        binding_renew(cap, a.operand[i]);
    }
    for (int i = 0; i < f->nreturns; i++) {
        binding_renew(cap, made[i]);
    }
    return ERR_none;
}

ErrCode capture_function(Capture *cap, const Stmt *stmt) {
    const ApplyStmt *apply = stmt->apply;
    return capture_application(cap, &cap->program->functions[apply->function], stmt,
                               apply->operands, stmt->out, NULL);
}
