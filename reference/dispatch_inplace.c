/* In-place ops, and the refusals before a write:
 *
 *   check_inplace (if the write is recorded) -> begin the node -> the op's own checks ->
 *   the functional form (the twin) into a temporary -> copy into self -> version + 1 ->
 *   rebase the history
 *
 * docs/reference/semantics.md, "In-place ops", has the order of the checks, and the op's row says
 * which of them it makes (ORDER_.. of program/ops/hints.h), as in ATen. A write that PyTorch does
 * not refuse but whose result depends on the order of its loop is noted as undefined. */
#include "reference/dispatch.h"

#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "program/semantics/semantics.h"
#include "reference/shadow.h"

#include <string.h>

/* ---- refusals ---- */

static ErrCode refuse_internal(Session *s, const Tensor *self) {
    return tensor_internal_overlap(self) == OVERLAP_YES
               ? error_set(s->err, ERR_overlap,
                           "more than one element of the written-to tensor refers to a single "
                           "memory location")
               : ERR_none;
}

/* assert_no_partial_overlap, or with `full` assert_no_overlap, between self and one operand. */
static ErrCode refuse_operand(Session *s, const Tensor *self, const Tensor *operand, bool full) {
    Overlap status = tensor_overlap_status(self, operand);
    return status == OVERLAP_PARTIAL || (full && status == OVERLAP_FULL)
               ? error_set(s->err, ERR_overlap,
                           "some elements of the input tensor and the written-to tensor refer to a "
                           "single memory location")
               : ERR_none;
}

static ErrCode refuse_operands(Session *s, const Slots *slots, bool full) {
    for (int i = 1; i < slots->n; i++) {
        if (slots->v[i]) {
            TRY(refuse_operand(s, slots->v[0], slots->v[i], full));
        }
    }
    return ERR_none;
}

/* What index k is a part of: the coordinates of a mask, or the index. */
static const Var *index_root(const Call *index_put, int k) {
    Tensor *t = index_put->arg[1].tensors.v[k];
    Var *index = t ? var_of(t) : NULL;
    return index && index->base ? index->base : index;
}

/* The masks behind the coordinates that index self may not share its memory; a single value under
 * one mask is written by masked_fill_, whose mask may be self. */
static ErrCode dispatch_inplace_refuse_masks(Session *s, const Call *index_put) {
    const Var *only = NULL;
    bool fills = !index_put->arg[3].b && tensor_numel(index_put->arg[2].tensor) == 1;
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        const Var *root = index_root(index_put, k);
        fills &= !root || !only || root == only;
        only = root ? root : only;
    }
    for (int k = 0; k < index_put->arg[1].tensors.n; k++) {
        const Var *root = index_root(index_put, k);
        if (root && root->mask) {
            TRY(refuse_operand(s, index_put->arg[0].tensor, &root->mask->tensor, !fills));
        }
    }
    return ERR_none;
}

static ErrCode dispatch_inplace_refuse_cast(Session *s, DType from, DType to) {
    return dtype_can_cast(from, to)
               ? ERR_none
               : error_set(s->err, ERR_dtype,
                           "result type %s can't be cast to the desired output type %s",
                           dtype_name(from), dtype_name(to));
}

/* cumsum_ works in self's dtype, whatever that is but bool, and takes no other. */
static ErrCode refuse_dtype(Session *s, const Call *twin) {
    const Tensor *self = twin->arg[0].tensor;
    const Arg *dtype = &twin->arg[2];
    if (!dtype->none && dtype->dtype != self->dtype) {
        return error_set(s->err, ERR_invalid, "bad in-place call: dtypes should match");
    }
    bool refused = self->dtype == DT_bool && self->ndim > 0 && tensor_numel(self) > 0;
    return refused ? error_set(s->err, ERR_dtype, "cumsum_ is not implemented for bool") : ERR_none;
}

/* Self is never broadcast to a larger size. */
static ErrCode refuse_larger(Session *s, const Slots *slots) {
    const Tensor *self = slots->v[0];
    int64_t size[MAX_DIMS];
    int ndim = self->ndim;
    memcpy(size, self->size, sizeof size);
    for (int i = 1; i < slots->n; i++) {
        const Tensor *t = slots->v[i];
        if (t) {
            TRY(broadcast_into(size, &ndim, t->size, t->ndim, s->err));
        }
    }
    return sizes_equal(size, ndim, self->size, self->ndim)
               ? ERR_none
               : error_set(s->err, ERR_shape,
                           "output with shape of self doesn't match the broadcast shape");
}

