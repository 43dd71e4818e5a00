/* The Emit of the capture: each op is inferred, judged as eager would judge it, and recorded: nodes in the graph, history on the
 * tape.
 *
 * Refusals come in eager's order: what histories refuse (asking a stale view, writing to a leaf), then the op's own checks
 * (overlap, sizes, dtypes), then values. A refusal that depends on data becomes a CHECK node. An in-place op is its twin's value,
 * cast to self's dtype, and a WRITE. */
#include "compiled/capture.h"
#include "compiled/symbol_facts.h"
#include "program/op_functions.h"

#include <string.h>

Class *capture_class(Capture *cap, DType dtype, int64_t numel, Node *buffer, int input) {
    if (cap->ncls == cap->cls_capacity) {
        int capacity = cap->cls_capacity ? cap->cls_capacity * 2 : 32;
        Class **grown = arena_array(cap->arena, Class *, capacity);
        for (int i = 0; i < cap->ncls; i++) {
            grown[i] = cap->cls[i];
        }
        cap->cls = grown;
        cap->cls_capacity = capacity;
    }
    Class *cls = arena_new(cap->arena, Class);
    cls->storage.dtype = dtype;
    cls->storage.numel = numel;
    cls->storage.id = cls->number = cap->ncls;
    cls->input = input;
    cls->buffer = buffer;
    buffer->cls = cls->number;
    cap->cls[cap->ncls++] = cls;
    return cls;
}

Var *capture_var(Capture *cap, Class *cls, const Tensor *layout, Node *node) {
    Var *v = arena_alloc_raw(cap->arena, (int64_t)sizeof *v);
    var_clear(v);
    layout_copy(&v->t, layout);
    v->t.storage = &cls->storage;
    v->node = node;
    node->cls = cls->number;
    v->input = -1;
    return v;
}

/* ---- calls ---- */

void capture_call(const Capture *cap, Call *out, const Call *call) {
    call_copy(out, call);
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &out->arg[p];
        switch (call->op->param[p].type) {
        case ARG_TENSOR:
        case ARG_TENSOR_OPT:
            if (!arg->none && arg->tensor) {
                arg->tensor = &((Var *)arg->tensor)->node->t;
            }
            break;
        case ARG_TENSORS:
        case ARG_TENSORS_OPT:
            if (!arg->none) {
                Tensor **v = arena_array(cap->arena, Tensor *, arg->tensors.n);
                for (int i = 0; i < arg->tensors.n; i++) {
                    Tensor *t = call->arg[p].tensors.v[i];
                    v[i] = t ? &((Var *)t)->node->t : NULL;
                }
                arg->tensors.v = v;
            }
            break;
        default:
            break;
        }
    }
}

/* Counts a buffer against the limits. */
static ErrCode take_memory(Capture *cap, const Tensor *t) {
    const Limits *limits = &cap->c->limits;
    int64_t numel, bytes;
    if (!sizes_numel(t->size, t->ndim, &numel) || numel > limits->max_elements) {
        return error_set(cap->emit.err, ERR_limit, "a tensor passes the limit of %lld elements", (long long)limits->max_elements);
    }
    bytes = numel * dtype_bytes(t->dtype);
    if (bytes > limits->max_bytes - cap->bytes) {
        return error_set(cap->emit.err, ERR_limit, "more than %lld bytes are live", (long long)limits->max_bytes);
    }
    cap->bytes += bytes;
    return ERR_none;
}

ErrCode capture_node(Capture *cap, const Call *call, Node **out) {
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(call->op->infer(call, &r));
    TRY(take_memory(cap, &r.out[0]));
    *out = graph_op(cap->graph, call, &r.out[0], cap->sid);
    return ERR_none;
}

ErrCode capture_cast(Capture *cap, Node *value, DType dtype, Node **out) {
    Call cast = call_new(OP__to_copy);
    cast.arg[0].tensor = &value->t;
    cast.arg[1].none = false;
    cast.arg[1].dtype = dtype;
    return capture_node(cap, &cast, out);
}

/* What the value of the call looks like; the one size that depends on data is asked for. */
static ErrCode infer_call(Capture *cap, const Call *call, Infer *r) {
    if (call->op->id != OP_nonzero) {
        return call->op->infer(call, r);
    }
    const Tensor *self = call->arg[0].tensor;
    int64_t count = 0;
    TRY(cap->emit.count_nonzero(&cap->emit, self, &count));
    r->n = 1;
    r->out = arena_new(r->arena, Tensor);
    *r->out = (Tensor){.dtype = DT_int64, .ndim = 2, .size = {count, self->ndim}, .stride = {1, count}};
    return ERR_none;
}

