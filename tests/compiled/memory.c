/* Memory that is read as several dtypes, grows, or is that of another tensor (set_): every program
 * here is run on both executors, which agree, and the compiled one returns what the bytes of its
 * inputs, little-endian, say.
 *
 * Programs are written with ' for ". The inputs are i = [1065353216, 5] of int32 (the bits of 1.0
 * and 7e-45), h = [1, 0, 2, 0] of int16, and the leaf w = [1, 2]; {'graph_break': true} is a
 * graph_break. */
#include "harness/check/check.h"
#include "reference/eager.h"
#include "tests/support/quoted.h"

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

#define READ "{'op': 'view', 'self': 'i', 'dtype': 'float32', 'out': 'v'}, "
#define NARROW "{'op': 'view', 'self': 'i', 'dtype': 'int16', 'out': 's'}, "
#define WIDE "{'op': 'view', 'self': 'h', 'dtype': 'int32', 'out': 'u'}, "

static const struct {
    const char *name, *rest;
    int n;
    double value[6]; /* of the first return */
    int version;     /* of i at the end */
} cases[] = {
    {"a reading has the bits",
     "'body': [" READ "{'op': 'neg', 'self': 'v', 'out': 'y'}], 'return': ['y']",
     2,
     {-1, -7.006492321624085e-45},
     0},
    {"a reading sees a later write",
     "'body': [" READ "{'op': 'fill_', 'self': 'i', 'value': 1073741824}], 'return': ['v']",
     2,
     {2, 2},
     1},
    {"what was read before does not",
     "'body': [" READ "{'op': 'mul', 'self': 'v', 'other': 3, 'out': 'y'}, {'op': 'zero_', 'self': "
     "'i'}], 'return': ['y']",
     2,
     {3, 2.1019476964872256e-44},
     1},
    {"a write through a reading reaches the memory",
     "'body': [" READ "{'op': 'mul_', 'self': 'v', 'other': 2}], 'return': ['i']",
     2,
     {1073741824, 10},
     1},
    {"... and only where it writes",
     "'body': [" READ "{'op': 'select', 'self': 'v', 'dim': 0, 'index': 1, 'out': 'e'}, {'op': "
     "'fill_', 'self': 'e', 'value': 0.5}], 'return': ['i']",
     2,
     {1065353216, 1056964608},
     1},
    {"a write reaches a third reading",
     "'body': [" READ NARROW "{'op': 'mul_', 'self': 'v', 'other': -2}, {'op': 'clone', 'self': "
     "'s', 'out': 'y'}], 'return': ['y']",
     4,
     {0, -16384, 10, -32768},
     1},
    {"elements of another size reach the memory",
     "'body': [" NARROW "{'op': 'slice', 'self': 's', 'dim': 0, 'start': 1, 'end': 3, 'out': 'p'}, "
     "{'op': 'fill_', 'self': 'p', 'value': 1}], 'return': ['i']",
     2,
     {65536, 1},
     1},
    {"a wider reading",
     "'body': [" WIDE "{'op': 'add_', 'self': 'h', 'other': 1}], 'return': ['u']",
     2,
     {65538, 65539},
     0},
    {"a write through a wider reading",
     "'body': [" WIDE "{'op': 'neg_', 'self': 'u'}], 'return': ['h']",
     4,
     {-1, -1, -2, -1},
     0},
    {"memory made inside",
     "'body': [{'op': 'add', 'self': 'h', 'other': 1, 'out': 'm'}, {'op': 'view', 'self': 'm', "
     "'dtype': 'int64', 'out': 'v'}, {'op': 'add_', 'self': 'v', 'other': 1}], 'return': ['m', "
     "'v']",
     4,
     {3, 1, 3, 1},
     0},
    {"a reading crosses a break",
     "'body': [" READ "{'graph_break': true}, {'op': 'mul_', 'self': 'v', 'other': 2}, "
     "{'graph_break': true}, {'op': 'add_', "
     "'self': 'i', 'other': 1}, {'op': 'mul', 'self': 'v', 'other': 1, 'out': 'y'}], 'return': "
     "['i', 'y']",
     2,
     {1073741825, 11},
     2},
    {"memory made inside crosses a break as two readings",
     "'body': [{'op': 'add', 'self': 'h', 'other': 1, 'out': 'm'}, {'op': 'view', 'self': 'm', "
     "'dtype': 'int64', 'out': 'v'}, {'graph_break': true}, {'op': 'zero_', 'self': 'v'}, {'op': "
     "'add_', 'self': "
     "'m', 'other': 4}], 'return': ['m', 'v']",
     4,
     {4, 4, 4, 4},
     0},
    {"a reading gets a history of its own",
     "'body': [" READ "{'op': 'mul_', 'self': 'v', 'other': 'w'}, {'probe': 'requires_grad', 'of': "
     "'v'}, {'probe': 'requires_grad', 'of': 'i'}, {'op': 'clone', 'self': 'v', 'out': 'y'}], "
     "'return': ['y']",
     2,
     {1, 1.401298464324817e-44},
     1},
    {"a saved value is modified through a reading: backward raises",
     "'body': [{'op': 'clone', 'self': 'w', 'out': 'c'}, {'op': 'view', 'self': 'c', 'dtype': "
     "'int32', 'out': 'b'}, {'op': 'mul', 'self': 'c', 'other': 'c', 'out': 'y'}, {'op': 'add_', "
     "'self': 'b', 'other': 8388608}], 'return': ['y']",
     2,
     {1, 4},
     0},
    {"resize_ within the memory",
     "'body': [{'op': 'resize_', 'self': 'h', 'size': [3]}, {'op': 'add_', 'self': 'h', 'other': "
     "1}], 'return': ['h']",
     3,
     {2, 1, 3},
     0},
    {"resize_ back to what is there",
     "'body': [{'op': 'resize_', 'self': 'h', 'size': [1]}, {'op': 'mul_', 'self': 'h', 'other': "
     "9}, {'op': 'resize_', 'self': 'h', 'size': [2, 2]}], 'return': ['h']",
     4,
     {9, 0, 2, 0},
     0},
    {"resize_ to the size that is there does not modify what is saved",
     "'body': [{'op': 'view', 'self': 'i', 'dtype': 'float32', 'out': 'v'}, {'op': 'mul', 'self': "
     "'w', 'other': 'v', 'out': 'y'}, {'op': 'resize_', 'self': 'v', 'size': [2]}], 'return': "
     "['y']",
     2,
     {1, 1.401298464324817e-44},
     0},
    {"memory grows for its views, too",
     "'body': [{'op': 'view', 'self': 'h', 'size': [4], 'out': 'a'}, {'op': 'resize_', 'self': "
     "'h', 'size': [6]}, {'op': 'zero_', 'self': 'a'}, {'op': 'fill_', 'self': 'h', 'value': 3}, "
     "{'op': 'neg_', 'self': 'a'}], 'return': ['h', 'a']",
     6,
     {-3, -3, -3, -3, 3, 3},
     0},
    {"... across a break, and for its readings",
     "'body': [" WIDE "{'op': 'resize_', 'self': 'h', 'size': [6]}, {'op': 'fill_', 'self': 'h', "
     "'value': 1}, {'graph_break': true}, {'op': 'add_', 'self': 'u', 'other': 1}, {'op': "
     "'resize_', 'self': 'u', "
     "'size': [3]}], 'return': ['u', 'h']",
     3,
     {65538, 65538, 65537},
     0},
    {"an out that is an input grows",
     "'body': [{'op': 'cat', 'into': 'i', 'tensors': ['h', 'h']}], 'return': ['i']",
     8,
     {1, 0, 2, 0, 1, 0},
     1},
    {"set_ of an input to another: writes are counted apart",
     "'body': [{'op': 'slice', 'self': 'h', 'dim': 0, 'start': 1, 'end': 3, 'out': 'a'}, {'op': "
     "'zeros', 'size': [1], 'dtype': 'int16', 'out': 'o'}, {'op': 'set_', 'self': 'o', 'source': "
     "'a'}, {'op': 'add_', 'self': 'o', 'other': 7}, {'probe': 'version', 'of': 'o'}, {'probe': "
     "'version', 'of': 'h'}], 'return': ['h']",
     4,
     {1, 7, 9, 0},
     0},
    {"set_ to memory made inside: the input is there in the end",
     "'body': [{'op': 'mul', 'self': 'i', 'other': 0, 'out': 't'}, {'op': 'set_', 'self': 'i', "
     "'source': 't'}, {'op': 'add_', 'self': 't', 'other': 3}], 'return': ['i', 't']",
     2,
     {3, 3},
     1},
    {"an older view stays where it was, and counts with the tensor",
     "'body': [{'op': 'view', 'self': 'i', 'size': [2, 1], 'out': 'a'}, {'op': 'mul', 'self': 'i', "
     "'other': 0, 'out': 't'}, {'op': 'set_', 'self': 'i', 'source': 't'}, {'op': 'fill_', 'self': "
     "'a', 'value': 4}], 'return': ['a', 'i']",
     2,
     {4, 4},
     2},
    {"set_ with sizes, across a break",
     "'body': [{'op': 'zeros', 'size': [1], 'dtype': 'int16', 'out': 'o'}, {'op': 'set_', 'self': "
     "'o', 'source': 'h', 'storage_offset': 1, 'size': [2], 'stride': [2]}, {'graph_break': true}, "
     "{'op': 'add_', 'self': 'o', 'other': 5}, {'probe': 'version', 'of': 'o'}], 'return': ['h']",
     4,
     {1, 5, 2, 5},
     0},
    {"set_ with sizes beyond the end: memory grows",
     "'body': [{'op': 'zeros', 'size': [1], 'dtype': 'int16', 'out': 'o'}, {'op': 'set_', 'self': "
     "'o', 'source': 'h', 'storage_offset': 3, 'size': [3]}, {'op': 'add_', 'self': 'o', 'other': "
     "5}], 'return': ['o']",
     3,
     {5, 5, 5},
     0},
    {"two inputs exchange their memory",
     "'body': [{'op': 'zeros', 'size': [2], 'dtype': 'int32', 'out': 'j'}, {'op': 'detach', "
     "'self': "
     "'i', 'out': 'd'}, {'op': 'set_', 'self': 'i', 'source': 'j'}, {'op': 'set_', 'self': 'j', "
     "'source': 'd'}, {'op': 'fill_', 'self': 'j', 'value': 8}, {'op': 'add_', 'self': 'i', "
     "'other': 1}], 'return': ['i', 'd']",
     2,
     {1, 1},
     2},
    {"an out made inside grows, and its view",
     "'body': [{'op': 'zeros', 'size': [1], 'dtype': 'int16', 'out': 'o'}, {'op': 'view', 'self': "
     "'o', 'size': [1], 'out': 'a'}, {'op': 'neg', 'into': 'o', 'self': 'h'}, {'op': 'mul_', "
     "'self': 'a', 'other': 5}], 'return': ['o', 'a']",
     4,
     {-5, 0, -2, 0},
     0},
};

