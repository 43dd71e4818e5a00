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
static inline float neg_f32(float a) { return (float)(-a); }
static inline float add1_f32(float a, float b) { return (float)(a + b); }
static inline float sub1_f32(float a, float b) { return (float)(a - b); }

/* add_Tensor */
static void loop_2(void *const *data, int64_t from, int64_t to) {
    float *restrict b1 = data[1];
    float *restrict b4 = data[4];
    for (int64_t i0 = from; i0 < to; i0++) {
#pragma omp simd
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const float v0 = b1[i0 + i1 * 3];
            const float v1 = neg_f32(v0);
            const float v2 = b1[i0 * 3 + i1];
            const float v3 = add1_f32(v2, v1);
            b4[i0 * 3 + i1] = v3;
        }
    }
}

/* _index_put */
static void loop_3(void *const *data, int64_t from, int64_t to) {
    float *restrict y_ = data[5];
    const float c0 = 0.0f;
    for (int64_t i0 = from; i0 < to; i0++) {
        y_[i0] = c0;
    }
}

/* sum_dim */
static void loop_4(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    int64_t *restrict b2 = data[2];
    int64_t *restrict b3 = data[3];
    float *restrict b5 = data[5];
    float *restrict b4 = data[4];
    float *restrict b6 = data[6];
    for (int64_t i0 = from; i0 < to; i0++) {
        double s0 = 0;
        const float v0 = b0[i0];
        const int64_t v1 = 0;
        const int64_t v2 = b2[i0];
        const int64_t v3 = indexed_wrap(v1, v2, 3, 3);
        const int64_t v4 = b3[i0];
        const int64_t v5 = indexed_wrap(v3, v4, 1, 3);
        const float v6 = v5 < 0 ? 0 : b4[v5];
        if (v5 >= 0) b5[v5] = v0;
        s0 += (double)v6;
        b6[i0] = (float)(s0);
    }
}

/* sub_Tensor */
static void loop_5(void *const *data, int64_t from, int64_t to) {
    float *restrict b5 = data[5];
    float *restrict b4 = data[4];
    for (int64_t i0 = from; i0 < to; i0++) {
#pragma omp simd
        for (int64_t i1 = 0; i1 < 3; i1++) {
            const float v0 = b5[i0 * 3 + i1];
            const float v1 = b5[i0 + i1 * 3];
            const float v2 = sub1_f32(v0, v1);
            b4[i0 * 3 + i1] = v2;
        }
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    0, /* the executor's own */
    0, /* the executor's own */
    loop_2,
    loop_3,
    loop_4,
    loop_5,
};
