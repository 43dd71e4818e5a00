/* The interpretation of the graph after every stage: it finds what a broken pass would do to a
 * graph, and nothing in a sound one. */
#include "compiled/runtime/artifact.h"
#include "compiled/runtime/stages.h"
#include "tests/support/graph_case.h"
#include "tests/support/runner.h"

/* base = exp(x); y = abs(base); stored = base with x's first three in [1, 4); z = stored + y; check
 * index; returns stored, z. */
typedef struct Staged {
    Case k;
    StageReport report;
    Node *x, *index, *base, *y, *stored, *z, *check;
} Staged;

static void staged_start(Staged *s) {
    memset(&s->report, 0, sizeof s->report);
    case_start(&s->k, FAULT_NONE);
    static const int64_t three[1] = {3}, one[1] = {1};
    Tensor slice = {.dtype = DT_float32, .ndim = 1, .size = {3}, .stride = {1}, .offset = 1};
    s->x = case_input(&s->k, DT_float32, 6, FILL_dyadic, 1);
    s->index = case_input(&s->k, DT_int64, 2, FILL_ones, 1);
    s->check = graph_check(s->k.g, CHECK_INDEX, s->index, 4, ERR_index_range, "out", 1);
    s->base = case_unary(&s->k, OP_exp, s->x);
    s->y = case_unary(&s->k, OP_sin, s->base);
    s->stored = case_store(&s->k, s->base, case_view(&s->k, s->x, 1, three, one, 0), &slice);
    s->z = case_binary(&s->k, OP_add_Tensor, s->stored, s->y);
    case_return(&s->k, s->stored);
    case_return(&s->k, s->z);
    s->k.c.input_data = s->k.input;
    s->k.options.stages = &s->report;
    s->k.c.capture = (struct Capture *)s; /* only its presence counts: inputs are compared */
}

typedef void (*Harm)(Staged *s);
static void harm_nothing(Staged *s) { (void)s; }
static void harm_op(Staged *s) { ((Call *)s->y->call)->op = op_info(OP_cos), s->y->op = OP_cos; }
static void harm_slice(Staged *s) { s->stored->slice.offset = 2; }
static void harm_operand(Staged *s) { s->z->in[0] = s->base, node_sync_call(s->z); }
static void harm_check(Staged *s) { s->check->bound = 1; }
static void harm_return(Staged *s) { s->k.g->ret[0].value = s->base; }
static void harm_write_back(Staged *s) { s->k.g->written[0] = s->base; }
static void harm_input(Staged *s) {
    s->k.g->written[0] = NULL, s->stored->in_place = true, s->stored->in[0] = s->x;
}
static void harm_early_write(Staged *s) { /* in place, though y reads the base afterwards */
    Node **n = s->k.g->node;
    s->stored->in_place = true;
    for (int i = 0; i < s->k.g->n; i++) {
        if (n[i] == s->y) {
            memmove(n + i, n + i + 1, sizeof *n * 2); /* view and store come first */
            n[i + 2] = s->y;
            return;
        }
    }
}
static void harm_buffers(Staged *s) { /* y and stored in one buffer, though both are read later */
    s->x->buffer = 0, s->index->buffer = 1, s->base->buffer = 2, s->y->buffer = 3,
    s->stored->buffer = 3, s->z->buffer = 4;
}
static void harm_old_buffer(Staged *s) { /* z in the buffer of the first return */
    s->x->buffer = 0, s->index->buffer = 1, s->base->buffer = 2, s->y->buffer = 3,
    s->stored->buffer = 4, s->z->buffer = 4;
}
static void plan_well(Staged *s) {
    s->x->buffer = 0, s->index->buffer = 1, s->base->buffer = 2, s->y->buffer = 3,
    s->stored->buffer = 2, s->stored->in_place = true;
    s->z->buffer = 3;
}

