/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011):
 * a block cipher of a counter, so that any number of a stream is had without those before it. The
 * random ops of programs draw from it (docs/reference/format.md, "Random numbers"). */
#ifndef TENSOR_PHILOX_H
#define TENSOR_PHILOX_H

#include "tensor/base.h"

typedef struct PhiloxBlock {
    uint32_t word[4];
} PhiloxBlock;

PhiloxBlock philox4x32_10(PhiloxBlock counter, uint32_t key0, uint32_t key1);

/* What the random ops of one call of a program draw from. A random op is told apart by its number
 * among those that the call has run; an element by its index in row-major order. */
typedef struct RandomStream {
    uint64_t seed;
    int64_t first; /* what the numbers of ops are counted from: those that a compiled region has are
                      its own, from 0 */
} RandomStream;

/* The 128 bits of element `i` of random op `number`, as two words. */
typedef struct RandomBits {
    uint64_t a, b;
} RandomBits;
RandomBits random_bits(const RandomStream *stream, int64_t number, int64_t i);

/* Numbers of the first `digits` bits of a word: multiples of 2^-digits in [0, 1). */
static inline double random_unit(uint64_t word, int digits) {
    return (double)(word >> (64 - digits)) / (double)(UINT64_C(1) << digits);
}
/* The same with 53 digits, moved into (0, 1]: has a logarithm. */
static inline double random_positive(uint64_t word) { return (double)((word >> 11) + 1) * 0x1p-53; }

#endif
