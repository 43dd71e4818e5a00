/* Files of results (harness/report/results.h) that come from elsewhere. */
#include "harness/report/merge.h"
#include "tests/support/runner.h"

#include <string.h>

static const char RUN[] =
    "{\"type\":\"results\",\"schema_version\":1,\"twingrad\":\"0.6.0\",\"compiler\":\"gcc\","
    "\"command\":\"fuzz\",\"pair\":\"reference,compiled\",\"fault\":\"f\",\"seed\":1,\"shard\":\"1/"
    "2\",\"summary\":{\"type\":\"summary\",\"schema_version\":1,\"programs\":300,\"statements\":"
    "2569,\"agree\":277,\"findings\":18,\"refusals\":64,\"errors\":{\"overlap\":2},\"skipped\":5,"
    "\"skips\":{\"doubt\":1},\"fired\":{\"trace\":10},\"signatures\":[{\"signature\":\"values-data-"
    "mul\",\"count\":16,\"first\":9,\"statements\":2}],\"interrupted\":false,\"unlisted\":0,"
    "\"groups\":[{\"group\":\"capture/flags\",\"standing\":\"new\",\"findings\":16,\"signatures\":"
    "1,\"first\":9,\"issue\":\"https://x.org/1\"},{\"group\":\"cse\",\"standing\":\"new\","
    "\"findings\":2,\"signatures\":1,\"first\":192,\"with\":\"capture/flags\"}],\"ops\":{\"zeros\":"
    "27},\"executed\":{\"zeros\":25,\"eye\":0},\"dtypes\":{\"bool\":90},\"motifs\":{\"older_view\":"
    "3},\"mistakes\":{\"dim\":0},\"sizes\":{\"0\":98},\"features\":{\"half\":1},\"op_dtypes\":{"
    "\"zeros\":{\"bool\":1}},\"rules\":{\"fold_store\":0},\"passes\":{\"cse\":122},\"growth\":[{"
    "\"programs\":2,\"rules\":16,\"ops\":17,\"op_dtypes\":15,\"errors\":1,\"signatures\":0,"
    "\"seconds\":0.1},{\"programs\":300,\"rules\":20,\"ops\":30,\"op_dtypes\":20,\"errors\":2,"
    "\"signatures\":2,\"seconds\":0.2}],\"seconds\":0.2,\"programs_per_second\":1456.3},"
    "\"findings\":[{\"outcome\":\"new\",\"file\":\"a.json:2\",\"count\":16,\"first\":9,"
    "\"statements\":2,\"op\":\"mul\",\"group\":\"cse\",\"signature\":\"values-data-mul\","
    "\"oracle\":\"values\",\"kind\":\"data\",\"call\":0,\"where\":\"return[0]\",\"statement\":"
    "\"body[0]\",\"cause\":{\"text\":\"cse\",\"stage\":\"cse\",\"step\":\"x\"},\"a\":\"1\",\"b\":"
    "\"2\",\"fired\":[\"values\"]}],\"cases\":[{\"file\":\"b.json\",\"name\":\"b\",\"outcome\":"
    "\"skipped\",\"why\":\"doubt\"}]}";

static Arena arena;
static char message[1024];

static void setup(void) { arena = (Arena)ARENA_EMPTY; }
static void teardown(void) { arena_destroy(&arena); }

static const Json *parse(const char *text) {
    message[0] = '\0';
    return results_parse(&arena, "r.json", text, (int64_t)strlen(text), message, sizeof message);
}

/* Every form of the results, merged with `other` in both orders, and compared. */
static void print_all(const Json *root, const Json *other) {
    void (*const print[])(const Json *, Arena *, Text *) = {results_html, results_junit,
                                                            results_sarif, results_markdown};
    for (int i = 0; i < COUNT_OF(print); i++) {
        Text out = {.arena = &arena};
        print[i](root, &arena, &out);
    }
    char *const name[] = {"r.json", "s.json"};
    const Json *const both[] = {root, other}, *const reversed[] = {other, root};
    int n;
    for (int i = 0; i < 2; i++) {
        Text out = {.arena = &arena};
        if (results_merge(i ? reversed : both, name, 2, &arena, &out, message, sizeof message) ==
            0) {
            ck_assert_msg(parse(out.v) != NULL, "%s\n%s", message, out.v);
        }
        results_compare(both[i], both[1 - i], &arena, &n);
    }
}

/* A value in the place of another: its text. */
static const char *const VALUES[] = {
    "null", "true", "7",    "-1e308", "18446744073709551615", "\"x\"",
    "[]",   "[7]",  "[{}]", "{}",     "{\"x\":true}",         "{\"x\":{\"y\":7}}"};

