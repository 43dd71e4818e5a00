/* The engines: what each needs, how a job becomes it, where it leaves its artifacts. Adding one is
 * a row and its functions.
 *
 * Flags are those that clusters use (timeout; for libFuzzer a memory limit); the number of a job is
 * added to the seed. The targets record differences in the campaign's folder and go on, so what
 * stops an engine is a crash or a hang of twingrad. */
#include "harness/campaign/campaign.h"

#include "harness/campaign/worker.h"
#include "harness/util/io.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_SEEDS = 256, MAX_BYTES = 8192, RELOAD_SECONDS = 10, PATH_ROOM = 4096 };

static bool runnable(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Is the program on $PATH? */
static bool installed(Campaign *c, const char *program) {
    const char *path = getenv("PATH");
    char *list = arena_strdup(&c->scratch, path ? path : "/usr/bin:/bin"), *next = list;
    for (char *dir; (dir = strsep(&next, ":"));) {
        if (runnable(arena_printf(&c->scratch, "%s/%s", dir[0] ? dir : ".", program))) {
            return true;
        }
    }
    return false;
}

/* A file of the build beside this program: BUILD/VARIANT/twingrad, ./twingrad with build/, or where
 * `make install` put it. NULL if there is none. */
static const char *beside(Campaign *c, const char *engine, const char *name) {
    char self[PATH_ROOM];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) {
        return NULL;
    }
    *slash = '\0';
    static const char *const folders[] = {"..", "build", "../libexec/twingrad"};
    for (int i = 0; i < COUNT_OF(folders); i++) {
        char *path = realpath(
            arena_printf(&c->scratch, "%s/%s/%s/%s", self, folders[i], engine, name), NULL);
        if (path) {
            const char *kept = arena_strdup(&c->arena, path);
            free(path);
            return kept;
        }
    }
    return NULL;
}

static bool find_target(Campaign *c, const char *engine, char *message, size_t message_size) {
    if (c->options->binary) {
        char *path = realpath(c->options->binary, NULL);
        if (!path || !runnable(path)) {
            snprintf(message, message_size, "the target '%.200s' does not exist or cannot be run",
                     c->options->binary);
            free(path);
            return false;
        }
        c->target = arena_strdup(&c->arena, path);
        free(path);
        return true;
    }
    c->target = beside(c, engine, "campaign");
    if (!c->target) {
        snprintf(message, message_size,
                 "the target of engine %s is not built: 'make engine ENGINE=%s' builds it (or give "
                 "--binary FILE)",
                 engine, engine);
    }
    return c->target != NULL;
}

/* ---- builtin ---- */

static bool builtin_ready(Campaign *c, char *message, size_t message_size) {
    (void)c;
    (void)message;
    (void)message_size;
    return true;
}

static void builtin_become(Campaign *c, int job) {
    char message[1024];
    int code = worker_builtin(c->options, c->folder, job, c->njobs, NULL, message, sizeof message);
    if (code != 0) {
        output_problem(c->output, code, "%s", message);
    }
    _exit(code);
}

/* Engines run in the job's folder, where their target finds the file `job`. */
static void enter_folder(Campaign *c, int job) {
    if (chdir(arena_printf(&c->scratch, "%s/%s", c->folder, c->job[job].name)) != 0) {
        die("cannot enter the folder of %s: %s", c->job[job].name, strerror(errno));
    }
}

/* ---- libFuzzer ---- */

static bool libfuzzer_ready(Campaign *c, char *message, size_t message_size) {
    return find_target(c, "libfuzzer", message, message_size);
}

/* Without -timeout an input may take 20 minutes; -reload lets jobs read what others add to the
 * corpus. Counting hits, computing energies and replacing inputs by shorter ones are off: with this
 * many features they took half of the time and grew the corpus without reaching more
 * (bench/growth). Hiding known features from libFuzzer depends on this
 * (harness/campaign/feedback.h). */
static void libfuzzer_become(Campaign *c, int job) {
    Arena *a = &c->scratch;
    char *argv[] = {arena_strdup(a, c->target),
                    arena_printf(a, "-seed=%u",
                                 (unsigned)(c->options->seed * MAX_JOBS + (uint64_t)job +
                                            (uint64_t)c->job[job].starts * 7919) |
                                     1u),
                    arena_strdup(a, "-timeout=25"),
                    arena_strdup(a, "-rss_limit_mb=2560"),
                    arena_printf(a, "-max_len=%d", MAX_BYTES),
                    arena_printf(a, "-reload=%d", c->njobs > 1 ? RELOAD_SECONDS : 0),
                    arena_strdup(a, "-entropic=0"),
                    arena_strdup(a, "-use_counters=0"),
                    arena_strdup(a, "-reduce_inputs=0"),
                    arena_strdup(a, "-mutate_depth=2"),
                    arena_strdup(a, "-detect_leaks=0"),
                    arena_printf(a, "-artifact_prefix=%s/new/%s-", c->folder, c->job[job].name),
                    arena_printf(a, "%s/corpus", c->folder),
                    NULL};
    enter_folder(c, job);
    execv(c->target, argv);
}

/* ---- AFL++ ---- */

