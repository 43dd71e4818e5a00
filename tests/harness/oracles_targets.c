/* What oracles compare of targets: what only they record, and what a compiling one may do
 * otherwise. */
#include "tests/support/oracle_case.h"

/* The calls of both sides that are comparable. */
static Comparison tolerant_comparison(const Case *c, bool lenient) {
    Comparison cmp = {.program = c->p,
                      .a = c->a,
                      .b = c->b,
                      .rule = RULE_TOLERANT,
                      .lenient = lenient,
                      .arena = &arena};
    comparison_count_calls(&cmp);
    return cmp;
}

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
            Comparison cmp = tolerant_comparison(&c, lenient);
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

/* A graph break raises nothing: a tracer that reports an error there has failed behind it. */
START_TEST(an_error_at_a_graph_break_is_one_of_a_statement_behind_it) {
    static const char BREAKS[] =
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"data\":[1,2]}],\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"a\"},"
        "{\"graph_break\":true},{\"op\":\"exp\",\"self\":\"a\",\"out\":\"b\"}],"
        "\"return\":[\"b\"]}";
    static const struct {
        int a, b;
        Verdict verdict; /* against a compiling target */
    } places[] = {{2, 1, AGREE},   {1, 2, AGREE},   {AT_RETURN, 1, AGREE},
                  {0, 1, FINDING}, {2, 0, FINDING}, {AT_BACKWARD, 1, FINDING}};
    Case c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    Finding finding;
    c.p = parse(BREAKS);
    ck_assert(checker_open(&c.checker, "reference,reference", &compile, message, sizeof message));
    c.a = c.checker.a.run(&c.checker.a, c.p, &c.checker.run, &arena);
    c.b = c.checker.b.run(&c.checker.b, c.p, &c.checker.run, &arena);
    for (int i = 0; i < COUNT_OF(places); i++) {
        set_errors(&c, ERR_shape, places[i].a, ERR_shape, places[i].b);
        for (int lenient = 0; lenient < 2; lenient++) {
            Comparison cmp = tolerant_comparison(&c, lenient);
            ck_assert_int_eq(oracle_function(ORACLE_status)(&cmp, &finding),
                             lenient ? places[i].verdict : FINDING);
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
            Comparison cmp = tolerant_comparison(&c, lenient);
            ck_assert_int_eq(oracle_function(ORACLE_values)(&cmp, &finding),
                             lenient ? places[i].verdict : FINDING);
        }
    }
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
    AliasKind alias = c.a->calls[0].returns[1].alias;
    c.a->calls[0].returns[1].alias = alias == ALIAS_NONE ? ALIAS_INPUT : ALIAS_NONE;
    compare(&c);
    ck_assert_int_eq(c.out.finding.oracle, ORACLE_alias); /* it changes with what it shares */
    c.a->calls[0].returns[1].alias = alias;
    c.a->calls[1].ok = c.b->calls[1].ok = false; /* how far a call wrote that raises */
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    c.a->calls[1].ok = c.b->calls[1].ok = true;
    c.a->calls[0].returns[1].changed_later = true;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

START_TEST(state_fires_on_a_mode_that_only_one_side_leaves_changed) {
    static char grad_mode[] = "grad_mode", autocast[] = "autocast";
    char *names[] = {grad_mode, autocast};
    Case c;
    start(&c);
    CallResult *a = &c.a->calls[0], *b = &c.b->calls[0];
    b->has_changed_state = true;
    b->changed_state = names;
    b->nchanged_state = 2;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE); /* the reference does not record it */
    a->has_changed_state = true;
    expect_finding(&c, ORACLE_state, "grad_mode");
    a->changed_state = names;
    a->nchanged_state = 1;
    compare(&c);
    ck_assert_str_eq(c.out.finding.kind, "autocast");
    b->ok = false; /* also if one side raises; this names the finding */
    compare(&c);
    ck_assert_str_eq(c.out.finding.kind, "autocast");
    ck_assert(c.out.fired >> ORACLE_status & 1);
    b->nchanged_state = 0;
    b->ok = true;
    compare(&c);
    ck_assert_str_eq(c.out.finding.kind, "grad_mode");
    ck_assert_str_eq(c.out.finding.a, "left changed");
    a->nchanged_state = 0;
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

/* What a mode keeps of eager mode: strides of new tensors, and with them the versions of inputs. */
START_TEST(strides_and_versions_are_compared_with_a_mode_that_keeps_them) {
    static const struct {
        ModeKeeps keeps;
        Verdict stride, version;
    } modes[] = {{KEEPS_NOTHING, AGREE, AGREE},
                 {KEEPS_LAYOUT, FINDING, AGREE},
                 {KEEPS_VERSIONS, FINDING, FINDING}};
    Case c;
    Finding finding;
    start(&c);
    ReturnRecord *r = &c.b->calls[0].returns[0];
    ck_assert(r->has_stride && r->has_alias);
    r->alias = c.a->calls[0].returns[0].alias = ALIAS_NONE;
    for (int i = 0; i < COUNT_OF(modes); i++) {
        Comparison cmp = tolerant_comparison(&c, true);
        cmp.keeps = modes[i].keeps;
        ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), AGREE);
        r->stride[0]++;
        ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), modes[i].stride);
        r->stride[0]--;
        r->storage_offset++;
        ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), modes[i].stride);
        r->storage_offset--;
        ck_assert(c.b->calls[0].inputs[0].has_version);
        c.b->calls[0].inputs[0].version++;
        ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), modes[i].version);
        c.b->calls[0].inputs[0].version--;
    }
}
END_TEST

