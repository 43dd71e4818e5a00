/* Inference: against PyTorch's recorded results (metadata and errors), and edge cases that random
 * calls do not reach. */
#include "program/ops/emit.h"
#include "program/infer/infer.h"
#include "program/ops/functions.h"
#include "tests/support/runner.h"
#include "tests/support/torch_calls.h"

#include <math.h>
#include <stdarg.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}
static void teardown(void) { arena_destroy(&arena); }

/* ---- recorded results ---- */

static void expect_layout(Words *w, const Tensor *t, const char *text) {
    ck_assert_msg(next_dtype(w) == t->dtype, "dtype is %s: %s", dtype_name(t->dtype), text);
    ck_assert_msg(next_int(w) == t->ndim, "%d dims: %s", t->ndim, text);
    for (int d = 0; d < t->ndim; d++) {
        ck_assert_msg(next_int(w) == t->size[d] || t->size[d] == -1, "size[%d] is %lld: %s", d,
                      (long long)t->size[d], text);
    }
    for (int d = 0; d < t->ndim; d++) {
        if (*next_word(w) == '*') {
            break;
        }
        ck_assert_msg(t->size[d] == 1 || strtoll(w->word, NULL, 10) == t->stride[d] ||
                          t->size[0] == -1,
                      "stride[%d] is %lld: %s", d, (long long)t->stride[d], text);
    }
    if (*next_word(w) != '*') {
        ck_assert_msg(strtoll(w->word, NULL, 10) == t->offset, "offset is %lld: %s",
                      (long long)t->offset, text);
    }
}

static void skip_values(Words *w) {
    while (*w->at && *next_word(w) != '|') {
    }
}

static void check_recorded(const TorchCall *c) {
    Error err = {0};
    Infer r = {.arena = &arena, .err = &err};
    ErrCode code = c->call.op->infer(&c->call, &r);
    ck_assert_int_eq(code, err.code);
    if (c->code != ERR_none) {
        bool by_value = code == ERR_none && call_checks_values(&c->call);
        ck_assert_msg(code == c->code || by_value, "answers %s: %s", errcode_name(code), c->text);
        return;
    }
    ck_assert_msg(code == ERR_none, "refused as %s (%s): %s", errcode_name(code), err.text,
                  c->text);
    Words w = {c->answer, ""};
    for (int k = 0; k < r.n; k++) {
        ck_assert_ptr_null(r.out[k].storage);
        expect_layout(&w, &r.out[k], c->text);
        skip_values(&w);
    }
    ck_assert_msg(*w.at == 0, "more outputs expected: %s", c->text);
}

START_TEST(infers_what_torch_answered) {
    Semantics before = semantics_enter(SEMANTICS_1_13); /* the answers are its */
    FILE *file = torch_calls_open();
    TorchCall c;
    int n = 0;
    for (; torch_call_read(file, &arena, &c); n++) {
        check_recorded(&c);
    }
    fclose(file);
    ck_assert_int_gt(n, 1000);
    semantics_enter(before);
}
END_TEST

/* ---- edge cases ---- */

/* A contiguous float32 tensor of the given sizes, metadata only. */
static Tensor *sized(int ndim, ...) {
    int64_t size[MAX_DIMS];
    va_list args;
    va_start(args, ndim);
    for (int d = 0; d < ndim; d++) {
        size[d] = va_arg(args, int);
    }
    va_end(args);
    Tensor *t = arena_new(&arena, Tensor);
    tensor_set_contiguous(t, DT_float32, size, ndim);
    return t;
}

static Arg ints(int n, const int64_t *v) { return (Arg){.ints = {v, n}}; }

static ErrCode infer(const Call *call, Tensor **out) {
    Error err = {0};
    Infer r = {.arena = &arena, .err = &err};
    ErrCode code = call->op->infer(call, &r);
    ck_assert_int_eq(code, err.code);
    if (out) {
        *out = code == ERR_none && r.n > 0 ? r.out : NULL;
    }
    return code;
}

START_TEST(sizes_that_overflow_are_over_the_limit) {
    Call c = call_new(OP_zeros);
    c.arg[0] = ints(2, (int64_t[]){INT64_MAX / 2, 4});
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
    c.arg[0] = ints(3, (int64_t[]){0, INT64_MAX / 2, 4});
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
    c = call_new(OP_expand);
    c.arg[0].tensor = sized(0);
    c.arg[1] = ints(3, (int64_t[]){(int64_t)1 << 31, (int64_t)1 << 31, 4});
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
}
END_TEST

START_TEST(more_than_max_dims_is_over_the_limit) {
    int64_t size[MAX_DIMS + 1];
    for (int d = 0; d <= MAX_DIMS; d++) {
        size[d] = 1;
    }
    Call c = call_new(OP_view);
    c.arg[0].tensor = sized(0);
    c.arg[1] = ints(MAX_DIMS + 1, size);
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
    c.arg[1] = ints(MAX_DIMS, size);
    Tensor *wide;
    ck_assert_int_eq(infer(&c, &wide), ERR_none);
    c = call_new(OP_unsqueeze);
    c.arg[0].tensor = wide;
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
    c = call_new(OP_unbind);
    c.arg[0].tensor = sized(1, MAX_OUTPUTS + 1);
    ck_assert_int_eq(infer(&c, NULL), ERR_limit);
}
END_TEST

