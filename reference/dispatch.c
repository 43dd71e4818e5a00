/* One op, eagerly, as a PyTorch operator with autograd runs it:
 *
 *   functional   begin a node if something requires grad (materializes grad_fn) -> infer ->
 *                allocate -> kernel -> attach the node
 *   view         the same without data
 *   in place     dispatch_inplace.c, dispatch_storage.c
 *   meta         detach, detach_, requires_grad_, retain_grad */
#include "reference/unspecified.h"
#include "reference/dispatch.h"

#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "reference/shadow.h"

/* ---- computing ---- */

ErrCode dispatch_kernel(Session *s, const Call *call, const Infer *inferred, Tensor *const *out) {
    KernelCtx k = {s->arena, s->err, NULL, inferred, &s->stream};
    if (s->shadow) {
        shadow_note_refusal(s, call);
    }
    ErrCode code = call->op->kernel(call, out, &k);
    if (code != ERR_none && s->emit.written) {
        s->unsettled = storage_whole(s->emit.written->storage);
    }
    session_undefined(s, k.undefined != NULL, k.undefined);
    return code == ERR_none ? s->err->code : error_set(s->err, code, "%s failed", call->op->name);
}

ErrCode dispatch_infer(Session *s, const Call *call, Infer *r) {
    *r = (Infer){.arena = s->arena, .err = s->err};
    ErrCode code = call->op->infer(call, r);
    return code == ERR_none ? s->err->code : error_set(s->err, code, "%s failed", call->op->name);
}

ErrCode dispatch_allocate(Session *s, Tensor *t) {
    TRY(tensor_allocate(t, s->arena, s->limits, s->err));
    t->storage->id = s->storages++;
    shadow_allocate(s, t);
    return ERR_none;
}

/* nonzero: the one op whose size depends on values. Coordinates are stored column by column
 * (semantics.md 7.2). */
static void size_nonzero(const Call *call, Tensor *out) {
    int64_t n = kernel_count_nonzero(call->arg[0].tensor);
    out->size[0] = n;
    out->stride[0] = 1;
    out->stride[1] = n;
}

/* The result of a *_scatter op that keeps self's layout: in a copy of all of self's storage. */
static ErrCode allocate_scattered(Session *s, const Call *call, Tensor *t) {
    Tensor whole;
    tensor_set_contiguous(&whole, t->dtype, &call->arg[0].tensor->storage->numel, 1);
    TRY(dispatch_allocate(s, &whole));
    t->storage = whole.storage;
    return ERR_none;
}

/* Computes `call` into fresh storage: infer, allocate, kernel (and shadow). Records nothing. out:
 * as many as inferred. */
static inline ErrCode dispatch_compute(Session *s, const Call *call, Tensor **out, int *nout) {
    Infer r;
    TRY(dispatch_infer(s, call, &r));
    CHECK(r.n <= MAX_OUTPUTS);
    for (int i = 0; i < r.n; i++) {
        if (call->op->id == OP_nonzero) {
            size_nonzero(call, &r.out[i]);
        }
        TRY(call->op->infer == infer_view_scatter && scatter_keeps_layout(call)
                ? allocate_scattered(s, call, &r.out[i])
                : dispatch_allocate(s, &r.out[i]));
        out[i] = &r.out[i];
    }
    TRY(dispatch_kernel(s, call, &r, out));
    if (s->shadow) {
        shadow_compute(s, call, out, r.n);
    }
    *nout = r.n;
    return ERR_none;
}

/* ---- recording ---- */

static inline bool is_view(const OpInfo *op) {
    return op->kind == KIND_VIEW || op->kind == KIND_MULTI_VIEW;
}

bool dispatch_requires_grad(const Session *s, const OpInfo *op, const Slots *slots) {
    bool requires = false;
    for (int i = 0; i < slots->n && !requires && (i == 0 || !is_view(op)); i++) {
        requires = slots->v[i] && !(op->non_differentiable >> i & 1) &&
                   var_requires_grad(var_of(slots->v[i]));
    }
    return requires && s->grad_mode && !s->running_backward;
}

/* A cast to an integer dtype is not recorded and materializes no grad_fn. softmax casts before
 * anything else. */
static bool dispatch_casts_to_integer(const Call *call) {
    int dtype = call->op->id == OP__to_copy                                    ? 1
                : call->op->id == OP_softmax || call->op->id == OP_log_softmax ? 2
                                                                               : 0;
    return dtype > 0 && !call->arg[dtype].none && !dtype_is_float(call->arg[dtype].dtype);
}

/* Ops that materialize their operands' grad_fn, though the result has none: isfinite is composed of
 * abs, and bitwise ops, which refuse floats later. */
static bool only_materializes(const Call *call) {
    bool composed = call->op->id == OP_isfinite && dtype_is_float(call->arg[0].tensor->dtype);
    return composed || op_is_bitwise(call->op);
}