static bool afl_ready(Campaign *c, char *message, size_t message_size) {
    if (!installed(c, "afl-fuzz")) {
        snprintf(message, message_size,
                 "afl-fuzz is not on the PATH: 'make deps ENGINE=afl' installs it");
        return false;
    }
    if (!find_target(c, "afl", message, message_size)) {
        return false;
    }
    c->mutators = beside(c, "afl", "twingrad_mutators.so");
    if (!c->mutators) {
        snprintf(message, message_size,
                 "the mutators for afl are not built: 'make engine ENGINE=afl' builds them");
    }
    return c->mutators != NULL;
}

/* One main instance, the others secondary, all in one folder, through which they share what they
 * find; AFL_AUTORESUME continues in a folder that exists. Only twingrad's mutators run: a mutation
 * of AFL++'s own on a program of 200 bytes makes an unrelated program. */
static void afl_become(Campaign *c, int job) {
    Arena *a = &c->scratch;
    static const char *const settings[] = {
        "AFL_NO_UI",           "AFL_SKIP_CPUFREQ",
        "AFL_NO_AFFINITY",     "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
        "AFL_AUTORESUME",      "AFL_CUSTOM_MUTATOR_ONLY",
        "AFL_FAST_CAL",        "AFL_NO_STARTUP_CALIBRATION",
        "AFL_CMPLOG_ONLY_NEW", "AFL_IGNORE_SEED_PROBLEMS"};
    for (int i = 0; i < COUNT_OF(settings); i++) {
        setenv(settings[i], "1", 1);
    }
    setenv("AFL_CUSTOM_MUTATOR_LIBRARY", c->mutators, 1);
    char *argv[] = {
        arena_strdup(a, "afl-fuzz"),
        arena_strdup(a, "-i"),
        arena_printf(a, "%s/corpus", c->folder),
        arena_strdup(a, "-o"),
        arena_printf(a, "%s/afl", c->folder),
        arena_strdup(a, job == 0 ? "-M" : "-S"),
        arena_strdup(a, c->job[job].name),
        arena_strdup(a, "-s"),
        arena_printf(a, "%llu", (unsigned long long)(c->options->seed * MAX_JOBS + (uint64_t)job)),
        arena_strdup(a, "-t"),
        arena_strdup(a, "5000+"),
        arena_strdup(a, "-m"),
        arena_strdup(a, "none"),
        arena_strdup(a, "--"),
        arena_strdup(a, c->target),
        NULL};
    enter_folder(c, job);
    execvp(argv[0], argv);
}

/* Crashes and hangs are to be confirmed. AFL++ names them id:000012,src:.., moves the folder aside
 * (crashes.2026-11-21-..) when it goes on, and counts from 0 again: the hash of the contents tells
 * them apart. */
static void gather_artifacts(Campaign *c, const Job *job, const char *kind) {
    char **folder, **path, *text, message[256];
    int64_t length;
    int nfolders = io_list(
        &c->scratch, arena_printf(&c->scratch, "%s/afl/%s", c->folder, job->name), kind, &folder);
    for (int i = 0; i < nfolders; i++) {
        int n = io_list(&c->scratch, folder[i], "id:", &path);
        for (int k = 0; k < n; k++) {
            if (folder_settled(c, path[k]) && io_read(&c->scratch, path[k], IO_MAX_BYTES, &text,
                                                      &length, message, sizeof message) == IO_OK) {
                folder_take(c, path[k], "new",
                            arena_printf(&c->scratch, "%s-%s-%.9s-%016llx", job->name, kind,
                                         strrchr(path[k], '/') + 1,
                                         (unsigned long long)content_hash(text, length)));
            }
        }
    }
}

/* The queue is a corpus for other engines. */
static void gather_queue(Campaign *c, Job *job) {
    char **path;
    int n = io_list(&c->scratch, arena_printf(&c->scratch, "%s/afl/%s/queue", c->folder, job->name),
                    "id:", &path);
    for (; job->taken < n && folder_settled(c, path[job->taken]); job->taken++) {
        const char *base = strrchr(path[job->taken], '/') + 1;
        if (strstr(base, ",orig:") == NULL) { /* seeds were copied from corpus/ */
            folder_take(c, path[job->taken], "corpus",
                        arena_printf(&c->scratch, "%s-queue-%.9s", job->name, base));
        }
    }
}

static void afl_gather(Campaign *c) {
    for (int k = 0; k < c->njobs; k++) {
        gather_artifacts(c, &c->job[k], "crashes");
        gather_artifacts(c, &c->job[k], "hangs");
        gather_queue(c, &c->job[k]);
    }
}

/* ---- the table ---- */

static const FuzzEngine engines[] = {
    {"builtin", "the generator and mutators of this process", 0, true, builtin_ready,
     builtin_become, NULL},
    {"libfuzzer", "LLVM's libFuzzer", FIRST_SEEDS, false, libfuzzer_ready, libfuzzer_become, NULL},
    {"afl", "AFL++", FIRST_SEEDS, false, afl_ready, afl_become, afl_gather},
};

const FuzzEngine *engine_find(const char *name) {
    for (int i = 0; i < COUNT_OF(engines); i++) {
        if (strcmp(engines[i].name, name) == 0) {
            return &engines[i];
        }
    }
    return NULL;
}

const char *engine_names(void) { return "builtin, libfuzzer, afl"; }
