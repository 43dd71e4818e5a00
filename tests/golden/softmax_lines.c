#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>

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
static inline double expm1_parts(double v, double *scale) {
    double shifted = v * 0x1.71547652b82fep+0 + 0x1.8p52;
    double k = shifted - 0x1.8p52;
    double r = (v - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
    double rr = r * r;
    double q = ((0x1.fffffffff4648p-2 + r * 0x1.5555557386ceap-3) + rr * (0x1.5555557cff8dfp-5 + r * 0x1.1110b1c513c69p-7)) + (rr * rr) * ((0x1.6c1638a9e162ep-10 + r * 0x1.a16fef6ad8693p-13) + rr * 0x1.a17592f018341p-16);
    *scale = of_bits((bits_of(shifted) + 1023) << 52);
    return r + rr * q;
}
static inline double exp_near(double v) {
    double s;
    double p = expm1_parts(v, &s);
    double e = s + s * p;
    return v > 200 ? INFINITY : v < -200 ? 0 : e;
}

/* softmax */
static void loop_0(void *const *data) {
    float *restrict to = data[1];
    float *restrict from = data[0];
    for (int64_t i0 = 0; i0 < 8; i0++) {
        double top = -INFINITY, sum = 0;
        double e[16];
#pragma omp simd reduction(max : top)
        for (int64_t i1 = 0; i1 < 16; i1++) {
            const double v0 = (double)from[i0 * 16 + i1];
            top = v0 > top ? v0 : top;
        }
#pragma omp simd reduction(+ : sum)
        for (int64_t i1 = 0; i1 < 16; i1++) {
            const double v1 = e[i1] = exp_near((double)from[i0 * 16 + i1] - top);
            sum += v1;
        }
        for (int64_t i1 = 0; i1 < 16; i1++) {
            to[i0 * 16 + i1] = (float)(e[i1] / sum);
        }
    }
}

/* softmax */
static void loop_1(void *const *data) {
    float *restrict to = data[2];
    float *restrict from = data[0];
    for (int64_t j1 = 0; j1 < 16; j1 += 32) {
        const int64_t e1 = j1 + 32 < 16 ? j1 + 32 : 16;
        double top[32], sum[32];
        for (int k = 0; k < 32; k++) {
            top[k] = -INFINITY;
            sum[k] = 0;
        }
        double e[8][32];
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                const double v0 = (double)from[i0 * 16 + i1];
                top[i1 - j1] = v0 > top[i1 - j1] ? v0 : top[i1 - j1];
            }
        }
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                const double v1 = e[i0][i1 - j1] = exp_near((double)from[i0 * 16 + i1] - top[i1 - j1]);
                sum[i1 - j1] += v1;
            }
        }
        for (int64_t i0 = 0; i0 < 8; i0++) {
            for (int64_t i1 = j1; i1 < e1; i1++) {
                to[i0 * 16 + i1] = (float)(e[i0][i1 - j1] / sum[i1 - j1]);
            }
        }
    }
}

void (*const loops[])(void *const *) = {
    loop_0,
    loop_1,
};