/* The node of a call that is recorded; NULL if it is not, or with the session's error. */
static inline GradNode *dispatch_begin(Session *s, const Call *call) {
    GradNode *node = NULL;
    bool unpack_materializes = only_materializes(call);
    if (s->grad_mode && !s->running_backward && (call->op->grad || unpack_materializes)) {
        Slots slots;
        slots.n = call_slots(call, slots.v);
        if (dispatch_requires_grad(s, call->op, &slots) && !dispatch_casts_to_integer(call)) {
            node = node_begin(s, call, &slots);
        }
    }
    return unpack_materializes ? NULL : node;
}

static ErrCode dispatch_attach(Session *s, GradNode *node, Tensor *const *out, int n) {
    for (int i = 0; i < n; i++) {
        if (!dtype_is_float(out[i]->dtype)) {
            if (op_refuses_backward(node->call.op)) {
                continue;
            }
            return error_set(s->err, ERR_invalid,
                             "%s: an integer result of an operand that requires grad",
                             node->call.op->name);
        }
        Var *v = var_of(out[i]);
        v->grad_fn = node;
        v->output_nr = i;
    }
    node_save_results(s, node, out, n);
    return ERR_none;
}

static ErrCode apply_functional(Session *s, const Call *call, Tensor **out, int *nout) {
    if (op_checks_first(call->op)) {
        Infer checked;
        TRY(dispatch_infer(s, call, &checked));
    }
    GradNode *node = dispatch_begin(s, call);
    TRY(s->err->code);
    if (call->op->id == OP_as_strided_scatter && !s->running_backward &&
        var_requires_grad(var_of(call->arg[0].tensor)) &&
        !tensor_is_contiguous(call->arg[0].tensor)) { /* whatever the grad mode
                                                         (aten/src/ATen/native/TensorShape.cpp) */
        return error_set(
            s->err, ERR_invalid,
            "as_strided_scatter is only supported for contiguous tensors that require grad");
    }
    int n = 0;
    TRY(dispatch_compute(s, call, out, &n));
    if (node) {
        node_save_operands(s, node, NULL);
    }
    for (int i = 0; i < n && !s->running_backward; i++) {
        out[i] = &var_new(s, out[i])->tensor;
        if (call->op->id == OP_nonzero && s->expanding_masks) {
            Var *v = var_of(out[i]);
            v->mask = var_of(call->arg[0].tensor);
            v->mask_version = *storage_version(call->arg[0].tensor->storage);
        }
    }
    if (node) {
        TRY(dispatch_attach(s, node, out, n));
    }
    *nout = n;
    return s->err->code;
}

static ErrCode apply_view(Session *s, const Call *call, Tensor **out, int *nout) {
    Infer r;
    bool checks_first = op_checks_first(call->op);
    if (checks_first) {
        TRY(dispatch_infer(s, call, &r));
    }
    GradNode *node = dispatch_begin(s, call);
    TRY(s->err->code);
    if (!checks_first) {
        TRY(dispatch_infer(s, call, &r));
    }
    CHECK(r.n <= MAX_OUTPUTS);
    Tensor *self = call->arg[0].tensor;
    for (int i = 0; i < r.n; i++) {
        int64_t numel;
        if (!sizes_numel(r.out[i].size, r.out[i].ndim, &numel) || numel > s->limits->max_elements) {
            return error_set(s->err, ERR_limit, "a view has more than %lld elements",
                             (long long)s->limits->max_elements);
        }
        r.out[i].storage = self->storage;
        out[i] = s->running_backward
                     ? &r.out[i]
                     : &var_new_view(s, var_of(self), &r.out[i], call->op->kind == KIND_MULTI_VIEW)
                            ->tensor;
    }
    if (node) {
        node_save_operands(s, node, NULL);
        TRY(dispatch_attach(s, node, out, r.n));
    }
    *nout = r.n;
    return s->err->code;
}

/* ---- autograd metadata only ---- */

/* The node of the op whose result v is: of a view that was written, CopySlices of the base has it.
 */
static GradNode *writing_node(const Var *v) {
    bool again = v->base && v->grad_fn && v->grad_fn->kind == GRAD_NODE_AS_STRIDED;
    GradNode *slices = again ? v->base->grad_fn : NULL;
    return slices && slices->kind == GRAD_NODE_COPY_SLICES ? slices->fn : v->grad_fn;
}

