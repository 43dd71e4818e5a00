/* What the reference calls unspecified: results of PyTorch that depend on nothing that a program
 * says (docs/guide/fidelity.md). */
#include "tests/support/reference_case.h"

static const char *unspecified_of(const char *body) {
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [16], 'requires_grad': true, 'data': [0, 3, "
        "'nan', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]},"
        "{'name': 'z', 'dtype': 'float32', 'size': [16], 'data': ['-0.0', 1, 3e38, 0, 0, 0, 0, 0, "
        "0, 0, 0, 0, 0, 0, 0, 0]},"
        "{'name': 's', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [0, '-0.0', "
        "'nan']},"
        "{'name': 'i', 'dtype': 'int64', 'size': [18], 'data': {'fill': 'zeros', 'seed': 0}}";
    Result *r = run_under(inputs, body, "'y'",
                          (RunOptions){.detect_unspecified = true}); /* with a backward */
    assert_ok(r);
    ck_assert_int_eq(r->nundefined, 0);
    return r->unspecified;
}

/* Is the run unspecified that returns y, without an error? */
static bool is_unspecified(const char *inputs, const char *body) {
    Result *r = run_under(inputs, body, "'y'", (RunOptions){.detect_unspecified = true});
    assert_ok(r);
    return r->unspecified != NULL;
}

START_TEST(unspecified_behaviour_is_detected_from_the_operand_values) {
    following = SEMANTICS_1_13;
    static const char *const detect_unspecified[] = {
        "{'op': 'hardswish', 'self': 'x', 'out': 'y'}",
        "{'op': 'hardswish', 'self': 'z', 'out': 'y'}",
        "{'op': 'elu', 'self': 'x', 'out': 'y'}",
        "{'op': 'log1p', 'self': 'z', 'out': 'y'}",
        "{'op': 'maximum', 'self': 'x', 'other': 'z', 'out': 'y'}",
        "{'op': 'remainder', 'self': 'z', 'other': 0.5, 'out': 'y'}",
        "{'op': 'isin', 'elements': 'x', 'test_elements': 'i', 'out': 'y'}",
        ("{'op': 'as_strided_scatter', 'self': 'x', 'src': 'z', 'size': [16], 'stride': [1], "
         "'out': "
         "'y'}")};
    for (int k = 0; k < COUNT_OF(detect_unspecified); k++) {
        ck_assert_msg(unspecified_of(detect_unspecified[k]) != NULL, "%s", detect_unspecified[k]);
    }
    static const char *const meant[] = {
        "{'op': 'hardswish', 'self': 's', 'out': 'y'}",
        "{'op': 'log1p', 'self': 'x', 'out': 'y'}",
        "{'op': 'maximum', 'self': 'x', 'other': 'x', 'out': 'y'}",
        "{'op': 'remainder', 'self': 'x', 'other': 0.5, 'out': 'y'}",
        "{'op': 'elu', 'self': 's', 'out': 'y'}",
        "{'op': 'amax', 'self': 's', 'out': 'y'}",
        "{'op': 'argsort', 'self': 'i', 'out': 'y'}",
        ("{'op': 'as_strided_scatter', 'self': 'z', 'src': 'x', 'size': [16], 'stride': [1], "
         "'out': "
         "'y'}")};
    for (int k = 0; k < COUNT_OF(meant); k++) {
        ck_assert_msg(unspecified_of(meant[k]) == NULL, "%s", meant[k]);
    }
    following = SEMANTICS_NONE;
}
END_TEST

/* 65536 and 2^24 are both infinite in float16, in which isin sorts them. */
/* torch.utils.checkpoint stops the recomputation when the noise is saved, before it is drawn. */
START_TEST(rrelu_under_checkpoint_is_unspecified_where_it_saves_its_noise) {
    static const char input[] = "{'name': 'x', 'dtype': 'float32', 'size': [2], 'requires_grad': "
                                "true, 'data': [1, -1]}";
    static const struct {
        const char *body;
        bool is;
    } cases[] = {
        {"{'with': 'checkpoint', 'body': [{'op': 'rrelu', 'self': 'x', 'lower': 0.25, 'upper': "
         "0.25, 'training': true, 'out': 'y'}]}",
         true},
        {"{'with': 'checkpoint', 'body': [{'op': 'rrelu', 'self': 'x', 'out': 'y'}]}", false},
        {"{'with': 'checkpoint', 'use_reentrant': true, 'body': [{'op': 'rrelu', 'self': 'x', "
         "'lower': 0.25, 'upper': 0.25, 'training': true, 'out': 'y'}]}",
         false},
        {"{'op': 'rrelu', 'self': 'x', 'lower': 0.25, 'upper': 0.25, 'training': true, 'out': "
         "'y'}",
         false},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_msg(is_unspecified(input, cases[i].body) == cases[i].is, "%d", i);
    }
}
END_TEST

START_TEST(isin_of_elements_that_are_equal_in_the_common_dtype_is_unspecified) {
    static const char *const dtypes[] = {"float16", "float32"};
    for (int k = 0; k < COUNT_OF(dtypes); k++) {
        char inputs[300];
        snprintf(inputs, sizeof inputs,
                 "{'name': 'x', 'dtype': 'int64', 'size': [4], 'data': [65536, 0, 0, 16777216]}, "
                 "{'name': 'z', 'dtype': '%s', 'size': [64], 'data': {'fill': 'zeros', 'seed': 0}}",
                 dtypes[k]);
        ck_assert_int_eq(
            is_unspecified(inputs,
                           "{'op': 'isin', 'elements': 'x', 'test_elements': 'z', 'out': 'y'}"),
            k == 0);
    }
}
END_TEST

/* PyTorch's CPU kernel returns self.alias(), which autograd takes for new memory: a write to one
 * does not raise the version of the other. */
START_TEST(channel_shuffle_of_a_tensor_without_elements_is_unspecified) {
    static const char *const sizes[] = {"1, 2, 0", "1, 2, 1"};
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        char inputs[200];
        snprintf(
            inputs, sizeof inputs,
            "{'name': 'x', 'dtype': 'float32', 'size': [%s], 'data': {'fill': 'ones', 'seed': 0}}",
            sizes[k]);
        ck_assert_int_eq(
            is_unspecified(inputs,
                           "{'op': 'channel_shuffle', 'self': 'x', 'groups': 2, 'out': 'y'}"),
            k == 0);
    }
}
END_TEST