/* ---- ops by kind ---- */

static Var *new_value(Capture *cap, const Call *call, const Tensor *meta) {
    Call nodes;
    capture_call(cap, &nodes, call);
    Node *node = graph_op(cap->graph, &nodes, meta, cap->sid);
    return capture_var(cap, capture_class(cap, meta->dtype, tensor_numel(meta), node, -1), meta, node);
}

static bool any_requires_grad(const Capture *cap, Tensor *const *slot, int n) {
    if (!cap->grad_mode) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (slot[i] && cap_requires_grad((const Var *)slot[i])) {
            return true;
        }
    }
    return false;
}

static void tape_result(Capture *cap, TapeNode *tape, Node *node, Node *value) {
    Tensor *out = &value->t;
    tape->node = node;
    tape->out = arena_copy(cap->arena, &out, sizeof out);
}

/* What a gradient inside the program finds on the node: the call on tensors, and the result. */
static void tape_tensors(Capture *cap, TapeNode *tape, const Call *call, Var *result) {
    bool need[MAX_SLOTS];
    if (!cap->takes_gradients) {
        return;
    }
    for (int i = 0; i < tape->nslot; i++) {
        need[i] = tape->next[i].to != NULL;
    }
    tape->tensors = arena_copy(cap->arena, call, (int64_t)sizeof *call);
    for (int p = 0; p < call->op->nparam; p++) {
        Arg *arg = &tape->tensors->arg[p];
        ArgType type = call->op->param[p].type;
        if ((type == ARG_TENSORS || type == ARG_TENSORS_OPT) && !arg->none) {
            arg->tensors.v = arena_copy(cap->arena, arg->tensors.v, (int64_t)sizeof(Tensor *) * arg->tensors.n);
        }
    }
    tape->result = result && op_saves_result(call, need) ? result : NULL;
}

/* The self slot of an in-place op, if its derivative reads it: what it held, and how it came to hold it. */
static ErrCode clone_self(Capture *cap, TapeNode *tape, Call *twin) {
    bool need[MAX_SLOTS];
    for (int i = 0; i < tape->nslot; i++) {
        need[i] = tape->next[i].to != NULL;
    }
    if (!call_saves_slot(twin, 0, need)) {
        return ERR_none;
    }
    if (need[0] && !dtype_is_float(twin->arg[0].tensor->dtype)) { /* an integer with a history: its clone would be recorded */
        return error_set(cap->emit.err, ERR_invalid, "a recorded result must be of a floating dtype");
    }
    if (cap->takes_gradients) {
        tape->saves_clone = true;
        twin->arg[0].tensor = emit_unary(&cap->emit, OP_clone, twin->arg[0].tensor);
    }
    return cap->emit.err->code;
}

static ErrCode apply_factory(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(call->op->infer(call, &r));
    TRY(take_memory(cap, &r.out[0]));
    out[0] = &new_value(cap, call, &r.out[0])->t;
    *nout = 1;
    return ERR_none;
}

/* A cast to integers has no history and asks for none; softmax casts before anything else. */
static bool casts_to_integer(const Call *call) {
    const Arg *dtype;
    switch (call->op->id) {
    case OP__to_copy: dtype = &call->arg[1]; break;
    case OP_softmax:
    case OP_log_softmax: dtype = &call->arg[2]; break;
    default: return false;
    }
    return !dtype->none && !dtype_is_float(dtype->dtype);
}

