/* The float64 shadow of the reference: bounds that hold, inconclusive where a choice lies within
 * them, and no result that it changes. */
#include "tests/support/reference_case.h"

START_TEST(exact_arithmetic_has_bound_zero_and_rounding_has_not) {
    Result *r = run_with(INPUTS,
                         "{'op': 'mul', 'self': 'x', 'other': 'p', 'out': 'a'}, {'op': 'sum', "
                         "'self': 'm', 'out': 'b'},"
                         "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'c'}, {'op': 'mm', 'self': "
                         "'m', 'mat2': 'n', 'out': 'd'}",
                         "'a', 'b', 'c'", true);
    assert_error(r, 3, "invalid");
    r = run_with(INPUTS,
                 "{'op': 'mul', 'self': 'x', 'other': 'p', 'out': 'a'}, {'op': 'sum', 'self': 'm', "
                 "'out': 'b'},"
                 "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'c'}",
                 "'a', 'b', 'c'", true);
    assert_ok(r);
    ck_assert_double_eq(r->calls[0].returns[0].values.bound[2], 0);
    ck_assert_double_eq(r->calls[0].returns[1].values.bound[0], 0);
    const Values *c = &r->calls[0].returns[2].values;
    ck_assert_double_eq(c->value64[0], 1.0 / 3.0);
    ck_assert(c->bound[0] >= fabs(1.0 / 3.0 - (double)(1.0f / 3.0f)) && c->bound[0] < 1e-6);
    ck_assert_double_eq(c->bound[2], 0);
}
END_TEST

/* Near the smallest double no residual tells it: 5 times half of that number, a third of it, the
 * root of twice that number, a product that is 0. */
START_TEST(what_is_rounded_to_a_subnormal_number_is_not_exact) {
    static const char inputs[] =
        "{'name': 'i', 'dtype': 'int64', 'size': [4], 'data': [5, 6, 1, 2]},"
        "{'name': 'h', 'dtype': 'float64', 'size': [], 'data': [0.5]},"
        "{'name': 't', 'dtype': 'float64', 'size': [], 'data': [1e-200]}";
    Result *r = run_with(
        inputs,
        "{'op': 'view', 'self': 'i', 'dtype': 'float64', 'out': 'x'},"
        "{'op': 'mul', 'self': 'x', 'other': 'h', 'out': 'a'},"
        "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'b'}, {'op': 'sqrt', 'self': 'x', "
        "'out': 'c'}, {'op': 'mul', 'self': 't', 'other': 't', 'out': 'd'}, {'op': 'addcmul', "
        "'self': 'x', 'tensor1': 'h', 'tensor2': 'x', 'out': 'e'},"
        "{'op': 'mul', 'self': 'x', 'other': 4503599627370496, 'out': 'f'},"
        "{'op': 'div', 'self': 'x', 'other': 2, 'out': 'g'}",
        "'a', 'b', 'c', 'd', 'e', 'f', 'g'", true);
    static const char exact[7][5] = {"0101", "0100", "0010", "0", "0101", "1111", "0101"};
    assert_ok(r);
    for (int i = 0; i < COUNT_OF(exact); i++) {
        const Values *v = &r->calls[0].returns[i].values;
        for (int64_t k = 0; exact[i][k]; k++) {
            ck_assert_msg((v->bound[k] == 0) == (exact[i][k] == '1'), "%d %d", i, (int)k);
        }
    }
}
END_TEST

START_TEST(discrete_choices_within_the_bound_are_inconclusive) {
    Result *r = run_with(INPUTS,
                         "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'c'}, {'op': 'mul', "
                         "'self': 'c', 'other': 3, 'out': 'y'},"
                         "{'op': 'floor', 'self': 'y', 'out': 'f'}, {'op': 'gt', 'self': 'y', "
                         "'other': 2.5, 'out': 'g'}, {'op': 'frac', 'self': 'y', 'out': 'r'}",
                         "'f', 'g', 'r'", true);
    assert_ok(r);
    ck_assert(isnan(r->calls[0].returns[0].values.bound[0])); /* 3 * (1/3) may be just below 1 */
    ck_assert(isnan(r->calls[0].returns[2].values.bound[0]));
    ck_assert_double_eq(r->calls[0].returns[1].values.bound[0], 0);
    ck_assert(!r->sizes_inconclusive && !r->refusal_inconclusive); /* no op asks for them */
}
END_TEST

