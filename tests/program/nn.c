/* Neural network ops and related ops, hand-written cases: convolution, pooling, losses,
 * normalization, scatter_reduce, einsum, meshgrid. */
#include "program/infer/pool.h"
#include "tests/support/exec_fixture.h"
#include "tests/support/runner.h"

#include <math.h>

static Tensor *of(Fixture *f, DType dtype, const int64_t *size, int ndim, const double *v) {
    Tensor *t = arena_new(&f->arena, Tensor);
    tensor_set_contiguous(t, dtype, size, ndim);
    CHECK(tensor_allocate(t, &f->arena, NULL, &f->err) == ERR_none);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        element_store_double(t->storage->data, dtype, i, v[i]);
    }
    return t;
}

#define SIZE(...)                                                                                  \
    (const int64_t[]){__VA_ARGS__}, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define POINT (const int64_t[]){0}, 0
#define INTS(...) SIZE(__VA_ARGS__)
#define FLOATS(size, ...) of(&f, DT_float64, size, (const double[]){__VA_ARGS__})
#define LONGS(size, ...) of(&f, DT_int64, size, (const double[]){__VA_ARGS__})
#define EXPECT(t, size, ...) expect(t, size, (const double[]){__VA_ARGS__})

static void expect(const Tensor *t, const int64_t *size, int ndim, const double *v) {
    ck_assert(t != NULL && sizes_equal(t->size, t->ndim, size, ndim));
    const Tensor *one[1] = {t};
    int64_t i = 0;
    for (Walk w = walk_start(t->size, t->ndim, one, 1); walk_more(&w); walk_next(&w), i++) {
        double got = element_double(t->storage->data, t->dtype, w.at[0]);
        ck_assert_msg(fabs(got - v[i]) < 1e-12 || (isnan(got) && isnan(v[i])),
                      "element %d is %.17g, not %.17g", (int)i, got, v[i]);
    }
}

/* ---- convolution ---- */

START_TEST(a_convolution_is_not_turned_around) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(1, 1, 4), 1, 2, 3, 4), *w = FLOATS(SIZE(1, 1, 2), 10, 1),
           *b = FLOATS(SIZE(1), 0.5);
    EXPECT(emit_op(e, OP_conv1d, 3, x, w, b), SIZE(1, 1, 3), 12.5, 23.5, 34.5);
    EXPECT(emit_op(e, OP_conv1d, 5, x, w, NULL, INTS(2), INTS(1)), SIZE(1, 1, 3), 1, 23, 40);
    EXPECT(emit_op(e, OP_conv1d, 6, x, w, NULL, INTS(1), INTS(0), INTS(2)), SIZE(1, 1, 2), 13, 24);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(groups_see_their_own_channels) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(2, 1, 2), 1, 2, 10, 20),
           *w = FLOATS(SIZE(2, 1, 1, 1), 1, 3); /* no batch dim: the result has none */
    Tensor *y = emit_op(e, OP_conv2d, 7, x, w, NULL, INTS(1), INTS(0), INTS(1), (int64_t)2);
    EXPECT(y, SIZE(2, 1, 2), 1, 2, 30, 60);
    ck_assert(!emit_op(e, OP_conv2d, 7, x, w, NULL, INTS(1), INTS(0), INTS(1), (int64_t)1) &&
              f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_conv2d, 5, x, w, NULL, INTS(0), INTS(0)) && f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- pooling ---- */

START_TEST(the_last_window_begins_inside) {
    Error err = {0};
    int64_t n;
    ck_assert(pool_output(5, 2, 0, 2, 1, false, &n, &err) == ERR_none && n == 2);
    ck_assert(pool_output(5, 2, 0, 2, 1, true, &n, &err) == ERR_none && n == 3);
    ck_assert(pool_output(4, 1, 0, 3, 1, true, &n, &err) == ERR_none && n == 2);
    ck_assert(pool_output(3, 1, 0, 3, 1, true, &n, &err) == ERR_none &&
              n == 1); /* a window at 3 would start outside */
    ck_assert(pool_output(1, 3, 0, 1, 1, false, &n, &err) == ERR_none && n == -1);
    ck_assert(pool_output(5, 2, 0, INT64_MIN, 1, true, &n, &err) == ERR_none &&
              n == 0); /* pool_check reports an error */
    ck_assert(pool_output(5, INT64_MAX, 0, 1, INT64_MAX, true, &n, &err) == ERR_invalid);
    err = (Error){0};
    ck_assert(pool_output(5, 2, 2, 1, 1, false, &n, &err) == ERR_invalid);
}
END_TEST

