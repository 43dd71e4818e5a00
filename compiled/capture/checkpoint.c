/* Blocks under `checkpoint` in the capture: inlined where they stand. What their nodes save is
 * captured once more where a walk needs it, from the block's arguments, so that the graph of the
 * backward computes it again.
 *
 *   not reentrant   the nodes note the block, and their place in it; the first one that a walk
 *                   unpacks captures the block again, up to the last value that it saves
 *   reentrant       one node, as of a function. Its backward captures the block again over detached
 *                   arguments, and walks what that has recorded
 *
 * Programs with such blocks walk every backward during the capture, as those with functions do. */
#include "compiled/capture/capture.h"

/* ---- capturing again ---- */

/* Captures the block in a frame of its own, which stays open. A statement that raises is the place
 * of the error, unless it is the backward of the harness that does, or another block. */
static ErrCode capture_block_again(Capture *cap, const Checkpoint *c, Var *const *arg,
                                   OuterFrame *outer) {
    int64_t randoms = cap->emit.randoms;
    *outer = capture_frame_open(cap, NULL, true);
    for (int i = 0; i < c->names.nreads; i++) {
        binding_set(cap, c->names.reads[i], arg[i]);
    }
    cap->emit.randoms = c->randoms;
    ErrCode code = cap->run_block(cap, &c->stmt->body);
    cap->emit.randoms = randoms;
    if (code != ERR_none && !c->done && !cap->in_final && !outer->frame.open) {
        cap->sid = cap->frame.sid;
    }
    return code;
}

static ErrCode checkpoint_unpack(Capture *cap, const GradNode *node, const Checkpoint *c) {
    for (int i = 0; i < c->names.nreads; i++) {
        TRY(backward_check_value(cap, node, &c->saved[i], cap->emit.err));
        if (cap_requires_grad(c->arg[i]) != c->required[i]) {
            return error_set(cap->emit.err, ERR_invalid,
                             "an argument of a checkpoint has another requires_grad by now");
        }
    }
    return ERR_none;
}

static ErrCode capture_values_again(Capture *cap, Checkpoint *c) {
    Checkpoint *around = cap->checkpoint;
    OpId stmt_op = cap->stmt_op;
    OuterFrame outer;
    c->copy = arena_array(cap->arena, GradNode *, c->nnodes);
    c->again = true;
    c->done = false;
    c->begun = c->numbers = 0;
    cap->checkpoint = c;
    cap->omits_checks = true; /* they have passed */
    ErrCode code = capture_block_again(cap, c, c->arg, &outer);
    cap->omits_checks = false;
    capture_frame_close(cap, &outer);
    cap->checkpoint = around;
    cap->stmt_op = stmt_op;
    c->again = false;
    if (c->done) {
        error_begin(&cap->err, cap->err.quiet);
        return ERR_none;
    }
    return code != ERR_none ? code
                            : error_set(cap->emit.err, ERR_invalid,
                                        "another number of tensors was saved than in the forward");
}

/* The operands of the copy, with the histories of those that `node` saved. */
static void checkpoint_take_history(Capture *cap, const GradNode *node, GradNode *copy) {
    Tensor *slot[MAX_SLOTS];
    bool need[MAX_SLOTS];
    int n = call_slots(copy->saved_call, slot);
    cap_edges_needed(node, need);
    for (int i = 0; i < n && cap->grad_mode && !cap->bare; i++) {
        if (!slot[i] || !call_saves_slot(node->saved_call, i, need)) {
            continue;
        }
        Edge edge = i == 0 && node->saves_clone ? ((Var *)node->saved_call->arg[0].tensor)->grad_fn
                                                : node->next_edges[i];
        bool leaf = edge.node && edge.node->kind == GRAD_NODE_ACCUMULATE_GRAD;
        Var *v = capture_without_history(cap, (const Var *)slot[i]);
        v->requires_grad = leaf;
        v->accumulator = leaf ? edge.node : NULL;
        v->grad_fn = leaf ? (Edge){NULL, 0} : edge;
        cap_call_replace(copy->saved_call, slot[i], &v->tensor);
    }
}

ErrCode capture_recomputed(Capture *cap, const GradNode *node, GradNode **out) {
    Checkpoint *c = node->checkpoint;
    if (c->walk != cap->walk) {
        TRY(checkpoint_unpack(cap, node, c));
        TRY(capture_values_again(cap, c));
        c->walk = cap->walk;
    }
    *out = c->copy[node->place];
    if (*out) {
        checkpoint_take_history(cap, node, *out);
    }
    return ERR_none;
}

/* ---- the statement ---- */

static void keep_arguments(Capture *cap, Checkpoint *c) {
    int n = c->names.nreads;
    c->saved = arena_array(cap->arena, SavedVariable, n);
    c->required = arena_array(cap->arena, bool, n);
    for (int i = 0; i < n; i++) {
        Var *v = c->arg[i];
        c->required[i] = cap_requires_grad(v);
        c->saved[i] = (SavedVariable){
            v->tensor.storage, *storage_version(v->tensor.storage), v, !v->grad_fn.node, 0, 0};
    }
}

/* Does no op change the flags, the history or the geometry of a tensor? */
static bool checkpoint_is_plain(const Block *block) {
    bool plain = true;
    for (const Stmt *s = block->first; s; s = s->next) {
        plain &= !s->requires_grad && s->op->kind != KIND_INPLACE_VIEW &&
                 s->op->kind != KIND_STORAGE &&
                 (s->op->kind != KIND_META || s->op->id == OP_detach);
    }
    return plain;
}

