/* Ops that give self another geometry, or another reading of its memory.
 *
 * In-place views (t_, squeeze_, as_strided_, ..): the tensor object itself gets the sizes and
 * strides that the view would have.
 *
 *   check_inplace and a node (when it is recorded) -> the view's own checks -> freeze -> new
 *   geometry -> version + 1 -> history
 *
 * PyTorch bumps the version as for any write, but grad_fn is *set*, not rebased
 * (gen_variable_type.py: an op with view info), so that the base of a view does not learn of it:
 * the view's grad_fn is the op's node, made at the new version; its siblings are stale. Nodes, and
 * views whose base it is, keep the geometry of before: var_freeze_geometry.
 *
 * STORAGE rows: view.dtype is a view to nobody but the version counter: its result has no base and
 * no history, as that of detach. Both tensors are on one memory, each on a Storage with elements of
 * its own dtype (storage_as). resize_ gives self other sizes, and its memory more elements. set_
 * puts self on the memory of another tensor, where it goes on with the version counter that it had:
 * a Storage for each counter (storage_counted).
 *
 * The float64 shadow knows no bits. Where every element is exact, its bits are too, and each
 * reading of the memory is loaded anew after every write to another one; else nothing is known of
 * the rest of the program. The bits of a nan are PyTorch's own affair. */
#include "reference/dispatch.h"

#include "program/infer/infer.h"
#include "reference/shadow.h"

#include <math.h>
#include <string.h>

/* ---- in-place views ---- */

static void set_geometry(Tensor *t, const Tensor *geometry) {
    t->ndim = geometry->ndim;
    t->offset = geometry->offset;
    memcpy(t->size, geometry->size, (size_t)geometry->ndim * sizeof t->size[0]);
    memcpy(t->stride, geometry->stride, (size_t)geometry->ndim * sizeof t->stride[0]);
}

ErrCode dispatch_inplace_view(Session *s, const Call *call, Tensor **out, int *nout) {
    Call twin = *call;
    twin.op = op_info(call->op->twin);
    Tensor *self = call->arg[0].tensor;
    GradNode *node = NULL;
    Slots slots;
    slots.n = call_slots(&twin, slots.v);
    if (dispatch_requires_grad(s, twin.op, &slots)) {
        TRY(var_check_inplace(s, var_of(self)));
        node = node_begin(s, &twin, &slots);
        TRY(s->err->code);
    }
    Infer r;
    TRY(dispatch_infer(s, &twin, &r));
    CHECK(r.n == 1);
    int64_t numel;
    if (!sizes_numel(r.out[0].size, r.out[0].ndim, &numel) || numel > s->limits->max_elements) {
        return error_set(s->err, ERR_limit, "a view has more than %lld elements",
                         (long long)s->limits->max_elements);
    }
    if (node) {
        node_save_operands(s, node, NULL);
        TRY(s->err->code);
    }
    var_freeze_geometry(s, var_of(self));
    set_geometry(self, &r.out[0]);
    (*storage_version(self->storage))++;
    if (node) {
        if (!dtype_is_float(self->dtype)) { /* an integer self that was written in place with a
                                               tensor that requires grad */
            return error_set(s->err, ERR_invalid,
                             "%s: an integer result of an operand that requires grad",
                             call->op->name);
        }
        node_save_results(s, node, &self, 1);
        var_set_history(var_of(self), node);
    }
    out[0] = self;
    *nout = 1;
    return s->err->code;
}

/* ---- readings of memory ---- */

static bool holds_nan(const Storage *s) {
    bool met = false;
    for (int64_t i = 0; dtype_is_float(s->dtype) && i < s->numel && !met; i++) {
        met = isnan(element_double(s->data, s->dtype, i));
    }
    return met;
}

static bool is_known_exactly(const Storage *s) {
    bool exact = true;
    for (int64_t i = 0; i < s->numel && exact; i++) {
        exact = s->bound[i] == 0;
    }
    return exact;
}

/* Storages that read the memory as the same dtype have one shadow. */
static void share_shadows(Storage *whole) {
    for (Storage *each = whole; each; each = each == whole ? whole->readings : each->next) {
        for (Storage *other = whole->readings; other; other = other->next) {
            if (other->dtype == each->dtype) {
                other->value64 = each->value64;
                other->bound = each->bound;
            }
        }
    }
}

