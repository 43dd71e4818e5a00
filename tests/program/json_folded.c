/* Long arrays, which the reader keeps as text (program/json/tree.h, JSON_FOLD), and the limits that
 * keep the memory of a program in proportion to its text. */
#include "tensor/rng.h"
#include "tests/support/json_case.h"

#include "program/json/tree.h"

/* An array of n elements, which repeat `cycle`. */
static const char *array_of(const char *const *cycle, int ncycle, int n, const char *separator) {
    Text t = {.arena = &arena};
    text_add(&t, "[");
    for (int i = 0; i < n; i++) {
        text_printf(&t, "%s%s", i ? separator : "", cycle[i % ncycle]);
    }
    text_add(&t, "]");
    return t.v;
}

static const char *input_of(const char *dtype, int n, const char *data) {
    return with_inputs(arena_printf(
        &arena, "{\"name\":\"x\",\"dtype\":\"%s\",\"size\":[%d],\"data\":%s}", dtype, n, data));
}

START_TEST(a_long_array_is_read_as_short_ones_are) {
    static const struct {
        const char *dtype, *cycle[6];
        int n;
    } of[] = {
        {"float32", {"1", "-0.0", "\"nan\"", "2.5e3", "\"-inf\"", "\"-0.0\""}, 6},
        {"float64", {"0.1", "-0", "123456789012345678", "1e-300", "\"inf\"", "7"}, 6},
        {"int64", {"0", "-1", "\"9223372036854775807\"", "1e3", "-9007199254740992"}, 5},
        {"uint8", {"0", "255", "1.0"}, 3},
        {"bool", {"true", "false", "true"}, 3},
    };
    for (int k = 0; k < COUNT_OF(of); k++) {
        DType dtype;
        ck_assert(dtype_parse(of[k].dtype, &dtype));
        int few = of[k].n, many = 50 * few;
        const Program *a = parsed(input_of(of[k].dtype, few, array_of(of[k].cycle, few, few, ",")));
        const char *spaced = array_of(of[k].cycle, few, many, " ,\n\t");
        const Program *b = parsed(input_of(of[k].dtype, many, spaced));
        int64_t bytes = few * dtype_bytes(dtype);
        ck_assert_int_eq(b->inputs[0].data.numel, many);
        for (int i = 0; i < 50; i++) {
            ck_assert_mem_eq((const char *)b->inputs[0].data.data + i * bytes,
                             a->inputs[0].data.data, (size_t)bytes);
        }
        keeps_program(printed(b, true));
    }
}
END_TEST

START_TEST(an_error_in_a_long_array_names_the_element) {
    static const char *const ones[] = {"1"};
    static const struct {
        const char *dtype, *last, *expected;
    } of[] = {
        {"float32", "1e39",
         "inputs[0].data[100]: the number is beyond float32; infinity is \"inf\""},
        {"float32", "true", "inputs[0].data[100]: expected a number, found a boolean"},
        {"float32", "null", "inputs[0].data[100]: expected a number, found null"},
        {"float32", "\"x\"",
         "inputs[0].data[100]: expected a number, \"nan\", \"inf\", \"-inf\" or \"-0.0\""},
        {"int8", "128", "inputs[0].data[100]: 128 does not fit int8"},
        {"int8", "0.5", "inputs[0].data[100]: expected an integer, found a number with a fraction"},
        {"float32", "[1]", "inputs[0].data[100]: expected a number, found an array"},
    };
    for (int k = 0; k < COUNT_OF(of); k++) {
        char *data = (char *)array_of(ones, 1, 100, ",");
        data[strlen(data) - 1] = '\0';
        refuses(input_of(of[k].dtype, 101, arena_printf(&arena, "%s,%s]", data, of[k].last)),
                of[k].expected);
    }
}
END_TEST

START_TEST(bad_syntax_in_a_long_array_is_located) {
    static const char *const ones[] = {"1"}, *const bad[] = {"01", "1,,1", "+1", "1.", "1]", "tru"};
    for (int k = 0; k < COUNT_OF(bad); k++) {
        Program *p;
        char *data = (char *)array_of(ones, 1, 100, ",");
        data[strlen(data) - 1] = '\0';
        ck_assert(parse(input_of("float32", 101, arena_printf(&arena, "%s,%s]", data, bad[k])),
                        &p) == PARSE_BAD);
        ck_assert_msg(strncmp(message, "line 1, column 2", 16) == 0, "%s", message);
    }
}
END_TEST

START_TEST(long_lists_of_sizes_and_indices_are_read_too) {
    static const char *const zero[] = {"0"}, *const one[] = {"1"};
    const char *index = array_of(zero, 1, 200, ",");
    keeps_stmt(arena_printf(
        &arena,
        "{\"op\": \"getitem\", \"self\": \"x\", \"index\": [{\"list\": %s}], \"out\": \"y\"}",
        array_of(zero, 1, 200, ", ")));
    keeps_stmt(arena_printf(&arena,
                            "{\"op\": \"reshape\", \"self\": \"x\", \"shape\": %s, \"out\": \"y\"}",
                            array_of(one, 1, 100, ", ")));
    keeps_program(printed(
        parsed(with_members(arena_printf(&arena, ",\"x-note\":{\"long\":%s}", index))), true));
}
END_TEST

