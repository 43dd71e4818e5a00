/* Kernels: values against PyTorch's recorded results, and cases that random calls do not show:
 * rounding once, undefined results, data-dependent errors, edges of the domain. */
#include "program/ops/emit.h"
#include "program/ops/functions.h"
#include "tests/support/runner.h"
#include "tests/support/torch_calls.h"

#include <math.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

/* The outcome of running a call. */
typedef struct CheckResult {
    ErrCode code;
    const char *undefined;
    int n;
    Tensor *out;
} CheckResult;

static CheckResult run(const Call *call) {
    Error err = {0};
    Infer r = {.arena = &arena, .err = &err};
    Tensor *out[MAX_OUTPUTS];
    if (call->op->infer(call, &r) != ERR_none) {
        return (CheckResult){err.code, NULL, 0, NULL};
    }
    for (int k = 0; k < r.n; k++) {
        out[k] = &r.out[k];
        if (call->op->id == OP_nonzero) {
            out[k]->size[0] = kernel_count_nonzero(call->arg[0].tensor);
            out[k]->stride[1] = out[k]->size[0];
        }
        if (!call->op->kernel) {
            out[k]->storage = call->arg[0].tensor->storage; /* a view */
        } else {
            ck_assert_int_eq(tensor_allocate(out[k], &arena, NULL, &err), ERR_none);
        }
    }
    KernelCtx k = {.arena = &arena, .err = &err};
    if (call->op->kernel) {
        ErrCode code = call->op->kernel(call, out, &k);
        ck_assert_int_eq(code, err.code);
    }
    return (CheckResult){err.code, k.undefined, r.n, r.out};
}

/* ---- recorded results ---- */

static bool agrees(const Tensor *t, int64_t at, const char *word, bool exact) {
    if (!dtype_is_float(t->dtype)) {
        return element_int(t->storage->data, t->dtype, at) == strtoll(word, NULL, 10);
    }
    double got = element_double(t->storage->data, t->dtype, at), cell = 0;
    element_store_double(&cell, t->dtype, 0, strtod(word, NULL));
    double wanted = element_double(&cell, t->dtype, 0);
    if (isnan(wanted)) {
        return isnan(got);
    }
    if (got == wanted) {
        return true;
    }
    return !exact &&
           fabs(got - wanted) <= 16 * dtype_unit(t->dtype) * fmax(fmax(fabs(got), fabs(wanted)), 1);
}

static void check_values(const Tensor *t, Words *w, bool exact, const char *text) {
    while (*next_word(w) != ':') { /* tests/program/infer.c tests the layout */
    }
    const Tensor *walked[1] = {t};
    for (Walk walk = walk_start(t->size, t->ndim, walked, 1); walk_more(&walk); walk_next(&walk)) {
        const char *word = next_word(w);
        ck_assert_msg(agrees(t, walk.at[0], word, exact), "%s expected, got %.17g: %s", word,
                      element_double(t->storage->data, t->dtype, walk.at[0]), text);
    }
    (void)next_word(w);
}

START_TEST(computes_what_torch_answered) {
    Semantics before = semantics_enter(SEMANTICS_1_13); /* the answers are its */
    FILE *file = torch_calls_open();
    TorchCall c;
    int n = 0;
    for (; torch_call_read(file, &arena, &c); n++) {
        CheckResult o = run(&c.call);
        ck_assert_msg(o.code == c.code, "answers %s: %s", errcode_name(o.code), c.text);
        Words w = {c.answer, ""};
        for (int k = 0; k < o.n && o.code == ERR_none; k++) {
            check_values(&o.out[k], &w, c.exact, c.text);
        }
    }
    fclose(file);
    ck_assert_int_gt(n, 1000);
    semantics_enter(before);
}
END_TEST

/* ---- hand-written cases ---- */

static Tensor *of(DType dtype, int64_t n, const double *v) {
    Error err = {0};
    Tensor *t = arena_new(&arena, Tensor);
    tensor_set_contiguous(t, dtype, &n, 1);
    ck_assert_int_eq(tensor_allocate(t, &arena, NULL, &err), ERR_none);
    for (int64_t i = 0; i < n; i++) {
        element_store_double(t->storage->data, dtype, i, v[i]);
    }
    return t;
}
#define OF(dtype, ...) of((dtype), COUNT_OF(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__})

