/* Random numbers, one claim a test (docs/reference/format.md, "Random numbers"), on both executors.
 *
 * Programs are written with ' for ". The input x is float32, ones, and requires grad. */
#include "compiled/core/compile.h"
#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/quoted.h"

#include <math.h>
#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

/* x of `size`; `more` are further members of the program. */
static Program *program_of(const char *size, const char *body, const char *returns,
                           const char *more) {
    return parse_quoted(
        &arena,
        arena_printf(&arena,
                     "{'twingrad': 2, 'inputs': [{'name': 'x', 'dtype': 'float32', 'size': %s, "
                     "'requires_grad': true, 'data': {'fill': 'ones'}}], 'body': [%s], "
                     "'return': [%s], 'backward': {'fill': 'ones'}%s}",
                     size, body, returns, more));
}

static Result *run_on(int executor, const Program *p) {
    RunOptions options = {.limits = LIMITS_DEFAULT, .semantics = SEMANTICS_DEFAULT};
    CompileOptions compile = {.fault = FAULT_NONE};
    return executor == 0 ? reference_run(p, &options, &arena)
                         : compiled_run(p, &compile, &options, NULL, &arena);
}

static double at(const Values *v, int64_t i) { return element_double(v->data, v->dtype, i); }
static const Values *returned(const Result *r, int call, int k) {
    ck_assert(r->calls[call].ok);
    return &r->calls[call].returns[k].values;
}

static bool same_values(const Values *a, const Values *b) {
    bool same = a->numel == b->numel;
    for (int64_t i = 0; i < a->numel && same; i++) {
        same = at(a, i) == at(b, i);
    }
    return same;
}

#define RAND(out) "{'op': 'rand_like', 'self': 'x', 'out': '" out "'}"
#define DROPOUT "{'op': 'dropout', 'input': 'x', 'p': 0.75, 'train': true, 'out': 'y'}"

/* The first published vector: counter 0, key 0. */
START_TEST(the_first_number_of_seed_0_is_the_published_one) {
    const Result *r = run_on(_i, program_of("[2]", RAND("a"), "'a'", ", 'seed': 0"));
    ck_assert_double_eq(at(returned(r, 0, 0), 0), 0x6627e8.0p-24);
}
END_TEST

START_TEST(a_seed_gives_its_numbers_and_another_seed_others) {
    const char *seeds[] = {", 'seed': 7", ", 'seed': 7", ", 'seed': 8", ", 'seed': 4294967303"};
    const Values *v[4];
    for (int k = 0; k < 4; k++) {
        v[k] = returned(run_on(_i, program_of("[8]", RAND("a"), "'a'", seeds[k])), 0, 0);
    }
    ck_assert(same_values(v[0], v[1]));
    ck_assert(!same_values(v[0], v[2]));
    ck_assert(!same_values(v[0], v[3]));
}
END_TEST

START_TEST(a_call_has_the_seed_of_the_one_before_plus_1) {
    const Result *r =
        run_on(_i, program_of("[8]", RAND("a"), "'a'", ", 'seed': 7, 'recalls': [{'keep': true}]"));
    const Result *next = run_on(_i, program_of("[8]", RAND("a"), "'a'", ", 'seed': 8"));
    ck_assert(same_values(returned(r, 1, 0), returned(next, 0, 0)));
    ck_assert(!same_values(returned(r, 0, 0), returned(r, 1, 0)));
}
END_TEST

START_TEST(each_op_has_numbers_of_its_own_whether_or_not_another_is_used) {
    const Result *both =
        run_on(_i, program_of("[8]", RAND("a") "," RAND("b"), "'a', 'b'", ", 'seed': 7"));
    const Result *dead =
        run_on(_i, program_of("[8]", RAND("a") "," RAND("b"), "'b'", ", 'seed': 7"));
    ck_assert(!same_values(returned(both, 0, 0), returned(both, 0, 1)));
    ck_assert(same_values(returned(both, 0, 1), returned(dead, 0, 0)));
}
END_TEST

START_TEST(numbers_do_not_depend_on_the_layout) {
    const Result *r =
        run_on(_i, program_of("[3, 4]",
                              "{'op': 'transpose', 'self': 'x', 'dim0': 0, 'dim1': 1, 'out': 't'},"
                              "{'op': 'rand_like', 'self': 't', 'out': 'a'}",
                              "'a'", ", 'seed': 7"));
    const Result *plain = run_on(_i, program_of("[4, 3]", RAND("a"), "'a'", ", 'seed': 7"));
    ck_assert_int_eq(r->calls[0].returns[0].stride[0], 1);
    ck_assert(same_values(returned(r, 0, 0), returned(plain, 0, 0)));
}
END_TEST

/* The second program multiplies a matrix, so that the compiled executor draws the mask again. */
START_TEST(the_gradient_of_dropout_has_the_mask_of_its_value) {
    static const char *const more[] = {"", ",{'op': 'mul', 'self': 'y', 'other': 1, 'out': 'u'},"
                                           "{'op': 'zeros_like', 'self': 'y', 'out': 'o'},"
                                           "{'op': 'add', 'self': 'o', 'other': 1, 'out': 'o'},"
                                           "{'op': 'mm', 'self': 'y', 'mat2': 'o', 'out': 'z'}"};
    for (int k = 0; k < 2; k++) {
        const char *returns = k == 0 ? "'y'" : "'z', 'y'";
        const Result *r =
            run_on(_i, program_of("[8, 8]", arena_printf(&arena, "%s%s", DROPOUT, more[k]), returns,
                                  ", 'seed': 7"));
        const Values *y = returned(r, 0, k), *grad = &r->calls[0].inputs[0].grad;
        int kept = 0;
        for (int64_t i = 0; i < y->numel; i++) {
            ck_assert(at(y, i) == 0 || at(y, i) == 4); /* 1 / (1 - p) */
            ck_assert_double_eq(at(grad, i), (k == 0 ? 1 : 9) * at(y, i));
            kept += at(y, i) != 0;
        }
        ck_assert(kept > 0 && kept < 40);
    }
}
END_TEST

