/* Programs for the reference, written with ' for ", and what is claimed of their results.
 *
 * Inputs, unless a test gives its own: leaves x = [1, 2, 3] and m = [[1, 2, 3], [4, 5, 6]] that
 * require grad, plain p = [1, 2, 3] and q = [[0, 0, 0], [0, 0, 0]]. */
#ifndef TESTS_REFERENCE_CASE_H
#define TESTS_REFERENCE_CASE_H

#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/runner.h"

#include <math.h>
#include <string.h>

static Arena arena;
static Program *program;

static inline void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static inline void teardown(void) { arena_destroy(&arena); }

static const char INPUTS[] =
    "{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [1, 2, 3]},"
    "{'name': 'm', 'dtype': 'float32', 'size': [2, 3], 'requires_grad': true, 'data': [1, 2, 3, 4, "
    "5, 6]},"
    "{'name': 'p', 'dtype': 'float32', 'size': [3], 'data': [1, 2, 3]},"
    "{'name': 'q', 'dtype': 'float32', 'size': [2, 3], 'data': {'fill': 'zeros', 'seed': 0}}";
enum { X, M, P, Q };

/* The program of these inputs, with `more` keys, a body and returns, and a backward. */
static inline Program *program_of(const char *inputs, const char *more, const char *body,
                                  const char *returns) {
    char *text = arena_printf(&arena,
                              "{'twingrad': 2, 'inputs': [%s], %s 'body': [%s], 'return': [%s], "
                              "'backward': {'fill': 'ones', 'seed': 0}}",
                              inputs, more, body, returns);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    ParseStatus status =
        program_parse(&arena, text, strlen(text), &program, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    return program;
}

static Semantics following; /* the semantics of runs; NONE: the default */

static inline Result *run_under(const char *inputs, const char *body, const char *returns,
                                RunOptions options) {
    options.limits = LIMITS_DEFAULT;
    options.semantics = following;
    return reference_run(program_of(inputs, "", body, returns), &options, &arena);
}

static inline Result *run_with(const char *inputs, const char *body, const char *returns,
                               bool shadow) {
    return run_under(inputs, body, returns, (RunOptions){.shadow = shadow});
}

static inline Result *run(const char *body, const char *returns) {
    return run_with(INPUTS, body, returns, false);
}

static inline void assert_ok(const Result *r) {
    ck_assert_msg(r->calls[0].ok, "%s: %s", errcode_name(r->calls[0].error), r->calls[0].message);
}

static inline void assert_error(const Result *r, int at, const char *code) {
    ck_assert_msg(!r->calls[0].ok, "no error");
    ck_assert_str_eq(errcode_name(r->calls[0].error), code);
    ck_assert_int_eq(r->calls[0].error_at, at);
}

static inline void assert_values(const Values *v, int n, const double *want) {
    ck_assert_int_eq(v->numel, n);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

static inline void assert_grad(const Result *r, int input, int n, const double *want) {
    const InputRecord *record = &r->calls[0].inputs[input];
    if (n == 0) {
        ck_assert_int_eq(record->grad_state, GRAD_NULL);
        return;
    }
    ck_assert_int_eq(record->grad_state, GRAD_VALUE);
    assert_values(&record->grad, n, want);
}

static inline void assert_trace(const Result *r, int n, const int64_t *want) {
    ck_assert_int_eq(r->calls[0].ntrace, n);
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(r->calls[0].trace[i].v[0], want[i]);
    }
}

#define VALUES(...)                                                                                \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]) { __VA_ARGS__ }
#define TRACE(...)                                                                                 \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define NO_GRAD 0, NULL

#endif
