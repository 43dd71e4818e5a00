#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdint.h>
#include <string.h>


/* mean_dim */
static void loop_0(void *const *data, int64_t from, int64_t to) {
    float *restrict b0 = data[0];
    float *restrict b1 = data[1];
    for (int64_t j0 = 0; j0 < 16; j0 += 1024) {
        const int64_t e0 = j0 + 1024 < 16 ? j0 + 1024 : 16;
        double s0[1024];
        for (int64_t i0 = j0; i0 < e0; i0++) {
            s0[i0 - j0] = 0;
        }
        for (int64_t i1 = from; i1 < to; i1++) {
#pragma omp simd
            for (int64_t i0 = j0; i0 < e0; i0++) {
                const float v0 = b0[i0 + i1 * 16];
                s0[i0 - j0] += (double)v0;
            }
        }
        for (int64_t i0 = j0; i0 < e0; i0++) {
            b1[i0] = (float)((double)(float)s0[i0 - j0] / 32);
        }
    }
}

void (*const loops[])(void *const *, int64_t, int64_t) = {
    loop_0,
};
