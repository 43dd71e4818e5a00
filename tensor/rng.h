/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the only
 * random generator of the project. From seed 0 the first outputs are 0xe220a8397b1dcdaf,
 * 0x6e789e6aa1b965f4, 0x06c45d188009454f. */
#ifndef TENSOR_RNG_H
#define TENSOR_RNG_H

#include "tensor/base.h"

typedef struct Rng {
    uint64_t state;
} Rng;

static inline uint64_t rng_next(Rng *rng) {
    uint64_t z = (rng->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Uniform in 0..n-1, n >= 1 (multiply-shift; the bias is below 2^-32 for the small n used here). */
static inline int64_t rng_below(Rng *rng, int64_t n) {
    CHECK(n >= 1 && n <= UINT32_MAX);
    return (int64_t)(((rng_next(rng) >> 32) * (uint64_t)n) >> 32);
}

/* True with a probability of `percent` in 100. */
static inline bool rng_chance(Rng *rng, int percent) { return rng_below(rng, 100) < percent; }

#endif
