/* targets.json: {"targets": {NAME: {"command": [WORD, ...], "modes": [MODE, ...], "environment":
 * {NAME: VALUE, ...}}}}, or NAME: {"same_as": OTHER}. A word that begins with "${dir}" begins with
 * the file's directory. A NAME that ends in "*" stands for every version: in "torch2.8", declared
 * as "torch*", "${version}" is 2.8. The default file is searched beside the program (in its source
 * tree, or where `make install` puts it), then in targets/ of the current directory. */
#include "harness/targets/declare.h"

#include "harness/targets/target.h"

#include "harness/util/json_file.h"
#include "harness/util/status.h"

#include <glob.h>
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

/* One member of "targets"; `name` may end in "*", or `same_as` names another one. */
typedef struct DeclaredTarget {
    const char *name;
    const Json *command, *modes, *environment; /* NULL where same_as is given */
    const char *same_as;                       /* or NULL */
} DeclaredTarget;

typedef struct DeclaredTargets {
    DeclaredTarget *v;
    int n;
    const char *path, *dir; /* of the file */
} DeclaredTargets;

/* ---- one declaration ---- */

/* The word with "${dir}" at its beginning and "${version}" anywhere replaced. */
static char *expand(Arena *arena, const char *dir, const char *version, const char *word) {
    static const char DIR[] = "${dir}", VERSION[] = "${version}";
    Text t = {.arena = arena};
    text_add(&t, "");
    if (strncmp(word, DIR, sizeof DIR - 1) == 0) {
        text_add(&t, dir);
        word += sizeof DIR - 1;
    }
    for (const char *at; (at = strstr(word, VERSION)) != NULL; word = at + sizeof VERSION - 1) {
        text_addn(&t, word, at - word);
        text_add(&t, version);
    }
    text_add(&t, word);
    return t.v;
}

static char **expand_words(Arena *arena, const Json *j, const char *dir, const char *version) {
    char **v = arena_array(arena, char *, j->count + 1);
    for (const Json *e = j->child; e; e = e->next) {
        v[e->index] = expand(arena, dir, version, e->text);
    }
    return v;
}

static char **expand_environment(Arena *arena, const Json *j, const char *dir,
                                 const char *version) {
    char **v = arena_array(arena, char *, j ? j->count + 1 : 1);
    for (const Json *e = j ? j->child : NULL; e; e = e->next) {
        v[e->index] = arena_printf(arena, "%s=%s", e->key, expand(arena, dir, version, e->text));
    }
    return v;
}

static bool want_strings(Reader *r, const Json *j, JsonKind kind, const char *what) {
    if (!j || !json_want(r, j, kind, what)) {
        return false;
    }
    for (const Json *e = j->child; e; e = e->next) {
        if (!json_want(r, e, JSON_STRING, "a string")) {
            return false;
        }
    }
    return true;
}

static bool want_words(Reader *r, const Json *j) {
    return want_strings(r, j, JSON_ARRAY, "an array of strings") &&
           (j->count > 0 || json_bad(r, j, "needs at least one word"));
}

static bool read_declared_target(Reader *r, const Json *j, DeclaredTarget *out) {
    static const char *const keys[] = {"command", "modes", "environment", NULL},
                             *const alias_keys[] = {"same_as", NULL};
    *out = (DeclaredTarget){.name = j->key};
    if (!j->key[0]) {
        return json_bad(r, j, "a target needs a name");
    }
    const Json *same_as = j->kind == JSON_OBJECT ? json_get(j, "same_as") : NULL;
    if (same_as) {
        out->same_as = same_as->text;
        return json_keys(r, j, alias_keys, NULL) &&
               json_want(r, same_as, JSON_STRING, "the name of a target");
    }
    if (!json_keys(r, j, keys, NULL)) {
        return false;
    }
    out->environment = json_get(j, "environment");
    return want_words(r, out->command = json_need(r, j, "command")) &&
           want_words(r, out->modes = json_need(r, j, "modes")) &&
           (!out->environment ||
            want_strings(r, out->environment, JSON_OBJECT, "an object of strings"));
}

/* ---- all of them ---- */

