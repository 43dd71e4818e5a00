/* Runs the C compiler and keeps its results in a cache.
 *
 * A shared object is identified by the hash of its source text, the compiler command and version,
 * and the machine's instruction sets. So a path never has two contents (dlopen would return the old
 * one), and a text whose object is in the cache need not be compiled. Files are made under
 * temporary names and renamed, so that processes and threads can share a cache; a file that was
 * damaged since is compiled again. With `--native-cache none` each file is removed as soon as it is
 * loaded.
 *
 * -ffast-math is not used: linking with it makes the whole process flush subnormals to zero. */
#include "compiled/native/compiler.h"
#include "compiled/native/seal.h"
#include "tensor/hash.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_FILES = 4096,    /* in the cache */
    STALE_SECONDS = 3600 /* age at which a temporary file is a leftover */
};

static const char *const FLAGS[] = {"-std=c11",
                                    "-O3",
                                    "-march=native",
                                    "-mprefer-vector-width=512",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fno-strict-aliasing",
                                    "-fopenmp-simd",
                                    "-w",
                                    "-fPIC",
                                    "-shared"};

/* ---- hashes ---- */

static uint64_t mixed(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return h;
}

TextHash text_hash_add(TextHash h, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        h.a = fnv64_byte(h.a, (unsigned char)text[i]);
        h.b = mixed(h.b + (unsigned char)text[i] + 0x9e3779b97f4a7c15u);
    }
    return h;
}

TextHash text_hash_start(void) { return (TextHash){FNV64_START, 0x243f6a8885a308d3u}; }

void text_hash_name(TextHash h, char out[33]) {
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)mixed(h.a), (unsigned long long)h.b);
}

/* ---- files ---- */

static void say(char *message, size_t size, const char *what, const char *path) {
    snprintf(message, size, "compiled:native: %s '%.200s': %s", what, path, strerror(errno));
}

/* Makes a folder that only this user can write to, and its parents. */
static bool own_folder(const char *path, char *message, size_t size) {
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0700); /* failure shows below */
            *at = '/';
        }
    }
    struct stat st;
    if (mkdir(part, 0700) != 0 && errno != EEXIST) {
        say(message, size, "can not make the folder", path);
        return false;
    }
    if (lstat(part, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & 022)) {
        snprintf(message, size,
                 "compiled:native: '%.200s' must be a folder that only you can write to", path);
        return false;
    }
    return true;
}

static const char *temporary_root(void) {
    const char *tmp = getenv("TMPDIR");
    return tmp && tmp[0] == '/' ? tmp : "/tmp";
}

/* $XDG_CACHE_HOME/twingrad, else ~/.cache/twingrad, else one in the folder for temporary files. */
static void default_cache(char *out, size_t size) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') {
        snprintf(out, size, "%s/twingrad", cache);
    } else if (home && home[0] == '/') {
        snprintf(out, size, "%s/.cache/twingrad", home);
    } else {
        snprintf(out, size, "%s/twingrad-%ld", temporary_root(), (long)geteuid());
    }
}

static bool open_folder(NativeCompiler *n, const NativeSettings *settings, char *message,
                        size_t size) {
    n->keep = !(settings->cache && strcmp(settings->cache, "none") == 0);
    if (!n->keep) {
        snprintf(n->folder, sizeof n->folder, "%s/twingrad-XXXXXX", temporary_root());
        if (!mkdtemp(n->folder)) {
            say(message, size, "can not make a folder in", temporary_root());
            n->folder[0] = '\0';
            return false;
        }
        return true;
    }
    if (settings->cache) {
        snprintf(n->folder, sizeof n->folder, "%s", settings->cache);
    } else {
        default_cache(n->folder, sizeof n->folder);
    }
    if (!own_folder(n->folder, message, size)) {
        n->folder[0] = '\0';
        return false;
    }
    return true;
}

/* Removes leftovers of processes that were killed, and the oldest file if there are too many. Reads
 * the folder once. */
static void tidy_folder(const NativeCompiler *n) {
    DIR *dir = opendir(n->folder);
    char path[4096 + 300], oldest[sizeof path] = "";
    time_t now = time(NULL), first = now;
    int files = 0;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", n->folder, e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
            continue;
        }
        if (strncmp(e->d_name, "part-", 5) == 0) {
            if (now - st.st_mtime > STALE_SECONDS) {
                unlink(path);
            }
            continue;
        }
        files++;
        if (st.st_mtime <= first) {
            first = st.st_mtime;
            memcpy(oldest, path, sizeof oldest);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (files > MAX_FILES) {
        unlink(oldest);
    }
}

/* The temporary files of one compilation. */
typedef struct Temporary {
    char source[4200], object[4200], log[4200];
} Temporary;

/* Creates the source file and writes `text` to it; false (errno is set) if that cannot be done.
 *
 * The serial numbers count for the whole process, since sessions in several threads may share the
 * folder. Another process can have the same number too (in a container of its own, or one that was
 * killed): whoever creates the source file owns the names, and it is removed last. */
