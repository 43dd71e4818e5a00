/* Two results of the reference for one program, of which a test changes one. */
#ifndef TESTS_ORACLE_CASE_H
#define TESTS_ORACLE_CASE_H

#include "tests/support/harness_case.h"

typedef struct Case {
    Program *p;
    Checker checker;
    Result *a, *b;
    CheckResult out;
} Case;

static inline void start(Case *c) {
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    c->p = parse(PROGRAM);
    ck_assert(checker_open(&c->checker, "reference,reference", &compile, message, sizeof message));
    c->a = c->checker.a.run(&c->checker.a, c->p, &c->checker.run, &arena);
    c->b = c->checker.b.run(&c->checker.b, c->p, &c->checker.run, &arena);
    ck_assert_int_eq(c->a->ncalls, 2);
    ck_assert(c->a->calls[0].ok);
    ck_assert_int_eq(c->a->calls[0].nreturns, 3);
}

static inline void compare(Case *c) {
    check_results(&c->checker, c->p, c->a, c->b, RULE_SHADOW, &arena, &c->out);
}

static inline void expect_finding(Case *c, OracleId oracle, const char *kind) {
    compare(c);
    ck_assert_msg(c->out.verdict == FINDING, "no oracle fired, expected %s", oracle_name(oracle));
    ck_assert_str_eq(oracle_name(c->out.finding.oracle), oracle_name(oracle));
    ck_assert_str_eq(c->out.finding.kind, kind);
    ck_assert(c->out.fired & (1u << oracle));
    ck_assert_int_gt(strlen(c->out.finding.a), 0);
    ck_assert_str_ne(c->out.finding.a, c->out.finding.b);
    ck_assert_int_eq(c->checker.verdicts[FINDING], 1);
}

static inline void set_errors(Case *c, ErrCode a, int at_a, ErrCode b, int at_b) {
    c->a->calls[0].ok = c->b->calls[0].ok = false;
    c->a->calls[0].error = a;
    c->a->calls[0].error_at = at_a;
    c->b->calls[0].error = b;
    c->b->calls[0].error_at = at_b;
}

#endif
