/* Every algebraic rule (rules.def): a graph where it fires and one where its condition fails, both
 * on special values (NaN, -0.0, infinities, subnormals, extreme integers), compared bit for bit
 * with what the shared kernels make of the graph as it was built. */
#include "compiled/rules/rules.h"
#include "tests/support/rule_graphs.h"
#include "tests/support/runner.h"

/* ---- UNARY ---- */
GRAPH(neg_neg, U(neg, U(neg, x)))
GRAPH(neg_abs, U(neg, U(abs, x)))
GRAPH(relu_relu, U(relu, U(relu, x)))
GRAPH(relu_neg, U(relu, U(neg, x)))
GRAPH(floor_ceil, U(floor, U(ceil, x)))
GRAPH(floor_exp, U(floor, U(exp, x)))
GRAPH(round_x, U(round, x))
GRAPH(abs_neg, U(abs, U(neg, x)))
GRAPH(abs_uint8_neg, U(abs, U(neg, cast(k, x, DT_uint8))))
GRAPH(abs_square, U(abs, U(square, x)))
GRAPH(abs_sqrt, U(abs, U(sqrt, x)))
GRAPH(relu_x, U(relu, x))
GRAPH(relu_abs, U(relu, U(abs, x)))
GRAPH(cos_neg, U(cos, U(neg, x)))
GRAPH(sin_neg, U(sin, U(neg, x)))
GRAPH(cos_neg_uint8, U(cos, U(neg, cast(k, x, DT_uint8))))
GRAPH(isnan_x, U(isnan, x))
GRAPH(isfinite_x, U(isfinite, x))
GRAPH(isinf_neg, U(isinf, U(neg, x)))
GRAPH(isinf_exp, U(isinf, U(exp, x)))
GRAPH(square_abs, U(square, U(abs, x)))
GRAPH(square_exp, U(square, U(exp, x)))
GRAPH(not_not, U(logical_not, U(logical_not, B(lt_Tensor, x, y))))
GRAPH(not_not_float, U(logical_not, U(logical_not, x)))
GRAPH(not_eq, U(logical_not, B(eq_Tensor, x, y)))
GRAPH(not_lt, U(logical_not, B(lt_Tensor, x, y)))
GRAPH(bits_not_not, U(bitwise_not, U(bitwise_not, x)))
GRAPH(bits_not_neg, U(bitwise_not, U(neg, x)))

/* ---- ARITHMETIC ---- */
GRAPH(mul_1, S(mul_Scalar, x, I(1)))
GRAPH(mul_ones, B(mul_Tensor, case_full(k, x, I(1)), x))
GRAPH(mul_2, S(mul_Scalar, x, I(2)))
GRAPH(mul_m1, S(mul_Scalar, x, I(-1)))
GRAPH(mul_0, S(mul_Scalar, x, I(0)))
GRAPH(mul_3_5, S(mul_Scalar, S(mul_Scalar, x, I(3)), I(5)))
GRAPH(mul_negs, B(mul_Tensor, U(neg, x), U(neg, y)))
GRAPH(div_negs, B(div_Tensor, U(neg, x), U(neg, y)))
GRAPH(mul_neg_one_side, B(mul_Tensor, U(neg, x), y))
GRAPH(div_1, S(div_Scalar, x, I(1)))
GRAPH(div_2, S(div_Scalar, x, I(2)))
GRAPH(div_3, S(div_Scalar, x, I(3)))
GRAPH(div_quarter, S(div_Scalar, x, F(-0.25)))
GRAPH(div_tiny, S(div_Scalar, x, F(0x1p-149)))
GRAPH(rsub_xy, alpha(k, OP_rsub_Tensor, x, y, I(3)))
GRAPH(sub_xy, alpha(k, OP_sub_Tensor, x, y, I(3)))
GRAPH(rsub_0, S(rsub_Scalar, x, I(0)))
GRAPH(add_0, S(add_Scalar, x, I(0)))
GRAPH(add_m0, S(add_Scalar, x, F(-0.0)))
GRAPH(sub_0, S(sub_Scalar, x, I(0)))
GRAPH(sub_m0, S(sub_Scalar, x, F(-0.0)))
GRAPH(abs_add_0, S(add_Scalar, U(abs, x), I(0)))
GRAPH(relu_add_0, S(add_Scalar, U(relu, x), I(0)))
GRAPH(add_3_m5, S(sub_Scalar, S(add_Scalar, x, I(3)), I(5)))
GRAPH(sub_xx, B(sub_Tensor, x, x))
GRAPH(add_neg, B(add_Tensor, x, U(neg, y)))
GRAPH(add_abs, B(add_Tensor, x, U(abs, y)))
GRAPH(sub_neg, B(sub_Tensor, x, U(neg, y)))
GRAPH(add_0_neg, alpha(k, OP_add_Tensor, x, U(neg, y), I(0)))
GRAPH(sub_0_neg, alpha(k, OP_sub_Tensor, x, U(neg, y), I(0)))
GRAPH(sub_abs, B(sub_Tensor, x, U(abs, y)))
GRAPH(pow_0, S(pow_Tensor_Scalar, x, I(0)))
GRAPH(pow_1, S(pow_Tensor_Scalar, x, I(1)))
GRAPH(pow_2, S(pow_Tensor_Scalar, x, I(2)))
GRAPH(pow_3, S(pow_Tensor_Scalar, x, I(3)))

