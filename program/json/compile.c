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

bool json_read_compile(Reader *r, const Json *j, CompileSettings **out) {
    static const char *const keys[] = {"config", "dynamic", "fullgraph", NULL};
    CompileSettings *c = arena_new(r->arena, CompileSettings);
    *out = c;
    if (!json_keys(r, j, keys, &c->extra)) {
        return false;
    }
    const Json *config = json_get(j, "config"), *dynamic = json_get(j, "dynamic"),
               *fullgraph = json_get(j, "fullgraph");
    c->dynamic_given = dynamic != NULL;
    c->fullgraph_given = fullgraph != NULL;
    return (!config || read_config(r, config, c)) &&
           (!dynamic || json_read_bool(r, dynamic, &c->dynamic)) &&
           (!fullgraph || json_read_bool(r, fullgraph, &c->fullgraph));
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
                .names = {.arena = arena},
                .message = message,
                .message_size = sizeof message};
    const Json *root = json_parse(&r, text, length);
    CompileSettings *c = NULL;
    return root && json_want(&r, root, JSON_OBJECT, "an object") && json_read_compile(&r, root, &c)
               ? c
               : NULL;
}
