/* The script is written to a temporary folder and run as a target's process is: its descendants end
 * with it. Its last words are "N differences between eager and MODE" or "no difference between ..";
 * anything else is no answer. */
#include "harness/targets/mode.h"
#include "harness/triage/script.h"

#include "harness/targets/deadline.h"
#include "harness/targets/process.h"
#include "harness/util/clock.h"
#include "harness/util/io.h"
#include "program/print/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SECONDS = 120, SCRIPT_MEMORY = 8192 };

/* What a process that has ended says. */
static ScriptAnswer answer_of(Process *process) {
    Arena scratch = ARENA_EMPTY;
    const char *said =
        process->used > 0 ? arena_printf(&scratch, "%.*s", (int)process->used, process->line) : "";
    bool none = strstr(said, "\nno difference between ") != NULL,
         some = strstr(said, " between eager and ") != NULL && !none;
    process_stop(process);
    bool died = strncmp(process->end, "died of signal", strlen("died of signal")) == 0;
    arena_destroy(&scratch);
    return some || died ? SCRIPT_SHOWS : none ? SCRIPT_NOTHING : SCRIPT_UNKNOWN;
}

/* `end`: of the clock, or 0. */
static ScriptAnswer run_until(const Target *target, const char *script, const char *mode,
                              double end) {
    char *const argv[] = {(char *)target_program(target), (char *)script, (char *)mode, NULL};
    Process process;
    char message[200];
    if (!process_start(&process, argv, target_environment(target), (int64_t)SCRIPT_MEMORY << 20,
                       message, sizeof message)) {
        return SCRIPT_UNKNOWN;
    }
    Deadline deadline;
    deadline_set(&deadline, MOST_SECONDS);
    while (!process.ended && !(end > 0 && now_seconds() >= end) &&
           !deadline_passed(&deadline, &process)) {
        struct pollfd fds[3];
        poll(fds, (nfds_t)process_poll(&process, fds), 200);
        process_pump(&process);
    }
    if (process.ended) {
        return answer_of(&process);
    }
    process_stop(&process);
    return SCRIPT_UNKNOWN;
}

ScriptAnswer script_run(const Checker *c, const Program *p, double end) {
    const Executor *e = executor_is_external_compiler(&c->b)   ? &c->b
                        : executor_is_external_compiler(&c->a) ? &c->a
                                                               : NULL;
    const char *temporary = getenv("TMPDIR");
    char folder[512], path[540], message[512];
    snprintf(folder, sizeof folder, "%.400s/twingrad-script-XXXXXX",
             temporary && temporary[0] ? temporary : "/tmp");
    if (!e || !mkdtemp(folder)) {
        return SCRIPT_UNKNOWN;
    }
    Arena arena = ARENA_EMPTY;
    Text script = {.arena = &arena};
    const char *mode = mode_of_script(&arena, target_mode(e->target));
    program_print_repro(&script, p, mode);
    snprintf(path, sizeof path, "%s/repro.py", folder);
    ScriptAnswer answer = io_write(path, script.v, script.n, message, sizeof message)
                              ? run_until(e->target, path, mode, end)
                              : SCRIPT_UNKNOWN;
    unlink(path);
    rmdir(folder);
    arena_destroy(&arena);
    return answer;
}