static ErrCode apply_function(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(call, slot);
    bool grad = call->op->grad && !casts_to_integer(call) && any_requires_grad(cap, slot, nslot);
    bool scatters = call->op->id == OP_as_strided_scatter && cap_requires_grad((const Var *)slot[0]) && !tensor_is_contiguous(slot[0]);
    /* Histories are asked before the op looks at its operands. */
    Error refused = {0};
    Infer r = {.arena = cap->arena, .err = grad ? &refused : cap->emit.err};
    ErrCode code = infer_call(cap, call, &r);
    TapeNode *tape = NULL;
    if (grad) {
        tape = tape_new(cap, TAPE_OP, nslot, 1);
        TRY(tape_connect(cap, tape, slot));
    }
    if (call->op->id == OP_isfinite && dtype_is_float(slot[0]->dtype) && any_requires_grad(cap, slot, nslot)) { /* made of abs */
        TRY(tape_connect(cap, tape_new(cap, TAPE_OP, nslot, 1), slot));
    }
    if (scatters) { /* whatever the grad mode (aten/src/ATen/native/TensorShape.cpp) */
        return error_set(cap->emit.err, ERR_invalid, "as_strided_scatter takes no self that requires grad and is not contiguous");
    }
    if (code != ERR_none) {
        return grad ? error_set(cap->emit.err, code, "%s", refused.text) : code;
    }
    TRY(take_memory(cap, &r.out[0]));
    if (tape) {
        tape_save(cap, tape, call, slot, -1);
    }
    TRY(capture_check_values(cap, call, &r.out[0]));
    if (tape && !dtype_is_float(r.out[0].dtype)) { /* sum(dtype=int64) of what requires grad: an internal assertion of PyTorch's */
        return error_set(cap->emit.err, ERR_invalid, "a recorded result must be of a floating dtype");
    }
    Var *v = new_value(cap, call, &r.out[0]);
    if (call->op->id == OP_nonzero && cap->stmt_op != OP_nonzero) {
        v->mask = (const Var *)call->arg[0].tensor;
        v->mask_version = v->mask->t.storage->version;
    }
    if (tape) {
        tape_result(cap, tape, v->node, v->node);
        tape_save_result(cap, tape, call, v);
        tape_tensors(cap, tape, call, v);
        v->history = (Edge){tape, 0};
    }
    out[0] = &v->t;
    *nout = 1;
    return ERR_none;
}

static ErrCode apply_meta(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    out[0] = &self->t;
    *nout = 1;
    switch (call->op->id) {
    case OP_detach:
        out[0] = &capture_var(cap, class_of(&self->t), &self->t, self->node)->t;
        return ERR_none;
    case OP_detach_:
        return cap_detach_in_place(cap, self);
    case OP_requires_grad_:
        return cap_set_requires_grad(cap, self, call->arg[1].b);
    case OP_retain_grad:
        *nout = 0;
        return cap_retain_grad(cap, self);
    default:
        return error_set(cap->emit.err, ERR_unsupported, "%s", call->op->name);
    }
}

/* ---- in-place ops ---- */

static bool bitwise(const OpInfo *op) { return op->kind == KIND_POINTWISE && (op->typing == typing_bitwise || op->typing == typing_shift); }
static bool compares(const OpInfo *op) { return op->kind == KIND_POINTWISE && op->pw >= PW_eq && op->pw <= PW_ge; }

static ErrCode refuse_overlap(Capture *cap, const Tensor *self, Tensor *const *slot, int nslot, bool itself, bool full) {
    if (itself && tensor_internal_overlap(self) == OVERLAP_YES) {
        return error_set(cap->emit.err, ERR_overlap,
                         "more than one element of the written-to tensor refers to a single memory location");
    }
    for (int i = 1; i < nslot; i++) {
        if (slot[i]) {
            Overlap status = tensor_overlap_status(self, slot[i]);
            if (status == OVERLAP_PARTIAL || (full && status == OVERLAP_FULL)) {
                return error_set(cap->emit.err, ERR_overlap,
                                 "some elements of the input and the written-to tensor refer to one memory location");
            }
        }
    }
    return ERR_none;
}

/* The masks behind the coordinates that index self may not share its memory either. */
static ErrCode refuse_masks(Capture *cap, const Call *index_put) {
    Tensor *pair[2] = {index_put->arg[0].tensor, NULL};
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        const Var *index = (const Var *)index_put->arg[1].tensors.v[k];
        const Var *root = index && index->base ? index->base : index;
        if (root && root->mask) {
            pair[1] = (Tensor *)&root->mask->t; /* itself: an empty tensor overlaps the same one, and no other */
            TRY(refuse_overlap(cap, pair[0], pair, 2, false, true));
        }
    }
    return ERR_none;
}

static ErrCode refuse_resize(Capture *cap, const Tensor *self, const int64_t *size, int ndim) {
    return sizes_equal(self->size, self->ndim, size, ndim)
               ? ERR_none
               : error_set(cap->emit.err, ERR_shape, "the written-to tensor's size does not match the broadcast shape");
}

static ErrCode refuse_cast(Capture *cap, DType from, DType to) {
    return dtype_can_cast(from, to)
               ? ERR_none
               : error_set(cap->emit.err, ERR_dtype, "result type %s can't be cast to the desired output type %s", dtype_name(from),
                           dtype_name(to));
}

