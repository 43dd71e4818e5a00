/* Backward: saved values, accumulators, and the size and dtype of gradients (semantics.md, 4). */
#include "tests/support/reference_case.h"

/* ---- 4: backward ---- */

START_TEST(saved_values_are_checked_by_version) {
    const char *write = "{'with': 'no_grad', 'body': [{'op': 'detach', 'self': '%s', 'out': 'd'}, "
                        "{'op': 'add_', 'self': 'd', 'other': 0}]}";
    const char *clone = "{'op': 'clone', 'self': 'x', 'out': 'c'}, ";
    const struct {
        const char *op, *written;
        bool raises;
    } cases[] = {
        {"{'op': 'exp', 'self': 'c', 'out': 'y'}", "y", true},
        {"{'op': 'exp', 'self': 'c', 'out': 'y'}", "c", false},
        {"{'op': 'sin', 'self': 'c', 'out': 'y'}", "c", true},
        {"{'op': 'sin', 'self': 'c', 'out': 'y'}", "y", false},
        {"{'op': 'mul', 'self': 'c', 'other': 'p', 'out': 'y'}", "p", true},
        {"{'op': 'mul', 'self': 'c', 'other': 'p', 'out': 'y'}", "c", false},
        {"{'op': 'add', 'self': 'c', 'other': 'p', 'out': 'y'}", "p", false},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Result *r = run(arena_printf(&arena, "%s%s, %s", clone, cases[i].op,
                                     arena_printf(&arena, write, cases[i].written)),
                        "'y'");
        if (cases[i].raises) {
            assert_error(r, AT_BACKWARD, "saved_modified");
        } else {
            assert_ok(r);
        }
    }
}
END_TEST

START_TEST(the_self_of_an_inplace_op_is_saved_as_a_copy) {
    Result *r = run("{'op': 'clone', 'self': 'x', 'out': 'c'}, {'op': 'sin_', 'self': 'c'}, {'op': "
                    "'mul_', 'self': 'c', 'other': 2}",
                    "'c'");
    assert_ok(r);
    assert_error(
        run("{'op': 'clone', 'self': 'x', 'out': 'c'}, {'op': 'mul_', 'self': 'c', 'other': 'c'}",
            "'c'"),
        AT_BACKWARD, "saved_modified");
    assert_error(run("{'op': 'clone', 'self': 'x', 'out': 'c'}, {'op': 'exp_', 'self': 'c'}, "
                     "{'op': 'add_', 'self': 'c', 'other': 1}",
                     "'c'"),
                 AT_BACKWARD, "saved_modified");
}
END_TEST

START_TEST(a_mask_that_indexed_is_checked_as_the_mask) {
    assert_error(run("{'op': 'gt', 'self': 'x', 'other': 1, 'out': 'k'}, {'op': 'getitem', 'self': "
                     "'x', 'index': ['k'], 'out': 'y'},"
                     "{'op': 'fill_', 'self': 'k', 'value': true}",
                     "'y'"),
                 AT_BACKWARD, "saved_modified");
    assert_ok(run("{'op': 'gt', 'self': 'x', 'other': 1, 'out': 'k'}, {'op': 'nonzero', 'self': "
                  "'k', 'out': 'n'}, {'op': 'select', 'self': 'n', 'dim': 1,"
                  "'index': 0, 'out': 'i'}, {'op': 'index_select', 'self': 'x', 'dim': 0, 'index': "
                  "'i', 'out': 'y'}, {'op': 'fill_', 'self': 'k', 'value': true}",
                  "'y'"));
}
END_TEST

START_TEST(unpacking_a_stale_view_raises_for_its_creation_first) {
    assert_error(run("{'op': 'mul', 'self': 'm', 'other': 2, 'out': 'b'}, {'op': 'unbind', 'self': "
                     "'b', 'out': ['a', 'c']},"
                     "{'op': 'mul', 'self': 'a', 'other': 'a', 'out': 'y'}, {'op': 'add_', 'self': "
                     "'b', 'other': 1}",
                     "'y'"),
                 AT_BACKWARD, "multi_view_inplace");
}
END_TEST