static const DeclaredTarget *declared_by_name(const DeclaredTargets *all, const char *name) {
    for (int i = 0; i < all->n; i++) {
        if (strcmp(all->v[i].name, name) == 0) {
            return &all->v[i];
        }
    }
    return NULL;
}

/* Reads every target, so that every error in the file is reported. */
/* `user`: DeclaredTargets. */
static bool read_targets(void *user, Reader *r, const Json *root) {
    DeclaredTargets *out = user;
    static const char *const top_keys[] = {"targets", NULL};
    const Json *targets = json_keys(r, root, top_keys, NULL) ? json_need(r, root, "targets") : NULL;
    if (!targets || !json_want(r, targets, JSON_OBJECT, "an object")) {
        return false;
    }
    out->v = arena_alloc(r->arena, (int64_t)sizeof *out->v * targets->count);
    for (const Json *e = targets->child; e; e = e->next) {
        if (!read_declared_target(r, e, &out->v[out->n++])) {
            return false;
        }
    }
    for (const Json *e = targets->child; e; e = e->next) {
        const char *other = out->v[e->index].same_as;
        const DeclaredTarget *is = other ? declared_by_name(out, other) : NULL;
        if (other && (!is || is->same_as)) {
            return json_bad(r, e, "the target '%.60s' has no declaration of its own", other);
        }
    }
    return true;
}

/* Opens the file of targets (NULL: the default one). */
static int open_targets(Arena *arena, const char *file, DeclaredTargets *out, char *message,
                        size_t message_size) {
    *out = (DeclaredTargets){.path = file ? file : default_targets_file(arena)};
    if (!out->path) {
        snprintf(message, message_size,
                 "there is no targets.json beside the program (name one with --targets FILE)");
        return EXIT_ENVIRONMENT;
    }
    int code = json_file_read(arena, out->path, read_targets, out, message, message_size);
    char *dir = realpath(out->path, NULL);
    if (code == EXIT_AGREE && !dir) { /* a pipe is in no folder */
        snprintf(message, message_size, "cannot find '%.200s'", out->path);
        code = EXIT_ENVIRONMENT;
    } else if (dir) {
        *strrchr(dir, '/') = '\0';
        out->dir = arena_strdup(arena, dir);
    }
    free(dir);
    return code;
}

/* The declaration of `name`: its own, else one whose name ends in "*" before a version, which
 * *version becomes; NULL if there is none. */
static const DeclaredTarget *find_declared(const DeclaredTargets *all, const char *name,
                                           const char **version) {
    const DeclaredTarget *found = declared_by_name(all, name);
    *version = "";
    for (int i = 0; i < all->n && !found; i++) {
        size_t n = strlen(all->v[i].name) - 1;
        const char *rest = name + n;
        if (all->v[i].name[n] == '*' && strncmp(all->v[i].name, name, n) == 0 && *rest &&
            strspn(rest, "0123456789.") == strlen(rest)) {
            *version = rest;
            found = &all->v[i];
        }
    }
    return found && found->same_as ? declared_by_name(all, found->same_as) : found;
}

int target_declaration(Arena *arena, const char *file, const char *name, const char *mode,
                       Declaration *out, char *message, size_t message_size) {
    DeclaredTargets all;
    int code = open_targets(arena, file, &all, message, message_size);
    if (code != EXIT_AGREE) {
        return code;
    }
    const char *version;
    const DeclaredTarget *d = find_declared(&all, name, &version);
    if (!d) {
        Text known = {.arena = arena};
        for (int i = 0; i < all.n; i++) {
            text_printf(&known, "%s%s", i ? ", " : "", all.v[i].name);
        }
        snprintf(message, message_size, "there is no target '%.60s' in %.100s; known: %.300s", name,
                 all.path, known.v ? known.v : "none");
        return EXIT_BAD_INPUT;
    }
    out->command = expand_words(arena, d->command, all.dir, version);
    out->environment = expand_environment(arena, d->environment, all.dir, version);
    out->modes = expand_words(arena, d->modes, all.dir, version);
    for (char **m = out->modes; *m; m++) {
        if (!mode || strcmp(*m, mode) == 0) {
            return EXIT_AGREE;
        }
    }
    snprintf(message, message_size, "the target '%.60s' has no mode '%.60s' (see %.100s)", name,
             mode, all.path);
    return EXIT_BAD_INPUT;
}

