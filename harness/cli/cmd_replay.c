/* replay: checks stored programs again: the executors of the pair against each other, and each
 * against the program's `expect`. `x-exact` and `x-zero-sign` beside an `expect` say how its
 * numbers are to be compared. A file whose ops are unknown is counted as not expressible.
 *
 * Every finding has a status (known.h): new; known, when --known lists it; flaky, when repeating
 * the check does not show it every time. Then the programs of the known issues are checked: an
 * issue that its program no longer shows is fixed. Only new and flaky findings make the run fail.
 */
#include "harness/cli/command.h"
#include "harness/triage/known.h"
#include "harness/filing/report.h"
#include "harness/report/results.h"
#include "harness/report/tally.h"
#include "harness/util/interrupt.h"

#include <stdio.h>
#include <string.h>

typedef struct ReplayState {
    const Options *options;
    Checker checker;
    Arena arena;
    int code;
    int64_t programs, agreed, findings, inexpressible, bad, compared, left;
    int64_t skips[SKIP_COUNT];
    int64_t status[STATUS_COUNT];
    Known known;
    Arena home; /* as long as the command: what `known` and `results` hold */
    Results results;
} ReplayState;

/* Is the member `"key": true` among the members that json_extra has printed, not inside a value? */
static bool extra_is_true(const char *members, const char *key) {
    size_t n = strlen(key);
    int depth = 0;
    for (const char *at = members; at && *at; at++) {
        if (*at == '"') {
            bool found = depth == 0 && strncmp(at + 1, key, n) == 0 &&
                         strncmp(at + 1 + n, "\": true", strlen("\": true")) == 0;
            if (found) {
                return true;
            }
            for (at++; *at != '"' && *at; at++) {
                at += *at == '\\' && at[1] != '\0';
            }
            if (!*at) {
                break;
            }
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            depth--;
        }
    }
    return false;
}

/* A finding of a stored program, for the files of results. */
static void cmd_replay_keep(ReplayState *s, const char *source, const Program *p,
                            const CheckResult *out, FindingStatus status) {
    Text record = {.arena = &s->arena};
    report_finding_json(&record, p, &out->finding, out->fired);
    results_add_finding(&s->results, &(ResultsFinding){.outcome = finding_status_name(status),
                                                       .file = source,
                                                       .signature = out->finding.signature,
                                                       .record = record.v,
                                                       .count = 1,
                                                       .first = -1,
                                                       .statements = program_size(p)});
}

enum { REPEATS = 3 /* of a check that found something */ };

/* Does the same check find it every time? */
static bool always_shows(ReplayState *s, const Program *p, const Finding *f) {
    Checker again = s->checker; /* the counters stay */
    for (int i = 0; i < REPEATS; i++) {
        CheckResult out;
        check_program(&again, p, &s->arena, &out);
        if (out.verdict != FINDING || !(out.fired >> f->oracle & 1)) {
            return false;
        }
    }
    return true;
}

/* Counts the finding; is it one that fails the run? */
static FindingStatus cmd_replay_sort_finding(ReplayState *s, const Program *p, const Finding *f,
                                             const char *against, bool steady,
                                             const KnownIssue **issue) {
    KnownPair pair = known_pair(&s->checker);
    pair.name = against;
    KnownIssue *known = known_find(&s->known, &pair, p, true, f);
    FindingStatus status = known ? STATUS_KNOWN : steady ? STATUS_NEW : STATUS_FLAKY;
    if (known) {
        known->seen++;
    } else {
        s->code = worst(s->code, EXIT_FINDINGS);
    }
    s->status[status]++;
    *issue = known;
    return status;
}

/* The status that a program with several findings is listed with. */
static FindingStatus more_urgent(FindingStatus a, FindingStatus b) {
    return a == STATUS_NEW || (a == STATUS_FLAKY && b == STATUS_KNOWN) ? a : b;
}

