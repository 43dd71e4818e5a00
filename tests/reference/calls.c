/* What happens around the function, one claim a test, on the reference and on the compiled
 * executor: setup and arguments, calls that keep their tensors, flags set between them
 * (docs/reference/semantics.md, 10). The expected results are PyTorch 1.13's.
 *
 * Programs are written with ' for ". The only input is the leaf x = [1, 2, 3], and the backward
 * feeds ones. */
#include "compiled/core/compile.h"
#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;
static const Program *program;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

enum { REFERENCE, COMPILED, BOTH };

#define INPUT                                                                                      \
    "[{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [1, 2, 3]}]"

/* `rest`: keys after the inputs. */
static const Result *run(int executor, const char *rest) {
    char *text = arena_printf(
        &arena, "{'twingrad': 1, 'inputs': " INPUT ", 'backward': {'fill': 'ones', 'seed': 0}, %s}",
        rest);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    Program *parsed;
    ParseStatus status =
        program_parse(&arena, text, strlen(text), &parsed, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    ck_assert_msg(program_verify(parsed, message, sizeof message), "%s", message);
    program = parsed;
    RunOptions options = {.limits = LIMITS_DEFAULT, .poke = true};
    return executor == REFERENCE ? reference_run(parsed, &options, &arena)
                                 : compiled_run(parsed, &COMPILE_DEFAULT, &options, NULL, &arena);
}

static void is_ok(const Result *r, int call) {
    ck_assert_msg(r->calls[call].ok, "call %d: %s: %s", call, errcode_name(r->calls[call].error),
                  r->calls[call].message);
}

static void is_error(const Result *r, int call, const char *at, const char *code) {
    const CallResult *c = &r->calls[call];
    ck_assert_msg(!c->ok, "call %d: no error", call);
    ck_assert_str_eq(errcode_name(c->error), code);
    const char *place = c->error_at >= 0             ? program_path(&arena, program, c->error_at)
                        : c->error_at == AT_BACKWARD ? "backward"
                        : c->error_at == AT_RETURN   ? "return"
                                                     : "unknown";
    ck_assert_str_eq(place, at);
}

static void has_values(const Values *v, const double *want) {
    for (int i = 0; i < v->numel; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

/* x.grad after the call; want NULL: None. */
static void has_grad(const Result *r, int call, const double *want) {
    const InputRecord *x = &r->calls[call].inputs[0];
    ck_assert_int_eq(x->grad_state, want ? GRAD_VALUE : GRAD_NULL);
    if (want) {
        ck_assert_int_eq(x->grad.numel, 3);
        has_values(&x->grad, want);
    }
}

#define LIST(...) ((double[]){__VA_ARGS__})
#define EACH for (int on = REFERENCE; on < BOTH; on++)

/* ---- setup and arguments ---- */

START_TEST(gradients_flow_on_through_the_setup) {
    EACH {
        const Result *r =
            run(on, "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}], 'args': ['b'],"
                    "'body': [{'op': 'mul', 'self': 'b', 'other': 'b', 'out': 'r'}, {'probe': "
                    "'is_leaf', 'of': 'b'}], 'return': ['r']");
        is_ok(r, 0);
        has_grad(r, 0, LIST(8, 16, 24));
        ck_assert_int_eq(r->calls[0].trace[0].v[0], 0);
    }
}
END_TEST

START_TEST(a_leaf_that_is_passed_beside_what_was_made_of_it_gets_both_gradients) {
    EACH {
        const Result *r = run(
            on,
            "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}], 'args': ['x', 'b'],"
            "'body': [{'op': 'mul', 'self': 'b', 'other': 'x', 'out': 'r'}], 'return': ['r', 'x']");
        is_ok(r, 0);
        has_grad(r, 0, LIST(5, 9, 13));
        has_values(&r->calls[0].returns[1].grad, LIST(5, 9, 13));
    }
}
END_TEST

START_TEST(the_function_sees_its_parameters_only) {
    EACH {
        const Result *r = run(
            on, "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}], 'args': ['b'],"
                "'body': [{'op': 'mul', 'self': 'x', 'other': 'b', 'out': 'r'}], 'return': ['r']");
        is_error(r, 0, "body[0]", "invalid");
    }
}
END_TEST

START_TEST(the_setup_is_in_grad_mode_is_traced_and_has_paths) {
    EACH {
        const Result *r = run(on, "'grad_mode': false, 'setup': [{'op': 'neg', 'self': 'x', 'out': "
                                  "'b'}, {'probe': 'is_grad_enabled'}], 'args': ['b'],"
                                  "'body': [{'probe': 'is_grad_enabled'}, {'probe': 'has_grad_fn', "
                                  "'of': 'b'}, {'op': 'neg', 'self': 'b', 'out': 'r'}],"
                                  "'return': ['r']");
        is_ok(r, 0);
        ck_assert_int_eq(r->calls[0].ntrace, 3);
        ck_assert_str_eq(program_path(&arena, program, r->calls[0].trace[0].sid), "setup[1]");
        ck_assert_int_eq(r->calls[0].trace[0].v[0], 1);
        ck_assert_int_eq(r->calls[0].trace[1].v[0], 0);
        ck_assert_int_eq(r->calls[0].trace[2].v[0], 1);
        r = run(on, "'setup': [{'op': 'neg', 'self': 'x', 'out': 'b'}, {'op': 'select', 'self': "
                    "'b', 'dim': 0, 'index': 3, 'out': 'c'}], 'args': ['b'],"
                    "'body': [], 'return': ['b'], 'recalls': [{'keep': true}]");
        is_error(r, 0, "setup[1]", "index_range");
        is_error(r, 1, "unknown", "invalid");
        r = run(on, "'setup': [{'if': {'is_leaf': 'x'}, 'then': [], 'else': [{'op': 'neg', 'self': "
                    "'x', 'out': 'b'}]}], 'args': ['b'], 'body': [], 'return': []");
        is_error(r, 0, "unknown", "invalid");
    }
}
END_TEST

START_TEST(a_write_through_a_view_reaches_a_base_that_is_not_passed) {
    EACH {
        const Result *r = run(
            on,
            "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'slice', 'self': "
            "'b', 'start': 1, 'out': 'v'},"
            "{'op': 'slice', 'self': 'b', 'start': 0, 'end': 2, 'out': 'w'}], 'args': ['v', 'w'],"
            "'body': [{'op': 'mul_', 'self': 'v', 'other': 3}, {'probe': 'version', 'of': 'w'}], "
            "'return': ['w']");
        is_ok(r, 0);
        has_values(&r->calls[0].returns[0].values, LIST(2, 12));
        has_grad(r, 0, LIST(2, 6, 0));
        ck_assert_int_eq(r->calls[0].trace[0].v[0], 1);
    }
}
END_TEST

START_TEST(how_a_view_was_made_restricts_the_function) {
    EACH {
        const Result *r = run(
            on,
            "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': 'unbind', "
            "'self': 'b', 'out': ['p', 'q', 's']}],"
            "'args': ['p'], 'body': [{'op': 'mul_', 'self': 'p', 'other': 3}], 'return': ['p']");
        is_error(r, 0, "body[0]", "multi_view_inplace");
        r = run(on, "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}, {'with': "
                    "'no_grad', 'body': [{'op': 'alias', 'self': 'b', 'out': 'v'}]}],"
                    "'args': ['b', 'v'], 'body': [{'op': 'mul_', 'self': 'b', 'other': 3}, "
                    "{'probe': 'is_leaf', 'of': 'v'}], 'return': ['b']");
        is_error(r, 0, "body[1]", "no_grad_view_inplace");
        r = run(on, "'setup': [{'op': 'alias', 'self': 'x', 'out': 'v'}], 'args': ['v'], 'body': "
                    "[{'op': 'mul_', 'self': 'v', 'other': 3}], 'return': ['v']");
        is_error(r, 0, "body[0]", "leaf_view_inplace");
    }
}
END_TEST

START_TEST(a_write_in_the_function_is_seen_by_what_the_setup_saved) {
    EACH {
        const Result *r =
            run(on, "'setup': [{'op': 'sigmoid', 'self': 'x', 'out': 's'}], 'args': ['s'],"
                    "'body': [{'op': 'add_', 'self': 's', 'other': 1}], 'return': ['s']");
        is_error(r, 0, "backward", "saved_modified");
    }
}
END_TEST

START_TEST(the_same_key_is_compiled_once) {
    const Result *r =
        run(COMPILED, "'setup': [{'op': 'add', 'self': 'x', 'other': 2, 'out': 'b'}, {'op': "
                      "'alias', 'self': 'b', 'out': 'v'}], 'args': ['b', 'v'],"
                      "'body': [{'op': 'mul', 'self': 'b', 'other': 'v', 'out': 'r'}, {'op': "
                      "'mul_', 'self': 'b', 'other': 2}],"
                      "'return': ['b'], 'recalls': [" INPUT
                      ", {'keep': true, 'set': {'x': {'requires_grad': true}}},"
                      "[{'name': 'x', 'dtype': 'float32', 'size': [3], 'data': [1, 2, 3]}]]");
    ck_assert(r->calls[0].compiled && !r->calls[1].compiled);
    ck_assert(r->calls[2].compiled); /* the view is stale now */
    ck_assert(r->calls[3].compiled); /* nothing requires grad */
}
END_TEST

/* ---- calls that keep ---- */

START_TEST(a_kept_tensor_has_the_data_and_the_version_of_the_call_before) {
    EACH {
        const Result *r =
            run(on, "'setup': [{'op': 'add', 'self': 'x', 'other': 0, 'out': 'b'}], 'args': ['b'],"
                    "'body': [{'op': 'add_', 'self': 'b', 'other': 1}, {'probe': 'version', 'of': "
                    "'b'}], 'return': ['b'],"
                    "'recalls': [{'keep': true}, " INPUT ", {'keep': true, 'grad_mode': false}]");
        for (int k = 0; k < 4; k++) {
            is_ok(r, k);
            ck_assert_int_eq(r->calls[k].trace[0].v[0], 1 + k % 2);
            has_values(&r->calls[k].returns[0].values, k % 2 ? LIST(3, 4, 5) : LIST(2, 3, 4));
            has_grad(r, k, LIST(1, 1, 1)); /* cleared in between: adds save nothing, so the graph
                                              can be walked again */
            ck_assert((r->calls[k].returns[0].poked != NULL) ==
                      (k % 2 == 1)); /* a poke would be seen by the next call */
        }
    }
}
END_TEST

START_TEST(what_a_backward_ran_is_freed) {
    EACH {
        const Result *r =
            run(on, "'setup': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 'b'}], 'args': ['b'],"
                    "'body': [{'op': 'neg', 'self': 'b', 'out': 'r'}], 'return': ['r'], 'recalls': "
                    "[{'keep': true}, " INPUT "]");
        is_ok(r, 0);
        is_error(r, 1, "backward", "graph_freed");
        is_ok(r, 2);
        r = run(on, "'setup': [{'op': 'neg', 'self': 'x', 'out': 'b'}, {'op': 'slice', 'self': "
                    "'b', 'start': 1, 'out': 'v'}], 'args': ['b', 'v'],"
                    "'body': [{'op': 'add_', 'self': 'v', 'other': 1}], 'return': ['b'], "
                    "'recalls': [{'keep': true}]");
        is_ok(r, 0);
        is_error(r, 1, "backward",
                 "graph_freed"); /* a write through a view lets go of its op, which saved nothing */
    }
}
END_TEST

START_TEST(a_write_is_history_of_the_next_calls_argument) {
    EACH {
        const Result *r =
            run(on, "'setup': [{'op': 'neg', 'self': 'x', 'out': 'b'}, {'op': 'slice', 'self': "
                    "'b', 'start': 1, 'out': 'v'}], 'args': ['b', 'v'],"
                    "'body': [{'op': 'sum', 'self': 'v', 'out': 'r'}, {'op': 'mul_', 'self': 'b', "
                    "'other': 3}], 'return': ['r'],"
                    "'recalls': [{'keep': true}, {'keep': true}]");
        is_ok(r, 0);
        has_grad(r, 0, LIST(0, -1, -1));
        is_ok(r, 1);
        has_values(&r->calls[1].returns[0].values, LIST(-15));
        has_grad(r, 1, LIST(0, -3, -3));
        is_error(r, 2, "backward",
                 "graph_freed"); /* of the first call's mul_, which the second backward ran */
    }
}
END_TEST

START_TEST(flags_are_set_between_calls) {
    EACH {
        const Result *r = run(
            on,
            "'setup': [{'op': 'neg', 'self': 'x', 'out': 'b'}, {'op': 'gt', 'self': 'x', 'other': "
            "0, 'out': 'c'}, {'op': 'detach', 'self': 'x', 'out': 'd'},"
            "{'op': 'alias', 'self': 'd', 'out': 'e'}], 'args': ['b', 'd', 'e'],"
            "'body': [{'op': 'add', 'self': 'b', 'other': 'e', 'out': 'r'}, {'probe': "
            "'requires_grad', 'of': 'e'}, {'probe': 'is_leaf', 'of': 'e'}],"
            "'return': ['r', 'd'], 'recalls': [{'keep': true, 'set': {'x': {'requires_grad': "
            "false}}},"
            "{'keep': true, 'set': {'b': {'requires_grad': true}, 'd': {'requires_grad': true}}},"
            "{'keep': true, 'set': {'b': {'requires_grad': false}}}, {'keep': true, 'set': {'c': "
            "{'requires_grad': true}}}]");
        is_ok(r, 0);
        has_grad(r, 0, LIST(-1, -1, -1));
        is_ok(r, 1);
        has_grad(r, 1, NULL); /* the accumulator obeys the flag, the history stays */
        is_ok(r, 2);
        ck_assert_int_eq(r->calls[2].trace[0].v[0],
                         1); /* a view of a base that requires grad by now, made before */
        ck_assert_int_eq(r->calls[2].trace[1].v[0], 1);
        ck_assert_int_eq(r->calls[2].returns[1].grad_state,
                         GRAD_VALUE); /* d was returned: a root of its own */
        is_error(r, 3, "unknown", "grad_non_leaf");
        is_error(r, 4, "unknown", "grad_dtype");
    }
}
END_TEST

START_TEST(an_inputs_own_write_is_kept_without_a_setup) {
    EACH {
        const Result *r = run(on, "'body': [{'op': 'clone', 'self': 'x', 'out': 'r'}, {'with': "
                                  "'no_grad', 'body': [{'op': 'mul_', 'self': 'x', 'other': 2}]}],"
                                  "'return': ['r'], 'recalls': [{'keep': true}, {'keep': true, "
                                  "'set': {'x': {'requires_grad': false}}}]");
        for (int k = 0; k < 3; k++) {
            is_ok(r, k);
            has_values(&r->calls[k].returns[0].values, k == 0   ? LIST(1, 2, 3)
                                                       : k == 1 ? LIST(2, 4, 6)
                                                                : LIST(4, 8, 12));
            has_grad(r, k, k < 2 ? LIST(1, 1, 1) : NULL);
            ck_assert_int_eq(r->calls[k].inputs[0].version, k + 1);
        }
        ck_assert(on == REFERENCE ||
                  (r->calls[0].compiled && !r->calls[1].compiled && r->calls[2].compiled));
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("calls");
    TCase *tests = tcase_create("around the function");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, gradients_flow_on_through_the_setup);
    tcase_add_test(tests, a_leaf_that_is_passed_beside_what_was_made_of_it_gets_both_gradients);
    tcase_add_test(tests, the_function_sees_its_parameters_only);
    tcase_add_test(tests, the_setup_is_in_grad_mode_is_traced_and_has_paths);
    tcase_add_test(tests, a_write_through_a_view_reaches_a_base_that_is_not_passed);
    tcase_add_test(tests, how_a_view_was_made_restricts_the_function);
    tcase_add_test(tests, a_write_in_the_function_is_seen_by_what_the_setup_saved);
    tcase_add_test(tests, the_same_key_is_compiled_once);
    tcase_add_test(tests, a_kept_tensor_has_the_data_and_the_version_of_the_call_before);
    tcase_add_test(tests, what_a_backward_ran_is_freed);
    tcase_add_test(tests, a_write_is_history_of_the_next_calls_argument);
    tcase_add_test(tests, flags_are_set_between_calls);
    tcase_add_test(tests, an_inputs_own_write_is_kept_without_a_setup);
    suite_add_tcase(suite, tests);
    return run_suite("reference/calls", suite);
}
