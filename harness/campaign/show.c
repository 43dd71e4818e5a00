/* What a campaign shows: its start, a progress line, a record every few seconds, and the summary.
 * The numbers come from the ledgers, which the jobs write. */
#include "harness/campaign/campaign.h"

#include "harness/report/tally.h"
#include "harness/util/clock.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOW_SECONDS 0.5
#define RECORD_SECONDS 10

double campaign_elapsed(const Campaign *c) { return c->before + now_seconds() - c->start; }

const Counts *campaign_sum(Campaign *c) {
    memset(c->sum, 0, sizeof *c->sum);
    ledger_merge(c->sum, c->own);
    for (int k = 0; k < c->njobs; k++) {
        ledger_merge(c->sum, c->job[k].ledger);
    }
    return ledger_counts(c->sum);
}

static int64_t corpus_size(Campaign *c) {
    return folder_count(arena_printf(&c->scratch, "%s/corpus", c->folder));
}

void show_start(Campaign *c) {
    const CampaignOptions *o = c->options;
    const CompileOptions *compile = &o->checker.compile;
    char seeded[256];
    const char *fault =
        compile->fault == FAULT_NONE ? NULL : faults_text(compile, seeded, sizeof seeded);
    if (o->json) {
        Text t = {.arena = &c->scratch};
        text_printf(&t,
                    "{\"type\":\"start\",\"schema_version\":1,\"engine\":\"%s\",\"jobs\":%d,"
                    "\"seed\":%llu,\"pair\":\"%s\"",
                    c->engine->name, c->njobs, (unsigned long long)o->seed, o->checker.pair);
        if (fault) {
            text_printf(&t, ",\"fault\":\"%s\"", fault);
        }
        text_add(&t, ",\"out\":");
        text_json_string(&t, c->out);
        text_printf(&t, ",\"resumed_at\":%lld}\n", (long long)campaign_sum(c)->programs);
        c->output->text(c->output->user, t.v, t.n);
    } else {
        output_printf(c->output, "engine %s, %d job%s, seed %llu, pair %s%s%s, in %s\n",
                      c->engine->name, c->njobs, c->njobs == 1 ? "" : "s",
                      (unsigned long long)o->seed, o->checker.pair, fault ? ", fault " : "",
                      fault ? fault : "", c->out);
        if (!c->is_new) {
            output_printf(c->output, "going on after %lld programs and %.0f seconds\n",
                          (long long)campaign_sum(c)->programs, c->before);
        }
    }
    c->last_programs = campaign_sum(c)->programs;
}

/* Appends one line to records.jsonl; a full disk is a problem, but does not stop the campaign. */
static void show_record(Campaign *c, double rate) {
    const Counts *n = campaign_sum(c);
    Text t = {.arena = &c->scratch};
    text_printf(&t,
                "{\"type\":\"record\",\"schema_version\":1,\"seconds\":%.1f,\"programs\":%lld,"
                "\"programs_per_second\":%.0f,\"corpus\":%lld,\"features\":%lld,"
                "\"findings\":%lld,\"signatures\":%lld,\"skipped\":%lld}\n",
                campaign_elapsed(c), (long long)n->programs, rate, (long long)corpus_size(c),
                (long long)n->features, (long long)n->verdicts[FINDING], (long long)c->sum->nseen,
                (long long)n->verdicts[SKIP]);
    int fd = open(arena_printf(&c->scratch, "%s/records.jsonl", c->folder),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, t.v, (size_t)t.n) != t.n) {
        output_problem(c->output, EXIT_ENVIRONMENT, "cannot write %s/records.jsonl", c->folder);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (c->options->json) {
        c->output->text(c->output->user, t.v, t.n);
    }
}

static double seconds_left(const Campaign *c, const Counts *n, double rate) {
    const CampaignOptions *o = c->options;
    double left = o->seconds > 0 ? o->seconds - campaign_elapsed(c) : -1;
    if (o->runs > 0 && rate > 0) {
        double by_runs = (double)(o->runs - n->programs) / rate;
        left = left < 0 || by_runs < left ? by_runs : left;
    }
    return left;
}

