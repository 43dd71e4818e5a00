/* Claims about reading and writing programs and results as JSON (docs/format.md): what is refused and with which sentence, what is
 * kept, and that no text whatever makes the reader crash. */
#include "program/json.h"
#include "tensor/rng.h"
#include "tests/runner.h"

#include <math.h>
#include <string.h>

static Arena arena;
static char message[512];

static ParseStatus parse(const char *text, Program **p) { return program_parse(&arena, text, strlen(text), p, message, sizeof message); }

/* The program, which must parse. */
static Program *parsed(const char *text) {
    Program *p = NULL;
    ParseStatus status = parse(text, &p);
    ck_assert_msg(status == PARSE_OK, "%s\n%s", message, text);
    return p;
}

static const char *printed(const Program *p, bool line) {
    Text text = {.arena = &arena};
    program_print(&text, p, line);
    return text.v;
}

/* A program with these statements and an input x: float32 [2, 3]. */
static const char *with_body(const char *body) {
    return arena_printf(&arena,
                        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2,3],\"data\":{\"fill\":\"dyadic\",\"seed\":1}}],"
                        "\"body\":[%s],\"return\":[\"x\"]}",
                        body);
}
static const char *with_inputs(const char *inputs) {
    return arena_printf(&arena, "{\"twingrad\":1,\"inputs\":[%s],\"body\":[],\"return\":[]}", inputs);
}
/* The smallest program with more members. */
static const char *with_members(const char *members) {
    return arena_printf(&arena, "{\"twingrad\":1,\"body\":[],\"return\":[]%s}", members);
}

static void refuses(const char *text, const char *expected) {
    Program *p = NULL;
    ParseStatus status = parse(text, &p);
    ck_assert_msg(status == PARSE_BAD, "accepted: %s", text);
    ck_assert_msg(strcmp(message, expected) == 0, "for %.300s\nexpected: %s\nfound:    %s", text, expected, message);
    ck_assert_ptr_null(p);
}

/* The statement is the same after parsing and printing. */
static void keeps_stmt(const char *stmt) {
    const char *line = printed(parsed(with_body(stmt)), true);
    ck_assert_msg(strstr(line, arena_printf(&arena, "\"body\": [%s], \"return\"", stmt)) != NULL, "%s\nbecame %s", stmt, line);
}
static void writes_stmt_as(const char *stmt, const char *canonical) {
    const char *line = printed(parsed(with_body(stmt)), true);
    ck_assert_msg(strstr(line, arena_printf(&arena, "\"body\": [%s], \"return\"", canonical)) != NULL, "%s\nbecame %s", stmt, line);
}
static void keeps_program(const char *text) {
    const char *line = printed(parsed(text), true);
    ck_assert_str_eq(line, text);
}

/* Every notation of the format once, in canonical form. */
static const char *const sample =
    "{\n"
    "  \"twingrad\": 1,\n"
    "  \"name\": \"everything\",\n"
    "  \"note\": \"a \\\"note\\\" with \xC3\xA9 and \\n\",\n"
    "  \"inputs\": [\n"
    "    {\"name\": \"x\", \"dtype\": \"float32\", \"size\": [2, 3], \"stride\": [1, 2], \"storage_offset\": 1, \"storage\": \"s\", "
    "\"requires_grad\": true, \"data\": {\"fill\": \"dyadic\", \"seed\": 7}},\n"
    "    {\"name\": \"y\", \"dtype\": \"float32\", \"size\": [7], \"storage\": \"s\"},\n"
    "    {\"name\": \"i\", \"dtype\": \"int64\", \"size\": [3], \"data\": [0, -1, \"9223372036854775807\"]},\n"
    "    {\"name\": \"b\", \"dtype\": \"bool\", \"size\": [2], \"data\": [true, false]},\n"
    "    {\"name\": \"h\", \"dtype\": \"float16\", \"size\": [3], \"data\": [0.1, 65500, \"nan\"]}\n"
    "  ],\n"
    "  \"body\": [\n"
    "    {\"op\": \"zeros\", \"size\": [2, {\"size_of\": [\"x\", -1]}], \"dtype\": \"float32\", \"requires_grad\": true, \"out\": \"m\"},\n"
    "    {\"op\": \"add\", \"self\": \"m\", \"other\": {\"float\": 1}, \"alpha\": 0.5, \"out\": \"n\"},\n"
    "    {\"op\": \"unbind\", \"self\": \"n\", \"dim\": 0, \"out\": [\"r\", \"q\"]},\n"
    "    {\"op\": \"getitem\", \"self\": \"n\", \"index\": [[null, 2, null], null, \"...\", true, -1, \"i\", {\"list\": [0, 0, 1]}], \"out\": \"g\"},\n"
    "    {\"op\": \"setitem\", \"self\": \"n\", \"index\": [0], \"value\": {\"float\": \"-inf\"}},\n"
    "    {\"op\": \"setitem\", \"self\": \"n\", \"index\": [\"b\"], \"value\": \"r\"},\n"
    "    {\"op\": \"index_put_\", \"self\": \"n\", \"indices\": [null, \"i\"], \"values\": \"q\", \"accumulate\": true},\n"
    "    {\"op\": \"tensor\", \"data\": [1.5, \"nan\"], \"size\": [2], \"dtype\": \"float64\", \"out\": \"lit\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": [0, 1], \"keepdim\": true, \"out\": \"s\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": 0, \"out\": \"s\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": null, \"out\": \"s\", \"x-why\": {\"a\": [1, 2.50]}},\n"
    "    {\"op\": \"clamp\", \"self\": \"n\", \"min\": null, \"max\": {\"int\": \"9007199254740993\"}, \"out\": \"c\"},\n"
    "    {\"op\": \"mul_\", \"self\": \"n\", \"other\": true},\n"
    "    {\"with\": \"no_grad\", \"body\": [\n"
    "      {\"with\": \"enable_grad\", \"body\": []},\n"
    "      {\"graph_break\": true}\n"
    "    ]},\n"
    "    {\"if\": {\"not\": {\"dim\": [\"x\", 2]}}, \"then\": [\n"
    "      {\"assert\": {\"dtype\": [\"x\", \"bfloat16\"]}}\n"
    "    ], \"else\": [\n"
    "      {\"probe\": \"stride\", \"of\": \"x\"},\n"
    "      {\"probe\": \"is_grad_enabled\"}\n"
    "    ]},\n"
    "    {\"if\": {\"is_grad_enabled\": true}, \"then\": [], \"else\": []},\n"
    "    {\"op\": \"grad\", \"outputs\": [\"n\"], \"inputs\": [\"m\", \"r\"], \"grad_outputs\": [null], \"create_graph\": true, "
    "\"retain_graph\": false, \"allow_unused\": true, \"out\": [\"d\", \"e\"]}\n"
    "  ],\n"
    "  \"return\": [\"n\", \"n\"],\n"
    "  \"backward\": {\"fill\": \"ones\", \"seed\": \"18446744073709551615\", \"of\": [1]},\n"
    "  \"setup\": [\n"
    "    {\"op\": \"mul\", \"self\": \"x\", \"other\": 2, \"out\": \"w\"}\n"
    "  ],\n"
    "  \"args\": [\"w\", \"i\"],\n"
    "  \"grad_mode\": true,\n"
    "  \"recalls\": [\n"
    "    [\n"
    "      {\"name\": \"x\", \"dtype\": \"float64\", \"size\": [1], \"data\": [0.1]},\n"
    "      {\"name\": \"y\", \"dtype\": \"float32\", \"size\": [0]},\n"
    "      {\"name\": \"i\", \"dtype\": \"int64\", \"size\": [], \"data\": [3]},\n"
    "      {\"name\": \"b\", \"dtype\": \"uint8\", \"size\": [1], \"data\": [255]},\n"
    "      {\"name\": \"h\", \"dtype\": \"bfloat16\", \"size\": [1], \"data\": [0.1]}\n"
    "    ],\n"
    "    {\"keep\": true, \"set\": {\"x\": {\"requires_grad\": false}}, \"grad_mode\": false}\n"
    "  ],\n"
    "  \"shell\": {\"wrap\": \"module\", \"roles\": {\"x\": \"buffer\"}, \"spelling\": {\"body[3]\": \"operator\"}, \"outline\": [[2, 5]], "
    "\"instances\": 2},\n"
    "  \"expect\": {\"twingrad_result\": 1, \"target\": \"t\", \"calls\": []},\n"
    "  \"x-exact\": true, \"x-zero-sign\": false\n"
    "}\n";

