/* Every oracle fires when one field of one result is changed, and on nothing else. Results come
 * from the reference, run twice, so that both sides are equal until a test breaks one. */
#include "harness/triage/locate.h"
#include "tests/support/harness_case.h"

typedef struct Case {
    Program *p;
    Checker checker;
    Result *a, *b;
    CheckResult out;
} Case;

static void start(Case *c) {
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    c->p = parse(PROGRAM);
    ck_assert(checker_open(&c->checker, "reference,reference", &compile, message, sizeof message));
    c->a = c->checker.a.run(&c->checker.a, c->p, &c->checker.run, &arena);
    c->b = c->checker.b.run(&c->checker.b, c->p, &c->checker.run, &arena);
    ck_assert_int_eq(c->a->ncalls, 2);
    ck_assert(c->a->calls[0].ok);
    ck_assert_int_eq(c->a->calls[0].nreturns, 3);
}

static void compare(Case *c) {
    check_results(&c->checker, c->p, c->a, c->b, RULE_SHADOW, &arena, &c->out);
}

static void expect_finding(Case *c, OracleId oracle, const char *kind) {
    compare(c);
    ck_assert_msg(c->out.verdict == FINDING, "no oracle fired, expected %s", oracle_name(oracle));
    ck_assert_str_eq(oracle_name(c->out.finding.oracle), oracle_name(oracle));
    ck_assert_str_eq(c->out.finding.kind, kind);
    ck_assert(c->out.fired & (1u << oracle));
    ck_assert_int_gt(strlen(c->out.finding.a), 0);
    ck_assert_str_ne(c->out.finding.a, c->out.finding.b);
    ck_assert_int_eq(c->checker.verdicts[FINDING], 1);
}

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

static void set_errors(Case *c, ErrCode a, int at_a, ErrCode b, int at_b) {
    c->a->calls[0].ok = c->b->calls[0].ok = false;
    c->a->calls[0].error = a;
    c->a->calls[0].error_at = at_a;
    c->b->calls[0].error = b;
    c->b->calls[0].error_at = at_b;
}

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

/* A compiling target may raise an error before anything ran, where eager mode has written. */
START_TEST(a_call_that_keeps_tensors_after_an_error_is_not_compared_with_a_compiling_target) {
    static const char KEEPS[] = "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\","
                                "\"size\":[2],\"data\":[1,2]}],\"body\":[{\"op\":\"mul_\","
                                "\"self\":\"x\",\"other\":2},{\"probe\":\"size\",\"of\":\"x\"}],"
                                "\"return\":[\"x\"],\"recalls\":[{\"keep\":true}]}";
    Case c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    Finding finding;
    c.p = parse(KEEPS);
    ck_assert(checker_open(&c.checker, "reference,reference", &compile, message, sizeof message));
    c.a = c.checker.a.run(&c.checker.a, c.p, &c.checker.run, &arena);
    c.b = c.checker.b.run(&c.checker.b, c.p, &c.checker.run, &arena);
    ck_assert_int_eq(c.a->ncalls, 2);
    c.b->calls[1].returns[0].values.size[0] = 3;
    c.b->calls[1].trace[0].v[0] = 3;
    for (int lenient = 0; lenient < 2; lenient++) {
        for (int error = 0; error < 2; error++) {
            if (error) {
                set_errors(&c, ERR_saved_modified, AT_BACKWARD, ERR_saved_modified, AT_UNKNOWN);
            } else {
                c.a->calls[0].ok = c.b->calls[0].ok = true;
            }
            Comparison cmp = {.program = c.p,
                              .a = c.a,
                              .b = c.b,
                              .rule = RULE_TOLERANT,
                              .lenient = lenient,
                              .arena = &arena};
            comparison_count_calls(&cmp);
            ck_assert_int_eq(cmp.after_error, lenient && error);
            Verdict expected = lenient && error ? AGREE : FINDING;
            ck_assert_int_eq(oracle_function(ORACLE_trace)(&cmp, &finding), expected);
            ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), expected);
            c.b->calls[1].ok = false;
            comparison_count_calls(&cmp);
            ck_assert_int_eq(oracle_function(ORACLE_status)(&cmp, &finding), expected);
            c.b->calls[1].ok = true;
        }
    }
}
END_TEST

