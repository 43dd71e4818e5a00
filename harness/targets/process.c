/* A child process with pipes, under a keeper, which ends as the target does and leaves no
 * descendant of it behind. It ends with this process (parent death signal, end of its standard
 * input). The pipes are non-blocking: a child that never reads, or never stops writing, cannot
 * block us. */
#include "harness/targets/process.h"

#include "harness/targets/keeper.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_pair(int *pair) {
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            close(pair[i]);
        }
    }
}

bool process_start(Process *p, char *const *argv, char *const *environment, int64_t memory,
                   char *message, size_t message_size) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    memset(p, 0, sizeof *p);
    p->in = p->out = p->err = -1;
    signal(SIGPIPE, SIG_IGN); /* a write to a dead child fails with EPIPE instead */
    fflush(NULL);
    pid_t pid = -1, self = getpid();
    if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0) {
        const sigset_t signals = keeper_signals();
        sigset_t before;
        pthread_sigmask(SIG_BLOCK, &signals, &before);
        pid = fork();
        if (pid != 0) {
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
    }
    if (pid < 0) {
        snprintf(message, message_size, "cannot start a process: %s", strerror(errno));
        close_pair(in);
        close_pair(out);
        close_pair(err);
        return false;
    }
    if (pid == 0) {
        const KeeperTask task = {argv, environment, in[0], out[1], err[1], memory};
        close(in[1]); /* the keeper's child gets the other ends */
        keeper_run(&task, self);
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    p->pid = pid;
    p->in = in[1];
    p->out = out[0];
    p->err = err[0];
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    fcntl(p->out, F_SETFL, O_NONBLOCK);
    fcntl(p->err, F_SETFL, O_NONBLOCK);
    return true;
}

int process_poll(const Process *p, struct pollfd *fds) {
    int n = 0;
    if (p->pid == 0) {
        return 0;
    }
    if (p->out >= 0 && !p->ended) {
        fds[n++] = (struct pollfd){.fd = p->out, .events = POLLIN};
    }
    if (p->err >= 0) {
        fds[n++] = (struct pollfd){.fd = p->err, .events = POLLIN};
    }
    if (p->in >= 0 && p->left > 0) {
        fds[n++] = (struct pollfd){.fd = p->in, .events = POLLOUT};
    }
    return n;
}

static void pump_error(Process *p) {
    char chunk[PROCESS_TAIL];
    while (p->err >= 0) {
        ssize_t n = read(p->err, chunk, sizeof chunk);
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                close(p->err);
                p->err = -1;
            }
            return;
        }
        size_t got = (size_t)n,
               keep = p->ntail + got > PROCESS_TAIL ? PROCESS_TAIL - got : p->ntail;
        memmove(p->tail, p->tail + (p->ntail - keep), keep);
        memcpy(p->tail + keep, chunk, got);
        p->ntail = keep + got;
        p->tail[p->ntail] = '\0';
    }
}

static void pump_output(Process *p) {
    while (!p->ended && !process_floods(p)) {
        if (p->capacity - p->used < 4096) {
            size_t capacity = p->capacity ? 2 * p->capacity : 65536;
            char *line = realloc(p->line, capacity);
            if (!line) {
                die("out of memory: %zu bytes for a target's answer", capacity);
            }
            p->line = line;
            p->capacity = capacity;
        }
        ssize_t n = read(p->out, p->line + p->used, p->capacity - p->used);
        if (n <= 0) {
            p->ended = n == 0 || (errno != EAGAIN && errno != EINTR);
            return;
        }
        p->used += (size_t)n;
    }
}

static void pump_input(Process *p) {
    while (p->in >= 0 && p->left > 0) {
        ssize_t n = write(p->in, p->send, p->left);
        if (n < 0) {
            if (errno != EAGAIN && errno != EINTR) {
                p->left = 0; /* it no longer reads; its answer or its end decides */
            }
            return;
        }
        p->send += n;
        p->left -= (size_t)n;
    }
}

void process_pump(Process *p) {
    if (p->pid != 0) {
        pump_input(p);
        pump_output(p);
        pump_error(p);
    }
}

ptrdiff_t process_line(const Process *p) {
    const char *newline = p->used > 0 ? memchr(p->line, '\n', p->used) : NULL;
    return newline ? newline - p->line : -1;
}

void process_drop_line(Process *p) {
    ptrdiff_t n = process_line(p);
    CHECK(n >= 0);
    memmove(p->line, p->line + n + 1, p->used - (size_t)n - 1);
    p->used -= (size_t)n + 1;
}

bool process_floods(const Process *p) { return p->used > PROCESS_LINE && process_line(p) < 0; }

int64_t process_memory(const Process *p) {
    char path[80];
    int target = 0;
    long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)p->pid, (int)p->pid);
    FILE *f = p->pid > 0 ? fopen(path, "re") : NULL;
    if (f) {
        target = fscanf(f, "%d", &target) == 1 ? target : 0;
        fclose(f);
    }
    snprintf(path, sizeof path, "/proc/%d/statm", target);
    f = target > 0 ? fopen(path, "re") : NULL;
    if (f) {
        pages = fscanf(f, "%*d %lld", &pages) == 1 ? pages : 0;
        fclose(f);
    }
    return (int64_t)(pages * sysconf(_SC_PAGESIZE) >> 20);
}

void process_stop(Process *p) {
    if (p->pid == 0) {
        return;
    }
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; p->ended && i < 100 && ended == 0;
         i++) { /* its output is closed: wait for its own end, to report how it ended */
        ended = waitpid(p->pid, &status, WNOHANG);
        if (ended == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
    }
    if (ended == 0) {
        kill(p->pid, SIGTERM); /* to the keeper, which kills the target and its children */
        while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {
        }
        snprintf(p->end, sizeof p->end, "killed");
    } else if (WIFSIGNALED(status)) {
        snprintf(p->end, sizeof p->end, "died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(p->end, sizeof p->end, "exited with status %d", WEXITSTATUS(status));
    }
    pump_error(p);
    int fds[3] = {p->in, p->out, p->err};
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    free(p->line);
    p->line = NULL;
    p->in = p->out = p->err = -1;
    p->pid = 0;
    p->used = p->capacity = p->left = 0;
}

void process_last_words(const Process *p, char *out, size_t size) {
    size_t end = p->ntail;
    while (end > 0 && isspace((unsigned char)p->tail[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && p->tail[begin - 1] != '\n') {
        begin--;
    }
    size_t n = end - begin < size - 1 ? end - begin : size - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p->tail[begin + i];
        out[i] = (char)(c >= 0x20 && c < 0x7f ? c : '?');
    }
    out[n] = '\0';
}
