/* Hooks in the reference, one claim a test (docs/reference/semantics.md, section 12; each was
 * checked with PyTorch 2.15).
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

/* double, triple, add_one: what they return; nothing: only computes; sum: another size. After
 * accumulation: twice, total and as_float32 set .grad, step writes the tensor. */
#define HOOK(name, op, more)                                                                       \
    "{'name': '" name "', 'params': ['g'], 'forward': [{'op': '" op "', 'self': 'g', " more        \
    "'out': 'h'}], 'return': ['h']}"
static const char FUNCTIONS[] =
    HOOK("double", "mul", "'other': 2, ") "," HOOK("triple", "mul", "'other': 3, ") "," HOOK(
        "add_one", "add",
        "'other': 1, ") "," HOOK("sum", "sum",
                                 "") ","
                                     "{'name': 'nothing', 'params': ['g'], 'forward': [{'op': "
                                     "'neg', 'self': 'g', 'out': 'h'}], "
                                     "'return': []},"
                                     "{'name': 'write', 'params': ['g'], 'forward': [{'op': "
                                     "'mul_', 'self': 'g', 'other': 2}], "
                                     "'return': []},"
                                     "{'name': 'if_there', 'params': ['g'], 'forward': [{'if': "
                                     "{'not': {'is_none': 'g'}}, 'then': "
                                     "[{'op': 'mul', 'self': 'g', 'other': 2, 'out': 'g'}]}], "
                                     "'return': ['g']},"
                                     "{'name': 'twice', 'params': ['p', 'g'], 'forward': [{'op': "
                                     "'mul', 'self': 'g', 'other': 2, "
                                     "'out': 'h'}], 'return': ['h']},"
                                     "{'name': 'total', 'params': ['p', 'g'], 'forward': [{'op': "
                                     "'sum', 'self': 'g', 'out': 'h'}], 'return': ['h']},"
                                     "{'name': 'as_float32', 'params': ['p', 'g'], 'forward': "
                                     "[{'op': 'to', 'self': 'g', 'dtype': 'float32', 'out': "
                                     "'h'}], 'return': ['h']},"
                                     "{'name': 'step', 'params': ['p', 'g'], 'forward': [{'op': "
                                     "'sub_', 'self': 'p', 'other': "
                                     "'g'}], 'return': []}";

static Result *run_as(const char *body, const char *returns, Semantics semantics) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 2, 'inputs': [{'name': 'x', 'dtype': 'float64', 'size': [3], "
        "'requires_grad': true, 'data': [1, 2, 3]},"
        "{'name': 'w', 'dtype': 'float64', 'size': [3], 'requires_grad': true, 'data': [2, 2, 2]},"
        "{'name': 'p', 'dtype': 'float64', 'size': [3], 'data': [1, 2, 3]}],"
        "'functions': [%s], 'body': [%s], 'return': [%s], 'backward': {'fill': 'ones', 'seed': 0}}",
        FUNCTIONS, body, returns);
    Program *program = parse_quoted(&arena, text);
    RunOptions options = {.limits = LIMITS_DEFAULT, .semantics = semantics};
    return reference_run(program, &options, &arena);
}

static Result *run(const char *body, const char *returns) {
    return run_as(body, returns, SEMANTICS_DEFAULT);
}

static void is(const Values *v, double value) {
    ck_assert_int_eq(v->numel, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), value);
    }
}

/* Every element of the gradient of input `i`. */
static void gradient_is(const Result *r, int i, double value) {
    const InputRecord *input = &ok(r)->inputs[i];
    ck_assert_int_eq(input->grad_state, GRAD_VALUE);
    is(&input->grad, value);
}

#define ON(name, hook) ",{'op': 'register_hook', 'self': '" name "', 'function': '" hook "'}"
#define AFTER(name, hook)                                                                          \
    ",{'op': 'register_post_accumulate_grad_hook', 'self': '" name "', 'function': '" hook "'}"
#define OFF(name, hook) ",{'op': 'remove_hook', 'self': '" name "', 'function': '" hook "'}"
#define TIMES(name, number, out)                                                                   \
    ",{'op': 'mul', 'self': '" name "', 'other': " number ", 'out': '" out "'}"
#define Y "{'op': 'mul', 'self': 'x', 'other': 5, 'out': 'y'}"
#define GRAD(of, more)                                                                             \
    ",{'op': 'sum', 'self': '" of "', 'out': 's'},{'op': 'grad', 'outputs': ['s'], " more "}"

