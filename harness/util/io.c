/* Files in, files out. A file is read by read(2) until its end, so pipes and /dev/stdin work like
 * files; a size above the limit is refused as it shows. A file is written under a temporary name in
 * its own directory, synced and renamed, so that the file under the final name is always complete.
 */
#include "harness/util/io.h"
#include "tensor/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static IoStatus io_fail(IoStatus status, char *message, size_t size, const char *what,
                        const char *path, int error) {
    snprintf(message, size, "cannot %s '%.200s': %s", what, path, strerror(error));
    return status;
}

/* Trouble that another file name would cure is bad input; the rest is the environment. */
static IoStatus classify(int error) {
    switch (error) {
    case ENOENT:
    case EACCES:
    case EPERM:
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL:
    case ENXIO:
        return IO_BAD;
    default:
        return IO_ENVIRONMENT;
    }
}

IoStatus io_read(Arena *arena, const char *path, int64_t max, char **text, int64_t *length,
                 char *message, size_t message_size) {
    bool is_stdin = strcmp(path, "-") == 0;
    const char *shown = is_stdin ? "standard input" : path;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return io_fail(classify(errno), message, message_size, "open", shown, errno);
    }
    struct stat info;
    int64_t capacity = 65536;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        capacity = min_i64(max, (int64_t)info.st_size) + 1;
    }
    char *buffer = malloc((size_t)capacity + 1);
    int64_t n = 0;
    IoStatus status = IO_OK;
    while (buffer) {
        if (n == capacity) {
            capacity = capacity * 2;
            char *more = realloc(buffer, (size_t)capacity + 1);
            if (!more) {
                free(buffer);
                buffer = NULL;
                break;
            }
            buffer = more;
        }
        ssize_t got = read(fd, buffer + n, (size_t)(capacity - n));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            status = io_fail(classify(errno), message, message_size, "read", shown, errno);
            break;
        }
        if (got == 0) {
            break;
        }
        n += got;
        if (n > max) {
            snprintf(message, message_size, "'%.200s' is longer than the limit of %lld bytes",
                     shown, (long long)max);
            status = IO_BAD;
            break;
        }
    }
    if (!is_stdin) {
        close(fd);
    }
    if (!buffer) {
        return io_fail(IO_ENVIRONMENT, message, message_size, "read", shown, ENOMEM);
    }
    if (status == IO_OK) {
        buffer[n] = '\0';
        *text = arena_copy(arena, buffer, n + 1);
        *length = n;
    }
    free(buffer);
    return status;
}

/* ---- many programs ---- */

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

bool source_is_bytes(const Source *source) {
    const char *dot = strrchr(source->name, '.');
    bool json =
        (dot && (strncmp(dot, ".json", 5) == 0)) || strcmp(source->name, "standard input") == 0;
    return !json && source->text[0] != '{'; /* as codec_decode has it */
}

bool source_is_neither(const Source *source, const char *path) {
    return strcmp(source->name, path) == 0 && !ends_with(path, ".bytes") && source_is_bytes(source);
}

enum { IO_MAX_LINES_BYTES = 1 << 30 };

static void io_report_bad(SourceFn each, void *user, const char *name, IoStatus status,
                          const char *message) {
    each(user, &(Source){.name = name, .status = status, .message = message});
}

static void io_each_file(const char *path, SourceFn each, void *user) {
    bool lines = ends_with(path, ".jsonl");
    Arena arena = ARENA_EMPTY;
    char *text;
    int64_t length;
    char message[512];
    IoStatus status = io_read(&arena, path, lines ? IO_MAX_LINES_BYTES : IO_MAX_BYTES, &text,
                              &length, message, sizeof message);
    if (status != IO_OK) {
        io_report_bad(each, user, path, status, message);
    } else if (!lines) {
        each(user, &(Source){.name = strcmp(path, "-") == 0 ? "standard input" : path,
                             .text = text,
                             .length = length});
    } else {
        Arena names = ARENA_EMPTY;
        int64_t at = 0;
        for (int64_t number = 1; at < length; number++) {
            char *end = memchr(text + at, '\n', (size_t)(length - at));
            int64_t n = (end ? end - text : length) - at;
            const char *name = arena_printf(&names, "%s:%lld", path, (long long)number);
            if (n > IO_MAX_BYTES) {
                io_report_bad(each, user, name, IO_BAD,
                              arena_printf(&names, "%s is longer than the limit of %d bytes", name,
                                           IO_MAX_BYTES));
            } else if (n > 0) {
                text[at + n] = '\0';
                each(user, &(Source){.name = name, .text = text + at, .length = n});
            }
            arena_reset(&names);
            at += n + 1;
        }
        arena_destroy(&names);
    }
    arena_destroy(&arena);
}

static int io_by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Which files of a directory count: programs by their names, or all. */
typedef enum IoWalk { WALK_PROGRAMS, WALK_ALL } IoWalk;

