/* Collecting results into one JSON object, reading it back, and handing it to the printings that
 * the command line names. */
#include "harness/report/results.h"
#include "tensor/hash.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SUMMARY = 900 * 1024 /* GitHub drops a step summary of more than 1024 kB */ };

/* ---- collecting ---- */

static void member_text(Text *t, const char *key, const char *value) {
    text_printf(t, ",\"%s\":", key);
    text_json_string(t, value);
}

/* The op of a signature, oracle-kind-op or oracle-kind-op-step: no part of one holds a dash. */
static const char *op_of(Arena *arena, const char *signature) {
    const char *at = signature;
    for (int dashes = 0; dashes < 2; dashes++) {
        at = strchr(at, '-');
        if (!at) {
            return "";
        }
        at++;
    }
    return arena_printf(arena, "%.*s", (int)strcspn(at, "-"), at);
}

void results_add_finding(Results *r, const ResultsFinding *f) {
    Text *t = &r->findings;
    t->arena = r->arena;
    text_printf(t, "%s{\"outcome\":\"%s\"", r->nfindings++ ? "," : "", f->outcome);
    if (f->file) {
        member_text(t, "file", f->file);
    }
    text_printf(t, ",\"count\":%lld", (long long)f->count);
    if (f->first >= 0) {
        text_printf(t, ",\"first\":%lld", (long long)f->first);
    }
    text_printf(t, ",\"statements\":%d", f->statements);
    member_text(t, "op", op_of(r->arena, f->signature));
    text_printf(t, ",%s", f->record + 1); /* its members, and its closing brace */
}

void results_add_case(Results *r, const char *file, const char *name, const char *outcome,
                      const char *why) {
    Text *t = &r->cases;
    t->arena = r->arena;
    text_add(t, r->ncases++ ? ",{\"file\":" : "{\"file\":");
    text_json_string(t, file);
    member_text(t, "name", name ? name : "");
    member_text(t, "outcome", outcome);
    if (why) {
        member_text(t, "why", why);
    }
    text_add(t, "}");
}

void results_print(const Results *r, const Options *o, const char *pair, const char *summary,
                   Text *out) {
    text_printf(out, "{\"type\":\"results\",\"schema_version\":1,\"twingrad\":\"%s\"",
                TWINGRAD_VERSION);
    member_text(out, "compiler", TWINGRAD_COMPILER);
    member_text(out, "command", o->command);
    member_text(out, "pair", pair);
    if (o->compile.fault != FAULT_NONE) {
        char names[512];
        member_text(out, "fault", faults_text(&o->compile, names, sizeof names));
    }
    if (strcmp(o->command, "fuzz") == 0) {
        text_printf(out, ",\"seed\":%llu", (unsigned long long)o->seed);
    }
    text_printf(out, ",\"summary\":%s,\"findings\":[%s],\"cases\":[%s]}\n", summary,
                r->nfindings ? r->findings.v : "", r->ncases ? r->cases.v : "");
}

/* ---- reading ---- */

const char *results_text(const Json *object, const char *key, const char *otherwise) {
    const Json *j = object && object->kind == JSON_OBJECT ? json_get(object, key) : NULL;
    return j && j->kind == JSON_STRING ? j->text : otherwise;
}

double results_number(const Json *object, const char *key) {
    const Json *j = object && object->kind == JSON_OBJECT ? json_get(object, key) : NULL;
    return j && j->kind == JSON_NUMBER ? json_double(j) : 0;
}

const Json *results_list(const Json *root, const char *key) {
    const Json *j = root && root->kind == JSON_OBJECT ? json_get(root, key) : NULL;
    return j && (j->kind == JSON_ARRAY || j->kind == JSON_OBJECT) ? j->child : NULL;
}

int results_count(const Json *root, const char *outcome) {
    int n = 0;
    for (const Json *f = results_list(root, "findings"); f; f = f->next) {
        n += strcmp(results_text(f, "outcome", ""), outcome) == 0;
    }
    return n;
}

const char *results_fingerprint(Arena *arena, const char *text) {
    return arena_printf(arena, "%016llx", (unsigned long long)fnv64_text(FNV64_START, text));
}

/* ---- publishing ---- */