/* ---- LOGIC ---- */
GRAPH(and_xx, B(bitwise_and_Tensor, x, x))
GRAPH(and_xy, B(bitwise_and_Tensor, x, y))
GRAPH(xor_xx, B(bitwise_xor_Tensor, x, x))
GRAPH(or_xx, B(bitwise_or_Tensor, x, x))
GRAPH(or_0, S(bitwise_or_Scalar, x, I(0)))
GRAPH(and_0, S(bitwise_and_Scalar, x, I(0)))
GRAPH(xor_zeros, B(bitwise_xor_Tensor, x, case_full(k, x, I(0))))
GRAPH(or_6, S(bitwise_or_Scalar, x, I(6)))
GRAPH(and_ones, S(bitwise_and_Scalar, x, I(-1)))
GRAPH(xor_ones, S(bitwise_xor_Scalar, x, I(-1)))
GRAPH(or_ones, S(bitwise_or_Scalar, x, I(-1)))
GRAPH(shift_0, S(bitwise_left_shift_Tensor_Scalar, x, I(0)))
GRAPH(shift_1, S(bitwise_right_shift_Tensor_Scalar, x, I(1)))
static Node *less(Case *k, Node *x, Node *y) { return B(lt_Tensor, x, y); }
static Node *truth_twice(Case *k, Node *x, Node *y) {
    Node *b = less(k, x, y);
    return B(logical_or, b, b);
}
GRAPH(truth_twice_float, B(logical_or, x, x))
GRAPH(truth_and_nan, B(logical_and, less(k, x, y), case_full(k, x, F(NAN))))
GRAPH(truth_xor_1, B(logical_xor, less(k, x, y), case_full(k, x, F(0.5))))
GRAPH(truth_or_1, B(logical_or, x, case_full(k, x, I(1))))
GRAPH(truth_or_0, B(logical_or, x, case_full(k, x, I(0))))
GRAPH(lt_xx, B(lt_Tensor, x, x))
GRAPH(eq_xx, B(eq_Tensor, x, x))
GRAPH(ne_xx, B(ne_Tensor, x, x))
GRAPH(truth_of_cast, S(ne_Scalar, cast(k, less(k, x, y), DT_float16), I(0)))
GRAPH(one_of_cast, S(ne_Scalar, cast(k, less(k, x, y), DT_float16), I(1)))