static ErrCode capture_reentrant(Capture *cap, Checkpoint *c) {
    const BlockFunction *names = &c->names;
    if (!checkpoint_is_plain(&c->stmt->body)) {
        return error_set(&cap->err, ERR_unsupported,
                         "a reentrant checkpoint with an op that changes what a tensor is");
    }
    c->version = arena_array(cap->arena, int64_t, names->nreads);
    for (int i = 0; i < names->nreads; i++) {
        c->version[i] = *storage_version(c->arg[i]->tensor.storage);
    }
    Function *f = arena_new(cap->arena, Function);
    *f = (Function){.params = names->reads,
                    .nparams = names->nreads,
                    .forward = c->stmt->body,
                    .returns = names->binds,
                    .nreturns = names->nbinds,
                    .save = names->reads,
                    .nsave = names->nreads};
    return capture_application(cap, f, c->stmt, f->params, f->returns, c);
}

ErrCode capture_checkpoint(Capture *cap, const Stmt *stmt) {
    Checkpoint *c = arena_new(cap->arena, Checkpoint);
    if (!block_function(cap->program, &stmt->body, cap->arena, &c->names)) {
        return cap->run_block(cap, &stmt->body);
    }
    int n = c->names.nreads;
    c->stmt = stmt;
    c->randoms = cap->emit.randoms;
    c->last = -1;
    c->arg = arena_array(cap->arena, Var *, n);
    if (n >= MAX_SLOTS) {
        return error_set(&cap->err, ERR_limit, "a block under checkpoint reads %d names", n);
    }
    for (int i = 0; i < n; i++) {
        TRY(capture_look_up(cap, c->names.reads[i], &c->arg[i]));
    }
    if (stmt->reentrant) {
        return capture_reentrant(cap, c);
    }
    keep_arguments(cap, c);
    Checkpoint *around = cap->checkpoint;
    cap->checkpoint = cap->grad_mode ? c : NULL;
    ErrCode code = cap->run_block(cap, &stmt->body);
    cap->checkpoint = around;
    return code;
}

/* ---- the backward of a reentrant one ---- */

/* The arguments detached, as leaves; true in `same` if none was written since the block began. */
static ErrCode unpack_leaves(Capture *cap, GradNode *node, Var **leaf, bool *same) {
    const Checkpoint *c = node->checkpoint;
    if (node->freed) {
        return error_set(cap->emit.err, ERR_graph_freed,
                         "trying to backward through the graph a second time");
    }
    for (int i = 0; i < node->nslot; i++) {
        TRY(capture_unpack_kept(cap, node, &node->kept[i], &leaf[i]));
        *same &= *storage_version(leaf[i]->tensor.storage) == c->version[i];
    }
    for (int i = 0; i < node->nslot; i++) {
        bool requires_grad = cap_requires_grad(leaf[i]);
        leaf[i] = capture_without_history(cap, leaf[i]);
        leaf[i]->requires_grad = requires_grad;
    }
    return ERR_none;
}

/* The walk through the block that was captured again, in its frame. */
static ErrCode walk_captured(Capture *cap, const Checkpoint *c, Var *const *grad) {
    int n = c->names.nbinds, nroots = 0;
    Tensor **root = arena_array(cap->arena, Tensor *, n),
           **tangent = arena_array(cap->arena, Tensor *, n);
    for (int i = 0; i < n; i++) {
        Tensor *t = cap->env[c->names.binds[i]];
        if (cap_requires_grad((const Var *)t)) {
            root[nroots] = t;
            tangent[nroots++] = &grad[i]->tensor;
        }
    }
    if (nroots == 0) {
        return error_set(cap->emit.err, ERR_invalid,
                         "no result of a reentrant checkpoint requires grad");
    }
    return capture_walk_apart(cap, root, tangent, nroots);
}

ErrCode capture_checkpoint_backward(Capture *cap, GradNode *node, bool whole, Tensor **out) {
    const Checkpoint *c = node->checkpoint;
    int nout = c->names.nbinds;
    OpId stmt_op = cap->stmt_op;
    bool same = true, mode = cap->grad_mode, bare = cap->bare;
    Var **leaf = arena_array(cap->arena, Var *, node->nslot),
        **grad = arena_array(cap->arena, Var *, nout);
    if (!whole) {
        return error_set(cap->emit.err, ERR_invalid,
                         "a reentrant checkpoint in a walk with inputs");
    }
    TRY(unpack_leaves(cap, node, leaf, &same));
    for (int i = 0; i < nout; i++) {
        Tensor *g = node->grad[i];
        g = g ? g : emit_zeros_like(&cap->emit, node->result[i]);
        TRY(cap->emit.err->code);
        grad[i] = bare ? capture_without_history(cap, (const Var *)g) : (Var *)g;
    }
    OuterFrame outer;
    cap->omits_checks = same;
    ErrCode code = capture_block_again(cap, c, leaf, &outer);
    cap->omits_checks = true; /* of derivative rules: the block has checked it */
    cap->grad_mode = mode && !bare;
    if (code == ERR_none) {
        code = walk_captured(cap, c, grad);
    }
    cap->omits_checks = false;
    capture_frame_close(cap, &outer);
    cap->stmt_op = stmt_op;
    for (int i = 0; i < node->nslot && code == ERR_none; i++) {
        out[i] = leaf[i]->program_grad ? &leaf[i]->program_grad->tensor : NULL;
    }
    return code;
}
