/* The byte codec is total, exact and local: any bytes are a well-formed program; every program
 * comes back as it was, byte for byte of its canonical text; and JSON may stand for bytes. */
#include "fuzz/codec/codec.h"
#include "fuzz/generate/generate.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <stdio.h>
#include <string.h>

static Arena arena;
static char message[512];

static const char *printed(const Program *p) {
    Text text = {.arena = &arena};
    program_print(&text, p, true);
    return text.v;
}

static Program *decoded(const uint8_t *v, int64_t n) {
    Program *p = codec_decode(&arena, v, n, &LIMITS_DEFAULT, message, sizeof message);
    ck_assert_msg(p != NULL, "%s", message);
    return p;
}

/* Shows the texts from a little before their first difference. */
static void same_text(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at]) {
        at++;
    }
    size_t from = at < 200 ? 0 : at - 200;
    ck_assert_msg(a[at] == b[at], "%.600s\n%.600s", a + from, b + from);
}

static void comes_back(const Program *p) {
    Bytes bytes = codec_encode(&arena, p);
    Program *q = decoded(bytes.v, bytes.n);
    same_text(printed(q), printed(p));
    Bytes again = codec_encode(&arena, q);
    ck_assert(again.n == bytes.n && memcmp(again.v, bytes.v, (size_t)bytes.n) == 0);
}

