/* The mutator core as libFuzzer's: linked into every target that eats programs. */
#include "fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    op_table_init();
    return (size_t)mutate_bytes(data, (int64_t)size, data, (int64_t)max_size, seed, &MUTATE_LIMITS);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most, unsigned seed) {
    op_table_init();
    return (size_t)crossover_bytes(a, (int64_t)na, b, (int64_t)nb, out, (int64_t)most, seed, &MUTATE_LIMITS);
}