/* ---- what is kept ---- */

/* Compares long texts line by line, so that a failure shows the line. */
static void same_text(const char *a, const char *b) {
    while (*a || *b) {
        size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
        ck_assert_msg(na == nb && memcmp(a, b, na) == 0, "%.*s\n%.*s", (int)na, a, (int)nb, b);
        a += na + (a[na] != 0);
        b += nb + (b[nb] != 0);
    }
}

START_TEST(canonical_text_is_printed_as_it_was_read) { same_text(printed(parsed(sample), false), sample); }
END_TEST

START_TEST(one_line_form_reads_back_as_the_same_program) {
    const char *line = printed(parsed(sample), true);
    ck_assert_ptr_null(strchr(line, '\n'));
    same_text(printed(parsed(line), false), sample);
}
END_TEST

START_TEST(print_orders_keys_and_arguments_as_the_format_does) {
    writes_stmt_as("{\"out\":\"y\",\"alpha\":2,\"other\":\"x\",\"self\":\"x\",\"op\":\"add\"}",
                   "{\"op\": \"add\", \"self\": \"x\", \"other\": \"x\", \"alpha\": 2, \"out\": \"y\"}");
    ck_assert_str_eq(printed(parsed("{\"return\":[],\"body\":[],\"note\":\"n\",\"name\":\"m\",\"twingrad\":1}"), true),
                     "{\"twingrad\": 1, \"name\": \"m\", \"note\": \"n\", \"body\": [], \"return\": []}");
}
END_TEST

START_TEST(null_backward_is_no_backward) {
    ck_assert(!parsed(with_members(",\"backward\":null"))->backward.given);
    ck_assert(!parsed(with_members(""))->backward.given);
}
END_TEST

START_TEST(unknown_keys_that_begin_with_x_are_kept) {
    keeps_program("{\"twingrad\": 1, \"body\": [{\"graph_break\": true, \"x-s\": null}], \"return\": [], \"backward\": {\"fill\": \"ones\", "
                  "\"seed\": 0, \"x-b\": 1}, \"shell\": {\"x-c\": [true]}, \"x-a\": \"\\u0001\", \"x-z\": -1.50e+3}");
}
END_TEST

START_TEST(every_dtype_of_the_format_parses) {
    static const char *const names[] = {"float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        Program *p = parsed(with_inputs(arena_printf(&arena, "{\"name\":\"x\",\"dtype\":\"%s\",\"size\":[0]}", names[i])));
        ck_assert_str_eq(dtype_name(p->inputs[0].dtype), names[i]);
    }
}
END_TEST

/* ---- scalars and numbers ---- */

static Scalar scalar_of(const char *value) {
    Program *p = parsed(with_body(arena_printf(&arena, "{\"op\":\"mul\",\"self\":\"x\",\"other\":%s,\"out\":\"y\"}", value)));
    ck_assert_str_eq(p->body.first->op->id_name, "mul_Scalar");
    return p->body.first->arg[1].scalar;
}

START_TEST(an_integral_number_is_an_integer_scalar_however_it_is_spelled) {
    static const char *const ones[] = {"1", "1.0", "1e0", "10e-1", "0.1e1", "1.000", "100000000000000000000e-20"};
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
    const char *expected = "body[0].other: an integral scalar beyond 2^53 must be written {\"int\": \"..\"} or {\"float\": ..}";
    static const char *const bad[] = {"9007199254740993", "-9007199254740993", "1e16", "9007199254740993.5", "1e400", "99999999999999999999"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_body(arena_printf(&arena, "{\"op\":\"mul\",\"self\":\"x\",\"other\":%s,\"out\":\"y\"}", bad[i])), expected);
    }
    refuses(with_body("{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"int\":\"9223372036854775808\"},\"out\":\"y\"}"),
            "body[0].other.int: expected a decimal string that fits int64, such as \"9223372036854775807\"");
    refuses(with_body("{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"float\":\"NaN\"},\"out\":\"y\"}"),
            "body[0].other.float: expected a number, \"nan\", \"inf\", \"-inf\" or \"-0.0\"");
    refuses(with_body("{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"float\":1e999},\"out\":\"y\"}"),
            "body[0].other.float: the number is beyond float64; infinity is \"inf\"");
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
    static const struct { DType dtype; double value; const char *text; } cases[] = {
        {DT_float32, 0.1f, "0.1"},          {DT_float64, 0.1, "0.1"},           {DT_float64, 0.1f, "0.10000000149011612"},
        {DT_float32, 1e30f, "1e30"},        {DT_float32, 16777216, "16777216"}, {DT_float64, 1e16, "10000000000000000"},
        {DT_float64, 1e17, "1e17"},         {DT_float64, 5e-324, "5e-324"},     {DT_float64, 0.00001, "0.00001"},
        {DT_float64, 0.000001, "1e-6"},     {DT_float64, -1200, "-1200"},       {DT_float64, 123.456, "123.456"},
        {DT_float32, 1.17549435e-38f, "1.1754944e-38"},                         {DT_float64, 0, "0"},
        {DT_float64, -0.0, "\"-0.0\""},     {DT_float32, INFINITY, "\"inf\""},  {DT_float64, 1.7976931348623157e308, "1.7976931348623157e308"},
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
            Program *p = parsed(with_inputs(arena_printf(&arena, "{\"name\":\"x\",\"dtype\":\"%s\",\"size\":[256],\"data\":{\"fill\":\"zeros\"}}", name)));
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
                ck_assert_msg(nan ? (back[low] & 0x7FFF) > inf : back[low] == bits[low], "%s %04x became %04x", name, bits[low], back[low]);
            }
            arena_reset(&arena);
        }
    }
}
END_TEST

START_TEST(seeds_go_to_two_to_the_64) {
    Program *p = parsed(with_members(",\"backward\":{\"fill\":\"dyadic\",\"seed\":\"18446744073709551615\"}"));
    ck_assert(p->backward.seed == UINT64_MAX);
    ck_assert(parsed(with_members(",\"backward\":{\"fill\":\"dyadic\",\"seed\":9007199254740991}"))->backward.seed == 9007199254740991u);
    static const char *const bad[] = {"-1", "1.5", "9007199254740992", "1e300"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_members(arena_printf(&arena, ",\"backward\":{\"fill\":\"dyadic\",\"seed\":%s}", bad[i])),
                "backward.seed: a seed is an integer in 0..2^53-1, or a decimal string");
    }
    static const char *const strings[] = {"", "-1", "18446744073709551616", "01", " 1", "1 ", "0x1", "111111111111111111111"};
    for (int i = 0; i < COUNT_OF(strings); i++) {
        refuses(with_members(arena_printf(&arena, ",\"backward\":{\"fill\":\"dyadic\",\"seed\":\"%s\"}", strings[i])),
                "backward.seed: expected a decimal string in 0..2^64-1");
    }
}
END_TEST

