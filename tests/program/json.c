/* Reading and writing programs and results as JSON (docs/reference/format.md): which texts are
 * errors and with which message, what is preserved, and that no text crashes the reader. */
#include "tensor/rng.h"
#include "tests/support/json_case.h"

#include <math.h>

/* Every notation of the format, once, in canonical form. */
static const char *const sample =
    "{\n"
    "  \"twingrad\": 2,\n"
    "  \"name\": \"everything\",\n"
    "  \"note\": \"a \\\"note\\\" with \xC3\xA9 and \\n\",\n"
    "  \"inputs\": [\n"
    "    {\"name\": \"x\", \"dtype\": \"float32\", \"size\": [2, 3], \"stride\": [1, 2], "
    "\"storage_offset\": 1, \"storage\": \"s\", "
    "\"requires_grad\": true, \"data\": {\"fill\": \"dyadic\", \"seed\": 7}},\n"
    "    {\"name\": \"y\", \"dtype\": \"float32\", \"size\": [7], \"storage\": \"s\"},\n"
    "    {\"name\": \"i\", \"dtype\": \"int64\", \"size\": [3], \"data\": [0, -1, "
    "\"9223372036854775807\"]},\n"
    "    {\"name\": \"b\", \"dtype\": \"bool\", \"size\": [2], \"data\": [true, false]},\n"
    "    {\"name\": \"h\", \"dtype\": \"float16\", \"size\": [3], \"data\": [0.1, 65500, "
    "\"nan\"]}\n"
    "  ],\n"
    "  \"body\": [\n"
    "    {\"op\": \"zeros\", \"size\": [2, {\"size_of\": [\"x\", -1]}], \"dtype\": \"float32\", "
    "\"requires_grad\": true, \"out\": \"m\"},\n"
    "    {\"op\": \"add\", \"self\": \"m\", \"other\": {\"float\": 1}, \"alpha\": 0.5, \"out\": "
    "\"n\"},\n"
    "    {\"op\": \"unbind\", \"self\": \"n\", \"dim\": 0, \"out\": [\"r\", \"q\"]},\n"
    "    {\"op\": \"getitem\", \"self\": \"n\", \"index\": [[null, 2, null], null, \"...\", true, "
    "-1, \"i\", {\"list\": [0, 0, 1]}], \"out\": \"g\"},\n"
    "    {\"op\": \"setitem\", \"self\": \"n\", \"index\": [0], \"value\": {\"float\": "
    "\"-inf\"}},\n"
    "    {\"op\": \"setitem\", \"self\": \"n\", \"index\": [\"b\"], \"value\": \"r\"},\n"
    "    {\"op\": \"index_put_\", \"self\": \"n\", \"indices\": [null, \"i\"], \"values\": \"q\", "
    "\"accumulate\": true},\n"
    "    {\"op\": \"tensor\", \"data\": [1.5, \"nan\"], \"size\": [2], \"dtype\": \"float64\", "
    "\"out\": \"lit\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": [0, 1], \"keepdim\": true, \"out\": \"s\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": 0, \"out\": \"s\"},\n"
    "    {\"op\": \"sum\", \"self\": \"n\", \"dim\": null, \"out\": \"s\", \"x-why\": {\"a\": [1, "
    "2.50]}},\n"
    "    {\"op\": \"clamp\", \"self\": \"n\", \"min\": null, \"max\": {\"int\": "
    "\"9007199254740993\"}, \"out\": \"c\"},\n"
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
    "    {\"op\": \"grad\", \"outputs\": [\"n\"], \"inputs\": [\"m\", \"r\"], \"grad_outputs\": "
    "[null], \"create_graph\": true, "
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
    "  \"shell\": {\"wrap\": \"module\", \"roles\": {\"x\": \"buffer\"}, \"spelling\": "
    "{\"body[3]\": \"operator\"}, \"forms\": {\"body[3]\": \"closure\", \"body[1]\": \"dict\"}, "
    "\"leave\": \"global_list\", \"outline\": [[2, 5]], "
    "\"instances\": 2},\n"
    "  \"compile\": {\"config\": {\"inductor.cpp.simdlen\": 0, \"functorch.cse\": false, \"a\": "
    "null, "
    "\"b\": 0.5}, \"mark_dynamic\": {\"x\": [0, 3], \"i\": []}, \"dynamic\": true, \"fullgraph\": "
    "false, \"x-d\": 1},\n"
    "  \"expect\": {\"twingrad_result\": 1, \"target\": \"t\", \"calls\": []},\n"
    "  \"x-exact\": true, \"x-zero-sign\": false\n"
    "}\n";

