/* Lists of known issues: what a minimized program has, and so needs. */
#include "harness/triage/needs.h"

#include "tests/support/known_case.h"

/* Writes through a view of expand, through a view of that, through transpose, and none; through
 * what ops on lists return of it, views and a new tensor. */
START_TEST(a_known_issue_covers_writes_through_one_kind_of_view) {
#define EXPAND "{\"op\":\"expand\",\"self\":\"x\",\"size\":[2,2],\"out\":\"v\"},"
#define VIEWS(a, b)                                                                                \
    "{\"op\":\"atleast_1d\",\"tensors\":[\"" a "\",\"" b "\"],\"out\":[\"u\",\"w\"]},"
#define CAT(a, b) "{\"op\":\"cat\",\"tensors\":[\"" a "\",\"" b "\"],\"out\":\"w\"},"
    static const struct {
        const char *program;
        bool covered;
    } cases[] = {{IN "\"body\":[" EXPAND ABS("v") "],\"return\":[\"x\"]}", true},
                 {IN "\"body\":[" EXPAND FLIP("v") ABS("w") "],\"return\":[\"x\"]}", true},
                 {IN "\"body\":[" EXPAND FLIP("x") ABS("w") "],\"return\":[\"v\"]}", false},
                 {IN "\"body\":[" EXPAND ABS("x") "],\"return\":[\"v\"]}", false},
                 {IN "\"body\":[" EXPAND VIEWS("x", "v") ABS("w") "],\"return\":[\"x\"]}", true},
                 {IN "\"body\":[" EXPAND CAT("x", "v") ABS("w") "],\"return\":[\"v\"]}", false}};
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_through] = "expand*";
    Known known = {&issue, 1};
    const KnownPair pair = {.name = "torch:eager,torch:aot_eager"};
    Finding f = located("values-data-abs_", "", "");
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const Program *p = parse(cases[i].program);
        ck_assert_msg((known_find(&known, &pair, p, true, &f) != NULL) == cases[i].covered, "%d",
                      i);
        ck_assert_ptr_null(known_find(&known, &pair, p, false, &f)); /* not minimized yet */
    }
}
END_TEST

static void covers_if_minimized(KnownIssue *issue, const char *program, bool covered) {
    Known known = {issue, 1};
    const KnownPair pair = {.name = "torch:eager,torch:inductor"};
    Finding f = located("values-data-x", "", "");
    const Program *p = parse(program);
    ck_assert_msg((known_find(&known, &pair, p, true, &f) != NULL) == covered, "%s", program);
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
}

/* An operand of exp, cat or cov is overwritten itself, through a view, as an element of a list;
 * that of another op, or what is written first, or changed in its layout only, is not. */
START_TEST(a_known_issue_covers_overwritten_operands) {
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_overwritten] = "[ec]*"; /* exp, cat, cov */
    static const struct {
        const char *program;
        bool covered;
    } cases[] = {
        {IN "\"body\":[" OP1("exp", "x", "v") "," ABS("x") "],\"return\":[\"v\"]}", true},
        {IN "\"body\":[" OP1("t", "x", "w") "," OP1("exp", "x",
                                                    "v") "," ABS("w") "],\"return\":[\"v\"]}",
         true},
        {IN "\"body\":[" OP1("exp", "x", "v") "," FLIP("x") ABS("w") "],\"return\":[\"v\"]}", true},
        {IN "\"body\":[" CAT("x", "x") ABS("x") "],\"return\":[\"w\"]}", true},
        {IN "\"body\":[" ABS("x") "," OP1("exp", "x", "v") "],\"return\":[\"v\"]}", false},
        {IN "\"body\":[{\"op\":\"cov\",\"self\":\"x\",\"out\":\"v\"}," ABS(
             "x") "],\"return\":[\"v\"]}",
         true},
        {IN "\"body\":[" OP1("sin", "x", "v") "," ABS("x") "],\"return\":[\"v\"]}", false},
        {IN "\"body\":[" OP1("exp", "x", "v") "," ABS("v") "],\"return\":[\"v\"]}", false},
        {IN "\"body\":[" FLIP("x") ABS("x") "],\"return\":[\"w\"]}", false},
        {IN "\"body\":[" ABS("x") "," ABS("x") "],\"return\":[\"x\"]}", false},
        {IN "\"body\":[" OP1("exp", "x", "v") "," OP0("t_", "x") "],\"return\":[\"v\"]}", false}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        covers_if_minimized(&issue, cases[i].program, cases[i].covered);
    }
    const char *own = IN "\"body\":[" OP1("sin", "x", "v") "," OP1("exp", "v", "w") "," ABS(
                   "v") "],\"return\":[\"w\"]}",
               *argument = IN "\"body\":[" OP1("exp", "x", "w") "," FLIP("x")
                   ABS("w") "],\"return\":[\"v\"]}";
    covers_if_minimized(&issue, own, true);
    KnownIssue of_argument = any_issue();
    of_argument.asked[CONDITION_argument_overwritten] = "[ec]*";
    covers_if_minimized(&of_argument, own, false);
    covers_if_minimized(&of_argument, argument, true);
}
END_TEST

