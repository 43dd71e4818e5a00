/* Numbers in JSON (docs/reference/format.md, Numbers): which kind of scalar a number is, what must
 * be wrapped, and that every value survives printing and reading. */
#include "tensor/rng.h"
#include "tests/support/json_case.h"

#include <math.h>

static Scalar scalar_of(const char *value) {
    Program *p = parsed(with_body(
        arena_printf(&arena, "{\"op\":\"mul\",\"self\":\"x\",\"other\":%s,\"out\":\"y\"}", value)));
    ck_assert_str_eq(p->body.first->op->id_name, "mul_Scalar");
    return p->body.first->arg[1].scalar;
}

START_TEST(an_integral_number_is_an_integer_scalar_however_it_is_spelled) {
    static const char *const ones[] = {
        "1", "1.0", "1e0", "10e-1", "0.1e1", "1.000", "100000000000000000000e-20"};
    for (int i = 0; i < COUNT_OF(ones); i++) {
        Scalar s = scalar_of(ones[i]);
        ck_assert_msg(s.kind == CAT_INT && s.i == 1, "%s", ones[i]);
    }
    ck_assert(scalar_of("-0.0").kind == CAT_INT);
    ck_assert(scalar_of("0.5").kind == CAT_FLOAT);
    ck_assert(scalar_of("true").kind == CAT_BOOL);
    ck_assert(scalar_of("{\"float\":1}").kind == CAT_FLOAT);
    ck_assert(signbit(scalar_of("{\"float\":\"-0.0\"}").f));
    ck_assert(isnan(scalar_of("{\"float\":\"nan\"}").f));
    ck_assert(scalar_of("9007199254740992").i == 9007199254740992);
    ck_assert(scalar_of("{\"int\":\"9223372036854775807\"}").i == INT64_MAX);
    ck_assert(scalar_of("{\"int\":\"-9223372036854775808\"}").i == INT64_MIN);
    ck_assert(scalar_of("{\"int\":5}").i == 5);
    ck_assert(scalar_of("{\"float\":1e300}").f == 1e300);
}
END_TEST

START_TEST(scalars_that_double_cannot_carry_must_be_wrapped) {
    const char *expected = "body[0].other: an integral scalar beyond 2^53 must be written "
                           "{\"int\": \"..\"} or {\"float\": ..}";
    static const char *const bad[] = {
        "9007199254740993",    "-9007199254740993", "1e16", "9007199254740993.5", "1e400",
        "99999999999999999999"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_body(arena_printf(
                    &arena, "{\"op\":\"mul\",\"self\":\"x\",\"other\":%s,\"out\":\"y\"}", bad[i])),
                expected);
    }
}
END_TEST

START_TEST(numbers_longer_than_any_buffer_are_read_exactly) {
    char digits[400];
    memset(digits, '0', sizeof digits);
    memcpy(digits, "1.", 2);
    digits[399] = '\0';
    ck_assert(scalar_of(digits).i == 1);
    digits[398] = '1';
    ck_assert(scalar_of(digits).kind == CAT_INT); /* its double is 1 */
    digits[9] = '1';
    ck_assert(scalar_of(digits).kind == CAT_FLOAT);
}
END_TEST

START_TEST(shortest_digits_read_back_in_the_dtype) {
    static const struct {
        DType dtype;
        double value;
        const char *text;
    } cases[] = {
        {DT_float32, 0.1f, "0.1"},
        {DT_float64, 0.1, "0.1"},
        {DT_float64, 0.1f, "0.10000000149011612"},
        {DT_float32, 1e30f, "1e30"},
        {DT_float32, 16777216, "16777216"},
        {DT_float64, 1e16, "10000000000000000"},
        {DT_float64, 1e17, "1e17"},
        {DT_float64, 5e-324, "5e-324"},
        {DT_float64, 0.00001, "0.00001"},
        {DT_float64, 0.000001, "1e-6"},
        {DT_float64, -1200, "-1200"},
        {DT_float64, 123.456, "123.456"},
        {DT_float32, 1.17549435e-38f, "1.1754944e-38"},
        {DT_float64, 0, "0"},
        {DT_float64, -0.0, "\"-0.0\""},
        {DT_float32, INFINITY, "\"inf\""},
        {DT_float64, 1.7976931348623157e308, "1.7976931348623157e308"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        double cell = 0;
        element_store_double(&cell, cases[i].dtype, 0, cases[i].value);
        Text text = {.arena = &arena};
        text_number(&text, &cell, cases[i].dtype, 0);
        ck_assert_str_eq(text.v, cases[i].text);
    }
}
END_TEST

START_TEST(random_floats_survive_printing_and_reading) {
    Rng rng = {5};
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = rng_next(&rng);
        double wide;
        float narrow;
        uint32_t low = (uint32_t)bits;
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &low, sizeof narrow);
        Text text = {.arena = &arena};
        text_number(&text, &wide, DT_float64, 0);
        ck_assert(isnan(wide) || isinf(wide) || strtod(text.v, NULL) == wide);
        text = (Text){.arena = &arena};
        text_number(&text, &narrow, DT_float32, 0);
        ck_assert(isnan(narrow) || isinf(narrow) || (float)strtod(text.v, NULL) == narrow);
    }
}
END_TEST