static Tensor *as_matrix(Tensor *t, int64_t rows, int64_t cols) {
    Storage *storage = t->storage;
    tensor_set_contiguous(t, t->dtype, (int64_t[]){rows, cols}, 2);
    t->storage = storage;
    return t;
}

static double value(const CheckResult *o, int64_t i) {
    return element_double(o->out[0].storage->data, o->out[0].dtype, i);
}

START_TEST(a_sum_is_rounded_once) {
    /* 2^24 + 1 + 1 in float32 steps would stay 2^24. */
    Call c = call_new(OP_sum);
    c.arg[0].tensor = OF(DT_float32, 16777216, 1, 1);
    CheckResult o = run(&c);
    ck_assert_double_eq(value(&o, 0), 16777218);
    c = call_new(OP_index_add);
    c.arg[0].tensor = OF(DT_float32, 16777216);
    c.arg[2].tensor = OF(DT_int64, 0, 0);
    c.arg[3].tensor = OF(DT_float32, 1, 1);
    o = run(&c);
    ck_assert_double_eq(value(&o, 0), 16777218);
}
END_TEST

START_TEST(a_sum_of_negative_zeros_is_positive) {
    Call c = call_new(OP_sum);
    c.arg[0].tensor = OF(DT_float64, -0.0, -0.0);
    CheckResult o = run(&c);
    ck_assert(!signbit(value(&o, 0)));
    c = call_new(OP_cumsum);
    c.arg[0].tensor = OF(DT_float64, -0.0, -0.0);
    o = run(&c);
    ck_assert(!signbit(value(&o, 0)));
}
END_TEST

START_TEST(addmm_with_beta_zero_ignores_self) {
    Call c = call_new(OP_addmm);
    c.arg[0].tensor = OF(DT_float32, NAN);
    c.arg[1].tensor = as_matrix(OF(DT_float32, 2, 3), 1, 2);
    c.arg[2].tensor = as_matrix(OF(DT_float32, 5, 7), 2, 1);
    c.arg[3].scalar = scalar_int(0);
    CheckResult o = run(&c);
    ck_assert_double_eq(value(&o, 0), 31);
    c.arg[3].scalar = scalar_int(1);
    o = run(&c);
    ck_assert(isnan(value(&o, 0)));
}
END_TEST

START_TEST(duplicates_of_different_values_are_undefined) {
    Tensor *indices[1] = {OF(DT_int64, 1, 1)};
    Call c = call_new(OP__index_put);
    c.arg[0].tensor = OF(DT_float32, 0, 0, 0);
    c.arg[1].tensors.v = indices;
    c.arg[1].tensors.n = 1;
    c.arg[2].tensor = OF(DT_float32, 4, 5);
    ck_assert_ptr_nonnull(run(&c).undefined);
    c.arg[2].tensor = OF(DT_float32, 4, 4);
    ck_assert_ptr_null(run(&c).undefined);
    c.arg[2].tensor = OF(DT_float32, 4, 5);
    c.arg[3].b = true;
    CheckResult o = run(&c);
    ck_assert_ptr_null(o.undefined);
    ck_assert_double_eq(value(&o, 1), 9);
    c = call_new(OP_scatter_src);
    c.arg[0].tensor = OF(DT_float32, 0, 0, 0);
    c.arg[2].tensor = OF(DT_int64, 2, 2);
    c.arg[3].tensor = OF(DT_float32, 4, 5);
    ck_assert_ptr_nonnull(run(&c).undefined);
}
END_TEST

START_TEST(casts_out_of_range_are_undefined) {
    Call c = call_new(OP__to_copy);
    c.arg[0].tensor = OF(DT_float32, 300);
    c.arg[1] = (Arg){.dtype = DT_uint8};
    ck_assert_ptr_nonnull(run(&c).undefined);
    c.arg[1].dtype = DT_int16;
    ck_assert_ptr_null(run(&c).undefined);
    c.arg[0].tensor = OF(DT_float32, NAN);
    ck_assert_ptr_nonnull(run(&c).undefined);
    c.arg[1].dtype = DT_bool;
    CheckResult o = run(&c);
    ck_assert_ptr_null(o.undefined);
    ck_assert_double_eq(value(&o, 0), 1);
    c = call_new(OP_sum);
    c.arg[0].tensor = OF(DT_float64, 1e300);
    c.arg[1] = (Arg){.dtype = DT_int64};
    ck_assert_ptr_nonnull(run(&c).undefined);
}
END_TEST