/* The gradient by the base has a stride of 0 where there is nothing to step over, that by the
 * exponent has not: PyTorch's buffer keeps the first one's strides if nothing else holds it. */
START_TEST(strides_of_a_sum_of_gradients_that_may_be_made_in_place_are_unspecified) {
    static const char *const exponents[] = {"x", "e"};
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [0, 1], 'requires_grad': true, 'data': {'fill': "
        "'ones', 'seed': 0}},"
        "{'name': 'e', 'dtype': 'float32', 'size': [0, 1], 'requires_grad': true, 'data': {'fill': "
        "'ones', 'seed': 0}}";
    for (int k = 0; k < COUNT_OF(exponents); k++) {
        char body[300];
        snprintf(body, sizeof body,
                 "{'op': 'pow', 'self': 'x', 'exponent': '%s', 'out': 'y'}, {'op': 'grad', "
                 "'outputs': ['y'], 'inputs': ['x'], 'grad_outputs': ['y'], 'retain_graph': true, "
                 "'out': ['z']}",
                 exponents[k]);
        ck_assert_int_eq(is_unspecified(inputs, body), k == 0);
    }
}
END_TEST

/* The sizes of the bags: four of them, in memory of five. */
START_TEST(what_lies_behind_the_result_of_an_op_with_long_memory_is_unspecified) {
    static const char *const bodies[] = {
        "{'op': 'embedding_bag', 'weight': 'w', 'indices': 'i', 'offsets': 'o', "
        "'mode': 1, 'include_last_offset': true, 'out': ['bags', 'of', 'sizes', 'max']},"
        "{'op': 'as_strided', 'self': 'sizes', 'size': [5], 'stride': [1], 'out': 'z'}",
        "{'op': 'as_strided', 'self': 'w', 'size': [5], 'stride': [1], 'out': 'z'}"};
    static const char inputs[] =
        "{'name': 'w', 'dtype': 'float32', 'size': [2, 2], 'data': [0, 1, 2, 3]},"
        "{'name': 'i', 'dtype': 'int64', 'size': [6], 'data': {'fill': 'zeros', 'seed': 0}},"
        "{'name': 'o', 'dtype': 'int64', 'size': [5], 'data': [0, 0, 0, 0, 6]}";
    for (int k = 0; k < COUNT_OF(bodies); k++) {
        Result *r = run_under(inputs, bodies[k], "", (RunOptions){.detect_unspecified = true});
        ck_assert_str_eq(errcode_name(r->calls[0].error), "invalid");
        ck_assert_int_eq(r->unspecified != NULL, k == 0);
    }
}
END_TEST

START_TEST(lcm_of_the_least_integer_is_unspecified_for_types_that_trap) {
    static const char *const dtypes[] = {"int64", "int32", "int16"};
    for (int k = 0; k < COUNT_OF(dtypes); k++) {
        char inputs[300];
        snprintf(inputs, sizeof inputs,
                 "{'name': 'x', 'dtype': '%s', 'size': [12], 'data': {'fill': 'special', 'seed': "
                 "3}}",
                 dtypes[k]);
        Result *r = run_under(inputs, "{'op': 'lcm', 'self': 'x', 'other': 'x', 'out': 'y'}", "'y'",
                              (RunOptions){.detect_unspecified = true});
        assert_ok(r);
        ck_assert_msg((r->unspecified != NULL) == (k < 2), "%s", dtypes[k]);
    }
}
END_TEST

START_TEST(the_sign_of_a_zero_product_of_one_term_is_unspecified_since_2_8) {
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [1, 1, 2], 'data': [0, 1]},"
        "{'name': 'w', 'dtype': 'float32', 'size': [2, 1, 1], 'data': [1, -1]},"
        "{'name': 'p', 'dtype': 'float32', 'size': [2, 1, 1], 'data': [1, 2]},"
        "{'name': 'k', 'dtype': 'float32', 'size': [1, 1, 2], 'data': [1, -1]},"
        "{'name': 'c', 'dtype': 'float32', 'size': [2, 1], 'data': [0, 1]},"
        "{'name': 'n', 'dtype': 'float32', 'size': [2, 1], 'data': [0, -1]},"
        "{'name': 'u', 'dtype': 'float32', 'size': [1, 2], 'data': [2, 1]},"
        "{'name': 'r', 'dtype': 'float32', 'size': [1, 2], 'data': [-1, 1]}";
    static const struct {
        const char *body;
        bool unspecified;
    } cases[] = {
        {"{'op': 'conv1d', 'input': 'x', 'weight': 'w', 'out': 'y'}", true},
        {"{'op': 'mm', 'self': 'c', 'mat2': 'r', 'out': 'y'}", true},
        {"{'op': 'addmm', 'self': 'c', 'mat1': 'c', 'mat2': 'r', 'out': 'y'}", true},
        {"{'op': 'conv1d', 'input': 'x', 'weight': 'p', 'out': 'y'}", false},
        {"{'op': 'conv1d', 'input': 'x', 'weight': 'k', 'out': 'y'}", false},
        {"{'op': 'mm', 'self': 'r', 'mat2': 'c', 'out': 'y'}", false},
        {"{'op': 'mm', 'self': 'n', 'mat2': 'u', 'out': 'y'}", false},
    };
    for (int old = 0; old < 2; old++) {
        following = old ? SEMANTICS_1_13 : SEMANTICS_2_15;
        for (int k = 0; k < COUNT_OF(cases); k++) {
            Result *r =
                run_under(inputs, cases[k].body, "'y'", (RunOptions){.detect_unspecified = true});
            assert_ok(r);
            ck_assert_msg((r->unspecified != NULL) == (cases[k].unspecified && !old), "%s",
                          cases[k].body);
        }
    }
    following = SEMANTICS_NONE;
}
END_TEST

