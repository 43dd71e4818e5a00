/* The tensor core: geometry, promotion, casts, fills and scalar functions, with expected values
 * computed by hand or by PyTorch. */
#include "tensor/array.h"
#include "tensor/hash.h"
#include "tensor/pointwise.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <math.h>
#include <signal.h>
#include <string.h>

static Arena arena;

static Tensor tensor_of(DType dtype, int ndim, const int64_t *size, const int64_t *stride,
                        int64_t offset) {
    Tensor t;
    tensor_set_contiguous(&t, dtype, size, ndim);
    memcpy(t.stride, stride, (size_t)ndim * sizeof *stride);
    t.offset = offset;
    return t;
}
#define SIZES(...) ((const int64_t[]){__VA_ARGS__})

START_TEST(splitmix64_starts_with_the_published_outputs) {
    Rng rng = {0};
    ck_assert(rng_next(&rng) == 0xe220a8397b1dcdafu);
    ck_assert(rng_next(&rng) == 0x6e789e6aa1b965f4u);
    ck_assert(rng_next(&rng) == 0x06c45d188009454fu);
}
END_TEST

START_TEST(checked_products_refuse_overflow_and_negative_sizes) {
    int64_t n = 7;
    int64_t stride[3];
    contiguous_strides(SIZES(3, INT64_MAX, 2), 3,
                       stride); /* strides are computed before the sizes are rejected */
    ck_assert_int_eq(stride[1], 2);
    ck_assert_int_eq(stride[0], INT64_MAX);
    ck_assert(!sizes_numel(SIZES(INT64_MAX, 2), 2, &n));
    ck_assert(!sizes_numel(SIZES(3, -1), 2, &n));
    ck_assert_int_eq(n, 7);
    ck_assert(sizes_numel(SIZES(3, 0, 5), 3, &n));
    ck_assert_int_eq(n, 0);
    ck_assert(sizes_numel(NULL, 0, &n));
    ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(contiguity_ignores_strides_of_single_element_dims) {
    Tensor t = tensor_of(DT_float32, 3, SIZES(2, 1, 3), SIZES(3, 99, 1), 0);
    ck_assert(tensor_is_contiguous(&t));
    t.stride[0] = 4;
    ck_assert(!tensor_is_contiguous(&t));
}
END_TEST

START_TEST(a_transposed_tensor_is_dense_a_stepped_one_is_not) {
    Tensor transposed = tensor_of(DT_float32, 2, SIZES(2, 3), SIZES(1, 2), 0);
    Tensor stepped = tensor_of(DT_float32, 2, SIZES(2, 3), SIZES(6, 2), 0);
    ck_assert(tensor_is_dense(&transposed) && !tensor_is_contiguous(&transposed));
    ck_assert(!tensor_is_dense(&stepped));
}
END_TEST

START_TEST(self_overlap_is_found_exactly) {
    Tensor expanded = tensor_of(DT_float32, 2, SIZES(2, 3), SIZES(0, 1), 0);
    Tensor windows = tensor_of(DT_float32, 2, SIZES(4, 3), SIZES(1, 1), 0);
    Tensor interleaved =
        tensor_of(DT_float32, 2, SIZES(2, 2), SIZES(3, 2),
                  5); /* 5 7 8 10: all distinct, although the strides do not nest */
    ck_assert_int_eq(tensor_internal_overlap(&expanded), OVERLAP_YES);
    ck_assert_int_eq(tensor_internal_overlap(&windows), OVERLAP_TOO_HARD);
    ck_assert(tensor_overlaps_itself(&expanded));
    ck_assert(tensor_overlaps_itself(&windows));
    ck_assert(!tensor_overlaps_itself(&interleaved));
}
END_TEST

START_TEST(two_tensors_overlap_fully_partly_or_not) {
    Storage *s = storage_new(&arena, DT_float32, 8);
    Tensor a = tensor_of(DT_float32, 1, SIZES(4), SIZES(1), 0),
           b = tensor_of(DT_float32, 1, SIZES(4), SIZES(1), 2);
    Tensor c = tensor_of(DT_float32, 1, SIZES(4), SIZES(1), 4), d = a;
    a.storage = b.storage = c.storage = d.storage = s;
    ck_assert_int_eq(tensor_overlap_status(&a, &b), OVERLAP_PARTIAL);
    ck_assert_int_eq(tensor_overlap_status(&a, &c), OVERLAP_NO);
    ck_assert_int_eq(tensor_overlap_status(&a, &d), OVERLAP_FULL);
}
END_TEST

START_TEST(dims_wrap_and_a_scalar_has_one_dim_to_name) {
    Error err = {0};
    int d;
    ck_assert(dim_wrap(-1, 3, &d, &err) == ERR_none && d == 2);
    ck_assert(dim_wrap(-1, 0, &d, &err) == ERR_none && d == 0);
    ck_assert_int_eq(dim_wrap(3, 3, &d, &err), ERR_index_range);
}
END_TEST

START_TEST(broadcasting_aligns_right_and_refuses_what_does_not_fit) {
    Error err = {0};
    int64_t size[MAX_DIMS] = {3, 1};
    int n = 2;
    ck_assert_int_eq(broadcast_into(size, &n, SIZES(2, 1, 4), 3, &err), ERR_none);
    ck_assert(sizes_equal(size, n, SIZES(2, 3, 4), 3));
    ck_assert_int_eq(broadcast_into(size, &n, SIZES(5), 1, &err), ERR_shape);
}
END_TEST

START_TEST(a_zero_size_broadcasts_with_one) {
    Error err = {0};
    int64_t size[MAX_DIMS] = {0};
    int n = 1;
    ck_assert_int_eq(broadcast_into(size, &n, SIZES(1), 1, &err), ERR_none);
    ck_assert(sizes_equal(size, n, SIZES(0), 1));
}
END_TEST

static DType promote2(DType a, int na, DType b, int nb) {
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, a, na);
    promotion_tensor(&p, b, nb);
    return promotion_result(&p);
}