/* Two arguments on one memory in the first call and on two in the second, the other way round, and
 * at another distance. */
START_TEST(a_known_issue_covers_arguments_that_share_memory_otherwise_later) {
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_sharing_changes] = "true";
#define ON(name, place) "{\"name\":\"" name "\",\"dtype\":\"float32\",\"size\":[1]" place "}"
#define CALLS(a, b, c, d)                                                                          \
    "{\"twingrad\":1,\"inputs\":[" ON("x", a) "," ON("y", b) "],\"body\":[" OP1(                   \
        "exp", "x",                                                                                \
        "v") "," ABS("y") "],\"return\":[\"v\"],\"recalls\":[[" ON("x", c) "," ON("y", d) "]]}"
#define OWN ",\"data\":[1]"
#define FIRST ",\"storage\":\"s\",\"data\":[1,2]"
#define SAME ",\"storage\":\"s\""
#define NEXT ",\"storage\":\"s\",\"storage_offset\":1"
    covers_if_minimized(&issue, CALLS(FIRST, NEXT, OWN, OWN), true);
    covers_if_minimized(&issue, CALLS(OWN, OWN, FIRST, NEXT), true);
    covers_if_minimized(&issue, CALLS(SAME ",\"data\":[1]", SAME, FIRST, NEXT), true);
    covers_if_minimized(&issue, CALLS(FIRST, NEXT, FIRST, NEXT), false);
    covers_if_minimized(&issue, CALLS(OWN, OWN, OWN, OWN), false);
    covers_if_minimized(&issue, IN "\"body\":[" OP1("exp", "x", "v") "],\"return\":[\"v\"]}",
                        false);
}
END_TEST

START_TEST(a_known_issue_covers_arguments_that_share_memory) {
    static const struct {
        const char *program;
        bool covered;
    } cases[] = {{CALLS(FIRST, NEXT, OWN, OWN), true},
                 {CALLS(OWN, OWN, FIRST, NEXT), true},
                 {CALLS(OWN, OWN, OWN, OWN), false}};
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_shared_memory] = "true";
    Known known = {&issue, 1};
    const KnownPair pair = {.name = "torch:eager,torch:aot_eager"};
    const Finding f = located("metadata-uncounted_write-abs_", "", "");
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const Program *p = parse(cases[i].program);
        for (int minimized = 0; minimized < 2; minimized++) {
            ck_assert_int_eq(known_find(&known, &pair, p, minimized, &f) != NULL, cases[i].covered);
        }
    }
}
END_TEST

/* The gradient of a result, of a view, and of an argument that was written, itself or through a
 * view; not that of an argument, or of what setup has made. */
