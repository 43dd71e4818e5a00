/* Blocks under `checkpoint` (torch/utils/checkpoint.py): what they save is recomputed in the
 * backward, from what the block was called with. docs/reference/semantics.md, section 18.
 *
 *   not reentrant   the block is recorded as it is, but each of its nodes notes the block and its
 *                   own place in it. The first node that a walk unpacks runs the block again; the
 *                   node at the same place there has the values. It ends with the last save.
 *   reentrant       the block is the forward of a function, under no_grad. Its backward runs the
 *                   block again on detached operands, and a walk of its own through that. */
#include "reference/run.h"

/* ---- recomputing ---- */

/* Runs the block in a frame of its own, with its parameters bound; leaves the frame open. */
static ErrCode run_in_frame(Run *r, const Checkpoint *c, Tensor *const *args, bool grad_mode,
                            Frame *outer) {
    *outer = frame_open(r, NULL, grad_mode);
    r->in_function = outer->in_function;
    for (int i = 0; i < c->names.nreads; i++) {
        r->env[c->names.reads[i]] = args[i];
    }
    return run_block(r, c->block);
}

/* Runs the block again, with the random numbers of the first time. */
static ErrCode run_block_again(Run *r, const Checkpoint *c, Tensor *const *args, Frame *outer) {
    Session *s = &r->s;
    RandomStream stream = s->stream;
    int64_t randoms = s->emit.randoms;
    s->stream = c->stream;
    s->emit.randoms = c->randoms;
    ErrCode code = run_in_frame(r, c, args, true, outer);
    s->stream = stream;
    s->emit.randoms = randoms;
    return code;
}

static ErrCode checkpoint_recompute(Session *s, Checkpoint *c) {
    Run *r = run_of(s);
    int n = c->names.nreads, error_at = r->error_at;
    Tensor **args = arena_array(s->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        TRY(saved_check(s, &c->saved[i], "a block under checkpoint"));
        args[i] = c->saved[i].value;
        session_undefined(s, var_requires_grad(var_of(args[i])) != c->required[i],
                          "an argument of a block under checkpoint has another requires_grad when "
                          "the block is recomputed: what it saves then may be something else");
    }
    if (s->undefined) {
        return error_set(s->err, ERR_invalid, "another block is recomputed than was run");
    }
    Checkpoint *around = s->checkpoint;
    Frame outer;
    c->again = arena_array(s->arena, GradNode *, c->n);
    c->recomputing = true;
    c->has_all = false;
    c->at = 0;
    s->checkpoint = c;
    ErrCode code = run_block_again(r, c, args, &outer);
    frame_close(r, &outer);
    s->checkpoint = around;
    c->recomputing = false;
    if (c->has_all) {
        *s->err = (Error){0};
        r->error_at = error_at;
        code = ERR_none;
    } else if (code == ERR_none) {
        code = error_set(s->err, ERR_invalid,
                         "a different number of tensors was saved during the original forward and "
                         "recomputation");
    }
    return code;
}

ErrCode checkpoint_recomputed(Session *s, const GradNode *node, GradNode **out) {
    Checkpoint *c = node->checkpoint;
    if (c->walk != s->visits) {
        TRY(checkpoint_recompute(s, c));
        c->walk = s->visits;
    }
    *out = c->again[node->place];
    return ERR_none;
}

/* ---- the statement ---- */

/* Not reentrant: the block as it is; its nodes are recorded as those of the block. */
static ErrCode run_recorded(Run *r, Checkpoint *c, Var *const *operand) {
    Session *s = &r->s;
    int n = c->names.nreads;
    Tensor **args = arena_array(s->arena, Tensor *, n);
    c->saved = arena_alloc_raw(s->arena, (int64_t)sizeof(SavedVariable) * n);
    c->required = arena_array(s->arena, bool, n);
    for (int i = 0; i < n; i++) {
        Var *v = operand[i];
        args[i] = &v->tensor;
        c->required[i] = var_requires_grad(v);
        c->saved[i] = (SavedVariable){.value = &v->tensor,
                                      .version = *storage_version(v->tensor.storage),
                                      .unpack_materializes = true,
                                      .was_leaf = !v->grad_fn};
    }
    Checkpoint *around = s->checkpoint;
    Frame outer;
    s->checkpoint = s->grad_mode ? c : NULL;
    ErrCode code = run_in_frame(r, c, args, s->grad_mode, &outer);
    Tensor **env = r->env;
    frame_close(r, &outer);
    s->checkpoint = around;
    for (int i = 0; i < c->names.nbinds && code == ERR_none; i++) {
        r->env[c->names.binds[i]] = env[c->names.binds[i]];
    }
    return code;
}

/* Ops that change what a tensor is, not what it holds. */
static bool is_stable(const Block *block) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if ((s->op->kind == KIND_META && s->op->id != OP_detach) ||
            s->op->kind == KIND_INPLACE_VIEW || s->op->kind == KIND_STORAGE || s->requires_grad) {
            return false;
        }
    }
    return true;
}