/* ---- the text itself ---- */

START_TEST(parse_refuses_what_is_not_json) {
    refuses("", "line 1, column 1: expected a value, found the end of the text");
    refuses("\n\n  ", "line 3, column 3: expected a value, found the end of the text");
    refuses("{\"a\":1,}", "line 1, column 8: expected a key in double quotes, found '}'");
    refuses("[1,]", "line 1, column 4: expected a value, found ']'");
    refuses("[1 2]", "line 1, column 4: expected ',' or ']', found '2'");
    refuses("{\"a\" 1}", "line 1, column 6: expected ':' after a key, found '1'");
    refuses("{'a':1}", "line 1, column 2: expected a key in double quotes, found '''");
    refuses("{} {}", "line 1, column 4: expected the end of the text, found '{'");
    refuses("{\"a\":tru}", "line 1, column 6: expected a value, found 't'");
    refuses("{\"a\":NaN}", "line 1, column 6: expected a value, found 'N'");
    refuses("// no\n{}", "line 1, column 1: expected a value, found '/'");
    refuses("\xEF\xBB\xBF{}", "line 1, column 1: expected a value, found a byte order mark or other non-ASCII text");
    refuses("{\"a\":\"b", "line 1, column 6: a string without end");
}
END_TEST

START_TEST(parse_refuses_numbers_outside_the_grammar) {
    refuses("[01]", "line 1, column 3: a number may not begin with 0");
    refuses("[+1]", "line 1, column 2: expected a value, found '+'");
    refuses("[1.]", "line 1, column 4: expected a digit after the decimal point, found ']'");
    refuses("[.5]", "line 1, column 2: expected a value, found '.'");
    refuses("[1e]", "line 1, column 4: expected a digit of the exponent, found ']'");
    refuses("[-]", "line 1, column 3: expected a digit, found ']'");
    refuses("[0x10]", "line 1, column 3: expected ',' or ']', found 'x'");
    refuses("[1_000]", "line 1, column 3: expected ',' or ']', found '_'");
}
END_TEST

START_TEST(parse_refuses_text_that_is_not_utf8) {
    refuses("[\"\xFF\"]", "line 1, column 3: not UTF-8: the byte 0xFF");
    refuses("[\"\xC0\x80\"]", "line 1, column 3: not UTF-8: the byte 0xC0");
    refuses("[\"\xED\xA0\x80\"]", "line 1, column 3: not UTF-8: the byte 0xED");
    refuses("[\"\xF4\x90\x80\x80\"]", "line 1, column 3: not UTF-8: the byte 0xF4");
    refuses("[\"\xE2\x82\"]", "line 1, column 3: not UTF-8: the byte 0xE2");
}
END_TEST

START_TEST(parse_refuses_control_characters_and_bad_escapes) {
    refuses("[\"a\tb\"]", "line 1, column 4: the control character 0x09 in a string must be escaped");
    refuses("[\"\\x41\"]", "line 1, column 3: not an escape that JSON knows");
    refuses("[\"\\u12G4\"]", "line 1, column 3: \\u needs four hexadecimal digits");
    refuses("[\"\\u0000\"]", "line 1, column 3: \\u0000 is not allowed");
    refuses("[\"\\uD800\"]", "line 1, column 3: a lone surrogate is not allowed");
    refuses("[\"\\uDC00\\uD800\"]", "line 1, column 3: a lone surrogate is not allowed");
    refuses("[\"\\uD800\\u0041\"]", "line 1, column 3: a lone surrogate is not allowed");
    Program *p = NULL;
    ck_assert(program_parse(&arena, "{\"a\":\0}", 7, &p, message, sizeof message) == PARSE_BAD);
    ck_assert_str_eq(message, "line 1, column 6: expected a value, found the byte 0x00");
    ck_assert_str_eq(parsed(with_members(",\"name\":\"\\ud83d\\ude00\""))->name, "\xF0\x9F\x98\x80");
}
END_TEST

START_TEST(a_million_nested_arrays_are_refused_without_a_deep_stack) {
    enum { N = 1000000 };
    char *text = arena_alloc(&arena, 2 * N + 1);
    memset(text, '[', N);
    memset(text + N, ']', N);
    refuses(text, "line 1, column 257: nested deeper than 256");
    for (int i = 0; i + 5 <= N; i += 5) {
        memcpy(text + i, "{\"a\":", 5);
    }
    refuses(text, "line 1, column 1281: nested deeper than 256");
}
END_TEST

START_TEST(parse_refuses_a_text_over_16_megabytes) {
    int64_t n = 16 * 1024 * 1024 + 1;
    char *text = arena_alloc(&arena, n + 1);
    memset(text, ' ', (size_t)n);
    refuses(text, "the text has 16777217 bytes: the limit is 16777216");
}
END_TEST

/* ---- keys ---- */

START_TEST(parse_refuses_a_duplicate_key) {
    refuses("{\"twingrad\":1,\"twingrad\":1,\"body\":[],\"return\":[]}", "twingrad: the key stands twice");
    refuses(with_body("{\"op\":\"neg\",\"self\":\"x\",\"self\":\"x\",\"out\":\"y\"}"), "body[0].self: the key stands twice");
    refuses(with_members(",\"x-a\":{\"b\":1,\"c\":2,\"b\":1}"), "x-a.b: the key stands twice");
    refuses(with_members(",\"x-a\":{\"\\u0062\":1,\"b\":1}"), "x-a.b: the key stands twice");
}
END_TEST

START_TEST(parse_refuses_an_unknown_key) {
    refuses(with_members(",\"bodies\":[]"), "bodies: unknown key");
    refuses(with_members(",\"a b\\n\":[]"), "[\"a b\\n\"]: unknown key");
    refuses(with_body("{\"with\":\"no_grad\",\"body\":[],\"then\":[]}"), "body[0].then: unknown key");
    refuses(with_body("{\"assert\":{\"is_leaf\":\"x\"},\"message\":\"\"}"), "body[0].message: unknown key");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0],\"offset\":1}"), "inputs[0].offset: unknown key");
    refuses(with_members(",\"backward\":{\"fill\":\"ones\",\"seed\":1,\"from\":2}"), "backward.from: unknown key");
    refuses(with_members(",\"shell\":{\"wraps\":\"method\"}"), "shell.wraps: unknown key");
    refuses(with_body("{\"op\":\"neg\",\"self\":\"x\",\"dim\":0,\"out\":\"y\"}"), "body[0].dim: unknown argument of neg");
    refuses(with_body("{\"op\":\"neg\",\"self\":\"x\",\"requires_grad\":true,\"out\":\"y\"}"), "body[0].requires_grad: unknown argument of neg");
    refuses(with_body("{\"op\":\"zeros\",\"size\":[],\"device\":\"cpu\",\"out\":\"y\"}"), "body[0].device: unknown argument of zeros");
    refuses(with_body("{\"op\":\"if\",\"if\":1,\"self\":\"x\",\"out\":\"y\",\"body\":[{}]}"), "body[0].body[0]: not a value of the format");
}
END_TEST

