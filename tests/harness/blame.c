/* Which statement and which stage a finding is blamed on where nothing but a rule can tell: no
 * prefix differs, no statement but a graph break makes the difference, an expected error does not
 * occur. The bugs are simulated by executors that change what the compiled executor answers. */
#include "harness/reduce/edit.h"
#include "harness/triage/cause.h"
#include "tests/support/finding_case.h"

typedef Result *RunHook(Executor *self, const Program *p, const RunOptions *options, Arena *arena);

/* Checks and locates the finding of `text` where `hook` runs in place of the compiled executor. */
static Finding blamed(const char *text, RunHook *hook) {
    Checker c;
    char message[256];
    CompileOptions compile = COMPILE_DEFAULT;
    ck_assert(checker_open(&c, "reference,compiled", &compile, message, sizeof message));
    Program *p = parse(text);
    c.b.run = hook;
    CheckResult out;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    check_locate(&c, p, &out.finding, &arena);
    return out.finding;
}

static void spoil(Values *v) {
    if (v->data && v->dtype == DT_float32 && v->numel > 0) {
        ((float *)v->data)[0] += 1;
    }
}

#define X(more)                                                                                    \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[3]" more          \
    ",\"data\":{\"fill\":\"ones\",\"seed\":0}}],"
#define GRAD ",\"requires_grad\":true"

/* ---- no prefix differs ---- */

/* Wrong in programs without probes: a prefix always has some. */
static Result *run_wrong_without_probes(Executor *self, const Program *p, const RunOptions *options,
                                        Arena *memory) {
    Result *r = compiled_run(p, &self->compile, options, NULL, memory);
    if (!edit_has_probes(p) && r->calls[0].ok) {
        spoil(&r->calls[0].returns[0].values);
    }
    return r;
}

START_TEST(a_branch_that_did_not_run_is_not_blamed) {
    /* `then` runs; `else` is the last in the text that makes y */
    static const char IF[] = X(GRAD) "\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"y\"},"
                                     "{\"if\":{\"requires_grad\":\"x\"},"
                                     "\"then\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"}],"
                                     "\"else\":[{\"op\":\"sin\",\"self\":\"x\",\"out\":\"y\"}]}],"
                                     "\"return\":[\"y\"]}";
    Finding f = blamed(IF, run_wrong_without_probes);
    ck_assert_str_eq(f.root.op, "neg");
    /* no arm runs that makes y: the statement before the IF does */
    static const char ONE_ARM[] =
        X("") "\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"y\"},"
              "{\"if\":{\"requires_grad\":\"x\"},"
              "\"then\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"y\"}]}],\"return\":[\"y\"]}";
    f = blamed(ONE_ARM, run_wrong_without_probes);
    ck_assert_str_eq(f.root.op, "exp");
}
END_TEST

/* ---- graph breaks ---- */

static bool has_graph_break(const Program *p) {
    bool found = false;
    for (int sid = 0; sid < p->nstmts; sid++) {
        found |= program_stmt(p, sid)->kind == STMT_GRAPH_BREAK;
    }
    return found;
}

static Result *run_wrong_values_after_break(Executor *self, const Program *p,
                                            const RunOptions *options, Arena *memory) {
    Result *r = compiled_run(p, &self->compile, options, NULL, memory);
    for (int i = 0; has_graph_break(p) && i < r->calls[0].nreturns; i++) {
        spoil(&r->calls[0].returns[i].values);
    }
    return r;
}

static Result *run_wrong_gradients_after_break(Executor *self, const Program *p,
                                               const RunOptions *options, Arena *memory) {
    Result *r = compiled_run(p, &self->compile, options, NULL, memory);
    if (has_graph_break(p) && r->calls[0].inputs[0].grad_state == GRAD_VALUE) {
        spoil(&r->calls[0].inputs[0].grad);
    }
    return r;
}

START_TEST(a_graph_break_is_blamed_for_what_it_makes_wrong) {
    static const char BREAK[] =
        X(GRAD) "\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"y\"},"
                "{\"graph_break\":true},"
                "{\"op\":\"neg\",\"self\":\"y\",\"out\":\"z\"}],"
                "\"return\":[\"z\"],\"backward\":{\"fill\":\"ones\",\"seed\":0}}";
    Finding f = blamed(BREAK, run_wrong_values_after_break);
    ck_assert_str_eq(f.root.op, "graph_break");
    ck_assert_int_eq(f.culprit, 1);
    f = blamed(BREAK, run_wrong_gradients_after_break);
    ck_assert_int_eq(f.root.oracle, ORACLE_gradients);
    ck_assert_str_eq(f.root.op, "graph_break");
}
END_TEST

