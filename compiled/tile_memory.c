/* Loads and stores of tiles, one function a storage type.
 *
 * A tile is a run of points in row-major order, so it is a few rows of the innermost dim, the first and last perhaps partial. Each
 * row is one loop with a constant stride (0 and 1 have loops of their own); between rows the position moves as an odometer does,
 * by strides, without a multiplication. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "compiled/tile_memory.h"

#include <string.h>

typedef struct Odometer {
    int64_t position;
    int64_t index[MAX_DIMS];
} Odometer;

static void odometer_start(Odometer *o, const TileNest *nest, const Access *access, const int64_t *at) {
    o->position = access->offset;
    for (int d = 0; d < nest->ndim; d++) {
        o->index[d] = at[d];
        o->position += at[d] * access->stride[d];
    }
}

/* To the start of the next row; there is one. */
static void odometer_next_row(Odometer *o, const TileNest *nest, const Access *access) {
    int d = nest->ndim - 1;
    o->position -= o->index[d] * access->stride[d];
    o->index[d] = 0;
    while (--d >= 0) {
        if (++o->index[d] < nest->size[d]) {
            o->position += access->stride[d];
            return;
        }
        o->position -= (nest->size[d] - 1) * access->stride[d];
        o->index[d] = 0;
    }
}

/* Runs ROW(name, k, position, stride, done) for every row: k elements, `done` elements came before. */
#define FOR_ROWS(ROW, name)                                                                                                          \
    int last_ = nest->ndim - 1;                                                                                                    \
    int64_t stride_ = access->stride[last_];                                                                                       \
    if (last_ == 0) {                                                                                                              \
        ROW(name, m, access->offset + at[0] * stride_, stride_, 0)                                                                       \
        return;                                                                                                                    \
    }                                                                                                                              \
    Odometer o_;                                                                                                                   \
    odometer_start(&o_, nest, access, at);                                                                                         \
    for (int done_ = 0;;) {                                                                                                        \
        int64_t left_ = nest->size[last_] - o_.index[last_];                                                                       \
        int k_ = left_ < m - done_ ? (int)left_ : m - done_;                                                                       \
        ROW(name, k_, o_.position, stride_, done_)                                                                                       \
        done_ += k_;                                                                                                               \
        if (done_ == m) {                                                                                                          \
            return;                                                                                                                \
        }                                                                                                                          \
        odometer_next_row(&o_, nest, access);                                                                                      \
    }

#define LOAD_ROW(name, k, position, stride, done)                                                                                        \
    {                                                                                                                              \
        const mem *p = (const mem *)base + (position);                                                                             \
        reg *y = (reg *)dst + (done);                                                                                              \
        int64_t step = (stride);                                                                                                   \
        if (step == 1) {                                                                                                           \
            for (int i = 0; i < (k); i++) {                                                                                        \
                y[i] = get_##name(p[i]);                                                                                                  \
            }                                                                                                                      \
        } else if (step == 0) {                                                                                                    \
            reg v = get_##name(*p);                                                                                                       \
            for (int i = 0; i < (k); i++) {                                                                                        \
                y[i] = v;                                                                                                          \
            }                                                                                                                      \
        } else {                                                                                                                   \
            for (int i = 0; i < (k); i++) {                                                                                        \
                y[i] = get_##name(p[i * step]);                                                                                           \
            }                                                                                                                      \
        }                                                                                                                          \
    }
#define STORE_ROW(name, k, position, stride, done)                                                                                       \
    {                                                                                                                              \
        mem *p = (mem *)base + (position);                                                                                         \
        const reg *x = (const reg *)src + (done);                                                                                  \
        int64_t step = (stride);                                                                                                   \
        if (step == 1) {                                                                                                           \
            for (int i = 0; i < (k); i++) {                                                                                        \
                p[i] = put_##name(x[i]);                                                                                                  \
            }                                                                                                                      \
        } else {                                                                                                                   \
            for (int i = 0; i < (k); i++) {                                                                                        \
                p[i * step] = put_##name(x[i]);                                                                                           \
            }                                                                                                                      \
        }                                                                                                                          \
    }