static ErrCode judge_pointwise(Capture *cap, const Call *call, const OpInfo *op, Tensor *const *slot, int nslot, Infer *r) {
    const Tensor *self = slot[0];
    if (op->types_first) {
        DType compute, result;
        TRY(call->op->typing(call, &compute, &result, cap->emit.err));
        if (op->casts_first) {
            TRY(refuse_cast(cap, result, self->dtype));
        }
    }
    TRY(pointwise_refused_first(call, cap->emit.err));
    /* masked_fill_: only the mask may not partly overlap; the value is read before, as a number */
    if (call->op->id == OP_masked_fill_Tensor && slot[2]->ndim > 0) {
        return error_set(cap->emit.err, ERR_invalid, "masked_fill_ only supports a 0-dimensional value tensor");
    }
    TRY(refuse_overlap(cap, self, slot, call->op->pw == PW_masked_fill ? 2 : nslot, op->checks_overlap, false));
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

/* addr_ takes self as it is; whether its scalars fit comes after overlap and dtypes. */
static ErrCode judge_addr(Capture *cap, const Call *call, Tensor *const *slot, int nslot) {
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
    return refuse_cast(cap, addr_dtype(self, slot[1], slot[2]), self->dtype);
}

/* addmv_ and baddbmm_: self has the result's size and dtype from the start; that it overlaps itself is not seen. */
static ErrCode judge_kept(Capture *cap, const Call *call, Tensor *const *slot) {
    Call sizes = *call;
    Tensor *any = arena_array(cap->arena, Tensor, 3);
    for (int k = 0; k < 3; k++) {
        any[k] = *slot[k];
        any[k].dtype = DT_float64;
        sizes.arg[k].tensor = &any[k];
    }
    sizes.arg[3].scalar = sizes.arg[4].scalar = scalar_int(0);
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(sizes.op->infer(&sizes, &r));
    bool fits = tensor_same_size(&r.out[0], slot[0]) && slot[0]->dtype == slot[2]->dtype;
    return fits ? ERR_none : error_set(cap->emit.err, ERR_invalid, "Bad in-place call: input tensor and output tensor should match");
}

/* The twin `call` as an op on self: refuses what eager refuses, and infers the value. */
static ErrCode judge_write(Capture *cap, const Call *call, const OpInfo *op, Tensor *const *slot, int nslot, Infer *r) {
    const Tensor *self = slot[0];
    switch (call->op->id) {
    case OP_copy: /* of itself: nothing to do, but a write all the same */
        if (slot[1] != self) {
            TRY(refuse_overlap(cap, self, slot, nslot, true, false));
        }
        TRY(call->op->infer(call, r));
        break;
    case OP_nan_to_num: /* of integers: a copy_ of itself */
        if (dtype_is_float(self->dtype)) {
            TRY(judge_pointwise(cap, call, op, slot, nslot, r));
        } else {
            TRY(call->op->infer(call, r));
        }
        break;
    case OP__index_put:
        TRY(refuse_overlap(cap, self, slot, nslot, false, true));
        TRY(refuse_masks(cap, call));
        TRY(call->op->infer(call, r));
        break;
    case OP_index_fill_int_Scalar:
    case OP_index_fill_int_Tensor: /* the value is read before, as a number */
        if (slot[1]->dtype == DT_int64 && (nslot == 2 || slot[2]->ndim == 0)) {
            TRY(refuse_overlap(cap, self, slot, 2, false, true));
        }
        TRY(call->op->infer(call, r));
        break;
    case OP_index_copy: {
        int dim;
        TRY(dim_wrap(call->arg[1].i, self->ndim, &dim, cap->emit.err));
        TRY(refuse_overlap(cap, self, slot, nslot, true, true));
        TRY(call->op->infer(call, r));
        break;
    }
    case OP_masked_scatter:
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
        TRY(masked_scatter_in_place_check(call, cap->emit.err));
        TRY(call->op->infer(call, r));
        break;
    case OP_addmv:
    case OP_baddbmm:
        TRY(judge_kept(cap, call, slot));
        TRY(call->op->infer(call, r));
        break;
    case OP_addmm:
    case OP_addbmm:
        TRY(sum_in_place_check(call, cap->emit.err));
        TRY(call->op->infer(call, r));
        TRY(refuse_resize(cap, self, r->out[0].size, r->out[0].ndim));
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
        break;
    case OP_addr:
        TRY(judge_addr(cap, call, slot, nslot));
        TRY(call->op->infer(call, r));
        break;
    case OP_cumsum:
    case OP_cumprod: {
        const Arg *dtype = &call->arg[2];
        TRY(call->op->infer(call, r));
        if (!dtype->none && dtype->dtype != self->dtype) {
            return error_set(cap->emit.err, ERR_invalid, "bad in-place call: input and output dtype should match");
        }
        if (self->dtype == DT_bool && self->ndim > 0 && tensor_numel(self) > 0) {
            return error_set(cap->emit.err, ERR_dtype, "%s_ is not implemented for bool", call->op->name);
        }
        TRY(refuse_overlap(cap, self, slot, nslot, true, false));
        return ERR_none; /* sums of narrow integers are cast back */
    }
    default:
        if (call->op->kind == KIND_POINTWISE) {
            TRY(judge_pointwise(cap, call, op, slot, nslot, r));
        } else {
            TRY(call->op->infer(call, r));
            TRY(refuse_overlap(cap, self, slot, op->checks_overlap ? nslot : 0, op->checks_overlap, true));
        }
    }
    TRY(refuse_resize(cap, self, r->out[0].size, r->out[0].ndim));
    TRY(refuse_cast(cap, r->out[0].dtype, self->dtype));
    if (op->writes_uncast && r->out[0].dtype != self->dtype) {
        return error_set(cap->emit.err, ERR_invalid, "%s cannot write a narrower dtype than it computes in", op->name);
    }
    if ((call->op->id == OP_tril || call->op->id == OP_triu) && triangle_copies(self)) {
        TRY(refuse_overlap(cap, self, slot, 1, true, false));
    }
    return ERR_none;
}

/* The twin's value in self's dtype: what is written. */
static ErrCode written_value(Capture *cap, const Call *twin, const Tensor *meta, DType dtype, Node **op, Node **value) {
    Call nodes;
    capture_call(cap, &nodes, twin);
    *op = *value = graph_op(cap->graph, &nodes, meta, cap->sid);
    return meta->dtype == dtype ? ERR_none : capture_cast(cap, *op, dtype, value);
}

static ErrCode apply_in_place(Capture *cap, const Call *call, Tensor **out, int *nout) {
    Var *self = (Var *)call->arg[0].tensor;
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    Tensor *slot[MAX_SLOTS];
    int nslot = call_slots(&twin, slot);
    TapeNode *tape = NULL;
    bool differentiable = twin.op->id == OP_copy ? dtype_is_float(self->t.dtype) : twin.op->grad || compares(twin.op) || bitwise(twin.op);
    if (differentiable && any_requires_grad(cap, slot, nslot)) {
        TRY(cap_check_write(cap, self));
        tape = tape_new(cap, twin.op->grad ? TAPE_OP : TAPE_ZERO, nslot, 1);
        TRY(tape_connect(cap, tape, slot));
    }
    Infer r = {.arena = cap->arena, .err = cap->emit.err};
    TRY(judge_write(cap, &twin, call->op, slot, nslot, &r));
    TRY(take_memory(cap, &r.out[0]));
    Call recorded = twin;
    if (tape) { /* before any value is looked at */
        TRY(clone_self(cap, tape, &recorded));
    }
    cap->writing = class_of(&self->t)->input;
    ErrCode code = capture_check_values(cap, &twin, &r.out[0]);
    if (code != ERR_none) {
        cap->unsettled = cap->writing >= 0;
        return code;
    }
    cap->writing = -1;
    if (tape) {
        tape_save(cap, tape, &twin, slot, 0);
    }
    Node *node, *value;
    TRY(written_value(cap, &twin, &r.out[0], self->t.dtype, &node, &value));
    if (tensor_overlaps_itself(&self->t) && capture_writes_part(&twin)) {
        TRY(capture_write_part(cap, self, &twin));
    } else if (tensor_numel(&self->t) > 0) {
        graph_write(cap->graph, self->node, value, cap->sid)->cls = self->node->cls;
    }
    self->t.storage->version++;
    out[0] = &self->t;
    *nout = 1;
    if (!tape) {
        return ERR_none;
    }
    tape_result(cap, tape, node, value);
    tape_save_result(cap, tape, &twin, self);
    tape_tensors(cap, tape, &recorded, self);
    return cap_rebase(cap, self, tape);
}

ErrCode capture_apply(Emit *e, const Call *call, Tensor **out, int *nout) {
    Capture *cap = (Capture *)e;
    facts_call(cap->c, call);
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
        return apply_in_place(cap, call, out, nout);
    case KIND_INPLACE_VIEW:
        return capture_in_place_view(cap, call, out, nout);
    case KIND_META:
        return apply_meta(cap, call, out, nout);
    case KIND_COMPOSITE:
        break;
    }
    CHECK(!"composites are expanded by emit_call");
    return ERR_internal;
}