static FindingStatus replay_report(ReplayState *s, const char *source, const Program *p,
                                   const char *against, const CheckResult *out, bool steady) {
    const Finding *f = &out->finding;
    const KnownIssue *issue;
    FindingStatus status = cmd_replay_sort_finding(s, p, f, against, steady, &issue);
    Text t = {.arena = &s->arena};
    cmd_replay_keep(s, source, p, out, status);
    if (s->options->json) {
        text_add(&t, "{\"type\":\"finding\",\"schema_version\":1,\"file\":");
        text_json_string(&t, source);
        text_printf(&t, ",\"pair\":\"%s\",\"standing\":\"%s\",\"finding\":", against,
                    finding_status_name(status));
        report_finding_json(&t, p, f, out->fired);
        text_add(&t, "}\n");
    } else if (issue) {
        text_printf(&t, "%s: known %s (%s): %s\n", title_of(&s->arena, source, p), f->signature,
                    against, issue->issue);
    } else {
        text_printf(&t, "%s: %sFINDING%s %s (%s)%s\n", title_of(&s->arena, source, p),
                    color("\033[31m"), color("\033[0m"), f->signature, against,
                    status == STATUS_FLAKY ? ", flaky: not every time" : "");
        text_printf(&t, "  oracle     %s: %s\n", oracle_name(f->oracle), oracle_claim(f->oracle));
        text_printf(&t, "  where      %s\n  first      %s\n  second     %s\n",
                    finding_location(&s->arena, p, f), f->a, f->b);
    }
    fputs(t.v, stdout);
    return status;
}

static bool has_float32(const Program *p) {
    for (int i = 0; i < p->ninputs; i++) {
        if (p->inputs[i].dtype == DT_float32) {
            return true;
        }
    }
    return false;
}

/* One executor's result against the recording. */
static Verdict against_expect(ReplayState *s, const Source *source, const Program *p,
                              const char *name, const Result *r, SkipReason *skip,
                              FindingStatus *status) {
    NumberRule rule = !extra_is_true(p->extra, "x-exact")
                          ? (has_float32(p) ? RULE_TOLERANT_SINGLE : RULE_TOLERANT)
                      : extra_is_true(p->extra, "x-zero-sign") ? RULE_RECORDED_ZERO_SIGN
                                                               : RULE_RECORDED;
    CheckResult out;
    check_results(&s->checker, p, r, p->expect, rule, &s->arena, &out);
    s->compared++;
    if (out.verdict == FINDING) {
        Finding *f = &out.finding;
        snprintf(f->signature, sizeof f->signature, "%s-%s-expect", oracle_name(f->oracle),
                 f->kind);
        finding_breakpoint(f);
        *status = more_urgent(*status, replay_report(s, source->name, p,
                                                     arena_printf(&s->arena, "%s,expect", name),
                                                     &out, true));
    }
    *skip = out.skip;
    return out.verdict;
}

static void cmd_replay_each(void *user, const Source *source) {
    ReplayState *s = user;
    if (interrupt_came()) {
        s->left++;
        return;
    }
    arena_reset(&s->arena);
    Program *p;
    bool known = true;
    int code = load_program(s->options, &s->arena, source, &p, &known);
    s->programs++;
    if (code != 0) {
        s->inexpressible += !known;
        s->bad += known;
        s->code = worst(s->code, known ? code : EXIT_AGREE);
        results_add_case(&s->results, source->name, NULL, known ? "bad" : "not_expressible",
                         known ? "not a program" : "names an op that the table does not have");
        return;
    }
    CheckResult out;
    check_program(&s->checker, p, &s->arena, &out);
    Verdict verdict = out.verdict;
    SkipReason skip = out.skip;
    FindingStatus status = STATUS_COUNT; /* none */
    const Result *results[2] = {out.a, out.b};
    if (verdict == FINDING) {
        check_locate(&s->checker, p, &out.finding, &s->arena);
        finding_breakpoint(&out.finding);
        status = replay_report(s, source->name, p, s->checker.pair, &out,
                               always_shows(s, p, &out.finding));
    }
    for (int k = 0; k < 2 && p->expect; k++) {
        SkipReason why;
        Verdict v = against_expect(s, source, p, k ? s->checker.b.name : s->checker.a.name,
                                   results[k], &why, &status);
        if (v == FINDING || (v == SKIP && verdict == AGREE)) {
            verdict = v;
            skip = why;
        }
    }
    results_add_case(&s->results, source->name, p->name,
                     verdict == AGREE  ? "agree"
                     : verdict == SKIP ? "skipped"
                                       : finding_status_name(status),
                     verdict == SKIP ? skip_name(skip) : NULL);
    s->agreed += verdict == AGREE;
    s->findings += verdict == FINDING;
    s->skips[skip] += verdict == SKIP;
}

