/* FNV-1a (Fowler, Noll and Vo), 32 and 64 bits: a short hash for tables, names and cache keys that
 * no adversary chooses. Offset basis and prime: Fowler, Noll, Vo, Eastlake, "The FNV
 * Non-Cryptographic Hash Algorithm".
 *
 * A hash starts at FNV32_START or FNV64_START and takes one byte, or one text, after the other. */
#ifndef TENSOR_HASH_H
#define TENSOR_HASH_H

#include <stdint.h>

#define FNV32_START UINT32_C(2166136261)
#define FNV64_START UINT64_C(14695981039346656037)

/* `h` with one more byte. */
static inline uint32_t fnv32_byte(uint32_t h, unsigned char byte) {
    return (h ^ byte) * UINT32_C(16777619);
}
static inline uint64_t fnv64_byte(uint64_t h, unsigned char byte) {
    return (h ^ byte) * UINT64_C(1099511628211);
}

/* `h` with the bytes of a NUL-terminated text, without the NUL. */
static inline uint32_t fnv32_text(uint32_t h, const char *text) {
    for (; *text; text++) {
        h = fnv32_byte(h, (unsigned char)*text);
    }
    return h;
}
static inline uint64_t fnv64_text(uint64_t h, const char *text) {
    for (; *text; text++) {
        h = fnv64_byte(h, (unsigned char)*text);
    }
    return h;
}

#endif
