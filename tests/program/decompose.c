/* Decompositions other than indexing: which ones return self itself, a view, or a copy that is not
 * a view; the cases of matmul against the definition of the product; errors. */
#include "tests/support/exec_fixture.h"
#include "tests/support/runner.h"

/* arange(numel).reshape(size), float64; size ends with -1. */
static Tensor *counting(Fixture *f, const int64_t *size) {
    int n = 0;
    while (size[n] != -1) {
        n++;
    }
    Tensor *t = arena_new(&f->arena, Tensor);
    tensor_set_contiguous(t, DT_float64, size, n);
    CHECK(tensor_allocate(t, &f->arena, NULL, &f->err) == ERR_none);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        ((double *)t->storage->data)[i] = (double)(i % 7) - 2;
    }
    return t;
}

#define SIZE(...)                                                                                  \
    (const int64_t[]) { __VA_ARGS__, -1 }
#define COUNTING(...) counting(&f, SIZE(__VA_ARGS__))

static void expect_size(const Tensor *t, const int64_t *size) {
    int n = 0;
    while (size[n] != -1) {
        n++;
    }
    ck_assert(t != NULL);
    ck_assert(sizes_equal(t->size, t->ndim, size, n));
}

static void expect_same_order(const Tensor *a, const Tensor *b) {
    double x[256], y[256];
    ck_assert(tensor_numel(a) == tensor_numel(b) && tensor_numel(a) <= 256);
    tensor_gather(a, x);
    tensor_gather(b, y);
    ck_assert(memcmp(x, y, sizeof(double) * (size_t)tensor_numel(a)) == 0);
}