/* What comes after the element in its row does not hide it. */
START_TEST(a_row_with_an_inconclusive_element_is_normalized_inconclusively) {
    Result *r = run_with(INPUTS,
                         "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'c'}, {'op': 'mul', "
                         "'self': 'c', 'other': 3, 'out': 'y'}, {'op': 'floor', 'self': 'y', "
                         "'out': 'f'}, {'op': 'layer_norm', 'input': 'f', 'normalized_shape': [3], "
                         "'out': 'n'}",
                         "'n'", true);
    assert_ok(r);
    ck_assert(isnan(r->calls[0].returns[0].values.bound[2]));
}
END_TEST

START_TEST(a_function_near_the_least_normal_number_may_be_0) {
    Result *r = run_with(INPUTS,
                         "{'op': 'mul', 'self': 'x', 'other': 1.2e-38, 'out': 'y'}, {'op': 'erf', "
                         "'self': 'y', 'out': 'e'}",
                         "'e'", true);
    assert_ok(r);
    const Values *e = &r->calls[0].returns[0].values;
    ck_assert(e->value64[0] != 0);
    ck_assert_double_ge(e->bound[0], fabs(e->value64[0]));
}
END_TEST

/* cdf(x) + x pdf(x) cancels there; a vectorized erf has an absolute error of 1.5e-7. */
START_TEST(the_slope_of_gelu_near_its_zero_is_bounded_by_its_terms) {
    Result *r = run_with("{'name': 'x', 'dtype': 'float32', 'size': [1], 'requires_grad': true, "
                         "'data': [-0.7518]}",
                         "{'op': 'gelu', 'self': 'x', 'out': 'y'}, {'op': 'grad', 'outputs': "
                         "['y'], 'inputs': ['x'], 'create_graph': true, 'out': ['g']}",
                         "'g'", true);
    assert_ok(r);
    const Values *g = &r->calls[0].returns[0].values;
    ck_assert(fabs(g->value64[0]) < 1e-4);
    ck_assert(g->bound[0] > 0.75e-7 && g->bound[0] < 1e-6);
}
END_TEST

/* exp(x + b) is exp(b) times exp(x), not 1 + b times. */
START_TEST(bounds_pass_softmax_as_exponents) {
    Result *r = run_with(INPUTS,
                         "{'op': 'div', 'self': 'x', 'other': 3, 'out': 'c'}, {'op': 'mul', "
                         "'self': 'c', 'other': 100000000, 'out': 'y'}, {'op': 'softmax', 'self': "
                         "'y', 'dim': 0, 'out': 's'}",
                         "'y', 's'", true);
    assert_ok(r);
    const double *bound = r->calls[0].returns[0].values.bound;
    double worst = fmax(fmax(bound[0], bound[1]), bound[2]);
    const Values *s = &r->calls[0].returns[1].values;
    ck_assert(worst > 1 && worst < 100);
    ck_assert_double_ge(s->bound[2], s->value64[2] * expm1(2 * worst) * 0.99);
}
END_TEST

/* 3 * (1 / 3) may be just below 1, and 0 as an integer then. */
START_TEST(a_sum_as_integers_within_the_bound_is_inconclusive) {
    Result *r = run_with(INPUTS,
                         "{'op': 'detach', 'self': 'x', 'out': 'd'}, {'op': 'div', 'self': 'd', "
                         "'other': 3, 'out': 'c'}, {'op': 'mul', "
                         "'self': 'c', 'other': 3, 'out': 'y'}, {'op': 'add', 'self': 'y', "
                         "'other': 0.5, 'out': 'h'},"
                         "{'op': 'sum', 'self': 'y', 'dtype': 'int64', 'out': 's'}, {'op': 'sum', "
                         "'self': 'h', 'dtype': 'int64', 'out': 'm'}",
                         "'s', 'm'", true);
    assert_ok(r);
    ck_assert(isnan(r->calls[0].returns[0].values.bound[0]));
    ck_assert_double_eq(r->calls[0].returns[1].values.bound[0], 0);
}
END_TEST

/* In bfloat16 1.375 + 0.48 + 0.139 is 1.9921875 rounded once and 2 rounded at each step, as PyTorch
 * does: both ends of its interval differ from 2. */
