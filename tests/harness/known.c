/* Lists of known issues: what an entry covers, and what a program does not need; several seeded
 * faults at once. */
#include "harness/triage/dead.h"
#include "harness/triage/known.h"
#include "harness/triage/unbound.h"
#include "tests/support/known_case.h"

START_TEST(a_known_issue_covers_by_signature_pair_and_cause) {
    KnownIssue issue[] = {any_issue(), any_issue()};
    issue[0].signature = "values-*";
    issue[0].pair = "torch*:eager,*";
    issue[1].signature = "values-data-?in";
    issue[1].cause = "cse";
    Known known = {issue, 2};
    const KnownPair torch = {.name = "torch:eager,torch:aot"}, own = {.name = "reference,compiled"};
    Finding f = located("values-data-exp", "", "");
    ck_assert_ptr_eq(known_find(&known, &torch, NULL, false, &f), &issue[0]);
    f = located("values-data-sin", "cse", "");
    ck_assert_ptr_eq(known_find(&known, &own, NULL, false, &f), &issue[1]);
    f = located("values-data-sin", "fold", "");
    ck_assert_ptr_null(known_find(&known, &own, NULL, false, &f));
    f = located("values-data-asin", "cse", "");
    ck_assert_ptr_null(known_find(&known, &own, NULL, false, &f));
}
END_TEST

/* A prefix that returns more shows a difference in values first, and gives the signature. */
START_TEST(a_known_issue_covers_what_the_program_itself_shows) {
    const Program *p =
        parse("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
              "\"data\":[1,2]}],\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"a\"}],"
              "\"return\":[\"a\"]}");
    KnownIssue issue = any_issue();
    issue.signature = "gradients-none_vs_zeros-*";
    Known known = {&issue, 1};
    const KnownPair pair = {.name = "torch:eager,torch:inductor"};
    Finding f = located("values-data-exp", "", "");
    f.oracle = ORACLE_gradients;
    snprintf(f.kind, sizeof f.kind, "none_vs_zeros");
    f.sid = -1;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
    issue.signature = "gradients-none_vs_zeros-exp";
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
    f.sid = 0;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
    snprintf(f.kind, sizeof f.kind, "data");
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
}
END_TEST

START_TEST(a_known_issue_covers_by_version_and_answer) {
    KnownIssue issue = any_issue();
    issue.answer = "ASSERT";
    issue.since = version_number("2.8");
    issue.until = version_number("2.13");
    Known known = {&issue, 1};
    Finding f = located("status-x", "", "internal: ASSERT FAILED");
    static const struct {
        const char *version;
        bool covered;
    } cases[] = {{"torch 2.7.1", false},     {"torch 2.8.0+cu128", true}, {"torch 2.10.0", true},
                 {"torch 2.13.0+cpu", true}, {"torch 2.15.0", false},     {NULL, false}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        const KnownPair pair = {"reference,torch:eager", {NULL, cases[i].version}};
        ck_assert_msg((known_find(&known, &pair, NULL, false, &f) != NULL) == cases[i].covered,
                      "%s", cases[i].version ? cases[i].version : "no target");
    }
    f = located("status-x", "", "internal: another one");
    const KnownPair pair = {"reference,torch:eager", {NULL, "torch 2.8.0"}};
    ck_assert_ptr_null(known_find(&known, &pair, NULL, false, &f));
}
END_TEST

