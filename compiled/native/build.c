/* From C text to functions: a batch of plans becomes one file, one run of the compiler, one shared
 * object.
 *
 * A plan is named by the hash of its text; a shared object by the hash of the file, the command and
 * the machine's instruction sets. So no path is ever used for two contents (dlopen would answer
 * with the old one), and a file that is in the cache need not be compiled. Files are made in a
 * folder of their own and renamed into the cache, so that two processes can share it. What is not
 * to be kept is removed as soon as it is loaded.
 *
 * -ffast-math stays away: linking with it switches the whole process to flushing subnormals. */
#include "compiled/native/native.h"
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
    MAX_FILES = 4096 /* in the cache */,
    MAX_BATCHES = 100 /* loaded between runs */,
    MAX_WAITING = 128,
    TABLE = 4096,
    STALE_SECONDS = 3600
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

typedef struct Hash {
    uint64_t a, b;
} Hash;

/* A plan whose functions are known or wanted. */
typedef struct BuildEntry {
    struct BuildEntry *next;
    Hash hash;
    int nloop;
    const NativeFn *functions; /* NULL: waits for the next batch */
} BuildEntry;

typedef struct Batch {
    void *binding;
    Arena arena; /* of its entries and tables */
    BuildEntry **entry;
    int n;
} Batch;

struct Native {
    char compiler[256];
    char folder[4096]; /* where shared objects stay, or of temporary files only */
    bool keep;
    Hash machine; /* command and instruction sets */
    Arena work;   /* of the batch under way */
    Text pending; /* functions of the plans that wait */
    NativeNeeds needs;
    Arena waiting_arena;
    BuildEntry *waiting;
    int nwaiting;
    BuildEntry *table[TABLE];
    Batch *batch; /* loaded, oldest first */
    int nbatch, capacity;
    Arena scratch; /* of one question */
};

/* ---- hashes ---- */

static uint64_t mixed(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return h;
}

static Hash build_hash_text(Hash h, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        h.a = fnv64_byte(h.a, (unsigned char)text[i]);
        h.b = mixed(h.b + (unsigned char)text[i] + 0x9e3779b97f4a7c15u);
    }
    return h;
}

static Hash hash_start(void) { return (Hash){FNV64_START, 0x243f6a8885a308d3u}; }

static void hash_name(Hash h, char out[33]) {
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)mixed(h.a), (unsigned long long)h.b);
}

/* ---- files ---- */

static void say(char *message, size_t size, const char *what, const char *path) {
    snprintf(message, size, "compiled:native: %s '%.200s': %s", what, path, strerror(errno));
}

/* Makes a folder that only this user can write to; parents too. */
static bool own_folder(const char *path, char *message, size_t size) {
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0700); /* whether it is there is asked at the end */
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

static bool open_folder(Native *n, const NativeSettings *settings, char *message, size_t size) {
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

/* Leftovers of processes that were killed, and the oldest file where there are too many. One look
 * at the folder. */
static void tidy_folder(const Native *n) {
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

/* Compiles `source` to `object`; what the compiler says goes to `log`. */
static bool run_compiler(const Native *n, const char *source, const char *object, const char *log) {
    const char *argv[COUNT_OF(FLAGS) + 6];
    int argc = 0;
    argv[argc++] = n->compiler;
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
    int failed = posix_spawnp(&pid, n->compiler, &actions, NULL, (char *const *)argv, environ);
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

/* The first line that tells of an error, else the last one. */
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

/* Compiles and loads `text`, or loads what the cache has. NULL and a sentence if that can not be
 * done. */
static void *load_text(Native *n, const char *text, int64_t length, char *message, size_t size) {
    char name[33], object[4200];
    hash_name(build_hash_text(n->machine, text, (size_t)length), name);
    snprintf(object, sizeof object, "%s/%s.so", n->folder, name);
    void *binding =
        n->keep && access(object, R_OK) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (binding) {
        return binding;
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
                 n->compiler,
                 errno ? "can not be run:" : "failed:", errno ? strerror(errno) : line);
    } else {
        const char *path = t.object;
        if (n->keep && rename(t.object, object) == 0) {
            path = object;
        }
        binding = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!binding) {
            snprintf(message, size, "compiled:native can not load what '%.80s' made: %.200s",
                     n->compiler, dlerror());
        }
    }
    temporary_remove(&t);
    return binding;
}

/* Instruction sets of this machine and the version of the compiler: -march=native depends on
 * them. */
static Hash hash_machine(const Native *n) {
    Hash h = hash_start();
    h = build_hash_text(h, n->compiler, strlen(n->compiler));
    for (int k = 0; k < COUNT_OF(FLAGS); k++) {
        h = build_hash_text(h, FLAGS[k], strlen(FLAGS[k]) + 1);
    }
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[8192];
    while (f && fgets(line, sizeof line, f) && line[0] != '\n') {
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0 ||
            strncmp(line, "Features", 8) == 0) {
            h = build_hash_text(h, line, strlen(line));
        }
    }
    if (f) {
        fclose(f);
    }
    return h;
}

/* ---- opening ---- */

