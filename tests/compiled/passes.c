/* The passes (fold, cse, dce, fuse, reinplace, concat) and the gate, on graphs built by hand: what
 * each does, and what it must leave alone. */
#include "compiled/capture/capture.h"
#include "compiled/runtime/pipeline.h"
#include "tests/support/graph_case.h"
#include "tests/support/runner.h"

static int count_ops(const Graph *g, OpId id) {
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        n += g->node[i]->kind == NODE_OP && g->node[i]->call->op->id == id;
    }
    return n;
}

START_TEST(fold_computes_constants_as_the_kernels_do) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, 4, FILL_special, 3);
    Node *a = case_full(&k, x, scalar_float(0.1)), *b = case_full(&k, x, scalar_float(-0.0));
    Node *sum =
        case_binary(&k, OP_div_Tensor, a, case_binary(&k, OP_mul_Tensor, b, a)); /* 0.1 / -0.0 */
    Node *like = case_unary(&k, OP_zeros_like, x);
    Node *n = case_binary(&k, OP_add_Tensor, x,
                          case_binary(&k, OP_add_Tensor, sum, case_unary(&k, OP_neg, like)));
    case_return(&k, n);
    case_return(&k, sum);
    ck_assert_ptr_null(case_check(&k, PASS_fold | PASS_dce));
    ck_assert_int_eq(count_ops(k.g, OP_add_Tensor), 1);
    ck_assert_int_eq(count_ops(k.g, OP_div_Tensor) + count_ops(k.g, OP_mul_Tensor) +
                         count_ops(k.g, OP_neg) + count_ops(k.g, OP_zeros_like),
                     0);
    case_end(&k);
}
END_TEST

/* cumsum(arange(4)) indexes x, with a CHECK against `bound`. */
static int constant_case(int64_t bound, bool *check_left) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_float32, 7, FILL_special, 3);
    Call arange = call_new(OP_arange), sum = call_new(OP_cumsum),
         select = call_new(OP_index_select);
    arange.arg[0].scalar = scalar_int(4);
    sum.arg[0].tensor = &case_op(&k, &arange)->t;
    Node *index = case_op(&k, &sum);
    Node *check = graph_check(k.g, CHECK_INDEX, index, bound, ERR_index_range, "out", 0);
    select.arg[0].tensor = &x->t;
    select.arg[2].tensor = &index->t;
    case_return(&k, case_op(&k, &select));
    const char *complaint =
        bound < 7 ? case_passes(&k, PASS_fold | PASS_dce) : case_check(&k, PASS_fold | PASS_dce);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    *check_left = false;
    for (int i = 0; i < k.g->n; i++) {
        *check_left |= k.g->node[i] == check;
    }
    int literals = count_ops(k.g, OP_tensor),
        left = count_ops(k.g, OP_cumsum) + count_ops(k.g, OP_arange);
    case_end(&k);
    return left == 0 ? literals : -left;
}

START_TEST(fold_computes_small_constants_and_drops_only_checks_that_pass) {
    bool check_left;
    ck_assert_int_eq(constant_case(7, &check_left), 1);
    ck_assert(!check_left);
    ck_assert_int_eq(constant_case(6, &check_left), 1); /* the last index is 6 */
    ck_assert(check_left);
}
END_TEST

/* reciprocal(x * 0.0) + reciprocal(x * -0.0), and two equal subexpressions. */
static int cse_case(FaultId fault, const char **complaint, Arena *keep) {
    Case k;
    case_start(&k, fault);
    Node *x = case_input(&k, DT_float32, 4, FILL_ones, 0);
    Node *a = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(0.0)));
    Node *b = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(-0.0)));
    Node *c = case_unary(&k, OP_reciprocal, case_scalar(&k, OP_mul_Scalar, x, scalar_float(0.0)));
    case_return(&k, case_binary(&k, OP_add_Tensor, a, b));
    case_return(&k, case_binary(&k, OP_add_Tensor, a, c));
    const char *text = case_check(&k, PASS_cse | PASS_dce);
    *complaint = text ? arena_strdup(keep, text) : NULL;
    int n = count_ops(k.g, OP_reciprocal);
    case_end(&k);
    return n;
}

START_TEST(cse_merges_equal_bits_only) {
    const char *complaint;
    Arena keep = ARENA_EMPTY;
    ck_assert_int_eq(cse_case(FAULT_NONE, &complaint, &keep), 2);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    ck_assert_int_eq(cse_case(FAULT_NU_12, &complaint, &keep), 1);
    ck_assert_ptr_nonnull(complaint);
    arena_destroy(&keep);
}
END_TEST

