/* The shadow's arrays: made, loaded, copied, and brought through a conversion of dtype. */
#include "reference/shadow.h"

#include "program/ops/functions.h"

#include <math.h>

void shadow_allocate(Session *s, const Tensor *t) {
    if (s->shadow) {
        t->storage->value64 = arena_array(s->arena, double, t->storage->numel);
        t->storage->bound = arena_array(s->arena, double, t->storage->numel);
    }
}

void shadow_load(Session *s, Storage *storage) {
    storage->value64 = arena_array(s->arena, double, storage->numel);
    storage->bound = arena_array(s->arena, double, storage->numel);
    for (int64_t i = 0; i < storage->numel; i++) {
        storage->value64[i] = element_double(storage->data, storage->dtype, i);
        storage->bound[i] = s->shadow_lost ? NAN : 0;
    }
}

Tensor shadow_float64(const Tensor *t, double *data, Storage *storage) {
    *storage = *t->storage;
    storage->dtype = DT_float64;
    storage->data = data;
    Tensor copy = *t;
    copy.dtype = DT_float64;
    copy.storage = storage;
    return copy;
}

static void copy_array(const Tensor *to, double *to_data, const Tensor *from, double *from_data) {
    Storage sa, sb;
    Tensor a = shadow_float64(to, to_data, &sa), b = shadow_float64(from, from_data, &sb);
    tensor_copy_data(&a, &b, NULL);
}

void shadow_copy(const Tensor *to, const Tensor *from) {
    copy_array(to, to->storage->value64, from, from->storage->value64);
    copy_array(to, to->storage->bound, from, from->storage->bound);
}

double shadow_round(double x, DType dtype) { return dtype_round(x, dtype); }

double shadow_grain(DType dtype) {
    return dtype_is_float(dtype) ? dtype_smallest_subnormal(dtype) : 0x1p-1074;
}

void shadow_overflow(double *value, double *bound, double magnitude, DType dtype) {
    double v = fabs(*value), b = 4 * *bound, largest = dtype_largest(dtype);
    if (dtype == DT_float64 || isnan(*bound) || !isfinite(v)) {
        return;
    }
    if (v - b > largest * (1 + dtype_unit(dtype))) {
        *value = copysign(INFINITY, *value);
        *bound = 0;
    } else if (v + b > largest || magnitude > largest) {
        *bound = NAN;
    }
}

void shadow_settle(double *value, double *bound, DType dtype, bool from_float) {
    double v = *value, b = *bound;
    if (isnan(b)) {
        return;
    }
    if (dtype_is_float(dtype)) {
        double rounded = shadow_round(v, dtype);
        if (b == 0) {
            *value = rounded;
        } else if (rounded != v) {
            *bound = b + dtype_unit(dtype) * fabs(v) + shadow_grain(dtype);
        }
        shadow_overflow(value, bound, 0, dtype);
        return;
    }
    if (!from_float) {
        *bound = 0;
        return;
    }
    bool moves =
        dtype == DT_bool ? fabs(v) <= b : trunc(v - b) != trunc(v) || trunc(v + b) != trunc(v);
    *value = dtype == DT_bool ? v != 0 : trunc(v);
    *bound = b != 0 && moves ? NAN : 0;
}

void shadow_cast(const Tensor *to, const Tensor *from) {
    shadow_copy(to, from);
    if (to->dtype == from->dtype) {
        return;
    }
    bool from_float = dtype_is_float(from->dtype);
    const Tensor *one[1] = {to};
    for (Walk w = walk_start(to->size, to->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double *value = &to->storage->value64[w.at[0]];
        shadow_settle(value, &to->storage->bound[w.at[0]], to->dtype, from_float);
        if (!dtype_is_float(to->dtype)) { /* a narrower integer wraps */
            *value = element_double(to->storage->data, to->dtype, w.at[0]);
        }
    }
}

bool shadow_is_inconclusive(const Tensor *t) {
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        double b = t->storage->bound[w.at[0]], v = t->storage->value64[w.at[0]];
        if (isnan(b) || (b > 0 && fabs(v) <= b)) {
            return true;
        }
    }
    return false;
}

/* Which parameters (bits) the op checks that may be floats. */
static unsigned checked_floats(const OpInfo *op) {
    switch (op->value_checks) {
    case VALUE_CHECK_UNIT:
        return 1 | 1 << 1;
    case VALUE_CHECK_PROBABILITIES:
        return 1;
    case VALUE_CHECK_NUMBER:
        return 1 << 1;
    case VALUE_CHECK_VECTOR_WRAP:
        return 1 << 3;
    default:
        return op->kind == KIND_POINTWISE && op->pw == PW_masked_fill ? 1 << 2 : 0;
    }
}

/* A float that is checked is compared with 0 and 1, or with the range of a dtype. */
static bool is_known_float(const Tensor *t, bool as_number, DType dtype) {
    enum { LARGE = 60000 /* just below the largest float16 */ };
    bool known = true;
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); known && walk_more(&w); walk_next(&w)) {
        double b = t->storage->bound[w.at[0]], v = t->storage->value64[w.at[0]];
        known = b == 0 || (as_number && dtype_is_float(dtype) && fabs(v) + b < LARGE);
    }
    return known;
}

/* What the op checks of operand t, parameter k. Of a bool mask, only how many elements it has. */
static bool is_known(const Call *call, const Tensor *t, int k) {
    const OpInfo *op = call->op;
    const bool unit = op->value_checks == VALUE_CHECK_UNIT || checked_floats(op) == 1;
    if (dtype_is_float(t->dtype)) {
        return !(checked_floats(op) >> k & 1) ||
               is_known_float(t, !unit, call->arg[0].tensor->dtype);
    }
    return (t->dtype == DT_bool && op->value_checks != VALUE_CHECK_MASK) ||
           !shadow_is_inconclusive(t);
}

void shadow_note_refusal(Session *s, const Call *call) {
    if (s->shadow_refusal || !call_checks_values(call)) {
        return;
    }
    bool known = true;
    for (int k = 0; k < call->op->nparam && known; k++) {
        const Arg *arg = &call->arg[k];
        const ArgType type = call->op->param[k].type;
        const bool list = type == ARG_TENSORS || type == ARG_TENSORS_OPT;
        for (int i = 0; list && !arg->none && i < arg->tensors.n; i++) {
            known &= !arg->tensors.v[i] || is_known(call, arg->tensors.v[i], k);
        }
        const bool tensor =
            type == ARG_TENSOR || type == ARG_TENSOR_OPT || (type == ARG_VALUE && arg->is_tensor);
        if (tensor && !arg->none && arg->tensor) {
            known &= is_known(call, arg->tensor, k);
        }
    }
    s->shadow_refusal = !known;
}