static Program *parse(const char *rest) {
    char *text = arena_printf(
        &arena,
        "{'twingrad': 1, 'inputs': [{'name': 'i', 'dtype': 'int32', 'size': [2], 'data': "
        "[1065353216, 5]}, {'name': 'h', 'dtype': 'int16', 'size': [4], 'data': [1, 0, 2, 0]}, "
        "{'name': 'w', 'dtype': 'float32', 'size': [2], 'requires_grad': true, 'data': [1, 2]}], "
        "'backward': {'fill': 'ones', 'seed': 0}, %s}",
        rest);
    return parse_quoted(&arena, text);
}

static double element_at(const Values *v, int64_t i) {
    return dtype_is_float(v->dtype) ? element_double(v->data, v->dtype, i)
                                    : (double)element_int(v->data, v->dtype, i);
}

START_TEST(all_readings_of_memory_are_one) {
    Checker c;
    char message[256];
    CompileOptions options = COMPILE_DEFAULT;
    StageReport stages = {0};
    options.verify = true;
    options.stages = &stages;
    ck_assert(checker_open(&c, "reference,compiled", &options, message, sizeof message));
    CheckResult out;
    check_program(&c, parse(cases[_i].rest), &arena, &out);
    ck_assert_msg(out.verdict == AGREE, "%s: %s", cases[_i].name,
                  out.verdict == FINDING ? out.finding.kind : "skipped");
    ck_assert_msg(!stages.found, "%s: %s", cases[_i].name, stages.what);
    const CallResult *call = &out.b->calls[0];
    ck_assert_int_ge(call->nreturns, 1);
    const Values *v = &call->returns[0].values;
    ck_assert_int_eq(v->numel, cases[_i].n);
    for (int k = 0; k < min_i64(v->numel, COUNT_OF(cases[_i].value)); k++) {
        ck_assert_msg(element_at(v, k) == cases[_i].value[k], "%s: element %d is %.17g",
                      cases[_i].name, k, element_at(v, k));
    }
    ck_assert_int_eq(call->inputs[0].version, cases[_i].version);
    checker_close(&c);
}
END_TEST