/* ---- what is preserved ---- */

START_TEST(canonical_text_is_printed_as_it_was_read) {
    same_text(printed(parsed(sample), false), sample);
}
END_TEST

START_TEST(one_line_form_reads_back_as_the_same_program) {
    const char *line = printed(parsed(sample), true);
    ck_assert_ptr_null(strchr(line, '\n'));
    same_text(printed(parsed(line), false), sample);
}
END_TEST

START_TEST(print_orders_keys_and_arguments_as_the_format_does) {
    writes_stmt_as(
        "{\"out\":\"y\",\"alpha\":2,\"other\":\"x\",\"self\":\"x\",\"op\":\"add\"}",
        "{\"op\": \"add\", \"self\": \"x\", \"other\": \"x\", \"alpha\": 2, \"out\": \"y\"}");
    ck_assert_str_eq(
        printed(parsed("{\"return\":[],\"body\":[],\"note\":\"n\",\"name\":\"m\",\"twingrad\":1}"),
                true),
        "{\"twingrad\": 1, \"name\": \"m\", \"note\": \"n\", \"body\": [], \"return\": []}");
}
END_TEST

START_TEST(null_backward_is_no_backward) {
    ck_assert(!parsed(with_members(",\"backward\":null"))->backward.given);
    ck_assert(!parsed(with_members(""))->backward.given);
}
END_TEST

START_TEST(unknown_keys_that_begin_with_x_are_kept) {
    keeps_program("{\"twingrad\": 1, \"body\": [{\"graph_break\": true, \"x-s\": null}], "
                  "\"return\": [], \"backward\": {\"fill\": \"ones\", "
                  "\"seed\": 0, \"x-b\": 1}, \"shell\": {\"x-c\": [true]}, \"x-a\": \"\\u0001\", "
                  "\"x-z\": -1.50e+3}");
}
END_TEST

START_TEST(every_dtype_of_the_format_parses) {
    static const char *const names[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                        "int32",   "int16",   "int8",    "uint8",    "bool"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        Program *p = parsed(with_inputs(
            arena_printf(&arena, "{\"name\":\"x\",\"dtype\":\"%s\",\"size\":[0]}", names[i])));
        ck_assert_str_eq(dtype_name(p->inputs[0].dtype), names[i]);
    }
}
END_TEST

/* ---- errors, one row each ---- */

typedef enum Frame { CLAIMED, WHOLE, BODY, INPUTS, MEMBERS } Frame;
typedef struct Refusal {
    Frame frame;
    const char *text, *expected;
} Refusal;

static const Refusal refusals[] = {
#define CLAIM(name) {CLAIMED, #name, NULL},
#define WHOLE(text, expected) {WHOLE, text, expected},
#define BODY(text, expected) {BODY, text, expected},
#define INPUTS(text, expected) {INPUTS, text, expected},
#define MEMBERS(text, expected) {MEMBERS, text, expected},
#include "tests/support/json_refusals.def"
#undef CLAIM
#undef WHOLE
#undef BODY
#undef INPUTS
#undef MEMBERS
};

START_TEST(every_row_of_the_refusals_is_refused_with_its_sentence) {
    const Refusal *row = &refusals[_i];
    switch (row->frame) {
    case CLAIMED:
        break;
    case WHOLE:
        refuses(row->text, row->expected);
        break;
    case BODY:
        refuses(with_body(row->text), row->expected);
        break;
    case INPUTS:
        refuses(with_inputs(row->text), row->expected);
        break;
    case MEMBERS:
        refuses(with_members(row->text), row->expected);
        break;
    }
}
END_TEST

/* ---- the text itself ---- */

