/* Tensors that hold data: allocation within limits, copying with casts, single elements, printing for a debugger. */
#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

Storage *storage_new(Arena *arena, DType dtype, int64_t numel) {
    int64_t bytes;
    CHECK(numel >= 0 && checked_mul(numel, dtype_bytes(dtype), &bytes));
    Storage *s = arena_new(arena, Storage);
    s->dtype = dtype;
    s->numel = numel;
    s->data = arena_alloc(arena, bytes);
    return s;
}

ErrCode tensor_allocate(Tensor *t, Arena *arena, const Limits *limits, Error *err) {
    int64_t numel, extent, bytes;
    if (!sizes_numel(t->size, t->ndim, &numel) || !tensor_extent(t, &extent) || !checked_mul(extent, dtype_bytes(t->dtype), &bytes)) {
        return error_set(err, ERR_limit, "a tensor's size overflows");
    }
    if (limits && numel > limits->max_elements) {
        return error_set(err, ERR_limit, "a tensor of %lld elements is over the limit of %lld", (long long)numel, (long long)limits->max_elements);
    }
    if (limits && arena->bytes + bytes > limits->max_bytes) {
        return error_set(err, ERR_limit, "more than %lld bytes are live", (long long)limits->max_bytes);
    }
    t->storage = storage_new(arena, t->dtype, extent);
    return ERR_none;
}

void tensor_copy_data(const Tensor *to, const Tensor *from, bool *out_of_range) {
    DType td = to->dtype, fd = from->dtype;
    void *dst = to->storage->data;
    const void *src = from->storage->data;
    const Tensor *pair[2] = {to, from};
    Walk w = walk_start(to->size, to->ndim, pair, 2);
    if (td == fd) {
        int bytes = dtype_bytes(td);
        for (; walk_more(&w); walk_next(&w)) {
            memcpy((char *)dst + w.at[0] * bytes, (const char *)src + w.at[1] * bytes, (size_t)bytes);
        }
        return;
    }
    bool checked = out_of_range && dtype_is_float(fd) && !dtype_is_float(td);
    for (; walk_more(&w); walk_next(&w)) {
        if (checked && !cast_in_range(element_double(src, fd, w.at[1]), td)) {
            *out_of_range = true;
        }
        element_cast(dst, td, w.at[0], src, fd, w.at[1]);
    }
}

void tensor_fill(const Tensor *t, Scalar value) {
    const Tensor *one[1] = {t};
    void *data = t->storage->data;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w)) {
        if (value.kind == CAT_FLOAT) {
            element_store_double(data, t->dtype, w.at[0], value.f);
        } else {
            element_store_int(data, t->dtype, w.at[0], value.i);
        }
    }
}

double tensor_item_double(const Tensor *t) { return element_double(t->storage->data, t->dtype, t->offset); }
int64_t tensor_item_int(const Tensor *t) { return element_int(t->storage->data, t->dtype, t->offset); }

void tensor_gather(const Tensor *t, void *out) {
    int bytes = dtype_bytes(t->dtype);
    const char *data = t->storage->data;
    if (tensor_is_contiguous(t)) {
        int64_t numel = tensor_numel(t);
        if (numel > 0) {
            memcpy(out, data + t->offset * bytes, (size_t)(numel * bytes));
        }
        return;
    }
    char *to = out;
    const Tensor *one[1] = {t};
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w), to += bytes) {
        memcpy(to, data + w.at[0] * bytes, (size_t)bytes);
    }
}

void tensor_dump(const Tensor *t) {
    fprintf(stderr, "%s[", dtype_name(t->dtype));
    for (int d = 0; d < t->ndim; d++) {
        fprintf(stderr, "%s%lld", d ? ", " : "", (long long)t->size[d]);
    }
    fprintf(stderr, "; ");
    for (int d = 0; d < t->ndim; d++) {
        fprintf(stderr, "%s%lld", d ? ", " : "", (long long)t->stride[d]);
    }
    fprintf(stderr, "] offset %lld", (long long)t->offset);
    if (t->storage) {
        fprintf(stderr, " storage %lld version %lld:", (long long)t->storage->id, (long long)t->storage->version);
        const Tensor *one[1] = {t};
        int shown = 0;
        for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w) && shown < 16; walk_next(&w), shown++) {
            fprintf(stderr, " %.9g", element_double(t->storage->data, t->dtype, w.at[0]));
        }
    }
    fputc('\n', stderr);
}
