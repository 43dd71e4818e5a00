/* Triage results: one small file for a signature and a cause, written by the process that confirmed
 * it, read here for the summary. */
#include "harness/campaign/campaign.h"

#include "harness/report/results.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6 };

static FindingStatus status_of(const char *name) {
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (strcmp(finding_status_name((FindingStatus)i), name) == 0) {
            return (FindingStatus)i;
        }
    }
    return STATUS_NEW;
}

/* The file of a report, OUT/SIGNATURE/minimized.json, where OUT is now: a campaign that is resumed
 * may be in another folder, or be named from another one. */
static const char *verdict_file(Campaign *c, const char *stored) {
    const char *slash = strrchr(stored, '/'), *at = slash;
    while (at && at > stored && at[-1] != '/') {
        at--;
    }
    return at ? arena_printf(&c->arena, "%s/%s", c->out, at) : stored;
}

static void read_verdict(Campaign *c, TriageResult *s) {
    char *text, *field[FIELDS], message[256];
    int64_t length;
    const char *path = arena_printf(&c->scratch, "%s/verdicts/%s", c->folder,
                                    seen_name(&c->scratch, s->seen->text, s->seen->group));
    if (io_read(&c->scratch, path, IO_MAX_BYTES, &text, &length, message, sizeof message) !=
        IO_OK) {
        return;
    }
    for (int i = 0; i < FIELDS; i++) {
        field[i] = text ? strsep(&text, "\n") : NULL;
        if (!field[i]) {
            return;
        }
    }
    s->confirmed = true;
    s->status = status_of(field[0]);
    s->group = field[1];
    s->issue = field[2][0] ? field[2] : NULL;
    s->statements = atoi(field[3]);
    s->file = field[4][0] ? verdict_file(c, field[4]) : NULL;
    s->record = field[5];
    s->ops = text && text[0] ? strsep(&text, "\n") : NULL; /* older campaigns have none */
}

TriageResult *verdicts_read(Campaign *c) {
    TriageResult *all = arena_array(&c->arena, TriageResult, c->sum->nseen + 1);
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        all[i].seen = &c->sum->seen[i];
        read_verdict(c, &all[i]);
    }
    return all;
}

Groups verdicts_group(Campaign *c, const TriageResult *s) {
    Groups groups = groups_new(&c->scratch);
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        if (s[i].confirmed) {
            KnownIssue *issue = NULL;
            if (s[i].issue) {
                issue = arena_new(&c->scratch, KnownIssue);
                issue->issue = s[i].issue;
            }
            const Seen *seen = s[i].seen;
            group_add(&groups, &(GroupFinding){.key = s[i].group,
                                               .signature = seen->text,
                                               .status = s[i].status,
                                               .issue = issue,
                                               .first = seen->first,
                                               .count = seen->count,
                                               .is_new = true,
                                               .ops = s[i].ops});
        }
    }
    groups_join(&groups);
    return groups;
}

/* ---- what is to be confirmed ---- */

#define UNCONFIRMED "unconfirmed"

/* Does the file hold the program that a job kept for this signature (worker.c)? */
static bool is_file_of(Campaign *c, const char *path, const Seen *seen) {
    const char *end =
        arena_printf(&c->scratch, "-%s.json", seen_name(&c->scratch, seen->text, seen->group));
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0;
}

Pending verdicts_pending(Campaign *c, TriageResult *s) {
    char **path;
    Pending pending = {0};
    pending.files = io_list(&c->scratch, arena_printf(&c->scratch, "%s/new", c->folder), "", &path);
    for (int64_t f = 0; f < pending.files; f++) {
        int64_t i = 0;
        while (i < c->sum->nseen && (s[i].confirmed || !is_file_of(c, path[f], s[i].seen))) {
            i++;
        }
        if (i < c->sum->nseen) {
            s[i].pending = s[i].pending ? s[i].pending : path[f];
        } else {
            pending.others++;
            pending.other = pending.other ? pending.other : path[f];
        }
    }
    return pending;
}

