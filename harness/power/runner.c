/* Runs trials: one process each, `jobs` at a time, so that one that dies ends nothing else and its
 * CPU time is its own. A child writes its answer, one line, to a pipe; the parent appends it to
 * trials.jsonl. Trials are started number by number over all faults, so that an early end leaves
 * every fault with about as many. */
#include "harness/power/power.h"

#include "harness/util/clock.h"
#include "harness/util/interrupt.h"
#include "harness/util/io.h"
#include "harness/util/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_AT_ONCE = 256, LINE_BYTES = 1024, POLL_MILLISECONDS = 200 };

/* A trial under way. */
typedef struct Process {
    pid_t pid;          /* and its process group; 0: this place is free */
    const char *folder; /* of a trial by an engine, or NULL; this process removes it */
    int pipe;
    FaultId fault;
    int number;
    char line[LINE_BYTES];
    int n;
} Process;

typedef struct PowerRunner {
    const PowerOptions *options;
    const Output *output;
    Arena *arena;
    PowerRun *run;
    const char *program; /* for engines: this program's file */
    int file;            /* trials.jsonl, or -1 */
    Process process[MAX_AT_ONCE];
    int next;  /* number of the next trial that may be missing: trial * nfaults + fault */
    int total; /* trials in all */
    int found;
    double shown;
    int code;
    char *message;
    size_t message_size;
} PowerRunner;

static int runner_fail(PowerRunner *r, const char *sentence) {
    if (r->code == 0) {
        r->code = EXIT_ENVIRONMENT;
        snprintf(r->message, r->message_size, "%s", sentence);
    }
    return r->code;
}

