/* JUnit XML, as CI systems read it (the form of Jenkins and GitLab). Stored programs are test
 * cases; for a fuzzing run, every signature is a failed case and every oracle that never fired a
 * passed one. Agreement passes, a finding is a failure, a crash or a timeout of a target and a bad
 * file are errors, skipped programs and known issues are skipped. There are no times, so that equal
 * runs give equal files. */
#include "harness/report/markup.h"
#include "harness/oracles/oracle.h"
#include "harness/report/results.h"

#include <stdio.h>
#include <string.h>

typedef enum Mark { PASSED, FAILURE, ERROR, SKIPPED, MARKS } Mark;
static const char *const TAGS[MARKS] = {NULL, "failure", "error", "skipped"};

static Mark mark_of(const char *outcome) {
    static const struct {
        const char *outcome;
        Mark mark;
    } MARK[] = {{"agree", PASSED},        {"new", FAILURE},         {"flaky", FAILURE},
                {"unconfirmed", FAILURE}, {"fixed", FAILURE},       {"bad", ERROR},
                {"known", SKIPPED},       {"skipped", SKIPPED},     {"not_expressible", SKIPPED},
                {"allowed", SKIPPED},     {"unreproduced", SKIPPED}};
    for (int i = 0; i < COUNT_OF(MARK); i++) {
        if (strcmp(outcome, MARK[i].outcome) == 0) {
            return MARK[i].mark;
        }
    }
    return ERROR;
}

/* Of a finding that fails the run, a crash ("crash", "crash_signal_6") or a timeout is an error. */
static Mark mark_of_finding(const char *outcome, const Json *f) {
    Mark mark = mark_of(outcome);
    const char *kind = results_text(f, "kind", "");
    bool dies = strncmp(kind, "crash", strlen("crash")) == 0 || strcmp(kind, "timeout") == 0;
    return mark == FAILURE && dies ? ERROR : mark;
}

typedef struct Suite {
    Markup *m;
    int count[MARKS];
} Suite;

/* `m` NULL: only counts. */
static void add_case(Suite *s, const char *class_name, const char *name, const char *file,
                     Mark mark, const char *message, const char *type, const char *text) {
    s->count[mark]++;
    if (!s->m) {
        return;
    }
    markup_open(s->m, "testcase", "name", name, "classname", class_name, "file", file, NULL);
    if (mark != PASSED) {
        markup_open(s->m, TAGS[mark], "message", message, mark == SKIPPED ? NULL : "type", type,
                    NULL);
        if (text && mark != SKIPPED) {
            markup_text(s->m, "%s", text);
        }
        markup_close(s->m);
    }
    markup_close(s->m);
}

/* The finding of a stored program, or NULL. */
static const Json *finding_of(const Json *root, const char *file) {
    const Json *f = results_list(root, "findings");
    while (f && strcmp(results_text(f, "file", ""), file) != 0) {
        f = f->next;
    }
    return f;
}

static const char *body_of(Arena *arena, const Json *f) {
    return f ? arena_printf(arena, "%s\nwhere: %s\nstatement: %s\nfirst: %s\nsecond: %s\n",
                            results_text(f, "signature", "?"), results_text(f, "where", "?"),
                            results_text(f, "statement", "?"), results_text(f, "a", "?"),
                            results_text(f, "b", "?"))
             : NULL;
}

static void add_finding(Suite *s, Arena *arena, const Json *f) {
    const char *outcome = results_text(f, "outcome", "new");
    add_case(s, results_text(f, "oracle", "?"), results_text(f, "signature", "?"),
             results_text(f, "file", NULL), mark_of_finding(outcome, f),
             arena_printf(arena, "%s: %s in %.0f programs", outcome,
                          results_text(f, "signature", "?"), results_number(f, "count")),
             results_text(f, "oracle", "?"), body_of(arena, f));
}

static void add_all(Suite *s, const Json *root, Arena *arena) {
    for (const Json *c = results_list(root, "cases"); c; c = c->next) {
        const char *file = results_text(c, "file", "?"), *outcome = results_text(c, "outcome", "?"),
                   *name = results_text(c, "name", "");
        const Json *f = finding_of(root, file);
        add_case(s, file, *name ? name : file, file, mark_of_finding(outcome, f),
                 results_text(c, "why", outcome), f ? results_text(f, "oracle", "?") : outcome,
                 body_of(arena, f));
    }
    if (results_list(root, "cases")) {
        return;
    }
    uint32_t fired = 0;
    for (const Json *f = results_list(root, "findings"); f; f = f->next) {
        add_finding(s, arena, f);
        for (int id = 0; id < ORACLE_COUNT; id++) {
            fired |=
                (uint32_t)(strcmp(results_text(f, "oracle", ""), oracle_name((OracleId)id)) == 0)
                << id;
        }
    }
    for (int id = 0; id < ORACLE_COUNT; id++) {
        if (!((fired >> id) & 1)) {
            add_case(s, oracle_name((OracleId)id), oracle_claim((OracleId)id), NULL, PASSED, NULL,
                     NULL, NULL);
        }
    }
}

void results_junit(const Json *root, Arena *arena, Text *out) {
    Suite count = {.m = NULL};
    add_all(&count, root, arena);
    char tests[32], failures[32], errors[32], skipped[32];
    snprintf(tests, sizeof tests, "%d",
             count.count[PASSED] + count.count[FAILURE] + count.count[ERROR] +
                 count.count[SKIPPED]);
    snprintf(failures, sizeof failures, "%d", count.count[FAILURE]);
    snprintf(errors, sizeof errors, "%d", count.count[ERROR]);
    snprintf(skipped, sizeof skipped, "%d", count.count[SKIPPED]);
    Suite s = {.m = markup_begin(true)};
    markup_open(s.m, "testsuites", "name", "twingrad", "tests", tests, "failures", failures,
                "errors", errors, "skipped", skipped, NULL);
    markup_open(s.m, "testsuite", "name",
                arena_printf(arena, "%s %s", results_text(root, "command", "?"),
                             results_text(root, "pair", "?")),
                "tests", tests, "failures", failures, "errors", errors, "skipped", skipped, NULL);
    add_all(&s, root, arena);
    markup_close(s.m);
    markup_close(s.m);
    markup_end(s.m, out);
}