START_TEST(a_single_number_within_the_bound_is_inconclusive) {
    Result *r =
        run_with("{'name': 'x', 'dtype': 'bfloat16', 'size': [], 'data': [1.375]}, {'name': 'i', "
                 "'dtype': 'int64', 'size': [4], 'data': [0, 0, 0, 0]},"
                 "{'name': 's', 'dtype': 'bfloat16', 'size': [4], 'data': [0, 0.48, 0, 0.139]}",
                 "{'op': 'scatter_add', 'self': 'x', 'dim': 0, 'index': 'i', 'src': 's', 'out': "
                 "'v'}, {'op': 'ne', 'self': 'v', 'other': 2, 'out': 'n'},"
                 "{'op': 'eq', 'self': 'v', 'other': 3, 'out': 'e'}, {'op': 'sub', 'self': 'v', "
                 "'other': 2, 'out': 'z'},"
                 "{'op': 'logical_not', 'self': 'z', 'out': 't'}, {'op': 'logical_not', 'self': "
                 "'v', 'out': 'f'}",
                 "'n', 'e', 't', 'f'", true);
    assert_ok(r);
    bool inconclusive[] = {true, false, true, false};
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(isnan(r->calls[0].returns[k].values.bound[0]) != 0, inconclusive[k]);
    }
}
END_TEST

START_TEST(the_shadow_changes_no_result) {
    const char *body = "{'op': 'exp', 'self': 'm', 'out': 'e'}, {'op': 'softmax', 'self': 'e', "
                       "'dim': 1, 'out': 's'}, {'op': 'cumsum', 'self': 's', 'dim': 0, 'out': 'y'}";
    Result *plain = run(body, "'y'"), *shadow = run_with(INPUTS, body, "'y'", true);
    assert_ok(plain);
    const Values *a = &plain->calls[0].returns[0].values, *b = &shadow->calls[0].returns[0].values;
    ck_assert_int_eq(memcmp(a->data, b->data, (size_t)a->numel * sizeof(float)), 0);
    for (int64_t i = 0; i < b->numel; i++) {
        ck_assert(fabs(element_double(b->data, b->dtype, i) - b->value64[i]) <= b->bound[i]);
    }
}
END_TEST

/* Two values that are 0 but for roundings: 0 comes out of first order alone, and the product of the
 * two roundings does not. */
START_TEST(the_product_of_two_bounds_counts) {
    Result *r = run_with("{'name': 'x', 'dtype': 'float32', 'size': [], 'data': [0.1]}",
                         "{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'a'}, {'op': 'sub', "
                         "'self': 'a', 'other': 'x', 'alpha': 3, 'out': 'z'},"
                         "{'op': 'mul', 'self': 'z', 'other': 'z', 'out': 'p'}, {'op': 'addcmul', "
                         "'self': 'z', 'tensor1': 'z', 'tensor2': 'z', 'out': 'q'}",
                         "'z', 'p', 'q'", true);
    assert_ok(r);
    const ReturnRecord *record = r->calls[0].returns;
    double z = record[0].values.bound[0];
    ck_assert_double_eq(record[0].values.value64[0], 0);
    ck_assert(z > 0 && record[1].values.bound[0] >= z * z &&
              record[2].values.bound[0] >= z + z * z);
}
END_TEST

/* 2.5 times pi, in float16: 7.8516 with the number in float16, 7.8555 with it in float32. */
START_TEST(the_rounding_of_a_number_counts_in_a_half_product) {
    static const char inputs[] = "{'name': 'h', 'dtype': 'float16', 'size': [1], 'data': [2.5]}";
    for (int old = 0; old < 2; old++) {
        following = old ? SEMANTICS_1_13 : SEMANTICS_2_15;
        Result *r =
            run_with(inputs, "{'op': 'mul', 'self': 'h', 'other': 3.141592653589793, 'out': 'y'}",
                     "'y'", true);
        assert_ok(r);
        const Values *y = &r->calls[0].returns[0].values;
        ck_assert_int_eq(fabs(y->value64[0] - 7.85546875) <= y->bound[0], !old);
    }
    following = SEMANTICS_NONE;
}
END_TEST

