/* Loads and stores of tiles, one function for each storage type: between registers and buffers, for
 * the points of a tile from coordinates `at` on, through an access. Included by tile/kernels.h
 * only.
 *
 * A tile is a run of points in row-major order, so it consists of a few rows of the innermost dim;
 * the first and the last may be partial. Each row is one loop with a constant stride (0 and 1 have
 * loops of their own). Between rows the position advances like an odometer, by adding strides.
 *
 * Registers of integer dtypes hold int64; bool and uint8 are one byte. A negative address is
 * poisoned: it reads 0 and writes nothing. */
#include <string.h>

typedef struct Odometer {
    int64_t position;
    int64_t index[MAX_DIMS];
} Odometer;

static void odometer_start(Odometer *o, const TileNest *nest, const Access *access,
                           const int64_t *at) {
    o->position = access->offset;
    for (int d = 0; d < nest->ndim; d++) {
        o->index[d] = at[d];
        o->position += at[d] * access->stride[d];
    }
}

/* Advances to the start of the next row, which exists. */
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

/* Runs ROW(name, k, position, stride, done) for every row: k elements, `done` elements came
 * before. */
#define FOR_ROWS(ROW, name)                                                                        \
    int last_ = nest->ndim - 1;                                                                    \
    int64_t stride_ = access->stride[last_];                                                       \
    if (last_ == 0) {                                                                              \
        ROW(name, m, access->offset + at[0] * stride_, stride_, 0)                                 \
        return;                                                                                    \
    }                                                                                              \
    Odometer o_;                                                                                   \
    odometer_start(&o_, nest, access, at);                                                         \
    for (int done_ = 0;;) {                                                                        \
        int64_t left_ = nest->size[last_] - o_.index[last_];                                       \
        int k_ = left_ < m - done_ ? (int)left_ : m - done_;                                       \
        ROW(name, k_, o_.position, stride_, done_)                                                 \
        done_ += k_;                                                                               \
        if (done_ == m) {                                                                          \
            return;                                                                                \
        }                                                                                          \
        odometer_next_row(&o_, nest, access);                                                      \
    }

#define LOAD_ROW(name, k, position, stride, done)                                                  \
    {                                                                                              \
        const mem *p = (const mem *)base + (position);                                             \
        reg *y = (reg *)dst + (done);                                                              \
        int64_t step = (stride);                                                                   \
        if (step == 1) {                                                                           \
            for (int i = 0; i < (k); i++) {                                                        \
                y[i] = get_##name(p[i]);                                                           \
            }                                                                                      \
        } else if (step == 0) {                                                                    \
            reg v = get_##name(*p);                                                                \
            for (int i = 0; i < (k); i++) {                                                        \
                y[i] = v;                                                                          \
            }                                                                                      \
        } else {                                                                                   \
            for (int i = 0; i < (k); i++) {                                                        \
                y[i] = get_##name(p[i * step]);                                                    \
            }                                                                                      \
        }                                                                                          \
    }
#define STORE_ROW(name, k, position, stride, done)                                                 \
    {                                                                                              \
        mem *p = (mem *)base + (position);                                                         \
        const reg *x = (const reg *)src + (done);                                                  \
        int64_t step = (stride);                                                                   \
        if (step == 1) {                                                                           \
            for (int i = 0; i < (k); i++) {                                                        \
                p[i] = put_##name(x[i]);                                                           \
            }                                                                                      \
        } else {                                                                                   \
            for (int i = 0; i < (k); i++) {                                                        \
                p[i * step] = put_##name(x[i]);                                                    \
            }                                                                                      \
        }                                                                                          \
    }

/* Indices that count up are common (rows picked by an index). Addresses are tested RUN at a time;
 * if they are consecutive, the elements are copied as a row. */
enum { RUN = 64 };

static bool consecutive(const int64_t *address) {
    int64_t apart = address[0] < 0;
    for (int i = 0; i < RUN; i++) {
        apart |= address[i] ^ (address[0] + i);
    }
    return apart == 0;
}

