/* The reference's autograd semantics, one claim a test (docs/reference/semantics.md by section;
 * each was checked with PyTorch 1.13). */
#include "tests/support/reference_case.h"

/* ---- 1: storage, views, versions ---- */

START_TEST(a_version_is_shared_by_views_and_detach_outputs) {
    Result *r =
        run("{'op': 'slice', 'self': 'p', 'dim': 0, 'start': 1, 'out': 'v'}, {'op': 'detach', "
            "'self': 'p', 'out': 'd'},"
            "{'op': 'mul_', 'self': 'v', 'other': 2}, {'op': 'add_', 'self': 'd', 'other': 1},"
            "{'probe': 'version', 'of': 'p'}, {'probe': 'version', 'of': 'v'}, {'probe': "
            "'version', 'of': 'd'}",
            "'p'");
    assert_ok(r);
    assert_trace(r, TRACE(2, 2, 2));
    assert_values(&r->calls[0].returns[0].values, VALUES(2, 5, 7));
}
END_TEST

START_TEST(a_refused_write_adds_no_version_and_an_empty_one_adds_one) {
    Result *r = run("{'op': 'slice', 'self': 'p', 'dim': 0, 'start': 3, 'out': 'e'}, {'op': "
                    "'zero_', 'self': 'e'}, {'probe': 'version', 'of': 'p'},"
                    "{'op': 'add_', 'self': 'p', 'other': 'q'}",
                    "'p'");
    assert_error(r, 3, "shape");
    assert_trace(r, TRACE(1));
    ck_assert_int_eq(r->calls[0].inputs[P].version, 1);
}
END_TEST

/* ---- 2: requires_grad, leaves, history ---- */

START_TEST(a_no_grad_view_reports_requires_grad_but_has_no_history) {
    Result *r = run("{'with': 'no_grad', 'body': [{'op': 'slice', 'self': 'x', 'dim': 0, 'start': "
                    "1, 'out': 'v'}]},"
                    "{'probe': 'requires_grad', 'of': 'v'}, {'probe': 'is_leaf', 'of': 'v'}, "
                    "{'probe': 'has_grad_fn', 'of': 'v'},"
                    "{'op': 'mul', 'self': 'v', 'other': 2, 'out': 'y'}",
                    "'y'");
    assert_ok(r);
    assert_trace(r, TRACE(1, 1, 0));
    assert_grad(r, X, NO_GRAD);
}
END_TEST

START_TEST(a_no_grad_view_as_root_is_invalid_at_backward) {
    assert_error(
        run("{'with': 'no_grad', 'body': [{'op': 'view', 'self': 'x', 'size': [3], 'out': 'v'}]}",
            "'v'"),
        AT_BACKWARD, "invalid");
}
END_TEST

START_TEST(requires_grad_of_a_non_leaf_cannot_be_cleared) {
    assert_error(run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'requires_grad_', "
                     "'self': 'y', 'requires_grad': false}",
                     "'y'"),
                 1, "grad_non_leaf");
    assert_error(
        run("{'op': 'arange', 'end': 3, 'out': 'i'}, {'op': 'requires_grad_', 'self': 'i'}", "'i'"),
        1, "grad_dtype");
    assert_error(
        run("{'op': 'ones', 'size': [2], 'dtype': 'int64', 'requires_grad': true, 'out': 'i'}",
            "'i'"),
        0, "grad_dtype");
}
END_TEST

START_TEST(detach_in_place_refuses_views) {
    assert_error(
        run("{'op': 'unbind', 'self': 'q', 'out': ['a', 'b']}, {'op': 'detach_', 'self': 'a'}",
            "'a'"),
        1, "invalid");
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'y'}, {'op': 'detach_', 'self': "
                    "'y'}, {'probe': 'is_leaf', 'of': 'y'}",
                    "'y'");
    assert_ok(r);
    assert_trace(r, TRACE(1));
    assert_grad(r, X, NO_GRAD);
}
END_TEST

START_TEST(an_integer_result_of_a_recorded_op_is_invalid) {
    assert_error(run("{'op': 'sum', 'self': 'x', 'dtype': 'int64', 'out': 's'}", "'s'"), 0,
                 "invalid");
    assert_ok(run("{'op': 'to', 'self': 'x', 'dtype': 'int64', 'out': 's'}", "'s'"));
}
END_TEST