const char *verdict_outcome(const TriageResult *s) {
    return s->confirmed ? finding_status_name(s->status)
           : s->pending ? UNCONFIRMED
                        : "not seen again";
}

/* All that is known is the signature: oracle-kind-op. */
static const char *record_of_signature(Campaign *c, const char *signature) {
    int oracle = (int)strcspn(signature, "-"), kind = 0;
    if (signature[oracle]) {
        kind = (int)strcspn(signature + oracle + 1, "-");
    }
    return arena_printf(&c->scratch,
                        "{\"signature\":\"%s\",\"oracle\":\"%.*s\",\"kind\":\"%.*s\",\"call\":0,"
                        "\"where\":\"not known\",\"statement\":\"not known\",\"a\":\"not known\","
                        "\"b\":\"not known\",\"fired\":[\"%.*s\"]}",
                        signature, oracle, signature, kind, signature + oracle + (kind > 0), oracle,
                        signature);
}

/* The size of the program that a job kept; 0 if it cannot be read. */
static int statements_in(Campaign *c, const char *path) {
    char *text, message[256];
    int64_t n;
    Program *p = NULL;
    bool read =
        io_read(&c->scratch, path, IO_MAX_BYTES, &text, &n, message, sizeof message) == IO_OK &&
        program_parse(&c->scratch, text, (size_t)n, &p, message, sizeof message) == PARSE_OK;
    return read ? program_size(p) : 0;
}

static void add_pending(Campaign *c, Results *results, const TriageResult *s) {
    results_add_finding(results, &(ResultsFinding){.outcome = UNCONFIRMED,
                                                   .file = s->pending,
                                                   .signature = s->seen->text,
                                                   .record = record_of_signature(c, s->seen->text),
                                                   .count = s->seen->count,
                                                   .first = s->seen->first,
                                                   .statements = statements_in(c, s->pending)});
}

/* What engines left at crashes has no signature yet: one entry for all of it. */
static void add_others(Campaign *c, Results *results, const Pending *pending) {
    static const char signature[] = "status-unconfirmed-program";
    results_add_finding(results, &(ResultsFinding){.outcome = UNCONFIRMED,
                                                   .file = pending->other,
                                                   .signature = signature,
                                                   .record = record_of_signature(c, signature),
                                                   .count = pending->others,
                                                   .first = -1});
}

/* ---- publishing ---- */

void verdicts_publish(Campaign *c, const TriageResult *s, const Pending *pending,
                      const char *summary) {
    Results results = {.arena = &c->scratch};
    for (int64_t i = 0; i < c->sum->nseen; i++) {
        if (s[i].confirmed) {
            results_add_finding(&results,
                                &(ResultsFinding){.outcome = finding_status_name(s[i].status),
                                                  .file = s[i].file,
                                                  .signature = s[i].seen->text,
                                                  .record = s[i].record,
                                                  .count = s[i].seen->count,
                                                  .first = s[i].seen->first,
                                                  .statements = s[i].statements});
        } else if (s[i].pending) {
            add_pending(c, &results, &s[i]);
        }
    }
    if (pending->others > 0) {
        add_others(c, &results, pending);
    }
    Text text = {.arena = &c->scratch};
    const CampaignOptions *o = c->options;
    const ResultsRun run = {"fuzz", o->checker.pair, &o->checker.compile, &o->seed, o->shard};
    results_print(&results, &run, summary, &text);
    const ReportFiles in_folder = {.results = arena_printf(&c->scratch, "%s/results.json", c->out),
                                   .html = arena_printf(&c->scratch, "%s/report.html", c->out)};
    const ReportFiles *const both[] = {&in_folder, &o->reports};
    for (int i = 0; i < COUNT_OF(both); i++) {
        char message[1024];
        int code = results_write(both[i], &text, message, sizeof message);
        if (code != 0) {
            campaign_problem(c, code, "%s", message);
        }
    }
}
