/* Functions of the program's own and hooks in the compiled executor: every program here agrees with
 * the reference, runs as many regions as stated, and reuses its code where it is called again.
 *
 * Programs are written with ' for ". The inputs are the leaves x = [1, 2, 3] and w = [4, 5, 6]. */
#include "harness/check/check.h"
#include "program/json/json.h"
#include "tests/support/quoted.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

/* twice: its backward is not its derivative. thrice_: writes its operand. pair: two returns, the
 * second without a gradient. picky: by needs_input_grad and is_none. halve, shrink: hooks. step:
 * one that writes the leaf. */
static const char FUNCTIONS[] =
    "{'name': 'twice', 'params': ['a'], 'forward': [{'op': 'mul', 'self': 'a', 'other': 2, 'out': "
    "'y'}], 'return': ['y'], 'save': ['a', 'y'], 'grad_outputs': ['g'], 'backward': [{'op': 'mul', "
    "'self': 'g', 'other': 'a', 'out': 'h'}, {'op': 'add', 'self': 'h', 'other': 'y', 'out': "
    "'h'}], 'grad_inputs': ['h']},"
    "{'name': 'thrice_', 'params': ['a'], 'forward': [{'op': 'mul_', 'self': 'a', 'other': 3}], "
    "'return': ['a'], 'dirty': ['a'], 'grad_outputs': ['g'], 'backward': [{'op': 'mul_', 'self': "
    "'g', 'other': 3}], 'grad_inputs': ['g']},"
    "{'name': 'pair', 'params': ['a'], 'forward': [{'op': 'sin', 'self': 'a', 'out': 'y'}, {'op': "
    "'cos', 'self': 'a', 'out': 'z'}], 'return': ['y', 'z'], 'non_differentiable': ['z'], 'save': "
    "['z'], 'grad_outputs': ['g', 'k'], 'backward': [{'op': 'mul', 'self': 'g', 'other': 'z', "
    "'out': 'h'}, {'op': 'add', 'self': 'h', 'other': 'k', 'out': 'h'}], 'grad_inputs': ['h']},"
    "{'name': 'picky', 'params': ['a', 'b'], 'forward': [{'op': 'mul', 'self': 'a', 'other': 'b', "
    "'out': 'y'}, {'op': 'neg', 'self': 'b', 'out': 'z'}], 'return': ['y', 'z'], "
    "'materialize_grads': false, 'grad_outputs': ['g', 'k'], 'backward': [{'if': "
    "{'needs_input_grad': 1}, 'then': [{'op': 'neg', 'self': 'g', 'out': 'h'}], 'else': [{'op': "
    "'clone', 'self': 'g', 'out': 'h'}]}, {'assert': {'is_none': 'k'}}], 'grad_inputs': ['h', "
    "'k']},"
    "{'name': 'halve', 'params': ['g'], 'forward': [{'op': 'mul', 'self': 'g', 'other': 0.5, "
    "'out': 'h'}], 'return': ['h']},"
    "{'name': 'shrink', 'params': ['g'], 'forward': [{'op': 'clamp_', 'self': 'g', 'min': -1, "
    "'max': 1}], 'return': []},"
    "{'name': 'step', 'params': ['p', 'g'], 'forward': [{'op': 'sub_', 'self': 'p', 'other': "
    "'g'}], 'return': []}";

