/* Builds Json nodes in the arena from JSON text, with cJSON as the parser.
 *
 * cJSON gets a copy of the text in which every number and every folded array is overwritten by a
 * single digit and blanks, because it stores numbers as doubles, stops reading a long number
 * halfway and takes 64 bytes for each. Its tree is then walked in document order, each number node
 * takes the next token of the scan, and the tree is freed. Both walks recurse at most
 * JSON_MAX_DEPTH levels, which the scan has checked. */
#include "program/json/tree.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MemorySanitizer does not see the writes of an uninstrumented library, so they are declared. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN(node) __msan_unpoison((node), sizeof *(node))
#define WRITTEN_STRING(s) __msan_unpoison_string(s)
#endif
#endif
#ifndef WRITTEN
#define WRITTEN(node) ((void)0)
#define WRITTEN_STRING(s) ((void)0)
#endif

/* ---- errors ---- */

/* Does the key consist of letters, digits, '_' and '-', and is it short? */
static bool key_is_plain(const char *key) {
    size_t n = strlen(key);
    return n > 0 && n <= 64 &&
           strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

/* Appends the path of `j` to a Text; other keys are quoted and truncated. */
static void path_add(Text *text, const Json *j) {
    if (!j->parent) {
        return;
    }
    path_add(text, j->parent);
    if (!j->key) {
        text_printf(text, "[%d]", j->index);
    } else if (key_is_plain(j->key)) {
        text_printf(text, "%s%s", text->n ? "." : "", j->key);
    } else {
        char cut[41];
        snprintf(cut, sizeof cut, "%s", j->key);
        text_add(text, "[");
        text_json_string(text, cut);
        text_add(text, "]");
    }
}

const char *json_path(Reader *r, const Json *j) {
    Text text = {.arena = r->arena};
    path_add(&text, j);
    if (text.n > 240) { /* keep both ends: the message needs room for its sentence */
        return arena_printf(r->arena, "%.120s...%s", text.v, text.v + text.n - 100);
    }
    return text.n ? text.v : "top level";
}

bool json_bad(Reader *r, const Json *at, const char *format, ...) {
    if (r->failed) {
        return false;
    }
    r->failed = true;
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(r->message, r->message_size, "%s: %s", json_path(r, at), what);
    return false;
}

const char *json_kind_name(const Json *j) {
    switch (j->kind) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "a boolean";
    case JSON_NUMBER:
        return "a number";
    case JSON_STRING:
        return "a string";
    case JSON_ARRAY:
        return "an array";
    case JSON_OBJECT:
        return "an object";
    }
    return "a value";
}

/* ---- building ---- */

typedef struct TreeBuilder {
    Reader *r;
    const char *text;
    const JsonScan *scan;
    int next_token;
} TreeBuilder;

static int compare_keys(const void *a, const void *b) {
    const Json *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order ? order : ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

/* Sorts the keys, so that duplicates are adjacent. */
static bool refuse_duplicates(Reader *r, const Json *object) {
    const Json **sorted = arena_array(r->arena, const Json *, object->count);
    int n = 0;
    for (const Json *j = object->child; j; j = j->next) {
        sorted[n++] = j;
    }
    if (n > 1) {
        qsort(sorted, (size_t)n, sizeof *sorted, compare_keys);
    }
    for (int i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) {
            return json_bad(r, sorted[i], "the key stands twice");
        }
    }
    return true;
}

static JsonKind tree_kind_of(const cJSON *c) {
    if (cJSON_IsNumber(c)) {
        return JSON_NUMBER;
    }
    if (cJSON_IsString(c)) {
        return JSON_STRING;
    }
    if (cJSON_IsArray(c)) {
        return JSON_ARRAY;
    }
    if (cJSON_IsObject(c)) {
        return JSON_OBJECT;
    }
    return cJSON_IsBool(c) ? JSON_BOOL : JSON_NULL;
}

static Json *build(TreeBuilder *b, const cJSON *from, Json *parent, int index) {
    WRITTEN(from);
    Json *j = arena_new(b->r->arena, Json);
    j->parent = parent;
    j->index = index;
    j->kind = tree_kind_of(from);
    if (from->string) {
        WRITTEN_STRING(from->string);
        j->key = arena_strdup(b->r->arena, from->string);
    }
    if (j->kind == JSON_STRING) {
        WRITTEN_STRING(from->valuestring);
        j->text = arena_strdup(b->r->arena, from->valuestring);
    } else if (j->kind == JSON_BOOL) {
        j->boolean = cJSON_IsTrue(from);
    } else if (j->kind == JSON_NUMBER) {
        CHECK(b->next_token < b->scan->count);
        JsonToken token = b->scan->token[b->next_token++];
        j->kind = token.count > 0 ? JSON_ARRAY : JSON_NUMBER;
        j->text = b->text + token.at;
        j->length = token.length;
        j->count = token.count;
    } else {
        Json **link = &j->child;
        for (const cJSON *c = from->child; c; c = c->next) {
            *link = build(b, c, j, j->count++);
            link = &(*link)->next;
        }
    }
    if (j->kind == JSON_OBJECT) {
        refuse_duplicates(b->r, j);
    }
    return j;
}

static void *allocate_or_die(size_t bytes) {
    void *v = malloc(bytes);
    if (!v) {
        die("out of memory: %zu more bytes were needed", bytes);
    }
    return v;
}