START_TEST(parse_refuses_a_missing_key) {
    refuses("{\"body\":[],\"return\":[]}", "top level: the key \"twingrad\" is missing");
    refuses("{\"twingrad\":1,\"return\":[]}", "top level: the key \"body\" is missing");
    refuses("{\"twingrad\":1,\"body\":[]}", "top level: the key \"return\" is missing");
    refuses(with_inputs("{\"dtype\":\"bool\",\"size\":[0]}"), "inputs[0]: the key \"name\" is missing");
    refuses(with_inputs("{\"name\":\"x\",\"size\":[0]}"), "inputs[0]: the key \"dtype\" is missing");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\"}"), "inputs[0]: the key \"size\" is missing");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[1]}"), "inputs[0]: the key \"data\" is missing");
    refuses(with_body("{\"with\":\"no_grad\"}"), "body[0]: the key \"body\" is missing");
    refuses(with_body("{\"if\":{\"is_leaf\":\"x\"}}"), "body[0]: the key \"then\" is missing");
    refuses(with_body("{\"probe\":\"size\"}"), "body[0]: the key \"of\" is missing");
    refuses(with_body("{\"op\":\"neg\",\"out\":\"y\"}"), "body[0]: the argument \"self\" of neg is missing");
    refuses(with_body("{\"op\":\"add\",\"self\":\"x\",\"out\":\"y\"}"), "body[0]: the argument \"other\" of add is missing");
    refuses(with_body("{\"op\":\"neg\",\"self\":\"x\"}"), "body[0]: the key \"out\" is missing: only an in-place op can do without");
    refuses(with_body("{\"op\":\"tensor\",\"data\":[],\"size\":[0],\"out\":\"y\"}"), "body[0]: the argument \"dtype\" of tensor is missing");
    refuses(with_members(",\"backward\":{\"fill\":\"dyadic\"}"), "backward: the key \"seed\" is missing");
    refuses(with_members(",\"backward\":{\"seed\":1}"), "backward: the key \"fill\" is missing");
    refuses(with_body("{\"op\":\"grad\",\"outputs\":[],\"inputs\":[]}"), "body[0]: the key \"out\" is missing");
}
END_TEST

START_TEST(parse_refuses_another_version) {
    refuses("{\"twingrad\":2,\"body\":[],\"return\":[]}", "twingrad: format version 2 is not known: this reads version 1");
    refuses("{\"twingrad\":\"1\",\"body\":[],\"return\":[]}", "twingrad: expected an integer, found a string");
    refuses("[]", "top level: expected an object, found an array");
    refuses("null", "top level: expected an object, found null");
}
END_TEST

/* ---- statements ---- */

START_TEST(parse_refuses_what_is_no_statement) {
    refuses(with_body("1"), "body[0]: expected a statement, found a number");
    refuses(with_body("{}"), "body[0]: expected a statement: one of the keys op, with, if, assert, probe, graph_break");
    refuses(with_body("{\"with\":\"no_grad\",\"body\":{}}"), "body[0].body: expected an array of statements, found an object");
    refuses(with_body("{\"with\":\"grad\",\"body\":[]}"), "body[0].with: expected \"no_grad\" or \"enable_grad\"");
    refuses(with_body("{\"with\":\"no_grad\",\"body\":[{\"if\":{\"is_leaf\":\"x\"},\"then\":[7]}]}"),
            "body[0].body[0].then[0]: expected a statement, found a number");
    refuses(with_body("{\"graph_break\":false}"), "body[0].graph_break: expected true");
    refuses(with_body("{\"probe\":\"grad\",\"of\":\"x\"}"), "body[0].probe: unknown probe");
    refuses(with_body("{\"probe\":\"is_grad_enabled\",\"of\":\"x\"}"), "body[0].of: is_grad_enabled is of nothing");
    refuses(with_body("{\"op\":1}"), "body[0].op: expected the name of an op, found a number");
    refuses(with_body("{\"op\":\"\"}"), "body[0].op: not the name of an op");
    refuses(with_body("{\"op\":\"a b\"}"), "body[0].op: not the name of an op");
}
END_TEST

START_TEST(parse_refuses_a_malformed_predicate) {
    const char *one = ": expected one predicate: requires_grad, is_leaf, has_grad_fn, is_contiguous, is_grad_enabled, dtype, dim or not";
    refuses(with_body("{\"assert\":true}"), "body[0].assert: expected a predicate, found a boolean");
    refuses(with_body("{\"assert\":{}}"), arena_printf(&arena, "body[0].assert%s", one));
    refuses(with_body("{\"assert\":{\"is_leaf\":\"x\",\"dim\":[\"x\",1]}}"), arena_printf(&arena, "body[0].assert%s", one));
    refuses(with_body("{\"assert\":{\"is_view\":\"x\"}}"), arena_printf(&arena, "body[0].assert%s", one));
    refuses(with_body("{\"assert\":{\"is_grad_enabled\":false}}"), "body[0].assert.is_grad_enabled: expected true");
    refuses(with_body("{\"assert\":{\"dim\":[\"x\"]}}"), "body[0].assert.dim: expected [NAME, N]");
    refuses(with_body("{\"assert\":{\"not\":{\"dtype\":[\"x\",\"float\"]}}}"), "body[0].assert.not.dtype[1]: unknown dtype");
}
END_TEST

START_TEST(statements_nest_64_deep_and_no_deeper) {
    for (int depth = 64; depth <= 65; depth++) {
        Text text = {.arena = &arena};
        for (int i = 0; i < depth; i++) {
            text_add(&text, "{\"with\":\"no_grad\",\"body\":[");
        }
        for (int i = 0; i < depth; i++) {
            text_add(&text, "]}");
        }
        Program *p = NULL;
        ck_assert_int_eq(parse(with_body(text.v), &p), depth == 64 ? PARSE_OK : PARSE_BAD);
        if (depth == 64) {
            ck_assert_str_eq(printed(parsed(printed(p, false)), false), printed(p, false));
        }
    }
    ck_assert_ptr_nonnull(strstr(message, ".body: nested deeper than 64"));
    Text text = {.arena = &arena};
    for (int i = 0; i < 65; i++) {
        text_add(&text, "{\"not\":");
    }
    text_add(&text, "{\"is_leaf\":\"x\"}");
    for (int i = 0; i < 65; i++) {
        text_add(&text, "}");
    }
    Program *p = NULL;
    ck_assert_int_eq(parse(with_body(arena_printf(&arena, "{\"assert\":%s}", text.v)), &p), PARSE_BAD);
    ck_assert_ptr_nonnull(strstr(message, ".not: nested deeper than 64"));
}
END_TEST

START_TEST(parse_refuses_more_than_4096_statements) {
    Text text = {.arena = &arena};
    for (int i = 0; i < 4097; i++) {
        text_add(&text, i ? ",{\"graph_break\":true}" : "{\"graph_break\":true}");
    }
    refuses(with_body(text.v), "body: more than 4096 statements");
    Limits wide = LIMITS_DEFAULT;
    wide.max_statements = 5000;
    Program *p = NULL;
    const char *whole = with_body(text.v);
    ck_assert_int_eq(program_parse_within(&arena, whole, strlen(whole), &wide, &p, message, sizeof message), PARSE_OK);
}
END_TEST

START_TEST(parse_refuses_names_outside_the_grammar) {
    const char *why = "not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}";
    static const char *const bad[] = {"", "1x", "a-b", "a b", "\xC3\xA9", "a.b",
                                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_body(arena_printf(&arena, "{\"op\":\"neg\",\"self\":\"x\",\"out\":\"%s\"}", bad[i])), arena_printf(&arena, "body[0].out: %s", why));
    }
    refuses(with_body("{\"op\":\"neg\",\"self\":\"a b\",\"out\":\"y\"}"), arena_printf(&arena, "body[0].self: %s", why));
    refuses(with_body("{\"op\":\"unbind\",\"self\":\"x\",\"out\":[\"a\",null]}"), "body[0].out[1]: expected a name, found null");
}
END_TEST