/* ---- CHOICE ---- */
GRAPH(where_same, WHERE(less(k, x, y), x, x))
GRAPH(where_xy, WHERE(less(k, x, y), x, y))
GRAPH(where_true, WHERE(splat(k, x, DT_bool, scalar_bool(true)), x, y))
GRAPH(where_true_cast, WHERE(splat(k, x, DT_bool, scalar_bool(true)), x, cast(k, y, DT_float64)))
GRAPH(where_not, WHERE(U(logical_not, less(k, x, y)), x, y))
GRAPH(where_not_float, WHERE(U(logical_not, x), x, y))
static Node *where_nested(Case *k, Node *x, Node *y) {
    Node *c = less(k, x, y);
    return WHERE(c, WHERE(c, x, U(neg, y)), WHERE(c, U(neg, x), y));
}
static Node *where_nested_rounded(Case *k, Node *x,
                                  Node *y) { /* x is int64, and float32 on the way to float64 */
    Node *c = less(k, x, y);
    return WHERE(c, WHERE(c, x, splat(k, y, DT_float32, F(1))), splat(k, y, DT_float64, F(1)));
}
static Node *where_masked(Case *k, Node *x, Node *y) {
    Node *c = less(k, x, y);
    return WHERE(c, masked(k, x, c, F(-0.0)), masked(k, y, c, F(2)));
}
static Node *where_masked_other(Case *k, Node *x, Node *y) {
    return WHERE(less(k, x, y), masked(k, x, less(k, y, x), F(0)), y);
}
static Node *where_nested_other(Case *k, Node *x, Node *y) {
    return WHERE(less(k, x, y), WHERE(less(k, y, x), x, U(neg, y)), y);
}
GRAPH(where_truth, WHERE(less(k, x, y), splat(k, x, DT_bool, scalar_bool(true)),
                         splat(k, x, DT_bool, scalar_bool(false))))
GRAPH(where_untruth, WHERE(less(k, x, y), splat(k, x, DT_bool, scalar_bool(false)),
                           splat(k, x, DT_bool, scalar_bool(true))))
GRAPH(where_always, WHERE(less(k, x, y), splat(k, x, DT_bool, scalar_bool(true)),
                          splat(k, x, DT_bool, scalar_bool(true))))
GRAPH(masked_none, masked(k, x, splat(k, x, DT_bool, scalar_bool(false)), I(3)))
GRAPH(masked_some, masked(k, x, less(k, x, y), I(3)))
GRAPH(masked_all, masked(k, x, splat(k, x, DT_bool, scalar_bool(true)), F(-0.0)))
static Node *masked_twice(Case *k, Node *x, Node *y) {
    Node *mask = less(k, x, y);
    return masked(k, masked(k, x, mask, I(3)), mask, I(4));
}
GRAPH(masked_apart, masked(k, masked(k, x, less(k, x, y), I(3)), less(k, y, x), I(4)))
GRAPH(max_xx, B(maximum, x, x))
GRAPH(max_xy, B(maximum, x, y))
GRAPH(fmin_fmin, B(fmin, B(fmin, x, y), y))
GRAPH(max_max, B(maximum, B(maximum, x, y), x))
GRAPH(max_max_behind, B(maximum, y, B(maximum, x, y)))
GRAPH(max_min, B(maximum, x, B(minimum, x, y)))
GRAPH(max_min_behind, B(fmax, B(minimum, y, x), x))
GRAPH(max_inf, B(maximum, x, case_full(k, x, F(-INFINITY))))
GRAPH(fmax_inf, B(fmax, x, case_full(k, x, F(-INFINITY))))
GRAPH(clamp_min_inf, S(clamp_min, x, F(-INFINITY)))
GRAPH(max_lowest, B(maximum, case_full(k, x, I(INT64_MIN)), x))
GRAPH(clamp_twice,
      clamped(k, clamped(k, x, true, F(-0.0), true, F(-1)), true, F(-0.0), true, F(-1)))
GRAPH(clamp_apart, clamped(k, clamped(k, x, true, F(0.0), true, F(1)), true, F(-0.0), true, F(1)))
GRAPH(clamp_unbounded, clamped(k, x, true, F(-INFINITY), true, F(INFINITY)))
GRAPH(clamp_high, clamped(k, x, false, I(0), true, F(INFINITY)))
GRAPH(clamp_low, clamped(k, x, true, F(INFINITY), false, I(0)))