static DType promote_with(DType a, int na, Category scalar) {
    Promotion p = PROMOTION_START;
    promotion_tensor(&p, a, na);
    promotion_scalar(&p, scalar);
    return promotion_result(&p);
}

START_TEST(promotion_follows_the_rules_of_semantics_5_1) {
    ck_assert_int_eq(promote2(DT_float32, 1, DT_float64, 0), DT_float32);
    ck_assert_int_eq(promote2(DT_int64, 1, DT_float64, 0), DT_float64);
    ck_assert_int_eq(promote2(DT_int64, 1, DT_float32, 2), DT_float32);
    ck_assert_int_eq(promote2(DT_uint8, 1, DT_int8, 1), DT_int16);
    ck_assert_int_eq(promote2(DT_uint8, 1, DT_int32, 1), DT_int32);
    ck_assert_int_eq(promote_with(DT_int32, 1, CAT_FLOAT), DT_float32);
    ck_assert_int_eq(promote_with(DT_bool, 1, CAT_INT), DT_int64);
    ck_assert_int_eq(promote_with(DT_int32, 0, CAT_INT), DT_int32);
    ck_assert_int_eq(promote_with(DT_float64, 0, CAT_FLOAT), DT_float64);
    ck_assert_int_eq(promote_with(DT_int32, 1, CAT_BOOL), DT_int32);
}
END_TEST

START_TEST(casts_truncate_wrap_and_say_what_is_undefined) {
    int32_t i;
    uint8_t b;
    element_store_double(&i, DT_int32, 0, -2.9);
    ck_assert_int_eq(i, -2);
    element_store_double(&b, DT_bool, 0, (double)NAN);
    ck_assert_int_eq(b, 1);
    element_store_int(&i, DT_int32, 0, ((int64_t)1 << 32) + 5);
    ck_assert_int_eq(i, 5);
    ck_assert(cast_in_range(2147483647.5, DT_int32) && !cast_in_range(2147483648.0, DT_int32));
    ck_assert(!cast_in_range((double)NAN, DT_int64) && !cast_in_range(0x1p63, DT_int64) &&
              cast_in_range(-0x1p63, DT_int64));
}
END_TEST

START_TEST(int64_to_float32_rounds_once) {
    int64_t v = 0x100000080000001; /* conversion through double would round to even twice */
    float f;
    element_cast(&f, DT_float32, 0, &v, DT_int64, 0);
    ck_assert(f == (float)v);
}
END_TEST

/* The value of a half type's bits, by definition; the pattern after the largest finite one reads as
 * the next power of two. */
