/* What becomes of a finding: known, reported after minimizing, or counted with the signature that
 * it shares. */
#include "harness/search/findings.h"

#include "harness/campaign/ledger.h"
#include "harness/filing/report.h"
#include "harness/triage/sub_finding.h"
#include "harness/util/clock.h"
#include "harness/util/interrupt.h"
#include "harness/util/status.h"

#include <stdio.h>
#include <string.h>

enum {
    MINIMIZE_CHECKS = 4000,
    TARGET_MINIMIZE_CHECKS = 400 /* a check by a target takes milliseconds */
};

/* The entry of a signature with this cause, or NULL. */
static Signature *search_signature(Search *s, const Finding *finding, bool listed) {
    for (int i = 0; i < s->nsignatures; i++) {
        if (strcmp(s->signature[i].text, finding->signature) == 0 &&
            strcmp(s->signature[i].group, finding->cause.group) == 0 &&
            s->signature[i].listed == listed) {
            return &s->signature[i];
        }
    }
    return NULL;
}

/* The new entry of a signature; NULL, counted, if there are too many. */
static Signature *add_signature(Search *s, const Finding *finding, bool listed,
                                const SearchSlot *slot) {
    if (s->nsignatures == SEARCH_MAX_SIGNATURES) {
        s->unlisted++;
        return NULL;
    }
    bool taken = false;
    for (int i = 0; i < s->nsignatures; i++) {
        taken |= strcmp(s->signature[i].text, finding->signature) == 0;
    }
    Signature *new = &s->signature[s->nsignatures++];
    *new = (Signature){.first = slot->index, .bare = slot->bare, .count = 1, .listed = listed};
    snprintf(new->text, sizeof new->text, "%s", finding->signature);
    new->group = arena_strdup(&s->home, finding->cause.group);
    new->folder = taken ? seen_name(&s->home, new->text, new->group) : new->text;
    return new;
}

/* What a finding is grouped by: its cause; of a target, what its signature's first program says. */
static const char *search_key(const Signature *signature, const Finding *finding) {
    return signature && signature->key ? signature->key : group_key(finding);
}

/* For results.json. */
static void search_keep_record(Search *s, Signature *signature, const Program *p,
                               const Finding *finding, uint32_t fired) {
    if (s->detailed) {
        Text record = {.arena = &s->home};
        report_finding_json(&record, p, finding, fired);
        signature->record = record.v;
    }
}

/* Takes the finding of `small`, located; false if it shows none. */
static bool search_shows(Search *s, const Checker *c, const Program *small, Finding *finding) {
    Checker again = *c; /* the counters stay */
    CheckResult last;
    check_program(&again, small, &s->work, &last);
    if (last.verdict != FINDING) {
        return false;
    }
    check_locate(&again, small, &last.finding, &s->work);
    *finding = last.finding;
    return true;
}

/* What an earlier stage of the compiler makes of a finding that shows there as well: a check costs
 * a twentieth there. NULL unless the pair, too, shows the same for what is left. */
static const Program *search_minimize_early(Search *s, const Program *p, Finding *finding,
                                            MinimizeStats *stats) {
    Checker *early;
    stage_find(&s->stages, &s->own.checker, &s->checker, p, finding, &early);
    Finding there, shown;
    if (!s->queued || !early || !search_shows(s, early, p, &there) ||
        there.oracle != finding->oracle || strcmp(there.kind, finding->kind) != 0) {
        return NULL;
    }
    MinimizeStats own = *stats;
    const Program *small = minimize_program(&s->work, p, early, &there, &own, NULL, NULL);
    if (!search_shows(s, &s->checker, small, &shown) || shown.oracle != finding->oracle ||
        strcmp(shown.kind, finding->kind) != 0) {
        return NULL;
    }
    *stats = own;
    *finding = shown;
    return small;
}

/* The smallest program found that shows the finding, and that finding. */
static const Program *search_minimize(Search *s, const Program *p, Finding *finding,
                                      MinimizeStats *stats) {
    const Finding as_found = *finding;
    const Program *small = stats->base ? NULL : search_minimize_early(s, p, finding, stats);
    if (small) {
        return small;
    }
    small = minimize_program(&s->work, p, &s->checker, &as_found, stats, NULL, NULL);
    return search_shows(s, &s->checker, small, finding) ? small : p;
}

/* Findings of a target that one entry of the known issues explains are one group. */
static const char *issue_key(Search *s, const KnownIssue *issue) {
    return arena_printf(&s->home, "%.*s", (int)sizeof((Group *)0)->key - 1, issue->issue);
}