START_TEST(a_write_that_the_compiler_does_not_count_is_a_finding) {
    static const struct {
        Base base;
        int64_t a, b;
        Verdict verdict;
    } cases[] = {{BASE_A, 1, 0, FINDING}, {BASE_A, 2, 1, AGREE},   {BASE_A, 0, 1, AGREE},
                 {BASE_B, 1, 0, AGREE},   {BASE_B, 0, 3, FINDING}, {BASE_NONE, 1, 0, AGREE},
                 {BASE_A, 0, 0, AGREE}};
    Case c;
    Finding finding;
    start(&c);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Comparison cmp = tolerant_comparison(&c, true);
        cmp.base = cases[i].base;
        c.a->calls[0].inputs[0].version = cases[i].a;
        c.b->calls[0].inputs[0].version = cases[i].b;
        ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), cases[i].verdict);
        if (cases[i].verdict == FINDING) {
            ck_assert_str_eq(finding.kind, "uncounted_write");
        }
    }
    Comparison cmp = tolerant_comparison(&c, true); /* transpose_ writes nothing, but is counted */
    cmp.base = BASE_A;
    c.a->calls[0].inputs[0].version = 1;
    cmp.program =
        parse("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":"
              "[1],\"data\":[1]}],\"body\":[{\"op\":\"t\",\"self\":\"x\",\"out\":\"y\"},"
              "{\"op\":\"t_\",\"self\":\"y\"}],\"return\":[\"y\"]}");
    ck_assert_int_eq(oracle_function(ORACLE_metadata)(&cmp, &finding), AGREE);
}
END_TEST

START_TEST(only_the_modes_of_pytorch_that_run_its_ops_keep_more_than_values) {
    static const struct {
        const char *mode;
        ModeKeeps keeps;
    } modes[] = {{"dynamo", KEEPS_VERSIONS},
                 {"dynamo_dynamic", KEEPS_VERSIONS},
                 {"aot_eager_fullgraph", KEEPS_LAYOUT},
                 {"aot_decomp", KEEPS_NOTHING},
                 {"inductor", KEEPS_NOTHING}};
    for (int i = 0; i < COUNT_OF(modes); i++) {
        ck_assert_int_eq(mode_row(modes[i].mode)->keeps, modes[i].keeps);
    }
    ck_assert_ptr_null(mode_row("mine"));
}
END_TEST

