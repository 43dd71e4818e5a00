/* From a finding to its cause: bisection over steps and stages, and the statement that is blamed.
 * Findings come from the generator under seeded faults, one set for each row of faults.def, and
 * from programs written for one rule of the blame. */
#include "harness/triage/cause.h"
#include "harness/triage/group.h"
#include "harness/triage/sub_finding.h"
#include "tests/support/finding_case.h"

#include <stdio.h>

static bool is_pass(const char *stage) {
    for (int i = 0; i < pass_count(); i++) {
        if (strcmp(pass_info(i)->name, stage) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- causes ---- */

START_TEST(bisection_blames_the_pass_that_holds_the_fault) {
    int faults = 0, right = 0;
    Text wrong = {.arena = &arena};
    for (int id = 0; id < FAULT_COUNT; id++) {
        const FaultInfo *fault = fault_info((FaultId)id);
        if (is_pass(fault->stage)) {
            Checker c = with_fault((FaultId)id);
            Finding f;
            (void)witness(&c, (FaultId)id, &f);
            bool blamed = strcmp(f.cause.stage, fault->stage) == 0;
            faults++;
            right += blamed;
            if (!blamed) {
                text_printf(&wrong, " %s (%s)", fault->id, f.cause.stage);
            }
        }
    }
    ck_assert_int_ge(faults, 5);
    ck_assert_msg(100 * right >= 95 * faults, "%d of %d, not:%s", right, faults, wrong.v);
}
END_TEST

/* Are all findings of the fault in programs of two seeds in one group? Adds their number. */
static bool is_one_group(FaultId id, int *findings) {
    static const uint64_t seeds[] = {1, 3};
    Checker c = with_fault(id);
    char group[sizeof((Finding *)0)->signature] = "";
    bool one = true;
    for (int s = 0; s < COUNT_OF(seeds); s++) {
        for (uint64_t i = 0; i < FAULT_PROGRAMS; i++) {
            arena_reset(&arena);
            Program *p = generate_program(&arena, seeds[s], i);
            CheckResult out;
            check_program(&c, p, &arena, &out);
            if (out.verdict == FINDING) {
                check_locate(&c, p, &out.finding, &arena);
                if (strcmp(group, group_key(&out.finding)) != 0) { /* as a campaign does */
                    (void)sub_finding(&arena, p, &c, &out.finding);
                }
                if (!group[0]) {
                    snprintf(group, sizeof group, "%s", group_key(&out.finding));
                }
                one &= strcmp(group, group_key(&out.finding)) == 0;
                ++*findings;
            }
        }
    }
    return one;
}

START_TEST(the_findings_of_95_percent_of_the_faults_are_one_group_each) {
    int findings = 0, faults = 0, one = 0;
    char others[1024] = "";
    for (int id = 0; id < FAULT_COUNT; id++) {
        int before = findings;
        bool is_one = is_one_group((FaultId)id, &findings);
        faults += findings > before;
        one += findings > before && is_one;
        if (!is_one) {
            snprintf(others + strlen(others), sizeof others - strlen(others), " %s",
                     fault_info((FaultId)id)->id);
        }
    }
    ck_assert_int_gt(findings, FAULT_PROGRAMS / 4);
    ck_assert_msg(100 * one >= 95 * faults, "%d of %d, not:%s", one, faults, others);
}
END_TEST

/* Each once looked like another pass's: */
#define INPUT(name, size, fill, more)                                                              \
    "{\"name\":\"" name "\",\"dtype\":\"float32\",\"size\":" size more                             \
    ",\"data\":{\"fill\":\"" fill "\",\"seed\":0}}"
#define GRAD ",\"requires_grad\":true"
#define ONES ",\"backward\":{\"fill\":\"ones\",\"seed\":0"
static const struct {
    const char *what, *fault, *stage, *program;
} DISGUISED[] = {
    {"a return in the memory of an input that is written back before it is copied out", "FU-16",
     "reinplace",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1]", "zeros",
         "") "],\"body\":[{\"op\":\"slice_scatter\",\"self\":\"x\",\"src\":\"x\",\"out\":\"v\"},"
             "{\"op\":\"add_\",\"self\":\"x\",\"other\":1}],\"return\":[\"v\"]}"},
    {"a nest that is wrong once a scatter in it writes in place, which apart it may not", "IX-1",
     "fuse",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1]", "zeros",
         GRAD) ",{\"name\":\"i\",\"dtype\":\"int64\",\"size\":[2],\"data\":[0,0]}],"
               "\"body\":[{\"op\":\"clone\",\"self\":\"x\",\"out\":\"v\"},{\"op\":\"getitem\","
               "\"self\":\"v\",\"index\":[\"i\"],\"out\":\"w\"},"
               "{\"op\":\"setitem\",\"self\":\"v\",\"index\":[\"i\"],\"value\":\"w\"}],\"return\":["
               "\"v\",\"v\"]" ONES "}}"},
    {"loops that are wrong only after a rule has made the graph what it is", "GR-1", "lower",
     "{\"twingrad\":1,\"inputs\":[" INPUT("x", "[]", "zeros", "") "," INPUT(
         "y", "[2]", "ones",
         ",\"stride\":[0]") "],\"body\":[{\"op\":\"neg\",\"self\":\"y\",\"out\":\"v\"},"
                            "{\"op\":\"select_scatter\",\"self\":\"v\",\"src\":\"x\",\"dim\":0,"
                            "\"index\":0,\"out\":\"w\"}],\"return\":[\"w\"]}"},
    {"an error that the backward raises", "GR-10", "joint",
     "{\"twingrad\":1,\"inputs\":[" INPUT(
         "x", "[1,1]", "zeros",
         GRAD) "],\"body\":[{\"op\":\"mul\",\"self\":\"x\",\"other\":\"x\",\"out\":\"v\"},"
               "{\"op\":\"avg_pool1d\",\"self\":\"v\",\"kernel_size\":1,\"out\":\"w\"},{\"op\":"
               "\"zero_\",\"self\":\"v\"}],\"return\":[\"w\"]" ONES ",\"of\":[]}}"},
    {"a gradient of another value, not one that is None", "GR-10", "joint",
     "{\"twingrad\":1,\"inputs\":[" INPUT("x", "[]", "zeros", GRAD) "," INPUT(
         "y", "[2]", "zeros",
         "") "],\"body\":[{\"op\":\"fill_\",\"self\":\"y\",\"value\":\"x\"},"
             "{\"op\":\"tensor_split\",\"self\":\"y\",\"indices\":[1,1],\"out\":[\"a\",\"b\",\"c\"]"
             "},{\"op\":\"rsqrt\",\"self\":\"c\",\"out\":\"v\"}],"
             "\"return\":[\"x\",\"v\"]" ONES ",\"of\":[0]}}"},
};

