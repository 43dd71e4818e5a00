/* Inputs, calls and records: the tensors that a program is called with, and what is recorded of
 * them. */
#include "program/json/json.h"
#include "tests/support/runner.h"
#include <math.h>
#include <string.h>

static Arena arena;

static Program *parsed(const char *text) {
    char message[512];
    Program *p = NULL;
    ck_assert_msg(program_parse(&arena, text, strlen(text), &p, message, sizeof message) ==
                      PARSE_OK,
                  "%s\n%s", message, text);
    return p;
}

static void setup(void) { arena = ARENA_EMPTY; }
static void teardown(void) { arena_destroy(&arena); }

/* ---- inputs ---- */

static const char *const aliased =
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"a\",\"dtype\":\"float32\",\"size\":[2,2],\"stride\":["
    "1,2],\"storage\":\"s\",\"data\":{\"fill\":\"arange\"}},"
    "{\"name\":\"b\",\"dtype\":\"float32\",\"size\":[2],\"stride\":[3],\"storage_offset\":4,"
    "\"storage\":\"s\"},"
    "{\"name\":\"c\",\"dtype\":\"int8\",\"size\":[2],\"data\":[-1,5]},{\"name\":\"d\",\"dtype\":"
    "\"float64\",\"size\":[0,3],\"requires_grad\":true}],"
    "\"body\":[],\"return\":[\"a\"],\"backward\":{\"fill\":\"dyadic\",\"seed\":8}}";

START_TEST(inputs_on_one_storage_share_it_and_make_it_long_enough) {
    const Program *p = parsed(aliased);
    Tensor t[4];
    Error err = {0};
    const Limits limits = LIMITS_DEFAULT;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
    ck_assert_ptr_eq(t[0].storage, t[1].storage);
    ck_assert_int_eq(t[0].storage->numel, 8);
    ck_assert_int_eq(t[0].storage->version, 0);
    ck_assert(element_double(t[0].storage->data, DT_float32, 7) == 7);
    ck_assert(t[1].offset == 4 && t[1].stride[0] == 3);
    ck_assert(t[2].storage->numel == 2 && element_int(t[2].storage->data, DT_int8, 0) == -1);
    ck_assert(t[3].storage->numel == 0 && t[3].stride[0] == 3 && t[3].stride[1] == 1);
    ck_assert(t[2].storage->id == 1 && t[3].storage->id == 2);
}
END_TEST

START_TEST(inputs_over_a_limit_are_the_error_limit) {
    const Program *p = parsed(aliased);
    Tensor t[4];
    Error err = {0};
    Limits limits = LIMITS_DEFAULT;
    limits.max_elements = 7;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_limit);
    limits = LIMITS_DEFAULT;
    limits.max_bytes = 33; /* 8 float32 and 2 int8 are 34 */
    err = (Error){0};
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_limit);
    limits.max_bytes = 34;
    err = (Error){0};
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
}
END_TEST

START_TEST(an_input_of_a_half_dtype_is_built) {
    const Program *p = parsed("{\"twingrad\":1,\"inputs\":[{\"name\":\"h\",\"dtype\":\"bfloat16\","
                              "\"size\":[1],\"data\":[1.01]}],\"body\":[],\"return\":[]}");
    Tensor t[1];
    Error err = {0};
    const Limits limits = LIMITS_DEFAULT;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
    ck_assert_double_eq(tensor_item_double(&t[0]), 1.0078125);
}
END_TEST

START_TEST(a_recall_has_its_own_inputs_and_grad_mode_or_keeps_the_last_ones) {
    const Program *p = parsed(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"bool\",\"size\":[0]}],\"body\":[],"
        "\"return\":[],\"grad_mode\":false,"
        "\"recalls\":[[{\"name\":\"x\",\"dtype\":\"int8\",\"size\":[0]}],{\"keep\":true,\"grad_"
        "mode\":true},{\"keep\":true},"
        "{\"inputs\":[{\"name\":\"x\",\"dtype\":\"int16\",\"size\":[0]}],\"grad_mode\":true}]}");
    static const DType dtypes[] = {DT_bool, DT_int8, DT_int8, DT_int8, DT_int16};
    static const bool modes[] = {false, false, true, false, true};
    for (int k = 0; k < 5; k++) {
        int n;
        bool grad_mode;
        const Input *inputs = program_call_inputs(p, k, &n, &grad_mode);
        ck_assert(n == 1 && inputs[0].dtype == dtypes[k] && grad_mode == modes[k]);
    }
}
END_TEST

START_TEST(the_tangent_of_return_k_is_drawn_with_seed_plus_k) {
    const Program *p = parsed(aliased);
    Tensor t;
    tensor_set_contiguous(&t, DT_float64, (int64_t[]){2, 2}, 2);
    Error err = {0};
    ck_assert_int_eq(tensor_allocate(&t, &arena, NULL, &err), ERR_none);
    double expected[4];
    fill_buffer(expected, DT_float64, 4, FILL_dyadic, 11);
    backward_fill(&p->backward, 3, &t);
    ck_assert(memcmp(expected, t.storage->data, sizeof expected) == 0);
    Backward wrap = {.given = true, .fill = FILL_dyadic, .seed = UINT64_MAX, .nof = -1};
    fill_buffer(expected, DT_float64, 4, FILL_dyadic, 0);
    backward_fill(&wrap, 1, &t);
    ck_assert(memcmp(expected, t.storage->data, sizeof expected) == 0);
}
END_TEST

