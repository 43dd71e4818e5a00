/* Programs of a part of the format that the generator draws where its weight says so: they are
 * well-formed, and so are their text, bytes and mutants, which come back. CODEC_VERSION, the first
 * byte of their streams, is defined before this is included. */
#ifndef TESTS_FORMAT_CASE_H
#define TESTS_FORMAT_CASE_H

#include "fuzz/codec/codec.h"
#include "fuzz/generate/generate.h"
#include "fuzz/mutate/mutate.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;
static char message[512];
static GenerateOptions options;

static const char *printed(const Program *p) {
    Text text = {.arena = &arena};
    program_print(&text, p, true);
    return text.v;
}

static Program *drawn(uint64_t index) {
    return generate_program_info(&arena, &options, 5, index, NULL);
}

/* Verified, and its text reads back as itself. */
static void is_well_formed(const Program *p) {
    const char *text = printed(p);
    ck_assert_msg(program_verify(p, message, sizeof message), "%s\n%.3000s", message, text);
    Program *q = NULL;
    ParseStatus status = program_parse(&arena, text, strlen(text), &q, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s\n%.3000s", message, text);
    ck_assert_str_eq(printed(q), text);
}

START_TEST(every_program_is_well_formed_and_its_bytes_come_back) {
    for (uint64_t i = 0; i < 500; i++) {
        arena_reset(&arena);
        Program *p = drawn(i);
        is_well_formed(p);
        Bytes bytes = codec_encode(&arena, p);
        Program *q =
            codec_decode(&arena, bytes.v, bytes.n, &LIMITS_DEFAULT, message, sizeof message);
        ck_assert_str_eq(printed(q), printed(p));
    }
}
END_TEST

START_TEST(changed_bytes_are_a_well_formed_program) {
    Rng rng = {3};
    for (uint64_t i = 0; i < 400; i++) {
        arena_reset(&arena);
        Bytes bytes = codec_encode(&arena, drawn(i));
        for (int k = 0; k < 12; k++) {
            bytes.v[1 + rng_below(&rng, bytes.n - 1)] = (uint8_t)rng_next(&rng);
        }
        is_well_formed(
            codec_decode(&arena, bytes.v, bytes.n, &LIMITS_DEFAULT, message, sizeof message));
    }
    for (int i = 0; i < 2000; i++) {
        uint8_t v[200];
        arena_reset(&arena);
        for (int k = 0; k < COUNT_OF(v); k++) {
            v[k] = (uint8_t)rng_next(&rng);
        }
        v[0] = CODEC_VERSION;
        is_well_formed(
            codec_decode(&arena, v, COUNT_OF(v), &LIMITS_DEFAULT, message, sizeof message));
    }
}
END_TEST

START_TEST(mutants_are_well_formed) {
    for (uint64_t i = 0; i < 600; i++) {
        arena_reset(&arena);
        Program *p = drawn(i), *other = drawn(i + 1);
        int mutator;
        Program *q = mutate_program(&arena, p, other, i, &LIMITS_DEFAULT, &mutator);
        is_well_formed(q);
        is_well_formed(mutate_program(&arena, q, p, i + 7, &LIMITS_DEFAULT, &mutator));
    }
}
END_TEST

#endif
