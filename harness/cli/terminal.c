/* Standard output and standard error as the Output of the library, colors, progress lines. */
#include "harness/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRESS_WIDTH = 100 };

static void terminal_text(void *user, const char *text, int64_t length) {
    (void)user;
    fwrite(text, 1, (size_t)length, stdout);
    fflush(stdout);
}

static void terminal_problem(void *user, const char *sentence) {
    (void)user;
    complain(EXIT_ENVIRONMENT, "%s", sentence);
}

static void terminal_progress(void *user, const char *line) {
    (void)user;
    if (line[0]) {
        fprintf(stderr, "\r%s ", line);
    } else {
        fprintf(stderr, "\r%*s\r", PROGRESS_WIDTH, "");
    }
}

Output terminal_output(const Options *o) {
    return (Output){.text = terminal_text,
                    .problem = terminal_problem,
                    .progress = progress_wanted(o) ? terminal_progress : NULL,
                    .red = color("\033[31m"),
                    .plain = color("\033[0m")};
}

bool progress_wanted(const Options *o) { return !o->quiet && isatty(STDERR_FILENO); }

const char *color(const char *code) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool wanted =
        isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0;
    return wanted ? code : "";
}