/* ---- 3: in-place ops ---- */

START_TEST(writes_to_leaves_and_their_views_are_refused) {
    assert_error(run("{'op': 'mul_', 'self': 'x', 'other': 2}", ""), 0, "leaf_inplace");
    assert_error(run("{'op': 'slice', 'self': 'x', 'dim': 0, 'start': 1, 'out': 'v'}, {'op': "
                     "'mul_', 'self': 'v', 'other': 2}",
                     ""),
                 1, "leaf_view_inplace");
    assert_error(run("{'op': 'setitem', 'self': 'x', 'index': [{'list': [0]}], 'value': 1}", ""), 0,
                 "leaf_inplace");
    assert_error(
        run("{'op': 'setitem', 'self': 'x', 'index': [[null, null, null]], 'value': 1}", ""), 0,
        "leaf_inplace"); /* a full slice is the leaf itself */
    following = SEMANTICS_2_8;
    assert_error(
        run("{'op': 'setitem', 'self': 'x', 'index': [[null, null, null]], 'value': 1}", ""), 0,
        "leaf_view_inplace"); /* a view of it */
    following = SEMANTICS_NONE;
    assert_ok(run("{'with': 'no_grad', 'body': [{'op': 'mul_', 'self': 'x', 'other': 2}]}", ""));
}
END_TEST

START_TEST(creation_of_a_view_decides_before_its_leaf) {
    assert_error(run("{'op': 'unbind', 'self': 'm', 'out': ['a', 'b']}, {'op': 'mul_', 'self': "
                     "'a', 'other': 2}",
                     ""),
                 1, "multi_view_inplace");
    assert_error(run("{'with': 'no_grad', 'body': [{'op': 'select', 'self': 'm', 'dim': 0, "
                     "'index': 0, 'out': 'a'}]}, {'op': 'mul_', 'self': 'a', 'other': 2}",
                     ""),
                 2, "no_grad_view_inplace");
    assert_error(run("{'op': 'unbind', 'self': 'q', 'out': ['a', 'b']}, {'op': 'slice', 'self': "
                     "'a', 'dim': 0, 'start': 1, 'out': 'c'},"
                     "{'op': 'add_', 'self': 'a', 'other': 'x'}",
                     ""),
                 2, "multi_view_inplace");
    assert_ok(run(
        "{'op': 'unbind', 'self': 'q', 'out': ['a', 'b']}, {'op': 'mul_', 'self': 'a', 'other': 2}",
        "'a'"));
}
END_TEST

START_TEST(overlap_is_found_before_shape_and_shape_before_dtype) {
    assert_error(run("{'op': 'expand', 'self': 'p', 'size': [2, 3], 'out': 'e'}, {'op': 'add_', "
                     "'self': 'e', 'other': 'x'}",
                     ""),
                 1, "overlap");
    assert_error(run("{'op': 'slice', 'self': 'p', 'dim': 0, 'end': 2, 'out': 'a'}, {'op': "
                     "'slice', 'self': 'p', 'dim': 0, 'start': 1, 'out': 'b'},"
                     "{'op': 'add_', 'self': 'a', 'other': 'b'}",
                     ""),
                 2, "overlap");
    assert_error(
        run("{'op': 'arange', 'end': 2, 'out': 'i'}, {'op': 'add_', 'self': 'i', 'other': 'p'}",
            ""),
        1, "shape");
    assert_error(
        run("{'op': 'arange', 'end': 3, 'out': 'i'}, {'op': 'add_', 'self': 'i', 'other': 'p'}",
            ""),
        1, "dtype");
    assert_error(run("{'op': 'arange', 'end': 3, 'out': 'i'}, {'op': 'index_put_', 'self': 'i', "
                     "'indices': ['i'], 'values': 'i'}",
                     ""),
                 1, "overlap");
}
END_TEST

