/* The key "compile" of a program: settings of a compiling target. */
#include "program/json/tree.h"

static bool read_config(Reader *r, const Json *j, CompileSettings *out) {
    if (!json_want(r, j, JSON_OBJECT, "an object of settings") ||
        !json_limit(r, j, MAX_SETTINGS, "settings")) {
        return false;
    }
    out->config_given = true;
    out->config = arena_alloc(r->arena, (int64_t)sizeof *out->config * j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!setting_valid(e->key)) {
            return json_bad(r, e, "not the name of a setting, such as inductor.cpp.simdlen");
        }
        if (e->kind != JSON_NULL && e->kind != JSON_BOOL && e->kind != JSON_NUMBER) {
            return json_bad(r, e, "expected a number, a boolean or null");
        }
        Text value = {.arena = r->arena};
        text_json(&value, e);
        out->config[out->nconfig].name = e->key;
        out->config[out->nconfig++].value = value.v;
    }
    return true;
}

static bool read_marks(Reader *r, const Json *j, CompileSettings *out) {
    if (!json_needs_format(r, j, 2, "\"mark_dynamic\"") ||
        !json_want(r, j, JSON_OBJECT, "an object of dims by argument") ||
        !json_limit(r, j, MAX_INPUTS, "arguments")) {
        return false;
    }
    out->marks_given = true;
    out->marks = arena_alloc(r->arena, (int64_t)sizeof *out->marks * j->count);
    for (const Json *e = json_items(r, j); e; e = e->next) {
        if (!name_valid(e->key)) {
            return json_bad(r, e, "not the name of an argument");
        }
        if (!json_want(r, e, JSON_ARRAY, "an array of dims")) {
            return false;
        }
        uint32_t dims = 0;
        for (const Json *dim = json_items(r, e); dim; dim = dim->next) {
            int64_t d;
            if (!json_read_int_in(r, dim, 0, MAX_DIMS - 1, &d)) {
                return false;
            }
            dims |= 1u << d;
        }
        out->marks[out->nmarks].name = e->key;
        out->marks[out->nmarks++].dims = dims;
    }
    return true;
}

bool json_read_compile(Reader *r, const Json *j, CompileSettings **out) {
    static const char *const keys[] = {"config", "mark_dynamic", "dynamic", "fullgraph", NULL};
    CompileSettings *c = arena_new(r->arena, CompileSettings);
    *out = c;
    if (!json_keys(r, j, keys, &c->extra)) {
        return false;
    }
    const Json *config = json_get(j, "config"), *marks = json_get(j, "mark_dynamic"),
               *dynamic = json_get(j, "dynamic"), *fullgraph = json_get(j, "fullgraph");
    c->dynamic_given = dynamic != NULL;
    c->fullgraph_given = fullgraph != NULL;
    return (!config || read_config(r, config, c)) && (!marks || read_marks(r, marks, c)) &&
           (!dynamic || json_read_bool(r, dynamic, &c->dynamic)) &&
           (!fullgraph || json_read_bool(r, fullgraph, &c->fullgraph));
}

void compile_print_dims(Text *text, uint32_t dims) {
    const char *before = "[";
    text_add(text, dims ? "" : "[");
    for (int d = 0; d < MAX_DIMS; d++) {
        if (dims >> d & 1) {
            text_printf(text, "%s%d", before, d);
            before = ", ";
        }
    }
    text_add(text, "]");
}

void compile_print(Text *text, const CompileSettings *c) {
    const char *comma = "";
    text_add(text, "{");
    if (c->config_given) {
        text_add(text, "\"config\": {");
        for (int i = 0; i < c->nconfig; i++) {
            text_printf(text, "%s\"%s\": %s", i ? ", " : "", c->config[i].name, c->config[i].value);
        }
        text_add(text, "}");
        comma = ", ";
    }
    if (c->marks_given) {
        text_printf(text, "%s\"mark_dynamic\": {", comma);
        for (int i = 0; i < c->nmarks; i++) {
            text_printf(text, "%s\"%s\": ", i ? ", " : "", c->marks[i].name);
            compile_print_dims(text, c->marks[i].dims);
        }
        text_add(text, "}");
        comma = ", ";
    }
    if (c->dynamic_given) {
        text_printf(text, "%s\"dynamic\": %s", comma, c->dynamic ? "true" : "false");
        comma = ", ";
    }
    if (c->fullgraph_given) {
        text_printf(text, "%s\"fullgraph\": %s", comma, c->fullgraph ? "true" : "false");
        comma = ", ";
    }
    if (c->extra) {
        text_add(text, comma);
        text_add(text, c->extra);
    }
    text_add(text, "}");
}

CompileSettings *compile_parse(Arena *arena, const char *text, size_t length) {
    char message[256] = "";
    Reader r = {.arena = arena,
                .format = 2,
                .names = {.arena = arena},
                .message = message,
                .message_size = sizeof message};
    const Json *root = json_parse(&r, text, length);
    CompileSettings *c = NULL;
    return root && json_want(&r, root, JSON_OBJECT, "an object") && json_read_compile(&r, root, &c)
               ? c
               : NULL;
}
