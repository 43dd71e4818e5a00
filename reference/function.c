/* autograd.Function: a forward that is run once and recorded as one node, and the node's own
 * backward (torch/csrc/autograd/python_function.cpp, custom_function.cpp).
 *
 *   apply: gradient edges of the operands -> forward under no_grad -> versions of what is dirty + 1
 *          -> histories of the outputs -> values saved
 *   backward: gradients, zeros or None -> saved values unpacked -> the block -> gradients
 *
 * An output that is an operand is returned as a view of it, unless it is dirty. What the forward
 * saves, it saves as it is after the outputs have their history: an output is saved as such. */
#include "reference/run.h"

/* ---- blocks ---- */

Frame frame_open(Run *r, const bool *needs_input_grad, bool grad_mode) {
    Session *s = &r->s;
    Frame outer = {r->env,
                   r->needs_input_grad,
                   r->none,
                   r->in_function,
                   s->running_backward,
                   s->grad_mode,
                   s->emit.in_program,
                   s->emit.create_graph,
                   s->emit.in_formula};
    r->env = arena_array(s->arena, Tensor *, r->p->nnames);
    r->needs_input_grad = needs_input_grad;
    r->none = NULL;
    r->in_function = true;
    s->running_backward = false;
    s->grad_mode = grad_mode;
    s->emit.in_program = s->emit.create_graph = s->emit.in_formula = false;
    return outer;
}

void frame_close(Run *r, const Frame *outer) {
    Session *s = &r->s;
    r->env = outer->env;
    r->needs_input_grad = outer->needs_input_grad;
    r->none = outer->none;
    r->in_function = outer->in_function;
    s->running_backward = outer->running_backward;
    s->grad_mode = outer->grad_mode;
    s->emit.in_program = outer->in_program;
    s->emit.create_graph = outer->create_graph;
    s->emit.in_formula = outer->in_formula;
}

static ErrCode look_up_each(Run *r, const NameId *names, int n, Var ***out) {
    *out = arena_array(r->s.arena, Var *, n);
    for (int i = 0; i < n; i++) {
        TRY(run_look_up(r, names[i], &(*out)[i]));
    }
    return ERR_none;
}

static bool var_is_among(Var *const *vars, int n, const Var *v) {
    for (int i = 0; i < n; i++) {
        if (vars[i] == v) {
            return true;
        }
    }
    return false;
}

/* ---- apply ---- */

/* One application, from the operands to what is bound. */
typedef struct Apply {
    const Function *f;
    Checkpoint *checkpoint; /* the function is a block under checkpoint, or NULL */
    Var **operand;
    Var **returned, **saved, **dirty, **non_differentiable;
    GradNode *node; /* NULL: nothing is recorded */
} Apply;

static ErrCode run_forward(Run *r, Apply *a, const bool *needs_input_grad) {
    const Function *f = a->f;
    Frame outer = frame_open(r, needs_input_grad, false);
    r->in_function = outer.in_function || !a->checkpoint; /* statements of a block have a place */
    for (int i = 0; i < f->nparams; i++) {
        r->env[f->params[i]] = &a->operand[i]->tensor;
    }
    ErrCode code = run_block(r, &f->forward);
    if (code == ERR_none) {
        code = look_up_each(r, f->dirty, f->ndirty, &a->dirty);
    }
    if (code == ERR_none) {
        code =
            look_up_each(r, f->non_differentiable, f->nnon_differentiable, &a->non_differentiable);
    }
    if (code == ERR_none) {
        code = look_up_each(r, f->save, f->nsave, &a->saved);
    }
    if (code == ERR_none) {
        code = look_up_each(r, f->returns, f->nreturns, &a->returned);
    }
    frame_close(r, &outer);
    return code;
}