static const struct {
    void (*print)(const Json *root, Arena *arena, Text *out);
    size_t option; /* offset of its file's name in Options */
} FORMS[] = {
    {results_html, offsetof(Options, html)},
    {results_junit, offsetof(Options, junit)},
    {results_sarif, offsetof(Options, sarif)},
};

static const char *file_of(const Options *o, size_t option) {
    return *(const char *const *)(const void *)((const char *)o + option);
}

int results_ready(const Options *o) {
    char message[512];
    bool appends = o->markdown && access(o->markdown, W_OK) == 0; /* whatever its folder is */
    const char *const files[] = {o->results, o->html, o->junit, o->sarif,
                                 appends ? NULL : o->markdown};
    bool ready = !o->out || io_mkdirs(o->out, message, sizeof message);
    for (int i = 0; i < COUNT_OF(files) && ready; i++) {
        ready = !files[i] || io_writable(files[i], message, sizeof message);
    }
    return ready ? EXIT_AGREE : complain(EXIT_ENVIRONMENT, "%s", message);
}

bool results_wanted(const Options *o) { return o->html || o->junit || o->sarif || o->markdown; }

/* A CI step's summary is a file that many steps append to; it is cut at a line where it would be
 * dropped for its size. */
static bool results_append(const char *path, Text *text, char *message, size_t message_size) {
    if (text->n > MAX_SUMMARY) {
        text->n = MAX_SUMMARY;
        while (text->n > 0 && text->v[text->n - 1] != '\n') {
            text->n--;
        }
    }
    FILE *f = fopen(path, "a");
    bool ok = f && fwrite(text->v, 1, (size_t)text->n, f) == (size_t)text->n;
    int error = errno;
    if (f && fclose(f) != 0) {
        error = errno;
        ok = false;
    }
    if (!ok) {
        snprintf(message, message_size, "cannot append to '%.200s': %s", path, strerror(error));
    }
    return ok;
}

static bool is_results(const Json *root, char *message, size_t message_size) {
    if (root->kind != JSON_OBJECT || strcmp(results_text(root, "type", ""), "results") != 0) {
        snprintf(message, message_size,
                 "not an object of type \"results\" (results.json of fuzz --out, or of replay "
                 "--results)");
        return false;
    }
    if (results_number(root, "schema_version") != 1) {
        snprintf(message, message_size, "schema_version: only 1 is known");
        return false;
    }
    for (const char *const *key = (const char *const[]){"findings", "cases", NULL}; *key; key++) {
        const Json *list = json_get(root, *key);
        for (const Json *j = list ? list->child : NULL; j; j = j->next) {
            if (list->kind != JSON_ARRAY || j->kind != JSON_OBJECT) {
                snprintf(message, message_size, "%s: expected an array of objects", *key);
                return false;
            }
        }
    }
    return true;
}

int results_publish(const Options *o, const char *name, const char *text, int64_t length) {
    Arena arena = ARENA_EMPTY;
    char message[512] = "";
    Reader reader = {.arena = &arena, .message = message, .message_size = sizeof message};
    const Json *root = json_parse(&reader, text, (size_t)length);
    int code = EXIT_AGREE;
    if (!root || !is_results(root, message, sizeof message)) {
        code = complain(EXIT_BAD_INPUT, "%s: %s", name, message);
    }
    for (int i = 0; i < COUNT_OF(FORMS) && code == EXIT_AGREE; i++) {
        const char *path = file_of(o, FORMS[i].option);
        if (path) {
            Text out = {.arena = &arena};
            FORMS[i].print(root, &arena, &out);
            if (!io_write(path, out.v, out.n, message, sizeof message)) {
                code = complain(EXIT_ENVIRONMENT, "%s", message);
            }
        }
    }
    if (o->markdown && code == EXIT_AGREE) {
        Text out = {.arena = &arena};
        results_markdown(root, &arena, &out);
        if (!results_append(o->markdown, &out, message, sizeof message)) {
            code = complain(EXIT_ENVIRONMENT, "%s", message);
        }
    }
    arena_destroy(&arena);
    return code;
}

int results_write(const char *path, const Text *text, const Options *forms) {
    char message[512];
    if (path && !io_write(path, text->v, text->n, message, sizeof message)) {
        return complain(EXIT_ENVIRONMENT, "%s", message);
    }
    return results_publish(forms, "results", text->v, text->n);
}