/* The new signature's finding is one of a known issue. */
static void note_known(Search *s, Signature *new, const Program *p, const Finding *finding,
                       uint32_t fired, const KnownIssue *issue) {
    new->statements = program_size(p);
    new->key = s->queued ? issue_key(s, issue) : NULL;
    search_keep_record(s, new, p, finding, fired);
    s->events.known(s->events.user, new, issue);
}

static FindingStatus status_of_issue(const Search *s, const KnownIssue *issue) {
    return issue->allowed && s->queued ? STATUS_ALLOWED : STATUS_KNOWN;
}

/* The issue that covers the minimized program, if the same op differs as before: the rest of the
 * program may have hidden it, as a use of a result that matters to no difference does. */
static KnownIssue *known_when_minimized(Search *s, const Program *small, const Finding *finding,
                                        const Finding *as_found) {
    const KnownPair pair = known_pair(&s->checker);
    bool same =
        finding->oracle == as_found->oracle && strcmp(finding->root.op, as_found->root.op) == 0;
    return s->queued && same ? known_find(&s->known, &pair, small, true, finding) : NULL;
}

/* The folder of the report, written unless it was there before; NULL if there is none. */
static const char *search_write_report(Search *s, const Signature *signature,
                                       const Report *report) {
    const CampaignOptions *o = s->options;
    char path[4096], message[512];
    if (!o->out) {
        return NULL;
    }
    if (signature->kept) {
        return arena_printf(&s->work, "%s/%s (kept)", o->out, signature->folder);
    }
    if (!report_write(&s->work, o->out, report, path, sizeof path, message, sizeof message)) {
        s->events.problem(s->events.user, message);
        s->code = worst(s->code, EXIT_ENVIRONMENT);
        return NULL;
    }
    return arena_strdup(&s->work, path);
}

/* Seconds for minimizing one more finding: its share of what is left; 0: no limit but the default,
 * < 0: there is none left, or it stays as it was found. */
static double search_seconds_for_one(const Search *s) {
    enum { LEAST = 1, MOST = 60 };
    if (s->queued && !s->options->triage) {
        return -1;
    }
    if (!checker_is_external(&s->checker) || (s->end <= 0 && !interrupt_came())) {
        return 0;
    }
    double left = s->end - now_seconds();
    double each = left / (s->unsettled > 0 ? s->unsettled : 1);
    return left < LEAST || interrupt_came() ? -1 : each > MOST ? MOST : each > LEAST ? each : LEAST;
}

/* Is there a report of the signature, so that its program need not be minimized again? A search of
 * a target may have had no time for that: where the report is of another program as it was found,
 * this one goes into a folder beside it. */
static void search_find_report(Search *s, Signature *signature, const Program *p) {
    enum { MOST = 100 };
    const char *out = s->options->out, *first = signature->folder;
    for (int k = 2; out && report_exists(out, signature->folder) && k < MOST; k++) {
        signature->kept = !s->queued || report_is_minimized(out, signature->folder);
        if (signature->kept || report_is_of(out, signature->folder, p)) {
            return;
        }
        signature->folder = arena_printf(&s->home, "%s-%d", first, k);
    }
}

/* Minimizes and reports the first program of a signature. `stats->other`: findings of other causes
 * that candidates showed on the way. Returns the issue that explains what is left, or NULL. */