/* ---- ELEMENTWISE ---- */
GRAPH(expand_sink, U(neg, STACKED(x)))
GRAPH(expand_both, B(mul_Tensor, SPREAD(x), SPREAD(y)))
GRAPH(expand_one,
      B(mul_Tensor, STACKED(x), case_view(k, y, 3, (int64_t[]){3, 4, 5}, (int64_t[]){5, 0, 1}, 0)))
GRAPH(transpose_sink, U(abs, TURNED(U(neg, x))))
GRAPH(transpose_both, B(add_Tensor, TURNED(U(neg, x)), TURNED(U(abs, y))))
GRAPH(transpose_one, B(add_Tensor, TURNED(U(neg, x)), seen(k, U(abs, y), 5, 4, 4, 1, 0)))

/* ---- MOVE ---- */
GRAPH(clone_x, U(clone, x))
GRAPH(clone_cast, cast(k, x, DT_float64))
GRAPH(cast_back, cast(k, cast(k, x, DT_float64), DT_float32))
GRAPH(cast_narrow, cast(k, cast(k, x, DT_float16), DT_float32))
GRAPH(cast_chain, cast(k, cast(k, x, DT_float64), DT_bfloat16))
GRAPH(cast_chain_int, cast(k, cast(k, x, DT_int32), DT_float32))
GRAPH(cast_chain_narrow, cast(k, cast(k, x, DT_float16), DT_float64))
GRAPH(cast_chain_wraps, cast(k, cast(k, x, DT_uint8), DT_int32))
GRAPH(flip_flip, LIST(flip, LIST(flip, x, 0, 1), 1, 0))
GRAPH(flip_other, LIST(flip, LIST(flip, x, 0, 1), 1))
GRAPH(flip_abs, LIST(flip, U(abs, x), 1))
GRAPH(flip_one, LIST(flip, ROW(x), 0))
GRAPH(tril_tril, N(tril, N(tril, x, 1), -1))
GRAPH(triu_triu, N(triu, N(triu, x, -1), 1))
GRAPH(tril_triu, N(tril, N(triu, x, 1), -1))
GRAPH(tril_all, N(tril, x, 4))
GRAPH(triu_all, N(triu, x, -3))
GRAPH(triu_some, N(triu, x, -2))
GRAPH(cat_one, CAT(0, x))
GRAPH(cat_with_empty, CAT(0, seen(k, x, 0, 5, 5, 1, 0), x))
GRAPH(cat_cast, CAT(0, x, splat(k, seen(k, x, 0, 5, 5, 1, 0), DT_float64, I(0))))
GRAPH(cat_empty, CAT(0, x, seen(k, x, 0, 5, 5, 1, 0), y))
GRAPH(cat_two, CAT(0, x, y))
GRAPH(cat_cat, CAT(1, CAT(1, x, y), U(neg, x)))
GRAPH(cat_cat_other_dim, CAT(0, CAT(1, x, y), CAT(1, y, x)))
GRAPH(cat_slices,
      CAT(0, seen(k, x, 1, 5, 5, 1, 0), seen(k, x, 2, 5, 5, 1, 5), seen(k, x, 1, 5, 5, 1, 15)))
GRAPH(cat_columns, CAT(1, seen(k, x, 4, 2, 5, 1, 1), seen(k, x, 4, 1, 5, 1, 3)))
GRAPH(cat_slices_apart, CAT(0, seen(k, x, 1, 5, 5, 1, 0), seen(k, x, 2, 5, 5, 1, 10)))
GRAPH(pad_0, PAD(x, I(0), 0, 0, 0, 0))
GRAPH(pad_1, PAD(x, I(0), 1, 0))
GRAPH(pad_pad, PAD(PAD(x, F(-0.0), 1, 2), F(-0.0), 0, 1, 2, 0))
GRAPH(pad_pad_signs, PAD(PAD(x, F(0.0), 1, 2), F(-0.0), 0, 1, 2, 0))
GRAPH(pad_crop, PAD(PAD(x, F(0.0), 1, 2), F(0.0), -2, 1))
GRAPH(repeat_1, LIST(repeat, x, 1, 1))
GRAPH(repeat_2, LIST(repeat, x, 1, 2))
GRAPH(roll_0, rolled(k, x, 10, 1))
GRAPH(roll_1, rolled(k, x, 1, 1))
GRAPH(roll_roll, rolled(k, rolled(k, x, -3, 0), 6, 0))
GRAPH(roll_both, rolled(k, rolled(k, x, -3, 0), 6, 1))