Json *json_parse(Reader *r, const char *source, size_t length) {
    JsonScan scan;
    if (length > JSON_MAX_BYTES) {
        snprintf(r->message, r->message_size, "the text has %zu bytes: the limit is %d", length,
                 JSON_MAX_BYTES);
        r->failed = true;
        return NULL;
    }
    char *text = arena_alloc_raw(r->arena, (int64_t)length + 1);
    if (length > 0) {
        memcpy(text, source, length);
    }
    text[length] = '\0';
    if (!json_scan(r->arena, text, length, r->fold, &scan, r->message, r->message_size)) {
        r->failed = true;
        return NULL;
    }
    char *blanked = memcpy(allocate_or_die(length + 1), text, length + 1);
    for (int i = 0; i < scan.count; i++) {
        memset(blanked + scan.token[i].at, ' ', (size_t)scan.token[i].length);
        blanked[scan.token[i].at] = '0';
    }
    /* cJSON answers NULL to bad syntax and to a failed allocation alike. */
    cJSON_InitHooks(&(cJSON_Hooks){allocate_or_die, free});
    cJSON *tree = cJSON_ParseWithLength(blanked, length + 1);
    free(blanked);
    if (!tree) {
        snprintf(r->message, r->message_size, "the JSON library refused the text");
        r->failed = true;
        return NULL;
    }
    TreeBuilder b = {r, text, &scan, 0};
    Json *root = build(&b, tree, NULL, 0);
    cJSON_Delete(tree);
    CHECK(b.next_token == scan.count);
    return r->failed ? NULL : root;
}

/* ---- folded arrays ---- */

Json json_element(const Json *array, int index, int *at, char *buffer) {
    const char *c = array->text + *at;
    c += strspn(c, " \t\r\n,");
    Json j = {.parent = (Json *)array, .index = index, .text = c};
    size_t n = strcspn(c, " \t\r\n,]");
    if (*c == '"') {
        n = strcspn(c + 1, "\"");
        memcpy(buffer, c + 1, n);
        buffer[n] = '\0';
        j.kind = JSON_STRING;
        j.text = buffer;
        n += 2;
    } else if (*c == 't' || *c == 'f') {
        j.kind = JSON_BOOL;
        j.boolean = *c == 't';
    } else {
        j.kind = JSON_NUMBER;
        j.length = (int)n;
    }
    *at = (int)(c - array->text + (int64_t)n);
    return j;
}

const Json *json_items(Reader *r, const Json *j) {
    Json *array = (Json *)j; /* members are added; its value stays */
    bool folded = j->kind == JSON_ARRAY && j->text && !j->child;
    Json **link = &array->child;
    int at = 1;
    for (int i = 0; folded && i < j->count && i < JSON_MAX_LIST; i++) {
        char buffer[JSON_SCALAR];
        Json element = json_element(j, i, &at, buffer);
        Json *made = arena_copy(r->arena, &element, sizeof element);
        made->text = element.kind == JSON_STRING ? arena_strdup(r->arena, buffer) : element.text;
        *link = made;
        link = &made->next;
    }
    return j->child;
}

bool json_limit(Reader *r, const Json *j, int limit, const char *entries) {
    return j->count <= limit ||
           json_bad(r, j, "%d %s pass the limit of %d", j->count, entries, limit);
}

/* ---- reading ---- */

const Json *json_get(const Json *object, const char *key) {
    for (const Json *j = object->child; j; j = j->next) {
        if (strcmp(j->key, key) == 0) {
            return j;
        }
    }
    return NULL;
}

const Json *json_need(Reader *r, const Json *object, const char *key) {
    const Json *j = json_get(object, key);
    if (!j) {
        json_bad(r, object, "the key \"%s\" is missing", key);
    }
    return j;
}

bool json_want(Reader *r, const Json *j, JsonKind kind, const char *expected) {
    return j->kind == kind || json_bad(r, j, "expected %s, found %s", expected, json_kind_name(j));
}

bool json_keys(Reader *r, const Json *object, const char *const *allowed, const char **extra) {
    if (!json_want(r, object, JSON_OBJECT, "an object")) {
        return false;
    }
    for (const Json *j = object->child; j; j = j->next) {
        int k = 0;
        while (allowed[k] && strcmp(allowed[k], j->key) != 0) {
            k++;
        }
        if (!allowed[k] && strncmp(j->key, "x-", 2) != 0) {
            return json_bad(r, j, "unknown key");
        }
    }
    if (extra) {
        *extra = json_extra(r, object, NULL);
    }
    return true;
}

const char *json_extra(Reader *r, const Json *object, const char *but) {
    Text kept = {.arena = r->arena};
    for (const Json *j = object->child; j; j = j->next) {
        if (strncmp(j->key, "x-", 2) == 0 && !(but && strcmp(j->key, but) == 0)) {
            text_add(&kept, kept.n ? ", " : "");
            text_json_string(&kept, j->key);
            text_add(&kept, ": ");
            text_json(&kept, j);
        }
    }
    return kept.n ? kept.v : NULL;
}

bool json_is_wrapped(const Json *j, const char *key) {
    return j->kind == JSON_OBJECT && j->count == 1 && strcmp(j->child->key, key) == 0;
}
