/* In-place views (t_, squeeze_, as_strided_, ..), one claim a test, on both executors; each was
 * checked with PyTorch 1.13 (docs/reference/semantics.md 3.9).
 *
 * Programs are written with ' for ". Inputs: leaf m = [[1, 2, 3], [4, 5, 6]] that requires grad,
 * plain q = [[1, 2, 3], [4, 5, 6]]. The backward is fed arange over each return. */
#include "compiled/core/compile.h"
#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

enum { M, Q, EXECUTORS = 2 };

/* The call's result on executor k: the reference, the compiler. */
static const CallResult *run(int k, const char *body, const char *returns) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 1, 'inputs': [{'name': 'm', 'dtype': 'float32', 'size': [2, 3], "
        "'requires_grad': true, 'data': [1, 2, 3, 4, 5, 6]},"
        "{'name': 'q', 'dtype': 'float32', 'size': [2, 3], 'data': [1, 2, 3, 4, 5, 6]}],"
        "'body': [%s], 'return': [%s], 'backward': {'fill': 'arange', 'seed': 0}}",
        body, returns);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    Program *program;
    char message[256];
    ParseStatus status =
        program_parse(&arena, text, strlen(text), &program, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    RunOptions options = {.limits = LIMITS_DEFAULT};
    CompileOptions compile = COMPILE_DEFAULT;
    return k == 0 ? reference_run(program, &options, &arena)->calls
                  : compiled_run(program, &compile, &options, NULL, &arena)->calls;
}

static void assert_error(const char *body, const char *returns, int at, const char *code) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call = run(k, body, returns);
        ck_assert_msg(!call->ok, "no error");
        ck_assert_str_eq(errcode_name(call->error), code);
        ck_assert_int_eq(call->error_at, at);
    }
}

static const CallResult *run_ok(int k, const char *body, const char *returns) {
    const CallResult *call = run(k, body, returns);
    ck_assert_msg(call->ok, "%s: %s", errcode_name(call->error), call->message);
    return call;
}

static void assert_trace(const CallResult *call, int n, const int64_t *want) {
    ck_assert_int_eq(call->ntrace, n);
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(call->trace[i].v[0], want[i]);
    }
}

static void assert_values(const Values *v, int ndim, const int64_t *size, const double *want) {
    ck_assert(sizes_equal(v->size, v->ndim, size, ndim));
    for (int64_t i = 0; i < v->numel; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

#define SIZE(...)                                                                                  \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define VALUES(...)                                                                                \
    (double[]) { __VA_ARGS__ }

START_TEST(the_input_itself_has_other_sizes_and_strides) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call =
            run_ok(k, "{'op': 't_', 'self': 'q'}, {'probe': 'version', 'of': 'q'}", "'q'");
        assert_trace(call, SIZE(1));
        const InputRecord *q = &call->inputs[Q];
        ck_assert(sizes_equal(q->size, q->ndim, (int64_t[]){3, 2}, 2) &&
                  sizes_equal(q->stride, q->ndim, (int64_t[]){1, 3}, 2));
        ck_assert_int_eq(call->returns[0].alias, ALIAS_INPUT);
        assert_values(&call->returns[0].values, SIZE(3, 2), VALUES(1, 4, 2, 5, 3, 6));
    }
}
END_TEST

START_TEST(every_in_place_view_is_its_view_and_bumps_the_version) {
    static const struct {
        const char *op;
        int ndim;
        int64_t size[3];
    } cases[] = {
        {"{'op': 't_', 'self': 'v'}", 2, {3, 1}},
        {"{'op': 'transpose_', 'self': 'v', 'dim0': 0, 'dim1': -1}", 2, {3, 1}},
        {"{'op': 'swapaxes_', 'self': 'v', 'axis0': 1, 'axis1': 0}", 2, {3, 1}},
        {"{'op': 'swapdims_', 'self': 'v', 'dim0': 0, 'dim1': 0}", 2, {1, 3}},
        {"{'op': 'squeeze_', 'self': 'v'}", 1, {3}},
        {"{'op': 'squeeze_', 'self': 'v', 'dim': 1}", 2, {1, 3}},
        {"{'op': 'unsqueeze_', 'self': 'v', 'dim': -1}", 3, {1, 3, 1}},
        {"{'op': 'as_strided_', 'self': 'v', 'size': [3], 'stride': [1], 'storage_offset': 0}",
         1,
         {3}},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        for (int k = 0; k < EXECUTORS; k++) {
            const char *body = arena_printf(&arena,
                                            "{'op': 'slice', 'self': 'q', 'dim': 0, 'end': 1, "
                                            "'out': 'v'}, %s, {'probe': 'version', 'of': 'q'}",
                                            cases[i].op);
            const CallResult *call = run_ok(k, body, "'v'");
            assert_trace(call, SIZE(1));
            assert_values(&call->returns[0].values, cases[i].ndim, cases[i].size, VALUES(1, 2, 3));
            ck_assert(sizes_equal(call->inputs[Q].size, call->inputs[Q].ndim, (int64_t[]){2, 3},
                                  2)); /* the base stays as it was */
        }
    }
}
END_TEST