/* The operand as a view of itself, made under no_grad. */
static Var *view_as_self(Session *s, Var *v) {
    bool mode = s->grad_mode;
    s->grad_mode = false;
    Tensor *view = emit_op(&s->emit, OP_view_as, 2, &v->tensor, &v->tensor);
    s->grad_mode = mode;
    return view ? var_of(view) : NULL;
}

/* An output without history: it has no grad_fn of its own, and does not require grad unless it is a
 * view of something that does. */
static Var *output_without_history(Session *s, Var *v, bool is_operand, bool is_dirty) {
    if (!var_requires_grad(v)) {
        return is_operand && !is_dirty ? view_as_self(s, v) : v;
    }
    if (is_operand) {
        return var_new(s, &v->tensor); /* detached */
    }
    if (!v->base) {
        v->requires_grad = false;
        v->grad_fn = NULL;
        v->output_nr = 0;
    }
    return v;
}

/* An operand that was written in place gets the node as its history. */
static ErrCode rebase_dirty(Session *s, Var *v, GradNode *node, int nr) {
    if (!v->grad_fn && var_requires_grad(v)) {
        return error_set(
            s->err, ERR_leaf_inplace,
            "a leaf Variable that requires grad has been used in an in-place operation");
    }
    if (v->base && node->nout > 1) {
        return error_set(s->err, ERR_invalid,
                         "a function that modifies a view in place returns more than one tensor");
    }
    if (v->base) {
        TRY(var_check_inplace(s, v));
    }
    session_undefined(s, v->retains_grad && nr > 0,
                      "a function modifies in place a tensor that retains its gradient, and "
                      "returns it behind others: PyTorch fails an internal assertion");
    session_undefined(s, v->accumulator && !v->base && !v->grad_fn,
                      "a function modifies in place a leaf that was used while it required grad");
    v->grad = NULL;
    var_rebase_history(s, v, node);
    if (!v->base) {
        v->output_nr = nr;
    }
    return s->err->code;
}

static ErrCode output_history(Session *s, const Apply *a, int nr, Var **out) {
    Var *v = a->returned[nr];
    bool is_operand = var_is_among(a->operand, a->f->nparams, v);
    bool is_dirty = var_is_among(a->dirty, a->f->ndirty, v);
    bool differentiable = a->node && dtype_is_float(v->tensor.dtype) &&
                          !var_is_among(a->non_differentiable, a->f->nnon_differentiable, v);
    if (a->node) {
        a->node->result[nr] = tensor_meta(s, &v->tensor);
    }
    if (!differentiable) {
        *out = output_without_history(s, v, is_operand, is_dirty);
        TRY(s->err->code);
    } else if (is_dirty) {
        *out = v;
        TRY(rebase_dirty(s, v, a->node, nr));
    } else {
        *out = is_operand ? view_as_self(s, v) : v;
        TRY(s->err->code);
        var_set_history(*out, a->node);
        (*out)->output_nr = nr;
    }
    if (!(is_operand && is_dirty) && (*out)->base) {
        (*out)->creation_meta = CREATION_FUNCTION;
    }
    return ERR_none;
}

/* _process_backward_mode_ad: what the outputs are, and their histories. */
static ErrCode wrap_outputs(Session *s, const Apply *a, Var **out) {
    const Function *f = a->f;
    int differentiable = 0;
    for (int i = 0; i < f->ndirty; i++) {
        (*storage_version(a->dirty[i]->tensor.storage))++;
    }
    for (int i = 0; i < f->nreturns; i++) {
        TRY(output_history(s, a, i, &out[i]));
        differentiable +=
            a->node && dtype_is_float(out[i]->tensor.dtype) &&
            !var_is_among(a->non_differentiable, f->nnon_differentiable, a->returned[i]);
    }
    for (int i = 0; i < f->nreturns && differentiable > 1; i++) {
        if (out[i]->base) {
            out[i]->creation_meta = CREATION_MULTI_OUTPUT;
        }
    }
    for (int i = 0; i < f->ndirty; i++) {
        if (!var_is_among(a->returned, f->nreturns, a->dirty[i])) {
            return error_set(s->err, ERR_invalid,
                             "an operand that the function marks as dirty is not returned");
        }
    }
    return ERR_none;
}

