#include "tensor/philox.h"

PhiloxBlock philox4x32_10(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
    uint32_t *x = counter.word;
    for (int round = 0; round < 10; round++) {
        uint64_t p = UINT64_C(0xD2511F53) * x[0], q = UINT64_C(0xCD9E8D57) * x[2];
        PhiloxBlock next = {{(uint32_t)(q >> 32) ^ x[1] ^ key0, (uint32_t)q,
                             (uint32_t)(p >> 32) ^ x[3] ^ key1, (uint32_t)p}};
        counter = next;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return counter;
}

RandomBits random_bits(const RandomStream *stream, int64_t number, int64_t i) {
    uint64_t n = (uint64_t)stream->first + (uint64_t)number, at = (uint64_t)i;
    PhiloxBlock counter = {{(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)n, (uint32_t)(n >> 32)}};
    PhiloxBlock x = philox4x32_10(counter, (uint32_t)stream->seed, (uint32_t)(stream->seed >> 32));
    return (RandomBits){(uint64_t)x.word[0] << 32 | x.word[1],
                        (uint64_t)x.word[2] << 32 | x.word[3]};
}
