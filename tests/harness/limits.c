/* Memory that runs out at any allocation, of the forward, of a derivative rule, or of a
 * compilation, ends the call with an error of its own; so nothing that an op or a rule makes may be
 * taken for granted. */
#include "tests/support/finding_case.h"

#include <stdlib.h>

/* Runs both executors with less and less memory, each by a twentieth: the runs of a program with
 * memory enough, and until none is left for its inputs. Adds the calls that ended for it. */
static void run_with_less_and_less(const Checker *c, const Program *p, int *limited) {
    for (int64_t bytes = 1 << 20; bytes > 64; bytes -= bytes / 20) {
        Arena work = ARENA_EMPTY;
        RunOptions run = c->run;
        run.limits.max_bytes = bytes;
        const Executor *executors[] = {&c->reference, &c->b};
        for (int k = 0; k < COUNT_OF(executors); k++) {
            Executor e = *executors[k];
            const Result *r = e.run(&e, p, &run, &work);
            for (int i = 0; i < r->ncalls; i++) {
                *limited += !r->calls[i].ok && r->calls[i].error == ERR_limit;
            }
        }
        arena_destroy(&work);
    }
}

START_TEST(a_run_survives_the_end_of_its_memory_anywhere) {
    const char *more = getenv("LIMITS_PROGRAMS");
    uint64_t n = more ? strtoull(more, NULL, 10) : FAULT_PROGRAMS / 8;
    GenerateOptions options = GENERATE_DEFAULTS;
    char message[256];
    ck_assert(
        generate_profile(&options, "autograd,stmt.grad=120,mistake=0", message, sizeof message));
    Checker c;
    CompileOptions compile = COMPILE_DEFAULT;
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    int limited = 0;
    for (uint64_t i = 0; i < n; i++) {
        arena_reset(&arena);
        run_with_less_and_less(&c, generate_program_info(&arena, &options, 9, i, NULL), &limited);
    }
    ck_assert_int_gt(limited, 100);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/limits");
    TCase *tests = tcase_create("harness/limits");
    tcase_set_timeout(tests, 3600);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_run_survives_the_end_of_its_memory_anywhere);
    suite_add_tcase(suite, tests);
    return run_suite("harness/limits", suite);
}