void show_now(Campaign *c, bool last) {
    double now = now_seconds();
    bool shows = c->output->progress != NULL, records = last || now - c->recorded >= RECORD_SECONDS;
    if (!records && (!shows || now - c->shown < SHOW_SECONDS)) {
        return;
    }
    const Counts *n = campaign_sum(c);
    double rate =
        now > c->last_time ? (double)(n->programs - c->last_programs) / (now - c->last_time) : 0;
    if (shows && last) {
        output_clear(c->output);
    } else if (shows) {
        double left = seconds_left(c, n, rate);
        char end[32] = "";
        if (left >= 0) {
            snprintf(end, sizeof end, ", %.0f s left", left);
        }
        char line[256];
        snprintf(line, sizeof line,
                 "%lld programs, %.0f a second, corpus %lld, %lld features, %lld findings (%lld "
                 "signatures), %lld skips%s",
                 (long long)n->programs, rate, (long long)corpus_size(c), (long long)n->features,
                 (long long)n->verdicts[FINDING], (long long)c->sum->nseen,
                 (long long)n->verdicts[SKIP], end);
        c->output->progress(c->output->user, line);
        c->shown = now;
    }
    if (records) {
        show_record(c, rate);
        c->recorded = c->last_time = now;
        c->last_programs = n->programs;
    }
}

static void show_add_counts(Text *t, const char *name, const int64_t *count, int n,
                            const char *(*name_of)(int i)) {
    bool any = false;
    text_printf(t, ",\"%s\":{", name);
    for (int i = 0; i < n; i++) {
        if (name_of(i)) {
            tally_count(t, name_of(i), count[i], &any);
        }
    }
    text_add(t, "}");
}

static const char *name_of_error(int i) { return i > 0 ? errcode_name((ErrCode)i) : NULL; }
static const char *name_of_skip(int i) { return i > 0 ? skip_name((SkipReason)i) : NULL; }
static const char *name_of_oracle(int i) { return oracle_name((OracleId)i); }

static void show_summary_json(Campaign *c, const Counts *n, const TriageResult *verdict,
                              const Pending *pending, const Groups *groups, Text *t) {
    const CampaignOptions *o = c->options;
    text_printf(t,
                "{\"type\":\"summary\",\"schema_version\":1,\"engine\":\"%s\",\"jobs\":%d,\"seed\":"
                "%llu,\"programs\":%lld,\"calls\":%lld,\"statements\":%lld,"
                "\"agree\":%lld,\"findings\":%lld,\"refusals\":%lld",
                c->engine->name, c->njobs, (unsigned long long)o->seed, (long long)n->programs,
                (long long)n->calls, (long long)n->statements, (long long)n->verdicts[AGREE],
                (long long)n->verdicts[FINDING], (long long)n->refusals);
    show_add_counts(t, "errors", n->errors, ERR_COUNT, name_of_error);
    text_printf(t, ",\"skipped\":%lld", (long long)n->verdicts[SKIP]);
    show_add_counts(t, "skips", n->skips, SKIP_COUNT, name_of_skip);
    show_add_counts(t, "fired", n->fired, ORACLE_COUNT, name_of_oracle);
    text_printf(t,
                ",\"corpus\":%lld,\"features\":%lld,\"judged\":%lld,\"unconfirmed\":%lld,"
                "\"interrupted\":%s,"
                "\"signatures\":[",
                (long long)corpus_size(c), (long long)n->features,
                (long long)ledger_counts(c->own)->next, (long long)pending->files,
                c->interrupted ? "true" : "false");
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        const Seen *s = &c->sum->seen[i];
        text_printf(t, "%s{\"signature\":\"%s\",\"count\":%lld,\"first\":%lld,\"outcome\":\"%s\"}",
                    i > 0 ? "," : "", s->text, (long long)s->count, (long long)s->first,
                    verdict_outcome(&verdict[i]));
    }
    text_printf(t, "],\"unlisted\":%lld,\"groups\":", (long long)c->sum->unlisted);
    groups_json(groups, t);
    if (o->timing) {
        double seconds = campaign_elapsed(c);
        text_printf(t, ",\"seconds\":%.3f,\"programs_per_second\":%.1f", seconds,
                    seconds > 0 ? (double)n->programs / seconds : 0);
    }
    text_add(t, "}");
}

