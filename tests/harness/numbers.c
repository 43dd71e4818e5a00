/* The rules by which numbers are equal: bits, error bounds of the float64 shadow, tolerances,
 * recordings, write-through checks. */
#include "tests/support/harness_case.h"

#include <math.h>

static Values floats(float *v, int n) {
    return (Values){.dtype = DT_float32, .ndim = 1, .size = {n}, .numel = n, .data = v};
}

START_TEST(bits_tell_signed_zeros_apart_but_not_nans) {
    float a[] = {1, 0.0f, NAN}, b[] = {1, -0.0f, -NAN};
    Values x = floats(a, 3), y = floats(b, 3);
    int64_t first;
    ck_assert(!compare_bits(&x, &y, &first));
    ck_assert_int_eq(first, 1);
    b[1] = 0.0f;
    ck_assert(compare_bits(&x, &y, &first));
}
END_TEST

START_TEST(a_bound_allows_four_times_itself) {
    float a[] = {1}, b[] = {1 + 0x1p-22f};
    double value[] = {1}, bound[] = {0x1p-24};
    Values x = floats(a, 1), y = floats(b, 1), s = floats(a, 1);
    s.value64 = value;
    s.bound = bound;
    int64_t first;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_SAME);
    b[0] = 1 + 0x1p-21f;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    bound[0] = 0; /* exact: bits */
    b[0] = 1 + 0x1p-23f;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    bound[0] = NAN;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
}
END_TEST

START_TEST(zeros_keep_their_sign_only_on_an_exact_path) {
    float a[] = {0.0f}, b[] = {-0.0f};
    double value[] = {0}, bound[] = {0};
    Values x = floats(a, 1), y = floats(b, 1), s = floats(a, 1);
    s.value64 = value;
    s.bound = bound;
    int64_t first;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    bound[0] = 1e-30;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_SAME);
}
END_TEST

START_TEST(nan_against_a_number_differs_and_overflow_may_go_either_way) {
    float a[] = {NAN}, b[] = {1};
    double value[] = {1}, bound[] = {1e-6};
    Values x = floats(a, 1), y = floats(b, 1), s = floats(a, 1);
    s.value64 = value;
    s.bound = bound;
    int64_t first;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    a[0] = INFINITY;
    b[0] = 3.4028234e38f;
    value[0] = 3.4028235e38;
    bound[0] = 2e31;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_SAME);
    b[0] = -3.4028234e38f;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    b[0] = 1e30f;
    value[0] = 1e30;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
}
END_TEST

