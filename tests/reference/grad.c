/* torch.autograd.grad inside the program and retain_grad, one claim a test, on both executors
 * (docs/reference/semantics.md, section 4; each was checked with PyTorch 1.13).
 *
 * Programs are written with ' for ". Inputs: leaves x = [1, 2, 3] and s = 2 that require grad,
 * plain p = [1, 2, 3]. */
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

enum { X, S, P, BOTH = 2 };

static Semantics following; /* the semantics of runs; NONE: the default */

static Result *run_on(int executor, const char *body, const char *returns) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 1, 'inputs': [{'name': 'x', 'dtype': 'float32', 'size': [3], "
        "'requires_grad': true, 'data': [1, 2, 3]},"
        "{'name': 's', 'dtype': 'float32', 'size': [], 'requires_grad': true, 'data': [2]},"
        "{'name': 'p', 'dtype': 'float32', 'size': [3], 'data': [1, 2, 3]}],"
        "'body': [%s], 'return': [%s], 'backward': {'fill': 'ones', 'seed': 0}}",
        body, returns);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    Program *program;
    ParseStatus status =
        program_parse(&arena, text, strlen(text), &program, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    RunOptions options = {.limits = LIMITS_DEFAULT, .semantics = following};
    CompileOptions compile = {.fault = FAULT_NONE, .opt_limit = -1, .verify = true};
    return executor == 0 ? reference_run(program, &options, &arena)
                         : compiled_run(program, &compile, &options, NULL, &arena);
}

static void assert_ok(const Result *r) {
    ck_assert_msg(r->calls[0].ok, "%s: %s", errcode_name(r->calls[0].error), r->calls[0].message);
}

static void assert_error(const Result *r, int at, const char *code) {
    ck_assert_msg(!r->calls[0].ok, "no error");
    ck_assert_str_eq(errcode_name(r->calls[0].error), code);
    ck_assert_int_eq(r->calls[0].error_at, at);
}

/* On both executors the body raises `code` at statement `at`. */
static void both_raise(const char *body, const char *returns, int at, const char *code) {
    for (int executor = 0; executor < BOTH; executor++) {
        assert_error(run_on(executor, body, returns), at, code);
    }
}

static void assert_values(const Values *v, int n, const double *want) {
    ck_assert_int_eq(v->numel, n);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

static void assert_grad(GradState state, const Values *grad, int n, const double *want) {
    ck_assert_int_eq(state, n == 0 ? GRAD_NULL : GRAD_VALUE);
    if (n > 0) {
        assert_values(grad, n, want);
    }
}

static void input_grad(const Result *r, int input, int n, const double *want) {
    assert_grad(r->calls[0].inputs[input].grad_state, &r->calls[0].inputs[input].grad, n, want);
}

static void return_grad(const Result *r, int place, int n, const double *want) {
    assert_grad(r->calls[0].returns[place].grad_state, &r->calls[0].returns[place].grad, n, want);
}

#define VALUES(...)                                                                                \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]) { __VA_ARGS__ }
#define NO_GRAD 0, NULL
#define GRAD(output, input, rest, out)                                                             \
    "{'op': 'grad', 'outputs': ['" output "'], 'inputs': ['" input "']" rest ", 'out': ['" out "'" \
    "]"                                                                                            \
    "}"
#define FED ", 'grad_outputs': ['p']"
#define MUL(a, b, out) "{'op': 'mul', 'self': '" a "', 'other': '" b "', 'out': '" out "'}"
#define ON_BOTH(r, body, returns)                                                                  \
    for (int executor = 0; executor < BOTH; executor++)                                            \
        for (Result *r = run_on(executor, body, returns); r; r = NULL)

/* ---- the result ---- */

START_TEST(a_gradient_is_a_tensor_of_the_program) {
    ON_BOTH(r,
            MUL("x", "x", "y") "," GRAD("y", "x", FED,
                                        "g") ", {'op': 'add', 'self': 'g', 'other': 1, 'out': 'z'}",
            "'g', 'z'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(2, 8, 18));
        assert_values(&r->calls[0].returns[1].values, VALUES(3, 9, 19));
        ck_assert(!r->calls[0].returns[0].requires_grad && r->calls[0].returns[0].is_leaf);
        input_grad(r, X, NO_GRAD);
    }
}
END_TEST

START_TEST(a_recorded_gradient_is_differentiated_again) {
    ON_BOTH(r,
            MUL("x", "x", "y") "," MUL("y", "x", "z") "," GRAD("z", "x",
                                                               FED ", 'create_graph': true", "g"),
            "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(3, 24, 81));
        ck_assert(r->calls[0].returns[0].requires_grad && !r->calls[0].returns[0].is_leaf);
        input_grad(r, X, VALUES(6, 24, 54));
    }
}
END_TEST

START_TEST(third_derivatives_too) {
    ON_BOTH(r,
            MUL("s", "s", "a") "," MUL("a", "a", "b") "," GRAD(
                "b", "s", ", 'create_graph': true", "g") "," GRAD("g", "s",
                                                                  ", 'create_graph': true", "h"),
            "'h'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(48));
        input_grad(r, S, VALUES(48));
    }
}
END_TEST

START_TEST(a_scalar_output_is_fed_ones) {
    ON_BOTH(r, "{'op': 'sum', 'self': 'x', 'out': 'y'}," GRAD("y", "x", "", "g"), "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(1, 1, 1));
        ck_assert_int_eq((int)r->calls[0].returns[0].stride[0],
                         0); /* a view of the one that was fed */
    }
}
END_TEST

START_TEST(a_gradient_of_what_is_no_leaf) {
    ON_BOTH(r, MUL("x", "x", "y") "," MUL("y", "y", "z") "," GRAD("z", "y", FED, "g"), "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(2, 16, 54));
    }
}
END_TEST

START_TEST(what_is_passed_on_is_the_tensor_that_was_fed) {
    ON_BOTH(r,
            "{'op': 'add', 'self': 'x', 'other': 1, 'out': 'y'}," GRAD(
                "y", "x", FED, "g") ", {'op': 'mul_', 'self': 'g', 'other': 2}",
            "'g'") {
        assert_ok(r);
        ck_assert_int_eq(r->calls[0].returns[0].alias, ALIAS_INPUT);
        assert_values(&r->calls[0].inputs[P].data, VALUES(2, 4, 6));
    }
}
END_TEST

START_TEST(a_view_of_what_was_fed_is_a_no_grad_view) {
    both_raise("{'op': 'unsqueeze', 'self': 'x', 'dim': 0, 'out': 'y'}, {'op': 'unsqueeze', "
               "'self': 'p', 'dim': 0, 'out': 'q'},"
               "{'op': 'grad', 'outputs': ['y'], 'inputs': ['x'], 'grad_outputs': ['q'], 'out': "
               "['g']}, {'op': 'mul_', 'self': 'g', 'other': 'x'}",
               "'g'", 3, "no_grad_view_inplace");
}
END_TEST

START_TEST(a_fed_gradient_that_requires_grad_is_differentiated) {
    ON_BOTH(r,
            "{'op': 'mul', 'self': 's', 'other': 3, 'out': 'y'}, {'op': 'grad', 'outputs': ['y'], "
            "'inputs': ['s'], 'grad_outputs': ['s'], 'create_graph': true, 'out': ['g']}",
            "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(6));
        input_grad(r, S, VALUES(3));
    }
}
END_TEST

START_TEST(a_step_function_has_zeros_for_a_second_derivative) {
    ON_BOTH(r,
            "{'op': 'relu', 'self': 'x', 'out': 'y'}," GRAD("y", "x", FED ", 'create_graph': true",
                                                            "g"),
            "'g'") {
        assert_ok(r);
        input_grad(r, X, VALUES(0, 0, 0));
    }
}
END_TEST

START_TEST(a_write_through_a_view_is_differentiated_twice) {
    ON_BOTH(r,
            MUL("x", "x",
                "y") ", {'op': 'slice', 'self': 'y', 'dim': 0, 'start': 1, 'out': 'v'}, {'op': "
                     "'square_', 'self': 'v'}," GRAD("y", "x", FED ", 'create_graph': true", "g"),
            "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(2, 64, 324)); /* p 2x, p 4x^3 */
        input_grad(r, X, VALUES(2, 96, 324));                              /* p 2, p 12x^2 */
    }
}
END_TEST

START_TEST(a_stale_view_is_differentiated_twice) {
    ON_BOTH(r,
            MUL("x", "x", "y") ", {'op': 'slice', 'self': 'y', 'dim': 0, 'start': 1, 'out': 'v'}, "
                               "{'op': 'mul_', 'self': 'y', 'other': 'x'},"
                               "{'op': 'slice', 'self': 'p', 'dim': 0, 'start': 1, 'out': 'q'},"
                               "{'op': 'grad', 'outputs': ['v'], 'inputs': ['x'], 'grad_outputs': "
                               "['q'], 'create_graph': true, 'out': ['g']}",
            "'g'") {
        assert_ok(r);
        assert_values(&r->calls[0].returns[0].values, VALUES(0, 24, 81));
        input_grad(r, X, VALUES(0, 24, 54));
    }
}
END_TEST

/* ---- what is refused ---- */

START_TEST(an_unused_input_is_refused_or_unbound) {
    both_raise(MUL("x", "x", "y") "," MUL("s", "s", "t") "," GRAD("y", "s", FED, "g"), "'y'", 2,
               "invalid");
    both_raise(MUL("x", "x", "y") "," MUL("s", "s", "t") "," GRAD(
                   "y", "s", FED ", 'allow_unused': true", "y"),
               "'y'", AT_RETURN, "invalid");
    ON_BOTH(r, MUL("x", "x", "y") "," GRAD("y", "s", FED ", 'allow_unused': true", "g"), "'y'") {
        assert_ok(r);
        input_grad(r, S, NO_GRAD);
    }
}
END_TEST

START_TEST(what_is_fed_must_fit) {
    both_raise(MUL("x", "x", "y") "," GRAD("y", "x", "", "g"), "'y'", 1, "invalid");
    both_raise(MUL("x", "x", "y") "," GRAD("y", "x", ", 'grad_outputs': ['s']", "g"), "'y'", 1,
               "invalid");
    both_raise(MUL("x", "x", "y") ", {'op': 'grad', 'outputs': ['y', 'y'], 'inputs': ['x'], "
                                  "'grad_outputs': ['p'], 'out': ['g']}",
               "'y'", 1, "invalid");
    both_raise(GRAD("p", "x", FED, "g"), "'x'", 0, "invalid");
    both_raise(MUL("x", "x", "y") "," GRAD("y", "p", FED, "g"), "'y'", 1, "invalid");
    both_raise(MUL("x", "x", "y") ", {'op': 'grad', 'outputs': ['y'], 'inputs': ['x'], "
                                  "'grad_outputs': ['p'], 'out': ['g', 'h']}",
               "'y'", 1, "invalid");
}
END_TEST

START_TEST(what_pytorch_does_not_differentiate_twice) {
    both_raise("{'op': 'hardsigmoid', 'self': 'x', 'out': 'y'}," GRAD(
                   "y", "x", FED ", 'create_graph': true", "g"),
               "'g'", AT_BACKWARD, "invalid");
}
END_TEST

/* ---- the graph ---- */

START_TEST(a_graph_is_freed_unless_retained) {
    both_raise(MUL("x", "x", "y") "," GRAD("y", "x", FED, "g"), "'y'", AT_BACKWARD, "graph_freed");
    both_raise(MUL("x", "x", "y") "," GRAD("y", "x", FED, "g") "," GRAD("y", "x", FED, "h"), "'y'",
               2, "graph_freed");
    ON_BOTH(r, MUL("x", "x", "y") "," GRAD("y", "x", FED ", 'retain_graph': true", "g"), "'y'") {
        assert_ok(r);
        input_grad(r, X, VALUES(2, 4, 6));
    }
}
END_TEST

START_TEST(freed_comes_before_modified) {
    both_raise(
        MUL("x", "p", "y") "," GRAD("y", "x", FED, "g") ", {'op': 'add_', 'self': 'p', 'other': 1}",
        "'y'", AT_BACKWARD, "graph_freed");
    both_raise(MUL("x", "p", "y") "," GRAD("y", "x", FED ", 'retain_graph': true",
                                           "g") ", {'op': 'add_', 'self': 'p', 'other': 1}",
               "'y'", AT_BACKWARD, "saved_modified");
}
END_TEST

START_TEST(a_node_that_saves_nothing_is_never_freed) {
    ON_BOTH(r, "{'op': 'neg', 'self': 'x', 'out': 'y'}," GRAD("y", "x", FED, "g"), "'y'") {
        assert_ok(r);
        input_grad(r, X, VALUES(-1, -1, -1));
    }
    both_raise("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}," GRAD("y", "x", FED, "g"),
               "'y'", AT_BACKWARD, "graph_freed"); /* saves the 2 */
}
END_TEST

START_TEST(a_node_behind_the_input_is_not_freed) {
    ON_BOTH(r, MUL("x", "x", "y") "," MUL("y", "p", "z") "," GRAD("z", "y", FED, "g"), "'y'") {
        assert_ok(r);
        input_grad(r, X, VALUES(2, 4, 6));
    }
}
END_TEST

START_TEST(a_write_through_a_view_is_freed_as_a_whole) {
    both_raise("{'op': 'neg', 'self': 'x', 'out': 'y'}, {'op': 'slice', 'self': 'y', 'dim': 0, "
               "'start': 1, 'out': 'v'}, {'op': 'neg_', 'self': 'v'}," GRAD("y", "x", FED, "g"),
               "'y'", AT_BACKWARD, "graph_freed");
}
END_TEST

/* PyTorch 1.13 marks what an op that wrote a view leads to as needed, leaves included; 2.x runs
 * only nodes that lead to the inputs of grad. */
START_TEST(a_leaf_copied_into_a_view_accumulates_in_1_13) {
    static const Semantics versions[] = {SEMANTICS_1_13, SEMANTICS_2_8, SEMANTICS_2_15};
    for (int k = 0; k < COUNT_OF(versions); k++) {
        following = versions[k];
        ON_BOTH(r,
                "{'op': 'zeros', 'size': [2, 3], 'out': 'y'}, {'op': 'setitem', 'self': 'y', "
                "'index': [0], 'value': 'x'}, {'op': 'sum', 'self': 'y', 'out': 't'}," GRAD(
                    "t", "x", "", "g"),
                "'g'") {
            assert_ok(r);
            if (versions[k] == SEMANTICS_1_13) {
                input_grad(r, X, VALUES(1, 1, 1));
            } else {
                ck_assert_int_eq(r->calls[0].inputs[X].grad_state, GRAD_NULL);
            }
        }
    }
    following = SEMANTICS_NONE;
}
END_TEST

/* ---- retain_grad ---- */

START_TEST(a_retained_gradient_is_recorded) {
    ON_BOTH(r, MUL("x", "x", "y") ", {'op': 'retain_grad', 'self': 'y'}," MUL("y", "p", "z"),
            "'z', 'y'") {
        assert_ok(r);
        return_grad(r, 1, VALUES(2, 3, 4));
    }
}
END_TEST

START_TEST(a_retained_gradient_follows_the_tensor_through_writes) {
    ON_BOTH(
        r,
        MUL("x", "x",
            "y") ", {'op': 'retain_grad', 'self': 'y'}, {'op': 'mul_', 'self': 'y', 'other': 5}",
        "'y'") {
        assert_ok(r);
        return_grad(r, 0, VALUES(1, 1, 1));
    }
}
END_TEST

START_TEST(gradients_inside_the_program_add_to_a_retained_one) {
    ON_BOTH(r,
            MUL("x", "x", "y") ", {'op': 'retain_grad', 'self': 'y'}," MUL("y", "p", "z") "," GRAD(
                "z", "x", FED ", 'retain_graph': true", "g"),
            "'z', 'y'") {
        assert_ok(r);
        return_grad(r, 1, VALUES(1 + 2, 4 + 3, 9 + 4));
    }
}
END_TEST

START_TEST(retain_grad_asks_for_requires_grad) {
    both_raise("{'op': 'retain_grad', 'self': 'p'}", "'p'", 0, "invalid");
    ON_BOTH(r, "{'op': 'retain_grad', 'self': 'x'}," MUL("x", "x", "y"), "'y'") { assert_ok(r); }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("grad");
    TCase *t = tcase_create("claims");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_gradient_is_a_tensor_of_the_program);
    tcase_add_test(t, a_recorded_gradient_is_differentiated_again);
    tcase_add_test(t, third_derivatives_too);
    tcase_add_test(t, a_scalar_output_is_fed_ones);
    tcase_add_test(t, a_gradient_of_what_is_no_leaf);
    tcase_add_test(t, what_is_passed_on_is_the_tensor_that_was_fed);
    tcase_add_test(t, a_view_of_what_was_fed_is_a_no_grad_view);
    tcase_add_test(t, a_fed_gradient_that_requires_grad_is_differentiated);
    tcase_add_test(t, a_step_function_has_zeros_for_a_second_derivative);
    tcase_add_test(t, a_write_through_a_view_is_differentiated_twice);
    tcase_add_test(t, a_stale_view_is_differentiated_twice);
    tcase_add_test(t, an_unused_input_is_refused_or_unbound);
    tcase_add_test(t, what_is_fed_must_fit);
    tcase_add_test(t, what_pytorch_does_not_differentiate_twice);
    tcase_add_test(t, a_graph_is_freed_unless_retained);
    tcase_add_test(t, freed_comes_before_modified);
    tcase_add_test(t, a_node_that_saves_nothing_is_never_freed);
    tcase_add_test(t, a_node_behind_the_input_is_not_freed);
    tcase_add_test(t, a_write_through_a_view_is_freed_as_a_whole);
    tcase_add_test(t, a_leaf_copied_into_a_view_accumulates_in_1_13);
    tcase_add_test(t, a_retained_gradient_is_recorded);
    tcase_add_test(t, a_retained_gradient_follows_the_tensor_through_writes);
    tcase_add_test(t, gradients_inside_the_program_add_to_a_retained_one);
    tcase_add_test(t, retain_grad_asks_for_requires_grad);
    suite_add_tcase(suite, t);
    return run_suite("reference/grad", suite);
}