/* masked_fill_ checks the value's dims, then the mask's memory and size, then its dtype; since 2.x
 * its dtype first. */
static ErrCode dispatch_inplace_check_mask(Session *s, const Call *twin, const Slots *slots) {
    const Arg *value = &twin->arg[2];
    if (twin->op->param[2].type == ARG_TENSOR && value->tensor->ndim > 0) {
        return error_set(s->err, ERR_invalid,
                         "masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
                         "with %d dimension(s)",
                         value->tensor->ndim);
    }
    if (since(mask_bytes) && twin->arg[1].tensor->dtype != DT_bool) {
        return error_set(s->err, ERR_dtype, "masked_fill_ only supports boolean masks");
    }
    TRY(refuse_operand(s, twin->arg[0].tensor, twin->arg[1].tensor, false));
    return refuse_larger(s, slots);
}

/* index_fill_ checks the value's dims and the index's dtype before memory. */
static ErrCode check_index_fill(Session *s, const Call *twin) {
    if (twin->arg[2].tensor->dtype != DT_int64 ||
        (twin->op->param[3].type == ARG_TENSOR && twin->arg[3].tensor->ndim > 0)) {
        return ERR_none; /* inference refuses it */
    }
    return refuse_operand(s, twin->arg[0].tensor, twin->arg[2].tensor, true);
}

/* index_copy_ checks the dim only before memory. */
static ErrCode check_index_copy(Session *s, const Call *twin, const Slots *slots) {
    const Tensor *self = twin->arg[0].tensor;
    int dim;
    TRY(dim_wrap(twin->arg[1].i, self->ndim, &dim, s->err));
    TRY(refuse_internal(s, self));
    return refuse_operands(s, slots, true);
}

/* addr_ never expands self, and checks its scalars last. */
static ErrCode dispatch_inplace_check_outer(Session *s, const Call *twin, const Slots *slots) {
    const Tensor *self = twin->arg[0].tensor, *a = twin->arg[1].tensor, *b = twin->arg[2].tensor;
    if (a->ndim != 1 || b->ndim != 1) {
        return ERR_none; /* inference refuses it */
    }
    if (self->ndim != 2) {
        return error_set(s->err, ERR_invalid, "2D tensor expected, got %dD tensor for input",
                         self->ndim);
    }
    if (self->size[0] != a->size[0] || self->size[1] != b->size[0]) {
        return error_set(s->err, ERR_shape, "size mismatch, input: self, v1: vec1, v2: vec2");
    }
    TRY(refuse_internal(s, self));
    Tensor column = outer_column(a);
    TRY(refuse_operand(s, slots->v[0], &column, false));
    TRY(refuse_operand(s, slots->v[0], slots->v[2], false));
    return dispatch_inplace_refuse_cast(s, addr_dtype(self, a, b), self->dtype);
}

/* addmv_ and baddbmm_ take self as it is, also where it overlaps itself, and check its size and
 * dtype before the factors' dtypes. */
static ErrCode check_kept(Session *s, const Call *twin) {
    const Tensor *self = twin->arg[0].tensor, *a = twin->arg[1].tensor, *b = twin->arg[2].tensor;
    Call plain = *twin; /* its sizes, whatever the dtypes */
    Tensor *floats = arena_array(s->arena, Tensor, 3);
    bool mixed = added_product_mixed(twin);
    for (int k = 0; k < 3; k++) {
        floats[k] = *twin->arg[k].tensor;
        floats[k].dtype = mixed ? floats[k].dtype : DT_float32;
        plain.arg[k].tensor = &floats[k];
    }
    plain.arg[3].scalar = plain.arg[4].scalar = scalar_int(0);
    Infer r;
    TRY(dispatch_infer(s, &plain, &r));
    bool sized = b->ndim == 1 ? self->ndim == 1 && self->size[0] == a->size[0]
                              : tensor_same_size(&r.out[0], self);
    if (!sized || self->dtype != b->dtype) {
        return error_set(s->err, ERR_invalid,
                         "Bad in-place call: input tensor and output tensor should match");
    }
    return ERR_none;
}

static bool adds_product(const OpInfo *op) {
    return op->propagation == PROPAGATION_MATMUL && op_param(op, "beta") >= 0;
}

/* The op's own checks, up to the values: typing, overlap, shape, cast. Fills `r` with the inference
 * of the twin. */