static bool temporary_create(const char *folder, const char *text, int64_t length, Temporary *t) {
    static _Atomic int64_t next_serial;
    int fd = -1;
    do {
        char stem[4150];
        snprintf(stem, sizeof stem, "%s/part-%ld-%lld", folder, (long)getpid(),
                 (long long)atomic_fetch_add(&next_serial, 1));
        snprintf(t->source, sizeof t->source, "%s.c", stem);
        snprintf(t->object, sizeof t->object, "%s.so", stem);
        snprintf(t->log, sizeof t->log, "%s.log", stem);
        fd = open(t->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    int64_t done = 0;
    while (fd >= 0 && done < length) {
        ssize_t k = write(fd, text + done, (size_t)(length - done));
        if (k < 0 && errno != EINTR) {
            break;
        }
        done += k > 0 ? k : 0;
    }
    return fd >= 0 && close(fd) == 0 && done == length;
}

static void temporary_remove(const Temporary *t) {
    unlink(t->object); /* loaded, renamed or useless */
    unlink(t->log);
    unlink(t->source);
}

/* ---- the compiler ---- */

extern char **environ;

/* Compiles `source` to `object`; the compiler's messages go to `log`. On failure errno is that of
 * starting the compiler, or 0 if it ran. */
static bool run_compiler(const NativeCompiler *n, const char *source, const char *object,
                         const char *log) {
    const char *argv[COUNT_OF(FLAGS) + 6];
    int argc = 0;
    argv[argc++] = n->command;
    for (int k = 0; k < COUNT_OF(FLAGS); k++) {
        argv[argc++] = FLAGS[k];
    }
    argv[argc++] = "-o";
    argv[argc++] = object;
    argv[argc++] = source;
    argv[argc++] = "-lm";
    argv[argc] = NULL;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int failed = posix_spawnp(&pid, n->command, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return false;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    errno = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first line that contains "error", or the last one. */
static void error_line(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "r");
    out[0] = '\0';
    while (f && !strstr(out, "error") && fgets(out, (int)size, f)) {
        out[strcspn(out, "\n")] = '\0';
    }
    if (f) {
        fclose(f);
    }
}

/* Loads the object of `text` from the cache, or compiles it. On failure returns NULL and a message.
 */
void *compiler_load(const NativeCompiler *n, const char *text, int64_t length, char *message,
                    size_t size) {
    char name[33], object[4200];
    text_hash_name(text_hash_add(n->machine, text, (size_t)length), name);
    snprintf(object, sizeof object, "%s/%s.so", n->folder, name);
    void *handle = n->keep && seal_holds(object) ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (handle) {
        return handle;
    }
    Temporary t;
    message[0] = '\0';
    if (!temporary_create(n->folder, text, length, &t)) {
        say(message, size, "can not write", t.source);
    } else if (!run_compiler(n, t.source, t.object, t.log)) {
        char line[200];
        error_line(t.log, line, sizeof line);
        snprintf(message, size,
                 "compiled:native needs a C compiler that makes shared objects: '%.80s' %s %.200s",
                 n->command, errno ? "can not be run:" : "failed:", errno ? strerror(errno) : line);
    } else {
        const char *path = t.object;
        if (n->keep && seal_add(t.object) && rename(t.object, object) == 0) {
            path = object;
        }
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            snprintf(message, size, "compiled:native can not load what '%.80s' made: %.200s",
                     n->command, dlerror());
        }
    }
    temporary_remove(&t);
    return handle;
}

/* The compiler command and the instruction sets of this machine, on which -march=native depends. */
static TextHash hash_machine(const NativeCompiler *n) {
    TextHash h = text_hash_start();
    h = text_hash_add(h, n->command, strlen(n->command));
    for (int k = 0; k < COUNT_OF(FLAGS); k++) {
        h = text_hash_add(h, FLAGS[k], strlen(FLAGS[k]) + 1);
    }
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[8192];
    while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0 ||
            strncmp(line, "Features", 8) == 0) {
            h = text_hash_add(h, line, strlen(line));
        }
    }
    if (f) {
        fclose(f);
    }
    return h;
}

/* ---- opening ---- */

/* The compiler's version becomes part of the key. The object that returns it is cached, too. */
static bool add_version(NativeCompiler *n, char *message, size_t size) {
    static const char probe[] = "const char *compiler(void) { return __VERSION__; }\n";
    void *handle = compiler_load(n, probe, sizeof probe - 1, message, size);
    const char *(*compiler)(void) = NULL;
    if (handle) {
        *(void **)&compiler = dlsym(handle, "compiler");
    }
    if (!compiler) {
        return false;
    }
    const char *version = compiler();
    n->machine = text_hash_add(n->machine, version, strlen(version));
    dlclose(handle);
    return true;
}

bool compiler_open(NativeCompiler *n, const NativeSettings *settings, char *message, size_t size) {
    *n = (NativeCompiler){0};
    const char *cc = getenv("CC");
    snprintf(n->command, sizeof n->command, "%s", cc && cc[0] && !strchr(cc, ' ') ? cc : "cc");
    if (!open_folder(n, settings, message, size)) {
        return false;
    }
    if (n->keep) {
        tidy_folder(n);
    }
    n->machine = hash_machine(n);
    return add_version(n, message, size);
}

void compiler_close(NativeCompiler *n) {
    if (!n->keep && n->folder[0]) {
        rmdir(n->folder);
    }
}
