/* fuzz: generates programs and checks them, in this process (search/search.h) or, with --engine,
 * --jobs or --resume, as a campaign of several (campaign/campaign.h). */
#include "harness/campaign/campaign.h"
#include "harness/cli/fuzz.h"
#include "harness/util/interrupt.h"

#include <stdio.h>

#define PROGRESS_SECONDS 0.5

typedef struct FuzzState {
    const CampaignOptions *options;
    Output output;
    double shown; /* when progress was shown last */
} FuzzState;

static void on_fuzz_finding(void *user, const Search *s, const SearchFinding *f) {
    (void)user;
    fuzz_print_finding(s, f);
}

static void on_fuzz_known(void *user, const Signature *s, const KnownIssue *issue) {
    FuzzState *state = user;
    fuzz_print_known(state->options, s, issue);
}

static void on_fuzz_dropped(void *user, const Signature *s) {
    FuzzState *state = user;
    fuzz_print_dropped(state->options, s);
}

static void on_fuzz_problem(void *user, const char *sentence) {
    (void)user;
    complain(EXIT_ENVIRONMENT, "%s", sentence);
}

static void on_fuzz_progress(void *user, const Search *s) {
    FuzzState *state = user;
    const CampaignOptions *o = s->options;
    if (!state->output.progress || s->now - state->shown < PROGRESS_SECONDS) {
        return;
    }
    state->shown = s->now;
    double elapsed = s->now - s->start;
    double rate = elapsed > 0 ? (double)s->tally.programs / elapsed : 0;
    double left = o->seconds > 0 ? o->seconds - elapsed : -1;
    if (o->runs > 0 && rate > 0) {
        double by_runs = (double)(o->runs - s->stream) / (double)o->shard.count / rate;
        left = left < 0 || by_runs < left ? by_runs : left;
    }
    char line[256];
    snprintf(line, sizeof line,
             "%lld programs, %.0f a second, %lld findings (%d signatures), %.0f s left",
             (long long)s->tally.programs, rate, (long long)s->checker.verdicts[FINDING],
             s->nsignatures, left > 0 ? left : 0);
    state->output.progress(state->output.user, line);
}

/* results.json and report.html in the output folder, and what else the options name. */
static int fuzz_write_results(Search *s) {
    const CampaignOptions *o = s->options;
    if (!o->out && !o->reports.results && !results_wanted(&o->reports)) {
        return EXIT_AGREE;
    }
    Results results = {.arena = &s->home};
    for (int i = 0; i < s->nsignatures; i++) {
        const Signature *signature = &s->signature[i];
        results_add_finding(&results,
                            &(ResultsFinding){.outcome = finding_status_name(signature->status),
                                              .file = signature->file,
                                              .signature = signature->text,
                                              .record = signature->record,
                                              .group = signature->key,
                                              .count = signature->count,
                                              .first = signature->first,
                                              .statements = signature->statements});
    }
    tally_sample(&s->tally, search_compile_counters(s), s->nsignatures, s->now - s->start);
    Text summary = {.arena = &s->home}, text = {.arena = &s->home};
    fuzz_summary_json(s, &summary, true);
    const ResultsRun run = {"fuzz", s->checker.pair, &o->checker.compile, &o->seed, o->shard};
    results_print(&results, &run, summary.v, &text);
    char message[1024];
    int code = results_write(&o->reports, &text, message, sizeof message);
    if (code != 0) {
        complain(code, "%s", message);
    }
    if (o->out) {
        ReportFiles in_folder = {.results = arena_printf(&s->home, "%s/results.json", o->out),
                                 .html = arena_printf(&s->home, "%s/report.html", o->out)};
        int second = results_write(&in_folder, &text, message, sizeof message);
        code = worst(code, second == 0 ? 0 : complain(second, "%s", message));
    }
    return code;
}

int fuzz_search(const CampaignOptions *o, const Output *output) {
    FuzzState state = {.options = o, .output = *output, .shown = now_seconds()};
    const SearchEvents events = {&state,          on_fuzz_finding,  on_fuzz_known,
                                 on_fuzz_dropped, on_fuzz_progress, on_fuzz_problem};
    char message[1024];
    int code;
    Search *s = search_open(o, &events, &code, message, sizeof message);
    if (!s) {
        return complain(code, "%s", message);
    }
    fuzz_print_start(s);
    search_run(s);
    output_clear(output);
    Text t = {.arena = &s->work};
    if (o->json) {
        fuzz_summary_json(s, &t, false);
        text_add(&t, "\n");
    } else {
        fuzz_summary_text(s, &t);
    }
    fwrite(t.v, 1, (size_t)t.n, stdout);
    code = worst(s->code, fuzz_write_results(s));
    search_close(s);
    return code;
}

int cmd_fuzz(const Options *o) {
    bool campaign = o->engine || o->jobs >= 0 || o->resume;
    if (!campaign && (o->binary || o->mutate >= 0)) {
        return complain(EXIT_BAD_INPUT, "--%s is for campaigns of --engine or --jobs",
                        o->binary ? "binary" : "mutate");
    }
    if (campaign && (o->targets.configs || o->no_triage)) {
        return complain(EXIT_BAD_INPUT, "--%s is not for campaigns of --engine or --jobs",
                        o->no_triage ? "no-triage" : "configs");
    }
    CampaignOptions options;
    char message[1024];
    if (!fuzz_options(o, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    Output output = terminal_output(o);
    return campaign ? campaign_run(&options, &output, fuzz_parse) : fuzz_search(&options, &output);
}
