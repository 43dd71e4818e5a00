#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float f32(double v) {
    return (float)v;
}
static inline double power_f32(double a, double b) {
    return b == 2 ? a * a : b == 3 ? a * a * a : pow(a, b);
}
static inline float neg_f32(float a) { return (float)(-a); }
static inline float rsqrt_f32(float a) { return (float)(f32(1 / sqrt((double)a))); }
static inline float square_f32(float a) { return (float)(a * a); }
static inline float mul_f32(float a, float b) { return (float)(a * b); }
static inline float pow_f32(float a, float b) { return (float)(f32(power_f32((double)a, (double)b))); }
static inline float add1_f32(float a, float b) { return (float)(a + b); }
static inline float sub1_f32(float a, float b) { return (float)(a - b); }

/* mean_dim */
static void loop_0(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    for (int64_t i0 = from; i0 < to; i0++) {
        double s0 = 0;
#pragma omp simd reduction(+ : s0)
        for (int64_t k1 = 0; k1 < 64; k1++) {
            float f0_0, f0_1, f0_2, f0_3;
            {
                const int64_t i1 = k1 + 0;
                const float v0 = b0[i0 * 256 + i1];
                f0_0 = v0;
            }
            {
                const int64_t i1 = k1 + 64;
                const float v0 = b0[i0 * 256 + i1];
                f0_1 = v0;
            }
            {
                const int64_t i1 = k1 + 128;
                const float v0 = b0[i0 * 256 + i1];
                f0_2 = v0;
            }
            {
                const int64_t i1 = k1 + 192;
                const float v0 = b0[i0 * 256 + i1];
                f0_3 = v0;
            }
            s0 += (double)((f0_0 + f0_1) + (f0_2 + f0_3));
        }
        b3[i0] = (float)((double)(float)s0 / 256);
    }
}

/* mean_dim */
static void loop_1(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    float *restrict b4 = data[4];
    float *restrict b5 = data[5];
    for (int64_t i0 = from; i0 < to; i0++) {
        double s0 = 0;
#pragma omp simd reduction(+ : s0)
        for (int64_t k1 = 0; k1 < 64; k1++) {
            float f0_0, f0_1, f0_2, f0_3;
            {
                const int64_t i1 = k1 + 0;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = square_f32(v2);
                b4[i0 * 256 + i1] = v2;
                f0_0 = v3;
            }
            {
                const int64_t i1 = k1 + 64;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = square_f32(v2);
                b4[i0 * 256 + i1] = v2;
                f0_1 = v3;
            }
            {
                const int64_t i1 = k1 + 128;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = square_f32(v2);
                b4[i0 * 256 + i1] = v2;
                f0_2 = v3;
            }
            {
                const int64_t i1 = k1 + 192;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = square_f32(v2);
                b4[i0 * 256 + i1] = v2;
                f0_3 = v3;
            }
            s0 += (double)((f0_0 + f0_1) + (f0_2 + f0_3));
        }
        b5[i0] = (float)((double)(float)s0 / 256);
    }
}

/* pow_Tensor_Scalar */
static void loop_2(void *const *data, int64_t from, int64_t to) {
    float *restrict b5 = data[5];
    float *restrict b6 = data[6];
    float *restrict b7 = data[7];
    const float c0 = 3.0f;
#pragma omp simd
    for (int64_t i0 = from; i0 < to; i0++) {
        const float v0 = b5[i0];
        const float v1 = rsqrt_f32(v0);
        const float v2 = pow_f32(v1, c0);
        b6[i0] = v1;
        b7[i0] = v2;
    }
}

