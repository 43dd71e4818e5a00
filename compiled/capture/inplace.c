/* In-place ops in the capture: the value of the functional form (the twin), cast to self's dtype,
 * and a WRITE.
 *
 * Most of this file are eager's refusals: whether self may be written, overlap, sizes, dtypes, then
 * values. The op's row says which of them it makes and in which order (ORDER_.. of
 * program/ops/hints.h). */
#include "compiled/capture/capture.h"
#include "program/ops/functions.h"

#include <string.h>

/* ---- what eager refuses ---- */

static bool bitwise(const OpInfo *op) {
    return op->kind == KIND_POINTWISE &&
           (op->typing == typing_bitwise || op->typing == typing_shift);
}
static bool compares(const OpInfo *op) {
    return op->kind == KIND_POINTWISE && op->pw >= PW_eq && op->pw <= PW_ge;
}

static ErrCode refuse_overlap(Capture *cap, const Tensor *self, Tensor *const *slot, int nslot,
                              bool itself, bool full) {
    if (itself && tensor_internal_overlap(self) == OVERLAP_YES) {
        return error_set(
            cap->emit.err, ERR_overlap,
            "more than one element of the written-to tensor refers to a single memory location");
    }
    for (int i = 1; i < nslot; i++) {
        if (slot[i]) {
            Overlap status = tensor_overlap_status(self, slot[i]);
            if (status == OVERLAP_PARTIAL || (full && status == OVERLAP_FULL)) {
                return error_set(cap->emit.err, ERR_overlap,
                                 "some elements of the input and the written-to tensor refer to "
                                 "one memory location");
            }
        }
    }
    return ERR_none;
}

/* The masks behind the coordinates that index self may not share its memory either. */
static ErrCode inplace_refuse_masks(Capture *cap, const Call *index_put) {
    Tensor *pair[2] = {index_put->arg[0].tensor, NULL};
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        const Var *index = (const Var *)index_put->arg[1].tensors.v[k];
        const Var *root = index && index->base ? index->base : index;
        if (root && root->mask) {
            pair[1] = (Tensor *)&root->mask
                          ->tensor; /* the same object: an empty tensor overlaps only itself */
            TRY(refuse_overlap(cap, pair[0], pair, 2, false, true));
        }
    }
    return ERR_none;
}

static ErrCode refuse_resize(Capture *cap, const Tensor *self, const int64_t *size, int ndim) {
    return sizes_equal(self->size, self->ndim, size, ndim)
               ? ERR_none
               : error_set(cap->emit.err, ERR_shape,
                           "the written-to tensor's size does not match the broadcast shape");
}

static ErrCode inplace_refuse_cast(Capture *cap, DType from, DType to) {
    return dtype_can_cast(from, to)
               ? ERR_none
               : error_set(cap->emit.err, ERR_dtype,
                           "result type %s can't be cast to the desired output type %s",
                           dtype_name(from), dtype_name(to));
}

static ErrCode check_pointwise(Capture *cap, const Call *call, const OpInfo *op,
                               Tensor *const *slot, int nslot, Infer *r) {
    const Tensor *self = slot[0];
    if (op->types_first) {
        DType compute, result;
        TRY(call->op->typing(call, &compute, &result, cap->emit.err));
        if (op->casts_first) {
            TRY(inplace_refuse_cast(cap, result, self->dtype));
        }
    }
    TRY(pointwise_refused_first(call, cap->emit.err));
    /* masked_fill_: only the mask may not partly overlap; the value is read before, as a number */
    bool masked = op->order == ORDER_MASKED_FILL;
    if (masked && nslot > 2 && slot[2]->ndim > 0) {
        return error_set(cap->emit.err, ERR_invalid,
                         "masked_fill_ only supports a 0-dimensional value tensor");
    }
    if (masked && since(mask_bytes) && slot[1]->dtype != DT_bool) {
        return error_set(cap->emit.err, ERR_dtype, "masked_fill_ only supports boolean masks");
    }
    TRY(refuse_overlap(cap, self, slot, masked ? 2 : nslot, op->checks_overlap, false));
    int64_t size[MAX_DIMS];
    int ndim = self->ndim;
    memcpy(size, self->size, sizeof size);
    for (int i = 1; i < nslot; i++) {
        if (slot[i]) {
            TRY(broadcast_into(size, &ndim, slot[i]->size, slot[i]->ndim, cap->emit.err));
        }
    }
    TRY(refuse_resize(cap, self, size, ndim));
    return call->op->infer(call, r);
}