START_TEST(a_known_issue_covers_gradients_of_results) {
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_between_results] = "true";
#define GRAD(of, to)                                                                               \
    "{\"op\":\"grad\",\"outputs\":[\"" of "\"],\"inputs\":[\"" to "\"],\"out\":[\"g\"]}"
    static const struct {
        const char *program;
        bool covered;
    } cases[] = {
        {IN "\"body\":[" OP1("exp", "x", "v") "," OP1("sin", "v", "w") "," GRAD(
             "w", "v") "],\"return\":[\"w\"]}",
         true},
        {IN "\"body\":[" OP1("exp", "x", "v") "," GRAD("v", "x") "],\"return\":[\"v\"]}", false},
        {IN "\"body\":[" OP1("t", "x", "v") "," OP1("exp", "v",
                                                    "w") "," GRAD("w", "v") "],\"return\":[\"w\"]}",
         true},
        {IN
         "\"body\":[" ABS("x") "," OP1("exp", "x", "w") "," GRAD("w", "x") "],\"return\":[\"w\"]}",
         true},
        {IN "\"body\":[" OP1("t", "x", "v") "," ABS("v") "," OP1("exp", "x", "w") "," GRAD(
             "w", "x") "],\"return\":[\"w\"]}",
         true},
        {IN
         "\"body\":[" OP1("exp", "x", "v") "," ABS("v") "," GRAD("v", "x") "],\"return\":[\"v\"]}",
         false},
        {IN "\"setup\":[" OP1("exp", "x", "s") "],\"args\":[\"s\"],\"body\":[" OP1(
             "sin", "s", "v") "," GRAD("v", "s") "],\"return\":[\"v\"]}",
         false}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        covers_if_minimized(&issue, cases[i].program, cases[i].covered);
    }
    const char *in_after = "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\","
                           "\"size\":[1],\"data\":[1]}],"
                           "\"body\":[" OP1("exp", "x", "v") "," OP1(
                               "sin", "v", "w") "],\"return\":[\"v\",\"w\"],"
                                                "\"after\":[" GRAD("w", "v") "]}";
    covers_if_minimized(&issue, in_after, true);
}
END_TEST

/* y reaches a return that is not differentiated, or is written to an argument; where there may be
 * two graphs, anything may be. A detached y, or one that only the differentiated return has, does
 * not, and nor does what only picks elements. */
START_TEST(a_known_issue_covers_gradients_of_what_reaches_another_return) {
#define IN2                                                                                        \
    "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"data\":[1]}" \
    ","                                                                                            \
    "{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[1],\"data\":[1]}],\"body\":["
#define MUL(a, b, out) "{\"op\":\"mul\",\"self\":\"" a "\",\"other\":\"" b "\",\"out\":\"" out "\"}"
#define BACKWARD "\"backward\":{\"fill\":\"ones\",\"seed\":0,\"of\":[0]}}"
    static const struct {
        const char *program;
        bool covered;
    } cases[] = {
        {IN2 OP1("exp", "x", "a") "," OP1("exp", "y", "b") "],\"return\":[\"a\",\"b\"]," BACKWARD,
         true},
        {IN2 OP1("exp", "x", "a") "," OP1("exp", "y", "b") "],\"return\":[\"a\"]," BACKWARD, false},
        {IN2 OP1("detach", "y", "d") "," MUL("x", "d", "a") "],\"return\":[\"a\",\"d\"]," BACKWARD,
         false},
        {IN2 OP1("sign", "y", "d") "," OP1("argmax", "d", "i") "," OP1(
             "exp", "x", "a") "],\"return\":[\"a\",\"i\"]," BACKWARD,
         false},
        {IN2 OP1("exp", "y", "b") "," MUL("x", "x",
                                          "a") ",{\"op\":\"copy_\",\"self\":\"x\",\"src\":"
                                               "\"b\"}],\"return\":[\"a\"]," BACKWARD,
         true},
        {IN2 OP1("exp", "x", "a") "," OP1("clone", "x",
                                          "b") ",{\"op\":\"add_\",\"self\":\"b\",\"other\":"
                                               "\"y\"}],\"return\":[\"a\",\"b\"]," BACKWARD,
         true},
        {IN2 OP1("t", "x", "v") "," OP1("clone", "y", "b") "," OP1(
             "t", "b", "w") ",{\"op\":\"add_\","
                            "\"self\":\"w\",\"other\":\"x\"}],\"return\":[\"v\"]," BACKWARD,
         false},
        {IN2 OP1("exp", "x", "a") ",{\"graph_break\":true}],\"return\":[\"a\"]," BACKWARD, true},
        {IN2 OP1("exp", "x", "a") "," OP1("nonzero", "y", "b") "],\"return\":[\"a\"]," BACKWARD,
         true},
        {IN2 OP1("exp", "x", "a") "," OP1("sign", "y", "b") "],\"return\":[\"a\"]," BACKWARD,
         false}};
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_undifferentiated] = "true";
    Known known = {&issue, 1};
    const KnownPair pair = {.name = "torch:eager,torch:aot_eager"};
    Finding f = located("gradients-none_vs_zeros-x", "", "");
    f.subject = SUBJECT_INPUT;
    f.index = 1;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const Program *p = parse(cases[i].program);
        ck_assert_msg((known_find(&known, &pair, p, false, &f) != NULL) == cases[i].covered, "%d",
                      i);
    }
}
END_TEST

