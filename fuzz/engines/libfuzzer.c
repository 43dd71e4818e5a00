/* The mutator core as libFuzzer's: linked into every target that eats programs. */
#include "fuzz/mutate/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t most, unsigned seed);

static int64_t breed(const uint8_t *v, size_t n, const uint8_t *other, size_t nother, uint8_t *out,
                     size_t most, unsigned seed) {
    static Arena arena;
    op_table_init();
    arena_reset(&arena);
    return breed_bytes(&arena, v, (int64_t)n, other, (int64_t)nother, out, (int64_t)most, seed);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    return (size_t)breed(data, size, NULL, 0, data, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t most, unsigned seed) {
    return (size_t)breed(a, na, b, nb, out, most, seed);
}
