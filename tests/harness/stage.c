/* What findings of a compiling target are grouped by. */
#include "harness/search/stage.h"
#include "tests/support/harness_case.h"

#define INPUTS                                                                                     \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2,2],\"data\":"   \
    "{\"fill\":\"ones\",\"seed\":0}},{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2,2],"        \
    "\"requires_grad\":true,\"data\":{\"fill\":\"ones\",\"seed\":0}}],\"body\":["
#define PROBE(name) "{\"probe\":\"requires_grad\",\"of\":\"" name "\"}"
#define VIEW(self, out)                                                                            \
    "{\"op\":\"transpose\",\"self\":\"" self "\",\"dim0\":0,\"dim1\":1,\"out\":\"" out "\"},"
#define WRITE(self) "{\"op\":\"add_\",\"self\":\"" self "\",\"other\":\"y\"},"
#define PROBE_SIZE "{\"probe\":\"size\",\"of\":\"x\"}"
#define END "],\"return\":[\"x\"]}"

static const char *group_of(const char *text, OracleId oracle, const char *kind) {
    Finding f = {.oracle = oracle, .subject = SUBJECT_CALL, .index = -1};
    snprintf(f.kind, sizeof f.kind, "%s", kind);
    return stage_group(&arena, "dynamo", parse(text), &f);
}

