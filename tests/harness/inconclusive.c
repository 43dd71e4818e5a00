/* What a value that rounding decides excuses: what depends on it, and nothing else. */
#include "tests/support/harness_case.h"

typedef struct Changed {
    const char *what; /* "size" or "dtype" of the first return, or an error */
    ErrCode code;
    bool excused;
} Changed;

/* x > x / 3 * 3 is decided by rounding. */
#define START                                                                                      \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[8],\"data\":{"    \
    "\"fill\":"                                                                                    \
    "\"uniform\",\"seed\":3}}],\"body\":[{\"op\":\"div\",\"self\":\"x\",\"other\":3,\"out\":"      \
    "\"a\"},"                                                                                      \
    "{\"op\":\"mul\",\"self\":\"a\",\"other\":3,\"out\":\"b\"},"

static void expect_excused(const char *program, const Changed *changed, int n) {
    static const NumberRule rules[] = {RULE_SHADOW, RULE_EXTERNAL, RULE_COARSE};
    Program *p = parse(program);
    for (int i = 0; i < COUNT_OF(rules) * n; i++) {
        const Changed *c = &changed[i % n];
        Checker checker;
        CompileOptions compile = COMPILE_DEFAULT;
        char message[256];
        ck_assert(checker_open(&checker, "reference,compiled", &compile, message, sizeof message));
        Result *a = checker.a.run(&checker.a, p, &checker.run, &arena),
               *b = checker.b.run(&checker.b, p, &checker.run, &arena);
        ck_assert(a->calls[0].ok && b->calls[0].ok);
        Values *v = &b->calls[0].returns[0].values;
        if (strcmp(c->what, "size") == 0) {
            v->size[0]++;
        } else if (strcmp(c->what, "dtype") == 0) {
            v->dtype = DT_float64;
        } else {
            b->calls[0].ok = false;
            b->calls[0].error = c->code;
            b->failure = strcmp(c->what, "crash") == 0 ? FAILURE_CRASH : FAILURE_NONE;
        }
        CheckResult out;
        check_results(&checker, p, a, b, rules[i / n], &arena, &out);
        ck_assert_msg(out.verdict == (c->excused ? SKIP : FINDING), "%d: %s %s", i, c->what,
                      errcode_name(c->code));
        ck_assert_int_eq(out.skip, c->excused ? SKIP_INCONCLUSIVE : SKIP_NONE);
        ck_assert_int_le(checker.shadow_runs, 1);
        checker_close(&checker);
    }
}

START_TEST(a_size_that_rounding_decides_excuses_sizes_and_errors_but_no_crash) {
    static const Changed changed[] = {{"size", ERR_none, true},
                                      {"error", ERR_shape, true},
                                      {"error", ERR_internal, false},
                                      {"crash", ERR_internal, false}};
    expect_excused(START "{\"op\":\"gt\",\"self\":\"x\",\"other\":\"b\",\"out\":\"m\"},"
                         "{\"op\":\"getitem\",\"self\":\"x\",\"index\":[\"m\"],\"out\":\"y\"}],"
                         "\"return\":[\"y\"]}",
                   changed, COUNT_OF(changed));
}
END_TEST

START_TEST(an_index_that_rounding_decides_excuses_its_refusal_only) {
    static const Changed changed[] = {
        {"error", ERR_index_range, true}, {"error", ERR_invalid, true}, {"error", ERR_shape, false},
        {"error", ERR_internal, false},   {"size", ERR_none, false},    {"dtype", ERR_none, false}};
    expect_excused(START "{\"op\":\"gt\",\"self\":\"x\",\"other\":\"b\",\"out\":\"m\"},"
                         "{\"op\":\"to\",\"self\":\"m\",\"dtype\":\"int64\",\"out\":\"k\"},"
                         "{\"op\":\"index_select\",\"self\":\"a\",\"dim\":0,\"index\":\"k\","
                         "\"out\":\"y\"}],\"return\":[\"y\"]}",
                   changed, COUNT_OF(changed));
}
END_TEST

/* x > x / 3 * 3 is returned beside y, which does not depend on it. */
START_TEST(a_value_that_rounding_decides_excuses_nothing_of_what_does_not_depend_on_it) {
    static const Changed changed[] = {
        {"error", ERR_index_range, false}, {"error", ERR_invalid, false},
        {"error", ERR_dtype, false},       {"size", ERR_none, false},
        {"dtype", ERR_none, false},        {"crash", ERR_internal, false}};
    expect_excused(START "{\"op\":\"gt\",\"self\":\"x\",\"other\":\"b\",\"out\":\"m\"},"
                         "{\"op\":\"mul\",\"self\":\"x\",\"other\":2,\"out\":\"y\"}],"
                         "\"return\":[\"y\",\"m\"]}",
                   changed, COUNT_OF(changed));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/inconclusive");
    TCase *tests = tcase_create("harness/inconclusive");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_size_that_rounding_decides_excuses_sizes_and_errors_but_no_crash);
    tcase_add_test(tests, an_index_that_rounding_decides_excuses_its_refusal_only);
    tcase_add_test(tests,
                   a_value_that_rounding_decides_excuses_nothing_of_what_does_not_depend_on_it);
    suite_add_tcase(suite, tests);
    return run_suite("harness/inconclusive", suite);
}