START_TEST(values_are_refused) {
    Call c = call_new(OP_remainder_Tensor);
    c.arg[0].tensor = OF(DT_int64, 1, 2);
    c.arg[1].tensor = OF(DT_int64, 1, 0);
    ck_assert_int_eq(run(&c).code, ERR_invalid);
    c.arg[0].tensor = OF(DT_float32, 1, 2);
    ck_assert_int_eq(run(&c).code, ERR_none);
    c = call_new(OP_fill_Tensor);
    c.arg[0].tensor = OF(DT_uint8, 1, 2);
    c.arg[1].tensor = OF(DT_float32, 300);
    c.arg[1].tensor->ndim = 0;
    ck_assert_int_eq(run(&c).code, ERR_none); /* ends in copy_ */
    Semantics before = semantics_enter(SEMANTICS_1_13);
    ck_assert_int_eq(run(&c).code, ERR_invalid); /* must fit the dtype */
    c = call_new(OP_masked_fill_Scalar);
    c.arg[0].tensor = OF(DT_float32, 1, 2);
    c.arg[1].tensor = OF(DT_uint8, 1, 2);
    ck_assert_int_eq(run(&c).code, ERR_invalid); /* a mask of bytes is read as bools */
    semantics_enter(before);
    ck_assert_int_eq(run(&c).code, ERR_dtype);
    c = call_new(OP_index_select);
    c.arg[0].tensor = as_matrix(OF(DT_float32, 1, 2), 1, 2);
    c.arg[2].tensor = OF(DT_int64, 2);
    ck_assert_int_eq(run(&c).code, ERR_index_range);
    c.arg[1].i = 1; /* this path of index_select has its own error message */
    ck_assert_int_eq(run(&c).code, ERR_invalid);
}
END_TEST

START_TEST(empty_reductions_have_their_neutral_element) {
    Call c = call_new(OP_sum);
    c.arg[0].tensor = of(DT_float32, 0, NULL);
    CheckResult o = run(&c);
    ck_assert_double_eq(value(&o, 0), 0);
    c = call_new(OP_prod);
    c.arg[0].tensor = of(DT_float32, 0, NULL);
    o = run(&c);
    ck_assert_double_eq(value(&o, 0), 1);
    c = call_new(OP_mean);
    c.arg[0].tensor = of(DT_float32, 0, NULL);
    o = run(&c);
    ck_assert(isnan(value(&o, 0)));
}
END_TEST

START_TEST(softmax_of_minus_infinities_is_nan) {
    Call c = call_new(OP_softmax);
    c.arg[0].tensor = OF(DT_float32, -INFINITY, -INFINITY);
    CheckResult o = run(&c);
    ck_assert(isnan(value(&o, 0)) && isnan(value(&o, 1)));
    c.arg[0].tensor =
        OF(DT_float32, 1000, 1000); /* without subtracting the max it would overflow */
    o = run(&c);
    ck_assert_double_eq(value(&o, 0), 0.5);
}
END_TEST

START_TEST(as_strided_grad_divides_what_the_input_shares) {
    /* x = [a a] (stride 0), y = x.as_strided([1], [1], 0): the gradient 6 of the one location is
     * divided between two elements. */
    static const int64_t two[] = {2}, one[] = {1}, still[] = {0};
    Call c = call_new(OP__as_strided_grad);
    c.arg[0].tensor = OF(DT_float32, 6);
    c.arg[1].ints.v = two;
    c.arg[2].ints.v = still;
    c.arg[4].ints.v = one;
    c.arg[5].ints.v = one;
    c.arg[1].ints.n = c.arg[2].ints.n = c.arg[4].ints.n = c.arg[5].ints.n = 1;
    CheckResult o = run(&c);
    ck_assert_double_eq(value(&o, 0), 3);
    ck_assert_double_eq(value(&o, 1), 3);
}
END_TEST