START_TEST(a_second_name_sees_it_and_an_older_view_does_not) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call =
            run_ok(k,
                   "{'op': 'alias', 'self': 'q', 'out': 'v'}, {'op': 'contiguous', 'self': 'q', "
                   "'out': 'n'}, {'op': 't_', 'self': 'q'}",
                   "'n', 'v'");
        assert_values(&call->returns[0].values, SIZE(3, 2), VALUES(1, 4, 2, 5, 3, 6));
        assert_values(&call->returns[1].values, SIZE(2, 3), VALUES(1, 2, 3, 4, 5, 6));
    }
}
END_TEST

START_TEST(leaves_and_restricted_views_are_refused_as_by_a_write) {
    assert_error("{'op': 't_', 'self': 'm'}", "'m'", 0, "leaf_inplace");
    assert_error("{'op': 'alias', 'self': 'm', 'out': 'v'}, {'op': 'squeeze_', 'self': 'v'}", "'v'",
                 1, "leaf_view_inplace");
    assert_error("{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'op': 'unbind', 'self': "
                 "'b', 'out': ['u', 'w']}, {'op': 'unsqueeze_', 'self': 'u', 'dim': 0}",
                 "'u'", 2, "multi_view_inplace");
    assert_error("{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'with': 'no_grad', 'body': "
                 "[{'op': 'alias', 'self': 'b', 'out': 'v'}]}, {'op': 't_', 'self': 'v'}",
                 "'v'", 3, "no_grad_view_inplace");
    for (int k = 0; k < EXECUTORS; k++) {
        run_ok(k,
               "{'op': 'unbind', 'self': 'q', 'out': ['u', 'w']}, {'op': 'unsqueeze_', 'self': "
               "'u', 'dim': 0}",
               "'u'");
    }
}
END_TEST

START_TEST(the_views_own_refusals_follow) {
    assert_error("{'op': 'unsqueeze_', 'self': 'q', 'dim': 0}, {'op': 't_', 'self': 'q'}", "'q'", 1,
                 "invalid");
    assert_error("{'op': 'transpose_', 'self': 'q', 'dim0': 0, 'dim1': 2}", "'q'", 0,
                 "index_range");
    assert_error("{'op': 'as_strided_', 'self': 'q', 'size': [7], 'stride': [1]}", "'q'", 0,
                 "invalid");
    assert_error("{'op': 'as_strided_', 'self': 'q', 'size': [2], 'stride': [-1]}", "'q'", 0,
                 "invalid");
    assert_error("{'op': 'unsqueeze_', 'self': 'm', 'dim': 9}", "'m'", 0, "leaf_inplace");
}
END_TEST

START_TEST(the_gradient_goes_through_the_new_geometry) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call =
            run_ok(k,
                   "{'op': 'mul', 'self': 'm', 'other': 2, 'out': 'b'}, {'op': 't_', 'self': 'b'}, "
                   "{'probe': 'has_grad_fn', 'of': 'b'}",
                   "'b'");
        assert_trace(call, SIZE(1));
        assert_values(&call->inputs[M].grad, SIZE(2, 3), VALUES(0, 4, 8, 2, 6, 10));
    }
}
END_TEST

START_TEST(of_a_view_the_base_knows_nothing) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call = run_ok(k,
                                        "{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, "
                                        "{'op': 'slice', 'self': 'b', 'dim': 0, 'out': 'v'},"
                                        "{'op': 't_', 'self': 'v'}, {'probe': 'size', 'of': 'b'}, "
                                        "{'probe': 'version', 'of': 'b'}",
                                        "'v'");
        assert_trace(call, SIZE(2, 1));
        assert_values(&call->inputs[M].grad, SIZE(2, 3), VALUES(0, 2, 4, 1, 3, 5));
        call = run_ok(
            k,
            "{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'op': 'select', 'self': 'b', "
            "'dim': 0, 'index': 0, 'out': 'v'},"
            "{'op': 'unsqueeze_', 'self': 'v', 'dim': 0}, {'op': 'mul_', 'self': 'v', 'other': 2}",
            "'b'");
        assert_values(&call->inputs[M].grad, SIZE(2, 3), VALUES(0, 2, 4, 3, 4, 5));
    }
}
END_TEST