/* The tree as text, with `value` in the place of the node `changed`. */
static void print_changed(Text *out, const Json *j, const Json *changed, const char *value) {
    bool list = j->kind == JSON_ARRAY;
    if (j == changed) {
        text_add(out, value);
    } else if (list || j->kind == JSON_OBJECT) {
        text_add(out, list ? "[" : "{");
        for (const Json *c = j->child; c; c = c->next) {
            text_add(out, c->index ? "," : "");
            if (c->key) {
                text_json_string(out, c->key);
                text_add(out, ":");
            }
            print_changed(out, c, changed, value);
        }
        text_add(out, list ? "]" : "}");
    } else {
        text_json(out, j);
    }
}

static int accepted, rejected;

/* Each of VALUES in the place of each node below `at`. */
static void change_each(const Json *root, const Json *at, const Json *other) {
    for (int i = 0; i < COUNT_OF(VALUES); i++) {
        Text text = {.arena = &arena};
        print_changed(&text, root, at, VALUES[i]);
        const Json *changed = parse(text.v);
        if (changed) {
            accepted++;
            print_all(changed, other);
        } else {
            rejected++;
            ck_assert_msg(strncmp(message, "r.json: ", 8) == 0, "%s", message);
        }
    }
    for (const Json *c = at->child; c; c = c->next) {
        change_each(root, c, other);
    }
}

START_TEST(results_with_any_value_of_another_kind_are_refused_or_printed) {
    const Json *root = parse(RUN);
    ck_assert_msg(root != NULL, "%s", message);
    Text text = {.arena = &arena};
    print_changed(&text, root, json_get(root, "shard"), "\"2/2\"");
    const Json *other = parse(text.v);
    print_all(root, other);
    accepted = rejected = 0;
    change_each(root, root, other);
    ck_assert_int_gt(accepted, 150);
    ck_assert_int_gt(rejected, 500);
}
END_TEST

static void refused(const char *text, const char *said) {
    ck_assert_ptr_null(parse(text));
    ck_assert_str_eq(message, said);
}

START_TEST(results_of_a_campaign_are_accepted) {
    ck_assert_msg(parse("{\"type\":\"results\",\"schema_version\":1,\"command\":\"fuzz\","
                        "\"summary\":{\"engine\":\"builtin\",\"jobs\":2,\"corpus\":3,"
                        "\"features\":12,\"judged\":4,\"signatures\":[{\"signature\":\"s\","
                        "\"count\":1,\"first\":0,\"outcome\":\"new\"}]}}") != NULL,
                  "%s", message);
}
END_TEST

START_TEST(the_page_says_that_nothing_differed_only_if_nothing_did) {
    for (int findings = 0; findings < 2; findings++) {
        const Json *root =
            parse(arena_printf(&arena,
                               "{\"type\":\"results\",\"schema_version\":1,\"command\":\"fuzz\","
                               "\"summary\":{\"findings\":%d},\"findings\":[]}",
                               findings));
        Text page = {.arena = &arena};
        results_html(root, &arena, &page);
        ck_assert_int_eq(strstr(page.v, "Nothing differed") != NULL, findings == 0);
    }
}
END_TEST

START_TEST(a_value_of_another_kind_is_refused_by_its_path) {
#define HEAD "{\"type\":\"results\",\"schema_version\":1,"
    refused(HEAD "\"summary\":{\"passes\":{\"concat\":true}}}",
            "r.json: summary.passes.concat: expected a number, found a boolean");
    refused(HEAD "\"summary\":{\"op_dtypes\":{\"add\":{\"bool\":\"1\"}}}}",
            "r.json: summary.op_dtypes.add.bool: expected a number, found a string");
    refused(HEAD "\"summary\":[]}", "r.json: summary: expected an object, found an array");
    refused(HEAD "\"summary\":{\"growth\":[{\"seconds\":1e300}]}}",
            "r.json: summary.growth[0].seconds: the number is beyond 2^53");
    refused(HEAD "\"findings\":[{\"cause\":\"cse\"}]}",
            "r.json: findings[0].cause: expected an object, found a string");
    refused(HEAD "\"findings\":{}}",
            "r.json: findings: expected an array of objects, found an object");
    refused(HEAD "\"seed\":1e999}", "r.json: seed: the number is beyond float64");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("results");
    TCase *tcase = tcase_create("results");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, results_with_any_value_of_another_kind_are_refused_or_printed);
    tcase_add_test(tcase, results_of_a_campaign_are_accepted);
    tcase_add_test(tcase, the_page_says_that_nothing_differed_only_if_nothing_did);
    tcase_add_test(tcase, a_value_of_another_kind_is_refused_by_its_path);
    suite_add_tcase(suite, tcase);
    return run_suite("harness/results", suite);
}
