/* The graph before and after a step: the program is compiled twice, with one step fewer and with it, and the first graph behind the pass that differs
 * is shown as a comparison of lines (a longest common subsequence). For a stage whose steps cannot be left out, it is the first graph that the stage
 * changes, before and after it. */
#include "harness/cause.h"

#include <string.h>

enum { MAX_DUMPS = 512, MAX_LINES = 400 };

typedef struct Dumps {
    Arena *arena;
    const char *stage[MAX_DUMPS], *text[MAX_DUMPS];
    int n;
} Dumps;

static void on_dump(void *user, const char *stage, const char *text) {
    Dumps *d = user;
    if (d->n < MAX_DUMPS) {
        d->stage[d->n] = arena_strdup(d->arena, stage);
        d->text[d->n++] = arena_strdup(d->arena, text);
    }
}

static Dumps *compile(Arena *arena, const Checker *c, const Program *p, int64_t limit) {
    CompileOptions options = compiles_here(&c->b) ? c->b.compile : c->a.compile;
    Dumps *d = arena_new(arena, Dumps);
    d->arena = arena;
    options.opt_limit = limit;
    options.on_dump = on_dump;
    options.dump_user = d;
    RunOptions run = {.limits = c->run.limits};
    compiled_run(p, &options, &run, NULL, arena);
    return d;
}

/* The graphs to compare; false if no graph differs. */
static bool find_graphs(Arena *arena, const Checker *c, const Program *p, const Cause *cause, const char **before, const char **after) {
    if (cause->limit > 0) {
        const Dumps *a = compile(arena, c, p, cause->limit - 1), *b = compile(arena, c, p, cause->limit);
        for (int i = 0; i < a->n && i < b->n; i++) {
            if (strcmp(a->stage[i], b->stage[i]) != 0 || strcmp(a->text[i], b->text[i]) != 0) {
                *before = a->text[i];
                *after = b->text[i];
                return true;
            }
        }
        return false;
    }
    const Dumps *d = compile(arena, c, p, compiles_here(&c->b) ? c->b.compile.opt_limit : c->a.compile.opt_limit);
    for (int i = 1; i < d->n; i++) {
        if (strcmp(d->stage[i], cause->stage) == 0 && strcmp(d->stage[i], "lower") != 0 && strcmp(d->text[i - 1], d->text[i]) != 0) {
            *before = d->text[i - 1];
            *after = d->text[i];
            return true;
        }
    }
    return false;
}

typedef struct Line { const char *at; int n; } Line;

static int split(const char *text, Line *line) {
    int n = 0;
    while (*text && n < MAX_LINES) {
        int length = (int)strcspn(text, "\n");
        line[n++] = (Line){text, length};
        text += length + (text[length] == '\n');
    }
    return n;
}

static bool same(Line a, Line b) { return a.n == b.n && memcmp(a.at, b.at, (size_t)a.n) == 0; }

static void print_line(Text *text, char mark, Line line) {
    text_printf(text, "%c ", mark);
    text_addn(text, line.at, line.n);
    text_add(text, "\n");
}

static void print_difference(Text *text, const char *before, const char *after) {
    Line a[MAX_LINES], b[MAX_LINES];
    int n = split(before, a), m = split(after, b);
    int *common = arena_array(text->arena, int, (int64_t)(n + 1) * (m + 1)); /* longest common subsequence of a[i..] and b[j..] */
    for (int i = n - 1; i >= 0; i--) {
        for (int j = m - 1; j >= 0; j--) {
            int *at = &common[i * (m + 1) + j], skip_a = common[(i + 1) * (m + 1) + j], skip_b = common[i * (m + 1) + j + 1];
            *at = same(a[i], b[j]) ? 1 + common[(i + 1) * (m + 1) + j + 1] : skip_a > skip_b ? skip_a : skip_b;
        }
    }
    int i = 0, j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && same(a[i], b[j])) {
            print_line(text, ' ', a[i++]);
            j++;
        } else if (j == m || (i < n && common[(i + 1) * (m + 1) + j] >= common[i * (m + 1) + j + 1])) {
            print_line(text, '-', a[i++]);
        } else {
            print_line(text, '+', b[j++]);
        }
    }
}

bool cause_print_graphs(Text *text, const Checker *c, const Program *p, const Cause *cause) {
    const char *before, *after;
    if ((!compiles_here(&c->a) && !compiles_here(&c->b)) || !find_graphs(text->arena, c, p, cause, &before, &after)) {
        return false;
    }
    print_difference(text, before, after);
    return true;
}

const char *cause_node(Text *text, const Checker *c, const Program *p, const Cause *cause) {
    const char *before, *after;
    Line a[MAX_LINES], b[MAX_LINES];
    if (cause->limit <= 0 || !find_graphs(text->arena, c, p, cause, &before, &after)) {
        return NULL;
    }
    int n = split(before, a), m = split(after, b), i = 0;
    while (i < n && i < m && same(a[i], b[i])) {
        i++;
    }
    Line line = i < n ? a[i] : b[i];
    int indent = 0;
    while (indent < line.n && line.at[indent] == ' ') {
        indent++;
    }
    text_addn(text, line.at + indent, line.n - indent);
    return text->v;
}