/* ---- INDEX ---- */
GRAPH(index_index, indexed(k, indexed(k, x, indices(k, 6, 4)), indices(k, 3, 6)))
GRAPH(index_matrix,
      indexed(k, indexed(k, x, seen(k, indices(k, 6, 4), 2, 3, 3, 1, 0)), indices(k, 3, 2)))
GRAPH(select_select,
      along(k, OP_index_select, along(k, OP_index_select, x, 1, indices(k, 6, 5), NULL), -1,
            indices(k, 3, 6), NULL))
GRAPH(select_crossed,
      along(k, OP_index_select, along(k, OP_index_select, x, 1, indices(k, 6, 5), NULL), 0,
            indices(k, 3, 4), NULL))
GRAPH(index_arange, indexed(k, x, arange(k, 1, 4, 2)))
GRAPH(select_arange, along(k, OP_index_select, x, 1, arange(k, 0, 3, 1), NULL))
GRAPH(index_arange_down, indexed(k, x, arange(k, 3, 0, -1)))
GRAPH(index_arange_wraps, indexed(k, x, arange(k, -2, 2, 1)))
GRAPH(index_splat, indexed(k, x, splat(k, seen(k, x, 2, 2, 2, 1, 0), DT_int64, I(-1))))
GRAPH(select_splat,
      along(k, OP_index_select, x, 1, splat(k, line(k, x, 3, 1, 0), DT_int64, I(4)), NULL))
GRAPH(index_given, indexed(k, x, indices(k, 3, 4)))
GRAPH(scatter_same, sliced_into(k, x, seen(k, x, 2, 5, 5, 1, 5), 1, 3))
GRAPH(scatter_shifted, sliced_into(k, x, seen(k, x, 2, 5, 5, 1, 0), 1, 3))
GRAPH(scatter_dead, sliced_into(k, sliced_into(k, x, seen(k, x, 2, 5, 5, 1, 0), 1, 3),
                                seen(k, y, 2, 5, 5, 1, 0), 1, 3))
GRAPH(scatter_half_dead, sliced_into(k, sliced_into(k, x, seen(k, x, 2, 5, 5, 1, 0), 0, 2),
                                     seen(k, y, 2, 5, 5, 1, 0), 1, 3))
static Node *put_twice(Case *k, Node *x, Node *y, bool first, bool second) {
    Node *i = indices(k, 3, 4);
    return put(k, put(k, x, i, seen(k, y, 3, 5, 5, 1, 0), first), i, seen(k, y, 3, 5, 5, 1, 5),
               second);
}
GRAPH(put_dead, put_twice(k, x, y, true, false))
GRAPH(put_adds, put_twice(k, x, y, false, true))
static Node *scatter_twice(Case *k, Node *x, Node *y) {
    Node *i = seen(k, indices(k, 3, 4), 1, 3, 3, 1, 0);
    return along(k, OP_scatter_src, along(k, OP_scatter_add, x, 0, i, y), 0, i, U(neg, y));
}
GRAPH(put_elsewhere, put(k, put(k, x, indices(k, 3, 4), seen(k, y, 3, 5, 5, 1, 0), false),
                         arange(k, 0, 2, 1), seen(k, y, 2, 5, 5, 1, 5), false))
GRAPH(add_minus_zeros, along(k, OP_index_add, x, 0, indices(k, 2, 4),
                             splat(k, seen(k, x, 2, 5, 5, 1, 0), DT_float32, F(-0.0))))