static const struct {
    const char *name;
    int regions;
    ErrCode error; /* of the call */
    const char *rest;
} programs[] = {
    {"a backward that is not the derivative", 1, ERR_none,
     "'body': [{'op': 'apply', 'function': 'twice', 'operands': ['x'], 'out': ['y']}], "
     "'return': ['y']"},
    {"one application into another, and a use of both", 1, ERR_none,
     "'body': [{'op': 'apply', 'function': 'twice', 'operands': ['x'], 'out': ['y']}, {'op': "
     "'apply', 'function': 'twice', 'operands': ['y'], 'out': ['z']}, {'op': 'mul', 'self': "
     "'z', 'other': 'y', 'out': 'r'}], 'return': ['r']"},
    {"a dirty operand that is not a leaf, and a view of it", 1, ERR_none,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 't'}, {'op': 'view', 'self': 't', "
     "'size': [3, 1], 'out': 'v'}, {'op': 'apply', 'function': 'thrice_', 'operands': ['t'], "
     "'out': ['u']}, {'op': 'sum', 'self': 'v', 'out': 's'}], 'return': ['t', 's']"},
    {"a dirty view", 1, ERR_none,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 't'}, {'op': 'select', 'self': "
     "'t', 'dim': 0, 'index': 1, 'out': 'v'}, {'op': 'apply', 'function': 'thrice_', "
     "'operands': ['v'], 'out': ['u']}], 'return': ['t']"},
    {"a dirty leaf is refused", 1, ERR_leaf_inplace,
     "'body': [{'op': 'apply', 'function': 'thrice_', 'operands': ['x'], 'out': ['u']}], "
     "'return': ['u']"},
    {"a return without a gradient, and zeros for it in the backward", 1, ERR_none,
     "'body': [{'op': 'apply', 'function': 'pair', 'operands': ['x'], 'out': ['y', 'z']}, "
     "{'assert': {'not': {'requires_grad': 'z'}}}], 'return': ['y', 'z']"},
    {"None for a return that no gradient reaches, by needs_input_grad", 1, ERR_none,
     "'body': [{'op': 'apply', 'function': 'picky', 'operands': ['x', 'w'], 'out': ['y', 'z']}, "
     "{'op': 'detach', 'self': 'w', 'out': 'p'}, {'op': 'apply', 'function': 'picky', "
     "'operands': ['y', 'p'], 'out': ['r', 's']}], 'return': ['r']"},
    {"a saved operand that was written: the backward raises", 1, ERR_saved_modified,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 't'}, {'op': 'apply', 'function': "
     "'twice', 'operands': ['t'], 'out': ['y']}, {'op': 'add_', 'self': 't', 'other': 1}], "
     "'return': ['y']"},
    {"a gradient inside the program, recorded", 1, ERR_none,
     "'body': [{'op': 'apply', 'function': 'twice', 'operands': ['x'], 'out': ['y']}, {'op': "
     "'sum', 'self': 'y', 'out': 's'}, {'op': 'grad', 'outputs': ['s'], 'inputs': ['x'], "
     "'create_graph': true, 'out': ['g']}], 'return': ['g']"},
    {"two regions: the backward comes back to the node in the first", 2, ERR_none,
     "'body': [{'op': 'apply', 'function': 'twice', 'operands': ['x'], 'out': ['y']}, "
     "{'graph_break': true}, {'op': 'apply', 'function': 'pair', 'operands': ['y'], 'out': "
     "['z', 'u']}], 'return': ['z']"},
    {"a hook sees the whole gradient of what is used twice", 1, ERR_none,
     "'body': [{'op': 'register_hook', 'self': 'x', 'function': 'shrink'}, {'op': 'mul', "
     "'self': 'x', 'other': 'w', 'out': 'y'}, {'op': 'mul', 'self': 'x', 'other': 'y', 'out': "
     "'z'}], 'return': ['z']"},
    {"two hooks, one of them removed", 1, ERR_none,
     "'body': [{'op': 'mul', 'self': 'x', 'other': 2, 'out': 't'}, {'op': 'register_hook', "
     "'self': 't', 'function': 'halve'}, {'op': 'register_hook', 'self': 't', 'function': "
     "'shrink'}, {'op': 'remove_hook', 'self': 't', 'function': 'halve'}, {'op': 'mul', 'self': "
     "'t', 'other': 'w', 'out': 'z'}], 'return': ['z']"},
    {"a setup with hooks and its function are one region", 1, ERR_none,
     "'setup': [{'op': 'register_hook', 'self': 'x', 'function': 'halve'}, {'op': 'mul', "
     "'self': 'x', 'other': 2, 'out': 't'}, {'op': 'register_hook', 'self': 't', 'function': "
     "'shrink'}], 'args': ['t', 'w'], 'body': [{'op': 'mul', 'self': 't', 'other': 'w', 'out': "
     "'z'}], 'return': ['z']"},
    {"a function and a hook in code that is used again", 1, ERR_none,
     "'body': [{'op': 'register_hook', 'self': 'x', 'function': 'halve'}, {'op': 'apply', "
     "'function': 'twice', 'operands': ['x'], 'out': ['y']}], 'return': ['y'], 'recalls': "
     "[[{'name': 'x', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [7, 8, "
     "9]}, {'name': 'w', 'dtype': 'float32', 'size': [3], 'requires_grad': true, 'data': [1, 1, "
     "1]}]]"},
    {"hooks stay from call to call, and see what all of them add", 1, ERR_none,
     "'setup': [{'op': 'register_hook', 'self': 'x', 'function': 'halve'}, {'op': 'mul', 'self': "
     "'x', 'other': 2, 'out': 't'}], 'args': ['x', 't'], 'body': [{'op': 'register_hook', 'self': "
     "'t', 'function': 'shrink'}, {'op': 'register_hook', 'self': 'x', 'function': 'halve'}, "
     "{'op': 'mul_', 'self': 't', 'other': 3}, {'op': 'mul', 'self': 't', 'other': 'x', 'out': "
     "'y'}], 'return': ['y'], 'recalls': [{'keep': true, "
     "'grad_mode': false}]"},
    {"a step in a hook: the return was recorded before it", 1, ERR_none,
     "'body': [{'op': 'register_post_accumulate_grad_hook', 'self': 'x', 'function': 'step'}, "
     "{'op': 'mul', 'self': 'x', 'other': 'w', 'out': 'y'}], 'return': ['x', 'y']"},
};