START_TEST(numbers_at_the_ends_of_int64_do_not_overflow) {
    Tensor *t;
    Call c = call_new(OP_slice);
    c.arg[0].tensor = sized(2, 2, 3);
    c.arg[1].i = 1;
    c.arg[2] = (Arg){.i = INT64_MIN};
    c.arg[3] = (Arg){.i = INT64_MAX};
    c.arg[4].i = INT64_MAX;
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->size[1], 1);
    c.arg[0].tensor = t; /* a dim of size 1 with a very large stride can be sliced again */
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    c = call_new(OP_diagonal);
    c.arg[0].tensor = sized(2, 2, 3);
    c.arg[1].i = INT64_MIN;
    c.arg[3].i = 1;
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->size[0], 0);
    c = call_new(OP_triu_indices);
    c.arg[0].i = c.arg[1].i = 3;
    c.arg[2].i = INT64_MIN;
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->size[1], 9);
    c = call_new(OP_arange_start_step);
    c.arg[0].scalar = scalar_int(INT64_MIN);
    c.arg[1].scalar = scalar_int(INT64_MAX);
    c.arg[2].scalar = scalar_int(INT64_MAX);
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->size[0], 0); /* PyTorch's int64 wraps */
}
END_TEST

START_TEST(as_strided_stays_in_a_known_storage) {
    Call c = call_new(OP_as_strided);
    Tensor *self = sized(2, 2, 3);
    self->offset = 1;
    c.arg[0].tensor = self;
    c.arg[1] = ints(1, (int64_t[]){6});
    c.arg[2] = ints(1, (int64_t[]){1});
    Tensor *t;
    ck_assert_int_eq(infer(&c, &t),
                     ERR_none); /* metadata without a storage: the extent is not checked */
    ck_assert_int_eq(t->offset, 1);
    self->storage = storage_new(&arena, DT_float32, 7);
    ck_assert_int_eq(infer(&c, NULL), ERR_none);
    self->storage = storage_new(&arena, DT_float32, 6);
    ck_assert_int_eq(infer(&c, NULL), ERR_invalid);
}
END_TEST

START_TEST(a_cast_operand_has_dense_strides) {
    /* torch.add(int8 [3,3] stride [3,0], float32 [3,3] stride [1,3]): the cast makes the first
     * operand row-major, and it determines the order of dims. */
    Call c = call_new(OP_add_Tensor);
    Tensor *a = sized(2, 3, 3), *b = sized(2, 3, 3), *t;
    a->dtype = DT_int8;
    a->stride[1] = 0;
    b->stride[0] = 1;
    b->stride[1] = 3;
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->stride[0], 3);
    ck_assert_int_eq(t->stride[1], 1);
    a->dtype = DT_float32; /* without a cast stride 0 does not determine the order */
    ck_assert_int_eq(infer(&c, &t), ERR_none);
    ck_assert_int_eq(t->stride[0], 1);
    ck_assert_int_eq(t->stride[1], 3);
}
END_TEST

START_TEST(a_dtype_refusal_may_come_before_or_after_the_sizes) {
    Call c = call_new(OP_sub_Tensor);
    Tensor *a = sized(1, 3), *b = sized(1, 4);
    a->dtype = b->dtype = DT_bool;
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    ck_assert_int_eq(infer(&c, NULL), ERR_dtype);
    c = call_new(OP_remainder_Tensor);
    c.arg[0].tensor = a;
    c.arg[1].tensor = b;
    ck_assert_int_eq(infer(&c, NULL), ERR_shape);
    c.arg[1].tensor = a;
    ck_assert_int_eq(infer(&c, NULL), ERR_dtype);
}
END_TEST

START_TEST(scalars_overflow_as_in_c10) {
    ck_assert(scalar_overflows(scalar_int(256), DT_uint8));
    ck_assert(!scalar_overflows(scalar_int(-255),
                                DT_uint8)); /* a negative integer may wrap into an unsigned dtype */
    ck_assert(scalar_overflows(scalar_int(-256), DT_uint8));
    ck_assert(scalar_overflows(scalar_float(-0.5), DT_uint8));
    ck_assert(scalar_overflows(scalar_float(128.5), DT_int8));
    ck_assert(!scalar_overflows(scalar_int(300), DT_bool));
    ck_assert(scalar_overflows(scalar_float(1e300), DT_float32));
    ck_assert(!scalar_overflows(scalar_float(INFINITY), DT_float32));
    ck_assert(scalar_overflows(scalar_float(NAN), DT_int64));
    ck_assert(scalar_overflows(scalar_float(0x1p63), DT_int64));
    ck_assert(!scalar_overflows(scalar_float(-0x1p63), DT_int64));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("program/infer");
    TCase *tc = tcase_create("infer");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, infers_what_torch_answered);
    tcase_add_test(tc, sizes_that_overflow_are_over_the_limit);
    tcase_add_test(tc, more_than_max_dims_is_over_the_limit);
    tcase_add_test(tc, numbers_at_the_ends_of_int64_do_not_overflow);
    tcase_add_test(tc, as_strided_stays_in_a_known_storage);
    tcase_add_test(tc, a_cast_operand_has_dense_strides);
    tcase_add_test(tc, a_dtype_refusal_may_come_before_or_after_the_sizes);
    tcase_add_test(tc, scalars_overflow_as_in_c10);
    suite_add_tcase(suite, tc);
    return run_suite("program/infer", suite);
}
