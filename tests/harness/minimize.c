/* The minimizer: every kept step keeps the signature, the result is a fixed point, and findings
 * with another symptom are reported once each. */
#include "harness/triage/minimize.h"
#include "tests/support/finding_case.h"

typedef struct Watch {
    Checker *checker;
    const char *signature;
    int steps, statements;
} Watch;

/* The setup's too: a reducer moves them into the body. */
static int all_statements(const Program *p) {
    Program setup = *p;
    setup.body = p->setup;
    return program_size(p) + program_size(&setup);
}

static void watch(void *user, const char *reducer, const Program *now,
                  const MinimizeStats *so_far) {
    Watch *w = user;
    Arena scratch = ARENA_EMPTY;
    CheckResult out;
    check_program(w->checker, now, &scratch, &out);
    ck_assert_msg(out.verdict == FINDING, "%s", reducer);
    check_locate(w->checker, now, &out.finding, &scratch);
    ck_assert_msg(strcmp(out.finding.signature, w->signature) == 0, "%s slipped to %s", reducer,
                  out.finding.signature);
    ck_assert_int_eq(so_far->kept, ++w->steps);
    ck_assert_msg(all_statements(now) <= w->statements, "%s: %d statements, before: %d", reducer,
                  all_statements(now), w->statements);
    w->statements = all_statements(now);
    arena_destroy(&scratch);
}

START_TEST(every_kept_step_has_the_whole_signature) {
    for (int id = 0; id < FAULT_COUNT; id++) {
        Checker c = with_fault((FaultId)id), other = c;
        Finding f;
        Program *p = find(&c, 2, FAULT_PROGRAMS, &f);
        if (p) {
            Watch w = {&other, f.signature, 0, all_statements(p)};
            MinimizeStats stats = {.checks = 4000};
            Program *small = minimize_program(&arena, p, &c, &f, &stats, watch, &w);
            ck_assert(stats.complete && !stats.flaky);
            ck_assert_int_le(program_size(small), w.statements);
            if (program_size(small) == program_size(p)) {
                ck_assert_int_le(program_elements(small), program_elements(p));
            }
        }
    }
}
END_TEST

START_TEST(a_fixed_point_is_one_and_no_program_is_checked_twice) {
    Checker c = with_fault(fault_named("GR-10"));
    Finding f;
    Program *p = find(&c, 3, 4000, &f);
    ck_assert_ptr_nonnull(p);
    MinimizeStats stats = {.checks = 0}, again = {.checks = 0}, ahead = {.nmore = 3};
    Program *small = minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
    Text first = {.arena = &arena}, second = {.arena = &arena}, third = {.arena = &arena};
    program_print(&first, small, false);
    CheckResult out;
    check_program(&c, small, &arena, &out);
    check_locate(&c, small, &out.finding, &arena);
    program_print(&second, minimize_program(&arena, small, &c, &out.finding, &again, NULL, NULL),
                  false);
    ck_assert_int_eq(again.kept, 0);
    ck_assert_str_eq(first.v, second.v);
    Checker more[3] = {with_fault(fault_named("GR-10")), with_fault(fault_named("GR-10")),
                       with_fault(fault_named("GR-10"))};
    ahead.more = more;
    program_print(&third, minimize_program(&arena, p, &c, &f, &ahead, NULL, NULL), false);
    ck_assert_str_eq(first.v, third.v);
    ck_assert_int_eq(ahead.checks, stats.checks);
    for (uint64_t seed = 11; seed < 31; seed++) { /* also where a batch holds a candidate twice */
        MinimizeStats alone = {.checks = 0}, four = {.nmore = 3, .more = more};
        Program *q = find(&c, seed, 4000, &f);
        minimize_program(&arena, q, &c, &f, &alone, NULL, NULL);
        minimize_program(&arena, q, &c, &f, &four, NULL, NULL);
        ck_assert_int_eq(alone.checks, four.checks);
    }
    int64_t repeated = stats.repeated; /* some reducer proposes what another one has */
    for (uint64_t seed = 4; seed < 9; seed++) {
        MinimizeStats other = {.checks = 0};
        Program *q = find(&c, seed, 4000, &f);
        minimize_program(&arena, q, &c, &f, &other, NULL, NULL);
        repeated += other.repeated;
    }
    ck_assert_int_gt(repeated, 0);
}
END_TEST

START_TEST(other_findings_met_on_the_way_are_kept_once_each) {
    Checker c = with_fault(fault_named("GR-10"));
    int met = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Finding f;
        Program *p = find(&c, seed, 4000, &f);
        MinimizeStats stats = {.checks = 0};
        minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
        met += stats.nother;
        for (int i = 0; i < stats.nother; i++) {
            CheckResult out;
            check_program(&c, stats.other[i].program, &arena, &out);
            ck_assert_int_eq(out.verdict, FINDING);
            check_symptom(&c, stats.other[i].program, &out.finding, &arena);
            ck_assert(symptom_same(&out.finding.root, &stats.other[i].finding.root));
            for (int j = 0; j < i; j++) {
                ck_assert(!symptom_same(&stats.other[j].finding.root, &out.finding.root));
            }
        }
    }
    ck_assert_int_gt(met, 0);
}
END_TEST

/* Wrong in two runs of three. */
static Result *run_sometimes(Executor *self, const Program *p, const RunOptions *options,
                             Arena *memory) {
    CompileOptions compile = self->compile;
    if (++self->counters.hits % 3 == 0) {
        faults_clear(&compile);
    }
    return compiled_run(p, &compile, options, NULL, memory);
}

START_TEST(a_finding_that_does_not_always_show_is_checked_again_and_called_flaky) {
    Checker c = with_fault(fault_named("AL-2"));
    Finding f;
    Program *p = find(&c, 1, 4000, &f);
    ck_assert_ptr_nonnull(p);
    c.b.run = run_sometimes;
    MinimizeStats stats = {.checks = 400};
    minimize_program(&arena, p, &c, &f, &stats, NULL, NULL);
    ck_assert(stats.flaky);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/minimize");
    TCase *tests = tcase_create("harness/minimize");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_kept_step_has_the_whole_signature);
    tcase_add_test(tests, a_fixed_point_is_one_and_no_program_is_checked_twice);
    tcase_add_test(tests, other_findings_met_on_the_way_are_kept_once_each);
    tcase_add_test(tests, a_finding_that_does_not_always_show_is_checked_again_and_called_flaky);
    suite_add_tcase(suite, tests);
    return run_suite("harness/minimize", suite);
}
