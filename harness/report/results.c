/* Collecting results into one JSON object, and writing the files that are made of it. */
#include "harness/report/results.h"

#include "harness/triage/locate.h"
#include "harness/util/io.h"
#include "harness/util/status.h"
#include "harness/util/version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SUMMARY = 900 * 1024 /* GitHub drops a step summary of more than 1024 kB */ };

/* ---- collecting ---- */

static void member_text(Text *t, const char *key, const char *value) {
    text_printf(t, ",\"%s\":", key);
    text_json_string(t, value);
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
    int length;
    const char *op = signature_op(f->signature, &length);
    member_text(t, "op", arena_printf(r->arena, "%.*s", length, op));
    if (f->group) {
        member_text(t, "group", f->group);
    }
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

void results_print(const Results *r, const ResultsRun *run, const char *summary, Text *out) {
    text_printf(out, "{\"type\":\"results\",\"schema_version\":1,\"twingrad\":\"%s\"",
                twingrad_version());
    member_text(out, "compiler", TWINGRAD_COMPILER);
    member_text(out, "command", run->command);
    member_text(out, "pair", run->pair);
    if (run->compile->fault != FAULT_NONE) {
        char names[512];
        member_text(out, "fault", faults_text(run->compile, names, sizeof names));
    }
    if (run->seed) {
        text_printf(out, ",\"seed\":%llu", (unsigned long long)*run->seed);
    }
    if (run->shard.count > 1) {
        text_printf(out, ",\"shard\":\"%lld/%lld\"", (long long)run->shard.index + 1,
                    (long long)run->shard.count);
    }
    text_printf(out, ",\"summary\":%s,\"findings\":[%s],\"cases\":[%s]}\n", summary,
                r->nfindings ? r->findings.v : "", r->ncases ? r->cases.v : "");
}

/* ---- publishing ---- */

int results_ready(const ReportFiles *f, const char *out, char *message, size_t message_size) {
    bool appends = f->markdown && access(f->markdown, W_OK) == 0; /* in any folder */
    const char *const files[] = {f->results, f->html, f->junit, f->sarif,
                                 appends ? NULL : f->markdown};
    bool ready = !out || io_mkdirs(out, message, message_size);
    for (int i = 0; i < COUNT_OF(files) && ready; i++) {
        ready = !files[i] || io_writable(files[i], message, message_size);
    }
    return ready ? EXIT_AGREE : EXIT_ENVIRONMENT;
}

bool results_wanted(const ReportFiles *f) { return f->html || f->junit || f->sarif || f->markdown; }

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

static bool is_results(Reader *r, const Json *root) {
    if (root->kind != JSON_OBJECT || strcmp(results_text(root, "type", ""), "results") != 0) {
        snprintf(r->message, r->message_size,
                 "not an object of type \"results\" (results.json of fuzz --out, or of replay "
                 "--results)");
        return false;
    }
    if (results_number(root, "schema_version") != 1) {
        snprintf(r->message, r->message_size, "schema_version: only 1 is known");
        return false;
    }
    return results_check(r, root);
}

const Json *results_parse(Arena *arena, const char *name, const char *text, int64_t length,
                          char *message, size_t message_size) {
    char problem[512] = "";
    Reader reader = {.arena = arena, .message = problem, .message_size = sizeof problem};
    const Json *root = json_parse(&reader, text, (size_t)length);
    if (root && is_results(&reader, root)) {
        return root;
    }
    snprintf(message, message_size, "%s: %s", name, problem);
    return NULL;
}

int results_publish(const ReportFiles *files, const char *name, const char *text, int64_t length,
                    char *message, size_t message_size) {
    const struct {
        const char *path;
        void (*print)(const Json *root, Arena *arena, Text *out);
    } forms[] = {
        {files->html, results_html}, {files->junit, results_junit}, {files->sarif, results_sarif}};
    Arena arena = ARENA_EMPTY;
    const Json *root = results_parse(&arena, name, text, length, message, message_size);
    int code = root ? EXIT_AGREE : EXIT_BAD_INPUT;
    for (int i = 0; i < COUNT_OF(forms) && code == EXIT_AGREE; i++) {
        if (forms[i].path) {
            Text out = {.arena = &arena};
            forms[i].print(root, &arena, &out);
            if (!io_write(forms[i].path, out.v, out.n, message, message_size)) {
                code = EXIT_ENVIRONMENT;
            }
        }
    }
    if (files->markdown && code == EXIT_AGREE) {
        Text out = {.arena = &arena};
        results_markdown(root, &arena, &out);
        if (!results_append(files->markdown, &out, message, message_size)) {
            code = EXIT_ENVIRONMENT;
        }
    }
    arena_destroy(&arena);
    return code;
}

int results_write(const ReportFiles *files, const Text *text, char *message, size_t message_size) {
    if (files->results && !io_write(files->results, text->v, text->n, message, message_size)) {
        return EXIT_ENVIRONMENT;
    }
    return results_publish(files, "results", text->v, text->n, message, message_size);
}
