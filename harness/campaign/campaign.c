/* The supervisor of jobs: starts them, restarts those that die, has their findings confirmed, stops
 * at the limits, sums up.
 *
 * Signals are not handled but waited for: SIGINT, SIGTERM and SIGCHLD are blocked and taken by
 * sigtimedwait, so that nothing is ever interrupted halfway. Jobs and the process that confirms are
 * in process groups of their own (^C reaches the supervisor alone) and are killed by the kernel if
 * the supervisor dies. They keep its lock of the folder, in which they write, until they have
 * ended. */
#include "harness/campaign/campaign.h"

#include "harness/campaign/worker.h"
#include "harness/util/clock.h"
#include "harness/util/io.h"
#include "harness/util/printable.h"
#include "harness/util/status.h"
#include "tensor/array.h"

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
    MAX_TRIES = 2,
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

/* Forks a child in a process group of its own, with the signals unblocked, that dies with this
 * process. -1 after a problem. */
static pid_t fork_child(Campaign *c) {
    pid_t parent = getpid();
    fflush(NULL); /* what is buffered is written once, by this process */
    pid_t pid = fork();
    if (pid == 0) {
        sigset_t set = waited_for();
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        if (getppid() != parent) {
            _exit(EXIT_ENVIRONMENT);
        }
    } else if (pid > 0) {
        setpgid(pid, pid); /* whichever process is first */
    } else {
        campaign_problem(c, EXIT_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    }
    return pid;
}

/* ---- jobs ---- */

/* Sends standard output and error to the job's log, whose descriptor is returned. */
static int log_to(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666),
        null = open("/dev/null", O_RDONLY);
    if (fd < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
        dup2(fd, STDERR_FILENO) < 0) {
        _exit(EXIT_ENVIRONMENT);
    }
    return fd;
}

static void start_job(Campaign *c, int k) {
    Job *job = &c->job[k];
    job->started = job->moved = now_seconds();
    job->starts++;
    job->began = ledger_counts(job->ledger)->programs;
    job->ledger->at = 0; /* of an earlier campaign, which was killed with its jobs */
    pid_t pid = fork_child(c);
    if (pid != 0) {
        job->pid = pid > 0 ? pid : 0;
        return;
    }
    int log = log_to(arena_printf(&c->scratch, "%s/%s/log", c->folder, job->name));
    c->engine->become(c, k);
    dprintf(log, "cannot start %s\n", c->engine->name);
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
            return output_problem(c->output, EXIT_ENVIRONMENT, "%s", message);
        }
        if (message[0]) {
            output_problem(c->output, EXIT_AGREE, "%s", message);
        }
    }
    return 0;
}

/* The last line of a job's log, to show why it does not start. */
static const char *last_line_of_log(Campaign *c, const Job *job) {
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

/* Does the log say that the process ended, with the environment's status, for want of memory? */
static bool ran_out_of_memory(Campaign *c, const Job *job, int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT &&
           strstr(last_line_of_log(c, job), "out of memory") != NULL;
}

/* Did the process end itself in a program, as under a sanitizer that has found an error? */
static bool ended_in_program(const Job *job, int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) != 0 &&
           WEXITSTATUS(status) != EXIT_ENVIRONMENT && job->ledger->at != 0;
}

static void job_ended(Campaign *c, Job *job, int status) {
    job->pid = 0;
    Ledger *l = job->ledger;
    int64_t checked = ledger_counts(l)->programs - job->began;
    bool hungry = l->at != 0 && ran_out_of_memory(c, job, status);
    if ((WIFSIGNALED(status) && !c->stopping) || ended_in_program(job, status) || hungry) {
        ledger_note_death(l);
    }
    /* one of the programs may have been given up: if there is no memory, no program runs */
    bool none = checked <= (hungry ? 1 : 0);
    bool early = none && (hungry || l->deaths > 2 || now_seconds() - job->started < EARLY_SECONDS);
    bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    job->finished = done && c->engine->ends;
    job->died_early = early && !job->finished ? job->died_early + 1 : 0;
    if (job->died_early >= MAX_EARLY ||
        (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT && !hungry)) {
        job->finished = true;
        const char *line = last_line_of_log(c, job);
        campaign_problem(c, EXIT_ENVIRONMENT, "job %s does not run: %s", job->name,
                         line[0] ? line
                         : done  ? "it ends without checking a program"
                                 : "its log is empty, as on a full disk");
    }
}

/* Kills jobs that have made no progress for long. An engine has a shorter limit of its own, by
 * which it reports the input that hangs. */
static void kill_stuck_jobs(Campaign *c) {
    for (int k = 0; k < c->njobs; k++) {
        Job *job = &c->job[k];
        int64_t progress = ledger_progress(job->ledger);
        double now = now_seconds();
        if (job->pid <= 0 || progress != job->progress) {
            job->progress = progress;
            job->moved = now;
        } else if (now - job->moved > STUCK_SECONDS) {
            kill(-job->pid, SIGKILL);
            job->moved = now;
        }
    }
}

/* ---- confirming ---- */

static void start_confirm(Campaign *c) {
    if (c->cannot_confirm || c->confirm > 0 ||
        (!c->confirming && !(c->confirming = folder_next(c)))) {
        return;
    }
    c->confirm_since = now_seconds();
    c->confirm_late = false;
    pid_t pid = fork_child(c);
    if (pid == 0) {
        const char *name = c->confirming;
        _exit((int)(c->confirm_tries < MAX_TRIES
                        ? confirm_file(c, name, c->confirm_tries > 0)
                        : confirm_death(c, name, c->confirm_signal, CONFIRM_SECONDS)));
    }
    c->confirm = pid > 0 ? pid : 0;
}