START_TEST(cse_keeps_returned_storages_and_checks_apart) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_int64, 4, FILL_ones, 0);
    Node *a = case_unary(&k, OP_neg, x), *b = case_unary(&k, OP_neg, x);
    graph_check(k.g, CHECK_NONZERO, a, 0, ERR_invalid, "zero", 1);
    graph_check(k.g, CHECK_NONZERO, a, 0, ERR_invalid, "zero", 2);
    case_return(&k, a);
    case_return(&k, b);
    ck_assert_ptr_null(case_check(&k, PASSES_ALL));
    ck_assert_int_eq(count_ops(k.g, OP_neg), 2);
    int checks = 0;
    for (int i = 0; i < k.g->n; i++) {
        checks += k.g->node[i]->kind == NODE_CHECK;
    }
    ck_assert_int_eq(checks, 2);
    case_end(&k);
}
END_TEST

START_TEST(fuse_makes_one_nest_of_a_chain_and_not_across_a_layout) {
    static const int64_t size[2] = {3, 3}, stride[2] = {3, 1}, turned[2] = {1, 3};
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 1), 2, size, stride, 0);
    Node *a = case_unary(&k, OP_neg, x), *b = case_unary(&k, OP_abs, a),
         *c = case_binary(&k, OP_add_Tensor, a, b);
    Node *d = case_binary(&k, OP_sub_Tensor, c, case_view(&k, c, 2, size, turned, 0));
    case_return(&k, d);
    ck_assert_ptr_null(case_check(&k, PASSES_ALL));
    ck_assert_int_ge(a->group, 0);
    ck_assert_int_eq(a->group, b->group);
    ck_assert_int_eq(a->group, c->group);
    ck_assert_int_eq(d->group, -1);
    ck_assert_int_lt(a->buffer, 0); /* only a register */
    case_end(&k);
}
END_TEST

/* exp(x) and, 0: sin(x), 1: sin(other input), 2: sin(exp(x) transposed), 3: sin(x transposed). */
static bool neighbours_share_a_nest(int which) {
    static const int64_t size[2] = {3, 3}, stride[2] = {3, 1}, turned[2] = {1, 3};
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 1), 2, size, stride, 0);
    Node *other = case_view(&k, case_input(&k, DT_float32, 9, FILL_dyadic, 2), 2, size, stride, 0),
         *a = case_unary(&k, OP_exp, x);
    Node *of = which == 0   ? x
               : which == 1 ? other
                            : case_view(&k, which == 2 ? a : x, 2, size, turned, 0);
    Node *b = case_unary(&k, OP_sin, of);
    case_return(&k, a);
    case_return(&k, b);
    const char *complaint = case_check(&k, PASSES_ALL & ~PASS_rules);
    ck_assert_msg(complaint == NULL, "%s", complaint);
    bool together = a->group >= 0 && a->group == b->group;
    case_end(&k);
    return together;
}

START_TEST(nests_that_read_one_buffer_are_fused_unless_one_needs_the_other) {
    ck_assert(neighbours_share_a_nest(0));
    ck_assert(!neighbours_share_a_nest(1));
    ck_assert(!neighbours_share_a_nest(2));
    ck_assert(neighbours_share_a_nest(3));
}
END_TEST

/* x[[0, 0]] += x[[0, 0]] */
static const char *twice_case(Case *k, FaultId fault, bool distinct) {
    static const int64_t size[2] = {2, 2}, stride[2] = {2, 1};
    case_start(k, fault);
    Node *x = case_input(k, DT_float32, 4, FILL_ones, 0), *v = case_view(k, x, 2, size, stride, 0);
    Call arange = call_new(OP_arange);
    arange.arg[0].scalar = scalar_int(2);
    Node *index = distinct ? case_op(k, &arange) : case_input(k, DT_int64, 2, FILL_zeros, 0);
    Tensor *list[1] = {&index->t};
    Call get = call_new(OP_index), put = call_new(OP__index_put);
    get.arg[0].tensor = put.arg[0].tensor = &v->t;
    get.arg[1] = put.arg[1] = (Arg){.tensors = {list, 1}};
    Node *got = case_op(k, &get);
    put.arg[2].tensor = &case_binary(k, OP_add_Tensor, got, got)->t;
    put.arg[3] = (Arg){.b = false};
    k->g->written[0] = case_op(k, &put);
    return case_check(k, PASSES_ALL & ~PASS_rules); /* the rules would make a view of it */
}

START_TEST(gather_and_scatter_share_a_nest_only_with_unique_indices) {
    Case k;
    ck_assert_ptr_null(twice_case(&k, FAULT_NONE, false));
    case_end(&k);
    ck_assert_ptr_null(twice_case(&k, FAULT_NONE, true));
    ck_assert_int_ge(k.g->written[0]->group, 0);
    ck_assert(k.g->written[0]->in_place);
    case_end(&k);
    ck_assert_ptr_nonnull(twice_case(&k, FAULT_IX_1, false));
    case_end(&k);
}
END_TEST

