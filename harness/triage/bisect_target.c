/* A compiling target is bisected over its modes: dynamo traces and runs eagerly, aot also makes the
 * joint graph, inductor also generates code. The first mode that differs from the pair's other
 * executor names the layer. PyTorch's own bisector (torch/_inductor/compiler_bisector.py, PyTorch
 * 2.6 and later) then goes on below that, over passes and lowerings: it runs the repro script again
 * and again under its own settings, in a cache of its own. */
#include "harness/triage/bisect.h"
#include "harness/util/io.h"
#include "harness/util/status.h"
#include "program/print/print.h"
#include "harness/targets/mode.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const Executor *compiling(const Checker *c) {
    return executor_is_external_compiler(&c->b)   ? &c->b
           : executor_is_external_compiler(&c->a) ? &c->a
                                                  : NULL;
}

/* ---- PyTorch's own ---- */

/* Runs `argv` in `dir` with standard error thrown away; the last line of its output that begins
 * with `mark` is in `answer`. Its exit code, -1 if it did not run. */
static int bisect_target_run(char *const *argv, const char *dir, const char *mark, char *answer,
                             size_t size) {
    int out[2];
    answer[0] = '\0';
    if (pipe(out) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(out[1], STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
            chdir(dir) != 0 || setenv("TORCHINDUCTOR_CACHE_DIR", dir, 1) != 0) {
            _exit(127);
        }
        close(out[0]);
        close(out[1]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(out[1]);
    FILE *f = pid > 0 ? fdopen(out[0], "r") : NULL;
    char line[1024];
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, mark, strlen(mark)) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(answer, size, "%s", line + strlen(mark));
        }
    }
    if (f) {
        fclose(f);
    } else {
        close(out[0]);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                           : -1;
}

static void remove_all(const char *dir) {
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--", dir, (char *)NULL);
        _exit(127);
    }
    if (pid > 0) {
        waitpid(pid, NULL, 0);
    }
}

static int bisect_by_torch(const Output *output, const Executor *e, const char *mode,
                           const Program *p, Arena *arena) {
    const char *temporary = getenv("TMPDIR");
    char *dir = (char *)arena_printf(arena, "%s/twingrad-bisect-XXXXXX",
                                     temporary && temporary[0] ? temporary : "/tmp"),
         message[512], answer[1024];
    if (!mkdtemp(dir)) {
        return output_problem(output, EXIT_ENVIRONMENT,
                              "cannot make a folder for PyTorch's bisector");
    }
    char *python = arena_strdup(arena, target_program(e->target)),
         *script = (char *)arena_printf(arena, "%s/repro.py", dir);
    char *const has[] = {python, "-c", "import torch._inductor.compiler_bisector", NULL};
    Text t = {.arena = arena};
    mode = mode_of_script(arena, mode);
    program_print_repro(&t, p, mode);
    int code = 0;
    if (!io_write(script, t.v, t.n, message, sizeof message)) {
        code = output_problem(output, EXIT_ENVIRONMENT, "%s", message);
    } else if (bisect_target_run(has, dir, "", answer, sizeof answer) != 0) {
        output_printf(output, "  PyTorch's bisector: this PyTorch has none\n");
    } else {
        char *const bisector[] = {python, "-m",   "torch._inductor.compiler_bisector", "run",
                                  python, script, arena_strdup(arena, mode),           NULL};
        output_printf(output, "  PyTorch's bisector (some minutes):");
        bisect_target_run(bisector, dir, "Bisection complete: ", answer, sizeof answer);
        output_printf(output, " %s\n", answer[0] ? answer : "it failed");
    }
    remove_all(dir);
    return code;
}

/* ---- modes ---- */

/* Is the finding there in this mode? 1 or 0; -1: it is another one, -2: the target has no such
 * mode. */
static int shows_in(const CompileOptions *compile, const TargetSettings *settings, const Checker *c,
                    const Executor *e, const char *mode, const Program *p, const Finding *f,
                    Arena *arena, CheckResult *out) {
    const char *name = target_name(e->target), *other = e == &c->b ? c->a.name : c->b.name,
               *colon = strchr(name, ':');
    const char *pair = arena_printf(arena, e == &c->b ? "%2$s,%1$.*3$s:%4$s" : "%1$.*3$s:%4$s,%2$s",
                                    name, other, (int)(colon - name), mode);
    Checker checker;
    char message[1024];
    if (checker_open_with(&checker, pair, compile, settings, message, sizeof message) != 0) {
        return -2;
    }
    checker.run = c->run;
    check_program(&checker, p, arena, out);
    checker_close(&checker);
    if (out->verdict != FINDING) {
        return 0;
    }
    return out->fired >> f->oracle & 1 ? 1 : -1;
}

int bisect_modes(const Output *output, const CompileOptions *compile,
                 const TargetSettings *settings, const Checker *c, const Program *p,
                 const Finding *f, Arena *arena) {
    const Executor *e = compiling(c);
    if (!e) {
        output_printf(output, "  neither executor of %s compiles: nothing to bisect\n", c->pair);
        return 0;
    }
    const char *first = NULL, *own = target_mode(e->target);
    bool last = false;
    for (int i = 0; i <= MODE_ROWS && !last; i++) { /* the finding's own comes last */
        const char *mode =
            i < MODE_ROWS ? arena_printf(arena, "%s%s", MODES[i].name, mode_device(own)) : own;
        last = strcmp(mode, own) == 0;
        if (mode_is_fake(mode) && !last) {
            continue; /* other modes raise no error where this one does */
        }
        CheckResult out;
        int shows = shows_in(compile, settings, c, e, mode, p, f, arena, &out);
        if (shows == -2) {
            continue;
        }
        output_printf(output, "  %-13s %s%s%s\n", mode,
                      shows == 1   ? "shows it"
                      : shows == 0 ? (out.verdict == AGREE ? "agrees" : "skipped: ")
                                   : "another finding: ",
                      shows == 0 && out.verdict == SKIP ? skip_name(out.skip) : "",
                      shows == -1 ? oracle_name(out.finding.oracle) : "");
        first = first || shows != 1 ? first : mode;
    }
    output_printf(output, "  the first mode that shows it: %s\n", first ? first : "none");
    const ModeRow *row = first ? mode_row(first) : NULL;
    return row && row->compiles ? bisect_by_torch(output, e, first, p, arena) : 0;
}