/* A return that overlaps itself is not written to: each side has checked something else. */
START_TEST(writes_to_a_result_that_one_side_expanded_are_not_compared_with_a_compiling_target) {
    Case c;
    Finding finding;
    start(&c);
    ((float *)c.b->calls[0].returns[0].poked)[0] = 42;
    Comparison cmp = tolerant_comparison(&c, true);
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

/* One that the setup makes; as a target would record it. */
static void with_argument(Case *c, CallResult **a, CallResult **b) {
    static const char SETUP[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"data\":[1,2]}],\"setup\":[{\"op\":\"mul\",\"self\":\"x\",\"other\":2,\"out\":\"u\"}],"
        "\"args\":[\"x\",\"u\"],\"body\":[{\"op\":\"mul_\",\"self\":\"u\",\"other\":2}],"
        "\"return\":[]}";
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    c->p = parse(SETUP);
    ck_assert(checker_open(&c->checker, "reference,reference", &compile, message, sizeof message));
    Result **results[] = {&c->a, &c->b};
    for (int side = 0; side < 2; side++) {
        *results[side] = c->checker.a.run(&c->checker.a, c->p, &c->checker.run, &arena);
        CallResult *call = &(*results[side])->calls[0];
        ck_assert_int_eq(call->ninputs, 1);
        call->nargs = 1;
        call->args = arena_array(&arena, InputRecord, 1);
        call->args[0] = call->inputs[0];
        call->args[0].name = program_arg(c->p, 1);
        call->args[0].data.data = arena_copy(&arena, call->inputs[0].data.data, 8);
        call->args[0].grad_state = GRAD_VALUE;
        call->args[0].grad = call->args[0].data;
        call->args[0].grad.data = arena_copy(&arena, call->inputs[0].data.data, 8);
    }
    *a = &c->a->calls[0];
    *b = &c->b->calls[0];
}

START_TEST(oracles_fire_on_an_argument_that_the_setup_made) {
    Case c;
    CallResult *a, *b;
    with_argument(&c, &a, &b);
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
    ((float *)b->args[0].data.data)[1] = 42;
    expect_finding(&c, ORACLE_values, "argument");
    ck_assert_int_eq(c.out.finding.subject, SUBJECT_ARG);
    ck_assert_str_eq(finding_location(&arena, c.p, &c.out.finding), "argument u, element 1");
    with_argument(&c, &a, &b);
    b->args[0].stride[0] = 2;
    expect_finding(&c, ORACLE_metadata, "argument_stride");
    with_argument(&c, &a, &b);
    b->args[0].is_leaf ^= true;
    expect_finding(&c, ORACLE_flags, "is_leaf");
    with_argument(&c, &a, &b);
    ((float *)b->args[0].grad.data)[0] = 42;
    expect_finding(&c, ORACLE_gradients, "data");
    ck_assert_str_eq(finding_location(&arena, c.p, &c.out.finding),
                     "argument u, gradient, element 0");
    with_argument(&c, &a, &b);
    ((float *)b->args[0].data.data)[1] = 42;
    b->nargs = 0; /* not recorded */
    compare(&c);
    ck_assert_int_eq(c.out.verdict, AGREE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/oracles_targets");
    TCase *tests = tcase_create("harness/oracles_targets");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(
        tests, a_call_that_keeps_tensors_after_an_error_is_not_compared_with_a_compiling_target);
    tcase_add_test(tests, an_error_at_a_graph_break_is_one_of_a_statement_behind_it);
    tcase_add_test(tests, inputs_are_compared_after_an_error_if_the_function_had_ended);
    tcase_add_test(tests, values_fire_on_a_return_that_only_one_side_changes_later);
    tcase_add_test(tests, state_fires_on_a_mode_that_only_one_side_leaves_changed);
    tcase_add_test(tests, strides_and_versions_are_compared_with_a_mode_that_keeps_them);
    tcase_add_test(tests, a_write_that_the_compiler_does_not_count_is_a_finding);
    tcase_add_test(tests, only_the_modes_of_pytorch_that_run_its_ops_keep_more_than_values);
    tcase_add_test(
        tests, writes_to_a_result_that_one_side_expanded_are_not_compared_with_a_compiling_target);
    tcase_add_test(tests, gradients_fire_on_memory_that_only_the_compiler_shares);
    tcase_add_test(tests, gradients_fire_on_one_that_requires_grad);
    tcase_add_test(tests, oracles_fire_on_an_argument_that_the_setup_made);
    suite_add_tcase(suite, tests);
    return run_suite("harness/oracles_targets", suite);
}
