/* Each reducer of reducers.def makes the one change that it promises, on a program written for it.
 */
#include "harness/reduce/edit.h"
#include "harness/reduce/reduce.h"
#include "tests/support/harness_case.h"

static const char CHAIN[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"a\",\"dtype\":\"float64\",\"size\":[3,2],\"requires_"
    "grad\":true,\"data\":[5,6,7,8,9,10]}],"
    "\"body\":[{\"op\":\"exp\",\"self\":\"a\",\"out\":\"b\"},{\"op\":\"tensor\",\"data\":[0,2,1],"
    "\"size\":[3],\"dtype\":\"int64\",\"out\":\"i\"},"
    "{\"op\":\"setitem\",\"self\":\"b\",\"index\":[\"i\",{\"list\":[0,1,1]}],\"value\":1.0},{"
    "\"op\":\"sin\",\"self\":\"b\",\"out\":\"c\"}],\"return\":[\"c\"]}";

static const char *reduced_from(const char *text, Step (*reducer)(Program *, int), int k) {
    Program *p = parse(text);
    char message[256];
    ck_assert_int_eq(reducer(p, k), STEP_MADE);
    ck_assert_msg(program_verify(p, message, sizeof message), "%s", message);
    Text t = {.arena = &arena};
    program_print(&t, p, true);
    return t.v;
}

static const char *reduced(Step (*reducer)(Program *, int), int k) {
    return reduced_from(CHAIN, reducer, k);
}

START_TEST(values_ops_dtypes_literals_and_names_become_plainer) {
    const char *line = reduced(reduce_value, 0); /* c, the last, as an input */
    ck_assert_ptr_null(strstr(line, "sin"));
    ck_assert_ptr_nonnull(strstr(
        line,
        "{\"name\": \"c\", \"dtype\": \"float64\", \"size\": [3, 2], \"requires_grad\": true"));
    line = reduced(reduce_value, 7); /* b, the first, as ones */
    ck_assert_ptr_nonnull(strstr(
        line, "{\"op\": \"ones\", \"size\": [3, 2], \"dtype\": \"float64\", \"out\": \"b\"}"));
    line = reduced(reduce_op, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"op\": \"neg\", \"self\": \"a\""));
    line = reduced(reduce_dtype, DT_float64);
    ck_assert_ptr_null(strstr(line, "float64"));
    ck_assert_ptr_nonnull(strstr(line, "[5, 6, 7, 8, 9, 10]"));
    line = reduced(reduce_literal, 0);
    ck_assert_ptr_nonnull(strstr(line, "\"data\": [0], \"size\": [1]"));
    line = reduced(reduce_list, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"list\": [0]}"));
    line = reduced(reduce_element, 0);
    ck_assert_ptr_nonnull(strstr(line, "[0, 6, 7, 8, 9, 10]"));
    line = reduced(reduce_names, 0);
    ck_assert_ptr_nonnull(strstr(line, "{\"op\": \"sin\", \"self\": \"v0\", \"out\": \"v2\"}"));
    Program *p = parse(line);
    ck_assert_int_eq(reduce_names(p, 0), STEP_NOTHING);
}
END_TEST

START_TEST(settings_of_the_compiler_are_dropped_one_by_one) {
    static const char text[] =
        "{\"twingrad\":1,\"body\":[],\"return\":[],\"compile\":{\"config\":{\"a.b\":1,\"c\":null},"
        "\"dynamic\":true,\"fullgraph\":true}}";
    ck_assert_ptr_null(strstr(reduced_from(text, reduce_compile, 0), "compile"));
    ck_assert_ptr_nonnull(strstr(reduced_from(text, reduce_compile, 1),
                                 "\"compile\": {\"config\": {\"a.b\": 1, \"c\": null}, "
                                 "\"fullgraph\": true}"));
    ck_assert_ptr_null(strstr(reduced_from(text, reduce_compile, 2), "fullgraph"));
    ck_assert_ptr_nonnull(strstr(reduced_from(text, reduce_compile, 3), "{\"c\": null}"));
    ck_assert_ptr_nonnull(strstr(reduced_from(text, reduce_compile, 4), "{\"a.b\": 1}"));
    Program *p = parse(text);
    ck_assert_int_eq(reduce_compile(p, 5), STEP_END);
}
END_TEST