static KnownIssue *report_signature(Search *s, Signature *signature, const Program *p,
                                    const Finding *as_found, uint32_t fired, MinimizeStats *met) {
    const CampaignOptions *o = s->options;
    finding_breakpoint(as_found);
    const Program *small = p;
    Finding finding = *as_found;
    MinimizeStats stats = {.checks = checker_is_external(&s->checker) ? TARGET_MINIMIZE_CHECKS
                                                                      : MINIMIZE_CHECKS,
                           .base = baseline_checker(&s->base)};
    search_find_report(s, signature, p);
    bool late = strcmp(finding.kind, "timeout") == 0; /* every candidate would take as long */
    double seconds = search_seconds_for_one(s);
    signature->as_found = o->minimize && seconds < 0;
    if (o->minimize && !signature->kept && !late && seconds >= 0) {
        stats.seconds = seconds;
        small = search_minimize(s, p, &finding, &stats);
        signature->status = stats.flaky ? STATUS_FLAKY : signature->status;
        *met = stats;
    } else if (signature->kept && s->queued && seconds >= 0) { /* its group is that of the report */
        const Program *before = report_program(&s->work, o->out, signature->folder);
        Finding shown = finding;
        if (before && search_shows(s, &s->checker, before, &shown) &&
            shown.oracle == finding.oracle) {
            small = before;
            finding = shown;
        }
    }
    KnownIssue *issue = small != p ? known_when_minimized(s, small, &finding, as_found) : NULL;
    StagePlace place = {0};
    if (!issue && s->queued) {
        const char *own = stage_of_pair(&s->checker);
        place = seconds < 0 ? (StagePlace){own, stage_group(&s->home, own, small, &finding), NULL}
                            : stage_place(&s->stages, &s->own.checker, &s->checker, &s->known,
                                          &s->home, small, &finding);
        issue = place.issue;
    }
    if (issue) {
        signature->status = status_of_issue(s, issue);
        note_known(s, signature, small, &finding, fired, issue);
        return issue;
    }
    signature->statements = program_size(small);
    if (s->queued) {
        signature->stage = arena_strdup(&s->home, place.stage);
        signature->key = place.group;
        signature->terms = stage_search_terms(&s->home, place.stage, small, &finding);
    }
    if (s->queued && !late && seconds >= 0) {
        signature->script = script_run(&s->checker, small, s->end);
        bool one_runs = strncmp(finding.a, "ok", 2) == 0 || strncmp(finding.b, "ok", 2) == 0;
        if (signature->script == SCRIPT_NOTHING && finding.oracle == ORACLE_status && one_runs) {
            signature->status = STATUS_UNREPRODUCED;
            s->events.dropped(s->events.user, signature);
            search_keep_record(s, signature, small, &finding, fired);
            return NULL;
        }
    }
    const char *bare = signature->bare ? " without its probes" : "",
               *origin =
                   signature->first < s->seeds.n
                       ? arena_printf(&s->work, "%s%s", s->seeds.v[signature->first].source, bare)
                       : arena_printf(&s->work, "fuzz --seed %llu, program %lld%s",
                                      (unsigned long long)o->seed, (long long)signature->first,
                                      bare);
    const char *path =
        search_write_report(s, signature,
                            &(Report){.original = p,
                                      .minimized = small,
                                      .finding = &finding,
                                      .checker = &s->checker,
                                      .stats = o->minimize && !signature->as_found ? &stats : NULL,
                                      .origin = origin,
                                      .folder = signature->folder});
    s->events.finding(s->events.user, s, &(SearchFinding){signature, small, &finding, fired, path});
    search_keep_record(s, signature, small, &finding, fired);
    signature->file = path && s->detailed ? arena_printf(&s->home, "%s/%s/minimized.json", o->out,
                                                         signature->folder)
                                          : NULL;
    return NULL;
}

/* The first finding of a signature: known, or minimized and reported. Returns the issue that
 * explains it, or NULL. */
static KnownIssue *triage_first(Search *s, Signature *new, const Program *p, const Finding *finding,
                                uint32_t fired, KnownIssue *issue, MinimizeStats *met) {
    if (issue) {
        new->status = status_of_issue(s, issue);
        note_known(s, new, p, finding, fired, issue);
        return issue;
    }
    new->status = s->unsteady ? STATUS_FLAKY : STATUS_NEW;
    return report_signature(s, new, p, finding, fired, met);
}

/* A located finding of `p`: known, the first of its signature, or one more of it. Counts it and
 * `more` of its kind. */
static void search_triage(Search *s, const SearchSlot *slot, const Program *p,
                          const Finding *finding, uint32_t fired, int64_t more,
                          MinimizeStats *met) {
    const KnownPair pair = known_pair(&s->checker);
    KnownIssue *issue = known_find(&s->known, &pair, p, false, finding);
    Signature *one = search_signature(s, finding, issue != NULL);
    bool first = !one;
    if (first) {
        one = add_signature(s, finding, issue != NULL, slot);
        issue = one ? triage_first(s, one, p, finding, fired, issue, met) : issue;
    } else if (s->options->every && !issue) {
        Signature again = {.first = slot->index, .bare = slot->bare, .statements = program_size(p)};
        snprintf(again.text, sizeof again.text, "%s", finding->signature);
        s->events.finding(s->events.user, s, &(SearchFinding){&again, p, finding, fired, NULL});
    }
    FindingStatus status = one ? one->status : issue ? status_of_issue(s, issue) : STATUS_NEW;
    if (issue) {
        issue->seen++;
    }
    if (one) {
        one->count += more + !first;
    }
    if (status == STATUS_NEW || status == STATUS_FLAKY) {
        s->code = worst(s->code, EXIT_FINDINGS);
    }
    group_add(&s->groups, &(GroupFinding){.key = search_key(one, finding),
                                          .signature = finding->signature,
                                          .status = status,
                                          .issue = issue,
                                          .first = slot->index,
                                          .count = 1 + (one ? more : 0),
                                          .is_new = first && one,
                                          .ops = group_ops(&s->work, p)});
}