START_TEST(a_float64_baseline_decides_what_a_bound_leaves_open) {
    float a[] = {1 + 0x1p-23f, 2}, b[] = {1.137f, 2};
    double value[] = {1, 2}, bound[] = {NAN, NAN};
    Values x = floats(a, 2), y = floats(b, 2), s = floats(a, 2);
    s.value64 = value;
    s.bound = bound;
    int64_t first = -1;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    ck_assert_int_eq(compare_baseline(&x, &y, &s, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 0);
    ck_assert_int_eq(compare_baseline(&y, &x, &s, &first), MATCH_INCONCLUSIVE); /* eager is off */
    b[0] = 1.0005f; /* not far enough away */
    ck_assert_int_eq(compare_baseline(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    b[0] = NAN;
    ck_assert_int_eq(compare_baseline(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
}
END_TEST

START_TEST(a_difference_beats_an_inconclusive_value_and_floats_without_bounds_are_inconclusive) {
    float a[] = {1, 1}, b[] = {2, 2};
    double value[] = {1, 1}, bound[] = {NAN, 1e-9};
    Values x = floats(a, 2), y = floats(b, 2), s = floats(a, 2);
    int64_t first;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    s.value64 = value;
    s.bound = bound;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 1);
}
END_TEST

START_TEST(integers_are_exact_unless_tainted) {
    int64_t a[] = {3}, b[] = {4};
    double value[] = {3}, bound[] = {NAN};
    Values x = {.dtype = DT_int64, .ndim = 1, .size = {1}, .numel = 1, .data = a}, y = x, s = x;
    y.data = b;
    int64_t first;
    ck_assert_int_eq(compare_bounded(&x, &y, NULL, &first), MATCH_DIFFERENT);
    s.value64 = value;
    s.bound = bound;
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
}
END_TEST

START_TEST(recordings_are_compared_by_their_own_rules) {
    float a[] = {0.0f, 1}, b[] = {-0.0f, 1};
    Values x = floats(a, 2), y = floats(b, 2);
    int64_t first;
    ck_assert(compare_recorded(&x, &y, false, &first));
    ck_assert(!compare_recorded(&x, &y, true, &first));
    b[1] = 1 + 1e-6f;
    ck_assert(!compare_recorded(&x, &y, false, &first));
    ck_assert(compare_tolerant(&x, &y, &first));
    b[1] = 1 + 1e-4f;
    ck_assert(!compare_tolerant(&x, &y, &first));
    a[1] = INFINITY;
    ck_assert(!compare_tolerant(&x, &y, &first));
    b[1] = INFINITY;
    ck_assert(compare_tolerant(&x, &y, &first));
}
END_TEST

/* One element is beyond the tolerance and explained by the bound, another the other way round. */
START_TEST(an_element_differs_by_the_tolerance_and_by_the_bound) {
    float a[] = {1, 0, 2}, b[] = {1.5f, -0.0f, 2 + 1e-6f};
    double bound[] = {1, 0, 0}, value[] = {1, 0, 2};
    Values x = floats(a, 3), y = floats(b, 3), s = x;
    s.bound = bound;
    s.value64 = value;
    int64_t first;
    ck_assert(!compare_tolerant(&x, &y, &first));
    ck_assert_int_eq(compare_bounded(&x, &y, &s, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(compare_intolerable(&x, &y, &s, &first), MATCH_SAME);
    b[2] = 2.001f;
    ck_assert_int_eq(compare_intolerable(&x, &y, &s, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 2);
    bound[2] = INFINITY;
    ck_assert_int_eq(compare_intolerable(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
}
END_TEST

/* Without a bound, what cancels has the error of what it was made of; a wrong element is far more.
 */
START_TEST(a_coarse_comparison_measures_by_the_size_of_the_tensor) {
    float a[] = {1, 0, 2, INFINITY}, b[] = {1, 5e-6f, 2, INFINITY};
    Values x = floats(a, 4), y = floats(b, 4);
    int64_t first;
    ck_assert_int_eq(compare_coarse(&x, &y, NULL, &first), MATCH_SAME);
    b[1] = 1.6e-5f;
    ck_assert(!compare_tolerant(&x, &y, &first));
    ck_assert_int_eq(compare_coarse(&x, &y, NULL, &first), MATCH_SAME);
    b[1] = 3e-5f;
    ck_assert_int_eq(compare_coarse(&x, &y, NULL, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 1);
    b[1] = 0;
    b[3] = 2;
    ck_assert_int_eq(compare_coarse(&x, &y, NULL, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 3);
}
END_TEST

START_TEST(a_coarse_comparison_is_open_where_rounding_decides_a_step) {
    float a[] = {2, 3, 4}, b[] = {1, 3, 4};
    double bound[] = {INFINITY, 0, 0}, value[] = {0, 0, 0};
    Values x = floats(a, 3), y = floats(b, 3), s = x;
    s.bound = bound;
    s.value64 = value;
    int64_t first;
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    ck_assert_int_eq(first, 0);
    b[2] = 5;
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(first, 2);
    bound[2] = 0.2; /* of another number: it was drawn */
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_DIFFERENT);
    bound[2] = 0.25; /* but by the same steps */
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    bound[1] = 0.25;
    bound[2] = 0;
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    bound[1] = 0;
    bound[2] = 0.5;
    value[2] = 4.5; /* of this one */
    ck_assert_int_eq(compare_coarse(&x, &y, &s, &first), MATCH_INCONCLUSIVE);
    ck_assert_int_eq(first, 0);
}
END_TEST

/* What a comparison of rounded numbers decides may be decided otherwise; what none decides may not.
 */
START_TEST(of_programs_with_random_numbers_a_bool_that_rounding_decides_is_open) {
    unsigned char a[] = {1, 0}, b[] = {1, 1};
    double value[] = {1, 0}, bound[] = {0, NAN};
    Values x = {.dtype = DT_bool, .ndim = 1, .size = {2}, .numel = 2, .data = a}, y = x, s = x;
    y.data = b;
    s.value64 = value;
    s.bound = bound;
    const Comparison cmp = {.rule = RULE_COARSE};
    int64_t first;
    ck_assert_int_eq(comparison_match(&cmp, &x, &y, &s, false, &first), MATCH_INCONCLUSIVE);
    ck_assert_int_eq(first, 1);
    bound[1] = 0;
    ck_assert_int_eq(comparison_match(&cmp, &x, &y, &s, false, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(comparison_match(&cmp, &x, &y, NULL, false, &first), MATCH_DIFFERENT);
    ck_assert_int_eq(comparison_match(&cmp, &x, &x, NULL, false, &first), MATCH_SAME);
}
END_TEST

START_TEST(a_write_through_check_forgives_rounding_but_not_aliasing) {
    float a[] = {1, 2}, b[] = {1.5f, 2}, pa[] = {1, 9}, pb[] = {1.5f, 9};
    Values x = floats(a, 2), y = floats(b, 2);
    int64_t first;
    ck_assert(
        compare_write_through(pa, &x, pb, &y, &first)); /* element 0 untouched on both sides */
    pb[0] = 9;
    ck_assert(!compare_write_through(pa, &x, pb, &y, &first));
    ck_assert_int_eq(first, 0);
}
END_TEST

START_TEST(numbers_that_are_none_have_one_name_each) {
    const double values[] = {-NAN, NAN, -INFINITY, INFINITY, 0.5};
    const char *const names[] = {"nan", "nan", "-inf", "inf", "0.5 (0x1p-1)"};
    for (int i = 0; i < COUNT_OF(values); i++) {
        char text[64];
        element_text(text, sizeof text, values, DT_float64, i);
        ck_assert_str_eq(text, names[i]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/numbers");
    TCase *tests = tcase_create("harness/numbers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_element_differs_by_the_tolerance_and_by_the_bound);
    tcase_add_test(tests, bits_tell_signed_zeros_apart_but_not_nans);
    tcase_add_test(tests, a_bound_allows_four_times_itself);
    tcase_add_test(tests, of_programs_with_random_numbers_a_bool_that_rounding_decides_is_open);
    tcase_add_test(tests, a_coarse_comparison_is_open_where_rounding_decides_a_step);
    tcase_add_test(tests, zeros_keep_their_sign_only_on_an_exact_path);
    tcase_add_test(tests, nan_against_a_number_differs_and_overflow_may_go_either_way);
    tcase_add_test(
        tests, a_difference_beats_an_inconclusive_value_and_floats_without_bounds_are_inconclusive);
    tcase_add_test(tests, a_float64_baseline_decides_what_a_bound_leaves_open);
    tcase_add_test(tests, integers_are_exact_unless_tainted);
    tcase_add_test(tests, recordings_are_compared_by_their_own_rules);
    tcase_add_test(tests, a_coarse_comparison_measures_by_the_size_of_the_tensor);
    tcase_add_test(tests, a_write_through_check_forgives_rounding_but_not_aliasing);
    tcase_add_test(tests, numbers_that_are_none_have_one_name_each);
    suite_add_tcase(suite, tests);
    return run_suite("harness/numbers", suite);
}