void dispatch_storage_written(Session *s, const Storage *written) {
    Storage *whole = storage_whole(written);
    bool recast = false;
    for (Storage *each = whole; each; each = each == whole ? whole->readings : each->next) {
        recast |= each->dtype != written->dtype;
    }
    if (!recast) { /* all of them have the shadow that was written */
        return;
    }
    if (holds_nan(written)) {
        session_unspecified(s, "the bits of a nan");
    }
    if (!s->shadow) {
        return;
    }
    s->shadow_lost |= !is_known_exactly(written);
    for (Storage *each = whole; each; each = each == whole ? whole->readings : each->next) {
        if (each->dtype != written->dtype) {
            shadow_load(s, each);
        }
    }
    share_shadows(whole);
}

static ErrCode apply_view_dtype(Session *s, const Call *call, Tensor **out) {
    Infer r;
    TRY(dispatch_infer(s, call, &r));
    Tensor *self = call->arg[0].tensor, *view = &r.out[0];
    int64_t numel;
    if (!sizes_numel(view->size, view->ndim, &numel) || numel > s->limits->max_elements) {
        return error_set(s->err, ERR_limit, "a view has more than %lld elements",
                         (long long)s->limits->max_elements);
    }
    if ((self->dtype == DT_bool) != (view->dtype == DT_bool)) {
        return error_set(s->err, ERR_unsupported, "the bytes of bools");
    }
    view->storage = storage_as(s->arena, self->storage, view->dtype);
    out[0] = &var_new(s, view)->tensor;
    if (view->storage != self->storage) {
        dispatch_storage_written(s, self->storage);
    }
    return ERR_none;
}

/* ---- resize_ ---- */

/* Room for `bytes` bytes. What is new is zero, where PyTorch's is not initialized. */
static ErrCode grow_memory(Session *s, Storage *whole, int64_t bytes) {
    int64_t had = whole->numel * dtype_bytes(whole->dtype);
    if (bytes <= had) {
        return ERR_none;
    }
    if (s->arena->bytes + bytes > s->limits->max_bytes) {
        return error_set(s->err, ERR_limit, "more than %lld bytes are live",
                         (long long)s->limits->max_bytes);
    }
    void *data = arena_alloc(s->arena, bytes);
    memcpy(data, whole->data, (size_t)had);
    for (Storage *each = whole; each; each = each == whole ? whole->readings : each->next) {
        int64_t numel = bytes / dtype_bytes(each->dtype), old = each->numel;
        each->data = data;
        each->numel = numel;
        if (s->shadow) {
            double *value64 = each->value64, *bound = each->bound;
            shadow_load(s, each);
            memcpy(each->value64, value64, sizeof(double) * (size_t)old);
            memcpy(each->bound, bound, sizeof(double) * (size_t)old);
        }
    }
    share_shadows(whole);
    return ERR_none;
}

/* Gives self the geometry, and memory for it (aten/src/ATen/native/Resize.h, resize_impl_cpu_). */
static ErrCode resize_self(Session *s, const Call *call) {
    Infer r;
    TRY(dispatch_infer(s, call, &r));
    Tensor *self = call->arg[0].tensor;
    int64_t extent, bytes;
    if (!tensor_extent(&r.out[0], &extent) ||
        !checked_mul(extent, dtype_bytes(self->dtype), &bytes) ||
        tensor_numel(&r.out[0]) > s->limits->max_elements) {
        return error_set(s->err, ERR_limit, "a tensor has more than %lld elements",
                         (long long)s->limits->max_elements);
    }
    if (s->detect_unspecified && extent > self->storage->numel &&
        self->offset > self->storage->numel) {
        session_unspecified(s, "memory that resize_ adds before the tensor");
    }
    TRY(grow_memory(s, storage_whole(self->storage), bytes));
    var_freeze_geometry(s, var_of(self));
    self->ndim = r.out[0].ndim;
    dims_copy(self->size, r.out[0].size, self->ndim);
    dims_copy(self->stride, r.out[0].stride, self->ndim);
    return ERR_none;
}

static ErrCode apply_resize(Session *s, const Call *call) {
    Tensor *self = call->arg[0].tensor;
    if (var_requires_grad(var_of(self))) { /* whatever the grad mode */
        return error_set(s->err, ERR_invalid, "cannot resize variables that require grad");
    }
    int64_t had = self->storage->numel;
    for (int d = 0; d < call->arg[1].ints.n; d++) { /* set before it is refused */
        session_undefined(s, call->arg[1].ints.v[d] < 0, "resize_ to a negative size");
    }
    bool same = sizes_equal(self->size, self->ndim, call->arg[1].ints.v, call->arg[1].ints.n);
    TRY(resize_self(s, call));
    *storage_version(self->storage) += !same;
    if (s->detect_unspecified && self->storage->numel > had) {
        session_unspecified(s, "memory that resize_ adds");
    }
    return ERR_none;
}