START_TEST(reshape_is_a_view_where_it_can) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(2, 3, 4);
    Tensor *r = emit_op(e, OP_reshape, 2, x, SIZE(6, -1), 2);
    expect_size(r, SIZE(6, 4));
    ck_assert(r != x && r->storage == x->storage);
    r = emit_op(e, OP_reshape, 2, x, SIZE(2, 3, 4), 3); /* a new view even here */
    ck_assert(r != x && r->storage == x->storage);
    Tensor *turned = emit_transpose(e, x, 0, 2); /* 4,3,2 with strides 1,4,12 */
    r = emit_op(e, OP_reshape, 2, turned, SIZE(12, 2), 2);
    expect_size(r, SIZE(12, 2));
    ck_assert(r->storage != x->storage && tensor_is_contiguous(r) &&
              f.exec.last == OP__reshape_copy);
    expect_same_order(r, turned);
    r = emit_op(e, OP_reshape, 2, turned, SIZE(4, 1, 3, 2), 4); /* size-1 dims are free */
    ck_assert(r->storage == x->storage);
    r = emit_op(e, OP_reshape, 2, turned, SIZE(2, 2, 3, 2), 4); /* a dim may be split */
    ck_assert(r->storage == x->storage);
    expect_same_order(r, turned);
    r = emit_op(e, OP_reshape, 2, emit_expand(e, COUNTING(1), SIZE(4), 1), SIZE(2, 2), 2);
    ck_assert(f.exec.last == OP_view && r->stride[0] == 0 && r->stride[1] == 0);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(reshape_refuses) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(2, 3), *empty = COUNTING(0, 3);
    ck_assert(!emit_op(e, OP_reshape, 2, x, SIZE(4), 1) && f.err.code == ERR_shape);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_reshape, 2, x, (const int64_t[]){-1, -1}, 2) &&
              f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_reshape, 2, x, (const int64_t[]){-2, 3}, 2) &&
              f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_reshape, 2, empty, (const int64_t[]){-1, 0}, 2) &&
              f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(self_itself_where_nothing_is_to_do) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(2, 3), *line = COUNTING(4), *point = counting(&f, (const int64_t[]){-1});
    ck_assert(emit_unary(e, OP_contiguous, x) == x);
    ck_assert(emit_op(e, OP_to, 2, x, (int)DT_float64) == x);
    ck_assert(emit_op(e, OP_to, 4, x, (int)DT_float64, 0, 1) != x);
    ck_assert(emit_op(e, OP_to, 2, x, (int)DT_int32)->dtype == DT_int32);
    ck_assert(emit_unary(e, OP_flatten, line) == line);
    ck_assert(emit_op(e, OP_flatten, 3, x, (int64_t)1, (int64_t)-1) == x);
    expect_size(emit_unary(e, OP_flatten, point), SIZE(1));
    Tensor *flat = emit_unary(e, OP_flatten, x);
    expect_size(flat, SIZE(6));
    ck_assert(flat->storage == x->storage);
    Tensor *ravelled = emit_unary(e, OP_ravel, line);
    ck_assert(ravelled != line && ravelled->storage == line->storage);
    Tensor *turned = emit_unary(e, OP_t, x), *dense = emit_unary(e, OP_contiguous, turned);
    ck_assert(dense->storage != x->storage && tensor_is_contiguous(dense));
    expect_same_order(dense, turned);
    expect_same_order(emit_unary(e, OP_ravel, turned), turned);
    expect_size(emit_op(e, OP_flatten, 3, COUNTING(2, 3, 4, 5), (int64_t)1, (int64_t)2),
                SIZE(2, 12, 5));
    ck_assert(!emit_op(e, OP_flatten, 3, COUNTING(2, 3), (int64_t)1, (int64_t)0) &&
              f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_flatten, 3, COUNTING(2, 3), (int64_t)2, (int64_t)0) &&
              f.err.code == ERR_index_range);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(tensor_split_gives_slices) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(7, 2), *out[MAX_OUTPUTS];
    int n;
    Call call = call_new(OP_tensor_split);
    call.arg[0].tensor = x;
    call.arg[1].i = 3;
    ck_assert(emit_call(e, &call, out, &n) == ERR_none && n == 3 && f.exec.last == OP_slice);
    expect_size(out[0], SIZE(3, 2));
    expect_size(out[1], SIZE(2, 2));
    ck_assert(out[2]->offset == 10 && out[2]->storage == x->storage);
    call = call_new(OP_tensor_split_indices);
    call.arg[0].tensor = x;
    call.arg[1].ints.v = SIZE(2, 1, 9);
    call.arg[1].ints.n = 3;
    ck_assert(emit_call(e, &call, out, &n) == ERR_none && n == 4);
    expect_size(out[0], SIZE(2, 2));
    expect_size(out[1], SIZE(0, 2));
    expect_size(out[2], SIZE(6, 2));
    expect_size(out[3], SIZE(0, 2));
    ck_assert(!emit_op(e, OP_tensor_split, 3, x, (int64_t)0, (int64_t)0) &&
              f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(stack_joins_equal_sizes) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *list[3] = {COUNTING(2, 3), COUNTING(2, 3), COUNTING(3, 2)};
    expect_size(emit_op(e, OP_stack, 2, list, 2, (int64_t)-1), SIZE(2, 3, 2));
    Tensor *s = emit_op(e, OP_stack, 2, list, 2, (int64_t)0);
    expect_same_order(emit_select(e, s, 0, 1), list[1]);
    ck_assert(!emit_op(e, OP_stack, 2, list, 3, (int64_t)0) && f.err.code == ERR_shape);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_stack, 2, list, 0, (int64_t)0) && f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_stack, 2, list, 2, (int64_t)3) && f.err.code == ERR_index_range);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- matmul ---- */

static double at(const Tensor *t, const int64_t *batch, int nbatch, int64_t row, int64_t column) {
    int own = t->ndim - 2;
    int64_t place = t->offset + row * t->stride[t->ndim - 2] + column * t->stride[t->ndim - 1];
    for (int d = 0; d < own; d++) {
        int64_t i = batch[nbatch - own + d];
        place += (t->size[d] == 1 ? 0 : i) * t->stride[d];
    }
    return ((const double *)t->storage->data)[place];
}

