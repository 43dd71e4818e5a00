/* fuzz: the builtin engine. Programs of one stream are generated and checked one after the other;
 * each new signature is minimized, reported and kept in a table, and the search goes on.
 *
 *     generate(seed, index) -> check -> agree | skip (counted) | finding -> locate -> new
 *     signature? -> minimize -> report
 *
 * Given seed and runs the output is the same, byte for byte (times are printed only where asked
 * for). Memory does not grow: one arena, reset per program; only signatures are kept, at most
 * MAX_SIGNATURES. */
#include "harness/campaign/campaign.h"
#include "harness/reduce/edit.h"
#include "harness/triage/group.h"
#include "harness/util/interrupt.h"
#include "harness/campaign/ledger.h"
#include "harness/triage/sub_finding.h"
#include "harness/report/report.h"
#include "harness/report/results.h"
#include "harness/report/tally.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_SIGNATURES = 1024,
    DEFAULT_RUNS = 100000,
    MINIMIZE_CHECKS = 4000,
    VERIFY_EVERY = 64 /* the graph after every pass */,
    STAGES_EVERY = 1024 /* interpret it after every pass */,
    MAX_WINDOW = 2 * TARGET_MAX_WORKERS,
    TARGET_MINIMIZE_CHECKS = 400 /* a check by a target costs milliseconds */
};

/* A program of the stream that is made: with targets, some are under way ahead of the one that is
 * judged. */
typedef struct Slot {
    Arena arena; /* reset per program */
    const Program *p;
    GenerateInfo info;
    int64_t index; /* in the stream */
    bool bare;     /* its probes were left out */
} Slot;

typedef struct Signature {
    char text[sizeof((Finding *)0)->signature];
    const char *group;  /* of its cause: two bugs that show in the same way are two entries */
    const char *folder; /* of its report: the signature, unless another group has that */
    int64_t first;      /* index in the stream of the program that showed it first */
    bool bare;          /* that program without its probes */
    int64_t count;
    int statements; /* of the minimized program */
    bool kept;      /* the output folder had a report of it before */
    const char *record,
        *file; /* for results.json: the finding as JSON, its program (NULL: nowhere) */
    FindingStatus status;
} Signature;

typedef struct Fuzz {
    const Options *options;
    GenerateOptions generate;
    Checker checker;
    Slot slot[MAX_WINDOW];
    int window; /* slots in use */
    int64_t generated;
    int64_t stream; /* index of the next program */
    bool both_ways; /* a target compiles: a program with probes is judged without them as well,
                       since a probe may hide a bug or show one */
    bool bare_due;  /* the next one is the last one without its probes */
    Arena *arena;   /* of the program that is judged */
    Arena work;     /* minimizing and reporting */
    Arena *home;    /* as long as the campaign */
    double start, shown;
    Tally tally;
    bool detailed; /* the tally is printed in full: --stats, or a report */
    Signature signature[MAX_SIGNATURES];
    int nsignatures;
    int64_t unlisted; /* findings beyond MAX_SIGNATURES */
    Groups groups;
    Known known;
    int code;
} Fuzz;

/* ---- findings ---- */

/* Adds one to the count of the signature with this cause; the entry if it is new. */
static Signature *note_signature(Fuzz *f, const Finding *finding, const Slot *slot) {
    bool taken = false;
    for (int i = 0; i < f->nsignatures; i++) {
        bool same = strcmp(f->signature[i].text, finding->signature) == 0;
        if (same && strcmp(f->signature[i].group, finding->cause.group) == 0) {
            f->signature[i].count++;
            return NULL;
        }
        taken |= same;
    }
    if (f->nsignatures == MAX_SIGNATURES) {
        f->unlisted++;
        return NULL;
    }
    Signature *s = &f->signature[f->nsignatures++];
    *s = (Signature){.first = slot->index, .bare = slot->bare, .count = 1};
    snprintf(s->text, sizeof s->text, "%s", finding->signature);
    s->group = arena_strdup(f->home, finding->cause.group);
    s->folder = taken ? seen_name(f->home, s->text, s->group) : s->text;
    return s;
}