/* Adds the targets that a name with "*" stands for: one for each version whose command exists. */
static void add_versions(Arena *arena, const DeclaredTargets *all, const DeclaredTarget *d,
                         Text *names) {
    const char *pattern = expand(arena, all->dir, "*", d->command->child->text),
               *star = strchr(pattern, '*');
    glob_t found;
    if (!star || glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    Text seen = {.arena = arena}; /* folders; a second name of one is a link */
    text_add(&seen, "\n");
    for (size_t i = found.gl_pathc; i-- > 0;) { /* "torch-2.8" before "torch-2.8.0" */
        const char *version = found.gl_pathv[i] + (star - pattern);
        size_t n = strspn(version, "0123456789."), stem = strlen(d->name) - 1;
        const char *folder = arena_printf(
            arena, "%.*s", (int)(version - found.gl_pathv[i]) + (int)n, found.gl_pathv[i]);
        char *real = realpath(folder, NULL);
        const char *line = arena_printf(arena, "\n%s\n", real ? real : folder);
        free(real);
        if (n > 0 && strcmp(version + n, star + 1) == 0 && !strstr(seen.v, line)) {
            text_add(&seen, line);
            text_printf(names, "%.*s%.*s\n", (int)stem, d->name, (int)n, version);
        }
    }
    globfree(&found);
}

int target_names(Arena *arena, const char *file, char **out, char *message, size_t message_size) {
    DeclaredTargets all;
    Text names = {.arena = arena};
    int code = open_targets(arena, file, &all, message, message_size);
    text_add(&names, "");
    for (int i = 0; code == EXIT_AGREE && i < all.n; i++) {
        const DeclaredTarget *d = &all.v[i];
        if (d->name[strlen(d->name) - 1] == '*') {
            add_versions(arena, &all, d, &names);
        } else if (!d->same_as) {
            text_printf(&names, "%s\n", d->name);
        }
    }
    *out = names.v;
    return code;
}

/* ---- lists of known issues ---- */

const char *target_known_name(Arena *arena, const char *target) {
    size_t n = strcspn(target, ":");
    while (n > 0 && strchr("0123456789.", target[n - 1])) {
        n--;
    }
    return arena_printf(arena, "%.*s", (int)n, target);
}

/* ../corpus/NAME beside the file of targets; NULL if it cannot be read. */
static const char *beside_targets(Arena *arena, const char *file, const char *name) {
    const char *path = file ? file : default_targets_file(arena),
               *slash = path ? strrchr(path, '/') : NULL;
    const char *found = arena_printf(arena, "%.*s../corpus/%s", slash ? (int)(slash + 1 - path) : 0,
                                     path ? path : "", name);
    return path && access(found, R_OK) == 0 ? found : NULL;
}

const char *target_known_file(Arena *arena, const char *file, const char *name) {
    return beside_targets(arena, file, arena_printf(arena, "known/%s.json", name));
}

const char *target_corpus_folder(Arena *arena, const char *file, const char *name) {
    return beside_targets(arena, file, name);
}

void declaration_vary(Arena *arena, Declaration *d, int variation, bool shares) {
    int n = 0;
    while (d->environment[n]) {
        n++;
    }
    char **v = arena_array(arena, char *, n + 3);
    memcpy(v, d->environment, sizeof *v * (size_t)n);
    if (variation > 0) {
        v[n++] = arena_printf(arena, "PYTHONHASHSEED=%d", variation);
        v[n++] = arena_printf(arena, "OMP_NUM_THREADS=%d", 1 + variation % 2);
    } else if (shares) {
        v[n++] = arena_printf(arena, "TWINGRAD_SESSION=%d", (int)getpid());
    }
    d->environment = v;
}

bool target_modes_have(const char *modes, const char *mode, size_t n) {
    for (const char *at = modes; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, mode, n) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}
