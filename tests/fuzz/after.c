/* Programs with caller code behind the call (format version 2): the generator draws it where
 * its weight says so, and only there; their text, bytes and mutants are well-formed, and come back.
 */
#define CODEC_VERSION 3
#include "tests/support/format_case.h"

START_TEST(a_program_states_the_format_version_that_it_needs) {
    int second = 0;
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i), *plain = generate_program(&arena, 5, i); /* weight 0 */
        bool needs = p->after_given || program_sees_grads(p);
        ck_assert_int_eq(program_format(p), needs ? 2 : 1);
        ck_assert_int_eq(strncmp(printed(p), "{\"twingrad\": 2", 14) == 0, needs);
        ck_assert(!plain->after_given && !plain->after.first);
        ck_assert_int_eq(program_format(plain), 1);
        second += p->after_given;
    }
    ck_assert_int_ge(second, 250);
}
END_TEST

/* All before the block is as it would be without it. */
START_TEST(the_weight_changes_nothing_before_the_block) {
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        Program *p = drawn(i), *plain = generate_program(&arena, 5, i);
        ck_assert_int_eq(p->body.count, plain->body.count);
        ck_assert_int_eq(p->nreturns, plain->nreturns);
        ck_assert(p->ninputs >= plain->ninputs);
    }
}
END_TEST

static void count_statements(const Block *block, int *count) {
    for (const Stmt *s = block->first; s; s = s->next) {
        bool set = s->kind == STMT_DOT_GRAD && s->dot_grad->set;
        count[0] += s->kind == STMT_OP;
        count[1] += s->kind == STMT_GRAD && !s->grad->accumulates;
        count[2] += s->kind == STMT_GRAD && s->grad->accumulates;
        count[3] += s->kind == STMT_GRAD && s->grad->create_graph;
        count[4] += s->kind == STMT_WITH;
        count[5] += s->kind == STMT_DOT_GRAD && !set;
        count[6] += set && s->dot_grad->value == NAME_NONE;
        count[7] += set && s->dot_grad->value != NAME_NONE;
        count_statements(&s->body, count);
        count_statements(&s->orelse, count);
    }
}

START_TEST(every_kind_of_statement_occurs) {
    int count[8] = {0}, kept = 0;
    for (uint64_t i = 0; i < 600; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i);
        count_statements(&p->after, count);
        for (int k = 0; k < p->nrecalls; k++) {
            kept += p->recalls[k].keep_grads;
        }
    }
    for (int k = 0; k < COUNT_OF(count); k++) {
        ck_assert_msg(count[k] > 20, "kind %d: %d", k, count[k]);
    }
    ck_assert_int_gt(kept, 5);
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
    options = GENERATE_DEFAULTS;
    ck_assert_msg(generate_profile(&options, "after=100", message, sizeof message), "%s", message);
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("after");
    TCase *t = tcase_create("after");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_program_states_the_format_version_that_it_needs);
    tcase_add_test(t, the_weight_changes_nothing_before_the_block);
    tcase_add_test(t, every_kind_of_statement_occurs);
    tcase_add_test(t, every_program_is_well_formed_and_its_bytes_come_back);
    tcase_add_test(t, changed_bytes_are_a_well_formed_program);
    tcase_add_test(t, mutants_are_well_formed);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/after", suite);
}
