/* Results as JSON: printed results read back, and malformed ones are errors. */
#include "tensor/rng.h"
#include "tests/support/json_case.h"
#include <math.h>

/* ---- results ---- */

static const char *const result_program =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":[1,2]}"
    ",{\"name\":\"i\",\"dtype\":\"int64\",\"size\":[1],"
    "\"data\":[1]}],\"body\":[{\"probe\":\"size\",\"of\":\"x\"}],\"return\":[\"x\",\"x\"]}";

static ParseStatus read_back(const Program *p, const char *text, Result **r) {
    return result_parse(&arena, text, strlen(text), p, r, message, sizeof message);
}

START_TEST(a_result_is_printed_as_it_was_read) {
    const char *text =
        "{\"twingrad_result\": 1, \"target\": \"torch\", \"calls\": [{\"status\": \"error\", "
        "\"error\": {\"at\": \"backward\", \"code\": \"saved_modified\", "
        "\"message\": \"m\"}, \"trace\": [{\"at\": \"body[0]\", \"probe\": \"size\", \"value\": "
        "[2]}, {\"at\": \"body[0]\", \"probe\": \"dtype\", \"value\": "
        "\"int8\"}, {\"at\": \"body[0]\", \"probe\": \"is_leaf\", \"value\": false}], \"returns\": "
        "[{\"dtype\": \"float32\", \"size\": [2], \"stride\": [1], "
        "\"storage_offset\": 0, \"requires_grad\": true, \"is_leaf\": false, \"alias\": "
        "\"input:x\", \"data\": [0.1, \"-0.0\"], \"grad\": null}, {\"dtype\": "
        "\"bool\", \"size\": [], \"alias\": \"return:0\", \"data\": [true]}], \"inputs\": "
        "[{\"name\": \"x\", \"requires_grad\": true, \"is_leaf\": true, "
        "\"version\": 3, \"size\": [2], \"stride\": [1], \"storage_offset\": 0, \"data\": [1, 2], "
        "\"grad\": {\"size\": [2], \"data\": [0, 0.5], \"requires_grad\": false, \"alias\": "
        "\"grad:input:i\"}}, {\"name\": "
        "\"i\", \"data\": [\"9223372036854775807\"], \"x-unsettled\": true}], \"args\": "
        "[{\"name\": \"x\", \"is_leaf\": true, \"grad\": {\"size\": [1], \"data\": [1], \"alias\": "
        "\"arg:x\"}}], \"vacuous\": true, "
        "\"poked\": {\"returns\": [[1, 1], null], \"inputs\": [null, "
        "[4]]}, \"changed_later\": [1], \"changed_state\": [\"grad_mode\", \"a\"], \"x-compiled\": "
        "true, \"x-frames\": 2}], \"x-undefined\": "
        "[{\"at\": \"body[0]\", "
        "\"why\": \"w\"}], \"x-more\": {}}";
    const Program *p = parsed(result_program);
    Result *r = NULL;
    ck_assert_msg(read_back(p, text, &r) == PARSE_OK, "%s", message);
    Text out = {.arena = &arena};
    result_print(&out, r, p);
    ck_assert_str_eq(out.v, text);
    Arena other = ARENA_EMPTY;
    Result *copy = result_clone(&other, r);
    arena_reset(&arena);
    p = parsed(result_program);
    out = (Text){.arena = &arena};
    result_print(&out, copy, p);
    ck_assert_str_eq(out.v, text);
    arena_destroy(&other);
}
END_TEST

START_TEST(data_of_a_result_is_rounded_to_its_dtype) {
    const Program *p = parsed(result_program);
    Result *r = NULL;
    ck_assert_int_eq(read_back(p,
                               "{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{"
                               "\"dtype\":\"float32\",\"size\":[3],\"data\":"
                               "[0.1000000000001, 1e39, -1e39]}]}]}",
                               &r),
                     PARSE_OK);
    const float *data = r->calls[0].returns[0].values.data;
    ck_assert(data[0] == 0.1f && isinf(data[1]) && data[1] > 0 && isinf(data[2]) && data[2] < 0);
}
END_TEST