ErrCode run_checkpoint(Run *r, const Stmt *stmt) {
    Session *s = &r->s;
    Checkpoint *c = arena_new(s->arena, Checkpoint);
    if (!block_function(r->p, &stmt->body, s->arena, &c->names)) {
        return run_block(r, &stmt->body);
    }
    c->block = &stmt->body;
    c->stream = s->stream;
    c->randoms = s->emit.randoms;
    c->last_place = -1;
    int n = c->names.nreads;
    if (n >= MAX_SLOTS) {
        return error_set(s->err, ERR_limit, "a block under checkpoint reads %d names", n);
    }
    Var **operand = arena_array(s->arena, Var *, n);
    for (int i = 0; i < n; i++) {
        TRY(run_look_up(r, c->names.reads[i], &operand[i]));
    }
    if (!stmt->reentrant) {
        return run_recorded(r, c, operand);
    }
    if (!is_stable(&stmt->body)) {
        return error_set(s->err, ERR_unsupported,
                         "a block under reentrant checkpoint that changes a tensor's flags, "
                         "history or geometry");
    }
    Function *f = arena_new(s->arena, Function);
    *f = (Function){.params = c->names.reads,
                    .nparams = n,
                    .forward = stmt->body,
                    .returns = c->names.binds,
                    .nreturns = c->names.nbinds,
                    .save = c->names.reads,
                    .nsave = n};
    return run_application(r, f, f->params, f->returns, c);
}

/* ---- the backward of a reentrant one ---- */

/* The operands detached, as leaves. */
static ErrCode unpack_detached(Session *s, GradNode *node, Tensor **args) {
    if (node->freed) {
        return error_set(s->err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < node->nslot; i++) {
        TRY(function_unpack(s, node, &node->saved[i], &args[i]));
    }
    for (int i = 0; i < node->nslot; i++) {
        Var *leaf = var_new(s, args[i]);
        leaf->requires_grad = var_requires_grad(var_of(args[i]));
        args[i] = &leaf->tensor;
    }
    return ERR_none;
}

/* The walk through the recomputed block, in its frame; `grad`: by result. */
static ErrCode walk_recomputed(Run *r, const Checkpoint *c, Tensor *const *grad) {
    Session *s = &r->s;
    int n = c->names.nbinds, nroots = 0;
    Tensor **root = arena_array(s->arena, Tensor *, n),
           **given = arena_array(s->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        Tensor *t = r->env[c->names.binds[i]];
        if (var_requires_grad(var_of(t))) {
            root[nroots] = t;
            given[nroots++] = grad[i];
        }
    }
    if (nroots == 0) {
        return error_set(s->err, ERR_invalid,
                         "none of output has requires_grad=True, this checkpoint() is not "
                         "necessary");
    }
    int64_t walk = s->visits;
    GradNode *visited = s->visited;
    bool dot_grads = s->dot_grads;
    s->dot_grads = true; /* the gradients of the leaves are passed on as they are */
    ErrCode code = grad_run(s,
                            &(GradRequest){.outputs = root,
                                           .noutputs = nroots,
                                           .grad_outputs = given,
                                           .ngrad_outputs = nroots,
                                           .accumulates = true},
                            NULL);
    s->dot_grads = dot_grads;
    s->visits = walk;
    s->visited = visited;
    return code;
}

ErrCode checkpoint_run_backward(Session *s, const EngineTask *task, GradNode *node, Tensor **out) {
    Run *r = run_of(s);
    const Checkpoint *c = node->checkpoint;
    bool bare = s->running_backward, mode = s->grad_mode;
    int nout = c->names.nbinds;
    Tensor **args = arena_array(s->arena, Tensor *, node->nslot),
           **grad = arena_array(s->arena, Tensor *, nout);
    if (task->ninputs > 0) {
        return error_set(s->err, ERR_invalid,
                         "when use_reentrant=True, torch.utils.checkpoint is incompatible with "
                         ".grad() or passing an `inputs` parameter to .backward()");
    }
    TRY(unpack_detached(s, node, args));
    for (int i = 0; i < nout; i++) {
        Tensor *g = node->grad[i] ? node->grad[i] : emit_zeros_like(&s->emit, node->result[i]);
        TRY(s->err->code);
        grad[i] = bare ? &var_new(s, g)->tensor : g;
    }
    Frame outer;
    ErrCode code = run_block_again(r, c, args, &outer);
    s->grad_mode = mode && !bare;
    if (code == ERR_none) {
        code = walk_recomputed(r, c, grad);
    }
    frame_close(r, &outer);
    for (int i = 0; i < node->nslot && code == ERR_none; i++) {
        out[i] = var_of(args[i])->grad;
    }
    return code;
}