static double half_value(unsigned bits, int fraction, int bias) {
    int e = (int)(bits >> fraction);
    unsigned m = bits & ((1u << fraction) - 1);
    return e == 0 ? ldexp(m, 1 - bias - fraction)
                  : ldexp(m + (1u << fraction), e - bias - fraction);
}

static const struct HalfType {
    DType dtype;
    int fraction, bias;
    unsigned infinity;
} half_types[2] = {{DT_float16, 10, 15, 0x7C00}, {DT_bfloat16, 7, 127, 0x7F80}};

START_TEST(all_65536_patterns_of_a_half_are_read_and_come_back) {
    const struct HalfType *h = &half_types[_i];
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t cell = (uint16_t)bits, back = 0;
        double v = element_double(&cell, h->dtype, 0);
        unsigned magnitude = bits & 0x7FFF;
        element_store_double(&back, h->dtype, 0, v);
        if (magnitude > h->infinity) {
            ck_assert(isnan(v));
            ck_assert(isnan(element_double(&back, h->dtype, 0)));
            continue;
        }
        ck_assert(magnitude == h->infinity
                      ? isinf(v)
                      : fabs(v) == half_value(magnitude, h->fraction, h->bias));
        ck_assert_int_eq(signbit(v) != 0, bits >> 15);
        ck_assert_uint_eq(back, bits);
    }
}
END_TEST

START_TEST(halves_round_to_nearest_ties_to_even_up_to_infinity) {
    const struct HalfType *h = &half_types[_i];
    for (unsigned bits = 0; bits < h->infinity; bits++) {
        double here = half_value(bits, h->fraction, h->bias),
               next = half_value(bits + 1, h->fraction, h->bias);
        double tie = here + (next - here) / 2,
               hair = (next - here) * 0x1p-10; /* float32 has that digit except below 2^-149 */
        uint16_t cell = 0;
        element_store_double(&cell, h->dtype, 0, tie);
        ck_assert_uint_eq(cell, bits + (bits & 1));
        element_store_double(&cell, h->dtype, 0, -tie);
        ck_assert_uint_eq(cell, 0x8000 | (bits + (bits & 1)));
        element_store_double(&cell, h->dtype, 0, tie - hair);
        ck_assert_uint_eq(cell, bits);
        element_store_double(&cell, h->dtype, 0, tie + hair);
        ck_assert_uint_eq(cell, bits + 1);
    }
    ck_assert_double_eq(dtype_largest(h->dtype), half_value(h->infinity - 1, h->fraction, h->bias));
    ck_assert_double_eq(dtype_smallest_normal(h->dtype),
                        half_value(1u << h->fraction, h->fraction, h->bias));
    ck_assert_double_eq(dtype_smallest_subnormal(h->dtype), half_value(1, h->fraction, h->bias));
    ck_assert_double_eq(1 + 2 * dtype_unit(h->dtype),
                        half_value(((unsigned)h->bias << h->fraction) + 1, h->fraction, h->bias));
}
END_TEST

/* Results of PyTorch 1.13.1: torch.tensor(..).to(torch.bfloat16), .to(torch.float16). */
START_TEST(doubles_and_integers_become_halves_by_way_of_float32) {
    ck_assert_double_eq(dtype_round(1 + 0x1p-8 + 0x1p-40, DT_bfloat16), 1);
    ck_assert_double_eq(dtype_round(1 + 0x1p-11 + 0x1p-40, DT_float16), 1);
    ck_assert(isinf(dtype_round(1e300, DT_bfloat16)));
    ck_assert(isinf(dtype_round(65519.9999999, DT_float16)));
    static const struct {
        int64_t from;
        double bfloat, half;
    } cases[] = {{((int64_t)257 << 20) + 1, 268435456, INFINITY},
                 {((int64_t)259 << 20) - 1, 272629760, INFINITY},
                 {2049, 2048, 2048},
                 {2051, 2048, 2052},
                 {65519, 65536, 65504},
                 {65520, 65536, INFINITY},
                 {-65520, -65536, -INFINITY},
                 {70000, 70144, INFINITY}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        uint16_t cell;
        element_cast(&cell, DT_bfloat16, 0, &cases[k].from, DT_int64, 0);
        ck_assert_double_eq(element_double(&cell, DT_bfloat16, 0), cases[k].bfloat);
        element_cast(&cell, DT_float16, 0, &cases[k].from, DT_int64, 0);
        ck_assert_double_eq(element_double(&cell, DT_float16, 0), cases[k].half);
    }
    ck_assert_int_eq(dtype_promote(DT_float16, DT_bfloat16), DT_float32);
    ck_assert_int_eq(promote2(DT_bfloat16, 1, DT_float32, 0), DT_bfloat16);
    ck_assert_int_eq(promote_with(DT_float16, 1, CAT_FLOAT), DT_float16);
}
END_TEST