START_TEST(nonzero_finds_coordinates_row_major) {
    Call c = call_new(OP_nonzero);
    Tensor *t = as_matrix(OF(DT_float32, 0, 1, -0.0, NAN), 2, 2);
    c.arg[0].tensor = t;
    ck_assert_int_eq(kernel_count_nonzero(t), 2);
    CheckResult o = run(&c);
    const Tensor *n = &o.out[0];
    ck_assert_int_eq(n->size[0], 2);
    ck_assert_int_eq(n->size[1], 2);
    ck_assert_int_eq(n->stride[0], 1);
    ck_assert_double_eq(value(&o, 0), 0); /* strides [1, 2]: rows first, then columns */
    ck_assert_double_eq(value(&o, 1), 1);
    ck_assert_double_eq(value(&o, 2), 1);
    ck_assert_double_eq(value(&o, 3), 1);
}
END_TEST

START_TEST(kernels_write_only_what_their_output_addresses) {
    /* out at an offset in a longer storage: the elements around it do not change. */
    static const double sevens[] = {7, 7, 7, 7, 7};
    Error err = {0};
    Call c = call_new(OP_mul_Scalar);
    c.arg[0].tensor = OF(DT_float32, 1, 2, 3);
    c.arg[1].scalar = scalar_int(2);
    Tensor *wide = of(DT_float32, 5, sevens);
    Tensor *out = OF(DT_float32, 0, 0, 0);
    out->storage = wide->storage;
    out->offset = 1;
    KernelCtx k = {.arena = &arena, .err = &err};
    ck_assert_int_eq(c.op->kernel(&c, &out, &k), ERR_none);
    static const double wanted[] = {7, 2, 4, 6, 7};
    for (int i = 0; i < 5; i++) {
        ck_assert_double_eq(element_double(wide->storage->data, DT_float32, i), wanted[i]);
    }
}
END_TEST

/* Compiled code that computes other values than the capture did, where PyTorch leaves them open
 * (duplicates of different values), finds other elements than it counted. */
START_TEST(more_elements_than_were_counted_are_an_error) {
    static const OpId ops[] = {OP_nonzero, OP__masked_select};
    for (int i = 0; i < 2; i++) {
        int64_t size[2] = {1, 1};
        Error err = {0};
        Tensor *mask = of(i == 0 ? DT_float32 : DT_bool, 3, (const double[]){1, 0, 1});
        Tensor *out = arena_new(&arena, Tensor);
        tensor_set_contiguous(out, i == 0 ? DT_int64 : DT_float32, size, 2 - i);
        ck_assert_int_eq(tensor_allocate(out, &arena, NULL, &err), ERR_none);
        Call c = call_new(ops[i]);
        c.arg[0].tensor = i == 0 ? mask : of(DT_float32, 3, (const double[]){5, 6, 7});
        c.arg[1].tensor = mask;
        KernelCtx k = {.arena = &arena, .err = &err};
        ck_assert_int_eq(c.op->kernel(&c, &out, &k), ERR_internal);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("program/kernels");
    TCase *tc = tcase_create("kernels");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, computes_what_torch_answered);
    tcase_add_test(tc, a_sum_is_rounded_once);
    tcase_add_test(tc, a_sum_of_negative_zeros_is_positive);
    tcase_add_test(tc, addmm_with_beta_zero_ignores_self);
    tcase_add_test(tc, duplicates_of_different_values_are_undefined);
    tcase_add_test(tc, casts_out_of_range_are_undefined);
    tcase_add_test(tc, values_are_refused);
    tcase_add_test(tc, empty_reductions_have_their_neutral_element);
    tcase_add_test(tc, softmax_of_minus_infinities_is_nan);
    tcase_add_test(tc, as_strided_grad_divides_what_the_input_shares);
    tcase_add_test(tc, nonzero_finds_coordinates_row_major);
    tcase_add_test(tc, more_elements_than_were_counted_are_an_error);
    tcase_add_test(tc, kernels_write_only_what_their_output_addresses);
    suite_add_tcase(suite, tc);
    return run_suite("program/kernels", suite);
}