START_TEST(the_last_nan_is_the_greatest) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(1, 2, 4), 1, NAN, 7, 7, NAN, 2, 3, -INFINITY);
    Call c = call_new(OP_max_pool2d_with_indices);
    c.arg[0].tensor = x;
    c.arg[1].ints.v = (const int64_t[]){2, 2};
    c.arg[1].ints.n = 2;
    Tensor *out[MAX_OUTPUTS];
    int n;
    ck_assert(emit_call(e, &c, out, &n) == ERR_none && n == 2);
    EXPECT(out[0], SIZE(1, 1, 2), NAN, 7);
    EXPECT(out[1], SIZE(1, 1, 2), 4, 2); /* the first of two sevens */
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(an_average_counts_its_padding_if_it_is_told_to) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(1, 3), 3, 6, 9);
    EXPECT(emit_op(e, OP_avg_pool1d, 4, x, INTS(2), INTS(2), INTS(1)), SIZE(1, 2), 1.5, 7.5);
    EXPECT(emit_op(e, OP_avg_pool1d, 6, x, INTS(2), INTS(2), INTS(1), 0, 0), SIZE(1, 2), 3, 7.5);
    EXPECT(emit_op(e, OP_avg_pool1d, 5, x, INTS(2), INTS(2), INTS(0), 1), SIZE(1, 2), 4.5,
           9); /* ceil: half a window */
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(a_window_may_be_far_larger_than_its_plane) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *line = FLOATS(SIZE(1, 3), 1, 3, 2), *plane = FLOATS(SIZE(1, 1, 3), 1, 3, 2);
    EXPECT(emit_op(e, OP__max_pool1d, 6, line, (int64_t)1 << 50, (int64_t)1 << 50, (int64_t)1 << 49,
                   (int64_t)1, 0),
           SIZE(1, 1, 1), 3); /* in one step */
    ck_assert(!emit_op(e, OP_avg_pool2d, 4, plane, INTS((int64_t)1 << 40), INTS(1),
                       INTS((int64_t)1 << 39)) &&
              f.err.code == ERR_limit);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- losses, normalization ---- */

