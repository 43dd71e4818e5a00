/* What the tests of the harness share: an arena and a parser that must succeed. */
#ifndef TESTS_HARNESS_CASE_H
#define TESTS_HARNESS_CASE_H

#include "harness/cli/command.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;

static void set_up(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void tear_down(void) { arena_destroy(&arena); }

static inline Program *parse(const char *text) {
    Program *p;
    char message[256] = "";
    ParseStatus status = program_parse(&arena, text, strlen(text), &p, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    return p;
}

/* x goes to y through a view and a write; y is returned beside a view of x; gradients reach x. */
static const char PROGRAM[] =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2,3],\"requires_"
    "grad\":true,"
    "\"data\":{\"fill\":\"dyadic\",\"seed\":3}},{\"name\":\"n\",\"dtype\":\"float32\",\"size\":[3],"
    "\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
    "\"body\":[{\"op\":\"mul\",\"self\":\"x\",\"other\":2,\"out\":\"y\"},{\"probe\":\"requires_"
    "grad\",\"of\":\"y\"},"
    "{\"op\":\"add_\",\"self\":\"n\",\"other\":1},{\"op\":\"transpose\",\"self\":\"x\",\"dim0\":0,"
    "\"dim1\":1,\"out\":\"v\"},"
    "{\"probe\":\"size\",\"of\":\"v\"},{\"op\":\"slice\",\"self\":\"y\",\"dim\":0,\"end\":1,"
    "\"out\":\"w\"}],"
    "\"return\":[\"y\",\"v\",\"w\"],\"backward\":{\"fill\":\"ones\",\"seed\":0},"
    "\"recalls\":[[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2,3],\"requires_grad\":true,"
    "\"data\":{\"fill\":\"dyadic\",\"seed\":3}},"
    "{\"name\":\"n\",\"dtype\":\"float32\",\"size\":[3],\"data\":{\"fill\":\"ones\",\"seed\":0}}]]"
    "}";

#endif
