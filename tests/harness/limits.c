/* Memory that runs out at any allocation, of the forward, of a derivative rule, or of a
 * compilation, ends the call with an error of its own; so nothing that an op or a rule makes may be
 * taken for granted. */
#include "tests/support/finding_case.h"

#include <stdlib.h>

/* Runs both executors with so much memory: how many calls ended for the lack of it? */
static int ends_for_memory(const Checker *c, const Program *p, int64_t bytes) {
    Arena work = ARENA_EMPTY;
    RunOptions run = c->run;
    run.limits.max_bytes = bytes;
    const Executor *executors[] = {&c->reference, &c->b};
    int limited = 0;
    for (int k = 0; k < COUNT_OF(executors); k++) {
        Executor e = *executors[k];
        const Result *r = e.run(&e, p, &run, &work);
        for (int i = 0; i < r->ncalls; i++) {
            limited += !r->calls[i].ok && r->calls[i].error == ERR_limit;
        }
    }
    arena_destroy(&work);
    return limited;
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
        const Program *p = generate_program_info(&arena, &options, 9, i, NULL);
        for (int64_t bytes = 1 << 20; bytes > 64; bytes -= bytes / 20) {
            limited += ends_for_memory(&c, p, bytes);
        }
    }
    ck_assert_int_gt(limited, 100);
}
END_TEST

/* Its rule plans the points of the grid before it makes anything (program/sampling/grid.c). */
START_TEST(so_does_the_gradient_of_a_grid_sampler) {
    static const char text[] =
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1,1,3,3],"
        "\"requires_grad\":true,\"data\":{\"fill\":\"dyadic\",\"seed\":1}},{\"name\":\"g\","
        "\"dtype\":"
        "\"float32\",\"size\":[1,2,2,2],\"requires_grad\":true,\"data\":{\"fill\":\"dyadic\","
        "\"seed\":2}}],\"body\":[{\"op\":\"grid_sampler_2d\",\"input\":\"x\",\"grid\":\"g\","
        "\"interpolation_mode\":0,\"padding_mode\":0,\"align_corners\":true,\"out\":\"v\"},"
        "{\"op\":\"sum\",\"self\":\"v\",\"out\":\"s\"},{\"op\":\"grad\",\"outputs\":[\"s\"],"
        "\"inputs\":[\"x\",\"g\"],\"create_graph\":true,\"out\":[\"a\",\"b\"]}],\"return\":[\"a\","
        "\"b\"]}";
    Checker c;
    CompileOptions compile = COMPILE_DEFAULT;
    char message[256];
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    int limited = 0;
    const Program *p = parse(text);
    for (int64_t bytes = 64; bytes < 1 << 19; bytes += 256) {
        limited += ends_for_memory(&c, p, bytes);
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
    tcase_add_test(tests, so_does_the_gradient_of_a_grid_sampler);
    suite_add_tcase(suite, tests);
    return run_suite("harness/limits", suite);
}
