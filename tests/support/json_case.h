/* What the tests of the JSON reader share: an arena, frames around a piece of text, and claims
 * about what it is read as. */
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

/* The program, which must parse. */
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

/* A program with these statements and an input x: float32 [2, 3]. */
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
/* The smallest program with more members. */
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

/* The statement is the same after parsing and printing. */
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

#endif
