/* Programs with functions and hooks of their own (format version 2): the generator draws them where
 * its weight says so, and only there; their text, bytes and mutants are well-formed, and come back.
 */
#define CODEC_VERSION 2
#include "tests/support/format_case.h"

START_TEST(a_program_states_the_format_version_that_it_needs) {
    int second = 0;
    for (uint64_t i = 0; i < 300; i++) {
        arena_reset(&arena);
        Program *p = drawn(i);
        bool applies = strstr(printed(p), "\"apply\"") != NULL;
        ck_assert_int_eq(strncmp(printed(p), "{\"twingrad\": 2", 14) == 0, p->nfunctions > 0);
        ck_assert(!applies || p->nfunctions > 0);
        second += applies;
        ck_assert_int_eq(generate_program(&arena, 5, i)->nfunctions, 0); /* weight 0 */
    }
    ck_assert_int_ge(second, 120);
}
END_TEST

/* Which options and parts of functions occur. */
START_TEST(every_option_of_functions_occurs) {
    int dirty = 0, plain = 0, undefined = 0, once = 0, saving = 0, several = 0, none = 0;
    for (uint64_t i = 0; i < 400; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i);
        for (int k = 0; k < p->nfunctions; k++) {
            const Function *f = &p->functions[k];
            dirty += f->ndirty;
            plain += f->nnon_differentiable;
            undefined += f->undefined_grads;
            once += f->once_differentiable;
            saving += f->nsave > 0;
            several += f->nreturns > 1;
            none += !f->plain && f->grad_inputs[0] == NAME_NONE;
        }
    }
    ck_assert(dirty > 20 && plain > 20 && undefined > 20 && once > 20 && saving > 20 &&
              several > 20 && none > 5);
}
END_TEST

/* Functions whose first statement writes their first operand; of them, those that do not mark it.
 */
static int count_unmarked(int *writing) {
    int unmarked = 0;
    *writing = 0;
    for (uint64_t i = 0; i < 600; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i);
        for (int k = 0; k < p->nfunctions; k++) {
            const Function *f = &p->functions[k];
            const Stmt *s = f->forward.first;
            if (!f->plain && s && s->kind == STMT_OP && s->op->kind == KIND_INPLACE) {
                *writing += 1;
                unmarked += f->ndirty == 0;
            }
        }
    }
    return unmarked;
}

/* torch.autograd.function.FunctionCtx.mark_dirty: every tensor that forward writes must be given to
 * it. What happens otherwise says nothing about a compiler. */
START_TEST(functions_for_targets_mark_what_they_write) {
    int writing;
    ck_assert_int_gt(count_unmarked(&writing), 0);
    ck_assert_int_gt(writing, 20);
    ck_assert_msg(generate_profile(&options, "target,stmt.apply=300", message, sizeof message),
                  "%s", message);
    ck_assert_int_eq(count_unmarked(&writing), 0);
    ck_assert_int_gt(writing, 20);
}
END_TEST

START_TEST(every_kind_of_hook_occurs) {
    int removed = 0, after = 0, silent = 0, nested = 0, shared = 0;
    for (uint64_t i = 0; i < 600; i++) {
        arena_reset(&arena);
        const Program *p = drawn(i);
        int registered[MAX_FUNCTIONS] = {0};
        for (const Stmt *s = p->body.first; s; s = s->next) {
            if (s->kind == STMT_HOOK) {
                const Function *f = &p->functions[s->hook->function];
                removed += s->hook->remove;
                after += f->nparams == 2;
                silent += f->nreturns == 0;
                nested += f->forward.first && f->forward.first->kind == STMT_IF;
                shared += !s->hook->remove && registered[s->hook->function]++ > 0;
            }
        }
    }
    ck_assert(removed > 20 && after > 20 && silent > 20 && nested > 20 && shared > 20);
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
    options = GENERATE_DEFAULTS;
    ck_assert_msg(
        generate_profile(&options, "stmt.apply=300,stmt.hook=200", message, sizeof message), "%s",
        message);
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("functions");
    TCase *t = tcase_create("functions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_program_states_the_format_version_that_it_needs);
    tcase_add_test(t, every_option_of_functions_occurs);
    tcase_add_test(t, functions_for_targets_mark_what_they_write);
    tcase_add_test(t, every_kind_of_hook_occurs);
    tcase_add_test(t, every_program_is_well_formed_and_its_bytes_come_back);
    tcase_add_test(t, changed_bytes_are_a_well_formed_program);
    tcase_add_test(t, mutants_are_well_formed);
    suite_add_tcase(suite, t);
    return run_suite("fuzz/functions", suite);
}