START_TEST(hooks_replace_a_gradient_in_order_of_registration) {
    gradient_is(run(Y ON("x", "double"), "'y'"), 0, 10);
    gradient_is(run(Y ON("y", "double") ON("y", "add_one"), "'y'"), 0, 15);
    gradient_is(run(Y ON("y", "add_one") ON("y", "double"), "'y'"), 0, 20);
    gradient_is(run(Y ON("y", "nothing"), "'y'"), 0, 5);
    gradient_is(run(Y ON("y", "write"), "'y'"), 0, 10);
}
END_TEST

START_TEST(a_hook_sees_the_sum_of_all_that_arrives) {
    gradient_is(run(Y ON("x", "add_one") TIMES("x", "3", "z"), "'y', 'z'"), 0, 9);
}
END_TEST

START_TEST(removing_takes_the_hook_registered_last_under_these_names) {
    gradient_is(run(Y ON("y", "double") OFF("y", "double"), "'y'"), 0, 5);
    gradient_is(run(Y ON("y", "double") OFF("y", "double") OFF("y", "double"), "'y'"), 0, 5);
    gradient_is(
        run(Y ON("y", "double") ON("y", "double") OFF("y", "double") OFF("y", "double"), "'y'"), 0,
        10);
    raises(run(Y ON("y", "double") OFF("x", "double"), "'y'"), 2, "invalid");
}
END_TEST

START_TEST(only_what_requires_grad_takes_a_hook) {
    raises(run(Y ON("p", "double"), "'y'"), 1, "invalid");
    raises(run(Y AFTER("p", "twice"), "'y'"), 1, "invalid");
    raises(run(Y AFTER("y", "twice"), "'y'"), 1, "invalid"); /* only leaves */
}
END_TEST

START_TEST(what_a_hook_returns_has_the_size_of_the_gradient) {
    raises(run(Y ON("y", "sum"), "'y'"), AT_BACKWARD, "invalid");
    raises(run(Y ON("y", "sum") GRAD("y", "'inputs': ['x'], 'out': ['u']"), "'u'"), 3, "invalid");
}
END_TEST

START_TEST(what_a_post_accumulate_hook_sets_is_refused_as_an_assignment) {
    raises(run(Y AFTER("x", "as_float32"), "'y'"), AT_BACKWARD, "dtype");
    raises(run(Y AFTER("x", "total"), "'y'"), AT_BACKWARD, "shape");
}
END_TEST
START_TEST(hooks_stay_at_the_grad_fn_they_were_registered_at) {
    const char *write = ",{'op': 'mul_', 'self': 'y', 'other': 7}";
    gradient_is(run(arena_printf(&arena, "%s%s", Y ON("y", "add_one"), write), "'y'"), 0, 40);
    gradient_is(run(arena_printf(&arena, "%s%s%s", Y, write, ON("y", "add_one")), "'y'"), 0, 70);
    gradient_is(
        run(arena_printf(&arena, "%s%s%s", Y ON("y", "add_one"), write, ON("y", "double")), "'y'"),
        0, 75);
}
END_TEST

#define VIEW ",{'op': 'alias', 'self': 'y', 'out': 'v'}"
#define WRITE(name) ",{'op': 'mul_', 'self': '" name "', 'other': 7}"

START_TEST(a_view_that_is_regenerated_starts_a_new_list) {
    gradient_is(run(Y VIEW ON("v", "add_one") WRITE("y") ON("v", "double"), "'v'"), 0, 70);
    gradient_is(run(Y VIEW ON("y", "add_one") WRITE("v") ON("y", "double"), "'y'"), 0, 75);
    gradient_is(
        run_as(Y VIEW ON("v", "add_one") WRITE("y") ON("v", "double"), "'v'", SEMANTICS_2_13), 0,
        35);
}
END_TEST

START_TEST(a_hook_is_called_with_none_where_nothing_arrives) {
    const char *pair = "{'op': 'stack', 'tensors': ['x', 'w'], 'out': 's'},{'op': 'unbind', "
                       "'self': 's', 'out': ['a', 'b']}";
    gradient_is(run(arena_printf(&arena, "%s%s", pair, ON("a", "if_there")), "'b'"), 0, 0);
    raises(run(arena_printf(&arena, "%s%s", pair, ON("a", "double")), "'b'"), AT_BACKWARD,
           "invalid");
}
END_TEST