/* ... but not before the backward began, nor what the caller runs behind the function. */
START_TEST(inputs_are_compared_after_an_error_if_the_function_had_ended) {
    static const char WRITES[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"data\":[1,2]}],\"body\":[{\"op\":\"mul_\",\"self\":\"x\",\"other\":2}],"
        "\"return\":[\"x\"],\"after\":[{\"op\":\"reshape\",\"self\":\"x\",\"shape\":[1,2],"
        "\"out\":\"y\"}]}";
    static const struct {
        int a, b;
        Verdict verdict; /* against a compiling target */
    } places[] = {{AT_BACKWARD, AT_BACKWARD, FINDING}, {1, 1, FINDING},
                  {AT_BACKWARD, AT_UNKNOWN, AGREE},    {AT_UNKNOWN, AT_UNKNOWN, AGREE},
                  {AT_RETURN, AT_RETURN, AGREE},       {0, 0, AGREE}};
    Case c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    Finding finding;
    c.p = parse(WRITES);
    ck_assert(program_is_after(c.p, 1) && !program_is_after(c.p, 0));
    ck_assert(checker_open(&c.checker, "reference,reference", &compile, message, sizeof message));
    c.a = c.checker.a.run(&c.checker.a, c.p, &c.checker.run, &arena);
    c.b = c.checker.b.run(&c.checker.b, c.p, &c.checker.run, &arena);
    ck_assert_int_eq(c.b->calls[0].ninputs, 1);
    ((float *)c.b->calls[0].inputs[0].data.data)[0] = 42;
    for (int i = 0; i < COUNT_OF(places); i++) {
        set_errors(&c, ERR_shape, places[i].a, ERR_shape, places[i].b);
        for (int lenient = 0; lenient < 2; lenient++) {
            Comparison cmp = {.program = c.p,
                              .a = c.a,
                              .b = c.b,
                              .rule = RULE_TOLERANT,
                              .lenient = lenient,
                              .arena = &arena};
            comparison_count_calls(&cmp);
            ck_assert_int_eq(oracle_function(ORACLE_values)(&cmp, &finding),
                             lenient ? places[i].verdict : FINDING);
        }
    }
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

START_TEST(values_fire_on_a_return_that_only_one_side_changes_later) {
    Case c;
    start(&c);
    for (int k = 0; k < 2; k++) { /* the reference does not look again */
        ck_assert(!c.a->calls[k].has_changed_later && c.a->calls[k].ok && c.b->calls[k].ok);
        c.b->calls[k].has_changed_later = true;
        c.b->calls[k].returns[1].changed_later = true;
    }
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    c.a->calls[0].has_changed_later = true;
    c.a->calls[0].returns[1].changed_later = false;
    expect_finding(&c, ORACLE_values, "later");
    ck_assert_int_eq(c.out.finding.index, 1);
    c.a->calls[1].ok = c.b->calls[1].ok = false; /* how far a call wrote that raises */
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    c.a->calls[1].ok = c.b->calls[1].ok = true;
    c.a->calls[0].returns[1].changed_later = true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
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

/* A return that overlaps itself is not written to: each side has checked something else. */
START_TEST(writes_to_a_result_that_one_side_expanded_are_not_compared_with_a_compiling_target) {
    Case c;
    Finding finding;
    start(&c);
    ((float *)c.b->calls[0].returns[0].poked)[0] = 42;
    Comparison cmp = {.program = c.p,
                      .a = c.a,
                      .b = c.b,
                      .rule = RULE_TOLERANT,
                      .lenient = true,
                      .arena = &arena};
    comparison_count_calls(&cmp);
    ck_assert_int_eq(oracle_function(ORACLE_alias)(&cmp, &finding), FINDING);
    ck_assert_int_gt(c.a->calls[0].returns[0].values.size[0], 1);
    c.a->calls[0].returns[0].stride[0] = 0;
    ck_assert_int_eq(oracle_function(ORACLE_alias)(&cmp, &finding), AGREE);
    c.b->calls[0].returns[0].stride[0] = 0;
    ck_assert_int_eq(oracle_function(ORACLE_alias)(&cmp, &finding), FINDING);
    c.a->calls[0].returns[0].stride[0] = c.a->calls[0].returns[0].stride[1] = (int64_t)1 << 53;
    ck_assert_int_eq(oracle_function(ORACLE_alias)(&cmp, &finding), AGREE); /* no such memory */
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

START_TEST(gradients_fire_on_memory_that_only_the_compiler_shares) {
    static const struct {
        const char *a, *b;
        bool lenient;
        Base base;
        Verdict verdict;
    } cases[] = {
        {NULL, "input:x", true, BASE_A, FINDING},     {"input:x", NULL, true, BASE_A, AGREE},
        {"input:x", NULL, true, BASE_B, FINDING},     {NULL, "input:x", true, BASE_B, AGREE},
        {"input:x", "return:0", true, BASE_A, AGREE}, {"input:x", NULL, false, BASE_NONE, FINDING},
        {NULL, "input:x", false, BASE_NONE, FINDING}, {NULL, "input:x", true, BASE_NONE, AGREE}};
    Case c;
    Finding finding;
    start(&c);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        CallResult *a = &c.a->calls[0], *b = &c.b->calls[0];
        Comparison cmp = {.program = c.p,
                          .a = c.a,
                          .b = c.b,
                          .rule = RULE_TOLERANT,
                          .lenient = cases[i].lenient,
                          .base = cases[i].base,
                          .arena = &arena};
        comparison_count_calls(&cmp);
        b->input_grads = arena_array(&arena, GradFacts, b->ninputs);
        a->input_grads = NULL; /* not recorded */
        b->input_grads[0] = (GradFacts){.has_alias = true, .alias = cases[i].b};
        ck_assert_int_eq(oracle_function(ORACLE_gradients)(&cmp, &finding), AGREE);
        a->input_grads = arena_array(&arena, GradFacts, a->ninputs);
        ck_assert_int_eq(oracle_function(ORACLE_gradients)(&cmp, &finding), AGREE);
        a->input_grads[0] = (GradFacts){.has_alias = true, .alias = cases[i].a};
        ck_assert_int_eq(oracle_function(ORACLE_gradients)(&cmp, &finding), cases[i].verdict);
        if (cases[i].verdict == FINDING) {
            ck_assert_str_eq(finding.kind, "grad_alias");
            ck_assert_str_eq(cases[i].a ? finding.a : finding.b, "the memory of input:x");
        }
    }
}
END_TEST

START_TEST(gradients_fire_on_one_that_requires_grad) {
    Case c;
    start(&c);
    c.a->calls[0].return_grads = arena_array(&arena, GradFacts, c.a->calls[0].nreturns);
    c.b->calls[0].return_grads = arena_array(&arena, GradFacts, c.b->calls[0].nreturns);
    c.b->calls[0].return_grads[1] = (GradFacts){.has_requires_grad = true, .requires_grad = true};
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    c.a->calls[0].return_grads[1].has_requires_grad = true;
    expect_finding(&c, ORACLE_gradients, "grad_requires_grad");
    ck_assert_int_eq(c.out.finding.index, 1);
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
    tcase_add_test(
        tests, a_call_that_keeps_tensors_after_an_error_is_not_compared_with_a_compiling_target);
    tcase_add_test(tests, inputs_are_compared_after_an_error_if_the_function_had_ended);
    tcase_add_test(tests, status_never_agrees_on_internal);
    tcase_add_test(tests, limits_and_unsupported_are_skips);
    tcase_add_test(tests, undefined_meaning_is_a_skip);
    tcase_add_test(tests, unspecified_behaviour_of_pytorch_is_a_skip_of_its_own);
    tcase_add_test(tests, trace_fires_on_another_answer);
    tcase_add_test(tests, trace_fires_on_another_size_and_on_another_path);
    tcase_add_test(tests, values_fire_on_one_element_of_a_return);
    tcase_add_test(tests, values_fire_on_a_mutated_input);
    tcase_add_test(tests, values_ignore_an_unsettled_input);
    tcase_add_test(tests, values_fire_on_a_return_that_only_one_side_changes_later);
    tcase_add_test(tests, metadata_fires_on_dtype_size_stride_offset_version);
    tcase_add_test(tests, metadata_ignores_the_stride_of_a_dimension_of_size_one);
    tcase_add_test(tests, flags_fire_on_requires_grad_and_is_leaf);
    tcase_add_test(tests, alias_fires_on_reported_aliases_and_on_the_write_through_check);
    tcase_add_test(
        tests, writes_to_a_result_that_one_side_expanded_are_not_compared_with_a_compiling_target);
    tcase_add_test(tests, gradients_fire_on_none_zeros_and_values);
    tcase_add_test(tests, gradients_fire_on_memory_that_only_the_compiler_shares);
    tcase_add_test(tests, gradients_fire_on_one_that_requires_grad);
    tcase_add_test(tests, calls_fire_on_another_count_and_a_needless_recompile);
    tcase_add_test(tests,
                   what_pytorch_leaves_undefined_is_not_held_against_one_of_two_compiled_executors);
    suite_add_tcase(suite, tests);
    return run_suite("harness/oracles", suite);
}