START_TEST(a_seed_becomes_0_and_goes_with_the_last_random_op) {
    static const char draws[] = "{\"twingrad\":2,\"body\":[{\"op\":\"rand\",\"size\":[2],\"out\":"
                                "\"a\"}],\"return\":[\"a\"],\"seed\":7}",
                      none[] = "{\"twingrad\":2,\"body\":[],\"return\":[],\"seed\":7}";
    const char *line = reduced_from(draws, reduce_seed, 0);
    ck_assert_ptr_nonnull(strstr(line, "\"seed\": 0"));
    ck_assert_int_eq(reduce_seed(parse(line), 0), STEP_NOTHING);
    ck_assert_ptr_null(strstr(reduced_from(none, reduce_seed, 0), "seed"));
}
END_TEST

START_TEST(caller_code_is_dropped_or_runs_in_the_body) {
    static const char text[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"data\":[1,2]}],\"body\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"}],\"return\":["
        "\"y\"],"
        "\"after\":[{\"op\":\"zero_\",\"self\":\"y\"},{\"op\":\"set_grad\",\"self\":\"x\","
        "\"grad\":\"y\"}],\"recalls\":[{\"keep\":true,\"keep_grads\":true}]}";
    ck_assert_ptr_null(strstr(reduced_from(text, reduce_after, 0), "zero_"));
    const char *line = reduced_from(text, reduce_after, 1);
    ck_assert_ptr_null(strstr(line, "\"after\""));
    ck_assert_ptr_nonnull(strstr(line, "\"out\": \"y\"}, {\"op\": \"zero_\", \"self\": \"y\"}, "
                                       "{\"op\": \"set_grad\""));
    ck_assert_ptr_null(strstr(reduced_from(text, reduce_after, 2), "keep_grads"));
    ck_assert_int_eq(reduce_after(parse(text), 3), STEP_END);
    line = reduced_from(text, reduce_statement, 0); /* the last */
    ck_assert_ptr_null(strstr(line, "set_grad"));
    ck_assert_ptr_nonnull(strstr(line, "\"after\": [{\"op\": \"zero_\""));
}
END_TEST

/* x is transposed and fills its storage; y does not fill its own; the second call has other
 * sizes */
static const char SIZES[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[3,5],\"stride\":["
    "1,3],\"data\":{\"fill\":\"ones\",\"seed\":0}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[5],\"stride\":[7],\"storage_offset\":2,"
    "\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
    "\"body\":[{\"op\":\"reshape\",\"self\":\"x\",\"shape\":[15],\"out\":\"v\"},{\"op\":\"mul\","
    "\"self\":\"x\",\"other\":\"y\",\"out\":\"w\"}],\"return\":[\"v\",\"w\"],"
    "\"recalls\":[[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[4,6],\"stride\":[1,4],\"data\":{"
    "\"fill\":\"ones\",\"seed\":0}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[6],\"stride\":[7],\"data\":{\"fill\":\"ones\","
    "\"seed\":0}}]]}";

START_TEST(strides_and_numbers_of_elements_follow_a_size) {
    const char *line = reduced_from(SIZES, reduce_size, 0); /* 3 to 1 in all calls */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [1, 5], \"stride\": [1, 1]"));
    ck_assert_ptr_nonnull(strstr(line, "\"shape\": [5]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [4, 6], \"stride\": [1, 4]"));
    line =
        reduced_from(SIZES, reduce_size, 4 * 4 + 2 * 4 + 1); /* in the second call alone: 4 to 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [3, 5], \"stride\": [1, 3]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 6], \"stride\": [1, 2]"));
    line = reduced_from(SIZES, reduce_dimension,
                        6 * 4 + 3); /* dimension 1 of x, in both calls, to 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [3, 2], \"stride\": [1, 3]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [4, 2], \"stride\": [1, 4]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [7], \"storage_offset\": 2"));
}
END_TEST

START_TEST(a_dimension_is_dropped_with_its_stride_in_every_call) {
    const char *line = reduced_from(SIZES, reduce_rank, 0); /* the first of x */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [1]"));
    ck_assert_ptr_nonnull(strstr(line, "\"shape\": [5]"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [6], \"stride\": [1]"));
    line = reduced_from(SIZES, reduce_rank, 3); /* the first of both */
    ck_assert_ptr_nonnull(
        strstr(line, "{\"name\": \"y\", \"dtype\": \"float32\", \"size\": [], \"stride\": []"));
    line =
        reduced_from("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":["
                     "2,3,5],\"stride\":[60,20,2],\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
                     "\"body\":[],\"return\":[\"x\"]}",
                     reduce_rank, 1); /* with gaps, so that no stride follows from sizes */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 5], \"stride\": [60, 2]"));
}
END_TEST

