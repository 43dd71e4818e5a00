/* The watch over jobs: start them, start again those that die, judge what they find, stop at the
 * limits, sum up.
 *
 * Signals are not handled but waited for: SIGINT, SIGTERM and SIGCHLD are blocked and taken by
 * sigtimedwait, so that nothing is ever interrupted halfway. Jobs are in process groups of their
 * own (^C reaches us alone) and are killed by the kernel if we die. */
#include "harness/campaign/campaign.h"

#include "harness/campaign/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TICK_MS = 200,
    STUCK_SECONDS = 90,
    GRACE_SECONDS = 4,
    CONFIRM_SECONDS = 300,
    EARLY_SECONDS = 2,
    MAX_EARLY = 5
};

static sigset_t waited_for(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    return set;
}

/* A child in a group of its own, with the signals open, that dies with us. */
static pid_t fork_child(void) {
    pid_t parent = getpid();
    fflush(stdout);
    fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        sigset_t set = waited_for();
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        if (getppid() != parent) {
            _exit(EXIT_ENVIRONMENT);
        }
    } else if (pid < 0) {
        die("cannot start a process: %s", strerror(errno));
    }
    return pid;
}

/* ---- jobs ---- */

/* Standard output and error go to the job's log. */
static void log_to(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666), null = open("/dev/null", O_RDONLY);
    if (fd < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
        dup2(fd, STDERR_FILENO) < 0) {
        _exit(EXIT_ENVIRONMENT);
    }
}

static void start_job(Campaign *c, int k) {
    Job *job = &c->job[k];
    job->started = now_seconds();
    job->starts++;
    job->pid = fork_child();
    if (job->pid > 0) {
        return;
    }
    log_to(arena_printf(&c->scratch, "%s/%s/log", c->folder, job->name));
    c->engine->become(c, k);
    fprintf(stderr, "cannot start %s\n", c->engine->name);
    _exit(EXIT_ENVIRONMENT);
}

static int open_jobs(Campaign *c) {
    char message[1024];
    for (int k = 0; k < c->njobs; k++) {
        Job *job = &c->job[k];
        snprintf(job->name, sizeof job->name, "%s-%d", c->engine->name, k);
        if (!worker_describe(c->folder, job->name, c->options, message, sizeof message) ||
            !(job->ledger =
                  ledger_open(arena_printf(&c->scratch, "%s/%s/ledger", c->folder, job->name),
                              message, sizeof message))) {
            return complain(EXIT_ENVIRONMENT, "%s", message);
        }
    }
    return 0;
}

/* The last line that a job printed, for one that does not come up. */
static const char *last_words(Campaign *c, const Job *job) {
    char *text, message[256];
    int64_t n;
    if (io_read(&c->scratch, arena_printf(&c->scratch, "%s/%s/log", c->folder, job->name),
                IO_MAX_BYTES, &text, &n, message, sizeof message) != IO_OK) {
        return "";
    }
    while (n > 0 && text[n - 1] == '\n') {
        text[--n] = '\0';
    }
    char *line = strrchr(text, '\n');
    return printable(&c->scratch, line ? line + 1 : text);
}

static void job_ended(Campaign *c, Job *job, int status) {
    job->pid = 0;
    int64_t programs = ledger_counts(job->ledger)->programs;
    bool early = now_seconds() - job->started < EARLY_SECONDS && programs == job->programs;
    job->programs = programs;
    if (WIFSIGNALED(status)) {
        job->ledger->died_at = ledger_counts(job->ledger)->next + 1;
    }
    job->finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    job->died_early = early && !job->finished ? job->died_early + 1 : 0;
    if (job->died_early >= MAX_EARLY ||
        (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT)) {
        job->finished = true;
        c->code = worst(c->code, complain(EXIT_ENVIRONMENT, "job %s does not run: %s", job->name,
                                          last_words(c, job)));
    }
}

/* Kills jobs that have not got any further for long: what they hang at is judged by the engine's
 * own limit, or by ours. */
static void look_after(Campaign *c) {
    for (int k = 0; k < c->njobs; k++) {
        Job *job = &c->job[k];
        int64_t programs = ledger_counts(job->ledger)->programs;
        double now = now_seconds();
        if (job->pid <= 0 || programs != job->programs) {
            job->programs = programs;
            job->moved = now;
        } else if (now - job->moved > STUCK_SECONDS) {
            kill(-job->pid, SIGKILL);
            job->moved = now;
        }
    }
}

/* ---- judging ---- */

static void start_confirm(Campaign *c) {
    if (c->confirm > 0 || (!c->confirming && !(c->confirming = folder_next(c)))) {
        return;
    }
    c->confirm_since = now_seconds();
    c->confirm = fork_child();
    if (c->confirm == 0) {
        int answer = confirm_file(c, c->confirming, c->confirm_tries > 0);
        fflush(stdout);
        _exit(answer);
    }
}