START_TEST(a_known_issue_covers_by_both_answers) {
    KnownIssue issue[] = {any_issue(), any_issue()};
    issue[0].answers[0] = "[!n]*";
    issue[0].answers[1] = "nan*";
    issue[1].asked[CONDITION_refused] = "true";
    Known known = {issue, 2};
    const KnownPair pair = {"torch:eager,torch:aot_eager", {NULL, NULL}};
    static const struct {
        OracleId oracle;
        const char *a, *b;
        int covered; /* by which issue, or -1 */
    } cases[] = {{ORACLE_gradients, "1.5", "nan", 0},
                 {ORACLE_gradients, "nan", "1.5", -1},
                 {ORACLE_gradients, "1.5", "2", -1},
                 {ORACLE_status, "overlap at body[1]", "invalid at body[0]", 1},
                 {ORACLE_status, "ok", "invalid at body[0]", -1},
                 {ORACLE_status, "overlap at body[1]", "ok", -1},
                 {ORACLE_status, "index_range at body[2]", "internal at body[0]", -1}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        bool prefix_runs = i == COUNT_OF(cases) - 1; /* eagerly; the other one's error is its own */
        Finding f =
            located(prefix_runs ? "status-ok_vs_internal-sum" : "a-finding", "", cases[i].b);
        f.oracle = cases[i].oracle;
        snprintf(f.a, sizeof f.a, "%s", cases[i].a);
        const KnownIssue *found = known_find(&known, &pair, NULL, false, &f);
        ck_assert_msg(found == (cases[i].covered < 0 ? NULL : &issue[cases[i].covered]), "case %d",
                      i);
    }
}
END_TEST

/* What is written through a view of an input, what a probe reads, and what a live op reads are not
 * dead; a write to what nothing needs is. */
START_TEST(a_statement_is_dead_if_nothing_needs_its_result) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[" OP1("exp", "x", "a") "," OP1("neg", "a", "b") "," OP1("alias", "x", "v") "," OP0("neg_", "v") "," OP1("sin", "x", "c") ",{\"probe\":\"size\",\"of\":\"c\"}," OP1(
            "cos", "x",
            "d") "," OP1("abs", "d",
                         "e") "," OP1("exp", "x",
                                      "f") "," OP1("alias", "f",
                                                   "g") "," OP0("neg_",
                                                                "g") "," OP1("exp", "x",
                                                                             "h") "," OP1("alias",
                                                                                          "h",
                                                                                          "i") "," OP0("neg_",
                                                                                                       "i") "],\"return\":[\"e\",\"h\"]}");
    static const bool dead[] = {true,  true, false, false, false, false, false,
                                false, true, true,  true,  false, false, false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(dead));
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_msg(statement_is_dead(p, sid) == dead[sid], "statement %d", sid);
    }
    ck_assert(!statement_is_dead(p, -1));
    ck_assert(!statement_is_dead(p, p->nstmts));
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_unused] = "true";
    Known known = {&issue, 1};
    const KnownPair pair = {"torch:eager,torch:dynamo", {NULL, NULL}};
    Finding f = located("status-x", "", "");
    f.sid = 1;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
    f.sid = 7;
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
    p = parse("{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[1,2],"
              "\"data\":[1,2]}],\"body\":[{\"op\":\"adaptive_max_pool1d\",\"self\":\"x\","
              "\"output_size\":[1],\"out\":[\"a\",\"b\"]}," OP0("neg_", "b") "],\"return\":[]}");
    ck_assert(statement_is_dead(p, 1)); /* neither result is the operand */
}
END_TEST

/* A compiler knows the flags and the dtype of what it does not compute; a size may depend on
 * values. */
START_TEST(asking_for_a_flag_needs_no_value) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[" OP1("exp", "x", "a") ",{\"probe\":\"is_leaf\",\"of\":\"a\"}," OP1(
            "sin", "x",
            "b") ",{\"assert\":{\"requires_grad\":\"b\"}}," OP1("cos", "x",
                                                                "c") ",{\"probe\":\"stride\","
                                                                     "\"of\":\"c\"}],\"return\":[]"
                                                                     "}");
    static const bool dead[] = {true, false, true, false, false, false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(dead));
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_msg(statement_is_dead(p, sid) == dead[sid], "statement %d", sid);
    }
}
END_TEST

