/* power: how often and how fast the search finds each seeded fault (harness/power); with folders of
 * earlier runs, compares them instead. */
#include "harness/cli/command.h"
#include "harness/cli/fuzz.h"
#include "harness/power/power.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POWER_TRIALS 20
#define POWER_BUDGET 60

/* "NU-1,RG-1a", "NU" for a family, or everything. */
static bool power_faults(const char *list, PowerOptions *out, char *message, size_t size) {
    bool wanted[FAULT_COUNT] = {false};
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
        char name[64];
        FaultId id;
        int n = (int)strcspn(at, ","), hits = 0;
        snprintf(name, sizeof name, "%.*s", n, at);
        if (fault_parse(name, &id)) {
            wanted[id] = true;
            continue;
        }
        for (int k = 0; k < FAULT_COUNT; k++) {
            const char *each = fault_info((FaultId)k)->id;
            bool family = n > 0 && strncmp(each, name, (size_t)n) == 0 && each[n] == '-';
            wanted[k] |= family;
            hits += family;
        }
        if (hits == 0) {
            snprintf(message, size, "--faults: there is no fault '%.60s' (see 'twingrad faults')",
                     name);
            return false;
        }
    }
    for (int k = 0; k < FAULT_COUNT; k++) {
        if (!list || wanted[k]) {
            out->fault[out->nfaults++] = (FaultId)k;
        }
    }
    return true;
}

/* The words that a process of an engine gets as well: those that both commands take. */
static void power_words(const Options *o, PowerOptions *out) {
    static const char *const own[] = {"--trials", "--budget", "--faults", "--jobs",     "--out",
                                      "--engine", "--seed",   "--label",  "--markdown", "--svg"};
    char **words = calloc((size_t)o->nwords + 1, sizeof *words);
    CHECK(words);
    out->campaign.words = words;
    out->campaign.nwords = 0;
    for (int i = o->nfiles; i < o->nwords; i++) {
        bool mine = strcmp(o->words[i], "--json") == 0 || strcmp(o->words[i], "--quiet") == 0;
        for (int k = 0; k < COUNT_OF(own) && !mine; k++) {
            size_t n = strlen(own[k]);
            bool same = strncmp(o->words[i], own[k], n) == 0;
            mine = same && (o->words[i][n] == '=' || o->words[i][n] == '\0');
            i += same && o->words[i][n] == '\0';
        }
        if (!mine) {
            words[out->campaign.nwords++] = o->words[i];
        }
    }
}

static bool power_options(const Options *o, PowerOptions *out, char *message, size_t size) {
    *out = (PowerOptions){.trials = (int)(o->trials > 0 ? o->trials : POWER_TRIALS),
                          .budget = o->budget > 0 ? o->budget : POWER_BUDGET,
                          .jobs = o->jobs > 0 ? o->jobs : 1,
                          .label = o->label    ? o->label
                                   : o->engine ? o->engine
                                               : "generator",
                          .commit = cli_commit(),
                          .out = o->out};
    if (o->trials > 10000 || o->jobs > 256) {
        snprintf(message, size, "--trials is at most 10000, and --jobs 256");
        return false;
    }
    if (!fuzz_options(o, &out->campaign, message, size) ||
        !power_faults(o->faults, out, message, size)) {
        return false;
    }
    if (o->compile.fault != FAULT_NONE || out->campaign.checker.targets.timeout < 0) {
        snprintf(message, size, "name faults with --faults, one trial has one fault");
        return false;
    }
    power_words(o, out);
    return true;
}

static int power_write(const Options *o, const PowerRun *runs, int n, Arena *arena) {
    Text picture = {.arena = arena};
    char message[1024];
    const char *path = o->svg   ? o->svg
                       : o->out ? arena_printf(arena, "%s/power.svg", o->out)
                                : NULL;
    if (!path) {
        return EXIT_AGREE;
    }
    power_curves(runs, n, arena, &picture);
    return io_write(path, picture.v, picture.n, message, sizeof message)
               ? EXIT_AGREE
               : complain(EXIT_ENVIRONMENT, "%s", message);
}

/* Compares the first folder with each of the others; of one alone, shows its table. */
static int power_show(const Options *o, Arena *arena) {
    PowerRun *run = arena_array(arena, PowerRun, o->nfiles);
    Text out = {.arena = arena};
    char message[1024];
    for (int i = 0; i < o->nfiles; i++) {
        int code = power_read(arena, o->files[i], &run[i], NULL, message, sizeof message);
        if (code != 0) {
            return complain(code, "%s", message);
        }
    }
    if (o->nfiles == 1) {
        (o->json ? power_json : power_table)(&run[0], arena, &out);
    }
    for (int i = 1; i < o->nfiles; i++) {
        (o->json ? power_compare_json : power_compare_table)(&run[0], &run[i], arena, &out);
    }
    fwrite(out.v, 1, (size_t)out.n, stdout);
    return power_write(o, run, o->nfiles, arena);
}

static int power_measure(const Options *o, Arena *arena) {
    PowerOptions options;
    PowerRun run;
    Text out = {.arena = arena};
    char message[1024];
    bool interrupted = false;
    if (!power_options(o, &options, message, sizeof message)) {
        return complain(EXIT_BAD_INPUT, "%s", message);
    }
    Output output = terminal_output(o);
    int code = power_run(&options, &output, arena, &run, &interrupted, message, sizeof message);
    free(options.campaign.words);
    if (code != 0) {
        return complain(code, "%s", message);
    }
    if (interrupted) {
        (void)complain(EXIT_AGREE, "interrupted: %d trials are done", run.n);
    }
    (o->json ? power_json : power_table)(&run, arena, &out);
    fwrite(out.v, 1, (size_t)out.n, stdout);
    return power_write(o, &run, 1, arena);
}

int cmd_power(const Options *o) {
    Arena arena = ARENA_EMPTY;
    int code = o->nfiles > 0 ? power_show(o, &arena) : power_measure(o, &arena);
    arena_destroy(&arena);
    return code;
}