/* ---- arguments and overloads ---- */

static const char *chosen(const char *stmt) { return parsed(with_body(stmt))->body.first->op->id_name; }

START_TEST(the_kind_of_a_value_chooses_the_overload) {
    ck_assert_str_eq(chosen("{\"op\":\"add\",\"self\":\"x\",\"other\":\"x\",\"out\":\"y\"}"), "add_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"add\",\"self\":\"x\",\"other\":1,\"out\":\"y\"}"), "add_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":2,\"exponent\":\"x\",\"out\":\"y\"}"), "pow_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":\"x\",\"exponent\":2,\"out\":\"y\"}"), "pow_Tensor_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":\"x\",\"exponent\":\"x\",\"out\":\"y\"}"), "pow_Tensor_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"where\",\"condition\":\"x\",\"self\":1,\"other\":{\"float\":2},\"out\":\"y\"}"), "where_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"where\",\"condition\":\"x\",\"self\":\"x\",\"other\":2,\"out\":\"y\"}"), "where_ScalarOther");
    ck_assert_str_eq(chosen("{\"op\":\"clamp\",\"self\":\"x\",\"min\":\"x\",\"out\":\"y\"}"), "clamp_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"clamp\",\"self\":\"x\",\"out\":\"y\"}"), "clamp");
    ck_assert_str_eq(chosen("{\"op\":\"fill_\",\"self\":\"x\",\"value\":true}"), "fill__Scalar");
}
END_TEST

START_TEST(the_names_of_the_arguments_choose_the_overload) {
    ck_assert_str_eq(chosen("{\"op\":\"sum\",\"self\":\"x\",\"out\":\"y\"}"), "sum");
    ck_assert_str_eq(chosen("{\"op\":\"sum\",\"self\":\"x\",\"dim\":[0],\"out\":\"y\"}"), "sum_dim");
    ck_assert_str_eq(chosen("{\"op\":\"div\",\"self\":\"x\",\"other\":2,\"out\":\"y\"}"), "div_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"div\",\"self\":\"x\",\"other\":2,\"rounding_mode\":null,\"out\":\"y\"}"), "div_Scalar_mode");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"end\":2,\"out\":\"y\"}"), "arange");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"start\":1,\"end\":2,\"out\":\"y\"}"), "arange_start");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"start\":1,\"end\":2,\"step\":0.5,\"out\":\"y\"}"), "arange_start_step");
    ck_assert_str_eq(chosen("{\"op\":\"scatter_\",\"self\":\"x\",\"dim\":0,\"index\":\"x\",\"value\":2}"), "scatter__value");
    ck_assert_str_eq(chosen("{\"op\":\"tensor_split\",\"self\":\"x\",\"indices\":[1],\"out\":\"y\"}"), "tensor_split_indices");
}
END_TEST

START_TEST(parse_refuses_a_value_that_no_overload_takes) {
    refuses(with_body("{\"op\":\"add\",\"self\":\"x\",\"other\":[1],\"out\":\"y\"}"),
            "body[0].other: expected a tensor's name or a number or a boolean, found an array");
    refuses(with_body("{\"op\":\"add\",\"self\":1,\"other\":1,\"out\":\"y\"}"), "body[0].self: expected a tensor's name, found a number");
    refuses(with_body("{\"op\":\"neg\",\"self\":null,\"out\":\"y\"}"), "body[0].self: expected a tensor's name, found null");
    refuses(with_body("{\"op\":\"select\",\"self\":\"x\",\"dim\":\"0\",\"index\":0,\"out\":\"y\"}"), "body[0].dim: expected an integer, found a string");
    refuses(with_body("{\"op\":\"select\",\"self\":\"x\",\"dim\":true,\"index\":0,\"out\":\"y\"}"), "body[0].dim: expected an integer, found a boolean");
    refuses(with_body("{\"op\":\"select\",\"self\":\"x\",\"dim\":0.5,\"index\":0,\"out\":\"y\"}"),
            "body[0].dim: expected an integer, found a number with a fraction");
    refuses(with_body("{\"op\":\"zeros\",\"size\":2,\"out\":\"y\"}"), "body[0].size: expected an array of integers, found a number");
    refuses(with_body("{\"op\":\"zeros\",\"size\":[2,null],\"out\":\"y\"}"), "body[0].size[1]: expected an integer, found null");
    refuses(with_body("{\"op\":\"zeros\",\"size\":[9007199254740993],\"out\":\"y\"}"),
            "body[0].size[0]: an integer beyond 2^53 cannot be written as a number");
    refuses(with_body("{\"op\":\"zeros\",\"size\":[{\"size_of\":[\"x\"]}],\"out\":\"y\"}"), "body[0].size[0].size_of: expected [NAME, DIM]");
    refuses(with_body("{\"op\":\"zeros\",\"size\":[],\"dtype\":\"complex64\",\"out\":\"y\"}"), "body[0].dtype: unknown dtype");
    refuses(with_body("{\"op\":\"cat\",\"tensors\":[\"x\",null],\"out\":\"y\"}"), "body[0].tensors[1]: expected a name, found null");
    refuses(with_body("{\"op\":\"sum\",\"self\":\"x\",\"dim\":0,\"keepdim\":1,\"out\":\"y\"}"), "body[0].keepdim: expected true or false, found a number");
    refuses(with_body("{\"op\":\"arange\",\"end\":\"x\",\"out\":\"y\"}"), "body[0].end: expected a number or a boolean, found a string");
    refuses(with_body("{\"op\":\"div\",\"self\":\"x\",\"other\":1,\"rounding_mode\":1,\"out\":\"y\"}"), "body[0].rounding_mode: expected a string, found a number");
    refuses(with_body("{\"op\":\"neg\",\"self\":\"x\",\"out\":7}"), "body[0].out: expected a name or an array of names, found a number");
}
END_TEST

START_TEST(parse_refuses_a_malformed_index) {
    static const struct { const char *index, *expected; } cases[] = {
        {"\"x\"", "body[0].index: expected an array of index items, found a string"},
        {"[[0,1]]", "body[0].index[0]: a slice is [start, stop, step], with null for what is left out"},
        {"[[null,\"x\",null]]", "body[0].index[0][1]: expected an integer, found a string"},
        {"[{\"list\":[true]}]", "body[0].index[0].list[0]: expected an integer, found a boolean"},
        {"[{\"float\":1}]", "body[0].index[0]: expected an index item: an integer, [start, stop, step], null, \"...\", a boolean, a name or {\"list\": [..]}"},
        {"[1.5]", "body[0].index[0]: expected an integer, found a number with a fraction"},
        {"[\"..\"]", "body[0].index[0]: not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        refuses(with_body(arena_printf(&arena, "{\"op\":\"getitem\",\"self\":\"x\",\"index\":%s,\"out\":\"y\"}", cases[i].index)), cases[i].expected);
    }
}
END_TEST

