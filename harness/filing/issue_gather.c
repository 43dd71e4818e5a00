/* What a report says beyond the finding: which modes show it, which of the installed releases, and
 * what the script itself prints in the target's interpreter. */
#include "harness/filing/issue.h"
#include "harness/targets/declare.h"
#include "harness/util/io.h"
#include "harness/util/status.h"
#include "harness/targets/mode.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- modes and releases ---- */

typedef struct Gather {
    Arena *arena;
    const Checker *c;
    const Executor *e; /* the compiling target */
    const CompileOptions *compile;
    const TargetSettings *settings;
    const Issue *issue;
} Gather;

/* TARGET:MODE against TARGET:eager, or against the pair's other executor where that is no target.
 * False if the target does not start or has no such mode. */
static bool gather_run(const Gather *g, const char *target, const char *mode, IssueRun *out,
                       const char **version) {
    const Executor *other = g->e == &g->c->b ? &g->c->a : &g->c->b;
    const char *eager =
        other->target ? arena_printf(g->arena, "%s:%s", target, mode_eager(mode)) : other->name;
    const char *pair = arena_printf(g->arena, "%s,%s:%s", eager, target, mode);
    Checker c;
    char message[1024];
    if (checker_open_with(&c, pair, g->compile, g->settings, message, sizeof message) != 0) {
        return false;
    }
    c.run = g->c->run;
    CheckResult result;
    check_program(&c, g->issue->program, g->arena, &result);
    out->shows = result.verdict == FINDING && (result.fired >> g->issue->finding->oracle & 1) != 0;
    out->answer =
        result.verdict == AGREE  ? "agrees"
        : result.verdict == SKIP ? arena_printf(g->arena, "skipped: %s", skip_name(result.skip))
        : out->shows
            ? "shows it"
            : arena_printf(g->arena, "another finding: %s", oracle_name(result.finding.oracle));
    *version = arena_strdup(g->arena, target_version(c.b.target));
    checker_close(&c);
    return true;
}

static void gather_modes(const Gather *g, const char *target, IssueFacts *facts) {
    static const char *const modes[] = {"dynamo", "aot_eager", "inductor"};
    const char *own = target_mode(g->e->target), *version;
    for (int i = 0; i < COUNT_OF(modes) && facts->nmodes < ISSUE_MODES; i++) {
        IssueRun *run = &facts->mode[facts->nmodes];
        run->name = arena_printf(g->arena, "%s%s", modes[i], mode_device(own));
        facts->nmodes += gather_run(g, target, run->name, run, &version);
        if (strcmp(run->name, own) == 0) {
            return;
        }
    }
}

static int older_first(const void *a, const void *b) {
    long x = version_number(((const IssueRun *)a)->name + strlen("torch ")),
         y = version_number(((const IssueRun *)b)->name + strlen("torch "));
    return (x > y) - (x < y);
}

/* Is it a longer name of a release that is listed too ("torch2.8.0" beside "torch2.8")? */
static bool has_shorter_name(const char *list, const char *name) {
    for (const char *at = list; *at; at += strspn(at, "\n")) {
        size_t n = strcspn(at, "\n");
        if (memchr(at, '.', n) && strncmp(at, name, n) == 0 && name[n] == '.') {
            return true;
        }
        at += n;
    }
    return false;
}

/* The installed releases of the same framework: targets of that name with a version. */
static int gather_releases(const Gather *g, IssueFacts *facts, char *message, size_t size) {
    char *names;
    int code = target_names(g->arena, g->settings->file, &names, message, size);
    const char *family = target_known_name(g->arena, target_name(g->e->target));
    size_t n = strlen(family);
    if (code != 0) {
        return code;
    }
    const char *list = arena_strdup(g->arena, names);
    for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
        IssueRun *run = &facts->release[facts->nreleases];
        bool again = strncmp(name, family, n) != 0 || strchr(name + n, '.') == NULL ||
                     has_shorter_name(list, name) || facts->nreleases == ISSUE_RELEASES ||
                     !gather_run(g, name, target_mode(g->e->target), run, &run->name);
        for (int i = 0; i < facts->nreleases && !again; i++) {
            again = strcmp(facts->release[i].name, run->name) == 0;
        }
        facts->nreleases += !again;
    }
    if (facts->nreleases > 0) {
        qsort(facts->release, (size_t)facts->nreleases, sizeof *facts->release, older_first);
    }
    return 0;
}

/* ---- the script ---- */

/* `File "/x/site-packages/torch/_inductor/y.py", line 3, in f` as "torch/_inductor/y.py, f". */
static void note_frame(Arena *arena, const char *line, IssueFacts *facts) {
    const char *path = strstr(line, "/torch/"), *end = path ? strchr(path, '"') : NULL,
               *in = end ? strstr(end, ", in ") : NULL;
    if (strncmp(line + strspn(line, " "), "File \"", 6) == 0 && in) {
        facts->frame =
            arena_printf(arena, "%.*s, %s", (int)(end - path - 1), path + 1, in + strlen(", in "));
    }
}

static void read_errors(Arena *arena, FILE *f, IssueFacts *facts) {
    char line[2048];
    bool in_error = false;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        note_frame(arena, line, facts);
        const char *colon = strchr(line, ':');
        bool exception = line[0] != ' ' && colon &&
                         memchr(line, ' ', (size_t)(colon - line)) == NULL &&
                         (strstr(line, "Error") || strstr(line, "Exception"));
        if (exception && !in_error) {
            facts->last_line = arena_printf(arena, "%.300s", line);
        }
        in_error = false;
    }
}

static int run_script(const Gather *g, IssueFacts *facts, char *message, size_t size) {
    const char *temporary = getenv("TMPDIR");
    char *path = (char *)arena_printf(g->arena, "%s/twingrad-issue-XXXXXX.py",
                                      temporary && temporary[0] ? temporary : "/tmp");
    int fd = mkstemps(path, 3), err[2];
    if (fd < 0 || pipe(err) != 0) {
        snprintf(message, size, "cannot make a file for the script");
        return EXIT_ENVIRONMENT;
    }
    close(fd);
    Text t = {.arena = g->arena};
    issue_script(&t, g->issue);
    if (!io_write(path, t.v, t.n, message, size)) {
        return EXIT_ENVIRONMENT;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
            dup2(err[1], STDERR_FILENO) < 0) {
            _exit(127);
        }
        close(err[0]);
        close(err[1]);
        const char *python = target_program(g->e->target); /* finds its packages by this name */
        execl(python, python, "-W", "ignore", path, (char *)NULL);
        _exit(127);
    }
    close(err[1]);
    FILE *f = fdopen(err[0], "r");
    if (f) {
        read_errors(g->arena, f, facts);
        fclose(f);
    }
    int status = 0;
    bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
    unlink(path);
    facts->ran = ended && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
    facts->failed = facts->ran && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}

int issue_gather(Arena *arena, const Checker *c, const CompileOptions *compile,
                 const TargetSettings *settings, const Issue *issue, IssueFacts *facts,
                 char *message, size_t message_size) {
    *facts = (IssueFacts){.last_line = "", .frame = ""};
    const Gather g = {arena,   c,        executor_is_external_compiler(&c->b) ? &c->b : &c->a,
                      compile, settings, issue};
    if (!executor_is_external_compiler(g.e)) {
        return 0;
    }
    const char *name = target_name(g.e->target);
    gather_modes(&g, arena_printf(arena, "%.*s", (int)strcspn(name, ":"), name), facts);
    int code = gather_releases(&g, facts, message, message_size);
    return code != 0 ? code : run_script(&g, facts, message, message_size);
}