/* PyTorch has one node for all tensors of a list, and adds their gradients list by list. */
START_TEST(a_sum_of_gradients_of_a_list_is_as_exact_as_in_any_order) {
    static const char *const forms[] = {
        "{'op': '_foreach_mul', 'self': ['x', 'x'], 'other': ['x', 'x'], 'out': ['a', 'b']}",
        "{'op': 'mul', 'self': 'x', 'other': 'x', 'out': 'a'}, {'op': 'mul', 'self': 'x', 'other': "
        "'x', 'out': 'b'}"};
    for (int list = 0; list < 2; list++) {
        Result *r = run_with("{'name': 'x', 'dtype': 'bfloat16', 'size': [1], 'requires_grad': "
                             "true, 'data': [2]}",
                             arena_printf(&arena,
                                          "%s, {'op': 'grad', 'outputs': ['a', 'b'], 'inputs': "
                                          "['x'], 'grad_outputs': ['x', 'x'], 'out': ['g']}",
                                          forms[list]),
                             "'g'", true);
        assert_ok(r);
        const Values *g = &r->calls[0].returns[0].values;
        ck_assert_double_eq(g->value64[0], 16);
        ck_assert_int_eq(g->bound[0] >= 0x1p-8 * 16, list == 0);
        ck_assert_int_eq(g->bound[0] == 0, list == 1);
    }
}
END_TEST

/* 300 * 300 is infinite in float16 and 90,000 in float32; 1 / (300 * 300) is 0 or not. An infinity
 * beside it changes nothing, and the pole logit(1) is infinite in both. */
START_TEST(an_overflow_in_float16_is_open_beside_an_executor_that_fuses) {
    const char *inputs = "{'name': 'x', 'dtype': 'float16', 'size': [3], 'data': [300, 2, 'inf']}, "
                         "{'name': 'i', 'dtype': 'float16', 'size': [1], 'data': ['inf']}, "
                         "{'name': 'o', 'dtype': 'float16', 'size': [1], 'data': [1]}",
               *body = "{'op': 'mul', 'self': 'x', 'other': 'x', 'out': 's'}, {'op': 'reciprocal', "
                       "'self': 's', 'out': 'r'}, {'op': 'reciprocal', 'self': 'i', 'out': 'z'}, "
                       "{'op': 'neg', 'self': 'i', 'out': 'n'}, {'op': 'logit', 'self': 'o', "
                       "'out': 'l'}";
    for (int fused = 0; fused < 2; fused++) {
        Result *r = run_under(inputs, body, "'r', 'z', 'n', 'l'",
                              (RunOptions){.shadow = true, .fused = fused != 0});
        assert_ok(r);
        const Values *v = &r->calls[0].returns[0].values;
        ck_assert_int_eq(isnan(v->bound[0]), fused);
        ck_assert_double_eq(v->value64[1], 0.25);
        ck_assert(!isnan(v->bound[1]));
        ck_assert(!isnan(v->bound[2]));
        ck_assert(!isnan(r->calls[0].returns[1].values.bound[0])); /* the operand is infinite */
        ck_assert(!isnan(r->calls[0].returns[2].values.bound[0]));
        ck_assert_double_eq(r->calls[0].returns[3].values.value64[0], INFINITY);
        ck_assert(!isnan(r->calls[0].returns[3].values.bound[0]));
    }
}
END_TEST

/* max(0, -0) is either; 1 over it is an infinity of either sign. max(0, 0) and max(-1, 0) are
 * exact. */
START_TEST(the_sign_of_a_picked_zero_is_open_beside_an_executor_that_fuses) {
    const char *inputs = "{'name': 'x', 'dtype': 'float32', 'size': [4], 'data': [0, -0.0, -1, 3]}",
               *body = "{'op': 'clamp_min', 'self': 'x', 'min': {'float': '-0.0'}, 'out': 'v'}, "
                       "{'op': 'reciprocal', 'self': 'v', 'out': 'r'}";
    for (int fused = 0; fused < 2; fused++) {
        Result *r =
            run_under(inputs, body, "'v', 'r'", (RunOptions){.shadow = true, .fused = fused != 0});
        assert_ok(r);
        const double *bound = r->calls[0].returns[0].values.bound;
        ck_assert_int_eq(bound[0] > 0, fused);
        for (int i = 1; i < 4; i++) {
            ck_assert(bound[i] == 0);
        }
        ck_assert_int_eq(isnan(r->calls[0].returns[1].values.bound[0]), fused);
    }
}
END_TEST

static Result *run_in_context(const char *context, const char *op, bool shadow) {
    return run_with(INPUTS, arena_printf(&arena, "{'with': '%s', 'body': [%s]}", context, op),
                    "'x'", shadow);
}