GRAPH(add_zeros, along(k, OP_index_add, x, 0, indices(k, 2, 4),
                       splat(k, seen(k, x, 2, 5, 5, 1, 0), DT_float32, F(0.0))))
GRAPH(add_integer_zeros,
      put(k, x, indices(k, 2, 4), splat(k, seen(k, x, 2, 5, 5, 1, 0), DT_int32, I(0)), true))
GRAPH(region_zeros, unfold_grad(k, case_full(k, x, F(0.0))))
GRAPH(region_minus_zeros, unfold_grad(k, case_full(k, x, F(-0.0))))

/* ---- REDUCE ---- */
GRAPH(amax_one, OVER(amax, ROW(x), 0))
GRAPH(prod_one, N(prod_dim, ROW(x), 0))
GRAPH(sum_one, OVER(sum_dim, ROW(x), 0))
GRAPH(amin_repeated, LIST(amin, STACKED(x), 0, 1))
GRAPH(amin_plain, OVER(amin, x, 0))
GRAPH(sum_repeated, LIST(sum_dim, STACKED(x), 0, 2))
GRAPH(sum_all_repeated, U(sum, SPREAD(x)))
GRAPH(sum_sum, OVER(sum_dim, OVER(sum_dim, x, 0), 0))
GRAPH(sum_all_sum, U(sum, OVER(sum_dim, x, 1)))
GRAPH(amax_amax, OVER(amax, OVER(amax, x, 1), 0))
GRAPH(amax_amin, OVER(amax, OVER(amin, x, 1), 0))
GRAPH(kept, OVER(amax, SPREAD(x), 2))
GRAPH(kept_sum, OVER(sum_dim, SPREAD(x), 0))
GRAPH(kept_not, OVER(amax, x, 0))
GRAPH(cumprod_one, N(cumprod, ROW(x), 0))
GRAPH(cumsum_one, N(cumsum, ROW(x), 0))

/* ---- PRODUCT ---- */
GRAPH(mm_turned, B(mm, TURNED(x), seen(k, y, 4, 5, 1, 4, 0)))
GRAPH(mm_plain, B(mm, TURNED(x), y))
GRAPH(mm_eye, B(mm, x, eye(k, 5, x->t.dtype)))
GRAPH(mm_zeros, B(mm, case_full(k, x, I(0)), TURNED(y)))
GRAPH(addmm_0, addmm(k, x, y, I(0)))
GRAPH(addmm_1, addmm(k, x, y, I(1)))

/* ---- VIEW ---- */
#define LINE(n) line(k, n, 3, 1, 4)
GRAPH(store_forward, line(k, stored(k, U(abs, x), LINE(y), 3, 2, 2), 3, 2, 2))
GRAPH(store_overlap, line(k, stored(k, U(abs, x), LINE(y), 3, 1, 2), 3, 1, 3))
GRAPH(store_past, line(k, stored(k, U(abs, x), LINE(y), 3, 1, 2), 3, 1, 5))
GRAPH(store_part, line(k, stored_rows(k, U(abs, x), seen(k, y, 2, 5, 5, 1, 0)), 2, 5, 7))
GRAPH(store_broadcast, line(k, stored_rows(k, U(abs, x), line(k, y, 5, 1, 0)), 2, 5, 7))
GRAPH(copy_turned, seen(k, case_unary(k, OP__contiguous_copy, TURNED(x)), 4, 5, 1, 4, 0))
GRAPH(copy_part, line(k, case_unary(k, OP__contiguous_copy, TURNED(x)), 2, 4, 5))
GRAPH(copy_carries, line(k, case_unary(k, OP__contiguous_copy, TURNED(x)), 6, 3, 2))
GRAPH(reshaped, seen(k, LIST(_reshape_copy, TURNED(x), 2, 10), 4, 5, 1, 4, 0))
GRAPH(cat_inside, seen(k, CAT(0, x, y), 2, 5, 5, 1, 25))
GRAPH(cat_column, seen(k, CAT(1, x, y), 4, 2, 10, 1, 6))
GRAPH(cat_across, seen(k, CAT(0, x, y), 2, 5, 5, 1, 15))
GRAPH(pad_inside, seen(k, PAD(x, I(0), 1, 2, 2, 0), 2, 3, 8, 1, 17))
GRAPH(pad_frame, seen(k, PAD(x, I(0), 1, 2, 2, 0), 2, 3, 8, 1, 16))
GRAPH(flip_rows, line(k, LIST(flip, x, 0), 5, 1, 10))
GRAPH(flip_columns, line(k, LIST(flip, x, 1), 5, 1, 10))
GRAPH(scatter_inside, line(k, sliced_into(k, x, seen(k, y, 2, 5, 5, 1, 0), 1, 3), 5, 1, 10))
GRAPH(scatter_across, line(k, sliced_into(k, x, seen(k, y, 2, 5, 5, 1, 0), 1, 3), 5, 1, 12))
GRAPH(scatter_past, line(k, sliced_into(k, x, seen(k, y, 2, 5, 5, 1, 0), 1, 3), 5, 1, 15))

