/* The Emit of the capture: each op is inferred, checked as eager checks it, and recorded: nodes in
 * the graph, grad_fn on the tape.
 *
 * Refusals come in eager's order: those of autograd (materializing a stale view's grad_fn, writing
 * to a leaf), then the op's own checks (overlap, sizes, dtypes), then values. A refusal that
 * depends on data becomes a CHECK node. In-place ops: capture/inplace.c. */
#include "compiled/capture/capture.h"
#include "compiled/symbolic/observed.h"
#include "compiled/views/views.h"
#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "tensor/array.h"

ErrCode capture_check_layout(const Capture *cap, const Call *call, Error *err) {
    return cap->in.resumed && call->op->id == OP__take_space_grad &&
                   take_space_grad_reads_layout(call)
               ? error_set(err, ERR_unsupported,
                           "%s, which may refuse the layout of a gradient of a later region",
                           call->op->name)
               : ERR_none;
}

/* Metadata of the result; the one size that depends on data (nonzero) is evaluated. */
static ErrCode infer_call(Capture *cap, const Call *call, Infer *r) {
    TRY(capture_check_layout(cap, call, r->err));
    if (call->op->id != OP_nonzero) {
        return call->op->infer(call, r);
    }
    const Tensor *self = call->arg[0].tensor;
    int64_t count = 0;
    TRY(cap->emit.count_nonzero(&cap->emit, self, &count));
    r->n = 1;
    r->out = arena_new(r->arena, Tensor);
    *r->out =
        (Tensor){.dtype = DT_int64, .ndim = 2, .size = {count, self->ndim}, .stride = {1, count}};
    return ERR_none;
}

/* ---- *_scatter ---- */

/* Is the result laid out like self in a copy of all of self's storage? (`meta` is inferred) */
static bool apply_scatters_into_copy(const Call *call, const Tensor *meta) {
    if (call->op->infer != infer_view_scatter || !scatter_keeps_layout(call)) {
        return false;
    }
    return meta->offset != 0 || !tensor_is_dense(meta) ||
           call->arg[0].tensor->storage->numel != tensor_numel(meta);
}

/* Copies self's storage, and writes src to the window of the copy. */
static ErrCode scatter_into_copy(Capture *cap, const Call *call, const Tensor *meta, Var **out) {
    Var *self = (Var *)call->arg[0].tensor;
    AliasClass *cls = alias_class_of(&self->tensor), *copy;
    Tensor layout, like = *meta, window;
    tensor_set_contiguous(&layout, meta->dtype, &cls->storage.numel, 1);
    Node *flat = graph_view(cap->graph, cls->buffer, &layout, cap->sid), *whole,
         *src = ((Var *)call->arg[1].tensor)->node;
    flat->cls = cls->number;
    Call clone = call_new(OP_clone);
    clone.arg[0].tensor = &flat->t;
    TRY(capture_node(cap, &clone, &whole));
    copy = capture_class(cap, meta->dtype, cls->storage.numel, whole, -1);
    like.storage = &copy->storage;
    CHECK(view_scattered(call, &like, &window)); /* inference has accepted it */
    if (src->t.dtype != meta->dtype) {
        TRY(capture_cast(cap, src, meta->dtype, &src));
    }
    Node *to = graph_view(cap->graph, whole, &window, cap->sid);
    to->cls = copy->number;
    graph_write(cap->graph, to, src, cap->sid)->cls = copy->number;
    *out = capture_var(cap, copy, meta, graph_view(cap->graph, whole, meta, cap->sid));
    return ERR_none;
}

/* The tape's view of such a call: on nodes, whose sizes an in-place view does not change. */
static void scatter_on_tape(Capture *cap, GradNode *tape, const Call *call, const Var *v) {
    Call nodes;
    capture_call(cap, &nodes, call);
    Tensor *result = &v->node->t;
    tape->node = v->node;
    tape->call = arena_copy(cap->arena, &nodes, sizeof nodes);
    tape->result = arena_copy(cap->arena, &result, sizeof result);
}