/* ---- set_ ---- */

/* The node of a set_ that is recorded: PyTorch's has no derivative. Of a storage that is given,
 * autograd knows nothing (torch/csrc/autograd, NotImplemented). */
static ErrCode begin_set(Session *s, const Call *call, GradNode **node) {
    Call twin = call_new(op_takes_storage(call->op) ? OP__set_storage : OP__set_tensor);
    twin.arg[0] = call->arg[0];
    twin.arg[1] = op_takes_storage(call->op) ? twin.arg[1] : call->arg[1];
    Slots slots;
    slots.n = call_slots(&twin, slots.v);
    *node = NULL;
    if (dispatch_requires_grad(s, twin.op, &slots)) {
        TRY(var_check_inplace(s, var_of(call->arg[0].tensor)));
        *node = node_begin(s, &twin, &slots);
        TRY(s->err->code);
        node_save_operands(s, *node, NULL);
    }
    return s->err->code;
}

/* Self becomes a tensor on the memory of the source, with the version counter that it has
 * (set_tensor_ in aten/src/ATen/native/TensorShape.cpp; its history is rebased as after any write).
 */
static ErrCode apply_set(Session *s, const Call *call) {
    Tensor *self = call->arg[0].tensor, *source = call->arg[1].tensor;
    Storage *whole = storage_whole(source->storage);
    int64_t extent, bytes;
    GradNode *node;
    Infer r;
    if (op_takes_storage(call->op) && !tensor_is_contiguous(source)) {
        return error_set(s->err, ERR_invalid, "the source of set_ with sizes must be contiguous");
    }
    TRY(begin_set(s, call, &node));
    int sizes = op_param(call->op, "size");
    for (int d = 0; s->detect_unspecified && sizes >= 0 && d < call->arg[sizes].ints.n; d++) {
        if (call->arg[sizes].ints.v[d] < 0) {
            session_unspecified(s, "a negative size, which set_ takes where nothing is addressed");
        }
    }
    TRY(dispatch_infer(s, call, &r));
    if (!tensor_extent(&r.out[0], &extent) ||
        !checked_mul(extent, dtype_bytes(self->dtype), &bytes) ||
        tensor_numel(&r.out[0]) > s->limits->max_elements) {
        return error_set(s->err, ERR_limit, "a tensor has more than %lld elements",
                         (long long)s->limits->max_elements);
    }
    if ((self->dtype == DT_bool) != (source->dtype == DT_bool)) {
        return error_set(s->err, ERR_unsupported, "the bytes of bools");
    }
    bool grows = bytes > whole->numel * dtype_bytes(whole->dtype);
    TRY(grow_memory(s, whole, bytes));
    session_undefined(
        s,
        grows && tensor_same_size(self, &r.out[0]) &&
            memcmp(self->stride, r.out[0].stride, sizeof *self->stride * (size_t)self->ndim) == 0,
        "set_ beyond the end of a memory that PyTorch does not make larger, because "
        "the sizes and strides are those of self");
    if (s->detect_unspecified && grows) {
        session_unspecified(s, "memory that set_ adds");
    }
    if (s->detect_unspecified && s->long_memory) {
        session_unspecified(s, "how long the memory of a result is");
    }
    var_freeze_geometry(s, var_of(self));
    self->storage = storage_counted(s->arena, source->storage, self->dtype, self->storage);
    set_geometry(self, &r.out[0]);
    dispatch_storage_written(s, source->storage);
    (*storage_version(self->storage))++;
    if (node) {
        node_save_results(s, node, &self, 1);
        var_rebase_history(s, var_of(self), node);
    }
    var_of(self)->accumulator = NULL; /* reset_grad_accumulator */
    return s->err->code;
}

ErrCode dispatch_storage(Session *s, const Call *call, Tensor **out, int *nout) {
    *nout = 1;
    switch (call->op->id) {
    case OP_view_dtype:
        return apply_view_dtype(s, call, out);
    case OP_resize_:
        out[0] = call->arg[0].tensor;
        return apply_resize(s, call);
    case OP__resize_out:
        out[0] = call->arg[0].tensor;
        return resize_self(s, call);
    case OP_set__source_Tensor:
    case OP_set__source_Tensor_storage_offset:
        out[0] = call->arg[0].tensor;
        return apply_set(s, call);
    default:
        CHECK(!"a STORAGE op that the reference does not know");
    }
    return ERR_none;
}