START_TEST(a_block_is_dead_if_all_of_its_statements_are) {
    const Program *p = parse(
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[{\"with\":\"vmap\",\"body\":[" OP1(
            "exp", "x", "a") "]},{\"with\":"
                             "\"no_grad\",\"body\":[" OP1("neg", "x", "b") "," OP1(
                                 "sin", "b",
                                 "c") "]},{\"with\":"
                                      "\"no_grad\",\"body\":[" OP1("abs", "x", "d") "," OP0(
                                          "neg_", "x") "]}],\"return\":[\"c\"]}");
    static const bool dead[] = {true, true, false, false, false, false, true, false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(dead));
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_msg(statement_is_dead(p, sid) == dead[sid], "statement %d", sid);
    }
}
END_TEST

#define FILL(self) "{\"op\":\"fill_\",\"self\":\"" self "\",\"value\":1}"

/* A write that another one covers before it is read has no effect, not even on an input. */
START_TEST(a_write_is_dead_if_all_of_it_is_written_again_unread) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]},{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],\"data\":[1,2]}],\"body\":["
        /* 0: covered by 1; 1: read by 2; 3: covered by 5, 4 is about something else */
        OP0("neg_", "x") "," FILL("x") "," OP1("alias", "x", "v") "," OP0("neg_", "x") "," OP0(
            "abs_", "y") "," FILL("x") ","
        /* 6: through a view, of which 7 may write a part */
        OP0("neg_", "v") "," FILL("x") ","
        /* 8: 9 reads it */
        OP0("neg_", "y") ",{\"op\":\"copy_\",\"self\":\"y\",\"src\":\"y\"}],\"return\":[]}");
    static const bool dead[] = {true, false, false, true, false, false, false, false, false, false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(dead));
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_msg(statement_is_dead(p, sid) == dead[sid], "statement %d", sid);
    }
}
END_TEST

#define INTO(op, into, self) "{\"op\":\"" op "\",\"into\":\"" into "\",\"self\":\"" self "\"}"
#define SHARED(name, data)                                                                         \
    "{\"name\":\"" name "\",\"dtype\":\"float32\",\"size\":[2],\"storage\":\"s\"" data "}"

START_TEST(an_out_is_written_and_what_shares_its_memory_keeps_it) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]},{\"name\":\"y\",\"dtype\":\"float32\",\"size\":[2],\"data\":[1,2]}," SHARED(
            "p", ",\"data\":[1,2]") "," SHARED("q", "") "],\"body\":["
        /* 0: covered by 1; 1: read by 2; 2: read by 3 */
        INTO("neg", "x", "y") "," INTO("exp", "x", "y") "," INTO("abs", "y",
                                                                 "x") "," INTO("neg", "y", "y") ","
        /* 4: 5 reads it by another name; 6: 7 may leave a part of it to q */
        OP0("neg_", "p") "," OP0("abs_", "q") "," FILL("p") "," INTO("exp", "p",
                                                                     "y") "],"
                                                                          "\"return\":[]}");
    static const bool dead[] = {true, false, false, false, false, false, false, false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(dead));
    for (int sid = 0; sid < p->nstmts; sid++) {
        ck_assert_msg(statement_is_dead(p, sid) == dead[sid], "statement %d", sid);
    }
}
END_TEST

/* Only a kernel's view may share memory with its operand. */
START_TEST(the_result_of_a_kernel_is_no_view) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]},{\"name\":\"i\",\"dtype\":\"int64\",\"size\":[1],\"data\":[0]}],\"body\":["
        "{\"op\":\"take\",\"self\":\"x\",\"index\":\"i\",\"out\":\"a\"}," OP0(
            "neg_", "a") "],"
                         "\"return\":[]}");
    ck_assert(statement_is_dead(p, 0));
    ck_assert(statement_is_dead(p, 1));
    /* the kind that the program shows counts, where the one of a prefix differs */
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_unused] = "true";
    issue.signature = "status-*_vs_ok-*";
    Known known = {&issue, 1};
    const KnownPair pair = {"torch:eager,torch:dynamo", {NULL, NULL}};
    Finding f = located("status-index_range_vs_invalid-take", "", "");
    f.oracle = ORACLE_status;
    snprintf(f.kind, sizeof f.kind, "index_range_vs_ok");
    f.sid = 0;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
    snprintf(f.kind, sizeof f.kind, "index_range_vs_invalid");
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
}
END_TEST

