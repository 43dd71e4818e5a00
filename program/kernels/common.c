/* Element access, accumulation and overwriting for the kernels (kernels.h). */
#include "program/kernels/kernels.h"

#include <string.h>

static const char *const cast_undefined = "a float out of the integer's range is cast to it";

int64_t cast_int(const Tensor *t, int64_t at, DType dtype, KernelCtx *k) {
    if (!dtype_is_float(t->dtype)) {
        return dtype_wrap(dtype, element_int(t->storage->data, t->dtype, at));
    }
    int64_t cell = 0;
    if (!cast_in_range(element_double(t->storage->data, t->dtype, at), dtype)) {
        k->undefined = cast_undefined;
    }
    element_cast(&cell, dtype, 0, t->storage->data, t->dtype, at);
    return element_int(&cell, dtype, 0);
}

double scalar_as_double(Scalar s, DType dtype) { return dtype_round(scalar_to_double(s), dtype); }

int64_t scalar_as_int(Scalar s, DType dtype) {
    if (dtype == DT_bool) {
        return scalar_to_double(s) != 0;
    }
    return dtype_wrap(dtype, scalar_to_int(s));
}

Scalar tensor_item(const Tensor *t) {
    if (dtype_is_float(t->dtype)) {
        return scalar_float(tensor_item_double(t));
    }
    return t->dtype == DT_bool ? scalar_bool(tensor_item_int(t) != 0)
                               : scalar_int(tensor_item_int(t));
}

Tensor tensor_seen_as(const Tensor *t, int ndim, const int64_t *size, const int64_t *stride) {
    Tensor seen;
    seen.dtype = t->dtype;
    seen.ndim = ndim;
    seen.offset = t->offset;
    seen.storage = t->storage;
    memcpy(seen.size, size, (size_t)ndim * sizeof *size);
    memcpy(seen.stride, stride, (size_t)ndim * sizeof *stride);
    return seen;
}

Tensor tensor_over_array(const int64_t *size, int ndim, unsigned fixed, int64_t *length) {
    Tensor t;
    t.dtype = DT_int64;
    t.ndim = ndim;
    t.offset = 0;
    t.storage = NULL;
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        bool still = fixed >> d & 1;
        t.size[d] = size[d];
        t.stride[d] = still ? 0 : step;
        step *= still ? 1 : size[d];
    }
    if (length) {
        *length = step;
    }
    return t;
}

/* ---- adding ---- */

/* The number of storage elements that a dense tensor covers from its offset on. */
static int64_t dense_length(const Tensor *t) { return tensor_numel(t); }

Adder adder_start(const Tensor *out, Arena *arena) {
    Adder a = {out, NULL, dense_length(out)};
    if (dtype_is_float(out->dtype)) {
        a.sum = arena_alloc_raw(arena, a.length * (int64_t)sizeof *a.sum);
        for (int64_t i = 0; i < a.length; i++) {
            a.sum[i] = element_double(out->storage->data, out->dtype, out->offset + i);
        }
    }
    return a;
}

void adder_add(Adder *a, int64_t at, const Tensor *from, int64_t from_at, double factor,
               int64_t int_factor) {
    const Tensor *out = a->out;
    if (a->sum) {
        a->sum[at - out->offset] +=
            factor * element_double(from->storage->data, from->dtype, from_at);
        return;
    }
    int64_t term = wrapping_mul(int_factor, element_int(from->storage->data, from->dtype, from_at));
    element_store_int(out->storage->data, out->dtype, at,
                      wrapping_add(element_int(out->storage->data, out->dtype, at), term));
}

void adder_finish(Adder *a) {
    for (int64_t i = 0; a->sum && i < a->length; i++) {
        element_store_double(a->out->storage->data, a->out->dtype, a->out->offset + i, a->sum[i]);
    }
}

/* ---- overwriting ---- */

Writer writer_start(const Tensor *out, Arena *arena) {
    return (Writer){out, arena_alloc(arena, dense_length(out)), false};
}

void kernel_start_from(const Tensor *out, const Tensor *self, KernelCtx *k) {
    if (out == self) { /* the op works in place */
        return;
    }
    bool out_of_range = false;
    tensor_copy_data(out, self, &out_of_range);
    if (out_of_range) {
        k->undefined = cast_undefined;
    }
}

ErrCode index_out_of_range(int64_t index, int64_t size, Error *err) {
    return error_set(err, ERR_index_range,
                     "index %lld is out of bounds for dimension with size %lld", (long long)index,
                     (long long)size);
}