START_TEST(a_store_is_in_place_unless_somebody_reads_its_base_later) {
    for (int later = 0; later < 2; later++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 9, FILL_dyadic, 1), *base = case_unary(&k, OP_exp, x);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {3}, .stride = {3}, .offset = 1};
        static const int64_t size[1] = {3}, stride[1] = {1};
        Node *store = case_store(&k, base, case_view(&k, x, 1, size, stride, 5), &region);
        case_return(&k, store);
        if (later) {
            case_return(&k, case_unary(&k, OP_sum, base));
        }
        k.loose = true;
        ck_assert_ptr_null(case_check(&k, PASSES_ALL & ~PASS_fuse));
        ck_assert_int_eq(store->in_place, !later);
        case_end(&k);
    }
}
END_TEST

START_TEST(a_store_that_reads_its_own_base_shifted_is_not_in_place) {
    for (int shift = 0; shift < 4; shift++) {
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 400, FILL_uniform, 1);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {300}, .stride = {1}, .offset = 1};
        Node *read = case_view(&k, x, 1, region.size, region.stride, shift);
        k.g->written[0] =
            case_store(&k, x, case_scalar(&k, OP_mul_Scalar, read, scalar_float(0.5)), &region);
        ck_assert_ptr_null(case_check(&k, PASSES_ALL));
        case_end(&k);
    }
}
END_TEST

START_TEST(an_input_is_written_in_place_only_for_its_own_write_back) {
    for (int i = 0; i < 3; i++) { /* 0: its value; 1: another value; 2: a check comes later */
        Case k;
        case_start(&k, FAULT_NONE);
        Node *x = case_input(&k, DT_float32, 9, FILL_dyadic, 1),
             *index = case_input(&k, DT_int64, 2, FILL_ones, 1);
        Tensor region = {.dtype = DT_float32, .ndim = 1, .size = {3}, .stride = {3}, .offset = 1};
        static const int64_t size[1] = {3}, stride[1] = {1};
        Node *store = case_store(
            &k, x,
            case_view(&k, case_input(&k, DT_float32, 9, FILL_special, 7), 1, size, stride, 5),
            &region);
        if (i == 1) {
            case_return(&k, store);
        }
        k.g->written[0] = i == 1 ? case_full(&k, x, scalar_int(0)) : store;
        if (i == 2) {
            graph_check(k.g, CHECK_NONZERO, index, 0, ERR_invalid, "zero", 1);
        }
        ck_assert_ptr_null(case_check(&k, PASSES_ALL & ~PASS_fuse));
        ck_assert_int_eq(store->in_place, i == 0);
        case_end(&k);
    }
}
END_TEST

/* cat([neg(x), exp(x), neg(x)], dim), which is read by what `reader` says, too. */
typedef enum JoinReader { JOIN_ALONE, JOIN_SUM, JOIN_VIEW, JOIN_SOFTMAX, JOIN_RETURN } JoinReader;
static int joined(int64_t dim, JoinReader reader) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *flat = case_input(&k, DT_float32, 6, FILL_dyadic, 3);
    Node *x = case_view(&k, flat, 2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, 0);
    Node *a = case_unary(&k, OP_neg, x), *b = case_unary(&k, OP_exp, x);
    Call cat = call_new(OP_cat);
    cat.arg[0].tensors.v = (Tensor *[]){&a->t, &b->t, &a->t};
    cat.arg[0].tensors.n = 3;
    cat.arg[1].i = dim;
    Node *c = case_op(&k, &cat);
    case_return(&k, c);
    if (reader == JOIN_SUM) {
        case_return(&k, case_unary(&k, OP_sum, a));
    } else if (reader == JOIN_VIEW) { /* a transposed read is not in the nest of `a` */
        Node *t = case_view(&k, a, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}, 0);
        case_return(&k, case_unary(&k, OP_sum, case_unary(&k, OP_exp, t)));
    } else if (reader == JOIN_SOFTMAX) {
        Call scan = call_new(OP_cumsum);
        scan.arg[0].tensor = &a->t;
        case_return(&k, case_op(&k, &scan));
    } else if (reader == JOIN_RETURN) {
        case_return(&k, a);
    }
    k.loose = true;
    const char *complaint = case_check(&k, PASSES_ALL & ~PASS_rules);
    ck_assert_msg(complaint == NULL, "dim %d, reader %d: %s", (int)dim, (int)reader, complaint);
    int count = (a->into == c) + (b->into == c);
    case_end(&k);
    return count;
}