static void cmd_fuzz_print_finding(Fuzz *f, const Signature *s, const Program *small,
                                   const Finding *finding, uint32_t fired, const char *path) {
    Text t = {.arena = &f->work};
    if (f->options->json) {
        text_printf(&t,
                    "{\"type\":\"finding\",\"schema_version\":1,\"program\":%lld,\"statements\":%d,"
                    "\"finding\":",
                    (long long)s->first, s->statements);
        report_finding_json(&t, small, finding, fired);
        if (f->options->every) {
            text_add(&t, ",\"case\":");
            program_print(&t, small, true);
        }
        if (path != NULL) {
            text_add(&t, ",\"report\":");
            text_json_string(&t, path);
        }
        text_add(&t, "}\n");
    } else {
        text_printf(&t, "%sFINDING%s %s: program %lld%s, %d statement%s%s%s\n", color("\033[31m"),
                    color("\033[0m"), s->text, (long long)s->first,
                    s->bare ? " without its probes" : "", s->statements,
                    s->statements == 1 ? "" : "s", path != NULL ? ", " : "",
                    path != NULL ? path : "");
        report_finding(&t, small, finding, &f->checker);
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
    fflush(stdout);
}

/* For results.json. */
static void keep_record(Fuzz *f, Signature *s, const Program *p, const Finding *finding,
                        uint32_t fired) {
    if (f->detailed) {
        Text record = {.arena = f->home};
        report_finding_json(&record, p, finding, fired);
        s->record = record.v;
    }
}

/* What stands for a signature: the smallest program with it, reported and printed. `met`: other
 * findings of candidates on the way. */
static void report_signature(Fuzz *f, Signature *s, const Program *p, const Finding *as_found,
                             uint32_t fired, MinimizeStats *met) {
    const Options *o = f->options;
    finding_breakpoint(as_found);
    const Program *small = p;
    Finding finding = *as_found;
    MinimizeStats stats = {.checks = checker_is_external(&f->checker) ? TARGET_MINIMIZE_CHECKS
                                                                      : MINIMIZE_CHECKS,
                           .seconds = 0};
    s->kept = o->out != NULL && report_exists(o->out, s->folder);
    bool late = strcmp(finding.kind, "timeout") == 0; /* every try would take as long */
    if (!o->no_minimize && !s->kept && !late) {
        small = minimize_program(&f->work, p, &f->checker, as_found, &stats, NULL, NULL);
        s->status = stats.flaky ? STATUS_FLAKY : s->status;
        Checker again = f->checker; /* the counters stay */
        CheckResult last;
        check_program(&again, small, &f->work, &last);
        if (last.verdict == FINDING) {
            check_locate(&again, small, &last.finding, &f->work);
            finding = last.finding;
        } else {
            small = p;
        }
        *met = stats;
    }
    s->statements = program_size(small);
    char path[4096], message[512];
    const char *where = NULL;
    if (o->out != NULL && s->kept) {
        snprintf(path, sizeof path, "%s/%s (kept)", o->out, s->folder);
        where = path;
    } else if (o->out != NULL) {
        Report report = {p,
                         small,
                         &finding,
                         &f->checker,
                         o->no_minimize ? NULL : &stats,
                         arena_printf(&f->work, "fuzz --seed %llu, program %lld%s",
                                      (unsigned long long)o->seed, (long long)s->first,
                                      s->bare ? " without its probes" : ""),
                         s->folder};
        if (report_write(&f->work, o->out, &report, path, sizeof path, message, sizeof message)) {
            where = path;
        } else {
            f->code = worst(f->code, complain(EXIT_ENVIRONMENT, "%s", message));
        }
    }
    cmd_fuzz_print_finding(f, s, small, &finding, fired, where);
    keep_record(f, s, small, &finding, fired);
    s->file = where && f->detailed
                  ? arena_printf(f->home, "%s/%s/minimized.json", o->out, s->folder)
                  : NULL;
}

/* Is its first finding told of in one line, once? */
static void print_known(Fuzz *f, const Signature *s, const KnownIssue *issue) {
    if (!f->options->json) {
        printf("known %s: program %lld, %s\n", s->text, (long long)s->first, issue->issue);
    }
}

/* A located finding of `p`: is it known, which group is it of, what stands for its signature? */
static void cmd_fuzz_sort_finding(Fuzz *f, const Slot *slot, const Program *p,
                                  const Finding *finding, uint32_t fired, MinimizeStats *met) {
    const Options *o = f->options;
    KnownIssue *issue =
        known_find(&f->known, f->checker.pair, finding->signature, finding->cause.text);
    Signature *s = note_signature(f, finding, slot);
    FindingStatus status = issue ? STATUS_KNOWN : STATUS_NEW;
    if (issue) {
        issue->seen++;
    } else {
        f->code = worst(f->code, EXIT_FINDINGS);
    }
    if (s != NULL) {
        s->status = status;
        if (issue) {
            s->statements = program_size(p);
            keep_record(f, s, p, finding, fired);
            print_known(f, s, issue);
        } else {
            report_signature(f, s, p, finding, fired, met);
        }
        status = s->status;
    } else if (o->every && !issue) {
        Signature again = {.first = slot->index, .bare = slot->bare, .statements = program_size(p)};
        snprintf(again.text, sizeof again.text, "%s", finding->signature);
        cmd_fuzz_print_finding(f, &again, p, finding, fired, NULL);
    }
    group_add(&f->groups, group_key(finding), status, issue, slot->index, s != NULL);
}

/* What a located finding is sorted by: it and its program, or, where its group would be a new one,
 * a part of them. */
static const Program *part_of(Fuzz *f, const Program *p, Finding *finding) {
    return group_find(&f->groups, group_key(finding))
               ? p
               : sub_finding(&f->work, p, &f->checker, finding);
}

static void take_finding(Fuzz *f, const Slot *slot, CheckResult *out) {
    check_locate(&f->checker, slot->p, &out->finding, f->arena);
    MinimizeStats met = {0}, none = {0};
    const Program *p = f->options->first ? slot->p : part_of(f, slot->p, &out->finding);
    cmd_fuzz_sort_finding(f, slot, p, &out->finding,
                          p == slot->p ? out->fired : 1u << out->finding.oracle, &met);
    for (int i = 0; i < met.nother && !f->options->first;
         i++) { /* a group that minimizing came upon is one more */
        Finding *finding = &met.other[i].finding;
        check_locate(&f->checker, met.other[i].program, finding, f->arena);
        p = part_of(f, met.other[i].program, finding);
        if (!group_find(&f->groups, group_key(finding))) {
            cmd_fuzz_sort_finding(f, slot, p, finding, 1u << finding->oracle, &none);
        }
    }
    arena_reset(&f->work);
}

/* ---- what is printed ---- */

static void print_start(const Fuzz *f) {
    const Options *o = f->options;
    char seeded[256];
    const char *fault =
        o->compile.fault == FAULT_NONE ? NULL : faults_text(&o->compile, seeded, sizeof seeded);
    if (o->json) {
        printf("{\"type\":\"start\",\"schema_version\":1,\"seed\":%llu,\"pair\":\"%s\"%s%s%s}\n",
               (unsigned long long)o->seed, f->checker.pair, fault != NULL ? ",\"fault\":\"" : "",
               fault != NULL ? fault : "", fault != NULL ? "\"" : "");
    } else {
        printf("seed %llu, pair %s%s%s\n", (unsigned long long)o->seed, f->checker.pair,
               fault != NULL ? ", fault " : "", fault != NULL ? fault : "");
    }
    fflush(stdout);
}

static void show_progress(Fuzz *f, double now, bool last) {
    const Options *o = f->options;
    if (!progress_wanted(o) || (!last && now - f->shown < 0.5)) {
        return;
    }
    f->shown = now;
    if (last) {
        fprintf(stderr, "\r%70s\r", "");
        return;
    }
    double elapsed = now - f->start, rate = elapsed > 0 ? (double)f->tally.programs / elapsed : 0;
    double left = o->seconds > 0 ? o->seconds - elapsed : -1;
    if (o->runs > 0 && rate > 0) {
        double by_runs = (double)(o->runs - f->tally.programs) / rate;
        left = left < 0 || by_runs < left ? by_runs : left;
    }
    fprintf(stderr, "\r%lld programs, %.0f a second, %lld findings (%d signatures), %.0f s left ",
            (long long)f->tally.programs, rate, (long long)f->checker.verdicts[FINDING],
            f->nsignatures, left > 0 ? left : 0);
}

/* Of the compiled executor, or zeros. */
static const CompileCounters *compiling_counters(const Checker *c) {
    return c->b.counters.compiles > 0 ? &c->b.counters : &c->a.counters;
}

/* `report`: with all that results.json has beside. */
static void cmd_fuzz_summary_json(const Fuzz *f, Text *t, double seconds, bool report) {
    const Checker *c = &f->checker;
    text_printf(t,
                "{\"type\":\"summary\",\"schema_version\":1,\"seed\":%llu,\"programs\":%lld,"
                "\"calls\":%lld,\"statements\":%lld,\"agree\":%lld,\"findings\":%lld",
                (unsigned long long)f->options->seed, (long long)f->tally.programs,
                (long long)c->calls, (long long)f->tally.statements, (long long)c->verdicts[AGREE],
                (long long)c->verdicts[FINDING]);
    text_printf(t, ",\"refusals\":%lld,\"errors\":{", (long long)f->tally.refusals);
    bool any = false;
    for (int i = 1; i < ERR_COUNT; i++) {
        tally_count(t, errcode_name((ErrCode)i), f->tally.errors[i], &any);
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
    for (int i = 0; i < f->nsignatures; i++) {
        const Signature *s = &f->signature[i];
        text_printf(t, "%s{\"signature\":\"%s\",\"count\":%lld,\"first\":%lld,\"statements\":%d}",
                    i > 0 ? "," : "", s->text, (long long)s->count, (long long)s->first,
                    s->statements);
    }
    text_printf(t, "],\"interrupted\":%s,\"unlisted\":%lld,\"groups\":",
                interrupt_came() ? "true" : "false", (long long)f->unlisted);
    groups_json(&f->groups, t);
    if (report) {
        const CompileCounters *counters = compiling_counters(c);
        tally_report_json(&f->tally, counters, f->options->timing, t);
    } else if (f->options->stats) {
        tally_json(&f->tally, t);
    }
    if (f->options->timing) {
        text_printf(t, ",\"seconds\":%.3f,\"programs_per_second\":%.1f", seconds,
                    seconds > 0 ? (double)f->tally.programs / seconds : 0);
    }
    text_add(t, "}");
}

/* What became of processes, if anything did. */
static void targets_text(const Checker *c, Text *t) {
    const Executor *both[2] = {&c->a, &c->b};
    for (int i = 0; i < 2; i++) {
        if (both[i]->target) {
            TargetCounters n = target_counters(both[i]->target);
            if (n.crashes + n.timeouts > 0) {
                text_printf(
                    t,
                    "%s: %lld programs run, %lld crashes, %lld timeouts; %lld processes started\n",
                    both[i]->name, (long long)n.programs, (long long)n.crashes,
                    (long long)n.timeouts, (long long)n.starts);
            }
        }
    }
}

static void cmd_fuzz_summary_text(const Fuzz *f, Text *t, double seconds) {
    const Checker *c = &f->checker;
    if (f->options->stats) {
        tally_text(&f->tally, t);
    }
    text_printf(
        t,
        "%s%lld programs, %lld statements: %lld agree, %lld findings (%d signatures), %lld skipped",
        interrupt_came() ? "interrupted: " : "", (long long)f->tally.programs,
        (long long)f->tally.statements, (long long)c->verdicts[AGREE],
        (long long)c->verdicts[FINDING], f->nsignatures, (long long)c->verdicts[SKIP]);
    const char *separator = " (";
    for (int i = 1; i < SKIP_COUNT; i++) {
        if (c->skips[i] != 0) {
            text_printf(t, "%s%s %lld", separator, skip_name((SkipReason)i),
                        (long long)c->skips[i]);
            separator = ", ";
        }
    }
    text_printf(t, "%s, %lld ended in an error", strcmp(separator, ", ") == 0 ? ")" : "",
                (long long)f->tally.refusals);
    if (f->options->timing) {
        text_printf(t, "; %.1f seconds, %.0f programs a second", seconds,
                    seconds > 0 ? (double)f->tally.programs / seconds : 0);
    }
    text_add(t, "\n");
    groups_text(&f->groups, t);
    targets_text(c, t);
}

/* results.json and report.html in the output folder, and what else the options name. */
static void write_results(Fuzz *f, double seconds) {
    const Options *o = f->options;
    if (!o->out && !o->results && !results_wanted(o)) {
        return;
    }
    Results results = {.arena = f->home};
    for (int i = 0; i < f->nsignatures; i++) {
        const Signature *s = &f->signature[i];
        results_add_finding(&results, &(ResultsFinding){.outcome = finding_status_name(s->status),
                                                        .file = s->file,
                                                        .signature = s->text,
                                                        .record = s->record,
                                                        .count = s->count,
                                                        .first = s->first,
                                                        .statements = s->statements});
    }
    tally_sample(&f->tally, compiling_counters(&f->checker), f->nsignatures, seconds);
    Text summary = {.arena = f->home}, text = {.arena = f->home};
    cmd_fuzz_summary_json(f, &summary, seconds, true);
    results_print(&results, o, f->checker.pair, summary.v, &text);
    int code = results_write(o->results, &text, o);
    if (o->out) {
        Options in_folder = {.html = arena_printf(f->home, "%s/report.html", o->out)};
        code = worst(code, results_write(arena_printf(f->home, "%s/results.json", o->out), &text,
                                         &in_folder));
    }
    f->code = worst(f->code, code);
}

/* ---- the loop ---- */

/* The next program of the stream; or, where probes matter, the last one again without them. */
static void make_program(Fuzz *f, Slot *slot) {
    arena_reset(&slot->arena);
    Program *p = generate_program_info(&slot->arena, &f->generate, f->options->seed,
                                       (uint64_t)f->stream, &slot->info);
    slot->p = p;
    slot->index = f->stream;
    slot->bare = f->bare_due;
    if (slot->bare) {
        edit_drop_probes(p);
    }
    f->bare_due = f->both_ways && !slot->bare && edit_has_probes(p);
    f->stream += !f->bare_due;
}

static void run_one(Fuzz *f) {
    for (; f->generated < f->tally.programs + f->window; f->generated++) {
        Slot *slot = &f->slot[f->generated % f->window];
        make_program(f, slot);
        if (f->window > 1) {
            check_submit(&f->checker, slot->p);
            check_collect(&f->checker, slot->p, &slot->arena);
        }
    }
    Slot *slot = &f->slot[f->tally.programs % f->window];
    const Program *p = slot->p;
    f->arena = &slot->arena;
    CheckResult out;
    f->checker.a.compile.verify = f->checker.b.compile.verify =
        f->options->compile.verify || f->tally.programs % VERIFY_EVERY == 0;
    if (f->options->swarm_passes) {
        f->checker.a.compile.disabled = f->options->compile.disabled;
        disabled_draw(&f->checker.a.compile.disabled, f->options->seed, (uint64_t)slot->index);
        f->checker.b.compile.disabled = f->checker.a.compile.disabled;
    }
    f->checker.stages = f->options->oracle || f->tally.programs % STAGES_EVERY == STAGES_EVERY / 2;
    f->checker.run.executed = f->detailed ? f->tally.op_dtype : NULL;
    check_program(&f->checker, p, f->arena, &out);
    f->checker.run.executed = NULL; /* locating and minimizing run other programs */
    tally_program(&f->tally, p, &slot->info, out.a, f->detailed);
    if (out.verdict == FINDING) {
        take_finding(f, slot, &out);
    }
}

static int run_all(Fuzz *f) {
    const Options *o = f->options;
    int64_t runs = o->runs > 0 ? o->runs : o->seconds > 0 ? INT64_MAX : DEFAULT_RUNS;
    print_start(f);
    interrupt_note();
    f->start = f->shown = now_seconds();
    double now = f->start;
    while (f->tally.programs < runs && !(o->first && f->nsignatures > 0) &&
           !(o->seconds > 0 && now - f->start >= o->seconds) && f->code < EXIT_ENVIRONMENT &&
           !interrupt_came()) {
        run_one(f);
        now = now_seconds();
        show_progress(f, now, false);
        if (f->detailed && tally_due(&f->tally)) {
            tally_sample(&f->tally, compiling_counters(&f->checker), f->nsignatures,
                         now - f->start);
        }
    }
    show_progress(f, now, true);
    Text t = {.arena = &f->work};
    if (o->json) {
        cmd_fuzz_summary_json(f, &t, now - f->start, false);
        text_add(&t, "\n");
    } else {
        cmd_fuzz_summary_text(f, &t, now - f->start);
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
    write_results(f, now - f->start);
    return f->code;
}

int cmd_fuzz(const Options *o) {
    if (o->engine || o->jobs >= 0 || o->resume) {
        return campaign_run(o);
    }
    if (o->corpus || o->binary) {
        return complain(EXIT_BAD_INPUT, "--%s is for campaigns of --engine or --jobs",
                        o->corpus ? "corpus" : "binary");
    }
    Arena home = ARENA_EMPTY;
    Fuzz *f = arena_new(&home, Fuzz);
    f->options = o;
    f->home = &home;
    f->detailed = o->stats || o->out || o->results || results_wanted(o);
    f->groups = groups_new(&home);
    int code = generate_options(o, &f->generate);
    code = code ? code : results_ready(o);
    code = code ? code : open_known(o, &home, &f->known);
    code = code ? code : open_checker(o, &f->checker);
    if (code == 0) {
        f->window = checker_is_external(&f->checker)
                        ? (int)max_i64(1, min_i64(2 * o->workers, MAX_WINDOW))
                    : checker_collects(&f->checker) ? MAX_WINDOW
                                                    : 1;
        f->both_ways = !o->targets.no_probes && (executor_is_external_compiler(&f->checker.a) ||
                                                 executor_is_external_compiler(&f->checker.b));
        code = run_all(f);
        checker_close(&f->checker);
    }
    for (int i = 0; i < MAX_WINDOW; i++) {
        arena_destroy(&f->slot[i].arena);
    }
    arena_destroy(&f->work);
    arena_destroy(&home);
    return code;
}
