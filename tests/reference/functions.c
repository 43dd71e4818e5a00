/* Functions of the program's own in the reference, one claim a test (docs/reference/semantics.md,
 * section 11; each was checked with PyTorch 2.15).
 *
 * Programs are written with ' for ". Inputs: leaves x = [1, 2, 3] and w = [2, 2, 2] that require
 * grad, plain p = [1, 2, 3]. */
#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/quoted.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

static Program *parsed(const char *functions, const char *body, const char *returns,
                       const char *values) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 2, 'inputs': [{'name': 'x', 'dtype': 'float64', 'size': [3], "
        "'requires_grad': true, 'data': [%s]},"
        "{'name': 'w', 'dtype': 'float64', 'size': [3], 'requires_grad': true, 'data': [2, 2, 2]},"
        "{'name': 'p', 'dtype': 'float64', 'size': [3], 'data': [1, 2, 3]}],"
        "'functions': [%s], 'body': [%s], 'return': [%s], 'backward': {'fill': 'ones', 'seed': 0}}",
        values, functions, body, returns);
    return parse_quoted(&arena, text);
}

static Result *run(const char *functions, const char *body, const char *returns) {
    RunOptions options = {.limits = LIMITS_DEFAULT};
    return reference_run(parsed(functions, body, returns, "1, 2, 3"), &options, &arena);
}