START_TEST(fills_are_those_of_the_format) {
    float f[8];
    int64_t n[8];
    uint8_t b[8];
    fill_buffer(f, DT_float32, 6, FILL_dyadic,
                124); /* recorded by PyTorch: corpus/golden/1.13/semantics.jsonl */
    const float expected[6] = {-1.5f, -1.25f, 0.375f, -1.0f, 1.625f, -0.875f};
    ck_assert(memcmp(f, expected, sizeof expected) == 0);
    fill_buffer(n, DT_int64, 2, FILL_dyadic, 124); /* the same draws, times 8 */
    ck_assert(n[0] == -12 && n[1] == -10);
    fill_buffer(f, DT_float32, 6, FILL_decimal, 124);
    for (int k = 0; k < 6; k++) {
        ck_assert(f[k] == (float)(8 * (double)expected[k] / 10));
    }
    fill_buffer(n, DT_int64, 2, FILL_decimal, 124);
    ck_assert(n[0] == -12 && n[1] == -10);
    fill_buffer(b, DT_bool, 3, FILL_arange, 0);
    ck_assert(b[0] == 0 && b[1] == 1 && b[2] == 1);
    fill_buffer(f, DT_float32, 8, FILL_uniform, 3);
    for (int k = 0; k < 8; k++) {
        ck_assert(f[k] >= -2 && f[k] <= 2);
    }
}
END_TEST

START_TEST(a_walk_visits_every_index_in_row_major_order) {
    Tensor t = tensor_of(DT_int64, 3, SIZES(2, 1, 3), SIZES(1, 7, 4), 2);
    const Tensor *one[1] = {&t};
    int64_t seen[6];
    int n = 0;
    for (Walk w = walk_start(t.size, t.ndim, one, 1); walk_more(&w); walk_next(&w)) {
        ck_assert(n < 6);
        seen[n++] = w.at[0];
    }
    ck_assert(n == 6 && memcmp(seen, SIZES(2, 6, 10, 3, 7, 11), sizeof seen) == 0);
}
END_TEST

