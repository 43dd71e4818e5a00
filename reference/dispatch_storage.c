/* STORAGE rows: other readings of memory.
 *
 * view.dtype is a view to nobody but the version counter: its result has no base and no history,
 * as that of detach. Both tensors are on one memory, each on a Storage with elements of its own
 * dtype (storage_as).
 *
 * The float64 shadow knows no bits. Where every element is exact, its bits are too, and each
 * reading of the memory is loaded anew after every write to another one; else nothing is known of
 * the rest of the program. The bits of a nan are PyTorch's own affair. */
#include "reference/dispatch.h"

#include "program/infer/infer.h"
#include "reference/shadow.h"

#include <math.h>
#include <string.h>

static bool holds_nan(const Storage *s) {
    bool met = false;
    for (int64_t i = 0; dtype_is_float(s->dtype) && i < s->numel && !met; i++) {
        met = isnan(element_double(s->data, s->dtype, i));
    }
    return met;
}

static bool is_exact(const Storage *s) {
    bool exact = true;
    for (int64_t i = 0; i < s->numel && exact; i++) {
        exact = s->bound[i] == 0;
    }
    return exact;
}

void dispatch_storage_written(Session *s, const Storage *written) {
    Storage *whole = storage_whole(written);
    if (!whole->readings) {
        return;
    }
    if (s->detect_unspecified && holds_nan(written)) {
        session_unspecified(s, "the bits of a nan");
    }
    if (!s->shadow) {
        return;
    }
    s->shadow_lost |= !is_exact(written);
    if (whole != written) {
        shadow_load(s, whole);
    }
    for (Storage *other = whole->readings; other; other = other->next) {
        if (other != written) {
            shadow_load(s, other);
        }
    }
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
    const Storage *whole = storage_whole(self->storage);
    int64_t had = whole->numel;
    for (int d = 0; d < call->arg[1].ints.n; d++) { /* set before it is refused */
        session_undefined(s, call->arg[1].ints.v[d] < 0, "resize_ to a negative size");
    }
    bool same = sizes_equal(self->size, self->ndim, call->arg[1].ints.v, call->arg[1].ints.n);
    TRY(resize_self(s, call));
    storage_whole(self->storage)->version += !same;
    if (s->detect_unspecified && whole->numel > had) {
        session_unspecified(s, "memory that resize_ adds");
    }
    return ERR_none;
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
    default:
        CHECK(!"a STORAGE op that the reference does not know");
    }
    return ERR_none;
}
