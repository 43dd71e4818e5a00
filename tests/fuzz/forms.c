/* Programs with Python around calls and results, and with blocks for targets (format version 2):
 * the generator draws them where their weights say so, and only there; their text, bytes and
 * mutants are well-formed, and come back. */
#define CODEC_VERSION 4
#include "tests/support/format_case.h"

static bool has_forms(const Program *p) {
    return p->surface && (p->surface->forms.given || p->surface->leave_given);
}

START_TEST(a_program_states_the_format_version_that_it_needs) {
    int second = 0;
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i), *plain = generate_program(&arena, 5, i); /* weights 0 */
        ck_assert_int_eq(program_format(p), has_forms(p) ? 2 : 1);
        ck_assert(!has_forms(plain));
        ck_assert_int_eq(program_format(plain), 1);
        second += has_forms(p);
    }
    ck_assert_int_eq(second, 300);
}
END_TEST

START_TEST(the_weights_change_nothing_but_the_surface) {
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        Program *p = drawn(i), *plain = generate_program(&arena, 5, i);
        p->surface = plain->surface = NULL;
        ck_assert_str_eq(printed(p), printed(plain));
    }
}
END_TEST

START_TEST(every_form_and_every_place_of_results_occurs) {
    int form[FORM_COUNT] = {0}, leave[LEAVE_COUNT] = {0};
    for (uint64_t i = 0; i < 1500; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i);
        for (int k = 0; k < p->surface->forms.n; k++) {
            int sid = program_find(p, p->surface->forms.v[k].path);
            ck_assert_int_ge(sid, 0);
            ck_assert_int_eq(program_stmt(p, sid)->kind, STMT_OP);
            form[p->surface->forms.v[k].choice]++;
        }
        leave[p->surface->leave]++;
    }
    for (int k = 0; k < FORM_COUNT; k++) {
        ck_assert_msg(form[k] > 20, "form %d: %d", k, form[k]);
    }
    for (int k = 0; k < LEAVE_COUNT; k++) {
        ck_assert_msg(leave[k] > 20, "place %d: %d", k, leave[k]);
    }
}
END_TEST

/* `count[CONTEXT_COUNT]`: of the checkpointed ones, those that are reentrant. */
static void count_contexts(const Block *block, int *count) {
    for (const Stmt *s = block->first; s; s = s->next) {
        if (s->kind == STMT_WITH) {
            count[s->context]++;
            count[CONTEXT_COUNT] += s->context == CONTEXT_checkpoint && s->reentrant;
        }
        count_contexts(&s->body, count);
        count_contexts(&s->orelse, count);
    }
}

START_TEST(blocks_for_targets_occur_where_their_weights_say_so_and_come_back) {
    int count[CONTEXT_COUNT + 1] = {0};
    ck_assert_msg(generate_profile(&options,
                                   "autocast=15,checkpoint=15,transform=35,complex=30,item=50,"
                                   "training=55,region=100,stmt.grad_mode=300",
                                   message, sizeof message),
                  "%s", message);
    for (uint64_t i = 0; i < 3000; i++) {
        arena_reset(&arena);
        Program *p = drawn(i), *plain = generate_program(&arena, 5, i);
        is_well_formed(p);
        ck_assert_int_eq(program_format(p), has_forms(p) || program_has_context_block(p) ? 2 : 1);
        ck_assert(!program_has_context_block(plain));
        Bytes bytes = codec_encode(&arena, p);
        const Program *q =
            codec_decode(&arena, bytes.v, bytes.n, &LIMITS_DEFAULT, message, sizeof message);
        ck_assert_str_eq(printed(q), printed(p));
        count_contexts(&p->body, count);
    }
    for (int k = 0; k <= CONTEXT_COUNT; k++) {
        ck_assert_msg(count[k] > 10, "kind %d: %d", k, count[k]);
    }
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
    options = GENERATE_DEFAULTS;
    ck_assert_msg(generate_profile(&options, "forms=100,leave=100", message, sizeof message), "%s",
                  message);
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("forms");
    TCase *t = tcase_create("forms");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_program_states_the_format_version_that_it_needs);
    tcase_add_test(t, the_weights_change_nothing_but_the_surface);
    tcase_add_test(t, every_form_and_every_place_of_results_occurs);
    tcase_add_test(t, blocks_for_targets_occur_where_their_weights_say_so_and_come_back);
    tcase_add_test(t, every_program_is_well_formed_and_its_bytes_come_back);
    tcase_add_test(t, changed_bytes_are_a_well_formed_program);
    tcase_add_test(t, mutants_are_well_formed);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/forms", suite);
}
