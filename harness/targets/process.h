/* One process of a target: a child with its three streams. Nothing here blocks but
 * process_wait_line. */
#ifndef HARNESS_TARGET_PROCESS_H
#define HARNESS_TARGET_PROCESS_H

#include "tensor/base.h"

#include <poll.h>
#include <sys/types.h>

enum {
    PROCESS_TAIL = 2000 /* bytes kept of standard error, the last ones */,
    PROCESS_LINE = 16 << 20 /* longest answer */
};

typedef struct Process {
    pid_t pid;        /* 0: not running */
    int in, out, err; /* its standard input, output, error; -1: closed */
    char *line;       /* what it has answered so far; malloc */
    size_t used, capacity;
    const char *send; /* what is still to be written to it; not ours */
    size_t left;
    char tail[PROCESS_TAIL + 1];
    size_t ntail;
    bool ended;    /* its standard output is closed */
    char end[160]; /* how it ended: "killed by signal 9" (process_stop) */
} Process;

/* Starts `argv` with `environment` ("NAME=VALUE", NULL-ended) added; false and a sentence if the
 * system has no room for it. */
bool process_start(Process *p, char *const *argv, char *const *environment, char *message,
                   size_t message_size);
/* Adds what to wait for to `fds` (three at most); the number added. */
int process_poll(const Process *p, struct pollfd *fds);
/* Reads and writes what is possible now. */
void process_pump(Process *p);
/* The length of a whole line at p->line, without its newline, or -1. */
ptrdiff_t process_line(const Process *p);
void process_drop_line(Process *p);
/* Too much without a newline. */
bool process_floods(const Process *p);
/* Kills it with its children, collects it, and writes p->end: what it ended of by itself, or
 * "killed". Frees what it holds. */
void process_stop(Process *p);
/* The last line of its standard error that is not empty, printable, or "". */
void process_last_words(const Process *p, char *out, size_t size);

#endif
