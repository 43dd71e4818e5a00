/* Programs with random ops (format version 2): the generator draws them where their weight says so,
 * and only there; each states a seed; their text, bytes and mutants are well-formed, and come back.
 */
#define CODEC_VERSION 5
#include "tests/support/format_case.h"

START_TEST(a_program_with_random_ops_states_a_seed) {
    int random = 0;
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i), *plain = generate_program(&arena, 5, i); /* weight 0 */
        ck_assert_int_eq(program_format(p), program_is_random(p) ? 2 : 1);
        ck_assert_int_eq(p->seed_given, program_is_random(p));
        ck_assert(!program_is_random(plain) && !plain->seed_given);
        random += program_is_random(p);
    }
    ck_assert_int_gt(random, 60);
}
END_TEST

START_TEST(another_seed_is_a_mutation_and_the_text_of_a_random_program_has_one) {
    int changed = 0, change_data = 0;
    while (strcmp(mutator_name(change_data), "change_data") != 0) {
        change_data++;
    }
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        Program *p = drawn(i);
        if (!program_is_random(p)) {
            continue;
        }
        p->seed_given = false;
        p->seed = 0;
        ck_assert_ptr_nonnull(strstr(printed(p), "\"seed\": 0"));
        const Program *q = mutate_by(&arena, p, NULL, i, &LIMITS_DEFAULT, change_data);
        changed += q && q->seed_given && q->seed > 0;
    }
    ck_assert_int_gt(changed, 20);
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
    options = GENERATE_DEFAULTS;
    ck_assert_msg(generate_profile(&options, "class.random=60", message, sizeof message), "%s",
                  message);
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("random");
    TCase *t = tcase_create("random");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_program_with_random_ops_states_a_seed);
    tcase_add_test(t, another_seed_is_a_mutation_and_the_text_of_a_random_program_has_one);
    tcase_add_test(t, every_program_is_well_formed_and_its_bytes_come_back);
    tcase_add_test(t, changed_bytes_are_a_well_formed_program);
    tcase_add_test(t, mutants_are_well_formed);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/random", suite);
}