#define MEMORY_FUNCTIONS(name, memory_type, register_type)                                                                         \
    static void load_##name(const TileNest *nest, const Access *access, const int64_t *at, int m, void *dst, const void *base) {   \
        typedef memory_type mem;                                                                                                   \
        typedef register_type reg;                                                                                                 \
        FOR_ROWS(LOAD_ROW, name)                                                                                                         \
    }                                                                                                                              \
    static void store_##name(const TileNest *nest, const Access *access, const int64_t *at, int m, void *base, const void *src) {  \
        typedef memory_type mem;                                                                                                   \
        typedef register_type reg;                                                                                                 \
        FOR_ROWS(STORE_ROW, name)                                                                                                        \
    }                                                                                                                              \
    static void load_indirect_##name(int m, void *dst, const void *base, const int64_t *address) {                                 \
        for (int i = 0; i < m; i++) {                                                                                              \
            ((register_type *)dst)[i] = address[i] < 0 ? 0 : get_##name(((const memory_type *)base)[address[i]]);               \
        }                                                                                                                          \
    }                                                                                                                              \
    static void store_indirect_##name(int m, void *base, const int64_t *address, const void *src) {                                \
        for (int i = 0; i < m; i++) {                                                                                              \
            if (address[i] >= 0) {                                                                                                 \
                ((memory_type *)base)[address[i]] = put_##name(((const register_type *)src)[i]);                                   \
            }                                                                                                                      \
        }                                                                                                                          \
    }

/* In floating types the sum is the type's own; in integers it wraps through uint64_t. */
#define ADD_FUNCTION(name, memory_type, register_type, wide)                                                                       \
    static void add_indirect_##name(int m, void *base, const int64_t *address, const void *src) {                                  \
        for (int i = 0; i < m; i++) {                                                                                              \
            if (address[i] >= 0) {                                                                                                 \
                memory_type *p = (memory_type *)base + address[i];                                                                 \
                *p = put_##name((register_type)((wide)get_##name(*p) + (wide)((const register_type *)src)[i]));                                              \
            }                                                                                                                      \
        }                                                                                                                          \
    }

/* One element to a register and back. */
#define PLAIN_ELEMENT(name, memory_type, register_type)                                                                            \
    static inline register_type get_##name(memory_type v) { return (register_type)v; }                                             \
    static inline memory_type put_##name(register_type v) { return (memory_type)v; }
PLAIN_ELEMENT(u8, uint8_t, int64_t)
PLAIN_ELEMENT(i8, int8_t, int64_t)
PLAIN_ELEMENT(i16, int16_t, int64_t)
PLAIN_ELEMENT(i32, int32_t, int64_t)
PLAIN_ELEMENT(i64, int64_t, int64_t)
PLAIN_ELEMENT(f32, float, float)
PLAIN_ELEMENT(f64, double, double)
static inline float get_f16(Half v) { return half_to_float(v); }
static inline Half put_f16(float v) { return half_from_float(v); }
static inline float get_bf16(Bfloat v) { return bfloat_to_float(v); }
static inline Bfloat put_bf16(float v) { return bfloat_from_float(v); }

MEMORY_FUNCTIONS(u8, uint8_t, int64_t)
MEMORY_FUNCTIONS(i8, int8_t, int64_t)
MEMORY_FUNCTIONS(i16, int16_t, int64_t)
MEMORY_FUNCTIONS(i32, int32_t, int64_t)
MEMORY_FUNCTIONS(i64, int64_t, int64_t)
MEMORY_FUNCTIONS(f16, Half, float)
MEMORY_FUNCTIONS(bf16, Bfloat, float)
MEMORY_FUNCTIONS(f32, float, float)
MEMORY_FUNCTIONS(f64, double, double)
ADD_FUNCTION(u8, uint8_t, int64_t, uint64_t)
ADD_FUNCTION(i8, int8_t, int64_t, uint64_t)
ADD_FUNCTION(i16, int16_t, int64_t, uint64_t)
ADD_FUNCTION(i32, int32_t, int64_t, uint64_t)
ADD_FUNCTION(i64, int64_t, int64_t, uint64_t)
ADD_FUNCTION(f16, Half, float, float)
ADD_FUNCTION(bf16, Bfloat, float, float)
ADD_FUNCTION(f32, float, float, float)
ADD_FUNCTION(f64, double, double, double)

static void add_indirect_bool(int m, void *base, const int64_t *address, const void *src) {
    for (int i = 0; i < m; i++) {
        if (address[i] >= 0 && ((const int64_t *)src)[i] != 0) {
            ((uint8_t *)base)[address[i]] = 1;
        }
    }
}

