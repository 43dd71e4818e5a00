/* Views: other sizes and strides on the storage of self, as new tensors (view, split, ..) or for
 * self itself (t_, squeeze_, ..).
 *
 * A view is a VIEW node of the class's buffer and a Var with a base. An in-place view changes the
 * Var: from now on it reads the buffer through the new geometry, while what the tape kept of it
 * stays as it was (cap_freeze). */
#include "compiled/capture/capture.h"

#include <string.h>

/* The tape node of a view: only self is differentiable (not view_as's `other`), and is asked
 * now. */
static ErrCode begin_view(Capture *cap, const Call *call, GradNode **tape) {
    Tensor *slot[MAX_SLOTS];
    *tape = tape_new(cap, GRAD_NODE_OP, call_slots(call, slot), 1);
    memset(slot + 1, 0, sizeof *slot * (size_t)((*tape)->nslot - 1));
    TRY(tape_connect(cap, *tape, call->op, slot));
    (*tape)->call = (*tape)->tensors = arena_copy(cap->arena, call, (int64_t)sizeof *call);
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

ErrCode capture_apply_view(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    AliasClass *cls = alias_class_of(&self->t);
    GradNode *tape = NULL;
    if (cap->grad_mode && cap_requires_grad(self)) {
        TRY(begin_view(cap, call, &tape));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(call->op->infer(call, &r));
    CHECK(r.n <= MAX_OUTPUTS);
    for (int i = 0; i < r.n; i++) {
        TRY(check_view(cap, call, cls, &r.out[i]));
        Var *v = capture_var(cap, cls, &r.out[i],
                             graph_view(cap->graph, cls->buffer, &r.out[i], cap->sid));
        cap_make_view(cap, v, self, call->op->kind == KIND_MULTI_VIEW);
        if (tape) {
            v->history = (Edge){tape, i};
        }
        out[i] = &v->t;
    }
    if (tape && r.n > 0 &&
        !dtype_is_float(self->t.dtype)) { /* self was written in place with what requires grad */
        return error_set(cap->emit.err, ERR_invalid, "a recorded view must be of a floating dtype");
    }
    if (tape) {
        tape->nout = r.n;
        tape->out = arena_copy(cap->arena, out, r.n * (int64_t)sizeof *out);
    }
    *nout = r.n;
    return ERR_none;
}

ErrCode capture_in_place_view(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    AliasClass *cls = alias_class_of(&self->t);
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    GradNode *tape = NULL;
    if (cap->grad_mode && cap_requires_grad(self)) {
        TRY(cap_check_write(cap, self));
        TRY(begin_view(cap, &twin, &tape));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(twin.op->infer(&twin, &r));
    TRY(check_view(cap, &twin, cls, &r.out[0]));
    cap_freeze(cap, self);
    self->t = r.out[0];
    self->t.storage = &cls->storage;
    self->node = graph_view(cap->graph, cls->buffer, &self->t, cap->sid);
    self->node->cls = cls->number;
    self->t.storage->version++;
    out[0] = &self->t;
    *nout = 1;
    if (!tape) {
        return ERR_none;
    }
    if (!dtype_is_float(self->t.dtype)) { /* self was written in place with what requires grad */
        return error_set(cap->emit.err, ERR_invalid, "a recorded view must be of a floating dtype");
    }
    Tensor *after = arena_copy(cap->arena, &self->t, sizeof self->t);
    tape->out = arena_copy(cap->arena, &after, sizeof after);
    cap_set_history(self, tape);
    return ERR_none;
}