/* ---- STORE ---- */
GRAPH(store_dead, U(neg, stored(k, stored(k, U(abs, x), LINE(x), 3, 2, 1), LINE(y), 3, 2, 1)))
GRAPH(store_alive, U(neg, stored(k, stored(k, U(abs, x), LINE(x), 3, 2, 1), LINE(y), 3, 2, 2)))
GRAPH(store_covered,
      U(neg, stored_rows(k, stored(k, U(abs, x), LINE(x), 3, 2, 6), seen(k, y, 2, 5, 5, 1, 0))))
GRAPH(store_uncovered,
      U(neg, stored_rows(k, stored(k, U(abs, x), LINE(x), 3, 2, 4), seen(k, y, 2, 5, 5, 1, 0))))
static Node *store_back(Case *k, Node *x, int64_t from) {
    Node *base = U(abs, x);
    return U(neg, stored(k, base, line(k, base, 3, 2, from), 3, 2, 1));
}
GRAPH(store_same, store_back(k, x, 1))
GRAPH(store_shifted, store_back(k, x, 2))
static Node *store_all(Case *k, Node *x, Node *y, bool turned) {
    Node *base = case_unary(k, OP__contiguous_copy, U(abs, x));
    Tensor region = {.dtype = base->t.dtype,
                     .ndim = 2,
                     .size = {4, 5},
                     .stride = {turned ? 1 : 5, turned ? 4 : 1}};
    return U(neg, case_store(k, base, y, &region));
}
GRAPH(store_whole, store_all(k, x, y, false))
GRAPH(store_whole_turned, store_all(k, x, y, true))

/* ---- the table ---- */

static const struct Row {
    StepId rule;
    DType dtype;
    bool fires;
    RuleGraph build;
} rows[] = {
#define YES(rule, dtype, build) {STEP_##rule, DT_##dtype, true, build},
#define NO(rule, dtype, build) {STEP_##rule, DT_##dtype, false, build},
#include "tests/compiled/rules.def"
};

static int64_t fired(const Case *k, StepId rule) { return k->counters.fired[rule]; }

static Node *build(Case *k, const struct Row *row, uint64_t seed) {
    static const int64_t size[2] = {4, 5}, stride[2] = {5, 1};
    case_start(k, FAULT_NONE);
    Node *x = case_view(k, case_input(k, row->dtype, 20, FILL_special, seed), 2, size, stride, 0);
    Node *y =
        case_view(k, case_input(k, row->dtype, 20, FILL_special, seed + 100), 2, size, stride, 0);
    Node *n = row->build(k, x, y);
    if (n) {
        case_wanted(k, n);
    }
    return n;
}