/* What a located finding is triaged by: it and its program, or, where its group would be a new one,
 * an isolated sub-finding. */
static const Program *search_isolate(Search *s, const Program *p, Finding *finding) {
    return group_find(&s->groups, group_key(finding))
               ? p
               : sub_finding(&s->work, p, &s->checker, finding);
}

void search_take_finding(Search *s, const SearchSlot *slot, CheckResult *out) {
    check_locate(&s->checker, slot->p, &out->finding, s->arena);
    MinimizeStats met = {0}, none = {0};
    const Program *p = s->options->first ? slot->p : search_isolate(s, slot->p, &out->finding);
    search_triage(s, slot, p, &out->finding, p == slot->p ? out->fired : 1u << out->finding.oracle,
                  0, &met);
    for (int i = 0; i < met.nother && !s->options->first; i++) { /* groups that minimizing met */
        Finding *finding = &met.other[i].finding;
        check_locate(&s->checker, met.other[i].program, finding, s->arena);
        p = search_isolate(s, met.other[i].program, finding);
        if (!group_find(&s->groups, group_key(finding))) {
            search_triage(s, slot, p, finding, 1u << finding->oracle, 0, &none);
        }
    }
    arena_reset(&s->work);
}

/* ---- after the search ---- */

/* The signature of a finding that the same function of the compiler raised, in the same way. */
static const Signature *search_of_frame(Search *s, const Finding *finding) {
    char group[sizeof finding->cause.group];
    snprintf(group, sizeof group, "%.79s", finding->frame);
    const char *kind =
        arena_printf(&s->work, "%s-%s-", oracle_name(finding->oracle), finding->kind);
    bool one_function = group[0] && !frame_is_of_every_op(finding->frame);
    for (int i = 0; i < s->nsignatures && one_function; i++) {
        if (strcmp(s->signature[i].group, group) == 0 &&
            strncmp(s->signature[i].text, kind, strlen(kind)) == 0) {
            return &s->signature[i];
        }
    }
    return NULL;
}

/* Locates and triages what waits: first the first finding of each sketch. */
static void search_settle_one(Search *s, const Waiting *w) {
    SearchSlot slot = {.p = w->program, .index = w->index, .bare = w->bare};
    Finding finding = w->finding;
    MinimizeStats met = {0};
    const Signature *same = search_of_frame(s, &finding);
    if (same) { /* raised by the same function of the compiler: nothing is run */
        snprintf(finding.signature, sizeof finding.signature, "%s", same->text);
    } else if (search_seconds_for_one(s) >= 0) {
        check_locate(&s->checker, w->program, &finding, &s->work);
    }
    snprintf(finding.cause.group, sizeof finding.cause.group, "%.79s", finding.frame);
    snprintf(finding.cause.text, sizeof finding.cause.text, "%.79s", finding.frame);
    int64_t more = w->rank == 0
                       ? s->backlog.sketch[w->sketch]->count - s->backlog.sketch[w->sketch]->kept
                       : 0; /* programs of the sketch that were not kept */
    s->unsteady = !backlog_steady(&s->backlog, w);
    search_triage(s, &slot, w->program, &finding, w->fired, more, &met);
    arena_reset(&s->work);
}

void search_settle(Search *s) {
    Backlog *b = &s->backlog;
    check_forget(&s->checker);
    double end = s->end;
    backlog_repeat(b, &s->own, end > 0 ? now_seconds() + 0.5 * (end - now_seconds()) : 0);
    s->unsettled = b->nsketches;
    s->unlisted += b->dropped;
    for (int rank = 0; rank < BACKLOG_OF_SKETCH; rank++) {
        for (int i = 0; i < b->n && s->code < EXIT_ENVIRONMENT; i++) {
            if (b->waiting[i]->rank == rank) {
                search_settle_one(s, b->waiting[i]);
                s->unsettled -= s->unsettled > 0;
                s->now = now_seconds();
                s->events.progress(s->events.user, s);
            }
        }
    }
}