START_TEST(parse_refuses_control_characters_and_bad_escapes) {
    Program *p = NULL;
    ck_assert(program_parse(&arena, "{\"a\":\0}", 7, &p, message, sizeof message) == PARSE_BAD);
    ck_assert_str_eq(message, "line 1, column 6: expected a value, found the byte 0x00");
    ck_assert_str_eq(parsed(with_members(",\"name\":\"\\ud83d\\ude00\""))->name,
                     "\xF0\x9F\x98\x80");
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

/* ---- statements ---- */

START_TEST(parse_refuses_a_malformed_predicate) {
    const char *one = ": expected one predicate: requires_grad, is_leaf, has_grad_fn, "
                      "is_contiguous, is_grad_enabled, dtype, dim or not";
    refuses(with_body("{\"assert\":{}}"), arena_printf(&arena, "body[0].assert%s", one));
    refuses(with_body("{\"assert\":{\"is_leaf\":\"x\",\"dim\":[\"x\",1]}}"),
            arena_printf(&arena, "body[0].assert%s", one));
    refuses(with_body("{\"assert\":{\"is_view\":\"x\"}}"),
            arena_printf(&arena, "body[0].assert%s", one));
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
    ck_assert_int_eq(parse(with_body(arena_printf(&arena, "{\"assert\":%s}", text.v)), &p),
                     PARSE_BAD);
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
    ck_assert_int_eq(
        program_parse_within(&arena, whole, strlen(whole), &wide, &p, message, sizeof message),
        PARSE_OK);
}
END_TEST

START_TEST(parse_refuses_names_outside_the_grammar) {
    const char *why = "not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}";
    static const char *const bad[] = {
        "",
        "1x",
        "a-b",
        "a b",
        "\xC3\xA9",
        "a.b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        refuses(with_body(
                    arena_printf(&arena, "{\"op\":\"neg\",\"self\":\"x\",\"out\":\"%s\"}", bad[i])),
                arena_printf(&arena, "body[0].out: %s", why));
    }
    refuses(with_body("{\"op\":\"neg\",\"self\":\"a b\",\"out\":\"y\"}"),
            arena_printf(&arena, "body[0].self: %s", why));
}
END_TEST

/* ---- arguments and overloads ---- */

static const char *chosen(const char *stmt) {
    return parsed(with_body(stmt))->body.first->op->id_name;
}

START_TEST(the_kind_of_a_value_chooses_the_overload) {
    ck_assert_str_eq(chosen("{\"op\":\"add\",\"self\":\"x\",\"other\":\"x\",\"out\":\"y\"}"),
                     "add_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"add\",\"self\":\"x\",\"other\":1,\"out\":\"y\"}"),
                     "add_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":2,\"exponent\":\"x\",\"out\":\"y\"}"),
                     "pow_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":\"x\",\"exponent\":2,\"out\":\"y\"}"),
                     "pow_Tensor_Scalar");
    ck_assert_str_eq(chosen("{\"op\":\"pow\",\"self\":\"x\",\"exponent\":\"x\",\"out\":\"y\"}"),
                     "pow_Tensor_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"where\",\"condition\":\"x\",\"self\":1,\"other\":{\"float\":"
                            "2},\"out\":\"y\"}"),
                     "where_Scalar");
    ck_assert_str_eq(
        chosen("{\"op\":\"where\",\"condition\":\"x\",\"self\":\"x\",\"other\":2,\"out\":\"y\"}"),
        "where_ScalarOther");
    ck_assert_str_eq(chosen("{\"op\":\"clamp\",\"self\":\"x\",\"min\":\"x\",\"out\":\"y\"}"),
                     "clamp_Tensor");
    ck_assert_str_eq(chosen("{\"op\":\"clamp\",\"self\":\"x\",\"out\":\"y\"}"), "clamp");
    ck_assert_str_eq(chosen("{\"op\":\"fill_\",\"self\":\"x\",\"value\":true}"), "fill__Scalar");
}
END_TEST

