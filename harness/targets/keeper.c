/* Killing a process group misses a child that made a session of its own, and a child that outlives
 * its parent keeps the pipes of a dead target open. Both are descendants, though: as a subreaper,
 * this process becomes the parent of those whose own parent ends, so that killing its children
 * again and again, until there is none, kills all. */
#include "harness/targets/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

sigset_t keeper_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    return set;
}

static _Noreturn void become(const KeeperTask *task, pid_t keeper) {
    sigset_t set = keeper_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) {
        _exit(127);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (dup2(task->in, 0) < 0 || dup2(task->out, 1) < 0 || dup2(task->err, 2) < 0) {
        _exit(127);
    }
    for (int i = 0; task->environment[i]; i++) {
        putenv(task->environment[i]);
    }
    struct rlimit before;
    bool limited = task->memory > 0 && getrlimit(RLIMIT_DATA, &before) == 0;
    if (limited) { /* address space would count what is only reserved; from here on, this process
                      gets no memory if a sanitizer has taken more */
        struct rlimit limit = {(rlim_t)task->memory, before.rlim_max};
        setrlimit(RLIMIT_DATA, &limit);
    }
    execvp(task->argv[0], task->argv);
    int error = errno;
    if (limited) { /* the message needs memory */
        setrlimit(RLIMIT_DATA, &before);
    }
    dprintf(2, "cannot run %s: %s\n", task->argv[0], strerror(error));
    _exit(127);
}

/* Kills each child that the kernel lists; false if it lists none. */
static bool kill_children(void) {
    char text[4096];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    bool any = false;
    pid_t pid = 0;
    for (ssize_t i = 0; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
        } else if (pid > 0) { /* a number that is cut off at the end is read the next time */
            kill(pid, SIGKILL);
            any = true;
            pid = 0;
        }
    }
    return any;
}

/* Until no descendant is left; without /proc, `target` (0: it has ended). */
static void kill_all(pid_t target) {
    if (target > 0) {
        kill(target, SIGKILL);
    }
    while (kill_children()) {
        while (waitpid(-1, NULL, 0) < 0 && errno == EINTR) {
        }
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
}

/* Ends as the target did. */
static _Noreturn void end_as(int status) {
    if (WIFSIGNALED(status)) {
        struct rlimit no_core = {0, 0};
        sigset_t set;
        setrlimit(RLIMIT_CORE, &no_core);
        signal(WTERMSIG(status), SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, WTERMSIG(status));
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        kill(getpid(), WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

/* Descriptors of other targets: a pipe that stays open here would never report its end. */
static void close_all(void) {
    long most = sysconf(_SC_OPEN_MAX);
#ifdef __NR_close_range
    if (syscall(__NR_close_range, 0U, ~0U, 0U) == 0) {
        return;
    }
#endif
    for (int fd = 0; fd < (most > 0 ? most : 1024); fd++) {
        close(fd);
    }
}

_Noreturn void keeper_run(const KeeperTask *task, pid_t parent) {
    sigset_t set = keeper_signals();
    setpgid(0, 0);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t self = getpid(), target = getppid() == parent ? fork() : -1;
    if (target == 0) {
        become(task, self);
    }
    close_all();
    if (target < 0) {
        _exit(127);
    }
    for (;;) {
        int status, signal = sigwaitinfo(&set, NULL);
        pid_t ended;
        while (signal == SIGCHLD && (ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == target) {
                kill_all(0);
                end_as(status);
            }
        }
        if (signal == SIGTERM) {
            kill_all(target);
            end_as(SIGKILL);
        }
    }
}
