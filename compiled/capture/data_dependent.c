/* Sizes and indices that depend on data: evaluated during the capture by CaptureInput.evaluate, and
 * recorded, since they are part of the guard. */
#include "compiled/capture/capture.h"

static ErrCode capture_data_dependent(Capture *cap, DataDependentKind kind, const Tensor *t,
                                      int64_t *value) {
    if (cap->in.sample) {
        return error_set(&cap->err, ERR_unsupported, "a sample compilation has no values");
    }
    if (capture_checkpoint_number(cap, value)) {
        return ERR_none;
    }
    if (cap->in_final) {
        return error_set(&cap->err, ERR_unsupported, "a size that depends on a gradient's values");
    }
    DataDependent *d = arena_new(cap->arena, DataDependent);
    d->kind = kind;
    ErrCode code = cap->in.evaluate(cap, d, (const Var *)t);
    *(cap->last_data_dependent ? &cap->last_data_dependent->next : &cap->data_dependents) = d;
    cap->last_data_dependent = d;
    if (d->failed_sid >= 0) {
        cap->end = END_CHECK;
        cap->at = d->failed_sid;
    }
    *value = d->result;
    capture_checkpoint_note(cap, d->result);
    return code;
}

ErrCode capture_count_nonzero(Emit *e, const Tensor *mask, int64_t *count) {
    return capture_data_dependent((Capture *)e, DATA_COUNT_NONZERO, mask, count);
}

ErrCode capture_item_int(Emit *e, const Tensor *t, int64_t *value) {
    return capture_data_dependent((Capture *)e, DATA_ITEM, t, value);
}