START_TEST(the_stage_to_blame_is_seen_through_what_shows_it) {
    for (int i = 0; i < COUNT_OF(DISGUISED); i++) {
        Checker c = with_fault(fault_named(DISGUISED[i].fault));
        Program *p = parse(DISGUISED[i].program);
        CheckResult out;
        check_program(&c, p, &arena, &out);
        ck_assert_msg(out.verdict == FINDING, "%s", DISGUISED[i].what);
        check_locate(&c, p, &out.finding, &arena);
        ck_assert_msg(strcmp(out.finding.cause.stage, DISGUISED[i].stage) == 0, "%s: %s",
                      DISGUISED[i].what, out.finding.cause.text);
    }
}
END_TEST

START_TEST(the_least_limit_is_the_step_that_is_named) {
    Checker c = with_fault(fault_named("NU-12"));
    Finding f;
    Program *p = find(&c, 1, 2000, &f);
    ck_assert_ptr_nonnull(p);
    ck_assert_str_eq(f.cause.text, "cse");
    ck_assert_int_gt(f.cause.limit, 0);
    CheckResult out;
    c.b.compile.opt_limit = f.cause.limit;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    c.b.compile.opt_limit = f.cause.limit - 1;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, AGREE);
    c.b.compile.opt_limit = -1;
    ck_assert(cause_stands(&c, p, &f));
    Text graphs = {.arena = &arena}, node = {.arena = &arena};
    ck_assert(cause_print_graphs(&graphs, &c, p, &f.cause, 3));
    ck_assert_ptr_nonnull(strstr(graphs.v, "\n+ "));
    ck_assert_ptr_nonnull(strstr(graphs.v, cause_node(&node, &c, p, &f.cause)));
    Finding elsewhere = f;
    snprintf(elsewhere.cause.stage, sizeof elsewhere.cause.stage, "fold");
    snprintf(elsewhere.cause.rule, sizeof elsewhere.cause.rule, "fold_check");
    ck_assert(!cause_stands(&c, p, &elsewhere));
}
END_TEST