#define MEMORY_FUNCTIONS(name, memory_type, register_type)                                         \
    static void load_##name(const TileNest *nest, const Access *access, const int64_t *at, int m,  \
                            void *dst, const void *base) {                                         \
        typedef memory_type mem;                                                                   \
        typedef register_type reg;                                                                 \
        FOR_ROWS(LOAD_ROW, name)                                                                   \
    }                                                                                              \
    static void store_##name(const TileNest *nest, const Access *access, const int64_t *at, int m, \
                             void *base, const void *src) {                                        \
        typedef memory_type mem;                                                                   \
        typedef register_type reg;                                                                 \
        FOR_ROWS(STORE_ROW, name)                                                                  \
    }                                                                                              \
    static void load_indirect_##name(int m, void *dst, const void *base, const int64_t *address) { \
        register_type *restrict y = dst;                                                           \
        for (int done = 0; done < m; done += RUN) {                                                \
            int k = m - done < RUN ? m - done : RUN;                                               \
            const memory_type *p = (const memory_type *)base;                                      \
            if (k == RUN && consecutive(address + done)) {                                         \
                p += address[done];                                                                \
                for (int i = 0; i < RUN; i++) {                                                    \
                    y[done + i] = get_##name(p[i]);                                                \
                }                                                                                  \
                continue;                                                                          \
            }                                                                                      \
            for (int i = done; i < done + k; i++) {                                                \
                y[i] = address[i] < 0 ? 0 : get_##name(p[address[i]]);                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void store_indirect_##name(int m, void *base, const int64_t *address,                   \
                                      const void *src) {                                           \
        const register_type *x = src;                                                              \
        for (int done = 0; done < m; done += RUN) {                                                \
            int k = m - done < RUN ? m - done : RUN;                                               \
            if (k == RUN && consecutive(address + done)) {                                         \
                memory_type *restrict p = (memory_type *)base + address[done];                     \
                for (int i = 0; i < RUN; i++) {                                                    \
                    p[i] = put_##name(x[done + i]);                                                \
                }                                                                                  \
                continue;                                                                          \
            }                                                                                      \
            for (int i = done; i < done + k; i++) {                                                \
                if (address[i] >= 0) {                                                             \
                    ((memory_type *)base)[address[i]] = put_##name(x[i]);                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* Floats are added in their own type; integers wrap, in uint64_t. */
#define ADD_FUNCTION(name, memory_type, register_type, wide)                                       \
    static void add_indirect_##name(int m, void *base, const int64_t *address, const void *src) {  \
        const register_type *x = src;                                                              \
        for (int done = 0; done < m; done += RUN) {                                                \
            int k = m - done < RUN ? m - done : RUN;                                               \
            if (k == RUN && consecutive(address + done)) {                                         \
                memory_type *restrict p = (memory_type *)base + address[done];                     \
                for (int i = 0; i < RUN; i++) {                                                    \
                    p[i] =                                                                         \
                        put_##name((register_type)((wide)get_##name(p[i]) + (wide)x[done + i]));   \
                }                                                                                  \
                continue;                                                                          \
            }                                                                                      \
            for (int i = done; i < done + k; i++) {                                                \
                if (address[i] >= 0) {                                                             \
                    memory_type *p = (memory_type *)base + address[i];                             \
                    *p = put_##name((register_type)((wide)get_##name(*p) + (wide)x[i]));           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* One element to a register and back. */
#define PLAIN_ELEMENT(name, memory_type, register_type)                                            \
    static inline register_type get_##name(memory_type v) { return (register_type)v; }             \
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

#define BY_DTYPE(dtype, call)                                                                      \
    switch (dtype) {                                                                               \
    case DT_bool:                                                                                  \
    case DT_uint8:                                                                                 \
        call(u8);                                                                                  \
        return;                                                                                    \
    case DT_int8:                                                                                  \
        call(i8);                                                                                  \
        return;                                                                                    \
    case DT_int16:                                                                                 \
        call(i16);                                                                                 \
        return;                                                                                    \
    case DT_int32:                                                                                 \
        call(i32);                                                                                 \
        return;                                                                                    \
    case DT_int64:                                                                                 \
        call(i64);                                                                                 \
        return;                                                                                    \
    case DT_float16:                                                                               \
        call(f16);                                                                                 \
        return;                                                                                    \
    case DT_bfloat16:                                                                              \
        call(bf16);                                                                                \
        return;                                                                                    \
    case DT_float32:                                                                               \
        call(f32);                                                                                 \
        return;                                                                                    \
    case DT_float64:                                                                               \
        call(f64);                                                                                 \
        return;                                                                                    \
    case DT_COUNT:                                                                                 \
        break;                                                                                     \
    }

static void tile_load(const TileNest *nest, const Access *access, const int64_t *at, int m,
                      void *dst, const void *base) {
#define CALL(name) load_##name(nest, access, at, m, dst, base)
    BY_DTYPE(access->dtype, CALL)
#undef CALL
}

static void tile_store(const TileNest *nest, const Access *access, const int64_t *at, int m,
                       void *base, const void *src) {
#define CALL(name) store_##name(nest, access, at, m, base, src)
    BY_DTYPE(access->dtype, CALL)
#undef CALL
}

static void tile_load_indirect(DType dtype, int m, void *dst, const void *base,
                               const int64_t *address) {
#define CALL(name) load_indirect_##name(m, dst, base, address)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

static void tile_store_indirect(DType dtype, int m, void *base, const int64_t *address,
                                const void *src) {
#define CALL(name) store_indirect_##name(m, base, address, src)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

static void tile_add_indirect(DType dtype, int m, void *base, const int64_t *address,
                              const void *src) {
    if (dtype == DT_bool) {
        add_indirect_bool(m, base, address, src);
        return;
    }
#define CALL(name) add_indirect_##name(m, base, address, src)
    BY_DTYPE(dtype, CALL)
#undef CALL
}

#define IOTA_ROW(name, k, position, stride, done)                                                  \
    {                                                                                              \
        int64_t p = (position), step = (stride);                                                   \
        for (int i = 0; i < (k); i++) {                                                            \
            dst[(done) + i] = p + i * step;                                                        \
        }                                                                                          \
    }

static void tile_iota(const TileNest *nest, const Access *access, const int64_t *at, int m,
                      int64_t *dst) {
    FOR_ROWS(IOTA_ROW, iota)
}

/* dst = address + index * stride, poisoned where the index is out of bounds. */
static void tile_term(const TileInst *inst, int m, int64_t *restrict dst, const int64_t *address,
                      const int64_t *index) {
    uint64_t stride = (uint64_t)inst->stride, wrap = inst->wrap ? (uint64_t)inst->bound : 0;
    int64_t bound = inst->bound;
    for (int i = 0; i < m; i++) {
        int64_t at = index[i], before = address[i];
        at = at < 0 ? (int64_t)((uint64_t)at + wrap) : at;
        int64_t sum = (int64_t)((uint64_t)before + (uint64_t)at * stride);
        dst[i] = ((at >= 0) & (at < bound) & (before >= 0)) ? sum : -1;
    }
}
