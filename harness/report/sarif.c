/* SARIF 2.1.0 for GitHub's code scanning: an oracle is a rule, a signature a result. A difference
 * between executors has no line of source, so a result points at the stored program that shows it;
 * its fingerprint is made of signature and cause, so that one bug stays one alert when its program
 * changes. GitHub keeps 5,000 results of a run. */
#include "harness/oracles/oracle.h"
#include "harness/report/results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RESULTS = 5000 };

static void sarif_member(Text *t, const char *key, const char *value) {
    text_printf(t, "\"%s\":", key);
    text_json_string(t, value);
}

static void message(Text *t, const char *key, const char *text) {
    text_printf(t, "\"%s\":{", key);
    sarif_member(t, "text", text);
    text_add(t, "}");
}

static void rule(Text *t, Arena *arena, OracleId id) {
    text_add(t, id ? ",{" : "{");
    sarif_member(t, "id", oracle_name(id));
    text_add(t, ",");
    message(t, "shortDescription",
            arena_printf(arena, "The executors differ: %s", oracle_name(id)));
    text_add(t, ",");
    message(t, "fullDescription", arena_printf(arena, "What does not hold: %s.", oracle_claim(id)));
    text_add(t, ",");
    message(t, "help",
            "Run `twingrad check` on the program, `twingrad trace` to see where it begins, "
            "`twingrad bisect` to name the step of the compiler that causes it.");
    text_add(t, ",\"defaultConfiguration\":{\"level\":\"error\"}}");
}

/* The file without the current directory before it: code scanning takes no absolute path. */
static const char *from_here(Arena *arena, const char *file) {
    char here[4096];
    if (file[0] == '/' && getcwd(here, sizeof here)) {
        const char *folder = arena_printf(arena, "%s/", strcmp(here, "/") == 0 ? "" : here);
        size_t n = strlen(folder);
        file += strncmp(file, folder, n) == 0 && file[n] ? n : 0;
    }
    return strncmp(file, "./", 2) == 0 ? file + 2 : file;
}

/* A path relative to the repository, as a URI: percent-encoded but for unreserved characters and
 * '/'. A folder's finding is its minimized.json. */
static void uri(Text *t, const char *file) {
    text_add(t, "\"");
    for (const unsigned char *c = (const unsigned char *)file; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-._~/", *c);
        if (*c != '/' || c[1] != '/') { /* "out/" is a folder's name, too */
            text_printf(t, plain ? "%c" : "%%%02X", *c);
        }
    }
    text_add(t, "\"");
}

/* The line of a "file.jsonl:17"; `*length` is that of the name before it. */
static int sarif_line_of(const char *file, size_t *length) {
    const char *colon = strrchr(file, ':');
    int line = 0;
    *length = strlen(file);
    if (colon && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
        line = atoi(colon + 1);
        *length = (size_t)(colon - file);
    }
    return line > 0 ? line : 1;
}

static void result(Text *t, Arena *arena, const Json *f) {
    const char *signature = results_text(f, "signature", "?"),
               *outcome = results_text(f, "outcome", "new"),
               *file = results_text(f, "file", "README.md");
    size_t length;
    int line = sarif_line_of(file, &length);
    text_add(t, "{");
    sarif_member(t, "ruleId", results_text(f, "oracle", "?"));
    bool fails = strcmp(outcome, "known") != 0 && strcmp(outcome, "allowed") != 0 &&
                 strcmp(outcome, "unreproduced") != 0;
    bool unconfirmed = strcmp(outcome, "unconfirmed") == 0;
    text_printf(t, ",\"level\":\"%s\",", unconfirmed ? "warning" : fails ? "error" : "note");
    const Json *blamed = json_get(f, "cause");
    const char *cause = results_text(blamed, "text", "");
    message(t, "message",
            arena_printf(arena, "%s%s%s at %s (%s): %s against %s", signature,
                         cause[0] ? " from " : "", cause, results_text(f, "where", "?"),
                         results_text(f, "statement", "?"), results_text(f, "a", "?"),
                         results_text(f, "b", "?")));
    text_add(t, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    uri(t, from_here(arena, arena_printf(arena, "%.*s", (int)length, file)));
    text_printf(
        t, "},\"region\":{\"startLine\":%d,\"startColumn\":1,\"endLine\":%d,\"endColumn\":2}}}],",
        line, line);
    text_printf(t, "\"partialFingerprints\":{\"primaryLocationLineHash\":\"%s:1\"}",
                results_fingerprint(arena, arena_printf(arena, "%s@%s", signature, cause)));
    if (!fails) {
        text_add(t, ",\"suppressions\":[{\"kind\":\"external\"}]");
    }
    text_add(t, "}");
}

void results_sarif(const Json *root, Arena *arena, Text *out) {
    text_add(out, "{\"$schema\":\"https://json.schemastore.org/"
                  "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
                  "\"name\":\"twingrad\",");
    const char *version = results_text(root, "twingrad", "0.0.0"); /* of merged runs: several */
    sarif_member(out, strchr(version, ',') ? "version" : "semanticVersion", version);
    text_add(out, ",\"rules\":[");
    for (int id = 0; id < ORACLE_COUNT; id++) {
        rule(out, arena, (OracleId)id);
    }
    text_add(out, "]}},\"automationDetails\":{");
    sarif_member(out, "id",
                 arena_printf(arena, "twingrad/%s/%s/", results_text(root, "command", "?"),
                              results_text(root, "pair", "?")));
    text_add(out, "},\"columnKind\":\"utf16CodeUnits\",\"results\":[");
    int n = 0;
    for (const Json *f = results_list(root, "findings"); f && n < MAX_RESULTS; f = f->next, n++) {
        text_add(out, n ? "," : "");
        result(out, arena, f);
    }
    text_add(out, "]}]}\n");
}
