#include "harness/util/json_file.h"

#include "harness/util/io.h"
#include "harness/util/status.h"

#include <stdio.h>

int json_file_read(Arena *arena, const char *path,
                   bool (*read)(void *user, Reader *r, const Json *root), void *user, char *message,
                   size_t message_size) {
    char *text, problem[400] = "";
    int64_t length;
    IoStatus status = io_read(arena, path, IO_MAX_BYTES, &text, &length, message, message_size);
    if (status != IO_OK) {
        return status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
    }
    Reader r = {.arena = arena,
                .names = {.arena = arena},
                .message = problem,
                .message_size = sizeof problem};
    const Json *root = json_parse(&r, text, (size_t)length);
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object") || !read(user, &r, root)) {
        snprintf(message, message_size, "%.200s: %s", path, problem);
        return EXIT_BAD_INPUT;
    }
    return 0;
}