/* c = a @ b by the definition; vectors become a row and a column first. */
static void expect_product(Emit *e, Tensor *a, Tensor *b) {
    Tensor *c = emit_binary(e, OP_matmul, a, b);
    ck_assert_msg(c != NULL, "%s", e->err->text);
    ck_assert(tensor_is_contiguous(c));
    Tensor *rows = a->ndim == 1 ? emit_unsqueeze(e, a, 0) : a,
           *columns = b->ndim == 1 ? emit_unsqueeze(e, b, 1) : b;
    int64_t size[MAX_DIMS], numel, batch[MAX_DIMS] = {0};
    int n = rows->ndim - 2;
    memcpy(size, rows->size, sizeof size);
    ck_assert(broadcast_into(size, &n, columns->size, columns->ndim - 2, e->err) == ERR_none);
    int64_t r = rows->size[rows->ndim - 2], k = rows->size[rows->ndim - 1],
            q = columns->size[columns->ndim - 1];
    ck_assert(sizes_numel(size, n, &numel) && numel * r * q == tensor_numel(c));
    double got[512];
    tensor_gather(c, got);
    for (int64_t i = 0, place = 0; i < numel; i++) {
        for (int64_t left = i, d = n - 1; d >= 0; d--) {
            batch[d] = left % size[d];
            left /= size[d];
        }
        for (int64_t row = 0; row < r; row++) {
            for (int64_t column = 0; column < q; column++, place++) {
                double sum = 0;
                for (int64_t j = 0; j < k; j++) {
                    sum += at(rows, batch, n, row, j) * at(columns, batch, n, j, column);
                }
                ck_assert_msg(got[place] == sum, "element %lld is %g, not %g", (long long)place,
                              got[place], sum);
            }
        }
    }
}

