/* Reading and writing files. Every failure is one sentence, in `message`; no file is left half
 * written. */
#ifndef HARNESS_IO_H
#define HARNESS_IO_H

#include "tensor/arena.h"

enum { IO_MAX_BYTES = 16 << 20 /* a file (format.md); a .jsonl line */ };

typedef enum IoStatus {
    IO_OK,
    IO_BAD /* bad input: exit 2 */,
    IO_ENVIRONMENT /* exit 3 */
} IoStatus;

/* The whole file ("-": standard input), NUL-terminated, in `arena`; at most `max` bytes. */
IoStatus io_read(Arena *arena, const char *path, int64_t max, char **text, int64_t *length,
                 char *message, size_t message_size);

/* One program's text out of the files named on a command line, or why it could not be read. */
typedef struct Source {
    const char *name; /* "a.json", "b.jsonl:17" */
    IoStatus status;
    const char *message; /* status not IO_OK: one sentence */
    const char *text;
    int64_t length;
} Source;

/* Is the source something else than JSON? Standard input and files named .json or .jsonl are JSON,
 * and so are others that begin with `{`. */
bool source_is_bytes(const Source *source);
/* Is it such a file that `path` itself names, but not .bytes? Any bytes are some program, so it is
 * a mistake rather than an artifact of an engine. */
bool source_is_neither(const Source *source, const char *path);

/* Calls `each` for every program in `path`: the file itself, or, for a name that ends in .jsonl,
 * each line that is not empty. A directory (only if `directories`) is walked in sorted order for
 * *.json and *.jsonl; a link to a folder that it is in is passed over. The source is gone when
 * `each` returns. How many sources there are, with those that cannot be read. */
typedef void (*SourceFn)(void *user, const Source *source);
int64_t io_each(const char *path, bool directories, SourceFn each, void *user);

/* The same for a corpus: every file of a directory counts, with any name; of an output folder
 * of afl-fuzz (it holds `fuzzer_stats`) those in queue, crashes and hangs. Hidden ones do not. */
int64_t io_each_corpus(const char *path, SourceFn each, void *user);

/* Paths of the files in a folder whose names begin with `prefix` and not with a dot, sorted by
 * name, in `arena`: how many. None if the folder cannot be read. */
int io_list(Arena *arena, const char *folder, const char *prefix, char ***paths);

/* Calls `drop` with each path in `folder` named "PREFIX....PID.tmp" whose process no longer runs:
 * it was killed while it wrote. */
void io_sweep(const char *folder, const char *prefix, void (*drop)(const char *path));

/* Writes the file aside (same directory), fsyncs and renames; false and a sentence if the
 * environment fails. A path that is not a regular file (a pipe, /dev/null) is written to directly.
 */
bool io_write(const char *path, const char *text, int64_t length, char *message,
              size_t message_size);
/* Writes the file `aside` (same file system) and renames, without waiting for the disk: whole if
 * this process dies, not if the machine does. */
bool io_put(const char *path, const char *aside, const void *v, int64_t length, char *message,
            size_t message_size);
/* Could io_write write the file, as far as its folder tells? False and the sentence of io_write if
 * not.
 */
bool io_writable(const char *path, char *message, size_t message_size);
/* Is the file that `path` names there, and the one that io_read reads as `input`? */
bool io_same_file(const char *path, const char *input);
/* Makes the directory and its parents. */
bool io_mkdirs(const char *path, char *message, size_t message_size);
/* Locks the folder by the file "lock" in it, until the process ends. Where that cannot be, or
 * another process has done so: false, and one sentence, in which that is "another `what`". */
bool io_lock_folder(const char *folder, const char *what, char *message, size_t message_size);
/* In a forked child: closes its copy of the latest lock, which the parent keeps. Without that the
 * folder stays locked until the child has ended, too. */
void io_leave_lock(void);

#endif