bool confirm_left(const Campaign *c, const char *name) {
    for (int i = 0; i < c->nleft; i++) {
        if (strcmp(c->left[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The process ended without an answer, as one that runs out of memory does. */
static void leave_in_new(Campaign *c, const char *how, int number) {
    output_problem(c->output, EXIT_ENVIRONMENT,
                   "cannot confirm %s/new/%s: the process that does so %s %d; it is kept there",
                   c->folder, c->confirming, how, number);
    c->left =
        array_reserve(&c->arena, c->left, c->nleft, &c->left_room, MAX_TRIES, sizeof *c->left);
    c->left[c->nleft++] = arena_strdup(&c->arena, c->confirming);
}

/* A process that dies met another bug while it minimized: the file is then confirmed as it is. If
 * that process dies, too, its death is the finding. */
static void confirm_ended(Campaign *c, int status) {
    c->confirm = 0;
    if (WIFSIGNALED(status) && c->confirm_tries < MAX_TRIES) {
        c->confirm_tries++;
        c->confirm_signal = c->confirm_late ? 0 : WTERMSIG(status);
        return;
    }
    c->confirm_tries = 0;
    bool done = false;
    switch (WIFEXITED(status) ? WEXITSTATUS(status) : 0) {
    case CONFIRM_FINDING:
        c->code = worst(c->code, EXIT_FINDINGS);
        done = true;
        break;
    case CONFIRM_NOTHING:
    case CONFIRM_KNOWN:
    case CONFIRM_SEEN:
        done = true;
        break;
    case CONFIRM_TROUBLE: /* a full disk: trying again would not end */
        c->cannot_confirm = true;
        campaign_problem(c, EXIT_ENVIRONMENT, "cannot confirm %s/new/%s: it is kept there",
                         c->folder, c->confirming);
        break;
    default:
        leave_in_new(c, WIFEXITED(status) ? "ended with status" : "died of signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    if (done) {
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
        c->confirm_late = true;
        kill(-c->confirm, SIGKILL);
    }
}

/* ---- the event loop ---- */

/* Sleeps up to a tick; true if the user or the system has requested the end. */
static bool stop_requested(void) {
    const sigset_t set = waited_for();
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    int signal = sigtimedwait(&set, NULL, &tick);
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/* Is an executor of the pair a target, whose findings take long to confirm? */
static bool has_target(const Campaign *c) {
    for (const char *at = c->options->checker.pair; (at = strchr(at, ':')); at++) {
        if (strncmp(at, ":native", strlen(":native")) != 0) {
            return true;
        }
    }
    return false;
}

/* With a target, seconds of the campaign that are left for what is to be confirmed. */
static double campaign_reserve(Campaign *c) {
    enum { EACH = 10 };
    if (!has_target(c)) {
        return 0;
    }
    int64_t n = folder_count(arena_printf(&c->scratch, "%s/new", c->folder));
    double most = 0.35 * c->options->seconds, wanted = (double)(EACH * n);
    return wanted < most ? wanted : most;
}

/* With a target, confirming ends with the campaign, too; the rest waits for --resume. */
static bool confirming_is_late(Campaign *c) {
    enum { GRACE = 3 };
    return c->options->seconds > 0 && has_target(c) &&
           campaign_elapsed(c) >= c->options->seconds + GRACE;
}

static bool limit_reached(Campaign *c) {
    const CampaignOptions *o = c->options;
    bool running = false;
    for (int k = 0; k < c->njobs; k++) {
        running |= !c->job[k].finished;
    }
    return !running ||
           (o->seconds > 0 && campaign_elapsed(c) >= o->seconds - campaign_reserve(c)) ||
           (o->runs > 0 && campaign_sum(c)->programs >= o->runs) ||
           (o->first && c->code == EXIT_FINDINGS) || c->code >= EXIT_ENVIRONMENT;
}

static void tick(Campaign *c) {
    arena_reset(&c->scratch);
    reap(c);
    kill_stuck_jobs(c);
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
    c->stopping = true;
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
            c->interrupted |= stop_requested();
            reap(c);
        }
    }
}

static void supervise(Campaign *c) {
    while (!limit_reached(c)) {
        for (int k = 0; k < c->njobs; k++) {
            if (c->job[k].pid == 0 && !c->job[k].finished) {
                start_job(c, k);
            }
        }
        c->interrupted = stop_requested();
        tick(c);
        show_now(c, false);
        if (c->interrupted) {
            break;
        }
    }
    stop_jobs(c);
    bool again = false; /* a second ^C: the next run confirms the rest */
    for (tick(c); c->confirm > 0 && !again && !confirming_is_late(c) &&
                  !(c->options->first && c->code == EXIT_FINDINGS);
         tick(c)) {
        again = stop_requested();
        c->interrupted |= again;
    }
    if (c->confirm > 0) {
        kill(-c->confirm, SIGKILL);
        waitpid(c->confirm, NULL, 0);
    }
    if (c->nleft > 0) {
        c->code = worst(c->code, EXIT_ENVIRONMENT);
    }
    show_now(c, true);
}

int campaign_run(const CampaignOptions *given, const Output *output, CampaignParse *parse) {
    CampaignOptions options = *given;
    Campaign c = {.options = &options, .output = output, .njobs = 1};
    int code = folder_open(&c, &options, parse);
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
    supervise(&c);
    show_summary(&c);
    for (int k = 0; k < c.njobs; k++) {
        ledger_close(c.job[k].ledger);
    }
    ledger_close(c.own);
    arena_destroy(&c.arena);
    arena_destroy(&c.scratch);
    return c.code;
}
