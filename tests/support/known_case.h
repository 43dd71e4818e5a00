/* Entries of a list of known issues, findings and programs as the tests of what an entry covers
 * write them. */
#ifndef TESTS_SUPPORT_KNOWN_CASE_H
#define TESTS_SUPPORT_KNOWN_CASE_H

#include "harness/triage/known.h"
#include "tests/support/harness_case.h"

#define OP1(op, self, out) "{\"op\":\"" op "\",\"self\":\"" self "\",\"out\":\"" out "\"}"
#define OP0(op, self) "{\"op\":\"" op "\",\"self\":\"" self "\"}"
#define IN                                                                                         \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2,2],\"data\":["  \
    "1,2,3,4]}],"
#define FLIP(of) "{\"op\":\"t\",\"self\":\"" of "\",\"out\":\"w\"},"
#define ABS(of) "{\"op\":\"abs_\",\"self\":\"" of "\"}"

/* An entry that covers every finding; a test narrows it. */
static inline KnownIssue any_issue(void) {
    return (KnownIssue){.signature = "*",
                        .pair = "*",
                        .cause = "*",
                        .answer = "",
                        .answers = {"*", "*"},
                        .until = INT64_MAX};
}

static inline Finding located(const char *signature, const char *cause, const char *b) {
    Finding f = {.oracle = ORACLE_values};
    snprintf(f.signature, sizeof f.signature, "%s", signature);
    snprintf(f.cause.text, sizeof f.cause.text, "%s", cause);
    snprintf(f.b, sizeof f.b, "%s", b);
    return f;
}

#endif
