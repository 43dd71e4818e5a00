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
    s->file = field[4][0] ? field[4] : NULL;
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

void verdicts_publish(Campaign *c, const TriageResult *s, const char *summary) {
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
        }
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
