/* Every oracle fires when one field of one result is changed, and on nothing else. Results come
 * from the reference, run twice, so that both sides are equal until a test breaks one. */
#include "harness/triage/locate.h"
#include "tests/support/oracle_case.h"

START_TEST(equal_results_agree) {
    Case c;
    start(&c);
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    ck_assert_int_eq(c.out.fired, 0);
    ck_assert_int_eq(c.checker.shadow_runs, 0); /* nothing differed, so nothing was run again */
}
END_TEST

START_TEST(status_fires_on_one_sided_error) {
    Case c;
    start(&c);
    c.b->calls[1].ok = false;
    c.b->calls[1].error = ERR_saved_modified;
    c.b->calls[1].error_at = AT_BACKWARD;
    expect_finding(&c, ORACLE_status, "ok_vs_saved_modified");
    ck_assert_int_eq(c.out.finding.call, 1);
    ck_assert_int_eq(c.out.finding.sid, AT_BACKWARD);
}
END_TEST

START_TEST(status_fires_on_another_code) {
    Case c;
    start(&c);
    set_errors(&c, ERR_shape, 3, ERR_dtype, 3);
    expect_finding(&c, ORACLE_status, "shape_vs_dtype");
}
END_TEST

START_TEST(status_fires_on_another_statement) {
    Case c;
    start(&c);
    set_errors(&c, ERR_shape, 3, ERR_shape, 2);
    expect_finding(&c, ORACLE_status, "place_shape");
    ck_assert_int_eq(c.out.finding.sid, 2);
}
END_TEST

START_TEST(status_agrees_on_equal_errors_and_unknown_statements) {
    Case c;
    start(&c);
    set_errors(&c, ERR_shape, 3, ERR_shape, 3);
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    set_errors(&c, ERR_shape, 3, ERR_shape, AT_UNKNOWN);
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

START_TEST(status_never_agrees_on_internal) {
    Case c;
    start(&c);
    set_errors(&c, ERR_internal, 3, ERR_internal, 3);
    c.a->calls[0].message = "one";
    c.b->calls[0].message = "two";
    expect_finding(&c, ORACLE_status, "internal");
}
END_TEST

START_TEST(limits_and_unsupported_are_skips) {
    Case c;
    start(&c);
    set_errors(&c, ERR_limit, 3, ERR_shape, 2);
    compare(&c);
    ck_assert_int_eq(c.out.verdict, SKIP);
    ck_assert_int_eq(c.out.skip, SKIP_LIMIT);
    set_errors(&c, ERR_shape, 3, ERR_unsupported, 2);
    compare(&c);
    ck_assert_int_eq(c.out.skip, SKIP_UNSUPPORTED);
    ck_assert_int_eq(c.checker.skips[SKIP_LIMIT], 1);
    ck_assert_int_eq(c.checker.skips[SKIP_UNSUPPORTED], 1);
}
END_TEST

START_TEST(undefined_meaning_is_a_skip) {
    Case c;
    start(&c);
    c.a->undefined = &(UndefinedNote){0, "duplicate indices"};
    c.a->nundefined = 1;
    c.b->calls[0].returns[0].requires_grad ^= true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, SKIP);
    ck_assert_int_eq(c.out.skip, SKIP_UNDEFINED);
}
END_TEST

START_TEST(unspecified_behaviour_of_pytorch_is_a_skip_of_its_own) {
    Case c;
    start(&c);
    c.a->unspecified = "the order of equal elements";
    c.b->calls[0].returns[0].requires_grad ^= true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, SKIP);
    ck_assert_int_eq(c.out.skip, SKIP_UNSPECIFIED);
    ck_assert_int_eq(c.checker.skips[SKIP_UNDEFINED], 0);
}
END_TEST

START_TEST(trace_fires_on_another_answer) {
    Case c;
    start(&c);
    ck_assert_int_eq(c.b->calls[0].ntrace, 2);
    c.b->calls[0].trace[0].v[0] ^= 1;
    expect_finding(&c, ORACLE_trace, "requires_grad");
    check_locate(&c.checker, c.p, &c.out.finding, &arena);
    ck_assert_str_eq(c.out.finding.signature, "trace-requires_grad-mul");
}
END_TEST

START_TEST(trace_fires_on_another_size_and_on_another_path) {
    Case c;
    start(&c);
    c.b->calls[0].trace[1].v[1]++;
    expect_finding(&c, ORACLE_trace, "size");
    start(&c);
    c.b->calls[0].ntrace--;
    expect_finding(&c, ORACLE_trace, "path");
}
END_TEST

START_TEST(values_fire_on_one_element_of_a_return) {
    Case c;
    start(&c);
    ((float *)c.b->calls[0].returns[0].values.data)[4] += 0.125f;
    expect_finding(&c, ORACLE_values, "data");
    ck_assert_int_eq(c.out.finding.element, 4);
    ck_assert_int_eq(c.checker.shadow_runs, 1);
}
END_TEST