static void is(const Values *v, double a, double b, double c) {
    const double want[] = {a, b, c};
    ck_assert_int_eq(v->numel, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

/* The gradient of input `i`. */
static void gradient_is(const Result *r, int i, double a, double b, double c) {
    const InputRecord *input = &ok(r)->inputs[i];
    ck_assert_int_eq(input->grad_state, GRAD_VALUE);
    is(&input->grad, a, b, c);
}

#define APPLY1 "{'op': 'apply', 'function': 'f', 'operands': ['x'], 'out': ['y']}"
#define APPLY2 "{'op': 'apply', 'function': 'f', 'operands': ['x', 'w'], 'out': ['y']}"
#define REVERSAL                                                                                   \
    "{'name': 'f', 'params': ['a'], 'forward': [], 'return': ['a'], 'grad_outputs': ['g'],"        \
    "'backward': [{'op': 'neg', 'self': 'g', 'out': 'h'}], 'grad_inputs': ['h']}"

START_TEST(the_backward_is_what_the_function_says) {
    gradient_is(run(REVERSAL, APPLY1, "'y'"), 0, -1, -1, -1);
}
END_TEST

START_TEST(an_operand_that_is_returned_is_a_view_that_may_not_be_written) {
    const Result *r = run(REVERSAL, APPLY1 ",{'probe': 'has_grad_fn', 'of': 'y'}", "'y'");
    ck_assert(ok(r)->returns[0].alias != ALIAS_NONE);
    ck_assert_int_eq(r->calls[0].trace[0].v[0], 1);
    raises(run(REVERSAL, APPLY1 ",{'op': 'mul_', 'self': 'y', 'other': 2}", "'y'"), 1, "invalid");
    raises(run(REVERSAL,
               "{'op': 'clone', 'self': 'x', 'out': 'c'},{'op': 'apply', 'function': "
               "'f', 'operands': ['c'], 'out': ['y']},{'op': 'mul_', 'self': 'c', "
               "'other': 2}",
               "'y'"),
           AT_RETURN, "invalid"); /* a stale one */
}
END_TEST

#define PRODUCT(save)                                                                              \
    "{'name': 'f', 'params': ['a', 'b'], 'forward': [{'op': 'mul', 'self': 'a', 'other': 'b', "    \
    "'out': 'y'}], 'return': ['y'], 'save': [" save "], 'grad_outputs': ['g'],"                    \
    "'backward': [{'op': 'mul', 'self': 'g', 'other': 'b', 'out': 'ga'},{'op': 'mul', 'self': "    \
    "'g', 'other': 'a', 'out': 'gb'}], 'grad_inputs': ['ga', 'gb']}"

START_TEST(saved_values_are_checked_when_they_are_unpacked) {
    const Result *r = run(PRODUCT("'a', 'b'"), APPLY2, "'y'");
    gradient_is(r, 0, 2, 2, 2);
    gradient_is(r, 1, 1, 2, 3);
    raises(run(PRODUCT("'a', 'b'"),
               APPLY2 ",{'with': 'no_grad', 'body': [{'op': 'zero_', 'self': 'w'}]}", "'y'"),
           AT_BACKWARD, "saved_modified");
    raises(run(PRODUCT("'a'"), APPLY2, "'y'"), AT_BACKWARD, "invalid"); /* b is not bound */
    raises(run(PRODUCT("'a', 'b'"),
               APPLY2 ",{'op': 'sum', 'self': 'y', 'out': 's'},{'op': 'grad', 'outputs': ['s'], "
                      "'inputs': ['x'], 'out': ['u']}",
               "'s'"),
           AT_BACKWARD, "graph_freed");
    gradient_is(run(REVERSAL,
                    APPLY1 ",{'op': 'sum', 'self': 'y', 'out': 's'},{'op': 'grad', 'outputs': "
                           "['s'], 'inputs': ['x'], 'out': ['u']}",
                    "'s'"),
                0, -1, -1, -1); /* a function that saves nothing is never freed */
}
END_TEST

START_TEST(a_gradient_that_is_recorded_is_differentiated_through_the_backward) {
    gradient_is(run(PRODUCT("'a', 'b'"),
                    APPLY2 ",{'op': 'sum', 'self': 'y', 'out': 's'},{'op': 'grad', 'outputs': "
                           "['s'], 'inputs': ['x'], 'create_graph': true, 'out': ['u']}",
                    "'u'"),
                1, 1, 1, 1);
}
END_TEST

#define ONCE                                                                                       \
    "{'name': 'f', 'params': ['a'], 'forward': [{'op': 'mul', 'self': 'a', 'other': 2, 'out': "    \
    "'y'}], 'return': ['y'], 'once_differentiable': true, 'grad_outputs': ['g'],"                  \
    "'backward': [{'op': 'mul', 'self': 'g', 'other': 2, 'out': 'h'}], 'grad_inputs': ['h']}"

START_TEST(once_differentiable_refuses_the_second_derivative) {
    const char *twice =
        APPLY1 ",{'op': 'mul', 'self': 'y', 'other': 'y', 'out': 'z'},{'op': 'sum', 'self': 'z', "
               "'out': 's'},{'op': 'grad', 'outputs': ['s'], 'inputs': ['x'], 'create_graph': "
               "true, 'out': ['u']}";
    gradient_is(run(ONCE, APPLY1, "'y'"), 0, 2, 2, 2);
    raises(run(ONCE, twice, "'u'"), AT_BACKWARD, "invalid");
}
END_TEST

#define DIRTY(list)                                                                                \
    "{'name': 'f', 'params': ['a'], 'forward': [{'op': 'mul_', 'self': 'a', 'other': 2}], "        \
    "'return': ['a'], 'dirty': [" list "], 'grad_outputs': ['g'], 'backward': [{'op': 'mul', "     \
    "'self': 'g', 'other': 3, 'out': 'h'}], 'grad_inputs': ['h']}"
#define WRITTEN(view)                                                                              \
    "{'op': 'clone', 'self': 'x', 'out': 'c'}," view                                               \
    "{'op': 'apply', 'function': 'f', 'operands': ['c'], 'out': ['y']}"

START_TEST(a_dirty_operand_is_returned_with_a_new_history) {
    const Result *r = run(DIRTY("'a'"), WRITTEN("") ",{'probe': 'version', 'of': 'c'}", "'c', 'y'");
    is(&ok(r)->returns[0].values, 2, 4, 6);
    ck_assert_int_eq(r->calls[0].trace[0].v[0], 2); /* the write and the mark */
    gradient_is(r, 0, 6, 6, 6);
    raises(run(DIRTY("'a'"), APPLY1, "'y'"), 0, "leaf_inplace");
    r = run(DIRTY(""), WRITTEN(""), "'y'"); /* returned as a view of what it was */
    gradient_is(r, 0, 3, 3, 3);
}
END_TEST

#define WRITTEN_VIEW(view)                                                                         \
    "{'op': 'clone', 'self': 'x', 'out': 'c'}," view                                               \
    ",{'op': 'apply', 'function': 'f', 'operands': ['v'], 'out': ['y']}"

START_TEST(a_dirty_view_is_refused_as_one_that_an_op_writes_in_place) {
    gradient_is(run(DIRTY("'a'"),
                    WRITTEN_VIEW("{'op': 'view_as', 'self': 'c', 'other': 'c', 'out': 'v'}"),
                    "'c'"),
                0, 3, 3, 3);
    raises(run(DIRTY("'a'"),
               WRITTEN_VIEW("{'op': 'view_as', 'self': 'x', 'other': 'x', 'out': 'v'}"), "'y'"),
           2, "leaf_view_inplace");
    raises(run(DIRTY("'a'"),
               WRITTEN_VIEW("{'op': 'unbind', 'self': 'c', 'out': ['v', 'v2', 'v3']}"), "'y'"),
           2, "multi_view_inplace");
}
END_TEST

#define TWO(options)                                                                               \
    "{'name': 'f', 'params': ['a'], 'forward': [{'op': 'clone', 'self': 'a', 'out': 'y'},{'op': "  \
    "'neg', 'self': 'a', 'out': 'z'}], 'return': ['y', 'z'], " options                             \
    "'grad_outputs': ['g', 'h'], 'backward': [{'if': {'is_none': 'h'}, 'then': [{'op': 'mul', "    \
    "'self': 'g', 'other': 5, 'out': 'r'}], 'else': [{'op': 'sub', 'self': 'g', 'other': 'h', "    \
    "'out': 'r'}]}], 'grad_inputs': ['r']}"
#define APPLY_TWO "{'op': 'apply', 'function': 'f', 'operands': ['x'], 'out': ['y', 'z']}"

START_TEST(an_undefined_gradient_is_zeros_or_none) {
    gradient_is(run(TWO(""), APPLY_TWO, "'y', 'z'"), 0, 0, 0, 0);
    gradient_is(run(TWO(""), APPLY_TWO, "'y'"), 0, 1, 1, 1);
    gradient_is(run(TWO("'materialize_grads': false, "), APPLY_TWO, "'y'"), 0, 5, 5, 5);
}
END_TEST

START_TEST(an_output_that_is_not_differentiable_has_no_history) {
    const Result *r = run(TWO("'non_differentiable': ['z'], "), APPLY_TWO, "'y', 'z'");
    gradient_is(r, 0, 1, 1, 1);
    ck_assert(!r->calls[0].returns[1].requires_grad && r->calls[0].returns[1].is_leaf);
}
END_TEST

START_TEST(needs_input_grad_says_which_operands_required_grad) {
    const char *function =
        "{'name': 'f', 'params': ['a', 'b'], 'forward': [{'op': 'add', 'self': 'a', 'other': 'b', "
        "'out': 'y'}], 'return': ['y'], 'grad_outputs': ['g'], 'backward': [{'if': "
        "{'needs_input_grad': 1}, 'then': [{'op': 'mul', 'self': 'g', 'other': 7, 'out': 'r'}], "
        "'else': [{'op': 'mul', 'self': 'g', 'other': 5, 'out': 'r'}]}], 'grad_inputs': ['r', "
        "null]}";
    gradient_is(run(function, APPLY2, "'y'"), 0, 7, 7, 7);
    gradient_is(run(function,
                    "{'op': 'apply', 'function': 'f', 'operands': ['x', 'p'], 'out': ['y']}",
                    "'y'"),
                0, 5, 5, 5);
}
END_TEST

/* The sum of what the program returns. */
static double total(const Program *p) {
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const Result *r = reference_run(p, &options, &arena);
    const Values *v = &ok(r)->returns[0].values;
    double sum = 0;
    for (int i = 0; i < v->numel; i++) {
        sum += element_double(v->data, v->dtype, i);
    }
    return sum;
}

START_TEST(the_gradient_of_a_true_derivative_is_that_of_finite_differences) {
    static const char function[] =
        "{'name': 'f', 'params': ['a', 'b'], 'forward': [{'op': 'sin', 'self': 'a', 'out': 's'},"
        "{'op': 'mul', 'self': 's', 'other': 'b', 'out': 'y'}], 'return': ['y'], 'save': ['a', "
        "'b', 's'], 'grad_outputs': ['g'], 'backward': [{'op': 'cos', 'self': 'a', 'out': 'c'},"
        "{'op': 'mul', 'self': 'c', 'other': 'b', 'out': 'c'},{'op': 'mul', 'self': 'g', 'other': "
        "'c', 'out': 'ga'},{'op': 'mul', 'self': 'g', 'other': 's', 'out': 'gb'}], 'grad_inputs': "
        "['ga', 'gb']}";
    static const char body[] = APPLY2 ",{'op': 'apply', 'function': 'f', 'operands': ['y', 'x'], "
                                      "'out': ['z']}";
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const double at[] = {0.25, -0.5, 1.25}, step = 1e-6;
    const Result *r =
        reference_run(parsed(function, body, "'z'", "0.25, -0.5, 1.25"), &options, &arena);
    const Values *gradient = &ok(r)->inputs[0].grad;
    for (int i = 0; i < 3; i++) {
        double side[2];
        for (int k = 0; k < 2; k++) {
            double v[3] = {at[0], at[1], at[2]};
            v[i] += k ? step : -step;
            side[k] = total(parsed(function, body, "'z'",
                                   arena_printf(&arena, "%.17g, %.17g, %.17g", v[0], v[1], v[2])));
        }
        double got = element_double(gradient->data, gradient->dtype, i);
        ck_assert_double_eq_tol(got, (side[1] - side[0]) / (2 * step), 1e-8);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("functions");
    TCase *t = tcase_create("functions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_backward_is_what_the_function_says);
    tcase_add_test(t, an_operand_that_is_returned_is_a_view_that_may_not_be_written);
    tcase_add_test(t, saved_values_are_checked_when_they_are_unpacked);
    tcase_add_test(t, a_gradient_that_is_recorded_is_differentiated_through_the_backward);
    tcase_add_test(t, once_differentiable_refuses_the_second_derivative);
    tcase_add_test(t, a_dirty_operand_is_returned_with_a_new_history);
    tcase_add_test(t, a_dirty_view_is_refused_as_one_that_an_op_writes_in_place);
    tcase_add_test(t, an_undefined_gradient_is_zeros_or_none);
    tcase_add_test(t, an_output_that_is_not_differentiable_has_no_history);
    tcase_add_test(t, needs_input_grad_says_which_operands_required_grad);
    tcase_add_test(t, the_gradient_of_a_true_derivative_is_that_of_finite_differences);
    suite_add_tcase(suite, t);
    return run_suite("reference/functions", suite);
}