/* No grad_fn is materialized. */
static void save_values(Session *s, const Apply *a) {
    GradNode *node = a->node;
    node->saved = arena_alloc_raw(s->arena, (int64_t)sizeof(SavedVariable) * (a->f->nsave + 1));
    for (int i = 0; i < a->f->nsave; i++) {
        Var *v = a->saved[i];
        node->saved[node->nsaved++] =
            (SavedVariable){.value = &v->tensor,
                            .version = *storage_version(v->tensor.storage),
                            .unpack_materializes = v->grad_fn != node,
                            .was_leaf = !v->grad_fn,
                            .rank = v->output_nr};
    }
}

/* The node of an application that is recorded: grad_fn of every operand is materialized first. */
static ErrCode begin_application(Session *s, Apply *a, const bool *needs_input_grad) {
    const Function *f = a->f;
    Edge *edge = arena_array(s->arena, Edge, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        edge[i] = var_gradient_edge(s, a->operand[i]);
        TRY(s->err->code);
    }
    a->node = node_new(s, a->checkpoint ? GRAD_NODE_CHECKPOINT : GRAD_NODE_FUNCTION, f->nparams,
                       f->nreturns);
    a->node->function = f;
    a->node->checkpoint = a->checkpoint;
    a->node->needs_input_grad = needs_input_grad;
    a->node->result = arena_array(s->arena, Tensor *, f->nreturns);
    for (int i = 0; i < f->nparams; i++) {
        a->node->next_edges[i] = edge[i];
    }
    return ERR_none;
}

ErrCode run_application(Run *r, const Function *f, const NameId *operands, const NameId *out,
                        Checkpoint *checkpoint) {
    Session *s = &r->s;
    Apply a = {
        .f = f, .checkpoint = checkpoint, .operand = arena_array(s->arena, Var *, f->nparams)};
    bool requires_grad = false;
    bool *needs_input_grad = arena_array(s->arena, bool, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        TRY(run_look_up(r, operands[i], &a.operand[i]));
        needs_input_grad[i] = var_requires_grad(a.operand[i]);
        requires_grad |= needs_input_grad[i];
    }
    if (s->grad_mode && requires_grad) {
        TRY(begin_application(s, &a, needs_input_grad));
    }
    TRY(run_forward(r, &a, needs_input_grad));
    Var **made = arena_array(s->arena, Var *, f->nreturns);
    TRY(wrap_outputs(s, &a, made));
    if (a.node) {
        a.saved = checkpoint ? a.operand : a.saved;
        save_values(s, &a);
    }
    for (int i = 0; i < f->nreturns; i++) {
        r->env[out[i]] = &made[i]->tensor;
    }
    return ERR_none;
}

ErrCode run_apply(Run *r, const Stmt *stmt) {
    const ApplyStmt *apply = stmt->apply;
    return run_application(r, &r->p->functions[apply->function], apply->operands, stmt->out, NULL);
}

/* ---- backward ---- */

/* The value that a node saved, as ctx.saved_tensors returns it: the tensor itself, or a new one
 * with the node's history where the node made it. */
ErrCode function_unpack(Session *s, GradNode *node, const SavedVariable *saved, Tensor **out) {
    Var *v = var_of(saved->value);
    if (saved->unpack_materializes) {
        (void)var_grad_fn(s, v);
        TRY(s->err->code);
    }
    if (*storage_version(saved->value->storage) != saved->version) {
        return error_set(s->err, ERR_saved_modified,
                         "a value saved by a function is at version %lld, saved at version %lld",
                         (long long)*storage_version(saved->value->storage),
                         (long long)saved->version);
    }
    *out = saved->value;
    if (!saved->unpack_materializes) {
        Var *copy = var_new(s, saved->value);
        copy->grad_fn = node;
        copy->output_nr = saved->rank;
        *out = &copy->tensor;
    }
    return ERR_none;
}

