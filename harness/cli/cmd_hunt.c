/* hunt: bugs of a compiling target, for hours: the search of `fuzz` on its eager mode and one of
 * its compiling modes after the other, in rounds of a few minutes (hunt/hunt.h). */
#include "harness/cli/fuzz.h"
#include "harness/hunt/hunt.h"
#include "harness/targets/target.h"
#include "harness/util/interrupt.h"
#include "harness/util/status.h"
#include "harness/targets/mode.h"

#include <stdio.h>
#include <string.h>

static const double HUNT_MINUTES = 60, ROUND_MINUTES = 10;

enum {
    LEAST_SECONDS = 20,   /* of a round: the targets have to start */
    USEFUL_SECONDS = 180, /* what is left for the search of a shorter one is little */
    MOST_PATIENCE = 2,    /* times a round's seconds for its findings, when the search is over */
    INDUCTOR_WORKERS =
        4, /* by default: processes that share the C++ compiler wait most of the time */
    MAX_MODES = 32
};

typedef struct HuntRun {
    Options options; /* those that hold: of a hunt that is resumed, the stored ones, overridden */
    const char *target;
    const char *mode[MAX_MODES];
    int nmodes;
    Hunt hunt;
    Arena arena;
    int code;
} HuntRun;

/* ---- what to hunt in ---- */

/* Those that compile, comma-separated. */
static const char *hunt_all_modes(Arena *arena) {
    Text all = {.arena = arena};
    for (int i = 0; i < MODE_ROWS; i++) {
        if (MODES[i].compiles) {
            text_printf(&all, "%s%s", all.n > 0 ? "," : "", MODES[i].name);
        }
    }
    return all.v;
}

/* The modes of --modes, each of which the target must have; or those that compile, as far as it has
 * them. */