START_TEST(findings_about_a_flag_are_grouped_by_how_a_write_reaches_the_tensor) {
    static const struct {
        const char *program, *group;
    } cases[] = {
        {INPUTS WRITE("x") PROBE("x") END, "dynamo flags of a written tensor"},
        {INPUTS VIEW("x", "v") WRITE("v") PROBE("x") END,
         "dynamo flags of a tensor whose view is written"},
        {INPUTS VIEW("x", "v") VIEW("v", "w") WRITE("w") PROBE("x") END,
         "dynamo flags of a tensor whose view is written"},
        {INPUTS VIEW("x", "v") WRITE("x") PROBE("v") END,
         "dynamo flags of a view whose base is written"},
        {INPUTS VIEW("x", "v") VIEW("x", "w") WRITE("v") PROBE("w") END,
         "dynamo flags of a view, another of which is written"},
        {INPUTS "{\"op\":\"neg\",\"self\":\"x\",\"out\":\"n\"}," WRITE("n") PROBE("x") END,
         "dynamo flags of another tensor than is written"},
        {INPUTS PROBE("x") "," WRITE("x") "{\"op\":\"neg\",\"self\":\"x\",\"out\":\"n\"}" END,
         "dynamo flags without a write"},
        {INPUTS "{\"op\":\"neg_\",\"self\":\"x\",\"out\":\"z\"}," WRITE("z") PROBE("x") END,
         "dynamo flags of a written tensor"},
        {INPUTS "{\"op\":\"detach\",\"self\":\"x\",\"out\":\"d\"}," WRITE("d") PROBE("x") END,
         "dynamo flags of a tensor whose view is written, detach"},
        {INPUTS "{\"with\":\"no_grad\",\"body\":[{\"op\":\"neg_\",\"self\":\"x\"}]}," PROBE("x")
             END,
         "dynamo flags of a written tensor, grad modes"},
        {INPUTS WRITE(
             "x") "{\"if\":{\"not\":{\"is_leaf\":\"x\"}},\"then\":[{\"op\":\"neg\",\"self\":"
                  "\"x\",\"out\":\"n\"}]}" END,
         "dynamo flags of a written tensor"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_str_eq(group_of(cases[i].program, ORACLE_values, "data"), cases[i].group);
    }
}
END_TEST

START_TEST(other_findings_are_grouped_by_oracle_and_ops) {
    ck_assert_str_eq(group_of(INPUTS VIEW("x", "v")
                                  WRITE("v") "{\"probe\":\"size\",\"of\":\"x\"}" END,
                              ORACLE_values, "data"),
                     "dynamo values-data transpose+add_");
    Finding f = {.oracle = ORACLE_status, .kind = "ok_vs_internal", .index = -1};
    snprintf(f.frame, sizeof f.frame, "_dynamo/utils.py:wrap");
    ck_assert_str_eq(stage_group(&arena, "dynamo", parse(INPUTS WRITE("x") PROBE("x") END), &f),
                     "dynamo status-ok_vs_internal _dynamo/utils.py:wrap");
    /* a function that runs every op says nothing without the op */
    ck_assert(!frame_is_of_every_op(f.frame));
    snprintf(f.frame, sizeof f.frame, "_dynamo/utils.py:_get_fake_value_impl");
    snprintf(f.root.op, sizeof f.root.op, "bmm");
    ck_assert(frame_is_of_every_op(f.frame));
    ck_assert_str_eq(stage_group(&arena, "dynamo", parse(INPUTS WRITE("x") PROBE("x") END), &f),
                     "dynamo status-ok_vs_internal _dynamo/utils.py:_get_fake_value_impl bmm");
    /* an error of eager mode has no frame */
    f.frame[0] = '\0';
    ck_assert_str_eq(stage_group(&arena, "inductor",
                                 parse(INPUTS WRITE("x") "{\"probe\":\"size\",\"of\":\"x\"}" END),
                                 &f),
                     "inductor status-ok_vs_internal bmm");
    /* the mode fake says what of an op's results its fake kernel has otherwise */
    snprintf(f.b, sizeof f.b,
             "internal at body[0]: MetadataMismatchError: dtype of aten.bmm.default (fake kernel): "
             "Dtypes differ");
    snprintf(f.frame, sizeof f.frame, "_subclasses/fake_utils.py:_check_fake_real_tensors");
    ck_assert_str_eq(stage_group(&arena, "fake", parse(INPUTS WRITE("x") PROBE("x") END), &f),
                     "fake dtype of bmm");
    f.b[0] = '\0';
    /* every stage runs the kernels of fake tensors */
    snprintf(f.frame, sizeof f.frame, "_meta_registrations.py:meta_copy_");
    ck_assert_str_eq(stage_group(&arena, "aot_eager", parse(INPUTS WRITE("x") PROBE("x") END), &f),
                     "fake status-ok_vs_internal _meta_registrations.py:meta_copy_");
}
END_TEST

START_TEST(memory_is_grouped_by_equal_calls) {
#define SORT(a, b) "{\"op\":\"sort\",\"self\":\"x\",\"out\":[\"" a "\",\"" b "\"]},"
    ck_assert_str_eq(
        group_of(INPUTS SORT("a", "b") SORT("c", "d") PROBE_SIZE END, ORACLE_alias, "storage"),
        "dynamo memory of two equal calls");
    ck_assert_str_eq(group_of(INPUTS SORT("a", "b") PROBE_SIZE END, ORACLE_alias, "storage"),
                     "dynamo alias-storage sort");
}
END_TEST

static const char *group_of_refusal(const char *op) {
    Finding f = {
        .oracle = ORACLE_status, .kind = "invalid_vs_ok", .subject = SUBJECT_CALL, .index = -1};
    snprintf(f.root.op, sizeof f.root.op, "%s", op);
    return stage_group(&arena, "aot_eager", parse(INPUTS WRITE("x") PROBE_SIZE END), &f);
}

START_TEST(the_forms_of_an_op_that_one_side_refuses_are_one_group) {
    static const char *const ops[][2] = {{"conv1d", "conv"},
                                         {"conv_transpose3d", "conv_transpose"},
                                         {"atleast_2d", "atleast"},
                                         {"index_add_", "index_add"},
                                         {"nll_loss2d", "nll_loss"},
                                         {"expand", "expand"},
                                         {"t_", "t"},
                                         {"max_pool2d_with_indices", "max_pool2d_with_indices"}};
    for (int i = 0; i < COUNT_OF(ops); i++) {
        ck_assert_str_eq(group_of_refusal(ops[i][0]),
                         arena_printf(&arena, "aot_eager status-invalid_vs_ok %s", ops[i][1]));
    }
}
END_TEST

START_TEST(gradients_whose_kind_says_all_are_grouped_by_it_alone) {
    const char *program = INPUTS WRITE("x") PROBE_SIZE END;
    ck_assert_str_eq(group_of(program, ORACLE_gradients, "none_vs_zeros"),
                     "dynamo gradients-none_vs_zeros");
    ck_assert_str_eq(group_of(program, ORACLE_gradients, "grad_requires_grad"),
                     "dynamo gradients-grad_requires_grad");
    ck_assert_str_eq(group_of(program, ORACLE_gradients, "data"), "dynamo gradients-data add_");
}
END_TEST

START_TEST(values_are_grouped_by_the_view_that_a_write_goes_through_or_the_scatter_behind_it) {
#define EXPAND "{\"op\":\"expand\",\"self\":\"x\",\"size\":[2,2],\"out\":\"v\"},"
#define SCATTER                                                                                    \
    "{\"op\":\"select_scatter\",\"self\":\"x\",\"src\":\"s\",\"dim\":0,\"index\":0,\"out\":\"w\"}" \
    ","
#define SOURCE "{\"op\":\"select\",\"self\":\"y\",\"dim\":0,\"index\":0,\"out\":\"s\"},"
    static const struct {
        const char *stage, *program, *group;
    } cases[] = {
        {"aot_eager", INPUTS EXPAND WRITE("v") PROBE_SIZE END,
         "aot_eager values written through expand"},
        {"aot_eager", INPUTS EXPAND WRITE("x") PROBE_SIZE END, "aot_eager values-data expand+add_"},
        {"inductor", INPUTS SOURCE SCATTER WRITE("x") PROBE_SIZE END,
         "inductor values of a scatter whose operand is overwritten"},
        {"aot_eager", INPUTS SOURCE SCATTER WRITE("x") PROBE_SIZE END,
         "aot_eager values-data select+select_scatter+add_"},
        {"inductor", INPUTS SOURCE SCATTER WRITE("w") PROBE_SIZE END,
         "inductor values-data select+select_scatter+add_"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Finding f = {.oracle = ORACLE_values, .kind = "data", .subject = SUBJECT_CALL, .index = -1};
        ck_assert_str_eq(stage_group(&arena, cases[i].stage, parse(cases[i].program), &f),
                         cases[i].group);
    }
}
END_TEST

/* Whatever op it is about, and however eager mode ends behind it. */
START_TEST(errors_of_a_compiler_are_grouped_by_where_they_are_raised_and_what_they_say) {
#define CHAIN                                                                                      \
    "BackendCompilerFailed: backend='x' raised:\nRuntimeError: During torch.compile, encountered " \
    "a "                                                                                           \
    "mutation on a view chain of length 2"
#define WORDS "During torch.compile encountered a mutation"
#define SPLIT                                                                                      \
    "TorchRuntimeError: Dynamo failed to run FX node with fake tensors: call_method t_: got "      \
    "RuntimeError('Output 1 of Split is a view and is"
    static const char EVERY[] = "_dynamo/utils.py:run_node", OWN[] = "_inductor/ir.py:create";
    static const struct {
        const char *kind, *a, *b, *frame, *group;
    } cases[] = {
        {"ok_vs_internal", "ok", "internal at body[2]: " CHAIN, EVERY,
         "aot_eager status-ok_vs_internal _dynamo/utils.py:run_node " WORDS},
        {"saved_modified_vs_internal", "saved_modified at backward: x",
         "internal at body[3]: " CHAIN, EVERY,
         "aot_eager status-ok_vs_internal _dynamo/utils.py:run_node " WORDS},
        {"shape_vs_internal", "shape at body[1]: x", "internal at an unknown statement: " CHAIN,
         EVERY, "aot_eager status-ok_vs_internal _dynamo/utils.py:run_node " WORDS},
        /* eager mode fails first: that the compiler does not may be what is wrong */
        {"shape_vs_internal", "shape at body[1]: x", "internal at body[3]: " CHAIN, EVERY,
         "aot_eager status-shape_vs_internal _dynamo/utils.py:run_node bmm"},
        {"shape_vs_ok", "shape at body[1]: x", "ok", "", "aot_eager status-shape_vs_ok bmm"},
        {"ok_vs_multi_view_inplace", "ok", "multi_view_inplace at body[1]: " SPLIT, EVERY,
         "aot_eager status-ok_vs_multi_view_inplace _dynamo/utils.py:run_node Output of Split is "
         "a"},
        {"ok_vs_invalid", "ok",
         "invalid at backward: AttributeError: 'NoneType' object has no attribute 'mul'", "",
         "aot_eager status-ok_vs_invalid NoneType object has no attribute"},
        /* a function of one kind of error needs no message; one word says too little */
        {"return_vs_internal", "shape at return: x", "internal at body[0]: E: no words here", OWN,
         "aot_eager status-ok_vs_internal _inductor/ir.py:create"},
        {"ok_vs_internal", "ok", "internal at body[0]: AssertionError: ", EVERY,
         "aot_eager status-ok_vs_internal _dynamo/utils.py:run_node bmm"},
        {"ok_vs_internal", "ok", "internal at body[0]: failed", "",
         "aot_eager status-ok_vs_internal bmm"},
    };
    const Program *p = parse(INPUTS WRITE("x") PROBE("x") END);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Finding f = {.oracle = ORACLE_status, .subject = SUBJECT_CALL, .index = -1};
        snprintf(f.kind, sizeof f.kind, "%s", cases[i].kind);
        snprintf(f.a, sizeof f.a, "%s", cases[i].a);
        snprintf(f.b, sizeof f.b, "%s", cases[i].b);
        snprintf(f.frame, sizeof f.frame, "%s", cases[i].frame);
        snprintf(f.root.op, sizeof f.root.op, "bmm");
        ck_assert_str_eq(stage_group(&arena, "aot_eager", p, &f), cases[i].group);
    }
}
END_TEST

START_TEST(a_flag_of_a_return_or_an_input_is_that_of_its_name) {
    Finding f = {.oracle = ORACLE_flags, .kind = "is_leaf", .subject = SUBJECT_RETURN, .index = 0};
    const Program *p =
        parse(INPUTS VIEW("x", "v") WRITE("v") "{\"probe\":\"size\",\"of\":\"x\"}" END);
    ck_assert_str_eq(stage_group(&arena, "aot_eager", p, &f),
                     "aot_eager flags of a tensor whose view is written");
    f.subject = SUBJECT_INPUT;
    f.index = 1;
    ck_assert_str_eq(stage_group(&arena, "aot_eager", p, &f),
                     "aot_eager flags of another tensor than is written");
    f.index = 2; /* there is none */
    ck_assert_str_eq(stage_group(&arena, "aot_eager", p, &f),
                     "aot_eager flags-is_leaf transpose+add_");
}
END_TEST

START_TEST(findings_about_a_layout_are_grouped_by_how_a_write_reaches_the_tensor) {
    Finding f = {.oracle = ORACLE_metadata, .kind = "stride", .subject = SUBJECT_RETURN};
    ck_assert_str_eq(stage_group(&arena, "aot_eager",
                                 parse(INPUTS VIEW("x", "v") WRITE("v") PROBE_SIZE END), &f),
                     "aot_eager layout of a tensor whose view is written");
    snprintf(f.kind, sizeof f.kind, "storage_offset");
    ck_assert_str_eq(
        stage_group(
            &arena, "aot_eager",
            parse(INPUTS "{\"op\":\"neg\",\"self\":\"y\",\"into\":\"x\",\"out\":\"n\"}" END), &f),
        "aot_eager layout of a written tensor");
    ck_assert_str_eq(
        stage_group(&arena, "aot_eager", parse(INPUTS VIEW("x", "v") PROBE_SIZE END), &f),
        "aot_eager metadata-storage_offset transpose");
    /* the input itself gets another layout, by another name */
    f = (Finding){.oracle = ORACLE_values, .kind = "input", .subject = SUBJECT_INPUT};
    const char *relaid = INPUTS "{\"op\":\"neg\",\"self\":\"y\",\"into\":\"x\",\"out\":\"n\"},"
                                "{\"op\":\"t_\",\"self\":\"n\"}" END;
    ck_assert_str_eq(stage_group(&arena, "aot_eager", parse(relaid), &f),
                     "aot_eager values of an input whose layout changes in place");
    f.index = 1;
    ck_assert_str_eq(stage_group(&arena, "aot_eager", parse(relaid), &f),
                     "aot_eager values-input neg+t_");
    /* a view of it does */
    f.index = 0;
    ck_assert_str_eq(stage_group(&arena, "aot_eager",
                                 parse(INPUTS VIEW("x", "v") "{\"op\":\"t_\",\"self\":\"v\"}" END),
                                 &f),
                     "aot_eager values-input transpose+t_");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/stage");
    TCase *tests = tcase_create("harness/stage");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, findings_about_a_flag_are_grouped_by_how_a_write_reaches_the_tensor);
    tcase_add_test(tests, other_findings_are_grouped_by_oracle_and_ops);
    tcase_add_test(tests, memory_is_grouped_by_equal_calls);
    tcase_add_test(tests, the_forms_of_an_op_that_one_side_refuses_are_one_group);
    tcase_add_test(tests, gradients_whose_kind_says_all_are_grouped_by_it_alone);
    tcase_add_test(
        tests, values_are_grouped_by_the_view_that_a_write_goes_through_or_the_scatter_behind_it);
    tcase_add_test(tests,
                   errors_of_a_compiler_are_grouped_by_where_they_are_raised_and_what_they_say);
    tcase_add_test(tests, findings_about_a_layout_are_grouped_by_how_a_write_reaches_the_tensor);
    tcase_add_test(tests, a_flag_of_a_return_or_an_input_is_that_of_its_name);
    suite_add_tcase(suite, tests);
    return run_suite("harness/stage", suite);
}
