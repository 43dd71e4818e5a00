/* Views: other sizes and strides on the storage of self, as new tensors (view, split, ..) or for
 * self itself (t_, squeeze_, ..); and the ops that read the memory as another dtype (view.dtype),
 * or make it longer (resize_).
 *
 * A view is a VIEW node of the class's buffer and a Var with a base. An in-place view changes the
 * Var: from now on it reads the buffer through the new geometry, while what the tape holds of it
 * keeps the old one (cap_freeze_geometry). */
#include "compiled/capture/capture.h"
#include "compiled/views/views.h"

#include <string.h>

/* The tape node of a view: only self is differentiable (not view_as's `other`); its grad_fn is
 * materialized now. */
static ErrCode begin_view(Capture *cap, const Call *call, GradNode **tape) {
    Tensor *slot[MAX_SLOTS];
    *tape = cap_node_new(cap, GRAD_NODE_OP, call_slots(call, slot), 1);
    memset(slot + 1, 0, sizeof *slot * (size_t)((*tape)->nslot - 1));
    TRY(cap_collect_next_edges(cap, *tape, call->op, slot));
    (*tape)->call = (*tape)->saved_call = arena_copy(cap->arena, call, (int64_t)sizeof *call);
    return ERR_none;
}

static ErrCode check_view(Capture *cap, const Call *call, const AliasClass *cls,
                          const Tensor *view) {
    int64_t extent, numel;
    if (call->op->id == OP_as_strided &&
        (!tensor_extent(view, &extent) || extent > cls->storage.numel)) {
        return error_set(cap->emit.err, ERR_invalid, "as_strided is out of bounds for the storage");
    }
    if (!sizes_numel(view->size, view->ndim, &numel) || numel > cap->c->limits.max_elements) {
        return error_set(cap->emit.err, ERR_limit, "a view passes the limit of %lld elements",
                         (long long)cap->c->limits.max_elements);
    }
    return ERR_none;
}

/* Seeded fault SH_5: the result of an in-place op has the layout of its functional form, so that
 * as_strided of a strided self counts in a dense copy. NULL: it does not apply. */
static Var *strided_view_of_dense(Capture *cap, const Call *call, const Var *self,
                                  const Tensor *meta) {
    bool written = false;
    for (int i = 0; i < cap->graph->n && !written; i++) {
        const Node *n = cap->graph->node[i];
        written = n->kind == NODE_WRITE && n->in[0] == self->node;
    }
    int64_t extent, numel = tensor_numel(&self->tensor);
    Tensor layout = *meta;
    layout.offset = call->arg[3].none ? 0 : meta->offset;
    if (!written || cap_requires_grad(self) || tensor_is_contiguous(&self->tensor) ||
        tensor_numel(meta) < 2 || !tensor_extent(&layout, &extent) || extent > numel ||
        !fault_triggered(cap->c, FAULT_SH_5)) {
        return NULL;
    }
    Call copy = call_new(OP__contiguous_copy);
    copy.arg[0].tensor = &self->node->t;
    Node *dense;
    if (capture_node(cap, &copy, &dense) != ERR_none) {
        return NULL;
    }
    AliasClass *cls = capture_class(cap, meta->dtype, numel, dense, -1);
    return cap_new_view(cap, capture_var(cap, cls, &dense->t, dense), &layout, false);
}

/* Seeded fault SH_12: a view of a buffer without elements is reset to contiguous strides. Only by
 * expand. */
static void reset_empty(const Capture *cap, const Call *call, Tensor *view) {
    Tensor reset;
    if (!fault(cap->c, FAULT_SH_12) || call->op->id != OP_expand || tensor_numel(view) > 0) {
        return;
    }
    tensor_set_contiguous(&reset, view->dtype, view->size, view->ndim);
    if (!sizes_equal(reset.stride, view->ndim, view->stride, view->ndim) &&
        fault_triggered(cap->c, FAULT_SH_12)) {
        memcpy(view->stride, reset.stride, sizeof *reset.stride * (size_t)view->ndim);
    }
}