START_TEST(fills_through_an_overlapping_self_are_fine_and_other_writes_undefined) {
    Result *r = run("{'op': 'expand', 'self': 'p', 'size': [2, 3], 'out': 'e'}, {'op': 'fill_', "
                    "'self': 'e', 'value': 7}",
                    "'p'");
    assert_ok(r);
    ck_assert_int_eq(r->nundefined, 0);
    assert_values(&r->calls[0].returns[0].values, VALUES(7, 7, 7));
    r = run("{'op': 'unfold', 'self': 'p', 'dimension': 0, 'size': 2, 'step': 1, 'out': 'u'}, "
            "{'op': 'add_', 'self': 'u', 'other': 1}",
            "'p'");
    assert_ok(r);
    ck_assert_int_eq(r->nundefined, 1);
    ck_assert_int_eq(r->undefined[0].at, 1);
    r = run("{'op': 'as_strided', 'self': 'p', 'size': [2, 1, 2, 1], 'stride': [1, 1, 1, 1], "
            "'out': 'u'}, {'op': 'triu_', 'self': 'u'}",
            "'p'");
    assert_ok(r);
    ck_assert_int_eq(r->nundefined, 1); /* batches are copied, and copied back whole */
}
END_TEST

START_TEST(a_write_that_feeds_an_operand_it_reads_is_undefined) {
    Result *r = run("{'op': 'select', 'self': 'q', 'dim': 1, 'index': 0, 'out': 'c'}, {'op': "
                    "'unsqueeze', 'self': 'c', 'dim': 1, 'out': 'd'},"
                    "{'op': 'add_', 'self': 'q', 'other': 'd'}",
                    "'q'");
    assert_ok(r);
    ck_assert_int_eq(r->nundefined, 1);
    r = run("{'op': 'add_', 'self': 'q', 'other': 'q'}", "'q'");
    ck_assert_int_eq(r->nundefined, 0);
}
END_TEST

START_TEST(a_write_through_a_view_is_history_of_the_base) {
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'slice', 'self': "
                    "'b', 'dim': 0, 'start': 1, 'out': 'v'},"
                    "{'op': 'mul_', 'self': 'v', 'other': 3}",
                    "'b'");
    assert_ok(r);
    assert_values(&r->calls[0].returns[0].values, VALUES(2, 12, 18));
    assert_grad(r, X, VALUES(2, 6, 6));
}
END_TEST

START_TEST(siblings_of_a_written_view_see_the_new_history) {
    Result *r = run("{'op': 'select', 'self': 'q', 'dim': 0, 'index': 0, 'out': 'a'}, {'op': "
                    "'select', 'self': 'q', 'dim': 0, 'index': 0, 'out': 'b'},"
                    "{'op': 'copy_', 'self': 'a', 'src': 'x'}, {'probe': 'requires_grad', 'of': "
                    "'b'}, {'probe': 'is_leaf', 'of': 'b'}",
                    "'b'");
    assert_ok(r);
    assert_trace(r, TRACE(1, 0));
    assert_grad(r, X, VALUES(1, 1, 1));
}
END_TEST

START_TEST(a_stale_view_of_several_outputs_raises_where_grad_fn_is_materialized) {
    const char *body = "{'op': 'mul', 'self': 'm', 'other': 2, 'out': 'b'}, {'op': 'unbind', "
                       "'self': 'b', 'out': ['a', 'c']}, {'op': 'add_', 'self': 'b', "
                       "'other': 1}";
    assert_error(run(body, "'a'"), AT_RETURN, "multi_view_inplace");
    assert_error(run(arena_printf(&arena, "%s, {'probe': 'is_leaf', 'of': 'a'}", body), "'b'"), 3,
                 "multi_view_inplace");
    assert_error(
        run(arena_printf(&arena, "%s, {'op': 'mul', 'self': 'a', 'other': 2, 'out': 'd'}", body),
            "'b'"),
        3, "multi_view_inplace");
    assert_ok(run(
        arena_printf(
            &arena,
            "%s, {'probe': 'requires_grad', 'of': 'a'}, {'op': 'detach', 'self': 'a', 'out': 'd'},"
            "{'op': 'gt', 'self': 'a', 'other': 0, 'out': 'g'}",
            body),
        "'b'"));
}
END_TEST

START_TEST(a_stale_plain_view_is_still_a_leaf_to_the_check_of_a_write) {
    assert_error(run("{'op': 'select', 'self': 'q', 'dim': 0, 'index': 0, 'out': 'v'}, {'op': "
                     "'add_', 'self': 'q', 'other': 'x'},"
                     "{'op': 'mul_', 'self': 'v', 'other': 2}",
                     ""),
                 2, "leaf_inplace");
}
END_TEST