START_TEST(operands_of_cat_are_computed_in_it_if_all_readers_can_read_them_there) {
    for (int64_t dim = 0; dim < 2; dim++) {
        ck_assert_int_eq(joined(dim, JOIN_ALONE), 2);
        ck_assert_int_eq(joined(dim, JOIN_SUM), 2);
        ck_assert_int_eq(joined(dim, JOIN_VIEW), dim == 0 ? 2 : 1); /* its strides must stay */
        ck_assert_int_eq(joined(dim, JOIN_SOFTMAX), 1);
        ck_assert_int_eq(joined(dim, JOIN_RETURN), 1);
    }
}
END_TEST

START_TEST(dead_nodes_go_and_checks_stay) {
    Case k;
    case_start(&k, FAULT_NONE);
    Node *x = case_input(&k, DT_int64, 4, FILL_ones, 0);
    Node *dead = case_unary(&k, OP_abs, x), *checked = case_unary(&k, OP_neg, x);
    case_unary(&k, OP_sign, dead);
    graph_check(k.g, CHECK_NONZERO, checked, 0, ERR_invalid, "zero", 1);
    case_return(&k, case_unary(&k, OP_square, x));
    ck_assert_ptr_null(case_check(&k, PASS_dce));
    ck_assert_int_eq(count_ops(k.g, OP_abs) + count_ops(k.g, OP_sign), 0);
    ck_assert_int_eq(count_ops(k.g, OP_neg), 1);
    case_end(&k);
}
END_TEST

START_TEST(the_gate_stops_every_rewrite) {
    for (int64_t limit = 0; limit < 6; limit++) {
        Case k;
        case_start(&k, FAULT_NONE);
        k.options.opt_limit = limit;
        Node *x = case_input(&k, DT_float32, 4, FILL_dyadic, 2);
        Node *a = case_unary(&k, OP_neg, case_unary(&k, OP_neg, x)),
             *b = case_unary(&k, OP_neg, case_unary(&k, OP_neg, x));
        case_return(&k, case_binary(&k, OP_add_Tensor, a, b));
        ck_assert_ptr_null(case_check(&k, PASSES_ALL));
        ck_assert_int_ge(k.counters.gate_steps, limit);
        bool fused = false;
        for (int i = 0; i < k.g->n; i++) {
            fused |= k.g->node[i]->group >= 0;
        }
        ck_assert_msg(limit > 0 || (count_ops(k.g, OP_neg) == 4 && !fused),
                      "limit 0 let something through");
        ck_assert_msg(limit < 5 || count_ops(k.g, OP_neg) < 4, "limit 5 let nothing through");
        case_end(&k);
    }
}
END_TEST

/* There may be up to MAX_PASSES passes; which of them changed a graph is one of its features. */
START_TEST(every_pass_has_a_bit_of_its_own) {
    uint64_t all = 0;
    for (int i = 0; i < MAX_PASSES; i++) {
        ck_assert_msg((all & pass_bit(i)) == 0 && pass_bit(i) != 0, "pass %d", i);
        all |= pass_bit(i);
    }
    ck_assert(all == UINT64_MAX);

    static Features features;
    Capture capture = {.arena = NULL};
    Case k;
    case_start(&k, FAULT_NONE);
    k.options.features = &features;
    k.c.capture = &capture;
    for (int i = 0; i < MAX_PASSES; i++) {
        k.c.changed = pass_bit(i);
        feature_graph(&k.c);
    }
    /* Some share a place of the hash table. Were the upper half of the mask lost, these would be at
     * most 33. */
    ck_assert_int_gt(features.n, 50);
    case_end(&k);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/passes");
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, fold_computes_constants_as_the_kernels_do);
    tcase_add_test(tests, fold_computes_small_constants_and_drops_only_checks_that_pass);
    tcase_add_test(tests, cse_merges_equal_bits_only);
    tcase_add_test(tests, cse_keeps_returned_storages_and_checks_apart);
    tcase_add_test(tests, fuse_makes_one_nest_of_a_chain_and_not_across_a_layout);
    tcase_add_test(tests, nests_that_read_one_buffer_are_fused_unless_one_needs_the_other);
    tcase_add_test(tests, gather_and_scatter_share_a_nest_only_with_unique_indices);
    tcase_add_test(tests, a_store_is_in_place_unless_somebody_reads_its_base_later);
    tcase_add_test(tests, a_store_that_reads_its_own_base_shifted_is_not_in_place);
    tcase_add_test(tests, an_input_is_written_in_place_only_for_its_own_write_back);
    tcase_add_test(tests, operands_of_cat_are_computed_in_it_if_all_readers_can_read_them_there);
    tcase_add_test(tests, dead_nodes_go_and_checks_stay);
    tcase_add_test(tests, the_gate_stops_every_rewrite);
    tcase_add_test(tests, every_pass_has_a_bit_of_its_own);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/passes", suite);
}