START_TEST(a_known_issue_covers_programs_that_write) {
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_writes] = "true";
    covers_if_minimized(&issue, IN "\"body\":[" OP1("t", "x", "v") "],\"return\":[\"v\"]}", false);
    covers_if_minimized(&issue, IN "\"body\":[{\"op\":\"exp_\",\"self\":\"x\"}],\"return\":[]}",
                        true);
    covers_if_minimized(
        &issue, IN "\"body\":[{\"op\":\"exp\",\"into\":\"x\",\"self\":\"x\"}],\"return\":[]}",
        true);
}
END_TEST

START_TEST(a_known_issue_covers_programs_that_still_have_an_op) {
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_uses] = "*p_";
    covers_if_minimized(&issue, IN "\"body\":[" OP1("t", "x", "v") "],\"return\":[\"v\"]}", false);
    covers_if_minimized(&issue, IN "\"body\":[{\"op\":\"exp_\",\"self\":\"x\"}],\"return\":[]}",
                        true);
    covers_if_minimized(&issue, IN "\"body\":[" OP1("exp", "x", "v") "],\"return\":[\"v\"]}",
                        false);
}
END_TEST

START_TEST(a_known_issue_covers_programs_that_return_what_has_a_hook) {
    static const char format[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"requires_"
        "grad\":true,\"data\":[1]}],\"functions\":[{\"name\":\"h\",\"params\":[\"g\"],\"forward\":["
        "],"
        "\"return\":[\"g\"]}],\"body\":[" OP1(
            "neg", "x", "y") ",{\"op\":\"register_hook\",\"self\":\"y\","
                             "\"function\":\"h\"}," OP1("t", "y", "v") "," OP1(
                                 "exp", "y", "z") "],\"return\":[\"%s\"]}";
    static const struct {
        const char *returned;
        bool covered;
    } cases[] = {{"y", true}, {"v", true}, {"z", false}, {"x", false}};
    KnownIssue issue = any_issue(), hook = any_issue();
    issue.asked[CONDITION_returned_hook] = hook.asked[CONDITION_hook] = "true";
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[i].returned);
        covers_if_minimized(&issue, text, cases[i].covered);
        covers_if_minimized(&hook, text, true);
    }
    covers_if_minimized(&hook, IN "\"body\":[" OP1("exp", "x", "v") "],\"return\":[\"v\"]}", false);
}
END_TEST

START_TEST(a_known_issue_covers_ops_that_compute_into_an_argument) {
    static const char format[] =
        IN "\"body\":[" OP1("exp", "x", "v") ",{\"op\":\"%s\",\"self\":\"x\"%s,\"out\":\"w\"}],"
                                             "\"return\":[\"w\"]}";
    static const struct {
        const char *op, *into;
        bool covered;
    } cases[] = {{"sigmoid", ",\"into\":\"v\"", true},
                 {"sigmoid", "", false},
                 {"exp", ",\"into\":\"v\"", false}};
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_into] = "si*d";
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[i].op, cases[i].into);
        covers_if_minimized(&issue, text, cases[i].covered);
    }
}
END_TEST