START_TEST(no_grad_writes_change_data_and_version_only) {
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'with': 'no_grad', "
                    "'body': [{'op': 'mul_', 'self': 'b', 'other': 10}]}",
                    "'b'");
    assert_ok(r);
    assert_values(&r->calls[0].returns[0].values, VALUES(20, 40, 60));
    assert_grad(r, X, VALUES(2, 2, 2));
}
END_TEST

START_TEST(overwriting_sends_zeros_not_none) {
    Result *r = run(
        "{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'zero_', 'self': 'b'}", "'b'");
    assert_ok(r);
    assert_grad(r, X, VALUES(0, 0, 0));
}
END_TEST

START_TEST(comparisons_in_place_send_zeros_and_logical_ones_leave_history_alone) {
    Result *r = run("{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'ge_', 'self': "
                    "'b', 'other': 4}",
                    "'b'");
    assert_ok(r);
    assert_grad(r, X, VALUES(0, 0, 0));
    r = run(
        "{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'logical_not_', 'self': 'b'}",
        "'b'");
    assert_ok(r);
    assert_grad(r, X, VALUES(2, 2, 2));
}
END_TEST

START_TEST(an_input_written_with_history_has_no_grad_of_its_own) {
    Result *r = run("{'op': 'mul_', 'self': 'p', 'other': 'x'}", "'p'");
    assert_ok(r);
    ck_assert(r->calls[0].inputs[P].requires_grad);
    assert_grad(r, P, NO_GRAD);
    assert_grad(r, X, VALUES(1, 2, 3));
}
END_TEST

/* ---- 9: the founding program ---- */

static const char SKEW_INPUT[] =
    "{'name': 'vec', 'dtype': 'float32', 'size': [1, 3], 'requires_grad': true, 'data': [1, 2, 3]}";
static const char SKEW_TAIL[] = "{'op': 'triu_indices', 'row': 3, 'col': 3, 'offset': 1, 'out': "
                                "'rc'}, {'op': 'unbind', 'self': 'rc', 'out': ['r', 'c']}, %s,"
                                "{'assert': {'requires_grad': 'matrix'}}, {'op': 'transpose', "
                                "'self': 'matrix', 'dim0': -2, 'dim1': -1, 'out': 't'},"
                                "{'op': 'sub', 'self': 'matrix', 'other': 't', 'out': 'skew'}, "
                                "{'op': 'mul', 'self': 'skew', 'other': 'matrix', 'out': 'w'}";
static const char SKEW_WRITE[] =
    "{'op': 'setitem', 'self': 'matrix', 'index': [[null, null, null], 'r', 'c'], 'value': 'vec'}";

START_TEST(the_founding_program_passes_its_assertion_and_its_gradient) {
    char *tail = arena_printf(&arena, SKEW_TAIL, SKEW_WRITE);
    Result *r = run_with(
        SKEW_INPUT,
        arena_printf(&arena, "{'op': 'zeros', 'size': [1, 3, 3], 'out': 'matrix'}, %s", tail),
        "'w'", false);
    assert_ok(r);
    assert_grad(r, 0, VALUES(2, 4, 6));
}
END_TEST

START_TEST(the_founding_program_under_no_grad_or_flagged_before) {
    char *quiet = arena_printf(
        &arena, "{'with': 'no_grad', 'body': [%s]}, {'op': 'requires_grad_', 'self': 'matrix'}",
        SKEW_WRITE);
    Result *r =
        run_with(SKEW_INPUT,
                 arena_printf(&arena, "{'op': 'zeros', 'size': [1, 3, 3], 'out': 'matrix'}, %s",
                              arena_printf(&arena, SKEW_TAIL, quiet)),
                 "'w'", false);
    assert_ok(r);
    assert_grad(r, 0, NO_GRAD);
    r = run_with(
        SKEW_INPUT,
        arena_printf(
            &arena,
            "{'op': 'zeros', 'size': [1, 3, 3], 'requires_grad': true, 'out': 'matrix'}, %s",
            arena_printf(&arena, SKEW_TAIL, SKEW_WRITE)),
        "'w'", false);
    assert_error(r, 3, "leaf_inplace");
}
END_TEST

/* ---- results ---- */