static bool runner_has(const PowerRunner *r, const char *fault, int number) {
    for (int i = 0; i < r->run->n; i++) {
        const PowerTrial *t = &r->run->trial[i];
        if (t->number == number && strcmp(t->fault, fault) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- one trial ---- */

static void write_all(int file, const char *text, int64_t n) {
    for (ssize_t done; n > 0; text += done, n -= done) {
        done = write(file, text, (size_t)n);
        if (done < 0) {
            _exit(EXIT_ENVIRONMENT);
        }
    }
}

/* In the child: never returns. */
static void runner_child(const PowerRunner *r, const char *folder, FaultId fault, int number,
                         int pipe) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Arena arena = ARENA_EMPTY;
    Text text = {.arena = &arena};
    char message[512];
    PowerTrial trial;
    if (!r->options->campaign.engine) {
        power_trial(r->options, fault, number, &trial);
    } else if (!power_engine_trial(r->options, r->program, folder, fault, number, &trial, message,
                                   sizeof message)) {
        _exit(EXIT_ENVIRONMENT);
    }
    power_print_trial(&trial, &text);
    write_all(pipe, text.v, text.n);
    _exit(EXIT_AGREE);
}

static bool runner_start(PowerRunner *r, Process *p, FaultId fault, int number) {
    int ends[2];
    const bool engine = r->options->campaign.engine != NULL;
    const char *folder = engine ? power_engine_folder(r->arena) : NULL;
    if (engine && !folder) {
        return runner_fail(r, "cannot make a folder for a trial") == 0;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return runner_fail(r, "cannot make a pipe for a trial") == 0;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        runner_child(r, folder, fault, number, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return runner_fail(r, "cannot start a process for a trial") == 0;
    }
    setpgid(pid, pid); /* whoever comes first */
    *p = (Process){.pid = pid, .folder = folder, .pipe = ends[0], .fault = fault, .number = number};
    return true;
}

/* Fills the free places with the trials that are missing. */
static void runner_fill(PowerRunner *r) {
    const PowerOptions *o = r->options;
    for (int64_t k = 0; k < o->jobs && r->code == 0; k++) {
        Process *p = &r->process[k];
        while (p->pid == 0 && r->next < r->total && r->code == 0) {
            FaultId fault = o->fault[r->next % o->nfaults];
            int number = r->next / o->nfaults;
            r->next++;
            if (!runner_has(r, fault_info(fault)->id, number)) {
                runner_start(r, p, fault, number);
            }
        }
    }
}

/* ---- answers ---- */

static void runner_keep(PowerRunner *r, const PowerTrial *t) {
    Arena scratch = ARENA_EMPTY;
    Text line = {.arena = &scratch};
    power_print_trial(t, &line);
    if (r->file >= 0 && write(r->file, line.v, (size_t)line.n) != (ssize_t)line.n) {
        runner_fail(r, "cannot write to trials.jsonl");
    }
    r->run->trial[r->run->n++] = *t;
    r->found += t->detected.programs > 0;
    arena_destroy(&scratch);
}

static void runner_free(Process *p) {
    if (p->folder) {
        power_engine_remove(p->folder);
    }
    p->pid = 0;
}

/* A process has ended, and its answer is complete, or it died. */
static void runner_take(PowerRunner *r, Process *p) {
    int status = 0;
    close(p->pipe);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {
    }
    runner_free(p);
    PowerTrial t = {.number = p->number, .died = true};
    snprintf(t.fault, sizeof t.fault, "%s", fault_info(p->fault)->id);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT && p->n == 0 &&
        r->options->campaign.engine) {
        runner_fail(r, "the engine does not run: try 'twingrad fuzz --engine' with it");
        return;
    }
    if (p->n > 0 && p->line[p->n - 1] == '\n') {
        power_read_trial(p->line, p->n - 1, &t);
    }
    runner_keep(r, &t);
}

static void runner_read(PowerRunner *r, Process *p) {
    ssize_t n = read(p->pipe, p->line + p->n, sizeof p->line - (size_t)p->n);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (n > 0 && p->n + n < (ssize_t)sizeof p->line) {
        p->n += (int)n;
        return;
    }
    runner_take(r, p);
}

/* Waits for an answer, or a moment; the number of processes under way. */
static int runner_wait(PowerRunner *r) {
    struct pollfd wait[MAX_AT_ONCE];
    Process *who[MAX_AT_ONCE];
    int n = 0;
    for (int k = 0; k < MAX_AT_ONCE; k++) {
        if (r->process[k].pid != 0) {
            who[n] = &r->process[k];
            wait[n++] = (struct pollfd){.fd = r->process[k].pipe, .events = POLLIN};
        }
    }
    if (n > 0 && poll(wait, (nfds_t)n, POLL_MILLISECONDS) > 0) {
        for (int k = 0; k < n; k++) {
            if (wait[k].revents != 0) {
                runner_read(r, who[k]);
            }
        }
    }
    return n;
}

static void runner_progress(PowerRunner *r, bool last) {
    double now = now_seconds();
    if (!r->output->progress || (!last && now - r->shown < 0.5)) {
        return;
    }
    r->shown = now;
    char line[128];
    snprintf(line, sizeof line, "%d of %d trials, %d detected", r->run->n, r->total, r->found);
    r->output->progress(r->output->user, last ? "" : line);
}

static void runner_kill(PowerRunner *r) {
    for (int k = 0; k < MAX_AT_ONCE; k++) {
        if (r->process[k].pid != 0) {
            kill(-r->process[k].pid, SIGKILL);
            close(r->process[k].pipe);
            waitpid(r->process[k].pid, NULL, 0);
            runner_free(&r->process[k]);
        }
    }
}

/* ---- the folder ---- */

/* Cuts off a last line that has no end: its process was killed. */
static bool runner_cut_off(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t end = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
    char last = '\0';
    while (end > 0 && pread(file, &last, 1, end - 1) == 1 && last != '\n') {
        end--;
    }
    bool ok = end >= 0 && ftruncate(file, end) == 0;
    if (file >= 0) {
        close(file);
    }
    return ok;
}

/* Writes the file with this run's number of trials in the first line. */
static bool runner_write(PowerRunner *r, const char *path, const char *header,
                         const PowerRun *before) {
    Text whole = {.arena = r->arena};
    text_add(&whole, header);
    for (int i = 0; i < before->n; i++) {
        power_print_trial(&before->trial[i], &whole);
    }
    return io_write(path, whole.v, whole.n, r->message, r->message_size);
}

/* Reads what an earlier run left, and opens the file to append to; no other run can until this
 * process ends. 0, or an exit code. */
static int runner_open(PowerRunner *r, const char *header) {
    const char *out = r->options->out, *path = arena_printf(r->arena, "%s/trials.jsonl", out);
    const char *was = NULL;
    PowerRun before = {.n = 0};
    if (!io_mkdirs(out, r->message, r->message_size) ||
        !io_lock_folder(out, "run of 'twingrad power'", r->message, r->message_size)) {
        return EXIT_ENVIRONMENT;
    }
    bool resumed = access(path, F_OK) == 0;
    if (resumed) {
        int code = power_read(r->arena, out, &before, &was, r->message, r->message_size);
        if (code != 0) {
            return code;
        }
        if (!power_same_run(was, header)) {
            snprintf(r->message, r->message_size,
                     "%s holds trials of another configuration or commit; name another folder",
                     out);
            return EXIT_BAD_INPUT;
        }
    }
    for (int i = 0; i < before.n; i++) {
        if (before.trial[i].number < r->options->trials) {
            r->run->trial[r->run->n++] = before.trial[i];
            r->found += before.trial[i].detected.programs > 0;
        }
    }
    bool same = was && strncmp(was, header, strlen(was)) == 0 && header[strlen(was)] == '\n';
    if (!same && !runner_write(r, path, header, &before)) {
        return EXIT_ENVIRONMENT;
    }
    if (!runner_cut_off(path)) {
        return runner_fail(r, "cannot write to trials.jsonl");
    }
    r->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return r->file >= 0 ? 0 : runner_fail(r, "cannot append to trials.jsonl");
}

int power_run(const PowerOptions *o, const Output *output, Arena *arena, PowerRun *run,
              bool *interrupted, char *message, size_t message_size) {
    Text header = {.arena = arena};
    static PowerRunner runner; /* too large for a stack */
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    power_header(o, &header);
    runner = (PowerRunner){.options = o,
                           .output = output,
                           .arena = arena,
                           .run = run,
                           .program = self,
                           .file = -1,
                           .total = o->trials * o->nfaults,
                           .message = message,
                           .message_size = message_size};
    *run = (PowerRun){.label = o->label, .trials = o->trials, .budget = o->budget};
    run->trial = arena_array(arena, PowerTrial, runner.total + FAULT_COUNT * o->trials);
    int code = o->out ? runner_open(&runner, header.v) : 0;
    interrupt_note();
    for (bool busy = code == 0; busy && runner.code == 0 && !interrupt_came();) {
        runner_fill(&runner);
        busy = runner_wait(&runner) > 0;
        runner_progress(&runner, false);
    }
    runner_progress(&runner, true);
    runner_kill(&runner);
    *interrupted = interrupt_came();
    if (runner.file >= 0) {
        close(runner.file);
    }
    return worst(code, runner.code);
}
