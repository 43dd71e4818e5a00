/* Caller code behind the function, one claim a test, on both executors
 * (docs/reference/semantics.md, section 13; corpus/golden/after has PyTorch's answers).
 *
 * Programs are written with ' for ". Inputs: leaves x = [1, 2, 3] and w = [2, 2, 2] that require
 * grad, plain g = [1, 1, 1]. */
#include "compiled/core/compile.h"
#include "program/json/json.h"
#include "reference/eager.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

enum { X, W, G, BOTH = 2 };
#define MUL "{'op': 'mul', 'self': 'x', 'other': 'w', 'out': 'y'}"
#define BACKWARD "{'op': 'backward', 'tensors': ['y'], 'grad_tensors': ['g'], 'retain_graph': true}"
#define HARNESS ", 'backward': {'fill': 'ones', 'seed': 0}"

static Program *program_of(const char *body, const char *after, const char *rest) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 2, 'inputs': [{'name': 'x', 'dtype': 'float32', 'size': [3], "
        "'requires_grad': true, 'data': [1, 2, 3]},"
        "{'name': 'w', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [2, 2, 2]},"
        "{'name': 'g', 'dtype': 'float32', 'size': [3], 'data': [1, 1, 1]}],"
        "'body': [%s], 'return': ['y'], 'after': [%s]%s}",
        body, after, rest);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    Program *program;
    ParseStatus status =
        program_parse(&arena, text, strlen(text), &program, message, sizeof message);
    ck_assert_msg(status == PARSE_OK, "%s", message);
    return program;
}

static Result *run_on(int executor, const Program *p) {
    RunOptions options = {.limits = LIMITS_DEFAULT};
    CompileOptions compile = {.fault = FAULT_NONE, .opt_limit = -1, .verify = true};
    return executor == 0 ? reference_run(p, &options, &arena)
                         : compiled_run(p, &compile, &options, NULL, &arena);
}

static void assert_values(const Values *v, int n, const double *want) {
    ck_assert_int_eq(v->numel, n);
    for (int i = 0; i < n; i++) {
        ck_assert_double_eq(element_double(v->data, v->dtype, i), want[i]);
    }
}

/* On both executors .grad of x and of w are these after call `call`; NULL: None. */
static void both_leave(const Program *p, int call, const double *x, const double *w) {
    for (int executor = 0; executor < BOTH; executor++) {
        const CallResult *c = &run_on(executor, p)->calls[call];
        ck_assert_msg(c->ok, "%s: %s", errcode_name(c->error), c->message);
        const double *want[] = {x, w};
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(c->inputs[i].grad_state, want[i] ? GRAD_VALUE : GRAD_NULL);
            if (want[i]) {
                assert_values(&c->inputs[i].grad, 3, want[i]);
            }
        }
    }
}

/* On both executors the call raises `code` at `path`. */
static void both_raise(const Program *p, const char *path, const char *code) {
    for (int executor = 0; executor < BOTH; executor++) {
        const CallResult *c = &run_on(executor, p)->calls[0];
        ck_assert_msg(!c->ok, "no error");
        ck_assert_str_eq(errcode_name(c->error), code);
        ck_assert_str_eq(
            c->error_at == AT_BACKWARD ? "backward" : program_path(&arena, p, c->error_at), path);
    }
}

START_TEST(backwards_accumulate_with_that_of_the_harness) {
    both_leave(program_of(MUL, BACKWARD "," BACKWARD, HARNESS), 0, (double[]){6, 6, 6},
               (double[]){3, 6, 9});
    both_leave(program_of(MUL, BACKWARD, ""), 0, (double[]){2, 2, 2}, (double[]){1, 2, 3});
    both_raise(
        program_of(MUL, "{'op': 'backward', 'tensors': ['y'], 'grad_tensors': ['g']}", HARNESS),
        "backward", "graph_freed");
    both_raise(program_of(MUL, "{'op': 'backward', 'tensors': ['y']}", ""), "after[0]", "invalid");
}
END_TEST