START_TEST(the_names_of_the_arguments_choose_the_overload) {
    ck_assert_str_eq(chosen("{\"op\":\"sum\",\"self\":\"x\",\"out\":\"y\"}"), "sum");
    ck_assert_str_eq(chosen("{\"op\":\"sum\",\"self\":\"x\",\"dim\":[0],\"out\":\"y\"}"),
                     "sum_dim");
    ck_assert_str_eq(chosen("{\"op\":\"div\",\"self\":\"x\",\"other\":2,\"out\":\"y\"}"),
                     "div_Scalar");
    ck_assert_str_eq(
        chosen("{\"op\":\"div\",\"self\":\"x\",\"other\":2,\"rounding_mode\":null,\"out\":\"y\"}"),
        "div_Scalar_mode");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"end\":2,\"out\":\"y\"}"), "arange");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"start\":1,\"end\":2,\"out\":\"y\"}"),
                     "arange_start");
    ck_assert_str_eq(chosen("{\"op\":\"arange\",\"start\":1,\"end\":2,\"step\":0.5,\"out\":\"y\"}"),
                     "arange_start_step");
    ck_assert_str_eq(
        chosen("{\"op\":\"scatter_\",\"self\":\"x\",\"dim\":0,\"index\":\"x\",\"value\":2}"),
        "scatter__value");
    ck_assert_str_eq(
        chosen("{\"op\":\"tensor_split\",\"self\":\"x\",\"indices\":[1],\"out\":\"y\"}"),
        "tensor_split_indices");
}
END_TEST