static ErrCode dispatch_inplace_check_write(Session *s, const OpInfo *op, const Call *twin,
                                            const Slots *slots, Infer *r) {
    const Tensor *self = twin->arg[0].tensor;
    bool iterator = (twin->op->kind == KIND_POINTWISE || op->order == ORDER_COPY) &&
                    op->checks_overlap; /* a TensorIterator builds first */
    if (iterator) {
        if (op->types_first) {
            DType result;
            TRY(pointwise_typed_first(twin, &result, s->err));
            if (op->casts_first) {
                TRY(dispatch_inplace_refuse_cast(s, result, self->dtype));
            }
        }
        if (twin->op->kind == KIND_POINTWISE) {
            TRY(pointwise_refused_first(twin, s->err));
        }
        TRY(refuse_internal(s, self));
        TRY(refuse_operands(s, slots, false));
        if (twin->op->kind == KIND_POINTWISE) {
            TRY(refuse_larger(s, slots));
        }
    }
    switch (op->order) {
    case ORDER_MASKED_FILL:
        TRY(dispatch_inplace_check_mask(s, twin, slots));
        break;
    case ORDER_INDEX_PUT:
        TRY(refuse_operands(s, slots, true));
        TRY(dispatch_inplace_refuse_masks(s, twin));
        break;
    case ORDER_INDEX_FILL:
        TRY(check_index_fill(s, twin));
        break;
    case ORDER_INDEX_COPY:
        TRY(check_index_copy(s, twin, slots));
        break;
    case ORDER_OUTER:
        TRY(dispatch_inplace_check_outer(s, twin, slots));
        break;
    case ORDER_KEPT:
        TRY(check_kept(s, twin));
        break;
    case ORDER_MASKED_SCATTER:
        TRY(refuse_internal(s, self));
        TRY(masked_scatter_in_place_check(twin, s->err));
        break;
    default:
        break;
    }
    TRY(sum_in_place_check(twin, s->err));
    *r = (Infer){.arena = s->arena, .err = s->err, .in_place = true};
    TRY(twin->op->infer(twin, r));
    TRY(s->err->code);
    CHECK(r->n == 1);
    if (!tensor_same_size(&r->out[0], self)) {
        return error_set(s->err, ERR_shape,
                         "output with shape of self doesn't match the broadcast shape");
    }
    if (op->order == ORDER_SCAN) {
        TRY(refuse_dtype(s, twin));
    } else {
        TRY(dispatch_inplace_refuse_cast(s, r->out[0].dtype, self->dtype));
    }
    if (op_writes_uncast(op) && r->out[0].dtype != self->dtype) {
        return error_set(s->err, ERR_invalid, "%s computes in %s and cannot write %s", op->name,
                         dtype_name(r->out[0].dtype), dtype_name(self->dtype));
    }
    if (op->order == ORDER_TRIANGLE && triangle_copies(self)) {
        TRY(refuse_internal(s, self));
    }
    if (op->id == OP_fill__Tensor && since(fill_overlap)) { /* ends in copy_ */
        TRY(refuse_internal(s, self));
    }
    if (!iterator && op->order != ORDER_KEPT && (op->checks_overlap || adds_product(twin->op))) {
        TRY(refuse_internal(s, self));
        if (!adds_product(twin->op) && op->order != ORDER_SCAN) {
            TRY(refuse_operands(s, slots, true));
        }
    }
    return ERR_none;
}

/* ---- the write ---- */

/* A write through a self that overlaps itself. Unchanged elements are not written (as in a masked
 * write); two different changes of one location, or an op that reads what it wrote, are
 * undefined. */