START_TEST(a_write_behind_the_function_is_seen_by_the_backward) {
    const char *write = "{'with': 'no_grad', 'body': [{'op': 'add_', 'self': 'x', 'other': 1}]}";
    both_raise(program_of(MUL, write, HARNESS), "backward", "saved_modified");
    both_raise(program_of(MUL, "{'op': 'add_', 'self': 'x', 'other': 1}", HARNESS), "after[0]",
               "leaf_inplace");
    both_leave(program_of("{'op': 'add', 'self': 'x', 'other': 'w', 'out': 'y'}", write, HARNESS),
               0, (double[]){1, 1, 1}, (double[]){1, 1, 1});
    both_leave(program_of(MUL, "{'op': 'mul_', 'self': 'y', 'other': 3}", HARNESS), 0,
               (double[]){6, 6, 6}, (double[]){3, 6, 9});
}
END_TEST

START_TEST(dot_grad_is_the_tensor_itself) {
    const char *zeroed = BACKWARD ", {'op': 'get_grad', 'self': 'x', 'out': 'h'},"
                                  "{'op': 'zero_', 'self': 'h'}";
    both_leave(program_of(MUL, zeroed, HARNESS), 0, (double[]){2, 2, 2}, (double[]){2, 4, 6});
    const char *shown = BACKWARD ", {'op': 'get_grad', 'self': 'x', 'out': 'h'}," BACKWARD
                                 ", {'op': 'mul', 'self': 'h', 'other': 2, 'out': 'k'},"
                                 "{'op': 'set_grad', 'self': 'w', 'grad': 'k'}";
    both_leave(program_of(MUL, shown, ""), 0, (double[]){4, 4, 4}, (double[]){8, 8, 8});
    both_raise(program_of(MUL,
                          "{'op': 'get_grad', 'self': 'x', 'out': 'h'},"
                          "{'op': 'zero_', 'self': 'h'}",
                          ""),
               "after[1]", "invalid");
}
END_TEST

START_TEST(dot_grad_can_be_set) {
    both_leave(program_of(MUL,
                          "{'op': 'clone', 'self': 'g', 'out': 'h'},"
                          "{'op': 'set_grad', 'self': 'x', 'grad': 'h'}",
                          HARNESS),
               0, (double[]){3, 3, 3}, (double[]){1, 2, 3});
    both_leave(program_of(MUL, BACKWARD ", {'op': 'set_grad', 'self': 'x', 'grad': null}", ""), 0,
               NULL, (double[]){1, 2, 3});
    both_raise(program_of(MUL, "{'op': 'set_grad', 'self': 'x', 'grad': 'x'}", ""), "after[0]",
               "invalid");
    both_raise(program_of(MUL,
                          "{'op': 'sum', 'self': 'x', 'out': 's'},"
                          "{'op': 'set_grad', 'self': 'x', 'grad': 's'}",
                          ""),
               "after[1]", "shape");
    both_raise(program_of(MUL,
                          "{'op': 'to', 'self': 'x', 'dtype': 'float64', 'out': 's'},"
                          "{'op': 'set_grad', 'self': 'x', 'grad': 's'}",
                          ""),
               "after[1]", "dtype");
}
END_TEST

START_TEST(an_expanded_gradient_is_not_added_to) {
    both_raise(program_of(MUL,
                          "{'op': 'sum', 'self': 'g', 'out': 's'},"
                          "{'op': 'expand', 'self': 's', 'size': [3], 'out': 'e'},"
                          "{'op': 'set_grad', 'self': 'x', 'grad': 'e'}",
                          HARNESS),
               "backward", "overlap");
}
END_TEST

START_TEST(a_gradient_of_one_return_by_an_argument) {
    const char *grad = "{'op': 'grad', 'outputs': ['y'], 'inputs': ['x'], 'grad_outputs': ['g'], "
                       "'create_graph': true, 'out': ['h']},"
                       "{'op': 'backward', 'tensors': ['h'], 'grad_tensors': ['g']}";
    both_leave(program_of(MUL, grad, ""), 0, NULL, (double[]){1, 1, 1});
}
END_TEST