#define BY_DTYPE(dtype, call)                                                                                                      \
    switch (dtype) {                                                                                                               \
    case DT_bool:                                                                                                                  \
    case DT_uint8:                                                                                                                 \
        call(u8);                                                                                                                  \
        return;                                                                                                                    \
    case DT_int8:                                                                                                                  \
        call(i8);                                                                                                                  \
        return;                                                                                                                    \
    case DT_int16:                                                                                                                 \
        call(i16);                                                                                                                 \
        return;                                                                                                                    \
    case DT_int32:                                                                                                                 \
        call(i32);                                                                                                                 \
        return;                                                                                                                    \
    case DT_int64:                                                                                                                 \
        call(i64);                                                                                                                 \
        return;                                                                                                                    \
    case DT_float16:                                                                                                               \
        call(f16);                                                                                                                 \
        return;                                                                                                                    \
    case DT_bfloat16:                                                                                                              \
        call(bf16);                                                                                                                \
        return;                                                                                                                    \
    case DT_float32:                                                                                                               \
        call(f32);                                                                                                                 \
        return;                                                                                                                    \
    case DT_float64:                                                                                                               \
        call(f64);                                                                                                                 \
        return;                                                                                                                    \
    case DT_COUNT:                                                                                                                 \
        break;                                                                                                                     \
    }

void tile_load(const TileNest *nest, const Access *access, const int64_t *at, int m, void *dst, const void *base) {
#define CALL(name) load_##name(nest, access, at, m, dst, base)
    BY_DTYPE(access->dtype, CALL)
#undef CALL
}

void tile_store(const TileNest *nest, const Access *access, const int64_t *at, int m, void *base, const void *src) {
#define CALL(name) store_##name(nest, access, at, m, base, src)
    BY_DTYPE(access->dtype, CALL)
#undef CALL
}

void tile_load_indirect(DType dtype, int m, void *dst, const void *base, const int64_t *address) {
#define CALL(name) load_indirect_##name(m, dst, base, address)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

void tile_store_indirect(DType dtype, int m, void *base, const int64_t *address, const void *src) {
#define CALL(name) store_indirect_##name(m, base, address, src)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

void tile_add_indirect(DType dtype, int m, void *base, const int64_t *address, const void *src) {
    if (dtype == DT_bool) {
        add_indirect_bool(m, base, address, src);
        return;
    }
#define CALL(name) add_indirect_##name(m, base, address, src)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

#define IOTA_ROW(name, k, position, stride, done)                                                                                        \
    {                                                                                                                              \
        int64_t p = (position), step = (stride);                                                                                   \
        for (int i = 0; i < (k); i++) {                                                                                            \
            dst[(done) + i] = p + i * step;                                                                                        \
        }                                                                                                                          \
    }

void tile_iota(const TileNest *nest, const Access *access, const int64_t *at, int m, int64_t *dst) { FOR_ROWS(IOTA_ROW, iota) }

/* ---- plain moves: one dtype, no registers ---- */

/* Rows [0, size[0]) of a nest of `ndim` dims; the last one is a loop by element size. */
static void move_dims(const int64_t *size, int ndim, const int64_t *to_stride, const int64_t *from_stride, char *to,
                      const char *from, int bytes) {
    if (ndim > 1) {
        for (int64_t i = 0; i < size[0]; i++) {
            move_dims(size + 1, ndim - 1, to_stride + 1, from_stride + 1, to + i * to_stride[0] * bytes,
                      from + i * from_stride[0] * bytes, bytes);
        }
        return;
    }
    int64_t n = size[0], ts = to_stride[0], fs = from_stride[0];
    if (ts == 1 && fs == 1) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
#define MOVE(type)                                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                              \
        ((type *)(void *)to)[i * ts] = ((const type *)(const void *)from)[i * fs];                                                 \
    }
    switch (bytes) {
    case 1:
        MOVE(uint8_t) break;
    case 2:
        MOVE(uint16_t) break;
    case 4:
        MOVE(uint32_t) break;
    default:
        MOVE(uint64_t) break;
    }
#undef MOVE
}

void loop_move(const Loop *loop, void *const *data, int64_t from_trip, int64_t to_trip) {
    if (loop->numel == 0) {
        return;
    }
    int bytes = dtype_bytes(loop->to.dtype);
    int64_t size[MAX_DIMS];
    memcpy(size, loop->size, sizeof *size * (size_t)loop->ndim);
    size[0] = to_trip - from_trip;
    char *to = (char *)data[loop->to.buffer] + (loop->to.offset + from_trip * loop->to.stride[0]) * bytes;
    const char *from = (const char *)data[loop->from.buffer] + (loop->from.offset + from_trip * loop->from.stride[0]) * bytes;
    move_dims(size, loop->ndim, loop->to.stride, loop->from.stride, to, from, bytes);
}
