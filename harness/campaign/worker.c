/* Checks a program and counts it in the ledger. A finding is located, since it is identified by its
 * signature; the first program of each signature is written whole to CAMPAIGN/new/ before the
 * ledger says that the program is done, so that however the process dies, the program is either
 * there or is checked again. */
#include "harness/campaign/worker.h"

#include "harness/triage/locate.h"

#include "fuzz/mutate/mutate.h"
#include "harness/campaign/feedback.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

int worker_open(Worker *w, const CampaignOptions *o, const char *campaign, const char *name,
                char *message, size_t message_size) {
    memset(w, 0, sizeof *w);
    w->options = o;
    w->campaign = campaign;
    w->name = name;
    const char *folder = arena_printf(&w->arena, "%s/%s", campaign, name);
    if (!io_mkdirs(folder, message, message_size) ||
        !(w->ledger =
              ledger_open(arena_printf(&w->arena, "%s/ledger", folder), message, message_size))) {
        return EXIT_ENVIRONMENT;
    }
    w->counts = *ledger_counts(w->ledger);
    CheckerOptions own = o->checker;
    own.targets.shares_compiler = true; /* the campaign confirms findings */
    int code = checker_open_options(&w->checker, &own, message, message_size);
    if (code != 0) {
        ledger_close(w->ledger);
        return code;
    }
    Executor *both[2] = {&w->checker.b, &w->checker.a};
    for (int i = 0; i < 2 && !w->compiler; i++) {
        w->compiler = strncmp(both[i]->name, "compiled", strlen("compiled")) == 0 ? both[i] : NULL;
    }
    return 0;
}

void worker_close(Worker *w) {
    checker_close(&w->checker);
    ledger_close(w->ledger);
    arena_destroy(&w->arena);
}

static void keep_program(Worker *w, const Program *p, const char *what) {
    arena_reset(&w->arena);
    Text text = {.arena = &w->arena};
    program_print(&text, p, false);
    const char *path = arena_printf(&w->arena, "%s/new/%s-%s.json", w->campaign, w->name, what);
    const char *aside = arena_printf(&w->arena, "%s/%s/finding.tmp", w->campaign, w->name);
    char message[1024];
    if (!io_put(path, aside, text.v, text.n, message, sizeof message)) {
        die("%s", message);
    }
}

static void worker_count(Worker *w, const Program *p, const CheckResult *out) {
    Counts *c = &w->counts;
    c->programs++;
    c->statements += program_size(p);
    c->calls += out->a->ncalls;
    c->verdicts[out->verdict]++;
    c->skips[out->skip] += out->verdict == SKIP;
    bool refused = false;
    for (int k = 0; k < out->a->ncalls; k++) {
        if (!out->a->calls[k].ok) {
            c->errors[out->a->calls[k].error]++;
            refused = true;
        }
    }
    c->refusals += refused;
    for (int id = 0; out->verdict == FINDING && id < ORACLE_COUNT; id++) {
        c->fired[id] += (out->fired >> id) & 1;
    }
}

/* Checks it; features go to w->features. The number decides about the checks that are not made for
 * every program. */
static void worker_observe(Worker *w, const Program *p, int64_t number, Arena *arena,
                           CheckResult *out) {
    Checker *c = &w->checker;
    check_schedule(c, w->options->checker.compile.verify, w->options->every_stage, number);
    features_clear(&w->features);
    if (w->compiler) {
        w->compiler->compile.features = &w->features;
    }
    check_program(c, p, arena, out);
    if (w->compiler) {
        w->compiler->compile.features = NULL; /* locating runs other programs */
    }
}

bool worker_check(Worker *w, const Program *p, int64_t number, Arena *arena) {
    CheckResult out;
    worker_observe(w, p, number, arena, &out);
    worker_count(w, p, &out);
    if (out.verdict == FINDING) {
        check_locate(&w->checker, p, &out.finding, arena);
        if (ledger_see(w->ledger, &out.finding, number)) {
            keep_program(w, p, seen_name(arena, out.finding.signature, out.finding.cause.group));
        }
    }
    int fresh = ledger_feature(w->ledger, &w->features);
    w->counts.features += fresh;
    if (w->on_program) {
        w->on_program(w);
    }
    return fresh > 0;
}

void worker_recall(Worker *w, const Program *p, int64_t number, Arena *arena) {
    CheckResult out;
    worker_observe(w, p, number, arena, &out);
    w->counts.features += ledger_feature(w->ledger, &w->features);
    w->ledger->recalled++;
}

void worker_give_up(Worker *w, const Program *p, int64_t number) {
    char what[64];
    snprintf(what, sizeof what, "died-%lld", (long long)number);
    keep_program(w, p, what);
    w->counts.programs++;
    w->counts.verdicts[FINDING]++;
}

/* ---- jobs of other engines ---- */

bool worker_describe(const char *campaign, const char *name, const CampaignOptions *o,
                     char *message, size_t message_size) {
    Arena arena = ARENA_EMPTY;
    Text text = {.arena = &arena};
    text_printf(&text, "%s\n%s\n", campaign, name);
    for (int i = 0; i < o->nwords; i++) {
        text_printf(&text, "%s\n", o->words[i]);
    }
    const char *folder = arena_printf(&arena, "%s/%s", campaign, name);
    bool ok =
        io_mkdirs(folder, message, message_size) &&
        io_write(arena_printf(&arena, "%s/job", folder), text.v, text.n, message, message_size);
    arena_destroy(&arena);
    return ok;
}

/* The lines of the file `job`: campaign, name, words of the command line. */
static void open_described(Worker *w, CampaignOptions *o, CampaignParse *parse, Arena *arena) {
    char message[1024], *text;
    int64_t n;
    if (io_read(arena, "job", IO_MAX_BYTES, &text, &n, message, sizeof message) != IO_OK) {
        die("not a job of a campaign: %s", message);
    }
    char **word = arena_array(arena, char *, n + 1);
    int nword = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        word[nword++] = line;
    }
    if (nword < 2 || !parse(o, nword - 2, word + 2, message, sizeof message)) {
        die("the file 'job' is not what a campaign wrote: %s", nword < 2 ? "too short" : message);
    }
    if (worker_open(w, o, word[0], word[1], message, sizeof message) != 0) {
        die("%s", message);
    }
    w->checker.run.limits = MUTATE_LIMITS;
}

void worker_follow_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void worker_input(const uint8_t *v, size_t n, CampaignParse *parse,
                  void (*on_program)(const Worker *w)) {
    static Worker worker;
    static CampaignOptions options;
    static Arena arena, home;
    static bool open;
    if (!open) {
        worker_follow_parent();
        op_table_init();
        open_described(&worker, &options, parse, &home);
        worker.on_program = on_program;
        open = true;
    }
    arena_reset(&arena);
    char message[256];
    const Program *p = codec_decode(&arena, v, (int64_t)n, &MUTATE_LIMITS, message, sizeof message);
    if (p) {
        worker_check(&worker, p, worker.counts.programs, &arena);
        ledger_set(worker.ledger, &worker.counts);
        feedback_tell_new(&worker.features);
    }
}