/* A target runs it; what rounding may do to it is known, since the context changes no value. */
START_TEST(contexts_that_keep_the_values_of_a_block_are_seen_through_by_the_shadow_only) {
    static const char *const keep[] = {"functional_call",      "unbacked",
                                       "nested_region",        "disabled",
                                       "selective_checkpoint", "saved_tensors_hooks",
                                       "function_mode"},
                             *const copy[] = {"vmap", "vmap_last_dim", "item"},
                             *const change[] = {"jvp", "adam", "complex", "module_modes"};
    static const char reads[] = "{'op': 'neg', 'self': 'x', 'out': 'y'}",
                      writes[] = "{'op': 'mul_', 'self': 'p', 'other': 2}";
    for (int i = 0; i < COUNT_OF(keep); i++) {
        assert_ok(run_in_context(keep[i], reads, true));
        assert_ok(run_in_context(keep[i], writes, true));
        assert_error(run_in_context(keep[i], reads, false), 0, "unsupported");
    }
    for (int i = 0; i < COUNT_OF(copy); i++) {
        assert_ok(run_in_context(copy[i], reads, true));
        assert_error(run_in_context(copy[i], writes, true), 0, "unsupported");
    }
    for (int i = 0; i < COUNT_OF(change); i++) {
        assert_error(run_in_context(change[i], writes, true), 0, "unsupported");
        assert_error(run_in_context(change[i], reads, false), 0, "unsupported");
    }
}
END_TEST

/* What depends on their results is open; the rest is known. */
START_TEST(contexts_that_change_the_values_of_a_block_leave_the_others_known) {
    static const char *const change[] = {"jvp", "adam", "complex", "module_modes"};
    for (int i = 0; i < COUNT_OF(change); i++) {
        Result *r = run_with(INPUTS,
                             arena_printf(&arena,
                                          "{'with': '%s', 'body': [{'op': 'neg', 'self': 'x', "
                                          "'out': 'y'}]}, {'op': 'abs', 'self': 'y', 'out': 'z'}, "
                                          "{'op': 'abs', 'self': 'x', 'out': 'w'}",
                                          change[i]),
                             "'y', 'z', 'w'", true);
        assert_ok(r);
        ck_assert(isnan(r->calls[0].returns[0].values.bound[0]));
        ck_assert(isnan(r->calls[0].returns[1].values.bound[0]));
        ck_assert_double_eq(r->calls[0].returns[2].values.bound[0], 0);
        ck_assert(!r->sizes_inconclusive && !r->refusal_inconclusive);
        r = run_with(INPUTS,
                     arena_printf(&arena,
                                  "{'with': '%s', 'body': [{'op': 'neg', 'self': 'x', 'out': "
                                  "'y'}]}, {'op': 'sum', 'self': 'y', 'out': 'z'}, {'op': 'grad', "
                                  "'outputs': ['z'], 'inputs': ['x'], 'out': ['g']}",
                                  change[i]),
                     "'g'", true);
        assert_error(r, 0, "unsupported");
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shadow");
    TCase *tests = tcase_create("bounds");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, exact_arithmetic_has_bound_zero_and_rounding_has_not);
    tcase_add_test(tests, what_is_rounded_to_a_subnormal_number_is_not_exact);
    tcase_add_test(tests, discrete_choices_within_the_bound_are_inconclusive);
    tcase_add_test(tests, a_row_with_an_inconclusive_element_is_normalized_inconclusively);
    tcase_add_test(tests, the_slope_of_gelu_near_its_zero_is_bounded_by_its_terms);
    tcase_add_test(tests, bounds_pass_softmax_as_exponents);
    tcase_add_test(tests, a_function_near_the_least_normal_number_may_be_0);
    tcase_add_test(tests, a_sum_as_integers_within_the_bound_is_inconclusive);
    tcase_add_test(tests, a_single_number_within_the_bound_is_inconclusive);
    tcase_add_test(tests, the_shadow_changes_no_result);
    tcase_add_test(tests, the_product_of_two_bounds_counts);
    tcase_add_test(tests, the_rounding_of_a_number_counts_in_a_half_product);
    tcase_add_test(tests, a_sum_of_gradients_of_a_list_is_as_exact_as_in_any_order);
    tcase_add_test(tests, an_overflow_in_float16_is_open_beside_an_executor_that_fuses);
    tcase_add_test(tests, the_sign_of_a_picked_zero_is_open_beside_an_executor_that_fuses);
    tcase_add_test(tests,
                   contexts_that_keep_the_values_of_a_block_are_seen_through_by_the_shadow_only);
    tcase_add_test(tests, contexts_that_change_the_values_of_a_block_leave_the_others_known);
    suite_add_tcase(suite, tests);
    return run_suite("reference/shadow", suite);
}