START_TEST(an_ignored_target_counts_nothing) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(3, 2), -1, -2, -3, -4, -5, -6), *t = LONGS(SIZE(3), 1, 0, 1),
           *w = FLOATS(SIZE(2), 1, 3);
    EXPECT(emit_op(e, OP_nll_loss, 5, x, t, w, (int64_t)0, (int64_t)0), SIZE(3), 6, 0, 18);
    EXPECT(emit_op(e, OP_nll_loss, 3, x, t, w), POINT, (6 + 3 + 18) / 7.0);
    EXPECT(emit_op(e, OP_nll_loss, 5, x, LONGS(SIZE(3), 1, 1, 1), NULL, (int64_t)1, (int64_t)1),
           POINT, NAN);
    ck_assert(!emit_op(e, OP_nll_loss, 2, x, LONGS(SIZE(3), 0, 2, 1)) &&
              f.err.code == ERR_index_range);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(a_normalized_row_has_mean_0_and_deviation_1) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(2, 2), 1, 3, 10, 30), *w = FLOATS(SIZE(2), 2, 5),
           *b = FLOATS(SIZE(2), 0, 1);
    EXPECT(emit_op(e, OP_layer_norm, 5, x, INTS(2), w, b, 0.0), SIZE(2, 2), -2, 6, -2, 6);
    EXPECT(emit_op(e, OP_mse_loss, 3, x, w, (int64_t)2), POINT, 1 + 4 + 64 + 625);
    ck_assert(!emit_op(e, OP_layer_norm, 2, x, INTS(3)) && f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- scatter_reduce ---- */

START_TEST(what_is_scattered_is_reduced_with_self_or_without) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = FLOATS(SIZE(3), 10, 20, 30), *i = LONGS(SIZE(3), 0, 0, 2),
           *s = FLOATS(SIZE(3), 2, 4, 6);
    static const struct {
        const char *reduce;
        double with[3], without[3];
    } wanted[] = {
        {"sum", {16, 20, 36}, {6, 20, 6}},        {"prod", {80, 20, 180}, {8, 20, 6}},
        {"mean", {16 / 3.0, 20, 18}, {3, 20, 6}}, {"amax", {10, 20, 30}, {4, 20, 6}},
        {"amin", {2, 20, 6}, {2, 20, 6}},
    };
    for (int k = 0; k < COUNT_OF(wanted); k++) {
        expect(emit_op(e, OP_scatter_reduce_two, 5, x, (int64_t)0, i, s, wanted[k].reduce), SIZE(3),
               wanted[k].with);
        expect(emit_op(e, OP_scatter_reduce_two, 6, x, (int64_t)0, i, s, wanted[k].reduce, 0),
               SIZE(3), wanted[k].without);
    }
    Tensor *whole = of(&f, DT_int64, SIZE(1), (const double[]){-4}),
           *one = of(&f, DT_int64, SIZE(1), (const double[]){-1});
    EXPECT(emit_op(e, OP_scatter_reduce_two, 5, whole, (int64_t)0, LONGS(SIZE(1), 0), one, "mean"),
           SIZE(1), -3); /* rounded down */
    ck_assert(!emit_op(e, OP_scatter_reduce_two, 5, x, (int64_t)0, i, s, "max") &&
              f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- einsum, meshgrid ---- */

static Tensor *einsum(Emit *e, const char *equation, Tensor *a, Tensor *b) {
    Tensor *operands[2] = {a, b};
    return emit_op(e, OP_einsum, 2, equation, operands, b ? 2 : 1);
}

START_TEST(einsum_sums_what_the_output_does_not_name) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *a = FLOATS(SIZE(2, 3), 1, 2, 3, 4, 5, 6), *b = FLOATS(SIZE(3, 2), 1, 0, 0, 1, 2, 2),
           *v = FLOATS(SIZE(3), 1, 10, 100);
    EXPECT(einsum(e, "ij,jk->ik", a, b), SIZE(2, 2), 7, 8, 16, 17);
    EXPECT(einsum(e, "ij,jk", a, b), SIZE(2, 2), 7, 8, 16, 17);
    EXPECT(einsum(e, "ij , j -> i", a, v), SIZE(2), 321, 654);
    EXPECT(einsum(e, "ij,jk->", a, b), POINT, 48);
    EXPECT(einsum(e, "i,j->ji", FLOATS(SIZE(2), 1, 2), v), SIZE(3, 2), 1, 2, 10, 20, 100, 200);
    EXPECT(einsum(e, "ij->j", a, NULL), SIZE(3), 5, 7, 9);
    EXPECT(einsum(e, "ii->i", FLOATS(SIZE(2, 2), 1, 2, 3, 4), NULL), SIZE(2), 1, 4);
    EXPECT(einsum(e, "ij,j->i", a, FLOATS(SIZE(1), 2)), SIZE(2), 12,
           30); /* a dim of 1 broadcasts */
    Tensor *turned = einsum(e, "ij->ji", a, NULL);
    ck_assert(turned->storage == a->storage && turned->stride[0] == 1);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(einsum_refuses) {
    static const struct {
        const char *equation;
        bool two;
        ErrCode code;
    } wrong[] = {
        {"ij,jk->ii", true, ERR_invalid}, {"ij,jk->iz", true, ERR_invalid},
        {"ij", true, ERR_invalid},        {"ij,jk", false, ERR_invalid},
        {"ijk", false, ERR_invalid},      {"i1", false, ERR_invalid},
        {"ij,ij->", true, ERR_invalid},   {"ii", false, ERR_invalid},
        {"i-j", false, ERR_invalid},      {"...j", false, ERR_unsupported},
    };
    Fixture f;
    Emit *e = setup(&f);
    Tensor *a = FLOATS(SIZE(2, 3), 1, 2, 3, 4, 5, 6), *b = FLOATS(SIZE(3, 2), 1, 0, 0, 1, 2, 2);
    for (int k = 0; k < COUNT_OF(wrong); k++) {
        ck_assert_msg(!einsum(e, wrong[k].equation, a, wrong[k].two ? b : NULL) &&
                          f.err.code == wrong[k].code,
                      "%s", wrong[k].equation);
        forget_error(&f);
    }
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(meshgrid_by_xy_exchanges_the_first_two) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *lines[2] = {FLOATS(SIZE(2), 1, 2), FLOATS(SIZE(3), 10, 20, 30)};
    Call c = call_new(OP_meshgrid_indexing);
    c.arg[0].tensors.v = lines;
    c.arg[0].tensors.n = 2;
    c.arg[1].str = "xy";
    Tensor *out[MAX_OUTPUTS];
    int n;
    ck_assert(emit_call(e, &c, out, &n) == ERR_none && n == 2);
    EXPECT(out[0], SIZE(3, 2), 1, 2, 1, 2, 1, 2);
    EXPECT(out[1], SIZE(3, 2), 10, 10, 20, 20, 30, 30);
    ck_assert(out[0]->storage == lines[0]->storage && out[0]->stride[0] == 0);
    arena_destroy(&f.arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("nn");
    TCase *tcase = tcase_create("nn");
    tcase_add_test(tcase, a_convolution_is_not_turned_around);
    tcase_add_test(tcase, groups_see_their_own_channels);
    tcase_add_test(tcase, the_last_window_begins_inside);
    tcase_add_test(tcase, the_last_nan_is_the_greatest);
    tcase_add_test(tcase, an_average_counts_its_padding_if_it_is_told_to);
    tcase_add_test(tcase, a_window_may_be_far_larger_than_its_plane);
    tcase_add_test(tcase, an_ignored_target_counts_nothing);
    tcase_add_test(tcase, a_normalized_row_has_mean_0_and_deviation_1);
    tcase_add_test(tcase, what_is_scattered_is_reduced_with_self_or_without);
    tcase_add_test(tcase, einsum_sums_what_the_output_does_not_name);
    tcase_add_test(tcase, einsum_refuses);
    tcase_add_test(tcase, meshgrid_by_xy_exchanges_the_first_two);
    suite_add_tcase(suite, tcase);
    return run_suite("program/nn", suite);
}
