/* Reading the JSON object of results: what is missing reads as empty, zero or the default. */
#include "harness/report/results.h"
#include "tensor/hash.h"

#include <string.h>

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

static int with_outcome(const Json *first, const char *outcome) {
    int n = 0;
    for (const Json *j = first; j; j = j->next) {
        n += strcmp(results_text(j, "outcome", ""), outcome) == 0;
    }
    return n;
}

int results_count(const Json *root, const char *outcome) {
    return with_outcome(results_list(root, "findings"), outcome);
}

int results_cases(const Json *root, const char *outcome) {
    return with_outcome(results_list(root, "cases"), outcome);
}

const char *results_group_of(const Json *root, const Json *finding) {
    const char *named = results_text(finding, "group", NULL);
    if (named) {
        return named;
    }
    const char *cause = results_text(json_get(finding, "cause"), "text", ""),
               *signature = results_text(finding, "signature", ""), *best = "";
    for (const Json *g = results_list(json_get(root, "summary"), "groups"); g; g = g->next) {
        const char *key = results_text(g, "group", "?");
        size_t length = strlen(key);
        bool within =
            strncmp(cause, key, length) == 0 && (cause[length] == '\0' || cause[length] == '/');
        if ((within || strcmp(signature, key) == 0) && length > strlen(best)) {
            best = key;
        }
    }
    return best;
}

const char *results_fingerprint(Arena *arena, const char *text) {
    return arena_printf(arena, "%016llx", (unsigned long long)fnv64_text(FNV64_START, text));
}