START_TEST(every_float16_pattern_survives_printing_and_reading) {
    for (int dtype = 0; dtype < 2; dtype++) {
        const char *name = dtype ? "bfloat16" : "float16";
        for (unsigned high = 0; high < 256; high++) {
            Program *p = parsed(with_inputs(arena_printf(
                &arena,
                "{\"name\":\"x\",\"dtype\":\"%s\",\"size\":[256],\"data\":{\"fill\":\"zeros\"}}",
                name)));
            uint16_t *bits = arena_array(&arena, uint16_t, 256);
            for (unsigned low = 0; low < 256; low++) {
                bits[low] = (uint16_t)(high << 8 | low);
            }
            p->inputs[0].data = (InputData){.given = true, .data = bits, .numel = 256};
            Program *q = parsed(printed(p, true));
            const uint16_t *back = q->inputs[0].data.data;
            for (unsigned low = 0; low < 256; low++) {
                unsigned inf = dtype ? 0x7F80 : 0x7C00;
                bool nan = (bits[low] & 0x7FFF) > inf;
                ck_assert_msg(nan ? (back[low] & 0x7FFF) > inf : back[low] == bits[low],
                              "%s %04x became %04x", name, bits[low], back[low]);
            }
            arena_reset(&arena);
        }
    }
}
END_TEST

START_TEST(seeds_go_to_two_to_the_64) {
    Program *p = parsed(
        with_members(",\"backward\":{\"fill\":\"dyadic\",\"seed\":\"18446744073709551615\"}"));
    ck_assert(p->backward.seed == UINT64_MAX);
    ck_assert(parsed(with_members(",\"backward\":{\"fill\":\"dyadic\",\"seed\":9007199254740991}"))
                  ->backward.seed == 9007199254740991u);
    static const char *const bad[] = {"-1", "1.5", "9007199254740992", "1e300"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_members(arena_printf(&arena, ",\"backward\":{\"fill\":\"dyadic\",\"seed\":%s}",
                                          bad[i])),
                "backward.seed: a seed is an integer in 0..2^53-1, or a decimal string");
    }
    static const char *const strings[] = {"",   "-1",  "18446744073709551616", "01", " 1",
                                          "1 ", "0x1", "111111111111111111111"};
    for (int i = 0; i < COUNT_OF(strings); i++) {
        refuses(with_members(arena_printf(
                    &arena, ",\"backward\":{\"fill\":\"dyadic\",\"seed\":\"%s\"}", strings[i])),
                "backward.seed: expected a decimal string in 0..2^64-1");
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("json_numbers");
    TCase *tcase = tcase_create("json_numbers");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, an_integral_number_is_an_integer_scalar_however_it_is_spelled);
    tcase_add_test(tcase, scalars_that_double_cannot_carry_must_be_wrapped);
    tcase_add_test(tcase, numbers_longer_than_any_buffer_are_read_exactly);
    tcase_add_test(tcase, shortest_digits_read_back_in_the_dtype);
    tcase_add_test(tcase, random_floats_survive_printing_and_reading);
    tcase_add_test(tcase, every_float16_pattern_survives_printing_and_reading);
    tcase_add_test(tcase, seeds_go_to_two_to_the_64);
    suite_add_tcase(suite, tcase);
    return run_suite("program/json_numbers", suite);
}
