/* One trial by a fuzzing engine: `twingrad fuzz --engine E --jobs 1 --fault F --first` in a process
 * and a folder of its own. Programs are counted by the campaign's ledger; CPU time is that of the
 * process and its descendants, starting the engine and confirming the finding included. The
 * campaign is asked to end when it has used the budget. */
#include "harness/power/power.h"

#include "harness/report/results.h"
#include "harness/targets/processor_time.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MILLISECONDS = 20, /* between two looks at the CPU time that a campaign has used */
    PATIENCE = 20,          /* seconds of the clock in which a campaign gets one of the processor */
    REMOVALS = 100          /* attempts: processes that were killed may still write */
};

static int engine_remove(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

const char *power_engine_folder(Arena *arena) {
    const char *temporary = getenv("TMPDIR");
    return mkdtemp(arena_printf(arena, "%s/twingrad-power-XXXXXX",
                                temporary && temporary[0] ? temporary : "/tmp"));
}

void power_engine_remove(const char *folder) {
    for (int i = 0; i < REMOVALS && access(folder, F_OK) == 0; i++) {
        poll(NULL, 0, i > 0 ? LOOK_MILLISECONDS : 0);
        nftw(folder, engine_remove, 16, FTW_DEPTH | FTW_PHYS);
    }
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
        arena_printf(arena, "%.0f", ceil(PATIENCE * o->budget)),
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

/* Waits for its end, and asks for it as soon as the budget is spent. */
static bool engine_wait(pid_t pid, double budget, int *status, struct rusage *used) {
    bool asked = false;
    pid_t ended;
    while ((ended = wait4(pid, status, WNOHANG, used)) == 0) {
        if (!asked && processor_time(pid) >= budget) {
            asked = kill(pid, SIGTERM) == 0;
        }
        poll(NULL, 0, LOOK_MILLISECONDS);
    }
    return ended == pid;
}

/* Runs it to its end; false if it could not be started. It dies with this process. */
static bool engine_process(char **argv, double budget, double *seconds, int *status) {
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(127);
        }
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
    if (pid < 0 || !engine_wait(pid, budget, status, &used)) {
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

bool power_engine_trial(const PowerOptions *o, const char *program, const char *folder,
                        FaultId fault, int number, PowerTrial *out, char *message,
                        size_t message_size) {
    Arena arena = ARENA_EMPTY;
    char **argv = arena_array(&arena, char *, 17 + o->campaign.nwords);
    int status = 0;
    engine_command(o, program, fault, number, folder, &arena, argv);
    *out = (PowerTrial){.number = number};
    snprintf(out->fault, sizeof out->fault, "%s", fault_info(fault)->id);
    bool ran = engine_process(argv, o->budget, &out->seconds, &status);
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
    arena_destroy(&arena);
    return ran;
}