START_TEST(errors_keep_earlier_writes_and_mark_what_a_value_error_left) {
    Result *r = run("{'op': 'mul_', 'self': 'p', 'other': 2}, {'op': 'tensor', 'data': [0, 9], "
                    "'size': [2], 'dtype': 'int64', 'out': 'i'},"
                    "{'op': 'index_put_', 'self': 'p', 'indices': ['i'], 'values': 'x'}",
                    "'p'");
    ck_assert(!r->calls[0].ok);
    ck_assert_int_eq(r->calls[0].nreturns, 0);
    ck_assert_int_eq(r->calls[0].inputs[P].version, 1);
    r = run("{'op': 'tensor', 'data': [0, 9], 'size': [2], 'dtype': 'int64', 'out': 'i'}, {'op': "
            "'select', 'self': 'q', 'dim': 0, 'index': 0, 'out': 'a'},"
            "{'op': 'index_put_', 'self': 'a', 'indices': ['i'], 'values': 'x'}",
            "");
    ck_assert(!r->calls[0].ok);
    r = run("{'op': 'tensor', 'data': [0, 9], 'size': [2], 'dtype': 'int64', 'out': 'i'}, {'op': "
            "'tensor', 'data': [1, 1], 'size': [2], 'dtype': 'float32',"
            "'out': 'v'}, {'op': 'index_put_', 'self': 'p', 'indices': ['i'], 'values': 'v'}",
            "");
    assert_error(r, 2, "index_range");
    ck_assert(r->calls[0].inputs[P].unsettled);
    ck_assert(!r->calls[0].inputs[Q].unsettled);
}
END_TEST

START_TEST(names_and_counts_are_results) {
    assert_error(run("{'op': 'neg', 'self': 'nowhere', 'out': 'y'}", ""), 0, "invalid");
    assert_error(run("{'op': 'unbind', 'self': 'q', 'out': ['a', 'b', 'c']}", ""), 0, "invalid");
    assert_error(run("", "'nowhere'"), AT_RETURN, "invalid");
    assert_error(run("{'assert': {'not': {'requires_grad': 'x'}}}", ""), 0, "assertion");
}
END_TEST

START_TEST(a_recall_starts_afresh) {
    const char *text =
        "{\"twingrad\": 1, \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"size\": [2], "
        "\"data\": [1, 2]}], \"body\": [{\"op\": \"mul_\","
        "\"self\": \"x\", \"other\": 2}], \"return\": [\"x\"], \"recalls\": [[{\"name\": \"x\", "
        "\"dtype\": \"float32\", \"size\": [1], \"data\": [5]}]]}";
    char message[256];
    ck_assert_int_eq(program_parse(&arena, text, strlen(text), &program, message, sizeof message),
                     PARSE_OK);
    RunOptions options = {.limits = LIMITS_DEFAULT, .poke = true};
    Result *r = reference_run(program, &options, &arena);
    ck_assert_int_eq(r->ncalls, 2);
    assert_values(&r->calls[1].returns[0].values, VALUES(10));
    ck_assert_int_eq(r->calls[1].inputs[0].version, 1);
    ck_assert_double_eq(element_double(r->calls[0].inputs[0].poked, DT_float32, 1), 1);
}
END_TEST

/* The result of a thousand rounds. */
static ErrCode repeat(const char *more, const char *body) {
    Arena scratch = ARENA_EMPTY;
    RunOptions options = {.limits = LIMITS_DEFAULT};
    ErrCode code =
        reference_repeat(program_of(INPUTS, more, body, "'s'"), &options, 1000, &arena, &scratch);
    arena_destroy(&scratch);
    return code;
}

START_TEST(every_round_finds_the_inputs_without_the_history_of_the_last) {
    ck_assert_int_eq(
        repeat("",
               "{'op': 'mul_', 'self': 'p', 'other': 'x'}, {'op': 'sum', 'self': 'p', 'out': 's'}"),
        ERR_none);
    ck_assert_int_eq(
        repeat("", "{'op': 't_', 'self': 'q'}, {'op': 'mm', 'self': 'm', 'mat2': 'q', 'out': 's'}"),
        ERR_none); /* q: 2 by 3 again */
    ck_assert_int_eq(repeat("'setup': [{'op': 'exp', 'self': 'x', 'out': 'e'}], 'args': ['e'],",
                            "{'op': 'sum', 'self': 'e', 'out': 's'}"),
                     ERR_unsupported);
}
END_TEST

