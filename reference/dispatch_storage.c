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

ErrCode dispatch_storage(Session *s, const Call *call, Tensor **out, int *nout) {
    *nout = 1;
    switch (call->op->id) {
    case OP_view_dtype:
        return apply_view_dtype(s, call, out);
    default:
        CHECK(!"a STORAGE op that the reference does not know");
    }
    return ERR_none;
}
