/* Groups of findings, and which of them are joined. */
#include "harness/triage/group.h"
#include "tests/support/harness_case.h"

static void add_finding(Groups *groups, const Finding *f, FindingStatus status, int64_t first,
                        bool is_new) {
    group_add(groups, &(GroupFinding){.key = group_key(f),
                                      .signature = f->signature,
                                      .status = status,
                                      .first = first,
                                      .count = 1,
                                      .is_new = is_new});
}

START_TEST(a_group_is_one_cause_or_one_signature) {
    Groups groups = groups_new(&arena);
    Finding f = {.signature = "values-data-exp-cse",
                 .cause = {.stage = "cse", .text = "cse", .group = "cse"}},
            g = {.signature = "values-data-sin-cse",
                 .cause = {.stage = "cse", .text = "cse/again", .group = "cse"}},
            h = {.signature = "values-data-sin"};
    add_finding(&groups, &f, STATUS_KNOWN, 7, true);
    add_finding(&groups, &g, STATUS_KNOWN, 8, true);
    add_finding(&groups, &h, STATUS_FLAKY, 9, true);
    ck_assert_int_eq(groups.n, 2);
    ck_assert_str_eq(groups.group[1].key, "values-data-sin");
    ck_assert_int_eq(groups.group[0].signatures, 2);
    ck_assert_int_eq(groups.group[0].first, 7);
    ck_assert_int_eq(group_status(&groups.group[0]), STATUS_KNOWN);
    add_finding(&groups, &f, STATUS_NEW, 10, false);
    ck_assert_int_eq(group_status(&groups.group[0]), STATUS_NEW);
    ck_assert_int_eq(group_status(&groups.group[1]), STATUS_FLAKY);
    ck_assert_int_eq(group_count(&groups.group[0]), 3);
}
END_TEST

START_TEST(the_first_program_of_a_group_is_that_with_the_lowest_number) {
    Groups groups = groups_new(&arena);
    Finding f = {.signature = "values-data-exp", .cause = {.group = "cse"}};
    add_finding(&groups, &f, STATUS_NEW, 42080, true); /* a campaign adds them by signature */
    add_finding(&groups, &f, STATUS_NEW, 9, true);
    add_finding(&groups, &f, STATUS_NEW, 17, true);
    ck_assert_int_eq(groups.group[0].first, 9);
}
END_TEST

static void add_group(Groups *groups, const char *key, const char *signature, int64_t count,
                      const KnownIssue *issue) {
    group_add(groups, &(GroupFinding){.key = key,
                                      .signature = signature,
                                      .status = issue ? STATUS_KNOWN : STATUS_NEW,
                                      .issue = issue,
                                      .first = groups->n,
                                      .count = count,
                                      .is_new = true});
}

START_TEST(attributed_groups_that_mostly_begin_at_one_op_are_joined) {
    static const char *const others[] = {"add", "sub", "div", "neg", "exp"};
    Groups groups = groups_new(&arena);
    add_group(&groups, "capture/size", "metadata-size-mul", 7, NULL);
    add_group(&groups, "capture/flags", "trace-requires_grad-mul", 4, NULL);
    add_group(&groups, "joint", "gradients-data-mul_", 2, NULL); /* in place: the same op */
    for (int i = 0; i < COUNT_OF(others); i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "values-data-%s", others[i]);
        add_group(&groups, "capture/size", signature, 1, NULL);
        add_group(&groups, "capture/flags", signature, 1, NULL);
    }
    groups_join(&groups);
    ck_assert_int_eq(groups.n, 3);
    ck_assert_int_eq(groups.group[0].with, -1);
    ck_assert_int_eq(groups.group[1].with, -1); /* 4 of 9 */
    ck_assert_int_eq(groups.group[2].with, 0);  /* 7 of 12, and all */
    Text text = {.arena = &arena};
    groups_json(&groups, &text);
    ck_assert_ptr_nonnull(strstr(text.v, "\"first\":2,\"with\":\"capture/size\""));
    text.n = 0;
    groups_text(&groups, &text);
    ck_assert_ptr_nonnull(strstr(text.v, "2 groups:\n  capture/size "));
    ck_assert_ptr_nonnull(strstr(text.v, "\n  + joint "));
}
END_TEST

START_TEST(attributed_groups_that_share_one_of_few_ops_are_joined) {
    Groups groups = groups_new(&arena);
    add_group(&groups, "capture/size", "metadata-size-mul", 1, NULL);
    add_group(&groups, "capture/size", "metadata-size-add", 1, NULL);
    add_group(&groups, "capture/dtype", "metadata-dtype-add", 1, NULL);
    add_group(&groups, "capture/dtype", "metadata-dtype-sub", 1, NULL);
    add_group(&groups, "capture/dtype", "metadata-dtype-neg", 1, NULL);
    groups_join(&groups);
    ck_assert_int_eq(groups.group[1].with, 0);
    add_group(&groups, "capture/size", "metadata-size-exp", 1, NULL); /* five ops */
    groups_join(&groups);
    ck_assert_int_eq(groups.group[1].with, -1);
}
END_TEST

static void add_program(Groups *groups, const char *key, const char *signature, const char *ops) {
    group_add(groups, &(GroupFinding){.key = key,
                                      .signature = signature,
                                      .first = groups->n,
                                      .count = 1,
                                      .is_new = true,
                                      .ops = ops});
}