START_TEST(parse_refuses_a_literal_whose_data_does_not_fit) {
    refuses(with_body("{\"op\":\"tensor\",\"data\":[1,2],\"size\":[3],\"dtype\":\"int64\",\"out\":\"y\"}"),
            "body[0].data: 2 elements were given for a size of 3");
    refuses(with_body("{\"op\":\"tensor\",\"data\":[300],\"size\":[1],\"dtype\":\"uint8\",\"out\":\"y\"}"), "body[0].data[0]: 300 does not fit uint8");
    refuses(with_body("{\"op\":\"tensor\",\"data\":[1],\"size\":[1],\"dtype\":\"bool\",\"out\":\"y\"}"),
            "body[0].data[0]: expected true or false, found a number");
    refuses(with_body("{\"op\":\"tensor\",\"data\":[1],\"size\":[-1],\"dtype\":\"bool\",\"out\":\"y\"}"),
            "body[0].data: a literal needs a size of non-negative integers");
    refuses(with_body("{\"op\":\"tensor\",\"data\":[1e39],\"size\":[],\"dtype\":\"float32\",\"out\":\"y\"}"),
            "body[0].data[0]: the number is beyond float32; infinity is \"inf\"");
}
END_TEST

START_TEST(an_op_outside_the_table_is_told_apart_from_bad_input) {
    Program *p = NULL;
    ck_assert_int_eq(parse(with_body("{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"},{\"op\":\"fft_fft\",\"self\":\"x\",\"out\":\"y\"}"), &p), PARSE_UNKNOWN_OP);
    ck_assert_str_eq(message, "body[1].op: the op fft_fft is not in the op table");
    ck_assert_ptr_null(p);
    ck_assert_int_eq(parse(with_body("{\"op\":\"_to_copy\",\"self\":\"x\",\"out\":\"y\"}"), &p), PARSE_UNKNOWN_OP);
    ck_assert_int_eq(parse(with_body("{\"op\":\"squeeze\",\"self\":\"x\",\"dim\":[0,1],\"out\":\"y\"}"), &p), PARSE_UNKNOWN_OP);
    ck_assert_str_eq(message, "body[0].op: the overload squeeze.dims is not in the op table");
    refuses(with_body("{\"op\":\"fft_fft\",\"self\":\"x\",\"out\":\"y\"},{\"probe\":\"x\"}"), "body[1].probe: unknown probe");
    refuses(with_body("{\"op\":\"fft_fft\",\"self\":{\"x\":1},\"out\":\"y\"}"), "body[0].self: not a value of the format");
}
END_TEST

START_TEST(arguments_keep_their_notation) {
    keeps_stmt("{\"op\": \"sum\", \"self\": \"x\", \"dim\": [0], \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"sum\", \"self\": \"x\", \"dim\": 0, \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"slice\", \"self\": \"x\", \"start\": null, \"end\": {\"int\": \"9223372036854775807\"}, \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"div\", \"self\": \"x\", \"other\": 2, \"rounding_mode\": \"floor\", \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"zero_\", \"self\": \"x\", \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"setitem\", \"self\": \"x\", \"index\": [], \"value\": 0.1}");
    keeps_stmt("{\"op\": \"unbind\", \"self\": \"x\", \"out\": []}");
    keeps_stmt("{\"op\": \"mul\", \"self\": \"x\", \"other\": {\"float\": \"-0.0\"}, \"out\": \"y\"}");
    writes_stmt_as("{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"float\":0.50},\"out\":\"y\"}", "{\"op\": \"mul\", \"self\": \"x\", \"other\": 0.5, \"out\": \"y\"}");
    writes_stmt_as("{\"op\":\"tensor\",\"data\":{\"fill\":\"arange\"},\"size\":[3],\"dtype\":\"int8\",\"out\":\"y\"}",
                   "{\"op\": \"tensor\", \"data\": [0, 1, 2], \"size\": [3], \"dtype\": \"int8\", \"out\": \"y\"}");
}
END_TEST

/* ---- inputs ---- */

START_TEST(parse_refuses_a_bad_input) {
    static const struct { const char *input, *expected; } cases[] = {
        {"7", "inputs[0]: expected an object, found a number"},
        {"{\"name\":\"1\",\"dtype\":\"bool\",\"size\":[0]}", "inputs[0].name: not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}"},
        {"{\"name\":\"x\",\"dtype\":\"double\",\"size\":[0]}", "inputs[0].dtype: unknown dtype"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[-1]}", "inputs[0].size[0]: -1 is not in 0..9007199254740992"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}", "inputs[0].size: 17 entries pass the limit of 16"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"stride\":[-1],\"data\":[true]}", "inputs[0].stride[0]: -1 is not in 0..9007199254740992"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"stride\":[],\"data\":[true]}", "inputs[0].stride: 0 strides for 1 dimensions"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"storage_offset\":-2,\"data\":[true]}", "inputs[0].storage_offset: -2 is not in 0..9007199254740992"},
        {"{\"name\":\"x\",\"dtype\":\"int64\",\"size\":[0],\"requires_grad\":true}", "inputs[0].requires_grad: int64 is not a floating dtype"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"data\":[true]}", "inputs[0].data: 1 elements were given, the storage has 2"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"data\":7}", "inputs[0].data: expected an array of elements or a fill, found a number"},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[1],\"data\":{\"fill\":\"random\",\"seed\":1}}",
         "inputs[0].data.fill: unknown fill: zeros, ones, arange, dyadic, uniform or special"},
        {"{\"name\":\"x\",\"dtype\":\"int8\",\"size\":[1],\"data\":[128]}", "inputs[0].data[0]: 128 does not fit int8"},
        {"{\"name\":\"x\",\"dtype\":\"int8\",\"size\":[1],\"data\":[0.5]}", "inputs[0].data[0]: expected an integer, found a number with a fraction"},
        {"{\"name\":\"x\",\"dtype\":\"int64\",\"size\":[1],\"data\":[9007199254740993]}",
         "inputs[0].data[0]: an integer beyond 2^53 cannot be written as a number"},
        {"{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"data\":[\"NaN\"]}", "inputs[0].data[0]: expected a number, \"nan\", \"inf\", \"-inf\" or \"-0.0\""},
        {"{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"data\":[true]}", "inputs[0].data[0]: expected a number, found a boolean"},
        {"{\"name\":\"x\",\"dtype\":\"float64\",\"size\":[1],\"data\":[1e309]}", "inputs[0].data[0]: the number is beyond float64; infinity is \"inf\""},
        {"{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0]},{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0]}",
         "inputs[1].name: another input has the name \"x\""},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        refuses(with_inputs(cases[i].input), cases[i].expected);
    }
}
END_TEST

START_TEST(parse_refuses_inputs_that_share_a_storage_wrongly) {
    const char *first = "{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\",\"data\":[1,2]}";
    refuses(with_inputs(arena_printf(&arena, "%s,{\"name\":\"y\",\"dtype\":\"float64\",\"size\":[2],\"storage\":\"s\"}", first)),
            "inputs[1].dtype: the storage \"s\" holds float32");
    refuses(with_inputs(arena_printf(&arena, "%s,{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\",\"data\":[1,2]}", first)),
            "inputs[1].data: only the first input on the storage \"s\" carries its data");
    refuses(with_inputs(arena_printf(&arena, "%s,{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[3],\"storage\":\"s\"}", first)),
            "inputs[0].data: 2 elements were given, the storage has 3");
}
END_TEST

