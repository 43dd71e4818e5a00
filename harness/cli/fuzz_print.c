/* What `fuzz` prints of a search: its start, findings, and the summary. Times are printed only
 * where
 * --timing asks for them, so that the output is the same in every run. */
#include "harness/cli/fuzz.h"
#include "harness/filing/report.h"
#include "harness/util/interrupt.h"

#include <stdio.h>
#include <string.h>

void fuzz_print_start(const Search *s) {
    const CampaignOptions *o = s->options;
    const CompileOptions *compile = &o->checker.compile;
    char seeded[256];
    const char *fault =
        compile->fault == FAULT_NONE ? NULL : faults_text(compile, seeded, sizeof seeded);
    if (o->json) {
        printf("{\"type\":\"start\",\"schema_version\":1,\"seed\":%llu,\"pair\":\"%s\"%s%s%s}\n",
               (unsigned long long)o->seed, s->checker.pair, fault ? ",\"fault\":\"" : "",
               fault ? fault : "", fault ? "\"" : "");
    } else {
        printf("seed %llu, pair %s%s%s\n", (unsigned long long)o->seed, s->checker.pair,
               fault ? ", fault " : "", fault ? fault : "");
    }
    fflush(stdout);
}

void fuzz_print_finding(const Search *s, const SearchFinding *f) {
    const Signature *signature = f->signature;
    Arena arena = ARENA_EMPTY;
    Text t = {.arena = &arena};
    if (s->options->json) {
        text_printf(&t,
                    "{\"type\":\"finding\",\"schema_version\":1,\"program\":%lld,\"statements\":%d,"
                    "\"finding\":",
                    (long long)signature->first, signature->statements);
        report_finding_json(&t, f->program, f->finding, f->fired);
        if (s->options->every) {
            text_add(&t, ",\"case\":");
            program_print(&t, f->program, true);
        }
        if (signature->terms) {
            text_add(&t, ",\"stage\":");
            text_json_string(&t, signature->stage);
            text_add(&t, ",\"frame\":");
            text_json_string(&t, f->finding->frame);
            text_add(&t, ",\"search\":");
            text_json_string(&t, signature->terms);
        }
        text_add(&t, signature->script == SCRIPT_UNKNOWN ? ""
                     : signature->script == SCRIPT_SHOWS ? ",\"script\":true"
                                                         : ",\"script\":false");
        text_add(&t, signature->as_found ? ",\"minimized\":false" : "");
        if (f->path) {
            text_add(&t, ",\"report\":");
            text_json_string(&t, f->path);
        }
        text_add(&t, "}\n");
    } else {
        text_printf(&t, "%sFINDING%s %s: program %lld%s, %d statement%s%s%s%s%s%s\n",
                    color("\033[31m"), color("\033[0m"), signature->text,
                    (long long)signature->first, signature->bare ? " without its probes" : "",
                    signature->statements, signature->statements == 1 ? "" : "s",
                    signature->as_found ? ", not minimized (the time was up)" : "",
                    signature->status == STATUS_FLAKY ? ", flaky" : "",
                    signature->script == SCRIPT_NOTHING ? ", not reproduced by script" : "",
                    f->path ? ", " : "", f->path ? f->path : "");
        if (!signature->kept) { /* its report was there before */
            report_finding(&t, f->program, f->finding, &s->checker);
        }
        if (!signature->kept && signature->stage && signature->stage[0]) {
            text_printf(&t, "  stage      %s%s%s\n", signature->stage,
                        f->finding->frame[0] ? ", raised in " : "", f->finding->frame);
        }
        if (!signature->kept && signature->terms) {
            text_printf(&t, "  search     %s\n", signature->terms);
        }
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
    fflush(stdout);
    arena_destroy(&arena);
}

void fuzz_print_known(const CampaignOptions *o, const Signature *s, const KnownIssue *issue) {
    if (!o->json) {
        printf("%s %s: program %lld, %s\n", finding_status_name(s->status), s->text,
               (long long)s->first, issue->issue);
    }
}

void fuzz_print_dropped(const CampaignOptions *o, const Signature *s) {
    if (!o->json) {
        printf("not reproduced by script %s: program %lld\n", s->text, (long long)s->first);
    }
}

/* Findings of a status, of all groups. */
static int64_t findings_that_are(const Search *s, FindingStatus status) {
    int64_t n = 0;
    for (int i = 0; i < s->groups.n; i++) {
        n += s->groups.group[i].count[status];
    }
    return n;
}

void fuzz_summary_json(const Search *s, Text *t, bool report) {
    const Checker *c = &s->checker;
    double seconds = s->now - s->start;
    text_printf(t,
                "{\"type\":\"summary\",\"schema_version\":1,\"seed\":%llu,\"programs\":%lld,"
                "\"calls\":%lld,\"statements\":%lld,\"agree\":%lld,\"findings\":%lld",
                (unsigned long long)s->options->seed, (long long)s->tally.programs,
                (long long)c->calls, (long long)s->tally.statements, (long long)c->verdicts[AGREE],
                (long long)c->verdicts[FINDING]);
    text_printf(t, ",\"refusals\":%lld,\"errors\":{", (long long)s->tally.refusals);
    bool any = false;
    for (int i = 1; i < ERR_COUNT; i++) {
        tally_count(t, errcode_name((ErrCode)i), s->tally.errors[i], &any);
    }
    text_printf(t, "},\"skipped\":%lld,\"skips\":{", (long long)c->verdicts[SKIP]);
    any = false;
    for (int i = 1; i < SKIP_COUNT; i++) {
        tally_count(t, skip_name((SkipReason)i), c->skips[i], &any);
    }
    text_add(t, "},\"fired\":{");
    any = false;
    for (int i = 0; i < ORACLE_COUNT; i++) {
        tally_count(t, oracle_name((OracleId)i), c->fired[i], &any);
    }
    text_printf(t, "},\"compiles\":%lld,\"cache_hits\":%lld,\"shadow_runs\":%lld,\"signatures\":[",
                (long long)(c->a.counters.compiles + c->b.counters.compiles),
                (long long)(c->a.counters.hits + c->b.counters.hits), (long long)c->shadow_runs);
    for (int i = 0; i < s->nsignatures; i++) {
        const Signature *one = &s->signature[i];
        text_printf(t, "%s{\"signature\":\"%s\",\"count\":%lld,\"first\":%lld,\"statements\":%d}",
                    i > 0 ? "," : "", one->text, (long long)one->count, (long long)one->first,
                    one->statements);
    }
    text_printf(t, "],\"interrupted\":%s,\"unlisted\":%lld,\"groups\":",
                interrupt_came() ? "true" : "false", (long long)s->unlisted);
    groups_json(&s->groups, t);
    if (s->queued) {
        text_printf(t, ",\"flaky\":%lld,\"allowed\":%lld,\"unreproduced\":%lld",
                    (long long)findings_that_are(s, STATUS_FLAKY),
                    (long long)findings_that_are(s, STATUS_ALLOWED),
                    (long long)findings_that_are(s, STATUS_UNREPRODUCED));
    }
    if (s->base.opened) {
        text_printf(t, ",\"base\":{\"shown\":%lld,\"other\":%lld,\"skipped\":%lld}",
                    (long long)s->base.shown, (long long)s->base.replaced,
                    (long long)s->base.skipped);
    }
    if (report) {
        tally_report_json(&s->tally, search_compile_counters(s), s->options->timing, t);
    } else if (s->options->stats) {
        tally_json(&s->tally, t);
    }
    if (s->options->timing) {
        text_printf(t, ",\"seconds\":%.3f,\"programs_per_second\":%.1f", seconds,
                    seconds > 0 ? (double)s->tally.programs / seconds : 0);
    }
    text_add(t, "}");
}

/* Crashes and timeouts of targets, if there were any. */
static void targets_text(const Checker *c, Text *t) {
    const Executor *both[2] = {&c->a, &c->b};
    for (int i = 0; i < 2; i++) {
        if (both[i]->target) {
            TargetCounters n = target_counters(both[i]->target);
            if (n.crashes + n.timeouts + n.not_again > 0) {
                text_printf(
                    t, "%s: %lld programs run, %lld crashes, %lld timeouts; %lld processes started",
                    both[i]->name, (long long)n.programs, (long long)n.crashes,
                    (long long)n.timeouts, (long long)n.starts);
                if (n.not_again > 0) {
                    text_printf(t, ", %lld deaths not repeated", (long long)n.not_again);
                }
                text_add(t, "\n");
            }
        }
    }
}

void fuzz_summary_text(const Search *s, Text *t) {
    const Checker *c = &s->checker;
    double seconds = s->now - s->start;
    if (s->options->stats) {
        tally_text(&s->tally, t);
    }
    text_printf(
        t,
        "%s%lld programs, %lld statements: %lld agree, %lld findings (%d signatures), %lld skipped",
        interrupt_came() ? "interrupted: " : "", (long long)s->tally.programs,
        (long long)s->tally.statements, (long long)c->verdicts[AGREE],
        (long long)c->verdicts[FINDING], s->nsignatures, (long long)c->verdicts[SKIP]);
    const char *separator = " (";
    for (int i = 1; i < SKIP_COUNT; i++) {
        if (c->skips[i] != 0) {
            text_printf(t, "%s%s %lld", separator, skip_name((SkipReason)i),
                        (long long)c->skips[i]);
            separator = ", ";
        }
    }
    text_printf(t, "%s, %lld ended in an error", strcmp(separator, ", ") == 0 ? ")" : "",
                (long long)s->tally.refusals);
    static const struct {
        FindingStatus status;
        const char *text;
    } APART[] = {{STATUS_FLAKY, "flaky"},
                 {STATUS_ALLOWED, "allowed"},
                 {STATUS_UNREPRODUCED, "not reproduced by script"}};
    for (int i = 0; i < COUNT_OF(APART) && s->queued; i++) {
        int64_t n = findings_that_are(s, APART[i].status);
        if (n > 0) {
            text_printf(t, ", %lld %s", (long long)n, APART[i].text);
        }
    }
    if (s->base.opened) {
        text_printf(t,
                    "; of the findings, the base shows %lld, too, another one in %lld programs, "
                    "and cannot compare %lld",
                    (long long)s->base.shown, (long long)s->base.replaced,
                    (long long)s->base.skipped);
    }
    if (s->options->timing) {
        text_printf(t, "; %.1f seconds, %.0f programs a second", seconds,
                    seconds > 0 ? (double)s->tally.programs / seconds : 0);
    }
    text_add(t, "\n");
    groups_text(&s->groups, t);
    targets_text(c, t);
}