static Program *functional(const char *rest) {
    return parse_quoted(
        &arena,
        arena_printf(&arena,
                     "{'twingrad': 2, 'inputs': [{'name': 'x', 'dtype': 'float32', 'size': [3], "
                     "'requires_grad': true, 'data': [1, 2, 3]}, {'name': 'w', 'dtype': 'float32', "
                     "'size': [3], 'requires_grad': true, 'data': [4, 5, 6]}], 'functions': [%s], "
                     "'backward': {'fill': 'ones', 'seed': 0}, %s}",
                     FUNCTIONS, rest));
}

START_TEST(a_program_with_functions_agrees) {
    Checker c;
    char message[256];
    const char *name = programs[_i].name;
    ck_assert(checker_open(&c, "reference,compiled", &COMPILE_DEFAULT, message, sizeof message));
    CheckResult out;
    const Program *p = functional(programs[_i].rest);
    check_program(&c, p, &arena, &out);
    ck_assert_msg(out.verdict == AGREE, "%s: %s", name,
                  out.verdict == FINDING ? out.finding.kind : "skipped");
    ck_assert_msg(out.b->calls[0].error == programs[_i].error, "%s: %s", name,
                  errcode_name(out.b->calls[0].error));
    ck_assert_msg(out.b->calls[0].regions == programs[_i].regions, "%s: %d regions", name,
                  out.b->calls[0].regions);
    for (int k = 1; k < out.b->ncalls; k++) {
        ck_assert_msg(p->recalls[k - 1].keep || !out.b->calls[k].compiled,
                      "%s: call %d is compiled again", name, k);
    }
    checker_close(&c);
}
END_TEST

int main(void) {
    Suite *s = suite_create("compiled/functions");
    TCase *t = tcase_create("functions");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_program_with_functions_agrees, 0, COUNT_OF(programs));
    suite_add_tcase(s, t);
    return run_suite("compiled/functions", s);
}
