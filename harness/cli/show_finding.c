/* show --as issue, --as unittest: checks each program on the pair and prints its finding as a
 * report for PyTorch's tracker, or as a unit test. For a target, the report also says which modes
 * and installed releases show it, and what the script prints. */
#include "harness/cli/command.h"
#include "harness/filing/issue.h"
#include "harness/filing/report.h"
#include "harness/triage/locate.h"

#include <stdio.h>
#include <string.h>

typedef struct ShowFinding {
    const Options *options;
    Checker checker;
    Arena arena;
    int code;
} ShowFinding;

static void show_finding_each(void *user, const char *source, const Program *p) {
    ShowFinding *s = user;
    CheckResult out;
    check_program(&s->checker, p, &s->arena, &out);
    if (out.verdict != FINDING) {
        s->code = worst(
            s->code, complain(EXIT_BAD_INPUT, "%s shows no finding on %s: %s",
                              printable(&s->arena, source), s->checker.pair,
                              out.verdict == AGREE ? "the executors agree" : skip_name(out.skip)));
        return;
    }
    check_locate(&s->checker, p, &out.finding, &s->arena);
    const Target *target = executor_is_external_compiler(&s->checker.b)   ? s->checker.b.target
                           : executor_is_external_compiler(&s->checker.a) ? s->checker.a.target
                                                                          : NULL;
    IssueFacts facts;
    Issue issue = {.program = p,
                   .finding = &out.finding,
                   .a = out.a,
                   .mode = target ? target_mode(target) : NULL,
                   .version = target ? target_version(target) : NULL,
                   .options = report_pair_options(&s->arena, &s->checker)};
    bool test = strcmp(s->options->as, "unittest") == 0;
    if (target && !test) {
        char message[1024];
        const TargetSettings settings = target_settings(s->options);
        int code = issue_gather(&s->arena, &s->checker, &s->options->compile, &settings, &issue,
                                &facts, message, sizeof message);
        if (code != 0) {
            s->code = worst(s->code, complain(code, "%s", message));
        } else {
            issue.facts = &facts;
        }
    }
    Text t = {.arena = &s->arena};
    (test ? issue_unittest : issue_print)(&t, &issue);
    fwrite(t.v, 1, (size_t)t.n, stdout);
}

int show_finding(const Options *o) {
    ShowFinding s = {.options = o, .arena = ARENA_EMPTY};
    return each_checked(o, &s.checker, &s.arena, &s.code, show_finding_each, &s);
}
