/* Tensors with data: allocation within limits, copies with casts, single elements, printing for a
 * debugger. */
#include "tensor/tensor.h"

#include <stdio.h>
#include <string.h>

/* Allocates a storage whose elements take `bytes` bytes. */
static inline Storage *storage_of_bytes(Arena *arena, DType dtype, int64_t numel, int64_t bytes) {
    enum { HEAD = (sizeof(Storage) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN };
    Storage *s = arena_alloc(
        arena, ARENA_SEPARATE
                   ? HEAD
                   : HEAD + bytes); /* the elements follow the header, except in sanitizer builds */
    s->dtype = dtype;
    s->numel = numel;
    s->data = ARENA_SEPARATE ? arena_alloc(arena, bytes) : (char *)s + HEAD;
    return s;
}

Storage *storage_new(Arena *arena, DType dtype, int64_t numel) {
    int64_t bytes;
    CHECK(numel >= 0 && checked_mul(numel, dtype_bytes(dtype), &bytes));
    return storage_of_bytes(arena, dtype, numel, bytes);
}

Storage *storage_counted(Arena *arena, Storage *s, DType dtype, const Storage *counts) {
    Storage *whole = storage_whole(s), *counter = storage_counter(counts);
    const Storage *same = whole->dtype == dtype ? whole : NULL;
    counter = counter == whole ? NULL : counter;
    if (same && !counter) {
        return whole;
    }
    for (Storage *reading = whole->readings; reading; reading = reading->next) {
        if (reading->dtype == dtype && reading->counter == counter) {
            return reading;
        }
        same = reading->dtype == dtype ? reading : same;
    }
    Storage *reading = arena_new(arena, Storage);
    reading->dtype = dtype;
    reading->numel = whole->numel * dtype_bytes(whole->dtype) / dtype_bytes(dtype);
    reading->data = whole->data;
    reading->id = whole->id;
    reading->whole = whole;
    reading->counter = counter;
    reading->value64 = same ? same->value64 : NULL;
    reading->bound = same ? same->bound : NULL;
    reading->next = whole->readings;
    whole->readings = reading;
    return reading;
}

Storage *storage_as(Arena *arena, Storage *s, DType dtype) {
    return storage_counted(arena, s, dtype, s);
}

/* The number of elements of a non-empty row-major tensor; false for any other tensor and on
 * overflow. */
static bool row_major_numel(const Tensor *t, int64_t *numel) {
    int64_t product = 1;
    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->stride[d] != product || t->size[d] <= 0 ||
            !checked_mul(product, t->size[d], &product)) {
            return false;
        }
    }
    *numel = product;
    return t->offset == 0;
}

ErrCode tensor_allocate(Tensor *t, Arena *arena, const Limits *limits, Error *err) {
    int64_t numel, extent, bytes;
    if (row_major_numel(t, &numel)) {
        extent = numel;
    } else if (!sizes_numel(t->size, t->ndim, &numel) || !tensor_extent(t, &extent)) {
        return error_set(err, ERR_limit, "a tensor's size overflows");
    }
    if (!checked_mul(extent, dtype_bytes(t->dtype), &bytes)) {
        return error_set(err, ERR_limit, "a tensor's size overflows");
    }
    if (limits && numel > limits->max_elements) {
        return error_set(err, ERR_limit, "a tensor of %lld elements is over the limit of %lld",
                         (long long)numel, (long long)limits->max_elements);
    }
    if (limits && arena->bytes + bytes > limits->max_bytes) {
        return error_set(err, ERR_limit, "more than %lld bytes are live",
                         (long long)limits->max_bytes);
    }
    t->storage = storage_of_bytes(arena, t->dtype, extent, bytes);
    return ERR_none;
}

