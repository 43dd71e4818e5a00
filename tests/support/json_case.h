/* Shared by the tests of the JSON reader: an arena, functions that complete a fragment to a
 * program, and assertions about what is read. */
#ifndef TESTS_JSON_CASE_H
#define TESTS_JSON_CASE_H

#include "program/json/json.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;
static char message[512];

static inline ParseStatus parse(const char *text, Program **p) {
    return program_parse(&arena, text, strlen(text), p, message, sizeof message);
}

/* Parses a program that must be valid. */
static inline Program *parsed(const char *text) {
    Program *p = NULL;
    ParseStatus status = parse(text, &p);
    ck_assert_msg(status == PARSE_OK, "%s\n%s", message, text);
    return p;
}

static inline const char *printed(const Program *p, bool line) {
    Text text = {.arena = &arena};
    program_print(&text, p, line);
    return text.v;
}

/* A program with these statements and one input x: float32 [2, 3]. */
static inline const char *with_body(const char *body) {
    return arena_printf(&arena,
                        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\","
                        "\"size\":[2,3],\"data\":{\"fill\":\"dyadic\",\"seed\":1}}],"
                        "\"body\":[%s],\"return\":[\"x\"]}",
                        body);
}
static inline const char *with_inputs(const char *inputs) {
    return arena_printf(&arena, "{\"twingrad\":1,\"inputs\":[%s],\"body\":[],\"return\":[]}",
                        inputs);
}
/* The smallest program with these additional members. */
static inline const char *with_members(const char *members) {
    return arena_printf(&arena, "{\"twingrad\":1,\"body\":[],\"return\":[]%s}", members);
}

static inline void refuses(const char *text, const char *expected) {
    Program *p = NULL;
    ParseStatus status = parse(text, &p);
    ck_assert_msg(status == PARSE_BAD, "accepted: %s", text);
    ck_assert_msg(strcmp(message, expected) == 0, "for %.300s\nexpected: %s\nfound:    %s", text,
                  expected, message);
    ck_assert_ptr_null(p);
}

/* Asserts that parsing and printing preserve the statement. */
static inline void keeps_stmt(const char *stmt) {
    const char *line = printed(parsed(with_body(stmt)), true);
    ck_assert_msg(strstr(line, arena_printf(&arena, "\"body\": [%s], \"return\"", stmt)) != NULL,
                  "%s\nbecame %s", stmt, line);
}
static inline void writes_stmt_as(const char *stmt, const char *canonical) {
    const char *line = printed(parsed(with_body(stmt)), true);
    ck_assert_msg(strstr(line, arena_printf(&arena, "\"body\": [%s], \"return\"", canonical)) !=
                      NULL,
                  "%s\nbecame %s", stmt, line);
}
static inline void keeps_program(const char *text) {
    const char *line = printed(parsed(text), true);
    ck_assert_str_eq(line, text);
}

static void setup(void) { arena = ARENA_EMPTY; }
static void teardown(void) { arena_destroy(&arena); }

/* Compares long texts line by line, so that a failure shows the line. */
static inline void same_text(const char *a, const char *b) {
    while (*a || *b) {
        size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
        ck_assert_msg(na == nb && memcmp(a, b, na) == 0, "%.*s\n%.*s", (int)na, a, (int)nb, b);
        a += na + (a[na] != 0);
        b += nb + (b[nb] != 0);
    }
}

/* Changes some bytes of `text`; whatever still parses must print to a fixed point. */
static inline void survives_changes(const char *text, int rounds, uint64_t seed) {
    static const char alphabet[] = "{}[]\",:0123456789.-+eE \\nulltrefas_x";
    Rng rng = {seed};
    int64_t length = (int64_t)strlen(text);
    for (int i = 0; i < rounds; i++) {
        char *changed = arena_copy(&arena, text, length + 1);
        for (int64_t k = rng_below(&rng, 4); k >= 0; k--) {
            int64_t at = rng_below(&rng, length);
            bool bit = rng_chance(&rng, 40);
            changed[at] = bit ? (char)(changed[at] ^ (1 << rng_below(&rng, 8)))
                              : alphabet[rng_below(&rng, sizeof alphabet - 1)];
        }
        Program *p = NULL;
        if (program_parse(&arena, changed, (size_t)length, &p, message, sizeof message) ==
            PARSE_OK) {
            const char *once = printed(p, false);
            same_text(printed(parsed(once), false), once);
        } else {
            ck_assert_int_gt((int)strlen(message), 10);
            ck_assert_ptr_null(strchr(message, '\n'));
        }
        arena_reset(&arena);
    }
}

#endif