START_TEST(interpretation_finds_what_a_broken_pass_changes) {
    static const struct {
        Harm harm;
        const char *says; /* NULL: nothing to find */
    } cases[] = {
        {harm_nothing, NULL},
        {plan_well, NULL},
        {harm_op, "return 1, element"},
        {harm_slice, "return 0, element"},
        {harm_operand, "return 1, element"},
        {harm_check, "refused at statement -1 before, 1 after"},
        {harm_return, "return 0, element"},
        {harm_write_back, "input storage 0, element"},
        {harm_input, "input storage 0, element"},
        {harm_early_write, "return 1, element"},
        {harm_buffers, "return 1, element"},
        {harm_old_buffer, "return 0, element"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Staged s;
        staged_start(&s);
        stages_check(&s.k.c, "capture", STAGE_JOINT);
        stages_check(&s.k.c, "nothing", STAGE_JOINT);
        ck_assert_msg(!s.report.found, "case %d: %s before anything was changed", i, s.report.what);
        cases[i].harm(&s);
        stages_check(&s.k.c, "harm", STAGE_JOINT);
        ck_assert_msg(s.report.found == (cases[i].says != NULL), "case %d: %s", i, s.report.what);
        ck_assert_msg(!cases[i].says || strstr(s.report.what, cases[i].says), "case %d: %s", i,
                      s.report.what);
        ck_assert_msg(!cases[i].says || strcmp(s.report.stage, "harm") == 0, "case %d: %s", i,
                      s.report.stage);
        ck_assert_int_eq((int)s.report.stages, 3);
        case_end(&s.k);
    }
}
END_TEST

START_TEST(every_pass_is_sound_on_special_values) {
    for (uint64_t seed = 1; seed < 50; seed++) {
        Staged s;
        staged_start(&s);
        fill_buffer(s.k.input[0]->data, DT_float32, 6, FILL_special, seed);
        static bool (*const passes[])(Compile * c) = {pass_fold, pass_rules,     pass_cse, pass_dce,
                                                      pass_fuse, pass_reinplace, pass_plan};
        stages_check(&s.k.c, "capture", STAGE_JOINT);
        for (int k = 0; k < COUNT_OF(passes); k++) {
            passes[k](&s.k.c);
            stages_check(&s.k.c, "pass", STAGE_JOINT);
            ck_assert_msg(!s.report.found, "seed %d, pass %d: %s", (int)seed, k, s.report.what);
        }
        case_end(&s.k);
    }
}
END_TEST

/* Runs the plan of what the passes make of a graph; `spoil` is put into an element of what it
 * computes. Is a difference told? */
static bool run_differs(double spoil) {
    Staged s;
    staged_start(&s);
    static bool (*const passes[])(Compile * c) = {pass_fuse, pass_reinplace, pass_plan, pass_lower};
    for (int k = 0; k < COUNT_OF(passes); k++) {
        passes[k](&s.k.c);
    }
    Capture *capture = arena_new(&s.k.arena, Capture);
    capture->c = &s.k.c;
    s.k.c.capture = capture;
    s.report.runs = true;
    const Artifact a = {.capture = capture, .graph = s.k.g, .plan = s.k.c.plan};
    void *input[CASE_INPUTS], *tangent[1] = {NULL};
    for (int k = 0; k < s.k.ninputs; k++) {
        input[k] = s.k.input[k]->data;
    }
    Answers *expected = stages_expect(&a, s.k.input, tangent);
    Execution exec;
    plan_execute(a.plan, input, tangent, &s.k.arena, &exec);
    ck_assert_int_lt(exec.failed_sid, 0);
    float *z = plan_data(a.plan, s.z);
    z[2] = spoil == 0 ? z[2] : (float)(z[2] * spoil);
    stages_check_run(&a, expected, s.k.input);
    case_end(&s.k);
    return s.report.run_differs;
}

START_TEST(a_run_may_round_otherwise_and_do_nothing_else) {
    ck_assert(!run_differs(0));
    ck_assert(!run_differs(1.000001));
    ck_assert(run_differs(1.001));
    ck_assert(run_differs((double)NAN));
    ck_assert(run_differs((double)INFINITY)); /* no tolerance reaches that far */
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiled/stages");
    TCase *tests = tcase_create("stages");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, interpretation_finds_what_a_broken_pass_changes);
    tcase_add_test(tests, every_pass_is_sound_on_special_values);
    tcase_add_test(tests, a_run_may_round_otherwise_and_do_nothing_else);
    suite_add_tcase(suite, tests);
    return run_suite("compiled/stages", suite);
}