START_TEST(lists_are_limited) {
    static const char *const zero[] = {"0"}, *const name[] = {"\"x\""};
    refuses(arena_printf(&arena, "{\"twingrad\":1,\"body\":[],\"return\":%s}",
                         array_of(name, 1, 1025, ",")),
            "return: 1025 returns pass the limit of 1024");
    refuses(
        with_body(arena_printf(
            &arena, "{\"op\":\"getitem\",\"self\":\"x\",\"index\":[{\"list\":%s}],\"out\":\"y\"}",
            array_of(zero, 1, 4097, ","))),
        "body[0].index[0].list: 4097 entries pass the limit of 4096");
    refuses(
        with_body(arena_printf(&arena, "{\"op\":\"cat\",\"tensors\":%s,\"dim\":0,\"out\":\"y\"}",
                               array_of(name, 1, 4097, ","))),
        "body[0].tensors: 4097 names pass the limit of 4096");
    refuses(with_body(arena_printf(&arena,
                                   "{\"op\":\"reshape\",\"self\":\"x\",\"shape\":%s,\"out\":\"y\"}",
                                   array_of(zero, 1, 4097, ","))),
            "body[0].shape: 4097 entries pass the limit of 4096");
    refuses(with_inputs(arena_printf(&arena, "{\"name\":\"x\",\"dtype\":\"int8\",\"size\":%s}",
                                     array_of(zero, 1, 17, ","))),
            "inputs[0].size: 17 entries pass the limit of 16");
}
END_TEST

START_TEST(a_text_of_too_many_values_is_refused) {
    static const char *const empty[] = {"{}"};
    Program *p;
    const char *text =
        with_members(arena_printf(&arena, ",\"x-a\":%s", array_of(empty, 1, 262144, ",")));
    ck_assert(parse(text, &p) == PARSE_BAD);
    ck_assert_ptr_nonnull(strstr(message, ": the text has more than 262144 values"));
}
END_TEST

/* What is measured is the arena: cJSON gets a tree of a few nodes. */
START_TEST(data_takes_at_most_10_bytes_of_memory_for_each_byte) {
    enum { N = 500000 };
    static const char *const zero[] = {"0"}, *const dtypes[] = {"float64", "int64", "bool"},
                             *const truth[] = {"true"};
    for (int k = 0; k < COUNT_OF(dtypes); k++) {
        Arena texts = arena;
        arena = ARENA_EMPTY;
        const char *text = input_of(dtypes[k], N, array_of(k == 2 ? truth : zero, 1, N, ","));
        Arena made = arena;
        arena = ARENA_EMPTY;
        parsed(text);
        int64_t length = (int64_t)strlen(text);
        ck_assert_msg(arena.bytes < 10 * length, "%lld bytes for %lld", (long long)arena.bytes,
                      (long long)length);
        arena_destroy(&arena);
        arena_destroy(&made);
        arena = texts;
    }
}
END_TEST

/* 2 MB of numbers where statements or arguments of an unknown op belong are not made into members.
 */
START_TEST(a_long_array_in_the_wrong_place_takes_no_more_memory_than_data) {
    enum { N = 1000000 };
    static const char *const zero
        [] = {"0"},
    *const around[] = {
        "{\"twingrad\":1,\"body\":%s,\"return\":[]}",
        "{\"twingrad\":1,\"body\":[{\"op\":\"no_such_op\",\"a\":%s,\"out\":\"y\"}],\"return\":[]}"};
    for (int k = 0; k < COUNT_OF(around); k++) {
        Arena texts = arena;
        arena = ARENA_EMPTY;
        Text text = {.arena = &arena};
        const char *hole = strstr(around[k], "%s"), *zeros = array_of(zero, 1, N, ",");
        text_addn(&text, around[k], hole - around[k]);
        text_add(&text, zeros);
        text_add(&text, hole + 2);
        Arena made = arena;
        arena = ARENA_EMPTY;
        Program *p = NULL;
        ck_assert_int_eq(parse(text.v, &p), k == 0 ? PARSE_BAD : PARSE_UNKNOWN_OP);
        ck_assert_int_lt(arena.bytes, 10 * text.n);
        arena_destroy(&arena);
        arena_destroy(&made);
        arena = texts;
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("json_folded");
    TCase *tcase = tcase_create("json_folded");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, a_long_array_is_read_as_short_ones_are);
    tcase_add_test(tcase, an_error_in_a_long_array_names_the_element);
    tcase_add_test(tcase, bad_syntax_in_a_long_array_is_located);
    tcase_add_test(tcase, long_lists_of_sizes_and_indices_are_read_too);
    tcase_add_test(tcase, lists_are_limited);
    tcase_add_test(tcase, a_text_of_too_many_values_is_refused);
    tcase_add_test(tcase, data_takes_at_most_10_bytes_of_memory_for_each_byte);
    tcase_add_test(tcase, a_long_array_in_the_wrong_place_takes_no_more_memory_than_data);
    suite_add_tcase(suite, tcase);
    return run_suite("program/json_folded", suite);
}