static int hunt_modes(HuntRun *run) {
    const Options *o = &run->options;
    char message[1024];
    Target *t;
    TargetSettings settings = target_settings(o);
    int code = target_open(arena_printf(&run->arena, "%s:eager", run->target), NULL, &settings, &t,
                           message, sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    const char *has = arena_strdup(&run->arena, target_modes(t));
    target_close(t);
    const char *at = o->modes ? o->modes : hunt_all_modes(&run->arena), *name;
    for (int n; (n = mode_next(&at, &name)) > 0;) {
        bool there = target_modes_have(has, name, (size_t)n);
        if (!there && o->modes) {
            return complain(EXIT_ENVIRONMENT, "%s has no mode '%.*s' here (it has: %s)",
                            run->target, n, name, has);
        }
        if (there && run->nmodes < MAX_MODES) {
            run->mode[run->nmodes++] = arena_printf(&run->arena, "%.*s", n, name);
        }
    }
    return run->nmodes > 0 ? 0
                           : complain(EXIT_ENVIRONMENT, "%s has no compiling mode (it has: %s)",
                                      run->target, has);
}

/* ---- resuming ---- */

/* The words that are stored from now on: those of the log, then these without --resume. */
static int take_words(HuntRun *run, const Options *o) {
    Hunt *h = &run->hunt;
    char **words = arena_array(&run->arena, char *, h->nwords + o->nwords + 1), message[512];
    int n = 0;
    for (int i = 0; i < h->nwords; i++) {
        words[n++] = h->words[i];
    }
    for (int i = 0; i < o->nwords; i++) {
        if (strcmp(o->words[i], "--resume") != 0) {
            words[n++] = o->words[i];
        }
    }
    h->words = arena_copy(&run->arena, words, (int64_t)sizeof *words * n);
    h->nwords = n;
    run->options = (Options){.command = "hunt"};
    bool help = false;
    return options_parse(&run->options, n, words, command_options("hunt"), &help, message,
                         sizeof message)
               ? 0
               : complain(EXIT_BAD_INPUT, "%s", message);
}

/* ---- rounds ---- */

/* Seconds that are left of the hunt. */
static double hunt_seconds_left(const HuntRun *run) {
    const Options *o = &run->options;
    return 60 * (o->minutes > 0 ? o->minutes : HUNT_MINUTES) - hunt_seconds(&run->hunt);
}

/* Seconds of the next round; 0: the hunt is over. */
static double next_seconds(const HuntRun *run) {
    const Options *o = &run->options;
    double left = hunt_seconds_left(run), done = hunt_seconds(&run->hunt), all = left + done,
           each = 60 * (o->round > 0 ? o->round : ROUND_MINUTES);
    if (run->hunt.nrounds == HUNT_MAX_ROUNDS) {
        return 0;
    }
    if (o->runs > 0 && o->minutes <= 0) {
        return run->hunt.nrounds < run->nmodes ? each : 0;
    }
    if (each > all / run->nmodes) { /* each mode has a turn, or, by default, as many as can be */
        bool chosen = o->modes || o->round > 0;
        each = !chosen && all / run->nmodes < USEFUL_SECONDS ? USEFUL_SECONDS : all / run->nmodes;
    }
    return done > 0 && left < (each < LEAST_SECONDS ? each / 2 : LEAST_SECONDS) ? 0
           : left < each                                                        ? left
                                                                                : each;
}

static bool needs_cpp_compiler(const char *mode) {
    size_t n = mode_base_length(mode);
    return n == strlen("inductor") && strncmp(mode, "inductor", n) == 0;
}

static int run_round(HuntRun *run, double seconds, const Output *output) {
    Hunt *h = &run->hunt;
    const char *mode = run->mode[h->nrounds % run->nmodes];
    const char *results = hunt_results_name(h, mode);
    Options own = run->options;
    own.command = "fuzz"; /* the same defaults */
    own.pair =
        arena_printf(&run->arena, "%s:%s,%s:%s", run->target, mode_eager(mode), run->target, mode);
    own.seed = hunt_new_seed(h, mode, own.seed + (uint64_t)h->nrounds);
    own.workers = own.workers < 0 && needs_cpp_compiler(mode) ? INDUCTOR_WORKERS : own.workers;
    own.seconds = own.runs > 0 && own.minutes <= 0 ? 0 : seconds;
    own.reports.results = arena_printf(&run->arena, "%s/%s", h->out, results);
    CampaignOptions options;
    char message[1024];
    if (!fuzz_options(&own, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    int turns = h->nrounds < run->nmodes ? run->nmodes - 1 - h->nrounds : 0; /* each mode has one */
    double after = hunt_seconds_left(run) - seconds * (1 + turns), most = MOST_PATIENCE * seconds;
    options.patience = after < 0 ? 0 : after < most ? after : most;
    if (!own.json) {
        output_printf(output, "round %d, %s:\n", h->nrounds + 1, mode);
    }
    double begin = now_seconds();
    int code = fuzz_search(&options, output);
    const Round round = {.mode = mode,
                         .seed = own.seed,
                         .seconds = now_seconds() - begin,
                         .code = code,
                         .results = results};
    bool cut = own.seconds <= 0 && interrupt_came(); /* a resumed hunt runs all of it */
    if (code < EXIT_BAD_INPUT && !cut) {
        int written = hunt_add(h, &round, message, sizeof message);
        code = worst(code, written == 0 ? 0 : complain(written, "%s", message));
    }
    return code;
}

/* ---- the summary ---- */

static void print_modes(const HuntRun *run, const Output *output) {
    const Hunt *h = &run->hunt;
    output_printf(output, "\n%-16s %7s %9s %9s %9s\n", "mode", "rounds", "minutes", "programs",
                  "findings");
    for (int i = 0; i < run->nmodes; i++) {
        int rounds = 0;
        double seconds = 0;
        long long programs = 0, findings = 0;
        for (int k = 0; k < h->nrounds; k++) {
            const Round *round = &h->round[k];
            if (strcmp(round->mode, run->mode[i]) == 0) {
                rounds++;
                seconds += round->seconds;
                programs += round->programs;
                findings += round->findings;
            }
        }
        output_printf(output, "%-16s %7d %9.1f %9lld %9lld\n", run->mode[i], rounds, seconds / 60,
                      programs, findings);
    }
    output_printf(output, "%d rounds, %.1f minutes; all results: %s/report.html\n", h->nrounds,
                  hunt_seconds(h) / 60, h->out);
}

static void print_json(const HuntRun *run, const Output *output) {
    const Hunt *h = &run->hunt;
    Arena arena = ARENA_EMPTY;
    Text t = {.arena = &arena};
    text_printf(&t,
                "{\"type\":\"hunt\",\"schema_version\":1,\"rounds\":%d,\"seconds\":%.1f,\"out\":",
                h->nrounds, hunt_seconds(h));
    text_json_string(&t, h->out);
    text_add(&t, "}\n");
    output->text(output->user, t.v, t.n);
    arena_destroy(&arena);
}

static int hunt(HuntRun *run, const Options *o) {
    char message[1024];
    if (!o->out) {
        return complain(EXIT_BAD_INPUT,
                        "hunt needs --out DIR, the folder of reports and of its log");
    }
    if (!takes_targets(o->on)) {
        return EXIT_BAD_INPUT;
    }
    int code = hunt_open(&run->hunt, &run->arena, o->out, o->resume, message, sizeof message);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    code = take_words(run, o);
    run->options.out = o->out;
    run->target = run->options.on ? run->options.on : "torch";
    code = code ? code : hunt_modes(run);
    interrupt_note();
    if (code == 0 && hunt_write(&run->hunt, message, sizeof message) != 0) {
        code = complain(EXIT_ENVIRONMENT, "%s", message);
    }
    const Output output = terminal_output(&run->options);
    double seconds;
    code = worst(code, hunt_code(&run->hunt));
    while (code < EXIT_BAD_INPUT && !interrupt_came() && (seconds = next_seconds(run)) > 0) {
        code = worst(code, run_round(run, seconds, &output));
    }
    if (code < EXIT_BAD_INPUT && run->options.json) {
        print_json(run, &output);
    } else if (code < EXIT_BAD_INPUT) {
        print_modes(run, &output);
    }
    return code;
}

int cmd_hunt(const Options *o) {
    HuntRun run = {.arena = ARENA_EMPTY};
    int code = hunt(&run, o);
    arena_destroy(&run.arena);
    return code;
}
