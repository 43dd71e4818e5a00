/* Output: where a long-running part of the library sends what people should see while it runs. The
 * command line maps it to standard output and standard error (cli/terminal.c); nothing below cli/
 * writes to either. */
#ifndef HARNESS_OUTPUT_H
#define HARNESS_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Output {
    void *user; /* passed to every callback */
    /* Results: written and flushed at once, so that a process that is forked next holds no copy. */
    void (*text)(void *user, const char *text, int64_t length);
    /* One sentence about something that went wrong, without a newline. */
    void (*problem)(void *user, const char *sentence);
    /* The line that says how far the work is, in place of the last one; "" clears it. NULL if
     * nobody watches. */
    void (*progress)(void *user, const char *line);
    const char *red, *plain; /* before and after a word that stands out; "" without colors */
} Output;

/* Sends a formatted sentence as a problem; returns `code`. */
int output_problem(const Output *out, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Formatted results. */
void output_printf(const Output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Clears the progress line, if there is one. */
void output_clear(const Output *out);

#endif