START_TEST(every_rule_fires_where_it_holds_and_nowhere_else) {
    for (int i = 0; i < COUNT_OF(rows); i++) {
        const char *name = step_info(rows[i].rule)->name;
        for (uint64_t seed = 1; seed < 20; seed++) {
            Case k;
            ck_assert_msg(build(&k, &rows[i], seed) != NULL, "%s, row %d: not built", name, i);
            const char *complaint = case_passes(&k, PASS_rules);
            ck_assert_msg(complaint == NULL, "%s, row %d: %s", name, i, complaint);
            ck_assert_msg((fired(&k, rows[i].rule) > 0) == rows[i].fires,
                          "%s, row %d: fired %d times", name, i, (int)fired(&k, rows[i].rule));
            case_end(&k);
        }
    }
}
END_TEST

START_TEST(every_rule_keeps_every_bit_of_special_values) {
    for (int i = 0; i < COUNT_OF(rows); i++) {
        for (uint64_t seed = 1; seed < 40; seed++) {
            for (int passes = 0; passes < 2; passes++) {
                Case k;
                build(&k, &rows[i], seed);
                const char *complaint = case_check(&k, passes ? PASSES_ALL : PASS_rules);
                ck_assert_msg(complaint == NULL, "%s, row %d, seed %d: %s",
                              step_info(rows[i].rule)->name, i, (int)seed, complaint);
                case_end(&k);
            }
        }
    }
}
END_TEST

START_TEST(every_rule_has_a_graph_where_it_fires_and_one_where_it_does_not) {
    for (int rule = FIRST_UNARY; rule < STEP_COUNT; rule++) {
        int yes = 0, no = 0;
        for (int i = 0; i < COUNT_OF(rows); i++) {
            yes += (int)rows[i].rule == rule && rows[i].fires;
            no += (int)rows[i].rule == rule && !rows[i].fires;
        }
        ck_assert_msg(yes > 0 && no > 0, "%s has %d graphs where it fires and %d where it does not",
                      step_info(rule)->name, yes, no);
    }
}
END_TEST

START_TEST(a_disabled_rule_does_not_fire) {
    for (int i = 0; i < COUNT_OF(rows); i++) {
        if (!rows[i].fires) {
            continue;
        }
        Case k;
        char message[100];
        build(&k, &rows[i], 1);
        ck_assert(disabled_parse(&k.options.disabled, step_info(rows[i].rule)->name, false, message,
                                 sizeof message));
        const char *complaint = case_check(&k, PASSES_ALL);
        ck_assert_msg(complaint == NULL, "%s", complaint);
        ck_assert_int_eq(fired(&k, rows[i].rule), 0);
        case_end(&k);
    }
}
END_TEST

START_TEST(only_one_rule_leaves_every_other_off) {
    char message[100];
    Disabled d = {0};
    ck_assert(disabled_parse(&d, "neg_neg,cse", true, message, sizeof message));
    for (int i = 0; i < STEP_COUNT; i++) {
        bool on = i == STEP_neg_neg || i == STEP_cse;
        ck_assert_int_eq(d.step[i >> 6] >> (i & 63) & 1, !on);
    }
    for (int i = 0; i < pass_count(); i++) {
        bool on = !pass_info(i)->optional || strcmp(pass_info(i)->name, "rules") == 0 ||
                  strcmp(pass_info(i)->name, "cse") == 0;
        ck_assert_msg((d.pass >> i & 1) == !on, "%s", pass_info(i)->name);
    }
    ck_assert(!disabled_parse(&d, "neg_neg,nothing", false, message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "'nothing'"));
    ck_assert(!disabled_parse(&d, "plan", false, message, sizeof message));
    ck_assert_ptr_nonnull(strstr(message, "required"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/rules");
    TCase *tests = tcase_create("rules");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_rule_has_a_graph_where_it_fires_and_one_where_it_does_not);
    tcase_add_test(tests, every_rule_fires_where_it_holds_and_nowhere_else);
    tcase_add_test(tests, every_rule_keeps_every_bit_of_special_values);
    tcase_add_test(tests, a_disabled_rule_does_not_fire);
    tcase_add_test(tests, only_one_rule_leaves_every_other_off);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/rules", suite);
}
