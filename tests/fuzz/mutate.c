/* Mutators: each applies somewhere, changes the program, and leaves it well-formed; the same seed
 * makes the same mutant, from a program and from its bytes; bytes of any kind and length are
 * mutated within their room. */
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;
static char message[512];

static const char *printed(const Program *p) {
    Text text = {.arena = &arena};
    program_print(&text, p, true);
    return text.v;
}

static void is_well_formed(const Program *p, const char *how) {
    ck_assert_msg(program_verify(p, message, sizeof message), "%s: %s\n%.900s", how, message,
                  printed(p));
    const char *text = printed(p);
    Program *q = NULL;
    ParseStatus status = program_parse(&arena, text, strlen(text), &q, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s: %s\n%.900s", how, message, text);
    ck_assert_msg(strcmp(printed(q), text) == 0, "%s: %.900s", how, text);
}

static int mutators(void) {
    int n = 0;
    while (mutator_name(n)) {
        n++;
    }
    return n;
}

START_TEST(there_are_25_mutators_or_more) { ck_assert_int_ge(mutators(), 25); }
END_TEST

START_TEST(every_mutator_applies_changes_the_program_and_leaves_it_well_formed) {
    int applied = 0, changed = 0;
    for (uint64_t i = 0; i < 150; i++) {
        arena_reset(&arena);
        Program *p = generate_program(&arena, 21, i), *other = generate_program(&arena, 22, i);
        const char *before = printed(p);
        Program *q = mutate_by(&arena, p, other, i, &LIMITS_DEFAULT, _i);
        ck_assert_str_eq(printed(p), before); /* the program itself is left alone */
        if (q) {
            is_well_formed(q, mutator_name(_i));
            applied++;
            changed += strcmp(printed(q), before) != 0;
        }
    }
    ck_assert_msg(applied > 0, "%s never applies", mutator_name(_i));
    ck_assert_msg(changed * 10 >= applied * 5, "%s changes %d of %d", mutator_name(_i), changed,
                  applied);
}
END_TEST

START_TEST(chains_of_mutations_stay_well_formed) {
    for (uint64_t i = 0; i < 60; i++) {
        arena_reset(&arena);
        Program *p = generate_program(&arena, 31, i), *other = generate_program(&arena, 32, i);
        for (uint64_t k = 0; k < 30; k++) {
            int which;
            p = mutate_program(&arena, p, other, 1000 * i + k, &LIMITS_DEFAULT, &which);
            is_well_formed(p, which < 0 ? "seed" : mutator_name(which));
        }
    }
}
END_TEST

START_TEST(the_same_seed_makes_the_same_mutant_of_a_program_and_of_its_bytes) {
    for (uint64_t i = 0; i < 200; i++) {
        arena_reset(&arena);
        Program *p = generate_program(&arena, 41, i);
        p->name = NULL; /* bytes carry it too; shorter */
        const char *once = printed(mutate_program(&arena, p, NULL, i, &LIMITS_DEFAULT, NULL));
        ck_assert_str_eq(printed(mutate_program(&arena, p, NULL, i, &LIMITS_DEFAULT, NULL)), once);
        Bytes bytes = codec_encode(&arena, p);
        enum { MOST = 1 << 16 };
        uint8_t *out = arena_alloc(&arena, MOST);
        int64_t n = mutate_bytes(&arena, bytes.v, bytes.n, out, MOST, i, &LIMITS_DEFAULT);
        Program *q = codec_decode(&arena, out, n, &LIMITS_DEFAULT, message, sizeof message);
        ck_assert_str_eq(printed(q), once);
    }
}
END_TEST

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *in, size_t n, uint8_t **out, uint8_t *add, size_t nadd,
                       size_t most);
void afl_custom_deinit(void *data);

START_TEST(the_same_seed_makes_the_same_mutant_in_every_engine) {
    enum { MOST = 1 << 14 };
    void *afl = afl_custom_init(NULL, 9);
    Rng stream = {9}; /* the seeds that AFL++ gets */
    for (uint64_t i = 0; i < 100; i++) {
        arena_reset(&arena);
        Bytes bytes = codec_encode(&arena, generate_program(&arena, 43, i));
        uint64_t seed = rng_next(&stream);
        uint8_t *own = arena_alloc(&arena, MOST), *in_place = arena_alloc(&arena, MOST), *third;
        int64_t n = breed_bytes(&arena, bytes.v, bytes.n, NULL, 0, own, MOST, seed);
        ck_assert_int_eq(
            (int64_t)afl_custom_fuzz(afl, bytes.v, (size_t)bytes.n, &third, NULL, 0, MOST), n);
        ck_assert(memcmp(third, own, (size_t)n) == 0);
        n = breed_bytes(&arena, bytes.v, bytes.n, NULL, 0, own, MOST, (unsigned)seed);
        memcpy(in_place, bytes.v, (size_t)bytes.n);
        ck_assert_int_eq(
            (int64_t)LLVMFuzzerCustomMutator(in_place, (size_t)bytes.n, MOST, (unsigned)seed), n);
        ck_assert(memcmp(in_place, own, (size_t)n) == 0);
    }
    afl_custom_deinit(afl);
}
END_TEST

START_TEST(any_bytes_are_mutated_within_their_room) {
    Rng rng = {51};
    Limits small = LIMITS_DEFAULT;
    small.max_elements = 512;
    small.max_bytes = 1 << 14;
    small.max_statements = 64;
    for (uint64_t i = 0; i < 2000; i++) {
        arena_reset(&arena);
        uint8_t v[300], w[300];
        int64_t n = rng_below(&rng, 100), m = rng_below(&rng, 100), most = 1 + rng_below(&rng, 299);
        for (int64_t k = 0; k < 300; k++) {
            v[k] = (uint8_t)rng_next(&rng);
            w[k] = (uint8_t)rng_next(&rng);
        }
        int64_t made = i % 2 ? mutate_bytes(&arena, v, n, v, most, i, &small)
                             : breed_bytes(&arena, v, n, w, m, v, most, i);
        ck_assert_int_ge(made, 1);
        ck_assert_int_le(made, most);
    }
    uint8_t json[] = "{\"twingrad\": 7}", out[64];
    ck_assert_int_ge(
        mutate_bytes(&arena, json, sizeof json - 1, out, sizeof out, 1, &LIMITS_DEFAULT), 1);
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    op_table_init();
    Suite *suite = suite_create("mutate");
    TCase *tests = tcase_create("mutate");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, there_are_25_mutators_or_more);
    tcase_add_loop_test(tests, every_mutator_applies_changes_the_program_and_leaves_it_well_formed,
                        0, mutators());
    tcase_add_test(tests, chains_of_mutations_stay_well_formed);
    tcase_add_test(tests, the_same_seed_makes_the_same_mutant_of_a_program_and_of_its_bytes);
    tcase_add_test(tests, the_same_seed_makes_the_same_mutant_in_every_engine);
    tcase_add_test(tests, any_bytes_are_mutated_within_their_room);
    suite_add_tcase(suite, tests);
    return run_suite("fuzz/mutate", suite);
}