/* Of ones: what is kept is a + b and has the gradient a, what is dropped is b - alpha * a. */
START_TEST(alpha_dropout_keeps_mean_and_variance) {
    static const char *const ops[] = {"alpha_dropout", "feature_alpha_dropout"};
    for (int k = 0; k < 2; k++) {
        const char *op = arena_printf(
            &arena, "{'op': '%s', 'input': 'x', 'p': 0.75, 'train': true, 'out': 'y'}", ops[k]);
        const Result *r = run_on(_i, program_of("[8, 8]", op, "'y'", ", 'seed': 7"));
        const Values *y = returned(r, 0, 0), *grad = &r->calls[0].inputs[0].grad;
        const double alpha = 1.7580993408473766, p = 0.75,
                     a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p)), b = alpha * a * p;
        int kept = 0;
        for (int64_t i = 0; i < y->numel; i++) {
            bool keeps = at(grad, i) != 0;
            ck_assert_double_eq_tol(at(grad, i), keeps ? a : 0, 1e-5);
            ck_assert_double_eq_tol(at(y, i), keeps ? a + b : b - alpha * a, 1e-5);
            kept += keeps;
        }
        ck_assert(kept > 0 && kept < 40);
    }
}
END_TEST

START_TEST(native_dropout_returns_the_mask_that_it_saves) {
    const Result *r =
        run_on(_i, program_of("[8, 8]",
                              "{'op': 'native_dropout', 'input': 'x', 'p': 0.75, 'train': true, "
                              "'out': ['y', 'm']}",
                              "'y', 'm'", ", 'seed': 7"));
    const Values *y = returned(r, 0, 0), *mask = returned(r, 0, 1),
                 *grad = &r->calls[0].inputs[0].grad;
    int kept = 0;
    for (int64_t i = 0; i < y->numel; i++) {
        ck_assert_double_eq(at(y, i), 4 * at(mask, i));
        ck_assert_double_eq(at(grad, i), 4 * at(mask, i));
        kept += at(mask, i) != 0;
    }
    ck_assert(kept > 0 && kept < 40);
}
END_TEST

typedef struct Distribution {
    const char *statement;
    double mean, variance, fourth; /* fourth: the fourth central moment */
} Distribution;

static const Distribution DISTRIBUTIONS[] = {
    {RAND("a"), 0.5, 1.0 / 12, 1.0 / 80},
    {"{'op': 'randn_like', 'self': 'x', 'out': 'a'}", 0, 1, 3},
    {"{'op': 'randint_like', 'self': 'x', 'low': -2, 'high': 8, 'out': 'a'}", 2.5, 8.25, 120.8625},
    {"{'op': 'detach', 'self': 'x', 'out': 'd'},{'op': 'bernoulli', 'self': 'd', 'p': 0.25, 'out': "
     "'a'}",
     0.25, 0.1875, 0.08203125},
    {"{'op': 'zeros_like', 'self': 'x', 'out': 'a'},"
     "{'op': 'uniform_', 'self': 'a', 'from': -1, 'to': 3}",
     1, 4.0 / 3, 3.2},
    {"{'op': 'zeros_like', 'self': 'x', 'out': 'a'},"
     "{'op': 'normal_', 'self': 'a', 'mean': 3, 'std': 2}",
     3, 4, 48},
    {"{'op': 'zeros_like', 'self': 'x', 'out': 'a'},"
     "{'op': 'exponential_', 'self': 'a', 'lambd': 2}",
     0.5, 0.25, 0.5625},
};

START_TEST(means_and_variances_are_those_of_the_distribution) {
    enum { N = 100000 };
    const Distribution *d = &DISTRIBUTIONS[_i / 2];
    const Values *v =
        returned(run_on(_i % 2, program_of("[100000]", d->statement, "'a'", ", 'seed': 20")), 0, 0);
    double sum = 0, second = 0;
    for (int64_t i = 0; i < N; i++) {
        sum += at(v, i);
        second += (at(v, i) - d->mean) * (at(v, i) - d->mean);
    }
    double deviation = sqrt(d->variance / N),
           deviation_of_second = sqrt((d->fourth - d->variance * d->variance) / N);
    ck_assert_double_le(fabs(sum / N - d->mean), 6 * deviation);
    ck_assert_double_le(fabs(second / N - d->variance), 6 * deviation_of_second);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("random");
    TCase *t = tcase_create("random");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_first_number_of_seed_0_is_the_published_one, 0, 2);
    tcase_add_loop_test(t, a_seed_gives_its_numbers_and_another_seed_others, 0, 2);
    tcase_add_loop_test(t, a_call_has_the_seed_of_the_one_before_plus_1, 0, 2);
    tcase_add_loop_test(t, each_op_has_numbers_of_its_own_whether_or_not_another_is_used, 0, 2);
    tcase_add_loop_test(t, numbers_do_not_depend_on_the_layout, 0, 2);
    tcase_add_loop_test(t, the_gradient_of_dropout_has_the_mask_of_its_value, 0, 2);
    tcase_add_loop_test(t, alpha_dropout_keeps_mean_and_variance, 0, 2);
    tcase_add_loop_test(t, native_dropout_returns_the_mask_that_it_saves, 0, 2);
    tcase_add_loop_test(t, means_and_variances_are_those_of_the_distribution, 0,
                        2 * COUNT_OF(DISTRIBUTIONS));
    suite_add_tcase(suite, t);
    return run_suite("harness/random", suite);
}