START_TEST(a_walk_over_an_empty_tensor_visits_nothing_and_over_a_scalar_once) {
    Tensor empty = tensor_of(DT_int64, 2, SIZES(3, 0), SIZES(1, 1), 0),
           scalar = tensor_of(DT_int64, 0, SIZES(0), SIZES(0), 3);
    const Tensor *one[1] = {&empty};
    int n = 0;
    for (Walk w = walk_start(empty.size, 2, one, 1); walk_more(&w); walk_next(&w)) {
        n++;
    }
    ck_assert_int_eq(n, 0);
    one[0] = &scalar;
    for (Walk w = walk_start(scalar.size, 0, one, 1); walk_more(&w); walk_next(&w)) {
        ck_assert_int_eq(w.at[0], 3);
        n++;
    }
    ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(allocation_keeps_to_the_limits) {
    Error err = {0};
    Limits limits = LIMITS_DEFAULT;
    Tensor t = tensor_of(DT_float32, 2, SIZES((int64_t)1 << 20, (int64_t)1 << 10),
                         SIZES((int64_t)1 << 10, 1), 0);
    ck_assert_int_eq(tensor_allocate(&t, &arena, &limits, &err), ERR_limit);
}
END_TEST

static double call_f(Pw pw, double a, double b) {
    return pw_info(pw)->f((const double[]){a, b, 1, 1});
}
static int64_t call_i(Pw pw, int64_t a, int64_t b) {
    PwStatus status = {0};
    return pw_info(pw)->i((const int64_t[]){a, b, 1, 1}, &status);
}

START_TEST(scalar_functions_answer_as_torch_at_the_edges) {
    ck_assert(signbit(call_f(PW_relu, -0.0, 0)) && isnan(call_f(PW_relu, (double)NAN, 0)));
    ck_assert(call_f(PW_sign, (double)NAN, 0) == 0);
    ck_assert(!signbit(call_f(PW_maximum, 0.0, -0.0)) && signbit(call_f(PW_maximum, -0.0, 0.0)));
    ck_assert(signbit(call_f(PW_div_floor, -0.0, 1.0)));
    ck_assert(isinf(call_f(PW_remainder, -5, (double)INFINITY)) &&
              call_f(PW_remainder, 5, (double)INFINITY) == 5);
    ck_assert(isnan(call_f(PW_remainder, 1, 0)));
    ck_assert(call_f(PW_fmax, (double)NAN, 2) == 2 && isnan(call_f(PW_maximum, (double)NAN, 2)));
    ck_assert(call_f(PW_pow, 0, 0) == 1 && call_f(PW_round, 2.5, 0) == 2);
    ck_assert(pw_info(PW_clamp)->f((const double[]){2, 3, 1}) == 1);
}
END_TEST

START_TEST(integer_functions_wrap_and_never_trap) {
    ck_assert(call_i(PW_add, INT64_MAX, 1) == INT64_MIN);
    ck_assert(call_i(PW_div_trunc, INT64_MIN, -1) == INT64_MIN &&
              call_i(PW_fmod, INT64_MIN, -1) == 0);
    ck_assert(call_i(PW_div_floor, -7, 2) == -4 && call_i(PW_remainder, -7, 2) == 1 &&
              call_i(PW_fmod, -7, 2) == -1);
    ck_assert(call_i(PW_pow, -1, -3) == -1 && call_i(PW_pow, 2, -1) == 0 &&
              call_i(PW_pow, 3, 2) == 9);
    PwStatus status = {0};
    pw_info(PW_remainder)->i((const int64_t[]){1, 0}, &status);
    ck_assert(status.zero_divisor);
}
END_TEST

START_TEST(operands_are_rounded_to_the_common_dtype_first) {
    Storage *s = storage_new(&arena, DT_int64, 1), *o = storage_new(&arena, DT_float32, 1);
    ((int64_t *)s->data)[0] = 16777217; /* not a float32 */
    Tensor a = tensor_of(DT_int64, 0, SIZES(0), SIZES(0), 0),
           out = tensor_of(DT_float32, 0, SIZES(0), SIZES(0), 0);
    a.storage = s;
    out.storage = o;
    PwOperand operands[2] = {{&a, {0}}, {NULL, scalar_float(-16777216.0)}};
    PwStatus status = {0};
    PwOperand three[3] = {operands[0], operands[1], {NULL, scalar_int(1)}};
    pw_apply(PW_add, DT_float32, &out, three, 3, &status);
    ck_assert(((float *)o->data)[0] == 0.0f);
}
END_TEST

START_TEST(the_first_error_stays) {
    Error err = {0};
    error_set(&err, ERR_shape, "first");
    ck_assert_int_eq(error_set(&err, ERR_dtype, "second"), ERR_shape);
    ck_assert_str_eq(err.text, "first");
}
END_TEST

START_TEST(an_arena_reset_forgets_and_hands_out_zeroed_memory_again) {
    Arena a = ARENA_EMPTY;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 1000; k++) {
            int64_t *p = arena_array(&a, int64_t, 100);
            ck_assert(p[0] == 0 && p[99] == 0);
            p[0] = p[99] = -1;
        }
        arena_reset(&a);
        ck_assert_int_eq(a.bytes, 0);
    }
    arena_destroy(&a);
}
END_TEST

START_TEST(a_growable_array_keeps_its_elements_and_doubles) {
    Arena a = ARENA_EMPTY;
    int64_t *v = NULL;
    int n = 0, capacity = 0, moves = 0;
    for (; n < 1000; n++) {
        int64_t *before = v;
        v = array_reserve(&a, v, n, &capacity, 3, sizeof *v);
        moves += v != before;
        v[n] = 7 * n;
    }
    ck_assert_int_eq(capacity, 3 * 512);
    ck_assert_int_eq(moves, 10); /* 3, 6, .., 1536 */
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(v[i], 7 * i);
    }
    arena_destroy(&a);
}
END_TEST