START_TEST(matmul_is_the_product) {
    Fixture f;
    Emit *e = setup(&f);
    expect_product(e, COUNTING(3), COUNTING(3));
    expect_product(e, COUNTING(2, 3), COUNTING(3));
    expect_product(e, COUNTING(3), COUNTING(3, 2));
    expect_product(e, COUNTING(2, 3), COUNTING(3, 2));
    expect_product(e, COUNTING(2, 3, 4), COUNTING(4));
    expect_product(e, COUNTING(4), COUNTING(2, 4, 5));
    expect_product(e, COUNTING(2, 3, 4), COUNTING(4, 5));
    expect_product(e, COUNTING(3, 4), COUNTING(2, 4, 5));
    expect_product(e, COUNTING(1, 4), COUNTING(2, 4, 1));
    expect_product(e, emit_transpose(e, COUNTING(2, 4, 3), 1, 2), COUNTING(4, 5));
    expect_product(e, emit_transpose(e, COUNTING(3, 2, 4), 0, 1), COUNTING(4, 5));
    expect_product(e, COUNTING(3, 4), emit_transpose(e, COUNTING(2, 5, 4), 1, 2));
    expect_product(e, COUNTING(2, 3, 4), COUNTING(2, 4, 5));
    expect_product(e, COUNTING(1, 3, 4), COUNTING(2, 4, 5));
    expect_product(e, COUNTING(2, 2, 3, 4), COUNTING(2, 4, 5));
    expect_product(e, COUNTING(2, 1, 3, 4), COUNTING(2, 4, 2));
    expect_product(e, COUNTING(2, 2, 3, 4), COUNTING(4));
    expect_product(e, COUNTING(2, 3, 0), COUNTING(0, 5));
    expect_product(e, COUNTING(0, 3, 4), COUNTING(4, 5));
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(matmul_folds_as_torch) {
    Fixture f;
    Emit *e = setup(&f);
    static const struct {
        int64_t a[5], b[5];
        bool turn_a;
        OpId product;
    } folds[] = {{{2, 3, 4, -1}, {4, 5, -1}, false, OP_mm},
                 {{2, 4, 3, -1}, {4, 5, -1}, true, OP_bmm},
                 {{2, 3, 4, -1}, {4, -1}, false, OP_mv},
                 {{2, 3, 4, -1}, {2, 4, 5, -1}, false, OP_bmm},
                 {{2, 2, 3, 4, -1}, {4, 5, -1}, false, OP_mm}};
    for (int k = 0; k < COUNT_OF(folds); k++) {
        Tensor *a = counting(&f, folds[k].a), *b = counting(&f, folds[k].b);
        a = folds[k].turn_a ? emit_transpose(e, a, 1, 2) : a;
        memset(f.exec.count, 0, sizeof f.exec.count);
        emit_binary(e, OP_matmul, a, b);
        ck_assert(op_info(f.exec.last)->kind == KIND_FUNC); /* the result is not a view */
        ck_assert_int_eq(f.exec.count[folds[k].product], 1);
    }
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(matmul_refuses) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *point = counting(&f, (const int64_t[]){-1});
    Tensor *pairs[][2] = {{point, COUNTING(3)},
                          {COUNTING(2, 3), COUNTING(2, 3)},
                          {COUNTING(2, 3, 4), COUNTING(3, 5)},
                          {COUNTING(2, 3, 4), COUNTING(3, 4, 5)},
                          {COUNTING(2, 3, 4), COUNTING(2, 3, 5)},
                          {COUNTING(3), COUNTING(4)},
                          {COUNTING(2, 3), COUNTING(4)},
                          {COUNTING(3), COUNTING(2, 4, 5)}};
    for (int k = 0; k < COUNT_OF(pairs); k++) {
        forget_error(&f);
        ck_assert(!emit_binary(e, OP_matmul, pairs[k][0], pairs[k][1]));
        ck_assert_msg(f.err.code == ERR_shape, "pair %d: %s", k, errcode_name(f.err.code));
    }
    arena_destroy(&f.arena);
}
END_TEST

/* ---- transpose attributes, unflatten, repeat_interleave ---- */

START_TEST(attributes_are_transposes_and_of_a_point_self_itself) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *cube = COUNTING(2, 3, 4), *point = counting(&f, (const int64_t[]){-1}),
           *line = COUNTING(3);
    expect_size(emit_unary(e, OP_numpy_T, cube), SIZE(4, 3, 2));
    static const OpId ops[] = {OP_mT, OP_mH, OP_adjoint, OP_matrix_H};
    for (int k = 0; k < COUNT_OF(ops); k++) {
        if (ops[k] != OP_matrix_H) {
            expect_size(emit_unary(e, ops[k], cube), SIZE(2, 4, 3));
        }
        expect_size(emit_unary(e, ops[k], COUNTING(2, 3)), SIZE(3, 2));
        ck_assert_ptr_eq(emit_unary(e, ops[k], point), point);
        ck_assert(!emit_unary(e, ops[k], line) && f.err.code == ERR_invalid);
        forget_error(&f);
    }
    ck_assert(!emit_unary(e, OP_matrix_H, cube) && f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(unflatten_views_one_dim_as_several) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(2, 6);
    static const struct {
        int n;
        int64_t sizes[2], dim;
        ErrCode code;
    } cases[] = {
        {2, {2, 3}, 1, ERR_none},      {2, {3, -1}, -1, ERR_none},    {1, {2}, 0, ERR_none},
        {2, {2, 4}, 1, ERR_invalid},   {2, {-1, -1}, 1, ERR_invalid}, {2, {4, -1}, 1, ERR_invalid},
        {2, {-2, -3}, 1, ERR_invalid}, {0, {0}, 5, ERR_invalid},      {1, {6}, 2, ERR_index_range}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        forget_error(&f);
        Tensor *y = emit_op(e, OP_unflatten, 3, x, cases[k].dim, cases[k].sizes, cases[k].n);
        ck_assert_int_eq(f.err.code, cases[k].code);
        ck_assert((y != NULL) == (cases[k].code == ERR_none) &&
                  (!y || (y->storage == x->storage && tensor_numel(y) == 12)));
    }
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(repeat_interleave_by_a_tensor_repeats_each_element_its_own_times) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *rows = COUNTING(3, 2), *repeats = emit_cast(e, COUNTING(3), DT_int64), *numbers, *twice;

    element_store_int(repeats->storage->data, DT_int64, 0, 0);
    element_store_int(repeats->storage->data, DT_int64, 1, 2);
    element_store_int(repeats->storage->data, DT_int64, 2, 1);
    numbers = emit_op(e, OP_repeat_interleave_Tensor, 1, repeats);
    expect_size(numbers, SIZE(3));
    for (int64_t i = 0; i < 3; i++) {
        ck_assert_int_eq(element_int(numbers->storage->data, DT_int64, i), i < 2 ? 1 : 2);
    }
    expect_size(emit_op(e, OP_repeat_interleave_self_Tensor, 3, rows, repeats, (int64_t)0),
                SIZE(3, 2));
    twice = emit_full(e, NULL, 0, scalar_int(2),
                      DT_int64); /* one repeat for all elements of the flattened tensor */
    expect_size(emit_op(e, OP_repeat_interleave_self_Tensor, 2, rows, twice), SIZE(12));
    ck_assert(!emit_op(e, OP_repeat_interleave_self_Tensor, 3, rows, repeats, (int64_t)1) &&
              f.err.code == ERR_invalid);
    forget_error(&f);
    element_store_int(repeats->storage->data, DT_int64, 0, -1);
    ck_assert(!emit_op(e, OP_repeat_interleave_Tensor, 1, repeats) && f.err.code == ERR_invalid);
    forget_error(&f);
    ck_assert(!emit_op(e, OP_repeat_interleave_Tensor, 1, rows) && f.err.code == ERR_dtype);
    arena_destroy(&f.arena);
}
END_TEST

/* ---- the emit layer itself ---- */

START_TEST(errors_are_sticky) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *x = COUNTING(2);
    ck_assert(!emit_mm(e, x, x));
    ErrCode first = f.err.code;
    ck_assert(first != ERR_none && !emit_add(e, x, x) && !emit_zeros_like(e, x) &&
              !emit_op(e, OP_neg, 1, x));
    ck_assert(f.err.code == first);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(slots_and_saves) {
    Fixture f;
    setup(&f);
    Tensor *a = COUNTING(2), *b = COUNTING(2), *slot[MAX_SLOTS];
    Call mul = call_new(OP_mul_Tensor);
    mul.arg[0].tensor = a;
    mul.arg[1].tensor = b;
    ck_assert(call_slots(&mul, slot) == 2 && slot[0] == a && slot[1] == b &&
              call_slot_of(&mul, 1) == 1);
    ck_assert(!call_saves_slot(&mul, 0, (bool[]){true, false}) &&
              call_saves_slot(&mul, 1, (bool[]){true, false}));
    ck_assert(call_saves_slot(&mul, 0, (bool[]){false, true}) &&
              !op_saves_result(&mul, (bool[]){true, true}));
    Call exp = call_new(OP_exp);
    exp.arg[0].tensor = a;
    ck_assert(op_saves_result(&exp, (bool[]){true}) && !call_saves_slot(&exp, 0, (bool[]){true}));
    Tensor *list[2] = {NULL, b};
    Call index = call_new(OP_index);
    index.arg[0].tensor = a;
    index.arg[1].tensors.v = list;
    index.arg[1].tensors.n = 2;
    ck_assert(call_slots(&index, slot) == 3 && slot[1] == NULL && slot[2] == b);
    ck_assert(!call_saves_slot(&index, 0, (bool[]){true, false, false}) &&
              call_saves_slot(&index, 2, (bool[]){true, false, false}));
    Call clamp = call_new(OP_clamp_Tensor);
    clamp.arg[0].tensor = a;
    clamp.arg[2].none = false;
    clamp.arg[2].tensor = b;
    ck_assert(call_slots(&clamp, slot) == 3 && slot[1] == NULL && call_slot_of(&clamp, 2) == 2);
    ck_assert(call_slot_of(&mul, -1) == -1);
    arena_destroy(&f.arena);
}
END_TEST

START_TEST(grad_finish_sums_and_casts) {
    Fixture f;
    Emit *e = setup(&f);
    Tensor *grad = COUNTING(4, 2, 3);
    Tensor input = *COUNTING(2, 1);
    input.dtype = DT_float32;
    Tensor *g = grad_finish(e, grad, &input);
    expect_size(g, SIZE(2, 1));
    ck_assert(g->dtype == DT_float32 && grad_finish(e, NULL, &input) == NULL);
    Tensor other = *COUNTING(5);
    ck_assert(grad_finish(e, grad, &other) == NULL && f.err.code == ERR_invalid);
    arena_destroy(&f.arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("decompose");
    TCase *tcase = tcase_create("decompose");
    tcase_add_test(tcase, reshape_is_a_view_where_it_can);
    tcase_add_test(tcase, reshape_refuses);
    tcase_add_test(tcase, self_itself_where_nothing_is_to_do);
    tcase_add_test(tcase, tensor_split_gives_slices);
    tcase_add_test(tcase, stack_joins_equal_sizes);
    tcase_add_test(tcase, matmul_is_the_product);
    tcase_add_test(tcase, matmul_folds_as_torch);
    tcase_add_test(tcase, matmul_refuses);
    tcase_add_test(tcase, attributes_are_transposes_and_of_a_point_self_itself);
    tcase_add_test(tcase, unflatten_views_one_dim_as_several);
    tcase_add_test(tcase, repeat_interleave_by_a_tensor_repeats_each_element_its_own_times);
    tcase_add_test(tcase, errors_are_sticky);
    tcase_add_test(tcase, slots_and_saves);
    tcase_add_test(tcase, grad_finish_sums_and_casts);
    suite_add_tcase(suite, tcase);
    return run_suite("program/decompose", suite);
}