/* Minimizing drops a block that a finding does not need; before that it may be there by chance. */
START_TEST(a_program_needs_a_block_if_it_is_minimized) {
    static const char *const form =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[{\"if\":{\"requires_grad\":\"x\"},\"then\":[{\"with\":\"checkpoint\","
        "\"use_"
        "reentrant\":%s,\"body\":[{\"op\":\"exp\",\"self\":\"x\",\"out\":\"a\"}]}]}],\"return\":["
        "\"x\"]}";
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_block] = "checkpoint";
    issue.asked[CONDITION_reentrant] = "true";
    Known known = {&issue, 1};
    const KnownPair pair = {"torch:eager,torch:dynamo", {NULL, NULL}};
    const Finding f = located("flags-requires_grad-exp", "", "");
    const Program *p = parse(arena_printf(&arena, form, "true"));
    ck_assert_ptr_eq(known_find(&known, &pair, p, true, &f), &issue);
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
    ck_assert_ptr_null(
        known_find(&known, &pair, parse(arena_printf(&arena, form, "false")), true, &f));
    issue.asked[CONDITION_reentrant] = NULL;
    ck_assert_ptr_eq(
        known_find(&known, &pair, parse(arena_printf(&arena, form, "false")), true, &f), &issue);
    issue.asked[CONDITION_block] = "autocast";
    ck_assert_ptr_null(known_find(&known, &pair, p, true, &f));
}
END_TEST

START_TEST(an_op_called_again_on_the_same_operands_is_repeated) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[" OP1("exp", "x", "a") "," OP1("exp", "a", "b") "," OP1(
            "exp", "x",
            "c") "," OP0("neg_",
                         "x") "," OP0("neg_",
                                      "x") ","
                                           "{\"op\":\"sort\",\"self\":\"x\",\"out\":[\"d\",\"i\"]},"
                                           "{\"op\":\"sort\",\"self\":\"x\",\"dim\":-1,"
                                           "\"descending\":false,\"out\":[\"e\",\"j\"]},"
                                           "{\"op\":\"sort\",\"self\":\"x\",\"dim\":0,\"out\":["
                                           "\"f\",\"k\"]},"
                                           "{\"op\":\"add\",\"self\":\"x\",\"other\":\"x\","
                                           "\"out\":\"l\"},{\"op\":\"add\",\"self\":\"x\","
                                           "\"other\":\"x\",\"alpha\":1,\"out\":\"m\"},"
                                           "{\"op\":\"add\",\"self\":\"x\",\"other\":\"x\","
                                           "\"alpha\":2,\"out\":\"n\"}],\"return\":[\"c\"]}");
    static const bool repeated[] = {false, false, true,  false, false, false,
                                    true,  false, false, true,  false},
                      equal[] = {true, false, true, false, false, true,
                                 true, false, true, true,  false};
    ck_assert_int_eq(p->nstmts, COUNT_OF(repeated));
    for (int sid = 0; sid < COUNT_OF(repeated); sid++) {
        ck_assert_msg(statement_is_repeated(p, sid) == repeated[sid], "statement %d", sid);
        ck_assert_msg(statement_has_equal(p, sid) == equal[sid], "statement %d", sid);
    }
    KnownIssue issue = any_issue();
    issue.asked[CONDITION_repeated] = "true";
    Known known = {&issue, 1};
    const KnownPair pair = {"torch:eager,torch:aot_eager", {NULL, NULL}};
    Finding f = located("alias-storage-exp", "", "");
    f.culprit = 2;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
    f.culprit = 1;
    ck_assert_ptr_null(known_find(&known, &pair, p, false, &f));
    f.subject = SUBJECT_RETURN; /* it was made by 2 */
    f.index = 0;
    ck_assert_ptr_eq(known_find(&known, &pair, p, false, &f), &issue);
}
END_TEST

START_TEST(a_name_is_unbound_if_nothing_binds_it) {
    const Program *p = parse(
        "{\"twingrad\":1,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"body\":[{\"if\":{\"requires_grad\":\"x\"},\"then\":[" OP1(
            "exp", "x", "a") "]}," OP1("exp", "b", "c") "],\"return\":[\"a\",\"c\",\"d\",\"b\"]}");
    ck_assert_int_eq(names_unbound(p), 2);
}
END_TEST