START_TEST(limits_passed_by_an_input_are_bad_input) {
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[67108865],\"data\":{\"fill\":\"zeros\"}}"),
            "inputs[0].size: the tensor passes the limit of 67108864 elements");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[9007199254740992,9007199254740992],\"stride\":[0,0],\"data\":{\"fill\":\"zeros\"}}"),
            "inputs[0].size: the tensor passes the limit of 67108864 elements");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[2],\"stride\":[9007199254740992],\"data\":{\"fill\":\"zeros\"}}"),
            "inputs[0]: its storage passes the limit of 67108864 elements");
    refuses(with_inputs("{\"name\":\"x\",\"dtype\":\"float64\",\"size\":[67108864],\"data\":{\"fill\":\"zeros\"}}"),
            "inputs[0]: the inputs pass the limit of 268435456 bytes");
    Text text = {.arena = &arena};
    for (int i = 0; i < 65; i++) {
        text_printf(&text, "%s{\"name\":\"x%d\",\"dtype\":\"bool\",\"size\":[0]}", i ? "," : "", i);
    }
    refuses(with_inputs(text.v), "inputs: 65 inputs pass the limit of 64");
    text = (Text){.arena = &arena};
    for (int i = 0; i < 65; i++) {
        text_add(&text, i ? ",[]" : "[]");
    }
    refuses(with_members(arena_printf(&arena, ",\"recalls\":[%s]", text.v)), "recalls: 65 recalls pass the limit of 64");
}
END_TEST

/* ---- calls and shell ---- */