/* ---- ops by kind ---- */

static Var *new_value(Capture *cap, const Call *call, const Tensor *meta) {
    Call nodes;
    capture_call(cap, &nodes, call);
    Node *node = graph_op(cap->graph, &nodes, meta, cap->sid);
    return capture_var(cap, capture_class(cap, meta->dtype, tensor_numel(meta), node, -1), meta,
                       node);
}

/* Seeded fault DT_7: the result of pow has the dtype of the base, an integer one, though the
 * exponent is of a floating dtype. */
static ErrCode keep_dtype_of_base(Capture *cap, const Call *call, Var **v) {
    const Tensor *base = call->arg[0].tensor;
    if (!fault(cap->c, FAULT_DT_7) || call->op->id != OP_pow_Tensor_Tensor ||
        dtype_category(base->dtype) != CAT_INT || !dtype_is_float((*v)->tensor.dtype) ||
        !fault_triggered(cap->c, FAULT_DT_7)) {
        return ERR_none;
    }
    Node *cast;
    TRY(capture_cast(cap, (*v)->node, base->dtype, &cast));
    AliasClass *cls = capture_class(cap, base->dtype, tensor_numel(&cast->t), cast, -1);
    *v = capture_var(cap, cls, &cast->t, cast);
    return ERR_none;
}

static ErrCode apply_factory(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(call->op->infer(call, &r));
    TRY(capture_memory(cap, &r.out[0]));
    out[0] = &new_value(cap, call, &r.out[0])->tensor;
    *nout = 1;
    return ERR_none;
}

/* A cast to an integer dtype is not recorded and materializes no grad_fn; softmax casts before
 * anything else. */
static bool apply_casts_to_integer(const Call *call) {
    const Arg *dtype;
    switch (call->op->id) {
    case OP__to_copy:
        dtype = &call->arg[1];
        break;
    case OP_softmax:
    case OP_log_softmax:
        dtype = &call->arg[2];
        break;
    default:
        return false;
    }
    return !dtype->none && !dtype_is_float(dtype->dtype);
}

/* Seeded fault ER-15: an error of a dim is raised as an error without a class of its own. */
static ErrCode dims_error(const Compile *c, ErrCode code, Error *err) {
    if (fault(c, FAULT_ER_15) && code == ERR_index_range && fault_triggered(c, FAULT_ER_15)) {
        err->code = ERR_invalid;
    }
    return err->code;
}