START_TEST(an_offset_and_a_stride_become_plainer_alone) {
    const char *line = reduced_from(SIZES, reduce_layout, 5 + 2); /* y */
    ck_assert_ptr_null(strstr(line, "storage_offset"));
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [7]"));
    line = reduced_from(SIZES, reduce_layout, 5 + 3);
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [5], \"stride\": [2], \"storage_offset\": 2"));
}
END_TEST

/* 26150 is the seed of a negative zero; x and y share a storage of three elements; z has five */
static const char RANDOM[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"w\",\"dtype\":\"float32\",\"size\":[],\"data\":{"
    "\"fill\":\"special\",\"seed\":26150}},"
    "{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\",\"data\":{\"fill\":"
    "\"dyadic\",\"seed\":1}},"
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],\"storage_offset\":1,\"storage\":\"s\"},"
    "{\"name\":\"z\",\"dtype\":\"float32\",\"size\":[5],\"data\":{\"fill\":\"dyadic\",\"seed\":1}}]"
    ",\"body\":[],\"return\":[\"w\",\"x\",\"y\",\"z\"]}";

START_TEST(random_data_of_few_elements_is_written_out_and_stays_so) {
    const char *line = reduced_from(RANDOM, reduce_written, 0);
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [], \"data\": [\"-0.0\"]"));
    ck_assert_ptr_nonnull(strstr(reduced_from(line, reduce_element, 0),
                                 "\"size\": [], \"data\": [0]")); /* +0 is plainer still */
    Program *p = parse(line);
    ck_assert_int_eq(reduce_written(p, 0), STEP_NOTHING);
    ck_assert_int_eq(reduce_data(p, 3), STEP_NOTHING); /* it does not become random again */
    ck_assert_int_eq(reduce_data(p, 2), STEP_MADE);
    p = parse(reduced_from(RANDOM, reduce_written, 1)); /* as many as the whole storage holds */
    ck_assert_int_eq(p->inputs[1].data.numel, 3);
    p = parse(RANDOM);
    ck_assert_int_eq(reduce_written(p, 2), STEP_NOTHING); /* its data is another's */
    ck_assert_int_eq(reduce_written(p, 3), STEP_NOTHING); /* a seed is shorter */
    ck_assert_int_eq(reduce_written(p, 4), STEP_END);
}
END_TEST

START_TEST(any_operand_can_stand_for_a_result) {
    const char *line = reduced_from(SIZES, reduce_bypass, 4); /* y for x * y */
    ck_assert_ptr_nonnull(strstr(line, "\"return\": [\"v\", \"y\"]"));
}
END_TEST

START_TEST(a_smaller_size_brings_what_depends_on_it_along) {
    const char *line = reduced(reduce_size, 1); /* 3 becomes 2 */
    ck_assert_ptr_nonnull(strstr(line, "\"size\": [2, 2]"));
    ck_assert_ptr_nonnull(strstr(line, "\"data\": [0, 1], \"size\": [2]"));
    line = reduced(reduce_size, 4); /* 2 becomes 1 */
    ck_assert_ptr_nonnull(strstr(line, "{\"list\": [0, 0, 0]}"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/reducers");
    TCase *tests = tcase_create("harness/reducers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, settings_of_the_compiler_are_dropped_one_by_one);
    tcase_add_test(tests, a_seed_becomes_0_and_goes_with_the_last_random_op);
    tcase_add_test(tests, caller_code_is_dropped_or_runs_in_the_body);
    tcase_add_test(tests, values_ops_dtypes_literals_and_names_become_plainer);
    tcase_add_test(tests, strides_and_numbers_of_elements_follow_a_size);
    tcase_add_test(tests, a_dimension_is_dropped_with_its_stride_in_every_call);
    tcase_add_test(tests, an_offset_and_a_stride_become_plainer_alone);
    tcase_add_test(tests, random_data_of_few_elements_is_written_out_and_stays_so);
    tcase_add_test(tests, any_operand_can_stand_for_a_result);
    tcase_add_test(tests, a_smaller_size_brings_what_depends_on_it_along);
    suite_add_tcase(suite, tests);
    return run_suite("harness/reducers", suite);
}
