#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline int64_t add_int(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t indexed(int64_t address, int64_t index, int64_t stride, int64_t bound) {
    return index >= 0 && index < bound && address >= 0 ? address + index * stride : -1;
}
static inline int64_t indexed_wrap(int64_t address, int64_t index, int64_t stride, int64_t bound) {
    return indexed(address, index < 0 ? add_int(index, bound) : index, stride, bound);
}

/* _index_put */
static void loop_1(void *const *data, int64_t from, int64_t to) {
    float *restrict y_ = data[4];
    const float c0 = 0.0f;
    for (int64_t i0 = from; i0 < to; i0++) {
        y_[i0] = c0;
    }
}

/* _index_put */
static void loop_2(void *const *data, int64_t from, int64_t to) {
    int64_t *restrict b1 = data[1];
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    float *restrict b2 = data[2];
    float *restrict b4 = data[4];
    for (int64_t i0 = from; i0 < to; i0++) {
        const int64_t v0 = 0;
        const int64_t v1 = b1[i0];
        const int64_t v2 = indexed_wrap(v0, v1, 1, 4);
        const float v3 = v2 < 0 ? 0 : b0[v2];
        const float v4 = b2[i0];
        b3[i0] = v3;
        if (v2 >= 0) b4[v2] = (b4[v2] + v4);
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    0, /* the executor's own */
    loop_1,
    loop_2,
};