static void write_overlapping(Session *s, const Tensor *self, const Tensor *value, bool writes_all,
                              bool reads, bool indexed) {
    Tensor *before = tensor_meta(s, self);
    before->storage = arena_copy(s->arena, self->storage, (int64_t)sizeof *self->storage);
    before->storage->data =
        arena_copy(s->arena, self->storage->data, self->storage->numel * dtype_bytes(self->dtype));
    unsigned char *written = arena_alloc(s->arena, self->storage->numel);
    const Tensor *pair[2] = {self, value};
    bool conflict = reads;
    for (Walk w = walk_start(self->size, self->ndim, pair, 2); walk_more(&w); walk_next(&w)) {
        if (!writes_all && element_same(self->dtype, before->storage->data, w.at[0],
                                        value->storage->data, w.at[1])) {
            continue;
        }
        conflict |= written[w.at[0]] && !element_same(self->dtype, self->storage->data, w.at[0],
                                                      value->storage->data, w.at[1]);
        written[w.at[0]] = 1;
        element_cast(self->storage->data, self->dtype, w.at[0], value->storage->data, value->dtype,
                     w.at[1]);
    }
    if (indexed) { /* an element that an index named may have been written with what was there
                      before */
        for (Walk w = walk_start(self->size, self->ndim, pair, 2); walk_more(&w); walk_next(&w)) {
            conflict |= !element_same(self->dtype, self->storage->data, w.at[0],
                                      value->storage->data, w.at[1]);
        }
    }
    session_undefined(s, conflict, "an unrefused write through a self that overlaps itself");
}

/* self[...] = value[...], which has its size. */
static void write_self(Session *s, const OpInfo *op, const Call *twin, const Tensor *value) {
    Tensor *self = twin->arg[0].tensor;
    bool out_of_range = false;
    if (tensor_overlaps_itself(self)) {
        if (value->dtype != self->dtype) {
            Tensor *cast = tensor_meta(s, self);
            tensor_set_contiguous(cast, self->dtype, self->size, self->ndim);
            cast->storage = storage_new(s->arena, self->dtype, tensor_numel(self));
            tensor_copy_data(cast, value, &out_of_range);
            value = cast;
        }
        bool batches = op->order == ORDER_TRIANGLE &&
                       self->ndim > 3; /* a copy is made contiguous, and copied back whole */
        bool indexed = op->writes == WRITES_INDEXED;
        int accumulate = op_param(op, "accumulate");
        bool writes_all = op->writes == WRITES_ALL || batches;
        bool reads =
            op->writes == WRITES_UPDATES || (indexed && accumulate >= 0 && twin->arg[accumulate].b);
        write_overlapping(s, self, value, writes_all, reads, indexed);
        if (s->shadow) {
            shadow_load(s, self->storage);
        }
        session_undefined(s, out_of_range, "a cast to an integer out of its range");
        return;
    }
    tensor_copy_data(self, value, &out_of_range);
    session_undefined(s, out_of_range, "a cast to an integer out of its range");
    if (s->shadow) {
        shadow_cast(self, value);
    }
}