/* What a function has that the program does not apply says nothing. */
START_TEST(a_known_issue_covers_functions_by_what_they_do) {
    static const char format[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"requires_"
        "grad\":true,\"data\":[1]}],\"functions\":[{\"name\":\"f\",\"params\":[\"a\"],\"forward\":"
        "[{\"with\":\"%s\",\"body\":[" OP1(
            "exp", "a", "y") "]}],\"return\":[\"y\"],\"save\":[\"%s\"],\"non_differentiable\":[%s],"
                             "\"grad_outputs\":[\"g\"],"
                             "\"backward\":[],"
                             "\"grad_inputs\":[\"g\"]}],\"body\":[%s],\"return\":[]}";
#define APPLY "{\"op\":\"apply\",\"function\":\"f\",\"operands\":[\"x\"],\"out\":[\"z\"]}"
#define TWICE "{\"op\":\"backward\",\"tensors\":[\"z\"],\"create_graph\":true}"
    static const struct {
        const char *mode, *saved, *marked, *body, *feature;
        bool covered;
    } cases[] = {{"no_grad", "y", "", APPLY, "saves_result", true},
                 {"no_grad", "a", "", APPLY, "saves_result", false},
                 {"no_grad", "y", "", OP1("exp", "x", "z"), "saves_result", false},
                 {"no_grad", "a", "", APPLY, "saves_operand", true},
                 {"no_grad", "y", "", APPLY, "saves_operand", false},
                 {"enable_grad", "a", "", APPLY, "enables_grad", true},
                 {"no_grad", "a", "", APPLY, "enables_grad", false},
                 {"no_grad", "a", "", APPLY "," TWICE, "second_gradient", true},
                 {"no_grad", "a", "", OP1("exp", "x", "z") "," TWICE, "second_gradient", false},
                 {"no_grad", "a", "", APPLY, "second_gradient", false},
                 {"no_grad", "a", "\"y\"", APPLY, "non_differentiable", true},
                 {"no_grad", "a", "", APPLY, "non_differentiable", false},
                 {"no_grad", "a", "", APPLY, "returns_operand", false}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text, format, cases[i].mode, cases[i].saved, cases[i].marked,
                 cases[i].body);
        KnownIssue issue = any_issue();
        issue.asked[CONDITION_function] = cases[i].feature;
        covers_if_minimized(&issue, text, cases[i].covered);
    }
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_function] = "returns_operand";
    covers_if_minimized(
        &issue,
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"data\":["
        "1]}],"
        "\"functions\":[{\"name\":\"f\",\"params\":[\"a\"],\"forward\":[],\"return\":[\"a\"],"
        "\"grad_outputs\":[\"g\"],\"backward\":[],\"grad_inputs\":[\"g\"]}],\"body\":[" APPLY
        "],\"return\":[]}",
        true);
}
END_TEST

/* no_grad and enable_grad are no context of the format, but an entry may ask for them. */
START_TEST(a_known_issue_covers_blocks_in_a_grad_mode) {
    static const char format[] =
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1],\"data\":["
        "1]}],\"body\":[%s" OP1("exp", "x", "y") "%s],\"return\":[]}";
    char inside[512], outside[512];
    snprintf(inside, sizeof inside, format, "{\"with\":\"enable_grad\",\"body\":[", "]}");
    snprintf(outside, sizeof outside, format, "", "");
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_block] = "grad_mode";
    covers_if_minimized(&issue, inside, true);
    covers_if_minimized(&issue, outside, false);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/needs");
    TCase *tests = tcase_create("harness/needs");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_known_issue_covers_writes_through_one_kind_of_view);
    tcase_add_test(tests, a_known_issue_covers_overwritten_operands);
    tcase_add_test(tests, a_known_issue_covers_arguments_that_share_memory);
    tcase_add_test(tests, a_known_issue_covers_arguments_that_share_memory_otherwise_later);
    tcase_add_test(tests, a_known_issue_covers_gradients_of_results);
    tcase_add_test(tests, a_known_issue_covers_gradients_of_what_reaches_another_return);
    tcase_add_test(tests, a_known_issue_covers_programs_that_write);
    tcase_add_test(tests, a_known_issue_covers_programs_that_still_have_an_op);
    tcase_add_test(tests, a_known_issue_covers_programs_that_return_what_has_a_hook);
    tcase_add_test(tests, a_known_issue_covers_ops_that_compute_into_an_argument);
    tcase_add_test(tests, a_known_issue_covers_functions_by_what_they_do);
    tcase_add_test(tests, a_known_issue_covers_blocks_in_a_grad_mode);
    suite_add_tcase(suite, tests);
    return run_suite("harness/needs", suite);
}