static ErrCode bind_gradients(Run *r, const GradNode *node, bool bare, Tensor *const *grad) {
    Session *s = &r->s;
    const Function *f = node->function;
    bool *none = arena_array(s->arena, bool, r->p->nnames);
    r->none = none;
    for (int i = 0; i < f->nreturns; i++) {
        Tensor *g = grad[i];
        if (g && bare) {
            g = &var_new(s, g)->tensor;
        } else if (!g && !f->undefined_grads) {
            g = emit_zeros_like(&s->emit, node->result[i]);
            TRY(s->err->code);
        }
        none[f->grad_outputs[i]] = !g;
        r->env[f->grad_outputs[i]] = g;
    }
    return ERR_none;
}

static ErrCode bind_saved(Run *r, GradNode *node) {
    Session *s = &r->s;
    const Function *f = node->function;
    if (f->nsave > 0 && node->freed) {
        return error_set(s->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < f->nsave; i++) {
        TRY(function_unpack(s, node, &node->saved[i], &r->env[f->save[i]]));
    }
    return ERR_none;
}

static ErrCode collect_gradients(Run *r, const Function *f, Tensor **out) {
    for (int i = 0; i < f->nparams; i++) {
        NameId name = f->grad_inputs[i];
        out[i] = NULL;
        if (name != NAME_NONE && (r->env[name] || !r->none[name])) {
            Var *v;
            TRY(run_look_up(r, name, &v));
            out[i] = &v->tensor;
        }
    }
    return ERR_none;
}

/* once_differentiable: gradients that are recorded lead to a node that refuses to run. */
static void refuse_second_derivative(Session *s, const Function *f, Tensor **out) {
    GradNode *node = node_new(s, GRAD_NODE_ERROR, f->nparams, f->nparams);
    node->result = arena_array(s->arena, Tensor *, f->nparams);
    for (int i = 0; i < f->nparams; i++) {
        if (!out[i]) {
            continue;
        }
        Var *v = var_new(s, out[i]);
        node->result[i] = tensor_meta(s, out[i]);
        if (dtype_is_float(out[i]->dtype)) {
            v->grad_fn = node;
            v->output_nr = i;
        } else {
            error_set(s->err, ERR_grad_dtype,
                      "only Tensors of floating point dtype can require gradients");
        }
        out[i] = &v->tensor;
    }
}

ErrCode function_run_backward(Session *s, GradNode *node, Tensor *const *grad, Tensor **out) {
    Run *r = run_of(s);
    const Function *f = node->function;
    bool bare = s->running_backward, recorded = !bare && s->grad_mode, requires_grad = false;
    for (int i = 0; i < f->nreturns && recorded; i++) {
        requires_grad |= grad[i] && var_requires_grad(var_of(grad[i]));
    }
    int64_t version[MAX_FUNCTION_NAMES];
    for (int i = 0; i < f->nreturns; i++) {
        version[i] = grad[i] ? *storage_version(grad[i]->storage) : 0;
    }
    Frame outer = frame_open(r, node->needs_input_grad, recorded && !f->once_differentiable);
    ErrCode code = bind_gradients(r, node, bare, grad);
    if (code == ERR_none) {
        code = bind_saved(r, node);
    }
    if (code == ERR_none) {
        code = run_block(r, &f->backward);
    }
    if (code == ERR_none) {
        code = collect_gradients(r, f, out);
    }
    if (code == ERR_none && f->once_differentiable && requires_grad) {
        refuse_second_derivative(s, f, out);
    }
    frame_close(r, &outer);
    for (int i = 0; i < f->nreturns; i++) {
        if (grad[i]) {
            gradient_may_be_written(s, grad[i], version[i]);
        }
    }
    return code == ERR_none ? s->err->code : code;
}