/* An uncounted write to a saved value: eager PyTorch's backward reads it, and what the compiled
 * executor has saved is the value before. */
START_TEST(an_uncounted_write_to_a_saved_value_is_unsupported) {
    static const char *const body[2] = {
        "'body': [{'op': 'ones', 'size': [2], 'out': 's'}, {'op': 'mul', 'self': 'w', 'other': "
        "'s', 'out': 'y'}, {'op': 'zeros', 'size': [1], 'out': 'o'}, {'op': 'set_', 'self': 'o', "
        "'source': 's'}, {'op': 'add_', 'self': 'o', 'other': 1}], 'return': ['y']",
        "'body': [{'op': 'ones', 'size': [2], 'out': 's'}, {'op': 'mul', 'self': 'w', 'other': "
        "'s', 'out': 'y'}, {'graph_break': true}, {'op': 'zeros', 'size': [1], 'out': 'o'}, "
        "{'op': 'set_', 'self': 'o', 'source': 's'}, {'op': 'add_', 'self': 'o', 'other': 1}], "
        "'return': ['y']"};
    CompileCounters counters = {0};
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const Program *p = parse(body[_i]);
    const Result *eager = reference_run(p, &options, &arena);
    ck_assert(eager->calls[0].ok);
    ck_assert(element_at(&eager->calls[0].inputs[2].grad, 0) == 2);
    const Result *r = compiled_run(p, &COMPILE_DEFAULT, &options, &counters, &arena);
    ck_assert(!r->calls[0].ok);
    ck_assert_int_eq(r->calls[0].error, ERR_unsupported);
}
END_TEST