ErrCode capture_apply_view(Capture *cap, const Call *given, Tensor **out, int *nout) {
    Call room;
    const Call *call = capture_read(cap, given, &room);
    Var *self = (Var *)call->arg[0].tensor;
    AliasClass *cls = alias_class_of(&self->tensor);
    GradNode *tape = NULL;
    bool recorded = cap->grad_mode && cap_requires_grad(self);
    if (recorded && !op_checks_first(call->op)) {
        TRY(begin_view(cap, call, &tape));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(view_infer(cap->c, call, &r));
    if (recorded && op_checks_first(call->op)) {
        TRY(begin_view(cap, call, &tape));
    }
    CHECK(r.n <= MAX_OUTPUTS);
    for (int i = 0; i < r.n; i++) {
        reset_empty(cap, call, &r.out[i]);
        TRY(check_view(cap, call, cls, &r.out[i]));
        Var *v = fault(cap->c, FAULT_SH_5) && call->op->id == OP_as_strided
                     ? strided_view_of_dense(cap, call, self, &r.out[i])
                     : NULL;
        v = v ? v : cap_new_view(cap, self, &r.out[i], call->op->kind == KIND_MULTI_VIEW);
        if (tape) {
            v->grad_fn = (Edge){tape, i};
        }
        out[i] = &v->tensor;
        cap->permuted = given->op->id == OP_permute ? v : cap->permuted;
    }
    if (tape && r.n > 0 &&
        !dtype_is_float(self->tensor.dtype)) { /* an integer self that was written in place with a
                                                  tensor that requires grad */
        return error_set(cap->emit.err, ERR_invalid, "a recorded view must be of a floating dtype");
    }
    if (tape) {
        tape->nout = r.n;
        tape->result = arena_copy(cap->arena, out, r.n * (int64_t)sizeof *out);
    }
    *nout = r.n;
    return ERR_none;
}

/* From now on the tensor has this geometry; what the tape holds of it keeps the old one. */
static void set_layout(Capture *cap, Var *self, const Tensor *layout) {
    const AliasClass *cls = alias_class_of(&self->tensor);
    cap_freeze_geometry(cap, self);
    layout_copy(&self->tensor, layout);
    self->node = graph_view(cap->graph, cls->buffer, layout, cap->sid);
    self->node->cls = cls->number;
}

ErrCode capture_in_place_view(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    AliasClass *cls = alias_class_of(&self->tensor);
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    GradNode *tape = NULL;
    if (cap->grad_mode && cap_requires_grad(self)) {
        TRY(cap_check_inplace(cap, self));
        TRY(begin_view(cap, &twin, &tape));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(view_infer(cap->c, &twin, &r));
    TRY(check_view(cap, &twin, cls, &r.out[0]));
    set_layout(cap, self, &r.out[0]);
    (*storage_version(self->tensor.storage))++;
    out[0] = &self->tensor;
    *nout = 1;
    if (!tape) {
        return ERR_none;
    }
    if (!dtype_is_float(self->tensor.dtype)) { /* an integer self that was written in place with a
                                                  tensor that requires grad */
        return error_set(cap->emit.err, ERR_invalid, "a recorded view must be of a floating dtype");
    }
    Tensor *after = arena_copy(cap->arena, &self->tensor, sizeof self->tensor);
    tape->result = arena_copy(cap->arena, &after, sizeof after);
    cap_set_history(self, tape);
    return ERR_none;
}

/* ---- STORAGE rows ---- */

/* A view to nobody but the version counter: no base, no history. */
static ErrCode apply_reading(Capture *cap, const Call *call, Tensor **out) {
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(view_infer(cap->c, call, &r));
    AliasClass *cls = alias_class_of(call->arg[0].tensor);
    TRY(check_view(cap, call, cls, &r.out[0]));
    if ((cls->storage.dtype == DT_bool) != (r.out[0].dtype == DT_bool)) {
        return error_set(cap->emit.err, ERR_unsupported, "the bytes of bools");
    }
    cls = capture_reading(cap, cls, r.out[0].dtype, cap->sid);
    Node *node = graph_view(cap->graph, cls->buffer, &r.out[0], cap->sid);
    out[0] = &capture_var(cap, cls, &r.out[0], node)->tensor;
    out[0]->storage = capture_recounted(cap, cls, call->arg[0].tensor->storage);
    return ERR_none;
}

static ErrCode apply_sizes(Capture *cap, const Call *call) {
    Var *self = (Var *)call->arg[0].tensor;
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    int64_t extent = 0;
    TRY(view_infer(cap->c, call, &r));
    TRY(check_view(cap, call, alias_class_of(&self->tensor), &r.out[0]));
    if (!tensor_extent(&r.out[0], &extent)) {
        return error_set(cap->emit.err, ERR_limit, "a tensor is too long");
    }
    TRY(capture_grow(cap, alias_class_of(&self->tensor), extent));
    set_layout(cap, self, &r.out[0]);
    return ERR_none;
}

/* The tape node of a set_ that is recorded: PyTorch's has no derivative, and knows nothing of a
 * storage that is given. */
static ErrCode begin_memory_of_source(Capture *cap, const Call *call, GradNode **tape) {
    bool storage = op_takes_storage(call->op);
    Call *twin = arena_new(cap->arena, Call);
    *twin = call_new(storage ? OP__set_storage : OP__set_tensor);
    twin->arg[0] = call->arg[0];
    twin->arg[1] = storage ? twin->arg[1] : call->arg[1];
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(twin, slot);
    *tape = NULL;
    if (!cap->grad_mode ||
        !(cap_requires_grad((Var *)slot[0]) || (!storage && cap_requires_grad((Var *)slot[1])))) {
        return ERR_none;
    }
    TRY(cap_check_inplace(cap, (Var *)slot[0]));
    *tape = cap_node_new(cap, GRAD_NODE_OP, nslot, 1);
    TRY(cap_collect_next_edges(cap, *tape, twin->op, slot));
    (*tape)->call = (*tape)->saved_call = twin;
    return ERR_none;
}

/* Self is another view of the source's memory from now on, with the version counter that it has.
 * (PyTorch's AOTAutograd replays it on the caller's tensor as a set_, too.) */
static ErrCode apply_memory_of_source(Capture *cap, const Call *call) {
    Var *self = (Var *)call->arg[0].tensor;
    const Tensor *source = call->arg[1].tensor;
    AliasClass *cls = alias_class_of(source);
    GradNode *tape;
    int64_t extent = 0;
    if (op_takes_storage(call->op) && !tensor_is_contiguous(source)) {
        return error_set(cap->emit.err, ERR_invalid, "set_ of a source that is not contiguous");
    }
    TRY(begin_memory_of_source(cap, call, &tape));
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(view_infer(cap->c, call, &r));
    TRY(check_view(cap, call, cls, &r.out[0]));
    if (!tensor_extent(&r.out[0], &extent)) {
        return error_set(cap->emit.err, ERR_limit, "a tensor is too long");
    }
    if ((self->tensor.dtype == DT_bool) != (source->dtype == DT_bool)) {
        return error_set(cap->emit.err, ERR_unsupported, "the bytes of bools");
    }
    cls = capture_reading(cap, cls, self->tensor.dtype, cap->sid);
    TRY(capture_grow(cap, cls, extent));
    binding_unlink(cap, self);
    cap_freeze_geometry(cap, self);
    self->tensor.storage = capture_recounted(cap, cls, self->tensor.storage);
    binding_link(cap, self);
    set_layout(cap, self, &r.out[0]);
    (*storage_version(self->tensor.storage))++;
    cap->sets = cap->recasts = true;
    if (tape) {
        Tensor *after = arena_copy(cap->arena, &self->tensor, sizeof self->tensor);
        tape->result = arena_copy(cap->arena, &after, sizeof after);
        TRY(cap_rebase_history(cap, self, tape, tape->call->op));
    }
    self->accumulator = NULL; /* reset_grad_accumulator */
    self->resets_accumulator = true;
    return ERR_none;
}

ErrCode capture_storage(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    *nout = 1;
    if (call->op->id == OP_view_dtype) {
        return apply_reading(cap, call, out);
    }
    out[0] = &self->tensor;
    if (op_sets_storage(call->op)) {
        return apply_memory_of_source(cap, call);
    }
    if (call->op->id == OP__resize_out) { /* of an out: what is written to it counts */
        return apply_sizes(cap, call);
    }
    CHECK(call->op->id == OP_resize_);
    if (cap_requires_grad(self)) { /* whatever the grad mode */
        return error_set(cap->emit.err, ERR_invalid, "cannot resize variables that require grad");
    }
    const Arg *size = &call->arg[1];
    if (sizes_equal(self->tensor.size, self->tensor.ndim, size->ints.v, size->ints.n)) {
        return ERR_none; /* no write, so that what is saved of it stays valid */
    }
    TRY(apply_sizes(cap, call));
    (*storage_version(self->tensor.storage))++;
    return ERR_none;
}
