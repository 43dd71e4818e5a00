/* Symbolic sizes: a function called in several sizes is compiled once for one size and once for
 * many; what that code assumed of the sizes is guarded, and both executors agree on every call.
 *
 * Programs are written with ' for ". Inputs are x, which requires grad, and y; a call is their
 * sizes. */
#include "compiled/symbolic/expr.h"
#include "fuzz/generate/generate.h"
#include "harness/check/check.h"
#include "program/json/json.h"
#include "tensor/rng.h"
#include "tests/support/runner.h"

#include <string.h>

static Arena arena;

static void setup(void) {
    op_table_init();
    arena = ARENA_EMPTY;
}

static void teardown(void) { arena_destroy(&arena); }

enum { MAX_CALLS = 5 };

static const struct {
    const char *name, *body, *returns;
    const char *x[MAX_CALLS], *y[MAX_CALLS]; /* sizes, and what may follow them in an input */
    /* by call: 'c' compiled for its size, 's' for many sizes, of which one came, 'i' served by that
     * code, 'h' served by code of its size; why the last was compiled. In the last call nothing is
     * made for many sizes. */
    const char *served, *miss;
} cases[] = {
    {"the second size becomes a symbol, the third is served",
     "{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[7, 3]", "[4, 3]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csii",
     "size"},
    {"nothing is made for sizes that do not come",
     "{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[5, 3]", "[1, 3]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "cchc",
     "zero_one"},
    {"a size that never changes stays a number",
     "{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[6, 3]", "[5, 2]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "size"},
    {"size 1 is compiled by itself",
     "{'op': 'squeeze', 'self': 'x', 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[6, 3]", "[1, 3]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "zero_one"},
    {"size 0 is compiled by itself",
     "{'op': 'sum', 'self': 'x', 'dim': [0], 'out': 'z'}",
     "'z'",
     {"[4]", "[5]", "[6]", "[0]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "zero_one"},
    {"sizes that are equal share a symbol and must be equal",
     "{'op': 'add', 'self': 'x', 'other': 'y', 'out': 'z'}",
     "'z'",
     {"[4]", "[5]", "[7]", "[6]"},
     {"[4]", "[5]", "[7]", "[1]"},
     "csic",
     "equal"},
    {"sizes that differ are two symbols",
     "{'op': 'mm', 'self': 'x', 'mat2': 'y', 'out': 'z'}",
     "'z'",
     {"[2, 3]", "[4, 5]", "[7, 3]"},
     {"[3, 4]", "[5, 6]", "[3, 8]"},
     "csi",
     "size"},
    {"a slice that was clamped must be clamped",
     "{'op': 'getitem', 'self': 'x', 'index': [[null, 6, null]], 'out': 'z'}",
     "'z'",
     {"[4]", "[5]", "[3]", "[9]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "order"},
    {"a slice that was not clamped must not be",
     "{'op': 'getitem', 'self': 'x', 'index': [[null, 6, null]], 'out': 'z'}",
     "'z'",
     {"[7]", "[9]", "[8]", "[5]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "order"},
    {"an index must lie inside",
     "{'op': 'select', 'self': 'x', 'dim': 0, 'index': 3, 'out': 'z'}",
     "'z'",
     {"[5]", "[6]", "[7]", "[3]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "order"},
    {"an index in a tensor must lie inside",
     "{'op': 'tensor', 'data': [3], 'size': [1], 'dtype': 'int64', 'out': 'i'}, {'op': "
     "'index_select', 'self': 'x', 'dim': 0, 'index': 'i', 'out': 'z'}",
     "'z'",
     {"[5]", "[6]", "[3]"},
     {"[1]", "[1]", "[1]"},
     "csh",
     "size"}, /* what runs then is the part before it */
    {"halves need an even size",
     "{'op': 'chunk', 'self': 'x', 'chunks': 2, 'dim': 0, 'out': ['a', 'b']}",
     "'a', 'b'",
     {"[4]", "[6]", "[8]", "[7]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "divisible"},
    {"a layout that is not the one compiled for is compiled",
     "{'op': 'reshape', 'self': 'x', 'shape': [-1], 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[4, 5]", "[4, 6]", "[4, 7], 'stride': [1, 4]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "stride"},
    {"a layout stays what it is in other sizes",
     "{'op': 'reshape', 'self': 'x', 'shape': [-1], 'out': 'z'}",
     "'z'",
     {"[4, 3], 'stride': [1, 4]", "[5, 3], 'stride': [1, 5]", "[6, 3], 'stride': [1, 6]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"an argument that is a size follows it",
     "{'op': 'sum', 'self': 'x', 'out': 's'}, {'op': 'expand', 'self': 's', 'size': [{'size_of': "
     "['x', 1]}, {'size_of': ['x', 0]}], 'out': 'e'}, {'op': 'mul', 'self': 'e', 'other': 2, "
     "'out': 'z'}, {'probe': 'size', 'of': 'z'}, {'probe': 'stride', 'of': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[7, 3]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"a mean divides by the size of the call",
     "{'op': 'mean', 'self': 'x', 'out': 'm'}, {'op': 'mul', 'self': 'm', 'other': 8, 'out': 'z'}",
     "'z'",
     {"[4, 3]", "[5, 3]", "[7, 3]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"strides are products of two symbolic sizes",
     "{'op': 'mul', 'self': 'x', 'other': 3, 'out': 'z'}",
     "'z'",
     {"[2, 2, 2]", "[2, 3, 3]", "[2, 5, 5]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"views that are written",
     "{'op': 'clone', 'self': 'x', 'out': 'c'}, {'op': 'getitem', 'self': 'c', 'index': [[1, null, "
     "2]], 'out': 'v'}, {'op': 'mul_', 'self': 'v', 'other': 2}",
     "'c', 'v'",
     {"[4, 3]", "[6, 3]", "[8, 3]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"an input that is written",
     "{'op': 'mul_', 'self': 'y', 'other': 'x'}",
     "'y'",
     {"[4]", "[5]", "[7]"},
     {"[3, 4]", "[3, 5]", "[3, 7]"},
     "csi",
     "size"},
    {"an input that is returned",
     "{'op': 't', 'self': 'y', 'out': 'z'}",
     "'y', 'z'",
     {"[4]", "[5]", "[7]"},
     {"[3, 4]", "[3, 5]", "[3, 7]"},
     "csi",
     "size"},
    {"behind a graph_break",
     "{'op': 'mul', 'self': 'x', 'other': 'x', 'out': 'z'}, {'graph_break': true}, {'op': 'cat', "
     "'tensors': ['z', 'x'], 'dim': 0, 'out': 'c'}",
     "'c'",
     {"[4, 3]", "[5, 3]", "[7, 3]"},
     {"[1]", "[1]", "[1]"},
     "csi",
     "size"},
    {"what depends on values has one size",
     "{'op': 'gt', 'self': 'y', 'other': 0, 'out': 'm'}, {'op': 'masked_select', 'self': 'y', "
     "'mask': 'm', 'out': 'z'}",
     "'z'",
     {"[4]", "[4]", "[4]"},
     {"[4]", "[5]", "[7]"},
     "ccc",
     "size"},
    {"what raises has one size",
     "{'op': 'add', 'self': 'x', 'other': 'y', 'out': 'z'}",
     "'z'",
     {"[4]", "[4]", "[4]"},
     {"[2]", "[3]", "[5]"},
     "ccc",
     "size"},
    {"a slice from the end to a fixed place may be empty in some sizes only",
     "{'op': 'slice', 'self': 'x', 'dim': 0, 'start': -3, 'end': 5, 'out': 'z'}",
     "'z'",
     {"[4]", "[9]", "[12]", "[7]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "order"},
    {"a diagonal that ended with the rows must do so",
     "{'op': 'narrow', 'self': 'y', 'dim': 0, 'start': 0, 'length': {'size_of': ['x', 0]}, 'out': "
     "'v'}, {'op': 'diagonal', 'self': 'v', 'offset': 3, 'out': 'z'}",
     "'z'",
     {"[4]", "[7]", "[8]", "[9]"},
     {"[90, 5]", "[90, 40]", "[90, 30]", "[90, 10]"},
     "csic",
     "order"},
    {"a constant made of a size is compared, and nothing but the answer is left",
     "{'op': 'ones', 'size': [{'size_of': ['x', 0]}], 'out': 'o'}, {'op': 'sum', 'self': 'o', "
     "'out': 's'}, {'op': 'mul', 'self': 's', 'other': 2, 'out': 'd'}, {'op': 'gt', 'self': 'd', "
     "'other': 20.5, 'out': 'm'}, {'op': 'where', 'condition': 'm', 'self': 'x', 'other': 'y', "
     "'out': 'z'}",
     "'z'",
     {"[4]", "[15]", "[9]", "[8]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "cccc",
     "size"},
    {"what is no polynomial of the size serves the sizes that were tried",
     "{'op': 'unfold', 'self': 'x', 'dimension': 0, 'size': 2, 'step': 5, 'out': 'z'}",
     "'z'",
     {"[14]", "[17]", "[20]", "[22]"},
     {"[1]", "[1]", "[1]", "[1]"},
     "csic",
     "order"},
};

static const char *inputs_of(int i, int call) {
    return arena_printf(&arena,
                        "{'name': 'x', 'dtype': 'float32', 'size': %s, 'requires_grad': true, "
                        "'data': {'fill': 'dyadic', 'seed': %d}}, {'name': 'y', 'dtype': "
                        "'float32', 'size': %s, 'data': {'fill': 'dyadic', 'seed': %d}}",
                        cases[i].x[call], 7 + call, cases[i].y[call], 70 + call);
}

static Program *program_of(int i) {
    Text t = {.arena = &arena};
    text_printf(&t,
                "{'twingrad': 1, 'inputs': [%s], 'body': [%s], 'return': [%s], 'backward': "
                "{'fill': 'dyadic', 'seed': 3}, 'recalls': [",
                inputs_of(i, 0), cases[i].body, cases[i].returns);
    for (int k = 1; k < MAX_CALLS && cases[i].x[k]; k++) {
        text_printf(&t, "%s[%s]", k > 1 ? ", " : "", inputs_of(i, k));
    }
    text_add(&t, "]}");
    for (char *c = t.v; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char message[256];
    Program *p;
    ParseStatus status = program_parse(&arena, t.v, (size_t)t.n, &p, message, sizeof message);
    ck_assert_msg(status == PARSE_OK && program_verify(p, message, sizeof message), "%s: %s",
                  cases[i].name, message);
    return p;
}

START_TEST(every_call_agrees_and_is_served_by_code_that_fits) {
    Checker c;
    char message[256];
    CompileOptions options = COMPILE_DEFAULT;
    options.verify = true;
    ck_assert(checker_open(&c, "reference,compiled", &options, message, sizeof message));
    c.stages = true;
    CheckResult out;
    check_program(&c, program_of(_i), &arena, &out);
    ck_assert_msg(out.verdict == AGREE, "%s: %s", cases[_i].name,
                  out.verdict == FINDING ? out.finding.kind : "skipped");
    const Result *r = out.b;
    ck_assert_int_eq(r->ncalls, (int)strlen(cases[_i].served));
    const char *miss = NULL;
    for (int k = 0; k < r->ncalls; k++) {
        char served = r->calls[k].compiled   ? r->calls[k].symbolic ? 's' : 'c'
                      : r->calls[k].symbolic ? 'i'
                                             : 'h';
        ck_assert_msg(served == cases[_i].served[k], "%s: call %d is %c", cases[_i].name, k,
                      served);
        miss = r->calls[k].miss ? r->calls[k].miss : miss;
    }
    ck_assert_msg(miss && strcmp(miss, cases[_i].miss) == 0, "%s: %s", cases[_i].name,
                  miss ? miss : "no miss");
    checker_close(&c);
}
END_TEST

/* What random programs in many sizes come to: agreement, and most of what can be served is. */
START_TEST(random_programs_are_served_in_other_sizes) {
    Checker c;
    char message[256];
    ck_assert(checker_open(&c, "reference,compiled", &COMPILE_DEFAULT, message, sizeof message));
    Arena scratch = ARENA_EMPTY;
    for (uint64_t i = 0; i < 20000; i++) {
        arena_reset(&scratch);
        CheckResult out;
        check_program(&c, generate_program(&scratch, 17, i), &scratch, &out);
        ck_assert_msg(out.verdict != FINDING, "program %d: %s", (int)i, out.finding.kind);
    }
    const CompileCounters *n = &c.b.counters;
    ck_assert_int_gt(n->symbolic, 300);
    ck_assert_int_gt(n->instances, 100);
    ck_assert_int_gt(n->miss[MISS_zero_one], 0);
    ck_assert_int_gt(n->miss[MISS_equal], 0);
    ck_assert_int_gt(n->miss[MISS_order], 0);
    ck_assert_int_gt(n->miss[MISS_stride], 0);
    checker_close(&c);
    arena_destroy(&scratch);
}
END_TEST

/* How many elements a slice has, and how many windows, is a quotient of a size, which may be the
 * same in all samples: what it is elsewhere has to be guarded. */
static const char *quotient_input(int size) {
    return arena_printf(&arena,
                        "[{\"name\": \"x\", \"dtype\": \"float32\", \"size\": [%d], \"data\": "
                        "{\"fill\": \"arange\", \"seed\": 0}}]",
                        size);
}

static Program *quotient_program(Rng *random) {
    static const int steps[] = {2, 3, 5, 7, 12, 24, 40}, most[] = {12, 30, 100, 200};
    static const char *const starts[] = {"null", "1", "2", "5", "-3", "-7"}, *const ends[] = {
                                                                                 "null", "8",
                                                                                 "9",    "30",
                                                                                 "-1",   "-9"};
    const int greatest = most[rng_below(random, COUNT_OF(most))];
    Text t = {.arena = &arena};
    text_printf(&t, "{\"twingrad\": 1, \"return\": [\"z\"], \"body\": [");
    int step = steps[rng_below(random, COUNT_OF(steps))];
    if (rng_below(random, 2)) {
        text_printf(&t,
                    "{\"op\": \"unfold\", \"self\": \"x\", \"dimension\": 0, \"size\": %d, "
                    "\"step\": %d, \"out\": \"z\"}]",
                    (int)rng_below(random, 3) + 1, step);
    } else {
        text_printf(
            &t,
            "{\"op\": \"getitem\", \"self\": \"x\", \"index\": [[%s, %s, %d]], \"out\": \"z\"}]",
            starts[rng_below(random, COUNT_OF(starts))], ends[rng_below(random, COUNT_OF(ends))],
            step);
    }
    for (int k = 0; k < 6; k++) {
        text_printf(&t, "%s%s",
                    k == 0   ? ", \"inputs\": "
                    : k == 1 ? ", \"recalls\": ["
                             : ", ",
                    quotient_input((int)rng_below(random, greatest) + 3));
    }
    text_add(&t, "]}");
    char message[256];
    Program *p;
    ck_assert_msg(program_parse(&arena, t.v, (size_t)t.n, &p, message, sizeof message) == PARSE_OK,
                  "%s: %s", message, t.v);
    return p;
}

START_TEST(quotients_of_a_size_hold_wherever_code_for_many_sizes_runs) {
    Checker c;
    char message[256];
    ck_assert(checker_open(&c, "reference,compiled", &COMPILE_DEFAULT, message, sizeof message));
    Rng random = {.state = 1};
    for (int i = 0; i < 3000; i++) {
        CheckResult out;
        arena_reset(&arena);
        const Program *p = quotient_program(&random);
        check_program(&c, p, &arena, &out);
        ck_assert_msg(out.verdict == AGREE, "program %d: %s", i,
                      out.verdict == FINDING ? out.finding.kind : "skipped");
    }
    ck_assert_int_gt(c.b.counters.symbolic, 300);
    checker_close(&c);
}
END_TEST

/* An outer product is over the limit of elements in the fourth call: code for many sizes would have
 * to allocate what eager refuses. */
START_TEST(sizes_over_a_limit_are_refused_where_eager_refuses_them) {
    Text t = {.arena = &arena};
    static const int sizes[] = {7, 9, 12, 9000, 12};
    text_add(&t, "{\"twingrad\": 1, \"body\": [{\"op\": \"addr\", \"self\": \"y\", \"vec1\": "
                 "\"x\", \"vec2\": \"x\", \"out\": \"m\"}, "
                 "{\"op\": \"sum\", \"self\": \"m\", \"out\": \"z\"}], \"return\": [\"z\"]");
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        text_printf(&t,
                    "%s[{\"name\": \"x\", \"dtype\": \"float32\", \"size\": [%d], \"data\": "
                    "{\"fill\": \"ones\", \"seed\": 0}}, "
                    "{\"name\": \"y\", \"dtype\": \"float32\", \"size\": [1], \"data\": [1]}]",
                    k == 0   ? ", \"inputs\": "
                    : k == 1 ? ", \"recalls\": ["
                             : ", ",
                    sizes[k]);
    }
    text_add(&t, "]}");
    char message[256];
    Program *p;
    ck_assert_msg(program_parse(&arena, t.v, (size_t)t.n, &p, message, sizeof message) == PARSE_OK,
                  "%s", message);
    const RunOptions options = {.limits = LIMITS_DEFAULT};
    const Result *r = compiled_run(p, &COMPILE_DEFAULT, &options, NULL, &arena);
    ck_assert(r->calls[2].symbolic && r->calls[2].ok);
    ck_assert_int_eq(r->calls[3].error, ERR_limit);
    ck_assert(!r->calls[3].symbolic);
    ck_assert(r->calls[4].symbolic && r->calls[4].ok);
}
END_TEST

/* ---- expressions ---- */

static const SamplePoints points = {
    .nsymbol = 2, .n = 5, .period = 12, .at = {{4, 3}, {16, 27}, {28, 63}, {40, 15}, {64, 39}}};

static int64_t half_of_product(const int64_t *s) { return s[0] * s[1] / 2 + 1; }
static int64_t both(const int64_t *s) { return 3 * s[0] * s[0] - 5 * s[1]; }
static int64_t ceiling(const int64_t *s) { return (s[1] + 1) / 2; }
static int64_t remainder_of_five(const int64_t *s) { return s[0] / 5; }
static int64_t less(const int64_t *s) { return s[0] < s[1] ? s[0] : s[1]; }

static const struct {
    int64_t (*of)(const int64_t *s);
    const char *text; /* NULL: there is no such polynomial */
} functions[] = {{half_of_product, "(s0*s1 + 2)/2"},
                 {both, "-5*s1 + 3*s0*s0"},
                 {ceiling, "(s1 + 1)/2"},
                 {remainder_of_five, NULL},
                 {less, NULL}};

START_TEST(a_polynomial_is_found_from_its_values_or_not_at_all) {
    int64_t value[MAX_SAMPLES];
    for (int k = 0; k < points.n; k++) {
        value[k] = functions[_i].of(points.at[k]);
    }
    Expr e;
    bool found = expr_fit(&points, value, &e);
    ck_assert_int_eq(found, functions[_i].text != NULL);
    if (found) {
        Text t = {.arena = &arena};
        expr_print(&t, &e);
        ck_assert_str_eq(t.v, functions[_i].text);
        const int64_t other[] = {10, 7};
        ck_assert(expr_evaluate(&e, other, 2));
        ck_assert_int_eq(e.value, functions[_i].of(other));
    }
}
END_TEST

START_TEST(a_division_with_a_remainder_is_told) {
    Expr half = {.nterm = 1, .term = {{.c = 1, .power = {1}}}, .divisor = 2};
    const int64_t even[] = {6}, odd[] = {7};
    ck_assert(expr_evaluate(&half, even, 1));
    ck_assert(!expr_evaluate(&half, odd, 1));
}
END_TEST

START_TEST(comparisons_that_hold_for_all_sizes_are_known) {
    const Expr s = {.nterm = 1, .term = {{.c = 1, .power = {1}}}, .divisor = 1},
               t = {.nterm = 1, .term = {{.c = 1, .power = {0, 1}}}, .divisor = 1};
    Expr twice = s, half = s, two = expr_constant(2), three = expr_constant(3),
         one = expr_constant(1);
    twice.term[0].c = 2;
    half.divisor = 2;
    ck_assert_int_eq(expr_compare(&s, &s, 2), COMPARES_EQUAL);
    ck_assert_int_eq(expr_compare(&s, &twice, 2), COMPARES_LESS);
    ck_assert_int_eq(expr_compare(&s, &half, 2), COMPARES_GREATER);
    ck_assert_int_eq(expr_compare(&one, &s, 2), COMPARES_LESS);
    ck_assert_int_eq(expr_compare(&two, &s, 2), COMPARES_LESS | COMPARES_EQUAL);
    ck_assert_int_eq(expr_compare(&three, &s, 2), COMPARES_ANY);
    ck_assert_int_eq(expr_compare(&s, &t, 2), COMPARES_ANY);
}
END_TEST

int main(void) {
    Suite *s = suite_create("compiled/symbolic");
    TCase *t = tcase_create("symbol");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, every_call_agrees_and_is_served_by_code_that_fits, 0, COUNT_OF(cases));
    tcase_add_test(t, random_programs_are_served_in_other_sizes);
    tcase_add_test(t, quotients_of_a_size_hold_wherever_code_for_many_sizes_runs);
    tcase_add_test(t, sizes_over_a_limit_are_refused_where_eager_refuses_them);
    tcase_add_loop_test(t, a_polynomial_is_found_from_its_values_or_not_at_all, 0,
                        COUNT_OF(functions));
    tcase_add_test(t, a_division_with_a_remainder_is_told);
    tcase_add_test(t, comparisons_that_hold_for_all_sizes_are_known);
    suite_add_tcase(s, t);
    return run_suite("compiled/symbolic", s);
}