START_TEST(an_older_view_is_a_strided_read_of_the_base) {
    for (int k = 0; k < EXECUTORS; k++) {
        const CallResult *call =
            run_ok(k,
                   "{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'op': 'select', 'self': "
                   "'b', 'dim': 0, 'index': 0, 'out': 'v'},"
                   "{'op': 't_', 'self': 'b'}",
                   "'v'");
        assert_values(&call->inputs[M].grad, SIZE(2, 3), VALUES(0, 1, 2, 0, 0, 0));
    }
}
END_TEST

START_TEST(what_was_saved_was_modified) {
    assert_error("{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'op': 'mul', 'self': 'b', "
                 "'other': 'b', 'out': 'y'}, {'op': 't_', 'self': 'b'}",
                 "'y'", AT_BACKWARD, "saved_modified");
    assert_error("{'op': 'exp', 'self': 'm', 'out': 'y'}, {'op': 't_', 'self': 'y'}", "'y'",
                 AT_BACKWARD, "saved_modified");
}
END_TEST

START_TEST(under_no_grad_the_history_wants_the_sizes_it_was_made_with) {
    assert_error("{'op': 'mul', 'self': 'm', 'other': 1, 'out': 'b'}, {'with': 'no_grad', 'body': "
                 "[{'op': 't_', 'self': 'b'}]}",
                 "'b'", AT_BACKWARD, "invalid");
    for (int k = 0; k < EXECUTORS; k++) { /* [2, 3] expands to [1, 2, 3] */
        const CallResult *call =
            run_ok(k,
                   "{'op': 'mul', 'self': 'm', 'other': 2, 'out': 'b'}, {'with': 'no_grad', "
                   "'body': [{'op': 'unsqueeze_', 'self': 'b', 'dim': 0}]}"
                   ", {'op': 'mul', 'self': 'b', 'other': 3, 'out': 'y'}",
                   "'y'");
        assert_values(&call->inputs[M].grad, SIZE(2, 3), VALUES(0, 6, 12, 18, 24, 30));
        call = run_ok(k,
                      "{'with': 'no_grad', 'body': [{'op': 't_', 'self': 'm'}]}, {'op': 'mul', "
                      "'self': 'm', 'other': 3, 'out': 'y'}",
                      "'y'");
        assert_values(&call->inputs[M].grad, SIZE(3, 2), VALUES(0, 3, 6, 9, 12, 15));
    }
}
END_TEST

START_TEST(an_integer_with_history_changes_and_then_refuses) {
    const char *body =
        "{'op': 'zeros', 'size': [2, 3], 'dtype': 'int64', 'out': 'i'}, {'op': 'sum', 'self': 'm', "
        "'out': 's'}, {'op': 'fill_', 'self': 'i', 'value': 's'},"
        "{'op': 't_', 'self': 'i'}";
    assert_error(body, "'i'", 3, "invalid");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("inplace_view");
    TCase *tests = tcase_create("inplace_view");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_input_itself_has_other_sizes_and_strides);
    tcase_add_test(tests, every_in_place_view_is_its_view_and_bumps_the_version);
    tcase_add_test(tests, a_second_name_sees_it_and_an_older_view_does_not);
    tcase_add_test(tests, leaves_and_restricted_views_are_refused_as_by_a_write);
    tcase_add_test(tests, the_views_own_refusals_follow);
    tcase_add_test(tests, the_gradient_goes_through_the_new_geometry);
    tcase_add_test(tests, of_a_view_the_base_knows_nothing);
    tcase_add_test(tests, an_older_view_is_a_strided_read_of_the_base);
    tcase_add_test(tests, what_was_saved_was_modified);
    tcase_add_test(tests, under_no_grad_the_history_wants_the_sizes_it_was_made_with);
    tcase_add_test(tests, an_integer_with_history_changes_and_then_refuses);
    suite_add_tcase(suite, tests);
    return run_suite("reference/inplace_view", suite);
}
