#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define HAS_FMA 1
#else
#define HAS_FMA 0
#endif
static inline uint64_t bits_of(double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}
static inline double of_bits(uint64_t u) {
    double v;
    memcpy(&v, &u, sizeof v);
    return v;
}
static inline double fused(double a, double b, double c) {
    return HAS_FMA ? fma(a, b, c) : a * b + c;
}
static inline double expm1_parts(double v, double *scale) {
    double shifted = fused(v, 0x1.71547652b82fep+0, 0x1.8p52 + 1023);
    double k = shifted - (0x1.8p52 + 1023);
    double r = fused(k, -0x1.62e42fefa39efp-1, v);
    double rr = r * r;
    double even = fused(fused(fused(0x1.a17592f018341p-16, rr, 0x1.6c1638a9e162ep-10), rr, 0x1.5555557cff8dfp-5), rr, 0x1.fffffffff4648p-2);
    double odd = fused(fused(0x1.a16fef6ad8693p-13, rr, 0x1.1110b1c513c69p-7), rr, 0x1.5555557386ceap-3);
    *scale = of_bits(bits_of(shifted) << 52);
    return fused(rr, fused(odd, r, even), r);
}
static inline double exp_low(double v) {
    double s;
    double p = expm1_parts(v, &s);
    double e = fused(s, p, s);
    return v < -200 ? 0 : e;
}

/* softmax */
static void loop_0(void *const *data, int64_t from, int64_t to) {
    float *restrict y_ = data[1];
    float *restrict x_ = data[0];
    for (int64_t i0 = from; i0 < to; i0++) {
        float top = -INFINITY;
#pragma omp simd reduction(max : top)
        for (int64_t i1 = 0; i1 < 16; i1++) {
            const float v0 = x_[i0 * 16 + i1];
            top = v0 > top ? v0 : top;
        }
        double sum = 0;
        double e[16];
#pragma omp simd reduction(+ : sum)
        for (int64_t i1 = 0; i1 < 16; i1++) {
            const double v1 = e[i1] = exp_low((double)x_[i0 * 16 + i1] - (double)top);
            sum += v1;
        }
        sum = 1 / sum;
        for (int64_t i1 = 0; i1 < 16; i1++) {
            y_[i0 * 16 + i1] = (float)(e[i1] * sum);
        }
    }
}

/* softmax */
static void loop_1(void *const *data, int64_t from, int64_t to) {
    float *restrict y_ = data[2];
    float *restrict x_ = data[0];
    for (int64_t j1 = 0; j1 < 16; j1 += 64) {
        const int64_t e1 = j1 + 64 < 16 ? j1 + 64 : 16;
        float top[64];
        for (int64_t k = 0; k < 64; k++) {
            top[k] = -INFINITY;
        }
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                const float v0 = x_[i0 * 16 + i1];
                top[i1 - j1] = v0 > top[i1 - j1] ? v0 : top[i1 - j1];
            }
        }
        double sum[64];
        for (int64_t k = 0; k < 64; k++) {
            sum[k] = 0;
        }
        double e[8][64];
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                const double v1 = e[i0][i1 - j1] = exp_low((double)x_[i0 * 16 + i1] - (double)top[i1 - j1]);
                sum[i1 - j1] += v1;
            }
        }
        for (int64_t k = 0; k < 64; k++) {
            sum[k] = 1 / sum[k];
        }
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                y_[i0 * 16 + i1] = (float)(e[i0][i1 - j1] * sum[i1 - j1]);
            }
        }
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    loop_0,
    loop_1,
};