/* A folder that is walked, and those that it is in. */
typedef struct IoFolder {
    const struct IoFolder *above;
    struct stat info;
    int depth;
} IoFolder;

/* A link to one that it is in would be walked without end. */
static bool io_is_within(const IoFolder *folder, const struct stat *info) {
    while (folder && (folder->info.st_dev != info->st_dev || folder->info.st_ino != info->st_ino)) {
        folder = folder->above;
    }
    return folder != NULL;
}

static void io_walk(const char *path, const IoFolder *folder, IoWalk what, SourceFn each,
                    void *user) {
    char message[512];
    DIR *dir = folder->depth > 32 ? (errno = ELOOP, NULL) : opendir(path);
    if (!dir) {
        int error = errno;
        io_report_bad(
            each, user, path,
            io_fail(classify(error), message, sizeof message, "open the directory", path, error),
            message);
        return;
    }
    Arena arena = ARENA_EMPTY;
    char **names = NULL;
    int n = 0, capacity = 0;
    bool of_afl = false;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        of_afl = of_afl || strcmp(entry->d_name, "fuzzer_stats") == 0;
        names = array_reserve_heap(names, n, &capacity, 64, sizeof *names);
        names[n++] = arena_strdup(&arena, entry->d_name);
    }
    closedir(dir);
    if (n > 0) {
        qsort(names, (size_t)n, sizeof *names, io_by_name);
    }
    for (int i = 0; i < n; i++) {
        bool slash = ends_with(path, "/");
        const char *child = arena_printf(&arena, "%s%s%s", path, slash ? "" : "/", names[i]);
        struct stat info;
        bool inputs = strcmp(names[i], "queue") == 0 || strcmp(names[i], "crashes") == 0 ||
                      strcmp(names[i], "hangs") == 0;
        if (what == WALK_ALL && ((of_afl && !inputs) || strcmp(names[i], "README.txt") == 0)) {
            continue;
        }
        if (stat(child, &info) != 0) {
            int error = errno;
            io_report_bad(each, user, child,
                          io_fail(classify(error), message, sizeof message, "open", child, error),
                          message);
        } else if (S_ISDIR(info.st_mode)) {
            if (!io_is_within(folder, &info)) {
                io_walk(child, &(IoFolder){folder, info, folder->depth + 1}, what, each, user);
            }
        } else if (what == WALK_ALL || ends_with(child, ".json") || ends_with(child, ".jsonl")) {
            io_each_file(child, each, user);
        }
    }
    free(names);
    arena_destroy(&arena);
}

typedef struct CountedSources {
    SourceFn each;
    void *user;
    int64_t n;
} CountedSources;

static void count_source(void *user, const Source *source) {
    CountedSources *c = user;
    c->n++;
    c->each(c->user, source);
}

static int64_t io_each_of(const char *path, bool directories, IoWalk what, SourceFn each,
                          void *user) {
    CountedSources counted = {each, user, 0};
    struct stat info;
    if (directories && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        io_walk(path, &(IoFolder){NULL, info, 0}, what, count_source, &counted);
    } else {
        io_each_file(path, count_source, &counted);
    }
    return counted.n;
}

int64_t io_each(const char *path, bool directories, SourceFn each, void *user) {
    return io_each_of(path, directories, WALK_PROGRAMS, each, user);
}
int64_t io_each_corpus(const char *path, SourceFn each, void *user) {
    return io_each_of(path, true, WALK_ALL, each, user);
}

int io_list(Arena *arena, const char *folder, const char *prefix, char ***paths) {
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort), kept = 0;
    *paths = arena_array(arena, char *, max_i64(n, 0));
    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.' && strncmp(entry[i]->d_name, prefix, strlen(prefix)) == 0) {
            (*paths)[kept++] = arena_printf(arena, "%s/%s", folder, entry[i]->d_name);
        }
        free(entry[i]);
    }
    if (n >= 0) {
        free(entry);
    }
    return kept;
}

/* ---- writing ---- */

static bool io_write_all(int fd, const char *text, int64_t length) {
    for (int64_t n = 0; n < length;) {
        ssize_t put = write(fd, text + n, (size_t)(length - n));
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return false;
        }
        n += put;
    }
    return true;
}

/* The PID in the name "STEM.PID.tmp" of a temporary file of ours; 0: another name. */
static long writer_of(const char *name) {
    size_t n = strlen(name);
    if (!ends_with(name, ".tmp") || n < 6) {
        return 0;
    }
    size_t at = n - 4;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
    }
    bool ours = at > 1 && name[at - 1] == '.' && n - 4 - at > 0 && n - 4 - at < 10;
    return ours ? strtol(name + at, NULL, 10) : 0;
}

enum { LEFT_SECONDS = 10 }; /* a process of another PID namespace may be writing younger ones */

static void drop_file(const char *path) { unlink(path); }