START_TEST(parse_refuses_a_malformed_index) {
    static const struct {
        const char *index, *expected;
    } cases[] = {
        {"\"x\"", "body[0].index: expected an array of index items, found a string"},
        {"[[0,1]]",
         "body[0].index[0]: a slice is [start, stop, step], with null for what is left out"},
        {"[[null,\"x\",null]]", "body[0].index[0][1]: expected an integer, found a string"},
        {"[{\"list\":[true]}]", "body[0].index[0].list[0]: expected an integer, found a boolean"},
        {"[{\"float\":1}]", "body[0].index[0]: expected an index item: an integer, [start, stop, "
                            "step], null, \"...\", a boolean, a name or {\"list\": [..]}"},
        {"[1.5]", "body[0].index[0]: expected an integer, found a number with a fraction"},
        {"[\"..\"]", "body[0].index[0]: not a name: names match [A-Za-z_][A-Za-z0-9_]{0,63}"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        refuses(with_body(arena_printf(
                    &arena, "{\"op\":\"getitem\",\"self\":\"x\",\"index\":%s,\"out\":\"y\"}",
                    cases[i].index)),
                cases[i].expected);
    }
}
END_TEST

START_TEST(an_op_outside_the_table_is_told_apart_from_bad_input) {
    Program *p = NULL;
    ck_assert_int_eq(parse(with_body("{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"},{\"op\":\"fft_"
                                     "fft\",\"self\":\"x\",\"out\":\"y\"}"),
                           &p),
                     PARSE_UNKNOWN_OP);
    ck_assert_str_eq(message, "body[1].op: the op fft_fft is not in the op table");
    ck_assert_ptr_null(p);
    ck_assert_int_eq(parse(with_body("{\"op\":\"_to_copy\",\"self\":\"x\",\"out\":\"y\"}"), &p),
                     PARSE_UNKNOWN_OP);
    ck_assert_int_eq(
        parse(with_body("{\"op\":\"squeeze\",\"self\":\"x\",\"dim\":[0,1],\"out\":\"y\"}"), &p),
        PARSE_UNKNOWN_OP);
    ck_assert_str_eq(message, "body[0].op: the overload squeeze.dims is not in the op table");
}
END_TEST

START_TEST(arguments_keep_their_notation) {
    keeps_stmt("{\"op\": \"sum\", \"self\": \"x\", \"dim\": [0], \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"sum\", \"self\": \"x\", \"dim\": 0, \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"slice\", \"self\": \"x\", \"start\": null, \"end\": {\"int\": "
               "\"9223372036854775807\"}, \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"div\", \"self\": \"x\", \"other\": 2, \"rounding_mode\": \"floor\", "
               "\"out\": \"y\"}");
    keeps_stmt("{\"op\": \"zero_\", \"self\": \"x\", \"out\": \"y\"}");
    keeps_stmt("{\"op\": \"setitem\", \"self\": \"x\", \"index\": [], \"value\": 0.1}");
    keeps_stmt("{\"op\": \"unbind\", \"self\": \"x\", \"out\": []}");
    keeps_stmt(
        "{\"op\": \"mul\", \"self\": \"x\", \"other\": {\"float\": \"-0.0\"}, \"out\": \"y\"}");
    writes_stmt_as("{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"float\":0.50},\"out\":\"y\"}",
                   "{\"op\": \"mul\", \"self\": \"x\", \"other\": 0.5, \"out\": \"y\"}");
    writes_stmt_as("{\"op\":\"tensor\",\"data\":{\"fill\":\"arange\"},\"size\":[3],\"dtype\":"
                   "\"int8\",\"out\":\"y\"}",
                   "{\"op\": \"tensor\", \"data\": [0, 1, 2], \"size\": [3], \"dtype\": \"int8\", "
                   "\"out\": \"y\"}");
}
END_TEST

/* ---- inputs ---- */

START_TEST(parse_refuses_inputs_that_share_a_storage_wrongly) {
    const char *first =
        "{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\",\"data\":[1,2]}";
    refuses(with_inputs(arena_printf(
                &arena, "%s,{\"name\":\"y\",\"dtype\":\"float64\",\"size\":[2],\"storage\":\"s\"}",
                first)),
            "inputs[1].dtype: the storage \"s\" holds float32");
    refuses(with_inputs(arena_printf(&arena,
                                     "%s,{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],"
                                     "\"storage\":\"s\",\"data\":[1,2]}",
                                     first)),
            "inputs[1].data: only the first input on the storage \"s\" carries its data");
    refuses(with_inputs(arena_printf(
                &arena, "%s,{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[3],\"storage\":\"s\"}",
                first)),
            "inputs[0].data: 2 elements were given, the storage has 3");
}
END_TEST

START_TEST(limits_passed_by_an_input_are_bad_input) {
    Text text = {.arena = &arena};
    for (int i = 0; i < 65; i++) {
        text_printf(&text, "%s{\"name\":\"x%d\",\"dtype\":\"bool\",\"size\":[0]}", i ? "," : "", i);
    }
    refuses(with_inputs(text.v), "inputs: 65 inputs pass the limit of 64");
    text = (Text){.arena = &arena};
    for (int i = 0; i < 65; i++) {
        text_add(&text, i ? ",[]" : "[]");
    }
    refuses(with_members(arena_printf(&arena, ",\"recalls\":[%s]", text.v)),
            "recalls: 65 recalls pass the limit of 64");
}
END_TEST

/* ---- nothing crashes ---- */

START_TEST(a_program_cut_at_any_byte_is_refused_with_a_sentence) {
    size_t length = strlen(sample) - 1; /* the last newline may be missing */
    for (size_t n = 0; n < length; n++) {
        Program *p = NULL;
        ck_assert_int_eq(program_parse(&arena, sample, n, &p, message, sizeof message), PARSE_BAD);
        ck_assert_int_gt((int)strlen(message), 10);
        arena_reset(&arena);
    }
}
END_TEST

START_TEST(random_byte_changes_never_crash_and_what_parses_prints_stably) {
    survives_changes(sample, 10000, 1);
}
END_TEST

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
    tcase_add_test(tcase, parse_refuses_control_characters_and_bad_escapes);
    tcase_add_loop_test(tcase, every_row_of_the_refusals_is_refused_with_its_sentence, 0,
                        COUNT_OF(refusals));
    tcase_add_test(tcase, a_million_nested_arrays_are_refused_without_a_deep_stack);
    tcase_add_test(tcase, parse_refuses_a_text_over_16_megabytes);
    tcase_add_test(tcase, parse_refuses_a_malformed_predicate);
    tcase_add_test(tcase, statements_nest_64_deep_and_no_deeper);
    tcase_add_test(tcase, parse_refuses_more_than_4096_statements);
    tcase_add_test(tcase, parse_refuses_names_outside_the_grammar);
    tcase_add_test(tcase, the_kind_of_a_value_chooses_the_overload);
    tcase_add_test(tcase, the_names_of_the_arguments_choose_the_overload);
    tcase_add_test(tcase, parse_refuses_a_malformed_index);
    tcase_add_test(tcase, an_op_outside_the_table_is_told_apart_from_bad_input);
    tcase_add_test(tcase, arguments_keep_their_notation);
    tcase_add_test(tcase, parse_refuses_inputs_that_share_a_storage_wrongly);
    tcase_add_test(tcase, limits_passed_by_an_input_are_bad_input);
    tcase_add_test(tcase, a_program_cut_at_any_byte_is_refused_with_a_sentence);
    tcase_add_test(tcase, random_byte_changes_never_crash_and_what_parses_prints_stably);
    suite_add_tcase(suite, tcase);
    return run_suite("program/json", suite);
}
