/* Rules over layouts and over pairs of dtypes, where promotion decides what the operands are: each
 * small graph gives, with the rules and with all passes, the bits that the shared kernels give
 * without. */
#include "tests/support/rule_graphs.h"
#include "tests/support/runner.h"

/* What a rule makes of a graph shows in the op that reads it: its sign of zero, its storage, its
 * dtype. */
#define READ(name, op, expression) GRAPH(name, U(op, expression))

/* Stores y's elements 4, 5, 6 into a copy of x and reads three elements from `read_at` on. */
static Node *stored_then_read(Case *k, Node *x, Node *y, int64_t read_at) {
    return U(neg, line(k, stored(k, U(clone, x), line(k, y, 3, 1, 4), 3, 1, 2), 3, 1, read_at));
}
static Node *stored_twice(Case *k, Node *x, Node *y) {
    return U(neg, stored(k, stored(k, U(clone, x), line(k, y, 3, 1, 4), 3, 2, 1),
                         line(k, y, 3, 1, 1), 3, 2, 1));
}
static Node *stored_back(Case *k, Node *x) {
    Node *base = U(exp, x);
    return U(neg, stored(k, base, line(k, base, 3, 2, 1), 3, 2, 1));
}

READ(clone, neg, U(clone, x))
READ(cast_back, neg, cast(k, cast(k, x, DT_float64), DT_float32))
READ(cast_narrow, abs, cast(k, cast(k, x, DT_bool), DT_float32))
READ(neg_neg, exp, U(neg, U(neg, x)))
READ(relu_relu, exp, U(relu, U(relu, x)))
READ(round_round, exp, U(round, U(round, x)))
READ(sign_sign, exp, U(sign, U(sign, x)))
READ(abs_neg, abs, U(neg, x))
READ(square_neg, square, U(neg, x))
READ(square_abs, square, U(abs, x))
READ(mul_one, neg, S(mul_Scalar, x, I(1)))
READ(mul_ones, neg, B(mul_Tensor, case_full(k, x, I(1)), x))
READ(div_one, reciprocal, S(div_Scalar, x, I(1)))
READ(add_zero, reciprocal, S(add_Scalar, x, I(0)))
READ(add_minus_zero, reciprocal, S(add_Scalar, x, F(-0.0)))
READ(sub_zero, reciprocal, S(sub_Scalar, x, I(0)))
READ(sub_minus_zero, reciprocal, S(sub_Scalar, x, F(-0.0)))
READ(pow_one, reciprocal, S(pow_Tensor_Scalar, x, I(1)))
READ(where_same, neg, WHERE(B(lt_Tensor, x, y), x, x))
READ(where_true, neg, WHERE(splat(k, x, DT_bool, scalar_bool(true)), x, y))
READ(where_false, neg, WHERE(splat(k, x, DT_bool, scalar_bool(false)), x, y))
READ(masked_none, neg, masked(k, x, splat(k, x, DT_bool, scalar_bool(false)), I(3)))
READ(maximum_same, reciprocal, B(maximum, x, x))
READ(fmin_same, reciprocal, B(fmin, x, x))
READ(add_neg, reciprocal, B(add_Tensor, x, U(neg, y)))
READ(sub_neg, reciprocal, B(sub_Tensor, x, U(neg, y)))
READ(mul_negs, reciprocal, B(mul_Tensor, U(neg, x), U(neg, y)))
READ(div_negs, reciprocal, B(div_Tensor, U(neg, x), U(neg, y)))
READ(not_not, clone, U(logical_not, U(logical_not, B(lt_Tensor, x, y))))
READ(flip_flip, neg, LIST(flip, LIST(flip, x, 1), 1))
GRAPH(store_forward, stored_then_read(k, x, y, 2))
GRAPH(store_past, stored_then_read(k, x, y, 5))
GRAPH(store_overlap, stored_then_read(k, x, y, 3))
GRAPH(store_dead, stored_twice(k, x, y))
GRAPH(store_same, stored_back(k, x))

/* How many steps the rules take before the one in question (the clone that a store begins with
 * goes), whether that one comes, and which pairs of dtypes the graph is for. */