START_TEST(a_growable_heap_array_keeps_its_elements_and_doubles) {
    int capacity = 0, *v = NULL;
    for (int n = 0; n < 100; n++) {
        v = array_reserve_heap(v, n, &capacity, 3, sizeof *v);
        ck_assert_int_gt(capacity, n);
        v[n] = n;
    }
    ck_assert_int_eq(capacity, 192);
    for (int n = 0; n < 100; n++) {
        ck_assert_int_eq(v[n], n);
    }
    free(v);
}
END_TEST

START_TEST(a_growable_array_of_more_than_int_elements_is_a_broken_invariant) {
    Arena a = ARENA_EMPTY;
    int capacity = INT32_MAX / 2 + 1;
    array_reserve(&a, NULL, capacity, &capacity, 1, 1);
}
END_TEST

/* Test vectors: draft-eastlake-fnv, appendix C. */
START_TEST(fnv_hashes_are_the_published_ones) {
    ck_assert_uint_eq(fnv32_text(FNV32_START, ""), 0x811c9dc5u);
    ck_assert_uint_eq(fnv32_text(FNV32_START, "a"), 0xe40c292cu);
    ck_assert_uint_eq(fnv32_text(FNV32_START, "foobar"), 0xbf9cf968u);
    ck_assert(fnv64_text(FNV64_START, "") == UINT64_C(0xcbf29ce484222325));
    ck_assert(fnv64_text(FNV64_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert(fnv64_text(FNV64_START, "foobar") == UINT64_C(0x85944171f73967e8));
    ck_assert(fnv64_text(fnv64_text(FNV64_START, "foo"), "bar") ==
              fnv64_text(FNV64_START, "foobar"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("tensor");
    TCase *tc = tcase_create("tensor");
    tcase_add_test(tc, splitmix64_starts_with_the_published_outputs);
    tcase_add_test(tc, checked_products_refuse_overflow_and_negative_sizes);
    tcase_add_test(tc, contiguity_ignores_strides_of_single_element_dims);
    tcase_add_test(tc, a_transposed_tensor_is_dense_a_stepped_one_is_not);
    tcase_add_test(tc, self_overlap_is_found_exactly);
    tcase_add_test(tc, two_tensors_overlap_fully_partly_or_not);
    tcase_add_test(tc, dims_wrap_and_a_scalar_has_one_dim_to_name);
    tcase_add_test(tc, broadcasting_aligns_right_and_refuses_what_does_not_fit);
    tcase_add_test(tc, a_zero_size_broadcasts_with_one);
    tcase_add_test(tc, promotion_follows_the_rules_of_semantics_5_1);
    tcase_add_test(tc, casts_truncate_wrap_and_say_what_is_undefined);
    tcase_add_test(tc, int64_to_float32_rounds_once);
    tcase_add_loop_test(tc, all_65536_patterns_of_a_half_are_read_and_come_back, 0, 2);
    tcase_add_loop_test(tc, halves_round_to_nearest_ties_to_even_up_to_infinity, 0, 2);
    tcase_add_test(tc, doubles_and_integers_become_halves_by_way_of_float32);
    tcase_add_test(tc, fills_are_those_of_the_format);
    tcase_add_test(tc, a_walk_visits_every_index_in_row_major_order);
    tcase_add_test(tc, a_walk_over_an_empty_tensor_visits_nothing_and_over_a_scalar_once);
    tcase_add_test(tc, allocation_keeps_to_the_limits);
    tcase_add_test(tc, scalar_functions_answer_as_torch_at_the_edges);
    tcase_add_test(tc, integer_functions_wrap_and_never_trap);
    tcase_add_test(tc, operands_are_rounded_to_the_common_dtype_first);
    tcase_add_test(tc, the_first_error_stays);
    tcase_add_test(tc, an_arena_reset_forgets_and_hands_out_zeroed_memory_again);
    tcase_add_test(tc, a_growable_array_keeps_its_elements_and_doubles);
    tcase_add_test(tc, a_growable_heap_array_keeps_its_elements_and_doubles);
    const char *fork = getenv("CK_FORK");
    if (!fork || strcmp(fork, "no") != 0) { /* it ends its process */
        tcase_add_test_raise_signal(
            tc, a_growable_array_of_more_than_int_elements_is_a_broken_invariant, SIGABRT);
    }
    tcase_add_test(tc, fnv_hashes_are_the_published_ones);
    suite_add_tcase(suite, tc);
    return run_suite("tensor/tensor", suite);
}