START_TEST(values_fire_on_a_mutated_input) {
    Case c;
    start(&c);
    ((float *)c.b->calls[1].inputs[1].data.data)[2] = 7;
    expect_finding(&c, ORACLE_values, "input");
    ck_assert_int_eq(c.out.finding.call, 1);
    ck_assert_int_eq(c.out.finding.index, 1);
}
END_TEST

START_TEST(values_ignore_an_unsettled_input) {
    Case c;
    start(&c);
    ((float *)c.b->calls[1].inputs[1].data.data)[2] = 7;
    c.a->calls[1].inputs[1].unsettled = true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

START_TEST(metadata_fires_on_dtype_size_stride_offset_version) {
    Case c;
    start(&c);
    c.b->calls[0].returns[0].values.dtype = DT_int32;
    expect_finding(&c, ORACLE_metadata, "dtype");
    start(&c);
    c.b->calls[0].returns[0].values.size[0] = 3;
    c.b->calls[0].returns[0].values.size[1] = 2;
    expect_finding(&c, ORACLE_metadata, "size");
    start(&c);
    c.b->calls[0].returns[1].stride[0] = 17;
    expect_finding(&c, ORACLE_metadata, "stride");
    start(&c);
    c.b->calls[0].returns[1].storage_offset = 1;
    expect_finding(&c, ORACLE_metadata, "storage_offset");
    start(&c);
    c.b->calls[0].inputs[1].version++;
    expect_finding(&c, ORACLE_metadata, "version");
    start(&c);
    c.b->calls[0].nreturns = 2;
    expect_finding(&c, ORACLE_metadata, "count");
}
END_TEST

START_TEST(metadata_ignores_the_stride_of_a_dimension_of_size_one) {
    Case c;
    start(&c);
    ck_assert_int_eq(c.b->calls[0].returns[2].values.size[0], 1);
    c.b->calls[0].returns[2].stride[0] = 99;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

START_TEST(flags_fire_on_requires_grad_and_is_leaf) {
    Case c;
    start(&c);
    c.b->calls[0].returns[0].requires_grad ^= true;
    expect_finding(&c, ORACLE_flags, "requires_grad");
    start(&c);
    c.b->calls[0].returns[0].is_leaf ^= true;
    expect_finding(&c, ORACLE_flags, "is_leaf");
    start(&c);
    c.b->calls[0].inputs[1].requires_grad ^= true;
    expect_finding(&c, ORACLE_flags, "requires_grad");
}
END_TEST

START_TEST(alias_fires_on_reported_aliases_and_on_the_write_through_check) {
    Case c;
    start(&c);
    ck_assert_int_eq(c.b->calls[0].returns[1].alias, ALIAS_INPUT);
    c.b->calls[0].returns[1].alias = ALIAS_NONE;
    expect_finding(&c, ORACLE_alias, "storage");
    start(&c);
    ck_assert_int_eq(c.b->calls[0].returns[2].alias, ALIAS_RETURN);
    c.b->calls[0].returns[2].alias_index = 1;
    expect_finding(&c, ORACLE_alias, "storage");
    start(&c);
    float *poked = (float *)c.b->calls[0].returns[0].poked;
    ck_assert_ptr_nonnull(poked);
    poked[0] = 42;
    expect_finding(&c, ORACLE_alias, "poke");
    start(&c);
    poked = (float *)c.b->calls[0].inputs[0].poked;
    poked[5] = 42;
    expect_finding(&c, ORACLE_alias, "poke");
}
END_TEST

START_TEST(gradients_fire_on_none_zeros_and_values) {
    Case c;
    start(&c);
    ck_assert_int_eq(c.b->calls[0].inputs[0].grad_state, GRAD_VALUE);
    c.b->calls[0].inputs[0].grad_state = GRAD_NULL;
    expect_finding(&c, ORACLE_gradients, "value_vs_none");
    start(&c);
    memset(c.a->calls[0].inputs[0].grad.data, 0, 6 * sizeof(float));
    c.b->calls[0].inputs[0].grad_state = GRAD_NULL;
    expect_finding(&c, ORACLE_gradients, "zeros_vs_none");
    start(&c);
    memset(c.a->calls[0].inputs[0].grad.data, 0, 6 * sizeof(float));
    ((float *)c.a->calls[0].inputs[0].grad.data)[4] = NAN;
    c.b->calls[0].inputs[0].grad_state = GRAD_NULL;
    expect_finding(&c, ORACLE_gradients, "nan_vs_none");
    start(&c);
    memset(c.b->calls[0].inputs[0].grad.data, 0, 6 * sizeof(float));
    expect_finding(&c, ORACLE_gradients, "value_vs_zeros");
    start(&c);
    memset(c.a->calls[0].inputs[0].grad.data, 0, 6 * sizeof(float));
    memset(c.b->calls[0].inputs[0].grad.data, 0, 6 * sizeof(float));
    ((float *)c.b->calls[0].inputs[0].grad.data)[3] = NAN;
    expect_finding(&c, ORACLE_gradients, "zeros_vs_nan");
    start(&c);
    ((float *)c.b->calls[0].inputs[0].grad.data)[3] *= 2;
    expect_finding(&c, ORACLE_gradients, "data");
    start(&c);
    c.b->calls[0].inputs[0].grad.size[0] = 6;
    c.b->calls[0].inputs[0].grad.size[1] = 1;
    expect_finding(&c, ORACLE_gradients, "size");
}
END_TEST

START_TEST(calls_fire_on_another_count_and_a_needless_recompile) {
    Case c;
    start(&c);
    c.b->ncalls = 1;
    expect_finding(&c, ORACLE_calls, "count");
    start(&c);
    c.b->calls[0].compiled = c.b->calls[1].compiled = true;
    expect_finding(&c, ORACLE_calls, "recompile");
    start(&c);
    c.p->recalls[0].inputs[0].data.seed = 4; /* another value: a recompile may be right */
    c.b->calls[0].compiled = c.b->calls[1].compiled = true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

/* A changed answer of one of two compiled executors, neither of which knows what is undefined. */
static void one_of_two_compiled(const char *stride, CheckResult *out) {
    Checker checker;
    CompileOptions compile = COMPILE_DEFAULT;
    char message[256], text[400];
    snprintf(text, sizeof text,
             "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"int64\",\"size\":[2,3],"
             "\"stride\":%s,\"data\":{\"fill\":\"arange\",\"seed\":0}}],"
             "\"body\":[{\"op\":\"floor_divide_\",\"self\":\"x\",\"other\":4}],\"return\":[\"x\"]}",
             stride);
    Program *p = parse(text);
    ck_assert(checker_open(&checker, "compiled,compiled", &compile, message, sizeof message));
    Result *a = checker.a.run(&checker.a, p, &checker.run, &arena),
           *b = checker.b.run(&checker.b, p, &checker.run, &arena);
    ck_assert_int_eq(a->nundefined, 0);
    ((int64_t *)b->calls[0].returns[0].values.data)[0] += 1;
    check_results(&checker, p, a, b, RULE_SHADOW, &arena, out);
}

START_TEST(what_pytorch_leaves_undefined_is_not_held_against_one_of_two_compiled_executors) {
    CheckResult out;
    one_of_two_compiled("[2,1]", &out); /* it overlaps itself, and is read and written */
    ck_assert_int_eq(out.verdict, SKIP);
    ck_assert_int_eq(out.skip, SKIP_UNDEFINED);
    one_of_two_compiled("[3,1]", &out);
    ck_assert_int_eq(out.verdict, FINDING);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/oracles");
    TCase *tests = tcase_create("harness/oracles");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, equal_results_agree);
    tcase_add_test(tests, status_fires_on_one_sided_error);
    tcase_add_test(tests, status_fires_on_another_code);
    tcase_add_test(tests, status_fires_on_another_statement);
    tcase_add_test(tests, status_agrees_on_equal_errors_and_unknown_statements);
    tcase_add_test(tests, status_never_agrees_on_internal);
    tcase_add_test(tests, limits_and_unsupported_are_skips);
    tcase_add_test(tests, undefined_meaning_is_a_skip);
    tcase_add_test(tests, unspecified_behaviour_of_pytorch_is_a_skip_of_its_own);
    tcase_add_test(tests, trace_fires_on_another_answer);
    tcase_add_test(tests, trace_fires_on_another_size_and_on_another_path);
    tcase_add_test(tests, values_fire_on_one_element_of_a_return);
    tcase_add_test(tests, values_fire_on_a_mutated_input);
    tcase_add_test(tests, values_ignore_an_unsettled_input);
    tcase_add_test(tests, metadata_fires_on_dtype_size_stride_offset_version);
    tcase_add_test(tests, metadata_ignores_the_stride_of_a_dimension_of_size_one);
    tcase_add_test(tests, flags_fire_on_requires_grad_and_is_leaf);
    tcase_add_test(tests, alias_fires_on_reported_aliases_and_on_the_write_through_check);
    tcase_add_test(tests, gradients_fire_on_none_zeros_and_values);
    tcase_add_test(tests, calls_fire_on_another_count_and_a_needless_recompile);
    tcase_add_test(tests,
                   what_pytorch_leaves_undefined_is_not_held_against_one_of_two_compiled_executors);
    suite_add_tcase(suite, tests);
    return run_suite("harness/oracles", suite);
}