START_TEST(names_mean_arguments_and_returns) {
    const char *rebinds = "{'op': 'mul', 'self': 'x', 'other': 'w', 'out': 'y'},"
                          "{'op': 'mul', 'self': 'x', 'other': 5, 'out': 'x'}";
    both_leave(program_of(rebinds,
                          BACKWARD ", {'op': 'get_grad', 'self': 'x', 'out': 'h'},"
                                   "{'op': 'zero_', 'self': 'h'}",
                          ""),
               0, (double[]){0, 0, 0}, (double[]){1, 2, 3});
    both_raise(program_of("{'op': 'neg', 'self': 'x', 'out': 'z'}," MUL,
                          "{'op': 'neg', 'self': 'z', 'out': 'q'}", ""),
               "after[0]", "invalid");
}
END_TEST

START_TEST(a_retained_graph_is_freed_by_the_next_backward) {
    const char *freeing = BACKWARD ", {'op': 'backward', 'tensors': ['y'], 'grad_tensors': ['g']}";
    both_leave(program_of(MUL, freeing, ""), 0, (double[]){4, 4, 4}, (double[]){2, 4, 6});
    both_raise(program_of(MUL, freeing, HARNESS), "backward", "graph_freed");
    const char *twice = "{'op': 'backward', 'tensors': ['y'], 'grad_tensors': ['g']}," BACKWARD;
    both_raise(program_of(MUL, twice, ""), "after[1]", "graph_freed");
    both_leave(program_of("{'op': 'add', 'self': 'x', 'other': 'w', 'out': 'y'}", twice, ""), 0,
               (double[]){2, 2, 2}, (double[]){2, 2, 2});
}
END_TEST

START_TEST(it_runs_in_grad_mode) {
    Program *p = program_of(MUL,
                            "{'assert': {'is_grad_enabled': true}},"
                            "{'assert': {'not': {'requires_grad': 'y'}}}",
                            ", 'grad_mode': false");
    both_leave(p, 0, NULL, NULL);
}
END_TEST

START_TEST(gradients_are_kept_between_calls) {
    const char *rest = HARNESS ", 'recalls': [{'keep': true, 'keep_grads': true}, {'keep': true}]";
    both_leave(program_of(MUL, "", rest), 1, (double[]){4, 4, 4}, (double[]){2, 4, 6});
    both_leave(program_of(MUL, "", rest), 2, (double[]){2, 2, 2}, (double[]){1, 2, 3});
}
END_TEST

START_TEST(statements_that_read_no_gradients_are_regions_of_their_own) {
    Program *p = program_of(MUL, "{'op': 'mul_', 'self': 'y', 'other': 'w'}", HARNESS);
    both_leave(p, 0, (double[]){4, 4, 4}, (double[]){4, 8, 12});
    ck_assert_int_eq(run_on(1, p)->calls[0].regions, 2);
    p = program_of(MUL, BACKWARD, ""); /* the function, before the backward, its roots, behind it */
    ck_assert_int_eq(run_on(1, p)->calls[0].regions, 4);
    p = program_of(MUL, BACKWARD ", {'op': 'get_grad', 'self': 'x', 'out': 'h'}", "");
    ck_assert_int_eq(run_on(1, p)->calls[0].regions, 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("after");
    TCase *t = tcase_create("after");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, backwards_accumulate_with_that_of_the_harness);
    tcase_add_test(t, a_write_behind_the_function_is_seen_by_the_backward);
    tcase_add_test(t, dot_grad_is_the_tensor_itself);
    tcase_add_test(t, dot_grad_can_be_set);
    tcase_add_test(t, an_expanded_gradient_is_not_added_to);
    tcase_add_test(t, a_gradient_of_one_return_by_an_argument);
    tcase_add_test(t, names_mean_arguments_and_returns);
    tcase_add_test(t, it_runs_in_grad_mode);
    tcase_add_test(t, a_retained_graph_is_freed_by_the_next_backward);
    tcase_add_test(t, gradients_are_kept_between_calls);
    tcase_add_test(t, statements_that_read_no_gradients_are_regions_of_their_own);
    suite_add_tcase(suite, t);
    return run_suite("reference/after", suite);
}