START_TEST(a_tensor_returned_twice_is_fed_twice_and_a_returned_leaf_once) {
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'y'}", "'y', 'y', 'x'");
    assert_ok(r);
    assert_grad(r, X, VALUES(7, 7, 7));
    ck_assert_int_eq(r->calls[0].returns[2].alias, ALIAS_INPUT);
    ck_assert_int_eq(r->calls[0].returns[1].alias, ALIAS_RETURN);
    assert_values(&r->calls[0].returns[2].grad, VALUES(7, 7, 7));
}
END_TEST

START_TEST(accumulators_obey_the_leaf_as_it_is_at_backward) {
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'requires_grad_', "
                    "'self': 'x', 'requires_grad': false}",
                    "'y'");
    assert_ok(r);
    assert_grad(r, X, NO_GRAD);
    assert_error(run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'detach_', "
                     "'self': 'x'}, {'op': 'mul_', 'self': 'x', 'other': 'm'}",
                     "'y'"),
                 2, "shape");
    assert_error(run("{'op': 'select', 'self': 'm', 'dim': 0, 'index': 0, 'out': 'r'}, {'op': "
                     "'mul', 'self': 'x', 'other': 2, 'out': 'y'},"
                     "{'op': 'detach_', 'self': 'x'}, {'op': 'add_', 'self': 'x', 'other': 'r'}",
                     "'y'"),
                 AT_BACKWARD, "invalid");
}
END_TEST

START_TEST(copy_slices_refuses_what_it_cannot_copy) {
    const char *inputs =
        "{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [1, 2, 3]},"
        "{'name': 'o', 'dtype': 'float32', 'size': [2, 3], 'stride': [0, 1], 'data': [1, 2, 3]},"
        "{'name': 's', 'dtype': 'float32', 'size': [3], 'storage_offset': 2, 'data': [1, 2, 3, 4, "
        "5]}";
    assert_error(run_with(inputs,
                          "{'op': 'select', 'self': 'o', 'dim': 0, 'index': 0, 'out': 'v'}, {'op': "
                          "'copy_', 'self': 'v', 'src': 'x'}",
                          "'o'", false),
                 AT_BACKWARD, "overlap");
    assert_error(run_with(inputs,
                          "{'op': 'as_strided', 'self': 's', 'size': [3], 'stride': [1], "
                          "'storage_offset': 0, 'out': 'v'},"
                          "{'op': 'copy_', 'self': 'v', 'src': 'x'}",
                          "'s'", false),
                 AT_BACKWARD, "invalid");
}
END_TEST

START_TEST(a_gradient_has_its_inputs_size_and_dtype) {
    const char *inputs =
        "{'name': 'x', 'dtype': 'float32', 'size': [1], 'requires_grad': true, 'data': [2]},"
        "{'name': 'd', 'dtype': 'float64', 'size': [2, 3], 'requires_grad': true, 'data': {'fill': "
        "'ones', 'seed': 0}}";
    Result *r =
        run_with(inputs, "{'op': 'mul', 'self': 'x', 'other': 'd', 'out': 'y'}", "'y'", false);
    assert_ok(r);
    ck_assert_int_eq(r->calls[0].inputs[0].grad.dtype, DT_float32);
    assert_grad(r, 0, VALUES(6));
    assert_grad(r, 1, VALUES(2, 2, 2, 2, 2, 2));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("backward");
    TCase *tests = tcase_create("semantics");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, saved_values_are_checked_by_version);
    tcase_add_test(tests, the_self_of_an_inplace_op_is_saved_as_a_copy);
    tcase_add_test(tests, a_mask_that_indexed_is_checked_as_the_mask);
    tcase_add_test(tests, unpacking_a_stale_view_raises_for_its_creation_first);
    tcase_add_test(tests, a_tensor_returned_twice_is_fed_twice_and_a_returned_leaf_once);
    tcase_add_test(tests, accumulators_obey_the_leaf_as_it_is_at_backward);
    tcase_add_test(tests, copy_slices_refuses_what_it_cannot_copy);
    tcase_add_test(tests, a_gradient_has_its_inputs_size_and_dtype);
    suite_add_tcase(suite, tests);
    return run_suite("reference/backward", suite);
}