void io_sweep(const char *folder, const char *prefix, void (*drop)(const char *path)) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[PATH_MAX];
        struct stat info;
        long pid =
            strncmp(entry->d_name, prefix, strlen(prefix)) == 0 ? writer_of(entry->d_name) : 0;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (pid > 0 && n < (int)sizeof path && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
            lstat(path, &info) == 0 && time(NULL) - info.st_mtime > LEFT_SECONDS) {
            (S_ISLNK(info.st_mode) ? drop_file : drop)(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* Removes what killed processes left beside `path` while they wrote it. */
static void sweep_beside(const char *path) {
    char folder[PATH_MAX], prefix[PATH_MAX + 2];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    snprintf(prefix, sizeof prefix, "%s.", slash ? slash + 1 : path);
    io_sweep(folder, prefix, drop_file);
}

/* A new file, never one that is there or that a link names. What is there was left by a process
 * that was killed: the name is this process's own, or that of a folder that it has locked. */
static int create_aside(const char *aside) {
    int fd = -1;
    for (int i = 0; i < 2 && fd < 0; i++) {
        fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && (errno != EEXIST || unlink(aside) != 0)) {
            break;
        }
    }
    return fd;
}

/* `aside` may be `path` itself. */
static bool write_over(const char *path, const char *aside, bool sync, const char *text,
                       int64_t length, char *message, size_t message_size) {
    bool renamed = strcmp(path, aside) != 0;
    int fd = renamed ? create_aside(aside) : open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        io_fail(IO_ENVIRONMENT, message, message_size, "write", path, errno);
        return false;
    }
    int error = 0;
    if (!io_write_all(fd, text, length) || (sync && fsync(fd) != 0)) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && renamed && rename(aside, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        if (renamed) {
            unlink(aside);
        }
        io_fail(IO_ENVIRONMENT, message, message_size, "write", path, error);
        return false;
    }
    return true;
}

bool io_write(const char *path, const char *text, int64_t length, char *message,
              size_t message_size) {
    char aside[4096], real[PATH_MAX];
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        return write_over(path, path, false, text, length, message, message_size);
    }
    path = realpath(path, real) ? real : path; /* what a link names is replaced, not the link */
    sweep_beside(path);
    int n = snprintf(aside, sizeof aside, "%s.%ld.tmp", path, (long)getpid());
    if (n < 0 || n >= (int)sizeof aside) {
        io_fail(IO_ENVIRONMENT, message, message_size, "write", path, ENAMETOOLONG);
        return false;
    }
    return write_over(path, aside, true, text, length, message, message_size);
}

bool io_put(const char *path, const char *aside, const void *v, int64_t length, char *message,
            size_t message_size) {
    return write_over(path, aside, false, v, length, message, message_size);
}

bool io_writable(const char *path, char *message, size_t message_size) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    struct stat info;
    bool there = stat(path, &info) == 0;
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                     slash ? path : ".");
    int error = there && S_ISDIR(info.st_mode) ? EISDIR
                : n >= (int)sizeof folder      ? ENAMETOOLONG
                                               : 0;
    if (error == 0 && access(there && !S_ISREG(info.st_mode) ? path : folder, W_OK) != 0) {
        error = errno;
    }
    if (error != 0) {
        io_fail(IO_ENVIRONMENT, message, message_size, "write", path, error);
    }
    return error == 0;
}

bool io_same_file(const char *path, const char *input) {
    struct stat one, other;
    bool there = (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &other) : stat(input, &other)) == 0;
    return there && stat(path, &one) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool io_mkdirs(const char *path, char *message, size_t message_size) {
    char part[4096];
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) {
        io_fail(IO_ENVIRONMENT, message, message_size, "make the directory", path,
                n ? ENAMETOOLONG : ENOENT);
        return false;
    }
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] == '/' || part[i] == '\0') {
            char kept = part[i];
            part[i] = '\0';
            struct stat info;
            if (mkdir(part, 0777) != 0 &&
                (errno != EEXIST || stat(part, &info) != 0 || !S_ISDIR(info.st_mode))) {
                io_fail(IO_ENVIRONMENT, message, message_size, "make the directory", part,
                        errno == EEXIST ? ENOTDIR : errno);
                return false;
            }
            part[i] = kept;
        }
    }
    return true;
}

static int lock_descriptor = -1;

bool io_lock_folder(const char *folder, const char *what, char *message, size_t message_size) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/lock", folder);
    bool fits = n > 0 && (size_t)n < sizeof path;
    int fd = fits ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1; /* never closed */
    if (fd < 0) {
        snprintf(message, message_size, "cannot lock '%.200s'", folder);
    } else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        snprintf(message, message_size, "another %s is running in '%.200s'", what, folder);
    } else {
        lock_descriptor = fd;
        return true;
    }
    return false;
}

void io_leave_lock(void) {
    if (lock_descriptor >= 0) {
        close(lock_descriptor);
        lock_descriptor = -1;
    }
}