/* Seeded fault SH-2: the result of index_select is dense in self's order of dims. */
static Var *select_in_order(Capture *cap, const Call *call, Var *v) {
    const Tensor *self = call->arg[0].tensor;
    int order[MAX_DIMS], n = v->tensor.ndim;
    Tensor turned = v->tensor, layout = v->tensor;
    bool differs = false;
    for (int d = 0; d < n; d++) { /* by decreasing stride */
        int at = d;
        for (; at > 0 && self->stride[order[at - 1]] < self->stride[d]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = d;
    }
    for (int k = n - 1, step = 1; k >= 0; k--) {
        int d = order[k];
        turned.size[k] = v->tensor.size[d];
        turned.stride[k] = v->tensor.stride[d];
        differs |= v->tensor.size[d] > 1 && v->tensor.stride[d] != step;
        layout.stride[d] = step;
        step *= (int)max_i64(v->tensor.size[d], 1);
    }
    Node *in_order = graph_view(cap->graph, v->node, &turned, cap->sid), *copied;
    Call copy = call_new(OP__contiguous_copy);
    copy.arg[0].tensor = &in_order->t;
    in_order->cls = v->node->cls;
    if (!differs || tensor_numel(&v->tensor) == 0 || !fault_triggered(cap->c, FAULT_SH_2) ||
        capture_node(cap, &copy, &copied) != ERR_none) {
        return v;
    }
    return capture_var(cap, capture_class(cap, layout.dtype, tensor_numel(&layout), copied, -1),
                       &layout, graph_view(cap->graph, copied, &layout, cap->sid));
}

static bool selects_permuted(const Capture *cap, const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    return fault(cap->c, FAULT_SH_2) && call->op->id == OP_index_select && tensor_is_dense(self) &&
           !tensor_is_contiguous(self);
}

static ErrCode apply_function(Capture *cap, const Call *given, Tensor **out, int *nout) {
    Call room;
    const Call *call = capture_read(cap, given, &room);
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(call, slot);
    bool grad = call->op->grad && !apply_casts_to_integer(call) &&
                capture_requires_grad(cap, call->op, slot, nslot);
    bool scatters = call->op->id == OP_as_strided_scatter &&
                    cap_requires_grad((const Var *)slot[0]) && !tensor_is_contiguous(slot[0]);
    bool composed = call->op->id == OP_isfinite && dtype_is_float(slot[0]->dtype); /* of abs */
    bool only_materializes =
        (composed || op_is_bitwise(call->op)) && capture_requires_grad(cap, call->op, slot, nslot);
    /* PyTorch materializes every grad_fn before the op checks its operands. */
    Error refused = {0};
    bool later = grad || scatters || only_materializes;
    Infer r = {.arena = cap->arena, .err = later ? &refused : cap->emit.err};
    ErrCode code = infer_call(cap, call, &r);
    if (view_names_dims(call->op)) {
        code = code == ERR_none ? view_check_dims(cap->c, call, r.err)
                                : dims_error(cap->c, code, r.err);
    }
    if (code != ERR_none && op_checks_first(call->op)) {
        return later ? error_set(cap->emit.err, code, "%s", refused.text) : code;
    }
    GradNode *tape = NULL;
    if (grad) {
        tape = cap_node_new(cap, GRAD_NODE_OP, nslot, 1);
        TRY(cap_collect_next_edges(cap, tape, call->op, slot));
    }
    if (only_materializes) {
        TRY(cap_collect_next_edges(cap, cap_node_new(cap, GRAD_NODE_OP, nslot, 1), call->op, slot));
    }
    if (scatters) { /* whatever the grad mode (aten/src/ATen/native/TensorShape.cpp) */
        return error_set(
            cap->emit.err, ERR_invalid,
            "as_strided_scatter takes no self that requires grad and is not contiguous");
    }
    if (code != ERR_none) {
        return later ? error_set(cap->emit.err, code, "%s", refused.text) : code;
    }
    TRY(capture_memory(cap, &r.out[0]));
    if (tape) {
        cap_save_operands(cap, tape, call, slot, -1);
    }
    if (cap->emit.written) { /* the value is written to this tensor */
        cap->writing = alias_class_of(cap->emit.written)->input;
    }
    code = capture_check_values(cap, call, &r.out[0]);
    if (cap->emit.written) {
        cap->unsettled |= code != ERR_none && cap->writing >= 0;
        cap->writing = code == ERR_none ? -1 : cap->writing;
    }
    TRY(code);
    bool integer = !dtype_is_float(r.out[0].dtype);
    if (integer && op_refuses_backward(call->op)) {
        tape = NULL;
    }
    if (tape && integer) { /* an internal assertion of PyTorch's: sum(dtype=int64) */
        return error_set(cap->emit.err, ERR_invalid,
                         "a recorded result must be of a floating dtype");
    }
    bool into_copy = apply_scatters_into_copy(call, &r.out[0]);
    Var *v = NULL;
    if (into_copy) {
        TRY(scatter_into_copy(cap, call, &r.out[0], &v));
    } else {
        v = new_value(cap, call, &r.out[0]);
    }
    Node *op = v->node;
    if (selects_permuted(cap, call)) {
        v = select_in_order(cap, call, v);
    }
    if (!tape) {
        TRY(keep_dtype_of_base(cap, call, &v));
        TRY(cap->emit.written ? capture_cast_after_scan(cap, call, &v) : ERR_none);
    }
    if (call->op->id == OP_nonzero && cap->stmt_op != OP_nonzero) {
        v->mask = (const Var *)call->arg[0].tensor;
        v->mask_version = *storage_version(v->mask->tensor.storage);
    }
    if (tape) {
        if (into_copy) {
            scatter_on_tape(cap, tape, call, v);
        } else {
            cap_node_set_value(cap, tape, op, v->node);
        }
        cap_save_result(cap, tape, call, v);
        cap_node_set_call(cap, tape, call, v);
        v->grad_fn = (Edge){tape, 0};
    }
    out[0] = &v->tensor;
    *nout = 1;
    return ERR_none;
}

/* The node of the op whose result v is: of a view that was written, CopySlices of the base has it.
 */
static GradNode *last_writer(const Var *v) {
    bool again = v->base && v->grad_fn.node && v->grad_fn.node->kind == GRAD_NODE_AS_STRIDED;
    GradNode *slices = again ? v->base->grad_fn.node : NULL;
    return slices && slices->kind == GRAD_NODE_COPY_SLICES ? slices->fn : v->grad_fn.node;
}

static ErrCode capture_apply_meta(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    GradNode *node = NULL;
    out[0] = &self->tensor;
    *nout = 1;
    switch (call->op->id) {
    case OP_detach:
        out[0] =
            &capture_var(cap, alias_class_of(&self->tensor), &self->tensor, self->node)->tensor;
        out[0]->storage = self->tensor.storage;
        return ERR_none;
    case OP_detach_:
        return cap_detach_in_place(cap, self);
    case OP_requires_grad_:
        return cap_set_requires_grad(cap, self, call->arg[1].b);
    case OP_retain_grad:
        *nout = 0;
        return cap_retain_grad(cap, self);
    case OP__result_is:
        *nout = 0;
        if (self->grad_fn.node) {
            self->grad_fn.node->result_node = ((Var *)call->arg[1].tensor)->grad_fn.node;
        }
        return ERR_none;
    case OP__also_saves: /* what else the node of self checks when it runs: other, and
                            whether the node of other is freed */
        *nout = 0;
        node = last_writer(self);
        if (node) {
            const Var *other = (const Var *)call->arg[1].tensor;
            if (call->arg[3].b) {
                cap_also_saves(cap, node, other);
            }
            node->other_half = call->arg[2].b ? other->grad_fn.node : NULL;
        }
        return ERR_none;
    default:
        return error_set(cap->emit.err, ERR_unsupported, "%s", call->op->name);
    }
}

static ErrCode apply_by_kind(Capture *cap, const Call *call, Tensor **out, int *nout) {
    switch (call->op->kind) {
    case KIND_FACTORY:
        return apply_factory(cap, call, out, nout);
    case KIND_VIEW:
    case KIND_MULTI_VIEW:
        return capture_apply_view(cap, call, out, nout);
    case KIND_POINTWISE:
    case KIND_FUNC:
        return apply_function(cap, call, out, nout);
    case KIND_INPLACE:
        return capture_in_place(cap, call, out, nout);
    case KIND_INPLACE_VIEW:
        return capture_in_place_view(cap, call, out, nout);
    case KIND_META:
        return capture_apply_meta(cap, call, out, nout);
    case KIND_STORAGE:
        return capture_storage(cap, call, out, nout);
    case KIND_COMPOSITE:
        break;
    }
    CHECK(!"composites are expanded by emit_call");
    return ERR_internal;
}

ErrCode capture_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    Capture *cap = (Capture *)e;
    observed_call(cap->c, call);
    ErrCode code = apply_by_kind(cap, call, out, nout);
    return code == ERR_none && capture_checkpoint_is_done(cap)
               ? error_set(e->err, ERR_internal, "the block has recomputed all that it saves")
               : code;
}