START_TEST(a_required_pass_as_the_cause_stands_until_it_is_found_anew) {
    Checker c = with_fault(fault_named("NU-12"));
    Finding f;
    Program *p = find(&c, 1, 2000, &f);
    ck_assert_ptr_nonnull(p);
    ck_assert_int_gt(f.cause.limit, 0);
    static const char *const required[] = {"joint", "functionalize", "lower", "capture"};
    for (int i = 0; i < COUNT_OF(required); i++) { /* no option leaves these out */
        f.cause.rule[0] = '\0';
        snprintf(f.cause.stage, sizeof f.cause.stage, "%s", required[i]);
        ck_assert(cause_stands(&c, p, &f));
    }
}
END_TEST

START_TEST(what_no_pass_holds_is_told_apart) {
    static const struct {
        const char *fault, *stage;
    } cases[] = {
        {"RG-1", "capture"}, {"RG-2", "capture"},       {"GU-2", "guard"}, {"AL-2", "epilogue"},
        {"GR-10", "joint"},  {"MU-7", "functionalize"}, {"GR-1", "lower"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        Checker c = with_fault(fault_named(cases[i].fault));
        Finding f;
        ck_assert_ptr_nonnull(find(&c, 1, 4000, &f));
        ck_assert_msg(strcmp(f.cause.stage, cases[i].stage) == 0, "%s: %s", cases[i].fault,
                      f.cause.stage);
        ck_assert_int_eq(f.cause.limit, -1);
        ck_assert_int_eq(strlen(f.cause.rule), 0);
    }
}
END_TEST

/* The setup runs in both executors alike; what the function returns of it is made anew. */
START_TEST(a_return_that_the_setup_made_is_replayed) {
    static const char text[] =
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"data\":{\"fill\":\"ones\"}}],\"setup\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"a\"},"
        "{\"op\":\"select\",\"self\":\"a\",\"dim\":0,\"index\":1,\"out\":\"b\"},"
        "{\"op\":\"detach\",\"self\":\"b\",\"out\":\"c\"}],\"args\":[\"c\",\"b\"],\"body\":[],"
        "\"return\":[\"c\"]}";
    Checker c = with_fault(fault_named("AL-2"));
    Program *p = parse(text);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    check_locate(&c, p, &out.finding, &arena);
    cause_find(&c, p, &out.finding);
    ck_assert_str_eq(out.finding.cause.stage, "epilogue");
}
END_TEST

/* The finding of a program under a fault, located. */
static Finding located_under(const char *fault, const char *text) {
    Checker c = with_fault(fault_named(fault));
    Program *p = parse(text);
    CheckResult out;
    check_program(&c, p, &arena, &out);
    ck_assert_int_eq(out.verdict, FINDING);
    check_locate(&c, p, &out.finding, &arena);
    return out.finding;
}

#define NUMBER                                                                                     \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[],"               \
    "\"requires_grad\":true,\"data\":[1]}],"

START_TEST(of_two_errors_the_one_too_many_names_the_detail) {
    /* both refuse max: one of two results is bound, and under the fault the dim, which comes first
     */
    Finding f = located_under("ER-17", NUMBER "\"body\":[{\"op\":\"max\",\"self\":\"x\",\"dim\":0,"
                                              "\"out\":[\"v\"]}],\"return\":[\"v\"]}");
    ck_assert_str_eq(f.kind, "invalid_vs_index_range");
    ck_assert_str_eq(f.cause.text, "capture/ok_vs_index_range");
}
END_TEST

START_TEST(a_call_with_out_is_named_as_such) {
    Finding f;
    Checker c = with_fault(fault_named("AL-9"));
    (void)witness(&c, fault_named("AL-9"), &f);
    ck_assert_ptr_nonnull(strstr(f.signature, "-add.out"));
    ck_assert_str_eq(f.root.op, "add");
}
END_TEST

/* A gradient that the program goes on with is wrong itself, not what is computed from it. */
START_TEST(a_wrong_gradient_inside_the_program_is_located_and_of_joint) {
    Finding f = located_under(
        "GR-19",
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
        "\"requires_grad\":true,\"data\":[1,2]}],\"functions\":[{\"name\":\"f\","
        "\"params\":[\"a\",\"b\"],\"forward\":[{\"op\":\"mul\",\"self\":\"a\",\"other\":\"b\","
        "\"out\":\"y\"}],\"return\":[\"y\"],\"save\":[\"a\",\"b\"],\"grad_outputs\":[\"g\"],"
        "\"backward\":[{\"op\":\"mul\",\"self\":\"g\",\"other\":\"b\",\"out\":\"h\"},"
        "{\"op\":\"mul\",\"self\":\"g\",\"other\":\"a\",\"out\":\"k\"}],\"grad_inputs\":[\"h\","
        "\"k\"]}],"
        "\"body\":[{\"op\":\"apply\",\"function\":\"f\",\"operands\":[\"x\",\"x\"],\"out\":[\"y\"]}"
        ","
        "{\"op\":\"sum\",\"self\":\"y\",\"out\":\"s\"},"
        "{\"op\":\"grad\",\"outputs\":[\"s\"],\"inputs\":[\"x\"],\"out\":[\"g\"]},"
        "{\"op\":\"cosh\",\"self\":\"g\",\"out\":\"z\"}],\"return\":[\"z\"]}");
    ck_assert_str_eq(f.root.op, "grad");
    ck_assert_str_eq(f.cause.text, "joint");
}
END_TEST

START_TEST(a_graph_that_is_freed_too_early_is_of_joint_wherever_it_is_located) {
    Finding f = located_under(
        "ER-24", "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
                 "\"requires_grad\":true,\"data\":{\"fill\":\"zeros\"}}],"
                 "\"setup\":[{\"op\":\"unbind\",\"self\":\"x\",\"out\":[\"a\",\"b\"]}],"
                 "\"args\":[\"b\",\"x\"],\"body\":[{\"op\":\"_foreach_add\",\"self\":[\"x\",\"b\"],"
                 "\"scalar\":{\"float\":1},\"out\":[\"c\",\"d\"]}],\"return\":[\"d\"],"
                 "\"backward\":{\"fill\":\"ones\",\"seed\":0},\"recalls\":[{\"keep\":true}]}");
    ck_assert_str_eq(f.root.op, "_foreach_add");
    ck_assert_str_eq(f.cause.text, "joint");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/cause");
    TCase *tests = tcase_create("harness/cause");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bisection_blames_the_pass_that_holds_the_fault);
    tcase_add_test(tests, the_findings_of_95_percent_of_the_faults_are_one_group_each);
    tcase_add_test(tests, the_stage_to_blame_is_seen_through_what_shows_it);
    tcase_add_test(tests, the_least_limit_is_the_step_that_is_named);
    tcase_add_test(tests, a_required_pass_as_the_cause_stands_until_it_is_found_anew);
    tcase_add_test(tests, what_no_pass_holds_is_told_apart);
    tcase_add_test(tests, a_return_that_the_setup_made_is_replayed);
    tcase_add_test(tests, of_two_errors_the_one_too_many_names_the_detail);
    tcase_add_test(tests, a_call_with_out_is_named_as_such);
    tcase_add_test(tests, a_wrong_gradient_inside_the_program_is_located_and_of_joint);
    tcase_add_test(tests, a_graph_that_is_freed_too_early_is_of_joint_wherever_it_is_located);
    suite_add_tcase(suite, tests);
    return run_suite("harness/cause", suite);
}