/* sum_dim */
static void loop_3(void *const *data, int64_t from, int64_t to) {
    float *restrict b4 = data[4];
    float *restrict b6 = data[6];
    float *restrict b1 = data[1];
    float *restrict b8 = data[8];
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    float *restrict b2 = data[2];
    float *restrict b9 = data[9];
    double *restrict kept_0 = (double *)data[17] + 0;
    for (int64_t j0 = 0; j0 < 256; j0 += 1024) {
        const int64_t e0 = j0 + 1024 < 256 ? j0 + 1024 : 256;
        double *restrict s0 = kept_0 + j0;
        if (from == 0) {
            for (int64_t i0 = j0; i0 < e0; i0++) {
                s0[i0 - j0] = 0;
            }
        }
        for (int64_t k1 = from; k1 + 4 <= to; k1 += 4) {
#pragma omp simd
            for (int64_t i0 = j0; i0 < e0; i0++) {
                float f0_0, f0_1, f0_2, f0_3;
                {
                    const int64_t i1 = k1 + 0;
                    const float v0 = b4[i0 + i1 * 256];
                    const float v1 = b6[i1];
                    const float v2 = mul_f32(v0, v1);
                    const float v3 = b1[i0];
                    const float v4 = mul_f32(v3, v2);
                    const float v5 = b2[i0 + i1 * 256];
                    const float v6 = mul_f32(v2, v5);
                    b8[i0 + i1 * 256] = v4;
                    f0_0 = v6;
                }
                {
                    const int64_t i1 = k1 + 1;
                    const float v0 = b4[i0 + i1 * 256];
                    const float v1 = b6[i1];
                    const float v2 = mul_f32(v0, v1);
                    const float v3 = b1[i0];
                    const float v4 = mul_f32(v3, v2);
                    const float v5 = b2[i0 + i1 * 256];
                    const float v6 = mul_f32(v2, v5);
                    b8[i0 + i1 * 256] = v4;
                    f0_1 = v6;
                }
                {
                    const int64_t i1 = k1 + 2;
                    const float v0 = b4[i0 + i1 * 256];
                    const float v1 = b6[i1];
                    const float v2 = mul_f32(v0, v1);
                    const float v3 = b1[i0];
                    const float v4 = mul_f32(v3, v2);
                    const float v5 = b2[i0 + i1 * 256];
                    const float v6 = mul_f32(v2, v5);
                    b8[i0 + i1 * 256] = v4;
                    f0_2 = v6;
                }
                {
                    const int64_t i1 = k1 + 3;
                    const float v0 = b4[i0 + i1 * 256];
                    const float v1 = b6[i1];
                    const float v2 = mul_f32(v0, v1);
                    const float v3 = b1[i0];
                    const float v4 = mul_f32(v3, v2);
                    const float v5 = b2[i0 + i1 * 256];
                    const float v6 = mul_f32(v2, v5);
                    b8[i0 + i1 * 256] = v4;
                    f0_3 = v6;
                }
                s0[i0 - j0] += (double)((f0_0 + f0_1) + (f0_2 + f0_3));
            }
        }
        for (int64_t i1 = from + (to - from) / 4 * 4; i1 < to; i1++) {
#pragma omp simd
            for (int64_t i0 = j0; i0 < e0; i0++) {
                const float v0 = b4[i0 + i1 * 256];
                const float v1 = b6[i1];
                const float v2 = mul_f32(v0, v1);
                const float v3 = b1[i0];
                const float v4 = mul_f32(v3, v2);
                const float v5 = b2[i0 + i1 * 256];
                const float v6 = mul_f32(v2, v5);
                b8[i0 + i1 * 256] = v4;
                s0[i0 - j0] += (double)v6;
            }
        }
        if (to == 1024) {
            for (int64_t i0 = j0; i0 < e0; i0++) {
                b9[i0] = (float)(s0[i0 - j0]);
            }
        }
    }
}

/* sum_dim */
static void loop_4(void *const *data, int64_t from, int64_t to) {
    float *restrict b1 = data[1];
    float *restrict b2 = data[2];
    float *restrict b6 = data[6];
    float *restrict b10 = data[10];
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    float *restrict b11 = data[11];
    for (int64_t i0 = from; i0 < to; i0++) {
        double s0 = 0;
#pragma omp simd reduction(+ : s0)
        for (int64_t k1 = 0; k1 < 64; k1++) {
            float f0_0, f0_1, f0_2, f0_3;
            {
                const int64_t i1 = k1 + 0;
                const float v0 = b1[i1];
                const float v1 = b2[i0 * 256 + i1];
                const float v2 = mul_f32(v0, v1);
                const float v3 = b6[i0];
                const float v4 = mul_f32(v3, v2);
                const float v5 = b0[i0 * 256 + i1];
                const float v6 = b3[i0];
                const float v7 = sub1_f32(v5, v6);
                const float v8 = mul_f32(v7, v2);
                b10[i0 * 256 + i1] = v4;
                f0_0 = v8;
            }
            {
                const int64_t i1 = k1 + 64;
                const float v0 = b1[i1];
                const float v1 = b2[i0 * 256 + i1];
                const float v2 = mul_f32(v0, v1);
                const float v3 = b6[i0];
                const float v4 = mul_f32(v3, v2);
                const float v5 = b0[i0 * 256 + i1];
                const float v6 = b3[i0];
                const float v7 = sub1_f32(v5, v6);
                const float v8 = mul_f32(v7, v2);
                b10[i0 * 256 + i1] = v4;
                f0_1 = v8;
            }
            {
                const int64_t i1 = k1 + 128;
                const float v0 = b1[i1];
                const float v1 = b2[i0 * 256 + i1];
                const float v2 = mul_f32(v0, v1);
                const float v3 = b6[i0];
                const float v4 = mul_f32(v3, v2);
                const float v5 = b0[i0 * 256 + i1];
                const float v6 = b3[i0];
                const float v7 = sub1_f32(v5, v6);
                const float v8 = mul_f32(v7, v2);
                b10[i0 * 256 + i1] = v4;
                f0_2 = v8;
            }
            {
                const int64_t i1 = k1 + 192;
                const float v0 = b1[i1];
                const float v1 = b2[i0 * 256 + i1];
                const float v2 = mul_f32(v0, v1);
                const float v3 = b6[i0];
                const float v4 = mul_f32(v3, v2);
                const float v5 = b0[i0 * 256 + i1];
                const float v6 = b3[i0];
                const float v7 = sub1_f32(v5, v6);
                const float v8 = mul_f32(v7, v2);
                b10[i0 * 256 + i1] = v4;
                f0_3 = v8;
            }
            s0 += (double)((f0_0 + f0_1) + (f0_2 + f0_3));
        }
        b11[i0] = (float)(s0);
    }
}