/* A decoded program is well-formed, and its text reads back as itself. */
static void is_well_formed(const Program *p, const Limits *limits) {
    ck_assert_msg(program_verify_within(p, limits, message, sizeof message), "%s\n%.800s", message,
                  printed(p));
    const char *text = printed(p);
    Program *q = NULL;
    ParseStatus status =
        program_parse_within(&arena, text, strlen(text), limits, &q, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s\n%.800s", message, text);
    same_text(printed(q), text);
}

START_TEST(every_stored_program_comes_back) {
    static const char *const files[] = {"corpus/seeds/skew_symmetric.json",
                                        "tests/data/codec_everything.json"};
    for (int i = 0; i < COUNT_OF(files); i++) {
        FILE *file = fopen(files[i], "rb");
        ck_assert_msg(file != NULL, "%s", files[i]);
        char *text = arena_alloc(&arena, 1 << 16);
        size_t n = fread(text, 1, (1 << 16) - 1, file);
        fclose(file);
        Program *p = NULL;
        ck_assert_msg(program_parse(&arena, text, n, &p, message, sizeof message) == PARSE_OK, "%s",
                      message);
        comes_back(p);
        Program *same =
            decoded((const uint8_t *)text, (int64_t)n); /* a first byte { selects JSON */
        ck_assert_str_eq(printed(same), printed(p));
    }
}
END_TEST

START_TEST(a_literal_without_elements_keeps_its_size) {
    static const char text[] =
        "{\"twingrad\": 1, \"inputs\": [], \"body\": [{\"op\": \"tensor\", \"data\": [], "
        "\"size\": [65, 1, 13, 0], \"dtype\": \"int64\", \"out\": \"v\"}], \"return\": [\"v\"]}";
    Program *p = NULL;
    ck_assert_msg(program_parse(&arena, text, sizeof text - 1, &p, message, sizeof message) ==
                      PARSE_OK,
                  "%s", message);
    comes_back(p);
}
END_TEST

START_TEST(every_recorded_program_comes_back) {
    static const char *const files[] = {
        "corpus/golden/1.13/flags.jsonl",     "corpus/golden/1.13/indexing.jsonl",
        "corpus/golden/1.13/linalg.jsonl",    "corpus/golden/1.13/mixed.jsonl",
        "corpus/golden/1.13/mutation.jsonl",  "corpus/golden/1.13/pointwise.jsonl",
        "corpus/golden/1.13/recalls.jsonl",   "corpus/golden/1.13/reduce.jsonl",
        "corpus/golden/1.13/semantics.jsonl", "corpus/golden/1.13/shape.jsonl",
        "corpus/golden/1.13/skew.jsonl",      "corpus/golden/1.13/views.jsonl"};
    int programs = 0;
    char *line = NULL;
    size_t room = 0;
    for (int i = 0; i < COUNT_OF(files); i++) {
        FILE *file = fopen(files[i], "rb");
        ck_assert_msg(file != NULL, "%s", files[i]);
        for (ssize_t n; (n = getline(&line, &room, file)) > 0; programs++) {
            arena_reset(&arena);
            Program *p = NULL;
            ck_assert_msg(program_parse(&arena, line, (size_t)n, &p, message, sizeof message) ==
                              PARSE_OK,
                          "%s", message);
            comes_back(p);
        }
        fclose(file);
    }
    free(line);
    ck_assert_int_eq(programs, 1783);
}
END_TEST

START_TEST(every_generated_program_comes_back) {
    for (uint64_t i = 0; i < 3000; i++) {
        arena_reset(&arena);
        comes_back(generate_program(&arena, 7, i));
    }
}
END_TEST

START_TEST(any_bytes_decode_to_a_well_formed_program) {
    Rng rng = {11};
    for (int i = 0; i < 20000; i++) {
        arena_reset(&arena);
        uint8_t v[200];
        int64_t n = rng_below(&rng, 200);
        for (int64_t k = 0; k < n; k++) {
            v[k] = (uint8_t)rng_next(&rng);
        }
        if (n > 0 && v[0] == '{') {
            v[0] = 1;
        }
        Program *p = decoded(v, n);
        is_well_formed(p, &LIMITS_DEFAULT);
        comes_back(p);
    }
}
END_TEST

START_TEST(changed_bytes_of_a_program_stay_well_formed_within_small_limits) {
    Limits small = LIMITS_DEFAULT;
    small.max_elements = 256;
    small.max_bytes = 4096;
    small.max_statements = 40;
    Rng rng = {12};
    for (uint64_t i = 0; i < 5000; i++) {
        arena_reset(&arena);
        Bytes bytes = codec_encode(&arena, generate_program(&arena, 9, i));
        for (int64_t k = rng_below(&rng, 6); k >= 0; k--) {
            int64_t at = 1 + rng_below(&rng, bytes.n - 1);
            bytes.v[at] = (uint8_t)rng_next(&rng);
        }
        Program *p = codec_decode(&arena, bytes.v, bytes.n, &small, message, sizeof message);
        ck_assert_ptr_nonnull(p);
        is_well_formed(p, &small);
    }
}
END_TEST

START_TEST(no_bytes_are_the_empty_program) {
    Program *p = decoded(NULL, 0);
    ck_assert_int_eq(p->nstmts, 0);
    ck_assert_int_eq(p->ninputs, 0);
    is_well_formed(p, &LIMITS_DEFAULT);
}
END_TEST

START_TEST(json_that_is_malformed_is_refused_with_a_sentence) {
    const char *text = "{\"twingrad\": 1}";
    ck_assert_ptr_null(codec_decode(&arena, (const uint8_t *)text, (int64_t)strlen(text),
                                    &LIMITS_DEFAULT, message, sizeof message));
    ck_assert_str_eq(message, "top level: the key \"body\" is missing");
}
END_TEST

START_TEST(a_changed_seed_changes_nothing_else) {
    Program *p = generate_program(&arena, 3, 4);
    p->backward = (Backward){.given = true, .fill = FILL_dyadic, .seed = 5, .nof = -1};
    Bytes a = codec_encode(&arena, p);
    p->backward.seed = 6;
    Bytes b = codec_encode(&arena, p);
    int64_t differ = 0;
    ck_assert_int_eq(a.n, b.n);
    for (int64_t i = 0; i < a.n; i++) {
        differ += a.v[i] != b.v[i];
    }
    ck_assert_int_eq(differ, 1);
}
END_TEST

START_TEST(codes_of_ops_are_all_different) {
    for (int i = 0; i < OP_COUNT; i++) {
        for (int j = 0; j < i; j++) {
            ck_assert_msg(op_info((OpId)i)->code != op_info((OpId)j)->code, "%s and %s",
                          op_info((OpId)i)->id_name, op_info((OpId)j)->id_name);
        }
    }
}
END_TEST

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

int main(void) {
    Suite *suite = suite_create("codec");
    TCase *tests = tcase_create("codec");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_stored_program_comes_back);
    tcase_add_test(tests, a_literal_without_elements_keeps_its_size);
    tcase_add_test(tests, every_recorded_program_comes_back);
    tcase_add_test(tests, every_generated_program_comes_back);
    tcase_add_test(tests, any_bytes_decode_to_a_well_formed_program);
    tcase_add_test(tests, changed_bytes_of_a_program_stay_well_formed_within_small_limits);
    tcase_add_test(tests, no_bytes_are_the_empty_program);
    tcase_add_test(tests, json_that_is_malformed_is_refused_with_a_sentence);
    tcase_add_test(tests, a_changed_seed_changes_nothing_else);
    tcase_add_test(tests, codes_of_ops_are_all_different);
    suite_add_tcase(suite, tests);
    return run_suite("fuzz/codec", suite);
}
