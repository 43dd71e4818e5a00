/* A file that is one JSON object: a list of known issues, outcomes, declared targets, the log of a
 * hunt. */
#ifndef HARNESS_JSON_FILE_H
#define HARNESS_JSON_FILE_H

#include "program/json/tree.h"

/* Reads the file and passes the object to `read`, with `user`; what that keeps is in `arena`.
 * Returns 0, or an exit code and one sentence that begins with the path: the file cannot be read,
 * is no object, or `read` has refused it (it returns false after json_bad). */
int json_file_read(Arena *arena, const char *path,
                   bool (*read)(void *user, Reader *r, const Json *root), void *user, char *message,
                   size_t message_size);

#endif