/* ---- an expected error does not occur ---- */

typedef struct DeadOp {
    bool seen, runs; /* the graph after dce was seen; and the op that raises is still in it */
} DeadOp;

static void note_dead_op(void *user, const char *stage, const char *text) {
    DeadOp *d = user;
    if (strcmp(stage, "dce") == 0 && !d->seen) {
        d->seen = true;
        d->runs = strstr(text, "index_select") != NULL;
    }
}

/* As if no CHECK were recorded for index_select: its index is refused only while the op is in the
 * graph, so it is not once dce has dropped the unused op. */
static Result *run_without_check(Executor *self, const Program *p, const RunOptions *options,
                                 Arena *memory) {
    DeadOp dead = {.runs = true};
    CompileOptions compile = self->compile;
    compile.on_dump = note_dead_op;
    compile.dump_user = &dead;
    Result *r = compiled_run(p, &compile, options, NULL, memory);
    int sid = r->calls[0].error_at;
    if (r->calls[0].ok || sid < 0 || dead.runs) {
        return r;
    }
    Program *rest = program_clone(memory, p);
    bool *drop = arena_array(memory, bool, p->nstmts);
    drop[sid] = true;
    edit_drop(rest, drop);
    return compiled_run(rest, &self->compile, options, NULL, memory);
}

/* As if fold_check dropped a CHECK that does not pass. */
static Result *run_with_wrong_fold_check(Executor *self, const Program *p,
                                         const RunOptions *options, Arena *memory) {
    bool off = self->compile.disabled.step[STEP_fold_check >> 6] >> (STEP_fold_check & 63) & 1;
    return off ? compiled_run(p, &self->compile, options, NULL, memory)
               : run_without_check(self, p, options, memory);
}

START_TEST(an_error_that_does_not_occur_is_not_blamed_on_dead_code) {
    static const char DEAD[] =
        X("") "\"body\":[{\"op\":\"tensor\",\"data\":[7],\"size\":[1],\"dtype\":\"int64\",\"out\":"
              "\"i\"},{\"op\":\"index_select\",\"self\":\"x\",\"dim\":0,\"index\":\"i\",\"out\":"
              "\"y\"},{\"op\":\"exp\",\"self\":\"x\",\"out\":\"z\"}],\"return\":[\"z\"]}";
    Finding f = blamed(DEAD, run_without_check);
    ck_assert_int_eq(f.oracle, ORACLE_status);
    ck_assert_str_eq(f.cause.text, "capture/check");
    ck_assert_int_eq(f.cause.limit, -1);
    ck_assert_str_eq(f.root.op, "index_select");
    ck_assert_ptr_null(strstr(f.signature, "dead"));
    f = blamed(DEAD, run_with_wrong_fold_check);
    ck_assert_str_eq(f.cause.text, "fold/fold_check");
}
END_TEST

/* As if cumsum_ raised nothing and did nothing. */
static Result *run_without_cumsum(Executor *self, const Program *p, const RunOptions *options,
                                  Arena *memory) {
    Program *rest = program_clone(memory, p);
    bool *drop = arena_array(memory, bool, p->nstmts + 1);
    for (int sid = 0; sid < p->nstmts; sid++) {
        const Stmt *s = program_stmt(p, sid);
        drop[sid] = s->kind == STMT_OP && strcmp(s->op->name, "cumsum_") == 0;
    }
    edit_drop(rest, drop);
    return compiled_run(rest, &self->compile, options, NULL, memory);
}

START_TEST(of_two_errors_the_missing_one_names_the_detail) {
    static const char TWO[] =
        X("") "\"body\":[{\"op\":\"cumsum_\",\"self\":\"x\",\"dim\":5},"
              "{\"op\":\"view\",\"self\":\"x\",\"size\":[2],\"out\":\"z\"}],\"return\":[\"z\"]}";
    Finding f = blamed(TWO, run_without_cumsum);
    ck_assert_str_eq(f.kind, "index_range_vs_shape");
    ck_assert_str_eq(f.cause.text, "capture/index_range");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/blame");
    TCase *tests = tcase_create("harness/blame");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_branch_that_did_not_run_is_not_blamed);
    tcase_add_test(tests, a_graph_break_is_blamed_for_what_it_makes_wrong);
    tcase_add_test(tests, an_error_that_does_not_occur_is_not_blamed_on_dead_code);
    tcase_add_test(tests, of_two_errors_the_missing_one_names_the_detail);
    suite_add_tcase(suite, tests);
    return run_suite("harness/blame", suite);
}
