/* One trial by a fuzzing engine: `twingrad fuzz --engine E --jobs 1 --fault F --first` in a process
 * and a folder of its own. Programs are counted by the campaign's ledger; CPU time is that of the
 * process and its descendants, starting the engine and confirming the finding included. */
#include "harness/power/power.h"

#include "harness/report/results.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int engine_remove(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

/* The command line in `argv`, which has room for 16 words beside those of the options. */
static void engine_command(const PowerOptions *o, const char *program, FaultId fault, int number,
                           const char *folder, Arena *arena, char **argv) {
    const CampaignOptions *c = &o->campaign;
    int n = 0;
    const char *const words[] = {
        program,
        "fuzz",
        "--engine",
        c->engine,
        "--jobs",
        "1",
        "--first",
        "--no-minimize",
        "--quiet",
        "--fault",
        fault_info(fault)->id,
        "--seed",
        arena_printf(arena, "%llu", (unsigned long long)c->seed + (unsigned long long)number),
        "--seconds",
        arena_printf(arena, "%g", o->budget),
        arena_printf(arena, "--out=%s", folder),
    };
    for (int i = 0; i < COUNT_OF(words); i++) {
        argv[n++] = arena_strdup(arena, words[i]);
    }
    for (int i = 0; i < c->nwords; i++) {
        argv[n++] = c->words[i];
    }
    argv[n] = NULL;
}

/* Runs it to its end; false if it could not be started. */
static bool engine_process(char **argv, double *seconds, int *status) {
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing >= 0) {
            dup2(nothing, STDIN_FILENO);
            dup2(nothing, STDOUT_FILENO);
            dup2(nothing, STDERR_FILENO);
        }
        execv(argv[0], argv);
        _exit(127);
    }
    struct rusage used;
    if (pid < 0 || wait4(pid, status, 0, &used) != pid) {
        return false;
    }
    *seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
               1e-6 * ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec);
    return !WIFEXITED(*status) || WEXITSTATUS(*status) != 127;
}

/* The first program with a finding, and the oracle that most findings fired. */
static void engine_read_summary(const Json *summary, double seconds, PowerTrial *out) {
    out->programs = (int64_t)results_number(summary, "programs");
    double first = -1, most = 0;
    for (const Json *s = results_list(summary, "signatures"); s; s = s->next) {
        double here = results_number(s, "first");
        bool counts = strcmp(results_text(s, "outcome", ""), "new") == 0;
        first = counts && (first < 0 || here < first) ? here : first;
    }
    if (first < 0) {
        return;
    }
    out->detected = (Moment){(int64_t)first + 1, seconds};
    for (const Json *f = results_list(summary, "fired"); f; f = f->next) {
        if (json_double(f) > most) {
            most = json_double(f);
            snprintf(out->oracle, sizeof out->oracle, "%s", f->key);
        }
    }
}

bool power_engine_trial(const PowerOptions *o, const char *program, FaultId fault, int number,
                        PowerTrial *out, char *message, size_t message_size) {
    char folder[] = "/tmp/twingrad-power-XXXXXX";
    Arena arena = ARENA_EMPTY;
    if (!mkdtemp(folder)) {
        snprintf(message, message_size, "cannot make a folder in /tmp");
        return false;
    }
    char **argv = arena_array(&arena, char *, 17 + o->campaign.nwords);
    int status = 0;
    engine_command(o, program, fault, number, folder, &arena, argv);
    *out = (PowerTrial){.number = number};
    snprintf(out->fault, sizeof out->fault, "%s", fault_info(fault)->id);
    bool ran = engine_process(argv, &out->seconds, &status);
    char *text;
    int64_t length;
    const char *path = arena_printf(&arena, "%s/campaign/summary.json", folder);
    ran = ran && WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_FINDINGS &&
          io_read(&arena, path, IO_MAX_BYTES, &text, &length, message, message_size) == IO_OK;
    if (ran) {
        Reader r = {.arena = &arena, .message = message, .message_size = message_size};
        const Json *summary = json_parse(&r, text, (size_t)length);
        ran = summary != NULL;
        engine_read_summary(summary, out->seconds, out);
    }
    if (!ran) {
        snprintf(message, message_size, "the campaign of engine '%s' under fault %s did not end",
                 o->campaign.engine, out->fault);
    }
    nftw(folder, engine_remove, 16, FTW_DEPTH | FTW_PHYS);
    arena_destroy(&arena);
    return ran;
}