static void show_summary_text(Campaign *c, const Counts *n, const TriageResult *verdict,
                              const Pending *pending, const Groups *groups, Text *t) {
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        text_printf(t, "  %-56s %8lld  %s\n", verdict[i].seen->text,
                    (long long)verdict[i].seen->count, verdict_outcome(&verdict[i]));
    }
    text_printf(t,
                "%s%lld programs, %lld statements: %lld agree, %lld findings (%lld signatures), "
                "%lld skipped, %lld ended in an error; corpus %lld, %lld features",
                c->interrupted ? "interrupted: " : "", (long long)n->programs,
                (long long)n->statements, (long long)n->verdicts[AGREE],
                (long long)n->verdicts[FINDING], (long long)c->sum->nseen,
                (long long)n->verdicts[SKIP], (long long)n->refusals, (long long)corpus_size(c),
                (long long)n->features);
    if (c->options->timing) {
        double seconds = campaign_elapsed(c);
        text_printf(t, "; %.1f seconds, %.0f programs a second", seconds,
                    seconds > 0 ? (double)n->programs / seconds : 0);
    }
    text_add(t, "\n");
    groups_text(groups, t);
    if (pending->files > 0) {
        text_printf(t, "%lld files in %s/new are not confirmed yet: --resume confirms them\n",
                    (long long)pending->files, c->folder);
    }
}

static int show_by_name(const void *a, const void *b) {
    const Seen *s = a, *t = b;
    int order = strcmp(s->text, t->text);
    return order ? order : strcmp(s->group, t->group);
}

void show_summary(Campaign *c) {
    arena_reset(&c->scratch);
    const Counts *n = campaign_sum(c);
    qsort(c->sum->seen, (size_t)c->sum->nseen, sizeof c->sum->seen[0], show_by_name);
    TriageResult *verdict = verdicts_read(c);
    const Pending pending = verdicts_pending(c, verdict);
    const Groups groups = verdicts_group(c, verdict);
    for (int64_t i = 0; i < c->sum->nseen; i++) { /* also those from before a --resume */
        bool counts = verdict[i].confirmed &&
                      (verdict[i].status == STATUS_NEW || verdict[i].status == STATUS_FLAKY);
        c->code = worst(c->code, counts ? EXIT_FINDINGS : EXIT_AGREE);
    }
    c->code = worst(c->code, pending.files > 0 ? EXIT_FINDINGS : EXIT_AGREE);
    Text t = {.arena = &c->scratch}, shown = {.arena = &c->scratch};
    show_summary_json(c, n, verdict, &pending, &groups, &t);
    verdicts_publish(c, verdict, &pending, t.v);
    char message[512];
    if (!io_write(arena_printf(&c->scratch, "%s/summary.json", c->folder), t.v, t.n, message,
                  sizeof message) ||
        (!c->interrupted && c->code < EXIT_ENVIRONMENT && pending.files == 0 &&
         !io_write(arena_printf(&c->scratch, "%s/ended", c->folder), "", 0, message,
                   sizeof message))) {
        campaign_problem(c, EXIT_ENVIRONMENT, "%s", message);
    }
    if (c->options->json) {
        text_printf(&shown, "%s\n", t.v);
    } else {
        show_summary_text(c, n, verdict, &pending, &groups, &shown);
    }
    c->output->text(c->output->user, shown.v, shown.n);
}