START_TEST(a_stray_joins_the_group_whose_programs_all_have_one_of_its_ops) {
    static const char *const others[] = {"add", "sub", "div", "neg", "exp", "sin", "cos", "tan"};
    Groups groups = groups_new(&arena);
    char ops[64];
    for (int i = 0; i < COUNT_OF(others); i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "values-data-%s", others[i]);
        snprintf(ops, sizeof ops, "%s mulx contiguous", others[i]);
        if (i == 7) { /* seven are too few */
            add_program(&groups, "joint", "gradients-data-backward", "relu contiguous");
            groups_join(&groups);
            ck_assert_int_eq(groups.group[1].with, -1);
        }
        add_program(&groups, "capture/storage", signature, ops);
    }
    add_program(&groups, "capture/flags", "trace-requires_grad-relu", "relu mul add");
    add_program(&groups, "plan", "values-data-relu-plan", "relu contiguous"); /* a pass */
    groups_join(&groups);
    ck_assert_int_eq(groups.n, 4);
    ck_assert_int_eq(groups.group[0].with, -1);
    ck_assert_int_eq(groups.group[1].with, 0);
    ck_assert_int_eq(groups.group[2].with, -1); /* add: one of eight; mul: mulx is another op */
    ck_assert_int_eq(groups.group[3].with, -1);
    add_program(&groups, "joint", "gradients-data-backward", "relu neg"); /* one of two */
    groups_join(&groups);
    ck_assert_int_eq(groups.group[1].with, -1);
}
END_TEST

START_TEST(the_ops_of_a_program_are_named_once_each) {
    const Program *p =
        parse("{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
              "\"data\":[1,2]}],\"functions\":[{\"name\":\"f\",\"params\":[\"a\"],"
              "\"forward\":[{\"op\":\"sin\",\"self\":\"a\",\"out\":\"y\"}],\"return\":[\"y\"],"
              "\"grad_outputs\":[\"g\"],\"backward\":[],\"grad_inputs\":[\"g\"]}],"
              "\"setup\":[{\"op\":\"neg\",\"self\":\"x\",\"out\":\"a\"}],\"args\":[\"a\"],"
              "\"body\":[{\"op\":\"mul_\",\"self\":\"a\",\"other\":{\"int\":2}},"
              "{\"with\":\"no_grad\",\"body\":[{\"op\":\"mul\",\"self\":\"a\","
              "\"other\":{\"int\":2},\"out\":\"b\"}]},"
              "{\"op\":\"apply\",\"function\":\"f\",\"operands\":[\"a\"],\"out\":[\"c\"]}],"
              "\"return\":[\"c\"]}");
    ck_assert_str_eq(group_ops(&arena, p), "neg mul apply");
}
END_TEST

START_TEST(calls_with_out_foreach_and_gradients_are_among_the_ops_of_a_program) {
    const Program *p =
        parse("{\"twingrad\":2,\"inputs\":[{\"name\":\"x\",\"dtype\":\"float32\",\"size\":[2],"
              "\"requires_grad\":true,\"data\":[1,2]},{\"name\":\"z\",\"dtype\":\"float32\","
              "\"size\":[2],\"data\":[1,2]}],"
              "\"body\":[{\"op\":\"abs\",\"into\":\"z\",\"self\":\"z\",\"out\":\"a\"},"
              "{\"op\":\"_foreach_neg\",\"self\":[\"z\"],\"out\":[\"b\"]},"
              "{\"op\":\"mul\",\"self\":\"x\",\"other\":{\"int\":2},\"out\":\"c\"},"
              "{\"op\":\"grad\",\"outputs\":[\"c\"],\"inputs\":[\"x\"],\"out\":[\"d\"]},"
              "{\"assert\":{\"requires_grad\":\"x\"}}],\"return\":[\"c\"],"
              "\"after\":[{\"op\":\"set_grad\",\"self\":\"x\",\"grad\":\"z\"}]}");
    ck_assert_str_eq(group_ops(&arena, p), "abs out _foreach_neg _foreach mul grad set_grad");
}
END_TEST

START_TEST(groups_with_a_step_or_an_issue_or_without_an_op_stay_apart) {
    const KnownIssue issue = {.issue = "https://example.org/1"};
    Groups groups = groups_new(&arena);
    add_group(&groups, "capture/size", "metadata-size-mul", 1, NULL);
    add_group(&groups, "cse", "values-data-mul-cse", 1, NULL);              /* a pass */
    add_group(&groups, "guard", "values-data-mul", 1, NULL);                /* bisected, too */
    add_group(&groups, "capture/data", "values-data-mul", 1, &issue);       /* known */
    add_group(&groups, "capture/path", "trace-path-program", 1, NULL);      /* no op */
    add_group(&groups, "capture/dtype", "metadata-dtype-program", 1, NULL); /* nor here */
    add_group(&groups, "captured", "values-data-mul", 1, NULL);             /* no stage */
    groups_join(&groups);
    for (int i = 0; i < groups.n; i++) {
        ck_assert_int_eq(groups.group[i].with, -1);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("harness/groups");
    TCase *tests = tcase_create("harness/groups");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_group_is_one_cause_or_one_signature);
    tcase_add_test(tests, the_first_program_of_a_group_is_that_with_the_lowest_number);
    tcase_add_test(tests, attributed_groups_that_mostly_begin_at_one_op_are_joined);
    tcase_add_test(tests, attributed_groups_that_share_one_of_few_ops_are_joined);
    tcase_add_test(tests, a_stray_joins_the_group_whose_programs_all_have_one_of_its_ops);
    tcase_add_test(tests, the_ops_of_a_program_are_named_once_each);
    tcase_add_test(tests, calls_with_out_foreach_and_gradients_are_among_the_ops_of_a_program);
    tcase_add_test(tests, groups_with_a_step_or_an_issue_or_without_an_op_stay_apart);
    suite_add_tcase(suite, tests);
    return run_suite("harness/groups", suite);
}