START_TEST(a_backward_includes_all_returns_or_those_listed) {
    Backward b = {.given = true, .nof = -1};
    ck_assert(backward_includes(&b, 0) && backward_includes(&b, 5));
    int of[] = {2};
    b.of = of;
    b.nof = 1;
    ck_assert(!backward_includes(&b, 0) && backward_includes(&b, 2));
    b.nof = 0;
    ck_assert(!backward_includes(&b, 0));
    b.given = false;
    ck_assert(!backward_includes(&b, 2));
}
END_TEST

/* ---- recording ---- */

START_TEST(values_are_recorded_in_logical_order_with_their_shadow) {
    const Program *p = parsed(aliased);
    Tensor t[4];
    Error err = {0};
    const Limits limits = LIMITS_DEFAULT;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
    double value64[8], bound[8];
    for (int i = 0; i < 8; i++) {
        value64[i] = i + 0.25;
        bound[i] = i;
    }
    t[0].storage->value64 = value64;
    t[0].storage->bound = bound;
    Values v;
    values_record(&v, &t[0], &arena);
    const float *data = v.data;
    ck_assert(v.numel == 4 && v.ndim == 2 && data[0] == 0 && data[1] == 2 && data[2] == 1 &&
              data[3] == 3);
    ck_assert(v.value64[1] == 2.25 && v.bound[2] == 1);
    values_record_storage(&v, t[0].storage, &arena);
    data = v.data;
    ck_assert(v.numel == 8 && v.ndim == 1 && v.size[0] == 8 && data[7] == 7 &&
              v.value64[7] == 7.25);
    values_record(&v, &t[2], &arena);
    ck_assert(v.value64 == NULL && ((const int8_t *)v.data)[1] == 5);
}
END_TEST

START_TEST(a_return_aliases_the_first_input_or_the_lowest_return_on_its_storage) {
    const Program *p = parsed(aliased);
    Tensor t[4], fresh;
    Error err = {0};
    const Limits limits = LIMITS_DEFAULT;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
    tensor_set_contiguous(&fresh, DT_float32, (int64_t[]){2}, 1);
    ck_assert_int_eq(tensor_allocate(&fresh, &arena, NULL, &err), ERR_none);
    Tensor *inputs[] = {&t[0], &t[1], &t[2], &t[3]};
    Tensor *returns[] = {&fresh, &t[1], &fresh, &t[3]};
    ReturnRecord records[4] = {0};
    CallResult call = {.returns = records, .nreturns = 4};
    alias_record(&call, returns, 4, inputs, 4);
    ck_assert(records[0].has_alias && records[0].alias == ALIAS_NONE);
    ck_assert(records[1].alias == ALIAS_INPUT && records[1].alias_index == 0);
    ck_assert(records[2].alias == ALIAS_RETURN && records[2].alias_index == 0);
    ck_assert(records[3].alias == ALIAS_NONE); /* a storage without bytes aliases nothing */
}
END_TEST

START_TEST(a_poke_shows_who_shares_memory) {
    const Program *p = parsed(aliased);
    Tensor t[4], wide;
    Error err = {0};
    const Limits limits = LIMITS_DEFAULT;
    ck_assert_int_eq(inputs_build(p, p->inputs, p->ninputs, &arena, &limits, t, &err), ERR_none);
    wide = t[2];
    wide.size[0] = 4;
    wide.stride[0] = 0; /* overlaps itself: not written */
    Tensor *inputs[] = {&t[0], &t[1], &t[2], &t[3]};
    Tensor *returns[] = {&t[0], &t[1], &wide};
    ReturnRecord records[3] = {0};
    InputRecord seen[4] = {0};
    CallResult call = {.returns = records, .nreturns = 3, .inputs = seen, .ninputs = 4};
    poke_record(&call, returns, 3, inputs, 4, &arena);
    static const float expected[8] = {1, 1, 1, 1, 2, 5, 6, 2};
    ck_assert(memcmp(seen[0].poked, expected, sizeof expected) == 0);
    ck_assert(memcmp(seen[1].poked, expected, sizeof expected) == 0);
    ck_assert(((const int8_t *)seen[2].poked)[0] == -1 &&
              ((const int8_t *)records[2].poked)[3] == -1);
    ck_assert(((const float *)records[0].poked)[3] == 1 &&
              ((const float *)records[1].poked)[1] == 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("inputs");
    TCase *tcase = tcase_create("inputs");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, inputs_on_one_storage_share_it_and_make_it_long_enough);
    tcase_add_test(tcase, inputs_over_a_limit_are_the_error_limit);
    tcase_add_test(tcase, an_input_of_a_half_dtype_is_built);
    tcase_add_test(tcase, a_recall_has_its_own_inputs_and_grad_mode_or_keeps_the_last_ones);
    tcase_add_test(tcase, the_tangent_of_return_k_is_drawn_with_seed_plus_k);
    tcase_add_test(tcase, a_backward_includes_all_returns_or_those_listed);
    tcase_add_test(tcase, values_are_recorded_in_logical_order_with_their_shadow);
    tcase_add_test(tcase, a_return_aliases_the_first_input_or_the_lowest_return_on_its_storage);
    tcase_add_test(tcase, a_poke_shows_who_shares_memory);
    suite_add_tcase(suite, tcase);
    return run_suite("program/inputs", suite);
}
