/* One process of a target: a child with its three standard streams. No function blocks;
 * process_stop waits for the end of a process that has closed its output, half a second at most. */
#ifndef HARNESS_TARGET_PROCESS_H
#define HARNESS_TARGET_PROCESS_H

#include "tensor/base.h"

#include <poll.h>
#include <sys/types.h>

enum {
    PROCESS_TAIL = 2000 /* bytes kept of standard error, the last ones */,
    PROCESS_LINE = 64 << 20 /* longest answer: 65 calls on large tensors take 17 MB */
};

typedef struct Process {
    pid_t pid;        /* of its keeper (keeper.h); 0: not running */
    int in, out, err; /* its standard input, output, error; -1: closed */
    char *line;       /* its output that is not yet consumed; malloc */
    size_t used, capacity;
    const char *send; /* what is still to be written to it; borrowed */
    size_t left;
    char tail[PROCESS_TAIL + 1];
    size_t ntail;
    bool ended;    /* its standard output is closed */
    char end[160]; /* how it ended: "killed by signal 9" (process_stop) */
} Process;

/* Starts `argv` with `environment` ("NAME=VALUE", NULL-ended) added and with at most `memory` bytes
 * of data in each of its processes (0: no limit); false and a message if the system cannot start a
 * process. */
bool process_start(Process *p, char *const *argv, char *const *environment, int64_t memory,
                   char *message, size_t message_size);
/* Adds its descriptors to `fds` (three at most); returns how many. */
int process_poll(const Process *p, struct pollfd *fds);
/* Reads and writes as much as is possible without blocking. */
void process_pump(Process *p);
/* The length of a whole line at p->line, without its newline, or -1. */
ptrdiff_t process_line(const Process *p);
void process_drop_line(Process *p);
/* Is its output longer than PROCESS_LINE, without a newline? */
bool process_floods(const Process *p);
/* Resident megabytes of the target itself, 0 if unknown. */
int64_t process_memory(const Process *p);
/* Kills the process and its children, reaps it, and fills p->end: how it ended by itself, or
 * "killed". Frees its buffers. */
void process_stop(Process *p);
/* The last non-empty line of its standard error, made printable; "" if there is none. */
void process_last_words(const Process *p, char *out, size_t size);

#endif