START_TEST(retain_grad_adds_what_the_hooks_return) {
    const char *body = "{'op': 'mul', 'self': 'x', 'other': 5, 'out': 'y'},{'op': 'retain_grad', "
                       "'self': 'y'}" ON("y", "double") TIMES("y", "1", "z");
    is(&ok(run(body, "'z', 'y'"))->returns[1].grad, 4); /* z and y are roots */
    is(&ok(run_as(body, "'z', 'y'", SEMANTICS_1_13))->returns[1].grad, 2);
}
END_TEST

START_TEST(grad_calls_the_hooks_of_what_it_returns_if_the_node_does_not_run) {
    const char *leaf = Y ON("x", "double") GRAD("y", "'inputs': ['x'], 'out': ['u']");
    is(&ok(run(leaf, "'u'"))->returns[0].values, 10);
    is(&ok(run_as(leaf, "'u'", SEMANTICS_1_13))->returns[0].values, 5);
    const Result *r = run(Y ON("y", "double") TIMES("y", "3", "z")
                              GRAD("z", "'inputs': ['y', 'x'], 'out': ['u', 'v']"),
                          "'u', 'v'");
    is(&ok(r)->returns[0].values, 3);
    is(&ok(r)->returns[1].values, 30);
}
END_TEST

START_TEST(a_hook_is_recorded_with_create_graph) {
    gradient_is(run("{'op': 'mul', 'self': 'x', 'other': 'w', 'out': 'y'},{'op': 'mul', 'self': "
                    "'y', 'other': 'w', 'out': 'z'}" ON("y", "double")
                        GRAD("z", "'inputs': ['x'], 'create_graph': true, 'out': ['u']"),
                    "'u'"),
                1, 8); /* u = 2 w w */
}
END_TEST

START_TEST(a_gradient_that_a_leaf_may_hold_is_not_written) {
    const Result *r = run("{'op': 'mul', 'self': 'w', 'other': 1, 'out': 'z'}" ON(
                              "z", "write") ",{'op': 'add', 'self': 'x', 'other': 'z', 'out': 'y'}",
                          "'y'");
    ck_assert_int_eq(r->nundefined, 1);
    ck_assert_int_eq(run(Y ON("y", "write"), "'y'")->nundefined, 0);
}
END_TEST

START_TEST(post_accumulate_hooks_see_what_was_accumulated) {
    gradient_is(run(Y AFTER("x", "twice") ON("x", "add_one"), "'y'"), 0, 12);
    gradient_is(run(Y AFTER("x", "twice") AFTER("x", "twice") OFF("x", "twice"), "'y'"), 0, 10);
    const Result *r = run(Y AFTER("x", "step"), "'y'");
    gradient_is(r, 0, 5);
    ck_assert_double_eq(element_double(r->calls[0].inputs[0].data.data, DT_float64, 2), 3 - 5);
    ck_assert_int_eq(r->calls[0].inputs[0].version, 1);
    is(&ok(run(Y AFTER("x", "twice") GRAD("y", "'inputs': ['x'], 'out': ['u']"), "'u'"))
            ->returns[0]
            .values,
       5);
    raises(run_as(Y AFTER("x", "twice"), "'y'", SEMANTICS_1_13), 1, "invalid");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("hooks");
    TCase *t = tcase_create("hooks");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, hooks_replace_a_gradient_in_order_of_registration);
    tcase_add_test(t, a_hook_sees_the_sum_of_all_that_arrives);
    tcase_add_test(t, removing_takes_the_hook_registered_last_under_these_names);
    tcase_add_test(t, only_what_requires_grad_takes_a_hook);
    tcase_add_test(t, what_a_hook_returns_has_the_size_of_the_gradient);
    tcase_add_test(t, what_a_post_accumulate_hook_sets_is_refused_as_an_assignment);
    tcase_add_test(t, hooks_stay_at_the_grad_fn_they_were_registered_at);
    tcase_add_test(t, a_view_that_is_regenerated_starts_a_new_list);
    tcase_add_test(t, a_hook_is_called_with_none_where_nothing_arrives);
    tcase_add_test(t, retain_grad_adds_what_the_hooks_return);
    tcase_add_test(t, grad_calls_the_hooks_of_what_it_returns_if_the_node_does_not_run);
    tcase_add_test(t, a_hook_is_recorded_with_create_graph);
    tcase_add_test(t, a_gradient_that_a_leaf_may_hold_is_not_written);
    tcase_add_test(t, post_accumulate_hooks_see_what_was_accumulated);
    suite_add_tcase(suite, t);
    return run_suite("reference/hooks", suite);
}