/* ORDER_OUTER: self is not expanded; whether the scalars fit comes after overlap and dtypes. */
static ErrCode inplace_check_outer(Capture *cap, const Call *call, Tensor *const *slot, int nslot) {
    const Tensor *self = slot[0];
    if (slot[1]->ndim != 1 || slot[2]->ndim != 1) {
        return call->op->infer(call, &(Infer){.arena = cap->arena, .err = cap->emit.err});
    }
    if (self->ndim != 2) {
        return error_set(cap->emit.err, ERR_invalid, "2D tensor expected");
    }
    int64_t size[2] = {slot[1]->size[0], slot[2]->size[0]};
    TRY(refuse_resize(cap, self, size, 2));
    TRY(refuse_overlap(cap, self, slot, nslot, true, false));
    return inplace_refuse_cast(cap, addr_dtype(self, slot[1], slot[2]), self->dtype);
}

/* ORDER_KEPT: self has the result's size and dtype from the start; whether it overlaps itself is
 * not checked. */
static ErrCode inplace_check_kept(Capture *cap, const Call *call, Tensor *const *slot) {
    Call sizes = *call;
    Tensor *any = arena_array(cap->arena, Tensor, 3);
    bool mixed = added_product_mixed(call);
    for (int k = 0; k < 3; k++) {
        any[k] = *slot[k];
        any[k].dtype = mixed ? any[k].dtype : DT_float64;
        sizes.arg[k].tensor = &any[k];
    }
    sizes.arg[3].scalar = sizes.arg[4].scalar = scalar_int(0);
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(sizes.op->infer(&sizes, &r));
    bool fits = tensor_same_size(&r.out[0], slot[0]) && slot[0]->dtype == slot[2]->dtype;
    return fits ? ERR_none
                : error_set(cap->emit.err, ERR_invalid,
                            "Bad in-place call: input tensor and output tensor should match");
}

/* The twin `call` as an op on self: refuses what eager refuses, and infers the value. */
static ErrCode inplace_check_write(Capture *cap, const Call *call, const OpInfo *op,
                                   Tensor *const *slot, int nslot, Infer *r) {
    const Tensor *self = slot[0];
    switch (op->order) {
    case ORDER_COPY: /* of itself: changes nothing, but counts as a write */
        if (slot[1] != self) {
            TRY(refuse_overlap(cap, self, slot, nslot, true, false));
        }
        TRY(call->op->infer(call, r));
        break;
    case ORDER_FLOATING: /* of integers: a copy_ of itself */
        if (dtype_is_float(self->dtype)) {
            TRY(check_pointwise(cap, call, op, slot, nslot, r));
        } else {
            TRY(call->op->infer(call, r));
        }
        break;
    case ORDER_INDEX_PUT:
        TRY(refuse_overlap(cap, self, slot, nslot, false, true));
        TRY(inplace_refuse_masks(cap, call));
        TRY(call->op->infer(call, r));
        break;
    case ORDER_INDEX_FILL: /* the value is read before, as a number */
        if (slot[1]->dtype == DT_int64 && (nslot == 2 || slot[2]->ndim == 0)) {
            TRY(refuse_overlap(cap, self, slot, 2, false, true));
        }
        TRY(call->op->infer(call, r));
        break;
    case ORDER_INDEX_COPY: {
        int dim;
        TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, cap->emit.err));
        TRY(refuse_overlap(cap, self, slot, nslot, true, true));
        TRY(call->op->infer(call, r));
        break;
    }
    case ORDER_MASKED_SCATTER:
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
        TRY(masked_scatter_in_place_check(call, cap->emit.err));
        TRY(call->op->infer(call, r));
        break;
    case ORDER_KEPT:
        TRY(inplace_check_kept(cap, call, slot));
        TRY(call->op->infer(call, r));
        break;
    case ORDER_SUM:
        TRY(sum_in_place_check(call, cap->emit.err));
        TRY(call->op->infer(call, r));
        TRY(refuse_resize(cap, self, r->out[0].size, r->out[0].ndim));
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
        break;
    case ORDER_OUTER:
        TRY(inplace_check_outer(cap, call, slot, nslot));
        TRY(call->op->infer(call, r));
        break;
    case ORDER_SCAN: {
        const Arg *dtype = &call->arg[2];
        TRY(call->op->infer(call, r));
        if (!dtype->none && dtype->dtype != self->dtype) {
            return error_set(cap->emit.err, ERR_invalid,
                             "bad in-place call: input and output dtype should match");
        }
        if (self->dtype == DT_bool && self->ndim > 0 && tensor_numel(self) > 0) {
            return error_set(cap->emit.err, ERR_dtype, "%s_ is not implemented for bool",
                             call->op->name);
        }
        TRY(refuse_overlap(cap, self, slot, nslot, true, false));
        return ERR_none; /* sums of narrow integers are cast back */
    }
    case ORDER_MASKED_FILL:
    case ORDER_TRIANGLE:
    case ORDER_BY_KIND:
        if (call->op->kind == KIND_POINTWISE) {
            TRY(check_pointwise(cap, call, op, slot, nslot, r));
        } else {
            TRY(call->op->infer(call, r));
            bool fills = op->id == OP_fill__Tensor && since(fill_overlap); /* ends in copy_ */
            TRY(refuse_overlap(cap, self, slot, op->checks_overlap ? nslot : 0,
                               op->checks_overlap || fills, true));
        }
        break;
    }
    TRY(refuse_resize(cap, self, r->out[0].size, r->out[0].ndim));
    TRY(inplace_refuse_cast(cap, r->out[0].dtype, self->dtype));
    if (op_writes_uncast(op) && r->out[0].dtype != self->dtype) {
        return error_set(cap->emit.err, ERR_invalid,
                         "%s cannot write a narrower dtype than it computes in", op->name);
    }
    if (op->order == ORDER_TRIANGLE && triangle_copies(self)) {
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
    }
    return ERR_none;
}