/* In a function: a return, what is saved, and what the backward returns; not None. */
START_TEST(what_a_function_returns_is_unbound_if_nothing_in_it_binds_it) {
    static const char format[] =
        "{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],\"data\":"
        "[1,2]}],\"functions\":[{\"name\":\"f\",\"params\":[\"a\",\"b\"],\"forward\":[" OP1(
            "exp", "a", "y") "],\"return\":[\"%s\"],\"save\":[\"%s\"],\"grad_outputs\":[\"g\"],"
                             "\"backward\":[" OP1(
                                 "neg", "g",
                                 "h") "],\"grad_inputs\":[\"%s\",null]},{\"name\":\"hook\","
                                      "\"params\":[\"g\"],\"forward\":[],\"return\":[\"%s\"]}],"
                                      "\"body\":[{\"op\":\"apply\",\"function\":\"f\","
                                      "\"operands\":[\"x\",\"x\"],\"out\":[\"z\"]}],"
                                      "\"return\":[\"z\"]}";
    static const struct {
        const char *returned, *saved, *gradient, *of_hook;
        int unbound;
    } cases[] = {{"y", "b", "h", "g", 0}, {"y", "y", "y", "g", 0}, {"x", "y", "h", "g", 1},
                 {"y", "x", "h", "g", 1}, {"y", "b", "y", "g", 1}, {"y", "b", "a", "y", 2}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, format, cases[i].returned, cases[i].saved, cases[i].gradient,
                 cases[i].of_hook);
        ck_assert_int_eq(names_unbound(parse(text)), cases[i].unbound);
    }
}
END_TEST

START_TEST(several_faults_are_seeded_at_once) {
    CompileOptions o = COMPILE_DEFAULT;
    char text[256];
    ck_assert_int_eq(faults_seeded(&o, 0), FAULT_NONE);
    for (int i = 0; i < 1 + COUNT_OF(o.also); i++) {
        ck_assert(faults_add(&o, (FaultId)i));
    }
    ck_assert(!faults_add(&o, FAULT_GU_2));
    ck_assert_int_eq(faults_seeded(&o, 2), 2);
    ck_assert_int_eq(faults_seeded(&o, 8), FAULT_NONE);
    ck_assert_ptr_nonnull(strstr(faults_text(&o, text, sizeof text), "stale_flags_of_base, "));
    faults_clear(&o);
    ck_assert_int_eq(faults_seeded(&o, 0), FAULT_NONE);
}

int main(void) {
    Suite *suite = suite_create("harness/known");
    TCase *tests = tcase_create("harness/known");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_known_issue_covers_by_signature_pair_and_cause);
    tcase_add_test(tests, a_known_issue_covers_what_the_program_itself_shows);
    tcase_add_test(tests, a_known_issue_covers_by_version_and_answer);
    tcase_add_test(tests, a_known_issue_covers_by_both_answers);
    tcase_add_test(tests, a_statement_is_dead_if_nothing_needs_its_result);
    tcase_add_test(tests, an_out_is_written_and_what_shares_its_memory_keeps_it);
    tcase_add_test(tests, a_block_is_dead_if_all_of_its_statements_are);
    tcase_add_test(tests, asking_for_a_flag_needs_no_value);
    tcase_add_test(tests, a_write_is_dead_if_all_of_it_is_written_again_unread);
    tcase_add_test(tests, the_result_of_a_kernel_is_no_view);
    tcase_add_test(tests, a_program_needs_a_block_if_it_is_minimized);
    tcase_add_test(tests, an_op_called_again_on_the_same_operands_is_repeated);
    tcase_add_test(tests, a_name_is_unbound_if_nothing_binds_it);
    tcase_add_test(tests, what_a_function_returns_is_unbound_if_nothing_in_it_binds_it);
    tcase_add_test(tests, several_faults_are_seeded_at_once);
    suite_add_tcase(suite, tests);
    return run_suite("harness/known", suite);
}
