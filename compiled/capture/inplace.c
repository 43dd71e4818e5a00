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

/* The masks behind the coordinates that index self may not share its memory either, but for the
 * mask under which a single value is written as masked_fill_ does. */
static ErrCode inplace_refuse_masks(Capture *cap, const Call *index_put) {
    Tensor *pair[2] = {index_put->arg[0].tensor, NULL};
    const Var *root[MAX_SLOTS], *first = NULL;
    bool several = index_put->arg[3].b || tensor_numel(index_put->arg[2].tensor) != 1;
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        const Var *index = (const Var *)index_put->arg[1].tensors.v[k];
        root[k] = index && index->base ? index->base : index;
        first = first ? first : root[k];
        several |= root[k] && root[k] != first;
    }
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        if (root[k] && root[k]->mask) {
            pair[1] =
                (Tensor *)&root[k]
                    ->mask->tensor; /* the same object: an empty tensor overlaps only itself */
            TRY(refuse_overlap(cap, pair[0], pair, 2, false, several));
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
        DType result;
        TRY(pointwise_typed_first(call, &result, cap->emit.err));
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
    Tensor column = outer_column(slot[1]), *pair[3] = {slot[0], &column, slot[2]};
    TRY(refuse_overlap(cap, self, pair, nslot, true, false));
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

/* Seeded fault DT_8: div_ is div and a cast to self's dtype, whether or not the result can be cast
 * to it. */
static bool divides_into_integer(const Capture *cap, const Call *call, DType from, DType to) {
    return fault(cap->c, FAULT_DT_8) && call->op->id == OP_div_Tensor && !dtype_is_float(to) &&
           to != DT_bool && dtype_is_float(from) && !dtype_is_float(call->arg[1].tensor->dtype) &&
           fault_triggered(cap->c, FAULT_DT_8);
}

/* The twin `call` as an op on self: refuses what eager refuses, and infers the value. */
static ErrCode inplace_check_write(Capture *cap, const Call *call, const OpInfo *op,
                                   Tensor *const *slot, int nslot, Infer *r) {
    const Tensor *self = slot[0];
    switch (op->order) {
    case ORDER_COPY: /* of itself: changes nothing, but counts as a write */
        if (slot[1] != self && !(since(copy_of_same_data) && tensor_same_data(slot[1], self))) {
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
    if (!divides_into_integer(cap, call, r->out[0].dtype, self->dtype)) {
        TRY(inplace_refuse_cast(cap, r->out[0].dtype, self->dtype));
    }
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

/* ---- seeded faults ---- */

/* Seeded faults ER_7: the value of the functional form has the broadcast size, and nobody compares
 * that with self's. */
static FaultId unchecked_growth(const Capture *cap, const Call *twin, const Tensor *self) {
    OpId id = twin->op->id;
    FaultId by = id == OP_add_Tensor           ? FAULT_ER_7
                 : id == OP_masked_fill_Scalar ? FAULT_ER_7a
                 : id == OP_pow_Tensor_Tensor  ? FAULT_ER_7b
                                               : FAULT_NONE;
    if (by == FAULT_NONE || !fault(cap->c, by) || tensor_overlaps_itself(self)) {
        return FAULT_NONE;
    }
    Error refused;
    error_begin(&refused, true);
    Infer r = {.arena = cap->arena, .err = &refused, .in_place = true};
    bool grows = twin->op->infer(twin, &r) == ERR_none && r.out[0].dtype == self->dtype &&
                 !tensor_same_size(&r.out[0], self);
    return grows && fault_triggered(cap->c, by) ? by : FAULT_NONE;
}

/* ... so that the names of self now mean a larger tensor. */
static ErrCode rebind_grown(Capture *cap, const Var *self, const Call *twin, Tensor **out,
                            int *nout) {
    TRY(emit_call(&cap->emit, twin, out, nout));
    for (NameId name = 0; name < cap->program->nnames; name++) {
        if (cap->binding[name].var == self) {
            binding_set(cap, name, (Var *)out[0]);
        }
    }
    return ERR_none;
}

/* Seeded fault ER_19: whether a leaf may be written is found out after add_ has written it. */
static void write_refused(Capture *cap, const Call *call) {
    if (!fault(cap->c, FAULT_ER_19) || cap->err.code != ERR_leaf_inplace ||
        (call->op->id != OP_add__Tensor && call->op->id != OP_add__Scalar)) {
        return;
    }
    Error refused = cap->err;
    bool grad_mode = cap->grad_mode;
    Tensor *out[MAX_OUTPUTS];
    int nout;
    cap->grad_mode = false;
    cap->err.code = ERR_none;
    if (capture_in_place(cap, call, out, &nout) == ERR_none) {
        (void)fault_triggered(cap->c, FAULT_ER_19);
    }
    cap->grad_mode = grad_mode;
    cap->err = refused;
}

/* The same tensor with one element in each dim that it is expanded to. */
static Tensor unexpanded(const Tensor *t, const Tensor *like) {
    Tensor once = *t;
    for (int d = 0; d < like->ndim; d++) {
        once.size[d] = like->stride[d] == 0 ? min_i64(t->size[d], 1) : t->size[d];
    }
    return once;
}

/* Does the op tell apart elements along a dim that self is expanded to? */
static bool names_expanded(const Call *twin, const Tensor *self) {
    const Tensor *mask = twin->op->id == OP_masked_fill_Scalar ? twin->arg[1].tensor : NULL;
    for (int d = 0; d < self->ndim; d++) {
        int k = mask ? d - (self->ndim - mask->ndim) : 0;
        int64_t dim = mask ? 0 : twin->arg[1].i;
        bool named = mask ? k >= 0 && mask->size[k] > 1 && mask->stride[k] != 0
                          : dim == d || dim + self->ndim == d;
        if (self->stride[d] == 0 && self->size[d] > 1 && named) {
            return true;
        }
    }
    return false;
}

/* Seeded faults MU_8: the op is replayed on the expanded value, and the inverse of expand takes its
 * first row, so that what was written to another row is lost. True if it has been recorded. */
static bool writes_first_row(Capture *cap, const Var *self, const Call *twin, Node *value) {
    OpId id = twin->op->id;
    FaultId by = id == OP_index_fill_int_Scalar ? FAULT_MU_8
                 : id == OP_masked_fill_Scalar  ? FAULT_MU_8a
                                                : FAULT_NONE;
    Tensor row = unexpanded(&self->tensor, &self->tensor);
    if (by == FAULT_NONE || !fault(cap->c, by) || tensor_overlaps_itself(&row) ||
        tensor_numel(&row) == 0 || !names_expanded(twin, &self->tensor) ||
        !fault_triggered(cap->c, by)) {
        return false;
    }
    AliasClass *cls = alias_class_of(&self->tensor);
    Tensor first = unexpanded(&value->t, &self->tensor);
    Node *to = graph_view(cap->graph, cls->buffer, &row, cap->sid),
         *from = graph_view(cap->graph, value, &first, cap->sid);
    to->cls = cls->number;
    capture_write(cap, cls, to, from);
    return true;
}

/* Seeded fault MU_13: `t[r] *= x` is `v = t[r]; v.mul_(x); t[r] = v`, and both the in-place op and
 * setitem record the update. The value that the first wrote, if `copy` is that setitem; or NULL. */
static const Node *updated_before(const Capture *cap, const Call *copy) {
    const Var *self = (const Var *)copy->arg[0].tensor;
    if (!fault(cap->c, FAULT_MU_13) || cap->stmt_op != OP_setitem || copy->op->id != OP_copy_) {
        return NULL;
    }
    const Tensor *source = copy->arg[1].tensor;
    int k = cap->graph->n - 1;
    while (k >= 0 && cap->graph->node[k]->kind != NODE_WRITE) {
        k--;
    }
    const Node *write = k >= 0 ? cap->graph->node[k] : NULL;
    if (!write || write->cls != self->node->cls || source->storage != self->tensor.storage ||
        !tensor_same_layout(source, &self->tensor) ||
        !tensor_same_layout(&write->in[0]->t, &self->tensor)) {
        return NULL;
    }
    const Node *value = write->in[1];
    return value->kind == NODE_OP && value->op == OP_mul_Scalar &&
                   value->in[0]->cls == write->cls &&
                   tensor_same_layout(&value->in[0]->t, &self->tensor)
               ? value
               : NULL;
}

static void update_again(Capture *cap, const Var *self, const Node *update) {
    if (update && fault_triggered(cap->c, FAULT_MU_13)) {
        Node *again = graph_op(cap->graph, update->call, &update->t, cap->sid);
        capture_write(cap, alias_class_of(&self->tensor), self->node, again);
    }
}

/* Seeded fault ER_20: a 0-dim index of index_copy_ selects, so source has to lack the dim. */
static ErrCode select_by_index(Capture *cap, Call *call) {
    const Tensor *self = call->arg[0].tensor, *source = call->arg[3].tensor;
    if (!fault(cap->c, FAULT_ER_20) || call->op->id != OP_index_copy_ || self->ndim == 0 ||
        call->arg[2].tensor->ndim != 0) {
        return ERR_none;
    }
    if (source->ndim == self->ndim) {
        (void)fault_triggered(cap->c, FAULT_ER_20);
        return error_set(cap->emit.err, ERR_shape, "source must have the size of one slice");
    }
    if (source->ndim == self->ndim - 1 && fault_triggered(cap->c, FAULT_ER_20)) {
        call->arg[3].tensor = emit_op(&cap->emit, OP_unsqueeze, 2, source, call->arg[1].i);
    }
    return cap->emit.err->code;
}

/* ---- in-place ops ---- */

ErrCode capture_in_place(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    Call twin = *call;
    if (call->op->silent) {
        return error_set(cap->emit.err, ERR_unsupported,
                         "batch_norm writes running statistics, which does not count as a version");
    }
    TRY(select_by_index(cap, &twin));
    twin.op = op_info(call->op->twin);
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(&twin, slot);
    GradNode *tape = NULL;
    bool differentiable =
        call->op->order == ORDER_COPY
            ? dtype_is_float(self->tensor.dtype)
            : twin.op->grad || op_is_comparison(twin.op) || op_is_bitwise(twin.op);
    bool recorded_op = differentiable && capture_requires_grad(cap, twin.op, slot, nslot);
    if (recorded_op && cap_check_inplace(cap, self) != ERR_none) {
        write_refused(cap, call);
        return cap->err.code;
    }
    if (unchecked_growth(cap, &twin, &self->tensor) != FAULT_NONE) {
        return rebind_grown(cap, self, &twin, out, nout);
    }
    if (recorded_op) {
        tape = cap_node_new(cap, twin.op->grad ? GRAD_NODE_OP : GRAD_NODE_ZERO, nslot, 1);
        TRY(cap_collect_next_edges(cap, tape, twin.op, slot));
    }
    if (op_is_bitwise(twin.op)) { /* only materializes */
        tape = NULL;
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err, .in_place = true};
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
    if (capture_checkpoint_is_done(cap)) { /* by what the node has saved just now */
        cap_node_set_call(cap, tape, &recorded, NULL);
        return ERR_none;
    }
    const Node *update = updated_before(cap, call);
    Node *node, *value;
    TRY(written_value(cap, &twin, &r.out[0], self->tensor.dtype, &node, &value));
    if (tensor_overlaps_itself(&self->tensor) && capture_writes_part(&twin)) {
        if (!writes_first_row(cap, self, &twin, value)) {
            TRY(capture_write_part(cap, self, &twin));
        }
    } else if (tensor_numel(&self->tensor) > 0) {
        capture_write(cap, alias_class_of(&self->tensor), self->node, value);
        update_again(cap, self, update);
    }
    storage_count_write(self->tensor.storage, !capture_out_uncounted(cap, self));
    out[0] = &self->tensor;
    *nout = 1;
    if (!tape) {
        return ERR_none;
    }
    cap_node_set_value(cap, tape, node, value);
    cap_save_result(cap, tape, &twin, self);
    cap_node_set_call(cap, tape, &recorded, self);
    return cap_rebase_history(cap, self, tape, twin.op);
}