/* ---- known issues ---- */

typedef struct Retest {
    ReplayState *state;
    KnownIssue *issue;
    bool shows, tested;
} Retest;

static void retest_source(void *user, const Source *source) {
    Retest *r = user;
    ReplayState *s = r->state;
    arena_reset(&s->arena);
    Program *p;
    int code = load_program(s->options, &s->arena, source, &p, NULL);
    s->code = worst(s->code, code);
    for (int i = 0; code == 0 && i < REPEATS && !r->shows;
         i++) { /* a flaky one may need several tries */
        Checker again = s->checker;
        CheckResult out;
        check_program(&again, p, &s->arena, &out);
        r->tested = true;
        if (out.verdict == FINDING) {
            check_locate(&again, p, &out.finding, &s->arena);
            const KnownPair pair = known_pair(&s->checker);
            r->shows = known_find(&(Known){r->issue, 1}, &pair, p, true, &out.finding) != NULL;
        }
    }
}

static void replay_report_issue(ReplayState *s, const KnownIssue *k, FindingStatus status) {
    Text t = {.arena = &s->arena};
    if (s->options->json) {
        text_printf(&t,
                    "{\"type\":\"issue\",\"schema_version\":1,\"standing\":\"%s\",\"signature\":",
                    finding_status_name(status));
        text_json_string(&t, k->signature);
        text_add(&t, ",\"issue\":");
        text_json_string(&t, k->issue);
        text_printf(&t, ",\"date\":\"%s\",\"note\":", k->date);
        text_json_string(&t, k->note);
        text_add(&t, "}\n");
    } else {
        text_printf(
            &t, "%s: %s (%s, %s)%s\n", finding_status_name(status), k->signature, k->issue, k->date,
            status == STATUS_FIXED ? ": its program no longer shows it, remove it from the list"
                                   : "");
    }
    fputs(t.v, stdout);
}

static void replay_retest(ReplayState *s) {
    for (int i = 0; i < s->known.n && !interrupt_came(); i++) {
        KnownIssue *k = &s->known.issue[i];
        const KnownPair pair = known_pair(&s->checker);
        if (!known_applies(k, &pair) || !k->program) {
            continue;
        }
        Retest r = {s, k, false, false};
        io_each(k->program, false, retest_source, &r);
        if (r.tested) {
            s->status[STATUS_FIXED] += !r.shows;
            replay_report_issue(s, k, r.shows ? STATUS_KNOWN : STATUS_FIXED);
            results_add_case(&s->results, k->program, k->signature,
                             finding_status_name(r.shows ? STATUS_KNOWN : STATUS_FIXED), k->issue);
        }
    }
}

/* Before all checks: announces the programs. Errors of a source are reported when it is checked. */
static void cmd_replay_collect(void *user, const Source *source) {
    ReplayState *s = user;
    arena_reset(&s->arena);
    Program *p;
    char message[512];
    if (source->status == IO_OK &&
        program_parse_within(&s->arena, source->text, (size_t)source->length, &s->options->limits,
                             &p, message, sizeof message) == PARSE_OK &&
        program_verify_within(p, &s->options->limits, message, sizeof message)) {
        check_collect(&s->checker, p, &s->arena);
    }
}

static void cmd_replay_summary_text(const ReplayState *s, Text *t) {
    text_printf(t,
                "%s%lld programs: %lld agreed, %lld findings, %lld not expressible, %lld bad; %lld "
                "comparisons with a recorded result; skipped:",
                interrupt_came() ? "interrupted: " : "", (long long)s->programs,
                (long long)s->agreed, (long long)s->findings, (long long)s->inexpressible,
                (long long)s->bad, (long long)s->compared);
    int n = 0;
    for (int k = 1; k < SKIP_COUNT; k++) {
        if (s->skips[k] > 0) {
            text_printf(t, " %s %lld", skip_name((SkipReason)k), (long long)s->skips[k]);
            n++;
        }
    }
    text_add(t, n ? "" : " none");
    if (s->known.n > 0) {
        text_printf(t, "\n%d known issue%s:", s->known.n, s->known.n == 1 ? "" : "s");
        for (int k = 0; k <= STATUS_FLAKY; k++) {
            text_printf(t, "%s %s %lld", k ? "," : "", finding_status_name((FindingStatus)k),
                        (long long)s->status[k]);
        }
    }
}