/* to[i * to_step] = from[i * from_step] for i < n; elements of one dtype. */
static void copy_row(DType dtype, void *to, int64_t to_step, const void *from, int64_t from_step,
                     int64_t n) {
    int bytes = dtype_bytes(dtype);
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
    switch (bytes) {
#define BYTES(type)                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
        ((type *)to)[i * to_step] = ((const type *)from)[i * from_step];                           \
    }                                                                                              \
    return
    case 1:
        BYTES(uint8_t);
    case 2:
        BYTES(uint16_t);
    case 4:
        BYTES(uint32_t);
    case 8:
        BYTES(uint64_t);
#undef BYTES
    default:
        CHECK(!"an element of another size");
    }
}

static char *data_element_at(const void *data, DType dtype, int64_t at) {
    return (char *)data + at * dtype_bytes(dtype);
}

/* Do both have the same sizes, and row-major elements without gaps? */
static bool both_row_major(const Tensor *a, const Tensor *b) {
    int64_t expected = 1;
    bool row_major = a->ndim == b->ndim;
    for (int d = a->ndim - 1; d >= 0 && row_major; d--) {
        row_major =
            a->size[d] == b->size[d] && a->stride[d] == expected && b->stride[d] == expected;
        expected *= a->size[d];
    }
    return row_major;
}

void tensor_copy_data(const Tensor *to, const Tensor *from, bool *out_of_range) {
    DType td = to->dtype, fd = from->dtype;
    void *dst = to->storage->data;
    const void *src = from->storage->data;
    const Tensor *pair[2] = {to, from};
    if (td == fd && both_row_major(to, from)) {
        copy_row(td, data_element_at(dst, td, to->offset), 1,
                 data_element_at(src, fd, from->offset), 1, tensor_numel(to));
        return;
    }
    bool checked = out_of_range && dtype_is_float(fd) && !dtype_is_float(td);
    Walk w;
    walk_init(&w, to->size, to->ndim, pair, 2);
    for (; walk_more(&w); walk_next_row(&w)) {
        int64_t n = walk_row(&w);
        const int64_t *step = walk_steps(&w);
        if (td == fd) {
            copy_row(td, data_element_at(dst, td, w.at[0]), step[0],
                     data_element_at(src, fd, w.at[1]), step[1], n);
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t at = w.at[1] + i * step[1];
            if (checked && !cast_in_range(element_double(src, fd, at), td)) {
                *out_of_range = true;
            }
            element_cast(dst, td, w.at[0] + i * step[0], src, fd, at);
        }
    }
}

void tensor_fill(const Tensor *t, Scalar value) {
    const Tensor *one[1] = {t};
    uint64_t cell = 0; /* room for one element of any dtype */
    if (value.kind == CAT_FLOAT) {
        element_store_double(&cell, t->dtype, 0, value.f);
    } else {
        element_store_int(&cell, t->dtype, 0, value.i);
    }
    Walk w;
    walk_init(&w, t->size, t->ndim, one, 1);
    for (; walk_more(&w); walk_next_row(&w)) {
        copy_row(t->dtype, data_element_at(t->storage->data, t->dtype, w.at[0]), walk_steps(&w)[0],
                 &cell, 0, walk_row(&w));
    }
}

double tensor_item_double(const Tensor *t) {
    return element_double(t->storage->data, t->dtype, t->offset);
}
int64_t tensor_item_int(const Tensor *t) {
    return element_int(t->storage->data, t->dtype, t->offset);
}

void tensor_gather(const Tensor *t, void *out) {
    const Tensor *one[1] = {t};
    char *to = out;
    Walk w;
    walk_init(&w, t->size, t->ndim, one, 1);
    for (; walk_more(&w); walk_next_row(&w)) {
        copy_row(t->dtype, to, 1, data_element_at(t->storage->data, t->dtype, w.at[0]),
                 walk_steps(&w)[0], walk_row(&w));
        to += walk_row(&w) * dtype_bytes(t->dtype);
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
        fprintf(stderr, " storage %lld version %lld:", (long long)t->storage->id,
                (long long)t->storage->version);
        const Tensor *one[1] = {t};
        int shown = 0;
        for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w) && shown < 16;
             walk_next(&w), shown++) {
            fprintf(stderr, " %.9g", element_double(t->storage->data, t->dtype, w.at[0]));
        }
    }
    fputc('\n', stderr);
}
