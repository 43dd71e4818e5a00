/* Reading a target's settings, and drawing from them. */
#include "harness/targets/settings.h"

#include "tensor/rng.h"

#include <string.h>

enum { MOST_ROWS = 256, MOST_DRAWN = 3 };

const char *absence_read(const Json *hello, const char *mode) {
    const Json *absent = json_get(hello, "absent"),
               *why = absent && absent->kind == JSON_OBJECT ? json_get(absent, mode) : NULL;
    return why && why->kind == JSON_STRING ? why->text : NULL;
}

static bool names_mode(const Json *modes, const char *mode) {
    for (const Json *e = modes && modes->kind == JSON_ARRAY ? modes->child : NULL; e; e = e->next) {
        if (e->kind == JSON_STRING && strcmp(e->text, mode) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_value(const Json *j) {
    return j->kind == JSON_NULL || j->kind == JSON_BOOL || j->kind == JSON_NUMBER;
}

SettingsTable settings_read(Arena *arena, const Json *j, const char *mode) {
    SettingsTable table = {0};
    if (!j || j->kind != JSON_OBJECT || j->count > MOST_ROWS) {
        return table;
    }
    table.v = arena_alloc(arena, (int64_t)sizeof *table.v * (j->count + 1));
    for (const Json *row = j->child; row; row = row->next) {
        const Json *values = row->kind == JSON_OBJECT ? json_get(row, "values") : NULL;
        if (!values || values->kind != JSON_ARRAY || !setting_valid(row->key) ||
            !names_mode(json_get(row, "modes"), mode)) {
            continue;
        }
        const char **v = arena_array(arena, const char *, values->count + 1);
        int n = 0;
        for (const Json *e = values->child; e; e = e->next) {
            Text text = {.arena = arena};
            if (is_value(e)) {
                text_json(&text, e);
                v[n++] = text.v;
            }
        }
        if (n > 0) {
            table.v[table.n].name = arena_strdup(arena, row->key);
            table.v[table.n].value = v;
            table.v[table.n++].nvalue = n;
        }
    }
    return table;
}

/* Marks dims of one argument or two. */
static void draw_marks(CompileSettings *c, const Program *p, Arena *arena, Rng *rng) {
    c->marks = arena_alloc(arena, (int64_t)sizeof *c->marks * 2);
    for (int i = 0; i < 2 && p->ninputs > 0; i++) {
        const Input *in = &p->inputs[rng_below(rng, p->ninputs)];
        const char *name = p->names[in->name];
        if (in->ndim > 0 && (c->nmarks == 0 || strcmp(c->marks[0].name, name) != 0)) {
            c->marks[c->nmarks].name = name;
            c->marks[c->nmarks++].dims =
                1u << rng_below(rng, in->ndim) | 1u << rng_below(rng, in->ndim);
        }
    }
    c->marks_given = c->nmarks > 0;
}

/* One program in four has no settings; the others have one to three, each at most once. */
CompileSettings *settings_draw(const SettingsTable *table, const Program *p, Arena *arena,
                               uint64_t seed, uint64_t index) {
    Rng rng = {seed ^ (index * 0x9E3779B97F4A7C15u)};
    rng_next(&rng);
    if (rng_below(&rng, 4) == 0) {
        return NULL;
    }
    CompileSettings *c = arena_new(arena, CompileSettings);
    c->config = arena_alloc(arena, (int64_t)sizeof *c->config * MOST_DRAWN);
    int n = table->n > 0 ? 1 + (int)rng_below(&rng, MOST_DRAWN) : 0;
    for (int i = 0; i < n; i++) {
        int row = (int)rng_below(&rng, table->n);
        const char *name = table->v[row].name;
        bool again = false;
        for (int k = 0; k < c->nconfig; k++) {
            again |= strcmp(c->config[k].name, name) == 0;
        }
        if (!again) {
            c->config[c->nconfig].name = name;
            c->config[c->nconfig++].value =
                table->v[row].value[rng_below(&rng, table->v[row].nvalue)];
        }
    }
    c->config_given = c->nconfig > 0;
    int64_t r = rng_below(&rng, 100);
    c->dynamic_given = r < 20;
    c->dynamic = r < 15;
    c->fullgraph = c->fullgraph_given = rng_below(&rng, 100) < 4;
    if (rng_below(&rng, 100) < 15) {
        draw_marks(c, p, arena, &rng);
    }
    return c->config_given || c->marks_given || c->dynamic_given || c->fullgraph_given ? c : NULL;
}