/* ---- the write ---- */

/* The self slot of an in-place op, if its derivative reads it: the old value, with its history. */
static ErrCode clone_self(Capture *cap, GradNode *tape, Call *twin) {
    bool need[MAX_SLOTS];
    for (int i = 0; i < tape->nslot; i++) {
        need[i] = tape->next_edges[i].node != NULL;
    }
    if (!call_saves_slot(twin, 0, need)) {
        return ERR_none;
    }
    if (need[0] && !dtype_is_float(twin->arg[0].tensor->dtype)) { /* an integer with a history: its
                                                                     clone would be recorded */
        return error_set(cap->emit.err, ERR_invalid,
                         "a recorded result must be of a floating dtype");
    }
    if (cap->takes_gradients) {
        tape->saves_clone = true;
        twin->arg[0].tensor = emit_unary(&cap->emit, OP_clone, twin->arg[0].tensor);
    }
    return cap->emit.err->code;
}

/* The twin's value in self's dtype: what is written. */
static ErrCode written_value(Capture *cap, const Call *twin, const Tensor *meta, DType dtype,
                             Node **op, Node **value) {
    Call nodes;
    capture_call(cap, &nodes, twin);
    *op = *value = graph_op(cap->graph, &nodes, meta, cap->sid);
    return meta->dtype == dtype ? ERR_none : capture_cast(cap, *op, dtype, value);
}

ErrCode capture_in_place(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(&twin, slot);
    GradNode *tape = NULL;
    bool differentiable = call->op->order == ORDER_COPY
                              ? dtype_is_float(self->tensor.dtype)
                              : twin.op->grad || compares(twin.op) || bitwise(twin.op);
    if (differentiable && capture_requires_grad(cap, slot, nslot)) {
        TRY(cap_check_inplace(cap, self));
        tape = cap_node_new(cap, twin.op->grad ? GRAD_NODE_OP : GRAD_NODE_ZERO, nslot, 1);
        TRY(cap_collect_next_edges(cap, tape, twin.op, slot));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(inplace_check_write(cap, &twin, call->op, slot, nslot, &r));
    TRY(capture_memory(cap, &r.out[0]));
    Call recorded = twin;
    if (tape) { /* before any value is checked */
        TRY(clone_self(cap, tape, &recorded));
    }
    cap->writing = alias_class_of(&self->tensor)->input;
    ErrCode code = capture_check_values(cap, &twin, &r.out[0]);
    if (code != ERR_none) {
        cap->unsettled = cap->writing >= 0;
        return code;
    }
    cap->writing = -1;
    if (tape) {
        cap_save_operands(cap, tape, &twin, slot, 0);
    }
    Node *node, *value;
    TRY(written_value(cap, &twin, &r.out[0], self->tensor.dtype, &node, &value));
    if (tensor_overlaps_itself(&self->tensor) && capture_writes_part(&twin)) {
        TRY(capture_write_part(cap, self, &twin));
    } else if (tensor_numel(&self->tensor) > 0) {
        graph_write(cap->graph, self->node, value, cap->sid)->cls = self->node->cls;
    }
    self->tensor.storage->version++;
    out[0] = &self->tensor;
    *nout = 1;
    if (!tape) {
        return ERR_none;
    }
    cap_node_set_value(cap, tape, node, value);
    cap_save_result(cap, tape, &twin, self);
    cap_node_set_call(cap, tape, &recorded, self);
    return cap_rebase_history(cap, self, tape);
}