START_TEST(parse_refuses_bad_calls) {
    static const struct { const char *members, *expected; } cases[] = {
        {",\"backward\":{\"fill\":\"ones\",\"seed\":1,\"of\":[0]}", "backward.of[0]: 0 is no place in return, which has 0"},
        {",\"backward\":7", "backward: expected a fill or null, found a number"},
        {",\"args\":[\"z\"]", "args[0]: neither an input nor a name that setup binds"},
        {",\"grad_mode\":1", "grad_mode: expected true or false, found a number"},
        {",\"recalls\":[7]", "recalls[0]: expected an array of inputs or an object, found a number"},
        {",\"recalls\":[{}]", "recalls[0]: the key \"inputs\" is missing"},
        {",\"recalls\":[{\"keep\":false}]", "recalls[0].keep: expected true"},
        {",\"recalls\":[{\"keep\":true,\"inputs\":[]}]", "recalls[0].inputs: unknown key"},
        {",\"recalls\":[{\"keep\":true,\"set\":{\"x\":true}}]", "recalls[0].set.x: expected {\"requires_grad\": true or false}"},
        {",\"recalls\":[{\"keep\":true,\"set\":{\"x\":{\"requires_grad\":true}}}]", "recalls[0].set: a name that is no argument"},
        {",\"recalls\":[[{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0]}]]", "recalls[0]: 1 inputs, but the function has 0"},
        {",\"shell\":{\"wrap\":\"class\"}", "shell.wrap: expected one of: function, method, module"},
        {",\"shell\":{\"roles\":{\"x\":\"thing\"}}", "shell.roles.x: expected one of: arg, closure, global, attr, buffer, parameter, constant"},
        {",\"shell\":{\"spelling\":{\"body[01]\":\"method\"}}", "shell.spelling[\"body[01]\"]: not a statement's path, such as body[3]"},
        {",\"shell\":{\"outline\":[[5,2]]}", "shell.outline[0]: expected [FROM, TO], FROM not after TO"},
        {",\"shell\":{\"instances\":0}", "shell.instances: 0 is not in 1..1024"},
        {",\"name\":null", "name: expected a string, found null"},
        {",\"expect\":{\"twingrad_result\":1}", "expect: the key \"calls\" is missing"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        refuses(with_members(cases[i].members), cases[i].expected);
    }
    refuses("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0]}],\"body\":[],\"return\":[],"
            "\"recalls\":[[{\"name\":\"y\",\"dtype\":\"bool\",\"size\":[0]}]]}",
            "recalls[0][0].name: expected \"x\", the function's parameter");
    refuses("{\"twingrad\":1,\"body\":[],\"return\":[\"a\"],\"backward\":{\"fill\":\"ones\",\"of\":[0,0]}}", "backward.of[1]: 0 stands twice");
    refuses("{\"twingrad\":1,\"body\":[],\"return\":[null]}", "return[0]: expected a name, found null");
}
END_TEST

/* ---- results ---- */

static const char *const result_program =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":[1,2]},{\"name\":\"i\",\"dtype\":\"int64\",\"size\":[1],"
    "\"data\":[1]}],\"body\":[{\"probe\":\"size\",\"of\":\"x\"}],\"return\":[\"x\",\"x\"]}";

static ParseStatus read_back(const Program *p, const char *text, Result **r) {
    return result_parse(&arena, text, strlen(text), p, r, message, sizeof message);
}

START_TEST(a_result_is_printed_as_it_was_read) {
    const char *text =
        "{\"twingrad_result\": 1, \"target\": \"torch\", \"calls\": [{\"status\": \"error\", \"error\": {\"at\": \"backward\", \"code\": \"saved_modified\", "
        "\"message\": \"m\"}, \"trace\": [{\"at\": \"body[0]\", \"probe\": \"size\", \"value\": [2]}, {\"at\": \"body[0]\", \"probe\": \"dtype\", \"value\": "
        "\"int8\"}, {\"at\": \"body[0]\", \"probe\": \"is_leaf\", \"value\": false}], \"returns\": [{\"dtype\": \"float32\", \"size\": [2], \"stride\": [1], "
        "\"storage_offset\": 0, \"requires_grad\": true, \"is_leaf\": false, \"alias\": \"input:x\", \"data\": [0.1, \"-0.0\"], \"grad\": null}, {\"dtype\": "
        "\"bool\", \"size\": [], \"alias\": \"return:0\", \"data\": [true]}], \"inputs\": [{\"name\": \"x\", \"requires_grad\": true, \"is_leaf\": true, "
        "\"version\": 3, \"size\": [2], \"stride\": [1], \"storage_offset\": 0, \"data\": [1, 2], \"grad\": {\"size\": [2], \"data\": [0, 0.5]}}, {\"name\": "
        "\"i\", \"data\": [\"9223372036854775807\"], \"x-unsettled\": true}], \"vacuous\": true, \"poked\": {\"returns\": [[1, 1], null], \"inputs\": [null, "
        "[4]]}, \"x-compiled\": true, \"x-frames\": 2}], \"x-undefined\": [{\"at\": \"body[0]\", \"why\": \"w\"}], \"x-more\": {}}";
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
    ck_assert_int_eq(read_back(p, "{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{\"dtype\":\"float32\",\"size\":[3],\"data\":"
                                  "[0.1000000000001, 1e39, -1e39]}]}]}", &r), PARSE_OK);
    const float *data = r->calls[0].returns[0].values.data;
    ck_assert(data[0] == 0.1f && isinf(data[1]) && data[1] > 0 && isinf(data[2]) && data[2] < 0);
}
END_TEST

START_TEST(a_malformed_result_is_refused) {
    static const struct { const char *text, *expected; } cases[] = {
        {"{}", "top level: the key \"twingrad_result\" is missing"},
        {"{\"twingrad_result\":2,\"calls\":[]}", "twingrad_result: 2 is not in 1..1"},
        {"{\"twingrad_result\":1,\"calls\":[],\"more\":1}", "more: unknown key"},
        {"{\"twingrad_result\":1,\"calls\":[{}]}", "calls[0]: the key \"status\" is missing"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"fine\"}]}", "calls[0].status: expected \"ok\" or \"error\""},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\"}]}", "calls[0]: the key \"error\" is missing"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\",\"error\":{\"at\":null,\"code\":\"none\"}}]}", "calls[0].error.code: unknown error code"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"error\",\"error\":{\"at\":\"body[9]\",\"code\":\"shape\"}}]}",
         "calls[0].error.at: the program has no statement there"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\"},{\"status\":\"ok\"}]}", "calls: 2 calls, but the program has 1"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"inputs\":[{\"name\":\"z\"}]}]}", "calls[0].inputs[0].name: the program has no such name"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{\"dtype\":\"bool\",\"size\":[2],\"data\":[true]}]}]}",
         "calls[0].returns[0].data: 1 elements for a size of 2"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"returns\":[{\"dtype\":\"bool\",\"size\":[0],\"alias\":\"return:0\"}]}]}",
         "calls[0].returns[0].alias: neither \"input:NAME\" of an input here nor \"return:K\" of an earlier return"},
        {"{\"twingrad_result\":1,\"calls\":[{\"status\":\"ok\",\"trace\":[{\"at\":\"body[0]\",\"probe\":\"is_leaf\",\"value\":1}]}]}",
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

/* ---- nothing crashes ---- */

START_TEST(a_program_cut_at_any_byte_is_refused_with_a_sentence) {
    size_t length = strlen(sample) - 1; /* the last newline may go */
    for (size_t n = 0; n < length; n++) {
        Program *p = NULL;
        ck_assert_int_eq(program_parse(&arena, sample, n, &p, message, sizeof message), PARSE_BAD);
        ck_assert_int_gt((int)strlen(message), 10);
        arena_reset(&arena);
    }
}
END_TEST

/* Changes some bytes of `text`; what still parses must print to a fixed point. */
static void survives_changes(const char *text, int rounds, uint64_t seed) {
    static const char alphabet[] = "{}[]\",:0123456789.-+eE \\nulltrefas_x";
    Rng rng = {seed};
    int64_t length = (int64_t)strlen(text);
    for (int i = 0; i < rounds; i++) {
        char *changed = arena_copy(&arena, text, length + 1);
        for (int64_t k = rng_below(&rng, 4); k >= 0; k--) {
            int64_t at = rng_below(&rng, length);
            bool bit = rng_chance(&rng, 40);
            changed[at] = bit ? (char)(changed[at] ^ (1 << rng_below(&rng, 8))) : alphabet[rng_below(&rng, sizeof alphabet - 1)];
        }
        Program *p = NULL;
        if (program_parse(&arena, changed, (size_t)length, &p, message, sizeof message) == PARSE_OK) {
            const char *once = printed(p, false);
            same_text(printed(parsed(once), false), once);
        } else {
            ck_assert_int_gt((int)strlen(message), 10);
            ck_assert_ptr_null(strchr(message, '\n'));
        }
        arena_reset(&arena);
    }
}

START_TEST(random_byte_changes_never_crash_and_what_parses_prints_stably) { survives_changes(sample, 10000, 1); }
END_TEST

START_TEST(random_byte_changes_of_a_result_never_crash) {
    const char *text = "{\"twingrad\": 1, \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"size\": [2], \"data\": [1, 2]}], \"body\": [{\"probe\": \"size\", "
                       "\"of\": \"x\"}], \"return\": [\"x\"], \"expect\": {\"twingrad_result\": 1, \"target\": \"t\", \"calls\": [{\"status\": \"ok\", \"trace\": "
                       "[{\"at\": \"body[0]\", \"probe\": \"size\", \"value\": [2]}], \"returns\": [{\"dtype\": \"float32\", \"size\": [2], \"stride\": [1], "
                       "\"storage_offset\": 0, \"requires_grad\": false, \"is_leaf\": true, \"alias\": \"input:x\", \"data\": [1, 2], \"grad\": null}], "
                       "\"inputs\": [{\"name\": \"x\", \"requires_grad\": false, \"version\": 0, \"data\": [1, 2], \"grad\": {\"size\": [2], \"data\": [0, 0]}}], "
                       "\"poked\": {\"returns\": [[1, 1]], \"inputs\": [[1, 1]]}}]}}";
    keeps_program(text);
    survives_changes(text, 10000, 2);
}
END_TEST

static void setup(void) { arena = ARENA_EMPTY; }
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("json");
    TCase *tcase = tcase_create("json");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, canonical_text_is_printed_as_it_was_read);
    tcase_add_test(tcase, one_line_form_reads_back_as_the_same_program);
    tcase_add_test(tcase, print_orders_keys_and_arguments_as_the_format_does);
    tcase_add_test(tcase, null_backward_is_no_backward);
    tcase_add_test(tcase, unknown_keys_that_begin_with_x_are_kept);
    tcase_add_test(tcase, every_dtype_of_the_format_parses);
    tcase_add_test(tcase, an_integral_number_is_an_integer_scalar_however_it_is_spelled);
    tcase_add_test(tcase, scalars_that_double_cannot_carry_must_be_wrapped);
    tcase_add_test(tcase, numbers_longer_than_any_buffer_are_read_exactly);
    tcase_add_test(tcase, shortest_digits_read_back_in_the_dtype);
    tcase_add_test(tcase, random_floats_survive_printing_and_reading);
    tcase_add_test(tcase, every_float16_pattern_survives_printing_and_reading);
    tcase_add_test(tcase, seeds_go_to_two_to_the_64);
    tcase_add_test(tcase, parse_refuses_what_is_not_json);
    tcase_add_test(tcase, parse_refuses_numbers_outside_the_grammar);
    tcase_add_test(tcase, parse_refuses_text_that_is_not_utf8);
    tcase_add_test(tcase, parse_refuses_control_characters_and_bad_escapes);
    tcase_add_test(tcase, a_million_nested_arrays_are_refused_without_a_deep_stack);
    tcase_add_test(tcase, parse_refuses_a_text_over_16_megabytes);
    tcase_add_test(tcase, parse_refuses_a_duplicate_key);
    tcase_add_test(tcase, parse_refuses_an_unknown_key);
    tcase_add_test(tcase, parse_refuses_a_missing_key);
    tcase_add_test(tcase, parse_refuses_another_version);
    tcase_add_test(tcase, parse_refuses_what_is_no_statement);
    tcase_add_test(tcase, parse_refuses_a_malformed_predicate);
    tcase_add_test(tcase, statements_nest_64_deep_and_no_deeper);
    tcase_add_test(tcase, parse_refuses_more_than_4096_statements);
    tcase_add_test(tcase, parse_refuses_names_outside_the_grammar);
    tcase_add_test(tcase, the_kind_of_a_value_chooses_the_overload);
    tcase_add_test(tcase, the_names_of_the_arguments_choose_the_overload);
    tcase_add_test(tcase, parse_refuses_a_value_that_no_overload_takes);
    tcase_add_test(tcase, parse_refuses_a_malformed_index);
    tcase_add_test(tcase, parse_refuses_a_literal_whose_data_does_not_fit);
    tcase_add_test(tcase, an_op_outside_the_table_is_told_apart_from_bad_input);
    tcase_add_test(tcase, arguments_keep_their_notation);
    tcase_add_test(tcase, parse_refuses_a_bad_input);
    tcase_add_test(tcase, parse_refuses_inputs_that_share_a_storage_wrongly);
    tcase_add_test(tcase, limits_passed_by_an_input_are_bad_input);
    tcase_add_test(tcase, parse_refuses_bad_calls);
    tcase_add_test(tcase, a_result_is_printed_as_it_was_read);
    tcase_add_test(tcase, data_of_a_result_is_rounded_to_its_dtype);
    tcase_add_test(tcase, a_malformed_result_is_refused);
    tcase_add_test(tcase, a_program_cut_at_any_byte_is_refused_with_a_sentence);
    tcase_add_test(tcase, random_byte_changes_never_crash_and_what_parses_prints_stably);
    tcase_add_test(tcase, random_byte_changes_of_a_result_never_crash);
    suite_add_tcase(suite, tcase);
    return run_suite("unit_json", suite);
}