Native *native_open(const NativeSettings *settings, char *message, size_t message_size) {
    Native *n = calloc(1, sizeof *n);
    CHECK(n);
    const char *cc = getenv("CC");
    snprintf(n->compiler, sizeof n->compiler, "%s", cc && cc[0] && !strchr(cc, ' ') ? cc : "cc");
    if (!open_folder(n, settings, message, message_size)) {
        native_close(n);
        return NULL;
    }
    if (n->keep) {
        tidy_folder(n);
    }
    n->machine = hash_machine(n);
    /* says its compiler's version: a probe once in a cache, and a part of the key */
    static const char probe[] = "const char *compiler(void) { return __VERSION__; }\n";
    void *binding = load_text(n, probe, sizeof probe - 1, message, message_size);
    const char *(*compiler)(void) = NULL;
    if (binding) {
        *(void **)&compiler = dlsym(binding, "compiler");
    }
    if (!compiler) {
        native_close(n);
        return NULL;
    }
    const char *version = compiler();
    n->machine = build_hash_text(n->machine, version, strlen(version));
    dlclose(binding);
    n->pending.arena = &n->work;
    return n;
}

static void drop_batch(Native *n, Batch *b) {
    for (int k = 0; k < b->n; k++) {
        BuildEntry **link = &n->table[b->entry[k]->hash.b % TABLE];
        while (*link != b->entry[k]) {
            link = &(*link)->next;
        }
        *link = b->entry[k]->next;
    }
    if (b->binding) {
        dlclose(b->binding);
    }
    arena_destroy(&b->arena);
    *b = (Batch){0};
}

void native_close(Native *n) {
    if (!n) {
        return;
    }
    for (int k = 0; k < n->nbatch; k++) {
        drop_batch(n, &n->batch[k]);
    }
    free(n->batch);
    if (!n->keep && n->folder[0]) {
        rmdir(n->folder);
    }
    arena_destroy(&n->work);
    arena_destroy(&n->waiting_arena);
    arena_destroy(&n->scratch);
    free(n);
}

void native_trim(Native *n) {
    int gone = n->nbatch > MAX_BATCHES ? n->nbatch - MAX_BATCHES : 0;
    for (int k = 0; k < gone; k++) {
        drop_batch(n, &n->batch[k]);
    }
    if (gone > 0) {
        n->nbatch -= gone;
        memmove(n->batch, n->batch + gone, sizeof *n->batch * (size_t)n->nbatch);
    }
}

/* ---- plans ---- */

static BuildEntry *find_entry(BuildEntry *list, Hash hash) {
    while (list && (list->hash.a != hash.a || list->hash.b != hash.b)) {
        list = list->next;
    }
    return list;
}

/* All that waits, in one file. A compiler that worked and does no more ends the process: there is
 * no result to give. */
static void build_batch(Native *n) {
    if (n->nbatch == n->capacity) {
        n->capacity = n->capacity ? n->capacity * 2 : MAX_BATCHES * 2;
        n->batch = realloc(n->batch, sizeof *n->batch * (size_t)n->capacity);
        CHECK(n->batch);
    }
    Batch *b = &n->batch[n->nbatch++];
    *b = (Batch){0};
    Text file = {.arena = &n->work};
    char message[512], name[64];
    native_prelude(&file, &n->needs);
    text_addn(&file, n->pending.v, n->pending.n);
    b->binding = load_text(n, file.v, file.n, message, sizeof message);
    if (!b->binding) {
        die("%s", message);
    }
    b->entry = arena_alloc(&b->arena, (int64_t)sizeof *b->entry * n->nwaiting);
    for (BuildEntry *w = n->waiting; w; w = w->next) {
        BuildEntry *e = arena_new(&b->arena, BuildEntry);
        *e = *w;
        NativeFn *functions = arena_alloc(&b->arena, (int64_t)sizeof *functions * (w->nloop + 1));
        char hash[33];
        hash_name(w->hash, hash);
        snprintf(name, sizeof name, "p%s_loops", hash);
        const void *table = dlsym(b->binding, name);
        CHECK(table);
        memcpy(functions, table, sizeof *functions * (size_t)w->nloop);
        e->functions = functions;
        e->next = n->table[e->hash.b % TABLE];
        n->table[e->hash.b % TABLE] = e;
        b->entry[b->n++] = e;
    }
    arena_reset(&n->work);
    arena_reset(&n->waiting_arena);
    n->pending = (Text){.arena = &n->work};
    n->needs = (NativeNeeds){0};
    n->waiting = NULL;
    n->nwaiting = 0;
}

const NativeFn *native_functions(Native *n, const Plan *plan, bool collect) {
    if (plan->nloop == 0) {
        return NULL;
    }
    arena_reset(&n->scratch);
    Text text = {.arena = &n->scratch};
    NativeNeeds needs = {0};
    native_print(&text, plan, "", &needs);
    Hash hash = build_hash_text(hash_start(), text.v, (size_t)text.n);
    BuildEntry *e = find_entry(n->table[hash.b % TABLE], hash);
    if (!e && !find_entry(n->waiting, hash)) {
        BuildEntry *w = arena_new(&n->waiting_arena, BuildEntry);
        *w = (BuildEntry){n->waiting, hash, plan->nloop, NULL};
        n->waiting = w;
        n->nwaiting++;
        char name[33], prefix[40];
        hash_name(hash, name);
        snprintf(prefix, sizeof prefix, "p%s_", name);
        native_print(&n->pending, plan, prefix, &n->needs);
    }
    if (!e && (!collect || n->nwaiting >= MAX_WAITING)) {
        build_batch(n);
        e = find_entry(n->table[hash.b % TABLE], hash);
    }
    return e ? e->functions : NULL;
}
