/* Detection power (harness/power): statistics against published and independently computed numbers,
 * and what is read back from trials.jsonl. */
#include "harness/power/power.h"
#include "tests/support/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_median_is_the_middle_and_censored_if_half_of_the_times_are) {
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, half[] = {1, INFINITY, 2, INFINITY},
           few[] = {1, INFINITY, 2};
    ck_assert_double_eq(statistics_median(odd, 3), 3);
    ck_assert_double_eq(statistics_median(even, 4), 2.5);
    ck_assert(isinf(statistics_median(half, 4)));
    ck_assert_double_eq(statistics_median(few, 3), 2);
}
END_TEST

/* p-values: scipy.stats.mannwhitneyu(a, b, method="asymptotic") */
START_TEST(rank_statistics_are_those_of_scipy) {
    static const double a[] = {1, 2, 3, 4, 5}, b[] = {3, 4, 5, 6, 7};
    static const double low[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                        high[] = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    ck_assert_double_eq_tol(statistics_mann_whitney(a, 5, b, 5), 0.11384629800665805, 1e-12);
    ck_assert_double_eq_tol(statistics_mann_whitney(b, 5, a, 5), 0.11384629800665805, 1e-12);
    ck_assert_double_eq_tol(statistics_mann_whitney(low, 10, high, 10), 0.00018267179110955002,
                            1e-12);
    ck_assert_double_eq(statistics_a12(a, 5, b, 5), 0.82);
    ck_assert_double_eq(statistics_a12(low, 10, high, 10), 1);
}
END_TEST

START_TEST(censored_times_are_equal_and_longer_than_all_others) {
    static const double never[] = {INFINITY, INFINITY, INFINITY}, some[] = {1, 2, INFINITY};
    ck_assert_double_eq(statistics_a12(never, 3, never, 3), 0.5);
    ck_assert_double_eq(statistics_mann_whitney(never, 3, never, 3), 1);
    ck_assert_double_eq_tol(statistics_a12(some, 3, never, 3), 7.5 / 9, 1e-12);
}
END_TEST

/* The first group of Freireich et al. (1963), remission in weeks, as every textbook has it. */
START_TEST(kaplan_and_meier_agree_with_the_textbook) {
    static const double weeks[] = {6,  6,  6,  6,  7,  9,  10, 10, 11, 13, 16,
                                   17, 19, 20, 22, 23, 25, 32, 32, 34, 35};
    static const bool relapse[] = {true,  true,  true,  false, true,  false, true,
                                   false, false, true,  true,  false, false, false,
                                   true,  true,  false, false, false, false, false};
    static const double at[] = {6, 7, 10, 13, 16, 22, 23},
                        survival[] = {0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482};
    double time[21], share[21];
    ck_assert_int_eq(statistics_kaplan_meier(weeks, relapse, 21, time, share), 7);
    for (int i = 0; i < 7; i++) {
        ck_assert_double_eq(time[i], at[i]);
        ck_assert_double_eq_tol(1 - share[i], survival[i], 5e-5);
    }
}
END_TEST

START_TEST(a_trial_comes_back_from_its_line) {
    Arena arena = ARENA_EMPTY;
    Text line = {.arena = &arena};
    const PowerTrial t = {.fault = "GR-1",
                          .number = 7,
                          .canaries = true,
                          .reached = {3, 0.25},
                          .detected = {90, 0.5},
                          .programs = 90,
                          .seconds = 0.5,
                          .oracle = "values",
                          .fired = 5};
    power_print_trial(&t, &line);
    PowerTrial back;
    ck_assert(power_read_trial(line.v, line.n - 1, &back));
    ck_assert_str_eq(back.fault, "GR-1");
    ck_assert_int_eq(back.number, 7);
    ck_assert(back.canaries && !back.died);
    ck_assert_int_eq(back.reached.programs, 3);
    ck_assert_int_eq(back.triggered.programs, 0);
    ck_assert_int_eq(back.detected.programs, 90);
    ck_assert_double_eq(back.detected.seconds, 0.5);
    ck_assert_str_eq(back.oracle, "values");
    ck_assert_uint_eq(back.fired, 5);
    ck_assert(!power_read_trial("{\"type\":\"other\"}", 16, &back));
    ck_assert(!power_read_trial("{\"type", 6, &back));
    arena_destroy(&arena);
}
END_TEST

START_TEST(a_row_counts_what_died_and_what_was_not_found) {
    Arena arena = ARENA_EMPTY;
    PowerTrial trials[] = {
        {.fault = "GR-1",
         .canaries = true,
         .reached = {1, 0.1},
         .triggered = {2, 0.2},
         .detected = {2, 0.2},
         .oracle = "gradients"},
        {.fault = "GR-1",
         .number = 1,
         .canaries = true,
         .reached = {3, 0.1},
         .triggered = {4, 0.2},
         .programs = 100,
         .seconds = 9},
        {.fault = "GR-1", .number = 2, .died = true},
        {.fault = "GU-2",
         .canaries = true,
         .reached = {1, 0.1},
         .triggered = {1, 0.1},
         .detected = {1, 0.1},
         .oracle = "flags"},
    };
    const PowerRun run = {"some", 3, 9, trials, COUNT_OF(trials)};
    FaultPower *row;
    ck_assert_int_eq(power_rows(&run, &arena, &row), 2);
    ck_assert_str_eq(row[0].fault, "GR-1");
    ck_assert_int_eq(row[0].trials, 3);
    ck_assert_int_eq(row[0].found, 1);
    ck_assert_int_eq(row[0].triggered, 2);
    ck_assert_int_eq(row[0].died, 1);
    ck_assert(isinf(row[0].programs) && isinf(row[0].slowest));
    ck_assert_str_eq(row[0].oracles, "gradients 1");
    PowerSummary s = power_summary(&run, row, 2, &arena);
    ck_assert_int_eq(s.reliable, 1);
    ck_assert_int_eq(s.sometimes, 2);
    ck_assert_int_eq(s.undetected, 1);
    ck_assert_int_eq(s.died, 1);
    arena_destroy(&arena);
}
END_TEST

START_TEST(a_finding_without_the_canary_does_not_offset_a_fault_that_was_missed) {
    Arena arena = ARENA_EMPTY;
    Text table = {.arena = &arena}, json = {.arena = &arena};
    PowerTrial trials[] = {
        {.fault = "GR-1",
         .number = 4,
         .canaries = true,
         .reached = {1, 0.1},
         .triggered = {2, 0.2}},
        {.fault = "GR-1", .number = 5, .canaries = true, .detected = {7, 0.3}, .oracle = "flags"},
        {.fault = "GR-1", .number = 6, .detected = {7, 0.3}, .oracle = "flags"}, /* of an engine */
    };
    const PowerRun run = {"some", 3, 9, trials, COUNT_OF(trials)};
    FaultPower *row;
    ck_assert_int_eq(power_rows(&run, &arena, &row), 1);
    PowerSummary s = power_summary(&run, row, 1, &arena);
    ck_assert_int_eq(s.undetected, 1);
    ck_assert_int_eq(s.untriggered, 1);
    power_table(&run, &arena, &table);
    ck_assert_ptr_nonnull(
        strstr(table.v, "\n1 trials triggered the fault and did not detect it\n"));
    ck_assert_ptr_nonnull(
        strstr(table.v, "\n1 trials ended in a finding and did not trigger the fault: GR-1 5\n"));
    power_json(&run, &arena, &json);
    ck_assert_ptr_nonnull(strstr(json.v, ",\"triggered\":1,\"detected_untriggered\":1,"));
    ck_assert_ptr_nonnull(
        strstr(json.v, ",\"triggered_and_missed\":1,\"detected_untriggered\":1,"));
    arena_destroy(&arena);
}
END_TEST

/* Budgets of 60 and 10 seconds: what is found after 40 is not faster than what was stopped at 10.
 */
START_TEST(a_run_and_itself_with_a_smaller_budget_have_no_fault_faster_or_slower) {
    enum { N = 10 };
    Arena arena = ARENA_EMPTY;
    Text table = {.arena = &arena}, json = {.arena = &arena};
    PowerTrial whole[N], cut[N];
    for (int i = 0; i < N; i++) {
        whole[i] = (PowerTrial){.fault = "GR-1", .number = i, .canaries = true};
        whole[i].detected = whole[i].triggered = (Moment){1000 * (i + 1), 4.0 * (i + 1)};
        cut[i] = whole[i];
        cut[i].detected = i < 2 ? whole[i].detected : (Moment){0, 0};
    }
    const PowerRun long_run = {"long", N, 60, whole, N}, short_run = {"short", N, 10, cut, N};
    for (int side = 0; side < 2; side++) {
        const PowerRun *a = side ? &short_run : &long_run, *b = side ? &long_run : &short_run;
        table.n = json.n = 0;
        power_compare_table(a, b, &arena, &table);
        power_compare_json(a, b, &arena, &json);
        ck_assert_ptr_nonnull(strstr(table.v, "1 faults: A is faster for 0, slower for 0 "));
        ck_assert_ptr_nonnull(
            strstr(table.v, ": what took longer than 10 counts as not found in both\n"));
        ck_assert_ptr_nonnull(strstr(json.v, "\"found_a\":2,\"trials_a\":10,\"found_b\":2,"));
        ck_assert_ptr_nonnull(strstr(json.v, ",\"ratio\":1,\"a12\":0.5,\"p\":1}"));
        ck_assert_ptr_nonnull(strstr(json.v, ",\"budget\":10,"));
    }
    arena_destroy(&arena);
}
END_TEST

START_TEST(a_comparison_leaves_out_trials_that_another_finding_has_ended) {
    Arena arena = ARENA_EMPTY;
    Text table = {.arena = &arena}, json = {.arena = &arena};
    PowerTrial trials[] = {
        {.fault = "GR-1", .canaries = true, .triggered = {5, 4}, .detected = {5, 4}},
        {.fault = "GR-1", .number = 1, .canaries = true, .detected = {2, 1}},
        {.fault = "GR-1", .number = 2, .detected = {9, 8}}, /* of an engine: no canaries */
    };
    const PowerRun a = {"a", 3, 60, trials, 3}, b = {"b", 3, 60, trials, 1};
    power_compare_table(&a, &b, &arena, &table);
    power_compare_json(&a, &b, &arena, &json);
    ck_assert_ptr_nonnull(strstr(table.v, "\nleft out: 1 trials of A and 0 of B, "));
    ck_assert_ptr_nonnull(strstr(json.v, ",\"found_a\":2,\"trials_a\":2,\"found_b\":1,"));
    ck_assert_ptr_nonnull(strstr(json.v, ",\"seconds_a\":6,\"seconds_b\":4,"));
    ck_assert_ptr_nonnull(strstr(json.v, ",\"left_out_a\":1,\"left_out_b\":0,"));
    arena_destroy(&arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/power");
    TCase *tests = tcase_create("harness/power");
    tcase_add_test(tests, a_median_is_the_middle_and_censored_if_half_of_the_times_are);
    tcase_add_test(tests, rank_statistics_are_those_of_scipy);
    tcase_add_test(tests, censored_times_are_equal_and_longer_than_all_others);
    tcase_add_test(tests, kaplan_and_meier_agree_with_the_textbook);
    tcase_add_test(tests, a_trial_comes_back_from_its_line);
    tcase_add_test(tests, a_row_counts_what_died_and_what_was_not_found);
    tcase_add_test(tests, a_finding_without_the_canary_does_not_offset_a_fault_that_was_missed);
    tcase_add_test(tests, a_run_and_itself_with_a_smaller_budget_have_no_fault_faster_or_slower);
    tcase_add_test(tests, a_comparison_leaves_out_trials_that_another_finding_has_ended);
    suite_add_tcase(suite, tests);
    return run_suite("harness/power", suite);
}