/* Code for a memory of int16 that enters with a reading of int32 serves another such call, not one
 * in which the memory is of int32 itself. */
START_TEST(a_reading_is_part_of_the_guard) {
    const char *rest =
        "'setup': [{'op': 'view', 'self': 'h', 'dtype': 'int32', 'out': 'u'}], 'args': ['u', 'h'], "
        "'body': [{'op': 'add_', 'self': 'u', 'other': 1}, {'op': 'mul', 'self': 'h', 'other': 2, "
        "'out': 'y'}], 'return': ['y'], 'recalls': [[{'name': 'i', 'dtype': 'int32', 'size': [2], "
        "'data': [0, 0]}, {'name': 'h', 'dtype': 'int16', 'size': [4], 'data': [5, 6, 7, 8]}, "
        "{'name': 'w', 'dtype': 'float32', 'size': [2], 'requires_grad': true, 'data': [1, 2]}], "
        "[{'name': 'i', 'dtype': 'int32', 'size': [2], 'data': [0, 0]}, {'name': 'h', 'dtype': "
        "'int32', 'size': [2], 'data': [5, 6]}, {'name': 'w', 'dtype': 'float32', 'size': [2], "
        "'requires_grad': true, 'data': [1, 2]}]]";
    static const int64_t expected[3][4] = {{4, 0, 6, 0}, {12, 12, 16, 16}, {12, 14}};
    CompileCounters counters = {0};
    RunOptions options = {.limits = LIMITS_DEFAULT};
    const Result *r = compiled_run(parse(rest), &COMPILE_DEFAULT, &options, &counters, &arena);
    ck_assert(r->calls[0].compiled && !r->calls[1].compiled && r->calls[2].compiled);
    for (int k = 0; k < 3; k++) {
        ck_assert(r->calls[k].ok);
        const Values *v = &r->calls[k].returns[0].values;
        for (int64_t j = 0; j < v->numel; j++) {
            ck_assert_int_eq(element_int(v->data, v->dtype, j), expected[k][j]);
        }
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("compiled/memory");
    TCase *t = tcase_create("memory");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, all_readings_of_memory_are_one, 0, COUNT_OF(cases));
    tcase_add_loop_test(t, an_uncounted_write_to_a_saved_value_is_unsupported, 0, 2);
    tcase_add_test(t, a_reading_is_part_of_the_guard);
    suite_add_tcase(s, t);
    return run_suite("compiled/memory", s);
}
