/* targets.json: {"targets": {NAME: {"command": [WORD, ...], "modes": [MODE, ...], "environment":
 * {NAME: VALUE, ...}}}}. A word that begins with "${dir}" begins with the file's directory. The
 * default file is searched beside the program (in its source tree, or where `make install` puts
 * it), then in targets/ of the current directory. */
#include "harness/targets/declare.h"

#include "harness/util/io.h"
#include "harness/util/status.h"
#include "program/json/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of the default file, or NULL. */
static const char *default_targets_file(Arena *arena) {
    static const char *const paths[] = {"/targets/targets.json", "/../targets/targets.json",
                                        "/../../targets/targets.json",
                                        "/../share/twingrad/targets/targets.json"};
    char self[2048];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        if (slash) {
            *slash = '\0';
        }
        for (int i = 0; i < COUNT_OF(paths); i++) {
            const char *path = arena_printf(arena, "%s%s", self, paths[i]);
            if (access(path, R_OK) == 0) {
                return path;
            }
        }
    }
    return access("targets/targets.json", R_OK) == 0 ? "targets/targets.json" : NULL;
}

static char *expand(Arena *arena, const char *dir, const char *word) {
    static const char MARK[] = "${dir}";
    bool marked = strncmp(word, MARK, sizeof MARK - 1) == 0;
    return marked ? arena_printf(arena, "%s%s", dir, word + sizeof MARK - 1)
                  : arena_strdup(arena, word);
}

static bool read_words(Reader *r, const Json *j, const char *dir, char ***out) {
    if (!j || !json_want(r, j, JSON_ARRAY, "an array of strings")) {
        return false;
    }
    char **v = *out = arena_array(r->arena, char *, j->count + 1);
    for (const Json *e = j->child; e; e = e->next) {
        if (!json_want(r, e, JSON_STRING, "a string")) {
            return false;
        }
        v[e->index] = expand(r->arena, dir, e->text);
    }
    return j->count > 0 || json_bad(r, j, "needs at least one word");
}

static bool read_environment(Reader *r, const Json *j, const char *dir, char ***out) {
    char **v = *out = arena_array(r->arena, char *, j ? j->count + 1 : 1);
    if (j && !json_want(r, j, JSON_OBJECT, "an object of strings")) {
        return false;
    }
    for (const Json *e = j ? j->child : NULL; e; e = e->next) {
        if (!json_want(r, e, JSON_STRING, "a string")) {
            return false;
        }
        v[e->index] = arena_printf(r->arena, "%s=%s", e->key, expand(r->arena, dir, e->text));
    }
    return true;
}

/* Reads every target, so that every error in the file is reported; `*found` is the target `name`,
 * `*modes` its modes (NULL: there is no such target). */
static bool read_targets(Reader *r, const Json *root, const char *dir, const char *name,
                         Declaration *found, char ***modes, const char **known) {
    static const char *const top_keys[] = {"targets", NULL};
    static const char *const keys[] = {"command", "modes", "environment", NULL};
    *modes = NULL;
    *known = "";
    const Json *targets = json_keys(r, root, top_keys, NULL) ? json_need(r, root, "targets") : NULL;
    if (!targets || !json_want(r, targets, JSON_OBJECT, "an object")) {
        return false;
    }
    for (const Json *e = targets->child; e; e = e->next) {
        Declaration d;
        char **own_modes;
        if (!json_keys(r, e, keys, NULL) ||
            !read_words(r, json_need(r, e, "command"), dir, &d.command) ||
            !read_words(r, json_need(r, e, "modes"), dir, &own_modes) ||
            !read_environment(r, json_get(e, "environment"), dir, &d.environment)) {
            return false;
        }
        *known = arena_printf(r->arena, "%s%s%s", *known, **known ? ", " : "", e->key);
        if (strcmp(e->key, name) == 0) {
            *found = d;
            *modes = own_modes;
        }
    }
    return true;
}

int target_declaration(Arena *arena, const char *file, const char *name, const char *mode,
                       Declaration *out, char *message, size_t message_size) {
    const char *path = file ? file : default_targets_file(arena);
    if (!path) {
        snprintf(message, message_size,
                 "there is no targets.json beside the program (name one with --targets FILE)");
        return EXIT_ENVIRONMENT;
    }
    char *text, problem[400], *dir = realpath(path, NULL);
    int64_t length;
    IoStatus status = io_read(arena, path, IO_MAX_BYTES, &text, &length, message, message_size);
    if (status != IO_OK || !dir) {
        if (status == IO_OK) {
            snprintf(message, message_size, "cannot find '%.200s'", path);
        }
        free(dir);
        return status == IO_BAD ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
    }
    *strrchr(dir, '/') = '\0';
    const char *own_dir = arena_strdup(arena, dir);
    free(dir);
    Reader r = {.arena = arena,
                .names = {.arena = arena},
                .message = problem,
                .message_size = sizeof problem};
    problem[0] = '\0';
    char **modes;
    const char *known;
    const Json *root = json_parse(&r, text, (size_t)length);
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object") ||
        !read_targets(&r, root, own_dir, name, out, &modes, &known)) {
        snprintf(message, message_size, "%.100s: %s", path, problem);
        return EXIT_BAD_INPUT;
    }
    if (!modes) {
        snprintf(message, message_size, "there is no target '%.60s' in %.100s; known: %s", name,
                 path, known);
        return EXIT_BAD_INPUT;
    }
    for (char **m = modes; *m; m++) {
        if (strcmp(*m, mode) == 0) {
            return EXIT_AGREE;
        }
    }
    snprintf(message, message_size, "the target '%.60s' has no mode '%.60s' (see %.100s)", name,
             mode, path);
    return EXIT_BAD_INPUT;
}