/* mul_Scalar */
static void loop_5(void *const *data, int64_t from, int64_t to) {
    float *restrict b11 = data[11];
    float *restrict b7 = data[7];
    float *restrict b12 = data[12];
    const float c0 = -0.5f;
    const float c1 = 0.00390625f;
#pragma omp simd
    for (int64_t i0 = from; i0 < to; i0++) {
        const float v0 = b11[i0];
        const float v1 = mul_f32(v0, c0);
        const float v2 = b7[i0];
        const float v3 = mul_f32(v2, v1);
        const float v4 = mul_f32(v3, c1);
        b12[i0] = v4;
    }
}

/* sum_dim */
static void loop_6(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    float *restrict b3 = data[3];
    float *restrict b12 = data[12];
    float *restrict b10 = data[10];
    float *restrict b13 = data[13];
    float *restrict b14 = data[14];
    const float c0 = 2.0f;
    for (int64_t i0 = from; i0 < to; i0++) {
        double s0 = 0;
#pragma omp simd reduction(+ : s0)
        for (int64_t k1 = 0; k1 < 64; k1++) {
            float f0_0, f0_1, f0_2, f0_3;
            {
                const int64_t i1 = k1 + 0;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = mul_f32(v2, c0);
                const float v4 = b12[i0];
                const float v5 = mul_f32(v3, v4);
                const float v6 = b10[i0 * 256 + i1];
                const float v7 = add1_f32(v6, v5);
                const float v8 = neg_f32(v7);
                b13[i0 * 256 + i1] = v7;
                f0_0 = v8;
            }
            {
                const int64_t i1 = k1 + 64;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = mul_f32(v2, c0);
                const float v4 = b12[i0];
                const float v5 = mul_f32(v3, v4);
                const float v6 = b10[i0 * 256 + i1];
                const float v7 = add1_f32(v6, v5);
                const float v8 = neg_f32(v7);
                b13[i0 * 256 + i1] = v7;
                f0_1 = v8;
            }
            {
                const int64_t i1 = k1 + 128;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = mul_f32(v2, c0);
                const float v4 = b12[i0];
                const float v5 = mul_f32(v3, v4);
                const float v6 = b10[i0 * 256 + i1];
                const float v7 = add1_f32(v6, v5);
                const float v8 = neg_f32(v7);
                b13[i0 * 256 + i1] = v7;
                f0_2 = v8;
            }
            {
                const int64_t i1 = k1 + 192;
                const float v0 = b0[i0 * 256 + i1];
                const float v1 = b3[i0];
                const float v2 = sub1_f32(v0, v1);
                const float v3 = mul_f32(v2, c0);
                const float v4 = b12[i0];
                const float v5 = mul_f32(v3, v4);
                const float v6 = b10[i0 * 256 + i1];
                const float v7 = add1_f32(v6, v5);
                const float v8 = neg_f32(v7);
                b13[i0 * 256 + i1] = v7;
                f0_3 = v8;
            }
            s0 += (double)((f0_0 + f0_1) + (f0_2 + f0_3));
        }
        b14[i0] = (float)(s0);
    }
}

/* mul_Scalar */
static void loop_7(void *const *data, int64_t from, int64_t to) {
    float *restrict b14 = data[14];
    float *restrict b15 = data[15];
    const float c0 = 0.00390625f;
#pragma omp simd
    for (int64_t i0 = from; i0 < to; i0++) {
        const float v0 = b14[i0];
        const float v1 = mul_f32(v0, c0);
        b15[i0] = v1;
    }
}

/* add_Tensor */
static void loop_8(void *const *data, int64_t from, int64_t to) {
    float *restrict b13 = data[13];
    float *restrict b15 = data[15];
    float *restrict b16 = data[16];
    for (int64_t i0 = from; i0 < to; i0++) {
#pragma omp simd
        for (int64_t i1 = 0; i1 < 256; i1++) {
            const float v0 = b13[i0 * 256 + i1];
            const float v1 = b15[i0];
            const float v2 = add1_f32(v0, v1);
            b16[i0 * 256 + i1] = v2;
        }
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    loop_0,
    loop_1,
    loop_2,
    loop_3,
    loop_4,
    loop_5,
    loop_6,
    loop_7,
    loop_8,
};