/* A judge that dies met another bug while it minimized: then the file is judged as it is. */
static void confirm_ended(Campaign *c, int status) {
    c->confirm = 0;
    if (!WIFEXITED(status) && c->confirm_tries++ == 0) {
        return;
    }
    c->confirm_tries = 0;
    int answer = WIFEXITED(status) ? WEXITSTATUS(status) : CONFIRM_FINDING;
    if (!WIFEXITED(status)) {
        complain(EXIT_FINDINGS, "%s/judged/%s ends the process that judges it", c->folder,
                 c->confirming);
    }
    if (answer == CONFIRM_FINDING) {
        c->code = worst(c->code, EXIT_FINDINGS);
    } else if (answer == CONFIRM_TROUBLE) {
        c->code =
            worst(c->code, complain(EXIT_ENVIRONMENT, "could not judge %s/new/%s: it is kept there",
                                    c->folder, c->confirming));
    }
    if (answer != CONFIRM_TROUBLE) {
        folder_confirmed(c, c->confirming);
        Counts counts = *ledger_counts(c->own);
        counts.next++;
        ledger_set(c->own, &counts);
    }
    free(c->confirming);
    c->confirming = NULL;
}

static void reap(Campaign *c) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == c->confirm) {
            confirm_ended(c, status);
        }
        for (int k = 0; k < c->njobs; k++) {
            if (c->job[k].pid == pid) {
                job_ended(c, &c->job[k], status);
            }
        }
    }
    if (c->confirm > 0 && now_seconds() - c->confirm_since > CONFIRM_SECONDS) {
        kill(c->confirm, SIGKILL);
    }
}

/* ---- the watch ---- */

/* Sleeps up to a tick; true if the user or the system asks for the end. */
static bool asked_to_stop(void) {
    const sigset_t set = waited_for();
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    int signal = sigtimedwait(&set, NULL, &tick);
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

static bool limit_reached(Campaign *c) {
    const Options *o = c->options;
    bool running = false;
    for (int k = 0; k < c->njobs; k++) {
        running |= !c->job[k].finished;
    }
    return !running || (o->seconds > 0 && campaign_elapsed(c) >= o->seconds) ||
           (o->runs > 0 && campaign_sum(c)->programs >= o->runs) ||
           (o->first && c->code == EXIT_FINDINGS) || c->code >= EXIT_ENVIRONMENT;
}

static void tick(Campaign *c) {
    arena_reset(&c->scratch);
    reap(c);
    look_after(c);
    if (c->engine->gather) {
        c->engine->gather(c);
    }
    start_confirm(c);
    Counts counts = *ledger_counts(c->own);
    counts.seconds = campaign_elapsed(c);
    ledger_set(c->own, &counts);
}

static void stop_jobs(Campaign *c) {
    double since = now_seconds();
    for (bool left = true, killed = false; left;) {
        left = false;
        for (int k = 0; k < c->njobs; k++) {
            if (c->job[k].pid > 0) {
                left = true;
                kill(killed ? -c->job[k].pid : c->job[k].pid, killed ? SIGKILL : SIGTERM);
            }
        }
        killed = now_seconds() - since > GRACE_SECONDS;
        if (left) {
            asked_to_stop();
            reap(c);
        }
    }
}

static void watch(Campaign *c) {
    while (!limit_reached(c)) {
        for (int k = 0; k < c->njobs; k++) {
            if (c->job[k].pid == 0 && !c->job[k].finished) {
                start_job(c, k);
            }
        }
        c->interrupted = asked_to_stop();
        tick(c);
        show_now(c, false);
        if (c->interrupted) {
            break;
        }
    }
    stop_jobs(c);
    bool again = false; /* a second ^C: what is left is judged by the next run */
    for (tick(c); c->confirm > 0 && !again && !(c->options->first && c->code == EXIT_FINDINGS);
         tick(c)) {
        again = asked_to_stop();
    }
    if (c->confirm > 0) {
        kill(c->confirm, SIGKILL);
        waitpid(c->confirm, NULL, 0);
    }
    show_now(c, true);
}

int campaign_run(const Options *given) {
    Options options = *given;
    Campaign c = {.options = &options, .njobs = 1};
    int code = folder_open(&c, &options);
    c.njobs = options.jobs > 0 ? (int)options.jobs : 1;
    code = code ? code : folder_seed(&c);
    code = code ? code : open_jobs(&c);
    if (code != 0) {
        arena_destroy(&c.arena);
        arena_destroy(&c.scratch);
        return code;
    }
    const sigset_t set = waited_for();
    sigprocmask(SIG_BLOCK, &set, NULL);
    c.sum = arena_new(&c.arena, Ledger);
    c.before = ledger_counts(c.own)->seconds;
    c.start = c.shown = c.recorded = c.last_time = now_seconds();
    show_start(&c);
    watch(&c);
    show_summary(&c);
    for (int k = 0; k < c.njobs; k++) {
        ledger_close(c.job[k].ledger);
    }
    ledger_close(c.own);
    arena_destroy(&c.arena);
    arena_destroy(&c.scratch);
    return c.code;
}
