/* Programs written with ' for ", and the outcome of their first call. */
#ifndef TESTS_SUPPORT_QUOTED_H
#define TESTS_SUPPORT_QUOTED_H

#include "program/json/json.h"
#include "program/lang/result.h"
#include "tests/support/runner.h"

#include <string.h>

/* The program of `text`, whose quotes are changed in place. A text that is none fails the test. */
static inline Program *parse_quoted(Arena *arena, char *text) {
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    Program *program;
    ParseStatus status =
        program_parse(arena, text, strlen(text), &program, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    return program;
}

static inline const CallResult *ok(const Result *r) {
    ck_assert_msg(r->calls[0].ok, "%s: %s", errcode_name(r->calls[0].error), r->calls[0].message);
    return &r->calls[0];
}

static inline void raises(const Result *r, int at, const char *code) {
    ck_assert(!r->calls[0].ok);
    ck_assert_str_eq(errcode_name(r->calls[0].error), code);
    ck_assert_int_eq(r->calls[0].error_at, at);
}

#endif
