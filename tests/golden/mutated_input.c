#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float mul_f32(float a, float b) { return (float)(a * b); }
static inline float add1_f32(float a, float b) { return (float)(a + b); }

/* add_Scalar */
static void loop_0(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    float *restrict b1 = data[1];
    float *restrict b2 = data[2];
    const float c0 = 3.0f;
    const float c1 = 1.0f;
#pragma omp simd
    for (int64_t i0 = from; i0 < to; i0++) {
        const float v0 = b0[i0];
        const float v1 = mul_f32(v0, c0);
        const float v2 = add1_f32(v1, c1);
        b1[i0] = v1;
        b2[i0] = v2;
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    loop_0,
};