START_TEST(a_zero_tensor_is_unspecified_only_where_it_differs_from_zeros) {
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [2], 'requires_grad': true, 'data': [0, 4]}";
#define SLOPE                                                                                      \
    "{'op': 'sqrt', 'self': 'x', 'out': 'r'}, {'op': 'exp', 'self': 'x', 'out': 'e'},"             \
    "{'op': 'abs', 'self': '%s', 'out': 'a'}, {'op': 'sum', 'self': 'a', 'out': 'b'},"             \
    "{'op': 'grad', 'outputs': ['b'], 'inputs': ['%s'], 'create_graph': true, 'out': ['g']},"      \
    "{'op': 'sin', 'self': 'g', 'out': 'y'}%s"
    static const struct {
        const char *of, *then;
        bool unspecified;
    } cases[] = {
        {"x", "", false},
        {"e", "", false}, /* times exp(x) */
        {"r", "", true},  /* by 2 * sqrt(0) */
        {"x",
         ", {'op': 'grad', 'outputs': ['y'], 'inputs': ['x'], 'grad_outputs': ['x'], "
         "'retain_graph': "
         "true, 'out': ['h']}",
         true},
        {"x", /* x.grad is one, to which the second backward adds */
         ", {'op': 'backward', 'tensors': ['y'], 'grad_tensors': ['x'], 'retain_graph': true}",
         true},
    };
    for (int k = 0; k < COUNT_OF(cases); k++) {
        char body[600];
        snprintf(body, sizeof body, SLOPE, cases[k].of, cases[k].of, cases[k].then);
        Result *r = run_under(inputs, body, "'y'", (RunOptions){.detect_unspecified = true});
        assert_ok(r);
        ck_assert_msg((r->unspecified != NULL) == cases[k].unspecified, "%s", body);
    }
