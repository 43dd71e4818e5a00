/* The file of known issues is read once, strictly; matching is fnmatch over its entries in
 * order. */
#include "harness/triage/known.h"

#include "harness/util/io.h"
#include "harness/util/status.h"
#include "program/json/tree.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *finding_status_name(FindingStatus status) {
    static const char *const names[STATUS_COUNT] = {"new", "known", "fixed", "flaky"};
    CHECK((unsigned)status < STATUS_COUNT);
    return names[status];
}

/* A member that is a string; `absent` if it is missing, which is an error if `absent` is NULL. */
static const char *known_read_text(Reader *r, const Json *entry, const char *key,
                                   const char *absent) {
    const Json *j = absent ? json_get(entry, key) : json_need(r, entry, key);
    if (!j) {
        return absent;
    }
    if (!json_want(r, j, JSON_STRING, "a string")) {
        return NULL;
    }
    return j->text[0] != '\0' || json_bad(r, j, "must not be empty") ? j->text : NULL;
}

/* YYYY-MM-DD */
static bool is_date(const char *text) {
    for (int i = 0; i < 10; i++) {
        bool dash = i == 4 || i == 7;
        if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return text[10] == '\0';
}

static bool read_issue(Reader *r, const Json *entry, const char *path, KnownIssue *out) {
    static const char *const keys[] = {"signature", "pair", "cause",   "issue",
                                       "date",      "note", "program", NULL};
    if (!json_want(r, entry, JSON_OBJECT, "an object") || !json_keys(r, entry, keys, NULL)) {
        return false;
    }
    *out = (KnownIssue){.signature = known_read_text(r, entry, "signature", NULL),
                        .issue = known_read_text(r, entry, "issue", NULL),
                        .date = known_read_text(r, entry, "date", NULL),
                        .note = known_read_text(r, entry, "note", NULL),
                        .pair = known_read_text(r, entry, "pair", "*"),
                        .cause = known_read_text(r, entry, "cause", "*")};
    const char *program = known_read_text(r, entry, "program", "-");
    if (!r->failed && !is_date(out->date)) {
        return json_bad(r, json_get(entry, "date"), "expected YYYY-MM-DD");
    }
    if (!r->failed && strcmp(program, "-") != 0) {
        const char *slash = strrchr(path, '/');
        bool beside = slash && program[0] != '/';
        out->program = beside
                           ? arena_printf(r->arena, "%.*s/%s", (int)(slash - path), path, program)
                           : program;
    }
    return !r->failed;
}

static bool read_known(Reader *r, const Json *root, const char *path, Known *out) {
    static const char *const keys[] = {"known", NULL};
    const Json *list = json_keys(r, root, keys, NULL) ? json_need(r, root, "known") : NULL;
    if (!list || !json_want(r, list, JSON_ARRAY, "an array")) {
        return false;
    }
    out->issue = arena_array(r->arena, KnownIssue, list->count + 1);
    for (const Json *e = list->child; e; e = e->next) {
        if (!read_issue(r, e, path, &out->issue[out->n])) {
            return false;
        }
        out->n++;
    }
    return true;
}

int known_open(Arena *arena, const char *path, Known *out, char *message, size_t message_size) {
    *out = (Known){0};
    if (!path) {
        return 0;
    }
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
    if (!root || !json_want(&r, root, JSON_OBJECT, "an object") ||
        !read_known(&r, root, path, out)) {
        snprintf(message, message_size, "%.100s: %s", path, problem);
        return EXIT_BAD_INPUT;
    }
    return 0;
}

bool known_applies(const KnownIssue *issue, const char *pair) {
    return fnmatch(issue->pair, pair, 0) == 0;
}

KnownIssue *known_find(const Known *known, const char *pair, const char *signature,
                       const char *cause) {
    for (int i = 0; i < known->n; i++) {
        KnownIssue *k = &known->issue[i];
        if (known_applies(k, pair) && fnmatch(k->signature, signature, 0) == 0 &&
            fnmatch(k->cause, cause, 0) == 0) {
            return k;
        }
    }
    return NULL;
}