START_TEST(a_malformed_result_is_refused) {
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{}", "top level: the key \"twingrad_result\" is missing"},
        {"{\"twingrad_result\":2,\"calls\":[]}", "twingrad_result: 2 is not in 1..1"},
        {"{\"twingrad_result\":1,\"calls\":[],\"more\":1}", "more: unknown key"},
        {"{\"twingrad_result\":1,\"calls\":[{}]}", "calls[0]: the key \"status\" is missing"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"fine\"}]}",
         "calls[0].status: expected \"ok\" or \"error\""},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\"}]}",
         "calls[0]: the key \"error\" is missing"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\",\"error\":{\"at\":null,\"code\":"
         "\"none\"}}]}",
         "calls[0].error.code: unknown error code"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\",\"error\":{\"at\":\"body[9]\","
         "\"code\":\"shape\"}}]}",
         "calls[0].error.at: the program has no statement there"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\"},{\"status\":\"ok\"}]}",
         "calls: 2 calls, but the program has 1"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"inputs\":[{\"name\":\"z\"}]}]}",
         "calls[0].inputs[0].name: the program has no such name"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{\"dtype\":\"bool\","
         "\"size\":[2],\"data\":[true]}]}]}",
         "calls[0].returns[0].data: 1 elements for a size of 2"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{\"dtype\":\"bool\","
         "\"size\":[0],\"alias\":\"return:0\"}]}]}",
         "calls[0].returns[0].alias: neither \"input:NAME\" of an input here nor \"return:K\" of "
         "an earlier return"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"changed_later\":[0]}]}",
         "calls[0].changed_later[0]: the call has no such return"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"changed_state\":[\"a-b\"]}]}",
         "calls[0].changed_state[0]: a name has at most 40 lower-case letters and _"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"inputs\":[{\"name\":\"x\","
         "\"grad\":{\"size\":[1],\"alias\":\"grad:return:2\"}}]}]}",
         "calls[0].inputs[0].grad.alias: none of \"input:NAME\", \"arg:NAME\" and \"return:K\", "
         "nor \"grad:\" and one"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"trace\":[{\"at\":\"body[0]\","
         "\"probe\":\"is_leaf\",\"value\":1}]}]}",
         "calls[0].trace[0].value: expected true or false, found a number"},
    };
    const Program *p = parsed(result_program);
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Result *r = NULL;
        ck_assert_int_eq(read_back(p, cases[i].text, &r), PARSE_BAD);
        ck_assert_str_eq(message, cases[i].expected);
        ck_assert_ptr_null(r);
    }
}
END_TEST

START_TEST(random_byte_changes_of_a_result_never_crash) {
    const char *text = "{\"twingrad\": 1, \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", "
                       "\"size\": [2], \"data\": [1, 2]}], \"body\": [{\"probe\": \"size\", "
                       "\"of\": \"x\"}], \"return\": [\"x\"], \"expect\": {\"twingrad_result\": 1, "
                       "\"target\": \"t\", \"calls\": [{\"status\": \"ok\", \"trace\": "
                       "[{\"at\": \"body[0]\", \"probe\": \"size\", \"value\": [2]}], \"returns\": "
                       "[{\"dtype\": \"float32\", \"size\": [2], \"stride\": [1], "
                       "\"storage_offset\": 0, \"requires_grad\": false, \"is_leaf\": true, "
                       "\"alias\": \"input:x\", \"data\": [1, 2], \"grad\": null}], "
                       "\"inputs\": [{\"name\": \"x\", \"requires_grad\": false, \"version\": 0, "
                       "\"data\": [1, 2], \"grad\": {\"size\": [2], \"data\": [0, 0]}}], "
                       "\"poked\": {\"returns\": [[1, 1]], \"inputs\": [[1, 1]]}}]}}";
    keeps_program(text);
    survives_changes(text, 10000, 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("json_results");
    TCase *tcase = tcase_create("json_results");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, a_result_is_printed_as_it_was_read);
    tcase_add_test(tcase, data_of_a_result_is_rounded_to_its_dtype);
    tcase_add_test(tcase, a_malformed_result_is_refused);
    tcase_add_test(tcase, random_byte_changes_of_a_result_never_crash);
    suite_add_tcase(suite, tcase);
    return run_suite("program/json_results", suite);
}