#undef SLOPE
}
END_TEST

START_TEST(a_product_of_several_zeros_is_not_differentiated_twice) {
    static const char *const src[] = {"[0, 0]", "[0, 1]"};
    for (int k = 0; k < COUNT_OF(src); k++) {
        char inputs[400];
        snprintf(inputs, sizeof inputs,
                 "{'name': 'x', 'dtype': 'float32', 'size': [1], 'data': [2]},"
                 "{'name': 's', 'dtype': 'float32', 'size': [2], 'requires_grad': true, 'data': "
                 "%s}, {'name': 'i', 'dtype': 'int64', 'size': [2], 'data': [0, 0]}",
                 src[k]);
        Result *r = run_under(
            inputs,
            "{'op': 'scatter_reduce', 'self': 'x', 'dim': 0, 'index': 'i', 'src': 's', 'reduce': "
            "'prod', 'out': 'p'}, {'op': 'grad', 'outputs': ['p'], 'inputs': ['s'], "
            "'grad_outputs': ['x'], 'create_graph': true, 'out': ['y']}",
            "'y'", (RunOptions){.detect_unspecified = true});
        assert_ok(r);
        ck_assert_int_eq(r->unspecified != NULL, k == 0);
    }
}
END_TEST

START_TEST(what_few_elements_cannot_show_is_specified) {
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [1, 1, "
        "'nan']},"
        "{'name': 'm', 'dtype': 'float32', 'size': [16], 'data': {'fill': 'zeros', 'seed': 0}},"
        "{'name': 'w', 'dtype': 'float32', 'size': [16], 'data': {'fill': 'arange', 'seed': 0}},"
        "{'name': 'b', 'dtype': 'float32', 'size': [2], 'data': ['inf', 3e38]},"
        "{'name': 'h', 'dtype': 'float64', 'size': [2], 'data': [1e308, -1e308]},"
        "{'name': 'v', 'dtype': 'float64', 'size': [8], 'data': [3.4e38, 1, 1, 1, 1, 1, 1, 1]},"
        "{'name': 'zp', 'dtype': 'float32', 'size': [16], 'data': [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
        "1, 1, 1, 1, 1, 1]},"
        "{'name': 'zm', 'dtype': 'float32', 'size': [1], 'data': ['-0.0']},"
        "{'name': 'zn', 'dtype': 'float32', 'size': [16], 'data': [1, '-0.0', 1, 1, 1, 1, 1, 1, 1, "
        "1, 1, 1, 1, 1, 1, 1]},"
        "{'name': 'e', 'dtype': 'float16', 'size': [2], 'requires_grad': true, 'data': [1, 2]},"
        "{'name': 'r', 'dtype': 'float32', 'size': [16], 'requires_grad': true, 'data': {'fill': "
        "'zeros', 'seed': 0}}";
    static const struct {
        const char *body;
        bool unspecified;
    } cases[] = {
        {"{'op': 'isin', 'elements': 'x', 'test_elements': 'x', 'assume_unique': true, 'out': "
         "'y'}",
         false},
        {"{'op': 'isin', 'elements': 'w', 'test_elements': 'w', 'assume_unique': true, 'out': "
         "'y'}",
         false},
        {"{'op': 'isin', 'elements': 'm', 'test_elements': 'w', 'assume_unique': true, 'out': "
         "'y'}",
         true},
        {"{'op': 'var_mean', 'self': 'b', 'out': ['v', 'y']}", false},
        {"{'op': 'var_mean', 'self': 'h', 'out': ['v', 'y']}", true},
        {"{'op': 'float_power', 'self': 'v', 'exponent': 8, 'out': 'y'}", true},
        {"{'op': 'float_power', 'self': 'v', 'exponent': 2, 'out': 'y'}", false},
        {"{'op': 'special_xlog1py', 'self': -70000, 'other': 'e', 'out': 'y'}", true},
        {"{'op': 'special_xlog1py', 'self': -7000, 'other': 'e', 'out': 'y'}", false},
        {"{'op': 'trapezoid', 'y': 'e', 'dx': 70000.0, 'out': 'y'}", true},
        {"{'op': 'trapezoid', 'y': 'e', 'dx': 7000.0, 'out': 'y'}", false},
        {"{'op': 'cumulative_trapezoid', 'y': 'e', 'dx': 140000.0, 'out': 'y'}", true},
        {"{'op': 'cumulative_trapezoid', 'y': 'e', 'dx': 70000.0, 'out': 'y'}", false},
        {"{'op': 'maximum', 'self': 'zp', 'other': 'zm', 'out': 'y'}", true},
        {"{'op': 'maximum', 'self': 'zp', 'other': 'zn', 'out': 'y'}", false},
        {"{'op': 'hardshrink', 'self': 'x', 'out': 'y'}", false},
        {"{'op': 'hardshrink', 'self': 'r', 'lambd': {'float': 'nan'}, 'out': 'y'}", true},
    };
    for (int k = 0; k < COUNT_OF(cases); k++) {
        Result *r =
            run_under(inputs, cases[k].body, "'y'", (RunOptions){.detect_unspecified = true});
        assert_ok(r);
        ck_assert_msg((r->unspecified != NULL) == cases[k].unspecified, "%s", cases[k].body);
    }
}
END_TEST

/* elu_backward_kernel in aten/src/ATen/native/cpu/Activation.cpp: 3 * 1.0507 is 3.15625 in
 * bfloat16; 3 times the scale as a bfloat16 is 3.140625. */
START_TEST(the_gradient_of_selu_of_a_half_is_computed_in_float32) {
    Result *r = run_under("{'name': 'x', 'dtype': 'bfloat16', 'size': [1], 'requires_grad': true, "
                          "'data': [1]}, {'name': 'g', 'dtype': 'bfloat16', 'size': [1], 'data': "
                          "[3]}",
                          "{'op': 'selu', 'self': 'x', 'out': 'y'},"
                          "{'op': 'grad', 'outputs': ['y'], 'inputs': ['x'], 'grad_outputs': "
                          "['g'], 'out': ['d']}",
                          "'d'", (RunOptions){0});
    assert_ok(r);
    assert_values(&r->calls[0].returns[0].values, VALUES(3.15625));
}
END_TEST

/* Of the operands only those that a needed gradient reads are saved. */
START_TEST(partial_products_of_bilinear_are_looked_for_in_what_is_saved) {
    static const char *const tangent[] = {"[1, 1]", "[1, 3e38]"};
    for (int huge = 0; huge < 2; huge++) {
        const char *inputs = arena_printf(
            &arena,
            "{'name': 'a', 'dtype': 'float32', 'size': [1, 2], 'requires_grad': true, 'data': [1, "
            "2]}, {'name': 'b', 'dtype': 'float32', 'size': [1, 2], 'data': [3, 4]}, {'name': 'w', "
            "'dtype': 'float32', 'size': [2, 2, 2], 'data': {'fill': 'ones', 'seed': 0}}, {'name': "
            "'g', 'dtype': 'float32', 'size': [1, 2], 'data': %s}",
            tangent[huge]);
        Result *r = run_under(inputs,
                              "{'op': 'bilinear', 'input1': 'a', 'input2': 'b', 'weight': 'w', "
                              "'out': 'y'}, {'op': 'grad', 'outputs': ['y'], 'inputs': ['a'], "
                              "'grad_outputs': ['g'], 'out': ['d']}",
                              "'d'", (RunOptions){.detect_unspecified = true});
        assert_ok(r);
        ck_assert_int_eq(r->unspecified != NULL, huge);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("unspecified");
    TCase *tests = tcase_create("unspecified");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, rrelu_under_checkpoint_is_unspecified_where_it_saves_its_noise);
    tcase_add_test(tests, isin_of_elements_that_are_equal_in_the_common_dtype_is_unspecified);
    tcase_add_test(tests, channel_shuffle_of_a_tensor_without_elements_is_unspecified);
    tcase_add_test(tests, strides_of_a_sum_of_gradients_that_may_be_made_in_place_are_unspecified);
    tcase_add_test(tests, what_lies_behind_the_result_of_an_op_with_long_memory_is_unspecified);
    tcase_add_test(tests, unspecified_behaviour_is_detected_from_the_operand_values);
    tcase_add_test(tests, lcm_of_the_least_integer_is_unspecified_for_types_that_trap);
    tcase_add_test(tests, the_sign_of_a_zero_product_of_one_term_is_unspecified_since_2_8);
    tcase_add_test(tests, a_zero_tensor_is_unspecified_only_where_it_differs_from_zeros);
    tcase_add_test(tests, a_product_of_several_zeros_is_not_differentiated_twice);
    tcase_add_test(tests, what_few_elements_cannot_show_is_specified);
    tcase_add_test(tests, the_gradient_of_selu_of_a_half_is_computed_in_float32);
    tcase_add_test(tests, partial_products_of_bilinear_are_looked_for_in_what_is_saved);
    suite_add_tcase(suite, tests);
    return run_suite("reference/unspecified", suite);
}