static const struct {
    const char *name;
    RuleGraph build;
    bool fires;
    int before;
    enum { ANY_PAIR, SAME_PAIR, FLOAT_ONLY } pairs;
} graphs[] = {
#define ROW_OF(name, fires, before, pairs) {#name, name, fires, before, pairs},
    ROW_OF(clone, true, 0, ANY_PAIR) ROW_OF(cast_back, true, 0, FLOAT_ONLY)
        ROW_OF(cast_narrow, false, 0, FLOAT_ONLY) ROW_OF(neg_neg, true, 0, ANY_PAIR) ROW_OF(
            relu_relu, true, 0, ANY_PAIR) ROW_OF(round_round, true, 0, ANY_PAIR)
            ROW_OF(sign_sign, true, 0, ANY_PAIR) ROW_OF(abs_neg, true, 0, ANY_PAIR) ROW_OF(
                square_neg, true, 0, ANY_PAIR) ROW_OF(square_abs, true, 0,
                                                      ANY_PAIR) ROW_OF(mul_one, true, 0, ANY_PAIR)
                ROW_OF(mul_ones, true, 0, ANY_PAIR) ROW_OF(div_one, true, 0, ANY_PAIR) ROW_OF(
                    add_zero, false, 0, ANY_PAIR) ROW_OF(add_minus_zero, true, 0, ANY_PAIR)
                    ROW_OF(sub_zero, true, 0, ANY_PAIR) ROW_OF(sub_minus_zero, false, 0, ANY_PAIR)
                        ROW_OF(pow_one, true, 0, ANY_PAIR) ROW_OF(where_same, true, 0, ANY_PAIR)
                            ROW_OF(where_true, true, 0, ANY_PAIR) ROW_OF(where_false, true, 0,
                                                                         ANY_PAIR)
                                ROW_OF(masked_none, true, 0, ANY_PAIR) ROW_OF(
                                    maximum_same, true, 0,
                                    ANY_PAIR) ROW_OF(fmin_same, true, 0, ANY_PAIR)
                                    ROW_OF(add_neg, true, 0,
                                           ANY_PAIR) ROW_OF(sub_neg, true, 0, ANY_PAIR)
                                        ROW_OF(mul_negs, true, 0,
                                               ANY_PAIR) ROW_OF(div_negs, true, 0, ANY_PAIR)
                                            ROW_OF(not_not, true, 0,
                                                   ANY_PAIR) ROW_OF(flip_flip, true, 0, ANY_PAIR)
                                                ROW_OF(store_forward, true, 1, SAME_PAIR) ROW_OF(
                                                    store_past, true, 1, SAME_PAIR)
                                                    ROW_OF(store_overlap, false, 1, SAME_PAIR)
                                                        ROW_OF(store_dead, true, 1, SAME_PAIR)
                                                            ROW_OF(store_same, true, 0, SAME_PAIR)};

static Node *start(Case *k, int i, DType of_x, DType of_y, uint64_t seed, bool turned) {
    case_start(k, FAULT_NONE);
    Node *x = case_input(k, of_x, 20, FILL_special, seed);
    x = turned ? seen(k, x, 4, 5, 1, 4, 0) : seen(k, x, 4, 5, 5, 1, 0);
    Node *y = seen(k, case_input(k, of_y, 20, FILL_special, seed + 100), 4, 5, 5, 1, 0);
    Node *n = graphs[i].build(k, x, y);
    if (n) {
        case_return(k, n);
    }
    return n;
}

START_TEST(rules_keep_nan_signed_zeros_and_infinities) {
    for (int i = 0; i < COUNT_OF(graphs); i++) {
        for (uint64_t seed = 1; seed < 30; seed++) {
            Case k;
            ck_assert_msg(start(&k, i, DT_float32, DT_float32, seed, seed % 2 == 0) != NULL,
                          "%s was not built", graphs[i].name);
            ck_assert_ptr_null(case_passes(&k, PASS_rules));
            int64_t steps = k.counters.gate_steps;
            ck_assert_msg((steps > graphs[i].before) == graphs[i].fires, "%s: %d steps",
                          graphs[i].name, (int)steps);
            const char *complaint = case_check(&k, PASSES_ALL);
            ck_assert_msg(complaint == NULL, "%s: %s", graphs[i].name, complaint);
            case_end(&k);
        }
    }
}
END_TEST

START_TEST(rules_hold_for_pairs_of_dtypes) {
    static const DType dtypes[] = {DT_uint8, DT_int8, DT_int64, DT_float64};
    int ran = 0;
    for (int i = 0; i < COUNT_OF(graphs); i++) {
        for (int a = 0; a < COUNT_OF(dtypes); a++) {
            for (int b = 0; b < COUNT_OF(dtypes); b++) {
                if (graphs[i].pairs == FLOAT_ONLY || (graphs[i].pairs == SAME_PAIR && a != b)) {
                    continue;
                }
                Case k;
                if (start(&k, i, dtypes[a], dtypes[b], 3, false)) {
                    const char *complaint = case_check(&k, PASSES_ALL);
                    ck_assert_msg(complaint == NULL, "%s, %s with %s: %s", graphs[i].name,
                                  dtype_name(dtypes[a]), dtype_name(dtypes[b]), complaint);
                    ran++;
                }
                case_end(&k);
            }
        }
    }
    ck_assert_int_gt(ran, 400);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/rule_dtypes");
    TCase *tests = tcase_create("rules");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, rules_keep_nan_signed_zeros_and_infinities);
    tcase_add_test(tests, rules_hold_for_pairs_of_dtypes);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/rule_dtypes", suite);
}