static ErrCode dispatch_apply_meta(Session *s, const Call *call, Tensor **out, int *nout) {
    Var *self = var_of(call->arg[0].tensor);
    GradNode *node = NULL;
    *nout = 1;
    out[0] = &self->tensor;
    switch (call->op->id) {
    case OP_detach:
        out[0] = &var_new(s, &self->tensor)->tensor;
        return ERR_none;
    case OP_detach_:
        if (self->base) {
            return error_set(s->err, ERR_invalid, "can't detach views in-place");
        }
        self->requires_grad = false;
        self->grad_fn = NULL;
        self->output_nr = 0;
        return ERR_none;
    case OP_requires_grad_: {
        bool flag = call->arg[1].b;
        if (self->grad_fn && !flag) {
            return error_set(s->err, ERR_grad_non_leaf,
                             "you can only change requires_grad flags of leaf variables");
        }
        if (flag && !dtype_is_float(self->tensor.dtype)) {
            return error_set(s->err, ERR_grad_dtype,
                             "only Tensors of floating point dtype can require gradients");
        }
        self->requires_grad = flag;
        return ERR_none;
    }
    case OP_retain_grad:
        *nout = 0;
        return var_retain_grad(s, self);
    case OP__result_is:
        *nout = 0;
        if (self->grad_fn) {
            self->grad_fn->result_node = var_of(call->arg[1].tensor)->grad_fn;
        }
        return ERR_none;
    case OP__also_saves: /* what else the node of self checks when it runs: other, and whether the
                            node of other is freed */
        *nout = 0;
        node = writing_node(self);
        if (node && call->arg[3].b) {
            node_also_saves(s, node, call->arg[1].tensor);
        }
        if (node && call->arg[2].b) {
            node->other_half = var_of(call->arg[1].tensor)->grad_fn;
        }
        return ERR_none;
    default:
        CHECK(!"a META op that the reference does not know");
    }
    return ERR_none;
}

/* ---- the Emit ---- */

static ErrCode dispatch_by_kind(Session *s, const Call *call, Tensor **out, int *nout) {
    switch (call->op->kind) {
    case KIND_VIEW:
    case KIND_MULTI_VIEW:
        return apply_view(s, call, out, nout);
    case KIND_INPLACE:
        return dispatch_inplace(s, call, out, nout);
    case KIND_INPLACE_VIEW:
        return dispatch_inplace_view(s, call, out, nout);
    case KIND_META:
        return dispatch_apply_meta(s, call, out, nout);
    case KIND_STORAGE:
        return dispatch_storage(s, call, out, nout);
    case KIND_COMPOSITE:
        CHECK(!"emit_call expands composites");
        break;
    default:
        break;
    }
    return apply_functional(s, call, out, nout);
}

static ErrCode emit_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    Session *s = session_of(e);
    s->long_memory |= call->op->long_memory;
    if (s->detect_unspecified && call->op->id == OP__fused_attention) {
        session_unspecified(s, unspecified(call));
    }
    if (s->detect_unspecified && call->op->id == OP__rrelu_train && s->checkpoint) {
        /* saved before it is drawn, and the recomputation ends with the last value saved */
        session_unspecified(s, "rrelu under checkpoint: its gradient is uninitialised memory");
    }
    *nout = 0;
    ErrCode code = dispatch_by_kind(s, call, out, nout);
    if (s->detect_unspecified && code != ERR_none && s->long_memory && call->op->reads_memory) {
        session_unspecified(s, "how long the memory of a result is");
    }
    return code;
}

static ErrCode emit_count_nonzero(Emit *e, const Tensor *mask, int64_t *count) {
    Session *s = session_of(e);
    *count = kernel_count_nonzero(mask);
    s->shadow_lost |= s->shadow && shadow_is_inconclusive(mask);
    return ERR_none;
}

static ErrCode emit_item_int(Emit *e, const Tensor *t, int64_t *value) {
    Session *s = session_of(e);
    *value = tensor_item_int(t);
    s->shadow_lost |= s->shadow && shadow_is_inconclusive(t);
    return ERR_none;
}

static void emit_undefined(Emit *e, const char *why) {
    session_undefined(session_of(e), true, why);
}

static bool emit_records(Emit *e, const Tensor *t) {
    const Session *s = session_of(e);
    return s->grad_mode && !s->running_backward && var_requires_grad(var_of((Tensor *)t));
}

static bool emit_requires_grad(Emit *e, const Tensor *t) {
    (void)e;
    return var_requires_grad(var_of((Tensor *)t));
}

static ErrCode emit_reads_history(Emit *e, Tensor *t) {
    Session *s = session_of(e);
    (void)var_grad_fn(s, var_of(t));
    return s->err->code;
}

Session session_new(Arena *arena, Error *err, const RunOptions *options, bool grad_mode) {
    return (Session){.emit = {.arena = arena,
                              .err = err,
                              .apply = emit_apply,
                              .count_nonzero = emit_count_nonzero,
                              .item_int = emit_item_int,
                              .records = emit_records,
                              .requires_grad = emit_requires_grad,
                              .undefined = emit_undefined,
                              .read_history = emit_reads_history},
                     .err = err,
                     .arena = arena,
                     .limits = &options->limits,
                     .grad_mode = grad_mode,
                     .shadow = options->shadow,
                     .fused = options->fused,
                     .detect_unspecified = options->detect_unspecified};
}
