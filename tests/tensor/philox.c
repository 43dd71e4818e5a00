/* The generator of random numbers, against its published vectors. */
#include "tensor/philox.h"
#include "tests/support/runner.h"

#include <string.h>

/* kat_vectors of the Random123 library. */
START_TEST(philox_gives_the_published_blocks) {
    static const struct {
        uint32_t counter[4], key[2], block[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
         {UINT32_MAX, UINT32_MAX},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int k = 0; k < COUNT_OF(known); k++) {
        PhiloxBlock counter;
        memcpy(counter.word, known[k].counter, sizeof counter.word);
        PhiloxBlock x = philox4x32_10(counter, known[k].key[0], known[k].key[1]);
        ck_assert(memcmp(x.word, known[k].block, sizeof x.word) == 0);
    }
}
END_TEST

/* Element, op and seed are the words of counter and key, low words first. */
START_TEST(a_stream_is_counted_by_op_and_element) {
    RandomStream stream = {UINT64_C(0x299f31d0a4093822), INT64_C(0x0370734400000000)};
    RandomBits bits = random_bits(&stream, 0x13198a2e, INT64_C(-0x7a5cf72cdbc09578));
    ck_assert(bits.a == UINT64_C(0xd16cfe0994fdcceb));
    ck_assert(bits.b == UINT64_C(0x5001e42024126ea1));
    ck_assert_double_eq(random_unit(UINT64_MAX, 24), 1 - 0x1p-24);
    ck_assert_double_eq(random_positive(0), 0x1p-53);
    ck_assert_double_eq(random_positive(UINT64_MAX), 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("philox");
    TCase *tc = tcase_create("philox");
    tcase_add_test(tc, philox_gives_the_published_blocks);
    tcase_add_test(tc, a_stream_is_counted_by_op_and_element);
    suite_add_tcase(suite, tc);
    return run_suite("tensor/philox", suite);
}