START_TEST(a_tensor_without_elements_may_have_dims_that_fit_no_memory) {
    static const char inputs[] =
        "{'name': 'x', 'dtype': 'float32', 'size': [0, 4398046511104], 'data': []},"
        "{'name': 'w', 'dtype': 'float32', 'size': [4398046511104, 0], 'requires_grad': true, "
        "'data': []}, {'name': 'i', 'dtype': 'int64', 'size': [0], 'data': []},"
        "{'name': 'b', 'dtype': 'float32', 'size': [0, 1, 2, 2], 'requires_grad': true, 'data': "
        "{'fill': 'zeros', 'seed': 0}}";
    static const struct {
        const char *body;
        int64_t last; /* dim of the result */
    } cases[] = {
        {"{'op': 'log_softmax', 'self': 'x', 'dim': 0, 'out': 'y'}", 4398046511104},
        {"{'op': 'logcumsumexp', 'self': 'x', 'dim': 0, 'out': 'y'}", 4398046511104},
        {"{'op': 'softmax', 'self': 'x', 'dim': 0, 'out': 'y'}", 4398046511104},
        {"{'op': 'cumsum', 'self': 'x', 'dim': 0, 'out': 'y'}", 4398046511104},
        {"{'op': 'embedding', 'weight': 'w', 'indices': 'i', 'scale_grad_by_freq': true, 'out': "
         "'y'}",
         0},
        {"{'op': 'upsample_nearest2d', 'self': 'b', 'output_size': [4, 1099511627776], 'out': "
         "'y'}",
         1099511627776},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Result *r = run_with(inputs, cases[i].body, "'y'", false);
        assert_ok(r);
        const Values *y = &r->calls[0].returns[0].values;
        ck_assert_int_eq(y->size[y->ndim - 1], cases[i].last);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reference");
    TCase *tests = tcase_create("semantics");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_version_is_shared_by_views_and_detach_outputs);
    tcase_add_test(tests, a_refused_write_adds_no_version_and_an_empty_one_adds_one);
    tcase_add_test(tests, a_no_grad_view_reports_requires_grad_but_has_no_history);
    tcase_add_test(tests, a_no_grad_view_as_root_is_invalid_at_backward);
    tcase_add_test(tests, requires_grad_of_a_non_leaf_cannot_be_cleared);
    tcase_add_test(tests, detach_in_place_refuses_views);
    tcase_add_test(tests, an_integer_result_of_a_recorded_op_is_invalid);
    tcase_add_test(tests, writes_to_leaves_and_their_views_are_refused);
    tcase_add_test(tests, creation_of_a_view_decides_before_its_leaf);
    tcase_add_test(tests, overlap_is_found_before_shape_and_shape_before_dtype);
    tcase_add_test(tests, fills_through_an_overlapping_self_are_fine_and_other_writes_undefined);
    tcase_add_test(tests, a_write_that_feeds_an_operand_it_reads_is_undefined);
    tcase_add_test(tests, a_write_through_a_view_is_history_of_the_base);
    tcase_add_test(tests, siblings_of_a_written_view_see_the_new_history);
    tcase_add_test(tests, a_stale_view_of_several_outputs_raises_where_grad_fn_is_materialized);
    tcase_add_test(tests, a_stale_plain_view_is_still_a_leaf_to_the_check_of_a_write);
    tcase_add_test(tests, no_grad_writes_change_data_and_version_only);
    tcase_add_test(tests, overwriting_sends_zeros_not_none);
    tcase_add_test(tests, comparisons_in_place_send_zeros_and_logical_ones_leave_history_alone);
    tcase_add_test(tests, an_input_written_with_history_has_no_grad_of_its_own);
    tcase_add_test(tests, the_founding_program_passes_its_assertion_and_its_gradient);
    tcase_add_test(tests, the_founding_program_under_no_grad_or_flagged_before);
    tcase_add_test(tests, errors_keep_earlier_writes_and_mark_what_a_value_error_left);
    tcase_add_test(tests, names_and_counts_are_results);
    tcase_add_test(tests, a_recall_starts_afresh);
    tcase_add_test(tests, every_round_finds_the_inputs_without_the_history_of_the_last);
    tcase_add_test(tests, a_tensor_without_elements_may_have_dims_that_fit_no_memory);
    suite_add_tcase(suite, tests);
    return run_suite("reference/reference", suite);
}