/* Do two tensors on one memory share a byte? */
static bool share_location(Session *s, const Tensor *a, const Tensor *b) {
    int64_t end_a, end_b, bytes_a = dtype_bytes(a->dtype), bytes_b = dtype_bytes(b->dtype);
    if (!tensor_extent(a, &end_a) || !tensor_extent(b, &end_b) ||
        a->offset * bytes_a >= end_b * bytes_b || b->offset * bytes_b >= end_a * bytes_a) {
        return false;
    }
    int64_t start = a->offset * bytes_a, room = end_a * bytes_a - start;
    unsigned char *seen = arena_alloc(s->arena, room);
    const Tensor *one[1] = {a};
    for (Walk w = walk_start(a->size, a->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        memset(seen + w.at[0] * bytes_a - start, 1, (size_t)bytes_a);
    }
    bool met = false;
    one[0] = b;
    for (Walk w = walk_start(b->size, b->ndim, one, 1); walk_more(&w) && !met; walk_next(&w)) {
        for (int64_t k = w.at[0] * bytes_b - start, n = k + bytes_b; k < n && !met; k++) {
            met = k >= 0 && k < room && seen[k];
        }
    }
    return met;
}

/* Does the write change an operand that is read later? Elementwise ops may read the very
 * element they write; fill_ reads its value first. PyTorch refuses only overlaps that are cheap to
 * detect. */
static bool writes_operand(Session *s, const OpInfo *op, const Call *twin, const Slots *slots) {
    const Tensor *self = slots->v[0];
    bool elementwise = twin->op->kind == KIND_POINTWISE || op->order == ORDER_COPY;
    if ((op->writes == WRITES_ALL && !elementwise) || tensor_numel(self) == 0) {
        return false;
    }
    for (int i = 1; i < slots->n; i++) {
        const Tensor *t = slots->v[i];
        bool same_elements = t && elementwise && tensor_same_size(t, self) &&
                             tensor_same_layout(t, self) &&
                             dtype_bytes(t->dtype) == dtype_bytes(self->dtype);
        if (t && storage_same(t->storage, self->storage) && !same_elements &&
            share_location(s, self, t)) {
            return true;
        }
    }
    return false;
}

/* Before 2.8, masked_scatter_ takes the elements of source in the order in which it visits the
 * mask: the order of self's memory. */
static bool scattered_by_memory(const Call *call) {
    const Tensor *self = call->arg[0].tensor;
    if (call->op->order != ORDER_MASKED_SCATTER || semantics_now >= SEMANTICS_2_8) {
        return false;
    }
    int64_t order[MAX_DIMS], plain[MAX_DIMS];
    const int64_t *strides[1] = {self->stride};
    ordered_strides(self->size, self->ndim, strides, 1, order);
    contiguous_strides(self->size, self->ndim, plain);
    bool same = true;
    for (int d = 0; d < self->ndim; d++) {
        same &= self->size[d] == 1 || order[d] == plain[d];
    }
    return !same && tensor_numel(self) > 0;
}

/* May the kernel write to self itself? Of the kernels that start from a copy of self, that of
 * index_put_ makes all its refusals before it writes. */
static bool writes_in_place(const Call *call) {
    return call->op->order == ORDER_INDEX_PUT && tensor_is_dense(call->arg[0].tensor);
}

ErrCode dispatch_inplace(Session *s, const Call *call, Tensor **out, int *nout) {
    Call twin;
    call_copy(&twin, call);
    twin.op = op_info(call->op->twin);
    Tensor *self = call->arg[0].tensor;
    Slots slots;
    slots.n = call_slots(&twin, slots.v);
    GradNode *node = NULL;
    bool differentiable = twin.op->grad || op_is_comparison(twin.op) ||
                          op_is_bitwise(twin.op); /* logical ops in place leave history alone */
    if (call->op->order == ORDER_COPY) {
        differentiable = dtype_is_float(self->dtype); /* VariableTypeManual's copy_ */
    }
    if (differentiable && dispatch_requires_grad(s, twin.op, &slots)) {
        TRY(var_check_inplace(s, var_of(self)));
        node = node_begin(s, &twin, &slots);
        TRY(s->err->code);
        if (!twin.op->grad) {
            node->kind = GRAD_NODE_ZERO;
        }
        if (op_is_bitwise(twin.op)) { /* only materializes */
            node = NULL;
        }
    }
    /* copy_(self, self) does nothing and checks nothing, and so does nan_to_num_ of integers */
    bool identity = (call->op->order == ORDER_COPY &&
                     (twin.arg[1].tensor == self ||
                      (since(copy_of_same_data) && tensor_same_data(twin.arg[1].tensor, self)))) ||
                    (call->op->order == ORDER_FLOATING && !dtype_is_float(self->dtype));
    Infer r = {0};
    if (!identity) {
        TRY(dispatch_inplace_check_write(s, call->op, &twin, &slots, &r));
    }
    Tensor *clone = NULL;
    if (node && node_saves_self(node)) { /* recorded: a second derivative goes through the clone */
        clone = emit_unary(&s->emit, OP_clone, self);
        TRY(s->err->code);
    }
    if (node) {
        node_save_operands(s, node, clone);
        TRY(s->err->code);
    }
    if (!identity) {
        bool overwrites = writes_operand(s, call->op, &twin, &slots),
             direct = !overwrites && !s->shadow && writes_in_place(call);
        Tensor *value = direct ? self : &r.out[0];
        if (direct) {
            s->storages++; /* storage numbers do not depend on how it is written */
        } else {
            TRY(dispatch_allocate(s, value));
        }
        if (dispatch_kernel(s, &twin, &r, &value) != ERR_none) {
            s->unsettled = storage_whole(self->storage);
            return s->err->code;
        }
        if (s->shadow) {
            shadow_compute(s, &twin, &value, 1);
        }
        session_undefined(s, overwrites,
                          "an unrefused write to an operand that is still to be read");
        session_undefined(s, scattered_by_memory(call),
                          "masked_scatter_ of a self whose memory is not row-major: another order "
                          "than that of the result and of the gradient");
        if (!direct) {
            write_self(s, call->op, &twin, value);
        }
    }
    dispatch_storage_written(s, self->storage);
    *storage_version(self->storage) += !call->op->silent;
    if (node) {
        node_save_results(s, node, &self, 1);
        var_rebase_history(s, var_of(self), node);
        TRY(s->err->code);
    }
    out[0] = self;
    *nout = 1;
    return s->err->code;
}