/* With the keys of fuzz's summary where the meaning is the same. */
static void cmd_replay_summary_json(const ReplayState *s, Text *t) {
    int64_t skipped = 0;
    for (int k = 1; k < SKIP_COUNT; k++) {
        skipped += s->skips[k];
    }
    text_printf(t,
                "{\"type\":\"summary\",\"schema_version\":1,\"programs\":%lld,\"agree\":%lld,"
                "\"findings\":%lld,\"not_expressible\":%lld,\"bad\":%lld,"
                "\"compared_with_expect\":%lld,\"interrupted\":%s,\"skipped\":%lld,\"skips\":{",
                (long long)s->programs, (long long)s->agreed, (long long)s->findings,
                (long long)s->inexpressible, (long long)s->bad, (long long)s->compared,
                interrupt_came() ? "true" : "false", (long long)skipped);
    bool any = false;
    for (int k = 1; k < SKIP_COUNT; k++) {
        tally_count(t, skip_name((SkipReason)k), s->skips[k], &any);
    }
    text_printf(t, "},\"known_issues\":%d", s->known.n);
    for (int k = 0; k <= STATUS_FLAKY; k++) {
        text_printf(t, ",\"%s\":%lld", finding_status_name((FindingStatus)k),
                    (long long)s->status[k]);
    }
    text_add(t, "}");
}

/* The summary, on standard output, and the files of results that the options name. */
static void replay_summarize(ReplayState *s) {
    const Options *o = s->options;
    Text text = {.arena = &s->home}, json = {.arena = &s->home}, all = {.arena = &s->home};
    cmd_replay_summary_text(s, &text);
    cmd_replay_summary_json(s, &json);
    if (!o->quiet) {
        puts(o->json ? json.v : text.v);
    }
    if (o->reports.results || results_wanted(&o->reports)) {
        const ResultsRun run = {
            .command = "replay", .pair = s->checker.pair, .compile = &o->compile};
        char message[1024];
        results_print(&s->results, &run, json.v, &all);
        int code = results_write(&o->reports, &all, message, sizeof message);
        s->code = worst(s->code, code == 0 ? 0 : complain(code, "%s", message));
    }
}

int cmd_replay(const Options *o) {
    ReplayState s = {.options = o, .arena = ARENA_EMPTY, .home = ARENA_EMPTY};
    s.results.arena = &s.home;
    char message[1024];
    int code = results_ready(&o->reports, o->out, message, sizeof message);
    if (code != 0) {
        complain(code, "%s", message);
    }
    code = code ? code : open_checker(o, &s.checker);
    bool opened = code == 0;
    code = code ? code : open_known(o, &s.checker, &s.home, &s.known);
    if (opened && code != 0) {
        checker_close(&s.checker);
    }
    if (code != 0) {
        arena_destroy(&s.home);
        return code;
    }
    interrupt_note();
    for (int i = 0; i < o->nfiles && checker_collects(&s.checker); i++) {
        if (strcmp(o->files[i], "-") != 0) { /* which can be read once only */
            io_each(o->files[i], true, cmd_replay_collect, &s);
        }
    }
    for (int i = 0; i < o->nfiles; i++) {
        int64_t n = io_each(o->files[i], true, cmd_replay_each, &s);
        s.code = worst(s.code, any_program(o->files[i], n));
    }
    replay_retest(&s);
    replay_summarize(&s);
    if (s.left > 0) {
        s.code = worst(s.code, complain(EXIT_ENVIRONMENT, "interrupted: %lld programs are left",
                                        (long long)s.left));
    }
    checker_close(&s.checker);
    arena_destroy(&s.arena);
    arena_destroy(&s.home);
    return s.code;
}
